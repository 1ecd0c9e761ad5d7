#!/usr/bin/env python3
"""Make a release of the checkout up to its tag; print the commands that publish it.

    make release VERSION=0.3.0 OWNER=name          commit, build, check, tag
    make release VERSION=0.3.0 OWNER=name DRY=1    the same in a copy, build/release/copy

OWNER is the account at GitHub; it is needed once, as long as the checkout says OWNER. Nothing leaves this machine.
Between releases the checkout calls itself the next release with `.dev0`, so that a result says what made it.
"""

import argparse
import datetime
import hashlib
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Dict, List, NamedTuple, Sequence, Tuple

ROOT = Path(__file__).resolve().parents[2]
VERSION = re.compile(r"(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}")
# Where the name of the owner stands: an address at GitHub, of its pages, of mail that it forwards; who keeps a recipe.
OWNER = (
    r"{owner}(?=/urdf_simplify\b|\.github\.io/|@users\.noreply\.github\.com)"
    r"|(?<=maintainers:\n    - ){owner}\b"
)
HOMEPAGE = re.compile(r'^Homepage = "https://github\.com/([^/]+)/urdf_simplify"$', re.M)
RELATIVE_LINK = re.compile(r"\]\((?!https?:)[^)]*\)")
# All that a wheel and a source archive are made of.
BUILT_FROM = ("urdf_tools", "pyproject.toml", "README.md", "LICENSE")

VERSION_FILE = "urdf_tools/base/version.py"
CHANGELOG = ".github/CHANGELOG.md"
RECIPE = ".github/packaging/recipe.yaml"


class ReleaseError(Exception):
    """A reason why there is no release, as a sentence."""


class Place(NamedTuple):
    """A text of the checkout that follows from the release."""

    file: str
    pattern: str  # matches once
    text: str  # with the names of `values_of` in braces


RELEASED = (
    Place(VERSION_FILE, r'^__version__ = ".*"$', '__version__ = "{version}"'),
    Place(CHANGELOG, r"^## \S+ \(unreleased\)$", "## {version} ({date})"),
    Place(
        ".github/CITATION.cff",
        r"^version: .*(?:\ndate-released: .*)?$",
        "version: {version}\ndate-released: {date}",
    ),
    Place(
        ".github/packaging/ros/package.xml",
        r"<version>.*</version>",
        "<version>{version}</version>",
    ),
    Place(RECIPE, r"^  version: \d.*$", "  version: {version}"),
    # PyPI shows this line where the package can be had by its name.
    Place(
        "README.md",
        r"^pip install (?:\. +# in a clone;|urdf-simplify +#) no dependencies",
        "pip install urdf-simplify                  # no dependencies",
    ),
)
# The recipe has the digest of the source archive, which does not have the recipe.
BUILT = (Place(RECIPE, r"^  sha256: .*$", "  sha256: {sha256}"),)
BEGUN = (
    Place(VERSION_FILE, r'^__version__ = ".*"$', '__version__ = "{next}.dev0"'),
    Place(CHANGELOG, r"^(?=## {version} )", "## {next} (unreleased)\n\n"),
)


