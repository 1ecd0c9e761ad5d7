"""How the result names the mesh and texture files that stay, and what `<mujoco><compiler>` says of them."""
import os
from typing import Dict, Iterable, List, Optional, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import MESH_FOLDER, MESH_NOT_FOUND
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import meant_name, mesh_folder_of, MeshFolder, names_in, seen_from, URI_SCHEME
from ..urdf.package_resolver import Found, missing_meshes, package_notices, resolve
from ..plan.decisions import Plan
from ..plan.mesh_tasks import MeshResult, NO_CONVERSION
from .converter import MeshContext, OtherFiles


def name_files(plan: Plan, meshes: MeshResult, folder: str, output_folder: str, context: Optional[MeshContext]
               ) -> Tuple[MeshResult, List[Diagnostic]]:
    """Return what became of the meshes with the names of all files that stay, for the folder of the output, and what is
    not found, or what MuJoCo does not find any more.

    A converter may copy and name all of them; else relative names are those for an output in another folder. Where
    MuJoCo looks for meshes in a folder of its own, and names change or meshes are made, it looks from the output on, as
    all other readers do; a name with a URI, which it cannot follow from there, lets it look where it did.
    """
    here, there = os.path.realpath(folder or "."), os.path.realpath(output_folder or ".")
    form = context.converter.form if context else NO_CONVERSION
    known = _file_names(plan)
    others = context.converter.others({name: element.line for name, element in known.items()}, context
                                      ) if context else OtherFiles()
    rename, warnings = others.name_of, list(others.warnings)
    meshes = meshes._replace(files=(*meshes.files, *others.files))
    names: Dict[str, str] = {}
    uri_files: Dict[str, str] = {}
    place = mesh_folder_of(plan.robot.document.root)
    changes = bool(rename or here != there or meshes.converted or context and context.converter.adds_files)
    for name, element in known.items() if changes else ():
        meant = meant_name(name, here, place) if element.name == "mesh" else name
        rebased = (seen_from(meant.strip(), here, there) if here != there else None) or meant
        found = resolve(name, context.resolver) if rename and context else Found(None)
        warnings += package_notices([found])
        if rename and not found.path:
            means = "name" if rebased == name else "place"
            warnings.append(Diagnostic(MESH_NOT_FOUND, element.line, means, (name,)))
        file = os.path.realpath(found.path or "")
        new = rename(file) if rename and found.path else rebased
        if new != name:
            names[name] = new
            uri_files.update((one, path) for one, path in ((name, found.path), (new, file))
                             if path and URI_SCHEME.match(one))
    warnings = missing_meshes(warnings)
    meshes = meshes._replace(names=names, uri_files=uri_files, compiler=form.compiler)
    if place and changes and not form.compiler:
        compiler, lost = _compiler_of(plan, meshes, place, here, there, others.copied)
        meshes, warnings = meshes._replace(compiler=compiler), [*warnings, *lost]
    return meshes, warnings


def _file_names(plan: Plan) -> Dict[str, Element]:
    """Return the names of all mesh and texture files, each with the first element that has it; not those of meshes that
    are removed."""
    names: Dict[str, Element] = {}
    robot = plan.robot
    removed = {shape.mesh for link in robot.links.values() for shape in link.shapes} - {
        shape.mesh for _, shape in plan.staying_shapes}
    for element in robot.document.root.walk():
        filename = element.get("filename") if element.name in ("mesh", "texture") else None
        if filename and filename not in removed:
            names.setdefault(filename, element)
    return names


def _compiler_of(plan: Plan, meshes: MeshResult, place: MeshFolder, here: str, there: str, copied: Iterable[str]
                 ) -> Tuple[Tuple[Tuple[str, str], ...], List[Diagnostic]]:
    """Return the attributes with which MuJoCo finds the files of the result, and what it does not find any more."""
    made = [*(part.filename for one in meshes.converted for part in one.parts), *copied]
    converted = {one.shape.source.offset for one in meshes.converted}
    shapes = [shape for _, shape in plan.staying_shapes if shape.mesh and shape.source.offset not in converted]
    if any(URI_SCHEME.match(name) for name in (
            *made, *(meshes.names.get(shape.mesh, shape.mesh) for shape in shapes))):
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
