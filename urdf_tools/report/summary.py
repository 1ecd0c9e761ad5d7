"""Summarize a run: counts, the line for `--check`, the lines above the question, and those at the end."""
from typing import List, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of, grouped
from ..urdf.spatial import IDENTITY
from ..verify.comparison import figure_text, TOLERANCE
from ..verify.equivalence import Proof, proof_line
from ..run.records import Followed, Result
from .changes import lost_frames
from .grouped_warnings import alike_lines, actions_needed
from .layout import fold, mass_text, Style

FILES_NAMED = 10  # all that one robot can have; more are counted
NOTHING = "Nothing to do: already simplified"
NOTHING_ASKED = "Nothing to do with these options"
EXPORTED = "The robot stays as it is"


def change_line(result: Result) -> str:
    """Return in one line what a run changes in the URDF, or what it is converted from; "" for nothing."""
    if not result.changed:
        return ", ".join(result.exported.changes)
    if result.exported.edited:
        return ", ".join(result.exported.changes)
    plan = result.plan
    merged = sum(member.merged for member in plan.members.values())
    flipped = sum(planned.map.sign < 0 for planned in plan.joints.values())
    staying = [joint for joint in plan.robot.joints if not plan.is_removed(joint.child)]
    turned = sum((old.rpy, old.axis) != (new.rpy, new.axis) for old, new in zip(staying, result.after.joints))
    split, followed = len(plan.meshes.converted), len(plan.updates.notes)
    kind = "COLLADA " if plan.meshes.sources == "COLLADA" else ""
    become = "split" if kind and set(plan.meshes.formats) <= {"STL"} else "converted"
    phrases = [text for count, text in (
        (merged, f"{count_of(merged, 'link')} {'emptied' if plan.options.keep_all_frames else 'merged'}"),
        (flipped, f"{count_of(flipped, 'joint')} flip{'s' * (flipped == 1)}"),
        (turned, f"{count_of(turned, 'joint')} turned"),
        (len(plan.strips), f"{count_of(len(plan.strips), 'shape')} stripped"),
        (len(plan.copies), f"{count_of(len(plan.copies), 'duplicate shape')} dropped"),
        (split, f"{count_of(split, f'{kind}mesh', f'{kind}meshes')} {become}"),
        (followed, f"{count_of(followed, 'other element')} updated"),
    ) if count]
    phrases[:0] = ["all signs kept"] * bool(plan.options.keep_signs and plan.signs_kept)
    if not turned and plan.base.R_new_old != IDENTITY:
        phrases.insert(0, "base turned")
    phrases += result.exported.changes
    if phrases:
        return ", ".join(phrases)
    # Nothing of the plan changed the file: it is a name of a mesh, a note, or how numbers are written.
    meshes = [[shape.mesh for link in robot.links.values() for shape in link.shapes]
              for robot in (result.before, result.after)]
    if meshes[0] != meshes[1]:
        return "names of meshes, as seen from the output"
    before, after = (set(robot.document.text().splitlines()) for robot in (result.before, result.after))
    is_note = all(line.startswith("<!-- urdf_simplify ") for line in before ^ after)
    return "a note of the base frame" if is_note else "numbers tidied"


def companion_change_line(followed: Followed) -> str:
    """Return in one line what a run would change in a companion, for --check."""
    elements = count_of(len(followed.updates.notes), "element")
    return f"would change: {elements} updated" if followed.changed else "fits already"


def proof_verdict(proof: Proof) -> str:
    """Return the proof in words, with the largest of its errors."""
    worst = max(proof.position, proof.angle, proof.mass, proof.center, proof.inertia, proof.limits)
    return f"Same robot: verified in {count_of(proof.samples + 1, 'pose')}, largest error {figure_text(worst)}"


