"""The first command gives a whole robot: each shape of the input is in the output, or the verdict counts it."""

import random
import re
from pathlib import Path

import pytest
from conftest import examples
from hypothesis import given, strategies as st
from mesh_files import ascii_stl, binary_stl, ply, tetrahedron, tetrahedron_glb
from mesh_robots import solids
from random_robots import write_robot

import commands
from urdf_tools.compare import compare
from urdf_tools.meshes.first_obj_object import has_several_objects

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial>'
LIMIT = '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>'


def corners(x):
    """Return the lines of the four corners of a tetrahedron at x."""
    return f"v {x} 0 0\nv {x}.1 0 0\nv {x} 0.1 0\nv {x} 0 0.1\n"


def faces(first):
    """Return the lines of its four faces; its corners are counted from `first` on."""
    a, b, c, d = range(first, first + 4)
    return f"f {a} {c} {b}\nf {a} {b} {d}\nf {a} {d} {c}\nf {b} {c} {d}\n"


FIRST, SECOND = corners(0) + faces(1), corners(1) + faces(5)
TWO_OBJECTS = f"o first\n{FIRST}o second\n{SECOND}"
# OBJ text, and how many of its faces MuJoCo 4.0 draws (`mesh_facenum`; asked again in tests/judges).
OBJECTS = {
    "one": (f"o a\n{FIRST}{SECOND}", 8),
    "two objects": (TWO_OBJECTS, 4),
    "two groups": (f"g a\n{FIRST}g b\n{SECOND}", 4),
    "an object and a group": (f"o a\n{FIRST}g b\n{SECOND}", 4),
    "the first has no name": (f"{FIRST}o b\n{SECOND}", 4),
    "all corners first": (f"{corners(0)}{corners(1)}o a\n{faces(1)}o b\n{faces(5)}", 4),
    "an empty one first": (f"o empty\no a\n{FIRST}o b\n{SECOND}", 4),
    "two materials": (f"{corners(0)}usemtl a\n{faces(1)}{corners(1)}usemtl b\n{faces(5)}", 8),
    "two smoothing groups": (f"s 1\n{FIRST}s 2\n{SECOND}", 8),
    "a word without a name": (f"o a\n{FIRST}o\n{SECOND}", 8),
    "a name of blanks": (f"g a\n{FIRST}g   \n{SECOND}", 4),
    "indented": (f"o a\n{FIRST}  o b\n{SECOND}", 4),
    "tabs": (f"o\ta\n{FIRST}o\tb\n{SECOND}", 4),
    "lines of Windows": (TWO_OBJECTS.replace("\n", "\r\n"), 4),
    "lines of old Macs": (TWO_OBJECTS.replace("\n", "\r"), 4),
    "another word": (f"o a\n{FIRST}object b\n{SECOND}", 8),
    "a comment": (f"o a\n{FIRST}# o b\n{SECOND}", 8),
    "an edge that is no face": (f"o a\n{corners(0)}f 1 2\no b\n{corners(1)}{faces(5)}", 4),
}
MJCF = """<mujoco><asset><mesh name="m" file="m.obj" inertia="shell"{scale}/></asset><worldbody><body name="base">
<inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/>
<geom type="mesh" mesh="m" contype="0" conaffinity="0"/></body></worldbody></mujoco>"""
URDF = '<robot name="r"><link name="base">{}<visual><geometry><mesh filename="{}"/></geometry></visual></link></robot>'
WEIGHED = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'


@pytest.mark.parametrize("name", OBJECTS)
def test_mjcf_is_read_as_mujoco_reads_an_obj_of_several_objects(name, here):
    """The first object is the mesh, in a file of the other objects, in its own, and scaled and turned inside out."""
    text, count = OBJECTS[name]
    (here / "m.obj").write_bytes(text.encode())
    assert has_several_objects(text.encode()) is (count == 4 and "no face" not in name)
    (here / "whole.xml").write_text(MJCF.format(scale=""))
    (here / "mirrored.xml").write_text(MJCF.format(scale=' scale="1 -1 1"'))
    drawn = text.replace("\r\n", "\n").replace("\r", "\n")
    if count == 4 and "no face" not in name:
        drawn = drawn[: drawn.index(faces(1)) + len(faces(1))]
    (here / "first.obj").write_text(drawn)
    (here / "first.urdf").write_text(URDF.format(WEIGHED, "first.obj"))
    (here / "all.urdf").write_text(URDF.format(WEIGHED, "m.obj"))
    assert compare("first.urdf", "whole.xml").is_same
    assert compare("all.urdf", "whole.xml").is_same is not has_several_objects(text.encode())
    assert compare("whole.xml", "whole.xml").is_same
    assert commands.said("export", "mirrored.xml", "mirrored.urdf", "-y", "-q")[0] == 0
    assert compare("mirrored.xml", "mirrored.urdf").is_same


