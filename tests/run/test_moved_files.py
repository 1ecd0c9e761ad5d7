"""Whichever command writes a robot, and wherever: each file that the input finds, the output finds, or it is named."""

import json
import os
import re
import shlex
import shutil
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest
from commands import PACKAGE, run
from mesh_files import binary_stl


INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
HOME = "in pütt"
# Names in a URDF of this folder, and the files that they mean: others find these by ROS's rules, or by `unquote`.
NAMES = {
    "meshes/a.stl": "meshes/a.stl",
    "./meshes//b.stl": "meshes/b.stl",
    "ü/x y.stl": "ü/x y.stl",
    "meshes/p%20q.stl": "meshes/p q.stl",
    "../beside/c.stl": "../beside/c.stl",
    # `link` leads to `../far/inside`; Windows takes `..` out of a name before it follows a link.
    "link/../d.stl": "../far/d.stl" if os.name == "posix" else "d.stl",
    "file:meshes/e.stl": "meshes/e.stl",
    "package://assets/m.stl": "assets/m.stl",
}
PLACES = ("o", "below/o", "new/deep er/ö/o", "../o", "../beside/o", "../a%20b/o", "/o")
# Each command writes a robot; `.urdf` and so on is the format.
COMMANDS = (
    ("simplify IN -o OUT", ".urdf"),
    ("edit IN --rename arm=limb -o OUT", ".urdf"),
    ("collision IN --shape box -o OUT", ".urdf"),
    ("lint IN --fix --select limits-reversed -o OUT", ".urdf"),
    ("export IN OUT", ".urdf"),
    ("export IN OUT", ".json"),
    ("export IN OUT", ".xml"),
    ("export IN OUT", ".sdf"),
    ("export IN OUT", ".armature.json"),
)


def robot(names, block=""):
    visuals = "".join(
        f'<visual><geometry><mesh filename="{name}"/></geometry></visual>' for name in names
    )
    return (
        f'<robot name="r">{block}<link name="base">{INERTIAL}</link><link name="arm">{INERTIAL}{visuals}'
        f'<collision><geometry><mesh filename="{names[0]}"/></geometry></collision></link>'
        '<joint name="j" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>'
        '<limit lower="1" upper="-1" effort="1" velocity="1"/></joint></robot>'
    )


@pytest.fixture
def world(tmp_path, monkeypatch):
    """The folder of a robot and its meshes, of which no two are equal; runs begin beside it."""
    monkeypatch.setattr(
        os, "environ", {**os.environ, "ROS_PACKAGE_PATH": "", "AMENT_PREFIX_PATH": ""}
    )
    home = tmp_path / "w" / HOME
    (tmp_path / "w" / "far" / "inside").mkdir(parents=True)
    home.mkdir()
    if os.name == "posix":
        (home / "link").symlink_to(tmp_path / "w" / "far" / "inside", target_is_directory=True)
    for number, file in enumerate(NAMES.values()):
        path = Path(os.path.normpath(home / file))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(
            binary_stl(
                [[(0, 0, 0), (number + 1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 1, 0), (0, 0, 1)]]
            )
        )
    (home / "r.urdf").write_text(robot([*NAMES]))
    monkeypatch.chdir(home)
    return home


