"""MuJoCo says where it looks for the meshes of a URDF: the rule that `urdf/mesh_paths.py` states, and our results."""

import pytest
from mesh_files import binary_stl, tetrahedron

from urdf_tools import simplify
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.mesh_paths import mesh_folder_of, names_in

FILES = (
    "base.stl",
    "sub/base.stl",
    "assets/base.stl",
    "assets/sub/base.stl",
    "deep/assets/base.stl",
)
LINK = (
    '<link name="base"/><link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" '
    'ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="{}"/></geometry>{}</collision></link><joint '
    'name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/></joint>'
)


@pytest.fixture
def folder(tmp_path):
    """A folder with meshes of one name; the edges of each are as long as its place in FILES says, from 1."""
    for number, name in enumerate(FILES, start=1):
        (tmp_path / "in" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "in" / name).write_bytes(binary_stl(tetrahedron(number)))
    (tmp_path / "out").mkdir()
    return tmp_path


def opened(path):
    """Return which of FILES MuJoCo opens for the one mesh of a URDF, "" for none."""
    np, mujoco = pytest.importorskip("numpy"), pytest.importorskip("mujoco")
    try:
        model = mujoco.MjModel.from_xml_path(str(path))
    except ValueError as error:
        assert "opening file" in str(error) or "content type" in str(error)
        return ""
    return FILES[
        round(
            float(np.ptp(np.linalg.norm(model.mesh_vert[:, None] - model.mesh_vert, axis=2)))
            / 2**0.5
        )
        - 1
    ]


def write(folder, compiler, name, more=""):
    block = "" if compiler == "-" else f"<mujoco><compiler {compiler}/></mujoco>"
    path = folder / "in" / "robot.urdf"
    path.write_text(f'<robot name="r">{block}{LINK.format(name, more)}</robot>')
    return path


CASES = [
    (compiler, name)
    for compiler in (
        "-",
        "",
        'meshdir="assets"',
        'meshdir="assets/"',
        'meshdir="./deep/../assets"',
        'assetdir="assets"',
        'assetdir="deep/assets" meshdir="assets"',
        'meshdir="assets" strippath="false"',
        'strippath="false"',
        'meshdir="assets" strippath="true"',
        'strippath="true"',
        'meshdir="assets" texturedir="deep"',
    )
    for name in (
        "base.stl",
        "sub/base.stl",
        "sub\\base.stl",
        "package://r/sub/base.stl",
        "../in/sub/base.stl",
    )
]


@pytest.mark.parametrize("compiler, name", CASES)
def test_mujoco_opens_what_is_read(folder, compiler, name):
    """MuJoCo 4 opens the first name, MuJoCo 3 the last; by a URI only where its folders are left out."""
    mujoco = pytest.importorskip("mujoco")
    path = write(folder, compiler, name)
    place = mesh_folder_of(parse_document(path.read_bytes(), str(path)).root)
    if place is None:
        assert compiler == "-"
        return
    four = int(mujoco.__version__.split(".")[0]) >= 4
    names = names_in(place, name)
    read = [
        one
        for one in (names[:1] if four else names[-1:])
        if not ("://" in name and four and place.strippath != "true")
    ]
    meant = [
        known
        for known in FILES
        for one in read
        if (folder / "in" / one).resolve() == (folder / "in" / known).resolve()
    ]
    assert opened(path) == "".join(meant)


@pytest.mark.parametrize("compiler, name", CASES)
def test_what_mujoco_opened_it_opens_again(folder, compiler, name):
    """In the result in another folder it opens the same file, but where other readers had another: then theirs."""
    path = write(folder, compiler, name)
    result = simplify(path, folder / "out" / "robot.urdf")
    before, after = opened(path), opened(folder / "out" / "robot.urdf")
    told = [notice.kind.name for notice in result.plan.warnings]
    others = name.replace("\\", "/").replace("../in/", "")
    if compiler != "-":
        assert after in (before, others) and (
            after == before or not before or "mesh-folder" in told
        )


def test_mujoco_reads_no_texture_of_a_urdf(folder):
    """So `texturedir` means nothing there."""
    mujoco = pytest.importorskip("mujoco")
    look = (
        '<visual><geometry><box size="1 1 1"/></geometry><material name="m"><texture filename="lost.png"/>'
        "</material></visual>"
    )
    path = write(folder, 'texturedir="nowhere" discardvisual="false"', "base.stl")
    path.write_text(path.read_text().replace("<collision>", f"{look}<collision>"))
    assert mujoco.MjModel.from_xml_path(str(path)).ntex == 0
