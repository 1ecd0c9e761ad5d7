"""One MJCF file with what it includes, as MuJoCo puts them together (XML reference, "include")."""
import os
import posixpath
from typing import Dict, List, Tuple, Union

from ..base.errors import MalformedXml
from .xml_text import Element, read_xml

ROOTS = ("mujoco", "mujocoinclude")


def read_with_includes(text: Union[str, bytes], file: str, folder: str, deepest: int) -> Tuple[Element, List[str]]:
    """Return the root with every `<include>` replaced by what is in its file, and the files that were included.

    Names of files are relative to `folder`, that of the main file. A file may lie outside of it, as those of public
    collections do; it is read only if its root says that it is MJCF, and no other text of it is ever shown.

    Raises:
        MalformedXml: a file is not XML; BrokenRobot: an included file is missing, included twice, or no MJCF.
    """
    root = read_xml(text, file, deepest)
    if root.tag == "mujocoinclude":
        root.refuse("it is a part that MJCF files include, and no model by itself")
    if root.tag != "mujoco":
        root.refuse(f"<{root.tag}> is not MJCF: that begins with <mujoco>")
    seen = {_identity(file, folder): ""} if file else {}
    included: List[str] = []
    if any(element.tag == "include" for element in root.walk()):
        _expand(root, folder, seen, included)
    return root, included


def _expand(parent: Element, folder: str, seen: Dict[str, str], included: List[str]) -> None:
    children: List[Element] = []
    for child in parent.children:
        if child.tag == "include":
            inside = _included(child, folder, seen, included)
            _expand(inside, folder, seen, included)
            children += inside.children
        else:
            _expand(child, folder, seen, included)
            children.append(child)
    parent.children = children


def _included(element: Element, folder: str, seen: Dict[str, str], included: List[str]) -> Element:
    """Return the root of an included file."""
    name = (element.get("file") or element.refuse("<include> has no file")).replace("\\", "/")
    near = posixpath.join(posixpath.dirname(element.file), name)
    path = next((candidate for candidate in (posixpath.join(folder, name), near) if os.path.isfile(candidate)), None)
    if path is None:
        element.refuse(f"the included file '{name}' is not there")
    if _identity(path, "") in seen:
        element.refuse(f"'{name}' is included twice, or includes itself")
    seen[_identity(path, "")] = name
    try:
        with open(path, "rb") as stream:
            root = read_xml(stream.read(), path)
    except OSError as error:
        element.refuse(f"the included file '{name}' cannot be read: {error.strerror}")
    except MalformedXml:
        element.refuse(f"the included file '{name}' is not XML that MuJoCo reads")
    if root.tag not in ROOTS:
        element.refuse(f"the included file '{name}' is no MJCF: its root is neither <mujoco> nor <mujocoinclude>")
    included.append(name)
    return root


def _identity(path: str, folder: str) -> str:
    """Return the path that identifies a file."""
    return os.path.realpath(os.path.join(folder, path) if folder and not os.path.exists(path) else path)
