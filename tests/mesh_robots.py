"""Robots with COLLADA meshes for the tests of what becomes of them: written, run, and read again."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import commands
import golden
from dae_writer import (
    diffuse,
    document,
    effect,
    inputs,
    instance,
    material,
    node,
    paragraph,
    primitive,
    simple_geometry,
)


PAINTED = golden.FIXTURES / "painted_arm"
AS_IT_IS = ["--no-merge", "--no-reorient", "--no-strip"]
SPLIT = [*AS_IT_IS, "--separate-dae-meshes"]
CORNERS = [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]
SIDES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
FOUR = "0 0 0 1"
listing = commands.listing


def run(command, *arguments, answer=b"", **environment):
    """Run the tool in the current folder; no run may end in a traceback, or leave anything temporary."""
    done = commands.run(command, *arguments, answer=answer, **environment)
    assert not list(Path(".").rglob("*.tmp"))
    return done


def solids(*paints):
    """Return a COLLADA file with a tetrahedron of edge 1 for each (material name, shader); number k stands at 2k."""
    geometries = nodes = effects = materials = ""
    for k, (name, shader) in enumerate(paints):
        points = [(x + 2.0 * k, y, z) for x, y, z in CORNERS]
        geometries += simple_geometry(
            f"g{k}",
            points,
            primitive(
                "triangles",
                f"g{k}-p",
                paragraph(SIDES),
                4,
                "slot" if shader else "",
                inputs(f"g{k}-p"),
            ),
        )
        nodes += node(instance(f"g{k}", {"slot": f"m{k}"} if shader else {}))
        if shader:
            effects += effect(f"m{k}-effect", shader)
            materials += material(
                f"m{k}",
                label=name.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;"),
            )
    return document(geometries, nodes, effects, materials)


def painted(*names):
    """Return a file of solids, each with a color of its own."""
    return solids(*((name, diffuse((k / 8, 0.5, 1.0, 1.0))) for k, name in enumerate(names)))


def urdf(*links, more=""):
    """Return a robot whose links have these contents and hang on the first one."""
    text = "".join(
        f'  <link name="link{k}">\n{content}  </link>\n' for k, content in enumerate(links)
    )
    text += "".join(
        f'  <joint name="joint{k}" type="fixed">\n    <parent link="link0"/>\n    <child link="link{k}"/>\n  </joint>\n'
        for k in range(1, len(links))
    )
    return f'<robot name="r">\n{more}{text}</robot>\n'


def draws(mesh, inner="", kind="visual", name=""):
    """Return a visual or collision of a mesh."""
    named = f' name="{name}"' if name else ""
    return (
        f'    <{kind}{named}>\n      <geometry>\n        <mesh filename="{mesh}"/>\n      </geometry>\n{inner}'
        f"    </{kind}>\n"
    )


def write(folder, files):
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8")


def shapes_of(path, kind="visual"):
    """Return (link, name, origin, file, scale, material, rgba) of every shape of a kind in the order of the file."""
    rows = []
    for link in ElementTree.parse(str(path)).getroot().iter("link"):
        for shape in link.iter(kind):
            mesh, origin = shape.find("geometry/mesh"), shape.find("origin")
            paint, color = shape.find("material"), shape.find("material/color")
            rows.append(
                (
                    str(link.get("name")),
                    shape.get("name", ""),
                    origin.get("xyz", "") if origin is not None else "",
                    mesh.get("filename", "") if mesh is not None else "",
                    mesh.get("scale", "") if mesh is not None else "",
                    paint.get("name", "") if paint is not None else "",
                    color.get("rgba", "") if color is not None else "",
                )
            )
    return rows
