"""The rest frames of bones by head, tail and roll, with quaternions.

It shares no code with what wrote them, so that tests compare two different ways. A turn is a unit quaternion
(w, x, y, z); a place is a turn and the origin [m].
"""

import math


def product(a, b):
    """Return the turn b followed by the turn a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


def turned(a, p):
    """Return a point after a turn about the origin."""
    _, x, y, z = product(product(a, (0.0, p[0], p[1], p[2])), (a[0], -a[1], -a[2], -a[3]))
    return (x, y, z)


def unit_turn(w, x, y, z):
    """Return a quaternion at length 1."""
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return (w / length, x / length, y / length, z / length)


def about(letter, angle):
    """Return the turn about X, Y or Z (0, 1, 2)."""
    parts = [0.0, 0.0, 0.0]
    parts[letter] = math.sin(0.5 * angle)
    return (math.cos(0.5 * angle), parts[0], parts[1], parts[2])


def rest_place(bone, along=2.5e-4):
    """Return the rest frame of a bone by its head, tail and roll, as Blender does.

    The smallest turn from +Y to the bone comes after its roll; a bone along -Y, if only to `along` [rad], has turned
    about Z.
    """
    x, y, z = (end - start for end, start in zip(bone["tail"], bone["head"]))
    length = math.sqrt(x * x + y * y + z * z)
    x, y, z = x / length, y / length, z / length
    # Both are 1 + y, the latter to the last digit.
    above = 1.0 + y if y >= 0.0 else (x * x + z * z) / (1.0 - y)
    smallest = (
        (0.0, 0.0, 0.0, 1.0)
        if math.hypot(x, z) <= along and y < 0.0
        else unit_turn(above, z, 0.0, -x)
    )
    return product(smallest, about(1, bone["roll"])), (
        bone["head"][0],
        bone["head"][1],
        bone["head"][2],
    )


def exact_rest_place(bone):
    """Return the rest frame of a bone by its head, tail and X axis, which is exact next to -Y too."""
    rest = rest_place(bone, along=0.0)
    x, y, z = turned((rest[0][0], -rest[0][1], -rest[0][2], -rest[0][3]), bone["x_axis"])
    return product(rest[0], about(1, math.atan2(-z, x))), rest[1]