def names_in(path):
    """The names of meshes in a robot of any format, as its own readers take them from its text."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        found = re.findall(r'"(?:filename|mesh|source|file)": ("[^"]*\.stl")', text)
        return [json.loads(name) for name in found]
    tree = ElementTree.fromstring(text)
    attributes = [each.get("filename") or each.get("file") or "" for each in tree.iter("mesh")]
    return [*filter(None, attributes), *(each.text or "" for each in tree.iter("uri"))]


def files_of(path):
    """The meshes that a robot finds from its folder: no package is known to its reader."""
    return set().union(*(files_named(name, path.parent) for name in names_in(path)))


def files_named(name, folder):
    """The file of a name as URDF readers take it, or as those that read URLs."""
    plain = name.strip()
    plain = plain[len("file:") :] if plain.startswith("file:") else plain
    places = {folder / plain, folder / unquote(plain)}
    return {place.read_bytes() for place in places if place.is_file()}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize(("verb", "ending"), COMMANDS)
def test_each_file_is_found_or_named(verb, ending, place, world, tmp_path):
    output = f"{tmp_path}/root{place}{ending}" if place[0] == "/" else f"{place}{ending}"
    words = verb.replace("IN", "r.urdf").split()
    done = run(PACKAGE, *(output if word == "OUT" else word for word in words), "-y")
    assert done.returncode == 0, done.stderr.decode()
    said = " ".join((done.stdout + done.stderr).decode().split())
    lost = {(world / file).read_bytes() for file in NAMES.values()} - files_of(world / output)
    packaged = (world / NAMES["package://assets/m.stl"]).read_bytes()
    assert lost <= {packaged}
    # A reader that looks beside the file and above it finds the package, too; from elsewhere a warning gives the cure.
    is_near = place in ("o", "below/o", "new/deep er/ö/o")
    assert ('--package "assets=' in said) == (bool(lost) and not is_near)


def test_the_files_of_a_robot_that_is_attached_are_found_or_named(world):
    (world / "arm").mkdir()
    (world / "arm" / "arm.urdf").write_text('<robot name="arm"><link name="root"/></robot>')
    words = ("--attach", "r.urdf root prefix=r_", "-o", "out/o.urdf", "-y")
    done = run(PACKAGE, "edit", "arm/arm.urdf", *words)
    assert done.returncode == 0, done.stderr.decode()
    packaged = (world / NAMES["package://assets/m.stl"]).read_bytes()
    found = files_of(world / "out" / "o.urdf")
    assert found == {(world / file).read_bytes() for file in NAMES.values()} - {packaged}


def test_a_package_of_the_output_that_is_another_is_no_find(world):
    """The usual case of two robots with `assets` beside each: the mesh of the other robot would be drawn."""
    other = world / "other" / "assets" / "m.stl"
    other.parent.mkdir(parents=True)
    other.write_bytes(b"of another robot")
    done = run(PACKAGE, "simplify", "r.urdf", "-o", "other/o.urdf", "-y")
    cure = f'--package "assets={world / "assets"}"'
    assert cure in " ".join(done.stdout.decode().split())


def test_the_cure_of_a_lost_package_works_when_it_is_pasted(world):
    done = run(PACKAGE, "lint", "r.urdf", "--fix", "-o", "../far/o.urdf", "-y")
    (cure,) = re.findall("--package .*", done.stderr.decode())
    words = [
        "lint",
        "../far/o.urdf",
        "--select",
        "package-unknown,mesh-not-found",
        "--format",
        "json",
    ]
    counts = [
        len(json.loads(run(PACKAGE, *words, *more).stdout)["findings"])
        for more in ([], shlex.split(cure))
    ]
    assert counts == [1, 0]


@pytest.mark.parametrize(
    ("compiler", "name"),
    (
        (
            'meshdir="meshes"',
            "/ABSOLUTE/meshes/a.stl",
        ),  # MuJoCo finds it as it is, or by its name in meshdir
        ('strippath="false"', "file:p%20q.stl"),
        ("", "file:p%20q.stl"),
        ("", "./meshes/p%20q.stl"),
    ),
)
@pytest.mark.parametrize(
    "more", ("simplify -o", "simplify --mesh-paths relative -o", "edit --prefix x_ -o")
)
def test_the_proof_knows_the_files_of_these_names(more, compiler, name, world):
    """They were refused as a fault of the tool, some of them in a folder alone that is not made yet."""
    shutil.copy("meshes/p q.stl", "p q.stl")
    (world / "meshes" / "p%20q.stl").write_bytes(b"of a name with %20 in it")
    block = f"<mujoco><compiler {compiler}/></mujoco>" if compiler else ""
    (world / "r.urdf").write_text(robot([name.replace("/ABSOLUTE", str(world))], block))
    verb, *words = more.split()
    done = run(PACKAGE, verb, "r.urdf", *words, "new/deep/er/o.urdf", "-y")
    assert done.returncode == 0, done.stderr.decode()
    wanted = {"/": "meshes/a.stl", "f": "p q.stl", ".": "meshes/p%20q.stl"}
    file = (world / wanted[name[0]]).read_bytes()
    assert file in files_of(world / "new" / "deep" / "er" / "o.urdf")


def test_a_package_that_only_mujoco_finds_from_the_output_is_named(world):
    block = '<mujoco><compiler meshdir="assets"/></mujoco>'
    (world / "r.urdf").write_text(robot(["package://assets/m.stl"], block))
    done = run(PACKAGE, "simplify", "r.urdf", "-o", "../o.urdf", "-y")
    assert '--package "assets=' in " ".join(done.stdout.decode().split())


def test_meshes_are_copied_into_a_folder_whose_name_holds_a_percent_sign(world):
    """The copies are not there yet when their names are proven: no other spelling of them is, either."""
    (world / "r.urdf").write_text(robot(["meshes/a.stl"]))
    words = ("--mesh-dir", "d%20e/md", "-o", "new/o.urdf", "-y")
    done = run(PACKAGE, "simplify", "r.urdf", *words)
    assert done.returncode == 0, done.stderr.decode()
    assert files_of(world / "new" / "o.urdf") == {(world / "meshes" / "a.stl").read_bytes()}


def test_mujoco_s_folder_is_known_in_a_folder_that_is_not_made_yet(world):
    """Beside a URI its meshdir moves, too, and a name could then mean a file of either."""
    block = '<mujoco><compiler meshdir="." strippath="false"/></mujoco>'
    names = ["d.stl", f"file://{world.as_posix()}/meshes/a.stl"]
    (world / "d.stl").write_bytes((world / NAMES["link/../d.stl"]).read_bytes())
    (world / "r.urdf").write_text(robot(names, block))
    done = run(PACKAGE, "simplify", "r.urdf", "-o", "new/deep/o.urdf", "-y")
    assert done.returncode == 0, done.stderr.decode()
    assert (world / "d.stl").read_bytes() in files_of(world / "new" / "deep" / "o.urdf")
