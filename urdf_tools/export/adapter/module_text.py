"""The text of the module: names and numbers of a robot in a program that needs nothing but Python."""
from typing import NamedTuple, Tuple, Union

from ...base.version import __version__
from ...urdf.spatial import Matrix


class Moved(NamedTuple):
    """A joint of the input that moves in the result: new = sign * (old - zero) [rad or m], at a place in NEW."""

    place: int
    sign: int
    zero: float


class Held(NamedTuple):
    """A joint of the input that does not move any more: where it is [rad or m], and why."""

    position: float
    why: str


class Adapted(NamedTuple):
    """What the module is about.

    Attributes:
        name: of the robot.
        old: joints of the input that move, by name, in its order.
        new: the names of those of the result, in theirs.
        orders: by the words of ORDERS, the places in `new` of the joints as a program orders them.
        followers: of those that mimic another: name, leader, multiplier, offset [rad or m]; each after its leader.
        R_new_old: of the base: a vector in its new axes, from its old ones.
        base: the link that it is.
    """

    name: str
    old: Tuple[Tuple[str, Union[Moved, Held]], ...]
    new: Tuple[str, ...]
    orders: Tuple[Tuple[str, Tuple[int, ...]], ...]
    followers: Tuple[Tuple[str, str, float, float], ...]
    R_new_old: Matrix
    base: str


