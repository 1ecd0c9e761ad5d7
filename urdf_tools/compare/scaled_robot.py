"""A robot as large as a factor makes it: every length times the factor, and masses and tensors by a second factor.

Time, angles, efforts, damping, friction, springs and contacts stay. A velocity of a slide is a length in a time, so it
grows with the lengths. The inertia of a rotor counts as a part of the robot, as tensors do.
"""

from __future__ import annotations

from math import fsum, log
from typing import AbstractSet, Dict, Mapping, Optional, Tuple

from ..base.number_text import short
from ..base.record_type import Record
from ..base.type_aliases import Reals, Texts
from ..meshes.mesh_readers import ColoredTriangles, Triangle
from ..robot.raw_robot import (
    Inline,
    OUT_OF_REACH,
    RawActuator,
    RawJoint,
    RawNamedState,
    RawLink,
    RawLoop,
    RawMass,
    RawMimic,
    RawRobot,
    RawShape,
    SLIDING,
)
from ..urdf.spatial_math import scale, Transform

# Of a slide, by name of VALUES: positions, and positions in powers of a time.
LENGTHS_OF_SLIDE = (
    "spring_reference",
    "soft_lower",
    "soft_upper",
    "calibration_rising",
    "calibration_falling",
    "calibration_reference",
    "acceleration",
    "deceleration",
    "jerk",
    "transmission_offset",
)
# Of a collision: a length, and a length in a time.
LENGTHS_OF_SURFACE = ("min_depth", "max_velocity")


class Scaling(Record):
    """The factor of lengths, and the factor of masses; a tensor gets the second one and twice the first."""

    lengths: float
    masses: float

    @property
    def tensors(self) -> float:
        """Return the factor of tensors and of rotors about an axis."""
        return self.masses * self.lengths * self.lengths


def likely_scaling(a: RawRobot, b: RawRobot, lengths: float) -> Scaling:
    """Return the scaling of A to B: with the same density, or with the same mass, whichever is nearer to their masses."""
    # Of solids of the same density.
    solid = lengths * lengths * lengths
    mass_a, mass_b = (fsum(link.mass.mass for link in raw.links if link.mass) for raw in (a, b))
    if (
        mass_a > 0.0
        and mass_b > 0.0
        and abs(log(mass_b / mass_a)) < abs(log(mass_b / mass_a / solid))
    ):
        return Scaling(lengths, 1.0)
    return Scaling(lengths, solid)


def scaled_like(a: RawRobot, b: RawRobot, lengths: float) -> Tuple[RawRobot, Texts]:
    """Return A so many times as large, and a note that says how its masses and efforts count against B."""
    if lengths == 1.0:
        return a, ()
    scaling = likely_scaling(a, b, lengths)
    kept = "mass" if scaling.masses == 1.0 else "density"
    note = (
        f"A is compared {short([lengths])} times as large, with the same {kept}: its masses count "
        f"{short([scaling.masses])} times, its efforts as they are"
    )
    return scaled(a, scaling), (note,)


def scaled(robot: RawRobot, by: Scaling) -> RawRobot:
    """Return a robot whose lengths and masses are scaled; unread elements stay as they are."""
    slides = _slides_of(robot)
    children_of_slides = {joint.child for joint in robot.joints if joint.type in SLIDING}
    bigger = robot.with_each(
        links=lambda link: _link(link, by),
        joints=lambda joint: _joint(joint, slides, by),
        frames=lambda frame: frame._replace(T_link_frame=_pose(frame.T_link_frame, by)),
        loops=lambda loop: _loop(loop, children_of_slides, by),
        sensors=lambda sensor: sensor._replace(T_link_sensor=_pose(sensor.T_link_sensor, by)),
        actuators=lambda actuator: _actuator(actuator, slides, by),
    )
    keys = {name: _key(key, slides, by) for name, key in robot.keys.items()}
    # Without the digest: its text is no longer what the robot says.
    return bigger._replace(keys=keys, T_file_root=_pose(robot.T_file_root, by), digest="")


def _slides_of(robot: RawRobot) -> AbstractSet[str]:
    """Return the names of the joints that slide; a name means the first joint that has it."""
    types = {joint.name: joint.type for joint in reversed(robot.joints)}
    return {name for name, kind in types.items() if kind in SLIDING}


def _pose(T: Transform, by: Scaling) -> Transform:
    """Return a pose with its place scaled."""
    return Transform(T.rotation, scale(by.lengths, T.translation))


def _times(values: Reals, factor: float) -> Reals:
    """Return numbers times a factor; a number that means no limit stays."""
    return tuple(value if abs(value) >= OUT_OF_REACH else value * factor for value in values)


def _length(value: Optional[float], by: Scaling) -> Optional[float]:
    """Return a length scaled, None if it is not written."""
    return None if value is None else _times((value,), by.lengths)[0]


def _lengths_in(
    values: Mapping[str, Reals], names: AbstractSet[str], by: Scaling
) -> Dict[str, Reals]:
    """Return values, of which those of some names are lengths."""
    return {
        name: _times(value, by.lengths) if name in names else value
        for name, value in values.items()
    }


