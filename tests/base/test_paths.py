"""Paths where operating systems differ: each law holds on every system, whatever it runs on."""

import ntpath
import os
import posixpath
import re
import unicodedata
from pathlib import Path

from conftest import needs_exact_names, needs_symlinks
import pytest
from hypothesis import given, strategies as st

from urdf_tools.base import paths
from urdf_tools.base.errors import UsageError
from urdf_tools.base.file_reading import check_apart, existing_folder
from urdf_tools.base.transaction import Transaction

PACKAGE = Path(paths.__file__).resolve().parent.parent
# Letters with two cases, with a third (final sigma), of two code points, that fold to two (sharp s); a dot and a blank.
NAMES = st.text("aAß\u03c3\u03c2\u03a3\u00fc\u00dc. ", min_size=1, max_size=4).map(
    lambda text: f"m{text}"
)


def spelled_otherwise(name):
    """Return names that some file system takes for this one."""
    return [
        name.upper(),
        name.lower(),
        unicodedata.normalize("NFD", name),
        f"{name}.",
        f"{name} ",
        f"{unicodedata.normalize('NFD', name.upper())}. ",
    ]


@given(NAMES)
def test_every_spelling_of_a_name_is_that_name(name):
    assert {paths.portable_name(other) for other in spelled_otherwise(name)} == {
        paths.portable_name(name)
    }


@given(st.lists(NAMES, min_size=1, max_size=4))
def test_files_are_written_together_only_if_every_file_system_tells_them_apart(names):
    portable = {paths.portable_name(name) for name in names}
    outputs = [(f"--option-{number}", f"/not there/{name}") for number, name in enumerate(names)]
    try:
        check_apart(outputs)
    except UsageError as error:
        assert "are the same file" in str(error)
        assert len(portable) < len(names)
    else:
        assert len(portable) == len(names)


def test_a_transaction_refuses_two_names_of_one_file(tmp_path):
    with Transaction() as transaction:
        transaction.add(str(tmp_path / "scene.xml"), b"<mujoco/>")
        transaction.add(str(tmp_path / "mesh.stl"), b"")
        with pytest.raises(UsageError, match="this is the same file as .*scene.xml"):
            transaction.add(str(tmp_path / "Scene.XML"), b"<mujoco/>")
        with pytest.raises(UsageError, match="this is the same file as .*mesh.stl"):
            transaction.add_file(str(tmp_path / "MESH.stl"), str(tmp_path / "staged"))
    assert list(tmp_path.iterdir()) == []


@needs_exact_names
def test_files_that_this_system_tells_apart_may_both_be_replaced(tmp_path):
    for name in ("a.urdf", "A.urdf"):
        (tmp_path / name).write_bytes(b"")
    with Transaction() as transaction:
        for name in ("a.urdf", "A.urdf"):
            transaction.add(str(tmp_path / name), name.encode())
        transaction.commit()
    assert (tmp_path / "A.urdf").read_bytes() == b"A.urdf"


@pytest.mark.parametrize(
    "module, path, last",
    [
        (ntpath, "X:\\a\\b.urdf", "X:\\"),
        (ntpath, "\\\\server\\share\\a\\b.urdf", "\\\\server\\share\\"),
        (ntpath, "X:b.urdf", "X:"),
        (ntpath, "a/b", ""),
        (posixpath, "/a/b/c.urdf", "/"),
        (posixpath, "a/b", ""),
        (posixpath, "", ""),
    ],
)
def test_the_folders_above_end(monkeypatch, module, path, last):
    monkeypatch.setattr(paths.os, "path", module)
    above = [folder for _, folder in zip(range(99), paths.with_folders_above(path))]
    monkeypatch.undo()
    assert above[0] == path and above[-1] == last and len(above) < 9


