"""Arguments from a file: `@choices.txt` on the command line."""
import shlex
from typing import Iterator, List, Sequence

from ..base.errors import UsageError
from ..base.files import read_file


def expand_files(words: Sequence[str]) -> List[str]:
    """Return the words of all `@file` words, then the others, so that an option on the command line overrules a file.

    Raises:
        UsageError: a file cannot be read, is not UTF-8, has an open quote, or names another.
    """
    inside = [inner for word in words if word.startswith("@") for inner in _words_of_file(word[1:])]
    return [*inside, *(word for word in words if not word.startswith("@"))]


def _words_of_file(path: str) -> Iterator[str]:
    """Yield the words of a file: many to a line, quoted as in a shell, with `#` comments."""
    if not path:
        raise UsageError("@ names no file")
    try:
        lines = read_file(path).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise UsageError(f"this file of arguments is not UTF-8 (byte {error.start})", path) from None
    for number, line in enumerate(lines, 1):
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise UsageError(f"{str(error).lower()} in this file of arguments", path, number) from None
        if any(word.startswith("@") for word in words):
            raise UsageError("a file of arguments cannot name another", path, number)
        yield from words
