"""The same robot as another author would write it: other link frames, signs, zeros, names, order, base."""

from collections import namedtuple
import math
from typing import NamedTuple, Union

from urdf_tools.compare.map_evidence import right_turns
from urdf_tools.formats.urdf.read_urdf import read_urdf
from urdf_tools.robot.raw_robot import (
    RawFrame,
    RawMass,
    RawMimic,
    RawRobot,
)
from urdf_tools.urdf.spatial_math import IDENTITY, IDENTITY_POSE, Transform

ARM = """<robot name="arm">
  <link name="base"><inertial><mass value="3"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/>
    </inertial></link>
  {links}
  {joints}
  <link name="tool0"/>
  <joint name="mount" type="fixed"><parent link="l6"/><child link="tool0"/><origin xyz="0 0.02 0.1"/></joint>
</robot>
"""
LINK = """<link name="l{0}"><inertial><origin xyz="0.0{0} 0.02 0.1"/><mass value="{0}"/>
    <inertia ixx="0.0{0}1" iyy="0.0{0}2" izz="0.0{0}25" ixy="0" ixz="0.001" iyz="0"/></inertial></link>"""
JOINT = """<joint name="j{0}" type="revolute"><parent link="{1}"/><child link="l{0}"/>
    <origin xyz="0.0{0} {2} 0.2" rpy="0 0 0.{0}"/><axis xyz="{3}"/>
    <limit lower="-1.{0}" upper="2.{0}" effort="1{0}" velocity="3"/></joint>"""
AXES = ("0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0")
LINES = ("revolute", "continuous", "prismatic")


def times(T, U):
    """Return the product of two poses."""
    R = tuple(
        tuple(math.fsum(T.rotation[i][k] * U.rotation[k][j] for k in range(3)) for j in range(3))
        for i in range(3)
    )
    return Transform(R, at(T, U.translation))


def at(T, p):
    """Return a point moved by a pose."""
    x, y, z = (
        math.fsum((*(T.rotation[i][k] * p[k] for k in range(3)), T.translation[i]))
        for i in range(3)
    )
    return (x, y, z)


def along(T, v):
    """Return a direction turned by a pose."""
    return at(Transform(T.rotation, (0.0, 0.0, 0.0)), v)


def back(T):
    """Return the inverse of a pose."""
    R = tuple(zip(*T.rotation))
    x, y, z = at(Transform(R, (0.0, 0.0, 0.0)), T.translation)
    return Transform(R, (-x, -y, -z))


def turn(axis, angle):
    """Return the rotation about an axis through the origin, as 1 + sin K + (1 - cos) K K."""
    x, y, z = axis
    K = ((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0))
    KK = [[sum(K[i][k] * K[k][j] for k in range(3)) for j in range(3)] for i in range(3)]
    R = tuple(
        tuple(
            float(i == j) + math.sin(angle) * K[i][j] + (1.0 - math.cos(angle)) * KK[i][j]
            for j in range(3)
        )
        for i in range(3)
    )
    return Transform(R, (0.0, 0.0, 0.0))


def any_pose(r, size):
    """Return a random pose."""
    axis = [r.gauss(0.0, 1.0) for _ in range(3)]
    length = math.sqrt(sum(part * part for part in axis))
    T = turn((axis[0] / length, axis[1] / length, axis[2] / length), r.uniform(-3.1, 3.1))
    return T._replace(
        translation=(r.uniform(-size, size), r.uniform(-size, size), r.uniform(-size, size))
    )


def motion(joint, position):
    """Return how a joint moves its child, from where it is drawn, in the frame of the child."""
    x, y, z = joint.axis
    by = position - joint.reference
    if joint.type == "prismatic":
        return Transform(IDENTITY, (by * x, by * y, by * z))
    T = turn(joint.axis, by)
    u, v, w = along(T, joint.point)
    return T._replace(translation=(joint.point[0] - u, joint.point[1] - v, joint.point[2] - w))


class Remade(namedtuple("Remade", "robot truth base links frames")):
    """The robot, and what is true of it by the names of A's joints: B's name, sign, offset.

    `links` are B's names by A's, `frames` T_a_b of the frames of links by A's.
    """


