"""What must be said of edited robots, and only that: sentences, classes, meshes, and the map as JSON."""

import pytest
from conftest import some_of
from remade import arm
from remade_table import outcome, OWN, ROWS

from urdf_tools.base.errors import UsageError
from urdf_tools.compare.report_lines import causes_of
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.comparison_text import given_of_json, report
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.raw_robot import RawMimic, UnreadElement


def with_link(robot, name, **changes):
    return robot._replace(
        links=tuple(link._replace(**changes) if link.name == name else link for link in robot.links)
    )


def test_a_file_without_masses_is_one_sentence():
    bare = arm()._replace(links=tuple(link._replace(mass=None) for link in arm().links))
    comparison = compare(arm(), bare)
    assert [one.kind for one in comparison.differences] == [
        "no_masses"
    ] and comparison.verdict == "masses"
    assert "no moving link of B has a mass" in report(comparison)


def test_two_arms_of_one_tree_are_no_map():
    """Another robot with as many joints: no zeros are invented that nobody wrote."""
    other = arm()._replace(
        joints=tuple(
            joint._replace(
                T_parent_child=joint.T_parent_child._replace(
                    translation=(0.3 + 0.05 * k, 0.1 * (-1) ** k, 0.05 * k * k)
                )
            )
            for k, joint in enumerate(arm().joints)
        )
    )
    comparison = compare(arm(), other)
    assert comparison.verdict == "geometry" and " map " not in report(comparison)
    assert comparison.bound is not None and comparison.bound.position > 0.1


def test_left_and_right_are_one_line():
    robot = arm()
    names = {"l1": "left_calf", "l2": "right_calf"}
    renamed = robot._replace(
        links=tuple(link._replace(name=names.get(link.name, link.name)) for link in robot.links),
        joints=tuple(
            joint._replace(
                parent=names.get(joint.parent, joint.parent),
                child=names.get(joint.child, joint.child),
            )
            for joint in robot.joints
        ),
    )
    masses = {link.name: link.mass for link in renamed.links}
    one = masses["left_calf"]
    assert one is not None
    both = with_link(with_link(renamed, "left_calf", mass=one), "right_calf", mass=one)
    heavy = one._replace(mass=1.5)
    edited = with_link(with_link(both, "left_calf", mass=heavy), "right_calf", mass=heavy)
    assert [
        one.text for one in causes_of(compare(both, edited).differences) if one.label == "mass"
    ] == ["left_calf, right_calf: 1 kg / 1.5 kg"]


@pytest.mark.parametrize(
    "data", ([], {"joints": 3}, {"joints": [{"a": "x"}]}, {"joints": [], "base": {"rpy": [1]}})
)
def test_a_map_of_another_form_is_refused(data):
    with pytest.raises(UsageError, match="a map is"):
        given_of_json(data, "map.json")


@pytest.mark.parametrize("title, how", ROWS, ids=[row[0] for row in ROWS])
def test_public_robots_by_another_author(title, how, shared):
    """Every map is the one by which the robot was made, or as good: the table of the README."""
    files = [*sorted((shared / "robots").glob("*.urdf")), *OWN]
    assert len(files) >= 18
    found = {
        str(file): outcome(read_urdf(file.read_bytes()), how, file.name).word
        for file in some_of(files, 2)
    }
    assert [name for name, word in found.items() if word == "wrong"] == []


def test_what_follows_a_joint_that_is_fixed_is_not_said_again():
    robot = arm()
    following = robot._replace(
        joints=tuple(
            joint._replace(mimic=RawMimic("j3")) if joint.name == "j5" else joint
            for joint in robot.joints
        )
    )
    fixed = following._replace(
        joints=tuple(
            joint._replace(type="fixed") if joint.name == "j3" else joint
            for joint in following.joints
        )
    )
    assert [one.kind for one in compare(following, fixed).differences] == ["fixed_in_b"]


def test_what_has_no_place_in_a_comparison_is_shown():
    left = UnreadElement("<plugin>", "it has no place in the comparison", 12)
    notes = compare(arm(), arm()._replace(unread=(left,) * 5)).notes
    assert notes == ("B: not compared: <plugin> (line 12), <plugin> (line 12) and 3 more",)
