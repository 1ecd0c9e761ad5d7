"""Units of the robot as a whole, axes far from parts, tensors in other orders, and small differences of sides."""

import random
import re

import pytest
from conftest import examples, SEEDS
from hypothesis import given, strategies as st
from mesh_files import binary_stl, TETRAHEDRON

from urdf_tools.app.command_table import main
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair
from urdf_tools.lint.findings_output import text_lines
from urdf_tools.report.line_layout import TextStyle
from urdf_tools.robot.principal_axes import entries_of
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_records import INERTIA_KEYS
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.urdf.spatial_math import matrix_from_rpy, multiply, rotate_inertia, transpose


def findings(text, *kinds):
    return [one for one in examine(text.encode(), "r.urdf", ()).findings if one.kind.name in kinds]


def link(name, size, mass, at="0 0 0"):
    moment = mass * size**2
    return (
        f'<link name="{name}"><inertial><origin xyz="{at}"/><mass value="{mass}"/><inertia ixx="{moment}" '
        f'iyy="{moment}" izz="{moment}" ixy="0" ixz="0" iyz="0"/></inertial><visual><origin '
        f'xyz="{at}"/><geometry><box size="{size} {size} {size}"/></geometry></visual></link>'
    )


def arm(scale=1.0, at=0.0):
    """Return two boxes of 0.1 and 0.2 m and 1 and 5 kg, in a unit, and a joint between them that is off by `at` [m]."""
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    return (
        f'<robot name="r">{link("base", 0.1 * scale, 1.0)}{link("hand", 0.2 * scale, 5.0, f"0 {-at} 0")}'
        f'<joint name="wrist" type="revolute"><origin xyz="0 {at} 0"/><parent link="base"/><child link="hand"/>'
        f'<axis xyz="0 0 1"/>{limit}</joint></robot>'
    )


@pytest.mark.parametrize(
    ("scale", "said"),
    (
        (1.0, []),
        (1000.0, [("units-mm", "millimeters")]),
        (100.0, [("units-mm", "centimeters")]),
        (25.0, [("too-light", "")]),
        (8.0, []),
        (0.5, []),
        (0.35, []),
        (0.01, [("units-mm", "100")]),
        (0.001, [("units-mm", "1,000")]),
    ),
)
def test_a_robot_in_another_unit_is_found_by_its_density(scale, said):
    """Density 1000 kg/m^3 in meters; lighter than air is a finding, and so is the unit where one makes it usual."""
    found = findings(arm(scale), "units-mm", "too-light")
    assert [(one.kind.name, "".join(one.diagnostic.names)) for one in found] == said


def test_one_light_link_is_no_other_unit():
    """A large empty case of 10 g beside a heavy base: only the robot as a whole counts."""
    both = f"{link('base', 0.3, 20.0)}{link('case', 2.0, 0.01)}"
    assert not findings(
        f'<robot name="r">{both}<joint name="j" type="fixed"><parent link="base"/><child link="case"/>'
        "</joint></robot>",
        "units-mm",
        "too-light",
    )
    assert not findings(
        f'<robot name="r">{link("base", 2.0, 0.01)}</robot>', "units-mm", "too-light"
    )


@pytest.mark.parametrize(
    ("effort", "velocity", "said"),
    (
        (1, 1, []),
        (0, 1, ["joint 'wrist': its effort limit is 0: it cannot be driven"]),
        (0, 0, ["joint 'wrist': its effort and velocity limit is 0: it cannot be driven"]),
        (-2, 1, ["joint 'wrist': its effort limit is -2, and it must be above 0"]),
    ),
)
def test_a_joint_that_cannot_be_driven_is_named(effort, velocity, said):
    text = arm().replace('effort="1" velocity="1"', f'effort="{effort}" velocity="{velocity}"')
    assert [found.diagnostic.text for found in findings(text, "no-drive")] == said


@pytest.mark.parametrize(
    ("at", "severity"),
    ((0.0, ""), (0.13, ""), (0.15, "note"), (0.19, "note"), (0.21, "warning"), (1.5, "warning")),
)
def test_an_axis_far_from_both_bodies_is_found(at, severity):
    """The nearer box is 0.2 m long, and ends 0.1 m from its middle: a note from 0.14 m on, a warning from 0.2 m."""
    found = findings(arm(at=at), "joint-far-from-parts")
    assert [one.severity for one in found] == [severity] * bool(severity)
    assert not found or found[0].diagnostic.numbers == pytest.approx(
        (min(at - 0.05, at - 0.1), 0.2)
    )


