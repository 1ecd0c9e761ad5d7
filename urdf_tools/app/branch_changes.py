"""`compare --since`: each robot of a git checkout that differs from the commit where the branch began.

A robot is compared if its file was changed, or if any file was changed that a robot may use, such as a mesh or an
included xacro. A renamed file is compared with its old file.
"""

from __future__ import annotations

import argparse
import os
import sys
from itertools import chain
from math import fsum
from typing import Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ..base.errors import BrokenRobot, UrdfError, UsageError
from ..base.number_text import count_of
from ..base.paths import path_from
from ..base.record_type import Record
from ..cli.run_command_line import progress_line
from ..compare.robot_comparison import ComparisonResult, refuse_nothing
from ..compare.read_any_format import read_robot_of
from ..compare.comparison_text import verdict_line
from ..robot.raw_robot import RawRobot, RawShape
from ..urdf.package_resolver import MODEL_PATHS, PACKAGE_PATHS
from ..urdf.expand_xacro import is_xacro
from .compare_command import compare_robots
from .git_checkout import (
    base_tree,
    BaseTree,
    changed_files,
    ChangedFiles,
    Checkout,
    names_now,
    names_then,
    open_checkout,
)
from .robot_files import is_robot

USD_ENDINGS = (".usd", ".usda", ".usdc")
# Files that no robot uses: if only these were changed, the robots without a change of their own are not compared. Any
# other file may be a mesh, an image, or a part that a xacro or a scene includes, whatever it is called.
UNUSED = (
    *(".md", ".rst", ".txt", ".py", ".c", ".cc", ".cpp", ".h", ".hpp", ".launch", ".rviz"),
    *(".gitignore", ".gitattributes", ".gitmodules", ".html", ".css", ".js", ".sh"),
)
UNUSED_FOLDERS = (".github/", ".ci/", ".vscode/")

# What happened to a robot.
COMPARED = "compared"
NEW = "new"
REMOVED = "removed"
UNREADABLE = "unreadable"  # the file of the branch
NOT_COMPARED = "not compared"  # the file of the base cannot be read


class RobotChange(Record):
    """A robot of the branch, its file in the base, and how they differ.

    Attributes:
        file: the file, as seen from the current folder; of a removed robot its old file.
        old: the file in the base, as seen from the current folder, "" for a new robot.
        state: COMPARED, NEW, REMOVED, UNREADABLE or NOT_COMPARED.
        verdict: a sentence.
        comparison: None unless it was compared.
        is_changed: the file itself was changed.
        line: the line of the verdict, 0 for the whole file.
    """

    file: str
    old: str
    state: str
    verdict: str
    comparison: Optional[ComparisonResult] = None
    is_changed: bool = True
    line: int = 0

    @property
    def is_shown(self) -> bool:
        """Return False for a robot that is exactly as before, in a file that was not changed."""
        return self.is_changed or self.comparison is None or self.comparison.verdict != "same"

    @property
    def is_failing(self) -> bool:
        """Return True if it is another robot, differs in what --fail-on names, or was not compared in full."""
        if self.comparison is not None:
            return self.comparison.exit_code != 0
        return self.state in (UNREADABLE, NOT_COMPARED)


class RobotChanges(Record):
    """All robots of a comparison with a commit.

    Attributes:
        unread: the files that can be read as a robot neither now nor in the commit.
        aside: the changed and removed SRDFs, which `compare` does not read.
    """

    checkout: Checkout
    robots: Sequence[RobotChange]
    unread: Sequence[str]
    aside: Sequence[str]


class Places(Record):
    """A checkout, and the files of its first commit in a folder."""

    checkout: Checkout
    tree: BaseTree

    def path_then(self, path: str) -> str:
        """Return the path in the files of the commit for a path in the checkout; other paths stay."""
        real = os.path.realpath(path)
        top = os.path.realpath(self.checkout.top)
        # The folder for temporary files may be in the checkout.
        is_in_tree = is_inside(real, self.tree.folder)
        if is_in_tree or not is_inside(real, top):
            return path
        return os.path.normpath(os.path.join(self.tree.folder, path_from(top, real)))

    def shown(self, name: str) -> str:
        """Return a name from the top folder as seen from the current folder."""
        return path_from(self.checkout.folder, os.path.join(self.checkout.top, name))


def is_inside(path: str, folder: str) -> bool:
    """Return True if a path is a folder, or in it."""
    return path == folder or path.startswith(os.path.join(folder, ""))


Read = Union[RawRobot, UrdfError]


