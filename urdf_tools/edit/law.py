"""The laws of acts: the robot before and after, compared by the map that an act knows.

Masses from shapes are integrated anew: of shapes as compare reads them, by quadrature in the frame of the link.
"""

import os
import random
from math import fsum, sqrt
from typing import Collection, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.errors import ProofFailed
from ..compare.law import Law, verify_law
from ..compare.placed import scale_of
from ..compare.read import with_mesh_paths
from ..compare.words import text_of
from ..formats.urdf.read import read_urdf
from ..meshes.formats import read_indexed
from ..meshes.hull import convex_hull
from ..meshes.witnesses import Point, Triangle
from ..plan.decisions import Plan
from ..robot.principal_axes import entries_of, solid_mass
from ..robot.records import RawLink, RawMass, RawRobot, RawShape
from ..urdf.lossless_xml import Document
from ..urdf.spatial import distance, IDENTITY_POSE, MassProperties, merge_mass, move, move_mass
from ..verify.comparison import Comparison, ErrorBounds, NO_FOLDERS
from ..verify.equivalence import verify_joint_map
from ..verify.outside import verify_outside
from ..verify.raw_robot import assembled, RawRobot as RawUrdf, read_raw, world_motion
from ..verify.rigid_motion import composed
from .names import collision_name
from .records import Made


def raw_of(
    data: bytes,
    path: str,
    packages: Tuple[Tuple[str, str], ...] = (),
    staged: Mapping[str, str] = {},
) -> RawRobot:
    """Return a robot as compare reads it."""
    return with_mesh_paths(read_urdf(data, path), os.path.dirname(path), packages, staged)


def verify(
    before: RawRobot, after: RawRobot, made: Made, act: str, elsewhere: Collection[str] = ()
) -> List[str]:
    """Verify the laws of an act; return which sensors are another: of those whose poses are given `elsewhere`.

    Raises:
        ProofFailed: a law does not hold; a fault of this tool.
    """
    excused: List[str] = []
    for first, second, law in made.laws(before, after, whole(made.law, before)):
        for difference in verify_law(first, second, law):
            if difference.kind.startswith("sensor") and difference.where in elsewhere:
                excused.append(difference.where)
                continue
            raise ProofFailed(f"{act}: another robot: {text_of(difference)}", before.file)
    return excused


def verify_outside_of(before: Document, after: Document, law: Law, plan: Plan) -> Comparison:
    """Verify as a run does what is outside of links and joints, and the note of joints; return the comparison.

    Raises:
        ProofFailed: a value is another; a fault of this tool.
    """
    old = _as_edited(read_raw(before, IDENTITY_POSE), law, plan)
    comparison = Comparison(
        old, plan, read_raw(after, IDENTITY_POSE), NO_FOLDERS, ErrorBounds(before.path)
    )
    comparison.moved_axes.update(dict.fromkeys(comparison.after.joints, 0.0))
    verify_outside(comparison)
    verify_joint_map(comparison)
    return comparison


def _as_edited(robot: RawUrdf, law: Law, plan: Plan) -> RawUrdf:
    """Return the part of a robot that a plan has, with its joints at their new zeros or where they are locked."""
    joints, zeros = [], {name: joint_map.zero for name, joint_map in law.maps.items()}
    for joint in robot.joints.values():
        if not {joint.parent, joint.child} <= plan.members.keys():
            continue
        position = law.held.get(joint.name, zeros.get(joint.name, 0.0))
        if position:
            motion = world_motion(joint, IDENTITY_POSE, position, random.Random(0))
            joint = joint._replace(origin=composed(joint.origin, motion))
        if joint.mimic is not None:  # of positions less their zeros
            leader, factor, shift = joint.mimic
            joint = joint._replace(
                mimic=(leader, factor, shift + factor * zeros.get(leader, 0.0) - position)
            )
        joints.append(joint._replace(type="fixed", mimic=None) if joint.name in law.held else joint)
    links = {name: link for name, link in robot.links.items() if name in plan.members}
    return assembled(robot.document, links, joints, plan.placements[plan.robot.root])


def whole(law: Law, raw: RawRobot) -> Law:
    """Return a law with what has no name of its own in a robot, and so is called by its joint, or by its ends."""
    others: Dict[str, str] = {}
    for actuator in raw.actuators:
        joint = actuator.joint
        if actuator.name.startswith(joint):
            others[actuator.name] = law.joints.get(joint, joint) + actuator.name[len(joint) :]
    own_names = {shape.name for link in raw.links for shape in link.shapes}
    for sensor in raw.sensors:
        others.update(
            {
                text: collision_name(text, law.links, own_names)
                for path, _, text in sensor.words
                if path.endswith("/collision")
            }
        )
    for loop in raw.loops:
        end = law.links.get(f"{loop.name}_1", "")
        others.update({loop.name: end[:-2]} if end else {})
    return law._replace(others={**others, **law.others})


