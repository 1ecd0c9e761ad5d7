"""The law of masses from shapes: integrals anew, of shapes as compare reads them, by quadrature in the link's frame."""
from math import sqrt
from typing import Optional, Sequence

from ..compare.placed import scale_of
from ..meshes.formats import read_indexed
from ..meshes.hull import convex_hull
from ..meshes.witnesses import Point, Triangle
from ..robot.principal_axes import entries_of, solid_mass
from ..robot.records import RawLink, RawMass, RawShape
from ..urdf.spatial import MassProperties, merge_mass, move, move_mass

# Hammer and Stroud 1956: four points of a tetrahedron with the same mean of a quadratic polynomial as all of it.
NEAR, FAR = (5.0 + 3.0 * sqrt(5.0)) / 20.0, (5.0 - sqrt(5.0)) / 20.0


def with_masses_of_shapes(link: RawLink, role: str, density: Optional[float], *, of_hulls: bool) -> RawLink:
    """Return a link with mass properties of its shapes: of the density [kg/m^3], or with the mass that it has."""
    total = merge_mass(_solid(shape, of_hulls=of_hulls) for shape in link.shapes if shape.role == role)
    mass = density * total.mass if density is not None else link.mass.mass if link.mass else 0.0
    xx, xy, xz, yy, yz, zz = (mass / total.mass * entry for entry in entries_of(total.inertia))
    return link._replace(mass=RawMass(mass, total.center, (xx, xy, xz, yy, yz, zz)))


def _solid(shape: RawShape, *, of_hulls: bool) -> MassProperties:
    """Return the mass properties of a shape of 1 kg/m^3 in the frame of its link."""
    if shape.geometry != "mesh":
        return move_mass(shape.T_link_shape, solid_mass(shape.geometry, shape.sizes, 1.0))
    points, triangles = read_indexed(shape.path)
    x, y, z = scale_of(shape)
    placed: Sequence[Point] = [move(shape.T_link_shape, (x * p, y * q, z * r)) for p, q, r in points]
    placed, triangles = of_hulls and convex_hull(placed) or (placed, triangles)
    return by_quadrature([(placed[a], placed[b], placed[c]) for a, b, c in triangles])


def by_quadrature(triangles: Sequence[Triangle]) -> MassProperties:
    """Return what a closed surface holds, of 1 kg/m^3; whichever way its triangles face."""
    ox, oy, oz = triangles[0][0]  # near the surface, so that little cancels
    V = X = Y = Z = XX = XY = XZ = YY = YZ = ZZ = 0.0
    for corners in triangles:
        (ax, ay, az), (bx, by, bz), (cx, cy, cz) = ((x - ox, y - oy, z - oz) for x, y, z in corners)
        part = (ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)) / 24.0
        x, y, z, step = FAR * (ax + bx + cx), FAR * (ay + by + cy), FAR * (az + bz + cz), NEAR - FAR
        V += 4.0 * part
        for p, q, r in ((x, y, z), (x + step * ax, y + step * ay, z + step * az),
                        (x + step * bx, y + step * by, z + step * bz), (x + step * cx, y + step * cy, z + step * cz)):
            X, Y, Z = X + part * p, Y + part * q, Z + part * r
            XX, XY, XZ = XX + part * p * p, XY + part * p * q, XZ + part * p * r
            YY, YZ, ZZ = YY + part * q * q, YZ + part * q * r, ZZ + part * r * r
    sign, x, y, z = (1.0 if V > 0.0 else -1.0), X / V, Y / V, Z / V
    xx, xy, xz = sign * (XX - X * x), sign * (XY - X * y), sign * (XZ - X * z)
    yy, yz, zz = sign * (YY - Y * y), sign * (YZ - Y * z), sign * (ZZ - Z * z)
    return MassProperties(abs(V), (x + ox, y + oy, z + oz), (
        (yy + zz, -xy, -xz), (-xy, xx + zz, -yz), (-xz, -yz, xx + yy)))
