"""--keep-all-frames: each merged link stays as an empty link where it was, in random robots and in one read by hand."""

import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_robots import Traits, robots
from test_laws import Case

from urdf_tools.plan.run_options import Options
from urdf_tools.report.line_layout import TextStyle
from urdf_tools.report.plan_text import outcome, plan_text
from urdf_tools.report.run_json import record_of
from urdf_tools.run.run_pipeline import simplify_bytes

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
CHOICES = st.fixed_dictionaries(
    {
        "snap": st.sampled_from((0.0, 1e-4)),
        "merge_all": st.booleans(),
        "keep_frames": st.booleans(),
        "reorient": st.booleans(),
        "count_once": st.booleans(),
    }
).map(lambda choices: Options(keep_all_frames=True, **choices))


@examples(fuzzed=60)
@given(robots(Traits(duplicates=0.8)), CHOICES)
def test_a_second_run_with_frames_changes_nothing(text, options):
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
    again = simplify_bytes(result.data, "robot.urdf", options)
    assert again.data == result.data


@examples(fuzzed=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(("a", "b", "l1_frame")), st.sampled_from(("fixed", "revolute"))),
        min_size=2,
        max_size=5,
    )
)
def test_no_two_joints_have_one_name(rows):
    """Joints down a chain, of the same names: one that moves is renamed, a frame gives way, the others keep theirs."""
    text = '<link name="l0"/>'
    for number, (name, kind) in enumerate(rows, start=1):
        limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>' * (kind == "revolute")
        text += (
            f'<link name="l{number}">{MASS}</link><joint name="{name}" type="{kind}"><origin xyz="0 0 0.1"/>'
            f'<parent link="l{number - 1}"/><child link="l{number}"/>{limit}</joint>'
        )
    options = Options(base_frame="ros", keep_all_frames=True, merge_all=True, lenient=True)
    result = simplify_bytes(f'<robot name="r">{text}</robot>'.encode(), "robot.urdf", options)
    names = [joint.name for joint in result.after.joints]  # in the order of the file
    assert len(names) == len(set(names)) == len(rows)
    for (name, _), now in zip(rows, names):
        assert now == name or name in names, f"{name} is free and became {now}"


FRAMES_OF_ROS = """<robot name="r"><link name="base">{mass}</link><link name="tool0"/>
<link name="camera_optical_frame"/>
<link name="panda_link8"/><link name="part_3"/><link name="Body 2"/><link name="plate">{mass}</link>
<link name="shade"><visual><geometry><box size="1 1 1"/></geometry></visual></link>{joints}</robot>"""


@pytest.mark.parametrize(
    "options, lost",
    [
        (Options(), ["tool0", "camera_optical_frame", "panda_link8"]),
        (Options(keep=("tool*",)), ["camera_optical_frame", "panda_link8"]),
        (Options(keep_frames=True), []),
        (Options(keep_all_frames=True), []),
        (Options(merge=False), []),
    ],
)
def test_frames_that_vanish_are_named(options, lost):
    """In the tree, at the end, and in the report; parts with a bare number, a mass or a shape are no such frames."""
    names = ("tool0", "camera_optical_frame", "panda_link8", "part_3", "Body 2", "plate", "shade")
    joints = "".join(
        f'<joint name="to {name}" type="fixed"><parent link="base"/><child link="{name}"/></joint>'
        for name in names
    )
    mass = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    result = Case(FRAMES_OF_ROS.format(mass=mass, joints=joints), options).result
    style = TextStyle(boxes=True, color=False)
    shown, end = (
        " ".join(" ".join(lines).split())
        for lines in (plan_text(result, style), outcome(result, "out.urdf", [], [], style))
    )
    counted = f"{len(lost)} frames vanish from TF (--keep-frames keeps them)"
    assert (counted in shown, "from TF" in shown) == (bool(lost), bool(lost))
    assert (f"<- {', '.join(lost)} (frame)" in shown) == bool(lost)
    said = f"{len(lost)} frames vanish from TF: {', '.join(lost)} (--keep-frames keeps them)"
    assert (said in end.partition("Next (lines of the input):")[2], "from TF" in end) == (
        bool(lost),
        bool(lost),
    )
    assert record_of(result, "out.urdf")["frames_lost"] == lost
