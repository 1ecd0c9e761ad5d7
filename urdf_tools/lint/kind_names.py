"""The kinds of findings that an option names."""
from fnmatch import fnmatchcase
from typing import List, Sequence

from ..base.errors import did_you_mean, UsageError


def kinds_named(spelled: str, given: Sequence[str], known: Sequence[str]) -> List[str]:
    """Return the kinds that globs name; a value may have several, separated by commas.

    Raises:
        UsageError: a glob matches no kind.
    """
    kinds: List[str] = []
    for glob in (word.strip() for words in given for word in words.split(",")):
        matching = [kind for kind in known if fnmatchcase(kind, glob)]
        if not matching:
            raise UsageError(f"{spelled} {glob}: unknown kind{did_you_mean(glob, known)}; explain lists them")
        kinds += matching
    return kinds
