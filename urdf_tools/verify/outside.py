"""The part of the proof about everything outside links, joints, inertias and shapes: names, signs, vectors and poses.

Every element of the result is paired with its element of the input. What may differ is computed here from the input's
text, the signs and the poses of both robots; all else must be equal. From the plan come only the choice of what is
dropped, and the warnings, each of which excuses its own element for its own reason.
"""
import re
from typing import Dict, Iterator, List, Tuple

from ..urdf.lossless_xml import Element
from .comparison import Comparison, TOLERANCE
from .link_values import is_link_value, prove_link_values
from .looks import reached_file
from .pairing import CONTENT_LEFT, MADE, NAME_LEFT, Pairing, POSE_LEFT
from .placed import find_placed, pose_keys, pose_words
from .raw_robot import others_in
from .relations import prove_relation
from .rigid_motion import chained, pose_error
from .simulator_blocks import prove_gazebo

DEFINED_IN_JOINT = ("parent", "child", "origin", "axis", "limit", "dynamics", "mimic", "safety_controller",
                    "calibration")
TF_TAGS = re.compile(r"frame(_?name|_?id)?|.*_frame(_id)?|base_link|robotBaseFrame", re.I)  # names looked up in TF

Content = List[Tuple[str, str, List[Tuple[str, str]]]]


def prove_outside(comparison: Comparison) -> None:
    """Compare all that is outside what URDF defines in links and joints."""
    plan = comparison.plan
    pairing = Pairing(comparison, [], {}, set(), {(notice.offset, notice.kind) for notice in plan.warnings},
                       {element.offset for element in plan.following.drops}, set())
    _prove_compiler(pairing)
    for old, new in _tops(pairing):
        pairing.pair_up(old, new)
    _prove_drops(pairing)
    _prove_poses(pairing)
    for old, new in pairing.pairs:
        if old.parent is not None and old.parent.parent is None:
            if old.name == "gazebo":
                prove_gazebo(pairing, old, new)
            else:
                prove_relation(pairing, old)
    _prove_the_rest(pairing)
    prove_link_values(pairing)


def _tops(pairing: Pairing) -> Iterator[Tuple[Element, Element]]:
    """Yield the topmost elements that URDF does not define, in both files: of the robot, the links and the joints."""
    before, plan, after, worst = (pairing.comparison.before, pairing.comparison.plan, pairing.comparison.after,
                                  pairing.comparison.worst)
    old, new = ([top for top in robot.document.root.elements() if top.name not in ("link", "joint")
                 and not (top.offset in pairing.made if robot is after else top.offset in pairing.dropped)]
                for robot in (before, after))
    worst.require(len(old) == len(new), "the elements other than links and joints are not those of the input")
    yield from zip(old, new)
    others: Dict[str, List[Element]] = {name: [] for name in after.links}
    for merged in (False, True):
        for name in plan.members:
            if plan.gone(name) == merged:
                others[plan.members[name].target if merged else name] += [
                    other for other in others_in(before.links[name]) if other.offset not in pairing.dropped]
    for name, link in after.links.items():
        there = others_in(link)
        worst.require(len(others[name]) == len(there), f"link '{name}' has not all that was in it")
        yield from zip(others[name], there)
    for child, joint in after.joints.items():
        parts, old_parts = ([part for part in element.elements() if part.name not in DEFINED_IN_JOINT]
                            for element in (joint.element, before.joints[child].element))
        if joint.type == before.joints[child].type:
            worst.require(len(parts) == len(old_parts), f"joint '{joint.name}' has not all that was in it")
            yield from zip(old_parts, parts)


