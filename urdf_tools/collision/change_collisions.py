"""The step of a run that changes collisions: decide the shapes, write the files and the text, and verify both."""

from __future__ import annotations

import os
from collections import Counter
from math import ceil
from fnmatch import fnmatchcase
from typing import Callable, Dict, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Show, Texts
from ..base.diagnostics import Diagnostic
from ..base.errors import glob_meant, ProofFailed, UrdfError, UsageError
from ..base.number_text import count_of, grouped, shown_names
from ..base.record_type import Record
from ..collada.collada_to_stl import file_digest
from ..collada.binary_stl import pack_triangles, sign_stl, StlWriter
from ..meshes.mesh_readers import read_indexed
from ..meshes.convex_hull import Hull, Point, Triangle
from ..meshes.remaining_time import RemainingTime
from ..model.model_shapes import geometry_of, Mesh
from ..plan.mesh_tasks import FinishedFile
from ..urdf.lossless_xml import Element, parse_document
from ..urdf.mesh_paths import mesh_stem, safe_stem, unique_stem
from ..urdf.urdf_records import UrdfLink, UrdfRobot, UrdfShape
from .decide_collisions import LinkCollisionTask, decide_link, CollisionDecisions, kind_for
from .collision_diagnostics import COLLISION_LEFT, COLLISION_VERSION
from .convex_pieces import body_of_file
from .collision_settings import CollisionSettings, SLOW
from .collision_shapes import MeshWithHull, NewCollisionShape, CollisionSource
from .collision_texts import with_shapes
from .verify_collisions import ContainmentClaim, ProofMeshReaders, verify_collisions

OBJ_HEADER = "# OBJ written by urdf_simplify\n"


def write_hull(hull: Hull, path: str, origin: str) -> None:
    """Write a hull as OBJ or STL, by the ending of the path.

    An STL file contains a digest of the mesh file `origin`, from which the hull was made.
    """
    if path.endswith(".obj"):
        # Nine digits are enough to read the same float32 value again.
        lines = [f"v {x:.9g} {y:.9g} {z:.9g}\n" for x, y, z in hull.corners]
        lines += [f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in hull.triangles]
        with open(path, "w", encoding="ascii", newline="\n") as stream:
            stream.write(OBJ_HEADER + "".join(lines))
        return
    # The area of a facet with float32 corners does not underflow, so no facet of a hull is left out.
    records, _ = pack_triangles([k for triangle in hull.triangles for k in triangle], hull.corners)
    writer = StlWriter(path)
    writer.append(records)
    writer.finish()
    # A hull of several meshes has no single file of origin: it gets the digest of an empty file.
    signed = origin if os.path.isfile(origin) else os.devnull
    sign_stl(path, file_digest(signed))


class CollisionMeshFolder(Record):
    """The folders and names of the mesh files of a run, and the callbacks to report progress and use processes.

    Attributes:
        path_of: returns the file for a mesh name of the URDF, None if it is not found.
        staging: a temporary folder for new files.
        target, prefix: the final folder of new files, and the prefix of their names in the URDF.
        shared: other robots may have meshes in the target folder.
        used_names: the names of other files in the target folder, in lower case without their endings.
        progress: is called with the name of a link and the number of its faces.
        call_all: returns the results of a function for several calls, computed in several processes, and reports each
            finished call; returns None if processes are not available.
    """

    path_of: Callable[[str], Optional[str]]
    staging: str
    target: str
    prefix: str
    shared: bool
    used_names: Set[str]
    progress: Show
    call_all: Callable[
        [
            Callable[[LinkCollisionTask], CollisionDecisions],
            Sequence[LinkCollisionTask],
            Callable[[LinkCollisionTask, CollisionDecisions], None],
        ],
        Optional[List[CollisionDecisions]],
    ] = lambda function, calls, finished: None


