"""Who owns a file: what may be replaced, what is of another source, what another program wrote."""
import os
from pathlib import Path
from typing import Optional

import pytest

from urdf_tools.base.errors import UsageError
from urdf_tools.run.destinations import check_mesh_files, foreign_files, may_replace
from urdf_tools.mesh.stl import STL_HEADER, STL_RECORD, sign_stl
from urdf_tools.plan.mesh_tasks import MeshFile

OWN_OBJ, OWN_GLTF = b"# written by urdf_simplify\nv 0 0 0\n", b'{"asset":{"generator":"urdf_simplify"}}'
FOREIGN = b"by hand"


def own_stl(path: Path, source: str, x: float) -> bytes:
    """Return an STL file of this tool: one triangle, from a source of that digest ("": of an old release)."""
    path.write_bytes(STL_HEADER + (1).to_bytes(4, "little") + STL_RECORD.pack(0, 0, 1, 0, 0, 0, x, 0, 0, 0, 1, 0))
    if source:
        sign_stl(str(path), source * 32)
    return path.read_bytes()


def made_file(folder: Path, ending: str, there: bytes, made: bytes, *, shared: bool, along: bool) -> MeshFile:
    target, source = folder / f"there{ending}", folder / f"made{ending}"
    target.write_bytes(there)
    source.write_bytes(made)
    part: object = None if along else ()
    return MeshFile(str(source), str(target), part, "a.dae", shared)  # type: ignore[arg-type]


@pytest.mark.parametrize("ending, there, made, along, in_own, in_shared", [
    (".obj", OWN_OBJ, OWN_OBJ + b"v 1 0 0\n", False, True, False),
    (".obj", OWN_OBJ, OWN_OBJ, False, True, True),
    (".obj", FOREIGN, OWN_OBJ, False, None, None),
    (".obj", FOREIGN, FOREIGN, False, True, True),  # the same bytes
    (".gltf", OWN_GLTF, OWN_GLTF + b" ", False, True, False),
    (".png", FOREIGN, b"new", True, True, None),  # an image holds no mark
    (".png", FOREIGN, FOREIGN, True, True, True),
])
def test_a_file_is_replaced_by_what_is_the_same_or_was_made_here(
        tmp_path: Path, ending: str, there: bytes, made: bytes, along: bool, in_own: Optional[bool],
        in_shared: Optional[bool]) -> None:
    for shared, expected in ((False, in_own), (True, in_shared)):
        assert may_replace(made_file(tmp_path, ending, there, made, shared=shared, along=along)) is expected


@pytest.mark.parametrize("source, x, in_shared", [
    ("a", 2.0, True), ("b", 2.0, False), ("b", 1.0, True), ("", 1.0, True), ("", 2.0, False)])
def test_an_stl_file_tells_its_source(tmp_path: Path, source: str, x: float, in_shared: bool) -> None:
    """One of the same source, or with the same triangles."""
    there, made = own_stl(tmp_path / "one", source, x), own_stl(tmp_path / "other", "a", 1.0)
    for shared, expected in ((False, True), (True, in_shared)):
        file = made_file(tmp_path, ".stl", there, made, shared=shared, along=False)
        assert may_replace(file) is expected
    assert may_replace(made_file(tmp_path, ".stl", b"solid", made, shared=False, along=False)) is None


def test_a_link_and_a_folder_belong_to_somebody_else(tmp_path: Path) -> None:
    file = made_file(tmp_path, ".obj", OWN_OBJ, OWN_OBJ, shared=False, along=False)
    os.rename(file.target, tmp_path / "elsewhere")
    assert foreign_files([file]) == []
    os.symlink(tmp_path / "elsewhere", file.target)
    assert may_replace(file) is None
    os.remove(file.target)
    os.mkdir(file.target)
    assert may_replace(file) is None and foreign_files([file]) == [file]


def test_what_is_not_replaced_is_named(tmp_path: Path) -> None:
    foreign = made_file(tmp_path, ".obj", FOREIGN, OWN_OBJ, shared=True, along=False)
    check_mesh_files([foreign], force=True)
    with pytest.raises(UsageError, match="^not written by this tool: .*there.obj; give another --mesh-dir, or --force"):
        check_mesh_files([foreign] * 2, force=False)
    other = made_file(tmp_path, ".gltf", OWN_GLTF, OWN_GLTF + b" ", shared=True, along=False)
    with pytest.raises(UsageError, match="was made from another file than a.dae, maybe for another robot"):
        check_mesh_files([other], force=False)
