"""Verify an edit by its law: the allowed changes, and the map between the robot before and after. All else is equal.

Nothing is searched. The robot before is changed as the law states (parts removed, held, mirrored, renamed) and compared
with the robot after as a complete copy: motion, masses, limits, shapes, frames, sensors, and the names that a
comparison reads. Content without a field in `RawRobot`, such as a plugin, is not compared here.
"""

from __future__ import annotations

from typing import AbstractSet, Container, List, Mapping, Tuple

from ..base.number_text import grouped
from ..base.record import Record
from ..base.walk import reached_from
from ..formats.values import Loss
from ..formats.reading import check_tree, held_by_world
from ..robot.canonical import canonical, CanonicalRobot, FRAME, Names, renamed, without_links
from ..robot.motion import held_at
from ..robot.records import (
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
from ..urdf.model import AS_IT_WAS, JointMap
from ..urdf.spatial import compose, IDENTITY, IDENTITY_POSE, inverse, Transform, Vector
from .all_differences import differences_of, settings_of
from .differences import Difference, Differences, ComparisonSettings, Tolerances
from .placed import scale_of
from .robot_map import Choice, lay
from .words import KINDS, NOTED

CLOSE = Tolerances(
    *(1e-8,) * 7
)  # ten times the error of numbers of 17 digits on the largest robots
OF_JOINTS = {  # the frames of a force-torque sensor: the first is the default
    "force_torque/frame": ("child", "parent"),
    "force_torque/measure_direction": ("child_to_parent", "parent_to_child"),
}


class EditLaw(Record):
    """The allowed changes of an edit; without them both robots are equal.

    Names that are not in a mapping stay. A name that several joints have applies to all of them.

    Attributes:
        links, joints: new names by old ones; others: of sensors, actuators, loops, and frames that are no
            links.
        removed: links of the robot before that are gone; added: new links of the robot after.
        maps: by the old name of a joint: it is at sign * (q - zero) [rad or m] where it was at q.
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

    # The changes of the law are applied to the first robot, in the order of the edits.
    def in_place(joint: RawJoint) -> RawJoint:
        return held_at(joint, law.held[joint.name]) if joint.name in law.held else joint

    expected = _without(before, law.removed).with_each(joints=in_place)
    expected = _without_drives(expected, law.held)
    if law.mirrored:
        expected = mirrored(expected, law.mirrored)
    expected = renamed(expected, law.links, law.joints, law.others, law.files)

    new_names = [law.joints.get(name, name) for name in law.held]
    result = _without(_without_drives(after, new_names), law.added)
    root = check_tree(expected)
    if (law.root or root) != check_tree(result):
        # With different roots the robots cannot be laid on each other: this is the whole answer.
        return (Difference("base", root, names=(law.root or root, check_tree(result))),)

    # From here on names are new names.
    frames = {law.links.get(name, name): T for name, T in law.frames.items()}
    if law.mirrored:
        # `mirrored` uses the plane through the origin of the root: a plane at `offset` moves all by twice the offset.
        x, y, z = (-2.0 * law.offset * (axis == law.mirrored) for axis in "xyz")
        frames[root] = Transform(IDENTITY, (x, y, z))
    maps = {law.joints.get(name, name): joint_map for name, joint_map in law.maps.items()}
    expected, result = _with_sensors(expected, result, law)

    # An edit moves each joint of a name about its own line, so two nearly equal joints are separate here.
    a, b = (canonical(_apart(robot), root=root, joins_copies=False) for robot in (expected, result))
    placed = []
    for frame in a.frames:
        # A frame that moved on its body is expected at its place in the law.
        if frame.kind != FRAME and frame.name in frames:
            T = compose(frame.T_root_frame, frames[frame.name])
            frame = frame._replace(T_root_frame=T)
        placed.append(frame)
    a = a._replace(frames=tuple(placed))
    # Both robots are laid on each other at the root, so its new frame moves all the rest.
    base = inverse(frames.get(root, IDENTITY_POSE))
    settings = settings_of(expected, result, CLOSE, {})
    if law.files or law.rounded:
        settings = _with_surfaces(settings, law)
    differences, _ = differences_of(lay(a, b, base, _choices(a, b, maps)), settings)
    return tuple(difference for difference in differences if _counts(difference, law))


def _counts(difference: Difference, law: EditLaw) -> bool:
    if difference.kind == "mesh_rounded":
        return not law.rounded
    # An edit never turns a surface inside out, so here it is more than a note.
    return KINDS[difference.kind].of != NOTED or difference.kind == "mesh_turned"


def _with_surfaces(settings: ComparisonSettings, law: EditLaw) -> ComparisonSettings:
    """Return settings that compare meshes as surfaces; for rounded files, names are not compared."""
    from .mesh_comparison import MeshComparison

    meshes = MeshComparison(CLOSE.length, CLOSE.color, rounded=law.rounded)
    return settings._replace(
        meshes=meshes, unsaid={"file": Loss("file", "")} if law.rounded else {}
    )


def _without_drives(robot: RawRobot, held: Container[str]) -> RawRobot:
    """Return a robot without the drives of the joints that are held: they are removed with their motion."""
    return robot._replace(
        actuators=tuple(each for each in robot.actuators if each.joint not in held)
    )


def _choices(a: CanonicalRobot, b: CanonicalRobot, maps: Mapping[str, JointMap]) -> List[Choice]:
    """Return the choice of each joint of A whose name and child B has."""
    indices = {(joint.raw.name, joint.raw.child): index for index, joint in enumerate(b.joints)}
    pairs = [
        (index, indices.get((joint.raw.name, joint.raw.child)), maps.get(joint.raw.name, AS_IT_WAS))
        for index, joint in enumerate(a.joints)
    ]
    return [
        # s (q - z) = s q - s z
        Choice(index, partner, joint_map.sign, -joint_map.sign * joint_map.zero)
        for index, partner, joint_map in pairs
        if partner is not None
    ]


def _apart(robot: RawRobot) -> RawRobot:
    """Return a robot whose links are separate bodies, as fixed joints float: no sum hides the mass of a link."""

    def freed(joint: RawJoint) -> RawJoint:
        if joint.type != "fixed":
            return joint
        name, parent, child = joint.name, joint.parent, joint.child
        return RawJoint(
            name=name,
            type="floating",
            parent=parent,
            child=child,
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
    the frame where the root's frame is at `base`.
    """
    above = {joint.child: joint for joint in robot.joints}
    root = check_tree(robot)
    T_root_top = IDENTITY_POSE
    link = top
    while link != root:
        T_root_top = compose(above[link].T_parent_child, T_root_top)
        link = above[link].parent
    T_root_top = compose(base, T_root_top)
    below = links_below(robot, top)
    joint = above[top]._replace(parent=root, T_parent_child=T_root_top)
    bare = robot._replace(
        links=tuple(RawLink(root) if link.name == root else link for link in robot.links),
        joints=(joint, *(joint for joint in robot.joints if joint.parent in below)),
        frames=tuple(frame for frame in robot.frames if frame.link in below),
        sensors=tuple(sensor for sensor in robot.sensors if sensor.link in below),
    )
    return _without(bare, {link.name for link in robot.links} - below - {root})


def links_below(robot: RawRobot, top: str) -> AbstractSet[str]:
    """Return the names of a link and of all its descendants."""
    children = grouped((joint.parent, joint.child) for joint in robot.joints)
    return reached_from([top], lambda link: children.get(link, ())).keys()


def mirrored(robot: RawRobot, axis: str) -> RawRobot:
    """Return the mirror image D T D of each pose T, where D is the identity with -1 at an axis.

    A turning axis is a pseudovector, -D a; a slide follows D a. So positions of joints are equal in the mirror image.
    """
    signs = tuple(-1.0 if name == axis else 1.0 for name in "xyz")

    def image(v: Vector, sign: float = 1.0) -> Vector:
        return (sign * signs[0] * v[0], sign * signs[1] * v[1], sign * signs[2] * v[2])

    def of_pose(T: Transform) -> Transform:
        x, y, z = (image(row, sign) for row, sign in zip(T.rotation, signs))
        return Transform((x, y, z), image(T.translation))

    def of_mass(mass: RawMass) -> RawMass:
        xx, xy, xz, yy, yz, zz = mass.tensor
        # A product of inertia changes its sign if just one of its two axes does.
        p, q, r = signs[0] * signs[1], signs[0] * signs[2], signs[1] * signs[2]
        return mass._replace(center=image(mass.center), tensor=(xx, p * xy, q * xz, yy, r * yz, zz))

    def of_shape(shape: RawShape) -> RawShape:
        surface = {
            name: image(value) if name == "direction1" else value  # type: ignore[arg-type]
            for name, value in shape.surface.items()
        }
        return shape._replace(
            T_link_shape=of_pose(shape.T_link_shape),
            surface=surface,
            # A mesh is mirrored by its scale; a primitive is its own mirror image.
            sizes=image(scale_of(shape)) if shape.geometry == "mesh" else shape.sizes,
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

    A joint whose parent and child are exchanged has its sensor on the other link, with the opposite direction.
    """
    names = {**law.others, **law.joints, **law.links}
    ends = {joint.name: (joint.parent, joint.child) for joint in b.joints}
    turned = {
        joint.name: joint
        for joint in a.joints
        if ends.get(joint.name) == (joint.child, joint.parent)
    }

    def words(sensor: RawSensor, *, is_turned: bool) -> Tuple[Word, ...]:
        texts = {path: text for path, _, text in sensor.words}
        said: List[Word] = []
        for path, attributes, text in sensor.words:
            if path not in ("force_torque", *OF_JOINTS):
                renamed_words = tuple((key, names.get(value, value)) for key, value in attributes)
                said.append((path, renamed_words, names.get(text, text)))
        if sensor.kind == "force_torque":
            # The frame and the side: a missing word means the first of both.
            for path, (first, second) in OF_JOINTS.items():
                text = texts.get(path) or first
                turned_text = {first: second, second: first}.get(text, text)
                said.append((path, (), turned_text if is_turned else text))
        return tuple(said)

    def with_words(sensor: RawSensor) -> RawSensor:
        joint = turned.get(sensor.joint)
        sensor = sensor._replace(words=words(sensor, is_turned=joint is not None))
        if joint is None:
            return sensor
        T_link_sensor = compose(joint.T_parent_child, sensor.T_link_sensor)
        return sensor._replace(link=joint.parent, T_link_sensor=T_link_sensor)

    return a.with_each(sensors=with_words), b.with_each(
        sensors=lambda sensor: sensor._replace(words=words(sensor, is_turned=False))
    )
