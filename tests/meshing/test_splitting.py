"""COLLADA meshes of a robot: what its URDF and its mesh folder hold afterwards, and where."""

import re
import subprocess
import sys

import pytest
from mesh_robots import AS_IT_IS, PAINTED, run


def test_every_file_is_converted_once(tool, folder):
    result = tool.simplify("robot.urdf", split="color")
    targets = [file.target for file in result.plan.meshes.files]
    assert len(targets) == len(set(targets)) == 14
    assert sum(len(split.parts) for split in result.plan.meshes.converted) == 17


def test_without_a_flag_meshes_stay(command, folder):
    done = run(command, "robot.urdf", *AS_IT_IS, "-y", "-o", "out.urdf")
    assert b"11 COLLADA meshes left as they are: MuJoCo cannot read them" in b" ".join(
        done.stdout.split()
    )
    assert (folder / "out.urdf").read_bytes() == (folder / "robot.urdf").read_bytes()
    assert not (folder / "out_meshes").exists()


def test_a_glob_that_ends_like_a_mesh_is_no_file(command, folder):
    done = run(command, "robot.urdf", "--keep-mesh", "cover.dae", "-n")
    wanted = b"error: robot.urdf: --keep-mesh cover.dae matches no mesh (did you mean 'cover'?)\n"
    assert (done.returncode, done.stderr) == (2, wanted)
    done = run(command, "robot.urdf", "--keep-mesh", "cover", "--strip", "*sig?", "-n")
    assert done.returncode == 0 and b"robot.urdf 'painted_arm'" in done.stdout


def test_every_option_of_the_command_line_is_one_of_the_library(tool):
    """But for what --split, --mesh-format and --mesh-paths say, and what only the package has."""
    arguments = tool.parse("simplify", tool.OPTION_ROWS, ["robot.urdf"])
    assert tool.options_from(vars(arguments)) == tool.Options()
    of_others = {
        "separate_dae_meshes",
        "combine_dae_meshes",
        "merge_equal_colors",
        "planar",
        "max_faces",
        "mesh_prefix",
        "visual_error",
    }
    rows = {row.name for row in tool.OPTION_ROWS}
    assert {*tool.MeshOptions._fields, *tool.Options._fields} - rows == {"meshes", *of_others}


def test_meshes_are_those_that_are_generated():
    done = subprocess.run(
        [sys.executable, str(PAINTED / "generate.py"), "--check"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout.rstrip()) == (0, b"6 files: 0 differ")


@pytest.mark.parametrize(
    ("option", "factor", "is_said"),
    ((None, 1.0, False), (1.0, 1.0, True), (1.0, 0.001, False), (None, 1000.0, True)),
)
def test_a_mesh_is_as_large_as_its_shape_scales_it(tool, folder, option, factor, is_said):
    text = (folder / "robot.urdf").read_text("utf-8")
    text = re.sub(r'(<mesh filename="[^"]*")/>', r'\1 scale="1 1 1"/>', text)

    def scaled(match):
        return f'scale="{" ".join(str(factor * float(word)) for word in match[1].split())}"'

    text = re.sub(r'scale="([^"]*)"', scaled, text)
    (folder / "robot.urdf").write_text(text, "utf-8")
    plan = tool.simplify("robot.urdf", split="color", scale=option).plan
    sizes = [notice for notice in plan.warnings if notice.kind.name == "mesh-size"]
    assert any(notice.sentence == "large" for notice in sizes) == is_said
