"""Whole runs with other collisions: each option on small meshes, what is refused, and what a second run does."""

import json
import random
import re
import signal
from pathlib import Path

import commands
import pytest
from collision.clouds import single
from counted_calls import content
from mesh_files import binary_stl, TETRAHEDRON

from engine import simplify
from urdf_tools import collision, UsageError, UrdfError
from urdf_tools.compare import compare
from urdf_tools.meshes.mesh_readers import read_indexed
from urdf_tools.meshes.convex_hull import convex_hull
from urdf_tools.collada.binary_stl import stl_count

AS_IT_IS = {"merge": False, "reorient": False, "strip_hardware": False}
MESH = (
    '<collision name="{0}"><origin xyz="0.1 0 0" rpy="0 0 0.5"/><geometry><mesh filename="{0}.stl"/></geometry>'
    "</collision>"
)
BALL = '<collision><geometry><sphere radius="0.1"/></geometry></collision>'


def ball(count=200, size=0.1):
    generator = random.Random(3)
    found = []
    for _ in range(count):
        x, y, z = (generator.gauss(0.0, 1.0) for _ in range(3))
        length = (x * x + y * y + z * z) ** 0.5
        found.append(
            (single(size * x / length), single(size * y / length), single(0.5 * size * z / length))
        )
    hull = convex_hull(found)
    assert hull is not None
    return hull


def stl_of(hull, shift=0.0):
    corners = [(single(x + shift), y, z) for x, y, z in hull.corners]
    return [[corners[k] for k in triangle] for triangle in hull.triangles]


