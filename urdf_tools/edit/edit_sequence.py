"""The sequence of edits, from text to text, each proven by its own law; and the result for the report.

The edit `like` consists of other edits: a robot gets the joint signs, zeros, names and frames of a different
description of the same robot. The remaining differences are listed.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import UsageError
from ..base.run_diagnostics import DROPPED_NAME
from ..base.number_text import count_of, short
from ..base.type_aliases import Json, Names
from ..compare.robot_comparison import compare, ComparisonResult
from ..compare.verify_edit import CLOSE, EditLaw
from ..compare.read_any_format import read_robot_of
from ..compare.robot_map import LIMITS, NONE
from ..plan.plan_decisions import by_line
from ..plan.reference_updates import ReferenceUpdates
from ..plan.result_notes import losses_in_words
from ..robot.canonical_robot import link_places
from ..robot.raw_robot import RawLink, RawRobot
from ..run.run_pipeline import simplify_bytes
from ..run.run_records import ExtensionRequest, EditedRobot, Result
from ..meshing.mesh_converter import MeshMakingSettings
from ..urdf.urdf_records import AS_IT_WAS, JointMap, UrdfRobot
from ..urdf.urdf_notes import in_note
from ..urdf.spatial_math import (
    compose,
    dot,
    IDENTITY,
    inverse,
    move,
    norm,
    Transform,
    rotate,
    rotation_angle,
    scale,
    subtract,
    transpose,
    Vector,
    ZERO,
)
from ..urdf.xml_edits import attach as attach_elements, detach
from .attach_robot import attach
from .edit_session import Act, EditSession
from .move_frames import add_frame, add_root, axes_note, old_to_new_poses, place_frames, root
from .joint_edits import count_otherwise, drop, flip, lock, only, zero
from .edit_diagnostics import LIKE
from .edit_laws import raw_of
from .masses_from_shapes import inertia_from
from .scaled_mesh_files import bake_scale
from .mirror_subtree import mirror
from .rename_elements import law_of_renaming, prefix, rename, rename_act
from .robot_draft import RobotDraft, EditResult
from .remove_parts import remove
from .scale_robot import scale as scale_robot
from .set_edit import set_values
from .edit_value_words import listed, option_name, spelled, split_words

# Zeros and frames that are closer are equal [rad or m].
SAME_ZERO = 1e-9
SAME_FRAME = 1e-9
SAME_PART = 1e-6  # [m, 1] tolerance for matching links on fixed joints by center and mass


def like(editing: EditSession, words: Sequence[str]) -> str:
    """Give a robot the names, signs and frames of a different description of it; return the report's phrase.

    First names, then signs and zeros, then the root, the frames, and the order of the joints.

    Raises:
        UrdfError: the other file cannot be read, or is not a description of this robot.
    """
    if len(words) != 1:
        raise UsageError(
            "give the file of the other description, such as --like new.urdf", editing.path
        )
    path = words[0]
    other = read_robot_of(path, editing.packages)
    first = _compared(editing, other)
    # Two robots without joints may be equal although there is no joint to pair.
    if not (first.map.pairs or not first.differences):
        raise UsageError(
            f"--like {path}: none of its joints matches a joint of this robot: {first.verdict}",
            editing.path,
        )
    # Names come first, because each later step finds its joints and links by the new names.
    joints, links = _new_names(editing.draft().robot, first)
    done = _take_names(editing, words, joints, links)
    done += _take_signs_and_zeros(editing, words, _signs_and_zeros(editing, first, joints))
    done += _take_root(editing, other)
    # A new root turns frames, so the frames to move are known only now.
    placements = _placements(_compared(editing, other))
    if placements:
        editing.act("like", lambda draft, _: _placed(draft, placements), words)
        done.append(f"{count_of(len(placements), 'frame')} put elsewhere")
    done += _take_order(editing, words, other)
    editing.warnings += _differences(_compared(editing, other), path)
    return f"like {path}: {', '.join(done) or 'it is already'}"


def _take_names(
    editing: EditSession, words: Sequence[str], joints: Dict[str, str], links: Dict[str, str]
) -> List[str]:
    """Rename joints and links; return the phrases of the report."""
    if not joints and not links:
        return []
    editing.act("like", lambda draft, _: _renamed(draft, links, joints), words)
    return [f"{count_of(len(joints) + len(links), 'name')} changed"]


def _take_signs_and_zeros(
    editing: EditSession, words: Sequence[str], maps: Mapping[str, JointMap]
) -> List[str]:
    """Change the signs and zeros of joints, given by name; return the phrases of the report."""
    if not maps:
        return []

    def count(draft: RobotDraft, _: Sequence[str]) -> EditResult:
        """Apply the maps to the joints."""
        named = [joint for joint in draft.robot.joints if joint.name in maps]
        return count_otherwise(draft, {joint.child: maps[joint.name] for joint in named})

    editing.act("like", count, words)
    signs = sum(sign < 0 for sign, _ in maps.values())
    zeros = sum(zero != 0.0 for _, zero in maps.values())
    phrases = []
    if signs:
        phrases.append(f"{count_of(signs, 'sign')} turned")
    if zeros:
        phrases.append(f"{count_of(zeros, 'zero')} moved")
    return phrases


def _take_root(editing: EditSession, other: RawRobot) -> List[str]:
    """Make the body of the other robot's root the root of this robot if the roots differ; return the phrases of the report."""
    robot_map = _compared(editing, other).map
    # `b.root` is the link from which the comparison starts the other robot; "", if that is the root of its file.
    if not robot_map.b.root:
        return []
    body_of_a = {b: a for a, b in robot_map.bodies.items()}
    carried = {joint.child for joint in other.joints}
    top = next(link.name for link in other.links if link.name not in carried)
    body = body_of_a.get(robot_map.b.body_of.get(top, -1))
    if body is None:  # this robot lacks the body of the other's root
        return []
    editing.act("like", root, [robot_map.a.bodies[body].parts[0].link.name])
    return [f"root {top}"]


