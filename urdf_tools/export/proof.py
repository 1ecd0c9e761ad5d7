"""The proof of an export: what was written is read again, and compared with the URDF's own text.

Reader and comparison are those of `compare/`: they know neither the model nor the writers. What an export decided for
the robot - names, masses that simulators refuse, shapes that a format cannot show - is checked here one by one, each by
a rule of its own, and then holds for both sides; all else must be the same to 1e-9.
"""
from itertools import zip_longest
from math import dist
from typing import (AbstractSet, Callable, Dict, FrozenSet, Iterable, Iterator, List, Mapping, NamedTuple, Optional,
                    Sequence, Tuple, Union)

from ..base.errors import ProofFailed
from ..compare.all_differences import differences_of, settings_of
from ..compare.canonical import canonical, Canonical, link_places
from ..compare.differences import Difference, EXACT, is_called
from ..compare.formats import Loss, LOSSES, VALUES
from ..compare.mapping import find_map, Given, IDENTITY
from ..compare.reading import inverse_of, PARTLY
from ..compare.records import RawFrame, RawJoint, RawLink, RawMass, RawRobot, RawSensor, RawShape, Unread, Word
from ..compare.robot_map import Bound, RobotMap
from ..model.inertia import Inertia, Inertial
from ..model.pose import Pose as Place
from ..model.records import Link, Robot
from ..urdf.spatial import Pose
from ..verify.rigid_motion import composed
from .mass_proof import why_other

SURFACES = tuple(name for name, value in VALUES.items() if value.of == "shape")
ROUNDED = 1e-11  # rad: by what a joint may be turned, as numbers of 12 digits are written; measured: 1.4e-12


class Decided(NamedTuple):
    """What an export decided.

    Attributes:
        format: its name, for messages.
        links: names in the text by those of the robot, where they differ; between: links that the text has not.
        left_out: shapes that are not written, as (link, role, place among the pieces of the role).
        shows: returns True for a shape that the format can show.
        files: by mesh or texture name of the robot, that in the text.
        base: auto, free, or fixed. massless, inertia: what was asked for.
        rests: whether a joint that mimics one which does not move is held.
        out_of_reach: a number that is no bound [rad, m, N m, ...].
        held: how the base is held where that is decided otherwise, as `RawRobot` says it.
    """

    format: str
    links: Mapping[str, str] = {}
    between: FrozenSet[str] = frozenset()
    left_out: FrozenSet[Tuple[str, str, int]] = frozenset()
    shows: Callable[[RawShape], bool] = lambda shape: True
    files: Mapping[str, str] = {}
    base: str = "auto"
    massless: str = "refuse"
    inertia: str = "refuse"
    rests: bool = False
    out_of_reach: float = 1e9
    held: str = ""


def unproven_surfaces(robot: RawRobot) -> List[Loss]:
    """Return what cannot be compared where a `<collision>` of `<gazebo>` is understood in part.

    The model keeps such an element whole, word for word; which of its values then counts, the simulator says.
    """
    partly = any(one.why == PARTLY for one in robot.unread)
    return [Loss(name, "a <collision> is understood in part") for name in SURFACES] if partly else []


def reference_of(source: Union[Robot, RawRobot]) -> RawRobot:
    """Return what an export is compared with: what the text of a URDF says, or the JSON of a model that has none."""
    if isinstance(source, Robot):
        from ..compare.read_model import read_model
        from ..model.json_form import write_json

        source = read_model(write_json(source._replace(links=tuple(map(_with_masses, source.links)))))
    return _without_tensors_alone(source)


def _without_tensors_alone(robot: RawRobot) -> RawRobot:
    """Return a robot in which what has no mass, with all that is fixed to it, has no tensor: it is no body."""
    if all(link.mass is None or link.mass.mass > 0.0 or not any(link.mass.tensor) for link in robot.links):
        return robot
    alone = {part.link.name for body in canonical(robot).bodies for part in body.parts
             if body.mass is None or body.mass.mass <= 0.0}
    return robot._replace(links=tuple(link._replace(mass=None) if link.name in alone else link for link in robot.links))