def test_markers_far_apart_are_no_robot_that_is_too_small():
    text = arm(0.001).replace('<origin xyz="0 0.0 0"/><parent', '<origin xyz="0 0.3 0"/><parent')
    assert text != arm(0.001) and not findings(text, "units-mm", "too-light")


def chain(*offsets):
    """Return boxes of 0.2 m, each turning about an axis of Z that is so far from the middle of the one before."""
    text = link("l0", 0.2, 1.0)
    for number, offset in enumerate(offsets):
        text += (
            f'{link(f"l{number + 1}", 0.2, 1.0)}<joint name="j{number}" type="continuous"><origin '
            f'xyz="{offset} 0 0"/><parent link="l{number}"/><child link="l{number + 1}"/><axis xyz="0 0 1"/></joint>'
        )
    return f'<robot name="r">{text}</robot>'


@pytest.mark.parametrize(
    ("offsets", "passed"),
    (
        ((0.1, 0.1), []),
        ((0.109, 0.1), []),
        ((0.12, 0.1), ["j0", "l0"]),
        ((0.1, -0.15), ["j1", "l1"]),
        ((0.1, -0.109), []),
        ((0.15, 0.15), []),  # it is drawn so
    ),
)
def test_one_axis_that_passes_by_a_body(offsets, passed):
    """The body ends 0.1 m from its middle: a twentieth of its length beyond is said, where no other axis does so."""
    found = findings(chain(*offsets), "joint-far-from-parts")
    assert [name for one in found for name in one.diagnostic.names] == passed
    assert all((one.severity, one.diagnostic.sentence) == ("note", "one") for one in found)


@examples(fuzzed=200)
@given(SEEDS)
def test_what_turns_about_an_axis_through_it_is_never_far(seed):
    """Whatever the shape, its pose and the axis: the axis goes through the origin of the child, which is in its box."""
    r = random.Random(seed)

    def numbers(size):
        return " ".join(f"{r.uniform(-size, size):.4f}" for _ in range(3))

    text = (
        f'<robot name="r">{link("a", 0.1, 1.0, numbers(2.0))}<link name="b"><visual><origin rpy="{numbers(3.0)}"/>'
        f'<geometry><box size="{r.uniform(0.1, 1)} 0.2 0.3"/></geometry></visual></link><joint name="j" '
        f'type="continuous"><origin xyz="{numbers(3.0)}" rpy="{numbers(3.0)}"/><parent link="a"/><child link="b"/>'
        f'<axis xyz="{numbers(1.0)}"/></joint></robot>'
    )
    found = findings(text, "joint-far-from-parts")
    assert [one.diagnostic.names[1:] for one in found] in ([], [("a",)])  # which it passes by


def test_a_body_is_all_that_is_fixed_to_it_and_a_slide_has_no_place():
    """The hand is far, and a bracket that is fixed to it is at the axis, which passes by the base."""
    bracket = link("bracket", 0.1, 1.0)
    near = arm(at=1.5).replace(
        "</robot>",
        f'{bracket}<joint name="f" type="fixed"><parent link="hand"/><child '
        'link="bracket"/></joint></robot>',
    )
    (passed,) = findings(near, "joint-far-from-parts")
    assert passed.diagnostic.names == ("wrist", "base")
    assert not findings(arm(at=1.5).replace("revolute", "prismatic"), "joint-far-from-parts")
    assert findings(arm(at=1.5).replace("revolute", "continuous"), "joint-far-from-parts")


ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 5, 1, 2, 4),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
    "ixx iyy izz iyz ixz ixy": (0, 3, 5, 4, 2, 1),
    "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
}
SIX = ("0.02", "0.003", "-0.001", "0.03", "0.0025", "0.04")


@pytest.mark.parametrize(
    ("name", "six", "alone"),
    (
        *((name, SIX, name.startswith("ixx ixy")) for name in ORDERS),
        ("ixx iyy izz ixy ixz iyz", ("0.02", "0", "0", "0.03", "0", "0.04"), True),
    ),
)
def test_a_tensor_in_another_order_is_found_and_repaired(name, six, alone):
    slots = [six[k] for k in ORDERS[name]]
    tensor = " ".join(
        f'{key}="{value}"' for key, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), slots)
    )
    text = (
        f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia {tensor}/></inertial><visual>'
        '<geometry><box size="0.6 0.5 0.4"/></geometry></visual></link></robot>'
    )
    examined = examine(text.encode(), "r.urdf", ())
    found = [one for one in examined.findings if one.kind.name == "inertia-slots"]
    assert len(found) == 1 and name in found[0].diagnostic.names[1]
    if alone:
        assert examined.document is not None
        fixed = repair(examined.document, found).document.text()
        assert (
            not findings(fixed, "inertia", "inertia-slots")
            and f'ixy="{six[1]}" ixz="{six[2]}" iyy="0.03"' in fixed
        )
    else:  # products in each other's places are a body as well: which is meant, nobody can say
        assert not found[0].repair and " or " in found[0].diagnostic.names[1]


