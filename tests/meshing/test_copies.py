"""`--mesh-dir` alone copies all mesh files that are named, so that the result can be carried away as a folder."""

import os
import re

import pytest
from mesh_files import binary_stl, png, tetrahedron
from commands import files_in

from urdf_tools.base.errors import ProofFailed, UsageError
from urdf_tools.meshes import copy_meshes

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.02" iyy="0.02" izz="0.02"/></inertial>'
MESHES = [
    "package://r/meshes/visual/base.obj",
    "../meshes/collision/base.stl",
    "../meshes/visual/arm.dae",
]
URDF = f"""<robot name="r"><material name="m"><texture filename="package://r/images/skin.png"/></material>
<link name="base">{INERTIAL}<visual><geometry><mesh filename="{MESHES[0]}"/></geometry><material name="m"/></visual>
<collision><geometry><mesh filename="{MESHES[1]}"/></geometry></collision>
<visual><geometry><mesh filename="../meshes/rotor.stl"/></geometry></visual></link>
<link name="arm">{INERTIAL}<visual><geometry><mesh filename="{MESHES[2]}"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"""
OBJ = (
    "mtllib base.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nvt 0 0\nusemtl m\nf 1/1 3/1 2/1\nf 1/1 2/1 4/1\n"
    "f 1/1 4/1 3/1\nf 2/1 3/1 4/1\n"
)
COPIED = [
    "images/skin.png",
    "meshes/collision/base.stl",
    "meshes/textures/wood.png",
    "meshes/visual/arm.dae",
    "meshes/visual/base.mtl",
    "meshes/visual/base.obj",
]


