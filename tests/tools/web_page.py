#!/usr/bin/env python3
"""Build the folder of the page that runs the tool in a browser: `make web`.

    python3 tests/tools/web_page.py FOLDER [--example FOLDER]

The folder has this page, the wheel of the checkout as pip makes it, and a fixed version of Pyodide from npm, whose
archive is compared with a known digest. Any file server can serve it; nothing is loaded from elsewhere.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from base64 import b64encode
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

CHECKOUT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(CHECKOUT))

from urdf_tools.base.errors import UsageError  # noqa: E402 its folder was not known before
from urdf_tools.base.version import __version__  # noqa: E402
from urdf_tools.cli.run_command_line import run_command, say, WRITTEN  # noqa: E402
from urdf_tools.export.page.html_markup import escape, Markup  # noqa: E402
from urdf_tools.export.page.write_page import digest, filled, json_text, part_text, script_text  # noqa: E402
from urdf_tools.web.dropped_files import files_in  # noqa: E402
from urdf_tools.web.browser_session import archive  # noqa: E402

HERE = CHECKOUT / "urdf_tools" / "web"
PYODIDE = "314.0.7"
# `npm view pyodide@VERSION dist.integrity`
PYODIDE_INTEGRITY = "sha512-0YvXxEhfEdpLfb/XkM2BFAeMROq0iMUX2bzzH9pOttyMcWkwq+HbE5uyuGD82LN7y2q+SNvi/6V5JEsOlD2R1A=="
PYODIDE_PARTS = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
)
OWN_FILES = (
    "web.css",
    "icon.svg",
    "main.js",
    "tool.js",
    "form.js",
    "results.js",
    "dropped.js",
    "terminal.js",
    "findings.js",
)
WORKER = "worker.js"
POLICY = (
    "default-src 'none'; script-src 'self' blob: 'wasm-unsafe-eval' {scripts}; style-src 'self' {styles}; "
    "img-src 'self' data: blob:; connect-src 'self'; worker-src blob:; frame-src blob:; base-uri 'none'; "
    "form-action 'none'"
)
MINUTES = 10  # for a program that loads from a registry


class Part(NamedTuple):
    """A file that the page loads at its start: its name, its path, its size in bytes, its digest."""

    name: str
    path: str
    size: int
    integrity: str


def build(target: Path, example: Optional[Path] = None) -> List[Part]:
    """Replace the folder, and return the files that the page loads.

    Raises:
        UsageError: npm or pip cannot be run, the archive from npm changed, or the folder has other content.
    """
    if target.exists() and any(target.iterdir()) and not (target / "palette.css").exists():
        raise UsageError(
            "this folder holds something else, which would be replaced: give another", str(target)
        )
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "web")
        made.mkdir()
        unpack_pyodide(fetch_pyodide(Path(folder)), made)
        wheel = make_wheel(made)
        for name in (*OWN_FILES, WORKER):
            shutil.copy(HERE / name, made)
        (made / "palette.css").write_bytes(palette().encode("utf-8"))
        shutil.copy(CHECKOUT / "LICENSE", made)
        parts = [
            part_of(made, path)
            for path in (*(f"pyodide/{name}" for name in PYODIDE_PARTS), wheel, WORKER)
        ]
        if example:
            (made / "example.zip").write_bytes(archive(str(example), list(files_in(str(example)))))
            parts.append(part_of(made, "example.zip"))
        (made / "index.html").write_bytes(page_text(parts, wheel).encode("utf-8"))
        # Only a complete folder replaces the old one.
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(made, target)
    return parts


def fetch_pyodide(folder: Path) -> Path:
    """Return the archive of Pyodide, loaded by npm.

    Raises:
        UsageError: npm cannot be run, or the digest is not PYODIDE_INTEGRITY.
    """
    run_program(
        ["npm", "pack", "--silent", "--pack-destination", str(folder), f"pyodide@{PYODIDE}"], folder
    )
    packed = folder / f"pyodide-{PYODIDE}.tgz"
    made = f"sha512-{b64encode(hashlib.sha512(packed.read_bytes()).digest()).decode('ascii')}"
    if made != PYODIDE_INTEGRITY:
        raise UsageError(
            f"npm has another pyodide {PYODIDE} than when it was chosen: {made}", str(packed)
        )
    return packed


def unpack_pyodide(packed: Path, made: Path) -> None:
    """Write the parts of Pyodide that a page needs."""
    (made / "pyodide").mkdir()
    with tarfile.open(packed) as archived:
        for name in PYODIDE_PARTS:
            member = archived.extractfile(f"package/{name}")
            if member is None:
                raise UsageError(f"there is no {name} in it", str(packed))
            (made / "pyodide" / name).write_bytes(member.read())


def make_wheel(made: Path) -> str:
    """Write the wheel of the checkout, as pip makes it of a copy, and return its name."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "checkout")
        shutil.copytree(
            CHECKOUT / "urdf_tools",
            copy / "urdf_tools",
            ignore=shutil.ignore_patterns("__pycache__"),
        )
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(CHECKOUT / name, copy)
        run_program(
            [
                sys.executable,
                "-m",
                "pip",
                "wheel",
                "--quiet",
                "--disable-pip-version-check",
                "--no-deps",
                "--wheel-dir",
                str(made),
                str(copy),
            ],
            Path(folder),
        )
    return next(path.name for path in made.glob("*.whl"))


