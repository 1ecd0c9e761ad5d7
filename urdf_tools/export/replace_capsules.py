"""Write each `<capsule>` as a cylinder and a ball at each end: urdfdom drops it before version 1.1, Isaac always."""

from __future__ import annotations

from typing import Dict

from ..base.type_aliases import Pair
from ..apply.merge_passes import make_name_unique
from ..apply.apply_plan_passes import write_pose
from ..base.errors import ProofFailed
from ..base.number_text import count_of, format_number
from ..compare.robot_comparison import compare
from ..compare.given_or_searched_map import IDENTITY
from ..formats.urdf.read_urdf import read_urdf_document
from ..lint.program_rules import OLD_URDFDOM
from ..model.model_shapes import Capsule, geometry_of
from ..run.run_records import Result
from ..urdf.lossless_xml import Element
from ..urdf.spatial_math import compose, IDENTITY as NO_TURN, Transform
from ..urdf.xml_edits import attach, attach_behind, copy_document, copy_element, create, detach
from .shared_run_values import with_text

EXACT = 1e-9  # [m]
NOISE = 1e-14  # [m]


def with_pieces(result: Result) -> Result:
    """Return a result with capsules written as cylinders and balls: the same points, which `compare` verifies.

    Raises:
        ProofFailed: other shapes; a fault of this tool.
    """
    before = result.after.document
    if before.root.get("version") not in OLD_URDFDOM:
        return result
    document = copy_document(before)
    count = 0
    for link in result.after.links.values():
        names = {(part.name, part.get("name") or ""): 1 for part in link.source.elements()}
        for shape in link.shapes:
            capsule = geometry_of(shape)
            if isinstance(capsule, Capsule):
                _write_pieces(document.copy_of(shape.source), shape.pose, capsule, names)
                count += 1
    if not count:
        return result
    changed = with_text(result, document.to_bytes())
    robots = [read_urdf_document(each) for each in (before, changed.after.document)]
    other = compare(robots[0], robots[1], given=IDENTITY, tolerance=EXACT).differences
    # A piece whose name is the name of a different shape gets a free name.
    if any((each.kind, each.names[2:3]) != ("shape_text", ("name",)) for each in other):
        raise ProofFailed("a capsule became another shape", before.path)
    words = f"{count_of(count, 'capsule')} as cylinder and balls"
    changes = (*changed.exported.changes, words)
    return changed._replace(exported=changed.exported._replace(changes=changes))


def _write_pieces(
    shape: Element, pose: Transform, capsule: Capsule, names: Dict[Pair, int]
) -> None:
    """Turn a capsule into a cylinder, with two spheres behind it."""
    radius, length = map(format_number, (capsule.radius, capsule.length))
    balls = [copy_element(shape), copy_element(shape)]
    for piece in (shape, *balls):
        geometry = piece.elements("geometry")[0]
        detach(geometry, geometry.elements())
        part = create("sphere", {"radius": radius})
        if piece is shape:
            part = create("cylinder", {"radius": radius, "length": length})
        attach(geometry, [part])
    # The length of a capsule is the length of its cylinder: the balls are about its ends.
    for ball, end in zip(balls, (-0.5, 0.5)):
        T_end = Transform(NO_TURN, (0.0, 0.0, end * capsule.length))
        write_pose(ball, compose(pose, T_end), pose, NOISE)
        make_name_unique(ball, names)
        attach_behind(shape, ball)
