"""The model by itself: poses, inertias, JSON and its schema, problems, robots built by hand."""

import json
import math

import pytest
from hypothesis import given, strategies as st

from urdf_tools import model as m
from urdf_tools.base.errors import BrokenRobot, UsageError
from urdf_tools.model.model_tree import free_joints, positions_of

WALKER = m.Robot(
    "advanced_robot",
    links=(
        m.Link(
            "base_link",
            inertial=m.Inertial(5.0, m.Inertia(0.1, 0.1, 0.05), m.Pose((0.0, 0.0, 0.1))),
            visuals=(
                m.Visual(m.Mesh("base.stl"), material=m.Material("aluminum", (0.7, 0.7, 0.8, 1.0))),
            ),
        ),
    ),
)
UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
angles = st.floats(-3.0, 3.0)


def robot_of(*joints, **links):
    names = dict.fromkeys(name for joint in joints for name in (joint.parent, joint.child))
    return m.Robot("r", tuple(links.get(name, m.Link(name, UNIT)) for name in names), joints)


def hinge(**more):
    return m.Joint(
        "j", "revolute", "a", "b", axis=(0.0, 1.0, 0.0), limit=m.Limit(-1.0, 1.0, 10.0, 3.0)
    )._replace(**more)


def test_a_robot_built_by_hand():
    assert WALKER.problems() == []
    assert (WALKER.root, WALKER.mass, WALKER.meshes) == ("base_link", 5.0, (m.Mesh("base.stl"),))
    assert m.Robot.from_json(WALKER.to_json()) == WALKER == m.Robot.from_urdf(WALKER.to_urdf())
    assert m.to_mjcf(WALKER).count("<body") == 1 and m.to_sdf(WALKER).count("<link") == 1


def test_records_of_different_kinds_are_never_equal():
    assert m.Cylinder(0.1, 0.2) != m.Capsule(0.1, 0.2)
    assert (
        len(
            {
                m.Cylinder(0.1, 0.2),
                m.Capsule(0.1, 0.2),
                m.Ellipsoid((1.0, 1.0, 1.0)),
                m.Box((1.0, 1.0, 1.0)),
            }
        )
        == 4
    )


@given(angles, st.floats(-1.5, 1.5), angles)
def test_a_pose_from_its_quaternion_matrix_and_axis_is_the_pose(roll, pitch, yaw):
    pose = m.Pose((1.0, 2.0, 3.0), (roll, pitch, yaw))
    w, x, y, z = pose.quaternion
    assert w >= 0.0 and math.isclose(w * w + x * x + y * y + z * z, 1.0, abs_tol=1e-12)
    half = math.atan2(math.sqrt(x * x + y * y + z * z), w)
    others = [
        m.Pose.from_quaternion(2 * w, 2 * x, 2 * y, 2 * z, pose.xyz),
        m.Pose.from_matrix(pose.matrix, pose.xyz),
    ]
    others += (
        [m.Pose.from_axis_angle((3 * x, 3 * y, 3 * z), 2 * half, pose.xyz)]
        if any((x, y, z))
        else []
    )
    for other in others:
        assert other.xyz == pose.xyz
        assert all(
            abs(a - b) < 1e-9 for p, q in zip(other.matrix, pose.matrix) for a, b in zip(p, q)
        )


def test_what_is_no_orientation_is_refused():
    with pytest.raises(ValueError, match="length zero"):
        m.Pose.from_quaternion(0.0, 0.0, 0.0, 0.0)
    with pytest.raises(ValueError, match="length zero"):
        m.Pose.from_axis_angle((0.0, 0.0, 0.0), 1.0)


entries = st.floats(-10.0, 10.0) | st.floats(-1e-8, 1e-8) | st.sampled_from((0.0, 1.0))


@given(st.tuples(entries, entries, entries, entries, entries, entries))
def test_principal_axes_are_right_handed_and_give_the_tensor(six):
    tensor = m.Inertia(*six)
    moments, R = tensor.principal()
    size = max(map(abs, six)) or 1.0
    assert moments[0] <= moments[1] <= moments[2]
    for i in range(3):
        for j in range(3):
            entry = sum(R[i][k] * moments[k] * R[j][k] for k in range(3))
            assert abs(entry - tensor.matrix[i][j]) <= 1e-13 * size + 1e-300
            assert abs(sum(R[k][i] * R[k][j] for k in range(3)) - (i == j)) < 1e-13
    (a, b, c), (d, e, f), (g, h, i_) = R
    assert a * (e * i_ - f * h) - b * (d * i_ - f * g) + c * (d * h - e * g) > 0.0