TEXT = '''#!/usr/bin/env python3
"""Joints of {title} before and after urdf_simplify {version}: positions, velocities, efforts from OLD to NEW and back.

A position is sign * (old - zero) in NEW, a velocity or an effort sign * old; units are rad and m. Each function takes
as many numbers as OLD or NEW has names, in that order, and returns a list. Of an array of NumPy or torch the last axis
is the joints, and an array comes back: (q[..., list(ORDER)] - ZEROS) * SIGNS in one line of NumPy.

>>> zeros = to_old([0.0] * len(NEW))   # all joints at their new zeros
>>> [round(q, 9) + 0.0 for q in zeros[:3]]
{first}
>>> to_new(zeros) == [0.0] * len(NEW)
True

Run it to see the map, with --self-test to test it.
"""
import sys

MAP = (  # name in OLD, place in NEW, sign, zero; without a place: it does not move any more, and is at the last number
{rows})
OLD = tuple(row[0] for row in MAP)
PLACES = tuple(row[1:] for row in MAP)
NEW = (
{names})
ORDERS = {{  # by program: for each joint, as that program orders those of the result, its place in NEW
{orders}}}
_SOURCES = tuple((number, sign, zero) for place, number, sign, zero in sorted(
    (row[0], number) + row[1:] for number, row in enumerate(PLACES) if row[0] is not None))
ORDER = tuple(number for number, _, _ in _SOURCES)  # for each joint of NEW its place in OLD, its sign and its zero
SIGNS = tuple(sign for _, sign, _ in _SOURCES)
ZEROS = tuple(zero for _, _, zero in _SOURCES)
FOLLOWERS = (  # name in NEW, its leader, multiplier, offset; each after its leader; a leader that is not in NEW is at 0
{followers})
DRIVEN = tuple(name for name in NEW if name not in [row[0] for row in FOLLOWERS])
_RULES = dict((name, (number, 1.0, 0.0)) for number, name in enumerate(DRIVEN))  # place in DRIVEN, multiplier, offset
for _name, _leader, _multiplier, _offset in FOLLOWERS:
    _place, _factor, _shift = _RULES.get(_leader, (None, 0.0, 0.0))
    _RULES[_name] = _place, _multiplier * _factor, _multiplier * _shift + _offset
BASE = {base}
R_NEW_OLD = (  # a vector in the frame of the base, such as an angular velocity: new = R_NEW_OLD old
{matrix})


def to_new(q):
    """Return positions of NEW from those of OLD."""
    return _each(q, OLD, "OLD", _SOURCES, lambda x, sign, zero: sign * (x - zero))


def to_old(q):
    """Return positions of OLD from those of NEW; joints that do not move any more are where they are held."""
    return _each(q, NEW, "NEW", PLACES, lambda x, sign, zero: sign * x + zero)


def expand(driven):
    """Return positions of NEW from those of DRIVEN: each follower is at multiplier * leader + offset."""
    return _each(driven, DRIVEN, "DRIVEN", [_RULES[name] for name in NEW], lambda x, factor, shift: factor * x + shift)


def reduce(q):
    """Return positions of DRIVEN from those of NEW; what the followers have is left out."""
    return _each(q, NEW, "NEW", [(NEW.index(name), 1.0, 0.0) for name in DRIVEN], lambda x, factor, shift: x)


def to_order(q, program):
    """Return numbers of NEW in the order of a program, which is one of ORDERS, such as "isaac"."""
    return _each(q, NEW, "NEW", [(place, 1.0, 0.0) for place in ORDERS[program]], lambda x, sign, zero: x)


def from_order(q, program):
    """Return numbers in the order of NEW from those in the order of a program, which is one of ORDERS."""
    places = ORDERS[program]
    return _each(q, NEW, program, [(places.index(k), 1.0, 0.0) for k in range(len(NEW))], lambda x, sign, zero: x)


def velocities_to_new(v):
    """Return velocities (or changes of positions) of NEW from those of OLD."""
    return _each(v, OLD, "OLD", _SOURCES, lambda x, sign, zero: sign * x)


def velocities_to_old(v):
    """Return velocities (or changes of positions) of OLD from those of NEW; 0 for joints that do not move any more."""
    rows = [(place, sign, 0.0) for place, sign, _ in PLACES]
    return _each(v, NEW, "NEW", rows, lambda x, sign, zero: sign * x)


def efforts_to_new(tau):
    """Return efforts of NEW from those of OLD."""
    return velocities_to_new(tau)


def efforts_to_old(tau):
    """Return efforts of OLD from those of NEW; 0 for joints that do not move any more."""
    return velocities_to_old(tau)


def vector_to_new(v):
    """Return a vector in the new axes of the base from one in its old axes."""
    return _turned(v, R_NEW_OLD)


def vector_to_old(v):
    """Return a vector in the old axes of the base, such as what a policy wants of an IMU, from one in its new axes."""
    return _turned(v, tuple(zip(*R_NEW_OLD)))


def _each(q, names, which, rows, rule):
    """Return rule(number of q at a place, sign, zero) of each row, its zero where it has no place."""
    count = q.shape[-1] if hasattr(q, "shape") else len(q)
    if count != len(names):
        raise ValueError("%s has %d joints, and %d numbers were given" % (which, len(names), count))
    return _filled(q, [lambda x, row=row: row[2] if row[0] is None else rule(x(row[0]), *row[1:]) for row in rows])


def _turned(v, R):
    return _filled(v, [lambda x, row=row: sum(row[k] * x(k) for k in range(3)) for row in R])


def _filled(q, values):
    """Return the values of a function of the numbers of q: a list, or an array with them along its last axis."""
    if not hasattr(q, "shape"):
        return [value(lambda place: q[place]) for value in values]
    result = q[..., :0].sum(-1)[..., None][..., [0] * len(values)] * 1.0  # zeros of the same kind, without an import
    for number, value in enumerate(values):
        result[..., number] = value(lambda place: q[..., place])
    return result


def self_test():
    """Raise AssertionError unless every joint comes back, followers follow, and power is the same in OLD and in NEW."""
    for places in ([place for place, _, _ in PLACES if place is not None], *ORDERS.values()):
        assert sorted(places) == list(range(len(NEW)))
    for k in range(-7, 8):
        q = [0.37 * k + 0.1 * place for place in range(len(NEW))]
        tau = [1.0 - 0.2 * x for x in q]
        for there, back in ((to_old, to_new), (velocities_to_old, velocities_to_new), (efforts_to_old, efforts_to_new)):
            assert all(abs(a - b) < 1e-9 for a, b in zip(back(there(q)), q))
        assert all(from_order(to_order(q, program), program) == q for program in ORDERS)
        assert reduce(expand(q[:len(DRIVEN)])) == q[:len(DRIVEN)]
        at = dict(zip(NEW, expand(q[:len(DRIVEN)])))
        assert all(abs(at[name] - factor * at.get(leader, 0.0) - shift) < 1e-9 * (1.0 + abs(at[name]) + abs(shift))
                   for name, leader, factor, shift in FOLLOWERS)
        powers = [sum(a * b for a, b in zip(*pair)) for pair in (
            (q, tau), (velocities_to_old(q), efforts_to_old(tau)))]
        assert abs(powers[0] - powers[1]) < 1e-9 * (1.0 + abs(powers[0]))
        v = [0.3 * k, 1.0, -0.5]
        assert all(abs(a - b) < 1e-9 for a, b in zip(vector_to_old(vector_to_new(v)), v))


def _table():
    rows = []
    for name, (place, sign, zero) in zip(OLD, PLACES):
        shift = " - %.6g" % zero if zero > 0.0 else " + %.6g" % -zero
        rows.append((name, "stays at %.6g" % zero if place is None else "%d %s = %s" % (
            place, NEW[place], ("-(q%s)" if sign < 0 else "q%s") % shift if zero else "-q" if sign < 0 else "q")))
    width = max([len(name) for name, _ in rows] + [0])
    return "\\n".join("%3d %-*s -> %s" % (number, width, *row) for number, row in enumerate(rows))


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        import doctest

        if doctest.testmod().failed:
            sys.exit(1)
        self_test()
        print("ok: %d joints -> %d and back" % (len(OLD), len(NEW)))
    elif sys.argv[1:]:
        sys.exit("usage: %s [--self-test]" % sys.argv[0])
    else:
        print(_table())
'''


def module_text(adapted: Adapted) -> str:
    """Return the module; what names hold is in it as literals of ASCII."""
    rows = [(name, joint.place, joint.sign, joint.zero) if isinstance(joint, Moved) else (name, None, 0, joint.position)
            for name, joint in adapted.old]
    zeros = [round(row[3], 9) + 0.0 for row in rows]
    why = {name: joint.why for name, joint in adapted.old if isinstance(joint, Held)}
    return TEXT.format(
        title=_word(adapted.name), version=__version__, first=zeros[:3], base=ascii(adapted.base),
        rows="".join(f"    {ascii(row)},{f'  # {why[row[0]]}' if row[1] is None else ''}\n" for row in rows),
        followers="".join(f"    {ascii(row)},\n" for row in adapted.followers),
        orders="".join(f"    {ascii(word)}: {ascii(places)},\n" for word, places in adapted.orders),
        names="".join(f"    {ascii(name)},\n" for name in adapted.new),
        matrix="".join(f"    {ascii(tuple(value + 0.0 for value in row))},\n" for row in adapted.R_new_old))


def _word(name: str) -> str:
    """Return a name as it may stand in a text of a program: letters, digits and _ only."""
    plain = "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
    return f"'{plain}'"
