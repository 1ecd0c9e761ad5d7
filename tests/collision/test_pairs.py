"""Pairs that never touch: the laws of the proofs on random robots, their mutants, and whole runs with an SRDF."""

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from unittest import mock

import commands
import pytest
from collision.clouds import clouds
from collision.test_run import folder, in_folder, MESH  # noqa: F401
from conftest import examples
from hypothesis import given, strategies as st

from engine import simplify
from urdf_tools import pairs, UsageError
from urdf_tools.base.errors import ProofFailed
from urdf_tools.collision import chain_between_links
from urdf_tools.collision.separating_planes import distance_at
from urdf_tools.collision.chain_between_links import one_turn
from urdf_tools.collision.proof_geometry import contains_point
from urdf_tools.meshes.convex_hull import convex_hull, whole_points
from urdf_tools.collision.decide_pairs import decide_pairs, NEVER, TOUCHES, UNKNOWN
from urdf_tools.collision.link_pairs_step import verify_decided
from urdf_tools.collision.convex_pieces import is_convex
from urdf_tools.collision.collision_shapes import MeshWithHull
from urdf_tools.collision.verify_pairs import PairVerifier
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

TWO_PI = Fraction("6.283185307179586476926")  # above it
AS_IT_IS = {"merge": False, "reorient": False, "strip_hardware": False}


def link(name, geometry, xyz="0 0 0", rpy="0 0 0"):
    return (
        f'<link name="{name}"><collision><origin xyz="{xyz}" rpy="{rpy}"/><geometry>{geometry}</geometry>'
        "</collision></link>"
    )


def joint(name, parent, child, more="", kind="revolute"):
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def limits(low, high, xyz="0.5 0 0", axis="0 0 1"):
    return f'<origin xyz="{xyz}"/><axis xyz="{axis}"/><limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'


MESH_OF_TWO = '<mesh filename="two.stl"/>'
BAR = '<box size="0.4 0.05 0.05"/>'


def arm(span=1.0, links=4):
    """Return an arm of bars in one plane, each joint within a range to both sides."""
    parts = [link("l0", BAR, "0.2 0 0")]
    for k in range(1, links):
        parts += [
            link(f"l{k}", BAR, "0.2 0 0"),
            joint(f"j{k}", f"l{k - 1}", f"l{k}", limits(-span, span)),
        ]
    return f'<robot name="r">{"".join(parts)}</robot>\n'


def decided(text, most=3000):
    document = parse_document(text.encode(), "robot.urdf")
    return document, decide_pairs(
        read_robot(document), lambda name: None, most, lambda name, count: None
    )


def no_mesh(name):
    raise AssertionError(name)


shapes = st.sampled_from(
    [
        BAR,
        '<sphere radius="0.1"/>',
        '<cylinder radius="0.06" length="0.3"/>',
        '<capsule radius="0.05" length="0.2"/>',
        '<box size="0.1 0.2 0.3"/>',
    ]
)
axes = st.sampled_from(["0 0 1", "0 1 0", "1 0 0", "1 1 0", "0.3 -0.5 0.8"])
# Whole turns, and parts.
multipliers = st.sampled_from([-1, 2, -3, 1.0]) | st.sampled_from([-0.5, 0.1, 1.5, 2.25])
spans = st.floats(0.05, 1.5).map(lambda value: round(value, 3))


@st.composite
def robots(draw):
    """Return a chain of links of random shapes; some joints slide, turn all around, or mimic one before them."""
    parts = [link("l0", draw(shapes))]
    for k in range(1, draw(st.integers(2, 4))):
        kind = draw(st.sampled_from(["revolute", "revolute", "prismatic", "continuous"]))
        span = draw(spans) * (0.2 if kind == "prismatic" else 1.0)
        more = limits(-span, span, f"{draw(st.sampled_from([0.2, 0.4]))} 0 0.1", draw(axes))
        if k > 1 and draw(st.booleans()):
            more += (
                f'<mimic joint="j{draw(st.integers(1, k - 1))}" multiplier="{draw(multipliers)}" '
                f'offset="{draw(st.sampled_from([0.0, 0.1]))}"/>'
            )
        parts += [
            link(f"l{k}", draw(shapes), "0.1 0 0", "0 0.3 0"),
            joint(f"j{k}", f"l{k - 1}", f"l{k}", more, kind),
        ]
    return f'<robot name="r" version="1.2">{"".join(parts)}</robot>'


