"""The proof of an export sees a shape that a writer turned, moved, scaled, mirrored, or named otherwise."""

from math import pi

import pytest

from urdf_tools.base.errors import ProofFailed
from urdf_tools.robot.canonical_robot import canonical
from urdf_tools.robot.raw_robot import RawLink, RawRobot, RawShape
from urdf_tools.export.export_proof import verify_same
from urdf_tools.urdf.spatial_math import IDENTITY, Transform, ZERO
from urdf_tools.verify.rigid_motion import rpy_rotation

BOX = RawShape("visual", "box", (0.2, 0.2, 0.2))
BAR = RawShape("visual", "box", (0.3, 0.05, 0.05))
PART = RawShape("visual", "mesh", (1.0, 1.0, 1.0), file="meshes/part.stl")
FAULTS = {
    "a turned cube": (
        BOX,
        BOX._replace(T_link_shape=Transform(rpy_rotation(0.5, 0.6, 0.785), ZERO)),
    ),
    "a turned bar": (BAR, BAR._replace(T_link_shape=Transform(rpy_rotation(1.3, 0.0, 0.0), ZERO))),
    "a box 1e-8 m larger": (BOX, BOX._replace(sizes=(0.2, 0.2, 0.2 + 1e-8))),
    "a round body that tilts": (
        RawShape("collision", "cylinder", (0.1, 0.3)),
        RawShape(
            "collision", "cylinder", (0.1, 0.3), Transform(rpy_rotation(1e-6, 0.0, 0.0), ZERO)
        ),
    ),
    "another mesh": (PART, PART._replace(file="meshes/other.stl")),
    "a mesh of another folder": (PART, PART._replace(file="other/part.stl")),
    "a mirrored mesh": (PART, PART._replace(sizes=(-1.0, 1.0, 1.0))),
    "a mesh of another scale": (PART, PART._replace(sizes=(1.0, 1.0, 1.001))),
    "a mesh that is turned": (
        PART,
        PART._replace(T_link_shape=Transform(rpy_rotation(0.0, 0.0, pi), ZERO)),
    ),
    "a mesh that is moved": (
        PART,
        PART._replace(T_link_shape=Transform(IDENTITY, (0.0, 0.0, 1e-6))),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_shape_that_a_writer_got_wrong_is_refused(name):
    robots = [
        canonical(RawRobot("urdf", "r", (RawLink("base", shapes=(shape,)),)))
        for shape in FAULTS[name]
    ]
    assert verify_same("test", robots[0], robots[0]).position == 0.0
    with pytest.raises(ProofFailed):
        verify_same("test", robots[1], robots[0])