class CollisionChange(Record):
    """The result of a change: its text, files, shapes and notes, the number of proven vertices, and the meshes by file."""

    data: bytes
    files: Tuple[FinishedFile, ...]
    shapes: Tuple[NewCollisionShape, ...]
    notes: Tuple[Diagnostic, ...]
    vertices: int
    bodies: Dict[str, MeshWithHull]


def _require_links(robot: UrdfRobot, rules: CollisionSettings) -> None:
    """Refuse a pattern of `--link` that no link matches."""
    for glob, _ in rules.of_links:
        if not any(fnmatchcase(name, glob) for name in robot.links):
            raise UsageError(f"--link {glob}: there is no such link{glob_meant(glob, robot.links)}")


def change_collisions(
    robot: UrdfRobot, rules: CollisionSettings, folders: CollisionMeshFolder
) -> CollisionChange:
    """Return a robot with new collisions, verified: they contain the shapes that they replace, and nothing else changed.

    Raises:
        UrdfError: the options cannot be met.
        ProofFailed: a fault of this tool.
    """
    _require_links(robot, rules)
    bodies: Dict[str, MeshWithHull] = {}
    calls, staying = _calls(robot, rules, folders.path_of, bodies)
    decided = {call.link: decision for call, decision in zip(calls, _decided(calls, folders))}
    # In the order of the links, not in the order in which processes finish.
    shapes: List[NewCollisionShape] = []
    notes: List[Diagnostic] = []
    for name, of_link in staying.items():
        notes += of_link
        if name in decided:
            shapes += decided[name].shapes
            notes += decided[name].notes
    notes = _not_found_as_one(notes, none_found=not calls)
    visuals = _plain_visuals(robot, rules)
    if not calls and not visuals:
        if notes:
            raise UsageError(f"{notes[0].text}: {notes[0].cure}")
        raise UsageError(_why_nothing(robot, rules))
    notes += _version_notes(robot, shapes)
    named, files = _write_files(shapes, rules, folders)
    data = with_shapes(robot.document, named, visuals, declares_convex=rules.as_obj)
    claims = [
        *(ContainmentClaim(link, (number,), True) for link, number, _ in visuals),
        *_claims(named),
    ]
    return CollisionChange(
        data=data,
        files=files,
        shapes=named,
        notes=tuple(notes),
        vertices=_verified(robot, data, claims, files, folders),
        bodies=bodies,
    )


def _calls(
    robot: UrdfRobot,
    rules: CollisionSettings,
    path_of: Callable[[str], Optional[str]],
    bodies: Dict[str, MeshWithHull],
) -> Tuple[List[LinkCollisionTask], Dict[str, List[Diagnostic]]]:
    """Return the links whose collisions are to be decided, and for each link the notes on collisions that stay.

    The meshes are added to `bodies`, by file.
    """
    calls: List[LinkCollisionTask] = []
    staying: Dict[str, List[Diagnostic]] = {}
    for link in robot.links.values():
        kind = kind_for(link.name, rules)
        of_link = staying.setdefault(link.name, [])
        sources = _sources(link, kind, rules, path_of, bodies, of_link)
        if sources:
            calls.append(LinkCollisionTask(link.name, tuple(sources), kind, rules))
    return calls, staying


def _version_notes(robot: UrdfRobot, shapes: Sequence[NewCollisionShape]) -> List[Diagnostic]:
    """Return a note if a file of URDF 1.0 gets capsules; <capsule> came with version 1.1."""
    capsules = sum(shape.kind == "capsule" for shape in shapes)
    version = (robot.document.root.get("version") or "1.0").strip()
    if not capsules or version >= "1.1":
        return []
    return [
        Diagnostic(
            kind=COLLISION_VERSION, line=0, sentence="capsule", names=(), numbers=(capsules,)
        )
    ]


