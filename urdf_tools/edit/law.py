"""The law of an act: the robot before and after, compared by the map that the act knows."""
import os
import random
from typing import Collection, Dict, List, Mapping, Tuple

from ..base.errors import ProofFailed
from ..compare.law import Law, verify_law
from ..compare.read import with_mesh_paths
from ..compare.words import text_of
from ..formats.urdf.read import read_urdf
from ..plan.decisions import Plan
from ..robot.records import RawRobot
from ..urdf.lossless_xml import Document
from ..urdf.spatial import IDENTITY_POSE
from ..verify.comparison import Comparison, ErrorBounds, NO_FOLDERS
from ..verify.equivalence import verify_joint_map
from ..verify.outside import verify_outside
from ..verify.raw_robot import assembled, RawRobot as RawUrdf, read_raw, world_motion
from ..verify.rigid_motion import composed
from .names import collision_name
from .records import Made


def raw_of(data: bytes, path: str, packages: Tuple[Tuple[str, str], ...] = (), staged: Mapping[str, str] = {}
           ) -> RawRobot:
    """Return a robot as compare reads it."""
    return with_mesh_paths(read_urdf(data, path), os.path.dirname(path), packages, staged)


def verify(before: RawRobot, after: RawRobot, made: Made, act: str, elsewhere: Collection[str] = ()) -> List[str]:
    """Verify the laws of an act; return which sensors are another: of those whose poses are given `elsewhere`.

    Raises:
        ProofFailed: a law does not hold; a fault of this tool.
    """
    excused: List[str] = []
    for first, second, law in made.laws(before, after, whole(made.law, before)):
        for difference in verify_law(first, second, law):
            if difference.kind.startswith("sensor") and difference.where in elsewhere:
                excused.append(difference.where)
                continue
            raise ProofFailed(f"{act}: another robot: {text_of(difference)}", before.file)
    return excused


def verify_outside_of(before: Document, after: Document, law: Law, plan: Plan) -> Comparison:
    """Verify as a run does what is outside of links and joints, and the note of joints; return the comparison.

    Raises:
        ProofFailed: a value is another; a fault of this tool.
    """
    old = _as_edited(read_raw(before, IDENTITY_POSE), law, plan)
    comparison = Comparison(old, plan, read_raw(after, IDENTITY_POSE), NO_FOLDERS, ErrorBounds(before.path))
    comparison.moved_axes.update(dict.fromkeys(comparison.after.joints, 0.0))
    verify_outside(comparison)
    verify_joint_map(comparison)
    return comparison


def _as_edited(robot: RawUrdf, law: Law, plan: Plan) -> RawUrdf:
    """Return the part of a robot that a plan has, with its joints at their new zeros or where they are locked."""
    joints, zeros = [], {name: joint_map.zero for name, joint_map in law.maps.items()}
    for joint in robot.joints.values():
        if not {joint.parent, joint.child} <= plan.members.keys():
            continue
        position = law.held.get(joint.name, zeros.get(joint.name, 0.0))
        if position:
            motion = world_motion(joint, IDENTITY_POSE, position, random.Random(0))
            joint = joint._replace(origin=composed(joint.origin, motion))
        if joint.mimic is not None:  # of positions less their zeros
            leader, factor, shift = joint.mimic
            joint = joint._replace(mimic=(leader, factor, shift + factor * zeros.get(leader, 0.0) - position))
        joints.append(joint._replace(type="fixed", mimic=None) if joint.name in law.held else joint)
    links = {name: link for name, link in robot.links.items() if name in plan.members}
    return assembled(robot.document, links, joints, plan.placements[plan.robot.root])


def whole(law: Law, raw: RawRobot) -> Law:
    """Return a law with what has no name of its own in a robot, and so is called by its joint, or by its ends."""
    others: Dict[str, str] = {}
    for actuator in raw.actuators:
        joint = actuator.joint
        if actuator.name.startswith(joint):
            others[actuator.name] = law.joints.get(joint, joint) + actuator.name[len(joint):]
    own_names = {shape.name for link in raw.links for shape in link.shapes}
    for sensor in raw.sensors:
        others.update({text: collision_name(text, law.links, own_names) for path, _, text in sensor.words
                       if path.endswith("/collision")})
    for loop in raw.loops:
        end = law.links.get(f"{loop.name}_1", "")
        others.update({loop.name: end[:-2]} if end else {})
    return law._replace(others={**others, **law.others})
