"""The typed model of what was read from SDF: the same robot, with axes through the origins of links."""

import random

import pytest
from raw_kinematics import places

from urdf_tools.compare.comparison import compare
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.robot.records import RawJoint, RawLink, RawMass, RawRobot, RawShape
from urdf_tools.compare.words import text_of
from urdf_tools.inputs.as_urdf import model_from_raw
from urdf_tools.formats.urdf.model import write_urdf
from urdf_tools.urdf.spatial import IDENTITY, Pose

OUR_OWN = ("effort", "velocity")  # 1e9 stands for none


def test_an_axis_beside_the_origin_of_its_link_and_a_robot_drawn_elsewhere_than_at_zero():
    mass = RawMass(2.0, (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 2.0, 0.3, 2.5))
    shape = RawShape("visual", "box", (1.0, 2.0, 3.0), Pose(IDENTITY, (0.5, 0.0, 0.0)))
    raw = RawRobot(
        "mjcf",
        "r",
        (RawLink("a"), RawLink("b", mass, (shape,)), RawLink("c", mass)),
        (
            RawJoint(
                "turn",
                "revolute",
                "a",
                "b",
                Pose(IDENTITY, (1.0, 0.0, 0.0)),
                (0.0, 0.0, 1.0),
                (0.0, 0.7, 0.1),
                0.4,
                -1.0,
                1.0,
            ),
            RawJoint(
                "slide",
                "prismatic",
                "b",
                "c",
                Pose(IDENTITY, (0.0, 2.0, 0.0)),
                (0.0, 1.0, 0.0),
                (0.3, 0.0, 0.0),
                0.2,
                -1.0,
                1.0,
            ),
        ),
    )
    made = model_from_raw(raw)
    urdf = read_urdf(write_urdf(made.robot).text.encode())
    assert all(joint.point == (0.0, 0.0, 0.0) and joint.reference == 0.0 for joint in urdf.joints)
    assert [text_of(one) for one in compare(raw, urdf).differences if one.kind not in OUR_OWN] == []
    assert [(note.kind.name, note.names) for note in made.notes] == [
        ("input-made-up", ("turn", "effort, velocity")),
        ("input-made-up", ("slide", "effort, velocity")),
    ]
    r = random.Random(1)
    positions = {"b": r.uniform(-1.0, 1.0), "c": r.uniform(-1.0, 1.0)}
    here, there = places(raw, positions)["c"], places(urdf, positions)["c"]
    assert here[0] == [pytest.approx(row) for row in there[0]]
    # the center of mass of c, in the frames of either file
    point = [sum(R * c for R, c in zip(row, mass.center)) + t for row, t in zip(*here)]
    center = urdf.links[2].mass
    assert center is not None
    assert point == pytest.approx(
        [sum(R * c for R, c in zip(row, center.center)) + t for row, t in zip(*there)]
    )