def test_an_obj_of_several_objects_is_converted(here):
    """The first command gives MuJoCo all of them; an option that forbids it is counted in the verdict."""
    (here / "two.obj").write_text(TWO_OBJECTS)
    (here / "r.urdf").write_text(URDF.format(WEIGHED, "two.obj"))
    status, out, err = commands.said("export", "r.urdf", "whole.xml", "-y")
    assert (status, err) == (0, "") and "OK Same robot: verified" in out
    assert compare("r.urdf", "whole.xml").is_same
    status, out, _ = commands.said("export", "r.urdf", "half.xml", "-y", "--split", "color")
    assert "Same robot, but for 1 of 1 visual that MJCF shows in part:" in " ".join(out.split())
    assert not compare("r.urdf", "half.xml").is_same


def write_meshes(folder):
    """Write a tetrahedron in each format that is read; return the names of the files."""
    builder = tetrahedron_glb()
    (folder / "whole.glb").write_bytes(builder.glb())
    builder = tetrahedron_glb()
    builder.gltf(folder, "apart")
    (folder / "part.stl").write_bytes(binary_stl(tetrahedron(0.1)))
    (folder / "text.stl").write_text(ascii_stl(tetrahedron(0.1)))
    (folder / "one.obj").write_text(FIRST)
    (folder / "two.obj").write_text(TWO_OBJECTS)
    (folder / "red.dae").write_text(solids(("red", "")))
    (folder / "scan.ply").write_bytes(ply(tetrahedron(0.1), "<"))
    return MESHES


MESHES = (
    "whole.glb",
    "apart.gltf",
    "part.stl",
    "text.stl",
    "one.obj",
    "two.obj",
    "red.dae",
    "scan.ply",
)


def robot_of(shapes):
    """Return a robot with a link for each pair of roles and the mesh that they show."""
    parts = [f'<link name="base">{INERTIAL}</link>']
    for number, (roles, mesh) in enumerate(shapes):
        drawn = "".join(
            f'<{role}><geometry><mesh filename="{mesh}"/></geometry></{role}>' for role in roles
        )
        parts.append(f'<link name="l{number}">{INERTIAL}{drawn}</link>')
        parts.append(
            f'<joint name="j{number}" type="revolute"><origin xyz="{number} 0 0"/><parent link="base"/>'
            f'<child link="l{number}"/>{LIMIT}</joint>'
        )
    return f'<robot name="r">{"".join(parts)}</robot>'


# How the shapes of a role are found in the text of each format: the visuals and the collisions.
COUNTED = {
    ".xml": ('<geom [^>]*class="visual"', '<geom [^>]*class="collision"'),
    ".sdf": ("<visual ", "<collision "),
    ".usda": ("def Mesh(?!.*_collision)", "def Mesh .*_collision"),
    ".urdf": ("<visual[ >]", "<collision[ >]"),
}
PROGRAMS = ("mujoco", "drake", "gazebo", "rviz", "isaac", "newton", "pinocchio")
TARGETS = (
    ("r.xml",),
    ("r.sdf",),
    ("r.usda",),
    ("r.xml", "r.sdf", "r.usda"),
    ("r.xml", "--for", "drake"),
    *(("o.urdf", "--for", program) for program in PROGRAMS),
)
ROLES = st.sampled_from((("visual",), ("collision",), ("visual", "collision")))


@examples(8)
@given(
    st.lists(st.tuples(ROLES, st.sampled_from(MESHES)), min_size=1, max_size=5),
    st.sampled_from(TARGETS),
)
def test_every_shape_is_in_the_output(shapes, words):
    """Counted in the text, by hand; the verdict says the same robot, as nothing is missing."""
    with commands.folder_with({"r.urdf": robot_of(shapes)}) as folder:
        write_meshes(Path(folder))
        status, out, err = commands.said("export", "r.urdf", *words, "-y")
        assert status == 0, err
        assert "OK Same robot: verified" in " ".join(out.split()), (out, err)
        for name in (word for word in words if "." in word):
            text = Path(name).read_text()
            for pattern, role in zip(COUNTED[Path(name).suffix], ("visual", "collision")):
                wanted = sum(role in roles for roles, _ in shapes)
                assert len(re.findall(pattern, text)) == wanted, (name, role, text)


