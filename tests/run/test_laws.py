"""The laws of the engine on random robots, each judged by the naive reading in `naive`.

URDF_EXAMPLES multiplies the number of robots: `URDF_EXAMPLES=100 python3 -m pytest -q test_laws.py`.
"""

import math
import random
import re

import pytest
from conftest import examples
from hypothesis import given
from hypothesis import strategies as st

import naive
from naive import after, apart, back, length, product, times, turned_by
from random_robots import Traits, chain, robots
from urdf_tools.base.errors import UrdfError
from urdf_tools.plan.link_merging import BASE
from urdf_tools.plan.run_options import Options
from urdf_tools.run.run_pipeline import simplify_bytes

EXACT = 1e-9
COPY_TOLERANCE = 1e-4  # [m] how far apart copies may be
SNAP = 1e-4
AXIS_OF_WORD = {"pitch": 1, "knee": 1, "elbow": 1, "roll": 0, "yaw": 2}
GAINS = ("rotor", "stator", "bearing", "nut", "spacer")


CHOICES = st.fixed_dictionaries(
    {
        "base_frame": st.sampled_from(("auto", "ros", "auto", "x=left,y=back,z=up")),
        "merge": st.sampled_from((True, True, True, False)),
        "strip_hardware": st.booleans(),
        "keep_frames": st.booleans(),
        "count_once": st.booleans(),
        "merge_all": st.sampled_from((False, False, True)),
        "keep": st.sampled_from(((), ("*foot*",), ("*Tool*",))),
    }
).map(lambda choices: Options(**choices))


class Case:
    """Input and result of one run in the naive reading; the plan serves for names and choices only."""

    def __init__(self, text, options):
        self.text, self.options = text, options
        self.result = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
        self.before = naive.read(text.encode("utf-8"))
        self.after = naive.read(self.result.data)
        plan = self.result.plan
        self.target = {name: member.target for name, member in plan.members.items()}
        self.signs = {child: planned.map.sign for child, planned in plan.joints.items()}
        self.base = ([list(row) for row in plan.base.R_new_old], [0.0, 0.0, 0.0])
        self.zero_before = naive.places(self.before, self.base, {})
        self.zero_after = naive.places(self.after, naive.NOWHERE, {})
        self.old = {hinge.child: hinge for hinge in self.before.hinges}
        self.new = {hinge.child: hinge for hinge in self.after.hinges}

    def moved(self, seed):
        """Return where all links are at a random position, before and after, and the positions of the input's joints.

        Every joint of the result is at the sign times the position of its origin; a planar or floating body makes the
        same random motion in both. What merged into another body sits in it as it does at zero.
        """
        r = random.Random(seed)
        free = {hinge.name: r.uniform(-2.0, 2.0) for hinge in self.before.hinges}
        q = naive.positions(self.before, free)
        old, new = {}, {}
        for hinge in self.before.hinges:
            child = hinge.child
            if hinge.kind in naive.MOVABLE:
                old[child] = naive.motion(hinge, q[hinge.name])
            elif hinge.kind in ("planar", "floating"):
                v = [r.uniform(-1.0, 1.0) for _ in range(3)]
                old[child] = (naive.from_rpy(v), v)
                if hinge.kind == "planar":
                    along = sum(x * n for x, n in zip(v, hinge.axis))
                    old[child] = (
                        naive.around(hinge.axis, v[0]),
                        [x - along * n for x, n in zip(v, hinge.axis)],
                    )
            if child in self.new and hinge.kind in naive.MOVABLE:
                new[child] = naive.motion(self.new[child], self.signs[child] * q[hinge.name])
            elif child in self.new and child in old:
                turn = (
                    product(naive.flipped(self.zero_after[child][0]), self.zero_before[child][0]),
                    [0.0] * 3,
                )
                new[child] = after(after(turn, old[child]), back(turn))
        world = {self.before.root: self.base}
        for hinge in naive.parents_first(self.before):
            child, target = hinge.child, self.target[hinge.child]
            world[child] = after(
                after(world[hinge.parent], hinge.origin), old.get(child, naive.NOWHERE)
            )
            if target != child and hinge.kind != "fixed":
                sits = after(back(self.zero_before[target]), self.zero_before[child])
                claimed = after(world[target], sits)
                assert (
                    apart(claimed[1], world[child][1]) < 1e-3
                    and turned_by(claimed[0], world[child][0]) < 1e-3
                )
                world[child] = claimed
        return world, naive.places(self.after, naive.NOWHERE, new), q

    def explained(self, q):
        """Return, by link of the result, the turn and the shift that the moved axes explain at the positions q."""
        room = {self.after.root: (0.0, 0.0)}
        for hinge in naive.parents_first(self.after):
            turned, shifted = room[hinge.parent]
            shifted += turned * length(hinge.origin[1])
            off = self.tilt(hinge.child)
            if hinge.kind in ("planar", "floating"):  # at most 1 m along each axis, and 1 rad
                shifted, turned = shifted + 2.0 * (turned + off), turned + off
            elif hinge.kind == "prismatic":
                shifted += (turned + off) * abs(q[self.old[hinge.child].name])
            elif hinge.kind != "fixed":
                turned += 2.0 * abs(math.sin(0.5 * q[self.old[hinge.child].name])) * off
            room[hinge.child] = (turned, shifted)
        return room

    def tilt(self, child):
        """Return how far the axis of a joint moved at zero."""
        old, new = self.old[child], self.new[child]
        if old.kind in ("fixed", "floating"):
            return 0.0
        v = times(self.zero_before[child][0], old.axis)
        w = times(self.zero_after[child][0], new.axis)
        return apart([self.signs[child] * x for x in v], w)


