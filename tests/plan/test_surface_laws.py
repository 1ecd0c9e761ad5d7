"""Laws of what a merge changes for the rest of a body, on random robots: contacts, gravity, masses; judged naively."""

import random
import re
import xml.etree.ElementTree as ElementTree

import pytest
from conftest import examples, SEEDS
from hypothesis import example, given, strategies as st
from random_robots import ORDINARY, write_robot

from urdf_tools.plan.options import Options
from urdf_tools.run.pipeline import simplify_bytes

DEFAULTS = {
    "mu1": 1.0,
    "mu2": 1.0,
    "kp": 1e12,
    "maxContacts": 10.0,
    "lateral_friction": 0.5,
    "turnGravityOff": 0.0,
}
CONTACTS = tuple(key for key in DEFAULTS if key != "turnGravityOff")


def _with_surfaces(r):
    """Return a robot whose collisions have names of their own, and whose links say something or nothing of contacts."""
    text = write_robot(r, ORDINARY._replace(fixed=0.6, hardware=0.1)).replace("\r", "")
    numbers = iter(range(10**6))
    text = re.sub(r"<collision[^>]*>", lambda match: f'<collision name="c{next(numbers)}">', text)
    blocks = ""
    for link in re.findall(r'<link name="(.*?)"', text):
        said = [
            f"<{key}>{r.choice(values)}</{key}>"
            for key, values in (
                ("mu1", ("0.5", "1.0", "0.50")),
                ("mu2", ("0.5", "1")),
                ("kp", ("1e6", "1e12")),
                ("maxContacts", ("3", "10")),
                ("turnGravityOff", ("true", "false")),
            )
            if r.random() < 0.3
        ]
        if r.random() < 0.5:
            blocks += f'<gazebo reference="{link}">{"".join(said)}</gazebo>\n'
        if r.random() < 0.2 and f'<link name="{link}">' in text:
            value = r.choice(("0.5", "0.9"))
            text = text.replace(
                f'<link name="{link}">',
                f'<link name="{link}"><contact><lateral_friction value="{value}"/></contact>',
                1,
            )
    return text.replace("</robot>", blocks + "</robot>")


def _said(tree):
    """Return what is said of each link, by link and tag."""
    found = {}
    places = [
        (block.get("reference", ""), tag) for block in tree.findall("gazebo") for tag in block
    ]
    places += [
        (link.get("name", ""), tag)
        for link in tree.findall("link")
        for tag in link.findall("contact/*")
    ]
    for link, tag in places:
        if tag.tag in DEFAULTS:
            text = (tag.get("value") or tag.text or "").replace("true", "1").replace("false", "0")
            found.setdefault((link, tag.tag), float(text))
    return found


def _values(tree):
    """Return, by the name of each collision, its link and what holds for it."""
    said = _said(tree)
    return {
        shape.get("name", ""): (
            link.get("name", ""),
            {key: said.get((link.get("name", ""), key), DEFAULTS[key]) for key in CONTACTS},
        )
        for link in tree.findall("link")
        for shape in link.findall("collision")
    }


def _gravity(tree):
    """Return, by link, what sdformat reads of `turnGravityOff` for the body that fixed joints make of it."""
    blocks = {}
    kept = set()
    for block in tree.findall("gazebo"):
        name = block.get("reference", "")
        blocks.setdefault(name, []).extend(
            tag.text or "" for tag in block.findall("turnGravityOff")
        )
        kept.update(
            {name} if any("Fixed" in tag.tag and tag.text == "true" for tag in block) else ()
        )
    joints = sorted(
        (
            joint.get("name", ""),
            joint.get("type"),
            *(joint.find(end).get("link", "") for end in ("parent", "child")),
        )
        for joint in tree.findall("joint")
    )
    found = {}

    def lump(link):
        links, values = [link], list(blocks.get(link, ()))
        for name, kind, parent, child in joints:
            if parent == link and kind == "fixed" and parent != "world" and name not in kept:
                for all_of, some in zip((links, values), lump(child)):
                    all_of += some
        return links, values

    for link in (link.get("name", "") for link in tree.findall("link")):
        links, values = lump(link)
        if not any(
            child == link and kind == "fixed" and parent != "world" and name not in kept
            for name, kind, parent, child in joints
        ):
            found.update(dict.fromkeys(links, values[-1] if values else "false"))
    return found


