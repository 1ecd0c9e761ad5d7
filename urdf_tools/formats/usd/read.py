"""Read a robot of USD's text for the comparison: bodies and frames, the joints between them, and their shapes.

USD has many ways to write the same; read here are those of this project, and files of others that use the same ones.
A value that is written for Newton and for PhysX must be equal in both. Unknown schemas are listed as unread.
"""

from __future__ import annotations

from math import fsum
from typing import Dict, Iterator, List, Mapping, Optional, Tuple, Union

from ...base.record import Record
from ...robot.records import RawActuator, RawJoint, RawLink, RawMass, RawRobot, Unread
from ...urdf.spatial import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    matrix_from_quaternion,
    Pose,
    ZERO,
)
from ..reading import check_tree, rotated_tensor, WORLD
from .read_parts import frames_of, Joints, Looks, read_shape, SHAPES
from .read_prims import BODY, Prim, unread_of
from .read_text import read_usda

NEAR = 1e-5  # m, and of an entry of a rotation: joints hold bodies where they are drawn, but for rounding
ROOT = "PhysicsArticulationRootAPI"
MASS = "PhysicsMassAPI"
JOINTS = (
    "PhysicsRevoluteJoint",
    "PhysicsPrismaticJoint",
    "PhysicsFixedJoint",
    "PhysicsSphericalJoint",
    "PhysicsJoint",
)
SCHEMAS = {  # by name: the start of its properties, which an instance follows with its name
    BODY: "",
    MASS: "",
    ROOT: "",
    "PhysxRigidBodyAPI": "physxRigidBody:disableGravity",
    "PhysicsFilteredPairsAPI": "physics:filteredPairs",
    "PhysicsCollisionAPI": "purpose",
    "PhysicsMeshCollisionAPI": "physics:approximation",
    "MaterialBindingAPI": "material:binding",
    "PhysicsMaterialAPI": "physics:staticFriction",
    "PhysicsDriveAPI": "drive:",
    "PhysicsLimitAPI": "limit:",
    "NewtonJointAPI": "newton:",
    "NewtonMimicAPI": "newton:mimicJoint",
    "PhysxJointAxisAPI": "physxJointAxis:",
    "PhysxMimicJointAPI": "physxMimicJoint:",
}
STAGE = {
    "metersPerUnit": ("1", ""),
    "kilogramsPerUnit": ("1", "1"),
    "upAxis": ("Z", ""),
}  # the value read, the default
FLAGS = {  # whether a body, joint or collision counts at all: the value that is read
    "physics:rigidBodyEnabled": 1.0,
    "physics:kinematicEnabled": 0.0,
    "physics:jointEnabled": 1.0,
    "physics:excludeFromArticulation": 0.0,
}
ASIDE = frozenset(  # properties that are only listed as unread: where it starts, what breaks, what the mass overrides
    f"physics:{name}"
    for name in "velocity angularVelocity startsAsleep simulationOwner density breakForce breakTorque "
    "collisionEnabled".split()
)
MOVED = "it is not read, and a part of the robot: bodies are Xforms in <{0}>, and their shapes are in them"
SCHEMA_UNREAD = "the schema {0} is not read here, or has none of its properties"
ROOT_ELSEWHERE = "{0} is on {1}, and engines look for it on {2}"


class LinkPrim(Record):
    """A link: its name, its prim, its pose in the robot, the link whose prim it is in ("": the robot itself)."""

    name: str
    prim: Prim
    T_root: Pose
    around: str

    @property
    def is_body(self) -> bool:
        """Return True if it is a rigid body, with a mass."""
        return BODY in self.prim.schemas


def read_usd(source: Union[str, bytes], file: str = "") -> RawRobot:
    """Return the robot of a text of USD.

    Raises:
        UrdfError: it is not such a text, or is ambiguous as a robot; a sentence with file and line.
    """
    return read_usd_layer(read_usda(source, file))


