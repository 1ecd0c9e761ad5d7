"""Completion in shells: each option of each command is offered where it is taken, and values that have a list."""

import shutil
import subprocess

import pytest

from urdf_tools.app.command_table import main
from urdf_tools.app.shell_completion import completion_of, SHELLS
from urdf_tools.app.package_options import TABLE
from urdf_tools.base.option_table import rows_of
from urdf_tools.cli.parse_arguments import VERBS

BASH = shutil.which("bash")


def offered(words, folder):
    """Return what bash offers for the last word of a command line, in a folder."""
    if BASH is None:
        pytest.skip("there is no bash")
    script = "\n".join(
        [
            *completion_of("bash"),
            'COMP_WORDS=("$@")',
            "COMP_CWORD=$(($#-1))",
            "_urdf_simplify",
            'printf "%s\\n" "${COMPREPLY[@]}"',
        ]
    )
    done = subprocess.run(
        [BASH, "-c", script, "bash", *words], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return sorted(done.stdout.split())


@pytest.mark.parametrize("verb", VERBS)
def test_each_command_offers_its_options_and_no_others(verb, tmp_path):
    words = ["urdf-simplify", *([verb] if verb != "simplify" else []), "robot.urdf", "--"]
    own = [row.spelling for row in rows_of(verb, TABLE)]
    assert offered(words, tmp_path) == sorted([*own, "--help", "--version"])


@pytest.mark.parametrize(
    "words, expected",
    [
        ("", [*VERBS, "arm.urdf"]),
        ("ex", ["explain", "export"]),
        ("edit ", ["arm.urdf"]),
        ("a", ["arm.urdf"]),
        ("export arm.urdf --for m", ["mujoco"]),
        ("edit --lo", ["--lock"]),
        ("lint --format s", ["sarif"]),
        ("arm.urdf --keep-s", ["--keep-signs"]),
        ("pairs arm.urdf --lock", []),
    ],
)
def test_what_is_offered(words, expected, tmp_path):
    (tmp_path / "arm.urdf").write_text("<robot/>", encoding="utf-8")
    assert offered(["urdf-simplify", *words.split(" ")], tmp_path) == sorted(expected)


def test_fish_has_a_line_for_each_option():
    lines = completion_of("fish")
    assert len(lines) == len(VERBS) + sum(len(rows_of(verb, TABLE)) for verb in VERBS)
    assert not [line for line in lines if "{output}" in line]
    assert any(
        "-l for" in line and "mujoco drake" in line and "from export" in line for line in lines
    )


def test_the_command_prints_it(capsys):
    for shell in SHELLS:
        assert main(["--completion", shell]) == 0
        assert capsys.readouterr().out.splitlines() == completion_of(shell)
    assert main(["--completion", "csh"]) == 2
    assert capsys.readouterr().err == "error: --completion csh: give bash, zsh or fish\n"
