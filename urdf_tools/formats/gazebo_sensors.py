"""Records of SDF's `<sensor>`, which gz also reads in the `<gazebo>` of a URDF, and their XML."""

from __future__ import annotations

from typing import Optional

from ..base.exact_trigonometry import arctangent, cosine_sine
from ..model.model_records import Camera, Lidar, Sensor
from ..model.model_shapes import Pose
from ..model.xml_writer import exact, exact_numbers, XmlNode, node_of, put, raw, render, source_of
from ..robot.raw_robot import RawSensor
from ..urdf.lossless_xml import parse_document
from ..urdf.spatial_math import IDENTITY_POSE
from .reader_helpers import CAMERA, euler_of_sdf, leaf, lidar_paths, pose_of_sdf, sensor_of
from .xml_reader import XmlElement, view_of


def sensor_record(sensor: RawSensor, origin: Pose, xml: str) -> Sensor:
    """Return the record of a sensor; it has a camera or lidar if all numbers of these are known."""
    view = (*sensor.values.get("field_of_view", ()), *sensor.values.get("image", ()))
    camera = None
    if len(view) == 3:
        field_of_view, width, height = view
        camera = Camera(field_of_view, int(width), int(height))
    rays = (*sensor.values.get("rays", ()), *sensor.values.get("reach", ()))
    lidar = None
    if rays:
        count, *ranges = rays
        lidar = Lidar(int(count), *ranges)
    link = "" if sensor.joint else sensor.link
    return Sensor(
        name=sensor.name,
        type=sensor.kind,
        link=link,
        joint=sensor.joint,
        origin=origin,
        rate=sensor.rate,
        camera=camera,
        lidar=lidar,
        xml=xml,
    )


def resolved_sensor(top: XmlElement, sensor: RawSensor, owner: str) -> Sensor:
    """Return the record of a `<sensor>` as it was read; its XML gets the pose in its owner, if written otherwise."""
    pose = leaf(top, "pose")
    xml = source_of(top.source).strip()
    euler = euler_of_sdf(pose) if pose is not None else None
    if pose is None or euler is None or pose.attributes.get("relative_to") not in (None, "", owner):
        origin = Pose.from_transform(sensor.T_link_sensor)
    else:  # to the last digit as it is written, which a matrix and back would change
        origin = Pose(*euler)
    if pose is not None and pose.attributes:
        resolved = node_of(top.source)
        put(resolved, "pose", exact_numbers((*origin.xyz, *origin.rpy))).attributes.clear()
        xml = render(resolved).strip()
    return sensor_record(sensor, origin, xml)


def _written(top: XmlElement) -> Optional[Sensor]:
    """Return the record of a `<sensor>` by itself; None for a pose in another frame than its owner's."""
    pose = leaf(top, "pose")
    T = pose_of_sdf(pose) if pose is not None else IDENTITY_POSE
    if T is None or pose is not None and (pose.get("frame") or pose.get("relative_to")):
        return None
    return resolved_sensor(top, sensor_of(top, "", "", T), "")


def sensor_node(sensor: Sensor, pose: Optional[Pose] = None) -> XmlNode:
    """Return the `<sensor>` of SDF, which gz also reads in a URDF; `pose` replaces the sensor's origin."""
    element = view_of(parse_document((sensor.xml or "<sensor/>").encode("utf-8"), "").root, "")
    wanted = sensor if pose is None else sensor._replace(origin=pose)
    # The XML is kept as it is if it has the values of the record; else only the other values are written into it.
    old = _written(element)
    top = node_of(element.source)
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
        for path, value in zip(lidar_paths(element), sensor.lidar):
            put(top, path, exact(value))
    return top


def vertical_fov(camera: Camera) -> float:
    """Return the vertical field of view [rad] of a camera with square pixels."""
    cosine, sine = cosine_sine(camera.horizontal_fov / 2.0)
    return 2.0 * arctangent(sine * camera.height, cosine * camera.width)
