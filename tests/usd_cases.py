"""What the judges of USD share: robots, each written as USD, and what Pinocchio has of the same URDF."""

from collections import namedtuple
import sys
import warnings
from pathlib import Path

import pytest
from conftest import ROOT

from urdf_tools import model as m
from engine import simplify
from sound_robots import sound
from urdf_tools.base.errors import UrdfError
from urdf_tools.formats.usd.read_stage import read_usd_stage
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.model.export_options import UsdOptions
from urdf_tools.urdf.urdf_records import MOVABLE

MODELS = "cmeel.prefix/share/example-robot-data/robots"
OWN = [ROOT / "fixtures" / name / "robot.urdf" for name in ("arm", "humanoid", "painted_arm")]
SHARED = sorted((ROOT.parent / "shared" / "robots").glob("*.urdf"))
EXAMPLES = sorted(path for folder in sys.path for path in (Path(folder) / MODELS).rglob("*.urdf"))
ROBOTS = [*OWN, *SHARED, *EXAMPLES]
each_robot = pytest.mark.parametrize(
    "path", ROBOTS, ids=lambda path: f"{path.parent.name}-{path.stem}"
)
each_way = pytest.mark.parametrize("base", ["free", "fixed"])


class Case(namedtuple("Case", "usda robot model free followers")):
    """A file of USD, the robot that it was made of, and what Pinocchio has of that with the tensors that were written.

    Attributes:
        followers: the joints whose rule is written, by name.
    """

    def places(self, joints):
        """Return the places of joints in the velocities of Pinocchio."""
        return [self.model.joints[self.model.getJointId(name)].idx_v for name in joints]

    def joints(self):
        """Return the joints that turn or slide, by name."""
        return {joint.name: joint for joint in self.robot.joints if joint.type in MOVABLE}


def case_of(folder, path, *, bare=False, **options):
    """Write the simplified robot as USD; impossible tensors, and masses of nothing, are repaired by lint first.

    `bare`: without shapes, which would push each other.
    """
    pin = pytest.importorskip("pinocchio")
    source, simple = folder / "input.urdf", folder / "robot.urdf"
    # Alone: its meshes are not looked for.
    source.write_text(sound(path.read_text("utf-8")), "utf-8")
    try:
        simplify(source, simple)
        robot = m.Robot.from_urdf(str(simple if simple.exists() else source))
        if bare:
            robot = robot._replace(
                links=tuple(link._replace(visuals=(), collisions=()) for link in robot.links)
            )
        if robot.root == "world" and options.get("base") == "free":
            pytest.skip("its root is the world itself")
        written, _ = make_usd(robot, UsdOptions(meshes="none", **options))
    except UrdfError as error:
        pytest.skip(str(error))
    usda = folder / "robot.usda"
    usda.write_text(written.text, "utf-8")
    links = []
    masses = {link.name: link.mass for link in read_usd_stage(written.text).links}
    for link in robot.links:
        mass = masses.get(link.name)
        inertial = link.inertial
        if mass:
            xx, xy, xz, yy, yz, zz = mass.tensor
            inertia = m.Inertia(xx, yy, zz, xy, xz, yz)
            inertial = m.Inertial(mass.mass, inertia, m.Pose(mass.center))
        elif inertial and not inertial.mass:
            inertial = None  # its tensor is in that of its body
        links.append(link._replace(inertial=inertial, visuals=(), collisions=()))
    plain = m.Robot("r", tuple(links), tuple(joint._replace(mimic=None) for joint in robot.joints))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = m.to_urdf(plain)
    free = (
        'def PhysicsFixedJoint "root_joint"' not in written.text
        and 'PhysicsMassAPI", "PhysicsArticulation' in (written.text)
    )
    root_joint = [pin.JointModelFreeFlyer()] if free else []
    model = pin.buildModelFromXML(text, *root_joint)
    case = Case(usda, robot, model, free, {})
    joints = case.joints()
    slides = {name: joint.type == "prismatic" for name, joint in joints.items()}
    followers = {
        name: joint.mimic
        for name, joint in joints.items()
        if joint.mimic and slides.get(joint.mimic.joint) == slides[name]
    }
    return case._replace(followers=followers)


def far(values, wanted):
    """Return how far symmetric matrices are apart: entries by the size of row and column, or all by the largest."""
    import numpy as np

    scale = np.sqrt(np.outer(np.diag(wanted), np.diag(wanted)))
    step = np.abs(values - wanted)
    return float(min((step / scale).max(), step.max() / np.abs(wanted).max())) if len(step) else 0.0


def symmetric(M):
    """Return a matrix of which Pinocchio fills the upper half."""
    import numpy as np

    return np.triu(M) + np.triu(M, 1).T
