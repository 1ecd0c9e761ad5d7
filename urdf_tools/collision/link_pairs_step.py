"""The step of a run that decides pairs: search, verification of all results, verdicts on an SRDF, and the report."""

from __future__ import annotations

import json
from itertools import chain, product
from math import fsum
from typing import Dict, Iterator, List, Optional, Sequence, Tuple

from ..base.type_aliases import Json, Show, Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import ProofFailed
from ..base.number_text import count_of, format_number, shown_names
from ..base.record_type import Record
from ..urdf.lossless_xml import Document
from ..urdf.urdf_records import UrdfRobot
from .chain_between_links import KinematicChain, chain_between, home_of
from .collision_diagnostics import (
    PAIR_AT_HOME,
    PAIR_HOLLOW,
    PAIR_UNKNOWN,
    PAIR_UNLIMITED,
    PAIR_WRONG,
)
from .decide_pairs import (
    decide_pairs,
    HOME,
    HULLS_AT_HOME,
    NEVER,
    OPEN,
    DecidedLinkPair,
    DecidedLinkPairs,
    TOUCHES,
    UNKNOWN,
)
from .convex_pieces import BodyOf
from .verify_pairs import PairVerifier, ReadMesh
from .touching_search import touch_at

# The reasons of disabled pairs, as MoveIt names them.
ADJACENT_REASON = "Adjacent"
NEVER_REASON = "Never"
HOME_REASON = "Default"
SAID = (
    (NEVER, "never touch, proven"),
    (TOUCHES, "touch in a pose that is known"),
    (HOME, "touch at home"),
    (HULLS_AT_HOME, "only their hulls overlap at home"),
    (OPEN, "undecided"),
    (UNKNOWN, "undecided: joint range or shape unknown"),
)
NAMED = (HULLS_AT_HOME, OPEN, UNKNOWN)  # states whose pairs are named


class VerifiedPairs(Record):
    """All pairs, after each proof and each witness is verified, the number of planes, and the notes."""

    decided: DecidedLinkPairs
    planes: int
    notes: Tuple[Diagnostic, ...]


def checked_pairs(
    robot: UrdfRobot, body_of: BodyOf, read: ReadMesh, most: int, progress: Show
) -> VerifiedPairs:
    """Return the results for the pairs of a robot, verified.

    Raises:
        ProofFailed: a proof or a witness does not hold; a fault of this tool.
    """
    pairs = decide_pairs(robot, body_of, most, progress)
    planes = verify_decided(robot.document, pairs, read)
    notes = [
        Diagnostic(
            PAIR_AT_HOME, robot.links[pair.first].source.line, "hulls", (pair.first, pair.second)
        )
        for pair in pairs.pairs
        if pair.state == HULLS_AT_HOME and not pair.is_adjacent
    ]
    for sentence, names in (
        ("turns", pairs.ranges.unlimited),
        ("slides", pairs.ranges.unbounded),
        ("geared", pairs.ranges.geared),
    ):
        if names:
            notes.append(
                Diagnostic(
                    kind=PAIR_UNLIMITED,
                    line=0,
                    sentence=sentence,
                    names=(shown_names(names),),
                    numbers=(len(names),),
                )
            )
    return VerifiedPairs(pairs, planes, (*notes, *_unknown_notes(robot, pairs), *_hollow(pairs)))


def _hollow(pairs: DecidedLinkPairs) -> List[Diagnostic]:
    """Return a note on the links of undecided pairs whose meshes are not convex."""
    undecided = [(pair.first, pair.second) for pair in pairs.pairs if pair.state == OPEN]
    hollow: Dict[str, None] = {}
    for name in chain.from_iterable(undecided):
        shapes = pairs.pieces.of_link[name]
        # A mesh that is not convex has a piece around it, but no piece inside.
        if len(shapes.inside) < len(shapes.around):
            hollow[name] = None
    if not hollow:
        return []
    return [
        Diagnostic(
            kind=PAIR_HOLLOW,
            line=0,
            sentence="meshes",
            names=(shown_names(hollow),),
            numbers=(len(hollow),),
        )
    ]


