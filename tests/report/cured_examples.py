"""The cure of each kind, carried out by hand on the smallest input that shows it: the input before and after.

An input is written as the examples are: elements of a leg, then options. A cure that is a command is run by `THEN`.
"""

from typing import Dict, NamedTuple

from broken_meshes import ANSWER, dae, FLAT, NAN, PAGE, POINTER, STL
from mesh_files import B, binary_stl, C, png, tetrahedron
from mesh_files import TETRAHEDRON as TETRAHEDRA
from surfaces import FACES

OWN = ""  # the example of the kind
MORE = "+ "  # in front of options: the input before, with these
THEN = "then "  # in front of a command: it is run on the input before, whose own command follows on its result
AFTER_RUN = (
    "then simplify"  # what the run left is corrected by hand: in its result nothing is found
)
LEG = ""

TENSOR = '<inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/>'
BOX = '<geometry><box size="0.1 0.4 0.1"/></geometry>'
VISUAL = f"<visual>{BOX}</visual>"
LIMIT = '<limit lower="{}" upper="{}" effort="10" velocity="1"/>'
SOFT = '<safety_controller soft_lower_limit="{}" soft_upper_limit="{}" k_velocity="1"/>'
TOE = '<link name="toe">{}</link><joint name="toe"><child link="toe"/>{}</joint>'
ONE = '<robot name="r">{}<link name="{}">{}</link></robot>'
SPHERE = '<{0}><geometry><sphere radius="1"/></geometry></{0}>'
MESH = '<mesh filename="{}"/>'
COLLISION = '<collision><geometry><mesh filename="{}"/></geometry></collision>'
TWIN = (
    '<link name="{0}_toe">{2}</link><joint name="{0}_joint" type="continuous"><origin xyz="0 {1} 0"/>'
    '<parent link="base_link"/><child link="{0}_toe"/></joint>'
)
ARM = '<link name="arm">{}</link><joint name="shoulder">{}<child link="arm"/>{}</joint>'
CONTROL = (
    '<ros2_control name="c" type="system"><joint name="knee"><command_interface name="{}">{}'
    "</command_interface></joint></ros2_control>"
)
TRANSMISSION = (
    '<transmission name="{}"><type>transmission_interface/SimpleTransmission</type>'
    '<joint name="{}">{}</joint><actuator name="{}"/></transmission>'
)
SERVO = "<hardwareInterface>hardware_interface/PositionJointInterface</hardwareInterface>"
TEXTURED = '<visual><geometry><mesh filename="shown.obj"/></geometry><material name="m"/></visual>'
OBJ = "mtllib shown.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n{}usemtl a\nf {}\nf {}\n"
SHOWN = OBJ.format("vt 0 0\nvt 1 0\nvt 0 1\n", "1/1 2/2 3/3", "1/1 3/2 4/3")
PLAIN = OBJ.format("", "1 2 3", "1 3 4")
MTL = "newmtl a\nKd 1 1 1\nmap_Kd shown.png\n"
DAMAGED = png()[:-20]
TETRAHEDRON = binary_stl(tetrahedron(0.02))
CLOSED = "v 0 0 0\nv 0.02 0 0\nv 0 0.02 0\nv 0 0 0.02\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


def mass(value, *moments, origin=""):
    """Return an <inertial> of these moments."""
    return f'<inertial>{origin}<mass value="{value}"/>{TENSOR.format(*moments)}</inertial>'


def twins(left, right):
    """Return two toes that are mirror images but for their content."""
    return TWIN.format("left", 0.1, left) + TWIN.format("right", -0.1, right)


def tilted(roll):
    """Return a tensor with principal axes of its own."""
    return mass(1, 0.01, 0.02, 0.025, origin=f'<origin rpy="{roll} 0 0"/>')


def product(ixy):
    """Return a tensor with a product."""
    return mass(1, 0.01, 0.02, 0.02).replace('ixy="0"', f'ixy="{ixy}"')


def four(last):
    """Return four joints, of which the last turns about its own sense of Z."""
    joint = '<link name="{0}"/><joint name="{0}"><child link="{0}"/>{1}</joint>'
    axes = ("", "", "", f'<axis xyz="0 0 {last}"/>')
    return "".join(map(joint.format, "abcd", axes))


MASS = mass(1, 0.01, 0.01, 0.01)
TOE_OF_MASS = TOE.format(MASS, "{}")
CUBE_ARM = ARM.format(COLLISION.format("cube.stl"), "", "")
BOX_ARM = ARM.format(
    '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>', "", ""
)


