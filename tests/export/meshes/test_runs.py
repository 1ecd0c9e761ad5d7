"""Whole runs that make meshes in other formats: what the URDF says, which files there are, what is refused and said."""

import json
import re
from pathlib import Path

import commands
import pytest
from conftest import ROOT
from mesh_files import ascii_stl, binary_stl, JPEG, png, TETRAHEDRON, tetrahedron_glb
from mesh_runs import textured_dae

from engine import main, simplify
from urdf_tools.apply import apply_plan_passes
from urdf_tools.export import shared_run_values as mesh_table
from urdf_tools.export.export_request import FilePaths
from urdf_tools.export.meshes import format_converter, loading_problems
from urdf_tools.export.mjcf_meshes import MjcfMeshFiles
from urdf_tools.meshes.read_mesh_files import read_bytes
from urdf_tools.meshes.mesh_content import triangles_of
from urdf_tools.meshes.mesh_readers import read_mesh

LINK = """  <link name="{name}">
    <inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><geometry><mesh filename="package://my_robot/meshes/{visual}"/></geometry>{material}</visual>
    <collision><geometry><mesh filename="package://my_robot/meshes/{collision}"/></geometry></collision>
  </link>
"""
JOINT = """  <joint name="j_{name}" type="revolute">
    <parent link="base"/><child link="{name}"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/>
  </joint>
"""
TWO = "".join(f"v {x} {y} {z}\n" for x, y, z in [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)])
PAINT = '<material name="paint"><color rgba="0.1 0.2 0.3 1"/></material>'
ARMS = [
    ("base", "tet.stl", "binary.stl", ""),
    ("two", "two.obj", "two.obj", ""),
    ("painted", "tet.glb", "tet.stl", PAINT),
    ("shown", "textured.dae", "binary.stl", ""),
]


@pytest.fixture()
def robot(tmp_path):
    meshes = tmp_path / "meshes"
    meshes.mkdir()
    (tmp_path / "package.xml").write_text("<package><name>my_robot</name></package>")
    (meshes / "tet.stl").write_text(ascii_stl(TETRAHEDRON))
    (meshes / "binary.stl").write_bytes(binary_stl(TETRAHEDRON))
    (meshes / "tet.glb").write_bytes(tetrahedron_glb().glb())
    (meshes / "two.mtl").write_text("newmtl red\nKd 1 0 0\nnewmtl blue\nKd 0 0 1\n")
    (meshes / "two.obj").write_text(
        f"mtllib two.mtl\n{TWO}o a\nusemtl red\nf 1 3 2\nf 1 2 4\no b\nusemtl blue\n"
        "f 1 4 3\nf 2 3 4\n"
    )
    (meshes / "textured.dae").write_text(textured_dae())
    (meshes / "wood.png").write_bytes(png())
    path = tmp_path / "robot.urdf"
    path.write_text(
        "<robot name='r'>\n"
        + "".join(
            LINK.format(name=name, visual=visual, collision=collision, material=material)
            for name, visual, collision, material in ARMS
        )
        + "".join(JOINT.format(name=arm[0]) for arm in ARMS[1:])
        + "</robot>\n"
    )
    return path


def run(robot, *options, status=0):
    """Run the command line, each option a word or several; return what it printed and what it complained of."""
    words = " ".join(options).split()
    done = commands.in_process(
        [str(robot), "-o", str(robot.with_name("out.urdf")), "--yes", *words]
    )
    assert done.returncode == status, done.stderr
    return done.stdout.decode(), done.stderr.decode()


def left_for(consumer, printed):
    """Return what the plan says of what is left to do; the last lines must say it again, and the verdict who refuses it."""
    plan, _, end = printed.partition("\nDone!\n")
    said = " ".join(
        plan[plan.index(f"for {consumer}, in the result: line ") :].partition("\n\n")[0].split()
    )
    last = " ".join(end.partition("\nNext (lines of the input):\n")[2].split())
    assert said in last
    assert f", and {consumer} refuses it as it is: verified" in " ".join(plan.split())
    assert "OK Same robot" not in plan
    return said


def meshes_of(robot):
    """Return the mesh files of each link of the result, as they are named, visuals first."""
    text = robot.with_name("out.urdf").read_text()
    return {
        link: re.findall(r'mesh filename="([^"]*)"', body)
        for link, body in re.findall(r'<link name="(\w+)">(.*?)</link>', text, flags=re.S)
    }


def files(robot, folder="out_meshes"):
    return sorted(path.name for path in robot.with_name(folder).iterdir())


