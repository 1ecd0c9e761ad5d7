"""Group warnings that say the same: kind, lines, the first of them in words, and what to do."""
import re
from typing import List, NamedTuple, Sequence, Tuple

from ..base.number_text import count_of
from ..urdf.model import Notice
from ..plan.decisions import Plan
from .layout import fold, grouped, lines_text, Look, Section
from .warning_kinds import KINDS_BY_NAME, OTHER_KIND, WarningKind

VARIABLE = r"'([^']*)'|[-\d.]*\d[\d.e+-]*"  # what differs between warnings that say the same
OTHERS_SHOWN = 4


class WarningGroup(NamedTuple):
    """Warnings of one kind that differ in names and numbers only; `others` are the first names of all but the first."""

    kind: WarningKind
    notices: Tuple[Notice, ...]
    others: Tuple[str, ...]
    cure: str


def group_warnings(notices: Sequence[Notice], plan: Plan) -> List[WarningGroup]:
    """Return the groups in the order of their first warnings."""
    alike = grouped(((notice.kind, re.sub(VARIABLE, "*", notice.message)), notice) for notice in notices)
    merged = {name for name, member in plan.members.items() if member.merged}
    groups = []
    for (name, _), found in alike.items():
        kind = KINDS_BY_NAME.get(name, OTHER_KIND._replace(name=name))
        names = [re.findall("'([^']*)'", notice.message) for notice in found]
        varying = next((list(column) for column in zip(*names) if len(set(column)) > 1), [])
        links = [word for notice in found for word in re.split(r"[\s'\"<>,;:]+", notice.message) if word in merged]
        asked = " --keep ".join(dict.fromkeys(links))
        cure = kind.cure.format(links=asked) if asked or "{links}" not in kind.cure else ""
        groups.append(WarningGroup(kind, tuple(found), tuple(dict.fromkeys(varying[1:])), cure))
    return groups


def warning_section(title: str, notices: Sequence[Notice], plan: Plan, look: Look) -> Section:
    """Return the warnings, grouped, or with `--full=warnings` each of them."""
    lines: List[str] = []
    if look.shows("warnings"):
        for notice in notices:
            lines += fold(f"{_bracketed(notice.kind)}{_place(notice)}{notice.message}", look, "    ", "  ")
    else:
        for groups in grouped((group.kind.name, group) for group in group_warnings(notices, plan)).values():
            lines += [line for group in groups for line in _group_lines(group, look)]
            cures = dict.fromkeys(group.cure for group in groups if group.cure and not (
                group.cure.startswith("--") and group.cure in group.notices[0].message))
            lines += fold(f"cure: {'; '.join(cures)}", look, "      ", "    ") if cures else []
    return Section(f"{title}: {len(notices)}", [look.alert(line) for line in lines], "warnings")


def _group_lines(group: WarningGroup, look: Look) -> List[str]:
    first, *more = group.notices
    text = f"{_place(first)}{first.message}"
    if more:
        names = ", ".join(f"'{name}'" for name in group.others[:OTHERS_SHOWN])
        rest = len(group.others) - OTHERS_SHOWN
        listed = f" {names}{f' and {rest} more' if rest > 0 else ''}" if names else ""
        lines = lines_text([notice.line for notice in more if notice.line])
        text += f"; also{listed} ({lines if lines.strip('lines ') else count_of(len(more), 'time')})"
    return fold(f"{_bracketed(group.kind.name)}{text}", look, "    ", "  ")


def _bracketed(kind: str) -> str:
    return f"[{kind}] " if kind else ""


def _place(notice: Notice) -> str:
    return f"line {notice.line}: " if notice.line else ""


def left_to_do(notices: Sequence[Notice], plan: Plan, look: Look) -> List[str]:
    """Return a line for each kind of warning that asks for something to do."""
    lines: List[str] = []
    for kind, groups in grouped((group.kind, group) for group in group_warnings(notices, plan)).items():
        if not kind.left:
            continue
        found = [notice for group in groups for notice in group.notices]
        places = lines_text([notice.line for notice in found if notice.line], 6)
        tag = re.match("<[^>]*>", found[0].message) if len(found) == 1 else None
        what = tag.group() if tag else f"{kind.meaning} ({count_of(len(found), 'time')})"
        cures = "; ".join(dict.fromkeys(group.cure for group in groups if group.cure))
        lines += fold(f"{_bracketed(kind.name)}{places}: {what}{f': {cures}' if cures else ''}", look, "      ", "  ")
    return lines
