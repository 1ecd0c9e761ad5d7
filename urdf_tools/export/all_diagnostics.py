"""The kinds of diagnostics of all rooms: explaining or listing them needs all, an export only a few."""

from __future__ import annotations

from typing import Mapping, Tuple

from ..base.diagnostics import DiagnosticKind
from ..base.run_diagnostics import KINDS
from ..collision.collision_diagnostics import COLLISION_KINDS
from ..edit.edit_diagnostics import EDIT_KINDS
from ..formats.export_diagnostics import FORMAT_KINDS
from ..inputs.input_diagnostics import INPUT_KINDS
from ..lint.lint_diagnostics import LINT_KINDS
from ..meshes.mesh_diagnostics import MESH_KINDS
from ..model.model_diagnostics import MODEL_KINDS
from ..srdf.srdf_diagnostics import SRDF_KINDS
from ..texts.text_pages import sections_of_page

EXPORT_KINDS: Tuple[DiagnosticKind, ...] = (
    *KINDS,
    *SRDF_KINDS,
    *MODEL_KINDS,
    *INPUT_KINDS,
    *EDIT_KINDS,
    *LINT_KINDS,
    *COLLISION_KINDS,
    *MESH_KINDS,
    *FORMAT_KINDS,
)


def examples() -> Mapping[str, str]:
    """Return the smallest input that shows each kind of the single file, by its name: see `DiagnosticKind.example`."""
    return sections_of_page(__name__, "examples.md")["examples"]


def example_of(kind: DiagnosticKind) -> str:
    """Return elements for the leg of the examples, followed by options, that show a kind."""
    return kind.example or examples()[kind.name]
