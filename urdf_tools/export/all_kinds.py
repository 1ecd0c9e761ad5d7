"""The kinds of diagnostics of all rooms: explaining or listing them needs all, an export only a few."""

from __future__ import annotations

from typing import Mapping, Tuple

from ..base.diagnostics import Kind
from ..base.kinds import KINDS
from ..collision.kinds import COLLISION_KINDS
from ..edit.kinds import EDIT_KINDS
from ..formats.kinds import FORMAT_KINDS
from ..inputs.kinds import INPUT_KINDS
from ..lint.kinds import LINT_KINDS
from ..meshes.kinds import MESH_KINDS
from ..model.kinds import MODEL_KINDS
from ..srdf.kinds import SRDF_KINDS
from ..texts.pages import sections_of_page

EXPORT_KINDS: Tuple[Kind, ...] = (
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
    """Return the smallest input that shows each kind of the single file, by its name: see `Kind.example`."""
    return sections_of_page(__name__, "examples.md")["examples"]


def example_of(kind: Kind) -> str:
    """Return elements for the leg of the examples, followed by options, that show a kind."""
    return kind.example or examples()[kind.name]
