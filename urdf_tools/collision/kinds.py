"""The kinds of what is found on the way to other collision shapes."""
from typing import Tuple

from ..base.diagnostics import Kind, NOTE, WARNING

COLLISION_LEFT = Kind("collision-left", WARNING, "a collision stays as it is, although another shape was asked for",
    "give the file, another shape or limit, or --link LINK=keep", True, {
    "not-found": "the mesh '{0}' of link '{1}' is not found, so its collision stays as it is (--package NAME=PATH says "
        "where a package is)",
    "several-not-found": "the meshes of {n0:collision} are not found, so these stay as they are: {0} "
        "(--package NAME=PATH says where a package is)",
    "none-found": "none of the meshes of {n0:collision} is found, so nothing can be measured and no collision changes: "
        "{0} (--package NAME=PATH says where a package is)",
    "unreadable": "the mesh '{0}' of link '{1}' {2}, so its collision stays as it is",
    "line": "all vertices of '{0}' of link '{1}' are on one line, so its collision stays as it is",
    "off-mesh": "{2} around '{0}' of link '{1}' stands {n0:.3g} mm off it, more than --off-mesh allows: its "
        "collision stays as it is",
    "scale": "the mesh '{0}' of link '{1}' is scaled to nothing along an axis, so its collision stays as it is"},
    '<collision><geometry><mesh filename="gone.stl"/></geometry></collision> collision --shape hull')
COLLISION_THIN = Kind("collision-thin", NOTE, "a mesh in one plane, or thinner than float32 tells, becomes a thin box",
    "give the part a thickness", False, {
    "box": "'{0}' of link '{1}' is flat: its collision becomes a box that is at least {n0:.3g} mm thick"},
    '<collision><geometry><mesh filename="sheet.obj"/></geometry></collision> collision --shape hull')
COLLISION_OPEN = Kind("collision-open", NOTE,
    "an open mesh has no inside: how far spheres stand out is measured from its hull",
    "close the mesh, or take the result as it is", False, {
    "hull": "'{0}' of link '{1}' is open: its spheres hold all of it, and stand out over its hull as far as is said"},
    '<collision><geometry><mesh filename="sheet.obj"/></geometry></collision> collision --shape spheres')
COLLISION_VERSION = Kind("collision-version", WARNING, "a capsule in a file of URDF 1.0 or 1.1",
    'write version="1.2" in <robot>, or choose another shape', False, {
    "capsule": "{n0:capsule}: <capsule> is URDF 1.2, which this file does not say it is; MuJoCo, Drake, and MJCF and "
        "SDF that are written have it"},
    '<collision><geometry><mesh filename="cube.stl"/></geometry></collision> collision --shape capsule')
COLLISION_CONTACT = Kind("collision-contact", WARNING, "links touch that did not before",
    "choose a tighter shape for one of them with --link", True, {
    "zero": "'{0}' and '{1}' touch with all joints at zero, and did not before",
    "home": "'{0}' and '{1}' touch with all joints at zero, or at the limit next to it, and did not before"},
    '<link name="arm"><collision><geometry><mesh filename="cube.stl"/></geometry></collision></link>'
    '<joint name="shoulder"><origin xyz="0.3 0 -0.5"/><child link="arm"/></joint> collision --shape sphere')
COLLISION_UNUSED = Kind("collision-unused", WARNING, "an option for collisions fits no link, or no mesh",
    "correct the name, or give --from-visuals", False,
    {
    "link": "--link {0}: no link with that name has a collision mesh",
    "primitives": "no collision that is asked for has a mesh, so nothing changes: {n0:primitive} {n0:stays|stay} as "
        "{n0:it is|they are} (for shapes of the visuals remove {n0:it|them}, and give --from-visuals)",
    "none": "no link that is asked for has a collision, so nothing changes (--from-visuals makes them of the visuals)"},
    '<collision><geometry><mesh filename="cube.stl"/></geometry></collision> collision --link nobody=box')

PAIR_AT_HOME = Kind("pair-at-home", WARNING, "two meshes may touch at home: their hulls overlap",
    "collision --shape hull makes the hulls what is written", False, {
    "hulls": "the hulls of '{0}' and '{1}' overlap with all joints at zero, or at the limit next to it; the meshes may "
        "not, so the pair gets no line"},
    '<collision><geometry><mesh filename="cube.stl"/></geometry></collision><link name="arm"><collision>'
    '<origin xyz="0.2 0.2 0.2"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
    '<joint name="shoulder"><child link="arm"/><limit lower="0" upper="0.1" effort="1" velocity="1"/></joint>'
    '<limit lower="0" upper="0.1" effort="1" velocity="1"/> pairs')
PAIR_WRONG = Kind("pair-wrong", WARNING, "an SRDF says that two links never touch, and they do",
    "remove the line", True, {
    "alone": "'{0}' and '{1}' touch at {2}, where no other pair does that is looked at: the line of the SRDF hides it",
    "masked": "'{0}' and '{1}' touch at {2}; {3} touch there, too"},
    '<link name="arm"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>'
    '<joint name="shoulder"><child link="arm"/></joint> pairs never.srdf')
PAIR_UNLIMITED = Kind("pair-unlimited", WARNING, "joints without limits", "give them limits", False, {
    "turns": "{n0:joint} without limits: taken to turn all around: {0}",
    "slides": "{n0:joint} that {n0:slides|slide} or float{n0:s|} without limits: nothing is said of pairs across: {0}",
    "geared": "{n0:joint} without limits, which others follow so that they are elsewhere after a whole turn: nothing "
        "is said of pairs across, nor across what follows: {0}"},
    '<joint name="knee" type="floating"><parent link="base_link"/><child link="shin"/></joint> pairs')
PAIR_UNKNOWN = Kind("pair-unknown", WARNING, "a link whose shapes are not known", "give the file", False, {
    "shape": "a shape of '{0}' is not known: nothing is said of its pairs",
    "shapes": "shapes of {n0:link} are not known: nothing is said of their pairs: {0}",
    "none": "no link has shapes that are known, so nothing is said of any pair",
    "few": "fewer than two links have collisions, so there are no pairs (collision --shape hull --from-visuals "
        "makes some)"},
    '<collision><geometry><mesh filename="gone.stl"/></geometry></collision> pairs')
PAIR_HOLLOW = Kind("pair-hollow", NOTE, "meshes that are not convex: only their hulls are known to touch",
    "collision --shape hull makes hulls of them", False, {
    "meshes": "the meshes of {n0:link} are not convex: pairs of which the hulls meet, and no triangles are seen to "
        "cross, stay undecided: {0} (collision --shape hull makes hulls of them)"},
    '<link name="base_link"><collision><geometry><sphere radius="0.15"/></geometry></collision></link>'
    '<collision><geometry><mesh filename="ring.stl"/></geometry></collision> pairs')

COLLISION_KINDS: Tuple[Kind, ...] = (COLLISION_LEFT, COLLISION_THIN, COLLISION_OPEN, COLLISION_VERSION,
                                     COLLISION_CONTACT, COLLISION_UNUSED, PAIR_AT_HOME, PAIR_WRONG, PAIR_UNLIMITED,
                                     PAIR_UNKNOWN, PAIR_HOLLOW)
