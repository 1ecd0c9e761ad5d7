"""Rules for masses: mass properties that no mass inside the shapes of its link can have.

For mass anywhere between two planes a <= n.x <= b with its center at c, the second moment about the center along n is
at most (b - c)(c - a): (b - x)(x - a) >= 0 holds for each particle, and its mean is (b - c)(c - a) - var (Bhatia and
Davis 2000). The second moments are Sigma = (trace(I)/2 1 - I)/m. So an n with n.Sigma n > (b - c)(c - a) proves that no
mass between the planes has this tensor. The planes touch boxes around the shapes, or hulls where a mass is near to the
most that boxes allow. The largest effect of rounding is taken off on the safe side.
"""

from __future__ import annotations

from itertools import chain
from math import fsum, prod, sqrt
from typing import Dict, List, Optional, Sequence

from ..base.type_aliases import Reals, Texts
from ..base.number_text import format_number, format_numbers, grouped
from ..base.record_type import Record
from ..meshes.convex_hull import convex_hull
from ..meshes.mesh_volume import solid_of
from ..robot.principal_axes import principal
from ..urdf.urdf_records import AttributeEdit, INERTIA_KEYS, UrdfInertial, UrdfLink, NO_MASS
from ..urdf.spatial_math import (
    dot,
    IDENTITY_POSE,
    MassProperties,
    Matrix,
    move_mass,
    rotate,
    transpose,
    UNIT_AXES,
    Vector,
    why_not_physical,
)
from .lint_diagnostics import (
    CENTER_OUTSIDE,
    INERTIA_OUTSIDE,
    INERTIA_SLOTS,
    INERTIA_UNIT,
    MASS_UNIT,
    MESH_SCALE,
    TOO_DENSE,
)
from .mass_repairs import divided_tensor
from .finding_records import Findings, found, LintedRobot
from .tensor_rules import orders_like_visuals, tensor_of
from .shape_bounds import (
    find_bodies,
    interval,
    links_of_bodies,
    sides_of,
    ShapeBounds,
    supports_of,
    with_points,
)

GRAMS = 1000.0  # in a kilogram
LIGHTEST = 50.0  # [kg/m^3] of the box around a part: a frame of thin rods
OSMIUM = 22590.0  # [kg/m^3] the densest material, CRC Handbook of Chemistry and Physics
# Part of the longest side: how far a part may reach beyond its shapes (screws, cables, plugs).
BESIDE = 0.25
# Parts of the bound: the range of solids and shells, down to a core of a fifth of the size.
PLAUSIBLE = (0.03, 1.0)
SUSPICIOUS = 0.3  # of the moment and the mass that boxes allow: below this, meshes are not read
ROUNDING = 1e-12  # of lengths and second moments: far more than all rounding errors
SHEET = 1e-4  # [m]
MARKER = 0.005  # [m] a smaller body is a marker of its frame
EQUAL = 1e-6  # of the largest moment
POWERS = (1e3, 1e4, 1e6, 1e7, 1e9)  # between kg m^2 and g m^2, kg cm^2, kg mm^2, g cm^2, g mm^2
HUGE = 20.0  # [m] no link of a robot is this long: if two shapes differ in size, this size is wrong
SCALES = (1000.0, 0.001, 100.0, 0.01)
# For other formats of the six entries: the indices of ixx ixy ixz iyy iyz izz.
ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
    "ixx iyy izz iyz ixz ixy": (0, 5, 4, 1, 3, 2),
    "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
}
SAME = 0.05  # of a size: a visual and its simplified collision


class ExcessMoment(Record):
    """A direction with the second moment of a link's mass and its upper bound [m^2]."""

    direction: Vector
    moment: float
    most: float

    @property
    def ratio(self) -> float:
        """The moment divided by its bound; more than 1 is impossible."""
        return self.moment / max(self.most, 1e-18)


