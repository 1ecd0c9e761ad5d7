"""What may differ in an export, by a rule: masses that are replaced, and names, which are like the old ones."""

from typing import Callable, Dict, Iterator, Mapping, Optional, Sequence, Tuple

from ..base.number_text import grouped
from ..compare.differences import is_called
from ..robot.records import RawJoint, RawMass, RawRobot, RawSensor

TINY_MASS, TINY_MOMENT = 1e-9, 1e-11  # kg, kg m^2: of what holds the base in PhysX
LEAST_MOMENT = (
    2.1e-15  # kg m^2: a moving body without one gets 2e-15, the least that MuJoCo accepts
)
SIX_DIGITS = 2e-5  # of the largest entry: what `why_not_physical` forgives of A + B >= C, in both small moments
Triple = Tuple[float, float, float]


def why_other(old: RawMass, new: RawMass, *, placeholder: bool) -> str:
    """Return what is wrong with a mass that was written, "" if it is the robot's, or a replacement that is allowed.

    `placeholder`: a link without mass may have the least one, as the body that holds the base in PhysX.
    """
    if old.mass == 0.0 and not any(old.tensor):
        tiny = (TINY_MOMENT, 0.0, 0.0, TINY_MOMENT, 0.0, TINY_MOMENT)
        if not any(new.tensor) and new.mass == 0.0:
            return ""
        is_tiny = (
            placeholder
            and new.mass == TINY_MASS
            and new.tensor == tiny
            and new.center == (0.0, 0.0, 0.0)
        )
        return "" if is_tiny else f"it has no mass, and {new.mass:g} kg are written"
    if abs(old.mass - new.mass) > 1e-9 * old.mass + (LEAST_MOMENT if old.mass == 0.0 else 0.0):
        return f"its mass is {old.mass:g} kg, and {new.mass:g} kg are written"
    if max(abs(a - b) for a, b in zip(old.center, new.center)) > 1e-9 * max(
        1.0, *map(abs, old.center)
    ):
        return f"its center of mass is {old.center}, and {new.center} is written"
    largest = max(map(abs, old.tensor))
    step = [b - a for a, b in zip(old.tensor, new.tensor)]
    if max(map(abs, step)) <= 1e-9 * largest + LEAST_MOMENT:
        return ""
    if max(map(abs, step)) > SIX_DIGITS * largest:
        return f"its tensor is {old.tensor}, and {new.tensor} is written"
    return (
        ""
        if is_nearest(old.tensor, new.tensor)
        else (
            f"its tensor is {old.tensor}, and {new.tensor} is not the nearest that a body can have"
        )
    )


def is_nearest(old: Sequence[float], new: Sequence[float]) -> bool:
    """Return True if a tensor is the nearest physical one to another: A + B >= C.

    A body's second moments S = trace(I) / 2 - I are positive semidefinite, and the nearest such S' to an S is its
    projection: S', S' - S, are both positive semidefinite, and S' (S' - S) = 0 (the conditions of Karush, Kuhn and
    Tucker; Boyd and Vandenberghe, Convex Optimization, 8.1.1). No eigenvector is needed.
    """
    S, T = _second_moments(old), _second_moments(new)
    size = max(abs(entry) for row in (*S, *T) for entry in row)
    step: Tuple[Triple, ...] = tuple((b[0] - a[0], b[1] - a[1], b[2] - a[2]) for a, b in zip(S, T))
    tolerance = 1e-8 * size
    product = [sum(T[i][k] * step[k][j] for k in range(3)) for i in range(3) for j in range(3)]
    return (
        _is_positive(T, tolerance)
        and _is_positive(step, tolerance)
        and max(map(abs, product)) <= tolerance * size
    )


def _second_moments(tensor: Sequence[float]) -> Tuple[Triple, ...]:
    xx, xy, xz, yy, yz, zz = tensor
    half = 0.5 * (xx + yy + zz)
    return ((half - xx, -xy, -xz), (-xy, half - yy, -yz), (-xz, -yz, half - zz))


def _is_positive(M: Sequence[Triple], tolerance: float) -> bool:
    """Return True if no eigenvalue is below -tolerance: the principal minors of M + tolerance I are >= 0."""
    (a, b, c), (_, e, f), (_, _, i) = M
    a, e, i = a + tolerance, e + tolerance, i + tolerance
    minors = (
        a,
        e,
        i,
        a * e - b * b,
        a * i - c * c,
        e * i - f * f,
        a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c),
    )
    return min(minors) >= 0.0


