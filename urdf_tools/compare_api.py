"""The names of `urdf_tools.compare`: two robots of any format, given as paths, compared."""

import os
from typing import AbstractSet, Iterable, Literal, Optional, Union

from .app.notebook_pages import ShowableResult
from .base.number_text import count_of
from .compare.robot_comparison import (
    compare as compare_raw,
    ComparisonResult as ComparisonRecord,
    refuse_nothing,
)
from .compare.difference_records import ASPECTS, Difference, FAIL_ON, read_fail_on, Tolerances
from .compare.given_or_searched_map import Given, GivenJoint
from .compare.read_any_format import read_robot_of as read_robot
from .compare.comparison_text import as_json, report as as_text, verdict_line
from .compare.difference_kinds import text_of
from .robot.raw_robot import RawRobot


class Comparison(ShowableResult, ComparisonRecord):
    """The result of a comparison; it is true for the same robot, unless `fail_on` names what differs.

    `str()` is the report, of all differences `text`, and `show()` opens both robots, one over the other.
    """

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the verdict and the number of differences."""
        count = count_of(len(self.differences), "difference")
        return f"<Comparison: {verdict_line(self)} ({count})>"

    def __str__(self) -> str:
        """Return the report."""
        return self.text()

    def __bool__(self) -> bool:
        """Return True for the same robot, if nothing differs that the caller named in `fail_on`."""
        return self.exit_code == 0

    def text(self, *, full: bool = False) -> str:
        """Return the report, with all differences if `full`."""
        return as_text(self, full=full)

    def page(self) -> str:
        """Return a page with both robots over each other in 3D: the text of an HTML file without links to anywhere."""
        from .export.page.command_pages import write_comparison

        return write_comparison(self, "robot.html", (), None)[0].decode("utf-8")

    def adapter(self) -> str:
        """Return the text of a Python module that maps positions, velocities and efforts from A to B, and back.

        Raises:
            UsageError: some positions have no counterpart in the other robot, or the map is a guess.
        """
        from .export.adapter_writer import adapter_of

        return adapter_of(self).text


Source = Union[str, "os.PathLike[str]", RawRobot]


def compare(
    a: Source,
    b: Source,
    *,
    given: Optional[Given] = None,
    names: Literal["auto", "equal", "structure"] = "auto",
    aspects: AbstractSet[str] = frozenset(ASPECTS),
    tolerance: Union[float, Tolerances] = 1e-4,
    fail_on: Iterable[str] = (),
    scale: float = 1.0,
) -> Comparison:
    """Return how two robots differ: files of URDF, xacro, MJCF, SDF, JSON of the model or of an armature.

    Args:
        a, b: paths, or robots that `read_robot` returned.
        given: a map of joints, in the place of the one that is looked for.
        names: auto, equal, or structure: how joints are matched.
        aspects: of ASPECTS; what is left out makes no difference.
        tolerance: the largest bound [m and rad] that still counts as rounding.
        fail_on: of FAIL_ON, such as signs, zeros, names, order; these make the result false, and its `exit_code` 1, also
            for the same robot.
        scale: A is compared this many times as large.

    Raises:
        UrdfError: a file cannot be read as a robot, or neither has anything to compare.
        UsageError: a word of `fail_on` does not exist.
    """
    words = read_fail_on(fail_on)
    first, second = (
        source if isinstance(source, RawRobot) else read_robot(source) for source in (a, b)
    )
    refuse_nothing(first, second)
    return Comparison._make(
        compare_raw(
            first,
            second,
            given=given,
            names=names,
            aspects=aspects,
            tolerance=tolerance,
            fail_on=words,
            scale=scale,
        )
    )


__all__ = [
    "ASPECTS",
    "Comparison",
    "Difference",
    "FAIL_ON",
    "Given",
    "GivenJoint",
    "RawRobot",
    "Tolerances",
    "as_json",
    "as_text",
    "compare",
    "read_robot",
    "text_of",
]