def _verified(
    robot: UrdfRobot,
    data: bytes,
    claims: Sequence[ContainmentClaim],
    files: Sequence[FinishedFile],
    folders: CollisionMeshFolder,
) -> int:
    """Verify the written text and files, and return how many vertices the new shapes provably contain."""
    path = robot.document.path
    written = parse_document(data, path)
    staged = {file.name: file.source for file in files}

    def read_old(name: str) -> Tuple[Sequence[Point], Sequence[Triangle]]:
        """Return the corners and triangles of a mesh of the input."""
        return read_indexed(folders.path_of(name) or "")

    def read_new(name: str) -> Tuple[Sequence[Point], Sequence[Triangle]]:
        """Return the corners and triangles of a mesh that this run wrote."""
        if name not in staged:
            raise ProofFailed(f"'{name}' was not written by this run", path)
        return read_indexed(staged[name])

    # Parsed from the bytes again: the proof shares no tree with the change.
    before = parse_document(robot.document.to_bytes(), path)
    # Files are read again, so that the verification uses no data of the search.
    return verify_collisions(before, written, claims, ProofMeshReaders(read_old, read_new))


def _why_nothing(robot: UrdfRobot, rules: CollisionSettings) -> str:
    """Return why no collision changes, with the cure."""
    asked = [link for link in robot.links.values() if kind_for(link.name, rules)]
    count = sum(len(link.collisions) for link in asked)
    if not count:
        return "no link that is asked for has a collision: --from-visuals makes them of the visuals"
    return (
        f"no collision that is asked for has a mesh, and {count_of(count, 'primitive')} would stay: for "
        "shapes of the visuals remove the primitives, and give --from-visuals"
    )


def _decided(
    calls: Sequence[LinkCollisionTask], folders: CollisionMeshFolder
) -> List[CollisionDecisions]:
    """Return the decision for each link, made in several processes if several links are slow."""
    faces = {
        call.link: sum(len(source.body.triangles) for source in call.sources) for call in calls
    }
    # A job is the name of a link, which is shown as it is.
    left = RemainingTime(faces, folders.progress, name_of=str)

    def show(call: LinkCollisionTask, decided: Optional[CollisionDecisions] = None) -> None:
        """Show the progress at the start of a link, or at the end with its decision."""
        if decided is not None:
            left.finish(call.link)
        left.show(call.link, faces[call.link])

    # Processes pay for their start only where several links take seconds each.
    if sum(call.kind in SLOW for call in calls) > 1:
        show(calls[0])
        decisions = folders.call_all(decide_link, calls, show)
        if decisions is not None:
            return decisions
    # Few links are slow, or `call_all` could not use several processes.
    decisions = []
    for call in calls:
        show(call)
        decisions.append(decide_link(call))
        # Finished, and not shown again: the next link is shown at once.
        left.finish(call.link)
    return decisions


def _sources(
    link: UrdfLink,
    new_kind: str,
    rules: CollisionSettings,
    path_of: Callable[[str], Optional[str]],
    bodies: Dict[str, MeshWithHull],
    notes: List[Diagnostic],
) -> List[CollisionSource]:
    """Return the mesh shapes from which new collisions are made: the collisions, or the visuals of a link without any.

    Args:
        new_kind: of the new collisions; "": the link keeps its own.
        bodies: meshes by path; new ones are added, so each file is read once.
        notes: gets a note for each mesh that cannot be used.
    """
    sources: List[CollisionSource] = []
    if not new_kind:
        return sources
    takes_visuals = rules.from_visual and not link.collisions
    shapes = link.visuals if takes_visuals else link.collisions
    for number, shape in enumerate(shapes):
        if not shape.mesh:
            continue
        path = path_of(shape.mesh)
        if path is None:
            notes.append(_left("not-found", shape, link.name))
            continue
        try:
            if path not in bodies:
                bodies[path] = body_of_file(path)
        except UrdfError as error:
            notes.append(_left("unreadable", shape, link.name, error.message))
            continue
        body = bodies[path]
        # A mesh without triangles has no hull, so its collision stays, with a note.
        if not body.points:
            notes.append(_left("unreadable", shape, link.name, "draws no triangles"))
            continue
        geometry = geometry_of(shape)
        scale = geometry.scale if isinstance(geometry, Mesh) else (1.0, 1.0, 1.0)
        sources.append(
            CollisionSource(
                link=link.name,
                kind=shape.kind,
                number=number,
                line=shape.source.line,
                offset=shape.source.offset,
                mesh=shape.mesh,
                scale=scale,
                pose=shape.pose,
                body=body,
            )
        )
    return sources


