"""What must be said of edited robots, and only that: sentences, classes, meshes, and the map as JSON."""

import json
import struct

import pytest
from conftest import some_of
from remade import arm
from remade_table import outcome, OWN, ROWS

from urdf_tools.base.errors import UsageError
from urdf_tools.compare.comparison import causes_of, compare
from urdf_tools.compare.report import as_json, given_of_json, quiet_lines, report
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.robot.records import RawLink, RawMimic, RawRobot, RawShape, Unread


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


def test_a_rotation_of_the_tensor_that_one_file_dropped_is_named():
    """The principal moments are the same."""
    link = next(link for link in arm().links if link.name == "l3")
    assert link.mass is not None
    xx, xy, xz, yy, yz, zz = link.mass.tensor
    turned = with_link(arm(), "l3", mass=link.mass._replace(tensor=(yy, -xy, yz, xx, -xz, zz)))
    assert [one.kind for one in compare(arm(), turned).differences] == ["tensor_turned"]


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


def box_stl(path, side):
    """Write a tetrahedron as binary STL."""
    p = [
        (0.0, 0.0, 0.0),
        (side, 0.0, 0.0),
        (0.0, side, 0.0),
        (0.0, 0.0, side),
    ]
    faces = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)]
    path.write_bytes(
        bytes(80)
        + struct.pack("<I", 4)
        + b"".join(struct.pack("<12fH", 0.0, 0.0, 0.0, *p[a], *p[b], *p[c], 0) for a, b, c in faces)
    )
    return str(path)


def test_meshes_are_compared_by_what_they_hold(tmp_path):
    """The same bytes, else the same box and volume, in whatever format."""
    (tmp_path / "b").mkdir()
    first, second = box_stl(tmp_path / "part.stl", 0.1), box_stl(tmp_path / "b" / "part.stl", 0.11)
    text = [
        "v 0 0 0",
        "v 0.1 0 0",
        "v 0 0.1 0",
        "v 0 0 0.1",
        "f 1 3 2",
        "f 1 2 4",
        "f 2 3 4",
        "f 1 4 3",
    ]
    (tmp_path / "b" / "part.obj").write_text("\n".join(text))

    def with_mesh(path):
        return RawRobot(
            "urdf",
            "r",
            (
                RawLink(
                    "base",
                    shapes=(
                        RawShape(
                            "visual", "mesh", (1.0, 1.0, 1.0), file="meshes/part.stl", path=path
                        ),
                    ),
                ),
            ),
        )

    assert compare(with_mesh(first), with_mesh(first)).is_same
    assert compare(with_mesh(first), with_mesh(str(tmp_path / "b" / "part.obj"))).is_same
    assert [one.kind for one in compare(with_mesh(first), with_mesh(second)).differences] == [
        "mesh"
    ]


def test_the_map_is_taken_back_from_json():
    robot = arm()
    found = compare(robot, robot)
    given = given_of_json(json.loads(json.dumps(as_json(found))))
    assert compare(robot, robot, given=given).exit_code == 0
    form = as_json(found)
    form["joints"][2]["offset"] = 0.5
    assert compare(robot, robot, given=given_of_json(form)).verdict == "geometry"


@pytest.mark.parametrize(
    "data", ([], {"joints": 3}, {"joints": [{"a": "x"}]}, {"joints": [], "base": {"rpy": [1]}})
)
def test_a_map_of_another_form_is_refused(data):
    with pytest.raises(UsageError, match="a map is"):
        given_of_json(data, "map.json")


def test_quiet_is_one_line_for_each_difference():
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="{0}"><parent link="a"/>'
        '<child link="b"/><limit lower="-1" upper="{1}" effort="1" velocity="1"/></joint></robot>'
    )
    a, b = (read_urdf(text.format("revolute", upper).encode(), f"{upper}.urdf") for upper in (1, 2))
    assert quiet_lines(compare(a, b)) == ["1.urdf:1: limits: j: [-1, 1] / [-1, 2]"]


@pytest.mark.parametrize("title, how", ROWS, ids=[row[0] for row in ROWS])
def test_public_robots_by_another_author(title, how, shared):
    """Every map is the one by which the robot was made, or as good: the table of the README."""
    files = [*sorted((shared / "robots").glob("*.urdf")), *OWN]
    assert len(files) >= 18
    found = {
        str(file): outcome(read_urdf(file.read_bytes()), how, file.name).word
        for file in some_of(files, 3)
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
    left = Unread("<plugin>", "it has no place in the comparison", 12)
    notes = compare(arm(), arm()._replace(unread=(left,) * 5)).notes
    assert notes == ("B: not compared: <plugin> (line 12), <plugin> (line 12) and 3 more",)
