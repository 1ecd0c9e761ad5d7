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
LINT_COMMENT = Kind("lint-comment", WARNING, "a comment for lint that ignores nothing", "correct or remove it",
    False, {
    "reason": "<!-- lint-ignore KIND: reason --> without its reason ignores nothing",
    "unknown": "<!-- lint-ignore {0} -->: unknown kind{1}",
    "unused": "<!-- lint-ignore {0} --> ignores nothing: there is no such finding here"},
    '<robot name="r"><!-- lint-ignore left-right: old --><link name="a"/></robot>')

IN_URDFDOM = Kind("in-urdfdom", ERROR, "urdfdom, with which ROS and Pinocchio read, refuses the file or drops a part",
    "write what is missing", False, {
    "lacks": "<{0}> of '{1}' has no {2}: urdfdom refuses the file",
    "number": "{2}=\"{3}\" of the <{0}> of '{1}' is no number: urdfdom refuses the file",
    "part": "<{0}> in '{1}' has no {2}: urdfdom drops it, and the rest of the link after it",
    "capsule": "<capsule> in '{0}': urdfdom drops it, and the rest of the link after it, but for <robot "
        "version=\"1.1\">",
    "twice": "material '{0}' is defined again: urdfdom refuses the file",
    "empty": "material '{0}' has neither a color nor an image: urdfdom drops it",
    "color": "rgba=\"{1}\" in '{0}' has a part that is no number from 0 to 1: urdfdom drops it",
    "version": "version=\"{0}\": urdfdom refuses the file, as it reads 1.0, 1.1 and 1.2",
    "encoding": "the file is in {0}: urdfdom, which reads UTF-8, refuses it",
    "instruction": "<?...?> behind the first line: urdfdom refuses the file"},
    '<limit lower="-1" upper="1"/>')
UNDEFINED_MATERIAL = Kind("undefined-material", WARNING, "a material is named, and nothing says what it is",
    "define it, or correct the name", False, {
    "name": "material '{0}' is defined nowhere: it is drawn gray"},
    '<visual><geometry><box size="1 1 1"/></geometry><material name="nowhere"/></visual>')
SAME_NAME = Kind("same-name", ERROR, "two joints have one name",
    "rename one: parsers refuse this", False, {
    "joint": "joint '{0}' is defined twice, first in line {n0}"},
    '<link name="a"/><joint name="knee"><child link="a"/></joint>')
LIMITS_REVERSED = Kind("limits-reversed", ERROR, "the lower limit is above the upper one", "swap them", False, {
    "joint": "joint '{0}': lower {n0:.4g} is above upper {n1:.4g}"},
    '<limit lower="1" upper="-1" effort="1" velocity="1"/>')
LIMITS_EMPTY = Kind("limits-empty", WARNING, "a joint with one position",
    "write its range, or make it fixed or continuous", False, {
    "joint": "joint '{0}': both limits are {n0:.4g}, so it cannot move"},
    '<limit lower="0" upper="0" effort="1" velocity="1"/>')
LIMITS_DEGREES = Kind("limits-degrees", WARNING, "limits that seem to be degrees: URDF has radians", "write radians",
    False, {
    "joint": "joint '{0}': its limits {n0:.4g} and {n1:.4g} would be {n2:.3g} turns"},
    '<limit lower="-90" upper="45" effort="1" velocity="1"/>')
NO_DRIVE = Kind("no-drive", WARNING, "a joint that cannot be driven: its effort or velocity limit is zero or negative",
    "write the greatest effort and velocity", False, {
    "zero": "joint '{0}': its {1} limit is 0: it cannot be driven",
    "negative": "joint '{0}': its {1} limit is {n0:.4g}"},
    '<limit lower="-1" upper="1" effort="0" velocity="1"/>')
FOLLOWER_LIMITS = Kind("follower-limits", WARNING, "a joint leaves its limits when it follows another",
    "correct its limits, or multiplier and offset", False, {
    "joint": "joint '{0}' follows '{1}' from {n0:.4g} to {n1:.4g}, and its limits are {n2:.4g} and {n3:.4g}"},
    '<link name="a"/><joint name="toe"><child link="a"/><mimic joint="knee" multiplier="3"/></joint>')
CENTER_OUTSIDE = Kind("center-outside", WARNING, "a center of mass far outside all shapes of its link",
    "correct the origin of <inertial>", False, {
    "link": "link '{0}': its center of mass is {n0:.4g} mm outside its shapes, which are {n1:.4g} mm wide there"},
    '<inertial><origin xyz="0 0 3"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" '
    'izz="0.01"/></inertial>')
