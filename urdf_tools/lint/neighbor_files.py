"""The files beside a robot that lint reads with it: its SRDF, and the parameters of its controllers."""

from __future__ import annotations

import os
from typing import Collection, Dict, List, Sequence

from ..base.errors import UrdfError, UsageError
from ..base.file_reading import read_file
from ..urdf.lossless_xml import parse_document
from ..urdf.urdf_records import UrdfRobot
from ..urdf.urdf_reader import read_robot
from .examine_file import by_line
from .neighbor_file_rules import controller_findings, srdf_findings
from .finding_records import ExaminedFile, find_ignores, LintFinding, ignore

SRDF_ENDING = ".srdf"
YAML_ENDINGS = (".yaml", ".yml")
NEIGHBOR_ENDINGS = (SRDF_ENDING, *YAML_ENDINGS)
# Where ROS packages keep these files, relative to the folder of the robot; and robots, relative to an SRDF.
FOLDERS = (".", "config", "srdf", "../config", "../srdf")
ROBOT_FOLDERS = (".", "..", "../urdf", "../robots")


def is_neighbor(path: str) -> bool:
    """Return True for the name of an SRDF or of parameters of controllers."""
    return path.endswith(NEIGHBOR_ENDINGS)


def neighbors_of(robot: UrdfRobot, given: Collection[str] = ()) -> List[str]:
    """Return the SRDF files of a robot, which have its name or the name of its file, without the given ones.

    Variants of a robot share a name: an SRDF named like a different URDF beside it belongs to that URDF.
    """
    known = {os.path.realpath(path) for path in given}
    near = _files_in(os.path.dirname(robot.document.path), FOLDERS, SRDF_ENDING)
    new = [path for path in near if os.path.realpath(path) not in known]
    own = _stem(robot.document.path)

    def is_of_robot(path: str) -> bool:
        """Return True for an SRDF with the name of the file, or of the robot and no other file."""
        if _stem(path) == own:
            return True
        return _robot_name_in(path) == robot.name and not _robots_called_as(path)

    return list(filter(is_of_robot, new))


def _robots_called_as(path: str) -> List[str]:
    """Return the URDFs near an SRDF that have its file name."""
    near = _files_in(os.path.dirname(path), ROBOT_FOLDERS, ".urdf")
    return [file for file in near if _stem(file) == _stem(path)]


def robot_for(path: str, robots: Sequence[UrdfRobot]) -> UrdfRobot:
    """Return the robot of an SRDF or of parameters: one of the given robots, or the URDF near an SRDF.

    Raises:
        UrdfError: no robot is found, several are found, or it cannot be read.
    """
    name = _robot_name_in(path) if path.endswith(SRDF_ENDING) else ""
    of_this_name = [robot for robot in robots if robot.name == name]
    for found in (of_this_name, robots):
        if len(found) == 1:
            return found[0]
    near = _files_in(os.path.dirname(path), ROBOT_FOLDERS, ".urdf") if name else []
    named = [file for file in near if _robot_name_in(file) == name]
    files = [file for file in named if _stem(file) == _stem(path)] or named
    files = files or [file for file in near if _stem(file) == _stem(path)]
    if len(files) != 1:
        what = "several URDFs with this robot are" if files else "no URDF with this robot is"
        raise UsageError(f"{what} near: name the one that it is for, lint ROBOT.urdf {path}", path)
    return read_robot(parse_document(read_file(files[0]), files[0]), lenient=True)


def examine_neighbor(path: str, robot: UrdfRobot, known: Collection[str]) -> ExaminedFile:
    """Return the findings of an SRDF, or of parameters of controllers, against its robot.

    Raises:
        UrdfError: it cannot be read.
    """
    source = read_file(path)
    lines = tuple(source.decode("utf-8", "replace").splitlines(keepends=True))
    if not path.endswith(SRDF_ENDING):
        return ExaminedFile(
            path, by_line([*controller_findings("".join(lines), robot)]), lines=lines
        )
    document = parse_document(source, path)
    if document.root.name != "robot":
        raise UrdfError(f"this is <{document.root.name}>, not an SRDF", path, document.root.line)
    findings: Sequence[LintFinding] = [*srdf_findings(document, robot)]
    stay, gone = ignore(findings, find_ignores(document), known)
    return ExaminedFile(path, by_line(stay), tuple(gone), lines=lines)


def _files_in(folder: str, beside: Sequence[str], ending: str) -> List[str]:
    """Return files with an ending in folders relative to a given folder, each once, in a fixed order."""
    found: Dict[str, str] = {}
    for name in beside:
        inside = os.path.normpath(os.path.join(folder, name))
        if not os.path.isdir(inside):
            continue
        for file in sorted(os.listdir(inside)):
            path = os.path.join(inside, file) if inside != "." else file
            if path.endswith(ending) and os.path.isfile(path):
                found.setdefault(os.path.realpath(path), path)
    return list(found.values())


def _robot_name_in(path: str) -> str:
    """Return the name of the robot in an XML file, "" if it has no readable name."""
    try:
        root = parse_document(read_file(path), path).root
    except UrdfError:
        return ""
    return root.get("name") or "" if root.name == "robot" else ""


def _stem(path: str) -> str:
    """Return the name of a file without folder and ending."""
    return os.path.splitext(os.path.basename(path))[0]
