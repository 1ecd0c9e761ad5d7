"""Convert the mesh files of the plan, each once."""
import os
from functools import partial
from typing import Dict, List, Optional, Tuple

from ..base.diagnostics import Diagnostic, Kind
from ..base.errors import BrokenMesh, UsageError, UrdfError
from ..base.files import file_stamp
from ..base.kinds import MESH_NOT_FOUND, MESH_UNREADABLE
from ..urdf.model import Shape
from ..urdf.package_resolver import missing_meshes, package_notices, resolve
from ..collada.records import Conversion, MeshProgress
from ..plan.decisions import Plan
from ..plan.mesh_tasks import MeshJob, MeshTask
from .converter import MeshContext, MeshConverter, Outcome

Converted = List[Tuple[MeshTask, Conversion]]


def convert_tasks(plan: Plan, context: MeshContext) -> Tuple[Converted, List[Diagnostic]]:
    """Convert the files of all tasks that have one, in file order; return them and the warnings.

    Raises:
        UrdfError: with `strict`, a file that cannot be found or read.
        ProofFailed: the triangles that were written are not those of a file.
    """
    warnings: List[Diagnostic] = []
    tasks, conversions = context.converter.do_tasks(_found(plan, context, warnings), partial(_convert_all, context))
    converted: Converted = []
    for task in tasks:
        outcome = conversions[task.job]
        if isinstance(outcome, UrdfError):
            warnings.append(_left(MESH_UNREADABLE, task.shape, str(outcome), plan))
        else:
            converted.append((task, outcome))
    return converted, missing_meshes(warnings)


def _found(plan: Plan, context: MeshContext, warnings: List[Diagnostic]) -> List[MeshTask]:
    """Return the tasks whose files exist and need a conversion, with the real paths of the files."""
    tasks: List[MeshTask] = []
    for task in plan.mesh_tasks:
        file = resolve(task.shape.mesh, context.resolver)
        if file.path is None:
            warnings.append(_left(MESH_NOT_FOUND, task.shape, file.tried, plan))
            continue
        warnings += package_notices([file])
        path = os.path.realpath(file.path)
        path = context.resolver.staged.get(path, path)
        if not context.converter.is_ready(path):
            tasks.append(task._replace(job=task.job._replace(path=path)))
    return tasks


def _left(kind: Kind, shape: Shape, reason: str, plan: Plan) -> Diagnostic:
    """Return the warning of a mesh that is left as it is, or, with `strict`, raise BrokenMesh."""
    warning = Diagnostic(kind, shape.source.line, "left", (shape.mesh, reason))
    if plan.options.meshes.strict:
        raise BrokenMesh(warning.text, plan.robot.document.path, warning.line)
    return warning


def _convert_all(context: MeshContext, jobs: List[MeshJob], start: int) -> Dict[MeshJob, Outcome]:
    """Do every job; one that cannot be done yields its error instead.

    The names of the files that are made count from `start`.
    """
    converter = context.converter
    calls = {job: f"mesh{number}" for number, job in enumerate(jobs, start)}
    return converter.convert_all(partial(outcome_of, converter, context.staging_dir), calls,
                                 context.progress or (lambda name, triangles: None))


def outcome_of(converter: MeshConverter, staging_dir: str, call: Tuple[MeshJob, str],
               progress: Optional[MeshProgress] = None) -> Outcome:
    """Return the conversion of one file, or the error that says why there is none."""
    job, prefix = call
    try:
        conversion = converter.convert(job, staging_dir, prefix, progress)
    except UrdfError as error:
        return error
    except OSError as error:
        raise UsageError(f"cannot be written: {error.strerror or error}", error.filename or staging_dir) from None
    if not conversion.parts:
        return BrokenMesh("; ".join(("draws no triangles", *map(str, conversion.notes))), job.path)
    return conversion._replace(parts=tuple(part._replace(stamp=file_stamp(part.file)) for part in conversion.parts))
