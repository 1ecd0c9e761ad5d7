"""Call one function many times in other processes."""

from __future__ import annotations

import os
import signal
import sys
from typing import Callable, List, Optional, Sequence, TypeVar

# Windows waits for at most 63 handles at once, and ProcessPoolExecutor needs two of them.
MOST_WORKERS = 61 if sys.platform == "win32" else 1000
Call = TypeVar("Call")
Answer = TypeVar("Answer")


def processors() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def call_in_processes(
    jobs: int,
    function: Callable[[Call], Answer],
    calls: Sequence[Call],
    finished: Callable[[Call, Answer], None],
) -> Optional[List[Answer]]:
    """Return the function's result for each call; None if a pool is not worthwhile, not available, or a worker died.

    `jobs` is the number of processes, 0: one for each processor. `finished` is called with each call and its answer, in
    order. However this ends, no process is left running.

    Raises:
        whatever the function raises.
    """
    workers = min(jobs or processors(), len(calls), MOST_WORKERS)
    if workers < 2:
        return None
    try:  # imported here: it loads slowly and few runs need it
        from concurrent.futures.process import BrokenProcessPool, ProcessPoolExecutor
        from multiprocessing import active_children, current_process
    except ImportError:  # a system without semaphores
        return None
    if current_process().daemon:  # such a process may have no children
        return None

    others = set(active_children())
    try:
        pool = ProcessPoolExecutor(workers, initializer=end_at_signals)
    except (ImportError, NotImplementedError, OSError):
        return None
    try:
        # Not `map`, which cancels calls: a pool that breaks afterwards prints a traceback about them.
        futures = [pool.submit(function, call) for call in calls]
        answers: List[Answer] = []
        for call, future in zip(calls, futures):
            answers.append(future.result())
            finished(call, answers[-1])
        return answers
    except BrokenProcessPool:
        return None
    except BaseException:
        for child in set(active_children()) - others:
            child.terminate()
        raise
    finally:
        pool.shutdown()


def end_at_signals() -> None:
    """Let a process end at once and silently on a signal; its parent process cleans up."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