@pytest.mark.parametrize("path", ["X:\\new.urdf", "\\\\server\\share\\new.urdf"])
def test_a_drive_that_is_not_there_is_a_sentence(monkeypatch, path):
    monkeypatch.setattr(paths.os, "path", ntpath)
    with pytest.raises(UsageError) as caught:
        existing_folder(path)
    monkeypatch.undo()
    assert "the drive or share" in str(caught.value) and "is not there" in str(caught.value)


@pytest.mark.parametrize(
    "folder, path, name",
    [
        ("C:\\robots", "Z:\\meshes\\a.stl", "Z:/meshes/a.stl"),
        ("C:\\robots", "C:\\meshes\\a.stl", "../meshes/a.stl"),
    ],
)
def test_a_path_to_another_drive_is_absolute(monkeypatch, folder, path, name):
    monkeypatch.setattr(paths.os, "path", ntpath)
    found = paths.path_from(folder, path)
    monkeypatch.undo()
    assert found == name


@pytest.mark.parametrize(
    "module, folder, name, path",
    [
        (ntpath, "new/fixed", "a/robot.urdf", "new/fixed/a/robot.urdf"),
        (ntpath, "fixed/", "a/robot.urdf", "fixed/a/robot.urdf"),
        (ntpath, "new\\fixed", "a/robot.urdf", "new\\fixed\\a\\robot.urdf"),
        (ntpath, "C:\\new/fixed", "a.urdf", "C:\\new\\fixed\\a.urdf"),
        (ntpath, "fixed", "a/robot.urdf", "fixed\\a\\robot.urdf"),
        (ntpath, "", "scene.xml", "scene.xml"),
        (posixpath, "new/fix\\ed", "a/robot.urdf", "new/fix\\ed/a/robot.urdf"),
    ],
)
def test_a_path_has_one_kind_of_separators(monkeypatch, module, folder, name, path):
    monkeypatch.setattr(paths.os, "path", module)
    found = paths.path_in(folder, name)
    monkeypatch.undo()
    assert found == path


@pytest.mark.parametrize(
    "module, file, path",
    [
        (ntpath, "sim/two.xml", "sim/scene.xml"),
        (ntpath, "sim\\two.xml", "sim\\scene.xml"),
        (ntpath, "two.xml", "scene.xml"),
        (ntpath, "C:two.xml", "C:scene.xml"),
        (posixpath, "/sim/two.xml", "/sim/scene.xml"),
    ],
)
def test_a_path_beside_a_file_has_its_separators(monkeypatch, module, file, path):
    monkeypatch.setattr(paths.os, "path", module)
    found = paths.path_beside(file, "scene.xml")
    monkeypatch.undo()
    assert found == path


def test_two_drives_have_no_common_folder(monkeypatch):
    monkeypatch.setattr(paths.os, "path", ntpath)
    found = [paths.common_folder(each) for each in (["C:\\a", "Z:\\a"], ["C:\\a\\b", "C:\\a\\c"])]
    monkeypatch.undo()
    assert found == [None, "C:\\a"]


def test_no_other_module_asks_for_a_path_between_folders():
    """`relpath` and `commonpath` raise between two drives: paths.py alone knows that."""
    users = [
        path.relative_to(PACKAGE).as_posix()
        for path in sorted(PACKAGE.rglob("*.py"))
        if re.search(r"os\.path\.(relpath|commonpath)\(", path.read_text("utf-8"))
    ]
    assert users == ["base/paths.py"]


@needs_symlinks
def test_links_lead_to_one_file(tmp_path):
    (tmp_path / "a.urdf").write_bytes(b"")
    link, dangling = tmp_path / "link.urdf", tmp_path / "dangling.urdf"
    link.symlink_to(tmp_path / "a.urdf")
    dangling.symlink_to(tmp_path / "new.urdf")
    assert paths.is_same_file(str(link), str(tmp_path / "a.urdf"))
    assert paths.is_same_file(str(dangling), str(tmp_path / "new.urdf"))
    assert not paths.is_same_file(str(link), str(tmp_path / "new.urdf"))
    assert os.path.islink(str(link))
