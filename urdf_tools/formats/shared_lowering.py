"""What all formats decide alike: computed numbers without rounding error, distinct names, bodies that are fixed to each
other, masses and bounds as simulators accept them, and elements of a URDF that a format cannot hold.
"""

from __future__ import annotations

from itertools import chain
from math import fsum
from typing import (
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    Union,
)

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic, Diagnostics, DiagnosticKind
from ..base.errors import UrdfError
from ..base.number_text import as_written, grouped, Numbers, numbers_in, without_noise, unique
from ..base.record_type import Record
from ..base.graph_walks import depth_first
from ..facts.contact_values import contact_names
from ..model.export_options import Frame, LineOf
from ..model.model_diagnostics import EXPORT_LOST
from ..model.model_problems import refusal
from ..model.model_records import Joint, Link, RobotRecord
from ..model.model_shapes import Inertia, Inertial, Pose
from ..model.model_tree import ModelTree, tree_of
from ..model.xml_writer import GEOMETRY, JOINT, LINK, XmlNode, parse, VISUAL
from ..urdf.urdf_records import Limit
from ..robot.mass_gaps import FLOOR
from ..robot.principal_axes import clean_tensor, diagonal, principal, RATIO_NOISE, vector_of
from ..robot.raw_robot import OUT_OF_REACH, RawJoint
from ..urdf.spatial_math import (
    add_matrices,
    compose,
    IDENTITY_POSE,
    largest_entry,
    MassProperties,
    Matrix,
    matrix_from_quaternion,
    multiply,
    Poses,
    rotate_inertia,
    rpy_from_matrix,
    Transform,
    transpose,
    Vector,
    why_not_physical,
    ZERO,
)
from .export_diagnostics import EXPORT_LEFT_OUT, EXPORT_MISREAD, EXPORT_NEAREST


def unused(name: str, used: Set[str]) -> str:
    """Return `unique(name, used)`, and add it to `used`."""
    name = unique(name, used)
    used.add(name)
    return name


LENGTH_NOISE = (
    1e-13  # [m]: poses are products of rotations, whose rounding is 1e-16 of the lengths of a robot
)


def clean_lengths(values: Numbers) -> Numbers:
    """Return lengths [m] on a grid of 1e-14."""
    return without_noise(values, LENGTH_NOISE)


def clean_direction(values: Numbers) -> Numbers:
    """Return the parts of a unit vector or quaternion on a grid of 1e-13."""
    return without_noise(values, RATIO_NOISE)


WITHOUT_ZERO = {"effort": "unbounded", "velocity": "locked"}  # what a simulator may make of a 0
# The body that holds the base in PhysX.
TINY_MASS = 1e-9  # [kg]
TINY_MOMENT = 1e-11  # [kg m^2]
REPAIR = "(urdf-simplify lint --fix does)"
LEAST = 2e-15  # MuJoCo wants 1e-15 of the mass and each moment of what moves; twice that survives rounding
LEAST_FULL = 1e-13  # of a moment: MuJoCo refuses fullinertia with one below 1e-14


Place = Tuple[str, Transform]  # a link, and a pose in it
OneShape = Tuple[str, str, int]  # its link, "visual" or "collision", and its number among these


class WrittenMass(Record):
    """The mass properties that are written for a link.

    Attributes:
        properties: in the axes of the link, as they are written.
        moments, axes: the same tensor as principal moments, smallest first, and the axes as columns.
        sound: the six entries of the tensor can be written: it is far enough from any bound.
    """

    properties: MassProperties
    moments: Vector
    axes: Matrix
    sound: bool


