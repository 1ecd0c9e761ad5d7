"""Words to paste: sh takes each as it is, and cmd.exe and PowerShell find no single quotes where none are needed."""

import os
import shlex

import pytest
from hypothesis import example, given, strategies as st

from urdf_tools.base.shell_words import shell_word

LETTERS = "aZ9_*?[]{}()<>|&;,@#~ %+=:./-'\u00fc"


@example("")
@example("left_*")
@example("a,b")
@example("@limits.csv")
@given(st.text(LETTERS, max_size=9))
def test_double_quotes_do_in_every_shell(word):
    pasted = shell_word(word)
    assert shlex.split(pasted) == [word]
    assert pasted in (word, f'"{word}"')


@given(st.text(LETTERS + '"$`\\!\n', max_size=9))
def test_sh_takes_every_word(word):
    assert shlex.split(shell_word(word)) == [word]


@pytest.mark.parametrize(
    "word, pasted",
    [
        ("C:\\robots\\arm.urdf", "C:\\robots\\arm.urdf"),
        ('a "b" c', '"a \\"b\\" c"'),
        ("C:\\my robots\\", '"C:\\my robots\\\\"'),
        ("waist_*", '"waist_*"'),
        ("arm.urdf", "arm.urdf"),
    ],
)
def test_a_word_for_windows(monkeypatch, word, pasted):
    monkeypatch.setattr(os, "name", "nt")
    found = shell_word(word)
    monkeypatch.undo()
    assert found == pasted
