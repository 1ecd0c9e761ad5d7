"""What the tests of meshes share."""

import shutil

import pytest
from mesh_robots import PAINTED


@pytest.fixture
def folder(here):
    """An own folder with the painted arm in it, as current folder."""
    shutil.copy(str(PAINTED / "robot.urdf"), str(here))
    shutil.copytree(str(PAINTED / "meshes"), str(here / "meshes"))
    return here
