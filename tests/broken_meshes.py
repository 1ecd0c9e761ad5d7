"""Mesh files with one fault each, and sound ones beside them: lint names the fault, and judges ask the programs."""

import json
from collections import namedtuple

from mesh_files import (
    A,
    ascii_stl,
    B,
    binary_stl,
    C,
    D,
    ply,
    png,
    TETRAHEDRON,
    tetrahedron_glb,
)

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 12\n"
PAGE = b"<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n"
ANSWER = b'{"message": "Not Found", "status": "404"}\n'
NAN = float("nan")
INF = float("inf")
FLAT = [(A, B, C), (B, (1.0, 1.0, 0.0), C)]
POINT = [(A, A, A)] * 4
STL = binary_stl(TETRAHEDRON)
RED = b"newmtl red\nKd 1 0 0\n"
BLUE = b"newmtl blue\nKd 0 0 1\n"
PAINTED = b"newmtl red\nKd 1 0 0\nmap_Kd a.png\n"


class BrokenMesh(namedtuple("BrokenMesh", "name fault files", defaults=({},))):
    """A mesh file by its name, the fault that lint finds in it ("" if it is sound), and all its files."""


def obj(triangles, head="", tail=""):
    """Return an OBJ of triangles between more lines."""
    points = list(dict.fromkeys(corner for triangle in triangles for corner in triangle))
    places = "".join("v {} {} {}\n".format(*point) for point in points)
    faces = "".join(
        "f {} {} {}\n".format(*(points.index(corner) + 1 for corner in triangle))
        for triangle in triangles
    )
    return f"{head}{places}{faces}{tail}".encode()


def colored_obj(library="a.mtl", has_coordinates=True):
    """Return an OBJ in two materials of a material file."""
    points = [A, B, C, D]
    lines = [f"mtllib {library}"] if library else []
    lines += ["v {} {} {}".format(*point) for point in points]
    lines += ["vt 0 0", "vt 1 0", "vt 0 1"] if has_coordinates else []
    for material, triangles in (("red", TETRAHEDRON[:2]), ("blue", TETRAHEDRON[2:])):
        lines.append(f"usemtl {material}")
        for triangle in triangles:
            corners = [str(points.index(corner) + 1) for corner in triangle]
            if has_coordinates:
                corners = [f"{corner}/{number}" for number, corner in enumerate(corners, start=1)]
            lines.append("f " + " ".join(corners))
    return ("\n".join(lines) + "\n").encode()


def dae(geometry=True, faces="0 2 1 0 1 3 0 3 2 1 2 3", first="0", scene=True):
    """Return a COLLADA file of a tetrahedron, with or without its geometry, faces and scene."""
    places = f"{first} 0 0 1 0 0 0 1 0 0 0 1"
    count = len(faces.split()) // 3
    library = (
        '<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="pa" count="12">'
        f'{places}</float_array><technique_common><accessor source="#pa" count="4" stride="3">'
        '<param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>'
        '</accessor></technique_common></source><vertices id="v"><input semantic="POSITION" '
        f'source="#p"/></vertices><triangles count="{count}"><input semantic="VERTEX" source="#v" '
        f'offset="0"/><p>{faces}</p></triangles></mesh></geometry></library_geometries>'
    )
    drawn = '<instance_geometry url="#g"/>' if geometry else ""
    shown = '<scene><instance_visual_scene url="#s"/></scene>' if scene else ""
    return (
        '<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" '
        'version="1.4.1"><asset><unit meter="1"/><up_axis>Z_UP</up_axis></asset>'
        f'{library if geometry else ""}<library_visual_scenes><visual_scene id="s">'
        f'<node id="n">{drawn}</node></visual_scene></library_visual_scenes>{shown}</COLLADA>'
    ).encode()


def alone(name, fault, content):
    """Return a mesh of one file."""
    return BrokenMesh(name, fault, {name: content})


def with_materials(name, fault, materials, mesh=None, **files):
    """Return an OBJ in two materials; `materials` is the content of its material file."""
    mesh = colored_obj() if mesh is None else mesh
    images = {f"{stem}.png": data for stem, data in files.items()}
    return BrokenMesh(name, fault, {name: mesh, "a.mtl": materials, **images})


def sent_instead():
    """Yield what a clone or a download leaves in place of a mesh, by each ending."""
    for ending in ("stl", "obj", "dae", "glb", "gltf", "ply"):
        is_gltf = ending.startswith("gl")
        yield alone(f"pointer.{ending}", "pointer", POINTER)
        yield alone(f"page.{ending}", "page", PAGE)
        yield alone(f"answer.{ending}", "unreadable" if is_gltf else "answer", ANSWER)
        yield alone(f"empty.{ending}", "nothing" if ending == "obj" else "unreadable", b"")


def gltf(fault, name, binary):
    """Return a glTF with this content of the buffer beside it; None: the buffer is missing."""
    builder = tetrahedron_glb()
    builder.json["buffers"][0].update(byteLength=len(builder.buffer), uri="model.bin")
    files = {name: json.dumps(builder.json).encode()}
    content = builder.buffer if binary == "whole" else binary
    return BrokenMesh(name, fault, files if content is None else {**files, "model.bin": content})


