"""The laws of edits: input and result of an edit must agree under the map that the edit gives.

Volumes and centers are recomputed from the shapes as `compare` reads them, in the frame of the link.
"""

from __future__ import annotations

import os
import random
from math import fsum
from typing import Collection, Dict, List, Mapping, Optional, Sequence

from ..base.type_aliases import Packages
from ..base.errors import ProofFailed
from ..base.record_type import Record
from ..compare.verify_edit import EditLaw, verify_law
from ..compare.placed_shapes import scale_of
from ..compare.read_any_format import with_mesh_paths
from ..compare.difference_kinds import text_of
from ..formats.urdf.read_urdf import read_urdf
from ..meshes.mesh_readers import read_indexed
from ..meshes.convex_hull import convex_hull
from ..meshes.mesh_volume import volume_and_center
from ..plan.plan_decisions import Plan
from ..robot.principal_axes import solid_mass
from ..robot.raw_robot import RawLink, RawMass, RawRobot, RawShape
from ..urdf.lossless_xml import Document
from ..urdf.spatial_math import add, compose, IDENTITY_POSE, move, norm, subtract, Vector, ZERO
from ..meshes.verify_witnesses import distance, triangles_at
from ..verify.shared_proof_state import ComparedRobots, WorstErrors, NO_FOLDERS
from ..verify.verify_equivalence import verify_joint_map
from ..verify.verify_other_elements import verify_outside
from ..verify.proof_robot import assembled, ProofRobot as RawUrdf, read_raw, world_motion
from .rename_elements import collision_name
from .robot_draft import EditResult


def raw_of(
    data: bytes,
    path: str,
    packages: Packages = (),
    staged: Mapping[str, str] = {},
) -> RawRobot:
    """Return a robot as `compare` reads it."""
    return with_mesh_paths(read_urdf(data, path), os.path.dirname(path), packages, staged)


def verify(
    before: RawRobot, after: RawRobot, made: EditResult, act: str, elsewhere: Collection[str] = ()
) -> List[str]:
    """Verify the laws of an edit; return the sensors and loops of `elsewhere` that differ and are excused.

    A loop of `elsewhere` may differ if a zero alone moved, or if the edit opens it.

    Raises:
        ProofFailed: a law does not hold; a fault of this tool.
    """
    excused: List[str] = []
    for first, second, law in made.laws(before, after, whole(made.law, before)):
        zeros = (*law.held.values(), *(joint_map.zero for joint_map in law.maps.values()))
        excusable = ("sensor", "loop") if any(zeros) else ("sensor",)
        for difference in verify_law(first, second, law):
            is_opened = difference.kind.startswith("loop") and difference.where in made.opened
            is_excusable = is_opened or difference.kind.startswith(excusable)
            if is_excusable and difference.where in elsewhere:
                excused.append(difference.where)
                continue
            raise ProofFailed(f"{act}: another robot: {text_of(difference)}", before.file)
    return excused


def verify_outside_of(
    before: Document, after: Document, law: EditLaw, plan: Plan
) -> ComparedRobots:
    """Verify the elements outside links and joints, and the note of joints, as a run does; return the comparison.

    Raises:
        ProofFailed: a value differs; a fault of this tool.
    """
    old = _as_edited(read_raw(before, IDENTITY_POSE), law, plan)
    comparison = ComparedRobots(
        before=old,
        plan=plan,
        after=read_raw(after, IDENTITY_POSE),
        folders=NO_FOLDERS,
        worst=WorstErrors(before.path),
    )
    comparison.moved_axes.update(dict.fromkeys(comparison.after.joints, 0.0))
    verify_outside(comparison)
    verify_joint_map(comparison)
    return comparison


def _as_edited(robot: RawUrdf, law: EditLaw, plan: Plan) -> RawUrdf:
    """Return the part of a robot that a plan has, with its joints at their new zeros or locked positions."""
    joints = []
    zeros = {name: joint_map.zero for name, joint_map in law.maps.items()}
    for joint in robot.joints.values():
        if not {joint.parent, joint.child} <= plan.members.keys():
            continue
        position = law.held.get(joint.name, zeros.get(joint.name, 0.0))
        if position:
            # The joint at its new zero is where it was at this position.
            motion = world_motion(joint, IDENTITY_POSE, position, random.Random(0))
            joint = joint._replace(origin=compose(joint.origin, motion))
        # The mimic rule counts positions minus their zeros.
        if joint.mimic is not None:
            leader, factor, shift = joint.mimic
            joint = joint._replace(
                mimic=(leader, factor, shift + factor * zeros.get(leader, 0.0) - position)
            )
        if joint.name in law.held:
            joint = joint._replace(type="fixed", mimic=None)
        joints.append(joint)
    links = {name: link for name, link in robot.links.items() if name in plan.members}
    return assembled(robot.document, links, joints, plan.placements[plan.robot.root])