def _with_masses(link: Link) -> Link:
    """Return a link whose mass is written out where it came from densities."""
    if all(one.density is None for one in link.collisions):
        return link
    mass, center, ((xx, xy, xz), (_, yy, yz), (_, _, zz)) = link.mass_properties
    inertial = link.inertial or Inertial(mass, Inertia(xx, yy, zz, xy, xz, yz), Place(center))
    return link._replace(inertial=inertial, collisions=tuple(one._replace(density=None) for one in link.collisions))


def own_frames(robot: RawRobot, without: AbstractSet[str] = frozenset()) -> List[RawFrame]:
    """Return the frames that a file names, each name once; `without`: links that have no place in a format."""
    links = {link.name for link in robot.links}
    found: Dict[str, RawFrame] = {}
    for frame in robot.frames:
        if frame.link in links - without and frame.name not in links:
            found.setdefault(frame.name, frame)
    return list(found.values())


def with_frames(format: str, robot: RawRobot, there: Sequence[RawFrame], without: AbstractSet[str] = frozenset()
                ) -> RawRobot:
    """Return the robot with the frames of a text: first its own by their names there, then those of the run.

    Raises:
        ProofFailed: one of its own is not written.
    """
    frames = []
    for frame, new in zip_longest(own_frames(robot, without), there):
        if frame is not None and (new is None or not is_called(new.name, frame.name)):
            raise ProofFailed(f"{format}: frame '{frame.name}' is not written")
        frames.append(new if frame is None else frame._replace(name=new.name))
    return robot._replace(frames=tuple(frames))


def _verify_unread(written: RawRobot, robot: RawRobot, fail: Callable[[str], None]) -> None:
    """Refuse what nobody reads, but for what the robot says word for word, and frames that it does not have."""
    copied = inside(robot.unread)
    pairs = {pair for sensor in robot.sensors for _, attributes, _ in sensor.words for pair in attributes}
    for one in written.unread:
        if one.words not in copied and not all(path == "" and pairs.issuperset(attributes)
                                               for path, attributes, _ in one.words):
            fail(f"{one.element} is written in line {one.line}, and is not the robot's")
    names = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    for frame in written.frames:
        if frame.name not in names:
            fail(f"frame '{frame.name}' is written, and is not the robot's")


def inside(unread: Iterable[Unread]) -> AbstractSet[Tuple[Word, ...]]:
    """Return what is said in each element of what was not read, word for word."""
    found = set()
    for one in unread:
        for place, (path, _, _) in enumerate(one.words):
            cut = path.rfind("/") + 1
            own = [one.words[place]]
            for word in one.words[place + 1 :]:
                if not word[0].startswith(f"{path}/"):
                    break
                own.append(word)
            found.add(tuple((word[cut:], attributes, text) for word, attributes, text in own))
    return found


def verify_written(written: RawRobot, robot: RawRobot, decided: Decided, losses: Optional[Sequence[Loss]] = None
                   ) -> None:
    """Compare what was written with the robot; `losses`: what else than its format is known for it cannot say.

    Raises:
        ProofFailed: it is another robot; the message says in what.
    """
    def fail(sentence: str) -> None:
        raise ProofFailed(f"{decided.format} (A: the robot, B: what is written): {sentence}")

    robot = _said(robot, decided)
    robot = robot._replace(links=tuple(_shown(link, decided, fail) for link in robot.links),
                           base=decided.held or base_held(robot, decided.base))
    robot = _renamed(robot, written, decided, fail)
    robot = robot._replace(sensors=tuple(_sensors(robot, written, decided)))
    robot = _with_written_masses(robot, written, decided, fail)
    _verify_unread(written, robot, fail)
    known = LOSSES.get(written.format, ()) if losses is None else losses
    verify_same(decided.format, written, robot, {written.format: known},
               lambda one, first: _is_decided(one, first, decided))


