"""The names of `urdf_tools.compare`: two robots of any format, given as paths, compared."""
import os
from typing import AbstractSet, Optional, Union

from .compare.comparison import compare as compare_raw, Comparison
from .compare.differences import ASPECTS, Difference, Tolerances
from .compare.json_form import as_json
from .compare.mapping import Given, GivenJoint
from .compare.read import read_robot_of as read_robot
from .compare.records import RawRobot
from .compare.report import report as as_text
from .compare.words import text_of

Source = Union[str, "os.PathLike[str]", RawRobot]


def compare(a: Source, b: Source, *, given: Optional[Given] = None, names: str = "auto",
            aspects: AbstractSet[str] = frozenset(ASPECTS), tolerance: Union[float, Tolerances] = 1e-4) -> Comparison:
    """Return how two robots differ: files of URDF, xacro, MJCF, SDF, JSON of the model or of an armature.

    Args:
        a, b: paths, or robots that `read_robot` returned.
        given: a map of joints, in the place of the one that is looked for.
        names: auto, equal, or structure: how joints find each other.
        aspects: of ASPECTS; what is left out makes no difference.
        tolerance: the largest bound [m and rad] that still counts as rounding.

    Raises:
        UrdfError: a file cannot be read as a robot; a sentence with file and line.
    """
    first, second = (one if isinstance(one, RawRobot) else read_robot(one) for one in (a, b))
    return compare_raw(first, second, given=given, names=names, aspects=aspects, tolerance=tolerance)


__all__ = ["ASPECTS", "Comparison", "Difference", "Given", "GivenJoint", "RawRobot", "Tolerances", "as_json",
           "as_text", "compare", "read_robot", "text_of"]
