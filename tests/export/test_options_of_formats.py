"""Each option of `export` changes each file that its help names, and no other: compared with the file without it."""

from functools import lru_cache

import pytest
from mesh_files import binary_stl, tetrahedron
from mesh_robots import solids

import commands
from urdf_tools.app.package_options import TABLE

MASS = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
ROBOT = f"""<robot name="two"><link name="base">{MASS}
<visual><geometry><mesh filename="package://own/two.dae"/></geometry></visual>
<collision><geometry><mesh filename="part.stl"/></geometry></collision></link>
<link name="arm">{MASS}<visual><geometry><mesh filename="part.stl"/></geometry></visual>
<visual><geometry><mesh filename="grid.stl"/></geometry></visual>
<collision><geometry><capsule radius="0.1" length="0.2"/></geometry></collision></link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint></robot>
"""
HEAVY = MASS.replace('izz="0.02"', 'izz="0.2"')
FILES = {
    "r.urdf": ROBOT,
    "turned.urdf": ROBOT.replace('lower="-1" upper="1"', 'lower="1" upper="-1"'),
    "impossible.urdf": ROBOT.replace(MASS, HEAVY),
    "gone.urdf": ROBOT.replace("grid.stl", "gone.dae"),
    "two.dae": solids(("red", ""), ("blue", "")),
    "two.srdf": '<robot name="two"><virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>'
    "</robot>",
}
XML, SDF, USD, JSON, URDF, BONES = TARGETS = (
    "o.xml",
    "o.sdf",
    "o.usda",
    "o.json",
    "o.urdf",
    "o.armature.json",
)
SIMULATED, OTHERS, ALL, NONE = (XML, SDF, USD), (JSON, URDF, BONES), TARGETS, ()
# By option: words, the targets whose files they change, the targets with which they are refused; and the robot.
CASES = {
    "actuators": (
        ("--actuators position=100", (XML, USD), (SDF, *OTHERS), "r.urdf"),
        ("--actuators none", (XML, USD), (SDF, *OTHERS), "r.urdf"),
    ),
    "base": (("--base fixed", SIMULATED, OTHERS, "r.urdf"),),
    "usd_meshes": (
        ("--usd-meshes none", (USD,), (XML, SDF, *OTHERS), "r.urdf"),
        ("--usd-meshes inline", (USD,), (XML, SDF, *OTHERS), "r.urdf"),
    ),
    # The URDF gets an SRDF beside it; the model and the armature hold nothing of it.
    "srdf": (("--srdf two.srdf", (*SIMULATED, URDF), NONE, "r.urdf"),),
    "split": (("--split color", ALL, NONE, "r.urdf"),),
    "mesh_format": (("--mesh-format obj", ALL, NONE, "r.urdf"),),
    "mesh_dir": (("--mesh-dir here", ALL, NONE, "r.urdf"),),
    # MJCF and SDF have no other names.
    "mesh_paths": (("--mesh-paths relative", (USD, *OTHERS), NONE, "r.urdf"),),
    "append_mesh_type": (
        ("--append-mesh-type --split color", ALL, NONE, "r.urdf"),
        ("--append-mesh-type --mesh-dir here", ALL, NONE, "r.urdf"),
    ),
    # MJCF alone is for MuJoCo already.
    "for": (
        ("--for drake", ALL, NONE, "r.urdf"),
        ("--for mujoco", (SDF, USD, *OTHERS), NONE, "r.urdf"),
    ),
    "scale": (("--scale 2 --split color", ALL, NONE, "r.urdf"),),
    "up_axis": (("--up-axis x --split color", ALL, NONE, "r.urdf"),),
    "visual_error": (("--visual-error 1mm", ALL, NONE, "r.urdf"),),
    "one_mesh": (("--one-mesh", ALL, NONE, "r.urdf"),),
    "fix": (("--fix", ALL, NONE, "turned.urdf"),),
    # The files of these are no robot without the option, or are refused with it.
    "no_fix": (("--no-fix", NONE, SIMULATED, "impossible.urdf"),),
    "require_meshes": (("--require-meshes --split color", ALL, ALL, "gone.urdf"),),
}
# What says where a robot and its files are, what is shown, or is tested by itself (`xacro_args`, `missing_unit`,
# `lenient` and `package` change the input that is read).
NOT_OF_FILES = (
    *("yes", "dry_run", "report", "force", "quiet", "full", "color"),
    *("package", "xacro_args", "lenient", "missing_unit"),
    "one_bone_per_joint",
)


def grid():
    """Return 648 triangles that two can replace."""
    points = [[(x / 18.0, y / 18.0, 0.0) for y in range(19)] for x in range(19)]
    squares = [(x, y) for x in range(18) for y in range(18)]
    halves = [(points[x][y], points[x + 1][y], points[x + 1][y + 1]) for x, y in squares]
    return halves + [(points[x][y], points[x + 1][y + 1], points[x][y + 1]) for x, y in squares]


@lru_cache(maxsize=None)
def made_by(target, words, robot="r.urdf"):
    """Return the exit status of an export, and what its files hold by their names."""
    with commands.folder_with(FILES) as folder:
        (folder / "part.stl").write_bytes(binary_stl(tetrahedron(0.1)))
        (folder / "grid.stl").write_bytes(binary_stl(grid()))
        before = set(commands.files_in(folder))
        given = ("export", robot, target, "-y", "-q", "--package", "own=.")
        status, _, err = commands.said(*given, *words.split())
        assert status != 3, err
        made = set(commands.files_in(folder)) - before
        return status, {name: (folder / name).read_bytes() for name in made}


def test_each_option_of_an_export_has_its_case():
    of_export = {row.name for row in TABLE if "export" in row.verbs.split()}
    assert of_export == {*CASES, *NOT_OF_FILES}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("option", CASES)
def test_an_option_changes_the_files_that_it_is_for(option, target):
    for words, changed, refused, robot in CASES[option]:
        without, files = made_by(target, "", robot)
        status, with_option = made_by(target, words, robot)
        assert (without, status) == (0, 2 * (target in refused)), words
        if target not in refused:
            assert (files != with_option) is (target in changed), (words, sorted(with_option))
