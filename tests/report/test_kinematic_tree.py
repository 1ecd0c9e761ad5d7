"""The kinematic tree of a run: read back from its text, it is the tree of the file that was written, and of nothing else."""

import re
from collections import Counter

import naive
import pytest
from conftest import examples
from hypothesis import given, strategies as st
from random_robots import ORDINARY, robots
from test_laws import CHOICES, Case

from urdf_tools.plan.run_options import Options
from urdf_tools.report.kinematic_tree import result_tree, tree_section
from urdf_tools.report.line_layout import LINE_WIDTH, TextStyle
from urdf_tools.report.run_json import record_of
from urdf_tools.run.run_pipeline import simplify_bytes

BOXED = TextStyle(boxes=True, color=False)
PLAIN = TextStyle(boxes=False, color=False)
LEVEL = 3  # columns
BRANCH = re.compile(r"([│ ] {2})*[├└]─ ")
MASS = re.compile(r"  (\S+)(?: -> (\S+))? kg")
REASONS = {"fixed": "fixed", "copy": "exported twice", "sibling": "on the same axis"}


class ReadTree:
    """A tree read back from its text: links with their parents, merged links with target and reason, and masses."""

    def __init__(self, lines):
        self.parent, self.fixed, self.merged, self.mass = {}, {}, {}, {}
        self.seen = Counter()
        ends = []  # the last link of the chain at each level
        for level, text in nodes_of(lines):
            above = ends[level - 1] if level else None
            del ends[level:]
            ends.append(self.read_chain(text, above))

    def read_chain(self, text, above):
        """Read the text of a node, and return the last link of its chain."""
        last = above
        for sign, words in parts_of(text):
            if sign == "<-":
                self.read_merged(words, last)
                continue
            names = [self.read_name(name) for name in words.split(", ")]
            attaches = sign == "(+" or sign == "+" and len(names) > 1
            for name in names:
                self.parent[name] = last
                self.fixed[name] = sign in ("+", "(+")
            if not attaches:
                last = names[-1]
        return last

    def read_name(self, text):
        """Count a name, without the mass behind it."""
        found = MASS.search(text)
        name = text[: found.start()] if found else text
        self.seen[name] += 1
        if found:
            self.mass[name] = (found[1], found[2] or found[1])
        return name

    def read_merged(self, words, target):
        """Read the links that merge into a target, each group with its reason."""
        for names, reason in re.findall(r"(.*?) \(([^)]*)\)(?:, )?", words):
            for name in names.split(", "):
                self.seen[name] += 1
                self.merged[name] = (target, reason)


