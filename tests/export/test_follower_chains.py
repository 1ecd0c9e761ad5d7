"""Followers of followers are composed for USD, as Newton refuses others; a circle of them is open in USD and MJCF."""

import pytest

from model_texts import make_mjcf
from urdf_tools import model as m
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.joint_differences import composed_mimics
from urdf_tools.export.mjcf_exporter import verify_mjcf
from urdf_tools.export.usd_exporter import write_usd
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.formats.usd.read_stage import read_usd_stage
from urdf_tools.model.export_options import MjcfOptions, UsdOptions

UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))


def chain(*follows, types=""):
    """Return links in a row; the joints j0, j1, ... follow as is said, and those of type s slide."""
    joints = tuple(
        m.Joint(
            f"j{k}",
            "prismatic" if types[k : k + 1] == "s" else "revolute",
            f"l{k}",
            f"l{k + 1}",
            axis=(0.0, 1.0, 0.0),
            limit=m.Limit(-1.0, 1.0, 10.0, 3.0),
            mimic=m.Mimic(*rule) if rule else None,
        )
        for k, rule in enumerate(follows)
    )
    return m.Robot("row", tuple(m.Link(f"l{k}", UNIT) for k in range(len(follows) + 1)), joints)


def raw(robot):
    return read_urdf(m.to_urdf(robot).encode(), "")


ROWS = [  # the rules of USD, and what is lost
    (
        chain(None, ("j0", 0.5, 0.25), ("j1", -2.0, 1.0)),
        {"j1": ("j0", 0.5, 0.25), "j2": ("j0", -1.0, 0.5)},
        [],
    ),
    (
        chain(("j1", 2.0, 0.0), ("j2", 0.5, 0.5), None),
        {"j0": ("j2", 1.0, 1.0), "j1": ("j2", 0.5, 0.5)},
        [],
    ),
    (
        chain(None, ("j0", 0.5, 0.0), ("j1", 2.0, 0.0), types="hsh"),
        {"j2": ("j0", 1.0, 0.0)},
        ["j1 mixed"],
    ),
    (
        chain(("j1", 2.0, 0.0), ("j0", 0.5, 0.0), ("j1", 4.0, 0.0)),
        {"j0": ("j1", 2.0, 0.0), "j2": ("j1", 4.0, 0.0)},
        ["j1 circle"],
    ),
    (chain(("j0", 1.0, 0.0), ("j0", 2.0, 0.0)), {"j1": ("j0", 2.0, 0.0)}, ["j0 circle"]),
]


@pytest.mark.parametrize("robot, rules, lost", ROWS)
def test_usd_has_composed_rules(robot, rules, lost):
    made = write_usd(robot, UsdOptions())
    written = {
        joint.name: joint.mimic
        for joint in read_usd_stage(made.text.encode(), "").joints
        if joint.mimic
    }
    assert {
        name: (rule.leader, rule.multiplier, pytest.approx(rule.offset))
        for name, rule in written.items()
    } == rules
    said = [note for note in made.notes if note.sentence.startswith("mimic")]
    assert [f"{note.names[0]} {note.sentence[len('mimic-') :]}" for note in said] == lost


def test_mjcf_opens_a_circle_and_keeps_a_chain():
    for robot, count, lost in ((ROWS[0][0], 2, 0), (ROWS[3][0], 2, 1), (ROWS[4][0], 1, 1)):
        made, decided = make_mjcf(robot, MjcfOptions())
        verify_mjcf(made.text, robot, decided)
        assert made.text.count("joint2=") == count
        assert (
            sum("in a circle: it moves freely in MJCF" in note.text for note in made.notes) == lost
        )


def test_a_chain_is_the_same_as_its_composed_rules():
    row, direct = ROWS[0][0], chain(None, ("j0", 0.5, 0.25), ("j0", -1.0, 0.5))
    other = chain(None, ("j0", 0.5, 0.25), ("j0", -1.0, 0.6))
    assert compare(raw(row), raw(direct)).is_same and compare(raw(direct), raw(row)).is_same
    assert [found.kind for found in compare(raw(row), raw(other)).differences] == ["mimic"]
    circle = raw(ROWS[3][0])
    assert composed_mimics(circle.joints) == circle.joints and compare(circle, circle).is_same
