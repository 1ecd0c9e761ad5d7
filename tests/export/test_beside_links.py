"""What a URDF says beside its links and joints, in every export: frames, lights, sensors, materials of Gazebo."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from engine import simplify
from model_texts import make_mjcf
from urdf_tools import export, model
from urdf_tools.base.errors import BrokenRobot, ProofFailed, UrdfError
from urdf_tools.formats.json.read_json_model import read_model
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.formats.usd.read_stage import read_usd_stage
from urdf_tools.export.mjcf_exporter import verify_mjcf
from urdf_tools.export.sdf_exporter import verify_sdf
from urdf_tools.formats.sdf.write_sdf import make_sdf
from urdf_tools.export.usd_exporter import verify_usd
from urdf_tools.formats.usd.write_usd import make_usd
from urdf_tools.model.export_options import MjcfOptions, SdfOptions, UsdOptions

BODY = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
BOX = '<visual><geometry><box size="1 1 1"/></geometry>{}</visual>'
RED = '<material name="red"><color rgba="1 0 0 1"/></material>'
LAMP = f"""<robot name="r">
  <link name="base">{BODY}{BOX.format(RED)}</link>
  <link name="lamp">{BOX.format(RED)}</link>
  <joint name="j" type="fixed"><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="lamp"/></joint>
  <link name="arm">{BODY}</link>
  <joint name="k" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  {{}}