def verify_same(format: str, written: RawRobot, robot: RawRobot, losses: Mapping[str, Sequence[Loss]] = {},
               is_decided: Callable[[Difference, Canonical], bool] = lambda one, first: False) -> Bound:
    """Compare what was written with the robot, which differs in nothing but what is decided; return how exactly.

    Raises:
        ProofFailed: it is another robot; the message says in what.
    """
    robots = find_map(robot, written, _same_names(robot, written))
    found, bound = differences_of(robots, settings_of(robot, written, EXACT, losses))
    left = [one for one in found if not is_decided(one, robots.a)
            and not (one.kind == "sum" and bound is not None and _is_rounding(bound, robots.b))]
    if left:
        from ..compare.words import text_of

        raise ProofFailed(f"{format} (A: the robot, B: what is written): {text_of(left[0])}")
    if bound is None:
        raise ProofFailed(f"{format}: it moves otherwise")
    _verify_start(format, robots)
    return bound


def _is_rounding(bound: Bound, robot: Canonical) -> bool:
    """Return True for what rounding may add up to in a long chain: ROUNDED of each joint, and that of the way behind.
    """
    depths, ways = [0] * len(robot.bodies), [0.0] * len(robot.bodies)
    for joint in robot.joints:
        above = robot.joint_of(joint.parent)
        depths[joint.child] = depths[joint.parent] + 1
        ways[joint.child] = ways[joint.parent] + dist(joint.anchor, above.anchor if above is not None else (0, 0, 0))
    angle = ROUNDED * max(depths)
    return bound.angle <= max(EXACT.angle, angle) and bound.position <= max(EXACT.length, angle * max(ways))


def _verify_start(format: str, robots: RobotMap) -> None:
    """Refuse a first link that begins elsewhere: two robots are the same wherever they are put, an export is not."""
    T, wanted = composed(_start(robots.b), robots.base), _start(robots.a)
    room = EXACT.length * max(1.0, *map(abs, wanted.translation))
    if dist(T.translation, wanted.translation) > room or max(
            dist(row, other) for row, other in zip(T.rotation, wanted.rotation)) > EXACT.angle:
        raise ProofFailed(f"{format}: link '{robots.b.bodies[0].name}' begins at {T}, and the robot's at {wanted}")


def _start(robot: Canonical) -> Pose:
    """Return where a file draws the first link, which may float from a root that is only a frame."""
    first = robot.bodies[0].parts[0].link.name
    return next((composed(robot.raw.T_file_root, joint.T_parent_child) for joint in robot.raw.joints
                 if joint.child == first), robot.raw.T_file_root)


def _same_names(robot: RawRobot, written: RawRobot) -> Given:
    """Return the map by equal names; the text may begin with another link of the same body."""
    roots = [next(link.name for link in one.links if link.name not in {joint.child for joint in one.joints})
             for one in (robot, written)]
    hanging = [joint for joint in written.joints if joint.parent == roots[1]]
    floats = len(hanging) == 1 and hanging[0].type == "floating" and is_empty(written, roots[1])
    first = hanging[0].child if floats else roots[1]
    if first == roots[0] or all(link.name != first for link in robot.links):
        return IDENTITY
    return IDENTITY._replace(base=inverse_of(link_places(canonical(robot))[first]))


def _said(robot: RawRobot, decided: Decided) -> RawRobot:
    """Return the robot without numbers that mean nothing, or the contrary, to a simulator.

    Limits out of reach or crossed are none; so are an effort, or a velocity, of 0, which would lock the joint, and
    damping or friction below 0, and where a spring rests that is none. A joint that mimics one which does not move is
    free, or rests.
    """
    moving = {joint.name for joint in robot.joints if joint.moves}
    still = {joint.name for joint in robot.joints} - moving
    joints = []
    for joint in robot.joints:
        lower, upper = (None if bound is None or abs(bound) >= decided.out_of_reach else bound
                        for bound in (joint.lower, joint.upper))
        if lower is not None and upper is not None and lower > upper:
            lower, upper = None, None
        effort, velocity = (None if value is None or not 0.0 < value < decided.out_of_reach else value
                            for value in (joint.effort, joint.velocity))
        values = {name: value for name, value in joint.values.items() if (name not in ("damping", "friction")
                  or value[0] >= 0.0) and (name != "spring_reference" or "stiffness" in joint.values)}
        mimic = joint.mimic if joint.mimic is not None and joint.mimic.leader in moving else None
        if decided.rests and mimic is None and joint.mimic is not None and joint.mimic.leader in still:
            lower = upper = joint.mimic.offset
            joint = joint._replace(type="prismatic" if joint.type == "prismatic" else "revolute")
        elif decided.rests and mimic is not None and lower == upper:
            lower, upper = None, None  # its rule holds it, not its limits
        joints.append(joint._replace(lower=lower, upper=upper, effort=effort, velocity=velocity, values=values,
                                     mimic=mimic))
    return robot._replace(joints=tuple(joints))


