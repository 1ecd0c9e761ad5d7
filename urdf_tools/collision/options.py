"""The options of collisions: rows as those of the exports."""
from typing import Tuple

from ..base.option_table import Option
from .settings import KINDS, read_corners, read_length, read_link_kind

COLLISIONS, PAIRS = "collision shapes", "pairs of links that never touch"
ASKING = ("collision", "collision_link")
LENGTH_ADVICE = "give a length, such as 5mm or 0.005"

COLLISION_OPTIONS: Tuple[Option, ...] = (
    Option("collision", COLLISIONS, "what the meshes of collisions become; each shape contains its mesh, which is "
           "proven: hull (convex, of few corners), auto (a primitive where it stands out little, else hull), box, "
           "cylinder, capsule or sphere; primitives stay", choices=KINDS),
    Option("collision_link", COLLISIONS, "what those of some links become: also keep, link (one hull for the "
           "link), parts (one hull for each connected part); repeatable, the last that fits counts", "GLOB=KIND",
           kind=tuple, default=(), repeatable=True, read=read_link_kind,
           advice="give a link and a kind, such as 'hand_*=box': hull, auto, box, cylinder, capsule, sphere, keep, "
                  "link or parts"),
    Option("collision_max_vertices", COLLISIONS, "corners of a hull at most (default 64; more where "
           "--collision-overhang needs it); isaac: 34, of which PhysX takes the 64 facets on the GPU", "N|isaac",
           kind=int, read=read_corners, advice="give a number from 8 on, or isaac", needs=ASKING),
    Option("collision_overhang", COLLISIONS, "how far a shape may stand out over the hull of its mesh: a primitive "
           "that does becomes a hull (default: any; 5mm with auto)", "LENGTH", kind=float, read=read_length,
           advice=LENGTH_ADVICE, needs=ASKING),
    Option("collision_off_mesh", COLLISIONS, "how far it may stand off the mesh, which counts hollows: a collision "
           "where it would be more stays as it is (default: any)", "LENGTH", kind=float, read=read_length,
           advice=LENGTH_ADVICE, needs=ASKING),
    Option("collision_from", COLLISIONS, "links without collisions get them from their visuals", choices=("visual",),
           needs=ASKING))

PAIR_OPTIONS: Tuple[Option, ...] = (
    Option("pairs", PAIRS, "write the pairs of links that provably never touch inside the limits into the SRDF (of "
           "--srdf, else a new one), with those that are adjacent or touch at home", kind=bool, default=False),
    Option("pairs_check", PAIRS, "judge an SRDF of the robot as it is, and write nothing but a --pairs-report and a "
           "--page: which of its pairs never touch is proven, is wrong in a pose, or is not known; exit 1 if one is "
           "wrong", "FILE"),
    Option("pairs_cells", PAIRS, "how many cells of joint positions are looked at for all pairs together (default "
           "32000, about 10 s)", "N", kind=int, valid=lambda value: value > 0, advice="give a positive number",
           needs=("pairs", "pairs_check")),
    Option("pairs_report", PAIRS, "write what is known of each pair as JSON, with the planes and poses", "FILE",
           is_output=True, needs=("pairs", "pairs_check")))
