"""Carry out acts from left to right: text to text, each proven by its own law; and the result for the report."""
import re
from fnmatch import fnmatchcase
from functools import partial
from typing import Any, Callable, Dict, List, Sequence, Tuple

from ..apply.passes import note_in_front
from ..base.diagnostics import Diagnostic
from ..base.errors import UrdfError
from ..base.note_text import from_note, in_note
from ..base.number_text import count_of
from ..compare.law import CLOSE
from ..plan.decisions import by_line
from ..plan.edits import ReferenceUpdate, ReferenceUpdates
from ..plan.joint_map import JOINT_MAP, joint_map_note, NotedMap, read_joint_map
from ..plan.notes import note_of_words, words_of_note
from ..plan.options import Options
from ..plan.variant import THEN, VARIANT
from ..report.variant_text import variant_words
from ..run.companions import Companion
from ..run.pipeline import Asked, Edited, MeshMaking, Result, simplify_bytes
from ..srdf.companion import srdf_companion
from ..urdf.kinematics import AS_IT_WAS
from ..urdf.lossless_xml import Document, parse_document
from ..urdf.model import MOVABLE
from .attach import attach
from .frames import add_root, NOTHING, root
from .law import raw_of, verify
from .like import like
from .mirror import mirror
from .names import prefix, rename_act
from .numbers import set_numbers
from .records import Draft, Made, Way
from .words import split_words

Act = Callable[[Draft, Sequence[str]], Made]
ACTS: Dict[str, Act] = {"root": root, "prefix": prefix, "rename": rename_act, "add_root": add_root, "mirror": mirror,
                        "set": set_numbers}
OF_ONE_WORD = ("root", "prefix", "rename", "like")  # acts whose value may hold blanks
OF_ENGINE = ("only", "drop", "lock", "zero", "flip")  # in the order in which one run carries them out


class Editing:
    """A robot between two acts.

    Attributes:
        data, srdf: its text, and that of its SRDF if there is one.
        way: from the input to it.
        lines: of the input, by tag and name of the elements of the robot.
        done: the phrases of the acts; words: those of the note.
    """

    def __init__(self, asked: Asked, result: Result) -> None:
        self.asked, self.packages = asked, result.plan.options.meshes.package
        self.data, self.srdf = result.source, result.srdf.source if result.srdf is not None else None
        self.srdf_path = result.srdf.before.path if result.srdf is not None else ""
        self.way = Way()
        self.lines = {(top.name, top.get("name") or top.get("reference") or ""): top.line
                      for top in result.before.document.root.elements()}
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
        if self.is_first:
            return
        old = [{new: name for name, new in names.items()} for names in (self.way.links, self.way.joints)]
        for top in document.root.elements():
            name = top.get("name") or top.get("reference") or ""
            was = old[top.name == "joint"].get(name) or old[0].get(name) or old[1].get(name) or name
            line = self.lines.get((top.name, was), 0)
            for element in top.walk():
                element.line_starts = bytes(line)

    def draft(self) -> Draft:
        """Return a draft of the robot as it is now."""
        srdf = parse_document(self.srdf, self.srdf_path) if self.srdf is not None else None
        return Draft(self.data, self.path, srdf, self.mark)

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
            raise type(error)(f"--{name.replace('_', '-')}: {error.message}", error.path, error.line) from None
        before = raw_of(self.data, self.path, self.packages)
        self._note(draft.document, made.way)
        self.data = draft.document.to_bytes()
        self.srdf = draft.srdf.to_bytes() if draft.srdf is not None else None
        verify(before, raw_of(self.data, self.path, self.packages), made, name)
        self.notes += draft.notes
        self.warnings += draft.warnings
        self.srdf_notes += draft.srdf_notes
        self.srdf_warnings += draft.srdf_warnings
        self.way, self.is_first = self.way.then(made.way), False
        return made

    def run(self, options: Options) -> Result:
        """Carry out acts that one run of the engine does, which proves it."""
        companions = self._companions()
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
        self.way, self.is_first = self.way.then(Way(maps=maps)), False
        self.words = list(words_of_note(result.after.document, VARIANT))
        self.noted = read_joint_map(result.after.document)
        return result

    def _companions(self) -> Tuple[Companion, ...]:
        return (srdf_companion(self.srdf, self.srdf_path),) if self.srdf is not None else ()

    def say(self, name: str, words: str) -> None:
        """Add an act to the note of a variant, which says run by run what was asked."""
        first = not self.done and self.words
        self.words.append(f"{THEN * bool(first)}{name.replace('_', '-')} {in_note(words)}")

    def _note(self, document: Document, way: Way) -> None:
        """Write how joints count and are called now, and what was asked, into the notes of a text."""
        noted = {}
        for name, joint_map in self.noted.items():
            noted[in_note(way.joints.get(from_note(name), from_note(name)))] = joint_map
        for old, new in way.joints.items():
            before = noted.get(in_note(new), NotedMap())
            first = in_note(old) if before.old == "q" else before.old
            noted[in_note(new)] = before._replace(old="q" if first == in_note(new) else first)
        self.noted = {name: joint_map for name, joint_map in noted.items() if joint_map != NotedMap()}
        self.words = [_with_names(word, way) for word in self.words]
        for kind, text in ((JOINT_MAP, joint_map_note(self.noted, document.newline)),
                           (VARIANT, note_of_words("variant", self.words, document.newline))):
            note_in_front(document, document.root, text, kind)


