"""The edits `lock`, `zero`, `flip`, `only` and `drop`: lock joints, move their zeros, flip their signs, keep a part."""

from __future__ import annotations

from fnmatch import fnmatchcase
from math import fsum
from typing import AbstractSet, Any, Dict, Iterable, List, Mapping, Sequence, Set

from ..apply.merge_passes import fix_joint
from ..apply.apply_plan_passes import define_materials, made_child, map_positions, write_pose
from ..base.type_aliases import Span
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean
from ..base.run_diagnostics import ELEMENT_DROPPED, MIMIC
from ..base.number_text import as_written, count_of, format_number, LARGEST
from ..compare.verify_edit import EditLaw, subtree
from ..meshing.make_meshes import first_definitions
from ..plan.plan_decisions import maps_of
from ..report.line_layout import mass_text
from ..robot.joint_motion import leaders_first, motion_in_child
from ..urdf.urdf_records import (
    as_fixed,
    AS_IT_WAS,
    UrdfJoint,
    JointMap,
    Limit,
    Mimic,
    MOVABLE,
    OF_JOINT,
    poses_at,
)
from ..urdf.urdf_notes import line_of_note, VARIANT, words_of_note
from ..urdf.spatial_math import compose, IDENTITY_POSE, Transform, ZERO
from ..urdf.xml_edits import detach
from .move_frames import axes_note, follow, old_to_new_poses, plan_of, SHIFT_NOISE, write_frames
from .rename_elements import check_owners
from .robot_draft import RobotDraft, EditResult, with_joints
from .mirrored_twin import negated
from .edit_value_words import listed, noted, ElementPattern, patterns_of, words_for_note

AGREE = 1e-9  # [rad or m] tolerance between the locked position of a follower and its mimic rule


