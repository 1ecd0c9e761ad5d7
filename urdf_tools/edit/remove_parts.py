"""The edit `remove`: inertials, visuals, collisions, mimic rules and blocks of Gazebo, and nothing else."""

from __future__ import annotations

from collections import Counter
from fnmatch import fnmatchcase
from itertools import chain
from math import fsum
from typing import Callable, Collection, Dict, List, Mapping, Sequence, Set, Tuple

from ..apply.apply_plan_passes import define_materials
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, glob_meant, UsageError
from ..base.run_diagnostics import DROPPED_NAME
from ..base.number_text import count_of, numbers_in
from ..base.record_type import Record
from ..compare.verify_edit import EditLaw
from ..formats.urdf.read_urdf import SPRING
from ..meshing.make_meshes import first_definitions
from ..plan.kept_links import find_references
from ..report.line_layout import mass_text
from ..robot.raw_robot import RawJoint, RawLink, RawRobot, RawShape
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import UrdfJoint, UrdfLink, UrdfShape
from ..urdf.xml_edits import detach
from .move_frames import plan_of
from .mimic_settings import remove_rules, with_rules
from .edit_diagnostics import GAZEBO_REMOVED
from .edit_value_words import listed
from .robot_draft import EditResult, RobotDraft

ADVICE = (
    "give what to remove and where, such as 'inertial *_frame', 'collision hand' or 'visual *:mesh'"
)
GAZEBO = "gazebo"
ROBOT = (
    "robot"  # names the `<gazebo>` blocks of the whole robot, if no link or joint is called that
)
# Values of a joint that blocks give it (sdformat src/parser_urdf.cc), by their names in `formats/values.md`.
OF_GAZEBO = (
    "stiffness",
    "spring_reference",
    "limit_cfm",
    "limit_erp",
    "fudge_factor",
    "provide_feedback",
    "implicit_spring_damper",
)
GEOMETRIES = ("mesh", "box", "sphere", "cylinder", "capsule")


class RemovalResult(Record):
    """The phrase of the report on what was removed, and what the law expects, given the robots before and after."""

    phrase: str
    expected: Callable[[RawRobot, RawRobot], RawRobot]


