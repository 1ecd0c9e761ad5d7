"""The SRDF as a companion of a run: read before the plan, updated after it, and verified.

Options take positions from its group states: `--lock 'arm_*=state:home'`.
"""
import os
import re
from fnmatch import fnmatchcase
from functools import partial
from typing import Dict, List, Tuple

from ..base.errors import did_you_mean, ProofFailed, UsageError
from ..base.number_text import numbers_in
from ..plan.decisions import Plan
from ..plan.options import Options, Position
from ..run.companions import Companion, Followed
from ..run.destinations import Destination
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.model import MOVABLE, Robot
from ..urdf.xml_edits import copy_document
from ..verify.comparison import Comparison
from .follow import find_srdf_needs, follow_srdf
from .verify import srdf_proof_line, verify_srdf

STATE = "state:"


def default_srdf_output(output: str) -> str:
    """Return the name of the output with `.srdf`, or "" if there is none."""
    return f"{os.path.splitext(output)[0]}.srdf" if output else ""


def srdf_companion(source: bytes, path: str, output: str = "", *, spelled: str = "srdf_output", is_named: bool = False
                   ) -> Companion:
    """Return an SRDF as a companion for a run.

    Args:
        source, path: its bytes and its name.
        output: the name of its result, "" if none is written.
        spelled: how the caller spells the option that names the result.
        is_named: that option was given.

    Raises:
        MalformedXml: it is not XML.
    """
    document = parse_document(source, path)
    return Companion(Destination(spelled, output, path), is_named, partial(find_srdf_needs, document),
                     partial(_follow, document, source, output), partial(with_states, document))


def _follow(before: Document, source: bytes, output: str, plan: Plan, comparison: Comparison) -> Followed:
    document = copy_document(before)
    updates = follow_srdf(document, plan)
    data = document.to_bytes()
    if before.to_bytes() != source:
        raise ProofFailed("a pass edited the input", before.path)
    after = parse_document(data, before.path)
    proof = verify_srdf(before, after, comparison, updates.warnings)
    return Followed("SRDF", output, updates, before, after, source, data, proof, srdf_proof_line(proof))


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
