"""lint --fix ends: what it wrote has nothing left to repair, none of what it repaired, and no digits of noise."""

import re

import pytest
from conftest import examples, SEEDS
from faulty_robots import faulty_robot
from hypothesis import given

from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair_all
from urdf_tools.lint.mass_repairs import nearest_tensor
from urdf_tools.robot.principal_axes import entries_of

KNOWN = [kind.name for kind in EXPORT_KINDS]
HEAD = '<robot name="r"><link name="a"/>\n'
JOINT = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/>{}</joint>\n</robot>'
BOX = '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'
TENSOR = '<inertia ixx="{}" ixy="0" ixz="0" iyy="{}" iyz="0" izz="{}"/>'


def repaired(text, kinds=KNOWN):
    return repair_all(text.encode(), "r.urdf", KNOWN, kinds)


def text_of(file):
    return file.repaired.document.text()


def body(inertial, shapes=BOX, joint=""):
    return f'{HEAD}<link name="b"><inertial>{inertial}</inertial>{shapes}</link>\n{JOINT.format(joint)}'


def noise_in(before, after):
    """Return the new numbers of a text that are zero but for the last digits of a computation."""
    old = {*re.findall(r'"([^"]*)"', before)}
    noise = []
    for tag in re.findall(r"<(?:inertia|origin|axis) [^>]*>", after):
        values = [value.replace(",", " ").split() for value in re.findall(r'"([^"]*)"', tag)]
        # A tensor is as small as its body; lengths and angles are of a robot.
        whole = max(abs(float(word)) for words in values for word in words)
        least = 5e-14 * whole if tag.startswith("<inertia") else 1e-14
        new = [word for words in values if " ".join(words) not in old for word in words]
        noise += [word for word in new if 0.0 < abs(float(word)) < least]
    return noise


def errors_of(findings):
    return sum(finding.severity == "error" for finding in findings)


@examples(fuzzed=400)
@given(SEEDS)
def test_a_second_run_repairs_nothing(seed):
    first = repaired(faulty_robot(seed))
    if first.repaired is None:
        return
    text = text_of(first)
    assert noise_in(faulty_robot(seed), text) == []
    second = repaired(text)
    assert second.repaired is None, [one.diagnostic.text for one in second.repaired.findings]
    assert second.remaining == first.remaining
    assert errors_of(first.remaining) <= errors_of(first.examined.findings)


@examples(3, fuzzed=100)
@given(SEEDS)
def test_what_is_repaired_is_found_no_more(seed):
    """Each kind alone, too: its repair needs no other one."""
    text = faulty_robot(seed)
    known = {one.kind.name for one in repaired(text).examined.findings if one.repair}
    for kind in sorted(known):
        alone = repaired(text, [kind])
        assert [one.diagnostic.text for one in alone.remaining if one.repair] == []


@pytest.mark.parametrize(
    ("text", "kinds"),
    (
        # The unit shows only of a tensor that a body can have.
        (
            body(f'<mass value="2"/>{TENSOR.format(4, 5, 10)}'),
            ["inertia", "inertia-unit"],
        ),
        # A tensor of no body, in axes of its own.
        (
            body(f'<origin rpy="0.3 0.2 0.1"/><mass value="2"/>{TENSOR.format(0.01, 0.01, 0.03)}'),
            ["inertia", "tilted-tensor"],
        ),
        # A comma in front of the number.
        (
            body(
                f'<mass value="2"/>{TENSOR.format(0.02, 0.02, 0.02)}',
                joint='<origin xyz="0.1, 0.2, 1e-17"/>',
            ),
            ["number-noise", "repaired"],
        ),
        # Two visuals in one line, of which one sentence speaks.
        (
            body(
                f'<mass value="2"/>{TENSOR.format(0.02, 0.02, 0.02)}',
                BOX.replace("<geometry>", '<origin rpy="1.57 0 0"/><geometry>') * 2,
            ),
            ["rounded-angle"],
        ),
    ),
    ids=("unit", "axes", "comma", "alike"),
)
def test_one_repair_shows_another(text, kinds):
    file = repaired(text)
    assert {one.kind.name for one in file.repaired.findings} == {*kinds}
    assert repaired(text_of(file)).repaired is None


def test_the_unit_and_the_nearest_tensor_are_the_same_in_either_order():
    tensor = ((13.0, 1.0, 0.5), (1.0, 20.0, 0.2), (0.5, 0.2, 41.0))
    small = tuple(tuple(entry / 1000.0 for entry in row) for row in tensor)
    large = [entry / 1000.0 for entry in entries_of(nearest_tensor(tensor))]
    assert entries_of(nearest_tensor(small)) == pytest.approx(large, rel=1e-12)


def test_a_repair_is_said_with_the_line_of_the_given_file():
    """The first repair adds lines in front of what the second is about."""
    massless = '<link name="c">\n</link><joint name="k" type="continuous"><parent link="a"/><child link="c"/></joint>'
    text = body(f'<mass value="2"/>{TENSOR.format(4, 5, 10)}').replace(HEAD, HEAD + massless)
    lines = {one.kind.name: one.diagnostic.line for one in repaired(text).repaired.findings}
    number = next(k for k, line in enumerate(text.splitlines(), 1) if 'name="b"' in line)
    assert lines["inertia"] == lines["inertia-unit"] == number
    assert text_of(repaired(text)).count("\n") > text.count("\n")


@pytest.mark.parametrize(
    ("inertial", "shapes", "wanted"),
    (
        # A box of 2 kg: 2/12 (0.2^2 + 0.3^2), and so on; its center where none is given.
        (
            '<mass value="2"/>',
            BOX.replace("<geometry>", '<origin xyz="0 0 0.5"/><geometry>'),
            {"xyz": "0 0 0.5", "ixx": "0.0216666666667", "izz": "0.00833333333333", "ixy": "0"},
        ),
        (
            '<origin xyz="0 0 0.1" rpy="0 0 1"/><mass value="2"/>',
            BOX,
            {"xyz": "0 0 0.1", "rpy": "0 0 0", "ixx": "0.0216666666667"},
        ),
        # A ball of water of 2 kg: 2/5 m r^2, r = 78 mm.
        ('<mass value="2"/>', "", {"ixx": "0.004887", "iyz": "0"}),
        ('<mass value="1e-5"/>', "", {"ixx": "1e-09"}),
    ),
    ids=("box", "given center", "ball", "least"),
)
def test_a_mass_without_tensor_gets_that_of_its_shapes(inertial, shapes, wanted):
    file = repaired(body(inertial, shapes))
    text = re.search("<inertial>.*</inertial>", text_of(file), re.S)[0]
    for key, value in wanted.items():
        (got,) = re.findall(f'{key}="([^"]*)"', text)
        assert [*map(float, got.split())] == pytest.approx([*map(float, value.split())], rel=1e-3)
    assert [
        one.kind.name for one in file.remaining if one.kind.name in ("inertia", "no-inertia")
    ] == []


def test_alike_findings_have_all_their_repairs():
    text = body(
        f'<mass value="2"/>{TENSOR.format(0.02, 0.02, 0.02)}',
        BOX.replace("<geometry>", '<origin rpy="1.57 0 0"/><geometry>') * 2,
    )
    (finding,) = [
        one
        for one in examine(text.encode(), "r.urdf", KNOWN).findings
        if one.kind.name == "rounded-angle"
    ]
    assert len(finding.repair) == 2
