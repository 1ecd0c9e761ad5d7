"""The search for the file of a mesh reference: package://, model://, file://, relative and absolute names."""

from __future__ import annotations

import os
import re
import sys
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Pair, Pairs, Texts
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.run_diagnostics import MESH_NOT_FOUND, PACKAGE_ASSUMED
from ..base.number_text import shown_names
from ..base.paths import listed_path, path_from, portable_spelling
from ..base.record_type import Record
from .lossless_xml import Element
from .mesh_paths import decoded, mesh_folder_of, MujocoMeshFolder, names_in, URI_SCHEME

PACKAGE_SCHEME = "package://"
PACKAGE_PATHS = ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH")
# Of Gazebo: a model is a folder with its name in one of these (gz-sim "Finding resources", gazebo "Components").
MODEL_SCHEME = "model://"
MODEL_PATHS = ("GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH", "GAZEBO_MODEL_PATH")
FILE_URI = r"(?s)file:(?://(?:localhost(?=/))?)?(?:/(?=[A-Za-z]:))?(.*)"  # file:///C:/...
PACKAGE_NAME = r"<name>\s*([^<]+?)\s*</name>"


class PackageResolver(Record):
    """The places to search for files.

    Attributes:
        folder: the folder of the URDF, for relative names.
        packages: folders by package name, as given with --package.
        environment: the variables with search paths.
        ancestors: a cache: by folder, the folder and its ancestors, each with its package name, or None.
        origin: the folder of the file that the URDF was made from, whose packages are searched too, or "".
        mesh_folder: MuJoCo's folder of meshes, for files that other readers do not find.
        staged: the current paths of files that the run will write, by their real paths.
        listings: a cache of the names in each folder; None: missing files are not searched in other spellings.
    """

    folder: str
    packages: Pairs
    environment: Mapping[str, str]
    ancestors: Dict[str, List[Tuple[str, Optional[str]]]]
    origin: str = ""
    mesh_folder: Optional[MujocoMeshFolder] = None
    staged: Mapping[str, str] = {}
    listings: Optional[Dict[str, Sequence[str]]] = None


class ResolvedFile(Record):
    """The file of a reference, or None with the missing paths or the reason.

    Attributes:
        path: the path of the file.
        places: the paths that do not exist.
        reason: the reason why there was no path.
        assumed: the package whose folder was assumed, and this folder relative to the URDF; or ().
        candidates: the searched folders, each with the name of the reference in it.
        listed: the path in the spelling of the folders, if it differs, else ""; Linux finds files only in this spelling.
            With it, the only candidate is the folder and the name whose spelling differs.
    """

    path: Optional[str]
    places: Texts = ()
    reason: str = ""
    assumed: Texts = ()
    candidates: Tuple[Pair, ...] = ()
    listed: str = ""

    @property
    def tried(self) -> str:
        """Return all failed attempts in words, and a file with a different spelling of the name."""
        words = [*(f"{path} is not there" for path in self.places), self.reason, self.hint]
        return "; ".join(filter(None, words))

    @property
    def hint(self) -> str:
        """Return the file with a different spelling of the name, in words, or ""."""
        if not self.listed:
            return ""
        folder, name = self.candidates[-1]
        written = os.path.join(folder, name)
        if written.casefold() == self.listed.casefold():
            return f"{self.listed} is, in other case"
        # These names look alike on a screen.
        return f"{self.listed} is, in other characters (Unicode NFC, NFD, dots or blanks)"


def resolver_for(root: Element, folder: str, packages: Pairs, origin: str = "") -> PackageResolver:
    """Return the places to search for the meshes of a URDF; see `PackageResolver`."""
    return PackageResolver(
        folder=folder,
        packages=packages,
        environment=os.environ,
        ancestors={},
        origin=origin,
        mesh_folder=mesh_folder_of(root),
        listings={},
    )


def resolve(reference: str, resolver: PackageResolver) -> ResolvedFile:
    """Find the file of a mesh reference: as all readers of URDF do, or else as MuJoCo does."""
    resolved = _resolve(reference, resolver)
    if resolver.staged:
        # A file that this run will write counts as existing.
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


