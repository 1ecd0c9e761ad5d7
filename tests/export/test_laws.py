"""Laws of the exports on random robots: what is written is the robot, by the proof and by the naive reader."""

import copy
import random
import xml.etree.ElementTree as ElementTree
from math import atan2

import naive
import pytest
from conftest import examples
from hypothesis import example, given, reject
from hypothesis import strategies as st
from random_robots import ORDINARY, robots as any_robots, write_robot
from sound_robots import sound

from model_texts import make_mjcf
from urdf_tools import model
from urdf_tools.base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from urdf_tools.model.export_options import Frame, MjcfOptions, SdfOptions
from urdf_tools.export.mjcf_exporter import verify_mjcf, write_mjcf
from urdf_tools.formats.sdf.write_sdf import make_sdf
from urdf_tools.export.sdf_exporter import verify_sdf, write_sdf
from urdf_tools.formats.urdf.read_urdf import read_urdf

CAN_BE_REFUSED = (
    "MuJoCo has floating joints",
    "would be in one body",
    "which is a collision",
    "SDF has no planar",
    "reads STL and OBJ",
    "and cannot be free: leave out base free",
    "it is the world alone",
)
# Two joints of one name, and one has a link between it and the next: MJCF has the joint, and no such link.
TWIN_BETWEEN = sound(write_robot(random.Random(19412), ORDINARY._replace(links=13)))


def robots(traits):
    """Return random robots whose masses are repaired."""
    return any_robots(traits).map(sound)


def read(text):
    try:
        return model.Robot.from_urdf(text)
    except UrdfError:
        reject()


def readable(robot):
    return tuple((mesh.filename, f"m{place}.stl") for place, mesh in enumerate(robot.meshes))


def frames_of(robot):
    """Return a turned frame in every third link."""
    return tuple(
        Frame(
            f"frame_{place}" if place else "world_joint",
            link.name,
            model.Pose((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)),
        )
        for place, link in enumerate(robot.links[::3])
    )


def made(form, text, base="auto"):
    """Return a robot, its text in a format, and what was decided for that; the laws are about what is not refused."""
    robot = read(text)
    frames = frames_of(robot)
    try:
        if form == "mjcf":
            return (
                robot,
                *make_mjcf(
                    robot, MjcfOptions(base=base, mesh_files=readable(robot), frames=frames)
                ),
            )
        return (robot, *make_sdf(robot, SdfOptions(base, frames=frames)))
    except (BrokenRobot, ErrorGroup):
        reject()


def problems_of(error):
    return [one.message for one in (error.problems if isinstance(error, ErrorGroup) else (error,))]


@examples(fuzzed=100)
@example(TWIN_BETWEEN, "auto")
@given(robots(ORDINARY), st.sampled_from(("auto", "free", "fixed")))
def test_every_robot_becomes_mjcf_or_is_refused_for_a_known_reason(text, base):
    robot = read(text)
    try:
        written = write_mjcf(robot, MjcfOptions(base=base, mesh_files=readable(robot)))
    except (BrokenRobot, ErrorGroup) as error:
        assert all(any(reason in one for reason in CAN_BE_REFUSED) for one in problems_of(error)), (
            error
        )
        return
    assert_in_one_frame(robot, written.text)


def assert_in_one_frame(robot, text):
    """With every joint at zero the bodies of the text are where the naive reader has the links."""
    urdf = robot._replace(extensions=(), sensors=(), actuators=()).to_urdf()
    where = naive.places(naive.read(urdf.encode()), naive.NOWHERE, {})
    world = ElementTree.fromstring(text).find("worldbody")
    assert world is not None
    waiting = [(naive.NOWHERE, body) for body in world.findall("body")]
    count = 0
    while waiting:
        outer, body = waiting.pop()
        w, x, y, z = map(float, body.get("quat", "1 0 0 0").split())
        size = naive.length([x, y, z])
        turn = (
            naive.around([x / size, y / size, z / size], 2.0 * atan2(size, w))
            if size
            else naive.IDENTITY
        )
        place = naive.after(outer, (turn, [float(one) for one in body.get("pos", "0 0 0").split()]))
        assert naive.apart(place[1], where[body.get("name")][1]) < 1e-9
        assert naive.turned_by(place[0], where[body.get("name")][0]) < 1e-6
        waiting += [(place, inside) for inside in body.findall("body")]
        count += 1
    assert count or all(link.name == "world" or not link.shapes for link in robot.links)


@examples(fuzzed=100)
@given(robots(ORDINARY), st.sampled_from(("auto", "free", "fixed")))
def test_every_robot_becomes_sdf_or_is_refused_for_a_known_reason(text, base):
    robot = read(text)
    try:
        written = write_sdf(robot, SdfOptions(base))
    except (BrokenRobot, ErrorGroup) as error:
        assert all(any(reason in one for reason in CAN_BE_REFUSED) for one in problems_of(error)), (
            error
        )
        return
    top = ElementTree.fromstring(written.text)
    names = [
        one.get("name")
        for tag in ("link", "joint", "frame")
        for one in top.iterfind(f"model/{tag}")
    ]
    assert len(names) == len(set(names))  # one name for one thing
    # Else gz takes it for 1 kg.
    assert all(one.find("inertial") is not None for one in top.iterfind("model/link"))