DRAWN = (
    '<visual><origin rpy="0.2 0.4 0.6"/><geometry><box size="0.4 0.5 0.45"/></geometry></visual>'
)


@examples(fuzzed=200)
@given(st.permutations(range(6)), st.sampled_from(("0 0 0", "0.3 -0.2 0.5")))
def test_the_visuals_tell_in_which_order_six_numbers_are_meant(order, rpy):
    """The tensor of a turned box, in any order of its numbers: repaired to that of the box, or not at all."""
    texts = [f"{value:.6g}" for value in uniform_of(DRAWN, rpy)]
    inertia = " ".join(f'{key}="{texts[k]}"' for key, k in zip(INERTIA_KEYS, order))
    text = (
        f'<robot name="r"><link name="a"><inertial><origin rpy="{rpy}"/><mass value="1"/><inertia {inertia}/>'
        f"</inertial>{DRAWN}</link></robot>"
    )
    examined = examine(text.encode(), "r.urdf", ())
    found = [one for one in examined.findings if one.kind.name in ("inertia", "inertia-slots")]
    if "inertia-slots" in [one.kind.name for one in found]:
        assert examined.document is not None
        assert {one.diagnostic.sentence for one in found} == {"link", "drawn"}
        fixed = repair(examined.document, found).document.text()
        assert [re.findall(f'{key}="(.*?)"', fixed)[0] for key in INERTIA_KEYS] == texts
        assert not findings(fixed, "inertia", "inertia-slots")


def test_the_order_that_the_visuals_tell_is_named():
    """The last two numbers are in each other's places."""
    texts = [f"{value:.6g}" for value in uniform_of(DRAWN, "0 0 0")]
    inertia = " ".join(f'{key}="{texts[k]}"' for key, k in zip(INERTIA_KEYS, (0, 1, 2, 3, 5, 4)))
    text = (
        f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia {inertia}/></inertial>'
        f"{DRAWN}</link></robot>"
    )
    (found,) = findings(text, "inertia-slots")
    assert found.diagnostic.text == (
        "link 'a': no body has this inertia; in the order ixx ixy ixz iyy izz iyz its numbers are the inertia of its "
        "visuals with uniform density"
    )


def toe(side, products, y):
    """Return a toe beside the base with two products of inertia."""
    ixy, iyz = products
    return (
        f'<link name="{side}_toe"><inertial><mass value="1"/><inertia ixx="0.01" ixy="{ixy}" ixz="0" iyy="0.02" '
        f'iyz="{iyz}" izz="0.02"/></inertial></link><joint name="{side}_joint" type="continuous">'
        f'<origin xyz="0 {y} 0"/><parent link="base"/><child link="{side}_toe"/></joint>'
    )


@pytest.mark.parametrize(
    ("left", "right", "wrong"),
    (
        ((0.003, 0.0), (0.003, 0.0), "ixy"),
        ((0.003, 0.001), (0.003, 0.001), "ixy, iyz"),
        ((0.003, 0.001), (-0.003, -0.001), ""),
    ),
)
def test_products_of_inertia_of_two_sides_are_mirror_images(left, right, wrong):
    text = f'<robot name="r"><link name="base"/>{toe("left", left, 0.1)}{toe("right", right, -0.1)}</robot>'
    said = [found.diagnostic.text for found in findings(text, "inertia-sign")]
    assert said == [
        "links 'left_toe' and 'right_toe' are mirror images, but have the same inertia: the sign of "
        f"{wrong} is wrong on one side"
    ] * bool(wrong)


def uniform_of(visual, rpy):
    """Return the six numbers of the tensor of a visual of 1 kg, in axes that are turned by rpy."""
    text = f'<robot name="r"><link name="a">{visual}</link></robot>'
    robot = read_robot(parse_document(text.encode(), "r.urdf"))
    shape = robot.links["a"].shapes[0]
    x, y, z = (0.4, 0.5, 0.45)
    moments = [(y * y + z * z) / 12, (x * x + z * z) / 12, (x * x + y * y) / 12]
    tensor = ((moments[0], 0.0, 0.0), (0.0, moments[1], 0.0), (0.0, 0.0, moments[2]))
    numbers = [float(word) for word in rpy.split()]
    R = transpose(matrix_from_rpy((numbers[0], numbers[1], numbers[2])))
    return entries_of(rotate_inertia(multiply(R, shape.pose.rotation), tensor))


