"""Which links merge: fixed children, duplicates of three kinds, what is kept; and the library call in both forms."""

import re

import pytest

from urdf_tools.base.errors import BrokenRobot, ErrorGroup
from urdf_tools.base.run_diagnostics import EXPORTED_ONCE, EXPORTED_TWICE
from urdf_tools.lint.program_rules import simulator_notes
from urdf_tools.plan.link_merging import WORLD_LINKS
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

MASS = (
    '<inertial><origin xyz="0.1 0 0"/><mass value="2"/>'
    '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
)


def link(name, inside=MASS):
    """Write a link."""
    return f'<link name="{name}">{inside}</link>\n'


def joint(name, parent, child, kind="fixed", inside=""):
    """Write a joint."""
    limit = (
        '<limit lower="-1" upper="2" effort="1" velocity="1"/>'
        if kind in ("revolute", "prismatic")
        else ""
    )
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{inside}{limit}</joint>\n'


def run(*parts, **choices):
    """Simplify a robot made of these parts."""
    return simplify_bytes(
        f'<robot name="r">\n{"".join(parts)}</robot>'.encode(),
        "robot.urdf",
        Options(base_frame="ros")._replace(**choices),
    )


def kinds(result):
    """Return by link what became of it."""
    return {name: member.kind for name, member in result.plan.members.items()}


TURN = '<axis xyz="0 0 1"/>'


@pytest.mark.parametrize(("count_once", "mass"), ((False, 4.0), (True, 2.0)))
def test_a_coincident_copy(count_once, mass):
    shape = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    result = run(
        link("a"),
        link("b", MASS + shape),
        link("c", MASS + shape),
        joint("j", "a", "b", "revolute", TURN),
        joint("j", "a", "c", "revolute", TURN),
        count_once=count_once,
    )
    assert kinds(result)["c"] == "copy" and len(result.plan.copies) == 1
    assert result.after.links["b"].mass == mass and len(result.after.links["b"].shapes) == 1
    assert [one.kind for one in result.plan.warnings if one.names == ("c", "b")] == [
        EXPORTED_ONCE if count_once else EXPORTED_TWICE
    ]


def test_each_part_of_an_assembly_that_was_exported_twice_is_named():
    parts = [
        joint(name, parent, child, kind, TURN)
        for name, parent, child, kind in (
            ("j", "a", "b", "revolute"),
            ("j", "a", "b2", "revolute"),
            ("k", "b", "c", "fixed"),
            ("k2", "b2", "c2", "fixed"),
        )
    ]
    result = run(*(link(name) for name in ("a", "b", "b2", "c", "c2")), *parts)
    twice = [notice for notice in result.plan.warnings if notice.kind.name == "exported-twice"]
    assert [notice.names for notice in twice] == [("b2", "b"), ("c2", "c")]
    assert result.after.mass == 10.0


def test_a_rigid_sibling_on_the_same_axis():
    shifted = TURN + '<origin xyz="0 0 0.5" rpy="0 0 1"/>'
    result = run(
        link("a"),
        link("b"),
        link("c"),
        link("d"),
        joint("j", "a", "b", "revolute", TURN),
        joint("j", "a", "c", "revolute", shifted),
        joint("k", "c", "d", "revolute", TURN),
        count_once=True,
    )
    assert kinds(result)["c"] == "sibling" and result.after.links["b"].mass == 4.0
    assert [(j.name, j.parent) for j in result.after.joints] == [("j", "a"), ("k", "b")]


def test_a_sibling_may_hang_on_another_link_of_the_same_body():
    result = run(
        link("a"),
        link("f"),
        link("b"),
        link("c"),
        joint("af", "a", "f", "fixed", '<origin xyz="0 0 1"/>'),
        joint("j", "a", "b", "revolute", TURN),
        joint("j", "f", "c", "revolute", TURN),
    )
    assert sorted(kinds(result)[name] for name in "bc") == ["main", "sibling"]
    assert result.after.mass == 8.0


CONFLICTS = (
    ("degrees", joint("j", "a", "c", "revolute", '<axis xyz="0 1 0"/>')),
    ("degrees", joint("j", "a", "c", "revolute", '<axis xyz="0 0 -1"/>')),
    ("mm away", joint("j", "a", "c", "revolute", TURN + '<origin xyz="0.1 0 0"/>')),
    ("another body", joint("j", "b", "c", "revolute", TURN)),
    ("continuous", joint("j", "a", "c", "continuous", TURN)),
)


@pytest.mark.parametrize(("reason", "other"), CONFLICTS)
def test_a_conflict_is_refused_or_renamed(reason, other):
    parts = (link("a"), link("b"), link("c"), joint("j", "a", "b", "revolute", TURN), other)
    with pytest.raises(BrokenRobot, match=reason) as caught:
        run(*parts)
    assert (
        caught.value.line == 6
        and "line 5" in str(caught.value)
        and "use --lenient" in str(caught.value)
    )
    result = run(*parts, lenient=True)
    assert [joint.name for joint in result.after.joints] == ["j", "j_2"]
    assert len(result.after.links) == 3


