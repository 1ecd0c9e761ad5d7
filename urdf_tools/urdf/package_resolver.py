"""Find the file of a mesh reference: package://, model://, file://, relative and absolute names."""

from __future__ import annotations

import os
import re
import sys
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.types import Pair, Pairs, Texts
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.kinds import MESH_NOT_FOUND, PACKAGE_ASSUMED
from ..base.number_text import shown_names
from ..base.paths import listed_path, path_from, portable_spelling
from ..base.record import Record
from .lossless_xml import Element
from .mesh_paths import decoded, mesh_folder_of, MujocoMeshFolder, names_in, URI_SCHEME

PACKAGE_SCHEME = "package://"
PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
# Of Gazebo: a model is a folder of its name in one of these (gz-sim "Finding resources", gazebo "Components").
MODEL_SCHEME = "model://"
MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
FILE_URI = r"(?s)file:(?://(?:localhost(?=/))?)?(?:/(?=[A-Za-z]:))?(.*)"  # file:///C:/...
PACKAGE_NAME = r"<name>\s*([^<]+?)\s*</name>"


class Resolver(Record):
    """Where to look.

    Attributes:
        folder: the folder of the URDF, for relative names.
        packages: folders by package name, as given with --package.
        environment: the variables that hold search paths.
        above: by folder, it and the folders above it with the packages that they are; each is read once.
        origin: the folder of the file that the URDF was made from, whose packages count as well ("": there is none).
        mesh_folder: where MuJoCo looks for meshes; a file that other readers do not find may be there.
        staged: files that the run will write, by real path: where they are now.
        listings: the names in each folder that was read; None: a name that no file has is not looked for in another
            spelling.
    """

    folder: str
    packages: Pairs
    environment: Mapping[str, str]
    above: Dict[str, List[Tuple[str, Optional[str]]]]
    origin: str = ""
    mesh_folder: Optional[MujocoMeshFolder] = None
    staged: Mapping[str, str] = {}
    listings: Optional[Dict[str, Sequence[str]]] = None


class ResolvedFile(Record):
    """The file that a reference resolves to, or None: then the paths that are not there, or why there was no path.

    Attributes:
        path: of the file.
        places: the paths that are not there.
        reason: why there was no path.
        assumed: the package whose folder was assumed, and that folder as seen from the URDF, if one was.
        candidates: the folders that were tried, each with the name that the reference has in it.
        listed: the path as the folders list it, if they spell it otherwise; Linux finds no file by another spelling.
    """

    path: Optional[str]
    places: Texts = ()
    reason: str = ""
    assumed: Texts = ()
    candidates: Tuple[Pair, ...] = ()
    listed: str = ""

    @property
    def tried(self) -> str:
        """Return all that was tried, in words; and a file that has another spelling of the name."""
        words = [*(f"{path} is not there" for path in self.places), self.reason, self.hint]
        return "; ".join(filter(None, words))

    @property
    def hint(self) -> str:
        """Return the file that has another spelling of the name, in words; "" if there is none."""
        if not self.listed:
            return ""
        written = os.path.join(*self.candidates[-1])
        if written.casefold() == self.listed.casefold():
            return f"{self.listed} is, in other case"
        # These names look alike on a screen.
        return f"{self.listed} is, in other characters (Unicode NFC, NFD, dots or blanks)"


def resolver_for(root: Element, folder: str, packages: Pairs, origin: str = "") -> Resolver:
    """Return where to look for the meshes of a URDF; see `Resolver`."""
    return Resolver(
        folder=folder,
        packages=packages,
        environment=os.environ,
        above={},
        origin=origin,
        mesh_folder=mesh_folder_of(root),
        listings={},
    )


