"""Settings of `<compiler>` and `<option>` of MJCF, the poses that depend on them, and classes of defaults.

An attribute that is not written is that of the class of its element (XML reference, "default").
"""

from __future__ import annotations

from itertools import chain
from typing import AbstractSet, Dict, List, NoReturn, Optional, Sequence, Tuple

from ...base.type_aliases import Reals, Span, Texts
from ...base.exact_trigonometry import PI
from ...base.record_type import Record
from ...urdf.spatial_math import (
    cross,
    dot,
    IDENTITY,
    Matrix,
    multiply,
    norm,
    Transform,
    rotation_about,
    scale,
    subtract,
    transpose,
    unit,
    UNIT_AXES,
    Vector,
    ZERO,
)
from ...robot.principal_axes import vector_of
from ..reader_helpers import rotation_of_wxyz, turn_of_z, UNUSED
from ..xml_reader import XmlElement

ACTUATORS = (
    "general",
    "motor",
    "position",
    "velocity",
    "intvelocity",
    "damper",
    "cylinder",
    "muscle",
    "adhesion",
    "orientation",
    "pid",
    "dcmotor",
    "plugin",
)
MAIN = "main"


class AttributesWithDefaults:
    """An element with the defaults of its class and of the classes around it: the nearest with an attribute counts."""

    def __init__(self, element: XmlElement, classes: Sequence[XmlElement]) -> None:
        """Mark the defaults as read."""
        self.element = element
        self.chain = (element, *(element.take() for element in classes))

    def get(self, name: str) -> Optional[str]:
        """Return an attribute, None if no element has it."""
        # Each element is read, which marks the attribute as read in all of them.
        texts = [element.get(name) for element in self.chain]
        return next((text for text in texts if text is not None), None)

    def leave(self, name: str) -> None:
        """Mark an attribute as unread."""
        holders = (element for element in self.chain if name in element.attributes)
        next(holders, self.element).read.discard(name)

    def refuse(self, sentence: str) -> NoReturn:
        """Refuse the file for this element."""
        self.element.refuse_this(sentence)

    def word(self, name: str, words: Sequence[str]) -> str:
        """Return an attribute that is one of these words, the first of them if no element has it.

        Raises:
            BrokenRobot: it is another word.
        """
        text = self.get(name)
        if text is not None and text not in words:
            self.refuse(f"{name} '{text}' is none of {', '.join(sorted(set(words)))}")
        return text if text is not None else words[0]

    def numbers(self, name: str, default: Sequence[float], least: int = 0) -> Reals:
        """Return numbers: missing trailing ones come from the next class, and finally from `default`.

        Raises:
            BrokenRobot: they are fewer than `least` (as many as in `default`, if 0), or more than in `default`.
        """
        result = tuple(default)
        # From the outermost class inward, so that the nearest one overwrites.
        for element in reversed(self.chain):
            text = element.get(name)
            if text is not None:
                written = element.numbers(text, least or len(default), len(default))
                result = written + result[len(written) :]
        return result

    def number(self, name: str, default: float) -> float:
        """Return a number."""
        return self.numbers(name, (default,))[0]


class DefaultClasses:
    """The classes of a file, by name: their `<default>` elements, the innermost first."""

    def __init__(self, root: XmlElement) -> None:
        """Read the classes of a file."""
        # By name: the elements of the class, and the class around it.
        self._chains: Dict[str, Tuple[List[XmlElement], str]] = {MAIN: ([], "")}
        for top in root.all("default"):
            name = top.get("class") or MAIN
            # The outermost <default> is main, whatever it calls itself.
            self._add(top, MAIN, "")
            if name != MAIN:
                self._chains.setdefault(name, ([], MAIN))

    def _add(self, element: XmlElement, name: str, around: str) -> None:
        """Add a `<default>` to a class, with all that is in it."""
        self._chains.setdefault(name, ([], around))[0].append(element)
        for child in element.children:
            if child.tag == "default":
                inner = child.take().get("class") or child.refuse(
                    "a <default> inside another has no class"
                )
                self._add(child, inner, name)
            elif not child.children:
                child.leave(UNUSED)

    def of_children(self, element: XmlElement, around: str = "") -> str:
        """Return the class of the elements in an element: its `childclass`, else the class around it.

        Raises:
            BrokenRobot: the class is not there, which MuJoCo refuses also where no element uses it.
        """
        name = element.get("childclass") or around
        if name not in self._chains and name:
            element.refuse_this(f"class '{name}' is not there")
        return name

    def is_within(self, name: Optional[str], outer: AbstractSet[Optional[str]]) -> bool:
        """Return True if a class is one of others, or inside of one."""
        while name and name not in outer:
            name = self._chains[name][1]
        return bool(name)

    def attributes_of(
        self, element: XmlElement, child_class: str = "", tags: Texts = ()
    ) -> AttributesWithDefaults:
        """Return an element with the defaults of its class, else of `child_class`, else of main.

        `tags`: the defaults that count, without them those with the element's tag; a class has one set of defaults for all
        kinds of actuators.

        Raises:
            BrokenRobot: the class is not there.
        """
        name = element.take().get("class") or child_class or MAIN
        if name not in self._chains:
            element.refuse_this(f"class '{name}' is not there")
        tags = tags or (element.tag,)
        defaults: List[XmlElement] = []
        while name:
            elements, name = self._chains[name]
            # Several <default> of one class add up, and the last one counts: nearest first, as in
            # the chain.
            children = chain.from_iterable(top.children for top in elements)
            defaults += [child for child in children if child.tag in tags][::-1]
        return AttributesWithDefaults(element, defaults)


