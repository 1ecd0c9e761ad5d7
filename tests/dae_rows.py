"""One small COLLADA file for every rule of the reader, with what must come out of it; `--write` makes the files.

Expectations are exact: the corners of every triangle, in winding order, starting at any corner.
"""

import sys
import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from dae_writer import (
    NAMESPACE_15,
    diffuse,
    document,
    effect,
    inputs,
    instance,
    material,
    node,
    paragraph,
    primitive,
    simple_geometry,
    source,
    vertices,
)

FOLDER = Path(__file__).resolve().parent.parent / "fixtures" / "dae"

Point = Tuple[float, float, float]
Triangle = Tuple[Point, Point, Point]
# material, rgba, triangles
Expected = Tuple[str, Optional[Tuple[float, ...]], Sequence[Triangle]]


class Row(NamedTuple):
    """A file, how to read it, its parts, words that its notes must have; or the error, as `line: words`."""

    name: str
    content: bytes
    parts: Sequence[Expected] = ()
    notes: Sequence[str] = ()
    options: Dict[str, Any] = {}
    error: str = ""


ROWS: List[Row] = []

A, B, C, D = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)
TOP = (0.0, 0.0, 1.0)
SQUARE = [A, B, C, D]
RED, GREEN, BLUE = (1.0, 0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 1.0), (0.0, 0.0, 1.0, 1.0)
GRAY, TEXTURED = (0.6, 0.6, 0.6, 1.0), (0.8, 0.8, 0.8, 1.0)
ONE = [(A, B, C)]
TWO = [(A, B, C), (A, C, D)]
TRIANGLE = primitive("triangles", "g-p", paragraph([0, 1, 2]), 1)
QUAD = primitive("triangles", "g-p", paragraph([0, 1, 2, 0, 2, 3]), 2)


def row(name: str, text: str, triangles: Sequence[Triangle] = (), **more: Any) -> None:
    """Add a row of one part without color, or of the `parts` given."""
    if "parts" not in more and not more.get("error"):
        more["parts"] = [("", None, list(triangles))] if triangles else []
    ROWS.append(Row(name, text.encode("utf-8"), **more))


def moved(triangles: Sequence[Triangle], by: Point = (0.0, 0.0, 0.0), times: float = 1.0) -> List[Triangle]:
    return [
        tuple(tuple(times * a + b for a, b in zip(p, by)) for p in triangle)  # type: ignore[misc]
        for triangle in triangles
    ]


def shape(primitives: str, points: Sequence[Point] = SQUARE) -> str:
    return document(simple_geometry("g", points, primitives), node(instance("g")))


def placed(transform: str, inner: str = "") -> str:
    return document(simple_geometry("g", SQUARE, TRIANGLE), node(transform + instance("g") + inner))


def painted(
    shader: str,
    kind: str = "phong",
    extra: str = "",
    libraries: str = "",
    setparam: str = "",
    effects: Optional[str] = None,
) -> str:
    body = simple_geometry("g", SQUARE, primitive("triangles", "g-p", paragraph([0, 1, 2]), 1, "slot"))
    paint = f'<material id="paint" name="paint"><instance_effect url="#fx">{setparam}</instance_effect></material>'
    return document(
        body,
        node(instance("g", {"slot": "paint"})),
        effect("fx", shader, kind, extra) if effects is None else effects,
        paint,
        libraries,
    )


def color_row(name: str, shader: str, rgba: Optional[Tuple[float, ...]], **more: Any) -> None:
    writing = {key: more.pop(key) for key in ("kind", "extra", "libraries", "setparam", "effects") if key in more}
    row(name, painted(shader, **writing), parts=[("paint", rgba, ONE)], **more)


# Units and axes.
for case, unit, factor in (
    ("unit_inch", '<unit meter="0.0254" name="centimeter"/>', 0.0254),
    ("unit_missing", "", 1.0),
    ("unit_empty", "<unit/>", 1.0),
    ("unit_zero", '<unit meter="0"/>', 1.0),
    ("unit_words", '<unit meter="one"/>', 1.0),
    ("unit_six", '<unit meter="6" name="meter"/>', 6.0),
):
    row(
        case, document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), unit=unit), moved(ONE, times=factor)
    )
row(
    "unit_missing_as_millimeter",
    document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), unit=""),
    moved(ONE, times=0.001),
    options={"missing_unit": 0.001},
    notes=["no unit"],
)
row(
    "unit_overruled",
    document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), unit='<unit meter="9"/>'),
    moved(ONE, times=0.5),
    options={"scale_factor": 0.5},
)
row(
    "unit_of_nested_asset",
    document(simple_geometry("g", SQUARE, TRIANGLE), node('<asset><unit meter="7"/></asset>' + instance("g"))),
    ONE,
)
row(
    "up_axis_ignored",
    document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), up_axis="<up_axis>Y_UP</up_axis>"),
    ONE,
)
row("up_axis_y", placed(""), [(A, B, (1.0, 0.0, 1.0))], options={"up_axis": "y"})
row("up_axis_x", placed(""), [(A, (0.0, 0.0, 1.0), (-1.0, 0.0, 1.0))], options={"up_axis": "x"})
row("up_axis_z", placed(""), ONE, options={"up_axis": "z"})
row("part_too_large", placed("<scale>100 100 100</scale>"), moved(ONE, times=100.0), notes=["100 m long"])
row("part_too_small", placed("<scale>1e-5 1e-5 1e-5</scale>"), moved(ONE, times=1e-5), notes=["only 0.01 mm"])

