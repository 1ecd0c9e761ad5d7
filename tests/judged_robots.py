"""What several judges of the comparison share: robots, positions, Pinocchio, and the bound against what is measured."""

import judged_texts
import pytest
from conftest import ROOT
from remade import worst_of

from engine import simplify
from urdf_tools.base.errors import UrdfSimplifyError
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.inputs.input_as_urdf import model_from_raw
from urdf_tools.formats.urdf.urdf_model_conversion import write_urdf
from urdf_tools.urdf.spatial_math import Transform

np = pytest.importorskip("numpy", reason="the judges need numpy")
POSES = 200
MOTION = frozenset({"motion"})


def matrix(T):
    """Return the 4x4 matrix of a transform."""
    return np.vstack([np.column_stack([T.rotation, T.translation]), [0.0, 0.0, 0.0, 1.0]])


def pose(rotation, translation):
    """Return the transform of a rotation and a translation of numpy."""
    rows = tuple(tuple(map(float, row)) for row in rotation)
    return Transform(rows, tuple(map(float, translation)))


def drawn(robot, r):
    """Return random positions by joint."""
    return {
        joint.name: r.uniform(-1.0, 1.0) * (0.1 if joint.type == "prismatic" else 3.0)
        for joint in robot.joints
        if joint.moves
    }


class Pinocchio(judged_texts.Pinocchio):
    """A URDF as Pinocchio reads it, its root at rest; its mimic joints move for themselves."""

    def __init__(self, text):
        super().__init__(text, prefix="")

    def held(self, q):
        """Return M, g and the places of links."""
        return self.at(np.eye(3), np.zeros(3), q)

    def places(self, q):
        """Return the pose of each link in the root."""
        places = self.held(q)[2]
        return {name: pose(T.rotation, T.translation) for name, T in places.items()}

    def masses(self, q={}):
        """Return the inertia of each body that a joint moves, in the root, by joint."""
        self.held(q)
        bodies = [*zip(self.model.names, self.data.oMi, self.model.inertias)]
        return {name: T.act(inertia) for name, T, inertia in bodies[2:]}

    def mass_matrix(self, q):
        """Return M(q) by names of joints."""
        return self.by_names(self.held(q)[0])

    def by_names(self, M):
        """Return the entries of a mass matrix by the names of two joints."""
        columns = [(name, self.column(name)) for name in self.names]
        return {(a, b): float(M[i, j]) for a, i in columns for b, j in columns}


def lines_only(robot):
    """Return True if Pinocchio and these tests know all joints, each name once."""
    names = [joint.name for joint in robot.joints]
    return len(names) == len(set(names)) and all(
        joint.moves or joint.type == "fixed" for joint in robot.joints
    )


def robots_of(folder):
    """Return name, URDF and robot of each file of the folder beside the project that has hinges and slides alone."""
    robots = []
    for path in sorted((folder / "robots").glob("*.urdf")):
        robot = read_urdf(path.read_bytes(), str(path))
        if lines_only(robot):
            robots.append((path.name, write_urdf(model_from_raw(robot).robot).text, robot))
    return robots


def bound_and_worst(comparison, first, second, r):
    """Return the bound, and how far apart any origin of a link is at worst in so many mapped positions."""
    positions = [drawn(comparison.a, r) for _ in range(POSES)]
    worst = worst_of(comparison, first.places, second.places, "name", positions)
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