def whole_range(robot, child):
    """Return where a joint can be [rad or m], from its text alone: without limits many turns to either side."""
    joint = robot.above[child]
    if joint.type == "continuous" or joint.limit is None:
        return -40.0, 40.0
    return joint.limit.lower or 0.0, joint.limit.upper or 0.0


def distance_of_links(found, pair, positions):
    assert pair.chain is not None
    one, other = found.pieces.of_link[pair.first], found.pieces.of_link[pair.second]
    return min(
        distance_at(pair.chain, a, b, positions).distance for a in one.inside for b in other.inside
    )


@given(robots(), st.randoms(use_true_random=False))
@examples(fuzzed=25)
def test_what_is_proven_never_to_touch_does_not_in_random_poses(text, generator):
    """Also not where joints without limits are turned several times: what follows them is then anywhere."""
    document, found = decided(text, 400)
    verify_decided(document, found, no_mesh)
    robot = read_robot(document)
    for pair in found.pairs:
        for _ in range(8 if pair.state == NEVER and pair.chain else 0):
            assert pair.chain is not None
            poses = [
                generator.choice([low, high, generator.uniform(low, high)])
                for low, high in (whole_range(robot, joint.child) for joint in pair.chain.variables)
            ]
            assert distance_of_links(found, pair, poses) > 0.0


GEARED = f"""<robot name="geared">{
    link("base", '<box size="0.1 0.1 0.1"/>', "-1 0 0")
}<link name="wheel"/>
<link name="arm"/><link name="idler"/>{link("tip", '<box size="0.1 0.1 0.1"/>', "1 0 0")}
{joint("turn", "base", "wheel", '<axis xyz="0 0 1"/>', "continuous")}
{
    joint(
        "idle",
        "base",
        "idler",
        '<axis xyz="0 0 1"/><mimic joint="turn" multiplier="IDLE"/>',
        "continuous",
    )
}
{
    joint(
        "led",
        "base",
        "arm",
        '<axis xyz="AXIS"/><mimic joint="idle" multiplier="BY"/>'
        '<limit lower="-9" upper="9" effort="1" velocity="1"/>',
        "KIND",
    )
}
{joint("wrist", "arm", "tip", limits(-0.1, 0.1, "0 0 0", "1 0 0"))}</robot>"""
# Multipliers and type of what follows a joint that turns all around: is the range of that one turn?
LED = (
    ("1", "2", "revolute", True),
    ("2", "-1", "continuous", True),
    ("1", "0.5", "revolute", False),
    ("0.5", "2", "revolute", False),
    ("2", "0.5", "revolute", True),
    ("1", "0.1", "prismatic", False),
    ("1", "1", "prismatic", False),
)


@pytest.mark.parametrize("idle, by, kind, is_one_turn", LED)
@pytest.mark.parametrize("leads", ["continuous", "revolute"])
def test_a_leader_without_limits_has_a_range_where_all_that_follows_makes_whole_turns(
    idle, by, kind, is_one_turn, leads
):
    """The search and the proof each decide that; the one that is wrong here turns the arm by half a turn."""
    text = (
        GEARED.replace("IDLE", idle)
        .replace("BY", by)
        .replace("KIND", kind)
        .replace("AXIS", "1 0 0" if kind == "prismatic" else "0 0 1")
    )
    text = text.replace('name="turn" type="continuous"', f'name="turn" type="{leads}"')
    document, found = decided(text)
    assert ("wheel" in found.ranges.of_joint) is is_one_turn
    assert found.ranges.geared == (() if is_one_turn else ("turn",))
    assert (PairVerifier(document, no_mesh).ranges["wheel"] is not None) is is_one_turn
    assert [pair.state for pair in found.pairs] == [TOUCHES if is_one_turn else UNKNOWN]


