"""The plan: every decision with its reason and numbers, made before anything is edited."""

from __future__ import annotations

from itertools import chain
from typing import AbstractSet, Dict, Iterable, Iterator, List, Optional, Set, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic, Notes
from ..base.run_diagnostics import (
    AXIS_NAME,
    BASE_FRAME,
    ELEMENT_DROPPED,
    FREE_JOINT,
    INERTIA,
    MASSLESS,
    ROOT_MASS,
    UNREAD_NOTE,
    UNUSED_OPTION,
    WORLD_CONTENT,
)
from ..base.number_text import without_noise
from ..base.record_type import Record
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import (
    as_fixed,
    first_that_moves,
    UrdfJoint,
    JointMap,
    UrdfLink,
    NO_MASS,
    OF_JOINT,
    poses_at,
    UrdfRobot,
    UrdfShape,
)
from ..urdf.urdf_notes import kept_signs, unread_in_notes
from ..urdf.spatial_math import (
    compose,
    IDENTITY,
    IDENTITY_POSE,
    MassProperties,
    merge_mass,
    move,
    move_mass,
    norm,
    Transform,
    Poses,
    Vector,
    why_not_physical,
    ZERO,
)
from .base_frame import BaseFrame, find_base_frame, read_base_frame, turned_before
from .canonical_frames import (
    axis_letter,
    decide_frames,
    CanonicalFrames,
    JointFrame,
    name_frame_joints,
)
from .reference_updates import ReferenceChanges, ReferenceUpdates
from .link_merging import COPY, decide_merging, FIXED, LinkMembership, LinkMerges
from .mesh_tasks import decide_meshes, ConversionForm, MeshResult, ConversionTask, NO_CONVERSION
from .name_words import AXIS_LETTERS, AXIS_WORDS, words_of
from .kept_links import find_needs, find_references, KeepReason
from .run_options import Options
from .removed_shapes import (
    DuplicateShape,
    decide_stripping,
    find_copies,
    HardwareNearMiss,
    spare_last_shapes,
    RemovedShape,
    ShapeRemoval,
)
from .update_references import update_references

# Names made of these words and a number are not looked up by programs.
PART_WORDS = frozenset(("body", "component", "instance", "part", "solid"))
LENGTH_NOISE = 1e-15  # [m] what CAD programs write for zero
WITH_CONTENT = ("inertial", "visual", "collision")
# The <dynamics> of joints before 2010, http://wiki.ros.org/urdf/XML/joint; not read.
UNREAD_OF_JOINT = ("joint_properties",)
# Relative to the size of the robot: rounding error of a computed length that should be zero.
ROUNDING_PART = 1e-12


class JointPlan(Record):
    """A joint of the result: its new name, parent link, origin translation [m] and frame."""

    joint: UrdfJoint
    name: str
    parent: str
    xyz: Vector
    frame: JointFrame

    @property
    def map(self) -> JointMap:
        """How the joint position is mapped."""
        return self.frame.map


class LinkInBody(Record):
    """A link of the input in a rigid body: T_body_link, and its mass properties in the frame of the body, if it has any."""

    link: str
    T_body_link: Transform
    mass_properties: Optional[MassProperties]


class ResultLink(Record):
    """A link of the result, in its new frame: the input links that give it mass, itself first, and their sum.

    `mass_properties` is None if no part has an `<inertial>`.
    """

    parts: Tuple[LinkInBody, ...]
    mass_properties: Optional[MassProperties]

    @property
    def mass(self) -> float:
        """The mass [kg]; 0 without any `<inertial>`."""
        return self.mass_properties.mass if self.mass_properties else 0.0


