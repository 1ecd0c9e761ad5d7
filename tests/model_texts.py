"""MJCF of a model that no URDF was read for."""

from urdf_tools.export.export_proof import reference_of
from urdf_tools.formats.mjcf.write_mjcf import make_mjcf as make_mjcf_of


def make_mjcf(robot, options):
    """Return the text, and what was decided."""
    return make_mjcf_of(robot, options, reference_of(robot))
