"""Blender itself: every link is where the URDF says at random positions, and the positions come back from it.

The programs that are there are asked: `bpy` that pip installed for this Python, and the command `blender`.
"""

import csv
import functools
import json
import random
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import armatures
import dae_writer as dae
import naive
import pytest
from judges.test_physics import with_prefixes_declared
from conftest import ROOT
from mesh_files import binary_stl

from engine import main
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.export import armature_exporter as exporter, shared_run_values as mesh_table
from urdf_tools.formats.armature import write_armature as document, build_armature as rig
from urdf_tools.api import simplify
from urdf_tools.urdf.package_resolver import PackageResolver

SCRIPT = ROOT / "urdf_tools" / "formats" / "armature" / "import_armature.py"
PLACES = Path(__file__).resolve().parent / "blender_places.py"
SHARED = sorted((ROOT.parent / "shared" / "robots").glob("*.urdf"))
FIXTURES = [
    ROOT / "fixtures" / name / "robot.urdf"
    for name in (
        "humanoid",
        "arm",
        "quadruped",
        "armature",
        "odd/mimic_chain",
        "odd/planar_joint",
        "odd/floating_base",
        "odd/names_with_anything",
    )
]
ROBOTS = [robot for robot in (*SHARED, *FIXTURES) if robot.exists()]
RATE = 24.0  # frames per second of a new file
MOST_METERS, MOST_DEGREES = 5e-5, 1e-2
POSES = 5


def programs():
    """Return how Python files are run in each Blender there is."""
    found = {}
    if find_spec("bpy"):
        found["bpy"] = [sys.executable]
    if shutil.which("blender"):
        found["blender"] = [
            "blender",
            "-b",
            "--factory-startup",
            "--python-exit-code",
            "1",
            "--python",
        ]
    return found


each_program = pytest.mark.parametrize("program", ["bpy", "blender"])
each_robot = pytest.mark.parametrize(
    "robot", ROBOTS, ids=lambda path: path.stem if path.stem != "robot" else path.parent.name
)


def run_in(program, *words):
    """Run a Python file in a Blender, or skip the test where that is not installed."""
    if program not in programs():
        pytest.skip(f"no {program} here")
    return subprocess.run(
        [*programs()[program], str(words[0]), "--", *map(str, words[1:])],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=300,
        check=False,
    )


SOURCE = {"path": "robot.urdf", "sha256": ""}


@functools.lru_cache(maxsize=None)
def armature(robot, join):
    """Return the armature's JSON of a robot after the tool, and the URDF."""
    result = simplify(robot)
    references = [
        shape.mesh for link in result.after.links.values() for shape in link.shapes if shape.mesh
    ]
    files, _ = mesh_table.paths_of(references, (), PackageResolver(str(robot.parent), (), {}, {}))
    made = document.document_of(
        rig.armature_of(result.after, join=join),
        SOURCE,
        mesh_table.names_from(str(robot.parent), files),
    )
    assert (
        exporter.verify_armature(
            document.document_bytes(made), read_urdf(result.data), SOURCE
        ).angle
        < 1e-9
    )
    return made, result.data


def free_positions(made, generator):
    """Return random positions inside the limits."""
    dofs = {dof["joint"]: dof for bone in made["bones"] for dof in bone["dofs"]}
    return {
        name: generator.uniform(dofs[name]["lower"], dofs[name]["upper"])
        if dofs[name]["lower"] is not None
        else generator.uniform(-3.0, 3.0)
        for name in made["joint_order"]
    }