class How(NamedTuple):
    """What is written otherwise."""

    names: bool = False
    zeros: str = ""  # "": none, right: of 0, 90, 180 degrees, any
    base: Union[str, Transform] = (
        "right"  # "", right: one of the 24 turns, any; or T_b_a of the roots
    )
    noise: float = 0.0  # m and rad, of each axis


def remake(robot, r, how):
    """Return the same robot as another author would write it."""
    held = {joint.child for joint in robot.joints if joint.type == "fixed"}
    # A frame that has a name of its own stays.
    G = {
        link.name: IDENTITY_POSE
        if link.name in held and link.mass is None and not link.shapes
        else any_pose(r, 0.2)
        for link in robot.links
    }
    root = next(
        link.name
        for link in robot.links
        if link.name not in {joint.child for joint in robot.joints}
    )
    G[root] = (
        back(how.base)
        if isinstance(how.base, Transform)
        else IDENTITY_POSE
        if not how.base
        else any_pose(r, 0.3)
        if how.base == "any"
        else Transform(r.choice([*right_turns()]), (0.0, 0.0, 0.0))
    )
    rename = {
        link.name: f"part{k}" if how.names else link.name
        for k, link in enumerate(r.sample(robot.links, len(robot.links)))
    }
    truth = {}
    for k, joint in enumerate(robot.joints):
        name = f"axis{r.randrange(10**9)}_{k}" if how.names else joint.name
        moves = joint.type in LINES
        truth[joint.name] = (
            name,
            r.choice((1.0, -1.0)) if moves else 1.0,
            _zero(r, joint, how) if moves else 0.0,
        )
    for joint in robot.joints:  # a mimic joint keeps its own zero: else its rule would change
        if joint.mimic is not None:
            truth[joint.name] = (*truth[joint.name][:2], 0.0)
            truth[joint.mimic.leader] = (*truth[joint.mimic.leader][:2], 0.0)
    joints = [_joint(joint, G, rename, truth, r, how) for joint in robot.joints]
    links = [_link(link, G[link.name], rename[link.name]) for link in robot.links]
    frames = [
        RawFrame(frame.name, rename[frame.link], times(back(G[frame.link]), frame.T_link_frame))
        for frame in robot.frames
    ]
    r.shuffle(joints)
    r.shuffle(links)
    loops = [
        loop._replace(
            links=(rename[loop.links[0]], rename[loop.links[1]]),
            T_link_end=(
                times(back(G[loop.links[0]]), loop.T_link_end[0]),
                times(back(G[loop.links[1]]), loop.T_link_end[1]),
            ),
        )
        for loop in robot.loops
    ]
    return Remade(
        RawRobot(
            robot.format,
            "remade",
            tuple(links),
            tuple(joints),
            tuple(frames),
            tuple(loops),
            base=robot.base,
        ),
        truth,
        back(G[root]),
        rename,
        G,
    )


def _zero(r, joint, how):
    """Return the position that another author takes for zero [rad or m]."""
    if how.zeros == "right":
        return (
            r.choice((0.0, 0.5 * math.pi, -0.5 * math.pi, math.pi))
            if joint.type != "prismatic"
            else 0.0
        )
    size = 0.1 if joint.type == "prismatic" else 3.0
    return r.uniform(-size, size) if how.zeros == "any" else 0.0


def _joint(
    joint,
    G,
    rename,
    truth,
    r,
    how,
):
    """Return a joint as another author writes it; `G` has the new frame of each link."""
    name, sign, offset = truth[joint.name]
    child = G[joint.child]
    drawn = joint.T_parent_child
    if joint.type in LINES and how.zeros:
        drawn = times(drawn, motion(joint, joint.reference - sign * offset))
    if how.noise and joint.type in LINES:
        drawn = times(
            drawn,
            times(
                Transform(IDENTITY, tuple(r.uniform(-how.noise, how.noise) for _ in range(3))),
                turn(r.choice(IDENTITY), r.uniform(-how.noise, how.noise)),
            ),
        )
    x, y, z = along(back(child), joint.axis)
    ends = [None if end is None else sign * end + offset for end in (joint.lower, joint.upper)]
    mimic = None
    if joint.mimic is not None:
        leader, lead, zero = truth[joint.mimic.leader]
        factor = sign * joint.mimic.multiplier * lead
        mimic = RawMimic(leader, factor, sign * joint.mimic.offset + offset - factor * zero)
    return joint._replace(
        name=name,
        parent=rename[joint.parent],
        child=rename[joint.child],
        T_parent_child=times(back(G[joint.parent]), times(drawn, child)),
        axis=(sign * x, sign * y, sign * z),
        point=at(back(child), joint.point),
        lower=ends[0] if sign > 0.0 else ends[1],
        upper=ends[1] if sign > 0.0 else ends[0],
        mimic=mimic,
        values={},
    )


