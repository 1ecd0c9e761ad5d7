"""Every kind of diagnostic that only the package has: of exports, of a consumer."""
from typing import Tuple

from ..base.diagnostics import ERROR, Kind, NOTE, WARNING

NOT_LOADED = Kind("not-loaded", ERROR, "the consumer of --for cannot load it", "", False, {
    "lost-package": "'{1}' is not found: --package NAME=PATH",
    "lost": "'{1}' is not found: copy the file there",
    "convert": "'{1}' is of a format that it does not read: --mesh-format obj",
    "format": "'{1}' is of a format that it does not read: convert it by hand",
    "package": "'{1}' is a name of ROS: --mesh-paths relative",
    "several": "'{1}' holds several objects, and it reads the first only: make a file of each",
    "broken": "'{1}' {2}: replace it",
    "massless": "link '{1}' moves and has no mass: give it an <inertial> (urdf-simplify lint --fix does)",
    "massless-urdf": "link '{1}' moves and has no mass: give it an <inertial> in the URDF; {2} "
        "is fine",
    "inertia": "link '{1}': {2}: correct its <inertia> (urdf-simplify lint --fix does)",
    "color": "material '{1}' has another color than before: rename it",
    "follower": "joint '{1}' is fixed and has a <mimic>: remove its <mimic>",
    "leader": "joint '{1}' mimics '{2}', which is fixed: remove its <mimic>",
    "planar": "'{1}' is planar: --strip its name, or give it a thickness"},
    '<mesh filename="arm.step"/> and --for mujoco')
INVISIBLE = Kind("invisible", WARNING, "most shapes are missing in an export", "--package NAME=PATH", False, {
    "shapes": "{0}: {n0} of {n1:shape} cannot be seen, as their meshes are not found (--package NAME=PATH says where a "
        "package is)"},
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="gone.stl"/></geometry></visual></link></robot> '
    'export leg.xml')
EXPORT_LEFT_OUT = Kind("export-left-out", WARNING, "an export is without a shape, a file or a frame",
    "correct it, or give the file; --package NAME=PATH says where a package is", False, {
    "size": "link '{0}': a {1} of size zero ({2}) is left out of {3}",
    "sensor": "sensor '{0}' is left out of {1}, which has no link or joint for it",
    "sensor-usd": "sensor '{0}' is left out of {1}: each program has prims of its own for sensors",
    "texture-usd": "texture '{0}' is left out of {1}: name it in the mesh file, with coordinates for it",
    "meshes-usd": "{n0:mesh file} {n0:is|are} left out of {0} (--usd-meshes none)",
    "frame": "frame '{0}' is left out of {1}, which has no body for its link",
    "world-mass": "link '{0}' is the world itself: its mass of {n0} kg is left out of {1}",
    "mesh-missing": "mesh '{0}' not found: left out of {1}",
    "mesh-name-kept": "mesh '{0}' not found: {1} names it as the URDF does",
    "mesh-by-script": "mesh '{0}' not found: import_armature.py must find it by --mesh-dir",
    "mesh-broken": "mesh '{0}' is left out of {2}: {1}",
    "mesh-collada": "mesh '{0}' is left out of {1}: it is COLLADA, and could not be converted",
    "mesh-format": "mesh '{0}' is left out of {1}, which reads STL and OBJ: --mesh-format obj converts glTF",
    "mesh-planar": "mesh '{0}' is left out of {1}: it is planar, and a collision",
    "mesh-large": "mesh '{0}' is left out of {1}: it has {n0:face}, and {n1} are read",
    "mesh-small": "mesh '{0}' is left out of {1}: it has fewer than two faces",
    "texture": "texture '{0}' is left out of {1}, which needs coordinates for it: name it in the MTL of an OBJ file",
    "bone": "link '{0}' is in no bone of the {1}, as it is between joined joints: --one-bone-per-joint gives it one"},
    '<collision><geometry><sphere radius="0"/></geometry></collision> export leg.xml')
EXPORT_MISREAD = Kind("export-misread", WARNING, "an export is without a value that a simulator would misread",
    "correct it in the URDF, if it is not what is meant", False, {
    "bounds": "joint '{0}': lower is above upper: it has no limits in {1}",
    "negative": "joint '{0}': its {1} is negative ({n0}): it has none in {2}",
    "unbounded": "joint '{0}': {1} 0 would be any {1} in {2}: it is not written",
    "locked": "joint '{0}': {1} 0 would lock it in {2}: it is not written",
    "tensor-alone": "link '{0}' has a tensor and a mass of 0: it is no body in {1} (Drake would take 1 kg for it, "
        "libsdformat 0 kg)",
    "package": "mesh '{0}' is named by its package, which MuJoCo cannot follow in {1}",
    "loop": "<joint> '{0}' of <gazebo> may close a loop, and Drake does not load one in {1}"},
    '<limit lower="1" upper="-1" effort="10" velocity="1"/> export leg.sdf')
