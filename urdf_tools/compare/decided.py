"""Apply to the input the changes that a run decided, from its report or the note in its result.

So the result is compared with the robot that the run states: a value that is not that of the decision,
on either side, and any other difference remain differences.
"""

from __future__ import annotations

from contextlib import suppress
from math import isclose
from typing import Any, Callable, Iterable, List, Mapping, Sequence, Tuple, TypeVar

from ..base.types import Reals
from ..base.files import read_file
from ..formats.reading import WORLD
from ..robot.canonical import canonical, link_places, without_links
from ..robot.motion import held_at
from ..robot.records import RawActuator, RawLink, RawMass, RawRobot
from ..urdf.notes import Decision, from_note
from ..urdf.spatial import (
    compose,
    inverse,
    Matrix,
    Pose,
    transpose,
    ZERO,
)
from .differences import Difference, Differences, Shown
from .joint_differences import actuators_text


def read_decision(text: str) -> Decision:
    """Return the decision of a line of the note, as `decision_text` writes it.

    Raises:
        ValueError: it is none.
    """
    head, _, numbers = text.strip().rstrip(")").partition(" (")
    kind, name, *words = [
        # A word of a note has no blank: `~` stands for it, and `""` for an empty word.
        "" if word == '""' else from_note(word.replace("~", "%20"))
        for word in head.split()
    ]
    # The kinds that only one format needs begin with it, as `mjcf:joint`.
    made, _, kind = kind.rpartition(":")
    return Decision(kind, name, tuple(words), tuple(map(float, numbers.split())), made)


def as_decided(
    robot: RawRobot, result: RawRobot, texts: Iterable[str]
) -> Tuple[RawRobot, RawRobot, Differences]:
    """Return the robots of an input after the decisions of its run, and of the result, and a note for each decision.

    Collisions that were replaced are left out of both robots. A line whose element or
    value is not in the input explains nothing and is left out.
    """
    lines: List[Difference] = []
    given = robot
    for text in texts:
        # Each of these means that the input or result is not as the line says: no such element or
        # value.
        with suppress(IndexError, KeyError, StopIteration, TypeError, ValueError):
            first, second, several = robot, result, []  # a line counts as a whole, or not at all
            for decision in _of_each_link(read_decision(text)):
                require(decision.format in ("", result.format))
                # A later run may have made links of these names, such as a twin.
                require(
                    decision.kind != "drop"
                    or {link.name for link in result.links}.isdisjoint(decision.words)
                )
                if decision.kind == "loop" and decision.words[0] == "none":  # that the input lacks
                    _, kind = decision.words
                    opened = decision._replace(words=(kind, "none"))
                    # Undone in the result, so what it has and had change places.
                    second, b, a, line = _other_loop(second, opened)
                elif decision.kind in CARRIED_OUT:
                    first, a, b, line = CARRIED_OUT[decision.kind](first, decision)
                elif decision.kind == "held":
                    second, a, b, line = _let_float(second, first, decision)
                elif decision.kind == "frame":
                    second, a, b, line = _frame_of_root(second, decision)
                elif decision.kind == "actuator":
                    a, b, line = *decision.words, _find(first.joints, name=decision.name).line
                    require(actuators_text(first, decision.name) == a)
                    first = _driven_by(first, decision.name, decision.words[1])
                    # Both sides now have one actuator whose kind is this text: alike only if all
                    # values are.
                    second = _driven_by(
                        second, decision.name, actuators_text(second, decision.name)
                    )
                else:
                    require(decision.kind == "collision")
                    # The collisions of the input as it was given, whatever the decisions before
                    # this one removed.
                    links, ends = decision.words[2:], tuple(zip(decision.words, decision.numbers))
                    require(
                        ends
                        == (collisions_of(given, links), collisions_of(second, (decision.name,)))
                    )
                    first, second = (
                        _without_collisions(first, links),
                        _without_collisions(second, (decision.name,)),
                    )
                    a, b, line = (
                        decision.numbers[0],
                        decision.numbers[1],
                        _find(given.links, name=decision.name).line,
                    )
                names = (decision.name, *decision.words)
                several.append(
                    Difference(
                        f"decided_{decision.kind}",
                        decision.name,
                        0.0,
                        "",
                        a,
                        b,
                        names,
                        decision.numbers,
                        line,
                    )
                )
            robot, result, lines = first, second, [*lines, *several]
    return robot, result, tuple(lines)


