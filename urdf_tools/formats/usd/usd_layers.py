"""The layers of a stage: their files by name, also inside a `.usdz`, each read once, as text or as crate.

A file in an archive is named `robot.usdz[inner/layer.usda]`, as USD names it (OpenUSD, "usdz file format").
"""

from __future__ import annotations

import os
from io import BytesIO
from typing import Dict, List, Mapping, Optional, TYPE_CHECKING

from ...base.type_aliases import Pair
from ...base.errors import BrokenRobot, UsageError
from ...base.file_reading import read_file
from ...base.record_type import Record
from ...base.graph_walks import depth_first
from .prim_tree import Prim
from .read_usda import read_usda

if TYPE_CHECKING:
    from zipfile import ZipFile

ZIP = b"PK\3\4"
CRATE = b"PXR-USDC"
MOST_BYTES = 1 << 31  # of all layers of a stage
REMOTE = "://"
BROKEN_ZIP = (EOFError, OSError, RuntimeError, ValueError)


class UsdLayer(Record):
    """A file: a prim with its prims and the metadata of the layer; and all prims by path, with those in variants."""

    file: str
    top: Prim
    prims: Dict[str, Prim]


class LayerLoader:
    """Opens layers; `data` are bytes by name of files, which need not exist."""

    def __init__(self, data: Mapping[str, bytes]) -> None:
        """Begin with no layer open."""
        self._data = data
        self._archives: Dict[str, ZipFile] = {}
        self._layers: Dict[str, UsdLayer] = {}
        self._size = 0

    def open(self, file: str) -> UsdLayer:
        """Return a layer.

        Raises:
            UrdfError: it does not exist, is no layer, or all layers are too large together.
        """
        name = self.root_of(file)
        if name not in self._layers:
            data = self.bytes_of(name)
            self._size += len(data)
            if self._size > MOST_BYTES:
                raise UsageError("its layers have more than 2 GB together", file)
            top = _parsed(data, name)
            self._layers[name] = UsdLayer(name, top, _by_path(top))
        return self._layers[name]

    def root_of(self, file: str) -> str:
        """Return the name of a layer: an archive stands for its first file."""
        data = self._data.get(file)
        if file.endswith("]") or not (data or _beginning(file)).startswith(ZIP):
            return file
        # By the specification of usdz the first member is the root layer.
        members = self._archive(file).namelist()
        if not members:
            raise BrokenRobot("there is no file in this archive", file)
        return f"{file}[{members[0]}]"

    def bytes_of(self, file: str) -> bytes:
        """Return the bytes of a file, which may be in an archive.

        Raises:
            UrdfError: the file is missing, or is packed in a way that USD has not.
        """
        if file in self._data:
            return self._data[file]
        archive, member = split(file)
        if not member:
            return read_file(file)
        from zipfile import BadZipFile, ZIP_STORED  # slow to load, and few stages are archives

        try:
            info = self._archive(archive).getinfo(member)
            if info.compress_type != ZIP_STORED:
                raise BrokenRobot(f"'{member}' is compressed, and files of a usdz are not", archive)
            return self._archive(archive).read(info)
        except KeyError:
            raise BrokenRobot(f"'{member}' is not in it", archive) from None
        except (BadZipFile, *BROKEN_ZIP) as error:
            raise BrokenRobot(f"this archive is damaged: {error}", archive) from None

    def exists(self, file: str) -> bool:
        """Return True if a file exists, also in an archive; it may still be unreadable.

        Raises:
            UrdfError: the archive is damaged or cannot be read.
        """
        archive, member = split(file)
        if not member:
            return file in self._data or os.path.exists(file)
        return self.exists(archive) and member in self._archive(archive).namelist()

    def _archive(self, file: str) -> ZipFile:
        """Return an archive, which is opened once.

        Raises:
            BrokenRobot: it is no sound archive.
        """
        if file not in self._archives:
            from zipfile import BadZipFile, ZipFile

            try:
                self._archives[file] = ZipFile(BytesIO(self.bytes_of(file)))
            except (BadZipFile, *BROKEN_ZIP) as error:
                raise BrokenRobot(f"this archive is damaged: {error}", file) from None
        return self._archives[file]


def split(file: str) -> Pair:
    """Return the archive and the member of a name, or the name and ""."""
    if not file.endswith("]"):
        return file, ""
    archive, _, member = file[:-1].partition("[")
    return archive, member


def beside(file: str, asset: str) -> str:
    """Return the name of the file that a layer names: relative to that layer, within an archive to its member."""
    archive, member = split(file)
    # In an archive names are relative to the member, with slashes on every system.
    if member and not os.path.isabs(asset):
        inside = os.path.normpath(os.path.join(os.path.dirname(member), asset))
        return f"{archive}[{inside.replace(os.sep, '/')}]"
    return os.path.normpath(os.path.join(os.path.dirname(file), asset))


def _beginning(file: str) -> bytes:
    """Return the first bytes of a file, which tell its kind; none of a file that cannot be read."""
    try:
        with open(file, "rb") as stream:
            return stream.read(8)
    except (OSError, ValueError):
        return b""


def _parsed(data: bytes, file: str) -> Prim:
    """Return a prim that holds the prims of a layer, read as crate or as text."""
    if data.startswith(CRATE):
        from .read_crate import read_crate

        return read_crate(data, file)
    return read_usda(data, file)


def _by_path(top: Prim) -> Dict[str, Prim]:
    """Return the prims of a layer by path, with the prims of all variants."""

    def inside(prim: Prim) -> List[Prim]:
        """Return the children of a prim, and the prims of its variants."""
        prims = [*prim.children]
        for variants in prim.variants.values():
            prims += variants.values()
        return prims

    prims = {prim.path: prim for prim in depth_first(inside(top), inside)}
    return {**prims, "/": top}


def text_of(prim: Optional[Prim], key: str) -> str:
    """Return the text of a key of the metadata of a layer or a prim, "" without it."""
    value = prim.said.get(key) if prim is not None else None
    return value.text if value is not None else ""
