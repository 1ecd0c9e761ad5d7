#!/usr/bin/env python3
"""Write the table "What follows a change" of urdf_tools/plan/README.md from the docstrings of what decides it.

Each rule of `facts/`, and each function of the plan that drops something or warns, says its row in its
docstring: element, link merged, frame turned, sign or zero changes. `python3 tests/follow_table.py --write`.
"""

import ast
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "urdf_tools/plan/README.md"
SOURCES = (
    "facts/values.py",
    "facts/gazebo_values.py",
    "plan/update_values.py",
    "plan/update_tags.py",
    "plan/update_references.py",
)
HEAD = ["| element | link merged | frame turned | sign or zero changes |", "|---|---|---|---|"]
OF_JOINTS = "| `<limit>`, soft limits, calibration, `<mimic>` | | | follow; magnitudes stay |"


def rows_of(source):
    """Return the rows in the docstrings of a module, each in one line."""
    tree = ast.parse((ROOT / "urdf_tools" / source).read_text("utf-8"))
    texts = [
        ast.get_docstring(node) or ""
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    ]
    return [
        " ".join(row.split())
        for text in texts
        for row in re.findall(r"^\|.*?\|$", text, flags=re.M | re.S)
    ]


def table():
    return "\n".join(
        [*HEAD, *(row for source in SOURCES for row in rows_of(source)), OF_JOINTS, ""]
    )


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    page = PAGE.read_text("utf-8")
    between = re.compile(r"(?<=<!-- follows -->\n).*?(?=<!-- /follows -->)", flags=re.S)
    PAGE.write_text(between.sub(lambda _: table(), page), "utf-8")