def test_all_conflicts_are_reported_at_once_and_new_names_are_free():
    parts = [link(name) for name in "abcd"]
    parts += [joint("j", parent, child, "revolute", TURN) for parent, child in ("ab", "bc", "cd")]
    with pytest.raises(ErrorGroup) as caught:
        run(*parts)
    assert len(caught.value.problems) == 2
    more = [link("e"), joint("j_2", "a", "e", "revolute", TURN)]
    assert [j.name for j in run(*parts, *more, lenient=True).after.joints] == [
        "j",
        "j_3",
        "j_4",
        "j_2",
    ]


def test_without_merging_names_may_repeat():
    """Also when the two turn in opposite directions, so that only one of them is flipped."""
    parts = (
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "b", "revolute", TURN),
        joint("j", "a", "c", "revolute", '<axis xyz="0 0 -1"/>'),
    )
    result = run(*parts, merge=False)
    assert [joint.name for joint in result.after.joints] == ["j", "j"]
    assert result.after.joints[1].positions == {("limit", "lower"): -2.0, ("limit", "upper"): 1.0}


def test_prismatic_duplicates_need_no_common_line():
    result = run(
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "b", "prismatic", TURN),
        joint("j", "a", "c", "prismatic", TURN + '<origin xyz="0.1 0 0"/>'),
    )
    assert kinds(result)["c"] == "sibling"


@pytest.mark.parametrize("root", WORLD_LINKS)
def test_a_bare_root_called_world_stays_and_its_child_is_the_base(root):
    turned = '<origin xyz="0 0 1" rpy="0 0 1"/>'
    result = run(link(root, ""), link("b"), joint("j", root, "b", "fixed", turned))
    assert list(result.after.links) == [root, "b"]
    assert result.after.joints[0].rpy == (0.0, 0.0, 0.0), "the base becomes world-aligned"


CHAIN = ("world", "base_footprint", "base_link", "base_link_inertia")


@pytest.mark.parametrize(
    "choices", ({}, {"keep_frames": True}, {"keep_all_frames": True}, {"keep": ("base*",)})
)
@pytest.mark.parametrize("names", (CHAIN[1:3], CHAIN[2:], CHAIN[:3], CHAIN, ("dummy", "torso")))
def test_a_bare_root_and_the_base_below_it_stay(names, choices):
    """A chain of frames stays down to the first link with content, which is the base and world-aligned."""
    turned = '<origin xyz="0 0 1" rpy="0 0 1"/>'
    frames = "".join(link(name, "") for name in names[:-1])
    chain = "".join(
        joint(f"to_{child}", parent, child, "fixed", turned)
        for parent, child in zip(names, names[1:])
    )
    rest = (
        link("tool0", "")
        + joint("jt", names[0], "tool0")
        + link("cover")
        + joint("jc", names[-1], "cover")
    )
    rest += link("wheel") + joint("turn", names[-1], "wheel", "continuous", TURN)
    if names[0] == "world":
        # What is fixed to it stays.
        rest = rest.replace('<parent link="world"/>', f'<parent link="{names[-1]}"/>')
    result = run(frames, link(names[-1]), chain, rest, **choices)
    assert (
        list(result.after.links)[: len(names)] == list(names) and kinds(result)["cover"] == "fixed"
    )
    assert [kinds(result)[name] for name in names] == ["main", *["base"] * (len(names) - 1)]
    assert all(
        joint.rpy == (0.0, 0.0, 0.0) for joint in result.after.joints if joint.child in names
    )
    assert result.after.links[names[-1]].mass == 4.0 and result.after.links[names[0]].mass == 0.0
    assert not any("KDL" in note.text for note in simulator_notes(result.after))
    assert names[0] == "world" or "KDL" in result.plan.members[names[1]].reason
    again = simplify_bytes(result.data, "robot.urdf", Options(base_frame="ros")._replace(**choices))
    assert again.data == result.data


def test_merge_all_merges_the_base_and_says_what_kdl_does():
    parts = (
        link("base_footprint", ""),
        link("base_link"),
        joint("j", "base_footprint", "base_link"),
    )
    result = run(*parts, merge_all=True)
    assert kinds(result)["base_link"] == "fixed"
    assert (
        "KDL (RViz, MoveIt) ignores the inertia of the root 'base_footprint': "
        'edit ROBOT --add-root "base_footprint_root" cures it'
        in [note.text for note in simulator_notes(result.after)]
    )
    world = run(link("world", ""), *parts, joint("wb", "world", "base_footprint"), merge_all=True)
    assert kinds(world) == {"world": "main", "base_footprint": "base", "base_link": "fixed"}


