"""The roll of a bone: Blender's values for directions along the axes, and the law that a frame comes back from it."""

import math
import random

from rest_frames import exact_rest_place, rest_place, turned
import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.formats.armature.build_armature import (
    CLEAR,
    clear_about,
    CLOSER,
    HARMLESS,
    is_clear,
    roll_of,
)
from urdf_tools.urdf.spatial_math import angle_between, cross, dot, norm, scale, subtract, unit

AXES = {
    "+X": (1.0, 0.0, 0.0),
    "-X": (-1.0, 0.0, 0.0),
    "+Y": (0.0, 1.0, 0.0),
    "-Y": (0.0, -1.0, 0.0),
    "+Z": (0.0, 0.0, 1.0),
    "-Z": (0.0, 0.0, -1.0),
}
# Bone Y, then the roll [deg] for each bone X at a right angle to it: what Blender shows.
TABLE = (
    ("+X", {"+Y": 180, "-Y": 0, "+Z": -90, "-Z": 90}),
    ("-X", {"+Y": 0, "-Y": 180, "+Z": -90, "-Z": 90}),
    ("+Y", {"+X": 0, "-X": 180, "+Z": -90, "-Z": 90}),
    ("-Y", {"+X": 180, "-X": 0, "+Z": -90, "-Z": 90}),
    ("+Z", {"+X": 0, "-X": 180, "+Y": 90, "-Y": -90}),
    ("-Z", {"+X": 0, "-X": 180, "+Y": -90, "-Y": 90}),
)
ROWS = [(y, x, roll) for y, row in TABLE for x, roll in row.items()]


@pytest.mark.parametrize("y, x, degrees", ROWS)
def test_table(y, x, degrees):
    assert (
        abs(math.remainder(roll_of(AXES[x], AXES[y]) - math.radians(degrees), 2.0 * math.pi))
        < 1e-15
    )


def random_frame(seed, near):
    """Return X and Y of a random frame; Y is along -Y but for about `near` [rad]."""
    r = random.Random(seed)
    y = unit((r.gauss(0.0, 1.0), r.gauss(0.0, 1.0), r.gauss(0.0, 1.0)))
    y = unit((near * y[0], -1.0, near * y[2])) if near else y
    v = (r.gauss(0.0, 1.0), r.gauss(0.0, 1.0), r.gauss(0.0, 1.0))
    return unit(subtract(v, scale(dot(v, y), y))), y


@given(
    st.integers(0, 2**32),
    st.sampled_from([0.0, 0.3, 0.1, 0.05, 1e-2, 1e-3, 1e-4, 1e-6, 1e-9, 1e-13]),
)
def test_a_frame_comes_back_from_its_roll(seed, near):
    x, y = random_frame(seed, near)
    bone = {"head": (0.0, 0.0, 0.0), "tail": y, "roll": roll_of(x, y)}
    turn, _ = rest_place(bone)
    apart = angle_between(y, AXES["-Y"])
    room = 1e-11 if apart >= CLEAR else 1e-4  # next to -Y the formula is a series
    assert norm(subtract(turned(turn, (1.0, 0.0, 0.0)), x)) < room + (
        apart if apart < CLOSER else 0.0
    )
    assert norm(subtract(turned(turn, (0.0, 1.0, 0.0)), y)) < 1e-11 + (
        apart if apart < CLOSER else 0.0
    )
    exact, _ = exact_rest_place({**bone, "x_axis": x})
    assert norm(subtract(turned(exact, (1.0, 0.0, 0.0)), x)) < 1e-11
    assert norm(subtract(turned(exact, (0.0, 1.0, 0.0)), y)) < 1e-11


@given(
    st.integers(0, 2**32),
    st.lists(
        st.sampled_from([0.0, 1e-7, 1e-5, 5e-4, 2e-3, 0.02, 0.14, 0.2, 1.0]), min_size=2, max_size=2
    ),
)
def test_no_tail_stays_beside_a_singular_direction(seed, tilts):
    """It is off it or on it, still at a right angle to the axis, and as long as it was."""
    axis, along = random_frame(seed, 0.0)
    r = random.Random(seed + 1)
    singular = []
    for tilt in tilts:
        side = unit((r.gauss(0.0, 1.0), r.gauss(0.0, 1.0), r.gauss(0.0, 1.0)))
        across = unit(cross(along, side))
        singular.append(
            unit(
                (
                    along[0] + math.tan(tilt) * across[0],
                    along[1] + math.tan(tilt) * across[1],
                    along[2] + math.tan(tilt) * across[2],
                )
            )
        )
    turned_to = clear_about(axis, scale(0.3, along), singular)
    assert abs(dot(axis, turned_to)) < 1e-10 and abs(norm(turned_to) - 0.3) < 1e-6
    if is_clear(along, singular):
        assert turned_to == scale(0.3, along)
    assert all(
        not HARMLESS < angle_between(turned_to, direction) < CLEAR - 1e-9 for direction in singular
    ) or any(angle_between(turned_to, direction) < 1e-9 for direction in singular)


def test_a_tail_is_put_on_a_singular_direction_where_nobody_sees_it():
    assert clear_about((1.0, 0.0, 0.0), (0.0, -0.3, 1e-4), [(0.0, -1.0, 0.0)]) == (0.0, -0.3, 0.0)
    aside = clear_about(unit((1.0, 1e-5, 0.0)), (3e-6, -0.3, 1e-4), [(0.0, -1.0, 0.0)])
    assert abs(angle_between(aside, (0.0, -1.0, 0.0)) - CLEAR) < 1e-3
