"""A URDF read into the model."""
import os
from typing import List, Optional, Union

from ...model.records import Joint, Link, Robot
from ...model.shapes import (Collision, geometry_of, Inertia, Inertial, Material, own_material, Pose, read_material,
                             vector_of, Visual)
from ...model.simulation import read_simulation
from ...model.xml_tree import COLLISION, JOINT, LINK, MATERIAL, ROBOT, source_of, unknown_in, VISUAL
from ...urdf.lossless_xml import Element, parse_document
from ...urdf.model import Joint as ReadJoint, Link as ReadLink, Robot as ReadRobot
from ...urdf.reader import read_robot
from ...urdf.spatial import matrix_from_quaternion, rpy_from_matrix, transpose, rotate_inertia, ZERO
from ...urdf.xacro import read_expanded


def read_urdf(source: Union[str, "os.PathLike[str]"]) -> Robot:
    """Return the model of a URDF, given as a path or as text that begins with `<`.

    Raises:
        UrdfError: it cannot be read.
    """
    text = os.fspath(source)
    if text.lstrip("\ufeff \t\r\n").startswith("<"):
        return model_of(read_robot(parse_document(text.encode("utf-8"), "")))
    return model_of(read_robot(parse_document(read_expanded(text), text)))


def model_of(robot: ReadRobot) -> Robot:
    """Return the model of a parsed robot; it holds everything but comments and the order of tags."""
    root = robot.document.root
    materials: List[Material] = []
    extensions = list(unknown_in(root, ROBOT, ("link", "joint", "material", "gazebo", "transmission")))
    for element in root.elements("material"):
        materials.append(read_material(element))
        rest = unknown_in(element, MATERIAL)
        extensions += [f'<material name="{element.get("name") or ""}">{"".join(rest)}</material>'] if rest else []
    links, joints = tuple(map(_link, robot.links.values())), tuple(map(_joint, robot.joints))
    model = Robot(robot.name, links, joints, tuple(materials), extensions=tuple(extensions))
    is_simulated = any(element.name in ("gazebo", "transmission", "ros2_control") for element in root.elements())
    return read_simulation(root, model) if is_simulated else model


def _origin(owner: Element) -> Pose:
    """Return an origin as it is written; the reader has refused malformed numbers."""
    origin = owner.find("origin")
    if origin is None:
        return Pose()
    xyz, quaternion, rpy = (_numbers(origin, key) for key in ("xyz", "quat_xyzw", "rpy"))
    position = vector_of(xyz) if xyz else ZERO
    if quaternion:
        return Pose(position, rpy_from_matrix(matrix_from_quaternion(quaternion)))
    return Pose(position, vector_of(rpy[:3]) if rpy else ZERO)


def _numbers(element: Element, attribute: str) -> List[float]:
    """Return the numbers of an attribute, an empty list without it; commas separate them as blanks do."""
    text = element.get(attribute)
    return list(map(float, text.replace(",", " ").split())) if text else []


def _link(link: ReadLink) -> Link:
    visuals, collisions, odd = [], [], []  # type: List[Visual], List[Collision], List[str]
    for shape in link.shapes:
        geometry, material = geometry_of(shape), own_material(shape)
        if geometry is None:
            odd.append(source_of(shape.source).strip())
        elif shape.kind == "visual":
            visuals.append(Visual(geometry, _origin(shape.source),
                                  material, shape.name,
                                  extensions=unknown_in(shape.source, VISUAL)))
        else:
            collisions.append(Collision(geometry, _origin(shape.source), shape.name,
                                        extensions=unknown_in(shape.source, COLLISION)))
    return Link(link.name, _inertial(link), tuple(visuals), tuple(collisions),
                extensions=(*unknown_in(link.source, LINK, ("visual", "collision")), *odd))


def _inertial(link: ReadLink) -> Optional[Inertial]:
    """Return the inertial as it is written: the tensor digit for digit, in the axes of the inertial's origin."""
    if link.inertial is None:
        return None
    origin, properties = _origin(link.inertial.source), link.inertial.properties
    inertia = link.inertial.source.find("inertia")
    six = [_numbers(inertia, key) for key in Inertia._fields] if inertia is not None else [[]] * 6
    written = Inertia(*(values[0] if values else 0.0 for values in six))
    if rotate_inertia(origin.matrix, written.matrix) != properties.inertia:  # repaired, or turned by a quaternion
        written = Inertia.from_matrix(rotate_inertia(transpose(origin.matrix), properties.inertia))
    return Inertial(properties.mass, written, origin)


def _joint(joint: ReadJoint) -> Joint:
    known = JOINT if joint.mimic is not None else {**JOINT, "mimic": {}}
    return Joint(name=joint.name, type=joint.type, parent=joint.parent, child=joint.child, origin=_origin(joint.source),
                 axis=joint.axis, limit=joint.limit, dynamics=joint.dynamics, mimic=joint.mimic, safety=joint.safety,
                 calibration=joint.calibration, extensions=unknown_in(joint.source, known))
