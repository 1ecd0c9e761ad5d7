"""Small robots, each with one thing that a program refuses or loses: `lint` says it, and the judges load them."""

from broken_meshes import BROKEN_MESHES
from conftest import ROOT
from mesh_files import A, ascii_stl, B, binary_stl, C, D, TETRAHEDRON, tetrahedron_glb

# One of each fault that programs treat in their own way.
NAMES_OF_BROKEN = (
    "cut.stl",
    "nan.stl",
    "one.stl",
    "flat.stl",
    "range.obj",
    "pointer_mtl.obj",
    "scene.dae",
    "geometry.dae",
)
TENSOR = '<inertia ixx="{0}" ixy="0" ixz="0" iyy="{1}" iyz="0" izz="{2}"/>'
MASS = f'<inertial><mass value="1"/>{TENSOR.format(0.01, 0.01, 0.01)}</inertial>'
BOX = '<geometry><box size="0.3 0.3 0.3"/></geometry>'
SHAPES = f"<visual>{BOX}</visual><collision>{BOX}</collision>"
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
RED = '<color rgba="1 0 0 1"/>'


def link(name, content=MASS + SHAPES):
    """Return a link with a mass and shapes, unless its content is given."""
    return f'<link name="{name}">\n{content}</link>\n'


def joint(name, parent, child, kind="revolute", content=LIMIT):
    """Return a joint half a meter above its parent."""
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="0 0 0.5"/><parent link="{parent}"/><child '
        f'link="{child}"/><axis xyz="0 0 1"/>\n{"" if kind == "fixed" else content}</joint>\n'
    )


def robot(*parts, attributes=""):
    """Return a robot of its parts."""
    return f'<robot name="r"{attributes}>\n{"".join(parts)}</robot>\n'


def arm(content=MASS + SHAPES, limit=LIMIT, more=""):
    """Return a robot of a base and an arm, `content` in the arm, `limit` in its joint, `more` beside."""
    return robot(link("base"), link("arm", content), joint("j", "base", "arm", content=limit), more)


def hand(kind="revolute", content=LIMIT, inside=MASS + SHAPES, name="k"):
    """Return a robot of a base, an arm, and a hand on a joint of its own."""
    return robot(
        link("base"),
        link("arm"),
        link("hand", inside),
        joint("j", "base", "arm"),
        joint(name, "arm", "hand", kind, content),
    )


def tensor(*moments):
    """Return the content of a link with these principal moments."""
    return f'<inertial><mass value="1"/>{TENSOR.format(*moments)}</inertial>{SHAPES}'


def shape(kind, geometry):
    """Return the content of a link with a mass and one shape."""
    return f"{MASS}<{kind}><geometry>{geometry}</geometry></{kind}>"


def mesh(kind, name):
    """Return an arm with one shape that is a mesh."""
    return arm(shape(kind, f'<mesh filename="{name}"/>'))


def material(content, name=' name="m"'):
    """Return an arm with one visual that has this material."""
    return arm(f"{MASS}<visual>{BOX}<material{name}>{content}</material></visual>")


def mimic(content, kind="revolute"):
    """Return a robot of two joints in a row, the second with this content."""
    return robot(
        link("base"),
        link("arm"),
        link("hand"),
        joint("j", "base", "arm", kind),
        joint("k", "arm", "hand", content=LIMIT + content),
    )


