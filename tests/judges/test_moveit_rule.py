"""The rule by which MoveIt's setup assistant disables collisions, rebuilt, and what is proven of the pairs that it
calls "never"; coal is asked in the place of FCL. The table of collision/README.md is what this prints.

The rule is that of `compute_default_collisions.cpp` (moveit_setup_assistant): links that a joint connects, through
links without shapes, are adjacent; then goes what touches in the default state (zero, or the middle of limits that do
not hold it), then, again and again, what touches in more than 95 % of 200 random states. Of the rest, what touches in
none of 10,000 random states is "never".
"""

import random
from typing import List, NamedTuple
from xml.etree import ElementTree

import pytest
from coal_robot import CoalRobot, Names, names_of, ROBOTS, written

STATES, SMALL, ALWAYS = 10_000, 200, 190
TRIES = 100  # poses of the joints that are not between two links, to find one in which nothing else touches
HEAD = (
    "| robot | pairs | its never | proven | wrong, with a pose | of these masked | undecided |\n"
    "|---|---|---|---|---|---|---|"
)


class Disabled(NamedTuple):
    """The pairs that the rule leaves out as never touching, and those that it goes on looking at."""

    never: List[Names]
    looked_at: List[Names]


def connected(urdf):
    """Return the adjacent pairs: neighbors of a link without shapes count as neighbors of each other."""
    robot = ElementTree.parse(urdf).getroot()
    bare = {link.get("name") for link in robot.findall("link") if link.find("collision") is None}
    near = {str(link.get("name")): set() for link in robot.findall("link")}
    for joint in robot.findall("joint"):
        ends = [joint.find(end) for end in ("parent", "child")]
        parent, child = (str(end.get("link")) for end in ends if end is not None)
        near[parent].add(child)
        near[child].add(parent)
    grows = True
    while grows:
        grows = False
        for link in bare:
            for one in near[str(link)]:
                more = near[str(link)] - {one} - near[one]
                near[one] |= more
                grows = grows or bool(more)
    return {
        (one, other)
        for one, others in near.items()
        for other in others
        if one < other and not {one, other} & bare
    }


def random_state(robot, generator):
    return {name: generator.uniform(low, high) for name, (low, high) in robot.spans.items()}


def disabled_by_the_rule(robot, urdf, generator):
    """Return what MoveIt's rule makes of the pairs of a robot."""
    adjacent = connected(urdf)
    left = [pair for pair in robot.pairs if pair not in adjacent]
    default = {
        name: 0.0 if low <= 0.0 <= high else 0.5 * (low + high)
        for name, (low, high) in robot.spans.items()
    }
    robot.look_at(left)
    left = sorted(set(left) - set(robot.seen(default, left)))
    seen = set()
    while True:
        robot.look_at(left)
        counts = dict.fromkeys(left, 0)
        for _ in range(SMALL):
            for pair in robot.seen(random_state(robot, generator), left):
                counts[pair] += 1
        seen |= {pair for pair, count in counts.items() if count}
        always = {pair for pair, count in counts.items() if count > ALWAYS}
        if not always:
            break
        left = [pair for pair in left if pair not in always]
    unseen = [pair for pair in left if pair not in seen]
    for _ in range(STATES):
        robot.look_at(unseen) if len(unseen) < len(robot.pairs) else None
        touching = set(robot.seen(random_state(robot, generator), unseen))
        unseen = [pair for pair in unseen if pair not in touching] if touching else unseen
    return Disabled(unseen, [pair for pair in left if pair not in set(unseen)])


def is_masked(robot, positions, looked_at, generator):
    """Return True if in each pose that is tried another pair touches that the rule looks at."""
    robot.look_at(looked_at)
    others = {name: min(max(0.0, low), high) for name, (low, high) in robot.spans.items()}
    for _ in range(TRIES):
        if not robot.seen({**others, **positions}, looked_at):
            return False
        others = random_state(robot, generator)
    return True


def table_row(name):
    """Return the row of a robot, and the pairs that the rule saw touching although they are proven never to."""
    known = written(name)
    robot, generator = CoalRobot(known.urdf), random.Random(name)
    rule = disabled_by_the_rule(robot, known.urdf, generator)
    state = {frozenset(names_of(pair)): pair for pair in known.pairs}
    wrong = []
    for pair in rule.never:
        found = state[frozenset(pair)]
        if "pose" in found:
            positions = dict(zip(found["joints"], found["pose"]["positions"]))
            if robot.touches(pair, positions):
                wrong.append(positions)
    masked = sum(is_masked(robot, positions, rule.looked_at, generator) for positions in wrong)
    proven = sum(state[frozenset(pair)]["state"] == "never" for pair in rule.never)
    row = (
        name,
        len(robot.pairs),
        len(rule.never),
        proven,
        len(wrong),
        masked,
        len(rule.never) - proven - len(wrong),
    )
    denied = [pair for pair in rule.looked_at if state[frozenset(pair)]["state"] == "never"]
    return f"| {' | '.join(map(str, row))} |", denied


@pytest.mark.parametrize("name", ROBOTS)
def test_what_moveit_calls_never(name, capsys):
    row, denied = table_row(name)
    with capsys.disabled():
        print(f"\n{HEAD}\n{row}" if name == next(iter(ROBOTS)) else f"\n{row}", end="")
    assert denied == []
