"""MJCF and SDF as inputs of a run: the same robot, simplified like any other; what a URDF cannot say is named."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands import in_process
from conftest import ROOT, SINGLE_FILE

from engine import simplify
from mesh_files import binary_stl, TETRAHEDRON
from painted_robots import ROBOTS as PAINTED_ROBOTS, write_into
from urdf_tools import compare, UrdfError
from urdf_tools.base.errors import ProofFailed
from urdf_tools.inputs import input_as_urdf
from urdf_tools.inputs.input_as_urdf import model_from_raw
from urdf_tools.model import ExportWarning, Robot

FIXTURES = ROOT / "fixtures"
ROBOTS = [
    FIXTURES / name / "robot.urdf" for name in ("humanoid", "quadruped", "arm", "painted_arm")
]
MJCF = """<mujoco model="leg"><compiler angle="radian"/><worldbody><body name="hip"><freejoint/>
 <inertial mass="2" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
 <body name="shin" pos="0 0 -1"><inertial mass="1" pos="0 0 0" diaginertia="0.1 0.1 0.1"/>
  <joint name="knee" axis="0 -1 0" pos="0 0 0.2" range="-2 0" ref="0.3"/>
  <geom type="ellipsoid" size="1 1 2"/><site name="sole" pos="0 0 -0.4"/></body></body></worldbody></mujoco>"""


def run(*words, text=""):
    done = in_process(words, text.encode())
    return done.returncode, done.stdout.decode(), done.stderr.decode()


@pytest.mark.parametrize("export", ["mjcf", "sdf"])
@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.parent.name)
def test_there_and_back_is_the_same_robot(path, export, tmp_path):
    """But for what a format cannot say: actuators, sensors and looks have their own."""
    urdf, written, back = (str(tmp_path / name) for name in ("robot.urdf", "written", "back.urdf"))
    simplify(path, urdf, split="color", **{export: written})
    simplify(written, back, merge=False, reorient=False, strip_hardware=False)
    aspects = frozenset(("motion", "mass", "limits", "mimic", "loops"))
    said = {"velocity"} if export == "mjcf" else set()
    found = compare.compare(urdf, back, aspects=aspects)
    assert [compare.text_of(one) for one in found.differences if one.kind not in said] == []


def test_what_a_file_is_its_root_says_not_its_name(tmp_path):
    (tmp_path / "leg.urdf").write_text(MJCF, "utf-8")
    assert run(str(tmp_path / "leg.urdf"), "-n")[0] == 0
    assert run("-", "-n", text=MJCF)[0] == 0


@pytest.mark.parametrize(
    "name, sentence",
    [
        (
            "leg.xml",
            "the reader of MJCF, SDF and USD is in the package, not in this file: pip install . in a clone, or ",
        ),
        ("leg.urdf", "which the package urdf-simplify reads (pip install)"),
    ],
)
def test_the_copied_file_names_the_package(name, sentence, tmp_path):
    (tmp_path / name).write_text(MJCF, "utf-8")
    copy = shutil.copy(SINGLE_FILE, tmp_path / "copied.py")
    done = subprocess.run(
        [sys.executable, "-ES", str(copy), str(tmp_path / name), "-n"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        check=False,
    )
    assert done.returncode == 2 and sentence in done.stderr


def test_the_single_file_hands_over_to_the_package_beside_it(tmp_path):
    (tmp_path / "leg.xml").write_text(MJCF, "utf-8")
    done = subprocess.run(
        [sys.executable, str(SINGLE_FILE), str(tmp_path / "leg.xml"), "-y", "-q"], check=False
    )
    assert done.returncode == 0 and (tmp_path / "leg_simplified.urdf").is_file()


def test_the_model_reads_both():
    with pytest.warns(ExportWarning, match="knee': effort, velocity not given"):
        robot = Robot.from_mjcf(MJCF)
    # Which a URDF does not have.
    assert {shape.geometry.kind for shape in robot.links[1].shapes} == {"ellipsoid"}
    assert [link.name for link in robot.links] == ["hip", "shin", "sole"] and robot.mass == 3.0
    text = '<sdf version="1.9"><model name="m"><link name="a"><inertial><mass>4</mass></inertial></link></model></sdf>'
    assert Robot.from_sdf(text).mass == 4.0


@pytest.mark.parametrize(
    "text, words",
    [
        (
            MJCF.replace('<joint name="knee"', '<joint name="knee" type="ball"').replace(
                'range="-2 0" ref="0.3"', ""
            ),
            "URDF has no ball joint",
        ),
        (
            MJCF.replace("<inertial mass", "<inertia mass", 1).replace(
                "<worldbody>", "<worldbody><replicate/>"
            ),
            "replicate",
        ),
        ("<mujoco/>", "leg.xml"),
        ("<sdf version='1.9'/>", "there is no <model>"),
    ],
)
def test_what_cannot_become_a_urdf_is_refused_with_a_sentence(text, words, tmp_path):
    (tmp_path / "leg.xml").write_text(text, "utf-8")
    with pytest.raises(UrdfError, match=words) as error:
        simplify(tmp_path / "leg.xml")
    assert str(tmp_path) in str(error.value)


WRONG = {
    "masses doubled": lambda robot: robot._replace(
        links=tuple(
            link._replace(inertial=link.inertial._replace(mass=2.0 * link.inertial.mass))
            if link.inertial
            else link
            for link in robot.links
        )
    ),
    "a frame lost": lambda robot: robot._replace(links=robot.links[:-1], joints=robot.joints[:-1]),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_urdf_that_is_another_robot_is_refused(name, monkeypatch):
    def wrong(raw):
        made = model_from_raw(raw)
        return made._replace(robot=WRONG[name](made.robot))

    assert input_as_urdf.as_urdf(MJCF.encode(), "leg.xml").data.startswith(b"<?xml")
    monkeypatch.setattr(input_as_urdf, "model_from_raw", wrong)
    with pytest.raises(ProofFailed, match="as a URDF it is another robot"):
        input_as_urdf.as_urdf(MJCF.encode(), "leg.xml")


def test_a_urdf_is_left_as_it_is():
    kept = [path.read_bytes() for path in ROBOTS]
    assert [input_as_urdf.as_urdf(data, "x").data for data in kept] == kept


@pytest.mark.parametrize("name", ("./a.stl", "meshes/../a.stl", "././a.stl"))
def test_a_mesh_is_the_same_by_any_name_of_its_file(name, tmp_path):
    (tmp_path / "meshes").mkdir()
    (tmp_path / "a.stl").write_bytes(binary_stl(TETRAHEDRON))
    path = tmp_path / "r.xml"
    path.write_text(
        f'<mujoco><asset><mesh name="m" file="{name}"/></asset><worldbody><body name="b"><joint/>'
        '<geom type="mesh" mesh="m"/><inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/></body>'
        "</worldbody></mujoco>"
    )
    assert b'filename="a.stl"' in input_as_urdf.as_urdf(path.read_bytes(), str(path)).data


MODEL = """<sdf version="1.9"><model name="rover"><link name="base"><inertial><mass>1</mass><inertia><ixx>1</ixx><iyy>1</iyy>
<izz>1</izz></inertia></inertial><visual name="v"><geometry><mesh><uri>model://{}/meshes/m.stl</uri></mesh></geometry></visual>
</link></model></sdf>"""


@pytest.mark.parametrize(
    ("model", "named"),
    (
        ("rover", "models/rover/meshes/m.stl"),  # the model itself
        ("wheel", "models/wheel/meshes/m.stl"),  # one beside it
        ("gone", "model://gone/meshes/m.stl"),
    ),
)
def test_a_mesh_of_a_model_of_gazebo_is_named_as_urdf_names_files(model, named, here):
    for name in ("rover", "wheel"):
        (here / "models" / name / "meshes").mkdir(parents=True)
        (here / "models" / name / "meshes" / "m.stl").write_bytes(binary_stl(TETRAHEDRON))
    (here / "models" / "rover" / "model.sdf").write_text(MODEL.format(model))
    status, out, _ = run("export", "models/rover/model.sdf", "r.urdf", "-y")
    assert status == 0 and f'<mesh filename="{named}"/>' in (here / "r.urdf").read_text()
    assert ("[input-lost] line 1: 'model://gone/meshes/m.stl' is not" in out) == (model == "gone")
    status, out, _ = run("lint", "models/rover/model.sdf")
    assert ("mesh-not-found" in out) == (model == "gone")


def painted_stage(folder, kind="Mesh"):
    """Write a stage with an image on a shape of a kind of prim; return its path."""
    stage = PAINTED_ROBOTS["usd image"]
    files = stage.write(dict.fromkeys(stage.places, (0.5, 0.25, 0.125)))
    files[stage.name] = files[stage.name].replace(b"def Mesh", f"def {kind}".encode())
    write_into(folder, files)
    return Path(folder, stage.name)


@pytest.mark.parametrize("is_absolute", (True, False))
def test_an_image_of_usd_is_named_relative_to_the_urdf(is_absolute, here):
    source = painted_stage(Path("stage"), "Cube")
    if is_absolute:
        source = source.absolute()
    assert run("export", str(source), "out/r.urdf", "-y")[0] == 0
    assert '<texture filename="../stage/t.png"/>' in (here / "out" / "r.urdf").read_text()


def test_an_image_on_a_mesh_of_usd_is_lost_and_named(here):
    """The mesh becomes STL, which has no texture coordinates: no program would show the image."""
    source = painted_stage(Path("stage"))
    status, out, _ = run("export", str(source), "r.urdf", "-y")
    assert status == 0 and "texture coordinates: the image is lost" in " ".join(out.split())
    assert "<texture" not in (here / "r.urdf").read_text()
    status, out, _ = run("compare", str(source), "r.urdf")
    assert status == 1 and "different colors" in out
