#!/usr/bin/env python3
"""The table in compare/README.md of what makes no difference, from `edits.py`: `not_compared_table.py --write`."""

import re
import sys
from pathlib import Path
from typing import Dict, List

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "urdf_tools" / "compare" / "README.md"
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]


def not_compared_table() -> List[str]:
    """Return the lines of a table in Markdown, a row for each reason: fields of the record, then words of formats."""
    from edits import NOTHING, SAME

    rows: Dict[str, List[str]] = {}
    for field, reason in SAME.items():
        rows.setdefault(reason, []).append(f"`{field}`")
    for (format, element, attribute), reason in NOTHING.items():
        name = f"`<{element}>`" if attribute == "text" else f"`<{element} {attribute}>`"
        rows.setdefault(reason, []).append(f"{format.upper()} {name}")
    return [
        "| what | why it makes no difference, where no sentence says it |",
        "|---|---|",
        *(f"| {', '.join(names)} | {reason} |" for reason, names in rows.items()),
    ]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: not_compared_table.py --write")
    table = "<!-- not compared -->\n" + "\n".join(not_compared_table()) + "\n<!-- /not compared -->"
    text, count = re.subn(
        r"<!-- not compared -->.*?<!-- /not compared -->",
        lambda found: table,
        PAGE.read_text(encoding="utf-8"),
        flags=re.S,
    )
    if count != 1:
        sys.exit(f"{PAGE} has {count} tables of what is not compared")
    PAGE.write_text(text, encoding="utf-8")
