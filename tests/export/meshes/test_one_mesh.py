"""Whole runs with --one-mesh: what is joined, what stays, what is refused, and faults that the proof finds."""

import json
import re
import struct

import pytest
from mesh_files import binary_stl, png
from mesh_robots import painted
from surfaces import as_float32, ball, box, bracket

from commands import folded, in_process
from engine import simplify
from urdf_tools import export
from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.export.meshes import join_visuals, verify_joined_visuals
from urdf_tools.meshes import prepare_surfaces as surfaces
from urdf_tools.meshes.mesh_content import MeshMaterial
from urdf_tools.model.model_shapes import Material as Look

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'
COLORS = {"red": "1 0 0 1", "blue": "0 0 1 1", "glass": "0.123456789 0.5 0.5 0.25"}
BODIES = [
    as_float32(bracket()),
    as_float32(ball(6, 8)),
    as_float32(box((0.0,) * 3, (0.3, 0.2, 0.1))),
]


def visual(
    mesh,
    color="",
    *,
    xyz="0 0 0",
    rpy="0 0 0",
    scale="1 1 1",
    inside="",
    kind="visual",
):
    """Return a visual; a color that is no key of COLORS is the content of its material."""
    paint = f'<color rgba="{COLORS[color]}"/>' if color in COLORS else color.partition(" ")[2]
    material = f'<material name="{color.partition(" ")[0]}">{paint}</material>' if color else ""
    return (
        f'<{kind}><origin xyz="{xyz}" rpy="{rpy}"/><geometry><mesh filename="meshes/{mesh}" scale="{scale}"/>'
        f"</geometry>{material}{inside}</{kind}>"
    )


def write(folder, *links, meshes=4, more=""):
    """Write a robot with these contents of links, and STL files a.stl, b.stl, ... to draw."""
    (folder / "meshes").mkdir(exist_ok=True)
    for number in range(meshes):
        (folder / "meshes" / f"{'abcdefgh'[number]}.stl").write_bytes(
            binary_stl(BODIES[number % 3])
        )
    text = "".join(
        f'<link name="link{k}">{INERTIAL}{link}</link>\n' for k, link in enumerate(links)
    )
    text += "".join(
        f'<joint name="joint{k}" type="revolute"><parent link="link0"/><child link="link{k}"/>'
        '<axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>\n'
        for k in range(1, len(links))
    )
    path = folder / "robot.urdf"
    path.write_text(f'<robot name="r">\n{more}{text}</robot>\n')
    return path


@pytest.fixture()
def robot(tmp_path):
    return write(
        tmp_path,
        visual("a.stl", "red", xyz="1 2 3", rpy="0.1 0.2 0.3", scale="0.1 -0.2 0.3")
        + visual("b.stl", "blue", rpy="0 0 1.5707963267948966")
        + visual("c.stl", "red")
        + visual("d.stl", "blue", xyz="0 0 0.5")
        + visual("a.stl", kind="collision", xyz="0 1 0"),
        visual("a.stl", "red ", scale="2 2 2"),
    )


def run(path, *options):
    words = (path, "-o", path.with_name("out.urdf"), "-y", "--no-reorient", "--one-mesh", *options)
    return folded(*words, expected=(0,))[1]


def drawn(path, kind="visual"):
    """Return the mesh and material of each shape."""
    return [
        (
            re.findall('filename="([^"]*)"', shape)[0],
            "".join(re.findall('<material name="([^"]*)"', shape)),
        )
        for shape in re.findall(f"<{kind}.*?</{kind}>", path.read_text(), re.S)
    ]


def in_file(path):
    """Return the triangles of a binary STL file, read here."""
    data = path.read_bytes()
    assert len(data) == 84 + 50 * struct.unpack("<I", data[80:84])[0]
    return [(row[3:6], row[6:9], row[9:12]) for row in struct.iter_unpack("<12f2x", data[84:])]


def test_a_second_run_changes_nothing(robot):
    run(robot)
    out = robot.with_name("out.urdf")
    text = out.read_text()
    again = simplify(out, out.with_name("again.urdf"), one_mesh=True)
    assert again.text == text and not (robot.parent / "again_meshes").exists()
    assert again.exported.lines == (
        "Visual meshes: none are joined, as no link would have fewer files",
    )


GRAY_BOX = '<visual><geometry><box size="1 1 1"/></geometry></visual>'
SHINY = visual("b.stl", "red", inside="<shine/>")


