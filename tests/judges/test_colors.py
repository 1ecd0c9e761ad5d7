"""What colors readers see: pinocchio takes the first definition of a name (urdfdom), MuJoCo the color of the visual."""

import random
import re

import pytest

from painted_robots import ROBOTS, write_into
from random_robots import ORDINARY, with_materials, write_robot
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes


# A name that is defined further down, or nowhere.
UNKNOWN = {(0.5, 0.5, 0.5, 1.0), (0.9, 0.9, 0.9, 1.0)}


def drawable(seed):
    """Return a random robot that both can read: its meshes are boxes, its colors have no images, its joints limits."""
    r = random.Random(seed)
    traits = ORDINARY._replace(
        links=10, odd_joints=False, duplicates=0.0, kept=0.0, mimics=0.0, hardware=0.0
    )
    text = with_materials(write_robot(r, traits), r)
    text = re.sub(r'<mesh filename="[^"]*?_(\d+)\.STL"/>', r'<box size="0.3 0.3 \1"/>', text)
    text = re.sub(r"<texture [^>]*/>|<limit [^>]*/>|(?s:<inertial>.*?</inertial>)", "", text)
    text = re.sub(
        r"(<joint[^>]*>)", r'\1<limit lower="-1" upper="1" effort="1" velocity="1"/>', text
    )
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
    text = re.sub(r'<link name="([^"]*)"/>', r'<link name="\1"></link>', text)
    return re.sub(r'(<link name="[^"]*">)', r"\1" + inertial, text)


def by_pinocchio(text):
    pinocchio = pytest.importorskip("pinocchio")
    model = pinocchio.buildModelFromXML(text)
    found = {}
    for one in pinocchio.buildGeomFromUrdfString(
        model, text, pinocchio.GeometryType.VISUAL
    ).geometryObjects:
        found.setdefault(size_of(one.geometry), []).append(
            tuple(round(float(x), 6) for x in one.meshColor)
        )
    return {size: sorted(colors) for size, colors in found.items()}


def size_of(geometry):
    sides = getattr(geometry, "halfSide", None)
    return (
        tuple(map(float, sides))
        if sides is not None
        else (float(geometry.radius), float(geometry.halfLength))
    )


def by_mujoco(text):
    mujoco = pytest.importorskip("mujoco")
    text = text.replace(
        "</robot>", '<mujoco><compiler discardvisual="false" fusestatic="false"/></mujoco></robot>'
    )
    model = mujoco.MjModel.from_xml_string(text)
    found = {}
    for k in range(model.ngeom):
        if model.geom_contype[k] == 0:
            found.setdefault(tuple(map(float, model.geom_size[k])), []).append(
                tuple(round(float(x), 6) for x in model.geom_rgba[k])
            )
    return {size: sorted(colors) for size, colors in found.items()}


@pytest.mark.parametrize("seed", range(60))
def test_colors_are_what_they_were(seed):
    text = drawable(seed)
    result = simplify_bytes(
        text.encode(), "robot.urdf", Options(base_frame="ros", merge_all=True)
    ).data.decode()
    for read in (by_pinocchio, by_mujoco):
        before, after = read(text), read(result)
        assert {
            size: after[size] for size, colors in before.items() if UNKNOWN.isdisjoint(colors)
        } == {size: colors for size, colors in before.items() if UNKNOWN.isdisjoint(colors)}


def test_the_color_of_the_robot_counts_before_that_of_the_mesh_file(tmp_path):
    """`compare` says so of MuJoCo and Pinocchio, where the color of the mesh file differs."""
    mujoco, pinocchio = (pytest.importorskip(name) for name in ("mujoco", "pinocchio"))
    robot = ROBOTS["urdf own, part.obj mtl Kd mtl Ke mtl second"]
    green = (0.0, 1.0, 0.0)
    colors = {**dict.fromkeys(robot.places, (1.0, 0.0, 0.0)), "material": green}
    write_into(tmp_path, robot.write(colors))
    path = tmp_path / robot.name
    shown = '<mujoco><compiler discardvisual="false"/></mujoco></robot>'
    path.write_text(path.read_text().replace("</robot>", shown))
    assert tuple(mujoco.MjModel.from_xml_path(str(path)).geom_rgba[0]) == (*green, 1.0)
    model = pinocchio.buildModelFromUrdf(str(path))
    (visual,) = pinocchio.buildGeomFromUrdf(
        model, str(path), pinocchio.GeometryType.VISUAL, package_dirs=[str(tmp_path)]
    ).geometryObjects
    assert visual.overrideMaterial and tuple(visual.meshColor) == (*green, 1.0)
