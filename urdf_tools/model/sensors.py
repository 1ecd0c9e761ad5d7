"""Sensors of `<gazebo>`, read from and written to SDF's `<sensor>`, which gz reads inside a URDF too."""
import math
from typing import Callable, Optional, Sequence, Tuple

from ..base.exact_trigonometry import arctangent, cosine_sine
from ..base.number_text import numbers_in
from ..facts.simulator_values import SDF_TRUE
from ..urdf.spatial import compose, inverse, matrix_from_quaternion, rpy_from_matrix
from .pose import Pose, Transform, vector_of
from .records import Camera, Lidar, Sensor
from .xml_tree import exact, exact_numbers, Node, node, parse, put, raw, render

CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
SCAN = ("samples", "min_angle", "max_angle")


def numbers_at(top: Node, path: str, count: int = 1) -> Optional[Tuple[float, ...]]:
    """Return the numbers in the text of the element at a path below another, or None."""
    found: Optional[Node] = top
    for tag in path.split("/"):
        found = found.find(tag) if found is not None else None
    return numbers_in(found.text, count) if found is not None else None


def read_sensor(top: Node, xml: str, owner: str = "", pose_of: Callable[[str], Optional[Transform]] = lambda _: None
                 ) -> Optional[Sensor]:
    """Return a `<sensor>` with its pose in its owner; None when that is told in a frame that nobody knows."""
    pose = top.find("pose")
    origin = _pose_in(pose, owner, pose_of) if pose is not None else Pose()
    if origin is None:
        return None
    if pose is not None and set(pose.attributes) - {"frame"}:
        pose.attributes.clear()
        pose.children[:] = [exact_numbers((*origin.xyz, *origin.rpy))]
        xml = render(top).strip()
    rate = numbers_at(top, "update_rate")
    cameras = [child for child in top.children if isinstance(child, Node) and child.tag == "camera"]
    camera = [numbers_at(top, path) for path in CAMERA if len(cameras) == 1]
    scan = [numbers_at(top, path) for path in _lidar_paths(top)]
    seen = [value[0] for value in camera if value]
    rays = [value[0] for value in scan if value]
    return Sensor(
        top.attributes.get("name", ""), top.attributes.get("type", ""), origin=origin, rate=rate[0] if rate else None,
        camera=Camera(seen[0], int(seen[1]), int(seen[2])) if len(seen) == 3 else None,
        lidar=Lidar(int(rays[0]), *rays[1:]) if len(rays) == 5 else None, xml=xml)


def _pose_in(pose: Node, owner: str, pose_of: Callable[[str], Optional[Transform]]) -> Optional[Pose]:
    """Return a `<pose>` of SDF in the frame of its owner with all joints at zero; None when it is not understood.

    http://sdformat.org/spec?ver=1.9&elem=sensor: `degrees`, `rotation_format` and `relative_to` (a link, joint or
    `__model__`); `frame`, of versions before, is not followed.
    """
    says = pose.attributes
    if says.get("frame") or set(says) - {"frame", "degrees", "rotation_format", "relative_to"}:
        return None
    if says.get("rotation_format", "euler_rpy") == "quat_xyzw":
        values = numbers_in(pose.text, 7)
        found = Pose(vector_of(values[:3]), rpy_from_matrix(matrix_from_quaternion(values[3:]))) if (
            values and any(values[3:])) else None
    else:
        values = numbers_in(pose.text or "0 0 0 0 0 0", 6)
        unit = math.radians(1.0) if says.get("degrees", "").lower() in SDF_TRUE else 1.0
        found = Pose(vector_of(values[:3]), vector_of([unit * value for value in values[3:]])) if values else None
    base = says.get("relative_to") or owner
    if found is None or base == owner:
        return found
    T_root_base, T_root_owner = pose_of(base), pose_of(owner)
    if T_root_base is None or T_root_owner is None:
        return None
    return Pose.from_transform(compose(compose(inverse(T_root_owner), T_root_base), found.transform))


def _lidar_paths(top: Node) -> Sequence[str]:
    tag = "lidar" if top.find("lidar") is not None or top.find("ray") is None else "ray"
    return (*(f"{tag}/scan/horizontal/{name}" for name in SCAN), f"{tag}/range/min", f"{tag}/range/max")


def sensor_node(sensor: Sensor, pose: Optional[Pose] = None) -> Node:
    """Return the `<sensor>` of SDF, which gz reads inside a URDF too; `pose` replaces its own."""
    top = parse(sensor.xml) if sensor.xml else node("sensor")
    wanted = sensor if pose is None else sensor._replace(origin=pose)
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
