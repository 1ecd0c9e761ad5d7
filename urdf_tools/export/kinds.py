"""Every kind of diagnostic that only the package has: of exports, of other mesh formats, of a consumer."""
from typing import Tuple

from ..base.diagnostics import ERROR, Kind, NOTE, WARNING
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
MESH_IMAGE = Kind("mesh-image", WARNING, "a material or an image of a mesh is missing, or is not shown",
    "copy the file there; --mesh-format gltf is drawn with PNG and JPEG", False, {
    "no-library": "the material file '{0}' is not there",
    "no-material": "the material '{0}' is in no material file",
    "alpha": "material '{0}' has an alpha of {n0:.3g}; it is taken as opaque",
    "not-there": "the image '{0}' is not there: a flat color is used",
    "not-packed": "the image '{0}' is not in the archive: a flat color is used",
    "not-unpacked": "the image '{0}' cannot be unpacked ({1}): a flat color is used",
    "too-large": "the image '{0}' is larger than {n0} bytes: a flat color is used",
    "unreadable": "the image '{0}' {1}: a flat color is used",
    "unknown": "the image '{0}' is of an unknown format: a flat color is used",
    "no-image": "textures[{n0}] has no image that is read here: a flat color is used",
    "not-gltf": "the image '{0}' is neither PNG nor JPEG, which glTF needs: a flat color is used",
    "no-coordinates": "material '{0}' shows an image, but has no texture coordinates: a flat color is used",
    "drake-jpeg": "Drake draws no OBJ that shows a JPEG ({0}): --mesh-format gltf is drawn with it; MuJoCo reads PNG "
        "only",
    "mujoco-jpeg": "MuJoCo shows no image of a URDF ({0}): the color of the visual is drawn instead",
    "mujoco-png": "MuJoCo shows no image of a URDF ({0}): the color of the visual is drawn instead (--mjcf shows PNG)"},
    'a visual whose OBJ names an MTL file that is not there, and --mesh-format gltf')
MESH_FEATURE = Kind("mesh-feature", WARNING, "a mesh has something that is left out in another format",
    "nothing, if the result looks right", False, {
    "unread-lines": "{n0:line} of '{0}', which {n0:draws|draw} nothing here",
    "no-scene": "has no scene: every node that is not a child is drawn",
    "singular-node": "node '{0}' is scaled to nothing: it is left out",
    "at-rest": "has {0}: it is drawn as it is at rest",
    "lines": "points and lines are left out",
    "no-positions": "primitives without positions are left out",
    "morph-targets": "has morph targets: it is drawn without them",
    "vertex-colors": "has vertex colors, which are left out",
    "normals": "the normals of geometry '{0}' are left out: an index is beyond them, or a number is not finite",
    "coordinates": "the texture coordinates of geometry '{0}' are left out: an index is beyond them, or a number is "
        "not finite"},
    'a visual whose glTF has animations, and --mesh-format obj')
MESH_MERGED = Kind("mesh-merged", NOTE, "a planar part is merged into another, whose color it takes",
    "leave out --planar merge", False, {
    "part": "planar part '{0}' is merged into '{1}' and takes its color"},
    'a visual with a decal, and --planar merge')
EXPORT_KINDS: Tuple[Kind, ...] = (*KINDS, NOT_LOADED, INVISIBLE, MESH_IMAGE, MESH_FEATURE, MESH_MERGED)