@pytest.mark.parametrize(
    "link, line",
    [
        (GRAY_BOX, "1 visual stays (1 without a mesh: 'link0')"),
        (visual("gone.stl", "red"), "1 visual stays (1 whose file cannot be read: gone)"),
        (
            visual("b.stl", 'wood <texture filename="meshes/wood.png"/>'),
            "1 visual stays (1 with an image: b)",
        ),
        (visual("wood.obj", "red"), "1 visual stays (1 with an image: wood)"),
        (
            visual("axes.glb", "red"),
            "1 visual stays (1 glTF of others (--mesh-format obj converts it): axes)",
        ),
        (SHINY, "1 visual stays (1 with more than a scaled mesh: b)"),
        (
            visual("b.stl", "red", scale="1 0 1"),
            "1 visual stays (1 with more than a scaled mesh: b)",
        ),
        (visual("b.stl", "red", scale="1e-12 1e-12 1e-12"), ""),
        (visual("b.stl", "red", xyz="1.5e9 0 0"), "cannot be read: b"),
    ],
)
def test_what_stays(tmp_path, link, line):
    """Among two red ones that are joined; its text is as it was."""
    path = write(tmp_path, visual("a.stl", "red") + link + visual("c.stl", "red"))
    (tmp_path / "meshes" / "wood.png").write_bytes(png())
    (tmp_path / "meshes" / "wood.mtl").write_text("newmtl wood\nmap_Kd wood.png\n")
    (tmp_path / "meshes" / "wood.obj").write_text(
        "mtllib wood.mtl\nusemtl wood\nv 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\n"
    )
    (tmp_path / "meshes" / "axes.glb").write_bytes(b"glTF")
    printed = run(path)
    assert line in printed and "-> 1 file," in printed
    assert (link in path.with_name("out.urdf").read_text()) == (line != "")


def test_a_name_of_a_material_keeps_its_meaning(tmp_path):
    """The definition of a material may be in a visual that goes."""
    path = write(
        tmp_path,
        visual("a.stl", "red") + visual("b.stl", "red2 " + f'<color rgba="{COLORS["red"]}"/>'),
        visual("c.stl", "red2 "),
    )
    run(path)
    out = path.with_name("out.urdf")
    assert drawn(out)[1] == ("meshes/c.stl", "red2") and out.read_text().count(COLORS["red"]) == 2
    assert in_process(["compare", str(path), str(out)]).returncode == 0


@pytest.mark.parametrize(
    "options, files",
    [
        ((), ["link0.stl"]),
        (("--mesh-format", "obj"), ["link0.mtl", "link0.obj"]),
        (("--mesh-format", "glb"), ["link0.glb"]),
        (("--for", "drake"), ["link0.bin", "link0.gltf"]),
        (("--for", "mujoco"), ["link0.stl"]),
        (("--for", "gazebo"), ["link0.mtl", "link0.obj"]),
    ],
)
def test_formats(tmp_path, options, files):
    """The format is that of what is joined, and no file is left of what that was made of."""
    path = write(
        tmp_path, visual("a.stl", "red", xyz="0 0 1", scale="1 -1 1") + visual("b.stl", "red")
    )
    run(path, *options)
    assert sorted(file.name for file in (tmp_path / "out_meshes").iterdir()) == files
    done = in_process(["compare", str(path), str(tmp_path / "out.urdf")])
    assert done.returncode == 0 and b"(2 / 1 meshes)" in done.stdout
    again = simplify(tmp_path / "out.urdf", one_mesh=True)
    assert not again.changed


def test_no_copy_is_left_of_what_is_joined(tmp_path):
    """Though its name, d.stl, is the end of another one."""
    run(
        write(tmp_path, visual("a.stl", "red") + visual("d.stl", "red") + visual("b.stl", "blue")),
        "--mesh-dir",
        str(tmp_path / "all"),
    )
    assert sorted(file.name for file in (tmp_path / "all").rglob("*.stl")) == ["b.stl", "link0.stl"]
    run(
        write(
            tmp_path,
            visual("a.stl", "red")
            + visual("d.stl", "red")
            + visual("b.stl", "blue")
            + visual("c.stl", "blue"),
        ),
        "--mesh-dir",
        str(tmp_path / "none"),
    )
    assert sorted(file.name for file in (tmp_path / "none").rglob("*.stl")) == [
        "link0_blue.stl",
        "link0_red.stl",
    ]


