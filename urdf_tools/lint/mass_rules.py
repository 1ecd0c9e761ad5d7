"""Rules for masses: what no mass inside the shapes of its link can be.

For mass anywhere between two planes a <= n.x <= b with its center at c, the second moment about the center along n is
at most (b - c)(c - a): (b - x)(x - a) >= 0 holds for each particle, and its mean is (b - c)(c - a) - var (Bhatia and
Davis 2000). The second moments are Sigma = (trace(I)/2 1 - I)/m. So an n with n.Sigma n > (b - c)(c - a) proves that no
mass in there has this tensor.
"""
import math
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import format_number, format_numbers, numbers_in
from ..robot.principal_axes import principal
from ..urdf.model import Edit, INERTIA_KEYS, Inertial, Link, NO_MASS
from ..urdf.spatial import (dot, IDENTITY_POSE, MassProperties, Matrix, move_mass, Pose, rotate, transpose, UNIT_AXES,
                            Vector, why_not_physical)
from .kinds import CENTER_OUTSIDE, INERTIA_OUTSIDE, INERTIA_SLOTS, INERTIA_UNIT, MASS_UNIT, MESH_SCALE, TOO_DENSE
from .records import Finding, Subject
from .supports import interval, Support, supports_of
from .symmetry import find_bodies

GRAMS = 1000.0  # in a kilogram
LIGHTEST = 50.0  # [kg/m^3] of the box around a part: a frame of thin rods
OSMIUM = 22590.0  # [kg/m^3] the densest material, CRC Handbook of Chemistry and Physics
BESIDE = 0.25  # of the longest side: how much further than what is drawn a part may reach: screws, cables, plugs
PLAUSIBLE = (0.03, 1.0)  # of the bound: what solids and shells have, from a core of a fifth of the size on
MARKER = 0.005  # [m] a smaller body is drawn as a mark for its frame
EQUAL = 1e-6  # of the largest moment
POWERS = (1e3, 1e4, 1e6, 1e7, 1e9)  # between kg m^2 and g m^2, kg cm^2, kg mm^2, g cm^2, g mm^2
HUGE = 20.0  # [m] no link of a robot is so long: of two sizes it is the wrong one
SCALES = (1000.0, 0.001, 100.0, 0.01)
ORDERS = {  # in which other formats have six numbers: where those of ixx ixy ixz iyy iyz izz are among them
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2), "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
    "ixx iyy izz iyz ixz ixy": (0, 5, 4, 1, 3, 2), "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2)}
SAME = 0.05  # of a size: a visual and its simplified collision


class Excess(NamedTuple):
    """A direction in which the mass of a link is too far out: its second moment and the most that is possible [m^2]."""

    direction: Vector
    moment: float
    most: float


def mass_rules(subject: Subject) -> Iterator[Finding]:
    """Yield the masses that contradict the shapes of their bodies, and shapes of a link that contradict each other.

    The shapes of all links that fixed joints hold together count for each of them: some give all mass to one link, and
    draw others.
    """
    robot = subject.robot
    bodies: Dict[str, List[Tuple[Link, Pose]]] = {}
    placed = find_bodies(robot)
    for link in robot.links.values():
        bodies.setdefault(placed[link.name].name, []).append((link, placed[link.name].T_body_link))
    known = {name: supports_of(links, subject.box_of_mesh) for name, links in bodies.items()}
    for link in robot.links.values():
        own = supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh)
        yield from _scales(link, own or ())
        supports, inertial = known[placed[link.name].name], link.inertial
        if supports is None or inertial is None or inertial.properties.mass < NO_MASS or max(_sides(supports)) < MARKER:
            continue
        inertial = inertial._replace(properties=move_mass(placed[link.name].T_body_link, inertial.properties))
        properties = inertial.properties
        directions = (*UNIT_AXES, *transpose(principal(second_moments(properties))[1]))
        yield from _density(link, inertial, supports, directions)
        outside = _outside(properties, supports, directions)
        if outside:
            yield Finding(Diagnostic(CENTER_OUTSIDE, inertial.source.line, "link", (link.name,), outside))
        elif not why_not_physical(properties.mass, properties.inertia):
            yield from _moments(link, inertial, supports, directions)
        else:
            yield from _slots(link, inertial)


