"""Verify an edit by its law: the allowed changes, and the map between the robot before and after. All else is equal.

Nothing is searched. The robot before is changed as the law states (parts removed, held, mirrored, renamed) and compared
with the robot after as a complete copy: motion, masses, limits, shapes, frames, sensors, and the names that a
comparison reads. Content without a field in `RawRobot`, such as a plugin, is not compared here.
"""

from __future__ import annotations

from typing import AbstractSet, Container, List, Mapping, Tuple

from ..base.number_text import grouped
from ..base.record_type import Record
from ..base.graph_walks import reached_from
from ..formats.format_values import FormatLoss
from ..formats.reader_helpers import check_tree, held_by_world
from ..base.type_aliases import Names
from ..robot.canonical_robot import canonical, CanonicalRobot, FRAME
from ..robot.change_whole_robot import renamed, without_links
from ..robot.joint_motion import held_at
from ..robot.raw_robot import (
    RawJoint,
    RawLink,
    RawLoop,
    RawMass,
    RawRobot,
    RawSensor,
    RawShape,
    SLIDING,
    Word,
)
from ..urdf.urdf_records import AS_IT_WAS, JointMap
from ..urdf.spatial_math import compose, IDENTITY, IDENTITY_POSE, inverse, Transform, Vector
from .all_differences import differences_of, settings_of
from .difference_records import Difference, Differences, ComparisonSettings, Tolerances
from .placed_shapes import scale_of
from .robot_map import JointMapping, lay
from .difference_kinds import KINDS, NOTED

# Ten times the error of numbers of 17 digits on the largest robots: an edit rounds nothing.
CLOSE = Tolerances(*(1e-8,) * 7)
# Words of a force-torque sensor in SDF that depend on the direction of its joint, with both values: the first is the
# default. An exchange of the joint's parent and child exchanges the values.
OF_JOINTS = {
    "force_torque/frame": ("child", "parent"),
    "force_torque/measure_direction": ("child_to_parent", "parent_to_child"),
}


class EditLaw(Record):
    """The allowed changes of an edit; without them both robots are equal.

    Names that are not in a mapping stay. A name that several joints have applies to all of them.

    Attributes:
        links, joints: new names by old ones; others: of sensors, actuators, loops, and frames that are not links.
        removed: names of removed links of the robot before; added: names of new links of the robot after.
        maps: by the old name of a joint: its new position is sign * (q - zero) [rad or m] where it was q.
        held: positions [rad or m] of joints that are fixed now, by their old names.
        frames: T_old_new by the old name of a link: its new frame in the old frame, if it moved on its body; for the
            root, the new place of the base.
        root: the new name of the root link, if it was a different link.
        files: new names of meshes and images by old ones; the meshes are then compared as surfaces.
        rounded: meshes may be different files, of any scale, whose points are off by this part of the largest
            coordinate.
        mirrored: x, y or z: all is mirrored in the plane across this axis of the root, at `offset` [m] from it, and
            this axis of each mirrored frame is reversed, as frames are right-handed; joints keep their positions.
    """

    links: Names = {}
    joints: Names = {}
    others: Names = {}
    removed: AbstractSet[str] = frozenset()
    added: AbstractSet[str] = frozenset()
    maps: Mapping[str, JointMap] = {}
    held: Mapping[str, float] = {}
    frames: Mapping[str, Transform] = {}
    root: str = ""
    files: Names = {}
    rounded: float = 0.0
    mirrored: str = ""
    offset: float = 0.0


