"""Comments in the file that ignore findings: `<!-- lint-ignore KIND: reason -->` in front of an element.

It is for the element that follows, with all that is in it; in front of `<robot>` for the whole file, and behind the
last element of another for that.
"""
import re
from typing import Collection, Iterator, List, NamedTuple, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean
from ..urdf.lossless_xml import Document, Element, Node
from .kinds import LINT_COMMENT
from .records import Finding

COMMENT = re.compile(r"(?s)<!--\s*lint-ignore\b\s*([\w, -]*?)\s*(?::\s*(.*?))?\s*-->")


class Ignore(NamedTuple):
    """A comment: the kinds that it ignores, its reason, and the lines that it is for, first and last."""

    kinds: Tuple[str, ...]
    reason: str
    first: int
    last: int

    def covers(self, one: Finding) -> bool:
        """Return True if it ignores a finding."""
        return one.found.kind.name in self.kinds and self.first <= one.found.line <= self.last


def find_ignores(document: Document) -> List[Ignore]:
    """Return the comments of a document that ignore something, in order."""
    found = [_ignore(words, document.root, whole=True) for words, target in _comments(document.children)
             if target is document.root]
    for element in document.root.walk():
        if element.children:
            found += [_ignore(words, target or element) for words, target in _comments(element.children)]
    return found


def _comments(nodes: Sequence[Node]) -> "Iterator[Tuple[re.Match[str], Element | None]]":
    """Yield each comment among siblings that ignores something, with the element that follows it."""
    for k, node in enumerate(nodes):
        words = COMMENT.fullmatch(node.strip()) if isinstance(node, str) and "lint-ignore" in node else None
        if words:
            yield words, next((one for one in nodes[k:] if isinstance(one, Element)), None)


def _ignore(words: "re.Match[str]", target: Element, *, whole: bool = False) -> Ignore:
    first = 0 if whole else target.line
    kinds = tuple(word for word in re.split(r"[,\s]+", words.group(1)) if word)
    return Ignore(kinds, words.group(2) or "", first, target.line + target.source().count("\n"))


def ignore(findings: Sequence[Finding], comments: Sequence[Ignore], known: Collection[str]
           ) -> Tuple[List[Finding], List[Tuple[Finding, str]]]:
    """Return the findings that stay, those that comments ignore with their reasons, and what is wrong with a comment.

    A comment without a reason ignores nothing; `known` are the names of all kinds.
    """
    stay: List[Finding] = []
    gone: List[Tuple[Finding, str]] = []
    sound = [comment for comment in comments if comment.reason]
    used = set()
    for one in findings:
        comment = next((comment for comment in sound if comment.covers(one)), None)
        if comment is None:
            stay.append(one)
        else:
            used.add((comment, one.found.kind.name))
            gone.append((one, comment.reason))
    for comment in comments:
        line = comment.first
        if not comment.reason:
            stay.append(Finding(Diagnostic(LINT_COMMENT, line, "reason")))
        for kind in comment.kinds if comment.reason else ():
            if kind not in known:
                stay.append(Finding(Diagnostic(LINT_COMMENT, line, "unknown", (
                    kind, did_you_mean(kind, sorted(known))))))
            elif (comment, kind) not in used:
                stay.append(Finding(Diagnostic(LINT_COMMENT, line, "unused", (kind,))))
    return stay, gone
