"""The names of files in a URDF that is written into another folder, for the commands that write one as it is."""

from __future__ import annotations

from typing import List

from ..base.number_text import grouped
from ..urdf.lossless_xml import Element
from ..urdf.model import Edit
from ..urdf.moved_files import moved_name, NAMES_FILE
from ..urdf.package_resolver import Resolver


def moved_edits(root: Element, resolver: Resolver, folder: str) -> List[Edit]:
    """Return what makes a URDF find its files from another folder, a real path; see `moved_name`."""
    # Most files are named more than once.
    elements = grouped(
        ((each.name, each.get("filename")), each)
        for each in root.walk()
        if each.name in NAMES_FILE and each.get("filename")
    )
    edits = []
    for (_, name), several in elements.items():
        moved = moved_name(several[0], resolver, folder)
        if moved != name:
            edits += [Edit(each, "filename", moved) for each in several]
    return edits
