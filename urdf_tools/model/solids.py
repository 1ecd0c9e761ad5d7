"""What shapes of a URDF hold: solids of uniform density."""

from typing import Callable, Iterable

from ..base.types import Reals
from ..meshes.volume import NoVolume, SolidVolume
from ..robot.principal_axes import solid_mass
from ..urdf.model import UrdfShape
from ..urdf.spatial import MassProperties, merge_mass, move_mass
from .shapes import geometry_of, sizes_of


def solid_of_shape(shape: UrdfShape, of_mesh: Callable[[str, Reals], SolidVolume]) -> SolidVolume:
    """Return what a shape holds, of 1 kg/m^3, in its own frame.

    `of_mesh` returns what a mesh holds, by its name in the robot and its scale.

    Raises:
        NoVolume: it has no size, or what `of_mesh` raises.
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
    """Return how far a solid reaches along each of its axes [m]."""
    if kind == "box":
        return tuple(0.5 * size for size in sizes)
    if kind == "sphere":
        return sizes * 3
    radius, length = sizes
    # Half balls go beyond the length of a capsule.
    end = radius if kind == "capsule" else 0.0
    return (radius, radius, 0.5 * length + end)


def uniform(shapes: Iterable[UrdfShape], solids: Iterable[SolidVolume]) -> MassProperties:
    """Return the mass properties of shapes together in the frame of their link, of 1 kg/m^3."""
    return merge_mass(
        move_mass(shape.pose, solid.properties) for shape, solid in zip(shapes, solids)
    )
