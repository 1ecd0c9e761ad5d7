"""The report on new shapes: a row for each, and a summary in a line."""
from typing import Iterable, Tuple

from ..base.number_text import count_of
from .change import Changed
from .records import NewShape

Rows = Tuple[Tuple[str, ...], ...]


def shape_rows(changed: Changed) -> Rows:
    """Return a row for each shape: link, faces before and after or its kind, and its overhang."""
    return tuple((shape.link, _what(shape), _how_far(shape)) for shape in changed.shapes)


def _what(shape: NewShape) -> str:
    faces = sum(len(source.body.triangles) for source in shape.sources)
    if shape.stays:
        return f"{faces} faces, convex already: stays"
    became = f"{shape.faces} faces" if shape.hull else shape.kind
    which = f", part {shape.part}" if shape.part else ""
    which += f" of {len(shape.sources)} meshes" if len(shape.sources) > 1 else ""
    return f"{faces} faces{which} -> {became}"


def _how_far(shape: NewShape) -> str:
    off = f", {_length(shape.off_mesh)} off the mesh" if shape.off_mesh is not None else ""
    return f"{_length(shape.overhang)} over{off}"


def _length(value: float) -> str:
    return f"{1e3 * value:.1f} mm" if value >= 5e-5 else "0 mm" if value == 0.0 else "< 0.1 mm"


def summary_of(changed: Changed) -> str:
    """Return a summary of the new shapes, and of what was verified, in a line."""
    shapes = [shape for shape in changed.shapes if not shape.stays]
    kinds = {kind: sum(shape.kind == kind for shape in shapes) for kind in dict.fromkeys(_kinds(shapes))}
    named = ", ".join(count_of(count, kind, f"{kind}{'es' if kind == 'box' else 's'}") for kind, count in kinds.items())
    proof = changed.proof
    proven = (f"; each contains what it replaces, proven for {count_of(proof.vertices, 'vertex', 'vertices')}; "
              "over the hull of its mesh it stands out by at most") if shapes else ""
    return f"Collision shapes: {named or 'none to change'}{proven}"


def _kinds(shapes: Iterable[NewShape]) -> Tuple[str, ...]:
    return tuple(shape.kind for shape in shapes)
