"""The reader of a robot from a document, which reports all errors of the robot."""

from __future__ import annotations

import re
import sys
from typing import cast, Dict, List, Optional, Tuple, Type, TypeVar

from ..base.type_aliases import Pair, Reals
from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenRobot, did_you_mean
from ..base.run_diagnostics import (
    ASSUMED_VALUE,
    LOOP_CUT,
    MIMIC,
    MISSING_INERTIA,
    NO_GEOMETRY,
    NO_LIMIT,
    REPAIRED,
    UNREADABLE_GEOMETRY,
    XACRO_TEXT,
    XML_DECLARATION,
)
from ..base.number_text import count_of, LARGEST, NUMBER, numbers_in, read_numbers, shown_names
from .lossless_xml import Document, Element, XACRO_SIGNS
from .urdf_records import (
    Calibration,
    Dynamics,
    AttributeEdit,
    first_that_moves,
    INERTIA_KEYS,
    UrdfInertial,
    UrdfJoint,
    JOINT_TYPES,
    Limit,
    UrdfLink,
    Mimic,
    MOVABLE,
    POSITIONS,
    UrdfRobot,
    Safety,
    UrdfShape,
    SIZES,
    WITH_AXIS,
)
from .spatial_math import (
    MassProperties,
    Matrix,
    matrix_from_quaternion,
    matrix_from_rpy,
    ZERO_INERTIA,
    Transform,
    rpy_from_matrix,
    rotate_inertia,
    unit,
    UNIT_AXES,
    Vector,
    ZERO,
)
from .tree_check import check_mimics, check_tree, cut_joints, find_closing_joints, ReadingFindings

XACRO = r"\$[({]"
INFINITE = r"(?i)([+-]?)inf(?:inity)?"
# Larger numbers leave too few of their 16 digits for a proof to 1e-9: lengths [m], and bounds and efforts of joints.
PROVABLE = {
    **{key: 100.0 for sizes in SIZES.values() for key, _ in sizes},
    "xyz": 100.0,
    "lower": 1e8,
    "upper": 1e8,
    "effort": 1e9,
    "velocity": 1e9,
}
PartOfJoint = TypeVar("PartOfJoint", Limit, Dynamics, Safety, Calibration)


def read_robot(document: Document, largest: float = LARGEST, *, lenient: bool = False) -> UrdfRobot:
    """Read the robot from a document; numbers beyond `largest` are refused.

    With `lenient`, faults that the common parsers accept are read, with a warning and a repair.

    Raises:
        BrokenRobot, ErrorGroup: with all problems that a single reading can find.
    """
    findings = ReadingFindings(document.path, largest, lenient=lenient)
    root = document.root
    _require_robot(root, findings.path)
    late = document.late_declaration
    if late is not None:
        sentence = "comment" if late.is_behind_comment else "blanks"
        findings.warnings.append(Diagnostic(XML_DECLARATION, late.line, sentence))
    if document.may_hold(XACRO_SIGNS):
        _check_no_xacro(root, findings)
    links = _read_links(root, findings)
    joints = tuple(_read_joint(element, findings) for element in root.elements("joint"))
    for element in root.elements("drake:joint"):  # ball, screw, universal, planar
        findings.refuse(
            element,
            f"<drake:joint name='{element.get('name') or ''}' type='{element.get('type') or ''}'> "
            "is not read: only Drake knows such a joint",
        )
    closing = find_closing_joints(links, joints)
    if closing and lenient:
        findings.raise_problems()
        return _read_cut(document, closing, largest)
    cure = ""
    if closing:
        cure = "; --lenient cuts " + shown_names(f"'{joint.name}'" for joint in closing.values())
    top, tree = check_tree(links, joints, cure, findings)
    # Leaders are looked up only in a robot that is a tree.
    findings.raise_problems()
    check_mimics(joints, findings)
    return UrdfRobot(
        name=root.get("name") or "",
        document=document,
        links=links,
        joints=joints,
        root=top,
        tree=tree,
        warnings=tuple(findings.warnings),
        repairs=tuple(findings.repairs),
        named=first_that_moves((joint.name, joint) for joint in joints),
        above={joint.child: joint for joint in joints},
    )


def _require_robot(root: Element, path: str) -> None:
    """Refuse a file whose root element is not `<robot>`."""
    if root.name == "robot":
        return
    more = ""
    if root.name in ("mujoco", "sdf"):
        more = ", which the package urdf-simplify reads (pip install)"
    raise BrokenRobot(
        f"the root element is <{root.name}>, not <robot>: this is not a URDF{more}",
        path,
        root.line,
    )