def test_another_root_is_an_ordinary_one():
    below = joint("j", "base_footprint", "b")
    moving = link("c") + joint("k", "base_footprint", "c", "continuous", TURN)
    shape = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
    for parts in (
        (link("base_footprint"), link("b"), below),
        (link("base_footprint", shape), link("b"), below),
        (link("base_footprint", ""), link("b"), below, moving),
        (
            link("base_footprint", ""),
            link("b"),
            below,
            link("c"),
            joint("k", "base_footprint", "c"),
        ),
        (link("base_footprint", ""), link("b", ""), below),
    ):
        assert kinds(run(*parts))["b"] == "fixed"


@pytest.mark.parametrize(
    "inside", ("", MASS, '<visual><geometry><box size="1 1 1"/></geometry></visual>')
)
@pytest.mark.parametrize("choices", ({}, {"merge_all": True}, {"keep_all_frames": True}))
def test_what_is_fixed_to_the_world_is_the_base(inside, choices):
    """Also where `world` has mass or shapes, which simulators do not read; one warning says so."""
    result = run(
        link("world", inside),
        link("b"),
        link("c"),
        joint("j", "world", "b"),
        joint("k", "b", "c"),
        **choices,
    )
    assert kinds(result) == {"world": "main", "b": "base", "c": "fixed"}
    assert [
        notice.names[0].count("<")
        for notice in result.plan.warnings
        if notice.kind.name == "world-content"
    ] == ([1] if inside else [])


def test_a_root_that_shows_hardware_alone_is_no_frame():
    rotor = '<visual><geometry><mesh filename="rotor.stl"/></geometry></visual>'
    result = run(link("dummy", rotor), link("b"), joint("j", "dummy", "b"))
    assert kinds(result)["b"] == "fixed" and result.after.links["dummy"].visuals


FRAME = (
    link("a"),
    link("tool0", ""),
    link("imu_link"),
    joint("at", "a", "tool0", "fixed", '<origin rpy="1.5708 0 1"/>'),
    joint("ai", "a", "imu_link"),
)


@pytest.mark.parametrize(
    ("choices", "kept"),
    (
        ({}, []),
        ({"keep": ("tool*",)}, ["tool0"]),
        ({"keep": ("imu_link", "tool0")}, ["tool0", "imu_link"]),
        ({"keep": ("IMU*",)}, []),
        ({"keep_frames": True}, ["tool0"]),
        ({"merge": False}, ["tool0", "imu_link"]),
    ),
)
def test_what_is_kept_on_request(choices, kept):
    result = run(*FRAME, **choices)
    assert [name for name in result.after.links if name != "a"] == kept
    if "tool0" in kept and choices.get("merge", True):
        old = next(j for j in result.before.joints if j.child == "tool0")
        assert result.after.joints[0].rpy == old.rpy, "a kept frame keeps its orientation"


def test_a_fixed_joint_that_is_mimicked_stays_whatever_is_asked():
    parts = (
        link("a"),
        link("b"),
        link("c"),
        joint("f", "a", "b"),
        joint("j", "a", "c", "revolute", TURN + '<mimic joint="f"/>'),
    )
    for merge_all in (False, True):
        result = run(*parts, merge_all=merge_all)
        assert kinds(result)["b"] == "kept" and "mimics" in result.plan.members["b"].reason


def test_a_fixed_and_a_movable_joint_may_share_a_name():
    """The mimicked one is the movable joint, whose sign changes here."""
    run(
        link("a"),
        link("b"),
        link("c"),
        link("d"),
        joint("j", "a", "b"),
        joint("j", "a", "c", "revolute", '<axis xyz="0 0 -1"/>'),
        joint("k", "c", "d", "revolute", TURN + '<mimic joint="j"/>'),
    )


@pytest.mark.parametrize(
    ("choices", "said"),
    [
        ({"keep": ("b*", "arm_*")}, "--keep arm_* matches none of the 1 link on fixed joints"),
        ({"strip": ("lid*",)}, "--strip lid* matches no mesh"),
        ({"keep_mesh": ("lid",)}, "--keep-mesh lid matches no mesh"),
        (
            {"axis": (("wheel", 1), ("zeh", 0), ("tip", 2))},
            "--axis zeh=X: no movable joint has this word in its name",
        ),
    ],
)
def test_what_an_option_names_and_is_not_there(choices, said):
    parts = (
        link("a"),
        link("b"),
        link("c"),
        joint("zeh_ab", "a", "b"),
        joint("left_wheel_tip", "b", "c", "continuous", TURN),
    )
    notices = [
        notice
        for notice in run(*parts, **choices).plan.warnings
        if notice.kind.name == "unused-option"
    ]
    assert [(notice.line, notice.text) for notice in notices] == [(0, said)]
    assert not any(notice.kind.name == "unused-option" for notice in run(*parts).plan.warnings)


