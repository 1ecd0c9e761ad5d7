"""The URDF of an MJCF or SDF, proven to be the same robot before anything is done with it."""
from typing import Callable, Dict, List, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from ..compare.comparison import compare
from ..compare.differences import ASPECTS
from ..compare.mapping import IDENTITY
from ..compare.read import first_element
from ..compare.read_mjcf import read_mjcf
from ..compare.read_sdf import read_sdf
from ..compare.read_urdf import read_urdf
from ..compare.records import RawRobot
from ..compare.words import text_of
from ..model.urdf_text import write_urdf
from .from_raw import CLOSING, model_from_raw, OF_JOINT, UNSHAPED, without_doubles

READERS: Dict[str, Callable[[bytes, str], RawRobot]] = {"mujoco": read_mjcf, "sdf": read_sdf}
PROVEN = frozenset(ASPECTS) - {"actuators", "world"}  # of those a URDF says less


def as_urdf(source: bytes, path: str) -> Tuple[bytes, Tuple[Diagnostic, ...]]:
    """Return a URDF of an MJCF or SDF, and what it lacks; anything else as it is.

    Raises:
        UrdfError: the file cannot be read as one robot, or a URDF cannot hold it.
        ProofFailed: the URDF is another robot; a fault of this tool.
    """
    read = READERS.get(first_element(source))
    if read is None:
        return source, ()
    raw = read(source, path)
    made = model_from_raw(raw)
    try:
        written = write_urdf(made.robot)
    except UrdfError as error:
        problems = getattr(error, "problems", (error,))
        raise ErrorGroup([BrokenRobot(one.message, path, one.line) for one in problems]) from None
    data = written.text.encode("utf-8")
    verify_urdf(raw, data, path)
    return data, (*made.notes, *written.notes)


def verify_urdf(raw: RawRobot, data: bytes, path: str) -> None:
    """Compare the URDF with what was read.

    Raises:
        ProofFailed: it is another robot.
    """
    told = without_doubles(raw)._replace(
        loops=tuple(loop for loop in raw.loops if loop.kind == "point"),
        links=tuple(link._replace(shapes=tuple(shape for shape in link.shapes if shape.geometry not in UNSHAPED))
                    for link in raw.links))
    back = read_urdf(data, path)
    told, back = (robot._replace(  # what is listed
        joints=tuple(one._replace(values={key: value for key, value in one.values.items() if key in OF_JOINT})
                     for one in robot.joints),
        sensors=tuple(one._replace(words=()) for one in robot.sensors)) for robot in (told, back))
    found = compare(told, back, given=IDENTITY, aspects=PROVEN, tolerance=1e-9)
    left: List[str] = [text_of(one) for one in found.differences
                       if one.kind != "frame_only_b" or not one.where.startswith(CLOSING)]  # that a loop was given
    if left or not (found.differences or found.is_same):
        raise ProofFailed(f"as a URDF it is another robot: {left[0] if left else found.verdict}", path)
