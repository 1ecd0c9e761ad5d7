"""The files of robots that a command line names: files, and the files in folders."""

from __future__ import annotations

import os
from typing import List, Sequence

from ..base.errors import UsageError
from ..base.file_reading import first_element_of

ROBOT_ENDINGS = (".urdf", ".xacro", ".sdf")
BUILT = ("build", "install", "log", "node_modules", "__pycache__")  # folders that tools write


def files_of(paths: Sequence[str]) -> List[str]:
    """Return the files to examine: the named files, and the robots in named folders.

    Raises:
        UsageError: a folder contains no robot.
    """
    files: List[str] = []
    for path in paths:
        inside = robots_in(path) if os.path.isdir(path) else [path]
        if not inside:
            raise UsageError("no URDF, xacro, SDF or MJCF is in this folder", path)
        files += inside
    return files


def robots_in(folder: str) -> List[str]:
    """Return the files of robots in a folder in a fixed order, without hidden folders and folders of builds."""
    robots: List[str] = []
    for top, folders, names in os.walk(folder):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and name not in BUILT
        )
        paths = [os.path.join(top, name) for name in sorted(names)]
        robots += filter(is_robot, paths)
    return robots


def is_robot(path: str) -> bool:
    """Return True for the name of a URDF, xacro or SDF, and for an XML file of MuJoCo."""
    if path.endswith(ROBOT_ENDINGS):
        return True
    return path.endswith(".xml") and first_element_of(path) == "mujoco"