</robot>
"""
EXPORTS = ("mjcf", "sdf", "usd")


def proven(form, urdf, change=str):
    """Return the text of a format, which is proven after a change."""
    robot, source = model.Robot.from_urdf(urdf), read_urdf(urdf.encode())
    if form == "mjcf":
        mjcf, decided = make_mjcf(robot, MjcfOptions())
        verify_mjcf(change(mjcf.text), source, decided)
        return mjcf.text
    if form == "sdf":
        sdf, allowed = make_sdf(robot, SdfOptions())
        verify_sdf(change(sdf.text), source, allowed)
        return sdf.text
    usd, without = make_usd(robot, UsdOptions())
    verify_usd(change(usd.text), usd.layer, source, without)
    return usd.text


def notes_of(form, urdf):
    robot = model.Robot.from_urdf(urdf)
    made = (
        make_mjcf(robot, MjcfOptions())
        if form == "mjcf"
        else (make_sdf(robot, SdfOptions()) if form == "sdf" else make_usd(robot, UsdOptions()))
    )
    return [note.text for note in made[0].notes]


FRAME = '<frame name="grip" link="arm" xyz="0 0 1" rpy="0 0 0.5"/>'


@pytest.mark.parametrize(
    "form, written, elsewhere",
    (
        ("mjcf", '<site name="grip" pos="0 0 1"', '<site name="grip" pos="0 0 1.1"'),
        (
            "sdf",
            '<frame name="grip" attached_to="arm">\n      <pose>0 0 1 0 0 0.5</pose>',
            '<frame name="grip" attached_to="arm">\n      <pose>0 0 1 0 0 0.6</pose>',
        ),
        (
            "usd",
            'def Xform "grip" (\n{0}    kind = "subcomponent"\n{0})\n{0}{{\n'
            "{0}    double3 xformOp:translate = (0, 0, 1)".format(8 * " "),
            'def Xform "grip" (\n{0}    kind = "subcomponent"\n{0})\n{0}{{\n'
            "{0}    double3 xformOp:translate = (0, 1, 1)".format(8 * " "),
        ),
    ),
)
def test_a_frame_is_in_every_format_where_it_is(form, written, elsewhere):
    """It is no loss; one that is elsewhere, or missing, is another robot."""
    urdf = LAMP.format(FRAME)
    assert written in proven(form, urdf)
    assert not any("frame" in note for note in notes_of(form, urdf))
    for wrong in (elsewhere, written.replace("grip", "grab")):
        with pytest.raises(ProofFailed):
            proven(form, urdf, lambda text, wrong=wrong: text.replace(written, wrong))


@pytest.mark.parametrize("form", EXPORTS)
def test_a_frame_that_no_format_can_name_is_reported(form):
    """On a link that is not there, called as a link is, or twice of one name: the first counts."""
    for odd in ('<frame name="f" link="gone"/>', '<frame name="arm" link="base" xyz="0 0 1"/>'):
        text = proven(form, LAMP.format(odd))
        assert any("<frame>" in note for note in notes_of(form, LAMP.format(odd)))
        assert '"f"' not in text
    twice = '<frame name="f" link="arm" xyz="0 0 7"/><frame name="f" link="base" xyz="0 0 8"/>'
    assert " 7" in proven(form, LAMP.format(twice)) and " 8" not in proven(form, LAMP.format(twice))


@pytest.mark.parametrize("form", EXPORTS)
def test_a_frame_of_the_world_stays_there(form):
    urdf = f"""<robot name="r"><link name="world"/><link name="arm">{BODY}</link>
      <joint name="k" type="continuous"><origin xyz="0 0 3"/><parent link="world"/><child link="arm"/></joint>
      <frame name="goal" link="world" xyz="0.1 0.2 0.7"/></robot>"""
    assert "0.7" in proven(form, urdf)


LIGHT = '<light name="l" type="point"><pose>1 2 3 0 0 0.5</pose></light>'
BEAM = '<projector name="p"><fov>1</fov></projector>'


def test_lights_and_projectors_of_a_link_that_is_a_frame_are_posed_in_it():
    urdf = LAMP.format(f'<gazebo reference="lamp">{LIGHT}{BEAM}</gazebo>')
    text = proven("sdf", urdf)
    top = ElementTree.fromstring(text)
    for tag, pose in (("light", "1 2 3 0 0 0.5"), ("projector", "0 0 0 0 0 0")):
        found = top.find(f"model/link[@name='base']/{tag}/pose")
        assert found is not None and found.text == pose and found.get("relative_to") == "lamp"
    for old, new in (
        ("1 2 3 0 0 0.5", "1 2 3 0 0 0"),
        ('<pose relative_to="lamp">0 0 0 0 0 0', "<pose>0 0 0 0 0 0"),
        ('<pose relative_to="lamp">0 0 0 0 0 0', '<pose relative_to="lamp">0 0 1 0 0 0'),
        ('<pose relative_to="lamp">1', '<pose relative_to="arm">1'),
    ):
        assert old in text
        with pytest.raises(ProofFailed):
            proven("sdf", urdf, lambda text, old=old, new=new: text.replace(old, new))


EYES = (
    '<sensor name="eyes" type="multicamera"><camera name="a"><pose>0 1 0 0 0 0</pose><horizontal_fov>1'
    '</horizontal_fov></camera><camera name="b"><horizontal_fov>1.5</horizontal_fov></camera></sensor>'
)


def test_all_cameras_of_a_multicamera_are_proven():
    urdf = LAMP.format(f'<gazebo reference="lamp">{EYES}</gazebo>')
    text = proven("sdf", urdf)
    assert "<pose>1 2 3 0.1 0.2 0.3</pose>" in text
    for old, new in (
        ("1.5</hor", "1.4</hor"),
        (">1</hor", ">1.1</hor"),
        ("0 1 0 0 0 0", "0 0 0 0 0 0"),
        ("<pose>1 2 3 0.1 0.2 0.3</pose>", ""),
    ):
        assert old in text
        with pytest.raises(ProofFailed):
            proven(
                "sdf",
                urdf,
                lambda text, old=old, new=new: (
                    text[: text.index("<sensor")] + text[text.index("<sensor") :].replace(old, new)
                ),
            )


def test_sensors_of_one_name_keep_their_links(tmp_path):
    """Blocks come in any order, and the links in another: what has one name is paired by where it is."""
    blocks = "".join(
        f'<gazebo reference="{link}"><sensor name="s" type="imu"><pose>{x} 0 0 0 0 0</pose></sensor>'
        "</gazebo>"
        for link, x in (("arm", 1), ("lamp", 2), ("base", 3))
    )
    text = proven("sdf", LAMP.format(blocks))
    assert text.count('type="imu"') == 3
    with pytest.raises(ProofFailed):
        proven(
            "sdf",
            LAMP.format(blocks),
            lambda text: text.replace("<pose>1 0 0 0 0 0", "<pose>1 0 1 0 0 0"),
        )
    path = tmp_path / "robot.urdf"
    path.write_text(LAMP.format(blocks), "utf-8")
    simplify(path, as_is=True, model=str(tmp_path / "robot.json"), sdf=str(tmp_path / "robot.sdf"))


SCRIPT = (
    '<gazebo reference="lamp"><visual><material><script><name>mine</name><uri>file://x</uri></script></material>'
    "</visual></gazebo>"
)


def test_a_material_of_gazebo_takes_the_place_of_the_color():
    """sdformat, InsertSDFExtensionVisual: "<material> exist already, remove it and overwrite with the blob"."""
    text = proven("sdf", LAMP.format(SCRIPT))
    looks = {
        visual.get("name"): visual.findall("material/*")
        for visual in ElementTree.fromstring(text).iter("visual")
    }
    assert [(part.tag, part.text and part.text.strip()) for part in looks["lamp_visual"]] == [
        ("script", "")
    ]
    assert [part.tag for part in looks["base_visual"]] == ["ambient", "diffuse"]
    assert not any("material" in note for note in notes_of("sdf", LAMP.format(SCRIPT)))
    start = text.index("<material>", text.index("lamp_visual"))
    material = text[start : text.index("</material>", start) + len("</material>")]
    for old, new in (
        (material, ""),
        ("mine", "yours"),
        ("</script>", "</script><ambient>1 0 0 1</ambient>"),
    ):
        with pytest.raises(ProofFailed):
            proven(
                "sdf", LAMP.format(SCRIPT), lambda text, old=old, new=new: text.replace(old, new)
            )


def test_a_material_beside_one_by_name_is_reported():
    named = LAMP.format(
        '<gazebo reference="lamp"><material>Gazebo/Red</material></gazebo>' + SCRIPT
    )
    assert "<name>Gazebo/Red</name>" in proven("sdf", named)
    assert any("<material>" in note for note in notes_of("sdf", named))


def test_what_a_joint_that_is_not_in_the_text_says_is_reported():
    urdf = LAMP.format('<gazebo reference="k"><stopErp>0.3</stopErp></gazebo>')
    assert "<erp>0.3</erp>" in proven("sdf", urdf)
    free = urdf.replace('type="revolute"', 'type="floating"')
    assert "erp" not in proven("sdf", free) and any(
        "stopErp" in note for note in notes_of("sdf", free)
    )


def test_where_a_spring_rests_that_is_none_says_nothing():
    urdf = LAMP.format('<gazebo reference="k"><springReference>0.3</springReference></gazebo>')
    assert "spring" not in proven("sdf", urdf) and "spring" not in proven("mjcf", urdf)


CONVEX = f"""<robot name="r" xmlns:drake="http://drake.mit.edu"><link name="a">{BODY}<collision><geometry>
  <mesh filename="a.obj"><drake:declare_convex/></mesh></geometry></collision></link></robot>"""


def test_a_mesh_that_drake_takes_as_convex_stays_so_in_json(tmp_path):
    path, json = tmp_path / "robot.urdf", tmp_path / "robot.json"
    path.write_text(CONVEX, "utf-8")
    simplify(path, as_is=True, model=str(json))
    assert "<drake:declare_convex/>" in model.Robot.from_json(json.read_text("utf-8")).to_urdf()
    assert [one.element for one in read_urdf(CONVEX.encode()).unread] == ["<drake:declare_convex>"]


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize(
    "drawn", ("<box/>", '<sphere radius="1e"/>', '<cylinder radius="1"/>', "<capsule/>")
)
def test_a_shape_without_its_size_is_refused(form, drawn, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'<robot name="r">\n\n<link name="b"><collision><geometry>{drawn}</geometry></collision></link>'
        "</robot>",
        "utf-8",
    )
    name = drawn.strip("<>/").split()[0]
    choices = {
        form: str(tmp_path / ("out.usda" if form == "usd" else "out.xml")),
        "as_is": True,
    }
    message = f"link 'b': the {name} of this collision has no size"
    if form == "sdf" and "1e" in drawn:
        # The export to SDF reads the values of the URDF first.
        message = "<sphere radius>: '1e' is not a finite number"
    with pytest.raises(BrokenRobot, match=message) as caught:
        simplify(path, **choices)
    assert (caught.value.path, caught.value.line) == (str(path), 3)


HEAD = f"""<robot name="r"><link name="base">{BODY}</link><link name="head">{BODY}</link><link name="eye"/>
  <joint name="pan" type="revolute"><parent link="base"/><child link="head"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/></joint>
  <joint name="tilt" type="revolute"><origin xyz="0 0 0.1"/><parent link="head"/><child link="eye"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="5" velocity="3"/></joint></robot>"""


@pytest.mark.parametrize("tilt", (0.0, 0.3))
def test_a_frame_behind_a_locked_joint_is_where_that_holds_it(tilt, tmp_path):
    path, names = (
        tmp_path / "robot.urdf",
        {form: str(tmp_path / f"out.{form}") for form in ("mjcf", "sdf")},
    )
    path.write_text(HEAD, "utf-8")
    usd = str(tmp_path / "out.usda")
    simplify(
        path,
        tmp_path / "out.urdf",
        lock=[("tilt", tilt)],
        zero=[("pan", 0.2)],
        keep_frames=True,
        usd=usd,
        **names,
    )
    frame = ElementTree.parse(names["sdf"]).find("model/frame[@name='eye']/pose")
    assert frame is not None and frame.text == f"0 0 0.1 0 {tilt:g} 0.2"
    links = {
        joint.child: joint.T_parent_child
        for joint in read_usd_stage(Path(usd).read_text("utf-8")).joints
    }
    assert links["eye"].translation == (0.0, 0.0, 0.1)


def chain(count, tilt=0.0, step="0 0 0.05"):
    """Return equal turned joints in a row; each axis is off by `tilt`."""
    links = "".join(f'<link name="l{number}">{BODY}</link>' for number in range(count))
    return (
        f'<robot name="r">{links}'
        + "".join(
            f'<joint name="j{number}" type="continuous"><origin xyz="{step}" rpy="0.1 0.2 0.3"/><parent link="l{number - 1}'
            f'"/><child link="l{number}"/><axis xyz="{tilt!r} 0 1"/></joint>'
            for number in range(1, count)
        )
        + "</robot>"
    )


LENGTHS = ((16, "0 0 0.05"), (200, "0 0 0.05"), (60, "0 0 1"))


@pytest.mark.parametrize("form", EXPORTS)
@pytest.mark.parametrize("count, step", LENGTHS)
def test_rounding_in_a_long_chain_is_no_other_robot(form, count, step):
    proven(form, chain(count, 0.3, step))


@pytest.mark.parametrize("form", EXPORTS)
def test_a_tilt_of_every_joint_adds_up_to_another_robot(form):
    """Each alone is below 1e-9, in USD below 1e-6, and all of them are not what rounding does."""
    tilt = 9e-7 if form == "usd" else 9e-10
    robot = model.Robot.from_urdf(chain(30))
    made = {
        "mjcf": lambda: make_mjcf(robot, MjcfOptions()),
        "sdf": lambda: make_sdf(robot, SdfOptions()),
        "usd": lambda: make_usd(robot, UsdOptions()),
    }[form]()
    verify = {
        "mjcf": verify_mjcf,
        "sdf": verify_sdf,
        "usd": lambda text, source, decided: verify_usd(text, "", source, decided),
    }[form]
    verify(made[0].text, read_urdf(chain(30).encode()), made[1])
    with pytest.raises(ProofFailed):
        verify(made[0].text, read_urdf(chain(30, tilt).encode()), made[1])


@pytest.mark.parametrize("kind", ("floating", "continuous", "fixed"))
def test_json_says_of_the_world_what_the_urdf_says(kind, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_text(
        f'<robot name="r"><link name="world"/><link name="arm">{BODY}</link><joint name="k" type="{kind}">'
        '<parent link="world"/><child link="arm"/></joint></robot>',
        "utf-8",
    )
    simplify(path, as_is=True, model=str(tmp_path / "robot.json"))
    assert (
        read_model((tmp_path / "robot.json").read_text("utf-8")).base
        == ("free" if kind == "floating" else "fixed")
        == read_urdf(path.read_bytes()).base
    )


@pytest.mark.parametrize(
    "block, is_lost",
    (
        ('<compiler discardvisual="false" strippath="false" meshdir="."/>', False),
        ("", False),
        ('<compiler discardvisual="false" fusestatic="true"/>', True),
        ('<compiler meshdir="."/><option timestep="1"/>', True),
    ),
)
def test_how_mujoco_reads_the_urdf_is_not_lost(block, is_lost):
    """`export --for mujoco` writes such a block itself."""
    robot = model.Robot.from_urdf(LAMP.format(f"<mujoco>{block}</mujoco>"))
    for made, _ in (
        make_mjcf(robot, MjcfOptions()),
        make_sdf(robot, SdfOptions()),
        make_usd(robot, UsdOptions()),
    ):
        assert any(note.text.startswith("<mujoco>") for note in made.notes) == is_lost


STILL = f"""<robot name="r">
  <link name="a">{BODY}</link><link name="b">{BODY}</link><link name="ft"/>
  <joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>
  <joint name="k" type="fixed"><parent link="b"/><child link="ft"/></joint>
  <gazebo reference="j">
    <implicitSpringDamper>1</implicitSpringDamper><provideFeedback>1</provideFeedback>
    <sensor name="ft" type="force_torque"><force_torque><frame>child</frame></force_torque></sensor>
  </gazebo>
