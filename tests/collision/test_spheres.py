"""Spheres that hold a mesh: containment and overhang by brute force, mutants of search and text, lists."""

import math
import random
import re
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree
from unittest import mock

import pytest
from collision.test_run import BALL, folder, in_folder, MESH, robot, run  # noqa: F401
from conftest import examples
from hypothesis import given, strategies as st
from surfaces import (
    as_float32,
    ball,
    box,
    distance,
    inverted,
    moved,
    plate,
    samples,
    tube,
    turned,
)

from urdf_tools.app.command_table import main
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.collision import decide_collisions, sphere_cover
from urdf_tools.collision.convex_pieces import primitive_of
from urdf_tools.collision.collision_shapes import MeshWithHull
from urdf_tools.export import collisions_of_run as change
from urdf_tools.meshes.mesh_volume import TriangleColumns
from urdf_tools.meshes.verify_witnesses import Ball, ball_gap, verify_cover
from urdf_tools.urdf.lossless_xml import parse_document
from urdf_tools.urdf.urdf_reader import read_robot

CUBE = box((0.0, 0.0, 0.0), (0.2, 0.3, 0.4))
HOLLOW = CUBE + inverted(box((0.05, 0.05, 0.05), (0.15, 0.25, 0.35)))
SHELLS = CUBE + box((0.05, 0.05, 0.05), (0.15, 0.25, 0.35))
FORMS = (
    CUBE,
    ball(6, 8),
    tube(7),
    HOLLOW,
    SHELLS,
    inverted(CUBE),
    plate(2, size=0.2),
    CUBE[:-1],
)


@pytest.fixture(autouse=True, scope="module")
def few_candidates():
    """Look at fewer points than a run does: the laws hold for any."""
    with mock.patch.multiple(sphere_cover, INSIDE=600, OUTSIDE=100):
        yield


def body_of(surface):
    numbers = {
        point: k
        for k, point in enumerate(
            dict.fromkeys(point for triangle in surface for point in triangle)
        )
    }
    return MeshWithHull(
        "", tuple(numbers), tuple((numbers[a], numbers[b], numbers[c]) for a, b, c in surface), None
    )


def covered(surface, overhang):
    body = body_of(surface)
    return sphere_cover.cover(body.points, body, overhang)


def on_sphere(radius, count=16):
    generator = random.Random(5)
    directions = [[generator.gauss(0.0, 1.0) for _ in range(3)] for _ in range(count)]
    lengths = [math.sqrt(x * x + y * y + z * z) for x, y, z in directions]
    return [
        (radius * x / s, radius * y / s, radius * z / s)
        for (x, y, z), s in zip(directions, lengths)
    ]


@examples(6, fuzzed=60)
@given(st.sampled_from(range(len(FORMS))), st.sampled_from((0.1, 0.15)), st.floats(-3.0, 3.0))
def test_each_point_is_in_a_ball_and_none_stands_out_farther(form, overhang, angle):
    surface = as_float32(moved(FORMS[form], turned(angle)))
    cover = covered(surface, overhang)
    assert verify_cover(surface, cover.trees, cover.balls, ball_gap) == 0.0
    for triangle in surface:
        for point in samples(triangle, 6):
            assert min(math.dist(point, center) - radius for center, radius in cover.balls) <= 0.0
    is_open = form >= 6
    assert cover.overhang <= overhang
    assert is_open or farthest_out(cover, surface) <= cover.overhang + 1e-9


def farthest_out(cover, surface):
    """Return how far balls stand out of a closed surface, at points of them, by brute force [m]."""
    columns = TriangleColumns(surface)
    points = [
        (x + u, y + v, z + w) for (x, y, z), radius in cover.balls for u, v, w in on_sphere(radius)
    ]
    return max(distance(point, surface) for point in points if not columns.winding(point))


