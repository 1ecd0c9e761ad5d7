"""Diagnostics as data: kind, line, names and numbers; the sentence is a template of the kind, filled when shown."""

from __future__ import annotations

from typing import List, Mapping, Tuple

from .number_text import count_of, short
from .record_type import Record

ERROR = "error"
WARNING = "warning"
NOTE = "note"


class DiagnosticKind(Record):
    """A kind of diagnostic: a row of the table of all diagnostics of a product.

    Attributes:
        name: as the plan and the documentation show it, such as `mesh-not-found`.
        severity: ERROR, WARNING, or NOTE, which needs no decision.
        meaning: the state of the file that the kind names, in a phrase.
        hint: the cure, if the sentence has no cure of its own; `{links}` is replaced by the merged links among the names.
        needs_action: a request was not carried out, or the file needs a decision.
        sentences: templates by key, as `Diagnostic` fills them.
        example: the smallest input that shows it, in the leg of the examples: elements, then options.
        cures: the cure by the key of its sentence; "" if nothing can be done.
    """

    name: str
    severity: str
    meaning: str
    hint: str
    needs_action: bool
    sentences: Mapping[str, str]
    example: str = ""
    cures: Mapping[str, str] = {}

    def __hash__(self) -> int:
        return hash(self.name)


class Diagnostic(Record):
    """A diagnostic: its kind, the line of the input (0: the whole file), and the key of the sentence of the kind.

    `names` fill {0} {1} ... of the sentence: places, links, joints, files; `numbers` fill {n0} {n1} ...; `{n0:noun}` is
    a count with its noun, `{n0:is|are}` the word that fits the count. `offset` is the offset of the element that was
    left unchanged (-1: none). `place` is the subject of the sentence if it is not an element of the input: a mesh, or a
    file made of it. A diagnostic of a mesh has neither line nor place until its caller adds them.
    """

    kind: DiagnosticKind
    line: int
    sentence: str
    names: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    offset: int = -1
    place: str = ""

    @property
    def text(self) -> str:
        """The sentence, filled, after the place."""
        numbers = {f"n{k}": _TemplateNumber(value) for k, value in enumerate(self.numbers)}
        filled = self.kind.sentences[self.sentence].format(*self.names, **numbers)
        return f"'{self.place}': {filled}" if self.place else filled

    @property
    def cure(self) -> str:
        """The cure, "" if nothing can be done."""
        return self.kind.cures.get(self.sentence, self.kind.hint)

    def __str__(self) -> str:
        return self.text


Notes = Tuple[Diagnostic, ...]
Diagnostics = List[Diagnostic]


class _TemplateNumber(float):
    """A number of a template: short, or a count with its noun, or the singular or plural word."""

    def __format__(self, form: str) -> str:
        singular, bar, plural = form.partition("|")
        if bar:
            return singular if float(self) == 1.0 else plural
        if form.startswith((".", ",")):
            return format(float(self), form)
        if form:
            return count_of(int(self), form)
        return str(int(self)) if self.is_integer() else short([float(self)])