def test_obj_for_all_formats_that_are_read(robot):
    run(robot, "--mesh-format obj")
    assert meshes_of(robot) == {
        "base": ["out_meshes/tet.obj", "out_meshes/binary.obj"],
        "two": ["out_meshes/two_red.obj", "out_meshes/two_blue.obj", "out_meshes/two.obj"],
        "painted": ["out_meshes/tet_2.obj", "out_meshes/tet_collision.obj"],
        "shown": [
            "out_meshes/textured_red.obj",
            "out_meshes/textured_wood.obj",
            "out_meshes/binary.obj",
        ],
    }
    assert files(robot) == [
        "binary.obj",
        "tet.mtl",
        "tet.obj",
        "tet_2.mtl",
        "tet_2.obj",
        "tet_collision.obj",
        "textured_red.mtl",
        "textured_red.obj",
        "textured_wood.mtl",
        "textured_wood.obj",
        "two.obj",
        "two_blue.mtl",
        "two_blue.obj",
        "two_red.mtl",
        "two_red.obj",
        "wood.png",
    ]
    text = robot.with_name("out.urdf").read_text()
    assert 'name="two_red_mat"><color rgba="1 0 0 1"/>' in text and text.count(PAINT) == 1
    folder = robot.with_name("out_meshes")
    assert "Kd 0.1 0.2 0.3" in (folder / "tet_2.mtl").read_text(), (
        "the color of the URDF, where the mesh has none"
    )
    assert "mtllib two_red.mtl\n" in (folder / "two_red.obj").read_text()
    assert "map_Kd wood.png\n" in (folder / "textured_wood.mtl").read_text()
    assert (folder / "wood.png").read_bytes() == png()


def exchange(monkeypatch, module, name, change):
    """Let a function return what `change` makes of its result."""
    right = getattr(module, name)
    monkeypatch.setattr(module, name, lambda *given, **more: change(right(*given, **more)))


def of_another(places, take):
    """Return places of which the first two have something of each other."""
    first, second = list(places)[:2]
    return {
        **places,
        first: take(places[first], places[second]),
        second: take(places[second], places[first]),
    }


TAKES = {
    "read": lambda own, other: FilePaths(other.source, own.target),
    "named": lambda own, other: FilePaths(own.source, other.target),
    "both": lambda own, other: other,
}
EXPORTS = (("--mjcf", "out.xml"), ("--sdf", "out.sdf"), ("--usd", "out.usda"))


@pytest.mark.parametrize("export", EXPORTS)
@pytest.mark.parametrize("how", TAKES)
def test_an_export_that_takes_a_mesh_for_another_is_refused(robot, monkeypatch, export, how):
    """All of its own proof holds: each file has the name that it was given."""
    exchange(
        monkeypatch,
        mesh_table,
        "paths_of",
        lambda found: (
            of_another(found[0], TAKES[how]) if len(found[0]) > 1 else found[0],
            found[1],
        ),
    )
    _, err = run(robot, "--mesh-format obj", export[0], str(robot.with_name(export[1])), status=3)
    assert "is another file than the one that was proven" in err
    assert not robot.with_name("out_meshes").exists() and not robot.with_name(export[1]).exists()


def test_mjcf_that_names_a_mesh_for_another_is_refused(robot, monkeypatch):
    right = MjcfMeshFiles.refer
    targets = []

    def refer(self, name, target):
        targets.append(target)
        right(self, name, targets[0] if len(targets) == 2 else target)

    monkeypatch.setattr(MjcfMeshFiles, "refer", refer)
    _, err = run(robot, "--mesh-format obj --mjcf", str(robot.with_name("out.xml")), status=3)
    assert "MJCF: " in err and len(targets) > 2


def test_a_file_that_is_named_after_another_part_is_refused(robot, monkeypatch):
    right = format_converter.finish_files

    def finish(files, colors, **more):
        first, second, *rest = files
        return right(
            [first._replace(part=second.part), second._replace(part=first.part), *rest],
            colors,
            **more,
        )

    monkeypatch.setattr(format_converter, "finish_files", finish)
    _, err = run(robot, "--mesh-format obj", status=3)
    assert "is named after another file than the one that was proven" in err


def test_gltf_keeps_one_visual_and_collisions_are_obj(robot):
    printed, _ = run(robot, "--mesh-format gltf")
    assert meshes_of(robot) == {
        "base": ["out_meshes/tet.gltf", "out_meshes/binary.obj"],
        "two": ["out_meshes/two.gltf", "out_meshes/two_collision.obj"],
        "painted": ["out_meshes/tet_2.gltf", "out_meshes/tet_collision.obj"],
        "shown": ["out_meshes/textured.gltf", "out_meshes/binary.obj"],
    }
    text = robot.with_name("out.urdf").read_text()
    assert text.count("<material") == 1, "one mesh has no color of its own"
    assert "glTF has +Y up" in " ".join(printed.split())
    assert [
        len(read_mesh(str(robot.with_name("out_meshes") / name)).surfaces)
        for name in ("two.gltf", "textured.gltf", "tet.gltf")
    ] == [2, 2, 1]
    (surface,) = read_mesh(str(robot.with_name("out_meshes") / "tet_2.gltf")).surfaces
    assert surface.material.rgba == pytest.approx((0.1, 0.2, 0.3, 1.0), abs=1e-5)