def mass_rules(subject: LintedRobot) -> Findings:
    """Yield the masses that contradict the shapes of their bodies, and shapes of a link that contradict each other.

    A mass is compared with the shapes of all links that fixed joints connect: some files give all mass to one link, and
    the shapes to its neighbors.
    """
    placed = find_bodies(subject.robot)
    known = supports_of_bodies(subject)
    for link in subject.robot.links.values():
        yield from _scales(link, supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh) or ())
        place = placed[link.name]
        supports = known[place.name]
        inertial = link.inertial
        if supports is None or inertial is None or link.mass <= NO_MASS:
            continue
        if max(sides_of(supports)) < MARKER:
            continue
        of_body = move_mass(place.T_body_link, inertial.properties)
        yield from _against_shapes(link, inertial._replace(properties=of_body), supports, subject)


def _against_shapes(
    link: UrdfLink, inertial: UrdfInertial, supports: List[ShapeBounds], subject: LintedRobot
) -> Findings:
    """Yield the contradictions of a mass to shapes; both are in the frame of their body."""
    properties = inertial.properties
    # The axes of the link and the principal ones: the bound is tight along the sides of boxes, the moment extreme
    # along the others.
    directions = (*UNIT_AXES, *transpose(principal(second_moments(properties))[1]))
    # Points of meshes are read only where boxes leave a doubt.
    is_wide = SUSPICIOUS < largest_excess(properties, supports, directions).ratio <= 1.0
    density = link.mass / (prod(sides_of(supports)) or 1.0)
    if is_wide or SUSPICIOUS * OSMIUM < density <= OSMIUM:
        supports = with_points(supports, subject.meshes)

    yield from _density(link, inertial, supports, directions)
    outside = _outside(properties, supports, directions)
    if outside:
        yield found(CENTER_OUTSIDE, inertial.source.line, "link", (link.name,), outside)
    elif not why_not_physical(properties.mass, properties.inertia):
        yield from _moments(link, inertial, supports, directions)
    else:
        yield from _slots(link, inertial, subject)


def supports_of_bodies(subject: LintedRobot) -> Dict[str, Optional[List[ShapeBounds]]]:
    """Return by body name the shapes of its links, each in its box; None if it has no shapes, or a box is unknown."""
    bodies = links_of_bodies(subject.robot)
    return {name: supports_of(links, subject.box_of_mesh) for name, links in bodies.items()}


def second_moments(properties: MassProperties) -> Matrix:
    """Return Sigma = (trace(I)/2 1 - I)/m about the center of mass [m^2]."""
    inertia = properties.inertia
    mass = properties.mass
    half = 0.5 * fsum((inertia[0][0], inertia[1][1], inertia[2][2]))
    (a, b, c), (d, e, f), (g, h, i) = inertia
    return (
        ((half - a) / mass, -b / mass, -c / mass),
        (-d / mass, (half - e) / mass, -f / mass),
        (-g / mass, -h / mass, (half - i) / mass),
    )


def largest_excess(
    properties: MassProperties, supports: Sequence[ShapeBounds], directions: Sequence[Vector]
) -> ExcessMoment:
    """Return the direction in which the ratio of the second moment to its bound is largest.

    The bounds hold for shapes that are enlarged on all sides by BESIDE of their longest side, as shapes are rarely
    complete; the center of mass must be inside them.
    """
    sigma = second_moments(properties)
    margin = BESIDE * max(sides_of(supports))
    doubt = ROUNDING * fsum(map(abs, chain.from_iterable(sigma)))
    excesses = []
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        # Rounding is taken off the moment and added to the bound, so that nothing possible is reported.
        slack = ROUNDING * (margin + max(abs(low), abs(high), abs(center)))
        above = (high - center + margin) + slack
        below = (center - low + margin) + slack
        moment = dot(n, rotate(sigma, n)) - doubt
        # A center outside of the enlarged shapes leaves no room for a moment.
        most = above * below if min(above, below) > 0.0 else 0.0
        excesses.append(ExcessMoment(direction=n, moment=moment, most=most))
    return max(excesses, key=lambda excess: excess.ratio)


