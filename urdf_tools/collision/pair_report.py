"""What is said of the pairs: counts on the terminal, and all of it as JSON."""
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
    """Return what was decided in a line."""
    pairs = checked.found.pairs
    cells = int(fsum(pair.cells for pair in pairs))
    return (f"Pairs of links: {count_of(len(pairs), 'pair')}, {count_of(cells, 'cell')} looked at; "
            f"{count_of(checked.planes, 'plane')} and each pose of contact checked")


def pair_rows(checked: CheckedPairs) -> Tuple[Tuple[str, ...], ...]:
    """Return a row for each state: how many pairs, how many of them adjacent, and of some their names."""
    rows: List[Tuple[str, ...]] = []
    for state, words in SAID:
        found = [pair for pair in checked.found.pairs if pair.state == state]
        adjacent = len([pair for pair in found if pair.is_adjacent])
        names = shown_names([f"{pair.first} - {pair.second}" for pair in found if not pair.is_adjacent], 3)
        named = names if state in NAMED else ""
        if found:
            count = f"{len(found)}{f', {adjacent} of them adjacent' if adjacent else ''}"
            rows.append((words, f"{count}{f': {named}' if named else ''}"))
    return tuple(rows)


def pairs_record(robot: Robot, checked: CheckedPairs) -> bytes:
    """Return all that is known of the pairs as JSON: enough to check each plane and each pose again."""
    ranges = checked.found.ranges
    data = {"format": 1, "robot": robot.name,
            "ranges": {child: list(span) for child, span in ranges.of_joint.items()},
            "pairs": [_pair(pair) for pair in checked.found.pairs]}
    return (json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def _pair(pair: Pair) -> Dict[str, Any]:
    """Return a pair as plain data; directions are seen from `middle`, and split joints are numbers of `joints`."""
    said: Dict[str, Any] = {"link1": pair.first, "link2": pair.second, "state": pair.state,
                            "adjacent": pair.is_adjacent, "reason": reason_of(pair) or None, "cells": pair.cells}
    if pair.chain is not None:
        said.update(middle=pair.chain.middle, joints=[one.joint for one in pair.chain.variables])
    if pair.witness is not None:
        said["pose"] = {"positions": list(pair.witness.positions), "point": list(pair.witness.point),
                        "collisions": [pair.witness.first, pair.witness.second]}
        if pair.witness.triangles:
            said["pose"]["triangles"] = list(pair.witness.triangles)
    if pair.proofs:
        said["proofs"] = [{"collisions": [proof.first, proof.second], "cells": [
            token if isinstance(token, int) else list(token) for token in proof.tokens]} for proof in pair.proofs]
    return said
