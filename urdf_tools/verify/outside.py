"""The part of the proof about everything outside links, joints, inertias and shapes: names, signs, vectors and poses.

Every element of the result is paired with its element of the input. What may differ is computed here from the input's
text, the signs and the poses of both robots; all else must be equal. From the plan come only the choice of what is
dropped, and the warnings, each of which excuses its own element for its own reason.
"""
import re
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import NAME_LEFT, POSE_LEFT, SIGN_LEFT
from ..urdf.spatial import Pose, Vector
from .comparison import Comparison, TOLERANCE
from .looks import COPY_ROOM, reached_file
from .placed import find_placed, pose_keys
from .raw_robot import numbers_of, RawRobot
from .rigid_motion import chained, length, minus, pose_error, rpy_turn, turned

DEFINED_IN_JOINT = ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "safety_controller",
                    "calibration")
DIRECTED_INTERFACES = ("position", "velocity", "acceleration", "effort", "torque", "force")
TF_TAGS = re.compile(r"frame(_?name|_?id)?|.*_frame(_id)?|base_link|robotBaseFrame", re.I)  # names looked up in TF
MADE = ("origin", "pose", "xyzOffset", "rpyOffset")  # children that an element may be given
MADE_UP_NAME = re.compile(r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?")  # of a collision without one, in gz

Place = Tuple[int, str]  # offset of an element of the input, and an attribute of it ("" its text)


class _Pairing(NamedTuple):
    """What is compared: pairs of elements, partners by offset in the input, and the places that a rule has proven."""

    comparison: Comparison
    pairs: List[Tuple[Element, Element]]
    partner: Dict[int, Element]
    proven: Set[Place]
    excuses: Set[Tuple[int, str]]  # offset of an element, kind of its warning
    dropped: Set[int]

    def is_excused(self, element: Element, kind: str) -> bool:
        """Return True if a warning of that kind is about the element or about one that it is in."""
        above: Optional[Element] = element
        while above is not None:
            if (above.offset, kind) in self.excuses:
                return True
            above = above.parent
        return False

    def require(self, holds: bool, element: Element, kind: str, places: Sequence[Place], what: str) -> None:
        """Fail unless a rule holds, or a warning of that kind says of the element that it is left as it is."""
        self.proven.update(places)
        if holds:
            return
        wanted = {offset for offset, _ in places}
        left = all(_same_words(old, self.partner[old.offset]) for old in element.walk() if old.offset in wanted)
        self.comparison.worst.require(left and self.is_excused(element, kind),
                                      f"<{element.name}> of line {element.line}: {what}")


def prove_outside(comparison: Comparison) -> None:
    """Compare all that is outside what URDF defines in links and joints."""
    plan = comparison.plan
    pairing = _Pairing(comparison, [], {}, set(), {(notice.offset, notice.kind) for notice in plan.warnings},
                       {element.offset for element in plan.following.drops})
    for old, new in _tops(pairing):
        _pair_up(pairing, old, new)
    _prove_drops(pairing)
    _prove_poses(pairing)
    for old, new in pairing.pairs:
        if old.parent is not None and old.parent.parent is None:
            if old.name == "gazebo":
                _prove_gazebo(pairing, old, new)
            elif old.name == "ros2_control":
                for joint in old.elements("joint"):
                    _prove_ros2_control(pairing, joint)
    _prove_the_rest(pairing)


def _tops(pairing: _Pairing) -> Iterator[Tuple[Element, Element]]:
    """Yield the topmost elements that URDF does not define, in both files: of the robot, the links and the joints."""
    before, plan, after, worst = (pairing.comparison.before, pairing.comparison.plan, pairing.comparison.after,
                                  pairing.comparison.worst)
    old, new = ([top for top in robot.document.root.elements() if top.name not in ("link", "joint")
                 and (robot is after or top.offset not in pairing.dropped)] for robot in (before, after))
    worst.require(len(old) == len(new), "the elements beside links and joints are not those of the input")
    yield from zip(old, new)
    others: Dict[str, List[Element]] = {name: [] for name in after.links}
    for merged in (False, True):
        for name in plan.members:
            if plan.gone(name) == merged:
                others[plan.members[name].target if merged else name] += [
                    other for other in before.links[name].others if other.offset not in pairing.dropped]
    for name, link in after.links.items():
        worst.require(len(others[name]) == len(link.others), f"link '{name}' has not all that was in it")
        yield from zip(others[name], link.others)
    joints = {joint.child: joint for joint in before.joints}
    for joint in after.joints:
        parts, old_parts = ([part for part in element.elements() if part.name not in DEFINED_IN_JOINT]
                            for element in (joint.element, joints[joint.child].element))
        if joint.type == joints[joint.child].type:
            worst.require(len(parts) == len(old_parts), f"joint '{joint.name}' has not all that was in it")
            yield from zip(old_parts, parts)


def _pair_up(pairing: _Pairing, old_top: Element, new_top: Element) -> None:
    """Pair an element and all below it; a child that was made has no partner."""
    waiting = [(old_top, new_top)]
    while waiting:
        old, new = waiting.pop()
        pairing.comparison.worst.require(old.name == new.name, f"<{old.name}> of line {old.line} became <{new.name}>")
        pairing.pairs.append((old, new))
        pairing.partner[old.offset] = new
        inside, there = [e for e in old.elements() if e.offset not in pairing.dropped], new.elements()
        if len(there) > len(inside):
            there = [e for e in there if e.name not in MADE or old.find(e.name) is not None]
        pairing.comparison.worst.require(len(there) == len(inside),
                                         f"<{old.name}> of line {old.line} has not all that was in it")
        waiting += reversed(list(zip(inside, there)))


def _same_words(old: Element, new: Element) -> bool:
    return old.attributes == new.attributes and old.text().strip() == new.text().strip()


def _prove_drops(pairing: _Pairing) -> None:
    """What is dropped names a joint that is gone, or the same is said of the same link elsewhere."""
    comparison = pairing.comparison
    plan = comparison.plan
    removed = {joint.name for joint in comparison.before.joints} - {joint.name for joint in comparison.after.joints}
    said = {(_carrier(comparison, old), old.name) for old, _ in pairing.pairs}
    for drop in plan.following.drops:
        names = {word for inner in drop.walk() for word in [*inner.attributes.values(), inner.text().strip()]}
        comparison.worst.require(bool(names & removed) or (_carrier(comparison, drop), drop.name) in said,
                                 f"<{drop.name}> of line {drop.line} is dropped for no reason")


def _carrier(comparison: Comparison, element: Element) -> str:
    """Return the link of the result that what stands in a link, or in a `<gazebo>` of a link, is about."""
    above = element.parent
    name = (above.get("reference") or above.get("name") or "") if above is not None else ""
    return comparison.plan.members[name].target if name in comparison.plan.members else ""


def _prove_poses(pairing: _Pairing) -> None:
    """Sensors, lights, frames and ends of loops are in the place where they were at zero."""
    comparison = pairing.comparison
    before, after = find_placed(comparison.before), find_placed(comparison.after)
    for old, new in pairing.pairs:
        if old.offset not in before:
            continue
        found = after.get(new.offset, [])
        changed = not all(_same_words(e, pairing.partner[e.offset]) for e in (old, *old.elements())
                          if e.offset in pairing.partner) or len(new.elements()) != len(old.elements())
        if not changed and (pairing.is_excused(old, POSE_LEFT) or pairing.is_excused(old, NAME_LEFT)):
            continue
        what = f"{old.name} {old.get('name') or old.get('link') or ''}".strip() + f" of line {old.line}"
        comparison.worst.require(len(found) == len(before[old.offset]), f"{what} has lost its place")
        for was, is_now in zip(before[old.offset], found):
            apart, angle = pose_error(chained(comparison.T_before[was.link], was.pose),
                                      chained(comparison.T_after[is_now.link], is_now.pose))
            comparison.worst.note("position", apart, TOLERANCE * comparison.size, what, " m")
            comparison.worst.note("angle", angle, TOLERANCE, what, " rad")
        pairing.proven.update(pose_keys(old))


def _prove_gazebo(pairing: _Pairing, top: Element, new: Element) -> None:
    """Prove signs, directions and offsets in a `<gazebo>` block."""
    name, now = top.get("reference") or "", new.get("reference") or ""
    comparison = pairing.comparison
    for element in top.elements():
        if element.offset not in pairing.partner:
            continue
        if element.name == "springReference":
            _prove_sign(pairing, element, comparison.signs.get(name, 1))
        elif element.name == "fdir1" and name in comparison.before.links and now in comparison.after.links:
            _prove_direction(pairing, element, name, now)
    for element in top.walk():
        if element.offset not in pairing.partner:
            continue
        if element.name == "plugin":
            _prove_plugin(pairing, element, name, now)
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            _prove_contact(pairing, element)


def _prove_sign(pairing: _Pairing, element: Element, sign: int) -> None:
    """Prove that the number in an element is the old one times a sign."""
    try:
        old, = numbers_of(element.text(), 1)
        new, = numbers_of(pairing.partner[element.offset].text(), 1)
    except ValueError:
        return  # no number: nobody may change it
    pairing.require(abs(new - sign * old) <= 1e-12 * max(1.0, abs(old)), element, SIGN_LEFT, [(element.offset, "")],
                    f"{new:g} is not {sign} times {old:g}")


def _prove_direction(pairing: _Pairing, element: Element, link: str, now: str) -> None:
    """Prove that a direction in the frame of a link is the same in the world."""
    comparison = pairing.comparison
    try:
        vectors = [_vector_in(e.text()) for e in (element, pairing.partner[element.offset])]
    except ValueError:
        return
    old = turned(comparison.T_before[link].rotation, vectors[0])
    new = turned(comparison.T_after[now].rotation, vectors[1])
    pairing.require(length(minus(old, new)) <= TOLERANCE * max(1.0, length(old)), element, POSE_LEFT,
                    [(element.offset, "")], "the direction is another one in the world")


def _vector_in(text: str) -> Vector:
    x, y, z = numbers_of(text, 3)
    return (x, y, z)


def _prove_plugin(pairing: _Pairing, plugin: Element, owner: str, owner_now: str) -> None:
    """Prove the signs of a mimic plugin, or the offsets that a plugin has in the frame of its body."""
    comparison, new = pairing.comparison, pairing.partner[plugin.offset]
    leader, follower, factor, shift = (plugin.find(name) for name in ("joint", "mimicJoint", "multiplier", "offset"))
    if leader is not None and follower is not None and factor is not None:
        own, other = (comparison.signs.get(part.text().strip(), 1) for part in (follower, leader))
        _prove_sign(pairing, factor, own * other)
        if shift is not None:
            _prove_sign(pairing, shift, own)
        return
    bodies = [[e.text().strip() for e in one.elements() if e.name in ("bodyName", "linkName", "link_name")]
              for one in (plugin, new)]
    body, body_now = (bodies[0] or [owner])[0], (bodies[1] or [owner_now])[0]
    offsets = [plugin.find(name) for name in ("xyzOffset", "rpyOffset")]
    if body not in comparison.before.links or body_now not in comparison.after.links or (
            not any(offsets) and plugin.find("bodyName") is None):
        return
    places = [(plugin.offset, "<xyzOffset>"), (plugin.offset, "<rpyOffset>")]
    places += [(offset.offset, "") for offset in offsets if offset is not None]
    try:
        poses = [chained(T, _offsets_of(one)) for T, one in (
            (comparison.T_before[body], plugin), (comparison.T_after[body_now], new))]
    except ValueError:
        return
    apart, angle = pose_error(*poses)
    pairing.require(apart <= TOLERANCE * comparison.size and angle <= TOLERANCE, plugin, POSE_LEFT, places,
                    f"its offsets are another place, by {apart:.3g} m and {angle:.3g} rad")


def _offsets_of(plugin: Element) -> Pose:
    xyz, rpy = (_vector_in(part.text()) if part is not None else (0.0, 0.0, 0.0)
                for part in (plugin.find("xyzOffset"), plugin.find("rpyOffset")))
    return Pose(rpy_turn(*rpy), xyz)


def _prove_contact(pairing: _Pairing, element: Element) -> None:
    """Prove that a contact sensor names the same collision: one in the same place."""
    comparison, text = pairing.comparison, element.text().strip()
    old = _collisions_called(comparison.before, comparison.T_before, text)
    if old:
        new = _collisions_called(comparison.after, comparison.T_after, pairing.partner[element.offset].text().strip())
        same = any(sum(pose_error(T, other)) < COPY_ROOM for T in old for other in new)
        pairing.require(same, element, NAME_LEFT, [(element.offset, "")], f"'{text}' is another collision now")


def _collisions_called(robot: RawRobot, T_world: Dict[str, Pose], name: str) -> List[Pose]:
    """Return where the collisions of a name are in the world; a simulator makes up names for those without one."""
    collisions = {link.name: [shape for shape in link.shapes if shape.element.name == "collision"]
                  for link in robot.links.values()}
    found = [chained(T_world[link], shape.pose) for link, shapes in collisions.items() for shape in shapes
             if shape.element.get("name") == name]
    match = MADE_UP_NAME.fullmatch(name)
    if not found and match is not None:
        shapes = collisions.get(match.group(2), [])
        place = 0 if match.group(1) and len(shapes) == 1 else int(match.group(3) or 0)
        if place < len(shapes) and not shapes[place].element.get("name"):
            found.append(chained(T_world[match.group(2)], shapes[place].pose))
    return found


def _prove_ros2_control(pairing: _Pairing, joint: Element) -> None:
    """Prove ranges, initial values and mimic parameters of a joint of ros2_control."""
    if joint.offset not in pairing.partner:
        return
    signs = pairing.comparison.signs
    sign = signs.get(joint.get("name") or "", 1)
    parameters = {p.get("name"): p for p in joint.elements("param")}
    if "mimic" in parameters:
        other = signs.get(parameters["mimic"].text().strip(), 1)
        for name, factor in (("multiplier", sign * other), ("offset", sign)):
            if name in parameters:
                _prove_sign(pairing, parameters[name], factor)
    for interface in joint.elements():
        if sign > 0 or interface.name not in ("command_interface", "state_interface") or not (
                interface.get("name") or "").endswith(DIRECTED_INTERFACES):
            continue
        ranged = [p for p in interface.elements("param") if p.get("name") in ("min", "max", "initial_value")]
        try:
            old, new = ({p.get("name"): numbers_of(p.text(), 1)[0] for p in one.elements("param")
                         if p.get("name") in ("min", "max", "initial_value")}
                        for one in (interface, pairing.partner[interface.offset]))
        except ValueError:
            _excuse_nonsense(pairing, ranged)
            continue
        wanted = {{"min": "max", "max": "min"}.get(name or "", name): -value for name, value in old.items()}
        holds = wanted.keys() == new.keys() and all(
            abs(wanted[name] - value) <= 1e-12 * max(1.0, abs(value)) for name, value in new.items())
        pairing.require(holds, interface, SIGN_LEFT, [(p.offset, key) for p in ranged for key in ("", "name")],
                        "its range and initial value are not the negative ones")


def _excuse_nonsense(pairing: _Pairing, parameters: Sequence[Element]) -> None:
    """Of a range that is no number, a part may have been turned; a warning must say which was not."""
    if any(pairing.is_excused(parameter, SIGN_LEFT) for parameter in parameters):
        pairing.proven.update((parameter.offset, key) for parameter in parameters for key in ("", "name"))


def _prove_the_rest(pairing: _Pairing) -> None:
    """All that no rule has proven is what it was, but for names of merged links and for file names."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    names, left = ({*robot.links, *(joint.name for joint in robot.joints)} for robot in (before, after))
    gone = names - left
    for old, new in pairing.pairs:
        made = {f"<{child.name}>" for child in new.elements() if child.name in MADE and old.find(child.name) is None}
        for key in {*old.attributes, *new.attributes, "", *made}:
            if (old.offset, key) in pairing.proven:
                continue
            was, is_now = (old.text().strip(), new.text().strip()) if key == "" else (old.get(key), new.get(key))
            where = f"<{old.name}> of line {old.line}"
            comparison.worst.require(key not in made, f"{where} was given a {key}")
            if was != is_now:
                target = plan.members[was].target if was in plan.members and plan.gone(was) else ""
                same_file = key == "filename" and old.name in ("mesh", "texture") and was and is_now and (
                    reached_file(was, comparison.folders.before) == reached_file(is_now, comparison.folders.after))
                comparison.worst.require(bool(same_file) or bool(target) and is_now == target,
                                         f"{where} changed from '{was}' to '{is_now}'")
                if target and key == "" and TF_TAGS.fullmatch(old.name):
                    error = pose_error(comparison.T_before[was or ""], comparison.T_after[target])
                    comparison.worst.require(sum(error) <= 10.0 * TOLERANCE * comparison.size,
                                             f"{where}: '{was}' and '{is_now}' are not the same frame")
            elif was in gone and not (key == "name" and (old.parent is None or old.parent.parent is None)):
                own = old.name in ("material", "geometry", "mesh")
                comparison.worst.require(own or pairing.is_excused(old, NAME_LEFT),
                                         f"the result still refers to '{was}', which was removed")
