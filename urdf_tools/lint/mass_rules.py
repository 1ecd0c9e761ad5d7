"""Rules for masses: mass properties that no mass inside the shapes of its link can have.

For mass anywhere between two planes a <= n.x <= b with its center at c, the second moment about the center along n is
at most (b - c)(c - a): (b - x)(x - a) >= 0 holds for each particle, and its mean is (b - c)(c - a) - var (Bhatia and
Davis 2000). The second moments are Sigma = (trace(I)/2 1 - I)/m. So an n with n.Sigma n > (b - c)(c - a) proves that no
mass between the planes has this tensor. The planes are those of boxes around the shapes, and of hulls where a mass is
not far from what boxes allow. What rounding may change is taken off on the safe side.
"""

from __future__ import annotations

from math import fsum, prod, sqrt
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from ..base.types import Reals, Texts
from ..base.diagnostics import Diagnostic
from ..base.exact_trigonometry import PI
from ..base.kinds import INERTIA, MASSLESS, MISSING_INERTIA
from ..base.number_text import format_number, format_numbers, grouped, without_noise
from ..base.record import Record
from ..meshes.form import fractional_power
from ..meshes.hull import convex_hull
from ..meshes.volume import NoVolume, SolidVolume, solid_of
from ..model.solids import solid_of_shape, uniform
from ..robot.principal_axes import entries_of, principal
from ..urdf.lossless_xml import Element
from ..urdf.model import Edit, INERTIA_KEYS, UrdfInertial, UrdfLink, NO_MASS, UrdfRobot
from ..urdf.spatial import (
    dot,
    IDENTITY_POSE,
    largest_entry,
    MassProperties,
    Matrix,
    move_mass,
    multiply,
    rotate,
    scale,
    transpose,
    UNIT_AXES,
    Vector,
    why_not_physical,
)
from .kinds import (
    CENTER_OUTSIDE,
    INERTIA_OUTSIDE,
    INERTIA_SLOTS,
    INERTIA_UNIT,
    MASS_UNIT,
    MESH_SCALE,
    TILTED_TENSOR,
    TOO_DENSE,
)
from .records import LintFinding, Findings, found, Subject
from .shape_rules import orders_like_visuals, tensor_of
from .supports import (
    find_bodies,
    interval,
    links_of_bodies,
    mesh_triangles,
    sides_of,
    Support,
    supports_of,
    welded,
    with_points,
)

GRAMS = 1000.0  # in a kilogram
LIGHTEST = 50.0  # [kg/m^3] of the box around a part: a frame of thin rods
OSMIUM = 22590.0  # [kg/m^3] the densest material, CRC Handbook of Chemistry and Physics
# Of the longest side: how far a part may reach beyond its shapes (screws, cables, plugs).
BESIDE = 0.25
# Of the bound: the range of solids and shells, down to a core of a fifth of the size.
PLAUSIBLE = (0.03, 1.0)
SUSPICIOUS = 0.3  # of the moment and the mass that boxes allow: meshes are not read for less
ROUNDING = 1e-12  # of lengths and second moments: far more than all roundings
SHEET = 1e-4  # [m]
MARKER = 0.005  # [m] a smaller body is a marker of its frame
EQUAL = 1e-6  # of the largest moment
POWERS = (1e3, 1e4, 1e6, 1e7, 1e9)  # between kg m^2 and g m^2, kg cm^2, kg mm^2, g cm^2, g mm^2
HUGE = 20.0  # [m] no link of a robot is so long: if two shapes differ in size, such a size is wrong
SCALES = (1000.0, 0.001, 100.0, 0.01)
# Of the six entries in other formats: the indices of ixx ixy ixz iyy iyz izz.
ORDERS = {
    "ixx iyy izz ixy ixz iyz": (0, 3, 4, 1, 5, 2),
    "ixx ixy iyy ixz iyz izz": (0, 1, 3, 2, 4, 5),
    "ixx iyy izz iyz ixz ixy": (0, 5, 4, 1, 3, 2),
    "ixx iyy izz ixy iyz ixz": (0, 3, 5, 1, 4, 2),
}
SAME = 0.05  # of a size: a visual and its simplified collision