MATERIAL = '<material name="m"><color rgba="{} 0 1 1"/></material>'
DRIVER = '<ros2_control name="c"><hardware><plugin>Driver</plugin></hardware><joint name="knee"/></ros2_control>'
OVERLAPPING = (
    '<link name="toe"><collision><origin xyz="{}"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
    '<joint name="t" type="continuous"><parent link="shin"/><child link="heel"/></joint><link name="heel"/>'
    '<joint name="u" type="continuous"><parent link="heel"/><child link="nail"/></joint><link name="nail"/>'
    '<joint name="v" type="continuous"><parent link="nail"/><child link="toe"/></joint>'
)
SMALL_CLAMP = "".join(
    f"v {(x + at) / 10} {y / 10} {z / 10}\n"
    for at in (0, 3)
    for x in (0, 1)
    for y in (0, 1)
    for z in (0, 1)
) + "".join(f"f {a + at} {b + at} {c + at} {d + at}\n" for at in (1, 9) for a, b, c, d in FACES)


SIDE_JOINT = f'<link name="side">{MASS}</link><joint name="side" type="{{}}"><parent link="shin"/><child link="side"/></joint>'
TWO_VISUALS = (
    f'<link name="toe"><visual>{BOX}{MATERIAL.format(1)}</visual><visual>{BOX}{{}}</visual></link>'
    '<joint name="toe"><child link="toe"/></joint>'
)
TEXTURED_STL = (
    f'<visual><geometry>{MESH.format("shown.stl")}</geometry><material name="m"><texture filename="shown.png"/>'
    "</material></visual>"
)
PAIRS_SRDF = (
    '<robot name="leg"><disable_collisions link1="base_link" link2="foot" reason="Never"/></robot>'
)
ASCII_STL = (
    "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 1\nendloop\nendfacet\n"
    "endsolid a\n"
)


class Cured(NamedTuple):
    """The input that shows a finding, and the input after its cure, each with files beside it."""

    before: str
    after: str
    files: Dict[str, object] = {}
    files_after: Dict[str, object] = {}


def own(after, **files):
    """Return the cure of the example of the kind."""
    return Cured(
        OWN, after, files_after={name.replace("__", "."): text for name, text in files.items()}
    )


def image(before, after, command, kind=TEXTURED):
    """Return the cure of a mesh with an image by other files."""
    whole = {"shown.obj": SHOWN, "shown.mtl": MTL, "shown.png": png()}
    return Cured(f"{kind} {command}", MORE, {**whole, **before}, {**whole, **before, **after})