def test_a_cavity_is_no_inside():
    """A mutant that takes all points for inside puts balls into the cavity: they hold its walls, and stand out far."""
    surface = box((0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) + inverted(
        box((0.1, 0.1, 0.1), (0.9, 0.9, 0.9))
    )
    cover = covered(surface, 0.2)
    assert farthest_out(cover, surface) <= cover.overhang <= 0.2
    with mock.patch.object(TriangleColumns, "winding", lambda *_: 1):
        wrong = covered(surface, 0.2)
    assert farthest_out(wrong, surface) > 0.3


@in_folder
def test_a_run_writes_them_in_the_place_of_the_mesh():
    robot("<!-- a -->", MESH.format("ball"), BALL)
    text = run(collision="spheres", collision_overhang=0.1).text
    placed = re.findall(
        r'<collision name="(\w+)"><origin xyz="([^"]*)" rpy="0 0 0"/><geometry><sphere radius=',
        text,
    )
    assert (
        len(placed) >= 1
        and len({name for name, *_ in placed}) == len(placed)
        and text.count(BALL) == 1
    )
    finer = run(collision_link=["base=spheres"], collision_overhang=0.05).text
    assert finer.count("<sphere") > text.count("<sphere")
    with pytest.raises(UrdfError, match="would be thousands"):
        run(collision="spheres", collision_overhang=1e-5)


@in_folder
def test_several_links_are_covered_in_processes_with_the_same_bytes(
    monkeypatch,
):
    links = "".join(
        f'<link name="{name}">{MESH.format(name)}</link><joint name="{name}" type="fixed">'
        f'<parent link="base"/><child link="{name}"/></joint>'
        for name in ("cube", "tet")
    )
    robot(MESH.format("ball"), more=links)
    used = []
    real = change.call_in_processes

    def counted(jobs, function, calls, finished):
        used.append(jobs)
        return real(jobs, function, calls, finished)

    monkeypatch.setattr(change, "call_in_processes", counted)
    results = [run(collision="spheres", collision_overhang=0.1, jobs=jobs) for jobs in (1, 3)]
    assert (
        used == [1, 3]
        and results[0].data == results[1].data
        and results[0].text.count("<sphere") > 3
    )
    assert results[0].exported.tables == results[1].exported.tables
    run(collision="hull", jobs=3)
    assert used == [1, 3]  # hulls take milliseconds


@in_folder
def test_what_is_open_or_flat_is_held_and_said():
    robot(MESH.format("flat"), MESH.format("line"))
    result = run(collision="spheres", collision_overhang=0.1)
    assert [warning.kind.name for warning in result.exported.warnings] == ["collision-open"] * 2


WHOLE = lru_cache(maxsize=None)(sphere_cover.cover)


def cover_with(change):
    return lambda *arguments: change(WHOLE(*arguments))


def with_balls(change):
    return cover_with(lambda cover: cover._replace(balls=tuple(change(list(cover.balls)))))


def with_leaf(change):
    return cover_with(
        lambda cover: cover._replace(
            trees=tuple(
                tuple(change(int(step)) if step >= 0 else step for step in tree)
                for tree in cover.trees
            )
        )
    )


MUTANTS = (
    (
        "a radius less by 1 %",
        decide_collisions,
        "cover",
        with_balls(
            lambda balls: [
                center_radius._replace(radius=0.99 * center_radius.radius)
                for center_radius in balls
            ]
        ),
    ),
    ("rounded down", sphere_cover, "rounded_up", lambda value: math.floor(value * 1e4) / 1e4),
    ("one ball removed", decide_collisions, "cover", with_balls(lambda balls: balls[:-1])),
    ("another ball's leaf", decide_collisions, "cover", with_leaf(lambda leaf: leaf ^ 1)),
    ("a leaf that is no ball", decide_collisions, "cover", with_leaf(lambda leaf: leaf + 100)),
    (
        "no leaves",
        decide_collisions,
        "cover",
        cover_with(lambda cover: cover._replace(trees=tuple(() for _ in cover.trees))),
    ),
    (
        "a triangle without a tree",
        decide_collisions,
        "cover",
        cover_with(lambda cover: cover._replace(trees=cover.trees[1:])),
    ),
    (
        "another link's frame",
        decide_collisions,
        "cover",
        with_balls(lambda balls: [Ball((x + 0.01, y, z), radius) for (x, y, z), radius in balls]),
    ),
    (
        "the scale forgotten",
        decide_collisions,
        "cover",
        lambda _, body, overhang: sphere_cover.cover(body.points, body, overhang),
    ),
    (
        "a text with another radius",
        import_module("urdf_tools.collision.collision_texts"),
        "format_number",
        lambda value: f"{0.98 * value:.9g}",
    ),
)


@in_folder
def test_the_proof_finds_each_mutant():
    robot(MESH.format("ball").replace("/></geometry>", ' scale="2 2 3"/></geometry>'))
    run(collision="spheres", collision_overhang=0.06)
    Path("out.urdf").unlink()
    for what, module, name, mutant in MUTANTS:
        with mock.patch.object(module, name, mutant), pytest.raises(ProofFailed):
            run(collision="spheres", collision_overhang=0.06)
        assert not Path("out.urdf").exists(), what


@in_folder
def test_a_list_for_srdf_is_xml_whatever_the_names_are():
    robot(MESH.format("ball"))
    text = Path("robot.urdf").read_text().replace('"base"', '"b\xe4r&amp;&lt;1"')
    Path("robot.urdf").write_text(text, "utf-8")
    words = ["--overhang", "60mm", "--spheres", "list.srdf", "-o", "out.urdf", "-y"]
    assert main(["collision", "robot.urdf", *words]) == 0
    (listed,) = ElementTree.parse("list.srdf").iter("link_sphere_approximation")
    assert listed.get("link") == "b\xe4r&<1"


@pytest.mark.parametrize("ending", ["yml", "srdf"])
@in_folder
def test_the_list_has_the_spheres_of_the_robot(ending, capsys):
    robot(MESH.format("ball"))
    words = ["--overhang", "60mm", "--spheres", f"list.{ending}", "-o", "out.urdf", "-y"]
    assert main(["collision", "robot.urdf", *words]) == 0
    text = Path(f"list.{ending}").read_text()
    pattern = (
        r"center: \[(.*?)\]\s*radius: (\S+)" if ending == "yml" else 'center="(.*?)" radius="(.*?)"'
    )
    listed = [
        [*map(float, center.replace(",", " ").split()), float(radius)]
        for center, radius in re.findall(pattern, text)
    ]
    made = (
        read_robot(parse_document(Path("out.urdf").read_bytes(), "out.urdf"))
        .links["base"]
        .collisions
    )
    balls = [[*shape.pose.translation, primitive_of(shape).sizes[0]] for shape in made]
    assert listed == balls and len(balls) > 1
    assert re.findall(r"^  \"?(\w+)\"?:$" if ending == "yml" else r'link="(\w+)"', text, re.M) == [
        "base"
    ]
    words = ["--shape", "box", "--spheres", f"list.{ending}", "-y", "--force"]
    assert main(["collision", "robot.urdf", *words]) == 2
    assert "lists spheres: give --shape spheres" in capsys.readouterr().err
