"""What MuJoCo gets to see of OBJ files: images and colors of their MTL, in runs and as rows; what is lost is said."""

import random
import re
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mesh_files import JPEG, png

from engine import main
from model_texts import make_mjcf
from urdf_tools import ProofFailed
from urdf_tools.export import mjcf_exporter as exporter
from urdf_tools.export.meshes.obj_materials import is_whole_png, look_of_obj, scan_obj
from urdf_tools.meshes.mesh_readers import read_mesh
from urdf_tools.formats.mjcf.read_mjcf import read_mjcf
from urdf_tools.export.mjcf_exporter import verify_files, verify_mjcf

POINTS = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n"
PLAIN = ("f 1 3 2", "f 1 2 4", "f 1 4 3", "f 2 3 4")
WITH_UV = ("f 1/1 3/3 2/2", "f 1/1 2/2 4/3", "f 1/1 4/3 3/3", "f 2/2 3/3 4/1")
UV = "vt 0 0\nvt 1 0\nvt 0 1\n"
SHAPES = {  # material of the URDF, OBJ, MTL
    "wooden": (
        "",
        f"mtllib wooden.mtl\n{POINTS}{UV}usemtl wood\n" + "\n".join(WITH_UV),
        "newmtl wood\nKd 0.2 0.2 0.2\nKs 0.25 0.25 0.25\nNs 32\nmap_Kd wood.png\n",
    ),
    "painted": (
        '<material name="paint"><color rgba="1 0 0 1"/></material>',
        f"mtllib painted.mtl\n{POINTS}{UV}usemtl wood\n" + "\n".join(WITH_UV),
        "newmtl wood\nd 0.5\nmap_Kd wood.png\n",
    ),
    "gray": ("", f"mtllib gray.mtl\n{POINTS}usemtl g\n" + "\n".join(PLAIN), "newmtl g\nKd 0.5\n"),
    "blue": (
        '<material name="blue"><color rgba="0 0 1 1"/></material>',
        f"mtllib blue.mtl\n{POINTS}usemtl g\n" + "\n".join(PLAIN),
        "newmtl g\nKd 0.5 0.5 0.5\n",
    ),
    "photo": (
        "",
        f"mtllib photo.mtl\n{POINTS}{UV}usemtl p\n" + "\n".join(WITH_UV),
        "newmtl p\nmap_Kd photo.jpg\n",
    ),
    "two": (
        "",
        f"mtllib gray.mtl\n{POINTS}usemtl g\n{PLAIN[0]}\nusemtl h\n" + "\n".join(PLAIN[1:]),
        "",
    ),
    "parts": ("", f"{POINTS}o a\n{PLAIN[0]}\no b\n" + "\n".join(PLAIN[1:]), ""),
}
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


@pytest.fixture()
def folder(here):
    """A robot whose links have an OBJ each, named as they are; one more shows a textured COLLADA file."""
    meshes = here / "meshes"
    meshes.mkdir()
    (meshes / "wood.png").write_bytes(png(9, 99, 199))
    (meshes / "photo.jpg").write_bytes(JPEG)
    text = ""
    for name, (material, obj, mtl) in SHAPES.items():
        (meshes / f"{name}.obj").write_text(obj + "\n")
        if mtl:
            (meshes / f"{name}.mtl").write_text(mtl)
        text += (
            f'<link name="{name}">{INERTIAL}<visual><geometry><mesh filename="meshes/{name}.obj"/></geometry>'
            f"{material}</visual></link>\n"
        )
        if name != "wooden":
            text += (
                f'<joint name="j_{name}" type="continuous"><parent link="wooden"/><child link="{name}"/>'
                '<axis xyz="0 0 1"/></joint>\n'
            )
    (here / "robot.urdf").write_text(f'<robot name="r">\n{text}</robot>\n')
    return here


def run(capsys, *words):
    """Return the MJCF of a run, and what it complained of."""
    capsys.readouterr()
    assert main(["robot.urdf", "-o", "out.urdf", "-y", "-q", "--mjcf", "out.xml", *words]) == 0
    return ElementTree.parse("out.xml").getroot(), capsys.readouterr().err


