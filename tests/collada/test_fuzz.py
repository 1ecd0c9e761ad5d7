"""Mutated COLLADA files: an answer or one clear message, never a traceback, a hang, or part of an output."""

import random
import re
import tempfile
from functools import partial
from pathlib import Path
from typing import Any, List

import pytest
from conftest import examples, rare_of
from hypothesis import given
from hypothesis import strategies as st

HERE = Path(__file__).resolve().parent.parent
OWN = sorted((HERE.parent / "fixtures" / "dae").glob("*/*.dae"))
REAL = [
    HERE.parent.parent / "shared" / "dae" / f"{name}.dae"
    for name in ("cts_polygons_simple", "cts_node_transform_stack", "r200_no_up_axis_lines", "ur3e_base")
]
NASTY = [b"nan", b"-1", b"99999999999999999999", b"1e400", b"", b"0", b"1,5", b"-0.0", b"1e-320", b"\xff", b"<", b"&",
         b"1" * 500, b"\x00", b"0x10", b"3 " * 400]
SEEDS = st.integers(0, 2**32)

assert OWN


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Damage a file at a few places: bytes, words, whole tags, and its end."""
    for _ in range(chance.randint(1, 4)):
        kind, place = chance.randrange(7), chance.randrange(len(data) + 1)
        if kind == 0:
            data = data[:place] + bytes([chance.randrange(256)]) + data[place + 1 :]
        elif kind == 1:
            data = data[:place] + data[place + chance.randint(1, 60) :]
        elif kind == 2:
            end = place + chance.randint(1, 200)
            data = data[:end] + data[place:end] + data[end:]
        elif kind == 3:
            found: List[Any] = list(re.finditer(rb"[-+.\w]+", data[place : place + 400]))
            if found:
                word = chance.choice(found)
                data = data[: place + word.start()] + chance.choice(NASTY) + data[place + word.end() :]
        elif kind == 4:
            found = list(re.finditer(rb'"#?[^"<]*"', data))
            if found:
                one, other = chance.choice(found), chance.choice(found)
                data = data[: one.start()] + other.group() + data[one.end() :]
        elif kind == 5:
            found = list(re.finditer(rb"<(\w+)[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\2>", data))
            if found:
                gone = chance.choice(found)
                data = data[: gone.start()] + gone.group() * chance.choice([0, 0, 2]) + data[gone.end() :]
        elif chance.random() < 0.2:
            data = data[:place]
    return data


def try_it(tool: Any, path: Path, seed: int) -> None:
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        damaged, output = Path(folder, "damaged.dae"), Path(folder, "output")
        damaged.write_bytes(mutated(path.read_bytes(), chance))
        separate = chance.random() < 0.9
        options = tool.MeshOptions(merge_equal_colors=chance.random() < 0.5,
                                   planar=chance.choice(["keep"] if rare_of(tool) is None else ["keep", "merge"]),
                                   max_faces=chance.choice([0, 3, 1000]))
        converter = tool.MeshConverter(options, partial(rare_of, tool))
        try:
            conversion = tool.extract_conversion(str(damaged), str(output), converter, separate=separate)
        except (tool.BrokenMesh, tool.MalformedXml) as problem:
            assert problem.path == str(damaged)
            assert "\n" not in str(problem)
            assert not output.exists()
        else:
            assert sorted(str(file) for file in output.iterdir()) == sorted(part.file for part in conversion.parts)
            assert all(tool.stl_count(part.file) == part.triangles > 0 for part in conversion.parts)


@examples(40, fuzzed=100)
@given(path=st.sampled_from(OWN), seed=SEEDS)
def test_damaged_small_files(tool: Any, path: Path, seed: int) -> None:
    try_it(tool, path, seed)


@examples(20)
@given(number=st.integers(0, len(REAL) - 1), seed=SEEDS)
def test_damaged_real_files(tool: Any, shared: Path, number: int, seed: int) -> None:
    try_it(tool, REAL[number], seed)


@pytest.mark.parametrize("path", OWN[::9], ids=lambda path: path.stem)
def test_every_truncation(tool: Any, path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    damaged = tmp_path / "cut.dae"
    end = len(data.rstrip())
    for size in range(0, end, 37):
        damaged.write_bytes(data[:size])
        with pytest.raises((tool.MalformedXml, tool.BrokenMesh)):
            tool.extract_conversion(str(damaged), str(tmp_path / "output"), tool.MeshConverter(tool.MeshOptions()))
        assert not (tmp_path / "output").exists()


def test_deep_nesting(tool: Any, tmp_path: Path) -> None:
    path = tmp_path / "deep.dae"
    path.write_text("<COLLADA><library_visual_scenes><visual_scene>" + "<node>" * 90_000 + "</node>" * 90_000
                    + "</visual_scene></library_visual_scenes></COLLADA>")
    assert tool.convert_dae(str(path), str(tmp_path)).parts == ()


def test_one_endless_number(tool: Any, tmp_path: Path) -> None:
    path = tmp_path / "long.dae"
    path.write_text(
        (HERE.parent / "fixtures" / "dae" / "valid" / "matrix.dae").read_text().replace(" 5 ", f" {'5' * 3_000_000} ")
    )
    with pytest.raises(tool.BrokenMesh, match="a number of over 400 characters"):
        tool.convert_dae(str(path), str(tmp_path))
