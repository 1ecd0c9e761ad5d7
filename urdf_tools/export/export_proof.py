"""The proof of an export: the written file is read again, and compared with the URDF's own text.

Reader and comparison are the same as in `compare/`: they know neither the model nor the writers. The decisions of an export -
names, masses that simulators refuse, shapes that a format cannot show - are verified here one by one, each by its rule,
and then applied to the robot; all else must be the same to 1e-9.
"""

from __future__ import annotations

from itertools import chain, zip_longest
from math import dist
from typing import (
    AbstractSet,
    Callable,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

from ..base.errors import ProofFailed
from ..base.number_text import grouped
from ..base.record_type import Record
from ..base.graph_walks import reached_from
from ..compare.all_differences import differences_of, settings_of
from ..compare.difference_records import Difference, EXACT, is_called, Tolerances
from ..compare.joint_differences import composed_mimics
from ..compare.given_or_searched_map import given_map, Given, IDENTITY
from ..compare.robot_map import MotionDifferenceBound, reach, RobotMap, stroke
from ..formats.reader_helpers import PARTLY, rotated_tensor
from ..formats.format_values import FormatLoss, LOSSES, VALUES
from ..model.model_records import RobotRecord
from ..robot.canonical_robot import canonical, CanonicalRobot, link_places
from ..robot.raw_robot import (
    RawShape,
    OUT_OF_REACH,
    RawFrame,
    RawJoint,
    RawLink,
    RawMass,
    RawRobot,
    UnreadElement,
    within_reach,
    Word,
)
from ..urdf.spatial_math import compose, IDENTITY_POSE, inverse, Transform, rotation_angle, ZERO
from .allowed_export_differences import sensors_in_text, why_other, with_names_of_text

SURFACES = tuple(name for name, value in VALUES.items() if value.of == "shape")
# A joint written in float32 is off by less than this part of the tolerance of angles; measured on the public robots.
FLOAT32_PART = 0.2
ROUNDED = 1e-11  # rad: allowed rotation of a joint, as numbers are written with 12 digits; measured: 1.4e-12


class ExportDecisions(Record):
    """The decisions of an export.

    Attributes:
        format: its name, for messages.
        links: names in the text by names of the robot, where they differ; joints: their names in the text, by child link.
        between: links that are not in the text.
        left_out: shapes that are not written, as (link, role, number among the pieces of the role).
        shows: returns True for a mesh file that the format can show.
        files: names in the text by mesh or texture name of the robot.
        base: auto, free, or fixed.
        placeholder: whether a link without mass may have the least mass.
        tolerances: the allowed differences of numbers.
        rests: whether a mimic joint is held if its leader does not move.
    """

    format: str
    links: Mapping[str, str] = {}
    joints: Mapping[str, str] = {}
    between: FrozenSet[str] = frozenset()
    left_out: FrozenSet[Tuple[str, str, int]] = frozenset()
    shows: Callable[[str], bool] = lambda file: True
    files: Mapping[str, str] = {}
    base: str = "auto"
    placeholder: bool = False
    tolerances: Tolerances = EXACT
    rests: bool = False


def _unproven_surfaces(robot: RawRobot) -> List[FormatLoss]:
    """Return the surface values that cannot be compared, as the model has no fields for a `<collision>` of `<gazebo>`.

    That is one which is only read in part, or has a direction along the axes of a link. The model keeps the whole
    element, word for word; the simulator decides which of its values count.
    """
    shapes = chain.from_iterable(link.shapes for link in robot.links)
    is_partly_read = any(unread.why == PARTLY for unread in robot.unread)
    if not is_partly_read and not any(shape.direction_link for shape in shapes):
        return []
    return [FormatLoss(name, "a <collision> is understood in part") for name in SURFACES]


def reference_of(source: Union[RobotRecord, RawRobot]) -> RawRobot:
    """Return the reference of an export: the text of a URDF as parsed, or a model without a text."""
    if isinstance(source, RobotRecord):
        from ..formats.json.read_json_model import raw_of_model

        source = raw_of_model(source)
    return _without_massless_tensors(source)


def _without_massless_tensors(robot: RawRobot) -> RawRobot:
    """Return the robot without tensors of links that have no mass: the first link with mass in their body gets them.

    An export writes a link without mass as a frame, which holds no tensor, and adds the tensor to the body. Both robots
    of a proof are brought into this form, so that their bodies compare link by link. A tensor in a body without any mass
    is left out, as nothing moves it.
    """
    if all(
        link.mass is None or link.mass.mass > 0.0 or not any(link.mass.tensor)
        for link in robot.links
    ):
        return robot
    masses = {link.name: link.mass for link in robot.links}
    order = list(masses)
    for body in canonical(robot).bodies:
        parts = [part for part in body.parts if body.joint >= 0 or part.link.name != "world"]
        heavy = [part for part in parts if part.link.mass and part.link.mass.mass > 0.0]
        for part in parts:
            mass = part.link.mass
            if mass is None or mass.mass > 0.0 or not any(mass.tensor):
                continue
            masses[part.link.name] = None
            if heavy:
                first = min(heavy, key=lambda other: order.index(other.link.name))
                T = compose(inverse(first.T_root_link), part.T_root_link)
                old = masses[first.link.name]
                added = rotated_tensor(T.rotation, mass.tensor)
                assert old is not None
                xx, xy, xz, yy, yz, zz = (a + b for a, b in zip(old.tensor, added))
                masses[first.link.name] = old._replace(tensor=(xx, xy, xz, yy, yz, zz))
    return robot._replace(
        links=tuple(link._replace(mass=masses[link.name]) for link in robot.links)
    )


def own_frames(robot: RawRobot, without: AbstractSet[str] = frozenset()) -> List[RawFrame]:
    """Return the frames of a file, each name once; `without`: links that a format cannot hold."""
    links = {link.name for link in robot.links}
    frames: Dict[str, RawFrame] = {}
    for frame in robot.frames:
        if frame.link in links and frame.name not in links:
            frames.setdefault(frame.name, frame)
    return [frame for frame in frames.values() if frame.link not in without]


def with_frames(
    format: str,
    robot: RawRobot,
    written: Sequence[RawFrame],
    without: AbstractSet[str] = frozenset(),
) -> RawRobot:
    """Return the robot with its own frames under their written names, then the frames that the run added.

    So both sides of the proof have equal frames. The robot's frames keep their own poses, and `verify_text` compares the
    poses of all frames with the text as it is read again.

    Args:
        format: its name, for messages.
        robot: the robot of the input.
        written: the frames that the writer reports: first the robot's own in their order, then the added ones.
        without: links that the format cannot hold; frames on these links are not written.

    Raises:
        ProofFailed: a frame of the robot is not written.
    """
    frames = []
    for own, new in zip_longest(own_frames(robot, without), written):
        if own is None:  # the run added this frame
            frames.append(new)
            continue
        if new is None or not is_called(new.name, own.name):
            raise ProofFailed(f"{format}: frame '{own.name}' is not written")
        frames.append(own._replace(name=new.name))
    return robot._replace(frames=tuple(frames))


def _verify_unread(written: RawRobot, robot: RawRobot, fail: Callable[[str], None]) -> None:
    """Reject unread elements, except those copied verbatim from the robot, and frames that it does not have."""
    copied = inside(robot.unread)
    words = chain.from_iterable(sensor.words for sensor in robot.sensors)
    of_sensors = {*chain.from_iterable(attributes for _, attributes, _ in words)}
    for unread in written.unread:
        # Attributes of a sensor are written on the element itself.
        is_of_sensor = all(
            path == "" and of_sensors.issuperset(attributes) for path, attributes, _ in unread.words
        )
        if unread.words not in copied and not is_of_sensor:
            fail(f"{unread.element} is written in line {unread.line}, and is not the robot's")
    names = _names_in(robot)
    for frame in written.frames:
        if frame.name not in names:
            fail(f"frame '{frame.name}' is written, and is not the robot's")


def _names_in(raw: RawRobot) -> AbstractSet[str]:
    """Return the names of the links and frames of a robot."""
    return {link.name for link in raw.links} | {frame.name for frame in raw.frames}


def _verify_in_world(
    written: CanonicalRobot,
    robot: CanonicalRobot,
    decided: ExportDecisions,
    fail: Callable[[str], None],
) -> None:
    """Refuse other names and frames of the world beside a floating robot, which a comparison ignores."""
    aside = _links_beside(robot)
    lost = aside - _names_in(written.raw) - decided.between
    new = _links_beside(written) - _names_in(robot.raw)
    for name in sorted(lost | new):
        side = "A" if name in aside else "B"
        fail(f"frame '{name}' is only in {side}")
    if "world" in robot.body_of or "world" in written.body_of:
        return
    old_frames = _frames_of_world(robot.raw)
    new_frames = _frames_of_world(written.raw)
    for name in old_frames.keys() & new_frames.keys():
        T = old_frames[name]
        T_new = new_frames[name]
        off = dist(T.translation, T_new.translation)
        if max(off, rotation_angle(T.rotation, T_new.rotation)) > ROUNDED:
            fail(f"frame '{name}' is elsewhere in the world")


def _links_beside(robot: CanonicalRobot) -> AbstractSet[str]:
    """Return the links of the world beside a robot that floats."""
    return {link.name for link in robot.raw.links} - robot.body_of.keys() - {"world"}


def _frames_of_world(raw: RawRobot) -> Dict[str, Transform]:
    """Return the poses of the frames on the link `world`, by name."""
    return {frame.name: frame.T_link_frame for frame in raw.frames if frame.link == "world"}


def inside(unread: Iterable[UnreadElement]) -> AbstractSet[Tuple[Word, ...]]:
    """Return the words of each element inside the unread elements, with paths that begin at that element."""
    # An export may copy a part of an unread block alone. The words of a block are in the order of its text, so the words
    # of an element follow it as long as their paths begin with its path.
    blocks = set()
    for element in unread:
        for index, (path, _, _) in enumerate(element.words):
            cut = path.rfind("/") + 1
            words = [element.words[index]]
            for word in element.words[index + 1 :]:
                if not word[0].startswith(f"{path}/"):
                    break
                words.append(word)
            blocks.add(tuple((word[cut:], attributes, text) for word, attributes, text in words))
    return blocks


def verify_text(written: RawRobot, robot: RawRobot, decided: ExportDecisions) -> None:
    """Compare the written robot with the robot of the input.

    Raises:
        ProofFailed: the robot differs; the message names the difference.
    """

    def fail(sentence: str) -> None:
        """Refuse the text."""
        raise ProofFailed(f"{decided.format} (A: the robot, B: what is written): {sentence}")

    expected = _as_text_should_be(robot, written, decided, fail)
    _verify_unread(written, expected, fail)
    text = canonical(written)
    reference = canonical(expected)
    _verify_in_world(text, reference, decided, fail)
    verify_same(
        decided.format,
        text,
        reference,
        {written.format: [*LOSSES[written.format], *_unproven_surfaces(expected)]},
        lambda difference, first: _is_decided(difference, first, decided),
        decided.tolerances,
    )


def _as_text_should_be(
    robot: RawRobot, written: RawRobot, decided: ExportDecisions, fail: Callable[[str], None]
) -> RawRobot:
    """Return the robot after the decisions of the export, each verified by its rule: the text must equal it.

    `written` is the robot of the text. `fail` raises ProofFailed: a value of the text breaks the rule of its decision.
    """
    # The order matters: shapes are looked up by the robot's names of links, sensors and masses by the names in the text.
    robot = _said(robot, decided)
    robot = robot._replace(links=tuple(_shown(link, decided, fail) for link in robot.links))
    robot = robot._replace(base=base_held(robot, decided.base))
    robot = with_names_of_text(robot, decided.links, decided.joints, fail)
    robot = robot._replace(sensors=tuple(sensors_in_text(robot, written, decided.links)))
    return _with_written_masses(robot, written, decided, fail)


def verify_same(
    format: str,
    written: CanonicalRobot,
    robot: CanonicalRobot,
    losses: Mapping[str, Sequence[FormatLoss]] = {},
    is_decided: Callable[[Difference, CanonicalRobot], bool] = lambda difference, first: False,
    tolerances: Tolerances = EXACT,
) -> MotionDifferenceBound:
    """Verify that a text differs from the robot only by decisions; return the bound of its motion.

    Raises:
        ProofFailed: the robot differs; the message names the difference.
    """
    robots = given_map(robot, written, _same_names(robot, written))
    settings = settings_of(robot.raw, written.raw, tolerances, losses)
    differences, bound = differences_of(robots, settings)
    remaining = [
        difference
        for difference in differences
        if not is_decided(difference, robots.a)
        # A difference that adds up along a long chain may be rounding.
        and not (
            difference.kind == "sum"
            and bound is not None
            and _is_rounding(bound, robots, tolerances)
        )
    ]
    if remaining:
        from ..compare.difference_kinds import text_of

        raise ProofFailed(f"{format} (A: the robot, B: what is written): {text_of(remaining[0])}")
    if bound is None:
        raise ProofFailed(f"{format}: it moves differently")
    _verify_start(format, robots)
    return bound


def _is_rounding(bound: MotionDifferenceBound, robots: RobotMap, tolerances: Tolerances) -> bool:
    """Return True if a bound is within the rounding of the longest chain: of each joint an angle, over its length.

    The bound adds the errors of all joints of a chain, so a single joint may only have a part of the tolerance.
    """
    robot = robots.b
    depths = [0] * len(robot.bodies)
    lengths = [0.0] * len(robot.bodies)
    # A joint that slides carries its descendants further from the axes that are tilted.
    strokes = {pair.choice.b: stroke(pair) for pair in robots.pairs}
    for number, joint in enumerate(robot.joints):
        parent = robot.joint_of(joint.parent)
        start = parent.anchor if parent is not None else ZERO
        length = dist(joint.anchor, start) + strokes.get(number, 0.0)
        depths[joint.child] = depths[joint.parent] + 1
        lengths[joint.child] = lengths[joint.parent] + length
    angle_of_joint = ROUNDED if tolerances == EXACT else FLOAT32_PART * tolerances.angle
    angle = angle_of_joint * max(depths)
    longest = max(length + reach(robot, body) for body, length in enumerate(lengths))
    is_angle_rounded = bound.angle <= max(tolerances.angle, angle)
    return is_angle_rounded and bound.position <= max(tolerances.length, angle * longest)


def _verify_start(format: str, robots: RobotMap) -> None:
    """Refuse a different pose of the first link: a comparison ignores the place of a robot in the world, an export must
    not.
    """
    T = compose(_start(robots.b), robots.base)
    wanted = _start(robots.a)
    tolerance = EXACT.length * max(1.0, *map(abs, wanted.translation))
    if (
        dist(T.translation, wanted.translation) > tolerance
        or max(dist(row, other) for row, other in zip(T.rotation, wanted.rotation)) > EXACT.angle
    ):
        raise ProofFailed(
            f"{format}: link '{robots.b.bodies[0].name}' begins at {T}, and the robot's at {wanted}"
        )


def _start(robot: CanonicalRobot) -> Transform:
    """Return the pose of the first link in a file; it may be on a floating joint of a root that is only a frame."""
    joint_above = {joint.child: joint for joint in robot.raw.joints}
    name = robot.bodies[0].parts[0].link.name
    T = IDENTITY_POSE
    while name in joint_above:
        T = compose(joint_above[name].T_parent_child, T)
        name = joint_above[name].parent
    return compose(robot.raw.T_file_root, T)


def _same_names(robot: CanonicalRobot, written: CanonicalRobot) -> Given:
    """Return the map by equal names; the text may begin with a different link of the same body."""
    first = written.bodies[0].name
    places = link_places(robot)
    if first == robot.bodies[0].name or first not in places:
        return IDENTITY
    return IDENTITY._replace(base=inverse(places[first]))


def _said(robot: RawRobot, decided: ExportDecisions) -> RawRobot:
    """Return the robot without values that simulators ignore or misread.

    These are limits out of reach or crossed, an effort or a velocity of 0, which would lock the joint, damping or
    friction below 0, and the reference of a spring without stiffness. A mimic joint whose leader does not move is free,
    or at rest.
    """
    moving = {joint.name for joint in robot.joints if joint.moves}
    # A circle is opened in the text, and a chain of followers may be written as a chain or composed into single rules.
    joints = composed_mimics(robot.joints, opened=True) if decided.rests else robot.joints
    said = [_with_values_that_count(joint) for joint in joints]
    if decided.rests:
        leaders = {joint.name: joint.name in moving for joint in robot.joints}
        said = [_as_it_rests(joint, leaders) for joint in said]
    # A rule must name a leader that moves: no simulator supports any other.
    joints_with_rules = []
    for joint in said:
        if joint.mimic is not None and joint.mimic.leader not in moving:
            joint = joint._replace(mimic=None)
        joints_with_rules.append(joint)
    return robot._replace(joints=tuple(joints_with_rules))


def _with_values_that_count(joint: RawJoint) -> RawJoint:
    """Return a joint without the limits and values that simulators ignore or misread."""
    lower = within_reach(joint.lower)
    upper = within_reach(joint.upper)
    if lower is not None and upper is not None and lower > upper:
        lower = None
        upper = None
    values = dict(joint.values)
    for name in ("damping", "friction"):
        if values.get(name, (0.0,))[0] < 0.0:
            del values[name]
    if "stiffness" not in values:
        values.pop("spring_reference", None)
    return joint._replace(
        lower=lower,
        upper=upper,
        effort=_greatest(joint.effort),
        velocity=_greatest(joint.velocity),
        values=values,
    )


def _greatest(value: Optional[float]) -> Optional[float]:
    """Return the greatest effort or velocity; None for 0, which would lock the joint, and for a value out of reach."""
    return value if value is not None and 0.0 < value < OUT_OF_REACH else None


def _as_it_rests(joint: RawJoint, leaders: Mapping[str, bool]) -> RawJoint:
    """Return a mimic joint as it is held: at its offset if the leader does not move, else by its rule alone.

    `leaders`: whether a joint of this name moves.
    """
    if joint.mimic is None or joint.mimic.leader not in leaders:
        return joint
    if leaders[joint.mimic.leader]:
        # The rule holds it, so equal limits add nothing.
        return joint._replace(lower=None, upper=None) if joint.lower == joint.upper else joint
    if not joint.moves:
        return joint
    offset = joint.mimic.offset
    type = "prismatic" if joint.type == "prismatic" else "revolute"
    return joint._replace(lower=offset, upper=offset, type=type)


def _is_decided(difference: Difference, robot: CanonicalRobot, decided: ExportDecisions) -> bool:
    """Return True for a link that the format cannot hold, or that is only a frame and the world."""
    where = difference.where
    if difference.kind == "frame_only_a":
        return where == "world" or where in decided.between
    if difference.kind == "frame_only_b":
        # A link beside a floating robot is not part of its bodies.
        is_link_beside = where not in robot.body_of and any(
            link.name == where for link in robot.raw.links
        )
        return where == "world" or is_link_beside
    return False


def _shown(link: RawLink, decided: ExportDecisions, fail: Callable[[str], None]) -> RawLink:
    """Return a link with the shapes that the text should have, and their file names in the text."""
    places: Dict[str, int] = {}
    shapes = []
    for shape in link.shapes:
        number = places[shape.role] = places.get(shape.role, -1) + 1
        if (link.name, shape.role, number) in decided.left_out:
            if _can_be_shown(shape, decided):
                fail(f"link '{link.name}': {shape.role} {number} is left out, and could be shown")
            continue
        if shape.color:
            # Formats have colors from 0 to 1.
            red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in shape.color)
            shape = shape._replace(color=(red, green, blue, alpha))
        shape = shape._replace(
            name=shape.name or f"{link.name}_{shape.role}",
            file=decided.files.get(shape.file, shape.file),
            texture=decided.files.get(shape.texture, shape.texture),
        )
        shapes.append(shape)
    return link._replace(shapes=tuple(shapes)) if link.shapes else link