def looks(top):
    """Return (color, image, specular, shininess) of the visual of each body."""
    compiler = top.find("compiler")
    assert compiler is not None
    images = {
        one.get("name"): f"{compiler.get('texturedir', '.')}/{one.get('file')}"
        for one in top.iterfind("asset/texture")
    }
    materials = {one.get("name"): one for one in top.iterfind("asset/material")}
    found = {}
    for body in top.iter("body"):
        for geom in body.findall("geom"):
            one = materials.get(geom.get("material"), geom)
            found[str(geom.get("name"))] = (
                one.get("rgba"),
                images.get(one.get("texture")),
                one.get("specular"),
                one.get("shininess"),
            )
    return found


def test_the_images_and_colors_of_obj_files_are_in_mjcf(folder, capsys):
    top, complaints = run(capsys)
    assert looks(top) == {
        # MuJoCo multiplies the image by the color.
        "wooden_visual": ("0.2 0.2 0.2 1", "meshes/wood.png", "0.25", "0.25"),
        "painted_visual": ("1 1 1 0.5", "meshes/wood.png", None, None),
        "gray_visual": ("0.5 0.5 0.5 1", *[None] * 3),
        "blue_visual": ("0 0 1 1", None, None, None),
        "photo_visual": (None, None, None, None),
        "two_visual": (None, None, None, None),
        "parts_visual": (None, None, None, None),
    }
    textures = top.findall("asset/texture")
    # It is there once.
    assert [one.attrib for one in textures] == [{"name": "wood", "type": "2d", "file": "wood.png"}]
    names = [one.get("name") for one in top.iterfind("asset/material")]
    assert len(names) == len(set(names))
    assert "of the objects in 'meshes/parts.obj' only the first is in MJCF" in complaints
    assert "of the materials in 'meshes/two.obj' only one color is in MJCF" in complaints
    assert "image 'photo.jpg' is not shown in MJCF, which reads PNG" in complaints


def test_an_image_under_another_ending_has_its_content_type(folder, capsys):
    (folder / "meshes" / "photo.jpg").write_bytes(png())
    top, complaints = run(capsys)
    assert "photo.jpg" not in complaints
    assert "is not shown" not in complaints
    assert {one.get("file"): one.get("content_type") for one in top.iterfind("asset/texture")} == {
        "wood.png": None,
        "photo.jpg": "image/png",
    }


@pytest.mark.parametrize(
    "change, complaint",
    [
        (
            lambda meshes: (meshes / "wood.png").unlink(),
            "'wood.png' is not shown in MJCF: the file does not exist",
        ),
        (
            lambda meshes: (meshes / "wood.png").write_bytes(png()[:-9]),
            "'wood.png' is not shown in MJCF: the PNG lacks a checksum or its end",
        ),
        (
            lambda meshes: (meshes / "wooden.obj").write_text(
                SHAPES["wooden"][1].replace("4/1", "4")
            ),
            "'wood.png' is not shown in MJCF: its mesh has no texture coordinates",
        ),
        (
            lambda meshes: (meshes / "wooden.mtl").write_text(
                "newmtl wood\nKd x\nmap_Kd wood.png\n"
            ),
            "photo.jpg",
        ),
    ],
)
def test_an_image_that_cannot_be_shown_is_named(folder, capsys, change, complaint):
    change(folder / "meshes")
    top, complaints = run(capsys)
    assert complaint in complaints
    assert looks(top)["wooden_visual"][1] is None


@pytest.mark.parametrize(
    "old, new",
    [
        ('file="wood.png"', 'file="photo.jpg"'),
        ('texturedir="meshes"', 'texturedir="elsewhere"'),
        ('meshdir="meshes"', 'meshdir="elsewhere"'),
        (' texture="wood"', ""),
        ('rgba="1 1 1 0.5"', 'rgba="1 1 1 1"'),
        ('shininess="0.25"', 'shininess="0.5"'),
        ('specular="0.25"', 'specular="1"'),
        ('rgba="0 0 1 1"', 'rgba="0 1 0 1"'),
        ('material="wood"', ""),
        ('material="paint"', 'material="wood"'),
        ('mesh="gray"', 'mesh="blue"'),
    ],
)
def test_the_proof_sees_another_look(
    folder,
    capsys,
    monkeypatch,
    old,
    new,
):
    proven = []

    def spy(robot, options, source):
        written, decided = make_mjcf(robot, options)
        proven.append((written.text, source, decided))
        return written, verify_mjcf(written.text, source, decided)

    monkeypatch.setattr(exporter, "write_sound_mjcf", spy)
    run(capsys)
    ((text, robot, decided),) = proven
    verify_mjcf(text, robot, decided)
    assert old in text
    with pytest.raises(ProofFailed):
        verify_mjcf(text.replace(old, new), robot, decided)


