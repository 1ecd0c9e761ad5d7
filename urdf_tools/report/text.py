"""The plan, the tree and the result as text for a person; every function returns lines and prints nothing."""
import math
import os
import textwrap
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..base.number_text import count_of, format_numbers, short
from ..base.version import __version__
from ..urdf.model import Joint, Robot
from ..urdf.spatial import NO_TURN, UNIT_AXES
from ..collada.materials import rgba_text
from ..plan.canonical_frames import axis_letter, JointFrame
from ..plan.decisions import JointPlan, links_left, Plan
from ..plan.merging import BASE, COPY, KEPT, NO_MASS
from ..verify.equivalence import proof_line
from ..run.pipeline import Result
from .simulator_notes import simulator_notes
from .symmetry import asymmetry_line, find_asymmetries

WIDTH = 80
ASYMMETRIES_SHOWN = 24
LEVEL_SHOWN = 24  # deeper levels are shown at this one, after "...": a chain of 10,000 links stays readable
BOXES, PLAIN_BOXES = ("├── ", "└── ", "│   ", "    "), ("|-- ", "`-- ", "|   ", "    ")


class Look(NamedTuple):
    """How the stream likes its text: box characters or ASCII, color or none."""

    boxes: bool
    color: bool

    def title(self, text: str) -> str:
        """Return a headline."""
        return f"\033[1m{text}\033[0m" if self.color else text

    def alert(self, text: str) -> str:
        """Return text that should be seen."""
        return f"\033[33m{text}\033[0m" if self.color else text


def mass_text(mass: float) -> str:
    """Return a mass in kilograms with three decimals, or two digits where it is smaller than that."""
    return f"{mass:.3f}" if mass >= 0.0005 or mass == 0.0 else f"{mass:.2g}"


def columns(rows: Sequence[Tuple[str, ...]]) -> List[str]:
    """Align cells in columns; a last cell that does not fit into the window goes on lines of its own below."""
    lines = []
    widths = [min(40, max(map(len, column))) for column in zip(*rows)]
    for *cells, last in rows:
        line = "  " + "".join(cell.ljust(width) + "  " for cell, width in zip(cells, widths))
        if len(line) + len(last) <= WIDTH:
            lines.append((line + last).rstrip())
        else:
            lines += [line.rstrip(), *fold(last, "      ")]
    return lines


def fold(text: str, indent: str, first: Optional[str] = None) -> List[str]:
    """Break a sentence into lines that fit into the window; names are never broken."""
    return textwrap.wrap(text, WIDTH, initial_indent=indent if first is None else first, subsequent_indent=indent,
                         break_long_words=False, break_on_hyphens=False)


def analysis(result: Result, look: Look) -> List[str]:
    """Return what was found and what will be done."""
    plan, robot = result.plan, result.before
    lines = [
        look.title(f"urdf_simplify {__version__}: {robot.document.path}"), "",
        f"Robot '{robot.name}': {count_of(len(robot.links), 'link')}, {count_of(len(robot.joints), 'joint')}, "
        f"{mass_text(robot.mass)} kg, root '{robot.root}'",
    ]
    if plan.options.reorient:
        lines += [f"Base frame: {plan.base.words}  ->  X forward, Y left, Z up", *fold(plan.base.reason, "  ")]
    lines += _section(look, "Main links", _main_links(plan))
    removing = "Sub-links to empty" if plan.options.leave_frames else "Sub-links to remove"
    lines += _section(look, removing, columns([
        (name, f"-> '{member.target}'", member.reason) for name, member in plan.members.items() if member.merged]))
    lines += _section(look, "Fixed links kept", columns([
        (name, member.reason) for name, member in plan.members.items() if member.kind in (BASE, KEPT)]))
    lines += _section(look, "Meshes to strip", _stripping(plan))
    lines += _section(look, "COLLADA meshes", _collada(plan))
    lines += _section(look, "Joint axes", columns([_axis_row(planned) for planned in _in_file_order(plan)
                                                   if planned.frame.axis is not None]))
    lines += _section(look, "What follows", columns([
        (f"line {followed.line}", followed.what, followed.how) for followed in plan.following.notes]))
    notices = [f"line {n.line}: {n.message}" if n.line else n.message for n in plan.warnings]
    lines += _section(look, "Left and right differ", _asymmetries(result) if plan.options.reorient else [])
    lines += _section(look, "Notes for simulators", [
        line for note in simulator_notes(result.after) for line in fold(note, "    ", "  ")])
    lines += _section(look, "Warnings", [look.alert(line) for text in notices for line in fold(text, "    ", "  ")])
    return lines


def _section(look: Look, title: str, body: List[str]) -> List[str]:
    return ["", look.title(f"{title}:"), *body] if body else []


