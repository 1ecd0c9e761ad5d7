"""Records: tuples with named fields, as `typing.NamedTuple` makes them, without its cost at each start.

`NamedTuple` compiles a constructor for each class when its module is loaded: a tenth of a run of this tool, which
has more than a hundred records and creates instances of half of them. Here one constructor is compiled for each number
of fields, and a class gets it, with its names in it, when its first instance is created. What a type checker sees is in
`record_type.pyi`: the `NamedTuple` of `typing`.
"""

# The descriptor that `namedtuple` itself uses: half the time of a property for each access to a field.
from collections import _tuplegetter
from functools import lru_cache
from types import CodeType, FunctionType
from typing import Any, Callable, Dict, Iterable


class RecordType(type):
    """The type of all records: it turns annotations into fields, and values given to them into defaults."""

    def __new__(cls, name: str, bases: tuple, namespace: Dict[str, Any]) -> type:
        record = super().__new__(cls, name, bases, {"__slots__": (), **namespace})
        fields = tuple(getattr(record, "__annotations__", ()))
        # A class that adds methods to a record has no annotations; before Python 3.10 it shows the record's.
        if fields in ((), record._fields):
            return record
        record._fields = record.__match_args__ = fields
        record._field_defaults = {key: namespace[key] for key in fields if key in namespace}
        for index, key in enumerate(fields):
            setattr(record, key, _tuplegetter(index, f"Field {index}"))
        return record

    @property
    def __signature__(cls) -> Any:
        """Return the signature that `help` shows: the fields with their types and defaults."""
        from inspect import signature

        whole = signature(constructor(cls))
        return whole.replace(parameters=[*whole.parameters.values()][1:])


def constructor(record: type) -> Callable[..., Any]:
    """Return the constructor of a record; its arguments are the fields, by position or by name."""
    code = _code_of(len(record._fields)).replace(co_varnames=("_cls", *record._fields))
    defaults = tuple(record._field_defaults.values())
    function = FunctionType(code, {"_new": tuple.__new__}, "__new__", defaults)
    function.__annotations__ = getattr(record, "__annotations__", {})
    function.__qualname__ = f"{record.__name__}.__new__"
    return function


@lru_cache(maxsize=None)
def _code_of(count: int) -> CodeType:
    """Compile the constructor of records with so many fields."""
    fields = "".join(f"_{index}, " for index in range(count))
    return eval(f"lambda _cls, {fields}: _new(_cls, ({fields}))").__code__


class Record(tuple, metaclass=RecordType):
    """A tuple whose fields are the annotations of its class, in their order."""

    _fields = ()
    _field_defaults = {}

    def __new__(cls, *arguments: Any, **named: Any) -> Any:
        # From here on the class of these fields has a constructor; a subclass that adds methods may have its own.
        owner = next(each for each in cls.__mro__ if "_fields" in vars(each))
        owner.__new__ = constructor(owner)
        return owner.__new__(cls, *arguments, **named)

    @classmethod
    def _make(cls, values: Iterable[Any]) -> Any:
        """Create a record of values in the order of its fields."""
        return tuple.__new__(cls, values)

    def _replace(self, **named: Any) -> Any:
        """Return a copy with other values of some fields.

        Raises:
            ValueError: a name belongs to no field.
        """
        copy = tuple.__new__(type(self), map(named.pop, self._fields, self))
        if named:
            raise ValueError(f"{type(self).__name__} has no field {', '.join(map(repr, named))}")
        return copy

    def _asdict(self) -> Dict[str, Any]:
        """Return the values by the names of their fields."""
        return dict(zip(self._fields, self))

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self))
        return f"{type(self).__name__}({values})"

    def __getnewargs__(self) -> tuple:
        """Return the arguments with which `copy` and `pickle` create the record again."""
        return tuple(self)
