"""Read and write SDF's `<sensor>`, which gz also reads in the `<gazebo>` of a URDF."""

import math
from typing import Callable, Optional, Sequence

from ..base.exact_trigonometry import arctangent, cosine_sine
from ..base.number_text import numbers_in
from ..facts.simulator_values import SDF_TRUE
from ..urdf.spatial import compose, inverse, matrix_from_quaternion, rpy_from_matrix
from .records import Camera, Lidar, Sensor
from .shapes import Pose, Transform, vector_of
from .xml_tree import exact, exact_numbers, Node, node, parse, put, raw, render

CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
SCAN = ("samples", "min_angle", "max_angle")


def number_at(top: Node, path: str) -> Optional[float]:
    """Return the number in the text of the element at a path below another, or None."""
    element: Optional[Node] = top
    for tag in path.split("/"):
        element = element.find(tag) if element is not None else None
    values = numbers_in(element.text, 1) if element is not None else None
    return values[0] if values else None


def read_sensor(
    top: Node,
    xml: str,
    owner: str = "",
    pose_of: Callable[[str], Optional[Transform]] = lambda _: None,
) -> Optional[Sensor]:
    """Return a `<sensor>` with its pose in its owner; None if the pose is expressed in an unknown frame."""
    pose = top.find("pose")
    origin = _pose_in(pose, owner, pose_of) if pose is not None else Pose()
    if origin is None:
        return None
    if pose is not None and set(pose.attributes) - {
        "frame"
    }:  # the kept XML gets the resolved pose, in the owner
        pose.attributes.clear()
        pose.children[:] = [exact_numbers((*origin.xyz, *origin.rpy))]
        xml = render(top).strip()
    is_single = len(top.elements("camera")) == 1
    image, rays = (
        [value for path in paths for value in [number_at(top, path)] if value is not None]
        for paths in (CAMERA if is_single else (), _lidar_paths(top))
    )
    return Sensor(
        xml=xml,
        name=top.attributes.get("name", ""),
        type=top.attributes.get("type", ""),
        origin=origin,
        rate=number_at(top, "update_rate"),
        camera=Camera(image[0], int(image[1]), int(image[2])) if len(image) == 3 else None,
        lidar=Lidar(int(rays[0]), *rays[1:]) if len(rays) == 5 else None,
    )


def _pose_in(
    pose: Node, owner: str, pose_of: Callable[[str], Optional[Transform]]
) -> Optional[Pose]:
    """Return a `<pose>` of SDF in the frame of its owner with all joints at zero; None when it cannot be resolved.

    http://sdformat.org/spec?ver=1.9&elem=sensor: `degrees`, `rotation_format` and `relative_to` (a link, joint or
    `__model__`); `frame`, of earlier versions, is not supported.
    """
    attributes = pose.attributes
    if attributes.get("frame") or set(attributes) - {
        "frame",
        "degrees",
        "rotation_format",
        "relative_to",
    }:
        return None
    if attributes.get("rotation_format", "euler_rpy") == "quat_xyzw":
        values = numbers_in(pose.text, 7)
        written = (
            Pose(vector_of(values[:3]), rpy_from_matrix(matrix_from_quaternion(values[3:])))
            if (values and any(values[3:]))
            else None
        )
    else:
        values = numbers_in(pose.text or "0 0 0 0 0 0", 6)
        unit = math.radians(1.0) if attributes.get("degrees", "").lower() in SDF_TRUE else 1.0
        written = (
            Pose(vector_of(values[:3]), vector_of([unit * value for value in values[3:]]))
            if values
            else None
        )
    base = attributes.get("relative_to") or owner
    if written is None or base == owner:
        return written
    T_root_base, T_root_owner = pose_of(base), pose_of(owner)
    if T_root_base is None or T_root_owner is None:
        return None
    return Pose.from_transform(
        compose(compose(inverse(T_root_owner), T_root_base), written.transform)
    )


def _lidar_paths(top: Node) -> Sequence[str]:
    tag = "lidar" if top.find("lidar") is not None or top.find("ray") is None else "ray"
    return (
        *(f"{tag}/scan/horizontal/{name}" for name in SCAN),
        f"{tag}/range/min",
        f"{tag}/range/max",
    )


def sensor_node(sensor: Sensor, pose: Optional[Pose] = None) -> Node:
    """Return the `<sensor>` of SDF, which gz also reads in a URDF; `pose` replaces the sensor's origin."""
    top = parse(sensor.xml) if sensor.xml else node("sensor")
    wanted = sensor if pose is None else sensor._replace(origin=pose)
    # The XML is kept as it is where it says what the record says; else only what differs is written into it.
    old = read_sensor(top, sensor.xml) if sensor.xml else Sensor("", "")
    if old is not None and wanted == old._replace(link=sensor.link, joint=sensor.joint):
        return raw(sensor.xml)
    top.attributes.update(name=sensor.name, type=sensor.type)
    if old is None or wanted.origin != old.origin:
        put(top, "pose", exact_numbers((*wanted.origin.xyz, *wanted.origin.rpy))).attributes.clear()
    if sensor.rate is not None:
        put(top, "update_rate", exact(sensor.rate))
    if sensor.camera is not None:
        for path, value in zip(CAMERA, sensor.camera):
            put(top, path, exact(value))
    if sensor.lidar is not None:
        for path, value in zip(_lidar_paths(top), sensor.lidar):
            put(top, path, exact(value))
    return top


def vertical_fov(camera: Camera) -> float:
    """Return the vertical field of view [rad] of a camera with square pixels."""
    cosine, sine = cosine_sine(camera.horizontal_fov / 2.0)
    return 2.0 * arctangent(sine * camera.height, cosine * camera.width)
