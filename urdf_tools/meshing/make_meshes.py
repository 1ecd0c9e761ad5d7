"""The completed plan of a run: with converted meshes, and the names of all mesh and texture files of the result.

Files that are not converted get their names in the result, and MuJoCo's attributes for finding them.

Named materials must keep their meaning when the shapes that define them are removed or reordered. For some readers the
first definition of a name in the file, a material of the robot before materials of visuals, applies to all visuals with
the name, even if they have a different color (urdfdom, model.cpp, `assignMaterial`: RViz, Gazebo, pinocchio). Other
readers use the color of the visual, and the first definition only for visuals without a color. Both get the same color
if the first definition of a name stays the first.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Callable, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Pair, Pairs
from ..base.diagnostics import Diagnostic, Diagnostics
from ..base.run_diagnostics import MESH_FOLDER, MESH_NOT_FOUND
from ..base.record_type import Record
from ..plan.plan_decisions import by_line, Plan
from ..plan.link_merging import LinkMembership
from ..plan.mesh_tasks import ConvertedShape, is_collada, MeshResult, NO_CONVERSION
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import (
    referenced_name,
    mesh_folder_of,
    MujocoMeshFolder,
    names_in,
    seen_from,
    URI_SCHEME,
)
from ..urdf.urdf_records import defines, AttributeEdit, material_definitions, UrdfRobot, UrdfShape
from ..urdf.moved_files import FileUse, moved_name, NAMES_FILE, use_of
from ..urdf.package_resolver import (
    ResolvedFile,
    with_missing_meshes_joined,
    package_notices,
    resolve,
    PackageResolver,
    resolver_for,
)
from .mesh_converter import MeshFolders, UnconvertedFiles

MaterialContent = Tuple[object, ...]
# A name, the content of its material or (), and its offset.
Use = Tuple[str, MaterialContent, int]


def _shapes_in_order(
    robot: UrdfRobot, members: Mapping[str, LinkMembership]
) -> Iterator[UrdfShape]:
    """Yield the shapes in the order of the result: a link's own shapes, then the shapes of links merged into it."""
    merged: Dict[str, List[UrdfShape]] = {}
    for name, member in members.items():
        if member.merged:
            merged.setdefault(member.target, []).extend(robot.links[name].shapes)
    for name, link in robot.links.items():
        if not members[name].merged:
            yield from link.shapes
            yield from merged.get(name, ())


def first_definitions(
    plan: Plan, converted: Sequence[ConvertedShape], whole: Optional[UrdfRobot] = None
) -> Tuple[Element, ...]:
    """Return the material definitions to add to the robot, so that the first definition of each name stays the first.

    `whole`: the robot of which the plan's robot is a part.
    """
    robot = plan.robot
    source = whole or plan.robot
    members = plan.members
    removed = plan.removed_shapes  # a property, which builds the set at each access
    parts = {split.shape.source.offset: split.parts for split in converted}
    old_uses = _uses(shape for _, shape in source.shapes)
    if not old_uses:
        return ()
    new_uses: List[Use] = []
    for shape in _shapes_in_order(robot, members):
        if shape.source.offset not in removed:
            for part in parts.get(shape.source.offset, (None,)):
                if part is not None and part.material:
                    new_uses.append((part.material, (("color", (("rgba", part.rgba),)),), -1))
                elif part is None or not part.has_own_colors:
                    new_uses += _uses([shape])
    old_meanings, too_early = _first_ones(robot, old_uses)
    new_meanings, now_too_early = _first_ones(robot, new_uses)
    changed = {name for name, _ in now_too_early - too_early}
    changed.update(
        name for name, _, _ in new_uses if new_meanings.get(name) != old_meanings.get(name)
    )
    return tuple(
        material for name, material in material_definitions(source).items() if name in changed
    )


def _uses(shapes: Iterable[UrdfShape]) -> List[Use]:
    """Return the named materials of visuals."""
    uses: List[Use] = []
    for shape in shapes:
        # Readers use the first material of a visual.
        material = shape.source.find("material") if shape.kind == "visual" else None
        name = material.get("name") if material is not None else None
        if material is not None and name:
            uses.append((name, material_content(material), material.offset))
    return uses


def material_content(material: Element) -> MaterialContent:
    """Return the content of a material if it has a color or an image, else ()."""
    if not defines(material):
        return ()
    parts = chain.from_iterable(child.walk() for child in material.elements())
    return tuple((part.name, tuple(sorted(part.attributes.items()))) for part in parts)


