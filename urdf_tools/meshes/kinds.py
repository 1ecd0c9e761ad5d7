"""The kinds of diagnostics about materials, images and other features of mesh files."""
from typing import Tuple

from ..base.diagnostics import Kind, NOTE, WARNING

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
    "mujoco-png": "MuJoCo shows no image of a URDF ({0}): the color of the visual is drawn instead (MJCF shows PNG)"},
    '<mesh filename="painted.obj"/> --mesh-format gltf')
MESH_FEATURE = Kind("mesh-feature", WARNING, "a mesh has something that is left out in another format",
    "nothing, if the result looks right", False, {
    "unread-lines": "{n0:line} of '{0}', which {n0:draws|draw} nothing here",
    "short-faces": "{n0:line} of '{0}' with fewer than three corners, which {n0:draws|draw} nothing",
    "no-record": "{n0:corner} of faces {n0:names|name} a '{0}' that is not there, and {n0:is|are} without it",
    "no-scene": "has no scene: every node that is not a child is drawn",
    "singular-node": "node '{0}' is scaled to nothing: it is left out",
    "at-rest": "has {0}: it is drawn as it is at rest",
    "lines": "points and lines are left out",
    "no-positions": "primitives without positions are left out",
    "morph-targets": "has morph targets: it is drawn without them",
    "vertex-colors": "has vertex colors, which are left out",
    "normals": "the normals of geometry '{0}' are left out: an index is beyond them, or a number is not finite",
    "coordinates": "the texture coordinates of geometry '{0}' are left out: an index is beyond them, or a number is "
        "not finite"}, '<mesh filename="lines.obj"/> --mesh-format gltf')
MESH_MERGED = Kind("mesh-merged", NOTE, "a planar part is merged into another, whose color it takes",
    "leave out --for mujoco", False, {
    "part": "planar part '{0}' is merged into '{1}' and takes its color"},
    '<mesh filename="meshes/sign.dae"/> --separate-dae-meshes --for mujoco')
MESH_KINDS: Tuple[Kind, ...] = (MESH_IMAGE, MESH_FEATURE, MESH_MERGED)
