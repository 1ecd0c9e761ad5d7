"""Every fault that a search, a writer or an editor could make is refused by the proof of the run."""

from pathlib import Path
from unittest import mock

import pytest
from collision.test_run import BALL, folder, in_folder, MESH, robot, run  # noqa: F401

from urdf_tools.base.errors import ProofFailed
from urdf_tools.collision import change_collisions, decide_collisions, collision_texts
from urdf_tools.meshes.convex_hull import convex_hull


def with_first_corner(hull, factor):
    (x, y, z), *others = hull.corners
    return hull._replace(corners=((factor * x, factor * y, factor * z), *others))


def without_a_corner(hull):
    smaller = convex_hull(hull.corners[1:])
    assert smaller is not None
    return smaller


WRITTEN = (
    lambda hull: with_first_corner(hull, 1.0 - 1e-6),
    without_a_corner,
    lambda hull: hull._replace(triangles=hull.triangles[1:]),
    lambda hull: hull._replace(triangles=tuple((a, c, b) for a, b, c in hull.triangles)),
    lambda hull: hull._replace(corners=tuple((0.999 * x, y, z) for x, y, z in hull.corners)),
    lambda hull: hull._replace(corners=tuple((x + 1e-3, y, z) for x, y, z in hull.corners)),
)


@pytest.mark.parametrize("number", range(len(WRITTEN)))
@pytest.mark.parametrize("ending", ["stl", "obj"])
@in_folder
def test_a_file_that_holds_another_hull(number, ending):
    write_hull = change_collisions.write_hull

    def wrong(hull, path, origin):
        write_hull(WRITTEN[number](hull), path, origin)

    robot(MESH.format("ball"))
    with mock.patch.object(change_collisions, "write_hull", wrong), pytest.raises(ProofFailed):
        run(collision="hull", for_="drake" if ending == "obj" else None)
    assert not Path("out.urdf").exists()


def smaller(number):
    def around(*arguments):
        found = AROUND(*arguments)
        sizes = tuple(
            size * (1.0 - 1e-7) if k == number else size for k, size in enumerate(found.sizes)
        )
        return found._replace(sizes=sizes)

    AROUND = decide_collisions.around
    return around


@pytest.mark.parametrize(
    "kind, number",
    [
        ("box", 0),
        ("box", 1),
        ("box", 2),
        ("sphere", 0),
        ("cylinder", 0),
        ("cylinder", 1),
        ("capsule", 0),
    ],
)
@in_folder
def test_a_size_that_is_too_small(kind, number):
    robot(MESH.format("ball"))
    with mock.patch.object(decide_collisions, "around", smaller(number)), pytest.raises(
        ProofFailed
    ):
        run(collision=kind)


EDITS = (
    lambda text: text.replace('xyz="0.1 0 0"', 'xyz="0.1001 0 0"', 1),
    lambda text: text.replace('rpy="0 0 0.5"', 'rpy="0 0 0.5001"', 1),
    lambda text: text.replace('ball_hull.stl"', 'ball_hull.stl" scale="0.9 1 1"', 1),
    lambda text: text.replace(BALL, ""),
    lambda text: text.replace("sphere radius", "sphere  name='other' radius"),
    lambda text: text.replace(BALL, BALL + BALL),
    lambda text: text.replace('name="ball"', 'name="ball" group="1"'),
    lambda text: text.replace("<link ", "<link kind='moved' ", 1),
    lambda text: text.replace("</robot>", "<material name='new'/></robot>"),
    lambda text: text.replace('filename="out_meshes/ball_hull.stl"', 'filename="ball.stl"'),
)


@pytest.mark.parametrize("number", range(len(EDITS)))
@in_folder
def test_a_text_that_says_something_else(number):
    def wrong(*arguments, **choices):
        return EDITS[number](collision_texts.with_shapes(*arguments, **choices).decode()).encode()

    robot(MESH.format("ball"), BALL)
    with mock.patch.object(change_collisions, "with_shapes", wrong), pytest.raises(ProofFailed):
        run(collision="hull")


@in_folder
def test_a_part_that_is_left_out():
    robot(MESH.format("two"))
    with mock.patch.object(
        decide_collisions, "parts_of", lambda body: decide_parts(body)[:1]
    ), pytest.raises(ProofFailed):
        run(collision_link=["base=parts"])


decide_parts = decide_collisions.parts_of


@in_folder
def test_a_link_whose_hull_forgets_a_mesh():
    def forgets(sources):
        return joined(sources[:1])

    joined = decide_collisions._joined
    robot(MESH.format("ball"), MESH.format("tet"))
    with mock.patch.object(decide_collisions, "_joined", forgets), pytest.raises(ProofFailed):
        run(collision_link=["base=link"])
