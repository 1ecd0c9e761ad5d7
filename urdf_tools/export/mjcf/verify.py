"""The proof of an MJCF text: it is read again, by a reader of its own, and must be the robot.

Compared are, in a random position: where every body, site and camera is; and for every body mass, center and tensor,
every shape with its look, file and friction, and every joint's name, type, axis (through the positions), range, force,
damping and friction, spring, followers and locks; then the sections behind the bodies (`verify_mjcf_sections`).
"""
import random
from typing import Dict, List, Optional, Tuple

from ...base.errors import ProofFailed
from ...model.records import Joint, Link, Robot
from ...model.shapes import Collision, Ellipsoid, Plane, Primitive
from ...model.tree import leaders_of, poses_at, Positions
from ...model.pose import Pose
from ...model.geometry import Box, Mesh
from ...urdf.spatial import (compose, IDENTITY, IDENTITY_POSE, Matrix, multiply, Pose as Transform, rotate,
                             rotation_about, scale, subtract, transpose, ZERO)
from .model import Decided
from ..read_back import (compare_change, compare_numbers, compare_poses, differs, Element, is_called, is_held,
                        numbers_of, random_nonzero)
from .reader import equal, Move, numbers, place_of, Proof, ReadBody
from .verify_looks import compare_look, READABLE
from .verify_sections import compare_sections, watched_places

NUMBERS = ("damping", "frictionloss", "armature", "stiffness")
KINDS = {"revolute": ("hinge",), "continuous": ("hinge",), "prismatic": ("slide",), "ball": ("ball",),
         "planar": ("slide", "slide", "hinge")}
ENDS = {"planar": ("_x", "_y", "_yaw")}  # of the names of the elements of a joint


