"""How programs treat a robot: they load it, refuse it, or lose a part silently; and the command that cures it.

The effects follow from the findings: each row of `EFFECTS` describes how programs treat a finding.
`tests/judges/test_programs.py` checks the rows: it loads robots in the programs, before and after the cure.
"""

from __future__ import annotations

from typing import Dict, Iterable, Iterator, List, Optional, Sequence, Set, Tuple, TypeVar

from ..base.type_aliases import Json
from ..base.diagnostics import Diagnostic
from ..base.file_reading import robot_stem
from ..base.record_type import Record
from ..report.line_layout import fold, LINE_WIDTH, TextStyle
from ..texts.text_pages import rows_of_page
from .finding_records import LintFinding, ProgramVerdict

Found = TypeVar("Found", LintFinding, Optional[LintFinding])
PROGRAMS: Dict[str, str] = {
    "rviz": "RViz, MoveIt",
    "gazebo": "Gazebo",
    "mujoco": "MuJoCo",
    "drake": "Drake",
    "newton": "Isaac, Newton",
    "pybullet": "PyBullet",
}
# Verdicts on a program, the worst first.
REFUSES = "refuses"
LOSES = "loses"
LOADS = "loads"
# R is the robot.
FIX = "lint R --fix"
SIMPLIFY = "simplify R --lenient"
AS_OBJ = "export R out.urdf --mesh-format obj"
BY_HAND = ""
EXPORT = "export"
IN_PIECES = "export R out.urdf --for rviz"
FILES = "--package NAME=DIR"
FIND = f"lint R {FILES}"
FIND_OBJ = f"{AS_OBJ} {FILES}"
# An export requires all others first.
DUE = (FIX, SIMPLIFY, FIND, FIND_OBJ, AS_OBJ, IN_PIECES, BY_HAND, EXPORT)
# A file that we export for each program that reads more than URDF.
EXPORTS = {
    "gazebo": "export R r.sdf",
    "mujoco": "export R r.xml --for mujoco",
    "drake": "export R r.sdf --for drake",
    "newton": "export R r.usda --for newton",
}
FIRST = ", first"  # after a command that makes an export possible
ANY = "any"  # robot
FLAG = "URDF_USE_INERTIA_FROM_FILE"
MOST = 36  # columns of an effect and of its cure that fit into a line


class FindingEffect(Record):
    """The effect of a finding in programs.

    Attributes:
        finding: kinds, or `kind/sentence`, `kind/severity`, or `kind/0=name` for the first name of its sentence, as
            words; or ANY.
        programs: keys of `PROGRAMS`; a program takes the first row that fits a finding.
        verdict: REFUSES, LOSES, or LOADS with a remark.
        what: the reason of a refusal, the part that is lost, or the remark.
        cure: one of `DUE`, or a flag of the program. EXPORT is a file in another format, or a cure by hand if the
            program reads no other format.
    """

    finding: str
    programs: str
    verdict: str
    what: str
    cure: str


EFFECTS: Tuple[FindingEffect, ...] = tuple(
    FindingEffect(*row) for row in rows_of_page(__name__, "programs.md")
)


def programs_of(findings: Sequence[LintFinding]) -> Tuple[ProgramVerdict, ...]:
    """Return the effect of a robot with these findings in each program."""
    return tuple(_program(program, findings) for program in PROGRAMS)


def effects_of(program: str, findings: Iterable[Found]) -> Iterator[Tuple[FindingEffect, Found]]:
    """Yield the effect on a program of each finding that has one; None stands for any robot."""
    rows = [
        (effect, effect.finding.split()) for effect in EFFECTS if program in effect.programs.split()
    ]
    for finding in findings:
        keys = _keys(finding.diagnostic) if finding else {ANY}
        effect = next((effect for effect, kinds in rows if not keys.isdisjoint(kinds)), None)
        if effect is not None:
            yield effect, finding


class EffectOnProgram(Record):
    """An effect of a finding on a program, with its cure, and the line of the finding, 0 for the whole file."""

    effect: FindingEffect
    cure: str
    line: int


def _program(program: str, findings: Sequence[LintFinding]) -> ProgramVerdict:
    """Return the worst verdict of a program, with the cure that is due first."""
    hits = _hits_of(program, findings)
    for verdict in (REFUSES, LOSES, LOADS):
        worst = [hit for hit in hits if hit.effect.verdict == verdict]
        if worst:
            return _as_program(program, worst, hits)
    return ProgramVerdict(PROGRAMS[program], LOADS)


def _hits_of(program: str, findings: Sequence[LintFinding]) -> List[EffectOnProgram]:
    """Return the effects of findings on a program, each once: sorted by the cure that is due first, then as on the page."""
    hits: Dict[Tuple[int, int], EffectOnProgram] = {}
    for effect, finding in effects_of(program, (None, *findings)):
        cure = _cure(effect, finding, program)
        due = DUE.index(cure) if cure in DUE else len(DUE)
        line = finding.diagnostic.line if finding else 0
        hits.setdefault((due, EFFECTS.index(effect)), EffectOnProgram(effect, cure, line))
    return [hit for _, hit in sorted(hits.items(), key=lambda item: item[0])]


