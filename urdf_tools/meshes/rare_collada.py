"""Read rare features of COLLADA: `.zae`, `<lookat>`, `<skew>`, skins, strips, polygons with holes, planar parts.

The single file refuses them by name.  Their independent second implementation, for the proof, is in `rare_proof`.
"""

import os
import zipfile
import zlib
from math import fsum, radians, sqrt
from typing import Dict, Iterator, List, Sequence, Tuple
from urllib.parse import unquote
from xml.parsers import expat

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh, ProofFailed
from ..base.exact_trigonometry import arctangent, cosine_sine, PI
from ..base.kinds import MESH_CONTENT
from ..collada.document import (
    dae_child,
    dae_error,
    dae_label,
    dae_target,
    DaeDocument,
    DaeElement,
    open_regular,
    PIECE_BYTES,
)
from ..collada.part_writer import Group
from ..collada.primitives import Counts
from ..collada.records import Affine, DaeVector, RareCollada
from ..collada.scene import (
    AFFINE_IDENTITY,
    compose_affine,
    exactly,
    matrix_element,
    translate_element,
    unit_vector,
)
from ..collada.stl import STL_RECORD, stl_record_blocks
from ..collada.triangulation import fan_triangles, Flat, flatten_points, newell_normal, turn
from ..urdf.spatial import cross, subtract
from .kinds import MESH_MERGED
from .proofs import covers_holes, measured_lookat, measured_run, measured_skew, measured_unmoved

MAX_CONTROLLERS = 100  # in a chain
MAX_UNPACKED_BYTES = 1 << 30
MAX_UNPACKED_RATIO = 100
FREELY_UNPACKED_BYTES = 1 << 24


def unmoved(
    document: DaeDocument, instance: DaeElement, matrix: Affine, notes: List[Diagnostic]
) -> Tuple[str, Affine]:
    """Return the id of the mesh of a skin or morph at rest, and the map of the instance with the bind shape matrix.

    Raises:
        BrokenMesh: a controller leads to itself.
    """
    url = instance.attributes.get("url", "")
    for followed in range(MAX_CONTROLLERS):
        target = dae_target(document, url)
        source = (
            dae_child(target, "skin", "morph")
            if target is not None and target.tag == "controller"
            else None
        )
        if target is None or source is None:
            return url, matrix
        if not followed:
            notes.append(Diagnostic(MESH_CONTENT, 0, "unmoved", (dae_label(target), source.tag)))
        shape = dae_child(source, "bind_shape_matrix")
        if shape is not None:
            matrix = compose_affine(matrix, matrix_element(exactly(document, shape, 16)))
        url = source.attributes.get("source", "")
    raise dae_error(document, instance, f"controller '{url.lstrip('#')}' leads to itself")


def cut_run(tag: str, counts: Counts, corners: List[int]) -> List[int]:
    """Cut a strip or fan into triangles, and count them."""
    if len(corners) < 3:
        counts["few-corners"] += 1
        return []
    counts.triangles += len(corners) - 2
    return strip_triangles(corners) if tag == "tristrips" else fan_triangles(corners)


def strip_triangles(corners: Sequence[int]) -> List[int]:
    """Return the triangles of a strip; the order of every second one is changed, so that all have the same winding."""
    threes = enumerate(zip(corners, corners[1:], corners[2:]))
    return [
        corner for index, (a, b, c) in threes for corner in ((b, a, c) if index % 2 else (a, b, c))
    ]


def unpack_zae(path: str) -> Tuple[str, bytes]:
    """Return name and bytes of the `.dae` that `manifest.xml` names, else of the first `.dae`; the size is bounded."""

    def unpack(archive: zipfile.ZipFile, member: str) -> Iterator[bytes]:
        allowed = min(
            MAX_UNPACKED_BYTES,
            max(FREELY_UNPACKED_BYTES, MAX_UNPACKED_RATIO * archive.getinfo(member).compress_size),
        )
        with archive.open(member) as packed:
            for block in iter(lambda: packed.read(PIECE_BYTES), b""):
                allowed -= len(block)
                if allowed < 0:
                    raise BrokenMesh(f"'{member}' in it unpacks to far more than its size", path)
                yield block

    try:
        with open_regular(path) as stream, zipfile.ZipFile(stream) as archive:
            names = archive.namelist()
            models = [name for name in names if name.lower().endswith(".dae")]
            if "manifest.xml" in names:
                wanted = manifest_model(path, b"".join(unpack(archive, "manifest.xml")))
                # A manifest may name what is not in the archive.
                models = [name for name in names if name == wanted] or models
            if not models:
                raise BrokenMesh("has no .dae file in it", path)
            return models[0], b"".join(unpack(archive, models[0]))
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
        raise BrokenMesh(f"is not a .zae archive that can be read ({problem})", path) from problem
    except OSError as problem:
        raise BrokenMesh(f"cannot be unpacked ({problem})", path) from problem


