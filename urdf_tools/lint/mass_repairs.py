"""Repairs of masses: a mass for a link without mass, a tensor for a mass without tensor, and the nearest physical tensor.

A repair of one element keeps other repairs away from it, so that two of them never contradict each other.
"""

from __future__ import annotations

from math import fsum, sqrt
from typing import Callable, Dict, List, Mapping, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Reals
from ..base.diagnostics import Diagnostic
from ..base.exact_trigonometry import PI
from ..base.run_diagnostics import INERTIA, MASSLESS, MISSING_INERTIA
from ..base.number_text import format_number, format_numbers, without_noise
from ..meshes.mesh_content import fractional_power
from ..meshes.mesh_volume import NoVolume, SolidVolume, solid_of
from ..model.uniform_solids import solid_of_shape, uniform
from ..robot.principal_axes import entries_of, principal
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import (
    AttributeEdit,
    INERTIA_KEYS,
    UrdfInertial,
    UrdfLink,
    NO_MASS,
    UrdfRobot,
)
from ..urdf.spatial_math import (
    largest_entry,
    MassProperties,
    Matrix,
    multiply,
    scale,
    transpose,
    UNIT_AXES,
    why_not_physical,
)
from .lint_diagnostics import INERTIA_OUTSIDE, INERTIA_SLOTS, INERTIA_UNIT, TILTED_TENSOR
from .finding_records import LintFinding, Findings
from .tensor_rules import tensor_of
from .shape_bounds import mesh_triangles, welded

LEAST_MASS = 1e-5  # [kg] that all programs read: sdformat treats 1e-6 kg as zero
LEAST_MOMENT = 1e-9  # [kg m^2] of a ball of this mass, some millimeters wide
DENSITY = 1000.0  # [kg/m^3] of water: parts of plastic and motors are near it
OF_ZEROS = (INERTIA.name, MISSING_INERTIA.name)  # a tensor that is missing, or zero
OF_TENSORS = (INERTIA.name, INERTIA_SLOTS.name, INERTIA_UNIT.name, INERTIA_OUTSIDE.name)
LEAST_TURN = 1e-9  # [rad]
NO_GYRATION = 1e-8  # [m] no part of a robot is this small
TURNED = 1e-13  # of the largest entry, or of a length: rounding errors of a zero after a rotation
LEAST_TENSOR = ((LEAST_MOMENT, 0.0, 0.0), (0.0, LEAST_MOMENT, 0.0), (0.0, 0.0, LEAST_MOMENT))
# Part of the largest second moment: allows for rounding, and for programs that require strict inequality.
MARGIN = 1e-6


FindMeshes = Callable[[], Mapping[str, str]]  # returns the files of meshes by their names


def with_mass_repairs(
    findings: Sequence[LintFinding],
    robot: UrdfRobot,
    find_meshes: FindMeshes = dict,
) -> List[LintFinding]:
    """Return findings, those about masses with their repairs; a tensor with a different repair gets no further repair.

    `find_meshes` is called only if a link with shapes has no mass.
    """
    links = [_link_of(finding, robot) for finding in findings]
    findings = _with_masses(list(zip(findings, links)), find_meshes)
    # Two repairs of one element would contradict each other.
    edited = _edited_elements(findings)
    # Numbers in a wrong order have their own repair: the nearest tensor would have different values.
    reordered = {
        finding.diagnostic.names[0] for finding in findings if finding.kind is INERTIA_SLOTS
    }
    repaired = []
    for finding, link in zip(findings, links):
        edits: Sequence[AttributeEdit] = ()
        if link is not None and link.name not in reordered:
            edits = _repair_of_tensor(finding, link, find_meshes)
        if edits and edited.isdisjoint(id(edit.element) for edit in edits):
            finding = finding._replace(repair=tuple(edits))
        repaired.append(finding)
    return repaired