def read_usd_layer(top: Prim) -> RawRobot:
    """Return the robot of a layer that is parsed into prims."""
    robot = _robot_prim(top)
    _rigid_pose(robot)  # where the robot is drawn is no part of it
    links = {link.prim.path: link for link in _links(robot, Pose(IDENTITY, ZERO), "")}
    by_name: Dict[str, LinkPrim] = {}
    for link in links.values():
        if link.name in by_name:
            link.prim.refuse(f"link '{link.name}' is there twice")
        by_name[link.name] = link
    unknown = [unread for prim in robot.walk() for unread in _unknown_schemas(prim)]
    looks = Looks(robot, top)
    raw_links = [_link(link, looks) for link in links.values()]
    prims = [prim.take() for prim in robot.walk() if prim.type in JOINTS]
    reader = Joints({prim.path: prim for prim in prims})
    joints = [_joint(prim, reader, robot, links) for prim in prims]
    if WORLD in by_name and by_name[WORLD].is_body and by_name[WORLD].T_root == IDENTITY_POSE:
        joints = [
            joint for joint in joints if (joint.parent, joint.child) != (WORLD, WORLD)
        ]  # world on world
    held = any(joint.parent == WORLD for joint in joints) or not any(
        link.is_body for link in links.values()
    )
    notes = tuple(_root_notes(robot, links, joints, held=held))
    carried = [
        RawJoint(
            f"to {link.name}",
            "fixed",
            link.around or WORLD,
            link.name,
            _in_parent(link, by_name),
            line=link.prim.line,
        )
        for link in links.values()
        if not link.is_body and link.name != WORLD
    ]
    if held and WORLD not in by_name:
        raw_links.insert(0, RawLink(WORLD, line=robot.line))
    result = RawRobot(
        "usd",
        robot.true_name,
        tuple(raw_links),
        (*joints, *carried),
        base="fixed" if held else "free",
        apart=tuple(_apart(links)),
        actuators=tuple(_actuators(prims, reader)),
        file=top.file,
        notes=notes,
    )
    root = check_tree(result)
    _refuse_unread(robot, top, links)
    return result._replace(
        T_file_root=by_name[root].T_root if root in by_name else IDENTITY_POSE,
        unread=(*unknown, *unread_of(top)),
    )


def _robot_prim(top: Prim) -> Prim:
    """Return the prim of the robot; units must be meters and kilograms, and Z up."""
    if "subLayers" in top.said:
        top.refuse("it has layers below it, which are other files: `usdcat --flatten` joins them")
    for key, (wanted, default) in STAGE.items():
        top.read.add(key)
        written = top.said[key].text if key in top.said else default
        if written != wanted:
            top.refuse(f"{key} is {written or 'not said'}, and {wanted} is read here")
    top.read.add("defaultPrim")
    name = top.said["defaultPrim"].text if "defaultPrim" in top.said else ""
    for prim in top.children:
        if prim.type == "PhysicsScene":
            prim.take()
        elif prim.specifier == "class":  # meshes that shapes refer to
            for inner in prim.walk():
                inner.take().read.update((*inner.properties, *inner.said))
    robots = [prim for prim in top.children if prim.name == name]
    if not robots or robots[0].type != "Xform":
        top.refuse(f"there is no robot in it: defaultPrim '{name}' is no Xform")
    robots[0].read.update(("assetInfo", "kind"))
    return robots[0].take()


def _refuse_unread(robot: Prim, top: Prim, links: Mapping[str, LinkPrim]) -> None:
    """Refuse what carries a body, a mass, a joint or a shape and was not read: two robots would be the same without it."""
    for prim in top.walk():
        prim.refuse_arcs()
    abstract = {
        id(inner) for prim in top.children if prim.specifier == "class" for inner in prim.walk()
    }
    for prim in top.walk():
        if BODY in prim.schemas and prim.path not in links and id(prim) not in abstract:
            prim.refuse(MOVED.format(robot.path))
    for prim in robot.walk():
        if prim.specifier != "def":
            prim.refuse(f"it is no prim of its own, but '{prim.specifier}'")
        if not prim.taken and prim.carries:
            prim.refuse(MOVED.format(robot.path))
        _refuse_properties(
            prim, has_motion=prim is robot or prim.path in links or prim.type in JOINTS
        )