def test_a_chain_of_mimics_is_followed_without_comparing_joints(
    monkeypatch,
):
    """To compare each with all before it takes the square of their number."""
    count, compared = 50, []
    joints = [
        m.Joint(f"j{k}", "continuous", f"l{k}", f"l{k + 1}", mimic=m.Mimic(f"j{k + 1}", 1.0, 0.5))
        for k in range(count)
    ]
    robot = robot_of(*joints[:-1], joints[-1]._replace(mimic=None))
    monkeypatch.setattr(m.Joint, "__eq__", lambda self, other: bool(compared.append(other)))
    found = positions_of(robot, {f"j{count - 1}": 1.0})
    assert (found["l1"], found[f"l{count}"]) == (1.0 + 0.5 * (count - 1), 1.0)
    assert compared == []


def test_poses_follow_mimics_and_take_poses_for_loose_joints():
    robot = robot_of(
        m.Joint("lead", "prismatic", "a", "b", axis=(1.0, 0.0, 0.0)),
        m.Joint(
            "follow", "prismatic", "b", "c", axis=(1.0, 0.0, 0.0), mimic=m.Mimic("lead", 2.0, 0.5)
        ),
        m.Joint("loose", "ball", "c", "d"),
        m.Joint("tip", "fixed", "d", "e", m.Pose((1.0, 0.0, 0.0))),
    )
    assert robot.pose_of("c", {"lead": 1.0}).xyz == (3.5, 0.0, 0.0)
    turned = robot.pose_of("e", {"lead": 1.0, "loose": m.Pose(rpy=(0.0, 0.0, math.pi / 2))})
    assert turned.xyz == pytest.approx((3.5, 1.0, 0.0))


NAMED = robot_of(
    m.Joint("lead_joint", "continuous", "a", "b"),
    m.Joint("follow", "continuous", "b", "c", mimic=m.Mimic("lead_joint")),
    m.Joint("tip", "fixed", "c", "tool0"),
    m.Joint("alone", "continuous", "tool0", "e", mimic=m.Mimic("nobody")),
    m.Joint("loose", "ball", "e", "f"),
)


@pytest.mark.parametrize(
    "link, name, message",
    [
        ("f", "lead_jont", "no joint 'lead_jont' (did you mean 'lead_joint'?)"),
        ("f", "xyz", "no joint 'xyz'"),
        ("f", "tip", "joint 'tip' is fixed: it has no position"),
        ("f", "follow", "joint 'follow' follows 'lead_joint': give 'lead_joint'"),
        ("tol0", "alone", "no link 'tol0' (did you mean 'tool0'?)"),
    ],
)
def test_a_name_that_has_no_position_is_refused(link, name, message):
    for error in (UsageError, KeyError):
        with pytest.raises(error) as refused:
            NAMED.pose_of(link, {name: 0.5})
        assert type(refused.value) is m.UnknownName and str(refused.value) == message


def test_the_names_that_have_a_position_are_the_free_joints():
    assert free_joints(NAMED) == {"lead_joint", "alone", "loose"}
    assert positions_of(NAMED, dict.fromkeys(free_joints(NAMED), 0.5))["tool0"] == 0.0
    circle = robot_of(
        *(
            m.Joint(a, "continuous", f"l{k}", f"l{k + 1}", mimic=m.Mimic(b))
            for k, (a, b) in enumerate((("x", "y"), ("y", "x")))
        )
    )
    for name in ("x", "y"):
        if name in free_joints(circle):
            assert positions_of(circle, {name: 0.5}) == {"l1": 0.5, "l2": 0.5}
        else:
            with pytest.raises(m.UnknownName, match="follows"):
                positions_of(circle, {name: 0.5})
    assert len(free_joints(circle)) == 1