def run_program(words: Sequence[str], folder: Path) -> None:
    """Run a program that loads from a registry.

    Raises:
        UsageError: the program does not exist, fails, or takes too long.
    """
    program = shutil.which(words[0])
    if program is None:
        raise UsageError(f"there is no {words[0]} on the PATH")
    try:
        done = subprocess.run(
            [program, *words[1:]],
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            timeout=60 * MINUTES,
        )
    except subprocess.TimeoutExpired:
        raise UsageError(f"{words[0]} had no answer within {MINUTES} minutes") from None
    if done.returncode:
        last = (done.stdout.strip().splitlines() or ["it says nothing"])[-1]
        raise UsageError(f"{' '.join(words[:2])} failed: {last}")


def palette() -> str:
    """Return the colors of the page of before and after, which this page uses, too."""
    return part_text("page.css").partition("* {")[0]


def part_of(made: Path, path: str) -> Part:
    """Return name, path, size and digest of a file."""
    data = (made / path).read_bytes()
    integrity = b64encode(hashlib.sha256(data).digest()).decode("ascii")
    return Part(os.path.basename(path), path, len(data), f"sha256-{integrity}")


def page_text(parts: Sequence[Part], wheel: str) -> str:
    """Return the page with its content security policy, and the list of files that it loads."""
    scripts = (
        f"'{digest(script_text())}'"  # of the pages in a frame, which has this page's policy, too
    )
    manifest: Dict[str, Any] = {
        "wheel": wheel,
        "scripts": scripts,
        "parts": [part._asdict() for part in parts],
    }
    template = (HERE / "index.html").read_text("utf-8")
    return filled(
        template,
        {
            "policy": escape(
                POLICY.format(scripts=scripts, styles=f"'{digest(part_text('page.css'))}'")
            ),
            "version": escape(__version__),
            "pyodide": escape(PYODIDE),
            "manifest": Markup(json_text(manifest)),
        },
    )


def _command(words: List[str]) -> int:
    """Build the folder as the words ask; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python3 tests/tools/web_page.py",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", type=Path, help="where to write; what is there is replaced")
    parser.add_argument(
        "--example", type=Path, help="a folder with a robot that visitors can look at"
    )
    arguments = parser.parse_args(words)
    parts = build(arguments.folder, arguments.example)
    say(
        [
            f"Wrote {arguments.folder}: {sum(part.size for part in parts) / 1e6:.1f} MB to load",
            f"To see it: python3 -m http.server --bind 127.0.0.1 --directory {arguments.folder} 8000",
        ],
        sys.stdout,
    )
    return WRITTEN


if __name__ == "__main__":
    sys.exit(run_command(_command, sys.argv[1:]))