# The scene graph.
row(
    "translate_then_scale", placed("<translate>1 2 3</translate><scale>2 2 2</scale>"), moved(ONE, (1.0, 2.0, 3.0), 2.0)
)
row(
    "scale_then_translate", placed("<scale>2 2 2</scale><translate>1 2 3</translate>"), moved(ONE, (2.0, 4.0, 6.0), 2.0)
)
row(
    "matrix",
    placed("<matrix>0 -1 0 5 1 0 0 6 0 0 1 7 0 0 0 1</matrix>"),
    [((5.0, 6.0, 7.0), (5.0, 7.0, 7.0), (4.0, 7.0, 7.0))],
)
row(
    "matrix_of_15_numbers",
    placed("\n<matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0</matrix>"),
    error="3: <matrix> has 15 numbers instead of 16",
)
row("rotate_axis_not_unit", placed("<rotate>0 0 5 90</rotate>"), [(A, D, (-1.0, 1.0, 0.0))])
row("rotate_zero_axis", placed("<rotate>0 0 0 90</rotate>"), ONE)
row("lookat", placed("<lookat>1 2 3 1 2 0 0 1 0</lookat>"), moved(ONE, (1.0, 2.0, 3.0)))
row("lookat_sideways", placed("<lookat>0 0 0 0 1 0 0 0 1</lookat>"), [(A, B, (1.0, 0.0, 1.0))])
row("skew", placed("<skew>45 0 1 0 1 0 0</skew>"), [(A, B, (2.0, 1.0, 0.0))])
row(
    "nested_nodes",
    placed("<translate>1 0 0</translate>", node("<scale>2 2 2</scale>" + instance("g"))),
    parts=[("", None, moved(ONE, (1.0, 0.0, 0.0)) + moved(ONE, (1.0, 0.0, 0.0), 2.0))],
)
LIBRARY = f"<library_nodes>{node('<translate>0 0 1</translate>' + instance('g'), 'part')}</library_nodes>"
row(
    "instance_node_twice",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        node('<instance_node url="#part"/>')
        + node('<translate>5 0 0</translate><instance_node url="#part"/>' + instance("g")),
        libraries=LIBRARY,
    ),
    moved(ONE, (0.0, 0.0, 1.0)) + moved(ONE, (5.0, 0.0, 1.0)) + moved(ONE, (5.0, 0.0, 0.0)),
)
row(
    "instance_node_of_scene_node",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        node(instance("g"), "first") + node('<translate>0 0 2</translate><instance_node url="#first"/>'),
    ),
    ONE + moved(ONE, (0.0, 0.0, 2.0)),
)
row("instance_node_missing", placed("", '<instance_node url="other.dae#x"/>'), ONE, notes=["other.dae#x"])
row(
    "instance_node_cycle",
    document(simple_geometry("g", SQUARE, TRIANGLE), '\n<node id="a">\n<instance_node url="#a"/></node>'),
    error="4: node 'a' contains itself",
)
row(
    "nodes_multiply",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        '<node><instance_node url="#n0"/></node>',
        libraries="<library_nodes>"
        + "".join(
            f'<node id="n{i}"><instance_node url="#n{i + 1}"/><instance_node url="#n{i + 1}"/></node>'
            for i in range(30)
        )
        + node(instance("g"), "n30")
        + "</library_nodes>",
    ),
    error="2: the scene unrolls to more than 100000 nodes",
)
SCENES = (
    "<library_visual_scenes>"
    + "".join(
        f'<visual_scene id="s{i}">{node(f"<translate>{i} 0 0</translate>" + instance("g"))}</visual_scene>'
        for i in range(2)
    )
    + "</library_visual_scenes>"
)
row(
    "second_scene_is_the_scene",
    document(
        simple_geometry("g", SQUARE, TRIANGLE), scene=SCENES + '<scene><instance_visual_scene url="#s1"/></scene>'
    ),
    moved(ONE, (1.0, 0.0, 0.0)),
)
row("no_scene_but_visual_scenes", document(simple_geometry("g", SQUARE, TRIANGLE), scene=SCENES), ONE)
row(
    "scene_missing",
    document(
        simple_geometry("g", SQUARE, TRIANGLE), scene=SCENES + '<scene><instance_visual_scene url="#s9"/></scene>'
    ),
    ONE,
    notes=["no visual scene 's9'"],
)
row("no_visual_scene", document(simple_geometry("g", SQUARE, TRIANGLE), scene=""), ONE, notes=["no visual scene"])
row(
    "geometry_not_drawn",
    document(simple_geometry("g", SQUARE, TRIANGLE) + simple_geometry("h", SQUARE, TRIANGLE), node(instance("g"))),
    ONE,
)
row(
    "instance_missing_geometry",
    document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("nothing") + instance("g"))),
    ONE,
    notes=["no geometry 'nothing'"],
)
row("mirrored", placed("<scale>-1 1 1</scale>"), [(A, (-1.0, 1.0, 0.0), (-1.0, 0.0, 0.0))])
row("mirrored_three_times", placed("<scale>-1 -1 -1</scale>"), [(A, (-1.0, -1.0, 0.0), (-1.0, 0.0, 0.0))])
row("mirrored_twice", placed("<scale>-1 -1 1</scale>"), [(A, (-1.0, 0.0, 0.0), (-1.0, -1.0, 0.0))])
row("collapsed", placed("", node("<scale>1 0 1</scale>" + instance("g"))), ONE, notes=["scaled to nothing"])
SKIN = (
    '<library_controllers><controller id="skin"><skin source="#{}"><bind_shape_matrix>1 0 0 4 0 1 0 0 0 0 1 0 0 0 0 1'
    "</bind_shape_matrix></skin></controller>{}</library_controllers>"
)
row(
    "skin",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        node('<instance_controller url="#skin"/>'),
        libraries=SKIN.format("g", ""),
    ),
    moved(ONE, (4.0, 0.0, 0.0)),
    notes=["is a skin"],
)
row(
    "skin_of_morph",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        node('<instance_controller url="#skin"/>'),
        libraries=SKIN.format("morph", '<controller id="morph"><morph source="#g"/></controller>'),
    ),
    moved(ONE, (4.0, 0.0, 0.0)),
    notes=["is a skin"],
)
row(
    "skin_of_itself",
    document(
        simple_geometry("g", SQUARE, TRIANGLE),
        '\n<node><instance_controller url="#skin"/></node>',
        libraries=SKIN.format("skin", ""),
    ),
    error="3: controller 'skin' leads to itself",
)
row(
    "spline",
    document(
        simple_geometry("g", SQUARE, TRIANGLE) + '<geometry id="s"><spline/></geometry>',
        node(instance("g") + instance("s")),
    ),
    ONE,
    notes=["'s' is not a mesh (spline)"],
)

