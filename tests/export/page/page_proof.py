"""What a page shows is what the files say: numbers, shapes and ellipsoids of a run, the map of a comparison."""

import os
from functools import partial

from urdf_tools.base.errors import ProofFailed
from urdf_tools.export.from_run import reference_of_run
from urdf_tools.export.page.meshes import MeshStore
from urdf_tools.export.page.robots import page_data
from urdf_tools.export.page.verify import _flat, _is_at, _near, _pose, _root_frames, EXACT
from urdf_tools.formats.urdf.read import read_urdf
from urdf_tools.meshes.rare_collada import RARE_COLLADA
from urdf_tools.urdf.package_resolver import resolve, resolver_for
from urdf_tools.urdf.spatial import IDENTITY_POSE
from urdf_tools.verify.rigid_motion import composed, transform_point

DRAWN = 2e-6  # of numbers that are drawn with seven digits
LEAST_MASS = 1e-6  # kg: lighter links are frames
THINNEST = 2.01e-4  # m


def verify_run(data, request):
    """Compare the page of a run with the texts before and after; the meshes are numbered as the page has them."""
    result = request.result
    folder = os.path.dirname(os.path.abspath(request.path))
    options = result.plan.options.meshes
    resolver = resolver_for(result.before.document.root, folder, options.package)
    store = MeshStore(
        lambda reference: resolve(reference, resolver), options.dae._replace(rare=RARE_COLLADA)
    )
    page_data(result, store)
    made = {file.name: file.source for file in result.plan.meshes.files}
    named = {new: name for name, new in result.plan.meshes.names.items()}

    def surfaces_of(side, shape):
        name = named.get(shape.file, "") if side == "new" else ""
        source = made.get(shape.file, "") if side == "new" else ""
        return store.surfaces(name or shape.file, 0.0, source, separate=shape.role == "visual")

    before = read_urdf(result.source, request.path)
    verify_page(data, before, reference_of_run(request), surfaces_of)


def verify_page(data, before, after, surfaces_of):
    """Compare joints, masses and drawn bodies of both robots; a mesh has as many rows as colors.

    `surfaces_of` returns the surfaces of the file of a mesh, old or new, () where it cannot be read.
    """
    for side, robot in (("old", before), ("new", after)):
        _verify_robot(data[side], robot, partial(surfaces_of, side))


def _verify_robot(shown, robot, surfaces_of):
    def require(holds, what):
        if not holds:
            raise ProofFailed(f"the page shows another robot: {what}", robot.file)

    names = [link["name"] for link in shown["links"]]
    require(sorted(names) == sorted(link.name for link in robot.links), "its links are others")
    joints = {joint.child: joint for joint in robot.joints}
    require(names[shown["root"]] not in joints, f"'{names[shown['root']]}' is not the root")
    require(len(shown["joints"]) == len(joints), "its joints are others")
    for row in shown["joints"]:
        joint = joints.get(names[row["child"]])
        if joint is None or (row["name"], row["type"], names[row["parent"]]) != (
            joint.name,
            joint.type,
            joint.parent,
        ):
            raise ProofFailed(f"the page shows another robot: joint '{row['name']}'", robot.file)
        require(
            _near(row["T"], _flat(joint.T_parent_child), EXACT),
            f"joint '{joint.name}' is elsewhere",
        )
        require(
            not joint.moves or _near(row["axis"], joint.axis, EXACT),
            f"the axis of joint '{joint.name}'",
        )
    links = {link.name: link for link in robot.links}
    for shown_link in shown["links"]:
        link = links[shown_link["name"]]
        mass = link.mass.mass if link.mass is not None else 0.0
        require(
            abs(shown_link.get("mass", 0.0) - mass) <= EXACT * mass, f"the mass of '{link.name}'"
        )
        require(
            ("ellipsoid" in shown_link) == (mass > LEAST_MASS), f"the ellipsoid of '{link.name}'"
        )
        if "ellipsoid" in shown_link and link.mass is not None:
            require(
                _is_ellipsoid_of(shown_link["ellipsoid"], link.mass),
                f"the ellipsoid of '{link.name}'",
            )
        for role in ("visual", "collision"):
            # What is in the file of a mesh was read by the readers of meshes, which have their own proofs.
            rows = [
                row
                for row in shown_link["shapes"]
                if bool(row.get("collision")) == (role == "collision")
            ]
            _verify_pieces(
                rows,
                [
                    piece
                    for shape in link.shapes
                    if shape.role == role
                    for piece in _pieces(shape, surfaces_of)
                ],
                f"a {role} of '{link.name}'",
                robot,
            )


