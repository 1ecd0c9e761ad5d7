"""The words of an edit's value: split like a shell, `KEY=VALUE` last; and patterns of links and joints, with positions.

Messages and the note in the result write a pattern alike.
"""

from __future__ import annotations

import re
import shlex
from fnmatch import fnmatchcase
from typing import Any, Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, glob_meant, UsageError
from ..base.run_diagnostics import UNUSED_OPTION
from ..base.number_text import format_number, numbers_in
from ..base.record_type import Record
from ..urdf.lossless_xml import Document
from ..urdf.urdf_records import MOVABLE, UrdfRobot
from ..urdf.urdf_notes import in_note, read_word, VARIANT, words_of_note
from ..urdf.spatial_math import matrix_from_rpy, Transform
from . import Position
from .quantities_with_units import ANGLE, LENGTH, read_quantities
from .robot_draft import RobotDraft


def read_words(
    draft: RobotDraft, words: Sequence[str], keys: Collection[str]
) -> Tuple[List[str], Dict[str, str]]:
    """Return the words, and the values of the keys that follow them.

    Raises:
        UsageError: a key that does not exist.
    """
    names = []
    values = {}
    for word in words:
        key, equals, value = word.partition("=")
        if equals and key in keys:
            values[key] = value
        # A pattern may contain `=`: only words that resemble a key are refused.
        elif equals and did_you_mean(key, tuple(keys)):
            raise draft.refused(f"unknown key '{key}='{did_you_mean(key, tuple(keys))}")
        else:
            names.append(word)
    return names, values


def only_word(draft: RobotDraft, words: Sequence[str], what: str) -> str:
    """Return the only word of a command.

    Raises:
        UsageError: there are no words, several, or only a blank one.
    """
    if not words:
        raise draft.refused(f"give {what}")
    if len(words) != 1 or not words[0].strip():
        raise draft.refused(f"'{' '.join(words)}': give {what}, and no more")
    return words[0]


def pose_of(draft: RobotDraft, values: Mapping[str, str]) -> Transform:
    """Return the pose from `xyz='0 0 10mm'` [m] and `rpy='0 0 90deg'` [rad].

    Raises:
        UsageError: a value is not three numbers.
    """
    numbers = []
    for key, units in (("xyz", LENGTH), ("rpy", ANGLE)):
        try:
            numbers.append(read_quantities(values.get(key, "0 0 0"), 3, units))
        except ValueError as error:
            raise draft.refused(f"{key}: {error}, such as {key}='0 0 0.1'") from None
    (x, y, z), (roll, pitch, yaw) = numbers
    return Transform(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def pattern_of(draft: RobotDraft, old: str, new: str) -> Optional["re.Pattern[str]"]:
    """Return the pattern of `/regex/`, checked with its replacement; None for other words.

    Raises:
        UsageError: the regular expression is invalid, or lacks a group that `new` names.
    """
    if len(old) < 3 or not old[0] == old[-1] == "/":
        return None
    try:
        pattern = re.compile(old[1:-1])
        # Raises if `new` names a missing group.
        pattern.sub(new, "")
    except (re.error, IndexError) as error:
        raise draft.refused(
            f"{old} is not a regular expression that can be used with '{new}': {error}"
        ) from None
    return pattern


def split_words(value: str, path: str, *, single: bool = False) -> List[str]:
    """Return the words of a value, split like a shell, except that a backslash is an ordinary character.

    Patterns and paths contain backslashes. A `single` value may contain spaces.

    Raises:
        UsageError: a quotation mark is missing.
    """
    lexer = shlex.shlex(value, posix=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    lexer.escape = ""
    try:
        words = list(lexer)
    except ValueError as error:
        raise UsageError(f"'{value}': {str(error).lower()}", path) from None
    return [value] if single and len(words) > 1 else words


STATE = "state:"
LISTED = 6  # the largest number of names in a phrase


class ElementPattern(Record):
    """A glob of links or joints and the position of joints, as given to an edit."""

    act: str
    glob: str
    position: Optional[Position] = None

    @property
    def value(self) -> str:
        """The text after the name of the edit."""
        at = (
            self.position if isinstance(self.position, str) else format_number(self.position or 0.0)
        )
        return self.glob if self.position is None else f"{self.glob}={at}"

    def refused(self, why: str, draft: RobotDraft, line: int = 0) -> UsageError:
        """Return the error with the reason why this pattern is refused."""
        return draft.refused(f"--{self.act} {self.value}: {why}", line)


# Edits whose option has another name than their keyword in Python: `scale` is the unit of COLLADA files there.
OPTION_NAMES = {"scale_by": "scale"}


def option_name(act: str) -> str:
    """Return the word of an edit in its option and in the note of the result."""
    return OPTION_NAMES.get(act, act).replace("_", "-")


def spelled(act: str, value: Any) -> str:
    """Return an edit and its value as written on the command line."""
    words = value if isinstance(value, str) else ElementPattern(act, *value).value
    return f"--{option_name(act)} {words}"


def patterns_of(draft: RobotDraft, act: str, values: Sequence[Any]) -> List[ElementPattern]:
    """Return the patterns of an edit without duplicates; a state of the SRDF becomes a pattern for each joint.

    Raises:
        UsageError: a state does not exist, or has no number for a joint.
    """
    wishes: List[ElementPattern] = []
    for value in values:
        # A glob alone, or with its position.
        words = (value,) if isinstance(value, str) else value
        wishes += _resolved(draft, ElementPattern(act, *words))
    return list(dict.fromkeys(wishes))


def noted(draft: RobotDraft) -> List[Tuple[str, str]]:
    """Return the edits and values in the note of the file."""
    return [read_word(word) for word in words_of_note(draft.robot.document, VARIANT)]


def words_for_note(
    draft: RobotDraft, meant: Mapping[ElementPattern, Sequence[str]], what: str
) -> Texts:
    """Return the words for the patterns that match; warn of patterns that an earlier run or edit applied already.

    Raises:
        UsageError: a pattern matches no `what`.
    """
    before = noted(draft)
    words = []
    for wish, names in meant.items():
        if names:
            words.append(f"{wish.act} {in_note(wish.value)}")
        elif (wish.act, wish.value) in before:
            draft.warnings.append(
                Diagnostic(UNUSED_OPTION, 0, "again", (spelled(wish.act, wish.value),))
            )
        else:
            raise wish.refused(named_nothing(draft, wish.glob, what), draft)
    return tuple(words)


def named_nothing(draft: RobotDraft, glob: str, what: str) -> str:
    """Return the message that a glob matches no link or joint, with a suggestion if `what` is `link` or `joint`."""
    known: Dict[str, Collection[str]] = {"joint": draft.robot.named, "link": draft.robot.links}
    names = known.get(what, ())
    return f"there is no such {what}{glob_meant(glob, names)}"


def listed(names: Sequence[str]) -> str:
    """Return names for a phrase, and the number of further names."""
    more = len(names) - LISTED
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:LISTED])} and {more} more"


