#!/usr/bin/env python3
"""Golden files: what each fixture becomes and what is said about it, committed beside it and reviewed by reading.

A folder with `robot.urdf` has `expected.urdf` and `plan.txt`, and for options of its own one line in `args`. Variants
stand beside them: `args-snap_0`, `expected-snap_0.urdf`, `plan-snap_0.txt`. A folder below refused/ has `error.txt`,
and variants where options make the file acceptable.A folder with `robot.srdf` also has `expected.srdf`, what is said
about it as `srdf.txt`, and the JSON of that run as `report.json`. `in_full.txt` is what --full shows. A folder `meshes`
lies beside the robot in a run; STL files that a run writes are listed at the end of plan.txt, with their digests. The
release in the texts is replaced by the word VERSION, and digests by DIGEST; all else is the same on every system. Acts
such as --lock are of a run of `edit`, and options of other commands of the exports. In collision/ the
crane has
`hulls.urdf`, `hulls.srdf` and `hulls.txt`: what it becomes with --collision hull --pairs, and what is said of it;
`pieces` is the same with --collision convex.
`armature.json` is the armature of the result; what robots become in other formats is in fixtures/exports
(golden_exports.py).

usage: golden.py --write   rewrite the files and say which changed; read `git diff` before a commit
       golden.py --check   exit 1 if any file is not what the tool gives
"""

from collections import namedtuple
import contextlib
import difflib
import hashlib
import io
import os
import re
import shlex
import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import golden_exports

ROOT = Path(__file__).resolve().parents[2]
for folder in (ROOT / "tests", ROOT):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
from engine import has_acts  # noqa: E402 its folder was not known before

FIXTURES = ROOT / "fixtures"
# Of the fixtures, as far as ASCII looks different in them.
ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")
DIGEST = re.compile(rb"\b[0-9a-f]{64}\b")
IN_FULL = ("humanoid", "arm")  # plan.txt has the short text


class Case(namedtuple("Case", "folder variant")):
    """One run: the folder of its fixture, and the variant of options or ""."""

    @property
    def name(self):
        """The case as a test shows it, such as `odd/gimbal_lock-snap_0`."""
        return self.file(self.folder.relative_to(FIXTURES).as_posix())

    @property
    def args(self):
        """The options of this case."""
        path = self.folder / self.file("args")
        return shlex.split(path.read_text("utf-8")) if path.exists() else []

    @property
    def expected(self):
        """Where the bytes of the result are kept."""
        return self.folder / self.file("expected", ".urdf")

    @property
    def plan(self):
        """Where the text on standard output is kept."""
        return self.folder / self.file("plan", ".txt")

    def file(self, stem, suffix=""):
        """Return the name of a file of this case."""
        return f"{stem}-{self.variant}{suffix}" if self.variant else stem + suffix


class Run(namedtuple("Run", "status data report errors files contents digests", defaults=({}, ""))):
    """What a run gave: exit status, bytes written (None: nothing), streams, the files of its folder, STL digests."""


def cases():
    """Return every case there is, in a fixed order."""
    listed = []
    for robot in sorted(FIXTURES.glob("**/robot.urdf")):
        if "refused" not in robot.relative_to(FIXTURES).parts:
            listed.append(Case(robot.parent, ""))
        listed += [
            Case(robot.parent, args.name[len("args-") :])
            for args in sorted(robot.parent.glob("args-*"))
        ]
    return listed


def run(
    main,
    source,
    args,
    srdf=None,
    meshes=None,
):
    """Run the command line on `robot.urdf` in an empty folder, in this process, with UTF-8 streams.

    `srdf` is put beside it as `robot.srdf`, and the folder `meshes`. Messages show names of files as the system writes
    them; in what is returned they have slashes.
    """
    folder = tempfile.mkdtemp(prefix="golden-")
    here = os.getcwd()
    try:
        os.chdir(folder)
        Path("robot.urdf").write_bytes(source)
        if srdf is not None:
            Path("robot.srdf").write_bytes(srdf)
        if meshes is not None and meshes.is_dir():
            shutil.copytree(str(meshes), "meshes")
        with _captured() as streams:
            status = main(["robot.urdf", *args])
        report, errors = (
            stream.buffer.getvalue().decode("utf-8").replace(os.sep, "/") for stream in streams
        )
        output = Path("robot_simplified.urdf")
        return Run(
            status,
            output.read_bytes() if output.exists() else None,
            report,
            errors,
            tuple(sorted(os.listdir("."))),
            {name: Path(name).read_bytes() for name in os.listdir(".") if os.path.isfile(name)},
            _digests(),
        )
    finally:
        os.chdir(here)
        shutil.rmtree(folder)