class Plan(Record):
    """All decisions of a run.

    Attributes:
        robot, options, base: the input of the plan.
        members: by link, the link that receives its content.
        placements: by link, T_new_old from its old frame to the new frame of the link that receives its content;
            IDENTITY_POSE for a link that does not change.
        signs_kept: the child links of the joints that keep their signs.
        joints: the joints of the result, by child link, in file order; including joints that keep the frames of merged
            links.
        maps: by the new name of a joint, the map of its position.
        bodies: by link of the result, its parts and masses.
        strips, near_misses, copies: shapes that are removed as hardware, similar shapes that are kept, and removed
            copies.
        updates: the edits outside the links and joints.
        mesh_tasks: the meshes to convert.
        meshes: the converted meshes and the names of files, added by `make_meshes`.
        definitions: materials to add to the robot, because their names would otherwise mean a different look; added by
            `make_meshes`.
        noise: computed lengths below it are written as 0 [m].
        warnings: sorted by line.
    """

    robot: UrdfRobot
    options: Options
    base: BaseFrame
    signs_kept: AbstractSet[str]
    members: Dict[str, LinkMembership]
    placements: Poses
    joints: Dict[str, JointPlan]
    maps: Dict[str, JointMap]
    bodies: Dict[str, ResultLink]
    strips: Tuple[RemovedShape, ...]
    near_misses: Tuple[HardwareNearMiss, ...]
    copies: Tuple[DuplicateShape, ...]
    noise: float
    updates: ReferenceUpdates = ReferenceUpdates()
    mesh_tasks: Tuple[ConversionTask, ...] = ()
    meshes: MeshResult = MeshResult(
        converted=(), files=(), unconverted=0, names={}, uri_files={}, compiler=(), warnings=()
    )
    definitions: Tuple[Element, ...] = ()
    warnings: Notes = ()

    def is_removed(self, link: str) -> bool:
        """Return True if a link is removed: merged without keeping its frame."""
        return link not in self.members or self.members[link].merged and link not in self.joints

    @property
    def lost_frames(self) -> Texts:
        """The removed links that are only frames: programs may look up their names in TF.

        Links called by a word such as `part` and a number are parts of an assembly, which programs do not look up.
        """
        return tuple(
            name
            for name, link in self.robot.links.items()
            if self.members[name].kind == FIXED
            and self.is_removed(name)
            and link.mass < NO_MASS
            and not link.shapes
            and not PART_WORDS.issuperset(words_of(name))
        )

    @property
    def removed_shapes(self) -> Set[int]:
        """The offsets of shapes that are removed as hardware or as copies."""
        shapes = [drop.shape for drop in self.strips] + [copy.shape for copy in self.copies]
        return {shape.source.offset for shape in shapes}

    @property
    def staying_shapes(self) -> List[Tuple[str, UrdfShape]]:
        """The shapes that are kept, in file order, each with its link in the result."""
        removed = self.removed_shapes
        return [
            (self.members[link].target, shape)
            for link, shape in self.robot.shapes
            if shape.source.offset not in removed
        ]

    @property
    def bare(self) -> Texts:
        """The links of the result that lose their last shape to stripping."""
        had_shapes = {self.members[link].target for link, _ in self.robot.shapes}
        bare = had_shapes - {link for link, _ in self.staying_shapes}
        return tuple(name for name in self.robot.links if name in bare)


