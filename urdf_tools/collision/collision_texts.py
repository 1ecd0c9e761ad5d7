"""The texts of collisions: new shapes in a URDF, pairs in an SRDF, lists of spheres.

Each new shape replaces the first collision that it contains. A pair of links to be disabled gets a line at the end of an
SRDF, unless the SRDF already has a line for it.

Lists of spheres have the formats of cuRobo (YAML) and MoveIt (`link_sphere_approximation` of an SRDF). Spheres are in the
frame of their link, and YAML has a buffer that is added to all radii:
https://curobo.org/tutorials/1_robot_configuration.html, https://wiki.ros.org/srdf.
"""

from __future__ import annotations

import json
from typing import Dict, List, Sequence, Tuple

from ..base.errors import ProofFailed
from ..base.number_text import format_number, format_numbers, grouped, unique
from ..meshes.verify_witnesses import Ball
from ..urdf.lossless_xml import Document, Element, escaped, parse_document, QUOTE
from ..urdf.urdf_records import UrdfRobot, SIZES
from ..urdf.spatial_math import IDENTITY_POSE, Transform, rpy_from_matrix, ZERO
from ..urdf.xml_edits import attach, attach_behind, copy_document, copy_element, create, detach
from .decide_pairs import DecidedLinkPair
from .link_pairs_step import reason_of
from .convex_pieces import primitive_of
from .collision_shapes import NewCollisionShape, Primitive
from .verify_collisions import all_of

DRAKE = "xmlns:drake"
DRAKE_URI = "http://drake.mit.edu"
CONVEX = "drake:declare_convex"
TAG = "disable_collisions"
NOTE = (
    "<!-- urdf_simplify: pairs that never touch inside the limits of the URDF, proven by separating "
    "planes -->"
)
BallsOf = Dict[str, List[Ball]]
BEGIN = "collision_spheres:"


def with_shapes(
    before: Document,
    shapes: Sequence[NewCollisionShape],
    copied: Sequence[Tuple[str, int, Element]] = (),
    *,
    declares_convex: bool = False,
) -> bytes:
    """Return the bytes of a document after shapes replace its collisions; nothing else changes.

    Args:
        before: the document, which is not changed.
        shapes: the new shapes; they replace their sources.
        copied: visuals that become collisions unchanged, each with its link and index.
        declares_convex: mark meshes as convex for Drake.
    """
    document = copy_document(before)
    elements = {top.get("name"): top for top in document.root.elements("link")}
    groups = grouped(
        (tuple(source.offset for source in shape.sources), shape)
        for shape in shapes
        if not shape.stays
    )
    for name, _, visual in copied:
        _as_collision(elements[name], document.copy_of(visual))
    for offsets, new_shapes in groups.items():
        link = elements[new_shapes[0].link]
        first = document.copies[offsets[0]]
        if first.name == "visual":
            first = _as_collision(link, first)
        # A mesh with several shapes has a single source: copies of its element follow it.
        collisions = [first] + [copy_element(first) for _ in new_shapes[1:]]
        for previous, collision in zip(collisions, collisions[1:]):
            attach_behind(previous, collision)
        for collision, shape in zip(collisions, new_shapes):
            _write(collision, shape, declares_convex=declares_convex)
            if shape.part > 1:
                _number(collision, link)
        if len(offsets) > 1:
            other_sources = [document.copies[offset] for offset in offsets[1:]]
            # A visual from which a collision is made stays.
            detach(link, [other for other in other_sources if other.name == "collision"])
    if declares_convex and any(shape.filename and not shape.stays for shape in shapes):
        document.root.set(DRAKE, DRAKE_URI)
    return document.to_bytes()


def _as_collision(link: Element, visual: Element) -> Element:
    """Return a new collision with the origin and the geometry of a visual, after all shapes of its link."""
    collision = create("collision", {})
    last = [child for child in link.elements() if child.name in ("visual", "collision")][-1]
    attach_behind(last, collision)
    for part in visual.elements():
        if part.name in ("origin", "geometry"):
            attach(collision, [copy_element(part)])
    return collision


def _number(collision: Element, link: Element) -> None:
    """Append a number to the name of a collision, so that its name is unique in the link."""
    name = collision.get("name")
    if name:
        # The names include its own, so the copy gets a number.
        names = {other.get("name") for other in link.elements("collision")}
        collision.set("name", unique(name, names))


def _write(collision: Element, shape: NewCollisionShape, *, declares_convex: bool) -> None:
    """Write a shape into a collision that has a mesh."""
    geometry = collision.find("geometry")
    mesh = geometry.find("mesh") if geometry is not None else None
    assert geometry is not None and mesh is not None
    if shape.primitive:
        _write_origin(collision, shape.primitive.pose, shape.sources[0].pose)
        _replace(geometry, mesh, _primitive(shape.primitive))
        return
    mesh.set("filename", shape.filename)
    if shape.in_link:
        _write_origin(collision, IDENTITY_POSE, shape.sources[0].pose)
        mesh.unset("scale")
    if declares_convex and mesh.find(CONVEX) is None:
        attach(mesh, [create(CONVEX, {})])


