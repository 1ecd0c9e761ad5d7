"""Lay out lines: the width and colors of a stream, columns, folded sentences, cut lists."""
import re
from typing import Dict, Iterable, List, NamedTuple, Optional, Sequence, Tuple, TypeVar

from ..base.number_text import count_of
from ..run.option_rows import ALL

WIDTH, WIDEST = 80, 120  # where there is no terminal, and the widest that reads well
LINES_SHOWN = 40  # a list is cut there unless --full asks for it
NARROW = 40  # the widest column
TOGETHER = re.compile(r"\[[^]]*\]|\B'[^']*'|<[^>]*>|--[\w-]+ [^-\s]\S*|\S+ \([\d.]+\)|-?\d[\d.e+-]*(?: -?\d[\d.e+-]*)+")

Key = TypeVar("Key")
Item = TypeVar("Item")


class Look(NamedTuple):
    """What a stream can show: box characters or ASCII, colors or none, how wide, and which sections in full."""

    boxes: bool
    color: bool
    width: int = WIDTH
    full: Tuple[str, ...] = ()

    def shows(self, section: str) -> bool:
        """Return True if a section is shown in full."""
        return section in self.full or ALL in self.full

    def title(self, text: str) -> str:
        """Return a headline, or the question: bold."""
        return self._paint("1", text)

    def alert(self, text: str) -> str:
        """Return text that should be seen: yellow."""
        return self._paint("33", text)

    def error(self, text: str) -> str:
        """Return what went wrong: red."""
        return self._paint("31", text)

    def sign(self, text: str) -> str:
        """Return what changes its sign: magenta."""
        return self._paint("35", text)

    def difference(self, line: str) -> str:
        """Return a line of a unified diff: old red, new green, headings cyan."""
        kind = {"-": "31", "+": "32", "@": "36"}.get(line[:1])
        return self._paint("1" if line.startswith(("--- ", "+++ ")) else kind, line) if kind else line

    def _paint(self, code: str, text: str) -> str:
        return f"\033[{code}m{text}\033[0m" if self.color and text else text


class Section(NamedTuple):
    """A headline, the lines below it, and the word for `--full=` that shows all of them ("": they are all there is)."""

    title: str
    lines: List[str]
    name: str = ""


def lay_out(sections: Iterable[Section], look: Look) -> List[str]:
    """Return the sections that have lines, each after an empty line; a long list is cut, with a note."""
    lines: List[str] = []
    for title, body, name in sections:
        if title and body:
            lines += ["", *(look.title(line) for line in fold(title, look, "  ", "")), *cut(body, look, name)]
    return lines


def cut(lines: List[str], look: Look, name: str) -> List[str]:
    """Return a list as far as it is shown."""
    if len(lines) <= LINES_SHOWN or look.shows(name):
        return lines
    shown = LINES_SHOWN - 1
    return [*lines[:shown], f"  ... and {count_of(len(lines) - shown, 'more line')}: --full={name}"]


def columns(rows: Sequence[Tuple[str, ...]], look: Look) -> List[str]:
    """Align cells in columns; a last cell that is too long goes on below its beginning, or in lines of its own."""
    lines: List[str] = []
    widths = [min(NARROW, max(map(len, column))) for column in zip(*rows)]
    for *cells, last in rows:
        lead = "  " + "".join(cell.ljust(width) + "  " for cell, width in zip(cells, widths))
        if len(lead) + len(last) <= look.width:
            lines.append((lead + last).rstrip())
        elif len(lead) <= look.width // 2 and max(map(len, last.split())) <= look.width - len(lead):
            lines += fold(last, look, " " * len(lead), lead)
        else:
            first = [lead.rstrip()] if len(lead.rstrip()) <= look.width else fold("  ".join(cells), look, "    ", "  ")
            lines += [*first, *fold(last, look, "      ")]
    return lines


def fold(text: str, look: Look, indent: str = "    ", first: Optional[str] = None) -> List[str]:
    """Break a sentence into lines that fit into the window; names, vectors and tags are not broken."""
    room = look.width - len(indent)
    kept = TOGETHER.sub(lambda match: match.group().replace(" ", "\0") if len(match.group()) <= room
                        else match.group(), text)
    words = re.findall(" *[^ ]+", re.sub(r"[\n-\r]", " ", kept.expandtabs()))  # each with the blanks before it
    lines = [(indent if first is None else first) + word for word in words[:1]]
    for word in words[1:]:
        if len(lines[-1] + word) <= look.width:
            lines[-1] += word
        else:
            lines.append(indent + word.lstrip(" "))
    return [line.replace("\0", " ") for line in lines]


def grouped(pairs: Iterable[Tuple[Key, Item]]) -> Dict[Key, List[Item]]:
    """Return the values of each key, all in the order in which they come."""
    groups: Dict[Key, List[Item]] = {}
    for key, value in pairs:
        groups.setdefault(key, []).append(value)
    return groups


def mass_text(mass: float) -> str:
    """Return a mass in kilograms with three decimals, or two digits where it is smaller than that."""
    return f"{mass:.3f}" if mass >= 0.0005 or mass == 0.0 else f"{mass:.2g}"


def lines_text(lines: Sequence[int], most: int = 12) -> str:
    """Return `line 3` or `lines 3, 5, 8 and 4 more`."""
    places = [str(line) for line in dict.fromkeys(lines)]
    more = f" and {len(places) - most} more" if len(places) > most else ""
    return f"{'line' if len(places) == 1 else 'lines'} {', '.join(places[:most])}{more}"