def question_lines(result: Result, warnings: int, *, files: Sequence[Tuple[str, str, str]], style: Style
                   ) -> List[str]:
    """Return the few lines right above the question: the verdict, what changes in numbers, and the files.

    A file is given as the text before its name, the name, and the text after it.
    """
    plan, before, after = result.plan, result.before, result.after
    change = change_line(result)
    asked = plan.options.merge and plan.options.strip_hardware and plan.options.reorient
    followers = [followed.name for followed in result.companions if followed.changed]
    nothing = f"Nothing to do but in the {followers[0]}" if followers else NOTHING if asked else (
        EXPORTED if result.exported.files else NOTHING_ASKED)
    edited = result.exported.edited
    verdict = f"{style.check_mark} {edited.verdict if edited else proof_verdict(result.proof)}"
    lines = [style.good(line) for line in fold(verdict, "   ", "")]
    if result.proof.axis > TOLERANCE:
        lines += fold(f"angles up to {result.proof.axis:.1e} rad were rounded (--snap 0 rounds none)", "   ", "   ")
    counts = [f"{len(before.links)} -> {count_of(len(after.links), 'link')}",
              f"{len(before.joints)} -> {count_of(len(after.joints), 'joint')}", change,
              count_of(warnings, "warning") if warnings else ""]
    lines += fold(", ".join(filter(None, counts)) if change else nothing, "   ", "   ")
    for (lead, tail), names in grouped(((lead, tail), name) for lead, name, tail in files).items():
        more = 0 if style.full else max(0, len(names) - FILES_NAMED)
        listed = f"{', '.join(names[:len(names) - more])}{f' and {more} more (--full names them)' if more else ''}"
        lines += fold(f"{lead}{listed}{tail}", "   ", "   ")
    return lines


def proof_text(result: Result) -> List[str]:
    """Return all figures of the proof, and what was verified of the meshes that were made."""
    lines = fold(proof_line(result.proof))
    files = result.plan.meshes.files
    if result.plan.meshes.converted:
        triangles = count_of(sum(file.part.triangles for file in files if file.part), "triangle")
        made = count_of(sum(bool(file.part) for file in files), "file")
        lines += fold(f"Meshes: {made}, {triangles}: the polygons of the "
                      f"{result.plan.meshes.sources} files color by color, less what is said to be left out, in "
                      "the boxes of their points")
    return lines


def outcome(result: Result, output: str, further: Sequence[str], warnings: Sequence[Diagnostic], style: Style
            ) -> List[str]:
    """Return what was written, every number read from the text that was written, and what is left to do.

    `output` is "" where no URDF is written.
    """
    before, after = result.before, result.after
    tasks = [*lost_frames(result.plan, style), *actions_needed(warnings, result.plan),
             *alike_lines(result.exported.left, style), *_signs_to_follow(result)]
    tasks = ["", style.title("Next (lines of the input):"), *map(style.alert, tasks)] if tasks else []
    done = style.good("Done!")
    if not output:
        return ["", done, *further, *tasks]
    mass = f"Mass preserved: {mass_text(after.mass)} kg"
    if abs(after.mass - before.mass) > 1e-9 * max(before.mass, 1e-9):
        why = "as edited" if result.exported.edited else "parts exported twice counted once"
        mass = f"Mass: {mass_text(before.mass)} -> {mass_text(after.mass)} kg ({why})"
    return ["", done, f"  Output: {output}", f"  Links: {len(before.links)} -> {len(after.links)}",
            f"  Joints: {len(before.joints)} -> {len(after.joints)}", *fold(mass), *further, *tasks]


def _signs_to_follow(result: Result) -> List[str]:
    """Return the lines on joints whose sign or zero changed, which programs outside the file must know."""
    edited = result.exported.edited
    maps = list(edited.maps.values()) if edited else [planned.map for planned in result.plan.joints.values()]
    flipped, moved = sum(joint_map.sign < 0 for joint_map in maps), sum(joint_map.zero != 0.0 for joint_map in maps)
    return [line for count, how, what in ((flipped, "flipped", "signs"), (moved, "got another zero", "zeros"))
            for line in (fold(f"{count_of(count, 'joint')} {how}: drivers and policies outside the file need the "
                              f"{what} (--report FILE, or --adapter FILE.py)") if count else [])]