def _digests():
    """Return a line for each STL file below the current folder: its size and the digest of its bytes."""
    paths = [path for path in Path(".").rglob("*.stl") if path.parts[0] != "meshes"]
    paths.sort(key=lambda path: path.as_posix())  # Windows sorts paths without case
    return "".join(
        f"{path.as_posix()}: {path.stat().st_size} bytes, sha256 "
        f"{hashlib.sha256(path.read_bytes()).hexdigest()[:16]}\n"
        for path in paths
    )


@contextlib.contextmanager
def _captured():
    """Catch both streams as UTF-8."""
    out, err = (
        io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="\n", write_through=True)
        for _ in "oe"
    )
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def refused():
    """Return the folders of the files that are refused, in a fixed order."""
    return sorted(robot.parent for robot in FIXTURES.glob("refused/*/robot.urdf"))


def complaint(main, folder):
    """Return what standard error says about a file that is refused."""
    done = run(main, (folder / "robot.urdf").read_bytes(), ["--yes"])
    assert (done.status, done.report, done.data) == (2, "", None), f"{folder.name} is not refused"
    return done.errors.encode("utf-8")


def outcome_of(main, version, case):
    """Return the contents that the two files of a case should have."""
    done = run(
        main,
        (case.folder / "robot.urdf").read_bytes(),
        [*case.args, "--yes"],
        meshes=case.folder / "meshes",
    )
    assert (done.status, done.errors) == (0, ""), f"{case.name}: exit {done.status}: {done.errors}"
    data = done.data if done.data is not None else (case.folder / "robot.urdf").read_bytes()
    report = done.report + done.digests
    return without_version(data, version), without_version(report.encode("utf-8"), version)


def with_srdf():
    """Return the folders that have an SRDF beside the URDF."""
    return sorted(srdf.parent for srdf in FIXTURES.glob("**/robot.srdf"))


def beside_of(main, version, folder):
    """Return name and content of the files that a run with an SRDF and a JSON report should give."""
    args = ["--srdf", "robot.srdf", "--report", "report.json", "--yes", *Case(folder, "").args]
    args += [] if has_acts(args) else ["--base-frame", "ros"]
    done = run(
        main, (folder / "robot.urdf").read_bytes(), args, (folder / "robot.srdf").read_bytes()
    )
    assert (done.status, done.errors) == (0, ""), done.errors
    text = done.report[done.report.index("\nSRDF ") + 1 : done.report.index("\nOK ")]
    report = DIGEST.sub(
        b"DIGEST",
        done.contents["report.json"].replace(
            b'"version": "%s"' % version.encode(), b'"version": "VERSION"'
        ),
    )
    srdf = without_version(done.contents["robot_simplified.srdf"], version)
    return [
        (folder / "expected.srdf", srdf),
        (folder / "srdf.txt", text.encode("utf-8")),
        (folder / "report.json", report),
    ]


def require_as_committed(path, data):
    """Fail with the lines that differ if a file of the fixtures is not what is made of its input now."""
    require_same(path, path.read_bytes(), data)


def require_same(name, committed, made):
    """Fail with the lines that differ between two texts, committed and made.

    Raises:
        AssertionError: with the name, and up to forty lines of the difference.
    """
    if committed == made:
        return
    texts = [each.decode("utf-8", "backslashreplace").splitlines() for each in (committed, made)]
    lines = list(difflib.unified_diff(*texts, "committed", "made", lineterm="", n=1))
    if not lines:
        lines = ["only the ends of lines differ"]
    more = [f"and {len(lines) - SHOWN_LINES} more lines"] if len(lines) > SHOWN_LINES else []
    raise AssertionError("\n".join([f"{name}:", *lines[:SHOWN_LINES], *more]))


SHOWN_LINES = 40


def with_armature():
    """Return the folders that have the armature of their result beside the URDF."""
    return sorted(path.parent for path in FIXTURES.glob("**/armature.json"))


def armature_of(main, version, folder):
    """Return the content that `armature.json` of a folder should have."""
    args = ["--armature", "armature.json", "--yes"]
    done = run(main, (folder / "robot.urdf").read_bytes(), args, meshes=folder / "meshes")
    assert done.status == 0, done.errors
    data = done.contents["armature.json"].replace(
        b'"version": "%s"' % version.encode(), b'"version": "VERSION"'
    )
    return DIGEST.sub(b"DIGEST", data)


