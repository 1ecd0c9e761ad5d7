"""The step of a run that decides pairs: search, check all that was found, and say which lines an SRDF gets."""
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import ProofFailed
from ..base.number_text import format_number, shown_names
from ..urdf.lossless_xml import Document
from ..urdf.model import Robot
from .chains import chain_between, home_of
from .kinds import PAIR_AT_HOME, PAIR_HOLLOW, PAIR_UNKNOWN, PAIR_UNLIMITED, PAIR_WRONG
from .pairs import decide_pairs, HOME, HULLS_AT_HOME, NEVER, OPEN, Pair, Pairs, TOUCHES
from .pieces import BodyOf
from .verify_pairs import PairCheck, ReadMesh
from .witness import touch_at

ADJACENT_REASON, NEVER_REASON, HOME_REASON = "Adjacent", "Never", "Default"  # as MoveIt names them


class CheckedPairs(NamedTuple):
    """All pairs, each proof and each witness checked; how many planes that were, and what to say."""

    found: Pairs
    planes: int
    notes: Tuple[Diagnostic, ...]

    @property
    def by_names(self) -> "Dict[frozenset[str], Pair]":
        """The pairs by the names of their links."""
        return {frozenset((pair.first, pair.second)): pair for pair in self.found.pairs}


def checked_pairs(robot: Robot, body_of: BodyOf, read: ReadMesh, most: int, progress: Callable[[str, int], None]
                  ) -> CheckedPairs:
    """Return what is known of the pairs of a robot.

    Raises:
        ProofFailed: something does not hold that was found; a fault of this tool.
    """
    found = decide_pairs(robot, body_of, most, progress)
    planes = check_found(robot.document, found, read)
    notes = [Diagnostic(PAIR_AT_HOME, robot.links[pair.first].source.line, "hulls", (pair.first, pair.second))
             for pair in found.pairs if pair.state == HULLS_AT_HOME and not pair.is_adjacent]
    for sentence, names in (("turns", found.ranges.unlimited), ("slides", found.ranges.unbounded),
                            ("geared", found.ranges.geared)):
        if names:
            notes.append(Diagnostic(PAIR_UNLIMITED, 0, sentence, (shown_names(names),), (len(names),)))
    return CheckedPairs(found, planes, (*notes, *_unknown(robot, found), *_hollow(found)))


def _hollow(found: Pairs) -> List[Diagnostic]:
    """Return which links of pairs that are not decided have meshes that are not convex."""
    names = dict.fromkeys(name for pair in found.pairs if pair.state == OPEN for name in (pair.first, pair.second)
                          if len(found.pieces.of_link[name].inside) < len(found.pieces.of_link[name].around))
    return [Diagnostic(PAIR_HOLLOW, 0, "meshes", (shown_names(names),), (len(names),))] if names else []


def _unknown(robot: Robot, found: Pairs) -> List[Diagnostic]:
    """Return what is said of links whose shapes are not known, all in one."""
    names = found.pieces.unknown
    if len(names) + len(found.pieces.of_link) < 2:
        return [Diagnostic(PAIR_UNKNOWN, 0, "few")]
    if not found.pieces.of_link and len(names) > 1:
        return [Diagnostic(PAIR_UNKNOWN, 0, "none")]
    if len(names) > 1:
        return [Diagnostic(PAIR_UNKNOWN, 0, "shapes", (shown_names(names),), (len(names),))]
    return [Diagnostic(PAIR_UNKNOWN, robot.links[name].source.line, "shape", (name,)) for name in names]


