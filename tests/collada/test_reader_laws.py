"""Laws of the COLLADA reader on random scenes: what may be written in many ways reads as the same triangles.

Mutated COLLADA files: an answer or one clear message, never a traceback, a hang, or part of an output.
"""

import gc
import io
import itertools
import math
import random
import re
import tempfile
from array import array
from operator import mul
from pathlib import Path

import pytest
from conftest import converter_of, examples, rare_of
from dae_writer import document, geometry, inputs, instance, node, paragraph, primitive, source
from hypothesis import given, strategies as st

from urdf_tools.collada.stl_part_writer import moved_column
from urdf_tools.collada.collada_scene import rotate_element
from urdf_tools.urdf.spatial_math import move


COORDINATE = st.integers(-50, 50).map(lambda n: n / 4)  # quarters are exact in float32
POINT = st.tuples(COORDINATE, COORDINATE, COORDINATE)
EXAMPLES = examples(fuzzed=40)


def read(tool, text, **options):
    """The triangles of a document, in order, without their normals."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "model.dae")
        path.write_text(text, "utf-8")
        parts = tool.convert_dae(
            str(path), folder, tool.DaeOptions(**options, rare=rare_of(tool))
        ).parts
        return [triangle[1:] for part in parts for triangle in tool.stl_triangles(part.file)]


def has_area(triangle):
    a, b, c = triangle
    u, v = [q - p for p, q in zip(a, b)], [q - p for p, q in zip(a, c)]
    return any(u[i - 1] * v[i - 2] != u[i - 2] * v[i - 1] for i in range(3))


def plain(points, triangles):
    found = [tuple(tuple(float(x) for x in points[i]) for i in triangle) for triangle in triangles]
    return [triangle for triangle in found if has_area(triangle)]


def in_scene(sources, primitives, transform=""):
    return document(geometry("g", sources, primitives), node(transform + instance("g")))


@pytest.mark.parametrize("row", [*itertools.product((0.0, 2.0), repeat=4)])
def test_a_moved_coordinate_is_the_sum_of_its_terms(row):
    columns = tuple(array("d", numbers) for numbers in ((1.0, 2.0), (4.0, 8.0), (16.0, 32.0)))
    sums = [sum(map(mul, row, (*point, 1.0))) for point in zip(*columns)]
    assert list(moved_column(row, columns)) == sums


@pytest.mark.parametrize(
    ("axis", "turned"), [((2, 0, 0), (1, -3, 2)), ((0, 2, 0), (3, 2, -1)), ((0, 0, 2), (-2, 1, 3))]
)
def test_a_quarter_turn_about_each_axis(axis, turned):
    assert move(rotate_element((*axis, 90)), (1, 2, 3)) == pytest.approx(turned)


@EXAMPLES
@given(points=st.lists(POINT, min_size=3, max_size=8), data=st.data())
def test_strides_offsets_and_inputs_do_not_matter(tool, points, data):
    corner = st.integers(0, len(points) - 1)
    triangles = data.draw(st.lists(st.tuples(corner, corner, corner), min_size=1, max_size=6))
    stride, offset = data.draw(st.integers(3, 6)), data.draw(st.integers(0, 5))
    width = data.draw(st.integers(1, 4))
    place = data.draw(st.integers(0, width - 1))
    others = [("TEXCOORD", "t", other) for other in range(width) if other != place]
    indices = [
        i if k == place else data.draw(st.integers(0, 9))
        for t in triangles
        for i in t
        for k in range(width)
    ]
    text = in_scene(
        source("g-p", points, stride, offset),
        primitive(
            "triangles",
            "g-p",
            paragraph(indices),
            len(triangles),
            reads=inputs("g-p", place, others),
        ),
    )
    assert read(tool, text) == plain(points, triangles)


def star(angles, radii):
    """A polygon whose corners are seen from the origin in turn: it does not cross itself, and is seldom convex."""
    return [(r * math.cos(a), r * math.sin(a)) for a, r in zip(angles, radii)]


def comb(teeth, depth):
    """A comb: deep notches side by side, with corners in line."""
    upper = [(float(i), depth if i % 2 else 1.0) for i in range(2 * teeth, -1, -1)]
    return [(0.0, 0.0), (2.0 * teeth, 0.0), *upper]


def spiral(turns):
    """A square spiral corridor, the hardest shape for ears."""
    outer, inner = [], []
    for k in range(4 * turns):
        r = 1.0 + k
        direction = [(1, -1), (1, 1), (-1, 1), (-1, -1)][k % 4]
        outer.append((r * direction[0], r * direction[1]))
        inner.append(((r - 0.5) * direction[0], (r - 0.5) * direction[1]))
    return outer + inner[::-1]


def shoelace(shape):
    return sum(a[0] * b[1] - a[1] * b[0] for a, b in zip(shape, [*shape[1:], shape[0]])) / 2


def cut(tool, shape, lift):
    """Cut a polygon that lies somehow in space: no triangle may turn against it, and the areas must add up."""
    points = [lift(x, y) for x, y in shape]
    tally = tool.Counter()
    indices = tool.polygon_triangles(list(range(len(points))), points, tally)
    assert len(indices) == 3 * (len(shape) - 2)
    assert not tally
    triangles = [tuple(indices[i : i + 3]) for i in range(0, len(indices), 3)]
    areas = [shoelace([shape[i] for i in triangle]) for triangle in triangles]
    sign = 1 if shoelace(shape) > 0 else -1
    size = max(abs(x) for p in shape for x in p) ** 2
    assert all(sign * area >= -1e-12 * size for area in areas)
    assert math.isclose(sum(areas), shoelace(shape), rel_tol=1e-9)


LIFTS = [
    lambda x, y: (x, y, 3.0),
    lambda x, y: (1.0, x, y),
    lambda x, y: (y, 2.0, x),
    lambda x, y: (-x, y, 0.0),
    lambda x, y: (x, y, 0.5 * x - 0.25 * y),
    lambda x, y: (0.5 * y, x + y, x),
    lambda x, y: (x, x - 4 * y, 2 * y),
]


@examples(fuzzed=100)
@given(
    count=st.integers(4, 40),
    seed=st.integers(0, 10**6),
    lift=st.sampled_from(LIFTS),
    backwards=st.booleans(),
)
def test_concave_polygons_keep_their_area(tool, count, seed, lift, backwards):
    chance = random.Random(seed)
    angles = [2 * math.pi * (k + 0.8 * chance.random()) / count for k in range(count)]
    shape = star(angles, [chance.choice([1.0, chance.uniform(0.2, 3.0)]) for _ in angles])
    cut(tool, shape[::-1] if backwards else shape, lift)


@pytest.mark.parametrize(
    "shape",
    [comb(3, 5.0), comb(200, 3.0), spiral(2), spiral(60)],
    ids=["comb3", "comb200", "spiral2", "spiral60"],
)
@pytest.mark.parametrize("start", [0, 7])
def test_combs_and_spirals(tool, shape, start):
    for lift in LIFTS:
        cut(tool, shape[start:] + shape[:start], lift)


RUN = st.text("0123456789 .e+\r\n\t", min_size=1, max_size=12)
BITS = st.one_of(
    RUN,
    RUN.map(lambda run: f"<!-- > {run} -->"),
    RUN.map(lambda run: f"<!--<p>{run}</p>-->"),
    RUN.map(lambda run: f"<![CDATA[>{run}<x>{run}]]>"),
    RUN.map(lambda run: f"> {run}"),
    RUN.map(lambda run: f"<?note > {run}?>"),
    RUN.map(lambda run: f"<v a='>{run}' id='i'>{run}</v>"),
    st.sampled_from(
        ["&#49;", "&amp;", "&#127;0&#127;", "\x7f0\x7f", "\x7f", "words", "\u00e9", "<w/>", "\n"]
    ),
)


def tree(tool, found, element):
    """An element with all below it as plain values; what is cut out keeps its carriage returns."""
    texts = [b"".join(tool.text_pieces(found, text)) for text in element.texts]
    whole = b"".join(text.replace(b"\r\n", b"\n").replace(b"\r", b"\n") for text in texts)
    children = [tree(tool, found, child) for child in element.children]
    return element.tag, element.attributes, element.place, whole, children


def trees(tool, data, *long_runs, stream=None):
    """What is parsed of a file, and its tree, for each length from which runs of numbers are cut out."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "x.dae")
        path.write_bytes(data)
        for long_run in long_runs:
            found = tool.parse_dae(stream or io.BytesIO(data), str(path), long_run)
            yield found, tree(tool, found, found.root)


