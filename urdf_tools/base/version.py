"""The release, and whether the text of a copied single file is still the text of the release."""

from __future__ import annotations

from functools import lru_cache
from typing import Optional

__version__ = "0.3.0.dev0"
# How a comment begins that this tool wrote, in any release, also by an edited copy.
SIGNATURE = r"urdf_simplify [0-9][^\s:]*(?:, modified)?"
OWN_NOTE = SIGNATURE + ": "

# Empty in the package. In the single file this one line is filled in with the digest of that file.
SOURCE_DIGEST = ""


def source_digest(source: bytes) -> str:
    """Return the CRC-32 of a source text as 8 hex digits, without the parts that copying alone may change.

    That is: a byte order mark, CRLF line ends, the `#!` line, and the value of SOURCE_DIGEST itself.
    """
    from zlib import (
        crc32,
    )  # the package does not need it; every run of the single file does, so that it must be fast

    text = source[3:] if source.startswith(b"\xef\xbb\xbf") else source
    if b"\r" in text:
        text = text.replace(b"\r\n", b"\n")
    if text.startswith(b"#!"):
        text = text.partition(b"\n")[2]
    before, mark, rest = text.partition(b'\nSOURCE_DIGEST = "')
    _, quote, after = rest.partition(b'"')
    return f"{crc32(after, crc32(before + mark + quote)):08x}"


def own_source() -> Optional[bytes]:
    """Return the text this function was compiled from, or None where it cannot be found.

    The code object contains its file name in every way of loading (script, import, by path without `sys.modules`), also
    if nothing sets `__file__`; the loader comes first because it can read out of a zip archive.
    """
    path = own_source.__code__.co_filename
    try:
        get_data = getattr(globals().get("__loader__"), "get_data", None)
        if get_data is not None:
            return bytes(get_data(path))
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return None


@lru_cache(maxsize=None)
def source_state() -> str:
    """Return "modified" if the text of the single file was edited, why it is not known, or "" for the text of the release."""
    if not SOURCE_DIGEST:
        return ""
    source = own_source()
    if source is None:
        return "not verified: its text cannot be read"
    return "" if source_digest(source) == SOURCE_DIGEST else "modified"


def signature() -> str:
    """Return the name and the release that sign a result; an edited copy of the single file says so."""
    edited = ", modified" if source_state() == "modified" else ""
    return f"urdf_simplify {__version__}{edited}"


def version_text() -> str:
    """Return name, release and source, such as `urdf_simplify 0.3.0 (source 3f9a1c2b, modified)`."""
    if not SOURCE_DIGEST:
        return f"urdf_simplify {__version__} (package)"
    state = source_state()
    shown = f", {state}" if state else ""
    return f"urdf_simplify {__version__} (source {SOURCE_DIGEST}{shown})"