def match_shapes(
    case,
    before,
    now,
    room,
):
    """Find every shape of the result in the input, at its place; count what is missing."""
    wanted = {}
    for name, body in case.before.bodies.items():
        for looks, place in body.shapes:
            wanted.setdefault((case.target[name], *looks), []).append(after(before[name], place))
    for name, body in case.after.bodies.items():
        turned, shifted = room[name]
        for looks, place in body.shapes:
            there = wanted.get((name, *looks), [])
            assert there, f"{looks} in {name} came from nowhere"
            T = after(now[name], place)
            best = min(there, key=lambda other: apart(T[1], other[1]) + turned_by(T[0], other[0]))
            arm = length(place[1]) * turned + shifted
            assert apart(T[1], best[1]) <= EXACT + 1.001 * arm, (name, looks)
            assert turned_by(T[0], best[0]) <= EXACT + 1.001 * turned, (name, looks)
            there.remove(best)
    left = [key for key, there in wanted.items() for _ in there]
    plan = case.result.plan
    assert len(left) == len(plan.strips) + len(plan.copies)
    stays = {
        (name, *looks): [after(now[name], place) for other, place in body.shapes if other == looks]
        for name, body in case.after.bodies.items()
        for looks, _ in body.shapes
    }
    # No link of the result loses all that it shows, or all that it touches with.
    assert {key[:2] for key in stays} == {key[:2] for key in wanted}
    for key, there in wanted.items():
        # Then it was a copy of one that stays.
        if not any(word in " ".join(key[1:]).lower() for word in GAINS):
            turned, shifted = room[key[0]]
            for T in there:
                assert any(
                    apart(T[1], other[1])
                    <= 2.0 * COPY_TOLERANCE + shifted + turned * length(other[1])
                    for other in stays.get(key, [])
                ), f"{key} is lost, and none like it stays in its place"