def cuts_below(tool, element):
    """What was left out below an element, in order."""
    found = [text for text in element.texts if isinstance(text, tool.TextSpan)]
    return found + [cut for child in element.children for cut in cuts_below(tool, child)]


@EXAMPLES
@given(
    bits=st.lists(BITS, max_size=9),
    longest=st.integers(0, 6),
    encoding=st.sampled_from(["utf-8", "utf-16"]),
)
def test_the_tree_is_the_same_with_numbers_cut_out(tool, bits, longest, encoding):
    inside = "".join(f"<e>{bit}</e>\n" if place % 2 else bit for place, bit in enumerate(bits))
    data = f"<COLLADA>{inside}</COLLADA>".encode(encoding)
    (whole, tree_of_whole), (cut, tree_of_cut) = trees(tool, data, len(data), longest)
    assert cuts_below(tool, whole.root) == []
    assert tree_of_cut == tree_of_whole
    assert {name: element.tag for name, element in cut.ids.items()} == {
        name: element.tag for name, element in whole.ids.items()
    }


@pytest.mark.parametrize(
    "inside",
    [
        "\x7f0\x7f<p>1 2 3 4 5</p>",
        "<q>&#127;0&#127;</q><p>1 2 3 4 5</p>",
        "<q>&#x7f;0&#x7F;</q><p>1 2 3 4 5</p>",
        "<p>1 2 3 4 5 &amp; 6</p>",
        "<p>1 2 3 4 5 &#54;</p>",
        "<p>1 2 3 4 5 \u00e9</p>",
        "<p>       </p>",
        "<p>1 2 3<!-- > 4 5 6 7 < -->8 9 10 11</p>",
        "<p>1 2 3<![CDATA[ > 4 5 6 7 < ]]>8 9 10 11</p>",
    ],
)
@pytest.mark.parametrize("encoding", ["utf-8", "iso-8859-1"])
def test_what_only_a_parser_can_read_is_not_cut_out(tool, inside, encoding):
    data = f"<?xml version='1.0' encoding='{encoding}'?><COLLADA>{inside}</COLLADA>".encode(
        encoding
    )
    (_, tree_of_whole), (_, tree_of_cut) = trees(tool, data, len(data), 3)
    assert tree_of_cut == tree_of_whole


