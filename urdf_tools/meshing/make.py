"""Convert the meshes of the plan, name all mesh and texture files of the result, and complete the plan with that.

Of the files that are not converted: their names in the result, and the attributes by which MuJoCo finds them.

Named materials must keep their meaning when the shapes that define them are removed or reordered: for some readers the
first definition of a name in the file, one of the robot before those of visuals, counts for all visuals that have the
name, even if they have another color (urdfdom, model.cpp, `assignMaterial`: RViz, Gazebo, pinocchio); others use the
color of the visual, and the first definition where there is none. Both get the same color if the first definition of a
name stays the first.
"""

from __future__ import annotations

import os
from typing import Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..base.types import Pair, Pairs
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.kinds import MESH_FOLDER, MESH_NOT_FOUND
from ..base.number_text import grouped
from ..plan.decisions import by_line, Plan
from ..plan.merging import Membership
from ..plan.mesh_tasks import ConvertedShape, is_collada, MeshResult, NO_CONVERSION
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import (
    meant_name,
    mesh_folder_of,
    MeshFolder,
    names_in,
    seen_from,
    URI_SCHEME,
)
from ..urdf.model import defines, Edit, material_definitions, Robot, Shape
from ..urdf.moved_files import moved_name, NAMES_FILE
from ..urdf.package_resolver import (
    Found,
    missing_meshes,
    package_notices,
    resolve,
    resolver_for,
)
from .converter import MeshContext, OtherFiles

MaterialContent = Tuple[object, ...]
# A name, the content of its material, () for a name alone, and where it is.
Use = Tuple[str, MaterialContent, int]


def _shapes_in_order(robot: Robot, members: Mapping[str, Membership]) -> Iterator[Shape]:
    """Yield the shapes in the order of the result: a link's shapes, then those of the links that merge into it."""
    merged = grouped(
        (member.target, shape)
        for name, member in members.items()
        if member.merged
        for shape in robot.links[name].shapes
    )
    for name, link in robot.links.items():
        if not members[name].merged:
            yield from link.shapes
            yield from merged.get(name, ())


def first_definitions(
    plan: Plan, converted: Sequence[ConvertedShape], whole: Optional[Robot] = None
) -> Tuple[Element, ...]:
    """Return the definitions to add to the robot, so that they stay the first ones of their names.

    `whole`: what the robot of the plan is a part of.
    """
    robot = plan.robot
    source = whole or plan.robot
    members = plan.members
    removed = plan.removed_shapes  # a set that is made whenever it is asked for
    parts = {split.shape.source.offset: split.parts for split in converted}
    old = _uses(shape for _, shape in source.shapes)
    if not old:
        return ()
    new: List[Use] = []
    for shape in _shapes_in_order(robot, members):
        if shape.source.offset not in removed:
            for part in parts.get(shape.source.offset, (None,)):
                if part is not None and part.material:
                    new.append((part.material, (("color", (("rgba", part.rgba),)),), -1))
                elif part is None or not part.has_own_colors:
                    new += _uses([shape])
    (meant, too_early), (means, now_too_early) = _first_ones(robot, old), _first_ones(robot, new)
    changed = {name for name, _ in now_too_early - too_early} | {
        name for name, _, _ in new if means.get(name) != meant.get(name)
    }
    return tuple(
        material for name, material in material_definitions(source).items() if name in changed
    )


def _uses(shapes: Iterable[Shape]) -> List[Use]:
    """Return the named materials of visuals."""
    return [
        (name, material_content(first), first.offset)
        for shape in shapes
        if shape.kind == "visual"
        for first in shape.source.elements("material")[:1]
        for name in filter(None, (first.get("name"),))
    ]


def material_content(material: Element) -> MaterialContent:
    """Return the content of a material if it has a color or an image, else ()."""
    parts = (
        [part for child in material.elements() for part in child.walk()]
        if defines(material)
        else []
    )
    return tuple((part.name, tuple(sorted(part.attributes.items()))) for part in parts)


