"""COLLADA meshes of a robot: what its URDF and its mesh folder hold afterwards, and where."""

import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import golden
import pytest
from conftest import SINGLE_FILE
from mesh_robots import AS_IT_IS, box_of, listing, painted, PAINTED, run, shapes_of, SPLIT, write


def test_visuals_of_the_painted_arm(command, folder):
    assert run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf").returncode == 0
    rows = [
        (link, name, xyz, file.replace("out_meshes/", ""), scale, paint, rgba)
        for link, name, xyz, file, scale, paint, rgba in shapes_of(folder / "out.urdf")
        if file
    ]
    gray, orange, dark = "0.5 0.5 0.5 1", "1 0.45 0 1", "0.125 0.125 0.125 1"
    assert rows == [
        ("base", "body", "0 0 0.01", "base_Grey.stl", "", "base_Grey_mat", gray),
        (
            "base",
            "body_2",
            "0 0 0.01",
            "base_Paint.stl",
            "",
            "base_Paint_mat_2",
            orange,
        ),  # the plate has that name
        ("base", "body_3", "0 0 0.01", "base_Paint_2.stl", "", "base_Paint_mat_3", dark),
        (
            "upper_arm",
            "tube_Orange",
            "0 0 0",
            "tube_Orange.stl",
            "1 1 1",
            "upper_arm_Orange_mat",
            orange,
        ),
        ("upper_arm", "tube_Dark", "0 0 0", "tube_Dark.stl", "1 1 1", "upper_arm_Dark_mat", dark),
        ("upper_arm", "lid", "0 0 0.2", "cover.stl", "", "safety_blue", "0 0.25 1 1"),
        (
            "forearm",
            "tube_Orange_2",
            "0 0 0",
            "tube_Orange.stl",
            "1 1 -0.75",
            "forearm_Orange_mat",
            orange,
        ),
        ("forearm", "tube_Dark_2", "0 0 0", "tube_Dark.stl", "1 1 -0.75", "forearm_Dark_mat", dark),
        (
            "forearm",
            "Cover_2",
            "0.02 0 -0.05",
            "Cover_2.stl",
            "",
            "forearm_window_mat",
            "0.5 0.75 1 0.25",
        ),
        (
            "forearm",
            "cover",
            "-0.02 0 -0.05",
            "cover.stl",
            "",
            "forearm_part1_mat",
            "0.6 0.6 0.6 1",
        ),
        (
            "forearm",
            "sign_Grey",
            "0 0.02 -0.05",
            "sign_Grey.stl",
            "0.01 0.01 0.01",
            "forearm_Grey_mat",
            gray,
        ),
        (
            "forearm",
            "sign_Orange",
            "0 0.02 -0.05",
            "sign_Orange.stl",
            "0.01 0.01 0.01",
            "forearm_Orange_mat",
            orange,
        ),
        ("gripper", "gripper_Dark", "", "gripper_Dark.stl", "", "gripper_Dark_mat", dark),
        (
            "gripper",
            "gripper_Logo",
            "",
            "gripper_Logo.stl",
            "",
            "gripper_Logo_mat",
            "0.8 0.8 0.8 1",
        ),
    ]
    assert [
        (link, name, file)
        for link, name, _, file, *_ in shapes_of(folder / "out.urdf", "collision")
    ] == [
        ("base", "", "out_meshes/base.stl"),
        ("upper_arm", "hull", "out_meshes/tube.stl"),
        ("gripper", "", "out_meshes/gripper.stl"),
    ]
    assert [row[5:] for row in shapes_of(folder / "out.urdf") if not row[3]] == [
        ("base_Paint_mat", "0 1 0 1"),
        ("maker", ""),
    ], "the sphere has the color of the maker,"
    (maker,) = ElementTree.parse(folder / "out.urdf").findall("material[@name='maker']/color")
    assert maker.get("rgba") == "0.25 0.25 0.25 1", "which the robot defines from now on"