def _first_ones(
    robot: UrdfRobot, uses: Iterable[Use]
) -> Tuple[Dict[str, MaterialContent], Set[Tuple[str, int]]]:
    """Return the first definition of each name, and the uses of a bare name before its definition."""
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
    plan: Plan, folder: str, output_folder: str, context: Optional[MeshFolders]
) -> Plan:
    """Return the plan with its converted meshes, whose files in the temporary folder are finished and verified.

    Args:
        plan: the decisions.
        folder: the folder of the input.
        output_folder: the folder of the output.
        context: where meshes are made; None converts no mesh.

    Raises:
        UrdfError: with `require_meshes`, a file cannot be found or read; or a file cannot be copied.
        ProofFailed: the written triangles differ from the triangles of a file.
    """
    # Material definitions come last, because converted visuals have other materials than the input.
    meshes = convert_meshes(plan, context) if context and plan.mesh_tasks else plan.meshes
    collada = sum(is_collada(shape) for _, shape in plan.staying_shapes)
    meshes = meshes._replace(
        unconverted=collada - sum(is_collada(split.shape) for split in meshes.converted)
    )
    meshes, warnings = name_files(plan, meshes, folder, output_folder, context)
    compiler = [
        AttributeEdit(plan.robot.document.root, name, value, "mujoco/compiler")
        for name, value in meshes.compiler
    ]
    updates = plan.updates._replace(edits=(*plan.updates.edits, *compiler))
    return plan._replace(
        meshes=meshes,
        updates=updates,
        definitions=first_definitions(plan, meshes.converted),
        warnings=by_line([*plan.warnings, *meshes.warnings, *warnings]),
    )


def convert_meshes(plan: Plan, context: MeshFolders) -> MeshResult:
    """Convert the meshes of all tasks, and name the results."""
    from .mesh_conversion import convert_tasks, MeshNaming

    converted, reduced, warnings = convert_tasks(plan, context)
    naming = MeshNaming(plan, context, converted)
    shapes = naming.shapes(converted)
    files, notes = context.making.converter.finish(naming.files, shapes)
    return plan.meshes._replace(
        converted=shapes,
        files=tuple(files),
        reduced=reduced,
        warnings=(*warnings, *naming.warnings, *notes),
        lost=tuple(naming.lost),
        restated=tuple(naming.restated),
    )


def name_files(
    plan: Plan, meshes: MeshResult, folder: str, output_folder: str, context: Optional[MeshFolders]
) -> Tuple[MeshResult, Diagnostics]:
    """Return the meshes with the new names of all files that are not converted, for the folder of the output, and warnings.

    The warnings are about files that are not found, or that MuJoCo no longer finds.

    A converter may copy and name all of these files; otherwise relative names are adapted to the folder of the output.
    If MuJoCo searches meshes in a separate folder, and names change or meshes are made, it then searches relative to
    the output, as all other readers do. If a URI prevents this, because MuJoCo cannot resolve it relative to the
    output, it searches the same folder as before.
    """
    input_folder = os.path.realpath(folder or ".")
    result_folder = os.path.realpath(output_folder or ".")
    elements_by_use = _uses_of_files(plan)
    root = plan.robot.document.root
    if context:
        lines = {use: element.line for use, element in elements_by_use.items()}
        form = context.making.converter.form
        other_files = context.making.converter.others(lines, context)
        adds_files = context.making.converter.adds_files
        resolver = context.resolver
    else:
        form = NO_CONVERSION
        other_files = UnconvertedFiles()
        adds_files = False
        resolver = resolver_for(root, input_folder, plan.options.meshes.package)

    # Names are kept unless something moves: a different spelling of the same file is not a change.
    changes = bool(
        other_files.name_of or input_folder != result_folder or meshes.converted or adds_files
    )
    if not changes:
        elements_by_use = {}
    renamed = _renamed(elements_by_use, other_files.name_of, resolver, result_folder)
    # The verification finds files by their real paths in `uri_files`. Files that the run will write must be found, too, and
    # the keys of `staged` are their real paths.
    staged_files = {path: path for path in resolver.staged}
    meshes = meshes._replace(
        files=(*meshes.files, *other_files.files),
        names=renamed.names,
        uri_files={**renamed.uri_files, **staged_files},
        compiler=form.compiler,
    )
    warnings = [*with_missing_meshes_joined([*other_files.warnings, *renamed.warnings])]

    mesh_folder = mesh_folder_of(root)
    # A form with its own attributes lets MuJoCo search relative to the result, so the folder of the input does not matter.
    if not mesh_folder or not changes or form.compiler:
        return meshes, warnings
    compiler, folder_notes = compiler_of(
        mesh_folder=mesh_folder,
        folders=(input_folder, result_folder),
        made=[*_names_made(meshes), *other_files.copied],
        kept=_names_kept(plan, meshes),
        # Both uses of a name have the same form: a URI, or relative.
        names={name: new for (_, name), new in renamed.names.items()},
    )
    return meshes._replace(compiler=compiler), [*warnings, *folder_notes]


class RenamedFiles(Record):
    """New names of the files of a robot that are not converted.

    Attributes:
        names: by use with the old name, where they differ.
        uri_files: the real paths of old and new names that are URIs.
        warnings: warnings about files to copy.
    """

    names: Dict[FileUse, str]
    uri_files: Dict[str, str]
    warnings: Diagnostics


