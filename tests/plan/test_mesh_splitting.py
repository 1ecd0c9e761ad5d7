"""COLLADA meshes of a robot: what its URDF and its mesh folder hold afterwards, and that they change as one."""

import io
import itertools
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Callable, Dict, List, Sequence, Tuple

import commands
import golden
import pytest
from conftest import SINGLE_FILE, load_by_path
from dae_writer import (
    diffuse,
    document,
    effect,
    inputs,
    instance,
    material,
    node,
    paragraph,
    primitive,
    simple_geometry,
)

from urdf_tools.apply import passes
from urdf_tools.base import process_pool
from urdf_tools.base.errors import ProofFailed, Unusable
from urdf_tools.base.process_pool import call_in_processes
from urdf_tools.cli import main as cli
from urdf_tools.cli import streams
from urdf_tools.collada import convert
from urdf_tools.plan.decisions import Plan
from urdf_tools.run.pipeline import simplify
from urdf_tools.urdf.lossless_xml import Document

PAINTED = golden.FIXTURES / "painted_arm"
AS_IT_IS = ["--no-merge", "--no-reorient", "--no-strip"]
SPLIT = [*AS_IT_IS, "--separate-dae-meshes"]
CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
SIDES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
FOUR = "0 0 0 1"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An own folder with the painted arm in it, as current folder."""
    shutil.copy(str(PAINTED / "robot.urdf"), str(tmp_path))
    shutil.copytree(str(PAINTED / "meshes"), str(tmp_path / "meshes"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def listing(folder: Path) -> Dict[str, bytes]:
    """Return every file under a folder with its content, and every folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() if path.is_file() else b"" for path in folder.rglob("*")
    }


def run(
    command: Sequence[str], *arguments: str, answer: bytes = b"", **environment: str
) -> "subprocess.CompletedProcess[bytes]":
    """Run the tool in the current folder; no run may end in a traceback, or leave anything temporary."""
    done = commands.run(command, *arguments, answer=answer, **environment)
    assert not list(Path(".").rglob("*.tmp"))
    return done


