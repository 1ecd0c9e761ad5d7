"""Visuals that are compared all together are compared by the materials of a simulator, too."""

import pytest

from urdf_tools.compare.look_differences import _scripts
from urdf_tools.compare.placed import PlacedShape
from urdf_tools.robot.records import RawShape
from urdf_tools.urdf.spatial import IDENTITY_POSE

VISUAL = RawShape(
    role="visual",
    geometry="mesh",
    sizes=(1.0, 1.0, 1.0),
    T_link_shape=IDENTITY_POSE,
    name="",
    file="lid.stl",
    path="",
    color=None,
    texture="",
    script="",
    surface={},
    line=1,
)


def placed(script):
    shape = VISUAL._replace(script=script)
    return PlacedShape(shape=shape, link="lid", T=IDENTITY_POSE)


@pytest.mark.parametrize(
    ("first", "second", "kinds"),
    (
        (["Gazebo/Red"], ["Gazebo/Red", "Gazebo/Red"], []),
        (["Gazebo/Red"], ["Gazebo/Red", "Gazebo/Blue"], ["shape_text"]),
        (["Gazebo/Red"], ["Gazebo/Blue", "Gazebo/Blue"], ["shape_text"]),
        (["Gazebo/Red"], ["", ""], ["color_one_side"]),
        (["", ""], [""], []),
    ),
)
def test_united_visuals_have_the_same_materials(first, second, kinds):
    found = _scripts([*map(placed, first)], [*map(placed, second)])
    assert [each.kind for each in found] == kinds
