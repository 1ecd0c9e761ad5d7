"""The USD file of a run, and the layer of its meshes beside it."""
import os

from ...base.errors import UsageError
from ...base.version import __version__
from ...model.choices import UsdOptions
from ...run.records import Exported
from ..decisions import decided_for
from ..mesh_table import MeshTable, unseen
from ..request import ExportRequest
from ..requests import base_of, excluded_of, in_input, mesh_table, reference_of_run, sound_model
from .verify import write_usd

ENDING = ".usda"


def export_usd(request: ExportRequest) -> Exported:
    """Return the USD file, and where it has meshes the layer of these beside it, with their images.

    Raises:
        UrdfError: an option, or what USD cannot hold.
    """
    path = str(request.choices["usd"])
    stem, ending = os.path.splitext(path)
    if ending.lower() != ENDING:
        raise UsageError(f"{request.spelled('usd')} writes text, whose name ends in .usda: `usdcat -o {stem}.usdc "
                         f"{stem}.usda` makes {ending or 'another format'} of it", path)
    robot = sound_model(request)
    base, held = base_of(request)
    layer = f"{stem}_meshes{ENDING}"
    meshes = request.choices["usd_meshes"] or "beside"
    table = mesh_table(request) if meshes != "none" else MeshTable()
    options = UsdOptions(
        base=base, actuators=request.choices["actuators"] or "", kp=request.choices["kp"], exclude=excluded_of(request),
        mesh_files=tuple((name, file.source) for name, file in table.meshes.items() if file.source),
        for_=request.choices["usd_for"] or "both", bodies=request.choices["usd_bodies"] or "flat", meshes=meshes,
        layer=f"./{os.path.basename(layer)}", dae=request.result.plan.options.meshes.dae, spelled=request.spelled,
        line_of=request.line_of)
    written = in_input(request, lambda: write_usd(robot, options, reference_of_run(request)))
    read = reference_of_run(request)._replace(format="usd")  # which says nothing of what USD lacks
    decided, mark = decided_for(request, written.notes, read, written.text, {})
    files = [(path, _marked(written.text, mark))]
    files += [(layer, _marked(written.layer))] if written.layer else []
    files += [(os.path.join(os.path.dirname(path), name), data) for name, data in written.images.items()]
    lines = [f"USD: {path} is read again and is the same robot", *(f"USD: {note}" for note in (*held, *written.said))]
    return Exported(tuple(files), tuple(lines), (*table.assumed, *written.notes),
                    left=() if meshes == "none" else unseen("USD", robot, table.meshes), decided=decided)


def _marked(text: str, mark: str = "") -> bytes:
    """Return the bytes of a text with the comments by which this tool knows its files and what was decided."""
    decided = "".join(f"# {line}\n" for line in mark.split("\n")[1:])
    return text.replace("\n", f"\n# made from a URDF by `urdf_simplify {__version__}`\n{decided}", 1).encode()
