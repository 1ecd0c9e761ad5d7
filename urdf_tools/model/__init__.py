"""The robot for other programs: typed, immutable records, read from URDF or JSON or built by hand.

    from urdf_tools import model

    robot = model.Robot.from_urdf("walker.urdf")
    print(robot.mass, robot.problems())
    open("walker.xml", "w").write(robot.to_mjcf())

Units are SI (m, kg, s, rad, N); lengths of shapes are full lengths.
"""
from typing import Any, Dict

from ..urdf.model import Box, Calibration, Capsule, Cylinder, Dynamics, Limit, Mesh, Mimic, Safety, Sphere
from .choices import Frame, MjcfOptions, SdfOptions
from .inertia import Inertia, Inertial
from .pose import Pose
from .problems import Problem
from .records import Actuator, Camera, ExportWarning, Joint, Lidar, Link, Robot, Sensor, Spring
from .shapes import Collision, Compound, Ellipsoid, Geometry, Material, Part, Plane, Surface, Visual


def json_schema() -> Dict[str, Any]:
    """Return the JSON Schema (2020-12) of what `to_json` writes, made from the types."""
    from . import json_types  # here, because few runs need it

    return json_types.json_schema()


to_urdf, to_json, to_mjcf, to_sdf = Robot.to_urdf, Robot.to_json, Robot.to_mjcf, Robot.to_sdf

__all__ = ["Actuator", "Box", "Calibration", "Camera", "Capsule", "Collision", "Compound", "Cylinder", "Dynamics",
           "Ellipsoid", "ExportWarning", "Frame", "Geometry", "Inertia", "Inertial", "Joint", "Lidar",
           "Limit", "Link", "Material", "Mesh", "Mimic", "MjcfOptions", "Part", "Plane", "Pose", "Problem",
           "Robot", "Safety", "SdfOptions", "Sensor", "Sphere", "Spring", "Surface", "Visual", "json_schema",
           "to_json", "to_mjcf", "to_sdf", "to_urdf"]