def check_places(case, seed):
    """Compare the places of frames and shapes at zero and at a random position."""
    still = dict.fromkeys(case.after.bodies, (0.0, 0.0))
    match_shapes(case, case.zero_before, case.zero_after, still)
    world, now, q = case.moved(seed)
    room = case.explained(q)
    match_shapes(case, world, now, room)
    for child in case.new:
        turned, shifted = room[child]
        assert apart(world[child][1], now[child][1]) <= EXACT + 1.001 * shifted, child
        moved = product(world[child][0], naive.flipped(case.zero_before[child][0]))
        moved_now = product(now[child][0], naive.flipped(case.zero_after[child][0]))
        assert turned_by(moved, moved_now) <= EXACT + 1.001 * turned, child


SEEDS = st.integers(min_value=0, max_value=9)


@examples(fuzzed=60)
@given(robots(), CHOICES, SEEDS)
def test_every_shape_and_frame_is_where_it_was_when_nothing_is_snapped(text, options, seed):
    check_places(Case(text, options._replace(snap=0.0)), seed)


@examples(fuzzed=60)
@given(robots(Traits(near=SNAP)), CHOICES, SEEDS)
def test_every_shape_and_frame_is_where_the_snapped_axes_lead(text, options, seed):
    check_places(Case(text, options._replace(snap=SNAP)), seed)


def wanted_axes(name, v):
    """Return the axes that the rules allow for a joint of that name about the world direction v."""
    words = re.findall(r"[a-z]+", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())
    asked = next((axis for word, axis in AXIS_OF_WORD.items() if word in words), None)
    most = max(map(abs, v))
    nearest = [k for k in range(3) if abs(v[k]) >= most - 2e-3]
    if asked is None or abs(v[asked]) < 0.498:
        return nearest
    return [asked] if abs(v[asked]) > 0.501 else [asked, *nearest]


@examples(fuzzed=80)
@given(robots(Traits(hostile=0.6)), CHOICES)
def test_frames_are_canonical(text, options):
    """Recomputed from the definition: named class or largest component, positive sign, near the world, no twist."""
    case = Case(text, options._replace(snap=0.0))
    for child, new in case.new.items():
        R = case.zero_after[child][0]
        if new.kind in (*naive.MOVABLE, "planar"):
            axis = new.axis.index(1.0)
            v = times(R, new.axis)
            assert v[axis] > 0.0
            assert axis in wanted_axes(case.old[child].name, v), (new.name, v)
            if (
                min(length(x) for x in ([v[0], v[1]], [v[1], v[2]])) > 1e-5
                or max(map(abs, v)) == 1.0
            ):
                assert turned_by(R, naive.canonical(v, axis)) <= EXACT, new.name
        elif new.kind == "floating":
            assert turned_by(R, naive.IDENTITY) <= EXACT, new.name
        elif case.result.plan.members[child].kind != BASE:
            assert turned_by(R, case.zero_before[child][0]) <= EXACT, new.name
    if case.result.changed:
        assert case.zero_after[case.after.root] == naive.NOWHERE


@pytest.mark.parametrize("near", (1e-9, 1e-4, 1e-2))
@examples(fuzzed=60)
@given(st.data())
def test_a_second_run_changes_nothing_near_the_thresholds(near, data):
    text = data.draw(robots(Traits(links=4, fixed=0.1, near=near, hostile=1.0, hardware=0.0)))
    options = Options(snap=data.draw(st.sampled_from((0.0, near, 1e-4, 1e-2))))
    once = simplify_bytes(text.encode("utf-8"), "robot.urdf", options)
    assert simplify_bytes(once.data, "robot.urdf", options).data == once.data


def world_places(data):
    """Read a robot and place its links at zero."""
    robot = naive.read(data)
    return robot, naive.places(robot, naive.NOWHERE, {})


def test_no_twist_and_no_drift_along_a_chain():
    """300 links in arbitrary frames: every frame is canonical by itself, and the tip is where it was."""
    text = chain(300, random.Random(0)).encode()
    result = simplify_bytes(text, "chain.urdf", Options(snap=0.0, base_frame="ros"))
    _, old = world_places(text)
    robot, new = world_places(result.data)
    for hinge in robot.hinges:
        R = new[hinge.child][0]
        v = times(R, hinge.axis)
        assert turned_by(R, naive.canonical(v, hinge.axis.index(1.0))) < EXACT
        assert apart(old[hinge.child][1], new[hinge.child][1]) < EXACT