INERTIA_OUTSIDE = Kind("inertia-outside", WARNING, "an inertia that no mass inside the shapes of the link can have",
    "correct it in CAD, or draw the link whole", False, {
    "link": "link '{0}': its inertia is too large for its shapes (radius of gyration {n0:.4g} mm, at most {n1:.4g} mm "
        "fits)",
    "made-up": "link '{0}': three equal moments ({n2:.4g}) look like a placeholder: the radius of gyration is {n0:.4g} "
        "mm, and at most {n1:.4g} mm fits its shapes"},
    '<inertial><mass value="1"/><inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2"/></inertial>')
INERTIA_UNIT = Kind("inertia-unit", ERROR, "an inertia that is a power of ten too large for the shapes of its link",
    "divide it: URDF has kg m^2", False, {
    "link": "link '{0}': its inertia is {n2:,.0f} times too large for its shapes (radius of gyration {n0:.4g} mm, at "
        "most {n1:.4g} mm fits)"},
    '<inertial><mass value="1"/><inertia ixx="10000" ixy="0" ixz="0" iyy="20000" iyz="0" izz="20000"/></inertial>')
TOO_DENSE = Kind("too-dense", WARNING, "a mass that is heavier than osmium in the hull of its shapes",
    "correct the mass (kg), or draw the link whole", False, {
    "link": "link '{0}': {n0:.4g} kg in {n1:.4g} cm^3 are {n2:.3g} kg/m^3"},
    '<inertial><mass value="1e9"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>')
MASS_UNIT = Kind("mass-unit", ERROR, "a mass that seems to be in grams", "divide it by a thousand: URDF has kg",
    False, {
    "link": "link '{0}': {n0:.4g} kg in {n1:.4g} cm^3 are {n2:.3g} kg/m^3; a thousandth is usual"},
    '<inertial><mass value="4000"/><inertia ixx="0.05" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.05"/></inertial>')
INERTIA_SLOTS = Kind("inertia-slots", ERROR, "the numbers of an inertia are in the wrong places",
    "write them as ixx ixy ixz iyy iyz izz", False, {
    "order": "link '{0}': no body has this inertia; its numbers are one in the order {1}",
    "rows": "link '{0}': iyy is ixy: the rows of a matrix are in the places of its six numbers, and izz is lost"},
    '<inertial><mass value="1"/><inertia ixx="0.02" ixy="0.03" ixz="0.04" iyy="0.001" iyz="0" izz="0"/></inertial>')
LIKE_SHAPE = Kind("inertia-like-shape", NOTE, "an inertia that is that of the visuals of its link, but for one error",
    "correct it, or: edit ROBOT --inertia-from 'visual LINK'", False, {
    "negated": "link '{0}': its inertia is that of its visuals, of uniform density, with the products negated",
    "permuted": "link '{0}': its inertia is that of its visuals, of uniform density, with the axes exchanged",
    "origin": "link '{0}': its inertia is that of its visuals, of uniform density, about the origin of the link, and "
        "not about the center of mass",
    "turned": "link '{0}': its inertia is that of its visuals, of uniform density, about other axes"},
    '<visual><geometry><box size="0.1 0.2 0.3"/></geometry></visual><inertial><mass value="12"/><inertia ixx="0.05" '
    'ixy="0" ixz="0" iyy="0.13" iyz="0" izz="0.1"/></inertial>')
TOO_LIGHT = Kind("too-light", WARNING, "the robot is lighter than air in the boxes around its shapes",
    "correct the masses (kg), or the lengths (m)", False, {
    "robot": "{n0:.4g} kg in {n1:.4g} m^3 are {n2:.2g} kg/m^3"},
    '<visual><geometry><box size="5 5 5"/></geometry></visual>')
UNITS = Kind("units-mm", ERROR, "lengths that are not in meters", "divide them: URDF has meters", False, {
    "robot": "{n0:.4g} kg in {n1:.4g} m^3 are {n2:.2g} kg/m^3; with lengths in {0} that is usual"},
    '<visual><geometry><box size="100 400 100"/></geometry></visual>')
JOINT_FAR = Kind("joint-far-from-parts", WARNING, "a joint turns about an axis far from all that is drawn beside it",
    "correct its origin: it may be in another frame", False, {
    "joint": "'{0}' turns about an axis that is {n0:.3g} m from all that is drawn of '{1}' and '{2}' (at most "
        "{n1:.3g} m long): is its origin in another frame?"},
    '<link name="toe"><visual><origin xyz="0 0 -9"/><geometry><box size="1 1 1"/></geometry></visual></link><joint '
    'name="far" type="continuous"><origin xyz="0 0 9"/><parent link="shin"/><child link="toe"/></joint>')