def test_a_search_that_takes_a_geared_leader_for_one_turn_is_refused():
    """The arm is led by half: within one turn of the wheel it is a quarter turn to each side, and never at the base."""
    text = (
        GEARED.replace("IDLE", "1")
        .replace("BY", "0.5")
        .replace("KIND", "revolute")
        .replace("AXIS", "0 0 1")
    )
    with mock.patch.object(chain_between_links, "_geared_leaders", lambda robot: set()):
        document, found = decided(text)
    (pair,) = found.pairs
    assert pair.state == NEVER and pair.chain is not None
    half_way = [
        2.0 * math.pi if variable.joint == "turn" else 0.0 for variable in pair.chain.variables
    ]
    assert distance_of_links(found, pair, half_way) < 1e-9
    with pytest.raises(ProofFailed):
        verify_decided(document, found, no_mesh)


@given(robots(), st.randoms(use_true_random=False))
@examples(fuzzed=25)
def test_a_direction_that_is_accepted_parts_the_pieces_all_over_the_cell(text, generator):
    """Of cells of any size, with the direction of their middle: the bound is below what is found in poses of them."""
    document, found = decided(text, 1)
    check = PairVerifier(document, no_mesh)
    for pair in found.pairs:
        chain = pair.chain
        if chain is None:  # across a leader without a range
            continue
        middle = [generator.uniform(one.low, one.high) for one in chain.variables]
        size = generator.choice([0.3, 0.1, 0.03])
        cell = [(at - size, at + size) for at in middle]
        first, second = (
            found.pieces.of_link[pair.first].around[0],
            found.pieces.of_link[pair.second].around[0],
        )
        near = distance_at(chain, first, second, middle)
        check.ranges = {one.child: span for one, span in zip(chain.variables, cell)}
        if near.gap > 0.0 and check.is_apart(
            (pair.first, 0),
            (pair.second, 0),
            chain.middle,
            [one.child for one in chain.variables],
            [near.near.normal],
        ):
            for _ in range(8):
                poses = [
                    generator.choice([low, high, generator.uniform(low, high)])
                    for low, high in cell
                ]
                assert distance_of_links(found, pair, poses) > 0.0


def changed(found, change):
    return found._replace(
        pairs=tuple(
            change(pair) if pair.proofs and len(pair.proofs[0].tokens) > 2 else pair
            for pair in found.pairs
        )
    )


def with_tokens(change):
    return lambda pair: pair._replace(
        proofs=(
            pair.proofs[0]._replace(tokens=tuple(change(list(pair.proofs[0].tokens)))),
            *pair.proofs[1:],
        )
    )


def without_last_variable(pair):
    assert pair.chain is not None
    return pair._replace(chain=pair.chain._replace(variables=pair.chain.variables[:-1]))


MUTANTS = (
    with_tokens(lambda tokens: tokens[:-1]),  # a cell that is not covered
    with_tokens(lambda tokens: tokens[1:]),
    with_tokens(lambda tokens: [*tokens, tokens[-1]]),
    with_tokens(
        lambda tokens: [token if isinstance(token, int) else (0.0, 0.0, 1.0) for token in tokens]
    ),
    with_tokens(
        lambda tokens: [
            token if isinstance(token, int) else tuple(-v for v in token) for token in tokens
        ]
    ),
    with_tokens(
        lambda tokens: [
            token if isinstance(token, int) else tuple(9 * v for v in token) for token in tokens
        ]
    ),
    with_tokens(lambda tokens: [1 - token if token in (0, 1) else token for token in tokens]),
    without_last_variable,  # a joint that is left out
    lambda pair: pair._replace(proofs=()),
)


@pytest.mark.parametrize("number", range(len(MUTANTS)))
def test_a_proof_that_says_something_else_is_refused(number):
    document, found = decided(arm())
    with pytest.raises(ProofFailed):
        verify_decided(document, changed(found, MUTANTS[number]), no_mesh)


def moved_witness(point, factor):
    def change(pair):
        if pair.witness is None:
            return pair
        x, y, z = pair.witness.point
        positions = tuple(factor * value for value in pair.witness.positions)
        return pair._replace(
            witness=pair.witness._replace(
                point=(x + point[0], y + point[1], z + point[2]), positions=positions
            )
        )

    return change


@pytest.mark.parametrize(
    "point, factor", [((0.0, 0.0, 0.06), 1.0), ((0.0, 0.0, 0.0), 0.9), ((0.0, 0.0, 0.0), 1.5)]
)
def test_a_pose_in_which_nothing_touches_is_refused(point, factor):
    document, found = decided(arm(2.6))
    change = moved_witness(point, factor)
    with pytest.raises(ProofFailed):
        verify_decided(document, found._replace(pairs=tuple(map(change, found.pairs))), no_mesh)


