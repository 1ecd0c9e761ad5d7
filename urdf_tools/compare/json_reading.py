"""JSON as the readers of the model and of the armature see it: objects that know what was read of them."""
import json
from typing import Any, Dict, Iterator, List, NoReturn, Optional, Tuple, Union

from ..base.errors import BrokenRobot
from ..urdf.spatial import Pose
from .reading import rotation_of_rpy
from .records import NOT_READ, Unread

NUMBERS = frozenset((int, float))  # of JSON; True and False are no numbers


class Object:
    """An object of JSON, and where it stands, such as `links[3].inertial`."""

    def __init__(self, values: Any, where: str, file: str) -> None:
        self.values: Dict[str, Any] = values
        self.where, self.file = where, file
        self.read: Dict[str, List[Object]] = {}
        if not isinstance(values, dict):
            self.refuse("this is not an object")

    def refuse(self, sentence: str) -> NoReturn:
        """Refuse the file for this object.

        Raises:
            BrokenRobot: always.
        """
        raise BrokenRobot(f"{self.where or 'the file'}: {sentence}", self.file)

    def get(self, key: str, default: Any = None) -> Any:
        """Return a value as it is, the default without it."""
        self.read.setdefault(key, [])
        found = self.values.get(key)
        return default if found is None else found

    def text(self, key: str, default: Optional[str] = None) -> str:
        """Return a text.

        Raises:
            BrokenRobot: it is none, or it is not there and has no default.
        """
        found = self.get(key, default)
        if not isinstance(found, str):
            self.refuse(f"'{key}' is not a text")
        return found

    def number(self, key: str, default: Optional[float] = None) -> Optional[float]:
        """Return a number, the default without it."""
        found = self.get(key, default)
        if found is not None and type(found) not in NUMBERS:
            self.refuse(f"'{key}' is not a number")
        return None if found is None else float(found)

    def numbers(self, key: str, count: int, default: Tuple[float, ...] = ()) -> Tuple[float, ...]:
        """Return so many numbers."""
        found = self.get(key, default)
        if not isinstance(found, (list, tuple)) or len(found) not in (count, len(default)) or not NUMBERS.issuperset(
                map(type, found)):
            self.refuse(f"'{key}' is not {count} numbers")
        return tuple(map(float, found))

    def inside(self, key: str) -> "Optional[Object]":
        """Return the object at a key, or None."""
        found = self.get(key)
        if found is None:
            return None
        self.read[key] = [Object(found, f"{self.where}.{key}".lstrip("."), self.file)]
        return self.read[key][0]

    def all(self, key: str) -> "List[Object]":
        """Return the objects of the list at a key."""
        found = self.get(key, [])
        if not isinstance(found, list):
            self.refuse(f"'{key}' is not a list")
        self.read[key] = [Object(value, f"{self.where}.{key}[{index}]".lstrip("."), self.file)
                          for index, value in enumerate(found)]
        return self.read[key]

    def pose(self, key: str) -> Pose:
        """Return the pose of `xyz` and `rpy` at a key."""
        found = self.inside(key)
        if found is None:
            return Pose(rotation_of_rpy((0.0, 0.0, 0.0)), (0.0, 0.0, 0.0))
        x, y, z = found.numbers("xyz", 3, (0.0, 0.0, 0.0))
        return Pose(rotation_of_rpy(found.numbers("rpy", 3, (0.0, 0.0, 0.0))), (x, y, z))

    def unread(self) -> Iterator[Unread]:
        """Yield the keys that nobody asked for, here and below."""
        for key in self.values:
            if key not in self.read:
                yield Unread(f"{self.where}.{key}".lstrip("."), NOT_READ)
            for inner in self.read.get(key, ()):
                yield from inner.unread()


def read_object(source: Union[str, bytes], file: str) -> Object:
    """Return the object that a text is.

    Raises:
        BrokenRobot: it is not JSON, holds a number that is not finite, or is no object.
    """
    def refuse(word: str) -> float:
        raise ValueError(f"{word} is not a finite number")

    try:
        return Object(json.loads(source, parse_constant=refuse), "", file)
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 0
        reason = error.msg if isinstance(error, json.JSONDecodeError) else (
            "it is nested too deep" if isinstance(error, RecursionError) else str(error))
        raise BrokenRobot(f"this is not valid JSON: {reason}", file, line) from None
