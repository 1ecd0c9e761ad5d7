"""Lists of spheres, as cuRobo (YAML) and MoveIt (`link_sphere_approximation` of an SRDF) read them: write, read, judge.

Formats: https://curobo.org/tutorials/1_robot_configuration.html (spheres in the frame of their link, and a buffer that
is added to all radii), https://wiki.ros.org/srdf.
"""
import json
import re
from math import fsum, inf, sqrt
from typing import Dict, List, NamedTuple, Sequence, Tuple

from ..base.errors import UsageError
from ..base.number_text import format_number, format_numbers, grouped, numbers_in
from ..meshes.triangle_tree import farthest, halved
from ..meshes.witnesses import Ball, Point, Triangle
from ..urdf.lossless_xml import parse_document
from ..urdf.model import Robot
from ..urdf.spatial import distance
from .pieces import primitive_of

BallsOf = Dict[str, List[Ball]]
YAML_WORDS = re.compile(
    r"""["']?(?:center["']?\s*:\s*(?:\[(?P<center>[^\]]*)\]|(?P<column>(?:\s*-\s+[-+.\deE]+)+))"""
    r"""|radius["']?\s*:\s*(?P<radius>[-+.\deE]+)|collision_sphere_buffer["']?\s*:\s*(?P<buffer>[-+.\deE]+)"""
    r"""|(?P<link>[^\s"'#:\[\]{}-][^"'#:\[\]{}\n]*)["']?\s*:\s*(?:\#[^\n]*)?\n)""")
BEGIN = "collision_spheres:"
FINE, STEPS, CLOSE = 1.7 / sqrt(16000.0), 4000, 1e-4  # sides of pieces, of the root of the area; most cuts; [m]


class Bare(NamedTuple):
    """What spheres leave bare of a surface: the least and greatest share of its area, and depth of a point [m]."""

    share: Tuple[float, float]
    depth: Tuple[float, float]


def spheres_of(robot: Robot) -> BallsOf:
    """Return the spheres among the collisions of each link."""
    known = [(link.name, primitive_of(shape)) for link in robot.links.values() for shape in link.collisions]
    return grouped((name, Ball(primitive.pose.translation, primitive.sizes[0])) for name, primitive in known
                   if primitive is not None and primitive.kind == "sphere")


def list_text(robot: Robot, path: str) -> bytes:
    """Return the list of the spheres of a robot, in the format of the ending of a file."""
    lists = spheres_of(robot)
    if path.lower().endswith(".srdf"):
        lines = [f"<robot name={json.dumps(robot.name)}>"]  # a name of a robot has no quotation marks
        for link, balls in lists.items():
            lines += [f"  <link_sphere_approximation link={json.dumps(link)}>", *(
                f'    <sphere center="{format_numbers(center)}" radius="{format_number(radius)}"/>'
                for center, radius in balls), "  </link_sphere_approximation>"]
        lines += ["</robot>"]
    else:
        lines = [BEGIN]
        for link, balls in lists.items():
            lines += [f"  {json.dumps(link)}:", *(
                f"    - center: [{', '.join(map(format_number, center))}]\n      radius: {format_number(radius)}"
                for center, radius in balls)]
        lines += ["collision_sphere_buffer: 0.0"]
    return ("\n".join(lines) + "\n").encode()


def read_spheres(data: bytes, path: str) -> BallsOf:
    """Return the spheres of each link in a list; those of cuRobo with their buffer, and without those of no radius.

    Raises:
        UsageError: it has none.
    """
    pairs: List[Tuple[str, Ball]] = []
    if path.lower().endswith(".srdf"):
        pairs = [(top.get("link") or "", _ball(sphere.get("center") or "", sphere.get("radius") or ""))
                 for top in parse_document(data, path).root.elements("link_sphere_approximation")
                 for sphere in top.elements("sphere")]
    else:
        link, center, buffer = "", "", 0.0
        text = data.decode("utf-8", "replace")
        for match in YAML_WORDS.finditer(text, max(0, text.find(BEGIN))):
            link = match["link"] or link
            center = re.sub(r"[,\n]|-\s", " ", match["center"] or match["column"] or center)
            buffer = float(match["buffer"] or buffer)
            if match["radius"]:
                pairs.append((link, _ball(center, match["radius"])))
        pairs = [(link, ball._replace(radius=ball.radius + buffer)) for link, ball in pairs]
    lists = grouped((link, ball) for link, ball in pairs if ball.radius > 0.0)
    if not lists:
        raise UsageError("this has no spheres: neither collision_spheres of cuRobo (.yml) nor "
                         "link_sphere_approximation of MoveIt (.srdf)", path)
    return lists


def _ball(center: str, radius: str) -> Ball:
    (x, y, z), (size,) = numbers_in(center, 3) or (0.0, 0.0, 0.0), numbers_in(radius, 1) or (0.0,)
    return Ball((x, y, z), size)


def bare_surface(triangles: Sequence[Triangle], balls: Sequence[Ball]) -> Bare:
    """Return how much of a surface is in no ball, and the distance of its farthest point to them, as bounds.

    A piece is held if a ball has its three corners, and bare if its middle is farther from all balls than its corners
    from its middle. Between these it is halved, down to a size at which it counts as either.
    """
    total = fsum(map(area_of, triangles))
    least = FINE * sqrt(total)
    bare = unsure = 0.0
    waiting = list(triangles)
    outside: List[Triangle] = []

    def gap(point: Point) -> float:
        return min((distance(point, center) - radius for center, radius in balls), default=inf)

    while waiting:
        piece = waiting.pop()
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = piece
        middle = ((ax + bx + cx) / 3.0, (ay + by + cy) / 3.0, (az + bz + cz) / 3.0)
        off, reach = gap(middle), max(distance(middle, corner) for corner in piece)
        if any(all(distance(corner, center) <= radius for corner in piece) for center, radius in balls):
            continue
        if off <= reach and max(distance(piece[k], piece[k - 2]) for k in (0, 1, 2)) > least:
            waiting += halved(piece)
            continue
        bare, unsure = bare + area_of(piece) * (off > reach), unsure + area_of(piece) * (off <= reach)
        outside.append(piece)
    deepest = farthest(outside, gap, CLOSE, STEPS)
    return Bare((bare / total, (bare + unsure) / total) if total else (0.0, 0.0),
                (max(0.0, deepest.value), max(0.0, deepest.bound)))


def area_of(triangle: Triangle) -> float:
    """Return the area of a triangle, also of a needle (Kahan, Miscalculating area of a needle-like triangle, 2014)."""
    a, b, c = triangle
    p, q, r = sorted((distance(a, b), distance(b, c), distance(c, a)))
    return 0.25 * sqrt(max(0.0, (r + q + p) * (p - (r - q)) * (p + (r - q)) * (r + (q - p))))