def _unknown_notes(robot: UrdfRobot, pairs: DecidedLinkPairs) -> List[Diagnostic]:
    """Return one warning if the shapes of links are unknown, or if there is no pair at all; else an empty list."""
    unknown = pairs.pieces.unknown
    # Two links are needed for a pair.
    if len(unknown) + len(pairs.pieces.of_link) < 2:
        return [Diagnostic(PAIR_UNKNOWN, 0, "few")]
    if not pairs.pieces.of_link and len(unknown) > 1:
        return [Diagnostic(PAIR_UNKNOWN, 0, "none")]
    if len(unknown) > 1:
        return [
            Diagnostic(
                kind=PAIR_UNKNOWN,
                line=0,
                sentence="shapes",
                names=(shown_names(unknown),),
                numbers=(len(unknown),),
            )
        ]
    if unknown:
        (name,) = unknown
        return [Diagnostic(PAIR_UNKNOWN, robot.links[name].source.line, "shape", (name,))]
    return []


def verify_decided(document: Document, pairs: DecidedLinkPairs, read: ReadMesh) -> int:
    """Verify each proof and each witness by the text alone, and return the number of planes.

    Raises:
        ProofFailed: a proof or a witness does not hold; names the first.
    """
    check = PairVerifier(document, read)
    for pair in pairs.pairs:
        where = f"links '{pair.first}' and '{pair.second}'"
        kinematics = pair.chain
        if kinematics is None:
            continue
        if pair.state == NEVER and not _holds(check, pair, kinematics):
            raise ProofFailed(
                f"{where}: the proof that they never touch does not hold", document.path
            )
        if pair.state in (TOUCHES, HOME) and not _touches(check, pair, kinematics):
            raise ProofFailed(f"{where}: they do not touch where they are said to", document.path)
    return check.planes


def _holds(check: PairVerifier, pair: DecidedLinkPair, kinematics: KinematicChain) -> bool:
    """Return True if planes separate each collision of one link from each collision of the other."""
    children = [variable.child for variable in kinematics.variables]
    # A proof must exist for all pairs of collisions, not only for those that the search listed.
    wanted = product(range(check.pieces(pair.first)), range(check.pieces(pair.second)))
    if {(proof.first, proof.second) for proof in pair.proofs} != {*wanted}:
        return False
    return all(
        check.is_apart(
            (pair.first, proof.first),
            (pair.second, proof.second),
            kinematics.middle,
            children,
            proof.tokens,
        )
        for proof in pair.proofs
    )


def _touches(check: PairVerifier, pair: DecidedLinkPair, kinematics: KinematicChain) -> bool:
    """Return True if two links touch in the pose of their witness."""
    witness = pair.witness
    if witness is None:
        return False
    positions = zip(kinematics.variables, witness.positions)
    return check.touches(
        (pair.first, witness.first),
        (pair.second, witness.second),
        kinematics.middle,
        {variable.child: at for variable, at in positions},
        point=witness.point,
        triangles=witness.triangles,
    )


def reason_of(pair: DecidedLinkPair) -> str:
    """Return the reason to disable a pair in an SRDF, "" if the pair must be checked at run time."""
    if pair.is_adjacent:
        return ADJACENT_REASON
    return {NEVER: NEVER_REASON, HOME: HOME_REASON}.get(pair.state, "")


def pose_text(pair: DecidedLinkPair) -> str:
    """Return the nonzero positions of a witness by joint [rad or m]; "zero" if all are zero."""
    if pair.witness is None or pair.chain is None:
        return ""
    positions = zip(pair.chain.variables, pair.witness.positions)
    moved = [f"{variable.joint}={format_number(at)}" for variable, at in positions if at]
    return " ".join(moved) or "zero"


def wrong_line(
    checked: VerifiedPairs, pair: DecidedLinkPair, hidden: "Sequence[frozenset[str]]", line: int
) -> Diagnostic:
    """Return the warning for an SRDF line "Never" on a pair that touches, naming other pairs that touch in that pose."""
    others = touching_at(checked, pair, hidden)
    names = (pair.first, pair.second, pose_text(pair))
    if others:
        return Diagnostic(PAIR_WRONG, line, "masked", (*names, shown_names(others)))
    return Diagnostic(PAIR_WRONG, line, "alone", names)


def touching_at(
    checked: VerifiedPairs, pair: DecidedLinkPair, hidden: "Sequence[frozenset[str]]"
) -> List[str]:
    """Return the other pairs that touch in the pose of a witness, with all other joints at home, except hidden pairs."""
    if pair.witness is None or pair.chain is None:
        return []
    at = home_of(checked.decided.ranges)
    for variable, value in zip(pair.chain.variables, pair.witness.positions):
        at[variable.child] = value
    shapes = checked.decided.pieces.of_link
    touching: List[str] = []
    skipped = {*hidden, frozenset((pair.first, pair.second))}
    for other in checked.decided.pairs:
        if (
            frozenset((other.first, other.second)) in skipped
            or other.state == NEVER
            or other.is_adjacent
        ):
            continue
        decided = checked.decided
        kinematics = chain_between(decided.robot, other.first, other.second, decided.ranges)
        if kinematics is None or other.first not in shapes or other.second not in shapes:
            continue
        positions = [at[variable.child] for variable in kinematics.variables]
        if touch_at(kinematics, (shapes[other.first], shapes[other.second]), positions):
            touching.append(f"{other.first} - {other.second}")
    return touching


