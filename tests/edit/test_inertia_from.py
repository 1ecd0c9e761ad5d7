"""The act `inertia_from`: numbers by hand, closed and open meshes, its sentences, and mutants of it."""

import math
import random
from unittest import mock

import pytest
from conftest import some_of
from edited_robots import written
from mesh_files import binary_stl
from surfaces import as_float32, ball, box, by, inverted, moved, tube, turned

from urdf_tools import edit
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.edit import masses_from_shapes
from urdf_tools.edit.edit_diagnostics import INERTIA_FROM, PARTS_OVERLAP
from urdf_tools.meshes import mesh_volume
from urdf_tools.model import uniform_solids
from urdf_tools.urdf.spatial_math import MassProperties

MASS = '<inertial><mass value="{}"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = '<{0}><origin xyz="{1}" rpy="{2}"/><geometry>{3}</geometry></{0}>'
CUBE = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
INNER = moved(box((0.0, 0.0, 0.0), (0.5, 0.5, 0.5)), by(0.25, 0.25, 0.25))


def mesh(name, scale="1 1 1"):
    return f'<mesh filename="{name}.stl" scale="{scale}"/>'


def visual(drawn, xyz="0 0 0", rpy="0 0 0", role="visual"):
    return SHAPE.format(role, xyz, rpy, drawn)


def made(folder, links, meshes, **acts):
    """Run acts on a robot whose links have these contents and hang on the first one."""
    for name, surface in meshes.items():
        (folder / f"{name}.stl").write_bytes(binary_stl(surface))
    first, *others = links
    text = "".join(
        f'<link name="{name}">{content}</link>' for name, content in links.items()
    ) + "".join(
        f'<joint name="to_{name}" type="revolute"><parent link="{first}"/><child link="{name}"/><axis xyz="0 0 1"/>'
        '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        for name in others
    )
    return edit(written(folder, "robot.urdf", f'<robot name="r">{text}</robot>'), **acts)


def masses(result):
    """Return mass, center and tensor of each link that has one."""
    return {
        link.name: (link.mass.mass, *link.mass.center, *link.mass.tensor)
        for link in read_urdf(result.data, "r.urdf").links
        if link.mass
    }


def noted(result):
    return [
        (warning.kind.name, warning.names[0])
        for warning in result.plan.warnings
        if warning.kind in (INERTIA_FROM, PARTS_OVERLAP)
    ]


