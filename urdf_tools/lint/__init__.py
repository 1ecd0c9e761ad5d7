"""`urdf_tools.lint("robot.urdf")`: problems of a robot description, and how simulators read it.

    from urdf_tools import lint

    findings = lint("robot.urdf")
    print(findings, [finding.message for finding in findings if finding.severity == "error"])

The names come from `lint_api`, which is loaded when a name is first used.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..lint_api import *  # noqa: F403
else:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "lint_api")
