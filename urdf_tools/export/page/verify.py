"""The proof of a page: both robots that it shows are those of the texts before and after, read again by `compare/`.

Its contacts are read again from its text: each must be the pose that was found, with its button.
"""
import html
import json
import re
from functools import partial
from typing import Any, Callable, Dict, Iterator, List, Mapping, Sequence, Tuple, Union

from ...base.errors import ProofFailed
from ...collision.pairs import HOME, TOUCHES
from ...collision.pairs_step import CheckedPairs
from ...robot.records import RawMass, RawRobot, RawShape
from ...urdf.spatial import Pose
from ...verify.rigid_motion import transform_point
from .meshes import DrawnSurface

EXACT = 1e-9  # m, rad: of what moves
DRAWN = 2e-6  # of numbers that are drawn with seven digits
LEAST_MASS = 1e-6  # kg: lighter links are frames
THINNEST = 2.01e-4  # m
Piece = Tuple[Union[str, int], Tuple[float, ...], Tuple[float, ...], Any]  # its body, pose, size and color
SurfacesOf = Callable[[RawShape], Sequence[DrawnSurface]]
BLOCK = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
BUTTON = re.compile(r'<button type="button" data-contact="(\d+)"[^>]*>(.*?)</button>', re.S)
NAME = re.compile(r"<bdi>(.*?)</bdi>", re.S)
Contact = Tuple[str, str, str, Dict[str, float], str, Tuple[float, ...]]


def verify_page(data: Mapping[str, Any], before: RawRobot, after: RawRobot,
                surfaces_of: Callable[[str, RawShape], Sequence[DrawnSurface]]) -> None:
    """Compare joints, masses and drawn bodies of both robots; a mesh has as many rows as colors.

    Args:
        surfaces_of: the surfaces of the file of a mesh, old or new, () where it cannot be read.

    Raises:
        ProofFailed: the page shows another robot; the message says how it differs.
    """
    for side, robot in (("old", before), ("new", after)):
        _verify_robot(data[side], robot, partial(surfaces_of, side))


def _verify_robot(shown: Mapping[str, Any], robot: RawRobot, surfaces_of: SurfacesOf) -> None:
    def require(holds: bool, what: str) -> None:
        if not holds:
            raise ProofFailed(f"the page shows another robot: {what}", robot.file)

    names = [link["name"] for link in shown["links"]]
    require(sorted(names) == sorted(link.name for link in robot.links), "its links are others")
    joints = {joint.child: joint for joint in robot.joints}
    require(names[shown["root"]] not in joints, f"'{names[shown['root']]}' is not the root")
    require(len(shown["joints"]) == len(joints), "its joints are others")
    for row in shown["joints"]:
        joint = joints.get(names[row["child"]])
        if joint is None or (row["name"], row["type"], names[row["parent"]]) != (joint.name, joint.type, joint.parent):
            raise ProofFailed(f"the page shows another robot: joint '{row['name']}'", robot.file)
        require(_near(row["T"], _flat(joint.T_parent_child), EXACT), f"joint '{joint.name}' is elsewhere")
        require(not joint.moves or _near(row["axis"], joint.axis, EXACT), f"the axis of joint '{joint.name}'")
    links = {link.name: link for link in robot.links}
    for shown_link in shown["links"]:
        link = links[shown_link["name"]]
        mass = link.mass.mass if link.mass is not None else 0.0
        require(abs(shown_link.get("mass", 0.0) - mass) <= EXACT * mass, f"the mass of '{link.name}'")
        require(("ellipsoid" in shown_link) == (mass > LEAST_MASS), f"the ellipsoid of '{link.name}'")
        if "ellipsoid" in shown_link and link.mass is not None:
            require(_is_ellipsoid_of(shown_link["ellipsoid"], link.mass), f"the ellipsoid of '{link.name}'")
        for role in ("visual", "collision"):
            # What is in the file of a mesh was read by the readers of meshes, which have their own proofs.
            rows = [row for row in shown_link["shapes"] if bool(row.get("collision")) == (role == "collision")]
            _verify_pieces(rows, [piece for shape in link.shapes if shape.role == role
                                  for piece in _pieces(shape, surfaces_of)], f"a {role} of '{link.name}'", robot)


def _verify_pieces(rows: List[Dict[str, Any]], pieces: List[Piece], what: str, robot: RawRobot) -> None:
    same = len(rows) == len(pieces) and all(
        row["shape"] == body and _near(row["T"], T, DRAWN) and _near(row["size"], size, DRAWN)
        and (color is None or _near(row.get("color", ()), color, DRAWN))
        for row, (body, T, size, color) in zip(rows, pieces))
    if not same:
        raise ProofFailed(f"the page shows another robot: {what} is missing, elsewhere, or another", robot.file)