GRAVITY: Vector = (0.0, 0.0, -9.81)
TURNS = ("axisangle", "xyaxes", "zaxis", "euler")
YES_NO = ("false", "true")
ABLE = ("enable", "disable")


class MjcfSettings(Record):
    """Settings of the whole file; several `<compiler>` and `<option>` are merged, the last value counts.

    Attributes:
        degree: angles are in degrees. euler: the order of Euler angles, small letters turn with the frame.
        autolimits: a range is a limit. from_geoms: true, false or auto.
        groups: of the geoms that have mass. balance, least_mass, least_moment, total_mass: bounds on masses.
        mesh_folder, texture_folder: before names of files; strip: the folders in those names are cut off.
        align_free: free bodies without children are turned into their axes of inertia.
    """

    degree: bool = True
    euler: str = "xyz"
    autolimits: bool = True
    from_geoms: str = "auto"
    groups: Span = (0.0, 5.0)
    balance: bool = False
    least_mass: float = 0.0
    least_moment: float = 0.0
    total_mass: float = -1.0
    mesh_folder: str = ""
    texture_folder: str = ""
    strip: bool = False
    align_free: bool = False
    gravity: Vector = GRAVITY

    def angle(self, value: float) -> float:
        """Return an angle of the file in radians."""
        return value * (PI / 180.0) if self.degree else value


def read_settings(root: XmlElement) -> MjcfSettings:
    """Return the settings of a file.

    Raises:
        BrokenRobot: a word or number that MuJoCo refuses, or global coordinates, which it no longer has.
    """
    settings = MjcfSettings()
    for element in root.all("compiler"):
        settings = _with_compiler(settings, AttributesWithDefaults(element, ()))
    gravity = GRAVITY
    falls = True
    for element in root.all("option"):
        gravity = position_of(AttributesWithDefaults(element, ()), "gravity", gravity)
        for flag in element.all("flag"):
            # The first word is the default: what an earlier <option> said.
            falls = (
                AttributesWithDefaults(flag, ()).word("gravity", (ABLE[not falls], *ABLE))
                == "enable"
            )
    return settings._replace(gravity=gravity if falls else ZERO)


def _with_compiler(settings: MjcfSettings, attrs: AttributesWithDefaults) -> MjcfSettings:
    """Return the settings with the attributes of a `<compiler>`; an attribute that it lacks stays as before."""

    def flag(name: str, *, before: bool) -> bool:
        """Return a flag."""
        # The first word is the default.
        return attrs.word(name, (YES_NO[before], *YES_NO)) == "true"

    if attrs.word("coordinate", ("local", "global")) == "global":
        attrs.element.refuse("coordinate='global' is no longer a part of MJCF")
    euler = attrs.get("eulerseq") or settings.euler
    if len(euler) != 3 or set(euler.lower()) - set("xyz"):
        attrs.element.refuse(f"eulerseq '{euler}' is not three letters of x, y, z")
    low, high = attrs.numbers("inertiagrouprange", settings.groups)
    # It stands for both folders, unless they are given by themselves.
    folder = attrs.get("assetdir")
    unit_before = "degree" if settings.degree else "radian"
    unit = attrs.word("angle", (unit_before, "degree", "radian"))
    autolimits = flag("autolimits", before=settings.autolimits)
    from_geoms = attrs.word("inertiafromgeom", (settings.from_geoms, *YES_NO, "auto"))
    return MjcfSettings(
        degree=unit == "degree",
        euler=euler,
        autolimits=autolimits,
        from_geoms=from_geoms,
        groups=(low, high),
        balance=flag("balanceinertia", before=settings.balance),
        least_mass=attrs.number("boundmass", settings.least_mass),
        least_moment=attrs.number("boundinertia", settings.least_moment),
        total_mass=attrs.number("settotalmass", settings.total_mass),
        mesh_folder=attrs.get("meshdir") or folder or settings.mesh_folder,
        texture_folder=attrs.get("texturedir") or folder or settings.texture_folder,
        strip=flag("strippath", before=settings.strip),
        align_free=flag("alignfree", before=settings.align_free),
    )


