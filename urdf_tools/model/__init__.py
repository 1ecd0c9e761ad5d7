"""The robot for other programs: typed, immutable records, read from URDF or JSON or built by hand.

    from urdf_tools import model

    robot = model.Robot.from_urdf("walker.urdf")
    print(robot.mass, robot.problems())
    open("walker.xml", "w").write(robot.to_mjcf())

Units are SI (m, kg, s, rad, N); lengths of shapes are full lengths. The names are defined in `model_api`, which is
loaded on first use: it imports the readers and writers of the records, and no record imports it.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..model_api import *  # noqa: F403
else:
    from ..lazy_names import lazy

    __getattr__, __dir__ = lazy(__name__, "model_api")