class Excess(Record):
    """A direction with the second moment of a link's mass and its upper bound [m^2]."""

    direction: Vector
    moment: float
    most: float

    @property
    def ratio(self) -> float:
        """The moment by its bound; more than 1 is impossible."""
        return self.moment / max(self.most, 1e-18)


def mass_rules(subject: Subject) -> Findings:
    """Yield the masses that contradict the shapes of their bodies, and shapes of a link that contradict each other.

    A mass is compared with the shapes of all links that fixed joints connect: some files give all mass to one link, and
    the shapes to others.
    """
    placed = find_bodies(subject.robot)
    known = supports_of_bodies(subject)
    for link in subject.robot.links.values():
        yield from _scales(link, supports_of([(link, IDENTITY_POSE)], subject.box_of_mesh) or ())
        supports = known[placed[link.name].name]
        inertial = link.inertial
        if (
            supports is None
            or inertial is None
            or link.mass <= NO_MASS
            or max(sides_of(supports)) < MARKER
        ):
            continue
        inertial = inertial._replace(
            properties=move_mass(placed[link.name].T_body_link, inertial.properties)
        )
        properties = inertial.properties
        # The axes of the link and the principal ones: the bound is tight along the sides of boxes, the moment extreme
        # along the others.
        directions = (*UNIT_AXES, *transpose(principal(second_moments(properties))[1]))
        # Points of meshes are read only where boxes leave a doubt.
        if (
            SUSPICIOUS < largest_excess(properties, supports, directions).ratio <= 1.0
            or SUSPICIOUS * OSMIUM < link.mass / (prod(sides_of(supports)) or 1.0) <= OSMIUM
        ):
            supports = with_points(supports, subject.meshes)

        yield from _density(link, inertial, supports, directions)
        outside = _outside(properties, supports, directions)
        if outside:
            yield found(CENTER_OUTSIDE, inertial.source.line, "link", (link.name,), outside)
        elif not why_not_physical(properties.mass, properties.inertia):
            yield from _moments(link, inertial, supports, directions)
        else:
            yield from _slots(link, inertial, subject)


def supports_of_bodies(subject: Subject) -> Dict[str, Optional[List[Support]]]:
    """Return by the name of a body the boxes of the shapes of its links; None if it has none, or a box is unknown."""
    bodies = links_of_bodies(subject.robot)
    return {name: supports_of(links, subject.box_of_mesh) for name, links in bodies.items()}


def second_moments(properties: MassProperties) -> Matrix:
    """Return Sigma = (trace(I)/2 1 - I)/m about the center of mass [m^2]."""
    inertia, mass = properties.inertia, properties.mass
    half = 0.5 * fsum((inertia[0][0], inertia[1][1], inertia[2][2]))
    (a, b, c), (d, e, f), (g, h, i) = inertia
    return (
        ((half - a) / mass, -b / mass, -c / mass),
        (-d / mass, (half - e) / mass, -f / mass),
        (-g / mass, -h / mass, (half - i) / mass),
    )


def largest_excess(
    properties: MassProperties, supports: Sequence[Support], directions: Sequence[Vector]
) -> Excess:
    """Return the direction in which the ratio of the second moment to its bound is largest.

    The bounds are those of the shapes enlarged on all sides by BESIDE of their longest side, as shapes are rarely
    complete; the center of mass must be inside them.
    """
    sigma = second_moments(properties)
    margin = BESIDE * max(sides_of(supports))
    doubt = ROUNDING * fsum(abs(entry) for row in sigma for entry in row)
    excesses = []
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        above, below = (
            (reach + margin) + ROUNDING * (margin + max(abs(low), abs(high), abs(center)))
            for reach in (high - center, center - low)
        )
        # Rounding is taken off the moment and added to the bound, so that nothing possible is
        # reported.
        excesses.append(
            Excess(
                n,
                dot(n, rotate(sigma, n)) - doubt,
                above * below if min(above, below) > 0.0 else 0.0,
            )
        )
    return max(excesses, key=lambda excess: excess.ratio)


