"""The decision which shapes are removed: meshes of motor hardware, and shapes of merged links that duplicate the target's.

Only visuals and collisions are removed, never mass.
"""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from itertools import chain, product as all_triples
from math import floor
from typing import Dict, Iterator, List, Mapping, Optional, Set, Tuple

from ..base.type_aliases import Pair, Texts
from ..base.diagnostics import Diagnostic, Notes
from ..base.run_diagnostics import UNUSED_OPTION
from ..base.record_type import Record
from ..urdf.mesh_paths import mesh_stem
from ..urdf.urdf_records import UrdfRobot, UrdfShape
from ..urdf.spatial_math import compose, Transform
from .link_merging import LinkMembership, POSE_TOLERANCE, poses_coincide
from .name_words import HARDWARE, hidden_hardware, STRUCTURE, word_among
from .run_options import Options


class RemovedShape(Record):
    """A shape that is removed, its link, and the word or option that identifies it as hardware."""

    shape: UrdfShape
    link: str
    reason: str


class HardwareNearMiss(Record):
    """A mesh whose name resembles hardware but is kept, the number of its occurrences, and why it is kept."""

    stem: str
    times: int
    reason: str


class ShapeRemoval(Record):
    """The decision on hardware: `hits` are removed, `near_misses` stay, `warnings` are about globs that match no mesh."""

    hits: Tuple[RemovedShape, ...]
    near_misses: Tuple[HardwareNearMiss, ...]
    warnings: Notes

    @property
    def offsets(self) -> Set[int]:
        """The offsets of the shapes that are removed."""
        return {strip.shape.source.offset for strip in self.hits}


def decide_stripping(robot: UrdfRobot, options: Options) -> ShapeRemoval:
    """Return the shapes to remove, by the base names of their meshes.

    Only whole words count, and structure words and --keep-mesh take precedence.
    """
    hits: List[RemovedShape] = []
    misses: List[Pair] = []
    unused = {("--strip", glob) for glob in options.strip}
    unused |= {("--keep-mesh", glob) for glob in options.keep_mesh}
    for link, shape in robot.shapes:
        if not shape.mesh or not options.strip_hardware:
            continue
        stem = mesh_stem(shape.mesh)
        kept = _match(stem, options.keep_mesh)
        asked = _match(stem, options.strip)
        unused -= {("--keep-mesh", kept), ("--strip", asked)}
        # The user's globs take precedence over built-in words, and keeping over removing.
        hardware = word_among(HARDWARE, stem)
        structure = hardware and word_among(STRUCTURE, stem)
        if kept and (asked or hardware):
            misses.append((stem, f"--keep-mesh {kept}"))
        elif asked:
            hits.append(RemovedShape(shape, link, f"--strip {asked}"))
        elif hardware and structure:
            misses.append((stem, f"its name has '{structure}'"))
        elif hardware:
            hits.append(RemovedShape(shape, link, hardware))
        elif not kept and hidden_hardware(stem):
            misses.append((stem, f"'{hidden_hardware(stem)}' is part of a word"))
    # Sorted, because the order of a set of texts differs between runs.
    globs = sorted(f"{flag} {glob}" for flag, glob in unused)
    warnings = tuple(Diagnostic(UNUSED_OPTION, 0, "glob", (glob,)) for glob in globs)
    return ShapeRemoval(tuple(hits), _near_misses(misses), warnings)


def spare_last_shapes(
    robot: UrdfRobot, members: Dict[str, LinkMembership], stripping: ShapeRemoval
) -> ShapeRemoval:
    """Return the removals except those that would leave a link of the result without visuals or collisions.

    Only removals by a built-in word are undone, not those by the user's globs.
    """
    removed = stripping.offsets
    staying = {
        (members[link].target, shape.kind)
        for link, shape in robot.shapes
        if shape.source.offset not in removed
    }
    hits: List[RemovedShape] = []
    spared: List[Pair] = []
    for hit in stripping.hits:
        target = members[hit.link].target
        kind = hit.shape.kind
        if hit.reason in HARDWARE and (target, kind) not in staying:
            spared.append((mesh_stem(hit.shape.mesh), f"else link '{target}' has no {kind} left"))
        else:
            hits.append(hit)
    return stripping._replace(
        hits=tuple(hits), near_misses=stripping.near_misses + _near_misses(spared)
    )