def _link(link: RawLink, by: Scaling) -> RawLink:
    """Return a link with its mass and shapes scaled."""
    mass = _mass(link.mass, by) if link.mass is not None else None
    return link._replace(mass=mass, shapes=tuple(_shape(shape, by) for shape in link.shapes))


def _mass(mass: RawMass, by: Scaling) -> RawMass:
    """Return a mass with its center and tensor scaled."""
    xx, xy, xz, yy, yz, zz = (entry * by.tensors for entry in mass.tensor)
    return mass._replace(
        mass=mass.mass * by.masses,
        center=scale(by.lengths, mass.center),
        tensor=(xx, xy, xz, yy, yz, zz),
        T_link_inertial=_pose(mass.T_link_inertial, by),
    )


def _shape(shape: RawShape, by: Scaling) -> RawShape:
    """Return a shape scaled: the sizes of a mesh are its three scales."""
    inline = shape.inline
    return shape._replace(
        sizes=tuple(size * by.lengths for size in shape.sizes),
        T_link_shape=_pose(shape.T_link_shape, by),
        surface=_lengths_in(shape.surface, {*LENGTHS_OF_SURFACE}, by),
        inline=_scaled_inline(inline, by) if inline is not None else None,
    )


def _scaled_inline(inline: Inline, by: Scaling) -> Inline:
    """Return the reader of a mesh that is inside the file, which has no scale beside its points."""

    def bigger(triangle: Triangle) -> Triangle:
        """Return a triangle with its corners scaled."""
        first, second, third = triangle
        return (
            scale(by.lengths, first),
            scale(by.lengths, second),
            scale(by.lengths, third),
        )

    def read() -> Tuple[ColoredTriangles, ...]:
        """Return the surfaces of the mesh scaled."""
        return tuple(
            surface._replace(triangles=tuple(map(bigger, surface.triangles)))
            for surface in inline()
        )

    return read


def _joint(joint: RawJoint, slides: AbstractSet[str], by: Scaling) -> RawJoint:
    """Return a joint scaled; `slides` are the names of all joints that slide."""
    is_slide = joint.type in SLIDING
    values = dict(joint.values)
    if "armature" in values:
        values["armature"] = _times(values["armature"], by.masses if is_slide else by.tensors)
    mimic = joint.mimic
    if mimic is not None:
        mimic = _rule(mimic, by, follower=is_slide, leader=mimic.leader in slides)
    bigger = joint._replace(
        T_parent_child=_pose(joint.T_parent_child, by),
        point=scale(by.lengths, joint.point),
        mimic=mimic,
        values=values,
    )
    if not is_slide:
        return bigger
    return bigger._replace(
        reference=joint.reference * by.lengths,
        lower=_length(joint.lower, by),
        upper=_length(joint.upper, by),
        velocity=_length(joint.velocity, by),
        values=_lengths_in(values, {*LENGTHS_OF_SLIDE}, by),
    )


def _rule(rule: RawMimic, by: Scaling, *, follower: bool, leader: bool) -> RawMimic:
    """Return the rule of a follower; the flags say which of both joints slide."""
    of_follower = by.lengths if follower else 1.0
    of_leader = by.lengths if leader else 1.0
    return rule._replace(
        multiplier=rule.multiplier * of_follower / of_leader, offset=rule.offset * of_follower
    )


def _loop(loop: RawLoop, children_of_slides: AbstractSet[str], by: Scaling) -> RawLoop:
    """Return a loop scaled; one that is a rule between two joints names the children of these."""
    first, second = loop.T_link_end
    follower, leader = (by.lengths if link in children_of_slides else 1.0 for link in loop.links)
    polynomial = tuple(
        number * follower / leader**power for power, number in enumerate(loop.polynomial)
    )
    bounds = dict(loop.bounds)
    values = loop.values
    # `<loop>` has its type behind its own name.
    if loop.kind.split()[-1:] == [*SLIDING]:
        for name in ("lower", "upper", "velocity"):
            if name in bounds:
                (bounds[name],) = _times((bounds[name],), by.lengths)
        values = _lengths_in(values, {*LENGTHS_OF_SLIDE}, by)
    return loop._replace(
        T_link_end=(_pose(first, by), _pose(second, by)),
        polynomial=polynomial,
        bounds=bounds,
        values=values,
    )


def _actuator(actuator: RawActuator, slides: AbstractSet[str], by: Scaling) -> RawActuator:
    """Return an actuator whose positions and velocities are lengths if its joint slides; gains stay."""
    if actuator.joint not in slides:
        return actuator
    names = {*LENGTHS_OF_SLIDE}
    if actuator.kind in ("position", "velocity"):
        names.add("control_range")
    return actuator._replace(values=_lengths_in(actuator.values, names, by))


def _key(key: RawNamedState, slides: AbstractSet[str], by: Scaling) -> RawNamedState:
    """Return a named state with the positions of slides and of free links scaled."""
    positions = {
        name: position * by.lengths if name in slides else position
        for name, position in key.positions.items()
    }
    places = {name: _pose(T, by) for name, T in key.places.items()}
    return key._replace(positions=positions, places=places)
