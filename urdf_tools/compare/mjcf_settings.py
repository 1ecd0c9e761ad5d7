"""Settings of `<compiler>` and `<option>` of MJCF, and the poses that depend on them."""
from typing import NamedTuple, Optional, Tuple

from ..base.exact_trigonometry import arctangent, PI
from ..urdf.spatial import (cross, dot, IDENTITY, Matrix, matrix_from_quaternion, multiply, norm, Pose, rotation_about,
                            scale, subtract, transpose, unit, UNIT_AXES, Vector, ZERO)
from .mjcf_defaults import Attributes
from .xml_text import Element

GRAVITY: Vector = (0.0, 0.0, -9.81)
TURNS = ("axisangle", "xyaxes", "zaxis", "euler")
YES_NO = ("false", "true")
ABLE = ("enable", "disable")


class Settings(NamedTuple):
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
    groups: Tuple[float, float] = (0.0, 5.0)
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


def read_settings(root: Element) -> Settings:
    """Return the settings of a file.

    Raises:
        BrokenRobot: a word or number that MuJoCo refuses, or global coordinates, which it no longer has.
    """
    settings = Settings()
    for element in root.all("compiler"):
        settings = _with_compiler(settings, Attributes(element, ()))
    gravity, falls = GRAVITY, True
    for element in root.all("option"):
        x, y, z = Attributes(element, ()).numbers("gravity", gravity)
        gravity = (x, y, z)
        for flag in element.all("flag"):
            falls = Attributes(flag, ()).word("gravity", (ABLE[not falls], *ABLE)) == "enable"
    return settings._replace(gravity=gravity if falls else ZERO)


def _with_compiler(settings: Settings, attrs: Attributes) -> Settings:
    def flag(name: str, *, before: bool) -> bool:
        return attrs.word(name, (YES_NO[before], *YES_NO)) == "true"

    if attrs.word("coordinate", ("local", "global")) == "global":
        attrs.element.refuse("coordinate='global' is no longer a part of MJCF")
    euler = attrs.get("eulerseq") or settings.euler
    if len(euler) != 3 or set(euler.lower()) - set("xyz"):
        attrs.element.refuse(f"eulerseq '{euler}' is not three letters of x, y, z")
    low, high = attrs.numbers("inertiagrouprange", settings.groups)
    folder = attrs.get("assetdir")
    return Settings(
        attrs.word("angle", ("degree" if settings.degree else "radian", "degree", "radian")) == "degree", euler,
        flag("autolimits", before=settings.autolimits),
        attrs.word("inertiafromgeom", (settings.from_geoms, *YES_NO, "auto")), (low, high),
        flag("balanceinertia", before=settings.balance), attrs.number("boundmass", settings.least_mass),
        attrs.number("boundinertia", settings.least_moment), attrs.number("settotalmass", settings.total_mass),
        attrs.get("meshdir") or folder or settings.mesh_folder,
        attrs.get("texturedir") or folder or settings.texture_folder,
        flag("strippath", before=settings.strip), flag("alignfree", before=settings.align_free))


def rotation_of(attrs: Attributes, settings: Settings) -> Matrix:
    """Return R_parent_element, written in any of the five ways.

    Raises:
        BrokenRobot: it is written in two ways, or with a vector without length.
    """
    ways = [(element, way) for element in attrs.chain for way in ("quat", *TURNS) if element.get(way) is not None]
    if not ways:
        return IDENTITY
    element, way = ways[0]
    if len([holder for holder, _ in ways if holder is element]) > 1:
        element.refuse(f"{element!r} is turned in two ways")
    return quaternion_of(attrs, way) if way == "quat" else _turn(element, way, settings)


def quaternion_of(attrs: Attributes, name: str) -> Matrix:
    """Return the rotation of a quaternion w, x, y, z of any length.

    Raises:
        BrokenRobot: all of it is zero.
    """
    w, x, y, z = attrs.numbers(name, (1.0, 0.0, 0.0, 0.0))
    if not any((w, x, y, z)):
        attrs.element.refuse(f"{attrs.element!r}: a quaternion of zeros is no rotation")
    return matrix_from_quaternion((x, y, z, w)) if x or y or z else IDENTITY


def _turn(element: Element, way: str, settings: Settings) -> Matrix:
    values = element.numbers(element.attributes[way], {"axisangle": 4, "xyaxes": 6}.get(way, 3))
    if way == "euler":
        return _euler_turn(values, settings)
    first = _direction(element, way, values[:3])
    if way == "axisangle":
        return rotation_about(first, settings.angle(values[3]))
    if way == "zaxis":
        return turn_of_z(first)
    second = (values[3], values[4], values[5])
    y = _direction(element, way, subtract(second, scale(dot(first, second), first)))
    return transpose((first, y, cross(first, y)))


def _euler_turn(angles: Tuple[float, ...], settings: Settings) -> Matrix:
    """Return the turns about the axes in their order: about axes that move along (small letters), or that stay."""
    R = IDENTITY
    for letter, angle in zip(settings.euler, angles):
        turn = rotation_about(UNIT_AXES["xyz".index(letter.lower())], settings.angle(angle))
        R = multiply(R, turn) if letter.islower() else multiply(turn, R)
    return R


def _direction(element: Element, way: str, vector: Tuple[float, ...]) -> Vector:
    x, y, z = vector
    if norm((x, y, z)) < 1e-14:
        element.refuse(f"{element!r}: {way} has no direction")
    return unit((x, y, z))


def turn_of_z(direction: Vector) -> Matrix:
    """Return the least rotation that leads z to a unit vector; about x where that is -z."""
    axis = (-direction[1], direction[0], 0.0)
    sine = norm(axis)
    if sine < 1e-10:
        return IDENTITY if direction[2] > 0.0 else ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, -1.0))
    return rotation_about(scale(1.0 / sine, axis), arctangent(sine, direction[2]))


def position_of(attrs: Attributes, name: str = "pos") -> Vector:
    """Return a point, the origin if it is not written."""
    x, y, z = attrs.numbers(name, ZERO)
    return (x, y, z)


def pose_of(attrs: Attributes, settings: Settings) -> Pose:
    """Return T_parent_element."""
    return Pose(rotation_of(attrs, settings), position_of(attrs))


def is_limited(attrs: Attributes, settings: Settings, flag: str, name: str) -> Optional[Tuple[float, float]]:
    """Return a range that counts: because of its flag, or without a flag if low < high.

    Raises:
        BrokenRobot: the flag asks for a range that is none, or nothing says whether it counts.
    """
    limited = attrs.word(flag, ("auto", *YES_NO))
    low, high = attrs.numbers(name, (0.0, 0.0))
    if limited == "auto" and not settings.autolimits and attrs.get(name) is not None:
        attrs.element.refuse(f"{attrs.element!r}: autolimits is false, and nothing says whether its {name} counts")
    if limited == "true" and low >= high:
        attrs.element.refuse(f"{attrs.element!r}: its {name} shall count, but {low:g} is not below {high:g}")
    return (low, high) if limited == "true" or limited == "auto" and low < high else None
