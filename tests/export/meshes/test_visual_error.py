"""Whole runs with --visual-error: what becomes of the files, what stays byte for byte, and what the proof refuses."""

import re

import commands
import pytest
from mesh_files import binary_stl, JPEG
from surfaces import as_float32, ball, box

from engine import main, simplify
from urdf_tools import export
from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.export.meshes import format_converter
from urdf_tools.meshes.mesh_content import triangles_of
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.meshes.same_surface import SameSurface, same_surface

FLAT = 48  # triangles at the poles
BALL = as_float32(ball(16, 24))
ERROR = ("--visual-error", "5mm")
SHAPE = '<{kind}><geometry><mesh filename="meshes/{mesh}"{more}/></geometry></{kind}>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def obj_text():
    """Return two balls in an OBJ, red and blue."""
    lines, count = ["mtllib two.mtl"], 0
    for name, shift in (("red", 0.0), ("blue", 0.5)):
        lines.append(f"usemtl {name}")
        for triangle in BALL:
            lines += [f"v {x + shift:.9g} {y:.9g} {z:.9g}" for x, y, z in triangle] + ["vt 0 0"] * 3
            lines.append("f " + " ".join(f"{count + k}/{count + k}" for k in (1, 2, 3)))
            count += 3
    return "\n".join(lines) + "\n"


