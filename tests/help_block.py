#!/usr/bin/env python3
"""The help of the single file in urdf_tools/cli/README.md: `help_block.py --write`, after `make single`."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "urdf_tools" / "cli" / "README.md"


def help_block():
    """Return the long help of the single file as a block of Markdown."""
    run = subprocess.run(
        [sys.executable, "urdf_simplify.py", "--help"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        encoding="utf-8",
        timeout=60,
        check=True,
        env={"COLUMNS": "80", "NO_COLOR": "1"},
    )
    return f"```\n{run.stdout}```\n"


if __name__ == "__main__":
    if sys.argv[1:] != ["--write"]:
        sys.exit("usage: help_block.py --write")
    block = f"<!-- help -->\n{help_block()}<!-- /help -->"
    text, count = re.subn(
        r"<!-- help -->.*?<!-- /help -->",
        lambda _: block,
        PAGE.read_text("utf-8"),
        flags=re.S,
    )
    if count != 1:
        sys.exit(f"{PAGE} has {count} blocks of help")
    PAGE.write_text(text, "utf-8")
