"""Tensors that are those of shapes but for one error: each error is named, two of them and other shapes are not."""

from unittest import mock

import pytest
from conftest import examples
from hypothesis import given, strategies as st
from mesh_files import binary_stl
from surfaces import as_float32, box, bracket, by, inverted, moved, turned

from urdf_tools.lint import tensor_rules
from urdf_tools.lint.examine_file import examine
from urdf_tools.meshes import mesh_volume
from urdf_tools.model import uniform_solids
from urdf_tools.robot.principal_axes import entries_of, principal
from urdf_tools.urdf.spatial_math import (
    add_matrices,
    inertia_of_point,
    MassProperties,
    matrix_from_rpy,
    merge_mass,
    move_mass,
    Transform,
    rotate_inertia,
    ZERO_INERTIA,
)

PLACED = ((0.3, -0.1, 0.2), (0.4, 0.2, -0.3), (0.1, -0.2, 0.3))  # xyz, rpy, scale
POSE = Transform(matrix_from_rpy(PLACED[1]), PLACED[0])
SKEW = as_float32(
    moved(bracket(), lambda point: (point[0] + 0.4 * point[1], point[1] + 0.3 * point[2], point[2]))
)
TEXT = (
    '<robot name="r"><link name="a"><inertial><origin xyz="{} {} {}"/><mass value="{}"/><inertia ixx="{}" ixy="{}" '
    'ixz="{}" iyy="{}" iyz="{}" izz="{}"/></inertial>{}</link></robot>'
)
VISUAL = (
    '<visual><origin xyz="{} {} {}" rpy="{} {} {}"/><geometry><mesh filename="m.stl" scale="{} {} {}"/>'
    "</geometry></visual>"
).format(*(value for triple in PLACED for value in triple))


def by_boxes():
    """Return what SKEW holds, by Simpson's rule in slices: its two boxes are sheared, so it is two prisms."""
    parts = []
    for low, high in (((0.0, 0.0, 0.0), (1.0, 0.2, 1.0)), ((0.0, 0.2, 0.0), (0.2, 1.0, 1.0))):
        for nodes in ((i, j, k) for i in range(3) for j in range(3) for k in range(3)):
            mass = 1.0
            point = []
            for node, a, b in zip(nodes, low, high):
                mass *= (b - a) * (1.0, 4.0, 1.0)[node] / 6.0
                point.append(a + 0.5 * node * (b - a))
            x, y, z = point[0] + 0.4 * point[1], point[1] + 0.3 * point[2], point[2]
            p, q, r = PLACED[2]
            parts.append(MassProperties(mass * abs(p * q * r), (x * p, y * q, z * r), ZERO_INERTIA))
    return move_mass(POSE, merge_mass(parts))


SOLID = by_boxes()


def with_entries(*entries):
    xx, xy, xz, yy, yz, zz = entries
    return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))


def negated(solid):
    return with_entries(
        *(value if k in (0, 3, 5) else -value for k, value in enumerate(entries_of(solid.inertia)))
    )


def exchanged(solid):
    xx, xy, xz, yy, yz, zz = entries_of(solid.inertia)
    return with_entries(zz, xz, yz, xx, xy, yy)


def principal_moments(solid):
    a, b, c = principal(solid.inertia)[0]
    return with_entries(c, 0.0, 0.0, b, 0.0, a)


def about_origin(solid):
    return add_matrices(solid.inertia, inertia_of_point(solid.mass, solid.center))


def times(factor):
    return lambda solid: with_entries(*(factor * value for value in entries_of(solid.inertia)))


ROWS = (
    ("as it is", lambda solid: solid.inertia, []),
    ("9 % larger", times(1.09), []),
    ("twice", times(2.0), []),
    ("negated", negated, ["negated"]),
    ("exchanged", exchanged, ["permuted"]),
    ("about the origin", about_origin, ["origin"]),
    ("principal moments alone", principal_moments, ["turned"]),
    (
        "turned",
        lambda solid: rotate_inertia(matrix_from_rpy((0.5, 0.4, 0.3)), solid.inertia),
        ["turned"],
    ),
    (
        "negated, 1.5 % off",
        lambda solid: times(1.015)(solid._replace(inertia=negated(solid))),
        ["negated"],
    ),
    ("negated, 4 % off", lambda solid: times(1.04)(solid._replace(inertia=negated(solid))), []),
    (
        "negated about the origin",
        lambda solid: negated(solid._replace(inertia=about_origin(solid))),
        [],
    ),
    ("a ball's", lambda solid: with_entries(0.1, 0.0, 0.0, 0.1, 0.0, 0.1), []),
)


def errors_of(folder, surface, written, shapes=VISUAL):
    """Return the errors that are found of a link that is drawn by a mesh."""
    (folder / "m.stl").write_bytes(binary_stl(surface))
    text = TEXT.format(*written.center, written.mass, *entries_of(written.inertia), shapes)
    return [
        finding.diagnostic.sentence
        for finding in examine(text.encode(), str(folder / "r.urdf"), ()).findings
        if finding.kind.name == "inertia-like-shape"
    ]


def all_rows(folder, surface):
    solid = SOLID._replace(mass=2.5, inertia=times(2.5 / SOLID.mass)(SOLID))
    return {
        what: errors_of(folder, surface, solid._replace(inertia=error(solid)))
        for what, error, _ in ROWS
    }


EXPECTED = {what: names for what, _, names in ROWS}


@pytest.mark.parametrize("surface", [SKEW, inverted(SKEW)], ids=["closed", "inside out"])
def test_each_error_is_named(surface, tmp_path):
    assert all_rows(tmp_path, surface) == EXPECTED


