"""Elements that nobody reads, such as those of HPP, the free flyer of pinocchio, names in warnings, and comments in an SRDF."""

import re

import pytest
from srdf.test_srdf import warnings_of

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.srdf import srdf_editor as editor, follow_urdf as srdf_follow
from urdf_tools.srdf.verify_srdf import srdf_companion

MASS = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def robot(tip="tip", rpy="1.5707963267948966 0 0"):
    """Return a robot whose `arm` turns by a quarter about X, with a tip fixed 0.5 m in front of it."""
    return (
        f'<robot name="r"><link name="base_link">{MASS}</link><link name="arm">{MASS}</link>'
        f'<link name="{tip}">{MASS}</link><joint name="knee" type="revolute"><parent link="base_link"/>'
        f'<child link="arm"/><origin xyz="0 0 1" rpy="{rpy}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint><joint name="weld" type="fixed">'
        f'<parent link="arm"/><child link="{tip}"/><origin xyz="0.5 0 0"/></joint></robot>'
    ).encode()


def follow(text, urdf, base_frame="ros"):
    source = f'<robot name="r">\n{text}\n</robot>\n'.encode()
    return simplify_bytes(
        urdf,
        "robot.urdf",
        Options(base_frame=base_frame, merge_all=True),
        companions=[srdf_companion(source, "robot.srdf")],
    )


def inside(result):
    """Return the lines of the resulting SRDF between the tags of its root."""
    assert result.srdf is not None
    return [
        line
        for line in result.srdf.after.text().splitlines()
        if not re.match(r"</?robot|<!-- urdf_simplify", line)
    ]


@pytest.mark.parametrize(
    ("text", "warned"),
    (
        (
            '<gripper name="g"><position xyz="0.1 0 0"/><link name="arm"/></gripper>',
            "<link name='arm'> names a link whose frame turns, and its numbers may be in that frame; left as it is",
        ),
        (
            '<handle name="h"><local_position>0.1 0 0.3 2 0 0 0</local_position><link name="tip"/></handle>',
            "<link name='tip'> names a link that is merged into 'arm', which has another frame, and has numbers; left "
            "as it is",
        ),
        ('<handle name="h"><position xyz="0 0 1"/><link name="base_link"/></handle>', ""),
        (
            '<grasp link="arm"><point>0 0 1</point></grasp>',
            "<grasp link='arm'> names a link whose frame turns, and its numbers may be in that frame; left as it is",
        ),
        ('<grasp link="arm" kind="soft"/>', ""),
        ('<grasp link="base_link" at="1 2 3"/>', ""),
    ),
)
def test_what_nobody_reads_stays_and_is_warned_of(text, warned):
    result = follow(text, robot())
    assert warnings_of(result) == ([warned] if warned else []) and inside(result) == [text]


@pytest.mark.parametrize(
    ("acts", "said"),
    (
        ({"drop": "tip"}, "names a link or joint that is dropped"),
        ({"rename": "tip=hand"}, "tip"),
    ),
)
def test_an_edit_leaves_the_gripper_of_a_link_and_names_it(tmp_path, acts, said):
    text = '<robot name="r"><gripper name="g"><link name="tip"/></gripper></robot>'
    (tmp_path / "r.urdf").write_bytes(robot())
    (tmp_path / "r.srdf").write_text(text)
    result = edit(tmp_path / "r.urdf", tmp_path / "o.urdf", srdf=tmp_path / "r.srdf", **acts)
    (srdf,) = result.companions
    assert b'<gripper name="g"><link name="tip"/></gripper>' in srdf.data
    assert any(said in notice.text for notice in srdf.updates.warnings)


STATE = '<group_state name="half" group="all"><joint name="root_joint" value="{}"/></group_state>'


@pytest.mark.parametrize(
    ("value", "frame", "warned"),
    (
        (
            "0 0 0.5 0 0 0.70710678118 0.70710678118",
            "onshape",
            ": for the same place write 0 0 0.5 0 0 1 0",
        ),
        ("0 0 0.5", "onshape", ""),
        ("0 0 0.5 0 0 0 1", "ros", None),
    ),
)
def test_the_free_flyer_of_a_base_that_turns(value, frame, warned):
    said = "state 'half': 'root_joint' sets the pose of the base in the world, and the base turns; left as it is"
    result = follow(STATE.format(value), robot(rpy="0 0 0"), base_frame=frame)
    assert warnings_of(result) == ([] if warned is None else [said + warned])
    assert inside(result) == [STATE.format(value)]


def test_a_name_with_an_apostrophe_is_known_to_be_warned_of():
    group = """<group name="g"><chain base_link="base_link" tip_link="l'x"/></group>"""
    result = follow(group, robot("l'x"))
    assert result.srdf is not None and (result.srdf.proof.frames, result.srdf.proof.moved) == (1, 1)
    assert [notice.names[0] for notice in result.srdf.updates.warnings] == ["l'x"]


SPHERES = (
    '<link_sphere_approximation link="arm"><!-- one --><sphere center="0 0 0" radius="1"/>'
    '</link_sphere_approximation>\n<link_sphere_approximation link="tip">\n<!-- two -->\n'
    '<sphere center="0 0 0" radius="2"/>\n<!-- three -->\n</link_sphere_approximation>'
)


def test_comments_stay_where_spheres_are_gathered():
    text = "\n".join(inside(follow(SPHERES, robot())))
    assert re.findall("<!-- (.*?) -->|radius=.(.)", text) == [
        ("one", ""),
        ("", "1"),
        ("two", ""),
        ("", "2"),
        ("three", ""),
    ]


@pytest.mark.parametrize(
    ("module", "name", "wrong", "text", "match"),
    (
        (
            srdf_follow,
            "_warn_of_frames",
            lambda editor, frames: None,
            '<group name="g"><chain base_link="base_link" tip_link="arm"/></group>',
            "<chain> of line 2: .* turn of frames",
        ),
    ),
)
def test_the_proof_sees_it(monkeypatch, module, name, wrong, text, match):
    monkeypatch.setattr(module, name, wrong)
    with pytest.raises(ProofFailed, match=match):
        follow(text, robot())


def test_the_proof_counts_comments(monkeypatch):
    attach = editor.attach
    monkeypatch.setattr(editor, "attach", lambda parent, nodes: attach(parent, nodes[-1:]))
    with pytest.raises(ProofFailed, match="the comments are not those of the input"):
        follow(SPHERES, robot())