def verify_law(before: RawRobot, after: RawRobot, law: EditLaw) -> Differences:
    """Return the differences of two URDFs, read by `read_bytes`, that the law does not allow; () if it holds.

    Lengths and angles may be 1e-8 m and rad apart, other numbers this part of the larger. For an edit with parts from
    two robots, each part has its own law:

        verify_law(before, after, Law(links={"hand": "palm"}, joints={"wrist": "left_wrist"}))   # rename
        verify_law(before, after, Law(maps={"knee": JointMap(-1, 0.3)}))                         # flip and zero
        verify_law(before, after, Law(root="foot", frames={"shin": T_old_new}))                  # another root
        verify_law(before, after, Law(added={"base_footprint"}))                                 # a link above the root
        verify_law(before, after, Law(removed=dropped, held={"waist": 0.3}))                     # drop, lock
        verify_law(subtree(before, "arm"), after, Law(frames={"arm": T_old_new}))                # a part alone
        verify_law(before, after, Law(added=of_the_hand))                                        # attach: the robot,
        verify_law(hand, subtree(after, "left_palm"), Law(links=prefixed, joints=prefixed))      # and what is attached
        verify_law(before, after, Law(added=of_the_twin))                                        # mirror: the robot,
        verify_law(hung(before, "left"), hung(after, "right"), Law(twins, twins, mirrored="y"))  # and the twin

    Raises:
        BrokenRobot: links and joints of either robot do not form a tree, with or without the removed or added ones.
    """

    expected = _as_edited(before, law)
    new_names_of_held = [law.joints.get(name, name) for name in law.held]
    result = _without(_without_drives(after, new_names_of_held), law.added)
    root = check_tree(expected)
    root_of_law = law.root or root
    root_of_result = check_tree(result)
    if root_of_law != root_of_result:
        # With different roots the robots cannot be laid on each other: this is the whole answer.
        return (Difference("base", root, names=(root_of_law, root_of_result)),)

    # From here on names are new names.
    frames = {law.links.get(name, name): T for name, T in law.frames.items()}
    if law.mirrored:
        # `mirrored` uses the plane through the origin of the root: a plane at `offset` moves all by twice the offset.
        x, y, z = (-2.0 * law.offset * (axis == law.mirrored) for axis in "xyz")
        frames[root] = Transform(IDENTITY, (x, y, z))
    maps = {law.joints.get(name, name): joint_map for name, joint_map in law.maps.items()}
    expected, result = _with_sensors(expected, result, law)

    # An edit moves each joint of a name about its own line, so two nearly equal joints are separate here. Both
    # robots are started from the old root, which is a link of the result even if the law has another root.
    a = canonical(_apart(expected), root=root, joins_copies=False)
    b = canonical(_apart(result), root=root, joins_copies=False)
    a = _with_moved_frames(a, frames)
    # Both robots are laid on each other at the root, so its new frame moves all the rest.
    base = inverse(frames.get(root, IDENTITY_POSE))
    settings = settings_of(expected, result, CLOSE, {})
    if law.files or law.rounded:
        settings = _with_surfaces(settings, law)
    differences, _ = differences_of(lay(a, b, base, _choices(a, b, maps)), settings)
    return tuple(difference for difference in differences if _counts(difference, law))


def _as_edited(before: RawRobot, law: EditLaw) -> RawRobot:
    """Return the robot before with the changes of a law that it states for names and parts: the expected result.

    Frames and zeros stay as before: the map between the robots has these.
    """

    def in_place(joint: RawJoint) -> RawJoint:
        return held_at(joint, law.held[joint.name]) if joint.name in law.held else joint

    # All names in a law are old names, so the new names come last.
    expected = _without(before, law.removed).with_each(joints=in_place)
    expected = _without_drives(expected, law.held)
    if law.mirrored:
        expected = mirrored(expected, law.mirrored)
    return renamed(expected, law.links, law.joints, law.others, law.files)


def _with_moved_frames(robot: CanonicalRobot, frames: Mapping[str, Transform]) -> CanonicalRobot:
    """Return a robot whose frames of links lie at their places in a law: T_old_new by name, in the old frame."""
    placed = []
    for frame in robot.frames:
        # A mere frame may have the name of a link.
        if frame.kind != FRAME and frame.name in frames:
            T_root_new = compose(frame.T_root_frame, frames[frame.name])
            frame = frame._replace(T_root_frame=T_root_new)
        placed.append(frame)
    return robot._replace(frames=tuple(placed))


def _counts(difference: Difference, law: EditLaw) -> bool:
    """Return True if the law does not allow a difference."""
    if difference.kind == "mesh_rounded":
        return not law.rounded
    # An edit never turns a surface inside out, so here it is more than a note.
    return KINDS[difference.kind].of != NOTED or difference.kind == "mesh_turned"


def _with_surfaces(settings: ComparisonSettings, law: EditLaw) -> ComparisonSettings:
    """Return settings that compare meshes as surfaces; for rounded files, names are not compared."""
    from .mesh_comparison import MeshComparison  # imported here: most edits keep all meshes

    meshes = MeshComparison(CLOSE.length, CLOSE.color, rounded=law.rounded)
    unsaid = {"file": FormatLoss("file", "")} if law.rounded else {}
    return settings._replace(meshes=meshes, unsaid=unsaid)


def _without_drives(robot: RawRobot, held: Container[str]) -> RawRobot:
    """Return a robot without the drives of the joints that are held: they are removed with their motion."""
    return robot._replace(
        actuators=tuple(each for each in robot.actuators if each.joint not in held)
    )


