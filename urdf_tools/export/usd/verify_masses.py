"""The proof of mass properties: each number, the principal axes, and the tensor that they make together."""
from typing import Mapping, Tuple

from ...compare.read_usd import BODY
from ...compare.records import RawMass, RawRobot
from ...compare.usd_prims import Prim
from ...model.choices import UsdOptions
from ...urdf.spatial import Matrix
from ..mass_proof import is_nearest, LEAST_MOMENT, SIX_DIGITS, TINY_MASS, TINY_MOMENT
from .moments import principal_singles, ZERO_TENSOR
from .verify_numbers import fail, nearest, same_lengths

SINGLE = 3e-7  # of the largest moment: rounding of a tensor by float32 axes and moments


def verify_masses(written: RawRobot, robot: RawRobot, prims: Mapping[str, Prim], tensors: Mapping[str, Matrix],
                  options: UsdOptions) -> None:
    """Compare the mass, center, moments and axes of each body.

    `tensors` [kg m^2] are those that axes and moments were computed from. Each must be the robot's, or replace it by
    the rules of `_why_other`; axes and moments must be its own, to the last digit, and give it again, rotated back.

    Raises:
        ProofFailed: one is not the robot's.
    """
    robot_masses = {link.name: link.mass for link in robot.links}
    written_masses = {link.name: link.mass for link in written.links}
    for prim in prims.values():
        if BODY not in prim.schemas:
            continue
        name, new = prim.true_name, written_masses[prim.true_name]
        old = robot_masses.get(name) or RawMass(0.0, (0.0, 0.0, 0.0), (0.0,) * 6)
        if new is None or name not in tensors:
            fail(f"{prim!r} is a body, and the robot has none there")
        nothing = old.mass == 0.0 and not any(old.tensor)
        if new.mass not in ((nearest(TINY_MASS),) if nothing else (nearest(old.mass),)) and not (
                old.mass == 0.0 and not nothing and 0.0 < new.mass <= LEAST_MOMENT):
            fail(f"link '{name}': its mass is {old.mass} kg, and {new.mass} is written")
        if not same_lengths(new.center, (0.0, 0.0, 0.0) if nothing else old.center):
            fail(f"link '{name}': its center of mass is {old.center}, and {new.center} is written")
        why = "" if nothing and _of(tensors[name]) == (TINY_MOMENT, 0.0, 0.0, TINY_MOMENT, 0.0, TINY_MOMENT) else (
            _why_other(old, tensors[name], options))
        if why:
            fail(f"link '{name}': {why}")
        moments, axes = principal_singles(tensors[name])
        if prim.numbers("float3", "physics:diagonalInertia") != moments or (
                prim.numbers("quatf", "physics:principalAxes") != axes):
            fail(f"link '{name}': its principal axes and moments are {axes}, {moments}, and others are written")
        largest = max(moments)
        if max(abs(a - b) for a, b in zip(new.tensor, _of(tensors[name]))) > SINGLE * largest:
            fail(f"link '{name}': its axes and moments make {new.tensor}, and {_of(tensors[name])} is its tensor")
    bodies = {prim.true_name for prim in prims.values() if BODY in prim.schemas}
    if bodies != set(tensors):
        fail(f"its bodies are not those that weigh: {sorted(bodies ^ set(tensors))}")


def _of(tensor: Matrix) -> Tuple[float, ...]:
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor
    return (xx, xy, xz, yy, yz, zz)


def _why_other(old: RawMass, tensor: Matrix, options: UsdOptions) -> str:
    """Return what is wrong with a tensor; "" if it is the robot's, or its replacement where USD cannot hold that."""
    new = _of(tensor)
    if not any(old.tensor):
        points = (ZERO_TENSOR, 0.0, 0.0, ZERO_TENSOR, 0.0, ZERO_TENSOR)
        return "" if new == points else f"it is a point, and {new} is written"
    largest = max(map(abs, old.tensor))
    step = max(abs(a - b) for a, b in zip(old.tensor, new))
    if step <= 1e-11 * largest + LEAST_MOMENT:
        return ""
    allowed = float("inf") if options.inertia == "nearest" else SIX_DIGITS * largest
    return "" if step <= allowed and is_nearest(old.tensor, new) else (
        f"its tensor is {old.tensor}, and {new} is not the nearest that a body can have")
