"""The result of a run is the same robot as its input, however its angles were typed and whatever `--snap` rounds."""

import math
import random
from itertools import permutations
from pathlib import Path

import pytest
from commands import in_process
from conftest import examples, SEEDS
from decided_runs import ends_with
from hypothesis import example, given

from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.difference_records import ASPECTS
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.compare.difference_kinds import text_of
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.verify.shared_proof_state import TOLERANCE

BODY = (
    '<inertial><origin xyz="{}" rpy="{}"/><mass value="1"/>'
    '<inertia ixx="0.01" ixy="0" ixz="0.001" iyy="0.02" iyz="0" izz="0.025"/></inertial>'
)
TYPED = (
    *(
        "1.57",
        "1.5708",
        "1.571",
        "1.5707",
        "1.570796",
        "0.785",
        "0.7854",
        "3.14",
        "3.1416",
        "3.1415",
    ),
    *("6.28", "0.2618", "0.00009", "0.00005", "-1.57", "-1.571", "-1.5707", "-0.00009"),
)
AXES = ("1 0 0", "0 1 0", "0 0 1", "0 -1 0", "0 0 -1", "0 0.00008 1", "0.00006 0.00007 1")
SHAPES = (
    '<box size="0.1 0.2 0.3"/>',
    '<sphere radius="0.1"/>',
    '<cylinder radius="0.05" length="0.2"/>',
)
NAMES = (
    "hip_pitch",
    "hip_roll",
    "hip_yaw",
    "knee",
    "elbow",
    "joint",
    "finger",
    "left_wheel",
    "right_wheel",
)
TYPES = (*("revolute",) * 4, "continuous", "prismatic", "fixed", "fixed", "planar")
WITHOUT_MESHES = frozenset(ASPECTS) - {"meshes"}


def typed_rpy(r):
    return " ".join(r.choice(("0", "0", r.choice(TYPED), r.choice(TYPED))) for _ in range(3))