def second_moments(properties: MassProperties) -> Matrix:
    """Return Sigma = (trace(I)/2 1 - I)/m about the center of mass [m^2]."""
    inertia, mass = properties.inertia, properties.mass
    half = 0.5 * math.fsum((inertia[0][0], inertia[1][1], inertia[2][2]))
    (a, b, c), (d, e, f), (g, h, i) = inertia
    return (((half - a) / mass, -b / mass, -c / mass), (-d / mass, (half - e) / mass, -f / mass),
            (-g / mass, -h / mass, (half - i) / mass))


def largest_excess(properties: MassProperties, supports: Sequence[Support], directions: Sequence[Vector]) -> Excess:
    """Return the direction, of some, in which the second moment is the most above its bound.

    The shapes count as larger on all sides by BESIDE of their longest side, as parts are rarely drawn whole; the center
    of mass must be inside of that.
    """
    sigma, margin = second_moments(properties), BESIDE * max(_sides(supports))
    found = []
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        most = (high + margin - center) * (center - low + margin)
        found.append(Excess(n, dot(n, rotate(sigma, n)), most))
    return max(found, key=lambda one: one.moment / max(one.most, 1e-18))


def _outside(properties: MassProperties, supports: Sequence[Support], directions: Sequence[Vector]
             ) -> Optional[Tuple[float, ...]]:
    """Return how far the center of mass is outside all shapes, and how far these extend there [mm], or None."""
    worst: Optional[Tuple[float, ...]] = None
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        beyond = max(low - center, center - high)
        if beyond > BESIDE * max(_sides(supports)) and (worst is None or 1000.0 * beyond > worst[0]):
            worst = (1000.0 * beyond, 1000.0 * (high - low))
    return worst


def _sides(supports: Sequence[Support]) -> List[float]:
    """Return how wide all shapes are together along each axis of the link [m]."""
    return [high - low for low, high in (interval(supports, n) for n in UNIT_AXES)]


def _moments(link: Link, inertial: Inertial, supports: Sequence[Support], directions: Sequence[Vector]
             ) -> Iterator[Finding]:
    excess = largest_excess(inertial.properties, supports, directions)
    ratio = excess.moment / max(excess.most, 1e-18)
    if ratio <= 1.0:
        return
    reach = (1000.0 * math.sqrt(excess.moment), 1000.0 * math.sqrt(excess.most))
    inertia = inertial.properties.inertia
    moments = principal(inertia)[0]
    if moments[2] - moments[0] <= EQUAL * moments[2]:
        yield Finding(Diagnostic(INERTIA_OUTSIDE, inertial.source.line, "made-up", (link.name,), (*reach, moments[2])))
        return
    powers = [power for power in POWERS if PLAUSIBLE[0] <= ratio / power <= PLAUSIBLE[1]]
    if not powers:
        yield Finding(Diagnostic(INERTIA_OUTSIDE, inertial.source.line, "link", (link.name,), reach))
        return
    edits = _divided(inertial, powers[0]) if len(powers) == 1 else ()
    yield Finding(Diagnostic(INERTIA_UNIT, inertial.source.line, "link", (link.name,), (*reach, powers[0])),
                  edits)


