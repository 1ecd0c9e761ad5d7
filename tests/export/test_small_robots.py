"""Small robots that an export once ended in a fault for, or wrote as another robot than it said."""

import re
import xml.etree.ElementTree as ElementTree

import commands
import pytest
from conftest import examples
from commands import in_process
from hypothesis import given
from hypothesis import strategies as st
from mesh_files import png

import urdf_tools
from urdf_tools import model as m
from urdf_tools.base.errors import BrokenMesh, ProofFailed
from urdf_tools.export.mjcf_exporter import write_mjcf
from urdf_tools.export.sdf_exporter import verify_sdf, write_sdf
from urdf_tools.export.usd_exporter import write_usd
from urdf_tools.formats import shared_lowering
from urdf_tools.formats.sdf import write_sdf as sdf_write
from urdf_tools.formats.sdf import write_gazebo_content
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.model.export_options import MjcfOptions, SdfOptions, UsdOptions

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
FOLLOWERS = """<robot name="r"><link name="a">{}</link><link name="b"/><link name="c"/>
<joint name="ab" type="{}"><parent link="a"/><child link="b"/></joint>
<joint name="ac" type="fixed"><parent link="a"/><child link="c"/><mimic joint="ab"/></joint></robot>"""
NESTED = """<sdf version="1.9"><model name="outer"><model name="inner">
<link name="a"><inertial><mass>1</mass></inertial></link>
<link name="b"><inertial><mass>1</mass></inertial></link>
<joint name="j" type="fixed"><parent>a</parent><child>b</child>
<sensor name="s" type="force_torque"/></joint></model></model></sdf>"""
CAMERAS = """<mujoco><worldbody><body name="a"><camera name="named" fovy="30" resolution="200 100"/>
<camera fovy="35"/><camera/></body></worldbody></mujoco>"""
FLAT = """<mujoco><asset><mesh name="row" vertex="0 0 0 1 0 0 2 0 0 3 0 0" face="0 1 2 1 3 2"/></asset>
<worldbody><body name="a"><geom type="mesh" mesh="row"/></body></worldbody></mujoco>"""
ROBOTS = {
    "fixed follower.urdf": (FOLLOWERS.format("", "fixed"), ".xml"),
    "heavy fixed follower.urdf": (FOLLOWERS.format(BODY, "fixed"), ".xml"),
    "nested.sdf": (NESTED, ".sdf"),
    "cameras of the world.xml": (CAMERAS, ".xml"),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_it_is_written_and_the_same_robot(name, tmp_path):
    text, ending = ROBOTS[name]
    source, target = tmp_path / name, tmp_path / f"made{ending}"
    source.write_text(text)
    urdf_tools.export(str(source), str(target))
    compared = commands.in_process(["compare", str(source), str(target)])
    assert compared.stdout.startswith(b"Same")


def test_a_mesh_without_area_is_refused_as_mujoco_refuses_it(tmp_path):
    source = tmp_path / "r.xml"
    source.write_text(FLAT)
    with pytest.raises(BrokenMesh, match="mesh 'row' has no triangle with an area"):
        urdf_tools.export(str(source), str(tmp_path / "o.urdf"))
    assert [path.name for path in tmp_path.iterdir()] == ["r.xml"]


PREFIXED = f"""<robot name="r" xmlns:own="http://example.org/own"><link name="a">{BODY}</link>
<gazebo><own:x in:y="1"/><plugin name="p" filename="f"><other:z/></plugin></gazebo>
<gazebo reference="a"><sensor name="s" type="imu"><odd/></sensor></gazebo></robot>"""


def test_each_prefix_of_sdf_is_declared(tmp_path):
    source, target = tmp_path / "r.urdf", tmp_path / "o.sdf"
    source.write_text(PREFIXED)
    urdf_tools.export(str(source), str(target))
    tags = {element.tag for element in ElementTree.parse(target).iter()}
    assert {"{http://example.org/own}x", "{http://wiki.ros.org/urdf}z"} <= tags
    compared = commands.in_process(["compare", str(source), str(target)]).stdout
    assert compared.startswith(b"Same") and b"<sdf>" not in compared


OBJ = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nusemtl M\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n"
SHOWN = f"""<robot name="r"><link name="a">{BODY}
<visual><geometry><mesh filename="a.obj"/></geometry></visual></link></robot>"""


def test_an_image_without_coordinates_leaves_the_color(tmp_path):
    source, mesh = tmp_path / "r.urdf", tmp_path / "a.obj"
    source.write_text(SHOWN)
    mesh.write_text(OBJ)
    mesh.with_suffix(".mtl").write_text("newmtl M\nKd 0.8 0.4 0.2\nmap_Kd i.png\n")
    (tmp_path / "i.png").write_bytes(png())
    (surface,) = read_mesh(str(mesh)).surfaces
    assert surface.material.image is None and surface.material.rgba == (0.8, 0.4, 0.2, 1.0)
    warnings = urdf_tools.export(str(source), str(tmp_path / "o.usda")).exported.warnings
    assert [each.sentence for each in warnings] == ["image-of"]
    red, green, blue = re.findall(
        r"diffuseColor = \((.*)\)", (tmp_path / "o_meshes.usda").read_text()
    )[0].split(", ")
    linear = [((value + 0.055) / 1.055) ** 2.4 for value in (0.8, 0.4, 0.2)]
    assert [float(red), float(green), float(blue)] == pytest.approx(linear, rel=1e-6)
    # With coordinates the image counts, on white.
    mesh.write_text(
        OBJ.replace("v 0 0 1\n", "v 0 0 1\nvt 0 0\n").replace("f 1 3 2", "f 1/1 3/1 2/1")
    )
    (surface,) = read_mesh(str(mesh)).surfaces
    assert surface.material.image is not None and surface.material.rgba == (1.0, 1.0, 1.0, 1.0)


ANGLES = st.floats(-3.0, 3.0).map(lambda angle: round(angle, 3))
MOMENTS = st.tuples(*[st.floats(1.0, 1.9).map(lambda moment: round(moment, 3))] * 3)


def with_bare_tensors(moments, turns, heavy):
    """Return three links fixed in a row, of which one has a mass and all have a tensor, and an arm on the last."""
    links, joints = [], []
    for number, entries in enumerate(moments):
        mass = 2.0 if number == heavy else 0.0
        links.append(m.Link(f"l{number}", m.Inertial(mass, m.Inertia(*entries))))
    for number, rpy in enumerate(turns):
        pose = m.Pose((0.1, 0.2, 0.3), tuple(rpy))
        joints.append(m.Joint(f"j{number}", "fixed", f"l{number}", f"l{number + 1}", pose))
    arm = m.Link("arm", m.Inertial(1.0, m.Inertia(0.1, 0.1, 0.1)))
    turn = m.Joint("turn", "continuous", "l2", "arm", axis=(0.0, 1.0, 0.0))
    return m.Robot("r", (*links, arm), (*joints, turn))


@given(
    st.lists(MOMENTS, min_size=3, max_size=3),
    st.lists(st.tuples(ANGLES, ANGLES, ANGLES), min_size=2, max_size=2),
    st.integers(0, 2),
)
@examples(fuzzed=30)
def test_no_body_without_mass_is_written(moments, turns, heavy):
    """Each export is proven against the robot; a link that has a tensor alone is no link of SDF, nor has it a mass."""
    robot = with_bare_tensors(moments, turns, heavy)
    sdf = write_sdf(robot, SdfOptions())
    tree = ElementTree.fromstring(sdf.text)
    masses = {
        link.get("name"): float(link.findtext("inertial/mass") or 0) for link in tree.iter("link")
    }
    assert masses == {f"l{heavy}": 2.0, "arm": 1.0}
    assert sum("its inertia is added to" in note.text for note in sdf.notes) == 2
    assert "2e-15" not in write_mjcf(robot, MjcfOptions()).text
    assert "2e-15" not in write_usd(robot, UsdOptions()).text


def test_a_tensor_that_is_not_turned_with_its_link_is_a_fault(
    monkeypatch,
):
    robot = with_bare_tensors([[1.0, 1.2, 1.5]] * 3, [[0.3, 0.4, 0.5], [0.0, 0.0, 0.0]], 1)
    write_sdf(robot, SdfOptions())
    monkeypatch.setattr(shared_lowering, "rotate_inertia", lambda R, tensor: tensor)
    with pytest.raises(ProofFailed, match="tensor"):
        write_sdf(robot, SdfOptions())
    monkeypatch.setattr(sdf_write, "without_massless_tensors", lambda robot, findings: robot)
    with pytest.raises(ProofFailed):
        write_sdf(robot, SdfOptions())


COPIED = f"""<robot name="r"><link name="a">{BODY}<visual><geometry><box size="1 1 1"/></geometry></visual>
<collision><geometry><box size="1 1 1"/></geometry></collision></link><link name="f"/>
<joint name="j" type="fixed"><parent link="a"/><child link="f"/></joint>
<gazebo reference="a"><plugin name="p" filename="q"><z>1</z></plugin><odd/><enable_wind>true</enable_wind>
<visual><cast_shadows>false</cast_shadows></visual></gazebo>
<gazebo reference="f"><projector name="p"><texture>t</texture></projector></gazebo></robot>"""
DROPPED = {
    "an element of a link": ("_put_into", "enable_wind", "<enable_wind>"),
    "an element of a frame": ("_put_into", "projector", "<projector>"),
    "a plugin": ("_put_into", "plugin", "<plugin> 'p'"),
    "what is nowhere": ("_put_into", "odd", "<odd>"),
    "a part of a visual": ("_put_into_shapes", "visual", "<cast_shadows> in <visual>"),
}


@pytest.mark.parametrize("name", DROPPED)
def test_what_gazebo_says_is_written_or_noted(name, monkeypatch):
    """A writer that drops an element without a word is found, whether SDF has a place for it or not."""
    function, tag, said = DROPPED[name]
    robot, source = m.Robot.from_urdf(COPIED), read_urdf(COPIED.encode())
    text, decided = sdf_write.make_sdf(robot, SdfOptions())
    verify_sdf(text.text, source, decided)
    put = getattr(write_gazebo_content, function)
    monkeypatch.setattr(
        write_gazebo_content,
        function,
        lambda reference, element, model: (
            [] if element.tag == tag else put(reference, element, model)
        ),
    )
    text, decided = sdf_write.make_sdf(robot, SdfOptions())
    with pytest.raises(ProofFailed, match=f"{said} of <gazebo reference=.* is neither written nor"):
        verify_sdf(text.text, source, decided)


ENDLESS = f"""<robot name="r"><link name="a">{BODY}</link><link name="b">{BODY}</link><joint name="j" type="continuous">
<parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit {{}}effort="1" velocity="1"/></joint></robot>"""


@pytest.mark.parametrize("ending", ("sdf", "xml", "usda"))
@pytest.mark.parametrize(
    "bounds, noted",
    (('lower="-1" upper="2" ', ["-1 and 2"]), ('upper="2" ', ["0 and 2"]), ("", [])),
)
def test_limits_of_a_continuous_joint_are_noted(ending, bounds, noted, tmp_path):
    source = tmp_path / "r.urdf"
    source.write_text(ENDLESS.format(bounds))
    warnings = urdf_tools.export(str(source), str(tmp_path / f"o.{ending}")).exported.warnings
    texts = [each.text for each in warnings if each.sentence == "continuous"]
    assert len(texts) == len(noted) and all(words in text for words, text in zip(noted, texts))
    found = [each.message for each in urdf_tools.lint(source) if "Drake holds it" in each.message]
    assert len(found) == len(noted)


SPRUNG = ENDLESS.format("").replace("</joint>", "{}</joint>{}")


SPRING_VALUES = "<springStiffness>{}</springStiffness><springReference>{}</springReference>"
SPRING_BLOCK = '<gazebo reference="j">' + SPRING_VALUES + "</gazebo>"


@pytest.mark.parametrize(
    "inside, block",
    (
        ('<dynamics damping="1" spring_stiffness="5" spring_reference="0.2"/>', ""),
        ('<dynamics spring_stiffness="5" spring_reference="0.2"/>', ""),
        ('<dynamics spring_reference="0.2"/>', SPRING_BLOCK.format(5, 0.2)),
        ('<dynamics spring_stiffness="6" spring_reference="1"/>', SPRING_BLOCK.format(5, 0.2)),
    ),
)
def test_a_spring_is_written_from_dynamics_and_from_gazebo_which_counts(inside, block, tmp_path):
    source = tmp_path / "r.urdf"
    source.write_text(SPRUNG.format(inside, block))
    targets = [tmp_path / "o.xml", tmp_path / "o.sdf", tmp_path / "o.urdf", tmp_path / "o.json"]
    written = urdf_tools.export(str(source), *map(str, targets))
    texts = [each.text for each in written.exported.warnings]
    assert not any("spring" in text or "dynamics" in text for text in texts)
    mjcf, sdf, _, _ = (target.read_text() for target in targets)
    assert 'stiffness="5" springref="0.2"' in mjcf
    assert "<spring_stiffness>5</spring_stiffness>" in sdf and "<spring_reference>0.2" in sdf
    assert all(urdf_tools.compare(source, target).is_same for target in targets)
    softer = tmp_path / "softer.urdf"
    softer.write_text(source.read_text().replace("5", "4"))
    assert not urdf_tools.compare(source, softer).is_same


def test_a_spring_of_words_is_refused_with_its_line(tmp_path):
    source = tmp_path / "r.urdf"
    source.write_text(SPRUNG.format('<dynamics spring_stiffness="soft"/>', ""))
    with pytest.raises(urdf_tools.UrdfError, match="spring_stiffness"):
        urdf_tools.export(str(source), str(tmp_path / "o.xml"))


@pytest.mark.parametrize(
    "inside, block",
    (
        ('<dynamics spring_stiffness="5" spring_reference="0.2"/>', ""),
        ('<dynamics spring_stiffness="5"/>', ""),
        ("", '<gazebo reference="j"><springStiffness>5</springStiffness></gazebo>'),
    ),
)
@pytest.mark.parametrize("act", (("--flip", "j"), ("--zero", "j=0.3")))
def test_a_spring_rests_where_it_did(inside, block, act, tmp_path):
    source, made = tmp_path / "r.urdf", tmp_path / "o.urdf"
    text = SPRUNG.format(inside, block).replace("continuous", "revolute")
    source.write_text(text.replace("<limit ", '<limit lower="-1" upper="1" '))
    done = in_process(["edit", str(source), *act, "-o", str(made), "-y"])
    assert done.returncode == 0 and b"warning: [" not in done.stdout + done.stderr
    assert urdf_tools.compare(source, made).is_same
