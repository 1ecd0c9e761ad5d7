"""What a sentence says to do removes what it says: the faults of a format in one robot, and the same robot cured.

A robot with all faults at once is written, each sentence is found, and none is where each cure was carried out. A cure
that is an option is given, one in words is done to the text or to the file that it is about.
"""

import json
import re
from pathlib import Path

import pytest
from mesh_files import binary_stl
from report.test_examples import CUBE

from urdf_tools.app.command_table import main
from urdf_tools.app.package_options import TABLE
from urdf_tools.export.all_diagnostics import EXPORT_KINDS

KINDS = {kind.name: kind for kind in EXPORT_KINDS}
MASS = '<inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial>'
LIMIT = '<limit lower="-1" upper="1" effort="{}" velocity="1"/>'
TURN = '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{2}"/><axis xyz="{3}"/>{4}</joint>\n'
TRANSMISSION = '<transmission name="t">{}<joint name="a"/><actuator name="m"/></transmission>'


def shape(role, geometry):
    return f"<{role}><geometry>{geometry}</geometry></{role}>\n"


def mesh(name):
    return f'<mesh filename="{name}"/>'


def robot(shapes, effort="1", more="", axis="0 0 1"):
    """Return a robot: a base, a link with a frame on it, a hand of some shapes, and a slide."""
    links = {"base": MASS, "arm": MASS, "mark": "", "hand": MASS + shapes, "slide": MASS}
    return (
        '<robot name="r">\n'
        + "".join(f'<link name="{name}">{inside}</link>\n' for name, inside in links.items())
        + TURN.format("a", "base", "arm", "0 0 1", LIMIT.format(effort))
        + TURN.format("b", "arm", "hand", "0 1 0", LIMIT.format(1))
        + TURN.format("s", "base", "slide", axis, LIMIT.format(1)).replace("revolute", "prismatic")
        + '<joint name="f" type="fixed"><parent link="arm"/><child link="mark"/></joint>\n'
        + more
        + "</robot>"
    )


def of(kind, *sentences):
    return {(kind, sentence) for sentence in sentences}


LEFT_OUT, LOOK = "export-left-out", "export-look"
# By a name: the sentences, the command and the robot with the faults, and both after the cures.
CASES = {
    "mjcf": (
        of(LEFT_OUT, "size", "mesh-missing", "mesh-broken", "mesh-planar", "mesh-small")
        | of("export-actuator", "effort"),
        ("export", "r.xml"),
        robot(
            shape("collision", '<sphere radius="0"/>')
            + "".join(shape("visual", mesh(name)) for name in ("gone.stl", "broken.stl", "one.stl"))
            + shape("collision", mesh("flat.stl")),
            effort="0",
        ),
        ("export", "r.xml"),
        robot(
            shape("collision", '<sphere radius="1"/>')
            + shape("visual", mesh("ring.stl")) * 3
            + shape("collision", mesh("ring.stl"))
        ),
    ),
    "drives": (
        of("export-actuator", "effort"),
        ("export", "r.xml"),
        robot("", effort="0"),
        ("export", "r.xml", "--actuators", "none"),
        robot("", effort="0"),
    ),
    "objects": (
        of(LOOK, "materials"),
        ("export", "r.xml", "--split", "color"),
        robot(shape("visual", mesh("painted.obj"))),
        ("export", "r.xml", "--split", "color", "--mesh-format", "obj"),
        robot(shape("visual", mesh("painted.obj"))),
    ),
    "sdf": (
        of(LEFT_OUT, "mesh-name-kept"),
        ("export", "r.sdf"),
        robot(shape("visual", mesh("package://robots/ring.stl"))),
        ("export", "r.sdf", "--package", "robots=."),
        robot(shape("visual", mesh("package://robots/ring.stl"))),
    ),
    "usd": (
        of(LEFT_OUT, "meshes-usd"),
        ("export", "r.usda", "--usd-meshes", "none"),
        robot(shape("visual", mesh("ring.stl"))),
        ("export", "r.usda"),
        robot(shape("visual", mesh("ring.stl"))),
    ),
    "lint": (
        of("in-drake", "file", "mesh", "size", "texture", "transmission")
        | of("in-pybullet", "axis", "mass", "mesh")
        | of("mimic", "nameless")
        | of("in-urdfdom", "lacks", "color", "twice", "empty"),
        ("lint", "--level", "note"),
        robot(
            shape("collision", '<box size="0 1 1"/>')
            + shape("visual", mesh("gone.obj"))
            + shape("visual", mesh("cube.glb"))
            + shape("collision", mesh("ring.stl"))
            + shape("visual", '<box size="1 1 1"/>').replace(
                "</visual>", '<material name="m"><texture filename="gone.png"/></material></visual>'
            ),
            more=TRANSMISSION.format("")
            + '<material name="n"><color rgba="255 0 0 1"/></material>'
            + '<material name="o"><color rgba="1 0 0 1"/></material>' * 2
            + '<material name="e"/>',
            axis="0 0 2",
        )
        .replace('velocity="1"/></joint>', 'velocity="1"/><mimic/></joint>', 1)
        .replace('<link name="mark">', f'<link name="mark">{shape("collision", mesh("ring.obj"))}'),
        ("lint", "--level", "note"),
        robot(
            shape("collision", '<box size="1 1 1"/>')
            + shape("visual", mesh("ring.obj"))
            + shape("collision", mesh("ring.obj")),
            more=TRANSMISSION.format("<type>T</type>")
            + '<material name="n"><color rgba="1 0 0 1"/></material>'
            + '<material name="o"><color rgba="1 0 0 1"/></material>',
        ).replace('<link name="mark">', f'<link name="mark">{MASS}'),
    ),
}