def test_files_of_the_painted_arm(tool, folder):
    tool.simplify("robot.urdf", "out.urdf", split="color")
    boxes = {
        "base_Grey": (24, (-0.1, -0.1, 0), (0.1, 0.1, 0.1)),
        "base_Paint": (12, (-0.05, -0.05, 0.05), (0.05, 0.05, 0.08)),
        "base_Paint_2": (12, (0.1, -0.01, 0), (0.12, 0.01, 0.02)),
        "base": (48, (-0.1, -0.1, 0), (0.12, 0.1, 0.1)),
        "tube_Orange": (12, (-0.02, -0.02, 0), (0.02, 0.02, 0.2)),
        "tube_Dark": (12, (-0.025, -0.025, 0.19), (0.025, 0.025, 0.2)),
        "tube": (24, (-0.025, -0.025, 0), (0.025, 0.025, 0.2)),
        "cover": (12, (-0.03, -0.03, 0), (0.03, 0.03, 0.01)),
        "Cover_2": (12, (-0.01, -0.01, 0), (0.01, 0.01, 0.01)),
        "sign_Grey": (12, (0, 0, 0), (10, 1, 1)),
        "sign_Orange": (4, (0, 2, 0), (10, 2, 5)),
        "gripper_Dark": (12, (0, -0.02, 0), (0.04, 0.02, 0.04)),
        "gripper_Logo": (12, (0.04, -0.01, 0), (0.05, 0.01, 0.04)),
        "gripper": (24, (0, -0.02, 0), (0.05, 0.02, 0.04)),
    }
    assert {path.name for path in (folder / "out_meshes").iterdir()} == {
        f"{name}.stl" for name in boxes
    }
    for name, (triangles, low, high) in boxes.items():
        path = folder / "out_meshes" / f"{name}.stl"
        assert tool.stl_count(str(path)) == triangles
        assert box_of(tool, path) == [tuple(map(float, low)), tuple(map(float, high))], name


def test_every_file_is_converted_once(tool, folder):
    result = tool.simplify("robot.urdf", split="color")
    targets = [file.target for file in result.plan.meshes.files]
    assert len(targets) == len(set(targets)) == 14
    assert sum(len(split.parts) for split in result.plan.meshes.converted) == 17


@pytest.mark.parametrize(
    "case",
    [case for case in golden.cases() if case.folder == PAINTED and case.variant],
    ids=lambda case: str(case.variant),
)
def test_what_holds_for_every_result(case):
    visuals = shapes_of(case.expected)
    split = [row for row in visuals if row[3].endswith(".stl")]
    names = [row[1] for row in split]
    assert len(names) == len(set(names)) and all(names)
    assert all(row[5] and len(row[6].split()) == 4 for row in split)
    meanings = {}
    for element in ElementTree.parse(str(case.expected)).getroot().iter("material"):
        color = element.find("color")
        if color is not None:
            rgba = list(map(float, color.get("rgba", "").split()))
            assert meanings.setdefault(element.get("name", ""), rgba) == rgba
    stems = {row[3] for row in visuals + shapes_of(case.expected, "collision") if row[3]}
    assert len({stem.rpartition("/")[2].casefold() for stem in stems}) == len(stems)
    left = [row[3] for row in visuals if row[3].endswith(".dae")]
    assert left == (["meshes/gripper.dae"] if case.variant == "keep_textured" else [])


def test_combined(command, folder):
    assert (
        run(
            command, "robot.urdf", *AS_IT_IS, "--combine-dae-meshes", "-y", "-o", "out.urdf"
        ).returncode
        == 0
    )
    assert sorted(path.stem for path in (folder / "out_meshes").iterdir()) == [
        "Cover_2",
        "base",
        "cover",
        "gripper",
        "sign",
        "tube",
    ]
    rows = [row for row in shapes_of(folder / "out.urdf") if row[3]]
    assert [(row[0], row[3].rpartition("/")[2], row[6]) for row in rows][:3] == [
        ("base", "base.stl", "0 0.25 1 1"),
        ("upper_arm", "tube.stl", "0.6 0.6 0.6 1"),
        ("upper_arm", "cover.stl", "0 0.25 1 1"),
    ]


def test_without_a_flag_meshes_stay(command, folder):
    done = run(command, "robot.urdf", *AS_IT_IS, "-y", "-o", "out.urdf")
    assert b"11 COLLADA meshes left as they are: MuJoCo cannot read them" in b" ".join(
        done.stdout.split()
    )
    assert (folder / "out.urdf").read_bytes() == (folder / "robot.urdf").read_bytes()
    assert not (folder / "out_meshes").exists()


