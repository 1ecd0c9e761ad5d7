"""The example of every kind is run, in a leg that is turned, flipped and merged: it gives a diagnostic of that kind."""

import json
import re
import shlex
import shutil
from xml.etree import ElementTree

import golden
import pytest
from conftest import ROOT
from mesh_files import binary_stl
from surfaces import FACES

from urdf_tools.app.command_table import main
from urdf_tools.cli.parse_arguments import VERBS
from urdf_tools.export.all_diagnostics import example_of, EXPORT_KINDS
from urdf_tools.lint.lint_diagnostics import LINT_KINDS
from urdf_tools.srdf.srdf_diagnostics import SRDF_KINDS

AT_THE_END = ("not-loaded", "invisible")  # of a run: in "Next", not in the report
NAMESPACES = {"drake": "http://drake.mit.edu", "gz": "http://gazebosim.org/schema"}
NAMESPACE = " ".join(f'xmlns:{prefix}="{uri}"' for prefix, uri in NAMESPACES.items())
CUBE = [[(0, 0, 0), (1, 0, 0), (0, 1, 0)], [(0, 0, 0), (0, 1, 0), (0, 0, 1)]]
RING = [
    [(x / 20 + 0.5, y / 20, z / 20 + side) for x, y, z in corners]
    for side in (-0.1, 0.1)
    for corners in CUBE
]
BESIDE = {  # what examples name, but for the meshes of the painted arm
    "a.glb": "",  # of a format that PyBullet does not read, whatever is in it
    "broken.dae": "<COLLADA",
    "scene.xml": "<mujoco/>",
    "leg_scene.xml": "<mujoco/>",
    "never.srdf": '<robot name="leg"><disable_collisions link1="arm" link2="shin" reason="Never"/></robot>',
    "painted.obj": "mtllib gone.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl a\nf 1 2 3\nusemtl b\nf 1 3 4\n",
    "clamp.obj": "".join(
        f"v {x + at} {y} {z}\n" for at in (0, 3) for x in (0, 1) for y in (0, 1) for z in (0, 1)
    )
    + "".join(f"f {a + at} {b + at} {c + at} {d + at}\n" for at in (1, 9) for a, b, c, d in FACES),
    "sheet.obj": "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nf 1 2 3\n",  # small: fewer spheres hold it
    "fine.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + "f 1 2 3\n" * 10000,
    "unit.dae": '<COLLADA><asset><unit name="centimeter" meter="1"/></asset></COLLADA>',
    "lines.obj": "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nl 1 2\ncurv 0 1 1 2\n",
}
LEG = (ROOT / "tests" / "report" / "leg.urdf").read_text()
BESIDE["other.urdf"] = LEG
BESIDE["hand.urdf"] = (
    '<robot name="hand"><link name="palm"/><gazebo><plugin name="p" filename="libcontrol.so"><rate>9'
    "</rate></plugin></gazebo></robot>"
)


def parts_of(example):
    """Return the XML of an example and its options; words between them are for people."""
    xml, found, rest = example.rpartition(">") if "<" in example else ("", "", example)
    words = re.findall(rf"(?<=\s)(?:(?:{'|'.join(VERBS)})\b|--?[a-z]).*", f" {rest}")
    return (f"{xml}{found}", *(shlex.split(words[0]) if words else ()))


def completed(xml):
    """Return the leg with some elements: in the place of its own of that name; parts of both in shin and knee.

    A joint without a parent is one more, and has of the knee what it does not say itself.
    """
    if xml.startswith(("<robot", "<!--", "<mujoco><worldbody")):
        return xml
    for prefix, uri in NAMESPACES.items():
        ElementTree.register_namespace(prefix, uri)
    top = ElementTree.fromstring(LEG)
    own = {(one.tag, one.get("name")): one for one in top}
    for element in ElementTree.fromstring(f"<all {NAMESPACE}>{xml}</all>"):
        if element.tag in ("link", "joint"):
            old = own.get((element.tag, element.get("name")))
            if element.tag == "joint" and element.find("parent") is None:
                element.set("type", element.get("type", "revolute"))
                element.extend(
                    [part for part in own["joint", "knee"] if element.find(part.tag) is None]
                )
            elif old is not None:
                top.remove(old)
            top.append(element)
        elif element.tag in ("inertial", "visual", "collision", "mesh"):
            (shin,) = (one for one in top.iterfind("link") if one.get("name") == "shin")
            for old in shin.findall(element.tag):
                shin.remove(old)
            if element.tag == "mesh":
                ElementTree.SubElement(ElementTree.SubElement(shin, "visual"), "geometry").append(
                    element
                )
            else:
                shin.append(element)
        elif element.tag in ("limit", "mimic", "axis", "safety_controller", "joint_properties"):
            (knee,) = (one for one in top.iterfind("joint") if one.get("name") == "knee")
            for old in knee.findall(element.tag):
                knee.remove(old)
            knee.append(element)
        else:
            top.append(element)
    return ElementTree.tostring(top, encoding="unicode")