def resolve(reference: str, resolver: Resolver) -> ResolvedFile:
    """Find the file that a mesh reference names: as all readers of URDF do, else as MuJoCo does."""
    resolved = _resolve(reference, resolver)
    if resolver.staged:
        # A file that this run will write counts as found.
        for path in resolved.places:
            if os.path.realpath(path) in resolver.staged:
                return resolved._replace(path=path)
    if resolved.path:
        return resolved
    if resolver.mesh_folder is None:
        return _with_listed(resolved, resolver)
    names = names_in(resolver.mesh_folder, reference)
    inside = _first_file(_in_folder(resolver, names))
    if inside.path:
        return inside
    every = (*resolved.candidates, *inside.candidates)
    return _with_listed(resolved._replace(candidates=every), resolver)


def _with_listed(resolved: ResolvedFile, resolver: Resolver) -> ResolvedFile:
    """Return a resolved file with its path as the folders list it, if they spell it otherwise."""
    if resolver.listings is None:
        return resolved
    for folder, name in resolved.candidates:
        listed = listed_path(folder, name, resolver.listings)
        if listed is not None and listed != os.path.join(folder, name):
            return resolved._replace(listed=listed, candidates=((folder, name),))
    return resolved


def true_name(reference: str, resolver: Resolver) -> str:
    """Return a mesh name as the folders list its file, where Windows and macOS find the file by another spelling.

    Return "" for a name that is so written, whose file is not there, or which has a percent sign in what differs.
    """
    found = resolve(reference, resolver)
    listed = found.listed or _with_listed(found, resolver).listed
    if not listed:
        return ""
    pieces = re.split(r"([/\\]+)", reference)  # a name, slashes, a name, ...
    names = found.candidates[-1][1].replace("\\", "/").split("/")
    parts = listed.replace(os.sep, "/").split("/")
    # From the end: in front of the name in its folder are a scheme, and the package.
    for index, part, _ in zip(range(len(pieces) - 1, -1, -2), reversed(parts), names):
        if portable_spelling(pieces[index]) != portable_spelling(part):
            break
        if pieces[index] not in (os.curdir, os.pardir):
            pieces[index] = part
    name = "".join(pieces)
    return name if name != reference else ""


def _resolve(reference: str, resolver: Resolver) -> ResolvedFile:
    """Find the file that a mesh reference names as all readers of URDF do, by its scheme."""
    name = reference.strip().replace("\\", "/")
    if name.startswith(PACKAGE_SCHEME):
        return _resolve_package(name[len(PACKAGE_SCHEME) :].lstrip("/"), resolver)
    if name.startswith(MODEL_SCHEME):
        return _resolve_model(name[len(MODEL_SCHEME) :].lstrip("/"), resolver)
    file_uri = re.match(FILE_URI, name)
    if file_uri:
        # In a URI the decoded spelling comes first.
        return _first_file(_in_folder(resolver, _spellings(file_uri.group(1))[::-1]))
    if URI_SCHEME.match(name):
        return ResolvedFile(None, reason=f"'{name.split(':')[0]}:' is not a file")
    return _first_file(_in_folder(resolver, _spellings(name)))


def _in_folder(resolver: Resolver, names: Sequence[str]) -> List[Pair]:
    """Return names in the folder of the URDF; no file is reached by `..` from one that is not made yet."""
    if os.path.isdir(resolver.folder or "."):
        return [(resolver.folder, name) for name in names]
    return [("", os.path.realpath(os.path.join(resolver.folder, name))) for name in names]


def package_of(reference: str) -> str:
    """Return the package of a package:// name, "" for another name."""
    name = reference.strip().replace("\\", "/")
    if not name.startswith(PACKAGE_SCHEME):
        return ""
    return name[len(PACKAGE_SCHEME) :].lstrip("/").partition("/")[0]


def package_notices(files: Iterable[ResolvedFile]) -> Diagnostics:
    """Return what was assumed to find files, each once."""
    return [
        Diagnostic(PACKAGE_ASSUMED, 0, "folder", names)
        for names in dict.fromkeys(file.assumed for file in files)
        if names
    ]


