"""The exports from the command line: files that appear together, meshes that are found, what is said and refused."""

import json
import re
import shutil
import struct
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import commands
import pytest
from mesh_files import ascii_stl, binary_stl, TETRAHEDRON, tetrahedron
from commands import files_in

from engine import main
import urdf_tools
from urdf_tools.app.package_options import TABLE
from urdf_tools.export import shared_run_values
from urdf_tools.model import json_schema, Robot

PACKAGE = Path(shared_run_values.__file__).resolve().parent.parent
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
ROBOT = f"""<robot name="two">
<link name="base">{INERTIAL}<collision><geometry><mesh filename="meshes/cube.stl"/></geometry></collision></link>
<link name="arm">{INERTIAL}</link><link name="tool0"/><link name="plate">{INERTIAL}</link>
<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="5" velocity="2"/></joint>
<joint name="bolt" type="fixed"><parent link="arm"/><child link="plate"/><origin xyz="0.1 0 0"/></joint>
<joint name="flange" type="fixed"><parent link="plate"/><child link="tool0"/><origin xyz="0 0 0.5"/></joint></robot>
"""
SRDF = """<robot name="two"><group name="g"><joint name="j"/></group>
<group_state name="home" group="g"><joint name="j" value="0.5"/></group_state>
<disable_collisions link1="base" link2="arm" reason="Adjacent"/></robot>
"""


def called(text):
    """Return the exit status of a command line, and its words on both streams."""
    return commands.said(*text.split())


@pytest.fixture
def folder(here):
    """A folder with `robot.urdf`, its SRDF and its mesh."""
    (here / "meshes").mkdir()
    (here / "meshes" / "cube.stl").write_bytes(binary_stl(tetrahedron(low=-0.25)))
    (here / "robot.urdf").write_text(ROBOT)
    (here / "robot.srdf").write_text(SRDF)
    return here


BEFORE = ["meshes/cube.stl", "robot.srdf", "robot.urdf"]


def test_all_files_of_a_run_appear_together(folder):
    (folder / "sim").write_bytes(b"")  # so that no folder of this name can be made
    words = "-o out.urdf --mjcf sim/two.xml --sdf two.sdf --model two.json --report r.json".split()
    status, out, _ = commands.said("robot.urdf", "-y", *words)
    assert status == 2 and files_in(folder) == sorted([*BEFORE, "sim"])
    (folder / "sim").unlink()
    status, out, err = commands.said("robot.urdf", "-y", *words)
    made = ["sim/scene.xml", "sim/two.xml", "two.json", "two.sdf"]
    assert (status, files_in(folder)) == (0, sorted([*BEFORE, *made, "out.urdf", "r.json"]))
    for name in made:
        assert f"  Export: {name}\n" in out
    record = json.loads(Path("r.json").read_text())
    assert sorted(one["path"] for one in record["exports"]) == made
    assert "MJCF: velocity limits are left out, MuJoCo has none" in out
    assert Robot.from_json(Path("two.json").read_text()) == Robot.from_urdf("out.urdf")
    model, scene, sdf = map(Path.read_text, map(Path, ("sim/two.xml", "sim/scene.xml", "two.sdf")))
    assert re.findall('<mesh name="(.*?)".*? file="(.*)"', model) == [
        ("cube", "../meshes/cube.stl")
    ]
    assert re.findall("<uri>(.*)</uri>", sdf) == ["meshes/cube.stl"]
    assert '<include file="two.xml"/>' in scene


def test_the_key_frame_stands_on_the_mesh_and_kept_frames_are_sites(folder):
    status, _, _ = called(
        "robot.urdf -y -q -o out.urdf --keep-frames --mjcf two.xml --srdf robot.srdf",
    )
    top = ElementTree.parse("two.xml").getroot()
    key = top.find("keyframe/key")
    assert status == 0 and key is not None and key.get("qpos") == "0 0 0.25 1 0 0 0 0.5"
    assert [(one.get("body1"), one.get("body2")) for one in top.iterfind("contact/exclude")] == [
        ("base", "arm")
    ]
    site = top.find(".//body[@name='arm']/site")
    assert site is not None and (site.get("name"), site.get("pos")) == ("tool0", "0.1 0 0.5")