def _of_each_link(decision: Decision) -> List[Decision]:
    """Split a line about a file or an actuator into a decision for each link or joint; others stay as they are."""
    if decision.kind not in ("shape", "actuator"):
        return [decision]
    first, *parts = decision.words
    return [decision._replace(name=part, words=(first, decision.name)) for part in parts]


def _driven_by(robot: RawRobot, joint: str, text: str) -> RawRobot:
    """Return a robot whose joint is driven by what a text says, word for word."""
    others = (actuator for actuator in robot.actuators if actuator.joint != joint)
    return robot._replace(actuators=(*others, RawActuator("", text, joint)))


def collisions_of(
    robot: RawRobot, links: Sequence[str], read: Callable[[str], bytes] = read_file
) -> Tuple[str, float]:
    """Return a digest of the collisions of links, with their files, and how many they are.

    Raises:
        ValueError: a mesh is in the text of the robot, or in another layer of it.
    """
    import hashlib  # only collision needs it

    shapes = [
        shape
        for link in robot.links
        if link.name in links
        for shape in link.shapes
        if shape.role == "collision"
    ]
    require(not any(shape.inline for shape in shapes))

    digest = hashlib.sha256(
        repr(
            [
                (
                    shape.geometry,
                    shape.sizes,
                    *shape.T_link_shape,
                    shape.name,
                    shape.file,
                    sorted(shape.surface.items()),
                )
                for shape in shapes
            ]
        ).encode()
    )
    for shape in shapes:
        digest.update(read(shape.path) if shape.path else b"")
    return digest.hexdigest()[:16], float(len(shapes))


def _without_collisions(robot: RawRobot, links: Sequence[str]) -> RawRobot:
    def bare(link: RawLink) -> RawLink:
        shapes = tuple(shape for shape in link.shapes if shape.role != "collision")
        return link._replace(shapes=shapes) if link.name in links else link

    return robot.with_each(links=bare)


Part = TypeVar("Part")
Values = Mapping[str, Reals]
# The robot, what it had and has, and the line in the input.
Made = Tuple[RawRobot, Shown, Shown, int]


def require(holds: bool) -> None:
    """End a decision that the input does not bear out: it has no such value."""
    if not holds:
        raise ValueError("the input has another value")


def _find(parts: Iterable[Part], **fields: object) -> Part:
    return next(
        part
        for part in parts
        if all(getattr(part, field) == value for field, value in fields.items())
    )


def _with(robot: RawRobot, of: str, old: object, *new: object) -> RawRobot:
    """Return a robot whose field `of` has the parts `new` in the place of `old`."""
    parts: Any = {
        of: tuple(each for part in getattr(robot, of) for each in (new if part is old else (part,)))
    }
    return robot._replace(**parts)


def _changed(
    robot: RawRobot, of: str, part: Any, values: Tuple[Shown, Shown], **fields: object
) -> Made:
    """Return what a decision makes of a part with some new fields: the values are what it had and has."""
    return _with(robot, of, part, part._replace(**fields)), *values, part.line


def _without_shapes(robot: RawRobot, decision: Decision) -> Made:
    """Remove shapes, each by its number among those of its role and file in its link, from 1 on."""
    link, (roles, file), gone = _find(robot.links, name=decision.name), decision.words, {}
    # Number 0 would be index -1, which Python takes for the last shape.
    require(bool(decision.numbers) and min(decision.numbers) >= 1.0)
    for role in roles.split("+"):
        alike = [shape for shape in link.shapes if (shape.role, shape.file) == (role, file)]
        # By identity, since two shapes of a link may be equal in every field.
        gone.update(
            {id(alike[int(number) - 1]): alike[int(number) - 1].line for number in decision.numbers}
        )
    kept = tuple(shape for shape in link.shapes if id(shape) not in gone)
    return _with(robot, "links", link, link._replace(shapes=kept)), file, None, min(gone.values())


def _locked(robot: RawRobot, decision: Decision) -> Made:
    joint = _find(robot.joints, child=decision.name)
    require(joint.type != "fixed" and decision.words == (joint.name,))
    held = held_at(joint, decision.numbers[0])
    return _with(robot, "joints", joint, held), joint.type, decision.numbers[0], joint.line


