"""The question at a terminal: every answer has a sentence, and only the whole word yes writes."""

import os
import re
import select
import struct
import sys
import traceback

import golden
import pytest
from xml.sax.saxutils import quoteattr
from commands import PACKAGE, run, until_it_reads
from engine import main

from urdf_tools import __version__

# Terminals of POSIX.
fcntl, pty, termios = map(pytest.importorskip, ("fcntl", "pty", "termios"))

QUESTION, WHOLE_WORD = (
    "Proceed? (yes/no/?): ",
    "Type yes in full to write, no to write nothing, or ? for more.",
)
NOTHING = "Nothing was written."
EXPECTED = golden.FIXTURES / "odd" / "mimic_chain" / "expected.urdf"
REACH = golden.FIXTURES / "compare" / "reach.urdf"
PLAIN = {"TERM": "xterm", "NO_COLOR": "1"}
END_OF_INPUT, INTERRUPT = b"\x04", b"\x03"


def at_a_terminal(answers, *words, environment=PLAIN, columns=80):
    """Run at a terminal, answer each question, and return the exit status and all that was shown."""
    process, terminal = pty.fork()
    if not process:
        in_a_child(["robot.urdf", *words], environment, columns)
    try:
        shown = answered(process, terminal, answers)
        status = os.waitpid(process, 0)[1]
        return os.WEXITSTATUS(status), shown.decode().replace("\r\n", "\n")
    finally:
        os.close(terminal)


def in_a_child(words, environment, columns):
    """Run the command line in a process that has a terminal of its own, without the start of a Python; never return."""
    status = 70
    try:
        os.environ.pop("NO_COLOR", None)
        os.environ.update(environment)
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        sys.stdin, sys.stdout, sys.stderr = (
            os.fdopen(number, mode, encoding="utf-8") for number, mode in enumerate("rww")
        )
        status = main(words)
        sys.stdout.flush()
        sys.stderr.flush()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


def answered(process, terminal, answers):
    """Answer each question, one after the other; return all that was shown."""
    shown, asked, waiting = b"", 0, list(answers)
    while True:
        assert select.select([terminal], [], [], 60)[0], shown
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # Linux says so when the process has left the terminal
            break
        if not piece:
            break
        shown += piece
        if shown.count(b"(yes/no/?):") > asked and re.search(
            rb"\(yes/no/\?\):(\x1b\[0m)? $", shown
        ):
            asked += 1
            until_it_reads(process)
            os.write(terminal, waiting.pop(0))
    assert not waiting, "not every answer was asked for"
    return shown


@pytest.mark.parametrize(
    "answers",
    [
        {b"yes\n": "Done!"},
        {b"YES \n": "Done!"},
        {b"--keep-signs\n": "all signs kept", b"yes\n": "Done!"},
        {
            b"--keep-sings\n": "unknown option --keep-sings (did you mean '--keep-signs'?)",
            b"--base-frame ross\n": "error: --base-frame",
            b"--keep-signs\n": "all signs kept",
            b"yes\n": "Done!",
        },
        {
            b"y\n": WHOLE_WORD,
            b"\n": WHOLE_WORD,
            b"maybe\n": WHOLE_WORD,
            b"all\n": "\nProof\n",
            b"?\n": "type options to plan again",
            b"diff\n": "+++ ",
            b"yes\n": "Done!",
        },
    ],
)
def test_answers_that_write(folder, answers):
    status, shown = at_a_terminal([*answers])
    first, *after = shown.split(QUESTION)
    assert (status, len(after)) == (0, len(answers)) and NOTHING not in shown
    assert all(said in text for said, text in zip(answers.values(), after))
    assert "\nKinematic tree: " in first and "\nProof\n" not in first
    assert all(
        "\n   writes robot_simplified.urdf\n" in text
        for text in (first, *(text for text in after if "\nProof\n" in text))
    )
    assert sorted(path.name for path in folder.iterdir()) == ["robot.urdf", "robot_simplified.urdf"]


@pytest.mark.parametrize(
    "answers, asked, said",
    [
        ([b"n\n"], 1, NOTHING),
        ([b"y\n", b"y\n", b"\n", b"maybe\n", b"?\n", b"no\n"], 6, NOTHING),
        ([END_OF_INPUT], 1, NOTHING[:-1]),
        ([INTERRUPT], 1, f"Stopped. {NOTHING}"),
        ([b"y\n", INTERRUPT], 2, f"Stopped. {NOTHING}"),
    ],
)
def test_answers_that_do_not(folder, answers, asked, said):
    status, shown = at_a_terminal(answers)
    assert (
        (status, shown.count(QUESTION)) == (1, asked)
        and said in shown.splitlines()[-1]
        and "Traceback" not in shown
    )
    assert [path.name for path in folder.iterdir()] == ["robot.urdf"]


@pytest.mark.parametrize(
    "words, asked",
    [
        ([], False),
        (["-q"], False),
        (["--full"], False),
        (["--base-frame", "ros"], False),
        (["-o", "copy.urdf"], True),
        (["--report", "r.json"], True),
        (["--page", "r.html"], True),
    ],
)
def test_what_needs_no_change_is_the_result(folder, words, asked):
    """At a terminal nobody is asked for a copy; what an option asks for is still written."""
    (folder / "robot.urdf").write_bytes(golden.with_version(EXPECTED.read_bytes(), __version__))
    status, shown = at_a_terminal([b"yes\n"] * asked, *words)
    said = "robot.urdf is the result: nothing was written (-o FILE writes a copy)"
    assert status == 0 and (said in shown.splitlines()[-1:]) is (not asked and words != ["-q"])
    assert (QUESTION in shown) is asked and (len([*folder.iterdir()]) > 1) is asked
    assert run(PACKAGE, "robot.urdf", "-y").returncode == 0  # a script gets its file
    assert (folder / "robot_simplified.urdf").read_bytes() == (folder / "robot.urdf").read_bytes()


