"""Read the JSON of an armature for the comparison: bones move in channels and carry links.

A bone's rest frame has its origin at the head and Y toward the tail; channel k of it moves along, or turns about, an
axis of that frame with a sign. `rotation_mode` names the innermost rotation first, so the joints of a bone are
chained in the reverse order.
"""

import json
from math import inf
from typing import (
    Any,
    Dict,
    FrozenSet,
    Iterator,
    List,
    Mapping,
    NoReturn,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ...base.errors import BrokenRobot
from ...base.number_text import count_of, LARGEST
from ...base.record import Record
from ...robot.records import (
    JOINT_TYPES,
    NOT_READ,
    RawJoint,
    RawLink,
    RawMass,
    RawMimic,
    RawRobot,
    RawShape,
    Unread,
)
from ...urdf.spatial import dot, IDENTITY, Matrix, Pose, Vector
from ...verify.rigid_motion import composed
from ..reading import check_tree, inverse_of, unit_of

NUMBERS: FrozenSet[type] = frozenset((int, float))  # of JSON; True and False are no numbers


class Object:
    """An object of JSON, and its path, such as `links[3].inertial`."""

    def __init__(self, values: Any, where: str, file: str) -> None:
        self.values: Dict[str, Any] = values
        self.where, self.file = where, file
        self.read: Dict[str, List[Object]] = {}
        if not isinstance(values, dict):
            self.refuse("this is not an object")

    def refuse(self, sentence: str) -> NoReturn:
        """Refuse the file for this object.

        Raises:
            BrokenRobot: always.
        """
        raise BrokenRobot(f"{self.where or 'the file'}: {sentence}", self.file)

    def take(self, *keys: str) -> None:
        """Say that keys are read."""
        for key in keys:
            self.read.setdefault(key, [])

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value as it is, the default without it."""
        self.take(key)
        value = self.values.get(key)
        return default if value is None else value

    def text(self, key: str, default: Optional[str] = None) -> str:
        """Return a text.

        Raises:
            BrokenRobot: it is none, or it is not there and has no default.
        """
        value = self.get(key, default)
        if not isinstance(value, str):
            self.refuse(f"'{key}' is not a text")
        return value

    def number(
        self, key: str, default: Optional[float] = None, largest: float = LARGEST
    ) -> Optional[float]:
        """Return a number, the default without it."""
        value = self.get(key, default)
        return None if value is None else self.checked(key, (value,), largest)[0]

    def checked(
        self, key: str, values: Sequence[Any], largest: float = LARGEST
    ) -> Tuple[float, ...]:
        """Return the numbers that values are.

        Raises:
            BrokenRobot: a value is no number, or beyond `largest`.
        """
        if not NUMBERS.issuperset(map(type, values)):
            self.refuse(
                f"'{key}' is not {'a number' if len(values) == 1 else count_of(len(values))}"
            )
        try:
            numbers = tuple(map(float, values))
        except OverflowError:
            numbers = (inf,)
        return (
            numbers
            if all(abs(number) <= largest for number in numbers)
            else self.refuse(f"'{key}' has too large a number")
        )

    def numbers(
        self, key: str, count: int, default: Optional[Tuple[float, ...]] = None
    ) -> Tuple[float, ...]:
        """Return `count` numbers, or the default where the key is missing."""
        values = self.get(key)
        if values is None and default is not None:
            return default
        if not isinstance(values, list) or len(values) != count:
            self.refuse(f"'{key}' is not {count_of(count)}")
        return self.checked(key, values)

    def inside(self, key: str) -> "Optional[Object]":
        """Return the object at a key, or None."""
        value = self.get(key)
        if value is None:
            return None
        self.read[key] = [Object(value, f"{self.where}.{key}".lstrip("."), self.file)]
        return self.read[key][0]

    def all(self, key: str) -> "List[Object]":
        """Return the objects of the list at a key."""
        values = self.get(key, [])
        if not isinstance(values, list):
            self.refuse(f"'{key}' is not a list")
        self.read[key] = [
            Object(value, f"{self.where}.{key}[{index}]".lstrip("."), self.file)
            for index, value in enumerate(values)
        ]
        return self.read[key]

    def unread(self) -> Iterator[Unread]:
        """Yield the keys that no reader asked for, here and below.

        Raises:
            BrokenRobot: one holds objects, and each object that is known is a part of the robot.
        """
        for key, value in self.values.items():
            if key not in self.read:
                if any(
                    isinstance(part, dict)
                    for part in (value, *(value if isinstance(value, list) else ()))
                ):
                    self.refuse(
                        f"'{key}' holds objects that are not read: what they mean for the robot is not known"
                    )
                yield Unread(f"{self.where}.{key}".lstrip("."), NOT_READ)
            for inner in self.read.get(key, ()):
                yield from inner.unread()


def read_object(source: Union[str, bytes], file: str) -> Object:
    """Return the object that a text is.

    Raises:
        BrokenRobot: it is not JSON, holds a number that is not finite, or is no object.
    """

    def refuse(word: str) -> float:
        raise ValueError(f"{word} is not a finite number")

    try:
        return Object(json.loads(source, parse_constant=refuse), "", file)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        reason = (
            error.msg
            if isinstance(error, json.JSONDecodeError)
            else ("it is nested too deep" if isinstance(error, RecursionError) else str(error))
        )
        raise BrokenRobot(f"this is not valid JSON: {reason}", file, line) from None


FORMAT = 1
LETTERS = "XYZ"
CHANNELS = {"revolute": "rotation_euler", "continuous": "rotation_euler", "prismatic": "location"}
DOF = (
    "joint",
    "type",
    "channel",
    "index",
    "axis",
    "sign",
    "lower",
    "upper",
    "effort",
    "velocity",
    "damping",
    "friction",
    "mimic",
)
SHAPES = {"box": 3, "cylinder": 2, "capsule": 2}
DRAWN = (
    "tail",
    "roll",
    "x_axis",
    "length",
    "tail_from",
)  # for the eye, or what Blender needs; `_axes` reads some
KNOWN = (
    "tool",
    "object",
    "urdf",
    "joint_order",
    "static_frames",
    "warnings",
)  # of the file, not of the robot


class _Body(Record):
    """The body that a joint moves: the name of its link, and T_root_link at zero."""

    name: str
    T_root: Pose


def read_armature(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of an armature's JSON.

    Raises:
        UrdfError: it is not such JSON, or not one robot.
    """
    top = read_object(source, file)
    if top.get("format") != FORMAT:
        top.refuse(f"this is not JSON of an armature: 'format' is not {FORMAT}")
    entries = {link.text("name"): link for link in top.all("links")}
    if len(entries) < len(top.read["links"]):
        top.refuse("two links have one name")
    T_root = {name: _pose(link) for name, link in entries.items()}
    bodies: Dict[str, _Body] = {}
    joints: List[RawJoint] = []
    made: List[RawLink] = []
    bones = top.all("bones")
    helpers = {(bone.text("of"), len(bone.all("dofs"))): bone for bone in bones if bone.get("of")}
    for helper in helpers.values():
        for dof in helper.read["dofs"]:  # those of the bone it follows
            dof.take(*DOF)
    for bone in bones:
        name = bone.text("name")
        bone.take(*DRAWN, "parent", "head", "rotation_mode", "link", "of", "dofs")
        if bone.text("kind") == "root":
            link = bone.text("link")
            bodies[name] = _Body(
                link, T_root.get(link) or bone.refuse(f"link '{link}' is not there")
            )
        elif bone.text("kind") == "joint":
            parent = bodies.get(bone.text("parent")) or bone.refuse(
                "its parent is no bone before it"
            )
            _read_bone(bone, parent, helpers, T_root, bodies, joints, made)
    links = [*(_link(link) for link in entries.values()), *made]
    by_child = {joint.child for joint in joints}
    root = next((body.name for body in bodies.values() if body.name not in by_child), "")
    for name, entry in entries.items():
        carrier = entry.get("bone")
        if name in by_child or name == root or carrier is None:
            continue
        holder = bodies.get(str(carrier)) or entry.refuse(f"'{carrier}' is no bone")
        joints.append(
            RawJoint(
                f"to {name}",
                "fixed",
                holder.name,
                name,
                composed(inverse_of(holder.T_root), T_root[name]),
            )
        )
    bare = [
        name for name, link in entries.items() if link.get("bone") is None and name not in by_child
    ]
    top.take(*KNOWN)
    robot = RawRobot(
        "armature",
        top.text("robot"),
        tuple(link for link in links if link.name not in bare),
        tuple(joints),
        file=file,
        notes=tuple(f"link '{name}' is in no bone: where it moves is not said" for name in bare),
    )
    check_tree(robot)
    return robot._replace(unread=tuple(top.unread()))


def _read_bone(
    bone: Object,
    parent: _Body,
    helpers: Mapping[Tuple[str, int], Object],
    T_root: Mapping[str, Pose],
    bodies: Dict[str, _Body],
    joints: List[RawJoint],
    made: List[RawLink],
) -> None:
    """Read the joints of a bone, from the outermost in; links between them have a helper bone, or are made up."""
    name, dofs = bone.text("name"), bone.all("dofs")
    groups: List[List[Object]] = []
    for dof in dofs:  # the channels of a planar or floating joint belong together
        if groups and groups[-1][0].text("joint") == dof.text("joint"):
            groups[-1].append(dof)
        else:
            groups.append([dof])
    mode = bone.text("rotation_mode")
    turns = [
        group[0].text("axis")
        for group in groups
        if len(group) == 1 and group[0].text("channel") == "rotation_euler"
    ]
    if turns != sorted(turns, key=lambda letter: -mode.find(letter)):
        bone.refuse(f"its joints turn about {', '.join(turns)}, which is not the order of {mode}")
    for count, group in enumerate(groups, 1):
        helper = helpers.get((name, sum(map(len, groups[:count]))))
        if count == len(groups):
            link = bone.text("link")
        elif helper is not None:
            link = helper.text("link")
        else:
            link = f"behind {group[0].text('joint')}"
            made.append(RawLink(link))
        T = T_root.get(link) or Pose(IDENTITY, _head(bone))
        joints.append(_joint(bone, group, parent, _Body(link, T)))
        parent = _Body(link, T)
        if helper is not None:
            bodies[helper.text("name")] = parent
    bodies[name] = parent


def _head(bone: Object) -> Vector:
    x, y, z = bone.numbers("head", 3)
    return (x, y, z)


def _joint(bone: Object, dofs: List[Object], parent: _Body, child: _Body) -> RawJoint:
    first, kind = dofs[0], dofs[0].text("type")
    if kind not in JOINT_TYPES:
        first.refuse(f"'{kind}' is not a type of joint")
    axes = _axes(bone)
    turn = next((dof for dof in dofs if dof.text("channel") == "rotation_euler"), first)
    main = turn if kind == "planar" else first
    if main.text("axis") not in axes or main.get("sign") not in (1, -1):
        main.refuse("its axis is not X, Y or Z, or its sign is not 1 or -1")
    sign, along = (
        main.number("sign") or 0.0,
        unit_of(axes[main.text("axis")]) or bone.refuse("an axis of 0 0 0"),
    )
    for dof in dofs:
        dof.take(*DOF)
        channel = CHANNELS.get(kind)
        if (
            dof.get("index") != LETTERS.find(dof.text("axis"))
            or channel
            and dof.text("channel") != channel
        ):
            dof.refuse(
                f"joint '{dof.text('joint')}' is {kind}, and channel {dof.text('channel')}[{dof.get('index')}] "
                f"with axis {dof.text('axis')} is another motion"
            )
    x, y, z = (sign * value for value in along)
    T_child_root = inverse_of(child.T_root)
    axis = composed(
        Pose(T_child_root.rotation, (0.0, 0.0, 0.0)), Pose(IDENTITY, (x, y, z))
    ).translation
    point = composed(T_child_root, Pose(IDENTITY, _head(bone))).translation
    values = {
        key: (value,)
        for key in ("damping", "friction")
        for value in [first.number(key)]
        if value is not None
    }
    mimic = first.inside("mimic")
    rule = None
    if mimic is not None:  # a mimic without a leader stays at its offset
        rule = RawMimic(
            mimic.text("joint", ""),
            mimic.number("multiplier") or 0.0,
            mimic.number("offset") or 0.0,
        )
    lower, upper, effort, velocity = (
        first.number(key, None, inf) for key in ("lower", "upper", "effort", "velocity")
    )
    return RawJoint(
        first.text("joint"),
        kind,
        parent.name,
        child.name,
        composed(inverse_of(parent.T_root), child.T_root),
        axis,
        point,
        lower=lower,
        upper=upper,
        effort=effort,
        velocity=velocity,
        mimic=rule,
        values=values,
    )


def _axes(bone: Object) -> Dict[str, Vector]:
    """Return the X, Y and Z of a bone in the root: Y from head to tail."""
    head, tail = bone.numbers("head", 3), bone.numbers("tail", 3)
    a, b, c = bone.numbers("x_axis", 3)
    length = bone.number("length") or 0.0
    if not length >= 1e-9:
        bone.refuse("its length is less than 1e-9 m")
    d, e, f = ((end - start) / length for start, end in zip(head, tail))
    return {"X": (a, b, c), "Y": (d, e, f), "Z": (b * f - c * e, c * d - a * f, a * e - b * d)}


def _pose(owner: Object) -> Pose:
    rows = owner.get("matrix")
    if not isinstance(rows, list) or [len(row) if isinstance(row, list) else 0 for row in rows] != [
        4,
        4,
        4,
    ]:
        owner.refuse("'matrix' is not three rows of four numbers")
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = (owner.checked("matrix", row) for row in rows)
    R: Matrix = ((a, b, c), (d, e, f), (g, h, i))
    return (
        Pose(R, (x, y, z)) if _is_rotation(R) else owner.refuse("'matrix' is no rotation and place")
    )


def _is_rotation(rows: Sequence[Vector]) -> bool:
    """Return True if vectors are at right angles and of length 1, as written with three digits or more."""
    return all(abs(dot(row, other) - float(row is other)) <= 1e-3 for row in rows for other in rows)


def _link(link: Object) -> RawLink:
    mass = link.number("mass")
    inertial: Optional[RawMass] = None
    if mass is not None:
        x, y, z = link.numbers("com", 3)
        xx, xy, xz, yy, yz, zz = link.numbers("inertia", 6)
        inertial = RawMass(mass, (x, y, z), (xx, xy, xz, yy, yz, zz))
    link.take("object", "bone", "kind", "mass", "com", "inertia")
    return RawLink(
        link.text("name"), inertial, tuple(_visual(visual) for visual in link.all("visuals"))
    )


def _visual(visual: Object) -> RawShape:
    kinds = [kind for kind in (*SHAPES, "sphere", "uri") if kind in visual.values]
    kind = kinds[0] if kinds else visual.refuse("it has no shape")
    sizes: Tuple[float, ...]
    if kind == "sphere":
        sizes = (visual.number("sphere") or 0.0,)
    else:
        sizes = (
            visual.numbers("scale", 3, (1.0, 1.0, 1.0))
            if kind == "uri"
            else visual.numbers(kind, SHAPES[kind])
        )
    rgba = visual.numbers("rgba", 4, ())
    visual.take("mesh", "material", "name")
    return RawShape(
        "visual",
        "mesh" if kind == "uri" else kind,
        sizes,
        _pose(visual),
        visual.text("name"),
        visual.text("uri", "").strip(),
        visual.text("mesh", ""),
        (rgba[0], rgba[1], rgba[2], rgba[3]) if rgba else None,
    )
