"""Convex pieces of a mesh: containment and nearness by brute force, mutants of search, certificate and text."""

import random
import re
from pathlib import Path
from unittest import mock

import commands
import pytest
from collision.test_run import BALL, folder, in_folder, MESH, robot, run  # noqa: F401
from conftest import examples
from hypothesis import given, strategies as st
from mesh_files import binary_stl
from surfaces import (
    as_float32,
    ball,
    box,
    bracket,
    by,
    distance,
    inverted,
    moved,
    plate,
    samples,
    tube,
    turned,
)

from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.collision import change_collisions as change, hull_cover, decide_collisions
from urdf_tools.collision.hull_cover import _HullBoxSearch, convex_pieces
from urdf_tools.collision.mesh_cutting import MeshCutter, TooManyParts
from urdf_tools.collision.collision_shapes import MeshWithHull
from urdf_tools.collision.verify_convex_pieces import (
    below,
    INSIDE,
    is_covered,
    MeshNeighborhood,
    supports_of,
)
from urdf_tools.export import collisions_of_run
from urdf_tools.meshes.convex_hull import convex_hull
from urdf_tools.meshes.mesh_volume import TriangleColumns, open_edges, with_holes_closed

SIDES = (box((0.0, 0.0, 0.0), (0.1, 1.0, 1.0)), box((0.9, 0.0, 0.0), (1.0, 1.0, 1.0)))
CHANNEL = box((0.1, 0.0, 0.0), (0.9, 1.0, 0.1)) + SIDES[0] + SIDES[1]
CUBE = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
HOLLOW = CUBE + inverted(box((0.2, 0.2, 0.2), (0.8, 0.8, 0.8)))
HALF_TUBE = [t for t in tube(12, radius=0.5, length=1.0) if max(p[1] for p in t) > 1e-9]
BALLS = ball(6, 8, 0.3) + moved(ball(6, 8, 0.3), by(0.5, 0.4, 0.3))
FORMS = (bracket(), CHANNEL, HOLLOW, HALF_TUBE, BALLS, inverted(bracket()), bracket()[1:], CUBE)


def body_of(surface):
    numbers = {p: k for k, p in enumerate(dict.fromkeys(p for t in surface for p in t))}
    triangles = tuple((numbers[a], numbers[b], numbers[c]) for a, b, c in surface)
    return MeshWithHull("", tuple(numbers), triangles, convex_hull(numbers))


def planes_of(hull):
    """Return normals and levels of the facets."""
    found = []
    for triangle in hull.triangles:
        (ax, ay, az), (bx, by_, bz), (cx, cy, cz) = (hull.corners[k] for k in triangle)
        u, v = (bx - ax, by_ - ay, bz - az), (cx - ax, cy - ay, cz - az)
        n = (u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0])
        found.append((n, n[0] * ax + n[1] * ay + n[2] * az))
    return found


def is_in(point, planes):
    x, y, z = point
    return all(a * x + b * y + c * z <= level + 1e-12 for (a, b, c), level in planes)


def within(hull, count=60):
    """Return points of a hull: mixtures of three of its corners, and of four."""
    generator = random.Random(7)
    points = list(hull.corners)
    for _ in range(count):
        chosen = generator.sample(hull.corners, generator.choice((3, 4)))
        parts = [generator.random() for _ in chosen]
        whole = sum(parts)
        points.append(
            tuple(sum(w * p[k] for w, p in zip(parts, chosen)) / whole for k in (0, 1, 2))
        )
    return points


def fault_of(body, made, d):
    """Return what the checker says of pieces."""
    if not is_covered(body.points, body.triangles, made.trees, made.hulls):
        return "not covered"
    mesh = MeshNeighborhood(body.points, body.triangles, d)
    near = all(mesh.has(hull, boxes) for hull, boxes in zip(made.hulls, made.boxes))
    return "" if near else "not near"