def _outside(
    properties: MassProperties, supports: Sequence[Support], directions: Sequence[Vector]
) -> Optional[Reals]:
    """Return how far the center of mass is outside all shapes, and their extent in that direction [mm], or None."""
    worst: Optional[Reals] = None
    for n in directions:
        low, high = interval(supports, n)
        center = dot(n, properties.center)
        beyond = max(low - center, center - high)
        if beyond > BESIDE * max(sides_of(supports)) and (
            worst is None or 1000.0 * beyond > worst[0]
        ):
            worst = (1000.0 * beyond, 1000.0 * (high - low))
    return worst


def _moments(
    link: UrdfLink,
    inertial: UrdfInertial,
    supports: Sequence[Support],
    directions: Sequence[Vector],
) -> Findings:
    excess = largest_excess(inertial.properties, supports, directions)
    ratio = excess.ratio
    if ratio <= 1.0:
        return
    reach = (1000.0 * sqrt(excess.moment), 1000.0 * sqrt(excess.most))
    inertia = inertial.properties.inertia
    moments = principal(inertia)[0]
    # Three equal moments are made up, so no unit is guessed.
    if moments[2] - moments[0] <= EQUAL * moments[2]:
        yield found(
            INERTIA_OUTSIDE, inertial.source.line, "made-up", (link.name,), (*reach, moments[2])
        )
        return

    powers = [power for power in POWERS if PLAUSIBLE[0] <= ratio / power <= PLAUSIBLE[1]]
    if not powers:
        yield found(INERTIA_OUTSIDE, inertial.source.line, "link", (link.name,), reach)
        return
    # Of several units that fit none is written.
    edits = _divided(inertial, powers[0]) if len(powers) == 1 else ()
    yield found(
        INERTIA_UNIT, inertial.source.line, "link", (link.name,), (*reach, powers[0]), edits
    )


def _density(
    link: UrdfLink,
    inertial: UrdfInertial,
    supports: Sequence[Support],
    directions: Sequence[Vector],
) -> Findings:
    """Yield a mass that makes the hull of all shapes denser than osmium.

    If a thousandth of it is a usual density, the mass is in grams. Then the tensor is in kg m^2 if it fits that
    mass, and in g m^2 if it fits the mass as it is written: in either case there is exactly one repair.
    """
    mass = inertial.properties.mass
    # A hull is inside of its box: where that is not dense, none is computed.
    volume = (
        _hull_volume(supports) if mass > SUSPICIOUS * OSMIUM * prod(sides_of(supports)) else 0.0
    )
    if not volume or mass <= OSMIUM * volume:
        return
    numbers = (mass, 1e6 * volume, mass / volume)
    element = inertial.source.find("mass")
    if element is None or not LIGHTEST <= mass / GRAMS / volume <= OSMIUM:
        yield found(TOO_DENSE, inertial.source.line, "link", (link.name,), numbers)
        return
    # The second moment is tensor / mass: with the mass in kg it is a thousand times larger.
    excess = largest_excess(inertial.properties, supports, directions)
    fits = [PLAUSIBLE[0] <= value <= PLAUSIBLE[1] for value in (GRAMS * excess.ratio, excess.ratio)]
    edits = [Edit(element, "value", format_number(mass / GRAMS))] if any(fits) else []
    edits += _divided(inertial, GRAMS) if fits[1] and not fits[0] else ()
    yield found(MASS_UNIT, inertial.source.line, "link", (link.name,), numbers, edits)