def test_a_question_mark_explains_the_answers(folder):
    _, shown = at_a_terminal([b"?\n", b"no\n"])
    assert [line.split()[0] for line in shown.split(QUESTION)[1].splitlines()[1:]] == [
        "yes",
        "no",
        "all",
        "diff",
        "page",
        "or",
    ]


def test_options_in_a_pipe_are_no_answer(folder):
    done = run(PACKAGE, "robot.urdf", answer=b"--keep-signs\nyes\n")
    said = "'--keep-signs', not 'yes'; options are an answer at a terminal only: add them to the command."
    assert done.returncode == 1 and done.stdout.decode().splitlines()[-1].endswith(said)
    assert [path.name for path in folder.iterdir()] == ["robot.urdf"]


@pytest.mark.parametrize(
    "words, environment, colored",
    [
        ([], {"TERM": "xterm"}, True),
        ([], PLAIN, False),
        ([], {"TERM": "dumb"}, False),
        (["--color=never"], {"TERM": "xterm"}, False),
        (["--color", "always"], PLAIN, True),
    ],
)
def test_color(folder, words, environment, colored):
    _, shown = at_a_terminal([b"diff\n", b"no\n"], *words, environment=environment)
    assert ("\033[1mProceed? (yes/no/?):\033[0m" in shown) is ("\033[" in shown) is colored
    assert ("\033[32m+" in shown and "\033[31m-" in shown and "\033[36m@@" in shown) is colored
    status, shown = at_a_terminal([], "--base-frame=up", *words, environment=environment)
    assert status == 2 and shown.startswith("\033[31m") is colored


@pytest.mark.parametrize("columns, widest", [(20, 60), (100, 100), (250, 120), (0, 80)])
def test_text_is_as_wide_as_the_terminal(folder, columns, widest):
    for words, answers in ((["-n", "--full"], []), (["--help"], [])):
        shown = at_a_terminal(answers, *words, columns=columns)[1]
        # To be pasted.
        lines = [line for line in shown.splitlines() if not line.startswith("  python3 -m")]
        assert widest - 12 < max(map(len, lines)) <= widest, words
    assert max(map(len, run(PACKAGE, "--help").stdout.decode().splitlines())) <= 80


@pytest.mark.parametrize(
    "words, codes",
    [
        (
            ["lint", golden.FIXTURES / "humanoid" / "robot.urdf"],
            {"31": "error[same-name]: joint", "33": "warning[left-right]"},
        ),
        (["lint", golden.FIXTURES / "edit" / "hand.urdf"], {"32": "OK: no errors in 1 file"}),
        (["compare", REACH, REACH], {"32": "Same robot: exactly"}),
        (
            ["compare", REACH, REACH.with_name("reach_of_another_vendor.urdf")],
            {"33": "Same motion, different masses"},
        ),
        (
            ["compare", REACH, REACH.with_name("reach_exported_again.urdf")],
            {"31": "Different robot"},
        ),
    ],
)
def test_colors_mean_good_bad_and_look_again(words, codes):
    shown = run(PACKAGE, *map(str, words), "--color=always").stdout.decode()
    for code, text in codes.items():
        assert f"\033[{code}m{text}" in shown
    assert "\033[" not in run(PACKAGE, *map(str, words)).stdout.decode()


def test_color_in_a_pipe(folder):
    for words, colored in (([], False), (["--color=always"], True)):
        assert (b"\033[" in run(PACKAGE, "robot.urdf", "-n", *words).stdout) is colored


def chain(links):
    """Return a robot of links in a row, each joint on the link before."""
    names = [f"segment_{number}_link" for number in range(links)]
    joints = "".join(
        f'<joint name="to_{child}" type="continuous"><parent link="{parent}"/><child link="{child}"/></joint>'
        for parent, child in zip(names, names[1:])
    )
    return f"<robot name='c'>{''.join(f'<link name={quoteattr(name)}/>' for name in names)}{joints}</robot>"


@pytest.mark.parametrize("links", [2, 9, 12, 20, 37])
def test_the_tree_shows_each_level_further_right(folder, links):
    (folder / "robot.urdf").write_text(chain(links), encoding="utf-8")
    shown = run(PACKAGE, "robot.urdf", "-n", "--full").stdout.decode()
    tree = shown.split(f"Kinematic tree: {links} links\n")[1].split("\n\n")[0]
    starts = [line.index("segment_") for line in tree.splitlines() if "segment_" in line]
    steps = {after - before for before, after in zip(starts, starts[1:])}
    assert len(starts) == links and len(steps) == 1 and 1 <= steps.pop() <= 4
    assert max(map(len, tree.splitlines())) <= 80


def test_an_export_asks_before_it_replaces_and_only_then(folder):
    """A script that answers nothing gets new files, and never loses one."""
    target = folder / "robot.xml"
    assert run(PACKAGE, "export", "robot.urdf", "robot.xml").returncode == 0
    first = target.read_bytes()
    assert QUESTION not in run(PACKAGE, "export", "robot.urdf", "new.sdf").stdout.decode()
    target.write_bytes(b"mine")
    done = run(PACKAGE, "export", "robot.urdf", "robot.xml")
    assert (done.returncode, target.read_bytes()) == (1, b"mine")
    assert QUESTION in done.stdout.decode()
    assert run(PACKAGE, "export", "robot.urdf", "robot.xml", "two.sdf").returncode == 1
    assert target.read_bytes() == b"mine" and not (folder / "two.sdf").exists()
    assert run(PACKAGE, "export", "robot.urdf", "robot.xml", answer=b"yes\n").returncode == 0
    assert target.read_bytes() == first