CUBE = convex_hull([(x, y, z) for x in (0.0, 0.25) for y in (0.0, 0.5) for z in (0.0, 1.0)])
FLAT = [
    [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)],
    [(1.0, 0.0, 0.0), (1.0, 1.0, 0.0), (0.0, 1.0, 0.0)],
]
LINE = [[(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (2.0, 0.0, 0.0)]]
assert CUBE is not None
MESHES = {
    "ball": stl_of(ball()),
    "cube": stl_of(CUBE),
    "flat": FLAT,
    "line": LINE,
    "tet": TETRAHEDRON,
    "two": [*stl_of(ball()), *stl_of(ball(), 1.0)],
}


@pytest.fixture()
def folder(here):
    for name, triangles in MESHES.items():
        (here / f"{name}.stl").write_bytes(binary_stl(triangles))
    return here


in_folder = pytest.mark.usefixtures("folder")


def robot(*collisions, more="", version=""):
    inside = "".join(collisions)
    Path("robot.urdf").write_text(
        f'<robot name="r"{version}>\n  <link name="base">\n    {inside}\n  </link>\n{more}</robot>\n'
    )


def run(**choices):
    return simplify("robot.urdf", "out.urdf", **{**AS_IT_IS, **choices})


def collisions_of(text):
    return re.findall(r"<collision.*?</collision>", text, flags=re.S)


def test_a_mesh_becomes_a_hull_in_its_place(folder):
    robot(MESH.format("ball"), BALL)
    result = run(collision="hull")
    hull, sphere = collisions_of(result.text)
    assert (
        hull == MESH.format("ball").replace("ball.stl", "out_meshes/ball_hull.stl")
        and sphere == BALL
    )
    corners, facets = read_indexed("out_meshes/ball_hull.stl")
    assert (
        40 < len(corners) <= 64
        and stl_count("out_meshes/ball_hull.stl") == len(facets) == 2 * len(corners) - 4
    )
    assert (folder / "out.urdf").read_bytes() == result.data


def test_nothing_else_of_the_text_changes(folder):
    robot("<!-- a -->", MESH.format("ball"), more='  <!-- kept -->\n  <material name="m"/>\n')
    before = (folder / "robot.urdf").read_text()
    note, _, text = run(collision="hull").text.partition("-->\n")
    assert (
        text == before.replace("ball.stl", "out_meshes/ball_hull.stl")
        and "\n  lost base collision" in note
    )


def test_a_mesh_that_is_a_box_becomes_a_box(folder):
    robot(MESH.format("cube"))
    for kind in ("hull", "auto", "box"):
        text = run(collision=kind).text
        (size,) = re.findall(r'<box size="(\S+) (\S+) (\S+)"/>', text)
        assert [float(value) for value in size] == pytest.approx([0.25, 0.5, 1.0], abs=2e-8)
        assert 'rpy="0 0 0.5"' in text


@pytest.mark.parametrize("kind", ["box", "cylinder", "capsule", "sphere"])
def test_each_primitive_can_be_asked_for(folder, kind):
    robot(MESH.format("ball"), MESH.format("tet"), version=' version="1.2"')
    result = run(collision=kind)
    assert result.text.count(f"<{kind} ") == 2 and "mesh" not in result.text
    assert not result.exported.warnings and not (folder / "out_meshes").exists()


def test_a_primitive_that_stands_out_too_far_becomes_a_hull(folder):
    robot(MESH.format("ball"))
    assert "<sphere " in run(collision="sphere").text
    assert "_hull.stl" in run(collision="sphere", collision_overhang="10mm", force=True).text


def test_a_capsule_needs_the_version_that_has_it(folder):
    robot(MESH.format("ball"))
    (warning,) = run(collision="capsule").exported.warnings
    assert warning.kind.name == "collision-version"


def test_links_have_kinds_of_their_own_and_the_last_counts(folder):
    arm = (
        f'  <link name="arm">{MESH.format("ball")}</link>\n  <joint name="j" type="continuous">'
        '<parent link="base"/><child link="arm"/></joint>\n'
    )
    robot(MESH.format("ball"), more=arm)
    first, second = collisions_of(run(collision_link=["*=sphere", "arm=keep"]).text)
    assert "<sphere " in first and second == MESH.format("ball")
    first, second = collisions_of(
        run(collision="box", collision_link={"arm": "hull"}, force=True).text
    )
    assert "<box " in first and "_hull.stl" in second


@pytest.mark.parametrize(
    "shapes, options, message",
    (
        (
            MESH.format("ball"),
            ["--shape=hull", "--link=bsae=box"],
            "no such link (did you mean 'base'?)",
        ),
        (
            MESH.format("gone"),
            ["--shape=hull"],
            "put the file where its name says, give --package NAME=DIR",
        ),
        (MESH.format("gone") * 2, ["--shape=hull"], "none of the meshes of 2 collisions is found"),
        (
            BALL,
            ["--shape=hull", "--from-visuals"],
            "remove the primitives, and give --from-visuals",
        ),
        ("", ["--shape=hull"], "--from-visuals makes them of the visuals"),
        (MESH.format("ball"), ["--link=base=keep"], "--from-visuals makes them of the visuals"),
    ),
)
def test_where_nothing_asked_for_is_done_nothing_is_written(shapes, options, message, folder):
    visual = MESH.format("ball").replace("collision", "visual")
    robot(f"{visual}{shapes}")
    assert message in commands.refusal("collision", "robot.urdf", *options, "-o", "new.urdf", "-y")


def test_one_hull_for_a_link_contains_all_its_meshes(folder):
    robot(MESH.format("ball"), BALL, MESH.format("tet").replace('0.1 0 0"', '0 1 0"'))
    hull, sphere = collisions_of(run(collision_link=["base=link"]).text)
    assert (
        'filename="out_meshes/base_hull.stl"' in hull
        and 'xyz="0 0 0" rpy="0 0 0"' in hull
        and sphere == BALL
    )


def test_each_part_of_a_mesh_becomes_a_hull(folder):
    robot(MESH.format("two"))
    first, second = collisions_of(run(collision_link=["base=parts"]).text)
    assert "two_1_hull.stl" in first and "two_2_hull.stl" in second and 'name="two_2"' in second


def test_visuals_become_collisions_where_there_are_none(folder):
    visual = MESH.format("ball").replace("collision", "visual")
    robot(visual, BALL.replace("collision", "visual"))
    result = run(collision="hull", collision_from_visuals=True)
    assert visual in result.text
    sphere, hull = sorted(collisions_of(result.text), key=lambda text: "mesh" in text)
    assert 'radius="0.1"' in sphere and "ball_hull.stl" in hull and 'rpy="0 0 0.5"' in hull
    robot(visual, BALL)
    with pytest.raises(UsageError, match="1 primitive would stay"):
        run(collision="hull", collision_from_visuals=True, force=True)


def test_drake_gets_obj_that_is_declared_convex(folder):
    robot(MESH.format("ball"))
    text = run(collision="hull", for_="drake").text
    assert 'xmlns:drake="http://drake.mit.edu"' in text
    assert re.search(
        r'<mesh filename="out_meshes/ball_hull.obj">\s*<drake:declare_convex/>\s*</mesh>', text
    )
    corners, facets = read_indexed("out_meshes/ball_hull.obj")
    assert len(facets) == 2 * len(corners) - 4
    assert sorted(path.name for path in (folder / "out_meshes").iterdir()) == ["ball_hull.obj"]
    words = [
        "collision",
        "robot.urdf",
        "-o",
        "out.urdf",
        "-y",
        "-q",
        "--shape",
        "hull",
        "--for",
        "drake",
    ]
    assert (
        commands.run(commands.PACKAGE, *words).returncode == 0
        and (folder / "out.urdf").read_text() == text
    )


def test_a_second_run_changes_nothing(folder):
    robot(MESH.format("ball"), MESH.format("cube"), MESH.format("tet"))
    first = run(collision="hull")
    again = simplify("out.urdf", **AS_IT_IS, collision="hull")
    assert not again.changed and again.data == first.data and not again.plan.meshes.files


def test_the_number_of_corners_can_be_chosen(folder):
    robot(MESH.format("ball"))
    run(collision="hull", collision_max_vertices="isaac")
    assert len(read_indexed("out_meshes/ball_hull.stl")[1]) <= 64
    run(collision="hull", collision_max_vertices=12, force=True)
    assert len(read_indexed("out_meshes/ball_hull.stl")[0]) <= 12


def test_more_corners_are_taken_where_the_overhang_needs_them(folder):
    robot(MESH.format("ball"))
    run(collision="hull", collision_overhang="2mm")
    assert len(read_indexed("out_meshes/ball_hull.stl")[0]) > 64
    with pytest.raises(
        UsageError,
        match="stands out by .* mm: give a larger --overhang, or a larger --max-vertices",
    ):
        run(collision="hull", collision_overhang="0.1mm", collision_max_vertices=16, force=True)


def test_a_limit_off_the_mesh_keeps_what_is_hollow(folder):
    robot(MESH.format("two"))
    result = run(collision="hull", collision_off_mesh="5mm")
    assert result.text == Path("robot.urdf").read_text()
    (warning,) = result.exported.warnings
    assert warning.kind.name == "collision-left" and 300.0 < warning.numbers[0] < 520.0
    robot(MESH.format("ball"))
    assert "_hull.stl" in run(collision="hull", collision_off_mesh="20mm", force=True).text


def test_what_is_flat_becomes_a_thin_box_and_a_line_stays(folder):
    robot(MESH.format("flat"), MESH.format("line"))
    result = run(collision="hull")
    box, line = collisions_of(result.text)
    (size,) = re.findall(r'<box size="(\S+) (\S+) (\S+)"/>', box)
    assert sorted(map(float, size)) == pytest.approx(
        [1e-3, 1.0, 1.0], abs=1e-8
    ) and line == MESH.format("line")
    assert [warning.kind.name for warning in result.exported.warnings] == [
        "collision-thin",
        "collision-left",
    ]


def test_meshes_that_cannot_be_read_stay_and_are_named(folder):
    (folder / "bad.stl").write_bytes(b"nothing")
    left = [MESH.format("bad"), MESH.format("gone")]
    robot(*left, MESH.format("ball"))
    result = run(collision="hull")
    assert collisions_of(result.text)[:2] == left
    assert [warning.sentence for warning in result.exported.warnings] == ["unreadable", "not-found"]


def test_many_meshes_that_are_not_found_are_one_warning(folder):
    gone = [MESH.format(f"gone{number}") for number in range(6)]
    robot(*gone)
    with pytest.raises(
        UsageError, match="'gone0.stl', 'gone1.stl', 'gone2.stl', 'gone3.stl' and 2 more"
    ):
        run(collision="hull")
    robot(MESH.format("ball"), *gone)
    (warning,) = run(collision="hull", force=True).exported.warnings
    assert (warning.sentence, warning.line, warning.numbers) == ("several-not-found", 2, (6,))
    robot(MESH.format("bad"), MESH.format("ball"), *gone)
    (folder / "bad.stl").write_bytes(b"nothing")
    assert [one.sentence for one in run(collision="hull", force=True).exported.warnings] == [
        "unreadable",
        "several-not-found",
    ]


def test_pairs_of_links_without_known_shapes_are_one_warning(folder):
    links = "".join(
        f'<link name="{name}">{MESH.format(name)}</link><joint name="j{name}" type="continuous">'
        f'<parent link="base"/><child link="{name}"/></joint>'
        for name in "abc"
    )
    robot(BALL, more=links)
    warnings = run(pairs=True, force=True).exported.warnings
    found = [one for one in warnings if one.kind.name == "pair-unknown"]
    assert [(one.sentence, one.numbers) for one in found] == [("shapes", (3,))]
    robot("", more=links)
    with pytest.raises(UsageError, match="no link has shapes that can be read"):
        run(pairs=True, force=True)


@pytest.mark.parametrize(
    "where",
    [
        "collision.change_collisions.decide_link",
        "collision.change_collisions.write_hull",
        "collision.decide_pairs._LinkPairSearch.go_on",
        "collision.link_pairs_step.verify_decided",
    ],
)
@pytest.mark.parametrize("old", [False, True], ids=["new", "again"])
def test_an_interrupted_search_leaves_all_as_it_was(folder, monkeypatch, where, old):
    arm = (
        f'<link name="arm">{MESH.format("cube")}</link><joint name="j" type="revolute"><origin xyz="1.5 0 0"/>'
        '<parent link="base"/><child link="arm"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
        f'<link name="tip">{BALL}</link><joint name="k" type="revolute"><origin xyz="1 0 0"/><parent link="arm"/>'
        '<child link="tip"/><limit lower="-3" upper="3" effort="1" velocity="1"/></joint>'
    )
    robot(MESH.format("ball"), more=arm)
    words = [
        "robot.urdf",
        "--as-is",
        "-o",
        "out.urdf",
        "--collision",
        "hull",
        "--pairs",
        "-y",
        "--force",
    ]
    if old:
        assert commands.run(commands.PACKAGE, *words).returncode == 0
        robot(MESH.format("two"), more=arm)
    before = content(folder)
    monkeypatch.setattr(f"urdf_tools.{where}", lambda *_, **__: signal.raise_signal(signal.SIGINT))
    done = commands.run(commands.PACKAGE, *words)
    assert (done.returncode, done.stdout) == (1, b"")
    assert done.stderr.split(b"\n") == [b"", b"Stopped. No file was written.", b"", b""]
    assert content(folder) == before
    if old and "pairs" in where:
        done = commands.run(commands.PACKAGE, "pairs", "robot.urdf", "out.srdf", "--check")
        assert (
            (done.returncode, done.stdout) == (1, b"")
            and b"Stopped." in done.stderr
            and content(folder) == before
        )


def test_links_that_touch_only_with_the_new_shapes_are_named(folder):
    links = "".join(f'<link name="{name}">{MESH.format("ball")}</link>' for name in "abc")
    robot(
        BALL.replace("0.1", "0.01"),
        more=links
        + "".join(
            f'<joint name="j{name}" type="continuous"><origin xyz="{x} 0 {z}"/><parent link="base"/><child link="{name}"/>'
            "</joint>"
            for name, x, z in (("a", 0, 1), ("b", 0, 1.15), ("c", 0, 2))
        ),
    )
    assert not run(collision="hull").exported.warnings
    (warning,) = run(collision="sphere", force=True).exported.warnings
    assert (warning.kind.name, warning.sentence, warning.names) == (
        "collision-contact",
        "zero",
        ("a", "b"),
    )


def test_a_robot_without_meshes_is_refused(folder):
    robot(BALL)
    with pytest.raises(UrdfError, match="the robot has no meshes"):
        run(collision="hull")


REFUSED = [
    ({"shape": "ball"}, "collision ball: give hull, auto"),
    ({"collision_overhang": "5mm"}, "which shape?"),
    ({}, "which shape?"),
    ({"collision_from_visuals": True}, "which shape?"),
    (
        {"shape": "hull", "collision_overhang": "5 miles"},
        "collision_overhang 5 miles: give a length",
    ),
    ({"shape": "hull", "collision_overhang": "-1mm"}, "collision_overhang -1mm: give a length"),
    (
        {"shape": "hull", "collision_max_vertices": 3},
        "collision_max_vertices 3: give a number from 8 on",
    ),
    ({"link": ["base"]}, "collision_link base: give a link and a kind"),
    ({"link": ["base=ball"]}, "collision_link base=ball: give a link and a kind"),
]


@pytest.mark.parametrize("choice, message", REFUSED)
def test_a_value_that_means_nothing_is_refused(folder, choice, message):
    robot(MESH.format("ball"))
    with pytest.raises(UsageError) as caught:
        collision("robot.urdf", "out.urdf", **choice)
    assert str(caught.value).startswith(message) and not (folder / "out.urdf").exists()


SPELLED = {
    "shape": "--shape",
    "link": "--link",
    "collision_overhang": "--overhang",
    "collision_max_vertices": "--max-vertices",
    "collision_from_visuals": "--from-visuals",
}


@pytest.mark.parametrize("choice, message", REFUSED)
def test_the_command_line_refuses_the_same_in_its_words(folder, choice, message):
    robot(MESH.format("ball"))
    values = {
        name: value[0] if isinstance(value, list) else value for name, value in choice.items()
    }
    words = [
        SPELLED[name] if value is True else f"{SPELLED[name]}={value}"
        for name, value in values.items()
    ]
    sentence = commands.refusal("collision", "robot.urdf", "-o", "out.urdf", "-y", *words)
    option, value, rest = message.partition(" ")
    spelled = {"collision": "--shape", "collision_link": "--link"}.get(
        option, SPELLED.get(option, option)
    )
    assert sentence.startswith(f"{spelled}{value}{rest}")


def test_the_library_does_what_the_command_does(folder):
    robot(MESH.format("ball"), MESH.format("cube"))
    result = collision("robot.urdf", "out.urdf", link={"base": "sphere"})
    done = commands.run(commands.PACKAGE, "collision", "robot.urdf", "-y", "--link", "base=sphere")
    assert done.returncode == 0 and (folder / "robot_collision.urdf").read_bytes() == result.data
    assert (folder / "out.urdf").read_bytes() == result.data and result.text.count("<sphere ") == 2


def test_the_command_line_says_what_becomes_of_each_link(folder):
    robot(MESH.format("ball"), MESH.format("cube"))
    words = ["collision", "robot.urdf", "-o", "out.urdf", "--shape", "hull"]
    shown = commands.run(commands.PACKAGE, *words, "-n")
    assert shown.returncode == 0 and not (folder / "out.urdf").exists()
    text = shown.stdout.decode()
    assert "Collision shapes: 1 hull, 1 box; each contains what it replaces" in text
    assert (
        re.search(r"base +\d+ faces -> 124 faces +\d\.\d mm over", text)
        and "12 faces -> box" in text
    )
    assert (
        "Base frame" not in text
        and "merging is left out" not in text
        and "Result joint origins" not in text
    )
    assert "1 -> 1 link, 0 -> 0 joints, 2 collisions replaced\n" in text
    different = commands.run(
        commands.PACKAGE, "collision", "robot.urdf", "--shape", "hull", "--diff"
    )
    assert b"2 collisions replaced" in different.stderr and b"+      <mesh" not in different.stderr
    assert (
        b"robot_collision_meshes/ball_hull.stl" in different.stdout
        and not (folder / "out.urdf").exists()
    )
    done = commands.run(commands.PACKAGE, *words, "--overhang", "5mm", answer=b"yes\n")
    assert done.returncode == 0 and (folder / "out_meshes" / "ball_hull.stl").exists()


def test_standard_output_has_no_place_for_hulls(folder):
    robot(MESH.format("ball"))
    sentence = commands.refusal("collision", "robot.urdf", "-o", "-", "-y", "--shape", "hull")
    assert sentence == "robot.urdf: give --output a file: the meshes need a place\n"


def test_the_exports_have_the_new_shapes(folder):
    robot(
        '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
        MESH.format("ball"),
        MESH.format("cube"),
    )
    run(collision="hull", mjcf="robot.xml", sdf="robot.sdf", model="robot.json")
    assert (
        "ball_hull.stl" in Path("robot.xml").read_text()
        and 'type="box"' in Path("robot.xml").read_text()
    )
    assert (
        "ball_hull.stl" in Path("robot.sdf").read_text()
        and "ball_hull.stl" in Path("robot.json").read_text()
    )


@pytest.mark.parametrize(
    "form,file", [("mjcf", "out.xml"), ("sdf", "out.sdf"), ("usd", "out.usda")]
)
def test_a_visual_keeps_the_mesh_whose_collision_became_a_hull(folder, form, file):
    """In each export, too: its shapes, meshes read, are those of the URDF that was written."""
    robot(MESH.format("two").replace("collision", "visual"), MESH.format("two"))
    run(collision="hull", **{form: file})
    assert "two.stl" in Path("out.urdf").read_text()
    found = compare("out.urdf", file)
    assert (found.is_same, found.unproven) == (True, ()), [
        str(difference) for difference in found.differences
    ]


def shown_of(page):
    """Return the data of a page."""
    return json.loads(re.findall(r"<script[^>]*>(\{[^<]*)</script>", Path(page).read_text())[0])


@pytest.mark.parametrize(
    "choices", [{}, {"collision_from_visuals": True}, {"collision_link": ["*=parts"]}]
)
def test_a_page_shows_the_collisions_that_were_made(folder, choices):
    """Also where there are more of them than the input has."""
    robot(
        MESH.format("two").replace("collision", "visual"),
        *([] if "collision_from_visuals" in choices else [MESH.format("two")]),
    )
    run(collision="hull", page="page.html", **choices)
    data, made = shown_of("page.html"), sorted(path.name for path in Path("out_meshes").iterdir())
    shapes = [shape for link in data["new"]["links"] for shape in link["shapes"]]
    assert len(made) == (2 if "collision_link" in choices else 1)
    triangles = [
        data["meshes"][shape["shape"]]["count"] // 3 for shape in shapes if shape.get("collision")
    ]
    assert sorted(triangles) == sorted(stl_count(f"out_meshes/{name}") for name in made)


@pytest.mark.parametrize(
    "kind, far",
    [
        *((kind, 1e6) for kind in ("hull", "auto", "box", "cylinder", "capsule", "sphere")),
        ("hull", 1e4),
        ("spheres", 1e4),
    ],
)
def test_what_is_kilometers_away_is_contained(folder, kind, far):
    """Twelve digits of a position end in front of the nanometers there."""
    away = [[(x + far, y, z + far / 3.0) for x, y, z in corners] for corners in TETRAHEDRON]
    (folder / "away.stl").write_bytes(binary_stl(away))
    robot(
        MESH.format("away"),
        MESH.format("tet").replace('xyz="0.1 0 0"', f'xyz="{far} 0 {far / 3.0}"'),
    )
    run(collision=kind, **({"collision_overhang": 0.2} if kind == "spheres" else {}))
    assert ".stl" not in collisions_of(Path("out.urdf").read_text())[0] or kind in ("hull", "auto")
