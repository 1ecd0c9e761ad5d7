"""The movement of link frames and of all values expressed in them; the edits `root`, `add-root` and `add-frame`.

If an edit drops links and joints or fixes joints, the elements that only these need are removed too.
"""

from __future__ import annotations

import posixpath
from typing import Callable, Collection, Dict, Iterator, List, Mapping, Optional, Sequence, Tuple

from ..apply.apply_plan_passes import follow as carry_out_updates, made_child, write_pose
from ..base.run_diagnostics import DROPPED_NAME
from ..base.number_text import (
    as_written,
    count_of,
    format_numbers,
    numbers_in,
    short,
    without_noise,
)
from ..compare.verify_edit import EditLaw, OF_JOINTS
from ..facts.robot_values import MIMIC_PARAMETERS, PARTS_OF_CONTROL
from ..facts.simulator_values import WITHOUT_POSE
from ..facts.frame_dependent_values import is_known, joints_named_in
from ..plan.base_frame import DIRECTIONS, find_base_frame, provenance_note
from ..plan.plan_decisions import make_plan, Plan
from ..plan.reference_updates import ReferenceChanges, place_of, SAME_FRAME
from ..plan.link_merging import WORLD, WORLD_LINKS
from ..plan.kept_links import find_references, NameReference
from ..plan.update_references import update_references
from ..plan.update_values import angle_unit
from ..run.single_file_options import options_from
from ..robot.raw_robot import RawJoint, RawLink, RawRobot
from ..srdf.srdf_editor import RemovedNames
from ..srdf.follow_urdf import follow_srdf
from ..srdf.srdf_diagnostics import SRDF_ROOT
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint, UrdfRobot, WITH_AXIS
from ..urdf.spatial_math import (
    compose,
    dot,
    IDENTITY,
    IDENTITY_POSE,
    inverse,
    Matrix,
    matrix_from_rpy,
    multiply,
    norm,
    Transform,
    rotate,
    rpy_from_matrix,
    scale,
    subtract,
    transpose,
    Vector,
)
from ..urdf.xml_edits import attach, attach_behind, create, detach
from .robot_draft import RobotDraft, EditResult
from .edit_value_words import only_word, pose_of, read_words

SHIFT_NOISE = 1e-12  # [m] smaller shifts of a frame count as none
ANGLE_NOISE = 1e-12  # [rad]
TURNING = ("revolute", "continuous")
# The frame of a camera's images: Z forward, X right, Y down, on a link with X forward, Z up (REP 103).
OPTICAL = "optical"
OPTICAL_RPY = "-90deg 0 -90deg"
NOTHING = options_from({"verb": "edit"})


def place_frames(
    draft: RobotDraft, placements: Mapping[str, Transform], left_out: Collection[str] = ()
) -> None:
    """Move the frames of links; each body, and all elements in its frame, stay where they are.

    Args:
        placements: T_new_old by link that moves.
        left_out: the child links of joints that the caller writes.
    """
    write_frames(draft, placements, left_out)
    follow(draft, plan_of(draft, placements))


def write_frames(
    draft: RobotDraft, placements: Mapping[str, Transform], left_out: Collection[str] = ()
) -> None:
    """Move the frames of links as `place_frames` does, but update links and joints only."""
    robot = draft.robot
    T = {name: placements.get(name, IDENTITY_POSE) for name in robot.links}
    for link in robot.links.values():
        if T[link.name] == IDENTITY_POSE:
            continue
        for shape in link.shapes:
            write_pose(
                draft.copy(shape.source), compose(T[link.name], shape.pose), shape.pose, SHIFT_NOISE
            )
        if link.inertial is not None:  # updated like any other pose: the tensor keeps its text
            old = Transform(matrix_from_rpy(link.inertial.rpy), link.inertial.properties.center)
            write_pose(
                draft.copy(link.inertial.source), compose(T[link.name], old), old, SHIFT_NOISE
            )
    for joint in robot.joints:
        above, below = T[joint.parent], T[joint.child]
        if joint.child not in left_out and (above, below) != (IDENTITY_POSE, IDENTITY_POSE):
            element = draft.copy(joint.source)
            write_pose(
                element,
                compose(compose(above, joint.origin), inverse(below)),
                joint.origin,
                SHIFT_NOISE,
            )
            if joint.type in WITH_AXIS and below.rotation != IDENTITY:
                write_axis(element, rotate(below.rotation, joint.axis))
    for joint, sensor in sensors_in_joints(draft):
        # All other types are updated elsewhere.
        is_left = joint.child in left_out or sensor.get("type") not in WITHOUT_POSE
        if not is_left and T[joint.child] != IDENTITY_POSE:
            _place_sensor(draft, sensor, T[joint.child])


