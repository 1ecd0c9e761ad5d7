"""The masses of a stage are those of usd-core, whatever body, collisions and materials give of them."""

import random
from math import pi

import pytest
from conftest import scaled
from usd_masses import AXES, MOMENTS, stage
from usd_texts import read

pxr = pytest.importorskip("pxr", reason="usd-core is not installed")
np = pytest.importorskip("numpy")

from pxr import Gf, Usd, UsdGeom, UsdPhysics  # noqa: E402

SEEDS = range(scaled(160))
NEAR = 2e-5  # of the largest number: usd-core computes in float32
UNSET = ("(0, 0, 0)", "(0, 0, 0, 0)")


def moments_of(prim, scale):
    """Return volume, center and tensor of 1 kg/m^3 about the center of a shape, in the axes of its prim."""
    if prim.GetTypeName() == "Mesh":
        corners = np.array(UsdGeom.Mesh(prim).GetPointsAttr().Get(), float) * scale
        volume = abs(np.linalg.det(corners[1:] - corners[0])) / 6
        center = corners.mean(axis=0)
        # A solid tetrahedron: its covariance is a twentieth of the sum over its corners.
        spread = volume / 20 * sum(np.outer(c - center, c - center) for c in corners)
        return volume, center, np.trace(spread) * np.eye(3) - spread
    if prim.GetTypeName() == "Cube":
        sides = UsdGeom.Cube(prim).GetSizeAttr().Get() * scale
        spread = np.prod(sides) / 12 * np.diag(sides**2)
        return np.prod(sides), np.zeros(3), np.trace(spread) * np.eye(3) - spread
    radius = prim.GetAttribute("radius").Get() * scale[0]
    if prim.GetTypeName() == "Sphere":
        volume = 4 / 3 * pi * radius**3
        return volume, np.zeros(3), np.eye(3) * 0.4 * volume * radius**2
    height = prim.GetAttribute("height").Get() * scale[0]
    volume = pi * radius**2 * height
    along, across = volume * radius**2 / 2, volume * (3 * radius**2 + height**2) / 12
    if prim.GetTypeName() == "Capsule":
        ball = 4 / 3 * pi * radius**3
        along += 0.4 * ball * radius**2
        across += ball * (0.4 * radius**2 + height**2 / 4 + 3 / 8 * height * radius)
        volume += ball
    letter = "XYZ".index(prim.GetAttribute("axis").Get())
    moments = np.full(3, across)
    moments[letter] = along
    return volume, np.zeros(3), np.diag(moments)


def of_usd_core(text):
    """Return mass, center and tensor in units of the stage along the axes of the body, as usd-core has them."""
    stage = Usd.Stage.CreateInMemory()
    assert stage.GetRootLayer().ImportFromString(text), text
    body = stage.GetPrimAtPath("/robot/body")
    cache = UsdGeom.XformCache()
    world_of_body = Gf.Transform(cache.GetLocalToWorldTransform(body))
    rigid = Gf.Matrix4d(world_of_body.GetRotation(), world_of_body.GetTranslation())

    def of_shape(prim):
        whole = cache.GetLocalToWorldTransform(prim)
        volume, center, tensor = moments_of(prim, np.array(Gf.Transform(whole).GetScale()))
        place = Gf.Transform(whole * rigid.GetInverse())
        found = UsdPhysics.RigidBodyAPI.MassInformation()
        found.volume = volume
        found.centerOfMass = Gf.Vec3f(*map(float, center))
        found.inertia = Gf.Matrix3f(*map(float, tensor.flatten()))
        found.localPos = Gf.Vec3f(place.GetTranslation())
        found.localRot = Gf.Quatf(place.GetRotation().GetQuat())
        return found

    mass, moments, center, axes = UsdPhysics.RigidBodyAPI(body).ComputeMassProperties(of_shape)
    R = np.array(Gf.Matrix3d(Gf.Quatd(axes).GetNormalized())).T
    return mass, np.array(center), R @ np.diag(moments) @ R.T, UsdGeom.GetStageMetersPerUnit(stage)


def is_given(body, name):
    return name in body and not body[name].endswith(UNSET)


@pytest.mark.parametrize("seed", SEEDS)
def test_masses_of_a_random_stage_are_those_of_usd_core(seed):
    text, body = stage(random.Random(seed))
    mass, center, tensor, meters = of_usd_core(text)
    robot = read(text)
    found = robot.links[0].mass
    if mass < 0.0:
        assert found is None
        return
    kilograms = float(text.partition("kilogramsPerUnit = ")[2].split()[0])
    assert found.mass == pytest.approx(mass * kilograms, rel=NEAR)
    reach = max(1.0, *np.abs(center)) * meters
    assert found.center == pytest.approx(center * meters, abs=NEAR * reach)
    is_of_shapes = any("that of the shapes" in note for note in robot.notes)
    axes, moments = (is_given(body, name) for name in (AXES, MOMENTS))
    if axes != moments:  # what usd-core makes of one without the other is no rule, so that is noted
        word = "without principalAxes" if moments else "without a diagonalInertia"
        assert any(word in note for note in robot.notes) == (axes or is_of_shapes)
        return
    if not moments and not is_of_shapes:
        return  # usd-core makes up a ball of 10 cm where there is no shape
    wanted = tensor * kilograms * meters**2
    xx, xy, xz, yy, yz, zz = found.tensor
    own = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    assert own == pytest.approx(wanted, abs=NEAR * np.abs(wanted).max())