def test_names_of_shapes_stay_unique():
    shape = '<visual name="v"><geometry><box size="1 1 {}"/></geometry></visual>'
    result = run(
        link("a", shape.format(1)),
        link("b", shape.format(2)),
        link("c", shape.format(3)),
        joint("ab", "a", "b"),
        joint("ac", "a", "c"),
    )
    names = [shape.name for shape in result.after.links["a"].shapes]
    assert len(set(names)) == 3 and names[0] == "v"


SHAPE = '<collision><geometry><box size="1 1 1"/></geometry></collision>'


@pytest.mark.parametrize(
    ("blocks", "stays"),
    (
        ("<mu1>1</mu1><mu1>0</mu1>", True),
        ("<mu1>0</mu1><mu1>1</mu1>", False),
        ('<mu1>1</mu1></gazebo><gazebo reference="b"><mu1>0</mu1>', True),
        ('<mu1>0</mu1></gazebo><gazebo reference="b"><mu1>1</mu1>', False),
        (
            "<collision><max_contacts>3</max_contacts></collision><collision><surface/></collision>",
            True,
        ),
        ("<collision/>", False),
    ),
)
def test_of_several_values_the_one_that_gazebo_takes_counts(blocks, stays):
    result = run(
        link("a", MASS + SHAPE),
        link("b", MASS + SHAPE),
        joint("ab", "a", "b"),
        f'<gazebo reference="b">{blocks}</gazebo>',
    )
    assert list(result.after.links) == (["a", "b"] if stays else ["a"])


@pytest.mark.parametrize(
    "said",
    (
        {"b": "true"},
        {"b": "false"},
        {"a": "true"},
        {"a": "true", "c": "false"},
        {"b": "true", "c": "false"},
        {"c": "true", "b": "false"},
        {"c": "true", "b": "false", "a": "false"},
    ),
)
def test_gazebo_reads_one_gravity_for_all_that_fixed_joints_hold_together(
    said,
):
    """What the last of a, b and c says holds, wherever it stands in the file; b and c have no mass and merge."""
    result = run(
        link("a"),
        link("b", ""),
        link("c", ""),
        joint("ab", "a", "b"),
        joint("bc", "b", "c"),
        *(
            f'<gazebo reference="{name}"><turnGravityOff>{word}</turnGravityOff></gazebo>\n'
            for name, word in said.items()
        ),
    )
    assert list(result.after.links) == ["a"] and result.plan.warnings == ()
    values = re.findall("<turnGravityOff>(.*)</turnGravityOff>", result.text)
    assert (values or ["false"]) == [said[max(said)]]


def test_a_root_that_gains_mass_is_warned_of():
    """KDL ignores the mass of a root; keeping the link is offered, and has no warning."""
    parts = (
        link("base", ""),
        link("ballast"),
        joint("bolts", "base", "ballast"),
        link("arm"),
        joint("turns", "base", "arm", "continuous", TURN),
    )
    warned = [
        notice.text for notice in run(*parts).plan.warnings if notice.kind.name == "root-mass"
    ]
    assert warned == ["root 'base' had no mass and has 2 kg now: KDL ignores the mass of a root"]
    for result in (
        run(*parts, keep=("ballast",)),
        run(*parts, merge=False),
        run(link("base"), *parts[1:]),
    ):
        assert not any(notice.kind.name == "root-mass" for notice in result.plan.warnings)


@pytest.mark.parametrize(("number", "differs"), (("1.0", False), ("2", True)))
def test_what_two_links_hold_is_the_same_however_its_numbers_are_written(number, differs):
    result = run(
        link("a"),
        link("b", MASS + '<thing value="1"/>'),
        link("c", MASS + f'<thing value="{number}"/>'),
        joint("j", "a", "b", "revolute", TURN),
        joint("f", "b", "c"),
    )
    assert any("<thing>" in str(warning) for warning in result.plan.warnings) == differs


@pytest.mark.parametrize("offset", ("<xyzOffset/>", "<xyzOffset>0 0 0</xyzOffset>"))
def test_an_empty_offset_of_a_plugin_is_zero(offset):
    plugin = f'<plugin name="p" filename="p.so"><bodyName>c</bodyName>{offset}</plugin>'
    result = run(
        link("a"),
        link("b"),
        link("c"),
        joint("j", "a", "b", "revolute", TURN),
        joint("f", "b", "c", inside='<origin xyz="0.1 0 0.2"/>'),
        f"<gazebo>{plugin}</gazebo>",
    )
    assert "<bodyName>b</bodyName><xyzOffset>0.1 0 0.2</xyzOffset>" in result.text