</robot>
"""


@pytest.mark.parametrize("tag", ["provide_feedback", "implicit_spring_damper"])
def test_what_is_told_of_a_fixed_joint(tag):
    """A sensor there has the name of a link without mass, which is a frame of the exports."""
    assert f"<{tag}>true</{tag}>" in proven("sdf", STILL) and 'site="ft_2"' in proven("mjcf", STILL)
    with pytest.raises(ProofFailed, match=f"{tag} of the fixed joint 'j'"):
        proven("sdf", STILL, lambda text: text.replace(f"<{tag}>true", f"<{tag}>false"))


def test_a_sensor_on_a_frame_of_the_world_is_written_and_proven(tmp_path):
    """A link on a fixed joint to the world is a frame of the world in MJCF."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    robot = (
        f'<robot name="r"><link name="world"/><link name="eye"/><link name="arm">{inertial}</link>'
        '<joint name="f" type="fixed"><parent link="world"/><child link="eye"/><origin xyz="0 0 1"/></joint>'
        '<joint name="j" type="continuous"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/></joint>'
        '<gazebo reference="eye"><sensor name="s" type="imu"/></gazebo></robot>'
    )
    (tmp_path / "r.urdf").write_text(robot)
    export(tmp_path / "r.urdf", tmp_path / "r.xml")
    assert '<gyro name="s_gyro" site="' in (tmp_path / "r.xml").read_text()


