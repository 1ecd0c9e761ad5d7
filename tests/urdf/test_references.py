"""What is outside links and joints and names them: what it keeps, and what is reported."""

import pytest

from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.plan.kept_links import find_needs, find_references


def text_of(inside):
    """Write a robot of three links: `b` is fixed to `a` by `ab`, `c` turns about -Z on `bc`; and what stands beside."""
    return (
        '<robot name="r">\n<link name="a"><visual><geometry><sphere radius="1"/></geometry></visual></link>'
        '<link name="b"/><link name="c"/>\n'
        '<joint name="ab" type="fixed"><parent link="a"/><child link="b"/><origin xyz="1 0 0"/></joint>\n'
        '<joint name="bc" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 -1"/></joint>\n'
        f"{inside}\n</robot>\n"
    )


def read(inside):
    """Read such a robot."""
    return read_robot(parse_document(text_of(inside).encode("utf-8"), "robot.urdf"))


def run(inside, merge_all=False):
    """Simplify such a robot."""
    return simplify_bytes(
        text_of(inside).encode("utf-8"),
        "robot.urdf",
        Options(base_frame="ros", merge_all=merge_all),
    )


@pytest.mark.parametrize(
    ("inside", "found"),
    (
        ("", []),
        ('<gazebo reference="b"/>', [("gazebo", "reference", "b")]),
        ('<gazebo reference="nobody"/>', []),
        ("<gazebo><plugin><bodyName> b </bodyName></plugin></gazebo>", [("bodyName", "", "b")]),
        ('<transmission name="t"><joint name="bc"/></transmission>', [("joint", "name", "bc")]),
        ('<transmission name="bc"><joint name="bc"/></transmission>', [("joint", "name", "bc")]),
        ('<material name="b"/>', []),
        ("<x><!-- b --></x>", []),
        ("<x>not b</x>", []),
        (
            '<loop><link1 link="a"/><link2 link="b"/></loop>',
            [("link1", "link", "a"), ("link2", "link", "b")],
        ),
    ),
)
def test_names_are_found_in_attributes_and_texts(inside, found):
    references = tuple(find_references(read(inside)))
    assert [(r.element.name, r.attribute, r.name) for r in references] == found
    assert all(reference.name in reference.place for reference in references)


def test_a_mark_on_the_joint_itself_keeps_its_link():
    text = text_of("").replace(
        '<joint name="ab" type="fixed">', '<joint name="ab" type="fixed" dont_collapse="true">'
    )
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert result.plan.members["b"].reason == "dont_collapse is set in line 3"
    assert b'dont_collapse="true"' in result.data


KEEPING = (
    '<gazebo reference="b"><sensor name="s" type="imu"/></gazebo>',
    '<gazebo reference="ab"><provideFeedback>true</provideFeedback></gazebo>',
    '<gazebo reference="ab"><preserveFixedJoint>1</preserveFixedJoint></gazebo>',
    '<gazebo reference="ab"><preserveFixedJoint value="yes"/></gazebo>',
    '<sensor name="s"><parent link="b"/></sensor>',
    '<gazebo reference="ab"><disableFixedJointLumping> TRUE </disableFixedJointLumping></gazebo>',
    '<ros2_control name="x" type="sensor"><sensor name="b"/></ros2_control>',
    '<ros2_control name="x" type="system"><sensor name="s"><param name="frame_id">b</param></sensor></ros2_control>',
    '<loop_joint name="l"><link1 link="b"/></loop_joint>',
    '<drake:linear_bushing_rpy><drake:bushing_frameA name="b"/></drake:linear_bushing_rpy>',
    '<constraint><link name="b"/></constraint>',
)


@pytest.mark.parametrize("inside", KEEPING)
def test_what_keeps_a_fixed_link(inside):
    result = run(inside)
    assert result.plan.members["b"].kind == "kept" and "line 5" in result.plan.members["b"].reason
    assert run(inside, merge_all=True).plan.members["b"].kind == "fixed"


@pytest.mark.parametrize(
    "inside",
    (
        "",
        '<gazebo reference="b"><mu1>0.5</mu1></gazebo>',
        '<gazebo reference="ab"><preserveFixedJoint>false</preserveFixedJoint></gazebo>',
        '<gazebo reference="a"><sensor name="s" type="imu"/></gazebo>',
        '<transmission name="t"><joint name="bc"/></transmission>',
    ),
)
def test_what_does_not_keep_it(inside):
    assert run(inside).plan.members["b"].kind == "fixed"
    robot = read(inside)
    assert "b" not in find_needs(robot, tuple(find_references(robot)))


@pytest.mark.parametrize(
    ("name", "kept"),
    (
        ("closing_knee_1", True),
        ("closing_knee_2", True),
        ("closing_knee_3", False),
        ("disclosing_1", False),
    ),
)
def test_frames_that_close_a_loop_stay(name, kept):
    text = text_of("").replace('"b"', f'"{name}"')
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert (result.plan.members[name].kind == "kept") == kept


@pytest.mark.parametrize(
    "inside",
    (
        '<gazebo reference="b"><mu1>0.5</mu1></gazebo>',
        '<gazebo reference="b"><unheardOf>0.5</unheardOf></gazebo>',
        '<gazebo reference="ab"><stopErp>0.5</stopErp></gazebo>',
        "<unheard_of><of>b</of></unheard_of>",
        '<unheard_of of="ab"/>',
        '<gazebo><plugin filename="x"><frameName>b</frameName></plugin></gazebo>',
        '<transmission name="t"><joint name="ab"/></transmission>',
    ),
)
def test_a_name_that_is_gone_is_followed_or_named_with_its_line(inside):
    result = run(inside)
    assert "b" not in result.after.links
    left = [
        name for name in ("b", "ab") if f'"{name}"' in result.text or f">{name}<" in result.text
    ]
    assert not left or [notice for notice in result.plan.warnings if notice.line == 5], result.text


def test_a_number_that_depends_on_the_sign_is_followed_or_named():
    result = run('<gazebo reference="bc"><springReference>0.5</springReference></gazebo>')
    assert ">-0.5<" in result.text or any(notice.line == 5 for notice in result.plan.warnings)


def test_what_stays_right_is_not_mentioned():
    inside = (
        '<gazebo reference="bc"><provideFeedback>true</provideFeedback></gazebo>'
        '<gazebo reference="a"><mu1>1</mu1></gazebo>'
    )
    assert not [notice for notice in run(inside).plan.warnings if "gazebo" in notice.text]


@pytest.mark.parametrize("mark", (":", ": ", "="))
def test_a_value_that_is_glued_to_the_name_of_a_flipped_joint_is_warned_of(mark):
    text = (
        '<robot name="r"><link name="a"/><link name="b"/><joint name="knee" type="revolute">'
        '<parent link="a"/><child link="b"/><axis xyz="0 -1 0"/>'
        '<limit lower="0" upper="1" effort="1" velocity="1"/></joint>'
        f'<gazebo><plugin name="p" filename="p.so"><gains>knee{mark}0.4</gains></plugin></gazebo>'
        "</robot>"
    )
    result = simplify_bytes(text.encode(), "r.urdf", Options())
    warnings = [(warning.sentence, warning.names) for warning in result.plan.warnings]
    assert ("inline", ("<gains>", "knee")) in [(name, names[:2]) for name, names in warnings]