class ExportFindings:
    """The refusals, diagnostics and notes of one export.

    Attributes:
        format: its name, the last of the names of each note.
        spelled: returns how the caller spells an option, for refusals.
        line_of: returns the line of a link or joint in the input.
        refused: why the export is impossible. refused_parts: the kind and name of the part that each is about.
    """

    def __init__(self, format: str, spelled: Callable[[str], str], line_of: LineOf) -> None:
        """Begin without a refusal or note."""
        self.format = format
        self.spelled = spelled
        self.line_of = line_of
        self.refused: List[UrdfError] = []
        self.refused_parts: List[Pair] = []
        self.notes: Diagnostics = []
        self.said: List[str] = []

    def refuse(self, part: str, name: str, message: str) -> None:
        """Add a reason why the export is impossible; `part` is "link", "joint" or "robot"."""
        self.refused.append(refusal(part, name, message, self.line_of))
        self.refused_parts.append((part, name))

    def note(
        self,
        kind: DiagnosticKind,
        sentence: str,
        *about: Union[str, Link, Joint, RawJoint],
        numbers: Sequence[float] = (),
    ) -> None:
        """Add a diagnostic, once, with the names of what it is about; a link or a joint, first, gives the line."""
        names = [each if isinstance(each, str) else each.name for each in about]
        line = 0
        if about and not isinstance(about[0], str):
            part = "link" if isinstance(about[0], Link) else "joint"
            line = self.line_of(part, names[0])
        diagnostic = Diagnostic(
            kind=kind,
            line=line,
            sentence=sentence,
            names=(*names, self.format),
            numbers=tuple(numbers),
        )
        if diagnostic not in self.notes:
            self.notes.append(diagnostic)


def written_mass(
    link: Link, floor: float, findings: ExportFindings, margin: float = 0.0
) -> WrittenMass:
    """Return what to write for a link that has a mass or a tensor.

    Args:
        floor: the least mass [kg] and the least principal moment [kg m^2].
        margin: by how much A + B must be above C, as a part of C, as rounding of a rotated tensor can bring it below.
    """
    given = link.mass_properties
    moments, axes = principal(given.inertia)
    a, b, c = moments
    mass = max(given.mass, floor)
    if largest_entry(given.inertia) > 0.0 and why_not_physical(1.0, given.inertia):
        findings.refuse(
            "link",
            link.name,
            f"no body has the principal moments {_shown(moments)} of its inertia (A + B "
            f">= C fails): correct it {REPAIR}",
        )
    tensor = given.inertia
    # Twelve digits are written, so that A + B - C is known to 1e-12 of C; 1e-9 leaves no doubt.
    sound = a >= max(floor, LEAST_FULL) and a + b - c >= 1e-9 * c
    if not sound:
        (_, xy, xz), (_, _, yz), _ = tensor
        is_rotated = bool(xy or xz or yz)
        moments = _as_body(moments, floor, margin if is_rotated else 0.0)
        tensor = rotate_inertia(axes, diagonal(moments))
    if given.mass < floor or moments != principal(given.inertia)[0] and floor > FLOOR * given.mass:
        findings.note(EXPORT_NEAREST, "least", link, numbers=(floor,))
    tensor = clean_tensor(tensor) if sound else tensor
    center = clean_lengths(given.center)
    return WrittenMass(MassProperties(mass, center, tensor), moments, axes, sound=sound)


def _shown(moments: Vector) -> str:
    """Return principal moments [kg m^2] for a message, those below 1e-9 of the largest as 0."""
    least = 1e-9 * max(map(abs, moments))
    shown = [moment if abs(moment) >= least else 0.0 for moment in moments]
    return " ".join(f"{moment:.6g}" for moment in shown)


def _as_body(moments: Vector, floor: float, margin: float) -> Vector:
    """Return the nearest moments with A + B >= C, rounded as they are written; see `is_nearest` of `proof_rules`."""
    half = 0.5 * fsum(moments)
    x, y, z = (max(half - moment, 0.0) for moment in moments)
    a, b, c = as_written((max(y + z, floor), max(x + z, floor), max(x + y, floor)))
    least = c * (1.0 + margin)
    enough = 1e-13 * c  # for what rounding takes away
    while a + b < least:
        step = max((least - a - b) / 2, enough)
        a, b = as_written((a + step, b + step))
        enough *= 2
    return (a, b, c)