def make_plan(
    robot: UrdfRobot,
    options: Options,
    needs: Optional[Dict[str, KeepReason]] = None,
    mesh_form: ConversionForm = NO_CONVERSION,
) -> Plan:
    """Return the plan of a run.

    Args:
        robot: as it is read.
        options: the choices.
        needs: the links that other documents name, such as an SRDF, and why they must be kept.
        mesh_form: the form that meshes are converted to.

    Raises:
        UrdfError: an option that cannot be used, or joints that contradict each other.
    """
    # Each decision uses only earlier ones. Updates outside links and joints need all of them and come last.
    base = _choose_base(robot, options)
    signs = kept_signs(robot, keep_all=options.keep_signs)
    references = tuple(find_references(robot))
    # Needs found in the robot take precedence over needs of other documents.
    needs = {**(needs or {}), **find_needs(robot, references)}
    merging, stripping = _merge_and_strip(robot, needs, options)
    frames = decide_frames(robot, merging.members, base, signs, options)

    placements = {}
    for name, member in merging.members.items():
        # Unchanged links get IDENTITY_POSE itself, so that their digits stay as written.
        placements[name] = IDENTITY_POSE
        if member.merged or frames.turns[name] != IDENTITY:
            turned = Transform(frames.turns[member.target], ZERO)
            placements[name] = compose(turned, member.T_target_link)

    noise = max(LENGTH_NOISE, ROUNDING_PART * _size_of_robot(robot))
    joints = _plan_joints(robot, merging, frames, placements, options, noise)

    plan = Plan(
        robot=robot,
        options=options,
        base=base,
        signs_kept=signs,
        members=merging.members,
        placements=placements,
        joints=joints,
        maps=maps_of(joints),
        bodies=_merge_bodies(robot, merging.members, placements, options),
        strips=stripping.hits,
        near_misses=stripping.near_misses,
        copies=tuple(find_copies(robot, merging.members, stripping.offsets)),
        noise=noise,
    )

    updates = update_references(_changes_by(plan, merging, frames), references)

    warnings = [
        *robot.warnings,
        *merging.warnings,
        *updates.warnings,
        *merging.surfaces.warnings,
        *_dropped_elements(robot, joints),
        *_physical_warnings(plan),
        *_misnamed(plan),
        *_unused_words(robot, options),
        *stripping.warnings,
        *(
            Diagnostic(UNREAD_NOTE, 0, sentence, (text,))
            for sentence, text in unread_in_notes(robot.document)
        ),
    ]
    if base.warning:
        warnings.append(base.warning)

    tasks = decide_meshes(plan.staying_shapes, options.meshes, mesh_form)
    return plan._replace(updates=updates, mesh_tasks=tasks, warnings=by_line(warnings))


def _merge_and_strip(
    robot: UrdfRobot, needs: Dict[str, KeepReason], options: Options
) -> Tuple[LinkMerges, ShapeRemoval]:
    """Decide which links merge and which shapes are removed; no link of the result loses all shapes of a kind.

    A spared collision can be a reason to keep its link apart, and a link that stays apart has fewer shapes. So decide
    again until nothing more is spared.
    """
    stripping = decide_stripping(robot, options)
    # Ends, because hits only decrease.
    while True:
        merging = decide_merging(robot, needs, options, stripping.offsets)
        spared = spare_last_shapes(robot, merging.members, stripping)
        if spared.hits == stripping.hits:
            return merging, spared
        stripping = spared


def by_line(warnings: Iterable[Diagnostic]) -> Notes:
    """Return the warnings without duplicates, sorted by line."""
    return tuple(sorted(dict.fromkeys(warnings), key=lambda warning: warning.line))


def _changes_by(plan: Plan, merging: LinkMerges, frames: CanonicalFrames) -> ReferenceChanges:
    """Return the changes for elements that name a link or joint; links whose frames are kept still exist for them."""
    # A kept frame turns only by the cleaning of its angles.
    kept_frames = {
        name: Transform(frames.turns[name], ZERO)
        for name in plan.joints
        if plan.members[name].merged
    }
    return ReferenceChanges(
        plan.robot,
        plan.members,
        plan.placements,
        plan.maps,
        removed_shapes=plan.removed_shapes,
        unused_tags=merging.surfaces.unused,
        kept_frames=kept_frames,
    )


def _unused_words(robot: UrdfRobot, options: Options) -> List[Diagnostic]:
    """Return a notice for each `--axis` whose word occurs in no name of a moving joint."""
    moving = [joint.name for joint in robot.joints if joint.type != "fixed"]
    used = {*chain.from_iterable(map(words_of, moving))}
    return [
        Diagnostic(UNUSED_OPTION, 0, "axis", (f"{word}={AXIS_LETTERS[axis]}",))
        for word, axis in options.axis
        if word not in used
    ]


