"""All rules, in the order of their table."""
from typing import Callable, Iterator, Tuple

from .joint_rules import joint_rules
from .mass_rules import mass_rules
from .overlap_rules import overlap_rules
from .records import Finding, Subject
from .robot_rules import robot_rules
from .simulator_notes import simulator_notes
from .text_rules import text_rules
from .twin_rules import twin_rules
from .urdfdom_rules import urdfdom_rules


def _simulators(subject: Subject) -> Iterator[Finding]:
    """Yield the notes; what is an error for MuJoCo has a kind of its own here."""
    return (Finding(one) for one in simulator_notes(subject.robot) if one.sentence != "inertia")


RULES: Tuple[Callable[[Subject], Iterator[Finding]], ...] = (
    urdfdom_rules, joint_rules, mass_rules, robot_rules, twin_rules, text_rules, overlap_rules, _simulators)
