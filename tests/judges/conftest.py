"""What needs the programs of other people runs from `make judges`; the suite of every change says so and skips it."""

import os

import pytest
from browser import Chromium
from gazebo_judge import build, reader, ROBOT_PROGRAM

ALONE = (
    "test_physics.py",
)  # needs no more than the files beside the project, and numpy for a part


def pytest_collection_modifyitems(items):
    if os.environ.get("URDF_JUDGES"):
        return
    skip = pytest.mark.skip(reason="make judges runs this, with an environment of its own")
    for item in items:
        if item.path.parent.name == "judges" and item.path.name not in ALONE:
            item.add_marker(skip)


@pytest.fixture(scope="session")
def gazebo(tmp_path_factory):
    """Return what reads files as Gazebo does."""
    return reader(tmp_path_factory.mktemp("gazebo"))


@pytest.fixture(scope="session")
def resolved_by_gazebo(tmp_path_factory):
    """Return what shows robots as libsdformat resolves them; it is compiled once."""
    return build(tmp_path_factory.mktemp("resolved"), ROBOT_PROGRAM)


@pytest.fixture(scope="module")
def chromium():
    """Return a browser with one page; a file whose tests need one skips them where there is none."""
    with Chromium() as browser:
        yield browser