def _refuse_properties(prim: Prim, *, has_motion: bool) -> None:
    """Refuse properties that were not read and change what moves, where it is, or if it is drawn."""
    for name, value in FLAGS.items():
        if prim.number("bool", name) not in (None, value):
            prim.refuse(f"'{name}' is {1.0 - value:g}, and {value:g} is read here")
    for name in prim.properties:
        if name in prim.read or not prim.taken:
            continue
        if name.startswith("xformOp:") or name == "purpose":
            prim.refuse(f"'{name}' is not read here, and changes the robot")
        if has_motion and name.startswith("physics:") and name not in ASIDE:
            prim.refuse(f"'{name}' is not read here, and changes the robot")
    if prim.word("token", "visibility") not in (None, "inherited"):
        prim.refuse("it is hidden, which is not read here")


def _unknown_schemas(prim: Prim) -> Iterator[Unread]:
    """Yield schemas that are not read here, and those without a property: their defaults count."""
    names = "\n".join(("", *prim.properties)) if prim.schemas else ""
    for schema in prim.schemas:
        name, _, instance = schema.partition(":")
        start = SCHEMAS.get(name)
        start = start if start is None or not instance else f"{start}{instance}:"
        if start is None or start and f"\n{start}" not in names:
            yield Unread(repr(prim), SCHEMA_UNREAD.format(schema), prim.line)


def _links(prim: Prim, T_root: Pose, around: str) -> Iterator[LinkPrim]:
    """Yield the links in a prim, each with its pose in the robot."""
    for child in prim.of_type("Xform"):
        T_child = compose(T_root, _rigid_pose(child))
        name = child.true_name
        yield LinkPrim(name, child, T_child, around)
        yield from _links(child, T_child, name)
    if not around:
        prim.of_type("Scope")


def _rigid_pose(prim: Prim) -> Pose:
    """Return T_parent_prim of what holds shapes: a scale would be theirs, too."""
    if prim.numbers("double3", "xformOp:scale") not in (None, (1.0, 1.0, 1.0)):
        prim.refuse("it is scaled, and so is all in it: only a shape may be")
    return pose_of(prim)


def pose_of(prim: Prim) -> Pose:
    """Return T_parent_prim; the parts must be in the order translate, orient, scale."""
    translate, orient = (
        prim.numbers("double3", "xformOp:translate"),
        prim.numbers("quatd", "xformOp:orient"),
    )
    parts = [
        name for name in ("translate", "orient", "scale") if f"xformOp:{name}" in prim.properties
    ]
    order = prim.get("uniform token[]", "xformOpOrder")
    written = (
        [part.text for part in order.value.parts]
        if order is not None and order.value is not None
        else []
    )
    if written != [f"xformOp:{name}" for name in parts]:
        prim.refuse(f"xformOpOrder is {written}, and its parts are {parts}")
    x, y, z = translate or ZERO
    R = IDENTITY
    if orient is not None:
        w, *rest = orient
        if abs(fsum(part * part for part in orient) - 1.0) > 1e-9:
            prim.refuse("its orientation is no unit quaternion")
        R = matrix_from_quaternion((*rest, w))
    return Pose(R, (x, y, z))


def _link(link: LinkPrim, looks: Looks) -> RawLink:
    """Return a link with its shapes; other prims in it stay unread."""
    prim = link.prim
    shapes = [
        shape
        for child in prim.of_type(*SHAPES)
        for shape in read_shape(child, pose_of(child), looks)
    ]
    values: Dict[str, Tuple[float, ...]] = {}
    if prim.number("bool", "physxRigidBody:disableGravity"):
        values["gravity"] = (0.0,)
    if not link.is_body:
        if MASS in prim.schemas or "physics:mass" in prim.properties:
            prim.refuse("it has a mass, and is no body")
        return RawLink(link.name, None, tuple(shapes), values, prim.line)
    return RawLink(link.name, read_mass(prim), tuple(shapes), values, prim.line)


def read_mass(prim: Prim) -> RawMass:
    """Return the mass of a body; all of it must be written and not zero, as zero means not written in USD."""
    mass = prim.number("float", "physics:mass")
    center = prim.numbers("point3f", "physics:centerOfMass")
    moments = prim.numbers("float3", "physics:diagonalInertia")
    axes = prim.numbers("quatf", "physics:principalAxes")
    if MASS not in prim.schemas or not mass or mass < 0.0:
        prim.refuse("it is a body without a mass: engines weigh its shapes, else take 1 kg")
    if center is None or moments is None or axes is None or min(moments) <= 0.0:
        prim.refuse(
            "it is a body whose center or tensor is not given: engines take those of its shapes"
        )
    w, *rest = axes
    if abs(fsum(part * part for part in axes) - 1.0) > 1e-6:
        prim.refuse("its principal axes are no unit quaternion")
    a, b, c = moments
    if a + b < c or b + c < a or c + a < b:
        prim.refuse(f"no body has the moments {moments}: A + B >= C fails")
    R = matrix_from_quaternion((*rest, w))
    x, y, z = center
    return RawMass(
        mass, (x, y, z), rotated_tensor(R, (a, 0.0, 0.0, b, 0.0, c)), Pose(R, (x, y, z)), prim.line
    )