def _dropped(robot: RawRobot, decision: Decision) -> Made:
    masses = {link.name: link.mass.mass if link.mass is not None else 0.0 for link in robot.links}
    require([masses[name] for name in decision.words] == [*decision.numbers])
    rest = without_links(robot, frozenset(decision.words))
    # One joint fewer than links, as in a tree: whole branches were dropped, no link from between.
    require(len(rest.joints) == len(rest.links) - 1)
    return rest, decision.numbers, None, _find(robot.links, name=decision.name).line


def _without_mass(robot: RawRobot, decision: Decision) -> Made:
    link = _find(robot.links, name=decision.name)
    require(link.mass is not None and (link.mass.mass,) == decision.numbers)
    return _changed(robot, "links", link, (decision.numbers[0], None), mass=None)


def _without_value(robot: RawRobot, decision: Decision) -> Made:
    """Remove an effort, a velocity or a value that a simulator would misread: zero, or less."""
    joint, key = _find(robot.joints, name=decision.name), decision.words[0]
    if key in ("effort", "velocity"):
        without: Any = {key: None}
        require((getattr(joint, key),) == decision.numbers)
    else:
        require(joint.values[key] == decision.numbers)
        without = {"values": {word: joint.values[word] for word in joint.values if word != key}}
    return _changed(robot, "joints", joint, (decision.numbers[0], None), **without)


def _without_limits(robot: RawRobot, decision: Decision) -> Made:
    """Take the limits of all joints of a name of which the lower is above the upper one."""
    low, high = decision.numbers
    crossed = [
        joint
        for joint in robot.joints
        for lower, upper in [(joint.lower or 0.0, joint.upper or 0.0)]
        if joint.name == decision.name
        and lower > upper
        and isclose(lower - upper, low - high, abs_tol=1e-9)  # in any zero
    ]
    require(bool(crossed))
    for joint in crossed:
        robot = _with(robot, "joints", joint, joint._replace(lower=None, upper=None))
    return robot, (low, high), None, crossed[0].line


def _named_apart(robot: RawRobot, decision: Decision) -> Made:
    """Give a joint a name of its own: with that of another joint it moved as that does."""
    name, new = decision.words
    joint = _find(robot.joints, child=decision.name, name=name)
    return _changed(robot, "joints", joint, (name, new), name=new)


def _frame_of_root(result: RawRobot, decision: Decision) -> Made:
    """Put the frame of an SDF model on its root, as it is drawn: it goes with the first link of the model."""
    (link,), whole = decision.words, canonical(result)
    frame = _find(result.frames, name=decision.name, link=link)
    T, root = (
        compose(link_places(whole)[link], frame.T_link_frame),
        whole.bodies[0].parts[0].link.name,
    )
    return _with(result, "frames", frame, frame._replace(link=root, T_link_frame=T)), root, link, 0


def _let_float(result: RawRobot, given: RawRobot, decision: Decision) -> Made:
    """Let a part float as in the input: in SDF the joint of `<gazebo>` that holds it is one of the tree."""
    floating = _find(given.joints, name=decision.name, type="floating")
    name, holder, held = decision.words
    holding = _find(result.joints, name=name, parent=holder, child=held)
    frames = {frame.name: frame.link for frame in result.frames}  # links may be frames there
    parent, child = (frames.get(end, end) for end in (floating.parent, floating.child))

    # The link hangs on this joint alone: with another one above it, it would float in no file.
    require(all(joint is holding or joint.child != child for joint in result.joints))

    # Where both links are drawn in the result: the joint floats from there.
    places = link_places(canonical(result))
    T_parent_child = compose(inverse(places[parent]), places[child])
    freed = floating._replace(parent=parent, child=child, T_parent_child=T_parent_child)
    made = _with(result, "joints", holding, freed)
    if holding.parent == WORLD:  # what the world holds is fixed for a reader
        made = made._replace(base=given.base)
    return made, "floating", holding.type, floating.line


def _turned_sensor(robot: RawRobot, decision: Decision) -> Made:
    """Turn a sensor without a pose with the frame of its link."""
    sensor = _find(robot.sensors, name=decision.name)
    require(decision.words == (sensor.link,))
    # The sensor has the same numbers in the new frame, so it is turned by R_old_new in the old one.
    T = compose(Pose(transpose(_turn(decision.numbers)), ZERO), sensor.T_link_sensor)
    return _changed(robot, "sensors", sensor, (None, None), T_link_sensor=T)


def _without_sensor(robot: RawRobot, decision: Decision) -> Made:
    (kind,) = decision.words
    sensor = _find(robot.sensors, name=decision.name, kind=kind)
    return _with(robot, "sensors", sensor), kind, None, sensor.line