def _choices(
    a: CanonicalRobot, b: CanonicalRobot, maps: Mapping[str, JointMap]
) -> List[JointMapping]:
    """Return the choice of each joint of A whose name and child B has."""
    indices = {(joint.raw.name, joint.raw.child): index for index, joint in enumerate(b.joints)}
    choices = []
    for index, joint in enumerate(a.joints):
        partner = indices.get((joint.raw.name, joint.raw.child))
        if partner is None:
            continue
        joint_map = maps.get(joint.raw.name, AS_IT_WAS)
        # s (q - z) = s q - s z; a URDF is drawn at zero, from where a choice counts.
        zero = -joint_map.sign * joint_map.zero
        choices.append(JointMapping(index, partner, joint_map.sign, zero))
    return choices


def _apart(robot: RawRobot) -> RawRobot:
    """Return a robot whose links are separate bodies, as fixed joints float: no sum hides the mass of a link."""

    def freed(joint: RawJoint) -> RawJoint:
        if joint.type != "fixed":
            return joint
        # Without the limits and values of the fixed joint, which nothing reads.
        return RawJoint(
            name=joint.name,
            type="floating",
            parent=joint.parent,
            child=joint.child,
            T_parent_child=joint.T_parent_child,
            line=joint.line,
        )

    return robot.with_each(joints=freed)


def _without(robot: RawRobot, links: AbstractSet[str]) -> RawRobot:
    """Return a robot without some links, its base held as before; unchanged if no links are given."""
    if not links:
        return robot
    rest = without_links(robot, links)
    return rest._replace(base=held_by_world(rest))


def subtree(robot: RawRobot, top: str) -> RawRobot:
    """Return a link and its descendants as a robot, with that link as the root."""
    below = links_below(robot, top)
    return _without(robot, {link.name for link in robot.links} - below)


def hung(robot: RawRobot, top: str, base: Transform = IDENTITY_POSE) -> RawRobot:
    """Return a link and its descendants, with its joint directly on the root, which has nothing else.

    The joints between are at zero: so a twin that hangs on the same link is the mirror image in the root's frame, or in
    the frame where the root's frame is at `base`. `top` is not the root.
    """
    joint_above = {joint.child: joint for joint in robot.joints}
    root = check_tree(robot)
    T_root_top = IDENTITY_POSE
    link_name = top
    while link_name != root:
        joint = joint_above[link_name]
        T_root_top = compose(joint.T_parent_child, T_root_top)
        link_name = joint.parent
    T_root_top = compose(base, T_root_top)
    kept = links_below(robot, top)
    joint_of_top = joint_above[top]._replace(parent=root, T_parent_child=T_root_top)
    bare = robot._replace(
        links=tuple(RawLink(root) if link.name == root else link for link in robot.links),
        joints=(joint_of_top, *(joint for joint in robot.joints if joint.parent in kept)),
        frames=tuple(frame for frame in robot.frames if frame.link in kept),
        sensors=tuple(sensor for sensor in robot.sensors if sensor.link in kept),
    )
    return _without(bare, {link.name for link in robot.links} - kept - {root})


def links_below(robot: RawRobot, top: str) -> AbstractSet[str]:
    """Return the names of a link and of all its descendants."""
    children = grouped((joint.parent, joint.child) for joint in robot.joints)
    return reached_from([top], lambda link: children.get(link, ())).keys()


