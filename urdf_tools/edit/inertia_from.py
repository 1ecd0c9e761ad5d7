"""The act `inertia_from`: center of mass and tensor of links from their shapes, of uniform density."""
import os
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import combinations, product
from typing import Callable, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..apply.passes import write_inertial
from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenMesh, UsageError
from ..base.kinds import UNUSED_OPTION
from ..base.number_text import count_of, numbers_in
from ..compare.law import Law
from ..meshes.formats import read_indexed
from ..meshes.hull import convex_hull
from ..meshes.volume import NoVolume, Solid, solid_of
from ..model.solids import solid_of_shape, uniform
from ..urdf.model import Link, Shape
from ..urdf.package_resolver import resolve, resolver_for
from ..urdf.spatial import MassProperties, move, scale, why_not_physical
from .kinds import INERTIA_FROM, PARTS_OVERLAP
from .law import with_masses_of_shapes
from .records import Draft, Made

SOURCES = {"visual": "visuals", "collision": "collisions", "hull": "the hulls of their visuals"}
OF_COLLISIONS = "collision"
DENSITY = "density="
NOISE = 1e-12  # [m] a coordinate of a center below it is written as 0
APART = 1e-9  # [m] boxes that share less only touch
SolidOf = Callable[[Shape], Solid]


class Words(NamedTuple):
    """Which shapes, of which links, and densities [kg/m^3] by globs, of which the last counts."""

    source: str
    globs: Tuple[str, ...]
    densities: Tuple[Tuple[str, float], ...]

    @property
    def kind(self) -> str:
        """The kind of shapes that count."""
        return OF_COLLISIONS if self.source == OF_COLLISIONS else "visual"

    def density(self, link: str) -> Optional[float]:
        """Return the density of a link, None where its mass stays."""
        return next((density for glob, density in reversed(self.densities) if fnmatchcase(link, glob)), None)


def inertia_from(draft: Draft, words: Sequence[str]) -> Made:
    """Compute center and tensor of links from their shapes: `visual 'arm_*' density='hand_*=2700'`.

    With a density the mass is computed, too; without one a link keeps its mass, and one that has none stays as it is.

    Raises:
        UsageError: a word cannot be used, or a mesh holds no volume.
    """
    asked = _read(draft, words)
    draft.warnings += [Diagnostic(UNUSED_OPTION, 0, "link", (f"--inertia-from {glob}",))
                       for glob in (*asked.globs, *(glob for glob, _ in asked.densities))
                       if not any(fnmatchcase(link, glob) for link in draft.robot.links)]
    solid_of_shape, problems = _reader(draft, asked), []
    links: Dict[str, Optional[float]] = {}
    for link in draft.robot.links.values():
        density = asked.density(link.name)
        if not any(fnmatchcase(link.name, glob) for glob in asked.globs) or density is None and not link.mass:
            continue
        shapes = [shape for shape in link.shapes if shape.kind == asked.kind and shape.drawn is not None]
        if not shapes:
            draft.warn(link.source, INERTIA_FROM, "no-shape", asked.kind)
            continue
        try:
            _write(draft, link, shapes, [solid_of_shape(shape) for shape in shapes], density)
        except UsageError as problem:
            problems.append(problem)
        links[link.name] = density
    if problems:
        more = f" ({count_of(len(problems) - 1, 'other link')} cannot be computed either)" if problems[1:] else ""
        raise UsageError(problems[0].message + more, draft.path, problems[0].line)
    return Made(Law(), f"masses of {count_of(len(links), 'link')} from {SOURCES[asked.source]}", laws=(
        lambda before, after, law: ((before._replace(links=tuple(
            with_masses_of_shapes(link, asked.kind, links[link.name], of_hulls=asked.source == "hull")
            if link.name in links else link for link in before.links)), after, law),)))


def _read(draft: Draft, words: Sequence[str]) -> Words:
    names = [word for word in words if not word.startswith(DENSITY)]
    if not names or names[0] not in SOURCES:
        raise UsageError(f"'{' '.join(names)}': give {', '.join(SOURCES)}, then links if not all are meant", draft.path)
    densities: List[Tuple[str, float]] = []
    for word in words:
        if word.startswith(DENSITY):
            glob, _, text = word[len(DENSITY):].rpartition("=")
            density, = numbers_in(text, 1) or (0.0,)
            if not glob or density <= 0.0:
                raise UsageError(f"'{word}': give links and kg/m3, such as density='hand_*=2700'", draft.path)
            densities.append((glob, density))
    return Words(names[0], tuple(names[1:]) or ("*",), tuple(densities))


def _reader(draft: Draft, asked: Words) -> SolidOf:
    """Return the function that reads what a shape holds, in its own frame; each mesh once."""
    resolver = resolver_for(draft.robot.document.root, os.path.dirname(os.path.abspath(draft.path)), draft.packages)
    cure = "" if asked.source == OF_COLLISIONS else "collision, or --inertia-from "

    @lru_cache(maxsize=None)
    def of_mesh(name: str, factors: Tuple[float, ...]) -> Solid:
        path = resolve(name, resolver).path
        if path is None:
            raise BrokenMesh("is not found (--package NAME=PATH says where a package is)")
        points, triangles = read_indexed(path)
        if asked.source == "hull":
            points, triangles = convex_hull(points) or ((), ())
        return solid_of(points, triangles, factors)

    def of_shape(shape: Shape) -> Solid:
        try:
            return solid_of_shape(shape, of_mesh)
        except NoVolume as problem:
            why = f"'{shape.mesh}' {problem}, so it has no volume: --inertia-from {cure}hull counts its hull" if (
                shape.mesh) else f"a shape {problem}"
        except BrokenMesh as problem:
            why = f"'{shape.mesh}' {problem.message}"
        raise UsageError(why, draft.path, shape.source.line)

    return of_shape


def _write(draft: Draft, link: Link, shapes: Sequence[Shape], solids: Sequence[Solid], density: Optional[float]
           ) -> None:
    """Write the mass properties of a link; warn of what its shapes leave open."""
    boxes = []
    for shape, solid in zip(shapes, solids):
        if solid.is_turned:
            draft.warn(shape.source, INERTIA_FROM, "turned", shape.mesh)
        for box in solid.boxes:
            columns = list(zip(*(move(shape.pose, (x, y, z)) for x, y, z in product(*zip(*box)))))
            boxes.append([(min(column), max(column)) for column in columns])
    if any(all(min(high, top) - max(low, bottom) > APART for (low, high), (bottom, top) in zip(*pair))
           for pair in combinations(boxes, 2)):
        draft.warn(link.source, PARTS_OVERLAP, "boxes")
    unit = uniform(shapes, solids)
    mass = link.mass if density is None else density * unit.mass
    x, y, z = (scale(mass / unit.mass, row) for row in unit.inertia)
    if why_not_physical(mass, (x, y, z)):
        raise UsageError(f"the shapes of link '{link.name}' have the tensor of no body: parts of them are the wrong "
                         "way round", draft.path, link.source.line)
    write_inertial(draft.copy(link.source), MassProperties(mass, unit.center, (x, y, z)), link.inertial, NOISE)