@pytest.mark.parametrize(
    "surface", [SKEW[:-1], SKEW + SKEW[:1], []], ids=["open", "a triangle twice", "empty"]
)
def test_of_what_holds_no_volume_nothing_is_reported(surface, tmp_path):
    assert not any(all_rows(tmp_path, surface).values())


def test_another_center_or_another_shape_is_no_coincidence(tmp_path):
    wrong = SOLID._replace(inertia=negated(SOLID))
    assert errors_of(tmp_path, SKEW, wrong) == ["negated"]
    x, y, z = wrong.center
    assert errors_of(tmp_path, SKEW, wrong._replace(center=(x + 0.02, y, z))) == []
    assert (
        errors_of(
            tmp_path,
            SKEW,
            wrong,
            VISUAL + '<visual><geometry><box size="1 1 1"/></geometry></visual>',
        )
        == []
    )
    assert errors_of(tmp_path, SKEW, wrong, VISUAL.replace("m.stl", "gone.stl")) == []
    assert errors_of(tmp_path, SKEW, wrong, VISUAL.replace("visual", "collision")) == []


@pytest.mark.parametrize(
    "drawn, entries, names",
    [
        ('<box size="0.1 0.2 0.3"/>', (0.05, 0, 0, 0.13, 0, 0.1), ["permuted"]),
        ('<box size="0.1 0.2 0.3"/>', (0.13, 0, 0, 0.1, 0, 0.05), []),
        ('<cylinder radius="0.1" length="0.6"/>', (0.06, 0, 0, 0.39, 0, 0.39), ["permuted"]),
        ('<cylinder radius="0.1" length="0.6"/>', (0.39, 0, 0, 0.39, 0, 0.06), []),
        ('<sphere radius="0.1"/>', (0.048, 0, 0, 0.048, 0, 0.048), []),
        ('<box size="0.1 0.2"/>', (0.05, 0, 0, 0.13, 0, 0.1), []),
    ],
)
def test_primitives(drawn, entries, names, tmp_path):
    """Of 12 kg."""
    written = MassProperties(12.0, (0.0, 0.0, 0.0), with_entries(*entries))
    assert (
        errors_of(tmp_path, SKEW, written, f"<visual><geometry>{drawn}</geometry></visual>")
        == names
    )


@examples(fuzzed=150)
@given(
    st.tuples(*[st.floats(-1.0, 1.0)] * 3), st.floats(-3.0, 3.0), st.sampled_from(range(len(ROWS)))
)
def test_any_place_of_the_mesh(
    tmp_path_factory,
    where,
    angle,
    row,
):
    """A mesh that is moved and turned in its file, with its exact integrals; an error may be too small to be named."""
    what, error, names = ROWS[row]
    surface = as_float32(
        moved(moved(box((0.0, 0.0, 0.0), (0.1, 0.2, 0.4)), turned(angle)), by(*where))
    )
    points = list(dict.fromkeys(corner for triangle in surface for corner in triangle))
    triangles = [(points.index(a), points.index(b), points.index(c)) for a, b, c in surface]
    solid = mesh_volume.solid_of(points, triangles).properties
    errors = errors_of(
        tmp_path_factory.mktemp("placed"),
        surface,
        solid._replace(inertia=error(solid)),
        '<visual><geometry><mesh filename="m.stl"/></geometry></visual>',
    )
    assert errors in ([], names) or "turned" in names


def sums_with(change):
    whole = mesh_volume._sums
    return lambda *arguments: tuple(change(list(whole(*arguments))))


MUTANTS = (
    (
        "1/60 for 1/120",
        mesh_volume,
        "_sums",
        sums_with(lambda sums: sums[:4] + [2 * value for value in sums[4:]]),
    ),
    (
        "xy with the wrong sign",
        mesh_volume,
        "_sums",
        sums_with(lambda sums: [*sums[:5], -sums[5], *sums[6:]]),
    ),
    (
        "the center of the file's frame",
        uniform_solids,
        "move_mass",
        lambda pose, properties: properties,
    ),
    (
        "scale^2 for scale^5",
        tensor_rules,
        "solid_of",
        lambda points, triangles, scale: mesh_volume.solid_of(points, triangles),
    ),
    (
        "the scale of floats forgotten",
        tensor_rules,
        "roughly",
        lambda points, triangles, scale: mesh_volume.roughly(points, triangles),
    ),
    ("twice the tolerance", tensor_rules, "SAME", 0.05),
    ("none", tensor_rules, "SAME", 0.01),
    ("also below 10 %", tensor_rules, "APART", 0.0),
    ("orders that stay", tensor_rules, "ORDERS", [(0, 1, 2)]),
    ("about the center", tensor_rules, "inertia_of_point", lambda mass, center: ((0.0,) * 3,) * 3),
    (
        "moments by another order",
        tensor_rules,
        "principal",
        lambda tensor: (principal(tensor)[0][::-1], None),
    ),
)


@pytest.mark.parametrize("what, module, name, mutant", MUTANTS, ids=[row[0] for row in MUTANTS])
def test_the_rows_find_each_mutant(what, module, name, mutant, tmp_path):
    with mock.patch.object(module, name, mutant):
        assert all_rows(tmp_path, SKEW) != EXPECTED


def test_openness_is_not_ignored(tmp_path):
    """The open mesh lacks one triangle whose plane holds the origin, so its integrals are those of the closed one."""
    missing = next(triangle for triangle in SKEW if (0.0, 0.0, 0.0) in triangle)
    surface = [triangle for triangle in SKEW if triangle is not missing]
    assert not any(all_rows(tmp_path, surface).values())
    with mock.patch.object(mesh_volume, "open_edges", lambda _: 0):
        assert all_rows(tmp_path, surface) == EXPECTED
