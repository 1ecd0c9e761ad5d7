"""The proof of an SDF text: it is read again and compared with the URDF's own text, or with the model that has none."""
import re
from typing import Dict, FrozenSet, NamedTuple, Union

from ...base.errors import ProofFailed
from ...compare.read_sdf import read_sdf
from ...compare.records import RawFrame, RawRobot, RawShape
from ...model.choices import Frame, SdfOptions
from ...model.records import Robot
from ..proof import Decided, prove, reference_of
from ..read_back import differs, read_back
from .verify_sensors import compare_gazebo

MAX_COORDINATE = 1e15


class SdfDecided(NamedTuple):
    """Where the text may differ from the robot: shapes left out, and the names in it.

    Attributes:
        links: names by link. frames: by name in the text.
    """

    left_out: FrozenSet[tuple]  # type: ignore[type-arg]
    links: Dict[str, str]
    frames: Dict[str, Frame]
    options: SdfOptions


def verify_sdf(text: str, source: Union[Robot, RawRobot], decided: SdfDecided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    options = decided.options
    for frame in options.frames:
        if frame.link in decided.links and frame not in decided.frames.values():
            raise ProofFailed(f"SDF: frame '{frame.name}' is not written")
    text = re.sub(r"(?<=[</ ])urdf:", "", text)  # what SDF does not define, as it was said
    written = read_sdf(text)
    frames = tuple(RawFrame(name, decided.links[frame.link], frame.pose.transform)
                   for name, frame in decided.frames.items())
    prove(written, reference_of(source), Decided(
        "SDF", decided.links, frames=frames, left_out=decided.left_out, shows=_shows, files=dict(options.mesh_files),
        base=options.base, massless=options.massless, inertia=options.inertia, out_of_reach=MAX_COORDINATE))
    if isinstance(source, Robot):
        model = read_back(text).find("model")
        if model is None:
            raise differs("the file", "no model", "one")
        compare_gazebo(model, source)


def _shows(shape: RawShape) -> bool:
    """Return True for a shape that SDF can show: none of its sizes is zero."""
    return shape.geometry in ("mesh", "plane") or min(shape.sizes) > 0.0
