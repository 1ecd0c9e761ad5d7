"""Read the pages whose texts the program shows: a text stands once, and where users can read it as well.

A page is Markdown in the folder of the module that reads it. What it holds are the rows of its tables, or sections: a
heading `## NAME`, and below it a line `- KEY: TEXT` for each text. Backticks around a text are for who reads the page.
"""

from __future__ import annotations

from typing import Dict, List

from ..base.run_diagnostics import page_in, sections_of


def text_of_page(module: str, page: str) -> str:
    """Return the text of a page beside a module, which is given by its `__name__`."""
    return page_in(module.rpartition(".")[0], page)


def rows_of_page(module: str, page: str) -> List[List[str]]:
    """Return the cells of the tables of a page beside a module, row by row."""
    return rows_in(text_of_page(module, page))


def rows_in(text: str) -> List[List[str]]:
    """Return the cells of the tables in Markdown, row by row, without headings and the marks of code."""
    lines = [line[2:-2] for line in text.replace("`", "").splitlines() if line.startswith("| ")]
    return [line.replace("\\|", "|").split(" | ") for line in lines if line != lines[0]]


def sections_of_page(module: str, page: str = "kinds.md") -> Dict[str, Dict[str, str]]:
    """Return the texts of a page by their keys, section by section."""
    return sections_of(text_of_page(module, page))