def _take_order(editing: EditSession, words: Sequence[str], other: RawRobot) -> List[str]:
    """Put the joints into the order of the other robot; return the phrases of the report."""
    # Reversed, so that the first joint of a name wins.
    order = {joint.name: number for number, joint in reversed([*enumerate(other.joints)])}
    numbers = [order[joint.name] for joint in editing.draft().robot.joints if joint.name in order]
    if numbers == sorted(numbers):
        return []
    editing.act("like", lambda draft, _: _ordered(draft, order), words)
    return ["joints in its order"]


def _compared(editing: EditSession, other: RawRobot) -> ComparisonResult:
    """Return the comparison of the current robot with the other robot."""
    return compare(raw_of(editing.data, editing.path, editing.packages), other)


def _new_names(
    robot: UrdfRobot, comparison: ComparisonResult
) -> Tuple[Dict[str, str], Dict[str, str]]:
    """Return the new names of joints, of the links that they carry, and of the root, where they differ.

    A joint or link that the other robot lacks gets the suffix `_a` if its name is needed for another.
    """
    robots = comparison.map
    joints = {pair.a.raw.name: pair.b.raw.name for pair in robots.pairs}
    links = {pair.a.raw.child: pair.b.raw.child for pair in robots.pairs}
    # The first part of body 0 is the root.
    links[robots.a.bodies[0].parts[0].link.name] = robots.b.bodies[0].parts[0].link.name
    links.update(_names_on_fixed_joints(comparison, links))
    # A fixed joint is identified by its two links, as it has no motion to compare.
    named = {
        (links.get(joint.parent, joint.parent), links.get(joint.child, joint.child)): joint.name
        for joint in robots.a.raw.joints
        if joint.type == "fixed"
    }
    for joint in robots.b.raw.joints:
        ends = joint.parent, joint.child
        if joint.type == "fixed" and ends in named:
            joints[named[ends]] = joint.name
    # A link keeps its name if the other robot uses the name on the same body.
    known = [{part.link.name for part in body.parts} for body in robots.b.bodies]
    links = {
        old: new
        for old, new in links.items()
        if old not in known[robots.bodies.get(robots.a.body_of[old], 0)]
    }
    return _free_names(joints, set(robot.named)), _free_names(links, set(robot.links))