def _with_listed(resolved: ResolvedFile, resolver: PackageResolver) -> ResolvedFile:
    """Return a resolved file with its path in the spelling of the folders, if this differs."""
    if resolver.listings is None:
        return resolved
    for folder, name in resolved.candidates:
        listed = listed_path(folder, name, resolver.listings)
        if listed is not None and listed != os.path.join(folder, name):
            return resolved._replace(listed=listed, candidates=((folder, name),))
    return resolved


def true_name(reference: str, resolver: PackageResolver) -> str:
    """Return a mesh name in the spelling of its folders, if only Windows and macOS find the given spelling.

    Return "" if the spelling is right, if the file does not exist, or if the differing part has a percent sign.
    """
    found = resolve(reference, resolver)
    listed = found.listed or _with_listed(found, resolver).listed
    if not listed:
        return ""
    pieces = re.split(r"([/\\]+)", reference)  # a name, slashes, a name, ...
    names = found.candidates[-1][1].replace("\\", "/").split("/")
    parts = listed.replace(os.sep, "/").split("/")
    # From the end, because a scheme and the package may come before the name in its folder.
    for index, part, _ in zip(range(len(pieces) - 1, -1, -2), reversed(parts), names):
        if portable_spelling(pieces[index]) != portable_spelling(part):
            break
        if pieces[index] not in (os.curdir, os.pardir):
            pieces[index] = part
    name = "".join(pieces)
    return name if name != reference else ""


def _resolve(reference: str, resolver: PackageResolver) -> ResolvedFile:
    """Find the file of a mesh reference by its scheme, as all readers of URDF do."""
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


def _in_folder(resolver: PackageResolver, names: Sequence[str]) -> List[Pair]:
    """Return names in the folder of the URDF; if it does not exist yet, `..` in names is resolved first."""
    if os.path.isdir(resolver.folder or "."):
        return [(resolver.folder, name) for name in names]
    return [("", os.path.realpath(os.path.join(resolver.folder, name))) for name in names]


def package_of(reference: str) -> str:
    """Return the package of a package:// name, or ""."""
    name = reference.strip().replace("\\", "/")
    if not name.startswith(PACKAGE_SCHEME):
        return ""
    return name[len(PACKAGE_SCHEME) :].lstrip("/").partition("/")[0]


def package_notices(files: Iterable[ResolvedFile]) -> Diagnostics:
    """Return the assumptions made to find files, without duplicates."""
    return [
        Diagnostic(PACKAGE_ASSUMED, 0, "folder", names)
        for names in dict.fromkeys(file.assumed for file in files)
        if names
    ]


