#!/usr/bin/env python3
"""What pages for users take from the code, each between its two marks: `page_tables.py --write`, after `make single`."""

import ast
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOMS = ROOT / "urdf_tools"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
OF_FOLLOWERS = (
    "facts/frame_dependent_values.py",
    "facts/gazebo_value_rules.py",
    "plan/update_values.py",
    "plan/update_tags.py",
    "plan/update_references.py",
)


def put(page, mark, text):
    """Write a text between the marks of a page, which has them once."""
    before, start, rest = page.read_text("utf-8").partition(f"<!-- {mark} -->\n")
    _, end, after = rest.partition(f"<!-- /{mark} -->")
    if not end or mark in after:
        sys.exit(f"{page} has not one place for {mark}")
    page.write_text(before + start + text + end + after, "utf-8")


def help_text():
    """Return the long help of the single file as a block of Markdown."""
    done = subprocess.run(
        [sys.executable, "urdf_simplify.py", "--help"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        check=True,
        env={"COLUMNS": "80", "NO_COLOR": "1"},
    )
    return f"```\n{done.stdout}```\n"


def not_compared():
    """Return the table of what makes no difference, a row for each reason of `reference_updates.py`: what is edited."""
    from edits import SILENT

    rows = {}
    for row in SILENT:
        names = [
            f"`<{row.element}{'' if name == 'text' else ' ' + name}>`"
            for name in row.attributes.split()
        ]
        where = f"{row.formats.upper()} {' '.join(names)}" if row.element != "*" else ""
        field = f"`{row.field}`" if row.field else ""
        rows.setdefault(row.reason, []).append(" as ".join(filter(None, (where, field))))
    return (
        "| edited, as the field that it changes | why it makes no difference, where no sentence says it |\n|---|---|\n"
        + "".join(f"| {', '.join(dict.fromkeys(names))} | {why} |\n" for why, names in rows.items())
    )


def follows():
    """Return the table of what follows a change, from the docstrings of what decides it.

    Each rule of `facts/`, and each function of the plan that drops something or warns, says its row in its
    docstring: element, link merged, frame turned, sign or zero changes.
    """
    rows = [
        "| element | link merged | frame turned | sign or zero changes |",
        "|---|---|---|---|",
    ]
    for source in OF_FOLLOWERS:
        for node in ast.walk(ast.parse((ROOMS / source).read_text("utf-8"))):
            text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else ""
            for row in re.findall(r"^\|.*?\|$", text or "", flags=re.M | re.S):
                rows.append(" ".join(row.split()))
    rows.append("| `<limit>`, soft limits, calibration, `<mimic>` | | | follow; magnitudes stay |")
    return "".join(f"{row}\n" for row in rows)


TABLES = {  # page and mark -> what is there
    ("cli/README.md", "help"): help_text,
    ("compare/README.md", "not compared"): not_compared,
    ("plan/README.md", "follows"): follows,
}

if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: page_tables.py --write")
    for (page, mark), text in TABLES.items():
        put(ROOMS / page, mark, text())