def test_separate_gltf_is_one_file_for_each_color(robot):
    run(robot, "--mesh-format glb --split color --for gazebo")
    assert meshes_of(robot)["two"] == [
        "out_meshes/two_red.glb",
        "out_meshes/two_blue.glb",
        "out_meshes/two.obj",
    ]
    (surface,) = read_mesh(str(robot.with_name("out_meshes") / "tet.glb")).surfaces
    assert list(triangles_of(surface)) == TETRAHEDRON


def test_stl_of_everything_but_binary_stl(robot):
    run(robot, "--split color")  # of COLLADA only
    assert meshes_of(robot)["base"] == [
        "package://my_robot/meshes/tet.stl",
        "package://my_robot/meshes/binary.stl",
    ]
    assert meshes_of(robot)["two"] == ["package://my_robot/meshes/two.obj"] * 2
    assert files(robot) == ["textured_red.stl", "textured_wood.stl"]
    run(robot, "--split color --mesh-format stl")
    assert meshes_of(robot)["base"] == [
        "out_meshes/tet.stl",
        "package://my_robot/meshes/binary.stl",
    ]
    assert meshes_of(robot)["two"] == [
        "out_meshes/two_red.stl",
        "out_meshes/two_blue.stl",
        "out_meshes/two.stl",
    ]
    for name in ("tet.stl", "two.stl"):
        (surface,) = read_mesh(str(robot.with_name("out_meshes") / name)).surfaces
        assert sorted(triangles_of(surface)) == sorted(TETRAHEDRON)
    run(robot, "--mesh-format stl")
    assert meshes_of(robot)["base"] == [
        "out_meshes/tet.stl",
        "package://my_robot/meshes/binary.stl",
    ]
    assert meshes_of(robot)["two"] == ["out_meshes/two.stl"] * 2


@pytest.mark.parametrize(
    "words, now",
    [
        (["--separate-dae-meshes"], ["--split", "color"]),
        (["--combine-dae-meshes"], ["--mesh-format", "stl"]),
        (["--combine"], ["--mesh-format", "stl"]),
        (
            ["--mesh-format", "obj", "--separate-dae-meshes"],
            ["--mesh-format", "obj", "--split", "color"],
        ),
    ],
)
def test_the_words_of_the_first_users(robot, words, now):
    run(robot, *words, "--append-mesh-type")
    before, text = meshes_of(robot), robot.with_name("out.urdf").read_bytes()
    ending = "obj" if "obj" in words else "stl"
    assert before["shown"][:-1] == (
        [f"out_meshes/textured_{name}_visual.{ending}" for name in ("red", "wood")]
        if "--split" in now
        else ["out_meshes/textured_visual.stl"]
    )
    run(robot, *now, "--append-mesh-type")
    assert meshes_of(robot) == before and robot.with_name("out.urdf").read_bytes() == text


@pytest.mark.parametrize(
    "paths, expected",
    [
        ("relative", ["meshes/tet.stl", "meshes/binary.stl"]),
        ("keep", ["package://my_robot/meshes/tet.stl", "package://my_robot/meshes/binary.stl"]),
        (
            "package://my_robot",
            ["package://my_robot/meshes/tet.stl", "package://my_robot/meshes/binary.stl"],
        ),
    ],
)
def test_mesh_paths_rename_all_meshes(robot, paths, expected):
    run(robot, "--mesh-paths", paths)
    assert meshes_of(robot)["base"] == expected
    assert not robot.with_name("out_meshes").exists()


def test_relative_names_become_those_of_a_package(robot):
    robot.write_text(
        robot.read_text()
        .replace("package://my_robot/meshes/binary.stl", "./meshes/binary.stl")
        .replace("package://my_robot/meshes/two.obj", "gone/two.obj")
    )
    run(robot, "--mesh-paths package://my_robot")
    assert meshes_of(robot)["base"][1] == "package://my_robot/meshes/binary.stl"
    _, complaints = run(
        robot,
        "--mesh-paths package://my_robot --mesh-format glb --split color -q",
    )
    assert meshes_of(robot)["base"][1] == "package://my_robot/out_meshes/binary.obj"
    assert meshes_of(robot)["two"] == ["gone/two.obj"] * 2
    assert meshes_of(robot)["shown"][0] == "package://my_robot/out_meshes/textured_red.glb"
    assert "robot.urdf:9: 'gone/two.obj' is not found: its name is kept" in complaints


