"""The proof of sensors in an SDF text, and of what `<gazebo>` brought: where each sensor is, what the robot says of it,
and word for word what the file that was read said besides."""
from typing import Collection, Dict, List, Mapping, Tuple

from ...model.records import Robot, Sensor
from ...urdf.spatial import compose, matrix_from_rpy, IDENTITY_POSE, Pose as Transform
from ..read_back import compare_numbers, compare_poses, differs, Element, is_called, numbers_of, read_back

Words = List[Tuple[str, Tuple[Tuple[str, str], ...], str]]
CAMERA = ("camera/horizontal_fov", "camera/image/width", "camera/image/height")
RAYS = ("scan/horizontal/samples", "scan/horizontal/min_angle", "scan/horizontal/max_angle", "range/min", "range/max")


def compare_sensors(robot: Robot, links: Mapping[str, Element], joints: Mapping[str, Element],
                    places: Mapping[str, Tuple[str, Transform]], joint_names: Mapping[str, str]) -> None:
    """Compare the sensors of every link and joint with the robot's.

    Args:
        links, joints: of the text.
        places: by link of the robot, the link of the text that has it, and its pose there; a sensor on a link without
            one is left out, as is one in a joint that the text has not.
        joint_names: in the text, by child link.

    Raises:
        ProofFailed: one is missing, elsewhere, or another.
    """
    expected: Dict[Tuple[str, str], List[Tuple[Sensor, Transform]]] = {}
    for sensor in robot.sensors:
        if sensor.link in places:
            name, T = places[sensor.link]
            expected.setdefault(("link", name), []).append((sensor, compose(T, sensor.origin.transform)))
        for joint in robot.joints if not sensor.link else ():
            if joint.name == sensor.joint:
                expected.setdefault(("joint", joint_names[joint.child]), []).append((sensor, sensor.origin.transform))
    for kind, elements in (("link", links), ("joint", joints)):
        for name, element in elements.items():
            found, wanted = element.findall("sensor"), expected.get((kind, name), [])
            if len(found) != len(wanted):
                raise differs(f"{kind} '{name}', the number of sensors", len(found), len(wanted))
            for one, (sensor, T_expected) in zip(found, wanted):
                names = [other.name or other.type for other, _ in wanted]
                _compare_sensor(one, sensor, T_expected, names.count(sensor.name or sensor.type) > 1)


def _compare_sensor(found: Element, sensor: Sensor, T_expected: Transform, numbered: bool) -> None:
    where = f"sensor '{sensor.name}'"
    name = sensor.name or sensor.type
    if found.get("type") != sensor.type or found.get("name") != name and not (numbered and is_called(
            found.get("name"), name)):
        raise differs(where, (found.get("name"), found.get("type")), (sensor.name, sensor.type))
    pose = numbers_of(found.findtext("pose"))
    place = IDENTITY_POSE
    if pose:
        place = Transform(matrix_from_rpy((pose[3], pose[4], pose[5])), (pose[0], pose[1], pose[2]))
    compare_poses(where, place, T_expected)
    tag = "lidar" if found.find("lidar") is not None or found.find("ray") is None else "ray"
    values = {"update_rate": sensor.rate, **dict(zip(CAMERA, sensor.camera or ())),
              **dict(zip((f"{tag}/{path}" for path in RAYS), sensor.lidar or ()))}
    for path, value in values.items():
        if value is not None:
            compare_numbers(f"{where}, {path}", numbers_of(found.findtext(path)), (value,))
    known = {"pose", *(path for path, value in values.items() if value is not None)}
    given = read_back(sensor.xml) if sensor.xml else Element("sensor", {})
    rest, said = _words(found, known), _words(given, known)
    if rest != said:
        raise differs(f"{where}, the rest", *next((one, other) for one, other in zip([*rest, None], [*said, None])
                                                  if one != other))


def _words(top: Element, known: Collection[str] = ()) -> Words:
    """Return path, attributes and text of all that is in an element but what is known, in order.

    An element that holds nothing but what is known says nothing of its own.
    """
    found: Words = []
    waiting = [(child.tag, child) for child in reversed(top.children)]
    while waiting:
        path, element = waiting.pop()
        if path in known:
            continue
        if element.attrib or not element.children:
            found.append((path, tuple(element.attrib.items()), element.text.strip()))
        waiting += [(f"{path}/{child.tag}", child) for child in reversed(element.children)]
    return found


def compare_gazebo(model: Element, robot: Robot) -> None:
    """Compare what is in the model beside its own links, joints and frames with each `<gazebo>` without a reference.

    Raises:
        ProofFailed: it is not that, word for word.
    """
    brought = [child for text in robot.extensions if text.startswith("<gazebo") for top in [read_back(text)]
               if "reference" not in top.attrib for child in top.children]
    own = model.children[: len(model.children) - len(brought)]
    for element in own:
        if element.tag not in ("link", "joint", "frame"):
            raise differs("the model", f"<{element.tag}>", "no such element")
    top, wanted = Element("model", {}), Element("model", {})
    top.children, wanted.children = model.children[len(own) :], brought
    if _words(top) != _words(wanted):
        raise differs("what <gazebo> brought", _words(top), _words(wanted))
