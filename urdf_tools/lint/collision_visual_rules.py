"""Rules that compare collisions with visuals, and check the unit of a mesh file.

Along the axes of a shape its box reaches exactly as far as the shape, and the boxes of other shapes reach at least as
far as these shapes. So where a shape reaches beyond the boxes of others, it stands off them by so much at least.
"""

from __future__ import annotations

import os
import re
from typing import Dict, Iterator, List, Sequence, Tuple

from ..base.file_reading import read_file
from ..urdf.urdf_records import UrdfLink, UrdfShape
from ..urdf.spatial_math import IDENTITY_POSE, Transform, rotate
from .lint_diagnostics import COLLISION_OFF, COLLISION_VISUAL, MESH_UNIT, NO_COLLISION
from .finding_records import Findings, found, LintedRobot
from .shape_bounds import interval, links_of_bodies, sides_of, ShapeBounds, supports_of

LEAST_OFF = 0.02  # [m] 11 of 187 public robots have a collision this far off
OFF = 0.5  # part of the longest side of the visuals
# Part of the longest side of the visuals: how far they reach beyond the collisions of links that are fixed to them.
ALONE = 0.4
MARKER = 0.005  # [m] a smaller visual is a marker
MOST_TRIANGLES = 10000
UNITS = {"meter": 1.0, "decimeter": 0.1, "centimeter": 0.01, "millimeter": 0.001, "inch": 0.0254}
UNIT = rb"<unit\b[^>]*>"
HEAD = 65536  # bytes of a file that are searched for its unit


def drawn_rules(subject: LintedRobot) -> Findings:
    """Yield links without collision, collisions off their visuals, fine collisions, and contradictory units."""
    yield from _without_collision(subject)
    for link in subject.robot.links.values():
        yield from _off_visuals(link, subject)
    yield from _fine_collisions(subject)
    yield from _units(subject)


def _without_collision(subject: LintedRobot) -> Findings:
    """Yield bodies that have visuals but no collision, if most other bodies of the robot have both."""
    links = links_of_bodies(subject.robot)
    drawn = [body for body, parts in links.items() if any(link.visuals for link, _ in parts)]
    bare = [body for body in drawn if not any(link.collisions for link, _ in links[body])]
    if 3 * len(bare) > len(drawn):  # a robot for display only
        return
    for body in drawn:
        first = next(link for link, _ in links[body] if link.visuals)
        if body in bare or first.name == body and _is_beside(links[body], subject):
            yield found(NO_COLLISION, first.source.line, "link", (first.name,))


def _is_beside(parts: Sequence[Tuple[UrdfLink, Transform]], subject: LintedRobot) -> bool:
    """Return True if the visuals of the first link of a body reach far beyond the collisions of its other links."""
    first = parts[0][0]
    others = parts[1:]
    if first.collisions:
        return False
    collisions = [(link._replace(shapes=link.collisions), T) for link, T in others]
    solids = supports_of(collisions, subject.box_of_mesh)
    visuals = _supports(first, first.visuals, subject)
    if not visuals or not solids:
        return False
    farthest = max(max(_beyond(visual, solids)) for visual in visuals)
    return farthest > ALONE * max(sides_of(visuals))


def _off_visuals(link: UrdfLink, subject: LintedRobot) -> Findings:
    """Yield the collision of a link that reaches farthest beyond all its visuals, if that is far."""
    collisions = _supports(link, link.collisions, subject)
    visuals = _supports(link, link.visuals, subject)
    longest = max(sides_of(visuals)) if visuals else 0.0
    if not collisions or longest < MARKER:
        return
    distances = [max(_beyond(collision, visuals)) for collision in collisions]
    off = max(distances)
    worst = collisions[distances.index(off)]
    if off > max(LEAST_OFF, OFF * longest):
        line = worst.shape.source.line
        numbers = (1000.0 * off, 1000.0 * longest)
        yield found(COLLISION_OFF, line, "beyond", (link.name,), numbers)


def _supports(
    link: UrdfLink, shapes: Sequence[UrdfShape], subject: LintedRobot
) -> List[ShapeBounds]:
    """Return the boxes of shapes of a link; none where one box is not known."""
    part = link._replace(shapes=tuple(shapes))
    return supports_of([(part, IDENTITY_POSE)], subject.box_of_mesh) or []


def _beyond(shape: ShapeBounds, others: Sequence[ShapeBounds]) -> Iterator[float]:
    """Yield a lower bound of how far a shape reaches beyond others, along each of its axes [m]."""
    for axis in ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)):
        n = rotate(shape.pose.rotation, axis)
        low, high = interval([shape], n)
        least, greatest = interval(others, n)
        yield least - low
        yield high - greatest


def _fine_collisions(subject: LintedRobot) -> Findings:
    """Yield meshes of many triangles that are used for collisions as well as visuals, each once."""
    shapes = [shape for _, shape in subject.robot.shapes]
    drawn = {shape.mesh for shape in shapes if shape.kind == "visual"}
    colliding: Dict[str, int] = {}
    for shape in shapes:
        if shape.kind == "collision" and shape.mesh in drawn & {*subject.meshes}:
            colliding.setdefault(shape.mesh, shape.source.line)
    for name, line in colliding.items():
        count = _triangles_in(subject.meshes[name])
        if count >= MOST_TRIANGLES:
            names = (os.path.basename(name),)
            yield found(COLLISION_VISUAL, line, "mesh", names, (float(count),))


def _triangles_in(path: str) -> int:
    """Return the number of triangles that a file declares; 0 if unknown."""
    size = os.path.getsize(path)
    ending = os.path.splitext(path)[1].lower()
    if size < MOST_TRIANGLES:  # a triangle takes several bytes
        return 0
    if ending == ".stl":
        with open(path, "rb") as stream:
            # Binary STL: 80 bytes, the count in four, then 50 bytes for each triangle.
            count = int.from_bytes(stream.read(84)[-4:], "little")
        return count if size == 84 + 50 * count else 0
    if ending == ".obj":
        # A face is a line, however many corners it has.
        return read_file(path).count(b"\nf ")
    if ending == ".dae":
        counts = re.findall(rb'<(?:triangles|polylist)\b[^>]*\bcount="(\d+)"', read_file(path))
        return sum(int(count) for count in counts)
    return 0


def _units(subject: LintedRobot) -> Findings:
    """Yield COLLADA files whose unit has the name of a different unit: programs read the number, people the name."""
    lines: Dict[str, int] = {}
    for link in subject.robot.links.values():
        for shape in link.shapes:
            lines.setdefault(shape.mesh, shape.source.line)
    for name, path in subject.meshes.items():
        if path.lower().endswith(".dae"):
            unit, meter = _unit_of(path)
            meant = UNITS.get(unit)
            # A file may round its unit; two units differ by a factor of 2.54 at least.
            if meant and meter and abs(meter / meant - 1.0) > 1e-3:
                names = (os.path.basename(name), unit)
                yield found(MESH_UNIT, lines[name], "name", names, (meter,))


def _unit_of(path: str) -> Tuple[str, float]:
    """Return the name of the unit of a COLLADA file, and its length [m]; "" and 0 without one."""
    with open(path, "rb") as stream:
        tag = re.search(UNIT, stream.read(HEAD))
    if tag is None:
        return "", 0.0
    words = dict(re.findall(r"(\w+)\s*=\s*[\"']([^\"']*)", tag[0].decode("utf-8", "replace")))
    try:
        return words.get("name", "").lower(), float(words.get("meter", "0"))
    except ValueError:
        return "", 0.0
