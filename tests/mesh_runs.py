"""A textured COLLADA file, and whole conversions with names, for the tests of mesh formats."""

import shutil
from pathlib import Path

from dae_writer import (
    diffuse,
    document,
    effect,
    geometry,
    inputs,
    instance,
    material,
    node,
    paragraph,
    primitive,
    source,
)

from urdf_tools.meshes.convert_mesh import convert_mesh, name_files

SQUARE = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.5)]


def textured_dae(image="wood.png"):
    """A square of two triangles: one red, one that shows an image; texture coordinates by their own indices."""
    reads = inputs("g-p", 0, [("NORMAL", "g-n", 1), ("TEXCOORD", "g-t", 2)])
    rows = [[0, 0, 3], [1, 0, 2], [2, 1, 1], [0, 0, 3], [2, 1, 1], [3, 1, 0]]
    sources = (
        source("g-p", SQUARE)
        + source("g-n", [(0.0, 0.0, 2.0), (0.0, 1.0, 0.0)])
        + source("g-t", [(0.0, 0.0), (1.0, 0.0), (1.0, 0.25), (0.0, 1.0)], columns="ST")
    )
    triangles = "".join(
        primitive("triangles", "g-p", paragraph([n for row in half for n in row]), 1, name, reads)
        for name, half in (("red", rows[:3]), ("wood", rows[3:]))
    )
    sampler = (
        '<newparam sid="surface"><surface type="2D"><init_from>picture</init_from></surface></newparam>'
        '<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>'
    )
    shown = '<diffuse><texture texture="sampler" texcoord="UV"/></diffuse>'
    return document(
        geometry("g", sources, triangles),
        node(instance("g", {"red": "red", "wood": "wood"})),
        effect(
            "red-effect",
            diffuse((1, 0.5, 0, 0.5)) + "<emission><color>0 0 0.5 1</color></emission>",
        )
        + effect("wood-effect", shown, extra=sampler),
        material("red") + material("wood"),
        f'<library_images><image id="picture"><init_from>{image}</init_from></image></library_images>',
    )


def convert_named(path, folder, target):
    """Convert a file and give everything its names, as a run does."""
    staging_dir = folder / "holding"
    staging_dir.mkdir(parents=True)
    (staging_dir / "named").mkdir()
    written = convert_mesh(str(path), str(staging_dir), target)
    named = []
    images = {}
    for number, part in enumerate(written.parts):
        names = []
        for image in getattr(part.details, "images", ()):
            if image is not None and image.path not in images:
                images[image.path] = f"picture{len(images)}{Path(image.path).suffix}"
                shutil.copy(image.path, folder / images[image.path])
            names.append(images[image.path] if image is not None else "")
        for file, name in name_files(part, f"part{number}", names, str(staging_dir / "named")):
            shutil.copy(file, folder / name)
            named.append(folder / name)
    shutil.rmtree(staging_dir)
    return named
