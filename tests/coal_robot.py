"""Robots of example-robot-data (PyPI) with hulls and pairs, as coal sees them through pinocchio."""

from collections import namedtuple
import functools
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from engine import simplify

AS_IT_IS = {"merge": False, "reorient": False, "strip_hardware": False}
MODELS = "cmeel.prefix/share/example-robot-data/robots"
ROBOTS = {
    "UR5": "ur_description/urdf/ur5_robot.urdf",
    "Panda": "panda_description/urdf/panda.urdf",
    "Go2": "go2_description/urdf/go2.urdf",
    "G1": "g1_description/urdf/g1_29dof_rev_1_0.urdf",
    "Talos": "talos_data/robots/talos_full_v2.urdf",
}


def urdf_of(name):
    """Return the file of a robot; the test is skipped where the robots are not installed."""
    folder = next(
        (Path(entry) / MODELS for entry in sys.path if (Path(entry) / MODELS).is_dir()), None
    )
    if folder is None:
        pytest.skip("example-robot-data is not installed")
    os.environ["ROS_PACKAGE_PATH"] = str(folder.parents[1])
    return folder / ROBOTS[name]


class Written(namedtuple("Written", "urdf pairs")):
    """A robot that was written with hulls, and what is known of its pairs: rows of the report of pairs."""

    def with_state(self, *states):
        """Return the pairs in one of these states."""
        return [pair for pair in self.pairs if pair["state"] in states]


@functools.lru_cache(maxsize=None)
def written(name):
    """Return a robot with hulls, made once for all tests."""
    source = urdf_of(name)
    folder = Path(_folder().name) / name
    folder.mkdir()
    simplify(
        source,
        folder / source.name,
        **AS_IT_IS,
        collision="hull",
        pairs=True,
        pairs_report=folder / "pairs.json",
    )
    return Written(
        folder / source.name,
        json.loads((folder / "pairs.json").read_text("utf-8"))["pairs"],
    )


@functools.lru_cache(maxsize=None)
def _folder():
    """Return a folder that lives as long as this process."""
    return tempfile.TemporaryDirectory()


def names_of(pair):
    """Return the links of a pair of the report, in alphabetical order."""
    first, second = sorted((pair["link1"], pair["link2"]))
    return first, second


class CoalRobot:
    """A robot in a pose; with `convex` its meshes are taken as the hulls that they are.

    `pairs` are all pairs of links with collisions, in alphabetical order; `seen` says which of them touch.
    """

    def __init__(self, urdf, *, convex=True):
        self.pin, self.coal = pytest.importorskip("pinocchio"), pytest.importorskip("coal")
        # Its own mimic joints refuse leaders of other branches.
        self.model = self.pin.buildModelFromUrdf(str(urdf))
        self.leaders = {
            str(joint.get("name")): mimic.attrib
            for joint in ElementTree.parse(urdf).getroot().findall("joint")
            for mimic in joint.findall("mimic")
        }
        self.data = self.model.createData()
        folders = [
            str(urdf.parent),
            *filter(None, os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep)),
        ]
        self.geometry = self.pin.buildGeomFromUrdf(
            self.model, str(urdf), self.pin.GeometryType.COLLISION, package_dirs=folders
        )
        self.of_link = {}
        for number, shape in enumerate(self.geometry.geometryObjects):
            if convex and isinstance(shape.geometry, self.coal.BVHModelBase):
                shape.geometry.buildConvexHull(True, "Qt")
                shape.geometry = shape.geometry.convex
            self.of_link.setdefault(self.model.frames[shape.parentFrame].name, []).append(number)
        links = sorted(self.of_link)
        self.pairs = [(link, other) for k, link in enumerate(links) for other in links[k + 1 :]]
        self.queries = {}
        for pair in self.pairs:
            for a in self.of_link[pair[0]]:
                for b in self.of_link[pair[1]]:
                    self.queries.setdefault(pair, []).append(len(self.geometry.collisionPairs))
                    self.geometry.addCollisionPair(self.pin.CollisionPair(a, b))
        self.places = self.geometry.createData()
        self.spans = {}  # of the joints that move by themselves, by name
        for joint, name in zip(list(self.model.joints)[1:], list(self.model.names)[1:]):
            turns = joint.nq == 2  # a continuous joint: cosine and sine
            if joint.nv == 1 and name not in self.leaders:
                low, high = (
                    self.model.lowerPositionLimit[joint.idx_q],
                    self.model.upperPositionLimit[joint.idx_q],
                )
                self.spans[name] = (-3.1416, 3.1416) if turns else (float(low), float(high))

    def vector(self, positions):
        """Return what pinocchio takes for positions by the names of joints, those that are not named at zero."""
        import numpy

        q = self.pin.neutral(self.model)
        for name in [*positions, *self.leaders]:
            at = self._position(name, positions)
            joint = self.model.joints[self.model.getJointId(name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                (numpy.cos(at), numpy.sin(at)) if joint.nq == 2 else at
            )
        return q

    def _position(self, name, positions):
        """Return the position of a joint; a follower has the position that its leader gives it."""
        if name not in self.leaders:
            return positions.get(name, 0.0)
        rule = self.leaders[name]
        return float(rule.get("multiplier", 1.0)) * self._position(
            rule["joint"], positions
        ) + float(rule.get("offset", 0.0))

    def look_at(self, pairs):
        """Choose the pairs of which `seen` says something."""
        wanted = set(pairs)
        for pair in self.pairs:
            for number in self.queries[pair]:
                self.places.activeCollisionPairs[number] = pair in wanted

    def seen(self, positions, among):
        """Return the pairs among those looked at that touch in a pose."""
        self.pin.computeCollisions(
            self.model, self.data, self.geometry, self.places, self.vector(positions), False
        )
        results = self.places.collisionResults
        return [
            pair
            for pair in among
            if any(results[number].isCollision() for number in self.queries[pair])
        ]

    def gap(self, pair, positions):
        """Return how far two links are apart in a pose [m], 0 or less where they touch."""
        self.pin.computeDistances(
            self.model, self.data, self.geometry, self.places, self.vector(positions)
        )
        return min(
            self.places.distanceResults[number].min_distance for number in self.queries[pair]
        )

    def touches(self, pair, positions):
        """Return True if two links touch in a pose."""
        self.look_at([pair])
        return bool(self.seen(positions, [pair]))


def clock(run, rounds=3):
    """Return the least processor time of some runs [s]."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)
