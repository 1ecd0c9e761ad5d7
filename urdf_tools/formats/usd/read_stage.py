"""Read the robot of a stage: of any USD with bodies and joints of UsdPhysics, whoever wrote it.

A prim that is not understood gets a note, unless motion or masses cannot be known without it. The frame of the robot is
the frame of the stage, in meters and with Z up.
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

from ...base.record_type import Record
from ...base.type_aliases import Pair
from ...base.graph_walks import depth_first
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import (
    RawActuator,
    RawJoint,
    RawLink,
    RawLoop,
    RawRobot,
    UnreadElement,
)
from ...urdf.spatial_math import (
    add,
    compose,
    IDENTITY_POSE,
    inverse,
    rotate,
    scale,
    unit,
    Vector,
    ZERO,
)
from ..reader_helpers import check_tree, closing_loops, WORLD
from .compose_stage import read_stage
from .usd_layers import LayerLoader, text_of
from .prim_tree import BODY, MASS, Prim, ROOT, SOLIDS
from .stage_joints import JointEnd, end_of, StageJointReader, kind_of, KINDS, StageJoint
from .stage_links import StageLink, StageLinkReader, path_around, StagePlace
from .stage_looks import StageLooks
from .stage_masses import MASS_PROPERTIES, StageUnits
from .prim_transforms import AXES, placed, stage_transform, transform_in, XFORMABLE

UNSAID_METERS = 0.01  # the default of metersPerUnit in USD (UsdGeomLinearUnits: centimeters)
NO_UNITS = "metersPerUnit is not said: it is 0.01 then, and nobody means that"
ROOT_ELSEWHERE = "{0} is on {1}, and engines look for it on {2}"
NO_LOSS = (
    "displayName",
    "xformOp",
)  # beginnings of names that are read, or place nothing that counts
OUTSIDE = "it is a body outside of the robot <{0}>, and a file of one robot is read here"
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
EARTH = 9.81  # m/s^2
ROUNDED_EARTH = 1e-5  # m/s^2: more than a float32 near 9.81 is off, in any unit of length
BODIES = ("physics:body0", "physics:body1")
LOOP_KINDS = {"ball": "point", "fixed": "frame"}


def read_usd_stage(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of a USD: text, crate or usdz, with all layers that it names.

    Raises:
        UrdfError: it cannot be read as one robot; a sentence with the file, and the prim or the line.
    """
    data = source.encode() if isinstance(source, str) else source
    return read_layers(LayerLoader({file: data}), file)


def read_layers(layers: LayerLoader, file: str) -> RawRobot:
    """Return the robot of a file among layers.

    Raises:
        UrdfError: as above.
    """
    top, notes, unselected = read_stage(layers, file)
    robot = _StageReader(top, layers, file, notes).robot()
    return robot._replace(unread=(*unselected, *robot.unread))


class StageJoints(Record):
    """The joints of a stage.

    Attributes:
        tree: the joints that lead away from the root. loops: all others.
        is_held: True if a joint of the tree holds the robot in the world.
    """

    tree: List[RawJoint]
    loops: List[RawLoop]
    actuators: List[RawActuator]
    is_held: bool


