"""The edit `mirror`: a mirrored twin of a sub-tree. Only the origin of its first joint is computed.

Every frame F of the sub-tree has the image D F D in the twin, where D is the identity with -1 at the axis of the
mirror. For y, positions are (x, -y, z), rotations (-roll, pitch, -yaw), and the products ixy and iyz of a tensor change
their sign. The axis of a prismatic joint is (x, -y, z). The axis of a revolute joint is (-x, y, -z), so that equal
positions of sub-tree and twin are mirror images.
"""

from __future__ import annotations

from typing import AbstractSet, Callable, Dict, FrozenSet, Mapping, Sequence, Set, Tuple

from ..apply.apply_plan_passes import made_child, write_pose
from ..base.run_diagnostics import SENSOR_FRAME
from ..base.number_text import (
    count_of,
    format_numbers,
    grouped,
    numbers_in,
    read_numbers,
    without_noise,
)
from ..compare.verify_edit import hung, EditLaw
from ..base.type_aliases import Names
from ..facts.robot_values import (
    DIRECTION,
    FRAME_POSE,
    OFFSET_POSE,
    ORIGIN,
    POSE,
    FrameDependentValue,
    value_place,
)
from ..facts.simulator_values import WITHOUT_POSE
from ..facts.frame_dependent_values import is_loop, values_in
from ..plan.reference_updates import ANGLE_NOISE_OF_POSES, place_of
from ..plan.update_references import tree_of
from ..plan.update_values import text_at
from ..robot.raw_robot import RawRobot
from ..urdf.urdf_records import UrdfJoint, MOVABLE, poses_at, WITH_AXIS
from ..urdf.lossless_xml import Element
from ..plan.kept_links import find_references, NameReference
from ..urdf.spatial_math import add, IDENTITY_POSE, Matrix, multiply, Transform, rotate, Vector
from ..urdf.xml_edits import attach, attach_behind, copy_element
from .move_frames import pose_in, SHIFT_NOISE, write_pose_in
from .edit_diagnostics import MIRROR_LEFT
from .edit_laws import whole
from .scaled_mesh_files import scaled_files
from .rename_elements import (
    check_meanings,
    check_owners,
    controls,
    is_a_name,
    rename_joint,
)
from .robot_draft import RobotDraft, EditResult, write
from .mirrored_twin import (
    mirror_srdf,
    name_of_twin,
    negated,
    MirrorPlane,
    negate_numbers,
    MirroredTwin,
)
from .name_clashes import FRAMES, JOINTS, LINKS, Named, names_twice, STATES
from .edit_value_words import pattern_of, read_words

# The values of `meshes=`: how the meshes of a twin are mirrored.
SCALE = "scale"
FILES = "files"


