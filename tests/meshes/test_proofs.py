"""What is lost, moved or painted otherwise between a COLLADA file and the files made of it is refused.

Each case breaks one step as a slip in the code would; the proof shares none of them.
"""

from pathlib import Path

import pytest
from conftest import some_of

from urdf_tools.base.errors import ProofFailed
from urdf_tools.collada import collada_primitives, collada_scene, polygon_triangulation
from urdf_tools.collada.conversion_records import DaeOptions
from urdf_tools.meshes import convert_mesh as convert, dae_reader, prepare_surfaces as surfaces
from urdf_tools.meshes.prepare_surfaces import FORMATS, MeshTarget
from urdf_tools.meshes.convert_mesh import convert_mesh
from urdf_tools.meshes.mesh_content import without_triangles

VALID = Path(__file__).parents[2] / "fixtures/dae/valid"


def transform(tag, change):
    """Return what makes an element mean what it would mean with other numbers."""

    def apply(monkeypatch):
        table = collada_scene.TRANSFORM_ELEMENTS
        count, meaning = table[tag]
        monkeypatch.setitem(table, tag, (count, lambda numbers: meaning(change(numbers))))

    return apply


def replaced(module, name, wrong):
    """Return what puts another function in the place of one, made from it."""
    return lambda monkeypatch: monkeypatch.setattr(module, name, wrong(getattr(module, name)))


def without_last(plain):
    def blocks(document, primitive, runs, counts, *most):
        found = list(plain(document, primitive, runs, counts, *most))
        counts.triangles -= 1
        yield from [*found[:-1], found[-1][:-3]]
        return sum(map(len, found)) // 3

    return blocks


READING = {
    "the unit": ("unit_inch", replaced(collada_scene, "unit_factor", lambda _: lambda *_: 1.0)),
    "a scale": ("scale_then_translate", transform("scale", lambda v: [v[0], v[2], v[1] + 1.0])),
    "which way a corner turns": (
        "six_corners_concave",
        replaced(polygon_triangulation, "turn", lambda turn: lambda a, b, c: -turn(a, b, c)),
    ),
    "the last triangle": (
        "two_materials",
        replaced(collada_primitives, "plain_triangles", without_last),
    ),
    "the mirror": (
        "mirrored",
        replaced(dae_reader, "turned_corners", lambda _: lambda corners: corners),
    ),
    "an instance": (
        "instance_node_twice",
        replaced(dae_reader, "scene_drawings", lambda all_of: lambda *given: all_of(*given)[:-1]),
    ),
    "a joined surface": (
        "materials_of_equal_color",
        replaced(
            dae_reader,
            "join_primitives",
            lambda join: lambda pieces, material: join(pieces[::-1], material),
        ),
    ),
    "the color of a surface": (
        "two_materials",
        replaced(
            dae_reader,
            "_material",
            lambda made: lambda *given: made(*given)._replace(rgba=(0.1, 0.2, 0.3, 1.0)),
        ),
    ),
}


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("what", READING)
def test_what_is_read_otherwise_than_the_file_draws_is_refused(what, format, tmp_path, monkeypatch):
    name, change = READING[what]
    target = MeshTarget(format)
    assert convert_mesh(str(VALID / f"{name}.dae"), str(tmp_path), target).parts
    change(monkeypatch)
    with pytest.raises(ProofFailed):
        convert_mesh(str(VALID / f"{name}.dae"), str(tmp_path), target)


def changed(change):
    """Return what changes the surfaces that are to be written."""
    return replaced(
        convert,
        "arranged_surfaces",
        lambda arranged: lambda mesh, target: (change(arranged(mesh, target)[0]), []),
    )


def painted(surfaces):
    looks = [surface.material for surface in surfaces]
    return [
        surface._replace(material=look) for surface, look in zip(surfaces, looks[1:] + looks[:1])
    ]


def moved(surfaces):
    corners = surfaces[0].corners
    return [surfaces[0]._replace(corners=corners[1:3] + corners[:1] + corners[3:]), *surfaces[1:]]


ARRANGING = {
    "a part": changed(lambda surfaces: surfaces[1:]),
    "a part twice": changed(lambda surfaces: [*surfaces, surfaces[0]]),
    "a triangle": changed(lambda surfaces: [without_triangles(surfaces[0], [0]), *surfaces[1:]]),
    "a corner": changed(moved),
    "the colors": changed(painted),
    "what is taken for flat": replaced(
        surfaces, "flat_triangles", lambda flat: lambda surface: [0]
    ),
    "a record": replaced(
        convert, "_record", lambda record: lambda *given: record(*given)._replace(triangles=7)
    ),
    "the box of a record": replaced(
        convert,
        "_record",
        lambda record: (
            lambda *given: record(*given)._replace(bounds=((0.0, 0.0, 0.0), (1.0, 1.0, 9.0)))
        ),
    ),
    "the color of a record": replaced(
        convert,
        "_record",
        lambda record: lambda *given: record(*given)._replace(rgba=(0.1, 0.2, 0.3, 1.0)),
    ),
}


CASES = [
    (what, format)
    for what in ARRANGING
    for format in FORMATS
    if (what == "what is taken for flat")
    <= (format != "stl")  # the writer of STL finds that itself
    and (what == "the color of a record") <= (format == "stl")
]  # others have materials


@pytest.mark.parametrize("what, format", CASES)
def test_what_is_lost_on_the_way_to_the_files_is_refused(what, format, tmp_path, monkeypatch):
    path, target = str(VALID / "materials_bound_per_instance.dae"), MeshTarget(format)
    assert len(convert_mesh(path, str(tmp_path), target).parts) == (
        1 if format in ("gltf", "glb") else 2
    )
    ARRANGING[what](monkeypatch)
    with pytest.raises(ProofFailed):
        convert_mesh(path, str(tmp_path), target)


ALL = [
    (path.stem, planar, format)
    for path in sorted(VALID.glob("*.dae"))
    for planar in ("keep", "merge")
    for format in FORMATS
]


@pytest.mark.parametrize("name, planar, format", some_of(ALL, len(ALL) * 3 // 7))
def test_a_file_that_can_be_read_is_proven(name, planar, format, tmp_path):
    assert convert_mesh(
        str(VALID / f"{name}.dae"), str(tmp_path), MeshTarget(format, dae=DaeOptions(planar=planar))
    )