def test_an_export_changes_nothing_and_writes_no_urdf(folder):
    status, out, _ = called("export robot.urdf -y two.xml")
    assert (status, files_in(folder)) == (0, sorted([*BEFORE, "scene.xml", "two.xml"]))
    top = ElementTree.parse("two.xml").getroot()
    assert [one.get("name") for one in top.iter("body")] == ["base", "arm", "plate"]
    assert "   The robot stays as it is\n   writes two.xml, scene.xml\n" in out
    assert out.endswith("\nDone!\n  Export: two.xml\n  Export: scene.xml\n")
    assert (
        "Base frame" not in out
        and "merging is left out" not in out
        and "Result joint origins" not in out
    )
    assert called("export robot.urdf -y two.json copy.urdf")[0] == 0
    assert (
        Robot.from_urdf("copy.urdf")
        == Robot.from_urdf("robot.urdf")
        == Robot.from_json(Path("two.json").read_text())
    )


@pytest.mark.parametrize(
    "targets, made",
    [
        ("sim/two.xml", "sim/two_meshes/cube.stl"),
        ("sim/two.xml new/copy.urdf", "new/copy_meshes/cube.stl"),
        ("sim/two.sdf new/b.json --mesh-format obj", "sim/two_meshes/cube.obj"),
        ("new/b.armature.json sim/two.xml --mesh-format obj", "new/b.armature_meshes/cube.obj"),
        ("sim/two.usda copy.urdf --mesh-format obj", "copy_meshes/cube.obj"),
        ("sim/two.xml --mesh-dir all", "all/cube.stl all/cube_2.stl"),
        ("sim/two.xml --mesh-dir all --split color", "all/cube.stl"),
    ],
)
def test_meshes_are_beside_the_urdf_or_the_first_target(folder, targets, made):
    mesh = folder / "meshes" / "cube.stl"
    mesh.write_text(ascii_stl(tetrahedron(low=-0.25)))
    for _ in range(2):  # its own files may be replaced
        assert called(f"export robot.urdf -y -q {targets}")[0] == 0
        meshes = [name for name in files_in(folder) if name.endswith(("stl", "obj"))]
        assert meshes == sorted([*made.split(), "meshes/cube.stl"])
    for file in re.findall(r"\S+\.(?:xml|sdf|urdf|usda)|\S+b\.json", targets):
        assert called(f"compare robot.urdf {file} --aspects meshes")[0] == 0
    mesh.write_text(ascii_stl(TETRAHEDRON))
    if "--mesh-dir" in targets:  # another robot may have meshes there
        assert "another --mesh-dir" in commands.refusal("export", "robot.urdf", *targets.split())


def test_a_scene_that_is_there_stays(folder):
    (folder / "scene.xml").write_text("mine")
    (folder / "two_scene.xml").mkdir()
    status, out, _ = called("export robot.urdf -y two.xml")
    assert status == 0 and "two_scene.xml is there already and stays as it is" in out
    assert (folder / "scene.xml").read_text() == "mine"


def test_files_of_an_earlier_run_are_known(folder):
    words = ("two.xml", "two.sdf")
    assert commands.said("export", "robot.urdf", "-y", *words)[0] == 0
    status, out, _ = commands.said("export", "robot.urdf", "-y", *words)
    assert status == 0 and "replaces two.xml, two.sdf\n" in out


