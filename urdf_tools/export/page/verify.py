"""The proofs of pages: the robots in the text of a page are those of the texts, read again by `compare/`.

Of a run these are the texts before and after. Of a comparison the joints must move as those of the files, and its map
be the one that was found.
"""

import json
import re
from functools import partial
from typing import (
    Any,
    Callable,
    Dict,
    Iterator,
    List,
    Mapping,
    Sequence,
    Tuple,
    TYPE_CHECKING,
    Union,
)

from ...base.errors import ProofFailed
from ...compare.all_differences import motion_differences
from ...compare.differences import Difference, Settings, Tolerances
from ...compare.robot_map import bound_of, identity_choices, lay
from ...compare.words import text_of
from ...robot.canonical import Canonical, canonical
from ...robot.records import RawJoint, RawLink, RawMass, RawRobot, RawShape
from ...urdf.spatial import IDENTITY_POSE, Pose, ZERO
from ...verify.rigid_motion import composed, transform_point
from .meshes import DrawnSurface

if TYPE_CHECKING:
    from ...compare.comparison import Comparison

EXACT = 1e-9  # m, rad: of what moves
DRAWN = 2e-6  # of numbers that are drawn with seven digits
LEAST_MASS = 1e-6  # kg: lighter links are frames
THINNEST = 2.01e-4  # m
Piece = Tuple[
    Union[str, int], Tuple[float, ...], Tuple[float, ...], Any
]  # its body, pose, size and color
SurfacesOf = Callable[[RawShape], Sequence[DrawnSurface]]
BLOCK = re.compile(r'<script type="application/json" id="data">(.*?)</script>', re.S)
SOME_MASS = RawMass(
    1.0, ZERO, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
)  # kg, kg m^2: so that no body is taken for a frame
MOTION = Settings(Tolerances(length=EXACT, angle=EXACT), frozenset(("motion",)))


def data_of(text: str) -> Dict[str, Any]:
    """Return the data in the text of a page, {} where there are none."""
    block = BLOCK.search(text)
    return dict(json.loads(block.group(1))) if block else {}


def verify_page(
    data: Mapping[str, Any],
    before: RawRobot,
    after: RawRobot,
    surfaces_of: Callable[[str, RawShape], Sequence[DrawnSurface]],
) -> None:
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
        if joint is None or (row["name"], row["type"], names[row["parent"]]) != (
            joint.name,
            joint.type,
            joint.parent,
        ):
            raise ProofFailed(f"the page shows another robot: joint '{row['name']}'", robot.file)
        require(
            _near(row["T"], _flat(joint.T_parent_child), EXACT),
            f"joint '{joint.name}' is elsewhere",
        )
        require(
            not joint.moves or _near(row["axis"], joint.axis, EXACT),
            f"the axis of joint '{joint.name}'",
        )
    links = {link.name: link for link in robot.links}
    for shown_link in shown["links"]:
        link = links[shown_link["name"]]
        mass = link.mass.mass if link.mass is not None else 0.0
        require(
            abs(shown_link.get("mass", 0.0) - mass) <= EXACT * mass, f"the mass of '{link.name}'"
        )
        require(
            ("ellipsoid" in shown_link) == (mass > LEAST_MASS), f"the ellipsoid of '{link.name}'"
        )
        if "ellipsoid" in shown_link and link.mass is not None:
            require(
                _is_ellipsoid_of(shown_link["ellipsoid"], link.mass),
                f"the ellipsoid of '{link.name}'",
            )
        for role in ("visual", "collision"):
            # What is in the file of a mesh was read by the readers of meshes, which have their own proofs.
            rows = [
                row
                for row in shown_link["shapes"]
                if bool(row.get("collision")) == (role == "collision")
            ]
            _verify_pieces(
                rows,
                [
                    piece
                    for shape in link.shapes
                    if shape.role == role
                    for piece in _pieces(shape, surfaces_of)
                ],
                f"a {role} of '{link.name}'",
                robot,
            )


def _verify_pieces(
    rows: List[Dict[str, Any]], pieces: List[Piece], what: str, robot: RawRobot
) -> None:
    same = len(rows) == len(pieces) and all(
        row["shape"] == body
        and _near(row["T"], T, DRAWN)
        and _near(row["size"], size, DRAWN)
        and (color is None or _near(row.get("color", ()), color, DRAWN))
        for row, (body, T, size, color) in zip(rows, pieces)
    )
    if not same:
        raise ProofFailed(
            f"the page shows another robot: {what} is missing, elsewhere, or another", robot.file
        )


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
    S = [
        [
            u * p[0] * q[0] + v * p[1] * q[1] + w * p[2] * q[2]
            for q in ((a, b, c), (d, e, f), (g, h, i))
        ]
        for p in ((a, b, c), (d, e, f), (g, h, i))
    ]
    tensor = (S[1][1] + S[2][2], -S[0][1], -S[0][2], S[0][0] + S[2][2], -S[1][2], S[0][0] + S[1][1])
    largest = max(map(abs, mass.tensor))
    return _near(center, mass.center, DRAWN) and all(
        abs(value - expected) <= 1e-2 * largest for value, expected in zip(tensor, mass.tensor)
    )


