"""The text of the module: names and numbers of two robots in a program that needs nothing but Python."""
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Sequence, Tuple, Union

from ..report.run_json import joint_orders
from ..urdf.spatial import Pose

ORDERS = ("ros", "mujoco", "isaac", "newton", "physx_usd", "newton_usd")  # words of `joint_orders`
Follower = Tuple[str, str, float, float]  # name, leader, multiplier, offset [rad or m]


class Moved(NamedTuple):
    """A joint of OLD that moves in NEW: new = sign * (old - zero) [rad or m], at a place in NEW."""

    place: int
    sign: int
    zero: float


class Held(NamedTuple):
    """A joint that moves in OLD alone: where it is [rad or m], and why."""

    position: float
    why: str


class Adapted(NamedTuple):
    """What the module is about.

    Attributes:
        title: the first line: which robots OLD and NEW are.
        old: joints of OLD that move, by name, in its order.
        new: the names of those of NEW, in theirs.
        orders: by the words of ORDERS, the places in `new` of the joints as a program orders them.
        followers, old_followers: of the joints of NEW and of OLD that mimic another; each after its leader.
        T_new_old: of the base: its old frame in the new one.
        base: the link of NEW that it is.
        only_new: positions of joints that move in NEW alone, by name.
        evidence: what shows the zero of a joint of OLD, by name; of a run, its plan.
        notes: warnings for the head.
    """

    title: str
    old: Tuple[Tuple[str, Union[Moved, Held]], ...]
    new: Tuple[str, ...]
    orders: Tuple[Tuple[str, Tuple[int, ...]], ...]
    followers: Tuple[Follower, ...]
    old_followers: Tuple[Follower, ...]
    T_new_old: Pose
    base: str
    only_new: Mapping[str, float] = {}
    evidence: Mapping[str, str] = {}
    notes: Tuple[str, ...] = ()