def _asymmetries(result: Result) -> List[str]:
    """List the differences of left and right below the pair that they are of."""
    found = find_asymmetries(result.after)
    lines: List[str] = []
    for place, difference in enumerate(found[:ASYMMETRIES_SHOWN]):
        if place == 0 or found[place - 1][:3] != difference[:3]:
            lines.append(f"  {difference.left} | {difference.right}")
        lines += fold(asymmetry_line(difference), "      ", "    ")
    more = len(found) - ASYMMETRIES_SHOWN
    return [*lines, f"  and {more} more"] if more > 0 else lines


def _in_file_order(plan: Plan) -> List[JointPlan]:
    return list(plan.joints.values())


def _main_links(plan: Plan) -> List[str]:
    rows = []
    for link in links_left(plan):
        if plan.members[link.name].kind == KEPT:
            continue
        every = [part.mass_properties.mass if part.mass_properties else 0.0 for part in plan.bodies[link.name].parts]
        masses = [every[0], *(mass for mass in every[1:] if mass >= NO_MASS)]
        total = mass_text(math.fsum(every))
        terms = " + ".join(map(mass_text, masses))
        if len(masses) > 4:
            terms = f"{mass_text(masses[0])} + {count_of(len(masses) - 1, 'part')}"
        rows.append((link.name, f"{terms} = {total} kg" if len(masses) > 1 else f"{total} kg"))
    return columns(rows)


def _stripping(plan: Plan) -> List[str]:
    counts: Dict[Tuple[str, str], int] = {}
    for strip in plan.strips:
        key = (strip.reason, strip.shape.kind)
        counts[key] = counts.get(key, 0) + 1
    reasons = list(dict.fromkeys(strip.reason for strip in plan.strips))
    lines = columns([
        (reason, ", ".join(count_of(counts[reason, kind], kind) for kind in ("visual", "collision")
                           if (reason, kind) in counts)) for reason in reasons])
    copies = [copy for copy in plan.copies if plan.members[copy.link].kind == COPY]
    if plan.copies:
        of_links = " of coincident copies" if len(copies) == len(plan.copies) else ""
        lines.append(f"  {count_of(len(plan.copies), 'shape')}{of_links} that stand in the same place already")
    for miss in plan.near_misses:
        lines += fold(f"stays: {miss.stem} ({count_of(miss.times, 'time')}): {miss.reason}", "    ", "  ")
    lines += [f"  link '{name}' has no shape left" for name in plan.bare]
    return lines


def _collada(plan: Plan) -> List[str]:
    splitting = plan.splitting
    rows = []
    drawn = {part.filename.rpartition("/")[2] for split in splitting.splits for part in split.parts if part.rgba}
    for file in splitting.files:
        name = os.path.basename(file.target)
        color = rgba_text(file.part.rgba) if file.part.rgba else (
            "the color of its visual" if name in drawn else "no color (collision)")
        rows.append((name, count_of(file.part.triangles, "triangle"), color))
    lines = columns(rows)
    if splitting.left:
        advice = ": MuJoCo cannot read them (--separate-dae-meshes splits them by color)"
        hint = "" if plan.options.meshes.wanted else advice
        lines += fold(f"{count_of(splitting.left, 'COLLADA mesh', 'COLLADA meshes')} left as they are{hint}", "  ")
    return lines


def _axis_row(planned: JointPlan) -> Tuple[str, str, str]:
    return (planned.name, axis_change(planned.joint, planned.frame), "; ".join(_axis_notes(planned.frame)))


def axis_change(joint: Joint, frame: JointFrame) -> str:
    """Return `[0 0 1] -> [0 1 0]`."""
    assert frame.axis is not None
    axis = short((round(x, 4) for x in joint.axis), 3)
    return f"[{axis}] -> [{format_numbers(UNIT_AXES[frame.axis])}]"


def _axis_notes(frame: JointFrame) -> List[str]:
    notes = []
    if frame.sign < 0:
        notes.append("flipped")
    if frame.fallback and frame.asked is not None:
        notes.append(f"fallback: '{frame.asked.word}' says {'XYZ'[frame.asked.axis]}")
    elif frame.asked is not None and frame.asked.others:
        notes.append(f"'{frame.asked.word}' before '{frame.asked.others[0]}'")
    if frame.tilt > 1e-3:
        notes.append(f"{short([math.degrees(frame.tilt)], 3)} degrees off {axis_letter(frame)}")
    return notes