def sensors_in_joints(draft: RobotDraft) -> Iterator[Tuple[UrdfJoint, Element]]:
    """Yield the sensors in `<gazebo>` blocks of joints; a name shared with a link refers to the link."""
    for block in draft.robot.document.root.elements("gazebo"):
        name = block.get("reference") or ""
        joint = draft.robot.named.get(name) if name not in draft.robot.links else None
        if joint is not None:
            for sensor in block.elements("sensor"):
                yield joint, sensor


def old_to_new_poses(placements: Mapping[str, Transform]) -> Dict[str, Transform]:
    """Return T_old_new of each moved link: the inverses of its placements T_new_old, as the law of an edit reads them."""
    return {name: inverse(T_new_old) for name, T_new_old in placements.items()}


def write_axis(joint: Element, axis: Vector) -> None:
    """Write the axis of a joint, adding a missing `<axis>`."""
    made_child(joint, "axis").set("xyz", format_numbers(without_noise(axis, ANGLE_NOISE)))


def follow(
    draft: RobotDraft,
    plan: Plan,
    fixed: Collection[str] = (),
    removed_links: Collection[str] = (),
    removed_joints: Collection[str] = (),
) -> Plan:
    """Update the elements outside links and joints, and the SRDF, for a plan; return the plan with these updates.

    The table of updated elements is in plan/README.md.

    Args:
        fixed: the names of joints that become fixed.
        removed_links: the names of removed links.
        removed_joints: the names of removed joints, also of those that share their name with a remaining link.
    """
    lost = RemovedNames(
        links=frozenset(removed_links), joints=frozenset(removed_joints), fixed=frozenset(fixed)
    )
    changes = ReferenceChanges(plan.robot, plan.members, plan.placements, plan.maps)
    references = tuple(find_references(plan.robot, lost.links | lost.joints))
    # Removals come first: nothing in removed elements is updated or gets a warning.
    remove_what_goes(draft, changes, references, lost)
    updates = update_references(changes, references)
    plan = plan._replace(updates=updates, warnings=updates.warnings)
    carry_out_updates(draft.document, plan)
    draft.notes += updates.notes
    draft.warnings += updates.warnings
    if draft.srdf is not None:
        followed = follow_srdf(draft.srdf, plan, lost)
        draft.srdf_notes += followed.notes
        draft.srdf_warnings += followed.warnings
    return plan


def plan_of(
    draft: RobotDraft, placements: Mapping[str, Transform] = {}, robot: Optional[UrdfRobot] = None
) -> Plan:
    """Return a plan that only moves the frames of links, for `robot` or else the robot of the draft."""
    plan = make_plan(robot or draft.robot, NOTHING)
    return plan._replace(placements={**plan.placements, **placements})


def axes_note(robot: UrdfRobot, R_world_base: Matrix = IDENTITY) -> str:
    """Return the note on the directions of the base's axes, if they are along directions of the world; else ""."""
    base = find_base_frame(robot)
    columns = transpose(multiply(base.R_new_old, R_world_base))
    words = [
        next(
            (
                word
                for word, direction in DIRECTIONS.items()
                if norm(subtract(column, direction)) < SAME_FRAME
            ),
            "",
        )
        for column in columns
    ]
    named = " ".join(f"{axis}={word}" for axis, word in zip("xyz", words))
    return provenance_note(robot, base._replace(words=named), reorient=False) if all(words) else ""


def _require_joints_that_turn_round(draft: RobotDraft, path: Sequence[UrdfJoint]) -> None:
    """Refuse joints on the path to a new root whose coordinates would change their meaning."""
    names = [joint.name for joint in draft.robot.joints]
    for joint in path:
        if names.count(joint.name) > 1:
            raise draft.refused(
                f"joint '{joint.name}' is defined {names.count(joint.name)} times, for several links that move as one: "
                "merge them with simplify, and re-root its result",
                joint.source.line,
            )
        if joint.type in ("planar", "floating"):
            raise draft.refused(
                f"joint '{joint.name}' is {joint.type}: its position would be measured from the other body, so no "
                f"link beyond it can be the root",
                joint.source.line,
            )