def test_the_rows_of_a_matrix_are_found_and_not_repaired():
    rows = 'ixx="0.02" ixy="0.003" ixz="-0.001" iyy="0.003" iyz="0.03" izz="0.0025"'
    text = (
        f'<robot name="r"><link name="a"><inertial><mass value="1"/><inertia {rows}/></inertial><visual><geometry>'
        '<box size="0.6 0.5 0.4"/></geometry></visual></link></robot>'
    )
    (found,) = findings(text, "inertia-slots")
    assert found.diagnostic.sentence == "rows" and not found.repair
    # Six equal numbers are made up.
    assert not findings(
        text.replace("0.02", "0.003")
        .replace("-0.001", "0.003")
        .replace('"0.03"', '"0.003"')
        .replace("0.0025", "0.003"),
        "inertia-slots",
    )


@pytest.mark.parametrize(
    ("size", "unit", "scale"), ((300, "milli", "0.001"), (30, "centi", "0.01"))
)
def test_meshes_without_their_scale_are_repaired_where_joints_are_in_meters(
    size, unit, scale, tmp_path
):
    triangles = [[(size * x, size * y, size * z) for x, y, z in one] for one in TETRAHEDRON]
    (tmp_path / "a.stl").write_bytes(binary_stl(triangles))
    links = "".join(
        f'<link name="{name}"><inertial><mass value="2"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" '
        'ixz="0" iyz="0"/></inertial><visual><geometry><mesh filename="a.stl"/></geometry></visual></link>\n'
        for name in "ab"
    )
    joint = '<joint name="j" type="fixed"><origin xyz="0.4 0 0"/><parent link="a"/><child link="b"/></joint>'
    path = tmp_path / "r.urdf"
    path.write_text(f'<robot name="r">{links}{joint}</robot>')
    (found,) = lint_of(path, "units-mm")
    assert found.diagnostic.sentence == "shapes" and found.diagnostic.names == (f"{unit}meters",)
    assert main(["lint", str(path), "--fix", "--select", "units-mm", "-y", "-q"]) == 0
    fixed = tmp_path / "r_fixed.urdf"
    assert fixed.read_text().count(f'scale="{scale} {scale} {scale}"') == 2
    assert not lint_of(fixed, "units-mm", "too-light")
    # Where the joints are as far apart as the shapes are long, all lengths are in that unit: no scale cures it.
    path.write_text(path.read_text().replace("0.4", str(size)))
    (found,) = lint_of(path, "units-mm")
    assert found.diagnostic.sentence == "robot" and not found.repair


def lint_of(path, *kinds):
    examined = examine(path.read_bytes(), str(path), ())
    return [one for one in examined.findings if one.kind.name in kinds]


def sides(pairs):
    """Return pairs of arms on a base; the right one of each is off by so much [m], and heavier by a part."""
    text = '<robot name="r"><link name="base"/>'
    for number, (off, part) in enumerate(pairs):
        for side, y, mass in (("left", 0.1, 1.0), ("right", -0.1 - off, 1.0 + part)):
            text += link(f"{side}_arm_{number}", 0.1, mass) + (
                f'<joint name="{side}_joint_{number}" type="continuous"><origin xyz="{number} {y} 0"/>'
                f'<parent link="base"/><child link="{side}_arm_{number}"/><axis xyz="0 1 0"/></joint>'
            )
    return text + "</robot>"


@pytest.mark.parametrize(
    ("pairs", "sentences"),
    (
        ([(0.0, 0.0)], []),
        ([(0.001, 0.0)], ["twin"]),
        ([(0.001, 0.04), (0.0015, 0.0)], ["twin", "twin"]),
        ([(0.001, 0.0), (0.0, 0.04), (0.003, 0.0)], ["along", "twin", "twin"]),
        ([(0.0, 0.06), (0.0, 0.07)], ["mass", "mass"]),
    ),
)
def test_small_differences_of_two_limbs_are_one_line(pairs, sentences):
    assert (
        sorted(one.diagnostic.sentence for one in findings(sides(pairs), "left-right")) == sentences
    )


