"""What the readers share: numbers with their line, and the list of what ended in no field."""
from typing import Iterable, List, NoReturn, Optional, Tuple

from ..base.errors import BrokenRobot
from ..base.number_text import LARGEST, read_numbers
from ..urdf.lossless_xml import Element
from ..urdf.spatial import IDENTITY, Matrix, Vector
from ..verify.rigid_motion import quaternion_turn, rpy_turn
from .records import Unread

NOT_COMPARED = "it has no place in the comparison"
REPEATED = "an earlier one of its kind counts"


class Reading:
    """A file while it is read: its path, for messages, and what ended in no field."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.unread: List[Unread] = []

    def leave(self, element: Element, why: str = NOT_COMPARED) -> None:
        """Put an element on the list of what was not read."""
        self.unread.append(Unread(element.start_tag.strip().rstrip("/>").rstrip() + ">", why, element.line))

    def refuse(self, element: Element, sentence: str) -> NoReturn:
        """Refuse the file for an element.

        Raises:
            BrokenRobot: always.
        """
        raise BrokenRobot(sentence, self.path, element.line)

    def parts(self, element: Element, *names: str) -> Tuple[Optional[Element], ...]:
        """Return the first child of each name, or None; all other children are left."""
        found: List[Optional[Element]] = [None] * len(names)
        for child in element.elements():
            if child.name not in names:
                self.leave(child)
            elif found[names.index(child.name)] is not None:
                self.leave(child, REPEATED)
            else:
                found[names.index(child.name)] = child
        return tuple(found)

    def name_of(self, element: Element) -> str:
        """Return the name of an element.

        Raises:
            BrokenRobot: it has none.
        """
        return element.get("name") or self.refuse(element, f"<{element.name}> has no name")

    def numbers(self, element: Optional[Element], attribute: str, count: int, largest: float = LARGEST
                ) -> Optional[Tuple[float, ...]]:
        """Return the numbers of an attribute, None without it.

        Raises:
            BrokenRobot: they are not `count` numbers.
        """
        text = element.get(attribute) if element is not None else None
        if element is None or text is None:
            return None
        try:
            return read_numbers(text, count, largest)
        except ValueError as error:
            self.refuse(element, f"<{element.name} {attribute}>: {error}")

    def number(self, element: Optional[Element], attribute: str, largest: float = LARGEST) -> Optional[float]:
        """Return the number of an attribute, None without it."""
        found = self.numbers(element, attribute, 1, largest)
        return found[0] if found else None

    def vector(self, element: Optional[Element], attribute: str) -> Vector:
        """Return the three numbers of an attribute, zeros without it."""
        x, y, z = self.numbers(element, attribute, 3) or (0.0, 0.0, 0.0)
        return (x, y, z)


def rotation_of_rpy(rpy: Iterable[float]) -> Matrix:
    """Return the rotation by roll, pitch, yaw about fixed axes [rad]."""
    angles = tuple(rpy)
    return rpy_turn(*angles) if any(angles) else IDENTITY


def rotation_of_quaternion(quaternion: Tuple[float, ...]) -> Matrix:
    """Return the rotation of a quaternion x, y, z, w of any length but zero."""
    return quaternion_turn(quaternion) if any(quaternion[:3]) else IDENTITY