def test_a_key_frame_of_unknown_joints_is_refused():
    home = m.MjcfOptions(base="fixed", home=(("hinge", 0.5),))
    with pytest.raises(m.UnknownName, match="no joint 'hinge'"):
        m.to_mjcf(robot_of(hinge()), home)


@pytest.mark.parametrize(
    "joint, expected",
    [
        (hinge(limit=None), None),
        (hinge(limit=m.Limit(-1.0, None)), (-1.0, 0.0)),
        (hinge(), (-1.0, 1.0)),
        (hinge(type="continuous"), None),
    ],
)
def test_the_range_of_a_joint_is_that_of_urdf(joint, expected):
    assert joint.range == expected


BROKEN = [
    ({"format": 2}, 'this is not a model: it has no "format": 1'),
    ({"lnks": []}, "lnks is not known (did you mean 'links'?)"),
    ({"links": [{"nam": "a"}]}, "links[0].nam is not known (did you mean 'name'?)"),
    ({"links": [{}]}, "links[0] has no 'name'"),
    ({"links": [{"name": 3}]}, "links[0].name must be a string, not 3"),
    (
        {
            "links": [
                {"name": "a", "inertial": {"mass": True, "inertia": {"ixx": 1, "iyy": 1, "izz": 1}}}
            ]
        },
        "links[0].inertial.mass must be a number, not true",
    ),
    (
        {"links": [{"name": "a", "visuals": [{"geometry": {"type": "bix", "size": [1, 1, 1]}}]}]},
        "links[0].visuals[0].geometry.type is \"bix\" (did you mean 'box'?); there are box, sphere, cylinder, capsule, "
        "mesh, ellipsoid, plane, compound",
    ),
    (
        {"links": [{"name": "a", "visuals": [{"geometry": {"type": "box", "size": [1, 1]}}]}]},
        "links[0].visuals[0].geometry.size has 2 values, expected 3",
    ),
    (
        {"joints": [{"name": "j", "type": "revolut", "parent": "a", "child": "b"}]},
        "joints[0].type is 'revolut' (did you mean 'revolute'?); there are revolute, continuous, prismatic, fixed, "
        "floating, planar, ball",
    ),
    ({"links": "a"}, 'links must be a list, not "a"'),
    ({"links": [{"name": "a", "gravity": 1}]}, "links[0].gravity must be true or false, not 1"),
]


@pytest.mark.parametrize("change, message", BROKEN)
def test_json_that_is_no_model_is_refused_with_its_place(change, message):
    data = {"format": 1, "name": "r", "links": [{"name": "a"}], **change}
    with pytest.raises(BrokenRobot) as caught:
        m.Robot.from_json(json.dumps(data))
    assert caught.value.message == message


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"format": 1, "name": "r", "links": [{"name": "a", "x": NaN}]}']
)
def test_what_is_no_json_is_refused(text):
    with pytest.raises(BrokenRobot, match="this is no"):
        m.Robot.from_json(text)


def test_json_of_everything_there_is():
    robot = robot_of(
        hinge(
            spring=m.Spring(1.0),
            armature=0.1,
            mimic=m.Mimic("k"),
            dynamics=m.Dynamics(0.1),
            safety=m.Safety(k_velocity=2.0),
            calibration=m.Calibration(rising=0.5),
        ),
        m.Joint("k", "prismatic", "b", "c"),
        a=m.Link(
            "a",
            UNIT,
            collisions=(
                m.Collision(
                    m.Compound((m.Part(m.Plane((1.0, 2.0))),)), surface=m.Surface(0.5), density=2.0
                ),
            ),
            gravity=False,
            self_collide=True,
        ),
    )
    robot = robot._replace(
        sensors=(
            m.Sensor(
                "s",
                "camera",
                "a",
                camera=m.Camera(1.0, 640, 480),
                lidar=m.Lidar(9, -1.0, 1.0, 0.1, 9.0),
            ),
        ),
        actuators=(m.Actuator("t", "j", "velocity", gear=2.0, kv=1.0, force_range=(-1.0, 1.0)),),
    )
    text = robot.to_json()
    assert m.Robot.from_json(text) == robot
    assert (
        text.index('"format"')
        < text.index('"name"')
        < text.index('"links"')
        < text.index('"joints"')
    )
    assert '"type": "compound"' in text and "safety" in text and "extensions" not in text
    with pytest.raises(BrokenRobot, match="not finite"):
        robot._replace(links=(m.Link("a", UNIT._replace(mass=math.inf)),)).to_json()


