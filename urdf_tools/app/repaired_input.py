"""The repairs of `lint --fix` in the input of an export, before anything else is done with it.

`--fix` makes all of them. Without it an export makes only repairs that all programs of its formats require, and with
`--no-fix` none.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import (
    Any,
    Callable,
    Dict,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TYPE_CHECKING,
)

from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import UrdfError
from ..base.run_diagnostics import MASSLESS, REPAIRED
from ..base.number_text import count_of
from ..base.record_type import Record
from ..base.type_aliases import Packages, Pair, Texts
from ..compare.difference_records import Difference, Differences
from ..compare.read_any_format import read_bytes
from ..compare.difference_kinds import COUNTED_ACTS, counts_of_acts, sort_of_act
from ..export.export_refusals import ExportRefusals, refusals_of, with_path
from ..formats.export_diagnostics import FIXED
from ..formats.urdf.read_urdf import read_urdf
from ..run.run_records import UrdfOfInput, InputMeshFolder
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.urdf_records import UrdfRobot
from ..urdf.urdf_reader import read_robot
from ..urdf.expand_xacro import is_xacro
from .run_extension import all_kinds, as_urdf, EXTENSION
from .repair_note import repair_note, with_repair_note

if TYPE_CHECKING:
    from ..lint.fix_findings import FileRepair
    from ..lint.finding_records import ExaminedFile, LintFinding

TENSOR, MASS, LIMIT = (COUNTED_ACTS[f"repair {part}"] for part in ("tensor", "mass", "limit"))
# The parts that a repair of a kind changes, in the words of the verdict: singular, and plural.
REPAIRED_PARTS: Dict[str, Pair] = {
    **dict.fromkeys(("inertia", "inertia-slots", "inertia-unit", "no-inertia"), TENSOR),
    "inertia-frame": ("repaired center", "repaired centers"),
    "mass-unit": ("repaired mass", "repaired masses"),
    "no-mass": MASS,
    **dict.fromkeys(("limits-reversed", "limits-degrees"), LIMIT),
}
OTHERWISE = ("repair", "repairs")
# Programs refuse a robot for these; all other findings are repaired only if that is not enough.
REFUSED = (TENSOR, MASS)


class RepairRequest(Record):
    """The options of an export that affect repairs, by name, their spellings, and folders by package."""

    choices: Mapping[str, Any]
    packages: Packages
    spelled: Callable[[str], str] = EXTENSION.spelled


def repaired_urdf(
    source: bytes, path: str, place: Optional[InputMeshFolder] = None, *, request: RepairRequest
) -> UrdfOfInput:
    """Return a robot as URDF with the repairs of an export, and a warning for each.

    Raises:
        UrdfError: the input is not a robot, cannot be read, or cannot be written in the formats of the export.
        ProofFailed: the repairs changed anything else; a fault of this tool.
    """
    made = as_urdf(source, path, place)
    if made.data is not source:
        lost = _lost_in_urdf(source, made.data, path, request.choices)
        made = made._replace(but_for=(*made.but_for, *lost))
    if request.choices.get("fix"):
        return _with_all_repairs(made, path, request.packages)
    refused = _refusals(made, path, request)
    if not refused.errors:
        return made
    repaired = None if request.choices.get("no_fix") else _with_needed(made, path, refused, request)
    if repaired is None:
        raise with_path(refused.errors, path)
    return repaired


def _lost_in_urdf(source: bytes, urdf: bytes, path: str, choices: Mapping[str, Any]) -> Texts:
    """Return a phrase for each part of an input that its URDF lacks or changes, and that an output could hold.

    Args:
        source: the text of the input, in MJCF, SDF or USD.
        urdf: the text of the URDF to which the input was converted.
        choices: the options of the export; they select the formats of the outputs.
    """
    from ..export.missing_parts import losses  # imported here: only robots of other formats need it

    original = read_bytes(source, path)
    converted = read_urdf(urdf, path)
    formats = [format for format in ("mjcf", "sdf", "usd") if choices.get(format)]
    if choices.get("output"):
        formats.append("urdf")
    # The URDF counts as a robot of the output's format: `losses` then skips the parts that this format cannot hold.
    phrases = [losses("URDF", original, converted._replace(format=format)) for format in formats]
    # Outputs share most losses, and each is reported once.
    return tuple(dict.fromkeys(chain.from_iterable(phrases)))


def _refusals(made: UrdfOfInput, path: str, request: RepairRequest) -> ExportRefusals:
    """Return the reasons why the formats of an export refuse a robot."""
    document = parse_document(made.data, path)
    made.mark_lines(document)
    return refusals_of(document, request.choices, request.spelled)


def _with_needed(
    made: UrdfOfInput, path: str, refused: ExportRefusals, request: RepairRequest
) -> Optional[UrdfOfInput]:
    """Return a robot with the repairs without which it cannot be written, None if no repairs are enough.

    The repairs of refused parts come first, and all others follow only if these are not enough.
    """
    examined = _examined(made.data, path, request.packages)
    remaining = _repairable(examined)
    chosen: List[LintFinding] = []
    while refused.errors and remaining:
        about = [finding for finding in remaining if _is_about(finding, refused, examined)]
        needed = [each for each in about if REPAIRED_PARTS.get(each.kind.name) in REFUSED]
        chosen += needed or about or remaining
        remaining = [finding for finding in remaining if finding not in chosen]
        repaired = _with_repairs(made, examined, chosen)
        refused = _refusals(repaired, path, request)
    return None if refused.errors else repaired


def _examined(data: bytes, path: str, packages: Packages) -> ExaminedFile:
    """Return the findings of lint about a URDF."""
    from ..lint.examine_file import examine  # imported here: slow to load

    return examine(data, _text_path(path), [kind.name for kind in all_kinds()], packages)


def _text_path(path: str) -> str:
    """Return the path of the text that is repaired: lint repairs no xacro, whose lines differ, but here the expanded
    text is repaired.
    """
    return f"{path}.urdf" if is_xacro(path) else path


def _repairable(examined: ExaminedFile) -> List[LintFinding]:
    """Return the findings that have a repair."""
    return [finding for finding in examined.findings if finding.repair]


def _is_about(finding: LintFinding, refused: ExportRefusals, examined: ExaminedFile) -> bool:
    """Return True if a finding repairs a refused part, or a fault that makes the whole text unreadable."""
    robot = examined.robot
    if not refused.parts or robot is None:
        return finding.kind.name == REPAIRED.name
    edited = {edit.element.offset for edit in finding.repair}
    return not edited.isdisjoint(_elements_of(refused.parts, robot))


def _elements_of(parts: Sequence[Pair], robot: UrdfRobot) -> Set[int]:
    """Return the offsets of the elements of links and joints, each given by its kind and name."""
    known: Dict[str, Mapping[str, Any]] = {"link": robot.links, "joint": robot.named}
    offsets: Set[int] = set()
    for kind, name in parts:
        owner = known.get(kind, {}).get(name)
        if owner is not None:
            offsets.update(element.offset for element in owner.source.walk())
    return offsets


def _with_all_repairs(made: UrdfOfInput, path: str, packages: Packages) -> UrdfOfInput:
    """Return a URDF with all repairs, until none is left: a repair may reveal further findings."""
    from ..lint.fix_findings import repair_all

    known = [kind.name for kind in all_kinds()]
    file = repair_all(made.data, _text_path(path), known, known, packages)
    if file.repaired is None:
        return made
    return _named_repairs(made, file.examined, file.repaired)


def _with_repairs(
    made: UrdfOfInput, examined: ExaminedFile, chosen: Sequence[LintFinding]
) -> UrdfOfInput:
    """Return a URDF with the repairs of findings, each named in a warning and counted in the verdict."""
    if not chosen or examined.document is None or examined.robot is None:
        return made
    from ..lint.fix_findings import repair

    return _named_repairs(made, examined, repair(examined.document, chosen))


def _named_repairs(made: UrdfOfInput, examined: ExaminedFile, repaired: FileRepair) -> UrdfOfInput:
    """Return a repaired URDF whose repairs are named in warnings, and counted in the verdict."""
    assert examined.document is not None and examined.robot is not None
    said = repair_note(examined.document, repaired.document)
    phrases = counts_of_acts(said.acts)
    if said.others:
        phrases = _phrases(repaired.findings, said.acts, examined.robot)
    return made._replace(
        data=with_repair_note(repaired.document, said).to_bytes(),
        changes=(*made.changes, count_of(len(repaired.findings), "repair")),
        lost=(*made.lost, *_notes(repaired.findings, repaired.document)),
        but_for=(*made.but_for, *phrases),
    )


def _masses(document: Document) -> Dict[str, float]:
    """Return the masses of links by name, {} if the text cannot be read."""
    try:
        return {name: link.mass for name, link in read_robot(document, lenient=True).links.items()}
    except UrdfError:
        return {}


def _notes(chosen: Sequence[LintFinding], document: Document) -> Notes:
    """Return a warning for each repair; a mass that no file gives is called made up."""
    masses = _masses(parse_document(document.to_bytes(), document.path))
    notes = []
    for finding in chosen:
        about = finding.diagnostic
        name = about.names[0] if about.names else ""
        if about.kind.name == MASSLESS.name and name in masses:
            notes.append(
                Diagnostic(
                    kind=FIXED,
                    line=about.line,
                    sentence="made-up",
                    names=(name,),
                    numbers=(masses[name],),
                )
            )
        else:
            text = f"[{about.kind.name}] {about.text}"
            notes.append(Diagnostic(FIXED, about.line, "repair", (text,)))
    return tuple(notes)


def _phrases(chosen: Sequence[LintFinding], acts: Differences, robot: UrdfRobot) -> Texts:
    """Return the number of repaired parts of each sort, and the made-up mass, counted as `compare` counts."""
    # Pairs of the offset of an element and the repaired part of it.
    done: Set[Tuple[int, Pair]] = set()
    for act in acts:
        sort = COUNTED_ACTS[sort_of_act(act)]
        done.update((element.offset, sort) for element in _elements_about(act, robot))
    others = []
    for finding in chosen:
        part = REPAIRED_PARTS.get(finding.kind.name, OTHERWISE)
        if not all((edit.element.offset, part) in done for edit in finding.repair):
            others.append(part)
    counts = Counter(others)
    return (*counts_of_acts(acts), *(count_of(count, *part) for part, count in counts.items()))


def _elements_about(act: Difference, robot: UrdfRobot) -> List[Element]:
    """Return the elements of a robot with the values that an act repairs, and their owners."""
    owners = [link.source for name, link in robot.links.items() if name == act.where]
    tag = "inertial"
    if act.names[1] == "limit":
        owners = [joint.source for joint in robot.joints if joint.child == act.where]
        tag = "limit"
    elements = [*owners]
    for owner in owners:
        for part in owner.elements(tag):
            elements += part.walk()
    return elements