def _choose_base(robot: UrdfRobot, options: Options) -> BaseFrame:
    """Return the base frame from the options, or from the evidence in the robot."""
    is_asked = options.base_frame != "auto"
    base = read_base_frame(options.base_frame) if is_asked else find_base_frame(robot)
    if not options.reorient:
        return base._replace(R_new_old=IDENTITY, reason="reorienting is left out", warning=None)
    # Repeating a command on its own result would turn the robot a second time.
    if is_asked and turned_before(robot) and base.R_new_old != IDENTITY:
        return base._replace(warning=Diagnostic(BASE_FRAME, 0, "again"))
    return base


def _size_of_robot(robot: UrdfRobot) -> float:
    """Return the largest distance [m] of a shape or center of mass from the root at zero."""
    T_world = poses_at(robot, {}, IDENTITY_POSE)
    size = 0.0
    for link in robot.links.values():
        reach = [norm(shape.pose.translation) for shape in link.shapes]
        if link.inertial is not None:
            reach.append(norm(link.inertial.properties.center))
        size = max(size, norm(T_world[link.name].translation) + max(reach, default=0.0))
    return size


def _plan_joints(
    robot: UrdfRobot,
    merging: LinkMerges,
    frames: CanonicalFrames,
    placements: Poses,
    options: Options,
    noise: float,
) -> Dict[str, JointPlan]:
    """Return the plans of the remaining joints, by child link."""
    joints = {}
    names = merging.renamed
    if options.keep_all_frames:
        names = {**names, **name_frame_joints(robot, merging.members, names)}
    for joint in robot.joints:
        if joint.child not in frames.joints:  # merged away
            continue
        member = merging.members[joint.child]
        name = names.get(joint.child, joint.name)
        parent = merging.members[joint.parent].target
        xyz = joint.origin.translation
        T_new_old = placements[joint.parent]
        if member.merged:  # it keeps the frame of a link that is now empty
            joint = as_fixed(joint)
            parent = member.target
            xyz = without_noise(placements[joint.child].translation, noise)
        elif T_new_old != IDENTITY_POSE:
            xyz = without_noise(move(T_new_old, xyz), noise)
        joints[joint.child] = JointPlan(
            joint=joint, name=name, parent=parent, xyz=xyz, frame=frames.joints[joint.child]
        )
    return joints


def maps_of(joints: Dict[str, JointPlan]) -> Dict[str, JointMap]:
    """Return the maps of joint positions by the new names of the joints."""
    named = first_that_moves((planned.name, planned.joint) for planned in joints.values())
    return {name: joints[joint.child].map for name, joint in named.items()}


def _dropped_elements(robot: UrdfRobot, joints: Dict[str, JointPlan]) -> Iterator[Diagnostic]:
    """Warn of elements outside URDF in joints that are removed or become fixed: some program may read them.

    For removed joints and their links, warn of attributes outside URDF as well.
    """
    for joint in robot.joints:
        planned = joints.get(joint.child)
        # Removed, or fixed because it only keeps a frame.
        if planned is None or planned.joint.type != joint.type:
            for element in joint.source.elements():
                if element.name not in (*OF_JOINT, *UNREAD_OF_JOINT):
                    yield _dropped(element, "element", joint.child, joint.name, element.name)
        if planned is not None:
            continue
        for element in (robot.links[joint.child].source, joint.source):
            name = element.get("name") or ""
            for key, value in element.attributes.items():
                is_known = key == "name" or (element.name, key) == ("joint", "type")
                if not is_known and not key.startswith("xmlns"):
                    lost = joint.child, name, element.name, key, value
                    yield _dropped(element, "attribute", *lost)


def _dropped(element: Element, sentence: str, *names: str) -> Diagnostic:
    """Return the warning of a dropped element."""
    return Diagnostic(ELEMENT_DROPPED, element.line, sentence, names, offset=element.offset)