def _hull_volume(supports: Sequence[Support]) -> float:
    """Return an upper bound of the volume of the hull of all shapes [m^3]; 0 for a sheet, whose thickness is not known."""
    corners, (a, b, c) = (
        [corner for support in supports for corner in support.corners],
        sorted(sides_of(supports)),
    )
    hull = convex_hull(corners)
    volume = solid_of(hull.corners, hull.triangles).properties.mass if hull and a > SHEET else 0.0
    # Corners that move by a length add at most that times the area, which is not larger than that of the box.
    moved = ROUNDING * max(abs(value) for corner in corners for value in corner)
    return (
        volume * (1.0 + ROUNDING) + 4.0 * moved * (a * b + b * c + c * a)
        if volume > SHEET * b * c
        else 0.0
    )


def _slots(link: UrdfLink, inertial: UrdfInertial, subject: Subject) -> Findings:
    """Yield a non-physical tensor whose entries are a physical one in the order of another format.

    If several orders are physical, as most are that exchange products only, the visuals tell which is meant, if the
    tensor is theirs in one order alone; else there is no repair.
    The first six numbers of a whole matrix, row by row, lack izz: iyy equals ixy, and there is no repair.
    """
    element = inertial.source.find("inertia")
    texts = [element.get(key) or "0" for key in INERTIA_KEYS] if element is not None else []
    if element is None or len(set(map(float, texts))) < 4:  # made up
        return
    if float(texts[1]) == float(texts[3]):
        yield found(INERTIA_SLOTS, element.line, "rows", (link.name,))
        return
    orders: Dict[Texts, str] = {}
    for name, order in ORDERS.items():
        new = [texts[k] for k in order]
        if not why_not_physical(inertial.properties.mass, tensor_of(map(float, new))):
            orders.setdefault(tuple(new), name)
    sentence = "order"
    drawn = orders_like_visuals(link, inertial, texts, subject)
    if len(drawn) == 1:
        # By the places in the file, so that the finding says what stands in each.
        slots = sorted(zip(drawn[0], INERTIA_KEYS))
        sentence = "drawn"
        orders = {tuple(texts[k] for k in drawn[0]): " ".join(key for _, key in slots)}
    edits = [
        Edit(element, key, text)
        for reordered in (orders if len(orders) == 1 else ())
        for key, old, text in zip(INERTIA_KEYS, texts, reordered)
        if old != text
    ]
    if orders:
        names = (link.name, " or ".join(orders.values()))
        yield found(INERTIA_SLOTS, element.line, sentence, names, repair=edits)


def _divided(inertial: UrdfInertial, factor: float) -> Tuple[Edit, ...]:
    """Return the edits that divide a tensor; what a computation left of a zero becomes 0."""
    element = inertial.source.find("inertia")
    if element is None:
        return ()
    texts = {key: element.get(key) for key in INERTIA_KEYS}
    values = {key: float(text) for key, text in texts.items() if text is not None}
    least = TURNED * max(map(abs, values.values()))
    return tuple(
        Edit(element, key, format_number(value / factor if abs(value) >= least else 0.0))
        for key, value in values.items()
        if value
    )


def _scales(link: UrdfLink, supports: Sequence[Support]) -> Findings:
    """Yield a mesh that is a power of ten larger or smaller than the other shapes of its link."""
    kinds = grouped((support.shape.kind, support) for support in supports)
    if len(kinds) < 2:
        return
    drawn, solid = (sides_of(kinds[kind]) for kind in ("visual", "collision"))
    if min(*drawn, *solid) <= 0.0:
        return
    ratios = [b / a for a, b in zip(drawn, solid)]
    for factor in SCALES:
        if all(abs(ratio / factor - 1.0) < SAME for ratio in ratios):
            larger = kinds["collision" if factor > 1.0 else "visual"]
            edits = (
                scaled_down(larger, max(factor, 1.0 / factor)) if max(*drawn, *solid) > HUGE else []
            )
            yield found(
                MESH_SCALE,
                larger[0].shape.source.line,
                "link",
                (link.name,),
                (1000.0 * max(drawn), 1000.0 * max(solid)),
                edits,
            )


