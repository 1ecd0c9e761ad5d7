"""The text of the module: names and numbers of two robots in a program that needs nothing but Python."""
from typing import Any, Dict, Iterable, Mapping, NamedTuple, Sequence, Tuple, Union

from ...report.run_json import joint_orders
from ...texts.pages import text_of_page
from ...urdf.spatial import Pose

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
    return text_of_page(__file__, "module.txt").format(
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