def test_notes_of_one_kind_are_folded_also_in_full():
    joints = "".join(
        f'<link name="l{n}"/><joint name="j{n}" type="fixed"><parent link="base"/><child link="l{n}"/>'
        "</joint>"
        for n in range(20)
    )
    examined = examine(
        f'<robot name="r"><link name="base"/>{joints}</robot>'.encode(), "r.urdf", ()
    )
    assert examined.count("note") > 20
    lines = text_lines([examined], TextStyle(boxes=False, color=False, full=True), "note")
    findings = lines[: lines.index("Cures: urdf-simplify ..., where R is r.urdf")]
    assert sum(line.startswith("note[") for line in lines) == 3 and len(findings) < 30
    assert "; also 'j1', 'j2', 'j3', 'j4' and 15 more (line 1)" in " ".join(" ".join(lines).split())


def test_an_absolute_path_is_named_from_here_where_the_file_is_found(tmp_path):
    for place in ("meshes/a.stl", "robots/r.urdf", "b.stl", "robots/b.stl"):
        (tmp_path / place).parent.mkdir(exist_ok=True)
        (tmp_path / place).write_text("", "utf-8")
    mesh = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
    text = (
        '<robot name="r"><link name="a">'
        + "".join(
            map(
                mesh.format,
                (
                    "/home/me/arm/meshes/a.stl",
                    "file:///home/me/arm/meshes/a.stl",
                    "/home/me/gone.stl",
                    "/home/me/b.stl",
                    "file://meshes/a.stl",
                ),
            )
        )
        + ("</link></robot>")
    )
    examined = examine(text.encode(), str(tmp_path / "robots" / "r.urdf"), ())
    found = [one for one in examined.findings if one.kind.name == "absolute-path"]
    assert [[edit.value for edit in one.repair] for one in found] == [
        ["../meshes/a.stl"],
        ["../meshes/a.stl"],
        [],
        [],
    ]
    assert examined.document is not None
    fixed = repair(examined.document, found).document.text()
    assert fixed.count('"../meshes/a.stl"') == 2 and "/home/me/gone.stl" in fixed


@examples(fuzzed=100)
@given(SEEDS)
def test_a_link_without_mass_gets_that_of_its_shapes(seed):
    """A box of water wherever it is drawn, in axes of its own, whatever was written of its mass."""
    r = random.Random(seed)
    a, b, c = (r.uniform(0.05, 1.0) for _ in range(3))
    place, rpy = ([r.uniform(-2.0, 2.0) for _ in range(3)] for _ in range(2))
    at = f'<origin xyz="{" ".join(map(str, place))}" rpy="{" ".join(map(str, rpy))}"/>'
    said = r.choice(
        ("", '<inertial><mass value="0"/></inertial>')
        + (
            f'<inertial>{at}<mass value="0"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
            # Its center has digits that are noise, which another repair would round.
            '<inertial><origin xyz="1e-17 0.5 0"/><mass value="0"/></inertial>',
        )
    )
    text = (
        f'<robot name="r">{link("a", 1.0, 1.0)}<link name="b">{said}<visual>{at}<geometry><box size="{a} {b} {c}"/>'
        '</geometry></visual></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    )
    document = parse_document(text.encode(), "r.urdf")
    fixed = repair(document, findings(text, "no-mass")).document
    properties = read_robot(fixed).links["b"].inertial.properties
    mass = 1000.0 * a * b * c
    own = ((b * b + c * c, 0.0, 0.0), (0.0, a * a + c * c, 0.0), (0.0, 0.0, a * a + b * b))
    R = matrix_from_rpy(rpy)
    turned = rotate_inertia(R, tuple(tuple(mass * entry / 12.0 for entry in row) for row in own))
    assert properties.mass == pytest.approx(mass)
    assert properties.center == pytest.approx(place)
    largest = max(map(abs, entries_of(turned)))
    assert entries_of(properties.inertia) == pytest.approx(entries_of(turned), abs=1e-9 * largest)


@pytest.mark.parametrize(
    ("mesh", "mass"),
    ((binary_stl(TETRAHEDRON), "166.66"), (binary_stl(TETRAHEDRON[:3]), "1e-05"), (b"", "1e-05")),
)
def test_the_volume_of_a_closed_mesh_is_weighed(tmp_path, mesh, mass):
    """An open mesh has no volume, and one that is not there is not known: a mass that programs read remains."""
    (tmp_path / "tet.stl").write_bytes(mesh)
    path = tmp_path / "r.urdf"
    shape = '<visual><geometry><mesh filename="tet.stl"/></geometry></visual>'
    path.write_text(
        f'<robot name="r">{link("a", 1.0, 1.0)}<link name="b">{shape}</link><joint name="j" type="continuous">'
        '<parent link="a"/><child link="b"/></joint></robot>'
    )
    (one,) = lint_of(path, "no-mass")
    assert [edit.value for edit in one.repair if edit.child == "inertial/mass"][0].startswith(mass)