def _read_cut(document: Document, closing: Dict[str, UrdfJoint], largest: float) -> UrdfRobot:
    """Read a robot whose loops are cut at joints, with a warning for each."""
    robot = read_robot(cut_joints(document, closing), largest, lenient=True)
    warnings = [
        Diagnostic(LOOP_CUT, joint.source.line, "joint", (joint.name, joint.child, name))
        for name, joint in closing.items()
    ]
    return robot._replace(warnings=(*robot.warnings, *warnings))


def _check_no_xacro(root: Element, findings: ReadingFindings) -> None:
    """Refuse xacro that was not expanded; in the text of a plugin, `$(find ...)` may be meant for its own reader."""
    places: List[Tuple[Element, str]] = []
    for top in root.elements():
        if not any(map(top.source().__contains__, XACRO_SIGNS)):
            continue
        matters = top.name in ("link", "joint", "material")
        for element in top.walk():
            if element.name.startswith("xacro:"):
                places.append((element, f"<{element.name}>"))
            values: List[str] = []
            if "$" in element.start_tag or not matters:
                values = [*element.attributes.values(), element.text()]
            value = next((value for value in values if re.search(XACRO, value)), None)
            if value is not None and matters:
                places.append((element, f"'{value.strip()}'"))
            elif value is not None:
                findings.warn(element, XACRO_TEXT, "text", element.name, value.strip())
    if places:
        element, what = places[0]
        more = f" (and in {count_of(len(places) - 1, 'more place')})" if len(places) > 1 else ""
        findings.refuse(
            element,
            f"{what} is xacro that was not expanded{more}: "
            f"run `xacro robot.urdf.xacro > robot.urdf` first, then give robot.urdf",
        )
        findings.raise_problems()


def _numbers(
    element: Element, attribute: str, count: int, findings: ReadingFindings
) -> Optional[Reals]:
    """Return the numbers of an attribute, or None if it is missing or refused."""
    text = element.get(attribute)
    if text is None:
        return None
    try:
        # As a bound, the largest float is no mistake: it means no limit.
        is_end = element.name == "limit" and attribute in ("lower", "upper")
        largest = sys.float_info.max if is_end else findings.largest
        values = read_numbers(text, count, largest)
    except ValueError as error:
        return _repaired_numbers(element, attribute, text, str(error), findings)
    if "," in text:
        understood = " ".join(text.replace(",", " ").split())
        findings.take_repaired(
            AttributeEdit(element, attribute, understood),
            REPAIRED,
            "commas",
            *_owner(element),
            attribute,
            text,
            understood,
        )
    return values


def _repaired_numbers(
    element: Element, attribute: str, text: str, problem: str, findings: ReadingFindings
) -> Optional[Reals]:
    """Read faulty numbers as the common parsers do, or refuse them."""
    words = text.split()
    sense = ""
    infinite = re.fullmatch(INFINITE, text.strip())
    if attribute == "rpy" and len(words) > 3 and all(re.fullmatch(NUMBER, word) for word in words):
        words = words[:3]
        sense = "the first three numbers"
    elif infinite and element.name == "limit" and attribute in ("lower", "upper"):
        largest = -sys.float_info.max if infinite.group(1) == "-" else sys.float_info.max
        words = [repr(largest)]
        sense = "no limit"
    if not (sense and findings.lenient):
        advice = f"; --lenient takes {sense}" if sense else ""
        findings.refuse(
            element, f"{_place(element)}<{element.name} {attribute}>: {problem}{advice}"
        )
        return None
    findings.take_repaired(
        AttributeEdit(element, attribute, " ".join(words)),
        ASSUMED_VALUE,
        "numbers",
        *_owner(element),
        attribute,
        text,
        sense,
    )
    return tuple(map(float, words))


def _vector(element: Element, attribute: str, default: Vector, findings: ReadingFindings) -> Vector:
    """Return three numbers of an attribute, or a default if it is missing or refused."""
    values = _numbers(element, attribute, 3, findings)
    # Unchanged, so that equal vectors are a single object in memory.
    return cast(Vector, values) if values else default


def _number(element: Element, attribute: str, default: float, findings: ReadingFindings) -> float:
    """Return the number of an attribute, or a default if it is missing or refused."""
    values = _numbers(element, attribute, 1, findings)
    return values[0] if values else default


def _owner(element: Element) -> Pair:
    """Return name and tag of the joint, link or material that contains an element."""
    while element.parent is not None and element.parent.name != "robot":
        element = element.parent
    return element.get("name") or "", element.name


def _place(element: Element) -> str:
    """Return the words for the joint, link or material that contains an element, for a message."""
    name, tag = _owner(element)
    return f"{tag} '{name}': "


