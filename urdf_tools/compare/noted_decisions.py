"""Apply to the other file the exact decisions that a run noted, in its report or in the note of its result.

So the result is compared with the robot that the run states. A line counts only if the input has the element and the
value that it names. A loss is not applied: it stays a difference, and the note only adds the name of the run.
"""

from __future__ import annotations

from contextlib import suppress
from itertools import chain
from math import isclose
from typing import Any, Callable, Dict, Iterable, List, Mapping, Sequence, Tuple, TypeVar

from ..base.type_aliases import Pair
from ..robot.canonical_robot import canonical, drawn_places
from ..robot.change_whole_robot import without_links
from ..robot.joint_motion import held_at
from ..robot.raw_robot import (
    RawFrame,
    RawJoint,
    RawLoop,
    RawMass,
    RawRobot,
    RawLink,
    RawSensor,
    RawShape,
    SLIDING,
    TURNING,
    UnreadElement,
)
from ..urdf.urdf_notes import Decision, from_note, LOST, UNNOTED
from ..urdf.spatial_math import (
    angle_between,
    compose,
    cross,
    dot,
    IDENTITY,
    inverse,
    Matrix,
    multiply,
    norm,
    rotate,
    rotation_about,
    rotation_angle,
    scale,
    subtract,
    Transform,
    transpose,
    unit,
    why_not_physical,
    ZERO,
)
from .difference_records import Difference, Differences, Shown
from .rounded_angles import as_meant

PRINTED = 1e-5  # m and rad: exports with six digits do not resolve less
MOST_ROUNDED = 0.1  # rad: the largest tolerance that --snap accepts
EXACT = 1e-9  # rad: the noise of the angles in a result, which have 12 digits
# The kinds of lines with directions.
AXIS = "axis"
TURN = "turn"
BASE = "base"  # changes nothing: the map has the pose of the base


def read_decision(text: str) -> Decision:
    """Return the decision of a line of the note, as `decision_text` writes it.

    Raises:
        ValueError: the text is not a decision.
    """
    head, _, numbers = text.strip().rstrip(")").partition(" (")
    kind, name, *words = [
        # A word of a note contains no blank: `~` stands for it, and `""` for an empty word.
        "" if word == '""' else from_note(word.replace("~", "%20"))
        for word in head.split()
    ]
    # A decision for a single format begins with the format, as `mjcf:joint`.
    made, _, kind = kind.rpartition(":")
    return Decision(
        kind=kind,
        name=name,
        words=tuple(words),
        numbers=tuple(map(float, numbers.split())),
        format=made,
    )


def as_decided(
    robot: RawRobot, result: RawRobot, texts: Iterable[str]
) -> Tuple[RawRobot, Differences]:
    """Return the robot of an input after the decisions of its run, and a note for each decision.

    A line that is not a decision, or names an element or value that the input lacks, is skipped.
    """
    notes: List[Difference] = []
    # The lines of a run give directions in the root frame of its own input, which earlier runs may have turned.
    R_root_line = IDENTITY
    for text in texts:
        # Each of these errors means that the input does not match the line, or that the line is not a decision.
        with suppress(IndexError, KeyError, StopIteration, ValueError):
            decision = _in_root_frame(read_decision(text), R_root_line)
            if decision.kind == BASE:
                R_root_line = _rotation(decision.numbers)
                continue
            # A line is applied as a whole, or not at all.
            changed = robot
            notes_of_line = []
            for act in _of_each_link(decision):
                _require_still_true(act, result)
                changed, before, now, line = ACTS[act.kind](changed, act)
                notes_of_line.append(_note_on(act, before, now, line))
            if decision.kind == TURN and decision.name not in {
                joint.child for joint in robot.joints
            }:
                R_root_line = IDENTITY  # the root of the robot has turned, too
            robot = changed
            notes += notes_of_line
    return robot, tuple(notes)


