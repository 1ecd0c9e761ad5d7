"""Positions in options that are taken from a group state: `--lock 'arm_*=state:home'`."""
import re
from fnmatch import fnmatchcase
from typing import Dict, List, Tuple

from ..base.errors import did_you_mean, UsageError
from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Document
from ..urdf.model import MOVABLE, Robot
from ..plan.options import Options, Position

STATE = "state:"


def with_states(document: Document, robot: Robot, options: Options) -> Options:
    """Return the options with names of states replaced by the position of each joint.

    Raises:
        UsageError: a state does not exist, or has no number for a joint.
    """
    lock, zero = ([resolved for pair in pairs for resolved in _resolved(document, robot, flag, *pair)]
                  for flag, pairs in (("--lock", options.lock), ("--zero", options.zero)))
    return options._replace(lock=tuple(lock), zero=tuple(zero))


def _resolved(document: Document, robot: Robot, flag: str, glob: str, position: Position) -> List[Tuple[str, Position]]:
    """Return a pair for each joint that a glob names, except mimic joints; a pair without a state is returned as it is.
    """
    if isinstance(position, float) or not position.startswith(STATE):
        return [(glob, position)]
    spelled, name, states = f"{flag} {glob}={position}", position[len(STATE):], _states_of(document)
    if name not in states:
        raise UsageError(f"{spelled}: there is no state '{name}'{did_you_mean(name, list(states))}", document.path)
    named = {joint.name: joint for joint in robot.joints if fnmatchcase(joint.name, glob)}
    pairs: List[Tuple[str, Position]] = []
    for joint in named.values():
        if joint.type in MOVABLE and joint.mimic is None:
            values = numbers_in(states[name].get(joint.name, ""), 1)
            if values is None:
                raise UsageError(f"{spelled}: state '{name}' has no position of joint '{joint.name}'", document.path)
            pairs.append((re.sub(r"[*?[]", r"[\g<0>]", joint.name), values[0]))
    return pairs or [(glob, 0.0)]


def _states_of(document: Document) -> Dict[str, Dict[str, str]]:
    """Return by the name of a state its values by joint; states of several groups with the same name are joined."""
    states: Dict[str, Dict[str, str]] = {}
    for state in document.root.elements("group_state"):
        states.setdefault(state.get("name") or "", {}).update(
            {joint.get("name") or "": joint.get("value") or "" for joint in state.elements("joint")})
    return states
