"""`export --fix`: the input with the repairs of `lint --fix`, before anything else is done with it."""

from __future__ import annotations

from typing import Optional

from ..base.diagnostics import Diagnostic
from ..base.number_text import count_of
from ..base.types import Packages
from ..formats.kinds import FIXED
from ..lint.examine import examine
from ..lint.fix import repair
from ..run.records import MadeUrdf, MeshPlace
from .engine import all_kinds, as_urdf


def repaired_urdf(
    source: bytes, path: str, place: Optional[MeshPlace] = None, *, packages: Packages = ()
) -> MadeUrdf:
    """Return a robot as URDF with each repair that is unique, and a warning for each.

    Raises:
        UrdfError: it is no robot, or cannot be read.
        ProofFailed: the repairs changed something else; a fault of this tool.
    """
    made = as_urdf(source, path, place)
    examined = examine(made.data, path, [kind.name for kind in all_kinds()], packages)
    chosen = [finding for finding in examined.findings if finding.repair]
    if not chosen or examined.document is None or examined.robot is None:
        return made
    repaired = repair(examined.document, chosen)
    said = [
        Diagnostic(FIXED, one.line, "repair", (f"[{one.kind.name}] {one.text}",))
        for one in (finding.diagnostic for finding in chosen)
    ]
    return made._replace(
        data=repaired.document.to_bytes(),
        changes=(*made.changes, count_of(len(chosen), "repair")),
        lost=(*made.lost, *said),
    )
