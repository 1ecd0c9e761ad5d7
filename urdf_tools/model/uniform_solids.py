"""The shapes of a URDF as solids of uniform density."""

from typing import Callable, Iterable

from ..base.type_aliases import Reals
from ..meshes.mesh_volume import NoVolume, SolidVolume
from ..robot.principal_axes import solid_mass
from ..urdf.urdf_records import UrdfShape
from ..urdf.spatial_math import MassProperties, merge_mass, move_mass
from .model_shapes import geometry_of, sizes_of


def solid_of_shape(shape: UrdfShape, of_mesh: Callable[[str, Reals], SolidVolume]) -> SolidVolume:
    """Return the solid of a shape with 1 kg/m^3, in its own frame.

    `of_mesh` returns the solid of a mesh, from its name in the robot and its scale.

    Raises:
        NoVolume: the shape has no size, or `of_mesh` raises it.
    """
    geometry = geometry_of(shape)
    if geometry is None:
        raise NoVolume("has no size")
    sizes = sizes_of(geometry)
    if geometry.kind == "mesh":
        return of_mesh(shape.mesh, sizes)
    x, y, z = _half_extents(geometry.kind, sizes)
    return SolidVolume(solid_mass(geometry.kind, sizes, 1.0), False, (((-x, -y, -z), (x, y, z)),))


def _half_extents(kind: str, sizes: Reals) -> Reals:
    """Return the half lengths of a solid along its axes [m]."""
    if kind == "box":
        return tuple(0.5 * size for size in sizes)
    if kind == "sphere":
        return sizes * 3
    radius, length = sizes
    # The half spheres extend beyond the length of a capsule.
    end = radius if kind == "capsule" else 0.0
    return (radius, radius, 0.5 * length + end)


def uniform(shapes: Iterable[UrdfShape], solids: Iterable[SolidVolume]) -> MassProperties:
    """Return the combined mass properties of shapes in the frame of their link, with 1 kg/m^3."""
    return merge_mass(
        move_mass(shape.pose, solid.properties) for shape, solid in zip(shapes, solids)
    )