@pytest.mark.parametrize("target", ("r.xml", "r.usda"))
def test_the_verdict_counts_what_is_missing(target, here):
    write_meshes(here)
    (here / "cut.glb").write_bytes((here / "whole.glb").read_bytes()[:50])
    shapes = [(("visual", "collision"), "cut.glb"), (("visual",), "part.stl")]
    (here / "r.urdf").write_text(robot_of([*shapes, (("collision",), "gone.stl")]))
    out = " ".join(commands.said("export", "r.urdf", target, "-y")[1].split())
    label = {"r.xml": "MJCF", "r.usda": "USD"}[target]
    lacks = f"1 of 2 visuals that {label} lacks, 2 of 2 collisions that {label} lacks"
    assert f"Same robot, but for {lacks}: verified" in out
    assert f"{target} is read again and is the same robot, but for {lacks}" in out
    assert not compare("r.urdf", target).is_same


def test_glb_is_shown_by_mujoco_only_if_it_may_be_converted(here):
    write_meshes(here)
    (here / "r.urdf").write_text(robot_of([(("visual",), "whole.glb")]))
    out = commands.said("export", "r.urdf", "r.xml", "-y", "--mesh-format", "glb")[1]
    assert "Same robot, but for 1 of 1 visual that MJCF lacks:" in " ".join(out.split())


def test_a_flat_mesh_that_mujoco_shows_is_no_problem(here):
    """MJCF shows it, with its inertia as a shell; what MuJoCo would make of the URDF does not matter."""
    triangle = [((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0))]
    (here / "flat.stl").write_bytes(binary_stl([*triangle, *tetrahedron(0.0)][:1] * 2))
    (here / "r.urdf").write_text(URDF.format(WEIGHED, "flat.stl"))
    out = commands.said("export", "r.urdf", "r.xml", "-y", "--for", "mujoco")[1]
    assert "planar" not in out and '<geom name="base_visual"' in Path("r.xml").read_text()
    assert "planar" in commands.said("export", "r.urdf", "o.urdf", "-y", "--for", "mujoco")[1]


def tensor_of(*moments):
    """Return an `<inertial>` with these principal moments."""
    xx, yy, zz = moments
    return f'<inertial><mass value="1"/><inertia ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="0" ixz="0" iyz="0"/></inertial>'


BOX = '<visual><geometry><box size="0.1 0.1 0.1"/></geometry></visual>'
NEEDY = f"""<robot name="r"><link name="base">{tensor_of(0.01, 0.01, 0.05)}</link>
<link name="arm">{BOX}</link><link name="hand">{tensor_of(0.01, 0.05, 0.01)}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
<limit lower="1" upper="-1" effort="1" velocity="1"/></joint>
<joint name="k" type="revolute"><parent link="arm"/><child link="hand"/>{LIMIT}</joint></robot>"""


@pytest.mark.parametrize("target", ("r.xml", "r.sdf", "r.usda"))
def test_an_export_makes_the_repairs_that_its_format_needs(target, here):
    """Two tensors, and the mass of a link that moves; the limits stay."""
    (here / "r.urdf").write_text(NEEDY)
    status, out, _ = commands.said("export", "r.urdf", target, "-y")
    shown = " ".join(out.split())
    counts = "2 repaired tensors, 1 made-up mass (1 kg in all)"
    label = {"r.xml": "MJCF", "r.sdf": "SDF", "r.usda": "USD"}[target]
    # Limits that are turned round are no reason to refuse a robot: the formats are without them.
    lacks = f"1 limit that {label} lacks"
    assert status == 0 and f"Same robot, but for {counts}, {lacks}: verified" in shown, shown
    assert "link 'arm' gets a made-up mass of 1 kg" in shown
    assert "limits-reversed" not in shown
    shown = commands.said("compare", "r.urdf", target)[1]
    assert f"but for {counts}" in " ".join(shown.split())
    differences = compare("r.urdf", target).differences
    assert [one.kind for one in differences] == ["limits_missing"], differences
    refusal = commands.refusal("export", "r.urdf", "no.xml", "--no-fix", "-y")
    assert refusal.startswith("r.urdf:1: link 'base': no body has the principal moments")
    assert "r.urdf:2: link 'hand'" in refusal


