"""Comments in the file that ignore findings: `<!-- lint-ignore KIND: reason -->` in front of an element.

It applies to the element that follows, with all that is in it; before `<robot>` to the whole file, and after the last
child of an element to that element.
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
    """A comment: the kinds that it ignores, its reason, and the first and last line that it applies to."""

    kinds: Tuple[str, ...]
    reason: str
    first: int
    last: int

    def covers(self, finding: Finding) -> bool:
        """Return True if the comment ignores a finding."""
        return finding.kind.name in self.kinds and self.first <= finding.diagnostic.line <= self.last


def find_ignores(document: Document) -> List[Ignore]:
    """Return the lint-ignore comments of a document, in order."""
    ignores = [_ignore(words, document.root, whole=True) for words, target in _comments(document.children)
             if target is document.root]
    for element in document.root.walk():
        if element.children:
            ignores += [_ignore(words, target or element) for words, target in _comments(element.children)]
    return ignores


def _comments(nodes: Sequence[Node]) -> "Iterator[Tuple[re.Match[str], Element | None]]":
    """Yield each lint-ignore comment among siblings, with the element that follows it."""
    for k, node in enumerate(nodes):
        words = COMMENT.fullmatch(node.strip()) if isinstance(node, str) and "lint-ignore" in node else None
        if words:
            yield words, next((sibling for sibling in nodes[k:] if isinstance(sibling, Element)), None)


def _ignore(words: "re.Match[str]", target: Element, *, whole: bool = False) -> Ignore:
    first = 0 if whole else target.line
    kinds = tuple(word for word in re.split(r"[,\s]+", words.group(1)) if word)
    return Ignore(kinds, words.group(2) or "", first, target.line + target.source().count("\n"))


def ignore(findings: Sequence[Finding], comments: Sequence[Ignore], known: Collection[str]
           ) -> Tuple[List[Finding], List[Tuple[Finding, str]]]:
    """Return the findings that stay, with findings about the comments, and those that comments ignore, with reasons.

    A comment without a reason ignores nothing; `known` are the names of all kinds.
    """
    stay: List[Finding] = []
    gone: List[Tuple[Finding, str]] = []
    sound = [comment for comment in comments if comment.reason]
    used = set()
    for finding in findings:
        comment = next((comment for comment in sound if comment.covers(finding)), None)
        if comment is None:
            stay.append(finding)
        else:
            used.add((comment, finding.kind.name))
            gone.append((finding, comment.reason))
    # Comments without effect are findings, so that they do not stay after the cause is repaired.
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
