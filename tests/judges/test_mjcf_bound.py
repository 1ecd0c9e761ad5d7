"""MuJoCo judges the bound of the comparison: no point of a pair URDF/MJCF is farther apart at 200 mapped positions."""

import random

import pytest
from judged_robots import bound_and_worst, MOTION, Pinocchio, pose, robots_of
from remade import back, How, remake, times
from sound_robots import sound

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.comparison import compare
from urdf_tools.formats.mjcf.read import read_mjcf
from urdf_tools.export.mjcf import write_mjcf
from urdf_tools.inputs.as_urdf import model_from_raw
from urdf_tools.model import Robot
from urdf_tools.model.choices import MjcfOptions
from urdf_tools.formats.urdf.model import write_urdf

mujoco = pytest.importorskip("mujoco", reason="the judge is MuJoCo")
NOISE = (0.0, 1e-5)  # m and rad, of each axis


class MuJoCo:
    """An MJCF as MuJoCo reads it; what follows another joint moves for itself, since nothing is simulated."""

    def __init__(self, text, root):
        self.model = mujoco.MjModel.from_xml_string(text)
        self.data, self.root = mujoco.MjData(self.model), root

    def places(self, q):
        """Return the pose of each body in that of the root."""
        self.data.qpos[:] = self.model.qpos0
        for name, value in q.items():
            self.data.qpos[self.model.joint(name).qposadr[0]] = value
        mujoco.mj_kinematics(self.model, self.data)
        T_world = {
            self.model.body(k).name: pose(self.data.xmat[k].reshape(3, 3), self.data.xpos[k])
            for k in range(self.model.nbody)
        }
        T_root_world = back(T_world[self.root])
        return {name: times(T_root_world, T) for name, T in T_world.items()}


def without_shapes(robot):
    """Return a robot that needs no files."""
    return robot._replace(
        links=tuple(link._replace(visuals=(), collisions=()) for link in robot.links)
    )


def mjcf_of(robot):
    """Return a robot as MJCF, its masses repaired; a root that is the world is one there."""
    options = MjcfOptions(actuators="none")
    text = write_urdf(without_shapes(model_from_raw(robot).robot)).text
    return write_mjcf(Robot.from_urdf(sound(text)), options).text


@pytest.mark.parametrize("noise", NOISE)
def test_no_point_of_an_mjcf_is_beyond_the_bound(noise, shared):
    """What this tool writes of a robot, and of the robot of another author with noise on each axis."""
    parts, left = [], []
    for name, text, robot in robots_of(shared):
        r = random.Random(name)
        other = remake(robot, r, How(zeros="any", noise=noise)).robot if noise else robot
        try:
            written = mjcf_of(other)
        except UrdfError as error:
            left.append(f"{name}: {error}")
            continue
        read = read_mjcf(written)
        comparison = compare(robot, read, aspects=MOTION, tolerance=1e-2)
        assert comparison.is_same, name
        root = comparison.map.b.bodies[0].parts[0].link.name
        bound, worst = bound_and_worst(comparison, Pinocchio(text), MuJoCo(written, root), r)
        assert worst <= bound + 2e-9, (name, worst, bound)
        parts.append(worst / max(bound, 2e-9))
    print(
        f"worst of 200 poses: {min(parts):.2f} to {max(parts):.2f} of the bound, {len(parts)} robots; left: {left}"
    )
    assert len(parts) > 8, left


class Shifted(MuJoCo):
    """All bodies but the first are 5 mm away where they move, not where they are drawn."""

    def places(self, q):
        before = self.model.body_pos.copy()
        self.model.body_pos[2:, 0] += 0.005 if q else 0.0
        found = super().places(q)
        self.model.body_pos[:] = before
        return found


def test_a_robot_that_moves_otherwise_is_beyond_the_bound(shared):
    """A mutant: bodies are 5 mm away as soon as a joint moves."""
    name, text, robot = robots_of(shared)[0]
    written = mjcf_of(robot)
    comparison = compare(robot, read_mjcf(written), aspects=MOTION)
    judge = Shifted(written, comparison.map.b.bodies[0].parts[0].link.name)
    bound, worst = bound_and_worst(comparison, Pinocchio(text), judge, random.Random(name))
    assert worst > bound + 2e-9