def _left(sentence: str, shape: UrdfShape, link: str, *why: str) -> Diagnostic:
    """Return the note that a collision stays, and why."""
    return Diagnostic(
        kind=COLLISION_LEFT,
        line=shape.source.line,
        sentence=sentence,
        names=(shape.mesh, link, *why),
        numbers=(),
        offset=shape.source.offset,
    )


def _not_found_as_one(notes: Sequence[Diagnostic], *, none_found: bool) -> List[Diagnostic]:
    """Return the notes, with those on missing meshes combined into a single note at the position of the first."""
    missing = [note for note in notes if note.sentence == "not-found"]
    if len(missing) < 2:
        return list(notes)
    # Lists of names stay short: the file name of each mesh tells enough.
    names = dict.fromkeys(note.names[0].rpartition("/")[2] or note.names[0] for note in missing)
    sentence = "none-found" if none_found and len(missing) == len(notes) else "several-not-found"
    first = missing[0]
    combined = first._replace(
        sentence=sentence,
        names=(shown_names(f"'{name}'" for name in names), first.names[1]),
        numbers=(len(missing),),
    )
    combined_notes: List[Diagnostic] = []
    for note in notes:
        if note is first:
            combined_notes.append(combined)
        elif note.sentence != "not-found":
            combined_notes.append(note)
    return combined_notes


def _plain_visuals(robot: UrdfRobot, rules: CollisionSettings) -> List[Tuple[str, int, Element]]:
    """Return the visuals that are primitives and become collisions unchanged: link, index, element."""
    plain: List[Tuple[str, int, Element]] = []
    if not rules.from_visual:
        return plain
    for link in robot.links.values():
        if link.collisions or not kind_for(link.name, rules):
            continue
        for number, visual in enumerate(link.visuals):
            if visual.drawn is not None and not visual.mesh:
                plain.append((link.name, number, visual.source))
    return plain


def _write_files(
    shapes: Sequence[NewCollisionShape], rules: CollisionSettings, folders: CollisionMeshFolder
) -> Tuple[Tuple[NewCollisionShape, ...], Tuple[FinishedFile, ...]]:
    """Write each hull once, and return the shapes with the names of their files."""
    ending = ".obj" if rules.as_obj else ".stl"
    names: Dict[Tuple[object, ...], str] = {}
    files: List[FinishedFile] = []
    named: List[NewCollisionShape] = []
    for shape in shapes:
        source = shape.sources[0]
        # A mesh that stays needs no new file, except for Drake, which reads hulls from OBJ and not from STL.
        if (
            shape.hull is None
            or shape.stays
            and not (rules.as_obj and not source.mesh.lower().endswith(".obj"))
        ):
            named.append(shape)
            continue
        # Links with the same mesh share its file; a hull in the frame of a link belongs to that link only.
        key: Tuple[object, ...] = (
            (shape.link,) if shape.in_link else (source.body.path, shape.part, shape.hull)
        )
        if key not in names:
            named_after = shape.link if shape.in_link else mesh_stem(source.mesh)
            stem = safe_stem(named_after, "mesh")
            part = f"_{shape.part}" if shape.part else ""
            name = unique_stem(f"{stem}{part}", folders.used_names, "_hull") + ending
            path = os.path.join(folders.staging, name)
            write_hull(shape.hull, path, source.body.path)
            names[key] = folders.prefix + name
            files.append(
                FinishedFile(
                    source=path,
                    target=os.path.join(folders.target, name),
                    part=None,
                    origin=source.body.path,
                    shared=folders.shared,
                    name=names[key],
                )
            )
        named.append(shape._replace(filename=names[key], stays=False))
    return tuple(named), tuple(files)


