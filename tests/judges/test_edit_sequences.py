"""Pinocchio judges sequences of edits in one command: frames, energies, limits, followers, and states of an SRDF.

What each act means is kept here, act by act, and owes nothing to the tool: which links and joints there are, their
names, at which base, and q_after = sign (q_before - zero).
"""

from collections import namedtuple
import random
import re
import xml.etree.ElementTree as ElementTree
from glob import escape

import pytest
from commands import in_process
from conftest import scaled
from edited_robots import random_text
from judged_texts import below, MOVABLE, np, random_base
from judges.test_edits import Joined, ROBOTS, text_at
from random_beside import write_robot_with_all

from urdf_tools.app.command_table import main

TOLERANCE = (
    1e-8  # of poses [m, 1]; of energies in parts; of limits, followers and states [rad or m]
)
SEEDS = range(scaled(40))


class Meant(namedtuple("Meant", "links joints held start root shifted")):
    """What a robot is after some acts, in names and positions of the robot before them.

    Attributes:
        links: new names; joints: of those that move; held: positions of those that do not any more.
        start: the root of what is left; root: the link that all hangs on.
        shifted: links whose frames may be elsewhere on their bodies.
    """

    def renamed(self, links, joints):
        return self._replace(
            links={old: links.get(name, name) for old, name in self.links.items()},
            joints={
                old: each._replace(name=joints.get(each.name, each.name))
                for old, each in self.joints.items()
            },
        )

    def without(self, gone, text):
        moving = {line.name for line in text.lines if line.child not in gone}
        return self._replace(
            links={old: name for old, name in self.links.items() if old not in gone},
            joints={old: each for old, each in self.joints.items() if old in moving},
            held={old: at for old, at in self.held.items() if old in moving},
        )


def leads(text):
    return {line.name: line.mimic for line in text.lines if line.mimic and line.type in MOVABLE}


def drawn(text, meant, number, r):
    """Return the words of a random act, and what the robot is then."""
    kind = r.choice(
        ("prefix", "rename", "root", "add-root", "lock", "zero", "flip", "only", "drop", "set")
    )
    link, followers = r.choice(list(meant.links)), leads(text)
    lines = {line.name: line for line in text.lines}
    free = [name for name in meant.joints if followers.get(name, ("",))[0] not in meant.joints]
    if kind == "prefix":
        names = {
            name: re.sub("^(closing_|)", rf"\1p{number}_", name)
            for name in meant.links.values()
            if name != "world"
        }
        joints = {each.name: f"p{number}_{each.name}" for each in meant.joints.values()}
        return ["--prefix", f"p{number}_"], meant.renamed(names, joints)
    if kind == "rename":
        if not meant.joints:
            return [], meant
        old = r.choice(list(meant.joints.values())).name
        return ["--rename", f"joint:/^{re.escape(old)}$/=n{number}"], meant.renamed(
            {}, {old: f"n{number}"}
        )
    if kind == "root":
        tops = {line.child: line.parent for line in text.lines}
        on_the_way, at = set(), {link, meant.root}
        for end in at:
            while end != meant.start:
                on_the_way.add(end)
                end = tops[end]
        return ["--root", meant.links[link]], meant._replace(
            root=link, shifted=meant.shifted | on_the_way | {meant.start}
        )
    if kind == "add-root":
        return ["--add-root", f"foot{number}"], meant
    if kind == "set":
        return ["--set", "*.mass=*1"], meant
    if kind in ("only", "drop"):
        if meant.root != meant.start or link == meant.start:
            return [], meant  # what is below is another part then
        inside = below(text.lines, link)
        if kind == "drop":
            return ["--drop", escape(meant.links[link])], meant.without(inside, text)
        part = meant.without(set(text.links) - inside, text)
        above = next(line.name for line in text.lines if line.child == link)
        part.joints.pop(above, None)
        part.held.pop(above, None)
        return ["--only", meant.links[link]], part._replace(
            start=link, root=link, shifted=part.shifted | {link}
        )
    name = r.choice(free) if free else ""
    if not name:
        return [], meant
    each, line = meant.joints[name], lines[name]
    if kind == "flip":
        flipped = each._replace(sign=-each.sign)
        return ["--flip", escape(each.name)], meant._replace(joints={**meant.joints, name: flipped})
    low, high = line.ends or (-2.0, 2.0)
    value = round(r.uniform(*sorted(each.sign * (end - each.zero) for end in (low, high))), 3)
    at = each.sign * value + each.zero
    if not low <= at <= high:
        return [], meant
    words = [f"--{kind}", f"{escape(each.name)}={value}"]
    if kind == "zero":
        moved = each._replace(zero=at)
        return words, meant._replace(joints={**meant.joints, name: moved})
    held, count = {name: at}, 0
    while len(held) > count:
        count = len(held)
        for follower, (leader, factor, offset) in followers.items():
            if leader in held and follower in meant.joints:
                held[follower] = factor * held[leader] + offset
    rest = {old: each for old, each in meant.joints.items() if old not in held}
    return words, meant._replace(joints=rest, held={**meant.held, **held})