DRAWN = {
    f"{kind}_{word}": mesh(kind, name)
    for kind in ("visual", "collision")
    for word, name in (
        ("missing", "gone.stl"),
        ("spelling", "pkg/A.stl"),
        ("unknown_package", "package://nowhere/a.stl"),
        ("package", "package://pkg/a.stl"),
        ("stl", "pkg/a.stl"),
        ("ascii", "ascii.stl"),
        ("obj", "a.obj"),
        ("dae", "a.dae"),
        ("glb", "a.glb"),
    )
}
SIZES = {
    f"{kind}_{word}": arm(shape(kind, text))
    for kind in ("visual", "collision")
    for word, text in (
        ("flat_box", '<box size="0 1 1"/>'),
        ("no_radius", '<sphere radius="0"/>'),
        ("thin", '<cylinder radius="0" length="1"/>'),
        ("no_size", "<box/>"),
        ("no_file", "<mesh/>"),
    )
}
JOINTS = {
    "reversed": arm(limit=LIMIT.replace("-1", "2")),
    "one_sided": arm(limit=LIMIT.replace('upper="1" ', "")),
    "one_position": arm(limit=LIMIT.replace("-1", "1")),
    "no_limit": arm(limit=""),
    "no_ends": arm(limit=LIMIT.replace('lower="-1" upper="1" ', "")),
    "long_axis": hand("prismatic").replace('0 0 1"/>\n<limit', '0 0 2"/>\n<limit'),
    "no_effort": arm(limit='<limit lower="-1" upper="1"/>'),
    "no_number": arm(limit=LIMIT.replace('effort="1"', 'effort="x"')),
    "no_dynamics": arm(limit=LIMIT + "<dynamics/>"),
    "negative_damping": arm(limit=LIMIT + '<dynamics damping="-1"/>'),
    "continuous": robot(link("base"), link("arm"), joint("j", "base", "arm", "continuous", "")),
    "follower": mimic('<mimic joint="j" multiplier="0.5"/>'),
    "of_unknown": mimic('<mimic joint="z"/>'),
    "of_nothing": mimic("<mimic/>"),
    "of_fixed": mimic('<mimic joint="j"/>', "fixed"),
    "in_circle": mimic('<mimic joint="j"/>').replace(
        LIMIT + "</joint>", LIMIT + '<mimic joint="k"/></joint>', 1
    ),
    "fixed": hand("fixed"),
    "twice": hand(name="j"),
    "of_a_link": hand(name="arm"),
    "fixed_of_a_link": hand("fixed", name="hand"),
    "floating": robot(link("base"), link("arm"), joint("j", "base", "arm", "floating", "")),
    "floating_below": hand("floating", ""),
    "planar": robot(link("base"), link("arm"), joint("j", "base", "arm", "planar", "")),
    "loop": hand().replace(
        "</robot>",
        '<loop_joint name="l" type="revolute"><link1 link="base"/><link2 link="hand"/>'
        "</loop_joint></robot>",
    ),
    "no_type": arm(
        more='<transmission name="t"><joint name="j"/><actuator name="m"/></transmission>'
    ),
}
MASSES = {
    # Every run keeps the base on a link `world`, whatever both weigh.
    "bolted": robot(link("world", ""), link("base"), joint("j", "world", "base", "fixed")),
    "bolted_part": robot(
        link("world"),
        link("base", tensor(1e-12, 1e-12, 1e-12)),
        joint("j", "world", "base", "fixed"),
    ),
    "light": arm(f'<inertial><mass value="1e-7"/>{TENSOR.format(1e-11, 1e-11, 1e-11)}</inertial>'),
    "least": arm(f'<inertial><mass value="1e-5"/>{TENSOR.format(1e-9, 1e-9, 1e-9)}</inertial>'),
    "massless": arm(""),
    "zero_mass": arm(f'<inertial><mass value="0"/>{TENSOR.format(0, 0, 0)}</inertial>'),
    "weighed": arm(f"<collision>{BOX}</collision>"),
    "weighed_part": hand("fixed", inside=f"<collision>{BOX}</collision>"),
    "massless_between": robot(
        link("base"),
        link("arm", ""),
        link("hand"),
        joint("j", "base", "arm"),
        joint("k", "arm", "hand"),
    ),
    "no_mass": robot(link("base", ""), link("arm", ""), joint("j", "base", "arm")),
    "massless_root": robot(link("base", ""), link("arm"), joint("j", "base", "arm")),
    "massless_frame": hand("fixed", inside=""),
    "world": robot(link("world", ""), link("arm"), joint("j", "world", "arm")),
    "triangle": arm(tensor(0.01, 0.01, 0.09)),
    "triangle_of_root": arm().replace(MASS, tensor(0.01, 0.01, 0.09).replace(SHAPES, ""), 1),
    "point": arm(tensor(0, 0, 0)),
    "negative": arm(tensor(-0.01, 0.01, 0.01)),
    "rod": arm(tensor(0, 0.01, 0.01)),
    "triangle_of_part": hand(
        "fixed",
        inside=(f'<inertial><mass value="0.001"/>{TENSOR.format(1e-6, 1e-6, 9e-6)}</inertial>'),
    ),
    "triangle_of_world": robot(
        link("world", tensor(0.01, 0, 0)), link("arm"), joint("j", "world", "arm")
    ),
    "triangle_of_light_part": hand(
        "fixed", inside=(f'<inertial><mass value="1e-6"/>{TENSOR.format(0, 0, 3e-6)}</inertial>')
    ),
    "no_tensor": arm('<inertial><mass value="1"/></inertial>'),
    "part_of_tensor": arm(
        '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial>'
    ),
}
LOOKS = {
    "undefined": material(""),
    "defined_later": arm(
        f'{MASS}<visual>{BOX}<material name="m"/></visual>'
        f'<visual>{BOX}<material name="m">{RED}</material></visual>'
    ),
    "tiny_frame": robot(
        link("base"),
        link("arm"),
        joint("j", "base", "arm"),
        link(
            "frame",
            f'<inertial><mass value="1e-9"/>{TENSOR.format(1e-15, 1e-15, 1e-15)}</inertial>',
        ),
        joint("k", "arm", "frame", "fixed"),
        '<gazebo reference="frame"><sensor name="s" type="imu"/></gazebo>\n',
    ),
    "unnamed": material(RED, ""),
    "mass_twice": arm(MASS.replace('<mass value="1"/>', '<mass value="1"/>' * 2) + SHAPES),
    "meshdir": arm(
        shape("collision", '<mesh filename="pkg/a.stl"/>'),
        more='<mujoco><compiler meshdir="pkg"/></mujoco>',
    ),
    "axis_twice": arm().replace('<axis xyz="0 0 1"/>', '<axis xyz="0 0 1"/>' * 2),
    "box_twice": arm(MASS + SHAPES.replace(BOX, BOX.replace("<box", '<box size="1 1 1"/><box'))),
    "color_out_of_range": material('<color rgba="2 0 0 1"/>'),
    "image": material('<texture filename="gone.png"/>'),
    "two_colors": material(RED).replace(
        SHAPES, f'<visual>{BOX}<material name="m"><color rgba="0 1 0 1"/></material></visual>'
    ),
    "twice_defined": arm(more=f'<material name="m">{RED}</material>' * 2),
    "empty_material": arm(more='<material name="m"/>'),
    "unnamed_above": arm(more=f"<material>{RED}</material>"),
    "no_geometry": arm(f"{MASS}<collision/>"),
    "no_geometry_drawn": arm(f"{MASS}<visual/>"),
    "capsule": arm(shape("collision", '<capsule radius="0.1" length="0.2"/>')),
    "without_visuals": arm(f"{MASS}<collision>{BOX}</collision>").replace(SHAPES, ""),
}
FILES = {
    "whole": arm(),
    "instruction": arm(more="<?editor indent?>"),
    "late_declaration": '<!-- of a vendor -->\n<?xml version="1.0"?>\n' + arm(),
    "blanks_in_front": '\n <?xml version="1.0"?>\n' + arm(),
    "version_1_1": arm().replace('"r"', '"r" version="1.1"', 1),
    "version_2": arm().replace('"r"', '"r" version="2.0"', 1),
    "prefix": arm(more="<sensor:camera/>"),
    "nameless": arm().replace(' name="r"', "", 1),
    "quaternion": arm().replace('0 0 0.5"', '0 0 0.5" quat_xyzw="0 0 0.6 0.8"'),
    "quaternion_1_1": arm()
    .replace('0 0 0.5"', '0 0 0.5" quat_xyzw="0 0 0.6 0.8"')
    .replace('"r"', '"r" version="1.1"', 1),
    "commas": arm().replace("0 0 0.5", "0,0,0.5"),
    "commas_in_shape": arm(f'{MASS}<visual><origin xyz="0,0,1"/>{BOX}</visual>'),
}
ROBOTS = {
    **FILES,
    **DRAWN,
    "mirrored": arm(shape("visual", '<mesh filename="a.obj" scale="1 -1 1"/>')),
    **SIZES,
    **JOINTS,
    **MASSES,
    **{f"look_{name}": text for name, text in LOOKS.items()},
}


