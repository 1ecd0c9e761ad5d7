"""A capsule is a cylinder with a ball at both ends: written so for readers that drop it, and compared as the same."""

import re
from unittest import mock

import pytest

from urdf_tools.app.command_table import main
from urdf_tools.apply import apply_plan_passes
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.export import replace_capsules as capsules
from urdf_tools.formats.urdf.read_urdf import read_urdf

CAPSULE = '<geometry><capsule radius="0.1" length="0.4"/></geometry>'
RED = '<material name="m"><color rgba="1 0 0 1"/></material>'
ROBOT = (
    '<robot name="r"{}><link name="a"><visual name="v"><origin xyz="1 2 3" rpy="0.3 -0.2 1"/>'
    f'{CAPSULE}{RED}</visual><collision>{CAPSULE}</collision><collision name="c">{CAPSULE}</collision></link></robot>'
)


def exported(folder, program="gazebo", version=""):
    (folder / "r.urdf").write_text(ROBOT.format(version), "utf-8")
    output = folder / "o.urdf"
    status = main(["export", str(folder / "r.urdf"), str(output), "--for", program, "-y", "-q"])
    return output.read_text("utf-8") if status == 0 else ""


def is_same(text):
    return compare(*(read_urdf(each.encode()) for each in (ROBOT.format(""), text))).is_same


@pytest.mark.parametrize("program", ("rviz", "gazebo", "pinocchio"))
def test_it_is_written_in_three_pieces_with_names_of_their_own(program, tmp_path):
    text = exported(tmp_path, program)
    assert "<capsule" not in text and is_same(text)
    assert [text.count(f"<{word}") for word in ("cylinder", "sphere", "material")] == [3, 6, 3]
    names = re.findall('name="([vc]_?.*?)"', text)
    assert len({*names}) == len(names) == 6


def test_readers_that_know_it_get_it(tmp_path):
    for program, version in (("mujoco", ""), ("drake", ""), ("rviz", ' version="1.1"')):
        assert exported(tmp_path, program, version).count("<capsule") == 3
        (tmp_path / "o.urdf").unlink()


@pytest.mark.parametrize(
    "old, new",
    [
        (r'(<collision>(?s:(?!/collision).)*xyz="0 0 )0.2', r"\g<1>0.21"),
        (r'sphere radius="0.1"', 'sphere radius="0.11"'),
        (r'cylinder radius="0.1"', 'cylinder radius="0.09"'),
        (r'length="0.4"', 'length="0.3"'),
        (r"(?s)(<sphere.*?)1 0 0 1", r"\g<1>0 0 1 1"),
        (r"(?s)<collision>(?:(?!</collision).)*<sphere.*?</collision>", ""),
    ],
)
def test_other_pieces_are_other_shapes(old, new, tmp_path):
    text = exported(tmp_path)
    assert re.search(old, text) and not is_same(re.sub(old, new, text, count=1))


def test_pieces_in_another_place_are_not_written(tmp_path, capsys):
    def beside(owner, new, old, noise):
        moved = new._replace(translation=(new.translation[0] + 1e-6, *new.translation[1:]))
        apply_plan_passes.write_pose(owner, moved, old, noise)

    with mock.patch.object(capsules, "write_pose", beside):
        assert not exported(tmp_path)
    assert "a capsule became another shape" in capsys.readouterr().err
    assert not (tmp_path / "o.urdf").exists()