# Primitives.
row("triangles_in_two_runs", shape(primitive("triangles", "g-p", paragraph([0, 1, 2]) + paragraph([0, 2, 3]), 2)), TWO)
row(
    "polylist_threes",
    shape(primitive("polylist", "g-p", "<vcount>3 3</vcount>" + paragraph([0, 1, 2, 0, 2, 3]), 2)),
    TWO,
)
row(
    "polylist_mixed",
    shape(primitive("polylist", "g-p", "<vcount>4 2 3 1</vcount>" + paragraph([0, 1, 2, 3, 0, 1, 0, 1, 2, 0]), 4)),
    TWO + ONE,
)
FOUR_IN_A_ROW = [(float(x), float(y), 0.0) for x in range(4) for x, y in ((x, 0), (x + 1, 0), (x + 1, 1), (x, 1))]
row(  # the end of the box, 4, is also a height: it is in the STL even when the last quad is not
    "polylist_row_of_quads",
    shape(primitive("polylist", "g-p", "<vcount>4 4 4 4 3</vcount>" + paragraph([*range(16), 0, 1, 16]), 5),
          [*FOUR_IN_A_ROW, (0.0, 0.0, 4.0)]),
    [*((FOUR_IN_A_ROW[k], FOUR_IN_A_ROW[k + i], FOUR_IN_A_ROW[k + i + 1]) for k in range(0, 16, 4) for i in (1, 2)),
     (FOUR_IN_A_ROW[0], FOUR_IN_A_ROW[1], (0.0, 0.0, 4.0))],
)
row(
    "polylist_short",
    shape(primitive("polylist", "g-p", "<vcount>3 3</vcount>" + paragraph([0, 1, 2, 0, 2]), 2)),
    ONE,
    notes=["incomplete", "do not fit"],
)
row(
    "polylist_short_four",
    shape(primitive("polylist", "g-p", "<vcount>3 4</vcount>" + paragraph([0, 1, 2, 0, 2]), 2)),
    ONE,
    notes=["do not fit"],
)
row(
    "polylist_long",
    shape(primitive("polylist", "g-p", "<vcount>3</vcount>" + paragraph([0, 1, 2, 0, 2, 3]), 1)),
    ONE,
    notes=["do not fit"],
)
row(
    "polylist_without_vcount",
    shape("\n" + primitive("polylist", "g-p", paragraph([0, 1, 2]), 1)),
    error="3: <polylist> has no <vcount>",
)
row(
    "polylist_of_a_giant",
    shape(primitive("polylist", "g-p", "<vcount>3 2000000000</vcount>" + paragraph([0, 1, 2]), 2)),
    ONE,
    notes=["do not fit"],
)
row(
    "polygons",
    shape(primitive("polygons", "g-p", paragraph([0, 1, 2]) + paragraph([0, 2, 3]) + paragraph([0, 1]), 3)),
    TWO,
    notes=["fewer than 3"],
)
OUTER = [
    (0.0, 0.0, 0.0),
    (4.0, 0.0, 0.0),
    (4.0, 4.0, 0.0),
    (0.0, 4.0, 0.0),
    (1.0, 1.0, 0.0),
    (3.0, 1.0, 0.0),
    (3.0, 3.0, 0.0),
    (1.0, 3.0, 0.0),
]
P = OUTER
HOLED = [(P[0], P[1], P[5]), (P[1], P[2], P[6])]
row("tristrips", shape(primitive("tristrips", "g-p", paragraph([1, 2, 0, 3]), 1)), [(B, C, A), (A, C, D)])
row(
    "trifans",
    shape(primitive("trifans", "g-p", paragraph([0, 1, 2, 3]) + paragraph([0, 1]), 2)),
    TWO,
    notes=["fewer than 3"],
)
row(
    "lines_only_beside",
    shape(
        primitive("lines", "g-p", paragraph([0, 1]), 1)
        + primitive("linestrips", "g-p", paragraph([0, 1, 2]), 1)
        + TRIANGLE
    ),
    ONE,
)
row("lines_only", shape(primitive("lines", "g-p", paragraph([0, 1]), 1)))
row(
    "empty_primitives",
    shape(
        primitive("triangles", "g-p", "<p/>", 0)
        + primitive("triangles", "g-p", "", 0)
        + primitive("polylist", "g-p", "<vcount/><p> </p>", 0)
        + TRIANGLE
    ),
    ONE,
)
row("count_wrong", shape(primitive("triangles", "g-p", paragraph([0, 1, 2]), 7)), ONE, notes=["wrong counts"])
row(
    "count_of_two_gigabytes",
    shape(primitive("triangles", "g-p", paragraph([0, 1, 2]), 2147483647)).replace('count="12"', 'count="2147483647"'),
    ONE,
    notes=["wrong counts"],
)
row("ragged", shape(primitive("triangles", "g-p", paragraph([0, 1, 2, 0]), 1)), ONE, notes=["incomplete"])
row(
    "index_negative",
    shape("\n" + primitive("triangles", "g-p", "\n" + paragraph([0, 1, -1]), 1)),
    error="4: <p> has a negative index",
)
row(
    "index_too_large",
    shape("\n" + primitive("triangles", "g-p", paragraph([0, 1, 4]), 1)),
    error="3: <triangles> has an index beyond its 4 positions",
)
row(
    "index_too_large_in_polygon",
    shape("\n" + primitive("polygons", "g-p", paragraph([0, 1, 2, 9]), 1)),
    error="3: <polygons> has an index beyond its 4 positions",
)
row(
    "index_of_40_digits",
    shape("\n" + primitive("triangles", "g-p", "<p>0 1 " + "9" * 40 + "</p>", 1)),
    error="3: <triangles> has an index beyond its 4 positions",
)
row(
    "index_of_5000_digits",
    shape("\n" + primitive("triangles", "g-p", "<p>0 1 " + "9" * 5000 + "</p>", 1)),
    error="3: <p> has a number of over 400 characters",
)
row(
    "index_not_whole",
    shape("\n" + primitive("triangles", "g-p", "<p>0 1 2.0</p>", 1)),
    error="3: <p> has '2.0' where a whole number belongs",
)
row(
    "index_with_underscore",
    shape("\n" + primitive("triangles", "g-p", "<p>0 1 0_2</p>", 1)),
    error="3: <p> has an underscore where a number belongs",
)

