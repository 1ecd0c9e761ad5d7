"""An SRDF that followed is not turned a second time: with the old URDF it is refused, with its own it goes on."""

import random
import tempfile
from pathlib import Path

import pytest
from conftest import examples, SEEDS
from edited_robots import SOLID, written
from hypothesis import given
from raw_kinematics import places

from urdf_tools import edit, simplify
from urdf_tools.base.errors import UrdfError
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.lossless_xml import parse_document

URDF = f"""<robot name="r">
  <link name="base">{SOLID}</link>
  <link name="arm">{SOLID}</link>
  <joint name="j" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 1"/><axis xyz="0 -1 0"/>
    <limit lower="-1" upper="2" effort="1" velocity="1"/></joint>
</robot>
"""
SRDF = """<robot name="r">
  <group name="g"><joint name="j"/></group>
  <group_state name="home" group="g"><joint name="j" value="0.7"/></group_state>
</robot>
"""
# Notes of an earlier release, which do not say how joints count.
NOTED = "<!-- urdf_simplify 0.2.0: follows the simplified URDF -->\n"
OF_URDF = "<!-- urdf_simplify 0.2.0: x=forward y=left z=up -->\n"
RUNS = {
    "simplify": lambda urdf, **words: simplify(urdf, **words),
    "flip": lambda urdf, **words: edit(urdf, flip="j", **words),
    "zero": lambda urdf, **words: edit(urdf, zero={"j": 0.5}, **words),
}


def followed(result):
    return result.companions[0].data.decode()


def value_of(srdf):
    """Return the position of the state in a text."""
    return float(srdf.partition('value="')[2].partition('"')[0])


@pytest.mark.parametrize("run, position", (("simplify", -0.7), ("flip", -0.7), ("zero", 0.2)))
def test_with_the_old_urdf_it_is_refused(run, position, here):
    old = written(here, "r.urdf", URDF)
    first = RUNS[run](old, srdf=written(here, "r.srdf", SRDF), output=str(here / "out.urdf"))
    assert value_of(followed(first)) == pytest.approx(position)
    for again in RUNS.values():
        with pytest.raises(
            UrdfError, match=r"out.srdf:1: the note in this SRDF .* give the URDF that it"
        ):
            again(old, srdf=str(here / "out.srdf"))


@pytest.mark.parametrize("run", RUNS)
def test_with_its_own_urdf_it_goes_on(run, here):
    written(here, "r.srdf", SRDF)
    RUNS[run](written(here, "r.urdf", URDF), srdf="r.srdf", output="out.urdf")
    second = edit("out.urdf", zero={"j": 0.1}, srdf="out.srdf", output="next.urdf")
    assert value_of(followed(second)) == pytest.approx(
        value_of((here / "out.srdf").read_text()) - 0.1
    )
    # And the newer SRDF does not fit the URDF between.
    with pytest.raises(
        UrdfError, match=r"next.srdf:2: joint 'j' has another sign or zero in out.urdf"
    ):
        simplify("out.urdf", srdf="next.srdf")


def test_a_urdf_that_changed_alone_does_not_fit(here):
    """It was edited without the SRDF, which therefore is behind."""
    written(here, "r.srdf", SRDF)
    edit(written(here, "r.urdf", URDF), flip="j", srdf="r.srdf", output="out.urdf")
    edit("out.urdf", zero={"j": 0.1}, output="alone.urdf")
    with pytest.raises(UrdfError, match="joint 'j' has another sign or zero in alone.urdf"):
        edit("alone.urdf", prefix="a_", srdf="out.srdf")
    # What says nothing of the joint's position fits: the way out without the note is tried, too.
    text = (here / "out.srdf").read_text()
    edit("alone.urdf", prefix="a_", srdf=written(here, "b.srdf", text.partition("-->\n")[2]))


@pytest.mark.parametrize("is_own", (True, False))
def test_a_note_of_an_earlier_release_asks_for_a_urdf_with_one(is_own, here):
    srdf = written(here, "old.srdf", NOTED + SRDF)
    urdf = written(here, "r.urdf", OF_URDF * is_own + URDF)
    if is_own:
        assert value_of(followed(edit(urdf, flip="j", srdf=srdf))) == -0.7
    else:
        with pytest.raises(UrdfError, match="old.srdf:1: the note in this SRDF"):
            edit(urdf, flip="j", srdf=srdf)


