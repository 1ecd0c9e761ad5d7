"""The kinematic tree of the input, with the decision on each link."""
from typing import List, Tuple

from ..base.number_text import grouped
from ..urdf.model import Joint, Robot
from ..plan.decisions import Plan
from ..plan.merging import BASE, KEPT
from .changes import axis_change
from .layout import fold, LINE_WIDTH, mass_text, Style

BOXES, PLAIN_BOXES = ("├── ", "└── ", "│   ", "    "), ("|-- ", "`-- ", "|   ", "    ")
MIN_TEXT_WIDTH = 44  # columns for the text of a link; deeper levels are shown at the last indent that allows them


def tree_lines(plan: Plan, style: Style) -> List[str]:
    """Return the tree; an indent that is too wide for the text is cut, with "..." in front of the link."""
    robot = plan.robot
    below = grouped((joint.parent, joint) for joint in robot.joints)
    branch, last, bar, blank = BOXES if style.boxes else PLAIN_BOXES
    deepest = (LINE_WIDTH.get() - MIN_TEXT_WIDTH) // len(bar)
    lines = [f"  {_label(robot, robot.root)}"]
    waiting: List[Tuple[Joint, Tuple[str, ...], bool]] = [
        (joint, (), joint is below[robot.root][-1]) for joint in reversed(below.get(robot.root, []))]
    while waiting:
        joint, above, is_last = waiting.pop()
        depth = "" if len(above) < deepest else "... "
        inside = (*above, blank if is_last else bar) if len(above) < deepest else above
        children = below.get(joint.child, [])
        lead = "  " + "".join(above) + (last if is_last else branch) + depth
        goes_on = "  " + "".join(inside) + (bar if children else blank)
        state = ", ".join(filter(None, (_label(robot, joint.child), _state(plan, joint.child), _motion(plan, joint))))
        lines += fold(state, goes_on, lead)
        waiting.extend((child, inside, child is children[-1]) for child in reversed(children))
    return lines


def _label(robot: Robot, link: str) -> str:
    return f"{link} {mass_text(robot.links[link].mass)} kg"


def _state(plan: Plan, link: str) -> str:
    member = plan.members[link]
    if member.merged:
        return f"merged into '{member.target}'"
    return f"kept: {member.reason}" if member.kind in (BASE, KEPT) else ""


def _motion(plan: Plan, joint: Joint) -> str:
    planned = plan.joints.get(joint.child)
    if planned is None or planned.frame.axis is None:
        return joint.type
    return f"{joint.type} {axis_change(planned)}"
