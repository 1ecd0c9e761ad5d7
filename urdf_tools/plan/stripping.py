"""Decide which meshes are removed as motor hardware; only visuals and collisions, never mass."""
from collections import Counter
from fnmatch import fnmatchcase
from typing import List, NamedTuple, Optional, Tuple

from .name_words import HARDWARE, hidden_hardware, STRUCTURE, word_among
from ..urdf.mesh_paths import mesh_stem
from ..urdf.model import Robot, Shape
from .options import Options


class Strip(NamedTuple):
    """A shape that is removed, its link, and the word or option that makes it hardware."""

    shape: Shape
    link: str
    reason: str


class NearMiss(NamedTuple):
    """A mesh whose name resembles hardware but is kept, how often it occurs, and why it is kept."""

    stem: str
    times: int
    reason: str


class Stripping(NamedTuple):
    """`hits` are removed; `near_misses` stay; `unused` are globs that matched no mesh."""

    hits: Tuple[Strip, ...]
    near_misses: Tuple[NearMiss, ...]
    unused: Tuple[str, ...]


def decide_stripping(robot: Robot, options: Options) -> Stripping:
    """Decide by the base name of each mesh: whole words only, structure words and --keep-mesh win."""
    hits: List[Strip] = []
    misses: List[Tuple[str, str]] = []
    unused = {("--strip", glob) for glob in options.strip} | {("--keep-mesh", glob) for glob in options.keep_mesh}
    for link in robot.links.values():
        for shape in link.shapes if options.strip_hardware else ():
            mesh = shape.mesh
            if not mesh:
                continue
            stem = mesh_stem(mesh)
            kept, asked = _match(stem, options.keep_mesh), _match(stem, options.strip)
            unused -= {("--keep-mesh", kept), ("--strip", asked)}
            # The user's globs count more than built-in words, and keeping more than removing.
            hardware = word_among(HARDWARE, stem)
            structure = hardware and word_among(STRUCTURE, stem)
            if kept and (asked or hardware):
                misses.append((stem, f"--keep-mesh {kept}"))
            elif asked:
                hits.append(Strip(shape, link.name, f"--strip {asked}"))
            elif hardware and structure:
                misses.append((stem, f"its name has '{structure}'"))
            elif hardware:
                hits.append(Strip(shape, link.name, hardware))
            elif not kept and hidden_hardware(stem):
                misses.append((stem, f"'{hidden_hardware(stem)}' is part of a word"))
    near = tuple(NearMiss(stem, times, reason) for (stem, reason), times in Counter(misses).items())
    return Stripping(tuple(hits), near, tuple(sorted(f"{flag} {glob}" for flag, glob in unused)))


def _match(stem: str, globs: Tuple[str, ...]) -> Optional[str]:
    return next((glob for glob in globs if fnmatchcase(stem, glob)), None)
