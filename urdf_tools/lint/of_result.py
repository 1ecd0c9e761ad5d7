"""Findings about the robot that a run makes."""
from typing import Tuple

from ..base.diagnostics import Diagnostic
from ..run.records import Result
from ..urdf.model import Robot
from .kinds import LEFT_RIGHT
from .simulator_notes import simulator_notes
from .symmetry import left_right, limbs_of


def findings_of_result(result: Result) -> Tuple[Diagnostic, ...]:
    """Return how left and right differ, if the frames are canonical, and notes for simulators.

    They are about the result and have the lines of the input, as all diagnostics of a run; 0 for what is not there.
    """
    limbs = limbs_of(result.after.document) if result.plan.options.reorient else ()
    diagnostics = [diagnostic for each in limbs for diagnostic in left_right(each)]
    return tuple(diagnostic._replace(line=_line_in(result.before, diagnostic))
                 for diagnostic in (*diagnostics, *simulator_notes(result.after)))


def _line_in(robot: Robot, diagnostic: Diagnostic) -> int:
    """Return the line of the joint or link that a finding is about."""
    name = "".join(diagnostic.names[diagnostic.kind is LEFT_RIGHT:][:1])
    part = robot.named.get(name) or robot.links.get(name)
    return part.source.line if part else 0
