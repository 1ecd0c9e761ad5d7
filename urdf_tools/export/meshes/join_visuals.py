"""The visuals of a link in one file for each color, with their origins and scales in the corners (`--one-mesh`).

It runs after all other mesh steps. Visuals of equal colors are joined if that leaves fewer surfaces and not more files,
so a second run changes nothing.
"""

from __future__ import annotations

import os
import re
from itertools import chain
from typing import AbstractSet, Callable, Dict, List, Optional, Sequence, Set, Tuple, Union

from ...base.type_aliases import Pair
from ...apply.apply_plan_passes import define_materials, drop_shapes, split_meshes
from ...base.errors import UrdfError, UsageError
from ...base.file_reading import file_stamp
from ...base.number_text import count_of, grouped, shown_names
from ...base.record_type import Record
from ...collada.conversion_records import DaeConversionResult, MAX_FACES, MeshPart, rgba_text
from ...meshes.convert_mesh import write_parts
from ...meshes.mesh_content import compact, MeshMaterial, Rgba, MaterialSurface, tidy
from ...meshes.mesh_readers import ending_of, named_files, read_mesh, STL_ENDINGS
from ...meshes.prepare_surfaces import baked, join_primitives, MeshTarget, welded
from ...meshing.mesh_conversion import Converted, MeshNaming
from ...meshing.mesh_converter import mesh_context, MeshFolders, MeshMakingSettings
from ...meshing.make_meshes import first_definitions
from ...model.model_shapes import geometry_of, material_of, Material as Look, Mesh
from ...plan.plan_decisions import make_plan, Plan
from ...plan.mesh_tasks import (
    ConvertedShape,
    lost_looks,
    FinishedFile,
    MeshJob,
    ConversionTask,
    POINT_COLORS,
)
from ...plan.run_options import Options
from ...plan.removed_shapes import RemovedShape
from ...run.run_records import ExtensionRequest, Result
from ...urdf.lossless_xml import Element
from ...urdf.mesh_paths import mesh_stem, safe_stem
from ...urdf.urdf_records import UrdfLink, material_definitions, UrdfRobot, UrdfShape
from ...urdf.xml_edits import copy_document, detach
from ..shared_run_values import mesh_table, with_text
from ..export_request import ExportRequest, request_of
from .format_converter import finish_files
from .verify_joined_visuals import verify_one_mesh
from .mesh_request import MeshRequest, read_mesh_request, WITH_COLORS

MOST_BYTES = 1.5  # times the size without joining: instances of a file are written out
IMAGE = "with an image"
LIGHT = "with light or colors of points"
PRIMITIVE = "without a mesh"
LOST = "whose file cannot be read"
OTHER = "with more than a scaled mesh"
GLTF = "glTF of others (--mesh-format obj converts it)"
IN_VISUAL = {"origin", "geometry", "material"}


class VisualMesh(Record):
    """A visual: its number in its link, its file, and its surfaces by look.

    The material of a surface is the material of the file, with the URDF's name if the file gives no name.
    """

    number: int
    shape: UrdfShape
    path: str
    surfaces: Dict[MeshMaterial, MaterialSurface]


class JoinedMesh(Record):
    """The surface of a new file in the frame of its link, its color, and the first visual that it replaces.

    `piece` is 0, or 1, 2, ... if a single file would have too many triangles.
    """

    surface: MaterialSurface
    first: VisualMesh
    color: Optional[Rgba]
    piece: int


class JoinedVisuals(Record):
    """Joined visuals of a link, their new meshes, and the format of these."""

    link: str
    visuals: Sequence[VisualMesh]
    meshes: Sequence[JoinedMesh]
    format: str


