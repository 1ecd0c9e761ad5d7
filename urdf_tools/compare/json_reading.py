"""JSON as the reader of the armature sees it: objects that know what was read of them."""
import json
from math import inf
from typing import Any, Dict, FrozenSet, Iterator, List, NoReturn, Optional, Sequence, Tuple, Union

from ..base.errors import BrokenRobot
from ..base.number_text import count_of, LARGEST
from .records import NOT_READ, Unread

NUMBERS: FrozenSet[type] = frozenset((int, float))  # of JSON; True and False are no numbers


class Object:
    """An object of JSON, and its path, such as `links[3].inertial`."""

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
        value = self.values.get(key)
        return default if value is None else value

    def text(self, key: str, default: Optional[str] = None) -> str:
        """Return a text.

        Raises:
            BrokenRobot: it is none, or it is not there and has no default.
        """
        value = self.get(key, default)
        if not isinstance(value, str):
            self.refuse(f"'{key}' is not a text")
        return value

    def number(self, key: str, default: Optional[float] = None, largest: float = LARGEST) -> Optional[float]:
        """Return a number, the default without it."""
        value = self.get(key, default)
        return None if value is None else self.checked(key, (value,), largest)[0]

    def checked(self, key: str, values: Sequence[Any], largest: float = LARGEST) -> Tuple[float, ...]:
        """Return the numbers that values are.

        Raises:
            BrokenRobot: a value is no number, or beyond `largest`.
        """
        if not NUMBERS.issuperset(map(type, values)):
            self.refuse(f"'{key}' is not {'a number' if len(values) == 1 else count_of(len(values))}")
        try:
            numbers = tuple(map(float, values))
        except OverflowError:
            numbers = (inf,)
        return numbers if all(abs(number) <= largest for number in numbers) else self.refuse(
            f"'{key}' has too large a number")

    def numbers(self, key: str, count: int, default: Optional[Tuple[float, ...]] = None) -> Tuple[float, ...]:
        """Return `count` numbers, or the default where the key is missing."""
        values = self.get(key)
        if values is None and default is not None:
            return default
        if not isinstance(values, list) or len(values) != count:
            self.refuse(f"'{key}' is not {count_of(count)}")
        return self.checked(key, values)

    def inside(self, key: str) -> "Optional[Object]":
        """Return the object at a key, or None."""
        value = self.get(key)
        if value is None:
            return None
        self.read[key] = [Object(value, f"{self.where}.{key}".lstrip("."), self.file)]
        return self.read[key][0]

    def all(self, key: str) -> "List[Object]":
        """Return the objects of the list at a key."""
        values = self.get(key, [])
        if not isinstance(values, list):
            self.refuse(f"'{key}' is not a list")
        self.read[key] = [Object(value, f"{self.where}.{key}[{index}]".lstrip("."), self.file)
                          for index, value in enumerate(values)]
        return self.read[key]

    def unread(self) -> Iterator[Unread]:
        """Yield the keys that no reader asked for, here and below."""
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
