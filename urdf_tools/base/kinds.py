"""Every kind of diagnostic of a run: its short stable name, what it means, what to do, and its sentences.

Sentences are only here: no other module holds, compares or parses one.
"""
from typing import Dict, Tuple

from .diagnostics import Kind, NOTE, WARNING

KEEP_LINKS, TURN_SIGN = "--keep {links}", "turn its sign, or --no-reorient"

BASE_FRAME = Kind("base-frame", WARNING, "which way the robot faces is not certain",
    "--base-frame ros, onshape, or words such as x=left,y=back,z=up", False, {
    "doubt": "{0}; give --base-frame if it faces the wrong way",
    "either": "{0}; --base-frame {1} if it faces {2}, --base-frame {3} if along {4}",
    "up": "{0}, but nothing else says so, and Z is taken for up; --base-frame {1} if it is not",
    "noted": "an earlier run assumed {0}: give --base-frame if that is wrong",
    "again": "this tool turned the file before, and --base-frame turns it again"})
UNUSED_OPTION = Kind("unused-option", WARNING, "what an option names is not there",
    "correct the name, or leave the option out", False, {
    "keep": "--keep {0} matches none of the {n0:link} on fixed joints",
    "axis": "--axis {0}: no joint that moves has this word in its name",
    "glob": "{0} matches no mesh",
    "joint": "{0} matches no joint",
    "locked": "{0} names only joints that are locked",
    "again": "{0}: an earlier run did that, as the note of the file says",
    "link": "{0} matches no link"})
REPAIRED = Kind("repaired", NOTE, "something is written wrongly, and was read in the only way that makes sense",
    "nothing: the result has it corrected", False, {"commas": "{1} '{0}': {2}=\"{3}\" is read as \"{4}\""})
ASSUMED_VALUE = Kind("assumed-value", WARNING, "--lenient assumes a value that is missing or is not a number",
    "write the value that is meant", False, {
    "numbers": "{1} '{0}': {2}=\"{3}\": taken as {4} (--lenient)",
    "inertials": "link '{0}' has more than one <inertial>: the first is taken (--lenient)",
    "mass": "link '{0}': <inertial> has no <mass value>: taken as zero (--lenient)"})
LOOP_CUT = Kind("loop-cut", WARNING, "--lenient cuts a joint that closes a loop, as a URDF is a tree",
    "export to MJCF has the loop as a <connect>; most readers of URDF leave it open", False, {
    "joint": "joint '{0}' closes a loop at link '{1}': it becomes the frames '{2}_1' and '{2}_2', which coincide where "
        "the loop is closed (--lenient)"})
XACRO_TEXT = Kind("xacro-text", WARNING, "a plugin holds what looks like xacro",
    "expand the xacro file first, if it is", False, {"text": "<{0}> holds '{1}': left as it is"})
NO_GEOMETRY = Kind("no-geometry", WARNING, "a visual or collision without a shape",
    "remove it, or give it a <geometry>", False, {"shape": "link '{0}': this <{1}> has no geometry"})
UNREADABLE_GEOMETRY = Kind("unreadable-geometry", WARNING,
    "a shape that URDF does not know, or whose size cannot be read",
    "correct it: most programs refuse or leave out such a shape", False, {
    "shape": "link '{0}': the <{1}> of this <{2}> is unknown, or its numbers cannot be read: it stays as it is, and "
        "other formats leave it out"})
MISSING_INERTIA = Kind("no-inertia", WARNING, "<inertial> lacks values of its <inertia>", "add what is missing",
    False, {
    "tensor": "link '{0}': <inertial> has no <inertia>: taken as zero",
    "entries": "{1} '{0}': <inertia> has no {2}: taken as zero"})
NO_LIMIT = Kind("no-limit", WARNING, "a joint that must have a <limit> has none",
    "add <limit lower upper effort velocity>", False, {
    "joint": "joint '{0}': a {1} joint without <limit> is refused by most readers"})
MIMIC = Kind("mimic", WARNING, "a <mimic> that cannot be followed", "correct the name of the joint that it follows",
    False, {
    "unknown": "joint '{0}' mimics '{1}', which does not exist{2}",
    "circle": "the joints {0} mimic each other in a circle: no position is defined",
    "nameless": "joint '{0}': its <mimic> names no joint and is ignored",
    "released": "joint '{0}' mimics '{1}', which is dropped: it is not driven by another joint any more"})
INERTIA = Kind("inertia", WARNING, "no real body has this inertia", "correct it in CAD: a simulator may refuse it",
    False, {"link": "link '{0}': {1}"})
