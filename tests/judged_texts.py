"""Texts of robots as judges read them: links, masses and joints alone, and what Pinocchio makes of them.

They are read by ElementTree, which owes nothing to the tool. Joints are called after their child links, as several may
have a name, or by their names.
"""

from collections import namedtuple
import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

np = pytest.importorskip("numpy", reason="the judge needs numpy")

JOINT = "above "  # joints may be called as links, frames of Pinocchio may not
MOVABLE = ("revolute", "continuous", "prismatic")


class Line(namedtuple("Line", "name type parent child ends mimic")):
    """A joint of a text, as far as this judge goes; the limits are those that its type has."""


def tree_of(text):
    """Return the XML; prefixes that nobody declared, which urdfdom takes, become parts of names."""
    try:
        return ElementTree.fromstring(text)
    except ElementTree.ParseError:
        return ElementTree.fromstring(
            re.sub(rb"(</?|\s)(?!xmlns)(\w+):(?=[\w.-]+[\s=/>])", rb"\1\2_", text)
        )


def number(element, name, default):
    """Return the number of an attribute, or the default where there is no element or attribute."""
    return float(element.get(name, default)) if element is not None else default


def lines_of(tree):
    """Return the joints of a tree, each as a line: names, links, ends and what it follows."""
    found = []
    for joint in tree.findall("joint"):
        limit = joint.find("limit")
        mimic = joint.find("mimic")
        kind = joint.get("type", "")
        ends = number(limit, "lower", 0.0), number(limit, "upper", 0.0)
        follows = (
            None
            if mimic is None
            else (
                mimic.get("joint", ""),
                number(mimic, "multiplier", 1.0),
                number(mimic, "offset", 0.0),
            )
        )
        found.append(
            Line(
                joint.get("name", ""),
                kind,
                joint.find("parent").get("link"),
                joint.find("child").get("link"),
                ends if kind in MOVABLE[::2] else None,
                follows,
            )
        )
    return found


def below(lines, link):
    """Return a link and all that hang on it."""
    found = set()
    waiting = [link]
    while waiting:
        found.add(waiting.pop())
        waiting += [
            line.child for line in lines if line.parent in found and line.child not in found
        ]
    return found


def plain(tree, staying, root, *, by_name=False):
    """Return links, masses and joints of a part of a robot; joints of several coordinates stand still.

    With `by_name`, joints keep their names, limits and efforts, and each visual and collision is a frame.
    """
    robot = ElementTree.Element("robot", name="r")
    for link in tree.findall("link"):
        if link.get("name") in staying:
            own = ElementTree.SubElement(robot, "link", name=link.get("name"))
            own.extend(link.findall("inertial"))
    for joint in tree.findall("joint"):
        child = joint.find("child").get("link")
        if child in staying and child != root:
            kind = joint.get("type") if joint.get("type") in MOVABLE else "fixed"
            name = JOINT + (joint.get("name") if by_name else child)
            own = ElementTree.SubElement(robot, "joint", name=name, type=kind)
            own.extend(part for part in joint if part.tag in ("origin", "parent", "child", "axis"))
            limit = joint.find("limit") if by_name else None
            if kind == "continuous" or limit is None:
                limit = ElementTree.Element(
                    "limit", lower="-9", upper="9", effort="1", velocity="1"
                )
            own.append(limit)
    for link in tree.findall("link") if by_name else ():
        shapes = [
            shape
            for shape in link
            if shape.tag in ("visual", "collision") and link.get("name") in staying
        ]
        for number, shape in enumerate(shapes):
            name = f"{link.get('name')} {number}"
            ElementTree.SubElement(robot, "link", name=name)
            own = ElementTree.SubElement(robot, "joint", name=JOINT + name, type="fixed")
            ElementTree.SubElement(own, "parent", link=link.get("name"))
            ElementTree.SubElement(own, "child", link=name)
            own.extend(shape.findall("origin"))
    return ElementTree.tostring(robot, encoding="unicode")


class Pinocchio:
    """A robot with a free base: M(q), g(q) and poses of links; positions are given by joint, less a prefix."""

    def __init__(self, text, locked=None, prefix=JOINT):
        self.prefix = prefix
        self.pin = pytest.importorskip("pinocchio")
        self.model = self.pin.buildModelFromXML(text, self.pin.JointModelFreeFlyer())
        if locked:
            still = [self.model.getJointId(prefix + name) for name in locked]
            self.model = self.pin.buildReducedModel(
                self.model, still, self.filled(np.eye(3), np.zeros(3), locked)
            )
        self.data = self.model.createData()

    def filled(self, R, p, positions):
        """Return the vector of positions of pinocchio for a pose of the base and positions by name."""
        q = self.pin.neutral(self.model)
        q[:3] = p
        q[3:7] = self.pin.Quaternion(R).coeffs()
        for name, value in positions.items():
            joint = self.model.joints[self.model.getJointId(self.prefix + name)]
            q[joint.idx_q : joint.idx_q + joint.nq] = (
                [value] if joint.nq == 1 else [math.cos(value), math.sin(value)]
            )
        return q

    def at(self, R, p, positions):
        """Return the mass matrix, the torques of gravity, and the places of all frames by name."""
        q = self.filled(R, p, positions)
        M = self.pin.crba(self.model, self.data, q)
        g = self.pin.computeGeneralizedGravity(self.model, self.data, q).copy()
        self.pin.framesForwardKinematics(self.model, self.data, q)
        return (
            np.triu(M) + np.triu(M, 1).T,
            g,
            {
                frame.name: self.data.oMf[place].copy()
                for place, frame in enumerate(self.model.frames)
                if frame.type == self.pin.FrameType.BODY
            },
        )

    @property
    def names(self):
        """Return the names of the joints that move."""
        return [name[len(self.prefix) :] for name in list(self.model.names)[2:]]

    def column(self, name):
        """Return the column of a joint in the mass matrix."""
        return int(self.model.joints[self.model.getJointId(self.prefix + name)].idx_v)


def random_base(r):
    """Return a random rotation and a random place [m]."""
    q, _ = np.linalg.qr(np.array([[r.gauss(0.0, 1.0) for _ in range(3)] for _ in range(3)]))
    return q * np.sign(np.linalg.det(q)), np.array([r.uniform(-1.0, 1.0) for _ in range(3)])


def apart(found, expected):
    """Return the largest difference, in parts of the largest entry."""
    return float(np.max(np.abs(found - expected)) / max(1e-9, np.max(np.abs(expected))))