def mirrored(robot: RawRobot, axis: str) -> RawRobot:
    """Return the mirror image of a robot in the plane across an axis (x, y or z) of its root, through its origin.

    Each pose T becomes D T D, where D is the identity with -1 at the axis. A turning axis is a pseudovector, -D a; a
    slide follows D a. So positions of joints are equal in the mirror image.
    """
    signs = tuple(-1.0 if name == axis else 1.0 for name in "xyz")  # the diagonal of D

    def image(v: Vector, sign: float = 1.0) -> Vector:
        return (sign * signs[0] * v[0], sign * signs[1] * v[1], sign * signs[2] * v[2])

    def of_pose(T: Transform) -> Transform:
        # The rows of D R D: D on the right changes the signs in each row, D on the left the signs of rows.
        x, y, z = (image(row, sign) for row, sign in zip(T.rotation, signs))
        return Transform((x, y, z), image(T.translation))

    def of_mass(mass: RawMass) -> RawMass:
        xx, xy, xz, yy, yz, zz = mass.tensor
        # A product of inertia changes its sign if just one of its two axes does.
        p, q, r = signs[0] * signs[1], signs[0] * signs[2], signs[1] * signs[2]
        return mass._replace(center=image(mass.center), tensor=(xx, p * xy, q * xz, yy, r * yz, zz))

    def of_shape(shape: RawShape) -> RawShape:
        surface = dict(shape.surface)
        # The first direction of friction (SDF <fdir1>) is the only value of a surface that has a direction.
        if "direction1" in surface:
            surface["direction1"] = image(surface["direction1"])  # type: ignore[arg-type]
        # A mesh is mirrored by its scale; a primitive is its own mirror image.
        sizes = image(scale_of(shape)) if shape.geometry == "mesh" else shape.sizes
        return shape._replace(
            T_link_shape=of_pose(shape.T_link_shape), surface=surface, sizes=sizes
        )

    def of_link(link: RawLink) -> RawLink:
        mass = of_mass(link.mass) if link.mass is not None else None
        return link._replace(mass=mass, shapes=tuple(map(of_shape, link.shapes)))

    def of_joint(joint: RawJoint) -> RawJoint:
        sign = 1.0 if joint.type in SLIDING else -1.0
        return joint._replace(
            T_parent_child=of_pose(joint.T_parent_child),
            point=image(joint.point),
            axis=image(joint.axis, sign),
        )

    def of_loop(loop: RawLoop) -> RawLoop:
        first, second = loop.T_link_end
        axis = loop.axis and image(loop.axis)
        return loop._replace(T_link_end=(of_pose(first), of_pose(second)), axis=axis)

    return robot.with_each(
        links=of_link,
        joints=of_joint,
        frames=lambda frame: frame._replace(T_link_frame=of_pose(frame.T_link_frame)),
        loops=of_loop,
        sensors=lambda sensor: sensor._replace(T_link_sensor=of_pose(sensor.T_link_sensor)),
    )


def _with_sensors(a: RawRobot, b: RawRobot, law: EditLaw) -> Tuple[RawRobot, RawRobot]:
    """Return both robots with sensors written alike: the names in their words, and the measuring frames in joints.

    `a` is the expected result, `b` the robot after the edit. A joint whose parent and child are exchanged, as by another
    root, has its sensor on the other link, with the opposite direction.
    """
    names = {**law.others, **law.joints, **law.links}
    ends_b = {joint.name: (joint.parent, joint.child) for joint in b.joints}
    exchanged = {
        joint.name: joint
        for joint in a.joints
        if ends_b.get(joint.name) == (joint.child, joint.parent)
    }

    def of_a(sensor: RawSensor) -> RawSensor:
        joint = exchanged.get(sensor.joint)
        words = _with_new_names(sensor, names)
        if joint is None:
            return sensor._replace(words=(*words, *_words_of_joint(sensor, is_exchanged=False)))
        words = (*words, *_words_of_joint(sensor, is_exchanged=True))
        # The sensor was on the joint's child, and is now on its parent.
        T_parent_sensor = compose(joint.T_parent_child, sensor.T_link_sensor)
        return sensor._replace(words=words, link=joint.parent, T_link_sensor=T_parent_sensor)

    def of_b(sensor: RawSensor) -> RawSensor:
        # An edit may write the new name into the words of a sensor, or leave the old one: both are read as the new name.
        words = _with_new_names(sensor, names)
        return sensor._replace(words=(*words, *_words_of_joint(sensor, is_exchanged=False)))

    return a.with_each(sensors=of_a), b.with_each(sensors=of_b)


def _with_new_names(sensor: RawSensor, names: Mapping[str, str]) -> Tuple[Word, ...]:
    """Return the words of a sensor with new names by old ones, without the words that depend on its joint."""
    words: List[Word] = []
    for path, attributes, text in sensor.words:
        if path not in ("force_torque", *OF_JOINTS):
            new_attributes = tuple((key, names.get(value, value)) for key, value in attributes)
            words.append((path, new_attributes, names.get(text, text)))
    return tuple(words)


def _words_of_joint(sensor: RawSensor, *, is_exchanged: bool) -> Tuple[Word, ...]:
    """Return the words of a force-torque sensor that depend on its joint; () for other sensors.

    `is_exchanged`: with the values for the joint whose parent and child are exchanged.
    """
    if sensor.kind != "force_torque":
        return ()
    texts = {path: text for path, _, text in sensor.words}
    words: List[Word] = []
    for path, (first, second) in OF_JOINTS.items():
        text = texts.get(path) or first  # a missing word means the default
        if is_exchanged:
            text = {first: second, second: first}.get(text, text)
        words.append((path, (), text))
    return tuple(words)
