"""Spheres that hold a mesh: containment and overhang by brute force, mutants of search and text, lists, their judge."""

import math
import random
import re
from importlib import import_module
from pathlib import Path
from unittest import mock

import pytest
from collision.test_run import BALL, folder, MESH, robot, run  # noqa: F401
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st
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

from urdf_tools.app.commands import main
from urdf_tools.base.errors import ProofFailed, UrdfError
from urdf_tools.collision import decide, spheres
from urdf_tools.collision.shapes import MeshBody
from urdf_tools.collision.spheres import area_of, bare_surface
from urdf_tools.collision.texts import read_spheres
from urdf_tools.export import collisions as change
from urdf_tools.meshes.volume import Columns
from urdf_tools.meshes.witnesses import Ball, ball_gap, verify_cover

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
    with mock.patch.multiple(spheres, INSIDE=600, OUTSIDE=100):
        yield


def body_of(surface):
    numbers = {
        point: k
        for k, point in enumerate(
            dict.fromkeys(point for triangle in surface for point in triangle)
        )
    }
    return MeshBody(
        "", tuple(numbers), tuple((numbers[a], numbers[b], numbers[c]) for a, b, c in surface), None
    )


def covered(surface, overhang):
    body = body_of(surface)
    return spheres.cover(body.points, body, overhang)


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
    assert cover.overhang <= overhang and cover.is_open == (form >= 6)
    assert cover.is_open or farthest_out(cover, surface) <= cover.overhang + 1e-9


def farthest_out(cover, surface):
    """Return how far balls stand out of a closed surface, at points of them, by brute force [m]."""
    columns = Columns(surface)
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
    with mock.patch.object(Columns, "winding", lambda *_: 1):
        wrong = covered(surface, 0.2)
    assert farthest_out(wrong, surface) > 0.3


@pytest.mark.usefixtures("folder")
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


@pytest.mark.usefixtures("folder")
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

    def counted(function, calls, workers, finished):
        used.append(workers)
        return real(function, calls, workers, finished)

    monkeypatch.setattr(change, "call_in_processes", counted)
    results = [run(collision="spheres", collision_overhang=0.1, jobs=jobs) for jobs in (1, 3)]
    assert (
        used == [3] and results[0].data == results[1].data and results[0].text.count("<sphere") > 3
    )
    assert results[0].exported.tables == results[1].exported.tables
    run(collision="hull", jobs=3)
    assert used == [3]  # hulls take milliseconds


@pytest.mark.usefixtures("folder")
def test_what_is_open_or_flat_is_held_and_said():
    robot(MESH.format("flat"), MESH.format("line"))
    result = run(collision="spheres", collision_overhang=0.1)
    assert [warning.kind.name for warning in result.exported.warnings] == ["collision-open"] * 2


def cover_with(change):
    whole = spheres.cover
    return lambda *arguments: change(whole(*arguments))


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
        decide,
        "cover",
        with_balls(
            lambda balls: [
                center_radius._replace(radius=0.99 * center_radius.radius)
                for center_radius in balls
            ]
        ),
    ),
    ("rounded down", spheres, "rounded_up", lambda value: math.floor(value * 1e4) / 1e4),
    ("one ball removed", decide, "cover", with_balls(lambda balls: balls[:-1])),
    ("another ball's leaf", decide, "cover", with_leaf(lambda leaf: leaf ^ 1)),
    ("a leaf that is no ball", decide, "cover", with_leaf(lambda leaf: leaf + 100)),
    (
        "no leaves",
        decide,
        "cover",
        cover_with(lambda cover: cover._replace(trees=tuple(() for _ in cover.trees))),
    ),
    (
        "a triangle without a tree",
        decide,
        "cover",
        cover_with(lambda cover: cover._replace(trees=cover.trees[1:])),
    ),
    (
        "another link's frame",
        decide,
        "cover",
        with_balls(lambda balls: [Ball((x + 0.01, y, z), radius) for (x, y, z), radius in balls]),
    ),
    (
        "the scale forgotten",
        decide,
        "cover",
        lambda _, body, overhang: spheres.cover(body.points, body, overhang),
    ),
    (
        "a text with another radius",
        import_module("urdf_tools.collision.texts"),
        "format_number",
        lambda value: f"{0.98 * value:.9g}",
    ),
)


@pytest.mark.usefixtures("folder")
def test_the_proof_finds_each_mutant():
    robot(MESH.format("ball").replace("/></geometry>", ' scale="2 2 3"/></geometry>'))
    run(collision="spheres", collision_overhang=0.06)
    Path("out.urdf").unlink()
    for what, module, name, mutant in MUTANTS:
        with mock.patch.object(module, name, mutant), pytest.raises(ProofFailed):
            run(collision="spheres", collision_overhang=0.06)
        assert not Path("out.urdf").exists(), what


