"""Any sequence of acts on any robot is proven, or refused with a sentence; acts and their inverses."""

import random
import re
from pathlib import Path
from typing import List, Tuple

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
from edited_robots import Acts, ARM, carried_out, HAND, random_text, written

from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.comparison import compare
from urdf_tools.compare.read import read_bytes
from urdf_tools.report.layout import Style
from urdf_tools.report.plan_text import plan_text
from urdf_tools.report.run_json import record_text

seeds = st.integers(0, 2**32 - 1)


def random_acts(text: str, r: random.Random, hand: str) -> Acts:
    """Return one to three acts, whose names are mostly those of the robot."""
    robot = read_bytes(text.encode(), "robot.urdf")
    links = [link.name for link in robot.links]
    joints = [joint.name for joint in robot.joints if joint.moves] or ["none"]
    acts: Acts = []
    for number in range(r.randint(1, 3)):
        link, joint = r.choice(links), r.choice(joints)
        name, value = r.choice(
            (
                ("root", link),
                ("attach", f"{hand} '{link}' prefix=h{number}_ xyz='0 0.1 0.3' rpy='0.1 0.2 0.3'"),
                ("mirror", f"'{link}' /^/=twin{number}_ plane={r.choice('xyz')}@0.1"),
                ("prefix", "p_"),
                ("rename", f"/^{re.escape(joint)}$/=new{number}"),
                ("rename", "link:*=*_link"),
                ("add_root", f"foot{number}"),
                ("set", f"'{joint}.effort=*2'"),
                ("set", "*.mass=*1.5"),
                ("inertia_from", "collision density=*=900"),
                ("lock", (joint, 0.0)),
                ("zero", (joint, 0.05)),
                ("flip", joint),
                ("only", link),
                ("drop", link),
            )
        )
        acts.append((name, value))
    return acts


@examples(30, fuzzed=600)
@given(seeds)
def test_any_sequence_is_proven_or_refused(seed: int) -> None:
    """The laws of the acts hold; the report can be written; a second run without acts changes nothing."""
    text, r = random_text(seed), random.Random(seed)
    folder = Path(__file__).parents[2] / "fixtures"
    acts = random_acts(text, r, str(folder / "variants" / "two_arms" / "robot.urdf"))
    try:
        result = carried_out(text, acts)
    except ProofFailed:
        raise
    except UrdfError as error:
        assert len(str(error)) > 20
        return
    assert (result.exported.edited is None) == (result.exported.changes == ())
    assert plan_text(result, Style(False, False)) and record_text(result, "out.urdf")
    assert set(result.plan.members) == {link.name for link in read_bytes(result.data, "").links}


def without_notes(text: str) -> str:
    return re.sub(r"<!-- urdf_simplify .*?-->\s*", "", text, flags=re.S)


@examples(20, fuzzed=200)
@given(seeds)
def test_names_come_back(seed: int) -> None:
    text = random_text(seed)
    there = carried_out(text, [("prefix", "new_")]).text
    # A link `world` alone keeps its name: there is nothing else that could have a prefix.
    assert 'name="new_' in there or "<joint" not in text
    back = carried_out(there, [("rename", "/^(closing_)?new_/=\\1")])
    controls = re.findall(
        r'<(?:transmission|actuator|sensor|ros2_control)\b[^>]*name="new_', back.text
    )
    plain = re.sub(
        r'(<(?:transmission|actuator|sensor|ros2_control)\b[^>]*name=")new_', r"\1", back.text
    )
    assert without_notes(plain) == without_notes(text), controls
    assert "joint map" not in back.text or "= -" in back.text or "q - " in back.text


@examples(20, fuzzed=200)
@given(seeds)
def test_there_and_back_is_the_same_robot(seed: int) -> None:
    text, r = random_text(seed), random.Random(seed)
    robot = read_bytes(text.encode(), "robot.urdf")
    root = next(
        link.name
        for link in robot.links
        if link.name not in {joint.child for joint in robot.joints}
    )
    try:
        result = carried_out(text, [("root", r.choice(robot.links).name), ("root", root)])
    except UrdfError as error:
        assert not isinstance(error, ProofFailed), error
        return
    assert compare(robot, read_bytes(result.data, "robot.urdf"), tolerance=1e-9).is_same


def test_what_was_attached_can_be_dropped(tmp_path: Path) -> None:
    hand = written(tmp_path, "hand.urdf", HAND)
    arm, both = read_bytes(ARM.encode(), ""), [("attach", f"{hand} tool prefix=h_")]
    dropped = carried_out(ARM, [*both, ("drop", "h_base")], str(tmp_path / "arm.urdf"))
    assert compare(arm, read_bytes(dropped.data, "")).is_same
    alone = carried_out(
        ARM, [*both, ("only", "h_base"), ("rename", "h_*=*")], str(tmp_path / "arm.urdf")
    )
    assert compare(read_bytes(HAND.encode(), ""), read_bytes(alone.data, "")).is_same


def test_a_mirror_in_a_mirror_is_the_sub_tree_as_it_was() -> None:
    """Text for text, but for the origin of the first joint, which is computed."""
    text = ARM.replace('"tool"', '"left_tool"')
    twin = carried_out(
        text, [("mirror", "left_arm left=right"), ("mirror", "right_arm right=again")]
    ).text

    def parts(side: str) -> List[str]:
        found = re.findall(
            rf'<link name="{side}_[^"]*"/>|<link name="{side}_.*?</link>|'
            rf'<joint name="{side}_(?!shoulder).*?</joint>',
            twin,
            re.S,
        )
        return [
            re.sub(r"\s+", " ", part.replace(side, "x").replace(' scale="1 1 1"', ""))
            for part in found
        ]

    assert parts("again") == parts("left") != []


@pytest.mark.parametrize(
    "act", (("mirror", "left_arm left=right"), ("root", "left_hand"), ("attach", ""))
)
def test_a_law_finds_a_wrong_number(
    act: Tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mutant for each: one number of the text that the act wrote is a little off, and nothing is written."""
    from urdf_tools.urdf.lossless_xml import Document

    if act[0] == "attach":
        act = ("attach", f"{written(tmp_path, 'hand.urdf', HAND)} left_tool prefix=h_")
    text, original, calls = ARM.replace('"tool"', '"left_tool"'), Document.to_bytes, []

    def wrong(document: Document) -> bytes:
        data = original(document)
        changed = data.replace(b'ixx="0.01"', b'ixx="0.010001"', 1)
        calls.append(data != changed)
        return changed if b"variant" in data else data

    monkeypatch.setattr(Document, "to_bytes", wrong)
    with pytest.raises(ProofFailed, match="another robot"):
        carried_out(text, [act], str(tmp_path / "arm.urdf"))
    assert any(calls)