def verify_mjcf(text: str, robot: Robot, decided: Decided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    try:
        _verify(text, robot, decided)
    except ProofFailed as error:
        raise ProofFailed(f"MJCF: {error.message}") from None


def _verify(text: str, robot: Robot, decided: Decided) -> None:
    proof = Proof(text, robot, decided)
    compiler = proof.top.find("compiler")
    equal("the compiler", compiler and tuple(map(compiler.get, ("angle", "autolimits", "inertiafromgeom"))),
          ("radian", "true", "false"))
    for kind in ("visual", "collision"):
        look = proof.classes.get(kind, {}).get("geom", {})
        equal(f"what class '{kind}' touches", (look.get("contype"), look.get("conaffinity")),
              ("0", "0") if kind == "visual" else (None, None))
    _compare_names(proof)
    for link in robot.links:
        _compare_link(proof, link)
    moves = {name: _read_moves(proof, body) for name, body in proof.bodies.items() if name}
    _compare_equalities(proof, {move.joint.child: [one.get("name") for one in move.elements]
                                for one_body in moves.values() for move in one_body})
    compare_sections(proof, moves)
    _compare_places(proof, moves, random.Random(len(text)))


def _compare_names(proof: Proof) -> None:
    """Every link is a body, a site, the world, or was said to be between two joints; nothing else is a body."""
    links = {link.name for link in proof.robot.links}
    for name in proof.bodies:
        if name and name not in links:
            raise differs("the bodies", f"'{name}'", "no such link")
    for name in links:
        if name not in proof.bodies and name not in proof.sites and name not in proof.decided.between and (
                name != "world"):
            raise differs(f"link '{name}'", "nothing", "a body or site")


def _compare_link(proof: Proof, link: Link) -> None:
    body = proof.bodies.get("" if link.name == "world" else link.name)
    weight = link.weight
    extra = compare_change(link, proof.decided.changed, proof.decided.options.inertia)
    if body is None:
        equal(f"link '{link.name}' without a body", (weight.mass, any(map(any, weight.inertia)), len(link.shapes)),
              (0.0, False, 0))
        return
    inertial = next(iter(body.all("inertial")), None)
    where = f"body '{link.name}'"
    equal(f"{where}, gravcomp", body.element.get("gravcomp"),
          "1" if link.gravity is False and link.name != "world" else None)
    if inertial is None and link.name != "world":
        equal(f"{where}, mass and tensor", (0.0, False), (weight.mass, any(map(any, weight.inertia))))
    elif inertial is not None:
        compare_numbers(f"{where}, mass", numbers(inertial, "mass"), (weight.mass,), 0.0, extra)
        compare_numbers(f"{where}, center", numbers(inertial, "pos"),
                        weight.center if weight.mass or any(map(any, weight.inertia)) else ZERO)
        largest = max(abs(entry) for row in weight.inertia for entry in row)
        for row, expected in zip(_tensor(inertial), weight.inertia):
            compare_numbers(f"{where}, inertia", row, expected, largest, extra)
    _compare_shapes(proof, link, body)


def _tensor(inertial: Element) -> Matrix:
    if "fullinertia" in inertial.attrib:
        xx, yy, zz, xy, xz, yz = numbers(inertial, "fullinertia")
        return ((xx, xy, xz), (xy, yy, yz), (xz, yz, zz))
    a, b, c = numbers(inertial, "diaginertia")
    R = place_of(inertial).rotation
    return multiply(multiply(R, ((a, 0.0, 0.0), (0.0, b, 0.0), (0.0, 0.0, c))), transpose(R))


def _compare_shapes(proof: Proof, link: Link, body: ReadBody) -> None:
    geoms, place_in_body = body.all("geom"), 0
    for kind, place, shape, part in link.placed_pieces:
        geometry = part.geometry
        if (link.name, kind, place) in proof.decided.left_out:
            if _can_be_shown(proof, geometry):
                raise differs(f"link '{link.name}', a {kind}", "nothing", geometry)
            continue
        if place_in_body == len(geoms):
            raise differs(f"body '{link.name}', number of shapes", len(geoms), "more")
        geom = geoms[place_in_body]
        place_in_body += 1
        where = f"body '{link.name}', geom '{geom.get('name')}'"
        equal(where, (geom.get("class"), geom.get("type")), (kind, geometry.kind))
        equal(f"{where}, name", is_called(geom.get("name", ""), shape.name or f"{link.name}_{kind}"), True)
        compare_poses(where, place_of(geom), part.origin.transform)
        compare_look(proof.looks, where, geom, shape, geometry)
        surface = shape.surface if isinstance(shape, Collision) else None
        friction = surface.mu1 if surface is not None and surface.mu1 is not None and surface.mu1 >= 0.0 else None
        if friction is not None or "friction" in geom.attrib:
            compare_numbers(f"{where}, friction", numbers(geom, "friction"),
                            () if friction is None else (friction,))
        if isinstance(geometry, Mesh):
            mesh = proof.meshes[geom.get("mesh", "")]
            compare_numbers(f"{where}, scale", numbers(mesh, "scale", "1 1 1"), geometry.scale)
        else:
            compare_numbers(f"{where}, size", numbers(geom, "size"), _sizes(geometry))
    equal(f"body '{link.name}', number of shapes", len(geoms), place_in_body)


def _can_be_shown(proof: Proof, shape: Primitive) -> bool:
    if isinstance(shape, Mesh):
        return proof.looks.mesh_files.get(shape.filename, shape.filename).lower().endswith(READABLE)
    return min(_sizes(shape)) > 0.0 or isinstance(shape, Plane)


def _sizes(shape: Primitive) -> Tuple[float, ...]:
    if isinstance(shape, Box):
        return tuple(0.5 * length for length in shape.size)
    if isinstance(shape, Plane):
        return (0.5 * shape.size[0], 0.5 * shape.size[1], 1.0)
    if isinstance(shape, Ellipsoid):
        return shape.radii
    radius, length = getattr(shape, "radius", 0.0), getattr(shape, "length", None)
    return (radius,) if length is None else (radius, 0.5 * length)


def _read_moves(proof: Proof, body: ReadBody) -> Tuple[Move, ...]:
    """Return what moves a body in the one it is in, uppermost first; type and numbers of it are compared.

    A joint that floats has no element of its own here: the body is free.
    """
    joints: List[Joint] = []
    name = body.name
    while name in proof.tree.above and not (joints and (name in proof.bodies or name == body.parent)):
        joints.insert(0, proof.tree.above[name])
        name = joints[0].parent
    moving = [joint for joint in joints if joint.type not in ("fixed", "floating")]
    free = [joint.type for joint in joints].count("floating") if joints else int(
        not is_held(proof.tree, proof.decided.options.base))
    equal(f"body '{body.name}', free joints", body.free, free)
    elements = body.all("joint")
    equal(f"body '{body.name}', joints", [one.get("type", "hinge") for one in elements],
          [kind for joint in moving for kind in KINDS[joint.type]])
    shared = proof.classes.get(proof.child_class[body.name], {}).get("joint", {})
    moves = []
    for joint in moving:
        own, elements = elements[: len(KINDS[joint.type])], elements[len(KINDS[joint.type]) :]
        for element, end in zip(own, ENDS.get(joint.type, ("",))):
            name = element.get("name", "")
            equal(f"joint '{joint.name}', name", name.endswith(end) and is_called(name[: len(name) - len(end)],
                                                                                  joint.name), True)
            _compare_values(joint, {**shared, **element.attrib})
        moves.append(Move(joint, own))
    return tuple(moves)


def _compare_values(joint: Joint, found: Dict[str, str]) -> None:
    where = f"joint '{joint.name}'"
    dynamics, limit = joint.dynamics, joint.limit
    spring = joint.spring if joint.type != "planar" else None
    expected = dict(zip(NUMBERS, (dynamics.damping if dynamics else None, dynamics.friction if dynamics else None,
                                  joint.armature, spring.stiffness if spring else None)))
    if spring is not None or "springref" in found:
        compare_numbers(f"{where}, springref", (float(found.get("springref", "0")),),
                        (spring.reference if spring and joint.type != "ball" else 0.0,))
    for key, value in expected.items():
        compare_numbers(f"{where}, {key}", (float(found.get(key, "0")),), (max(value or 0.0, 0.0),))
    bounds = joint.range if joint.type in ("revolute", "prismatic") else None
    limited = bounds is not None and bounds[0] < bounds[1] and (bounds[0] >= -1e9 or bounds[1] <= 1e9)
    equal(f"{where}, has a range", "range" in found, limited)
    if limited and bounds is not None:
        compare_numbers(f"{where}, range", numbers_of(found["range"]), bounds)
    effort = limit.effort if limit is not None and joint.type in ("revolute", "continuous", "prismatic") else None
    bound = effort is not None and 0.0 < effort <= 1e9
    equal(f"{where}, has a largest force", "actuatorfrcrange" in found, bound)
    if bound and effort is not None:
        compare_numbers(f"{where}, force", numbers_of(found["actuatorfrcrange"]), (-effort, effort))


def _compare_equalities(proof: Proof, written: Dict[str, List[str]]) -> None:
    """Every follower and every locked joint has its equation, and there is no other."""
    section = [one for one in proof.section("equality") if one.tag == "joint"]
    found = {one.get("joint1"): one for one in section}
    leaders = leaders_of(proof.robot)
    expected: Dict[str, Tuple[Optional[str], Tuple[float, ...]]] = {}
    for joint in proof.robot.joints:
        if joint.child not in written or joint.type not in ("revolute", "continuous", "prismatic"):
            continue
        leader = leaders.get(joint.mimic.joint) if joint.mimic else None
        if joint.mimic is not None and leader is not None:
            moves = leader.type in ("revolute", "continuous", "prismatic")
            expected[written[joint.child][0]] = (
                written[leader.child][0] if moves else None,
                (joint.mimic.offset, joint.mimic.multiplier if moves else 0.0, 0.0, 0.0, 0.0))
        elif joint.range is not None and joint.range[0] == joint.range[1]:
            expected[written[joint.child][0]] = (None, (joint.range[0], 0.0, 0.0, 0.0, 0.0))
    equal("the joints with an equation", sorted(str(one.get("joint1")) for one in section), sorted(expected))
    for name, (leader_name, coefficients) in expected.items():
        equal(f"the leader of '{name}'", found[name].get("joint2"), leader_name)
        compare_numbers(f"the equation of '{name}'", numbers(found[name], "polycoef"), coefficients)


def _compare_places(proof: Proof, moves: Dict[str, Tuple[Move, ...]], generator: random.Random) -> None:
    """Compare where bodies, sites and cameras are, with every joint at a random position and free bodies anywhere."""
    # Followers, too: their rules are proven apart, and where one rests for ever, its axis would not be seen.
    positions: Positions = {joint.child: random_nonzero(generator) for joint in proof.robot.joints}
    for joint in proof.robot.joints:
        if joint.type in ("floating", "ball", "planar"):
            positions[joint.child] = _anywhere(joint, generator)
    root = proof.tree.root
    free = root in proof.bodies and proof.bodies[root].free > 0
    T_start = _anywhere(None, generator).transform if free else IDENTITY_POSE
    T_robot = {name: compose(T_start, T) for name, T in poses_at(proof.robot, positions, proof.tree).items()}
    T_text = {"": IDENTITY_POSE}
    for name, body in proof.bodies.items():
        if name:
            T_text[name] = T_start if name == root and free else _moved(body, moves[name], T_text[body.parent],
                                                                        positions)
            compare_poses(f"'{name}'", T_text[name], T_robot[name])
    for where, holder, T_holder, link, T_link in watched_places(proof):
        compare_poses(where, compose(T_text[holder], T_holder), compose(T_robot[link], T_link))


def _anywhere(joint: Optional[Joint], generator: random.Random) -> Pose:
    a, b, c, d, e, f = (random_nonzero(generator) for _ in range(6))
    if joint is None or joint.type == "floating":
        return Pose((a, b, c), (d, e, f))
    if joint.type == "ball":
        return Pose(ZERO, (d, e, f))
    along = sum(p * n for p, n in zip((a, b, c), joint.axis))
    return Pose.from_axis_angle(joint.axis, d, subtract((a, b, c), scale(along, joint.axis)))


def _moved(body: ReadBody, moves: Tuple[Move, ...], T_parent: Transform, positions: Positions) -> Transform:
    """Return where a body is: its pose, then its joints one after another, each about its point."""
    T = compose(T_parent, body.pose)
    if body.free:  # a floating joint: at zero it is where its body is written
        motion = positions[body.name]
        return compose(T, motion.transform) if isinstance(motion, Pose) else T
    for move in moves:
        joint, axes, point = move.joint, move.axes, move.point
        position = positions[joint.child]
        if isinstance(position, Pose):
            if joint.type == "planar":  # what was asked for, in the coordinates of the three joints
                for direction in axes[:2]:
                    amount = sum(p * q for p, q in zip(position.xyz, direction))
                    T = compose(T, Transform(IDENTITY, scale(amount, direction)))
                compare_numbers(f"joint '{joint.name}', the axis of its turn", axes[2], joint.axis)
                T = compose(T, Transform(position.matrix, ZERO))
            else:
                T = compose(T, position.transform)
        elif joint.type == "prismatic":
            T = compose(T, Transform(IDENTITY, scale(position, axes[0])))
        else:
            R = rotation_about(axes[0], position)
            T = compose(T, Transform(R, subtract(point, rotate(R, point)) if any(point) else ZERO))
    return T