def remove(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Remove elements of one kind: `inertial *_frame`, `collision hand/palm_*`, `visual *:mesh`, `mimic finger*`, `gazebo *`.

    Raises:
        UsageError: the kind does not exist, or a glob names nothing that can be removed.
    """
    if len(words) < 2:
        raise draft.refused(ADVICE)
    kind, *globs = words
    if kind not in REMOVERS:
        known = tuple(REMOVERS)
        raise draft.refused(
            f"there is no kind '{kind}' to remove{did_you_mean(kind, known)}; there are {', '.join(known)}"
        )
    removal = REMOVERS[kind](draft, kind, globs)
    return EditResult(
        EditLaw(),
        f"{removal.phrase} removed",
        laws=lambda before, after, law: ((removal.expected(before, after), after, law),),
    )


def _nothing(draft: RobotDraft, kind: str, glob: str, names: Collection[str]) -> UsageError:
    """Return the refusal of a glob that names nothing with an element of this kind."""
    owner = {"mimic": "joint", GAZEBO: "link or joint"}.get(kind, "link")
    return draft.refused(
        f"'{kind} {glob}': no such {owner} has a <{kind}>{glob_meant(glob, names)}"
    )


def _remove_inertials(draft: RobotDraft, kind: str, globs: Sequence[str]) -> RemovalResult:
    """Remove the inertials of links: they have no mass then."""
    owners = [link for link in draft.robot.links.values() if link.inertial is not None]
    going: Dict[str, UrdfLink] = {}
    for glob in globs:
        named = {link.name: link for link in owners if fnmatchcase(link.name, glob)}
        if not named:
            raise _nothing(draft, kind, glob, [link.name for link in owners])
        going.update(named)
    for link in going.values():
        _take_out(draft, link.source, link.source.elements(kind))

    def without_mass(link: RawLink) -> RawLink:
        """Return a link without its mass if it is one of these."""
        return link._replace(mass=None) if link.name in going else link

    mass = mass_text(fsum(link.mass for link in going.values()))
    return RemovalResult(
        f"{count_of(len(going), kind)} ({mass} kg)",
        lambda before, _: before.with_each(links=without_mass),
    )


def _remove_shapes(draft: RobotDraft, kind: str, globs: Sequence[str]) -> RemovalResult:
    """Remove visuals or collisions of links; a material that only these define is defined in the robot."""
    # By the name of the link, the numbers of its shapes of this kind that go.
    going: Dict[str, Set[int]] = {}
    for glob in globs:
        named = _shapes_of(draft, kind, glob)
        if not named:
            raise _nothing(draft, kind, glob, list(draft.robot.links))
        for name, index in named:
            going.setdefault(name, set()).add(index)
    lost: List[UrdfShape] = []
    staying: Dict[str, UrdfLink] = {}
    for link in draft.robot.links.values():
        own = [shape for shape in link.shapes if shape.kind == kind]
        gone = [own[index] for index in sorted(going.get(link.name, ()))]
        lost += gone
        shapes = tuple(shape for shape in link.shapes if shape not in gone)
        staying[link.name] = link._replace(shapes=shapes)
    # The other shapes may need a material that only a removed shape defines.
    plan = plan_of(draft, robot=draft.robot._replace(links=staying))
    definitions = first_definitions(plan, (), draft.robot)
    define_materials(draft.document, plan._replace(definitions=definitions))
    for link in draft.robot.links.values():
        sources = [shape.source for shape in link.shapes if shape in lost]
        if sources:
            _take_out(draft, link.source, sources)
    _warn_of_names(draft, [shape.name for shape in lost if shape.name])
    return RemovalResult(
        count_of(len(lost), kind), lambda before, _: _without_shapes(before, kind, going)
    )


def _shapes_of(draft: RobotDraft, kind: str, glob: str) -> List[Tuple[str, int]]:
    """Return the links and the numbers of the shapes that a glob names: `LINK`, `LINK/SHAPE`, `LINK:mesh`."""
    head, colon, geometry = glob.rpartition(":")
    if not colon or geometry not in GEOMETRIES:
        head = glob
        geometry = ""
    named = [link for link in draft.robot.links.values() if fnmatchcase(link.name, head)]
    shape_glob = "*"
    # A name of a link may contain a slash.
    if not named and "/" in head:
        link_glob, _, shape_glob = head.rpartition("/")
        named = [link for link in draft.robot.links.values() if fnmatchcase(link.name, link_glob)]
    found: List[Tuple[str, int]] = []
    for link in named:
        own = [shape for shape in link.shapes if shape.kind == kind]
        for index, shape in enumerate(own):
            drawn = shape.drawn.name if shape.drawn is not None else ""
            if fnmatchcase(shape.name, shape_glob) and geometry in ("", drawn):
                found.append((link.name, index))
    return found


def _without_shapes(raw: RawRobot, role: str, going: Mapping[str, Collection[int]]) -> RawRobot:
    """Return a robot without the shapes of these numbers among the shapes of a role, for the law."""

    def without(link: RawLink) -> RawLink:
        """Return a link without its shapes that go."""
        numbers = going.get(link.name, ())
        kept: List[RawShape] = []
        count = 0
        for shape in link.shapes:
            if shape.role != role:
                kept.append(shape)
                continue
            if count not in numbers:
                kept.append(shape)
            count += 1
        return link._replace(shapes=tuple(kept))

    return raw.with_each(links=without)


def _remove_mimics(draft: RobotDraft, kind: str, globs: Sequence[str]) -> RemovalResult:
    """Remove the rules of followers: they move by themselves then."""
    followers = [joint for joint in draft.robot.joints if joint.mimic is not None]
    going: Dict[str, None] = {}
    for glob in globs:
        named = [joint.child for joint in followers if fnmatchcase(joint.name, glob)]
        if not named:
            raise _nothing(draft, kind, glob, [joint.name for joint in followers])
        going.update(dict.fromkeys(named))
    remove_rules(draft, going)
    rules = dict.fromkeys(going)
    return RemovalResult(count_of(len(going), kind), lambda before, _: with_rules(before, rules))


def _take_out(draft: RobotDraft, owner: Element, elements: Sequence[Element]) -> None:
    """Take elements out of a link; comments stay, as one in front may be about the link."""
    detach(draft.copy(owner), [draft.copy(element) for element in elements], comments=False)


def _warn_of_names(draft: RobotDraft, names: Sequence[str]) -> None:
    """Warn of what names a removed shape, such as a contact sensor its collision."""
    removed = set(names)
    for reference in find_references(draft.robot, removed):
        is_other = reference.name in draft.robot.links or reference.name in draft.robot.named
        if reference.name in removed and not is_other:
            names_of_it = (reference.place, reference.name)
            line = reference.element.line
            draft.warnings.append(Diagnostic(DROPPED_NAME, line, "named", names_of_it))


def _remove_gazebo(draft: RobotDraft, kind: str, globs: Sequence[str]) -> RemovalResult:
    """Remove the `<gazebo>` blocks of links and joints, and by `*` or `robot` the blocks of the whole robot."""
    blocks = draft.robot.document.root.elements(kind)
    going: Dict[int, Element] = {}
    for glob in globs:
        named = [block for block in blocks if _is_meant(draft, block, glob)]
        if not named:
            names = [block.get("reference") or ROBOT for block in blocks]
            raise _nothing(draft, kind, glob, names)
        going.update((block.offset, block) for block in named)
    removed = [*going.values()]
    for block in removed:
        lost = [
            f"{part.name} '{part.get('name')}'" for part in block.elements() if part.get("name")
        ]
        if lost:
            draft.warn(block, GAZEBO_REMOVED, "named", listed(lost))
    detach(draft.document.root, [draft.copy(block) for block in removed], comments=False)
    referenced = {block.get("reference") or "" for block in removed}
    counts = Counter(
        part.name if part.get("name") else "value"
        for part in chain.from_iterable(block.elements() for block in removed)
    )
    of_them = ", ".join(count_of(counts[name], name) for name in sorted(counts))
    phrase = f"{count_of(len(removed), 'gazebo block')} ({of_them or 'empty'})"
    return RemovalResult(
        phrase, lambda before, after: _without_gazebo(before, after, referenced, draft.robot.named)
    )


def _is_meant(draft: RobotDraft, block: Element, glob: str) -> bool:
    """Return True if a glob names the link or joint of a block; `robot` names the blocks without one."""
    reference = block.get("reference") or ""
    is_robot = glob == ROBOT and ROBOT not in draft.robot.links and ROBOT not in draft.robot.named
    return not reference if is_robot else fnmatchcase(reference, glob)


def _without_gazebo(
    before: RawRobot, after: RawRobot, names: Collection[str], joints: Mapping[str, UrdfJoint]
) -> RawRobot:
    """Return a robot without the values, sensors and loops of the blocks of some links and joints, for the law.

    `names` has "" for the blocks of the whole robot. Which links are lumped depends on blocks of joints, so values of
    lumped links are not compared.
    """
    new = {link.name: link for link in after.links}

    def without_values(link: RawLink) -> RawLink:
        """Return a link without the values of its blocks."""
        twin = new.get(link.name, link)
        # Of links that are lumped, the first one says in whose frame a direction of friction counts. A shape without
        # its like stays as it is, so that the law sees that one is lost.
        shapes = tuple(
            shape._replace(direction_link=other.direction_link)
            for shape, other in zip(link.shapes, (*twin.shapes, *link.shapes))
        )
        link = link._replace(lumped_values=twin.lumped_values, shapes=shapes)
        if link.name not in names:
            return link
        bare = tuple(shape._replace(surface={}, script="") for shape in link.shapes)
        return link._replace(values={}, shapes=bare)

    def without_spring(joint: RawJoint) -> RawJoint:
        """Return a joint without the values of its blocks; a `<dynamics>` may have a spring, too."""
        # Blocks belong to the first joint of a name.
        if joint.name not in names or joints[joint.name].child != joint.child:
            return joint
        values = {key: value for key, value in joint.values.items() if key not in OF_GAZEBO}
        for dynamics in joints[joint.name].source.elements("dynamics")[:1]:
            for key, name in SPRING.items():
                written = numbers_in(dynamics.get(key) or "", 1)
                if written is not None:
                    values[name] = written
        return joint._replace(values=values)

    bare = before.with_each(links=without_values, joints=without_spring)
    return bare._replace(
        sensors=tuple(
            sensor for sensor in bare.sensors if (sensor.joint or sensor.link) not in names
        ),
        # A loop with words of SDF stands in a block of the whole robot.
        loops=tuple(loop for loop in bare.loops if not (loop.words and "" in names)),
    )


# What is removed, by the word for it.
REMOVERS: Dict[str, Callable[[RobotDraft, str, Sequence[str]], RemovalResult]] = {
    "inertial": _remove_inertials,
    "visual": _remove_shapes,
    "collision": _remove_shapes,
    "mimic": _remove_mimics,
    GAZEBO: _remove_gazebo,
}