@pytest.fixture()
def robot(tmp_path):
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    (meshes / "ball.stl").write_bytes(binary_stl(BALL))
    (meshes / "large.stl").write_bytes(binary_stl(as_float32(ball(16, 24, 100.0))))
    (meshes / "box.stl").write_bytes(binary_stl(box((0.0,) * 3, (0.1,) * 3)))
    (meshes / "two.obj").write_text(obj_text())
    (meshes / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    return written(
        tmp_path / "robot.urdf",
        [
            ("visual", "ball.stl"),
            ("collision", "ball.stl"),
            ("visual", "box.stl"),
            ("visual", "two.obj"),
        ],
    )


def written(path, shapes):
    links = "".join(
        SHAPE.format(kind=kind, mesh=mesh, more=" ".join(("", *more)))
        for kind, mesh, *more in shapes
    )
    path.write_text(f'<robot name="r"><link name="base">{INERTIAL}{links}</link></robot>\n')
    return path


def run(robot, *options):
    words = (robot, "-o", robot.with_name("out.urdf"), "--yes", *options)
    return commands.folded(*words, expected=(0,))[1]


def names_in(robot):
    return re.findall(
        r'<(visual|collision)\b.*?filename="([^"]*)"', robot.with_name("out.urdf").read_text(), re.S
    )


def triangles_in(path):
    return [
        triangle for surface in read_mesh(str(path)).surfaces for triangle in triangles_of(surface)
    ]


def test_a_run(robot):
    files = {path.name: path.read_bytes() for path in robot.parent.joinpath("meshes").iterdir()}
    printed = run(robot, *ERROR)
    assert names_in(robot) == [
        ("visual", "out_meshes/ball_5mm.stl"),
        ("collision", "meshes/ball.stl"),
        ("visual", "meshes/box.stl"),
        ("visual", "out_meshes/two_5mm_red.obj"),
        ("visual", "out_meshes/two_5mm_blue.obj"),
    ]
    assert files == {
        path.name: path.read_bytes() for path in robot.parent.joinpath("meshes").iterdir()
    }
    small = triangles_in(robot.parent / "out_meshes" / "ball_5mm.stl")
    assert len(small) < 0.7 * len(BALL)
    verdict = same_surface(BALL, small, 5.1e-3)
    assert isinstance(verdict, SameSurface) and verdict.bound > 1e-3
    count = sum(
        len(triangles_in(path))
        for path in robot.parent.joinpath("out_meshes").glob("*_5mm*.[so][tb][lj]")
    )
    # Those without area are left out of OBJ as it is read.
    before = len(BALL) + 2 * (len(BALL) - FLAT)
    assert f"Visual meshes: {before:,} -> {count:,} triangles" in printed
    assert (
        "proven within 5 mm of the originals, both ways; 1 stays (1 of fewer than 500 triangles)"
        in printed
    )


@pytest.mark.parametrize(
    "scale, other", [("1000 1000 1000", "2 2 2"), ("-1000 1 1", "1 1 1"), ("1 1 1", "1 1000 1")]
)
def test_the_largest_scale_counts(robot, scale, other):
    """At 5 mm in the link a ball drawn 1000 times as large may lose hardly anything."""
    written(
        robot,
        [("visual", "ball.stl", f'scale="{scale}"'), ("visual", "ball.stl", f'scale="{other}"')],
    )
    assert (
        "none has fewer triangles within 5 mm: 1 stays (1 that would lose fewer than 10 %)"
        in run(robot, *ERROR)
    )
    assert not (robot.parent / "out_meshes").exists()


def test_a_small_scale_allows_more(robot):
    written(robot, [("visual", "large.stl", 'scale="0.001 0.001 0.001"')])
    run(robot, *ERROR)
    assert len(triangles_in(robot.parent / "out_meshes" / "large_5mm.stl")) < 0.7 * len(BALL)


def test_a_collision_keeps_its_triangles_in_another_format(robot):
    run(robot, *ERROR, "--mesh-format", "obj")
    names = dict(names_in(robot)[:2])
    assert names == {"visual": "out_meshes/ball_5mm.obj", "collision": "out_meshes/ball.obj"}
    assert len(triangles_in(robot.parent / names["collision"])) == len(BALL) - FLAT
    # Too small to lose triangles, but converted.
    assert names_in(robot)[2] == ("visual", "out_meshes/box.obj")


def test_mujoco_gets_no_collision_of_fewer_triangles(robot):
    """A visual and a collision of one mesh share a file there, but not this one."""
    run(robot, *ERROR, "--for", "mujoco")
    assert names_in(robot)[:2] == [
        ("visual", "out_meshes/ball_5mm.stl"),
        ("collision", "meshes/ball.stl"),
    ]


def test_what_shows_an_image_stays_and_is_named(robot):
    meshes = robot.parent / "meshes"
    (meshes / "two.mtl").write_text(
        "newmtl red\nKd 1 0 0\nmap_Kd wood.jpg\nnewmtl blue\nKd 0 0 1\nmap_Kd wood.jpg\n"
    )
    (meshes / "wood.jpg").write_bytes(JPEG)
    printed = run(robot, *ERROR)
    assert "2 stay (1 with images: two.obj, 1 of fewer than 500 triangles)" in printed
    assert names_in(robot)[-1] == ("visual", "meshes/two.obj")


def test_bytes_do_not_depend_on_the_number_of_processes(robot):
    files = []
    for jobs in (1, 2):
        out = robot.parent / f"out{jobs}"
        out.mkdir()
        simplify(robot, out / "r.urdf", visual_error="5mm", jobs=jobs)
        files.append(
            {path.name: path.read_bytes() for path in sorted(out.rglob("*")) if path.is_file()}
        )
    assert files[0] == files[1] and len(files[0]) == 6


def test_exports_have_fewer_triangles(robot):
    result = export(robot, robot.with_name("r.xml"), robot.with_name("r.sdf"), visual_error="5mm")
    assert any("triangles" in line for line in result.exported.lines)
    mjcf, sdf = (robot.with_name(name).read_text() for name in ("r.xml", "r.sdf"))
    assert "ball_5mm.stl" in mjcf and "ball_5mm.stl" in sdf and "meshes/ball.stl" in sdf
    assert (robot.parent / "r_meshes" / "ball_5mm.stl").is_file()


def test_a_model_alone(robot, capsys):
    source, target = robot.parent / "meshes" / "ball.stl", robot.parent / "small.stl"
    assert main(["export", str(source), str(target), *ERROR]) == 0
    small = triangles_in(target)
    assert f"Visual meshes: {len(BALL)} -> {len(small)} triangles" in capsys.readouterr().out
    assert isinstance(same_surface(BALL, small, 5.1e-3), SameSurface) and len(small) < 0.7 * len(
        BALL
    )
    assert (
        main(
            [
                "export",
                str(robot.parent / "meshes" / "box.stl"),
                str(robot.parent / "b.stl"),
                *ERROR,
            ]
        )
        == 0
    )
    assert (
        "none has fewer triangles within 5 mm: 1 stays (1 of fewer than 500"
        in capsys.readouterr().out
    )
    assert sorted(path.name for path in robot.parent.iterdir()) == [
        "meshes",
        "robot.urdf",
        "small.stl",
    ]


def test_compare_finds_the_distance(robot, capsys):
    """At its own tolerance the surfaces differ; at that of the run they are one, to a distance that is said."""
    written(robot, [("visual", "ball.stl"), ("collision", "ball.stl")])
    run(robot, *ERROR)
    files = [str(robot), str(robot.with_name("out.urdf"))]
    assert (
        main(["compare", *files]) == 1 and "another surface, by at least" in capsys.readouterr().out
    )
    assert main(["compare", *files, "--tolerance", "0.005"]) == 0
    assert re.search(r"Same robot: .*meshes to [1-5](\.\d+)? mm", capsys.readouterr().out)


@pytest.mark.parametrize("value", ("0", "0mm", "-1mm", "much", "1km"))
def test_refused(robot, value):
    with pytest.raises(UsageError, match="give a length, such as 0.5mm"):
        simplify(robot, robot.with_name("out.urdf"), visual_error=value)
    assert not robot.with_name("out.urdf").exists()


@pytest.mark.parametrize("off, kind", [(6e-3, "visual"), (1e-3, "collision")])
def test_the_proof_of_the_run_knows_the_distance(robot, monkeypatch, off, kind):
    """A part that is too far off, and a collision of fewer triangles."""
    original = format_converter.is_near

    def changed(split, made, visual_error):
        return original(
            split._replace(shape=split.shape._replace(kind=kind)),
            made._replace(off=off),
            visual_error,
        )

    monkeypatch.setattr(format_converter, "is_near", changed)
    with pytest.raises(ProofFailed, match="is not within the visual error"):
        simplify(robot, visual_error="5mm")


def test_the_proof_of_the_run_knows_the_scale(robot, monkeypatch):
    written(robot, [("visual", "large.stl", 'scale="0.001 -0.001 0.001"')])
    monkeypatch.setattr(
        format_converter,
        "errors_in_files",
        lambda error, staying: {"meshes/large.stl": error / 0.0005},
    )
    with pytest.raises(ProofFailed, match="is not within the visual error"):
        simplify(robot, visual_error="5mm")
