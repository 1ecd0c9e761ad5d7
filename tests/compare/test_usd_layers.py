"""Layers of USD as text and as crate: lists that a stronger layer edits, empty arrays, and tables that are no crate's."""

import struct

import pytest
from conftest import ROOT

from urdf_tools.base.errors import BrokenRobot
from urdf_tools.formats.usd.compose_stage import read_stage
from urdf_tools.formats.usd.usd_layers import LayerLoader

PRIM = 6  # the kind of a spec (SdfSpecType)
FOLDER = ROOT / "fixtures" / "usd" / "edits"
MASS, COLLISION, BODY = "PhysicsMassAPI", "PhysicsCollisionAPI", "PhysicsRigidBodyAPI"
EDITED = {  # counted by hand; usd-core says the same (tests/judges/test_usd_of_others.py)
    "prepend": ((BODY, COLLISION, MASS), ("/z", "/y", "/x")),
    "append": ((COLLISION, MASS, BODY), ("/y", "/x", "/z")),
    "delete": ((COLLISION,), ("/y",)),
    "explicit": ((BODY,), ("/z",)),
    "empty": ((), ()),
    "untouched": ((MASS, COLLISION), ("/x", "/y")),
}


def edited(top, base, tmp_path):
    """Return the prims, by name, of a stronger layer over a weaker one, each of an ending."""
    for name, ending in (("top", top), ("base", base)):
        (tmp_path / f"{name}.{ending}").write_bytes((FOLDER / f"{name}.{ending}").read_bytes())
    # The stronger layer names the weaker one with its own ending; what is behind that is read by its first bytes.
    (tmp_path / f"base.{base}").rename(tmp_path / f"base.{top}")
    stage, notes, _ = read_stage(LayerLoader({}), str(tmp_path / f"top.{top}"))
    assert notes == []
    return {prim.name: prim for prim in stage.children}


@pytest.mark.parametrize("top", ["usda", "usdc"])
@pytest.mark.parametrize("base", ["usda", "usdc"])
def test_a_stronger_layer_edits_lists_as_text_and_as_crate(top, base, tmp_path):
    prims = edited(top, base, tmp_path)
    assert {name: (prim.schemas, prim.targets("to")) for name, prim in prims.items()} == EDITED


@pytest.mark.parametrize("ending", ["usda", "usdc"])
def test_an_array_of_nothing_is_empty(ending, tmp_path):
    prim = edited(ending, ending, tmp_path)["untouched"]
    assert prim.words("words") == ()
    widths = {"numbers": 1, "points": 3, "indices": 1}
    assert [list(prim.many(name, width)) for name, width in widths.items()] == [[], [], []]


def packed(numbers):
    """Return integers as a crate packs them: differences of four bytes, in an LZ4 block without any repetition."""
    differences = [b - a for a, b in zip([0, *numbers], numbers)]
    # Two bits for each number, the first one lowest: 3 says that it has four bytes.
    codes = (4 ** len(numbers) - 1).to_bytes((len(numbers) + 3) // 4, "little")
    plain = struct.pack(f"<i{len(codes)}s{len(differences)}i", 0, codes, *differences)
    more = len(plain) - 15
    block = bytes([0, 0xF0, *[255] * (more // 255), more % 255]) + plain
    return struct.pack("<Q", len(block)) + block


def section(data, name):
    """Return the offset in the contents of a crate that says where a section begins."""
    (contents,) = struct.unpack_from("<q", data, 16)
    (count,) = struct.unpack_from("<q", data, contents)
    entries = range(contents + 8, contents + 8 + 32 * count, 32)
    return next(at for at in entries if data[at : at + 16].rstrip(b"\0") == name) + 16


def with_specs(data, paths):
    """Return a crate in which the specs have these paths, in a new table at its end, and one path more than it names."""
    found = bytearray(data)
    (start,) = struct.unpack_from("<q", data, section(data, b"PATHS"))
    (count,) = struct.unpack_from("<Q", data, start)
    struct.pack_into("<Q", found, start, count + 1)
    columns = packed(paths) + packed([0] * len(paths)) + packed([PRIM] * len(paths))
    table = struct.pack("<Q", len(paths)) + columns
    struct.pack_into("<qq", found, section(data, b"SPECS"), len(data), len(table))
    return bytes(found) + table, count


@pytest.mark.parametrize("third", ["again", "beyond", "unnamed"])
def test_each_spec_has_a_path_of_its_own(third):
    """The first two are sound, so the sentence is about the third."""
    data = (FOLDER / "base.usdc").read_bytes()
    _, count = with_specs(data, [0, 1])
    path = {"again": 1, "beyond": 9999, "unnamed": count}[third]
    spoilt, _ = with_specs(data, [0, 1, path])
    with pytest.raises(BrokenRobot, match=f"spec {path} has no path of its own"):
        read_stage(LayerLoader({"r.usdc": spoilt}), "r.usdc")
