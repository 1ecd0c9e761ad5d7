"""How bad it is for the input what reading and planning find, which say it for a run."""
from typing import Iterator, Optional, Sequence

from ..base.diagnostics import Diagnostic, WARNING
from ..base.kinds import EXPORTED_TWICE, INERTIA, MASSLESS
from ..plan.decisions import Plan
from ..urdf.model import Robot
from ..urdf.spatial import largest_entry
from .kinds import OF_READING
from .records import Finding


def of_reading(found: Sequence[Diagnostic]) -> Iterator[Finding]:
    """Yield what reading and planning find about the input itself, as --lint judges it."""
    for one in found:
        if one.kind in OF_READING:
            severity, hint = OF_READING[one.kind]
            yield Finding(one._replace(kind=one.kind._replace(severity=severity, hint=hint)))


def of_plans(robot: Robot, of_links: Optional[Plan], of_bodies: Optional[Plan]) -> Iterator[Finding]:
    """Yield what two plans find: one that merges nothing, and one that merges what moves as one.

    An inertia that no body has is an error where the whole body has none either; simulators that lump fixed joints do
    not see it otherwise. A point mass in such a body is one, and may be meant.
    """
    merged = of_bodies.warnings if of_bodies else ()
    yield from of_reading([one for one in merged if one.kind in (INERTIA, MASSLESS, EXPORTED_TWICE)])
    for one in of_links.warnings if of_links else ():
        inertial = robot.links[one.names[0]].inertial if one.kind is INERTIA else None
        if inertial is not None and one not in merged and largest_entry(inertial.properties.inertia) > 0.0:
            yield Finding(one._replace(kind=INERTIA._replace(severity=WARNING)))
