"""What the tests of meshes share."""

import shutil

import pytest
from mesh_robots import PAINTED


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An own folder with the painted arm in it, as current folder."""
    shutil.copy(str(PAINTED / "robot.urdf"), str(tmp_path))
    shutil.copytree(str(PAINTED / "meshes"), str(tmp_path / "meshes"))
    monkeypatch.chdir(tmp_path)
    return tmp_path
