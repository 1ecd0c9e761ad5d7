"""Both robots as plain data for the page's script: what moves them, and what is drawn of them.

Reals that move a robot are exact. Reals that are only drawn have seven digits: the page draws with float32. The
sliders move the result, and the input follows: a link of the input has the link of the result that it is in (`to`) and
its pose in it (`T`), a joint the joint that moves it (`by`) and the map of positions.
"""

from __future__ import annotations

import math
from math import fsum, sqrt
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional, Sequence, Tuple, Union

from ...base.types import Json, Reals, Span
from ...base.number_text import read_numbers
from ...model.shapes import geometry_of, material_of, sizes_of, vector_of
from ...plan.decisions import Plan
from ...robot.motion import followers
from ...robot.principal_axes import principal
from ...run.records import Followed, Result
from ...urdf.model import Joint, Limit, material_definitions, MOVABLE, poses_at, Robot, Shape
from ...urdf.spatial import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    MassProperties,
    norm,
    Pose,
    Vector,
    ZERO,
)
from ...verify.comparison import TOLERANCE
from .meshes import DrawnSurface, MeshStore, Rgba

DRAWN_DIGITS = 7
UNLIMITED_TURN, UNLIMITED_SHIFT = (
    math.pi,
    1.0,
)  # [rad], [m] how far a slider goes where there is no limit
LEAST_MASS = 1e-6  # [kg] lighter links are frames
THINNEST = 1e-4  # [m] so that an ellipsoid without extent can be seen
Origin = Tuple[str, Shape]  # a link of the input, and its shape
# The number of a mesh or the name of a body of size 1, its pose, its size on each axis, and the color of its surface.
Piece = Tuple[Union[int, str], Pose, Vector, Optional[Rgba]]


def flat(T: Pose) -> List[float]:
    """Return a pose as 12 numbers: the rotation by rows, then the translation."""
    return [value + 0.0 for row in (*T.rotation, T.translation) for value in row]


def drawn(values: Sequence[float]) -> List[float]:
    """Return numbers as exact as they can be drawn, whole ones without a decimal point."""
    rounded = (round(value, DRAWN_DIGITS) + 0.0 for value in values)
    return [int(value) if value == int(value) else value for value in rounded]


def shape_origins(plan: Plan) -> Dict[Tuple[str, str], List[Origin]]:
    """Return the links and shapes of the input that the shapes of the result are of, by link and kind, in their order.

    The shapes of the link itself come first, then those of the links that merge into it; a COLLADA mesh that was split
    is replaced by its parts.
    """
    removed = plan.removed_shapes
    parts = {split.shape.source.offset: len(split.parts) for split in plan.meshes.converted}
    origins: Dict[Tuple[str, str], List[Origin]] = {}
    for name in sorted(plan.members, key=lambda name: plan.members[name].merged):
        for shape in plan.robot.links[name].shapes:
            if shape.source.offset not in removed:
                origins.setdefault((plan.members[name].target, shape.kind), []).extend(
                    [(name, shape)] * parts.get(shape.source.offset, 1)
                )
    for link, counts in plan.meshes.joined.items():
        origins[link, "visual"] = [
            origin
            for number, origin in enumerate(origins[link, "visual"])
            for _ in range(counts.get(number, 1))
        ]
    return origins


def slider_range(joint: Joint) -> Span:
    """Return how far a slider of a joint goes [rad or m]."""
    return slider_ends(joint.type, *(joint.limit or Limit())[:2])


def slider_ends(
    kind: str, lower: Optional[float], upper: Optional[float], start: float = 0.0
) -> Span:
    """Return how far a slider goes [rad or m]: the limits, or a half turn or a meter where there are none."""
    free = UNLIMITED_SHIFT if kind == "prismatic" else UNLIMITED_TURN
    lower, upper = (None, None) if kind == "continuous" else (lower, upper)
    ends = (start - free if lower is None else lower, start + free if upper is None else upper)
    return min(ends), max(ends)


def joint_drivers(
    robot: Robot, rules: Sequence[Tuple[int, int, float, float]]
) -> Dict[str, Optional[int]]:
    """Return, by link, the number in `tree` of the joint that moves it (of a follower: its leader), or None."""
    leaders = {follower: leader for follower, leader, _, _ in rules}
    drivers: Dict[str, Optional[int]] = {robot.root: None}
    for number, joint in enumerate(robot.tree):
        driver = number
        while driver in leaders:
            driver = leaders[driver]
        drivers[joint.child] = driver if joint.type in MOVABLE else drivers[joint.parent]
    return drivers