def _in_root_frame(decision: Decision, R_root_line: Matrix) -> Decision:
    """Return a decision with its directions in the root frame of the robot; those of the line are in another frame."""
    if decision.kind == AXIS:
        angle, *axis = decision.numbers
        x, y, z = axis
        return decision._replace(numbers=(angle, *rotate(R_root_line, (x, y, z))))
    if decision.kind in (TURN, BASE):
        R_root_frame = multiply(R_root_line, _rotation(decision.numbers))
        return decision._replace(numbers=(*chain.from_iterable(R_root_frame),))
    return decision


def _note_on(act: Decision, before: Shown, now: Shown, line: int) -> Difference:
    """Return the note on an act, with the value that it replaced in the input, and the line of its element there."""
    return Difference(
        kind=f"decided_{act.kind}",
        where=act.name,
        a=before,
        b=now,
        names=(act.name, *act.words),
        numbers=act.numbers,
        line_a=line,
    )


def _of_each_link(decision: Decision) -> List[Decision]:
    """Split a line about a file into a decision for each link; other lines stay whole."""
    if decision.kind != "shape":
        return [decision]
    role, *links = decision.words
    return [decision._replace(name=link, words=(role, decision.name)) for link in links]


def _require_still_true(act: Decision, result: RawRobot) -> None:
    """End an act that a different export noted, or that a later run undid: a twin may have the dropped names."""
    require(act.format in ("", result.format))
    if act.kind == "drop":
        require({link.name for link in result.links}.isdisjoint(act.words))


def losses_in(texts: Iterable[str]) -> Dict[Pair, str]:
    """Return the losses and changes that runs noted in their results: by the label of a difference and the name of its
    subject, the format of the export that noted it, "" for a run.
    """
    losses: Dict[Pair, str] = {}
    for text in texts:
        with suppress(ValueError):
            decision = read_decision(text)
            if decision.kind == LOST:
                for label in decision.words:
                    losses.setdefault((label, decision.name), decision.format)
    return losses


Part = TypeVar("Part")
# The result of an act: the robot after it, the old and the new value, and the line of the element in the input. An act
# raises an error of `as_decided` if the input does not have the old value.
Made = Tuple[RawRobot, Shown, Shown, int]


def require(holds: bool) -> None:
    """End an act whose value the input does not have."""
    if not holds:
        raise ValueError("the input has another value")


def _find(parts: Iterable[Part], **fields: object) -> Part:
    """Return the first part with these values of its fields.

    Raises:
        StopIteration: no part has them.
    """
    return next(
        part
        for part in parts
        if all(getattr(part, field) == value for field, value in fields.items())
    )


def _changed(
    robot: RawRobot, of: str, part: Any, values: Tuple[Shown, Shown], **fields: object
) -> Made:
    """Return the robot after an act on a part with some new fields; the values are the old and the new value."""
    changed = part._replace(**fields)
    parts: Any = {of: tuple(changed if each is part else each for each in getattr(robot, of))}
    return robot._replace(**parts), *values, part.line


def _without_shapes(robot: RawRobot, act: Decision) -> Made:
    """Remove shapes of a link, each by its number, from 1, among the shapes of its role and mesh file."""
    roles, file = act.words
    # Runs remove meshes by the names of their files alone, and number 0 would be index -1, which Python takes as the
    # last shape.
    require(bool(file) and bool(act.numbers) and min(act.numbers) >= 1.0)
    link = _find(robot.links, name=act.name)
    gone = {}
    for role in roles.split("+"):
        alike = [shape for shape in link.shapes if (shape.role, shape.file) == (role, file)]
        # By identity, since two shapes of a link may be equal in every field.
        gone.update({id(alike[int(number) - 1]): alike[int(number) - 1] for number in act.numbers})
    return _with_fewer_shapes(robot, link, gone, file)


