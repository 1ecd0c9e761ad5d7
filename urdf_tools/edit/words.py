"""The words of an act's value: split as a shell does, `KEY=VALUE` last."""
import re
import shlex
from typing import Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import did_you_mean, UsageError
from ..base.number_text import read_numbers
from ..urdf.spatial import matrix_from_rpy, Pose
from .records import Draft


def read_words(draft: Draft, words: Sequence[str], keys: Collection[str]) -> Tuple[List[str], Dict[str, str]]:
    """Return the words, and the values of the keys that follow them.

    Raises:
        UsageError: a key that does not exist.
    """
    names, values = [], {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key in keys:
            values[key] = value
        elif equals and did_you_mean(key, tuple(keys)):
            raise UsageError(f"'{key}=' is no word of this{did_you_mean(key, tuple(keys))}", draft.path)
        else:
            names.append(word)
    return names, values


def single(draft: Draft, words: Sequence[str], what: str) -> str:
    """Return the word, if it is the only one.

    Raises:
        UsageError: there are none or several.
    """
    if len(words) != 1 or not words[0].strip():
        raise UsageError(f"give {what}" if not words else f"'{' '.join(words)}': give {what}, and no more", draft.path)
    return words[0]


def pose_of(draft: Draft, values: Mapping[str, str]) -> Pose:
    """Return the pose that `xyz='0 0 1'` [m] and `rpy='0 0 1.57'` [rad] say.

    Raises:
        UsageError: they are not three numbers each.
    """
    numbers = []
    for key in ("xyz", "rpy"):
        try:
            numbers.append(read_numbers(values.get(key, "0 0 0"), 3))
        except ValueError as error:
            raise UsageError(f"{key}: {error}, such as {key}='0 0 0.1'", draft.path) from None
    (x, y, z), (roll, pitch, yaw) = numbers
    return Pose(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def pattern_of(draft: Draft, old: str, new: str) -> Optional["re.Pattern[str]"]:
    """Return the pattern of `/regex/`, checked with what replaces it; None for other words.

    Raises:
        UsageError: it is no regular expression, or has not the groups that `new` names.
    """
    if len(old) < 3 or not old[0] == old[-1] == "/":
        return None
    try:
        pattern = re.compile(old[1:-1])
        pattern.sub(new, "")
    except (re.error, IndexError) as error:
        raise UsageError(f"{old} is no regular expression that can be used with '{new}': {error}", draft.path) from None
    return pattern


def split_words(value: str, path: str, *, single: bool = False) -> List[str]:
    """Return the words of a value, as a shell splits them, but that a backslash is itself: in patterns, and paths.

    A `single` one may have blanks in it.

    Raises:
        UsageError: a quotation mark is missing.
    """
    lexer = shlex.shlex(value, posix=True)
    lexer.whitespace_split, lexer.commenters, lexer.escape = True, "", ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise UsageError(f"'{value}': {str(error).lower()}", path) from None
    return [value] if single and len(words) > 1 else words