def test_standard_streams(command, folder):
    source = (folder / "robot.urdf").read_bytes()
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "-")
    assert done.returncode == 2 and done.stderr == (
        b"error: robot.urdf: with --output - give --mesh-dir: the meshes need a place\n"
    )
    assert (
        run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf", "--mesh-dir", "stl").returncode
        == 0
    )
    wanted, files = (folder / "out.urdf").read_bytes(), listing(folder / "stl")
    shutil.rmtree("stl")
    for arguments in (["robot.urdf", "-o", "-"], ["-", "-o", "-"], ["-", "-o", "new.urdf"]):
        done = run(command, *arguments, *SPLIT, "-y", "--mesh-dir", "stl", answer=source)
        assert done.returncode == 0
        assert (
            done.stdout if arguments[-1] == "-" else (folder / "new.urdf").read_bytes()
        ) == wanted
        assert listing(folder / "stl") == files
        shutil.rmtree("stl")
    for only_show in ("--dry-run", "--check", "--diff"):
        assert run(command, "-", *SPLIT, only_show, answer=source).returncode == (
            only_show == "--check"
        )
    reading, writing = os.pipe()
    os.close(reading)
    broken = subprocess.run(
        [*command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "-", "--mesh-dir", "stl"],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=60,
    )
    os.close(writing)
    assert broken.returncode == 2 and not (folder / "stl").exists()


def test_a_glob_that_ends_like_a_mesh_is_no_file(command, folder):
    done = run(command, "robot.urdf", "--keep-mesh", "cover.dae", "-n")
    wanted = b"error: robot.urdf: --keep-mesh cover.dae matches no mesh (did you mean 'cover'?)\n"
    assert (done.returncode, done.stderr) == (2, wanted)
    done = run(command, "robot.urdf", "--keep-mesh", "cover", "--strip", "*sig?", "-n")
    assert done.returncode == 0 and b"robot.urdf 'painted_arm'" in done.stdout


def test_library_call(tool, folder):
    result = tool.simplify("robot.urdf", split="color", package={"arm": str(folder)})
    assert [split.link for split in result.plan.meshes.converted][:3] == [
        "base",
        "base",
        "upper_arm",
    ]
    assert sorted(listing(folder)) == sorted(
        listing(PAINTED / "meshes" / "..")
        and [name for name in listing(folder) if name == "robot.urdf" or name.startswith("meshes")]
    )
    tool.simplify(
        "robot.urdf",
        "out.urdf",
        split="material",
        mesh_dir=folder / "stl",
        scale=1.0,
        missing_unit="millimeter",
        up_axis="y",
        require_meshes=True,
        append_mesh_type=True,
        package=["a=meshes"],
    )
    assert "sign_Grey_visual.stl" in listing(folder / "stl") and "base_Bolt_visual.stl" in listing(
        folder / "stl"
    )
    tool.simplify("robot.urdf", "combined.urdf", mesh_format="stl")
    assert "gripper.stl" in listing(folder / "combined_meshes")
    before = listing(folder)
    for choices in (
        {"missing_unit": "inch"},
        {"split": "part"},
        {"up_axis": "w"},
        {"scale": 0.0},
        {"package": ["x=nowhere"]},
        {"mesh_format": "dae"},
    ):
        with pytest.raises(tool.UsageError):
            tool.simplify("robot.urdf", "new.urdf", **{"split": "color", **choices})
    with pytest.raises(TypeError, match="unknown option 'separate'.*; there are .*split"):
        tool.simplify("robot.urdf", separate=True)
    assert listing(folder) == before


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


def test_alone_from_a_copied_file(tmp_path, monkeypatch):
    shutil.copy(str(SINGLE_FILE), str(tmp_path / "any_name.py"))
    write(tmp_path, {"model.DAE": painted("red", "blue")})
    monkeypatch.chdir(tmp_path)
    for arguments in (
        ["export", "model.DAE", "out/"],
        ["export", "-y", "model.DAE", "out/", "--separate-dae-meshes"],
    ):
        done = run([sys.executable, "any_name.py"], *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        assert sorted(listing(tmp_path / "out")) == ["model_blue.stl", "model_red.stl"]
    done = run([sys.executable, "any_name.py"], "model.DAE", "-o", "out/")
    assert (done.returncode, done.stderr) == (
        2,
        b"error: model.DAE: this is a mesh, not a robot: any_name.py export model.DAE converts it\n",
    )


def test_meshes_are_those_that_are_generated():
    done = subprocess.run(
        [sys.executable, str(PAINTED / "generate.py"), "--check"], capture_output=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (0, b"6 files: 0 differ\n")