def _is_decided(one: Difference, robot: Canonical, decided: Decided) -> bool:
    """Return True for a link of the robot that the format has no place for, or a mere frame that is the world."""
    return one.kind == "frame_only_a" and one.where in (*decided.between, "world") or (
        one.kind == "frame_only_b" and (one.where == "world" or one.where not in robot.body_of and any(
            link.name == one.where for link in robot.raw.links)))


def _renamed(robot: RawRobot, written: RawRobot, decided: Decided, fail: Callable[[str], None]) -> RawRobot:
    """Return the robot with the names of links and joints that the text gave them: like the old ones, and unique."""
    names = {link.name: decided.links.get(link.name, link.name) for link in robot.links}
    for old, new in names.items():
        if old != new and not is_called(new, old.replace("::", "_")) and not is_called(
                new, f"{old.replace('::', '_')}_link"):
            fail(f"link '{old}' is called '{new}'")
    by_child = {joint.child: joint for joint in written.joints}
    below = _below(robot)
    joints: Dict[str, str] = {}
    renamed = []
    for joint in robot.joints:
        new = next((found.name for found in _partners(joint, below, names, by_child)
                    if found.moves == joint.moves and (found.type == "fixed") == (joint.type == "fixed")), joint.name)
        if joint.type not in ("fixed", "floating") and new != joint.name:
            plain = joint.name.replace("::", "_")
            if not is_called(new, plain) and not is_called(new, f"{plain}_joint"):
                fail(f"joint '{joint.name}' is called '{new}'")
        new = new if joint.type != "fixed" else joint.name
        joints.setdefault(joint.name, new)
        renamed.append(joint._replace(name=new, parent=names[joint.parent], child=names[joint.child]))
    followed = [joint if joint.mimic is None else joint._replace(mimic=joint.mimic._replace(
        leader=joints.get(joint.mimic.leader, joint.mimic.leader))) for joint in renamed]
    return robot._replace(
        links=tuple(link._replace(name=names[link.name]) for link in robot.links), joints=tuple(followed),
        frames=tuple(one._replace(link=names[one.link]) for one in robot.frames),
        loops=tuple(one._replace(links=(names[one.links[0]], names[one.links[1]])) for one in robot.loops),
        sensors=tuple(one._replace(link=names.get(one.link, one.link), joint=joints.get(one.joint, one.joint))
                      for one in robot.sensors))


