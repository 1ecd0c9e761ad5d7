"""The context of mesh conversion: folders, names and converter; the interface of all converters."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Collection, Dict, List, Mapping, Optional, Sequence, Tuple, Union

from ..base.type_aliases import Choices, Show
from ..base.diagnostics import Diagnostics, Notes
from ..base.errors import UrdfError
from ..base.file_reading import default_output, robot_stem
from ..base.paths import path_from
from ..base.record_type import Record
from ..urdf.moved_files import FileUse
from ..urdf.package_resolver import PackageResolver, resolver_for
from ..collada.conversion_records import (
    COLLADA_ENDINGS,
    DaeConversionResult,
    MeshProgress,
    RareColladaFunctions,
)
from ..plan.plan_decisions import Plan
from ..plan.mesh_tasks import (
    ConvertedShape,
    FinishedFile,
    ConversionForm,
    MeshJob,
    ConversionTask,
    NO_CONVERSION,
)
from ..plan.run_options import MeshOptions, Options

Outcome = Union[DaeConversionResult, UrdfError]
# Takes jobs, and the number of the first job.
ConvertAll = Callable[[List[MeshJob], int], Dict[MeshJob, Outcome]]
# Takes a job, the prefix of its file names, and a MeshProgress.
Convert = Callable[..., Outcome]


class UnconvertedFiles(Record):
    """The names and copies of the meshes and images of a robot that are not converted.

    Attributes:
        name_of: returns the new name of a file from its use, with its real path; None: the usual name.
        copied: the names of the copied files.
        files: the copies.
        warnings: warnings about missing files that these refer to.
    """

    name_of: Optional[Callable[[FileUse], str]] = None
    copied: Collection[str] = ()
    files: Tuple[FinishedFile, ...] = ()
    warnings: Notes = ()


class MeshConverter:
    """A converter of meshes: this class converts COLLADA to STL, subclasses override its methods.

    Converters are pickled for other processes.

    Attributes:
        options: the options of meshes.
        form: the form that meshes are converted to.
        adds_files: True if the result names files that are made later.
        inside: the files of meshes that the input contains.
        staged: see `PackageResolver`.
        folder: the folder of the result's files.
    """

    adds_files = False
    folder = ""
    inside: Sequence[FinishedFile] = ()
    staged: Mapping[str, str] = {}

    def __init__(
        self,
        options: MeshOptions,
        form: Optional[ConversionForm] = None,
    ) -> None:
        """Convert COLLADA by default, unless the options or a form say otherwise."""
        endings = COLLADA_ENDINGS if options.wanted else ()
        self.options = options
        self.form = form or ConversionForm(endings, options.separate_dae_meshes)

    def rare(self) -> Optional[RareColladaFunctions]:
        """Return the readers of rare COLLADA features; None in the single file."""
        return None

    @property
    def needs_place(self) -> bool:
        """Return True if files are made, copied or renamed."""
        return self.form != NO_CONVERSION or self.adds_files

    def is_ready(self, path: str) -> bool:
        """Return True if a file needs no conversion."""
        return False

    def convert(
        self,
        job: MeshJob,
        staging_dir: str,
        prefix: str,
        progress: Optional[MeshProgress] = None,
    ) -> DaeConversionResult:
        """Write the files of a job into a folder, with names that begin with a prefix; may run in another process.

        Raises:
            UrdfError: the file cannot be used.
            ProofFailed: the written files differ from the content of the input file.
        """
        from ..collada.collada_to_stl import (
            convert_dae,
        )  # imported late, because few runs convert meshes

        dae = self.options.dae._replace(separate=job.separate, rare=self.rare())
        return convert_dae(job.path, staging_dir, dae, prefix, progress)

    def do_tasks(
        self, tasks: List[ConversionTask], convert_all: ConvertAll
    ) -> Tuple[List[ConversionTask], Dict[MeshJob, Outcome]]:
        """Do the jobs of tasks, each once; return the tasks with the jobs done for them, and the outcomes."""
        return tasks, convert_all(list(dict.fromkeys(task.job for task in tasks)), 0)

    def convert_all(
        self, convert: Convert, calls: Mapping[MeshJob, str], show: Show
    ) -> Dict[MeshJob, Outcome]:
        """Do all jobs, given with the prefixes of their file names; `show` is called like `MeshMakingSettings.progress`."""
        return {
            job: convert((job, prefix), partial(show, os.path.basename(job.path)))
            for job, prefix in calls.items()
        }

    def finish(
        self, files: Sequence[FinishedFile], shapes: Sequence[ConvertedShape]
    ) -> Tuple[List[FinishedFile], Diagnostics]:
        """Return the files of the shapes together with further files that they refer to, and the warnings."""
        return list(files), []

    def others(self, lines: Mapping[FileUse, int], context: "MeshFolders") -> UnconvertedFiles:
        """Return names and copies of the files that are not converted, given by use in the URDF, each with a line."""
        return UnconvertedFiles()

    def copies_of(self, plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
        """Verify the copies; return the original of each copy by its path and URI: {}, as this converter copies no files.

        The converter of the export overrides it; see `ComparedTexts.copies`.
        """
        return {}

    def prefix_of(self, folder: str) -> str:
        """Return the prefix of file names in a folder, or "" for the usual prefix."""
        return ""


class MeshMakingSettings(Record):
    """How and where a run makes mesh files.

    Attributes:
        staging_dir: a temporary folder for new files, until the run writes everything.
        converter: the converter that makes the files.
        progress: a function called from time to time with the name of a file and the number of its triangles so far.
    """

    staging_dir: str
    converter: MeshConverter
    progress: Optional[Show] = None


class MeshFolders(Record):
    """The folders of the meshes of a robot.

    Attributes:
        resolver: finds the files that the robot names.
        making: makes new files.
        target: the folder where the new files will be.
        prefix: the text before the name of a new file in the URDF, with its slash.
    """

    resolver: PackageResolver
    making: MeshMakingSettings
    target: str
    prefix: str


def mesh_folder(path: str, options: Options, output: str, choices: Choices) -> str:
    """Return the folder for meshes: named after the output, the first target of an export, or an unchanged input."""
    as_is = not (options.merge or options.strip_hardware or options.reorient)
    named = output or choices.get("first_target") or (path if as_is else default_output(path))
    return options.meshes.mesh_dir or f"{robot_stem(named)}_meshes"


def mesh_context(plan: Plan, path: str, output: str, making: MeshMakingSettings) -> MeshFolders:
    """Return the folders of a run's meshes, from the paths of its input and its result ("": the usual path)."""
    converter = making.converter
    target = converter.folder
    prefix = plan.options.meshes.mesh_prefix or converter.prefix_of(target)
    if not prefix:
        start = os.path.dirname(os.path.abspath(output or default_output(path)))
        # `..` is relative to the folder that a symbolic link points to.
        above, name = os.path.split(target.rstrip("/"))
        real_target = os.path.join(os.path.realpath(above), name)
        prefix = path_from(os.path.realpath(start), real_target)
    resolver = resolver_for(
        plan.robot.document.root,
        os.path.dirname(os.path.abspath(path)),
        plan.options.meshes.package,
    )._replace(staged=converter.staged)
    return MeshFolders(
        resolver=resolver,
        making=making,
        target=target,
        prefix=prefix.rstrip("/") + "/",
    )
