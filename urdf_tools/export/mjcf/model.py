"""Records that the parts of the MJCF writer share: the model while it is made, and its decisions for the proof."""
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

MAX_COORDINATE = 1e9  # rad, m, N m, ...: a limit of this or more is unbounded


class Decided(NamedTuple):
    """The writer's decisions, which are where the text may differ from the robot.

    Attributes:
        left_out: shapes that are not written: (link, kind, number among the pieces of that kind).
        between: links without a body: between two joints that are in one body.
        bodies: the bodies of the text.
        actuators, apart, keys: what the text has in addition to the robot; `apart`: pairs of bodies that never touch.
    """

    left_out: FrozenSet[Tuple[str, str, int]]
    between: FrozenSet[str]
    options: MjcfOptions
    bodies: Bodies
    actuators: Tuple[RawActuator, ...]
    apart: Tuple[Tuple[str, str], ...]
    keys: Mapping[str, RawKey]


class Model:
    """The state of the writer while the text is made.

    Attributes:
        nodes: the elements of bodies by link, "" for the world.
        names: the names of joints by child link.
        sites: link and pose in the link by name.
    """

    def __init__(self, robot: Robot, options: MjcfOptions, bodies: Bodies, world: Node, names: Dict[str, str],
                 findings: Findings) -> None:
        self.robot, self.options, self.bodies, self.names, self.findings = robot, options, bodies, names, findings
        self.nodes: Dict[str, Node] = {"": world}
        self.sites: Dict[str, Tuple[str, Pose]] = {}


def limits_of(joint: Joint) -> Optional[Tuple[float, float]]:
    """Return the range of positions [rad or m]; None where both bounds are out of reach."""
    limits = joint.range
    return None if limits is None or limits[0] <= -MAX_COORDINATE and limits[1] >= MAX_COORDINATE else limits


def put_site(model: Model, name: str, link: str, pose: Pose) -> str:
    """Write a site at a pose in a link, and return its name, which is made distinct."""
    holder, T_holder_link = model.bodies.where[link]
    name = unique(name, model.sites)
    model.sites[name] = (link, pose)
    site = model.nodes[holder].add("site", name=name)
    put_pose(site, compose(T_holder_link, pose.transform))
    site.attributes["group"] = "3"
    return name