# Hammer and Stroud 1956: four points of a tetrahedron with the same mean of a quadratic polynomial as all of it.
ROUNDING, TEXT = 2.0**-50, 1e-12  # of a product of three lengths; of a number as it is written
NEAR, FAR = (5.0 + 3.0 * sqrt(5.0)) / 20.0, (5.0 - sqrt(5.0)) / 20.0


def with_masses_of_shapes(
    link: RawLink,
    role: str,
    density: Optional[float],
    written: Optional[RawMass],
    *,
    of_hulls: bool,
) -> RawLink:
    """Return a link with mass properties of its shapes: of the density [kg/m^3], or with the mass that it has.

    They are those that were written, where rounding alone makes the difference: much of the least moment of a thin rod.
    """
    solids = [_solid(shape, of_hulls=of_hulls) for shape in link.shapes if shape.role == role]
    total = merge_mass(properties for properties, _, _ in solids)
    mass = density * total.mass if density is not None else link.mass.mass if link.mass else 0.0
    xx, xy, xz, yy, yz, zz = (mass / total.mass * entry for entry in entries_of(total.inertia))
    computed = RawMass(mass, total.center, (xx, xy, xz, yy, yz, zz))
    lost = fsum(lost for _, lost, _ in solids) / total.mass
    reach = max(reach for _, _, reach in solids)
    is_rounding = written is not None and _is_rounded(computed, written, lost, reach)
    return link._replace(mass=written if is_rounding else computed)


def _is_rounded(computed: RawMass, written: RawMass, lost: float, reach: float) -> bool:
    """Return True if only what the integrals lose, a part of the mass, and digits of the text are between two masses."""
    of_moments = TEXT * max(map(abs, computed.tensor)) + lost * computed.mass * reach * reach
    return (
        abs(computed.mass - written.mass) <= (TEXT + lost) * computed.mass
        and distance(computed.center, written.center) <= (TEXT + lost) * reach
        and all(abs(p - q) <= of_moments for p, q in zip(computed.tensor, written.tensor))
    )


def _solid(shape: RawShape, *, of_hulls: bool) -> Tuple[MassProperties, float, float]:
    """Return the mass properties of a shape of 1 kg/m^3 in the frame of its link.

    Behind them: what rounding may take of its mass [kg], and its size [m].
    """
    if shape.geometry != "mesh":
        properties = move_mass(shape.T_link_shape, solid_mass(shape.geometry, shape.sizes, 1.0))
        return properties, 0.0, 0.0
    points, triangles = read_indexed(shape.path)
    x, y, z = scale_of(shape)
    placed: Sequence[Point] = [
        move(shape.T_link_shape, (x * p, y * q, z * r)) for p, q, r in points
    ]
    placed, triangles = of_hulls and convex_hull(placed) or (placed, triangles)
    size = max(distance(placed[0], point) for point in placed)
    far = max(map(abs, placed[0])) + size
    properties = by_quadrature([(placed[a], placed[b], placed[c]) for a, b, c in triangles])
    return properties, ROUNDING * size * size * (len(triangles) * size + far), size


def by_quadrature(triangles: Sequence[Triangle]) -> MassProperties:
    """Return what a closed surface holds, of 1 kg/m^3; whichever way its triangles face."""
    ox, oy, oz = triangles[0][0]  # near the surface, so that little cancels
    V = X = Y = Z = XX = XY = XZ = YY = YZ = ZZ = 0.0
    for corners in triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = ((x - ox, y - oy, z - oz) for x, y, z in corners)
        part = (
            ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
        ) / 24.0
        x, y, z, step = FAR * (ax + bx + cx), FAR * (ay + by + cy), FAR * (az + bz + cz), NEAR - FAR
        V += 4.0 * part
        for p, q, r in (
            (x, y, z),
            (x + step * ax, y + step * ay, z + step * az),
            (x + step * bx, y + step * by, z + step * bz),
            (x + step * cx, y + step * cy, z + step * cz),
        ):
            X, Y, Z = X + part * p, Y + part * q, Z + part * r
            XX, XY, XZ = XX + part * p * p, XY + part * p * q, XZ + part * p * r
            YY, YZ, ZZ = YY + part * q * q, YZ + part * q * r, ZZ + part * r * r
    sign, x, y, z = (1.0 if V > 0.0 else -1.0), X / V, Y / V, Z / V
    xx, xy, xz = sign * (XX - X * x), sign * (XY - X * y), sign * (XZ - X * z)
    yy, yz, zz = sign * (YY - Y * y), sign * (YZ - Y * z), sign * (ZZ - Z * z)
    return MassProperties(
        abs(V),
        (x + ox, y + oy, z + oz),
        ((yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy)),
    )