def _with_names(word: str, way: Way) -> str:
    """Return a word of the note in which a joint whose sign was turned has its new name."""
    head, option, value = re.fullmatch(r"(then )?(\S+)(?: (.*))?", word, re.S).groups(default="")  # type: ignore[union-attr]
    names = [new for old, new in way.joints.items() if option == "flip" and fnmatchcase(old, from_note(value))]
    return f"{head}{option} {in_note(names[0])}" if len(names) == 1 else word


def with_edits(asked: Asked, result: Result, making: MeshMaking) -> Result:
    """Return the result of a run with the acts that are asked for, from left to right.

    Raises:
        UrdfError: an act is not possible.
        ProofFailed: its law does not hold; a fault of this tool.
    """
    editing = Editing(asked, result)
    acts: List[Tuple[str, Any]] = list(asked.choices["acts"])
    while acts:
        name, value = acts.pop(0)
        if name in OF_ENGINE:
            together = [(name, value)]
            while acts and acts[0][0] in OF_ENGINE[OF_ENGINE.index(together[-1][0]):]:
                together.append(acts.pop(0))
            step = editing.run(_options_of(together))
            editing.done += variant_words(step.plan) or ["nothing"]
            continue
        words = split_words(value, asked.path, single=name in OF_ONE_WORD)
        editing.say(name, value)
        if name == "like":
            editing.done.append(like(editing, words))
        elif name == "attach":
            editing.done.append(editing.act(name, partial(attach, packages=editing.packages), words).did)
        else:
            editing.done.append(editing.act(name, ACTS[name], words).did)
    return _reported(editing, asked, result, making)


def _options_of(acts: Sequence[Tuple[str, Any]]) -> Options:
    """Return the options of one run that carries out these acts."""
    values: Dict[str, Any] = {}
    for name, value in acts:
        values[name] = value if name == "only" else (*values.get(name, ()), value)
    return NOTHING._replace(**values)


def _reported(editing: Editing, asked: Asked, result: Result, making: MeshMaking) -> Result:
    """Return the result of the run as the report shows it: a second run of its text changes nothing."""
    options = result.plan.options
    last = simplify_bytes(editing.data, asked.path, options, asked.output, making.staging_dir,
                          converter=making.converter, companions=editing._companions(), mark_lines=editing.mark)
    again = last.plan.warnings
    plan = last.plan._replace(
        warnings=by_line([*editing.warnings, *again]), meshes=last.plan.meshes._replace(
            files=(*result.plan.meshes.files[:0], *last.plan.meshes.files)),
        updates=ReferenceUpdates(notes=tuple(sorted(editing.notes, key=lambda note: note.line))))
    companions = []
    for followed in result.companions:
        new = last.srdf
        if new is not None and followed.name == new.name:
            followed = followed._replace(
                updates=ReferenceUpdates(notes=tuple(editing.srdf_notes), warnings=by_line(
                    [*editing.srdf_warnings, *new.updates.warnings])),
                after=new.after, data=new.data, proof=new.proof, proof_line=new.proof_line)
        companions.append(followed)
    count = len(editing.done)
    proven = f"{count_of(count, 'edit')} made and nothing else: proven {'one by one' if count > 1 else 'by its law'}"
    exported = last.exported._replace(
        changes=tuple(editing.done),
        edited=Edited(f"{proven}, to {CLOSE.length:g} m and rad",
                      {new: old for old, new in editing.way.links.items()}, dict(editing.way.maps),
                      {new: old for old, new in editing.way.joints.items()}))
    return last._replace(plan=plan, before=result.before, source=result.source, companions=tuple(companions),
                         exported=exported)
