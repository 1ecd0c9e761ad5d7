"""Convert the meshes of the shapes that stay, and name what they become: files, and materials of visuals."""
import os
from functools import partial
from math import isfinite
from typing import Callable, Dict, Iterable, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ..base.diagnostics import Diagnostic, Kind
from ..base.kinds import MESH_NOT_FOUND, MESH_TEXTURED, MESH_UNREADABLE
from ..base.errors import BrokenMesh, Unusable, UrdfError
from ..urdf.materials import material_definitions
from ..urdf.mesh_paths import mesh_stem
from ..urdf.model import Robot, Shape
from ..urdf.package_resolver import package_notices, resolve
from ..mesh.file_names import safe_stem, unique_stem
from ..collada.records import (COLLADA_ENDINGS, Conversion, DaeColor, DaeOptions, MeshProgress, Part, part_stems,
                               rgba_text)
from .mesh_splitting import is_collada, MeshFile, owns_stl, Split, SplitPart, Splitting, Workshop
from .options import MeshOptions

GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)
WORTH_A_POOL = 12_000_000  # bytes of COLLADA from which a second process pays for its start


class _Job(NamedTuple):
    """A file to convert, separated by color or in one piece; `kind` separates what is named separately.

    `made_for` is the kind of shape where the maker makes something else of each, else "".
    """

    path: str
    separate: bool
    kind: str
    made_for: str


Outcome = Union[Conversion, UrdfError]
_Convert = Callable[[str, str, DaeOptions, str, str], Conversion]
# path, folder to write to, options, how the files there begin, kind of shape, how the maker converts
_Call = Tuple[str, str, DaeOptions, str, str, Optional[_Convert]]


def convert_and_split(robot: Robot, staying: Iterable[Tuple[str, Shape]], options: MeshOptions, workshop: Workshop
                 ) -> Splitting:
    """Convert the files of the shapes that stay; see `decide_splitting`.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read.
        ProofFailed: what was written is not what a file holds.
    """
    maker = workshop.maker
    endings = maker.endings if maker else COLLADA_ENDINGS
    shapes = [(link, shape) for link, shape in staying if shape.mesh.lower().endswith(endings)]
    warnings: List[Diagnostic] = []
    jobs: List[Optional[_Job]] = []
    for _, shape in shapes:
        found = resolve(shape.mesh, workshop.resolver)
        if found.path is None:
            _report(MESH_NOT_FOUND, shape, found.tried, robot, options, warnings)
            jobs.append(None)
            continue
        warnings += package_notices([found])
        if maker and maker.skips(found.path):
            jobs.append(None)
        else:
            separate = (maker.separates if maker else options.separate_dae_meshes) and shape.kind == "visual"
            kind = shape.kind if options.append_mesh_type else ""
            jobs.append(_Job(os.path.realpath(found.path), separate, kind, shape.kind if maker else ""))
    first = [job for job in jobs if job and not (maker and maker.shares and job.made_for == "collision")]
    conversions = _convert_all(list(dict.fromkeys(first)), options, workshop)
    if maker and maker.shares:  # a visual that is one file is that of the collision, too
        whole = {job.path: job for job, made in conversions.items() if isinstance(made, Conversion)
                 and len(made.parts) == 1 and not job.kind}
        jobs = [job and whole.get(job.path, job) for job in jobs]
        rest = [job for job in dict.fromkeys(jobs) if job and job not in conversions]
        conversions.update(_convert_all(rest, options, workshop, len(conversions)))
    return _name_all(robot, shapes, jobs, conversions, options, workshop, warnings)


