"""The stand-alone splitter: its files, names, messages and exit codes, and what it leaves behind when it fails."""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import converter_of, extracted, needs_posix
from commands import in_process
from hypothesis import given, strategies as st

from urdf_tools import extract_meshes_from_dae, UsageError
from urdf_tools.app.command_table import main
from urdf_tools.cli.parse_arguments import program_name
from urdf_tools.collada.conversion_records import rgba_text

ROOT = Path(__file__).resolve().parent.parent.parent
FIXTURES = ROOT / "fixtures" / "dae" / "valid"
COLORS = FIXTURES / "two_materials.dae"
PAGE = f"see {program_name()} export --help"
FOR_ROBOTS = f"is for a robot, and {COLORS} is a mesh"
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}


def run(*arguments):
    """Run `export` in this process and folder."""
    done = in_process(["export", *map(str, arguments)], main=main)
    errors = done.stderr.decode()
    assert done.returncode != 2 or errors.startswith("error: ")
    return done.returncode, done.stdout.decode(), errors[len("error: ") * (done.returncode == 2) :]


def tree(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_writes_one_file_for_each_color(here):
    code, out, err = run(COLORS, "a/b")
    assert (code, out.replace(os.sep, "/")) == (
        0,
        "a/b/two_materials_Red.stl: 1 triangles, 1 x 1 x 0 m, rgba 1 0 0 1\n"
        "a/b/two_materials_Green.stl: 1 triangles, 1 x 1 x 0 m, rgba 0 1 0 1\n",
    )
    assert err.replace(os.sep, "/") == "".join(
        f"warning: a/b/two_materials_{name}.stl: the part lies in one plane, which MuJoCo refuses\n"
        for name in ("Red", "Green")
    )
    assert set(tree(here)) == {"a/b/two_materials_Red.stl", "a/b/two_materials_Green.stl"}


@given(st.from_regex(r"0\.[0-9]{0,14}[1-9]", fullmatch=True))
def test_a_color_is_written_as_it_stands_in_the_file(written):
    channels = (float(written), 1.0, 0.0, 1 / 3)
    assert [float(text) for text in rgba_text(channels).split()][:3] == [*channels[:3]]
    assert rgba_text(channels).endswith(" 1 0 0.333333")


def test_a_color_of_seven_digits_is_shown_with_them(here):
    model = COLORS.read_text("utf-8").replace(
        "1.0 0.0 0.0 1.0</color>", "0.2784314 0 0.8000001 1</color>"
    )
    (here / "m.dae").write_text(model, encoding="utf-8")
    assert "rgba 0.2784314 0 0.8000001 1\n" in run("m.dae", "a")[1]


def test_same_bytes_again_and_from_the_api(tool, tmp_path):
    assert run(COLORS, tmp_path / "one", "-y")[0] == 0
    first = tree(tmp_path / "one")
    assert run(COLORS, tmp_path / "one")[0] == 0
    parts = extracted(tool, COLORS, tmp_path / "two")
    assert [part.file for part in parts] == [
        str(tmp_path / "two" / f"two_materials_{name}.stl") for name in ("Red", "Green")
    ]
    assert first == tree(tmp_path / "one") == tree(tmp_path / "two")
    digest = hashlib.sha256(COLORS.read_bytes()).hexdigest()[:32]
    assert {data[:80] for data in first.values()} == {
        f"binary STL written by urdf_simplify from {digest}".encode().ljust(80)
    }


def report_of(model, folder):
    """Return the report on a model that is split into a folder."""
    assert run(model, folder, "--report", folder / "report.json")[0] == 0
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))


def test_a_report(tmp_path):
    record = report_of(COLORS, tmp_path)
    assert record["model"] == str(COLORS) and len(record["parts"]) == 2
    red = record["parts"][0]
    assert red["file"] == str(tmp_path / "two_materials_Red.stl") and red["rgba"] == [1, 0, 0, 1]
    assert (red["geometry"], red["material"], red["triangles"], red["vertices"]) == (
        "g",
        "Red",
        1,
        3,
    )
    assert red["bounds"] == [[0, 0, 0], [1, 1, 0]] and red["notes"] == [
        "the part lies in one plane, which MuJoCo refuses"
    ]
    assert report_of(FIXTURES / "no_visual_scene.dae", tmp_path)["notes"] == [
        "the mesh has no visual scene: every geometry is drawn as it is"
    ]


