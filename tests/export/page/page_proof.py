"""What a page shows is what the files say: numbers, shapes and ellipsoids of both robots, and the map between them."""

from urdf_tools.base.errors import ProofFailed
from urdf_tools.compare.difference_records import poses_apart
from urdf_tools.export.page.page_robots import flat
from urdf_tools.export.page.verify_page import _pose, _root_frames, EXACT
from urdf_tools.urdf.spatial_math import IDENTITY_POSE
from urdf_tools.verify.rigid_motion import composed, transform_point

DRAWN = 2e-6  # of numbers that are drawn with seven digits
LEAST_MASS = 1e-6  # kg: lighter links are frames
THINNEST = 2.01e-4  # m


def verify_drawn(data, robots):
    """Compare the masses and drawn bodies of both robots with those of the files that a map is between."""
    for side, robot in (("new", robots.a), ("old", robots.b)):
        if data[side]["links"]:
            _verify_robot(data[side], robot)


def _verify_robot(shown, robot):
    links = {link.name: link for link in robot.raw.links}
    frames = _root_frames(shown)

    def require(holds, what):
        if not holds:
            raise ProofFailed(f"the page shows another robot: {what}", robot.raw.file)

    for body, described, T_root_body in zip(robot.bodies, shown["links"], frames):
        mass = body.mass.mass if body.mass is not None else 0.0
        name = described["name"]
        require(abs(described.get("mass", 0.0) - mass) <= EXACT * mass, f"the mass of '{name}'")
        require(("ellipsoid" in described) == (mass > LEAST_MASS), f"the ellipsoid of '{name}'")
        if "ellipsoid" in described:
            require(
                _is_ellipsoid_of(described["ellipsoid"], body.mass, T_root_body.translation),
                f"the ellipsoid of '{name}'",
            )
        parts = [(links[link], _pose(T)) for link, T in described["parts"]]
        for role in ("visual", "collision"):
            rows = [
                row for row in described["shapes"] if ("collision" in row) == (role == "collision")
            ]
            pieces = [
                piece
                for link, T in parts
                for shape in link.shapes
                if shape.role == role
                for piece in _pieces(shape, T)
            ]
            # What is in the file of a mesh was read by the readers of meshes, which have their own proofs.
            plain = [row for row in rows if not isinstance(row["shape"], int)]
            bodies = [piece for piece in pieces if piece[0] != "mesh"]
            meshes = [piece for piece in pieces if piece[0] == "mesh"]
            require(
                len(plain) == len(bodies)
                and all(map(_is_piece, plain, bodies))
                and all(
                    any(_is_piece({**row, "shape": "mesh"}, piece) for piece in meshes)
                    for row in rows
                    if isinstance(row["shape"], int)
                ),
                f"a {role} of '{name}'",
            )


def _is_piece(row, piece):
    body, T, size, color = piece
    return (
        row["shape"] == body
        and _near(row["T"], T, DRAWN)
        and _near(row["size"], size, DRAWN)
        and (color is None or _near(row.get("color", ()), color, DRAWN))
    )


def _is_at(T, other):
    return max(poses_apart(T, other)) <= EXACT


def _near(shown, expected, tolerance):
    return len(shown) == len(expected) and all(
        abs(a - b) <= tolerance * max(1.0, abs(b)) for a, b in zip(shown, expected)
    )


def _pieces(shape, T_body_link):
    """Yield the bodies that a shape is drawn with."""
    T_body_shape = composed(T_body_link, shape.T_link_shape)
    T = flat(T_body_shape)
    if shape.geometry == "mesh":
        yield "mesh", T, shape.sizes, None
    elif shape.geometry == "box":
        yield "box", T, shape.sizes, shape.color
    elif shape.geometry == "sphere":
        yield "ball", T, (2.0 * shape.sizes[0],) * 3, shape.color
    elif shape.geometry in ("cylinder", "capsule"):
        wide, length = 2.0 * shape.sizes[0], shape.sizes[1]
        yield "cylinder", T, (wide, wide, length), shape.color
        for end in (-0.5, 0.5) if shape.geometry == "capsule" else ():
            center = transform_point(T_body_shape, (0.0, 0.0, end * length))
            yield "ball", (*T[:9], *center), (wide,) * 3, shape.color


def _is_ellipsoid_of(ellipsoid, mass, origin):
    """Return True if a solid ellipsoid has a center and a tensor; of one that was drawn thicker, only the center."""
    a, b, c, d, e, f, g, h, i, *shown = ellipsoid["T"]
    # Bodies are not turned against the root.
    center = [value + shift for value, shift in zip(shown, origin)]
    if min(ellipsoid["size"]) <= THINNEST:
        return _near(center, mass.center, DRAWN)
    u, v, w = (0.05 * mass.mass * size * size for size in ellipsoid["size"])
    S = [
        [
            u * p[0] * q[0] + v * p[1] * q[1] + w * p[2] * q[2]
            for q in ((a, b, c), (d, e, f), (g, h, i))
        ]
        for p in ((a, b, c), (d, e, f), (g, h, i))
    ]
    tensor = (S[1][1] + S[2][2], -S[0][1], -S[0][2], S[0][0] + S[2][2], -S[1][2], S[0][0] + S[1][1])
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = mass.tensor
    wanted = (xx, xy, xz, yy, yz, zz)
    largest = max(map(abs, wanted))
    return _near(center, mass.center, DRAWN) and all(
        abs(value - expected) <= 1e-2 * largest for value, expected in zip(tensor, wanted)
    )


def verify_map(data, robots):
    """Compare the map in a page with the one that was found: partners, signs, zeros, the base, and places of B."""
    joints = data["old"]["joints"]
    mapped = {pair.choice.b: pair for pair in robots.pairs}
    for number, joint in enumerate(joints):
        pair = mapped.get(number)
        written = (joint.get("by"), joint.get("sign"), joint.get("offset"))
        if written != (
            (None, None, None)
            if pair is None
            else (pair.choice.a, pair.choice.sign, pair.offset + 0.0)
        ):
            raise ProofFailed(
                f"page: the map of joint '{joint['name']}' is not the one that was found"
            )
    T_world_b = composed(robots.base, _pose(data["base"]))
    if not _is_at(T_world_b, IDENTITY_POSE):
        raise ProofFailed("page: the base of B is not where the map has it")
    _verify_places(robots, data)


def _verify_places(robots, data):
    """Compare the poses of the bodies of B in the page with those of the map."""
    a, b = _root_frames(data["new"]), _root_frames(data["old"])
    partner = {b_body: a_body for a_body, b_body in robots.bodies.items()}
    for number, link in enumerate(data["old"]["links"]):
        if link.get("to") != partner.get(number):
            raise ProofFailed(f"page: body '{link['name']}' of B has another partner")
        if "to" in link:
            was = composed(robots.Y[link["to"]], composed(a[link["to"]], _pose(link["T"])))
            if not _is_at(was, b[number]):
                raise ProofFailed(f"page: body '{link['name']}' of B is expected elsewhere")
