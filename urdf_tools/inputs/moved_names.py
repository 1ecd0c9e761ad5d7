"""The names of files in a URDF that is written into another folder, for the commands that write one as it is."""

from __future__ import annotations

from typing import List

from ..urdf.lossless_xml import Element
from ..urdf.model import Edit
from ..urdf.moved_files import moved_name, NAMES_FILE
from ..urdf.package_resolver import Resolver


def moved_edits(root: Element, resolver: Resolver, folder: str) -> List[Edit]:
    """Return what makes a URDF find its files from another folder, a real path; see `moved_name`."""
    elements = [
        element for element in root.walk() if element.get("filename") and element.name in NAMES_FILE
    ]
    edits = [
        Edit(element, "filename", moved_name(element, resolver, folder)) for element in elements
    ]
    return [edit for edit in edits if edit.value != edit.element.get("filename")]