def robot_changes(arguments: argparse.Namespace) -> RobotChanges:
    """Return the robots of the current folder that a branch changed, each compared with the robot before.

    Raises:
        UsageError: git cannot say what was changed, no robot fits the patterns, or an option cannot be used.
    """
    checkout = open_checkout(os.path.realpath(os.getcwd()), arguments.since)
    patterns = arguments.files or ["."]
    changed = changed_files(checkout)
    with base_tree(checkout) as tree:
        places = Places(checkout, tree)
        now = _robots_of(names_now(checkout, patterns), checkout.top, patterns)
        then = _robots_of(names_then(checkout, tree, patterns), tree.folder, patterns)
        if not now and not then:
            words = " ".join(arguments.files) or "this folder"
            raise UsageError(f"no robot fits {words}, neither now nor in {arguments.since}")
        reader = _Reader(arguments, places)
        old_names = _old_names(now, then, changed, reader)
        robots: List[RobotChange] = []
        unread: List[str] = []
        for name, old in old_names.items():
            change = _change_of(name, old, changed, reader)
            if change is None:
                unread.append(places.shown(name))
            else:
                robots.append(change)
        used = {*old_names.values()}
        for name in changed.removed:
            if name in then and name not in used:
                shown = places.shown(name)
                robots.append(RobotChange(shown, shown, REMOVED, "Removed robot"))
    files = sorted((*changed.old_names, *changed.removed))
    aside = [places.shown(name) for name in files if name.endswith(".srdf")]
    return RobotChanges(checkout, sorted(robots, key=lambda change: change.file), unread, aside)


def _robots_of(names: Sequence[str], folder: str, patterns: Sequence[str]) -> List[str]:
    """Return the names of files that are robots; layers of USD only if a pattern names their ending."""
    with_usd = any(pattern.endswith(USD_ENDINGS) for pattern in patterns)
    robots: List[str] = []
    for name in names:
        path = os.path.join(folder, name)
        if os.path.isfile(path) and (is_robot(path) or with_usd and path.endswith(USD_ENDINGS)):
            robots.append(name)
    return robots


def _old_names(
    now: Sequence[str], then: Sequence[str], changed: ChangedFiles, reader: "_Reader"
) -> Dict[str, str]:
    """Return the robots to compare, each with its name in the commit, "" for a new robot.

    Git follows a file that was little changed. Otherwise a removed robot with the same `<robot name>` is the old one.
    """
    old_names = {name: changed.old_names[name] for name in now if name in changed.old_names}
    new = [name for name, old in old_names.items() if not old]
    removed = [name for name in changed.removed if name in then]
    if new and removed:
        called_then = _by_name([(name, reader.then(name)) for name in removed])
        called_now = _by_name([(name, reader.now(name)) for name in new])
        for robot, names in called_now.items():
            olds = called_then.get(robot, [])
            if robot and len(names) == len(olds) == 1:
                old_names[names[0]] = olds[0]
    files = filter(_may_be_used, (*changed.old_names, *changed.removed))
    # A URDF may be included by a xacro, and by nothing else.
    if any(map(is_xacro, now)) or not all(file.endswith(".urdf") for file in files):
        for name in now:
            old_names.setdefault(name, name)
    return old_names


def _by_name(robots: Sequence[Tuple[str, Read]]) -> Dict[str, List[str]]:
    """Return the files of robots by the name of the robot; files that cannot be read are left out."""
    files: Dict[str, List[str]] = {}
    for file, robot in robots:
        if isinstance(robot, RawRobot):
            files.setdefault(robot.name, []).append(file)
    return files


def _may_be_used(name: str) -> bool:
    """Return False for a file that no robot uses, such as a page or a program."""
    return not name.lower().endswith(UNUSED) and not name.startswith(UNUSED_FOLDERS)


def _change_of(
    name: str, old: str, changed: ChangedFiles, reader: "_Reader"
) -> Optional[RobotChange]:
    """Return how a robot differs from the robot before; None for a file that is no robot, or as unreadable as before."""
    shown = reader.places.shown(name)
    shown_old = reader.places.shown(old) if old else ""
    is_changed = name in changed.old_names
    robot = reader.now(name)
    before = reader.then(old) if old else None
    if isinstance(robot, UrdfError):
        # A file that only others include cannot be read alone, now as before.
        if not is_changed and isinstance(before, UrdfError):
            return None
        if is_xacro(name) and isinstance(robot, BrokenRobot) and not robot.line:
            return None
        return RobotChange(
            file=shown,
            old=shown_old,
            state=UNREADABLE,
            verdict=f"Cannot be read: {_first_problem(robot)}",
            is_changed=is_changed,
            line=robot.line,
        )
    if before is None:
        return RobotChange(shown, "", NEW, f"New robot: {_size_of(robot)}")
    try:
        if isinstance(before, UrdfError):
            raise before
        refuse_nothing(before, robot)
        with progress_line(sys.stderr) as progress:
            comparison = compare_robots(reader.arguments, before, robot, progress)
    except UrdfError as error:
        if not is_changed and isinstance(error, BrokenRobot):
            return None
        return RobotChange(
            file=shown,
            old=shown_old,
            state=NOT_COMPARED,
            verdict=f"Not compared: {str(error).splitlines()[0]}",
            is_changed=is_changed,
        )
    return RobotChange(
        file=shown,
        old=shown_old,
        state=COMPARED,
        verdict=verdict_line(comparison),
        comparison=comparison,
        is_changed=is_changed,
    )