def whole(law: EditLaw, raw: RawRobot) -> EditLaw:
    """Return a law with the new names of elements that are named after their joint or links."""
    new_names: Dict[str, str] = {}
    for actuator in raw.actuators:
        joint = actuator.joint
        if actuator.name.startswith(joint):
            new_names[actuator.name] = law.joints.get(joint, joint) + actuator.name[len(joint) :]
    own_names = {shape.name for link in raw.links for shape in link.shapes}
    for sensor in raw.sensors:
        new_names.update(
            {
                text: collision_name(text, law.links, own_names)
                for path, _, text in sensor.words
                if path.endswith("/collision")
            }
        )
    for loop in raw.loops:
        end = law.links.get(f"{loop.name}_1", "")
        if end:
            new_names[loop.name] = end[:-2]
    return law._replace(others={**new_names, **law.others})


ROUNDING = 2.0**-50  # of a product of three lengths
TEXT = 1e-12  # relative error of a number as written
NO_MASS = RawMass(0.0, ZERO, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))


class ShapeVolume(Record):
    """The volume [m^3] of a shape, its center in the frame of the link, and its size [m].

    `lost` is the part of the volume that rounding may hide: it is large for a thin rod.
    """

    volume: float
    center: Vector
    size: float = 0.0
    lost: float = 0.0


def with_masses_of_shapes(
    link: RawLink,
    role: str,
    density: Optional[float],
    written: Optional[RawMass],
    *,
    of_hulls: bool,
) -> RawLink:
    """Return a link with mass and center of its shapes: from the density [kg/m^3], or with its present mass.

    Both are recomputed. They are replaced by the written ones if only rounding makes the difference. The tensor is the
    written one.
    """
    parts = [_part(shape, of_hulls=of_hulls) for shape in link.shapes if shape.role == role]
    volume = fsum(part.volume for part in parts)
    x, y, z = (
        fsum(part.volume * coordinate for part, coordinate in zip(parts, coordinates)) / volume
        for coordinates in zip(*(part.center for part in parts))
    )
    mass = link.mass.mass if link.mass is not None else 0.0
    if density is not None:
        mass = density * volume
    written = written or NO_MASS
    digits = TEXT + fsum(part.lost for part in parts) / volume
    reach = max(part.size for part in parts)
    center = (x, y, z)
    # A center far from the link has an absolute error of that distance, however small the shape is.
    allowed = digits * reach + TEXT * norm(center)
    is_rounding = (
        abs(mass - written.mass) <= digits * mass and distance(center, written.center) <= allowed
    )
    computed = written._replace(mass=mass, center=center)
    if is_rounding:
        return link._replace(mass=written)
    return link._replace(mass=computed)


def _part(shape: RawShape, *, of_hulls: bool) -> ShapeVolume:
    """Return the volume of a shape, in the frame of its link."""
    if shape.geometry != "mesh":
        solid = solid_mass(shape.geometry, shape.sizes, 1.0)
        return ShapeVolume(solid.mass, move(shape.T_link_shape, solid.center))
    points, triangles = read_indexed(shape.path)
    x, y, z = scale_of(shape)
    placed: Sequence[Vector] = [
        move(shape.T_link_shape, (x * p, y * q, z * r)) for p, q, r in points
    ]
    if of_hulls:
        placed, triangles = convex_hull(placed) or (placed, triangles)
    # From a point near the surface, the sums lose little by cancellation.
    origin = placed[0]
    centered = [subtract(point, origin) for point in placed]
    volume, center = volume_and_center(triangles_at(centered, triangles))
    size = max(map(norm, centered))
    far = max(map(abs, origin)) + size
    lost = ROUNDING * size * size * (len(triangles) * size + far)
    return ShapeVolume(abs(volume), add(center, origin), size, lost)