def scaled_down(supports: Sequence[Support], factor: float) -> List[Edit]:
    """Return the edits that divide the scale of meshes; [] if a shape is not a mesh."""
    edits = []
    for support in supports:
        drawn, scale = support.shape.drawn, support.shape.scale
        if drawn is None or drawn.name != "mesh" or scale is None:
            return []
        edits.append(Edit(drawn, "scale", format_numbers([value / factor for value in scale])))
    return edits


# [kg], [kg m^2] that all programs read: sdformat takes 1e-6 kg for nothing.
LEAST_MASS = 1e-5
LEAST_MOMENT = 1e-9
DENSITY = 1000.0  # [kg/m^3] of water: parts of plastic and motors are near it
OF_ZEROS = (INERTIA.name, MISSING_INERTIA.name)  # a tensor that is missing, or zero
OF_TENSORS = (INERTIA.name, INERTIA_SLOTS.name, INERTIA_UNIT.name, INERTIA_OUTSIDE.name)
LEAST_TURN = 1e-9  # [rad]
NO_GYRATION = 1e-8  # [m] no part of a robot is so small
TURNED = 1e-13  # of the largest entry, or of a length: what turning leaves of a zero
LEAST_TENSOR = ((LEAST_MOMENT, 0.0, 0.0), (0.0, LEAST_MOMENT, 0.0), (0.0, 0.0, LEAST_MOMENT))
# Of the largest second moment: what rounding, and programs that want no equality, need.
MARGIN = 1e-6


def with_mass_repairs(
    findings: Sequence[LintFinding],
    robot: UrdfRobot,
    find_meshes: Callable[[], Mapping[str, str]] = dict,
) -> List[LintFinding]:
    """Return findings, those about masses with their repairs; a tensor that another rule repairs has none of these.

    `find_meshes` returns the files of meshes by their names: it is called where a link with shapes has no mass.
    """
    links = [
        robot.links.get(finding.diagnostic.names[0]) if finding.diagnostic.names else None
        for finding in findings
    ]
    findings = _with_masses(list(zip(findings, links)), find_meshes)
    # Two repairs of one element would contradict each other.
    known = {id(edit.element) for finding in findings for edit in finding.repair}
    # Reals in another order are not repaired by the nearest tensor, which is none of these.
    reordered = {
        finding.diagnostic.names[0] for finding in findings if finding.kind is INERTIA_SLOTS
    }
    repaired = []
    for finding, link in zip(findings, links):
        edits: Sequence[Edit] = ()
        if link is not None and link.inertial is not None and link.name not in reordered:
            if _lacks_tensor(link.inertial) and finding.kind.name in OF_ZEROS:
                edits = _tensor_of_shapes(link, link.inertial, find_meshes)
            elif finding.kind.name == INERTIA.name:
                edits = _nearest(link.inertial)
        alone = edits and not any(id(edit.element) in known for edit in edits)
        repaired.append(finding._replace(repair=tuple(edits)) if alone else finding)
    return repaired


def _lacks_tensor(inertial: UrdfInertial) -> bool:
    """Return True for a mass whose tensor is missing, or zero but for the last digits of a computation."""
    properties = inertial.properties
    least = NO_GYRATION * NO_GYRATION * properties.mass
    return properties.mass >= NO_MASS and largest_entry(properties.inertia) < least