def _link_of(finding: LintFinding, robot: UrdfRobot) -> Optional[UrdfLink]:
    """Return the link that a finding names first, None without one."""
    names = finding.diagnostic.names
    return robot.links.get(names[0]) if names else None


def _edited_elements(findings: Sequence[LintFinding]) -> Set[int]:
    """Return the elements that repairs write to, by identity."""
    edited: Set[int] = set()
    for finding in findings:
        edited.update(id(edit.element) for edit in finding.repair)
    return edited


def _repair_of_tensor(
    finding: LintFinding, link: UrdfLink, find_meshes: FindMeshes
) -> Sequence[AttributeEdit]:
    """Return the edits that repair the tensor of a finding; () for a finding about anything else."""
    inertial = link.inertial
    if inertial is None:
        return ()
    if _lacks_tensor(inertial) and finding.kind.name in OF_ZEROS:
        return _tensor_of_shapes(link, inertial, find_meshes)
    return _nearest(inertial) if finding.kind.name == INERTIA.name else ()


def _lacks_tensor(inertial: UrdfInertial) -> bool:
    """Return True for a mass whose tensor is missing, or zero except for rounding errors."""
    properties = inertial.properties
    least = NO_GYRATION * NO_GYRATION * properties.mass
    return properties.mass >= NO_MASS and largest_entry(properties.inertia) < least


def _with_masses(
    about: Sequence[Tuple[LintFinding, Optional[UrdfLink]]], find_meshes: FindMeshes
) -> List[LintFinding]:
    """Return the findings of pairs with their links: the finding of a link without mass gets edits that add a mass.

    No other repair writes to the same element: a center that is replaced needs no rounding of its digits.
    """
    masses: Dict[int, List[AttributeEdit]] = {}
    for number, (finding, link) in enumerate(about):
        if link is not None and finding.kind.name == MASSLESS.name:
            per_density = _solid_of_link(link, find_meshes)
            masses[number] = _least(link) if per_density is None else _weighed(link, per_density)
    written: Set[int] = set()
    for edits in masses.values():
        written.update(id(edit.element) for edit in edits)
    repaired = []
    for number, (finding, _) in enumerate(about):
        repair = tuple(masses.get(number, finding.repair))
        if number not in masses and any(id(edit.element) in written for edit in repair):
            repair = ()
        repaired.append(finding._replace(repair=repair))
    return repaired


def _solid_of_link(link: UrdfLink, find_meshes: FindMeshes) -> Optional[MassProperties]:
    """Return the mass of a link's shapes at 1 kg/m^3; None without closed shapes, or beside a quaternion.

    The meshes are looked up only for a link with shapes, as that takes long.
    """
    if not link.shapes or not _is_turned_by_rpy(link):
        return None
    return _solid(link, find_meshes())


def divided_tensor(inertial: UrdfInertial, factor: float) -> Tuple[AttributeEdit, ...]:
    """Return the edits that divide a tensor; rounding errors of a zero become 0."""
    element = inertial.source.find("inertia")
    if element is None:
        return ()
    texts = {key: element.get(key) for key in INERTIA_KEYS}
    values = {key: float(text) for key, text in texts.items() if text is not None}
    least = TURNED * max(map(abs, values.values()))
    edits = []
    for key, value in values.items():
        new = value / factor if abs(value) >= least else 0.0
        if value:
            edits.append(AttributeEdit(element, key, format_number(new)))
    return tuple(edits)


