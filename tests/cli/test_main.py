"""The command line as a process: the question, pipes, encodings, outputs, statuses; and the proof catches cheats."""

import io
import json
import os
import re
import stat
import subprocess
import sys

import golden
import pytest
from commands import listing, python_shown, run
from conftest import SINGLE_FILE, needs_posix, needs_symlinks

from urdf_tools.app.package_options import TABLE
from urdf_tools.base.option_table import rows_of
from urdf_tools.cli import single_file_entry as cli
from urdf_tools.cli.parse_arguments import program_name, VERBS
from urdf_tools.cli.run_command_line import run_command
from urdf_tools.apply import apply_plan_passes
from urdf_tools.base import version
from urdf_tools.run.single_file_options import OPTION_ROWS
from urdf_tools.urdf.lossless_xml import Element
from urdf_tools.urdf.xml_edits import detach

ODD = golden.FIXTURES / "odd"
CHAIN, NAMES, LATIN = (
    ODD / name / "robot.urdf" for name in ("mimic_chain", "names_with_anything", "latin1")
)
ARM, QUADRUPED, HUMANOID = (
    golden.FIXTURES / name / "robot.urdf" for name in ("arm", "quadruped", "humanoid")
)
QUESTION = b"Proceed? (yes/no/?): "


def result_of(robot):
    """Return what the committed golden file says a run gives."""
    wanted = (robot.parent / "expected.urdf").read_bytes()
    for encoding in golden.ENCODINGS:
        wanted = wanted.replace(
            "simplify VERSION".encode(encoding), f"simplify {version.__version__}".encode(encoding)
        )
    return wanted


def args_of(robot):
    """Return the options with which the golden file was made."""
    return golden.Case(robot.parent, "").args


RESULT = result_of(CHAIN)


# The question.


@pytest.mark.parametrize(
    "answer", [b"yes\n", b"yes", b" YES \n", b"Yes\r\n", b"\tyes\n", b"yes\nno\n"]
)
def test_yes(command, folder, answer):
    done = run(command, "robot.urdf", answer=answer)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "robot_simplified.urdf").read_bytes() == RESULT
    assert done.stdout.count(QUESTION) == 1
    after = done.stdout.partition(QUESTION)[2].decode()
    assert after.startswith(answer.splitlines()[0].decode().strip() + "\n\nDone!\n")
    assert after.endswith(
        "\n\nDone!\n  Output: robot_simplified.urdf\n  Links: 4 -> 4\n  Joints: 3 -> 3\n"
        "  Mass preserved: 0.230 kg\n\nNext (lines of the input):\n  2 joints flipped: drivers and "
        "policies outside the file need the signs\n    (--report FILE, or --adapter FILE.py)\n"
    )


@pytest.mark.parametrize(
    "answer",
    [
        b"y\n",
        b"\n",
        b"",
        b"no\nyes",
        b"yes yes\n",
        b"yess\n",
        b"yes!\n",
        b"\nyes\n",
        b"j\xe4\n",
        b"\0\n",
    ],
)
def test_anything_else_is_no(command, folder, answer):
    before = listing(folder)
    done = run(command, "robot.urdf", answer=answer)
    assert done.returncode == 1
    first = answer.splitlines()[0].strip().decode("utf-8", "replace") if answer else ""
    why = (
        b""
        if first == "no"
        else b" (no answer to read)"
        if not answer
        else (b": the answer was '" if first else b"")
    )
    shown = done.stdout[done.stdout.index(b"Nothing was written") :]
    assert shown.startswith(b"Nothing was written" + why)
    assert shown.endswith(b".\n" if first == "no" else b"; -y writes without asking.\n")
    assert listing(folder) == before


@needs_posix("a shell closes the stream")
@pytest.mark.both_forms
def test_closed_standard_input(command, folder):
    before = listing(folder)
    done = run(["sh", "-c", '"$@" <&-', "sh", *command], "robot.urdf")
    assert done.returncode == 1
    assert done.stdout.endswith(
        b"Nothing was written (no answer to read); -y writes without asking.\n"
    )
    assert listing(folder) == before
    for words in ("- --dry-run", "lint -", "compare - robot.urdf", "view -"):
        done = run(["sh", "-c", '"$@" <&-', "sh", *command], *words.split())
        assert (done.returncode, done.stderr) == (2, b"error: <stdin>: standard input is closed\n")


