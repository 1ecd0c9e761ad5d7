"""What the parts of the MJCF writer share: the model while it is made, and what the proof must know of it."""
from typing import Dict, FrozenSet, Mapping, NamedTuple, Optional, Tuple

from ...compare.records import RawActuator, RawKey
from ...model.pose import Pose
from ...model.records import Joint, Robot
from ...model.xml_tree import Node
from ...urdf.spatial import compose
from .assets import put_pose
from .bodies import Bodies
from ...model.choices import MjcfOptions
from ..rounding import unique
from ..written_mass import Findings

MAX_COORDINATE = 1e9  # rad, m, N m, ...: a limit of it or beyond is none


class Decided(NamedTuple):
    """What the writer decided that the proof must know: where the text may differ from the robot.

    Attributes:
        left_out: shapes that are not written: (link, kind, place among the pieces of that kind).
        between: links without a body, between two joints of one.
        bodies: that the text has.
        actuators, apart, keys: what the text says beside the robot.
    """

    left_out: FrozenSet[Tuple[str, str, int]]
    between: FrozenSet[str]
    options: MjcfOptions
    bodies: Bodies
    actuators: Tuple[RawActuator, ...]
    apart: Tuple[Tuple[str, str], ...]
    keys: Mapping[str, RawKey]


class Model:
    """What is known while the text is made.

    Attributes:
        nodes: the elements of bodies by link, "" for the world.
        names: of joints, by child link.
        sites: by name, a link and the pose in it.
    """

    def __init__(self, robot: Robot, options: MjcfOptions, bodies: Bodies, world: Node, names: Dict[str, str],
                 found: Findings) -> None:
        self.robot, self.options, self.bodies, self.names, self.found = robot, options, bodies, names, found
        self.nodes: Dict[str, Node] = {"": world}
        self.sites: Dict[str, Tuple[str, Pose]] = {}


def limits_of(joint: Joint) -> Optional[Tuple[float, float]]:
    """Return the range of positions; None where both bounds are out of reach."""
    limits = joint.range
    return None if limits is None or limits[0] <= -MAX_COORDINATE and limits[1] >= MAX_COORDINATE else limits


def put_site(model: Model, name: str, link: str, pose: Pose) -> str:
    """Write a site where a link has a frame, and return the name that it got."""
    holder, T_holder_link = model.bodies.where[link]
    name = unique(name, model.sites)
    model.sites[name] = (link, pose)
    site = model.nodes[holder].add("site", name=name)
    put_pose(site, compose(T_holder_link, pose.transform))
    site.attributes["group"] = "3"
    return name
