"""The variant of the input in words: joints that are locked, zeros and signs that change, links that are dropped."""
from math import fsum
from typing import Dict, List, Sequence, Tuple

from ..base.number_text import count_of, format_number
from ..plan.decisions import Plan
from .layout import columns, mass_text, Section

FEW = 2  # joints that a headline names


def variant_words(plan: Plan) -> List[str]:
    """Return in a few words each what the options for variants change."""
    return [text for text, _, names in _parts_of(plan) if names]


def locked_words(plan: Plan) -> str:
    """Return which joints are locked, and where if they are few."""
    at = _positions(plan, plan.variant.locked)
    return f"{count_of(len(at), 'joint')} locked" if len(at) > FEW else " and ".join(
        " locked at ".join(words.rsplit(" ", 1)) for words in at)


def variant_section(plan: Plan) -> Section:
    """Return the names of all joints and links that the variant changes."""
    kept = [] if plan.options.keep_signs else _names(plan, 1)
    gone = [note.what for note in plan.updates.notes if note.sentence == "dropped"]
    rows = [row for row in (*_parts_of(plan), ("signs kept as the note of an earlier run says", "kept", kept),
                            ("", "with them", gone)) if row[2]]
    return Section(f"Variant: {', '.join(text for text, _, _ in rows if text)}",
                   columns([(title, ", ".join(names)) for _, title, names in rows if title]))


def _parts_of(plan: Plan) -> List[Tuple[str, str, Sequence[str]]]:
    """Return what may change, each in a few words, with a title, and the names of those that do change."""
    variant, turned = plan.variant, _names(plan, -1)
    dropped, root = variant.dropped, variant.robot.root
    mass = mass_text(fsum(variant.source.links[name].mass for name in dropped))
    return [
        (locked_words(plan), "locked", _positions(plan, variant.locked)),
        (f"{count_of(len(variant.zeros), 'zero')} moved", "zero", _positions(plan, variant.zeros)),
        (f"{count_of(len(turned), 'sign')} turned", "turned", turned),
        ("all signs kept", "", _names(plan, 1) if plan.options.keep_signs else []),
        (f"only '{root}' and below", "", [root] if root != variant.source.root else []),
        (f"{count_of(len(dropped), 'link')} dropped ({mass} kg)", "dropped", dropped)]


def _names(plan: Plan, sign: int) -> List[str]:
    """Return the joints for which a sign is asked."""
    return [joint.name for joint in plan.variant.robot.joints if plan.variant.signs.get(joint.child) == sign]


def _positions(plan: Plan, positions: Dict[str, float]) -> List[str]:
    return [f"{plan.variant.source.above[child].name} {format_number(at)}" for child, at in positions.items()]