def manifest_model(path: str, content: bytes) -> str:
    """Return the archive member that a `.zae` manifest names, or ""."""
    names: List[str] = []
    parser = expat.ParserCreate()
    parser.CharacterDataHandler = names.append
    try:
        parser.Parse(content, True)
    except expat.ExpatError as problem:
        raise BrokenMesh(
            f"has a manifest.xml that is not well-formed (line {problem.lineno})", path
        ) from problem
    name = unquote("".join(names).strip().partition("#")[0]).replace("\\", "/")
    return os.path.normpath(name).replace(os.sep, "/").lstrip("/") if name else ""


def lookat_element(numbers: Sequence[float]) -> Affine:
    """`<lookat>` eye, interest, up: the node is at the eye, looks along its -Z, has up in its YZ plane."""
    eye, interest, up = ((numbers[k], numbers[k + 1], numbers[k + 2]) for k in (0, 3, 6))
    back = unit_vector(subtract(eye, interest))
    right = unit_vector(cross(up, back))
    if not any(back) or not any(right):
        return translate_element(eye)
    above = cross(back, right)
    return (
        right[0],
        above[0],
        back[0],
        eye[0],
        right[1],
        above[1],
        back[1],
        eye[1],
        right[2],
        above[2],
        back[2],
        eye[2],
    )


def skew_element(numbers: Sequence[float]) -> Affine:
    """`<skew>` degrees, axis a, axis b, as RenderMan: points move along b so that a leans towards b by the angle.

    An angle that is not below that between a and b is not defined, and gives the identity.
    """
    leaning, along = unit_vector(numbers[1:4]), unit_vector(numbers[4:7])
    overlap = fsum(p * q for p, q in zip(leaning, along))
    across = unit_vector([p - overlap * q for p, q in zip(leaning, along)])
    overlap = min(max(overlap, -1.0), 1.0)
    opening = sqrt((1.0 - overlap) * (1.0 + overlap))
    angle = arctangent(opening, overlap) - radians(numbers[0])
    if not any(across) or not 1e-6 < angle < PI - 1e-6:
        return AFFINE_IDENTITY
    cosine, sine = cosine_sine(angle)
    lean = cosine / sine - overlap / opening
    rows = []
    for axis in range(3):
        rows += [
            lean * along[axis] * value + (1.0 if axis == column else 0.0)
            for column, value in enumerate(across)
        ]
        rows.append(0.0)
    return tuple(rows)  # type: ignore[return-value]


def bridge_holes(
    outer: Sequence[int],
    holes: Sequence[Sequence[int]],
    points: Sequence[DaeVector],
    counts: Dict[str, int],
) -> List[int]:
    """Join each hole to the outline by a cut in both directions, which gives a polygon without holes.

    D. Eberly, "Triangulation by Ear Clipping": the rightmost corner of a hole sees the outline to its right.  A hole of
    m corners adds m + 2.  A hole outside the outline is left out and counted in `counts`.
    """
    normal = newell_normal([points[corner] for corner in outer])
    joined = list(outer)
    flat = flatten_points([points[corner] for corner in joined], normal)
    loops = []
    for hole in holes:
        loop, shape = list(hole), flatten_points([points[corner] for corner in hole], normal)
        if (
            fsum(turn((0.0, 0.0), p, q) for p, q in zip(shape, shape[1:] + shape[:1])) > 0.0
        ):  # against the outline
            loop.reverse()
            shape.reverse()
        start = max(range(len(shape)), key=lambda i: shape[i])
        loops.append(
            (shape[start], loop[start:] + loop[: start + 1], shape[start:] + shape[: start + 1])
        )
    for tip, loop, shape in sorted(
        loops, reverse=True
    ):  # from the right, so that no later hole hides the outline
        bridge = visible_corner(tip, flat)
        if bridge < 0:
            counts["hole-outside"] += 1
            continue
        joined[bridge + 1 : bridge + 1] = [*loop, joined[bridge]]
        flat[bridge + 1 : bridge + 1] = [*shape, flat[bridge]]
    return joined