MASSLESS = Kind("no-mass", WARNING, "a link that moves has no mass", "give it a mass, or make its joint fixed",
    False, {
    "inertial": "link '{0}' moves but has no <inertial>: simulators refuse it",
    "mass": "link '{0}' moves but has no mass: simulators refuse it"})
WORLD_CONTENT = Kind("world-content", WARNING, "a link named 'world' has mass or shapes, which simulators do not read",
    "give it another name, if it is a part of the robot", False, {
    "link": "link 'world' has {0}: Gazebo reads nothing of a link of this name, and Drake only its shapes"})
ROOT_MASS = Kind("root-mass", WARNING, "a root that had no mass has mass now, which KDL ignores",
    "--keep {links} for KDL; leave it so for simulators", False, {
    "link": "root '{0}' had no mass and has {n0:.4g} kg now: KDL ignores the mass of a root"})
AXIS_NAME = Kind("axis-name", WARNING, "a joint turns about another axis than its name means",
    "rename it, correct its axis, or --axis WORD=AXIS if the word means another axis here", False, {
    "joint": "'{0}' turns about {1}, and '{2}' in its name means {3}"})
FREE_JOINT = Kind("free-joint", WARNING, "the frame of a planar or floating joint turns, and its positions with it",
    "turn the positions that programs command, or --no-reorient", False, {
    "joint": "joint '{0}' is {1}: its position is given in its own frame, which turns"})
EXPORTED_TWICE = Kind("exported-twice", WARNING, "the same part is in the file twice, and so is its mass",
    "--count-once", False, {"part": "link '{0}' is the same part as '{1}': its {n0:.4g} kg count twice"})
EXPORTED_ONCE = Kind("exported-once", NOTE, "the same part is in the file twice, and its mass counts once", "", False, {
    "part": "link '{0}' is the same part as '{1}': its {n0:.4g} kg count once"})
JOINT_TWICE = Kind("joint-twice", WARNING, "a joint is defined again, and differs", "correct the one that is wrong",
    False, {
    "kept": "joint '{0}' has the name of the joint in line {n0}; --no-merge keeps both",
    "differs": "joint '{0}' is defined again with other limits, dynamics or mimic than in line {n0}: those of line "
        "{n0} stay"})
RENAMED_JOINT = Kind("renamed-joint", WARNING, "two motions had one name", "use the new name in what drives it", False,
    {"joint": "joint '{0}' is now named '{1}': line {n0} has the name, but {2}"})
MESH_NOT_FOUND = Kind("mesh-not-found", WARNING, "a mesh is not where its name says",
    "--package NAME=FOLDER, or copy the file there", True, {
    "left": "'{0}' is not found ({1})",
    "package": "{n0:file} of package '{0}' {n0:is|are} not found ({n1:use}): {1}; --package {0}=FOLDER",
    "name": "'{0}' is not found: its name is kept",
    "place": "'{0}' is not found: its name means the same place as before"})
PACKAGE_ASSUMED = Kind("package-assumed", NOTE, "a package is taken to be a folder of its name beside the URDF",
    "--package NAME=FOLDER, if it is another", False, {
    "folder": "package '{0}' is assumed to be the folder '{1}', seen from the URDF"})
MESH_FOLDER = Kind("mesh-folder", WARNING,
    "MuJoCo looks for meshes in a folder of its own, and finds another file or none",
    "--mesh-paths relative, or --mesh-dir", True, {
    "lost": "MuJoCo does not find the meshes that are made: names such as package:// let it go on looking in its "
        "meshdir",
    "other": "'{0}' was another file for MuJoCo, in its meshdir, than for all other readers, whose file it is now"})
MESH_UNREADABLE = Kind("mesh-unreadable", WARNING, "a mesh cannot be read or converted", "export it again", True, {
    "left": "{1}"})
