"""Small robots that are broken, each in one way that a program says something about: `explain` knows what they say.

These are beside those of `program_robots.py`. The judges load them in all programs (`judges/test_error_texts.py`); what the
programs said is in `app/recorded_errors.json`.
"""

from mesh_files import binary_stl, TETRAHEDRON
from program_robots import (
    arm,
    joint,
    LIMIT,
    link,
    MASS,
    material,
    mesh,
    mimic,
    RED,
    robot,
    shape,
    TENSOR,
    tensor,
    write_robots,
)

REFUSED = {
    "empty": "",
    "text": "hello world\n",
    "html": "<!DOCTYPE html>\n<html><head><title>404</title></head></html>\n",
    "lfs_robot": "version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n",
    "not_closed": '<robot name="r"><link name="a"></robot>\n',
    "cut": arm()[:200],
    "two_elements": arm() + arm(),
    "bad_attr": '<robot name="r"><link name="a" name="b"/></robot>',
    "no_quote": '<robot name=r><link name="a"/></robot>',
    "ampersand": '<robot name="r & s"><link name="a"/></robot>',
    "no_robot": '<?xml version="1.0"?>\n<sdf version="1.6"/>\n',
    "other_root": '<model name="m"/>\n',
    "no_links": '<robot name="r"/>\n',
    "xacro_left": robot(
        f'<link name="a"><inertial><mass value="${{m}}"/>{TENSOR.format(1, 1, 1)}</inertial></link>'
    ),
    "two_roots": robot(link("a"), link("b")),
    "circle": robot(link("a"), link("b"), joint("j", "a", "b"), joint("k", "b", "a")),
    "two_parents": robot(
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "c"),
        joint("k", "b", "c"),
        joint("l", "a", "b"),
    ),
    "unknown_parent": robot(link("a"), link("b"), joint("j", "nowhere", "b")),
    "unknown_child": robot(link("a"), joint("j", "a", "nowhere")),
    "link_twice": robot(link("a"), link("b"), link("b"), joint("j", "a", "b")),
    "link_no_name": robot("<link/>"),
    "joint_no_name": arm().replace('<joint name="j"', "<joint"),
    "joint_no_type": arm().replace(' type="revolute"', ""),
    "joint_bad_type": arm().replace('type="revolute"', 'type="revolut"'),
    "joint_no_parent": arm().replace('<parent link="base"/>', ""),
    "joint_no_child": arm().replace('<child link="arm"/>', ""),
    "parent_no_link": arm().replace('<parent link="base"/>', "<parent/>"),
    "parent_text": arm().replace('<parent link="base"/>', "<parent>base</parent>"),
    "bad_xyz": arm().replace('xyz="0 0 0.5"', 'xyz="0 0"'),
    "four_xyz": arm().replace('xyz="0 0 0.5"', 'xyz="0 0 0 1"'),
    "comma_xyz": arm().replace('xyz="0 0 0.5"', 'xyz="0, 0, 0.5"'),
    "word_xyz": arm().replace('xyz="0 0 0.5"', 'xyz="a b c"'),
    "nan_xyz": arm().replace('xyz="0 0 0.5"', 'xyz="nan 0 0"'),
    "bad_rpy": arm().replace('xyz="0 0 0.5"', 'rpy="0 0"'),
    "axis_zero": arm().replace('xyz="0 0 1"', 'xyz="0 0 0"'),
    "axis_two": arm().replace('xyz="0 0 1"', 'xyz="0 1"'),
    "axis_twice": arm().replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/><axis xyz="1 0 0"/>'),
    "axis_long": arm().replace('xyz="0 0 1"', 'xyz="0 0 2"'),
    "limit_word": arm(limit='<limit lower="a" upper="1" effort="1" velocity="1"/>'),
    "limit_no_velocity": arm(limit='<limit lower="-1" upper="1" effort="1"/>'),
    "limit_negative": arm(limit='<limit lower="-1" upper="1" effort="-1" velocity="-1"/>'),
    "limit_inf": arm(limit='<limit lower="-1" upper="1" effort="inf" velocity="inf"/>'),
    "safety": arm(limit=LIMIT + "<safety_controller/>"),
    "safety_word": arm(limit=LIMIT + '<safety_controller k_velocity="a"/>'),
    "calibration": arm(limit=LIMIT + '<calibration rising="a"/>'),
    "dynamics_word": arm(limit=LIMIT + '<dynamics damping="a" friction="0"/>'),
    "mimic_word": mimic('<mimic joint="j" multiplier="a"/>'),
    "mimic_self": mimic('<mimic joint="k"/>'),
    "no_geometry2": arm(MASS + "<visual/>"),
    "no_geometry_c": arm(MASS + "<collision/>"),
    "empty_geometry": arm(MASS + "<visual><geometry/></visual>"),
    "empty_geometry_c": arm(MASS + "<collision><geometry/></collision>"),
    "bad_geometry": arm(shape("visual", '<ball radius="1"/>')),
    "bad_geometry_c": arm(shape("collision", '<ball radius="1"/>')),
    "two_geometries": arm(shape("visual", '<sphere radius="1"/><box size="1 1 1"/>')),
    "box_two": arm(shape("visual", '<box size="1 1"/>')),
    "box_two_c": arm(shape("collision", '<box size="1 1"/>')),
    "box_neg": arm(shape("collision", '<box size="-1 1 1"/>')),
    "sphere_word": arm(shape("visual", '<sphere radius="a"/>')),
    "sphere_no": arm(shape("visual", "<sphere/>")),
    "sphere_no_c": arm(shape("collision", "<sphere/>")),
    "sphere_neg": arm(shape("collision", '<sphere radius="-1"/>')),
    "cylinder_no": arm(shape("visual", '<cylinder radius="1"/>')),
    "cylinder_no_c": arm(shape("collision", '<cylinder length="1"/>')),
    "cylinder_word": arm(shape("collision", '<cylinder length="a" radius="1"/>')),
    "mesh_scale": arm(shape("visual", '<mesh filename="a.obj" scale="1 1"/>')),
    "mesh_scale_c": arm(shape("collision", '<mesh filename="a.obj" scale="a"/>')),
    "mesh_scale_0": arm(shape("collision", '<mesh filename="a.obj" scale="0 0 0"/>')),
    "mass_word": arm('<inertial><mass value="a"/>' + TENSOR.format(1, 1, 1) + "</inertial>"),
    "mass_no": arm("<inertial>" + TENSOR.format(1, 1, 1) + "</inertial>"),
    "mass_no_value": arm("<inertial><mass/>" + TENSOR.format(1, 1, 1) + "</inertial>"),
    "mass_neg": arm('<inertial><mass value="-1"/>' + TENSOR.format(1, 1, 1) + "</inertial>"),
    "mass_zero": arm('<inertial><mass value="0"/>' + TENSOR.format(0, 0, 0) + "</inertial>"),
    "mass_nan": arm('<inertial><mass value="nan"/>' + TENSOR.format(1, 1, 1) + "</inertial>"),
    "inertia_no": arm('<inertial><mass value="1"/></inertial>'),
    "inertia_part": arm('<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'),
    "inertia_word": arm('<inertial><mass value="1"/>' + TENSOR.format("a", 1, 1) + "</inertial>"),
    "inertia_neg": arm('<inertial><mass value="1"/>' + TENSOR.format(-1, 1, 1) + "</inertial>"),
    "inertia_zero": arm('<inertial><mass value="1"/>' + TENSOR.format(0, 0, 0) + "</inertial>"),
    "inertia_tri": arm(tensor(1, 1, 5)),
    "inertia_offdiag": arm(
        '<inertial><mass value="1"/><inertia ixx="1" ixy="5" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    ),
    "two_inertials": arm(MASS + MASS),
    "inertial_empty": arm("<inertial/>"),
    "material_color_word": material('<color rgba="a 0 0 1"/>'),
    "material_color_three": material('<color rgba="1 0 0"/>'),
    "material_color_large": material('<color rgba="255 0 0 1"/>'),
    "material_undefined": material(""),
    "material_texture": material('<texture filename="gone.png"/>'),
    "material_no_rgba": material("<color/>"),
    "material_twice": material(RED, name=' name="m"').replace(
        "</robot>",
        '<material name="m"><color rgba="0 1 0 1"/></material><material name="m"><color rgba="0 0 1 1"/></material></robot>',
    ),
    "version": arm().replace("<robot ", '<robot version="2.0" '),
    "version_bad": arm().replace("<robot ", '<robot version="x" '),
    "no_name": arm().replace(' name="r"', ""),
    "transmission": arm(
        more='<transmission name="t"><type>x</type><joint name="j"/><actuator name="m"/></transmission>'
    ),
    "transmission_nojoint": arm(
        more='<transmission name="t"><type>transmission_interface/SimpleTransmission</type>'
        '<joint name="nope"/><actuator name="m"/></transmission>'
    ),
    "gazebo_nolink": arm(more='<gazebo reference="nope"><material>Gazebo/Red</material></gazebo>'),
    "gazebo_sensor": arm(more='<gazebo reference="arm"><sensor/></gazebo>'),
    "gazebo_bad": arm(more="<gazebo><plugin/></gazebo>"),
    "gazebo_pose": arm(
        more='<gazebo reference="arm"><sensor name="s" type="camera"><pose>1 2</pose></sensor></gazebo>'
    ),
    "gazebo_sensor_type": arm(
        more='<gazebo reference="arm"><sensor name="s" type="nose"/></gazebo>'
    ),
    "mujoco_bad": arm(more='<mujoco><compiler meshdirs="x"/></mujoco>'),
    "mujoco_bad2": arm(more="<mujoco><worldbody/></mujoco>"),
    "mujoco_value": arm(more='<mujoco><compiler angle="turns"/></mujoco>'),
    "mujoco_meshdir": arm(
        shape("collision", '<mesh filename="package://p/a.stl"/>'),
        more='<mujoco><compiler meshdir="nowhere"/></mujoco>',
    ),
    "drake_bad": arm(more='<drake:joint name="x" type="ball" xmlns:drake="http://drake.mit.edu"/>'),
    "world_inertia": robot(link("world"), link("a"), joint("j", "world", "a")),
    "world_named": robot(link("world"), link("a"), joint("j", "world", "a", "fixed")),
    "planar": robot(link("a"), link("b"), joint("j", "a", "b", "planar", "")),
    "name_space": robot(link("a b"), link("c d"), joint("j k", "a b", "c d")),
    "name_slash": robot(link("a/b"), link("c"), joint("j", "a/b", "c")),
    "name_colon": robot(link("a::b"), link("c"), joint("j", "a::b", "c")),
    "name_digit": robot(link("1a"), link("2b"), joint("3", "1a", "2b")),
    "name_unicode": robot(link("Ä"), link("ü"), joint("ö", "Ä", "ü")),
    "name_hyphen": robot(link("a-b"), link("c"), joint("j", "a-b", "c")),
    "name_reserved": robot(link("__a__"), link("c"), joint("j", "__a__", "c")),
    "scientific": arm().replace("0 0 0.5", "0 0 5e"),
    "hex": arm().replace("0 0 0.5", "0 0 0x5"),
}