# Inputs and accessors.
NORMALS = source("n", [(0.0, 0.0, 1.0)])


def sourced(positions: str, primitives: str = TRIANGLE, name: str = "g-p") -> str:
    return document(
        f'<geometry id="g"><mesh>{positions}{vertices(name)}{primitives}</mesh></geometry>', node(instance("g"))
    )


def indexed(values: Sequence[int], reads: str) -> str:
    return primitive("triangles", "g-p", paragraph(values), 1, "", reads)


row(
    "inputs_two_offsets",
    sourced(source("g-p", SQUARE) + NORMALS, indexed([0, 0, 1, 0, 2, 0], inputs("g-p", 0, [("NORMAL", "n", 1)]))),
    ONE,
)
row(
    "inputs_vertex_last",
    sourced(
        source("g-p", SQUARE) + NORMALS,
        indexed([0, 0, 0, 0, 0, 1, 0, 0, 2], inputs("g-p", 2, [("NORMAL", "n", 0), ("TEXCOORD", "n", 1)])),
    ),
    ONE,
)
row(
    "inputs_shared_offset",
    sourced(source("g-p", SQUARE) + NORMALS, indexed([0, 1, 2], inputs("g-p", 0, [("NORMAL", "n", 0)]))),
    ONE,
)
row(
    "inputs_gap",
    sourced(
        source("g-p", SQUARE) + NORMALS, indexed([0, 9, 0, 1, 9, 0, 2, 9, 0], inputs("g-p", 0, [("NORMAL", "n", 2)]))
    ),
    ONE,
)
row(
    "input_without_offset",
    sourced(source("g-p", SQUARE), indexed([0, 1, 2], '<input semantic="VERTEX" source="#g-p-vertices"/>')),
    ONE,
)
row(
    "input_position_directly",
    sourced(source("g-p", SQUARE), indexed([0, 1, 2], '<input semantic="POSITION" source="#g-p" offset="0"/>')),
    ONE,
)
row(
    "input_vertices_by_another_id",
    sourced(source("g-p", SQUARE), indexed([0, 1, 2], '<input semantic="VERTEX" source="#elsewhere" offset="0"/>')),
    ONE,
)
row("accessor_stride_4", sourced(source("g-p", SQUARE, 4)), ONE)
row("accessor_offset_3", sourced(source("g-p", SQUARE, 0, 3)), ONE)
row("accessor_stride_6_offset_3", sourced(source("g-p", SQUARE, 6, 3)), ONE)
row("accessor_last_record_short", sourced(source("g-p", SQUARE, 6).replace(" 99.5 99.5 99.5</float", "</float")), ONE)
row(
    "accessor_columns_turned",
    sourced(source("g-p", [(2.0, 0.0, 0.0), (2.0, 0.0, 1.0), (2.0, 1.0, 1.0)], columns="ZYX")),
    [((0.0, 0.0, 2.0), (1.0, 0.0, 2.0), (1.0, 1.0, 2.0))],
)
row("accessor_columns_unnamed", sourced(source("g-p", SQUARE, columns="---")), ONE)
row("accessor_columns_lower_case", sourced(source("g-p", SQUARE, columns="xyz")), ONE)
row("accessor_first_column_unnamed", sourced(source("g-p", [(9.0, *p) for p in SQUARE], columns="-XYZ")), ONE)
row("accessor_two_columns", sourced(source("g-p", [p[:2] for p in SQUARE], columns="XY")), ONE)
row("accessor_without_stride", sourced(source("g-p", SQUARE).replace(' stride="3"', "")), ONE)
row(
    "accessor_without_stride_and_columns",
    sourced(source("g-p", SQUARE, columns="---").replace(' stride="3"', "").replace('<param type="float"/>', "")),
    ONE,
)
row("accessor_missing", sourced(source("g-p", SQUARE).split("<technique_common>")[0] + "</source>"), ONE)
row(
    "accessor_stride_too_small",
    sourced("\n" + source("g-p", SQUARE).replace('stride="3"', 'stride="2"')),
    error="3: the accessor of 'g-p-array' has a stride of 2 for 3 columns",
)
row("source_missing", sourced("", "\n" + TRIANGLE), error="3: <triangles> has no positions: there is no source 'g-p'")
row(
    "vertices_empty",
    document(
        f'<geometry id="g"><mesh>{source("g-p", SQUARE)}<vertices id="g-p-vertices"/>\n{TRIANGLE}</mesh></geometry>',
        node(instance("g")),
    ),
    error="3: <triangles> has no positions",
)
row("array_missing", sourced('\n<source id="g-p"/>'), error="3: source 'g-p' has no array of numbers")
row(
    "ids_repeated_in_two_meshes",
    document(
        simple_geometry("g", SQUARE, TRIANGLE)
        + simple_geometry("g", [TOP, B, C], TRIANGLE).replace('<geometry id="g"', '<geometry id="h"'),
        node(instance("g") + instance("h")),
    ),
    ONE + [(TOP, B, C)],
)
row(
    "number_nan",
    sourced("\n" + source("g-p", [*SQUARE, (0.0, float("nan"), 0.0)])),
    error="3: <float_array> has a number that is not finite",
)
row(
    "number_infinite",
    sourced("\n" + source("g-p", [*SQUARE, (0.0, float("inf"), 0.0)])),
    error="3: <float_array> has a number that is not finite",
)
row(
    "number_overflows",
    sourced("\n" + source("g-p", SQUARE).replace("1.0", "1e999")),
    error="3: positions reach farther than 2^30 meters",
)
row(
    "number_too_far",
    sourced("\n" + source("g-p", [(2e9, 0.0, 0.0), *SQUARE])),
    error="3: positions reach farther than 2^30 meters",
)
row(
    "number_words",
    sourced("\n" + source("g-p", SQUARE).replace("1.0", "one")),
    error="3: <float_array> has 'one' where a number belongs",
)
row(
    "number_decimal_commas",
    sourced(source("g-p", [(0.5, 0.0, 0.0), B, C]).replace("0.5", "0,5")),
    [((0.5, 0.0, 0.0), B, C)],
)
row(
    "number_separated_by_commas",
    sourced("\n" + source("g-p", SQUARE).replace("0.0 0.0 0.0", "0.0, 0.0, 0.0")),
    error="3: <float_array> has '0.0,' where a number belongs",
)
row(
    "white_space_of_all_kinds",
    sourced(
        source("g-p", SQUARE).replace("1.0 ", "\r\n\t 1.0\n\n"),
        primitive("triangles", "g-p", "<p>\n0\t1\n  2 \n</p>", 1),
    ),
    ONE,
)
row("minus_zero", sourced(source("g-p", SQUARE).replace(" 0.0", " -0.0")), ONE)