def test_a_refusal_comes_before_meshes_are_converted(here):
    """A COLLADA file that cannot be read is not opened."""
    (here / "r.urdf").write_text(
        NEEDY.replace(
            "</link>", '<visual><geometry><mesh filename="a.dae"/></geometry></visual></link>', 1
        )
    )
    (here / "a.dae").write_text("<COLLADA")
    refusal = commands.refusal("export", "r.urdf", "no.xml", "--no-fix", "-y")
    assert "principal moments" in refusal and "a.dae" not in refusal


def test_what_a_xacro_expands_to_is_repaired_too(here, monkeypatch):
    commands.write_command(here, "xacro", commands.show_file("expanded.urdf"))
    monkeypatch.setenv("PATH", commands.on_path(here))
    (here / "r.urdf.xacro").write_text('<robot xmlns:xacro="x"><xacro:all/></robot>')
    (here / "expanded.urdf").write_text(NEEDY)
    out = commands.said("export", "r.urdf.xacro", "r.xml", "-y")[1]
    assert "Same robot, but for 2 repaired tensors, 1 made-up mass" in " ".join(out.split())


OF_MASSES = {"mass", "center", "tensor", "tensor_turned"}


def but_for(shown):
    """Return what a verdict says of repairs, in words."""
    return re.findall(
        r"\d+ (?:repaired|made-up) \w+(?: \([^)]* kg in all\))?", " ".join(shown.split())
    )


def spoiled(text, r):
    """Return the text of a robot with a few of the faults that simulators refuse, or this tool cannot read."""
    faults = (
        lambda text: re.sub(r'\bi(xx|yy|zz)="[^"]*"', r'i\1="9"', text, count=1),
        lambda text: re.sub(r"<inertial>.*?</inertial>", "", text, count=1, flags=re.S),
        lambda text: re.sub(
            r'<axis xyz="(\S+) (\S+) (\S+)"', r'<axis xyz="\1,\2,\3"', text, count=1
        ),
        lambda text: re.sub(r'<mass value="[^"]*"', '<mass value="0"', text, count=1),
    )
    for fault in r.sample(faults, r.randint(1, 3)):
        text = fault(text)
    return text


@examples(8, fuzzed=500)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("r.xml", "r.sdf", "r.usda")))
def test_what_can_be_exported_with_fix_is_exported_at_once(seed, target):
    """And its verdict counts its repairs if, and only if, the export without any is refused."""
    r = random.Random(seed)
    with commands.folder_with({"r.urdf": spoiled(write_robot(r), r)}):
        fixed = commands.said("export", "r.urdf", target, "-y", "-q", "--fix")[0]
        status, out, err = commands.said("export", "r.urdf", target, "-y", "--force")
        assert status == fixed or status == 0, err
        refused = commands.said("export", "r.urdf", target, "-y", "-q", "--no-fix", "--force")[0]
        if status == 0:
            verdict = " ".join(out.split()).partition("ame robot")[2].partition(": verified")[0]
            counts = re.search("repair|made-up", verdict)
            assert (counts is not None) is (refused == 2), (out, refused)


@examples(8, fuzzed=500)
@given(st.integers(0, 2**32 - 1), st.sampled_from(("r.xml", "r.sdf", "r.usda")))
def test_compare_counts_the_repairs_of_an_export_as_its_verdict_does(seed, target):
    """It does them to the input, too, so that no mass differs."""
    r = random.Random(seed)
    with commands.folder_with({"r.urdf": spoiled(write_robot(r), r)}):
        status, out, _ = commands.said("export", "r.urdf", target, "-y", "--force")
        if status != 0:
            return
        verdict = out.partition("ame robot")[2].partition(": verified")[0]
        status, shown, _ = commands.said("compare", "r.urdf", target)
        found = compare("r.urdf", target)
        assert but_for(shown) == but_for(verdict), (out, shown)
        # But of what is next to nothing: a warning says that MJCF has the least that it takes.
        assert not [
            one
            for one in found.differences
            if one.kind in OF_MASSES and "1e-15" not in str(one.b) and "2e-15" not in str(one.b)
        ], found.differences
