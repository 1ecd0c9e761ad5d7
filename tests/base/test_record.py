"""Records behave as those of `typing.NamedTuple`, which a type checker takes them for."""

import copy
import inspect
import pickle
from typing import NamedTuple

import pytest
from urdf_tools.base.record_type import Record
from urdf_tools.urdf.spatial_math import Transform


class Spring(Record):
    """A spring."""

    stiffness: float
    rest: float = 0.5
    names: tuple = ()

    def force(self, position):
        return self.stiffness * (self.rest - position)


class Twin(NamedTuple):
    """A spring."""

    stiffness: float
    rest: float = 0.5
    names: tuple = ()


class Damped(Spring):
    """A record with a further method."""

    def damped(self):
        return 0.9 * self.stiffness


GIVEN = [((2.0,), {}), ((2.0, 1.0), {"names": ("a",)}), ((), {"rest": 3.0, "stiffness": 1.0})]


@pytest.mark.parametrize("arguments, named", GIVEN)
def test_a_record_is_what_a_named_tuple_is(arguments, named):
    record, twin = Spring(*arguments, **named), Twin(*arguments, **named)
    assert record == twin and hash(record) == hash(twin) and tuple(record) == tuple(twin)
    assert repr(record) == repr(twin).replace("Twin", "Spring")
    assert record._asdict() == twin._asdict()
    assert record._replace(rest=7.0) == twin._replace(rest=7.0)
    assert type(record._replace(rest=7.0)) is Spring
    assert Spring._make(twin) == record and Spring._fields == Twin._fields
    assert Spring._field_defaults == Twin._field_defaults
    assert [getattr(record, name) for name in Spring._fields] == list(twin)
    assert inspect.signature(Spring) == inspect.signature(Twin)


@pytest.mark.parametrize("arguments, named", [((), {}), ((1, 2, 3, 4), {}), ((1,), {"length": 2})])
def test_what_a_named_tuple_refuses_a_record_refuses(arguments, named):
    for kind in (Twin, Spring):
        with pytest.raises(TypeError, match="argument"):
            kind(*arguments, **named)


def test_a_record_is_not_changed_and_has_no_other_field():
    record = Spring(1.0)
    with pytest.raises(AttributeError):
        record.rest = 2.0
    with pytest.raises(AttributeError):
        record.length = 2.0
    with pytest.raises(ValueError, match="Spring has no field 'length'"):
        record._replace(length=2.0)


def test_methods_are_added_to_a_record():
    record = Damped(2.0, rest=1.0)
    assert (record.force(0.5), record.damped()) == (1.0, 1.8)
    assert type(record._replace(rest=2.0)) is Damped and Damped._fields == Spring._fields


def test_a_constructor_of_its_own_stays():
    """A record is a class with checks of its own below one of fields, whichever is created first."""

    class Fields(Record):
        x: int
        y: int = 3

    class Checked(Fields):
        def __new__(cls, *values):
            if not values:
                raise TypeError("it needs a value")
            return super().__new__(cls, *values)

    assert tuple(Checked(1)) == (1, 3) and type(Checked(1)) is Checked
    with pytest.raises(TypeError, match="it needs a value"):
        Checked()
    assert tuple(Fields(2)) == (2, 3) and type(Fields(2)) is Fields


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))]
)
def test_copies_are_equal(again):
    pose = Transform(((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)), (1.0, 2.0, 3.0))
    assert again(pose) == pose and type(again(pose)) is Transform
