"""The law of an act: the robot before and after, compared by the map that the act knows."""
import os
from typing import Dict, Mapping, Tuple

from ..base.errors import ProofFailed
from ..compare.law import Law, verify_law
from ..compare.read import with_mesh_paths
from ..compare.read_urdf import read_urdf
from ..compare.records import RawRobot
from ..compare.words import text_of
from .names import collision_name
from .records import Made


def raw_of(data: bytes, path: str, packages: Tuple[Tuple[str, str], ...] = (), staged: Mapping[str, str] = {}
           ) -> RawRobot:
    """Return a robot as compare reads it."""
    return with_mesh_paths(read_urdf(data, path), os.path.dirname(path), packages, staged)


def verify(before: RawRobot, after: RawRobot, made: Made, act: str) -> None:
    """Verify the laws of an act.

    Raises:
        ProofFailed: a law does not hold; a fault of this tool.
    """
    for first, second, law in made.laws(before, after, whole(made.law, before)):
        for difference in verify_law(first, second, law):
            raise ProofFailed(f"{act}: another robot: {text_of(difference)}", before.file)


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