def _is_named(result, key, link):
    return any(
        notice.kind.name == "surface-merged"
        and notice.text.startswith(key + " ")
        and f"'{link}'" in notice.text
        for notice in result.plan.warnings
    )


def _bodies_that_change(result):
    """Return the links of which a warning says that their body falls or floats from now on."""
    return {notice.names[0] for notice in result.plan.warnings if notice.kind.name == "body-merged"}


@examples(fuzzed=60)
@example(597, False, False)  # a link on a fixed joint of a sibling, for which gravity is turned off
@given(SEEDS, st.booleans(), st.booleans())
def test_every_collision_keeps_its_contacts(seed, merge_all, keep_all_frames):
    options = Options(
        base_frame="ros", lenient=True, merge_all=merge_all, keep_all_frames=keep_all_frames
    )
    result = simplify_bytes(
        _with_surfaces(random.Random(seed)).encode("utf-8"), "robot.urdf", options
    )
    trees = ElementTree.fromstring(result.source), ElementTree.fromstring(result.data)
    before, after = map(_values, trees)
    assert set(after) <= set(before)
    for name, (_, values) in after.items():
        link, old = before[name]
        for key in CONTACTS:
            assert values[key] == old[key] or _is_named(result, key, link), (name, link, key)
    gravity = [_gravity(tree) for tree in trees]
    for old_link in trees[0].findall("link"):
        mass, link = old_link.find("inertial/mass"), old_link.get("name", "")
        if mass is not None and float(mass.get("value", "0")) > 1e-6:
            target = result.plan.members[link].target
            assert gravity[0][link] == gravity[1][target] or _bodies_that_change(result), (
                link,
                target,
            )
    assert simplify_bytes(result.data, "robot.urdf", options).data == result.data


def test_gravity_keeps_apart_only_what_sdformat_keeps_apart():
    """A link that sdformat lumps into the target anyway merges with a word; one that is fixed to `world` stays."""
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    links = "".join(
        f'<link name="{name}">{inertial}</link>' for name in ("world", "a", "b", "on_b", "on_world")
    )
    joints = "".join(
        f'''<joint name="j" type="prismatic"><parent link="world"/><child link="{child}"/>
<origin xyz="0 0 {height}"/><axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>'''
        for child, height in (("a", 0), ("b", 1))
    )
    joints += "".join(
        f'<joint name="{child}" type="fixed"><parent link="{parent}"/><child link="{child}"/></joint>'
        for child, parent in (("on_b", "b"), ("on_world", "world"))
    )
    blocks = "".join(
        f'<gazebo reference="{link}"><turnGravityOff>true</turnGravityOff></gazebo>'
        for link in ("b", "on_world")
    )
    text = f'<robot name="r">{links}{joints}{blocks}</robot>'
    result = simplify_bytes(text.encode("utf-8"), "robot.urdf", Options(base_frame="ros"))
    assert {name: member.target for name, member in result.plan.members.items()} == {
        "world": "world",
        "a": "a",
        "b": "a",
        "on_b": "a",
        "on_world": "on_world",
    }
    assert _bodies_that_change(result) == {"b"}
    assert [
        notice.line for notice in result.plan.warnings if notice.kind.name == "world-content"
    ] == [1]


@examples(fuzzed=40)
@example(20229)  # what is fixed to a copy for which gravity is turned off
@given(SEEDS)
def test_nothing_is_warned_of_where_everything_is_kept(seed):
    """Only duplicate joints, which must merge, change a contact or gravity without --merge-all."""
    result = simplify_bytes(
        _with_surfaces(random.Random(seed)).encode("utf-8"),
        "robot.urdf",
        Options(base_frame="ros", lenient=True),
    )
    merged = {
        name for name, member in result.plan.members.items() if member.kind in ("copy", "sibling")
    }
    assert _bodies_that_change(result) <= merged
    for notice in result.plan.warnings:
        if notice.kind.name == "surface-merged" and not notice.text.startswith(
            ("material", "visual")
        ):
            assert any(f"'{name}'" in notice.text for name in merged), notice


