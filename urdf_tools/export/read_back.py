"""What the proofs of the formats share: a small reader of XML, and how numbers and poses are compared."""
from operator import sub
from random import Random
from typing import Any, Dict, List, Mapping, Optional, Sequence
from xml.parsers import expat

from ..base.errors import ProofFailed
from ..model.inertia import principal
from ..model.problems import BROKEN_TRIANGLE
from ..model.records import Link
from ..model.tree import Tree
from ..urdf.spatial import Pose

TOLERANCE = 1e-9


class Element:
    """An element that was read: its tag, attributes, children, and its text if it has no children."""

    __slots__ = ("attrib", "children", "tag", "text")

    def __init__(self, tag: str, attributes: Dict[str, str]) -> None:
        self.tag, self.attrib, self.text = tag, attributes, ""
        self.children: List[Element] = []

    def get(self, key: str, default: Any = None) -> Any:
        """Return an attribute."""
        return self.attrib.get(key, default)

    def findall(self, path: str) -> "List[Element]":
        """Return what is below this element by a path of tags."""
        found = [self]
        for tag in path.split("/"):
            found = [child for element in found for child in element.children if child.tag == tag]
        return found

    def find(self, path: str) -> "Optional[Element]":
        """Return the first that is below this element by a path of tags, or None."""
        if "/" in path:
            return next(iter(self.findall(path)), None)
        for child in self.children:
            if child.tag == path:
                return child
        return None

    def findtext(self, path: str) -> str:
        """Return the text of the first that is below this element by a path of tags, or ""."""
        found = self.find(path)
        return found.text if found is not None else ""


def read_back(text: str) -> Element:
    """Return the root of a text; prefixes that nobody declared are names, as they are to Gazebo."""
    top = Element("", {})
    around, texts = [top.children], []  # type: List[List[Element]], List[str]

    def start(tag: str, attributes: Dict[str, str]) -> None:
        element = Element(tag, attributes)
        around[-1].append(element)
        around.append(element.children)
        texts.clear()

    def end(_: str) -> None:
        if not around.pop() and texts:
            around[-1][-1].text = "".join(texts)
        texts.clear()

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler, parser.CharacterDataHandler = start, end, texts.append
    parser.Parse(text.encode(), True)
    return top.children[0]


def numbers_of(text: str) -> List[float]:
    """Return the numbers of a text."""
    return list(map(float, text.split()))


def random_nonzero(generator: Random) -> float:
    """Return a random number from 0.5 to 2, or from -2 to -0.5.

    One position of a robot is enough if all its joints are that far from zero: what is wrong in a pose, axis or point
    then shows in the place of a link, and errors that cancel there would have to know the random numbers.
    """
    return generator.choice((-1.0, 1.0)) * generator.uniform(0.5, 2.0)


def differs(where: str, found: object, expected: object) -> ProofFailed:
    """Return the error that says in what a text is not the robot."""
    return ProofFailed(f"{where}: {found} is written, {expected} is the robot's")


def near(found: Sequence[float], expected: Sequence[float], least: float = 1.0, extra: float = 0.0) -> bool:
    """Return True if no number is further off than 1e-9 of the largest, or of `least`, and `extra`."""
    if len(found) != len(expected):
        return False
    if (*found,) == (*expected,):
        return True
    off = list(map(abs, map(sub, found, expected)))
    allowed = TOLERANCE * least + extra
    if not all(map(allowed.__ge__, off)):  # NaN is not
        allowed = TOLERANCE * max(least, *map(abs, expected)) + extra
        return all(map(allowed.__ge__, off))
    return True


def same_pose(found: Pose, expected: Pose) -> bool:
    """Return True if two poses are the same to 1e-9: of the distance, and of each entry of the rotation."""
    R, S = found.rotation, expected.rotation
    if R is not S:
        (a, b, c), (p, q, r) = R, S
        if not near((*a, *b, *c), (*p, *q, *r)):
            return False
    return near(found.translation, expected.translation)


def compare_numbers(where: str, found: Sequence[float], expected: Sequence[float], least: float = 1.0,
                    extra: float = 0.0) -> None:
    """Refuse numbers that are not `near`.

    Raises:
        ProofFailed: they are not.
    """
    if not near(found, expected, least, extra):
        raise differs(where, tuple(found), tuple(expected))


def compare_poses(where: str, found: Pose, expected: Pose) -> None:
    """Refuse poses that are not the same.

    Raises:
        ProofFailed: they are not.
    """
    if not same_pose(found, expected):
        raise differs(f"where {where} is", found, expected)


def is_called(found: str, name: str) -> bool:
    """Return True if a found name is the given one, or has a number behind it, as one of several of that name."""
    if found == name:
        return True
    head, _, number = found.rpartition("_")
    return head == name and number.isdigit()


def compare_change(link: Link, changed: Mapping[str, float], inertia: str) -> float:
    """Return by how much mass and tensor of a link may differ from the robot's: what was decided, within reason.

    That is 1e-9 for links that weigh nothing, and what six printed digits of a tensor can do; with `inertia` nearest
    what A + B lacks to C.

    Raises:
        ProofFailed: more was decided.
    """
    change = changed.get(link.name, 0.0)
    if change:
        a, b, c = principal(link.weight.inertia)[0]
        lacking = max(0.0, -a) + max(0.0, c - a - b) if inertia == "nearest" else BROKEN_TRIANGLE * max(-a, c)
        if change > 1.1e-9 + 1.1 * lacking:
            raise differs(f"link '{link.name}', the change of mass or tensor", change, f"at most {lacking}")
    return change


def is_held(tree: Tree, base: str) -> bool:
    """Return True if the world must hold the root: as `base` says, else if it is the world or nothing on it weighs."""
    if base != "auto" or tree.root == "world":
        return base != "free"
    waiting = [tree.root]
    while waiting:
        name = waiting.pop()
        weight = tree.links[name].weight
        if weight.mass > 0.0 or any(map(any, weight.inertia)):
            return False
        waiting += [joint.child for joint in tree.below[name] if joint.type == "fixed"]
    return True