def found_kinds(kind, folder, capsys, cure=""):
    """Run an example, with the options of a cure, and return the names of the kinds that are reported, and the text."""
    xml, *options = parts_of(example_of(kind))
    options += shlex.split(cure)
    verb = options.pop(0) if options and options[0] in VERBS else "simplify"
    if kind in LINT_KINDS:
        (folder / "robot.urdf").write_text(completed(xml) if xml else LEG)
        if verb == "lint" or not options:
            main(["lint", "robot.urdf", "--level", "note", "--format", "json", *options])
        else:
            main([verb, "robot.urdf", *options])
        found = json.loads(capsys.readouterr().out)["findings"]
        return dict.fromkeys(one["kind"] for one in found), ""
    is_srdf = kind in SRDF_KINDS
    (folder / "robot.urdf").write_text(completed("" if is_srdf else xml))
    if is_srdf:
        (folder / "robot.srdf").write_text(f'<robot name="leg">{xml}</robot>')
        options += ["--srdf", "robot.srdf"]
    output = [] if verb in ("export", "pairs") else ["-o", "out.urdf"]
    status = main(
        [verb, "robot.urdf", *options, "-y", "--full", *output, "--report", "report.json"]
    )
    said = capsys.readouterr()
    assert status == 0, said.err
    patterns = [re.sub(r"\\\{.*?\\\}", ".*", re.escape(one)) for one in kind.sentences.values()]
    text = " ".join(said.out.split())
    in_text = verb == "pairs" or kind.name in AT_THE_END
    left = [kind.name] if in_text and any(re.search(one, text) for one in patterns) else []
    if verb == "pairs":  # whose report is about the pairs
        return dict.fromkeys(left), said.out
    record = json.loads((folder / "report.json").read_text())
    of_srdf = record["srdf"]["warnings"] if record["srdf"] else []
    kinds = [*left, *(one["kind"] for one in (*record["warnings"], *of_srdf))]
    return dict.fromkeys(kinds), said.out


@pytest.fixture
def folder(here):
    for place in ("meshes", "leg", ""):
        (here / place).mkdir(exist_ok=True)
        (here / place / "cube.stl").write_bytes(binary_stl(CUBE))
    (here / "ring.stl").write_bytes(binary_stl(RING))
    for name, text in BESIDE.items():
        (here / name).write_text(text)
    for mesh in (golden.FIXTURES / "painted_arm" / "meshes").glob("*.dae"):
        shutil.copy(mesh, here / "meshes")
    return here


OPTION = r"--(?:keep \S+|no-reorient|no-merge)"
ELSEWHERE = (  # in tests of their own
    *("macro-twice", "macros-alone"),  # need the xacro command: lint/test_xacro_sources.py
    "srdf-fit",  # needs a note in an SRDF: lint/test_neighbors.py
    "input-unselected",  # needs a USD: compare/test_usd_of_others.py
)


@pytest.mark.parametrize(
    "kind",
    [kind for kind in EXPORT_KINDS if kind.name not in ELSEWHERE],
    ids=lambda kind: kind.name,
)
def test_the_example_of_a_kind_gives_it_and_its_cure_ends_it(kind, folder, capsys):
    """A cure that is an option of the run is printed at its end; with this option the finding is gone."""
    kinds, said = found_kinds(kind, folder, capsys)
    assert kind.name in kinds
    # The lines of a step that follow its first one are indented further.
    steps = re.split(r"\n  (?=\S)", said.partition("\nNext ")[2])
    own = [" ".join(step.split()) for step in steps if step.startswith(f"[{kind.name}]")]
    assert all("--" in step for step in own if "--keep {links}" in kind.hint)
    for cure in dict.fromkeys(re.findall(OPTION, " ".join(own))):
        assert kind.name not in found_kinds(kind, folder, capsys, cure)[0], cure
