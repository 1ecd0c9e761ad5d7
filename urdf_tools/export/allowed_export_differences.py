"""The allowed differences of an export, by rule: masses that are replaced, and names, which resemble the old names."""

from __future__ import annotations

from functools import partial
from itertools import chain
from math import isclose
from typing import Callable, Dict, Iterator, List, Mapping, Sequence

from ..compare.difference_records import DRAWN, is_called
from ..robot.change_whole_robot import renamed
from ..robot.raw_robot import RawMass, RawRobot, RawSensor
from ..urdf.spatial_math import is_semidefinite, Matrix, multiply, subtract

# The least mass of the body that holds the base in PhysX.
TINY_MASS = 1e-9  # [kg]
TINY_MOMENT = 1e-11  # [kg m^2]
LEAST_MOMENT = 2.1e-15  # kg m^2: a moving body without one gets 2e-15, the least of MuJoCo
SIX_DIGITS = 2e-5  # of the largest entry: the excess that `why_not_physical` allows in A + B >= C, in both small moments


def why_other(old: RawMass, new: RawMass, rounding: float = DRAWN, *, placeholder: bool) -> str:
    """Return the fault of a mass that was written; "" if it is the robot's, or a replacement that is allowed.

    `placeholder`: a link without mass may have the least mass, as the body that holds the base in PhysX.
    """
    if old.mass == 0.0 and not any(old.tensor):
        is_none = new.mass == 0.0 and not any(new.tensor)
        if is_none or (placeholder and _is_tiny(new, rounding)):
            return ""
        return f"it has no mass, and {new.mass:g} kg are written"
    # A lighter body may have MuJoCo's least mass.
    allowance = LEAST_MOMENT if old.mass < LEAST_MOMENT else 0.0
    if abs(old.mass - new.mass) > rounding * old.mass + allowance:
        return f"its mass is {old.mass:g} kg, and {new.mass:g} kg are written"
    shift = max(abs(a - b) for a, b in zip(old.center, new.center))
    if shift > rounding * max(1.0, *map(abs, old.center)):
        return f"its center of mass is {old.center}, and {new.center} is written"
    largest = max(map(abs, old.tensor))
    step = max(abs(b - a) for a, b in zip(old.tensor, new.tensor))
    if step <= rounding * largest + LEAST_MOMENT:
        return ""
    if step > SIX_DIGITS * largest:
        return f"its tensor is {old.tensor}, and {new.tensor} is written"
    # The conditions below multiply two matrices, each with its rounding.
    if is_nearest(old.tensor, new.tensor, 10.0 * rounding):
        return ""
    return f"its tensor is {old.tensor}, and {new.tensor} is not the nearest that a body can have"


def _is_tiny(mass: RawMass, rounding: float) -> bool:
    """Return True for the mass of the body that holds the base in PhysX."""
    tiny = (TINY_MOMENT, 0.0, 0.0, TINY_MOMENT, 0.0, TINY_MOMENT)
    return (
        isclose(mass.mass, TINY_MASS, rel_tol=rounding)
        and all(isclose(a, b, rel_tol=rounding) for a, b in zip(mass.tensor, tiny))
        and mass.center == (0.0, 0.0, 0.0)
    )


def is_nearest(old: Sequence[float], new: Sequence[float], rounding: float = 1e-8) -> bool:
    """Return True if a tensor is the nearest physical tensor to a given tensor: A + B >= C.

    A body's second moments S = trace(I) / 2 - I are positive semidefinite, and the nearest such S' to an S is its
    projection: S', S' - S, are both positive semidefinite, and S' (S' - S) = 0 (the conditions of Karush, Kuhn and
    Tucker; Boyd and Vandenberghe, Convex Optimization, 8.1.1). No eigenvector is needed.
    """
    S = _second_moments(old)
    T = _second_moments(new)
    size = max(map(abs, chain(*S, *T)))
    x, y, z = (subtract(after, before) for before, after in zip(S, T))
    step = (x, y, z)
    tolerance = rounding * size
    product = multiply(T, step)
    return (
        is_semidefinite(T, tolerance)
        and is_semidefinite(step, tolerance)
        and max(map(abs, chain(*product))) <= tolerance * size
    )


def _second_moments(tensor: Sequence[float]) -> Matrix:
    """Return trace(I) / 2 - I of a tensor of inertia I."""
    xx, xy, xz, yy, yz, zz = tensor
    half = 0.5 * (xx + yy + zz)
    return ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))


def with_names_of_text(
    robot: RawRobot,
    links_in_text: Mapping[str, str],
    joints_in_text: Mapping[str, str],
    fail: Callable[[str], None],
) -> RawRobot:
    """Return the robot with the names that its links, and the joints above them, have in the text.

    A name must be like the old one; the comparison shows that each is written, and once.
    """
    links = {link.name: links_in_text.get(link.name, link.name) for link in robot.links}
    for old, new in links.items():
        _verify_like("link", old, new, fail)
    joints: Dict[str, str] = {}
    by_number: List[str] = []
    for joint in robot.joints:
        new = joints_in_text.get(joint.child, joint.name)
        if (
            joint.type != "floating"
        ):  # SDF has no such joint, and its reader names a free body by its link
            _verify_like("joint", joint.name, new, fail)
        # A follower keeps as leader the first joint of the leader's name.
        joints.setdefault(joint.name, new)
        by_number.append(new)
    if any(old != new for old, new in (*links.items(), *joints.items())):
        robot = renamed(robot, links, joints)
    # Joints with equal names may have different names now.
    pairs = zip(robot.joints, by_number)
    return robot._replace(joints=tuple(joint._replace(name=new) for joint, new in pairs))


def _verify_like(what: str, old: str, new: str, fail: Callable[[str], None]) -> None:
    """Refuse a name that is not the old name, alone or followed by a word or number; SDF has no `::` in names."""
    plain = old.replace("::", "_")
    if old != new and not is_called(new, plain) and not is_called(new, f"{plain}_{what}"):
        fail(f"{what} '{old}' is called '{new}'")


def sensors_in_text(
    robot: RawRobot, written: RawRobot, links_in_text: Mapping[str, str]
) -> Iterator[RawSensor]:
    """Yield the sensors of the robot that the text can hold, each with its name in the text."""
    links = {link.name for link in written.links} | {
        frame.name for frame in written.frames if not links_in_text or frame.link != "world"
    }
    joints = {joint.name for joint in written.joints}
    remaining = list(written.sensors)
    holders = {frame.name: frame.link for frame in written.frames}
    for sensor in robot.sensors:
        name = sensor.name or sensor.kind
        if sensor.joint:
            has_place = not links_in_text or sensor.joint in joints
        else:
            is_of_text = not links_in_text or sensor.link in links_in_text.values()
            has_place = sensor.link in links and is_of_text
        if not has_place:
            continue
        several = [other.name or other.kind for other in robot.sensors].count(name) > 1
        called = [
            item
            for item in remaining
            if item.name == name or several and is_called(item.name, name)
        ]
        link = holders.get(sensor.link, sensor.link)
        # On the link of the sensor before other links, and with the very name before a numbered one.
        called.sort(key=lambda item: item.name != name)
        called.sort(key=partial(_is_elsewhere, link))
        if called:
            remaining.remove(called[0])
            name = called[0].name
        yield sensor._replace(name=name)


def _is_elsewhere(link: str, sensor: RawSensor) -> bool:
    """Return True for a sensor on another link."""
    return sensor.link != link