def test_a_tree_that_nobody_holds_is_gone_at_once(tool, tmp_path):
    path = tmp_path / "x.dae"
    path.write_text("<COLLADA><p>1 2 3</p></COLLADA>", "utf-8")
    gc.disable()
    gc.freeze()  # what was there before is not looked at
    try:
        found = tool.read_dae(str(path))
        assert any(isinstance(thing, tool.DaeElement) for thing in gc.get_objects())
        del found
        assert not any(isinstance(thing, tool.DaeElement) for thing in gc.get_objects())
    finally:
        gc.unfreeze()
        gc.enable()


class Slow(io.BytesIO):
    """A file that gives few bytes at a time."""

    def __init__(self, data, size, blocks):
        super().__init__(data)
        self.size, self.blocks = size, blocks

    def read(self, wanted=-1):
        return super().read(self.size if wanted == self.blocks else wanted)


@EXAMPLES
@given(bits=st.lists(BITS, max_size=9), longest=st.integers(0, 6), size=st.integers(1, 40))
def test_numbers_are_found_wherever_the_file_is_cut_into_blocks(tool, bits, longest, size):
    data = f"<COLLADA>{''.join(f'<e>{bit}</e>' for bit in bits)}</COLLADA>".encode()
    whole, slow = io.BytesIO(data), Slow(data, size, tool.SCANNED_BYTES)
    (tree_of_whole,) = (found for _, found in trees(tool, data, longest, stream=whole))
    (tree_of_slow,) = (found for _, found in trees(tool, data, longest, stream=slow))
    assert tree_of_slow == tree_of_whole