def test_colors_in_files(tmp_path):
    """Two files of two colors become one for each color; another color of the URDF does not count there."""
    path = write(
        tmp_path,
        visual("x.dae", "blue") + visual("y.dae", "red", xyz="0 0 3") + visual("a.stl", "red"),
    )
    for name in ("x.dae", "y.dae"):
        (tmp_path / "meshes" / name).write_text(painted("first", "second"))
    printed = run(path)
    assert "2 visuals on 1 link -> 2 files" in printed
    assert [mesh for mesh, _ in drawn(tmp_path / "out.urdf")] == [
        "out_meshes/link0_first.stl",
        "out_meshes/link0_second.stl",
        "meshes/a.stl",
    ]
    assert in_process(["compare", str(path), str(tmp_path / "out.urdf")]).returncode == 0
    run(path, "--split", "color")
    assert sorted(mesh for mesh, _ in drawn(tmp_path / "out.urdf")) == [
        "meshes/a.stl",
        "out_meshes/link0_first.stl",
        "out_meshes/link0_second.stl",
    ]


def test_visuals_without_a_color_stay_without(tmp_path):
    path = write(tmp_path, visual("a.stl") + visual("b.stl", "red") + visual("c.stl"))
    run(path)
    assert drawn(tmp_path / "out.urdf") == [("out_meshes/link0.stl", ""), ("meshes/b.stl", "red")]


def test_after_fewer_triangles(tmp_path):
    path = write(tmp_path, visual("fine.stl", "red") + visual("a.stl", "red", scale="2 2 2"))
    fine = as_float32(ball(16, 24))
    (tmp_path / "meshes" / "fine.stl").write_bytes(binary_stl(fine))
    printed = run(path, "--visual-error", "5mm")
    assert "proven within 5 mm" in printed and "2 visuals on 1 link -> 1 file" in printed
    assert [file.name for file in (tmp_path / "out_meshes").iterdir()] == ["link0.stl"]
    assert len(in_file(tmp_path / "out_meshes" / "link0.stl")) < 0.7 * len(fine)


def test_a_file_of_too_many_triangles_is_in_pieces(tmp_path, monkeypatch):
    """Where pieces are as many as before, nothing is joined; so a second run finds nothing."""
    for module in (join_visuals, verify_joined_visuals):
        monkeypatch.setattr(module, "MAX_FACES", 60)
    path = write(tmp_path, "".join(visual(f"{name}.stl", "red") for name in "abcdf"), meshes=6)
    printed = run(path)
    assert "5 visuals on 1 link -> 3 files" in printed
    assert "1 of more than 60 triangles in several (--visual-error leaves fewer)" in printed
    names = [f"link0_{number}.stl" for number in (1, 2, 3)]
    assert [mesh for mesh, _ in drawn(tmp_path / "out.urdf")] == [
        f"out_meshes/{name}" for name in names
    ]
    assert [len(in_file(tmp_path / "out_meshes" / name)) for name in names][:2] == [60, 60]
    assert not simplify(tmp_path / "out.urdf", one_mesh=True).changed


def test_a_file_that_is_drawn_often(tmp_path):
    path = write(tmp_path, visual("a.stl", "red") * 2, visual("a.stl", "red") * 2)
    with pytest.raises(
        UsageError,
        match="^.*one_mesh: the visual meshes would be 3.9 times as large .* leave it out$",
    ):
        simplify(path, tmp_path / "out.urdf", one_mesh=True)
    assert not (tmp_path / "out.urdf").exists()
    done = in_process([str(path), "-y", "--one-mesh"])
    assert done.returncode == 2 and b"--one-mesh: the visual meshes" in done.stderr


def test_exports_and_the_page(robot):
    targets = [robot.with_name(f"r.{ending}") for ending in ("xml", "sdf", "usda")]
    result = export(robot, *targets, one_mesh=True, force=True)
    assert "4 visuals on 1 link -> 2 files" in " ".join(result.exported.lines)
    for target in targets:
        assert in_process(["compare", str(robot), str(target)]).returncode == 0
    page = robot.with_name("p.html")
    report = robot.with_name("r.json")
    run(robot, "--page", str(page), "--report", str(report))
    assert "4 visuals joined in 2" in page.read_text()
    assert json.loads(report.read_text())["options"]["one_mesh"] is True


def patched(module, name, other):
    return lambda monkeypatch: monkeypatch.setattr(module, name, other(getattr(module, name)))