TEXT = '''#!/usr/bin/env python3
"""{title}: positions, velocities, efforts.
{notes}
From OLD to NEW and back: a position is sign * (old - zero) in NEW, a velocity or an effort sign * old; units are rad
and m. Each function takes as many numbers as OLD or NEW has names, in that order, and returns a list. Of an array of
NumPy or torch the last axis is the joints, and an array comes back: (q[..., list(ORDER)] - ZEROS) * SIGNS in one line
of NumPy, where all joints of NEW are in OLD.

>>> zeros = to_old([0.0] * len(NEW))   # all joints at their new zeros
>>> [round(q, 9) + 0.0 for q in zeros[:3]]
{first}
>>> to_new(zeros) == [ONLY_NEW.get(name, 0.0) for name in NEW]
True

Run it to see the map, with --self-test to test it.
"""
import sys

MAP = (  # name in OLD, place in NEW, sign, zero; without a place: it does not move there, and is at the last number
{rows})
OLD = tuple(row[0] for row in MAP)
PLACES = tuple(row[1:] for row in MAP)
NEW = (
{names})
ONLY_NEW = {{  # joints that do not move in OLD, and where they are
{only_new}}}
EVIDENCE = {{  # what shows the zero of a joint of OLD
{evidence}}}
ORDERS = {{  # by program: for each joint, as that program orders them, its place in NEW
{orders}}}
_BY_PLACE = dict((row[0], (number,) + row[1:]) for number, row in enumerate(PLACES) if row[0] is not None)
_SOURCES = tuple(_BY_PLACE.get(place, (None, 0, ONLY_NEW.get(name, 0.0))) for place, name in enumerate(NEW))
ORDER = tuple(number for number, _, _ in _SOURCES)  # for each joint of NEW its place in OLD, its sign and its zero
SIGNS = tuple(sign for _, sign, _ in _SOURCES)
ZEROS = tuple(zero for _, _, zero in _SOURCES)
FOLLOWERS = (  # name in NEW, its leader, multiplier, offset; each after its leader; a leader that is not in NEW is at 0
{followers})
OLD_FOLLOWERS = (  # the same of OLD
{old_followers})


def _driven(names, followers):
    """Return the names that follow no other, and for each name its place among them, multiplier and offset."""
    driven = tuple(name for name in names if name not in [row[0] for row in followers])
    rules = dict((name, (number, 1.0, 0.0)) for number, name in enumerate(driven))
    for name, leader, multiplier, offset in followers:
        place, factor, shift = rules.get(leader, (None, 0.0, 0.0))
        rules[name] = place, multiplier * factor, multiplier * shift + offset
    return driven, rules


DRIVEN, _RULES = _driven(NEW, FOLLOWERS)
OLD_DRIVEN, _OLD_RULES = _driven(OLD, OLD_FOLLOWERS)
BASE = {base}
R_NEW_OLD = (  # a vector in the frame of the base, such as an angular velocity: new = R_NEW_OLD old
{matrix})
P_NEW_OLD = {translation}  # the origin of the old base in the frame of the new one [m]


def to_new(q):
    """Return positions of NEW from those of OLD."""
    return _each(q, OLD, "OLD", _SOURCES, lambda x, sign, zero: sign * (x - zero))


def to_old(q):
    """Return positions of OLD from those of NEW; joints that do not move there are where they are held."""
    return _each(q, NEW, "NEW", PLACES, lambda x, sign, zero: sign * x + zero)


def expand(driven):
    """Return positions of NEW from those of DRIVEN: each follower is at multiplier * leader + offset."""
    return _expanded(driven, DRIVEN, "DRIVEN", NEW, _RULES)


def expand_old(driven):
    """Return positions of OLD from those of OLD_DRIVEN."""
    return _expanded(driven, OLD_DRIVEN, "OLD_DRIVEN", OLD, _OLD_RULES)


def reduce(q):
    """Return positions of DRIVEN from those of NEW; what the followers have is left out."""
    return _each(q, NEW, "NEW", [(NEW.index(name), 1.0, 0.0) for name in DRIVEN], lambda x, factor, shift: x)


def reduce_old(q):
    """Return positions of OLD_DRIVEN from those of OLD."""
    return _each(q, OLD, "OLD", [(OLD.index(name), 1.0, 0.0) for name in OLD_DRIVEN], lambda x, factor, shift: x)


def to_order(q, program):
    """Return numbers of NEW in the order of a program, which is one of ORDERS, such as "isaac"."""
    return _each(q, NEW, "NEW", [(place, 1.0, 0.0) for place in ORDERS[program]], lambda x, sign, zero: x)


def from_order(q, program):
    """Return numbers in the order of NEW from those in the order of a program, which is one of ORDERS."""
    places = ORDERS[program]
    return _each(q, NEW, program, [(places.index(k), 1.0, 0.0) for k in range(len(NEW))], lambda x, sign, zero: x)


def velocities_to_new(v):
    """Return velocities (or changes of positions) of NEW from those of OLD; 0 for joints that do not move there."""
    rows = [(number, sign, 0.0) for number, sign, _ in _SOURCES]
    return _each(v, OLD, "OLD", rows, lambda x, sign, zero: sign * x)


def velocities_to_old(v):
    """Return velocities (or changes of positions) of OLD from those of NEW; 0 for joints that do not move there."""
    rows = [(place, sign, 0.0) for place, sign, _ in PLACES]
    return _each(v, NEW, "NEW", rows, lambda x, sign, zero: sign * x)


def efforts_to_new(tau):
    """Return efforts of NEW from those of OLD."""
    return velocities_to_new(tau)


def efforts_to_old(tau):
    """Return efforts of OLD from those of NEW; 0 for joints that do not move there."""
    return velocities_to_old(tau)


def vector_to_new(v):
    """Return a vector in the new axes of the base from one in its old axes."""
    return _turned(v, R_NEW_OLD)


def vector_to_old(v):
    """Return a vector in the old axes of the base, such as what a policy wants of an IMU, from one in its new axes."""
    return _turned(v, tuple(zip(*R_NEW_OLD)))


def _expanded(driven, names, which, joints, rules):
    return _each(driven, names, which, [rules[name] for name in joints], lambda x, factor, shift: factor * x + shift)


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
    shared = [place for place, name in enumerate(NEW) if name not in ONLY_NEW]
    assert sorted(place for place, _, _ in PLACES if place is not None) == shared
    assert all(sorted(places) == list(range(len(NEW))) for places in ORDERS.values())
    for k in range(-7, 8):
        q = [0.37 * k + 0.1 * place for place in range(len(NEW))]
        tau = [1.0 - 0.2 * x for x in q]
        for there, back in ((to_old, to_new), (velocities_to_old, velocities_to_new), (efforts_to_old, efforts_to_new)):
            again = back(there(q))
            assert all(abs(again[place] - q[place]) < 1e-9 for place in shared)
        assert all(from_order(to_order(q, program), program) == q for program in ORDERS)
        for names, driven, rows, wide, narrow in ((NEW, DRIVEN, FOLLOWERS, expand, reduce),
                                                  (OLD, OLD_DRIVEN, OLD_FOLLOWERS, expand_old, reduce_old)):
            some = [0.37 * k + 0.1 * place for place in range(len(driven))]
            assert narrow(wide(some)) == some
            at = dict(zip(names, wide(some)))
            assert all(abs(at[name] - factor * at.get(leader, 0.0) - shift) < 1e-9 * (1.0 + abs(at[name]) + abs(shift))
                       for name, leader, factor, shift in rows)
        powers = [sum(a * b for a, b in zip(*pair)) for pair in (
            ([q[place] for place in shared], [tau[place] for place in shared]),
            (velocities_to_old(q), efforts_to_old(tau)))]
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


def orders_of(joints: Sequence[Any], root: str) -> Dict[str, Tuple[str, ...]]:
    """Return the names of the joints with one coordinate by the words of ORDERS, each name once."""
    orders = joint_orders(joints, root)
    return {program: tuple(dict.fromkeys(orders[program])) for program in ORDERS}


def module_text(adapted: Adapted) -> str:
    """Return the module; what names hold is in it as literals of ASCII."""
    rows = [(name, joint.place, joint.sign, joint.zero) if isinstance(joint, Moved) else (name, None, 0, joint.position)
            for name, joint in adapted.old]
    zeros = [round(row[3], 9) + 0.0 for row in rows]
    why = {name: joint.why for name, joint in adapted.old if isinstance(joint, Held)}
    (x, y, z), R_new_old = adapted.T_new_old.translation, adapted.T_new_old.rotation
    return TEXT.format(
        title=_plain(adapted.title), first=zeros[:3], base=ascii(adapted.base),
        notes="".join(f"\nWarning: {_plain(note)}." for note in adapted.notes) + "\n" * bool(adapted.notes),
        rows="".join(f"    {ascii(row)},{f'  # {why[row[0]]}' if row[1] is None else ''}\n" for row in rows),
        only_new=_of_names(adapted.only_new), evidence=_of_names(adapted.evidence),
        followers=_lines(adapted.followers), old_followers=_lines(adapted.old_followers),
        orders=_of_names(dict(adapted.orders)), names=_lines(adapted.new), translation=(x + 0.0, y + 0.0, z + 0.0),
        matrix=_lines([tuple(value + 0.0 for value in row) for row in R_new_old]))


def _lines(values: Iterable[object]) -> str:
    return "".join(f"    {ascii(value)},\n" for value in values)


def _of_names(values: Mapping[str, object]) -> str:
    return "".join(f"    {ascii(name)}: {ascii(value)},\n" for name, value in values.items())


def _plain(text: str) -> str:
    """Return a text as it may stand in that of a program: what could end it, or is not ASCII, is _."""
    return "".join(character if character.isascii() and character.isprintable() and character not in '\\">' else "_"
                   for character in text)


def word(name: str) -> str:
    """Return a name as it may stand in a sentence: letters, digits and _ only."""
    return "".join(character if character.isascii() and character.isalnum() else "_" for character in name)