CASES = (
    # a link's shapes, its meshes, acts, and mass, center, tensor by hand
    (
        "the unit cube",
        visual(mesh("cube")),
        {},
        {},
        (6.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
    ),
    (
        "scaled",
        visual(mesh("cube", "1 2 3")),
        {},
        {},
        (6.0, 0.5, 1.0, 1.5, 6.5, 0.0, 0.0, 5.0, 0.0, 2.5),
    ),
    (
        "mirrored by its scale",
        visual(mesh("cube", "-1 2 3")),
        {},
        {},
        (6.0, -0.5, 1.0, 1.5, 6.5, 0.0, 0.0, 5.0, 0.0, 2.5),
    ),
    (
        "placed",
        visual(mesh("cube"), "1 0 0", "0 0 1.5707963267948966"),
        {},
        {},
        (6.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
    ),
    (
        "two boxes",
        visual('<box size="1 1 1"/>', "1 0 0") + visual('<box size="1 1 1"/>', "-1 0 0"),
        {},
        {},
        (6.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 7.0, 0.0, 7.0),
    ),
    (
        "density",
        visual('<box size="1 1 1"/>'),
        {},
        {"density": {"l*": 12}},
        (12.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 2.0),
    ),
    (
        "the last density that fits",
        visual('<box size="1 1 1"/>'),
        {},
        {"density": ["l*=12", "li*=24"]},
        (24.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 4.0, 0.0, 4.0),
    ),
    (
        "a cavity away from the origin",
        visual(mesh("hollow")),
        {"hollow": moved(CUBE + inverted(INNER), by(3, 4, 5))},
        {"density": {"link": 8}},
        (7.0, 3.5, 4.5, 5.5, *(8 / 6 * (1 - 1 / 32) if k in (0, 3, 5) else 0.0 for k in range(6))),
    ),
    (
        "inside out",
        visual(mesh("out")),
        {"out": inverted(CUBE)},
        {},
        (6.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
    ),
    (
        "the hull of an open mesh",
        visual(mesh("open")),
        {"open": CUBE[:-1]},
        {"inertia_from": "hull"},
        (6.0, 0.5, 0.5, 0.5, 1.0, 0.0, 0.0, 1.0, 0.0, 1.0),
    ),
    (
        "collisions",
        visual(mesh("cube")) + visual('<sphere radius="1"/>', role="collision"),
        {},
        {"inertia_from": "collision"},
        (6.0, 0.0, 0.0, 0.0, 2.4, 0.0, 0.0, 2.4, 0.0, 2.4),
    ),
    (
        "a capsule",
        visual('<capsule radius="1" length="3"/>'),
        {},
        {"density": {"*": 1}},
        tuple(
            math.pi * value
            for value in (13 / 3, 0, 0, 0, 8 + 1 / 30, 0, 0, 8 + 1 / 30, 0, 2 + 1 / 30)
        ),
    ),
)


@pytest.mark.parametrize(
    "what, shapes, meshes, acts, expected", CASES, ids=[case[0] for case in CASES]
)
def test_masses_by_hand(
    what,
    shapes,
    meshes,
    acts,
    expected,
    tmp_path,
):
    result = made(
        tmp_path,
        {"link": MASS.format(6) + shapes},
        {"cube": CUBE, **meshes},
        **{"inertia_from": "visual", **acts},
    )
    assert masses(result)["link"] == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_a_link_without_mass_gets_one_only_with_a_density(tmp_path):
    links = {
        "base": MASS.format(1) + visual('<box size="1 1 1"/>'),
        "bare": visual('<box size="1 1 1"/>'),
        "frame": "",
        "dark": MASS.format(2),
    }
    kept = made(tmp_path, links, {}, inertia_from="visual")
    assert sorted(masses(kept)) == ["base", "dark"]
    assert noted(kept) == [("inertia-from", "<link name='dark'>")]
    given_one = made(tmp_path, links, {}, inertia_from="visual base bare", density={"bare": 3})
    assert masses(given_one)["bare"][0] == 3.0 and masses(given_one)["base"][0] == 1.0
    assert noted(given_one) == []


def test_compare_names_exactly_the_masses_that_changed(tmp_path):
    links = {
        name: MASS.format(1) + visual('<box size="1 2 3"/>') for name in ("base", "arm", "hand")
    }
    result = made(tmp_path, links, {}, inertia_from="visual 'ha*' arm", density={"hand": 7})
    compared = compare(read_bytes(result.source, "a.urdf"), read_bytes(result.data, "b.urdf"))
    assert {(difference.kind, difference.where) for difference in compared.differences} == {
        ("mass", "hand"),
        ("tensor", "hand"),
        ("tensor", "arm"),
    }


TO_N = (
    '</link><joint name="to_n" type="fixed"><parent link="link"/><child link="n"/></joint><link name="n">'
    + MASS.format(1)
)
# The hull of what is flat is flat, too: it is no cure, and least of all of itself.
FLAT = "is flat, so it has no volume: --inertia-from collision( .1 other|$)"
REFUSED = (
    (
        visual(mesh("m")),
        {"m": CUBE[:-1]},
        {},
        "'m.stl' is open .3 edges without a neighbor., so it has "
        "no volume: --inertia-from collision, or --inertia-from hull",
    ),
    (
        visual(mesh("m")) + TO_N + visual(mesh("n")),
        {"m": CUBE[:-1], "n": CUBE[1:]},
        {},
        "counts its hull .1 other link cannot be computed either.",
    ),
    (
        visual(mesh("m")),
        {"m": CUBE + moved(inverted(INNER), by(2.0, 0.0, 0.0))},
        {},
        "normals inward that is in no ",
    ),
    (visual(mesh("m")), {"m": [CUBE[0], inverted(CUBE)[0]]}, {}, f"'m.stl' {FLAT}"),
    (visual(mesh("m", "1 0 1")), {"m": CUBE}, {}, f"'m.stl' {FLAT}"),
    (visual(mesh("gone")), {}, {}, "'gone.stl' is not found"),
    (visual(mesh("m")), {"m": [CUBE[0]]}, {"inertia_from": "hull"}, FLAT),
    (visual('<box size="1 1"/>'), {}, {}, "shape"),
    (
        visual('<box size="1 1 1"/>'),
        {},
        {"inertia_from": "mesh"},
        "'mesh': give visual, collision, hull",
    ),
    (
        visual('<box size="1 1 1"/>'),
        {},
        {"inertia_from": "visual density=*=-1"},
        "give links and kg/m3",
    ),
)


@pytest.mark.parametrize("shapes, meshes, acts, sentence", REFUSED)
def test_what_is_refused(shapes, meshes, acts, sentence, tmp_path):
    with pytest.raises(UrdfError, match=sentence):
        made(
            tmp_path,
            {"link": MASS.format(6) + shapes},
            meshes,
            **{"inertia_from": "visual", **acts},
        )


@pytest.mark.parametrize("gap, overlap", [(-0.25, True), (0.0, False), (0.5, False)])
def test_parts_that_overlap_are_noted(gap, overlap, tmp_path):
    twins = CUBE + moved(CUBE, by(1.0 + gap, 0.0, 0.0))
    result = made(
        tmp_path,
        {"link": MASS.format(6) + visual(mesh("twins"))},
        {"twins": twins},
        inertia_from="visual",
    )
    assert [kind for kind, _ in noted(result)] == ["parts-overlap"] * overlap


def properties_with(change):
    whole = mesh_volume.solid_of
    return lambda points, triangles, scale=(1.0, 1.0, 1.0): whole(
        points, triangles, scale
    )._replace(properties=change(whole(points, triangles, scale).properties))


MUTANTS = (
    (
        "the center of the file's frame",
        uniform_solids,
        "move_mass",
        lambda: lambda pose, properties: properties,
    ),
    (
        "scale^2 for scale^5",
        masses_from_shapes,
        "solid_of",
        lambda: (
            lambda points, triangles, scale: mesh_volume.solid_of(
                points, triangles, scale
            )._replace(properties=mesh_volume.solid_of(points, triangles).properties)
        ),
    ),
    (
        "the volume of a left-handed scale",
        masses_from_shapes,
        "solid_of",
        lambda: properties_with(
            lambda properties: properties._replace(
                center=tuple(-value for value in properties.center)
            )
        ),
    ),
    (
        "the mass of another link",
        masses_from_shapes,
        "MassProperties",
        lambda: lambda mass, center, tensor: MassProperties(5.0 - mass, center, tensor),
    ),
    ("the last link forgotten", masses_from_shapes, "write_inertial", lambda: lambda *_: None),
    ("hulls forgotten", masses_from_shapes, "convex_hull", lambda: lambda points: None),
)


@pytest.mark.parametrize("what, module, name, mutant", MUTANTS, ids=[row[0] for row in MUTANTS])
def test_the_law_finds_each_mutant(what, module, name, mutant, tmp_path):
    rough = as_float32(moved(ball(4, 5, 0.3), turned(0.5)))
    skew = [
        tuple((x, y + 0.5 * x, z + 0.3 * y + 0.2 * x) for x, y, z in triangle) for triangle in rough
    ]
    links = {
        "base": MASS.format(2) + visual(mesh("m", "-1 2 1"), "0.1 0.2 0.3", "0.1 0.2 0.3"),
        "arm": MASS.format(3) + visual('<box size="1 1 1"/>'),
    }
    meshes = {"m": as_float32(moved(skew, by(0.3, 0.1, 0.2)))}
    source = "hull" if "hull" in what else "visual"
    made(tmp_path, links, meshes, inertia_from=source)
    wrong = mutant()
    expected = UrdfError if "hull" in what else ProofFailed
    with mock.patch.object(module, name, wrong), pytest.raises(expected):
        made(tmp_path, links, meshes, inertia_from=source)


def test_openness_is_not_ignored(tmp_path):
    """A mutant that takes open meshes: its numbers depend on the origin, so the law differs, too."""
    links = {"base": MASS.format(2) + visual(mesh("m"), "1 2 3")}
    with mock.patch.object(mesh_volume, "open_edges", lambda _: 0), pytest.raises(ProofFailed):
        made(tmp_path, links, {"m": moved(CUBE, by(-0.5, -0.5, -0.5))[:-1]}, inertia_from="visual")


def thin_rod(seed):
    """Return a rod, up to a hundred thousand times as long as thick, that lies along no axis."""
    r = random.Random(seed)
    radius, length = r.choice([1e-3, 1e-4, 1e-5]), r.uniform(0.2, 1.5)
    return as_float32(moved(tube(24, 0.0, radius, length), turned(r.uniform(0.1, 1.4))))


@pytest.mark.parametrize("source", ["hull", "visual"])
@pytest.mark.parametrize("seed", [26, *some_of(range(100), 3)])
def test_the_digits_of_a_text_are_no_fault_of_a_thin_rod(tmp_path, seed, source):
    """Rounding takes much of the volume of the thinnest, such as that of seed 26."""
    rod = {"m": thin_rod(seed)}
    links = {"base": MASS.format(2) + visual(mesh("m"), "1 2 3", "1 0.5 -2")}
    result = made(tmp_path, links, rod, inertia_from=source)
    tensor = masses(result)["base"][4:]
    assert sum(tensor[k] for k in (0, 3, 5)) > 0.0


@pytest.mark.parametrize("reach", [1e3, 1e6])
@pytest.mark.parametrize("seed", some_of(range(20), 3))
def test_the_digits_of_a_text_are_no_fault_far_away(tmp_path, seed, reach):
    """A center has the digits of its distance: 0.6 um of a thousand kilometers, as in meshes of a map."""
    r = random.Random(seed)
    away = by(*(r.uniform(-reach, reach) for _ in range(3)))
    cube = as_float32(moved(CUBE, (turned(r.uniform(0.1, 1.4)))))
    far = {
        "m": as_float32(moved([tuple(tuple(400 * x for x in p) for p in t) for t in cube], away))
    }
    links = {"base": MASS.format(2) + visual(mesh("m"))}
    result = made(tmp_path, links, far, inertia_from="visual")
    assert max(abs(x) for x in masses(result)["base"][1:4]) > 0.1 * reach


@pytest.mark.parametrize(
    "content", (MASS.format(1), visual('<box size="1 1 1"/>')), ids=("no visual", "no mass")
)
def test_what_no_link_gives_is_refused(tmp_path, content):
    """One link has no shape, the other no mass that it keeps: nothing asked for would be done."""
    links = {"a": "", "b": content}
    with pytest.raises(UrdfError, match="none of these links has a visual to compute from"):
        made(tmp_path, links, {}, inertia_from="visual b")


LONG = {  # by kind: how far it reaches along its z axis from its middle
    '<box size="0.2 0.3 1"/>': 0.5,
    '<sphere radius="0.5"/>': 0.5,
    '<cylinder radius="0.1" length="1"/>': 0.5,
    '<capsule radius="0.2" length="1"/>': 0.7,
}


@pytest.mark.parametrize("geometry", LONG)
@pytest.mark.parametrize("gap, overlap", [(-0.05, True), (0.05, False)])
def test_primitives_overlap_where_they_reach(geometry, gap, overlap, tmp_path):
    shape = '<visual><origin xyz="0 0 {}"/><geometry>{}</geometry></visual>'
    shapes = (shape.format(z, geometry) for z in (0, 2 * LONG[geometry] + gap))
    result = made(tmp_path, {"link": MASS.format(6) + "".join(shapes)}, {}, inertia_from="visual")
    assert [kind for kind, _ in noted(result)] == ["parts-overlap"] * overlap
