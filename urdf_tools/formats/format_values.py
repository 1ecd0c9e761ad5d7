"""The names of values that all readers share, and what each format cannot express: a table of each.

The comparison leaves out what either format cannot express, and reports it; writers warn of it.
"""

from __future__ import annotations

from typing import Dict, List, Tuple

from ..base.type_aliases import Reals
from ..base.record_type import Record
from ..facts.contact_values import CONTACT_VALUES
from ..texts.text_pages import rows_of_page


class FormatValue(Record):
    """A value that a file may have: its owner (link, joint, shape, sensor, actuator), its unit, its meaning."""

    of: str
    unit: str
    meaning: str


VALUES: Dict[str, FormatValue] = {
    name: FormatValue(*cells) for name, *cells in rows_of_page(__name__, "values.md")
}


class FormatLoss(Record):
    """What a format cannot express: a name of VALUES, a field of a record (`velocity`), or a part (`loops`), and why.

    Attributes:
        what: the name; sentence: what the format has instead, for a reader of a table.
    """

    what: str
    sentence: str


THINGS = {  # what a Loss is about, where its word does not say it to a user
    "velocity": "limits of velocity",
    "base": "how the base is held",
    "apart": "pairs that never collide",
    "keys": "named states",
    "words": "settings of sensors",
    "readings": "names of readings",
    "rate": "rates of sensors",
    "kp": "gain kp",
    "kv": "gain kv",
    "gear": "gears of actuators",
    "armature": "inertia of rotors (armature)",
    "missing_mesh": "meshes whose files are not there",
    "script": "materials of Gazebo",
}
TOUCHES: Dict[str, Reals] = {row.name: row.meant for row in CONTACT_VALUES if row.default}
FALLS: Dict[str, Reals] = {
    "gravity": (1.0,),
    **dict.fromkeys(("damping", "friction", "armature", "stiffness", "spring_reference"), (0.0,)),
}
MEANT: Dict[str, Dict[str, Reals]] = {  # what a format means where a file says nothing; else zeros
    "urdf": {**FALLS, **TOUCHES},
    "json": FALLS,
    "sdf": {**FALLS, **TOUCHES},
    "usd": FALLS,
    "mjcf": {
        **FALLS,
        "mu1": (1.0,),
        "contact_dimensions": (3.0,),
        "torsional": (0.005,),
        "rolling": (0.0001,),
    },
}
# A part of a number: to what a format rounds each that it holds. Limits, drives, masses and poses of USD are float32
# (UsdPhysics schema of OpenUSD), whose nearest number is at most 2**-24 of a number away.
PRECISION: Dict[str, float] = {"usd": 2.0**-24}


def precision_of(*formats: str) -> float:
    """Return to what part of itself a number is the same in all of these formats."""
    return max(PRECISION.get(format, 0.0) for format in formats)


OF_LIMITS = ("acceleration", "deceleration", "jerk")  # of URDF 1.2 alone
OF_SOLVER = ("limit_cfm", "limit_erp", "fudge_factor", "provide_feedback", "implicit_spring_damper")


def _losses_by_format() -> Dict[str, Tuple[FormatLoss, ...]]:
    """Return the rows of `losses.md`: a row may name several values."""
    losses: Dict[str, List[FormatLoss]] = {}
    for format, names, sentence in rows_of_page(__name__, "losses.md"):
        rows = [FormatLoss(name, sentence) for name in names.split()]
        losses.setdefault(format, []).extend(rows)
    return {format: tuple(rows) for format, rows in losses.items()}


LOSSES: Dict[str, Tuple[FormatLoss, ...]] = _losses_by_format()
