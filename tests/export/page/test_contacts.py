"""Contacts on a page: each is a pose that was found, its button and its row say so, and a click shows it."""

import copy
import json
import re
from pathlib import Path
from typing import Any, Dict, NamedTuple
from unittest import mock

import commands
import golden
import pytest
from conftest import examples, signs_of
from hypothesis import given
from hypothesis import strategies as st
from pages import block, make_page, read_page

from engine import simplify
from urdf_tools.base.errors import ProofFailed
from urdf_tools.collision.pairs_step import CheckedPairs
from urdf_tools.export.page import contacts, write
from urdf_tools.export.page.verify import verify_contacts
from urdf_tools.run.records import Result

CRANE = golden.FIXTURES / "collision"
AS_IT_IS = {"merge": False, "reorient": False, "strip_hardware": False}
BODY = (
    '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial>'
    '<collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.05 0.05"/></geometry></collision>'
    '<visual><origin xyz="0.2 0 0"/><geometry><box size="0.42 0.04 0.04"/></geometry></visual>'
)


def arm(links=4, name="segment_{}_link"):
    """Return an arm of bars that can fold onto itself, about axes of both signs; its last joint is not at zero."""
    names = [name.format(number) for number in range(links)]
    parts = [f'<link name="{one}">{BODY}</link>' for one in names]
    for number, (parent, child) in enumerate(zip(names, names[1:])):
        low, high = (
            (-0.6, 0.6) if number == 0 else (-2.8, 2.8) if number < links - 2 else (0.2, 2.8)
        )
        parts.append(
            f'<joint name="{child}_joint" type="revolute"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="0.5 0 0"/><axis xyz="0 0 {-1 if number % 2 else 1}"/>'
            f'<limit lower="{low}" upper="{high}" effort="1" velocity="1"/></joint>'
        )
    return f'<robot name="arm">{"".join(parts)}</robot>\n'


class Shown(NamedTuple):
    """The text of a page and its data, where it is, its run, and what that found of pairs."""

    text: str
    data: Dict[str, Any]
    path: Path
    result: Result
    checked: CheckedPairs


def page_with_pairs(folder, robot, **choices):
    path = folder / "page.html"
    with mock.patch.object(write, "verify_contacts", wraps=verify_contacts) as proof:
        result = simplify(robot, folder / "out.urdf", pairs=True, page=path, force=True, **choices)
    text = path.read_text(encoding="utf-8")
    return Shown(text, json.loads(block(text, "data")), path, result, proof.call_args[0][1])


def page_of_arm(folder, text, **choices):
    (folder / "robot.urdf").write_text(text, encoding="utf-8")
    return page_with_pairs(folder, folder / "robot.urdf", **choices)


@pytest.fixture(scope="module")
def folded(tmp_path_factory):
    """The arm, turned and merged as a run does."""
    folder = tmp_path_factory.mktemp("folded")
    return page_of_arm(folder, arm(), pairs_report=folder / "pairs.json")


@pytest.fixture(scope="module")
def crane(tmp_path_factory):
    return page_with_pairs(
        tmp_path_factory.mktemp("crane"),
        CRANE / "crane.urdf",
        **AS_IT_IS,
        collision="hull",
        srdf=CRANE / "moveit.srdf",
    )


def test_the_contacts_are_those_of_the_report(folded):
    known = json.loads((folded.path.parent / "pairs.json").read_text(encoding="utf-8"))["pairs"]
    poses = sorted(
        (pair for pair in known if "pose" in pair), key=lambda pair: pair["state"] == "home"
    )
    links, joints = (
        [one["name"] for one in folded.data["new"][part]] for part in ("links", "joints")
    )
    said = [
        (
            [links[number] for number in one["links"]],
            {joints[joint]: at for joint, at in one["positions"]},
            links[one["point"][0]],
            one["point"][1:],
        )
        for one in folded.data["contacts"]
    ]
    assert len(poses) >= 3 and said == [
        (
            [pair["link1"], pair["link2"]],
            dict(zip(pair["joints"], pair["pose"]["positions"])),
            pair["middle"],
            pair["pose"]["point"],
        )
        for pair in poses
    ]
    last = folded.result.after.joints[-1].name
    assert folded.data["home"] == [[joints.index(last), 0.2 * signs_of(folded.result.plan)[last]]]
    reader = read_page(folded.text)
    assert [row[:2] for row in reader.tables["contacts"][1:]] == [pair for pair, *_ in said]
    never = sum(pair["state"] == "never" for pair in known)
    assert f"Of {len(known)} pairs: {never} never touch, proven." in folded.text
    buttons = [row["data-contact"] for _, row in reader.tags if "data-contact" in row]
    assert buttons == [str(number) for number in range(len(said))]


def test_a_line_that_is_wrong_says_so(crane):
    rows = read_page(crane.text).tables["contacts"][1:]
    assert [row[:2] for row in rows if row[3] == "the SRDF says never"] == [["base", "hook"]]
    titles = re.findall(r"<h3>(.*?)</h3>", crane.text)
    assert titles[0] == "The SRDF says never (1)" and len(titles) == len({*titles}) > 1
    buttons = re.findall(r'<button type="button" data-contact=.*?</button>', crane.text)
    assert len(buttons) == len(rows) and ["SRDF: never" in one for one in buttons] == [
        row[3] == "the SRDF says never" for row in rows
    ]