def _name_all(robot: Robot, shapes: List[Tuple[str, Shape]], jobs: List[Optional[_Job]],
              conversions: Dict[_Job, Outcome], options: MeshOptions, workshop: Workshop, warnings: List[Diagnostic]
              ) -> Splitting:
    """Give every file its name and every visual its materials, in the order of the URDF."""
    maker = workshop.maker
    going = {shape.source.offset for (_, shape), job in zip(shapes, jobs) if job or not maker}
    taken = {mesh_stem(shape.mesh).casefold() for link in robot.links.values() for shape in link.shapes
             if shape.mesh and shape.source.offset not in going and (maker or not is_collada(shape))}
    materials = _known_materials(robot)
    names: Dict[Tuple[_Job, Tuple[str, ...]], List[str]] = {}
    colors: Dict[str, str] = {}
    splits: List[Split] = []
    files: List[MeshFile] = []
    for (link, shape), job in zip(shapes, jobs):
        outcome = conversions[job] if job is not None else None
        if job is None or outcome is None:
            continue
        if isinstance(outcome, UrdfError):
            _report(MESH_UNREADABLE, shape, str(outcome), robot, options, warnings)
            continue
        images = [part.image for part in outcome.parts if part.image]
        if images and options.keep_textured and shape.kind == "visual":
            warnings.append(Diagnostic(MESH_TEXTURED, shape.source.line, "left", (shape.mesh, images[0])))
            continue
        made = [_material_for(shape, link, number, part, materials)
                for number, part in enumerate(outcome.parts, start=1)]
        # Parts without a color get that of the visual, also in their files: another color needs other files.
        given = tuple(rgba for (_, rgba), part in zip(made, outcome.parts) if not part.rgba)
        key = (job, given if maker and maker.writes_colors else ())
        if key not in names:
            known = next((known for (other, _), known in names.items() if other == job), None)
            new = [place for place, part in enumerate(outcome.parts) if not known or not part.rgba]
            stems = _stems(job, [outcome.parts[place] for place in new], taken, collides=not job.separate and (
                options.separate_dae_meshes or job.made_for == "collision"))
            names[key] = list(known or [""] * len(new))
            found = [note._replace(place=shape.mesh) for note in outcome.notes]
            for place, stem in zip(new, stems):
                part = outcome.parts[place]
                names[key][place] = f"{stem}{os.path.splitext(part.file)[1]}"
                files.append(MeshFile(part.file, os.path.join(workshop.target, names[key][place]), part, job.path,
                                      bool(options.mesh_dir), outcome.details[place] if outcome.details else None))
                found += [note._replace(place=names[key][place]) for note in part.notes]
            warnings += [note._replace(line=shape.source.line) for note in found if not known]
        parts = [SplitPart(f"{workshop.prefix}{name}", *material) for name, material in zip(names[key], made)]
        for name, (_, rgba) in zip(names[key], made):
            if rgba:
                colors.setdefault(os.path.join(workshop.target, name), rgba)
        if maker and maker.holds_colors and shape.kind == "visual":
            parts = [SplitPart(one.filename, "", one.rgba, part.rgba is not None)
                     for one, part in zip(parts, outcome.parts)]
        splits.append(Split(shape, link, tuple(parts), outcome.parts))
    if maker:
        files, notes = maker.finish(files, colors)
        warnings += notes
    left = sum(is_collada(shape) for _, shape in shapes) - sum(is_collada(split.shape) for split in splits)
    return Splitting(tuple(splits), tuple(files), tuple(warnings), left, maker.owns if maker else owns_stl)


def _stems(job: _Job, parts: Sequence[Part], taken: Set[str], *, collides: bool) -> List[str]:
    """Return the file stems of a conversion: `base_JointGrey`, with the kind behind it where that is asked for."""
    stem = safe_stem(mesh_stem(job.path), "mesh")
    kind = job.kind or ("collision" if collides and stem.casefold() in taken else "")
    if not kind:
        return part_stems(parts, stem, taken)
    return [unique_stem(name, taken, f"_{kind}") for name in part_stems(parts, stem, set())]


def _known_materials(robot: Robot) -> Dict[str, str]:
    """Return the colors of the named materials in the URDF ("" where a name has none): a name means one color."""
    known = {str(element.get("name")): "" for element in robot.document.root.walk()
             if element.name == "material" and element.get("name")}
    for name, definition in material_definitions(robot).items():
        color = definition.find("color")
        known[name] = (color.get("rgba") or "") if color is not None else ""
    return known