def root(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Make a link the root: each joint on the path to it is reversed, and keeps its sign.

    A joint with origin T and axis a, from L to its child, is reversed with origin inverse(T) and axis -R a in the frame
    of L. The axis of a revolute joint must pass through the origin of its child, so the frame of L is shifted to the
    nearest point of this axis; no frame is turned.

    Raises:
        UsageError: the link, or a joint on the path to it, cannot be used.
    """
    name = draft.require_link(only_word(draft, words, "the link that becomes the root"))
    path = draft.path_to(name)
    old_root = draft.robot.root
    if old_root in WORLD_LINKS and path:
        raise draft.refused(
            f"'{old_root}' fixes the robot to the world, and a new root would be free; to re-root the robot on it: give "
            f"--only {path[0].child} before --root",
            path[0].source.line,
        )
    _require_joints_that_turn_round(draft, path)
    placements = _shifted_to_axes(path)
    place_frames(draft, placements, {joint.child for joint in path})
    for joint in path:
        T_parent = placements.get(joint.parent, IDENTITY_POSE)
        T_child = placements.get(joint.child, IDENTITY_POSE)
        _turn_round(draft, joint, T_parent, T_child)
    _follow_root(draft, name, path)
    T_old_new = old_to_new_poses(placements)
    for link, T in T_old_new.items():
        draft.note(draft.robot.links[link].source, "shifted", short(T.translation))
    # The frames of the links are not turned, so the new base is turned as the joints on the path turn it.
    R_old_new = IDENTITY
    for joint in path:
        R_old_new = multiply(R_old_new, joint.origin.rotation)
    new_root = name if path else ""
    note = axes_note(draft.robot, R_old_new) if R_old_new != IDENTITY else None
    return EditResult(
        law=EditLaw(frames=T_old_new, root=new_root),
        did=f"root {old_root} -> {name}, {count_of(len(path), 'joint')} turned round",
        base=note,
    )


def _shifted_to_axes(path: Sequence[UrdfJoint]) -> Dict[str, Transform]:
    """Return T_new_old of the parents of joints whose axes miss the origins of the parents."""
    placements = {}
    for joint in path:
        if joint.type not in TURNING:
            continue
        at = joint.origin.translation
        axis = rotate(joint.origin.rotation, joint.axis)
        shift = subtract(at, scale(dot(at, axis), axis))
        if norm(shift) > SHIFT_NOISE:
            # The shift is rounded as it will be written, so that every element uses the same value.
            rounded = as_written(without_noise(shift, SHIFT_NOISE))
            placements[joint.parent] = Transform(IDENTITY, scale(-1.0, rounded))
    return placements


def _turn_round(
    draft: RobotDraft, joint: UrdfJoint, T_parent: Transform, T_child: Transform
) -> None:
    """Reverse a joint between its child and its parent, whose frames were moved by T_new_old."""
    element = draft.copy(joint.source)
    origin = compose(T_child, compose(inverse(joint.origin), inverse(T_parent)))
    write_pose(element, origin, joint.origin, SHIFT_NOISE)
    for tag, link in (("parent", joint.child), ("child", joint.parent)):
        part = element.find(tag)
        if part is not None:
            part.set("link", link)
    if joint.type in WITH_AXIS:
        write_axis(element, scale(-1.0, rotate(joint.origin.rotation, joint.axis)))
    # Its sensors were in the frame of the child, and are now in the frame of the old parent.
    _turn_sensors(draft, joint, compose(T_parent, joint.origin))


def _turn_sensors(draft: RobotDraft, joint: UrdfJoint, T_new_old: Transform) -> None:
    """Reverse the sensors in a joint: they were in its child, which is now its parent.

    By default, a force-torque sensor measures in the child, from child to parent (http://sdformat.org/spec,
    force_torque).
    """
    for owner, sensor in sensors_in_joints(draft):
        if owner is joint:
            copy = draft.copy(sensor)
            if sensor.get("type") == "force_torque":
                settings = made_child(copy, "force_torque")
                for path, (first, second) in OF_JOINTS.items():
                    part = made_child(settings, posixpath.basename(path))
                    text = part.text().strip() or first
                    part.set_text({first: second, second: first}.get(text, text))
            _place_sensor(draft, sensor, T_new_old)
            draft.note(sensor, "sensor", joint.name)


def _place_sensor(draft: RobotDraft, sensor: Element, T_new_old: Transform) -> None:
    """Write the pose of a sensor in the new frame of its joint.

    Raises:
        UsageError: its pose cannot be read.
    """
    pose = sensor.find("pose")
    T = pose_in(pose) if pose is not None else IDENTITY_POSE
    if T is None or pose is not None and pose.attributes:
        raise draft.refused(
            f"{place_of(sensor)} has a <pose> that cannot be moved to the new frame: write six numbers in the frame "
            "of its joint",
            sensor.line,
        )
    write_pose_in(made_child(draft.copy(sensor), "pose"), compose(T_new_old, T))


def pose_in(pose: Element) -> Optional[Transform]:
    """Return the pose of the six numbers of a `<pose>`, or None for other content."""
    numbers = numbers_in(pose.text(), 6)
    if numbers is None or pose.get("rotation_format"):
        return None
    x, y, z, *angles = numbers
    roll, pitch, yaw = (angle * angle_unit(pose) for angle in angles)
    return Transform(matrix_from_rpy((roll, pitch, yaw)), (x, y, z))


def write_pose_in(pose: Element, T: Transform) -> None:
    """Write the numbers of a `<pose>`, with angles in its own unit."""
    angles = without_noise(rpy_from_matrix(T.rotation), ANGLE_NOISE)
    turned = (angle / angle_unit(pose) for angle in angles)
    pose.set_text(format_numbers((*without_noise(T.translation, SHIFT_NOISE), *turned)))


def _follow_root(draft: RobotDraft, name: str, path: Sequence[UrdfJoint]) -> None:
    """Let the virtual joint of the SRDF hold the new root, and replace reversed chains by lists of their joints."""
    if not path:
        return
    turned = {joint.name for joint in path}
    for element in _held(draft, name):
        draft.warn_srdf(element, SRDF_ROOT, "moved", name)
    if draft.srdf is None:
        return
    for element in list(draft.srdf.root.walk()):
        if element.name == "chain" and element.parent is not None:
            ends = [draft.path_to(element.get(key) or "") for key in ("base_link", "tip_link")]
            joints = [joint for joint in ends[1] if joint not in ends[0]]
            if turned.isdisjoint(joint.name for joint in joints):
                continue
            group = element.parent
            listed = [create("joint", {"name": joint.name}) for joint in joints]
            # Backwards, because each is inserted directly after the chain.
            for joint in listed[::-1]:
                attach_behind(element, joint)
            draft.note_srdf(element, "chain", count_of(len(listed), "joint"))
            detach(group, [element], comments=False)


def _held(draft: RobotDraft, root: str) -> List[Element]:
    """Let the virtual joints of the SRDF hold the root; return the changed ones."""
    joints = draft.srdf.root.elements("virtual_joint") if draft.srdf is not None else []
    others = [joint for joint in joints if joint.get("child_link") != root]
    for joint in others:
        joint.set("child_link", root)
        draft.note_srdf(joint, "renamed", root)
    return others


def add_root(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Add an empty root link on a fixed joint: KDL ignores the mass of a root.

    Raises:
        UsageError: a link or joint has this name already.
    """
    names, keys = read_words(draft, words, ("xyz", "rpy"))
    name = only_word(draft, names, "the name of the new root")
    T = pose_of(draft, keys)
    draft.require_new([name])
    above = draft.free_joint_name(f"{name}_joint")
    old_root = draft.robot.root
    if old_root == WORLD:
        if not draft.robot.tree:
            raise draft.refused("the robot is empty")
        raise draft.refused(
            "'world' is the world itself, and cannot get a parent; to add a root to the robot on it: give --only "
            f"{draft.robot.tree[0].child} before --add-root"
        )
    add_fixed_joint(draft, above, name, old_root, T, first=True)
    attach(draft.document.root, [create("link", {"name": name})], first=True)
    _held(draft, name)
    by_joint = f" by joint {above}" if above != f"{name}_joint" else ""
    note = axes_note(draft.robot, transpose(T.rotation)) if T.rotation != IDENTITY else None
    return EditResult(
        law=EditLaw(added=frozenset((name,))),
        did=f"root {name} added above {old_root}{by_joint}",
        base=note,
    )


def add_frame(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Add an empty link at a pose on another link, on a fixed joint: `camera_optical parent=camera_link optical`.

    Raises:
        UsageError: the parent does not exist, a name is taken, or a word cannot be used.
    """
    names, keys = read_words(draft, words, ("parent", "xyz", "rpy", "joint"))
    if OPTICAL in names[1:]:
        names.remove(OPTICAL)
        if "rpy" in keys:
            raise draft.refused(f"give {OPTICAL} or rpy=, not both: {OPTICAL} is {OPTICAL_RPY}")
        keys["rpy"] = OPTICAL_RPY
    name = only_word(draft, names, "the name of the new frame")
    if "parent" not in keys:
        raise draft.refused(f"give the link that '{name}' is on, such as parent={draft.robot.root}")
    parent = draft.require_link(keys["parent"])
    T = pose_of(draft, keys)
    joint_name = keys.get("joint") or draft.free_joint_name(f"{name}_joint")
    draft.require_new([name], [joint_name])
    attach(draft.document.root, [create("link", {"name": name})])
    add_fixed_joint(draft, joint_name, parent, name, T)

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that one link and one fixed joint are more."""
        joint = RawJoint(name=joint_name, type="fixed", parent=parent, child=name, T_parent_child=T)
        expected = before._replace(
            links=(*before.links, RawLink(name)), joints=(*before.joints, joint)
        )
        return ((expected, after, law),)

    return EditResult(EditLaw(), f"frame {name} added on {parent}", laws=laws)


def add_fixed_joint(
    draft: RobotDraft, name: str, parent: str, child: str, T: Transform, *, first: bool = False
) -> None:
    """Add a fixed joint to the robot, as its first or last element."""
    joint = create("joint", {"name": name, "type": "fixed"})
    attach(draft.document.root, [joint], first=first)
    if T != IDENTITY_POSE:
        rpy = without_noise(rpy_from_matrix(T.rotation), ANGLE_NOISE)
        attach(
            joint,
            [create("origin", {"xyz": format_numbers(T.translation), "rpy": format_numbers(rpy)})],
        )
    attach(joint, [create("parent", {"link": parent})])
    attach(joint, [create("child", {"link": child})])


def remove_what_goes(
    draft: RobotDraft,
    changes: ReferenceChanges,
    references: Sequence[NameReference],
    lost: RemovedNames,
) -> None:
    """Drop each element that belongs to a removed link or joint; warn of other elements that name one.

    Args:
        references: to all names in `lost`.
        lost: removed links and joints; `fixed` are joints that remain but cannot move any more.
    """
    robot_after = changes.robot
    joints_after = {joint.name for joint in robot_after.joints}
    removed_names = (lost.links | lost.joints) - robot_after.links.keys() - joints_after
    # An earlier edit may have fixed a joint that shares a transmission with one of these.
    fixed_joints = {joint.name for joint in robot_after.joints if joint.type == "fixed"}
    immobile = lost.joints | lost.fixed | fixed_joints
    for reference in references:
        element = reference.element
        name = reference.name
        if changes.is_dropped(element):
            continue
        # A removed joint and a remaining link may share a name.
        is_of_joint = "joint" in (element.name, reference.attribute)
        is_gone = name in removed_names or (name in lost.joints and is_of_joint)
        dropped: List[Element] = []
        if is_gone:
            dropped = elements_that_go(reference, immobile.__contains__)
        elif name in lost.fixed:
            dropped = _driving(reference, immobile.__contains__)
        for holder in dropped:
            changes.drop(holder)
        if dropped:
            draft.note(dropped[0], "dropped", name)
        elif is_gone:
            changes.warn_at(element, DROPPED_NAME, "named", reference.place, name)


def elements_that_go(reference: NameReference, immobile: Callable[[str], bool]) -> List[Element]:
    """Return the elements to remove with the link or joint that a reference names; [] if they are kept.

    A transmission is removed if all its joints are `immobile`.
    """
    if not reference.whole:
        return []
    element = reference.element
    top = reference.top
    part: Optional[Element] = top
    if top.name == "gazebo":
        return [top] if element is top and reference.attribute == "reference" else []
    if top.name == "ros2_control":
        part = next((above for above in element.upward() if above.name in PARTS_OF_CONTROL), None)
        # It mimics the removed joint.
        if part is not None and part.name == "joint" and part.get("name") != reference.name:
            return [
                parameter
                for parameter in part.elements("param")
                if parameter.get("name") in MIMIC_PARAMETERS
            ]
    if part is not None and part.name == "transmission":
        return [part] if all(map(immobile, joints_named_in(part))) else []
    if top.name == "drake:collision_filter_group":
        return [element]
    return [part] if part is not None and (is_known(top) or top.name == "sensor") else []


def _driving(reference: NameReference, immobile: Callable[[str], bool]) -> List[Element]:
    """Return the transmission, or the part of a `<ros2_control>`, that drives a joint that becomes fixed."""
    if reference.top.name not in ("transmission", "ros2_control"):
        return []
    for above in reference.element.upward():
        if above.name == "transmission":
            return [above] if all(map(immobile, joints_named_in(above))) else []
        if (
            above.name == "joint"
            and above.parent is reference.top
            and reference.top.name == "ros2_control"
        ):
            return [above] if above.get("name") == reference.name else []
    return []
