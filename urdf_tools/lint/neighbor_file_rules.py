"""Rules for elements beside the kinematics: ros2_control, transmissions and soft limits in the robot; an SRDF and the
parameters of controllers in files of their own, which are compared with the robot.
"""

from __future__ import annotations

import re
from typing import Iterator, List, Optional, Tuple

from ..base.diagnostics import WARNING
from ..base.errors import did_you_mean
from ..base.number_text import numbers_in
from ..srdf.srdf_diagnostics import SRDF_FIT, SRDF_STATE
from ..urdf.lossless_xml import Document, Element
from ..urdf.urdf_records import UrdfJoint, Limit, UrdfRobot
from .lint_diagnostics import CONTROL_LIMIT, NAMES_NO_JOINT, SOFT_LIMIT
from .finding_records import LintFinding, Findings, found, LintedRobot

SLACK = 1e-3  # of the greater limit: 3.1416 beside 3.14159 is rounding
Range = Tuple[float, float]


def neighbor_rules(subject: LintedRobot) -> Findings:
    """Yield contradictions between a robot's links and joints and its other elements."""
    robot = subject.robot
    for joint in robot.joints:
        yield from _soft_limits(joint)
    for top in robot.document.root.elements():
        if top.name in ("ros2_control", "transmission"):
            yield from _unknown_joints(top, robot)
        if top.name == "ros2_control":
            yield from _control_limits(top, robot)


def _soft_limits(joint: UrdfJoint) -> Findings:
    """Yield soft limits that the hard limits make useless.

    A controller brakes from a soft limit on (http://wiki.ros.org/pr2_controller_manager/safety_limits), so a soft limit
    at the hard limit leaves no distance for braking.
    """
    element = joint.source.find("safety_controller")
    safety = joint.safety
    limit = joint.limit
    if element is None or safety is None or limit is None or joint.type == "continuous":
        return
    low = safety.soft_lower_limit
    high = safety.soft_upper_limit
    if low is None or high is None or limit.lower is None or limit.upper is None:
        return
    if low == high == 0.0:  # the values that urdfdom assumes for missing attributes
        return
    numbers = (low, high, limit.lower, limit.upper)
    if low < limit.lower or high > limit.upper:
        yield found(SOFT_LIMIT, element.line, "outside", (joint.name,), numbers)
    elif (low, high) == (limit.lower, limit.upper):
        yield found(SOFT_LIMIT, element.line, "copied", (joint.name,), numbers)


def _unknown_joints(top: Element, robot: UrdfRobot) -> Findings:
    """Yield joints that a transmission or a hardware element names, and the robot does not have."""
    for element in top.walk():
        name = element.get("name") or ""
        if element.name == "joint" and name and name not in robot.named:
            hint = did_you_mean(name, list(robot.named))
            names = (name, top.name, top.get("name") or "", hint)
            yield found(NAMES_NO_JOINT, element.line, "element", names)


def _control_limits(top: Element, robot: UrdfRobot) -> Findings:
    """Yield interfaces of ros2_control that take commands beyond a limit of their joint.

    Its hardware takes `min` and `max` of an interface, and its controllers the limits of the joint
    (https://control.ros.org, "ros2_control hardware interface types").
    """
    for element in top.elements("joint"):
        joint = robot.named.get(element.get("name") or "")
        if joint is None:
            continue
        for interface in element.elements("command_interface"):
            what = interface.get("name") or ""
            commanded = _commanded(interface)
            allowed = _allowed(joint, what)
            if commanded and allowed and _is_outside(commanded, allowed):
                numbers = (*commanded, *allowed)
                names = (joint.name, what)
                yield found(CONTROL_LIMIT, interface.line, "interface", names, numbers)


def _allowed(joint: UrdfJoint, interface: str) -> Optional[Range]:
    """Return the range that a joint's limits allow for an interface, None if they do not restrict it."""
    limit = joint.limit or Limit()
    if interface == "position":
        is_known = limit.lower is not None and limit.upper is not None
        if not is_known or joint.type == "continuous":
            return None
        return limit.lower or 0.0, limit.upper or 0.0
    greatest = {"velocity": limit.velocity, "effort": limit.effort}.get(interface)
    # Exporters write zero for an actuator that they do not know.
    return (-greatest, greatest) if greatest else None


def _commanded(interface: Element) -> Optional[Range]:
    """Return the range of commands that an interface takes, None without both ends."""
    values: List[float] = []
    for name in ("min", "max"):
        for parameter in interface.elements("param"):
            if parameter.get("name") == name:
                values += numbers_in(parameter.text(), 1) or ()
    return (values[0], values[1]) if len(values) == 2 else None


def _is_outside(inner: Range, outer: Range) -> bool:
    """Return True if a range exceeds an outer range by more than rounding."""
    slack = SLACK * max(map(abs, outer))
    return inner[0] < outer[0] - slack or inner[1] > outer[1] + slack


def srdf_findings(document: Document, robot: UrdfRobot) -> Findings:
    """Yield why an SRDF does not fit the robot, the names that the robot lacks, and states beyond its limits."""
    from ..srdf.undefined_srdf_names import unknown_names
    from ..srdf.srdf_notes import find_misfit

    root = document.root
    misfit = find_misfit(document, robot)
    if misfit is not None:
        yield LintFinding(misfit)
    name = root.get("name") or ""
    if name != robot.name:
        # srdfdom logs an error, and reads the file all the same (model.cpp).
        kind = SRDF_FIT._replace(severity=WARNING, hint="give both the name that is meant")
        yield found(kind, root.line, "robot", (robot.document.path, name, robot.name))
    yield from map(LintFinding, unknown_names(root, robot.links, robot.named))
    for state in root.elements("group_state"):
        for element in state.elements("joint"):
            joint = robot.named.get(element.get("name") or "")
            values = numbers_in(element.get("value") or "", 1)
            allowed = _allowed(joint, "position") if joint else None
            if joint and values and allowed and _is_outside((values[0], values[0]), allowed):
                names = (state.get("name") or "", joint.name)
                numbers = (values[0], *allowed)
                yield found(SRDF_STATE, element.line, "outside", names, numbers)


# A list of joints in the parameters of a controller, in the two notations of YAML.
JOINTS_KEY = r"^(?P<indent>\s*)(joints|joint_names)\s*:\s*(?P<inline>\[.*)?(#.*)?$"
ITEM = r"^\s*-\s*(?P<name>[^#\s]+)"


def controller_findings(text: str, robot: UrdfRobot) -> Findings:
    """Yield joints in the parameters of controllers (YAML) that the robot does not have.

    A file that shares less than half of its joints with the robot is for a different robot, and is not reported.
    """
    named = list(_joints_in_yaml(text))
    if 2 * sum(name in robot.named for _, name in named) < len(named):
        return
    for line, name in named:
        if name not in robot.named:
            names = (name, did_you_mean(name, list(robot.named)))
            yield found(NAMES_NO_JOINT, line, "controller", names)


def _joints_in_yaml(text: str) -> Iterator[Tuple[int, str]]:
    """Yield the line and name of each joint in lists of joints."""
    inside = False
    for line, content in enumerate(text.splitlines(), 1):
        key = re.match(JOINTS_KEY, content)
        item = re.match(ITEM, content)
        if key:
            inside = True
            words = re.split(r"[\[\],\s]+", (key["inline"] or "").partition("#")[0])
            yield from ((line, word.strip("\"'")) for word in words if word)
        elif inside and item:
            yield line, item["name"].strip("\"'")
        elif content.strip() and not content.lstrip().startswith("#"):
            inside = False