@pytest.mark.parametrize(
    "options, sentences",
    [
        (
            ["--mesh-format", "obj"],
            [
                "Meshes: 9 OBJ files",
                "8 meshes converted",
                "Meshes: 9 files, 26 triangles: the polygons of the mesh files color",
                "writes 9 meshes and 7 files with them to",
                "Meshes: 9 in",
            ],
        ),
        (
            ["--mesh-format", "gltf"],
            ["Meshes: 4 glTF and 3 OBJ files", "8 meshes converted", "Meshes: 7 in"],
        ),
        (
            ["--mesh-format", "glb", "--split", "color"],
            ["Meshes: 6 GLB and 3 OBJ files", "8 meshes converted"],
        ),
        (
            ["--split", "color"],
            ["COLLADA meshes: 2 STL files", "1 COLLADA mesh split", "writes 2 meshes to"],
        ),
        (
            ["--split", "color", "--mesh-format", "stl"],
            ["Meshes: 8 STL files", "6 meshes converted", "writes 8 meshes to"],
        ),
        (
            ["--mesh-paths", "relative"],
            ["COLLADA meshes 1 COLLADA mesh left as it is: MuJoCo cannot"],
        ),
    ],
)
def test_the_report_says_what_the_meshes_are(robot, options, sentences):
    printed, _ = run(robot, "--full", *options)
    said = " ".join(printed.split())
    assert [sentence for sentence in sentences if sentence not in said] == [], said


def test_for_mujoco(robot):
    printed, _ = run(robot, "--for mujoco")
    text = robot.with_name("out.urdf").read_text()
    assert (
        '<compiler discardvisual="false" strippath="false" meshdir="."/>' in text
        and "package://" not in text
    )
    assert "For MuJoCo: --mesh-format obj, binary STL stays, --mesh-paths relative" in " ".join(
        printed.split()
    )
    assert meshes_of(robot)["two"] == [
        "out_meshes/two_red.obj",
        "out_meshes/two_blue.obj",
        "out_meshes/two.obj",
    ]


def test_for_mujoco_stl_stays_and_a_visual_and_its_collision_are_one_file(robot):
    text = (
        robot.read_text()
        .replace('tet.glb"/></geometry>', 'tet.stl"/></geometry>')
        .replace("textured.dae", "binary.stl")
        .replace("two.obj", "tet.glb")
    )
    robot.write_text(text)
    run(robot, "--for mujoco")
    assert meshes_of(robot) == {
        "base": ["out_meshes/tet.obj", "meshes/binary.stl"],
        "two": ["out_meshes/tet_2.obj"] * 2,
        # Another color than that of the base, which its MTL has.
        "painted": ["out_meshes/tet_3.obj", "out_meshes/tet.obj"],
        "shown": ["meshes/binary.stl"] * 2,
    }
    objs = sorted(path.name for path in (robot.parent / "out_meshes").glob("*.obj"))
    assert objs == ["tet.obj", "tet_2.obj", "tet_3.obj"]
    run(robot, "--for mujoco --mesh-format obj --force")
    assert meshes_of(robot)["shown"] == ["out_meshes/binary.obj"] * 2
    run(robot, "--for mujoco --append-mesh-type --force")
    assert meshes_of(robot)["painted"] == [
        "out_meshes/tet_3_visual.obj",
        "out_meshes/tet_2_collision.obj",
    ]