def typed_robot(r):
    """Return a random URDF of up to 8 links whose angles were typed with few digits."""
    size = r.choice((0.05, 0.5, 3.0))

    def vector(part):
        return " ".join(f"{r.uniform(-part, part) * size:.3f}" for _ in range(3))

    def link(name):
        mass = BODY.format(vector(0.2), typed_rpy(r)) if r.random() < 0.8 else ""
        shapes = "".join(
            f'<visual><origin xyz="{vector(0.4)}" rpy="{typed_rpy(r)}"/><geometry>{r.choice(SHAPES)}</geometry></visual>'
            for _ in range(r.choice((0, 0, 1, 2)))
        )
        return f'<link name="{name}">{mass}{shapes}</link>'

    count = r.randint(2, 8)
    parts = [link(f"l{number}") for number in range(count)]
    for number in range(1, count):
        parent = r.choice((number - 1, number - 1, r.randrange(number)))
        parts.append(
            f'<joint name="{r.choice(NAMES)}_{number}" type="{r.choice(TYPES)}">'
            f'<origin xyz="{vector(1.0)}" rpy="{typed_rpy(r)}"/><parent link="l{parent}"/><child link="l{number}"/>'
            f'<axis xyz="{r.choice(AXES)}"/><limit lower="-1" upper="1.2" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="typed">{"".join(parts)}</robot>'


def typed_options(r):
    return Options(
        snap=r.choice((1e-4, 1e-4, 1e-4, 0.0, 1e-5, 1e-3, 1e-2, 0.1)),
        base_frame=r.choice(("auto", "onshape", "ros")),
        reorient=r.random() < 0.9,
        keep_all_frames=r.random() < 0.3,
        keep_signs=r.random() < 0.2,
    )


def compared(a, b):
    """Return the comparison of two texts, without looking for the files of meshes."""
    return compare(read_bytes(a, "a.urdf"), read_bytes(b, "b.urdf"), aspects=WITHOUT_MESHES)


def simplified(text, options):
    return simplify_bytes(text, "robot.urdf", options)


def axis_turned(text, name, angle):
    """Return the text of a robot with the axis of one joint turned by an angle [rad], if it is `0 0 1`."""
    before, joint, after = text.partition(f'<joint name="{name}"')
    return (
        before
        + joint
        + after.replace(
            'xyz="0 0 1"/><limit', f'xyz="0 {math.sin(angle)!r} {math.cos(angle)!r}"/><limit', 1
        )
    )


@given(SEEDS)
# The second run turns the base again, and rounds what the first one left.
@example(4194)
@examples(16, fuzzed=1000)
def test_the_result_of_any_run_is_its_input(seed):
    r = random.Random(seed)
    text, options = typed_robot(r).encode(), typed_options(r)
    try:
        result = simplified(text, options)
    except UrdfError:
        return  # such as a kept frame of a name that is defined twice
    found = compared(text, result.data)
    assert found.is_same, [text_of(difference) for difference in found.counted]
    # What the run says it rounded at most is what the comparison says of the largest one, in the first line.
    rounded = [line.numbers[0] for line in found.decided if line.kind == "decided_axis"]
    assert rounded == sorted(rounded, reverse=True) and max(rounded, default=0.0) <= options.snap
    if rounded and not options.keep_all_frames:
        assert float(f"{rounded[0]:.1e}") == result.proof.axis
    # Nor is the result of a second run another robot than that of the first, or than the input.
    again = simplified(result.data, options)
    assert compared(result.data, again.data).is_same and compared(text, again.data).is_same


@given(SEEDS)
# A frame is turned by the second run; an axis is rounded by the third.
@example(39)
@example(40)
# Three runs turn the base by the same angle.
@example(798768)
@examples(5, fuzzed=1000)
def test_input_and_results_of_any_runs_are_one_robot(seed):
    """Each run has its own tolerance and base, and any two of the files are compared, in either order."""
    r = random.Random(seed)
    texts = [typed_robot(r).encode()]
    for _ in range(r.choice((2, 3))):
        try:
            texts.append(simplified(texts[-1], typed_options(r)).data)
        except UrdfError:
            break  # such as a kept frame of a name that is defined twice
    for a, b in permutations(texts, 2):
        found = compared(a, b)
        assert found.is_same, [text_of(difference) for difference in found.counted]


@given(SEEDS)
@examples(10, fuzzed=200)
def test_a_turned_axis_is_named_beside_those_that_were_rounded(seed):
    """By three times the tolerance, in the input and in the result."""
    r = random.Random(seed)
    text = TWO_FINGERS.replace("TYPED", r.choice(("1.5707 0.00009 0", "1.57 0 0", "0 1.571 0.785")))
    result = simplified(
        text.encode(), Options(snap=r.choice((1e-4, 1e-3)), base_frame="ros", keep_signs=True)
    )
    name = r.choice(("j1", "j2"))
    other = axis_turned(text, name, r.choice((-3e-4, 3e-4)))
    assert other != text
    for a, b in ((other.encode(), result.data), (result.data, other.encode())):
        found = compared(a, b)
        # The first joint shows how the base lies, so that its turn may be named of the second.
        assert not found.is_same
        assert name == "j1" or "j2" in {difference.where for difference in found.differences}


TWO_FINGERS = f"""<robot name="fingers"><link name="base">{BODY.format("0 0 0", "0 0 0")}</link>
<joint name="j1" type="revolute"><origin xyz="0 0 0.1" rpy="TYPED"/><parent link="base"/><child link="l1"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="l1">{BODY.format("0 0.1 0", "0 0 0")}</link>
<joint name="j2" type="revolute"><origin xyz="0 0.3 0" rpy="0 0 0"/><parent link="l1"/><child link="l2"/>
<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="l2">{BODY.format("0 0.1 0.02", "0 0 0")}</link></robot>"""
# A hand: three angles of one joint, each below the tolerance, and a finger that turns back what the palm is off.
HAND = f"""<robot name="hand"><link name="base_link"/><joint name="root_joint" type="fixed"><origin rpy="0 0 -1.57079"/>
<parent link="base_link"/><child link="palm"/></joint><link name="palm">{BODY.format("0 0 0", "0 0 0")}</link>
<joint name="spread" type="revolute"><origin xyz="0.025 0 0.11" rpy="0 -1.5707 1.5707"/><parent link="palm"/><child link="l3"/>
<axis xyz="0 0 1"/><limit lower="0" upper="0.58" effort="1" velocity="1"/></joint>
<link name="l3">{BODY.format("0 0 0.05", "0 0 0")}</link>
<joint name="finger" type="revolute"><origin xyz="0.02 0 0.04596" rpy="1.5707 0 0"/><parent link="l3"/><child link="l4"/>
<axis xyz="0 0 1"/><limit lower="0" upper="0.97" effort="1" velocity="1"/></joint>
<link name="l4">{BODY.format("0 0.1 0.02", "0 0 0")}</link></robot>"""


@pytest.mark.parametrize("text", [HAND, TWO_FINGERS.replace("TYPED", "1.5707 0.00009 0")])
def test_run_and_comparison_say_the_same_of_what_was_rounded(text, here):
    Path("robot.urdf").write_text(text, "utf-8")
    said = in_process(["robot.urdf", "-y", "-o", "made.urdf"], b"").stdout.decode()
    assert "OK Same robot" in said and "rounded by up to 9.6e-05 rad" in said
    shown = in_process(["compare", "robot.urdf", "made.urdf"], b"").stdout.decode()
    assert shown.startswith("Same robot"), shown
    assert "its axis is rounded, turned by 96.3 urad" in shown
    # The note is what says so: the numbers alone are too far apart, in sum.
    Path("bare.urdf").write_text(
        Path("made.urdf").read_text("utf-8").replace("decisions,", "said,"), "utf-8"
    )
    assert ends_with(["compare", "robot.urdf", "bare.urdf"]) in (0, 1)


def test_what_is_rounded_by_little_needs_no_note():
    """1.5708 in three joints of a small robot: `compare` takes the result for the same by its tolerance."""
    text = TWO_FINGERS.replace("TYPED", "1.5708 0 0").encode()
    result = simplified(text, Options())
    assert b"decisions" not in result.data and result.proof.axis > TOLERANCE
    assert compared(text, result.data).verdict == "rounded"


def test_no_frame_is_rounded_by_more_than_the_tolerance_in_sum():
    text = HAND.encode()
    result = simplified(text, Options())
    assert b'rpy="0 9.63267949e-05' in result.data  # two angles that are 1.3e-4 together stay
    assert result.proof.axis <= 1e-4