FAULTS = {
    "the origin twice": (
        patched(join_visuals, "detach", lambda original: lambda *_: []),
        "is not drawn as it is written",
    ),
    "the scale after the rotation": (
        patched(
            join_visuals,
            "baked",
            lambda original: (
                lambda surface, T, scale, name: (original)(
                    original(surface, T._replace(translation=(0.0,) * 3), (1.0,) * 3, name),
                    T._replace(rotation=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
                    scale,
                    name,
                )
            ),
        ),
        "is not where it was",
    ),
    "no origin": (
        patched(join_visuals, "baked", lambda original: lambda surface, T, scale, name: surface),
        "is not where it was",
    ),
    "a mirrored mesh that is not turned": (
        patched(surfaces, "turned_corners", lambda original: lambda corners: corners),
        "or is turned round",
    ),
    "one color for all": (
        patched(
            join_visuals,
            "_look_of",
            lambda original: lambda *_: MeshMaterial(rgba=(1.0, 0.0, 0.0, 1.0)),
        ),
        "is not where it was|is lost|that none had",
    ),
    "another color": (
        patched(
            join_visuals,
            "split_meshes",
            lambda original: (
                lambda document, plan: [
                    original(document, plan),
                    next(e for e in document.root.walk() if e.name == "color").set(
                        "rgba", "0 0 0.99 1"
                    ),
                ]
            ),
        ),
        "a color that none had",
    ),
    "a visual with a texture": (
        patched(
            join_visuals,
            "material_of",
            lambda original: (
                lambda *words: (
                    Look("red", (1.0, 0.0, 0.0, 1.0))
                    if (original(*words) or Look()).texture
                    else original(*words)
                )
            ),
        ),
        "shows an image",
    ),
    "half of the triangles": (
        patched(
            join_visuals,
            "tidy",
            lambda original: (
                lambda surface: original(
                    surface._replace(corners=surface.corners[: len(surface.corners) // 6 * 3])
                )
            ),
        ),
        "is not where it was",
    ),
    "another order": (
        patched(
            join_visuals,
            "join_primitives",
            lambda original: lambda surfaces, material: original(surfaces[::-1], material),
        ),
        "is not where it was",
    ),
    "one unit in the last place": (
        patched(
            surfaces,
            "interleaved",
            lambda original: (
                lambda columns: original(
                    [[value * (1.0 + 2.0**-23) for value in column] for column in columns]
                )
            ),
        ),
        "is not where it was",
    ),
    "a collision goes": (
        patched(
            join_visuals,
            "drop_shapes",
            lambda original: (
                lambda document, plan: [
                    original(document, plan),
                    document.root.elements("link")[0].elements("collision")[0].set("name", "x"),
                ]
            ),
        ),
        "changed something else",
    ),
    "a visual that stays is another": (
        patched(
            join_visuals,
            "define_materials",
            lambda original: (
                lambda document, plan: [
                    original(document, plan),
                    document.root.elements("link")[1].elements("visual")[0].set("name", "x"),
                ]
            ),
        ),
        "that was to stay is another",
    ),
    "a material is lost": (
        patched(join_visuals, "define_materials", lambda original: lambda document, plan: None),
        "that was to stay is another",
    ),
    "too many triangles": (
        lambda monkeypatch: monkeypatch.setattr(verify_joined_visuals, "MAX_FACES", 10),
        "are in one file",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_the_proof_finds(tmp_path, monkeypatch, name):
    fault, sentence = FAULTS[name]
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "wood.png").write_bytes(png())
    path = write(
        tmp_path,
        visual("a.stl", "blue", xyz="1 2 3", rpy="0.1 0.2 0.3", scale="0.1 -0.2 0.3")
        + visual("b.stl", "red", rpy="0.5 1 0")
        + visual("c.stl", "blue")
        + visual("e.stl", 'wood <texture filename="meshes/wood.png"/>')
        + visual("d.stl", "red2 " + f'<color rgba="{COLORS["red"]}"/>', xyz="0 0 0.5")
        + visual("a.stl", kind="collision"),
        visual("f.stl", "red2 ", scale="2 2 2"),
        meshes=6,
    )
    simplify(path, tmp_path / "fine.urdf", one_mesh=True)
    fault(monkeypatch)
    with pytest.raises(ProofFailed, match=sentence):
        simplify(path, tmp_path / "out.urdf", one_mesh=True)
    assert not (tmp_path / "out.urdf").exists()