def _material_for(shape: Shape, link: str, number: int, part: Part, known: Dict[str, str]) -> Tuple[str, str]:
    """Return name and color of the material for a part: its own, else that of the visual in the URDF, else gray."""
    if shape.kind != "visual":
        return "", ""
    own = shape.source.find("material")
    own_name = shape.material.name if shape.material is not None else ""
    color = own.find("color") if own is not None else None
    own_rgba = (color.get("rgba") or "") if color is not None else known.get(own_name, "")
    if part.rgba is None and _is_rgba(own_rgba):
        name, rgba = own_name, own_rgba
    else:
        name, rgba = "", rgba_text(part.rgba or GRAY)
    name = name or f"{link}_{safe_stem(part.material, f'part{number}')}_mat"
    candidate, tries = name, 1
    while known.setdefault(candidate, rgba).split() != rgba.split():
        tries += 1
        candidate = f"{name}_{tries}"
    return candidate, rgba


def _is_rgba(text: str) -> bool:
    try:
        return [isfinite(float(word)) for word in text.split()] == [True] * 4
    except ValueError:
        return False


def _report(kind: Kind, shape: Shape, reason: str, robot: Robot, options: MeshOptions, warnings: List[Diagnostic]
            ) -> None:
    """Warn of a mesh that is left as it is, or, with `strict`, raise BrokenMesh."""
    found = Diagnostic(kind, shape.source.line, "left", (shape.mesh, reason))
    if options.strict:
        raise BrokenMesh(found.text, robot.document.path, found.line)
    warnings.append(found)


def _convert_all(jobs: List[_Job], options: MeshOptions, workshop: Workshop, start: int = 0) -> Dict[_Job, Outcome]:
    """Convert every file once; a file that cannot be converted yields its error instead.

    The names of the files that are made count from `start`.
    """
    from ..base.process_pool import call_in_processes, is_known_elsewhere

    rare = workshop.rare()
    calls = {job: (job.path, workshop.staging_dir, options.dae._replace(separate=job.separate, rare=rare),
                   f"mesh{number}", job.made_for, workshop.maker.convert if workshop.maker else None)
             for number, job in enumerate(jobs, start)}
    sizes = {job: os.path.getsize(job.path) for job in jobs}
    show = workshop.progress or (lambda name, triangles: None)

    def finished(call: _Call, outcome: Outcome) -> None:
        parts = outcome.parts if isinstance(outcome, Conversion) else ()
        show(os.path.basename(call[0]), sum(part.triangles for part in parts))

    workers = min(options.jobs or os.cpu_count() or 1, len(jobs))
    if workers > 1 and is_known_elsewhere(_convert) and (sum(sizes.values()) >= WORTH_A_POOL or options.jobs):
        # A large file that comes last would keep one process busy while the others have nothing to do.
        largest_first = sorted(jobs, key=sizes.__getitem__, reverse=True)
        outcomes = call_in_processes(_convert, [calls[job] for job in largest_first], workers, finished)
        if outcomes is not None:
            return dict(zip(largest_first, outcomes))
    return {job: _convert(calls[job], partial(show, os.path.basename(job.path))) for job in jobs}


def _convert(call: _Call, progress: Optional[MeshProgress] = None) -> Outcome:
    """Return the conversion of one file, or the error that says why there is none."""
    from ..collada.convert import convert_dae

    path, staging_dir, options, prefix, kind, convert = call
    try:
        conversion = convert(path, staging_dir, options, prefix, kind) if convert else (
            convert_dae(path, staging_dir, options, prefix, progress))
    except UrdfError as error:
        return error
    except OSError as error:
        raise Unusable(f"cannot be written: {error.strerror or error}", error.filename or staging_dir) from None
    if not conversion.parts:
        return BrokenMesh("; ".join(("draws no triangles", *map(str, conversion.notes))), path)
    return conversion
