"""Names for mesh files: safe on Windows, macOS and Linux, in URLs and in XML, and unique whatever the case."""
import unicodedata
from typing import Set
from zlib import crc32

LONGEST_STEM = 80
SAFE_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")
WINDOWS_DEVICES = frozenset(["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$",
                             *(f"{port}{digit}" for port in ("COM", "LPT") for digit in range(10))])


def safe_stem(text: str, fallback: str) -> str:
    """Return a file stem made of ASCII letters, digits, `.`, `_` and `-`; `fallback` if nothing of it remains."""
    plain = unicodedata.normalize("NFKD", text)
    letters = [letter if letter in SAFE_CHARACTERS else "_" for letter in plain if not unicodedata.combining(letter)]
    stem = "_".join(piece for piece in "".join(letters).split("_") if piece).strip("._-")
    if not stem:
        return fallback
    if len(stem) > LONGEST_STEM:
        stem = f"{stem[:LONGEST_STEM]}_{crc32(text.encode('utf-8', 'replace')):08x}"
    return f"_{stem}" if stem.partition(".")[0].upper() in WINDOWS_DEVICES else stem


def unique_stem(stem: str, used: Set[str], ending: str = "") -> str:
    """Return stem and ending, with `_2`, `_3`, ... between them if need be, and add it, casefolded, to `used`."""
    number, candidate = 1, stem + ending
    while candidate.casefold() in used:
        number += 1
        candidate = f"{stem}_{number}{ending}"
    used.add(candidate.casefold())
    return candidate
