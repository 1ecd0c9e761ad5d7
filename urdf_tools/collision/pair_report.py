"""The reports on pairs of links and on new shapes: counts or rows for the terminal, and everything as JSON."""
import json
from collections import Counter
from math import fsum
from typing import Any, Dict, Iterable, Iterator, Tuple

from ..base.number_text import count_of, shown_names
from ..urdf.model import Robot
from .change import Changed
from .pairs import HOME, HULLS_AT_HOME, NEVER, OPEN, Pair, TOUCHES, UNKNOWN
from .pairs_step import CheckedPairs, reason_of
from .records import NewShape

SAID = ((NEVER, "never touch, proven"), (TOUCHES, "touch in a pose that is known"), (HOME, "touch at home"),
        (HULLS_AT_HOME, "only their hulls overlap at home"), (OPEN, "not decided"),
        (UNKNOWN, "a range or a shape is not known"))
NAMED = (HULLS_AT_HOME, OPEN, UNKNOWN)  # states whose pairs are named


def pairs_summary(checked: CheckedPairs) -> str:
    """Return a summary of the pairs in a line."""
    pairs = checked.decided.pairs
    cells = int(fsum(pair.cells for pair in pairs))
    return (f"Pairs of links: {count_of(len(pairs), 'pair')}, {count_of(cells, 'cell')} looked at; "
            f"{count_of(checked.planes, 'plane')} and each pose of contact checked")


def pair_rows(checked: CheckedPairs) -> Iterator[Tuple[str, ...]]:
    """Yield a row for each state: the number of pairs, how many are adjacent, and for some states names of pairs."""
    for state, words in SAID:
        pairs = [pair for pair in checked.decided.pairs if pair.state == state]
        adjacent = len([pair for pair in pairs if pair.is_adjacent])
        names = shown_names([f"{pair.first} - {pair.second}" for pair in pairs if not pair.is_adjacent], 3)
        named = names if state in NAMED else ""
        if pairs:
            count = f"{len(pairs)}{f', {adjacent} of them adjacent' if adjacent else ''}"
            yield words, f"{count}{f': {named}' if named else ''}"


def pairs_record(robot: Robot, checked: CheckedPairs) -> bytes:
    """Return all results on the pairs as JSON: enough to verify each plane and each pose again."""
    ranges = checked.decided.ranges
    data = {"format": 1, "robot": robot.name,
            "ranges": {child: list(span) for child, span in ranges.of_joint.items()},
            "pairs": [_pair(pair) for pair in checked.decided.pairs]}
    return (json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def _pair(pair: Pair) -> Dict[str, Any]:
    """Return a pair as plain data; directions are in the frame of `middle`, split joints are indices of `joints`."""
    row: Dict[str, Any] = {"link1": pair.first, "link2": pair.second, "state": pair.state,
                            "adjacent": pair.is_adjacent, "reason": reason_of(pair) or None, "cells": pair.cells}
    if pair.chain is not None:
        row.update(middle=pair.chain.middle, joints=[variable.joint for variable in pair.chain.variables])
    if pair.witness is not None:
        row["pose"] = {"positions": list(pair.witness.positions), "point": list(pair.witness.point),
                        "collisions": [pair.witness.first, pair.witness.second]}
        if pair.witness.triangles:
            row["pose"]["triangles"] = list(pair.witness.triangles)
    if pair.proofs:
        row["proofs"] = [{"collisions": [proof.first, proof.second], "cells": [
            token if isinstance(token, int) else list(token) for token in proof.tokens]} for proof in pair.proofs]
    return row


Rows = Tuple[Tuple[str, ...], ...]


def shape_rows(changed: Changed) -> Rows:
    """Return a row for each shape: link, faces before and after or its kind, and its overhang."""
    spheres = Counter(shape.sources for shape in changed.shapes if shape.trees)
    return tuple((shape.link, _what(shape, spheres[shape.sources]), _how_far(shape)) for shape in changed.shapes
                 if not shape.trees or shape.part == 1)


def _what(shape: NewShape, spheres: int) -> str:
    faces = sum(len(source.body.triangles) for source in shape.sources)
    if shape.stays:
        return f"{faces} faces, convex already: stays"
    if shape.trees:
        return f"{faces} faces -> {count_of(spheres, 'sphere')}"
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
              f"over {'' if any(shape.trees for shape in shapes) else 'the hull of '}its mesh it stands out by at most"
              ) if shapes else ""
    return f"Collision shapes: {named or 'none to change'}{proven}"


def _kinds(shapes: Iterable[NewShape]) -> Tuple[str, ...]:
    return tuple(shape.kind for shape in shapes)