def test_an_export_reads_the_srdf_and_leaves_it(folder):
    assert called("export robot.urdf -y -q two.xml --srdf robot.srdf")[0] == 0
    assert files_in(folder) == sorted([*BEFORE, "scene.xml", "two.xml"])
    text = Path("two.xml").read_text()
    assert '<exclude body1="base" body2="arm"/>' in text and '0.25 1 0 0 0 0.5"' in text


def test_ascii_stl_is_converted(folder):
    (folder / "meshes" / "cube.stl").write_text(ascii_stl(TETRAHEDRON))
    assert called("export robot.urdf -y -q two.xml")[0] == 0
    data = (folder / "two_meshes" / "cube.stl").read_bytes()
    assert struct.unpack("<I", data[80:84]) == (4,) and len(data) == 84 + 4 * 50
    text = Path("two.xml").read_text()
    assert 'meshdir="two_meshes"' in text and 'file="cube.stl"' in text
    (folder / "two_meshes" / "cube.stl").write_bytes(b"mine")
    status, _, err = called("export robot.urdf -y -q two.xml")
    assert status == 2 and "was not written by this tool" in err
    assert (folder / "two_meshes" / "cube.stl").read_bytes() == b"mine"


@pytest.mark.parametrize(
    "data, said",
    [
        (None, "mesh 'meshes/cube.stl' not found: left out of MJCF"),
        (
            b"nothing",
            "mesh 'meshes/cube.stl' is left out of MJCF: is not STL: it ends at byte 7, within the header",
        ),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "mesh 'meshes/cube.stl' is left out of MJCF: is a Git LFS pointer: git lfs pull",
        ),
        (
            binary_stl(TETRAHEDRON[:1]),
            "mesh 'meshes/cube.stl' is left out of MJCF: it is planar, and a collision",
        ),
    ],
)
def test_a_mesh_that_mujoco_cannot_read_is_left_out_and_named(folder, data, said):
    mesh = folder / "meshes" / "cube.stl"
    mesh.unlink()
    if data is not None:
        mesh.write_bytes(data)
    status, _, err = called("export robot.urdf -y -q two.xml")
    assert status == 0 and said in err
    assert "<geom name" not in Path("two.xml").read_text()


@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["robot.urdf"],
            "robot.urdf: the output is the input file itself: give another TARGET, or --force",
        ),
        (
            ["robot.srdf", "two.xml"],
            "the ending of 'robot.srdf' is of no format; there are .xml|.mjcf (MJCF for MuJoCo), ",
        ),
        (
            ["two.usdc"],
            "the ending of 'two.usdc' is of no format (usdcat makes .usd and .usdc of .usda); there are .xml",
        ),
        (
            ["x.xml", "x.mjcf"],
            "two files of one format: x.xml and x.mjcf; export one after the other",
        ),
        (["x.xml", "--report", "x.xml"], "x.xml: --report and TARGET are the same file"),
        (["x.urdf", "--report", "x.urdf"], "x.urdf: TARGET and --report are the same file"),
        (
            ["two.xml", "--actuators", "position"],
            "--actuators position needs a gain, such as --actuators position=100",
        ),
        (
            ["two.xml", "--actuators", "position=-1"],
            "--actuators position=-1: give none, motor, or position with its gain, such as position=100",
        ),
        (
            ["two.xml", "--actuators", "motor=5"],
            "--actuators motor=5: give none, motor, or position with its gain",
        ),
        (
            ["two.xml", "--actuators", "velocity"],
            "--actuators velocity: give none, motor, or position with its gain",
        ),
        (["two.xml", "--base", "loose"], "--base loose: give auto, free or fixed"),
        (
            ["two.sdf", "--actuators", "motor"],
            "--actuators needs a target that ends in .xml or .usda",
        ),
        (
            ["two.json", "--base", "fixed"],
            "--base needs a target that ends in .xml or .sdf or .usda",
        ),
        (["two.xml", "--usd-meshes", "inline"], "--usd-meshes needs a target that ends in .usda"),
        (
            ["two.json", "--one-bone-per-joint"],
            "--one-bone-per-joint needs a target that ends in .armature.json",
        ),
        ([""], "the ending of '' is of no format"),
        (["-"], "the ending of '-' is of no format"),
        (["two.xml", "--merge-all"], "export: unknown option --merge-all; it belongs to simplify"),
        (
            ["two.xml", "--page", "x.html"],
            "export: unknown option --page; it belongs to simplify, edit, collision, ",
        ),
        (
            ["two.xml", "-o", "x.xml"],
            "export: unknown option -o: the files to write follow the robot, as in ",
        ),
        (
            ["--mjcf", "two.xml"],
            "export: unknown option --mjcf; ",
        ),
        ([], "export robot.urdf to what? Name a file for each format, such as robot.xml robot.sdf"),
    ],
)
def test_what_cannot_be_is_refused_before_anything_is_written(folder, words, message):
    sentence = commands.refusal("export", "robot.urdf", "-y", "-q", *words)
    assert sentence.startswith(message) and sentence.count("\n") == 1