def _renamed_sensor(robot: RawRobot, decision: Decision) -> Made:
    kind, name = decision.words
    sensor = _find(robot.sensors, name=decision.name, kind=kind)
    return _changed(robot, "sensors", sensor, (sensor.name, name), name=name)


def _other_loop(robot: RawRobot, decision: Decision) -> Made:
    """Let a loop hold two points together, and nothing else, or leave it open."""
    kind, new = decision.words
    loop = _find(robot.loops, name=decision.name, kind=kind)
    closed = {"point": [loop._replace(kind="point", axis=None)], "none": []}[new]
    return _with(robot, "loops", loop, *closed), kind, new, loop.line


def _turn(numbers: Sequence[float]) -> Matrix:
    """Return the rotation R_new_old of a frame by its rows."""
    a, b, c, d, e, f, g, h, i = numbers
    return ((a, b, c), (d, e, f), (g, h, i))


def _other_surface(robot: RawRobot, decision: Decision) -> Made:
    """Give the shapes of a merged link the value, or material, of its target, or none if that has none."""
    from ..formats.urdf.simulators import SURFACE

    (change, _, *texts), link = decision.words, _find(robot.links, name=decision.name)
    # Lost: the body that is merged had this value. Gained: it had none, and has now that of the
    # target.
    tag, (written, other) = texts[0].split()[0], map(_said, texts)

    before, now = {"lost": (written, other), "gained": ("", written)}[change]
    a: Shown = before
    b: Shown = now
    changed = []
    if tag == "material":
        for shape in link.shapes:
            if shape.role == "visual":
                require(shape.script == before)
                shape = shape._replace(script=now)
            changed.append(shape)
    else:
        name, a, new = SURFACE[tag], _numbers(tag, before), _numbers(tag, now)
        b = new
        for shape in link.shapes:
            if shape.role == "collision":
                require(shape.surface.get(name, ()) == a)
                shape = shape._replace(surface=_with_value(shape.surface, name, new))
            changed.append(shape)
    return _changed(robot, "links", link, (a, b), shapes=tuple(changed))


def _other_value(robot: RawRobot, decision: Decision) -> Made:
    """Give the links of a merged body the value, such as its gravity, of the body that they are now a part of."""
    (change, target, name, *texts), bodies = decision.words, canonical(robot).body_of
    a, b = (_numbers(text.split()[0], _said(text)) for text in texts)
    require(change in ("falls", "floats", "differs") and bodies[target] == bodies[decision.name])
    changed = [
        link
        for link in robot.links
        if bodies[link.name] == bodies[target] and link.values.get(name) == a
    ]
    for link in changed:
        robot = _with(robot, "links", link, link._replace(values=_with_value(link.values, name, b)))
    return robot, a, b, changed[0].line


def _said(text: str) -> str:
    """Return the value of a tag as a decision names it, "" for a default."""
    return "" if text.startswith("default ") else text.partition(" of line ")[0].partition(" ")[2]


def _numbers(tag: str, text: str) -> Reals:
    from ..formats.urdf.simulators import value_in

    value = value_in(tag, text) if text else ()
    require(value is not None)
    return value or ()


def _with_value(values: Values, name: str, value: Reals) -> Values:
    return {
        **{key: old for key, old in values.items() if key != name},
        **({name: value} if value else {}),
    }


def _tensor_of_point(robot: RawRobot, decision: Decision) -> Made:
    """Give a body whose tensor is zero the tensor that the export writes instead."""
    link, (moment,) = _find(robot.links, name=decision.name), decision.numbers
    mass = link.mass or RawMass(0.0, ZERO, (0.0,) * 6)
    tensor = (moment, 0.0, 0.0, moment, 0.0, moment)
    require(not any(mass.tensor))
    values, new = (mass.tensor, tensor), mass._replace(tensor=tensor)
    return _changed(robot, "links", link, values, mass=new)


CARRIED_OUT: Mapping[str, Callable[[RawRobot, Decision], Made]] = {
    "shape": _without_shapes,
    "lock": _locked,
    "drop": _dropped,
    "mass": _without_mass,
    "value": _without_value,
    "limits": _without_limits,
    "tensor": _tensor_of_point,
    "sensor": _turned_sensor,
    "surface": _other_surface,
    "joint": _named_apart,
    "body": _other_value,
    "no_sensor": _without_sensor,
    "sensor_name": _renamed_sensor,
    "loop": _other_loop,
}
