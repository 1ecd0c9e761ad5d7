"""What MJCF says beside the robot is decided once: which actuators, pairs that never touch, and key frames it has."""

import pytest

from model_texts import make_mjcf
from urdf_tools import model as m
from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.formats.export_diagnostics import EXPORT_ACTUATOR
from urdf_tools.model.export_options import MjcfOptions

UNIT = m.Inertial(1.0, m.Inertia(0.02, 0.02, 0.02))
BALL = (m.Collision(m.Sphere(0.1)),)
LIMIT = m.Limit(-1.0, 2.0, 10.0, 3.0)


def link(name, *, touches=True):
    return m.Link(name, UNIT, collisions=BALL if touches else ())


def joint(name, kind, parent, child, **more):
    return m.Joint(name, kind, parent, child, m.Pose((0.0, 0.0, 0.5)), (0.0, 1.0, 0.0), **more)


def decided(robot, **options):
    return make_mjcf(robot, MjcfOptions(**{"base": "fixed", **options}))[1]


def driven(*actuators, limit=LIMIT, kind="revolute", **options):
    """Return what is decided for a robot of one joint with these actuators."""
    return decided(
        m.Robot(
            "r",
            (link("base"), link("arm")),
            (joint("j", kind, "base", "arm", limit=limit),),
            actuators=actuators,
        ),
        **options,
    )


@pytest.mark.parametrize(
    "actuator, limit, options, values",
    [
        (None, LIMIT, {}, {"gear": (1.0,), "control_range": (-10.0, 10.0)}),
        (None, m.Limit(-1.0, 2.0, 0.5, 3.0), {}, {"gear": (1.0,), "control_range": (-0.5, 0.5)}),
        (
            m.Actuator("a", "j", gear=-5.0),
            LIMIT,
            {},
            {"gear": (-5.0,), "control_range": (-2.0, 2.0)},
        ),
        (
            m.Actuator("a", "j", gear=-5.0, force_range=(-4.0, 8.0)),
            LIMIT,
            {},
            {"gear": (-5.0,), "control_range": (-2.0, 2.0), "force_range": (-1.6, 0.8)},
        ),
        (
            m.Actuator("a", "j", control_range=(-3.0, 4.0)),
            LIMIT,
            {},
            {"gear": (1.0,), "control_range": (-3.0, 4.0)},
        ),
        (m.Actuator("a", "j", control_range=(3.0, 3.0)), LIMIT, {}, {"gear": (1.0,)}),
        (m.Actuator("a", "j"), m.Limit(-1.0, 2.0, 0.0, 3.0), {}, {"gear": (1.0,)}),
        (m.Actuator("a", "j"), m.Limit(-1.0, 2.0, 1e9, 3.0), {}, {"gear": (1.0,)}),
        (
            None,
            LIMIT,
            {"actuators": "position", "kp": 30.0},
            {
                "kp": (30.0,),
                "damping_ratio": (1.0,),
                "control_range": (-1.0, 2.0),
                "force_range": (-10.0, 10.0),
            },
        ),
        (
            None,
            m.Limit(-1e9, 2.0, 10.0, 3.0),
            {"actuators": "position", "kp": 30.0},
            {
                "kp": (30.0,),
                "damping_ratio": (1.0,),
                "control_range": (-1e9, 2.0),
                "force_range": (-10.0, 10.0),
            },
        ),
        (
            None,
            m.Limit(-1e9, 1e9, 10.0, 3.0),
            {"actuators": "position", "kp": 30.0},
            {"kp": (30.0,), "damping_ratio": (1.0,), "force_range": (-10.0, 10.0)},
        ),
        (
            m.Actuator(
                "a",
                "j",
                "position",
                kp=7.0,
                kv=0.5,
                control_range=(-0.5, 0.5),
                force_range=(-2.0, 3.0),
            ),
            LIMIT,
            {},
            {"kp": (7.0,), "kv": (0.5,), "control_range": (-0.5, 0.5), "force_range": (-2.0, 3.0)},
        ),
        (
            m.Actuator("a", "j", "velocity", kv=3.0),
            LIMIT,
            {},
            {"kv": (3.0,), "control_range": (-3.0, 3.0), "force_range": (-10.0, 10.0)},
        ),
        (
            m.Actuator(
                "a", "j", "velocity", kv=3.0, control_range=(-1.0, 1.0), force_range=(-2.0, 2.0)
            ),
            LIMIT,
            {},
            {"kv": (3.0,), "control_range": (-1.0, 1.0), "force_range": (-2.0, 2.0)},
        ),
    ],
)
def test_an_actuator_has_gains_and_ranges(
    actuator,
    limit,
    options,
    values,
):
    (chosen,) = driven(*[actuator] * (actuator is not None), limit=limit, **options).actuators
    assert chosen.values == values
    assert chosen.name == ("a" if actuator is not None else "j")


