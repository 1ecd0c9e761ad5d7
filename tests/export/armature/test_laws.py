"""What holds for the armature of every robot: random ones, read as they are and after the tool."""

import json
import math
import random

import naive
import pytest
from rest_frames import exact_rest_place, turned
from armatures import made
from commands import folder_with
from conftest import examples
from data_edits import put
from hypothesis import example, given
from hypothesis import strategies as st
from random_robots import ORDINARY, robots, write_robot

from urdf_tools.base.errors import BrokenRobot, ProofFailed, UrdfError
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.export import armature_exporter as proof
from urdf_tools.api import simplify

Y = (0.0, 1.0, 0.0)
ROOM = 1e-9
in_one_place = ORDINARY._replace(odd_joints=False, fixed=0.1)
any_robot = robots(ORDINARY)


def at_one_point(text):
    """Move every joint to the origin of its parent, so that joints are joined."""
    import re

    return re.sub(r"(<origin [^>]*xyz=)(['\"])[^'\"]*\2", r"\1\g<2>0 0 0\2", text)


every_robot = st.one_of(any_robot, robots(in_one_place).map(at_one_point))


def size_of(reading):
    return max(
        [
            1.0,
            *(
                naive.length(place[1])
                for place in naive.places(reading, naive.NOWHERE, {}).values()
            ),
        ]
    )


@examples(fuzzed=100)
# Only collisions hold it.
@example(write_robot(random.Random(24472), ORDINARY._replace(links=2)), False)
@given(every_robot, st.booleans())
def test_bones_are_fit_for_blender(text, join):
    """Names of at most 63 bytes, each once; no bone too short; every direction exact or away from where it is not."""
    found = made(text.encode(), join)
    bones = {bone["name"]: bone for bone in found["bones"]}
    assert len(bones) == len(found["bones"])
    assert all(0 < len(name.encode()) <= 63 for name in bones)
    objects = (
        [link["object"] for link in found["links"]]
        + [visual["name"] for link in found["links"] for visual in link["visuals"]]
        + [found["object"]]
    )
    assert len(set(objects)) == len(objects) and all(
        0 < len(name.encode()) <= 63 for name in objects
    )
    seen = {}
    for bone in found["bones"]:
        assert bone["parent"] is None or bone["parent"] in seen
        seen[bone["name"]] = True
        assert (
            bone["length"] >= 0.02
            and abs(math.dist(bone["head"], bone["tail"]) - bone["length"]) <= ROOM
        )
        y = turned(exact_rest_place(bone)[0], Y)
        assert (
            angle(y, (0.0, -1.0, 0.0)) <= 1e-6
            or angle(y, (0.0, -1.0, 0.0)) >= 0.1499
            or len(bone["dofs"]) != 1
        )


def angle(a, b):
    return (
        math.acos(max(-1.0, min(1.0, sum(x * y for x, y in zip(a, b)))))
        if naive.apart(a, b) > 1e-3
        else (naive.apart(a, b))
    )


@examples(fuzzed=30)
@given(any_robot)
def test_a_second_run_gives_the_same_armature(text):
    try:
        once = simplify_text(text)
    except UrdfError:
        return
    assert made(once) == made(simplify_text(once.decode("utf-8")))


def simplify_text(text):
    with folder_with({"robot.urdf": text}):
        return simplify("robot.urdf", lenient=True).data


class Last:
    """Chance that always chooses the last."""

    choice = staticmethod(lambda found: found[-1])


class Second:
    """Chance that chooses the first word, and the second link."""

    choice = staticmethod(lambda found: found[0] if isinstance(found[0], str) else found[1])


@examples(fuzzed=100)
# Along an axis.
@example(at_one_point(write_robot(random.Random(950778), in_one_place._replace(links=8))), Second())
# A link that floats from the root.
@example(write_robot(random.Random(16699), ORDINARY._replace(links=2)), Last())
@given(every_robot, st.randoms(use_true_random=False))
def test_the_proof_finds_what_is_wrong(text, r):
    """A bone that is turned, moved or has the other sign is found, and so is a link in another place."""

    data = text.encode()
    found = made(data)
    links = [link for link in found["links"] if link["bone"] is not None]
    moved = [
        dof
        for bone in found["bones"]
        for dof in bone["dofs"]
        if dof["type"] in naive.MOVABLE and bone["kind"] == "joint" and not dof["mimic"]
    ]
    what = r.choice(["link", "sign", "joint"] if moved else ["link"])
    if what == "link":
        r.choice(links)["matrix"][0][3] += 1e-4 * size_of(naive.read(data))
    elif what == "sign":
        r.choice(moved)["sign"] *= -1
    else:
        r.choice(moved)["joint"] += "x"
    with pytest.raises((BrokenRobot, ProofFailed)):
        proof.verify_armature(json.dumps(found).encode(), read_urdf(data), found["urdf"])


STILL_ROBOT = """<robot name="r"><link name="base"/><link name="arm"/><link name="tip"/>
  <joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
  </joint><joint name="slide" type="prismatic"><parent link="arm"/><child link="tip"/><origin xyz="0 0 1"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <link name="end"/><joint name="held" type="fixed"><parent link="tip"/><child link="end"/></joint>
  <link name="eye"/><joint name="last" type="fixed"><parent link="end"/><child link="eye"/></joint></robot>"""
WRONG = [  # what is said, where the JSON is changed, and what is there
    ("two bones have one name", "bones", lambda bones: [*bones, bones[-1]]),
    ("'' is not a valid name", "bones 2 name", ""),
    ("is not a valid name", "links 1 object", "x" * 64),
    ("its links are not", "links 1 name", "other"),
    ("its joints are not", "bones 1 dofs 0 joint", "other"),
    ("its joints are in another order", "joint_order", lambda order: order[::-1]),
    ("it names another URDF", "urdf other", "x"),
    ("'base' is the root", "links 0 matrix 0 3", 1.0),
    ("its static frames are others", "static_frames", []),
    ("the roll of bone", "bones 2 roll", lambda roll: roll + 0.1),
    ("nobody reads", "bones 2 other", 1),
]


@pytest.mark.parametrize("sentence, path, value", WRONG)
def test_the_proof_finds_what_is_wrong_in_the_document(sentence, path, value):
    found = made(STILL_ROBOT.encode())
    proof.verify_armature(
        json.dumps(found).encode(), read_urdf(STILL_ROBOT.encode()), found["urdf"]
    )
    urdf = dict(found["urdf"])
    put(found, path, value)
    with pytest.raises(ProofFailed, match=f"the armature: .*{sentence}"):
        proof.verify_armature(json.dumps(found).encode(), read_urdf(STILL_ROBOT.encode()), urdf)
