"""The numbers of the proof of pairs are intervals: they contain what decimals of 70 digits say, on every machine."""

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from unittest import mock

import pytest
from collision.test_pairs import arm, BAR, joint, limits, link, no_mesh, robots
from conftest import examples
from hypothesis import given, strategies as st

from urdf_tools.collision import proof_geometry, motion_bound
from urdf_tools.collision.proof_geometry import placed, path_between
from urdf_tools.collision.verify_pairs import PairVerifier, ChainSide
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.spatial_math import IDENTITY_POSE
from urdf_tools.verify.proof_robot import read_raw
from urdf_tools.urdf import spatial_math
from urdf_tools.verify.rigid_motion import transform_point

ZERO, ONE = Decimal(0), Decimal(1)
AT_ZERO = (((ONE, ZERO, ZERO), (ZERO, ONE, ZERO), (ZERO, ZERO, ONE)), (ZERO, ZERO, ZERO))


def cosine_and_sine(angle):
    """Return the sums of the series, as far as decimals see them."""
    sums, term, k = [ZERO, ZERO], ONE, 0
    while abs(term) > Decimal("1e-60") or k < 4:
        sums[k % 2] += term if k % 4 < 2 else -term
        k += 1
        term = term * angle / k
    return sums[0], sums[1]


def turn(axis, angle):
    """Return a rotation by way of 1 + sin K + (1 - cos) K K."""
    size = sum((value * value for value in axis), ZERO).sqrt()
    x, y, z = (value / size for value in axis)
    c, s = cosine_and_sine(angle)
    K = ((ZERO, -z, y), (z, ZERO, -x), (-y, x, ZERO))
    KK = times(K, K)
    return tuple(
        tuple(one + s * k + (1 - c) * kk for one, k, kk in zip(*rows))
        for rows in zip(AT_ZERO[0], K, KK)
    )


def times(A, B):
    return tuple(
        tuple(sum((a * b for a, b in zip(row, column)), ZERO) for column in zip(*B)) for row in A
    )


def moved(T, point):
    return tuple(sum((a * b for a, b in zip(row, point)), at) for row, at in zip(*T))


def then(first, second):
    return times(first[0], second[0]), moved(first, second[1])


def back(T):
    R = tuple(zip(*T[0]))
    return R, tuple(-value for value in moved((R, AT_ZERO[1]), T[1]))


def pose(origin):
    if origin is None:
        return AT_ZERO
    roll, pitch, yaw = (Decimal(float(word)) for word in (origin.get("rpy") or "0 0 0").split())
    x, y, z = zip(*AT_ZERO[0])
    return times(turn(z, yaw), times(turn(y, pitch), turn(x, roll))), tuple(
        Decimal(float(word)) for word in (origin.get("xyz") or "0 0 0").split()
    )


def position_of(joint, joints, at):
    """Return the position of a joint, also of one that follows others."""
    mimic = joint.find("mimic")
    if mimic is None:
        return Decimal(at.get(str(joint.find("child").get("link")), 0.0))
    leader = next(other for other in joints.values() if other.get("name") == mimic.get("joint"))
    return position_of(leader, joints, at) * Decimal(float(mimic.get("multiplier") or 1)) + Decimal(
        float(mimic.get("offset") or 0)
    )


def place_of(joints, end, at):
    """Return where a link is, seen from the root; positions are given by the links below the joints."""
    T = AT_ZERO
    above = joints.get(end)
    while above is not None:
        axis = [
            Decimal(float(word))
            for word in ((above.find("axis") or {}).get("xyz") or "1 0 0").split()
        ]
        position = position_of(above, joints, at)
        size = sum((value * value for value in axis), ZERO).sqrt()
        motion = (
            (AT_ZERO[0], tuple(position * value / size for value in axis))
            if above.get("type") == "prismatic"
            else (turn(axis, position), AT_ZERO[1])
        )
        T = then(pose(above.find("origin")), then(motion, T))
        above = joints.get(str(above.find("parent").get("link")))
    return T