def main() -> int:
    """Make the release that the command line names, and return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("version")
    parser.add_argument("owner", nargs="?", default="")
    parser.add_argument("--dry", action="store_true", help="in a copy of the checkout")
    arguments = parser.parse_args()
    work = ROOT / "build" / "release"
    today = datetime.date.today().isoformat()
    try:
        values = values_of(arguments.version, today)
        if not arguments.dry:
            refuse_unready(ROOT, arguments.version)
        shutil.rmtree(work, ignore_errors=True)
        copy = copy_of(ROOT, work / "copy")
        prepare(copy, arguments.owner, values)
        archive = build_checked(copy, work, arguments.version)
        checkout = copy
        if not arguments.dry:
            # All checks passed in the copy: what is left cannot end halfway.
            prepare(ROOT, arguments.owner, values)
            checkout = ROOT
        commands = tag(checkout, work, archive, values)
    except ReleaseError as error:
        print(f"release.py: {error}", file=sys.stderr)
        return 1
    if arguments.dry:
        print(f"A dry run: see {copy} and {work / 'dist'}. A release ends with")
    else:
        print("Tagged. These commands publish it:")
    print("\n".join(f"  {command}" for command in commands))
    return 0


def copy_of(checkout: Path, folder: Path, parts: Sequence[str] = (".",)) -> Path:
    """Copy what git has or would take of parts of a checkout into a repository of its own; return its folder."""
    every = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in run([*every, "--", *parts], checkout).split("\0"):
        source = checkout / name
        if name and source.is_file():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    run(["git", "init", "--quiet", "--initial-branch=main"], folder)
    run(["git", "config", "user.name", "dry run"], folder)
    run(["git", "config", "user.email", "dry@run"], folder)
    run(["git", "add", "--all"], folder)
    run(["git", "commit", "--quiet", "--message=Copy"], folder)
    return folder


def refuse_unready(checkout: Path, version: str) -> None:
    """Raise a ReleaseError if a checkout cannot be released under a version."""
    if run(["git", "status", "--porcelain"], checkout):
        raise ReleaseError("there are changes: commit them first")
    if run(["git", "tag", "--list", f"v{version}"], checkout):
        raise ReleaseError(f"the tag v{version} exists")
    later = [other for other in releases_of(checkout) if numbers_of(other) >= numbers_of(version)]
    if later:
        raise ReleaseError(f"{CHANGELOG} has {later[0]}: give a version above it")
    if not changes_of(checkout, "unreleased"):
        raise ReleaseError(f"{CHANGELOG} names no change after the last release")


def prepare(checkout: Path, owner: str, values: Dict[str, str]) -> None:
    """Set all that follows from a release in a checkout."""
    set_owner(checkout, owner)
    set_places(checkout, RELEASED, values)
    run([sys.executable, "tests/tools/single_file.py"], checkout)


def values_of(version: str, date: str) -> Dict[str, str]:
    """Return the values of a release that places name."""
    if not VERSION.fullmatch(version):
        raise ReleaseError(f"VERSION={version}: give three numbers, such as 0.3.0")
    major, minor, _ = numbers_of(version)
    return {"version": version, "date": date, "next": f"{major}.{minor + 1}.0"}


def numbers_of(version: str) -> Tuple[int, ...]:
    """Return the numbers of a version."""
    return tuple(map(int, version.split(".")))


def releases_of(checkout: Path) -> List[str]:
    """Return the released versions of the changelog."""
    text = (checkout / CHANGELOG).read_text("utf-8")
    return re.findall(r"^## (\d+\.\d+\.\d+)\b(?! \(unreleased)", text, flags=re.M)


def changes_of(checkout: Path, date: str) -> str:
    """Return the section of the changelog with this date, or "" without one."""
    text = (checkout / CHANGELOG).read_text("utf-8")
    section = re.search(rf"^## \S+ \({date}\)\n(.*?)(?=^## |\Z)", text, flags=re.M | re.S)
    return section.group(1).strip() if section else ""


def set_owner(checkout: Path, owner: str) -> None:
    """Write the name of the owner wherever an address of the project has it."""
    homepage = HOMEPAGE.search((checkout / "pyproject.toml").read_text("utf-8"))
    if homepage is None:
        raise ReleaseError("pyproject.toml has no Homepage at GitHub")
    known = homepage.group(1)
    owner = owner or known
    if owner == "OWNER" or not re.fullmatch(r"[A-Za-z0-9-]+", owner):
        raise ReleaseError(f"OWNER={owner}: give the account at GitHub")
    address = re.compile(OWNER.format(owner=re.escape(known)))
    for name in run(["git", "grep", "-l", "-I", "-F", known], checkout).splitlines():
        text = (checkout / name).read_text("utf-8")
        (checkout / name).write_text(address.sub(owner, text), "utf-8")


def set_places(checkout: Path, places: Sequence[Place], values: Dict[str, str]) -> None:
    """Write the values of a release into places of a checkout."""
    for place in places:
        path = checkout / place.file
        pattern = place.pattern.replace("{version}", re.escape(values["version"]))
        new = place.text.format_map(values)
        text, count = re.subn(pattern, new, path.read_text("utf-8"), flags=re.M)
        if count != 1:
            raise ReleaseError(f"{place.file}: {count} places look like {place.pattern}, not 1")
        path.write_text(text, "utf-8")


def build_checked(checkout: Path, work: Path, version: str) -> Path:
    """Build wheel and source archive of a checkout into a folder, check both, and return the source archive."""
    # Only these files: a build reads the folder that it is in, and leaves files there.
    source = work / "source"
    for name in BUILT_FROM:
        if (checkout / name).is_dir():
            shutil.copytree(
                checkout / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
            )
        else:
            shutil.copy(checkout / name, source)
    tools = environment(work / "tools")
    run([tools, "-m", "pip", "install", "--quiet", "build", "twine"], work)
    run([tools, "-m", "build", "--outdir", str(work / "dist"), str(source)], work)
    (wheel,) = (work / "dist").glob("*.whl")
    (archive,) = (work / "dist").glob("*.tar.gz")
    run([tools, "-m", "twine", "check", "--strict", str(wheel), str(archive)], work)
    check_wheel(source, wheel)
    python = environment(work / "installed")
    run([python, "-m", "pip", "install", "--quiet", "--no-index", str(wheel)], work)
    check_version(str(Path(python).with_name("urdf-simplify")), [], work, version, "package")
    check_version(sys.executable, [str(checkout / "urdf_simplify.py")], work, version, "source ")
    return archive


def environment(folder: Path) -> str:
    """Make a virtual environment and return its Python."""
    run([sys.executable, "-m", "venv", str(folder)], folder.parent)
    return str(folder / "bin" / "python")


def check_wheel(source: Path, wheel: Path) -> None:
    """Raise a ReleaseError if a wheel lacks a file of the package, or its page at PyPI has a link that leads nowhere."""
    expected = {
        path.relative_to(source).as_posix()
        for path in (source / "urdf_tools").rglob("*")
        if path.is_file()
    }
    with zipfile.ZipFile(wheel) as packed:
        names = packed.namelist()
        (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        description = packed.read(metadata).decode("utf-8")
    different = expected ^ {name for name in names if name.startswith("urdf_tools/")}
    if different:
        raise ReleaseError(f"the wheel and the package differ in {', '.join(sorted(different))}")
    dead = RELATIVE_LINK.findall(description)
    if dead:
        raise ReleaseError(f"the description of the wheel has relative links: {', '.join(dead)}")


def check_version(
    program: str, words: Sequence[str], folder: Path, version: str, origin: str
) -> None:
    """Raise a ReleaseError if a program does not name the release and, after it, where it comes from."""
    shown = run([program, *words, "-V"], folder).strip()
    if not shown.startswith(f"urdf_simplify {version} ({origin}") or "modified" in shown:
        raise ReleaseError(f"{program} says '{shown}', not {version} ({origin})")


def tag(checkout: Path, work: Path, archive: Path, values: Dict[str, str]) -> List[str]:
    """Commit and tag a release, begin the next one, and return the commands that publish."""
    version = values["version"]
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    set_places(checkout, BUILT, {**values, "sha256": digest})
    notes = work / "notes.md"
    notes.write_text(changes_of(checkout, values["date"]) + "\n", "utf-8")
    run(["git", "commit", "--quiet", "--all", f"--message=Release {version}"], checkout)
    run(["git", "tag", "--annotate", f"v{version}", f"--message=urdf_simplify {version}"], checkout)
    set_places(checkout, BEGUN, values)
    run([sys.executable, "tests/tools/single_file.py"], checkout)
    run(["git", "commit", "--quiet", "--all", f"--message=Begin {values['next']}"], checkout)
    branch = run(["git", "branch", "--show-current"], checkout).strip()
    files = f"{work / 'dist'}/*"
    return [
        f"git push origin {branch}",
        f"git push origin v{version}",
        f"gh release create v{version} {files} --title {version} --notes-file {notes}",
    ]


def run(words: Sequence[str], folder: Path) -> str:
    """Run a command in a folder and return what it prints.

    Raises:
        ReleaseError: the command fails.
    """
    done = subprocess.run(
        words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8"
    )
    if done.returncode:
        raise ReleaseError(f"'{' '.join(words)}' failed:\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    sys.exit(main())
