"""`urdf_tools.lint("robot.urdf")`: problems of a robot description, and what simulators make of it.

    from urdf_tools import lint

    findings = lint("robot.urdf")
    print(findings, [finding.message for finding in findings if finding.severity == "error"])

The names are those of `lint_api`, which is loaded when one is asked for.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..lint_api import *  # noqa: F403
else:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "lint_api")
