"""One model without a robot: any format that is read into any that is written."""
from typing import List, Optional, Sequence, Tuple

from ...base.diagnostics import Diagnostic
from ...collada.records import Conversion, MeshProgress
from ...meshes.arranging import MeshTarget
from ...meshes.convert import convert_mesh
from ...meshing.converter import MeshConverter
from ...plan.mesh_tasks import ConvertedShape, MeshFile, MeshJob
from ...plan.options import MeshOptions
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
