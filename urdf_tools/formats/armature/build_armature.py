"""Builds the armature of a robot: a root bone, a bone for each joint or chain of joined joints, and helpers.

A bone can turn about its X, Y and Z one after the other. Up to three joints with one origin and axes at right angles to
each other are that, whatever frames lie between: pose = R(axis 1, q1) R(axis 2, q2) R(axis 3, q3) * rest.
"""

from __future__ import annotations

import math
from typing import Dict, Iterator, List, Sequence, Set, Tuple

from ...base.exact_trigonometry import arctangent
from ...base.record_type import Record
from ...urdf.urdf_records import UrdfJoint, UrdfRobot
from ...urdf.spatial_math import (
    angle_between,
    cross,
    dot,
    norm,
    rotate,
    rotation_about,
    scale,
    subtract,
    transpose,
    unit,
    UNIT_AXES,
    Vector,
    ZERO,
)
from .armature_bones import (
    BoneBody,
    Bone,
    BoneChannel,
    EXACT,
    RestFrame,
    LETTERS,
    LOCATION,
    MotionRules,
    motion_of_joints,
    UniqueNameGenerator,
    rest_pose_of,
    RestPose,
    ROTATION,
)

# Limits of `vec_roll_to_mat3_normalized` (Blender, armature.cc), which makes the frame of a bone without a roll.
CLOSE = 6.1e-3  # 1 + y, below which Blender uses a series
CLOSER = 2.5e-4  # the distance from the Y axis, below which it takes the frame of exactly -Y
HARMLESS = (
    1e-6  # [rad] so close to a singular direction the error is no more than a float's rounding
)
SNAPPED = 1e-3  # [rad] ... and so close nobody sees that the tail has moved
CLEAR = 0.15  # [rad] from here on the rounding of Blender's floats does not grow any more
TURNS_TRIED = 21  # steps of CLEAR in each sense: all around


def base_x(y: Vector) -> Vector:
    """Return the X axis of a bone with roll 0 along the unit vector `y`."""
    across = y[0] * y[0] + y[2] * y[2]
    theta = 1.0 + y[1]
    if theta <= CLOSE and across <= CLOSER * CLOSER:
        return (-1.0, 0.0, 0.0)
    if theta <= CLOSE:
        theta = across * 0.5 + across * across * 0.125
    return (1.0 - y[0] * y[0] / theta, -y[0], -y[0] * y[2] / theta)


def roll_of(x: Vector, y: Vector) -> float:
    """Return the roll [rad] that gives a bone along `y` the X axis `x`; both are unit vectors at a right angle."""
    base = base_x(y)
    return arctangent(dot(cross(base, x), y), dot(base, x))


def is_clear(y: Vector, singular: Sequence[Vector]) -> bool:
    """Return True if a bone along `y` gets an exact frame: exactly on a singular direction, or well away from it."""
    return all(not HARMLESS < angle_between(y, direction) < CLEAR for direction in singular)


def clear_about(axis: Vector, along: Vector, singular: Sequence[Vector]) -> Vector:
    """Return a direction for a bone that turns about `axis`: as near to `along` as an exact frame allows.

    A tail next to a singular direction is put on it, where the axis allows that and nobody sees it, or turned about the
    axis until it is clear. Only the look of the bone changes.

    Args:
        along: the direction that is wanted, at a right angle to the axis, as long as the bone.

    Returns:
        A vector as long as the bone is to be.
    """
    y = unit(along)
    for direction in singular:
        if HARMLESS < angle_between(y, direction) < SNAPPED and abs(dot(axis, direction)) < EXACT:
            return scale(dot(along, direction), unit(_part_across(axis, direction)))
    for step in range(TURNS_TRIED):
        for turn in (step * CLEAR, -step * CLEAR):
            turned = rotate(rotation_about(axis, turn), along)
            if is_clear(unit(turned), singular):
                return turned
    return along


