"""What MuJoCo loads of a whole robot: the objects of an OBJ that it draws, and every shape of an export."""

import pytest

import commands
from export.test_whole_robots import MESHES, MJCF, OBJECTS, robot_of, write_meshes

mujoco = pytest.importorskip("mujoco")


@pytest.mark.parametrize("name", OBJECTS)
def test_mujoco_draws_the_faces_that_are_counted(name):
    text, count = OBJECTS[name]
    model = mujoco.MjModel.from_xml_string(MJCF.format(scale=""), {"m.obj": text.encode()})
    assert model.mesh_facenum[0] == count


def test_the_hull_that_collides_has_the_points_of_all_objects():
    text, _ = OBJECTS["two objects"]
    xml = MJCF.format(scale="").replace('contype="0" conaffinity="0"', "")
    model = mujoco.MjModel.from_xml_string(xml, {"m.obj": text.encode()})
    corners_of_hull, faces_of_hull = model.mesh_graph[:2]
    assert (corners_of_hull, faces_of_hull) == (6, 8)


@pytest.mark.parametrize("words", ((), ("--for", "mujoco"), ("--for", "drake")), ids=str)
@pytest.mark.parametrize("mesh", MESHES)
def test_mujoco_loads_every_shape(mesh, words, here):
    write_meshes(here)
    (here / "r.urdf").write_text(robot_of([(("visual", "collision"), mesh), (("visual",), mesh)]))
    assert commands.said("export", "r.urdf", "r.xml", "-y", *words)[0] == 0
    assert mujoco.MjModel.from_xml_path("r.xml").ngeom == 3
