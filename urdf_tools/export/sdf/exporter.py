"""The SDF file of a run."""
import os

from ...model.choices import SdfOptions
from ...run.records import Exported
from ..decisions import decided_for
from ..mesh_table import files_for_sdf, unseen
from ..request import ExportRequest
from ..requests import base_of, in_input, mesh_table, reference_of_run, sound_model
from .verify import verify_uris, write_sound_sdf


def export_sdf(request: ExportRequest) -> Exported:
    """Return the SDF file.

    Raises:
        UrdfError: an option, or what SDF cannot hold.
    """
    robot, path = sound_model(request), str(request.choices["sdf"])
    meshes, images, assumed = mesh_table(request)
    names, warnings = files_for_sdf({**meshes, **images}, os.path.dirname(path))
    base, held = base_of(request)
    options = SdfOptions(
        base=base, mesh_files=tuple(names.items()), spelled=request.spelled, line_of=request.line_of)
    written, read = in_input(request, lambda: write_sound_sdf(robot, options, reference_of_run(request)))
    verify_uris(names, os.path.dirname(path), {
        name: file.target for name, file in (*meshes.items(), *images.items()) if file.source is not None})
    lines = [f"SDF: {path} is read again and is the same robot",
             *(f"SDF: {note}" for note in (*held, *written.said))]
    decided, mark = decided_for(request, written.notes, read, written.text, {
        text: {**meshes, **images}[name].source for name, text in names.items()})
    text = written.text.replace("?>\n", f"?>\n{mark}\n", 1)
    return Exported(((path, text.encode("utf-8")),), tuple(lines),
                    (*assumed, *warnings, *written.notes), left=unseen("SDF", robot, meshes), decided=decided)
