"""What several judges of the comparison share: robots, positions, Pinocchio, and the bound against what is measured."""

import math

import pytest
from conftest import ROOT
from remade import at, back, times

from engine import simplify
from urdf_tools.base.errors import UrdfSimplifyError
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.inputs.as_urdf import model_from_raw
from urdf_tools.formats.urdf.model import write_urdf
from urdf_tools.urdf.spatial import Pose

np = pytest.importorskip("numpy", reason="the judges need numpy")
POSES = 200
MOTION = frozenset({"motion"})


def matrix(T):
    return np.vstack([np.column_stack([T.rotation, T.translation]), [0.0, 0.0, 0.0, 1.0]])


def pose(rotation, translation):
    rows = tuple(tuple(map(float, row)) for row in rotation)
    return Pose(rows, tuple(map(float, translation)))


def drawn(robot, r):
    """Return random positions by joint."""
    return {
        joint.name: r.uniform(-1.0, 1.0) * (0.1 if joint.type == "prismatic" else 3.0)
        for joint in robot.joints
        if joint.moves
    }


class Pinocchio:
    """A URDF as Pinocchio reads it; its mimic joints move for themselves."""

    def __init__(self, text):
        self.pin = pytest.importorskip("pinocchio", reason="the judge is Pinocchio")
        self.model = self.pin.buildModelFromXML(text)
        self.data = self.model.createData()

    def places(self, q):
        """Return the pose of each link in the root."""
        self.pin.framesForwardKinematics(self.model, self.data, self.positions(q))
        return {
            frame.name: pose(self.data.oMf[k].rotation, self.data.oMf[k].translation)
            for k, frame in enumerate(self.model.frames)
            if frame.type == self.pin.FrameType.BODY
        }

    def positions(self, q):
        """Return positions by joint as Pinocchio has them."""
        positions = self.pin.neutral(self.model)
        for name, value in q.items():
            joint = self.model.joints[self.model.getJointId(name)]
            if joint.nq == 2:
                positions[joint.idx_q], positions[joint.idx_q + 1] = (
                    math.cos(value),
                    math.sin(value),
                )
            else:
                positions[joint.idx_q] = value
        return positions

    def masses(self):
        """Return mass, center and tensor of each body that a joint moves, at zero in the root, by joint."""
        self.pin.forwardKinematics(self.model, self.data, self.pin.neutral(self.model))
        masses = {}
        for k in range(1, self.model.njoints):
            inertia = self.data.oMi[k].act(self.model.inertias[k])
            masses[self.model.names[k]] = (inertia.mass, inertia.lever, inertia.inertia)
        return masses

    def mass_matrix(self, q):
        """Return M(q) by names of joints."""
        M = self.pin.crba(self.model, self.data, self.positions(q))
        M = np.triu(M) + np.triu(M, 1).T
        places = {name: self.model.joints[k].idx_v for k, name in enumerate(self.model.names) if k}
        return {
            (first, second): float(M[i, j])
            for first, i in places.items()
            for second, j in places.items()
        }


def lines_only(robot):
    """Return True if Pinocchio and these tests know all joints, each name once."""
    names = [joint.name for joint in robot.joints]
    return len(names) == len(set(names)) and all(
        joint.moves or joint.type == "fixed" for joint in robot.joints
    )


def robots_of(folder):
    robots = []
    for path in sorted((folder / "robots").glob("*.urdf")):
        robot = read_urdf(path.read_bytes(), str(path))
        if lines_only(robot):
            robots.append((path.name, write_urdf(model_from_raw(robot).robot).text, robot))
    return robots


def bound_and_worst(comparison, first, second, r):
    """Return the bound, and how far apart any origin of a link is at worst in so many mapped positions."""
    robots, worst = comparison.map, 0.0
    origins = first.places({}), second.places({})
    assert comparison.bound is not None
    for _ in range(POSES):
        q = drawn(comparison.a, r)
        mapped = {}
        for pair in robots.pairs:
            a, b = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
            mapped[b.name] = pair.choice.sign * q[a.name] + robots.offset(pair)
        here, there = first.places(q), second.places(mapped)
        for a, b in robots.bodies.items():
            link, other = (
                robots.a.bodies[a].parts[0].link.name,
                robots.b.bodies[b].parts[0].link.name,
            )
            moved = times(there[other], back(origins[1][other]))
            for part in robots.a.bodies[a].parts:
                origin = origins[0][part.link.name].translation
                wanted = at(times(robots.base, times(here[link], back(origins[0][link]))), origin)
                worst = max(worst, math.dist(wanted, at(moved, at(robots.Y[a], origin))))
    return comparison.bound.position, worst


def sdf_files(folder, shared):
    """Return the SDFs of the fixtures, and of the robots that can be exported."""
    written_here = sorted((ROOT / "fixtures/exports").glob("*.sdf"))
    texts = [(path.name, path.read_text("utf-8")) for path in written_here]
    for path in sorted((shared / "robots").glob("*.urdf")):
        written = folder / f"{path.stem}.sdf"
        try:
            simplify(path, folder / "robot.urdf", force=True, sdf=written)
            texts.append((written.name, written.read_text("utf-8")))
        except UrdfSimplifyError:
            continue
    return [(name, text[text.index("<sdf") :]) for name, text in texts if "<sdf" in text]
