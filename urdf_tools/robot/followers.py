"""Positions of mimic joints, and the order in which they get them: leaders before followers."""
from typing import Dict, Hashable, Iterator, List, Mapping, Optional, Tuple, TypeVar

from ..urdf.model import MOVABLE, Robot

Name = TypeVar("Name", bound=Hashable)


def leaders_first(leader_of: Mapping[Name, Optional[Name]]) -> Iterator[Tuple[Name, Optional[Name]]]:
    """Yield every joint with its leader, each leader before its followers; None for a free joint.

    `leader_of` has every joint, with None where it follows no other. In a circle of followers, the joint that is
    reached last from the first of them is free.
    """
    done = set()
    for name in leader_of:
        chain = [name]
        while chain[-1] not in done:  # up the leaders, to a joint that has its position or is free
            leader = leader_of[chain[-1]]
            if leader is None or leader in chain:
                yield chain[-1], None
                done.add(chain[-1])
            else:
                chain.append(leader)
        yield from zip(chain[-2::-1], chain[:0:-1])
        done.update(chain)


def positions_of(robot: Robot, free: Mapping[str, float]) -> Dict[str, float]:
    """Return a position for every joint, by child link: as given where it is free, followed where it mimics.

    In a circle of followers, or where the leader does not exist, the joint is free. Joints without a position are at
    zero.
    """
    above, positions = robot.above, {}
    for child, leader in leaders_first(_leaders(robot)):
        if leader is None:
            positions[child] = free[child] if above[child].type in MOVABLE else 0.0
        else:
            rule = above[child].mimic
            assert rule is not None
            positions[child] = rule.multiplier * positions[leader] + rule.offset
    return positions


def followers(robot: Robot) -> List[Tuple[int, int, float, float]]:
    """Return (follower, leader, multiplier, offset) of joints by their index in `tree`, leaders first."""
    number = {joint.child: index for index, joint in enumerate(robot.tree)}
    rules = [(number[child], number[leader], robot.above[child].mimic)
             for child, leader in leaders_first(_leaders(robot)) if leader is not None]
    return [(follower, leader, rule.multiplier, rule.offset) for follower, leader, rule in rules if rule is not None]


def _leaders(robot: Robot) -> Dict[str, Optional[str]]:
    """Return the leader of each joint, both by child link."""
    leaders = {joint.child: robot.named.get(joint.mimic.joint) if joint.mimic is not None and joint.type in MOVABLE
               else None for joint in robot.joints}
    return {child: leader.child if leader is not None else None for child, leader in leaders.items()}