def with_missing_meshes_joined(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield diagnostics; those about missing files of one package become one, with their number and two names."""
    by_package: Dict[str, Diagnostics] = {}
    for number, notice in enumerate(diagnostics):
        package = package_of(notice.names[0]) if notice.kind is MESH_NOT_FOUND else ""
        # A key with / is the name of no package, so other diagnostics stay alone.
        by_package.setdefault(package or f"/{number}", []).append(notice)
    for name, alike in by_package.items():
        files = list(dict.fromkeys(notice.names[0].rpartition("/")[2] for notice in alike))
        # Shapes that miss the same file get one diagnostic.
        if len(files) < 2:
            yield alike[0]
        else:
            yield Diagnostic(
                kind=MESH_NOT_FOUND,
                line=min(notice.line for notice in alike),
                sentence="package",
                names=(name, shown_names(files, 2)),
                numbers=(float(len(files)), float(len(alike))),
            )


def _spellings(path: str) -> List[str]:
    """Return a path as it is written and, if there are percent signs in it, with these decoded, as URLs are."""
    return list(dict.fromkeys((path, decoded(path))))


def _resolve_package(rest: str, resolver: Resolver) -> ResolvedFile:
    """Try the folders of a package, then one of its name next to the URDF or a folder above it: that is assumed."""
    package, _, inside = rest.partition("/")
    folders = _package_folders(package, resolver)
    resolved = _first_file(_inside(folders, inside))
    if resolved.path:
        return resolved
    candidates = [*resolved.candidates]
    for start, folder in _folders_beside(package, resolver):
        # The folder's name is a part of the wanted path: no package.xml names it.
        beside = _first_file(
            [(os.path.dirname(folder), f"{package}/{each}") for each in _spellings(inside)]
        )
        if beside.path:
            name = path_from(os.path.realpath(start), folder)
            return beside._replace(assumed=(package, name))
        candidates += beside.candidates
    for folder in _sibling_packages(package, resolver):
        sibling = _first_file(_inside([folder], inside))
        if sibling.path:
            name = path_from(os.path.realpath(resolver.folder), folder)
            return sibling._replace(assumed=(package, name))
        candidates += sibling.candidates
    every = tuple(dict.fromkeys(candidates))
    if folders:
        return resolved._replace(candidates=every)
    unknown = f"no folder is known for the package '{package}' (--package {package}=PATH says where it is)"
    return ResolvedFile(None, reason=unknown, candidates=every)


def _inside(folders: Iterable[str], name: str) -> List[Pair]:
    """Return each folder with each spelling of a name in it."""
    places: List[Pair] = []
    for folder in folders:
        places += [(folder, each) for each in _spellings(name)]
    return places


def _resolve_model(rest: str, resolver: Resolver) -> ResolvedFile:
    """Try the folders of a model of Gazebo: as --package says, the folder of the file or one above it, and search paths.

    A folder of the name beside any of these is tried as well, as models of a repository lie beside each other.
    """
    model, _, inside = rest.partition("/")
    folders = [folder for name, folder in resolver.packages if name == model]
    for start in _starts(model, resolver):
        above = [folder for folder, _ in _folders_above(start, resolver)]
        folders += [folder for folder in above if os.path.basename(folder) == model]
        folders += [os.path.join(folder, model) for folder in above]
    for variable in MODEL_PATHS:
        paths = resolver.environment.get(variable, "").split(os.pathsep)
        folders += [os.path.join(path, model) for path in filter(None, paths)]
    found = _first_file(_inside(folders, inside))
    known = f"no folder of the model '{model}' has it (--package {model}=PATH says where it is)"
    return found if found.path else ResolvedFile(None, reason=known, candidates=found.candidates)


def find_package(package: str, resolver: Resolver) -> Optional[str]:
    """Return the folder of a package, looked for as for `package://`, from the root; None: there is none."""
    folders = [
        *_package_folders(package, resolver),
        *(folder for _, folder in _folders_beside(package, resolver)),
        *_sibling_packages(package, resolver),
    ]
    return next((os.path.abspath(folder) for folder in folders if os.path.isdir(folder)), None)


def _package_folders(package: str, resolver: Resolver) -> List[str]:
    """Return what --package says, the package that holds the URDF, then the search paths of ROS 1 and ROS 2."""
    folders = [folder for name, folder in resolver.packages if name == package]
    for start in _starts(package, resolver):
        # Of the folders above only the nearest that is this package.
        folders += [
            folder
            for folder, name in _folders_above(start, resolver)
            if package in (name, os.path.basename(folder))
        ][:1]
    for variable in PACKAGE_PATHS:
        for folder in filter(None, resolver.environment.get(variable, "").split(os.pathsep)):
            # A prefix of ROS 2 has its packages in share/.
            is_prefix = variable == "AMENT_PREFIX_PATH"
            parts = ("share", package) if is_prefix else (package,)
            folders.append(os.path.join(folder, *parts))
            # A path may name the package itself.
            if os.path.basename(os.path.normpath(folder)) == package:
                folders.append(folder)
    return folders


def _folders_beside(package: str, resolver: Resolver) -> List[Pair]:
    """Return the places where a folder of a name may be, each with the folder that the search began in.

    They are next to the URDF, as onshape-to-robot has its `assets`, or next to a folder above it.
    """
    places: List[Pair] = []
    for start in _starts(package, resolver):
        above = _folders_above(start, resolver)
        places += [(start, os.path.join(folder, package)) for folder, _ in above]
    return places


def _sibling_packages(package: str, resolver: Resolver) -> Iterator[str]:
    """Yield the packages of a name beside the one that holds the file, whatever their folders are called.

    The name of a package is in its package.xml (REP 149); a repository has any name.
    """
    for start in _starts(package, resolver):
        inside = (folder for folder, name in _folders_above(start, resolver) if name is not None)
        holds = next(inside, None)
        if holds is None:
            continue
        beside = os.path.dirname(holds)
        for sibling in sorted(os.listdir(beside)):
            folder = os.path.join(beside, sibling)
            if _name_of_package(folder) == package:
                yield folder


def _name_of_package(folder: str) -> Optional[str]:
    """Return the name in the package.xml of a folder, "" if it has none; None: there is no such file."""
    try:
        path = os.path.join(folder, "package.xml")
        with open(path, encoding="utf-8", errors="replace") as stream:
            match = re.search(PACKAGE_NAME, stream.read())
    except OSError:
        return None
    return match.group(1) if match else ""


def _starts(package: str, resolver: Resolver) -> List[str]:
    """Return the folders from which a package is searched upward, none for a reference without a package."""
    if not package:
        return []
    return list(dict.fromkeys((resolver.folder, resolver.origin or resolver.folder)))


def _folders_above(start: str, resolver: Resolver) -> List[Tuple[str, Optional[str]]]:
    """Return a folder and all above it, each with the name that its package.xml gives; None: there is none in it."""
    known = resolver.above
    if start not in known:
        folder = os.path.realpath(start)
        above = known.setdefault(start, [])
        while not above or above[-1][0] != folder:
            above.append((folder, _name_of_package(folder)))
            folder = os.path.dirname(folder)
    return known[start]


def _first_file(candidates: List[Pair]) -> ResolvedFile:
    """Return the first file that is there, of names in folders."""
    seen: Dict[str, None] = {}
    for folder, name in candidates:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return ResolvedFile(path, candidates=_relative([(folder, name)]))
        sys.audit("urdf_simplify.missing", path)  # `view --watch` waits for it
        seen[os.path.normpath(path)] = None
    return ResolvedFile(None, tuple(seen), candidates=_relative(candidates))


def _relative(candidates: Iterable[Pair]) -> Tuple[Pair, ...]:
    """Return the names that begin in a folder; an absolute name is of one machine, and no spelling helps."""
    return tuple(pair for pair in candidates if not os.path.isabs(pair[1]))