def note_limits(robot: RobotRecord, findings: ExportFindings) -> None:
    """Note limits of joints that turn without end: they are in no format, and Drake reads them in a URDF.

    What floats has no limits, damping or springs in any format.
    """
    for joint in robot.joints:
        lower, upper, *_ = joint.limit or Limit()
        if joint.type == "continuous" and (lower is not None or upper is not None):
            bounds = (lower or 0.0, upper or 0.0)
            findings.note(EXPORT_MISREAD, "continuous", joint, numbers=bounds)
        floats = joint.type == "floating"
        given = {"limits": joint.limit, "dynamics": joint.dynamics, "spring": joint.spring}
        for sentence in (key for key, value in given.items() if floats and value is not None):
            findings.note(EXPORT_LOST, sentence, joint, joint.type)


def without_massless_tensors(robot: RobotRecord, findings: ExportFindings) -> RobotRecord:
    """Return the robot without tensors of links that have no mass: no format has a body without mass.

    The tensor goes to the first link of the file that has a mass and is fixed to it; without one, it is left out.
    """
    links = {link.name: link for link in robot.links}
    if all(link.mass_properties.mass > 0.0 or not has_mass(link) for link in robot.links):
        return robot
    tree = tree_of(robot)
    groups = groups_of(tree)
    if tree.root == "world":
        del links["world"]  # the world has no mass in any format
    bare = [
        name for name, link in links.items() if link.mass_properties.mass <= 0.0 and has_mass(link)
    ]
    for name in bare:
        top = groups.tops[name]
        bodies = [other for other in groups.members[top] if other in links]
        heavy = [
            link for link in robot.links if link.name in bodies and link.mass_properties.mass > 0.0
        ]
        tensor = links[name].mass_properties.inertia
        links[name] = links[name]._replace(inertial=None)
        if not heavy:
            findings.note(EXPORT_MISREAD, "tensor-alone", links[name])
            continue
        body = heavy[0].name
        T_top = poses_in_group(tree, top, groups.members[top])
        R = multiply(transpose(T_top[body].rotation), T_top[name].rotation)
        links[body] = _with_tensor(links[body], rotate_inertia(R, tensor))
        findings.note(EXPORT_MISREAD, "tensor-carried", links[name], body)
    return robot._replace(links=tuple(links.get(link.name, link) for link in robot.links))


def _with_tensor(link: Link, tensor: Matrix) -> Link:
    """Return a link that has another tensor besides its own, given in its axes."""
    mass, center, old = link.mass_properties
    total = add_matrices(old, tensor)
    return link._replace(inertial=Inertial(mass, Inertia.from_matrix(total), Pose(center)))


def poses_in_group(tree: ModelTree, top: str, members: Sequence[str]) -> Poses:
    """Return T_top_link of the links that are fixed to each other."""
    T_top = {top: IDENTITY_POSE}
    for name in members:
        if name != top:
            joint = tree.parent_joint[name]
            T_top[name] = compose(T_top[joint.parent], joint.origin.transform)
    return T_top


def has_mass(link: Link) -> bool:
    """Return True if a link has a mass or a tensor."""
    if link.inertial is not None:
        return link.inertial.mass > 0.0 or any(link.inertial.inertia)
    properties = link.mass_properties
    return properties.mass > 0.0 or largest_entry(properties.inertia) > 0.0


def tiny_mass() -> MassProperties:
    """Return the placeholder mass of the body that holds the base in PhysX."""
    return MassProperties(TINY_MASS, ZERO, diagonal((TINY_MOMENT,) * 3))


class RigidGroups(Record):
    """Links that are fixed to each other and move as one, by the uppermost of them.

    Attributes:
        tops: by link, the uppermost of its group. members: the links of a group, the uppermost first.
        heavy: whether one of a group has a mass or a tensor.
    """

    tops: Dict[str, str]
    members: Dict[str, List[str]]
    heavy: Dict[str, bool]


