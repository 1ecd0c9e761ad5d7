"""Finished mesh files to their places, all or none."""
import os
from typing import Callable, List, Optional, Sequence, Tuple

from ..base.errors import Unusable
from .stl import is_own_stl


def make_folders(path: str, made: List[str]) -> None:
    """Make a folder and those above it, and list in `made` which ones were made, the outermost first."""
    missing = [path]
    above = os.path.dirname(os.path.abspath(path))
    while not os.path.isdir(above) and above != os.path.dirname(above):  # a drive of Windows may be missing
        missing.append(above)
        above = os.path.dirname(above)
    for folder in reversed(missing):
        os.mkdir(folder)
        made.append(folder)


def replace_files(sources: Sequence[str], targets: Sequence[str], holding: str, force: bool,
                  finish: Optional[Callable[[], None]] = None) -> None:
    """Rename files to their places, then call `finish`; when one of them fails, what stood there is put back.

    Raises:
        Unusable: a target exists that this tool did not write, and `force` is not set.
    """
    for target in targets:
        if os.path.isdir(target) and not os.path.islink(target):
            raise Unusable("is a folder", target)
        if os.path.lexists(target) and not force and not is_own_stl(target):
            raise Unusable("exists and was not written by this tool: --force replaces it", target)
    kept: List[Tuple[str, str]] = []
    placed: List[str] = []
    try:
        for number, (source, target) in enumerate(zip(sources, targets)):
            if os.path.lexists(target):
                spare = os.path.join(holding, f"before_{number}")
                kept.append((spare, target))
                os.rename(target, spare)
            placed.append(target)
            os.replace(source, target)
        if finish is not None:
            finish()
    except BaseException:
        for target in placed:
            if os.path.lexists(target):
                os.remove(target)
        for spare, target in kept:
            if os.path.lexists(spare):
                os.replace(spare, target)
        raise


def remove_folders(holding: str, made: Sequence[str]) -> None:
    """Remove the files of a temporary folder, and the folders that were made for it, as far as they are empty."""
    try:
        if holding in made:
            for name in os.listdir(holding):
                os.remove(os.path.join(holding, name))
        for folder in reversed(made):
            os.rmdir(folder)
    except OSError:  # somebody else put something there
        pass