@pytest.fixture
def folder(tmp_path):
    """A package whose OBJ names a material that shows an image, and two meshes of one stem."""
    package = tmp_path / "r"
    for name, data in {
        "package.xml": b"<package><name>r</name></package>",
        "urdf/r.urdf": URDF.encode(),
        "meshes/visual/base.obj": OBJ.encode(),
        "images/skin.png": png(),
        "meshes/visual/base.mtl": b"newmtl m\nmap_Kd -clamp on ../textures/wood.png\n",
        "meshes/textures/wood.png": png(),
        "meshes/collision/base.stl": binary_stl(tetrahedron()),
        "meshes/rotor.stl": binary_stl(tetrahedron(low=1.0)),
        "meshes/visual/arm.dae": b"<COLLADA><init_from>file:///far.png</init_from></COLLADA>",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_bytes(data)
    (tmp_path / "out" / "sim").mkdir(parents=True)
    return tmp_path


def run(tool, folder, **choices):
    return tool.simplify(
        folder / "r" / "urdf" / "r.urdf",
        folder / "out" / "r.urdf",
        **{"mesh_dir": str(folder / "out" / "all"), "force": True, **choices},
    )


def mesh_names_in(text):
    return re.findall(r'filename="(.*?)"', text)


def test_all_that_is_named_is_copied_unchanged(tool, folder):
    result = run(tool, folder)
    assert files_in(folder / "out" / "all") == COPIED
    for name in COPIED:
        assert (folder / "out" / "all" / name).read_bytes() == (folder / "r" / name).read_bytes()
    names = mesh_names_in((folder / "out" / "r.urdf").read_text())
    assert sorted(names) == sorted(
        f"all/{name}" for name in COPIED if not re.search("wood|mtl", name)
    )
    assert "'arm.dae': the mesh names the file 'file:///far.png', which is not copied" in [
        one.text for one in result.plan.warnings
    ]


def test_a_second_run_changes_nothing_and_a_file_of_another_is_refused(tool, folder):
    run(tool, folder)
    before = (folder / "out" / "r.urdf").read_bytes()
    tool.simplify(
        folder / "out" / "r.urdf", folder / "out" / "r2.urdf", mesh_dir=str(folder / "out" / "all")
    )
    assert (folder / "out" / "r2.urdf").read_bytes() == before and files_in(
        folder / "out" / "all"
    ) == COPIED
    run(tool, folder, force=False)
    (folder / "out" / "all" / "meshes" / "visual" / "base.mtl").write_text("mine")
    with pytest.raises(tool.UrdfError, match="not written by this tool: .*base.mtl"):
        run(tool, folder, force=False)


def shape(kind, name):
    return f'<{kind}><geometry><mesh filename="{name}"/></geometry></{kind}>'


@pytest.fixture
def two_uses(tmp_path):
    """A robot with meshes that are visual, collision or both, and named by their use already or not."""
    (tmp_path / "parts").mkdir()
    for number, name in enumerate(("wrist", "wrist_visual", "only")):
        data = binary_stl(tetrahedron(low=float(number)))
        (tmp_path / "parts" / f"{name}.stl").write_bytes(data)
    (tmp_path / "parts" / "base.obj").write_text(OBJ)
    (tmp_path / "parts" / "base.mtl").write_text("newmtl m\nKd 1 0 0\n")
    shapes = [
        *(("visual", "base.obj"), ("collision", "base.obj")),
        *(("visual", "wrist.stl"), ("visual", "wrist_visual.stl")),
        *(("collision", "wrist_visual.stl"), ("collision", "only.stl")),
    ]
    text = "".join(shape(kind, f"parts/{name}") for kind, name in shapes)
    (tmp_path / "r.urdf").write_text(
        f'<robot name="r"><link name="a">{INERTIAL}{text}</link></robot>'
    )
    return tmp_path


@pytest.mark.parametrize("form, ending", [("", "stl"), ("obj", "obj")])
def test_the_name_of_each_mesh_ends_with_its_use(two_uses, form, ending):
    """Also of a second run, which changes nothing."""
    tool = __import__("urdf_tools")
    choices = {"append_mesh_type": True, "mesh_dir": str(two_uses / "out")}
    choices.update({"mesh_format": form} if form else {})
    tool.simplify(two_uses / "r.urdf", two_uses / "1.urdf", **choices)
    text = (two_uses / "1.urdf").read_text()
    uses = re.findall(r'<(visual|collision)\b.*?filename="out/(.*?)"', text, re.S)
    assert all(os.path.splitext(name)[0].endswith(f"_{kind}") for kind, name in uses)
    number_first, number_second = ("", "_2") if form else ("_2", "")
    assert [name for _, name in uses] == [
        "base_visual.obj",
        "base_collision.obj",
        f"wrist{number_first}_visual.{ending}",
        f"wrist{number_second}_visual.{ending}",
        f"wrist_visual_collision.{ending}",
        f"only_collision.{ending}",
    ]
    files = {name: (two_uses / "out" / name).read_bytes() for name in files_in(two_uses / "out")}
    assert {name for _, name in uses} == {name for name in files if not name.endswith(".mtl")}
    if not form:
        assert files["base_visual.obj"] == files["base_collision.obj"] == OBJ.encode()
        assert "base.mtl" in files
    second = {**choices, "mesh_dir": str(two_uses / ("more/out" if form else "out"))}
    (two_uses / "more").mkdir()
    output = two_uses / ("more/2.urdf" if form else "2.urdf")
    tool.simplify(two_uses / "1.urdf", output, **second)
    assert re.findall(r'filename="(.*?)"', output.read_text()) == re.findall(
        r'filename="(.*?)"', text
    )
    assert files_in(output.parent / "out") == sorted(files)


def test_joined_visuals_are_named_by_their_use_too(two_uses):
    output = two_uses / "o.urdf"
    choices = {"append_mesh_type": True, "one_mesh": True, "mesh_dir": str(two_uses / "out")}
    __import__("urdf_tools").export(two_uses / "r.urdf", output, **choices)
    visuals = re.findall(r'<visual\b.*?filename="out/(.*?)"', output.read_text(), re.S)
    assert visuals and all("_visual." in name for name in visuals)
    assert sorted(mesh_names_in(output.read_text())) == [
        f"out/{name}" for name in files_in(two_uses / "out") if not name.endswith(".mtl")
    ]


def test_a_mesh_that_mjcf_holds_in_another_form_is_named_by_its_use_too(two_uses):
    """MuJoCo reads no ASCII STL, so that the MJCF gets a binary one beside the copy."""
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n"
        + "".join(f"vertex {x} {y} {z}\n" for x, y, z in triangle)
        + "endloop\nendfacet\n"
        for triangle in tetrahedron()
    )
    (two_uses / "parts" / "only.stl").write_text(f"solid s\n{facets}endsolid s\n")
    for _ in ("first run", "second run"):
        __import__("urdf_tools").export(
            two_uses / "r.urdf",
            two_uses / "o.urdf",
            two_uses / "o.xml",
            append_mesh_type=True,
            mesh_dir=str(two_uses / "out"),
            force=True,
        )
        only = [name for name in files_in(two_uses / "out") if name.startswith("only")]
        assert only == ["only_2_collision.stl", "only_collision.stl"]
    assert 'file="only_2_collision.stl"' in (two_uses / "o.xml").read_text()


