"""Mass properties of an MJCF body: explicit or inferred from geoms, with the bounds of `<compiler>` (XML reference)."""
import math
from typing import List, NamedTuple, Optional, Sequence, Tuple

from ...robot.principal_axes import entries_of, principal, solid_mass
from ...robot.records import RawMass
from ...urdf.spatial import (IDENTITY, Matrix, MassProperties, merge_mass, move_mass, Pose, rotate_inertia, Vector,
                             ZERO, ZERO_INERTIA)
from ..xml_text import Element
from .read_settings import Attributes, position_of, rotation_of, Settings
from .read_shapes import Geom, raw_sizes


class Inertial(NamedTuple):
    """Mass properties of a body, in its frame; None: the file gives none.

    Attributes:
        unknown: the geom whose mass is not computed, and why.
        R_body_inertial: the axes in which the file wrote the tensor.
    """

    mass: Optional[MassProperties] = None
    R_body_inertial: Matrix = IDENTITY
    line: int = 0
    unknown: Optional[Tuple[Element, str]] = None

    def raw(self) -> Optional[RawMass]:
        """Return it as the record of all readers."""
        if self.mass is None:
            return None
        mass, center, tensor = self.mass
        return RawMass(mass, center, entries_of(tensor), Pose(self.R_body_inertial, center), self.line)


def read_inertial(element: Element, settings: Settings) -> Inertial:
    """Return the mass properties of an `<inertial>`.

    Raises:
        BrokenRobot: it lacks what MuJoCo needs, or has it twice.
    """
    attrs = Attributes(element.take(), ())
    for name in ("pos", "mass"):
        if attrs.get(name) is None:
            element.refuse(f"<inertial> has no {name}")
    R, diagonal = rotation_of(attrs, settings), attrs.get("diaginertia")
    if attrs.get("fullinertia") is not None:
        if diagonal is not None or R is not IDENTITY:
            element.refuse("<inertial> has a fullinertia, and says its axes or moments a second time")
        xx, yy, zz, xy, xz, yz = attrs.numbers("fullinertia", (0.0,) * 6)
        tensor: Matrix = ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    else:
        a, b, c = attrs.numbers("diaginertia", ZERO)
        tensor = rotate_inertia(R, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)))
    mass = attrs.number("mass", 0.0)
    if mass < 0.0:
        element.refuse(f"<inertial>: a mass of {mass:g} kg")
    return Inertial(MassProperties(mass, position_of(attrs), tensor), R, element.line)


def inertial_of(inertial: Optional[Inertial], geoms: Sequence[Geom], written_at: Tuple[Vector, int],
                settings: Settings) -> Inertial:
    """Return the mass properties of a body: from its geoms if it has no inertial, or if `inertiafromgeom` asks.

    Args:
        written_at: the `pos` of the body as written, and its line.
    """
    written, line = written_at
    counted = [geom for geom in geoms if settings.groups[0] <= geom.group <= settings.groups[1]]
    result = inertial or Inertial(line=line)
    if settings.from_geoms == "true" and counted or settings.from_geoms == "auto" and inertial is None:
        parts: List[MassProperties] = []
        for geom in counted:
            part, why = _part_of(geom)
            if why:
                return Inertial(line=line, unknown=(geom.element, why))
            parts += [move_mass(geom.T_body_geom, part)] if part is not None else []
        result = Inertial(merge_mass(parts) if sum(part.mass > 0.0 for part in parts) else None, line=line)
    return result._replace(mass=_mended(result.mass, written, settings))


def _part_of(geom: Geom) -> Tuple[Optional[MassProperties], str]:
    """Return the mass properties of a geom in its frame, None for no mass; or why they are not known."""
    if geom.mass == 0.0 or geom.mass is None and geom.density == 0.0 or geom.type == "plane":
        return None, ""
    if geom.type == "hfield":
        return None, "a height field"
    if geom.mesh is not None:
        return None, f"mesh '{geom.mesh.file or geom.element.attributes.get('mesh', '')}'"
    if geom.shell:
        return None, "a surface (shellinertia)"
    sizes = raw_sizes(geom)
    if geom.mass is None:
        return solid_mass(geom.type, sizes, geom.density), ""
    density = geom.mass / solid_mass(geom.type, sizes, 1.0).mass
    return solid_mass(geom.type, sizes, density)._replace(mass=geom.mass), ""


def _mended(mass: Optional[MassProperties], written: Vector, settings: Settings) -> Optional[MassProperties]:
    """Return a mass with the bounds of `<compiler>`, and moments with A + B < C made equal.

    A mass that only a bound makes is at the point `written`, in the frame of the body, as in MuJoCo.
    """
    if settings.least_mass <= 0.0 and settings.least_moment <= 0.0 and not settings.balance:
        return mass
    before = mass if mass is not None else MassProperties(0.0, written, ZERO_INERTIA)
    moments, R = principal(before.inertia)
    mended = [max(moment, settings.least_moment) for moment in moments]
    if settings.balance and 2.0 * max(mended) > math.fsum(mended):
        mended = [math.fsum(mended) / 3.0] * 3
    a, b, c = mended
    tensor = before.inertia if mended == list(moments) else rotate_inertia(
        R, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c)))
    result = MassProperties(max(before.mass, settings.least_mass), before.center, tensor)
    return result if result.mass or a or b or c else None
