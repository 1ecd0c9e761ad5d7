"""The kinds of findings about a robot by itself, whatever a run would change."""
from typing import Dict, Tuple

from ..base.diagnostics import ERROR, Kind, NOTE, WARNING
from ..base.kinds import (EXPORTED_TWICE, INERTIA, JOINT_TWICE, MASSLESS, MESH_NOT_FOUND, MIMIC, MISSING_INERTIA,
    NO_GEOMETRY, NO_LIMIT, PACKAGE_ASSUMED, REPAIRED, UNREADABLE_GEOMETRY, XACRO_TEXT, KINDS)

REFUSED = Kind("refused", ERROR, "parsers refuse the file, or differ in what they read", "correct it", False, {
    "problem": "{0}"}, '<robot name="r"><link name="a"/><link name="b"/></robot>')
WOULD_CHANGE = Kind("would-change", ERROR, "--check: a run would change the file", "run it, and commit the result",
    False, {
    "urdf": "a run would change it: {0}",
    "companion": "{0}"}, '<axis xyz="1 0 0"/> --check --format json')
PACKAGE_UNKNOWN = Kind("package-unknown", NOTE, "no folder is known for a package, so its meshes are not looked at",
    "--package NAME=FOLDER", False, {
    "meshes": "package '{0}' is not found: {n0:file} of it {n0:is|are} not looked at"},
    '<mesh filename="package://nowhere/a.stl"/>')
LINT_COMMENT = Kind("lint-comment", WARNING, "a comment for --lint that ignores nothing", "correct or remove it",
    False, {
    "reason": "<!-- lint-ignore KIND: reason --> without its reason ignores nothing",
    "unknown": "<!-- lint-ignore {0} -->: unknown kind{1}",
    "unused": "<!-- lint-ignore {0} --> ignores nothing: there is no such finding here"},
    '<robot name="r"><!-- lint-ignore left-right: old --><link name="a"/></robot>')

LEFT_RIGHT = Kind("left-right", WARNING, "left and right are not the mirror image of each other",
    "correct the side that is wrong", False, {
    "type": "'{0}' is {2}, '{1}' is {3}",
    "axis": "the axis of '{0}' is {n0:.4g} {n1:.4g} {n2:.4g}, that of '{1}' {n3:.4g} {n4:.4g} {n5:.4g} (mirrored: "
        "{n6:.4g} {n7:.4g} {n8:.4g})",
    "limits": "the limits of '{0}' are {n0:.4g} {n1:.4g}, those of '{1}' {n2:.4g} {n3:.4g} (mirrored: {n4:.4g} "
        "{n5:.4g})",
    "origin": "the origin of '{0}' is {n0:.4g} {n1:.4g} {n2:.4g}, that of '{1}' {n3:.4g} {n4:.4g} {n5:.4g} (mirrored: "
        "{n6:.4g} {n7:.4g} {n8:.4g})",
    "mass": "the mass of '{0}' is {n0:.4g} kg, that of '{1}' {n1:.4g} kg",
    "center": "the center of mass of '{0}' is {n0:.4g} {n1:.4g} {n2:.4g}, that of '{1}' {n3:.4g} {n4:.4g} {n5:.4g} "
        "(mirrored: {n6:.4g} {n7:.4g} {n8:.4g})",
    "inertia": "the inertia of '{0}' is {n0:.3g} {n1:.3g} {n2:.3g} {n3:.3g} {n4:.3g} {n5:.3g}, that of '{1}' "
        "{n6:.3g} {n7:.3g} {n8:.3g} {n9:.3g} {n10:.3g} {n11:.3g} (mirrored: {n12:.3g} {n13:.3g} {n14:.3g} "
        "{n15:.3g} {n16:.3g} {n17:.3g})"},
    '<link name="left_toe"/><link name="right_toe"/><joint name="left_joint" type="continuous"><origin xyz="0 0.1 0"/>'
    '<parent link="base_link"/><child link="left_toe"/></joint><joint name="right_joint" type="continuous"><origin '
    'xyz="0 -0.2 0"/><parent link="base_link"/><child link="right_toe"/></joint>')
IN_MUJOCO = Kind("in-mujoco", NOTE, "MuJoCo reads it otherwise than its author may expect", "", False, {
    "visuals": "MuJoCo discards visuals unless the file has <mujoco><compiler discardvisual=\"false\"/></mujoco>",
    "limit": "joint '{0}': a one-sided limit, or lower > upper, means unlimited in MuJoCo",
    "material": "link '{0}': MuJoCo draws a visual without <material> in the color of the visual before",
    "mesh": "'{0}': MuJoCo cannot read this format",
    "inertia": "link '{0}': principal moments with A + B < C are an error in MuJoCo"},
    '<visual><geometry><box size="1 1 1"/></geometry></visual>')
IN_GAZEBO = Kind("in-gazebo", NOTE, "Gazebo makes something else of it than its author may expect", "", False, {
    "lumped": "joint '{0}': gz lumps this fixed joint unless preserveFixedJoint is set",
    "dropped": "link '{0}': gz drops a link without <inertial>, with all that hangs on it"},
    '<link name="toe"/><joint name="toe_joint"><child link="toe"/></joint>')
IN_READERS = Kind("in-readers", NOTE, "readers of URDF differ in what they make of it", "", False, {
    "root": "KDL warns about inertia on the root '{0}' and ignores it",
    "colors": "material '{0}' has two colors, and readers differ in which they take"},
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>')
# What reading and planning find about the input, by severity, and what to do: without a run to correct it.
OF_READING: Dict[Kind, Tuple[str, str]] = {
    REPAIRED: (ERROR, "separate the numbers by blanks: parsers refuse commas"),
    XACRO_TEXT: (WARNING, XACRO_TEXT.hint), NO_GEOMETRY: (ERROR, NO_GEOMETRY.hint),
    UNREADABLE_GEOMETRY: (ERROR, UNREADABLE_GEOMETRY.hint), MISSING_INERTIA: (ERROR, MISSING_INERTIA.hint),
    NO_LIMIT: (ERROR, NO_LIMIT.hint), MIMIC: (ERROR, MIMIC.hint), INERTIA: (ERROR, INERTIA.hint),
    MASSLESS: (ERROR, MASSLESS.hint), EXPORTED_TWICE: (WARNING, "remove one of them, or --coincident drop in a run"),
    JOINT_TWICE: (ERROR, "give each joint a name of its own"), MESH_NOT_FOUND: (WARNING, MESH_NOT_FOUND.hint),
    PACKAGE_ASSUMED: (NOTE, PACKAGE_ASSUMED.hint)}
LINT_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind) and row not in KINDS)