def _below(robot: RawRobot) -> Dict[str, List[RawJoint]]:
    """Return the joints on each link."""
    below: Dict[str, List[RawJoint]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    return below


def _partners(joint: RawJoint, below: Mapping[str, Sequence[RawJoint]], names: Mapping[str, str],
              by_child: Mapping[str, RawJoint]) -> Iterator[RawJoint]:
    """Yield what may be a joint in the text: above its link, or one fixed to it, there; else as many joints up.

    A link between two joints may have no name in the text: its joint is the one before that of the link behind it.
    """
    waiting = [(joint.child, 0)] if joint.type != "fixed" else []
    for link, ups in waiting:
        found = by_child.get(names[link])
        for _ in range(ups):
            found = by_child.get(found.parent) if found is not None else None
        if found is not None:
            yield found
        carried = below.get(link, ())
        is_between = names[link] not in by_child and len(carried) == 1
        waiting += [(one.child, ups + (one.type != "fixed")) for one in carried if one.type == "fixed" or is_between]


def _sensors(robot: RawRobot, written: RawRobot, decided: Decided) -> Iterator[RawSensor]:
    """Yield the sensors of the robot that the text has a place for, each with its name there."""
    links = {link.name for link in written.links} | {
        frame.name for frame in written.frames if not decided.links or frame.link != "world"}
    joints = {joint.name for joint in written.joints}
    left = list(written.sensors)
    holders = {frame.name: frame.link for frame in written.frames}
    for sensor in robot.sensors:
        name = sensor.name or sensor.kind
        has_place = not decided.links or sensor.joint in joints if sensor.joint else sensor.link in links and (
            not decided.links or sensor.link in decided.links.values())
        if not has_place:
            continue
        several = [other.name or other.kind for other in robot.sensors].count(name) > 1
        called = [one for one in left if one.name == name or several and is_called(one.name, name)]
        link = holders.get(sensor.link, sensor.link)
        found = min(called, key=lambda one, link=link: (  # type: ignore[misc]
            one.link != link, one.name != name), default=None)
        if found is not None:
            left.remove(found)
        yield sensor._replace(name=found.name if found is not None else name)


def _shown(link: RawLink, decided: Decided, fail: Callable[[str], None]) -> RawLink:
    """Return a link with the shapes that the text was to show, and the names of their files there."""
    places: Dict[str, int] = {}
    shapes = []
    for shape in link.shapes:
        place = places[shape.role] = places.get(shape.role, -1) + 1
        if (link.name, shape.role, place) in decided.left_out:
            if decided.shows(shape):
                fail(f"link '{link.name}': {shape.role} {place} is left out, and could be shown")
            continue
        color = shape.color
        if shape.name and shape.file not in decided.files and shape.texture not in decided.files and (
                color is None or 0.0 <= min(color) and max(color) <= 1.0):
            shapes.append(shape)
            continue
        shapes.append(shape._replace(
            name=shape.name or f"{link.name}_{shape.role}", file=decided.files.get(shape.file, shape.file),
            texture=decided.files.get(shape.texture, shape.texture),
            color=tuple(min(max(value, 0.0), 1.0) for value in color) if color else None))  # type: ignore[arg-type]
    return link._replace(shapes=tuple(shapes)) if shapes or link.shapes else link


def base_held(robot: RawRobot, asked: str) -> str:
    """Return how the base is held: as asked, else fixed if it is the world, or nothing that it carries weighs.

    A mere frame with nothing but floating joints is the world, in which all else is free.
    """
    children = {joint.child for joint in robot.joints}
    root = next(link.name for link in robot.links if link.name not in children)
    hanging = [joint.type for joint in robot.joints if joint.parent == root]
    if is_empty(robot, root) and set(hanging) == {"floating"}:
        return "free"
    if asked != "auto" and root != "world":
        return asked
    has_mass = {link.name: link.mass is not None and (link.mass.mass > 0.0 or any(link.mass.tensor))
                for link in robot.links}
    if root == "world":
        return "fixed"
    waiting, heavy = [root], False
    while waiting:
        name = waiting.pop()
        heavy = heavy or has_mass[name]
        waiting += [joint.child for joint in robot.joints if joint.parent == name and joint.type == "fixed"]
    return "free" if heavy else "fixed"


def is_empty(robot: RawRobot, name: str) -> bool:
    """Return True if a link is a mere frame."""
    return all(not link.shapes and (link.mass is None or not link.mass.mass and not any(link.mass.tensor))
               for link in robot.links if link.name == name)


def _with_written_masses(robot: RawRobot, written: RawRobot, decided: Decided, fail: Callable[[str], None]) -> RawRobot:
    """Return the robot with the masses of the text where they may differ, each for a reason that is checked."""
    found = {link.name: link.mass for link in written.links}
    moving = {joint.child for joint in robot.joints if joint.type != "fixed"}
    links = []
    for link in robot.links:
        new = found.get(link.name)
        mass = link.mass or RawMass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
        if new is not None and mass != new:
            reason = why_other(mass, new, nearest=decided.inertia == "nearest")
            if reason:
                fail(f"link '{link.name}': {reason}")
            link = link._replace(mass=new)
        elif new is None and link.name == "world" and link.name not in moving:
            link = link._replace(mass=None)
        elif new is None and (mass.mass or any(mass.tensor)):
            fail(f"link '{link.name}': it has a mass, and none is written")
        links.append(link)
    return robot._replace(links=tuple(links))