def _without_copies(robot: RawRobot, act: Decision) -> Made:
    """Remove shapes of a link that its body has twice, each by its number among the shapes of its role."""
    (role,) = act.words
    require(bool(act.numbers) and min(act.numbers) >= 1.0)
    link = _find(robot.links, name=act.name)
    whole = canonical(robot)
    body = whole.bodies[whole.body_of[act.name]]
    placed = [
        (shape, compose(part.T_root_link, shape.T_link_shape))
        for part in body.parts
        for shape in part.link.shapes
    ]
    of_role = [shape for shape in link.shapes if shape.role == role]
    gone = {id(shape): shape for shape in (of_role[int(number) - 1] for number in act.numbers)}
    staying = [(shape, T) for shape, T in placed if id(shape) not in gone]
    for shape, T in placed:
        if id(shape) in gone:
            # Compare by content: removing a shape with a different place or look would lose it.
            require(any(_is_copy(shape, other) and _coincide(T, U) for other, U in staying))
    return _with_fewer_shapes(robot, link, gone, role)


def _with_fewer_shapes(
    robot: RawRobot, link: RawLink, gone: Mapping[int, RawShape], what: str
) -> Made:
    """Return a robot without some shapes of a link, given by identity, and without the unread words in them."""
    kept = tuple(shape for shape in link.shapes if id(shape) not in gone)

    def is_gone(item: UnreadElement) -> bool:
        """Return True for unread words in a removed shape, which is known by the line where it begins."""
        owner, shape, *_ = (*item.steps, "", "")
        role = shape.partition(" ")[0]
        before = [each for each in link.shapes if each.role == role and each.line <= item.line]
        if owner != f"link {link.name}" or not before:
            return False
        # Several shapes may begin in the same line.
        begins = max(each.line for each in before)
        return all(id(each) in gone for each in before if each.line == begins)

    unread = tuple(item for item in robot.unread if not is_gone(item))
    changed, before, now, _ = _changed(robot, "links", link, (what, None), shapes=kept)
    line = min(shape.line for shape in gone.values())
    return changed._replace(unread=unread), before, now, line


def _coincide(T: Transform, other: Transform) -> bool:
    """Return True if two poses of the drawn robot are equal to the precision of six printed digits."""
    apart = norm(subtract(T.translation, other.translation))
    return apart < PRINTED and rotation_angle(T.rotation, other.rotation) < PRINTED


def _is_copy(shape: RawShape, other: RawShape) -> bool:
    """Return True if two shapes are the same except for their names, lines and poses."""
    pose = shape.T_link_shape
    return shape == other._replace(name=shape.name, line=shape.line, T_link_shape=pose)


def _locked(robot: RawRobot, act: Decision) -> Made:
    """Fix a joint that moves at a position [rad or m]."""
    joint = _find(robot.joints, child=act.name)
    (position,) = act.numbers
    require(joint.type != "fixed" and act.words == (joint.name,))
    held = held_at(joint, position)
    joints = tuple(held if each is joint else each for each in robot.joints)
    # Gazebo lumps links by the fixed joints of the text: there are more now, so each link keeps its own values.
    locked = robot._replace(joints=joints).with_each(
        links=lambda link: link._replace(lumped_values=None)
    )
    # A fixed joint keeps its ends and its origin; unknown words inside it are dropped.
    inside = f"joint {joint.name}"
    rest = tuple(item for item in locked.unread if item.steps[0] != inside or len(item.steps) == 1)
    return locked._replace(unread=rest), joint.type, position, joint.line


def _dropped(robot: RawRobot, act: Decision) -> Made:
    """Remove links, which have the masses [kg] of the line, and the joints at them."""
    masses = {link.name: link.mass.mass if link.mass is not None else 0.0 for link in robot.links}
    require([masses[name] for name in act.words] == [*act.numbers])
    rest = without_links(robot, frozenset(act.words))
    # One joint fewer than links, as in a tree: whole branches were dropped, and no link between.
    require(len(rest.joints) == len(rest.links) - 1)
    return rest, act.numbers, None, _find(robot.links, name=act.name).line


def _without_mass(robot: RawRobot, act: Decision) -> Made:
    """Return a robot without the mass [kg] of a link that was exported twice."""
    link = _find(robot.links, name=act.name)
    require(link.mass is not None and (link.mass.mass,) == act.numbers)
    return _changed(robot, "links", link, (act.numbers[0], None), mass=None)


