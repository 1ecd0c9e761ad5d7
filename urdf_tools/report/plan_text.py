"""The plan as text for a person: what changes, in order, and how to see what is folded; nothing here prints."""
from typing import List

from ..base.number_text import count_of, short
from ..base.version import __version__
from ..urdf.model import Joint
from ..urdf.spatial import NO_TURN
from ..plan.merging import MAIN
from ..run.pipeline import Result, SrdfResult
from .changes import difference_section, followed_rows, joint_sections, link_sections, mesh_sections, moving
from .grouped_warnings import alike_lines, warning_section
from .layout import columns, fold, lay_out, Look, mass_text, Section
from .simulator_notes import simulator_notes
from .summary import proof_text

NOT_SHOWN = "Not shown here (--full, or ? at the question, shows all of it)"


def plan_text(result: Result, look: Look) -> List[str]:
    """Return what was found and what will be done."""
    plan, robot, srdf = result.plan, result.before, result.srdf
    sections = [
        *link_sections(plan, look), *joint_sections(plan, look), *mesh_sections(plan, look),
        Section(f"What follows elsewhere in the file: {len(plan.following.notes)}",
                columns(followed_rows(plan.following.notes, look), look), "follows"),
        *([_srdf_section(srdf, look)] if srdf else []),
        Section("Further files", [
            *(line for text in result.exported.lines for line in fold(text, look, "    ", "  ")),
            *alike_lines(result.exported.left, look, "follows")], "follows"),
        difference_section(result, look),
        warning_section("Warnings", [*plan.warnings, *result.exported.warnings], plan, look),
        *([warning_section(f"Warnings about {srdf.before.path}", srdf.following.warnings, plan, look)] if srdf else []),
        *_in_full(result, look)]
    who = (f"urdf_simplify {__version__}: {robot.document.path} '{robot.name}': "
           f"{count_of(len(robot.links), 'link')}, {count_of(len(robot.joints), 'joint')}, {mass_text(robot.mass)} kg")
    return [*(look.title(line) for line in fold(who, look, "  ", "")), *_base(result, look), *lay_out(sections, look)]


def _base(result: Result, look: Look) -> List[str]:
    """Return what was decided about the base, and why."""
    base, is_left = result.plan.base, ("as_is", True) in result.exported.choices
    if not result.plan.options.reorient:
        return [f"Base: all frames stay as they are (--{'as-is' if is_left else 'no-reorient'})"]
    turn = f"{base.words} becomes X forward, Y left, Z up" if base.R_new_old != NO_TURN else (
        "X forward, Y left, Z up, as in the input")
    lines = fold(f"Base: {turn}: {base.reason}", look, "  ", "")
    return [look.alert(line) if base.assumed else line for line in lines]


def _srdf_section(srdf: SrdfResult, look: Look) -> Section:
    """Return what follows in the SRDF, and its proof."""
    from ..srdf.verify import srdf_proof_line

    lines = columns(followed_rows(srdf.following.notes, look), look) or ["  nothing in it has to follow"]
    return Section(f"SRDF {srdf.before.path}: {count_of(len(srdf.following.notes), 'element')} to follow",
                   [*lines, *fold(f"Proof: {srdf_proof_line(srdf.proof)}", look, "    ", "  ")], "follows")


def _tree_section(result: Result, look: Look) -> Section:
    from .tree import tree_lines

    return Section("Kinematic tree of the input", tree_lines(result.plan, result.before, look), "tree")


def _origin_text(joint: Joint) -> str:
    rpy = f"rpy=[{short(joint.rpy)}]"
    return f"axis=[{short(joint.axis)}] {rpy}" if joint.type not in ("fixed", "floating") else f"{joint.type} {rpy}"


def _in_full(result: Result, look: Look) -> List[Section]:
    """Return the sections that are there only in full, and the last: how to see each that is not shown."""
    plan, notes, joints = result.plan, simulator_notes(result.after), moving(result.plan)
    sections = []
    if look.shows("simulators"):
        sections.append(Section("Notes for simulators", [
            line for note in notes for line in fold(note, look, "    ", "  ")], "simulators"))
    if look.shows("tree"):
        sections.append(_tree_section(result, look))
    if look.shows("origins"):
        sections.append(Section("Joint origins of the result", columns(
            [(joint.name, _origin_text(joint)) for joint in result.after.joints], look), "origins"))
    if look.shows("proof"):
        sections.append(Section("Proof", proof_text(result, look), "proof"))
    mains = sum(member.kind == MAIN for member in plan.members.values())
    plain = sum(planned.frame.sign > 0 for planned in joints)
    rows = (("links", count_of(mains, "main link"), mains),
            ("joints", f"{plain} of {len(joints)} joints keep their sign", len(joints)),
            ("tree", f"kinematic tree of {count_of(len(result.before.links), 'link')}", 1),
            ("simulators", f"{count_of(len(notes), 'note')} for simulators", len(notes)),
            ("proof", "figures of the proof", 1))
    folded = [(f"--full={name}", said) for name, said, count in rows if count and not look.shows(name)]
    return [*sections, Section(NOT_SHOWN, columns(folded, look))]
