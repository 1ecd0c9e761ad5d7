"""A robot between two acts: its text, the law from the input, what followed, and the notes that its text has."""
import re
from fnmatch import fnmatchcase
from typing import Callable, Dict, List, Sequence, Tuple

from ..apply.passes import note_in_front
from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError
from ..base.note_text import from_note, in_note
from ..base.number_text import grouped
from ..base.version import OWN_NOTE
from ..compare.law import Law
from ..compare.records import RawRobot
from ..meshing.converter import mesh_context
from ..plan.edits import ReferenceUpdate
from ..plan.joint_map import JOINT_MAP, joint_map_note, NotedMap, old_word, read_joint_map, SAME_NAME
from ..plan.notes import note_of_words, words_of_note
from ..plan.options import Options
from ..plan.variant import THEN, VARIANT
from ..run.companions import Companion
from ..run.pipeline import simplify_bytes
from ..run.records import Asked, MeshMaking, Result
from ..srdf.companion import srdf_companion
from ..urdf.kinematics import AS_IT_WAS
from ..urdf.lossless_xml import Document, Element, parse_document
from ..urdf.model import MOVABLE
from .law import raw_of, verify
from .records import Draft, followed_by, Made

Act = Callable[[Draft, Sequence[str]], Made]


class Editing:
    """A robot between two acts.

    Attributes:
        data, srdf: its text, and that of its SRDF if there is one.
        law: from the input to it: names, and how joints count.
        making: how mesh files are made; files: those of the result.
        before: the input; tops: the elements of its robot, in their order by tag and name.
        locked: where joints were locked [rad or m], by their names in the input, as they count there.
        done: the phrases of the acts; words: those of the note.
    """

    def __init__(self, asked: Asked, result: Result, making: MeshMaking) -> None:
        self.plan, self.making, self.files = result.plan, making, list(result.plan.meshes.files)
        self.asked, self.packages = asked, result.plan.options.meshes.package
        self.data, self.srdf = result.source, result.srdf.source if result.srdf is not None else None
        self.srdf_path = result.srdf.before.path if result.srdf is not None else ""
        self.law, self.before = Law(), result.before.document
        self.locked: Dict[str, float] = {}
        self.tops = grouped(((top.name, top.get("name") or top.get("reference") or ""), top)
                            for top in self.before.root.elements())
        self.is_first = True
        self.done: List[str] = []
        self.words = list(words_of_note(result.before.document, VARIANT))
        self.noted = read_joint_map(result.before.document)
        self.notes: List[ReferenceUpdate] = []
        self.warnings: List[Diagnostic] = []
        self.srdf_notes: List[ReferenceUpdate] = []
        self.srdf_warnings: List[Diagnostic] = []

    @property
    def path(self) -> str:
        """The name of the input."""
        return self.asked.path

    def mark(self, document: Document) -> None:
        """Give the elements of a text that an act made the lines of the input, as far as they are known."""
        if self.is_first:  # the same text: each element has its line, also that of an MJCF or SDF
            for element, known in zip(document.root.walk(), self.before.root.walk()):
                element.line_starts = known.line_starts
            return
        tops = {key: [*several] for key, several in self.tops.items()}
        old = [{new: name for name, new in names.items()} for names in self.law[:3]]  # links, joints, others
        for top in document.root.elements():
            name = top.get("name") or top.get("reference") or ""
            was = old[top.name == "joint"].get(name) or next(
                (names[name] for names in old if name in names), name)
            _with_lines(top, tops.get((top.name, was)) or [])

    def draft(self) -> Draft:
        """Return a draft of the robot as it is now."""
        srdf = parse_document(self.srdf, self.srdf_path) if self.srdf is not None else None
        context = mesh_context(self.plan, self.path, self.asked.output, *self.making)
        return Draft(self.data, self.path, srdf, self.mark, self.packages, context)

    def _raw(self) -> RawRobot:
        return raw_of(self.data, self.path, self.packages, self.making.converter.staged)

    def act(self, name: str, function: Act, words: Sequence[str]) -> Made:
        """Carry out an act, and verify its law.

        Raises:
            UrdfError: it is not possible.
            ProofFailed: its law does not hold; a fault of this tool.
        """
        draft = self.draft()
        try:
            made = function(draft, words)
        except UrdfError as error:
            if error.path != self.path:  # of another file, with its own lines
                raise
            raise type(error)(f"--{name.replace('_', '-')}: {error.message}", error.path, error.line) from None
        before = self._raw()
        self._note(draft.document, made)
        self.data = draft.document.to_bytes()
        self.srdf = draft.srdf.to_bytes() if draft.srdf is not None else None
        verify(before, self._raw(), made, name)
        self.files += draft.files
        self.notes += draft.notes
        self.warnings += draft.warnings
        self.srdf_notes += draft.srdf_notes
        self.srdf_warnings += draft.srdf_warnings
        self.law, self.is_first = followed_by(self.law, made.law), False
        return made

    def run(self, options: Options) -> Result:
        """Carry out acts that one run of the engine does, which proves it."""
        companions = self.companions()
        result = simplify_bytes(self.data, self.path, options, self.path, companions=companions, mark_lines=self.mark)
        self.data = result.data
        maps = {planned.joint.name: planned.map for planned in result.plan.joints.values()
                if planned.joint.type in MOVABLE and planned.map != AS_IT_WAS}
        self.warnings += [warning for warning in result.plan.warnings if warning not in result.before.warnings]
        self.notes += result.plan.updates.notes
        if result.srdf is not None:
            self.srdf = result.srdf.data
            self.srdf_notes += result.srdf.updates.notes
            self.srdf_warnings += result.srdf.updates.warnings
        old_names = {new: old for old, new in self.law.joints.items()}
        variant = result.plan.variant
        for child, position in variant.locked.items():
            name = variant.source.above[child].name
            old = old_names.get(name, name)
            sign, zero = self.law.maps.get(old, AS_IT_WAS)
            self.locked[old] = sign * position + zero
        self.law, self.is_first = followed_by(self.law, Law(maps=maps)), False
        self.words = list(words_of_note(result.after.document, VARIANT))
        self.noted = read_joint_map(result.after.document)
        return result

    def companions(self) -> Tuple[Companion, ...]:
        return (srdf_companion(self.srdf, self.srdf_path),) if self.srdf is not None else ()

    def say(self, name: str, words: str) -> None:
        """Add an act to the note of a variant, which says run by run what was asked."""
        first = not self.done and self.words
        self.words.append(f"{THEN * bool(first)}{name.replace('_', '-')} {in_note(words)}")

    def _note(self, document: Document, made: Made) -> None:
        """Write how joints count and are called now, and what was asked, into the notes of a text."""
        noted, law = {}, made.law
        for name, joint_map in self.noted.items():
            noted[in_note(law.joints.get(from_note(name), from_note(name)))] = joint_map
        for old, new in law.joints.items():
            before = noted.get(in_note(new), NotedMap())
            first = old_word(old) if before.old == SAME_NAME else before.old
            noted[in_note(new)] = before._replace(old=SAME_NAME if first == old_word(new) else first)
        self.noted = {name: joint_map for name, joint_map in noted.items() if joint_map != NotedMap()}
        self.words = [_with_names(word, made.law) for word in self.words]
        if made.base_turns:  # what an earlier run noted of the base is true no more
            note_in_front(document, document.root, "", OWN_NOTE)
        for kind, text in ((JOINT_MAP, joint_map_note(self.noted, document.newline)),
                           (VARIANT, note_of_words("variant", self.words, document.newline))):
            note_in_front(document, document.root, text, kind)


def _with_lines(element: Element, waiting: List[Element], line: int = 0) -> None:
    """Give an element the line of the first that waits, which stays for those that follow if it is the last; so inside.

    `line` is for one that has none.
    """
    known = (waiting.pop(0) if waiting[1:] else waiting[0]) if waiting else None
    line = known.line if known is not None else line
    element.line_starts = bytes(line)
    inside = grouped((child.name, child) for child in (known.elements() if known is not None else ()))
    for child in element.elements():
        _with_lines(child, inside.get(child.name) or [], line)


def _with_names(word: str, law: Law) -> str:
    """Return a word of the note in which a joint whose sign was turned has its new name."""
    head, option, value = re.fullmatch(r"(then )?(\S+)(?: (.*))?", word, re.S).groups(default="")  # type: ignore[union-attr]
    names = [new for old, new in law.joints.items() if option == "flip" and fnmatchcase(old, from_note(value))]
    return f"{head}{option} {in_note(names[0])}" if len(names) == 1 else word