def tree(result: Result, look: Look) -> List[str]:
    """Return the kinematic tree of the input with what becomes of each link."""
    plan, robot = result.plan, result.before
    below: Dict[str, List[Joint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    branch, last, bar, blank = BOXES if look.boxes else PLAIN_BOXES
    lines = ["", look.title("Kinematic tree:"), f"  {_tree_label(robot, robot.root)} {_tree_state(plan, robot.root)}"]
    waiting: List[Tuple[Joint, Tuple[str, ...], bool]] = [
        (joint, (), joint is below[robot.root][-1]) for joint in reversed(below.get(robot.root, []))]
    while waiting:
        joint, above, is_last = waiting.pop()
        depth = "" if len(above) < LEVEL_SHOWN else "... "
        lead = "".join(above) + (last if is_last else branch)
        inside = (*above, blank if is_last else bar) if len(above) < LEVEL_SHOWN else above
        children = below.get(joint.child, [])
        below_it = "  " + "".join(inside) + (bar if children else blank)
        lines += _fill(f"  {lead}{depth}{_tree_label(robot, joint.child)}", below_it,
                       [_tree_state(plan, joint.child), _tree_motion(plan, joint)])
        waiting.extend((child, inside, child is children[-1]) for child in reversed(children))
    return lines


def _fill(line: str, lead: str, parts: List[str]) -> List[str]:
    """Append parts to a line as long as the window lasts, then go on in lines that begin with `lead`."""
    lines = [line]
    for part in parts:
        if len(lines[-1]) + len(part) < WIDTH:
            lines[-1] += f" {part}"
        else:
            lines += fold(part, lead)
    return lines


def _tree_label(robot: Robot, link: str) -> str:
    return f"{link} {mass_text(robot.links[link].mass)} kg"


def _tree_state(plan: Plan, link: str) -> str:
    member = plan.members[link]
    if member.merged:
        return f"[SUB -> '{member.target}']"
    return f"[KEPT: {member.reason}]" if member.kind in (BASE, KEPT) else "[MAIN]"


def _tree_motion(plan: Plan, joint: Joint) -> str:
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    change = f"{joint.type} {axis_change(joint, planned.frame)}"
    return change + " flipped" if planned.frame.sign < 0 else change


def proof_text(result: Result) -> List[str]:
    """Return the proof in a line, and what holds for the meshes that were made."""
    lines = ["", *fold(f"Proof: {proof_line(result.proof)}", "  ", "")]
    files = result.plan.splitting.files
    if files:
        triangles = count_of(sum(file.part.triangles for file in files), "triangle")
        lines += fold(f"Meshes: {count_of(len(files), 'file')}, {triangles}: the polygons of the COLLADA files color "
                      "by color, less what is said to be left out, in the boxes of their points", "  ", "")
    return lines


def outcome(result: Result, output: str, look: Look) -> List[str]:
    """Return what was written; every number is read from the text that was written."""
    before, after = result.before, result.after
    lines = _section(look, "Result joint origins", columns([(j.name, _origin_text(j)) for j in after.joints]))
    mass = f"Mass preserved: {mass_text(after.mass)} kg"
    if abs(after.mass - before.mass) > 1e-9 * max(before.mass, 1e-9):
        mass = f"Mass: {mass_text(before.mass)} -> {mass_text(after.mass)} kg (coincident copies counted once)"
    return [*lines, "", look.title("Done!"), f"  Output: {output}",
            f"  Links: {len(before.links)} -> {len(after.links)}",
            f"  Joints: {len(before.joints)} -> {len(after.joints)}", f"  {mass}"]


def _origin_text(joint: Joint) -> str:
    rpy = f"rpy=[{short(joint.rpy)}]"
    return f"axis=[{short(joint.axis)}] {rpy}" if joint.type not in ("fixed", "floating") else f"{joint.type} {rpy}"


def change_line(result: Result) -> str:
    """Return in one line what a run would change, for --check."""
    plan, parts = result.plan, []
    merged = sum(member.merged for member in plan.members.values())
    turned = sum(1 for old, new in zip(_kept(result.before, plan), result.after.joints)
                 if (old.rpy, old.axis) != (new.rpy, new.axis))
    if merged:
        parts.append(f"{count_of(merged, 'link')} merged")
    if turned:
        parts.append(f"{count_of(turned, 'joint')} turned")
    elif plan.base.R_new_old != NO_TURN:
        parts.append("turned")
    if plan.strips:
        parts.append(f"{count_of(len(plan.strips), 'shape')} stripped")
    before, after = (set(robot.document.text().splitlines()) for robot in (result.before, result.after))
    if not parts and all(line.startswith("<!-- urdf_simplify ") for line in before ^ after):
        return "a note of the base frame"
    return ", ".join(parts) or "numbers tidied"


def _kept(robot: Robot, plan: Plan) -> List[Joint]:
    return [joint for joint in robot.joints if not plan.gone(joint.child)]
