"""Convert the meshes of a run in several processes where that pays."""

from __future__ import annotations

import os
from functools import partial
from typing import Callable, Dict, Mapping, Optional, Tuple

from ...base.type_aliases import Show
from ...collada.conversion_records import DaeConversionResult, RareColladaFunctions
from ...meshes.copy_meshes import copied, verify_copies
from ...meshes.remaining_time import RemainingTime
from ...meshing.mesh_converter import Convert, MeshFolders, MeshConverter, UnconvertedFiles, Outcome
from ...plan.plan_decisions import Plan
from ...plan.mesh_tasks import ConversionForm, MeshJob
from ...plan.run_options import MeshOptions
from ...urdf.moved_files import FileUse
from ..parallel_calls import call_in_processes

WORTH_A_POOL = 12_000_000  # bytes of COLLADA from which a second process pays for its start
REDUCING = 100  # a mesh with a triangle reduction takes this many times as long


class PooledConverter(MeshConverter):
    """A converter that uses several processes: `jobs` of them; 0: as many as there are processors, if it pays.

    Given a folder for meshes and no conversion, it copies all referenced files there.
    """

    def __init__(
        self,
        options: MeshOptions,
        form: Optional[ConversionForm] = None,
        *,
        jobs: int = 1,
    ) -> None:
        super().__init__(options, form)
        self.jobs = jobs

    def rare(self) -> RareColladaFunctions:
        """Return the handling of strips, fans, and the merge of planar parts."""
        from ...meshes.rare_collada import RARE_COLLADA

        return RARE_COLLADA

    @property
    def copies(self) -> bool:
        """Return True if no mesh is made, and all files that the result names are copied."""
        return bool(self.options.mesh_dir) and not self.form.endings and not self.form.within

    @property
    def needs_place(self) -> bool:
        """Return True if files are made, copied or renamed."""
        return super().needs_place or self.copies

    def copies_of(self, plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
        """Verify the copies; see `MeshConverter`."""
        return verify_copies(plan, require)

    def others(self, lines: Mapping[FileUse, int], context: MeshFolders) -> UnconvertedFiles:
        """Return the handling of files that stay; see `MeshConverter`."""
        return (
            copied(lines, context, renames=self.form.names != "keep")
            if self.copies
            else UnconvertedFiles()
        )

    def convert_all(
        self, convert: Convert, calls: Mapping[MeshJob, str], show: Show
    ) -> Dict[MeshJob, Outcome]:
        """Do every job; see `MeshConverter`."""
        sizes = {job: os.path.getsize(job.path) * (REDUCING if job.within else 1) for job in calls}
        if self.jobs or sum(sizes.values()) >= WORTH_A_POOL:
            # Large files first: a large file at the end would keep one process busy while the others are idle.
            largest_first = sorted(calls.items(), key=lambda call: sizes[call[0]], reverse=True)
            outcomes = call_in_processes(
                self.jobs, convert, largest_first, partial(_finished, left_of(sizes, show))
            )
            if outcomes:
                return dict(zip((job for job, _ in largest_first), outcomes))
        work = left_of(sizes, show)
        converted: Dict[MeshJob, Outcome] = {}
        for job, prefix in calls.items():
            converted[job] = convert((job, prefix), partial(work.show, job))
            work.finish(job)
        return converted


def left_of(sizes: Mapping[MeshJob, int], show: Show) -> RemainingTime[MeshJob]:
    """Return the remaining time of the jobs of meshes, which are shown by the names of their files."""
    return RemainingTime(sizes, show, lambda job: os.path.basename(job.path))


def _finished(work: RemainingTime[MeshJob], call: Tuple[MeshJob, str], outcome: Outcome) -> None:
    """Show that a job is done, with its number of triangles."""
    job, _ = call
    triangles = 0
    if isinstance(outcome, DaeConversionResult):
        triangles = sum(part.triangles for part in outcome.parts)
    work.finish(job)
    work.show(job, triangles)