def _free_names(names: Names, known_names: Set[str]) -> Dict[str, str]:
    """Return the names that change; names that would clash with a new name get a free name."""
    new_names = {old: new for old, new in names.items() if old != new}
    for name in set(new_names.values()) & known_names - names.keys():
        free_name = f"{name}_a"
        while free_name in known_names or free_name in new_names.values():
            free_name += "_a"
        new_names[name] = free_name
    # Simulators fix the link `world`, so this name is neither given nor taken.
    return {old: new for old, new in new_names.items() if "world" not in (old, new)}


def _names_on_fixed_joints(comparison: ComparisonResult, links: Names) -> Dict[str, str]:
    """Return new names of links on fixed joints: the names of equal links of the other robot.

    Two links get a common name only if neither equals a second link of the same body.
    """
    robots = comparison.map
    places = link_places(robots.b)
    new_names: Dict[str, str] = {}
    for index, Y in robots.Y.items():
        parts = robots.a.bodies[index].parts
        other_parts = robots.b.bodies[robots.bodies[index]].parts
        # A link that carries a joint, or whose name both robots have, needs no new name.
        settled_names = {*links, *(part.link.name for part in other_parts)}
        used_names = {*links.values(), *(part.link.name for part in parts)}
        candidates = [part.link for part in other_parts if part.link.name not in used_names]
        equal_pairs = []
        for part in parts:
            if part.link.name in settled_names:
                continue
            T_root_link = compose(Y, part.T_root_link)
            for other in candidates:
                if _is_same_part(part.link, T_root_link, other, places[other.name]):
                    equal_pairs.append((part.link.name, other.name))
        # Two equal screws at one place cannot be distinguished: neither is renamed.
        firsts = Counter(first for first, _ in equal_pairs)
        seconds = Counter(other for _, other in equal_pairs)
        new_names.update(
            {first: other for first, other in equal_pairs if firsts[first] == seconds[other] == 1}
        )
    return new_names


def _is_same_part(a: RawLink, T_root_a: Transform, b: RawLink, T_root_b: Transform) -> bool:
    """Return True if two links have the same mass at the same place, or if massless links have coinciding frames."""
    mass_a = a.mass.mass if a.mass else 0.0
    mass_b = b.mass.mass if b.mass else 0.0
    if abs(mass_a - mass_b) > SAME_PART * mass_a or len(a.shapes) != len(b.shapes):
        return False
    has_mass = bool(mass_a)
    return (
        norm(subtract(_center(a, T_root_a, has_mass), _center(b, T_root_b, has_mass))) < SAME_PART
    )


def _center(link: RawLink, T_root_link: Transform, has_mass: bool) -> Vector:
    """Return the center of mass of a link in the frame of the root; without mass the origin of the link."""
    center = link.mass.center if has_mass and link.mass else ZERO
    return move(T_root_link, center)


def _renamed(draft: RobotDraft, links: Dict[str, str], joints: Dict[str, str]) -> EditResult:
    """Rename links and joints; return the law of the names."""
    rename(draft, links, joints)
    return EditResult(law_of_renaming(draft, links, joints), "")