def rotation_of(attrs: AttributesWithDefaults, settings: MjcfSettings) -> Matrix:
    """Return R_parent_element, written in any of the five ways.

    Raises:
        BrokenRobot: it is written in two ways, or with a vector without length.
    """
    # All elements are read, which marks the attributes as read in each.
    ways_of = [_ways_to_turn(element) for element in attrs.chain]
    # The nearest class with a rotation counts, in whichever way it is written.
    for element, ways in zip(attrs.chain, ways_of):
        if len(ways) > 1:
            element.refuse(f"{element!r} has two orientations: keep one of them")
        if ways == ["quat"]:
            return quaternion_of(attrs, "quat")
        if ways:
            return _turn(element, ways[0], settings)
    return IDENTITY


def _ways_to_turn(element: XmlElement) -> List[str]:
    """Return the attributes of an element that say its rotation."""
    return [way for way in ("quat", *TURNS) if element.get(way) is not None]


def quaternion_of(attrs: AttributesWithDefaults, name: str) -> Matrix:
    """Return the rotation of a quaternion w, x, y, z of any length.

    Raises:
        BrokenRobot: all of it is zero.
    """
    quaternion = attrs.numbers(name, (1.0, 0.0, 0.0, 0.0))
    if not any(quaternion):
        attrs.refuse("a quaternion of zeros is not a rotation")
    return rotation_of_wxyz(quaternion)


def _turn(element: XmlElement, way: str, settings: MjcfSettings) -> Matrix:
    """Return a rotation that is written in one of the ways of `TURNS`."""
    count = {"axisangle": 4, "xyaxes": 6}.get(way, 3)
    values = element.numbers(element.attributes[way], count)
    if way == "euler":
        return _euler_turn(values, settings)
    first = _direction(element, way, values[:3])
    if way == "axisangle":
        return rotation_about(first, settings.angle(values[3]))
    if way == "zaxis":
        return turn_of_z(first)
    second = vector_of(values[3:])
    # As in MuJoCo, the y axis is made perpendicular to x.
    y = _direction(element, way, subtract(second, scale(dot(first, second), first)))
    return transpose((first, y, cross(first, y)))


def _euler_turn(angles: Reals, settings: MjcfSettings) -> Matrix:
    """Return the turns about the axes in their order: about axes that move along (small letters), or that stay."""
    R = IDENTITY
    for letter, angle in zip(settings.euler, angles):
        turn = rotation_about(UNIT_AXES["xyz".index(letter.lower())], settings.angle(angle))
        # On the right: about an axis that has turned already. On the left: about an axis that
        # stays.
        R = multiply(R, turn) if letter.islower() else multiply(turn, R)
    return R


def _direction(element: XmlElement, way: str, vector: Reals) -> Vector:
    """Return a vector with length 1."""
    direction = vector_of(vector)
    if norm(direction) < 1e-14:
        element.refuse_this(f"{way} has no direction")
    return unit(direction)


def position_of(attrs: AttributesWithDefaults, name: str = "pos", default: Vector = ZERO) -> Vector:
    """Return a point or a direction, the default if it is not written."""
    return vector_of(attrs.numbers(name, default))


def pose_of(attrs: AttributesWithDefaults, settings: MjcfSettings) -> Transform:
    """Return T_parent_element."""
    return Transform(rotation_of(attrs, settings), position_of(attrs))


def is_limited(
    attrs: AttributesWithDefaults, settings: MjcfSettings, flag: str, name: str
) -> Optional[Span]:
    """Return a range that counts: because of its flag, or without a flag if low < high.

    Raises:
        BrokenRobot: the range shall count and is empty, or nothing says whether it counts.
    """
    limited = attrs.word(flag, ("auto", *YES_NO))
    low, high = attrs.numbers(name, (0.0, 0.0))
    if limited == "auto" and not settings.autolimits and attrs.get(name) is not None:
        attrs.refuse(f"autolimits is false, and no attribute sets whether its {name} applies")
    if limited == "true" and low >= high:
        attrs.refuse(f"its {name} is enabled, but {low:g} is not below {high:g}")
    counts = limited == "true" or (limited == "auto" and low < high)
    return (low, high) if counts else None