def judge(text, after, meant, r):
    """Compare frames and the energy of any motion; bases may be other frames of other bodies."""
    old = text.judge(list(meant.links), meant.start, meant.held)
    new = after.judge(list(meant.links.values()), meant.links[meant.root])
    assert {each.name for each in meant.joints.values()} == set(new.names)
    assert set(meant.joints) == set(old.names)
    shapes = {
        name: [part for part in link if part.tag in ("visual", "collision")]
        for link in text.tree.findall("link")
        for name in [link.get("name")]
    }
    frames = {
        f"{link} {k}": f"{name} {k}"
        for link, name in meant.links.items()
        for k in range(len(shapes[link]))
    }
    frames.update({link: name for link, name in meant.links.items() if link not in meant.shifted})
    pin, T_root_base = old.pin, None
    for _ in range(3):
        q = {name: r.uniform(-1.0, 1.0) for name in meant.joints}
        q_new = {
            each.name: each.sign * (q[name] - each.zero) for name, each in meant.joints.items()
        }
        R, p = random_base(r)
        places = old.at(R, p, q)[2]
        if T_root_base is None:  # by one frame, and so for all others and all positions
            free = new.at(np.eye(3), np.zeros(3), q_new)[2]
            T_root_base = pin.SE3.Identity()
            if frames:
                first, second = next(iter(frames.items()))
                T_root_base = places[meant.root].actInv(places[first]) * free[second].inverse()
        T = places[meant.root] * T_root_base
        places_new = new.at(T.rotation, T.translation, q_new)[2]
        for name, other in frames.items():
            gap = np.max(np.abs(places[name].homogeneous - places_new[other].homogeneous))
            assert gap < TOLERANCE, (name, gap)
        v = np.array([r.gauss(0.0, 1.0) for _ in range(old.model.nv)])
        q_old = old.filled(R, p, q)
        pin.forwardKinematics(old.model, old.data, q_old, v)
        pin.updateFramePlacements(old.model, old.data)
        frame = old.model.getFrameId(meant.root, pin.FrameType.BODY)
        twist = T_root_base.actInv(pin.getFrameVelocity(old.model, old.data, frame, pin.LOCAL))
        w = np.zeros(new.model.nv)
        w[:6] = twist.vector
        for name, each in meant.joints.items():
            w[new.column(each.name)] = each.sign * v[old.column(name)]
        if not frames:
            continue
        energies = (
            pin.computeKineticEnergy(old.model, old.data, q_old, v),
            pin.computeKineticEnergy(
                new.model, new.data, new.filled(T.rotation, T.translation, q_new), w
            ),
        )
        assert energies[0] == pytest.approx(energies[1], rel=TOLERANCE, abs=1e-12)


def judge_numbers(text, after, meant):
    """Compare the ends of limits, and where followers are."""
    lines, lines_after = ({line.name: line for line in each.lines} for each in (text, after))
    for name, each in meant.joints.items():
        line, new = lines[name], lines_after[each.name]
        if line.ends and line.ends != (0.0, 0.0):
            ends = [each.sign * (end - each.zero) for end in line.ends[:: int(each.sign)]]
            assert new.ends == pytest.approx(ends, abs=TOLERANCE), name
        leader = line.mimic[0] if line.mimic else ""
        if leader in meant.joints and line.mimic:
            at = 0.7
            follows = line.mimic[1] * at + line.mimic[2]
            lead = meant.joints[leader]
            assert new.mimic and new.mimic[0] == lead.name
            found = new.mimic[1] * lead.sign * (at - lead.zero) + new.mimic[2]
            assert found == pytest.approx(each.sign * (follows - each.zero), abs=TOLERANCE), name


def judge_states(srdf, text, meant):
    """Compare the positions of a state; what does not move any more is not in it."""
    found = {
        joint.get("name"): float(joint.get("value") or "nan")
        for joint in ElementTree.parse(srdf).getroot().iter("joint")
        if joint.get("value")
    }
    expected = {each.name: each.sign * (POSITION - each.zero) for each in meant.joints.values()}
    assert found == pytest.approx(expected, abs=TOLERANCE)


POSITION = 0.125


def source_of(seed, folder):
    """Return a robot: a real one, one of the fixtures, or a random one."""
    r = random.Random(seed)
    if seed % 3 == 0:
        return ROBOTS[seed // 3 % len(ROBOTS)]
    path = folder / "random.urdf"
    path.write_text(
        random_text(seed) if seed % 3 == 1 else write_robot_with_all(r), encoding="utf-8"
    )
    return path


@pytest.mark.parametrize("seed", SEEDS)
def test_three_edits_in_one_command(seed, tmp_path):
    r, source = random.Random(seed), source_of(seed, tmp_path)
    text = text_at(source)
    names = [line.name for line in text.lines if line.type in MOVABLE]
    joints = {name: Joined(name) for name in names}
    meant = Meant({name: name for name in text.links}, joints, {}, text.root, text.root, set())
    robot = ElementTree.Element("robot", name=text.tree.get("name", "r"))
    state = ElementTree.SubElement(robot, "group_state", name="s", group="g")
    for name in names:
        ElementTree.SubElement(state, "joint", name=name, value=str(POSITION))
    srdf = tmp_path / "r.srdf"
    ElementTree.ElementTree(robot).write(srdf)
    words = []
    for number in range(3):
        more, meant = drawn(text, meant, number, r)
        words += more
    if not words:
        pytest.skip("no act fits this robot")
    output = tmp_path / "out.urdf"
    command = ["edit", str(source), *words, "--srdf", str(srdf), "-o", str(output), "-y", "-q"]
    done = in_process(command, b"", main)
    assert done.returncode in (0, 2), done.stderr.decode()
    if done.returncode == 2:
        pytest.skip(done.stderr.decode()[-160:])
    after = text_at(output)
    judge(text, after, meant, r)
    judge_numbers(text, after, meant)
    if names:
        judge_states(output.with_suffix(".srdf"), text, meant)