def _renamed(
    elements_by_use: Mapping[FileUse, Element],
    name_of: Optional[Callable[[FileUse], str]],
    resolver: PackageResolver,
    folder: str,
) -> RenamedFiles:
    """Return the names of files relative to a new folder; the files are given by use with an element that has it.

    `name_of` returns the name of a copy by its use with the real path of its original; None copies nothing.
    """
    names: Dict[FileUse, str] = {}
    uri_files: Dict[str, str] = {}
    warnings: Diagnostics = []
    noticed: Set[str] = set()
    for use, element in elements_by_use.items():
        kind, name = use
        moved = moved_name(element, resolver, folder)
        resolved = resolve(name, resolver)
        if name_of and name not in noticed:
            noticed.add(name)
            warnings += _notices(name, element, resolved, is_moved=moved != name)
        file = os.path.realpath(resolved.path or "")
        new = name_of((kind, file)) if name_of and resolved.path else moved
        if new == name:
            continue
        names[use] = new
        if resolved.path and URI_SCHEME.match(name):
            uri_files[name] = file
        if URI_SCHEME.match(new):
            uri_files[new] = file
    return RenamedFiles(names, uri_files, warnings)


def _notices(name: str, element: Element, resolved: ResolvedFile, *, is_moved: bool) -> Diagnostics:
    """Return the diagnostics on a file to copy: on its package, or that it is missing."""
    notices = [*package_notices([resolved])]
    if not resolved.path:
        means = "place" if is_moved else "name"
        hint = f" ({resolved.hint})" if resolved.hint else ""
        notices.append(Diagnostic(MESH_NOT_FOUND, element.line, means, (name, hint)))
    return notices


def _uses_of_files(plan: Plan) -> Dict[FileUse, Element]:
    """Return the uses of all mesh and texture files except removed meshes, each with the first element that has it."""
    uses: Dict[FileUse, Element] = {}
    robot = plan.robot
    removed = {(shape.kind, shape.mesh) for _, shape in robot.shapes} - {
        (shape.kind, shape.mesh) for _, shape in plan.staying_shapes
    }
    for element in robot.document.root.walk():
        if element.name not in NAMES_FILE or not element.get("filename"):
            continue
        use = use_of(element)
        if use not in removed:
            uses.setdefault(use, element)
    return uses


def _names_made(meshes: MeshResult) -> Iterable[str]:
    """Return the names of the new files."""
    parts = chain.from_iterable(split.parts for split in meshes.converted)
    return [part.filename for part in parts]


def _names_kept(plan: Plan, meshes: MeshResult) -> Dict[str, int]:
    """Return the names of the meshes that are not converted, each with its first line."""
    converted = {split.shape.source.offset for split in meshes.converted}
    return {
        shape.mesh: shape.source.line
        # Reversed, so that the first line with a name is kept.
        for _, shape in reversed(plan.staying_shapes)
        if shape.mesh and shape.source.offset not in converted
    }


def compiler_of(
    mesh_folder: MujocoMeshFolder,
    folders: Pair,
    made: Sequence[str],
    kept: Mapping[str, int],
    names: Mapping[str, str],
) -> Tuple[Pairs, Diagnostics]:
    """Return the MuJoCo attributes for finding the meshes of a result, and warnings about meshes that it does not find.

    Args:
        mesh_folder: MuJoCo's settings in the input.
        folders: the real paths of the folders of input and result.
        made: the names of new files.
        kept: the names of the other meshes in the input, each with its line.
        names: by name in the input, the name in the result, where they differ.
    """
    input_folder, result_folder = folders
    if any(map(URI_SCHEME.match, (*made, *(names.get(name, name) for name in kept)))):
        attributes: Pairs = ()
        if input_folder != result_folder:
            meshdir = seen_from(mesh_folder.meshdir or ".", input_folder, result_folder)
            if meshdir:
                attributes = (("meshdir", meshdir),)
        # MuJoCo keeps searching in that folder, which does not contain the new files.
        warnings = [Diagnostic(MESH_FOLDER, 0, "lost")] if made else []
        return attributes, warnings
    # No URI remains, so all names can be relative to the output, for MuJoCo as for other readers.
    if not made and not kept:
        return (), []
    warnings = []
    for name, line in kept.items():
        file, *other_files = (
            os.path.realpath(os.path.join(input_folder, candidate))
            for candidate in (
                referenced_name(name, input_folder, mesh_folder),
                *names_in(mesh_folder, name),
            )
        )
        if any(os.path.isfile(other) and other != file for other in other_files):
            warnings.append(Diagnostic(MESH_FOLDER, line, "other", (name,)))
    meshdir = "." if mesh_folder.meshdir not in ("", ".") else mesh_folder.meshdir
    # With these, MuJoCo resolves names from the folder of the output, as all other readers do.
    values = (("meshdir", meshdir), ("strippath", "false"))
    changed = [(name, value) for name, value in values if value != getattr(mesh_folder, name)]
    return tuple(changed), warnings
