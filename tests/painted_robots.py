"""Small robots whose every color has a name: what `write` is given decides each of them, wherever it is written."""

import json
import random
from typing import Callable, Dict, NamedTuple, Tuple

from dae_writer import (
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
from mesh_files import binary_stl, GltfBuilder, png, TETRAHEDRON

Color = Tuple[float, float, float]
Colors = Dict[str, Color]
Files = Dict[str, bytes]
POINTS = [corner for triangle in TETRAHEDRON for corner in triangle]
HALVES = ((0, 6), (6, 12))  # the corners of each part of the solid
MASS = (
    '<inertial><mass value="1"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>'
    "</inertial>"
)


class Painted(NamedTuple):
    """A robot: the name of its file, the names of its colors, and what writes all files with given colors."""

    name: str
    places: Tuple[str, ...]
    write: Callable[[Colors], Files]


class PaintedMesh(NamedTuple):
    """A mesh file in two parts: its name, the names of its colors, and what writes it with the files that it names."""

    name: str
    places: Tuple[str, ...]
    write: Callable[[Colors], Files]


def words(color):
    """Return a color as numbers in a text."""
    return " ".join(f"{channel:g}" for channel in color)


def image(color):
    """Return a PNG of one color."""
    return png(*(round(255 * channel) for channel in color))


def dae(*shaders: str) -> bytes:
    """Return a COLLADA file of the solid with texture coordinates, with a shader for each half."""
    names = ["one", "two"]
    coordinates = source("g-t", [(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], columns="ST")
    reads = inputs("g-p", others=[("TEXCOORD", "g-t", 1)])
    parts = "".join(
        primitive(
            "triangles",
            "g-p",
            paragraph([number for k in range(*half) for number in (k, k % 3)]),
            2,
            name,
            reads,
        )
        for name, half in zip(names, HALVES)
    )
    sampler = (
        '<newparam sid="surface"><surface type="2D"><init_from>wood</init_from></surface></newparam>'
        '<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>'
    )
    image = '<image id="wood"><init_from>wood.png</init_from></image>'
    return document(
        geometry("g", source("g-p", POINTS) + coordinates, parts),
        node(instance("g", {name: name for name in names})),
        "".join(
            effect(f"{name}-effect", shader, extra=sampler if "texture" in shader else "")
            for name, shader in zip(names, shaders)
        ),
        "".join(map(material, names)),
        f"<library_images>{image}</library_images>",
    ).encode()


def dae_colors(colors: Colors) -> Files:
    """Return a COLLADA file whose materials have colors."""
    shown = "".join(
        f"<{tag}><color>{words(colors[f'dae {tag}'])} 1</color></{tag}>"
        for tag in ("emission", "diffuse")
    )
    other = f"<diffuse><color>{words(colors['dae second'])} 1</color></diffuse>"
    return {"part.dae": dae(shown, other)}


def dae_image(colors: Colors) -> Files:
    """Return a COLLADA file whose first material has an image."""
    other = f"<diffuse><color>{words(colors['dae second'])} 1</color></diffuse>"
    shown = '<diffuse><texture texture="sampler" texcoord="UV"/></diffuse>'
    return {"part.dae": dae(shown, other), "wood.png": image(colors["dae image"])}


def obj(materials: Tuple[str, ...], mtl: str = "part.mtl") -> bytes:
    """Return an OBJ file whose halves have two materials."""
    lines = [f"mtllib {mtl}", *(f"v {x} {y} {z}" for x, y, z in POINTS)]
    lines += ["vt 0 0", "vt 1 0", "vt 0 1"]
    for name, (start, end) in zip(materials, HALVES):
        corners = range(start + 1, end + 1, 3)
        lines += [f"usemtl {name}", *(f"f {k}/1 {k + 1}/2 {k + 2}/3" for k in corners)]
    return "\n".join([*lines, ""]).encode()


def dae_points(colors: Colors) -> Files:
    """Colors of points beside a material, and under no material, where the points of a half have several."""
    shown = f"<diffuse><color>{words(colors['dae first'])} 1</color></diffuse>"
    data = dae(shown, shown)
    points = [colors["dae point"], *[colors["dae other"]] * (len(POINTS) - 1)]
    painted = source("g-c", points, columns="RGB").encode()
    read = b'<input semantic="COLOR" source="#g-c" offset="0"/>'
    return {
        "part.dae": data.replace(b"<vertices", painted + b"<vertices", 1).replace(
            b'<input semantic="TEXCOORD"', read + b'<input semantic="TEXCOORD"'
        )
    }


def obj_points(colors: Colors) -> Files:
    """Return an OBJ file whose points have a color beside their materials."""
    color = f" {words(colors['obj point'])}".encode()
    lines = obj(("one", "two")).split(b"\n")
    lines = [line + color if line.startswith(b"v ") else line for line in lines]
    mtl = "".join(f"newmtl {name}\nKd {words(colors['mtl Kd'])}\n" for name in ("one", "two"))
    return {"part.obj": b"\n".join(lines), "part.mtl": mtl.encode()}


def ply_points(colors: Colors) -> Files:
    """Return a PLY file whose points have a color."""
    red, green, blue = (round(255 * channel) for channel in colors["ply point"])
    header = ["ply", "format ascii 1.0", f"element vertex {len(POINTS)}"]
    header += [f"property float {axis}" for axis in "xyz"]
    header += [f"property uchar {channel}" for channel in ("red", "green", "blue")]
    header += [f"element face {len(TETRAHEDRON)}", "property list uchar int vertex_indices"]
    points = [f"{x} {y} {z} {red} {green} {blue}" for x, y, z in POINTS]
    faces = [f"3 {k} {k + 1} {k + 2}" for k in range(0, len(POINTS), 3)]
    return {"part.ply": "\n".join([*header, "end_header", *points, *faces, ""]).encode()}


def stl_facets(colors: Colors) -> Files:
    """As VisCAM writes colors: the highest bit of the two bytes after a facet, and five bits for each channel."""
    red, green, blue = (round(31 * channel) for channel in colors["stl facet"])
    data = bytearray(binary_stl(TETRAHEDRON))
    data[84 + 48 : 84 + 50] = (0x8000 | red << 10 | green << 5 | blue).to_bytes(2, "little")
    return {"part.stl": bytes(data)}


def stl_header(colors: Colors) -> Files:
    """As Materialise writes the color of a whole file."""
    shown = bytes(round(255 * channel) for channel in colors["stl header"])
    data = binary_stl(TETRAHEDRON)
    return {"part.stl": (b"COLOR=" + shown + b"\xff").ljust(80) + data[80:]}


def obj_colors(colors: Colors) -> Files:
    """Return an OBJ file whose materials have colors."""
    first = f"newmtl one\nKd {words(colors['mtl Kd'])}\nKe {words(colors['mtl Ke'])}\n"
    second = f"newmtl two\nKd {words(colors['mtl second'])}\n"
    return {"part.obj": obj(("one", "two")), "part.mtl": (first + second).encode()}


def obj_image(colors: Colors) -> Files:
    """Return an OBJ file whose first material has an image and a tint."""
    first = f"newmtl one\nKd {words(colors['mtl tint'])}\nmap_Kd wood.png\n"
    second = f"newmtl two\nKd {words(colors['mtl second'])}\n"
    return {
        "part.obj": obj(("one", "two")),
        "part.mtl": (first + second).encode(),
        "wood.png": image(colors["mtl image"]),
    }


def gltf_of(first: dict, second: dict, painted: Colors) -> GltfBuilder:
    """Return the solid as glTF, with a material for each half, and colors of points if these are painted."""
    builder = GltfBuilder()
    primitives = []
    for number, half in enumerate(HALVES):
        points = POINTS[slice(*half)]
        low, high = ([side(axis) for axis in zip(*points)] for side in (min, max))
        attributes = {"POSITION": builder.accessor("f", "VEC3", points, min=low, max=high)}
        attributes["TEXCOORD_0"] = builder.accessor("f", "VEC2", [(0, 0), (1, 0), (0, 1)] * 2)
        if "gltf points" in painted and number == 0:
            shown = [painted["gltf points"]] * len(points)
            attributes["COLOR_0"] = builder.accessor("f", "VEC3", shown)
        primitives.append({"attributes": attributes, "material": number})
    builder.json["meshes"][0]["primitives"] = primitives
    builder.json["materials"] = [first, second]
    return builder


def factor(color: Color) -> dict:
    """Return a material of glTF of one color."""
    return {"pbrMetallicRoughness": {"baseColorFactor": [*color, 1], "metallicFactor": 0}}


def glb_colors(colors: Colors) -> Files:
    """Return a GLB file whose materials have colors."""
    first = {**factor(colors["gltf factor"]), "emissiveFactor": list(colors["gltf emission"])}
    return {"part.glb": gltf_of(first, factor(colors["gltf second"]), {}).glb()}


def glb_points(colors: Colors) -> Files:
    """Return a GLB file whose points have colors beside the materials."""
    first, second = factor(colors["gltf factor"]), factor(colors["gltf second"])
    return {"part.glb": gltf_of(first, second, colors).glb()}


def gltf_image(colors: Colors) -> Files:
    """Return a glTF file with an image beside it, which its first material tints."""
    first = factor(colors["gltf tint"])
    first["pbrMetallicRoughness"]["baseColorTexture"] = {"index": 0}
    builder = gltf_of(first, factor(colors["gltf second"]), {})
    builder.json.update(textures=[{"source": 0}], images=[{"uri": "wood.png"}])
    builder.json["buffers"][0].update(byteLength=len(builder.buffer), uri="part.bin")
    return {
        "part.gltf": json.dumps(builder.json).encode(),
        "part.bin": builder.buffer,
        "wood.png": image(colors["gltf image"]),
    }


MESHES = (
    PaintedMesh("part.stl", (), lambda colors: {"part.stl": binary_stl(TETRAHEDRON)}),
    PaintedMesh("part.dae", ("dae diffuse", "dae emission", "dae second"), dae_colors),
    PaintedMesh("part.dae", ("dae image", "dae second"), dae_image),
    PaintedMesh("part.dae", ("dae first", "dae point", "dae other"), dae_points),
    PaintedMesh("part.stl", ("stl facet",), stl_facets),
    PaintedMesh("part.stl", ("stl header",), stl_header),
    PaintedMesh("part.ply", ("ply point",), ply_points),
    PaintedMesh("part.obj", ("obj point", "mtl Kd"), obj_points),
    PaintedMesh("part.obj", ("mtl Kd", "mtl Ke", "mtl second"), obj_colors),
    PaintedMesh("part.obj", ("mtl image", "mtl tint", "mtl second"), obj_image),
    PaintedMesh("part.glb", ("gltf factor", "gltf emission", "gltf second"), glb_colors),
    PaintedMesh("part.glb", ("gltf factor", "gltf points", "gltf second"), glb_points),
    PaintedMesh("part.gltf", ("gltf image", "gltf tint", "gltf second"), gltf_image),
)
BOX = PaintedMesh("", (), lambda colors: {})
# The looks of a URDF's visual: how it says a color, and what is said beside links.
LOOKS = {
    "none": ((), "", ""),
    "own": (("material",), '<material name="m"><color rgba="{material} 1"/></material>', ""),
    "named": (
        ("material",),
        '<material name="m"/>',
        '<material name="m"><color rgba="{material} 1"/></material>',
    ),
    "image": (
        ("material", "texture"),
        '<material name="m"><color rgba="{material} 1"/><texture filename="t.png"/></material>',
        "",
    ),
    "gazebo": (
        ("material", "gazebo"),
        '<material name="m"><color rgba="{material} 1"/></material>',
        '<gazebo reference="base"><material>Gazebo/{gazebo}</material></gazebo>',
    ),
}


def geometry_of(mesh: PaintedMesh) -> str:
    """Return the content of a `<geometry>`: the mesh, or a box where there is none."""
    return f'<mesh filename="{mesh.name}"/>' if mesh.name else '<box size="1 2 3"/>'


def urdf_of(mesh: PaintedMesh, look: str) -> Painted:
    """Return a URDF with a mesh, whose color is said in one of the ways of URDF."""
    places, inner, beside = LOOKS[look]

    def write(colors: Colors) -> Files:
        texts = {name: words(color) for name, color in colors.items()}
        if "gazebo" in colors:
            texts["gazebo"] = "C" + "_".join(str(round(16 * part)) for part in colors["gazebo"])
        text = (
            f'<robot name="r">{beside}<link name="base">{MASS}<visual><geometry>{geometry_of(mesh)}'
            f"</geometry>{inner}</visual></link></robot>"
        )
        images = {"t.png": image(colors["texture"])} if "texture" in colors else {}
        written = text.format(**texts) if places else text
        return {"robot.urdf": written.encode(), **mesh.write(colors), **images}

    return Painted("robot.urdf", (*mesh.places, *places), write)


def sdf_of(mesh: PaintedMesh) -> Painted:
    """Return an SDF with a mesh and its colors."""
    tags = ("ambient", "diffuse", "specular", "emissive")

    def write(colors: Colors) -> Files:
        shown = "".join(f"<{tag}>{words(colors[f'sdf {tag}'])} 1</{tag}>" for tag in tags)
        geometry = (
            f"<mesh><uri>{mesh.name}</uri></mesh>" if mesh.name else "<box><size>1 2 3</size></box>"
        )
        text = (
            '<sdf version="1.9"><model name="r"><link name="base"><visual name="v"><geometry>'
            f"{geometry}</geometry><material>{shown}<pbr><metal><albedo_map>t.png</albedo_map></metal>"
            "</pbr></material></visual></link></model></sdf>"
        )
        images = {"t.png": image(colors["sdf image"])}
        return {"robot.sdf": text.encode(), **mesh.write(colors), **images}

    places = (*(f"sdf {tag}" for tag in tags), "sdf image", *mesh.places)
    return Painted("robot.sdf", places, write)


def mjcf_of(mesh: PaintedMesh, place: str) -> Painted:
    """Return an MJCF with a mesh, whose color is said at one place."""

    def write(colors: Colors) -> Files:
        rgba = f'rgba="{words(colors[place])} 1"' if place in colors else ""
        own, default, asset, name = (
            rgba if place == f"mjcf {where}" else ""
            for where in ("geom", "default", "material", "")
        )
        texture = ""
        if place == "mjcf image":
            asset = 'texture="t"'
            texture = '<texture name="t" type="2d" file="t.png"/>'
        name = 'material="m"' if asset else ""
        shape = 'type="mesh" mesh="part"' if mesh.name else 'type="box" size="1 2 3"'
        file = f'<mesh name="part" file="{mesh.name}"/>' if mesh.name else ""
        text = (
            f'<mujoco model="r"><default><geom {default}/></default><asset>{texture}'
            f'<material name="m" {asset}/>{file}</asset><worldbody><body name="base"><inertial pos="0 0 0"'
            f' mass="1" diaginertia="1 1 1"/><geom {shape} {name} {own} contype="0" conaffinity="0"/>'
            "</body></worldbody></mujoco>"
        )
        images = {"t.png": image(colors[place])} if place == "mjcf image" else {}
        return {"robot.xml": text.encode(), **mesh.write(colors), **images}

    return Painted("robot.xml", (place, *mesh.places), write)


MJCF_PLACES = ("mjcf geom", "mjcf default", "mjcf material", "mjcf image")


def usd_of(kind: str) -> Painted:
    """Return a stage with a mesh in two parts, colored by the color of the shape, or by materials."""
    places = {
        "shape": ("usd shape",),
        "bound": ("usd bound", "usd glow"),
        "parts": ("usd bound", "usd part", "usd glow"),
        "image": ("usd image", "usd scale", "usd bias"),
        "points": ("usd point", "usd other point"),
    }[kind]

    def look(name: str, diffuse: str, more: str = "") -> str:
        """Return a material of USD with its shader."""
        return (
            f'def Material "{name}" {{ token outputs:surface.connect = </r/{name}/s.outputs:surface>\n'
            f'def Shader "s" {{ uniform token info:id = "UsdPreviewSurface"\n{diffuse}\n{more}\n'
            "token outputs:surface\n} }\n"
        )

    def write(colors: Colors) -> Files:
        shown = {name: f"({', '.join(map(str, color))})" for name, color in colors.items()}
        color = "color3f inputs:diffuseColor = "
        glow = f"color3f inputs:emissiveColor = {shown.get('usd glow')}"
        looks = inner = ""
        if kind == "shape":
            inner = f"color3f[] primvars:displayColor = [{shown['usd shape']}]"
        elif kind == "points":
            points = ", ".join([shown["usd point"], *[shown["usd other point"]] * 3])
            inner = f"color3f[] primvars:displayColor = [{points}]"
        elif kind == "image":
            changes = "\n".join(
                f"float4 inputs:{name} = {shown[f'usd {name}'][:-1]}, 1)"
                for name in ("scale", "bias")
            )
            looks = look("m", "color3f inputs:diffuseColor.connect = </r/m/i.outputs:rgb>").replace(
                "{ token",
                '{ def Shader "i" { uniform token info:id = "UsdUVTexture"\n'
                f"asset inputs:file = @t.png@\n{changes}\nfloat3 outputs:rgb\n}}\ntoken",
                1,
            )
            inner = "rel material:binding = </r/m>"
        else:
            looks = look("m", color + shown["usd bound"], glow)
            inner = "rel material:binding = </r/m>"
        if kind == "parts":
            looks += look("n", color + shown["usd part"])
            inner += (
                '\ndef GeomSubset "half" { uniform token elementType = "face"\n'
                'uniform token familyName = "materialBind"\nint[] indices = [0, 1]\n'
                "rel material:binding = </r/n>\n}"
            )
        text = (
            '#usda 1.0\n(\ndefaultPrim = "r"\nmetersPerUnit = 1\nkilogramsPerUnit = 1\nupAxis = "Z"\n)\n'
            f'def Xform "r" {{\n{looks}def Xform "base" (prepend apiSchemas = ["PhysicsRigidBodyAPI", '
            '"PhysicsMassAPI", "PhysicsArticulationRootAPI"]) {\nfloat physics:mass = 1\n'
            "float3 physics:diagonalInertia = (1, 1, 1)\n"
            'def Mesh "v" {\npoint3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]\n'
            "int[] faceVertexCounts = [3, 3, 3, 3]\n"
            f"int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]\n{inner}\n}}\n}}\n}}\n"
        )
        images = {"t.png": image(colors["usd image"])} if kind == "image" else {}
        return {"robot.usda": text.encode(), **images}

    return Painted("robot.usda", places, write)


USD_KINDS = ("shape", "bound", "parts", "image", "points")


def every_robot():
    """Return robots with a color in every place of every format that has it, by name."""
    robots = {}
    for mesh in (BOX, *MESHES):
        shape = " ".join((mesh.name or "box", *mesh.places))
        robots.update({f"urdf {look}, {shape}": urdf_of(mesh, look) for look in LOOKS})
        robots[f"sdf, {shape}"] = sdf_of(mesh)
        if mesh.name in ("", "part.stl", "part.obj"):
            robots.update({f"{place}, {shape}": mjcf_of(mesh, place) for place in MJCF_PLACES})
    robots.update({f"usd {kind}": usd_of(kind) for kind in USD_KINDS})
    return robots


ROBOTS = every_robot()


def random_color(rng: random.Random) -> Color:
    """Return a color whose channels are sixteenths, neither 0 nor 1."""
    red, green, blue = (rng.randrange(1, 16) / 16 for _ in range(3))
    return (red, green, blue)


def other_than(rng: random.Random, color: Color) -> Color:
    """Return a color that differs in one channel at least, by what an eye sees."""
    changed = list(color)
    for channel in rng.sample(range(3), rng.randint(1, 3)):
        changed[channel] = (changed[channel] + rng.randrange(2, 14) / 16) % 1
    return (changed[0], changed[1], changed[2])


def write_into(folder, files: Files):
    """Write files into a folder."""
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
