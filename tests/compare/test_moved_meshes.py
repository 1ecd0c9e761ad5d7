"""A mesh that is moved by little is bounded by how far its corners move: without comparing its triangles."""

import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from conftest import examples
from commands import in_process
from mesh_files import binary_stl
from surfaces import ball, bracket

from urdf_tools.compare import mesh_comparison
from urdf_tools.compare.robot_comparison import compare
from urdf_tools.compare.read_any_format import read_robot_of
from urdf_tools.meshes import same_surface as surfaces_module

BODY = """<inertial><origin xyz="0.1 0.2 0"/><mass value="1"/>
<inertia ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial>"""
# Two joints show how the base lies, so that a moved mesh does not move it.
ROBOT = f"""<robot name="bumpy"><link name="base">{BODY}
<visual><origin xyz="{{}}" rpy="{{}}"/><geometry><mesh filename="{{}}" scale="{{}}"/></geometry></visual></link>
<joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint><link name="arm">{BODY}</link>
<joint name="k" type="continuous"><origin xyz="1 0 0.5"/><parent link="base"/><child link="leg"/><axis xyz="1 0 0"/></joint>
<link name="leg">{BODY}</link></robot>"""
MOVES = st.tuples(*[st.floats(-1e-4, 1e-4)] * 3)


def written(name, xyz="0 0 0", rpy="0 0 1.5708", mesh="part.stl", scale="1 1 1"):
    Path(name).write_text(ROBOT.format(xyz, rpy, mesh, scale), "utf-8")
    return read_robot_of(name)


def farthest_corner(a, b, triangles, scale):
    """Return how far the corners of a mesh are apart in the first shapes of two robots, point by point."""
    T, S = (robot.links[0].shapes[0].T_link_shape for robot in (a, b))

    def placed(pose, p):
        return [
            sum(r * k * x for r, k, x in zip(row, scale, p)) + t
            for row, t in zip(pose.rotation, pose.translation)
        ]

    return max(math.dist(placed(T, p), placed(S, p)) for t in triangles for p in t)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder with a mesh in which all examples of a law are written."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("meshes"))
        Path("part.stl").write_bytes(binary_stl(ball(6, 12)))
        yield


@given(MOVES, MOVES, st.sampled_from(((1.0, 1.0, 1.0), (0.5, 2.0, 1.0), (-1.0, 1.0, 1.0))))
@examples(12, fuzzed=300)
def test_the_bound_contains_every_corner(folder, xyz, rpy, scale):
    triangles = ball(6, 12)
    words = " ".join(map(str, scale))
    a = written("a.urdf", scale=words)
    b = written(
        "b.urdf",
        " ".join(map(str, xyz)),
        " ".join(map(str, (rpy[0], rpy[1], rpy[2] + 1.5708))),
        scale=words,
    )
    found = compare(a, b)
    off = farthest_corner(a, b, triangles, scale)
    bound = max((one.size for one in found.rounded if one.kind == "mesh_rounded"), default=0.0)
    if found.is_same:
        # A corner of the box is no farther than 1.8 times the farthest corner of a ball.
        assert off <= max(bound, 1e-9) + 1e-12 and bound <= 1.8 * off + 1e-9
    else:
        assert off > 0.5e-4


@pytest.fixture
def no_search(monkeypatch):
    """Triangles are not compared by searching: as many as there are, that would take its time."""

    def refused(*_):
        raise AssertionError("a search begins")

    monkeypatch.setattr(surfaces_module, "TriangleTree", refused)


def test_a_file_in_another_pose_is_not_read_twice(here, monkeypatch, no_search):
    for name in ("part.stl", "copy.stl"):
        Path(name).write_bytes(binary_stl(bracket()))
    read = []
    original = mesh_comparison.read_surfaces
    monkeypatch.setattr(
        mesh_comparison,
        "read_surfaces",
        lambda path, *more: read.append(path) or original(path, *more),
    )
    found = compare(written("a.urdf"), written("b.urdf", rpy="0 0 1.57079", mesh="copy.stl"))
    assert found.verdict == "rounded" and len(read) == 1


def test_points_of_a_usd_are_compared_in_their_order(here, no_search):
    """USD has numbers of 32 bits, in the order of the file that the export was made of."""
    Path("part.stl").write_bytes(binary_stl(ball(12, 24)))
    written("a.urdf", xyz="0.1 0.2 0.3")
    assert in_process(["export", "a.urdf", "a.usda", "-y", "-q"], b"").returncode == 0
    found = compare(read_robot_of("a.urdf"), read_robot_of("a.usda"))
    assert found.is_same


def test_a_mesh_that_is_moved_by_more_is_another(here):
    Path("part.stl").write_bytes(binary_stl(bracket()))
    found = compare(written("a.urdf"), written("b.urdf", rpy="0 0 1.58"))
    assert not found.is_same


def test_a_mesh_without_triangles_draws_the_same_wherever_it_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("part.stl").write_bytes(binary_stl([]))
    assert compare(written("a.urdf"), written("b.urdf", xyz="1 0 0")).is_same
