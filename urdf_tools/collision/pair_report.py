"""The report on pairs of links: counts for the terminal, and everything as JSON."""
import json
from math import fsum
from typing import Any, Dict, List, Tuple

from ..base.number_text import count_of, shown_names
from ..urdf.model import Robot
from .pairs import HOME, HULLS_AT_HOME, NEVER, OPEN, Pair, TOUCHES, UNKNOWN
from .pairs_step import CheckedPairs, reason_of

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


def pair_rows(checked: CheckedPairs) -> Tuple[Tuple[str, ...], ...]:
    """Return a row for each state: the number of pairs, how many are adjacent, and for some states names of pairs."""
    rows: List[Tuple[str, ...]] = []
    for state, words in SAID:
        pairs = [pair for pair in checked.decided.pairs if pair.state == state]
        adjacent = len([pair for pair in pairs if pair.is_adjacent])
        names = shown_names([f"{pair.first} - {pair.second}" for pair in pairs if not pair.is_adjacent], 3)
        named = names if state in NAMED else ""
        if pairs:
            count = f"{len(pairs)}{f', {adjacent} of them adjacent' if adjacent else ''}"
            rows.append((words, f"{count}{f': {named}' if named else ''}"))
    return tuple(rows)


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