def nodes_of(lines):
    """Return level and text of each node; lines without a branch continue the node above."""
    nodes = []
    for line in lines:
        line = line[2:]
        branch = BRANCH.match(line)
        if branch or not nodes:
            end = branch.end() if branch else 0
            nodes.append([end // LEVEL, line[end:]])
        else:
            nodes[-1][1] += " " + line.lstrip("│ ")
    return nodes


def parts_of(text):
    """Return the parts of a node's text, each with the sign in front of it; ">" in front of the first."""
    pieces = re.split(r"(?:^| +)(>|\+|\(\+|<-) ", text)
    parts = [(">", pieces[0])] if pieces[0] else []
    for sign, words in zip(pieces[1::2], pieces[2::2]):
        parts.append((sign, words.rstrip(")") if sign == "(+" else words.strip()))
    return parts


def tree_of(result, style=BOXED):
    """Return the lines of the tree alone."""
    return [
        line
        for line in tree_section(result, style).lines
        if not re.match("  kept |.* from TF", line)
    ]


def require_tree_of_the_file(result):
    """Require that the text of a run has the links of its file, and its merged links with target and reason."""
    lines = tree_of(result)
    if any("more line" in line for line in lines):
        return
    tree = ReadTree(lines)
    read = naive.read(result.source)
    written = naive.read(result.data)
    members = result.plan.members
    merged = {name: member for name, member in members.items() if member.merged}
    assert set(tree.merged) == set(merged), lines
    for name, member in merged.items():
        reason = "frame" if name in result.plan.lost_frames else REASONS[member.kind]
        assert tree.merged[name] == (member.target, reason), lines
    hinges = {hinge.child: hinge for hinge in written.hinges if hinge.child not in merged}
    assert tree.seen == Counter([*written.bodies, *set(merged).difference(written.bodies)]), lines
    for name, parent in tree.parent.items():
        if parent is None:
            assert name not in hinges
        else:
            assert hinges[name].parent == parent, (name, lines)
            assert (hinges[name].kind == "fixed") == tree.fixed[name], (name, lines)
    for name, (before, after) in tree.mass.items():
        for text, robot in ((before, read), (after, written)):
            assert float(text) == pytest.approx(robot.bodies[name].mass, rel=6e-3, abs=6e-4), name


def shape_of(result):
    """Return the links of the result with their levels, parents and types of joints."""
    return [
        (link.name, link.level, link.joint and (link.joint.parent, link.joint.type))
        for link in result_tree(result)
    ]


@examples(fuzzed=200)
@given(robots(ORDINARY._replace(fixed=0.6)), CHOICES, st.booleans())
def test_the_text_is_the_tree_of_the_file_and_a_second_run_shows_it_without_merging(
    text, options, keep_all_frames
):
    options = options._replace(keep_all_frames=keep_all_frames and not options.keep_frames)
    first = Case(text, options).result
    require_tree_of_the_file(first)
    if not options.keep_all_frames:
        second = simplify_bytes(first.data, "robot.urdf", options)
        assert shape_of(second) == shape_of(first)
        assert not any(link.merged for link in result_tree(second))
        require_tree_of_the_file(second)


def robot_of(joints, masses=()):
    """Return the text of a robot; joints are "parent child type [name]", masses 1 kg for the links named."""
    rows = [joint.split() for joint in joints]
    links = dict.fromkeys(name for row in rows for name in row[:2])
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    text = "".join(
        f'<link name="{name}">{inertial if name in masses else ""}</link>' for name in links
    )
    for parent, child, kind, *name in rows:
        text += (
            f'<joint name="{name[0] if name else "to_" + child}" type="{kind}"><parent link="{parent}"/>'
            f'<child link="{child}"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="r">{text}</robot>'


def shown(joints, masses=(), style=BOXED, **options):
    """Return title and lines of the tree of a robot."""
    result = Case(robot_of(joints, masses), Options(base_frame="ros", **options)).result
    section = tree_section(result, style)
    return [section.title, *section.lines]


ARM = [
    "base a continuous",
    "a plate fixed",
    "a tool0 fixed",
    "a b continuous",
    "b left prismatic",
    "b right prismatic",
    "base imu fixed",
    "base wheel continuous",
    "wheel tire continuous",
]
MASSES = ("base", "a", "plate", "b", "imu", "wheel", "tire", "left", "right")


def test_a_chain_shares_a_line_and_ends_where_links_merge():
    assert shown(ARM, MASSES, keep=("imu",)) == [
        "Kinematic tree: 10 -> 8 links (> moving joint, + fixed joint, <- merged)",
        "  1 frame vanishes from TF (--keep-frames keeps it)",
        "  base (+ imu)",
        "  ├─ a  1.000 -> 2.000 kg  <- plate (fixed), tool0 (frame)",
        "  │  > b > left, right",
        "  └─ wheel > tire",
        "  kept imu: --keep imu",
    ]


def test_ascii_has_the_same_tree():
    boxed = shown(ARM, MASSES)
    plain = shown(ARM, MASSES, PLAIN)
    assert plain[3:5] == [line.replace("├─ ", "|- ").replace("│", "|") for line in boxed[3:5]]
    assert plain == [
        line.replace("├─ ", "|- ").replace("└─ ", "`- ").replace("│", "|") for line in boxed
    ]


def test_every_link_of_the_input_stands_in_the_full_tree():
    full = shown(ARM, MASSES, TextStyle(boxes=True, color=False, full=True))
    assert full[0] == "Kinematic tree: 10 -> 7 links"
    assert "  │   ├── plate 1.000 kg, fixed  (merged into 'a': fixed)" in full
    assert "  ├── a 1.000 -> 2.000 kg, continuous Z" in full
    assert sum(" kg" in line for line in full) == 10


def test_links_that_stay_as_empty_frames_stand_with_the_link_that_took_their_content():
    title, _, line, *_ = shown(ARM, MASSES, keep_all_frames=True)
    assert title.startswith("Kinematic tree: 10 links (> moving joint")
    assert "<- emptied)" in title
    assert line == "  ├─ a  1.000 -> 2.000 kg (+ tool0)  <- plate (fixed)"


def test_many_links_on_fixed_joints_stand_below_their_parent():
    joints = [f"base frame_{number} fixed" for number in range(12)] + ["base arm continuous"]
    _, base, first, second, arm, *_ = shown(joints, keep_frames=True)
    assert base == "  base" and first.startswith("     + frame_0, frame_1, ")
    assert second.startswith("       frame_") and arm == "  > arm"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_long_names_leave_no_line_too_wide(width):
    joints = [f"link_{number:030} link_{number + 1:030} continuous" for number in range(30)]
    joints += [f"link_{number:030} side_{number:030} continuous" for number in range(30)]
    before = LINE_WIDTH.set(width)
    try:
        lines = shown(joints)
    finally:
        LINE_WIDTH.reset(before)
    assert max(map(len, lines)) <= width and lines[-1].endswith("more lines (--full)")


def test_a_robot_of_a_thousand_links_in_a_row_has_a_tree():
    joints = [f"l{number} l{number + 1} continuous" for number in range(1100)]
    lines = shown(joints)
    assert lines[1].startswith("  l0 > l1 > ") and lines[2].startswith("  > l")


def test_the_report_has_the_tree():
    result = Case(robot_of(ARM, MASSES), Options(base_frame="ros")).result
    rows = record_of(result, "out.urdf")["tree"]
    assert [(row["link"], row["parent"], row["level"]) for row in rows] == [
        ("base", None, 0),
        ("a", "base", 1),
        ("b", "a", 2),
        ("left", "b", 3),
        ("right", "b", 3),
        ("wheel", "base", 1),
        ("tire", "wheel", 2),
    ]
    assert rows[1]["joint"] == "to_a" and rows[1]["mass"] == [1.0, 2.0]
    assert rows[1]["merged"] == [
        {"link": "plate", "reason": "fixed joint 'to_plate'"},
        {"link": "tool0", "reason": "fixed joint 'to_tool0'"},
    ]