def _read_origin(owner: Element, findings: ReadingFindings) -> Tuple[Transform, Vector]:
    """Return the pose of the `<origin>` of an element and its rpy [rad]; the identity without one."""
    origin = owner.find("origin")
    if origin is None:
        return Transform(UNIT_AXES, ZERO), ZERO
    xyz = _vector(origin, "xyz", ZERO, findings)
    quaternion = _numbers(origin, "quat_xyzw", 4, findings)  # URDF 1.1
    if quaternion is None:
        rpy = _vector(origin, "rpy", ZERO, findings)
        return Transform(matrix_from_rpy(rpy), xyz), rpy
    if origin.get("rpy") is not None:
        findings.refuse(
            origin, f"{_place(origin)}<origin> has rpy and quat_xyzw: remove one of them"
        )
    if not any(quaternion):
        findings.refuse(origin, f"{_place(origin)}<origin quat_xyzw> is zero")
        return Transform(UNIT_AXES, xyz), ZERO
    rotation = matrix_from_quaternion(quaternion)
    return Transform(rotation, xyz), rpy_from_matrix(rotation)


def _read_links(root: Element, findings: ReadingFindings) -> Dict[str, UrdfLink]:
    """Return the links by name, in file order."""
    links: Dict[str, UrdfLink] = {}
    for element in root.elements("link"):
        name = element.get("name")
        if not name:
            findings.refuse(element, "this <link> has no name")
            continue
        if name in links:
            findings.refuse(
                element, f"link '{name}' is defined twice, first in line {links[name].source.line}"
            )
            continue
        shapes = []
        for child in element.elements():
            if child.name in ("visual", "collision"):
                shapes.append(_read_shape(child, findings))
                _check_geometry(name, shapes[-1], findings)
        links[name] = UrdfLink(name, element, _read_inertial(element, findings), tuple(shapes))
    if not links and not findings.problems:
        findings.refuse(root, "the robot has no links")
    return links


def _check_geometry(link: str, shape: UrdfShape, findings: ReadingFindings) -> None:
    """Warn of a shape without geometry, with an unknown kind of geometry, or with unreadable numbers."""
    drawn = shape.drawn
    if drawn is None:
        findings.warn(shape.source, NO_GEOMETRY, "shape", link, shape.kind)
    elif drawn.name not in SIZES or not all(
        _if_readable(drawn, key, count)
        for key, count in SIZES[drawn.name]
        if key != "scale" or drawn.get(key) is not None
    ):
        findings.warn(drawn, UNREADABLE_GEOMETRY, "shape", link, drawn.name, shape.kind)


def _read_shape(element: Element, findings: ReadingFindings) -> UrdfShape:
    """Return a `<visual>` or `<collision>`."""
    geometry = element.find("geometry")
    pose = _read_origin(element, findings)[0]
    inside = geometry.elements() if geometry is not None else []
    # urdfdom reads only the first element in <geometry>.
    drawn = inside[0] if inside else None
    return UrdfShape(
        source=element,
        kind=element.name,
        name=element.get("name") or "",
        pose=pose,
        drawn=drawn,
    )


def _if_readable(element: Element, attribute: str, count: int) -> Optional[Reals]:
    """Return the numbers of an attribute that this tool never writes, or None.

    An unreadable value in such an attribute is no reason to refuse a robot: it stays in the file unchanged.
    """
    return numbers_in(element.get(attribute) or "", count)


def _read_inertial(link: Element, findings: ReadingFindings) -> Optional[UrdfInertial]:
    """Return the `<inertial>` of a link in the axes of the link, or None."""
    element = link.find("inertial")
    name = link.get("name") or ""
    if element is None:
        return None
    # A fault with a single likely meaning is accepted only with --lenient.
    for other in link.elements("inertial")[1:]:
        if not findings.lenient:
            findings.refuse(
                other, f"link '{name}' has more than one <inertial>; --lenient takes the first"
            )
            break
        findings.take_repaired(AttributeEdit(other, "", None), ASSUMED_VALUE, "inertials", name)
    mass = element.find("mass")
    inertia = element.find("inertia")
    if mass is None or mass.get("value") is None:
        if not findings.lenient:
            findings.refuse(
                mass or element,
                f"link '{name}': <inertial> has no <mass value>; --lenient takes it as zero",
            )
            return None
        repair = (
            AttributeEdit(mass, "value", "0")
            if mass
            else AttributeEdit(element, "value", "0", "mass")
        )
        findings.take_repaired(repair, ASSUMED_VALUE, "mass", name)
    value = _number(mass, "value", 0.0, findings) if mass is not None else 0.0
    if mass is not None and value < 0.0:
        findings.refuse(mass, f"link '{name}': the mass is negative ({mass.get('value')})")
    pose, rpy = _read_origin(element, findings)
    tensor = ZERO_INERTIA
    if inertia is None:
        findings.warn(element, MISSING_INERTIA, "tensor", name)
    else:
        tensor = _read_tensor(inertia, findings)
    # The tensor is written in the axes of its <origin>, and converted to the axes of the link.
    in_link = rotate_inertia(pose.rotation, tensor)
    return UrdfInertial(element, MassProperties(value, pose.translation, in_link), rpy)