def mirror(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Add a twin of the sub-tree at a link: `left_shoulder left=right plane=y meshes=files`.

    Raises:
        UsageError: a name of the twin is missing or taken, or an element of the sub-tree has no mirror image.
    """
    names, values = read_words(draft, words, ("plane", "meshes"))
    if len(names) != 2 or "=" not in names[1]:
        raise draft.refused(
            "give a link and what its names become, such as 'left_shoulder left=right'"
        )
    top = draft.require_link(names[0])
    twin = _twin_of(draft, top, names[1], _plane(draft, values.get("plane", "y")))
    meshes = values.get("meshes", SCALE)
    if meshes not in (SCALE, FILES):
        raise draft.refused(f"meshes={meshes}: give {SCALE} or {FILES}")
    # All refusals come before anything is copied.
    check_meanings(draft, twin.links)
    check_owners(draft, twin.links, twin.links)
    cure = f": drop it first, with --drop {twin.links[top]} before --mirror"
    draft.require_new(twin.links.values(), twin.joints.values(), cure)

    files = _mirrored_files(draft, twin, twin.links[top]) if meshes == FILES else {}
    copies = _copy_parts(draft, twin, _origin_of(draft, twin), files)
    _copy_outside(draft, twin, copies)
    mirror_srdf(draft, twin)
    plane = twin.plane
    count = count_of(len(twin.links), "link")
    # The robot is unchanged, and the twin, rooted at the parent of its first joint, is its mirror image.
    return EditResult(
        law=EditLaw(added=frozenset(twin.links.values())),
        did=f"{count} of {top} mirrored in {'xyz'[plane.axis]} = {plane.offset:g}",
        laws=lambda before, after, law: (
            (before, after, law),
            (
                hung(before, top),
                hung(after, twin.links[top]),
                _law_of(twin, before)._replace(files=files),
            ),
        ),
        twice=_names_twice_in(draft, twin),
        cure=": rename one of them in the file",
    )


def _twin_of(draft: RobotDraft, top: str, renaming: str, plane: MirrorPlane) -> MirroredTwin:
    """Return the twin of a link and its descendants: the mirror plane and the new names.

    Raises:
        UsageError: the link is the root, a joint has no mirror image, or the renaming does not fit a name.
    """
    robot = draft.robot
    first = robot.above.get(top)
    if first is None:
        raise draft.refused(f"'{top}' is the root: mirror what hangs on it")
    links = draft.below(top)
    name_of = _renaming(draft, renaming)
    joints = [robot.above[link] for link in links]
    for joint in joints:
        if joint.type not in (*MOVABLE, "fixed"):
            raise draft.refused(
                f"joint '{joint.name}' is {joint.type}: its position cannot be mirrored",
                joint.source.line,
            )
    return MirroredTwin(
        plane=plane,
        links={link: name_of(link) for link in links},
        joints={joint.name: name_of(joint.name) for joint in joints},
        first=first,
        name_of=name_of,
    )


def _origin_of(draft: RobotDraft, twin: MirroredTwin) -> Transform:
    """Return the origin of the first joint of the twin: the only origin whose parent frame has no image."""
    T_root = poses_at(draft.robot, {}, IDENTITY_POSE)
    G, shift = twin.plane.image(T_root[twin.first.parent])
    return _image(twin.first.origin, G, shift, twin.plane)


def _mirrored_files(draft: RobotDraft, twin: MirroredTwin, folder: str) -> Dict[str, str]:
    """Write mirrored meshes of the sub-tree into a new folder; return their new names by the old ones."""
    line_of_mesh = {}
    for link in twin.links:
        for shape in draft.robot.links[link].shapes:
            if shape.mesh:
                line_of_mesh[shape.mesh] = shape.source.line
    return scaled_files(draft, folder, line_of_mesh, twin.plane.factors)


def _names_twice_in(draft: RobotDraft, twin: MirroredTwin) -> FrozenSet[Named]:
    """Return the names that the twin may duplicate, because the sub-tree duplicates their originals."""
    names = names_twice(draft.robot.document.root)
    if draft.srdf is not None:
        names = names | names_twice(draft.srdf.root)
    return frozenset((what, _image_of_name(twin, what, name)) for what, name in names)


def _image_of_name(twin: MirroredTwin, what: str, name: str) -> str:
    """Return the name in the twin of a link, joint, frame, group or state."""
    names = twin.joints if what == JOINTS else twin.links
    if what in (LINKS, JOINTS) or what == FRAMES and name in names:
        return names.get(name, name)
    # A state is prefixed with its group, and keeps its own name.
    group, slash, state = name.partition("/") if what == STATES else (name, "", "")
    return f"{name_of_twin(twin, group)}{slash}{state}"


def _image(T: Transform, G: Matrix, shift: Vector, plane: MirrorPlane) -> Transform:
    """Return the image G T D of a pose; x -> G x + shift is the mirror in the frame of the pose."""
    return Transform(
        multiply(multiply(G, T.rotation), plane.D), add(rotate(G, T.translation), shift)
    )


def _law_of(twin: MirroredTwin, raw: RawRobot) -> EditLaw:
    """Return the law of the twin: the mirror image with its names."""
    names = [
        *(sensor.name for sensor in raw.sensors),
        *(actuator.name for actuator in raw.actuators),
        *(frame.name for frame in raw.frames),
        *(loop.name for loop in raw.loops),
    ]
    law = EditLaw(twin.links, twin.joints, {name: name_of_twin(twin, name) for name in names})
    return whole(law, raw)._replace(mirrored="xyz"[twin.plane.axis], offset=twin.plane.offset)


def _plane(draft: RobotDraft, text: str) -> MirrorPlane:
    """Return the plane of a word such as `y@0.1`."""
    axis, _, offset = text.partition("@")
    try:
        return MirrorPlane(("x", "y", "z").index(axis), read_numbers(offset or "0", 1)[0])
    except ValueError:
        raise draft.refused(
            f"plane={text}: give x, y or z, and where it lies, such as plane=y@0.1"
        ) from None


def _renaming(draft: RobotDraft, words: str) -> Callable[[str], str]:
    """Return the function that names the twin: `left=right`, or `/regex/=NEW` for names that contain it twice."""
    old, _, new = words.rpartition("=")
    pattern = pattern_of(draft, old, new)

    def name_of(name: str) -> str:
        """Return a name with the side of the twin."""
        count = len(pattern.findall(name)) if pattern else name.count(old)
        if not count:
            raise draft.refused(
                f"the name '{name}' does not contain '{old}', so its twin would have the same name"
            )
        if not old or count != 1 and not pattern:
            raise draft.refused(f"'{name}' has '{old}' {count} times: say which, as /regex/=NEW")
        return pattern.sub(new, name) if pattern else name.replace(old, new)

    return name_of


def _mirror_origin(plane: MirrorPlane, owner: Element) -> None:
    """Mirror the `<origin>` of an element."""
    origin = owner.find("origin")
    for key in ("xyz", "rpy", "quat_xyzw"):
        negate_numbers(plane, origin, key)


def _copy_parts(
    draft: RobotDraft, twin: MirroredTwin, origin: Transform, files: Names
) -> Dict[int, Element]:
    """Copy links and joints behind all others; return the copies of all their elements, by the offset of the original.

    `files` are the mirrored meshes, by the names of the originals.
    """
    robot = draft.robot
    copies: Dict[int, Element] = {}
    links = {robot.links[name].source.offset: name for name in twin.links}
    joints = {joint.source.offset: joint for joint in robot.joints if joint.child in twin.links}
    for top in robot.document.root.elements():
        if top.offset in links or top.offset in joints:
            copy = copy_element(top, copies)
            attach(draft.document.root, [copy])
            if top.offset in links:
                copy.set("name", twin.links[links[top.offset]])
                _mirror_link(copy, twin.plane, files)
            else:
                _mirror_joint(copy, joints[top.offset], twin, origin)
    return copies


def _mirror_link(copy: Element, plane: MirrorPlane, files: Names) -> None:
    """Mirror the origins, meshes and tensors in the copy of a link; `files` are mirrored files by the old names."""
    for part in copy.elements():
        if part.name in ("inertial", "visual", "collision"):
            _mirror_origin(plane, part)
    for part in copy.walk():
        if part.name == "mesh":
            file = files.get((part.get("filename") or "").strip())
            if file is not None:
                part.set("filename", file)
            else:
                part.set("scale", negated(part.get("scale") or "1 1 1", plane.signs("scale")))
        elif part.name == "inertia":
            for key, value in part.attributes.items():
                # Products of inertia with the axis of the mirror; some exporters write iyx, izx and izy too.
                is_product = len(key) == 3 and key[0] == "i" and key[1] != key[2]
                if is_product and "xyz"[plane.axis] in key:
                    part.set(key, negated(value, (0,)))


def _mirror_joint(copy: Element, joint: UrdfJoint, twin: MirroredTwin, origin: Transform) -> None:
    """Rename and mirror the copy of a joint; the first joint of the twin gets the computed origin."""
    rename_joint(copy, twin.links, twin.joints)
    if joint is twin.first:
        write_pose(copy, origin, joint.origin, SHIFT_NOISE)
    else:
        _mirror_origin(twin.plane, copy)
    if joint.type in WITH_AXIS:
        axis = made_child(copy, "axis")
        if axis.get("xyz") is None:
            axis.set("xyz", "1 0 0")
        # The axis of a prismatic joint is a vector; the axis of a revolute joint is a pseudovector.
        kind = "xyz" if joint.type == "prismatic" else "turn"
        negate_numbers(twin.plane, axis, "xyz", kind)


def _copy_outside(draft: RobotDraft, twin: MirroredTwin, copies: Dict[int, Element]) -> None:
    """Copy the elements about the sub-tree, and mirror the values in its frames; elements about both sides stay.

    Raises:
        UsageError: a loop has one end in the sub-tree and the other outside.
    """
    robot = draft.robot
    references = tuple(find_references(draft.robot))
    names = twin.links.keys() | twin.joints.keys()
    by_top = grouped((reference.top.offset, reference) for reference in references)
    for top in robot.document.root.elements():
        named = by_top.get(top.offset, [])
        inside = [reference.name for reference in named if reference.name in names]
        if inside and top.name not in ("link", "joint"):
            _copy_top(
                draft,
                twin,
                top,
                inside,
                [each.name for each in named if each.name not in names],
                copies,
            )
    _rename_copies(draft, twin, references, copies)
    _mirror_values(draft, twin, copies)


def _copy_top(
    draft: RobotDraft,
    twin: MirroredTwin,
    top: Element,
    inside: Sequence[str],
    outside: Sequence[str],
    copies: Dict[int, Element],
) -> None:
    """Copy an element of the robot that names parts of the sub-tree, if it names nothing else."""
    if top.name == "ros2_control":
        for joint in top.elements("joint"):
            if joint.get("name") in twin.joints:
                attach_behind(draft.copy(joint), copy_element(joint, copies))
    elif outside and is_loop(top):
        raise draft.refused(
            f"{place_of(top)} closes a loop between '{inside[0]}' and '{outside[0]}', which is not in the "
            "sub-tree: it cannot be mirrored",
            top.line,
        )
    # Blocks of the sub-tree are copied; other elements only if they name nothing outside.
    elif (
        top.name == "gazebo"
        and top.get("reference") in inside
        or not outside
        and (is_loop(top) or top.name in ("transmission", "frame", "sensor"))
    ):
        attach(draft.document.root, [copy_element(top, copies)])
    else:
        draft.warn(top, MIRROR_LEFT, "outside", inside[0])


def _rename_copies(
    draft: RobotDraft,
    twin: MirroredTwin,
    references: Sequence[NameReference],
    copies: Mapping[int, Element],
) -> None:
    """Write the names of the twin into the copies: of links and joints, and of the copied elements themselves."""
    for reference in references:
        copy = copies.get(reference.element.offset)
        name = reference.name
        if (
            copy is not None
            and reference.whole
            and is_a_name(reference.element, reference.attribute, name)
        ):
            # If a link and a joint share the name, the name means the joint only if the tag or attribute contains
            # "joint".
            says_joint = "joint" in f"{copy.name} {reference.attribute}"
            is_joint = name in twin.joints and (says_joint or name not in twin.links)
            names = twin.joints if is_joint else twin.links
            write(copy, reference.attribute, names.get(name, name))
    root = draft.robot.document.root
    frames_and_loops = [top for top in root.elements() if top.name == "frame" or is_loop(top)]
    for old in (*controls(root), *frames_and_loops):
        if old.offset in copies and old.get("name"):
            copies[old.offset].set("name", name_of_twin(twin, old.get("name") or ""))


def _mirror_values(draft: RobotDraft, twin: MirroredTwin, copies: Mapping[int, Element]) -> None:
    """Mirror the values in copies, by the table of values that are expressed in a frame.

    A pose or direction in the frame of a link outside the twin gets its image there; any other value there stays, with
    a warning. Names, ranges and signs have no frame, so they stay without a warning.
    """
    robot = draft.robot
    # The places of values that are mirrored, or that stay with a warning.
    settled_places: Set[Tuple[int, str]] = set()
    for value in values_in(tree_of(robot)):
        if value.element.offset in copies and value.link:
            # Two rules may share a place, and mirroring twice would undo it.
            value = value._replace(
                places=tuple(
                    (element, key)
                    for element, key in value.places
                    if (element.offset, key) not in settled_places
                )
            )
            if value.link in twin.links:
                _mirror_value(draft, twin, value, copies)
            elif value.kind == POSE:
                _mirror_outside(draft, twin, value, copies)
            elif value.kind == DIRECTION:
                _mirror_direction_outside(draft, twin, value, copies)
            # Such as the offsets of a plugin in the frame of a body that the plugin names.
            elif value.kind in (FRAME_POSE, OFFSET_POSE, ORIGIN):
                draft.warn(value.element, MIRROR_LEFT, "frame", value.link)
            settled_places.update((element.offset, key) for element, key in value.places)
    _mirror_frameless(draft, twin, copies, settled_places)


def _mirror_frameless(
    draft: RobotDraft,
    twin: MirroredTwin,
    copies: Mapping[int, Element],
    settled_places: AbstractSet[Tuple[int, str]],
) -> None:
    """Mirror poses in joints and directions of friction in copies: the table has no frame for these.

    `settled_places` are the offsets of elements and the keys of values that are mirrored, or stay with a warning.
    """
    for top in draft.robot.document.root.elements():
        if top.offset not in copies:
            continue
        for element in top.walk():
            if (element.offset, "") in settled_places or element.parent is None:
                continue
            if element.name == "pose" and element.parent.get("type") in WITHOUT_POSE:
                negate_numbers(twin.plane, copies[element.offset], "", "pose")
            elif element.name == "fdir1":
                negate_numbers(twin.plane, copies[element.offset], value_place(element), "xyz")


def _mirror_outside(
    draft: RobotDraft, twin: MirroredTwin, value: FrameDependentValue, copies: Mapping[int, Element]
) -> None:
    """Write the image of a pose in a frame outside the sub-tree, which has no image itself."""
    T_root = poses_at(draft.robot, {}, IDENTITY_POSE)[value.link]
    G, shift = twin.plane.image(T_root)
    for element, _ in value.places:
        T = pose_in(element) if element.offset in copies else None
        if T is None:
            draft.warn(value.element, MIRROR_LEFT, "frame", value.link)
        else:
            write_pose_in(copies[element.offset], _image(T, G, shift, twin.plane))


def _mirror_direction_outside(
    draft: RobotDraft, twin: MirroredTwin, value: FrameDependentValue, copies: Mapping[int, Element]
) -> None:
    """Write the image of a direction along the axes of a link outside the sub-tree, which has no image itself."""
    ((element, key),) = value.places
    numbers = numbers_in(text_at((element, key)), 3)
    if numbers is None:
        draft.warn(value.element, MIRROR_LEFT, "frame", value.link)
        return
    x, y, z = numbers
    G, _ = twin.plane.image(poses_at(draft.robot, {}, IDENTITY_POSE)[value.link])
    write(
        copies[element.offset],
        key,
        format_numbers(without_noise(rotate(G, (x, y, z)), ANGLE_NOISE_OF_POSES)),
    )


def _mirror_value(
    draft: RobotDraft, twin: MirroredTwin, value: FrameDependentValue, copies: Mapping[int, Element]
) -> None:
    """Mirror a value in the copy of its element, or warn that it stays."""
    kinds = {
        POSE: ("pose",),
        OFFSET_POSE: ("xyz", "rpy"),
        DIRECTION: ("xyz",),
    }.get(value.kind, ())
    for index, (element, key) in enumerate(value.places):
        copy = copies.get(element.offset)
        if copy is None or key.startswith("<"):
            continue
        if value.kind == ORIGIN:
            negate_numbers(twin.plane, copy, key)
        elif kinds:
            negate_numbers(twin.plane, copy, key, kinds[min(index, len(kinds) - 1)])
    # The frame of a sensor is itself mirrored.
    if (
        value.warning is not None
        and value.warning[0] is not SENSOR_FRAME
        and not kinds
        and value.kind != ORIGIN
    ):
        draft.warn(value.element, MIRROR_LEFT, "frame", value.link)
