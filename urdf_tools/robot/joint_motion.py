"""The motion of a joint: of its child, at a position from the drawn pose."""
from ..urdf.spatial import IDENTITY, IDENTITY_POSE, Matrix, Pose, scale, subtract, Vector
from ..verify.rigid_motion import axis_rotation, composed, rotated
from .canonical import Joint, SLIDES, TURNS


def is_line(motion: str) -> bool:
    """Return True if the position of such a joint is a single number."""
    return motion in (TURNS, SLIDES)


def turn_at(R: Matrix, point: Vector) -> Pose:
    """Return the rotation R about a point."""
    return Pose(R, subtract(point, rotated(R, point))) if R is not IDENTITY else IDENTITY_POSE


def motion_of(joint: Joint, position: float) -> Pose:
    """Return the motion of the child of a joint at a position [rad or m] from the drawn pose."""
    if position == 0.0 or joint.motion not in (TURNS, SLIDES):
        return IDENTITY_POSE
    if joint.motion == SLIDES:
        return Pose(IDENTITY, scale(position, joint.axis))
    return turn_at(axis_rotation(joint.axis, position), joint.anchor)


def shifted(axis: Vector, length: float) -> Pose:
    """Return a shift along an axis."""
    return Pose(IDENTITY, scale(length, axis)) if length else IDENTITY_POSE


def after(T: Pose, U: Pose) -> Pose:
    """Return T after U, without a product where T or U is the identity."""
    return U if T is IDENTITY_POSE else T if U is IDENTITY_POSE else composed(T, U)
