"""What is made of the input before all else, in words: who is locked, whose zero or sign moves, what goes."""
from math import fsum
from typing import Iterable, List

from ..base.number_text import count_of, format_number
from ..plan.decisions import Plan
from .layout import columns, mass_text, Section

FEW = 2  # joints that a headline names


def variant_words(plan: Plan) -> List[str]:
    """Return in a few words each what the options for variants change."""
    variant = plan.variant
    flipped, mass = len(variant.flipped), fsum(variant.source.links[name].mass for name in variant.dropped)
    lost = count_of(len(variant.dropped), "link")
    return [text for holds, text in (
        (variant.locked, locked_words(plan)),
        (variant.zeros, f"{count_of(len(variant.zeros), 'zero')} moved"),
        (flipped, f"{count_of(flipped, 'sign')} turned"),
        (plan.options.keep_signs, "all signs kept"),
        (variant.robot.root != variant.source.root, f"only '{variant.robot.root}' and below"),
        (variant.dropped, f"{lost} dropped ({mass_text(mass)} kg)")) if holds]


def locked_words(plan: Plan) -> str:
    """Return which joints are locked, and where if they are few."""
    locked = plan.variant.locked
    return f"{count_of(len(locked), 'joint')} locked" if len(locked) > FEW else " and ".join(
        f"{name} locked at {at}" for name, at in _positions(plan, locked.items()))


def variant_section(plan: Plan) -> Section:
    """Return the names of all that the variant is about."""
    variant, words = plan.variant, variant_words(plan)
    kept = ", ".join(variant.kept_by_note).replace("*", "all")
    if kept:
        words.append("signs kept as the note of an earlier run says")
    gone = [note.what for note in plan.updates.notes if note.sentence == "dropped"]
    above = variant.source.above
    return Section(f"Variant: {', '.join(words)}", columns([row for row in (
        ("locked", ", ".join(f"{name} {at}" for name, at in _positions(plan, variant.locked.items()))),
        ("zero", ", ".join(f"{name} {at}" for name, at in _positions(plan, variant.zeros.items()))),
        ("turned", ", ".join(above[child].name for child in above if child in variant.flipped)),
        ("kept", kept), ("dropped", ", ".join(variant.dropped)), ("with them", ", ".join(gone))) if row[1]]))


def _positions(plan: Plan, positions: "Iterable[tuple[str, float]]") -> "List[tuple[str, str]]":
    return [(plan.variant.source.above[child].name, format_number(position)) for child, position in positions]