def lock(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Fix joints at positions, and their followers at the resulting positions.

    Raises:
        UsageError: a position outside the limits, or of a follower whose leader moves or is locked inconsistently.
    """
    meant = _meant(draft, "lock", values)
    positions = _positions_locked(draft, _by_child(meant))
    words = words_for_note(draft, meant, "joint")
    joints = []
    for joint in draft.robot.joints:
        if joint.child in positions:
            # The position is included in the origin.
            joint = as_fixed(_moved_to(draft, joint, positions[joint.child]))
            # Fixing the joint removes these elements, which some program may read.
            draft.warnings += [
                Diagnostic(
                    ELEMENT_DROPPED,
                    part.line,
                    "element",
                    (joint.child, joint.name, part.name),
                    offset=part.offset,
                )
                for part in joint.source.elements()
                if part.name not in OF_JOINT
            ]
            fix_joint(draft.copy(joint.source))
        joints.append(joint)
    held = {draft.robot.above[child].name: position for child, position in positions.items()}
    plan = follow(draft, plan_of(draft, robot=with_joints(draft.robot, joints)), fixed=held.keys())
    names = listed([f"{name} at {format_number(position)}" for name, position in held.items()])
    return EditResult(
        EditLaw(held=held),
        f"{count_of(len(held), 'joint')} locked: {names}" if held else "",
        words=words,
        plan=plan,
    )


def zero(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Make positions of joints their zeros.

    Raises:
        UsageError: a position outside the limits, or the note lists the same zero already.
    """
    meant = _meant(draft, "zero", values)
    asked = _by_child(meant)
    _require_new(draft, asked)
    maps = {
        child: JointMap(1, _position(draft, wish, draft.robot.above[child]))
        for child, wish in asked.items()
    }
    made = count_otherwise(draft, maps)
    named = made.law.maps
    names = listed([f"{name} {format_number(moved.zero)}" for name, moved in named.items()])
    did = f"{count_of(len(named), 'zero')} moved: {names}" if names else ""
    return made._replace(did=did, words=words_for_note(draft, meant, "joint"))


def flip(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Flip the signs of joints.

    Raises:
        UsageError: a joint has no sign, or the note lists it as flipped already.
    """
    meant = _meant(draft, "flip", values)
    asked = _by_child(meant)
    _require_new(draft, asked)
    made = count_otherwise(draft, dict.fromkeys(asked, JointMap(-1)))
    names = listed(list(made.law.maps))
    did = f"{count_of(len(made.law.maps), 'sign')} turned: {names}" if names else ""
    return made._replace(did=did, words=words_for_note(draft, meant, "joint"))


def count_otherwise(draft: RobotDraft, maps: Mapping[str, JointMap]) -> EditResult:
    """Map the positions q of joints, given by their child links, to sign * (q - zero), and update all that depends on them."""
    robot = draft.robot
    joints = []
    maps = {child: joint_map for child, joint_map in maps.items() if joint_map != AS_IT_WAS}
    for joint in robot.joints:
        sign, at = maps.get(joint.child, AS_IT_WAS)
        if sign < 0:
            axis = made_child(draft.copy(joint.source), "axis")
            # The axis is negated, and no frame turns; the default axis is 1 0 0.
            axis.set("xyz", negated(axis.get("xyz") or "1 0 0", (0, 1, 2)))
        joints.append(_moved_to(draft, joint, at) if at else joint)
    plan = plan_of(draft, robot=with_joints(robot, joints))
    planned = {
        child: each._replace(frame=each.frame._replace(map=maps.get(child, AS_IT_WAS)))
        for child, each in plan.joints.items()
    }
    plan = plan._replace(joints=planned, maps=maps_of(planned))
    map_positions(draft.document, plan)
    names = {robot.above[child].name: joint_map for child, joint_map in maps.items()}
    return EditResult(EditLaw(maps=names), "", plan=follow(draft, plan))


def _moved_to(draft: RobotDraft, joint: UrdfJoint, position: float) -> UrdfJoint:
    """Write the origin of a joint at a position; return the joint with this origin."""
    origin = compose(joint.origin, motion_in_child(joint, position))
    if position:
        write_pose(draft.copy(joint.source), origin, joint.origin, SHIFT_NOISE)
    return joint._replace(origin=origin)


def _by_child(meant: Mapping[ElementPattern, Sequence[str]]) -> Dict[str, ElementPattern]:
    """Return the last pattern for each child link."""
    return {child: wish for wish, children in meant.items() for child in children}


def _meant(draft: RobotDraft, act: str, values: Sequence[Any]) -> Dict[ElementPattern, List[str]]:
    """Return the child links of the movable joints that an edit names; none if an earlier run did the same.

    Raises:
        UsageError: all joints that a glob names are fixed, or a joint has no single position.
    """
    before = noted(draft)
    meant = {}
    for wish in patterns_of(draft, act, values):
        named = [joint for joint in draft.robot.joints if fnmatchcase(joint.name, wish.glob)]
        moving = [joint for joint in named if joint.type != "fixed"]
        if named and not moving and (wish.act, wish.value) not in before:
            raise wish.refused(
                f"joint '{named[0].name}' is fixed already", draft, named[0].source.line
            )
        for joint in moving:
            if joint.type not in MOVABLE and act != "lock":
                raise wish.refused(
                    f"joint '{joint.name}' is {joint.type}: it has no single position",
                    draft,
                    joint.source.line,
                )
        meant[wish] = [joint.child for joint in moving]
    return meant


def _require_new(draft: RobotDraft, asked: Mapping[str, ElementPattern]) -> None:
    """Refuse an edit that the note lists already: its values would be relative to the current file."""
    before = noted(draft)
    of_earlier_runs = len(words_of_note(draft.source, VARIANT))
    for child, wish in asked.items():
        # `equals` is the text after the glob, such as `=1.57`; it is empty for a flip.
        joint = draft.robot.above[child]
        equals = wish.value[len(wish.glob) :]
        for number, (act, value) in enumerate(before):
            glob = value[: len(value) - len(equals)]
            if (act, value) == (wish.act, f"{glob}{equals}") and fnmatchcase(joint.name, glob):
                why = f"'{joint.name}' {'has this zero' if equals else 'was flipped'} already"
                # In the note, the edits of earlier runs come first.
                if number >= of_earlier_runs:
                    raise wish.refused(why, draft, joint.source.line)
                why += ", as this note says: without it that is done again"
                raise wish.refused(why, draft, line_of_note(draft.source, VARIANT))


def _position(draft: RobotDraft, wish: ElementPattern, joint: UrdfJoint) -> float:
    """Return the position that an edit gives a joint [rad or m], and require it to be within the limits."""
    position = wish.position
    limit = joint.limit or Limit()
    line = joint.source.line
    lower = limit.lower or 0.0
    upper = limit.upper or 0.0
    # A bound beyond LARGEST is no limit; a single missing bound is 0 in URDF.
    if joint.type == "continuous" or limit.lower is limit.upper is None:
        lower = -LARGEST
        upper = LARGEST
    if joint.type not in MOVABLE and position != 0.0:
        raise wish.refused(
            f"joint '{joint.name}' is {joint.type}: it can be locked at 0 only", draft, line
        )
    if position == "middle" and max(-lower, upper) >= LARGEST:
        raise wish.refused(
            f"joint '{joint.name}' has no lower and upper limit, and so no middle", draft, line
        )
    value = position if isinstance(position, float) else as_written((0.5 * (lower + upper),))[0]
    if not lower - AGREE <= value <= upper + AGREE:
        ends = " to ".join(
            "no limit" if abs(end) >= LARGEST else format_number(end) for end in (lower, upper)
        )
        where = f"goes from {ends}" if lower < upper else f"has one position: its limits are {ends}"
        raise wish.refused(f"joint '{joint.name}' {where}", draft, line)
    return value


def _positions_locked(draft: RobotDraft, asked: Mapping[str, ElementPattern]) -> Dict[str, float]:
    """Return the positions of locked joints by child link: as given, or for followers as their leaders require.

    A follower that is named together with its leader, or at 0 with a fixed leader, takes its leader's value too.
    """
    locked: Dict[str, float] = {}
    named, above = draft.robot.named, draft.robot.above
    followed = {
        joint.child: named.get(joint.mimic.joint) if joint.mimic is not None else None
        for joint in draft.robot.joints
    }
    for child, lead in leaders_first(
        {child: leader and leader.child for child, leader in followed.items()}
    ):
        joint = above[child]
        leader = above[lead] if lead is not None else None
        wish = asked.get(child)
        if leader is None and wish is not None:
            locked[child] = _position(draft, wish, joint)
        elif leader is not None and (wish is not None or leader.child in locked):
            mimic = joint.mimic or Mimic("")
            leads = locked.get(leader.child, 0.0)
            locked[child] = follows = mimic.offset + mimic.multiplier * leads
            if wish is not None and leader.type in MOVABLE and leader.child not in locked:
                raise wish.refused(
                    f"'{joint.name}' follows '{leader.name}', which moves: lock that",
                    draft,
                    joint.source.line,
                )
            # A position that is given for the follower alone must agree with its leader's position.
            if wish is not None and wish != asked.get(leader.child):
                _require_agreement(draft, wish, joint, leader, (leads, follows))
    return {
        joint.child: locked[joint.child] for joint in draft.robot.joints if joint.child in locked
    }


def _require_agreement(
    draft: RobotDraft, wish: ElementPattern, joint: UrdfJoint, leader: UrdfJoint, positions: Span
) -> None:
    """Refuse a follower's position that contradicts its leader's; `positions` are the values of leader and follower."""
    leads, follows = positions
    if leader.type not in MOVABLE and not wish.position:
        return  # the leader is fixed, and no position is given
    if abs(_position(draft, wish, joint) - follows) > AGREE:
        raise wish.refused(
            f"'{joint.name}' follows '{leader.name}', which is at {format_number(leads)}, and "
            f"so is at {format_number(follows)}",
            draft,
            joint.source.line,
        )


def drop(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Remove links with all their descendants.

    Raises:
        UsageError: a link is the root.
    """
    robot = draft.robot
    meant = {
        wish: [name for name in robot.links if fnmatchcase(name, wish.glob)]
        for wish in patterns_of(draft, "drop", values)
    }
    for wish, links in meant.items():
        if robot.root in links:
            raise wish.refused(
                f"'{robot.root}' is the root, and no link would be left",
                draft,
                robot.links[robot.root].source.line,
            )
    going = _with_descendants(draft, meant.values())
    words = words_for_note(draft, meant, "link")
    lost = [name for name in robot.links if name in going]
    made = _without(draft, going)
    mass = mass_text(fsum(robot.links[name].mass for name in lost))
    did = f"{count_of(len(lost), 'link')} dropped: {listed(lost)} ({mass} kg)"
    return made._replace(words=words, did=did if lost else "")


def _with_descendants(draft: RobotDraft, tops: Iterable[Sequence[str]]) -> Set[str]:
    """Return the names of links, given in several lists, and of all their descendants."""
    return {link for links in tops for top in links for link in draft.below(top)}


def only(draft: RobotDraft, values: Sequence[Any]) -> EditResult:
    """Keep a link and its descendants; the note tells how the frame of the new base lies in the world.

    The note can only name axes along world axes, so any other frame is turned.

    Raises:
        UsageError: the link does not exist.
    """
    robot = draft.robot
    top = values[-1]
    if top not in robot.links:
        raise draft.refused(
            f"--only {top}: there is no such link{did_you_mean(top, list(robot.links))}"
        )
    if top == robot.root:
        return EditResult(EditLaw(), "")
    R_world_top = poses_at(robot, {}, IDENTITY_POSE)[top].rotation
    base = axes_note(robot, R_world_top)
    placements = {}
    if not base:
        placements = {top: Transform(R_world_top, ZERO)}
        base = axes_note(robot)
        write_frames(draft, placements)
    going = robot.links.keys() - set(draft.below(top))
    made = _without(draft, going, top, placements.get(top, IDENTITY_POSE))
    # Only the sub-tree is compared, and nothing is removed from it.
    law = made.law._replace(removed=frozenset(), frames=old_to_new_poses(placements))
    return made._replace(
        law=law,
        base=base,
        words=words_for_note(draft, {ElementPattern("only", top): [top]}, "link"),
        did=f"only '{top}' and below",
        laws=lambda before, after, whole: ((subtree(before, top), after, whole),),
    )


def _without(
    draft: RobotDraft, going: AbstractSet[str], root: str = "", T_new_old: Transform = IDENTITY_POSE
) -> EditResult:
    """Remove links, their joints, and the elements that belong to them.

    `root` and its placement apply if the root is removed.
    """
    robot = draft.robot
    staying = [joint for joint in robot.joints if going.isdisjoint((joint.parent, joint.child))]
    part = with_joints(robot, staying)._replace(
        links={name: link for name, link in robot.links.items() if name not in going},
        root=root or robot.root,
    )
    check_owners(draft, part.links, part.above)
    plan = plan_of(draft, {part.root: T_new_old}, part)
    # The remaining links may need a material that only a dropped link defines.
    plan = plan._replace(definitions=first_definitions(plan, (), robot))
    define_materials(draft.document, plan)
    gone = robot.named.keys() - part.named.keys()
    # A joint whose leader is removed becomes independent.
    for joint in part.joints:
        mimic = draft.copy(joint.source).find("mimic")
        leader = mimic.get("joint") if mimic is not None else None
        if mimic is not None and leader in gone:
            detach(draft.copy(joint.source), [mimic])
            names = joint.name, leader or ""
            draft.warnings.append(Diagnostic(MIMIC, joint.source.line, "released", names))
    plan = follow(draft, plan, removed_links=going, removed_joints=gone)
    lost = [
        *(link.source for name, link in robot.links.items() if name in going),
        *(joint.source for joint in robot.joints if joint.child not in part.above),
    ]
    detach(draft.document.root, list(map(draft.copy, lost)))
    return EditResult(EditLaw(removed=frozenset(going)), "", plan=plan)