@pytest.mark.parametrize(
    "words, message",
    [
        (["--check", "--page", "x.html"], "--check and --page cannot be combined"),
        (["--check", "--adapter", "x.py"], "--check and --adapter cannot be combined"),
        (["--diff", "--page", "x.html"], "--diff and --page cannot be combined"),
        (["--page", ""], "--page '': give the name of a file"),
        (
            ["--page", "-"],
            "--page -: give the name of a file; only --output can be standard output",
        ),
        (["--page", "robot.urdf"], "robot.urdf: an input and --page are the same file"),
        (["--page", "x.py", "--adapter", "x.py"], "x.py: --adapter and --page are the same file"),
        (["--triangles", "0"], "simplify: unknown option --triangles; it belongs to view"),
    ],
)
def test_what_a_run_cannot_write_beside_the_robot_is_refused(folder, words, message):
    assert commands.refusal("robot.urdf", "-y", "-q", *words) == f"{message}\n"


def test_every_choice_that_the_code_reads_is_one_of_the_table():
    """A name that no row has would stop a run with a KeyError."""
    read = {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r'\bchoices(?:\.get\(|\[)"(\w+)"', path.read_text("utf-8"))
    }
    assert "mesh_format" in read and read <= {"verb", "files", *(row.name for row in TABLE), "for_"}


def test_packages_are_found_from_the_input_too(folder):
    """The result lies elsewhere, and its package:// names are those of the input: only of these there is a warning."""
    (folder / "package.xml").write_text("<package><name>two_description</name></package>")
    text = ROBOT.replace("meshes/", "package://two_description/meshes/").replace(
        '<link name="arm">',
        '<link name="arm">' + MESH.format("package://two_description/meshes/cube.stl"),
    )
    (folder / "robot.urdf").write_text(text)
    (folder.parent / "elsewhere").mkdir(exist_ok=True)
    output = str(folder.parent / "elsewhere" / "out")
    words = f"-o {output}.urdf --mjcf {output}.xml --armature {output}.json"
    status, _, err = called(f"robot.urdf -y -q {words}")
    assert (status, "not there" in err, err.count("not found")) == (0, False, 1), err
    assert "is not found from the folder of the output, as the package is in" in err
    assert (
        "cube.stl" in Path(f"{output}.xml").read_text()
        and "cube.stl" in Path(f"{output}.json").read_text()
    )


def test_each_robot_of_a_folder_has_its_scene(folder):
    """The first is scene.xml, others are named after their models; each stays as it is once it is there."""
    scenes = {"one.xml": "scene.xml", "two.xml": "two_scene.xml", "two.mjcf": "two_scene.xml"}
    for name in ("one.xml", "one.xml", "two.xml", "two.xml", "two.mjcf"):
        status, _, err = called(f"robot.urdf -y -q -o out.urdf --mjcf {name}")
        assert (status, "does not include 'two.mjcf'" in err) == (0, name == "two.mjcf")
        include = ElementTree.parse(scenes[name]).getroot().find("include")
        assert include is not None and include.get("file") == name.replace(".mjcf", ".xml")


