"""The kinds of what is found on the way to other collision shapes."""
from typing import Tuple

from ..base.diagnostics import Kind, NOTE, WARNING

COLLISION_LEFT = Kind("collision-left", WARNING, "a collision stays as it is, although another shape was asked for",
    "give the file, replace it, or --collision-link LINK=keep", True, {
    "not-found": "the mesh '{0}' of link '{1}' is not found, so its collision stays as it is (--package NAME=PATH says "
        "where a package is)",
    "unreadable": "the mesh '{0}' of link '{1}' {2}, so its collision stays as it is",
    "line": "all vertices of '{0}' of link '{1}' are on one line, so its collision stays as it is",
    "off-mesh": "{2} around '{0}' of link '{1}' stands {n0:.3g} mm off it, more than --collision-off-mesh allows: its "
        "collision stays as it is",
    "scale": "the mesh '{0}' of link '{1}' is scaled to nothing along an axis, so its collision stays as it is"},
    '<collision><geometry><mesh filename="gone.stl"/></geometry></collision> and --collision hull')
COLLISION_THIN = Kind("collision-thin", NOTE, "a mesh in one plane, or thinner than float32 tells, becomes a thin box",
    "give the part a thickness", False, {
    "box": "'{0}' of link '{1}' is flat: its collision becomes a box that is at least {n0:.3g} mm thick"},
    '<mesh filename="meshes/sign.dae"/> and --collision hull')
COLLISION_VERSION = Kind("collision-version", WARNING, "a capsule in a file of URDF 1.0 or 1.1",
    'write version="1.2" in <robot>, or choose another shape', False, {
    "capsule": "{n0:capsule}: <capsule> is URDF 1.2, which this file does not say it is; MuJoCo, Drake, and MJCF and "
        "SDF that are written have it"},
    "--collision capsule")
COLLISION_UNUSED = Kind("collision-unused", WARNING, "an option for collisions fits no link", "correct the name", False,
    {
    "link": "--collision-link {0}: no link with that name has a collision mesh"},
    "--collision-link nobody=box")

COLLISION_KINDS: Tuple[Kind, ...] = (COLLISION_LEFT, COLLISION_THIN, COLLISION_VERSION, COLLISION_UNUSED)