def test_what_is_left_out_is_what_is_long(tool):
    data = b"<COLLADA>\n<p>1 2 3</p><q a='>'>4 5</q>\n<p> 6 7\n8 </p><r/>" + (
        b"<t>nine words here</t><w>        </w></COLLADA>"
    )
    found = tool.parse_dae(io.BytesIO(data), "x.dae", 4)
    assert [data[cut.start : cut.end] for cut in cuts_below(tool, found.root)] == [
        b"1 2 3",
        b" 6 7\n8 ",
    ]
    assert [data[element.place :][:2] for element in found.root.children] == [
        b"<p",
        b"<q",
        b"<p",
        b"<r",
        b"<t",
        b"<w",
    ]


@pytest.mark.parametrize(
    "end, place",
    [
        ("<a></b>", "4: is not well-formed XML (mismatched tag, column 6)"),
        ("", "5: is not well-formed"),
    ],
)
def test_lines_of_errors_count_what_was_cut_out(tool, tmp_path, end, place):
    path = tmp_path / "x.dae"
    path.write_text(f"<COLLADA>\n<p>{'1 2 ' * 2000}\n</p>\n{end}\n", "utf-8")
    with pytest.raises(tool.MalformedXml) as caught:
        tool.read_dae(str(path))
    assert str(caught.value).startswith(f"{path}:{place}")


def test_file_that_shrinks_or_goes_while_it_is_read(tool, tmp_path):
    path = tmp_path / "x.dae"
    path.write_text(f"<COLLADA><p>{'1 2 ' * 2000}</p></COLLADA>", "utf-8")
    found = tool.read_dae(str(path))
    (element,) = found.root.children
    assert len(list(tool.word_blocks(found, element))) == 1
    path.write_text("<COLLADA/>", "utf-8")
    with pytest.raises(tool.BrokenMesh, match="x.dae: became shorter while it was read"):
        list(tool.word_blocks(found, element))
    path.unlink()
    with pytest.raises(tool.BrokenMesh, match="x.dae: cannot be read"):
        list(tool.word_blocks(found, element))


@pytest.mark.parametrize(
    "word", ["nan", "NaN", "NAN", "inf", "INF", "-Infinity", "INFINITY", "-nan"]
)
def test_no_spelling_of_nan_or_inf_passes(tool, word):
    element = tool.DaeElement("float_array", {}, 0)
    element.texts.append(f"1 2 {word} 4".encode())
    with pytest.raises(tool.BrokenMesh, match="not finite"):
        list(tool.float_blocks(tool.DaeDocument("x.dae", element, {}), element))


HERE = Path(__file__).resolve().parent.parent
OWN = sorted((HERE.parent / "fixtures" / "dae").glob("*/*.dae"))
REAL = [
    HERE.parent.parent / "shared" / "dae" / f"{name}.dae"
    for name in (
        "cts_polygons_simple",
        "cts_node_transform_stack",
        "r200_no_up_axis_lines",
        "ur3e_base",
    )
]
NASTY = [
    b"nan",
    b"-1",
    b"99999999999999999999",
    b"1e400",
    b"",
    b"0",
    b"1,5",
    b"-0.0",
    b"1e-320",
    b"\xff",
    b"<",
    b"&",
    b"1" * 500,
    b"\x00",
    b"0x10",
    b"3 " * 400,
]
SEEDS = st.integers(0, 2**32)