def test_the_proof_sees_a_name_of_the_other_use(two_uses, monkeypatch):
    monkeypatch.setattr(copy_meshes, "has_kind", lambda stem, kind: True)
    with pytest.raises(ProofFailed, match="'out/base.obj' is to end with _visual"):
        __import__("urdf_tools").simplify(
            two_uses / "r.urdf",
            two_uses / "1.urdf",
            append_mesh_type=True,
            mesh_dir=str(two_uses / "out"),
        )
    assert not (two_uses / "out").exists() and not (two_uses / "1.urdf").exists()


def test_a_file_that_differs_by_case_gets_another_name():
    uses = [("visual", "/m/wrist.stl"), ("visual", "/m/WRIST_VISUAL.stl"), ("", "/m/wrist.png")]
    paths = copy_meshes._paths_of_copies(uses, "/m")
    assert len({path.casefold() for path in paths.values()}) == 3
    assert paths["", "/m/wrist.png"] == "wrist.png"


def test_a_prefix_names_the_folder_and_a_missing_mesh_is_told(tool, folder):
    (folder / "r" / "meshes" / "visual" / "arm.dae").unlink()
    result = run(tool, folder, mesh_paths="package://my/x")
    names = mesh_names_in((folder / "out" / "r.urdf").read_text())
    assert sorted(names) == [
        "../r/meshes/visual/arm.dae",
        "package://my/x/images/skin.png",
        "package://my/x/meshes/collision/base.stl",
        "package://my/x/meshes/visual/base.obj",
    ]
    assert [one.kind.name for one in result.plan.warnings] == ["mesh-not-found"]


def test_a_conversion_copies_nothing_more(folder):
    run(__import__("urdf_tools"), folder, mesh_format="stl", split="color")
    assert {os.path.dirname(name) for name in files_in(folder / "out" / "all")} == {""}


@pytest.mark.parametrize(
    "wrong",
    [
        lambda copies: copies._replace(
            files=(copies.files[0]._replace(origin=copies.files[1].origin), *copies.files[1:])
        ),
        lambda copies: copies._replace(
            names=dict(zip(copies.names, [*list(copies.names.values())[1:], "x.stl"]))
        ),
    ],
)
def test_the_proof_sees_a_copy_of_another_file(folder, monkeypatch, wrong):
    right = copy_meshes.copy_files
    monkeypatch.setattr(copy_meshes, "copy_files", lambda *given: wrong(right(*given)))
    with pytest.raises(ProofFailed):
        run(__import__("urdf_tools"), folder)
    assert not (folder / "out" / "all").exists() and not (folder / "out" / "r.urdf").exists()


def test_a_mesh_that_cannot_be_read_is_named(folder):
    broken = folder / "r" / "meshes" / "visual" / "base.obj"
    with pytest.raises(UsageError, match="cannot be read"):
        copy_meshes.copy_files({("", str(broken.with_name("none.obj"))): 1}, None)


def test_the_command_line_says_what_it_copies(folder, capsys):
    from engine import main

    words = [
        str(folder / "r" / "urdf" / "r.urdf"),
        "-o",
        str(folder / "out" / "r.urdf"),
        "-y",
        "--mesh-dir",
        str(folder / "out" / "all"),
    ]
    assert main([*words, "-n"]) == 0 and not (folder / "out" / "all").exists()
    assert main(words) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "writes 4 meshes and 2 files with them to" in said and "Meshes: 4 in" in said
    assert files_in(folder / "out" / "all") == COPIED