def with_missing_meshes_joined(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Yield the diagnostics, combining those about missing files of one package, with their number and two names."""
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
    """Return a path as written and, if it has percent signs, decoded like a URL."""
    return list(dict.fromkeys((path, decoded(path))))


def _resolve_package(rest: str, resolver: PackageResolver) -> ResolvedFile:
    """Search the folders of a package, then assume a folder with its name beside the URDF or beside one of its ancestors."""
    package, _, inside = rest.partition("/")
    folders = _package_folders(package, resolver)
    resolved = _first_file(_inside(folders, inside))
    if resolved.path:
        return resolved
    candidates = [*resolved.candidates]
    for start, folder in _folders_beside(package, resolver):
        # The folder's name is a part of the path, because no package.xml names it.
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
    unknown = (
        f"no folder is known for the package '{package}' (--package {package}=DIR says where it is)"
    )
    return ResolvedFile(None, reason=unknown, candidates=every)


def _inside(folders: Iterable[str], name: str) -> List[Pair]:
    """Return each folder with each spelling of a name in it."""
    places: List[Pair] = []
    for folder in folders:
        places += [(folder, each) for each in _spellings(name)]
    return places


def _resolve_model(rest: str, resolver: PackageResolver) -> ResolvedFile:
    """Search a Gazebo model: the folder from --package, the folder of the file and its ancestors, and search paths.

    Folders with the model's name beside any of these are searched too, because models of a repository are siblings.
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
    known = f"no folder of the model '{model}' has it (--package {model}=DIR says where it is)"
    return found if found.path else ResolvedFile(None, reason=known, candidates=found.candidates)


def find_package(package: str, resolver: PackageResolver) -> Optional[str]:
    """Return the absolute folder of a package, searched as for `package://`, or None."""
    folders = [
        *_package_folders(package, resolver),
        *(folder for _, folder in _folders_beside(package, resolver)),
        *_sibling_packages(package, resolver),
    ]
    return next((os.path.abspath(folder) for folder in folders if os.path.isdir(folder)), None)


def _package_folders(package: str, resolver: PackageResolver) -> List[str]:
    """Return the folder from --package, the package that contains the URDF, then the search paths of ROS 1 and ROS 2."""
    folders = [folder for name, folder in resolver.packages if name == package]
    for start in _starts(package, resolver):
        # Among the ancestors, only the nearest that is this package.
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
            # A path may be the package itself.
            if os.path.basename(os.path.normpath(folder)) == package:
                folders.append(folder)
    return folders


def _folders_beside(package: str, resolver: PackageResolver) -> List[Pair]:
    """Return the possible folders with a package's name, each with the folder where the search began.

    They are beside the URDF, as the `assets` of onshape-to-robot, or beside one of its ancestor folders.
    """
    places: List[Pair] = []
    for start in _starts(package, resolver):
        above = _folders_above(start, resolver)
        places += [(start, os.path.join(folder, package)) for folder, _ in above]
    return places


def _sibling_packages(package: str, resolver: PackageResolver) -> Iterator[str]:
    """Yield the packages with a name beside the package that contains the file, whatever their folders are called.

    The name of a package is in its package.xml (REP 149); its repository may have any name.
    """
    for start in _starts(package, resolver):
        inside = (folder for folder, name in _folders_above(start, resolver) if name is not None)
        holds = next(inside, None)
        if holds is None:
            continue
        beside = os.path.dirname(holds)
        # Sorted, because the order of a folder differs between machines.
        for sibling in sorted(os.listdir(beside)):
            folder = os.path.join(beside, sibling)
            if _name_of_package(folder) == package:
                yield folder


def _name_of_package(folder: str) -> Optional[str]:
    """Return the name in the package.xml of a folder: "" if the file has no name, None without the file."""
    try:
        path = os.path.join(folder, "package.xml")
        with open(path, encoding="utf-8", errors="replace") as stream:
            match = re.search(PACKAGE_NAME, stream.read())
    except OSError:
        return None
    return match.group(1) if match else ""


def _starts(package: str, resolver: PackageResolver) -> List[str]:
    """Return the folders from which a package is searched upward; [] for a reference without a package."""
    if not package:
        return []
    return list(dict.fromkeys((resolver.folder, resolver.origin or resolver.folder)))


def _folders_above(start: str, resolver: PackageResolver) -> List[Tuple[str, Optional[str]]]:
    """Return a folder and its ancestors, each with the name in its package.xml, or None without one."""
    known = resolver.ancestors
    if start not in known:
        folder = os.path.realpath(start)
        above = known.setdefault(start, [])
        while not above or above[-1][0] != folder:
            above.append((folder, _name_of_package(folder)))
            folder = os.path.dirname(folder)
    return known[start]


def _first_file(candidates: List[Pair]) -> ResolvedFile:
    """Return the first file that exists, among names in folders."""
    seen: Dict[str, None] = {}
    for folder, name in candidates:
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            return ResolvedFile(path, candidates=_relative([(folder, name)]))
        sys.audit("urdf_simplify.missing", path)  # `view --watch` waits for this event
        seen[os.path.normpath(path)] = None
    return ResolvedFile(None, tuple(seen), candidates=_relative(candidates))


def _relative(candidates: Iterable[Pair]) -> Tuple[Pair, ...]:
    """Return the names that are relative to a folder; absolute names are not searched in other spellings."""
    return tuple(pair for pair in candidates if not os.path.isabs(pair[1]))