def run(text, **choices):
    Path("robot.urdf").write_text(text)
    return simplify("robot.urdf", "out.urdf", **{**AS_IT_IS, "pairs": True, **choices})


@in_folder
def test_the_pairs_go_into_a_new_srdf():
    result = run(arm(), pairs_report="pairs.json", mjcf=None)
    lines = [
        line.strip() for line in Path("out.srdf").read_text().splitlines() if "disable" in line
    ]
    assert lines == [
        '<disable_collisions link1="l0" link2="l1" reason="Adjacent"/>',
        '<disable_collisions link1="l0" link2="l2" reason="Never"/>',
        '<disable_collisions link1="l0" link2="l3" reason="Never"/>',
        '<disable_collisions link1="l1" link2="l2" reason="Adjacent"/>',
        '<disable_collisions link1="l1" link2="l3" reason="Never"/>',
        '<disable_collisions link1="l2" link2="l3" reason="Adjacent"/>',
    ]
    known = json.loads(Path("pairs.json").read_text())["pairs"]
    assert {pair["state"] for pair in known} <= {"never", "touches", "home"} and result.srdf.changed
    assert any(pair.get("proofs") for pair in known)


@in_folder
def test_lines_that_are_there_stay_and_wrong_ones_are_named():
    there = '<disable_collisions link1="l3" link2="l0" reason="Never"/>'
    Path("in.srdf").write_text(f'<robot name="r">\n  {there}\n</robot>\n')
    result = run(arm(2.6), srdf="in.srdf")
    text = Path("out.srdf").read_text()
    assert there in text and '"l0" link2="l3"' not in text
    (wrong,) = [
        warning for warning in result.srdf.updates.warnings if warning.kind.name == "pair-wrong"
    ]
    assert wrong.line == 2 and wrong.names[:2] == ("l0", "l3")
    again = simplify("out.urdf", srdf="out.srdf", **AS_IT_IS, pairs=True)
    assert again.srdf.data.decode() == text


@in_folder
def test_an_srdf_of_another_robot_is_refused():
    line = '<disable_collisions link1="{}" link2="{}" reason="Never"/>'
    Path("in.srdf").write_text(
        f'<robot name="r">{line.format("l0", "hand")}{line.format("thumb", "arm")}</robot>'
    )
    with pytest.raises(
        UsageError, match="is not of this robot, which has no links hand, thumb, arm"
    ):
        run(arm(), srdf="in.srdf")
    assert not Path("out.urdf").exists() and not Path("out.srdf").exists()


@in_folder
def test_the_exports_have_the_pairs():
    inertial = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
    run(arm().replace("<collision>", inertial + "<collision>"), mjcf="robot.xml")
    assert '<exclude body1="l1" body2="l3"' in Path("robot.xml").read_text()


@in_folder
def test_an_srdf_is_judged():
    Path("robot.urdf").write_text(arm(2.6))
    line = '<disable_collisions link1="{}" link2="{}" reason="{}"/>'
    judged = Path("judged.srdf")

    def check(*lines):
        judged.write_text(f'<robot name="r">{"".join(lines)}</robot>')
        done = commands.run(commands.PACKAGE, "pairs", "robot.urdf", "judged.srdf", "--check")
        return done.returncode, (done.stdout + done.stderr).decode()

    status, said = check(line.format("l0", "l3", "Never"), line.format("l0", "l1", "Adjacent"))
    assert (
        status == 1
        and "judged.srdf:1: 'l0' and 'l3' touch at j" in said
        and "0 proven, 1 wrong" in said
    )
    status, said = check(line.format("l0", "l1", "Adjacent"))
    assert status == 0 and "1 left out for other reasons" in said
    # Without a reason nobody says never of links that a joint connects; of others it is what leaves them out.
    status, said = check(
        *(
            one.replace(' reason=""', "")
            for one in (line.format("l0", "l1", ""), line.format("l0", "l3", ""))
        )
    )
    assert status == 1 and "judged.srdf:1: 'l0' and 'l3' touch at j" in said
    assert (
        "0 proven, 1 wrong, 0 not proven (--full names them); 1 left out for other reasons" in said
    )
    status, said = check(line.format("a", "b", "Never"))
    assert status == 2 and "is not of this robot, which has no links a, b" in said
    status, said = check("")
    assert status == 2 and "nothing to check" in said
    refused = commands.run(
        commands.PACKAGE, "pairs", "robot.urdf", "judged.srdf", "--check", "--mjcf", "a.xml"
    )
    assert refused.returncode == 2


