"""The laws of variants: locked joints, moved zeros, signs, parts; what is refused; the note that names them."""

import math
import random
import re
from decimal import Decimal
from glob import escape
from xml.etree import ElementTree

import golden
import pytest
from conftest import examples, SEEDS
from hypothesis import assume, example, given
from random_robots import Traits, robots, write_robot
from edited_robots import ARM, carried_out, varied
from random_variants import draw_variant, posed

import naive
from urdf_tools.app.python_functions import edit
from urdf_tools.base.errors import UsageError
from urdf_tools.base.version import __version__
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

TWO_ARMS = (golden.FIXTURES / "variants" / "two_arms" / "robot.urdf").read_bytes()
NOTE = re.compile(r"<!-- urdf_simplify \S+ (?:variant|joint map)[^>]*-->\s*")
NUMBER = re.compile(r"[+-]?[0-9]*\.?[0-9]+(?:[eE][+-]?[0-9]+)?")
SEEDS = SEEDS
PLAIN = Traits(odd_joints=False, duplicates=0.0, hostile=0.0, kept=0.0)


def edited(source, **acts):
    """Carry out acts in their order."""
    text = source.decode("utf-8") if isinstance(source, bytes) else source
    return carried_out(
        text,
        [
            (name, value)
            for name, values in acts.items()
            for value in ((values,) if isinstance(values, str) else values)
        ],
    )


def less_notes(result):
    return NOTE.sub("", result.text)


def unused(result):
    """Return the warnings about acts that do nothing."""
    return [notice.text for notice in result.plan.warnings if notice.kind.name == "unused-option"]


@examples(32, fuzzed=60)
# Only the lock makes it a base of frames.
@example(write_robot(random.Random(3740), PLAIN._replace(links=3)), 3740)
@given(robots(PLAIN), SEEDS)
def test_locked_at_a_position_is_locked_at_zero_when_that_is_the_zero(text, seed):
    lock = draw_variant(text, random.Random(seed), 1.0)["lock"]
    assume(lock)
    once, moved = edited(text, lock=lock), edited(text, zero=lock)
    both = edited(less_notes(moved), lock=tuple((glob, 0.0) for glob, _ in lock))
    readings = [naive.read(result.data) for result in (once, both)]
    places = [naive.places(reading, naive.NOWHERE, {}) for reading in readings]
    assert places[0].keys() == places[1].keys()
    for name, place in places[0].items():
        assert naive.apart(place[1], places[1][name][1]) < 1e-9, name
        assert readings[0].bodies[name].mass == readings[1].bodies[name].mass


@examples(fuzzed=100)
@given(robots(), SEEDS)
def test_an_edited_robot_moves_as_the_naive_reading_has_it(text, seed):
    """Parts, locks and zeros: origins, axes, limits and mimics are those that the law of each act gives."""
    choices = draw_variant(text, random.Random(seed), 1.0)
    assume(any(choices.values()))
    same_robot(
        naive.read(varied(text, choices).encode("utf-8")),
        posed(naive.read(text.encode("utf-8")), choices),
    )


def around_zero(text, seed):
    """Return zeros of joints that can go back to the old one."""
    there = {
        escape(hinge.name)
        for hinge in naive.read(text.encode("utf-8")).hinges
        if hinge.kind == "continuous"
        or hinge.numbers.get(("limit", "lower"), 0.0)
        <= 0.0
        <= hinge.numbers.get(("limit", "upper"), 0.0)
    }
    return tuple(
        one for one in draw_variant(text, random.Random(seed), 1.0)["zero"] if one[0] in there
    )


def same_robot(one, other):
    """Compare two readings: numbers of joints exactly, a missing end as 0; places to rounding."""
    assert [hinge[:1] + hinge[2:4] for hinge in one.hinges] == [
        hinge[:1] + hinge[2:4] for hinge in other.hinges
    ]
    for a, b in zip(one.hinges, other.hinges):
        assert {key: value for key, value in a.numbers.items() if value} == {
            key: value for key, value in b.numbers.items() if value
        }, a.name
        assert (a.mimic is None) == (b.mimic is None) and (a.magnitudes, a.kind) == (
            b.magnitudes,
            b.kind,
        ), a.name
        if a.mimic is not None and b.mimic is not None:
            assert a.mimic[:2] == b.mimic[:2] and math.isclose(
                a.mimic[2], b.mimic[2], abs_tol=1e-12
            ), a.name
        assert a.kind == "fixed" or naive.apart(a.axis, b.axis) < 1e-11, a.name
        assert same_place(a.origin, b.origin), a.name
    assert one.bodies.keys() == other.bodies.keys()
    for name, body in one.bodies.items():
        assert body.mass == other.bodies[name].mass and len(body.shapes) == len(
            other.bodies[name].shapes
        )
        assert all(same_place(a[1], b[1]) for a, b in zip(body.shapes, other.bodies[name].shapes))


