"""Meshes of fewer triangles, as others see them: read and measured by trimesh."""

import sysconfig
import time
from pathlib import Path

import pytest


from urdf_tools.meshes.prepare_surfaces import MeshTarget
from urdf_tools.meshes.convert_mesh import convert_mesh

PACKAGES = Path(sysconfig.get_paths()["purelib"])
DATA, SUITE = "cmeel.prefix/share/example-robot-data/robots", "robosuite/models/assets"
MESHES = (  # name, file, visual error [mm]
    ("G1 pelvis", f"{DATA}/g1_description/meshes/pelvis.STL", 0.5),
    ("SO-101 upper arm", f"{DATA}/so_arm_description/meshes/so101/upper_arm_so101_v1.stl", 0.5),
    ("SO-101 servo", f"{DATA}/so_arm_description/meshes/so101/sts3215_03a_v1.stl", 0.5),
    ("Go1 thigh", f"{DATA}/go1_description/meshes/thigh.dae", 0.5),
    ("Go1 hip", f"{DATA}/go1_description/meshes/hip.dae", 0.5),
    ("Z1 link 1", f"{DATA}/z1_description/meshes/visual/z1_Link01.dae", 0.5),
    ("iiwa link 4", f"{SUITE}/robots/iiwa/meshes/link_4_vis.stl", 0.5),
    ("UR5e shoulder", f"{SUITE}/robots/ur5e/meshes/shoulder_vis.stl", 0.5),
    ("Kinova3 half arm", f"{SUITE}/robots/kinova3/meshes/half_arm_1_link.stl", 0.5),
    ("Tiago base", f"{SUITE}/robots/tiago/meshes/base/high_resolution/base.stl", 0.5),
    ("Baxter torso", f"{SUITE}/bullet_data/baxter_description/meshes/torso/base_link.stl", 1.0),
    ("Baxter pedestal", f"{SUITE}/bullet_data/baxter_description/meshes/base/PEDESTAL.stl", 0.5),
)
SAMPLES, ROUNDING = 20_000, 1e-6  # of each side; [m], float32 of trimesh


class Distances:
    """Exact distances of points to triangles, by a tree of the middles of pieces of them, which are small."""

    def __init__(self, triangles):
        import numpy

        cKDTree = pytest.importorskip("scipy.spatial").cKDTree

        size = numpy.ptp(triangles.reshape(-1, 3), axis=0).max() / 64.0
        pieces, rest = [], triangles
        while len(rest):
            edges = numpy.linalg.norm(rest - numpy.roll(rest, -1, axis=1), axis=2)
            small = edges.max(axis=1) <= size
            pieces.append(rest[small])
            rest, longest = rest[~small], edges[~small].argmax(axis=1)
            rows = numpy.arange(len(rest))
            a, b, c = (rest[rows, (longest + k) % 3] for k in range(3))
            middle = (a + b) / 2.0
            rest = numpy.concatenate(
                [numpy.stack([a, middle, c], axis=1), numpy.stack([middle, b, c], axis=1)]
            )
        self.triangles = numpy.concatenate(pieces)
        middles = self.triangles.mean(axis=1)
        self.radius = float(numpy.linalg.norm(self.triangles - middles[:, None], axis=2).max())
        self.tree = cKDTree(middles)

    def largest(self, points):
        """Return the largest distance of the points: each is measured against all pieces that may be nearest."""
        import numpy

        best = _to_triangles(points, self.triangles[self.tree.query(points)[1]])
        near = self.tree.query_ball_point(points, best + self.radius)
        owners = numpy.repeat(numpy.arange(len(points)), [len(group) for group in near])
        members = numpy.concatenate([numpy.asarray(group, dtype=int) for group in near])
        for start in range(0, len(owners), 1_000_000):
            part = slice(start, start + 1_000_000)
            numpy.minimum.at(
                best,
                owners[part],
                _to_triangles(points[owners[part]], self.triangles[members[part]]),
            )
        return float(best.max())


def _to_triangles(points, triangles):
    """Return the distance of each point to its triangle."""
    import numpy

    trimesh = pytest.importorskip("trimesh")
    # It holds fourth powers of lengths against 1e-13, for which pieces of a millimeter are too small; of triangles that
    # are nearly lines it finds the nearest point from one of their corners, if not from each.
    triangles, points = 1e4 * triangles, 1e4 * points
    nearest = [
        trimesh.triangles.closest_point(numpy.roll(triangles, k, axis=1), points) for k in range(3)
    ]
    return numpy.linalg.norm(numpy.array(nearest) - points, axis=2).min(axis=0) / 1e4


def samples(triangles, count=SAMPLES):
    """Return points spread over triangles by area, and as many of their corners."""
    import numpy

    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.Trimesh(**trimesh.triangles.to_kwargs(triangles), process=False)
    corners = triangles.reshape(-1, 3)[:: 1 + 3 * len(triangles) // count]
    return numpy.concatenate([trimesh.sample.sample_surface(mesh, count, seed=1)[0], corners])


def loaded(path):
    trimesh = pytest.importorskip("trimesh")
    return trimesh.load_mesh(str(path), process=False).triangles.astype(float)


def apart(first, second, count=SAMPLES):
    """Return the largest sampled distance of two surfaces, both ways."""
    return max(
        Distances(second).largest(samples(first, count)),
        Distances(first).largest(samples(second, count)),
    )


@pytest.mark.parametrize("name, file, error", MESHES, ids=[row[0] for row in MESHES])
def test_no_point_is_farther(name, file, error, tmp_path):
    path = PACKAGES / file
    if not path.is_file():
        pytest.skip(f"{file} is not installed")
    within = error * 1e-3
    whole = tmp_path / "whole"
    whole.mkdir()
    # trimesh has no COLLADA.
    source = convert_mesh(str(path), str(whole), MeshTarget("stl")).parts[0].file
    start = time.process_time()
    made = convert_mesh(str(path), str(tmp_path), MeshTarget("stl", within=within))
    seconds = time.process_time() - start
    before, reduced = loaded(Path(source)), made.reduced
    assert reduced is not None and not reduced.why and reduced.before >= len(before)
    after = loaded(Path(made.parts[0].file))
    assert len(after) == reduced.after
    off = apart(before, after)
    assert off <= made.parts[0].off + ROUNDING <= within + ROUNDING
    share = 100 * reduced.after / reduced.before
    print(
        f"| {name} | {reduced.before:,} | {error:g} mm | {reduced.after:,} ({share:.1f} %) "
        f"| {1e3 * made.parts[0].off:.2f} mm | {1e3 * off:.2f} mm | {seconds:.0f} s |"
    )