def _outside(
    properties: MassProperties, supports: Sequence[ShapeBounds], directions: Sequence[Vector]
) -> Optional[Reals]:
    """Return how far the center of mass is outside all shapes, and their extent in that direction [mm], or None."""
    worst: Optional[Reals] = None
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        beyond = max(low - center, center - high)
        is_worse = worst is None or 1000.0 * beyond > worst[0]
        if beyond > BESIDE * max(sides_of(supports)) and is_worse:
            worst = (1000.0 * beyond, 1000.0 * (high - low))
    return worst


def _moments(
    link: UrdfLink,
    inertial: UrdfInertial,
    supports: Sequence[ShapeBounds],
    directions: Sequence[Vector],
) -> Findings:
    """Yield a tensor that is too large for its shapes, with the unit that it may have."""
    excess = largest_excess(inertial.properties, supports, directions)
    ratio = excess.ratio
    if ratio <= 1.0:
        return
    line = inertial.source.line
    reach = (1000.0 * sqrt(excess.moment), 1000.0 * sqrt(excess.most))
    moments = principal(inertial.properties.inertia)[0]
    # `edit --inertia-from` computes from visuals alone: without visuals a different cure applies.
    is_drawn = bool(link.visuals)
    # Three equal moments are invented values, so no unit is guessed.
    if moments[2] - moments[0] <= EQUAL * moments[2]:
        sentence = "made-up" if is_drawn else "undrawn-made-up"
        yield found(INERTIA_OUTSIDE, line, sentence, (link.name,), (*reach, moments[2]))
        return

    powers = [power for power in POWERS if _is_plausible(ratio / power)]
    if not powers:
        sentence = "link" if is_drawn else "undrawn"
        yield found(INERTIA_OUTSIDE, line, sentence, (link.name,), reach)
        return
    # If several units fit, no edit is proposed.
    edits = divided_tensor(inertial, powers[0]) if len(powers) == 1 else ()
    yield found(INERTIA_UNIT, line, "link", (link.name,), (*reach, powers[0]), edits)


def _density(
    link: UrdfLink,
    inertial: UrdfInertial,
    supports: Sequence[ShapeBounds],
    directions: Sequence[Vector],
) -> Findings:
    """Yield a mass that makes the hull of all shapes denser than osmium.

    If a thousandth of it is a usual density, the mass is in grams. Then the tensor is in kg m^2 if it fits that
    mass, and in g m^2 if it fits the mass as it is written: in either case there is exactly one repair.
    """
    mass = inertial.properties.mass
    # A hull is inside of its box: where the box is not dense, no hull is computed.
    if mass <= SUSPICIOUS * OSMIUM * prod(sides_of(supports)):
        return
    volume = _hull_volume(supports)
    if not volume or mass <= OSMIUM * volume:
        return
    numbers = (mass, 1e6 * volume, mass / volume)
    element = inertial.source.find("mass")
    if element is None or not LIGHTEST <= mass / GRAMS / volume <= OSMIUM:
        yield found(TOO_DENSE, inertial.source.line, "link", (link.name,), numbers)
        return
    # The second moment is tensor / mass: with the mass in kg it is a thousand times larger.
    excess = largest_excess(inertial.properties, supports, directions)
    fits_in_kilograms = _is_plausible(GRAMS * excess.ratio)
    fits_in_grams = _is_plausible(excess.ratio)
    edits: List[AttributeEdit] = []
    if fits_in_kilograms or fits_in_grams:
        edits.append(AttributeEdit(element, "value", format_number(mass / GRAMS)))
    if fits_in_grams and not fits_in_kilograms:
        edits += divided_tensor(inertial, GRAMS)
    yield found(MASS_UNIT, inertial.source.line, "link", (link.name,), numbers, edits)


def _is_plausible(ratio: float) -> bool:
    """Return True for a second moment, as a part of its bound, that solids and shells have."""
    least, most = PLAUSIBLE
    return least <= ratio <= most


