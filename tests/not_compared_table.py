#!/usr/bin/env python3
"""The table in compare/README.md of what makes no difference, from `edits.py`: `not_compared_table.py --write`."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "urdf_tools" / "compare" / "README.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def not_compared_table():
    """Return the lines of a table in Markdown, a row for each reason: what is edited, and what it changes."""
    from edits import SILENT

    def edited(row):
        names = [
            f"`<{row.element}{'' if name == 'text' else ' ' + name}>`"
            for name in row.attributes.split()
        ]
        where = f"{row.formats.upper()} {' '.join(names)}" if row.element != "*" else ""
        return " as ".join(filter(None, (where, f"`{row.field}`" if row.field else "")))

    rows = {}
    for row in SILENT:
        rows.setdefault(row.reason, []).append(edited(row))
    return [
        "| edited, as the field that it changes | why it makes no difference, where no sentence says it |",
        "|---|---|",
        *(f"| {', '.join(dict.fromkeys(names))} | {reason} |" for reason, names in rows.items()),
    ]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: not_compared_table.py --write")
    table = "<!-- not compared -->\n" + "\n".join(not_compared_table()) + "\n<!-- /not compared -->"
    text, count = re.subn(
        r"<!-- not compared -->.*?<!-- /not compared -->",
        lambda _: table,
        PAGE.read_text("utf-8"),
        flags=re.S,
    )
    if count != 1:
        sys.exit(f"{PAGE} has {count} tables of what is not compared")
    PAGE.write_text(text, "utf-8")
