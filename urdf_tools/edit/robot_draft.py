"""The draft of a robot that an edit changes, the result of an edit, and the law between both robots."""

from __future__ import annotations

from typing import (
    Callable,
    Container,
    Dict,
    FrozenSet,
    Iterable,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
)

from ..base.type_aliases import Names, Packages, Texts
from ..base.diagnostics import Diagnostic, DiagnosticKind
from ..base.errors import did_you_mean, UsageError
from ..base.number_text import LARGEST
from ..base.record_type import Record
from ..compare.verify_edit import EditLaw
from ..meshing.mesh_converter import MeshFolders
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import place_of, ReferenceUpdate
from ..plan.mesh_tasks import FinishedFile
from ..plan.result_notes import composed_maps
from ..robot.raw_robot import RawRobot
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.urdf_records import AS_IT_WAS, first_that_moves, UrdfJoint, UrdfRobot
from ..urdf.urdf_notes import Decision, decision_text
from ..urdf.urdf_reader import read_robot
from ..urdf.xml_edits import copy_document
from .edit_diagnostics import FOLLOWED

# The limit for results of a run, because merged tensors may have grown.
LARGEST_TENSOR = LARGEST * LARGEST * LARGEST * LARGEST


def followed_by(first: EditLaw, then: EditLaw) -> EditLaw:
    """Return the names and positions of a law followed by a second law."""
    old_name = {new: old for old, new in first.joints.items()}
    maps = dict(first.maps)
    for name, joint_map in then.maps.items():
        old = old_name.get(name, name)
        maps[old] = composed_maps(maps.get(old, AS_IT_WAS), joint_map)
    return EditLaw(
        _joined(first.links, then.links),
        _joined(first.joints, then.joints),
        _joined(first.others, then.others),
        maps=maps,
    )


def _joined(first: Names, then: Names) -> Dict[str, str]:
    """Return the new names by the original names, for two consecutive renamings."""
    made = set(first.values())
    return {
        **{name: new for name, new in then.items() if name not in made},
        **{old: then.get(new, new) for old, new in first.items()},
    }


def _update_of(element: Element, sentence: str, names: Texts) -> ReferenceUpdate:
    """Return the update of an element, with a sentence of FOLLOWED that the names fill."""
    return ReferenceUpdate(
        line=element.line,
        what=place_of(element),
        tag=element.name,
        sentence=sentence,
        names=names,
        sentences=FOLLOWED,
    )


def write(element: Element, attribute: str, text: str) -> None:
    """Write an attribute of an element; the attribute "" is its text."""
    if attribute:
        element.set(attribute, text)
    else:
        element.set_text(text)


def decisions_lost(
    robot: UrdfRobot, locked: Mapping[str, float], dropped: Mapping[str, float]
) -> Texts:
    """Return decisions for `compare`: the locked joints [rad or m], and the dropped links with masses [kg]."""
    locks = [
        Decision("lock", joint.child, (joint.name,), (locked[joint.name],))
        for joint in robot.joints
        if joint.name in locked and joint.child not in dropped
    ]
    # A single decision, named by the first link, lists all links.
    drops = [
        Decision("drop", name, tuple(dropped), tuple(dropped.values()))
        for name in list(dropped)[:1]
    ]
    return tuple(map(decision_text, (*locks, *drops)))


Laws = Callable[[RawRobot, RawRobot, EditLaw], Sequence[Tuple[RawRobot, RawRobot, EditLaw]]]


class EditResult(Record):
    """The result of an edit.

    Attributes:
        law: from input to result; elements without a name of their own may be missing.
        did: the phrase of the report, or "".
        base: the note on the axes of a base whose frame changed, "" if they are oblique; None: unchanged.
        words: the words for the note, if they differ from the given value.
        plan: the plan of the updates outside links and joints, for edits that are verified by a run's proof.
        laws: returns the laws between pairs of robots, given both robots as `compare` reads them and the whole law.
        twice: names added by the edit that were duplicates already in the copied part.
        cure: the end of the message for a duplicate name, after a colon.
        opened: names of closed loops that the edit opens, and has warned of.
        scale: how many times as large all lengths are.
    """

    law: EditLaw
    did: str
    base: Optional[str] = None
    words: Texts = ()
    plan: Optional[Plan] = None
    laws: Laws = lambda before, after, law: ((before, after, law),)
    twice: FrozenSet[Tuple[str, str]] = frozenset()
    cure: str = ""
    opened: FrozenSet[str] = frozenset()
    scale: float = 1.0