def _repaired(robot: RawRobot, act: Decision) -> Made:
    """Give a part the value that a run wrote in place of a value that simulators refuse.

    A value that simulators accept is not a fault, so a note cannot excuse its replacement.
    """
    (part,) = act.words
    return REPAIRS[part](robot, act)


def _with_tensor(robot: RawRobot, act: Decision) -> Made:
    """Replace the tensor of a link by the one in the note; a tensor that a body can have ends the act."""
    link = _find(robot.links, name=act.name)
    # A link without `<inertial>` has no tensor to replace: zeros are possible.
    mass = link.mass or RawMass(0.0, ZERO, (0.0,) * 6)
    xx, xy, xz, yy, yz, zz = mass.tensor
    require(why_not_physical(mass.mass, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))) != "")
    xx, xy, xz, yy, yz, zz = act.numbers
    repaired = mass._replace(tensor=(xx, xy, xz, yy, yz, zz))
    return _changed(robot, "links", link, (mass.tensor, repaired.tensor), mass=repaired)


def _with_made_up_mass(robot: RawRobot, act: Decision) -> Made:
    """Give a mass, with its center and tensor, to a moving body without mass."""
    link = _find(robot.links, name=act.name)
    # Each joint has its own body, also two equal joints.
    whole = canonical(robot, joins_copies=False)
    number = whole.body_of[act.name]
    # Body 0 carries the root, which simulators fix to the world if it has no mass.
    require(number > 0 and not whole.bodies[number].is_heavy)
    mass, x, y, z, xx, xy, xz, yy, yz, zz = act.numbers
    # A body without mass would stay one, and could be given another tensor again and again.
    require(mass > 0.0)
    made = RawMass(mass, (x, y, z), (xx, xy, xz, yy, yz, zz))
    return _changed(robot, "links", link, (None, mass), mass=made)


def _with_limits_turned_round(robot: RawRobot, act: Decision) -> Made:
    """Swap the limits of a joint whose lower limit is above its upper limit."""
    joint = _find(robot.joints, child=act.name)
    lower, upper = act.numbers
    require(lower < upper and (joint.upper, joint.lower) == (lower, upper))
    values = ((upper, lower), (lower, upper))
    return _changed(robot, "joints", joint, values, lower=lower, upper=upper)


# The repairs of a run, by the word of the note.
REPAIRS: Mapping[str, Callable[[RawRobot, Decision], Made]] = {
    "tensor": _with_tensor,
    "point": _with_tensor,
    "mass": _with_made_up_mass,
    "limit": _with_limits_turned_round,
}


def _named_apart(robot: RawRobot, act: Decision) -> Made:
    """Give a joint a unique name: under the name of another joint it moved with that joint."""
    name, new = act.words
    joint = _find(robot.joints, child=act.name, name=name)
    return _changed(robot, "joints", joint, (name, new), name=new)


def _renamed_sensor(robot: RawRobot, act: Decision) -> Made:
    """Give a sensor of a kind another name."""
    kind, name = act.words
    sensor = _find(robot.sensors, name=act.name, kind=kind)
    return _changed(robot, "sensors", sensor, (sensor.name, name), name=name)


def _rounded_axis(robot: RawRobot, act: Decision) -> Made:
    """Turn the axis of a joint as rounding turned it; all that the joint carries stays."""
    joint = _find(robot.joints, child=act.name)
    angle, *direction = act.numbers
    x, y, z = direction
    require(act.words == (joint.name,) and joint.type in (*TURNING, *SLIDING, "planar"))
    require(isclose(norm((x, y, z)), 1.0, abs_tol=1e-9))
    R_child_root = transpose(drawn_places(robot)[act.name].rotation)
    rounded = rotate(R_child_root, (x, y, z))
    if dot(rounded, joint.axis) < 0.0:
        rounded = scale(-1.0, rounded)  # an earlier run flipped the joint
    # The line contains the angle, and rounding turns by at most `--snap`.
    turned = angle_between(joint.axis, rounded)
    require(0.0 < angle <= MOST_ROUNDED and abs(turned - angle) <= UNNOTED)
    # Turn by this angle and no more, so that an axis which was not the named one stays as far off.
    axis = rounded
    if abs(turned - angle) > EXACT:
        normal = unit(cross(joint.axis, rounded))
        axis = rotate(rotation_about(normal, angle), joint.axis)
    return _changed(robot, "joints", joint, (joint.axis, axis), axis=axis)


