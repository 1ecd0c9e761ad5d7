"""The options of the package, each declared once; those of the single file are in `run/option_rows.py`."""
import re
import shlex
from typing import Any, Dict, Tuple, Union

from ..base.option_table import as_flag, Option
from ..base.number_text import LARGEST, read_numbers
from ..collision.settings import ENDINGS, KINDS, read_corners, read_length, read_link_kind
from ..edit import Position
from ..export.formats import TARGETS
from ..model.words import ACTUATORS, BASES, MESH_PLACES, NESTING
from ..run.option_rows import flag, OPTION_ROWS, plan_row

LENGTH_ADVICE = "give a length, such as 5mm or 0.005"
PROGRAMS = ("mujoco", "drake", "gazebo", "rviz", "isaac", "newton", "pinocchio")


def read_actuators(given: Any) -> str:
    """Read `none`, `motor`, `position` or `position=100`, the gain.

    Raises:
        ValueError: it is none of these.
    """
    kind, equals, gain = str(given).partition("=")
    if kind not in ACTUATORS or equals and (kind != "position" or not 0.0 < float(gain) < float("inf")):
        raise ValueError
    return str(given)


def read_act(given: Any) -> str:
    """Read the words of an act of `edit`, or a pair, as a call may have it: {"hip_*.effort": 35}.

    Raises:
        ValueError: it is neither.
    """
    words = given if isinstance(given, str) else "=".join(map(str, given)) if len(given) == 2 else ""
    if not words.strip():
        raise ValueError
    return words if isinstance(given, str) else shlex.quote(words)


def act(name: str, words: str, metavar: str, more: str = "") -> Option:
    """Return the row of an act of `edit`."""
    return Option(name, "edit", words, metavar, more=f"{more} Repeatable.".strip(), default=(), repeatable=True,
                  top="edit", read=read_act, advice=f"give {metavar}")


def read_position(given: Union[str, Tuple[str, Position]], default: str = "") -> Tuple[str, Position]:
    """Read joints and where they are to be: `knee_*=1.57`, `knee=middle`, `knee=state:home` or ("knee", 1.57).

    Raises:
        ValueError: there is no name, or no position and no `default` for it, or one that is none of these.
    """
    glob, position = given if not isinstance(given, str) else (
        given.rpartition("=")[::2] if "=" in given else (given, default))
    if not glob or not isinstance(glob, str) or isinstance(position, bool):
        raise ValueError
    if isinstance(position, str) and (position == "middle" or re.match("state:.", position)):
        return glob, position
    value = position if isinstance(position, (int, float)) else read_numbers(position, 1)[0]
    if not abs(value) < LARGEST:
        raise ValueError
    return glob, float(value)


def _act_of(name: str, words: str, metavar: str, **more: Any) -> Option:
    """Return the row of an act on what globs name."""
    return Option(name, "edit", words, metavar, default=(), repeatable=True, top="edit", **more)


