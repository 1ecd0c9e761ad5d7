"""The repairs of `lint --fix` in the input of an export, before anything else is done with it.

`--fix` makes all of them. Without it an export makes those without which no program of its formats takes the robot, and
with `--no-fix` none.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Set, TYPE_CHECKING

from ..base.diagnostics import Diagnostic, Notes
from ..base.errors import UrdfError
from ..base.kinds import MASSLESS, REPAIRED
from ..base.number_text import count_of, short
from ..base.record import Record
from ..base.types import Packages, Pair, Texts
from ..export.refusals import Refusals, refusals_of, with_path
from ..formats.kinds import FIXED
from ..run.records import MadeUrdf, MeshPlace
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.model import Robot
from ..urdf.reader import read_robot
from ..urdf.xacro import is_xacro
from .engine import all_kinds, as_urdf, EXTENSION

if TYPE_CHECKING:
    from ..lint.records import Examined, Finding

# What a repair of a kind changes, in the words of the verdict; of other kinds it is "a repair".
REPAIRED_PARTS: Dict[str, str] = {
    **dict.fromkeys(("inertia", "inertia-slots", "inertia-unit"), "repaired tensor"),
    "inertia-frame": "repaired center",
    "mass-unit": "repaired mass",
    "no-mass": "made-up mass",
    **dict.fromkeys(("limits-reversed", "limits-degrees"), "repaired limit"),
}


class Request(Record):
    """What an export asks of the repairs: its options by name, how they are spelled, and folders by package."""

    choices: Mapping[str, Any]
    packages: Packages
    spelled: Callable[[str], str] = EXTENSION.spelled


def repaired_urdf(
    source: bytes, path: str, place: Optional[MeshPlace] = None, *, request: Request
) -> MadeUrdf:
    """Return a robot as URDF with the repairs that an export makes, and a warning for each.

    Raises:
        UrdfError: it is no robot, cannot be read, or cannot be written in the formats of the export.
        ProofFailed: the repairs changed something else; a fault of this tool.
    """
    made = as_urdf(source, path, place)
    if request.choices.get("fix"):
        examined = _examined(made.data, path, request.packages)
        return _with_repairs(made, path, examined, _repairable(examined))
    refused = _refusals(made, path, request)
    if not refused.errors:
        return made
    repaired = None if request.choices.get("no_fix") else _with_needed(made, path, refused, request)
    if repaired is None:
        raise with_path(refused.errors, path)
    return repaired


def _refusals(made: MadeUrdf, path: str, request: Request) -> Refusals:
    document = parse_document(made.data, path)
    made.mark_lines(document)
    return refusals_of(document, request.choices, request.spelled)


def _with_needed(
    made: MadeUrdf, path: str, refused: Refusals, request: Request
) -> Optional[MadeUrdf]:
    """Return a robot with the repairs that it cannot be written without, None if no repairs are enough.

    The repairs of what is refused come first, and all others only if these are not enough.
    """
    examined = _examined(made.data, path, request.packages)
    remaining = _repairable(examined)
    chosen: List[Finding] = []
    while refused.errors and remaining:
        needed = [finding for finding in remaining if _is_about(finding, refused, examined)]
        chosen += needed or remaining
        remaining = [finding for finding in remaining if finding not in chosen]
        repaired = _with_repairs(made, path, examined, chosen)
        refused = _refusals(repaired, path, request)
    return None if refused.errors else repaired


def _examined(data: bytes, path: str, packages: Packages) -> Examined:
    from ..lint.examine import examine  # slow to load

    # Lint repairs no xacro, whose text has other lines; here the robot that it expands to is repaired.
    text_path = f"{path}.urdf" if is_xacro(path) else path
    return examine(data, text_path, [kind.name for kind in all_kinds()], packages)


def _repairable(examined: Examined) -> List[Finding]:
    return [finding for finding in examined.findings if finding.repair]


def _is_about(finding: Finding, refused: Refusals, examined: Examined) -> bool:
    """Return True if a finding repairs a part that is refused, or what keeps the whole text from being read."""
    robot = examined.robot
    if not refused.parts or robot is None:
        return finding.kind.name == REPAIRED.name
    edited = {edit.element.offset for edit in finding.repair}
    return not edited.isdisjoint(_elements_of(refused.parts, robot))


def _elements_of(parts: Sequence[Pair], robot: Robot) -> Set[int]:
    """Return the offsets of the elements of links and joints, each given by its kind and name."""
    known: Dict[str, Mapping[str, Any]] = {"link": robot.links, "joint": robot.named}
    owners = [known.get(kind, {}).get(name) for kind, name in parts]
    return {
        element.offset for owner in owners if owner is not None for element in owner.source.walk()
    }


def _with_repairs(
    made: MadeUrdf, path: str, examined: Examined, chosen: Sequence[Finding]
) -> MadeUrdf:
    """Return a URDF with the repairs of findings, each named in a warning and counted in the verdict."""
    if not chosen or examined.document is None or examined.robot is None:
        return made
    from ..lint.fix import repair

    repaired = repair(examined.document, chosen)
    data = repaired.document.to_bytes()
    return made._replace(
        data=data,
        changes=(*made.changes, count_of(len(chosen), "repair")),
        lost=(*made.lost, *_notes(chosen, repaired.document)),
        but_for=(*made.but_for, *_phrases(chosen, examined.document, repaired.document)),
    )


def _masses(document: Document) -> Dict[str, float]:
    """Return the masses of links by name, {} if the text cannot be read."""
    try:
        return {name: link.mass for name, link in read_robot(document, lenient=True).links.items()}
    except UrdfError:
        return {}


def _notes(chosen: Sequence[Finding], document: Document) -> Notes:
    """Return a warning for each repair; a mass that no file says is called made up."""
    masses = _masses(parse_document(document.to_bytes(), document.path))
    notes = []
    for finding in chosen:
        about = finding.diagnostic
        name = about.names[0] if about.names else ""
        if about.kind.name == MASSLESS.name and name in masses:
            notes.append(Diagnostic(FIXED, about.line, "made-up", (name,), (masses[name],)))
        else:
            text = f"[{about.kind.name}] {about.text}"
            notes.append(Diagnostic(FIXED, about.line, "repair", (text,)))
    return tuple(notes)


def _phrases(chosen: Sequence[Finding], before: Document, after: Document) -> Texts:
    """Return how many parts of each sort were repaired, and how much mass was made up."""
    sorts = Counter(REPAIRED_PARTS.get(finding.kind.name, "repair") for finding in chosen)
    phrases = []
    for sort, count in sorts.items():
        mass = ""
        if sort == REPAIRED_PARTS["no-mass"]:
            texts = (parse_document(each.to_bytes(), each.path) for each in (before, after))
            old, new = (sum(_masses(text).values()) for text in texts)
            mass = f" ({short((new - old,))} kg in all)"
        phrases.append(f"{count_of(count, sort)}{mass}")
    return tuple(phrases)