def test_a_refusal_names_the_line(folder):
    text = ROBOT.replace(
        'iyy="0.02" izz="0.02"/></inertial></link><link name="tool0"',
        ('iyy="0.02" izz="0.2"/></inertial></link><link name="tool0"'),
    )
    (folder / "robot.urdf").write_text(text)
    status, _, err = called("export robot.urdf -y -q two.xml --no-fix")
    assert (status, files_in(folder)) == (2, BEFORE)
    assert err.startswith(
        "error: robot.urdf:3: link 'arm': no body has the principal moments 0.02 0.02 0.2"
    )
    # Other errors stay, for which lint ends with 1.
    assert main(["lint", "robot.urdf", "--fix", "--force", "-y", "-q"]) == 1
    assert called("export robot.urdf -y -q two.xml")[0] == 0


def test_collada_is_converted_first(folder):
    fixture = Path(__file__).resolve().parent.parent.parent / "fixtures" / "painted_arm"
    for mesh in (fixture / "meshes").glob("*.*"):
        shutil.copy(mesh, folder / "meshes")
    (folder / "robot.urdf").write_bytes((fixture / "robot.urdf").read_bytes())
    before = files_in(folder)
    status, _, err = called("robot.urdf -y -q -o out.urdf --mjcf two.xml")
    assert (
        status == 2
        and "MuJoCo cannot read COLLADA ('meshes/base.dae' and " in err
        and files_in(folder) == before
    )
    assert err.rstrip().endswith("add --split color")
    assert called("robot.urdf -y -q -o out.urdf --mjcf two.xml --separate-dae-meshes")[0] == 0
    top = ElementTree.parse("two.xml").getroot()
    files = [mesh.get("file") or "" for mesh in top.iter("mesh") if mesh.get("file")]
    assert len(files) > 5 and all((folder / "out_meshes" / name).is_file() for name in files)


LEFT_OUT = "mesh 'meshes/cube.dae' is left out of MJCF: it could not be converted"


@pytest.mark.parametrize(
    "name, data, words, said",
    [
        (
            "package://nobody/cube.dae",
            "",
            [],
            "mesh 'package://nobody/cube.dae' not found: left out of MJCF",
        ),
        (
            "meshes/gone.dae",
            "",
            ["--mesh-format", "obj"],
            "mesh 'meshes/gone.dae' not found: left",
        ),
        ("meshes/cube.dae", "<COLLADA", ["--separate-dae-meshes"], LEFT_OUT),
        ("meshes/cube.dae", "<COLLADA", ["--for", "mujoco"], LEFT_OUT),
        (
            "meshes/cube.dae",
            "<COLLADA",
            ["--mesh-paths", "relative"],
            LEFT_OUT,
        ),
        (
            "meshes/cube.dae",
            "<COLLADA",
            [],  # as --for mujoco
            LEFT_OUT,
        ),
    ],
)
def test_why_collada_is_not_in_mjcf(
    folder,
    name,
    data,
    words,
    said,
):
    """It is not found, it cannot be converted, or nobody asked for that."""
    (folder / "robot.urdf").write_text(ROBOT.replace("meshes/cube.stl", name))
    if data:
        (folder / "meshes" / "cube.dae").write_text(data)
    found, _, err = commands.said("export", "robot.urdf", "-y", "-q", "two.xml", *words)
    assert (found, said in " ".join(err.split())) == (0, True), err