MESH_CONTENT = Kind("mesh-content", WARNING, "something in a mesh is left out, or is not as it should be",
    "nothing, if the result looks right", False, {
    "not-copied": "names '{0}', which is not copied",
    "no-scene": "there is no visual scene: every geometry is drawn as it is",
    "other-scene": "there is no visual scene '{0}': the first one is used",
    "missing": "there is no {0} '{1}' in this file: it is not drawn",
    "no-mesh": "geometry '{0}' is not a mesh ({1}): it is not drawn",
    "unmoved": "'{0}' is a {1}: its mesh is drawn without moving it",
    "singular": "an instance of geometry '{0}' is scaled to nothing: it is left out",
    "flat": "{n0:triangle} without area left out",
    "all-flat": "material '{0}' has only triangles without area: it makes no part",
    "wrong-count": "{n0:count} of polygons {n0:is|are} wrong",
    "other-corners": "{n0:polylist} whose corners do not fit their counts",
    "incomplete": "{n0:incomplete triangle} left out",
    "few-corners": "{n0:polygon} of fewer than 3 corners left out",
    "crossing": "{n0:polygon} that {n0:crosses itself|cross themselves}",
    "hole-outside": "{n0:hole} outside {n0:its|their} polygon",
    "no-material": "no material is bound to '{0}'",
    "no-effect": "material '{0}' has no effect '{1}'",
    "no-profile": "the effect of material '{0}' has no common profile",
    "image": "material '{0}' shows the image '{1}'; flat {2} is used",
    "alpha": "material '{0}' has an alpha of {n0:.3g} by the specification; it is taken as opaque"})
MESH_COLORS = Kind("mesh-colors", NOTE, "materials of one color share a part", "--split material", False, {
    "materials": "materials {0} all have the color {1}"})
MESH_SIZE = Kind("mesh-size", WARNING, "the unit of a mesh is missing, or seems wrong", "--scale, --missing-unit",
    False, {
    "no-unit": "the file has no unit: {n0} m is used",
    "large": "is {n0:.4g} m long: is the unit right?",
    "small": "is only {n0:.4g} mm long: is the unit right?"})
MESH_PLANAR = Kind("mesh-planar", WARNING, "a part is planar, which MuJoCo refuses", "--for mujoco", False, {
    "part": "lies in one plane, which MuJoCo refuses"})
MERGED_LINK = Kind("merged-link", WARNING, "something names a link that is merged away", KEEP_LINKS, True, {
    "named": "{0} names a link that is merged into '{2}'; left as it is"})
FRAME_NAME = Kind("frame-name", WARNING, "something names a TF frame that is removed or turns", KEEP_LINKS, True, {
    "named": "{0} names a link that is merged into '{2}'; --keep it if others look for that frame; left as it is",
    "turns": "{0} names the frame '{1}', which turns"})
DROPPED_NAME = Kind("dropped-name", WARNING, "something names a link or joint that is dropped",
    "remove the name, or what names it", True, {"named": "{0} names '{1}', which is dropped; left as it is"})
REMOVED_JOINT = Kind("removed-joint", WARNING, "something names a joint that is merged away",
    "name the joint that stays", True, {
    "named": "{0} names a joint that is merged away; left as it is",
    "measures": "{0} measures in joint '{1}', which is merged away; left as it is",
    "block": "{0} belongs to a joint that is merged away: dropped with it",
    "drives": "{0} drives joint '{1}', which is merged away: dropped with it",
    "of-control": "{0} of ros2_control is merged away: dropped"})
MERGED_CONTENT = Kind("merged-content", WARNING, "links that become one say different things", KEEP_LINKS, True, {
    "differ": "{0} of '{1}' and that of line {3} differ, for what is now one link '{2}': that of line {3} stays"})
SURFACE_MERGED = Kind("surface-merged", WARNING, "links that become one touch or look in different ways", KEEP_LINKS,
    True, {
    "gained": "{2} of '{1}' holds for what was in link '{0}' too, for which nothing was said (default {3})",
    "lost": "{2} of '{0}' is lost: it is one link with '{1}' now, where {3} stays"})
BODY_MERGED = Kind("body-merged", WARNING, "links that become one body fall, are damped or collide in different ways",
    "give them the same value, or --no-merge", True, {
    "falls": "{n0:.4g} kg of '{0}' fall from now on: it is one body with '{1}', so {3} is lost",
    "floats": "{n0:.4g} kg of '{0}' float from now on: it is one body with '{1}', for which {4} holds",
    "differs": "{2} of '{0}' ({n0:.4g} kg) changes: it is one body with '{1}', for which {4} holds and not {3}"})
ELEMENT_DROPPED = Kind("element-dropped", WARNING, "what URDF does not know is removed with its joint or link",
    KEEP_LINKS, True, {
    "element": "<{2}> of joint '{1}' is removed with it: write it elsewhere, or keep link '{0}'",
    "attribute": "{3}='{4}' of {2} '{1}' is removed with it: write it elsewhere, or keep link '{0}'"})
