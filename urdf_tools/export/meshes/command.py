"""The command line for one model without a robot: any format that is read into any that is written."""
import argparse
from typing import List, Optional, Sequence, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import UsageError
from ...cli.extract_meshes import model_options
from ...collada.records import Conversion, MeshProgress
from ...meshes.arranging import MeshTarget
from ...meshes.convert import convert_mesh
from ...meshes.rare_collada import RARE_COLLADA
from ...meshing.converter import MeshConverter
from ...plan.mesh_tasks import ConvertedShape, MeshFile, MeshJob
from ...plan.options import MeshOptions
from ...run.extract_meshes import default_folder, extract_conversion
from ..model_text import print_model
from .format_converter import finish_files


class ModelConverter(MeshConverter):
    """A converter of one file to a target."""

    def __init__(self, options: MeshOptions, target: MeshTarget) -> None:
        super().__init__(options)
        self.target = target

    def convert(self, job: MeshJob, staging_dir: str, prefix: str, progress: Optional[MeshProgress] = None
                ) -> Conversion:
        """Convert the file; see `MeshConverter`."""
        return convert_mesh(job.path, staging_dir, self.target, prefix)

    def finish(self, files: Sequence[MeshFile], shapes: Sequence[ConvertedShape]
               ) -> Tuple[List[MeshFile], List[Diagnostic]]:
        """Return the files with all that they name; see `MeshConverter`."""
        return finish_files(files, {})


def run_model(arguments: argparse.Namespace) -> int:
    """Convert the model that a command line names; return the exit status.

    Raises:
        UrdfError: see `extract_meshes_from_dae`.
    """
    form, up, path = arguments.mesh_format, arguments.gltf_up, arguments.input_urdf
    options = model_options(arguments)
    if form is None:
        raise UsageError("this is a mesh, not a URDF (--mesh-format stl, obj, gltf or glb converts it)", path)
    if up and form not in ("gltf", "glb"):
        raise UsageError("--gltf-up is for --mesh-format gltf or glb")
    separate = not arguments.combine_dae_meshes or form in ("gltf", "glb")
    target = MeshTarget(form, up or "y", dae=options.dae._replace(rare=RARE_COLLADA, separate=separate))
    print_model(arguments, extract_conversion(path, arguments.output or default_folder(path),
                                              ModelConverter(options, target), force=arguments.force), "model")
    return 0