def _can_be_shown(shape: RawShape, decided: ExportDecisions) -> bool:
    """Return True unless the file of a mesh is not read, or a size is 0."""
    if shape.geometry == "mesh":
        return decided.shows(shape.file)
    return shape.geometry == "plane" or min(shape.sizes) > 0.0


def base_held(robot: RawRobot, asked: str) -> str:
    """Return how the base is held: as requested, else fixed if it is the world, or if its rigid group has no mass.

    If a root and all links fixed to it are only frames, with floating joints alone, these joints are in the world.
    """
    children = {joint.child for joint in robot.joints}
    root = next(link.name for link in robot.links if link.name not in children)
    joints_of = grouped((joint.parent, joint) for joint in robot.joints)

    def fixed_children(name: str) -> List[str]:
        """Return the links that are fixed to a link."""
        return [joint.child for joint in joints_of.get(name, ()) if joint.type == "fixed"]

    still = reached_from([root], fixed_children)
    joints = chain.from_iterable(joints_of.get(name, ()) for name in still)
    moving = {joint.type for joint in joints if joint.type != "fixed"}
    if moving == {"floating"} and all(
        is_empty(robot, name, but_mass=name == "world") for name in still
    ):
        return "free"
    if root == "world":
        return "fixed"
    if asked != "auto":
        return asked
    masses = [link.mass for link in robot.links if link.name in still and link.mass is not None]
    is_heavy = any(mass.mass > 0.0 or any(mass.tensor) for mass in masses)
    return "free" if is_heavy else "fixed"


