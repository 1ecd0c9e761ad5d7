"""Convert the meshes of a run in several processes, where that pays."""
import os
from functools import partial
from typing import Callable, Dict, Mapping, Optional, Sequence, Tuple

from ...collada.records import Conversion, RareCollada
from ...meshing.converter import Convert, Outcome
from ...plan.mesh_tasks import MeshForm, MeshJob
from ...plan.options import MeshOptions
from .copies import CopyingConverter

WORTH_A_POOL = 12_000_000  # bytes of COLLADA from which a second process pays for its start


class PooledConverter(CopyingConverter):
    """A converter that uses several processes: `jobs` of them, 0: as many as there are processors, where it pays."""

    def __init__(self, options: MeshOptions, rare: Callable[[], Optional[RareCollada]], form: Optional[MeshForm] = None,
                 *, jobs: int) -> None:
        super().__init__(options, rare, form)
        self.jobs = jobs

    def convert_all(self, convert: Convert, calls: Mapping[MeshJob, str], show: Callable[[str, int], None]
                    ) -> Dict[MeshJob, Outcome]:
        """Do every job; see `MeshConverter`."""
        sizes = {job: os.path.getsize(job.path) for job in calls}
        workers = min(self.jobs or os.cpu_count() or 1, len(calls))
        if workers > 1 and (self.jobs or sum(sizes.values()) >= WORTH_A_POOL):
            # A large file that comes last would keep one process busy while the others have nothing to do.
            largest_first = sorted(calls.items(), key=lambda call: sizes[call[0]], reverse=True)
            outcomes = _in_processes(convert, largest_first, workers, show)
            if outcomes:
                return outcomes
        return super().convert_all(convert, calls, show)


def _in_processes(convert: Convert, calls: Sequence[Tuple[MeshJob, str]], workers: int, show: Callable[[str, int], None]
                  ) -> Dict[MeshJob, Outcome]:
    """Do every job in another process; return nothing where there are none."""
    from .process_pool import call_in_processes

    outcomes = call_in_processes(convert, calls, workers, partial(_finished, show))
    return dict(zip((job for job, _ in calls), outcomes or ()))


def _finished(show: Callable[[str, int], None], call: Tuple[MeshJob, str], outcome: Outcome) -> None:
    parts = outcome.parts if isinstance(outcome, Conversion) else ()
    show(os.path.basename(call[0].path), sum(part.triangles for part in parts))