assert OWN


def mutated(data, chance):
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
            found = list(re.finditer(rb"[-+.\w]+", data[place : place + 400]))
            if found:
                word = chance.choice(found)
                data = (
                    data[: place + word.start()] + chance.choice(NASTY) + data[place + word.end() :]
                )
        elif kind == 4:
            found = list(re.finditer(rb'"#?[^"<]*"', data))
            if found:
                one, other = chance.choice(found), chance.choice(found)
                data = data[: one.start()] + other.group() + data[one.end() :]
        elif kind == 5:
            found = list(re.finditer(rb"<(\w+)[^<>]*/>|<(\w+)[^<>]*>[^<>]*</\2>", data))
            if found:
                gone = chance.choice(found)
                data = (
                    data[: gone.start()]
                    + gone.group() * chance.choice([0, 0, 2])
                    + data[gone.end() :]
                )
        elif chance.random() < 0.2:
            data = data[:place]
    return data


def try_it(tool, path, seed):
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as folder:
        damaged, output = Path(folder, "damaged.dae"), Path(folder, "output")
        damaged.write_bytes(mutated(path.read_bytes(), chance))
        separate = chance.random() < 0.9
        converter = converter_of(
            tool,
            merge_equal_colors=chance.random() < 0.5,
            planar=chance.choice(["keep"] if rare_of(tool) is None else ["keep", "merge"]),
            max_faces=chance.choice([0, 3, 1000]),
        )
        try:
            conversion = tool.extract_conversion(
                str(damaged), str(output), converter, separate=separate
            )
        except (tool.BrokenMesh, tool.MalformedXml) as problem:
            assert problem.path == str(damaged)
            assert "\n" not in str(problem)
            assert not output.exists()
        else:
            assert sorted(str(file) for file in output.iterdir()) == sorted(
                part.file for part in conversion.parts
            )
            assert all(tool.stl_count(part.file) == part.triangles > 0 for part in conversion.parts)


@examples(fuzzed=100)
@given(path=st.sampled_from(OWN), seed=SEEDS)
def test_damaged_small_files(tool, path, seed):
    try_it(tool, path, seed)


@examples(fuzzed=20)
@given(number=st.integers(0, len(REAL) - 1), seed=SEEDS)
def test_damaged_real_files(tool, shared, number, seed):
    try_it(tool, REAL[number], seed)


@pytest.mark.parametrize("path", OWN[::9], ids=lambda path: path.stem)
def test_every_truncation(tool, path, tmp_path):
    data = path.read_bytes()
    damaged = tmp_path / "cut.dae"
    end = len(data.rstrip())
    for size in range(0, end, 101):
        damaged.write_bytes(data[:size])
        with pytest.raises((tool.MalformedXml, tool.BrokenMesh)):
            tool.extract_conversion(
                str(damaged), str(tmp_path / "output"), tool.MeshConverter(tool.MeshOptions())
            )
        assert not (tmp_path / "output").exists()


def test_deep_nesting(tool, tmp_path):
    path = tmp_path / "deep.dae"
    path.write_text(
        "<COLLADA><library_visual_scenes><visual_scene>"
        + "<node>" * 20_000
        + "</node>" * 20_000
        + "</visual_scene></library_visual_scenes></COLLADA>"
    )
    assert tool.convert_dae(str(path), str(tmp_path)).parts == ()


def test_one_endless_number(tool, tmp_path):
    path = tmp_path / "long.dae"
    path.write_text(
        (HERE.parent / "fixtures" / "dae" / "valid" / "matrix.dae")
        .read_text()
        .replace(" 5 ", f" {'5' * 3_000_000} ")
    )
    with pytest.raises(tool.BrokenMesh, match="a number of over 400 characters"):
        tool.convert_dae(str(path), str(tmp_path))