def is_empty(robot: RawRobot, name: str, *, but_mass: bool = False) -> bool:
    """Return True if a link is only a frame: it has no shape and no mass; `but_mass`: a mass is allowed, as for the world."""
    return all(
        not link.shapes
        and (but_mass or link.mass is None or not link.mass.mass and not any(link.mass.tensor))
        for link in robot.links
        if link.name == name
    )


def _with_written_masses(
    robot: RawRobot, written: RawRobot, decided: ExportDecisions, fail: Callable[[str], None]
) -> RawRobot:
    """Return the robot with the masses of the text where they may differ, which `why_other` decides."""
    masses = {link.name: link.mass for link in written.links}
    moving = {joint.child for joint in robot.joints if joint.type != "fixed"}
    links = []
    for link in robot.links:
        new = masses.get(link.name)
        mass = link.mass or RawMass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
        if new is not None and mass != new:
            reason = why_other(mass, new, decided.tolerances.mass, placeholder=decided.placeholder)
            if reason:
                fail(f"link '{link.name}': {reason}")
            link = link._replace(mass=new)
        elif new is None and link.name == "world" and link.name not in moving:
            link = link._replace(mass=None)
        elif new is None and (mass.mass or any(mass.tensor)):
            fail(f"link '{link.name}': it has a mass, and none is written")
        links.append(link)
    return robot._replace(links=tuple(links))