def _joint(prim: Prim, reader: Joints, robot: Prim, links: Mapping[str, LinkPrim]) -> RawJoint:
    """Return a joint between two bodies, or a body and the world; its two frames must coincide in the drawn pose."""
    ends = [prim.targets(f"physics:body{number}") for number in range(2)]
    if len(ends[0]) > 1 or len(ends[1]) != 1:
        prim.refuse(
            "it does not name two bodies, nor one that it holds in the world: physics:body1 is missing"
            if len(ends[1]) != 1
            else "physics:body0 names several bodies"
        )
    path0, path1 = (ends[0] or (robot.path,))[0], ends[1][0]
    body0, body1 = links.get(path0), links.get(path1)
    if (
        body1 is None
        or not body1.is_body
        or path0 != robot.path
        and (body0 is None or not body0.is_body)
    ):
        prim.refuse(f"it joins <{path0}> and <{path1}>, and one of them is no body")
    in_world = (
        IDENTITY_POSE if ends[0] else inverse(pose_of(robot))
    )  # without body0: in the frame of the stage
    T_root_0 = body0.T_root if body0 is not None else in_world
    T0, T1 = frames_of(prim)
    first, second = compose(T_root_0, T0), compose(body1.T_root, T1)
    size = max(1.0, *map(abs, first.translation))
    gaps = [
        abs(p - q)
        for row, other in zip(
            (first.translation, *first.rotation), (second.translation, *second.rotation)
        )
        for p, q in zip(row, other)
    ]
    if max(gaps) > NEAR * size:
        prim.refuse(
            "its frames are not in one place: it would move the bodies from where they are drawn"
        )
    return reader.read(
        prim,
        body0.name if body0 is not None else WORLD,
        body1.name,
        compose(inverse(T_root_0), body1.T_root),
        T1,
    )


def _root_notes(
    robot: Prim, links: Mapping[str, LinkPrim], joints: List[RawJoint], *, held: bool
) -> Iterator[str]:
    """Yield a note where engines find another root: the robot's prim if it is fixed, else its root body. The
    robot that is read is the same."""
    roots = [prim for prim in robot.walk() if ROOT in prim.schemas]
    children = {joint.child for joint in joints}
    first = [link.prim for link in links.values() if link.is_body and link.name not in children]
    wanted = [robot] if held else first[:1]
    if roots != wanted:
        yield ROOT_ELSEWHERE.format(
            ROOT, *(", ".join(map(repr, prims)) or "no prim" for prims in (roots, wanted))
        )


def _in_parent(link: LinkPrim, by_name: Mapping[str, LinkPrim]) -> Pose:
    around: Optional[LinkPrim] = by_name.get(link.around)
    return compose(inverse(around.T_root), link.T_root) if around is not None else link.T_root


def _apart(links: Mapping[str, LinkPrim]) -> Iterator[Tuple[str, str]]:
    """Yield the pairs of bodies that never collide."""
    for link in links.values():
        for path in link.prim.targets("physics:filteredPairs"):
            if (
                "PhysicsFilteredPairsAPI" not in link.prim.schemas
                or path not in links
                or not link.is_body
                or (not links[path].is_body)
            ):
                link.prim.refuse(f"it is filtered from <{path}>, and one of them is no body")
            yield link.name, links[path].name


def _actuators(prims: List[Prim], reader: Joints) -> Iterator[RawActuator]:
    """Yield the drives that have a gain; one without only gives the effort of a joint."""
    for prim in prims:
        stiffness, damping = reader.gains(prim)
        if stiffness or damping:
            yield RawActuator(
                prim.true_name,
                "position" if stiffness else "velocity",
                prim.true_name,
                {"kp": (stiffness,), "kv": (damping,)},
                prim.line,
            )