def excess(text, at, middle, end):
    """Return by how much places of a link are farther off than the proof has it; negative where none is."""
    document = parse_document(text.encode(), "robot.urdf")
    robot, check = read_raw(document, IDENTITY_POSE), PairVerifier(document, no_mesh)
    free = [child for child, one in robot.joints.items() if one.moves and one.mimic is None]
    positions = dict(zip(free, at))
    way = path_between(
        robot, middle, end, {child: abs(value) for child, value in positions.items()}
    )
    body = check.body(end, 0)
    assert way is not None and body is not None
    T, _ = placed(way.joints, list(positions.values()))
    with localcontext() as context:
        context.prec = 70
        joints = {child: one.element for child, one in robot.joints.items()}
        exact = then(back(place_of(joints, middle, positions)), place_of(joints, end, positions))
        side = ChainSide(way, body)
        shape = next(one for one in robot.links[end].elements() if one.name == "collision")
        local = then(exact, pose(shape.find("origin")))
        pairs = [
            (transform_point(T, body.pose.translation), local[1], side.error),
            *((T.rotation[k], exact[0][k], way.error) for k in range(3)),
        ]
        found = max(
            sum(((Decimal(one) - other) ** 2 for one, other in zip(*places)), ZERO).sqrt()
            - Decimal(bound)
            for *places, bound in pairs
        )
        return +found


@given(
    robots(),
    st.lists(st.floats(-3.0, 3.0), min_size=3, max_size=3),
    st.sampled_from(["l0", "l1"]),
    st.booleans(),
)
@examples(fuzzed=40)
def test_places_are_no_farther_off_than_the_proof_has_it(text, at, middle, inward):
    ends = [middle, f"l{text.count('<link') - 1}"]
    assert excess(text, at, *(reversed(ends) if inward else ends)) <= 0


TURNED = (
    '<robot name="r">'
    + link("l0", BAR)
    + link("l1", BAR, "0.1 0.2 0.3", "0.4 0.5 0.6")
    + joint("j1", "l0", "l1", limits(-2, 2, "0.1 0.2 0.3", "1 2 3"))
    + "</robot>"
)


def coarse(angle):
    c, s = EXACT(angle)
    return c, s * (1.0 + 1e-13)


EXACT = spatial_math.cosine_sine


def test_a_sine_that_is_off_is_seen():
    assert excess(TURNED, [1.0], "l0", "l1") <= 0
    with mock.patch.object(spatial_math, "cosine_sine", coarse):
        assert excess(TURNED, [1.0], "l0", "l1") > 0


def test_places_without_the_errors_that_are_counted_are_off():
    with mock.patch.multiple(proof_geometry, ROUNDING=0.0, PER_ANGLE=0.0):
        assert excess(TURNED, [1.0], "l0", "l1") > 0


def test_the_errors_are_not_much_more_than_needed():
    document = parse_document(TURNED.encode(), "robot.urdf")
    way = path_between(read_raw(document, IDENTITY_POSE), "l0", "l1", {"l1": 2.0})
    assert way is not None and way.error < 1e-13
    body = PairVerifier(document, no_mesh).body("l1", 0)
    least = ChainSide(way, body).least((1.0, 0.0, 0.0), [0.5], [0.0])
    T, _ = placed(way.joints, [0.5])
    lowest = min(spatial_math.move(T, corner)[0] for corner in body.corners) - body.radius
    assert lowest - 1e-9 < least <= lowest


@pytest.mark.parametrize("radius", ["0.1", "1e-3", "7.3"])
def test_the_polygon_goes_around_the_circle(radius):
    text = (
        f'<robot name="r"><link name="l0"><collision><geometry><cylinder radius="{radius}" length="1"/></geometry>'
        "</collision></link></robot>"
    )
    body = PairVerifier(parse_document(text.encode(), "robot.urdf"), no_mesh).body("l0", 0)
    assert body is not None
    around = [(Fraction(x), Fraction(y)) for x, y, z in body.corners if z > 0.0]
    for (a, b), (c, d) in zip(around, [*around[1:], around[0]]):
        # Of the distance of an edge from the axis.
        square = (a * d - b * c) ** 2 / ((c - a) ** 2 + (d - b) ** 2)
        assert square >= Fraction(float(radius)) ** 2


