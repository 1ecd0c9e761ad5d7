"""What shapes of a URDF hold: solids of uniform density."""

from typing import Callable, Iterable

from ..base.types import Reals
from ..meshes.volume import NoVolume, Solid
from ..robot.principal_axes import solid_mass
from ..urdf.model import Shape
from ..urdf.spatial import MassProperties, merge_mass, move_mass
from .shapes import geometry_of, sizes_of


def solid_of_shape(shape: Shape, of_mesh: Callable[[str, Reals], Solid]) -> Solid:
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
    x, y, z = (
        (0.5 * size for size in sizes) if geometry.kind == "box" else (*sizes[:1] * 2, sizes[-1])
    )
    return Solid(solid_mass(geometry.kind, sizes, 1.0), False, (((-x, -y, -z), (x, y, z)),))


def uniform(shapes: Iterable[Shape], solids: Iterable[Solid]) -> MassProperties:
    """Return the mass properties of shapes together in the frame of their link, of 1 kg/m^3."""
    return merge_mass(
        move_mass(shape.pose, solid.properties) for shape, solid in zip(shapes, solids)
    )