IN_MJCF, IN_GLTF = "export leg.xml", "--mesh-format gltf"
OBJ_MESH = MESH.format("shown.obj")
# By the kind, or the kind and a sentence where sentences have cures of their own.
CURED: Dict[str, Cured] = {
    "base-frame": own(MORE + "--base-frame ros"),
    "unused-option": own("--keep foot"),
    "unread-note": own('<robot name="leg"><link name="hip"/></robot>'),
    "assumed-value": own(f"{MASS} --lenient"),
    "xacro-text": own('<gazebo><plugin name="p">base</plugin></gazebo>'),
    "no-geometry": own(VISUAL),
    "unreadable-geometry": own(VISUAL),
    "no-inertia": own(MASS),
    "no-limit": own(LEG),
    "mimic unknown": Cured(
        TOE_OF_MASS.format('<mimic joint="nobody"/>'), TOE_OF_MASS.format('<mimic joint="knee"/>')
    ),
    "mimic circle": Cured(
        TOE_OF_MASS.format('<mimic joint="knee"/>') + '<mimic joint="toe"/>',
        TOE_OF_MASS.format("") + '<mimic joint="toe"/>',
    ),
    "mimic nameless": Cured("<mimic/>", LEG),
    "mimic released": Cured(
        TOE_OF_MASS.format("") + '<mimic joint="toe"/> edit --drop toe',
        TOE_OF_MASS.format("") + " edit --drop toe",
    ),
    "inertia": own(MASS),
    "no-mass": own(TOE_OF_MASS.format("")),
    "world-content": own(ONE.format("", "base", SPHERE.format("visual"))),
    "axis-name": own(MORE + "--axis roll=z"),
    "exported-twice": own(MORE + "--count-once"),
    "joint-twice": own('<link name="a"/><joint name="hip"><child link="a"/></joint> --no-merge'),
    "mesh-not-found": own(MESH.format("meshes/tube.dae") + " --separate-dae-meshes"),
    "package-assumed": own(MORE + "--package leg=leg"),
    "mesh-unreadable": own(MESH.format("meshes/tube.dae") + " --separate-dae-meshes"),
    "mesh-colors": own(MORE + "--split material"),
    "mesh-size large": own(MESH.format("meshes/base.dae") + " --separate-dae-meshes --scale 1"),
    "mesh-planar": own(MORE + "--for mujoco"),
    "dropped-name": own(" edit --drop foot"),
    "removed-joint": own('<gazebo reference="knee"><stopCfm>0.1</stopCfm></gazebo>'),
    "moved-zero": own(
        '<gazebo reference="knee"><initialPosition>1</initialPosition></gazebo> edit --prefix a_'
    ),
    "transmission-sign": own(AFTER_RUN),
    "unreadable-pose": own('<gazebo><frame name="f" attached_to="base_link"/></gazebo>'),
    "plugin-vector": own(AFTER_RUN),
    "contact-collision": own(
        "<gazebo><contact><collision>foot_collision</collision></contact></gazebo>"
    ),
    "srdf-name": own('<group name="g"><link name="shin"/></group>'),
    "srdf-state": own(
        '<group_state name="home" group="g"><joint name="knee" value="1"/></group_state>'
    ),
    "srdf-spheres": own(
        '<link_sphere_approximation link="shin"><sphere center="0 0 0" radius="1"/></link_sphere_approximation>'
        '<link_sphere_approximation link="foot"><sphere center="0 0 0" radius="1"/></link_sphere_approximation>'
    ),
    "srdf-left": own('<note link="shin"/>'),
    "pose-set": own(
        '<loop_joint name="l" type="fixed"><link1 link="base_link"/><link2 link="foot"/></loop_joint>'
        ' edit --set "knee.xyz=0 0 1 keep=world"'
    ),
    "name-left": own('<gazebo><plugin name="calf"/></gazebo> edit --rename shin=calf'),
    "name-shared": own(
        "".join(TRANSMISSION.format(name, "knee", "", name) for name in "tu") + " edit --prefix a_"
    ),
    "plugin-twice": own(' edit --attach "hand.urdf foot"'),
    "refused": own(ONE.format("", "a", "")),
    "package-unknown": Cured(
        OWN, MESH.format("package://nowhere/cube.stl") + " lint --package nowhere=meshes"
    ),
    "lint-comment": own(ONE.format("", "a", "")),
    "in-urdfdom lacks": own(LEG),
    "in-urdfdom number": Cured('<limit lower="-1" upper="1" effort="x" velocity="1"/>', LEG),
    "in-urdfdom capsule": Cured(
        ONE.format(
            "", "a", '<visual><geometry><capsule radius="1" length="1"/></geometry></visual>'
        ),
        ONE.format(
            "", "a", '<visual><geometry><capsule radius="1" length="1"/></geometry></visual>'
        ).replace(">", ' version="1.1">', 1),
    ),
    "in-urdfdom version": Cured(
        '<robot name="r" version="2.0"><link name="a"/></robot>',
        '<robot name="r" version="1.0"><link name="a"/></robot>',
    ),
    "in-urdfdom instruction": Cured(
        '<robot name="r"><?x y?><link name="a"/></robot>', ONE.format("", "a", "")
    ),
    "undefined-material": own(
        '<robot name="r"><material name="n"><color rgba="1 0 0 1"/></material><link name="a"><visual><geometry>'
        '<box size="1 1 1"/></geometry><material name="n"/></visual></link></robot>'
    ),
    "same-name": own('<link name="a"/><joint name="hip"><child link="a"/></joint>'),
    "limits-reversed": own(LEG),
    "limits-empty": own(LEG),
    "limits-degrees joint": own(LIMIT.format(-1.5708, 0.7854)),
    "limits-degrees turns": Cured(LIMIT.format(-20, 25.3), LIMIT.format(-0.349, 0.4416)),
    "no-drive": own(LEG),
    "follower-limits": own(
        '<link name="a"/><joint name="toe"><child link="a"/><mimic joint="knee" multiplier="0.5"/></joint>'
    ),
    "odd-axis": own(four(1)),
    "soft-limit": own(SOFT.format(-0.9, 1.9)),
    "control-limit": own(
        CONTROL.format("position", '<param name="min">-1</param><param name="max">2</param>')
    ),
    "names-no-joint": own(TRANSMISSION.format("t", "knee", "", "m")),
    "center-outside": own(MASS),
    "inertia-outside": own(MASS),
    "inertia-unit": own(MASS),
    "too-dense": own(MASS),
    "mass-unit": own(mass(4, 0.05, 0.01, 0.05)),
    "inertia-slots": own(mass(1, 0.02, 0.03, 0.04).replace('ixy="0"', 'ixy="0.001"')),
    "inertia-like-shape": own(
        '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'
        + mass(12, 0.13, 0.1, 0.05)
    ),
    "too-light": own('<visual><geometry><box size="0.5 0.5 0.5"/></geometry></visual>'),
    "units-mm": own(VISUAL),
    "joint-far-from-parts joint": own(
        '<link name="toe"><visual><origin xyz="0 0 -0.2"/><geometry><box size="1 1 1"/></geometry></visual></link>'
        '<joint name="far" type="continuous"><parent link="shin"/><child link="toe"/></joint>'
    ),
    "mesh-scale": own(f'<link name="shin">{VISUAL}<collision>{BOX}</collision></link>'),
    "inertia-sign": own(twins(product(0.003), product(-0.003))),
    "inertia-frame": own(twins(tilted(0.3), tilted(-0.3))),
    "rounded-angle": own(
        '<visual><origin rpy="1.5707963267948966 0 0"/><geometry><box size="1 1 1"/></geometry></visual>'
    ),
    "quaternion": own(
        '<visual><origin rpy="0 0 3.141592653589793"/><geometry><box size="1 1 1"/></geometry></visual>'
    ),
    "number-noise": own(
        '<visual><origin xyz="0 0 0.5"/><geometry><box size="1 1 1"/></geometry></visual>'
    ),
    "tilted-tensor": own(
        mass(1, 0.0170807, 0.0129193, 0.02).replace('ixy="0"', 'ixy="-0.00454649"')
    ),
    "misspelled": own(
        '<visual><origin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>'
    ),
    "unread-words": own(LEG),
    "unbound-prefix": own(
        '<robot name="r" xmlns:sensor="http://example.com"><link name="a"/><sensor:camera name="b"/></robot>'
    ),
    "element-twice": own(MASS),
    "unnamed-material": own(
        '<visual><geometry><box size="1 1 1"/></geometry><material name="m"><color rgba="1 0 0 1"/></material></visual>'
    ),
    "absolute-path": own(MESH.format("meshes/cube.stl")),
    "mesh-spelling": own(MESH.format("meshes/sign.dae")),
    "mesh-unopened off": own(MESH.format("cube.stl")),
    **{
        f"mesh-unreadable {fault}": Cured(
            COLLISION.format("sent.stl") + " lint", MORE, {"sent.stl": sent}, {"sent.stl": STL}
        )
        for fault, sent in (
            ("pointer", POINTER),
            ("page", PAGE),
            ("answer", ANSWER),
            ("nothing", binary_stl([])),
            ("number", binary_stl([((NAN, 0.0, 0.0), B, C)])),
            ("unreadable", STL[:-30]),
        )
    },
    "mesh-unreadable material": image({"shown.mtl": POINTER}, {"shown.mtl": MTL}, "lint", OBJ_MESH),
    "overlap": Cured(OWN, OVERLAPPING.format("0 2 0")),
    "no-collision": own(
        '<robot name="r">'
        + "".join(
            f'<link name="{name}">{SPHERE.format("visual")}{SPHERE.format("collision")}</link>'
            for name in "abc"
        )
        + "".join(
            f'<joint name="{name}" type="continuous"><parent link="a"/><child link="{name}"/></joint>'
            for name in "bc"
        )
        + "</robot>"
    ),
    "collision-off": own(f"{VISUAL}<collision>{BOX}</collision>"),
    "collision-visual": own(THEN + "collision --shape auto"),
    "mesh-unit": own(
        MORE, unit__dae='<COLLADA><asset><unit name="meter" meter="1"/></asset></COLLADA>'
    ),
    "left-right": own(twins("", "")),
    "hull-overhang parts": own(THEN + 'collision --link "shin=parts"'),
    "in-drake package": Cured(
        MESH.format("package://leg/cube.stl"), THEN + "export out.urdf --for drake"
    ),
    "in-drake damping": Cured(
        TOE_OF_MASS.format('<dynamics damping="-1"/>'),
        TOE_OF_MASS.format('<dynamics damping="1"/>'),
    ),
    "collision-left": own(MORE, gone__stl=TETRAHEDRON),
    "collision-thin": own(MORE, sheet__obj=CLOSED),
    "collision-open": own(MORE, sheet__obj=CLOSED),
    "collision-hollow": Cured(OWN, MORE + '--link "shin=convex"', files={"clamp.obj": SMALL_CLAMP}),
    "collision-version": own(COLLISION.format("cube.stl") + " collision --shape box"),
    "collision-contact": own(MORE + "--link arm=hull"),
    "pair-at-home": own(THEN + "collision --shape hull"),
    "pair-wrong": own(MORE, never__srdf='<robot name="leg"/>'),
    "pair-unknown": own(MORE, gone__stl=TETRAHEDRON),
    "mesh-image no-library": own(MORE, gone__mtl="newmtl a\nKd 1 0 0\nnewmtl b\nKd 0 1 0\n"),
    "mesh-image no-material": image(
        {"shown.mtl": "newmtl b\n"}, {"shown.mtl": MTL}, IN_GLTF, OBJ_MESH
    ),
    "mesh-image not-there": image(
        {"shown.mtl": MTL.replace("shown.png", "gone.png")}, {"gone.png": png()}, IN_GLTF, OBJ_MESH
    ),
    "mesh-image unknown": image(
        {"shown.png": b"no image"}, {"shown.png": png()}, IN_GLTF, OBJ_MESH
    ),
    "mesh-image no-coordinates": image(
        {"shown.obj": PLAIN}, {"shown.obj": SHOWN}, IN_GLTF, OBJ_MESH
    ),
    "mesh-merged": own(MESH.format("meshes/sign.dae") + " --separate-dae-meshes"),
    "invisible": own(MORE, gone__stl=TETRAHEDRON),
    "export-left-out world-mass": Cured(
        f'<robot name="r"><link name="world">{MASS}</link></robot> export leg.xml',
        f'<robot name="r"><link name="base">{MASS}</link></robot> export leg.xml',
    ),
    "export-misread bounds": own(" export leg.sdf"),
    "export-actuator several": Cured(
        "".join(TRANSMISSION.format(name, "knee", "", name) for name in "tu") + " export leg.xml",
        TRANSMISSION.format("t", "knee", "", "m") + " export leg.xml",
    ),
    "export-actuator gain": Cured(
        TRANSMISSION.format("t", "knee", SERVO, "m") + " export leg.xml",
        MORE + "--actuators position=10",
    ),
    "export-look image-missing": image(
        {"shown.mtl": MTL.replace("shown.png", "gone.png")}, {"gone.png": png()}, IN_MJCF
    ),
    "export-look image-no-coordinates": image({"shown.obj": PLAIN}, {"shown.obj": SHOWN}, IN_MJCF),
    "export-look image-damaged": image({"shown.png": DAMAGED}, {"shown.png": png()}, IN_MJCF),
    "mesh-size small": Cured(
        MESH.format("meshes/base.dae") + " --separate-dae-meshes --scale 0.00001",
        MESH.format("meshes/base.dae") + " --separate-dae-meshes --scale 1",
    ),
    "hardware-sign zero": Cured(f"{DRIVER} edit --zero knee=0.1", f"{DRIVER} edit --prefix a_"),
    "srdf-root other": own(
        '<virtual_joint name="v" type="fixed" parent_frame="world" child_link="base_link"/>'
    ),
    "export-lost mimic-unknown": Cured('<mimic joint="nobody"/> export leg.xml', " export leg.xml"),
    "export-lost mimic-circle": Cured(
        TOE_OF_MASS.format('<mimic joint="knee"/>') + '<mimic joint="toe"/> export leg.xml',
        TOE_OF_MASS.format("") + '<mimic joint="toe"/> export leg.xml',
    ),
    "in-gazebo lumped": Cured(
        MASS,
        '<gazebo reference="ankle"><preserveFixedJoint>true</preserveFixedJoint></gazebo>',
    ),
    "in-gazebo dropped": own(TOE_OF_MASS.format("")),
    "in-gazebo light": Cured(TOE.format(mass(1e-7, 1e-9, 1e-9, 1e-9), ""), TOE_OF_MASS.format("")),
    "in-gazebo root": Cured('<link name="base_link"/>', f'<link name="base_link">{MASS}</link>'),
    "in-gazebo nothing": Cured(ONE.format("", "a", ""), ONE.format("", "a", MASS)),
    "in-gazebo name": Cured(
        TOE_OF_MASS.format(""),
        TOE_OF_MASS.format("").replace('joint name="toe"', 'joint name="hip"'),
    ),
    "in-gazebo version": Cured(
        '<robot name="r" version="1.1"><link name="a"/></robot>',
        '<robot name="r" version="1.0"><link name="a"/></robot>',
    ),
    "in-readers world": Cured(ONE.format("", "world", MASS), ONE.format("", "world", "")),
    "in-readers colors": Cured(
        ONE.format(MATERIAL.format(1) + MATERIAL.format(0), "a", ""),
        ONE.format(MATERIAL.format(1), "a", ""),
    ),
    "in-readers continuous": Cured(
        BOX_ARM.replace('name="shoulder"', 'name="shoulder" type="continuous"'), BOX_ARM
    ),
    "in-readers end": Cured('<limit lower="-1" effort="10" velocity="1"/>', LIMIT.format(-1, 2)),
    "in-readers follower": Cured('<mimic joint="ankle"/>', LEG),
    "said-elsewhere control": own(
        CONTROL.format("effort", '<param name="max">2</param>') + " edit --set knee.effort=2"
    ),
    "in-mujoco limit": Cured(LIMIT.format(1, -1), LIMIT.format(-1, 1)),
    "in-mujoco size": Cured(
        SPHERE.format("collision").replace('"1"', '"0"'), SPHERE.format("collision")
    ),
    "in-mujoco mass": Cured(
        ARM.format(SPHERE.format("collision"), "", ""),
        ARM.format(SPHERE.format("collision") + MASS, "", ""),
    ),
    **{
        f"{kind} {sentence}": Cured(
            CUBE_ARM.replace("cube.stl", name), MORE, {name: broken}, {name: sound}
        )
        for kind, sentence, name, broken, sound in (
            ("in-mujoco", "broken", "arm.stl", STL[:-30], STL),
            ("in-mujoco", "few", "arm.stl", binary_stl(TETRAHEDRA[:1]), STL),
            ("in-drake", "broken", "arm.obj", "f 1 2 3\n", CLOSED),
            ("in-newton", "scene", "arm.dae", dae(scene=False), dae()),
            ("in-pybullet", "crash", "arm.dae", dae(geometry=False), dae()),
        )
    },
    "in-mujoco flat": Cured(
        CUBE_ARM.replace("cube.stl", "arm.stl"),
        THEN + "collision --shape box",
        {"arm.stl": binary_stl(FLAT)},
    ),
    "in-readers root": Cured(ONE.format("", "a", MASS), THEN + "edit --add-root a_root"),
    "in-readers mirrored": Cured(
        '<visual><geometry><mesh filename="cube.stl" scale="-1 1 1"/></geometry></visual>',
        THEN + "edit --bake-scale *",
        {"cube.stl": TETRAHEDRON},
    ),
    "in-mujoco moment": Cured(TOE.format(mass(1, 1e-15, 1e-15, 1e-15), ""), TOE_OF_MASS.format("")),
    "in-mujoco floating": Cured(SIDE_JOINT.format("floating"), SIDE_JOINT.format("continuous")),
    "in-gazebo joint": Cured(SIDE_JOINT.format("planar"), SIDE_JOINT.format("continuous")),
    "in-mujoco stl": Cured(
        COLLISION.format("arm.stl"), MORE, {"arm.stl": ASCII_STL}, {"arm.stl": TETRAHEDRON}
    ),
    "in-mujoco material": Cured(
        TWO_VISUALS.format(""), TWO_VISUALS.format(MATERIAL.format(0).replace('"m"', '"n"'))
    ),
    "export-left-out texture": Cured(
        f"{TEXTURED_STL} {IN_MJCF}",
        f"{TEXTURED} {IN_MJCF}",
        {"shown.stl": TETRAHEDRON, "shown.png": png()},
        {"shown.obj": SHOWN, "shown.mtl": MTL},
    ),
    "export-left-out texture-usd": Cured(
        f"{TEXTURED_STL} export leg.usda",
        f"{TEXTURED} export leg.usda",
        {"shown.stl": TETRAHEDRON, "shown.png": png()},
        {"shown.obj": SHOWN, "shown.mtl": MTL},
    ),
    "export-engine collisions": Cured(
        "export leg.usda", MORE + "--srdf pairs.srdf", files_after={"pairs.srdf": PAIRS_SRDF}
    ),
    "scene-kept": own(MORE, leg_scene__xml='<mujoco><include file="leg.xml"/></mujoco>'),
}