def test_the_check_of_an_srdf_writes_the_page_of_the_robot_as_it_is(tmp_path):
    """With the same contacts as a run that adds lines; nothing else is written but what is asked for."""
    words = [
        "pairs",
        str(CRANE / "hulls.urdf"),
        str(CRANE / "moveit.srdf"),
        "--check",
        "--page",
        str(tmp_path / "p.html"),
    ]
    done = commands.run(
        commands.PACKAGE, *words, "--report", str(tmp_path / "p.json"), "--cells", "400"
    )
    assert (
        done.returncode == 1
        and b"Page: " in done.stdout
        and {path.name for path in tmp_path.iterdir()} == {"p.html", "p.json"}
    )
    text = (tmp_path / "p.html").read_text(encoding="utf-8")
    known = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))["pairs"]
    rows = read_page(text).tables["contacts"][1:]
    poses = [[pair["link1"], pair["link2"]] for pair in known if "pose" in pair]
    assert sorted(row[:2] for row in rows) == sorted(poses) and rows[0][:2] == ["base", "hook"]
    assert [row[:2] for row in rows if "the SRDF says never" in row[3]] == [["base", "hook"]]
    over = commands.run(commands.PACKAGE, *words[:-1], str(CRANE / "moveit.srdf"))
    assert over.returncode == 2 and b"same file" in over.stderr


def test_a_page_without_pairs_has_none():
    page = make_page(CRANE / "crane.urdf")
    shown = [
        attributes
        for _, attributes in read_page(page.text).tags
        if attributes.get("id") in ("touching", "step")
    ]
    assert (
        "contacts" not in page.data and shown == [] and "contact" not in read_page(page.text).tables
    )


def test_many_are_folded_away(tmp_path, folded):
    many = page_of_arm(tmp_path, arm(8), **AS_IT_IS, pairs_cells=3000)
    assert len(many.data["contacts"]) > contacts.OPEN_AT_FIRST >= len(folded.data["contacts"])
    opened = [
        "open" in attributes
        for text in (many.text, folded.text)
        for tag, attributes in read_page(text).tags
        if tag == "details"
    ]
    assert opened == [False, True]


def leaves(value, path=()):
    """Yield the way to each number or truth value in data."""
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))
    else:
        yield path


def another(value):
    return (
        not value
        if isinstance(value, bool)
        else value + 1
        if isinstance(value, int)
        else value + 1e-9
    )


def with_contacts(shown, changed):
    """Return the text of a page with other data."""
    return shown.text.replace(block(shown.text, "data"), write.json_text({**shown.data, **changed}))


@given(st.data())
@examples(fuzzed=60)
def test_no_number_of_a_contact_can_be_another(folded, draw):
    """A link, a joint, a position, a point, or whether it is at home."""
    changed = copy.deepcopy({key: folded.data[key] for key in ("contacts", "home")})
    verify_contacts(with_contacts(folded, changed), folded.checked)
    *way, last = draw.draw(st.sampled_from(list(leaves(changed))))
    place = changed
    for key in way:
        place = place[key]
    place[last] = another(place[last])
    with pytest.raises((ProofFailed, IndexError)):
        verify_contacts(with_contacts(folded, changed), folded.checked)


MUTANTS = {
    "one is missing": lambda shown: with_contacts(shown, {"contacts": shown.data["contacts"][:-1]}),
    "one is there twice": lambda shown: with_contacts(
        shown, {"contacts": [*shown.data["contacts"], shown.data["contacts"][0]]}
    ),
    "another order than that of the buttons": lambda shown: with_contacts(
        shown, {"contacts": shown.data["contacts"][::-1]}
    ),
    "joints at home are forgotten": lambda shown: with_contacts(shown, {"home": []}),
    "a button has another name": lambda shown: re.sub(
        r'(data-contact="0".*?<bdi>.*?)segment', r"\1another", shown.text, count=1
    ),
    "a button goes elsewhere": lambda shown: shown.text.replace(
        'data-contact="0"', 'data-contact="1"'
    ),
    "a button is missing": lambda shown: re.sub(
        r'<button type="button" data-contact="0".*?</button>', "", shown.text
    ),
}


@pytest.mark.parametrize("name", MUTANTS)
def test_another_page_is_refused(folded, name):
    mutant = MUTANTS[name](folded)
    assert mutant != folded.text
    with pytest.raises(ProofFailed, match="page: "):
        verify_contacts(mutant, folded.checked)


def test_the_run_ends_where_the_proof_fails(tmp_path):
    """A mutant of what makes the data is found by the run, and nothing is written."""

    def moved(*given):
        data = contacts.contact_data(*given)
        data["contacts"][0]["positions"][0][1] += 1e-6
        return data

    with mock.patch.object(write, "contact_data", moved), pytest.raises(
        ProofFailed, match="'base' and 'hook'"
    ):
        page_with_pairs(tmp_path, CRANE / "crane.urdf", **AS_IT_IS, collision="hull")
    assert list(tmp_path.iterdir()) == []