def collisions_of(main):
    """Return name and content of the files that the crane becomes with pairs and hulls, one or several for each mesh, and
    what is said of it."""
    from urdf_tools.base.version import __version__

    crane = FIXTURES / "collision" / "crane.urdf"
    found = []
    for name, kind in (("hulls", "hull"), ("pieces", "convex")):
        args = ["--as-is", "-o", "robot_simplified.urdf", "--collision", kind, "--pairs", "--yes"]
        done = run(main, crane.read_bytes(), args, meshes=crane.parent / "meshes")
        assert (done.status, done.errors) == (0, ""), done.errors
        contents = {
            ".urdf": done.contents["robot_simplified.urdf"],
            ".srdf": done.contents["robot_simplified.srdf"],
            ".txt": (done.report + done.digests).encode("utf-8"),
        }
        found += [
            (crane.with_name(f"{name}{ending}"), without_version(data, __version__))
            for ending, data in contents.items()
        ]
    return found


def plan_in_full(folder):
    """Return the plan of a fixture as --full shows it, without colors."""
    from urdf_tools.base.version import __version__
    from urdf_tools.lint.program_rules import finding_lines
    from urdf_tools.plan.run_options import Options
    from urdf_tools.report.line_layout import TextStyle
    from urdf_tools.report.plan_text import plan_text, question_lines
    from urdf_tools.run.run_pipeline import simplify_bytes

    style = TextStyle(boxes=True, color=False, full=True)
    result = simplify_bytes((folder / "robot.urdf").read_bytes(), "robot.urdf", Options())
    exported = result.exported._replace(finding_lines=partial(finding_lines, result))
    result = result._replace(exported=exported)
    lines = [
        *plan_text(result, style),
        "",
        *question_lines(result, len(result.plan.warnings), files=[], style=style),
    ]
    return without_version("\n".join([*lines, ""]).encode("utf-8"), __version__)


def without_version(data, version):
    """Replace the release, so that a new one leaves the files as they are."""
    for encoding in ENCODINGS:
        old = f"urdf_simplify {version}"
        new = "urdf_simplify VERSION"
        data = data.replace(old.encode(encoding), new.encode(encoding))
    return data


def with_version(data, version):
    """Put the release back, as a file has it that the tool wrote."""
    for encoding in ENCODINGS:
        old = "urdf_simplify VERSION"
        new = f"urdf_simplify {version}"
        data = data.replace(old.encode(encoding), new.encode(encoding))
    return data


def differences(main, version, write):
    """Return one line for each file that is not what the tool gives now, and rewrite it if asked."""
    wanted = [(folder / "error.txt", complaint(main, folder)) for folder in refused()]
    for case in cases():
        wanted += zip((case.expected, case.plan), outcome_of(main, version, case))
    for folder in with_srdf():
        wanted += beside_of(main, version, folder)
    wanted += [
        (folder / "armature.json", armature_of(main, version, folder)) for folder in with_armature()
    ]
    wanted += [(FIXTURES / name / "in_full.txt", plan_in_full(FIXTURES / name)) for name in IN_FULL]
    wanted += collisions_of(main)
    wanted += golden_exports.wanted()
    lines = []
    for path, data in wanted:
        old = path.read_bytes() if path.exists() else None
        if old != data:
            lines.append(f"{path.relative_to(ROOT).as_posix()}: {_what_changed(old, data)}")
            if write:
                path.write_bytes(data)
    return lines


def _what_changed(old, new):
    """Return the first line that differs, and how many lines go and come."""
    if old is None:
        return "new"
    was = old.splitlines()
    now = new.splitlines()
    index = next(
        (k for k, pair in enumerate(zip(was, now)) if pair[0] != pair[1]), min(len(was), len(now))
    )
    gone, come = len(set(was) - set(now)), len(set(now) - set(was))
    return f"from line {index + 1} on, {gone} lines go and {come} come"


def strays():
    """Return files that look like golden files and belong to no case."""
    wanted = {path for case in cases() for path in (case.expected, case.plan)}
    wanted.update(folder / "error.txt" for folder in refused())
    patterns = ("expected*.urdf", "plan*.txt", "error*.txt")
    present = {path for pattern in patterns for path in FIXTURES.glob(f"**/{pattern}")}
    return sorted(path.relative_to(ROOT).as_posix() for path in present - wanted)


def command_line():
    """Write or check, and say what differs; see the text at the top of this file."""
    if sys.argv[1:] not in (["--write"], ["--check"]):
        print(str(__doc__).rpartition("\n\n")[2].rstrip(), file=sys.stderr)
        return 2
    from engine import main
    from urdf_tools import __version__

    write = sys.argv[1] == "--write"
    lines = differences(main, __version__, write) + [
        f"{path}: belongs to no fixture" for path in strays()
    ]
    print(
        "\n".join(
            [
                *lines,
                f"{len(cases())} cases and {len(refused())} refusals: {len(lines)} files "
                f"{'changed' if write else 'differ'}",
            ]
        )
    )
    return 1 if lines and not write else 0


if __name__ == "__main__":
    sys.exit(command_line())