MESH_SCALE = Kind("mesh-scale", ERROR, "visual and collision of a link differ by a power of ten",
    "correct the scale of one: URDF has meters", False, {
    "link": "link '{0}': its visuals are {n0:.4g} mm long, and its collisions {n1:.4g} mm"},
    '<link name="shin"><visual><geometry><box size="0.1 0.4 0.1"/></geometry></visual><collision><geometry><box '
    'size="100 400 100"/></geometry></collision></link>')
INERTIA_SIGN = Kind("inertia-sign", WARNING, "products of inertia of left and right have the wrong signs to each other",
    "negate it on the side that is wrong", False, {
    "link": "links '{0}' and '{1}' have one tensor, but not as mirror images: the sign of {2} is wrong on one side"},
    '<link name="left_toe"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0.003" ixz="0" iyy="0.02" iyz="0" '
    'izz="0.02"/></inertial></link><link name="right_toe"><inertial><mass value="1"/><inertia ixx="0.01" ixy="0.003" '
    'ixz="0" iyy="0.02" iyz="0" izz="0.02"/></inertial></link><joint name="left_joint" type="continuous"><origin '
    'xyz="0 0.1 0"/><parent link="base_link"/><child link="left_toe"/></joint><joint name="right_joint" '
    'type="continuous"><origin xyz="0 -0.1 0"/><parent link="base_link"/><child link="right_toe"/></joint>')
INERTIA_FRAME = Kind("inertia-frame", WARNING, "principal moments without the axes that the other side has",
    "write the rpy of the origin of <inertial>", False, {
    "link": "link '{0}' has the principal moments of '{1}', but not its axes: the rpy of its <inertial> is missing"},
    '<link name="left_toe"><inertial><origin rpy="0.3 0 0"/><mass value="1"/><inertia ixx="0.01" ixy="0" ixz="0" '
    'iyy="0.02" iyz="0" izz="0.025"/></inertial></link><link name="right_toe"><inertial><mass value="1"/><inertia '
    'ixx="0.01" ixy="0" ixz="0" iyy="0.02" iyz="0" izz="0.025"/></inertial></link><joint name="left_joint" '
    'type="continuous"><origin xyz="0 0.1 0"/><parent link="base_link"/><child link="left_toe"/></joint><joint '
    'name="right_joint" type="continuous"><origin xyz="0 -0.1 0"/><parent link="base_link"/><child link="right_toe"/>'
    '</joint>')
ROUNDED_ANGLE = Kind("rounded-angle", NOTE, "a right angle that is rounded so far that it matters", "write it whole",
    False, {
    "rpy": "{2} '{0}': rpy=\"{1}\" of its {3} is rounded by {n0:.2g} mrad"},
    '<visual><origin rpy="1.57 0 0"/><geometry><box size="1 1 1"/></geometry></visual>')
MISSPELLED = Kind("misspelled", WARNING, "a name that URDF does not define, and nearly one that it does",
    "correct it: parsers leave it out", False, {
    "element": "{3} '{0}': <{1}> is unknown: is <{2}> meant?",
    "attribute": "{4} '{0}': <{1} {2}=...> is unknown: is {3} meant?"},
    '<visual><orgin xyz="0 0 1"/><geometry><box size="1 1 1"/></geometry></visual>')
UNBOUND_PREFIX = Kind("unbound-prefix", WARNING, "undeclared XML prefix",
    "declare it in <robot xmlns:PREFIX=...>: parsers that know namespaces refuse the file", False, {
    "prefix": "the prefix '{0}' is not declared"}, '<robot name="r"><link name="a"/><sensor:camera name="b"/></robot>')
UNNAMED_MATERIAL = Kind("unnamed-material", ERROR, "a material without a name: urdfdom drops all shapes of its link",
    "give it a name", False, {"link": "link '{0}': this <material> has no name"},
    '<visual><geometry><box size="1 1 1"/></geometry><material><color rgba="1 0 0 1"/></material></visual>')
ABSOLUTE_PATH = Kind("absolute-path", WARNING, "a mesh is named by a path of one machine",
    "name it relative to the URDF, or with package://", False, {
    "mesh": "'{0}' is a path of one machine"}, '<mesh filename="/home/me/a.stl"/>')
