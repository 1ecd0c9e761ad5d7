"""Decide how the result names its mesh and texture files, and what `<mujoco><compiler>` says of them."""
import os
from typing import Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import MESH_FOLDER, MESH_NOT_FOUND
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import meant_name, mesh_folder_of, MeshFolder, names_in, seen_from, URI_SCHEME
from ..urdf.model import Robot, Shape
from ..urdf.package_resolver import Found, package_notices, resolve
from .mesh_copies import Copies, copy_files
from .mesh_splitting import MeshFile, Splitting, Workshop

NO_COPIES = Copies({}, (), ())


class MeshNames(NamedTuple):
    """How files are named.

    Attributes:
        names: the new names of mesh and texture files by their old ones.
        uri_files: the file that each URI reaches that is among these names.
        compiler: attributes that `<mujoco><compiler>` is to have.
        copies: files that are copied.
        warnings: what is not found, or what MuJoCo does not find any more.
    """

    names: Dict[str, str]
    uri_files: Dict[str, str]
    compiler: Tuple[Tuple[str, str], ...]
    copies: Tuple[MeshFile, ...]
    warnings: Tuple[Diagnostic, ...]


def name_files(robot: Robot, staying: Sequence[Shape], folder: str, output_folder: str, splitting: Splitting,
               workshop: Optional[Workshop]) -> MeshNames:
    """Name the files for the folder of the output; `staying` are the shapes that are not removed.

    A maker of meshes may name all of them, or all are copied and named in their folder; else relative names are those
    for an output in another folder. Where MuJoCo looks for meshes in a folder of its own, and names change or meshes
    are made, it looks from the output on, as all other readers do; a name with a URI, which it cannot follow from
    there, lets it look where it did.
    """
    here, there = os.path.realpath(folder or "."), os.path.realpath(output_folder or ".")
    maker = workshop.maker if workshop else None
    rename, warnings = maker.rename if maker else None, []
    known = _file_names(robot, staying)
    copies = NO_COPIES
    if workshop and workshop.copies:
        copies = _copies_of(known, workshop)
        rename = None if maker and maker.keeps_names else copies.names.__getitem__
    names: Dict[str, str] = {}
    files: Dict[str, str] = {}
    place = mesh_folder_of(robot.document.root)
    changes = bool(rename or here != there or splitting.splits)
    for name, element in known.items() if changes else ():
        meant = meant_name(name, here, place) if element.name == "mesh" else name
        rebased = (seen_from(meant.strip(), here, there) if here != there else None) or meant
        found = resolve(name, workshop.resolver) if rename and workshop else Found(None)
        warnings += package_notices([found])
        if rename and not found.path:
            means = "name" if rebased == name else "place"
            warnings.append(Diagnostic(MESH_NOT_FOUND, element.line, means, (name,)))
        file = os.path.realpath(found.path or "")
        new = rename(file) if rename and found.path else rebased
        if new != name:
            names[name] = new
            files.update((one, path) for one, path in ((name, found.path), (new, file))
                         if path and URI_SCHEME.match(one))
    compiler = maker.compiler if maker else ()
    if place and changes and not compiler:
        made = [part.filename for split in splitting.splits for part in split.parts]
        compiler, told = _compiler_of(place, staying, here, there, names, splitting, [*made, *copies.names.values()])
        warnings += told
    return MeshNames(names, files, compiler, copies.files, (*warnings, *copies.warnings))


def _file_names(robot: Robot, staying: Sequence[Shape]) -> Dict[str, Element]:
    """Return the names of all mesh and texture files, each with the first element that has it; not those of meshes that
    are removed."""
    names: Dict[str, Element] = {}
    removed = {shape.mesh for link in robot.links.values() for shape in link.shapes} - {one.mesh for one in staying}
    for element in robot.document.root.walk():
        filename = element.get("filename") if element.name in ("mesh", "texture") else None
        if filename and filename not in removed:
            names.setdefault(filename, element)
    return names


def _copies_of(known: Dict[str, Element], workshop: Workshop) -> Copies:
    paths = {resolve(name, workshop.resolver).path: element.line for name, element in reversed(list(known.items()))}
    return copy_files({os.path.abspath(path): paths[path] for path in reversed(list(paths)) if path}, workshop)


def _compiler_of(place: MeshFolder, staying: Sequence[Shape], here: str, there: str, names: Dict[str, str],
                 splitting: Splitting, made: Sequence[str]) -> Tuple[Tuple[Tuple[str, str], ...], List[Diagnostic]]:
    """Return the attributes with which MuJoCo finds the files of the result, and what it does not find any more."""
    split = {split.shape.source.offset for split in splitting.splits}
    shapes = [shape for shape in staying if shape.mesh and shape.source.offset not in split]
    if any(URI_SCHEME.match(name) for name in (*made, *(names.get(shape.mesh, shape.mesh) for shape in shapes))):
        meshdir = seen_from(place.meshdir or ".", here, there) if here != there else None
        lost = Diagnostic(MESH_FOLDER, 0, "lost")
        return (("meshdir", meshdir),) if meshdir else (), [lost] if made else []
    if not made and not shapes:
        return (), []
    warnings = []
    for name, line in {shape.mesh: shape.source.line for shape in reversed(shapes)}.items():
        file, *others = (os.path.realpath(os.path.join(here, one))
                         for one in (meant_name(name, here, place), *names_in(place, name)))
        if any(os.path.isfile(other) and other != file for other in others):
            warnings.append(Diagnostic(MESH_FOLDER, line, "other", (name,)))
    wanted = (("meshdir", "." if place.meshdir not in ("", ".") else place.meshdir), ("strippath", "false"))
    return tuple((name, value) for name, value in wanted if value != getattr(place, name)), warnings