# LIMIT_ROTATION takes a matrix apart into the three angles of the smallest sum. These are the angles of the joints as
# long as the largest positions add up to three right angles.
MOST_TURN = 1.5 * math.pi + 1e-9
MOST_JOINTS = 3


class JoinedBoneAxes(Record):
    """The frame of a joined bone: X and Y, for each joint the letter and sign of its axis, and the rotation mode."""

    x: Vector
    y: Vector
    letters: Tuple[Tuple[str, int], ...]
    rotation_mode: str


def chains_of(
    rest_pose: RestPose, motion: MotionRules, *, join: bool
) -> Iterator[Tuple[UrdfJoint, ...]]:
    """Yield the joints of each bone, outermost first; parents come before their children."""
    inside: Set[str] = set()
    for joint in rest_pose.robot.tree:
        if joint.type == "fixed" or joint.child in inside:
            continue
        chain = [joint]
        while join and len(chain) < MOST_JOINTS:
            child_joints = rest_pose.bodies[chain[-1].child].child_joints
            if len(child_joints) != 1 or not _fits(rest_pose, motion, chain, child_joints[0]):
                break
            chain.append(child_joints[0])
        inside.update(member.child for member in chain)
        yield tuple(chain)


def _fits(
    rest_pose: RestPose, motion: MotionRules, chain: Sequence[UrdfJoint], joint: UrdfJoint
) -> bool:
    """Return True if a joint can join a chain of hinges: in one place, at right angles, in the range of LIMIT_ROTATION."""
    hinges = [*chain, joint]
    for hinge in hinges:
        if hinge.type not in ("revolute", "continuous") or hinge.child in motion.rules:
            return False
    ranges = [motion.ranges.get(hinge.child, (-math.pi, math.pi)) for hinge in hinges]
    if math.fsum(max(map(abs, span)) for span in ranges) > MOST_TURN:
        return False
    axis = rest_pose.axis_of(joint)
    for before in chain:
        is_across = abs(dot(rest_pose.axis_of(before), axis)) < EXACT
        if not (rest_pose.same_place(before, joint) and is_across):
            return False
    return True


def axes_of(axes: Sequence[Vector], along: Vector, singular: Sequence[Vector]) -> JoinedBoneAxes:
    """Return the frame of a bone of two or three joints: Y is the possible axis that is closest to `along`.

    Args:
        axes: of the joints, outermost first.
        singular: directions that Y keeps away from, if need be by the opposite direction.
    """
    possible = [*axes]
    if len(axes) < MOST_JOINTS:
        # The axis of the bone that no joint has.
        possible.append(cross(axes[0], axes[1]))
    chosen, sign = _axis_along(possible, along, singular)
    y = scale(sign, possible[chosen])
    others = [k for k in range(len(axes)) if k != chosen]
    x = axes[others[0]]
    z = cross(x, y)
    letters = {chosen: ("Y", sign), others[0]: ("X", 1)}
    if len(others) == 2:
        sign_z = 1 if dot(z, axes[others[1]]) > 0.0 else -1
        letters[others[1]] = ("Z", sign_z)
    # The innermost joint turns first.
    order = [letters[k][0] for k in reversed(range(len(axes)))]
    if len(order) == 2:
        # The locked letter in the middle: there gimbal lock cannot occur.
        locked = next(letter for letter in LETTERS if letter not in order)
        order.insert(1, locked)
    return JoinedBoneAxes(
        x=x,
        y=y,
        letters=tuple(letters[k] for k in range(len(axes))),
        rotation_mode="".join(order),
    )


def _axis_along(
    axes: Sequence[Vector], along: Vector, singular: Sequence[Vector]
) -> Tuple[int, int]:
    """Return the place and the sign of the axis that is closest to `along` and gives an exact frame."""
    ranked = sorted(range(len(axes)), key=lambda k: -abs(dot(axes[k], along)))
    tries: List[Tuple[int, int]] = []
    for k in ranked:
        toward = 1 if dot(axes[k], along) >= 0.0 else -1
        tries += [(k, toward), (k, -toward)]
    for k, sign in tries:
        if is_clear(scale(sign, axes[k]), singular):
            return k, sign
    return tries[0]


