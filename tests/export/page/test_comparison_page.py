"""The page of a comparison as bytes: its data are both robots and the map, its rows the differences."""

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import golden
import pytest
from data_edits import GONE, put
from conftest import examples, ROOT
from hypothesis import given
from hypothesis import strategies as st
from page_proof import verify_drawn, verify_map
from pages import apart, block, HOSTILE, hostile_text, poses_of_page, read_page
from random_robots import ORDINARY, write_robot
from remade import arm, How, remake

from commands import refusal
from engine import main
from urdf_tools.base.errors import ProofFailed
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.compare.comparison_text import verdict_line
from urdf_tools.compare.difference_kinds import CLASSES, text_of
from urdf_tools.export.page.comparison_page import page_of_comparison, WORD_OF_CLASS
from urdf_tools.export.page.verify_page import verify_page
from urdf_tools.export.page.write_page import html_text

PAGE = ROOT / "urdf_tools" / "export" / "page"
NODE = shutil.which("node")
QUADRUPED = golden.FIXTURES / "quadruped" / "robot.urdf"
ALMOST = 1e-8  # [m] and of a rotation: what is left of joints that are drawn elsewhere
seeds = st.integers(0, 2**32 - 1)


# A joint that the file draws at another position than zero.
DRAWN_AWAY = read_mjcf(
    '<mujoco><worldbody><body name="base"><geom size="0.1"/><body name="arm" pos="0 0 1"><geom size="0.1"/>'
    '<joint name="j" axis="0 1 0" ref="40" range="-90 90"/></body></body></worldbody></mujoco>'
)


def text_and_data(comparison):
    """Return the page and the data in it."""
    text, _ = html_text(page_of_comparison(comparison))
    data = json.loads(block(text, "data"))
    verify_page(data, comparison.map)
    verify_map(data, comparison.map)
    verify_drawn(data, comparison.map)
    return text, data


def pose_for(comparison, r):
    """Return a position for every joint of A that follows no other and is no copy."""
    robot = comparison.map.a
    names = [joint.raw.name for joint in robot.joints]
    return {
        k: r.uniform(-1.5, 1.5)
        for k, joint in enumerate(robot.joints)
        if joint.raw.moves and names.index(joint.raw.name) == k
    }


def remade(seed, traits=ORDINARY, **how):
    """Return a random robot compared with itself as another author would write it."""
    robot = read_urdf(write_robot(random.Random(seed), traits).encode())
    return compare(robot, remake(robot, random.Random(seed), How(**how)).robot)


@pytest.mark.parametrize("seed", (1385, 1378))
def test_a_body_that_is_drawn_almost_elsewhere_has_its_place(seed):
    """A copy of a part slides along an axis next to that of the first; B is read from another link than it begins with."""
    _, data = text_and_data(remade(seed, zeros="any", noise=1e-3))
    assert data["new"]["joints"] and data["old"]["joints"]


@examples(5, fuzzed=10)
@given(seeds, seeds)
def test_two_robots_that_have_nothing_in_common_have_a_page(seed, other):
    a, b = (read_urdf(write_robot(random.Random(one), ORDINARY).encode()) for one in (seed, other))
    comparison = compare(a, b)
    text, data = text_and_data(comparison)
    assert len(data["rows"]) == text.count("data-row=") >= len(comparison.differences)
    for one in data["rows"]:
        for side, robot in (("a", "new"), ("b", "old")):
            assert all(0 <= number < len(data[robot]["links"]) for number in one[side]["bodies"])
            assert all(0 <= number < len(data[robot]["joints"]) for number in one[side]["joints"])