def _density(link: Link, inertial: Inertial, supports: Sequence[Support], directions: Sequence[Vector]
             ) -> Iterator[Finding]:
    """Yield a mass that is heavier than osmium in the box around all shapes.

    Where a thousandth would be a usual density it is told in grams. Then the tensor is told in kg m^2 if it fits that
    mass, and in g m^2 if it fits the mass as it is told: in either case there is one repair.
    """
    sides, mass = _sides(supports), inertial.properties.mass
    volume = sides[0] * sides[1] * sides[2]
    if min(sides) <= 1e-4 or mass <= OSMIUM * volume:
        return
    numbers = (mass, 1e6 * volume, mass / volume)
    element = inertial.source.find("mass")
    if element is None or not LIGHTEST <= mass / GRAMS / volume <= OSMIUM:
        yield Finding(Diagnostic(TOO_DENSE, inertial.source.line, "link", (link.name,), numbers))
        return
    excess = largest_excess(inertial.properties, supports, directions)
    ratio = excess.moment / max(excess.most, 1e-18)
    fits = [PLAUSIBLE[0] <= one <= PLAUSIBLE[1] for one in (GRAMS * ratio, ratio)]
    edits = [Edit(element, "value", format_number(mass / GRAMS))] if any(fits) else []
    edits += _divided(inertial, GRAMS) if fits[1] and not fits[0] else ()
    yield Finding(Diagnostic(MASS_UNIT, inertial.source.line, "link", (link.name,), numbers), tuple(edits))


def _slots(link: Link, inertial: Inertial) -> Iterator[Finding]:
    """Yield a tensor that no body has, and whose numbers are one in another order, in which others write.

    Where several orders make a body, as most do that exchange products alone, there is no repair.
    Of the rows of a whole matrix the first six numbers lack the last moment: iyy is ixy, and there is no repair.
    """
    element = inertial.source.find("inertia")
    texts = [element.get(key) or "0" for key in INERTIA_KEYS] if element is not None else []
    if element is None or len(set(map(float, texts))) < 4:  # made up
        return
    if float(texts[1]) == float(texts[3]):
        yield Finding(Diagnostic(INERTIA_SLOTS, element.line, "rows", (link.name,)))
        return
    found: Dict[Tuple[str, ...], str] = {}
    for name, order in ORDERS.items():
        new = [texts[k] for k in order]
        xx, xy, xz, yy, yz, zz = map(float, new)
        if not why_not_physical(inertial.properties.mass, ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))):
            found.setdefault(tuple(new), name)
    edits = [Edit(element, key, text) for one in found for key, old, text in zip(INERTIA_KEYS, texts, one)
             if old != text] if len(found) == 1 else []
    if found:
        yield Finding(Diagnostic(INERTIA_SLOTS, element.line, "order", (link.name, " or ".join(found.values()))),
                      tuple(edits))


def _divided(inertial: Inertial, factor: float) -> Tuple[Edit, ...]:
    """Return the edits that divide a tensor."""
    element = inertial.source.find("inertia")
    texts = {key: element.get(key) for key in INERTIA_KEYS} if element is not None else {}
    return tuple(Edit(element, key, format_number(float(text) / factor)) for key, text in texts.items()
                 if element is not None and text is not None and float(text))


def _scales(link: Link, supports: Sequence[Support]) -> Iterator[Finding]:
    """Yield a mesh that is a power of ten larger or smaller than the other shapes of its link."""
    kinds: Dict[str, List[Support]] = {}
    for one in supports:
        kinds.setdefault(one.shape.kind, []).append(one)
    if len(kinds) < 2:
        return
    drawn, solid = (_sides(kinds[kind]) for kind in ("visual", "collision"))
    if min(*drawn, *solid) <= 0.0:
        return
    ratios = [b / a for a, b in zip(drawn, solid)]
    for factor in SCALES:
        if all(abs(ratio / factor - 1.0) < SAME for ratio in ratios):
            larger = kinds["collision" if factor > 1.0 else "visual"]
            edits = _smaller(larger, max(factor, 1.0 / factor)) if max(*drawn, *solid) > HUGE else []
            yield Finding(Diagnostic(MESH_SCALE, larger[0].shape.source.line, "link", (link.name,), (
                1000.0 * max(drawn), 1000.0 * max(solid))), tuple(edits))


def _smaller(supports: Sequence[Support], factor: float) -> List[Edit]:
    """Return the edits that divide the scale of meshes; none where a shape is no mesh."""
    edits = []
    for one in supports:
        drawn = one.shape.drawn
        scale = numbers_in(drawn.get("scale") or "1 1 1", 3) if drawn is not None and drawn.name == "mesh" else None
        if drawn is None or scale is None:
            return []
        edits.append(Edit(drawn, "scale", format_numbers([value / factor for value in scale])))
    return edits