def _merge_bodies(
    robot: UrdfRobot, members: Dict[str, LinkMembership], placements: Poses, options: Options
) -> Dict[str, ResultLink]:
    """Return the body of each link of the result: its parts, and their mass in the frame of the link."""
    parts: Dict[str, List[LinkInBody]] = {
        name: [] for name, member in members.items() if not member.merged
    }
    # The link itself comes first among its parts.
    for name in [*parts, *(name for name in robot.links if members[name].merged)]:
        member = members[name]
        inertial = robot.links[name].inertial
        if member.kind == COPY and options.count_once:
            continue
        T_body_link = placements[name]
        properties = None
        if inertial is not None:
            properties = move_mass(T_body_link, inertial.properties)
        parts[member.target].append(LinkInBody(name, T_body_link, properties))
    bodies = {}
    for name, of_body in parts.items():
        with_mass = [part.mass_properties for part in of_body if part.mass_properties is not None]
        mass = merge_mass(with_mass) if with_mass else None
        bodies[name] = ResultLink(tuple(of_body), mass)
    return bodies


def free_joints_that_turn(plan: Plan) -> List[JointPlan]:
    """Return the planar and floating joints whose positions change their meaning, because their frames changed."""
    return [
        planned
        for child, planned in plan.joints.items()
        if planned.joint.type in ("planar", "floating")
        and (plan.placements[child] != IDENTITY_POSE or planned.frame.rpy != planned.joint.rpy)
    ]


def _physical_warnings(plan: Plan) -> List[Diagnostic]:
    """Return warnings of masses and limits in the result that simulators reject."""
    notices = []
    root = plan.robot.links[plan.robot.root]
    written = dict.fromkeys(
        f"<{part.name}>" for part in root.source.elements() if part.name in WITH_CONTENT
    )
    if root.name == "world" and written:
        notices.append(Diagnostic(WORLD_CONTENT, root.source.line, "link", (", ".join(written),)))
    # KDL requires a massless root; links merged into the root may give it mass.
    body = plan.bodies[root.name]
    merged = [part.link for part in body.parts[1:]]
    gained = [name for name in merged if plan.robot.links[name].mass >= NO_MASS]
    if root.mass < NO_MASS and gained:
        names = root.name, *gained
        notices.append(
            Diagnostic(
                kind=ROOT_MASS,
                line=root.source.line,
                sentence="link",
                names=names,
                numbers=(body.mass,),
            )
        )

    free = {planned.joint.child: planned.joint for planned in free_joints_that_turn(plan)}
    moving = {
        planned.joint.child for planned in plan.joints.values() if planned.joint.type != "fixed"
    }

    for link in plan.robot.links.values():
        if link.inertial is not None:
            properties = link.inertial.properties
            reason = why_not_physical(properties.mass, properties.inertia)
            # Merging may make a tensor physical, so report only those that stay impossible.
            total = plan.bodies[plan.members[link.name].target].mass_properties
            stays = total is not None and why_not_physical(total.mass, total.inertia)
            if reason and stays and properties.mass >= NO_MASS:
                line = link.inertial.source.line
                notices.append(Diagnostic(INERTIA, line, "link", (link.name, reason)))

        if link.name in free:
            names = free[link.name].name, free[link.name].type
            notices.append(Diagnostic(FREE_JOINT, link.source.line, "joint", names))
        if link.name in moving and not plan.bodies[link.name].mass:
            lacks = "inertial" if link.inertial is None else "mass"
            notices.append(Diagnostic(MASSLESS, link.source.line, lacks, (link.name,)))
    return notices


def _misnamed(plan: Plan) -> Iterator[Diagnostic]:
    """Yield the joints whose axis no word of their name implies; `elbow_yaw` implies two axes."""
    axes = {**AXIS_WORDS, **dict(plan.options.axis)}
    for planned in plan.joints.values():
        asked = planned.frame.asked
        letter = axis_letter(planned.frame)
        if asked is None or letter in {AXIS_LETTERS[axes[word]] for word in asked.others}:
            continue
        if planned.frame.fallback:
            yield Diagnostic(
                AXIS_NAME,
                planned.joint.source.line,
                "joint",
                (planned.joint.name, letter, asked.word, AXIS_LETTERS[asked.axis]),
            )


def links_left(plan: Plan) -> List[UrdfLink]:
    """Return the links that are not merged, in file order."""
    return [link for name, link in plan.robot.links.items() if not plan.members[name].merged]