@each_program
@each_robot
@pytest.mark.parametrize("join", [True, False], ids=["joined", "apart"])
def test_every_link_is_in_its_place(tmp_path, program, robot, join):
    made, data = armature(robot, join)
    order = made["joint_order"]
    reading = naive.read(with_prefixes_declared(data))
    generator = random.Random(1)
    poses = [naive.positions(reading, free_positions(made, generator)) for _ in range(POSES)]
    (tmp_path / "robot.json").write_bytes(document.document_bytes(made))
    with open(tmp_path / "in.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [
                ["time", *order],
                *([k / RATE, *(q[name] for name in order)] for k, q in enumerate(poses)),
            ]
        )
    done = run_in(
        program,
        PLACES,
        SCRIPT,
        tmp_path / "robot.json",
        tmp_path / "in.csv",
        tmp_path / "back.csv",
        tmp_path / "places.json",
    )
    assert done.returncode == 0, done.stdout + done.stderr
    frames = json.loads((tmp_path / "places.json").read_text())
    worst = compare(
        reading, poses, frames, {link["name"] for link in made["links"] if link["bone"] is not None}
    )
    assert worst[0] <= MOST_METERS and worst[1] <= MOST_DEGREES, worst
    with open(tmp_path / "back.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["time", *order] and len(rows) == POSES
    off = [
        abs(float(cell) - q[name]) / max(1.0, abs(q[name]))
        for row, q in zip(rows, poses)
        for name, cell in zip(order, row[1:])
    ]
    assert max(off, default=0.0) <= 1e-6
    print(
        f"{program} {robot.parent.name}/{robot.stem} {'joined' if join else 'apart'}: {worst[0] * 1e3:.2e} mm "
        f"{worst[1]:.2e} deg, back {max(off, default=0.0):.1e}"
    )


LIMITED = armatures.urdf(
    armatures.joint("free", "base", "a", "0 0 1", "0 1 0", "continuous"),
    armatures.joint("j", "a", "b", "0 0 -0.3", "0 1 0", limits="-1 0.5"),
    armatures.joint("away", "b", "c", "0 0 -0.3", "0 1 0", limits="0.5 2"),
    armatures.joint("stuck", "c", "d", "0 0 -0.3", "0 1 0", limits="0.25 0.25"),
    armatures.joint("wide", "d", "e", "0 0 -0.3", "0 1 0", limits="-0.7 4.5"),
    armatures.joint("slide", "e", "f", "0 0 -0.3", "1 0 0", "prismatic", limits="-0.1 0.2"),
    armatures.joint(
        'f"\\',
        "f",
        "g",
        "0 0 -0.3",
        "0 1 0",
        more='<mimic joint="j" multiplier="-0.5" offset="0.1"/>',
    ).replace('f"\\" type', 'f&quot;\\" type'),
    inside=[
        (
            "g",
            '<visual name="egg"><origin xyz="0 0 0.1"/><geometry><sphere radius="0.05"/></geometry>'
            '<material name="m"><color rgba="1 0.5 0 1"/></material></visual>',
        )
    ],
)


def looks(tmp_path, program, script, robot, *options):
    """Return what blender_looks.py says of a robot."""
    done = run_in(
        program,
        PLACES.with_name("blender_looks.py"),
        script,
        robot,
        tmp_path / "looks.json",
        *options,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return {"said": done.stdout, **json.loads((tmp_path / "looks.json").read_text())}


@each_program
def test_limits_locks_and_drivers(tmp_path, program):
    made = armatures.made(LIMITED)
    (tmp_path / "r.json").write_bytes(document.document_bytes(made))
    found = looks(tmp_path, program, SCRIPT, tmp_path / "r.json")
    bones = found["bones"]
    assert bones["j"]["constraints"] == ["LIMIT_ROTATION"] and bones["j"]["limits"][
        "x"
    ] == pytest.approx([-1, 0.5])
    assert bones["j"]["locks"] == [[True] * 3, [False, True, True], [True] * 3]
    assert bones["j"]["ik"] == [
        [False, True, True],
        [True, pytest.approx(-1.0), pytest.approx(0.5)],
    ]
    assert bones["away"]["first"][1][0] == pytest.approx(0.5)
    assert bones["away"]["ik"][1] == [True, 0.0, pytest.approx(2.0)]
    assert bones["free"]["constraints"] == [] and not bones["free"]["locks"][1][0]
    assert bones["stuck"]["constraints"] == [] and bones["stuck"]["locks"][1][0]
    assert bones["stuck"]["first"][1][0] == pytest.approx(0.25)
    # None before Blender 4, which would be wrong there.
    assert bones["wide"]["constraints"] in (["LIMIT_ROTATION"], [])
    assert (
        bones["slide"]["limits"]["y"] == pytest.approx([-0.1, 0.2])
        and not bones["slide"]["locks"][0][1]
    )
    follower = bones['f"\\']
    assert (
        follower["constraints"] == []
        and follower["joints"] == ['f"\\']
        and all(follower["locks"][1])
    )
    assert follower["first"][1][0] == pytest.approx(0.1)
    assert list(found["drivers"].values()) == ["-0.5*q+0.1"]
    assert all(bone["mode"] == "XYZ" for bone in bones.values())
    assert found["colors"]["egg"] == [pytest.approx([1, 0.5, 0, 1])]
    assert set(found["empties"]) == {"base", *"abcdefg"}
    free = looks(tmp_path, program, SCRIPT, tmp_path / "r.json", "--no-limits")["bones"]
    assert all(bone["constraints"] == [] for bone in free.values()) and not free["j"]["ik"][1][0]


@each_program
def test_what_cannot_be_done_ends_with_an_error(tmp_path, program):
    (tmp_path / "old.json").write_text('{"format": 0, "bones": []}')
    for name, said in (
        ("old.json", "this is not an armature of format 1"),
        ("gone.json", "cannot be read"),
    ):
        done = run_in(program, SCRIPT, tmp_path / name)
        assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr


@each_program
def test_a_saved_file_is_opened_and_its_motion_exported(tmp_path, program):
    made = armatures.made(LIMITED)
    (tmp_path / "r.json").write_bytes(document.document_bytes(made))
    (tmp_path / "in.csv").write_text("time,j,slide\n0,-0.5,0.1\n1,0.25,-0.05\n")
    done = run_in(
        program,
        SCRIPT,
        tmp_path / "r.json",
        "--import-positions",
        tmp_path / "in.csv",
        "-o",
        tmp_path / "r.blend",
    )
    assert done.returncode == 0 and (tmp_path / "r.blend").is_file(), done.stderr
    there = run_in(program, Path(__file__).with_name("blender_objects.py"), tmp_path / "r.blend")
    assert "objects:" in there.stdout, there.stderr
    assert not any(f"'{name}'" in there.stdout for name in ("Cube", "Camera", "Light"))
    done = run_in(program, SCRIPT, tmp_path / "r.blend", "--export-positions", tmp_path / "out.csv")
    assert done.returncode == 0, done.stderr
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["time", *made["joint_order"]] and len(rows) == 25
    last = dict(zip(header, map(float, rows[-1])))
    assert (
        last["time"] == 1.0
        and last["j"] == pytest.approx(0.25)
        and last["slide"] == pytest.approx(-0.05)
    )
    assert last['f"\\'] == pytest.approx(-0.025) and last["away"] == pytest.approx(0.5)


@each_program
@pytest.mark.parametrize("ending", [".stl", ".obj", ".dae"])
def test_meshes_are_where_the_urdf_has_them(tmp_path, program, ending):
    """A tetrahedron of edges 1, 2, 3 mm in a file with millimeters; the axes of the file are those of the URDF."""
    write_tetrahedron(tmp_path / f"t{ending}")
    data = armatures.urdf(
        armatures.joint("j", "base", "a", "1 0 0", "0 0 1"),
        inside=[
            (
                "a",
                (
                    '<visual name="t"><origin xyz="0 0.5 0" rpy="0 0 1.5707963267948966"/><geometry>'
                    f'<mesh filename="t{ending}" scale="100 100 -100"/></geometry></visual>'
                ),
            )
        ],
    )
    (tmp_path / "r.urdf").write_bytes(data)
    assert (
        main(
            [
                str(tmp_path / "r.urdf"),
                "-y",
                "-q",
                "--no-reorient",
                "--armature",
                str(tmp_path / "r.json"),
            ]
        )
        == 0
    )
    found = looks(tmp_path, program, SCRIPT, tmp_path / "r.json")
    if ending == ".dae" and "t" not in found["boxes"]:  # Blender 5
        assert (
            "this Blender cannot read COLLADA; urdf_simplify --separate-dae-meshes makes STL of it"
            in found["said"]
        )
        return
    assert found["boxes"]["t"] == [
        pytest.approx([0.8, 0.5, -0.3], abs=1e-6),
        pytest.approx([1.0, 0.6, 0.0], abs=1e-6),
    ]


def write_tetrahedron(path):
    """Write a tetrahedron with corners on the axes at 0.001, 0.002, 0.003 in the units of URDF."""
    points = ((0.0, 0.0, 0.0), (0.001, 0.0, 0.0), (0.0, 0.002, 0.0), (0.0, 0.0, 0.003))
    sides = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
    if path.suffix == ".obj":
        corners = "".join("v {} {} {}\n".format(*point) for point in points)
        path.write_text(corners + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n")
    elif path.suffix == ".stl":
        path.write_bytes(binary_stl([[points[k] for k in side] for side in sides]))
    else:
        numbers = [[1000 * x for x in point] for point in points]
        triangles = dae.primitive("triangles", "g-p", dae.paragraph(sum(sides, ())), count=4)
        geometry = dae.simple_geometry("g", numbers, triangles)
        units = {"unit": '<unit meter="0.001"/>', "up_axis": "<up_axis>Y_UP</up_axis>"}
        path.write_text(dae.document(geometry, dae.node(dae.instance("g")), **units))


def compare(reading, poses, frames, wanted):
    """Return how far any link is off at most, in meters and degrees."""
    worst = (0.0, 0.0)
    for q, frame in zip(poses, frames):
        assert set(frame) == wanted
        motions = {
            hinge.child: naive.motion(hinge, q[hinge.name])
            for hinge in reading.hinges
            if hinge.kind in naive.MOVABLE
        }
        world = naive.places(reading, naive.NOWHERE, motions)
        for name, matrix in frame.items():
            turn, place = world[name]
            worst = (
                max(worst[0], naive.apart(place, [row[3] for row in matrix[:3]])),
                max(
                    worst[1],
                    naive.turned_by(turn, [row[:3] for row in matrix[:3]]) * 57.29577951308232,
                ),
            )
    return worst