# Polygons.
ARROW = [(0.0, 0.0, 0.0), (4.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 4.0, 0.0)]
row(
    "quad_concave",
    shape(primitive("polylist", "g-p", "<vcount>4</vcount>" + paragraph([1, 2, 3, 0]), 1), ARROW),
    [(ARROW[2], ARROW[3], ARROW[0]), (ARROW[2], ARROW[0], ARROW[1])],
)
row(
    "quad_with_a_hole",
    shape(primitive("polygons", "g-p", f"<ph>{paragraph([0, 1, 2, 3])}{paragraph([4, 5, 6, 7], 'h')}</ph>", 1), OUTER),
    parts=[("", None, "area 12, 8 triangles")],
)
PLATE = [(16, 0), (16, 16), (0, 16), (0, 0), (3, 5), (3, 3), (5, 4), (3, 13), (3, 11), (5, 12)]
PLATE += [(13, 4), (12, 3), (11, 4), (12, 5)]
LOOPS = [[0, 1, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12, 13]]
row(
    "quad_with_holes_in_rows",
    shape(
        primitive("polygons", "g-p", "<ph>" + "".join(map(paragraph, LOOPS, ["p", "h", "h", "h"])) + "</ph>"),
        [(x / 2, y / 2, 0.0) for x, y in PLATE],
    ),
    parts=[("", None, "area 62.5, 18 triangles")],
)
L = [(0.0, 0.0, 0.0), (0.0, 3.0, 0.0), (0.0, 3.0, 1.0), (0.0, 1.0, 1.0), (0.0, 1.0, 3.0), (0.0, 0.0, 3.0)]
row(
    "six_corners_concave",
    shape(primitive("polylist", "g-p", "<vcount>6</vcount>" + paragraph([0, 1, 2, 3, 4, 5]), 1), L),
    parts=[("", None, "area 5, 4 triangles")],
)
row(
    "five_corners_convex",
    shape(primitive("polygons", "g-p", paragraph([0, 1, 2, 3, 4]), 1), [*SQUARE[:3], (0.5, 1.5, 0.0), D]),
    [(A, B, C), (A, C, (0.5, 1.5, 0.0)), (A, (0.5, 1.5, 0.0), D)],
)
row(
    "triangles_without_area",
    shape(primitive("triangles", "g-p", paragraph([0, 1, 2, 0, 0, 1, 0, 1, 4]), 3), [*SQUARE, (2.0, 0.0, 0.0)]),
    ONE,
    notes=["2 triangles without area"],
)
row(
    "only_triangles_without_area",
    shape(primitive("triangles", "g-p", paragraph([0, 0, 1]), 1)),
    notes=["makes no part"],
)
row(
    "flat_after_rounding",
    shape(TRIANGLE, [(1000.0, 0.0, 0.0), (1000.0, 1.0, 0.0), (1000.00000001, 2.0, 0.0)]),
    notes=["makes no part"],
)