def exact_glob(name: str) -> str:
    """Return a glob that matches only this name."""
    return re.sub(r"[*?[]", r"[\g<0>]", name)


def _resolved(draft: RobotDraft, wish: ElementPattern) -> List[ElementPattern]:
    """Return the patterns of a named state, one for each joint; other patterns are returned unchanged."""
    if not isinstance(wish.position, str) or not wish.position.startswith(STATE):
        return [wish]
    if draft.srdf is None:
        raise wish.refused("a state is read from an SRDF: give it with --srdf", draft)
    name = wish.position[len(STATE) :]
    states = _states_of(draft.srdf)
    spelled = f"--{wish.act} {wish.value}"
    if name not in states:
        raise UsageError(
            f"{spelled}: there is no state '{name}'{did_you_mean(name, list(states))}",
            draft.srdf.path,
        )
    resolved: List[ElementPattern] = []
    for joint in _independent_joints(draft.robot, wish.glob):
        values = numbers_in(states[name].get(joint, ""), 1)
        if values is None:
            raise UsageError(
                f"{spelled}: state '{name}' has no position of joint '{joint}'", draft.srdf.path
            )
        # As a glob, because a name may contain a bracket or a star.
        resolved.append(ElementPattern(wish.act, exact_glob(joint), values[0]))
    if not resolved:
        meant = glob_meant(wish.glob, _independent_joints(draft.robot, "*"))
        raise wish.refused(f"no joint of this name moves by itself{meant}", draft)
    return resolved


def _independent_joints(robot: UrdfRobot, glob: str) -> List[str]:
    """Return the names of the movable joints that match a glob and mimic no joint, each name once."""
    # Several joints may share a name.
    return list(
        dict.fromkeys(
            joint.name
            for joint in robot.joints
            if fnmatchcase(joint.name, glob) and joint.type in MOVABLE and joint.mimic is None
        )
    )


def _states_of(document: Document) -> Dict[str, Dict[str, str]]:
    """Return the joint values by the name of the state; equal names in several groups are joined."""
    states: Dict[str, Dict[str, str]] = {}
    for state in document.root.elements("group_state"):
        states.setdefault(state.get("name") or "", {}).update(
            {joint.get("name") or "": joint.get("value") or "" for joint in state.elements("joint")}
        )
    return states