def explained_distance(result: Result) -> float:
    """Return how far a link may be from its pose in the input [m]: the effect of cleaning the axes, and rounding.

    An axis that is off by an angle rotates its descendants by at most twice that angle, at each joint of the chain; the
    proof gives the angle with two digits.
    """
    after = result.after
    reach, turns = {after.root: 0.0}, {after.root: 0}
    for joint in after.tree:
        slide = max(map(abs, slider_range(joint))) if joint.type == "prismatic" else 0.0
        reach[joint.child] = reach[joint.parent] + norm(joint.origin.translation) + slide
        turns[joint.child] = turns[joint.parent] + (joint.type != "fixed")
    size = max(reach.values()) + max(
        (norm(T.translation) for T in result.plan.placements.values()), default=0.0
    )
    return TOLERANCE * max(1.0, size) + 2.1 * result.proof.axis * max(turns.values()) * size


def page_data(result: Result, store: MeshStore) -> Json:
    """Return both robots, without the meshes; these are in the store afterwards."""

    plan, before, after = result.plan, result.before, result.after
    changes = {strip.shape.source.offset: "stripped" for strip in plan.strips}
    changes.update({copy.shape.source.offset: "copy" for copy in plan.copies})
    old_links, new_links = list(before.links), list(after.links)
    old_place = {name: number for number, name in enumerate(old_links)}
    old_meanings = material_definitions(before)
    old = []
    for name in old_links:
        shapes = [
            (
                shape,
                _rows(
                    shape,
                    material_rgba(shape, old_meanings),
                    store,
                    "",
                    shape.mesh,
                    change=changes.get(shape.source.offset),
                ),
            )
            for shape in before.links[name].shapes
        ]
        old.append(
            _link(before, name, [row for _, rows_of_shape in shapes for row in rows_of_shape])
        )
        if "ellipsoid" in old[-1] and _looks_empty(shapes):
            old[-1].update(missing=True)
    new = _links_of_result(result, store, old_place)
    new_place = {name: number for number, name in enumerate(new_links)}
    new_joint = {joint.child: number for number, joint in enumerate(after.tree)}
    rules = followers(after)
    drivers = joint_drivers(after, rules)
    # The sliders move the result: a link of the input follows the link that it is in, by the joint that moves that one.
    for described, name in zip(old, old_links):
        member = plan.members[name]
        described.update(to=new_place[member.target], T=flat(plan.placements[name]))
        driver = drivers[member.target]
        if driver is not None:
            described.update(driver=driver)
        if member.merged:
            described.update(merged=True, why=member.reason)
    old_joints = [_joint(joint, old_place) for joint in before.tree]
    for described, joint in zip(old_joints, before.tree):
        if joint.type in MOVABLE:
            owner = (
                plan.members[joint.child].target
                if plan.members[joint.child].merged
                else joint.child
            )
            described.update(
                {"by": new_joint[owner], **_map(plan, owner)} if owner in new_joint else {}
            )
    new_joints = [_joint(joint, new_place) for joint in after.tree]
    for described, joint in zip(new_joints, after.tree):
        described["range"] = list(slider_range(joint))
        described.update(_map(plan, joint.child))
    return {
        "alone": not result.changed,
        "base": flat(_base(result)),
        "allowed": explained_distance(result),
        "old": {"root": old_place[before.root], "links": old, "joints": old_joints},
        "new": {
            "root": new_place[after.root],
            "links": new,
            "joints": new_joints,
            "followers": rules,
        },
        "states": [
            state for companion in result.companions for state in srdf_states(companion, after)
        ],
    }


def _links_of_result(result: Result, store: MeshStore, old_place: Dict[str, int]) -> List[Json]:
    """Return the links of the result, each shape with the place of the link of the input that it comes from."""
    plan, after = result.plan, result.after
    made = {file.name: file.source for file in plan.meshes.files if not file.is_copy}
    origins, meanings = shape_origins(plan), material_definitions(after)
    links = []
    for name, link in after.links.items():
        remaining = {kind: iter(origins.get((name, kind), ())) for kind in ("visual", "collision")}
        rows: List[Json] = []
        for shape in link.shapes:
            # A run may have made more collisions of a link than the input has.
            link_before, before = next(remaining[shape.kind], (name, shape))
            rows += _rows(
                shape,
                material_rgba(shape, meanings),
                store,
                made.get(shape.mesh, ""),
                before.mesh,
                of=old_place[link_before],
            )
        links.append(_link(after, name, rows))
    return links


def _map(plan: Plan, child: str) -> Json:
    """Return the map of the positions of a joint of the result: q_old = sign * q_new + offset."""
    sign, zero = plan.joints[child].map
    return {"sign": sign, "offset": zero} if zero else {"sign": sign}


def _base(result: Result) -> Pose:
    """Return the pose of the input's root in the frame of the result's root, which does not move in the page."""
    plan, root = result.plan, result.after.root
    if root == result.before.root:
        return Pose(plan.base.R_new_old, ZERO)
    T_root = poses_at(result.before, {}, IDENTITY_POSE)[root]
    return compose(plan.placements[root], inverse(T_root))


def material_rgba(shape: Shape, meanings: Json) -> Optional[Rgba]:
    """Return the color that the URDF gives a shape."""
    material = material_of(shape, meanings)
    return material.rgba if material is not None else None