def stl_files():
    """Yield STL files, text and binary."""
    text = ascii_stl(TETRAHEDRON).encode()
    with_solid = binary_stl(TETRAHEDRON, b"solid thing")
    yield alone("sound.stl", "", STL)
    yield alone("text.stl", "", text)
    yield alone("solid.stl", "", with_solid)
    yield alone("bent.stl", "", binary_stl(TETRAHEDRON[:2]))
    yield alone("head.stl", "unreadable", STL[:50])
    yield alone("cut.stl", "unreadable", STL[:-30])
    yield alone("longer.stl", "unreadable", STL + bytes(20))
    yield alone("cut_text.stl", "unreadable", text[:-150])
    yield alone("cut_solid.stl", "unreadable", with_solid[:-30])
    yield alone("obj.stl", "unreadable", obj(TETRAHEDRON))
    yield alone("nan.stl", "number", binary_stl([((NAN, 0.0, 0.0), B, C), *TETRAHEDRON]))
    yield alone("inf.stl", "number", binary_stl([((INF, 0.0, 0.0), B, C), *TETRAHEDRON]))
    yield alone("none.stl", "nothing", binary_stl([]))
    yield alone("one.stl", "few", binary_stl(TETRAHEDRON[:1]))
    yield alone("point.stl", "few", binary_stl(POINT))
    yield alone("flat.stl", "flat", binary_stl(FLAT))


def obj_files():
    """Yield OBJ files, and their materials."""
    yield alone("sound.obj", "", obj(TETRAHEDRON))
    yield alone("faces.obj", "nothing", b"".join(obj(TETRAHEDRON).partition(b"f")[:1]))
    yield alone("points.obj", "unreadable", b"f 1 2 3\n")
    yield alone("range.obj", "unreadable", obj(TETRAHEDRON, tail="f 1 2 9\n"))
    yield alone("zero.obj", "unreadable", obj(TETRAHEDRON, tail="f 0 1 2\n"))
    yield alone("nan.obj", "number", obj(TETRAHEDRON, tail="v nan 0 0\nf 1 2 5\n"))
    yield alone("short.obj", "unreadable", obj(TETRAHEDRON, tail="v 1 2\n"))
    yield alone("word.obj", "unreadable", obj(TETRAHEDRON, tail="v 1 2 x\nf 1 2 5\n"))
    yield alone("stl.obj", "unreadable", STL)
    yield alone("one.obj", "few", obj(TETRAHEDRON[:1]))
    yield alone("flat.obj", "flat", obj(FLAT))
    yield with_materials("colors.obj", "", RED + BLUE)
    yield with_materials("image.obj", "", PAINTED + BLUE, a=png())
    yield alone("library.obj", "no-library", colored_obj())
    yield with_materials("material.obj", "no-material", RED)
    yield with_materials("picture.obj", "not-there", PAINTED + BLUE)
    yield with_materials("no_png.obj", "unknown", PAINTED + BLUE, a=b"no image")
    yield with_materials("pointer_png.obj", "unreadable-image", PAINTED + BLUE, a=POINTER)
    yield with_materials("pointer_mtl.obj", "material", POINTER)
    bare = colored_obj(has_coordinates=False)
    yield with_materials("bare.obj", "no-coordinates", PAINTED + BLUE, bare, a=png())


def scene_files():
    """Yield COLLADA, glTF and PLY files."""
    glb = tetrahedron_glb().glb()
    yield alone("sound.dae", "", dae())
    yield alone("scene.dae", "scene", dae(scene=False))
    yield alone("cut.dae", "unreadable", dae()[:-200])
    yield alone("geometry.dae", "nothing", dae(geometry=False))
    yield alone("faces.dae", "nothing", dae(faces=""))
    yield alone("range.dae", "unreadable", dae(faces="0 2 1 0 1 9"))
    yield alone("nan.dae", "number", dae(first="NaN"))
    yield alone("sound.glb", "", glb)
    yield alone("cut.glb", "unreadable", glb[:-20])
    yield gltf("", "sound.gltf", "whole")
    yield gltf("unreadable", "buffer.gltf", None)
    yield gltf("unreadable", "cut.gltf", b"short")
    yield gltf("unreadable", "pointed.gltf", POINTER)
    yield alone("sound.ply", "", ply(TETRAHEDRON))
    yield alone("cut.ply", "unreadable", ply(TETRAHEDRON, "<")[:-10])


BROKEN_MESHES = (*sent_instead(), *stl_files(), *obj_files(), *scene_files())
MASS = (
    '<inertial><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/>'
    "</inertial>"
)


def write_robot(folder, mesh, role):
    """Write an arm with the mesh as its visual or collision, and return the path of the URDF."""
    folder.mkdir()
    for name, content in mesh.files.items():
        (folder / name).write_bytes(content)
    # MuJoCo reads the meshes of visuals only if it is told to keep them.
    kept = '<mujoco><compiler discardvisual="false"/></mujoco>' if role == "visual" else ""
    shape = f'<{role}><geometry><mesh filename="{mesh.name}"/></geometry></{role}>'
    path = folder / "robot.urdf"
    path.write_text(
        f'<robot name="r">{kept}\n<link name="base">{MASS}</link>\n<link name="arm">{MASS}\n{shape}'
        '</link>\n<joint name="j" type="revolute"><parent link="base"/><child link="arm"/>'
        '<axis xyz="0 0 1"/>\n<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>\n'
    )
    return path
