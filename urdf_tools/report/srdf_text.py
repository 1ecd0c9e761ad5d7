"""What follows in an SRDF as text for a person; every function returns lines and prints nothing."""
from typing import List, Tuple

from ..base.number_text import count_of
from ..run.pipeline import SrdfResult
from .layout import columns, fold, grouped, Look, Section

PAIRS_SHOWN = 4  # more collision pairs of one kind are counted


def srdf_section(srdf: SrdfResult, look: Look) -> Section:
    """Return what follows in the SRDF, and its proof."""
    from ..srdf.verify import srdf_proof_line

    rows = _srdf_rows(srdf, look)
    lines = columns(rows, look) if rows else ["  nothing in it has to follow"]
    return Section(f"SRDF {srdf.before.path}: {count_of(len(srdf.following.notes), 'element')} to follow",
                   [*lines, *fold(f"Proof: {srdf_proof_line(srdf.proof)}", look, "    ", "  ")], "follows")


def _srdf_rows(srdf: SrdfResult, look: Look) -> List[Tuple[str, str, str]]:
    """Return a row for each note; long lists of collision pairs become one row for each kind."""
    by_kind = grouped((_kind(note.what, note.how), note.line) for note in srdf.following.notes)
    rows, listed = [], set()
    for note in srdf.following.notes:
        kind = _kind(note.what, note.how)
        lines = by_kind[kind]
        if not kind[0] or len(lines) <= PAIRS_SHOWN or look.shows("follows"):
            rows.append((f"line {note.line}", note.what, note.how))
        elif kind not in listed:
            listed.add(kind)
            how = "dropped: within one link now, or listed already" if kind[1] else "name the links with the shapes now"
            rows.append((f"lines {lines[0]}-{lines[-1]}", f"<{kind[0]}>, {count_of(len(lines), 'time')}", how))
    return rows


def _kind(what: str, how: str) -> Tuple[str, bool]:
    """Return the tag of a collision pair, else "", and whether it is dropped."""
    from ..srdf.collisions import DISABLE, ENABLE

    tag = next((tag for tag in (DISABLE, ENABLE) if what.startswith((f"<{tag} ", f"<{tag}>"))), "")
    return tag, how.startswith("dropped")


def srdf_change_line(srdf: SrdfResult) -> str:
    """Return in one line what a run would change, for --check."""
    if not srdf.changed:
        return "fits already"
    return f"would change: {count_of(len(srdf.following.notes), 'element')} follow"
