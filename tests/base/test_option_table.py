"""Options to paste reach, through a shell and the command line, the one name that they are about."""

import os
import shlex
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, strategies as st

from urdf_tools.base.option_table import pasted
from urdf_tools.cli.parse_arguments import parse
from urdf_tools.run.single_file_options import OPTION_ROWS

NAMES = st.text(st.sampled_from("ab-@[]*?!'\"$ \\=#~é"), min_size=1, max_size=8)


@given(NAMES, NAMES)
def test_an_option_to_paste_means_one_name(name, other):
    words = shlex.split(f"robot.urdf {pasted('--keep', name)} -n", comments=True)
    arguments = parse("simplify", OPTION_ROWS, words)
    (glob,) = arguments.keep
    assert (
        arguments.dry_run
        and fnmatchcase(name, glob)
        and fnmatchcase(other, glob) is (name == other)
    )


@pytest.mark.parametrize(
    "name, text",
    [
        ("tool0", "--keep tool0"),
        ("cam[1]", '--keep "cam[[]1]"'),
        # cmd.exe knows no other quotes, and reads no $.
        ("cam$HOME", "--keep 'cam$HOME'" if os.name == "posix" else '--keep "cam$HOME"'),
        ("-cam", '--keep "[-]cam"'),
        ("@cam", '--keep "[@]cam"'),
        ("cam link", '--keep "cam link"'),
        ("cam'x", '--keep "cam\'x"'),
    ],
)
def test_how_it_is_written(name, text):
    assert pasted("--keep", name) == text