# Materials.
color_row("diffuse", diffuse((0.25, 0.5, 0.75, 1)), (0.25, 0.5, 0.75, 1.0))
for kind in ("lambert", "blinn", "constant"):
    color_row(f"shader_{kind}", diffuse((0.25, 0.5, 0.75, 1)), (0.25, 0.5, 0.75, 1.0), kind=kind)
color_row("diffuse_of_three", diffuse((0.25, 0.5, 0.75)), (0.25, 0.5, 0.75, 1.0))
color_row("diffuse_out_of_range", diffuse((2, -1, 0.5, 1)), (1.0, 0.0, 0.5, 1.0))
color_row("diffuse_alpha", diffuse((1, 0, 0, 0.5)), (1.0, 0.0, 0.0, 0.5))
color_row("diffuse_broken", "<diffuse><color>red</color></diffuse>", GRAY)
NEWPARAM = '<newparam sid="tint"><float4>0 1 0 1</float4></newparam>'
color_row("diffuse_param", '<diffuse><param ref="tint"/></diffuse>', GREEN, extra=NEWPARAM)
color_row(
    "diffuse_setparam",
    '<diffuse><param ref="tint"/></diffuse>',
    BLUE,
    extra=NEWPARAM,
    setparam='<setparam ref="tint"><float3>0 0 1</float3></setparam>',
)
color_row("emission_only", "<emission><color>0 0 1 1</color></emission>", BLUE)
color_row("emission_black", "<emission><color>0 0 0 1</color></emission>", GRAY)
color_row("constant_transparent_only", "<transparent><color>0 1 0 1</color></transparent>", GREEN, kind="constant")
color_row("effect_empty", "", GRAY)
color_row("effect_missing", "", None, effects=effect("other", ""), notes=["no effect 'fx'"])
color_row(
    "effect_without_common_profile",
    "",
    None,
    effects='<effect id="fx"><profile_GLSL/></effect>',
    notes=["no common profile"],
)
for case, mark, color, amount, alpha, said in (
    ("a_one", ' opaque="A_ONE"', "1 1 1 1", 0.5, 0.5, False),
    ("a_one_of_half", "", "1 1 1 0.5", 0.5, 0.25, False),
    ("by_default_a_one", "", "0 0 0 1", 0.25, 0.25, False),
    ("a_zero", ' opaque="A_ZERO"', "1 1 1 1", 0.25, 0.75, False),
    ("rgb_zero", ' opaque="RGB_ZERO"', "1 1 1 1", 0.25, 0.75, False),
    ("rgb_zero_green", ' opaque="RGB_ZERO"', "0 1 0 1", 0.5, 1 - 0.71516 / 2, False),
    ("rgb_zero_black", ' opaque="RGB_ZERO"', "0 0 0 1", None, 1.0, False),
    ("rgb_zero_white", ' opaque="RGB_ZERO"', "1 1 1 1", None, 1.0, True),
    ("rgb_one", ' opaque="RGB_ONE"', "1 1 1 1", 0.5, 0.5, False),
    ("old_blender", "", "1 1 1 1", 0.0, 1.0, True),
    ("jvrc", ' opaque="A_ONE"', "1 1 1 0", None, 1.0, True),
    ("beyond_one", "", "1 1 1 1", 3.0, 1.0, True),
):
    color_row(
        f"transparent_{case}",
        diffuse((1, 0, 0, 1))
        + f"<transparent{mark}><color>{color}</color></transparent>"
        + (f"<transparency><float>{amount}</float></transparency>" if amount is not None else ""),
        (1.0, 0.0, 0.0, alpha),
        notes=["taken as opaque"] if said else [],
    )
