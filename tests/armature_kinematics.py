"""Where the links of an armature's JSON are: a reading of the format on its own, with quaternions.

It shares no code with what wrote the JSON, so that the proof compares two different ways. A turn is a unit quaternion
(w, x, y, z); a place is a turn and the origin [m].
"""

import math

STILL = (1.0, 0.0, 0.0, 0.0)


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


def after(a, b):
    """Return place b, given in a, in the frame in which a is given."""
    x, y, z = turned(a[0], b[1])
    return product(a[0], b[0]), (x + a[1][0], y + a[1][1], z + a[1][2])


def back(a):
    """Return the inverse of a place."""
    turn = (a[0][0], -a[0][1], -a[0][2], -a[0][3])
    x, y, z = turned(turn, a[1])
    return turn, (-x, -y, -z)


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


def channel_place(bone, values):
    """Return how channels move a bone in its rest frame; values are (channel, index, value)."""
    shift, angles = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    for channel, index, value in values:
        (shift if channel == "location" else angles)[index] += value
    turn = STILL
    for letter in bone["rotation_mode"]:  # the innermost first
        turn = product(about("XYZ".index(letter), angles["XYZ".index(letter)]), turn)
    return turn, (shift[0], shift[1], shift[2])


def all_positions(document, free):
    """Return the position of every joint from those of the free ones: followers follow, through chains too."""
    rules = {dof["joint"]: dof["mimic"] for bone in document["bones"] for dof in bone["dofs"]}
    positions = {}
    for name in rules:
        chain = [name]
        while rules[chain[-1]] and rules[chain[-1]]["joint"] and chain[-1] not in positions:
            chain.append(rules[chain[-1]]["joint"])
        for joint in reversed(chain):
            rule = rules[joint]
            if joint not in positions:
                positions[joint] = (
                    rule["multiplier"] * positions.get(rule["joint"], 0.0) + rule["offset"]
                    if rule
                    else free.get(joint, 0.0)
                )
    return positions


def places_of_links(document, free, channels):
    """Return the place of every link that a bone carries.

    Args:
        free: positions of joints [rad or m]; followers need none.
        channels: for joints with several channels, their values in the order of the JSON.
    """
    positions = all_positions(document, free)
    rests = {bone["name"]: exact_rest_place(bone) for bone in document["bones"]}
    posed = {}
    for bone in document["bones"]:
        values, used = [], dict.fromkeys(channels, 0)
        for dof in bone["dofs"]:
            name = dof["joint"]
            value = positions[name]
            if name in channels:
                value, used[name] = channels[name][used[name]], used[name] + 1
            values.append((dof["channel"], dof["index"], dof["sign"] * value))
        rest = rests[bone["name"]]
        if bone["parent"] is not None:
            parent = bone["parent"]
            rest = after(posed[parent], after(back(rests[parent]), rest))
        posed[bone["name"]] = after(rest, channel_place(bone, values))
    return {
        link["name"]: after(
            after(posed[link["bone"]], back(rests[link["bone"]])), matrix_place(link["matrix"])
        )
        for link in document["links"]
        if link["bone"] is not None
    }


def matrix_place(rows):
    """Return the place that a matrix of three rows of four numbers describes.

    The quaternion is the eigenvector of the largest eigenvalue of Bar-Itzhack's matrix, found as its largest column.
    """
    (a, b, c, x), (d, e, f, y), (g, h, i, z) = rows
    columns = (
        (1.0 + a + e + i, h - f, c - g, d - b),
        (h - f, 1.0 + a - e - i, b + d, c + g),
        (c - g, b + d, 1.0 - a + e - i, f + h),
        (d - b, c + g, f + h, 1.0 - a - e + i),
    )
    w, p, q, r = max(columns, key=lambda column: sum(value * value for value in column))
    return unit_turn(w, p, q, r), (x, y, z)
