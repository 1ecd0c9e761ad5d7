"""The library calls of the package: each does what its command does, and takes by name what that takes by options."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from mesh_files import ascii_stl, png, TETRAHEDRON
from mesh_runs import textured_dae
from commands import files_in

from urdf_tools import main, record_text, simplify, UsageError, UrdfError
from urdf_tools.base.option_table import as_keyword
from urdf_tools.app import python_functions
from urdf_tools.app.package_options import TABLE
from urdf_tools.run.single_file_options import TERMINAL

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
SRDF = '<robot name="r"><group name="all"><link name="base"/></group></robot>'


@pytest.fixture()
def folder(here):
    meshes = here / "meshes"
    meshes.mkdir()
    (meshes / "tet.stl").write_text(ascii_stl(TETRAHEDRON))
    (meshes / "shown.dae").write_text(textured_dae())
    (meshes / "wood.png").write_bytes(png())
    shape = '<{0}><geometry><mesh filename="meshes/{1}"/></geometry></{0}>'
    (here / "robot.urdf").write_text(
        f'<robot name="r"><link name="base">{INERTIAL}{shape.format("visual", "shown.dae")}'
        f'{shape.format("collision", "tet.stl")}</link><link name="arm">{INERTIAL}{shape.format("collision", "tet.stl")}'
        '</link><link name="x_tip"/>'
        '<joint name="weld" type="fixed"><parent link="arm"/><child link="x_tip"/></joint>'
        '<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
        '<limit effort="5" velocity="1"/></joint>'
        "</robot>\n"
    )
    (here / "robot.srdf").write_text(SRDF)
    return here


CALLS = [
    (
        lambda: simplify("robot.urdf", "out.urdf", mesh_format="obj"),
        "robot.urdf -o out.urdf --mesh-format obj",
    ),
    (
        lambda: simplify("robot.urdf", Path("out.urdf"), for_="drake"),
        "robot.urdf -o out.urdf --for=drake",
    ),
    (
        lambda: simplify(
            "robot.urdf", "out.urdf", for_="mujoco", keep=["x*"], package={"p": "meshes"}
        ),
        "robot.urdf -o out.urdf --for mujoco --keep x* --package p=meshes",
    ),
    (
        lambda: simplify("robot.urdf", "out.urdf", mesh_format="glb", split="color"),
        "robot.urdf -o out.urdf --mesh-format glb --split color",
    ),
    (
        lambda: simplify(
            "robot.urdf", "out.urdf", mesh_format="stl", mesh_paths="relative", mesh_dir="parts"
        ),
        "robot.urdf -o out.urdf --combine-dae-meshes --mesh-paths relative --mesh-dir parts",
    ),
    (
        lambda: simplify(
            "robot.urdf", "out.urdf", page="robot.html", srdf="robot.srdf", adapter="adapter.py"
        ),
        "robot.urdf -o out.urdf --page robot.html --srdf robot.srdf --adapter adapter.py",
    ),
    (
        lambda: python_functions.edit("robot.urdf", "out.urdf", lock={"j": 0.5}, srdf="robot.srdf"),
        "edit robot.urdf -o out.urdf --lock j=0.5 --srdf robot.srdf",
    ),
    (
        lambda: python_functions.collision(
            "robot.urdf", "out.urdf", shape="box", page="robot.html"
        ),
        "collision robot.urdf -o out.urdf --shape box --page robot.html",
    ),
    (
        lambda: python_functions.export(
            "robot.urdf",
            Path("robot.xml"),
            "robot.sdf",
            "robot.json",
            split="color",
            base="fixed",
            actuators="position=5",
        ),
        "export robot.urdf robot.xml robot.sdf robot.json --split color --base fixed --actuators position=5",
    ),
    (
        lambda: python_functions.export(
            "robot.urdf", "rig.armature.json", "rig.blender.py", one_bone_per_joint=True
        ),
        "export robot.urdf rig.armature.json rig.blender.py --one-bone-per-joint",
    ),
    (
        lambda: python_functions.export(
            "robot.urdf", "out.urdf", "out.usda", for_="newton", usd_meshes="inline"
        ),
        "export robot.urdf out.urdf out.usda --for newton --usd-meshes inline",
    ),
]


@pytest.mark.parametrize("call, line", CALLS, ids=lambda value: value if type(value) is str else "")
def test_the_library_writes_what_the_command_line_writes(folder, call, line):
    words = line.split()
    before = set(files_in(folder))
    assert main([*words, "-y", "-q", "--report", "report.json"]) == 0
    expected = {name: (folder / name).read_bytes() for name in set(files_in(folder)) - before}
    for name in expected:
        (folder / name).unlink()
    result = call()
    srdf = "out.srdf" if "--srdf" in words else ""
    report = record_text(result, "out.urdf" if "out.urdf" in words else "", srdf)
    Path("report.json").write_text(report, "utf-8")
    written_now = {name: (folder / name).read_bytes() for name in set(files_in(folder)) - before}
    assert sorted(written_now) == sorted(expected)
    assert {name for name in expected if written_now[name] != expected[name]} == set()
    assert {Path(name).as_posix() for name, _ in result.exported.files} <= set(expected) and len(
        expected
    ) > 1
    assert "out.urdf" not in expected or result.data == expected["out.urdf"]
    options = json.loads(report)["options"]
    assert {
        name
        for name in ("mesh_format", "mesh_paths", "for", "page", "adapter", "base", "usd_meshes")
        if f"--{name.replace('_', '-')}" in words
    } <= options.keys()


def test_pairs_of_the_library_are_those_of_the_command(folder):
    assert main(["pairs", "robot.urdf", "-y", "-q"]) == 0
    meshes = ["meshes/shown.dae", "meshes/tet.stl", "meshes/wood.png"]
    assert files_in(folder) == sorted([*meshes, "robot.srdf", "robot.urdf", "robot_pairs.srdf"])
    by_command = Path("robot_pairs.srdf").read_bytes()
    Path("robot_pairs.srdf").unlink()
    python_functions.pairs("robot.urdf", "robot_pairs.srdf")
    assert Path("robot_pairs.srdf").read_bytes() == by_command


def test_without_an_output_only_the_further_files_are_written(folder):
    before = files_in(folder)
    result = simplify("robot.urdf", mesh_format="obj")
    assert files_in(folder) == before and result.plan.meshes.files and not result.exported.files
    result = python_functions.export("robot.urdf", "robot.json")
    assert sorted(files_in(folder)) == sorted([*before, "robot.json"])
    assert result.exported.lines == ("Model: robot.json is read again and is the same robot",)
    assert not result.changed


def test_what_an_export_warns_of_is_in_the_result(folder):
    result = python_functions.export("robot.urdf", "out.xml", mesh_format="stl")
    assert any("MJCF: out.xml is read again" in line for line in result.exported.lines)
    with pytest.raises(UrdfError, match="MuJoCo cannot read COLLADA.*: add split color$"):
        python_functions.export("robot.urdf", "other.xml", "other.json")  # whose meshes stay
    assert not (folder / "other.xml").exists()


@pytest.mark.parametrize(
    "choices, message",
    [
        ({"mesh_format": "fbx"}, "mesh_format fbx: give stl, obj"),
        ({"mesh_format": True}, "mesh_format True"),
        ({"for_": "blender"}, "for_ blender: give mujoco, drake"),
        ({"scale": 2.0}, "scale needs mesh_format, split, for_ or"),
        ({"page": ""}, "page ''"),
        ({"page": 5}, "page 5"),
        ({"adapter": "a.txt"}, "adapter a.txt: give a name that ends"),
        ({"page": "robot.urdf"}, "robot.urdf"),
        ({"page": "robot.urdf/out.html"}, "robot.urdf/out.html"),
        ({"page": "a.py", "adapter": "a.py"}, "a.py"),
        ({"merge": False, "merge_all": True}, "cannot be combined"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(folder, choices, message):
    before = files_in(folder)
    with pytest.raises(UsageError) as caught:
        simplify("robot.urdf", "out.urdf", **choices)
    assert message in str(caught.value) and files_in(folder) == before


@pytest.mark.parametrize(
    "targets, choices, message",
    [
        (
            ["out.txt"],
            {},
            "the ending of 'out.txt' is of no format; there are .xml|.mjcf (MJCF for MuJoCo), ",
        ),
        ([""], {}, "target ''"),
        ([5], {}, "target 5"),
        (["robot.urdf"], {}, "robot.urdf"),
        (["robot.urdf/out.xml"], {"mesh_format": "stl"}, "robot.urdf/out.xml"),
        (["a.sdf"], {"usd_meshes": "inline"}, "usd_meshes needs a target that ends in .usda"),
        (["a.xml"], {"actuators": 5}, "actuators 5: give none"),
        (
            ["a.sdf"],
            {"one_bone_per_joint": True},
            "one_bone_per_joint needs a target that ends in .armature.json",
        ),
        (
            ["a.xml"],
            {"mesh_format": "stl", "actuators": "position"},
            "actuators position needs a gain, such as actuators position=100",
        ),
    ],
)
def test_a_target_that_cannot_be_is_refused_before_anything_is_written(
    folder, targets, choices, message
):
    before = files_in(folder)
    with pytest.raises(UsageError) as caught:
        python_functions.export("robot.urdf", *targets, **choices)
    assert message in str(caught.value) and files_in(folder) == before


@pytest.mark.parametrize(
    "call",
    [
        simplify,
        python_functions.edit,
        python_functions.collision,
        python_functions.export,
        python_functions.pairs,
    ],
)
def test_every_option_of_a_command_is_a_keyword_of_its_call(folder, call):
    needed = {"edit": {"lock": "j"}, "collision": {"shape": "box"}}.get(call.__name__, {})
    with pytest.raises(TypeError) as caught:
        call("robot.urdf", **needed, **{"srdff": "obj"})
    known = str(caught.value).partition("; there are ")[2].split(", ")
    rows = [row for row in TABLE if call.__name__ in row.verbs.split() and row.name not in TERMINAL]
    assert known == [as_keyword(row.name) for row in rows]


def test_an_unknown_keyword_is_refused_with_the_one_that_was_meant():
    with pytest.raises(TypeError, match="unknown option 'mesh_formt' .did you mean 'mesh_format'"):
        simplify("robot.urdf", **{"mesh_formt": "obj"})
    with pytest.raises(TypeError, match="unknown option 'mjcf'"):
        simplify("robot.urdf", **{"mjcf": "robot.xml"})


def test_an_edit_that_names_nothing_is_refused():
    with pytest.raises(UsageError, match="^edit needs an edit to make, such as root or lock"):
        python_functions.edit("robot.urdf", "out.urdf")


@pytest.mark.parametrize(
    "choice, message",
    [
        ("mesh_format='obj'", "mesh_format obj: the package has more"),
        ("for_='drake'", "unknown option 'for_'"),
        ("page='robot.html'", "unknown option 'page'"),
        ("mesh_paths='relative'", "mesh_paths relative: the package has"),
        ("mesh_dir='parts'", "mesh_dir parts: the package has more"),
    ],
)
def test_the_single_file_says_that_the_package_has_it(folder, choice, message):
    code = (
        f"import urdf_simplify\ntry:\n  urdf_simplify.simplify('robot.urdf', 'out.urdf', {choice})\n"
        "except (TypeError, urdf_simplify.UrdfError) as error:\n  print(error)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    ).stdout
    assert printed.startswith(message) and printed.endswith(
        "the package has more: from urdf_tools import simplify (pip install . in a clone, or its folder beside)\n"
    )
    assert not (folder / "out.urdf").exists()
