"""The kinds of diagnostics of the model."""
from typing import Tuple

from ..base.diagnostics import Kind, WARNING

EXPORT_LOST = Kind("export-lost", WARNING, "a format cannot express something, and an export is without it",
    "ignore it if your simulator does not use it", False, {
    "element": "{0} cannot be expressed in {1}",
    "element-of": "{0} of '{1}' cannot be expressed in {2}",
    "sensor": "sensor '{0}' ({1}) has no counterpart in {2}",
    "loop": "loop '{0}' stays open in {1}",
    "mimic-unknown": "joint '{0}' mimics '{1}', which does not exist: it is free in {2}",
    "mimic-fixed": "joint '{0}' mimics '{1}', which does not move: it is free in {2}",
    "mimic-mixed": "joint '{0}' mimics '{1}', and one of them turns while the other slides: it is free in {2}",
    "mimic-slides": "joint '{0}' slides and mimics another one: it is free in {1} that is for Isaac alone",
    "mimic-circle": "joint '{0}' mimics '{1}' in a circle: it is free in {2}",
    "contacts": "link '{0}': contacts have no {1} in {2}",
    "geometry": "link '{0}': there is no {1} in {3}, so this {2} is left out",
    "material": "material '{0}': there is no {1} in {2}",
    "actuator": "actuator '{0}': there is no {1} in {2}",
    "surfaces": "link '{0}': its collisions have different surfaces, and {1} has one for a link: left out",
    "scripts": "link '{0}': its visuals have different material scripts, and {1} has one for a link: left out",
    "limits": "joint '{0}': the limits of a {1} joint are left out of {2}",
    "spring": "joint '{0}': the spring of a {1} joint is left out of {2}",
    "dynamics": "joint '{0}': damping and friction of a {1} joint are left out of {2}",
    "armature": "joint '{0}': there is no armature in {1}",
    "calibration": "joint '{0}': there is no safety_controller or calibration in {1}"},
    '<gazebo><plugin name="p" filename="f"/></gazebo> export leg.xml')
MODEL_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