def test_what_needs_no_decision_is_a_note(tmp_path):
    code, _, err = run(FIXTURES / "materials_of_equal_color.dae", tmp_path)
    file = tmp_path / "materials_of_equal_color.stl"
    assert code == 0 and err.splitlines() == [
        f"note: {file}: materials Red, Rosso all have the color 1 0 0 1",
        f"warning: {file}: the part lies in one plane, which MuJoCo refuses",
    ]


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (["--combine"], ["two_materials.stl"]),
        (["--mesh-format", "stl"], ["two_materials.stl"]),
        (["--split", "material"], ["two_materials_Green.stl", "two_materials_Red.stl"]),
        (["--combine", "--scale", "0.5"], ["two_materials.stl"]),
        (
            ["--missing-unit", "millimeter", "--up-axis", "y"],
            ["two_materials_Green.stl", "two_materials_Red.stl"],
        ),
    ],
)
def test_options(tool, tmp_path, arguments, expected):
    assert run(COLORS, tmp_path, *arguments)[0] == 0
    assert sorted(tree(tmp_path)) == expected
    corners = [
        corner
        for name in expected
        for triangle in tool.stl_triangles(str(tmp_path / name))
        for corner in triangle[1:]
    ]
    assert max(corner[0] for corner in corners) == (0.5 if "--scale" in arguments else 1.0)
    assert max(corner[2] for corner in corners) == (1.0 if "--up-axis" in arguments else 0.0)


def test_large_parts_are_split(tool, tmp_path):
    parts = extracted(tool, COLORS, tmp_path, separate=False, max_faces=1)
    assert sorted(tree(tmp_path)) == ["two_materials_1.stl", "two_materials_2.stl"]
    assert [part.triangles for part in parts] == [1, 1]
    with pytest.raises(
        UsageError, match="^max_faces -1: give a number of triangles, or 0 for no limit$"
    ):
        extract_meshes_from_dae(COLORS, tmp_path, max_faces=-1)


def test_scale_has_two_names(tmp_path):
    one = extract_meshes_from_dae(COLORS, tmp_path / "one", scale=0.5)
    other = extract_meshes_from_dae(COLORS, tmp_path / "other", scale_factor=0.5)
    assert [part.bounds for part in one] == [part.bounds for part in other]
    with pytest.raises(UsageError, match="^scale and scale_factor are one number"):
        extract_meshes_from_dae(COLORS, tmp_path, scale=0.5, scale_factor=1.0)


@pytest.mark.parametrize("words", [["out", COLORS], [COLORS, "out"]])
def test_the_folder_follows_the_model(here, words):
    is_model_first = words[0] == COLORS
    assert (run(*words)[0] == 0) == is_model_first
    assert len(tree(here)) == 2 * is_model_first


def test_default_output_is_beside_the_model(here):
    (here / "my model.dae").write_bytes(COLORS.read_bytes())
    assert run("my model.dae")[0] == 0
    assert sorted(path.name for path in (here / "my model_meshes").iterdir()) == [
        "my_model_Green.stl",
        "my_model_Red.stl",
    ]


CURE = "cure: correct the mesh in the program that made it, and export it again\n"


@pytest.mark.parametrize(
    "name, message",
    [
        (
            "refused/index_too_large",
            "{}:3: <triangles> has an index beyond its 4 positions\n" + CURE,
        ),
        ("refused/truncated", "{}:2: is not well-formed XML (unclosed token, column 321)\n"),
        ("valid/lines_only", "{}: draws no triangles\n" + CURE),
        ("valid/missing", "{}: no such file (did you mean 'unit_missing.dae'?)\n"),
    ],
)
def test_refused_input_leaves_nothing(tmp_path, name, message):
    path = FIXTURES.parent / f"{name}.dae"
    assert run(path, tmp_path / "new" / "deep") == (2, "", message.format(path))
    assert list(tmp_path.iterdir()) == []


