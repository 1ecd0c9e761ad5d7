"""Proves that an SRDF and its result put the robot of their URDF into the same states, and name what is there."""
import random
from typing import Dict, Iterator, List, NamedTuple, Set, Tuple

from ..base.number_text import count_of, read_numbers
from ..urdf.kinematics import positions_of
from ..urdf.lossless_xml import Document, Element
from ..urdf.model import MOVABLE, Notice, Robot
from ..urdf.spatial import move, norm, subtract, Vector
from ..plan.decisions import Plan
from ..verify.equivalence import compare_at, Stand, stand_at_zero, TOLERANCE, Worst

LINK_NAMES = (("link", "name"), ("chain", "base_link"), ("chain", "tip_link"), ("end_effector", "parent_link"),
              ("virtual_joint", "child_link"), ("disable_collisions", "link1"), ("disable_collisions", "link2"),
              ("enable_collisions", "link1"), ("enable_collisions", "link2"), ("disable_default_collisions", "link"),
              ("link_sphere_approximation", "link"))
JOINT_NAMES = (("joint", "name"), ("passive_joint", "name"), ("joint_property", "joint_name"))


class SrdfProof(NamedTuple):
    """The worst figures of the states, and how much was compared.

    Attributes:
        position: of any link [m], and angle [rad], beyond what the moved axes explain.
        states: group states put up through both files.
        spheres: collision spheres.
        names: names of links and joints that were looked up.
    """

    position: float
    angle: float
    states: int
    spheres: int
    names: int


def check_srdf(old: Document, new: Document, before: Robot, plan: Plan, after: Robot, warnings: Tuple[Notice, ...]
               ) -> SrdfProof:
    """Compare states and spheres of both files, each on the robot of its URDF, and look up every name of the result.

    A joint that a state does not mention is at zero. A name that is not there must have been warned of.

    Raises:
        ProofFailed: naming the state or the element.
    """
    worst = Worst(new.path)
    stand = stand_at_zero(before, plan, after, worst)
    old_states, new_states = old.root.elements("group_state"), new.root.elements("group_state")
    worst.require([_title(state) for state in old_states] == [_title(state) for state in new_states],
                  "the group states are not those of the input")
    warned = {name for notice in warnings for name in notice.message.split("'")[1::2]}
    for old_state, new_state in zip(old_states, new_states):
        _same_state(stand, old_state, new_state, warned, worst)
    spheres = _same_spheres(stand, old, new, worst)
    names = 0
    for element, attribute, known in _names_of_srdf(new, after):
        name = element.get(attribute) or ""
        worst.require(name in known or name in warned, f"<{element.name} {attribute}='{name}'> names nothing")
        names += 1
    return SrdfProof(worst.of("position"), worst.of("angle"), len(new_states), spheres, names)


def _title(state: Element) -> Tuple[str, str]:
    return (state.get("group") or "", state.get("name") or "")


def _same_state(stand: Stand, old: Element, new: Element, warned: Set[str], worst: Worst) -> None:
    told_before, told_after = _told_by(old), _told_by(new)
    where = f"state '{old.get('name')}' of group '{old.get('group')}': "
    left = {planned.name for planned in stand.plan.joints.values()}
    for name in {joint.name for joint in stand.before.joints} & set(told_before) & left:
        worst.require(name in told_after or name in warned, f"{where}the value of joint '{name}' is lost")
    compare_at(stand, positions_of(stand.before, _free_positions(stand.before, told_before)),
               positions_of(stand.after, _free_positions(stand.after, told_after)), random.Random(0), worst, where)


def _same_spheres(stand: Stand, old: Document, new: Document, worst: Worst) -> int:
    """Find every sphere of the result in the input, in its place at zero; none may be lost."""
    wanted: Dict[Tuple[str, str], List[Vector]] = {}
    for link, radius, center in _spheres_in(old):
        if link in stand.T_before:
            target = stand.plan.members[link].target
            wanted.setdefault((target, radius), []).append(move(stand.T_before[link], center))
    count = 0
    for link, radius, center in _spheres_in(new):
        if link in stand.T_after:
            where, there = f"a sphere of link '{link}'", wanted.get((link, radius), [])
            worst.require(bool(there), f"{where} is not in the input")
            place = move(stand.T_after[link], center)
            apart, match = min((norm(subtract(place, other)), other) for other in there)
            worst.note("position", apart, TOLERANCE * (stand.size + norm(center)), where, " m")
            there.remove(match)
            count += 1
    worst.require(not any(wanted.values()), "a collision sphere is lost")
    return count


def _spheres_in(document: Document) -> Iterator[Tuple[str, str, Vector]]:
    """Yield link, radius as text and center of every sphere that can be read."""
    for approximation in document.root.elements("link_sphere_approximation"):
        for sphere in approximation.elements("sphere"):
            try:
                x, y, z = read_numbers(sphere.get("center") or "", 3).values
            except ValueError:
                continue
            yield approximation.get("link") or "", sphere.get("radius") or "", (x, y, z)


def _told_by(state: Element) -> Dict[str, float]:
    """Return the positions that are single numbers, by joint name; the last one counts."""
    told = {}
    for joint in state.elements("joint"):
        try:
            told[joint.get("name") or ""] = read_numbers(joint.get("value") or "", 1).values[0]
        except ValueError:
            continue
    return told


def _free_positions(robot: Robot, told: Dict[str, float]) -> Dict[str, float]:
    """Return positions by child link."""
    positions = {joint.child: 0.0 for joint in robot.joints}
    positions.update({joint.child: told[name] for name, joint in robot.named.items()
                      if name in told and joint.type in MOVABLE})
    return positions


def _names_of_srdf(document: Document, robot: Robot) -> Iterator[Tuple[Element, str, Set[str]]]:
    """Yield every attribute of a known element that names a link or a joint, with the names that there are."""
    links = set(robot.links)
    joints = {joint.name for joint in robot.joints}
    joints.update(element.get("name") or "" for element in document.root.elements("virtual_joint"))
    for top in document.root.elements():
        inner: List[Element] = top.elements() if top.name in ("group", "group_state") else [top]
        for element in inner:
            for names, known in ((LINK_NAMES, links), (JOINT_NAMES, joints)):
                for kind, attribute in names:
                    if element.name == kind:
                        yield element, attribute, known


def srdf_proof_line(proof: SrdfProof) -> str:
    """Return the proof in one line of text."""
    return (f"{count_of(proof.states, 'group state')} through both files: position {proof.position:.1e} m, angle "
            f"{proof.angle:.1e} rad; {count_of(proof.spheres, 'sphere')}, {count_of(proof.names, 'name')} looked up")