def _link(link, G, name):
    """Return a link in its new frame."""
    H = back(G)
    shapes = [shape._replace(T_link_shape=times(H, shape.T_link_shape)) for shape in link.shapes]
    if link.mass is None:
        return link._replace(name=name, shapes=tuple(shapes))
    xx, xy, xz, yy, yz, zz = link.mass.tensor
    tensor = Transform(((xx, xy, xz), (xy, yy, yz), (xz, yz, zz)), (0.0, 0.0, 0.0))
    (a, b, c), (_, d, e), (_, _, f) = times(
        times(H._replace(translation=(0.0, 0.0, 0.0)), tensor),
        G._replace(translation=(0.0, 0.0, 0.0)),
    ).rotation
    return link._replace(
        name=name,
        shapes=tuple(shapes),
        mass=RawMass(link.mass.mass, at(H, link.mass.center), (a, b, c, d, e, f)),
    )


def forward(robot, positions):
    """Return the pose of each link in the root, at positions by child link (as drawn where there is none)."""
    below = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint)
    root = next(
        link.name
        for link in robot.links
        if link.name not in {joint.child for joint in robot.joints}
    )
    poses = {root: IDENTITY_POSE}
    waiting = [root]
    while waiting:
        link = waiting.pop()
        for joint in below.get(link, []):
            T = times(poses[link], joint.T_parent_child)
            if joint.type in LINES and joint.child in positions:
                T = times(T, motion(joint, positions[joint.child]))
            poses[joint.child] = T
            waiting.append(joint.child)
    return poses


def worst_of(comparison, places_a, places_b, key, drawn):
    """Return how far apart the links of paired bodies are at most in positions of A and those of B by the map [m].

    Args:
        places_a, places_b: give the pose of each link in the root at positions by joint.
        key: what positions are by, a field of joints.
    """
    robots = comparison.map
    worst = 0.0
    origins = places_a({})
    others = places_b({})
    for q in drawn:
        mapped = {}
        for pair in robots.pairs:
            a = pair.a.raw
            b = pair.b.raw
            if getattr(a, key) in q:
                position = pair.choice.sign * q[getattr(a, key)] + pair.offset
                mapped[getattr(b, key)] = position
        here = places_a(q)
        there = places_b(mapped)
        for a, b in robots.bodies.items():
            parts = robots.a.bodies[a].parts
            link = parts[0].link.name
            other = robots.b.bodies[b].parts[0].link.name
            moved = times(there[other], back(others[other]))
            for part in parts:
                origin = origins[part.link.name].translation
                wanted = at(times(robots.base, times(here[link], back(origins[link]))), origin)
                worst = max(worst, math.dist(wanted, at(moved, at(robots.Y[a], origin))))
    return worst


def arm():
    """A 6-axis arm."""
    links = "\n  ".join(LINK.format(k) for k in range(1, 7))
    joints = "\n  ".join(
        JOINT.format(k, f"l{k - 1}" if k > 1 else "base", 0.01 * k, AXES[k - 1])
        for k in range(1, 7)
    )
    return read_urdf(ARM.format(links=links, joints=joints).encode())


def from_another_root(robot, root):
    """Return the same robot written from another link."""
    above = {joint.child: joint for joint in robot.joints}
    turned = []
    link = root
    while link in above:
        turned.append(above[link])
        link = above[link].parent
    joints = []
    for joint in robot.joints:
        if joint in turned:
            T = joint.T_parent_child
            x, y, z = at(T._replace(translation=(0.0, 0.0, 0.0)), joint.axis)
            joint = joint._replace(
                parent=joint.child,
                child=joint.parent,
                T_parent_child=back(T),
                axis=(-x, -y, -z),
                point=at(T, joint.point),
            )
        joints.append(joint)
    return robot._replace(joints=tuple(joints))