def same_place(one, other):
    return naive.apart(one[1], other[1]) < 1e-10 and naive.turned_by(one[0], other[0]) < 1e-7


def straightened(joint):
    """Return a joint with short numbers, none below a micrometer, no rpy, and an axis of its frame."""
    text = re.sub(" rpy=([\"']).*?\\1", "", re.sub("<axis[^>]*>", '<axis xyz="0 -1 0"/>', joint[0]))
    return re.sub(
        " xyz=[\"'](.*?)[\"']",
        lambda found: ' xyz="{}"'.format(
            " ".join(f"{round(float(word), 6):.6g}" for word in found[1].replace(",", " ").split())
        ),
        text,
    )


def less_made(text):
    """Return a text without what a run writes where its reader takes the same for granted, such as a 0."""
    text = re.sub(
        r"""\s+(?:lower|upper|soft_\w+_limit|offset)=["'][-+0.]+["']| multiplier="1"| rpy="0 0 0"|"""
        r"\s*<offset>0</offset>",
        "",
        text,
    )
    return re.sub(r'\s*<(?:origin xyz="0 0 0"|axis xyz="1 0 0")\s*/>', "", text)


@examples(12, fuzzed=60)
@given(robots(PLAIN), SEEDS)
def test_a_zero_there_and_back_gives_the_text_back_where_joints_are_straight(text, seed):
    """Byte for byte, but for how a number of a joint is spelled, and what its reader takes for granted.

    Frames stay, and joints have short numbers, no rpy and an axis of their frame: the new zero is written as it is.
    """
    text = re.sub("(?s)<joint.*?</joint>", straightened, text)
    zero = tuple(one for one in around_zero(text, seed) if one[1])
    assume(zero)
    there = edited(text, zero=zero)
    back = edited(less_notes(there), zero=tuple((glob, -value) for glob, value in zero))
    texts = [less_made(NOTE.sub("", each)) for each in (text, there.text, back.text)]
    assert texts[0] != texts[1]
    assert NUMBER.split(texts[0]) == NUMBER.split(texts[2])
    assert [
        one for one in zip(*map(NUMBER.findall, texts[::2])) if Decimal(one[0]) != Decimal(one[1])
    ] == []


@examples(12, fuzzed=60)
@given(robots(), SEEDS)
def test_flipped_twice_gives_the_bytes_back(text, seed):
    """But for the notes, a plus sign and the minus of a -0, and what is made for nothing."""
    text = re.sub(r"""(?<=["' ])(?:\+(?=[\d.])|-(?=0\.?0*["' ]))""", "", text)
    names = [
        hinge.name
        for hinge in naive.read(text.encode("utf-8")).hinges
        if hinge.kind in naive.MOVABLE
    ]
    flip = tuple(
        dict.fromkeys(
            escape(name) for name in names if random.Random(f"{seed}{name}").random() < 0.5
        )
    )
    assume(flip)
    once = edited(text, flip=flip)
    assert once.exported.edited is not None
    assert {joint_map.sign for joint_map in once.exported.edited.maps.values()} == {-1}
    again = edited(re.sub(r"<!-- urdf_simplify \S+ variant[^>]*-->\s*", "", once.text), flip=flip)
    texts = [less_made(NOTE.sub("", each)) for each in (text, once.text, again.text)]
    assert texts[0] == texts[2] != texts[1]
    assert again.text.count("joint map") == 0


@examples(12, fuzzed=60)
@given(robots(), SEEDS)
def test_signs_that_are_kept_change_none(text, seed):
    result = simplified(text, keep_signs=True)
    assert {joint_map.sign for joint_map in result.plan.maps.values()} <= {
        1
    } and "joint map" not in result.text
    for again in (simplified(result.text), simplified(result.text, keep_signs=True)):
        assert again.data == result.data


