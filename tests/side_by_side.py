"""The tests in several processes at once, with one report as if they had run in a row: `pytest --processes 0`.

Each process is a fork of the one that has collected the tests. It takes the next file when it has no more tests, so
that all end at about the same time, and its reports are shown by the first process, which runs no test itself.
"""
import os
import sys
import traceback
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

import pytest

Files = List[List[pytest.Item]]


class Sender:
    """A plugin that sends what the runner of the tests reports."""

    def __init__(self, config: pytest.Config, reports: "Connection[Any, Any]") -> None:
        self.config, self.reports = config, reports

    def pytest_runtest_logstart(self, nodeid: str, location: Tuple[str, Optional[int], str]) -> None:
        self.reports.send((nodeid, location))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.reports.send(self.config.hook.pytest_report_to_serializable(config=self.config, report=report))


def run_files(session: pytest.Session, next_file: Callable[[], List[pytest.Item]]) -> None:
    """Run the tests of one file after the other, each with the next one at hand, so that fixtures end in time."""
    items = next_file()
    while items:
        following: List[pytest.Item] = []
        for number, item in enumerate(items, 1):
            if number == len(items):
                following = next_file()
            coming = items[number] if number < len(items) else following[0] if following else None
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=coming)
        items = following


def work(session: pytest.Session, files: Files, numbers: int, reports: "Connection[Any, Any]") -> None:
    """Be a process that runs tests; does not return."""
    def next_file() -> List[pytest.Item]:
        number = os.read(numbers, 2)
        return files[int.from_bytes(number, "big")] if number else []

    plugins = session.config.pluginmanager
    capture: Any = plugins.getplugin("capturemanager")
    status = 1
    try:
        plugins.unregister(name="terminalreporter")
        plugins.register(Sender(session.config, reports))
        capture.stop_global_capturing()  # its file would be written by all processes
        capture.start_global_capturing()
        try:
            run_files(session, next_file)
            status = 0
        finally:
            session._setupstate.teardown_exact(None)
    except (KeyboardInterrupt, BrokenPipeError):  # from the first process, too: it wants no more reports
        pass
    except BaseException:
        capture.stop_global_capturing()
        traceback.print_exc()
    finally:
        os._exit(status)


def run_side_by_side(session: pytest.Session, count: int) -> bool:
    """Run the tests that a session has collected in so many processes; return True, as `pytest_runtestloop` does."""
    by_path: Dict[Any, List[pytest.Item]] = {}
    for item in session.items:
        by_path.setdefault(item.path, []).append(item)
    files = list(by_path.values())
    session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]  # one for all
    numbers, write_numbers = os.pipe()  # a byte pair for each file: whoever reads it runs that file
    os.write(write_numbers, b"".join(number.to_bytes(2, "big") for number in range(len(files))))
    os.close(write_numbers)
    sys.stdout.flush()
    sys.stderr.flush()
    running: Dict[Any, int] = {}
    for _ in range(min(count, len(files))):
        reports, theirs = Pipe(duplex=False)
        process = os.fork()
        if process == 0:
            for other in (*running, reports):  # while any process can read a pipe, writing into it never fails
                other.close()
            work(session, files, numbers, theirs)
        theirs.close()
        running[reports] = process
    try:
        show(session, running)
    finally:
        while os.read(numbers, 4096):  # after an error or Ctrl-C nobody starts another file
            pass
        for reports, process in running.items():
            reports.close()
            os.waitpid(process, 0)
    if session.shouldfail:
        raise session.Failed(session.shouldfail)
    return True


def show(session: pytest.Session, running: Dict[Any, int]) -> None:
    """Give the reports of all processes to the plugins of this one, until all have ended."""
    config = session.config
    at_work: Dict[Any, Tuple[str, Any]] = {}
    started: Set[str] = set()
    died: List[Tuple[str, Any, int]] = []
    while running and not session.shouldfail:
        for reports in wait(list(running)):
            try:
                told = reports.recv()  # type: ignore[union-attr]
            except (EOFError, OSError):  # it ended, perhaps in the midst of a report
                status = os.waitpid(running.pop(reports), 0)[1]
                if status:
                    died.append((*at_work.get(reports, ("no test", ("", None, ""))), status >> 8 or -(status & 127)))
                continue
            if isinstance(told, tuple):
                at_work[reports] = told
                started.add(told[0])
            else:
                config.hook.pytest_runtest_logreport(
                    report=config.hook.pytest_report_from_serializable(config=config, data=told))
    missing = sum(item.nodeid not in started for item in session.items)
    for nodeid, location, code in died:
        why = f"its process ended with status {code}; {missing} of all tests did not run"
        config.hook.pytest_runtest_logreport(report=pytest.TestReport(nodeid, location, {}, "failed", why, "call"))