class RobotDraft:
    """A robot that an edit changes.

    Attributes:
        robot: the robot as read; `document` is the copy of its text that is edited, `srdf` the copy of its SRDF.
        source: the document given to the command, before its first edit.
        packages: folders by package name. meshes: where new mesh files are made; `files` are the new ones.
        notes, srdf_notes: the updated elements; warnings, srdf_warnings: the elements that could not be updated.
    """

    def __init__(
        self,
        data: bytes,
        path: str,
        srdf: Optional[Document] = None,
        mark: Callable[[Document], None] = (lambda _: None),
        packages: Packages = (),
        meshes: Optional[MeshFolders] = None,
        source: Optional[Document] = None,
    ) -> None:
        """Read a robot, and copy its document and SRDF, so that the edit leaves the input as it is."""
        self.packages, self.meshes = packages, meshes
        self.files: List[FinishedFile] = []
        read = parse_document(data, path)
        mark(read)
        self.source = source or read
        self.robot: UrdfRobot = read_robot(read, largest=LARGEST_TENSOR)
        self.document = copy_document(read)
        self.srdf = copy_document(srdf) if srdf is not None else None
        self.notes: List[ReferenceUpdate] = []
        self.warnings: List[Diagnostic] = []
        self.srdf_notes: List[ReferenceUpdate] = []
        self.srdf_warnings: List[Diagnostic] = []

    @property
    def path(self) -> str:
        """The name of the file, for messages."""
        return self.robot.document.path

    def copy(self, element: Element) -> Element:
        """Return the editable copy of an element of the robot."""
        return self.document.copy_of(element)

    def require_link(self, name: str) -> str:
        """Return the name of a link.

        Raises:
            UsageError: no link has this name.
        """
        if name not in self.robot.links:
            raise UsageError(
                f"there is no link '{name}'{did_you_mean(name, tuple(self.robot.links))}", self.path
            )
        return name

    def require_new(
        self, links: Iterable[str] = (), joints: Iterable[str] = (), cure: str = ""
    ) -> None:
        """Refuse names that the robot has.

        Raises:
            UsageError: names the first, and the number of further names.
        """
        for kind, names, existing in (
            ("link", links, self.robot.links),
            ("joint", joints, self.robot.named),
        ):
            clashes = [name for name in names if name in existing]
            if clashes:
                more = f" (and {len(clashes) - 1} more)" if clashes[1:] else ""
                raise UsageError(f"there is a {kind} '{clashes[0]}' already{more}{cure}", self.path)

    def free_joint_name(self, wanted: str, *others: Container[str]) -> str:
        """Return a free name for a new joint: the wanted name, with a number if it is taken.

        A name used only by a `<gazebo>` block is not free either: the block would apply to the new joint.
        """
        blocks = {top.get("reference") or "" for top in self.robot.document.root.elements("gazebo")}
        used_names: Tuple[Container[str], ...] = (
            self.robot.links,
            self.robot.named,
            blocks,
            *others,
        )
        name = wanted
        number = 2
        while any(name in names for names in used_names):
            name = f"{wanted}_{number}"
            number = number + 1
        return name

    def path_to(self, link: str) -> List[UrdfJoint]:
        """Return the joints from the root to a link."""
        joints: List[UrdfJoint] = []
        while link in self.robot.above:
            joints.append(self.robot.above[link])
            link = joints[-1].parent
        return joints[::-1]

    def below(self, top: str) -> List[str]:
        """Return a link and all its descendants, in the order of the tree."""
        inside = {top: None}
        for joint in self.robot.tree:
            if joint.parent in inside:
                inside[joint.child] = None
        return list(inside)

    def note(self, element: Element, sentence: str, *names: str) -> None:
        """Record the update of an element outside links and joints: a key of FOLLOWED, and the names in its sentence."""
        self.notes.append(_update_of(element, sentence, names))

    def note_srdf(self, element: Element, sentence: str, *names: str) -> None:
        """Record the update of an element of the SRDF: a key of FOLLOWED, and the names in its sentence."""
        self.srdf_notes.append(_update_of(element, sentence, names))

    def refused(self, why: str, line: int = 0) -> UsageError:
        """Return the error with the reason why an edit is refused."""
        return UsageError(why, self.path, line)

    def warn(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Record that an element is not updated; it fills the sentence first, then `names`."""
        self.warnings.append(
            Diagnostic(
                kind=kind,
                line=element.line,
                sentence=sentence,
                names=(place_of(element), *names),
                numbers=(),
                offset=element.offset,
            )
        )

    def warn_srdf(self, element: Element, kind: DiagnosticKind, sentence: str, *names: str) -> None:
        """Record that an element of the SRDF is not updated."""
        self.srdf_warnings.append(
            Diagnostic(kind, element.line, sentence, (place_of(element), *names))
        )


def with_joints(robot: UrdfRobot, joints: Iterable[UrdfJoint]) -> UrdfRobot:
    """Return a robot with its joints replaced by these; each child link must have had a joint."""
    above = {joint.child: joint for joint in joints}
    return robot._replace(
        joints=tuple(above.values()),
        named=first_that_moves((joint.name, joint) for joint in above.values()),
        tree=tuple([above[joint.child] for joint in robot.tree if joint.child in above]),
        above=above,
    )