BROKEN = [mesh for mesh in BROKEN_MESHES if mesh.name in NAMES_OF_BROKEN]
for broken_mesh in BROKEN:
    stem, _, ending = broken_mesh.name.partition(".")
    ROBOTS[f"broken_{stem}_{ending}"] = mesh("collision", broken_mesh.name)


def write_robots(folder):
    """Write all robots and their meshes; return the paths of the robots."""
    (folder / "pkg").mkdir()
    (folder / "pkg" / "package.xml").write_text('<package format="2"><name>pkg</name></package>')
    (folder / "pkg" / "a.stl").write_bytes(binary_stl(TETRAHEDRON))
    (folder / "ascii.stl").write_text(ascii_stl(TETRAHEDRON))
    (folder / "a.obj").write_text(
        "".join("v {} {} {}\n".format(*corner) for corner in (A, B, C, D))
        + "f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    (folder / "a.dae").write_bytes(
        (ROOT / "fixtures" / "painted_arm" / "meshes" / "base.dae").read_bytes()
    )
    (folder / "a.glb").write_bytes(tetrahedron_glb().glb())
    for broken in BROKEN:
        for name, content in broken.files.items():
            (folder / name).write_bytes(content)
    paths = []
    for name, text in ROBOTS.items():
        paths.append(folder / f"{name}.urdf")
        paths[-1].write_text(text, "utf-8")
    paths.append(folder / "utf16.urdf")
    paths[-1].write_bytes(f'<?xml version="1.0" encoding="utf-16"?>{arm()}'.encode("utf-16"))
    return tuple(paths)