def tilted_tensors(robot: UrdfRobot, findings: Sequence[LintFinding]) -> Findings:
    """Yield tensors in rotated axes, with the edits that write them in the axes of the link.

    Tensors that other findings repair or report as impossible are skipped.
    """
    edited = _edited_elements(findings)
    faulty = {
        finding.diagnostic.names[0] for finding in findings if finding.kind.name in OF_TENSORS
    }
    for link in robot.links.values():
        inertial = link.inertial
        origin = inertial.source.find("origin") if inertial is not None else None
        if inertial is None or origin is None or max(map(abs, inertial.rpy)) < LEAST_TURN:
            continue
        edits: List[AttributeEdit] = []
        own = {id(element) for element in inertial.source.walk()}
        is_free = link.name not in faulty and own.isdisjoint(edited)
        # URDF allows no rpy beside a quaternion.
        if is_free and origin.get("quat_xyzw") is None:
            edits = _written(inertial.source, "inertia", _named(inertial.properties.inertia))
            edits.append(AttributeEdit(origin, "rpy", "0 0 0"))
        diagnostic = Diagnostic(TILTED_TENSOR, origin.line, "link", (link.name,))
        yield LintFinding(diagnostic, tuple(edits))


def _solid(link: UrdfLink, meshes: Mapping[str, str]) -> Optional[MassProperties]:
    """Return the mass of a link's visuals, or else of its collisions, at 1 kg/m^3; None if they are open or flat."""

    def of_mesh(name: str, factors: Reals) -> SolidVolume:
        """Return the solid in a mesh file, scaled by three factors."""
        return solid_of(*welded(mesh_triangles(meshes.get(name, ""))), factors)

    for shapes in filter(None, (link.visuals, link.collisions)):
        try:
            per_density = uniform(shapes, [solid_of_shape(shape, of_mesh) for shape in shapes])
        except NoVolume:
            continue
        if DENSITY * per_density.mass >= LEAST_MASS and not why_not_physical(
            per_density.mass, per_density.inertia
        ):
            return per_density
    return None


def _tensor_of_shapes(
    link: UrdfLink, inertial: UrdfInertial, find_meshes: FindMeshes
) -> List[AttributeEdit]:
    """Return the edits that give a mass the tensor of its shapes, of uniform density, or else of a ball of water.

    A given center stays: the tensor about it equals the tensor of the shapes about their center.
    """
    origin = inertial.source.find("origin")
    mass = inertial.properties.mass
    per_density = _solid_of_link(link, find_meshes)
    if per_density is None:
        tensor = _ball_of_water(mass)
    else:
        tensor = _times(per_density.inertia, mass / per_density.mass)
    edits = _written(inertial.source, "inertia", _named(_large_enough(tensor)))
    if per_density is None:
        return edits
    if origin is None:
        center = _center_of(per_density)
        is_at_origin = not any(map(float, center.split()))
        return (
            edits
            if is_at_origin
            else [AttributeEdit(inertial.source, "xyz", center, "origin"), *edits]
        )
    if max(map(abs, inertial.rpy)) > LEAST_TURN:  # the tensor is in the axes of the link
        edits.append(AttributeEdit(origin, "rpy", "0 0 0"))
    return edits


def _ball_of_water(mass: float) -> Matrix:
    """Return the tensor of a ball of water with a mass: 2/5 m r^2 about each axis."""
    radius = fractional_power(3.0 * mass / (4.0 * PI * DENSITY), 1, 3)
    return _times(UNIT_AXES, 0.4 * mass * radius * radius)


def _large_enough(tensor: Matrix) -> Matrix:
    """Return a tensor, or the least tensor that all programs read if one of its moments is smaller."""
    return tensor if principal(tensor)[0][0] >= LEAST_MOMENT else LEAST_TENSOR


def _times(matrix: Matrix, factor: float) -> Matrix:
    """Return a matrix times a number."""
    a, b, c = (scale(factor, row) for row in matrix)
    return a, b, c


def _center_of(per_density: MassProperties) -> str:
    """Return the center of mass of shapes as text, without rounding errors of zeros."""
    radius = sqrt(max(entries_of(per_density.inertia)) / per_density.mass)
    return format_numbers(without_noise(per_density.center, TURNED * radius))


