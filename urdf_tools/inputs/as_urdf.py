"""The URDF of an MJCF or SDF, verified to be the same robot before it is used."""
from functools import partial
from typing import Callable, Dict, Optional, Tuple, Union

from ..base.number_text import count_of
from ..base.errors import BrokenRobot, ErrorGroup, ProofFailed, UrdfError
from ..compare.comparison import compare
from ..compare.mapping import IDENTITY
from ..compare.read import first_element
from ..compare.read_mjcf import read_mjcf
from ..compare.read_sdf import read_sdf
from ..compare.read_urdf import read_urdf
from ..compare.records import RawRobot
from ..compare.words import text_of
from ..model.urdf_text import write_urdf
from ..plan.mesh_tasks import MeshFile
from ..run.pipeline import MadeUrdf, MeshPlace
from .from_raw import model_from_raw
from .input_lines import mark_lines
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
