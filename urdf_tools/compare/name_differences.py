"""Names that are in both files, and stand for another joint or another link: who looks one up moves another part."""
from typing import Dict, Iterator, Set

from .differences import Difference, Settings
from .robot_map import RobotMap


def name_differences(robots: RobotMap, settings: Settings) -> Iterator[Difference]:
    """Yield names of moving joints, then of the links on them where their joints have the right names."""
    partners: Dict[str, Set[str]] = {}
    for pair in robots.pairs:
        a, b = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
        partners.setdefault(a.name, set()).add(b.name)
    in_b = {joint.raw.name: joint.raw.line for joint in robots.b.joints}
    exchanged = {name for name, others in partners.items() if name in in_b and name not in others}
    for pair in robots.pairs:
        a, b = robots.a.joints[pair.choice.a].raw, robots.b.joints[pair.choice.b].raw
        if a.name in exchanged:
            yield Difference("joint_name", a.name, a=a.name, b=b.name, names=(a.name, b.name), line_a=a.line,
                             line_b=in_b[a.name])
    for body, other in robots.bodies.items():
        joint = robots.a.joint_of(body)
        name, partner = robots.a.bodies[body].name, robots.b.bodies[other].name
        if robots.b.body_of.get(name, other) != other and (joint is None or joint.raw.name not in exchanged):
            yield Difference("link_name", name, a=name, b=partner, names=(name, partner),
                             line_a=robots.a.bodies[body].parts[0].link.line)