def _near_misses(misses: List[Pair]) -> Tuple[HardwareNearMiss, ...]:
    """Return the meshes that were nearly stripped, without duplicates, from stems and reasons."""
    return tuple(
        HardwareNearMiss(stem, times, reason) for (stem, reason), times in Counter(misses).items()
    )


def _match(stem: str, globs: Texts) -> Optional[str]:
    """Return the first glob that matches a stem."""
    return next((glob for glob in globs if fnmatchcase(stem, glob)), None)


# A cube of space, as three integers. The cubes are larger than the tolerance, so equal poses are in the same or in
# neighboring cubes. A link with thousands of equal shapes thus needs no comparison of all pairs.
Cell = Tuple[int, int, int]
CELL_SIZE = 10.0 * POSE_TOLERANCE  # [m]


class DuplicateShape(Record):
    """A shape of a merged link that is dropped because the target has the same shape at the same pose."""

    shape: UrdfShape
    link: str
    target: str


def find_copies(
    robot: UrdfRobot, members: Dict[str, LinkMembership], stripped: Set[int]
) -> Iterator[DuplicateShape]:
    """Yield the shapes of merged links that the target has already: same kind, geometry, color and pose."""
    # By target and appearance, the poses of its shapes in cubes.
    # By target and appearance, the poses of its shapes in cubes.
    # By target and appearance, the poses of its shapes in cubes.
    poses_of: Dict[Tuple[str, Texts], Dict[Cell, List[Transform]]] = {}
    targets = {member.target for member in members.values() if member.merged}
    # The target's own shapes come first.
    for merged in (False, True):
        for name, member in members.items():
            if member.merged != merged or member.target not in targets:
                continue
            for shape in robot.links[name].shapes:
                if shape.source.offset in stripped or shape.drawn is None:
                    continue
                T = compose(member.T_target_link, shape.pose)
                poses = poses_of.setdefault((member.target, _appearance(shape)), {})
                if merged and _is_there(T, poses):
                    yield DuplicateShape(shape, name, member.target)
                else:
                    poses.setdefault(_cell_of(T), []).append(T)


def _cell_of(T: Transform) -> Cell:
    """Return the cube of space that contains the origin of a pose."""
    x, y, z = (floor(value / CELL_SIZE) for value in T.translation)
    return x, y, z


def _is_there(T: Transform, poses: Mapping[Cell, List[Transform]]) -> bool:
    """Return True if a pose equals one of the poses, which are given by their cubes."""
    x, y, z = _cell_of(T)
    neighbors = all_triples((x - 1, x, x + 1), (y - 1, y, y + 1), (z - 1, z, z + 1))
    near_poses = chain.from_iterable(poses.get(cell, ()) for cell in neighbors)
    return any(poses_coincide(T, other) for other in near_poses)


def _appearance(shape: UrdfShape) -> Texts:
    """Return all of a shape except its pose and names.

    A material is represented by its content, or by its name if it has no content.
    """
    parts = [shape.kind]
    for top in shape.source.elements():
        if top.name == "material" and not top.elements():
            parts.append(top.get("name") or "")
        elif top.name != "origin":
            # A material with content is compared by content, not by name.
            counting = top.elements() if top.name == "material" else [top]
            for inside in counting:
                for element in inside.walk():
                    text = element.text().strip() if element.children else ""
                    parts += [element.name, text]
                    parts += [f"{key}={value}" for key, value in sorted(element.attributes.items())]
    return tuple(parts)