def _prove_compiler(pairing: Pairing) -> None:
    """`<mujoco><compiler>` has the attributes that the plan asks for; elements made for them hold nothing else."""
    comparison, wanted = pairing.comparison, dict(pairing.comparison.plan.compiler)
    if not wanted:
        return
    old, new = (robot.document.root.find("mujoco") for robot in (comparison.before, comparison.after))
    old_compiler, compiler = (top.find("compiler") if top is not None else None for top in (old, new))
    attributes = compiler.attributes if compiler is not None else {}
    comparison.worst.require(all(attributes.get(name) == value for name, value in wanted.items()),
                             "<mujoco><compiler> has not the attributes that it was to be given")
    if old_compiler is not None:
        pairing.proven.update((old_compiler.offset, name) for name in wanted)
        return
    made = compiler if old is not None else new
    if made is not None:
        pairing.made.add(made.offset)
        found = [(element.name, element.attributes, element.text().strip()) for element in made.walk()]
        expected = [("mujoco", {}, ""), ("compiler", wanted, "")]
        comparison.worst.require(found == (expected if old is None else expected[1:]),
                                 "what was made for <mujoco><compiler> holds more than that")


def _prove_drops(pairing: Pairing) -> None:
    """A dropped element belongs to a removed joint, or its link has the same elsewhere, or a warning names it."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    removed = before.named.keys() - after.named.keys()
    stays: Dict[Tuple[str, str], List[Content]] = {}
    for old, _ in pairing.pairs if plan.following.drops else ():
        stays.setdefault((_carrier(comparison, old), old.name), []).append(_claims(old))
    for drop in plan.following.drops:
        named = {drop.get("reference") or ""} if drop.name == "gazebo" else {
            e.get("name") or e.text().strip() for e in drop.walk() if e.name.lower().endswith("joint")}
        for element in drop.elements() if drop.name == "gazebo" and not named <= removed else (drop,):
            others = stays.get((_carrier(comparison, element), element.name), [])
            excused = bool(others) and pairing.is_excused(element, CONTENT_LEFT) or _is_value_of_link(element)
            comparison.worst.require(bool(named) and named <= removed or _claims(element) in others or excused,
                                     f"<{element.name}> of line {element.line} is dropped for no reason")


def _is_value_of_link(element: Element) -> bool:
    """Return True if `prove_link_values` covers an element that is dropped, or all in it."""
    inside = element.elements() if element.name == "contact" else [element]
    return bool(inside) and all(is_link_value(tag) for tag in inside)


def _claims(top: Element) -> Content:
    """Return the content of an element and all in it; a value in an attribute or in the text is one and the same."""
    return [(e.name, (e.get("value") or e.text()).strip(), sorted((key, value) for key, value in e.attributes.items()
                                                                  if key != "value")) for e in top.walk()]


def _carrier(comparison: Comparison, element: Element) -> str:
    """Return the link of the result that the content of a link, or of a `<gazebo>` of a link, is about."""
    above = element.parent
    name = (above.get("reference") or above.get("name") or "") if above is not None else ""
    return comparison.plan.members[name].target if name in comparison.plan.members else ""


def _prove_poses(pairing: Pairing) -> None:
    """Sensors, lights, frames and ends of loops are in the place where they were at zero."""
    comparison = pairing.comparison
    before, after = find_placed(comparison.before), find_placed(comparison.after)
    for old, new in pairing.pairs:
        if old.offset not in before:
            continue
        found = after.get(new.offset, [])
        if pose_words(old) == pose_words(new) and pairing.is_excused(old, POSE_LEFT | NAME_LEFT):
            continue
        what = f"{old.name} {old.get('name') or old.get('link') or ''}".strip() + f" of line {old.line}"
        comparison.worst.require(len(found) == len(before[old.offset]), f"{what} has lost its place")
        for was, is_now in zip(before[old.offset], found):
            apart, angle = pose_error(chained(comparison.T_before[was.link], was.pose),
                                      chained(comparison.T_after[is_now.link], is_now.pose))
            comparison.worst.note("position", apart, TOLERANCE * comparison.size, what, " m")
            comparison.worst.note("angle", angle, TOLERANCE, what, " rad")
        pairing.proven.update(pose_keys(old))


def _prove_the_rest(pairing: Pairing) -> None:
    """All that no rule has proven is what it was, but for names of merged links and for file names."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    names, left = ({*robot.links, *robot.named} for robot in (before, after))
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
                    reached_file(was, comparison.folders.before, plan.uri_files)
                    == reached_file(is_now, comparison.folders.after, plan.uri_files))
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
