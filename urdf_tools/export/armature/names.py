"""Names that Blender keeps as they are: at most 63 bytes, and each once."""
import hashlib
from typing import Dict, Iterable

MOST_BYTES = 63  # of names of bones and, up to Blender 4.5, of objects
DIGITS = 6  # of the digest that ends a shortened name


class Names:
    """Gives out names, each once."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self.taken: Dict[str, bool] = dict.fromkeys(used, True)

    def take(self, wanted: str) -> str:
        """Return a name, as wanted if it is short enough and free, else cut, with `~` and a digest of the whole."""
        name, count = wanted, 0
        while not name or name in self.taken or len(name.encode("utf-8")) > MOST_BYTES:
            digest = hashlib.sha256(f"{wanted}\0{count}".encode()).hexdigest()[:DIGITS]
            start = wanted.encode("utf-8")[:MOST_BYTES - DIGITS - 1].decode("utf-8", "ignore")  # whole letters only
            name, count = f"{start}~{digest}", count + 1
        self.taken[name] = True
        return name