NEW_FRAME = '<frame name="f"{}>{}</frame>'
GIVEN_IN = {
    "attached_to": NEW_FRAME.format(' attached_to="{}"', ""),
    "relative_to": NEW_FRAME.format("", '<pose relative_to="{}">0 0 1 0 0 0</pose>'),
    "expressed_in": '<link name="x"/><joint name="j" type="revolute"><parent>base</parent><child>x</child>'
    '<axis><xyz expressed_in="{}">0 0 1</xyz></axis></joint>',
}


@pytest.mark.parametrize("key", GIVEN_IN)
def test_a_frame_that_no_reader_of_sdf_finds_is_refused_with_its_name(key):
    """`base` is a link, and `__model__` the model itself."""
    block = f"<gazebo>{GIVEN_IN[key]}</gazebo>"
    for known in ("base", "__model__"):
        assert key in proven("sdf", LAMP.format(block.format(known)))
    with pytest.raises(UrdfError, match=f'{key}="nowhere".*no reader takes it'):
        proven("sdf", LAMP.format(block.format("nowhere")))


def test_a_frame_of_a_model_in_the_block_is_known():
    inner = '<model name="sub"><link name="tip"/></model>'
    outer = GIVEN_IN["attached_to"].format("sub::tip")
    assert "sub::tip" in proven("sdf", LAMP.format(f"<gazebo>{inner}{outer}</gazebo>"))