LEAST_OFFSET = 0.2  # of the shortest bone: a target that is nearer gives no direction
WORLD = (UNIT_AXES[2], UNIT_AXES[0], UNIT_AXES[1])


def ends_of_chains(rest_pose: RestPose) -> Dict[str, BoneBody]:
    """Return, by child link of each moving joint, the body at the end of the joints in one place that begin with it."""
    ends: Dict[str, BoneBody] = {}
    for joint in reversed(rest_pose.robot.tree):  # children first
        if joint.type == "fixed":
            continue
        body = rest_pose.bodies[joint.child]
        ends[joint.child] = body
        # A body with several moving child joints is an end, because the chain cannot follow them all.
        if len(body.child_joints) == 1:
            following = body.child_joints[0]
            if rest_pose.same_place(joint, following):
                ends[joint.child] = ends[following.child]
    return ends


def candidates(
    rest_pose: RestPose, joint: UrdfJoint, end: BoneBody, parent_head: Vector
) -> Iterator[Tuple[str, Vector]]:
    """Yield directions for the bone of a joint, the best first, each with a word for it and as long as it is far.

    child: the only moving child; frame: the only frame on a leaf (tool0); children: the middle of several; com: the
    center of mass; parent: straight on; axis: a world axis. Directions too short to be one are left out.

    Args:
        end: the body at the end of the joints in one place that begin with this joint.
        parent_head: the beginning of the parent bone [m].
    """
    head = rest_pose.head_of(joint)
    targets: List[Tuple[str, Vector]] = []
    if end.child_joints:
        word = "child" if len(end.child_joints) == 1 else "children"
        targets.append((word, rest_pose.middle_of_children(end)))
    else:
        frames = [name for name in end.links if name in rest_pose.ends]
        if len(frames) == 1:
            targets.append(("frame", rest_pose.T[frames[0]].translation))
    center = rest_pose.center_of(end)
    if center is not None:
        targets.append(("com", center))
    directions = [(word, subtract(target, head)) for word, target in targets]
    directions.append(("parent", subtract(head, parent_head)))
    directions += [("axis", scale(rest_pose.shortest, axis)) for axis in WORLD]
    for word, v in directions:
        if norm(v) >= LEAST_OFFSET * rest_pose.shortest:
            yield word, v


ROOT_LENGTH = 0.1  # [m] of the root bone, which points forward
MOST_PARALLEL = 0.1  # a direction of which less is at a right angle to the axis is parallel to it
ANY_MODE = "XYZ"  # the rotation mode of a bone with one turn
FREE_MODE = "YXZ"  # and of a bone that is free
DOWN_Y: Vector = (0.0, -1.0, 0.0)  # here the roll of every bone is inexact


class Armature(Record):
    """A robot as bones, every parent before its children.

    Attributes:
        carriers: by link, the name of the bone that carries it; "" for a bare link between joined joints.
    """

    rest_pose: RestPose
    motion: MotionRules
    bones: Tuple[Bone, ...]
    carriers: Dict[str, str]


