"""One body, one decision: what Gazebo reads for a whole body, where links that differ in it become one."""

import itertools
import xml.etree.ElementTree as ElementTree
from typing import NamedTuple

import pytest
from conftest import some_of
from hypothesis import given, strategies as st

from urdf_tools.facts.simulator_values import lumped_links
from urdf_tools.run.run_pipeline import Options, simplify_bytes
from urdf_tools.urdf.lossless_xml import parse_document

INERTIAL = (
    '<inertial><mass value="{mass}"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
    "</inertial>"
)
COLLISION = '<collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
TAGS = {"turnGravityOff": "true", "selfCollide": "true", "dampingFactor": "0.1", "mu1": "0.3"}
DEFAULT = "false"
MASSES = {"a": 1.0, "c": 1.0, "s": 0.2}


class Case(NamedTuple):
    """A joint that is given twice, with the links a and c below it, and s fixed to one of them.

    Which links have mass, which have collisions, what s is fixed to, what is said, of which link, and a sensor on s.
    """

    masses: str
    collisions: str
    parent: str
    tag: str
    tagged: str
    sensor: bool

    @property
    def text(self):
        """The URDF."""
        links = f'<link name="base">{INERTIAL.format(mass=5)}</link>' + "".join(
            f'<link name="{name}">{INERTIAL.format(mass=mass) if name in self.masses else ""}'
            f"{COLLISION if name in self.collisions else ''}</link>"
            for name, mass in MASSES.items()
        )
        joints = "".join(
            f'<joint name="j" type="revolute"><parent link="base"/><child link="{name}"/><axis xyz="0 1 0"/>'
            '<limit lower="-1" upper="1" effort="5" velocity="3"/></joint>\n'
            for name in "ac"
        )
        sensor = '<sensor name="imu" type="imu"><pose>0 0 0.02 0 0 0</pose></sensor>' * self.sensor
        blocks = f'<gazebo reference="s">{sensor}</gazebo>\n' * self.sensor
        return (
            f'<robot name="r">{links}\n{joints}<joint name="f" type="fixed"><parent link="{self.parent}"/>'
            f'<child link="s"/><origin xyz="0 0 0.1"/></joint>\n<gazebo reference="{self.tagged}"><{self.tag}>'
            f"{TAGS[self.tag]}</{self.tag}></gazebo>\n{blocks}</robot>"
        )


SUBSETS = ["".join(names) for count in range(4) for names in itertools.combinations("acs", count)]
CASES = [
    Case(*choice)
    for choice in itertools.product(SUBSETS, SUBSETS, "ac", TAGS, "acs", (False, True))
]


def value_in(text, tag, links):
    """Return what the blocks of some links say, which Gazebo lumps into one; they never say two different things."""
    said = {
        element.text or ""
        for block in ElementTree.fromstring(text).findall("gazebo")
        if block.get("reference") in tuple(links)
        for element in block.findall(tag)
    }
    return said.pop() if said else DEFAULT


def expected(case):
    """Return what is to hold in the result (None: nobody reads it), and the parts of which a warning is due."""
    parts = {"a": "as" if case.parent == "a" else "a", "c": "cs" if case.parent == "c" else "c"}
    has = case.collisions if case.tag == "selfCollide" else case.masses
    said = {
        part: TAGS[case.tag] if case.tagged in links else DEFAULT
        for part, links in parts.items()
        if set(links) & set(has)
    }
    holds = next(iter(said.values()), None)
    return holds, [part for part, value in said.items() if value != holds]


@pytest.mark.parametrize("tag", TAGS)
def test_a_joint_that_is_given_twice(tag):
    cases = [case for case in CASES if case.tag == tag]
    assert len(cases) == 768
    seen = {}
    for case in some_of(cases, 48):
        result = simplify_bytes(case.text.encode(), "robot.urdf", Options(base_frame="ros"))
        assert (
            simplify_bytes(result.data, "robot.urdf", Options(base_frame="ros")).data == result.data
        ), case
        if tag != "mu1":  # a value of each collision, not of the body
            holds, parts = expected(case)
            assert holds is None or value_in(result.text, tag, "acs") == holds, case
            warned = [
                notice for notice in result.plan.warnings if notice.kind.name == "body-merged"
            ]
            assert [notice.names[0] for notice in warned] == parts, case
            for notice in warned:
                masses = [
                    MASSES[name]
                    for name in {*notice.names[0], *"s" * (case.parent == notice.names[0])}
                    if name in case.masses
                ]
                assert notice.numbers == pytest.approx((sum(masses),)), case
                seen[notice.sentence] = seen.get(notice.sentence, 0) + 1
    assert seen.keys() == {"turnGravityOff": {"falls", "floats"}, "mu1": set()}.get(
        tag, {"differs"}
    )


def test_the_sentences_say_what_falls_and_what_floats():
    sentences = []
    for tagged in "as":
        case = Case("acs", "acs", "c", "turnGravityOff", tagged, True)
        result = simplify_bytes(case.text.encode(), "robot.urdf", Options(base_frame="ros"))
        sentences += [
            notice.text for notice in result.plan.warnings if notice.kind.name == "body-merged"
        ]
    assert sentences == [
        "gravity no longer acts on 1.2 kg of 'c': it is one body with 'a', for which turnGravityOff true holds",
        "gravity now acts on 1.2 kg of 'c': it is one body with 'a', so turnGravityOff true is lost",
    ]


def test_a_copy_whose_mass_does_not_count_has_no_say():
    """With `--count-once` nothing of the copy's mass is left that could float or fall."""
    case = Case("ac", "ac", "a", "turnGravityOff", "c", False)
    for count_once, count in ((False, 1), (True, 0)):
        result = simplify_bytes(
            case.text.encode(), "robot.urdf", Options(base_frame="ros", count_once=count_once)
        )
        assert sum(notice.kind.name == "body-merged" for notice in result.plan.warnings) == count
        decided, end, text = result.text.rpartition("-->\n")
        assert end and "turnGravityOff" not in text
        assert decided.count("  lost c link\n") == count


def lumped_one_by_one(joints, links):
    """Return, by link, its body and the names of the joints from there to it: walked up from each link alone."""
    above = {child: (parent, name) for name, parent, child in joints}
    lumped = {}
    for link in links:
        body, names = link, []
        while body in above:
            body, name = above[body]
            names.insert(0, name)
        lumped[link] = (body, tuple(names))
    return lumped


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abc"), st.booleans()), max_size=9))
def test_links_are_lumped_in_the_order_of_their_joints(rows):
    links = [f"l{number}" for number in range(len(rows) + 1)]
    text, fixed = "".join(f'<link name="{link}"/>' for link in reversed(links)), []
    for number, (parent, name, is_fixed) in enumerate(rows):
        ends = (f"l{min(parent, number)}", f"l{number + 1}")
        kind = "fixed" if is_fixed else "floating"
        text += '<joint name="{}" type="{}"><parent link="{}"/><child link="{}"/></joint>'.format(
            name, kind, *ends
        )
        if is_fixed:
            fixed.append((name, *ends))
    root = parse_document(f"<robot>{text}</robot>".encode(), "r.urdf").root
    found = lumped_links(root)
    expected = lumped_one_by_one(fixed, links)
    assert {link: each.body for link, each in found.items()} == {
        link: body for link, (body, _) in expected.items()
    }
    names = list(reversed(links))
    assert sorted(names, key=lambda link: found[link].order) == sorted(
        names, key=lambda link: expected[link][1]
    )
