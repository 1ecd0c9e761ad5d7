"""Random robots with several visuals of many mesh files, shared or not, with colors, images, alpha and flat parts."""

import random
from typing import List

from dae_writer import document, effect, geometry, instance, material, node, source
from dae_writer import inputs, paragraph, primitive
from painted_robots import (
    Colors,
    Files,
    geometry_of,
    HALVES,
    image,
    MASS,
    MESHES,
    obj,
    PaintedMesh,
    POINTS,
    random_color,
    words,
)

FLAT = ((0, 9), (9, 12))  # the last part is one triangle


def dae_of(shaders, halves=HALVES, points=POINTS) -> bytes:
    """Return a COLLADA file of two parts, each with a shader; "" is no material."""
    names = ("one", "two")
    parts = "".join(
        primitive(
            "triangles",
            "g-p",
            paragraph(list(range(*half))),
            (half[1] - half[0]) // 3,
            name if shader else "",
            inputs("g-p"),
        )
        for name, half, shader in zip(names, halves, shaders)
    )
    given = [(name, shader) for name, shader in zip(names, shaders) if shader]
    return document(
        geometry("g", source("g-p", points), parts),
        node(instance("g", {name: name for name, _ in given})),
        "".join(effect(f"{name}-effect", shader) for name, shader in given),
        "".join(material(name) for name, _ in given),
        "",
    ).encode()


def shader_of(color, emission=None, alpha=1.0) -> str:
    """Return a shader of COLLADA with a color, and a glow and transparency where they are given."""
    glow = f"<emission><color>{words(emission)} 1</color></emission>" if emission else ""
    clear = (
        f'<transparent opaque="A_ONE"><color>1 1 1 {alpha}</color></transparent>'
        if alpha < 1.0
        else ""
    )
    return f"{glow}<diffuse><color>{words(color)} 1</color></diffuse>{clear}"


def random_dae(rng: random.Random) -> PaintedMesh:
    """Return a COLLADA file in which colors may be equal, missing, clear, or of a flat part, and materials may glow."""
    equal = rng.random() < 0.4
    flat = rng.random() < 0.3
    glow = [rng.random() < 0.4, rng.random() < 0.2]
    alpha = rng.choice((1.0, 1.0, 0.5))
    bare = rng.choice(("", "", "", "one", "both"))

    def write(colors: Colors) -> Files:
        first = colors["first"]
        second = first if equal else colors["second"]
        shaders = [
            shader_of(first, colors["glow"] if glow[0] else None, alpha),
            shader_of(second, colors["other glow"] if glow[1] else None),
        ]
        if bare:
            shaders[1] = ""
        if bare == "both":
            shaders[0] = ""
        return {"part.dae": dae_of(shaders, FLAT if flat else HALVES)}

    return PaintedMesh("part.dae", ("first", "second", "glow", "other glow"), write)


def random_obj(rng: random.Random) -> PaintedMesh:
    """Return an OBJ without a library, without the color of a material, with a clear one, or without an image."""
    kind = rng.choice(("no library", "no color", "clear", "one", "lost image"))

    def write(colors: Colors) -> Files:
        names = ("one", "one") if kind == "one" else ("one", "two")
        lines = [f"newmtl one\nKd {words(colors['first'])}"]
        lines += ["d 0.5"] if kind == "clear" else []
        lines += ["map_Kd lost.png"] if kind == "lost image" else []
        lines += ["newmtl two"]
        lines += [] if kind == "no color" else [f"Kd {words(colors['second'])}"]
        mtl = {} if kind == "no library" else {"part.mtl": "\n".join([*lines, ""]).encode()}
        return {"part.obj": obj(names), **mtl}

    return PaintedMesh("part.obj", ("first", "second"), write)


def random_mesh(rng: random.Random) -> PaintedMesh:
    """Return a random mesh file, or one of the written ones."""
    maker = rng.choice((random_dae, random_dae, random_obj, None, None, None))
    return maker(rng) if maker else rng.choice(MESHES)


def random_material(rng: random.Random, files: Files) -> str:
    """Return the material of a visual: none, an own one, clear, with an image, or the name of one of the robot."""
    kind = rng.choice(("none", "none", "own", "clear", "named", "shared", "image"))
    color = words(random_color(rng))
    if kind == "none":
        return ""
    if kind == "named":
        return f'<material name="{rng.choice(("red", "blue"))}"/>'
    name = "paint" if kind == "shared" else f"m{rng.randrange(1000)}"
    if kind == "shared":
        color = "0.25 0.5 0.75"
    texture = ""
    if kind == "image":
        files["t.png"] = image((0.5, 0.25, 0.75))
        texture = '<texture filename="t.png"/>'
    alpha = 0.5 if kind == "clear" else 1
    return f'<material name="{name}"><color rgba="{color} {alpha}"/>{texture}</material>'


def colored_robot(rng: random.Random) -> Files:
    """Return the files of a robot."""
    files: Files = {}
    meshes: List[PaintedMesh] = []
    for number in range(rng.randint(1, 3)):
        mesh = random_mesh(rng)
        written = mesh.write({place: random_color(rng) for place in mesh.places})
        files.update({f"m{number}/{name}": data for name, data in written.items()})
        meshes.append(mesh._replace(name=f"m{number}/{mesh.name}"))
    links = joints = ""
    for number in range(rng.randint(1, 3)):
        shapes = ""
        for place in range(rng.randint(1, 3)):
            mesh = rng.choice(meshes)
            # Far apart, so that no two of them are one surface.
            pose = f'<origin xyz="{3 * place} 0 {rng.choice((0, 5))}"/>'
            shape = f"{pose}<geometry>{geometry_of(mesh)}</geometry>"
            shapes += f"<visual>{shape}{random_material(rng, files)}</visual>"
            if rng.random() < 0.2 and not mesh.name.endswith((".glb", ".gltf")):
                shapes = f"<collision>{shape}</collision>{shapes}"
        links += f'<link name="l{number}">{MASS}{shapes}</link>'
        if number:
            kind = rng.choice(("fixed", "continuous"))
            joints += (
                f'<joint name="j{number}" type="{kind}"><parent link="l{number - 1}"/>'
                f'<child link="l{number}"/><origin xyz="0 20 0"/><axis xyz="0 0 1"/></joint>'
            )
    tops = "".join(
        f'<material name="{name}"><color rgba="{rgba} 1"/></material>'
        for name, rgba in (("red", "1 0 0"), ("blue", "0 0 1"))
    )
    files["robot.urdf"] = f'<robot name="r">{tops}{links}{joints}</robot>'.encode()
    return files