OVERLAP = Kind("overlap", WARNING, "links that are no neighbors overlap with all joints at zero",
    "correct shapes or origins, or disable the pair in the SRDF", False, {
    "pair": "links '{0}' and '{1}' overlap by {n0:.3g} mm at least with all joints at zero, or as near as "
        "they may be"},
    '<link name="toe"><collision><origin xyz="0 0.4 0"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision>'
    '</link><joint name="t" type="continuous"><parent link="shin"/><child link="heel"/></joint><link name="heel"/>'
    '<joint name="u" type="continuous"><parent link="heel"/><child link="nail"/></joint><link name="nail"/>'
    '<joint name="v" type="continuous"><parent link="nail"/><child link="toe"/></joint>')
LEFT_RIGHT = Kind("left-right", WARNING, "left and right are not the mirror image of each other",
    "correct the side that is wrong", False, {
    "twin": "'{1}', with all that hangs on it, is the mirror image of '{0}' but for {2}",
    "small": "'{1}' and the mirror image of '{0}' differ a little, too: {2}",
    "type": "'{1}' is {3}, '{0}' is {4}",
    "shifted": "'{1}' is {2} along {3} of '{4}' from the mirror image of '{0}'",
    "along": "'{1}', with all that hangs on it, is {2} along its axis from the mirror image of '{0}'",
    "tilted": "the axis of '{1}' is turned by {2} from the mirror image of that of '{0}'",
    "limits": "the limits of '{1}' are {3}, those of '{0}' mirrored {4}",
    "effort": "the effort of '{1}' is {3}, that of '{0}' {4}",
    "velocity": "the velocity of '{1}' is {3}, that of '{0}' {4}",
    "mass": "the mass of '{1}' is {n0:.4g} kg, that of '{0}' {n1:.4g} kg",
    "center": "the center of mass of '{1}' is {2} from the mirror image of that of '{0}'",
    "tensor": "the inertia of '{1}' differs by {2} from the mirror image of that of '{0}'",
    "tensor_turned": "the inertia of '{1}' is that of '{0}' about other axes than in a mirror"},
    '<link name="left_toe"/><link name="right_toe"/><joint name="left_joint" type="continuous"><origin xyz="0 0.1 0"/>'
    '<parent link="base_link"/><child link="left_toe"/></joint><joint name="right_joint" type="continuous"><origin '
    'xyz="0 -0.2 0"/><parent link="base_link"/><child link="right_toe"/></joint>')
HULL_OVERHANG = Kind("hull-overhang", NOTE, "the hull of a collision mesh fills a hollow",
    "collision ROBOT --link 'LINK=parts' where parts leave it free, else --link 'LINK=spheres'", False, {
    "parts": "link '{0}': the hull of '{1}', which MuJoCo takes, reaches {n0:.0f} mm off it at "
        "{n2:.3g} {n3:.3g} {n4:.3g} of the link, and {n1:.0f} % of it is hollow; hulls of its {n5:.0f} parts leave "
        "that free",
    "whole": "link '{0}': the hull of '{1}', which MuJoCo takes, reaches {n0:.0f} mm off it at "
        "{n2:.3g} {n3:.3g} {n4:.3g} of the link, and {n1:.0f} % of it is hollow"},
    '<collision><geometry><mesh filename="clamp.obj"/></geometry></collision>')
IN_MUJOCO = Kind("in-mujoco", NOTE, "MuJoCo reads it in another way than its author may expect", "", False, {
    "visuals": "MuJoCo discards visuals unless the file has <mujoco><compiler discardvisual=\"false\"/></mujoco>",
    "limit": "joint '{0}': a one-sided limit, or lower > upper, means unlimited in MuJoCo",
    "file": "MuJoCo opens no package:// name and no file that is not there: {n0:mesh file}, such as '{0}'",
    "size": "link '{0}': MuJoCo refuses a collision with a size of zero",
    "stl": "'{0}': MuJoCo reads binary STL of 1 to 200000 triangles only",
    "floating": "joint '{0}': MuJoCo refuses a floating joint below other links",
    "moment": "link '{0}': MuJoCo refuses a moment of inertia of zero",
    "fused": "MuJoCo fuses links on fixed joints with their parents: {n0:joint}",
    "root": "MuJoCo holds the root '{0}' in the world: its {n0:.4g} kg, with all that is fixed to it, do not count",
    "material": "link '{0}': MuJoCo draws a visual without <material> in the color of the visual before",
    "mesh": "'{0}': MuJoCo cannot read this format",
    "drawn": "'{0}': MuJoCo cannot read this format, and discards the visual",
    "inertia": "link '{0}': principal moments with A + B < C are an error in MuJoCo"},
    '<visual><geometry><box size="1 1 1"/></geometry></visual>')
