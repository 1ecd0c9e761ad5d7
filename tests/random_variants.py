"""Random variants of random robots, and what they mean in the naive reading: a part, at other zeros, with locks."""

import random
import zlib
from decimal import Decimal
from glob import escape

import naive
from naive import MOVABLE, after, motion

DEFAULTS = (
    ("limit", "lower", "upper"),
    ("safety_controller", "soft_lower_limit", "soft_upper_limit"),
)


def draw_variant(text, r, chance=0.4):
    """Return choices of locks, zeros and drops that the robot allows; {} for most."""
    robot = naive.read(text.encode("utf-8"))
    free = {
        hinge.name: hinge for hinge in robot.hinges if hinge.kind in MOVABLE and hinge.mimic is None
    }
    lock = []
    zero = []
    for name, hinge in free.items() if r.random() < chance else ():
        value = draw_position(hinge, r)
        chosen = r.random()
        if value is not None and chosen < 0.5:
            (lock if chosen < 0.2 else zero).append((escape(name), value))
    followers = [
        hinge.name for hinge in robot.hinges if hinge.kind in MOVABLE and leader_of(hinge, robot)
    ]
    zero += [
        (escape(name), value)
        for name in dict.fromkeys(followers)
        if zero and not lock and r.random() < 0.5
        for value in [draw_position(next(h for h in robot.hinges if h.name == name), r)]
        if value is not None
    ]
    drop = (
        [name for name in robot.bodies if name != robot.root and r.random() < 0.15]
        if (r.random() < chance / 2.0)
        else []
    )
    # Acts come one after the other: what is dropped with another link, or before, has no act of its own.
    gone = set()
    for hinge in naive.parents_first(robot):
        gone |= {hinge.child} if hinge.parent in gone or hinge.child in drop else set()
    above = {hinge.child: hinge.parent for hinge in robot.hinges}
    staying = {escape(hinge.name) for hinge in robot.hinges if hinge.child not in gone}
    return {
        "lock": tuple(each for each in lock if each[0] in staying),
        "zero": tuple(each for each in zero if each[0] in staying),
        "drop": tuple(escape(name) for name in drop if above[name] not in gone),
    }


def variant_of(text):
    """Return a variant that the text alone decides, so that every law sees some."""
    return draw_variant(text, random.Random(zlib.crc32(text.encode("utf-8"))))


def draw_position(hinge, r):
    """Return a position inside the limits; None if there is none."""
    numbers = hinge.numbers if hinge.kind != "continuous" else {}
    ends = numbers.get(("limit", "lower")), numbers.get(("limit", "upper"))
    lower, upper = (-2.0, 2.0) if ends == (None, None) else (ends[0] or 0.0, ends[1] or 0.0)
    value = round(r.uniform(lower, upper), r.choice((1, 3, 6)))
    return value if lower <= value <= upper else None


def leader_of(hinge, robot):
    """Return the joint that one follows, if that can move."""
    name = hinge.mimic[0] if hinge.mimic is not None else ""
    return next(
        (other for other in robot.hinges if other.name == name and other.kind in MOVABLE), None
    )


def less(robot, drop):
    """Return what is left without links and all below them; a follower of what is gone is free."""
    gone = set(drop)
    for hinge in naive.parents_first(robot):
        gone.update({hinge.child} if hinge.parent in gone else ())
    names = {hinge.name for hinge in robot.hinges}
    hinges = [hinge for hinge in robot.hinges if hinge.child not in gone]
    kept = {hinge.name for hinge in hinges}
    return robot._replace(
        bodies={name: body for name, body in robot.bodies.items() if name not in gone},
        hinges=[
            hinge._replace(mimic=None) if hinge.mimic and hinge.mimic[0] in names - kept else hinge
            for hinge in hinges
        ],
    )


def posed(robot, choices):
    """Return the robot as a variant has it: positions count from the new zeros, locked joints are fixed."""
    unescaped = {
        escape(name): name for name in (*robot.bodies, *(hinge.name for hinge in robot.hinges))
    }
    lock, zero = (
        {unescaped[glob]: value for glob, value in choices.get(key, ())} for key in ("lock", "zero")
    )
    robot = less(robot, {unescaped[glob] for glob in choices.get("drop", ())})
    count = -1
    while len(lock) > count:
        count = len(lock)
        for hinge in robot.hinges:
            leader = leader_of(hinge, robot)
            if (
                leader is not None
                and leader.name in lock
                and hinge.mimic is not None
                and hinge.kind in MOVABLE
            ):
                lock[hinge.name] = hinge.mimic[1] * lock[leader.name] + hinge.mimic[2]
    zero = {name: value for name, value in zero.items() if name not in lock}
    return robot._replace(hinges=[_posed_hinge(hinge, lock, zero) for hinge in robot.hinges])


def _posed_hinge(hinge, lock, zero):
    """Return a hinge as it stands at its lock or its zero."""
    if hinge.kind not in MOVABLE:
        return hinge
    q = lock.get(hinge.name, zero.get(hinge.name, 0.0))
    origin = after(hinge.origin, motion(hinge, q)) if q else hinge.origin
    if hinge.name in lock:
        return hinge._replace(kind="fixed", origin=origin, mimic=None, numbers={}, magnitudes=[])
    numbers = dict(hinge.numbers)
    mimic = hinge.mimic
    for tag, low, high in DEFAULTS if q and hinge.kind != "continuous" else ():
        if {(tag, low), (tag, high)} & numbers.keys():
            numbers = {(tag, low): 0.0, (tag, high): 0.0, **numbers}
    numbers = {
        key: float(Decimal(repr(value)) - Decimal(repr(q))) for key, value in numbers.items()
    }
    if mimic is not None:
        mimic = (mimic[0], mimic[1], mimic[2] + mimic[1] * zero.get(mimic[0], 0.0) - q)
    return hinge._replace(origin=origin, numbers=numbers, mimic=mimic)