EXPORT_ACTUATOR = Kind("export-actuator", WARNING, "a joint is not driven in an export as the URDF says",
    "--actuators, or an effort in its <limit>", False, {
    "effort": "joint '{0}' has no effort: no actuator in {1}",
    "several": "joint '{0}': of {n0} ways to drive it one is in {1}",
    "gain": "joint '{0}': its position or velocity servo has no gain: it is a motor in {1}"},
    '<limit lower="-1" upper="1" effort="0" velocity="1"/> export leg.xml')
EXPORT_RENAMED = Kind("export-renamed", WARNING, "a name of the URDF is another in an export",
    "use the new name in what reads the export", False, {
    "link": "link '{0}' is named '{1}' in {2}, which reserves its name",
    "joint": "joint '{0}' is named '{1}' in {2}, where one name is for one thing",
    "sensor": "sensor '{0}' of '{1}' is named '{2}' in {3}, where each has its own name",
    "robot-usd": "robot '{0}' is named '{1}' in {2}, whose names are letters, digits and _ (displayName is as before)",
    "link-usd": "link '{0}' is named '{1}' in {2}, whose names are letters, digits and _ (displayName is the old one)",
    "joint-usd": "joint '{0}' is named '{1}' in {2}, whose names are letters, digits and _, each once (its displayName "
        "is the old one)"},
    '<link name="a::b"/><joint name="j" type="fixed"><child link="a::b"/></joint> export leg.sdf')
EXPORT_NEAREST = Kind("export-nearest", NOTE, "an export has the nearest of what a simulator takes", "", False, {
    "held": "link '{0}' has no mass and is held by the world: it has 1e-9 kg in {1}, where PhysX needs a body",
    "point": "link '{0}' has a tensor of zeros, which {1} takes for none: it has 1e-9 kg m^2 there",
    "one-body": "link '{0}' has no mass and is between two joints, which are in one body of {1}"},
    '<inertial><mass value="1"/></inertial> export leg.usda')
EXPORT_READER = Kind("export-reader", NOTE, "what reads an export must be new enough, or needs the URDF too", "", False,
    {
    "version": "{2} 1.{n0}, for {0}: {1} or newer reads it",
    "prefix": "{0} is not defined in {2}: written with the prefix {1}, which Gazebo and Drake pass over",
    "prefix-of": "{0} of '{1}' is not defined in {3}: written with the prefix {2}, which Gazebo and Drake pass over",
    "urdf": "transmissions and ros2_control are not in {0}: they are read from the URDF"},
    '<gazebo reference="shin"><unknown/></gazebo><gazebo><odd/></gazebo> export leg.sdf')
EXPORT_LOOK = Kind("export-look", WARNING, "a simulator shows less of a mesh than its file",
    "--mesh-format obj makes a file of each object and color; an image must be a PNG", False, {
    "objects": "of the objects in '{0}' only the first is in {1}",
    "materials": "of the materials in '{0}' only one color is in {1}",
    "image-missing": "image '{0}' is not shown in {1}: there is no such file",
    "image-no-coordinates": "image '{0}' is not shown in {1}: its mesh has no texture coordinates",
    "image-unreadable": "image '{0}' is not shown in {2}: it {1}",
    "image-format": "image '{0}' is not shown in {1}, which reads PNG: convert it, and name the PNG in the mesh file",
    "image-damaged": "image '{0}' is not shown in {1}: a checksum or its end is missing in the PNG",
    "image-stl": "image '{0}' is not shown in {1}: STL holds none"}, '<mesh filename="painted.obj"/> export leg.xml')
EXPORT_ENGINE = Kind("export-engine", NOTE, "an engine reads an export otherwise than another one", "", False, {
    "gravity": "link '{0}' does not fall in PhysX; Newton has no word for that in {1}",
    "collisions": "no pairs are filtered in {0}, and both engines let all links of a robot collide that no joint "
        "joins: --srdf names those that never do",
    "damping": "MuJoCo 3.16 takes the damping of {0}, which is for each degree, as for each radian",
    "offset": "joint '{0}': MuJoCo 3.16 takes the offset of a follower in {1}, which is in degrees, as radians",
    "offset-physx": "joint '{0}': Newton 1.8 takes the offset of PhysX's own mimic in {1}, in degrees, as radians"},
    '<gazebo reference="shin"><turnGravityOff>true</turnGravityOff></gazebo> export leg.usda')
SCENE_KEPT = Kind("scene-kept", WARNING, "a scene that is there already shows another robot",
    "include the model in it, or move it away", False, {
    "scene": "'{0}' does not include '{1}'"}, "export leg.xml")
FORMAT_KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