@examples(12, fuzzed=60)
@given(robots(), SEEDS)
def test_a_later_run_without_options_changes_nothing(text, seed):
    """A variant is simplified once; a flip after that stays, as its note says."""
    r = random.Random(seed)
    result = simplified(varied(text, draw_variant(text, r, 1.0)), keep_signs=r.random() < 0.3)
    flip = tuple(
        {
            escape(joint.name)
            for joint in result.after.joints
            if joint.type in naive.MOVABLE and r.random() < 0.3
        }
    )
    flipped = simplified(varied(result.text, {"flip": flip}))
    assert simplified(flipped.text).data == flipped.data
    assert {name for name, each in flipped.plan.maps.items() if each.sign < 0} == set()


def simplified(text, **options):
    return simplify_bytes(
        text.encode("utf-8"), "robot.urdf", Options(**{"snap": 0.0, "base_frame": "ros", **options})
    )


def blocks(text):
    """Return links and joints as text."""
    return {
        (top.tag, top.get("name", "")): ElementTree.tostring(top).decode().strip()
        for top in ElementTree.fromstring(re.sub("^<[?].*?[?]>", "", text.strip()))
        if top.tag in ("link", "joint")
    }


@examples(12, fuzzed=60)
@given(robots(Traits(odd_joints=False, duplicates=0.0, mimics=0.0)), SEEDS)
def test_without_a_leaf_all_else_is_what_it_was(text, seed):
    reading = naive.read(text.encode("utf-8"))
    parents = {hinge.parent for hinge in reading.hinges}
    leaves = [
        hinge
        for hinge in reading.hinges
        if hinge.child not in parents and hinge.kind in naive.MOVABLE
    ]
    assume(leaves)
    leaf = random.Random(seed).choice(leaves)
    expected = blocks(text)
    del expected["link", leaf.child], expected["joint", leaf.name]
    assert blocks(edited(text, drop=(escape(leaf.child),)).text) == expected


@examples(fuzzed=20)
@given(robots(PLAIN._replace(mimics=0.5)))
def test_everything_locked_moves_no_more(text):
    hinges = naive.read(text.encode("utf-8")).hinges
    assume(any(hinge.kind in naive.MOVABLE for hinge in hinges))
    result = edited(re.sub("<limit[^>]*>", "", text), lock=(("*", 0.0),))
    assert {joint.type for joint in result.after.joints} <= {"fixed"}


@examples(fuzzed=20)
@given(robots(), SEEDS)
def test_a_sub_tree_is_that_part_of_the_robot(text, seed):
    reading = naive.read(text.encode("utf-8"))
    link = random.Random(seed).choice(list(reading.bodies))
    result = edited(text, only=link)
    inside = {link}
    for hinge in naive.parents_first(reading):
        inside |= {hinge.child} if hinge.parent in inside and hinge.child != link else set()
    assert result.after.root == link and set(result.plan.members) == inside
    dropped = result.exported.edited.dropped if result.exported.edited is not None else {}
    assert set(dropped) == set(reading.bodies) - inside
    total = math.fsum(reading.bodies[name].mass for name in inside)
    assert math.isclose(result.after.mass, total, rel_tol=1e-11, abs_tol=1e-15)


@pytest.mark.parametrize("only, rest", (("left_hand", 4), ("torso", 13)))
def test_no_name_of_a_dropped_side_is_left(only, rest):
    result = edited(TWO_ARMS, drop=("left_*",))
    body = result.text[result.text.index("<robot") :]  # the notes before it say what was dropped
    left = [line for line in body.splitlines() if "left_" in line and "<!--" not in line]
    assert [line.strip() for line in left] == [
        "<joint>left_finger_slide</joint>",
        "<mimicJoint>left_finger_follows</mimicJoint>",
    ]
    named = [one.names[1] for one in result.plan.warnings if one.kind.name == "dropped-name"]
    assert named == ["left_finger_slide", "left_finger_follows"]
    assert len(edited(TWO_ARMS, only=only).after.links) == rest


