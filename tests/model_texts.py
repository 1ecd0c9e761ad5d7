"""MJCF of a model that no URDF was read for."""

from typing import Tuple

from urdf_tools.export.proof import reference_of
from urdf_tools.formats.mjcf.lower import Decided
from urdf_tools.formats.mjcf.write import make_mjcf as make_mjcf_of
from urdf_tools.model.choices import MjcfOptions
from urdf_tools.model.records import Robot, Written


def make_mjcf(robot: Robot, options: MjcfOptions) -> Tuple[Written, Decided]:
    """Return the text, and what was decided."""
    return make_mjcf_of(robot, options, reference_of(robot))