@pytest.mark.parametrize("others", [(), ("two.sdf",), ("two.usda", "two.sdf")], ids=str)
def test_the_first_try_of_formats_for_simulators_converts_collada(others, folder, capsys):
    (folder / "meshes" / "cube.dae").write_text("<COLLADA")
    (folder / "robot.urdf").write_text(ROBOT.replace("cube.stl", "cube.dae"))
    assert main(["export", "robot.urdf", "two.xml", *others, "-y", "-q"]) == 0
    assert LEFT_OUT in " ".join(capsys.readouterr().err.split())
    assert all((folder / name).is_file() for name in ("two.xml", *others))
    # A URDF beside them keeps its meshes, unless it is asked for other ones.
    assert main(["export", "robot.urdf", "three.xml", "three.urdf", "-y", "-q"]) == 2
    assert "add --split color" in capsys.readouterr().err


@pytest.mark.parametrize("words", ([], ["--package", "arm=meshes"]))
def test_collada_that_a_macro_names_is_converted_at_once(folder, capsys, monkeypatch, words):
    """The text of the file has no name of a mesh: only what xacro makes of it has."""
    commands.write_command(folder, "xacro", commands.show_file("robot.urdf"))
    monkeypatch.setenv("PATH", commands.on_path(folder))
    (folder / "robot.urdf.xacro").write_text('<robot xmlns:xacro="x"><xacro:all/></robot>')
    (folder / "meshes" / "cube.dae").write_text("<COLLADA")
    (folder / "robot.urdf").write_text(ROBOT.replace("cube.stl", "cube.dae"))
    assert main(["export", "robot.urdf.xacro", "two.xml", "-y", "-q", *words]) == 0
    assert LEFT_OUT in " ".join(capsys.readouterr().err.split())


def test_the_schema_is_json():
    schema = json.loads(json.dumps(json_schema()))
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["format"] == {"const": 1}


def test_a_dry_run_writes_nothing(folder, capsys):
    assert main(["export", "robot.urdf", "two.xml", "two.sdf", "-n"]) == 0
    assert files_in(folder) == BEFORE
    assert "MJCF: two.xml is read again and is the same robot" in capsys.readouterr().out


def test_a_robot_of_standard_input_is_exported_with_yes_alone(folder):
    words, robot = ["export", "-", "two.xml", "-q"], ROBOT.encode()
    refused = commands.run(commands.PACKAGE, *words, answer=robot)
    assert refused.returncode == 2 and files_in(folder) == BEFORE
    assert refused.stderr.endswith(b"so it cannot answer the question: give --yes, or --dry-run\n")
    assert commands.run(commands.PACKAGE, *words, "-y", answer=robot).returncode == 0
    assert files_in(folder) == sorted([*BEFORE, "scene.xml", "two.xml"])


def test_files_of_this_tool_are_known(folder):
    """Those of an earlier run on another robot, too; of one without a mark only what would be written again."""
    files = {
        "--mjcf": "two.xml",
        "--sdf": "two.sdf",
        "--model": "model.json",
        "--page": "two.html",
        "--armature": "two.json",
        "--blender-script": "two.py",
        "--report": "report.json",
    }
    words = [word for option in files.items() for word in option]
    done = [*files.values(), "robot_simplified.urdf"]
    assert commands.said("robot.urdf", "-y", *words)[0] == 0
    for text in (ROBOT, ROBOT.replace('xyz="0 0 1"', 'xyz="0 0 2"')):
        (folder / "robot.urdf").write_text(text)
        said = " ".join(commands.said("robot.urdf", "-y", *words)[1].split())
        announced = said[said.index("replaces ") : said.index("Done!")]
        assert all(name in announced for name in done) and "not marked" not in said
    for name in done:
        (folder / name).write_bytes(b'{"format": 1, "name": "mine"}')
    said = " ".join(commands.said("robot.urdf", "-y", *words)[1].split())
    named = said[said.index("replaces ") : said.index(", not marked as written by this tool")]
    assert sorted(named[len("replaces ") :].split(", ")) == sorted(done)


