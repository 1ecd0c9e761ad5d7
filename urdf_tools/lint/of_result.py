"""What is odd about the robot that a run makes, whatever the run changes."""
from typing import Tuple

from ..base.diagnostics import Diagnostic
from ..run.pipeline import Result
from ..urdf.model import Robot
from .kinds import LEFT_RIGHT
from .simulator_notes import simulator_notes
from .symmetry import asymmetry_finding, find_asymmetries


def findings_of_result(result: Result) -> Tuple[Diagnostic, ...]:
    """Return how left and right differ, which needs canonical frames, and notes for simulators.

    They are about the result, and have the lines of the input, as all that a run says; 0 where it is not there.
    """
    differing = find_asymmetries(result.after) if result.plan.options.reorient else ()
    found = [asymmetry_finding(one, result.after) for one in differing]
    return tuple(one._replace(line=_line_in(result.before, one)) for one in (*found, *simulator_notes(result.after)))


def _line_in(robot: Robot, found: Diagnostic) -> int:
    """Return the line of what a finding is about: a joint or a link."""
    name = "".join(found.names[found.kind is LEFT_RIGHT:][:1])
    part = robot.named.get(name) or robot.links.get(name)
    return part.source.line if part else 0
