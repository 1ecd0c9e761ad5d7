"""The remaining time of several jobs that take seconds each, for the line of progress."""

from __future__ import annotations

import time
from typing import Callable, Dict, Generic, Mapping, TypeVar

from ..base.type_aliases import Show

Job = TypeVar("Job")


class RemainingTime(Generic[Job]):
    """The displayed progress of several jobs: the current job, and the time that the remaining jobs may take.

    Attributes:
        sizes: the amount of work of each job, in any unit.
        name_of: returns the displayed name of a job.
    """

    def __init__(self, sizes: Mapping[Job, int], show: Show, name_of: Callable[[Job], str]) -> None:
        """Begin at this moment, with no job finished."""
        self.sizes = sizes
        self.show_line = show
        self.start_time = time.monotonic()
        self.finished: Dict[Job, int] = {}
        self.name_of = name_of

    def finish(self, job: Job) -> None:
        """Count a job as finished."""
        self.finished[job] = self.sizes[job]

    def show(self, job: Job, triangles: int) -> None:
        """Show a running or finished job, with its number of triangles."""
        text = self.name_of(job)
        made = sum(self.finished.values())
        count = len(self.sizes)
        if count > 1:
            number = len(self.finished) + (job not in self.finished)
            seconds = 0.0
            if made:
                # At the rate so far, for each remaining unit of work.
                left = sum(self.sizes.values()) - made
                seconds = left * (time.monotonic() - self.start_time) / made
            estimate = f", about {time_text(seconds)} left" if seconds >= 1.0 else ""
            text += f" ({number} of {count}{estimate})"
        self.show_line(text, triangles)


def time_text(seconds: float) -> str:
    """Return a time in the unit that people use: 40 s, 3 min, 2 h."""
    for size, unit in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 1.5 * size:
            return f"{seconds / size:.0f} {unit}"
    return f"{seconds:.0f} s"
