"""What the parts of the MJCF writer share: the model while it is made, and what the proof must know of it."""
from typing import Dict, FrozenSet, NamedTuple, Optional, Tuple

from ..model.records import Joint, Robot
from ..model.xml_tree import Node
from ..urdf.spatial import Pose as Transform
from .mjcf_assets import put_pose
from .mjcf_bodies import Bodies
from ..model.choices import MeshLook, MjcfOptions
from .weights import Findings

FARTHEST = 1e9  # rad or m: a limit beyond is none


class Decided(NamedTuple):
    """What the writer decided that the proof must know: where the text may differ from the robot, and by how much.

    Attributes:
        changed: by link, the most that its mass or an entry of its tensor differs.
        left_out: shapes that are not written: (link, kind, place, piece).
        between: links without a body, between two joints of one.
        mesh_files, mesh_looks: those of the options.
    """

    changed: Dict[str, float]
    left_out: FrozenSet[Tuple[str, str, int, int]]
    between: FrozenSet[str]
    mesh_files: Tuple[Tuple[str, str], ...] = ()
    mesh_looks: Tuple[Tuple[str, MeshLook], ...] = ()


class Model(NamedTuple):
    """What is known while the text is made."""

    robot: Robot
    options: MjcfOptions
    bodies: Bodies
    nodes: Dict[str, Node]
    names: Dict[str, str]  # of joints, by child link
    found: Findings


def limits_of(joint: Joint) -> Optional[Tuple[float, float]]:
    """Return the range of positions; None where both bounds are out of reach."""
    limits = joint.range
    return None if limits is None or limits[0] < -FARTHEST and limits[1] > FARTHEST else limits


def put_site(model: Model, name: str, holder: str, T: Transform) -> Node:
    site = model.nodes[holder].add("site", name=name)
    put_pose(site, T)
    site.attributes["group"] = "3"
    return site
