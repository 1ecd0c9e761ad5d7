#!/usr/bin/env python3
"""The table of the single file's diagnostics in urdf_tools/report/README.md: `kinds_table.py --write`."""
import re
import sys
from pathlib import Path
from typing import List

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "urdf_tools" / "report" / "README.md"
sys.path.insert(0, str(ROOT))


def kinds_table() -> List[str]:
    """Return the lines of a table in Markdown, a row for each kind."""
    from urdf_tools.base.kinds import KINDS

    return ["| kind | severity | what it says | what to do |", "|---|---|---|---|", *(
        f"| `{kind.name}` | {kind.severity} | {kind.meaning} | {kind.hint.replace('{links}', 'LINK')} |"
        for kind in KINDS)]


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: kinds_table.py --write")
    table = "<!-- warnings -->\n" + "\n".join(kinds_table()) + "\n<!-- /warnings -->"
    text, count = re.subn(r"<!-- warnings -->.*?<!-- /warnings -->", lambda _: table,
                          PAGE.read_text(encoding="utf-8"), flags=re.S)
    if count != 1:
        sys.exit(f"{PAGE} has {count} tables of warnings")
    PAGE.write_text(text, encoding="utf-8")
