"""The mass matrix M(q) of a robot, by energies."""

import math
import random

from conftest import examples, SEEDS
from hypothesis import example, given
from random_robots import Traits, write_robot

from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.rigid_bodies import SLIDES, TURNS
from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.robot.joint_motion import mass_matrix

LIKELY = Traits(links=8, odd_joints=False, duplicates=0.0, mimics=0.0, hostile=0.0)


@examples(fuzzed=50)
@example(1852)
@given(SEEDS)
def test_no_motion_has_an_energy_below_zero(seed):
    """Of two joints, up to rounding of tensors about the origin of the root; Pinocchio judges the numbers."""
    r = random.Random(seed)
    robot = canonical(read_urdf(write_robot(r, LIKELY).encode("utf-8")))
    turning = {
        place: r.uniform(-1.0, 1.0)
        for place, joint in enumerate(robot.joints)
        if joint.motion in (TURNS, SLIDES)
    }
    found = mass_matrix(robot, turning)
    heavy = [body.mass for body in robot.bodies if body.mass is not None]
    rounding = (
        1e-15
        * sum(mass.mass for mass in heavy)
        * (1.0 + sum(math.hypot(*mass.center) for mass in heavy)) ** 2
    )
    for place in turning:
        assert found[place, place] >= -rounding
        for other in turning:
            entry = found.get((min(place, other), max(place, other)), 0.0)
            assert (
                entry**2
                <= max(0.0, found[place, place] * found[other, other]) * (1.0 + 1e-9) + 1e-18
            )