@in_folder
def test_the_command_writes_an_srdf_beside_the_robot():
    Path("robot.urdf").write_text(arm())
    done = commands.run(
        commands.PACKAGE, "pairs", "robot.urdf", "-y", "--cells", "500", "--report", "pairs.json"
    )
    assert done.returncode == 0 and done.stdout.endswith(
        b"  SRDF: robot_pairs.srdf\n  Export: pairs.json\n"
    )
    made = Path("robot_pairs.srdf").read_bytes()
    assert b'link1="l0" link2="l3" reason="Never"' in made and not Path("robot_pairs.urdf").exists()
    assert json.loads(Path("pairs.json").read_text())["pairs"]
    pairs("robot.urdf", "by_call.srdf", pairs_cells=500)
    assert Path("by_call.srdf").read_bytes() == made
    done = commands.run(
        commands.PACKAGE, "pairs", "robot.urdf", "robot_pairs.srdf", "-y", "-q", "-o", "again.srdf"
    )
    assert done.returncode == 0 and Path("again.srdf").read_bytes() == made
    assert Path("robot.urdf").read_text() == arm()


@in_folder
def test_what_would_change_is_shown_and_not_written():
    Path("robot.urdf").write_text(arm())
    before = sorted(Path(".").iterdir())
    done = commands.run(commands.PACKAGE, "pairs", "robot.urdf", "--diff")
    assert b'+  <disable_collisions link1="l0" link2="l3" reason="Never"/>' in done.stdout
    assert done.returncode == 0 and re.fullmatch(
        rb"robot_pairs\.srdf: 6 pairs added, \d+ planes checked\n", done.stderr
    )
    assert sorted(Path(".").iterdir()) == before
    done = commands.run(
        commands.PACKAGE, "pairs", "robot.urdf", "-n", "-q", "--report", "pairs.json"
    )
    assert (done.returncode, done.stdout) == (0, b"") and json.loads(
        Path("pairs.json").read_text()
    )["pairs"]
    assert sorted(Path(".").iterdir()) == sorted([*before, Path("pairs.json")])


@in_folder
@pytest.mark.parametrize(
    "words, message",
    [
        (
            ["robot.urdf", "--check"],
            "--check needs an SRDF: urdf-simplify pairs ROBOT SRDF --check",
        ),
        (
            ["robot.urdf", "in.srdf", "more.srdf"],
            "pairs takes 2 files, and 'more.srdf' is one more",
        ),
        (
            ["robot.urdf", "gone.srdf", "-y"],
            "gone.srdf: no such file; the SRDF to write is -o gone.srdf",
        ),
        (
            ["robot.urdf", "in.srdf", "-y", "-o", "in.srdf"],
            "in.srdf: the output is the input file itself",
        ),
        (
            ["robot.urdf", "-y", "-o", "robot.urdf"],
            "robot.urdf: an input and --output are the same file",
        ),
        (["robot.urdf", "-y", "-o", "-"], "--output -: give the name of a file for the SRDF"),
        (["robot.urdf", "--cells", "0"], "--cells 0: give a positive number"),
        (["robot.urdf", "--lock", "j0"], "pairs: unknown option --lock; it belongs to edit"),
    ],
)
def test_what_pairs_cannot_do_is_refused(words, message):
    Path("robot.urdf").write_text(arm())
    Path("in.srdf").write_text(
        '<robot name="r"><disable_collisions link1="l0" link2="l1" reason="Adjacent"/></robot>'
    )
    assert commands.refusal("pairs", *words).startswith(message)