class DisabledPairVerdict(Record):
    """A line of an SRDF that disables a pair, with its verdict.

    The verdict is "proven", "wrong" or "open", or "chosen" for a line whose reason is not "Never".
    """

    first: str
    second: str
    line: int
    verdict: str
    pair: Optional[DecidedLinkPair]


def judge(document: Document, checked: VerifiedPairs) -> List[DisabledPairVerdict]:
    """Return a verdict for each pair that an SRDF disables."""
    known = {frozenset((pair.first, pair.second)): pair for pair in checked.decided.pairs}
    judged: List[DisabledPairVerdict] = []
    for element in document.root.elements("disable_collisions"):
        first = element.get("link1") or ""
        second = element.get("link2") or ""
        pair = known.get(frozenset((first, second)))
        reason = element.get("reason") or ""
        # A line without a reason is judged by the reason that the pair would get, else as "Never".
        if not reason and pair:
            reason = reason_of(pair)
        reason = reason or NEVER_REASON
        if reason != NEVER_REASON:
            verdict = "chosen"
        elif pair is None:  # a link without shapes, or an unknown link, touches nothing
            verdict = "proven"
        else:
            verdict = {NEVER: "proven", TOUCHES: "wrong", HOME: "wrong"}.get(pair.state, "open")
        judged.append(
            DisabledPairVerdict(
                first=first, second=second, line=element.line, verdict=verdict, pair=pair
            )
        )
    return judged


def pairs_summary(checked: VerifiedPairs) -> str:
    """Return a summary of the pairs in one sentence."""
    pairs = checked.decided.pairs
    cells = int(fsum(pair.cells for pair in pairs))
    return (
        f"Pairs of links: {count_of(len(pairs), 'pair')}, {count_of(cells, 'cell')} looked at; "
        f"{count_of(checked.planes, 'plane')} and each pose of contact checked"
    )


def pair_rows(checked: VerifiedPairs) -> Iterator[Texts]:
    """Yield a row for each state: the number of pairs, how many are adjacent, and for some states names of pairs."""
    for state, words in SAID:
        pairs = [pair for pair in checked.decided.pairs if pair.state == state]
        adjacent = len([pair for pair in pairs if pair.is_adjacent])
        names = shown_names(
            [f"{pair.first} - {pair.second}" for pair in pairs if not pair.is_adjacent], 3
        )
        named = names if state in NAMED else ""
        if not pairs:
            continue
        text = str(len(pairs))
        if adjacent:
            text += f" ({adjacent} adjacent)"
        if named:
            text += f": {named}"
        yield words, text


def pairs_record(robot: UrdfRobot, checked: VerifiedPairs) -> bytes:
    """Return all results on the pairs as JSON, with the data to verify each plane and each pose again."""
    ranges = checked.decided.ranges
    data = {
        "format": 1,
        "robot": robot.name,
        "ranges": {child: list(span) for child, span in ranges.of_joint.items()},
        "pairs": [_pair(pair) for pair in checked.decided.pairs],
    }
    return (json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n").encode("utf-8")


def _pair(pair: DecidedLinkPair) -> Json:
    """Return a pair as plain data; directions are in the frame of `middle`, split joints are indices of `joints`."""
    row: Json = {
        "link1": pair.first,
        "link2": pair.second,
        "state": pair.state,
        "adjacent": pair.is_adjacent,
        "reason": reason_of(pair) or None,
        "cells": pair.cells,
    }
    if pair.chain is not None:
        row.update(
            middle=pair.chain.middle, joints=[variable.joint for variable in pair.chain.variables]
        )
    if pair.witness is not None:
        row["pose"] = {
            "positions": list(pair.witness.positions),
            "point": list(pair.witness.point),
            "collisions": [pair.witness.first, pair.witness.second],
        }
        if pair.witness.triangles:
            row["pose"]["triangles"] = list(pair.witness.triangles)
    if pair.proofs:
        # A direction is a list of three numbers in JSON, which writes a tuple as a list.
        row["proofs"] = [
            {"collisions": [proof.first, proof.second], "cells": proof.tokens}
            for proof in pair.proofs
        ]
    return row
