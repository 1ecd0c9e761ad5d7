"""A visual keeps its look for readers that take the first definition of a name, and for those that take its own."""

import random
from glob import escape
import xml.etree.ElementTree as ET

import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st

from edited_robots import varied
from random_robots import ORDINARY, with_materials, write_robot
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

RED, BLUE, BARE = (
    f"<material name='m'>{inside}</material>"
    for inside in ("<color rgba='1 0 0 1'/>", "<color rgba='0 0 1 1'/>", "")
)
BOX = "<geometry><box size='1 1 {}'/></geometry>"


def said(material):
    return (
        tuple((part.tag, part.get("rgba") or part.get("filename") or "") for part in material)
        or None
    )


def readings(data):
    """Return by geometry the name and the look of each visual, as urdfdom and as MuJoCo read it.

    The first of them is None where urdfdom finds a name that is defined further down only.
    """
    root = ET.fromstring(data)
    first = {top.get("name"): said(top) for top in reversed(root.findall("material"))}
    visuals = [visual for link in root.findall("link") for visual in link.findall("visual")]
    seen = []
    for visual in visuals:
        material = visual.find("material")
        name, own = (
            (material.get("name") or "", said(material)) if material is not None else ("", ())
        )
        if own and name:
            first.setdefault(name, own)
        seen.append((visual, name, first.get(name) if name else own, own))
    found = {}
    for visual, name, now, own in seen:
        geometry = "".join(ET.tostring(visual.find("geometry"), encoding="unicode").split())
        found.setdefault(geometry, set()).add((name, now, own or first.get(name)))
    return found


def agrees(before, after):
    """A color that urdfdom did not find may be found now: it is the one that others found."""
    name, first, own = after
    return after in before or (name, None, own) in before and first == own


def prove(text, drop=(), **choices):
    """Return a result whose looks are those of the text, also where an edit dropped links before."""
    whole, text = text, varied(text, {"drop": drop})
    result = simplify_bytes(text.encode(), "robot.urdf", Options(base_frame="ros", **choices))
    before, after = readings(whole.encode()), readings(result.data)
    for geometry, looks in after.items():
        assert all(agrees(before[geometry], look) for look in looks), (
            geometry,
            before[geometry],
            looks,
        )
    return result.data


def robot(*links, tops=""):
    """Return a robot: the first link carries all others, given by the kind of their joint and their material."""
    text = f"<robot name='r'><link name='base'/>{tops}"
    for number, (kind, material) in enumerate(links):
        text += (
            f"<link name='l{number}'><visual>{BOX.format(number + 1)}{material}</visual></link>"
            f"<joint name='j{number}' type='{kind}'><parent link='base'/><child link='l{number}'/></joint>"
        )
    return text + "</robot>"


MOVES, FIXED = "continuous", "fixed"
CASES = {
    "the second color comes first": robot((MOVES, RED), (FIXED, BLUE)),
    "a name alone elsewhere": robot((MOVES, RED), (FIXED, BLUE), (MOVES, BARE)),
    "a name alone comes first": robot((MOVES, RED), (FIXED, BARE)),
    "defined for the robot": robot((MOVES, RED), (FIXED, BLUE), (FIXED, BARE), tops=BLUE),
    "an image and a color": robot(
        (MOVES, RED.replace("</m", "<texture filename='a.png'/></m")), (FIXED, RED)
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_both_readings_stay(case):
    prove(CASES[case], merge_all=True)


def test_only_what_would_change_is_defined_for_the_robot():
    for text, count in (
        *((text, 1) for text in CASES.values()),
        (robot((FIXED, RED), (MOVES, BLUE)), 0),
    ):
        assert len(ET.fromstring(prove(text, merge_all=True)).findall("material")) == count


def test_a_definition_that_is_stripped_stays():
    rotor = f"<visual><geometry><mesh filename='rotor.stl'/></geometry>{RED}</visual>"
    box = "<visual><geometry><box size='1 1 1'/></geometry></visual>"
    stripped = f"<link name='base'>{rotor}{box}</link>"
    text = robot((MOVES, BARE), (MOVES, BLUE)).replace("<link name='base'/>", stripped)
    result = ET.fromstring(prove(text, strip_hardware=True))
    assert [color.get("rgba") for color in result.findall("material/color")] == ["1 0 0 1"]


def test_a_definition_in_a_link_that_is_dropped_stays():
    result = ET.fromstring(prove(robot((MOVES, RED), (MOVES, BLUE), (MOVES, BARE)), drop=("l0",)))
    assert [color.get("rgba") for color in result.findall("material/color")] == ["1 0 0 1"]
    # It was named before it is defined.
    prove(robot((MOVES, BARE), (MOVES, RED), (MOVES, BLUE)), drop=("l0",))


@examples(fuzzed=60)
@given(SEEDS, st.booleans(), st.booleans(), st.booleans())
def test_both_readings_are_kept_for_every_shape(seed, merge_all, strip, keep_all_frames):
    r = random.Random(seed)
    text = with_materials(write_robot(r, ORDINARY._replace(links=8, hardware=0.4)), r)
    children = [child.get("link") or "" for child in ET.fromstring(text).iterfind("joint/child")]
    prove(
        text,
        merge_all=merge_all,
        strip_hardware=strip,
        keep_all_frames=keep_all_frames,
        drop=tuple(escape(link) for link in children if r.random() < 0.1),
    )