def visible_corner(tip: Flat, flat: Sequence[Flat]) -> int:
    """Return the index of an outline corner that is visible from `tip`, the rightmost corner of a hole, or -1."""
    best_x, best = float("inf"), -1
    for index, (a, b) in enumerate(zip(flat, [*flat[1:], flat[0]])):
        if (
            a[1] <= tip[1] <= b[1] and a[1] != b[1]
        ):  # an edge that goes up has the inside on its left
            x = a[0] + (tip[1] - a[1]) / (b[1] - a[1]) * (b[0] - a[0])
            if tip[0] <= x < best_x:
                best_x, best = x, index if a[0] > b[0] else (index + 1) % len(flat)
                if a[1] == tip[1]:
                    best = index
                elif b[1] == tip[1]:
                    best = (index + 1) % len(flat)
    if best < 0:
        return -1
    hit, seen = (best_x, tip[1]), flat[best]
    corners = (tip, hit, seen) if seen[1] >= tip[1] else (tip, seen, hit)
    closest = (float("inf"), 0.0)
    for index, point in enumerate(flat if hit != seen else ()):
        if point[0] < tip[0] or point == seen:
            continue
        if all(turn(p, q, point) >= 0.0 for p, q in zip(corners, corners[1:] + corners[:1])):
            across, along = abs(point[1] - tip[1]), point[0] - tip[0]
            slope = (across / along if along > 0.0 else float("inf"), along)
            previous, following = flat[index - 1], flat[(index + 1) % len(flat)]
            if slope < closest and turn(previous, point, following) <= 0.0:
                closest, best = slope, index
    # A corner where cuts end is in the outline several times, each with another part of the inside.
    return next(
        (
            index
            for index, point in enumerate(flat)
            if point == flat[best]
            and is_between(tip, flat[index - 1], point, flat[(index + 1) % len(flat)])
        ),
        best,
    )


def is_between(point: Flat, previous: Flat, corner: Flat, following: Flat) -> bool:
    """Return True if a point lies between the edges of a corner, to their left."""
    sides = turn(previous, corner, point) > 0.0, turn(corner, following, point) > 0.0
    return all(sides) if turn(previous, corner, following) > 0.0 else any(sides)


def merge_planar(
    path: str,
    planar: Sequence[Group],
    groups: Sequence[Group],
    max_faces: int,
    notes: List[Diagnostic],
) -> None:
    """Move each planar part into the largest other part that `max_faces` allows; it takes that color.

    Raises:
        ProofFailed: a merged file does not have the triangles of both.
    """
    others = [group for group in groups if group not in planar]
    for group in planar:
        _merge_part(path, group, others, max_faces, notes)


def _merge_part(
    path: str, group: Group, others: Sequence[Group], max_faces: int, notes: List[Diagnostic]
) -> None:
    (flat,) = group.pieces
    pieces = [
        (piece.writer.triangles, -number, piece, other)
        for number, other in enumerate(others)
        for piece in other.pieces
        if not 0 < max_faces < piece.writer.triangles + flat.writer.triangles
    ]
    if not pieces:
        return
    _, _, target, other = max(pieces, key=lambda choice: choice[:2])
    records = b"".join(stl_record_blocks(flat.writer.path))
    whole = b"".join(stl_record_blocks(target.writer.path)) + records
    size = STL_RECORD.size
    target.writer.append([records[start : start + size] for start in range(0, len(records), size)])
    target.writer.finish()
    if b"".join(stl_record_blocks(target.writer.path)) != whole:
        raise ProofFailed(f"'{target.writer.path}' is not the two parts that were merged", path)
    target.used.update(
        (id(marks), (columns, bounds, marks)) for columns, bounds, marks in flat.used.values()
    )
    target.measure()
    os.remove(flat.writer.path)
    group.pieces = []
    notes.append(Diagnostic(MESH_MERGED, 0, "part", (group.look.label, other.look.label)))


RARE_COLLADA = RareCollada(
    unpack_zae,
    {"lookat": (9, lookat_element), "skew": (7, skew_element)},
    {"lookat": measured_lookat, "skew": measured_skew},
    unmoved,
    measured_unmoved,
    cut_run,
    measured_run,
    bridge_holes,
    covers_holes,
    merge_planar,
)