FLIPPED_JOINT = Kind("flipped-joint", WARNING, "a number or setting of a joint that changes its sign", TURN_SIGN,
    True, {
    "named": "{0} names a joint whose sign changes; left as it is",
    "names": "{0} names the joint '{1}', whose sign changes; left as it is",
    "inline": "{0}: '{1}' with a value glued to it names a joint whose sign changes; left as it is",
    "plugin": "{0} names the joint '{1}', whose sign changes: look at its gains and directions",
    "part": "{0} of joint '{1}', whose sign changes: left as it is; turn its sign if it has one",
    "of-joint": "{0} belongs to the joint '{1}', whose sign changes; left as it is: turn its sign if it has one",
    "limits": "{0} has <limits> of its own, and its sign changes; left as they are",
    "interface": "{0} has parameters, and the sign of its joint changes; left as they are",
    "parameters": "{0} has parameters of its own ({1}), and its sign changes; left as they are",
    "multiplier": "{0} mimics with no multiplier written, and its sign changes; left as it is",
    "number": "{0}: '{1}' is not a number, and the sign of its joint changes; left as it is"})
MOVED_ZERO = Kind("moved-zero", WARNING, "a number or setting of a joint whose zero moves",
    "write it for the new zero, or leave out --zero", True, {
    **{key: sentence.replace("whose sign changes", "whose zero moves").replace("turn its sign if it has one",
        "write it for the new zero if it is a position").replace("and its sign changes", "and its zero moves").replace(
        "the sign of its joint changes", "the zero of its joint moves") for key, sentence in
        FLIPPED_JOINT.sentences.items()},
    "offset": "{0} mimics with no offset written, and a zero moves; left as it is",
    "coupled": "{0} couples joints of which '{1}' moves its zero, and has no offset; left as it is"})
TRANSMISSION_SIGN = Kind("transmission-sign", WARNING, "a transmission of a joint that changes its sign",
    "negate <mechanicalReduction> and <offset>", True, {
    "drives": "{0} drives joint '{1}', whose sign changes: if the actuator is to keep its sense, write {2}; left "
        "as it is"})
HARDWARE_SIGN = Kind("hardware-sign", WARNING, "hardware that counts a joint as before, and its sign changes",
    "turn the sign in the driver, or --no-reorient", True, {
    "driver": "{0} '{2}' counts joint '{1}' as before, and its sign changes: turn it in the driver, or --no-reorient",
    "zero": "{0} '{2}' counts joint '{1}' as before, and its zero moves: move it in the driver, too"})
COUPLING_SIGN = Kind("coupling-sign", WARNING, "a coupling of joints of which one changes its sign", "write it anew",
    True, {
    "ratio": "{0} couples joints of which one changes its sign, in a way that no ratio can follow; left as it is: "
        "check it in the program that reads it"})
UNKNOWN_POSE = Kind("unknown-pose", WARNING, "a pose or other numbers in a frame that changes",
    "move them with it, or --no-reorient", True, {
    "named": "{0} comes with numbers, and the frame of '{1}' changes; left as it is",
    "in-link": "{0} in link '{1}' holds numbers, and the frame of that link changes; left as it is: check it, or "
        "keep the frame with {2}",
    "in-block": "{0} of '{1}', whose frame changes, holds numbers; left as it is",
    "pose": "{0} holds a <pose>, and the frame of '{1}' changes; left as it is"})
UNREADABLE_POSE = Kind("unreadable-pose", WARNING, "a pose or offset that cannot be read",
    "correct it, and move it with its frame", True, {
    "pose": "{0} has a <pose> of a kind that cannot be moved; left as it is",
    "origin": "{0} has an origin that cannot be read; left as it is",
    "offsets": "{0} has offsets that cannot be read; left as they are",
    "elsewhere": "{0} has a <pose> that is expressed in another frame; left as it is",
    "scoped": "{0} is expressed in a frame of scoped name, and that of '{1}' changes; left as it is"})
UNREADABLE_VECTOR = Kind("unreadable-vector", WARNING, "a vector or point that cannot be read",
    "correct it, and turn it with its frame", True, {
    "point": "{0} is not a point of three numbers; left as it is",
    "direction": "{0} is not a direction of three numbers; left as it is"})
SENSOR_FRAME = Kind("sensor-frame", WARNING, "a sensor whose frame turns", "turn what reads it, or --no-reorient",
    True, {
    "measures": "{0} measures in the frame of '{1}', which turns",
    "parameter": "{0} names the frame '{1}', which turns",
    "implied": "{0} has a plugin with no <frame_name>, so its messages are given in the frame of '{1}', which "
        "turns while the sensor does not: name a frame that looks as the sensor does"})