def solids(*paints: Tuple[str, str]) -> str:
    """Return a COLLADA file with a tetrahedron of edge 1 for each (material name, shader); number k stands at 2k."""
    geometries = nodes = effects = materials = ""
    for k, (name, shader) in enumerate(paints):
        points = [(x + 2.0 * k, y, z) for x, y, z in CORNERS]
        geometries += simple_geometry(
            f"g{k}",
            points,
            primitive("triangles", f"g{k}-p", paragraph(SIDES), 4, "slot" if shader else "", inputs(f"g{k}-p")),
        )
        nodes += node(instance(f"g{k}", {"slot": f"m{k}"} if shader else {}))
        if shader:
            effects += effect(f"m{k}-effect", shader)
            materials += material(f"m{k}", label=name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;"))
    return document(geometries, nodes, effects, materials)


def painted(*names: str) -> str:
    """Return a file of solids, each with a color of its own."""
    return solids(*((name, diffuse((k / 8, 0.5, 1.0, 1.0))) for k, name in enumerate(names)))


def urdf(*links: str, more: str = "") -> str:
    """Return a robot whose links have these contents and hang on the first one."""
    text = "".join(f'  <link name="link{k}">\n{content}  </link>\n' for k, content in enumerate(links))
    text += "".join(
        f'  <joint name="joint{k}" type="fixed">\n    <parent link="link0"/>\n    <child link="link{k}"/>\n  </joint>\n'
        for k in range(1, len(links))
    )
    return f'<robot name="r">\n{more}{text}</robot>\n'


def draws(mesh: str, inner: str = "", kind: str = "visual", name: str = "") -> str:
    """Return a visual or collision of a mesh."""
    named = f' name="{name}"' if name else ""
    return (
        f'    <{kind}{named}>\n      <geometry>\n        <mesh filename="{mesh}"/>\n      </geometry>\n{inner}'
        f"    </{kind}>\n"
    )


def write(folder: Path, files: Dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def shapes_of(path: Path, kind: str = "visual") -> List[Tuple[str, str, str, str, str, str, str]]:
    """Return (link, name, origin, file, scale, material, rgba) of every shape of a kind in the order of the file."""
    rows = []
    for link in ElementTree.parse(str(path)).getroot().iter("link"):
        for shape in link.iter(kind):
            mesh, origin = shape.find("geometry/mesh"), shape.find("origin")
            paint, color = shape.find("material"), shape.find("material/color")
            rows.append(
                (
                    str(link.get("name")),
                    shape.get("name", ""),
                    origin.get("xyz", "") if origin is not None else "",
                    mesh.get("filename", "") if mesh is not None else "",
                    mesh.get("scale", "") if mesh is not None else "",
                    paint.get("name", "") if paint is not None else "",
                    color.get("rgba", "") if color is not None else "",
                )
            )
    return rows


def box_of(tool: Any, path: Path) -> List[Tuple[float, ...]]:
    """Return the corners of the box around an STL file, rounded to a micrometre."""
    corners = [corner for triangle in tool.stl_triangles(str(path)) for corner in triangle[1:]]
    return [tuple(round(pick(corner[axis] for corner in corners), 6) for axis in range(3)) for pick in (min, max)]


# What is there afterwards.


def test_visuals_of_the_painted_arm(command: List[str], folder: Path) -> None:
    assert run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf").returncode == 0
    rows = [
        (link, name, xyz, file.replace("out_meshes/", ""), scale, paint, rgba)
        for link, name, xyz, file, scale, paint, rgba in shapes_of(folder / "out.urdf")
        if file
    ]
    gray, orange, dark = "0.5 0.5 0.5 1", "1 0.45 0 1", "0.125 0.125 0.125 1"
    assert rows == [
        ("base", "body", "0 0 0.01", "base_Grey.stl", "", "base_Grey_mat", gray),
        ("base", "body_2", "0 0 0.01", "base_Paint.stl", "", "base_Paint_mat_2", orange),  # the plate has that name
        ("base", "body_3", "0 0 0.01", "base_Paint_2.stl", "", "base_Paint_mat_3", dark),
        ("upper_arm", "tube_Orange", "0 0 0", "tube_Orange.stl", "1 1 1", "upper_arm_Orange_mat", orange),
        ("upper_arm", "tube_Dark", "0 0 0", "tube_Dark.stl", "1 1 1", "upper_arm_Dark_mat", dark),
        ("upper_arm", "lid", "0 0 0.2", "cover.stl", "", "safety_blue", "0 0.25 1 1"),
        ("forearm", "tube_Orange_2", "0 0 0", "tube_Orange.stl", "1 1 -0.75", "forearm_Orange_mat", orange),
        ("forearm", "tube_Dark_2", "0 0 0", "tube_Dark.stl", "1 1 -0.75", "forearm_Dark_mat", dark),
        ("forearm", "Cover_2", "0.02 0 -0.05", "Cover_2.stl", "", "forearm_window_mat", "0.5 0.75 1 0.25"),
        ("forearm", "cover", "-0.02 0 -0.05", "cover.stl", "", "forearm_part1_mat", "0.6 0.6 0.6 1"),
        ("forearm", "sign_Grey", "0 0.02 -0.05", "sign_Grey.stl", "0.01 0.01 0.01", "forearm_Grey_mat", gray),
        ("forearm", "sign_Orange", "0 0.02 -0.05", "sign_Orange.stl", "0.01 0.01 0.01", "forearm_Orange_mat", orange),
        ("gripper", "gripper_Dark", "", "gripper_Dark.stl", "", "gripper_Dark_mat", dark),
        ("gripper", "gripper_Logo", "", "gripper_Logo.stl", "", "gripper_Logo_mat", "0.8 0.8 0.8 1"),
    ]
    assert [(link, name, file) for link, name, _, file, *_ in shapes_of(folder / "out.urdf", "collision")] == [
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


def test_files_of_the_painted_arm(tool: Any, folder: Path) -> None:
    tool.simplify("robot.urdf", "out.urdf", separate_dae_meshes=True)
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
    assert {path.name for path in (folder / "out_meshes").iterdir()} == {f"{name}.stl" for name in boxes}
    for name, (triangles, low, high) in boxes.items():
        path = folder / "out_meshes" / f"{name}.stl"
        assert tool.stl_count(str(path)) == triangles
        assert box_of(tool, path) == [tuple(map(float, low)), tuple(map(float, high))], name


def test_every_file_is_converted_once(tool: Any, folder: Path) -> None:
    result = tool.simplify("robot.urdf", separate_dae_meshes=True)
    targets = [file.target for file in result.plan.splitting.files]
    assert len(targets) == len(set(targets)) == 14
    assert sum(len(split.parts) for split in result.plan.splitting.splits) == 17


@pytest.mark.parametrize(
    "case",
    [case for case in golden.cases() if case.folder == PAINTED and case.variant],
    ids=lambda case: str(case.variant),
)
def test_what_holds_for_every_result(case: golden.Case) -> None:
    visuals = shapes_of(case.expected)
    split = [row for row in visuals if row[3].endswith(".stl")]
    names = [row[1] for row in split]
    assert len(names) == len(set(names)) and all(names)
    assert all(row[5] and len(row[6].split()) == 4 for row in split)
    meanings: Dict[str, List[float]] = {}
    for element in ElementTree.parse(str(case.expected)).getroot().iter("material"):
        color = element.find("color")
        if color is not None:
            rgba = list(map(float, color.get("rgba", "").split()))
            assert meanings.setdefault(element.get("name", ""), rgba) == rgba
    stems = {row[3] for row in visuals + shapes_of(case.expected, "collision") if row[3]}
    assert len({stem.rpartition("/")[2].casefold() for stem in stems}) == len(stems)
    left = [row[3] for row in visuals if row[3].endswith(".dae")]
    assert left == (["meshes/gripper.dae"] if case.variant == "keep_textured" else [])


def test_mesh_type_behind_the_names(command: List[str], folder: Path) -> None:
    assert run(command, "robot.urdf", *SPLIT, "--append-mesh-type", "-y", "-o", "out.urdf").returncode == 0
    names = sorted(path.name for path in (folder / "out_meshes").iterdir())
    assert len(names) == 14
    assert [name for name in names if not name.endswith("_visual.stl")] == [
        "base_collision.stl",
        "gripper_collision.stl",
        "tube_collision.stl",
    ]
    assert "base_Grey_visual.stl" in names and "Cover_2_visual.stl" in names


def test_combined(command: List[str], folder: Path) -> None:
    assert run(command, "robot.urdf", *AS_IT_IS, "--combine-dae-meshes", "-y", "-o", "out.urdf").returncode == 0
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
    done = run(command, "robot.urdf", "--combine-dae-meshes", "--keep-textured", "-y")
    assert done.returncode == 2 and b"--keep-textured is for --separate-dae-meshes" in done.stderr
    done = run(command, "robot.urdf", "--combine-dae-meshes", "--separate-dae-meshes", "-y")
    assert done.returncode == 2 and b"exclude each other" in done.stderr


def test_without_a_flag_meshes_stay(command: List[str], folder: Path) -> None:
    done = run(command, "robot.urdf", *AS_IT_IS, "-y", "-o", "out.urdf")
    assert b"11 COLLADA meshes left as they are: MuJoCo cannot read them" in b" ".join(done.stdout.split())
    assert (folder / "out.urdf").read_bytes() == (folder / "robot.urdf").read_bytes()
    assert not (folder / "out_meshes").exists()


@pytest.mark.parametrize(
    "names",
    [
        ["Red", "red", "RED"],
        ["a/b", "a\\b", "a b", "a%20b"],
        ["../../escape", "..", "/etc/passwd"],
        ["con", "NUL", "a:b"],
        ['<&">', "\u6750\u8d28", "\u6750\u8d28.1"],
        ["x" * 300, "x" * 300 + "y"],
    ],
    ids=["case", "separators", "outside", "devices", "letters", "long"],
)
def test_names_are_unique_and_safe(tool: Any, tmp_path: Path, names: List[str]) -> None:
    write(tmp_path, {"in/robot.urdf": urdf(draws("../m.dae")), "m.dae": painted(*names)})
    tool.simplify(tmp_path / "in" / "robot.urdf", tmp_path / "in" / "out.urdf", separate_dae_meshes=True)
    files = sorted(path.name for path in (tmp_path / "in" / "out_meshes").iterdir())
    assert len({name.casefold() for name in files}) == len(names)
    assert all(name.isascii() and len(name) < 110 and not set(name) & set('/\\:*?"<>|%#& ') for name in files)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["in", "m.dae"]
    assert sorted(row[3] for row in shapes_of(tmp_path / "in" / "out.urdf")) == [f"out_meshes/{n}" for n in files]


def test_stems_do_not_meet_other_meshes(tool: Any, tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "robot.urdf": urdf(draws("other/M_RED.STL") + draws("m.dae"), draws("a/M.dae") + draws("x/m.dae")),
            "m.dae": painted("red", "blue"),
            "a/M.dae": painted("red"),
            "x/m.dae": painted("red", "m"),
        },
    )
    tool.simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf", separate_dae_meshes=True, merge=False)
    assert [row[3] for row in shapes_of(tmp_path / "out.urdf")] == [
        "other/M_RED.STL",
        "out_meshes/m_red_2.stl",
        "out_meshes/m_blue.stl",
        "out_meshes/M.stl",
        "out_meshes/m_red_3.stl",
        "out_meshes/m_m.stl",
    ]


def test_materials_do_not_meet_others(tool: Any, tmp_path: Path) -> None:
    color = '      <material name="{}">\n        <color rgba="{}"/>\n      </material>\n'
    box = "    <visual>\n      <geometry>\n        <box size='1 1 1'/>\n      </geometry>\n{}    </visual>\n"
    write(
        tmp_path,
        {
            "m.dae": painted("red"),
            "plain.dae": solids(("", "")),
            "robot.urdf": urdf(
                draws("m.dae", color.format("lacquer", "1 0 0 1")) + box.format('      <material name="lacquer"/>\n'),
                draws("m.dae") + box.format(color.format("link1_red_mat", FOUR)),
                draws("plain.dae", color.format("short", "1 0 0"))
                + draws("plain.dae", color.format("", FOUR))
                + draws("plain.dae", '      <material name="nowhere"/>\n')
                + draws("plain.dae", color.format("twice", FOUR))
                + draws("plain.dae", color.format("first", "0 0.0 0 1.0"))
                + draws("plain.dae", color.format("words", "a b c d")),
                more='  <material name="first">\n    <color rgba="1 1 1 1"/>\n  </material>\n',
            ),
        },
    )
    tool.simplify(
        tmp_path / "robot.urdf",
        tmp_path / "out.urdf",
        separate_dae_meshes=True,
        merge=False,
        strip_hardware=False,
        reorient=False,
    )
    gray, blue = "0.6 0.6 0.6 1", "0 0.5 1 1"
    assert [row[5:] for row in shapes_of(tmp_path / "out.urdf")] == [
        ("link0_red_mat", blue),
        ("lacquer", ""),  # what the mesh said before is said for the robot now
        ("link1_red_mat_2", blue),
        ("link1_red_mat", FOUR),
        ("link2_part1_mat", gray),
        ("link2_part1_mat_2", FOUR),
        ("link2_part1_mat", gray),
        ("twice", FOUR),
        ("first_2", "0 0.0 0 1.0"),
        ("link2_part1_mat", gray),
    ]


def test_a_color_stays_when_the_motor_that_named_it_leaves(tool: Any, tmp_path: Path) -> None:
    color = '      <material name="steel">\n        <color rgba="0.3 0.3 0.3 1"/>\n      </material>\n'
    write(
        tmp_path,
        {"robot.urdf": urdf(draws("rotor.stl", color) + draws("hull.stl", '      <material name="steel"/>\n'))},
    )
    result = tool.simplify(tmp_path / "robot.urdf", tmp_path / "out.urdf")
    assert len(result.plan.strips) == 1
    assert [row[3:4] + row[5:] for row in shapes_of(tmp_path / "out.urdf")] == [("hull.stl", "steel", "")]
    (steel,) = ElementTree.parse(tmp_path / "out.urdf").findall("material[@name='steel']/color")
    assert steel.get("rgba") == "0.3 0.3 0.3 1"


def test_large_parts_are_split_with_one_material(tool: Any, folder: Path) -> None:
    tool.simplify("robot.urdf", "out.urdf", separate_dae_meshes=True, max_faces=10, merge=False)
    rows = [row for row in shapes_of(folder / "out.urdf") if row[0] == "base" and row[3]]
    assert [(row[3].rpartition("/")[2], row[5]) for row in rows] == [
        ("base_Grey_1.stl", "base_Grey_mat"),
        ("base_Grey_2.stl", "base_Grey_mat"),
        ("base_Grey_3.stl", "base_Grey_mat"),
        ("base_Paint_1.stl", "base_Paint_mat_2"),
        ("base_Paint_2.stl", "base_Paint_mat_2"),
        ("base_Paint_1_2.stl", "base_Paint_mat_3"),
        ("base_Paint_2_2.stl", "base_Paint_mat_3"),
    ]
    assert [row[1] for row in rows] == ["body", *(f"body_{k}" for k in range(2, 8))]


# The same again.


def test_same_bytes_whatever_way(command: List[str], folder: Path) -> None:
    wanted: Dict[str, bytes] = {}
    for k, more in enumerate([[], [], ["--jobs", "1"], ["--jobs", "2"]]):
        done = run(command, "robot.urdf", "--separate-dae-meshes", "-y", "-o", "out.urdf", *more)
        assert (done.returncode, done.stderr) == (0, b"")
        assert (b"(14 of them again)" in done.stdout) is (k > 0)
        found = listing(folder)
        assert found == (wanted or found)
        wanted = found
    done = run(command, "out.urdf", "--separate-dae-meshes", "--check")
    assert (done.returncode, done.stdout) == (0, b"out.urdf is simple and canonical already\n")
    assert run(command, "out.urdf", "--separate-dae-meshes", "-y", "--force", "-o", "out.urdf").returncode == 0
    assert listing(folder) == wanted


def test_a_copy_that_was_loaded_by_path_works_alone(folder: Path) -> None:
    copied = load_by_path(SINGLE_FILE, "of_no_module")
    assert copied.is_known_elsewhere(copied._convert) is False
    copied.simplify("robot.urdf", "one.urdf", separate_dae_meshes=True, jobs=2, mesh_dir="one")
    simplify("robot.urdf", "two.urdf", separate_dae_meshes=True, jobs=2, mesh_dir="two")
    assert listing(folder / "one") == listing(folder / "two")


def test_processes_are_used_and_can_be_missing(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: List[int] = []
    real = process_pool.call_in_processes

    def counted(function: Any, given: Any, workers: int, finished: Any) -> Any:
        calls.append(workers)
        sizes = [os.path.getsize(call[0]) for call in given]
        assert len(set(sizes)) > 1 and sizes == sorted(sizes, reverse=True), "the largest come first"
        return real(function, given, workers, finished)

    monkeypatch.setattr(process_pool, "call_in_processes", counted)
    simplify("robot.urdf", "a.urdf", separate_dae_meshes=True, mesh_dir="a")
    assert calls == []
    simplify("robot.urdf", "b.urdf", separate_dae_meshes=True, mesh_dir="b", jobs=3)
    assert calls == [3]
    monkeypatch.setattr(process_pool, "call_in_processes", lambda *_: None)
    simplify("robot.urdf", "c.urdf", separate_dae_meshes=True, mesh_dir="c", jobs=3)
    assert listing(folder / "a") == listing(folder / "b") == listing(folder / "c")


def test_calls_in_processes() -> None:
    assert call_in_processes(abs, [-1, 2, -3], 2) == [1, 2, 3]
    assert call_in_processes(os._exit, [3, 3], 2) is None, "a process that dies is not waited for"
    with pytest.raises(ValueError):
        call_in_processes(int, ["1", "x"], 2)
    told: List[Any] = []
    call_in_processes(abs, [-3, 2], 2, lambda call, answer: told.append((call, answer)))
    assert told == [(-3, 3), (2, 2)]


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Let that much time pass between two looks at the clock."""
    now = itertools.count(step=seconds)
    monkeypatch.setattr(streams, "time", SimpleNamespace(monotonic=lambda: next(now)))


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("seconds", [0.0, 1.0])
def test_progress_is_shown_at_a_terminal_when_it_takes_long(
    folder: Path, monkeypatch: pytest.MonkeyPatch, jobs: str, seconds: float
) -> None:
    set_clock(monkeypatch, seconds)
    monkeypatch.setattr("sys.stderr", Terminal())
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes", "--quiet", "--jobs", jobs]) == 0
    shown = sys.stderr.getvalue().split("\r\x1b[K")
    names = [line.split(":")[0] for line in shown if line.endswith(" triangles ")]
    assert set(names) == ({path.name for path in (folder / "meshes").rglob("*.dae")} if seconds else set())
    assert not shown[-1].endswith(" triangles "), "the line is removed"
    monkeypatch.setattr("sys.stderr", io.StringIO())
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes", "--quiet", "--jobs", jobs]) == 0
    assert "\r" not in sys.stderr.getvalue(), "a pipe gets no line that changes"


def test_progress_is_removed_before_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    set_clock(monkeypatch, 1.0)
    monkeypatch.setattr("sys.stderr", Terminal())
    os.rename("meshes/base.dae", "meshes/other.dae")
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes", "--strict"]) == 2
    assert "\r\x1b[K" in sys.stderr.getvalue().partition("base.dae' is not found")[0]


# Nothing is written.


@pytest.mark.parametrize(
    "arguments, answer, status",
    [
        ([], b"no\n", 1),
        ([], b"", 1),
        (["--dry-run"], b"yes\n", 0),
        (["--check"], b"", 1),
        (["--diff"], b"", 0),
        (["-o", "nowhere/out.urdf", "-y"], b"", 2),
        (["-o", "-", "-y"], b"", 2),
        (["--scale", "-1", "-y"], b"", 2),
        (["--jobs", "-1", "-y"], b"", 2),
        (["--package", "x=nowhere", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf/x", "-y"], b"", 2),
        (["--mesh-dir", "robot.urdf", "-n"], b"", 2),
        (["--mesh-dir", "robot.urdf/x", "--check"], b"", 2),
        (["--mesh-dir", "new/deep", "-n"], b"", 0),
    ],
)
def test_nothing_is_written(command: List[str], folder: Path, arguments: List[str], answer: bytes, status: int) -> None:
    before = listing(folder)
    done = run(command, "robot.urdf", "--separate-dae-meshes", *arguments, answer=answer)
    assert done.returncode == status, done.stderr.decode()
    assert listing(folder) == before
    assert status != 2 or done.stderr.count(b"\n") == 1


def test_foreign_files(command: List[str], folder: Path) -> None:
    (folder / "out_meshes").mkdir()
    (folder / "out_meshes" / "base_Grey.stl").write_bytes(b"precious")
    before = listing(folder)
    for more in (["-y"], ["-n"], ["--check"]):
        done = run(command, "robot.urdf", "--separate-dae-meshes", "--mesh-dir", "out_meshes", *more)
        assert (done.returncode, done.stdout) == (2, b"")
        assert done.stderr == (
            b"not written by this tool: out_meshes/base_Grey.stl; give another --mesh-dir, or --force\n"
        )
        assert listing(folder) == before
    done = run(command, "robot.urdf", "--separate-dae-meshes", "-o", "out.urdf", "--force", answer=b"yes\n")
    assert b"Will replace out_meshes/base_Grey.stl, not marked as written by this tool\nProceed?" in done.stdout
    assert done.returncode == 0 and (folder / "out_meshes" / "base_Grey.stl").stat().st_size == 1284


@pytest.mark.parametrize("force", [False, True])
def test_links_never_lead_out(command: List[str], folder: Path, force: bool) -> None:
    (folder / "out_meshes").mkdir()
    simplify("robot.urdf", "own.urdf", separate_dae_meshes=True)
    outside = folder / "own_meshes" / "base_Paint.stl"
    before = outside.read_bytes()
    (folder / "out_meshes" / "base_Grey.stl").symlink_to(outside)
    (folder / "out_meshes" / "base.stl").symlink_to(folder / "nowhere")
    done = run(command, "robot.urdf", "--separate-dae-meshes", "-y", "-o", "out.urdf", *(["--force"] if force else []))
    assert done.returncode == (0 if force else 2)
    assert outside.read_bytes() == before and not (folder / "nowhere").exists()
    assert (folder / "out_meshes" / "base_Grey.stl").is_symlink() is not force
    assert (folder / "out.urdf").exists() is force


def test_a_folder_in_the_place_of_a_file(command: List[str], folder: Path) -> None:
    (folder / "out_meshes" / "gripper_Logo.stl").mkdir(parents=True)
    before = listing(folder)
    for more in ([], ["--force"]):
        done = run(command, "robot.urdf", "--separate-dae-meshes", "-y", "-o", "out.urdf", *more)
        assert done.returncode == 2 and listing(folder) == before


def test_meshes_go_back_when_the_urdf_cannot_be_written(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    simplify("robot.urdf", "out.urdf", separate_dae_meshes=True)
    (folder / "out_meshes" / "base.stl").unlink()
    before, replace = listing(folder), os.replace
    for problem, raised in (
        (OSError(28, "No space left on device"), Unusable),
        (KeyboardInterrupt(), KeyboardInterrupt),
    ):

        def breaks(source: str, target: str, problem: BaseException = problem) -> None:
            if target.endswith(".urdf"):
                raise problem
            replace(source, target)

        monkeypatch.setattr(os, "replace", breaks)
        with pytest.raises(raised):
            simplify("robot.urdf", "out.urdf", separate_dae_meshes=True, scale=3.0)
        with pytest.raises(raised):
            simplify("robot.urdf", "new.urdf", separate_dae_meshes=True, mesh_dir="new/deep")
        assert listing(folder) == before


def test_full_disk(command: List[str], folder: Path) -> None:
    before = listing(folder)
    for jobs in ("1", "2"):
        done = subprocess.run(
            [*command, "robot.urdf", "--separate-dae-meshes", "-y", "--jobs", jobs],
            capture_output=True,
            timeout=60,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},  # a compiled module would be cut off without an error
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)),
        )
        assert done.returncode == 2 and b"cannot be written: File too large\n" in done.stderr
        assert listing(folder) == before


def large(folder: Path, count: int) -> None:
    """Write a robot of large meshes, which take seconds."""
    one = painted("paint")
    numbers = " ".join(str(n % 1000 / 7) for n in range(300_000))
    text = one.replace("</float_array>", f" {numbers}</float_array>").replace("</p>", " 0 1 2" * 500_000 + "</p>")
    write(
        folder,
        {
            "robot.urdf": urdf("".join(draws(f"m{k}.dae") for k in range(count))),
            **{f"m{k}.dae": text for k in range(count)},
        },
    )


@pytest.mark.parametrize(
    "number, jobs, group",
    [
        (signal.SIGTERM, "1", False),
        (signal.SIGINT, "1", False),
        (signal.SIGTERM, "2", False),
        (signal.SIGINT, "2", True),
    ],
)
def test_signals_leave_nothing(command: List[str], tmp_path: Path, number: int, jobs: str, group: bool) -> None:
    large(tmp_path, 4)
    before = listing(tmp_path)
    process = subprocess.Popen(
        [*command, "robot.urdf", "--separate-dae-meshes", "-y", "--jobs", jobs],
        cwd=str(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while process.poll() is None and not list(tmp_path.rglob(".*/*.stl")) and time.monotonic() < until:
        time.sleep(0.01)
    assert process.poll() is None, "it was over before a signal came"
    os.killpg(process.pid, number) if group else process.send_signal(number)
    out, errors = process.communicate(timeout=60)
    assert process.returncode == (143 if number == signal.SIGTERM else 1)
    assert b"Traceback" not in errors and b"Error" not in errors and out == b"", errors.decode()
    assert listing(tmp_path) == before


# Meshes that cannot be had.


BROKEN = {
    "truncated": (painted("red")[:700], ":2: is not well-formed XML"),
    "index": (painted("red").replace("0 2 1 0", "0 2 1 9"), ":2: <triangles> has an index beyond its 4 positions"),
    "empty": ("", ":1: is not well-formed XML"),
    "entities": ('<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]>' + painted("red").partition("?>")[2].strip(), ":1: "),
    "nothing": (document(), ": draws no triangles"),
    "claim": (painted("red").replace('count="12"', 'count="2000000000"'), ""),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_mesh_is_left_alone(
    command: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    text, message = BROKEN[name]
    write(
        tmp_path,
        {
            "robot.urdf": urdf(draws("good.dae") + draws("bad.dae", name="it") + draws("bad.dae", kind="collision")),
            "good.dae": painted("red", "blue"),
            "bad.dae": text,
        },
    )
    monkeypatch.chdir(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf")
    assert done.returncode == 0
    files = [row[3] for row in shapes_of(tmp_path / "out.urdf") + shapes_of(tmp_path / "out.urdf", "collision")]
    if not message:
        assert files[2:] == ["out_meshes/bad.stl", "out_meshes/bad_collision.stl"]
        return
    assert files == ["out_meshes/good_red.stl", "out_meshes/good_blue.stl", "bad.dae", "bad.dae"]
    lines = done.stderr.decode().splitlines()
    bad = os.path.realpath("bad.dae")
    assert [
        line
        for line in lines
        if line.startswith(f"warning: robot.urdf:8: {bad}{message}") and line.endswith(": left as it is")
    ], lines
    assert sorted(listing(tmp_path / "out_meshes")) == ["good_blue.stl", "good_red.stl"]
    before = listing(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf", "--strict")
    assert done.returncode == 2 and done.stdout == b""
    assert done.stderr.decode().startswith(f"robot.urdf:8: {bad}{message}")
    assert listing(tmp_path) == before


def test_an_archive_and_a_bomb(command: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, content in (("good", painted("red").encode()), ("bomb", b" " * (300 << 20))):
        data = io.BytesIO()
        with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("model.dae", content)
        (tmp_path / f"{name}.zae").write_bytes(data.getvalue())
    write(tmp_path, {"robot.urdf": urdf(draws("good.zae") + draws("bomb.zae"))})
    monkeypatch.chdir(tmp_path)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf")
    assert done.returncode == 0
    assert [row[3] for row in shapes_of(tmp_path / "out.urdf")] == ["out_meshes/good.stl", "bomb.zae"]


def test_a_missing_mesh_lists_what_was_tried(command: List[str], folder: Path) -> None:
    (folder / "meshes" / "sign.dae").unlink()
    text = (folder / "robot.urdf").read_text().replace("meshes/gripper.dae", "package://arm/gripper.dae")
    (folder / "robot.urdf").write_text(text)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-q", "-o", "out.urdf", ROS_PACKAGE_PATH="/ros")
    assert done.returncode == 0
    lines = done.stderr.decode().splitlines()
    here = os.path.realpath("meshes/sign.dae")
    assert f"warning: robot.urdf:103: 'meshes/sign.dae' is not found ({here} is not there): left as it is" in lines
    assert (
        "warning: robot.urdf:121: 'package://arm/gripper.dae' is not found (/ros/arm/gripper.dae is not there): left "
        "as it is"
    ) in lines
    assert [row[3] for row in shapes_of(folder / "out.urdf") if row[3].endswith(".dae")] == [
        "meshes/sign.dae",
        "package://arm/gripper.dae",
    ]
    before = listing(folder)
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "new.urdf", "--strict")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"robot.urdf:103: 'meshes/sign.dae' is not found ({here} is not there)\n"
    assert listing(folder) == before


# Where everything goes.


def test_standard_streams(command: List[str], folder: Path) -> None:
    source = (folder / "robot.urdf").read_bytes()
    done = run(command, "robot.urdf", *SPLIT, "-y", "-o", "-")
    assert done.returncode == 2 and done.stderr == (
        b"robot.urdf: with --output - give --mesh-dir: the meshes need a place\n"
    )
    assert run(command, "robot.urdf", *SPLIT, "-y", "-o", "out.urdf", "--mesh-dir", "stl").returncode == 0
    wanted, files = (folder / "out.urdf").read_bytes(), listing(folder / "stl")
    shutil.rmtree("stl")
    for arguments in (["robot.urdf", "-o", "-"], ["-", "-o", "-"], ["-", "-o", "new.urdf"]):
        done = run(command, *arguments, *SPLIT, "-y", "--mesh-dir", "stl", answer=source)
        assert done.returncode == 0
        assert (done.stdout if arguments[-1] == "-" else (folder / "new.urdf").read_bytes()) == wanted
        assert listing(folder / "stl") == files
        shutil.rmtree("stl")
    for only_show in ("--dry-run", "--check", "--diff"):
        assert run(command, "-", *SPLIT, only_show, answer=source).returncode == (only_show == "--check")
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


@pytest.mark.parametrize(
    "output, mesh_dir",
    [
        ("out.urdf", ""),
        ("sub/out.urdf", ""),
        ("link/out.urdf", ""),
        ("link/out.urdf", "stl"),
        ("sub/out.urdf", "link/stl"),
        ("out.urdf", "linked_meshes"),
        ("out.urdf", "{}/far/a b & c"),
        ("../out.urdf", "sub/../stl"),
        ("out.urdf", "."),
    ],
)
def test_file_names_lead_to_files(
    command: List[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, output: str, mesh_dir: str
) -> None:
    here = tmp_path / "here"
    (here / "sub").mkdir(parents=True)
    (tmp_path / "far" / "away").mkdir(parents=True)
    (here / "link").symlink_to(tmp_path / "far" / "away")
    (here / "linked_meshes").symlink_to(tmp_path / "far")
    write(here, {"robot.urdf": urdf(draws("m.dae")), "m.dae": painted("red", "blue")})
    monkeypatch.chdir(here)
    more = ["--mesh-dir", mesh_dir.format(tmp_path)] if mesh_dir else []
    assert run(command, "robot.urdf", *SPLIT, "-y", "-o", output, *more).returncode == 0
    names = [row[3] for row in shapes_of(Path(output))]
    assert len(names) == 2
    for name in names:
        assert os.path.isfile(os.path.join(os.path.dirname(output), name)), name


def test_mesh_prefix(tool: Any, folder: Path) -> None:
    for prefix in ("package://arm/meshes", "package://arm/meshes/"):
        tool.simplify("robot.urdf", "out.urdf", separate_dae_meshes=True, mesh_prefix=prefix, mesh_dir="stl")
        files = {row[3] for row in shapes_of(folder / "out.urdf") if row[3]}
        assert all(name.startswith("package://arm/meshes/") and name.count("/") == 4 for name in files)
        assert {name.rpartition("/")[2] for name in files} < set(listing(folder / "stl"))


def test_globs_may_end_like_a_mesh(command: List[str], folder: Path) -> None:
    done = run(command, "robot.urdf", "--keep-mesh", "cover.dae", "--strip", "sign.dae", "-n")
    assert done.returncode == 0 and b"robot.urdf 'painted_arm'" in done.stdout


# As a library, and alone.


def test_library_call(tool: Any, folder: Path) -> None:
    result = tool.simplify("robot.urdf", separate_dae_meshes=True, package={"arm": str(folder)})
    assert [split.link for split in result.plan.splitting.splits][:3] == ["base", "base", "upper_arm"]
    assert sorted(listing(folder)) == sorted(
        listing(PAINTED / "meshes" / "..")
        and [name for name in listing(folder) if name == "robot.urdf" or name.startswith("meshes")]
    )
    tool.simplify(
        "robot.urdf",
        "out.urdf",
        separate_dae_meshes=True,
        mesh_dir=folder / "stl",
        scale=1.0,
        missing_unit="millimeter",
        up_axis="y",
        planar="merge",
        max_faces=0,
        merge_equal_colors=False,
        keep_textured=True,
        strict=True,
        jobs=1,
        append_mesh_type=True,
        mesh_prefix="",
        package=["a=meshes"],
    )
    assert "sign_Grey_visual.stl" not in listing(folder / "stl") and "base_Bolt_visual.stl" in listing(folder / "stl")
    tool.simplify("robot.urdf", "combined.urdf", combine_dae_meshes=True)
    assert "gripper.stl" in listing(folder / "combined_meshes")
    before = listing(folder)
    for choices in (
        {"missing_unit": "inch"},
        {"planar": "drop"},
        {"up_axis": "w"},
        {"scale": 0.0},
        {"max_faces": -1},
        {"jobs": -1},
        {"package": ["x=nowhere"]},
        {"combine_dae_meshes": True},
    ):
        with pytest.raises(tool.Unusable):
            tool.simplify("robot.urdf", "new.urdf", separate_dae_meshes=True, **choices)
    with pytest.raises(TypeError, match="'separate' is no option.*; there are .*separate_dae_meshes"):
        tool.simplify("robot.urdf", separate=True)
    assert listing(folder) == before


def test_every_option_of_the_command_line_is_one_of_the_library(tool: Any) -> None:
    arguments = tool.parse_arguments(["robot.urdf"])
    assert tool.options_of(arguments) == tool.Options()
    rows = {row.name for row in tool.OPTION_ROWS}
    assert rows >= {*tool.MeshOptions._fields, *tool.Options._fields} - {"meshes"}


def test_alone_from_a_copied_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(str(SINGLE_FILE), str(tmp_path / "any_name.py"))
    write(tmp_path, {"model.DAE": painted("red", "blue")})
    monkeypatch.chdir(tmp_path)
    for arguments in (["model.DAE", "-o", "out/"], ["-o", "out/", "model.DAE", "-y"]):
        done = run([sys.executable, "any_name.py"], *arguments)
        assert (done.returncode, done.stderr) == (0, b"")
        assert sorted(listing(tmp_path / "out")) == ["model_blue.stl", "model_red.stl"]
    assert b"--combine" in run([sys.executable, "any_name.py"], "model.DAE", "--help").stdout


# The proof: a pass that cheats, after all the others, and files that change their places.


def element_with(plan_document: Document, file: str) -> Any:
    """Return the visual or collision that shows a file."""
    return next(
        element
        for element in plan_document.root.walk()
        if element.name in ("visual", "collision")
        and any((mesh.get("filename") or "").endswith(f"/{file}") for mesh in element.walk())
    )


def mesh_in(shape: Any) -> Any:
    return next(element for element in shape.walk() if element.name == "mesh")


Cheat = Callable[[Document], None]


def lose(file: str) -> Cheat:
    def cheat(document: Document) -> None:
        shape = element_with(document, file)
        passes.detach(shape.parent, [shape])

    return cheat


def rename(file: str, other: str) -> Cheat:
    return lambda document: mesh_in(element_with(document, file)).set("filename", f"robot_simplified_meshes/{other}")


def swap(file: str, other: str) -> Cheat:
    def cheat(document: Document) -> None:
        one, two = mesh_in(element_with(document, file)), mesh_in(element_with(document, other))
        names = one.get("filename"), two.get("filename")
        one.set("filename", names[1])
        two.set("filename", names[0])

    return cheat


def paint(file: str, attribute: str, value: str) -> Cheat:
    def cheat(document: Document) -> None:
        found = element_with(document, file).find("material")
        (found if attribute == "name" else found.find("color")).set(attribute, value)

    return cheat


def bare(document: Document) -> None:
    sphere = next(e for e in document.root.walk() if e.name == "material" and e.get("name") == "maker")
    passes.detach(sphere, sphere.elements("color"))


CHEATS: Dict[str, Cheat] = {
    "a part is left out": lose("base_Paint.stl"),
    "a collision is left out": lose("base.stl"),
    "a wrong material": paint("base_Paint.stl", "name", "base_Grey_mat"),
    "a wrong color": paint("base_Paint.stl", "rgba", "0.5 0.5 0.5 1"),
    "two files swapped": swap("base_Paint.stl", "base_Grey.stl"),
    "a file of another mesh": rename("cover.stl", "Cover_2.stl"),
    "a part twice": rename("tube_Dark.stl", "tube_Orange.stl"),
    "a file of no mesh": rename("tube_Dark.stl", "tube_dark.stl"),
    "a scale": lambda document: mesh_in(element_with(document, "sign_Grey.stl")).set("scale", "1 1 1"),
    "a mesh left as it was": lambda document: mesh_in(element_with(document, "cover.stl")).set(
        "filename", "meshes/cover.dae"
    ),
    "an origin": lambda document: element_with(document, "base_Grey.stl").find("origin").set("xyz", "0 0 0.011"),
    "a name without its color": bare,
}


@pytest.mark.parametrize("name", CHEATS)
def test_the_proof_catches(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    def cheat(document: Document, _: Plan) -> None:
        CHEATS[name](document)

    before = listing(folder)
    monkeypatch.setattr(passes, "PASSES", (*passes.PASSES, cheat))
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes"]) == 3
    said = capsys.readouterr()
    assert said.out == "" and "please report it" in said.err
    assert listing(folder) == before


def test_a_fault_of_the_converter_is_caught(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def wrong(*_: Any) -> Any:
        raise ProofFailed("holds 3 triangles, not 4", "base.dae")

    before = listing(folder)
    monkeypatch.setattr(convert, "convert_dae", wrong)
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes", "--jobs", "1"]) == 3
    assert "holds 3 triangles" in capsys.readouterr().err
    assert listing(folder) == before


def test_an_honest_pass_is_not_caught(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "PASSES", (*passes.PASSES, lambda document, _: None))
    assert cli.main(["robot.urdf", "--separate-dae-meshes", "--yes"]) == 0


def test_meshes_are_those_that_are_generated() -> None:
    done = subprocess.run([sys.executable, str(PAINTED / "generate.py"), "--check"], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, b"6 files: 0 differ\n")


def test_blanks_around_a_mesh_name_are_no_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "meshes").mkdir()
    shutil.copy(golden.FIXTURES / "painted_arm" / "meshes" / "tube.dae", tmp_path / "robot" / "meshes" / "tube.dae")
    text = ('<robot name="r"><link name="a"><visual><geometry><mesh filename=" meshes/tube.dae "/></geometry></visual>'
            "</link></robot>")
    (tmp_path / "robot" / "robot.urdf").write_text(text, encoding="utf-8")
    split = simplify(tmp_path / "robot" / "robot.urdf", combine_dae_meshes=True, mesh_prefix="package://r/meshes")
    assert [shape.mesh for shape in split.after.links["a"].shapes] == ["package://r/meshes/tube.stl"]
    moved = simplify(tmp_path / "robot" / "robot.urdf", tmp_path / "out.urdf", base_frame="ros")
    assert [shape.mesh for shape in moved.after.links["a"].shapes] == ["robot/meshes/tube.dae"]