@examples(5, fuzzed=60)
@given(
    st.sampled_from(range(len(FORMS))),
    st.sampled_from((0.12, 0.2, 0.9)),
    # Without a turn the centers of boxes are above edges, where rounding hides the inside.
    st.just(0.0) | st.floats(-3.0, 3.0),
)
def test_each_point_is_in_a_hull_and_no_hull_is_far_off(form, d, angle):
    surface = as_float32(moved(FORMS[form], turned(angle)))
    body = body_of(surface)
    made = convex_pieces(body, d, 64, 32)
    assert fault_of(body, made, d) == ""
    planes = [planes_of(hull) for hull in made.hulls]
    for triangle in surface:
        for point in samples(triangle, 4):
            assert any(is_in(point, of_hull) for of_hull in planes)
    closed = [
        tuple(body.points[k] for k in triangle) for triangle in with_holes_closed(body.triangles)
    ]
    columns = TriangleColumns(closed)
    for hull in made.hulls:
        assert len(hull.corners) <= 64
        for point in within(hull):
            assert distance(point, closed) <= d or columns.winding(point) != 0


numbers = st.integers(-8, 8).map(float)
spots = st.tuples(numbers, numbers, numbers)
mixtures = st.lists(st.tuples(spots, st.integers(0, 5)), min_size=4, max_size=8)


@given(mixtures, spots.filter(any), numbers)
def test_what_a_plane_leaves_holds_each_point_below_it(mixture, normal, level):
    def height(point):
        return sum(n * p for n, p in zip(normal, point)) - level

    left = below([corner for corner, _ in mixture], (normal, level))
    assert all(height(point) <= 1e-9 for point in left)
    whole = sum(weight for _, weight in mixture) or 1
    point = tuple(sum(w * corner[k] for corner, w in mixture) / whole for k in (0, 1, 2))
    if any(weight for _, weight in mixture) and height(point) < 0.0:
        hull = convex_hull(left)
        assert left
        assert hull is None or all(
            sum(n * p for n, p in zip(way, point)) <= top + 1e-9 for way, top in supports_of(hull)
        )


