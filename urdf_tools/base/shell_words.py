"""Words of a command line that can be pasted into any shell."""

from __future__ import annotations

import os
import re

UNQUOTED = re.compile(r"[\w%+=:./-]+", re.ASCII)  # not a comma or @, which PowerShell reads
READ_IN_QUOTES = re.compile(r'["$`\\!]')  # by sh, also in double quotes


def shell_word(text: str) -> str:
    """Return a word as sh, PowerShell and cmd.exe take it: in double quotes, as cmd.exe knows no others."""
    if os.name == "nt":
        return _word_of_windows(text)
    if UNQUOTED.fullmatch(text):
        return text
    if READ_IN_QUOTES.search(text):
        from shlex import quote

        return quote(text)
    return f'"{text}"'


def _word_of_windows(text: str) -> str:
    """Return a word as the C library of Windows splits a command line ("Parsing C command-line arguments")."""
    if UNQUOTED.fullmatch(text.replace("\\", "/")):
        return text
    # A backslash is itself, but in front of a quotation mark, also of the last one.
    escaped = re.sub(r'(\\*)"', r'\1\1\\"', text)
    return '"' + re.sub(r"(\\+)$", r"\1\1", escaped) + '"'