def _is_turned_by_rpy(link: UrdfLink) -> bool:
    """Return False if the mass of a link has a quaternion of URDF 1.1, which excludes an rpy."""
    origin = link.inertial.source.find("origin") if link.inertial is not None else None
    return origin is None or origin.get("quat_xyzw") is None


def _weighed(link: UrdfLink, per_density: MassProperties) -> List[AttributeEdit]:
    """Return the edits that give a link the mass of its shapes at the density of water, in the axes of the link.

    `per_density` holds the mass [kg], center and tensor of the shapes at 1 kg/m^3, in the frame of the link.
    """
    top, path = _place_of_mass(link)
    edits = _written(top, f"{path}mass", {"value": DENSITY * per_density.mass})
    edits += _written(top, f"{path}inertia", _named(_times(per_density.inertia, DENSITY)))
    origin = top.find(f"{path}origin")
    center = _center_of(per_density)
    if origin is None:
        return [AttributeEdit(top, "xyz", center, f"{path}origin"), *edits]
    return [AttributeEdit(origin, "xyz", center), AttributeEdit(origin, "rpy", "0 0 0"), *edits]


def _least(link: UrdfLink) -> List[AttributeEdit]:
    """Return the edits that give a link a mass that programs read, and a tensor if it has no tensor."""
    inertial = link.inertial
    top, path = _place_of_mass(link)
    edits = _written(top, f"{path}mass", {"value": LEAST_MASS})
    if inertial is None or not any(entries_of(inertial.properties.inertia)):
        edits += _written(top, f"{path}inertia", _named(LEAST_TENSOR))
    return edits


def _place_of_mass(link: UrdfLink) -> Tuple[Element, str]:
    """Return the element in which a mass is written, and the path from it: a link may have no `<inertial>` yet."""
    if link.inertial is None:
        return link.source, "inertial/"
    return link.inertial.source, ""


def _nearest(inertial: UrdfInertial) -> List[AttributeEdit]:
    """Return the edits that write the nearest physical tensor, in the axes of the file."""
    element = inertial.source.find("inertia")
    entries = [0.0] * len(INERTIA_KEYS)
    if element is not None:
        entries = [float(element.get(key) or "0") for key in INERTIA_KEYS]
    tensor = nearest_tensor(tensor_of(entries))
    return _written(inertial.source, "inertia", _named(tensor))


def nearest_tensor(tensor: Matrix) -> Matrix:
    """Return the physical tensor nearest to a tensor [kg m^2], or a small tensor in place of zeros.

    The second moments S = trace(I)/2 1 - I of a body are positive semidefinite: the nearest S has the negative
    eigenvalues replaced by zeros (Boyd and Vandenberghe, Convex Optimization, 8.1.1), here by MARGIN of the largest.
    """
    moments, axes = principal(tensor)
    half = 0.5 * fsum(moments)
    seconds = [half - moment for moment in moments]
    least = MARGIN * max(seconds)
    if least <= 0.0:
        return LEAST_TENSOR
    a, b, c = (max(second, least) for second in seconds)
    # The moment about an axis is the sum of the second moments along the other two.
    nearest = ((b + c, 0.0, 0.0), (0.0, a + c, 0.0), (0.0, 0.0, a + b))
    return multiply(multiply(axes, nearest), transpose(axes))


def _named(tensor: Matrix) -> Dict[str, float]:
    """Return the entries of a tensor by their names, without rounding errors of zeros."""
    entries = entries_of(tensor)
    return dict(zip(INERTIA_KEYS, without_noise(entries, TURNED * max(map(abs, entries)))))


def _written(top: Element, path: str, values: Dict[str, float]) -> List[AttributeEdit]:
    """Return the edits that write numbers into a child of an element; a missing child is made."""
    child = top.find(path)
    texts = [(key, format_number(value)) for key, value in values.items()]
    if child is None:
        return [AttributeEdit(top, key, text, path) for key, text in texts]
    return [AttributeEdit(child, key, text) for key, text in texts if child.get(key) != text]