def test_a_flat_stl_that_stays_is_left_to_do(robot):
    (robot.parent / "meshes" / "binary.stl").write_bytes(
        binary_stl([((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((1, 0, 0), (1, 1, 0), (0, 1, 0))])
    )
    assert "'meshes/binary.stl' is planar" in left_for("MuJoCo", run(robot, "--for mujoco")[0])


def test_single_options_overrule_a_profile(robot):
    run(robot, "--for mujoco --mesh-format stl --mesh-paths keep")
    assert meshes_of(robot)["base"] == [
        "out_meshes/tet.stl",
        "package://my_robot/meshes/binary.stl",
    ]


@pytest.mark.parametrize(
    "block, expected",
    [
        (
            '<mujoco><compiler meshdir="x" strippath="true"/></mujoco>',
            '<mujoco><compiler meshdir="." strippath="false" discardvisual="false"/></mujoco>',
        ),
        (
            "<mujoco><size njmax='5'/></mujoco>",
            'discardvisual="false" strippath="false" meshdir="."/>',
        ),
    ],
)
def test_a_compiler_block_that_is_there_is_completed(robot, block, expected):
    robot.write_text(robot.read_text().replace("</robot>", f"{block}</robot>"))
    run(robot, "--for mujoco")
    text = robot.with_name("out.urdf").read_text()
    assert expected in text and text.count("<mujoco") == text.count("<compiler") == 1


def test_what_is_left_to_do_is_said_with_its_line(robot):
    text = (
        robot.read_text()
        .replace("two.obj", "two.fbx", 1)
        .replace('value="1"/><inertia ixx="1"', 'value="1"/><inertia ixx="9"', 3)
    )
    robot.write_text(
        text.replace(
            '<link name="shown">\n    <inertial>', '<link name="shown">\n    <!--'
        ).replace(
            'izz="1"/></inertial>\n    <visual><geometry><mesh filename="package://my_robot/meshes/text',
            'izz="1"/>-->\n    <visual><geometry><mesh filename="package://my_robot/meshes/text',
        )
    )
    (robot.parent / "meshes" / "two.fbx").write_text("fbx\n")
    printed, _ = run(robot, "--for mujoco --full")
    said = left_for("MuJoCo", printed)
    flat = "is planar: give it a thickness, or leave it out with --strip"
    result = robot.with_name("out.urdf").read_text().splitlines()
    found = [
        re.search(rf"line (\d+): {re.escape(sentence)}", said)
        for sentence in (
            "mesh 'meshes/two.fbx' is in a format that the program does not read: save it as OBJ or STL",
            "link 'two': not physical: the principal moments violate A + B >= C: correct its <inertia> (urdf-simplify",
            "link 'painted': not physical: the principal moments violate A + B >= C: correct its <inertia> (urdf-simplify",
            "link 'shown' moves and has no mass: give it an <inertial> (urdf-simplify lint --fix does)",
            f"mesh 'out_meshes/textured_red.obj' {flat}",
            f"mesh 'out_meshes/textured_wood.obj' {flat}",
        )
    ]
    places = [result[int(one.group(1)) - 1] for one in found if one]
    assert len(places) == len(found)
    assert all("<link" in place or "<visual" in place for place in places)
    assert "1 .fbx file left as it is" in " ".join(printed.split())


def test_what_is_written_as_mjcf_is_not_to_be_corrected_for_mujoco(robot):
    """A link without mass between two joints: MJCF has both in one body, and the URDF cannot."""
    text = robot.read_text()
    inertial = re.search(r"<inertial>.*?</inertial>", text, re.S)
    assert inertial is not None
    robot.write_text(
        text.replace(
            "</robot>",
            f"""<link name="between"/><link name="last">{inertial.group()}</link>
<joint name="a" type="continuous"><parent link="shown"/><child link="between"/></joint>
<joint name="b" type="continuous"><parent link="between"/><child link="last"/></joint></robot>""",
        )
    )
    printed, _ = run(robot, "--for mujoco --mjcf", str(robot.with_name("arm.xml")), "--full")
    said = left_for("MuJoCo", printed)
    assert (
        "link 'between' moves and has no mass in the URDF; arm.xml is fine: give it an <inertial> in the URDF"
        in said
    )


def test_a_robot_that_its_program_loads_has_a_plain_verdict(robot):
    robot.write_text(
        '<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
        '<visual><geometry><box size="1 1 1"/></geometry></visual></link></robot>'
    )
    printed, _ = run(robot, "--for mujoco")
    assert "OK Same robot: verified" in printed and "refuses" not in printed


@pytest.mark.parametrize("output", ("out.urdf", "elsewhere/out.urdf"))
def test_a_visual_keeps_its_image_beside_a_mesh_without_colors(tmp_path, output):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a.stl").write_bytes(binary_stl(TETRAHEDRON))
    (tmp_path / "robot.urdf").write_text(
        '<robot name="r"><link name="a"><visual><geometry><mesh filename="a.stl"/></geometry><material name="m">'
        '<texture filename="wood.png"/></material></visual></link></robot>'
    )
    result = simplify(tmp_path / "robot.urdf", tmp_path / output, mesh_format="glb")
    assert f'filename="{"../" * output.count("/")}wood.png"' in result.text


def test_an_obj_of_which_mujoco_reads_one_object_is_left_to_do(robot):
    """It stays where it cannot be converted; one that can be becomes a file for each object."""
    printed, _ = run(robot, "--for mujoco")
    assert "holds several objects" not in printed
    break_two(robot)
    printed, _ = run(robot, "--for mujoco --full")
    left = left_for("MuJoCo", printed)
    what = "mesh 'meshes/two.obj' holds several objects, and the program reads only the first: save each in a file of its own"
    lines = re.findall(rf"line (\d+): {what}", left)
    assert len(lines) == 2
    printed, _ = run(robot, "--for mujoco")
    assert f"line {lines[0]}: {what}; also line {lines[1]} " in " ".join(printed.split())


def break_two(robot):
    """Let `two.obj` name a vertex that it does not have."""
    path = robot.parent / "meshes" / "two.obj"
    path.write_text(f"{path.read_text()}f 1 2 9\n")


def test_an_obj_that_cannot_be_read_is_left_to_do(robot, monkeypatch):
    """It is only looked at here, so the run goes on."""
    monkeypatch.setattr(loading_problems, "read_bytes", lambda path: read_bytes(path, most=10))
    break_two(robot)
    printed, _ = run(robot, "--for mujoco --full")
    said = left_for("MuJoCo", printed)
    assert said.count("'meshes/two.obj' is larger than 10 bytes: export it again") == 2


@pytest.mark.parametrize(
    "name, follows, what",
    [
        ("j_camera", "j_two", "is fixed and has a <mimic>"),
        ("j_two", "j_camera", "mimics 'j_camera', which is fixed"),
    ],
)
def test_a_mimic_of_fixed_joints_is_left_to_do_for_drake(robot, name, follows, what):
    text = robot.read_text().replace(
        "</robot>",
        "<link name='camera'/><joint name='j_camera' type='fixed'><parent "
        "link='painted'/><child link='camera'/></joint></robot>",
    )
    before, found, after = text.partition(
        f'<joint name="{name}"' if name == "j_two" else f"<joint name='{name}'"
    )
    robot.write_text(
        before + found + after.replace("</joint>", f"<mimic joint='{follows}'/></joint>", 1)
    )
    printed, _ = run(robot, "--for drake --no-merge")
    said = left_for("Drake", printed)
    line = re.search(rf"line (\d+): joint '{name}' {what}: remove its <mimic>", said)
    assert (
        line
        and name in robot.with_name("out.urdf").read_text().splitlines()[int(line.group(1)) - 1]
    )
    assert said.count("remove its <mimic>") == 1
    assert "remove its <mimic>" not in run(robot, "--for mujoco --no-merge")[0]


def test_a_jpeg_beside_an_obj_is_warned_of(robot):
    (robot.parent / "meshes" / "wood.png").write_bytes(JPEG)
    _, complaints = run(robot, "--mesh-format obj -q")
    assert (
        "Drake draws no OBJ that shows a JPEG (wood.jpg), and MuJoCo reads PNG only" in complaints
    )
    assert "wood.jpg" in files(robot)
    _, complaints = run(robot, "--mesh-format gltf -q")
    assert "JPEG" not in complaints


@pytest.mark.parametrize(
    "options, message",
    [
        (
            ["--separate-dae-meshes", "--combine-dae-meshes"],
            "--separate-dae-meshes and --combine-dae-meshes cannot be combined",
        ),
        (
            ["--combine", "--mesh-dir=x", "--separate-dae-meshes"],
            "--combine and --separate-dae-meshes cannot be combined",
        ),
        (["--split", "file"], "--split file: give color or material"),
        (["--mesh-paths", "absolute"], "--mesh-paths absolute: give relative or package://NAME"),
        (["--scale", "0.001"], "--scale needs --mesh-format, --split, --for or --visual-error"),
        (
            ["--append-mesh-type"],
            "--append-mesh-type needs --mesh-dir, --mesh-format, --split, --for or --visual-error",
        ),
        (["--mesh-paths", "package://other"], "no folder is known for the package 'other'"),
        (["--mesh-format", "fbx"], "--mesh-format fbx"),
        (["--for", "blender"], "--for blender"),
    ],
)
def test_refused(robot, options, message):
    assert message in run(robot, *options, status=2)[1]
    assert not robot.with_name("out.urdf").exists() and not robot.with_name("out_meshes").exists()


def test_a_mesh_that_is_broken_stays_and_is_named(robot):
    (robot.parent / "meshes" / "two.obj").write_text("v 0 0 0\nf 1 2 3\n")
    _, complaints = run(robot, "--mesh-format obj -q")
    assert "two.obj:2: a face names 'v' 2, but there are 1 so far" in complaints
    assert meshes_of(robot)["two"] == ["package://my_robot/meshes/two.obj"] * 2
    run(robot, "--mesh-format obj --require-meshes -q", status=2)


def test_a_second_run_writes_the_same_and_foreign_files_are_kept(robot):
    run(robot, "--mesh-format gltf -q")
    folder = robot.with_name("out_meshes")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    run(robot, "--mesh-format gltf -q")
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    (folder / "two.gltf").write_text("{}")
    _, complaints = run(robot, "--mesh-format gltf -q", status=2)
    assert "two.gltf" in complaints and (folder / "two.gltf").read_text() == "{}"
    run(robot, "--mesh-format gltf -q --force")
    assert (folder / "two.gltf").read_bytes() == before["two.gltf"]


@pytest.mark.parametrize("changed", ["two.obj", "wood.png"])
def test_in_a_shared_folder_only_the_same_is_replaced(robot, changed):
    shared = robot.with_name("shared_meshes")
    run(robot, "--mesh-format obj --mesh-dir", str(shared), "-q")
    run(robot, "--mesh-format obj --mesh-dir", str(shared), "-q")
    (shared / changed).write_bytes((shared / changed).read_bytes() + b"\n")
    _, complaints = run(robot, "--mesh-format obj --mesh-dir", str(shared), "-q", status=2)
    assert changed in complaints


def test_the_single_file_hands_over(robot):
    import subprocess
    import sys

    done = subprocess.run(
        [
            sys.executable,
            str(ROOT / "urdf_simplify.py"),
            str(robot),
            "-o",
            str(robot.with_name("out.urdf")),
            "-y",
            "-q",
            "--for",
            "mujoco",
        ],
        check=False,
    )
    assert done.returncode == 0
    assert meshes_of(robot)["base"] == ["out_meshes/tet.obj", "meshes/binary.stl"]


@pytest.mark.parametrize(
    "kind, expected",
    [
        ("stl", "Drake refuses the robot for 4 meshes, the first in line 11 (--for drake)"),
        ("obj", "Drake loads all meshes of the result, as visuals and as collisions"),
        ("gltf", "Drake loads all meshes of the result, as visuals and as collisions"),
        ("glb", "Drake does not draw 4 meshes, the first in line 5 (--for drake)"),
    ],
)
def test_what_drake_makes_of_it(robot, kind, expected):
    printed, _ = run(robot, "--mesh-format", kind)
    assert f" {expected} " in " ".join(printed.split())


@pytest.mark.parametrize(
    "options, mesh, but",
    [
        ("--split color --mesh-format stl", "binary.stl", ", but for binary STL"),
        ("--mesh-format stl", "no.fbx", ", but for binary STL"),
        ("--mesh-format=stl", "", ", but for binary STL"),
        ("--for mujoco", "no.fbx", ""),
        ("--mesh-format obj", "", ""),
    ],
)
def test_a_robot_without_a_mesh_to_convert_is_told_so(robot, options, mesh, but):
    shape = (
        f'<mesh filename="package://my_robot/meshes/{mesh}"/>' if mesh else '<sphere radius="1"/>'
    )
    text = LINK.format(name="base", visual="", collision="", material="")
    robot.write_text(f'<robot name="r">{re.sub("<mesh [^>]*>", shape, text)}</robot>')
    printed, _ = run(robot, *options.split())
    assert (
        f" No mesh is converted: the robot has none that can be read{but} "
        in f"{' '.join(printed.split())} "
    )
    robot.write_text(
        robot.read_text().replace(shape, '<mesh filename="package://my_robot/meshes/two.obj"/>')
    )
    assert "No mesh is converted" not in run(robot, *options.split())[0]


def test_an_image_without_texture_coordinates_is_left_out(robot):
    meshes = robot.parent / "meshes"
    (meshes / "two.mtl").write_text(
        "newmtl red\nKd 1 0 0\nmap_Kd wood.png\nnewmtl blue\nKd 0 0 1\n"
    )
    _, complaints = run(robot, "--mesh-format obj -q")
    assert (
        "material 'red' shows an image, but has no texture coordinates: a flat color is used"
        in complaints
    )
    assert "map_Kd" not in (robot.with_name("out_meshes") / "two_red.mtl").read_text()


def test_a_mesh_that_is_not_found_is_named_from_the_output(robot, capsys):
    output = robot.parent / "elsewhere" / "out.urdf"
    output.parent.mkdir()
    robot.write_text(robot.read_text().replace("package://my_robot/meshes/two.obj", "gone/two.obj"))
    assert main([str(robot), "-o", str(output), "--yes", "-q", "--mesh-paths", "relative"]) == 0
    assert (
        "'gone/two.obj' is not found: its name in the result points to the same place"
        in capsys.readouterr().err
    )
    assert 'filename="../gone/two.obj"' in output.read_text()


# What is new in the URDF is proven like all else.


def test_the_proof_sees_a_name_of_another_file(robot, monkeypatch):
    paths = format_converter.MeshUris
    name = paths.name
    monkeypatch.setattr(paths, "name", lambda self, path: name(self, path.replace("binary", "tet")))
    _, complaints = run(robot, "--mesh-paths relative", status=3)
    assert "is not in the input" in complaints and not robot.with_name("out.urdf").exists()


@pytest.mark.parametrize(
    "damage",
    [
        lambda root: root.find("mujoco").find("compiler").set("discardvisual", "true"),
        lambda root: root.find("mujoco").find("compiler").set("angle", "degree"),
        lambda root: root.find("mujoco").set("model", "x"),
    ],
)
def test_the_proof_sees_another_compiler_block(robot, monkeypatch, damage):
    monkeypatch.setattr(
        apply_plan_passes,
        "PASSES",
        (*apply_plan_passes.PASSES, lambda document, _: damage(document.root)),
    )
    run(robot, "--for mujoco", status=3)


def test_the_proof_sees_a_material_that_was_to_go(robot, monkeypatch):
    two = 'two.obj"/></geometry>'
    robot.write_text(robot.read_text().replace(f"{two}</visual>", f"{two}{PAINT}</visual>"))
    run(robot, "--mesh-format glb")
    monkeypatch.setattr(apply_plan_passes, "detach", lambda *_: None)
    run(robot, "--mesh-format glb", status=3)


# A model without a robot.


def test_a_model_alone(robot, capsys):
    meshes, output = robot.parent / "meshes", robot.with_name("parts")
    assert main(["export", str(meshes / "textured.dae"), "--mesh-format", "gltf", str(output)]) == 0
    assert files(robot, "parts") == ["textured.bin", "textured.gltf", "wood.png"]
    assert main(["export", str(meshes / "two.obj"), str(output)]) == 0
    report = robot.with_name("report.json")
    assert (
        main(["export", str(meshes / "tet.glb"), str(output / "tet.obj"), "--report", str(report)])
        == 0
    )
    printed = capsys.readouterr().out
    assert f"{output / 'two_red.stl'}: 2 triangles, 1 x 1 x 1 m, rgba 1 0 0 1\n" in printed
    record = json.loads(report.read_text())
    assert record["parts"][0]["triangles"] == 4 and record["parts"][0]["file"] == str(
        output / "tet.obj"
    )
    assert files(robot, "parts") == [
        "tet.mtl",
        "tet.obj",
        "textured.bin",
        "textured.gltf",
        "two_blue.stl",
        "two_red.stl",
        "wood.png",
    ]


@pytest.mark.parametrize(
    "targets, names",
    [
        (["parts"], ["textured_red.stl", "textured_wood.stl"]),
        (["parts", "--combine-dae-meshes"], ["textured.stl"]),
        (["parts/model.glb"], ["model.glb"]),
        (["parts/model.gltf"], ["model.bin", "model.gltf", "wood.png"]),
        (["parts/model.stl"], ["model.stl"]),
    ],
)
def test_the_target_of_a_model_says_what_is_written(robot, targets, names, monkeypatch):
    monkeypatch.chdir(robot.parent)
    Path("parts").mkdir()
    assert main(["export", "meshes/textured.dae", *targets]) == 0
    assert files(robot, "parts") == names


@pytest.mark.parametrize(
    "words, message",
    [
        (["two.obj"], "export two.obj converts it"),
        (["export", "tow.obj", "parts"], "tow.obj: no such file (did you mean 'two.obj'?)"),
        (
            ["export", "two.obj", "two.xml"],
            "is exported to a folder, or to STL, OBJ, glTF or GLB, not to 'two.xml'",
        ),
        (
            ["export", "two.obj", "two.obj"],
            "two.obj: this is OBJ already: export it to another format",
        ),
        (
            ["export", "two.obj", "two.glb", "tet.glb"],
            "a mesh is exported to one file or folder, and 'tet.glb' is one more",
        ),
        (
            ["export", "two.obj", "--comine"],
            "export: unknown option --comine (did you mean '--combine'?)",
        ),
        (
            ["export", "two.obj", "--mesh-format", "fbx"],
            "--mesh-format fbx: give stl, obj, gltf or glb",
        ),
        (["export", "gone.glb", "--mesh-format", "stl"], "gone.glb: no such file"),
        (["export", "broken.obj", "parts.stl"], "broken.obj:1: 'v' is not followed by 3 numbers"),
        (["export", "empty.obj", "--mesh-format", "stl"], "empty.obj: draws no triangles"),
    ],
)
def test_a_model_alone_is_refused(robot, words, message, monkeypatch):
    meshes = robot.parent / "meshes"
    (meshes / "broken.obj").write_text("v 1 2\n")
    (meshes / "empty.obj").write_text("# nothing\n")
    monkeypatch.chdir(meshes)
    assert message in commands.refusal(*words)


def test_foreign_files_beside_a_model_are_kept(robot, capsys):
    model, output = robot.parent / "meshes" / "two.obj", robot.with_name("parts")
    output.mkdir()
    (output / "two.glb").write_text("mine")
    words = ["export", str(model), "--mesh-format", "glb", str(output)]
    assert main(words) == 2
    said = capsys.readouterr().err
    assert (
        said
        == f"error: not written by this tool: {output / 'two.glb'}; give another folder, or --force\n"
    )
    assert (output / "two.glb").read_text() == "mine"
    assert main([*words, "--force"]) == 0
    assert main(words) == 0, "the same again"
