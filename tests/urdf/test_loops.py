"""Loops that are written as one joint too many: --repair cuts the right joint into two frames where it was."""

import pytest

from engine import simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

INERTIAL = (
    '<inertial><mass value="1"/><inertia ixx="0.02" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.02"/>'
    "</inertial>"
)


def run(text, *, repair=True):
    """Simplify with the base as it is."""
    return simplify_bytes(text.encode(), "robot.urdf", Options(base_frame="ros", lenient=repair))


def bars(rod, ground=""):
    """Return a four-bar linkage whose coupler hangs on both cranks by joints."""
    links = "".join(
        f'<link name="{name}">{INERTIAL}</link>\n' for name in ("base", "left", "right", "coupler")
    )
    rows = (
        ("a", "base", "left", "0 0 0"),
        ("b", "base", "right", "1 0 0"),
        ("c", "left", "coupler", "0 0 0.5"),
    )
    joints = "".join(
        f'<joint name="{name}" type="continuous"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="{xyz}"/><axis xyz="0 1 0"/></joint>\n'
        for name, parent, child, xyz in rows
    )
    return f'<robot name="bars">\n{links}{joints}{rod}\n{ground}</robot>\n'


ROD = (
    '<joint name="{}" type="{}"><parent link="right"/><child link="{}"/><origin xyz="-1 0 0.5"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/><dynamics damping="3"/></joint>'
)


def test_the_loop_is_closed_in_mjcf(tmp_path):
    path, output = f"{tmp_path}/bars.urdf", f"{tmp_path}/bars.xml"
    with open(path, "w", encoding="utf-8") as stream:
        stream.write(bars(ROD.format("d", "revolute", "coupler")))
    simplify(path, f"{tmp_path}/out.urdf", lenient=True, mjcf=output)
    with open(output, encoding="utf-8") as stream:
        text = stream.read()
    assert '<connect name="closing_d" site1="closing_d_1" site2="closing_d_2"/>' in text
    assert 'damping="3"' not in text and text.count("<joint ") == 3


@pytest.mark.parametrize(
    ("text", "names"),
    (
        (
            bars(ROD.format("d", "revolute", "coupler")).replace("coupler", "closing_d_2"),
            ["closing_d_"],
        ),
        (
            bars(ROD.format("d", "revolute", "coupler") + ROD.format("d", "revolute", "left")),
            ["closing_d", "closing_d_"],
        ),
        (bars(ROD.format("a", "revolute", "coupler")), ["closing_a"]),
        (
            bars(
                ROD.format("d", "revolute", "base"),
                '<joint name="e" type="fixed"><parent link="left"/><child link="base"/></joint>',
            ),
            None,
        ),
        (bars(ROD.format("d", "revolute", "base")), ["closing_d"]),
    ),
)
def test_names_are_distinct(text, names):
    if names is None:
        with pytest.raises(UrdfError):
            run(text)
        return
    result = run(text)
    made = {}
    for warning in result.plan.warnings:
        made.setdefault(warning.kind.name, []).append(warning.names[-1])
    assert sorted(made["loop-cut"]) == names and len(result.after.links) == 4 + 2 * len(names)


def test_a_joint_with_other_faults_is_still_refused():
    with pytest.raises(UrdfError, match="has no name"):
        run(bars(ROD.format("", "revolute", "coupler")))
