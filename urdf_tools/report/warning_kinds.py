"""Every kind of warning: its short stable name, what it means, what mends it, and whether something is left to do."""
from typing import Dict, NamedTuple, Tuple


class WarningKind(NamedTuple):
    """A kind of warning.

    Attributes:
        name: as the plan and the README show it, such as `mesh-not-found`.
        meaning: what is the case, in a phrase.
        cure: what to do; `{links}` is replaced by the merged links that the warnings name.
        left: something that was asked for did not happen, or something in the file waits for a decision.
    """

    name: str
    meaning: str
    cure: str
    left: bool = False


KEEP, SIGN = "--keep {links}", "turn its sign, or --no-reorient"
WARNING_KINDS: Tuple[WarningKind, ...] = (
    WarningKind("base-frame", "which way the robot looks is not certain",
                "--base-frame ros, onshape, or words such as x=left,y=back,z=up"),
    WarningKind("unused-option", "what an option names is not there", "correct the name, or leave the option out"),
    WarningKind("repaired", "something is written wrongly, and was read in the only way that makes sense",
                "nothing: the result has it corrected"),
    WarningKind("xacro-text", "a plugin holds what looks like xacro", "expand the xacro file first, if it is"),
    WarningKind("no-geometry", "a visual or collision without a shape", "remove it, or give it a <geometry>"),
    WarningKind("unreadable-geometry", "a shape that URDF does not know, or whose size cannot be read",
                "correct it: most programs refuse or leave out such a shape"),
    WarningKind("no-inertia", "<inertial> lacks values of its <inertia>", "add what is missing"),
    WarningKind("no-limit", "a joint that must have a <limit> has none", "add <limit lower upper effort velocity>"),
    WarningKind("mimic", "a <mimic> that cannot be followed", "correct the name of the joint that it follows"),
    WarningKind("inertia", "no real body has this inertia", "correct it in CAD: a simulator may refuse it"),
    WarningKind("no-mass", "a link that moves weighs nothing", "give it a mass, or make its joint fixed"),
    WarningKind("free-joint", "the frame of a planar or floating joint turns, and its positions with it",
                "turn the positions that programs command, or --no-reorient"),
    WarningKind("exported-twice", "the same part is in the file twice, and so is its mass", "--coincident drop"),
    WarningKind("joint-twice", "a joint is defined again, and differs", "correct the one that is wrong"),
    WarningKind("renamed-joint", "two motions had one name", "use the new name in what drives it"),
    WarningKind("mesh-not-found", "a mesh is not where its name says", "--package NAME=FOLDER, or copy the file there",
                True),
    WarningKind("package-assumed", "a package is taken to be a folder of its name beside the URDF",
                "--package NAME=FOLDER, if it is another"),
    WarningKind("mesh-folder", "MuJoCo looks for meshes in a folder of its own, and finds another file or none",
                "--mesh-paths relative, or --mesh-dir", True),
    WarningKind("mesh-unreadable", "a mesh cannot be read or converted", "export it again", True),
    WarningKind("mesh-textured", "a mesh shows an image, which STL cannot hold",
                "leave out --keep-textured for one flat color", True),
    WarningKind("mesh-content", "something in a mesh is left out, or MuJoCo refuses it",
                "nothing, if the result looks right; --planar, --max-faces, --scale change it"),
    WarningKind("merged-link", "something names a link that is merged away", KEEP, True),
    WarningKind("frame-name", "something names a TF frame that is removed or turns", KEEP, True),
    WarningKind("removed-joint", "something names a joint that is merged away", "name the joint that stays", True),
    WarningKind("merged-content", "links that become one say different things", KEEP, True),
    WarningKind("surface-merged", "links that become one touch or look in different ways", KEEP, True),
    WarningKind("element-dropped", "what URDF does not know is removed with its joint or link", KEEP, True),
    WarningKind("flipped-joint", "a number or setting of a joint that changes its sign", SIGN, True),
    WarningKind("transmission-sign", "a transmission of a joint that changes its sign",
                "turn the signs of its reduction and <offset>", True),
    WarningKind("hardware-sign", "hardware that counts a joint as before, and its sign changes",
                "turn the sign in the driver, or --no-reorient", True),
    WarningKind("coupling-sign", "a coupling of joints of which one changes its sign", "write it anew", True),
    WarningKind("unknown-pose", "a pose or other numbers in a frame that changes",
                "move them with it, or --no-reorient", True),
    WarningKind("unreadable-pose", "a pose or offset that cannot be read", "correct it, and move it with its frame",
                True),
    WarningKind("unreadable-vector", "a vector or point that cannot be read", "correct it, and turn it with its frame",
                True),
    WarningKind("sensor-frame", "a sensor whose frame turns", "turn what reads it, or --no-reorient", True),
    WarningKind("direction-frame", "a direction in a frame that is no link", "turn it, if its frame turns", True),
    WarningKind("added-mass", "<fluid_added_mass> in a frame that changes", "write it for the new frame", True),
    WarningKind("plugin-vector", "points, vectors or coefficients of a plugin in a frame that turns", "turn them",
                True),
    WarningKind("plugin-body", "a plugin works in the frame of a link that changes", KEEP, True),
    WarningKind("contact-collision", "a contact sensor names a collision that is renamed or removed",
                "use the name that the collision has now", True),
    WarningKind("wider-filter", "a collision filter covers more than before", KEEP),
    WarningKind("missing-point", "a constraint or spring without a point, in a frame that changes", "write the point",
                True),
    WarningKind("bushing-frame", "a bushing between frames that change", "name a <frame> in that link", True),
    WarningKind("loop-frame", "a loop or constraint without a pose, in a frame that changes", KEEP, True),
    WarningKind("gravity", "a gravity that is written for the old base", "write it with Z up", True),
    WarningKind("srdf-name", "the SRDF names something that the robot does not have", "correct the name"),
    WarningKind("tip-moved", "the frame of a planner's goals moves or turns", KEEP, True),
    WarningKind("srdf-group", "a group of the SRDF gains a joint", KEEP),
    WarningKind("srdf-state", "a value of a state that cannot follow", "write it anew", True),
    WarningKind("srdf-root", "a virtual joint and the root do not fit, or the root turns",
                "turn what states the pose of the robot", True),
    WarningKind("srdf-collisions", "a pair of links is checked differently than before", KEEP),
    WarningKind("srdf-spheres", "collision spheres are missing or cannot be read", "add them", True),
    WarningKind("srdf-left", "an element of the SRDF that is unknown names something that changes",
                "change by hand what it names, and its numbers in frames that change", True),
)
KINDS_BY_NAME: Dict[str, WarningKind] = {kind.name: kind for kind in WARNING_KINDS}
OTHER_KIND = WarningKind("", "something else", "")
