"""What the report shows: the smallest explanation, two causes and a count, and sentences that need no source."""

import math
import random
import re

import pytest
from hypothesis import given, strategies as st
from remade import arm, How, remake

from urdf_tools.compare.report_lines import causes_of, folded, MOST_OF_A_KIND
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import Difference
from urdf_tools.compare.comparison_text import report
from urdf_tools.compare.difference_kinds import part_text, text_of
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.formats.urdf.read_urdf import read_urdf

TABLE = """<robot name="r"><link name="a"><inertial><origin xyz="0.02 0.01 0.05"/><mass value="3"/><inertia ixx="0.02"
  iyy="0.03" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial><visual><origin xyz="0 0 0.05"/><geometry>
  <box size="0.1 0.2 0.1"/></geometry></visual></link>
<link name="b"><inertial><origin xyz="0.1 0 0"/><mass value="1"/><inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0"
  ixz="0" iyz="0"/></inertial><visual><origin xyz="0.1 0 0"/>
  <geometry><box size="0.2 0.05 0.05"/></geometry></visual></link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 0.1"/><axis xyz="0 0 1"/>
  <limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>"""


def read(text):
    return read_urdf(text.encode())


def test_a_moved_center_of_the_base_is_one_line():
    """By its center alone the base would be moved, and all that is right would be elsewhere."""
    a, b = read(TABLE), read(TABLE.replace('xyz="0.02 0.01 0.05"', 'xyz="0.02 0.01 0.07"'))
    assert report(compare(a, b)) == (
        "Same motion, different masses: exactly, for all positions\n  center a: 20 mm elsewhere\n"
    )


def test_a_base_that_is_elsewhere_stays_where_it_is_found():
    turned = remake(arm(), random.Random(4), How(base="any")).robot
    heavy = turned._replace(
        links=tuple(
            link._replace(mass=link.mass and link.mass._replace(mass=1.5 * link.mass.mass))
            if link.name == "l3"
            else link
            for link in turned.links
        )
    )
    found = compare(arm(), heavy)
    assert [one.kind for one in found.differences] == ["mass"] or {"mass", "tensor"} == {
        one.kind for one in found.differences
    }
    assert "base  turned" in report(found)


def heavier(count):
    robot = arm()
    masses = {link.name: k for k, link in enumerate(robot.links) if link.mass is not None and k}
    return robot._replace(
        links=tuple(
            link._replace(
                mass=link.mass._replace(
                    mass=link.mass.mass * (1.1 + 0.1 * masses[link.name]),
                    tensor=tuple(
                        part * (1.1 + 0.1 * masses[link.name]) for part in link.mass.tensor
                    ),
                )
            )
            if link.mass is not None and 0 < masses.get(link.name, 0) <= count
            else link
            for link in robot.links
        )
    )


@pytest.mark.parametrize("count", range(1, 7))
def test_two_causes_then_a_count_and_more_than_five_of_a_kind_are_one(count):
    found = compare(arm(), heavier(count))
    assert len(found.differences) == count
    short, full = (report(found, full=full).splitlines() for full in (False, True))
    masses = [line for line in short if line.startswith("  mass ")]
    assert len([line for line in full if line.startswith("  mass ")]) == count
    if count > MOST_OF_A_KIND:
        assert len(masses) == 1 and f"and {count - 1} others like it" in " ".join(short)
    else:
        assert len(masses) == min(count, 3 if count == 3 and "--full" not in short[-1] else 2)
        assert count <= 3 or f"and {count - 2} other differences" in short[-1]


@given(
    st.lists(
        st.tuples(st.sampled_from(["mass", "effort", "limits"]), st.integers(0, 9)), max_size=30
    )
)
def test_nothing_is_lost_by_folding(rows):
    differences = [
        Difference(kind, f"j{k}", names=(f"j{k}", f"[{k}, 1]", str(k)), numbers=(1.0, 2.0 + k))
        for kind, k in rows
    ]
    causes = folded(causes_of(differences))
    kinds = [cause.differences[0].kind for cause in causes]
    assert sorted(one for cause in causes for one in cause.differences) == sorted(differences)
    assert all(kind == "limits" or kinds.count(kind) <= MOST_OF_A_KIND for kind in kinds)


