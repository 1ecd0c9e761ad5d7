"""The repair of a link that moves without mass, and of an inertia that no body has: programs refuse or drop both."""
from math import fsum
from typing import Dict, List, Sequence, Tuple

from ..base.kinds import INERTIA, MASSLESS
from ..base.number_text import format_number
from ..robot.principal_axes import entries_of, principal
from ..urdf.lossless_xml import Element
from ..urdf.model import Edit, INERTIA_KEYS, Inertial, Link, Robot
from ..urdf.spatial import Matrix, multiply, transpose
from .records import Finding

LEAST_MASS, LEAST_MOMENT = 1e-5, 1e-9  # [kg], [kg m^2] that all programs read: sdformat takes 1e-6 kg for nothing
LEAST_TENSOR = ((LEAST_MOMENT, 0.0, 0.0), (0.0, LEAST_MOMENT, 0.0), (0.0, 0.0, LEAST_MOMENT))
MARGIN = 1e-6  # of the largest second moment: what rounding, and programs that want no equality, need


def with_mass_repairs(findings: Sequence[Finding], robot: Robot) -> List[Finding]:
    """Return findings, those about masses with their repairs; a tensor that another rule repairs has none of these."""
    known = {id(edit.element) for finding in findings for edit in finding.repair}
    repaired = []
    for finding in findings:
        edits: Sequence[Edit] = ()
        link = robot.links.get(finding.diagnostic.names[0]) if finding.diagnostic.names else None
        if link is not None and finding.kind.name == MASSLESS.name:
            edits = _least(link)
        elif link is not None and link.inertial is not None and finding.kind.name == INERTIA.name:
            edits = _nearest(link.inertial)
        alone = edits and not any(id(edit.element) in known for edit in edits)
        repaired.append(finding._replace(repair=tuple(edits)) if alone else finding)
    return repaired


def _least(link: Link) -> List[Edit]:
    """Return the edits that give a link a mass that programs read, and a tensor where it has none."""
    inertial = link.inertial
    top, path = (link.source, "inertial/") if inertial is None else (inertial.source, "")
    edits = _written(top, f"{path}mass", {"value": LEAST_MASS})
    zero = inertial is None or not any(entries_of(inertial.properties.inertia))
    return edits + (_written(top, f"{path}inertia", _named(LEAST_TENSOR)) if zero else [])


def _nearest(inertial: Inertial) -> List[Edit]:
    """Return the edits that write the nearest tensor that a body has, in the axes of the file."""
    element = inertial.source.find("inertia")
    texts = [element.get(key) if element is not None else None for key in INERTIA_KEYS]
    xx, xy, xz, yy, yz, zz = (float(text or "0") for text in texts)
    tensor = nearest_tensor(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)))
    return _written(inertial.source, "inertia", _named(tensor))


def nearest_tensor(tensor: Matrix) -> Matrix:
    """Return the tensor of a body that is nearest to a tensor [kg m^2], or a small one in place of zeros.

    The second moments S = trace(I)/2 1 - I of a body are positive semidefinite: the nearest ones have the negative
    eigenvalues of S as zeros (Boyd and Vandenberghe, Convex Optimization, 8.1.1), here as MARGIN of the largest.
    """
    moments, axes = principal(tensor)
    half = 0.5 * fsum(moments)
    seconds = [half - moment for moment in moments]
    least = MARGIN * max(seconds)
    if least <= 0.0:
        return LEAST_TENSOR
    a, b, c = (max(second, least) for second in seconds)
    return multiply(multiply(axes, ((b + c, 0.0, 0.0), (0.0, a + c, 0.0), (0.0, 0.0, a + b))), transpose(axes))


def _named(tensor: Matrix) -> Dict[str, float]:
    return dict(zip(INERTIA_KEYS, entries_of(tensor)))


def _written(top: Element, path: str, values: Dict[str, float]) -> List[Edit]:
    """Return the edits that write numbers into a child of an element, which is made if it is not there."""
    child = top.find(path)
    texts: Tuple[Tuple[str, str], ...] = tuple((key, format_number(value)) for key, value in values.items())
    if child is None:
        return [Edit(top, key, text, path) for key, text in texts]
    return [Edit(child, key, text) for key, text in texts if child.get(key) != text]
