"""The URDF of an MJCF or SDF, verified to be the same robot before it is used.

Its messages refer to lines of the user's file.
"""
from functools import partial
from typing import Callable, Dict, Mapping, Optional, Tuple, Union

from ..base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from ..base.files import first_element
from ..base.number_text import count_of
from ..compare.comparison import compare
from ..compare.mapping import IDENTITY
from ..compare.words import text_of
from ..formats.mjcf.read import read_mjcf
from ..formats.sdf.read import read_sdf
from ..formats.urdf.read import read_urdf
from ..formats.urdf.model import write_urdf
from ..plan.mesh_tasks import MeshFile
from ..robot.records import RawRobot
from ..run.records import MadeUrdf, MeshPlace
from ..urdf.lossless_xml import Document, Element
from .from_raw import model_from_raw
from .kinds import INPUT_LOST
from .sayable import sayable

NAMES = {"mjcf": "MJCF", "sdf": "SDF"}
READERS: Dict[str, Callable[[Union[str, bytes], str], RawRobot]] = {"mujoco": read_mjcf, "sdf": read_sdf}


def as_urdf(source: bytes, path: str, folders: Optional[MeshPlace] = None) -> MadeUrdf:
    """Return a URDF of an MJCF or SDF, and notes on what is lost; other sources are returned unchanged.

    Meshes inside the source become files if `folders` is given.

    Raises:
        UrdfError: the file cannot be read as a single robot, or a URDF cannot represent it.
        ProofFailed: the URDF is another robot; a fault of this tool.
    """
    read = READERS.get(first_element(source))
    if read is None:
        return MadeUrdf(source)
    raw = read(source, path)
    files: Tuple[MeshFile, ...] = ()
    if folders is not None and any(shape.inline for link in raw.links for shape in link.shapes):
        from .mesh_files import with_mesh_files

        raw, files = with_mesh_files(raw, folders)
    kept, lost = sayable(raw, "urdf")
    made = model_from_raw(kept)
    try:
        written = write_urdf(made.robot)
    except UrdfError as error:
        problems = getattr(error, "problems", (error,))
        raise ErrorGroup([BrokenRobot(problem.message, path, problem.line) for problem in problems]) from None
    data = written.text.encode("utf-8")
    # Compared with what is kept, as the losses are reported.
    verify_urdf(kept, data, path)
    count = sum(note.kind is INPUT_LOST for note in lost)
    less = f" without {count_of(count, 'thing')} that a URDF cannot say" if count else ""
    return MadeUrdf(data, (f"{NAMES[kept.format]} -> URDF{less}",), (*lost, *made.notes, *written.notes),
                    files, partial(mark_lines, kept))


def verify_urdf(kept: RawRobot, data: bytes, path: str) -> None:
    """Verify that the URDF has everything that was not noted as lost.

    Raises:
        ProofFailed: it is another robot.
    """
    proof = compare(kept, read_urdf(data, path), given=IDENTITY, tolerance=1e-9, losses={})
    if not proof.is_same:
        why = next(map(text_of, proof.differences), proof.verdict)
        raise ProofFailed(f"as a URDF it is another robot: {why}", path)


def mark_lines(kept: RawRobot, document: Document) -> None:
    """Give each element of a URDF the line of the element that it was made from; 0 if the reader does not know it."""
    links = {**{frame.name: frame.line for frame in kept.frames}, **{link.name: link.line for link in kept.links}}
    joints = {joint.name: joint.line for joint in kept.joints}
    tables: Mapping[str, Dict[str, int]] = {
        "link": links, "joint": joints, "gazebo": {**links, **joints},
        "loop_joint": {loop.name: loop.line for loop in kept.loops},
        "sensor": {sensor.name: sensor.line for sensor in kept.sensors},
        "transmission": {f"{actuator.name}_transmission": actuator.line for actuator in kept.actuators}}
    shapes = {link.name: link.shapes for link in kept.links}
    for top in document.root.elements():
        name, child = top.get("name") or top.get("reference") or "", top.find("child")
        holder = child.get("link") or "" if child is not None else ""  # for a joint with a name that was made up
        _mark(top, tables.get(top.name, {}).get(name, 0) or links.get(holder, 0))
        for sensor in (inner for inner in top.walk() if inner.name == "sensor"):
            _mark(sensor, tables["sensor"].get(sensor.get("name") or "", sensor.line))
        for role in ("visual", "collision"):
            of_role, elements = [shape for shape in shapes.get(name, ()) if shape.role == role], top.elements(role)
            for shape, element in zip(of_role, elements) if len(of_role) == len(elements) else ():
                _mark(element, shape.line or top.line)


def _mark(top: Element, line: int) -> None:
    for element in top.walk():
        element.line_starts = bytes(line)  # an element's line is the number of line starts before it