@in_folder
def test_what_is_not_known_is_named():
    far = '<origin xyz="3 0 0"/><axis xyz="0 0 1"/>'
    text = (
        '<robot name="r">'
        + link("a", BAR)
        + link("b", BAR)
        + link("c", '<mesh filename="gone.stl"/>')
        + '<link name="bare"/>'
        + joint("turns", "a", "b", far + '<limit effort="1" velocity="1"/>', "continuous")
        + joint("slides", "b", "c", far, "floating")
        + joint("fixed", "a", "bare", "", "fixed")
        + "</robot>"
    )
    kinds = {warning.kind.name: warning for warning in run(text).exported.warnings}
    assert {"pair-unlimited", "pair-unknown"} <= set(kinds)
    assert "bare" not in Path("out.srdf").read_text()


@in_folder
def test_a_robot_without_pairs_says_so():
    with pytest.raises(UsageError, match="fewer than two links have collisions"):
        run(f'<robot name="r">{link("a", BAR)}</robot>')
    assert not Path("out.srdf").exists()


def folding(span):
    """Return two links of two balls each: one folds back between those of the other, a bit beside it or far."""
    return (
        f'<robot name="r">{link("a", MESH_OF_TWO)}{link("m", BAR, "9 0 0")}{link("b", MESH_OF_TWO)}'
        + joint("j", "a", "m", limits(-span, span, "3 0 0"))
        + joint("k", "m", "b", limits(-3.1, 3.1, "-1.6 0 0"))
        + "</robot>"
    )


@in_folder
def test_meshes_of_which_only_the_hulls_touch_are_named():
    notes = {one.kind.name: one for one in run(folding(0.05), pairs_cells=500).exported.warnings}
    assert (
        notes["pair-hollow"].text.startswith("2 links have meshes that are not convex: a, b.")
        and "a, b" in notes["pair-hollow"].text
    )
    notes = {
        one.kind.name: one
        for one in run(
            folding(0.05), pairs_cells=500, collision="hull", force=True
        ).exported.warnings
    }
    assert "pair-hollow" not in notes


@pytest.mark.parametrize(
    "shape, seen",
    [
        (BAR, True),
        ('<cylinder radius="0.05" length="0.1"/>', True),
        ('<sphere radius="0.05"/>', False),
    ],
)
@in_folder
def test_a_mesh_that_is_not_convex_touches_a_primitive(shape, seen):
    text = (
        f'<robot name="r">{link("a", MESH_OF_TWO)}{link("b", shape)}'
        + joint("j", "a", "b", limits(-2.0, 2.0, "1 2 0", "0 1 0"), "prismatic")
        + "</robot>"
    )
    run(text, pairs_report="pairs.json", pairs_cells=500)
    (known,) = json.loads(Path("pairs.json").read_text())["pairs"]
    assert (known["state"] == "touches") is seen and (
        not seen or len(known["pose"]["triangles"][1]) == 3
    )


@in_folder
def test_meshes_that_are_not_convex_touch_where_triangles_cross():
    run(folding(1.0), pairs_report="pairs.json", pairs_cells=500)
    known = {
        (one["link1"], one["link2"]): one
        for one in json.loads(Path("pairs.json").read_text())["pairs"]
    }
    assert known["a", "b"]["state"] == "touches" and len(known["a", "b"]["pose"]["triangles"]) == 2
    run(folding(1.0), pairs_cells=500, srdf=None, force=True)
    Path("never.srdf").write_text(
        '<robot name="r"><disable_collisions link1="a" link2="b" reason="Never"/></robot>'
    )
    done = commands.run(
        commands.PACKAGE, "pairs", "robot.urdf", "never.srdf", "--check", "--cells", "500"
    )
    assert done.returncode == 1 and b"'a' and 'b' touch at j=" in done.stdout


@in_folder
def test_hulls_of_meshes_that_overlap_at_home_get_no_line():
    text = (
        f'<robot name="r"><link name="a">{MESH.format("two")}</link><link name="m">{MESH.format("cube")}</link>'
        f'<link name="b">{MESH.format("ball")}</link>'
        + joint("j", "a", "m", limits(-0.1, 0.1, "5 5 5"))
        + joint("k", "m", "b", limits(-0.1, 0.1, "-4.56 -4.76 -5"))
        + "</robot>"
    )
    result = run(text)
    assert "pair-at-home" in {warning.kind.name for warning in result.exported.warnings}
    assert 'link1="a" link2="b"' not in Path("out.srdf").read_text()