def _with_masses(
    about: Sequence[Tuple[LintFinding, Optional[UrdfLink]]],
    find_meshes: Callable[[], Mapping[str, str]],
) -> List[LintFinding]:
    """Return the findings of pairs with their links, those of links without mass with what gives them one.

    No other repair writes to the same element: the digits of a center that is replaced need no rounding.
    """
    masses: Dict[int, List[Edit]] = {}
    for number, (finding, link) in enumerate(about):
        if link is not None and finding.kind.name == MASSLESS.name:
            unit = _solid(link, find_meshes()) if link.shapes and _is_turned_by_rpy(link) else None
            masses[number] = _weighed(link, unit) if unit is not None else _least(link)
    written = {id(edit.element) for edits in masses.values() for edit in edits}
    repaired = []
    for number, (finding, _) in enumerate(about):
        repair = tuple(masses.get(number, finding.repair))
        if number not in masses and any(id(edit.element) in written for edit in repair):
            repair = ()
        repaired.append(finding._replace(repair=repair))
    return repaired


def tilted_tensors(robot: UrdfRobot, findings: Sequence[LintFinding]) -> Findings:
    """Yield tensors in axes of their own, with the edits that write them in the axes of the link.

    A tensor that another finding repairs, or finds impossible, is left to that.
    """
    edited = {id(edit.element) for finding in findings for edit in finding.repair}
    faulty = {
        finding.diagnostic.names[0] for finding in findings if finding.kind.name in OF_TENSORS
    }
    for link in robot.links.values():
        inertial = link.inertial
        origin = inertial.source.find("origin") if inertial is not None else None
        if inertial is None or origin is None or max(map(abs, inertial.rpy)) < LEAST_TURN:
            continue
        edits: List[Edit] = []
        own = {id(element) for element in inertial.source.walk()}
        is_free = link.name not in faulty and own.isdisjoint(edited)
        # No rpy may stand beside a quaternion.
        if is_free and origin.get("quat_xyzw") is None:
            edits = _written(inertial.source, "inertia", _named(inertial.properties.inertia))
            edits.append(Edit(origin, "rpy", "0 0 0"))
        diagnostic = Diagnostic(TILTED_TENSOR, origin.line, "link", (link.name,))
        yield LintFinding(diagnostic, tuple(edits))


def _solid(link: UrdfLink, meshes: Mapping[str, str]) -> Optional[MassProperties]:
    """Return what the visuals of a link hold, or else its collisions, of 1 kg/m^3; None if either is open or flat."""

    def of_mesh(name: str, factors: Reals) -> SolidVolume:
        return solid_of(*welded(mesh_triangles(meshes.get(name, ""))), factors)

    for shapes in filter(None, (link.visuals, link.collisions)):
        try:
            unit = uniform(shapes, [solid_of_shape(shape, of_mesh) for shape in shapes])
        except NoVolume:
            continue
        if DENSITY * unit.mass >= LEAST_MASS and not why_not_physical(unit.mass, unit.inertia):
            return unit
    return None


def _tensor_of_shapes(
    link: UrdfLink, inertial: UrdfInertial, find_meshes: Callable[[], Mapping[str, str]]
) -> List[Edit]:
    """Return the edits that give a mass the tensor of its shapes, of uniform density, or else of a ball of water.

    A center that is given stays: the mass is as wide about it as the shapes are about theirs.
    """
    origin = inertial.source.find("origin")
    mass = inertial.properties.mass
    unit = _solid(link, find_meshes()) if link.shapes and _is_turned_by_rpy(link) else None
    if unit is None:
        return _written(inertial.source, "inertia", _named(_large_enough(_ball_of_water(mass))))
    tensor = _times(unit.inertia, mass / unit.mass)
    edits = _written(inertial.source, "inertia", _named(_large_enough(tensor)))
    if origin is None:
        center = _center_of(unit)
        is_at_origin = not any(map(float, center.split()))
        return edits if is_at_origin else [Edit(inertial.source, "xyz", center, "origin"), *edits]
    if max(map(abs, inertial.rpy)) > LEAST_TURN:  # the tensor is in the axes of the link
        edits.append(Edit(origin, "rpy", "0 0 0"))
    return edits


