"""A robot between two edits: its text, the law from the input, updates so far, and the notes in its text."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase
from itertools import chain
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..apply.apply_plan_passes import note_in_front, own_note
from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError, UsageError
from ..base.run_diagnostics import MOVED_ZERO, UNREADABLE_POSE, XML_DECLARATION
from ..base.number_text import format_number, grouped
from ..base.version import OWN_NOTE
from ..compare.verify_edit import EditLaw
from ..meshing.mesh_converter import mesh_context, MeshMakingSettings
from ..plan.plan_decisions import Plan
from ..plan.reference_updates import ReferenceUpdate
from ..plan.result_notes import (
    composed_maps,
    joint_map_note,
)
from ..robot.raw_robot import RawRobot, SLIDING
from ..run.run_records import ExtensionRequest, CompanionFile, Result
from ..srdf.srdf_notes import note_that_it_follows
from ..srdf.verify_srdf import srdf_companion, verify_srdf
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.urdf_records import AS_IT_WAS, JointMap, MOVABLE
from ..urdf.urdf_notes import (
    Decision,
    DECISIONS,
    DECISIONS_TITLE,
    from_note,
    in_note,
    JOINT_MAP,
    LOST,
    note_of_words,
    NotedJointMap,
    read_joint_map,
    SAME_NAME,
    THEN,
    VARIANT,
    words_of_note,
)
from .edit_diagnostics import NAME_SHARED
from .edit_laws import raw_of, verify, verify_outside_of
from .robot_draft import decisions_lost, RobotDraft, followed_by, EditResult
from .name_clashes import names_twice, renamed_by
from .edit_value_words import option_name

Act = Callable[[RobotDraft, Sequence[Any]], EditResult]


class EditSession:
    """A robot between two edits.

    Attributes:
        data, srdf: its text, and the text of its SRDF or None.
        law: from the input to this robot: names and joint maps; scale: how many times as large as the input it is.
        making: how mesh files are made; files: the mesh files of the result.
        source, before: the input, and its document; tops: the top-level elements of the input, in file order, by tag
            and name.
        locked: the positions of locked joints [rad or m], by their names in the input and with its signs and zeros.
        dropped: the removed links of the input, with their masses [kg].
        done: the phrases of the edits in the report; words: the phrases of the note.
    """

    def __init__(self, asked: ExtensionRequest, result: Result, making: MeshMakingSettings) -> None:
        """Begin with the result of the run before the first edit, and with the notes in its file."""
        self.plan = result.plan
        self.making = making
        self.files = list(result.plan.meshes.files)
        self.asked = asked
        self.packages = result.plan.options.meshes.package
        srdf = result.srdf
        self.data = result.source
        self.srdf = srdf.source if srdf is not None else None
        self.srdf_path = srdf.before.path if srdf is not None else ""
        self.srdf_root_line = srdf.before.root.line if srdf is not None else 0
        self.law = EditLaw()
        self.scale = 1.0
        self.source = result.before
        self.before = result.before.document
        self.locked: Dict[str, float] = {}
        self.dropped: Dict[str, float] = {}
        # By tag and name, because elements of an edited text find their lines in the input by these.
        self.tops = grouped(
            ((top.name, top.get("name") or top.get("reference") or ""), top)
            for top in self.before.root.elements()
        )
        self.is_first = True
        self.done: List[str] = []
        self.words = list(words_of_note(result.before.document, VARIANT))
        self.is_later = bool(self.words)
        self.decided = words_of_note(result.before.document, DECISIONS)
        self.noted = read_joint_map(result.before.document)
        self.notes: List[ReferenceUpdate] = []
        # The only warning about the input that concerns the text that is written.
        self.warnings: List[Diagnostic] = [
            warning for warning in result.before.warnings if warning.kind is XML_DECLARATION
        ]
        self.warnings += [
            Diagnostic(NAME_SHARED, 0, "several", named)
            for named in sorted(names_twice(self.before.root))
        ]
        self.srdf_notes: List[ReferenceUpdate] = []
        self.srdf_warnings: List[Diagnostic] = []
        # What the law of an edit excuses: the verdict counts it, as `compare` of both files does.
        self.lost: List[Decision] = []

    @property
    def path(self) -> str:
        """The name of the input."""
        return self.asked.path

    def mark(self, document: Document) -> None:
        """Give the elements of an edited text the lines of the input, as far as they are known."""
        # The same text: every element keeps its source line, also for MJCF and SDF.
        if self.is_first:
            for element, known in zip(document.root.walk(), self.before.root.walk()):
                element.line_starts = known.line_starts
            return
        tops = {key: [*several] for key, several in self.tops.items()}
        # Old names by new ones: of links, joints, others.
        old = [{new: name for name, new in names.items()} for names in self.law[:3]]
        for top in document.root.elements():
            name = top.get("name") or top.get("reference") or ""
            # A `<gazebo>` may refer to a link or a joint, and a sensor has a name of its own.
            of_any = next((names[name] for names in old if name in names), name)
            was = old[top.name == "joint"].get(name) or of_any
            _with_lines(top, tops.get((top.name, was)) or [])

    def draft(self) -> RobotDraft:
        """Return a draft of the current robot."""
        srdf = parse_document(self.srdf, self.srdf_path) if self.srdf is not None else None
        if srdf is not None:
            _without_lines_of_notes(srdf, self.srdf_root_line)
        context = mesh_context(self.plan, self.path, self.asked.output, self.making)
        return RobotDraft(
            data=self.data,
            path=self.path,
            srdf=srdf,
            mark=self.mark,
            packages=self.packages,
            meshes=context,
            source=self.before,
        )

    def _raw(self) -> RawRobot:
        """Return the current robot as `compare` reads it."""
        return raw_of(self.data, self.path, self.packages, self.making.converter.staged)

    def act(self, name: str, function: Act, words: Sequence[Any]) -> EditResult:
        """Carry out an edit, and verify its law.

        Raises:
            UrdfError: it is not possible.
            ProofFailed: its law does not hold; a fault of this tool.
        """
        draft = self.draft()
        try:
            act_result = function(draft, words)
        except UrdfError as error:
            if error.path != self.path:  # an error in a second file, with its own lines
                raise
            option = "" if error.message.startswith("--") else f"--{option_name(name)}: "
            raise type(error)(f"{option}{error.message}", error.path, error.line) from None
        self._require_names_once(draft, act_result, name)
        before = self._raw()
        self._record_losses(draft, act_result)
        self.say(*act_result.words)
        self._note(draft.document, act_result)
        self.data = draft.document.to_bytes()

        # The proof parses both texts anew.
        if act_result.plan is not None:
            self._verify_outside(draft, act_result, act_result.plan)
        if self.srdf is not None and draft.srdf is not None:
            note_that_it_follows(draft.srdf, self.srdf, self.noted)
            self.srdf = draft.srdf.to_bytes()
        # The law excuses sensors that are posed `relative_to` a different frame, and loop joints of `<gazebo>` that a
        # moved zero opens; these get a warning. Sensors and joints of a twin are in the second document only.
        elsewhere: Dict[str, Element] = {}
        for document in (draft.robot.document, draft.document):
            elsewhere.update(_sensors_elsewhere(document))
            elsewhere.update(_joints_in_gazebo(document))
        for excused in dict.fromkeys(verify(before, self._raw(), act_result, name, elsewhere)):
            element = elsewhere[excused]
            is_loop = element.name == "joint"
            self.lost.append(
                Decision(LOST, element.get("name") or "", ("loop" if is_loop else "sensor",))
            )
            if excused in act_result.opened:
                continue
            if is_loop:
                draft.warn(element, MOVED_ZERO, "loop")
            else:
                draft.warn(element, UNREADABLE_POSE, "elsewhere")

        if act_result.scale != 1.0:
            self._scale_maps(act_result.scale)
        self.files += draft.files
        self.notes += draft.notes
        self.warnings += draft.warnings
        self.srdf_notes += draft.srdf_notes
        self.srdf_warnings += draft.srdf_warnings
        self.law = followed_by(self.law, act_result.law)
        self.scale *= act_result.scale
        self.is_first = False
        return act_result

    def _require_names_once(self, draft: RobotDraft, act_result: EditResult, act: str) -> None:
        """Refuse an edit that would use a name twice; things that shared a name before may share its new name.

        Raises:
            UsageError: names the first of them.
        """
        documents = [(draft.robot.document, draft.document)]
        if self.srdf is not None and draft.srdf is not None:
            documents.append((parse_document(self.srdf, self.srdf_path), draft.srdf))
        for before, after in documents:
            shared = renamed_by(act_result.law, names_twice(before.root)) | act_result.twice
            # Sorted, so that the message does not depend on the order of a set.
            for what, name in sorted(names_twice(after.root) - shared)[:1]:
                raise UsageError(
                    f"--{option_name(act)}: two {what} would be called '{name}'{act_result.cure}",
                    after.path,
                )

    def _verify_outside(self, draft: RobotDraft, act_result: EditResult, plan: Plan) -> None:
        """Verify the elements outside links and joints, and the SRDF."""
        comparison = verify_outside_of(
            draft.robot.document, parse_document(self.data, self.path), act_result.law, plan
        )
        if self.srdf is not None and draft.srdf is not None:
            verify_srdf(
                parse_document(self.srdf, self.srdf_path),
                parse_document(draft.srdf.to_bytes(), self.srdf_path),
                comparison,
                tuple(draft.srdf_warnings),
            )

    def _record_losses(self, draft: RobotDraft, act_result: EditResult) -> None:
        """Record the joints of the input that an edit locks, and the links that it drops, by their names in the input.

        Called before the law of the edit is added: `self.law` leads from the input to the robot before this edit.
        """
        input_joints = {new: old for old, new in self.law.joints.items()}
        for name, position in act_result.law.held.items():
            input_name = input_joints.get(name, name)
            # A joint that an edit attached is no loss of the input.
            if input_name not in self.source.named:
                continue
            sign, zero = self.law.maps.get(input_name, AS_IT_WAS)
            # The input's position [rad or m], from q_new = sign * (q_input - zero).
            self.locked[input_name] = (sign * position + zero) / self._factor_of(input_name)
        # An edit without a plan drops no link.
        if act_result.plan is None:
            return
        input_links = {new: old for old, new in self.law.links.items()}
        for name in draft.robot.links:
            input_name = input_links.get(name, name)
            if name not in act_result.plan.members and input_name in self.source.links:
                self.dropped[input_name] = self.source.links[input_name].mass

    def _factor_of(self, input_name: str) -> float:
        """Return how many times as large the positions of a joint of the input are now: those of a slide are lengths."""
        is_slide = self.source.named[input_name].type in SLIDING
        return self.scale if is_slide else 1.0

    def _scale_maps(self, factor: float) -> None:
        """Scale the zeros of slides of the input, because positions in the scaled robot are larger."""
        maps = dict(self.law.maps)
        for name, (sign, zero) in maps.items():
            joint = self.source.named.get(name)
            if joint is not None and joint.type in SLIDING:
                maps[name] = JointMap(sign, zero * factor)
        self.law = self.law._replace(maps=maps)

    def companions(self) -> Tuple[CompanionFile, ...]:
        """Return the SRDF of the robot, if any, as a companion file of the run."""
        return (srdf_companion(self.srdf, self.srdf_path),) if self.srdf is not None else ()

    def say(self, *words: str) -> None:
        """Add words to the note of a variant, which lists the edits run by run."""
        for word in words:
            then = THEN if self.is_later else ""
            self.words = [*self.words, f"{then}{word}"]
            self.is_later = False

    def _note(self, document: Document, act_result: EditResult) -> None:
        """Write the maps and names of joints, the edits, and the losses into the notes of a text."""
        self._map_names(document, act_result)
        self.words = [_with_names(word, act_result.law) for word in self.words]
        notes: List[Tuple[str, str]] = []
        if act_result.base is not None:
            notes.append((OWN_NOTE, own_note(act_result.base) if act_result.base else ""))
        notes.append((JOINT_MAP, joint_map_note(self.noted, document.newline)))
        notes.append((VARIANT, note_of_words("variant", self.words, document.newline)))
        lost = decisions_lost(self.source, self.locked, self.dropped)
        if lost:
            words = (*self.decided, *lost)
            text = note_of_words(DECISIONS_TITLE, words, document.newline, width=0)
            notes.append((DECISIONS, text))
        for kind, text in notes:
            note_in_front(document, document.root, text, kind)

    def _map_names(self, document: Document, act_result: EditResult) -> None:
        """Compose the noted names and maps of joints with an edit; joints that no longer move are dropped."""
        law = act_result.law
        noted = {}
        for name, entry in self.noted.items():
            noted[in_note(law.joints.get(from_note(name), from_note(name)))] = entry
        for old, new in law.joints.items():
            before = noted.get(in_note(new), NotedJointMap())
            first = old_word(old) if before.old == SAME_NAME else before.old
            # A name that returns to the original name is not noted.
            named = SAME_NAME if first == old_word(new) else first
            noted[in_note(new)] = before._replace(old=named)
        for name, joint_map in law.maps.items():
            before = noted.get(in_note(name), NotedJointMap())
            noted[in_note(name)] = before._replace(map=composed_maps(before.map, joint_map))
        slides = [
            in_note(joint.get("name") or "")
            for joint in document.root.elements("joint")
            if joint.get("type") in SLIDING and act_result.scale != 1.0
        ]
        for word in slides:
            noted[word] = scaled_note(noted.get(word, NotedJointMap()), act_result.scale)
        # In the order in which a run writes the note, so that edits in one run and in several runs give the same text.
        joints = document.root.elements("joint")
        moving = [
            in_note(joint.get("name") or "") for joint in joints if joint.get("type") in MOVABLE
        ]
        self.noted = {
            name: noted[name]
            for name in moving
            if noted.get(name, NotedJointMap()) != NotedJointMap()
        }


def _sensors_elsewhere(document: Document) -> Dict[str, Element]:
    """Return the sensors whose pose is `relative_to` a different frame, by name."""
    sensors = [element for element in document.root.walk() if element.name == "sensor"]
    return {
        sensor.get("name") or "": sensor
        for sensor in sensors
        if (sensor.find("pose") or sensor).get("relative_to")
    }


def _joints_in_gazebo(document: Document) -> Dict[str, Element]:
    """Return the joints in `<gazebo>` elements, by name."""
    blocks = document.root.elements("gazebo")
    joints = chain.from_iterable(block.elements("joint") for block in blocks)
    return {joint.get("name") or "": joint for joint in joints}


def scaled_note(noted: NotedJointMap, factor: float) -> NotedJointMap:
    """Return the note on a slide after its robot was scaled: s (k (f q) - k z) where it was s (f q - z)."""
    sign, zero = noted.map
    # Rounded as it will be written.
    return noted._replace(
        map=JointMap(sign, float(format_number(zero * factor))),
        times=float(format_number(noted.times * factor)),
    )


def old_word(name: str) -> str:
    """Return the name of a joint in the original file, as the note writes it."""
    if name == SAME_NAME:
        return "%71"
    # A minus in front is a sign, and a star stands behind the factor of a scaled slide.
    return re.sub("^-", "%2D", in_note(name)).replace("*", "%2A")


def _with_lines(element: Element, waiting: List[Element], line: int = 0) -> None:
    """Give an element and its descendants the lines of the first waiting element; the last one serves all that follow.

    `line` is the line for an element without a waiting one.
    """
    inside: Dict[str, List[Element]] = {}
    if waiting:
        known = waiting.pop(0) if waiting[1:] else waiting[0]
        line = known.line
        inside = grouped((child.name, child) for child in known.elements())
    element.line_starts = bytes(line)  # the number of line starts is the line
    for child in element.elements():
        _with_lines(child, inside.get(child.name) or [], line)


def _without_lines_of_notes(srdf: Document, line_of_root: int) -> None:
    """Correct the lines of an SRDF for the notes that edits wrote before its root."""
    added = srdf.root.line - line_of_root
    if not added:
        return
    for element in srdf.root.walk():
        element.line_starts = bytes(element.line - added)


def _with_names(word: str, law: EditLaw) -> str:
    """Return a phrase of the note, in which a flipped joint gets its new name."""
    head, option, value = re.fullmatch(r"(then )?(\S+)(?: (.*))?", word, re.S).groups(default="")  # type: ignore[union-attr]
    if option != "flip":
        return word
    names = [new for old, new in law.joints.items() if fnmatchcase(old, from_note(value))]
    return f"{head}{option} {in_note(names[0])}" if len(names) == 1 else word
