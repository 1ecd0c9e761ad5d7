"""Meshes that are hard for geometry, and a robot of one link that has one, somewhere and turned."""

import random

from mesh_files import binary_stl
from surfaces import as_float32, ball, box, bracket, by, inverted, moved, plate, split, tube, turned

MASS = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = '<{0}><origin xyz="{1}" rpy="{2}"/><geometry><mesh filename="m.stl"/></geometry></{0}>'
INNER = moved(ball(4, 6, 0.05), by(0.02, 0.0, 0.0))
BODIES = (
    bracket(),
    split(bracket()),
    ball(5, 7, 0.2) + inverted(ball(5, 7, 0.2 - 1e-5)),  # a thin shell
    ball(5, 7, 0.3) + INNER,
    inverted(tube(9)),
    plate(3, (1, 2)),
    plate(2) + moved(plate(2), turned(1.1)) + moved(plate(2), turned(2.2)),  # three leaves meet
    tube(5, 0.3, 5e-4, 0.8),  # a rod
    ball(2, 12, 0.3)[:24],  # half of it: its capsule stands out most at an equator
    box((0.0,) * 3, (0.1,) * 3)
    + box((0.1, 0.1, 0.0), (0.2, 0.2, 0.1)),  # an edge of four triangles
    [((0.0, 0.0, 0.0), (1.0, 1e-7, 0.0), (0.5, 0.0, 1e-6))],  # a sliver
)


def hard_mesh(seed):
    """A thin shell, a nested, inverted, branching or doubled surface, also far away, large or tiny."""
    r = random.Random(seed)
    surface = r.choice(BODIES)
    surface = surface + r.sample(surface, r.choice([0, len(surface) // 3]))
    a = surface[0][0]
    surface += r.choice([[], [(a, a, surface[-1][1]), (a, a, a)]])
    if r.random() < 0.3:
        surface = surface + moved(INNER, by(1.0, 0.0, 0.5))
    size = r.choice([1e-6, 1e-3, 1.0, 1.0, 1.0, 1e3, 1e6])
    away = r.choice([0.0, 0.0, 1.0, 1e3]) * size
    turn = turned(r.choice([0.0, r.uniform(0.0, 3.0)]))

    def place(p):
        """Return a point turned, scaled and moved away."""
        x, y, z = turn(p)
        return (size * x + away, size * y, size * z - away)

    return as_float32(moved(surface, place))


def robot_of(folder, role, surface, seed=0):
    """Write a robot of one link with a mesh; return its file."""
    r = random.Random(seed)
    xyz, rpy = (" ".join(f"{r.uniform(-1.0, 1.0):.3f}" for _ in range(3)) for _ in range(2))
    (folder / "m.stl").write_bytes(binary_stl(surface))
    path = folder / "robot.urdf"
    shape = SHAPE.format(role, xyz, rpy)
    path.write_text(f'<robot name="r"><link name="base">{MASS}{shape}</link></robot>')
    return path