def test_a_path_in_place_of_parts_names_the_reader():
    with pytest.raises(TypeError, match=r"Robot.from_file\(path\) reads a file"):
        m.Robot("robot.urdf")
    assert m.Robot("r", (m.Link("a"),))._replace(name="s") == m.Robot(
        name="s", links=(m.Link("a"),)
    )


def test_the_schema_accepts_what_is_written_and_no_more():
    jsonschema = pytest.importorskip("jsonschema", reason="jsonschema is not installed")
    schema = m.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    assert list(validator.iter_errors(json.loads(WALKER.to_json()))) == []
    for change, _ in BROKEN:
        data = {"format": 1, "name": "r", "links": [{"name": "a"}], **change}
        assert list(validator.iter_errors(data)), change


def test_the_schema_has_every_field_of_every_record():
    definitions = m.json_schema()["$defs"]
    for record in (
        m.Link,
        m.Joint,
        m.Sensor,
        m.Actuator,
        m.Surface,
        m.Limit,
        m.Inertial,
        m.Compound,
    ):
        fields = [field if field != "kind" else "type" for field in record._fields]
        assert sorted(definitions[record.__name__]["properties"]) == sorted(fields)
        assert definitions[record.__name__]["additionalProperties"] is False
    assert len(definitions["Collision"]["properties"]["geometry"]["oneOf"]) == 8


@pytest.mark.parametrize(
    "robot, expected",
    [
        (
            robot_of(hinge(), m.Joint("k", "fixed", "a", "b")),
            "error: link 'b': it has two parents: joint 'j' and joint 'k'",
        ),
        (
            m.Robot("r", (m.Link("a"), m.Link("b"))),
            "error: 2 links have no parent joint: 'a', 'b'; a robot is one tree with one root",
        ),
        (m.Robot("r", ()), "error: the robot has no links"),
        (
            robot_of(hinge(parent="a", child="b"))._replace(links=(m.Link("a"),)),
            "error: joint 'j': its child link 'b' does not exist",
        ),
        (
            robot_of(hinge(), hinge(name="k", parent="b", child="a")),
            "error: the links 'b', 'a' form a loop, or are below one",
        ),
        (robot_of(hinge(type="revolving")), "error: joint 'j': there is no joint type 'revolving'"),
        (robot_of(hinge(axis=(0.0, 0.0, 0.0))), "error: joint 'j': its axis is zero"),
        (
            robot_of(hinge(origin=m.Pose((math.nan, 0.0, 0.0)))),
            "error: joint 'j': nan is not a finite number",
        ),
        (
            robot_of(hinge(), a=m.Link("a", UNIT._replace(mass=-1.0))),
            "error: link 'a': the mass is negative (-1 kg)",
        ),
        (
            robot_of(hinge(), a=m.Link("a", UNIT, visuals=(m.Visual(m.Sphere(-1.0)),))),
            "error: link 'a': a sphere of this visual has a negative size (-1)",
        ),
        (
            robot_of(
                hinge(), a=m.Link("a", UNIT, visuals=(m.Visual(m.Mesh("a.stl", (1.0, 0.0, 1.0))),))
            ),
            "error: link 'a': this visual has a scale of zero (1 0 1)",
        ),
        (
            robot_of(hinge())._replace(sensors=(m.Sensor("s", "imu", "c"),)),
            "error: sensor 's': it is on 'c', which does not exist",
        ),
        (
            robot_of(hinge())._replace(actuators=(m.Actuator("t", "k"),)),
            "error: actuator 't': its joint 'k' does not exist",
        ),
    ],
)
def test_problems(robot, expected):
    assert expected in [str(problem) for problem in robot.problems()]


def test_a_robot_that_can_be_written_has_no_problems():
    """What programs make of it is a question for lint."""
    assert robot_of(hinge()).problems() == []
    assert robot_of(hinge(limit=None, mimic=m.Mimic("k")), b=m.Link("b")).problems() == []
