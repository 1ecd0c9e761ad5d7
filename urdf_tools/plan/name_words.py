"""Words in names: the axis that a joint name implies, motor hardware, hands, cameras, left and right."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain
from typing import Dict, List, Mapping, Optional, Set

from ..base.type_aliases import Pair, Texts
from ..base.record_type import Record

WORD = re.compile(r"([^\W\d_]+)")
# Capitals before a capitalized word are a separate word: `TCPFrame` is TCP and Frame.
CAMEL_CASE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^A-Z]+")

# The first of these words that occurs in a name decides.
AXIS_WORDS = {"pitch": 1, "knee": 1, "elbow": 1, "roll": 0, "yaw": 2}
AXIS_LETTERS = "XYZ"

HARDWARE = ("rotor", "stator", "bearing", "nut", "spacer")
STRUCTURE = ("house", "housing", "holder", "mount", "bracket", "cover", "plate", "case", "support")
HAND = ("finger", "fingertip", "knuckle", "jaw", "pad", "thumb", "gripper", "hand", "claw", "palm")
FOOT = ("foot", "feet", "ankle", "toe")
LEG = ("leg", "thigh", "shin", "shank", "calf", "knee", "ankle", "foot", "feet", "toe")
CAMERA_OR_HEAD = ("camera", "head")
TOOL = ("tool", "tcp")
WHEEL = ("wheel",)
# Wheels that swivel, that a hand turns, or that do not roll on the ground: their axles may point anywhere.
NO_AXLE = ("caster", "castor", "steering", "reaction", "gear")

# Pairs of l and r with front, rear, back, hind or middle, in either order.
SIDES = {
    "left": "right",
    "l": "r",
    "fl": "fr",
    "rl": "rr",
    "bl": "br",
    "hl": "hr",
    "ml": "mr",
    "lf": "rf",
    "lh": "rh",
    "lb": "rb",
    "lm": "rm",
    "lr": "rr",
}
# Reversed, so that the first entry wins: `rr` mirrors both `rl` and `lr`, and `rl` is taken.
MIRRORED = {**{right: left for left, right in reversed(SIDES.items())}, **SIDES}
# Beside first finger, middle finger and thumb, these are the little finger and the ring finger.
FINGERS = ("ff", "mf", "th")
RING = ("lf", "rf")


# A run splits most names several times.
@lru_cache(maxsize=65536)
def words_of(name: str) -> Texts:
    """Return the words of a name in lower case, split at all characters that are not letters, and at camelCase."""
    parts = chain.from_iterable(map(CAMEL_CASE.findall, WORD.findall(name)))
    return tuple(map(str.lower, parts))


class AxisFromName(Record):
    """The axis that a name implies: 0, 1, 2 for X, Y, Z; `others` are words of the name for other axes."""

    axis: int
    word: str
    others: Texts


def axis_class(name: str, added: Mapping[str, int]) -> Optional[AxisFromName]:
    """Return the axis that the words of a joint name imply; the user's words come before the built-in words."""
    words = words_of(name)
    # `added` is first for the order, and last for the values.
    table = {**added, **AXIS_WORDS, **added}
    hits = [word for word in table if word in words]
    if not hits:
        return None
    axis = table[hits[0]]
    return AxisFromName(axis, hits[0], tuple(word for word in hits[1:] if table[word] != axis))


def word_among(known: Texts, name: str) -> Optional[str]:
    """Return the word of a name that is among the known words (`rotors_x8`: rotor), plurals included."""
    for word in words_of(name):
        if word in known:
            return word
        if word[-1:] == "s" and word[:-1] in known:
            return word[:-1]
    return None


def hidden_hardware(stem: str) -> Optional[str]:
    """Return a hardware word that is only part of a word (`nutcracker`: nut): a near miss that is reported."""
    for word in words_of(stem):
        for hardware in HARDWARE:
            if hardware in word and word not in (hardware, hardware + "s"):
                return hardware
    return None


def left_right_pairs(names: List[str]) -> List[Pair]:
    """Return the pairs (left, right) of names that differ in words such as left/right, l/r, fl/fr, lh/rh.

    All side words of a name change together, as in `left_finger_right` and `right_finger_left`. If no name is mirrored
    in this way, a single side word may change.
    """
    return list(_pairs_of(tuple(names)))


# A run pairs the same names several times.
@lru_cache(maxsize=16)
def _pairs_of(names: Texts) -> List[Pair]:
    """Return the pairs of mirrored names in the order of `names`, as a cached list that callers must not change."""
    by_words: Dict[Texts, str] = {}
    for name in names:
        by_words.setdefault(_words_and_separators(name), name)
    hand = any(word in FINGERS for word in chain.from_iterable(by_words))
    sides = {words: _sides_in(words, hand=hand) for words in by_words}
    # All side words at once come first; a single side word is tried only for names without a mirrored name.
    tries = [(words, places) for words, places in sides.items() if places]
    for words, places in [*tries]:
        tries += [(words, [place]) for place in places]
    pairs: Dict[str, str] = {}
    paired: Set[str] = set()
    for words, turned in tries:
        if words[turned[0]] not in SIDES:
            continue
        mirrored = list(words)
        for place in turned:
            mirrored[place] = MIRRORED[words[place]]
        name = by_words[words]
        other = by_words.get(tuple(mirrored))
        if other is not None and paired.isdisjoint((name, other)):
            pairs[name] = other
            paired.update((name, other))
    return [(name, pairs[name]) for name in by_words.values() if name in pairs]


def _sides_in(words: Texts, *, hand: bool) -> List[int]:
    """Return the indices of the side words; in a hand, `lf` and `rf` are fingers."""
    sides = [i for i, word in enumerate(words) if word in MIRRORED]
    others = [i for i in sides if words[i] not in RING]
    return others if hand or others else sides


def _words_and_separators(name: str) -> Texts:
    """Return the words of a name in lower case, and the text between them.

    With that text, `hip_left_1` pairs with `hip_right_1` and not with `hip_right_2`.
    """
    parts: List[str] = []
    for i, piece in enumerate(WORD.split(name)):
        is_word = i % 2 == 1  # words and separators alternate
        parts += map(str.lower, CAMEL_CASE.findall(piece)) if is_word else [piece]
    return tuple(parts)
