"""The page as bytes: well-formed, closed to all but its own script, its tables the record, its data the robots."""

import base64
import html
import json
import os
import re
import shutil
import struct
import subprocess
import sys
from array import array
from hashlib import sha256
from pathlib import Path

import golden
import pytest
from conftest import examples, ROOT
from data_edits import GONE, put
from hypothesis import given
from hypothesis import strategies as st
from mesh_files import A, B, binary_stl, C, D
from page_proof import verify_drawn
from pages import block, HOSTILE, hostile_text, make_page, page_of, read_page

from commands import refusal
from engine import main
from urdf_tools.base.errors import ProofFailed
from urdf_tools.meshes.mesh_content import MeshMaterial, MaterialSurface
from urdf_tools.export.page.packed_meshes import clustered, fitted, grid_of, packed, shown_reference
from urdf_tools.export.page.html_markup import element, escape, Markup
from urdf_tools.export.page.page_panels import range_row, row_list
from urdf_tools.export.page.page_content import PageRow
from urdf_tools.export.page.run_page import levels_of
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot
from urdf_tools.export.page.verify_page import _pose, _root_frames, verify_page
from urdf_tools.export.page.write_page import part_text, SCRIPT_PARTS
from urdf_tools.plan.run_options import Options
from urdf_tools.report.run_json import record_of
from urdf_tools.run.run_pipeline import simplify_bytes
from urdf_tools.meshes.verify_witnesses import distance
from urdf_tools.urdf.spatial_math import compose