MOTOR, SERVO, OTHER = (
    m.Actuator("a", "j"),
    m.Actuator("b", "j", "position", kp=2.0),
    m.Actuator("c", "j", "velocity"),
)


@pytest.mark.parametrize(
    "actuators, options, name, kind, notes",
    [
        ((MOTOR, SERVO), {}, "a", "motor", [("several", 2.0)]),
        ((SERVO, MOTOR), {}, "b", "position", [("several", 2.0)]),
        ((MOTOR, SERVO), {"actuators": "position", "kp": 9.0}, "b", "position", []),
        ((MOTOR,), {"actuators": "position", "kp": 9.0}, "a", "position", []),
        (
            (MOTOR, MOTOR._replace(name="d")),
            {"actuators": "position", "kp": 9.0},
            "j",
            "position",
            [],
        ),
        ((OTHER,), {}, "c", "motor", [("gain",)]),
        ((MOTOR,), {"actuators": "motor"}, "a", "motor", []),
    ],
)
def test_of_several_actuators_the_first_that_can_be_counts(actuators, options, name, kind, notes):
    robot = m.Robot(
        "r",
        (link("base"), link("arm")),
        (joint("j", "revolute", "base", "arm", limit=LIMIT),),
        actuators=actuators,
    )
    written, result = make_mjcf(robot, MjcfOptions(**{"base": "fixed", **options}))
    assert [(chosen.name, chosen.kind) for chosen in result.actuators] == [(name, kind)]
    assert [
        (note.sentence, *note.numbers) for note in written.notes if note.kind is EXPORT_ACTUATOR
    ] == notes


def test_which_joints_are_driven():
    """Not what follows, is locked or has no effort."""
    names = ("base", "a", "b", "c", "d", "e")
    robot = m.Robot(
        "r",
        tuple(map(link, names)),
        (
            joint("free", "revolute", "base", "a", limit=LIMIT),
            joint("follower", "revolute", "a", "b", limit=LIMIT, mimic=m.Mimic("free")),
            joint("lost", "revolute", "b", "c", limit=LIMIT, mimic=m.Mimic("nobody")),
            joint("locked", "revolute", "c", "d", limit=m.Limit(1.0, 1.0, 5.0, 5.0)),
            joint("weak", "revolute", "d", "e", limit=m.Limit(-1.0, 1.0, 0.0, 5.0)),
        ),
    )
    written, result = make_mjcf(robot, MjcfOptions(base="fixed"))
    assert [actuator.joint for actuator in result.actuators] == ["free", "lost"]
    assert [note for note in written.notes if note.kind is EXPORT_ACTUATOR] == [
        Diagnostic(EXPORT_ACTUATOR, 0, "effort", ("weak", "MJCF"))
    ]
    assert decided(robot, actuators="none").actuators == ()


@pytest.mark.parametrize(
    "base, touching, asked, apart",
    [
        ("fixed", "abcd", (), [("a", "b"), ("a", "c")]),
        ("free", "abcd", (), []),
        ("fixed", "bcd", (), []),
        ("fixed", "acd", (), [("a", "c")]),
        ("fixed", "abd", (), [("a", "b")]),
        (
            "fixed",
            "abcd",
            (("b", "d"), ("d", "b"), ("c", "c"), ("c", "nobody"), ("b", "a")),
            [("a", "b"), ("a", "c"), ("b", "d")],
        ),
    ],
)
def test_what_hangs_on_a_body_that_stands_still_never_touches_it(base, touching, asked, apart):
    """a stands still if it is held; b moves on it, c is fixed to b, d moves on c."""
    robot = m.Robot(
        "r",
        tuple(link(name, touches=name in touching) for name in "abcd"),
        (
            joint("1", "revolute", "a", "b", limit=LIMIT),
            joint("2", "fixed", "b", "c"),
            joint("3", "revolute", "c", "d", limit=LIMIT),
        ),
    )
    assert list(decided(robot, base=base, exclude=asked).apart) == apart


def test_what_floats_in_the_world_begins_where_its_joint_has_it():
    world = m.Link("world", collisions=BALL)
    robot = m.Robot("r", (world, link("a")), (joint("float", "floating", "world", "a"),))
    result = decided(robot, base="auto")
    assert result.apart == ()  # it may fall on what stands there
    assert result.keys["home"].places["a"].translation == (0.0, 0.0, 0.5)
    assert decided(m.Robot("r", (link("a"),))).keys == {}