PACKAGE_ROWS: Tuple[Option, ...] = (
    flag("diff", "simplify edit collision pairs", "print the lines that would change, write nothing",
         excludes=("output", "page", "adapter")),
    Option("page", "simplify edit collision compare pairs", "write an HTML page that shows it in 3D", "FILE",
           is_output=True, top="compare pairs"),
    Option("srdf", "simplify edit collision export", "an SRDF of MoveIt that follows", "FILE", valid=bool,
           top="simplify edit", advice="give the name of a file", more="It is written as OUTPUT.srdf, together with "
           "the URDF or not at all; export takes the base and key poses from it."),
    Option("adapter", "simplify edit compare", "write Python code that maps positions of one robot to the other",
           "FILE.py", is_output=True, top="compare", valid=lambda value: value.lower().endswith(".py"),
           advice="give a name that ends in .py", more="From the input to the output, or from A to B. Also velocities, "
           "efforts and vectors, and back; for policies and logs."),
    Option("for", "simplify collision export", ", ".join(PROGRAMS), "PROGRAM", choices=PROGRAMS, top="simplify export",
           more="Chooses format and names of meshes, and what else it takes; explicit options win."),
    Option("format", "simplify compare lint", "text, json, github or sarif", "FORMAT", default="text",
           choices=("text", "json", "github", "sarif"), top="compare lint", more="Of simplify: what --check prints."),
    plan_row("visual_error", "simplify export", "fewer triangles in visuals, at most this far off", "LENGTH",
             read=read_length, valid=lambda value: value > 0.0, advice="give a length, such as 0.5mm", top="simplify",
             more="Proven both ways, for every point of both surfaces. STL, OBJ and glTF stay what they are, COLLADA "
             "becomes STL, a file for each color. Collisions, what shows an image and what would gain little stay."),
    flag("one_mesh", "simplify export", "join the visuals of a link, one mesh file for each color",
         more="Origins and scales go into the corners, after all else that is done to meshes. STL, or OBJ and glTF "
         "where all of a link are. Visuals with an image or without a mesh stay, and so do collisions."),
    _act_of("lock", "fix joints at a position (default 0)", "GLOB[=VALUE]", kind=tuple,
            read=lambda given: read_position(given, "0"),
            advice="give joints and a position, such as 'waist_*' or waist=0.35",
            more="VALUE in rad or m, middle (of the limits), or state:NAME of the SRDF; what follows them is locked "
            "with them; repeatable."),
    _act_of("zero", "make this position the new zero", "GLOB=VALUE", kind=tuple, read=read_position,
            advice="give joints and a position, such as knee=1.57 or 'knee_*=middle'",
            more="VALUE as of --lock; limits, mimics, transmissions, states and the rest follow; repeatable."),
    _act_of("flip", "reverse the sign of joints; repeatable", "GLOB"),
    Option("only", "edit", "keep this link and what is below it", "LINK", default="", top="edit"),
    _act_of("drop", "remove links with all below them; repeatable", "GLOB"),
    act("root", "make another link the root", "LINK", more="Joints on the way turn round and keep their signs."),
    act("attach", "attach the robot of another file to a link", "'FILE LINK [prefix=P]'",
        more="Further words: xyz='0 0 1', rpy='0 0 1.57', joint=NAME, srdf=FILE (its groups join those of --srdf)."),
    act("mirror", "add the mirror image of a link and what is below it", "'LINK A=B [plane=y]'",
        more="A=B makes its names: left=right, or /regex/=NEW. The plane is x, y or z of the root, at 0 or where "
        "plane=y@0.1 says; a position of the twin is the image of the same position. Meshes get a negative scale, or "
        "with meshes=files files of their own (STL, OBJ) in <output>_meshes/TWIN."),
    act("prefix", "put a prefix in front of all names", "P"),
    act("rename", "rename links and joints", "OLD=NEW", more="One * on each side, or /regex/=NEW; link: or joint: in "
        "front is for one kind."),
    act("add_root", "add an empty link above the root", "'NAME [xyz=...]'"),
    act("set", "set effort, velocity, lower, upper, damping, friction, mass", "GLOB.KEY=VALUE",
        more="VALUE is a number, or *1.5 of what is there; several in one value count together."),
    act("inertia_from", "centers and tensors from shapes: visual, collision, hull", "'SHAPES [LINK ...]'",
        more="Exact integrals of closed meshes at uniform density; hull takes the hulls of the visuals. Masses stay "
        "where --density gives none. LINK may be a GLOB; default: all links."),
    Option("density", "edit", "compute masses too, with this density", "GLOB=KG/M3", default=(), repeatable=True,
           read=lambda given: given if isinstance(given, str) else "=".join(map(str, given)), needs=("inertia_from",),
           top="edit", advice="give links and kg/m3, such as 'hand_*=2700'",
           more="Of all --inertia-from of the command; links without <inertial> get one. Repeatable, the last that "
           "fits counts."),
    act("like", "count joints, name and place links as another description of it", "FILE",
        more="Signs, zeros, base, names, frames and order of joints; what cannot be made alike is listed."),
    Option("collision", "collision", "hull, auto, box, cylinder, capsule, sphere or spheres", "KIND", choices=KINDS,
           flag="--shape", top="collision", more="Each shape is proven to contain its mesh. auto: a primitive where it "
           "stands out little, else a hull; spheres: some for each mesh. Primitives of the input stay."),
    Option("collision_link", "collision", "another kind for some links; also keep, link, parts", "GLOB=KIND",
           kind=tuple, default=(), repeatable=True, read=read_link_kind, flag="--link", top="collision",
           advice="give a link and a kind, such as 'hand_*=box': hull, auto, box, cylinder, capsule, sphere, spheres, "
           "keep, link or parts", more="link: one hull for the link; parts: one for each connected part; repeatable, "
           "the last that fits counts."),
    Option("collision_max_vertices", "collision", "corners of a hull (default 64; isaac: 34)", "N", kind=int,
           read=read_corners, flag="--max-vertices", top="collision", advice="give a number from 8 on, or isaac"),
    Option("collision_overhang", "collision", "largest distance outside the hull", "LENGTH",
           flag="--overhang", top="collision", kind=float, read=read_length, advice=LENGTH_ADVICE,
           more="A primitive that does becomes a hull (default: any; 5mm with auto). Of spheres: over a closed mesh "
           "itself (default 20mm)."),
    Option("spheres", "collision", "also write the spheres as a list: cuRobo .yml, MoveIt .srdf", "FILE",
           top="collision", is_output=True, valid=lambda value: value.lower().endswith(ENDINGS),
           advice="give a name that ends in .yml or .srdf", more="Without --shape, this means --shape spheres."),
    Option("collision_off_mesh", "collision", "largest distance to the mesh itself", "LENGTH", flag="--off-mesh",
           top="collision", kind=float, read=read_length, advice=LENGTH_ADVICE,
           more="This counts hollows; a collision that would stand off more stays as it is."),
    flag("collision_from_visuals", "collision", "give links without collisions some", flag="--from-visuals",
         top="collision"),
    Option("pairs_cells", "pairs", "how hard to try (default 32000, about 10 s)", "N", kind=int, flag="--cells",
           top="pairs", valid=lambda value: value > 0, advice="give a positive number"),
    flag("drake_groups", "pairs", "write a URDF with collision filter groups for Drake instead", flag="--drake",
         excludes=("check",)),
    Option("match", "compare", "how joints are matched: auto (default), names or structure", "HOW", default="auto",
           choices=("auto", "names", "structure"), top="compare"),
    Option("aspects", "compare", "compare only these, such as motion,mass,limits", "LIST", top="compare"),
    Option("tolerance", "compare", "what still counts as rounding (default 1e-4)", "M", kind=float, top="compare",
           valid=lambda value: 0.0 < value < float("inf"), advice="give a small positive number"),
    Option("map", "compare", "match joints as this report says", "FILE", more="A --report of compare, corrected by "
           "hand; or of the run that made the other file, with what it decided."),
    flag("strict", "compare", "exit 1 also if something could not be compared"),
    flag("fix", "lint", "repair what has exactly one repair; asks first", top="lint"),
    Option("select", "lint", "only these kinds, such as 'inertia*'; repeatable", "KIND", default=(), repeatable=True,
           top="lint"),
    Option("ignore", "lint", "not these kinds; repeatable", "KIND", default=(), repeatable=True, top="lint",
           more="<!-- lint-ignore KIND: reason --> in the file leaves them out of the element that follows."),
    Option("level", "lint", "show from: error, warning (default), note", "LEVEL", default="warning", top="lint",
           choices=("error", "warning", "note")),
    Option("fail_on", "lint", "exit 1 from: error (default), warning, note", "LEVEL", default="error", top="lint",
           choices=("error", "warning", "note"), more="From there on findings are shown, whatever --level says."),
    Option("baseline", "lint", "hide the findings that are in FILE", "FILE", top="lint", valid=bool),
    flag("update_baseline", "lint", "write FILE: all that is found now", needs=("baseline",), top="lint"),
    Option("base", "export", "how the root is held: free, fixed or auto", "KIND", choices=BASES, top="export",
           more="auto (default): fixed if a virtual joint of the SRDF is, or the root is called world, or has no mass "
           "with all that is fixed to it; else free."),
    Option("actuators", "export", "motor, position=KP, none", "KIND", read=read_actuators, top="export",
           advice="give none, motor, or position with its gain, such as position=100",
           more="Of MJCF, for each joint with an effort that follows no other (default: as the transmissions say, else "
           "motor); of USD, its drives. KP is the gain."),
    Option("usd_bodies", "export", "prims of bodies in USD: flat (default), or nested under their parent body", "KIND",
           choices=NESTING),
    Option("usd_meshes", "export", "meshes of USD: beside (default), inline or none", "WHERE", choices=MESH_PLACES),
    flag("one_bone_per_joint", "export", "do not join bones of the armature"),
    flag("watch", "view", "draw again when a file changes", top="view", excludes=("output",),
         more="A page at an address of this machine, which keeps camera and positions; Ctrl-C ends it."),
    Option("page_triangles", "view", "most triangles in the page (default 200000; 0: all)", "N", kind=int,
           flag="--triangles", top="view", valid=lambda value: value >= 0,
           advice="give a number of triangles, or 0 for all"),
    # What no option of a command sets: a command sets it itself.
    *(Option(name, "", "", flag="TARGET") for name, *_ in TARGETS if name != "output"),
    Option("srdf_output", "", "", flag="--output"), Option("pairs_report", "", "", flag="--report"),
    flag("pairs", "", ""), Option("acts", "", "", default=(), repeatable=True),
    Option("kp", "", "", kind=float, flag="--actuators position=KP"),
    Option("usd_for", "", "", flag="--for"), Option("jobs", "", "", kind=int, default=0))
TABLE: Tuple[Option, ...] = (*OPTION_ROWS, *PACKAGE_ROWS)
SPELLINGS: Dict[str, str] = {row.name: row.spelling for row in TABLE}


def spelled(name: str) -> str:
    """Return how the command line spells an option."""
    return SPELLINGS.get(name) or as_flag(name)
