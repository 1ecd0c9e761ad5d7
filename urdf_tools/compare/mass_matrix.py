"""The effect of different masses: the mass matrices M(q) of two robots at equal random positions.

There is no bound for all positions.
"""
from math import pi, sqrt
from random import Random
from typing import Dict, Optional

from ..robot.canonical import Canonical, TURNS
from ..robot.joint_motion import is_line
from ..robot.mass_matrix import mass_matrix
from .robot_map import RobotMap

POSITIONS = 200
STROKE = 1.0  # m: of a slide without limits


def mass_matrix_gap(robots: RobotMap, positions: int = POSITIONS) -> Optional[float]:
    """Return the largest difference of an entry of M(q), relative to sqrt(M_ii M_jj).

    Joints with a single number as position count, all others are held; None where there are none.
    """
    pairs = [pair for pair in robots.pairs if is_line(robots.a.joints[pair.choice.a].motion)]
    generator, worst = Random(1), None
    for _ in range(positions if pairs else 0):
        here: Dict[int, float] = {}
        there: Dict[int, float] = {}
        for pair in pairs:
            choice = pair.choice
            here[choice.a] = _drawn(robots.a, choice.a, generator)
            there[choice.b] = choice.sign * here[choice.a] + choice.zero
        first, second = mass_matrix(robots.a, here), mass_matrix(robots.b, there)
        signs = {pair.choice.a: pair.choice.sign for pair in pairs}
        partner = {pair.choice.a: pair.choice.b for pair in pairs}
        size = {k: max(first[k, k], second[partner[k], partner[k]]) for k in partner}
        for (j, k), value in first.items():
            if j in partner and k in partner and size[j] > 0.0 and size[k] > 0.0:
                m, n = sorted((partner[j], partner[k]))
                other = signs[j] * signs[k] * second.get((m, n), 0.0)
                worst = max(worst or 0.0, abs(value - other) / sqrt(size[j] * size[k]))
    return worst


def _drawn(robot: Canonical, index: int, generator: Random) -> float:
    """Return a random position of a joint between its limits, relative to the drawn pose."""
    joint = robot.joints[index]
    free = pi if joint.motion == TURNS else STROKE
    lower, upper = joint.raw.lower, joint.raw.upper
    if lower is None or upper is None or not -1e3 < lower < upper < 1e3 or joint.raw.type == "continuous":
        lower, upper = -free, free
    return generator.uniform(lower, upper) - joint.raw.reference