def _ball_of_water(mass: float) -> Matrix:
    radius = fractional_power(3.0 * mass / (4.0 * PI * DENSITY), 1, 3)
    return _times(UNIT_AXES, 0.4 * mass * radius * radius)


def _large_enough(tensor: Matrix) -> Matrix:
    """Return a tensor, or the least one that all programs read if it has a smaller moment."""
    return tensor if principal(tensor)[0][0] >= LEAST_MOMENT else LEAST_TENSOR


def _times(matrix: Matrix, factor: float) -> Matrix:
    a, b, c = (scale(factor, row) for row in matrix)
    return a, b, c


def _center_of(unit: MassProperties) -> str:
    """Return the center of mass of shapes as text, without what a computation leaves of a zero."""
    radius = sqrt(max(entries_of(unit.inertia)) / unit.mass)
    return format_numbers(without_noise(unit.center, TURNED * radius))


def _is_turned_by_rpy(link: UrdfLink) -> bool:
    """Return False if the mass of a link has a quaternion of URDF 1.1, which no rpy may stand beside."""
    origin = link.inertial.source.find("origin") if link.inertial is not None else None
    return origin is None or origin.get("quat_xyzw") is None


def _weighed(link: UrdfLink, unit: MassProperties) -> List[Edit]:
    """Return the edits that give a link the mass of its shapes, of the density of water, in the axes of the link."""
    inertial = link.inertial
    top, path = (link.source, "inertial/") if inertial is None else (inertial.source, "")
    edits = _written(top, f"{path}mass", {"value": DENSITY * unit.mass})
    edits += _written(top, f"{path}inertia", _named(_times(unit.inertia, DENSITY)))
    origin = top.find(f"{path}origin")
    center = _center_of(unit)
    if origin is None:
        return [Edit(top, "xyz", center, f"{path}origin"), *edits]
    return [Edit(origin, "xyz", center), Edit(origin, "rpy", "0 0 0"), *edits]


def _least(link: UrdfLink) -> List[Edit]:
    """Return the edits that give a link a mass that programs read, and a tensor where it has none."""
    inertial = link.inertial
    top, path = (link.source, "inertial/") if inertial is None else (inertial.source, "")
    edits = _written(top, f"{path}mass", {"value": LEAST_MASS})
    zero = inertial is None or not any(entries_of(inertial.properties.inertia))
    return edits + (_written(top, f"{path}inertia", _named(LEAST_TENSOR)) if zero else [])


def _nearest(inertial: UrdfInertial) -> List[Edit]:
    """Return the edits that write the nearest tensor that a body has, in the axes of the file."""
    element = inertial.source.find("inertia")
    texts = [element.get(key) if element is not None else None for key in INERTIA_KEYS]
    tensor = nearest_tensor(tensor_of(float(text or "0") for text in texts))
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
    # The moment about an axis is the sum of the second moments along the other two.
    return multiply(
        multiply(axes, ((b + c, 0.0, 0.0), (0.0, a + c, 0.0), (0.0, 0.0, a + b))), transpose(axes)
    )


def _named(tensor: Matrix) -> Dict[str, float]:
    """Return the entries of a tensor by their names, without what a computation leaves of a zero."""
    entries = entries_of(tensor)
    return dict(zip(INERTIA_KEYS, without_noise(entries, TURNED * max(map(abs, entries)))))


def _written(top: Element, path: str, values: Dict[str, float]) -> List[Edit]:
    """Return the edits that write numbers into a child of an element, which is made if it is not there."""
    child = top.find(path)
    texts: Tuple[Tuple[str, str], ...] = tuple(
        (key, format_number(value)) for key, value in values.items()
    )
    if child is None:
        return [Edit(top, key, text, path) for key, text in texts]
    return [Edit(child, key, text) for key, text in texts if child.get(key) != text]