@needs_posix("a named pipe")
def test_folder_or_pipe_as_input(tmp_path):
    os.mkfifo(tmp_path / "pipe.dae")
    (tmp_path / "folder.dae").mkdir()
    for path in (tmp_path / "folder.dae", tmp_path / "pipe.dae"):
        assert run(path, tmp_path / "out")[::2] == (2, f"{path}: is not a file\n")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["--scale", "0"], "--scale 0: give a positive number, the meters per unit"),
        (["--scale", "nan"], "--scale nan: give a positive number, the meters per unit"),
        (["-n"], f"--dry-run {FOR_ROBOTS}"),
        (["--append-mesh-type"], f"--append-mesh-type {FOR_ROBOTS}"),
        (["--srdf=two.srdf"], f"--srdf {FOR_ROBOTS}"),
        (["--actuators", "motor"], f"--actuators {FOR_ROBOTS}"),
        (["--keep", "x"], "export: unknown option --keep; it belongs to simplify"),
        (["--comine"], "export: unknown option --comine (did you mean '--combine'?)"),
        (["--xyzzy"], f"export: unknown option --xyzzy; {PAGE}"),
    ],
)
def test_refused_options(tmp_path, arguments, message):
    assert run(COLORS, tmp_path / "out", *arguments) == (2, "", f"{message}\n")
    assert run(COLORS, "--up-axis", "w")[0] == 2
    assert list(tmp_path.iterdir()) == []


def test_a_model_goes_to_one_place(here):
    assert run(COLORS, "a.glb", "b.glb") == (
        2,
        "",
        f"{COLORS}: a mesh is exported to one file or folder, and 'b.glb' is one more\n",
    )
    assert list(here.iterdir()) == []


INTERRUPTED = """import os, sys
from urdf_tools.base.transaction import Transaction
from urdf_tools import extract_meshes_from_dae, UsageError
from urdf_tools.app.command_table import main

def interrupted(self, target, source):
    assert os.path.getsize(source)
    os.kill(os.getpid(), int(sys.argv[1]))

Transaction.add_file = interrupted
sys.exit(main(["export", *sys.argv[2:]]))
"""


@needs_posix("signals to a process")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_nothing_behind(tmp_path, number):
    """It comes when the parts lie in the holding folder, and none of them in its place."""
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, str(int(number)), str(COLORS), "out"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
    )
    assert done.returncode == {signal.SIGINT: 1, signal.SIGTERM: 143}[signal.Signals(number)]
    assert b"Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_planar_parts_can_be_merged(tool, tmp_path):
    path = tmp_path / "box.dae"
    text = COLORS.read_text().replace("</library_geometries>", "</library_geometries>")
    tall = text.replace('material="one"><input', 'material="one" ><input').replace(
        "<p>0 1 2</p>", "<p>0 1 2 0 1 4 1 2 4</p>"
    )
    path.write_text(
        tall.replace("0.0 1.0 0.0</float_array>", "0.0 1.0 0.0 0.5 0.5 1.0</float_array>")
    )
    kept = extracted(tool, path, tmp_path / "kept")
    assert [(part.material, part.triangles, part.planar) for part in kept] == [
        ("Red", 3, False),
        ("Green", 1, True),
    ]
    converter = converter_of(tool, planar="merge")
    (merged,) = tool.extract_conversion(str(path), str(tmp_path / "merged"), converter).parts
    assert (merged.material, merged.triangles, merged.vertices, merged.planar) == (
        "Red",
        4,
        7,
        False,
    )
    assert [path.name for path in (tmp_path / "merged").iterdir()] == ["box.stl"]
    flat = extracted(tool, COLORS, tmp_path / "flat", planar="merge")
    assert len(flat) == 2