# Pipes.


def run_without_reader(command, *arguments):
    """Run with a standard output that nobody reads; return exit status and standard error."""
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        [*command, *arguments], stdout=writer, stderr=subprocess.PIPE, input=b"", timeout=60
    )
    os.close(writer)
    return done.returncode, done.stderr


def test_nobody_reads_the_report(command, folder):
    assert run_without_reader(command, "robot.urdf") == (1, b"")
    assert list(listing(folder)) == ["robot.urdf"]
    status, errors = run_without_reader(command, "robot.urdf", "--diff")
    assert status == 0 and b"BrokenPipe" not in errors
    assert run_without_reader(command, "robot.urdf", "--yes") == (0, b"")
    assert (folder / "robot_simplified.urdf").read_bytes() == RESULT


def test_reader_leaves_before_the_question(tool, monkeypatch):
    reader, writer = os.pipe()
    os.close(reader)
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    with open(writer, "w") as stream:
        assert tool.ask(stream, tool.TextStyle(True, False), {}) is False


def test_nobody_reads_the_result(command, folder):
    status, errors = run_without_reader(command, "robot.urdf", "--yes", "-o", "-")
    assert status != 0 and b"Traceback" not in errors and b"Exception ignored" not in errors, (
        errors.decode()
    )


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_full_standard_output(command, folder):
    for arguments in (["-n"], ["-y"], ["-y", "-o", "-"], ["--check"], ["--diff"]):
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [*command, "robot.urdf", *arguments],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=60,
            )
        assert done.returncode != 0 and b"Traceback" not in done.stderr, (
            arguments,
            done.stderr.decode(),
        )
        assert b"No space left on device" in done.stderr


# Encodings.