@pytest.mark.parametrize(
    "name, target, message",
    [
        (
            "meshes/wood.png",
            "meshes/other.png",
            "where 'meshes/wood.png' is: .*wood.png is written, .*other.png is",
        ),
        (
            "meshes/gray.png",
            "meshes/wood.png",
            "'meshes/wood.png' is named, and no file of the robot is that",
        ),
    ],
)
def test_the_proof_sees_a_name_that_leads_elsewhere(folder, name, target, message):
    read = read_mjcf(
        '<mujoco><compiler texturedir="meshes"/><asset><texture name="wood" type="2d" file="wood.png"/><material '
        'name="m" texture="wood"/></asset><worldbody><geom size="1" material="m"/></worldbody></mujoco>',
        whole=True,
    )
    verify_files(read, str(folder), {"meshes/wood.png": str(folder / "meshes" / "wood.png")})
    with pytest.raises(ProofFailed, match=message):
        verify_files(read, str(folder), {name: str(folder / target)})


STATEMENTS = st.sampled_from(
    [
        "o a",
        "g b",
        "g",
        "usemtl red",
        "usemtl a b",
        "\tusemtl red",
        "# f 1 2 3",
        "s 1",
        "l 1 2",
        "f 1 2 3",
        "  f -1 -2 -3 ",
        "f 1/1 2/2 3/3",
        "f 1//1 2//1 3//1",
        "f 1/1/1 2/2/1 3/3/1 4/1/1",
    ]
)


@given(st.lists(STATEMENTS, max_size=8), st.sampled_from(["\n", "\r\n"]))
def test_the_scan_sees_what_the_reader_reads(statements, line_end):
    """The materials that draw something, and whether each corner has a texture coordinate."""
    text = line_end.join([*POINTS.splitlines(), *UV.splitlines(), "vn 0 0 1", *statements, ""])
    with TemporaryDirectory() as name:
        path = Path(name) / "x.obj"
        path.write_bytes(text.encode())
        surfaces = read_mesh(str(path)).surfaces
    found = scan_obj(text.encode())
    assert set(found.materials) == {surface.material.name for surface in surfaces}
    faces = [words for words in map(str.split, statements) if words[:1] == ["f"]]
    assert found.has_uv is (
        bool(faces)
        and all(corner.split("/")[1:2] not in ([], [""]) for words in faces for corner in words[1:])
    )
    assert found.has_several is (faces_by_hand(statements) < len(faces))


def faces_by_hand(statements):
    """Return how many faces stand before the first `o NAME` or `g NAME` that follows one."""
    count = 0
    for words in map(str.split, statements):
        if words[0] == "f":
            count += 1
        elif words[0] in ("o", "g") and words[1:] and count:
            return count
    return count


def test_the_look_of_an_obj(tmp_path):
    (tmp_path / "x.obj").write_text("mtllib a.mtl b.mtl\nusemtl m\nf 1 2 3\n")
    (tmp_path / "b.mtl").write_text("newmtl m\nKd 2 0.5 -1\nTr 0.25\nKs x\nNs 500\n")
    look = look_of_obj(str(tmp_path / "x.obj")).look
    assert look is not None and look._asdict() == {
        "name": "m",
        "rgba": (1.0, 0.5, 0.0, 0.75),
        "image": "",
        "specular": None,
        "shininess": 1.0,
    }


def test_a_png_is_whole_or_not():
    whole = png()
    assert is_whole_png(whole) and is_whole_png(whole + b"behind it")
    assert not any(is_whole_png(whole[:end]) for end in range(8, len(whole)))
    chance = random.Random(1)
    for _ in range(200):
        place = chance.randrange(8, len(whole))
        damaged = (
            whole[:place] + bytes([whole[place] ^ (1 + chance.randrange(255))]) + whole[place + 1 :]
        )
        assert not is_whole_png(damaged), place
    pixels = re.sub(rb"(?s)(....IDAT).*?(....IEND)", b"", whole)
    empty = (
        pixels[:-4]
        + b"\0\0\0\0IDAT"
        + zlib.crc32(b"IDAT").to_bytes(4, "big")
        + b"\0\0\0\0IEND"
        + zlib.crc32(b"IEND").to_bytes(4, "big")
    )
    assert not is_whole_png(empty)