class _StageReader:
    """Reads the robot of a stage; each note is kept once."""

    def __init__(self, top: Prim, layers: LayerLoader, file: str, notes: Sequence[str]) -> None:
        """Read the units of a stage, and the prim of its robot."""
        self.top = top
        self.layers = layers
        self.file = file
        self.notes: List[str] = list(notes)
        self.places: Dict[str, StagePlace] = {}
        self.links: Dict[str, StageLink] = {}  # by path
        self.bodies: List[StageLink] = []
        self.roots: List[Prim] = []  # of articulations
        self.units, is_y_up = self._units()
        self.stage = stage_transform(self.units.meters, is_y_up=is_y_up)
        self.origin = placed(self.stage)
        self.root = self._robot_prim()

    def robot(self) -> RawRobot:
        """Return the robot of the stage: first the links, as joints and frames name them."""
        self._find_places()
        self._find_links()
        looks = StageLooks({path: place.prim for path, place in self.places.items()}, self.layers)
        reader = StageLinkReader(
            places=self.places,
            links=self.links,
            units=self.units,
            looks=looks,
            notes=self.notes,
            line_of=self._line,
        )
        links = reader.links()
        joints = self._joints()
        # Without a body everything is static. The note is about the root that a joint holds, and needs no such case.
        is_held = joints.is_held or not self.bodies
        links, carried = self._carry_frames(links, is_held=is_held)
        self._note_root(joints.tree, is_held=joints.is_held)
        name = self.root.true_name if self.root is not self.top else ""
        robot = RawRobot(
            format="usd",
            name=name,
            links=tuple(links),
            joints=(*joints.tree, *carried),
            loops=tuple(joints.loops),
            base="fixed" if is_held else "free",
            apart=tuple(self._apart()),
            actuators=tuple(joints.actuators),
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

    def _carry_frames(
        self, links: List[RawLink], *, is_held: bool
    ) -> Tuple[List[RawLink], List[RawJoint]]:
        """Return the links of a robot that is held in the world or free, and the joints that carry its frames."""
        frames = [link for link in self.links.values() if not link.is_body]
        carried = [joint for joint in map(self._carried, frames) if joint is not None]
        if is_held:
            if all(link.name != WORLD for link in links):
                links = [RawLink(WORLD, line=self.root.line), *links]
            return links, carried
        # A free robot has no world, so frames that no body carries are left out.
        still = {link.name for link in frames if not link.place.body}
        links = [link for link in links if link.name not in still]
        return links, [joint for joint in carried if joint.child not in still]

    def _refuse_several(self, robot: RawRobot) -> None:
        """Refuse a stage of several robots, each with a root of its own."""
        children = {joint.child for joint in robot.joints}
        root_links = {link.name for link in robot.links} - children
        if len(self.roots) < 2 or len(root_links) < 2:
            return
        # Next to the path that all roots share, a path of a root has the name of its robot.
        shared = len(commonpath([prim.path for prim in self.roots]).rstrip("/"))
        paths: List[str] = []
        for prim in self.roots:
            end = prim.path.find("/", shared + 1)
            path = prim.path[:end] if end > 0 else prim.path
            paths.append(f"<{path}>")
        names = ", ".join(paths)
        self.root.refuse(SEVERAL.format(names, os.path.basename(self.file), paths[0]))

    def _line(self, prim: Prim) -> int:
        """Return the line of a prim in the file of the robot, 0 for a prim of another file."""
        return prim.line if prim.file == self.file else 0

    def _units(self) -> Tuple[StageUnits, bool]:
        """Return the units of the stage, and True if Y is up."""
        said = self.top.said
        self.top.read.update(("metersPerUnit", "kilogramsPerUnit", "upAxis", "defaultPrim"))
        numbers = [
            self._unit("metersPerUnit", UNSAID_METERS),
            self._unit("kilogramsPerUnit", 1.0),
        ]
        if "metersPerUnit" not in said:
            self.notes.append(NO_UNITS)
        # The default of USD (UsdGeomGetFallbackUpAxis).
        up = text_of(self.top, "upAxis") or "Y"
        if up not in ("Y", "Z"):
            self.top.refuse(f"upAxis is '{up}', and is Y or Z")
        return StageUnits(*numbers), up == "Y"

    def _unit(self, key: str, default: float) -> float:
        """Return a unit of the stage, in meters or kilograms."""
        text = text_of(self.top, key)
        try:
            number = float(text or default)
        except ValueError:
            self.top.refuse(f"{key} is '{text}', which is not a number")
        if not 0.0 < number < 1e9:
            self.top.refuse(f"{key} is {number:g}, and it must be above 0")
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
        """Find the place of each prim, in the order of the file."""
        top = StagePlace(self.top, IDENTITY_POSE, self.origin)
        for prim in depth_first(self.top.children, lambda prim: prim.children):
            around = self.places.get(prim.path.rpartition("/")[0], top)
            self.places[prim.path] = self._place_in(prim, around)
            if ROOT in prim.schemas:
                self.roots.append(prim)

    def _place_in(self, prim: Prim, around: StagePlace) -> StagePlace:
        """Return the place of a prim in the prim around it."""
        T = transform_in(prim, around.T)
        if prim.type not in XFORMABLE and prim.words("xformOpOrder"):
            self.notes.append(UNPLACED.format(repr(prim), prim.type))
        is_body = BODY in prim.schemas and self._moves(prim)
        # Most prims have no transform of their own.
        at = around.at if T is around.T else placed(compose(self.stage, T))
        return StagePlace(
            prim=prim,
            T=T,
            at=at,
            body=prim.path if is_body else around.body,
            purpose=prim.word("purpose") or around.purpose,
            is_visible=around.is_visible and prim.word("visibility") != "invisible",
        )

    def _moves(self, prim: Prim) -> bool:
        """Return True for a body that is simulated; for any other body, add a note that the world holds it."""
        for name, wanted in (
            ("physics:rigidBodyEnabled", True),
            ("physics:kinematicEnabled", False),
        ):
            if prim.flag(name, wanted) is not wanted:
                self.notes.append(STILL.format(repr(prim), name, self._held_mass(prim)))
                return False
        return True

    def _held_mass(self, prim: Prim) -> str:
        """Return the part of a note on the mass of a body that the world holds, "" without a mass."""
        prim.read.update(MASS_PROPERTIES)
        mass = prim.loose_number("physics:mass") if MASS in prim.schemas else None
        return NO_WEIGHT.format(mass * self.units.kilograms) if mass else ""

    def _in_robot(self, path: str) -> bool:
        """Return True for the path of a prim of the robot; a stage without a default prim is one robot."""
        return self.root is self.top or f"{path}/".startswith(f"{self.root.path}/")

    def _find_links(self) -> None:
        """Find bodies, and the frames in them: Xforms that hold no shape, or shapes and a name that is theirs alone."""
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
            link = self.links[path] = StageLink(name, place, path_around(path, self.links))
            if is_body:
                self.bodies.append(link)

    def _is_frame(self, place: StagePlace, counts: Mapping[str, int]) -> bool:
        """Return True for an Xform that is a frame, and not a group of shapes or bodies.

        `counts` are the numbers of Xforms by name.
        """
        prim = place.prim
        if prim.type != "Xform" or prim is self.root or not self._in_robot(prim.path):
            return False
        # Names that come again, as `visuals` and `collisions` do, are names of groups.
        if prim.is_proxy or counts[prim.true_name] > 1:
            return False
        # The exporter marks frames so, as they hold no groups of shapes.
        is_marked = text_of(prim, "kind") == "subcomponent"
        holds_shapes = any(child.type in SOLIDS for child in prim.children)
        if is_marked or holds_shapes:
            prim.read.add("kind")
            return True
        return not self._is_scope(place)

    def _is_scope(self, place: StagePlace) -> bool:
        """Return True for an Xform that only orders its descendants: groups of shapes, or bodies of the robot."""
        waiting: List[Prim] = list(place.prim.children)
        while waiting:
            inner = waiting.pop()
            is_of_same_body = self.places[inner.path].body == place.body
            if is_of_same_body and inner.type in SOLIDS:
                return True
            if is_of_same_body:
                waiting += inner.children
            elif not place.body:
                # It holds bodies: directly below the robot, an Xform that moves nothing only orders them.
                is_below_robot = place.prim.path.rpartition("/")[0] == self.root.path
                return is_below_robot and _is_group(place.prim)
        return False

    def _carried(self, link: StageLink) -> Optional[RawJoint]:
        """Return the joint that holds a frame in the link around it, or in the world; None for the world itself."""
        if link.name == WORLD:
            return None
        parent = WORLD
        T_parent_child = link.place.at.pose
        around = self.links.get(link.around)
        if around is not None:
            parent = around.name
            T_parent_child = compose(inverse(around.place.at.pose), T_parent_child)
        return RawJoint(
            name=f"to {link.name}",
            type="fixed",
            parent=parent,
            child=link.name,
            T_parent_child=T_parent_child,
            line=self._line(link.place.prim),
        )

    def _joints(self) -> StageJoints:
        """Return the joints of the stage."""
        reader = StageJointReader(self.units, self.notes)
        found: List[StageJoint] = []
        # All names first, as a follower may come before its leader.
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
        drives = [reader.actuator(joint) for joint, _ in tree]
        return StageJoints(
            tree=joints,
            loops=loops,
            actuators=[drive for drive in drives if drive is not None],
            is_held=any(joint.is_at_world for joint, _ in tree),
        )

    def _joint(self, prim: Prim) -> Optional[StageJoint]:
        """Return a joint, None for a joint that does nothing."""
        prim.take()
        if prim.type not in KINDS:
            prim.refuse(f"a {prim.type} is not a joint that can be read")
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

    def _end(self, prim: Prim, number: int) -> JointEnd:
        """Return an end of a joint: the body that it names, the body around a prim that it names, or the world."""
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
        at_link: Dict[str, List[int]] = {}  # by link, the places of its joints in `found`
        for k, joint in enumerate(found):
            # A distance holds nothing at its place, so it only closes loops.
            if joint.kind != "distance" and not self._is_excluded(joint):
                for end in joint.ends:
                    at_link.setdefault(end.link, []).append(k)
        # Breadth first: joints near to the root are in the tree, and the last ones close the loops.
        for name in waiting:
            for k in at_link.get(name, ()):
                first, second = [end.link for end in found[k].ends]
                neighbor = first if name == second else second
                if neighbor not in reached:
                    chosen[k] = name == second
                    reached.add(neighbor)
                    waiting.append(neighbor)
        tree = [(found[k], chosen[k]) for k in sorted(chosen)]
        return tree, [joint for k, joint in enumerate(found) if k not in chosen]

    def _is_excluded(self, joint: StageJoint) -> bool:
        """Return True for a joint that its stage keeps out of the tree (UsdPhysicsJoint)."""
        return joint.prim.flag("physics:excludeFromArticulation", False)

    def _roots(self, found: Sequence[StageJoint]) -> List[str]:
        """Return the links to begin with: the world if it holds a robot, else a body that no joint leads to."""
        tree = [joint for joint in found if not self._is_excluded(joint)]
        if any(joint.is_at_world for joint in tree):
            return [WORLD]
        children = {joint.ends[1].link for joint in tree}
        bodies = [link.name for link in self.bodies]
        marked = [link.name for link in self.bodies if link.place.prim in self.roots]
        tops = [name for name in bodies if name not in children]
        return (marked or tops or bodies)[:1]

    def _loop(self, joint: StageJoint, reader: StageJointReader) -> RawLoop:
        """Return a joint that is not in the tree as a loop."""
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

    def _note_root(self, joints: Sequence[RawJoint], *, is_held: bool) -> None:
        """Note where engines find another root: the prim of the robot if it is fixed, else its root body."""
        children = {joint.child for joint in joints}
        first = [link.place.prim for link in self.bodies if link.name not in children]
        wanted = [self.root] if is_held else first[:1]
        if self.roots != wanted and self.bodies:
            found_names = ", ".join(map(repr, self.roots)) or "no prim"
            wanted_names = ", ".join(map(repr, wanted)) or "no prim"
            self.notes.append(ROOT_ELSEWHERE.format(ROOT, found_names, wanted_names))

    def _apart(self) -> Iterator[Pair]:
        """Yield the pairs of links that never collide, by bodies or by their shapes."""
        seen: Set[Pair] = set()
        for place in self.places.values():
            if "PhysicsFilteredPairsAPI" not in place.prim.schemas:
                continue
            for target in place.prim.targets("physics:filteredPairs"):
                ends = (place, self.places.get(target))
                pair = [self.links[end.body].name for end in ends if end and end.body]
                if len(pair) < 2 or pair[0] == pair[1]:
                    self.notes.append(
                        f"{place.prim!r} is filtered from <{target}>, which is no body"
                    )
                elif (pair[1], pair[0]) not in seen:
                    seen.add((pair[0], pair[1]))
                    yield pair[0], pair[1]

    def _gravity(self) -> Optional[Vector]:
        """Return the gravity of a scene that is alone, None without one."""
        scenes = [
            place.prim.take() for place in self.places.values() if place.prim.type == "PhysicsScene"
        ]
        # The numbers are read of several scenes, too, so that they do not count as unread.
        directions = [scene.numbers("physics:gravityDirection", 3) for scene in scenes]
        magnitudes = [scene.loose_number("physics:gravityMagnitude") for scene in scenes]
        if len(scenes) != 1:
            return None
        (direction,) = directions
        (magnitude,) = magnitudes
        if direction is None and magnitude is None:
            return None
        down: Vector = (0.0, 0.0, -1.0)
        # UsdPhysicsScene: a zero direction means down, and a negative magnitude the gravity of the earth.
        if direction is not None and any(direction):
            down = unit(rotate(self.stage.rotation, vector_of(direction)))
        length = EARTH
        if magnitude is not None and magnitude >= 0.0:
            length = magnitude * self.units.meters
        if abs(length - EARTH) < ROUNDED_EARTH:
            length = EARTH
        return add(scale(length, down), ZERO)  # without -0.0


def _name_of_path(path: str, names: Container[str]) -> str:
    """Return a name for a prim whose own name is taken: its whole path, which is free among the names."""
    name = path[1:].replace("/", "_")
    free_name = name
    count = 1
    while free_name in names:
        count += 1
        free_name = f"{name}_{count}"
    return free_name


def _is_group(prim: Prim) -> bool:
    """Return True for a prim that only orders its children: it has no transform of its own."""
    return not any(name.startswith("xformOp") for name in prim.properties)


def unread_by_kind(top: Prim, line_of: Callable[[Prim], int]) -> Iterator[UnreadElement]:
    """Yield an entry for each type of prims that is unread, and for each unread property of prims that are read."""
    prims_of: Dict[str, List[Prim]] = {}  # by the words for a type or a property

    def children_of(prim: Prim) -> List[Prim]:
        """Return the children; the type of an unread prim stands for all in it."""
        return [] if _is_unread(prim) else prim.children

    for prim in depth_first([top], children_of):
        if _is_unread(prim):
            prims_of.setdefault(f"the {prim.type}", []).append(prim)
        elif prim.taken:
            for name in (*prim.properties, *prim.said):
                if name not in prim.read and not name.startswith(NO_LOSS):
                    prims_of.setdefault(name, []).append(prim)
    for words, prims in prims_of.items():
        more = f" and {len(prims) - 1} more" if len(prims) > 1 else ""
        yield UnreadElement(f"{prims[0]!r}{more}", words, line_of(prims[0]))


def _is_unread(prim: Prim) -> bool:
    """Return True for a prim that nothing has read, and that is more than a group."""
    return not prim.taken and prim.type not in ("", "Scope", "Xform")
