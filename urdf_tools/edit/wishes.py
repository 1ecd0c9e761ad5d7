"""What an act names by globs, with positions; messages and the note in the result write it alike."""
import re
from fnmatch import fnmatchcase
from typing import Any, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, UsageError
from ..base.kinds import UNUSED_OPTION
from ..plan.notes import in_note, read_word, VARIANT, words_of_note
from ..base.number_text import format_number, numbers_in
from ..urdf.lossless_xml import Document
from ..urdf.model import MOVABLE, Robot
from . import Position
from .records import Draft

STATE = "state:"
LISTED = 6  # names that a phrase lists


class Wish(NamedTuple):
    """A glob of links or joints, and the position of joints, as an act was given it."""

    act: str
    glob: str
    position: Optional[Position] = None

    @property
    def value(self) -> str:
        """The text after the name of the act."""
        at = self.position if isinstance(self.position, str) else format_number(self.position or 0.0)
        return self.glob if self.position is None else f"{self.glob}={at}"

    def refused(self, why: str, draft: Draft, line: int = 0) -> UsageError:
        """Return the error that says why this cannot be."""
        return UsageError(f"--{self.act} {self.value}: {why}", draft.path, line)


def wishes_of(draft: Draft, act: str, values: Sequence[Any]) -> List[Wish]:
    """Return the wishes of an act, each once; a state of the SRDF as one for each joint.

    Raises:
        UsageError: a state does not exist, or has no number for a joint.
    """
    wishes = [Wish(act, *((value,) if isinstance(value, str) else value)) for value in values]
    return list(dict.fromkeys(resolved for wish in wishes for resolved in _resolved(draft, wish)))


def noted(draft: Draft) -> List[Tuple[str, str]]:
    """Return the acts and values that the note of the file has."""
    return [read_word(word) for word in words_of_note(draft.robot.document, VARIANT)]


def words_for_note(draft: Draft, meant: Mapping[Wish, Sequence[str]], what: str) -> Tuple[str, ...]:
    """Return the words on wishes that name something; warn of the others, which name no `what`."""
    before = noted(draft)
    draft.warnings += [Diagnostic(UNUSED_OPTION, 0, "again" if (wish.act, wish.value) in before else what,
                                  (f"--{wish.act} {wish.value}",)) for wish, names in meant.items() if not names]
    return tuple(f"{wish.act} {in_note(wish.value)}" for wish, names in meant.items() if names)


def listed(names: Sequence[str]) -> str:
    """Return names for a phrase, and how many more there are."""
    more = len(names) - LISTED
    return ", ".join(names) if more <= 1 else f"{', '.join(names[:LISTED])} and {more} more"


def exact_glob(name: str) -> str:
    """Return a glob that only this name matches."""
    return re.sub(r"[*?[]", r"[\g<0>]", name)


def _resolved(draft: Draft, wish: Wish) -> List[Wish]:
    if not isinstance(wish.position, str) or not wish.position.startswith(STATE):
        return [wish]
    if draft.srdf is None:
        raise wish.refused("states are those of an SRDF: give it with --srdf", draft)
    name, states = wish.position[len(STATE):], _states_of(draft.srdf)
    spelled = f"--{wish.act} {wish.value}"
    if name not in states:
        raise UsageError(f"{spelled}: there is no state '{name}'{did_you_mean(name, list(states))}", draft.srdf.path)
    resolved: List[Wish] = []
    for joint in _leaders(draft.robot, wish.glob):
        values = numbers_in(states[name].get(joint, ""), 1)
        if values is None:
            raise UsageError(f"{spelled}: state '{name}' has no position of joint '{joint}'", draft.srdf.path)
        resolved.append(Wish(wish.act, exact_glob(joint), values[0]))
    return resolved or [Wish(wish.act, wish.glob, 0.0)]


def _leaders(robot: Robot, glob: str) -> List[str]:
    """Return the names of the joints that a glob means and that follow no other."""
    return list(dict.fromkeys(joint.name for joint in robot.joints if fnmatchcase(joint.name, glob)
                              and joint.type in MOVABLE and joint.mimic is None))


def _states_of(document: Document) -> Dict[str, Dict[str, str]]:
    """Return by the name of a state its values by joint; states of several groups with the same name are joined."""
    states: Dict[str, Dict[str, str]] = {}
    for state in document.root.elements("group_state"):
        states.setdefault(state.get("name") or "", {}).update(
            {joint.get("name") or "": joint.get("value") or "" for joint in state.elements("joint")})
    return states