def _turned_frame(robot: RawRobot, act: Decision) -> Made:
    """Turn the frame of a link without mass and shapes; the content of the link stays in place."""
    name = act.name
    link = _find(robot.links, name=name)
    require(link.mass is None and not link.shapes)
    R_new_root = transpose(_rotation(act.numbers))
    R_root_old = drawn_places(robot)[name].rotation
    R_new_old = Transform(multiply(R_new_root, R_root_old), ZERO)

    # Each part of the link has new numbers in the turned frame.
    def held_joint(below: RawJoint) -> RawJoint:
        """Return a joint, which stays in place where it hangs on the turned frame."""
        if below.parent != name:
            return below
        return below._replace(T_parent_child=compose(R_new_old, below.T_parent_child))

    def held_frame(frame: RawFrame) -> RawFrame:
        """Return a named frame, which stays in place where it is on the link."""
        if frame.link != name:
            return frame
        return frame._replace(T_link_frame=compose(R_new_old, frame.T_link_frame))

    def held_sensor(sensor: RawSensor) -> RawSensor:
        """Return a sensor, which stays in place where it is on the link."""
        if sensor.link != name:
            return sensor
        return sensor._replace(T_link_sensor=compose(R_new_old, sensor.T_link_sensor))

    def held_loop(loop: RawLoop) -> RawLoop:
        """Return a loop, whose ends on the link stay in place."""
        first, second = (
            compose(R_new_old, T) if end == name else T
            for end, T in zip(loop.links, loop.T_link_end)
        )
        return loop._replace(T_link_end=(first, second))

    def turned_joint(joint: RawJoint) -> RawJoint:
        """Return a joint: the joint of the link turns with it, and its axis stays in place."""
        if joint.child != name:
            return held_joint(joint)
        return joint._replace(
            T_parent_child=compose(joint.T_parent_child, inverse(R_new_old)),
            axis=rotate(R_new_old.rotation, joint.axis),
            point=rotate(R_new_old.rotation, joint.point),
        )

    # The root has no joint: for the root, the whole robot is turned in its frame.
    result = robot.with_each(
        joints=turned_joint, frames=held_frame, sensors=held_sensor, loops=held_loop
    )
    return result, None, None, link.line


def _with_exact_angles(robot: RawRobot, act: Decision) -> Made:
    """Make all angles exact that were typed with few digits, such as 1.57; the numbers are the typed angles."""
    meant = as_meant(robot)
    typed = {float(constant.text): uses.line for constant, uses in meant.typed.items()}
    require(bool(typed) and typed.keys() == {*act.numbers} and act.name == robot.links[0].name)
    return meant.robot, None, None, min(typed.values(), default=0)


def _rotation(numbers: Sequence[float]) -> Matrix:
    """Return the rotation of a frame by its rows."""
    a, b, c, d, e, f, g, h, i = numbers
    return ((a, b, c), (d, e, f), (g, h, i))


# The acts that a note can name: each says with names and numbers all that it does, so that it can be done to the other
# file. `words.OF_DECISIONS` has a sentence for each, compare/README.md its words and numbers.
ACTS: Mapping[str, Callable[[RawRobot, Decision], Made]] = {
    "shape": _without_shapes,
    "copy": _without_copies,
    "lock": _locked,
    "drop": _dropped,
    "mass": _without_mass,
    "repair": _repaired,
    AXIS: _rounded_axis,
    TURN: _turned_frame,
    "angle": _with_exact_angles,
    "joint": _named_apart,
    "sensor_name": _renamed_sensor,
}
