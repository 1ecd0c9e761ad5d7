"""The kinds of findings about a robot by itself, independent of a run's changes: the texts are in kinds.md."""

from __future__ import annotations

from typing import Dict, Tuple

from ..base.diagnostics import ERROR, DiagnosticKind, NOTE, WARNING
from ..base.run_diagnostics import kinds_in
from ..base.run_diagnostics import (
    EXPORTED_TWICE,
    INERTIA,
    JOINT_TWICE,
    MASSLESS,
    MESH_NOT_FOUND,
    MESH_UNREADABLE,
    MIMIC,
    MISSING_INERTIA,
    NO_GEOMETRY,
    NO_LIMIT,
    PACKAGE_ASSUMED,
    REPAIRED,
    UNREADABLE_GEOMETRY,
    XACRO_TEXT,
    XML_DECLARATION,
)
from ..texts.text_pages import sections_of_page

ROWS = kinds_in(sections_of_page(__name__))
REFUSED = ROWS["refused"]
WOULD_CHANGE = ROWS["would-change"]
PACKAGE_UNKNOWN = ROWS["package-unknown"]
LINT_COMMENT = ROWS["lint-comment"]
IN_URDFDOM = ROWS["in-urdfdom"]
UNDEFINED_MATERIAL = ROWS["undefined-material"]
SAME_NAME = ROWS["same-name"]
LIMITS_REVERSED = ROWS["limits-reversed"]
LIMITS_EMPTY = ROWS["limits-empty"]
LIMITS_DEGREES = ROWS["limits-degrees"]
NO_DRIVE = ROWS["no-drive"]
FOLLOWER_LIMITS = ROWS["follower-limits"]
SOFT_LIMIT = ROWS["soft-limit"]
CONTROL_LIMIT = ROWS["control-limit"]
NAMES_NO_JOINT = ROWS["names-no-joint"]
CENTER_OUTSIDE = ROWS["center-outside"]
INERTIA_OUTSIDE = ROWS["inertia-outside"]
INERTIA_UNIT = ROWS["inertia-unit"]
TOO_DENSE = ROWS["too-dense"]
MASS_UNIT = ROWS["mass-unit"]
INERTIA_SLOTS = ROWS["inertia-slots"]
LIKE_SHAPE = ROWS["inertia-like-shape"]
TOO_LIGHT = ROWS["too-light"]
UNITS = ROWS["units-mm"]
ODD_AXIS = ROWS["odd-axis"]
JOINT_FAR = ROWS["joint-far-from-parts"]
MESH_SCALE = ROWS["mesh-scale"]
INERTIA_SIGN = ROWS["inertia-sign"]
INERTIA_FRAME = ROWS["inertia-frame"]
ROUNDED_ANGLE = ROWS["rounded-angle"]
QUATERNION = ROWS["quaternion"]
NUMBER_NOISE = ROWS["number-noise"]
TILTED_TENSOR = ROWS["tilted-tensor"]
ELEMENT_TWICE = ROWS["element-twice"]
MISSPELLED = ROWS["misspelled"]
UNREAD = ROWS["unread-words"]
MACROS_ALONE = ROWS["macros-alone"]
MACRO_TWICE = ROWS["macro-twice"]
UNBOUND_PREFIX = ROWS["unbound-prefix"]
UNNAMED_MATERIAL = ROWS["unnamed-material"]
ABSOLUTE_PATH = ROWS["absolute-path"]
MESH_SPELLING = ROWS["mesh-spelling"]
MESH_UNOPENED = ROWS["mesh-unopened"]
OVERLAP = ROWS["overlap"]
NO_COLLISION = ROWS["no-collision"]
COLLISION_OFF = ROWS["collision-off"]
COLLISION_VISUAL = ROWS["collision-visual"]
MESH_UNIT = ROWS["mesh-unit"]
LEFT_RIGHT = ROWS["left-right"]
HULL_OVERHANG = ROWS["hull-overhang"]
IN_MUJOCO = ROWS["in-mujoco"]
IN_GAZEBO = ROWS["in-gazebo"]
IN_READERS = ROWS["in-readers"]
IN_DRAKE = ROWS["in-drake"]
IN_NEWTON = ROWS["in-newton"]
IN_PYBULLET = ROWS["in-pybullet"]
LINT_KINDS = tuple(ROWS.values())
# Faults that some parser or simulator refuses, with the cure that a run prints.
REFUSED_BY_SOME = (
    NO_GEOMETRY,
    UNREADABLE_GEOMETRY,
    MISSING_INERTIA,
    NO_LIMIT,
    MIMIC,
    INERTIA,
    MASSLESS,
)
# Kinds of reading and planning that apply to the input, with their severity and the cure without a run.
OF_READING: Dict[DiagnosticKind, Tuple[str, str]] = {
    REPAIRED: (ERROR, "separate the numbers by blanks: parsers refuse commas"),
    XACRO_TEXT: (WARNING, XACRO_TEXT.hint),
    XML_DECLARATION: (ERROR, "move it to the front"),
    **{kind: (ERROR, kind.hint) for kind in REFUSED_BY_SOME},
    EXPORTED_TWICE: (WARNING, "remove one of them, or: urdf-simplify ROBOT --count-once"),
    JOINT_TWICE: (ERROR, "rename one"),
    MESH_NOT_FOUND: (WARNING, MESH_NOT_FOUND.hint),
    MESH_UNREADABLE: (ERROR, MESH_UNREADABLE.hint),
    PACKAGE_ASSUMED: (NOTE, PACKAGE_ASSUMED.hint),
}