def armature_of(robot: UrdfRobot, *, join: bool) -> Armature:
    """Return the armature of a robot; `join`: up to three joints in one place become one bone."""
    rest_pose = rest_pose_of(robot)
    motion = motion_of_joints(robot)
    names = UniqueNameGenerator()
    chains = [*chains_of(rest_pose, motion, join=join)]
    # Bones of joints have their names first: a clash is the root's or a helper's to solve.
    bone_names = [names.take(_name_of(chain)) for chain in chains]
    root = _root_bone(rest_pose, names)
    bones = [root]
    bone_of_body = {robot.root: root}  # by the first link of a body
    ends = ends_of_chains(rest_pose)
    for name, chain in zip(bone_names, chains):
        parent = bone_of_body[rest_pose.body_of[chain[0].parent]]
        bone = _bone(rest_pose, chain, ends[chain[0].child], name, parent)
        bone_of_body[chain[-1].child] = bone
        bones.append(bone)
        for count, joint in enumerate(chain[:-1], 1):
            if not _is_bare(rest_pose, rest_pose.bodies[joint.child]):
                helper = bone._replace(
                    name=names.take(_name_of(chain[:count])),
                    kind="helper",
                    link=joint.child,
                    dofs=bone.dofs[:count],
                    of=name,
                )
                bone_of_body[joint.child] = helper
                bones.append(helper)
    carriers: Dict[str, str] = {}
    for link, first in rest_pose.body_of.items():
        carriers[link] = bone_of_body[first].name if first in bone_of_body else ""
    return Armature(rest_pose=rest_pose, motion=motion, bones=tuple(bones), carriers=carriers)


def _name_of(chain: Sequence[UrdfJoint]) -> str:
    """Return the wanted name of a bone: the joints that move it, outermost first."""
    return ">".join(joint.name for joint in chain)


def _root_bone(rest_pose: RestPose, names: UniqueNameGenerator) -> Bone:
    """Return the bone of the root link: it begins in its origin, and points forward."""
    root = rest_pose.robot.root
    name = root if root not in names.taken else f"{root}_root"
    forward = RestFrame(
        x=(0.0, -1.0, 0.0),
        y=(1.0, 0.0, 0.0),
        length=max(ROOT_LENGTH, rest_pose.shortest),
        tail_from="forward",
    )
    return Bone(
        name=names.take(name),
        kind="root",
        parent=None,
        link=root,
        head=ZERO,
        frame=forward,
        roll=0.0,
        rotation_mode=ANY_MODE,
        dofs=(),
    )


def _is_bare(rest_pose: RestPose, body: BoneBody) -> bool:
    """Return True if a body is one link without shapes, mass or anything else."""
    link = rest_pose.robot.links[body.links[0]]
    return len(body.links) == 1 and not (link.shapes or link.inertial or link.extras)


def _bone(
    rest_pose: RestPose, chain: Sequence[UrdfJoint], end: BoneBody, name: str, parent: Bone
) -> Bone:
    """Return the bone of one joint, or of several in one place; `end`: see `candidates`."""
    # -Y of the armature, and -Y of the parent, in whose axes Blender computes the frame of a bone a second time.
    singular = (DOWN_Y, scale(-1.0, parent.frame.y))
    directions = list(candidates(rest_pose, chain[0], end, parent.head))
    mode = ANY_MODE
    if len(chain) > 1:
        frame, mode, dofs = _joined(rest_pose, chain, directions, singular)
    elif chain[0].type in ("prismatic", "planar"):
        frame, dofs = _along_axis(rest_pose, chain[0], directions, singular)
        mode = ANY_MODE if chain[0].type == "prismatic" else FREE_MODE
    elif chain[0].type == "floating":
        frame, dofs = _unbound(rest_pose, chain[0], singular)
        mode = FREE_MODE
    else:
        frame, dofs = _across_axis(rest_pose, chain[0], directions, singular)
    return Bone(
        name=name,
        kind="joint",
        parent=parent.name,
        link=chain[-1].child,
        head=rest_pose.head_of(chain[0]),
        frame=frame,
        roll=roll_of(frame.x, frame.y),
        rotation_mode=mode,
        dofs=dofs,
    )


def _part_across(axis: Vector, v: Vector) -> Vector:
    """Return the part of a vector at a right angle to a unit axis."""
    return subtract(v, scale(dot(v, axis), axis))


def _is_across(axis: Vector, v: Vector) -> bool:
    """Return True for a direction that is far enough from an axis to be seen from it."""
    return norm(_part_across(axis, v)) > MOST_PARALLEL * norm(v)


