"""A git checkout and the commit where its branch began: the changed files, and the files of that commit in a folder.

Git runs as a program. It changes nothing in the checkout, and it contacts no server.
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import UsageError
from ..base.record_type import Record

SHORT = 10  # digits of a commit in messages
# Git finds renamed files among at most this many: its default of 1000 files is less than the meshes of a few robots.
MOST_RENAMED = "-l20000"


class Checkout(Record):
    """A folder in a git checkout, the top folder of the checkout, and the commit where its branch began.

    Attributes:
        folder: the current folder: patterns of files begin here.
        top: the top folder; names that git prints begin here.
        revision: the branch, tag or commit as the user named it.
        start: the newest commit that both the revision and the checkout have.
    """

    folder: str
    top: str
    revision: str
    start: str


class ChangedFiles(Record):
    """The files that differ from a commit, as names from the top folder with slashes.

    Attributes:
        old_names: the names of the changed files, each with its name in the commit, "" for a new file.
        removed: the names of the removed files.
    """

    old_names: Mapping[str, str]
    removed: Sequence[str]


class BaseTree(Record):
    """The files of a commit: the folder in which they lie, and the index of git that lists them."""

    folder: str
    index_file: str


def open_checkout(folder: str, revision: str) -> Checkout:
    """Return the checkout of a folder and the commit from which its branch and a revision come.

    Raises:
        UsageError: git is missing, the folder is in no checkout, or no such commit is known here.
    """
    if revision.startswith("-") or not revision:
        raise UsageError(f"--since {revision!r}: give a branch, tag or commit, such as main")
    status, top, complaints = _run(["rev-parse", "--show-toplevel"], folder, {})
    if status and b"not a git repository" in complaints:
        raise UsageError("--since compares with a commit, and this folder is in no git checkout")
    if status:
        raise UsageError(f"--since: git cannot read this checkout: {_last_line(complaints)}")
    tip = _git(["rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}"], folder)
    if tip is None:
        raise UsageError(
            f"--since {revision}: git knows no such branch, tag or commit here: `git fetch origin "
            f"{revision}` gets a branch, and its name is then FETCH_HEAD"
        )
    start = _common_commit(_text(tip), folder)
    if start is None:
        raise UsageError(
            f"--since {revision}: git finds no commit that it and HEAD have in common; in a shallow clone "
            "`git fetch --unshallow` gets the other commits"
        )
    return Checkout(folder=folder, top=os.path.realpath(_text(top)), revision=revision, start=start)


def _common_commit(tip: str, folder: str) -> Optional[str]:
    """Return the newest commit that a commit and HEAD have in common, None if git does not know it."""
    # A pull request is checked out as a merge with its base branch, without older commits: the text of the merge still
    # names the tip of the base branch as a parent.
    merge = _git(["cat-file", "commit", "HEAD"], folder)
    if merge is not None and f"parent {tip}" in _text(merge).split("\n\n")[0].splitlines():
        return tip
    common = _git(["merge-base", tip, "HEAD"], folder)
    return None if common is None else _text(common)


def changed_files(checkout: Checkout) -> ChangedFiles:
    """Return the files of the checkout that differ from its first commit; a renamed file has its old name."""
    words = ["diff", "--name-status", "-z", "--find-renames", MOST_RENAMED, "--no-relative"]
    fields = iter(_names([*words, checkout.start, "--"], checkout.top))
    old_names: Dict[str, str] = {}
    removed: List[str] = []
    for status in fields:
        name = next(fields)
        if status.startswith("D"):
            removed.append(name)
        elif status.startswith("R"):
            old_names[next(fields)] = name
        elif status.startswith("A"):
            old_names[name] = ""
        else:
            old_names[name] = name
    # A file that git does not track yet is new.
    for name in _names(["ls-files", "-z", "--others", "--exclude-standard"], checkout.top):
        old_names[name] = ""
    return ChangedFiles(old_names, removed)


def names_now(checkout: Checkout, patterns: Sequence[str]) -> List[str]:
    """Return the names of the files that fit patterns of git, except ignored files, sorted."""
    words = ["ls-files", "-z", "--full-name", "--cached", "--others", "--exclude-standard", "--"]
    names = {*_names([*words, *patterns], checkout.folder)}
    return sorted(name for name in names if os.path.isfile(os.path.join(checkout.top, name)))


def names_then(checkout: Checkout, tree: BaseTree, patterns: Sequence[str]) -> List[str]:
    """Return the names of the files of the first commit that fit patterns of git, sorted."""
    words = ["ls-files", "-z", "--full-name", "--", *patterns]
    return sorted(_names(words, checkout.folder, {"GIT_INDEX_FILE": tree.index_file}))


@contextmanager
def base_tree(checkout: Checkout) -> Iterator[BaseTree]:
    """Write the files of the first commit into a folder that is removed at the end, and yield it.

    An index of its own lists the files, so that neither the index nor the worktrees of the checkout change. All files
    are written, since any of them may be a mesh, an image or a part of a robot.
    """
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="urdf_simplify-") as scratch:
        # A package without package.xml has the name of its folder, which often is the checkout.
        name = os.path.basename(checkout.top) or "checkout"
        folder = os.path.join(os.path.realpath(scratch), "base", name)
        os.makedirs(folder)
        tree = BaseTree(folder, os.path.join(scratch, "index"))
        index = {"GIT_INDEX_FILE": tree.index_file}
        _must(["read-tree", checkout.start], checkout.top, index)
        prefix = f"--prefix={folder.replace(os.sep, '/')}/"
        _must(["checkout-index", "--all", "--force", "--quiet", prefix], checkout.top, index)
        yield tree


def _names(words: Sequence[str], folder: str, environment: Mapping[str, str] = {}) -> List[str]:
    """Return the names that a command of git lists with -z."""
    return [os.fsdecode(name) for name in _must(words, folder, environment).split(b"\0") if name]


def _must(words: Sequence[str], folder: str, environment: Mapping[str, str] = {}) -> bytes:
    """Return the output of git.

    Raises:
        UsageError: git failed; with the last line that it printed.
    """
    status, printed, complaints = _run(words, folder, environment)
    if status:
        raise UsageError(f"git {words[0]} failed: {_last_line(complaints)}")
    return printed


def _last_line(complaints: bytes) -> str:
    """Return the last line of an error output, which has the reason."""
    lines = complaints.decode("utf-8", "backslashreplace").strip().splitlines()
    return lines[-1] if lines else "no message"


def _git(words: Sequence[str], folder: str) -> Optional[bytes]:
    """Return the output of git, None if it failed."""
    status, printed, _ = _run(words, folder, {})
    return None if status else printed


def _text(printed: bytes) -> str:
    """Return what git printed as text without the line end."""
    return os.fsdecode(printed).rstrip("\r\n")


def _run(
    words: Sequence[str], folder: str, environment: Mapping[str, str]
) -> Tuple[int, bytes, bytes]:
    """Run git in a folder; return its exit status, its output, and its error output.

    Raises:
        UsageError: git cannot be run.
    """
    if sys.platform == "emscripten":
        raise UsageError("--since needs git, which a browser does not have")
    import subprocess

    try:
        done = subprocess.run(
            ["git", *words],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            # The messages that are recognized here are English.
            env={**os.environ, "LC_ALL": "C", **environment},
        )
    except OSError as error:
        raise UsageError(f"--since needs git, which cannot be run: {error.strerror}") from None
    return done.returncode, done.stdout, done.stderr