def _as_program(
    program: str, worst: Sequence[EffectOnProgram], hits: Sequence[EffectOnProgram]
) -> ProgramVerdict:
    """Return the verdict of a program by its worst effects; all its effects show whether an export can be made."""
    first = worst[0]
    is_exported = first.cure == EXPORT
    if is_exported:
        # A file in another format contains the robot as this tool reads it; a refusal prevents that export.
        needed = [
            hit for hit in hits if hit.cure in (FIX, SIMPLIFY) and hit.effect.verdict != LOADS
        ]
        first = (needed or worst)[0]
    is_first_step = is_exported and first.cure != EXPORT and program in EXPORTS
    then = FIRST if is_first_step else ""
    cure = EXPORTS.get(program, BY_HAND) if first.cure == EXPORT else first.cure
    return ProgramVerdict(
        name=PROGRAMS[program],
        verdict=worst[0].effect.verdict,
        what=tuple(dict.fromkeys(hit.effect.what for hit in worst)),
        cure=cure,
        line=first.line,
        then=then,
    )


def _cure(effect: FindingEffect, finding: Optional[LintFinding], program: str) -> str:
    """Return the cure for a program: the repair of the finding, if it has one, in place of a cure by hand."""
    if finding is None:
        return effect.cure
    is_by_hand = effect.cure == BY_HAND or effect.cure == EXPORT and program not in EXPORTS
    if finding.repair and is_by_hand:
        return FIX
    return BY_HAND if effect.cure == FIX and not finding.repair else effect.cure


def command_for(effect: FindingEffect, finding: LintFinding, program: str, path: str) -> str:
    """Return the command that cures the effect of a finding in a file, or the change to make by hand."""
    cure = _cure(effect, finding, program)
    named = EXPORTS.get(program, BY_HAND) if cure == EXPORT else cure
    return (
        command_of(ProgramVerdict(program, effect.verdict, (), named), path)
        or finding.diagnostic.cure
    )


def _keys(diagnostic: Diagnostic) -> Set[str]:
    """Return the words by which rows of the page may name a finding."""
    kind = diagnostic.kind
    names = (f"{k}={name.replace(' ', '_')}" for k, name in enumerate(diagnostic.names))
    return {
        kind.name,
        *(f"{kind.name}/{word}" for word in (diagnostic.sentence, kind.severity, *names)),
    }


def command_of(program: ProgramVerdict, path: str) -> str:
    """Return the whole command that cures the effect on a file; "" if no command does."""
    if program.cure in (BY_HAND, FLAG):
        return ""
    stem = robot_stem(path)
    words = {
        "R": path,
        "r.xml": f"{stem}.xml",
        "r.sdf": f"{stem}.sdf",
        "r.usda": f"{stem}.usda",
        "out.urdf": f"{stem}_exported.urdf",
    }
    return " ".join(("urdf-simplify", *(words.get(word, word) for word in program.cure.split())))


def program_lines(programs: Sequence[ProgramVerdict], path: str, style: TextStyle) -> List[str]:
    """Return the table by program, after an empty line."""
    width = LINE_WIDTH.get()
    rows = [
        (program, _text(program), f"{program.cure}{program.then}" or _by_hand(program))
        for program in programs
    ]
    indent = 2 + max(len(program.name) for program in programs)
    right = 2 + min(
        max((len(text) for _, text, _ in rows if len(text) < MOST), default=0),
        width - 2 - indent - max((len(cure) for *_, cure in rows if len(cure) < MOST), default=0),
    )
    lines = ["", *fold(f"Cures: urdf-simplify ..., where R is {path}", "  ", "")]
    for program, text, cure in rows:
        lead = program.name.ljust(indent) + text.ljust(right - 2)
        fits = len(lead) + 2 + len(cure) <= width
        line = f"{lead}  {cure}" if fits else lead
        line = line.rstrip()
        if program.verdict == REFUSES:
            line = style.alert(line)
        lines.append(line)
        if not fits:
            lines.append(" " * min(indent + right, width - len(cure)) + cure)
    return lines


def _by_hand(program: ProgramVerdict) -> str:
    """Return the place of a cure by hand, "" if nothing is to be cured."""
    where = f": line {program.line}" if program.line else ""
    return f"by hand{where}" if program.verdict != LOADS else ""


def _text(program: ProgramVerdict) -> str:
    """Return the words of the table about a program: the first reason of a refusal, and the number of reasons."""
    if program.verdict == REFUSES:
        first, *others = program.what or ("",)
        more = f" (+{len(others)})" if others else ""
        return f"refuses: {first}{more}"
    if program.verdict == LOSES:
        return f"loads; loses {', '.join(program.what)}"
    return "; ".join((LOADS, *program.what))


def program_rows(path: str, programs: Sequence[ProgramVerdict]) -> List[Json]:
    """Return the table as JSON."""
    return [
        {
            "file": path,
            "program": program.name,
            "verdict": program.verdict,
            "what": list(program.what),
            "line": program.line,
            "command": command_of(program, path),
        }
        for program in programs
    ]
