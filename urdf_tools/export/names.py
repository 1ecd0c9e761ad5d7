"""Names that nothing else has yet."""
from typing import Iterable, Set


def unique(name: str, taken: Iterable[str]) -> str:
    """Return the name, or the first of `name_2`, `name_3`, ... that is not taken."""
    place, found = 1, name
    while found in taken:
        place += 1
        found = f"{name}_{place}"
    return found



def unused(name: str, taken: Set[str]) -> str:
    """Return a name that is not taken, and take it."""
    found = unique(name, taken)
    taken.add(found)
    return found
