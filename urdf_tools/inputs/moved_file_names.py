"""The names of files in a URDF that is written to another folder, for commands that otherwise do not change it."""

from __future__ import annotations

from typing import List

from ..base.number_text import grouped
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import AttributeEdit
from ..urdf.moved_files import moved_name, NAMES_FILE
from ..urdf.package_resolver import PackageResolver


def moved_edits(root: Element, resolver: PackageResolver, folder: str) -> List[AttributeEdit]:
    """Return the edits after which a URDF finds its files from another folder, a real path; see `moved_name`."""
    # Most files are named several times, but each is searched only once.
    elements_of_name = grouped(
        ((element.name, element.get("filename")), element)
        for element in root.walk()
        if element.name in NAMES_FILE and element.get("filename")
    )
    edits: List[AttributeEdit] = []
    for (_, name), elements in elements_of_name.items():
        moved = moved_name(elements[0], resolver, folder)
        if moved != name:
            edits += [AttributeEdit(element, "filename", moved) for element in elements]
    return edits
