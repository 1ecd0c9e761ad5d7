"""Shapes of merged links are copies only where everything that a consumer sees of them is equal."""

import pytest

from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

BOX = "<geometry><box size='1 1 1'/></geometry>"
SLIPPERY = (
    "<drake:proximity_properties><drake:mu_dynamic value='0.1'/></drake:proximity_properties>"
)
MESH = "<geometry><mesh filename='a.stl' scale='1 1 1'/></geometry>"


def shapes_left(kind, one, other):
    """Merge two links with a shape each, in one place, and count the shapes of the result."""
    text = "".join(
        f"<link name='{name}'><{kind} name='{name}'>{inside}</{kind}></link>"
        for name, inside in (("base", one), ("pad", other))
    )
    joint = "<joint name='mount' type='fixed'><parent link='base'/><child link='pad'/></joint>"
    result = simplify_bytes(
        f"<robot name='r' xmlns:drake='urn:d'>{text}{joint}</robot>".encode(),
        "robot.urdf",
        Options(base_frame="ros", merge_all=True),
    )
    assert list(result.after.links) == ["base"]
    return len(result.after.links["base"].shapes)


@pytest.mark.parametrize(
    ("kind", "pair"),
    (
        (
            "visual",
            (
                BOX + "<material name=''><texture filename='a.png'/></material>",
                BOX + "<material name=''><texture filename='b.png'/></material>",
            ),
        ),
        (
            "visual",
            (
                BOX + "<material name='m'><color rgba='1 0 0 1'/></material>",
                BOX
                + "<material name='m'><color rgba='1 0 0 1'/><texture filename='b.png'/></material>",
            ),
        ),
        ("visual", (BOX + "<material name='red'/>", BOX + "<material name='blue'/>")),
        ("visual", (BOX + "<material name='red'/>", BOX)),
        ("visual", (MESH, MESH.replace("1 1 1", "1 1 -1"))),
        ("visual", (MESH, MESH.replace("a.stl", "b.stl"))),
        ("visual", (BOX, BOX + "<glow>1</glow>")),
        ("collision", (BOX, BOX + SLIPPERY)),
        ("collision", (BOX + SLIPPERY.replace("0.1", "0.2"), BOX + SLIPPERY)),
        ("collision", (MESH, MESH.replace("/>", "><drake:declare_convex/></mesh>"))),
        ("collision", (BOX, BOX + "<verbose value='9'/>")),
    ),
)
def test_what_differs_in_anything_is_no_copy(kind, pair):
    assert shapes_left(kind, *pair) == shapes_left(kind, *reversed(pair)) == 2
    assert [shapes_left(kind, one, one) for one in pair] == [1, 1]


@pytest.mark.parametrize("place", [k * 5e-6 for k in range(-9, 10, 3)])
@pytest.mark.parametrize(("apart", "count"), [(-9e-6, 1), (9e-6, 1), (-1.1e-5, 2), (1.1e-5, 2)])
def test_copies_are_found_wherever_they_are(place, apart, count):
    assert (
        shapes_left("visual", *(f"<origin xyz='{x!r} 0 0'/>{BOX}" for x in (place, place + apart)))
        == count
    )
