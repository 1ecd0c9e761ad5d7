"""Calls of the package as users write them, for type checkers only: each call under `WRONG` must be refused, no other.

`make lint` checks it with mypy, `make judges` with pyright.
"""

from pathlib import Path

import urdf_tools
from urdf_tools import collision, compare, edit, export, lint, pairs, Robot, simplify

HERE = Path("robot.urdf")
PLAN = {"toe": "Y"}

# RIGHT
result = simplify(HERE, "out.urdf", keep=["imu_*"], split="color", for_="drake")
simplify("robot.urdf", axis=PLAN, snap=1e-3, package={"arm": HERE.parent}, merge=False)
edit("arm.urdf", "new.urdf", lock={"waist_*": 0.0, "knee": "middle"}, root="hand_palm")
edit("arm.urdf", set=["hip_*.effort=35"], zero="knee=1.57", density={"hand_*": 2700})
collision("a.urdf", HERE, shape="hull", link={"hand_*": "keep"}, collision_overhang="5mm")
pairs("a.urdf", "a.srdf", pairs_cells=1000)
written = export("a.urdf", "a.xml", HERE.with_suffix(".sdf"), base="fixed", visual_error=0.001)
written.after.joints[0].name.upper()
exit_code: int = compare("a.urdf", "b.urdf", tolerance=1e-6).exit_code
messages = [finding.message for finding in lint("a.urdf", package={"arm": "."})]
urdf_tools.compare("a", "b").text(full=True).splitlines()
Robot.from_file("a.urdf").to_urdf().strip()

# WRONG
simplify("robot.urdf", spilt="color")
simplify("robot.urdf", split="colour")
simplify("robot.urdf", snap="small")
simplify()
edit("arm.urdf", "new.urdf", lock=0.0)
edit("arm.urdf", drop=1)
collision("a.urdf", shape="cube")
pairs("a.urdf", pairs_cells="many")
export("a.urdf", "a.xml", base="held")
export("a.urdf", output=1)
compare("a.urdf", "b.urdf", tolerances=1e-6)
wrong = lint("a.urdf").message