LISTS = (
    (
        "a.yml",
        'robot_cfg:\n  kinematics:\n    collision_link_names: ["base"]\n    collision_spheres:\n      base:\n'
        '        - "center": [0.1, -0.2, 3e-1]  # tip\n          "radius": 0.05\n    collision_sphere_buffer: 0.01\n',
    ),
    (
        "b.yaml",
        "collision_spheres:\n  base:\n  - center:\n    - 0.1\n    - -0.2\n    - 0.3\n    radius: 0.05\n"
        "  - center: [0, 0, 0]\n    radius: -10\ncollision_sphere_buffer: 0.01\n",
    ),
    (
        "c.srdf",
        '<robot name="r"><link_sphere_approximation link="base"><sphere center="0.1 -0.2 0.3" radius="0.06"/>'
        "</link_sphere_approximation></robot>",
    ),
)


@pytest.mark.parametrize("name, text", LISTS)
def test_lists_are_read(name, text):
    lists = read_spheres(text.encode(), name)
    (ball_read,) = lists.pop("base")
    assert (
        ball_read.center == (0.1, -0.2, 0.3)
        and ball_read.radius == pytest.approx(0.06)
        and not lists
    )
    with pytest.raises(UrdfError, match="has no spheres"):
        read_spheres(b"<robot/>" if name.endswith(".srdf") else b"links:\n", name)


@pytest.mark.parametrize("ending", ["yml", "srdf"])
@pytest.mark.usefixtures("folder")
def test_what_is_written_is_read_and_holds(ending, capsys):
    robot(MESH.format("ball"))
    overhang = ["--overhang", "60mm"]
    assert (
        main(
            [
                "collision",
                "robot.urdf",
                *overhang,
                "--spheres",
                f"list.{ending}",
                "-o",
                "out.urdf",
                "-y",
            ]
        )
        == 0
    )
    assert read_spheres(Path(f"list.{ending}").read_bytes(), f"list.{ending}")["base"]
    capsys.readouterr()
    assert main(["collision", "robot.urdf", f"list.{ending}", "--check"]) == 0
    assert "all of the surface is in them" in capsys.readouterr().out
    text = re.sub(r"(radius[^0-9]+0\.)\d", r"\g<1>0", Path(f"list.{ending}").read_text())
    Path(f"list.{ending}").write_text(text)
    assert main(["collision", "robot.urdf", f"list.{ending}", "--check"]) == 1
    assert "% of the surface bare" in capsys.readouterr().out
    Path(f"list.{ending}").write_text(text.replace("base", "other"))
    assert main(["collision", "robot.urdf", f"list.{ending}", "--check"]) == 2
    assert main(["collision", "robot.urdf", "--check"]) == 2
    assert (
        main(
            [
                "collision",
                "robot.urdf",
                "--shape",
                "box",
                "--spheres",
                f"list.{ending}",
                "-y",
                "--force",
            ]
        )
        == 2
    )
    assert "lists spheres: give --shape spheres" in capsys.readouterr().err


@examples(fuzzed=200)
@given(
    st.lists(
        st.tuples(
            st.floats(0.0, 0.2), st.floats(0.0, 0.3), st.floats(0.0, 0.4), st.floats(0.01, 0.3)
        ),
        max_size=4,
    )
)
def test_what_is_bare_lies_within_its_bounds(
    balls,
):
    """Of a box, whose surface random points sample: 4000 of them, so 3 % is four deviations."""
    known = [Ball((x, y, z), radius) for x, y, z, radius in balls]
    (least, most), (deep, deepest) = bare_surface(CUBE, known)
    generator = random.Random(7)
    points = []
    for a, b, c in generator.choices(CUBE, list(map(area_of, CUBE)), k=4000):
        u, v = sorted((generator.random(), generator.random()))
        points.append(tuple(u * p + (v - u) * q + (1.0 - v) * r for p, q, r in zip(a, b, c)))
    gaps = [
        min((math.dist(point, ball.center) - ball.radius for ball in known), default=math.inf)
        for point in points
    ]
    share = sum(gap > 0.0 for gap in gaps) / len(gaps)
    assert least <= most <= 1.0 and most - least < 0.1 and least - 0.03 <= share <= most + 0.03
    assert deep <= deepest and (not known or max(0.0, *gaps) <= deepest + 1e-12)
    if known and deepest:
        assert deepest - deep <= 2e-3