def _primitive(primitive: Primitive) -> Element:
    """Return the URDF element of a primitive with its sizes."""
    names = [key for key, _ in SIZES[primitive.kind]]
    if primitive.kind == "box":
        texts = [format_numbers(primitive.sizes)]
    else:
        texts = [format_number(size) for size in primitive.sizes]
    return create(primitive.kind, dict(zip(names, texts)))


def _replace(parent: Element, old: Element, new: Element) -> None:
    """Replace an element by another at the same place, with its indentation."""
    new.parent = parent
    new.indent = old.indent
    parent.children = tuple(new if node is old else node for node in parent.children)


def _write_origin(collision: Element, new: Transform, old: Transform) -> None:
    """Write the origin of a collision; an rpy that does not change keeps its text."""
    origin = collision.find("origin")
    if new == old or origin is None and new == IDENTITY_POSE:
        return
    if origin is None:
        origin = create("origin", {"xyz": "0 0 0", "rpy": "0 0 0"})
        attach(collision, [origin], first=True)
    origin.set("xyz", format_numbers(new.translation))
    if new.rotation != old.rotation:
        # Readers refuse an origin with both rpy and a quaternion.
        origin.unset("quat_xyzw")
        is_turned = new.rotation != IDENTITY_POSE.rotation
        rpy = rpy_from_matrix(new.rotation) if is_turned else ZERO
        origin.set("rpy", format_numbers(rpy))


def empty_srdf(name: str, path: str) -> Document:
    """Return an SRDF without content for a robot."""
    document = parse_document(b'<?xml version="1.0"?>\n<robot>\n</robot>\n', path)
    document.root.set("name", name)
    return document


def with_pairs(before: Document, pairs: Sequence[DecidedLinkPair]) -> Tuple[bytes, int]:
    """Return the bytes of an SRDF that disables all pairs with a reason, and the number of added lines.

    Raises:
        ProofFailed: the written lines do not name these pairs; a fault of this tool.
    """
    known = [
        {line.get("link1") or "", line.get("link2") or ""} for line in before.root.elements(TAG)
    ]
    lines = [
        (pair.first, pair.second, reason_of(pair))
        for pair in pairs
        if reason_of(pair) and {pair.first, pair.second} not in known
    ]
    document = copy_document(before)
    if lines:
        # The note is written only once, even if the file is changed several times.
        if NOTE not in document.root.children:
            attach(document.root, [NOTE])
        for first, second, reason in lines:
            attach(
                document.root, [create(TAG, {"link1": first, "link2": second, "reason": reason})]
            )
    data = document.to_bytes()
    _verify_lines(before, parse_document(data, before.path), lines)
    return data, len(lines)


def _verify_lines(before: Document, after: Document, lines: List[Tuple[str, str, str]]) -> None:
    """Verify that a document has all elements of the input, and then the new lines.

    Raises:
        ProofFailed: it does not.
    """
    old = before.root.elements()
    new = after.root.elements()
    added = [
        (line.name, line.get("link1"), line.get("link2"), line.get("reason"))
        for line in new[len(old) :]
    ]
    same = [all_of(element) for element in old] == [all_of(element) for element in new[: len(old)]]
    if (
        not same
        or added != [(TAG, *line) for line in lines]
        or after.root.attributes != before.root.attributes
    ):
        raise ProofFailed("the SRDF says something else than was proven", before.path)


def spheres_of(robot: UrdfRobot) -> BallsOf:
    """Return the spheres among the collisions of each link."""
    spheres: BallsOf = {}
    for link in robot.links.values():
        for primitive in map(primitive_of, link.collisions):
            if primitive is not None and primitive.kind == "sphere":
                ball = Ball(primitive.pose.translation, primitive.sizes[0])
                spheres.setdefault(link.name, []).append(ball)
    return spheres


def list_text(robot: UrdfRobot, path: str) -> bytes:
    """Return the list of the spheres of a robot, in the format that the ending of a file selects."""
    spheres = spheres_of(robot)
    if path.lower().endswith(".srdf"):
        lines = _srdf_lines(robot.name, spheres)
    else:
        lines = _yaml_lines(spheres)
    return ("\n".join(lines) + "\n").encode()


def _srdf_lines(name: str, spheres: BallsOf) -> List[str]:
    """Return the lines of an SRDF with the spheres of each link, as MoveIt reads them."""
    lines = [f'<robot name="{escaped(name, QUOTE)}">']
    for link, balls in spheres.items():
        lines.append(f'  <link_sphere_approximation link="{escaped(link, QUOTE)}">')
        for center, radius in balls:
            text = f'center="{format_numbers(center)}" radius="{format_number(radius)}"'
            lines.append(f"    <sphere {text}/>")
        lines.append("  </link_sphere_approximation>")
    return [*lines, "</robot>"]


def _yaml_lines(spheres: BallsOf) -> List[str]:
    """Return the lines of a YAML file with the spheres of each link, as cuRobo reads them."""
    lines = [BEGIN]
    for link, balls in spheres.items():
        # A string of JSON is also a string of YAML.
        lines.append(f"  {json.dumps(link)}:")
        for center, radius in balls:
            lines.append(f"    - center: [{', '.join(map(format_number, center))}]")
            lines.append(f"      radius: {format_number(radius)}")
    return [*lines, "collision_sphere_buffer: 0.0"]