def test_the_srdf_of_what_is_attached_must_fit_it(here):
    hand = written(here, "hand.urdf", URDF)
    words = f"{hand} arm prefix=h_ srdf={written(here, 'hand.srdf', NOTED + SRDF)}"
    with pytest.raises(UrdfError, match="hand.srdf:1: the note in this SRDF"):
        edit(
            written(here, "r.urdf", URDF),
            attach=words,
            srdf=written(here, "r.srdf", SRDF),
        )


ENDINGS = ("urdf", "srdf")
KINDS = {
    "revolute": '<limit lower="-1" upper="1" effort="1" velocity="1"/>',
    "prismatic": '<limit lower="-1" upper="1" effort="1" velocity="1"/>',
    "continuous": "",
}


def random_pair(r):
    """Return a chain of random joints, and an SRDF that puts each of them somewhere."""
    parts, values = [f'<link name="l0">{SOLID}</link>'], []
    for number in range(r.randint(1, 4)):
        kind = r.choice(list(KINDS))
        numbers = ["{:.2f} {:.2f} {:.2f}".format(*(r.uniform(-1, 1) for _ in "xyz")) for _ in "ab"]
        axis = r.choice(("1 0 0", "0 1 0", "0 0 -1", "0.6 0 0.8"))
        parts.append(
            f'<link name="l{number + 1}">{SOLID}</link><joint name="j{number}" type="{kind}">'
            f'<parent link="l{number}"/><child link="l{number + 1}"/>'
            f'<origin xyz="{numbers[0]}" rpy="{numbers[1]}"/><axis xyz="{axis}"/>{KINDS[kind]}</joint>'
        )
        values.append(f'<joint name="j{number}" value="{r.uniform(-0.9, 0.9):.3f}"/>')
    srdf = (
        '<robot name="r"><group name="g"><link name="l1"/></group>'
        f'<group_state name="s" group="g">{"".join(values)}</group_state></robot>'
    )
    return f'<robot name="r">{"".join(parts)}</robot>', srdf


def random_run(urdf, srdf, output, r):
    """Run an act or two on random joints, with the SRDF; return False if it is refused."""
    joints = [joint.name for joint in read_bytes(urdf.read_bytes(), "").joints if joint.moves]
    acts = [
        {"flip": r.choice(joints)},
        {"zero": {r.choice(joints): round(r.uniform(-0.1, 0.1), 3)}},
        {"flip": r.choice(joints), "zero": {r.choice(joints): round(r.uniform(-0.1, 0.1), 3)}},
        {"set": "*.mass=*2"},
    ]
    files = {"srdf": str(srdf), "output": str(output)}
    try:
        if r.random() < 0.2:
            simplify(str(urdf), **files, keep_all_frames=True, reorient=False)
        else:
            edit(str(urdf), **files, **r.choice(acts))
    except UrdfError as error:
        assert "already" in str(error), error
        return False
    return True


def poses_in_state(urdf, srdf):
    """Return where the links are in the state."""
    robot = read_bytes(urdf.read_bytes(), "")
    state = parse_document(srdf.read_bytes(), "").root.find("group_state")
    values = {joint.get("name"): float(joint.get("value")) for joint in state.elements("joint")}
    positions = {joint.child: values[joint.name] for joint in robot.joints}
    return {
        link: sum(map(list, rotation), []) + list(at)
        for link, (rotation, at) in places(robot, positions).items()
    }


@examples(fuzzed=300)
@given(SEEDS)
def test_no_sequence_of_runs_turns_it_twice(seed):
    """States keep every link where it is; each mixed pair is refused if the SRDF changed for the newer URDF."""
    r = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        texts = random_pair(r)
        pairs = [
            [Path(written(Path(folder), f"0.{end}", text)) for end, text in zip(ENDINGS, texts)]
        ]
        expected = poses_in_state(*pairs[0])
        for number in range(1, 4):
            new = [Path(folder) / f"{number}.{end}" for end in ENDINGS]
            if not random_run(*pairs[-1], new[0], r):
                continue
            assert poses_in_state(*new) == {
                link: pytest.approx(pose, abs=1e-9) for link, pose in expected.items()
            }
            for urdf, _ in pairs:
                mixed = poses_in_state(urdf, new[1])
                if any(mixed[link] != pytest.approx(expected[link], abs=1e-6) for link in mixed):
                    with pytest.raises(
                        UrdfError, match="has another sign or zero|the note in this SRDF"
                    ):
                        edit(str(urdf), prefix="p_", srdf=str(new[1]))
            pairs.append(new)