def test_a_robot_that_came_out_as_it_went_in_may_be_written_again(folder):
    (folder / "robot.urdf").write_text('<robot name="one"><link name="base"/></robot>')
    assert "writes robot_simplified.urdf\n" in called("robot.urdf -y")[1]
    assert "replaces robot_simplified.urdf\n" in called("robot.urdf -y")[1]


def test_a_package_beside_the_urdf_is_found_and_said_once(folder):
    (folder / "robot.urdf").write_text(
        ROBOT.replace("meshes/cube.stl", "package://meshes/cube.stl")
    )
    status, out, _ = called("export robot.urdf -y two.xml two.sdf --mesh-paths relative")
    assert status == 0
    assert (
        " ".join(out.split()).count(
            "a package is taken to be a folder of its name beside the URDF ("
        )
        == 1
    )
    assert '<mesh name="cube" class="two" file="cube.stl"/>' in (folder / "two.xml").read_text()
    assert (
        "<uri>meshes/cube.stl</uri>" in (folder / "two.sdf").read_text()
        and "cannot be seen" not in out
    )


def test_most_shapes_without_a_mesh_are_named_in_the_last_lines(folder):
    text = ROBOT.replace("meshes/cube.stl", "package://assets/cube.stl")
    (folder / "robot.urdf").write_text(text)
    _, out, _ = called("export robot.urdf -y two.xml two.sdf")
    assert (
        "MJCF: 1 of 1 shape cannot be seen, as their meshes are not found: put the files where"
        in (" ".join(out.split()).partition("Done!")[2])
        and "also 'SDF' (1 time)" in " ".join(out.split())
    )
    boxes = "<visual><geometry><box size='1 1 1'/></geometry></visual>" * 2
    (folder / "robot.urdf").write_text(text.replace("</link>", boxes + "</link>", 1))
    assert "cannot be seen" not in called("export robot.urdf -y two.xml")[1]


FAULTY = """<robot name="r"><link name="a"/><link name="b"/>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
<limit lower="0.5" upper="-0.5" effort="1" velocity="1"/></joint></robot>"""


def test_an_export_with_fix_is_lint_fix_and_then_an_export(folder, capsys):
    (folder / "faulty.urdf").write_text(FAULTY)
    assert main(["export", "faulty.urdf", "at_once.xml", "-y", "-q", "--no-fix"]) == 2
    assert "moves and has no mass" in capsys.readouterr().err
    assert main(["export", "faulty.urdf", "at_once.xml", "-y", "--fix"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "repaired: [no-mass] link 'b'" in said and "[limits-reversed] joint 'j'" in said
    assert "2 repairs" in said
    assert (folder / "faulty.urdf").read_text() == FAULTY
    assert main(["lint", "faulty.urdf", "--fix", "-y"]) == 0
    assert main(["export", "faulty_fixed.urdf", "two_runs.xml", "-y", "-q"]) == 0
    at_once, two_runs = ((folder / name).read_text() for name in ("at_once.xml", "two_runs.xml"))
    # The note of the repaired file names the repairs, and the export takes it over.
    assert "repair b mass" in at_once and at_once == two_runs
    by_call = urdf_tools.export(folder / "faulty.urdf", folder / "called.xml", fix=True)
    assert by_call.exported.changes == ("2 repairs",)
    assert (folder / "called.xml").read_text() == at_once


def test_a_refusal_names_the_file_of_the_robot_and_no_line_of_a_text_in_memory(folder):
    deep = "".join(f"<x{i}>" for i in range(300)) + "".join(
        f"</x{i}>" for i in reversed(range(300))
    )
    (folder / "robot.urdf").write_text(
        ROBOT.replace("</robot>", f"<gazebo>{deep}</gazebo></robot>")
    )
    status, _, errors = called("export robot.urdf new.sdf -y")
    assert status == 2
    assert errors == (
        "error: robot.urdf: cannot be written: more than 200 elements inside each other\n"
    )