def _flat(T: Pose) -> Tuple[float, ...]:
    return (*(entry for row in T.rotation for entry in row), *T.translation)


def _near(shown: Sequence[float], expected: Sequence[float], tolerance: float) -> bool:
    return len(shown) == len(expected) and all(
        abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(shown, expected)
    )


def verify_comparison_page(text: str, comparison: "Comparison") -> None:
    """Read the data of a page and compare both robots with those of the files, and its map with the one that was found.

    Joints with equal lines move alike at all positions, so no pose has to be tried.

    Raises:
        ProofFailed: naming what differs.
    """
    data = data_of(text)
    robots = comparison.map
    for side, key, robot in (
        ("A", "new", canonical(comparison.a, frozenset(robots.welded_a))),
        ("B", "old", canonical(comparison.b, frozenset(robots.welded_b), robots.turned_root)),
    ):
        _verify_canonical(side, robot, data[key])
    joints = data["old"]["joints"]
    mapped = {pair.choice.b: pair for pair in robots.pairs}
    for number, joint in enumerate(joints):
        pair = mapped.get(number)
        written = (joint.get("by"), joint.get("sign"), joint.get("offset"))
        if written != (
            (None, None, None)
            if pair is None
            else (pair.choice.a, pair.choice.sign, robots.offset(pair) + 0.0)
        ):
            raise ProofFailed(
                f"page: the map of joint '{joint['name']}' is not the one that was found"
            )
    T_world_b = composed(robots.base, _pose(data["base"]))
    if not _is_at(T_world_b, IDENTITY_POSE):
        raise ProofFailed("page: the base of B is not where the map has it")
    _verify_places(comparison, data)


def robot_of(data: Dict[str, Any]) -> RawRobot:
    """Return a robot of a page: its bodies are links, each with its own frame."""
    links, joints = data["links"], data["joints"]
    return RawRobot(
        "page",
        "",
        tuple(RawLink(link["name"], SOME_MASS) for link in links),
        tuple(
            RawJoint(
                joint["name"],
                joint["type"],
                links[joint["parent"]]["name"],
                links[joint["child"]]["name"],
                _pose(joint["T"]),
                tuple(joint["axis"]),
                reference=joint.get("reference", 0.0),
            )
            for joint in joints
        ),
    )


def _verify_canonical(side: str, robot: Canonical, data: Dict[str, Any]) -> None:
    read = canonical(robot_of(data))
    robots = lay(robot, read, IDENTITY_POSE, identity_choices(robot, read))
    wrong: List[Difference] = list(motion_differences(robots, MOTION))
    if wrong:
        raise ProofFailed(f"page: {side} moves otherwise: {text_of(wrong[0])}")
    bound = bound_of(robots)
    if bound is not None and max(bound.position, bound.angle) > EXACT:
        raise ProofFailed(f"page: {side} is {bound.position:.1e} m off at '{bound.body}'")
    places = _root_frames(data)
    for body, link, T in zip(robot.bodies, data["links"], places):
        parts = {part.link.name: part.T_root_link for part in body.parts}
        if [each for each, _ in link["parts"]] != list(parts):
            raise ProofFailed(f"page: body '{body.name}' of {side} has other links")
        for each, numbers in link["parts"]:
            if not _is_at(composed(T, _pose(numbers)), parts[each]):
                raise ProofFailed(f"page: link '{each}' of {side} is elsewhere")


def _verify_places(comparison: "Comparison", data: Dict[str, Any]) -> None:
    """Compare the poses of the bodies of B in the page with those of the map."""
    a, b = _root_frames(data["new"]), _root_frames(data["old"])
    partner = {b_body: a_body for a_body, b_body in comparison.map.bodies.items()}
    for number, link in enumerate(data["old"]["links"]):
        if link.get("to") != partner.get(number):
            raise ProofFailed(f"page: body '{link['name']}' of B has another partner")
        if "to" in link:
            was = composed(comparison.map.Y[link["to"]], composed(a[link["to"]], _pose(link["T"])))
            if not _is_at(was, b[number]):
                raise ProofFailed(f"page: body '{link['name']}' of B is expected elsewhere")


def _root_frames(data: Dict[str, Any]) -> List[Pose]:
    """Return the frame of each body in that of the root, as the file draws it."""
    frames = [IDENTITY_POSE] * len(data["links"])
    for joint in data["joints"]:
        frames[joint["child"]] = composed(frames[joint["parent"]], _pose(joint["T"]))
    return frames


def _pose(numbers: Sequence[float]) -> Pose:
    a, b, c, d, e, f, g, h, i, x, y, z = numbers
    return Pose(((a, b, c), (d, e, f), (g, h, i)), (x, y, z))


def _is_at(T: Pose, other: Pose) -> bool:
    return _near(_flat(T), _flat(other), EXACT)
