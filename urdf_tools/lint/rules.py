"""All rules, in the order of their table."""
from typing import Callable, Iterator, Tuple

from .records import Finding, Subject
from .simulator_notes import simulator_notes
from .symmetry import asymmetry_findings


def _left_and_right(subject: Subject) -> Iterator[Finding]:
    for one in asymmetry_findings(subject.canonical) if subject.canonical else ():
        yield Finding(one)


def _simulators(subject: Subject) -> Iterator[Finding]:
    for one in simulator_notes(subject.robot):
        yield Finding(one)


RULES: Tuple[Callable[[Subject], Iterator[Finding]], ...] = (_left_and_right, _simulators)
