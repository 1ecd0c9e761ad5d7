"""Every kind of diagnostic that only the package has: of exports, of other mesh formats, of a consumer."""
from typing import Tuple

from ..base.diagnostics import ERROR, Kind, WARNING
from ..base.kinds import KINDS

NOT_LOADED = Kind("not-loaded", ERROR, "the consumer of --for cannot load it", "", False, {
    "lost-package": "'{1}' is not found: --package NAME=PATH",
    "lost": "'{1}' is not found: copy the file there",
    "convert": "'{1}' is of a format that it does not read: --convert-meshes",
    "format": "'{1}' is of a format that it does not read: convert it by hand",
    "package": "'{1}' is a name of ROS: --mesh-paths relative",
    "several": "'{1}' holds several objects, and it reads the first only: --convert-meshes",
    "broken": "'{1}' {2}: replace it",
    "massless": "link '{1}' moves and has no mass: give it an <inertial>, or use --mjcf with "
        "--massless tiny",
    "massless-urdf": "link '{1}' moves and has no mass: give it an <inertial> in the URDF; {2} "
        "is fine",
    "inertia": "link '{1}': {2}: correct its <inertia>, or use --mjcf with --inertia nearest",
    "inertia-urdf": "link '{1}': {2}: correct its <inertia> in the URDF; {3} is fine",
    "color": "material '{1}' has another color than before: rename it",
    "follower": "joint '{1}' is fixed and has a <mimic>: remove its <mimic>",
    "leader": "joint '{1}' mimics '{2}', which is fixed: remove its <mimic>",
    "planar": "'{1}' is planar: --strip its name, or give it a thickness"},
    '<mesh filename="arm.step"/> and --for mujoco')
INVISIBLE = Kind("invisible", WARNING, "most shapes are missing in an export", "--package NAME=PATH", False, {
    "shapes": "{0}: {n0} of {n1:shape} cannot be seen, as their meshes are not found (--package NAME=PATH says where a "
        "package is)"},
    '<mesh filename="package://robot/arm.stl"/> and --mjcf robot.xml')
EXPORT_KINDS: Tuple[Kind, ...] = (*KINDS, NOT_LOADED, INVISIBLE)