def _across_axis(
    rest_pose: RestPose,
    joint: UrdfJoint,
    directions: Sequence[Tuple[str, Vector]],
    singular: Sequence[Vector],
) -> Tuple[RestFrame, Tuple[BoneChannel, ...]]:
    """Return the frame of a hinge: X is its axis, and Y points at a right angle to it where it should."""
    axis = rest_pose.axis_of(joint)
    # One of the three world axes at the end is across any axis.
    word, v = next((word, v) for word, v in directions if _is_across(axis, v))
    along = clear_about(axis, _part_across(axis, v), singular)
    # A second time without the part along the axis: the turn has rounded.
    y = unit(_part_across(axis, unit(along)))
    length = max(rest_pose.shortest, norm(along))
    return RestFrame(axis, y, length, word), (BoneChannel(joint, ROTATION, "X", 1),)


def _unbound(
    rest_pose: RestPose, joint: UrdfJoint, singular: Sequence[Vector]
) -> Tuple[RestFrame, Tuple[BoneChannel, ...]]:
    """Return the frame and the six channels of a floating joint: Y is an axis of its child, so it turns with the bone.

    `singular` holds the two directions near which a bone gets no exact frame: see `is_clear`.
    """
    x_y_z = transpose(rest_pose.T[joint.child].rotation)
    # There are two singular directions, so at least one of three axes is clear of them.
    pairs = [(x_y_z[k], x_y_z[m]) for k, m in ((0, 2), (2, 1), (1, 0))]
    y, z = next((y, z) for y, z in pairs if is_clear(y, singular))
    slides = [BoneChannel(joint, LOCATION, letter, 1) for letter in LETTERS]
    turns = [BoneChannel(joint, ROTATION, letter, 1) for letter in LETTERS]
    frame = RestFrame(cross(y, z), y, rest_pose.shortest, "forward")
    return frame, (*slides, *turns)


def _along_axis(
    rest_pose: RestPose,
    joint: UrdfJoint,
    directions: Sequence[Tuple[str, Vector]],
    singular: Sequence[Vector],
) -> Tuple[RestFrame, Tuple[BoneChannel, ...]]:
    """Return the frame of a slide or of a plane: Y is the axis or the normal, or against it where that is exact.

    Where neither is, X is the axis or the normal.
    """
    axis = rest_pose.axis_of(joint)
    letter = "Y"
    others = "XZ"
    sign = next((sign for sign in (1, -1) if is_clear(scale(sign, axis), singular)), 0)
    if sign:
        across = next(v for _, v in directions if _is_across(axis, v))
        length = max(rest_pose.shortest, abs(dot(directions[0][1], axis)))
        frame = RestFrame(unit(cross(across, axis)), scale(sign, axis), length, joint.type)
    else:
        letter = "X"
        others = "YZ"
        sign = 1
        frame, _ = _across_axis(rest_pose, joint, directions, singular)
    if joint.type == "prismatic":
        return frame, (BoneChannel(joint, LOCATION, letter, sign),)
    slides = [BoneChannel(joint, LOCATION, other, 1) for other in others]
    return frame, (*slides, BoneChannel(joint, ROTATION, letter, sign))


def _joined(
    rest_pose: RestPose,
    chain: Sequence[UrdfJoint],
    directions: Sequence[Tuple[str, Vector]],
    singular: Sequence[Vector],
) -> Tuple[RestFrame, str, Tuple[BoneChannel, ...]]:
    """Return frame and rotation mode of a bone of several joints."""
    word, v = directions[0]
    axes = axes_of([rest_pose.axis_of(joint) for joint in chain], v, singular)
    dofs = tuple(
        BoneChannel(joint, ROTATION, letter, sign)
        for joint, (letter, sign) in zip(chain, axes.letters)
    )
    length = max(rest_pose.shortest, abs(dot(v, axes.y)))
    return RestFrame(axes.x, axes.y, length, word), axes.rotation_mode, dofs