def groups_of(tree: ModelTree) -> RigidGroups:
    """Return the groups of a robot, the group of the root first."""
    tops = {tree.root: tree.root}
    for joint in tree.order:
        tops[joint.child] = tops[joint.parent] if joint.type == "fixed" else joint.child
    members = grouped((top, name) for name, top in tops.items())
    heavy = {
        top: any(has_mass(tree.links[name]) for name in names) for top, names in members.items()
    }
    return RigidGroups(tops=tops, members=members, heavy=heavy)


def refuse_massless(name: str, findings: ExportFindings) -> None:
    """Refuse a link that moves without a mass, as simulators do."""
    findings.refuse(
        "link",
        name,
        f"it moves and has no mass, with all that is fixed to it: give it one {REPAIR}",
    )


def names_depth_first(inside: Mapping[str, List[str]]) -> List[str]:
    """Return all names below "", each followed by its descendants; `inside` has the children of a name."""
    return [*depth_first(inside.get("", []), lambda name: inside.get(name, []))]


def note_world_mass(tree: ModelTree, findings: ExportFindings) -> None:
    """Take note of a mass of the link `world`, which no simulator reads."""
    if "world" in tree.links and has_mass(tree.links["world"]):
        mass = tree.links["world"].mass_properties.mass
        findings.note(EXPORT_LEFT_OUT, "world-mass", tree.links["world"], numbers=(mass,))


def is_fixed(tree: ModelTree, base: str, findings: ExportFindings, *, heavy: bool) -> bool:
    """Return True if the world holds the root; `heavy`: the root has a mass, with all that is fixed to it."""
    if base == "free" and (tree.root == "world" or not heavy):
        why = "has no mass, with all that is fixed to it,"
        if tree.root == "world":
            why = "is the world itself"
        findings.refuse(
            "link",
            tree.root,
            f"the root {why} and cannot be free: leave out {findings.spelled('base')} free",
        )
        return True
    if base != "auto":
        return base == "fixed"
    fixed = tree.root == "world" or not heavy
    if tree.root != "world":
        chosen, other = ("fixed", "free") if fixed else ("free", "fixed")
        findings.said.append(f"the base is {chosen} (--base {other} is the other)")
    return fixed


def greatest(
    joint: Joint, key: str, findings: Optional[ExportFindings] = None, zero: str = ""
) -> Optional[float]:
    """Return the greatest `effort` [N or N m] or `velocity` [m/s or rad/s] of a joint.

    None: the robot gives none, one out of reach, or 0 or less, which is noted in `findings`; `zero` is the sentence
    for a 0 (default: the sentence in `WITHOUT_ZERO`).
    """
    value: Optional[float] = getattr(joint.limit, key) if joint.limit is not None else None
    if value is None or 0.0 < value < OUT_OF_REACH:
        return value
    if findings is not None and value == 0.0:
        findings.note(
            EXPORT_MISREAD,
            zero or WITHOUT_ZERO[key],
            joint,
            key,
            numbers=(value,),
        )
    elif findings is not None and value < 0.0:
        findings.note(EXPORT_MISREAD, "negative", joint, key, numbers=(value,))
    return None


# Elements for the conversion from URDF, which is done.
DONE = ("preserveFixedJoint", "disableFixedJointLumping", "canonicalBody")
# MuJoCo's XML reference.
OF_READING = frozenset(("discardvisual", "strippath", "meshdir", "assetdir", "texturedir"))
PARTS = frozenset(("link", "joint", *LINK, *JOINT, *VISUAL, *GEOMETRY))
# The shapes that a tag is about.
SHAPES = {**dict.fromkeys(contact_names("tag", "field"), "collisions"), "material": "visuals"}
# An element, such as <stopErp>, and the link, joint or plugin that it is about; "": the robot.
Said = Pair


