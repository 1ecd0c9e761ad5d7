"""A base that another author turned by any angle, or moved by any length: the same robot, and a bound that holds."""

import math
import random

import pytest
from conftest import examples, ROOT, SEEDS, some_of
from hypothesis import example, given, strategies as st
from random_robots import Traits, write_robot
from remade import arm, How, remake, times, turn

from urdf_tools.compare import map_evidence, map_search, robot_comparison
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.map_evidence import right_turns
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.urdf.spatial_math import Transform, ZERO

ASPECTS = frozenset({"motion", "mass", "limits", "mimic", "loops", "shapes"})
TRAITS = (
    Traits(links=10),
    Traits(links=10, odd_joints=False, duplicates=0.0, mimics=0.0, hostile=0.0),
)
directions = st.sampled_from(
    ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.6, 0.48, -0.64))
)
angles, lengths = (
    st.just(0.0) | st.floats(-9.0, math.log10(most)).map(lambda power: 10.0**power)  # rad, m
    for most in (math.pi, 10.0)
)


def compared(seed, base, names):
    """Return whether a joint shows the base of a random robot, and its comparison with the one with that base."""
    robot = read_urdf(write_robot(random.Random(seed), TRAITS[seed % 2]).encode())
    other = remake(robot, random.Random(seed), How(names == "structure", "", base)).robot
    return any(
        joint.type in ("revolute", "continuous", "prismatic") for joint in robot.joints
    ), compare(robot, other, names=names, aspects=ASPECTS)


@examples(12, fuzzed=200)
# No line is off by more than the tolerance, but 8 are.
@example(84, (0.6, 0.48, -0.64), 1.9e-5, ZERO, 0.0, 0, "auto")
# A slide and what it carries show the base.
@example(365, (0.0, 0.0, 1.0), 2.9, ZERO, 0.0, 0, "auto")
@example(54, (0.6, 0.48, -0.64), 0.094, ZERO, 0.0, 5, "structure")  # a planar joint does
@example(188, (0.0, 1.0, 0.0), 4.6e-3, ZERO, 0.0, 0, "auto")  # meshes on the slide do
@given(
    SEEDS,
    directions,
    angles,
    directions,
    lengths,
    st.integers(0, 23),
    st.sampled_from(("auto", "structure")),
)
def test_a_base_of_any_pose_is_the_same_robot(seed, axis, angle, way, length, right, names):
    x, y, z = way
    base = times(
        turn(axis, angle)._replace(translation=(length * x, length * y, length * z)),
        Transform([*right_turns()][right], ZERO),
    )
    shows_base, comparison = compared(seed, base, names)
    assert not shows_base or (comparison.differences, comparison.exit_code) == ((), 0)


@pytest.mark.parametrize("angle", (1e-4, 2e-4))
def test_a_mutant_that_stops_at_a_base_that_nearly_fits_is_seen(angle, monkeypatch):
    other = remake(arm(), random.Random(1), How(base=turn((0.6, 0.48, -0.64), angle))).robot
    assert compare(arm(), other).is_same
    monkeypatch.setattr(map_search, "map_aligned", lambda known: None)
    assert compare(arm(), other).verdict == "geometry"


# Random robots whose base is found by one way alone: a seed, the traits, and how it was remade.
SMALL_TURN = turn((0.6, 0.48, -0.64), 0.01)
ONE_WAY = (
    (
        map_evidence,
        "_by_moments",
        lambda *_: [],
        1029,
        Traits(links=5),
        How(True, "any", SMALL_TURN),
    ),
    (
        map_search,
        "_orders",
        lambda search: [list(zip(search.a.child_joints[0], search.b.child_joints[0]))],
        1083,
        TRAITS[1],
        How(True, "", "any"),
    ),
)


@pytest.mark.parametrize(("module", "name", "without", "seed", "traits", "how"), ONE_WAY)
def test_a_way_to_find_the_base_is_needed(module, name, without, seed, traits, how, monkeypatch):
    robot = read_urdf(write_robot(random.Random(seed), traits).encode())
    other = remake(robot, random.Random(seed), how).robot
    assert compare(robot, other, names="structure", aspects=ASPECTS).exit_code == 0
    monkeypatch.setattr(module, name, without)
    # Where limits differ, another base may be found afterwards.
    monkeypatch.setattr(robot_comparison, "with_fewer_zeros", lambda outcome, settings: outcome)
    assert compare(robot, other, names="structure", aspects=ASPECTS).exit_code == 1


@pytest.mark.parametrize("zeros", ("", "right"))
@pytest.mark.parametrize("kind", ("revolute", "continuous"))
def test_the_limits_decide_between_a_turn_of_the_base_and_a_moved_zero(kind, zeros):
    """The root looks the same after half a turn about the first joint; without limits no zero of that joint moves."""
    text = (ROOT / "fixtures/compare/reach.urdf").read_text("utf-8")
    robot = read_urdf(text.replace('"revolute"', f'"{kind}"', 1).encode())
    for number in some_of(range(24), 4):
        base = Transform([*right_turns()][number], ZERO)
        other = remake(robot, random.Random(700 + number), How(True, zeros, base))
        found = compare(robot, other.robot)
        assert found.verdict == "same", number
        for pair in found.map.pairs:
            name, _, zero = other.truth[pair.a.raw.name]
            assert pair.b.raw.name == name
            is_open = kind == "continuous" and pair.a.parent == 0
            if not is_open:
                assert pair.offset == pytest.approx(zero, abs=1e-9)
            elif not zeros:
                assert abs(pair.offset) < 1e-9