def _verify_pieces(rows, pieces, what, robot):
    same = len(rows) == len(pieces) and all(
        row["shape"] == body
        and _near(row["T"], T, DRAWN)
        and _near(row["size"], size, DRAWN)
        and (color is None or _near(row.get("color", ()), color, DRAWN))
        for row, (body, T, size, color) in zip(rows, pieces)
    )
    if not same:
        raise ProofFailed(
            f"the page shows another robot: {what} is missing, elsewhere, or another", robot.file
        )


def _pieces(shape, surfaces_of):
    """Yield the bodies that a shape is drawn with, of a mesh its surfaces."""
    T = _flat(shape.T_link_shape)
    if shape.geometry == "mesh":
        for surface in surfaces_of(shape):
            yield surface.number, T, shape.sizes, surface.rgba or shape.color
    elif shape.geometry == "box":
        yield "box", T, shape.sizes, shape.color
    elif shape.geometry == "sphere":
        yield "ball", T, (2.0 * shape.sizes[0],) * 3, shape.color
    elif shape.geometry in ("cylinder", "capsule"):
        wide, length = 2.0 * shape.sizes[0], shape.sizes[1]
        yield "cylinder", T, (wide, wide, length), shape.color
        for end in (-0.5, 0.5) if shape.geometry == "capsule" else ():
            center = transform_point(shape.T_link_shape, (0.0, 0.0, end * length))
            yield "ball", (*T[:9], *center), (wide,) * 3, shape.color


def _is_ellipsoid_of(ellipsoid, mass):
    """Return True if a solid ellipsoid has a center and a tensor; of one that was drawn thicker, only the center."""
    a, b, c, d, e, f, g, h, i, *center = ellipsoid["T"]
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
    largest = max(map(abs, mass.tensor))
    return _near(center, mass.center, DRAWN) and all(
        abs(value - expected) <= 1e-2 * largest for value, expected in zip(tensor, mass.tensor)
    )


def verify_map(data, comparison):
    """Compare the map in a page with the one that was found: partners, signs, zeros, the base, and places of B."""
    robots = comparison.map
    joints = data["old"]["joints"]
    mapped = {pair.choice.b: pair for pair in robots.pairs}
    for number, joint in enumerate(joints):
        pair = mapped.get(number)
        written = (joint.get("by"), joint.get("sign"), joint.get("offset"))
        if written != (
            (None, None, None)
            if pair is None
            else (pair.choice.a, pair.choice.sign, robots.offset(pair) + 0.0)
        ):
            raise ProofFailed(
                f"page: the map of joint '{joint['name']}' is not the one that was found"
            )
    T_world_b = composed(robots.base, _pose(data["base"]))
    if not _is_at(T_world_b, IDENTITY_POSE):
        raise ProofFailed("page: the base of B is not where the map has it")
    _verify_places(comparison, data)


def _verify_places(comparison, data):
    """Compare the poses of the bodies of B in the page with those of the map."""
    a, b = _root_frames(data["new"]), _root_frames(data["old"])
    partner = {b_body: a_body for a_body, b_body in comparison.map.bodies.items()}
    for number, link in enumerate(data["old"]["links"]):
        if link.get("to") != partner.get(number):
            raise ProofFailed(f"page: body '{link['name']}' of B has another partner")
        if "to" in link:
            was = composed(comparison.map.Y[link["to"]], composed(a[link["to"]], _pose(link["T"])))
            if not _is_at(was, b[number]):
                raise ProofFailed(f"page: body '{link['name']}' of B is expected elsewhere")
