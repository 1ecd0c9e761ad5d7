"""The kinds of findings about a robot by itself, whatever a run would change."""
from typing import Tuple

from ..base.diagnostics import Kind, NOTE, WARNING

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
LINT_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
