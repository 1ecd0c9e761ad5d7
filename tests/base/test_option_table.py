"""Words of a command line: how options are spelled; those to paste reach, through a shell, the one name they name."""
import shlex
from fnmatch import fnmatchcase
from typing import List

import pytest
from hypothesis import given
from hypothesis import strategies as st

from urdf_tools.base.errors import Unusable
from urdf_tools.base.option_table import pasted
from urdf_tools.cli.arguments import parse_arguments
from urdf_tools.export.argument_files import expand_files

NAMES = st.text(st.sampled_from("ab-@[]*?!'\"$ \\=#~é"), min_size=1, max_size=8)


@given(NAMES, NAMES)
def test_an_option_to_paste_means_one_name(name: str, other: str) -> None:
    words = shlex.split(f"robot.urdf {pasted('--keep', name)} -n", comments=True)
    arguments = parse_arguments(expand_files(words))
    (glob,) = arguments.keep
    assert arguments.dry_run and fnmatchcase(name, glob) and fnmatchcase(other, glob) is (name == other)


@pytest.mark.parametrize("name, text", [
    ("tool0", "--keep tool0"), ("cam[1]", "--keep 'cam[[]1]'"), ("cam$HOME", "--keep 'cam$HOME'"),
    ("-cam", "--keep '[-]cam'"), ("@cam", "--keep '[@]cam'"), ("cam link", "--keep 'cam link'"),
    ("cam'x", "--keep 'cam'\"'\"'x'")])
def test_how_it_is_written(name: str, text: str) -> None:
    assert pasted("--keep", name) == text


@pytest.mark.parametrize("words", [["-oout"], ["-o", "out"], ["-o=out"], ["--output", "out"], ["--output=out"],
                                   ["-yoout"], ["-o", "other", "-n", "-oout"]])
def test_spellings_of_a_value(words: List[str]) -> None:
    for line in (["robot.urdf", *words], [*words, "robot.urdf"], [*words, "--", "robot.urdf"]):
        arguments = parse_arguments(line)
        assert (arguments.input_urdf, arguments.output, arguments.others) == ("robot.urdf", "out", [])


def test_words_that_begin_with_a_hyphen() -> None:
    assert parse_arguments(["-yn", "--", "-n"]).input_urdf == "-n"
    assert parse_arguments(["-", "-n"]).input_urdf == "-"
    assert parse_arguments(["robot.urdf", "--scale", "-1e-3"]).scale == -1e-3
    for words, message in ((["--keep", "-n"], "--keep: expected one argument"), (["-o"], "-o/--output: expected one"),
                           (["-nz"], "unknown option -z"), (["--yes=no"], "--yes: ignored explicit argument 'no'")):
        with pytest.raises(Unusable, match=f"^{message}"):
            parse_arguments(["robot.urdf", *words])