DIRECTION_FRAME = Kind("direction-frame", WARNING, "a direction in a frame that is no link",
    "turn it, if its frame turns", True, {
    "block": "{0} names the frame of '{1}', which turns; sdformat reads that in <collision><surface> only; left "
        "as it is",
    "no-link": "{0} is given in a frame that is no link, and the frame of '{1}' turns; left as it is"})
ADDED_MASS = Kind("added-mass", WARNING, "<fluid_added_mass> in a frame that changes", "write it for the new frame",
    True, {
    "inertial": "{0} holds <fluid_added_mass>, and the frame of '{1}' changes; left as it is: write it for the "
        "new axes"})
PLUGIN_VECTOR = Kind("plugin-vector", WARNING, "points, vectors or coefficients of a plugin in a frame that turns",
    "turn them", True, {
    "point": "{0} is a point, and the frame of '{1}' changes; left as it is",
    "vector": "{0} is a vector, and the frame of '{1}' turns; left as it is",
    "coefficients": "{0} has coefficients along the axes of '{1}', which turn; left as they are: write them for "
        "the new axes"})
PLUGIN_BODY = Kind("plugin-body", WARNING, "a plugin works in the frame of a link that changes", KEEP_LINKS, True, {
    "offset": "{0} works in the frame of '{1}', which changes, and has no offset that could follow; left as it "
        "is: check it, or keep the frame with {2}"})
CONTACT_COLLISION = Kind("contact-collision", WARNING, "a contact sensor names a collision that is renamed or removed",
    "use the name that the collision has now", True, {
    "removed": "{0} names the collision '{1}', which is removed; left as it is",
    "elsewhere": "{0} '{1}' is the name that a simulator makes for a collision of '{2}', which is in '{3}' now; "
        "left as it is",
    "others": "{0} '{1}' is the name that a simulator makes for a collision of '{2}', which has others now; left "
        "as it is",
    "made-up-removed": "{0} '{1}' is the name that a simulator makes for a collision of '{2}', which is removed; "
        "left as it is"})
WIDER_FILTER = Kind("wider-filter", WARNING, "a collision filter covers more than before", KEEP_LINKS, False, {
    "link": "{0} is now '{1}': the filter holds for all of that link"})
MISSING_POINT = Kind("missing-point", WARNING, "a constraint or spring without a point, in a frame that changes",
    "write the point", True, {
    "point": "{0} has no point, and the frame of '{1}' changes; left as it is: write the point"})
BUSHING_FRAME = Kind("bushing-frame", WARNING, "a bushing between frames that change", "name a <frame> in that link",
    True, {
    "frame": "{0} names the frame of '{1}', which changes, with no pose that could follow; left as it is: name a "
        "<frame> in that link instead"})
LOOP_FRAME = Kind("loop-frame", WARNING, "a loop or constraint without a pose, in a frame that changes", KEEP_LINKS,
    True, {
    "pose": "{0} is given in the frame of '{1}', which changes, and has no pose that could follow; left as it is: "
        "check it, or keep the frame with {2}",
    "text": "{0} names '{1}', whose frame changes, with no pose that could follow; left as it is"})
GRAVITY = Kind("gravity", WARNING, "a gravity that is written for the old base", "write it with Z up", True, {
    "option": "{0} has gravity {1}, and the base turns; left as it is: write it for the new base, in which Z is up"})

# What follows in the rest of the file, for the plan and the report; no findings, so without a hint.
FOLLOWED: Dict[str, str] = {
    "renamed": "'{0}' is now '{1}'",
    "owner": "now of '{0}'",
    "unnamed": "is named '{0}': without a name some readers drop all shapes of the link",
    "settled": "{0} removed: what '{1}' says, or the default, holds for its content",
    "unread-origin": "removed with link '{0}': an <origin> of a link is ignored by all readers",
    "pose": "its <pose> moves with the frame",
    "origin": "its origin moves with the frame",
    "offsets": "its offsets move with the frame of '{0}'",
    "point": "moves with the frame of '{0}'",
    "direction": "turned with the frame of '{0}'",
    "becomes": "{0} becomes {1}",
    "negated": "{0} negated",
    "zero": "{0} follow the zero",
    "collision": "the collision of '{0}' is named '{1}'"}

KINDS: Tuple[Kind, ...] = tuple(row for row in vars().values() if isinstance(row, Kind))
