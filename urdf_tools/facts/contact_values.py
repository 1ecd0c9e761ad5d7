"""The contact values of a collision: their names in each format, and their defaults in SDF.

Sources: sdf/1.9/surface.sdf and collision.sdf of sdformat, and its src/parser_urdf.cc for `<gazebo>`.
"""

from __future__ import annotations

from typing import Dict, Tuple

from ..base.record_type import Record
from ..base.type_aliases import Reals


class ContactValue(Record):
    """The names of a contact value of a collision in several formats, "" if a format does not have it, and its default.

    Attributes:
        name: its name in a comparison.
        field: its field in `model.Surface`.
        tag: its tag in `<gazebo reference=LINK>`.
        path: its path of tags in SDF's `<collision>`.
        default: the value in SDF where none is written; "" where a missing value means something else.
        is_flag: it is a truth value, 1 or 0.
    """

    name: str
    field: str
    tag: str
    path: str
    default: str
    is_flag: bool = False

    @property
    def key(self) -> str:
        """Return the name under which values of a link are compared: the tag that sets it, or its path in SDF."""
        return self.tag or self.path

    @property
    def meant(self) -> Reals:
        """Return the numbers of the default, () without a default."""
        return tuple(map(float, self.default.split()))

    @property
    def size(self) -> int:
        """Return the count of its numbers: the first direction of friction is the only vector."""
        return 3 if self.path.endswith("fdir1") else 1


def _row(name: str, path: str, default: str, *, field: str = "", tag: str = "") -> ContactValue:
    """Return a row of the table."""
    return ContactValue(name=name, field=field, tag=tag, path=path, default=default)


def _flag(name: str, path: str, default: str) -> ContactValue:
    """Return the row of a truth value."""
    return _row(name, path, default)._replace(is_flag=True)


WITH_TAG = (
    _row("mu1", "surface/friction/ode/mu", "1", field="mu1", tag="mu1"),
    _row("mu2", "surface/friction/ode/mu2", "1", field="mu2", tag="mu2"),
    _row("contact_stiffness", "surface/contact/ode/kp", "1e12", field="kp", tag="kp"),
    _row("contact_damping", "surface/contact/ode/kd", "1", field="kd", tag="kd"),
    _row("min_depth", "surface/contact/ode/min_depth", "0", field="min_depth", tag="minDepth"),
    _row("max_velocity", "surface/contact/ode/max_vel", "0.01", field="max_vel", tag="maxVel"),
    _row("direction1", "surface/friction/ode/fdir1", "0 0 0", field="fdir1", tag="fdir1"),
    _row("max_contacts", "max_contacts", "10", field="max_contacts", tag="maxContacts"),
    _row("laser_retro", "laser_retro", "0", field="laser_retro", tag="laserRetro"),
)
OF_ODE = (
    _row("restitution", "surface/bounce/restitution_coefficient", "0", field="restitution"),
    _row("bounce_threshold", "surface/bounce/threshold", "100000"),
    _row("slip1", "surface/friction/ode/slip1", "0"),
    _row("slip2", "surface/friction/ode/slip2", "0"),
    _row("contact_cfm", "surface/contact/ode/soft_cfm", "0"),
    _row("contact_erp", "surface/contact/ode/soft_erp", "0.2"),
)
TORSIONAL = (
    _row("torsional_coefficient", "surface/friction/torsional/coefficient", "1"),
    _flag("uses_patch_radius", "surface/friction/torsional/use_patch_radius", "1"),
    _row("patch_radius", "surface/friction/torsional/patch_radius", "0"),
    _row("surface_radius", "surface/friction/torsional/surface_radius", "0"),
    _row("torsional_slip", "surface/friction/torsional/ode/slip", "0"),
)
SPLIT_DEPTH = "surface/contact/bullet/split_impulse_penetration_threshold"
OF_BULLET = (
    _row("bullet_mu1", "surface/friction/bullet/friction", "1"),
    _row("bullet_mu2", "surface/friction/bullet/friction2", "1"),
    _row("bullet_direction1", "surface/friction/bullet/fdir1", "0 0 0"),
    _row("bullet_rolling", "surface/friction/bullet/rolling_friction", "1"),
    _row("bullet_stiffness", "surface/contact/bullet/kp", "1e12"),
    _row("bullet_damping", "surface/contact/bullet/kd", "1"),
    _row("bullet_cfm", "surface/contact/bullet/soft_cfm", "0"),
    _row("bullet_erp", "surface/contact/bullet/soft_erp", "0.2"),
    _flag("split_impulse", "surface/contact/bullet/split_impulse", "1"),
    _row("split_impulse_depth", SPLIT_DEPTH, "-0.01"),
)
OF_GROUPS = (
    _flag("touches_without_force", "surface/contact/collide_without_contact", "0"),
    _row("touch_bits", "surface/contact/collide_without_contact_bitmask", "1"),
    _row("collision_bits", "surface/contact/collide_bitmask", "65535"),
    # Where none is written, it is the value of `<collide_bitmask>`.
    _row("category_bits", "surface/contact/category_bitmask", ""),
)
OF_MATERIAL = (
    _row("poissons_ratio", "surface/contact/poissons_ratio", "0.3"),
    _row("elastic_modulus", "surface/contact/elastic_modulus", "-1"),
    # Only a link with `<dart>` is soft, so its defaults are not what a link without it has.
    _row("soft_attachment", "surface/soft_contact/dart/bone_attachment", ""),
    _row("soft_stiffness", "surface/soft_contact/dart/stiffness", ""),
    _row("soft_damping", "surface/soft_contact/dart/damping", ""),
    _row("soft_flesh", "surface/soft_contact/dart/flesh_mass_fraction", ""),
)
# The only direction that `gz:expressed_in` lets lie along the axes of a link (surface.sdf).
LINK_DIRECTION = "direction1"
CONTACT_VALUES: Tuple[ContactValue, ...] = (
    *WITH_TAG,
    *OF_ODE,
    *TORSIONAL,
    *OF_BULLET,
    *OF_GROUPS,
    *OF_MATERIAL,
)


def contact_names(key: str, value: str) -> Dict[str, str]:
    """Return a dictionary from one column of CONTACT_VALUES to another, such as from `tag` to `field`."""
    rows = [row._asdict() for row in CONTACT_VALUES]
    return {row[key]: row[value] for row in rows if row[key] and row[value]}