def _signs_and_zeros(
    editing: EditSession, comparison: ComparisonResult, joints: Dict[str, str]
) -> Dict[str, JointMap]:
    """Return the maps of joints by their new names: q_b = s q + o is s (q - z) with z = -s o."""
    robots = comparison.map
    maps = {}
    for pair in robots.pairs:
        joint = pair.a.raw
        sign = pair.choice.sign
        zero = -sign * pair.offset
        zero = zero if abs(zero) > SAME_ZERO else 0.0
        if not joint.moves or (sign, zero) == AS_IT_WAS:
            continue
        name = joints.get(joint.name, joint.name)
        maps[name] = JointMap(1 if sign > 0 else -1, zero)
        if not zero:
            continue
        lower, upper = joint.lower, joint.upper
        if lower is not None and upper is not None and joint.type != "continuous":
            if not lower <= zero <= upper:
                outside = Diagnostic(
                    kind=LIKE,
                    line=joint.line,
                    sentence="outside",
                    names=(name,),
                    numbers=(zero, lower, upper),
                )
                editing.warnings.append(outside)
        # No body determines the zero, so it was taken from the limits, or is arbitrary.
        unsure = {LIMITS: "limits", NONE: "none"}.get(pair.evidence)
        if unsure:
            offsets = [other.offset for other in pair.others]
            others = short(offsets) or "any other"
            editing.warnings.append(
                Diagnostic(
                    kind=LIKE,
                    line=joint.line,
                    sentence=unsure,
                    names=(name, others),
                    numbers=(zero,),
                )
            )
    return maps


def _placements(comparison: ComparisonResult) -> Dict[str, Transform]:
    """Return T_new_old of links whose frames differ from the frames of the same name in the other robot."""
    robots = comparison.map
    places = link_places(robots.b)
    placements: Dict[str, Transform] = {}
    axes = {pair.a.raw.child: pair for pair in robots.pairs}
    for index, body in enumerate(robots.a.bodies):
        if index not in robots.Y:
            continue
        for part in body.parts:
            name = part.link.name
            if name not in places or robots.b.body_of.get(name) != robots.bodies[index]:
                continue
            T = compose(inverse(places[name]), compose(robots.Y[index], part.T_root_link))
            if (
                norm(T.translation) < SAME_FRAME
                and rotation_angle(T.rotation, IDENTITY) < SAME_FRAME
            ):
                continue
            joint = axes[name].a.raw if name in axes else None
            if joint is not None and joint.type in ("revolute", "continuous"):
                # The frame may move only along the axis of its joint.
                at = scale(-1.0, rotate(transpose(T.rotation), T.translation))
                if norm(subtract(at, scale(dot(at, joint.axis), joint.axis))) > SAME_FRAME:
                    continue
            elif joint is not None and not joint.moves:
                continue  # planar or floating: its coordinates would change their meaning
            placements[name] = T
    return placements


def _placed(draft: RobotDraft, placements: Dict[str, Transform]) -> EditResult:
    """Move frames by T_new_old of their links; return the law of the frames, and the note of a turned base."""
    place_frames(draft, placements)
    note = None
    base = placements.get(draft.robot.root)
    if base is not None and base.rotation != IDENTITY:
        note = axes_note(draft.robot, transpose(base.rotation))
    return EditResult(law=EditLaw(frames=old_to_new_poses(placements)), did="", base=note)


def _ordered(draft: RobotDraft, order: Mapping[str, int]) -> EditResult:
    """Put the joints of both robots behind all others, in the order of the other robot, by name."""
    joints = [joint for joint in draft.robot.joints if joint.name in order]
    pieces = detach(draft.document.root, [draft.copy(joint.source) for joint in joints])
    numbers = [order[joint.name] for joint in joints]
    # Joints of the same name keep their order.
    for _, _, piece in sorted(zip(numbers, range(len(pieces)), pieces)):
        attach_elements(draft.document.root, piece)
    return EditResult(EditLaw(), "")


