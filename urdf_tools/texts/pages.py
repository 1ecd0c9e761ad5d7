"""Read the pages whose texts the program shows: a text stands once, and where users can read it as well.

A page is Markdown in the folder of the module that reads it. What it holds are the rows of its tables, or sections: a
heading `## NAME`, and below it a line `- KEY: TEXT` for each text. Backticks around a text are for who reads the page.
"""
import os
from typing import Dict, List, Mapping

from ..base.diagnostics import ERROR, Kind, NOTE, WARNING

ASKS = ", asks for a decision"  # behind the severity of a kind that needs an action
CURE, EXAMPLE = "do", "example"


def text_of_page(module: str, page: str) -> str:
    """Return the text of a page beside a module, which is given by its `__file__`."""
    with open(os.path.join(os.path.dirname(module), page), encoding="utf-8") as stream:
        return stream.read()


def rows_of_page(module: str, page: str) -> List[List[str]]:
    """Return the cells of the tables of a page, row by row, without the marks of code."""
    lines = [line[2:-2] for line in text_of_page(module, page).replace("`", "").splitlines() if line.startswith("| ")]
    return [line.replace("\\|", "|").split(" | ") for line in lines if line != lines[0]]


def sections_of_page(module: str, page: str = "kinds.md") -> Dict[str, Dict[str, str]]:
    """Return the texts of a page by their keys, section by section; a key of a sentence keeps its backticks."""
    sections = {}
    for section in text_of_page(module, page).split("\n## ")[1:]:
        name, *lines = section.splitlines()
        texts = (line[2:].partition(": ") for line in lines if line.startswith("- "))
        sections[name.strip("`")] = {key: text.strip("`") for key, _, text in texts}
    return sections


def sentences_in(section: Mapping[str, str]) -> Dict[str, str]:
    """Return the sentences of a section: the texts whose keys are marked as code."""
    return {key.strip("`"): text for key, text in section.items() if key.startswith("`")}


def kinds_in(sections: Mapping[str, Mapping[str, str]]) -> Dict[str, Kind]:
    """Return the kinds of diagnostics of a page, by name: its sections that begin with a severity and a meaning."""
    kinds = {}
    for name, section in sections.items():
        first, meaning = next(iter(section.items()))
        severity = first.replace(ASKS, "")
        if severity in (ERROR, WARNING, NOTE):
            kinds[name] = Kind(name, severity, meaning, section.get(CURE, ""), first != severity, sentences_in(section),
                               section.get(EXAMPLE, ""))
    return kinds
