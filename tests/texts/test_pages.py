"""Pages that the program reads: nothing in them is passed over, and a marked-up text comes back as it was."""

import re

import pytest
from conftest import ROOT
from hypothesis import example, given, strategies as st

from urdf_tools.base.diagnostics import ERROR, NOTE, WARNING
from urdf_tools.base.run_diagnostics import kinds_in, sections_of
from urdf_tools.texts.text_pages import rows_in

PAGES = sorted(
    path
    for path in (ROOT / "urdf_tools").rglob("*.md")
    if "The program reads this page" in path.read_text(encoding="utf-8")
)
KINDS = [path for path in PAGES if path.name == "kinds.md"]
TEXTS = (
    st.text(
        st.characters(
            blacklist_categories=("Cc", "Cs", "Zl", "Zp"), blacklist_characters="`\\\x85"
        ),
        min_size=1,
    )
    .map(str.strip)
    .filter(bool)
)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_line_of_a_page_is_read(path):
    """A line is part of a text that is read, a heading, or of a paragraph for people: none is read in part."""
    text = path.read_text(encoding="utf-8")
    rows, sections = rows_in(text), sections_of(text)
    items = re.findall(r"^ *[-*] .*$", text, re.M)
    assert len(items) == sum(map(len, sections.values())), "a key twice"
    assert all(text for section in sections.values() for text in section.values()), (
        "a line that is no `- KEY: TEXT`"
    )
    assert len({len(row) for row in rows}) <= 1, "a row with a cell too many or too few"
    lines = [*text.splitlines(), ""]
    assert len(rows) == sum(
        line.startswith("|") and not line.startswith("|---") and not below.startswith("|---")
        for line, below in zip(lines, lines[1:])
    )
    assert rows or any(sections.values()) or "```" in text


@pytest.mark.parametrize("path", KINDS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_every_section_of_kinds_is_a_kind(path):
    sections = sections_of(path.read_text(encoding="utf-8"))
    assert set(sections) - set(kinds_in(sections)) <= {"followed"}
    for kind in kinds_in(sections).values():
        assert kind.severity in (ERROR, WARNING, NOTE) and kind.meaning and kind.sentences
        cures = [key for key in sections[kind.name] if key.startswith("do `")]
        words = {key for key in sections[kind.name] if not key.startswith("`")}
        assert words - {"do", "example", *cures} == {next(iter(sections[kind.name]))}
        # A cure of its own is about a sentence of its kind.
        assert {key[len("do `") : -1] for key in cures} <= kind.sentences.keys()


@example(["{n0:place|places}", "a"])
@given(st.lists(TEXTS, min_size=1, max_size=4))
def test_a_cell_comes_back(cells):
    cells = [cell.replace(" | ", " ") for cell in cells]
    row = " | ".join(f"`{cell}`".replace("|", "\\|") for cell in cells)
    assert rows_in(f"| head |\n|---|\n| {row} |\n") == [cells]


@given(st.dictionaries(st.from_regex(r"[a-z-]{1,9}", fullmatch=True), TEXTS, max_size=4))
def test_a_section_comes_back(texts):
    lines = "".join(f"- {key}: `{text}`\n" for key, text in texts.items())
    assert sections_of(f"# Page\n\n## name\n\nWhat it is.\n\n{lines}") == {"name": texts}
