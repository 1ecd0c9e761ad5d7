"""Group sentences that say the same of several things: kind, lines, the first of them in words, and what to do."""
import re
from typing import List, NamedTuple, Sequence, Tuple

from ..base.diagnostics import Diagnostic, Kind
from ..base.kinds import KEEP_LINKS, OTHER_KIND
from ..base.number_text import count_of
from ..base.option_table import pasted
from ..plan.decisions import Plan
from .layout import fold, grouped, lines_text, Look, Section

# What differs between sentences that say the same: names (in quotes, in a tag, of an option, of a part of a mesh), and
# other things (where a file was looked for, which materials, a material of Gazebo, numbers).
NAME = r"'[^']*'|(?<=>)[^<>]+(?=</)|(?<=--keep )[^\s;]+|(?<=': )[^\s:]+(?=: )"
VARIABLE = NAME + r"|\([^()]* is not there\)|(?<=: materials ).*(?= all have )|\w+/\w+|[-\d.]*\d[\d.e+-]*"
OTHERS_SHOWN = 4


class WarningGroup(NamedTuple):
    """Warnings of one kind that differ in names and numbers only; `others` are the first names of all but the first."""

    kind: Kind
    notices: Tuple[Diagnostic, ...]
    others: Tuple[str, ...]


def pattern_of(sentence: str) -> str:
    """Return what sentences that say the same have in common."""
    return re.sub(VARIABLE, "*", sentence)


def group_warnings(notices: Sequence[Diagnostic], *, each: bool = False) -> List[WarningGroup]:
    """Return the groups in the order of their first warnings, or each warning as a group."""
    alike = grouped(((notice.kind.name, str(place) if each else pattern_of(notice.text)), notice)
                    for place, notice in enumerate(notices))
    groups = []
    for found in alike.values():
        names = [[word.strip("'") for word in re.findall(NAME, notice.text)] for notice in found]
        columns = [column for column in zip(*names) if len(set(column)) > 1] or [("",)]
        varying = next((column for column in columns if f"--keep {column[0]}" in found[0].text), columns[0])
        others = tuple(other for other in dict.fromkeys(varying) if other != varying[0])
        groups.append(WarningGroup(found[0].kind, tuple(found), others))
    return groups


def _cure(groups: Sequence[WarningGroup], plan: Plan) -> str:
    """Return what mends the warnings of one kind, with the merged links that they name."""
    said = [name for group in groups for notice in group.notices for name in notice.names]
    links = [name for name in dict.fromkeys(said) if name in plan.members and plan.members[name].merged]
    cure = groups[0].kind.hint
    kept = " ".join(pasted("--keep", link) for link in links)
    return cure.replace(KEEP_LINKS, kept) if kept or KEEP_LINKS not in cure else ""


def warning_section(title: str, notices: Sequence[Diagnostic], plan: Plan, look: Look) -> Section:
    """Return the warnings, grouped, or with `--full=warnings` each of them."""
    each, lines = look.shows("warnings"), []
    every = group_warnings(notices, each=each)
    for groups in [[one] for one in every] if each else grouped((one.kind.name, one) for one in every).values():
        cure, said = _cure(groups, plan), " ".join(group.notices[0].text for group in groups)
        lines += [line for group in groups for line in fold(
            f"{_bracketed(group.kind.name)}{_group_text(group)}", look, "    ", "  ")]
        if cure and not (each or cure.startswith("--") and all(word in said for word in cure.split())):
            lines += fold(f"cure: {cure}", look, "      ", "    ")
    return Section(f"{title}: {len(notices)}", [look.alert(line) for line in lines], "warnings")


def alike_lines(sentences: Sequence[str], look: Look, name: str) -> List[str]:
    """Return sentences, and those that say the same as one; `--full=` and the name of their section shows each.

    What is in front of `line 3: ` must be the same, too.
    """
    parts = [re.findall(r"^(?:(.*?)line (\d+): )?(.*)", sentence)[0] for sentence in sentences]
    notices = [Diagnostic(OTHER_KIND._replace(name=kind), int(line or 0), text) for kind, line, text in parts]
    return [line for group in group_warnings(notices, each=look.shows(name))
            for line in fold(f"{group.kind.name}{_group_text(group)}", look, "    ", "  ")]


def _group_text(group: WarningGroup) -> str:
    first, *more = group.notices
    sentence = f"line {first.line}: {first.text}" if first.line else first.text
    if not more:
        return sentence
    names = ", ".join([f"'{name.rpartition('/')[2] or name}'" for name in group.others[:OTHERS_SHOWN]])
    rest = len(group.others) - OTHERS_SHOWN
    listed = f"{names}{f' and {rest} more' if rest > 0 else ''}"
    lines = lines_text([notice.line for notice in more if notice.line])
    where = lines if lines.strip("lines ") else count_of(len(more), "time")
    return f"{sentence}; also {f'{listed} ({where})' if listed else where}"


def _bracketed(kind: str) -> str:
    return f"[{kind}] " if kind else ""


def left_to_do(notices: Sequence[Diagnostic], plan: Plan, look: Look) -> List[str]:
    """Return a line for each kind of warning that asks for something to do."""
    lines: List[str] = []
    for groups in grouped((group.kind.name, group) for group in group_warnings(notices)).values():
        kind = groups[0].kind
        if not kind.needs_action:
            continue
        found = [notice for group in groups for notice in group.notices]
        places = lines_text([notice.line for notice in found if notice.line], 6)
        tag = re.match("<[^>]*>", found[0].text) if len(found) == 1 else None
        what = tag.group() if tag else f"{kind.meaning}{f' ({len(found)} times)' if len(found) > 1 else ''}"
        cure = _cure(groups, plan)
        lines += fold(f"{_bracketed(kind.name)}{places}: {what}{f': {cure}' if cure else ''}", look, "      ", "  ")
    return lines