def _link(robot: Robot, name: str, rows: List[Json]) -> Json:
    described: Json = {"name": name, "shapes": rows}
    inertial = robot.links[name].inertial
    if robot.links[name].mass:
        described.update(mass=robot.links[name].mass)
    return {**described, **(ellipsoid_row(inertial.properties) if inertial is not None else {})}


def _looks_empty(pieces: Sequence[Tuple[Shape, Sequence[Json]]]) -> bool:
    """Return True if a link has a visual mesh that cannot be drawn, and nothing else that can be seen."""
    visuals = [(shape, rows) for shape, rows in pieces if shape.kind == "visual"]
    lacks = any(shape.mesh and not rows for shape, rows in visuals)
    return lacks and not any(
        sorted(map(abs, row["size"]))[1] > THINNEST for _, rows in visuals for row in rows
    )


def _joint(joint: Joint, number_of: Dict[str, int]) -> Json:
    return {
        "name": joint.name,
        "type": joint.type,
        "parent": number_of[joint.parent],
        "child": number_of[joint.child],
        "T": flat(joint.origin),
        "axis": list(joint.axis),
    }


def _rows(
    shape: Shape, rgba: Optional[Rgba], store: MeshStore, source: str, reference: str, **more: Any
) -> List[Json]:
    geometry = geometry_of(shape)
    return (
        []
        if geometry is None
        else rows(
            pieces(
                geometry.kind,
                sizes_of(geometry),
                shape.pose,
                lambda longest: store.surfaces(
                    reference, longest, source, separate=shape.kind == "visual"
                ),
            ),
            rgba,
            shape.kind,
            **more,
        )
    )


def pieces(
    kind: str,
    sizes: Reals,
    T: Pose,
    surfaces: Callable[[float], Sequence[DrawnSurface]],
) -> Iterator[Piece]:
    """Yield what a shape is drawn with; `surfaces` returns those of a mesh by the largest factor it is drawn with."""
    if kind == "box":
        yield "box", T, vector_of(sizes), None
    elif kind in ("sphere", "ellipsoid"):
        yield "ball", T, vector_of([2.0 * radius for radius in (sizes * 3)[:3]]), None
    elif kind in ("cylinder", "capsule"):
        wide = 2.0 * sizes[0]
        yield "cylinder", T, (wide, wide, sizes[1]), None
        for end in (-0.5, 0.5) if kind == "capsule" else ():
            yield "ball", compose(T, Pose(IDENTITY, (0.0, 0.0, end * sizes[1]))), (wide,) * 3, None
    elif kind == "mesh":
        for surface in surfaces(max(map(abs, sizes))):
            yield surface.number, T, vector_of(sizes), surface.rgba


def rows(drawn_pieces: Iterable[Piece], rgba: Optional[Rgba], role: str, **more: Any) -> List[Json]:
    """Return what is drawn for a shape: nothing where that cannot be drawn."""
    described: List[Json] = []
    for number, T, size, surface_color in drawn_pieces:
        row: Json = {
            "shape": number,
            "T": drawn(flat(T)),
            "size": [round(value, 9) for value in size],
        }
        color = surface_color or rgba
        if color is not None:
            row["color"] = drawn(color)
        if role == "collision":
            row["collision"] = True
        described.append(
            {**row, **{key: value for key, value in more.items() if value is not None}}
        )
    return described


def srdf_states(srdf: Followed, after: Robot) -> Iterator[Json]:
    """Yield the states of an SRDF: name, group, and (joint of the result, position) of joints with one coordinate."""
    number_of = {joint.child: number for number, joint in enumerate(after.tree)}
    for state in srdf.after.root.elements("group_state"):
        positions = []
        for element in state.elements("joint"):
            joint = after.named.get(element.get("name") or "")
            try:
                value = read_numbers(element.get("value") or "", 1)[0]
            except ValueError:
                continue
            if joint is not None and joint.type in MOVABLE:
                positions.append((number_of[joint.child], value))
        if positions:
            yield {
                "name": state.get("name") or "",
                "group": state.get("group") or "",
                "positions": positions,
            }


def ellipsoid_row(properties: MassProperties) -> Json:
    """Return the homogeneous ellipsoid of a link, T_link_ellipsoid and its length along each axis [m]; {} without mass.

    The semi-axis along the first principal axis is sqrt(5/2 (B + C - A) / m); where B + C < A, which is not physical,
    it is the thinnest that is shown.
    """
    if not properties.mass > LEAST_MASS:
        return {}
    moments, R = principal(properties.inertia)
    size = [
        2.0 * sqrt(max(THINNEST * THINNEST, 2.5 * (fsum(moments) - 2.0 * moment) / properties.mass))
        for moment in moments
    ]
    return {"ellipsoid": {"T": drawn(flat(Pose(R, properties.center))), "size": drawn(size)}}