def with_names_of_text(
    robot: RawRobot,
    written: RawRobot,
    links_in_text: Mapping[str, str],
    fail: Callable[[str], None],
) -> RawRobot:
    """Return the robot with the names of links and joints in the text, which must be like the old ones and unique."""
    # Links have the names that were decided. A joint has none in that table: it is found by its child link, in whose
    # name the joint may have moved up or down (a frame, or a body of several joints), among joints that can be the same
    # by type. A joint without a partner keeps its name, so that the comparison names it as missing. References to a
    # link or joint are renamed with it: a mimic joint keeps the leader that the first joint of that name is.
    names = {link.name: links_in_text.get(link.name, link.name) for link in robot.links}
    for old, new in names.items():
        if (
            old != new
            and not is_called(new, old.replace("::", "_"))
            and not is_called(new, f"{old.replace('::', '_')}_link")
        ):
            fail(f"link '{old}' is called '{new}'")
    by_child = {joint.child: joint for joint in written.joints}
    below = grouped((joint.parent, joint) for joint in robot.joints)
    measured = {sensor.joint for sensor in robot.sensors}
    joints: Dict[str, str] = {}
    renamed = []
    for joint in robot.joints:
        new = next(
            (
                match.name
                for match in _partners(joint, below, names, by_child)
                if match.moves == joint.moves and (match.type == "fixed") == (joint.type == "fixed")
            ),
            joint.name,
        )
        if joint.type not in ("fixed", "floating") and new != joint.name:
            plain = joint.name.replace("::", "_")
            if not is_called(new, plain) and not is_called(new, f"{plain}_joint"):
                fail(f"joint '{joint.name}' is called '{new}'")
        if joint.type == "fixed":
            partner = by_child.get(names[joint.child]) if joint.name in measured else None
            new = _name_of_fixed(joint, partner)
        joints.setdefault(joint.name, new)
        renamed.append(
            joint._replace(name=new, parent=names[joint.parent], child=names[joint.child])
        )
    followed = [
        joint
        if joint.mimic is None
        else joint._replace(
            mimic=joint.mimic._replace(leader=joints.get(joint.mimic.leader, joint.mimic.leader))
        )
        for joint in renamed
    ]
    return robot._replace(
        links=tuple(link._replace(name=names[link.name]) for link in robot.links),
        joints=tuple(followed),
        frames=tuple(frame._replace(link=names[frame.link]) for frame in robot.frames),
        loops=tuple(
            loop._replace(links=(names[loop.links[0]], names[loop.links[1]]))
            for loop in robot.loops
        ),
        sensors=tuple(
            sensor._replace(
                link=names.get(sensor.link, sensor.link),
                joint=joints.get(sensor.joint, sensor.joint),
            )
            for sensor in robot.sensors
        ),
    )


def _name_of_fixed(joint: RawJoint, partner: Optional[RawJoint]) -> str:
    """Return the name in the text of a fixed joint, which counts where a sensor measures in it."""
    plain = joint.name.replace("::", "_")
    if partner is None or partner.type != "fixed":
        return joint.name
    is_like = is_called(partner.name, plain) or is_called(partner.name, f"{plain}_joint")
    return partner.name if is_like else joint.name


def _partners(
    joint: RawJoint,
    below: Mapping[str, Sequence[RawJoint]],
    names: Mapping[str, str],
    by_child: Mapping[str, RawJoint],
) -> Iterator[RawJoint]:
    """Yield the joints of the text that a joint of the robot may be, the likeliest first.

    These are the joints above its child link, or above a link that is fixed to that.
    """
    # A text may lack the child link: MJCF puts several joints into one body and drops the massless links between them.
    # Then the joint is looked for from the next link below that is in the text, and for each joint that moves on the
    # way down (`ups`) one joint up: in the text they are in the same order. A breadth-first search over the links that
    # are fixed to the child finds the nearest first.
    waiting = [(joint.child, 0)] if joint.type != "fixed" else []
    for link, ups in waiting:
        partner = by_child.get(names[link])
        for _ in range(ups):
            partner = by_child.get(partner.parent) if partner is not None else None
        if partner is not None:
            yield partner
        carried = below.get(link, ())
        is_between = names[link] not in by_child and len(carried) == 1
        waiting += [
            (lower.child, ups + (lower.type != "fixed"))
            for lower in carried
            if lower.type == "fixed" or is_between
        ]


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
        has_place = (
            not links_in_text or sensor.joint in joints
            if sensor.joint
            else sensor.link in links
            and (not links_in_text or sensor.link in links_in_text.values())
        )
        if not has_place:
            continue
        several = [other.name or other.kind for other in robot.sensors].count(name) > 1
        called = [
            item
            for item in remaining
            if item.name == name or several and is_called(item.name, name)
        ]
        link = holders.get(sensor.link, sensor.link)
        match = min(
            called,
            key=lambda candidate, link=link: (  # type: ignore[misc]
                candidate.link != link,
                candidate.name != name,
            ),
            default=None,
        )
        if match is not None:
            remaining.remove(match)
        yield sensor._replace(name=match.name if match is not None else name)