def _claims(shapes: Sequence[NewCollisionShape]) -> List[ContainmentClaim]:
    """Return the claims to prove: the collisions that each group of new shapes replaces."""
    groups = grouped(
        (
            (shape.link, shape.sources[0].kind, tuple(source.number for source in shape.sources)),
            shape,
        )
        for shape in shapes
        if not shape.stays
    )
    return [
        ContainmentClaim(
            link=link,
            numbers=numbers,
            of_visuals=kind == "visual",
            parts=len(group),
            trees=group[0].trees,
            boxes=[shape.boxes for shape in group],
            within=group[0].off_mesh or 0.0,
        )
        for (link, kind, numbers), group in groups.items()
    ]


def shape_rows(changed: CollisionChange) -> Tuple[Texts, ...]:
    """Return a row for each shape: its link, the faces of input and result or the kind of shape, and the overhang."""
    pieces = Counter(shape.sources for shape in changed.shapes if shape.trees)
    # All spheres or pieces of a mesh are a single row.
    return tuple(
        (shape.link, _what(shape, pieces[shape.sources]), _how_far(shape))
        for shape in changed.shapes
        if not shape.trees or shape.part <= 1
    )


def _what(shape: NewCollisionShape, pieces: int) -> str:
    """Return the number of faces that a shape replaces, and its own number of faces or its kind."""
    faces = sum(len(source.body.triangles) for source in shape.sources)
    if shape.stays:
        return f"{faces} faces, convex already: stays"
    if shape.trees:
        return f"{faces} faces -> {count_of(pieces, shape.kind)}"
    before = f"{faces} faces"
    if shape.part:
        before += f", part {shape.part}"
    if len(shape.sources) > 1:
        before += f" of {len(shape.sources)} meshes"
    after = f"{shape.faces} faces" if shape.hull else shape.kind
    return f"{before} -> {after}"


def _how_far(shape: NewCollisionShape) -> str:
    """Return the overhang of a shape, and its distance off the mesh if that was measured."""
    if shape.boxes:
        return f"{_length(shape.off_mesh or 0.0)} off the mesh"
    over = f"{_length(shape.overhang)} over"
    if shape.off_mesh is None:
        return over
    return f"{over}, {_length(shape.off_mesh)} off the mesh"


def _length(value: float) -> str:
    """Return a bound in millimeters, rounded up."""
    if value < 1e-4:
        return "0 mm" if value == 0.0 else "< 0.1 mm"
    # Rounded to six places first: otherwise a rounding error lifts 7.0 to the next tenth.
    return f"{ceil(round(1e4 * value, 6)) / 10:.1f} mm"


def summary_of(changed: CollisionChange) -> str:
    """Return a summary of the new shapes and of the proof, without the rows of the shapes."""
    shapes = [shape for shape in changed.shapes if not shape.stays]
    if not shapes:
        return "Collision shapes: none to change"
    counts = []
    for kind, count in Counter(shape.kind for shape in shapes).items():
        plural = "boxes" if kind == "box" else f"{kind}s"
        counts.append(count_of(count, kind, plural))
    # Spheres and pieces are measured from the mesh, or where it is open from its hull.
    measured_from = "" if any(shape.trees for shape in shapes) else "the hull of "
    return (
        f"Collision shapes: {', '.join(counts)}; each contains what it replaces, proven for "
        f"{count_of(changed.vertices, 'vertex', 'vertices')}; "
        f"over {measured_from}its mesh it stands out by at most"
    )