@given(robots(), st.randoms(use_true_random=False), st.floats(0.01, 0.6))
@examples(fuzzed=40)
def test_an_axis_is_nowhere_in_a_cell_farther_from_a_direction_than_its_sine(text, generator, size):
    document = parse_document(text.encode(), "robot.urdf")
    robot, check = read_raw(document, IDENTITY_POSE), PairVerifier(document, no_mesh)
    end = f"l{text.count('<link') - 1}"
    free = [child for child, one in robot.joints.items() if one.moves and one.mimic is None]
    way, body = path_between(robot, "l0", end, dict.fromkeys(free, 2.0)), check.body(end, 0)
    assert way is not None and body is not None
    middle = [generator.uniform(-1.0, 1.0) for _ in free]
    axes = placed(way.joints, middle)[1]
    n = generator.choice(axes)[0]  # along an axis, its sine is all from the joints further in
    widths = [abs(one.factor) * size for _, _, one in axes]
    sines = motion_bound.sines(n, axes, widths, way.error)
    for _ in range(8):
        for (axis, _, _), sine in zip(
            placed(way.joints, [at + generator.choice([-size, size]) for at in middle])[1], sines
        ):
            assert math.dist(cross(n, axis), (0.0, 0.0, 0.0)) <= sine


def bound_over(text, seed, end):
    """Return by how much the bound of a link over cells is above what poses of these show; 0 or less: it holds."""
    document = parse_document(text.encode(), "robot.urdf")
    robot, check = read_raw(document, IDENTITY_POSE), PairVerifier(document, no_mesh)
    generator = random.Random(seed)
    free = [child for child, one in robot.joints.items() if one.moves and one.mimic is None]
    way, body = path_between(robot, "l0", end, dict.fromkeys(free, 4.0)), check.body(end, 0)
    over = -math.inf
    for _ in range(40):
        at = [generator.uniform(-2.0, 2.0) for _ in free]
        halves = [generator.choice([0.02, 0.1, 0.4]) for _ in free]
        n = [generator.gauss(0.0, 1.0) for _ in range(3)]
        n = tuple(value / math.dist(n, (0.0, 0.0, 0.0)) for value in n)
        least = ChainSide(way, body).least(n, at, halves)
        for _ in range(20):
            pose = [x + h * generator.choice([-1.0, 0.5, 1.0]) for x, h in zip(at, halves)]
            T = placed(way.joints, pose)[0]
            heights = [spatial_math.dot(n, spatial_math.move(T, corner)) for corner in body.corners]
            over = max(over, least - min(heights) + body.radius)
    return over


BOUNDED = arm(1.3)
LAST = f"l{BOUNDED.count('<link') - 1}"


@given(robots(), st.integers(0, 1 << 30))
@examples(fuzzed=10)
def test_a_body_is_nowhere_in_a_cell_below_its_bound(text, seed):
    assert bound_over(text, seed, f"l{text.count('<link') - 1}") <= 0.0


# fmt: skip.
@pytest.mark.parametrize(
    "change",
    [
        {"far_from": lambda *given: [0.2 * far for far in FAR_FROM(*given)]},
        {"sines": lambda n, axes, widths, error: [0.0] * len(axes)},
    ],
    ids=["a reach without what is further out", "no second derivative"],
)
def test_a_bound_that_forgets_is_above_what_poses_show(change):
    assert bound_over(BOUNDED, 1, LAST) <= 0.0
    with mock.patch.multiple(motion_bound, **change):
        assert max(bound_over(BOUNDED, seed, LAST) for seed in range(6)) > 0.0


FAR_FROM = motion_bound.far_from


def cross(a, b):
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