def _exported_twice(r):
    """Return a robot, and the same with one moving assembly exported twice: other link names, the same joint names."""
    text = write_robot(
        r,
        ORDINARY._replace(
            fixed=0.6, duplicates=0.0, kept=0.0, hardware=0.0, mimics=0.0, odd_joints=False
        ),
    ).replace("\r", "")
    links = {
        match.group(1): match.group()
        for match in re.finditer(r'<link name="([^"]*)"(?:/>|.*?</link>)', text, re.S)
    }
    joints = re.findall(r"<joint .*?</joint>", text, re.S)
    ends = {
        joint: [
            str(re.search(rf'<{end} link="(.*?)"', joint).group(1)) for end in ("parent", "child")
        ]
        for joint in joints
    }
    heads = [joint for joint in joints if not re.search("type=.fixed", joint)]
    if not heads:
        return text, text
    inside = {ends[r.choice(heads)][1]}
    for _ in joints:
        inside |= {ends[joint][1] for joint in joints if ends[joint][0] in inside}
    added = "".join(links[name].replace(f'"{name}"', f'"{name}_again"', 1) for name in inside)
    for joint in joints:
        if ends[joint][1] in inside:
            for name in set(ends[joint]) & inside:
                joint = joint.replace(f'link="{name}"', f'link="{name}_again"')
            added += joint
    return text, text.replace("</robot>", added + "</robot>")


@examples(fuzzed=50)
@given(SEEDS)
def test_an_assembly_that_was_exported_twice_is_counted_once(seed):
    once, twice = _exported_twice(random.Random(seed))
    options = Options(base_frame="ros", count_once=True, snap=0.0)
    masses = []
    for text in (once, twice):
        result = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
        masses.append({name: link.mass for name, link in result.after.links.items()})
    assert {name for name in masses[1] if not name.endswith("_again")} == set(masses[0])
    for name, mass in masses[1].items():
        assert mass == pytest.approx(masses[0].get(name, 0.0), rel=1e-9, abs=1e-12), name


@pytest.mark.parametrize(
    "between, stays", [("", False), ("\n  ", False), (" ", False), ("\n\n  ", True)]
)
def test_which_element_a_comment_belongs_to(between, stays):
    """Directly before one, also on its line, it goes where that goes; a blank line makes it one of its own."""
    text = f"""<robot name="r">
  <link name="a"/>
  <link name="b"/>
  <!-- of joint ab -->{between}<joint name="ab" type="fixed"><parent link="a"/><child link="b"/></joint>
</robot>
"""
    result = simplify_bytes(
        text.encode("utf-8"), "robot.urdf", Options(base_frame="ros", merge_all=True)
    ).text
    there = (
        '<link name="a"/>\n  <!-- of joint ab -->\n'
        if stays
        else "    <!-- of joint ab -->\n  </link>"
    )
    assert there in result


@examples(fuzzed=40)
@given(SEEDS, st.booleans(), st.booleans())
def test_no_comment_is_lost(seed, merge_all, keep_all_frames):
    r = random.Random(seed)
    text = write_robot(r, ORDINARY._replace(fixed=0.6, hardware=0.0))
    numbers = iter(range(10**6))
    text = re.sub(
        "(?=<(?:link|joint|visual|inertial|origin|mass|child)[ />])",
        lambda match: f"<!-- {next(numbers)} -->" if r.random() < 0.3 else "",
        text,
    )
    result = simplify_bytes(
        text.encode("utf-8"),
        "robot.urdf",
        Options(
            base_frame="ros", lenient=True, merge_all=merge_all, keep_all_frames=keep_all_frames
        ),
    )
    dropped = [copy.shape.source for copy in result.plan.copies]
    before, after = (set(re.findall("<!-- [0-9]+ -->", one)) for one in (text, result.text))
    assert after <= before
    assert after == before or dropped, before - after
