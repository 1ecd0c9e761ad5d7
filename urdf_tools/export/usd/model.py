"""What is known while the prims of a robot are written."""
from typing import Dict, List, Optional, Set, Tuple

from ...model.choices import UsdOptions
from ...model.pose import Transform
from ...model.records import Actuator, Joint, material_meanings, Robot
from ...model.shapes import Material
from ...model.tree import leaders_of, poses_at
from ...urdf.model import MOVABLE
from ..written_mass import Findings
from .bodies import Bodies
from .mesh_layer import MeshLayer
from .prims import Prim

OUT_OF_REACH = 1e9  # a number that is no bound [rad, m, N m, ...]


class Model:
    """A robot while it is written.

    Attributes:
        prims: by link, "": that of the robot. axes: by child link, X, Y or Z.
        left_out: shapes that are not written, as (link, role, number among the pieces of the role).
        T_root: T_root_link by link, with all joints at zero.
    """

    def __init__(self, robot: Robot, options: UsdOptions, bodies: Bodies, meshes: MeshLayer, findings: Findings
                 ) -> None:
        self.robot, self.options, self.bodies, self.meshes, self.findings = robot, options, bodies, meshes, findings
        self.for_newton, self.for_physx = options.for_ != "isaac", options.for_ != "newton"
        self.materials: Dict[str, Material] = material_meanings(robot)
        self.prims: Dict[str, Prim] = {}
        self.axes: Dict[str, str] = {}
        self.left_out: Set[Tuple[str, str, int]] = set()
        self.leaders: Dict[str, Joint] = leaders_of(robot)
        self.T_root: Dict[str, Transform] = poses_at(robot, {})
        self._actuators: Dict[str, List[Actuator]] = {}
        for one in robot.actuators:
            self._actuators.setdefault(one.joint, []).append(one)

    def leader_of(self, joint: Joint) -> Optional[Joint]:
        """Return the joint that a joint follows, None for one that is free."""
        leader = self.leaders.get(joint.mimic.joint) if joint.mimic is not None else None
        return leader if leader is not None and leader.type in MOVABLE else None

    def gains_of(self, joint: Joint) -> Tuple[float, float]:
        """Return stiffness and damping of the drive of a joint: those that somebody gave it, else zeros."""
        asked, own = self.options.actuators, self._actuators.get(joint.name, [])
        if asked == "motor":
            return 0.0, 0.0
        given = [one for one in own if one.type == "position" and one.kp or one.type == "velocity" and one.kv]
        if asked == "position":
            given = [one for one in given if one.type == "position"]
        if not given:
            return (self.options.kp or 0.0) if asked == "position" else 0.0, 0.0
        first = given[0]
        return (first.kp or 0.0) if first.type == "position" else 0.0, first.kv or 0.0