REFUSED = [
    (
        {"lock": ["waist_yaw=2"]},
        "robot.urdf:66: --lock waist_yaw=2: joint 'waist_yaw' goes from -1.5 to 1.5",
    ),
    ({"zero": ["left_elbow=1"]}, "--zero left_elbow=1: joint 'left_elbow' goes from -2.2 to 0.2"),
    ({"lock": ["*_wrist"]}, "--lock *_wrist=0: joint 'left_wrist' is fixed already"),
    ({"zero": ["left_palm=1"]}, "--zero left_palm=1: joint 'left_palm' is fixed already"),
    ({"flip": ["left_palm"]}, "--flip left_palm: joint 'left_palm' is fixed already"),
    (
        {"lock": ["left_finger_follows"]},
        "--lock left_finger_follows=0: 'left_finger_follows' follows "
        "'left_finger_slide', which moves: lock that",
    ),
    (
        {"lock": ["left_finger_slide=0.01", "left_finger_follows=0"]},
        "--lock left_finger_follows=0: joint 'left_finger_follows' is fixed already (edit 2 of this command, after edit "
        "1, --lock left_finger_slide=0.01)",
    ),
    (
        {"only": "left_hnad"},
        "robot.urdf: --only left_hnad: there is no such link (did you mean 'left_hand'?)",
    ),
    ({"drop": ["base*"]}, "--drop base*: 'base_link' is the root, and no link would be left"),
    (
        {"only": "left_hand", "drop": ["left_*"]},
        "--drop left_*: 'left_hand' is the root, and no link would be left (edit 2 of this command)",
    ),
    (
        {"lock": ["waist_yaw=state:home"]},
        "--lock waist_yaw=state:home: a state is read from an SRDF: give it with --srdf",
    ),
]


@pytest.mark.parametrize("choices, message", REFUSED)
def test_refused(tmp_path, choices, message):
    source, output = tmp_path / "robot.urdf", tmp_path / "out.urdf"
    source.write_bytes(TWO_ARMS)
    with pytest.raises(UsageError) as caught:
        edit(source, output, **choices)
    assert str(caught.value).replace(f"{tmp_path}/", "").endswith(message)
    assert not output.exists() and "\n" not in str(caught.value)


ODD = b"""<robot name="odd"><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
<joint name="stuck" type="revolute"><parent link="a"/><child link="d"/><axis xyz="0 0 1"/>
<limit lower="0" upper="0" effort="1" velocity="1"/></joint>
<joint name="slab" type="planar"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>
<joint name="wheel" type="continuous"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint></robot>"""


@pytest.mark.parametrize(
    "choices, message",
    (
        ({"zero": (("slab", 0.5),)}, "joint 'slab' is planar: it has no single position"),
        ({"flip": ("slab",)}, "joint 'slab' is planar: it has no single position"),
        ({"lock": (("slab", 0.5),)}, "joint 'slab' is planar: it can be locked at 0 only"),
        (
            {"zero": (("wheel", "middle"),)},
            "joint 'wheel' has no lower and upper limit, and so no middle",
        ),
        ({"zero": (("stuck", 0.3),)}, "joint 'stuck' has one position: its limits are 0 to 0"),
    ),
)
def test_what_has_no_single_position_is_refused(choices, message):
    with pytest.raises(UsageError, match=message):
        edited(ODD, **choices)


def test_a_joint_is_locked_in_the_middle_of_its_limits():
    done = edited(TWO_ARMS, lock=(("left_elbow", "middle"),)).exported.edited
    assert done is not None and done.locked == {"left_elbow": -1.0}


def test_a_planar_joint_is_locked_where_it_is():
    joints = edited(ODD, lock=(("slab", 0.0),)).after.joints
    assert [(joint.name, joint.type) for joint in joints] == [
        ("stuck", "revolute"),
        ("slab", "fixed"),
        ("wheel", "continuous"),
    ]


@pytest.mark.parametrize(
    "choices",
    (
        {"zero": (("right_elbow", 0.35),)},
        {"flip": ("right_elbow",)},
        {"zero": (("right_elbow", "middle"),)},
    ),
)
def test_what_the_note_has_is_not_done_again(choices):
    once = edited(TWO_ARMS, **choices)
    line = once.text[: once.text.index("variant:")].count("\n") + 1
    with pytest.raises(
        UsageError, match=f"robot.urdf:{line}: .*'right_elbow' .* already, as this note says"
    ):
        edited(once.data, **choices)
    again = edited(re.sub(r"<!-- urdf_simplify \S+ variant[^>]*-->\s*", "", once.text), **choices)
    assert again.data != once.data or "middle" in str(choices)


