"""The names of contact values in each format.

Sources: sdf/1.9/surface.sdf and collision.sdf of sdformat, and its src/parser_urdf.cc for `<gazebo>`.
"""
from typing import Dict, NamedTuple, Tuple


class ContactValue(NamedTuple):
    """The names of a contact value of a collision shape; "" where it has none.

    Attributes:
        name: its name in a comparison. field: its field in `model.Surface`.
        tag: its tag in `<gazebo reference=LINK>`. path: its path of tags in SDF's `<collision>`.
    """

    name: str
    field: str
    tag: str
    path: str


CONTACT_VALUES: Tuple[ContactValue, ...] = (
    ContactValue("mu1", "mu1", "mu1", "surface/friction/ode/mu"),
    ContactValue("mu2", "mu2", "mu2", "surface/friction/ode/mu2"),
    ContactValue("contact_stiffness", "kp", "kp", "surface/contact/ode/kp"),
    ContactValue("contact_damping", "kd", "kd", "surface/contact/ode/kd"),
    ContactValue("min_depth", "min_depth", "minDepth", "surface/contact/ode/min_depth"),
    ContactValue("max_velocity", "max_vel", "maxVel", "surface/contact/ode/max_vel"),
    ContactValue("direction1", "fdir1", "fdir1", "surface/friction/ode/fdir1"),
    ContactValue("max_contacts", "max_contacts", "maxContacts", "max_contacts"),
    ContactValue("laser_retro", "laser_retro", "laserRetro", "laser_retro"),
    ContactValue("restitution", "restitution", "", "surface/bounce/restitution_coefficient"),
    ContactValue("slip1", "", "", "surface/friction/ode/slip1"),
    ContactValue("slip2", "", "", "surface/friction/ode/slip2"))
BESIDE_SURFACE = ("max_contacts", "laser_retro")  # siblings of `<surface>`; of several values an earlier one may count
VECTOR = "direction1"  # the other values are single numbers


def contact_names(key: str, value: str) -> Dict[str, str]:
    """Return a dictionary from a column of the table to another, such as from `tag` to `field`."""
    rows = [row._asdict() for row in CONTACT_VALUES]
    return {row[key]: row[value] for row in rows if row[key] and row[value]}