def test_a_box_is_near_by_what_a_plane_leaves_of_it_and_of_no_other_box():
    slanted = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    hull = convex_hull([(0.0, 0.0, 0.0), *slanted])
    mesh = MeshNeighborhood(slanted, [(0, 1, 2)], 0.7)
    cuts = [2 * k + 1 for k in range(4)]
    (cut,) = [step for step in cuts if min(supports_of(hull)[step // 2][0]) > 0.5]
    assert mesh.has(hull, [cut, 2])
    assert mesh.has(hull, [*cuts, 2])
    assert not mesh.has(hull, [2])
    assert not any(mesh.has(hull, [other, 2]) for other in cuts if other != cut)
    assert mesh.has(hull, [-1, cut, 2, cut, 2])
    assert not mesh.has(hull, [-1, cut, 2, 2])
    assert not mesh.has(hull, [cut]) and not mesh.has(hull, [cut, -1, 2, 2])


def test_slanted_hulls_take_few_boxes():
    """Each box that a slanted plane goes through would be halved until it is as flat as the gap."""
    body = body_of(moved(CUBE, turned(0.4)))
    middle = tuple(sum(column) / 8.0 for column in zip(*body.points))
    hull = convex_hull(tuple(q + 1.06 * (p - q) for p, q in zip(c, middle)) for c in body.points)
    boxes = _HullBoxSearch(body, 0.1).boxes(hull)
    assert boxes is not None and len(boxes) < 3000
    assert MeshNeighborhood(body.points, body.triangles, 0.1).has(hull, boxes)


def test_a_center_above_an_edge_proves_nothing():
    """The center of a cube is on the diagonals of two of its sides: rounding hides whether it is inside."""
    body = body_of(CUBE)
    boxes = _HullBoxSearch(body, 0.5).boxes(body.hull)
    mesh = MeshNeighborhood(body.points, body.triangles, 0.5)
    assert mesh.columns.winding((0.5, 0.5, 0.5)) is None
    assert boxes is not None and mesh.has(body.hull, boxes)


def test_a_channel_is_free_and_a_cavity_is_not_filled():
    for form, free in ((CHANNEL, (0.5, 0.5, 0.6)), (HOLLOW, (0.5, 0.5, 0.5))):
        body = body_of(as_float32(form))
        made = convex_pieces(body, 0.15, 64, 32)
        assert len(made.hulls) == 3 if form is CHANNEL else 6 <= len(made.hulls) <= 16
        assert not any(is_in(free, planes_of(hull)) for hull in made.hulls)
    assert len(convex_pieces(body_of(as_float32(CHANNEL)), 0.5, 64, 32).hulls) == 1


def test_what_the_exact_test_refused_is_never_joined_again():
    body = body_of(CUBE)
    cutter = MeshCutter(body.points, body.triangles, body.triangles, distance=1.0, most=32)
    halves = cutter.halves(cutter.part(list(range(cutter.roots))))
    (joined,) = cutter.join(halves)
    assert cutter.split_refused(joined) == tuple(halves)
    assert cutter.join(halves) == list(halves)


def test_more_pieces_than_allowed_are_refused():
    body = body_of(as_float32(HOLLOW))
    with pytest.raises(TooManyParts):
        convex_pieces(body, 0.15, 64, 5)
    assert len(convex_pieces(body, 0.15, 64, 16).hulls) <= 16


@given(st.lists(st.tuples(*[st.integers(0, 7)] * 3), max_size=12))
def test_holes_are_closed(triangles):
    closed = with_holes_closed(triangles)
    assert closed[: len(triangles)] == triangles and open_edges(closed) == 0
    assert open_edges(triangles) or closed == triangles


whole = st.integers(0, 32000).map(float)


@given(st.lists(st.tuples(whole, whole, whole), max_size=40), st.sampled_from((0.0, 500.0)))
def test_a_hull_of_whole_numbers_is_of_the_points(points, least):
    """What it leaves out is at most so far above a plane; for the search alone, as the proof asks all points."""
    quick, exact = convex_hull(points, unless_above=least), convex_hull(points)
    assert (quick is None) == (exact is None)
    if quick is None or exact is None:
        return
    assert least or set(quick.corners) == set(exact.corners)
    assert set(quick.corners) <= set(points)


def changed(sequence, number, value):
    return (*sequence[:number], value, *sequence[number + 1 :])


def with_hull(change):
    def mutant(made):
        return made._replace(hulls=changed(made.hulls, 0, change(made.hulls[0])))

    return mutant


def with_tree(change):
    """Change the first tree that has a cut."""

    def mutant(made):
        number = next(k for k, tree in enumerate(made.trees) if len(tree) > 1)
        return made._replace(
            trees=changed(made.trees, number, tuple(change(list(made.trees[number]))))
        )

    return mutant


def with_boxes(change, hull=0):
    def mutant(made):
        boxes = tuple(change(list(made.boxes[hull])))
        return made._replace(boxes=changed(made.boxes, hull, boxes))

    return mutant


def first_box(kind, value):
    """Return the change of the first step of a kind: below 0 halve, 0 inside, odd off, even near."""

    def is_kind(step):
        return (step < 0, step == INSIDE, step > 0 and step % 2, step > 0 and not step % 2)[kind]

    def change(steps):
        number = next(k for k, step in enumerate(steps) if is_kind(step))
        return changed(steps, number, value(steps[number]))

    return change


def moved_corner(factor):
    """Move the corner that is farthest from the middle of a hull toward it, or away."""

    def change(hull):
        middle = tuple(sum(column) / len(column) for column in zip(*hull.corners))
        number = max(
            range(len(hull.corners)),
            key=lambda k: sum((p - q) ** 2 for p, q in zip(hull.corners[k], middle)),
        )
        corner = tuple(
            round_single(q + factor * (p - q)) for p, q in zip(hull.corners[number], middle)
        )
        made = convex_hull(changed(hull.corners, number, corner))
        assert made is not None
        return made

    return change


def round_single(value):
    return as_float32([((value, 0.0, 0.0),) * 3])[0][0][0]


HALVE, IN, OFF, NEAR = 0, 1, 2, 3
MUTANTS = {
    "a corner moved in by 2 %": with_hull(moved_corner(0.98)),
    "a corner moved in by 1e-5": with_hull(moved_corner(1.0 - 1e-5)),
    "a corner moved far out": with_hull(moved_corner(1.4)),
    "a triangle given to another hull": lambda made: made._replace(
        trees=tuple(
            tuple(step if step < 0.0 else (step + 1) % len(made.hulls) for step in tree)
            for tree in made.trees
        )
    ),
    "a triangle given to no hull": with_tree(lambda tree: [*tree[:-1], 99.0]),
    "the last step left out": with_tree(lambda tree: tree[:-1]),
    "a step too many": with_tree(lambda tree: [*tree, 0.0]),
    "all cuts elsewhere": lambda made: made._replace(
        trees=tuple(
            tuple(
                step if step >= 0.0 else step + (0.4 if step % 1.0 < 0.5 else -0.4) for step in tree
            )
            for tree in made.trees
        )
    ),
    "a cut that is none": with_tree(lambda tree: [-7.5, *tree[1:]]),
    "a triangle without a tree": lambda made: made._replace(trees=made.trees[1:]),
    "near another triangle": with_boxes(first_box(NEAR, lambda step: 2 + (step + 30) % 40)),
    "near for inside": with_boxes(first_box(IN, lambda step: 2)),
    "inside for near": with_boxes(first_box(NEAR, lambda step: INSIDE)),
    "off for near": with_boxes(first_box(NEAR, lambda step: 1)),
    "off by another plane": with_boxes(first_box(OFF, lambda step: step + 6)),
    "inside for off": with_boxes(first_box(OFF, lambda step: INSIDE)),
    "halved along another axis": with_boxes(first_box(HALVE, lambda step: -1 - -step % 3)),
    "an axis that is none": with_boxes(first_box(HALVE, lambda step: -4)),
    "the last box left out": with_boxes(lambda steps: steps[:-1]),
    "a box too many": with_boxes(lambda steps: [*steps, steps[-1]]),
    "one box that is near": with_boxes(lambda steps: [2]),
    "one box that is inside": with_boxes(lambda steps: [INSIDE]),
}


@pytest.fixture(scope="module")
def known():
    """Return a mesh with slanted walls, and its pieces."""
    surface = as_float32(moved(CHANNEL + moved(CUBE, by(0.0, 0.0, -0.8)), turned(0.4)))
    body = body_of(surface)
    made = convex_pieces(body, 0.1, 64, 32)
    assert fault_of(body, made, 0.1) == ""
    return body, made


@pytest.mark.parametrize("what", MUTANTS)
def test_the_checker_refuses_each_mutant(known, what):
    body, made = known
    assert fault_of(body, MUTANTS[what](made), 0.1)


def test_the_checker_refuses_a_smaller_distance_and_another_mesh(known):
    body, made = known
    assert fault_of(body, made, 0.08) == "not near"
    half = body._replace(triangles=body.triangles[::2])
    mesh = MeshNeighborhood(half.points, half.triangles, 0.1)
    assert not all(mesh.has(hull, boxes) for hull, boxes in zip(made.hulls, made.boxes))


def channel(name="channel", scale=0.03):
    triangles = as_float32([tuple(tuple(scale * value for value in p) for p in t) for t in CHANNEL])
    Path(f"{name}.stl").write_bytes(binary_stl(triangles))
    return MESH.format(name)


@in_folder
def test_a_run_writes_them_in_the_place_of_the_mesh():
    robot("<!-- a -->", channel(), BALL, MESH.format("cube"), MESH.format("ball"))
    result = run(collision="convex", collision_off_mesh=0.005)
    names = re.findall(
        r'<collision name="(\w+)"><origin xyz="0.1 0 0" rpy="0 0 0.5"/>', result.text
    )
    assert names == ["channel", "channel_2", "channel_3", "ball"]
    assert re.findall(r'filename="out_meshes/(\w+).stl"', result.text) == [
        "channel_1_hull",
        "channel_2_hull",
        "channel_3_hull",
        "ball_hull",
    ]
    assert result.text.count(BALL) == 1 and "<box" in result.text
    ((_, rows),) = result.exported.tables
    assert ("base", "36 faces -> 3 hulls", "5.0 mm off the mesh") in rows
    assert (
        run(collision_link=["base=convex"], collision_off_mesh=0.02, force=True).text.count(
            "hull.stl"
        )
        == 2
    )


@in_folder
def test_the_distance_is_that_of_the_scaled_mesh():
    mesh = channel().replace("/></geometry>", ' scale="4 0.5 -1"/></geometry>')
    robot(mesh)
    assert len(re.findall("_hull.stl", run(collision="convex", collision_off_mesh=0.02).text)) == 3
    claims = []
    real = change.verify_collisions

    def verify(before, after, found, readers):
        claims.extend(found)
        return real(before, after, found, readers)

    with mock.patch.object(change, "verify_collisions", verify):
        run(collision="convex", collision_off_mesh=0.02, force=True)
    assert [claim.within for claim in claims] == [0.02]


@in_folder
def test_several_links_are_done_in_processes_with_the_same_bytes(monkeypatch):
    inside = [channel("a"), channel("b", 0.02), channel("c", 0.04)]
    links = "".join(
        f'<link name="l{k}">{mesh}</link><joint name="j{k}" type="fixed"><parent link="base"/>'
        f'<child link="l{k}"/></joint>'
        for k, mesh in enumerate(inside)
    )
    robot(more=links)
    used = []
    real = collisions_of_run.call_in_processes

    def counted(jobs, function, calls, finished):
        used.append(jobs)
        return real(jobs, function, calls, finished)

    monkeypatch.setattr(collisions_of_run, "call_in_processes", counted)
    results = [run(collision="convex", jobs=jobs, force=True) for jobs in (1, 3)]
    files = [
        {file.target: Path(file.target).read_bytes() for file in result.plan.meshes.files}
        for result in results
    ]
    assert used == [1, 3] and results[0].data == results[1].data and files[0] == files[1]
    assert results[0].text.count("_hull.stl") >= 9


@in_folder
def test_what_is_open_or_needs_more_is_said():
    robot(channel())
    found = run(
        collision="convex", collision_off_mesh=0.005, collision_pieces=2, require_meshes=False
    )
    (warning,) = found.exported.warnings
    assert (warning.kind.name, warning.sentence) == ("collision-left", "pieces")
    assert "2 hulls around 'channel.stl' of link 'base' do not stay within 5 mm" in warning.text
    (warning,) = run(collision="convex", collision_off_mesh=0.0).exported.warnings
    assert warning.sentence == "pieces" and warning.text.endswith("10mm, for which 2 hulls will do")
    Path("open.stl").write_bytes(binary_stl(as_float32(bracket()[1:])))
    robot(MESH.format("open"))
    (note,) = run(collision="convex", collision_off_mesh=0.2).exported.warnings
    assert (note.kind.name, note.sentence) == ("collision-open", "holes")


@pytest.mark.parametrize(
    "scale, distance, cure",
    (
        (20_000, 100.0, "mm, for which 1 hull will do"),
        (110_000, 550.0, "km in size, and --off-mesh is less than 1 km"),
    ),
)
@in_folder
def test_no_distance_is_named_that_the_option_does_not_take(scale, distance, cure):
    """A mesh in micrometers that is read as meters: twice the distance is above one kilometer."""
    robot(channel().replace("/></geometry>", f' scale="{scale} {scale} {scale}"/></geometry>'))
    choices = {"collision_pieces": 2, "require_meshes": False}
    (warning,) = run(collision="convex", collision_off_mesh=distance, **choices).exported.warnings
    assert warning.text.endswith(cure)


@pytest.mark.parametrize("steps, pieces, scale", [(1000000, 2, -0.37), (60, 32, 1.0)])
@in_folder
def test_the_distance_that_is_named_for_a_refusal_does(monkeypatch, steps, pieces, scale):
    """A run that is told it takes as many hulls as it says."""
    monkeypatch.setattr(hull_cover, "MOST_STEPS", steps)
    convex_pieces.cache_clear()
    surface = moved([*CHANNEL, *moved(CUBE, by(0.0, 0.0, -0.8))], turned(0.4))
    triangles = as_float32([tuple(tuple(0.03 * v for v in p) for p in t) for t in surface])
    Path("slanted.stl").write_bytes(binary_stl(triangles))
    robot(MESH.format("slanted").replace("/></geometry>", f' scale="1 {scale} 1"/></geometry>'))
    options = {"collision": "convex", "collision_pieces": pieces, "require_meshes": False}
    (warning,) = run(collision_off_mesh=0.003, **options).exported.warnings
    said = f"was stopped after {steps} boxes" if steps < 1000 else f"{pieces} hull"
    assert said in warning.text and "3 mm" in warning.text
    given, hulls = re.search(
        r"--off-mesh (\S+), for which (\d+) hulls? will do", warning.text
    ).groups()
    result = run(collision_off_mesh=given, **options, force=True)
    assert not result.exported.warnings and result.text.count("_hull") == int(hulls) <= pieces
    convex_pieces.cache_clear()


@in_folder
def test_what_is_flat_becomes_a_box_and_what_is_a_line_stays():
    Path("sheet.stl").write_bytes(binary_stl(as_float32(plate(3, (1, 2)))))
    robot(MESH.format("sheet"), MESH.format("line"))
    warnings = run(collision="convex").exported.warnings
    assert [warning.kind.name for warning in warnings] == ["collision-thin", "collision-left"]


@pytest.mark.parametrize("value", ["0", "-3", "two"])
@in_folder
def test_a_number_of_pieces_that_means_nothing_is_refused(value):
    robot(channel())
    words = ["collision", "robot.urdf", "--shape", "convex", "--pieces", value, "-o", "o.urdf"]
    sentence = commands.refusal(*words, "-y")
    assert "--pieces" in sentence and "give a positive number" in sentence


@in_folder
def test_auto_says_what_a_hull_fills():
    robot(channel(scale=0.3))
    (note,) = run(collision="auto").exported.warnings
    # 0.24 m by 0.27 m by 0.3 m are free, and the middle of the opening is 0.12 m from both walls.
    assert note.kind.name == "collision-hollow" and note.numbers[0] == pytest.approx(
        19440, rel=1e-5
    )
    assert note.numbers[1] == pytest.approx(120, abs=1.5)
    assert not run(collision="hull", force=True).exported.warnings


RUN_MUTANTS = {
    **{what: MUTANTS[what] for what in ("a corner moved in by 2 %", "a corner moved far out")},
    "a triangle without a tree": MUTANTS["a triangle without a tree"],
    "one box that is near": MUTANTS["one box that is near"],
    "a hull left out": lambda made: made._replace(hulls=made.hulls[:-1], boxes=made.boxes[:-1]),
}


@pytest.mark.parametrize("what", RUN_MUTANTS)
@in_folder
def test_a_run_refuses_what_the_search_has_wrong(what):
    robot(channel())

    def wrong(*arguments):
        return RUN_MUTANTS[what](convex_pieces(*arguments))

    with mock.patch.object(decide_collisions, "convex_pieces", wrong), pytest.raises(ProofFailed):
        run(collision="convex")
    assert not Path("out.urdf").exists()


@in_folder
def test_a_run_refuses_files_that_are_moved_or_wider_than_said():
    robot(channel())
    write_hull = change.write_hull

    def shifted(hull, path, origin):
        corners = tuple((round_single(x + 0.001), y, z) for x, y, z in hull.corners)
        write_hull(hull._replace(corners=corners), path, origin)

    with mock.patch.object(change, "write_hull", shifted), pytest.raises(ProofFailed):
        run(collision="convex")
    less = decide_collisions.FITS / 50.0
    claims_of = change._claims

    def tighter(shapes):
        return [claim._replace(within=less) for claim in claims_of(shapes)]

    surface = as_float32(
        [tuple(tuple(0.03 * v for v in p) for p in t) for t in moved(BALLS, turned(1.0))]
    )
    Path("balls.stl").write_bytes(binary_stl(surface))
    robot(MESH.format("balls"))
    run(collision="convex", collision_max_vertices=16)
    with mock.patch.object(change, "_claims", tighter), pytest.raises(
        ProofFailed, match="farther off"
    ):
        run(collision="convex", collision_max_vertices=16, force=True)


@in_folder
def test_a_mesh_that_is_not_found_stays():
    robot(MESH.format("gone"), channel())
    names = [warning.sentence for warning in run(collision="convex").exported.warnings]
    assert names == ["not-found"]
    with pytest.raises(UrdfError):
        robot(MESH.format("gone"))
        run(collision="convex", force=True)