def _differences(comparison: ComparisonResult, path: str) -> List[Diagnostic]:
    """Return warnings of joints that still differ in sign or zero, of names that stay, and of other differences."""
    robots = comparison.map
    warnings = []
    names = {link.name for link in robots.b.raw.links}
    staying = [link for link in robots.a.raw.links if link.name not in names]
    if staying:
        shown = (listed([link.name for link in staying]), path)
        warnings.append(
            Diagnostic(
                kind=LIKE,
                line=staying[0].line,
                sentence="names",
                names=shown,
                numbers=(float(len(staying)),),
            )
        )
    for pair in robots.pairs:
        joint = pair.a.raw
        if joint.moves and (pair.choice.sign < 0 or abs(pair.offset) > SAME_ZERO):
            warnings.append(Diagnostic(LIKE, joint.line, "counts", (joint.name, path)))
    if comparison.differences:
        warnings.append(
            Diagnostic(
                kind=LIKE,
                line=0,
                sentence="left",
                names=(path, comparison.verdict),
                numbers=(float(len(comparison.differences)),),
            )
        )
    return warnings


# Carries out an act, given its name and value; returns the report's phrase, or "" if nothing was done.
CarriedOut = Callable[[EditSession, str, Any], str]


def _of_words(act: Act, *, single: bool = False) -> CarriedOut:
    """Return an act whose value is words, split as a shell splits them, or a `single` one, which may contain spaces."""

    def carry_out(editing: EditSession, name: str, value: str) -> str:
        """Carry out the act with its words, which the note of the result gets."""
        words = split_words(value, editing.path, single=single)
        editing.say(_in_note(name, value))
        return editing.act(name, act, words).did

    return carry_out


def _of_glob(act: Act) -> CarriedOut:
    """Return an act whose value is a glob, or a glob with its position."""

    def carry_out(editing: EditSession, name: str, value: Any) -> str:
        """Carry out the act, which words its own note: a glob may match nothing new."""
        return editing.act(name, act, [value]).did

    return carry_out


def _like(editing: EditSession, name: str, value: str) -> str:
    """Carry out `like`, which consists of other acts."""
    before = editing.data, editing.words, editing.is_later
    words = split_words(value, editing.path, single=True)
    editing.say(_in_note(name, value))
    did = like(editing, words)
    if editing.data == before[0]:  # nothing was done, so the note does not mention it
        _, editing.words, editing.is_later = before
    return did


def _in_note(name: str, value: str) -> str:
    """Return an act as the note of the result names it."""
    return f"{option_name(name)} {in_note(value)}"


# Every act by its name, which is the name of its option, too, with the way its value is read.
ACTS_OF_WORDS: Dict[str, CarriedOut] = {
    "root": _of_words(root, single=True),
    "attach": _of_words(attach),
    "mirror": _of_words(mirror),
    "prefix": _of_words(prefix, single=True),
    "rename": _of_words(rename_act, single=True),
    "add_root": _of_words(add_root),
    "add_frame": _of_words(add_frame),
    "set": _of_words(set_values),
    "remove": _of_words(remove),
    "scale_by": _of_words(scale_robot),
    "inertia_from": _of_words(inertia_from),
}
ACTS: Dict[str, CarriedOut] = {
    **ACTS_OF_WORDS,
    "like": _like,
    "lock": _of_glob(lock),
    "zero": _of_glob(zero),
    "flip": _of_glob(flip),
    "only": _of_glob(only),
    "drop": _of_glob(drop),
    "bake_scale": _of_glob(bake_scale),
}


