"""Robots of two or three joints whose armatures are known to the last digit; Blender gave these values."""

import math

import pytest
from armatures import joint, made, urdf


PI = math.pi
BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'


def tip_frame(at, on):
    return joint("tip_joint", on, "tip", at)


def close(found, wanted):
    return len(found) == len(wanted) and max(abs(a - b) for a, b in zip(found, wanted)) <= 1e-9


ELBOW = (
    joint("sh", "base", "upper", "0 0 1", "0 1 0"),
    joint("el", "upper", "lower", "0 0 -0.3", "0 1 0"),
    tip_frame("0 0 -0.25", "lower"),
)
UNIVERSAL = (
    joint("p", "base", "m", "0 0 1", "0 1 0", limits="-1 1"),
    joint("r", "m", "n", "0 0 0", "1 0 0", limits="-1 1"),
    tip_frame("0 0 -0.3", "n"),
)
# name of the case: joints, then by bone (head, tail, roll, X, where the tail came from)
CASES = {
    "elbow": (
        urdf(*ELBOW),
        {
            "sh": ((0, 0, 1), (0, 0, 0.7), -PI / 2, (0, 1, 0), "child"),
            "el": ((0, 0, 0.7), (0, 0, 0.45), -PI / 2, (0, 1, 0), "frame"),
        },
    ),
    "minus_axis": (
        urdf(ELBOW[0].replace("0 1 0", "0 -1 0"), *ELBOW[1:]),
        {"sh": ((0, 0, 1), (0, 0, 0.7), PI / 2, (0, -1, 0), "child")},
    ),
    "twist": (
        urdf(
            joint("yaw", "base", "a", "0 0 0.1", "0 0 1", "continuous"),
            joint("sh", "a", "b", "0 0 0.2", "0 1 0"),
            tip_frame("0.4 0 0", "b"),
        ),
        {
            "yaw": ((0, 0, 0.1), (0.02, 0, 0.1), -PI / 2, (0, 0, 1), "axis"),
            "sh": ((0, 0, 0.3), (0.4, 0, 0.3), PI, (0, 1, 0), "frame"),
        },
    ),
    "slanted": (
        urdf(
            joint("j", "base", "a", "0 0 0", "0 0 1"),
            joint("k", "a", "b", "0.3 0 0.4", "0 1 0"),
            tip_frame("0.2 0 0", "b"),
        ),
        {
            "j": ((0, 0, 0), (0.3, 0, 0), -PI / 2, (0, 0, 1), "child"),
            "k": ((0.3, 0, 0.4), (0.5, 0, 0.4), PI, (0, 1, 0), "frame"),
        },
    ),
    "slide": (
        urdf(
            joint("s", "base", "a", "0 0 0.5", "1 0 0", "prismatic", limits="0 0.2"),
            tip_frame("0.1 0 0", "a"),
        ),
        {"s": ((0, 0, 0.5), (0.1, 0, 0.5), PI, (0, 1, 0), "prismatic")},
    ),
    "universal": (
        urdf(*UNIVERSAL),
        {"p>r": ((0, 0, 1), (0, 0, 0.7), -PI / 2, (0, 1, 0), "frame")},
    ),
    "ball": (
        urdf(
            joint("y", "base", "a", "0 0 1", "0 0 1"),
            joint("r", "a", "b", "0 0 0", "1 0 0"),
            joint("p", "b", "c", "0 0 0", "0 1 0"),
            joint("k", "c", "d", "0 0 -0.4", "0 1 0"),
            tip_frame("0 0 -0.4", "d"),
        ),
        {
            "y>r>p": ((0, 0, 1), (0, 0, 0.6), 0.0, (1, 0, 0), "child"),
            "k": ((0, 0, 0.6), (0, 0, 0.2), -PI / 2, (0, 1, 0), "frame"),
        },
    ),
    "not_orthogonal": (
        urdf(
            joint("a", "base", "m", "0 0 0", "0 0 1"),
            joint("b", "m", "n", "0 0 0", "0 0.6 0.8"),
            tip_frame("0.3 0 0", "n"),
        ),
        {
            "a": ((0, 0, 0), (0.3, 0, 0), -PI / 2, (0, 0, 1), "frame"),
            "b": ((0, 0, 0), (0.3, 0, 0), -2.214297435588181, (0, 0.6, 0.8), "frame"),
        },
    ),
    "wide_limits": (
        urdf(
            joint("a", "base", "m", "0 0 0", "0 0 1", limits="-3 3"),
            joint("b", "m", "n", "0 0 0", "0 1 0", limits="-3 3"),
            tip_frame("0.3 0 0", "n"),
        ),
        {
            "a": ((0, 0, 0), (0.3, 0, 0), -PI / 2, (0, 0, 1), "frame"),
            "b": ((0, 0, 0), (0.3, 0, 0), PI, (0, 1, 0), "frame"),
        },
    ),
    "helper": (
        urdf(*UNIVERSAL, inside=[("m", BOX)]),
        {"p": ((0, 0, 1), (0, 0, 0.7), -PI / 2, (0, 1, 0), "frame")},
    ),
    "fork": (
        urdf(
            joint("a", "base", "m", "0 0 1", "0 1 0"),
            joint("l", "m", "left", "0 0.1 -0.2", "1 0 0"),
            joint("r", "m", "right", "0 -0.1 -0.2", "1 0 0"),
        ),
        {
            "a": ((0, 0, 1), (0, 0, 0.8), -PI / 2, (0, 1, 0), "children"),
            "l": ((0, 0.1, 0.8), (0, 0.2, 0.6), 0.0, (1, 0, 0), "parent"),
            "r": ((0, -0.1, 0.8), (0, -0.2, 0.6), 0.0, (1, 0, 0), "parent"),
        },
    ),
    "leaf_com": (
        urdf(
            joint("j", "base", "a", "0 0 0", "0 0 1"),
            inside=[
                (
                    "a",
                    (
                        '<inertial><origin xyz="0 0.05 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
                        "</inertial>"
                    ),
                )
            ],
        ),
        {"j": ((0, 0, 0), (0, 0.05, 0), -PI / 2, (0, 0, 1), "com")},
    ),
    "leaf_bare": (
        urdf(joint("j", "base", "a", "0 0 0", "0 0 1")),
        {"j": ((0, 0, 0), (0.02, 0, 0), -PI / 2, (0, 0, 1), "axis")},
    ),
    "near_minus_y": (
        urdf(
            joint("a", "base", "m", "0 -0.1 1", "1 0 0"),
            joint("b", "m", "n", "0 -0.3 1e-4", "1 0 0"),
        ),
        {"a": ((0, -0.1, 1), (0, -0.4, 1), PI, (1, 0, 0), "child")},
    ),
    "antiparallel": (
        urdf(
            joint("a", "base", "m", "0 0 1", "1 0 0"),
            joint("b", "m", "n", "0 0 0.1", "1 0 0"),
            joint("k", "n", "o", "0 1.57e-5 -0.1", "0 1 0"),
            tip_frame("0 0 -0.2", "o"),
        ),
        {
            "a": ((0, 0, 1), (0, 0, 1.1), 0.0, (1, 0, 0), "child"),
            "b": ((0, 0, 1.1), (0, 0, 1), 0.0, (1, 0, 0), "child"),
            "k": ((0, 1.57e-5, 1), (0, 1.57e-5, 0.8), -PI / 2, (0, 1, 0), "frame"),
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_bones(name):
    data, bones = CASES[name]
    found = {bone["name"]: bone for bone in made(data)["bones"]}
    for bone, (head, tail, roll, x, tail_from) in bones.items():
        one = found[bone]
        assert close(one["head"], head) and close(one["tail"], tail) and close(one["x_axis"], x), (
            one
        )
        assert (
            abs(math.remainder(one["roll"] - roll, 2.0 * PI)) < 1e-9
            and one["tail_from"] == tail_from
        ), one
        assert abs(math.dist(one["head"], one["tail"]) - one["length"]) < 1e-9


def channels(name, bone):
    found = next(one for one in made(CASES[name][0])["bones"] if one["name"] == bone)
    return found["rotation_mode"], [
        (dof["joint"], dof["channel"], dof["axis"], dof["sign"]) for dof in found["dofs"]
    ]


def test_joined_bones_turn_about_their_axes():
    turn = "rotation_euler"
    assert channels("universal", "p>r") == ("ZYX", [("p", turn, "X", 1), ("r", turn, "Z", -1)])
    assert channels("helper", "p") == ("ZYX", [("p", turn, "X", 1)])
    assert channels("ball", "y>r>p") == (
        "ZXY",
        [("y", turn, "Y", -1), ("r", turn, "X", 1), ("p", turn, "Z", 1)],
    )
    assert channels("slide", "s") == ("XYZ", [("s", "location", "Y", 1)])
    assert channels("minus_axis", "sh") == ("XYZ", [("sh", turn, "X", 1)])


def test_which_bones_there_are():
    names = {
        name: [(bone["name"], bone["kind"]) for bone in made(data)["bones"]][1:]
        for name, (data, _) in CASES.items()
    }
    assert names["universal"] == [("p>r", "joint")]
    assert names["helper"] == [("p>r", "joint"), ("p", "helper")]
    assert names["ball"] == [("y>r>p", "joint"), ("k", "joint")]
    assert names["wide_limits"] == names["not_orthogonal"] == [("a", "joint"), ("b", "joint")]
    assert names["elbow"] == [("sh", "joint"), ("el", "joint")]
    assert [bone["name"] for bone in made(CASES["ball"][0], join=False)["bones"]] == [
        "base",
        "y",
        "r",
        "p",
        "k",
    ]


def test_links_between_joined_joints():
    carriers = {link["name"]: link["bone"] for link in made(CASES["helper"][0])["links"]}
    assert carriers == {"base": "base", "m": "p", "n": "p>r", "tip": "p>r"}
    bare = made(CASES["universal"][0])
    assert next(link["bone"] for link in bare["links"] if link["name"] == "m") is None
    assert len(bare["warnings"]) == 1 and "'m'" in bare["warnings"][0]


def test_frames_have_no_bone_of_their_own():
    found = made(CASES["elbow"][0])
    assert found["static_frames"] == ["tip"]
    assert {link["name"]: (link["kind"], link["bone"]) for link in found["links"]}["tip"] == (
        "static_frame",
        "el",
    )


def test_the_robot_of_one_link():
    found = made(b'<robot name="one"><link name="only"/></robot>')
    assert [bone["name"] for bone in found["bones"]] == ["only"] and found["bones"][0]["tail"] == [
        0.1,
        0.0,
        0.0,
    ]
    assert found["bones"][0]["x_axis"] == [0.0, -1.0, 0.0] and [
        link["bone"] for link in found["links"]
    ] == ["only"]


def dofs(*joints):
    return {dof["joint"]: dof for bone in made(urdf(*joints))["bones"] for dof in bone["dofs"]}


def test_mimic():
    leader = joint("m", "base", "a", "0 0 1", "0 1 0")
    follower = joint(
        "f", "a", "b", "0 0 1", "0 1 0", more='<mimic joint="m" multiplier="-0.5" offset="0.1"/>'
    )
    assert dofs(leader, follower)["f"]["mimic"] == {"joint": "m", "multiplier": -0.5, "offset": 0.1}
    fixed = joint("m", "base", "a", "0 0 1")
    assert dofs(fixed, follower)["f"]["mimic"] == {"joint": None, "multiplier": 0.0, "offset": 0.1}
    missing = made(urdf(leader.replace('"m"', '"other"'), follower))
    assert (
        "'f' mimics 'm'" in missing["warnings"][0]
        and missing["bones"][2]["dofs"][0]["mimic"] is None
    )


def test_limits():
    def ends(limits):
        dof = dofs(
            joint("j", "base", "a", "0 0 0", "0 1 0").replace('lower="-1.5" upper="1.5"', limits)
        )["j"]
        return dof["lower"], dof["upper"]

    assert ends('lower="0.5" upper="2"') == (0.5, 2.0)
    assert ends('lower="0.3" upper="0.3"') == (0.3, 0.3)
    assert ends('upper="0.3"') == (0.0, 0.3)
    assert ends('lower="-0.3"') == (-0.3, 0.0)
    assert ends("") == (None, None)
    assert ends('lower="1" upper="-1"') == (None, None)
    assert ends('lower="-1e16" upper="1e16"') == (None, None)


def test_names():
    long, umlauts = "j" * 70, "\u00e9" * 40
    names = [long, long[:-1] + "k", umlauts, 'a"b']
    joints = [
        joint(name.replace('"', "&quot;"), "base", f"l{k}", f"0 {k} 1", "0 1 0")
        for k, name in enumerate(names)
    ]
    found = [bone for bone in made(urdf(*joints))["bones"] if bone["kind"] == "joint"]
    assert [bone["dofs"][0]["joint"] for bone in found] == names
    assert len({bone["name"] for bone in found}) == 4
    assert all(len(bone["name"].encode()) <= 63 for bone in found)
    assert found[3]["name"] == 'a"b' and found[2]["name"].startswith("\u00e9" * 28 + "~")


def test_a_joint_that_is_called_like_the_root():
    names = [
        bone["name"] for bone in made(urdf(joint("base", "base", "a", "0 0 0", "0 1 0")))["bones"]
    ]
    assert names == ["base_root", "base"]