@pytest.mark.parametrize("count, backwards", ((1100, False), (50, True)))
def test_a_long_chain_of_followers_is_locked_with_its_leader(count, backwards):
    """Each follows the one before it at half of its position and 0.1 more, which comes to 0.2."""
    joints = [
        f'<joint name="j{k}" type="continuous"><parent link="base"/><child link="l{k}"/><axis xyz="0 0 1"/>'
        + f'<mimic joint="j{k - 1}" multiplier="0.5" offset="0.1"/>' * (k > 0)
        + "</joint>"
        for k in range(count)
    ]
    links = "".join(f'<link name="{name}"/>' for name in ("base", *(f"l{k}" for k in range(count))))
    text = f"<robot name='chain'>{links}{''.join(joints[::-1] if backwards else joints)}</robot>"
    done = edited(text, lock=(("j0", 1.0),)).exported.edited
    assert (
        done is not None
        and list(done.locked) == [f"j{k}" for k in range(count)][:: -1 if backwards else 1]
    )
    assert done.locked["j0"] == 1.0 and math.isclose(done.locked["j1"], 0.6)
    assert math.isclose(done.locked[f"j{count - 1}"], 0.2)
    with pytest.raises(UsageError, match="'j9' follows 'j8', which moves: lock that"):
        edited(text, lock=(("j9", 0.0),))


def test_the_note_names_each_run_and_a_glob_of_any_name():
    once = edited(
        TWO_ARMS, drop=("left_hand",), lock=(("waist_*", 0.25),), zero=(("*_elbow", "middle"),)
    )
    note = f"<!-- urdf_simplify {__version__} variant: drop left_hand, lock waist_*=0.25, zero *_elbow=middle"
    assert f"{note} -->" in once.text
    twice = simplified(edited(once.text, flip=("right_elbow",)).text, keep_signs=True)
    assert f"{note}, then flip right_elbow, then keep-signs -->" in " ".join(twice.text.split())
    assert simplified(twice.text).data == twice.data
    names = edited(TWO_ARMS.replace(b"waist_yaw", b"a--b, \xc3\xa4 c"), lock=(("a--b, ä*", 0.0),))
    assert "variant: lock a-%2Db%2C%20%C3%A4*=0 -->" in names.text


def test_a_lock_before_and_after_simplifying_is_the_same():
    once = simplified(edited(TWO_ARMS, lock=(("*_elbow", 0.0),)).text)
    twice = simplified(
        edited(simplified(TWO_ARMS.decode("utf-8")).text, lock=(("*_elbow", 0.0),)).text
    )
    assert blocks(once.text) == blocks(twice.text)


def test_what_is_locked_and_dropped_already_is_a_warning():
    choices = {"drop": ("*_hand",), "lock": (("waist_*", 0.25),)}
    once = edited(TWO_ARMS, **choices)
    twice = edited(once.text, **choices)
    assert twice.data == once.data
    assert unused(twice) == [
        f"--{option} has no effect: an earlier run did this, as its note in the file records"
        for option in ("drop *_hand", "lock waist_*=0.25")
    ]
    with pytest.raises(UsageError, match="waist_yaw=1: joint 'waist_yaw' is fixed already"):
        edited(once.text, lock=(("waist_yaw", 1.0),))