def with_other_diagonal(triangles, number):
    """Return a surface whose two triangles at an edge meet along the other diagonal of their four corners."""
    a, b, c = triangles[number]
    (d,) = [
        corner
        for one in triangles
        if {a, b} < set(one) and one != (a, b, c)
        for corner in set(one) - {a, b}
    ]
    left = [one for one in triangles if not {a, b} < set(one)]
    return [*left, (a, d, c), (d, b, c)]


@given(clouds(), st.integers(0, 1000))
@examples(fuzzed=40)
def test_only_a_surface_that_is_its_hull_to_the_last_bit_is_convex(points, choice):
    hull = convex_hull(points)
    if hull is None:
        return
    body = MeshWithHull("", hull.corners, hull.triangles, hull)
    assert is_convex(body) and is_convex(
        body._replace(triangles=tuple((a, c, b) for a, b, c in hull.triangles))
    )
    dented = with_other_diagonal(hull.triangles, choice % len(hull.triangles))
    if len({frozenset(one) for one in dented}) == len(hull.triangles):
        a, b, c = hull.triangles[choice % len(hull.triangles)]
        d = next(iter(set(dented[-2]) - {a, b, c}))
        p, q, r, s = whole_points([hull.corners[k] for k in (a, b, c, d)])
        u, v, w = ([x - y for x, y in zip(one, p)] for one in (q, r, s))
        flat = (
            u[0] * (v[1] * w[2] - v[2] * w[1])
            - u[1] * (v[0] * w[2] - v[2] * w[0])
            + u[2] * (v[0] * w[1] - v[1] * w[0])
        ) == 0
        assert flat or not is_convex(body._replace(triangles=tuple(dented)))


@given(st.floats(-2e5, 2e5), st.floats(0.0, 40.0))
def test_a_turn_of_wider_limits_is_within_them_and_misses_no_pose(low, width):
    high = low + width
    start, end = one_turn(low, high)
    assert low <= start <= end <= high
    assert (start, end) == (low, high) or Fraction(end) - Fraction(start) > TWO_PI
    home = min(max(0.0, low), high)
    assert start <= home <= end


@in_folder
@pytest.mark.parametrize("low, high", [(0.0, 7.0), (-7.0, -0.2), (-20.0, -10.0), (-9.0, 9.0)])
def test_a_pose_of_contact_is_within_limits_wider_than_a_turn(low, high):
    """Both joints turn all around, so that each pair can touch; what the text says is the whole range."""
    text = (
        f'<robot name="r">{link("a", BAR, "0.2 0 0")}{link("b", BAR, "0.2 0 0")}{link("c", BAR, "0.2 0 0")}'
        + joint("j", "a", "b", limits(low, high))
        + joint("k", "b", "c", limits(low, high))
        + "</robot>"
    )
    run(text, pairs_report="pairs.json")
    poses = [
        pair["pose"]["positions"] for pair in json.loads(Path("pairs.json").read_text())["pairs"]
    ]
    assert len(poses) == 3 and all(low <= at <= high for positions in poses for at in positions)


@given(
    clouds(),
    st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4),
    st.sampled_from([0.0, 1e-12, 1e-3]),
)
@examples(fuzzed=60)
def test_a_point_is_in_a_hull_exactly_where_fractions_say_so(points, parts, error):
    """Also of hulls with facets like needles, of which floats cannot tell on which side a point is."""
    hull = convex_hull(points)
    if hull is None:
        return
    total = sum(parts) or 1.0
    point = tuple(
        sum(part / total * corner[axis] for part, corner in zip(parts, hull.corners))
        for axis in range(3)
    )

    def below(facet):
        a, b, c, p = (
            [Fraction(value) for value in corner]
            for corner in (*(hull.corners[k] for k in facet), point)
        )
        u, v, d = ([x - y for x, y in zip(one, a)] for one in (b, c, p))
        n = [u[k - 2] * v[k - 1] - u[k - 1] * v[k - 2] for k in range(3)]
        return sum(x * y for x, y in zip(n, d)) + Fraction(error) * sum(map(abs, n)) <= 0

    assert contains_point(
        hull.corners, hull.triangles, (point[0], point[1], point[2]), error
    ) is all(map(below, hull.triangles))