def check_found(document: Document, found: Pairs, read: ReadMesh) -> int:
    """Check each proof and each witness by the text alone, and return how many planes that were.

    Raises:
        ProofFailed: naming the first that does not hold.
    """
    check = PairCheck(document, read)
    for pair in found.pairs:
        where, chain = f"links '{pair.first}' and '{pair.second}'", pair.chain
        if pair.state == NEVER and chain is not None:
            children = [one.child for one in chain.variables]
            pieces = {(proof.first, proof.second) for proof in pair.proofs}
            wanted = {(i, j) for i in range(check.pieces(pair.first)) for j in range(check.pieces(pair.second))}
            holds = pieces == wanted and all(check.is_apart(
                (pair.first, proof.first), (pair.second, proof.second), chain.middle, children, proof.tokens)
                for proof in pair.proofs)
            if not holds:
                raise ProofFailed(f"{where}: the proof that they never touch does not hold", document.path)
        if pair.state in (TOUCHES, HOME) and chain is not None:
            witness = pair.witness
            if witness is None or not check.touches(
                    (pair.first, witness.first), (pair.second, witness.second), chain.middle,
                    {one.child: at for one, at in zip(chain.variables, witness.positions)},
                    point=witness.point, triangles=witness.triangles):
                raise ProofFailed(f"{where}: they do not touch where they are said to", document.path)
    return check.planes


def reason_of(pair: Pair) -> str:
    """Return the reason with which an SRDF leaves a pair out, "" where it should be looked at."""
    if pair.is_adjacent:
        return ADJACENT_REASON
    return {NEVER: NEVER_REASON, HOME: HOME_REASON}.get(pair.state, "")


def pose_text(pair: Pair) -> str:
    """Return the positions of a witness by joint, those that are not zero."""
    if pair.witness is None or pair.chain is None:
        return ""
    said = [f"{one.joint}={format_number(at)}" for one, at in zip(pair.chain.variables, pair.witness.positions) if at]
    return " ".join(said) or "zero"


def wrong_line(robot: Robot, checked: CheckedPairs, pair: Pair, hidden: "Sequence[frozenset[str]]", line: int
               ) -> Diagnostic:
    """Return what is wrong with a line that says of a pair that it never touches, and what else touches there."""
    others = touching_at(robot, checked, pair, hidden)
    names = (pair.first, pair.second, pose_text(pair))
    if others:
        return Diagnostic(PAIR_WRONG, line, "masked", (*names, shown_names(others)))
    return Diagnostic(PAIR_WRONG, line, "alone", names)


def touching_at(robot: Robot, checked: CheckedPairs, pair: Pair, hidden: "Sequence[frozenset[str]]") -> List[str]:
    """Return the other pairs that touch in the pose of a witness, the other joints at home, but hidden ones."""
    if pair.witness is None or pair.chain is None:
        return []
    at = {**home_of(checked.found.ranges),
          **{one.child: value for one, value in zip(pair.chain.variables, pair.witness.positions)}}
    shapes = checked.found.pieces.of_link
    found: List[str] = []
    skipped = {*hidden, frozenset((pair.first, pair.second))}
    for other in checked.found.pairs:
        if frozenset((other.first, other.second)) in skipped or other.state == NEVER or other.is_adjacent:
            continue
        chain = chain_between(robot, other.first, other.second, checked.found.ranges)
        if chain is None or other.first not in shapes or other.second not in shapes:
            continue
        positions = [at[one.child] for one in chain.variables]
        if touch_at(chain, (shapes[other.first], shapes[other.second]), positions):
            found.append(f"{other.first} - {other.second}")
    return found


class Judged(NamedTuple):
    """What a line of an SRDF says of two links, and what is known: "proven", "wrong", "open", or "chosen" for a line
    that does not say never."""

    first: str
    second: str
    line: int
    verdict: str
    pair: Optional[Pair]


def judge(document: Document, checked: CheckedPairs) -> List[Judged]:
    """Return a verdict for each pair that an SRDF leaves out."""
    known = checked.by_names
    found: List[Judged] = []
    for one in document.root.elements("disable_collisions"):
        first, second = one.get("link1") or "", one.get("link2") or ""
        pair = known.get(frozenset((first, second)))
        reason = one.get("reason") or (reason_of(pair) if pair else "") or NEVER_REASON
        if reason != NEVER_REASON:
            verdict = "chosen"
        elif pair is None:  # one of them has no shape, or is no link
            verdict = "proven"
        else:
            verdict = {NEVER: "proven", TOUCHES: "wrong", HOME: "wrong"}.get(pair.state, "open")
        found.append(Judged(first, second, one.line, verdict, pair))
    return found