def test_snapping_a_chain_does_not_drift():
    """Noise below the tolerance in 300 joints: angles become 0 unless several in one frame add up to more than it.

    Every position stays, and no axis moves by more than the tolerance.
    """
    text = chain(300, random.Random(0), tilt=0.9 * SNAP).encode()
    result = simplify_bytes(text, "chain.urdf", Options(snap=SNAP, base_frame="ros"))
    before, old = world_places(text)
    robot, new = world_places(result.data)
    hinges = {hinge.child: hinge for hinge in before.hinges}
    assert sum(hinge.rpy == [0.0, 0.0, 0.0] for hinge in robot.hinges) > 250
    for hinge in robot.hinges:
        assert apart(old[hinge.child][1], new[hinge.child][1]) < EXACT
        v, w = (
            times(old[hinge.child][0], hinges[hinge.child].axis),
            times(new[hinge.child][0], hinge.axis),
        )
        assert apart(v, w) <= SNAP


def test_garbled_robots_never_break_the_proof():
    """Numbers, names and types of a random robot replaced by others: refused with a sentence, or proven."""
    proven = []

    @examples(fuzzed=40)
    @given(robots(Traits(links=6)), SEEDS, st.data())
    def law(text, seed, data):
        r = random.Random(seed)
        values = list(re.finditer(r"=(\"[^\"]*\"|'[^']*')", text))
        for match in sorted(r.sample(values, min(3, len(values))), key=lambda m: -m.start()):
            other = data.draw(
                st.sampled_from(
                    (
                        '"0"',
                        '"0 0 0"',
                        '"1e-300"',
                        '"1e30 0 1"',
                        '"-1"',
                        '"fixed"',
                        '"floating"',
                        '"prismatic"',
                        '"1 2"',
                        '"a b"',
                        '"1,2,3"',
                        '"1e-9 -1e-9 1e-9"',
                        r.choice(values).group(1),
                    )
                )
            )
            text = f"{text[: match.start(1)]}{other}{text[match.end(1) :]}"
        proven.append(False)
        try:
            simplify_bytes(text.encode("utf-8"), "garbled.urdf", Options())
            proven[-1] = True
        except UrdfError as error:  # a failed proof is none
            assert error.message

    law()
    assert sum(proven) >= len(proven) // 10


TWO = (
    '<link name="a"/><link name="b"/>'
    '<joint name="hip" type="continuous"><parent link="a"/><child link="b"/>{}</joint>'
)


@pytest.mark.parametrize(
    "inside",
    (
        '<link name="a"><visual/><collision><geometry/></collision></link>',
        '<link name="a"><collision><origin xyz="1e9 0 1"/><geometry><box size="1 1 1"/></geometry></collision></link>',
        '<link name="a"><inertial><origin xyz="0 1e9 1"/><mass value="1"/></inertial></link>',
        TWO.format('<origin quat_xyzw="0 1e-200 0 0"/>'),
        TWO.format('<axis xyz="1 0 -5e-05"/>')
        + '<link name="c"/><joint name="free" type="floating"><parent link="b"/>'
        '<child link="c"/></joint>',
        TWO.format('<axis xyz="0.70710678 0 0.7071067826"/>'),
        TWO.format('<axis xyz="0 0 -1e-320"/>'),
        TWO.format('<axis xyz="0.3 -1 0"/><mimic joint="hip" multiplier="2" offset="1"/>'),
    ),
)
def test_odd_but_readable_robots_are_proven_and_stable(inside):
    once = simplify_bytes(f'<robot name="odd">{inside}</robot>'.encode(), "robot.urdf", Options())
    assert simplify_bytes(once.data, "robot.urdf", Options()).data == once.data
