"""Read the pages whose texts the program shows: a text stands once, and where users can read it as well.

A page is Markdown in the folder of the module that reads it. What it holds are the rows of its tables, or sections: a
heading `## NAME`, and below it a line `- KEY: TEXT` for each text. Backticks around a text are for who reads the page.
"""

from __future__ import annotations

import os
from typing import Dict, List

from ..base.kinds import sections_of


def text_of_page(module: str, page: str) -> str:
    """Return the text of a page beside a module, which is given by its `__file__`."""
    with open(os.path.join(os.path.dirname(module), page), encoding="utf-8") as stream:
        return stream.read()


def rows_of_page(module: str, page: str) -> List[List[str]]:
    """Return the cells of the tables of a page, row by row, without the marks of code."""
    lines = [
        line[2:-2]
        for line in text_of_page(module, page).replace("`", "").splitlines()
        if line.startswith("| ")
    ]
    return [line.replace("\\|", "|").split(" | ") for line in lines if line != lines[0]]


def sections_of_page(module: str, page: str = "kinds.md") -> Dict[str, Dict[str, str]]:
    """Return the texts of a page by their keys, section by section."""
    return sections_of(text_of_page(module, page))
