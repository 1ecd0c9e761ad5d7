"""Compare the right limbs of a robot with the mirror images of the left ones.

This is compare's mirrored mode with a given map: joints are paired by their names, the signs follow from their axes,
and offsets are zero. So each difference is found where it is, and not again for everything after it.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError
from ..base.number_text import shown_names
from ..base.record_type import Record
from ..compare.all_differences import differences_of, settings_of
from ..compare.difference_records import Difference, Tolerances
from ..compare.verify_edit import hung, links_below, mirrored
from ..compare.joint_lines import sense
from ..compare.robot_map import JointMapping, lay, RobotMap
from ..compare.difference_kinds import size_text
from ..formats.reader_helpers import check_tree
from ..plan.name_words import left_right_pairs
from ..base.type_aliases import Names
from ..robot.rigid_bodies import TURNS
from ..robot.canonical_robot import canonical, link_places
from ..robot.change_whole_robot import renamed
from ..robot.principal_axes import entries_of
from ..robot.raw_robot import RawJoint, RawLink, RawMass, RawMimic, RawRobot
from ..urdf.urdf_records import Limit, UrdfRobot
from ..urdf.spatial_math import (
    add,
    compose,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    Matrix,
    matrix_from_rpy,
    move,
    norm,
    Transform,
    scale,
    subtract,
    ZERO,
)
from .lint_diagnostics import LEFT_RIGHT

# Differences of this size come from drawing and export.
NOISE = Tolerances(length=5e-4, angle=2e-3, mass=0.01, center=5e-4, tensor=0.05)
ASPECTS = frozenset(("motion", "mass", "limits"))
IN_THE_MIDDLE = 1e-2  # [m]
LEAST_MASS = 1e-5  # [kg]; lighter links are frames
# Inaccuracies of CAD.
SMALL = 2e-3  # [m]
SMALL_PART = 0.05  # of a mass
SENTENCES = {
    "shifted_alone": "shifted",
    "tilted_alone": "tilted",
    "limits_stay": "limits",
    "limits_missing": "limits",
}
AS_WRITTEN = {"ball": "fixed"}  # `_without_fixed` makes balls of fixed joints
HIDDEN = (
    "tensor",
    "tensor_turned",
    "limits",
)  # explained by a different mass or center, or a different axis


class LimbPair(Record):
    """A right limb, and its left counterpart.

    Attributes:
        names: the left links and joints, by the right links and joints that they mirror.
        top: the name of the link that the whole right limb hangs on.
        robots: A is the right limb, B the mirror image of the left one, with the names of A.
        differences: of these.
        R: by the name of each link of the robot, its axes in the axes of the base.
    """

    names: Mapping[str, str]
    top: str
    robots: RobotMap
    differences: Tuple[Difference, ...]
    R: Mapping[str, Matrix]


def limbs_of(robot: UrdfRobot, R_base: Matrix = IDENTITY) -> Tuple[LimbPair, ...]:
    """Return the limbs of a robot whose root is turned by R_base: X is forward then, Y left, and Z up.

    Two links are the tops of limbs if their names, or the names of their joints, differ in left and right, and they hang
    side by side on one body in the middle: fingers that face each other along another axis are not left and right.
    """
    try:
        return tuple(_find_limbs(_bones(robot), R_base))
    except UrdfError:  # the reader reports it
        return ()


def _bones(robot: UrdfRobot) -> RawRobot:
    """Return the links with their masses, and the joints: only these are compared in limbs."""
    links = []
    for link in robot.links.values():
        mass = None
        inertial = link.inertial
        if inertial is not None:
            weight, center, tensor = inertial.properties
            T = Transform(matrix_from_rpy(inertial.rpy), center)
            mass = RawMass(
                mass=weight,
                center=center,
                tensor=entries_of(tensor),
                T_link_inertial=T,
                line=inertial.source.line,
            )
        links.append(RawLink(link.name, mass, line=link.source.line))
    joints = []
    for joint in robot.joints:
        limit = joint.limit or Limit()
        mimic = RawMimic(*joint.mimic) if joint.mimic else None
        # A missing bound is 0.
        unwritten = 0.0 if joint.limit else None
        lower = limit.lower or unwritten
        upper = limit.upper or unwritten
        joints.append(
            RawJoint(
                name=joint.name,
                type=joint.type,
                parent=joint.parent,
                child=joint.child,
                T_parent_child=joint.origin,
                axis=joint.axis,
                lower=lower,
                upper=upper,
                effort=limit.effort,
                velocity=limit.velocity,
                mimic=mimic,
                line=joint.source.line,
            )
        )
    return RawRobot("urdf", robot.name, tuple(links), tuple(joints))


def _find_limbs(raw: RawRobot, R_base: Matrix) -> Iterator[LimbPair]:
    """Yield the limbs of a robot, the outermost pairs of links only."""
    robot = canonical(raw, root=check_tree(raw))
    above = {joint.child: joint for joint in raw.joints}
    places = {link: compose(Transform(R_base, ZERO), T) for link, T in link_places(robot).items()}
    axes = {link: T.rotation for link, T in places.items()}
    pairs = _pairs(raw)
    inside: Set[str] = set()
    plain = _without_fixed(raw, {*pairs, *pairs.values()})
    for left in places:
        right = pairs.get(left)
        if right is None:
            continue
        # A pair inside a limb is compared with that limb.
        body = robot.body_of[above[left].parent]
        if left in inside or robot.body_of[above[right].parent] != body:
            continue
        y = places[robot.bodies[body].parts[0].link.name].translation[1]
        left_limb = links_below(raw, left)
        right_limb = links_below(raw, right)
        if abs(y) >= IN_THE_MIDDLE or left_limb & right_limb:
            continue
        if not _are_side_by_side(places[left], places[right]):
            continue
        inside |= left_limb | right_limb
        twins = {link: pairs[link] for link in places if link in left_limb and link in pairs}
        links = {link: twin for link, twin in twins.items() if twin in right_limb}
        joints = {above[link].name: above[twin].name for link, twin in links.items()}
        # The mirror is Y = 0, so the body is moved there.
        T_base = Transform(R_base, (0.0, -y, 0.0))
        yield _compared(
            hung(plain, right, T_base), hung(plain, left, T_base), links, joints, right, axes
        )


def _are_side_by_side(T_left: Transform, T_right: Transform) -> bool:
    """Return True if two frames are apart along Y more than along the other axes together, about."""
    apart = subtract(T_left.translation, T_right.translation)
    return abs(apart[1]) > 0.5 * norm(apart)


def _compared(
    limb: RawRobot, other: RawRobot, links: Names, joints: Names, top: str, R: Mapping[str, Matrix]
) -> LimbPair:
    """Return a right limb beside the mirror image of the left one; `links` and `joints` are right names by left ones."""
    a = canonical(limb)
    b = canonical(renamed(mirrored(other, "y"), links, joints))
    by_child = {joint.raw.child: index for index, joint in enumerate(b.joints)}
    choices = []
    for index, joint in enumerate(a.joints):
        partner = by_child.get(joint.raw.child)
        if partner is not None:
            sign = sense(IDENTITY_POSE, joint, b.joints[partner])
            choices.append(JointMapping(index, partner, sign))
    # Laid twice: the first time measures how far hinges are moved along their axes.
    robots = lay(a, b, IDENTITY_POSE, _moved_along(lay(a, b, IDENTITY_POSE, choices)))
    differences, _ = differences_of(robots, settings_of(limb, other, NOISE, {}, ASPECTS))
    names = {new: old for old, new in (*links.items(), *joints.items())}
    return LimbPair(names=names, top=top, robots=robots, differences=differences, R=R)


def _moved_along(robots: RobotMap) -> List[JointMapping]:
    """Return the choices of a map, each with the displacement of its hinge along the axis."""
    choices = []
    shifts = {0: ZERO}
    places = link_places(robots.a)
    others = link_places(robots.b)
    for pair in robots.pairs:
        joint = pair.a
        other = pair.b
        Y = robots.Y[joint.child]
        shift = shifts[joint.parent]
        origin = move(Y, places[joint.raw.child].translation)
        other_origin = others[other.raw.child].translation
        by_frame = dot(other.axis, subtract(subtract(other_origin, origin), shift))
        mass = robots.a.bodies[joint.child].mass
        other_mass = robots.b.bodies[other.child].mass
        by_mass = 0.0
        if mass and other_mass:
            center = move(Y, mass.center)
            by_mass = dot(other.axis, subtract(subtract(other_mass.center, center), shift))
        # A hinge drawn elsewhere on its axis moves frame and mass alike, and is not a difference.
        is_moved = joint.motion == TURNS and abs(by_frame) > NOISE.length > abs(by_frame - by_mass)
        along = by_frame if is_moved else 0.0
        choices.append(pair.choice._replace(along=along))
        shifts[joint.child] = add(shifts[joint.parent], scale(along, other.axis))
    return choices


def _pairs(raw: RawRobot) -> Dict[str, str]:
    """Return the links on the right by the links on the left, paired by their names or the joints above them."""
    children = {joint.child for joint in raw.joints}
    by_joint = {joint.name: joint.child for joint in reversed(raw.joints)}
    pairs = dict(left_right_pairs([link.name for link in raw.links if link.name in children]))
    for left, right in left_right_pairs(list(by_joint)):
        if not {by_joint[left], by_joint[right]} & {*pairs, *pairs.values()}:
            pairs[by_joint[left]] = by_joint[right]
    return pairs


def _without_fixed(raw: RawRobot, paired: Set[str]) -> RawRobot:
    """Return a robot whose paired links are separate bodies: the position of their joint is compared, not its turn."""

    def free(joint: RawJoint) -> RawJoint:
        """Return a ball in place of the fixed joint above a paired link."""
        is_paired = joint.type == "fixed" and joint.child in paired
        return joint._replace(type="ball") if is_paired else joint

    def heavy(link: RawLink) -> RawLink:
        """Return a link without a mass that is as light as a frame."""
        is_light = link.mass is not None and link.mass.mass < LEAST_MASS
        return link._replace(mass=None) if is_light else link

    return raw.with_each(joints=free, links=heavy)


def left_right(limbs: LimbPair) -> List[Diagnostic]:
    """Return the differences between the right limb and the mirror image of the left limb, small differences in one
    line.
    """
    reported: List[Diagnostic] = []
    small: List[Difference] = []
    seen: Set[str] = set()
    for difference in limbs.differences:
        sentence = SENTENCES.get(difference.kind, difference.kind)
        is_hidden = sentence in HIDDEN and difference.where in seen
        if sentence not in LEFT_RIGHT.sentences or is_hidden:
            continue
        seen.add(difference.where)
        if _is_small(difference):
            small.append(difference)
            continue
        size = size_text(difference.size, difference.unit)
        others = [AS_WRITTEN.get(name, name) for name in difference.names[1:]]
        reported.append(
            Diagnostic(
                kind=LEFT_RIGHT,
                line=difference.line_a,
                sentence=sentence,
                names=(limbs.names[difference.where], difference.where, size, *others),
                numbers=difference.numbers,
            )
        )
    if small:
        places = shown_names(f"{each.where} ({size_text(each.size, each.unit)})" for each in small)
        sentence = "small" if reported else "twin"
        names = (limbs.names[limbs.top], limbs.top, places)
        reported.append(Diagnostic(LEFT_RIGHT, small[0].line_a, sentence, names))
    return reported


def _is_small(difference: Difference) -> bool:
    """Return True for a difference that CAD makes by its inaccuracies."""
    if difference.kind == "mass":
        masses = [value for value in (difference.a, difference.b) if isinstance(value, float)]
        return difference.size < SMALL_PART * max(masses)
    is_of_place = difference.kind in ("shifted", "shifted_alone", "along", "center")
    return is_of_place and difference.size < SMALL