def _first_ones(
    robot: Robot, uses: Iterable[Use]
) -> Tuple[Dict[str, MaterialContent], Set[Tuple[str, int]]]:
    """Return the first definition of each name, and the uses of a name alone before it is defined."""
    meaning: Dict[str, MaterialContent] = {}
    too_early: Set[Tuple[str, int]] = set()
    tops = (
        (top.get("name") or "", material_content(top), -1)
        for top in robot.document.root.elements("material")
    )
    for name, content, offset in (*(top for top in tops if top[1]), *uses):
        if content:
            meaning.setdefault(name, content)
        elif name not in meaning:
            too_early.add((name, offset))
    return meaning, too_early


def make_meshes(
    plan: Plan, folder: str, output_folder: str, context: Optional[MeshContext]
) -> Plan:
    """Return the plan with its converted meshes: their files are in the folder of the context, finished and verified.

    Args:
        plan: the decisions.
        folder: that of the input.
        output_folder: that of the output.
        context: where meshes are made; None: none is converted.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read; or one that cannot be copied.
        ProofFailed: the triangles that were written are not those of a file.
    """
    # Definitions of materials come last: converted visuals have other materials than the input.
    meshes = convert_meshes(plan, context) if context and plan.mesh_tasks else plan.meshes
    collada = sum(is_collada(shape) for _, shape in plan.staying_shapes)
    meshes = meshes._replace(
        unconverted=collada - sum(is_collada(split.shape) for split in meshes.converted)
    )
    meshes, warnings = name_files(plan, meshes, folder, output_folder, context)
    compiler = [
        Edit(plan.robot.document.root, name, value, "mujoco/compiler")
        for name, value in meshes.compiler
    ]
    updates = plan.updates._replace(edits=(*plan.updates.edits, *compiler))
    return plan._replace(
        meshes=meshes,
        updates=updates,
        definitions=first_definitions(plan, meshes.converted),
        warnings=by_line([*plan.warnings, *meshes.warnings, *warnings]),
    )


def convert_meshes(plan: Plan, context: MeshContext) -> MeshResult:
    """Convert the meshes of all tasks, and name the results."""
    from .conversion import convert_tasks, MeshNaming

    converted, reduced, warnings = convert_tasks(plan, context)
    naming = MeshNaming(plan, context, converted)
    shapes = naming.shapes(converted)
    files, notes = context.converter.finish(naming.files, shapes)
    return plan.meshes._replace(
        converted=shapes,
        files=tuple(files),
        reduced=reduced,
        warnings=(*warnings, *naming.warnings, *notes),
        lost=tuple(naming.lost),
    )


def name_files(
    plan: Plan, meshes: MeshResult, folder: str, output_folder: str, context: Optional[MeshContext]
) -> Tuple[MeshResult, Diagnostics]:
    """Return the meshes with the new names of all files that are not converted, for the folder of the output, and the
    warnings about files that are not found, or that MuJoCo does not find any more.

    A converter may copy and name all of them; else relative names are adapted to an output in another folder. Where
    MuJoCo looks for meshes in a separate folder, and names change or meshes are made, it then looks from the output on,
    as all other readers do; because of a URI, which it cannot resolve from there, it looks in the same folder as
    before.
    """
    here, there = os.path.realpath(folder or "."), os.path.realpath(output_folder or ".")
    form = NO_CONVERSION
    known = _file_names(plan)
    others = OtherFiles()
    root = plan.robot.document.root
    packages = plan.options.meshes.package
    resolver = resolver_for(root, here, packages)
    adds_files = False
    if context:
        lines = {name: element.line for name, element in known.items()}
        form = context.converter.form
        others = context.converter.others(lines, context)
        resolver = context.resolver
        adds_files = context.converter.adds_files
    rename = others.name_of
    warnings = list(others.warnings)
    meshes = meshes._replace(files=(*meshes.files, *others.files))
    names: Dict[str, str] = {}
    files_of_names: List[Tuple[str, Optional[str]]] = []
    mesh_folder = mesh_folder_of(root)
    changes = bool(rename or here != there or meshes.converted or adds_files)
    # A name stays as it is written unless something moves: another spelling of the same file is no change.
    if not changes:
        known = {}
    for name, element in known.items():
        moved = moved_name(element, resolver, there)
        resolved = resolve(name, resolver)
        if rename:
            warnings += _notices(name, element, resolved, is_moved=moved != name)
        file = os.path.realpath(resolved.path or "")
        new = rename(file) if rename and resolved.path else moved
        if new != name:
            names[name] = new
            files_of_names += [(name, resolved.path), (new, file)]
    uri_files = {
        uri: os.path.realpath(path)
        for uri, path in files_of_names
        if path and URI_SCHEME.match(uri)
    }
    uri_files.update(zip(resolver.staged, resolver.staged))
    warnings = [*missing_meshes(warnings)]
    meshes = meshes._replace(names=names, uri_files=uri_files, compiler=form.compiler)
    if not mesh_folder or not changes or form.compiler:
        return meshes, warnings
    made = [*_names_made(meshes), *others.copied]
    kept = _names_kept(plan, meshes)
    compiler, lost = compiler_of(mesh_folder, (here, there), made, kept, names)
    return meshes._replace(compiler=compiler), [*warnings, *lost]


