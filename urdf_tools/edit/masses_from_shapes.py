"""The edit `inertia-from`: centers and tensors of links from their shapes, with uniform density."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import combinations, product
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ..base.type_aliases import Reals, Texts
from ..apply.apply_plan_passes import write_inertial
from ..base.errors import BrokenMesh, UnopenedMesh, UsageError
from ..base.number_text import count_of, numbers_in
from ..base.record_type import Record
from ..compare.verify_edit import EditLaw
from ..meshes.mesh_readers import read_indexed
from ..meshes.convex_hull import convex_hull
from ..meshes.mesh_volume import NoVolume, SolidVolume, solid_of
from ..model.uniform_solids import solid_of_shape, uniform
from ..robot.raw_robot import RawLink, RawRobot
from ..urdf.urdf_records import UrdfLink, UrdfShape
from ..urdf.package_resolver import resolve, resolver_for
from ..urdf.spatial_math import MassProperties, move, scale, why_not_physical
from .edit_diagnostics import INERTIA_FROM, PARTS_OVERLAP
from .edit_laws import with_masses_of_shapes
from .robot_draft import RobotDraft, EditResult
from .edit_value_words import named_nothing

SOURCES = {"visual": "visuals", "collision": "collisions", "hull": "the hulls of their visuals"}
OF_COLLISIONS = "collision"
DENSITY = "density="
NOISE = 1e-12  # [m] smaller coordinates of a center are written as 0
APART = 1e-9  # [m] boxes that overlap by less only touch
SolidOf = Callable[[UrdfShape], SolidVolume]


class ShapesAndDensities(Record):
    """Which shapes of which links are used, and densities [kg/m^3] by glob, of which the last match wins."""

    source: str
    globs: Texts
    densities: Tuple[Tuple[str, float], ...]

    @property
    def kind(self) -> str:
        """The kind of shapes that are used."""
        return OF_COLLISIONS if self.source == OF_COLLISIONS else "visual"

    def density(self, link: str) -> Optional[float]:
        """Return the density of a link, or None if its mass stays."""
        return next(
            (density for glob, density in reversed(self.densities) if fnmatchcase(link, glob)), None
        )


def _require_links(draft: RobotDraft, asked: ShapesAndDensities) -> None:
    """Refuse globs that no link matches."""
    for glob in (*asked.globs, *(glob for glob, _ in asked.densities)):
        if not any(fnmatchcase(link, glob) for link in draft.robot.links):
            raise draft.refused(f"'{glob}': {named_nothing(draft, glob, 'link')}")


def inertia_from(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Compute center and tensor of links from their shapes: `visual 'arm_*' density='hand_*=2700'`.

    With a density the mass is computed too. Without a density a link keeps its mass, and a massless link is not
    changed.

    Raises:
        UsageError: a word cannot be used, or a mesh has no volume.
    """
    asked = _words_of(draft, words)
    _require_links(draft, asked)
    solid_of_shape = _reader(draft, asked)
    problems: List[UsageError] = []
    # By the name of a link that is written, its density [kg/m^3], None if its mass is kept.
    densities: Dict[str, Optional[float]] = {}
    for link in draft.robot.links.values():
        if not any(fnmatchcase(link.name, glob) for glob in asked.globs):
            continue
        density = asked.density(link.name)
        if density is None and not link.mass:  # its weight is unknown
            continue
        shapes = [
            shape for shape in link.shapes if shape.kind == asked.kind and shape.drawn is not None
        ]
        if not shapes:
            draft.warn(link.source, INERTIA_FROM, "no-shape", asked.kind)
            continue
        try:
            _write(draft, link, shapes, [solid_of_shape(shape) for shape in shapes], density)
        except UsageError as problem:
            problems.append(problem)
        densities[link.name] = density
    if problems:
        # All links are tried before the refusal, so that a user with five open meshes does not need five runs.
        first, *other_problems = problems
        more = ""
        if other_problems:
            more = f" ({count_of(len(other_problems), 'other link')} cannot be computed either)"
        raise draft.refused(first.message + more, first.line)
    if not densities:
        raise draft.refused(
            f"none of these links has a {asked.kind} to compute from, and a mass to keep (or density=...)"
        )
    of_hulls = asked.source == "hull"

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that tensors equal the tensors of the shapes, by an independent integration."""
        written = {link.name: link.mass for link in after.links}

        def expected(link: RawLink) -> RawLink:
            """Return the expected link: for a computed link, with the mass and tensor of its shapes."""
            if link.name not in densities:
                return link
            density = densities[link.name]
            return with_masses_of_shapes(
                link, asked.kind, density, written[link.name], of_hulls=of_hulls
            )

        return ((before._replace(links=tuple(map(expected, before.links))), after, law),)

    did = f"masses of {count_of(len(densities), 'link')} from {SOURCES[asked.source]}"
    return EditResult(EditLaw(), did, laws=laws)


def _words_of(draft: RobotDraft, words: Sequence[str]) -> ShapesAndDensities:
    """Return the source, the globs and the densities [kg/m3] of the words."""
    names = [word for word in words if not word.startswith(DENSITY)]
    if not names or names[0] not in SOURCES:
        raise draft.refused(
            f"'{' '.join(names)}': give {', '.join(SOURCES)}, then links if not all are meant"
        )
    densities: List[Tuple[str, float]] = []
    for word in words:
        if word.startswith(DENSITY):
            glob, _, text = word[len(DENSITY) :].rpartition("=")
            (density,) = numbers_in(text, 1) or (0.0,)
            if not glob or density <= 0.0:
                raise draft.refused(
                    f"'{word}': give links and kg/m3, such as density='hand_*=2700'"
                )
            densities.append((glob, density))
    return ShapesAndDensities(names[0], tuple(names[1:]) or ("*",), tuple(densities))


def _reader(draft: RobotDraft, asked: ShapesAndDensities) -> SolidOf:
    """Return the function that computes the solid of a shape, in its own frame; each mesh is read once."""
    resolver = resolver_for(
        draft.robot.document.root, os.path.dirname(os.path.abspath(draft.path)), draft.packages
    )
    # Alternatives for the message of a refusal.
    alternatives = [] if asked.source == OF_COLLISIONS else [OF_COLLISIONS]

    def of_hull(name: str, factors: Reals) -> SolidVolume:
        """Return the solid of the convex hull of a mesh file."""
        path = resolve(name, resolver).path
        hull = convex_hull(read_indexed(path)[0]) if path else None
        points, triangles = hull or ((), ())
        return solid_of(points, triangles, factors)

    @lru_cache(maxsize=None)
    def of_mesh(name: str, factors: Reals) -> SolidVolume:
        """Return the solid of a mesh file, or of its hull if hulls are the source."""
        file = resolve(name, resolver)
        path = file.path
        if path is None:
            help = file.hint or "--package NAME=DIR says where a package is"
            raise UnopenedMesh(f"is not found ({help})")
        if asked.source == "hull":
            return of_hull(name, factors)
        return solid_of(*read_indexed(path), factors)

    def cures_of(shape: UrdfShape) -> List[str]:
        """Return the alternative sources for a shape; the hull only if it has a volume."""
        try:
            solid_of_shape(shape, of_hull)
        except NoVolume:
            return alternatives
        return [*alternatives, "hull counts its hull"]

    def of_shape(shape: UrdfShape) -> SolidVolume:
        """Return the solid of a shape; the error for a shape without volume names the alternatives."""
        try:
            return solid_of_shape(shape, of_mesh)
        except NoVolume as problem:
            why = f"a shape {problem}"
            if shape.mesh:
                cures = ", or".join(f" --inertia-from {words}" for words in cures_of(shape))
                why = f"'{shape.mesh}' {problem}, so it has no volume{cures and ':'}{cures}"
        except BrokenMesh as problem:
            why = f"'{shape.mesh}' {problem.message}"
        raise draft.refused(why, shape.source.line)

    return of_shape


def _share_space(box: Sequence[Tuple[float, float]], other: Sequence[Tuple[float, float]]) -> bool:
    """Return True if two boxes overlap, each given by low and high [m] along x, y, z."""
    return all(
        min(high, top) - max(low, bottom) > APART for (low, high), (bottom, top) in zip(box, other)
    )


def _write(
    draft: RobotDraft,
    link: UrdfLink,
    shapes: Sequence[UrdfShape],
    solids: Sequence[SolidVolume],
    density: Optional[float],
) -> None:
    """Write the mass properties of a link; warn of turned or overlapping shapes."""
    boxes = []
    for shape, solid in zip(shapes, solids):
        if solid.is_turned:
            draft.warn(shape.source, INERTIA_FROM, "turned", shape.mesh)
        for box in solid.boxes:
            # The eight corners: `zip` pairs the low and high end of each axis.
            corners = [move(shape.pose, (x, y, z)) for x, y, z in product(*zip(*box))]
            boxes.append([(min(column), max(column)) for column in zip(*corners)])
    # Mass counts twice where parts overlap. Disjoint boxes prove that no parts overlap.
    if any(_share_space(*pair) for pair in combinations(boxes, 2)):
        draft.warn(link.source, PARTS_OVERLAP, "boxes")
    unit = uniform(shapes, solids)
    mass = link.mass if density is None else density * unit.mass
    x, y, z = (scale(mass / unit.mass, row) for row in unit.inertia)
    if why_not_physical(mass, (x, y, z)):
        raise draft.refused(
            f"the shapes of link '{link.name}' have the tensor of no body: parts of them are the wrong "
            "way round",
            link.source.line,
        )
    write_inertial(
        draft.copy(link.source), MassProperties(mass, unit.center, (x, y, z)), link.inertial, NOISE
    )