def with_one_mesh(asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> Result:
    """Return the result of a run whose links have one mesh for each color of their visuals, verified.

    Raises:
        UsageError: the files would take much more space.
        ProofFailed: a file differs from the visuals that it replaces; a fault of this tool.
    """
    request = request_of(asked, result)
    wanted = read_mesh_request(
        asked.choices,
        result.plan.options.meshes,
        asked.spelled,
        writes_urdf=bool(asked.output),
    )
    path_of = mesh_table(request).source_of
    meanings = material_definitions(result.after)
    stays: List[Pair] = []
    every: List[JoinedVisuals] = []
    for link in result.after.links.values():
        if len(link.visuals) > 1 and any(shape.mesh for shape in link.visuals):
            every += _joined(link, path_of, meanings, wanted, stays)
    if every:
        result = _with(request, every, making, wanted)
    lines = (*result.exported.lines, _line(every, stays))
    return result._replace(exported=result.exported._replace(lines=lines))


def _joined(
    link: UrdfLink,
    path_of: Callable[[str], Optional[str]],
    meanings: Dict[str, Element],
    wanted: Optional[MeshRequest],
    stays: List[Pair],
) -> List[JoinedVisuals]:
    """Return the visuals of a link that are joined, if that pays; add the unsuitable visuals to `stays`."""
    paths = [path_of(shape.mesh) or "" for shape in link.visuals]
    endings = {ending_of(path)[1:] for path in paths if path}
    # The common format of all, if it holds colors; else STL, which every program reads.
    form = endings.pop() if len(endings) == 1 and endings <= {"obj", *WITH_COLORS} else "stl"
    visuals: List[VisualMesh] = []
    for number, (shape, path) in enumerate(zip(link.visuals, paths)):
        visual = _visual(number, shape, path, material_of(shape, meanings) or Look(), form, wanted)
        if isinstance(visual, VisualMesh):
            visuals.append(visual)
        else:
            stays.append((visual, mesh_stem(shape.mesh) or f"'{shape.name or link.name}'"))
    going, meshes = _joining(visuals)
    surfaces = sum(len(visual.surfaces) for visual in going)
    pays = 0 < len(meshes) < surfaces and len(meshes) <= len(going)
    return [JoinedVisuals(link.name, going, meshes, form)] if pays else []


def _joining(visuals: Sequence[VisualMesh]) -> Tuple[List[VisualMesh], List[JoinedMesh]]:
    """Return the visuals that go into common meshes, and the meshes: one of each color."""
    users: Dict[MeshMaterial, List[VisualMesh]] = {}
    for visual in visuals:
        for look in visual.surfaces:
            users.setdefault(look, []).append(visual)
    # A visual that shares a color with any other visual is joined, with all of its colors.
    going = [visual for visual in visuals if any(len(users[look]) > 1 for look in visual.surfaces)]
    looks_that_go = {*chain.from_iterable(visual.surfaces for visual in going)}
    meshes: List[JoinedMesh] = []
    for look, several in users.items():
        if look in looks_that_go:
            meshes += _meshes(look, several)
    return going, meshes


def _visual(
    number: int, shape: UrdfShape, path: str, look: Look, form: str, wanted: Optional[MeshRequest]
) -> Union[VisualMesh, str]:
    """Return a visual with its surfaces, or the reason why it stays unchanged."""
    why = _why_it_stays(shape, path, look, wanted)
    if why:
        return why
    geometry = geometry_of(shape)
    assert isinstance(geometry, Mesh)
    try:
        mesh = read_mesh(path, shape_only=form == "stl")
        # A run for a different up axis would turn the mesh again.
        if mesh.up and wanted and mesh.up != wanted.up:
            return GLTF
        if any(surface.material.image for surface in mesh.surfaces):
            return IMAGE
        notes = chain(mesh.notes, *(surface.notes for surface in mesh.surfaces))
        is_lit = any(any(surface.material.emission) for surface in mesh.surfaces)
        if POINT_COLORS in lost_looks(notes) or is_lit and form == "stl":
            return LIGHT
        surfaces = mesh.surfaces
        # STL writes each corner once for each of its triangles.
        if ending_of(path) in STL_ENDINGS:
            surfaces = tuple(map(welded, surfaces))
        surfaces = tuple(baked(each, shape.pose, geometry.scale, path) for each in surfaces)
    except UrdfError:
        return LOST
    groups = grouped(
        (_look_of(surface.material, look, form), surface) for surface in surfaces if surface.corners
    )
    joined = {}
    for key, members in groups.items():
        material = members[0].material
        # A material of the URDF gives its name only if its color is shown.
        if look.name and material.rgba in (None, look.rgba):
            material = material._replace(name=look.name)
        joined[key] = join_primitives(members, material)
    return VisualMesh(number, shape, path, joined)


def _why_it_stays(shape: UrdfShape, path: str, look: Look, wanted: Optional[MeshRequest]) -> str:
    """Return the reason why a visual stays unchanged, "" if only its file could prevent joining."""
    geometry = geometry_of(shape)
    ending = ending_of(path)[1:]
    if not shape.mesh:
        return PRIMITIVE
    if not path:
        return LOST
    if not isinstance(geometry, Mesh) or not all(geometry.scale):
        return OTHER
    if not IN_VISUAL.issuperset(part.name for part in shape.source.elements()):
        return OTHER
    if ending in WITH_COLORS and not (wanted and wanted.format == ending):
        return GLTF
    return IMAGE if look.texture else ""


def _look_of(material: MeshMaterial, look: Look, form: str) -> MeshMaterial:
    """Return the look of a surface: its color is the color of the file, else of the URDF; STL keeps no more."""
    color = material.rgba or look.rgba
    if color:
        red, green, blue, alpha = map(float, rgba_text(color).split())  # as the URDF writes it
        color = (red, green, blue, alpha)
    return MeshMaterial(rgba=color) if form == "stl" else material._replace(name="", rgba=color)


def _meshes(look: MeshMaterial, visuals: Sequence[VisualMesh]) -> List[JoinedMesh]:
    """Return the meshes of the surfaces of visuals in one look, in their order, in pieces that MuJoCo reads."""
    surfaces = [visual.surfaces[look] for visual in visuals]
    joined = tidy(join_primitives(surfaces, surfaces[0].material))
    starts = range(0, len(joined.corners), 3 * MAX_FACES)
    if len(starts) == 1:
        return [JoinedMesh(joined, visuals[0], look.rgba, 0)]
    meshes = []
    for number, start in enumerate(starts, start=1):
        part = slice(start, start + 3 * MAX_FACES)
        corners = joined.corners[part]
        normal_corners = joined.normal_corners[part]
        surface = compact(joined._replace(corners=corners, normal_corners=normal_corners))
        meshes.append(JoinedMesh(surface, visuals[0], look.rgba, number))
    return meshes


def _with(
    request: ExportRequest,
    every: Sequence[JoinedVisuals],
    making: MeshMakingSettings,
    wanted: Optional[MeshRequest],
) -> Result:
    """Return a result with new files in place of the visuals that they draw, verified."""
    result = request.result
    path_of = mesh_table(request).source_of
    up = wanted.up if wanted else "y"
    # A plan that changes nothing: the passes of a run then write only the decisions made here.
    options = Options(
        merge=False, strip_hardware=False, reorient=False, meshes=result.plan.options.meshes
    )
    plan = make_plan(result.after, options)
    context = mesh_context(
        result.plan, request.path, request.output, making._replace(progress=None)
    )
    shapes, files = _written(every, plan, context, up)
    parts = {split.shape.source.offset: len(split.parts) for split in shapes}
    # A visual that the new file of an earlier visual draws is dropped.
    strips: List[RemovedShape] = []
    for joined in every:
        for visual in joined.visuals:
            if visual.shape.source.offset not in parts:
                strips.append(RemovedShape(visual.shape, joined.link, ""))
    meshes = plan.meshes._replace(converted=tuple(shapes))
    plan = plan._replace(copies=(), meshes=meshes, strips=tuple(strips))
    plan = plan._replace(definitions=first_definitions(plan, shapes))

    changed = with_text(result, _text_with(result, plan, shapes), files)

    made = {file.name: file for file in files if not file.along}

    def files_of(robot: UrdfRobot) -> Set[str]:
        """Return the files of the visuals of a robot."""
        visuals = chain.from_iterable(link.visuals for link in robot.links.values())
        names = {shape.mesh for shape in visuals}
        return {made[name].source if name in made else path_of(name) or "" for name in names}

    _check_size(request, files_of(result.after), files_of(changed.after))
    counts: Dict[str, Dict[int, int]] = {}
    for joined in every:
        counts[joined.link] = {
            visual.number: parts.get(visual.shape.source.offset, 0) for visual in joined.visuals
        }
    verify_one_mesh(result.after.document, changed.after.document, counts, path_of, made, up)
    plan = changed.plan
    count = sum(len(joined.visuals) for joined in every)
    change = f"{count_of(count, 'visual')} joined in {len(made)}"
    return changed._replace(
        plan=plan._replace(meshes=plan.meshes._replace(joined=counts)),
        exported=changed.exported._replace(changes=(change,)),
    )


def _text_with(result: Result, plan: Plan, shapes: Sequence[ConvertedShape]) -> bytes:
    """Return the text of a result with new visuals in place of those that they draw."""
    document = copy_document(result.after.document)
    for split in shapes:
        copied = document.copy_of(split.shape.source)
        # Pose and scale are in the corners now.
        detach(copied, copied.elements("origin"))
        for element in copied.walk():
            if element.name == "mesh":
                element.unset("scale")
    for act in (drop_shapes, split_meshes, define_materials):
        act(document, plan)
    return document.to_bytes()


def _written(
    every: Sequence[JoinedVisuals], plan: Plan, context: MeshFolders, up: str
) -> Tuple[List[ConvertedShape], List[FinishedFile]]:
    """Write the new meshes, named as conversions of the first visual that each replaces; return conversions and files."""
    folder = os.path.join(context.making.staging_dir, "joined")
    os.makedirs(folder)
    groups: List[Tuple[JoinedVisuals, List[JoinedMesh]]] = []
    for joined in every:
        meshes_by_visual = grouped((mesh.first.number, mesh) for mesh in joined.meshes)
        groups += [(joined, meshes) for meshes in meshes_by_visual.values()]
    converted: Converted = []
    suffix = "visual" if plan.options.meshes.append_mesh_type else ""
    for index, (joined, meshes) in enumerate(groups):
        parts: List[MeshPart] = []
        for number, mesh in enumerate(meshes):
            colored = mesh.color is not None or joined.format != "obj"
            target = MeshTarget(joined.format, up, colored=colored, split=True)
            path = os.path.join(folder, f"{index}_{number}")
            for part in write_parts(joined.link, [mesh.surface], path, target, []):
                # As an earlier run named it.
                material = re.sub(f"^{re.escape(joined.link)}_(.+)_mat$", r"\1", part.material)
                stamp = file_stamp(part.file)
                parts.append(part._replace(piece=mesh.piece, stamp=stamp, material=material))
        # The name of a file ends with its color, unless it is the only file of the link.
        is_only = len(parts) > 1 or len(joined.meshes) == 1
        name = joined.link if is_only else f"{joined.link}_{parts[0].material or index}"
        stem = safe_stem(name, "link")
        path = f"{index}/{stem}.{joined.format}"
        job = MeshJob(path, separate=True, kind="visual", suffix=suffix)
        task = ConversionTask(meshes[0].first.shape, joined.link, job)
        converted.append((task, DaeConversionResult(tuple(parts), ())))
    naming = MeshNaming(plan, context, converted)
    shapes = []
    for split, (_, meshes) in zip(naming.shapes(converted), groups):
        named = []
        for replacement, mesh in zip(split.parts, meshes):
            if not mesh.color:
                replacement = replacement._replace(material="", rgba="")
            named.append(replacement)
        shapes.append(split._replace(parts=tuple(named)))
    all_parts = chain.from_iterable(split.parts for split in shapes)
    colors = {part.filename: part.rgba for part in all_parts if part.rgba}
    files, _ = finish_files(naming.files, colors)
    return shapes, files


def _check_size(request: ExportRequest, before: AbstractSet[str], after: AbstractSet[str]) -> None:
    """Refuse visual meshes that are much larger than before: joining writes out a file that was drawn several times.

    Raises:
        UsageError: with the factor.
    """
    old, new = (sum(file_size(path) for path in paths if path) for paths in (before, after))
    if new > MOST_BYTES * old:
        raise UsageError(
            f"{request.spelled('one_mesh')}: the visual meshes would be {new / old:.1f} times as large "
            f"({old / 1e6:.2g} -> {new / 1e6:.2g} MB), as many visuals draw one file: leave it out",
            request.path,
        )


def file_size(path: str) -> int:
    """Return the number of bytes of a mesh, with its buffers."""
    return sum(map(os.path.getsize, (path, *named_files(path).shape)))


def _line(every: Sequence[JoinedVisuals], stays: Sequence[Pair]) -> str:
    """Return the number of joined visuals, and the reasons why others stay."""
    reasons = [
        f"{len(names)} {why}: {shown_names(dict.fromkeys(names))}"
        for why, names in grouped(stays).items()
    ]
    rest = ""
    if stays:
        stay = "stays" if len(stays) == 1 else "stay"
        rest = f"; {count_of(len(stays), 'visual')} {stay} ({', '.join(reasons)})"
    if not every:
        return f"Visual meshes: none are joined, as no link would have fewer files{rest}"
    count = sum(len(joined.visuals) for joined in every)
    files = sum(len(joined.meshes) for joined in every)
    meshes = chain.from_iterable(joined.meshes for joined in every)
    large = sum(mesh.piece == 1 for mesh in meshes)
    split = ""
    if large:
        split = f"; {large} of more than {MAX_FACES:,} triangles in several (--visual-error leaves fewer)"
    return (
        f"Visual meshes: {count_of(count, 'visual')} on {count_of(len(every), 'link')} -> "
        f"{count_of(files, 'file')}, the same triangles with each corner rounded once{split}{rest}"
    )