@pytest.mark.skipif(NODE is None, reason="no node")
def test_the_script_computes_the_same_places():
    script = (
        (PAGE / "poses.js").read_text("utf-8")
        + """
const asked = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(asked.map(([data, moved]) => {
  const { T_new, T_old, far } = solve(data, new Map(moved));
  return { new: posesByName(data.new, T_new), old: posesByName(data.old, T_old), far };
})));
"""
    )
    pairs = [
        (one, text_and_data(one)[1])
        for one in (
            *(remade(seed, ORDINARY._replace(mimics=0.0), zeros="any") for seed in range(3)),
            compare(DRAWN_AWAY, DRAWN_AWAY),
        )
    ]
    moved = [pose_for(one, random.Random(number)) for number, (one, _) in enumerate(pairs)]
    run = subprocess.run(
        [str(NODE), "-e", script],
        input=json.dumps([[data, list(q.items())] for (_, data), q in zip(pairs, moved)]),
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    for told, (_, data), q in zip(json.loads(run.stdout), pairs, moved):
        assert apart(told, poses_of_page(data, q)) <= ALMOST and told["far"] <= data["allowed"]


MUTANTS = [  # what is wrong, where it is in the data, and what is there
    ("an axis", "new joints 2 axis 0", 0.01),
    ("an axis turned round", "old joints 1 axis", lambda axis: [-part for part in axis]),
    ("a place", "old joints 3 T 9", 0.5),
    ("a type", "new joints 0 type", "prismatic"),
    ("a parent", "new joints 3 parent", 1),
    ("a reference", "old joints 1 reference", 0.1),
    ("a link", "new links 2 parts 0 1 10", 0.01),
    ("a link left out", "old links 6 parts 0", GONE),
    ("a sign", "old joints 2 sign", lambda sign: -sign),
    ("a zero", "old joints 4 offset", lambda offset: offset + 1e-6),
    ("a partner", "old joints 4 by", 3),
    ("no partner", "old joints 4 by", GONE),
    ("the base", "base 9", 0.001),
    ("an expected place", "old links 3 T 11", 0.3),
    ("another body", "old links 3 to", 2),
]


@pytest.fixture(scope="module")
def arms():
    """An arm, and the same by another author."""
    return compare(arm(), remake(arm(), random.Random(1), How(zeros="any")).robot)


@pytest.mark.parametrize("what, path, value", MUTANTS)
def test_what_moves_otherwise_in_a_page_is_refused(arms, what, path, value):
    _, data = text_and_data(arms)
    put(data, path, value)
    with pytest.raises(ProofFailed, match="^page: "):
        verify_page(data, arms.map)
        verify_map(data, arms.map)


def edited(old, new):
    """Return the quadruped compared with itself after one edit."""
    text = QUADRUPED.read_text("utf-8")
    assert old in text
    return compare(*(read_urdf(one.encode()) for one in (text, text.replace(old, new, 1))))


@pytest.mark.parametrize(
    "old, new, of, body, joint",
    [
        ('<mass value="9.84"', '<mass value="11"', "masses", "trunk", None),
        ('upper="0.12"', 'upper="0.3"', "limits", "FL_shank", "FL_SHANK_EXTENSION"),
        (
            '<origin xyz="0 -0.0211 -0.11"/>',
            '<origin xyz="0 -0.0211 -0.16" rpy="0.1 0 0"/>',
            "geometry",
            "FL_shank",
            "FL_SHANK_EXTENSION",
        ),
        (
            '"FL_SHANK_EXTENSION" type="prismatic"',
            '"FL_SHANK_EXTENSION" type="revolute"',
            "structure",
            "FL_shank",
            "FL_SHANK_EXTENSION",
        ),
        (
            '"FL_SHANK_EXTENSION" type="prismatic"',
            '"FL_SHANK_EXTENSION" type="fixed"',
            "structure",
            "FL_thigh",
            None,
        ),
    ],
)
def test_a_row_says_what_it_is_about(old, new, of, body, joint):
    comparison = edited(old, new)
    text, data = text_and_data(comparison)
    found = data["rows"][0]
    assert found["of"] == of == comparison.verdict
    for side, robot in (("a", "new"), ("b", "old")):
        assert [data[robot]["links"][number]["name"] for number in found[side]["bodies"]] == [
            body
        ], side
        assert [data[robot]["joints"][number]["name"] for number in found[side]["joints"]] == (
            [joint] if joint else []
        )


def test_a_joint_that_only_one_file_has_is_marked_with_all_behind_it():
    text = QUADRUPED.read_text("utf-8")
    a = read_urdf(text.encode())
    behind = {"FL_SHANK_EXTENSION", "FL_wheel_joint"}
    b = a._replace(
        joints=tuple(joint for joint in a.joints if joint.child not in ("FL_shank", "FL_wheel")),
        links=tuple(link for link in a.links if link.name not in ("FL_shank", "FL_wheel")),
    )
    for first, second, side, robot in ((a, b, "a", "new"), (b, a, "b", "old")):
        data = comparison_of(first, second)
        found = next(one for one in data["rows"] if one["of"] == "structure")
        assert {data[robot]["joints"][number]["name"] for number in found[side]["joints"]} == behind
        assert {data[robot]["links"][number]["name"] for number in found[side]["bodies"]} == {
            "FL_shank",
            "FL_wheel",
        }
        assert (
            found["b" if side == "a" else "a"] == {"bodies": [], "joints": []}
            and data["allowed"] is None
        )


def comparison_of(a, b):
    return text_and_data(compare(a, b))[1]


def test_a_body_is_turned_by_the_next_joint_above_it_that_has_a_slider():
    """That of a follower is its leader's; what floats, or what no joint moves, is not turned by itself."""
    rows = (
        ("plate", "base", "fixed", ""),
        ("arm", "plate", "continuous", ""),
        ("bar", "arm", "fixed", ""),
        ("tip", "bar", "continuous", '<mimic joint="to_arm"/>'),
        ("kite", "tip", "floating", ""),
        ("drone", "base", "floating", ""),
        ("wheel", "drone", "continuous", ""),
    )
    links = "".join(f'<link name="{name}"/>' for name in ("base", *(row[0] for row in rows)))
    joints = "".join(
        f'<joint name="to_{child}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{rule}</joint>'
        for child, parent, kind, rule in rows
    )
    robot = read_urdf(f'<robot name="r">{links}{joints}</robot>'.encode())
    data = comparison_of(robot, robot)["new"]
    names = [joint["name"] for joint in data["joints"]]
    turned = {part: link.get("driver") for link in data["links"] for part, _ in link["parts"]}
    assert {part: None if k is None else names[k] for part, k in turned.items()} == {
        **dict.fromkeys(("arm", "bar", "tip", "kite"), "to_arm"),
        **dict.fromkeys(("base", "plate", "drone")),
        "wheel": "to_wheel",
    }


def test_names_are_text_and_every_element_is_closed():
    a, b = (
        hostile_text(),
        hostile_text().replace("value='1'", "value='2'").replace('upper="1"', 'upper="1.5"', 3),
    )
    comparison = compare(read_urdf(a.encode()), read_urdf(b.encode()))
    text, data = text_and_data(comparison)
    reader = read_page(text)
    identities = [told["id"] for _, told in reader.tags if "id" in told]
    assert len(set(identities)) == len(identities)
    tags = {tag for tag, _ in reader.tags}
    attributes = {name for _, told in reader.tags for name in told}
    assert "img" not in tags and not any(
        name.startswith("on") or name == "style" for name in attributes
    )
    shown = "".join(part for _, part in reader.texts)
    for one in comparison.differences:
        assert text_of(one) in shown
    assert verdict_line(comparison) in shown
    assert [link["name"] for link in data["new"]["links"]] == ["base", *HOSTILE]


def test_a_row_of_every_class_has_a_color():
    """Without one the script stops at the first body that is drawn."""
    script = (PAGE / "robots.js").read_text(encoding="utf-8")
    colors = re.search(r"CLASSES = \{(.*?)\};", script, re.S)
    assert colors is not None
    assert set(re.findall(r"(\w+): \[", colors.group(1))) == set(CLASSES) == set(WORD_OF_CLASS)


def test_a_mesh_that_is_nowhere_has_its_row():
    """Where it may be another file in each robot: its name is relative, and they are in two folders."""
    relative = QUADRUPED.read_bytes().replace(b"package://trundle_description/", b"")
    texts = relative, relative + b"\n"
    sides = [read_urdf(data, f"/{side}/robot.urdf") for data, side in zip(texts, "ab")]
    text, data = text_and_data(compare(*sides))
    assert "No difference was found" not in text
    assert {row["of"] for row in data["rows"]} == {"unproven"}
    assert 'id="verdict" class="unproven"' in text or 'class="unproven" id="verdict"' in text


def test_a_map_that_is_not_the_only_one_is_said(arms):
    link = (
        "<link name='{0}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>"
        "</inertial></link>"
    )
    joint = (
        "<joint name='{0}' type='continuous'><parent link='base'/><child link='{1}'/><origin xyz='{2} 0 0'/>"
        "<axis xyz='0 0 1'/></joint>"
    )
    wheels = (
        "<robot name='r'>"
        + "".join(link.format(one) for one in ("base", "p", "q"))
        + joint.format("{0}", "p", 1)
        + joint.format("{1}", "q", 1)
        + "</robot>"
    )
    comparison = compare(
        *(read_urdf(wheels.format(*names).encode()) for names in (("m", "n"), ("v", "w"))),
        names="structure",
    )
    assert comparison.map.ties or any(pair.alternatives for pair in comparison.map.pairs)
    assert "The map is not unique" in text_and_data(comparison)[0]
    assert "The map is not unique" not in text_and_data(arms)[0]


def test_the_command_writes_it_together_with_the_report(here, capsys):
    text = QUADRUPED.read_text("utf-8")
    Path("a.urdf").write_text(text, "utf-8")
    Path("b.urdf").write_text(
        text.replace('<mass value="9.84"', '<mass value="11"'), encoding="utf-8"
    )
    assert main(["compare", "a.urdf", "b.urdf", "--page", "d.html", "--report", "d.json"]) == 1
    shown, errors = capsys.readouterr()
    assert errors == "" and re.search(r"^Page: d\.html \(\d+ KB\)$", shown, re.M)
    assert sorted(path.name for path in here.iterdir()) == [
        "a.urdf",
        "b.urdf",
        "d.html",
        "d.json",
    ]
    assert str(here) not in Path("d.html").read_text("utf-8")
    first = Path("d.html").read_bytes()
    assert main(["compare", "a.urdf", "b.urdf", "--page", "d.html", "-q"]) == 1
    assert "Page" not in capsys.readouterr().out and Path("d.html").read_bytes() == first


@pytest.mark.parametrize(
    "words",
    [
        ("--page", "a.urdf"),
        ("--page", "b.urdf"),
        ("--page", "x", "--report", "x"),
        ("--page", "a.urdf/d.html"),
        ("--page-triangles", "5"),
        ("--triangles", "5"),
    ],
)
def test_what_cannot_be_written_is_refused(here, words):
    for name in ("a.urdf", "b.urdf"):
        Path(name).write_bytes(QUADRUPED.read_bytes())
    sentence = refusal("compare", "a.urdf", "b.urdf", *words)
    assert sentence.count("\n") == 1 and any(word in sentence for word in words[:2])