@given(
    st.lists(
        st.tuples(st.sampled_from(["mass", "effort", "limits", "frame"]), st.integers(0, 9)),
        min_size=1,
        max_size=12,
        unique=True,
    )
)
def test_every_limit_is_shown_and_no_list_is_cut_to_save_a_line(
    rows,
):
    differences = tuple(
        Difference(kind, f"j{k}", names=(f"j{k}", f"[{k}, 1]", str(k)), numbers=(1.0, 2.0 + k))
        for kind, k in rows
    )
    same = compare(arm(), arm())
    found = same._replace(verdict="masses", differences=differences)
    short, full = (report(found, full=full).splitlines() for full in (False, True))
    limits = [line for line in full if line.startswith("  limit ")]
    assert len(limits) == sum(kind == "limits" for kind, _ in rows)
    assert all(line in short for line in limits)
    assert "and 1 other difference:" not in short[-1]


@pytest.mark.parametrize(
    "part, text",
    [
        (0.0, "0 %"),
        (1.23e-5, "0.0012 %"),
        (0.0171, "1.7 %"),
        (0.0999, "10 %"),
        (0.123, "12 %"),
        (0.996, "100 %"),
        (1.0, "100 %"),
        (1.2, "more than 100 %"),
    ],
)
def test_a_part_is_a_plain_percentage(part, text):
    assert part_text(part) == text


@given(st.floats(1e-9, 2.0))
def test_no_percentage_of_what_counts_has_an_exponent_above_one(part):
    assert "e+" not in part_text(part)


def test_a_zero_by_limits_is_said_only_where_names_disagree():
    bare = re.sub(r"<inertial>.*?</inertial>", "", TABLE, flags=re.S)
    moved = bare.replace('lower="-1" upper="1"', 'lower="0" upper="2"')
    for other in (bare, moved):
        assert "inferred" not in report(compare(read(bare), read(other)), full=True)
    for other in (bare.replace('"j"', '"k"'), moved.replace('"j"', '"k"')):
        assert "zero  of j: inferred from limits only" in report(compare(read(bare), read(other)))


def test_what_is_not_compared_names_the_format_and_the_thing():
    mjcf = """<mujoco><worldbody><body name="a"><freejoint/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      <body name="b"><joint name="j" range="-1 1" armature="0.1"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>
      </body></body></worldbody></mujoco>"""
    notes = compare(read(TABLE), read_mjcf(mjcf.encode())).notes
    assert "not compared, as URDF cannot express it: inertia of rotors (armature)" in notes
    assert "not compared, as MJCF cannot express it: limits of velocity" in notes
    assert not [note for note in notes if "there is none" in note or "there are no" in note]


UNITS = {"m": 1.0, "mm": 1e-3, "um": 1e-6, "nm": 1e-9, "degrees": math.pi / 180.0}
UNITS.update(rad=1.0, mrad=1e-3, urad=1e-6, nrad=1e-9)
PRINTED = re.compile("([0-9.]+(?:e[-+][0-9]+)?) (" + "|".join(UNITS) + r")\b")


@pytest.mark.parametrize(
    "kind, signs",
    [
        ("sum", (1.0, 1.0)),
        ("typed", (1.0,)),
        ("shape_turn", (0.0, 1.0)),
        ("mesh_rounded", (1.0,)),
        ("mesh", (-1.0,)),
    ],
)
@given(st.floats(1e-11, 3.0), st.floats(1e-11, 3.0))
def test_a_printed_bound_is_one(kind, signs, size, other):
    """What holds for all points is rounded up, what a point proves is rounded down; to a digit either way."""
    numbers = (3.0, size) if kind == "typed" else (size, other)
    found = PRINTED.findall(
        text_of(Difference(kind, "r", 0.0, "m", names=("A",) * 4, numbers=numbers))
    )
    assert len(found) == len(signs)
    for (number, unit), sign, exact in zip(
        found, signs, numbers[-len(signs) :] if kind == "typed" else numbers
    ):
        said = float(number) * UNITS[unit]
        slack = 1e-11 * exact
        assert sign * (said - exact) >= -slack
        assert abs(said - exact) <= (0.011 if exact >= 1e-9 else 1.0) * exact


def test_the_verdict_rounds_its_bound_up():
    """To the nearest it would say 1.23 um."""
    off = 1.2321e-6
    a, b = read(TABLE), read(TABLE.replace('xyz="0 0 0.1"', f'xyz="0 {off!r} 0.1"'))
    comparison = compare(a, b)
    assert comparison.bound.position >= off and "to 1.24 um and" in report(comparison)
