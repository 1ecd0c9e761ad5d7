"""Prove that each primitive of a COLLADA file got the diffuse color that the file writes of its material."""
from typing import Dict, Sequence, Set

from ...base.errors import ProofFailed
from ...collada.document import DaeDocument
from ...collada.measure import ColorKey, draws_of
from ...collada.part_writer import Drawn
from ...collada.records import DaeOptions


def prove_diffuse(document: DaeDocument, options: DaeOptions, drawn: Sequence[Drawn]) -> None:
    """Check the colors that were read against what the document draws, found out anew.

    What the file does not write out, such as the color of an image, is not compared.

    Raises:
        ProofFailed: a color differs.
    """
    colors: Dict[int, Set[ColorKey]] = {}
    try:
        for draw in draws_of(document, options.scene):
            colors.setdefault(id(draw.primitive), set()).add(draw.color)
    except (ValueError, IndexError, OverflowError) as error:
        raise ProofFailed(f"cannot be measured ({error})", document.path) from error
    for primitive, _, group in drawn:
        written = colors.get(id(primitive), {None})
        if None not in written and tuple(round(value, 6) for value in (group.look.rgba or ())[:3]) not in written:
            raise ProofFailed(f"of material '{group.look.label}' the color differs", document.path)