color_row(
    "transparency_alone",
    diffuse((1, 0, 0, 1)) + "<transparency><float>0.5</float></transparency>",
    (1.0, 0.0, 0.0, 0.5),
)
color_row("transparent_texture", diffuse((1, 0, 0, 1)) + '<transparent><texture texture="x"/></transparent>', RED)
SAMPLER = (
    '<newparam sid="surface"><surface type="2D"><init_from>img</init_from></surface></newparam>'
    '<newparam sid="sampler"><sampler2D><source>surface</source></sampler2D></newparam>'
)
IMAGE = '<library_images><image id="img"><init_from>../textures/wood%20a.png</init_from></image></library_images>'
TEXTURE = '<diffuse><texture texture="{}" texcoord="UV"/></diffuse>'
color_row(
    "texture",
    TEXTURE.format("sampler"),
    TEXTURED,
    extra=SAMPLER,
    libraries=IMAGE,
    notes=["image '../textures/wood%20a.png'"],
)
color_row("texture_image_directly", TEXTURE.format("img"), TEXTURED, libraries=IMAGE, notes=["wood%20a.png"])
color_row("texture_missing", TEXTURE.format("gone"), TEXTURED, notes=["image 'gone'"])
color_row(
    "texture_of_1_5",
    TEXTURE.format("sampler"),
    TEXTURED,
    notes=["wood.png"],
    extra=('<newparam sid="sampler"><sampler2D><instance_image url="#img"/></sampler2D></newparam>'),
    libraries='<library_images><image id="img"><init_from><ref>wood.png</ref></init_from></image></library_images>',
)
color_row(
    "texture_cycle",
    TEXTURE.format("sampler"),
    TEXTURED,
    notes=["sampler"],
    extra=('<newparam sid="sampler"><sampler2D><source>sampler</source></sampler2D></newparam>'),
)
PAINTS = "".join(
    effect(f"{name}-effect", diffuse(rgba)) for name, rgba in (("red", RED), ("green", GREEN), ("rosso", RED))
)
NAMES = material("red", label="Red") + material("green", label="Green") + material("rosso", label="Rosso")


def two_slots(scene: str, first: str = "one", second: str = "two") -> str:
    return document(
        simple_geometry(
            "g",
            SQUARE,
            primitive("triangles", "g-p", paragraph([0, 1, 2]), 1, first)
            + primitive("triangles", "g-p", paragraph([0, 2, 3]), 1, second),
        ),
        scene,
        PAINTS,
        NAMES,
    )