@pytest.mark.parametrize(
    "acts, message",
    (
        ({"drop": ("nobody",)}, "--drop nobody: there is no such link"),
        ({"drop": ("*_hnad",)}, "--drop *_hnad: there is no such link (did you mean '*_hand'?)"),
        ({"lock": (("wasit_*", 0.0),)}, "(did you mean 'waist_*'?)"),
        ({"flip": ("left_elbwo",)}, "(did you mean 'left_elbow'?)"),
        ({"zero": (("*_elbwo", "middle"),)}, "(did you mean '*_elbow'?)"),
        ({"set": "'*_elbwo.effort=*2'"}, "(did you mean '*_elbow'?)"),
        ({"set": "left_hnad.mass=*2"}, "there is no such link (did you mean 'left_hand'?)"),
        ({"rename": "lfet_*=l_*"}, "changes no name (did you mean 'left_*'?)"),
        ({"rename": "/^nobody/=x"}, "changes no name"),
        ({"inertia_from": "visual *_hnad"}, "(did you mean '*_hand'?)"),
        ({"inertia_from": "visual density=*_hnad=900"}, "(did you mean '*_hand'?)"),
        ({"lock": (("wasit_*", "state:home"),)}, "moves by itself (did you mean 'waist_*'?)"),
        ({"lock": (("left_finger_follows", "state:home"),)}, "(did you mean 'left_finger_slide'?)"),
    ),
)
def test_a_glob_that_names_nothing_is_refused(acts, message, tmp_path):
    (tmp_path / "r.urdf").write_bytes(TWO_ARMS)
    (tmp_path / "r.srdf").write_text(
        '<robot name="two_arms"><group_state name="home" group="g"/></robot>'
    )
    with pytest.raises(UsageError) as caught:
        edit(tmp_path / "r.urdf", tmp_path / "o.urdf", srdf=tmp_path / "r.srdf", **acts)
    assert str(caught.value).endswith(message) and not (tmp_path / "o.urdf").exists()


def test_what_is_locked_has_no_zero_and_no_sign():
    """A glob may name locked joints among others, but not them alone."""
    lock = (("waist_*", 0.25),)
    with pytest.raises(
        UsageError, match="--zero waist_yaw=0.1: joint 'waist_yaw' is fixed already"
    ):
        edited(TWO_ARMS, lock=lock, zero=(("waist_yaw", 0.1),))
    assert less_notes(edited(TWO_ARMS, lock=lock, flip=("right_elbow", "[wl]*"))) == less_notes(
        edited(TWO_ARMS, lock=lock, flip=("right_elbow", "left_*"))
    )


def test_a_part_says_how_its_base_lies_in_the_world():
    """By words where its axes are along those of the world, else its frame is turned; so both ways give one robot."""
    joint = '<joint name="{0}" type="fixed"><parent link="{1}"/><child link="{2}"/><origin rpy="{3}"/></joint>'
    turn = (
        '<joint name="turn" type="continuous"><parent link="arm"/><child link="tip"/><axis xyz="0 -1 0"/></joint>'
        '<link name="tip"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial></link>"
    )
    for rpy, words in (
        ("0 0 1.5707963267948966", "x=left y=back z=up"),
        ("0.3 0 0", "x=forward y=left z=up"),
    ):
        text = (
            f'<robot name="r"><link name="base"/><link name="arm"/>{joint.format("mount", "base", "arm", rpy)}'
            f"{turn}</robot>"
        )
        part = edited(text, only="arm")
        assert f": frames as in the input, assumed {words} -->" in part.text
        joint_of = part.after.named["turn"]
        assert (joint_of.rpy == (0.0, 0.0, 0.0)) == (words[2] == "l")
        # The axis is forward in the world of the first, and to the right in that of the second.
        assert ("turn = -q" in simplify_bytes(part.data, "arm.urdf", Options()).text) == (
            words[2] == "f"
        )


@pytest.mark.parametrize(
    "rule", ('<param name="multiplier">2</param>', "", '<param name="offset">0.1</param>')
)
def test_a_rule_of_ros2_control_goes_with_the_joint_that_leads(rule):
    """Its multiplier and offset, said or not, are of no joint then: there is nothing left to prove of them."""
    joint = (
        '<joint name="{0}" type="revolute"><parent link="a"/><child link="{0}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint><link name="{0}"/>'
    )
    text = edited(
        f'<robot name="r"><link name="a"/>{joint.format("b")}{joint.format("c")}<ros2_control name="s" '
        f'type="system"><joint name="c"><param name="mimic">b</param>{rule}</joint></ros2_control></robot>',
        drop=("b",),
    ).text
    assert '<joint name="c">' in text and "<param" not in text


@pytest.mark.parametrize(
    "acts",
    (
        {"drop": "*_hand"},
        {"lock": {"waist_yaw": 0.3}},
        {"zero": {"*_elbow": "middle"}},
        {"flip": "left_elbow"},
        {"only": "left_upper_arm"},
    ),
    ids=str,
)
def test_its_page_shows_input_and_result_over_each_other(acts, tmp_path):
    source, page = tmp_path / "robot.urdf", tmp_path / "page.html"
    source.write_bytes(TWO_ARMS)
    result = edit(source, tmp_path / "out.urdf", page=page, **acts)
    assert b'id="verdict"' in page.read_bytes() and result.exported.edited is not None