IN_GAZEBO = Kind("in-gazebo", NOTE, "Gazebo makes something else of it than its author may expect", "", False, {
    "lumped": "joint '{0}': Gazebo merges this fixed joint (preserveFixedJoint keeps it)",
    "dropped": "link '{0}': Gazebo drops a link without <inertial>, and its subtree",
    "light": "link '{0}': Gazebo drops a link of 1e-6 kg or less, and its subtree",
    "root": "link '{0}': Gazebo drops a root without <inertial>, with the whole robot",
    "nothing": "link '{0}': Gazebo drops a link without <inertial>, and nothing is left of the robot",
    "name": "'{0}' is a link and a joint: sdformat, where names are unique, refuses the file",
    "joint": "joint '{0}': sdformat refuses a {1} joint of a URDF",
    "version": "version=\"{0}\": urdfdom before 5, which Gazebo comes with, refuses the file"},
    '<link name="toe"/><joint name="toe_joint"><child link="toe"/></joint>')
IN_READERS = Kind("in-readers", NOTE, "readers of URDF differ in what they make of it", "", False, {
    "root": "KDL (RViz, MoveIt) ignores the inertia of the root '{0}': edit --add-root cures it",
    "colors": "material '{0}' has two colors: Drake refuses them, and other readers differ in which they take",
    "follower": "joint '{0}' follows a joint, and one of both is fixed: Drake and Newton refuse the file"},
    '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>')
IN_DRAKE = Kind("in-drake", NOTE, "Drake refuses the file for it", "export to SDF or URDF --for drake", False, {
    "file": "Drake refuses a mesh that is not there: {n0:mesh file}, such as '{0}'",
    "mesh": "Drake collides with .obj, .gltf and .vtk alone: {n0:mesh file}, such as '{0}'",
    "size": "link '{0}': Drake refuses a size of zero",
    "package": "Drake finds no package by itself: {n0:mesh file}, such as '{0}'",
    "damping": "joint '{0}': Drake refuses a negative damping",
    "loop": "Drake refuses a <loop_joint>",
    "texture": "Drake refuses an image that it does not find: '{0}'",
    "transmission": "transmission '{0}' has no type: Drake refuses the file"},
    '<transmission name="t"><joint name="knee"/></transmission>')
IN_NEWTON = Kind("in-newton", NOTE, "Newton reads it otherwise than its author may expect", "", False, {
    "file": "Newton finds a package only above the URDF: {n0:mesh file} {n0:is|are} left out, such as '{0}'",
    "moment": "Newton adds 1e-6 kg m^2 to moments below 1e-10, or below 1e-6 of the largest: {n0:link}, such as "
        "'{0}'"},
    '<link name="shin"><inertial><mass value="1"/><inertia ixx="0" ixy="0" ixz="0" iyy="0" iyz="0" izz="0"/></inertial>'
    '</link>')
IN_PYBULLET = Kind("in-pybullet", NOTE, "PyBullet refuses the file for it", "export to URDF --mesh-format obj", False, {
    "mesh": "PyBullet cannot read the format of {n0:mesh file}, such as '{0}'"},
    '<visual><geometry><mesh filename="a.glb"/></geometry></visual>')
# What reading and planning find about the input, by severity, and what to do: without a run to correct it.
OF_READING: Dict[Kind, Tuple[str, str]] = {
    REPAIRED: (ERROR, "separate the numbers by blanks: parsers refuse commas"),
    XACRO_TEXT: (WARNING, XACRO_TEXT.hint), NO_GEOMETRY: (ERROR, NO_GEOMETRY.hint),
    UNREADABLE_GEOMETRY: (ERROR, UNREADABLE_GEOMETRY.hint), MISSING_INERTIA: (ERROR, MISSING_INERTIA.hint),
    NO_LIMIT: (ERROR, NO_LIMIT.hint), MIMIC: (ERROR, MIMIC.hint), INERTIA: (ERROR, INERTIA.hint),
    MASSLESS: (ERROR, MASSLESS.hint),
    EXPORTED_TWICE: (WARNING, "remove one of them, or: urdf-simplify ROBOT --count-once"),
    JOINT_TWICE: (ERROR, "rename one"), MESH_NOT_FOUND: (WARNING, MESH_NOT_FOUND.hint),
    PACKAGE_ASSUMED: (NOTE, PACKAGE_ASSUMED.hint)}
LINT_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind) and row not in KINDS)
