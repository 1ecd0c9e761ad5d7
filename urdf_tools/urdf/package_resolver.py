"""Find the file of a mesh reference: package://, file://, relative and absolute names."""
import os
import re
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from .mesh_paths import URI_SCHEME

PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
FILE_URI = r"(?s)file:(?://(?:localhost(?=/))?)?(?:/(?=[A-Za-z]:))?(.*)"  # file:///C:/...
PACKAGE_NAME = r"<name>\s*([^<]+?)\s*</name>"


class Resolver(NamedTuple):
    """Where to look.

    Attributes:
        folder: the folder of the URDF, for relative names.
        packages: folders by package name, as given with --package.
        environment: the variables that hold search paths.
        origin: the folder of the file that the URDF was made from, whose packages count as well ("": there is none).
        above: the packages that were found above a folder, by folder and package; each is looked for once.
    """

    folder: str
    packages: Tuple[Tuple[str, str], ...]
    environment: Mapping[str, str]
    origin: str = ""
    above: Optional[Dict[Tuple[str, str], Optional[str]]] = None


class Found(NamedTuple):
    """The file that a reference resolves to, or None; and all that was tried."""

    path: Optional[str]
    tried: Tuple[str, ...]


def resolve(reference: str, resolver: Resolver) -> Found:
    """Find the file that a mesh reference names."""
    name = reference.strip().replace("\\", "/")
    if name.startswith("package://"):
        return _resolve_package(name[len("package://") :].lstrip("/"), resolver)
    file_uri = re.match(FILE_URI, name)
    if file_uri:
        return _first_file([os.path.join(resolver.folder, path) for path in _spellings(file_uri.group(1))[::-1]])
    if URI_SCHEME.match(name):
        return Found(None, (f"'{name.split(':')[0]}:' is not a file",))
    return _first_file([os.path.join(resolver.folder, path) for path in _spellings(name)])


def _spellings(path: str) -> List[str]:
    """Return a path as it is written and, if there are percent signs in it, with these decoded, as URLs are."""
    if "%" not in path:
        return [path]
    from urllib.parse import unquote  # imported here: it imports much and few paths need it

    return [path, unquote(path)]


def _resolve_package(rest: str, resolver: Resolver) -> Found:
    """Try --package, the package that holds the URDF, and the search paths of ROS 1 and ROS 2, in this order."""
    package, _, inside = rest.partition("/")
    candidates = [os.path.join(folder, inside) for name, folder in resolver.packages if name == package]
    for start in dict.fromkeys((resolver.folder, resolver.origin or resolver.folder)):
        known = {} if resolver.above is None else resolver.above
        if package and (start, package) not in known:
            known[start, package] = _package_above(start, package)
        above = known.get((start, package))
        if above:
            candidates.append(os.path.join(above, inside))
    for variable in PACKAGE_PATHS:
        for folder in filter(None, resolver.environment.get(variable, "").split(os.pathsep)):
            share = os.path.join(folder, "share", package) if variable == PACKAGE_PATHS[1] else (
                os.path.join(folder, package))
            candidates.append(os.path.join(share, inside))
            if os.path.basename(os.path.normpath(folder)) == package:
                candidates.append(os.path.join(folder, inside))
    found = _first_file([path for candidate in candidates for path in _spellings(candidate)])
    if found.path or candidates:
        return found
    return Found(None, (f"no folder is known for the package '{package}' (--package {package}=PATH says where it is)",))


def _package_above(folder: str, package: str) -> Optional[str]:
    """Return the folder of that package if the URDF is in it: package.xml says the name, or the folder has it."""
    folder = os.path.realpath(folder)
    while True:
        try:
            with open(os.path.join(folder, "package.xml"), encoding="utf-8", errors="replace") as stream:
                name = re.search(PACKAGE_NAME, stream.read())
            if name and name.group(1) == package:
                return folder
        except OSError:
            pass
        if os.path.basename(folder) == package:
            return folder
        if os.path.dirname(folder) == folder:
            return None
        folder = os.path.dirname(folder)


def _first_file(candidates: List[str]) -> Found:
    seen: Dict[str, None] = {}
    for path in candidates:
        try:
            if os.path.isfile(path):
                return Found(path, ())
        except ValueError:  # a null character
            pass
        seen[os.path.normpath(path)] = None
    return Found(None, tuple(f"{path} is not there" for path in seen))