@examples(fuzzed=60)
@example(TWIN_BETWEEN, "auto")
@given(robots(ORDINARY), st.sampled_from(("auto", "free", "fixed")))
def test_mjcf_is_the_robot_of_the_text_of_the_urdf(text, base):
    _, written, decided = made("mjcf", text, base)
    verify_mjcf(written.text, read_urdf(text.encode()), decided)


EDITS = {
    "pos": "0 0 0.5",
    "quat": "0.6 0.8 0 0",
    "mass": "9.5",
    "axis": "0.6 0.8 0",
    "range": "-9 9",
    "diaginertia": "9 9 9",
    "fullinertia": "9 9 9 0 0 0",
    "polycoef": "9 9 0 0 0",
    "size": "9 9 9",
    "damping": "9.5",
    "frictionloss": "9.5",
    "actuatorfrcrange": "-99 99",
    "ctrlrange": "-98 98",
    "friction": "9.5",
}


def edited(text, r, edits, inside):
    """Change one number of an XML text to another; "" when there is none to change."""
    top = ElementTree.fromstring(text)
    # Any range is wide.
    held = {one.get("name") for one in top.iter("joint")} & {
        one.get("joint1") for one in top.iterfind("equality/joint") if one.get("joint2") is None
    }
    # Of a tensor that is less than rounding.
    places = [
        (one, key)
        for section in top.iter()
        if section.tag in inside.split()
        for one in section.iter()
        for key in one.attrib
        if key in edits
        and one.get(key) != edits[key]
        and one.tag not in ("key", "camera")
        and not (key == "size" and one.get("type") == "mesh")
        and not (key == "range" and one.get("name") in held)
        and not (key == "quat" and float(one.get("mass", "1")) < 1e-8)
    ]
    if not places:
        return ""
    one, key = r.choice(places)
    one.set(key, edits[key])
    return ElementTree.tostring(top, encoding="unicode")


@examples(fuzzed=60)
# A range around a position held.
@example(sound(write_robot(random.Random(212), ORDINARY._replace(links=10))), 10)
@given(robots(ORDINARY), st.integers(0, 1000))
def test_a_number_that_is_changed_is_found_in_mjcf(text, seed):
    robot, written, decided = made("mjcf", text)
    verify_mjcf(written.text, robot, decided)
    wrong = edited(written.text, random.Random(seed), EDITS, "worldbody equality actuator")
    if not wrong:
        reject()
    with pytest.raises(ProofFailed):
        verify_mjcf(wrong, robot, decided)


SDF_TEXTS = (
    "mass",
    "xyz",
    "lower",
    "upper",
    "effort",
    "velocity",
    "damping",
    "friction",
    "multiplier",
    "offset",
    "izz",
    "radius",
    "length",
)


@examples(fuzzed=60)
@given(robots(ORDINARY), st.integers(0, 1000))
def test_a_number_that_is_changed_is_found_in_sdf(text, seed):
    robot, written, decided = made("sdf", text)
    verify_sdf(written.text, robot, decided)
    top = ElementTree.fromstring(written.text)
    parts = [one for one in top.iter() if one.tag in SDF_TEXTS and (one.text or "").strip()]
    poses = [one for one in top.iter("pose") if (one.text or "").strip()]
    r = random.Random(seed)
    pool = r.choice([pool for pool in (parts, poses) if pool] or [[]])
    if not pool:
        reject()
    one = r.choice(pool)
    one.text = "0.6 0.8 0" if one.tag == "xyz" else "7 7 7 1 1 1" if one.tag == "pose" else "97.5"
    with pytest.raises(ProofFailed):
        verify_sdf(ElementTree.tostring(top, encoding="unicode"), robot, decided)


@examples(fuzzed=60)
@given(robots(ORDINARY), st.integers(0, 1000), st.sampled_from(("auto", "free", "fixed")))
def test_a_joint_that_is_written_twice_is_found_in_sdf(text, seed, base):
    """Also the one that holds the base: two of them are a loop in the world."""
    robot, written, decided = made("sdf", text, base)
    top = ElementTree.fromstring(written.text)
    robot_element = top.find("model")
    joints = top.findall("model/joint")
    if robot_element is None or not joints:
        reject()
    number = random.Random(seed).choice([0, *range(len(joints))])
    again = copy.deepcopy(joints[number])
    again.set("name", "again")
    robot_element.insert(list(robot_element).index(joints[number]) + 1, again)
    with pytest.raises(ProofFailed):
        verify_sdf(ElementTree.tostring(top, encoding="unicode"), robot, decided)
