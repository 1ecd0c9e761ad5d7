"""The links of a stage, with their shapes, their masses, and the colliders that a mass may follow from."""

from __future__ import annotations

from typing import Callable, Container, Dict, List, Mapping, Sequence

from ...base.record_type import Record
from ...robot.raw_robot import RawLink, RawShape, Values
from ...urdf.spatial_math import compose, inverse, Transform
from .prim_tree import BODY, Prim, SOLIDS
from .stage_looks import StageLooks
from .stage_masses import BodyCollision, read_mass, StageUnits
from .stage_shapes import COLLIDES, shapes_of, SIZES
from .prim_transforms import PrimTransform

HIDDEN = ("guide", "proxy")  # purposes that a renderer leaves out (UsdGeomImageable)
# They are drawn, and are no solid.
LINES = ("BasisCurves", "NurbsCurves", "Points", "HermiteCurves")
NOT_A_SOLID = "a {0} is no shape that is read here: its robot would lose it"
SCENERY = "{0} that no body carries: a part of the scene"


class StagePlace(Record):
    """A prim and its place in the stage.

    Attributes:
        T: its transform in the units and axes of the stage. at: the same in meters with Z up.
        body: path of the body that the prim is or is in; "" for none.
        purpose, is_visible: as the prim has them, or inherits them from its parents.
    """

    prim: Prim
    T: Transform
    at: PrimTransform
    body: str = ""
    purpose: str = ""
    is_visible: bool = True

    @property
    def is_drawn(self) -> bool:
        """False where a purpose or a visibility hides it."""
        return self.is_visible and self.purpose not in HIDDEN


class StageLink(Record):
    """A link: a body, or a frame.

    Attributes:
        place: its prim, with its pose in the world.
        around: path of the link that its prim is in; "" for none.
    """

    name: str
    place: StagePlace
    around: str

    @property
    def path(self) -> str:
        """The path of its prim."""
        return self.place.prim.path

    @property
    def is_body(self) -> bool:
        """False for a frame."""
        return self.place.body == self.path


def path_around(path: str, links: Container[str]) -> str:
    """Return the path of the nearest link that a prim is in, "" for none."""
    path = path.rpartition("/")[0]
    while path and path not in links:
        path = path.rpartition("/")[0]
    return path


class StageLinkReader:
    """Reads links; a note is added for each value that is read otherwise than the stage has it.

    Args:
        places, links: by path, in the order of the stage.
        line_of: returns the line of a prim in the file of the robot.
    """

    def __init__(
        self,
        places: Mapping[str, StagePlace],
        links: Mapping[str, StageLink],
        units: StageUnits,
        looks: StageLooks,
        notes: List[str],
        line_of: Callable[[Prim], int],
    ) -> None:
        """Keep the places and the links of a stage."""
        self._places = places
        self._links = links
        self._units = units
        self._looks = looks
        self._notes = notes
        self._line_of = line_of

    def links(self) -> List[RawLink]:
        """Return the links, with their shapes and masses."""
        shapes: Dict[str, List[RawShape]] = {}  # by path of the link
        colliders: Dict[str, List[BodyCollision]] = {}  # by path of the body
        scenery: List[str] = []
        for path, place in self._places.items():
            prim = place.prim
            if prim.type not in SOLIDS or prim.type in LINES:
                continue
            # A body may be a shape itself.
            holder = path if path in self._links else path_around(path, self._links)
            if not holder:
                scenery.append(repr(prim.take()))
                continue
            link = self._links[holder]
            shapes_of_prim = self._shapes(place, link)
            shapes.setdefault(holder, []).extend(shapes_of_prim)
            for shape in shapes_of_prim:
                # A shape of a frame weighs on the body that the frame is in.
                if place.body and shape.role == "collision":
                    collider = self._collider(place, link, shape)
                    colliders.setdefault(place.body, []).append(collider)
        if scenery:
            others = len(scenery) - 1
            shapes_named = (
                f"{scenery[0]} and {others} more are shapes"
                if others
                else f"{scenery[0]} is a shape"
            )
            self._notes.append(SCENERY.format(shapes_named))
        return [
            self._raw_link(link, shapes.get(path, ()), colliders.get(path, ()))
            for path, link in self._links.items()
        ]

    def _shapes(self, place: StagePlace, link: StageLink) -> List[RawShape]:
        """Return the shapes of a prim on a link, none for a prim that is neither drawn nor collides."""
        prim = place.prim
        if not place.is_drawn and COLLIDES not in prim.schemas:
            return []
        if prim.type not in SIZES:
            prim.refuse(NOT_A_SOLID.format(prim.type))
        prim.take()
        shapes = shapes_of(
            prim,
            place.at,
            link.place.at.pose,
            self._looks,
            self._notes,
            is_drawn=place.is_drawn,
        )
        line = self._line_of(prim)
        return [shape._replace(line=line) for shape in shapes]

    def _collider(self, place: StagePlace, link: StageLink, shape: RawShape) -> BodyCollision:
        """Return a collision of a link in the frame of the body that it weighs on."""
        T_body_world = inverse(self._places[place.body].at.pose)
        T_body_link = compose(T_body_world, link.place.at.pose)
        return BodyCollision(
            prim=place.prim,
            at=place.at,
            T_body_prim=compose(T_body_world, place.at.pose),
            shape=shape._replace(T_link_shape=compose(T_body_link, shape.T_link_shape)),
            material=self._looks.physical(place.prim),
        )

    def _raw_link(
        self, link: StageLink, shapes: Sequence[RawShape], colliders: Sequence[BodyCollision]
    ) -> RawLink:
        """Return a link with its shapes; only a body has a mass."""
        prim = link.place.prim
        line = self._line_of(prim)
        values: Values = {}
        if prim.flag("physxRigidBody:disableGravity", False):
            values["gravity"] = (0.0,)
        mass = None
        if link.is_body:
            mass = read_mass(prim, link.place.at.scale, self._units, colliders, self._notes)
            mass = mass._replace(line=line) if mass is not None else None
        else:
            # A mass in a body adds to it; a mass that no body carries would be lost.
            is_weighed = prim.loose("physics:mass") is not None and BODY not in prim.schemas
            if is_weighed and not link.place.body:
                prim.refuse("it has a mass, and is in no body")
        return RawLink(name=link.name, mass=mass, shapes=tuple(shapes), values=values, line=line)
