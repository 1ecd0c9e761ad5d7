"""The release, and whether the text of a copied single file is still the text of the release."""

from __future__ import annotations

import re
from typing import Optional

__version__ = "0.3.0"
OWN_NOTE = (
    r"urdf_simplify [0-9][^\s:]*: "  # how a comment begins that this tool wrote, in any release
)

# Empty in the package. In the single file this one line is filled in with the digest of that file.
SOURCE_DIGEST = ""


def source_digest(source: bytes) -> str:
    """Return the SHA-256 of a source text as 64 hex digits, without the parts that copying alone may change.

    That is: a byte order mark, CRLF line ends, the `#!` line, and the value of SOURCE_DIGEST itself.
    """
    import hashlib  # imported here: it is slow to load and only --version needs it

    text = source[3:] if source.startswith(b"\xef\xbb\xbf") else source
    text = text.replace(b"\r\n", b"\n")
    text = re.sub(rb"\A#![^\n]*\n", b"", text)
    text = re.sub(rb'(?m)^SOURCE_DIGEST = "[0-9a-f]*"$', b'SOURCE_DIGEST = ""', text, count=1)
    return hashlib.sha256(text).hexdigest()


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


def version_text() -> str:
    """Return name, release and source, such as `urdf_simplify 0.3.0 (source 3f9a1c2b5d6e, modified)`.

    Reads and hashes the file that it is in, so it is for --version only.
    """
    if not SOURCE_DIGEST:
        return f"urdf_simplify {__version__} (package)"
    source = own_source()
    if source is None:
        state = ", not verified: its text cannot be read"
    else:
        state = "" if source_digest(source) == SOURCE_DIGEST else ", modified"
    return f"urdf_simplify {__version__} (source {SOURCE_DIGEST[:12]}{state})"
