"""Read the robot of a stage: of any USD with bodies and joints of UsdPhysics, whoever wrote it.

What is not understood is a note with its prim, unless motion or masses cannot be known without it. The frame of the
robot is that of the stage, in meters and with Z up.
"""

from __future__ import annotations

import os
from collections import Counter
from posixpath import commonpath
from typing import (
    Callable,
    Container,
    Dict,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from ...base.number_text import grouped
from ...base.record import Record
from ...base.types import Pair, Reals
from ...robot.principal_axes import vector_of
from ...robot.records import (
    RawActuator,
    RawJoint,
    RawLink,
    RawLoop,
    RawRobot,
    RawShape,
    Unread,
    Values,
)
from ...urdf.spatial import (
    add,
    compose,
    IDENTITY_POSE,
    inverse,
    Pose,
    rotate,
    scale,
    unit,
    Vector,
    ZERO,
)
from ..reading import check_tree, closing_loops, WORLD
from .compose import read_stage
from .layers import Layers, text_of
from .read_prims import BODY, MASS, Prim, ROOT, SOLIDS
from .stage_joints import End, end_of, JointReader, kind_of, KINDS, StageJoint
from .stage_looks import StageLooks
from .stage_masses import Collider, MASS_PROPERTIES, read_mass, Units
from .stage_shapes import COLLIDES, shapes_of, SIZES
from .transforms import AXES, Placed, placed, stage_transform, transform_in, XFORMABLE

UNSAID_METERS = 0.01  # what USD takes for metersPerUnit where nothing is said
NO_UNITS = "metersPerUnit is not said: it is 0.01 then, and nobody means that"
ROOT_ELSEWHERE = "{0} is on {1}, and engines look for it on {2}"
NO_LOSS = ("displayName", "xformOp")  # beginnings of what is read, or places nothing that counts
HIDDEN = ("guide", "proxy")
# They are drawn, and are no solid.
LINES = ("BasisCurves", "NurbsCurves", "Points", "HermiteCurves")
NOT_A_SOLID = "a {0} is no shape that is read here: its robot would lose it"
OUTSIDE = "it is a body outside of the robot <{0}>, and a file of one robot is read here"
SCENERY = "{0} and {1} more are shapes that no body carries: a part of the scene"
SEVERAL = (
    "it holds several robots ({0}), and one is read: name a file beside it that has one alone, with the "
    'units of this one, its own defaultPrim, and `def "robot" (references = @{1}@{2})`'
)
NO_JOINT = "{0} joins nothing that moves"
OFF = "{0} is switched off"
SHEARED = "{0} is a frame that is sheared or flat: it is read as the nearest frame that is not"
STILL = "{0} does not move by itself ({1}): it is taken for the world{2}"
NO_WEIGHT = ", and its mass of {0:g} kg weighs nothing"
UNPLACED = (
    "{0} has xformOps, which move nothing: a prim of the type '{1}' has no place of its own in USD"
)
LOOPED = "{0} closes a loop: all but the joints of the tree are loops"
EARTH = 9.81
BODIES = ("physics:body0", "physics:body1")
LOOP_KINDS = {"ball": "point", "fixed": "frame"}


class Place(Record):
    """A prim and where it is.

    Attributes:
        T: its transform in the units and axes of the stage. at: the same in meters with Z up.
        body: path of the body that it is in, or is; "" for none.
        purpose, is_visible: what it says of them, or the prim around it.
    """

    prim: Prim
    T: Pose
    at: Placed
    body: str = ""
    purpose: str = ""
    is_visible: bool = True

    @property
    def is_drawn(self) -> bool:
        """False where a purpose or a visibility hides it."""
        return self.is_visible and self.purpose not in HIDDEN


class Link(Record):
    """A link: a body, or a frame in one; its pose in the world, the path of the body or link around it."""

    name: str
    place: Place
    around: str

    @property
    def path(self) -> str:
        """Where its prim is."""
        return self.place.prim.path


def read_usd_stage(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of a USD: text, crate or usdz, with all layers that it names.

    Raises:
        UrdfError: it cannot be read as one robot; a sentence with the file, and the prim or the line.
    """
    data = source.encode() if isinstance(source, str) else source
    return read_layers(Layers({file: data}), file)


def read_layers(layers: Layers, file: str) -> RawRobot:
    """Return the robot of a file among layers.

    Raises:
        UrdfError: as above.
    """
    top, notes, unselected = read_stage(layers, file)
    robot = _Reader(top, layers, file, notes).robot()
    return robot._replace(unread=(*unselected, *robot.unread))


class _Reader:
    """Reads the robot of a stage; notes are kept once for each kind."""

    def __init__(self, top: Prim, layers: Layers, file: str, notes: Sequence[str]) -> None:
        self.top, self.layers, self.file = top, layers, file
        self.notes: List[str] = list(notes)
        self.places: Dict[str, Place] = {}
        self.links: Dict[str, Link] = {}  # by path
        self.bodies: List[Link] = []
        self.roots: List[Prim] = []  # of articulations
        self.units, is_y_up = self._units()
        self.stage = stage_transform(self.units.meters, is_y_up=is_y_up)
        self.origin = placed(self.stage)
        self.root = self._robot_prim()

    def robot(self) -> RawRobot:
        """Return the robot."""
        self._find_places()
        self._find_links()
        looks = StageLooks({path: place.prim for path, place in self.places.items()}, self.layers)
        links = self._raw_links(looks)
        joints, loops, actuators, held = self._joints()
        frames = [link for link in self.links.values() if not self._is_body(link)]
        carried = [joint for joint in map(self._carried, frames) if joint is not None]
        # Without a body everything is static.
        is_held = held or not self.bodies
        if is_held and all(link.name != WORLD for link in links):
            links.insert(0, RawLink(WORLD, line=self.root.line))
        elif not is_held:
            # A free robot has no world, so frames that no body carries are left out.
            still = {link.name for link in frames if not link.place.body}
            links = [link for link in links if link.name not in still]
            carried = [joint for joint in carried if joint.child not in still]
        self._root_notes(joints, is_held=held)
        robot = RawRobot(
            "usd",
            self.root.true_name if self.root is not self.top else "",
            tuple(links),
            (*joints, *carried),
            loops=tuple(loops),
            base="fixed" if is_held else "free",
            apart=tuple(self._apart()),
            actuators=tuple(actuators),
            gravity=self._gravity(),
            file=self.file,
        )
        self._refuse_several(robot)
        root = check_tree(robot)
        poses = {link.name: link.place.at.pose for link in self.links.values()}
        return robot._replace(
            loops=(*robot.loops, *closing_loops(robot)),
            T_file_root=poses.get(root, IDENTITY_POSE),
            unread=tuple(unread_by_kind(self.top, self._line)),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def _refuse_several(self, robot: RawRobot) -> None:
        """Refuse a stage of several robots, each with a root of its own."""
        below = {joint.child for joint in robot.joints}
        roots = self.roots
        if len(roots) > 1 and len({link.name for link in robot.links} - below) > 1:
            # The first name below what all roots share is that of a robot.
            around = len(commonpath([prim.path for prim in roots]).rstrip("/"))
            ends = [prim.path.find("/", around + 1) for prim in roots]
            paths = [f"<{prim.path[: end if end > 0 else None]}>" for prim, end in zip(roots, ends)]
            self.root.refuse(
                SEVERAL.format(", ".join(paths), os.path.basename(self.file), paths[0])
            )

    def _line(self, prim: Prim) -> int:
        """Return the line of a prim, 0 for one of another file: lines are those of the file of the robot."""
        return prim.line if prim.file == self.file else 0

    def _units(self) -> Tuple[Units, bool]:
        said = self.top.said
        self.top.read.update(("metersPerUnit", "kilogramsPerUnit", "upAxis", "defaultPrim"))
        numbers = [
            self._unit("metersPerUnit", UNSAID_METERS),
            self._unit("kilogramsPerUnit", 1.0),
        ]
        if "metersPerUnit" not in said:
            self.notes.append(NO_UNITS)
        # Y is what USD takes where nothing is said.
        up = text_of(self.top, "upAxis") or "Y"
        if up not in ("Y", "Z"):
            self.top.refuse(f"upAxis is '{up}', and is Y or Z")
        return Units(*numbers), up == "Y"

    def _unit(self, key: str, default: float) -> float:
        text = text_of(self.top, key)
        try:
            number = float(text or default)
        except ValueError:
            self.top.refuse(f"{key} is '{text}', which is no number")
        if not 0.0 < number < 1e9:
            self.top.refuse(f"{key} is {number:g}, which is no unit")
        return number

    def _robot_prim(self) -> Prim:
        """Return the prim that the layer names as its own, or the stage itself."""
        name = text_of(self.top, "defaultPrim")
        for prim in self.top.children:
            if prim.name == name:
                prim.read.update(("assetInfo", "kind"))
                return prim
        if name:
            self.top.refuse(f"there is no prim '{name}', which it names as its default prim")
        return self.top

    def _find_places(self) -> None:
        """Find where each prim is, in the order of the file."""
        top = Place(self.top, IDENTITY_POSE, self.origin)
        waiting = [(prim, top) for prim in reversed(self.top.children)]
        while waiting:
            prim, around = waiting.pop()
            T = transform_in(prim, around.T)
            if prim.type not in XFORMABLE and prim.words("xformOpOrder"):
                self.notes.append(UNPLACED.format(repr(prim), prim.type))
            is_body = BODY in prim.schemas and self._moves(prim)
            place = self.places[prim.path] = Place(
                prim=prim,
                T=T,
                at=around.at if T is around.T else placed(compose(self.stage, T)),
                body=prim.path if is_body else around.body,
                purpose=prim.word("purpose") or around.purpose,
                is_visible=around.is_visible and prim.word("visibility") != "invisible",
            )
            if ROOT in prim.schemas:
                self.roots.append(prim)
            waiting += [(child, place) for child in reversed(prim.children)]

    def _moves(self, prim: Prim) -> bool:
        """Return True for a body that is simulated."""
        for name, wanted in (
            ("physics:rigidBodyEnabled", True),
            ("physics:kinematicEnabled", False),
        ):
            if prim.flag(name, wanted) is not wanted:
                self.notes.append(STILL.format(repr(prim), name, self._held_mass(prim)))
                return False
        return True

    def _held_mass(self, prim: Prim) -> str:
        """Return what a note says of the mass of a body that the world holds; its numbers are read."""
        prim.read.update(MASS_PROPERTIES)
        mass = prim.loose_number("physics:mass") if MASS in prim.schemas else None
        return NO_WEIGHT.format(mass * self.units.kilograms) if mass else ""

    def _is_body(self, link: Link) -> bool:
        return link.place.body == link.path

    def _in_robot(self, path: str) -> bool:
        return self.root is self.top or f"{path}/".startswith(f"{self.root.path}/")

    def _find_links(self) -> None:
        """Find bodies, and the frames in them: Xforms that hold no shape, or shapes and a name of their own."""
        names: Set[str] = set()
        prims = [place.prim for place in self.places.values()]
        counts = Counter(
            prim.true_name for prim in prims if prim.type == "Xform" and prim is not self.root
        )
        for path, place in self.places.items():
            is_body = place.body == path
            if is_body and not self._in_robot(path):
                place.prim.refuse(OUTSIDE.format(self.root.path))
            if is_body and place.at.is_sheared:
                place.prim.refuse("it is a body, and sheared or flat")
            if not is_body and not self._is_frame(place, counts):
                continue
            name = place.prim.true_name
            if name in names:
                name = _name_of_path(path, names)
            names.add(name)
            if place.at.is_sheared:
                self.notes.append(SHEARED.format(repr(place.prim)))
            place.prim.take()
            link = self.links[path] = Link(name, place, self._around(path))
            if is_body:
                self.bodies.append(link)

    def _is_frame(self, place: Place, counts: Mapping[str, int]) -> bool:
        prim = place.prim
        if prim.type != "Xform" or prim is self.root or not self._in_robot(prim.path):
            return False
        if prim.is_proxy or counts[prim.true_name] > 1:
            return False
        # The exporter marks frames so, as they are no groups of shapes.
        is_said = text_of(prim, "kind") == "subcomponent"
        if is_said or any(child.type in SOLIDS for child in prim.children):
            prim.read.add("kind")
            return True
        waiting: List[Prim] = list(prim.children)
        while waiting:
            inner = waiting.pop()
            if self.places[inner.path].body == place.body:
                if inner.type in SOLIDS:
                    return False  # it holds groups of shapes
                waiting += inner.children
            elif not place.body:
                return prim.path.rpartition("/")[0] != self.root.path or not _is_group(prim)
        return True

    def _around(self, path: str) -> str:
        """Return the path of the link that a prim is in, "" for none."""
        path = path.rpartition("/")[0]
        while path and path not in self.links:
            path = path.rpartition("/")[0]
        return path

    def _raw_links(self, looks: StageLooks) -> List[RawLink]:
        shapes: Dict[str, List[RawShape]] = {}
        colliders: Dict[str, List[Collider]] = {}
        scenery: List[str] = []
        for path, place in self.places.items():
            prim = place.prim
            if prim.type not in SOLIDS or prim.type in LINES:
                continue
            # A body may be a shape itself.
            holder = path if path in self.links else self._around(path)
            if not holder:
                scenery.append(repr(prim.take()))
                continue
            link = self.links[holder]
            found = self._shapes(place, link, looks)
            shapes.setdefault(holder, []).extend(found)
            for shape in found:
                if place.body and shape.role == "collision":
                    collider = self._collider(place, link, shape, looks)
                    colliders.setdefault(place.body, []).append(collider)
        if scenery:
            self.notes.append(SCENERY.format(scenery[0], len(scenery) - 1))
        return [
            self._raw_link(link, shapes.get(path, ()), colliders.get(path, ()))
            for path, link in self.links.items()
        ]

    def _collider(self, place: Place, link: Link, shape: RawShape, looks: StageLooks) -> Collider:
        """Return a collision of a link as the body around that weighs it."""
        T_body_world = inverse(self.places[place.body].at.pose)
        T_body_link = compose(T_body_world, link.place.at.pose)
        return Collider(
            prim=place.prim,
            at=place.at,
            T_body_prim=compose(T_body_world, place.at.pose),
            shape=shape._replace(T_link_shape=compose(T_body_link, shape.T_link_shape)),
            material=looks.physical(place.prim),
        )

    def _shapes(self, place: Place, link: Link, looks: StageLooks) -> List[RawShape]:
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
            looks,
            self.notes,
            is_drawn=place.is_drawn,
        )
        return [shape._replace(line=self._line(prim)) for shape in shapes]

    def _raw_link(
        self, link: Link, shapes: Sequence[RawShape], colliders: Sequence[Collider]
    ) -> RawLink:
        prim = link.place.prim
        line = self._line(link.place.prim)
        values: Values = {}
        if prim.flag("physxRigidBody:disableGravity", False):
            values["gravity"] = (0.0,)
        if not self._is_body(link):
            is_weighed = prim.loose("physics:mass") is not None and BODY not in prim.schemas
            if is_weighed and not link.place.body:
                prim.refuse("it has a mass, and is in no body")
            return RawLink(
                name=link.name, mass=None, shapes=tuple(shapes), values=values, line=line
            )
        mass = read_mass(prim, link.place.at.scale, self.units, colliders, self.notes)
        if mass is not None:
            mass = mass._replace(line=line)
        return RawLink(name=link.name, mass=mass, shapes=tuple(shapes), values=values, line=line)

    def _carried(self, link: Link) -> Optional[RawJoint]:
        """Return the joint that holds a frame in the link around it, or in the world."""
        if link.name == WORLD:
            return None
        T = link.place.at.pose
        around = self.links.get(link.around)
        if around is not None:
            T = compose(inverse(around.place.at.pose), T)
        holder = around.name if around is not None else WORLD
        return RawJoint(
            name=f"to {link.name}",
            type="fixed",
            parent=holder,
            child=link.name,
            T_parent_child=T,
            line=self._line(link.place.prim),
        )

    def _joints(self) -> Tuple[List[RawJoint], List[RawLoop], List[RawActuator], bool]:
        """Return the joints of the tree, those that close loops, the drives, and True if the world holds the robot."""
        reader = JointReader(self.units, self.notes)
        found: List[StageJoint] = []
        names: Set[str] = set()
        for path, place in self.places.items():
            prim = place.prim
            is_joint = prim.type.startswith("Physics") and prim.type.endswith("Joint")
            joint = self._joint(prim) if is_joint else None
            if joint is None:
                continue
            name = prim.true_name
            if name in names and "displayName" not in prim.said:
                name = _name_of_path(path, names)
            reader.names[path] = name
            names.add(name)
            found.append(joint)
        tree, closing = self._spread(found)
        joints = [
            reader.read(joint, is_turned=is_turned, line=self._line(joint.prim))
            for joint, is_turned in tree
        ]
        loops = [self._loop(joint, reader) for joint in closing]
        actuators = [reader.actuator(joint) for joint, _ in tree]
        held = any(WORLD in (joint.ends[0].link, joint.ends[1].link) for joint, _ in tree)
        return joints, loops, [each for each in actuators if each is not None], held

    def _joint(self, prim: Prim) -> Optional[StageJoint]:
        """Return a joint, None for one that does nothing."""
        prim.take()
        if prim.type not in KINDS:
            prim.refuse(f"a {prim.type} is no joint that is read here")
        ends = [self._end(prim, number) for number in range(2)]
        if not prim.flag("physics:jointEnabled", True):
            self.notes.append(OFF.format(repr(prim)))
            return None
        if ends[0].link == ends[1].link == WORLD and any(map(prim.targets, BODIES)):
            return None  # a body that stands for the world
        if ends[0].link == ends[1].link:
            self.notes.append(NO_JOINT.format(repr(prim)))
            return None
        kind, axis, degree = kind_of(prim)
        return StageJoint(prim=prim, kind=kind, ends=(ends[0], ends[1]), axis=axis, degree=degree)

    def _end(self, prim: Prim, number: int) -> End:
        """Return an end of a joint: what it names, or the body around that, or the world."""
        name = BODIES[number]
        targets = prim.targets(name)
        if len(targets) > 1:
            prim.refuse(f"{name} names several prims")
        if name in prim.cut_off:
            prim.refuse(f"{name} leads out of what is brought in")
        if not targets:
            return end_of(prim, number, self.origin, WORLD, IDENTITY_POSE)
        place = self.places.get(targets[0])
        if place is None:
            prim.refuse(f"it joins <{targets[0]}>, which is not there")
        if not place.body:
            return end_of(prim, number, place.at, WORLD, IDENTITY_POSE)
        body = self.links[place.body]
        return end_of(prim, number, place.at, body.name, body.place.at.pose)

    def _spread(
        self, found: Sequence[StageJoint]
    ) -> Tuple[List[Tuple[StageJoint, bool]], List[StageJoint]]:
        """Return the joints that lead away from the root, each with True if body1 is its parent, and all others."""
        chosen: Dict[int, bool] = {}
        waiting = self._roots(found)
        reached = set(waiting)
        at_link = grouped(
            (end.link, k)
            for k, joint in enumerate(found)
            if joint.kind != "distance" and not self._is_excluded(joint)
            for end in joint.ends
        )
        # Breadth first: joints near to the root are in the tree, and the last ones close the loops.
        for name in waiting:
            for k in at_link.get(name, ()):
                first, second = [end.link for end in found[k].ends]
                other = first if name == second else second
                if other not in reached:
                    chosen[k] = name == second
                    reached.add(other)
                    waiting.append(other)
        tree = [(found[k], chosen[k]) for k in sorted(chosen)]
        return tree, [joint for k, joint in enumerate(found) if k not in chosen]

    def _is_excluded(self, joint: StageJoint) -> bool:
        return joint.prim.flag("physics:excludeFromArticulation", False)

    def _roots(self, found: Sequence[StageJoint]) -> List[str]:
        """Return the links to begin with: the world if it holds a robot, else a body that no joint leads to."""
        tree = [joint for joint in found if not self._is_excluded(joint)]
        if any(WORLD in (joint.ends[0].link, joint.ends[1].link) for joint in tree):
            return [WORLD]
        below = {joint.ends[1].link for joint in tree}
        every = [link.name for link in self.bodies]
        marked = [link.name for link in self.bodies if link.place.prim in self.roots]
        return (marked or [name for name in every if name not in below] or every)[:1]

    def _loop(self, joint: StageJoint, reader: JointReader) -> RawLoop:
        if not self._is_excluded(joint):
            self.notes.append(LOOPED.format(repr(joint.prim)))
        first, second = joint.ends
        axis: Optional[Vector] = None
        if joint.axis:
            axis = rotate(first.T_link_frame.rotation, AXES[joint.axis])
        return RawLoop(
            name=reader.names[joint.prim.path],
            kind=LOOP_KINDS.get(joint.kind, joint.kind),
            links=(first.link, second.link),
            T_link_end=(first.T_link_frame, second.T_link_frame),
            line=self._line(joint.prim),
            axis=axis,
        )

    def _root_notes(self, joints: Sequence[RawJoint], *, is_held: bool) -> None:
        """Note where engines find another root: the prim of the robot if it is fixed, else its root body."""
        children = {joint.child for joint in joints}
        first = [link.place.prim for link in self.bodies if link.name not in children]
        wanted = [self.root] if is_held else first[:1]
        if self.roots != wanted and self.bodies:
            names = [", ".join(map(repr, prims)) or "no prim" for prims in (self.roots, wanted)]
            self.notes.append(ROOT_ELSEWHERE.format(ROOT, *names))

    def _apart(self) -> Iterator[Pair]:
        """Yield the pairs of links that never collide, by bodies or by their shapes."""
        seen: Set[Pair] = set()
        for place in self.places.values():
            if "PhysicsFilteredPairsAPI" not in place.prim.schemas:
                continue
            for target in place.prim.targets("physics:filteredPairs"):
                other = self.places.get(target)
                pair = [self.links[end.body].name for end in (place, other) if end and end.body]
                if len(pair) < 2 or pair[0] == pair[1]:
                    self.notes.append(
                        f"{place.prim!r} is filtered from <{target}>, which is no body"
                    )
                elif (pair[1], pair[0]) not in seen:
                    seen.add((pair[0], pair[1]))
                    yield pair[0], pair[1]

    def _gravity(self) -> Optional[Vector]:
        """Return the gravity of a scene that is alone, None without one."""
        said: List[Tuple[Optional[Reals], Optional[float]]] = []
        for place in self.places.values():
            if place.prim.type == "PhysicsScene":
                scene = place.prim.take()
                direction = scene.numbers("physics:gravityDirection", 3)
                said.append((direction, scene.loose_number("physics:gravityMagnitude")))
        if len(said) != 1 or said[0] == (None, None):
            return None
        direction, size = said[0]
        down: Vector = (0.0, 0.0, -1.0)
        if direction is not None and any(direction):
            down = unit(rotate(self.stage.rotation, vector_of(direction)))
        # UsdPhysics: a negative magnitude is that of the earth.
        length = EARTH if size is None or size < 0.0 else size * self.units.meters
        if abs(length - EARTH) < 1e-5:  # it is a float32
            length = EARTH
        return add(scale(length, down), ZERO)  # without -0.0


def _name_of_path(path: str, names: Container[str]) -> str:
    """Return a name for a prim whose own name another prim has: its whole path, which is free among the names."""
    made = name = path[1:].replace("/", "_")
    count = 1
    while made in names:
        count += 1
        made = f"{name}_{count}"
    return made


def _is_group(prim: Prim) -> bool:
    """Return True for a prim that only orders others: it says nothing of its own."""
    return not any(name.startswith("xformOp") for name in prim.properties)


def unread_by_kind(top: Prim, line_of: Callable[[Prim], int]) -> Iterator[Unread]:
    """Yield what is unread, once for each type of prims, and for each property of prims that are read."""
    kinds: Dict[str, List[Prim]] = {}
    waiting: List[Prim] = [top]
    while waiting:
        prim = waiting.pop()
        if prim.taken:
            for name in (*prim.properties, *prim.said):
                if name not in prim.read and not name.startswith(NO_LOSS):
                    kinds.setdefault(name, []).append(prim)
        elif prim.type not in ("", "Scope", "Xform"):
            kinds.setdefault(f"{prim.type} ", []).append(prim)
            continue
        waiting += reversed(prim.children)
    for name, prims in kinds.items():
        more = f" and {len(prims) - 1} more" if len(prims) > 1 else ""
        what = f"the {name.strip()}" if name.endswith(" ") else name
        yield Unread(f"{prims[0]!r}{more}", what, line_of(prims[0]))