PAGE = ROOT / "urdf_tools" / "export" / "page"
HUMANOID = golden.FIXTURES / "humanoid" / "robot.urdf"
PAINTED = golden.FIXTURES / "painted_arm" / "robot.urdf"
ROBOTS = [
    HUMANOID,
    PAINTED,
    golden.FIXTURES / "quadruped" / "robot.urdf",
    golden.FIXTURES / "arm" / "robot.urdf",
]


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A chain of links whose names are what a page must not believe, with boxes to be seen."""
    path = tmp_path_factory.mktemp("hostile") / "robot.urdf"
    path.write_text(hostile_text(), "utf-8")
    return path


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.parent.name)
def test_every_element_is_closed_and_every_id_is_unique(path):
    reader = read_page(make_page(path).text)
    identities = [attributes["id"] for _, attributes in reader.tags if "id" in attributes]
    assert len(set(identities)) == len(identities)
    for tag, attributes in reader.tags:
        for reference in ("for", "aria-labelledby"):
            assert attributes.get(reference, identities[0]) in identities, (tag, attributes)
        assert (attributes.get("href") or "#").startswith("#")
        if tag == "th":
            assert attributes["scope"] in ("row", "col")
    assert sum(attributes.get("role") == "status" for _, attributes in reader.tags) == 1
    assert {"main", "nav", "aside", "header", "footer"} <= {tag for tag, _ in reader.tags}


def test_the_policy_names_the_script_and_the_style(hostile):
    for path in (HUMANOID, hostile):
        text = make_page(path).text
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
        assert policy
        rules = dict(
            rule.strip().split(" ", 1) for rule in html.unescape(policy.group(1)).split(";")
        )
        for kind, tag in (("script-src", "script"), ("style-src", "style")):
            inside = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
            assert len(inside) == 1
            digest = base64.b64encode(sha256(inside[0].encode("utf-8")).digest()).decode()
            assert rules[kind] == f"'sha256-{digest}'"
        assert rules["default-src"] == "'none'" and rules["require-trusted-types-for"] == "'script'"
        assert "\r" not in text


def test_names_are_text_everywhere(hostile):
    page = make_page(hostile)
    reader = read_page(page.text)
    plain = read_page(make_page(HUMANOID).text)
    assert {tag for tag, _ in reader.tags} - {"small"} <= {tag for tag, _ in plain.tags} | {"ol"}
    for _, attributes in reader.tags:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src")
        ]
    assert [row["link"] for row in page.data["rows"]] == ["base", *HOSTILE]
    told = "".join(data for tag, data in reader.texts if tag == "bdi")
    assert all(name in told for name in HOSTILE)
    assert [link["name"] for link in page.data["new"]["links"]] == ["base", *HOSTILE]
    for identity in ("data", "mesh-data", "shaders"):
        assert "<!--" not in block(page.text, identity)
    assert block(page.text, "data").isascii()


def test_the_parts_cannot_end_their_element():
    """Script and style are put between tags as they are."""
    for path in [*PAGE.glob("*.js"), *PAGE.glob("*.css"), *PAGE.glob("*.glsl")]:
        text = path.read_text("utf-8")
        assert "</" not in text and "<!--" not in text and "{{" not in text, path.name
    assert sum(len(part_text(part).splitlines()) for part in SCRIPT_PARTS) <= 1070


@examples(fuzzed=100)
@given(st.text(), st.text(min_size=1))
def test_markup_gives_text_back(inside, value):
    reader = read_page(element("p", inside, title=value))
    attributes = reader.tags[0][1]
    assert attributes == {"title": value}
    assert "".join(data for _, data in reader.texts) == inside
    assert escape(Markup("<b>")) == "<b>"


def test_a_row_has_the_number_of_what_it_is_about():
    """A click on the row with number k shows what `about[k]` names: a row comes before its inner rows."""

    def row(name, *inner):
        return PageRow(words=escape(name), about={"link": name}, inner=inner)

    text, about = row_list([row("a", row("b"), row("c")), row("d")])
    numbers = re.findall(r'data-row="(\d)"><span>(\w)<', text)
    assert numbers == [(str(number), each["link"]) for number, each in enumerate(about)]
    assert [name for _, name in numbers] == ["a", "b", "c", "d"]
    assert row_list([]) == ("", [])


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.parent.name)
def test_the_tables_are_the_record(path):
    page = make_page(path)
    record, tables = record_of(page.result, "robot_simplified.urdf"), read_page(page.text).tables
    assert [row[:1] + row[3:] for row in tables["link-table"][1:]] == [
        [link["name"], link["reason"], str(link["line"])] for link in record["links"]
    ]
    joints = tables.get("joint-table", [[]])[1:]
    assert [(row[0], row[1], row[4] == "− flipped") for row in joints] == [
        (joint["name"], joint["type"], joint["sign"] < 0) for joint in record["joints"]
    ]
    stripped = tables.get("stripped", [])
    counted = sum(
        int(row[2]) + int(row[3]) for row in stripped[1:] if len(row) == 5 and row[2].isdigit()
    )
    assert counted == len(record["stripped"])
    assert tables.get("mass-table", [["all links", "", ""]])[-1][0] == "all links"
    told = re.sub(r"\s+", " ", " ".join(data for _, data in read_page(page.text).texts))
    for notice in record["warnings"]:
        assert re.sub(r"\s+", " ", notice["message"]) in told


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.parent.name)
def test_the_counts_add_up(path):
    page = make_page(path)
    shown = re.search(r'<dl id="counts">(.*?)</dl>', page.text, re.S)
    assert shown
    rows = re.findall(r'<dt>(\w+)</dt><dd>(.*?)</dd><dd class="why">(.*?)</dd>', shown.group(1))
    assert [title for title, _, _ in rows] == ["Links", "Joints", "Shapes", "Mass", "Warnings"]
    for _, change, why in rows[:3]:
        before, after = (int(change.split(" → ")[end]) for end in (0, -1))
        less = sum(int(number) for number in re.findall(r"−(\d+)", why))
        more = sum(int(number) for number in re.findall(r"\+(\d+)", why))
        assert after == before - less + more
    assert f"{page.result.after.mass:.3f} kg" in rows[3][1]


@pytest.mark.parametrize("side", ["old", "new"])
@pytest.mark.parametrize(
    "said, path, value",
    [
        ("has other links", "links 1 parts 0 0", "other"),
        ("moves differently", "joints 0 axis", [0, 1, 0]),
        ("the mass of", "links 1 mass", 2.1),
        ("the ellipsoid of", "links 1 ellipsoid T 11", 1.0),
        ("the ellipsoid of 'arm'", "links 1 ellipsoid", GONE),
        ("a visual of", "links 0 shapes 0 size 0", 1.1),
        ("a collision of", "links 0 shapes 1 shape", "box"),
        ("a visual of 'arm'", "links 1 shapes 0 size", [2, 1, 2]),
    ],
)
def test_the_proof_sees_another_robot(said, path, value, side, tmp_path):
    for name in ("good.stl", "other.stl"):  # of another size, so that it is another surface
        (tmp_path / name).write_bytes(
            MESHES["good.stl"].replace(
                struct.pack("<f", 1.0), struct.pack("<f", 1.0 + ("other" in name))
            )
        )
    body = (
        "<inertial><mass value='2'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial><{0}>"
        "<origin xyz='0 0 .1'/><geometry><{1}/></geometry></{0}><{2}><geometry><{3}/></geometry></{2}>"
    )
    robot = tmp_path / "robot.urdf"
    robot.write_text(
        "<robot name='r'><link name='base'>"
        + body.format("visual", "box size='1 2 3'", "collision", "sphere radius='1'")
        + "</link><link name='arm'>"
        + body.format(
            "visual",
            "mesh filename='good.stl'",
            "collision",
            "mesh filename='other.stl' scale='2 2 2'",
        )
        + "</link>"
        "<joint name='roll' type='continuous'><parent link='base'/><child link='arm'/><axis xyz='0 0 -1'/></joint>"
        "</robot>",
        "utf-8",
    )
    page = make_page(robot)
    put(page.data[side], path, value)
    with pytest.raises(ProofFailed, match=f"page.*: .*{said}"):
        verify_page(page.data, page.robots)
        verify_drawn(page.data, page.robots)


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.parent.name)
def test_a_shape_of_the_result_is_where_its_origin_is(path):
    """And what is not in the result is marked as stripped, or as a copy."""
    data = make_page(path).data
    new, old = data["new"]["links"], data["old"]["links"]
    frames = {side: _root_frames(data[side]) for side in ("new", "old")}
    T_new_old = _pose(data["base"])

    def places(T_root_body, shapes):
        return [compose(T_root_body, _pose(shape["T"])).translation for shape in shapes]

    for number, body in enumerate(old):
        stays = [shape for shape in body["shapes"] if shape.get("change") in (None, "merged")]
        assert len(new[body["to"]]["shapes"]) == len(stays)
        before = places(compose(T_new_old, frames["old"][number]), stays)
        for here in places(frames["new"][body["to"]], new[body["to"]]["shapes"]):
            assert min(distance(here, other) for other in before) < 1e-5
    merged = {row["link"] for row in data["rows"]} - {body["name"] for body in old}
    marked = {shape["link"] for body in old for shape in body["shapes"] if "link" in shape}
    assert merged >= {one for one in marked if one not in {body["name"] for body in new}}


def test_the_same_bytes_on_every_start(tmp_path):
    script = (
        "import sys; from pathlib import Path; sys.path[:0] = [{!r}, {!r}, {!r}]; import pages; "
        "sys.stdout.buffer.write(pages.make_page(Path(sys.argv[1])).text.encode())"
    ).format(str(ROOT), str(ROOT / "tests"), str(Path(__file__).parent))
    pages = [
        subprocess.run(
            [sys.executable, "-c", script, str(PAINTED)],
            stdout=subprocess.PIPE,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1")
    ]
    assert pages[0] == pages[1] and len(pages[0]) > 50_000


@pytest.mark.parametrize(
    "reference, shown",
    [
        ("package://arm/meshes/a.stl", "package://arm/meshes/a.stl"),
        ("meshes/a.stl", "meshes/a.stl"),
        ("/home/me/a.stl", "a.stl"),
        ("file:///home/me/a.stl", "a.stl"),
        ("C:\\me\\a.stl", "a.stl"),
    ],
)
def test_a_mesh_is_named_without_the_folders_of_a_machine(reference, shown):
    assert shown_reference(reference) == shown


@pytest.mark.parametrize(
    "ends, start", [((-1.0, 2.0), 0.0), ((0.5, 2.0), 0.5), ((-2.0, -1.0), -1.0)]
)
def test_a_slider_starts_next_to_zero(ends, start):
    assert f'value="{start!r}"' in range_row(0, Markup("knee"), ends, "revolute")


def test_a_link_is_in_the_tree_below_its_parent():
    root = read_robot(
        parse_document(golden.FIXTURES.joinpath("quadruped/robot.urdf").read_bytes(), "r")
    )
    levels = dict(levels_of(root))
    assert levels.pop(root.root) == 0 and len(levels) == len(root.joints)
    assert all(levels[one.child] == levels.get(one.parent, 0) + 1 for one in root.joints)


def test_no_folder_of_this_machine_is_in_it(tmp_path):
    robot = tmp_path / "robot.urdf"
    robot.write_text(
        PAINTED.read_text("utf-8").replace("meshes/", f"file://{tmp_path}/meshes/"),
        "utf-8",
    )
    result = simplify_bytes(robot.read_bytes(), str(robot), Options())
    text = page_of(result, robot).text
    assert str(tmp_path) not in block(text, "data") and "not found" in text
    visible = text[text.index("</style>") :]
    assert (
        str(tmp_path) not in visible
        and str(ROOT) not in visible
        and str(Path.home()) + "/" not in visible
    )


# Meshes.


def a_wave(edge):
    """Return a smooth sheet of 2 * edge * edge triangles, every point written three times over as in STL."""

    def point(i, j):
        return [i / edge, j / edge, 0.1 * ((i * 7 + j * 3) % edge) / edge]

    corners = []
    for i in range(edge):
        for j in range(edge):
            for a, b in ((0, 0), (1, 0), (1, 1), (0, 0), (1, 1), (0, 1)):
                corners += point(i + a, j + b)
    return MaterialSurface(
        MeshMaterial(), array("f", corners), array("I", range(len(corners) // 3))
    )


def test_a_grid_keeps_every_triangle_within_half_a_step():
    surface = a_wave(20)
    grid = grid_of(surface)
    assert grid.triangles == 800 and len(grid.points) == 21 * 21
    for corner, number in zip(surface.corners, grid.corners):
        point = grid.points[number]
        for axis, value in enumerate((point >> 40, point >> 20 & 0xFFFFF, point & 0xFFFFF)):
            assert (
                abs(grid.low[axis] + grid.step * value - surface.positions[3 * corner + axis])
                <= 0.51 * grid.step
            )


@pytest.mark.parametrize("most", [5, 50, 500, 1500])
def test_fewer_triangles_than_asked_for_and_none_far_off(most):
    grids = [grid_of(a_wave(20)), grid_of(a_wave(30))]
    found, cell = fitted(grids, [1.0, 1.0], most)
    assert sum(grid.triangles for grid in found) <= most and cell > 0.0
    for before, after in zip(grids, found):
        edge = round(cell / before.step)
        for point in after.points:  # a mean lies in the cell of its members
            cells = {
                tuple((one >> 20 * axis & 0xFFFFF) // edge for axis in range(3))
                for one in before.points
            }
            assert tuple((point >> 20 * axis & 0xFFFFF) // edge for axis in range(3)) in cells
    if most >= 500:
        assert sum(grid.triangles for grid in found) > most / 3


def test_all_triangles_where_they_are_few_or_wanted():
    grids = [grid_of(a_wave(20))]
    assert fitted(grids, [1.0], 0) == (grids, 0.0) and fitted(grids, [1.0], 800) == (grids, 0.0)
    assert clustered(grids[0], 1) == grids[0]


def test_packed_bytes_hold_the_triangles():
    grid = grid_of(a_wave(3))
    row, data = packed(grid, 8)
    assert not row["wide"] and row["points"] == 8
    assert row["corners"] % 4 == 0 and len(data) % 4 == 0
    corners = struct.unpack_from(f"<{row['count']}H", data, row["corners"] - 8)
    numbers = struct.unpack_from(f"<{3 * len(grid.points)}H", data)
    told = [
        numbers[3 * corner] << 40 | numbers[3 * corner + 1] << 20 | numbers[3 * corner + 2]
        for corner in corners
    ]
    assert told == [grid.points[corner] for corner in grid.corners]


MESHES = {
    "good.stl": binary_stl([(A, B, C), (A, C, D)]),
    "short.stl": binary_stl([(A, B, C)])[:-7],
    "empty.stl": binary_stl([]),
    "good.obj": b"v 0 0 0\nv 2 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n",
    "bad.obj": b"v 0 0 0\nf 1 2 9\n",
    "bad.dae": b"<COLLADA",
    "unknown.ply": b"ply\n",
}


def test_meshes_are_shown_or_listed(tmp_path):
    for name, content in MESHES.items():
        (tmp_path / name).write_bytes(content)
    files = [*MESHES, "missing.stl", "package://nowhere/x.stl", "/absolute/y.stl"]
    shapes = "".join(
        f"<visual><geometry><mesh filename='{name}'/></geometry></visual>" for name in files
    )
    robot = tmp_path / "robot.urdf"
    robot.write_text(f"<robot name='r'><link name='a'>{shapes}</link></robot>", "utf-8")
    page = make_page(robot)
    drawn = [shape["shape"] for shape in page.data["new"]["links"][0]["shapes"]]
    assert drawn == [0, 1] and [mesh["count"] for mesh in page.data["meshes"]] == [6, 6]
    listed = {meshes: reason for reason, meshes in read_page(page.text).tables["meshes"][1:]}
    assert list(listed) == [
        "short.stl",
        "empty.stl",
        "bad.obj",
        "bad.dae",
        "unknown.ply",
        "2: missing.stl, y.stl",
        "package://nowhere/x.stl",
    ]
    assert listed["2: missing.stl, y.stl"] == "not found"
    assert "--package nowhere=DIR" in listed["package://nowhere/x.stl"]
    assert listed["empty.stl"] == "draws no triangles"
    assert (
        '<p id="missing"><a href="#meshes">8 meshes not shown</a>, ellipsoids of inertia in their place: '
        "<code>--package nowhere=DIR</code> finds them</p>"
    ) in page.text
    blob = base64.b64decode(block(page.text, "mesh-data"))
    assert len(blob) == page.data["meshes"][-1]["corners"] + 12


def test_the_same_surface_is_stored_once(tmp_path):
    for name in ("one.stl", "two.stl"):
        (tmp_path / name).write_bytes(MESHES["good.stl"])
    shapes = "".join(
        f"<visual><geometry><mesh filename='{name}' scale='1 {side} 1'/></geometry></visual>"
        for name, side in (("one.stl", 1), ("two.stl", -1))
    )
    robot = tmp_path / "robot.urdf"
    robot.write_text(f"<robot name='r'><link name='a'>{shapes}</link></robot>", "utf-8")
    page = make_page(robot)
    assert [shape["size"] for shape in page.data["new"]["links"][0]["shapes"]] == [
        [1, 1, 1],
        [1, -1, 1],
    ]
    assert len(page.data["meshes"]) == 1


def test_colors_are_those_of_the_file_and_what_was_split_is_stored_once(tmp_path, monkeypatch):
    shutil.copytree(str(PAINTED.parent), str(tmp_path / "arm"))
    monkeypatch.chdir(tmp_path / "arm")
    assert main(["robot.urdf", "-q", "-n", "--page", "whole.html"]) == 0
    assert main("robot.urdf -q -n --separate-dae-meshes --page split.html".split()) == 0
    whole, split = (
        json.loads(block(Path(name).read_text("utf-8"), "data"))
        for name in ("whole.html", "split.html")
    )
    count = len(whole["meshes"])
    assert count > 10 and split["meshes"][:count] == whole["meshes"]
    # sign.dae, whose triangles without area are not written.
    assert len(split["meshes"]) == count + 1
    colors = [
        [
            list(shape.get("color", []))
            for link in data["new"]["links"]
            for shape in link["shapes"]
            if isinstance(shape["shape"], int)
        ]
        for data in (whole, split)
    ]
    assert all([1, 0.45, 0, 1] in one for one in colors)


# The command line.


def test_a_dry_run_writes_the_page_only(here, capsys):
    (here / "robot.urdf").write_bytes(HUMANOID.read_bytes())
    assert main(["robot.urdf", "-n", "--page", "p.html"]) == 0
    assert sorted(os.listdir(".")) == ["p.html", "robot.urdf"]
    assert "\n  Page: p.html (" in capsys.readouterr().out
    alone = Path("p.html").read_bytes()
    assert main("robot.urdf -y --page p.html -o out.urdf --report r.json".split()) == 0
    assert sorted(os.listdir(".")) == ["out.urdf", "p.html", "r.json", "robot.urdf"]
    assert Path("p.html").read_bytes() == alone
    assert "\n  Export: p.html\n" in capsys.readouterr().out
    assert (
        json.loads(Path("r.json").read_text())["exports"][0]["sha256"] == sha256(alone).hexdigest()
    )


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["-n", "--page", "robot.urdf"], "robot.urdf: an input and --page are the same file\n"),
        (
            ["-n", "--page", "robot.urdf/p.html"],
            "robot.urdf/p.html: the folder 'robot.urdf' cannot be made: a file is in its way\n",
        ),
        (
            ["-y", "--page", "p.html", "--page-triangles", "-1"],
            "--page-triangles -1: give a number of triangles, or 0 for all\n",
        ),
    ],
)
def test_what_cannot_be_is_refused(here, arguments, message):
    (here / "robot.urdf").write_bytes(HUMANOID.read_bytes())
    assert refusal("robot.urdf", "-q", *arguments) == message


def test_replaced_collisions_are_counted(tmp_path):
    """They are no fewer shapes, and are not the same."""
    shutil.copytree(ROOT / "fixtures" / "painted_arm", tmp_path / "in")
    for words, expected in ((["--collision", "box"], True), ([], False)):
        page = tmp_path / "page.html"
        assert (
            main(
                [
                    str(tmp_path / "in" / "robot.urdf"),
                    "-o",
                    str(tmp_path / "out.urdf"),
                    "--yes",
                    "--force",
                    "--page",
                    str(page),
                    *words,
                ]
            )
            == 0
        )
        shapes = re.search("<dt>Shapes</dt>(.*?)</div>", page.read_text("utf-8"), re.S)
        assert shapes and bool(re.search(r"\d+ collisions? replaced", shapes[1])) is expected