def frames_in(robot: RobotRecord) -> List[Frame]:
    """Return the frames of `<frame name= link= xyz= rpy=>`, siblings of the links, as Drake reads them: each name once.

    The pose may be on an `<origin>` in it, too. A frame on a link that does not exist, or with the name of a link, is in no format.
    """
    links = {link.name for link in robot.links}
    frames: Dict[str, Frame] = {}
    for top in [parse(text) for text in robot.extensions if text.startswith("<frame")]:
        name = top.attributes.get("name", "")
        link = top.attributes.get("link", "")
        place = (top.find("origin") or top).attributes
        xyz, rpy = (numbers_in(place.get(key, "0 0 0"), 3) for key in ("xyz", "rpy"))
        quaternion = numbers_in(place.get("quat_xyzw", ""), 4)
        if quaternion and any(quaternion):
            rpy = rpy_from_matrix(matrix_from_quaternion(quaternion))
        if top.tag == "frame" and link in links and name not in links and xyz and rpy:
            frames.setdefault(name, Frame(name, link, Pose(vector_of(xyz), vector_of(rpy))))
    return list(frames.values())


def said_by_gazebo(robot: RobotRecord) -> Iterator[Tuple[str, XmlNode]]:
    """Yield what `<gazebo>` holds and the model has no field for: the reference ("": none), and each element.

    Elements about the shapes of a link that has none are left out: they have no effect.
    """
    links = {link.name: link for link in robot.links}
    for text in robot.extensions:
        if text.startswith("<gazebo"):
            top = parse(text)
            reference = top.attributes.get("reference", "")
            for element in top.elements():
                shapes = SHAPES.get(element.tag)
                if shapes is None or reference not in links or getattr(links[reference], shapes):
                    yield reference, element


def named(reference: str, element: XmlNode) -> Said:
    """Return the description of an element for a note: a plugin or sensor has its name."""
    name = element.attributes.get("name")
    if name and element.tag in ("plugin", "sensor"):
        return f"<{element.tag}> '{name}'", reference
    return f"<{element.tag}>", reference


def not_urdf_elements(robot: RobotRecord) -> Iterator[Said]:
    """Yield the elements that are not URDF: siblings of links and joints, and inside of them."""
    frames = {frame.name for frame in frames_in(robot)}
    for text in robot.extensions:
        if text.startswith(("<gazebo>", "<gazebo ")):  # most of them; see `said_by_gazebo`
            continue
        top = parse(text)
        is_frame = top.tag == "frame" and top.attributes.get("name") in frames
        if top.tag not in ("gazebo", "robot") and not is_frame and not _only_reads(top):
            yield f"<{top.tag}>", ""
    for link in robot.links:
        in_shapes = chain.from_iterable(shape.extensions for shape in link.shapes)
        for text in (*link.extensions, *in_shapes):
            yield _other(parse(text)), link.name
    for joint in robot.joints:
        for text in joint.extensions:
            yield _other(parse(text)), joint.name


def _only_reads(top: XmlNode) -> bool:
    """Return True for a `<mujoco>` that says nothing but how MuJoCo reads the URDF, as `--for mujoco` writes one."""
    return top.tag == "mujoco" and all(
        element.tag == "compiler" and OF_READING.issuperset(element.attributes)
        for element in top.elements()
    )


def _other(top: XmlNode) -> str:
    """Return the description of an extension for a note; in an element that has the name of a part of URDF, the first
    element of another name.
    """
    while top.tag in PARTS and top.elements():
        top = top.elements()[0]
    if top.tag in PARTS:
        return f"<{top.tag}> {' '.join(top.attributes)}"
    return f"<{top.tag}>"


def note_lost(elements: Iterable[Said], findings: ExportFindings) -> None:
    """Note the elements that a format cannot hold, sorted."""
    for what, owner in sorted(elements):
        if owner:
            findings.note(EXPORT_LOST, "element-of", what, owner)
        else:
            findings.note(EXPORT_LOST, "element", what)