@pytest.mark.parametrize(
    "environment",
    [
        {"PYTHONIOENCODING": "ascii"},
        {"PYTHONIOENCODING": "cp1252:strict"},
        {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    ],
    ids=["ascii", "cp1252", "C"],
)
@pytest.mark.parametrize("robot", [LATIN, NAMES], ids=["latin1", "names"])
def test_narrow_encodings(command, folder, robot, environment):
    (folder / "gr\u00f6\u00dfe \u2713.urdf").write_bytes(robot.read_bytes())
    words = ["gr\u00f6\u00dfe \u2713.urdf", "--full", *args_of(robot)]
    done = run(command, *words, answer=b"yes\n", **environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"  `-- " in done.stdout and "\u2500".encode() not in done.stdout
    # Windows has its own code page without a locale.
    is_ascii = os.name == "posix" and "cp1252" not in environment.get("PYTHONIOENCODING", "")
    assert done.stdout.isascii() or not is_ascii
    assert (folder / "gr\u00f6\u00dfe \u2713_simplified.urdf").read_bytes() == result_of(robot)


# Where the result goes.


@pytest.mark.parametrize("robot", ["latin1", "utf16", "utf8_mark"])
def test_standard_streams_are_exact(command, folder, robot):
    path = ODD / robot / "robot.urdf"
    source, wanted, args = path.read_bytes(), result_of(path), args_of(path)
    done = run(command, "-", "--yes", "--output", "-", *args, answer=source)
    assert (done.returncode, done.stdout) == (0, wanted)
    assert b"urdf_simplify" in done.stderr and b"Done!\n  Output: -\n" in done.stderr
    (folder / "robot.urdf").write_bytes(source)
    done = run(command, "robot.urdf", "-o", "-", *args, answer=b"yes\n")
    assert (done.returncode, done.stdout) == (0, wanted)
    assert QUESTION in done.stderr
    assert list(listing(folder)) == ["robot.urdf"]
    assert run(command, "robot.urdf", "-o", "-", answer=b"no\n").stdout == b""


def test_standard_streams_of_a_process(folder):
    source = ODD / "utf16" / "robot.urdf"
    done = run(
        [sys.executable, str(SINGLE_FILE)],
        "-",
        "--yes",
        "--output",
        "-",
        *args_of(source),
        answer=source.read_bytes(),
    )
    assert (done.returncode, done.stdout) == (0, result_of(source))
    assert b"Done!\n  Output: -\n" in done.stderr


def test_standard_input_to_a_file(command, folder):
    done = run(command, "-", "-y", "-o", "out.urdf", answer=CHAIN.read_bytes())
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(
        f"urdf_simplify {version.__version__}: <stdin> 'finger', 4 links, ".encode()
    )
    assert (folder / "out.urdf").read_bytes() == RESULT
    for only_show in ("--dry-run", "--check", "--diff"):
        before = listing(folder)
        assert run(command, "-", only_show, answer=CHAIN.read_bytes()).returncode == (
            only_show == "--check"
        )
        assert listing(folder) == before


def test_dry_run(command, folder):
    before = listing(folder)
    done = run(command, "robot.urdf", "--dry-run", answer=b"yes\n")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Result joint origins:" in done.stdout and b"\nOK Same robot: verified" in done.stdout
    assert b"Proceed" not in done.stdout and b"Done!" not in done.stdout
    assert listing(folder) == before


def test_check(command, folder):
    (folder / "result.urdf").write_bytes(RESULT)
    before = listing(folder)
    done = run(command, "robot.urdf", "--check")
    assert (done.returncode, done.stderr) == (1, b"")
    assert done.stdout.decode().splitlines()[0] == (
        "robot.urdf would change: 2 joints flip, 3 joints turned "
        "(proximal_pitch 90 deg, middle_pitch 90 deg, distal_pitch 90 deg)"
    )
    done = run(command, "result.urdf", "--check")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == b"result.urdf is simplified already\n"
    assert listing(folder) == before


def patched(source, difference):
    """Apply a unified diff to a text, as `patch` does, with every context line checked."""
    old, new, place = re.findall(rb"[^\n]*\n|[^\n]+", source), b"", 0
    lines = re.findall(rb"[^\n]*\n", difference)
    assert lines[0].startswith(b"--- ") and lines[1].startswith(b"+++ ")
    for number, line in enumerate(lines[2:], 2):
        if line.startswith(b"\\"):
            continue
        if number + 1 < len(lines) and lines[number + 1].startswith(b"\\"):
            line = line[:-1]
        if line.startswith(b"@@"):
            match = re.match(rb"@@ -(\d+)(?:,(\d+))? \+", line)
            assert match
            start = int(match.group(1)) - (match.group(2) != b"0")
            new += b"".join(old[place:start])
            place = start
        elif line.startswith(b"+"):
            new += line[1:]
        else:
            assert line[:1] in b" -" and old[place] == line[1:], line
            new += old[place] if line.startswith(b" ") else b""
            place += 1
    return new + b"".join(old[place:])


ODD_LINES = {
    "no newline at the end": (b"</robot>\n", b"</robot>"),
    "old line ends": (b"\n", b"\r"),
    "a line end of Unicode": (
        b'<link name="stand"/>',
        b'<!-- one\xe2\x80\xa8two\xc2\x85three --><link name="stand"/>',
    ),
}


@pytest.mark.parametrize(
    "robot", [HUMANOID, QUADRUPED, NAMES, ARM], ids=lambda path: path.parent.name
)
def test_difference(command, folder, robot):
    (folder / "robot.urdf").write_bytes(robot.read_bytes())
    before = listing(folder)
    done = run(command, "robot.urdf", "--diff", *args_of(robot))
    assert done.returncode == 0 and re.fullmatch(rb"robot\.urdf would change: .*\n", done.stderr)
    assert done.stdout.startswith(b"--- robot.urdf\n+++ robot_simplified.urdf\n@@ ")
    assert patched(robot.read_bytes(), done.stdout) == result_of(robot)
    assert listing(folder) == before


@pytest.mark.parametrize("change", ODD_LINES)
def test_difference_of_odd_lines(command, folder, change):
    source = CHAIN.read_bytes().replace(*ODD_LINES[change])
    assert source != CHAIN.read_bytes()
    (folder / "robot.urdf").write_bytes(source)
    difference = run(command, "robot.urdf", "--diff").stdout
    assert run(command, "robot.urdf", "-y").returncode == 0
    assert patched(source, difference) == (folder / "robot_simplified.urdf").read_bytes()


def test_difference_of_nothing(command, folder):
    (folder / "robot.urdf").write_bytes(RESULT)
    done = run(command, "robot.urdf", "--diff")
    assert (done.returncode, done.stdout) == (0, b"")


@needs_symlinks
def test_in_place(command, folder):
    (folder / "link.urdf").symlink_to("robot.urdf")
    done = run(command, "robot.urdf", "-y", "--force", "-o", "link.urdf")
    assert (done.returncode, done.stderr) == (0, b"")
    assert (folder / "link.urdf").is_symlink() and (folder / "robot.urdf").read_bytes() == RESULT
    done = run(command, "robot.urdf", "-y", "--force", "-o", "robot.urdf")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"\n   Nothing to do: already simplified\n" in done.stdout
    assert sorted(listing(folder)) == ["link.urdf", "robot.urdf"]


def test_of_an_option_that_counts_once_the_last_one_counts(command, folder):
    words = (
        "--base-frame onshape --snap 0 --keep * --report other.json "
        "--base-frame=ros --snap=0.01 --keep=?* --report own.json"
    ).split()
    assert run(command, "robot.urdf", "-n", *words).returncode == 0
    options = json.loads((folder / "own.json").read_text())["options"]
    assert (options["base_frame"], options["snap"], options["keep"]) == ("ros", 0.01, ["*", "?*"])
    assert not (folder / "other.json").exists()


def test_quiet(command, folder):
    done = run(command, "robot.urdf", "--yes", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    done = run(command, "robot.urdf", "-q", answer=b"no\n")
    assert (done.returncode, done.stderr) == (1, b"") and done.stdout.startswith(QUESTION)
    text = (ODD / "comma_vector" / "robot.urdf").read_text()  # whose commas are a note
    (folder / "robot.urdf").write_text(
        text.replace('<link name="arm">', '<link name="arm"><visual/>')
    )
    done = run(command, "robot.urdf", "-q", "-y", "--base-frame", "ros")
    assert (done.returncode, done.stdout) == (0, b"")
    assert re.fullmatch(
        rb"warning: robot.urdf:\d+: link 'arm': this <visual> has no geometry\n"
        rb"warning: robot.urdf:\d+: joint 'arm_pitch' turns about X, .*\n",
        done.stderr,
    )


@pytest.mark.both_forms
def test_version_and_help(command, folder):
    """The help without a command is that of the command `simplify`."""
    done = run(command, "--version")
    assert (done.returncode, done.stderr) == (0, b"")
    assert re.fullmatch(rf"urdf_simplify {version.__version__} \(.+\)\n", done.stdout.decode())
    assert all(run(command, word).stdout == done.stdout for word in ("-V", "version"))
    narrow = {"COLUMNS": "80", "PYTHONIOENCODING": "utf-8"}
    done = run(command, "--help", **narrow)
    assert (done.returncode, done.stderr) == (0, b"")
    page = done.stdout.decode()
    started = f"{python_shown()} -m urdf_tools" if "-m" in command else "urdf_simplify.py"
    assert page.startswith(
        f"usage: {started} ROBOT [-o FILE] [options]\n       {started} COMMAND ...\n"
    )
    assert f"\n  echo yes | {started} robot.urdf " in page
    assert all(f"\n  {verb:9}  " in page for verb in VERBS)
    assert "exit status: 0 done, 1 not done, 2 input or options refused, 3 proof failed\n" in page
    rows = rows_of("simplify", TABLE if "-m" in command else OPTION_ROWS)
    shown = set(re.findall(r"^  (?:-., )?(--[a-z-]+)", page, flags=re.M))
    assert shown == {*(row.spelling for row in rows), "--help", "--version"}
    assert run(command, "simplify", "--help", **narrow).stdout == done.stdout


@pytest.mark.parametrize("verb", VERBS)
def test_help_of_each_command(command, folder, verb):
    """-h is one screen, with the rows that are for it; --help has them all, with their further sentences."""
    rows, pages, started = rows_of(verb, TABLE), {}, program_name()
    for flag in ("-h", "--help"):
        for words in ([verb, flag], [verb, "robot.urdf", flag]):
            done = run(command, *words, COLUMNS="80")
            assert (done.returncode, done.stderr) == (0, b"")
            pages[flag] = done.stdout.decode()
        assert pages[flag].startswith(
            f"usage: {started} {'' if verb == 'simplify' else f'{verb} '}"
        )
        assert pages[flag].count(f"\n  {started} {'' if verb == 'simplify' else f'{verb} '}") >= 2
        as_installed = pages[flag].replace(started, "urdf-simplify")
        assert max(map(len, as_installed.splitlines())) <= 80 and "{" not in pages[flag]
    shown = {
        flag: set(re.findall(r"^  (?:-., )?(--[a-z-]+)", page, flags=re.M))
        for flag, page in pages.items()
    }
    assert shown["--help"] == {*(row.spelling for row in rows), "--help", "--version"}
    assert shown["-h"] == {row.spelling for row in rows if verb in row.top.split()}
    assert f"(--help lists all {len(rows) + 2})" in pages["-h"] or not shown["-h"]
    assert len(pages["-h"].splitlines()) <= 60


@pytest.mark.parametrize(
    "verb, words, output",
    [
        ("simplify", [], "robot_simplified.urdf"),
        ("edit", ["--flip", "proximal_pitch"], "robot_edited.urdf"),
        ("pairs", [], "robot_pairs.srdf"),
    ],
)
def test_where_a_command_writes(command, folder, verb, words, output):
    shape = '<collision><geometry><sphere radius="0.001"/></geometry></collision></link>'
    robot = folder / "robot.urdf"
    robot.write_text(robot.read_text(encoding="utf-8").replace("</link>", shape), encoding="utf-8")
    assert run(command, verb, "robot.urdf", *words, "-n").returncode == 0
    assert sorted(listing(folder)) == ["robot.urdf"]
    assert run(command, verb, "robot.urdf", *words, answer=b"yes\n").returncode == 0
    assert sorted(listing(folder)) == ["robot.urdf", output]


@pytest.mark.parametrize(
    "old, announced",
    [
        (None, "writes out.urdf"),
        (RESULT, "replaces out.urdf"),
        (b"<robot/>", "replaces out.urdf, not marked as written by this tool"),
    ],
)
def test_announcement(command, folder, old, announced):
    if old is not None:
        (folder / "out.urdf").write_bytes(old)
    done = run(command, "robot.urdf", "-o", "out.urdf", answer=b"no\n")
    assert f"\n   {announced}\n{QUESTION.decode()}" in done.stdout.decode()
    done = run(command, "robot.urdf", "-o", "out.urdf", "-q", answer=b"no\n")
    assert done.stderr.decode() == (f"warning: {announced}\n" if "not marked" in announced else "")
    assert run(command, "robot.urdf", "-o", "out.urdf", "-y").returncode == 0
    assert (folder / "out.urdf").read_bytes() == RESULT
    assert sorted(listing(folder)) == ["out.urdf", "robot.urdf"]


def test_a_folder_that_is_made_is_announced(command, folder):
    """Before the question, as its name may be a typing error; a `no` leaves no folder."""
    words = ("robot.urdf", "-o", "deep/new/out.urdf")
    done = run(command, *words, answer=b"no\n")
    announced = "\n   makes the folder deep/new\n   writes deep/new/out.urdf\n" + QUESTION.decode()
    assert announced in done.stdout.decode()
    assert sorted(listing(folder)) == ["robot.urdf"]
    assert run(command, *words, "-y").returncode == 0
    assert b"makes the folder" not in run(command, *words, answer=b"no\n").stdout


def test_a_dry_run_says_what_it_wrote(command, folder):
    done = run(command, "robot.urdf", "-n", "--report", "r.json")
    assert done.stdout.endswith(b"\nWrote r.json\n") and sorted(listing(folder)) == [
        "r.json",
        "robot.urdf",
    ]
    assert b"Wrote" not in run(command, "robot.urdf", "-n").stdout
    assert run(command, "robot.urdf", "-n", "-q", "--report", "r.json").stdout == b""


def test_what_a_run_changes_is_said_for_what_it_is(command, folder):
    """A file that only goes elsewhere gets other names of meshes; links that stay as frames are emptied, not merged."""
    (folder / "robot.urdf").write_bytes(result_of(ARM))
    (folder / "sub").mkdir()
    plan = b"\n   10 -> 10 links, 9 -> 9 joints, "
    assert (
        plan + b"mesh paths rewritten relative to the output\n"
        in run(command, "robot.urdf", "-n", "-o", "sub/out.urdf").stdout
    )
    (folder / "robot.urdf").write_bytes(ARM.read_bytes())
    done = run(command, "robot.urdf", "-n", "--keep-all-frames").stdout
    assert b"\n   13 -> 13 links, 12 -> 12 joints, 1 link emptied, " in done


def test_a_robot_without_collada_meshes_is_said_to_be_one(command, folder):
    for flag in ("--separate-dae-meshes", "--combine-dae-meshes"):
        done = run(command, "robot.urdf", "-n", flag)
        assert (
            b"\nCOLLADA meshes\n  none: no mesh of the robot is COLLADA (.dae, .zae)\n"
            in done.stdout
        )
    assert b"COLLADA" not in run(command, "robot.urdf", "-n").stdout


@needs_posix("a umask")
def test_file_mode(command, folder):
    for mask in (0o022, 0o077):
        subprocess.run(
            [*command, "robot.urdf", "-y", "-q", "-o", f"{mask}.urdf"],
            timeout=60,
            check=True,
            preexec_fn=lambda mask=mask: os.umask(mask),
        )
        assert stat.S_IMODE((folder / f"{mask}.urdf").stat().st_mode) == 0o666 & ~mask
    (folder / "old.urdf").write_bytes(b"old")
    (folder / "old.urdf").chmod(0o640)
    assert run(command, "robot.urdf", "-y", "-o", "old.urdf").returncode == 0
    assert stat.S_IMODE((folder / "old.urdf").stat().st_mode) == 0o640


def mesh_of(urdf):
    """Return the file name of the only mesh."""
    names = re.findall(r'<mesh filename="([^"]*)"', urdf.read_text(encoding="utf-8"))
    assert len(names) == 1
    return str(names[0]).replace("&amp;", "&")


@pytest.mark.parametrize(
    "name",
    [
        "package://pair/meshes/hand.stl",
        "file:///meshes/hand.stl",
        "/meshes/hand.stl",
        "C:\\meshes\\hand.stl",
        "http://example.org/hand.stl",
        "model://pair/hand.stl",
    ],
)
def test_other_mesh_names_stay(command, folder, name):
    text = NAMES.read_text(encoding="utf-8").replace(
        "meshes/nuts &amp; bolts/arm #1 (left).stl", name
    )
    (folder / "robot.urdf").write_text(text, encoding="utf-8")
    (folder / "sub").mkdir()
    assert run(command, "robot.urdf", "-y", "-o", "sub/out.urdf").returncode == 0
    assert mesh_of(folder / "sub" / "out.urdf") == name


@needs_symlinks
def test_output_through_a_link(command, folder):
    (folder / "target").mkdir()
    for old in (None, b"old"):
        if old:
            (folder / "target" / "out.urdf").write_bytes(old)
        else:
            (folder / "link.urdf").symlink_to("target/out.urdf")
        assert run(command, "robot.urdf", "-y", "-o", "link.urdf").returncode == 0
        assert (folder / "link.urdf").is_symlink()
        assert (folder / "target" / "out.urdf").read_bytes() == RESULT
    assert sorted(listing(folder)) == ["link.urdf", "robot.urdf", "target", "target/out.urdf"]


@pytest.mark.both_forms
def test_exit_status_of_a_refusal(command, folder):
    done = run(command, "robto.urdf", "-y")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr == b"error: robto.urdf: no such file (did you mean 'robot.urdf'?)\n"


# The proof: a pass that cheats, after all the others.


def named(document, kind, name):
    """Return the link or joint of that name."""
    return next(element for element in document.root.elements(kind) if element.get("name") == name)


def edit(path, attribute, change):
    """Return a cheat that changes an attribute; `path` is such as `link:base/visual/origin`."""

    def cheat(document, _):
        first, *rest = path.split("/")
        element = named(document, *first.split(":"))
        for step in rest:
            element = element.find(step) if element is not None else None
        assert element is not None
        old = element.get(attribute)
        assert old is not None and change(old) != old
        element.set(attribute, change(old))

    return cheat


def shift(place, by):
    """Return a change of one number of a vector."""

    def change(text):
        numbers = list(map(float, text.split()))
        numbers[place] += by
        return " ".join(map(repr, numbers))

    return change


def times(factor):
    """Return a change of a number."""
    return lambda text: repr(float(text) * factor)


def remove(path):
    """Return a cheat that removes an element, and leaves no gap."""

    def cheat(document, _):
        *above, last = path.split("/")
        element = named(document, *above[0].split(":")) if above else document.root
        for step in above[1:]:
            element = element.find(step) if element is not None else None
        assert element is not None
        detach(element, [element.elements(last)[0]])

    return cheat


def swap_links(document, _):
    children = list(document.root.children)
    places = [
        place
        for place, node in enumerate(children)
        if isinstance(node, Element) and node.name == "link"
    ]
    children[places[2]], children[places[3]] = children[places[3]], children[places[2]]
    document.root.children = children


def empty_text(path):
    """Return a cheat that empties the text of an element below the root."""

    def cheat(document, _):
        element = document.root
        for step in path:
            element = element.find(step) if element is not None else None
        assert element is not None and element.text().strip()
        element.set_text("")

    return cheat


CHEATS = [
    ("shift a visual", ARM, edit("link:base/visual/origin", "xyz", shift(0, 1e-6)), "base"),
    ("tilt a visual", ARM, edit("link:link2/visual/origin", "rpy", shift(2, 1e-6)), "link2"),
    (
        "shift a center of mass",
        ARM,
        edit("link:link2/inertial/origin", "xyz", shift(1, 1e-6)),
        "link2",
    ),
    ("scale a mass", ARM, edit("link:link2/inertial/mass", "value", times(1.000001)), "link2"),
    ("drop a collision", ARM, remove("link:link2/collision"), "link2"),
    (
        "another scale",
        ARM,
        edit("link:link4/visual/geometry/mesh", "scale", shift(0, 1e-6)),
        "link4",
    ),
    ("another box", ARM, edit("link:link2/visual/geometry/box", "size", shift(0, 1e-6)), "link2"),
    (
        "another material",
        ARM,
        edit("link:link2/visual/material", "name", lambda text: "gray"),
        "link2",
    ),
    ("move a limit", ARM, edit("joint:elbowPitch/limit", "upper", shift(0, 1e-9)), "elbowPitch"),
    (
        "another effort",
        ARM,
        edit("joint:elbowPitch/limit", "effort", lambda text: "61"),
        "elbowPitch",
    ),
    (
        "another calibration",
        ARM,
        edit("joint:shoulderPitch/calibration", "falling", times(-1)),
        "shoulderPitch",
    ),
    (
        "mimic of another joint",
        ARM,
        edit("joint:fingerRight/mimic", "joint", lambda _: "basePan"),
        "fingerRight",
    ),
    ("no mimic", ARM, remove("joint:fingerRight/mimic"), "fingerRight"),
    ("shift a joint", ARM, edit("joint:elbowPitch/origin", "xyz", shift(2, 1e-6)), "elbowPitch"),
    ("another type", ARM, edit("joint:elbowPitch", "type", lambda _: "continuous"), "elbowPitch"),
    ("another joint name", ARM, edit("joint:elbowPitch", "name", lambda _: "elbow"), "elbowPitch"),
    ("another order", ARM, swap_links, "order"),
    ("remove a gazebo element", QUADRUPED, remove("gazebo"), ""),
    ("empty a gazebo element", QUADRUPED, empty_text(["gazebo", "sensor", "update_rate"]), ""),
    ("empty a transmission", ARM, empty_text(["transmission", "type"]), ""),
]


@pytest.mark.parametrize(
    "robot, cheat, where", [cheat[1:] for cheat in CHEATS], ids=[cheat[0] for cheat in CHEATS]
)
def test_the_proof_catches(
    here,
    monkeypatch,
    capsys,
    robot,
    cheat,
    where,
):
    (here / "robot.urdf").write_bytes(robot.read_bytes())
    monkeypatch.setattr(apply_plan_passes, "PASSES", (*apply_plan_passes.PASSES, cheat))
    assert cli.main(["robot.urdf", "--yes"]) == 3
    said = capsys.readouterr()
    assert said.out == "" and list(listing(here)) == ["robot.urdf"]
    first, *rest = said.err.splitlines()
    assert first.startswith("error: robot.urdf: ") and where in first
    assert "nothing was written" in rest[0] and "please report it" in rest[1]
    assert rest[1].endswith(version.version_text())


def test_an_error_that_nobody_foresaw_is_a_fault_and_no_answer(
    capsys,
):
    """An exit status of 1 would say that a comparison found another robot."""

    def broken(words):
        raise KeyError("world")

    assert run_command(broken, []) == 3
    first, second, third = capsys.readouterr().err.splitlines()
    assert (
        first.startswith("error: KeyError: 'world' (test_main.py:")
        and second == "This is a fault of urdf_simplify:"
    )
    assert third.startswith("please report it together with the file and this line: ")