def _notices(name: str, element: Element, resolved: Found, *, is_moved: bool) -> Diagnostics:
    """Return what is reported of a file that is to be copied: its packages, and that it is not found."""
    notices = [*package_notices([resolved])]
    if not resolved.path:
        means = "place" if is_moved else "name"
        hint = f" ({resolved.hint})" if resolved.hint else ""
        notices.append(Diagnostic(MESH_NOT_FOUND, element.line, means, (name, hint)))
    return notices


def _file_names(plan: Plan) -> Dict[str, Element]:
    """Return the names of all mesh and texture files, each with the first element that has it; not those of meshes that
    are removed."""
    names: Dict[str, Element] = {}
    robot = plan.robot
    removed = {shape.mesh for _, shape in robot.shapes} - {
        shape.mesh for _, shape in plan.staying_shapes
    }
    for element in robot.document.root.walk():
        filename = element.get("filename") if element.name in NAMES_FILE else None
        if filename and filename not in removed:
            names.setdefault(filename, element)
    return names


def _names_made(meshes: MeshResult) -> Iterable[str]:
    return (part.filename for split in meshes.converted for part in split.parts)


def _names_kept(plan: Plan, meshes: MeshResult) -> Dict[str, int]:
    """Return the names of the meshes that are not converted, each with its first line."""
    converted = {split.shape.source.offset for split in meshes.converted}
    return {
        shape.mesh: shape.source.line
        for _, shape in reversed(plan.staying_shapes)
        if shape.mesh and shape.source.offset not in converted
    }


def compiler_of(
    mesh_folder: MeshFolder,
    folders: Pair,
    made: Sequence[str],
    kept: Mapping[str, int],
    names: Mapping[str, str],
) -> Tuple[Pairs, Diagnostics]:
    """Return the attributes with which MuJoCo finds the meshes of a result, and warnings about those it does not.

    Args:
        mesh_folder: where it looked.
        folders: of the input and of the result, two real paths.
        made: the names of new files.
        kept: the names of the others in the input, each with its line.
        names: by name in the input, that in the result, where they differ.
    """
    here, there = folders
    if any(map(URI_SCHEME.match, (*made, *(names.get(name, name) for name in kept)))):
        meshdir = seen_from(mesh_folder.meshdir or ".", here, there) if here != there else None
        lost = Diagnostic(MESH_FOLDER, 0, "lost")
        return (("meshdir", meshdir),) if meshdir else (), [lost] if made else []
    # No URI is left: all names can be relative to the output, for MuJoCo as for other readers.
    if not made and not kept:
        return (), []
    warnings = []
    for name, line in kept.items():
        file, *others = (
            os.path.realpath(os.path.join(here, candidate))
            for candidate in (meant_name(name, here, mesh_folder), *names_in(mesh_folder, name))
        )
        if any(os.path.isfile(other) and other != file for other in others):
            warnings.append(Diagnostic(MESH_FOLDER, line, "other", (name,)))
    wanted = (
        ("meshdir", "." if mesh_folder.meshdir not in ("", ".") else mesh_folder.meshdir),
        ("strippath", "false"),
    )
    return tuple(
        (name, value) for name, value in wanted if value != getattr(mesh_folder, name)
    ), warnings