def _first_problem(error: UrdfError) -> str:
    """Return the first problem of a file with its line; the name of the file stands in front of it."""
    where = f"line {error.line}: " if error.line else ""
    return f"{where}{error.message}"


def _size_of(robot: RawRobot) -> str:
    """Return the number of links and moving joints of a robot, and its mass."""
    moving = sum(joint.type != "fixed" for joint in robot.joints)
    mass = fsum(link.mass.mass for link in robot.links if link.mass is not None)
    links = count_of(len(robot.links), "link")
    joints = count_of(moving, "joint that moves", "joints that move")
    return f"{links}, {joints}, {mass:.4g} kg"


class _Reader:
    """Reads robots of the checkout and of the commit, each once.

    The robot before finds its meshes as the robot now does. The commit has its own copy of each file of the checkout.
    """

    def __init__(self, arguments: argparse.Namespace, places: Places) -> None:
        self.arguments = arguments
        self.places = places
        self._robots: Dict[Tuple[str, str], Read] = {}

    def now(self, name: str) -> Read:
        """Return the robot of a file of the checkout, or why it cannot be read."""
        key = (name, "")
        if key not in self._robots:
            self._robots[key] = self._read_now(name)
        return self._robots[key]

    def then(self, name: str) -> Read:
        """Return the robot of a file of the commit, or why it cannot be read."""
        key = (name, "then")
        if key not in self._robots:
            self._robots[key] = self._read_then(name)
        return self._robots[key]

    def _read_now(self, name: str) -> Read:
        """Read a robot of the checkout."""
        try:
            return read_robot_of(
                self.places.shown(name), self._packages(), self._xacro_arguments(name)
            )
        except UrdfError as error:
            return error

    def _read_then(self, name: str) -> Read:
        """Read a robot of the commit; messages have its name in the checkout."""
        path = os.path.join(self.places.tree.folder, *name.split("/"))
        packages = tuple(
            (package, self.places.path_then(folder)) for package, folder in self._packages()
        )
        # Packages beside the checkout are searched from there; those in the checkout are not of the commit.
        origin = os.path.dirname(self.places.checkout.top)
        try:
            robot = read_robot_of(
                path,
                packages,
                self._xacro_arguments(name),
                origin=origin,
                environment=self._environment_then(),
            )
        except UrdfError as error:
            return UsageError(str(error).replace(path, f"{self.places.shown(name)} before"))
        robot = robot.with_shapes(self._with_paths_then)
        # Equal texts are not the same robot, as their meshes may differ: without a digest all is compared.
        return robot._replace(file=self.places.shown(name), digest="")

    def _with_paths_then(self, shape: RawShape) -> RawShape:
        """Return a shape with files of the commit in place of files of the checkout, as of an absolute name."""
        return shape._replace(
            path=self._path_then(shape.path), texture_path=self._path_then(shape.texture_path)
        )

    def _path_then(self, path: str) -> str:
        """Return the path of a file when the commit was made, "" if the commit does not have it."""
        then = self.places.path_then(path) if path else ""
        return then if os.path.isfile(then) else ""

    def _environment_then(self) -> Mapping[str, str]:
        """Return the environment with search paths into the files of the commit in place of the checkout."""
        environment = dict(os.environ)
        for variable in chain(PACKAGE_PATHS, MODEL_PATHS):
            folders = environment.get(variable, "").split(os.pathsep)
            moved = [folder and self.places.path_then(folder) for folder in folders]
            if variable in environment:
                environment[variable] = os.pathsep.join(moved)
        return environment

    def _packages(self) -> Tuple[Tuple[str, str], ...]:
        """Return the folders of packages that the user named."""
        return tuple(self.arguments.package)

    def _xacro_arguments(self, name: str) -> Tuple[str, ...]:
        """Return the arguments of xacro, for a xacro."""
        return tuple(self.arguments.xacro_args) if is_xacro(name) else ()