def with_edits(asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> Result:
    """Return the result of a run with the edits of the command, applied from left to right.

    Raises:
        UrdfError: an edit is not possible.
        ProofFailed: its law does not hold; a fault of this tool.
    """
    editing = EditSession(asked, result, making)
    acts: Sequence[Tuple[str, Any]] = asked.choices["acts"]
    for number, (name, value) in enumerate(acts):
        try:
            did = ACTS[name](editing, name, value)
        except UsageError as error:
            raise UsageError(
                f"{error.message}{_place_of(acts, number)}", error.path, error.line
            ) from None
        if did:
            editing.done.append(did)
    return _reported(editing, asked, result, making)


def _place_of(acts: Sequence[Tuple[str, Any]], number: int) -> str:
    """Return a phrase with the edit's place in its command, and the previous edit of its kind; "" for the first."""
    alike = [index for index in range(number) if acts[index][0] == acts[number][0]]
    after = [f", after edit {index + 1}, {spelled(*acts[index])}" for index in alike[-1:]]
    return f" (edit {number + 1} of this command{''.join(after)})" if number else ""


def _reported(
    editing: EditSession, asked: ExtensionRequest, result: Result, making: MeshMakingSettings
) -> Result:
    """Return the result of the run for the report, from a second run on its text that changes nothing."""
    options = result.plan.options
    # The second run reads and proves the final text, like any other run.
    last = simplify_bytes(
        editing.data,
        asked.path,
        options,
        asked.output,
        making.staging_dir,
        converter=making.converter,
        companions=editing.companions(),
        mark_lines=editing.mark,
    )
    # A later edit may have added the missing element.
    known = last.after.links.keys() | last.after.named.keys()
    warnings = [
        warning
        for warning in editing.warnings
        if warning.kind is not DROPPED_NAME or known.isdisjoint(warning.names)
    ]
    plan = last.plan._replace(
        warnings=by_line([*warnings, *last.plan.warnings]),
        meshes=last.plan.meshes._replace(files=tuple(editing.files)),
        updates=ReferenceUpdates(notes=tuple(sorted(editing.notes, key=lambda note: note.line))),
    )
    companions = []
    for followed in result.companions:
        new = last.srdf
        if new is not None and followed.name == new.name:
            followed = followed._replace(
                updates=ReferenceUpdates(
                    notes=tuple(editing.srdf_notes),
                    warnings=by_line([*editing.srdf_warnings, *new.updates.warnings]),
                ),
                after=new.after,
                data=new.data,
                proof=new.proof,
                proof_line=new.proof_line,
            )
        companions.append(followed)
    return last._replace(
        plan=plan,
        before=result.before,
        source=result.source,
        companions=tuple(companions),
        exported=last.exported._replace(
            changes=tuple(editing.done),
            edited=_edited(editing, result.before),
            but_for=losses_in_words(editing.lost),
        ),
    )


def _edited(editing: EditSession, before: UrdfRobot) -> Optional[EditedRobot]:
    """Return the record of the edits that had an effect, or None."""
    count = len(editing.done)
    if not count:
        return None
    each = "each " if count > 1 else ""
    precision = f"{CLOSE.length:g} m and rad"
    lost = ", ".join(losses_in_words(editing.lost))
    rest = f"nothing else changed, but for {lost}" if lost else "nothing else changed"
    return EditedRobot(
        verdict=f"{count_of(count, 'edit')} applied; {rest}: {each}checked to {precision}",
        old_joints={new: old for old, new in editing.law.joints.items()},
        maps=editing.law.maps,
        locked=editing.locked,
        dropped=editing.dropped,
        described=_described(before, editing),
    )


def _described(before: UrdfRobot, editing: EditSession) -> Json:
    """Describe the joints that edits locked, the links that they dropped with their joints, and the factor of lengths."""
    locked = editing.locked
    dropped = editing.dropped
    rows_of_joints = [
        {
            "name": joint.name,
            "child": joint.child,
            "position": locked[joint.name],
            "line": joint.source.line,
        }
        for joint in before.joints
        if joint.name in locked
    ]
    rows_of_links = []
    for name, link in before.links.items():
        if name in dropped:
            joint_above = before.above.get(name)
            rows_of_links.append(
                {
                    "link": name,
                    "joint": joint_above.name if joint_above is not None else None,
                    "line": link.source.line,
                    "mass": link.mass,
                }
            )
    described: Json = {"locked": rows_of_joints, "dropped": rows_of_links}
    if editing.scale != 1.0:
        described["scale"] = editing.scale
    return described