FLAT = [((0, 0, 0), (1, 0, 0), (0, 1, 0)), ((0, 0, 0), (0, 1, 0), (1, 0, 0))]
NAN = float("nan")
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 12\n"
HTML = b"<!DOCTYPE html><html/>"
CORNERS = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n"
# Mesh files that are none, by their names.
MESHES = {
    "lfs.stl": POINTER,
    "html.stl": HTML,
    "none.stl": b"",
    "cut.stl": binary_stl(TETRAHEDRON)[:-30],
    "nofaces.stl": binary_stl([]),
    "flat.stl": binary_stl(FLAT),
    "nan.stl": binary_stl([((NAN, 0, 0), (1, 0, 0), (0, 1, 0))] * 4),
    "html.obj": HTML,
    "none.obj": b"",
    "range.obj": CORNERS + b"f 1 2 9\n",
    "nofaces.obj": CORNERS,
    "word.obj": b"v a b c\nf 1 2 3\n",
    "none.dae": b"",
    "glb.glb": b"glTFxx",
    "ply.ply": b"ply\n",
}
REFUSED.update(
    {
        f"mesh_{kind}_{name.replace('.', '_')}": mesh(kind, name)
        for kind in ("visual", "collision")
        for name in MESHES
    }
)


def write_refused(folder):
    """Write all robots that programs have something to say about, and their meshes."""
    write_robots(folder)
    for name, text in REFUSED.items():
        (folder / f"{name}.urdf").write_text(text, "utf-8")
    for name, data in MESHES.items():
        (folder / name).write_bytes(data)