def _read_tensor(inertia: Element, findings: ReadingFindings) -> Matrix:
    """Return the tensor of an `<inertia>`; missing entries are 0, with a warning for moments."""
    missing = [key for key in ("ixx", "iyy", "izz") if inertia.get(key) is None]
    if missing:
        findings.warn(inertia, MISSING_INERTIA, "entries", *_owner(inertia), ", ".join(missing))
    xx, xy, xz, yy, yz, zz = (_number(inertia, key, 0.0, findings) for key in INERTIA_KEYS)
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def _read_joint(element: Element, findings: ReadingFindings) -> UrdfJoint:
    """Return a `<joint>`; faults are collected, so that one reading finds all of them."""
    name = element.get("name") or ""
    kind = element.get("type")
    if not name:
        findings.refuse(element, "this <joint> has no name")
    if kind not in JOINT_TYPES:
        suggestion = did_you_mean((kind or "").lower(), JOINT_TYPES)
        fault = f"has the unknown type '{kind}'{suggestion}" if kind is not None else "has no type"
        findings.refuse(element, f"joint '{name}' {fault}")
    # Errors give "", so that reading continues and reports all problems of the file.
    ends = {}
    for end in ("parent", "child"):
        end_element = element.find(end)
        link = end_element.get("link") if end_element is not None else None
        ends[end] = link or ""
        if not link:
            faulty_element = end_element if end_element is not None else element
            findings.refuse(faulty_element, f"joint '{name}' names no {end} link")
    origin, rpy = _read_origin(element, findings)
    # onshape-to-robot gives fixed joints the axis 0 0 0.
    axis = _read_axis(element, findings) if kind in WITH_AXIS else UNIT_AXES[0]
    limit = _read_part(element, "limit", Limit, findings)
    safety = _read_part(element, "safety_controller", Safety, findings)
    calibration = _read_part(element, "calibration", Calibration, findings)
    if kind in ("revolute", "prismatic") and limit is None:
        findings.warn(element, NO_LIMIT, "joint", name, kind)
    mimic = _read_mimic(element, name, findings) if kind in MOVABLE else None
    return UrdfJoint(
        name=name,
        source=element,
        type=str(kind),
        parent=ends["parent"],
        child=ends["child"],
        origin=origin,
        rpy=rpy,
        axis=axis,
        limit=limit,
        safety=safety,
        calibration=calibration,
        mimic=mimic,
        dynamics=_read_part(element, "dynamics", Dynamics, findings),
    )


def _read_part(
    joint: Element, name: str, record: Type[PartOfJoint], findings: ReadingFindings
) -> Optional[PartOfJoint]:
    """Return a part of a joint; its positions change with the sign of the joint, so they must be numbers."""
    element = joint.find(name)
    if element is None:
        return None
    values: List[Optional[float]] = []
    for key in record._fields:
        if (name, key) in POSITIONS:
            numbers = _numbers(element, key, 1, findings)
        else:
            numbers = _if_readable(element, key, 1)
        values.append(numbers[0] if numbers else None)
    return record(*values)


def _read_axis(element: Element, findings: ReadingFindings) -> Vector:
    """Return the unit axis of a joint with an axis; URDF's default is x."""
    part = element.find("axis")
    axis = _vector(part, "xyz", UNIT_AXES[0], findings) if part is not None else UNIT_AXES[0]
    if part is not None and axis == ZERO:
        findings.refuse(
            part,
            f"joint '{element.get('name')}': the axis of a {element.get('type')} joint is zero",
        )
        return UNIT_AXES[0]
    return axis if axis in UNIT_AXES else unit(axis)


def _read_mimic(element: Element, name: str, findings: ReadingFindings) -> Optional[Mimic]:
    """Return the `<mimic>` of a joint, or None if it is missing or names no leader."""
    part = element.find("mimic")
    if part is None:
        return None
    leader = part.get("joint")
    if not leader:
        findings.warn(part, MIMIC, "nameless", name)
        return None
    return Mimic(
        leader, _number(part, "multiplier", 1.0, findings), _number(part, "offset", 0.0, findings)
    )


def refuse_extremes(document: Document) -> None:
    """Refuse the first number that is too large for a proof; called when a proof has failed.

    Raises:
        BrokenRobot: a number is too large.
    """
    for element in document.root.walk():
        for key, most in PROVABLE.items():
            text = element.get(key) or ""
            numbers = numbers_in(text, len(text.split()), sys.float_info.max) or (0.0,)
            if max(map(abs, numbers)) > most:
                raise BrokenRobot(
                    f"{_place(element)}<{element.name} {key}>: '{text}' is too large for a proof to 1e-9",
                    document.path,
                    element.line,
                )