def _hull_volume(supports: Sequence[ShapeBounds]) -> float:
    """Return an upper bound of the volume of the hull of all shapes [m^3]; 0 for a sheet, whose thickness is not known."""
    corners = [*chain.from_iterable(support.corners for support in supports)]
    a, b, c = sorted(sides_of(supports))
    hull = convex_hull(corners)
    if not hull or a <= SHEET:
        return 0.0
    volume = solid_of(hull.corners, hull.triangles).properties.mass
    if volume <= SHEET * b * c:
        return 0.0
    # Corners that move by a length add at most this length times the area, which is not larger than the area of the box.
    moved = ROUNDING * max(map(abs, chain.from_iterable(corners)))
    return volume * (1.0 + ROUNDING) + 4.0 * moved * (a * b + b * c + c * a)


def _slots(link: UrdfLink, inertial: UrdfInertial, subject: LintedRobot) -> Findings:
    """Yield a non-physical tensor whose entries are physical in the order of a different format.

    If several orders are physical, as is common for swapped products, the visuals decide if their tensor matches exactly
    one order; else no repair is proposed. The first six numbers of a full matrix, row by row, lack izz: iyy equals ixy,
    and no repair is proposed.
    """
    element = inertial.source.find("inertia")
    if element is None:
        return
    texts = [element.get(key) or "0" for key in INERTIA_KEYS]
    if len(set(map(float, texts))) < 4:  # made up
        return
    if float(texts[1]) == float(texts[3]):
        yield found(INERTIA_SLOTS, element.line, "rows", (link.name,))
        return
    orders = _physical_orders(inertial, texts)
    sentence = "order"
    drawn = orders_like_visuals(link, inertial, texts, subject)
    if len(drawn) == 1:
        # Sorted by place in the file, so that the finding names the number in each place.
        slots = sorted(zip(drawn[0], INERTIA_KEYS))
        sentence = "drawn"
        orders = {tuple(texts[k] for k in drawn[0]): " ".join(key for _, key in slots)}
    if not orders:
        return
    edits: List[AttributeEdit] = []
    if len(orders) == 1:
        (reordered,) = orders
        rows = zip(INERTIA_KEYS, texts, reordered)
        edits = [AttributeEdit(element, key, text) for key, old, text in rows if old != text]
    names = (link.name, " or ".join(orders.values()))
    yield found(INERTIA_SLOTS, element.line, sentence, names, repair=edits)


def _physical_orders(inertial: UrdfInertial, texts: Sequence[str]) -> Dict[Texts, str]:
    """Return the six numbers of a tensor in each order of ORDERS that is physical, with the name of the order."""
    orders: Dict[Texts, str] = {}
    for name, order in ORDERS.items():
        new = tuple(texts[k] for k in order)
        if not why_not_physical(inertial.properties.mass, tensor_of(map(float, new))):
            orders.setdefault(new, name)
    return orders


def _scales(link: UrdfLink, supports: Sequence[ShapeBounds]) -> Findings:
    """Yield a mesh that is a power of ten larger or smaller than the other shapes of its link."""
    kinds = grouped((support.shape.kind, support) for support in supports)
    if len(kinds) < 2:
        return
    drawn = sides_of(kinds["visual"])
    solid = sides_of(kinds["collision"])
    if min(*drawn, *solid) <= 0.0:
        return
    ratios = [b / a for a, b in zip(drawn, solid)]
    for factor in SCALES:
        if any(abs(ratio / factor - 1.0) >= SAME for ratio in ratios):
            continue
        larger = kinds["collision"] if factor > 1.0 else kinds["visual"]
        edits: List[AttributeEdit] = []
        # Only an impossible size decides which of the two is wrong.
        if max(*drawn, *solid) > HUGE:
            edits = scaled_down(larger, max(factor, 1.0 / factor))
        line = larger[0].shape.source.line
        lengths = (1000.0 * max(drawn), 1000.0 * max(solid))
        yield found(MESH_SCALE, line, "link", (link.name,), lengths, edits)


def scaled_down(supports: Sequence[ShapeBounds], factor: float) -> List[AttributeEdit]:
    """Return the edits that divide the scale of meshes; [] if a shape is not a mesh."""
    edits = []
    for support in supports:
        drawn = support.shape.drawn
        scale = support.shape.scale
        if drawn is None or drawn.name != "mesh" or scale is None:
            return []
        edits.append(
            AttributeEdit(drawn, "scale", format_numbers([value / factor for value in scale]))
        )
    return edits