def test_a_part_whose_frame_is_turned_takes_its_srdf_along_once(tmp_path):
    text = (
        '<robot name="r"><link name="base"/><link name="arm"/><link name="tip"/><joint name="mount" type="fixed">'
        '<parent link="base"/><child link="arm"/><origin rpy="0 0 0.3"/></joint><joint name="turn" '
        'type="continuous"><parent link="arm"/><child link="tip"/><axis xyz="0 0 1"/></joint></robot>'
    )
    (tmp_path / "r.urdf").write_text(text)
    (tmp_path / "r.srdf").write_text(
        '<robot name="r"><link_sphere_approximation link="arm"><sphere center="0.1 0 0" radius="1"/>'
        "</link_sphere_approximation></robot>"
    )
    result = edit(tmp_path / "r.urdf", tmp_path / "o.urdf", only="arm", srdf=tmp_path / "r.srdf")
    (srdf,) = result.companions
    x, y, _ = (
        float(word) for word in re.findall('center="([^"]*)"', srdf.data.decode())[0].split()
    )
    assert math.isclose(x, 0.1 * math.cos(0.3)) and math.isclose(y, 0.1 * math.sin(0.3))
    assert len(srdf.updates.notes) == len({note.what for note in srdf.updates.notes})


@pytest.mark.parametrize(
    "acts",
    (
        {"drop": "left_hand"},
        {"only": "left_upper_arm"},
        {"rename": "left_*=l_*"},
        {"prefix": "a_"},
        {"lock": "waist_yaw", "drop": "right_hand"},
    ),
    ids=str,
)
def test_each_name_in_an_srdf_is_that_of_a_part_or_is_warned_of(acts, tmp_path):
    """Also in elements that nobody knows, as a value and as a text."""
    robot = naive.read(TWO_ARMS)
    names = [*robot.bodies, *(hinge.name for hinge in robot.hinges)]
    notes = "".join(f'<note of="{name}"/><word>{name}</word>' for name in names)
    (tmp_path / "r.urdf").write_bytes(TWO_ARMS)
    (tmp_path / "r.srdf").write_text(f'<robot name="two_arms">{notes}</robot>')
    result = edit(tmp_path / "r.urdf", tmp_path / "o.urdf", srdf=tmp_path / "r.srdf", **acts)
    (srdf,) = result.companions
    there = {*result.after.links, *result.after.named}
    said = [(notice.names, notice.text) for notice in srdf.updates.warnings]
    left = [
        top for top in ElementTree.fromstring(srdf.data) if (top.get("of") or top.text) not in there
    ]
    assert left and len({top.tag for top in left}) == 2
    for top in left:
        name = top.get("of") or top.text
        assert any(name in names and f"<{top.tag}" in text for names, text in said), name


DRIVEN = (
    '<transmission name="{0}">{1}<actuator name="m_{0}"><mechanicalReduction>1</mechanicalReduction></actuator>'
    "</transmission>"
)


@pytest.mark.parametrize(
    "locked, left",
    (
        (["left_shoulder"], {"of_both": {"left_shoulder", "left_slide"}, "second": {"left_slide"}}),
        (["left_slide"], {"first": {"left_shoulder"}, "of_both": {"left_shoulder", "left_slide"}}),
        (["left_shoulder", "left_slide"], {}),
    ),
)
def test_a_transmission_whose_joints_all_stand_goes_whole(locked, left):
    """And each that stays names the joints that it drives, of which at least one moves."""
    drives = {
        "first": ("left_shoulder",),
        "second": ("left_slide",),
        "of_both": ("left_shoulder", "left_slide"),
    }
    text = re.sub("<mimic[^>]*>", "", re.sub("(?s)<transmission.*?</transmission>", "", ARM))
    elements = (
        DRIVEN.format(name, "".join(f'<joint name="{joint}"/>' for joint in joints))
        for name, joints in drives.items()
    )
    text = text.replace("</robot>", "".join(elements) + "</robot>")
    root = ElementTree.fromstring(
        carried_out(text, [("lock", (joint, 0.05)) for joint in locked]).data
    )
    found = {
        each.get("name"): {joint.get("name") for joint in each.findall("joint")}
        for each in root.findall("transmission")
    }
    assert found == left