def _pieces(shape: RawShape, surfaces_of: SurfacesOf) -> Iterator[Piece]:
    """Yield the bodies that a shape is drawn with, of a mesh its surfaces."""
    T = _flat(shape.T_link_shape)
    if shape.geometry == "mesh":
        for surface in surfaces_of(shape):
            yield surface.number, T, shape.sizes, surface.rgba or shape.color
    elif shape.geometry == "box":
        yield "box", T, shape.sizes, shape.color
    elif shape.geometry == "sphere":
        yield "ball", T, (2.0 * shape.sizes[0],) * 3, shape.color
    elif shape.geometry in ("cylinder", "capsule"):
        wide, length = 2.0 * shape.sizes[0], shape.sizes[1]
        yield "cylinder", T, (wide, wide, length), shape.color
        for end in (-0.5, 0.5) if shape.geometry == "capsule" else ():
            center = transform_point(shape.T_link_shape, (0.0, 0.0, end * length))
            yield "ball", (*T[:9], *center), (wide,) * 3, shape.color


def _is_ellipsoid_of(ellipsoid: Mapping[str, Any], mass: RawMass) -> bool:
    """Return True if a solid ellipsoid has a center and a tensor; of one that was drawn thicker, only the center."""
    a, b, c, d, e, f, g, h, i, *center = ellipsoid["T"]
    if min(ellipsoid["size"]) <= THINNEST:
        return _near(center, mass.center, DRAWN)
    u, v, w = (0.05 * mass.mass * size * size for size in ellipsoid["size"])
    S = [[u * p[0] * q[0] + v * p[1] * q[1] + w * p[2] * q[2] for q in ((a, b, c), (d, e, f), (g, h, i))]
         for p in ((a, b, c), (d, e, f), (g, h, i))]
    tensor = (S[1][1] + S[2][2], -S[0][1], -S[0][2], S[0][0] + S[2][2], -S[1][2], S[0][0] + S[1][1])
    largest = max(map(abs, mass.tensor))
    return _near(center, mass.center, DRAWN) and all(
        abs(value - expected) <= 1e-2 * largest for value, expected in zip(tensor, mass.tensor))


def _flat(T: Pose) -> Tuple[float, ...]:
    return (*(entry for row in T.rotation for entry in row), *T.translation)


def _near(shown: Sequence[float], expected: Sequence[float], tolerance: float) -> bool:
    return len(shown) == len(expected) and all(
        abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(shown, expected))


def verify_contacts(text: str, checked: CheckedPairs) -> None:
    """Compare the poses of contact in the text of a page with those that were found, and each button with its pose.

    Joints are those of the page, which were compared with the text of the robot.

    Raises:
        ProofFailed: naming a pair that is missing or different.
    """
    block = BLOCK.search(text)
    data: Dict[str, Any] = json.loads(block.group(1)) if block else {}
    robot = data["new"]
    links = [link["name"] for link in robot["links"]]
    below = [links[joint["child"]] for joint in robot["joints"]]
    shown: List[Contact] = [
        (links[row["links"][0]], links[row["links"][1]], HOME if row["home"] else TOUCHES,
         {below[joint]: at for joint, at in row["positions"]}, links[row["point"][0]], tuple(row["point"][1:]))
        for row in data["contacts"]]
    known: List[Contact] = [
        (pair.first, pair.second, pair.state, dict(zip((joint.child for joint in pair.chain.variables),
                                                       pair.witness.positions)), pair.chain.middle, pair.witness.point)
        for pair in checked.decided.pairs if pair.witness and pair.chain]
    for contact in known:
        if shown.count(contact) != 1:
            raise ProofFailed(f"page: the contact of '{contact[0]}' and '{contact[1]}' is not the one that was found")
    if len(shown) != len(known):
        raise ProofFailed("page: it shows contacts that were not found")
    home = {child: min(max(0.0, low), high) for child, (low, high) in checked.decided.ranges.of_joint.items()}
    if {below[joint]: at for joint, at in data["home"]} != {child: at for child, at in home.items() if at}:
        raise ProofFailed("page: its joints at home are elsewhere")
    buttons = [(int(number), *(html.unescape(name.replace("<wbr>", "")) for name in NAME.findall(inside)))
               for number, inside in BUTTON.findall(text)]
    if sorted(buttons) != [(number, first, second) for number, (first, second, *_) in enumerate(shown)]:
        raise ProofFailed("page: a button is of other links than its pose of contact")
