"""Materials without a name get one where shapes of several links come together, and only there."""

import itertools
import xml.etree.ElementTree as ElementTree

import pytest

from urdf_tools.run.run_pipeline import Options, simplify_bytes

MATERIALS = {
    "none": "",
    "named": '<material name="b_material"><color rgba="0 0 1 1"/></material>',
    "unnamed": '<material><color rgba="1 0 0 1"/></material>',
    "empty": "<material/>",
}


def link(name, *materials):
    """Write a link with a visual for each material."""
    shapes = "".join(
        f'<visual name="{name}{k}"><geometry><sphere radius="{ord(name) + k}"/></geometry>'
        f"{MATERIALS[material]}</visual>"
        for k, material in enumerate(materials)
    )
    return f'<link name="{name}">{shapes}</link>'


def materials_of(text):
    """Return name and color of the material of each visual."""
    return {
        visual.get("name", ""): (
            material.get("name", "-"),
            *(color.get("rgba", "") for color in material),
        )
        for visual in ElementTree.fromstring(text).iter("visual")
        for material in visual.findall("material")
    }


@pytest.mark.parametrize(
    "options", (Options(), Options(keep_all_frames=True), Options(merge=False))
)
def test_every_combination(options):
    for one, two, three in itertools.product(MATERIALS, repeat=3):
        text = (
            '<robot name="r">'
            + link("a", one)
            + link("b", two, "unnamed")
            + link("c", three)
            + '<joint name="f" type="fixed"><parent link="a"/><child link="b"/></joint>'
            + '<joint name="j" type="floating"><parent link="a"/><child link="c"/></joint></robot>'
        )
        result = simplify_bytes(text.encode(), "robot.urdf", options)
        before, after = materials_of(text), materials_of(result.text)
        assert {name: said[1:] for name, said in before.items()} == {
            name: said[1:] for name, said in after.items()
        }
        assert after.get("c0") == before.get("c0"), "nothing comes to c"
        moved = [(before[name], after[name]) for name in after if name != "c0"]
        assert all(new[0] != "-" for _, new in moved) == options.merge
        made = [new[0] for old, new in moved if old[0] == "-" and old[1:] and options.merge]
        given = {old[0] for old in before.values()}
        assert len({*made}) == len(made) and not given & {*made}, "a name of its own each"
        assert simplify_bytes(result.data, "robot.urdf", options).data == result.data