@pytest.fixture
def folder(here):
    files = {"ring": CUBE, "flat": [CUBE[0]] * 3, "one": CUBE[:1]}
    # Not in one plane, so that it is a solid of MuJoCo.
    files["ring"] = [*CUBE, [(0, 0, 0), (0, 1, 0), (1, 0, 1)], [(0, 1, 0), (1, 0, 1), (0, 0, 1)]]
    for name, triangles in files.items():
        (here / f"{name}.stl").write_bytes(binary_stl(triangles))
    (here / "broken.stl").write_bytes(b"solid")
    (here / "cube.glb").write_bytes(b"")
    (here / "ring.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n")
    (here / "painted.mtl").write_text("newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\n")
    painted = "mtllib painted.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 1 2 3\nusemtl b\nf 1 3 4\n"
    (here / "painted.obj").write_text(painted)
    return here


def found(text, words, capsys):
    """Return the kinds and sentences that a command reports of a robot."""
    Path("r.urdf").write_text(text)
    verb, *options = words
    if verb == "lint":
        main(["lint", "r.urdf", *options, "--format", "json"])
        rows = json.loads(capsys.readouterr().out)["findings"]
    else:
        more = ("-y", "-q", "--force", "--report", "report.json")
        status = main([verb, "r.urdf", *options, *more])
        assert status == 0, capsys.readouterr().err
        rows = json.loads(Path("report.json").read_text())["warnings"]
    return {
        (row["kind"], key)
        for row in rows
        for key, sentence in KINDS[row["kind"]].sentences.items()
        if re.fullmatch(re.sub(r"\\\{.*?\\\}", ".*", re.escape(sentence)), row["message"])
    }


@pytest.mark.parametrize("name", CASES)
def test_each_sentence_is_gone_after_its_cure(name, folder, capsys):
    sentences, words, text, cured_words, cured_text = CASES[name]
    assert sentences <= found(text, words, capsys)
    assert not sentences & found(cured_text, cured_words, capsys)


def test_a_sentence_has_the_cure_of_its_kind_or_one_of_its_own():
    for kind in KINDS.values():
        assert kind.cures.keys() <= kind.sentences.keys(), kind.name
        if kind.cures:
            own = {key: text for key, text in kind.cures.items() if text == kind.hint}
            assert not own, f"{kind.name} says the same cure twice"


def test_each_option_in_a_cure_is_one_of_the_program():
    """With the value that the cure names, if it names one."""
    known = {word for row in TABLE for word in row.spelling.split() if word.startswith("--")}
    for kind in KINDS.values():
        for cure in (kind.hint, *kind.cures.values()):
            assert {*re.findall(r"--[a-z][\w-]*", cure)} <= known | {"--fix"}, (kind.name, cure)