row(
    "two_materials",
    two_slots(node(instance("g", {"one": "red", "two": "green"}))),
    parts=[("Red", RED, [(A, B, C)]), ("Green", GREEN, [(A, C, D)])],
)
row(
    "materials_bound_per_instance",
    two_slots(
        node(instance("g", {"one": "red", "two": "green"}))
        + node("<translate>5 0 0</translate>" + instance("g", {"one": "green", "two": "red"}))
    ),
    parts=[
        ("Red", RED, [(A, B, C), *moved([(A, C, D)], (5.0, 0.0, 0.0))]),
        ("Green", GREEN, [(A, C, D), *moved([(A, B, C)], (5.0, 0.0, 0.0))]),
    ],
)
row(
    "materials_of_equal_color",
    two_slots(node(instance("g", {"one": "red", "two": "rosso"}))),
    parts=[("Red", RED, TWO)],
    notes=["Red, Rosso"],
)
row(
    "materials_of_equal_color_kept",
    two_slots(node(instance("g", {"one": "red", "two": "rosso"}))),
    parts=[("Red", RED, [(A, B, C)]), ("Rosso", RED, [(A, C, D)])],
    options={"merge_equal_colors": False},
)
row(
    "materials_combined",
    two_slots(node(instance("g", {"one": "red", "two": "green"}))),
    parts=[("", None, TWO)],
    options={"separate": False},
)
row(
    "symbol_like_another_id",
    two_slots(node(instance("g", {"red": "green", "green": "red"})), "red", "green"),
    parts=[("Green", GREEN, [(A, B, C)]), ("Red", RED, [(A, C, D)])],
)
row(
    "symbol_unbound_but_an_id",
    two_slots(node(instance("g")), "red", "green"),
    parts=[("Red", RED, [(A, B, C)]), ("Green", GREEN, [(A, C, D)])],
)
row(
    "symbol_unbound",
    two_slots(node(instance("g", {"one": "red"}))),
    parts=[("Red", RED, [(A, B, C)]), ("two", None, [(A, C, D)])],
    notes=["no material is bound to 'two'"],
)


def vertex_colored(colors: Sequence[Point]) -> str:
    return sourced(
        source("g-p", SQUARE) + source("c", colors, columns="RGB"),
        primitive("triangles", "g-p", paragraph([0, 0, 1, 1, 2, 2]), 1, "", inputs("g-p", 0, [("COLOR", "c", 1)])),
    )


row("vertex_color_uniform", vertex_colored([(0.0, 1.0, 0.0)] * 3), parts=[("", GREEN, ONE)])
row("vertex_colors_differ", vertex_colored([(0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)]), ONE)

# Files.
row("namespace_1_5", document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), namespace=NAMESPACE_15), ONE)
row("namespace_none", document(simple_geometry("g", SQUARE, TRIANGLE), node(instance("g")), namespace=""), ONE)
row(
    "comment_between_numbers",
    sourced(source("g-p", SQUARE), primitive("triangles", "g-p", "<p>0 <!-- here -->1 2<!-- 7 --></p>", 1)),
    ONE,
)
row(
    "doctype",
    shape(TRIANGLE).replace("\n<COLLADA", '\n<!DOCTYPE COLLADA [<!ENTITY a "aaaa">]>\n<COLLADA'),
    error="2: has a DOCTYPE, which is refused",
)
row("not_collada", "<?xml version='1.0'?>\n<robot/>\n", error="2: is not COLLADA: the outermost element is <robot>")
row(
    "not_well_formed",
    shape(TRIANGLE).replace("</mesh>", "\n</mash>"),
    error="3: is not well-formed XML (mismatched tag",
)
row("truncated", shape(TRIANGLE)[:400], error="2: is not well-formed XML")
row("empty_file", "", error="1: is not well-formed XML (no element found")
row(
    "entity_undefined",
    shape(TRIANGLE).replace("<p>0", "<p>&zero;"),
    error="2: is not well-formed XML (undefined entity",
)
PREFIXED = (
    shape(TRIANGLE)
    .replace("</", "</c:")
    .replace("<", "<c:")
    .replace("<c:/c:", "</c:")
    .replace("<c:?", "<?")
    .replace("xmlns=", "xmlns:c=")
)
row("namespace_prefix", PREFIXED, ONE)
ROWS.append(Row("utf_16", shape(TRIANGLE).replace("utf-8", "utf-16").encode("utf-16"), [("", None, ONE)]))
ROWS.append(Row("utf_8_with_mark", b"\xef\xbb\xbf" + shape(TRIANGLE).encode(), [("", None, ONE)]))


def archive(members: Dict[str, str]) -> bytes:
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in members.items():
            packed.writestr(zipfile.ZipInfo(name), text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()


ROWS.append(Row("archive.zae", archive({"a/one.dae": shape(TRIANGLE), "two.dae": shape(QUAD)}), [("", None, ONE)]))
ROWS.append(
    Row(
        "archive_with_manifest.zae",
        archive(
            {
                "one.dae": shape(TRIANGLE),
                "b/two.dae": shape(QUAD),
                "manifest.xml": "<dae_root>./b/two.dae#scene</dae_root>",
            }
        ),
        [("", None, TWO)],
    )
)
ROWS.append(Row("archive_bomb.zae", archive({"one.dae": " " * 30_000_000}), error="is refused: 'one.dae' in it"))
ROWS.append(Row("archive_empty.zae", archive({"readme.txt": "none"}), error="has no .dae file in it"))
ROWS.append(Row("archive_broken.zae", b"PK\x03\x04 no archive", error="is not a .zae archive"))


def path_of(found: Row) -> Path:
    return FOLDER / (found.name if "." in found.name else f"{found.name}.dae")


if __name__ == "__main__" and sys.argv[1:] == ["--write"]:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.[dz]ae"):
        old.unlink()
    for made in ROWS:
        path_of(made).write_bytes(made.content)
