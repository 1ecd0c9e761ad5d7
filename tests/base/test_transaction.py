"""The transaction: after a signal or a failure at any call of the system, all files are old or all are new."""

import errno
import os
import re
import signal
import stat
import time
from pathlib import Path

import pytest
from conftest import needs_posix, needs_symlinks, some_of
from counted_calls import content, Counter

from urdf_tools.base.errors import UsageError
from urdf_tools.base.transaction import deferred_signals, remove_leftovers, TEMPORARY, Transaction
from urdf_tools.cli.run_command_line import end_by_signal

NAMES = ("robot.urdf", "report.json", "meshes/a.stl")  # a first, a middle and a last file
NEW = {name: f"new {name}".encode() for name in NAMES}
OLD = {
    "all": {name: f"old {name}".encode() for name in NAMES},
    "some": {name: f"old {name}".encode() for name in NAMES[::2]},
    "none": {},
}
# What a clean-up calls.
REMOVING = ("unlink", "rmdir", "scandir", "lstat", "open", "listdir", "stat", "close")


def prepare(folder, old):
    """Make the folder hold the old files and nothing else."""
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
    for name, data in old.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(data)


def temporaries(folder):
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if re.fullmatch(TEMPORARY, path.name)
    }


def write(folder):
    """Write the new files as a run does: meshes first, into a folder of their own."""
    with Transaction() as transaction:
        staging = transaction.staging_folder(str(folder / "meshes"))
        for name in NAMES[2:]:
            staged = os.path.join(staging, os.path.basename(name))
            with open(staged, "wb") as stream:
                stream.write(NEW[name])
            transaction.add_file(str(folder / name), staged)
        for name in NAMES[:2]:
            transaction.add(str(folder / name), NEW[name])
        transaction.commit()


def calls_of_a_write(folder, old):
    prepare(folder, old)
    with pytest.MonkeyPatch.context() as patch:
        counter = Counter(patch)
        write(folder)
    assert content(folder) == {**NEW, "meshes": b""}
    assert counter.count > 25
    return counter.count


@pytest.fixture
def handlers():
    """SIGTERM ends a run as the command line lets it; both handlers are as they were afterwards."""
    before = signal.signal(signal.SIGTERM, end_by_signal)
    found = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    yield
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == found
    signal.signal(signal.SIGTERM, before)


HOW = {
    "impatient": (signal.SIGINT, KeyboardInterrupt, True),
    "once": (signal.SIGINT, KeyboardInterrupt, False),
    "ended": (signal.SIGTERM, SystemExit, False),
    "ended twice": (signal.SIGTERM, SystemExit, True),
}


@pytest.mark.parametrize("how", some_of(tuple(HOW), 2))
@pytest.mark.parametrize("old", OLD)
def test_a_signal_at_every_call(tmp_path, handlers, old, how):
    number, ends, again = HOW[how]
    whole = {**OLD[old], **({"meshes": b""} if OLD[old] else {})}
    states = []
    for when in range(1, calls_of_a_write(tmp_path, OLD[old]) + 1):
        prepare(tmp_path, OLD[old])
        with pytest.MonkeyPatch.context() as patch:
            counter = Counter(patch, lambda: signal.raise_signal(number), when, again=again)
            with pytest.raises(ends) as caught:
                write(tmp_path)
        assert ends is KeyboardInterrupt or caught.value.code == 143
        found = content(tmp_path)
        assert found in (whole, {**NEW, "meshes": b""}), (when, counter.name, found)
        states.append(found == whole)
    # Old up to one call, then new.
    assert states == sorted(states, reverse=True) and states[0] and not states[-1]


@pytest.mark.parametrize(
    "old, problem",
    [*((old, errno.EIO) for old in OLD), ("some", errno.ENOSPC), ("some", errno.EPERM)],
)
def test_a_failure_of_every_call(tmp_path, old, problem):
    def fail():
        raise OSError(problem, os.strerror(problem))

    whole = {**OLD[old], **({"meshes": b""} if OLD[old] else {})}
    for when in range(1, calls_of_a_write(tmp_path, OLD[old]) + 1):
        prepare(tmp_path, OLD[old])
        raised = False
        with pytest.MonkeyPatch.context() as patch:
            counter = Counter(patch, fail, when, after=False)
            try:
                write(tmp_path)
            except UsageError as error:
                raised = True
                assert counter.name in ("stat", "lstat") or os.strerror(problem) in str(error), (
                    counter.name
                )
        left = temporaries(tmp_path)
        if left:  # the one call that would have removed it failed
            assert counter.name in REMOVING, (when, counter.name, left)
        inside = {
            name
            for name in content(tmp_path)
            if any(name == one or name.startswith(one + "/") for one in left)
        }
        found = {name: data for name, data in content(tmp_path).items() if name not in inside}
        found.pop("meshes", None)
        assert found == (OLD[old] if raised else NEW), (when, counter.name)
        assert (
            left
            or "meshes" in whole
            or not raised
            or not (tmp_path / "meshes").exists()
            or counter.name == "rmdir"
        )


@pytest.mark.parametrize("old", OLD)
def test_a_rename_that_fails_when_it_is_done(tmp_path, monkeypatch, old):
    """Network file systems report an error for a rename that took place."""
    replace = os.replace
    for number in range(len(NAMES)):
        prepare(tmp_path, OLD[old])
        before, calls = content(tmp_path), [0]

        def late(source, target, number=number, calls=calls):
            replace(source, target)
            calls[0] += 1
            if calls[0] == number + 1:
                raise OSError(errno.EIO, "Input/output error")

        monkeypatch.setattr(os, "replace", late)
        with pytest.raises(UsageError, match="cannot be written: Input/output error$"):
            write(tmp_path)
        assert content(tmp_path) == before


def test_a_signal_while_a_file_is_opened_leaves_no_descriptor(tmp_path, monkeypatch):
    """Windows removes no file that is open."""
    opened = []
    opening = os.open

    def interrupted(*arguments, **named):
        opened.append(opening(*arguments, **named))
        signal.raise_signal(signal.SIGINT)
        return opened[-1]

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), Transaction() as transaction:
        transaction.add(str(tmp_path / "robot.urdf"), b"new")
    assert opened and content(tmp_path) == {}
    for descriptor in opened:
        with pytest.raises(OSError):
            os.fstat(descriptor)


@needs_posix("it forks")
def test_killed_at_every_call(tmp_path):
    """Every place holds its old or its new file; the next run completes all, and removes what was left."""
    left = 0
    for when in some_of(range(1, calls_of_a_write(tmp_path, OLD["all"]) + 1), 20):
        prepare(tmp_path, OLD["all"])
        child = os.fork()
        if child == 0:
            try:
                Counter(pytest.MonkeyPatch(), lambda: os.kill(os.getpid(), signal.SIGKILL), when)
                write(tmp_path)
            finally:
                os._exit(1)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        for name in NAMES:
            assert (tmp_path / name).read_bytes() in (OLD["all"][name], NEW[name]), (when, name)
        left += bool(temporaries(tmp_path))
        write(tmp_path)
        assert content(tmp_path) == {**NEW, "meshes": b""}, when
    assert left > 5


@needs_posix("it forks")
def test_leftovers_of_others_stay(tmp_path):
    """Only names of our form, of processes of this computer that have ended, or older than a day."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    with Transaction() as transaction:
        mine = Path(transaction.staging_folder(str(tmp_path))).name
    computer = mine.split("-")[1]
    gone = [
        f".urdf_simplify-{computer}-{child}-00000000.tmp",
        ".urdf_simplify-00000000-1-00000001.tmp",
    ]
    stays = [
        f".urdf_simplify-{computer}-{os.getpid()}-00000000.tmp",
        ".urdf_simplify-00000000-1-00000000.tmp",
        ".urdf_simplify-notes.tmp",
        "other.tmp",
    ]
    for name in (*gone, *stays):
        (tmp_path / name).write_text("")
    day_old = time.time() - 25 * 3600
    for name in (gone[1], *stays[2:]):
        os.utime(tmp_path / name, (day_old, day_old))
    remove_leftovers(str(tmp_path))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(stays)


def test_without_hard_links(tmp_path, monkeypatch):
    """Where the file system has none, a copy is the old file's second name."""

    def no_link(*_, **__):
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "link", no_link)
    prepare(tmp_path, OLD["all"])
    write(tmp_path)
    assert content(tmp_path) == {**NEW, "meshes": b""}
    test_a_rename_that_fails_when_it_is_done(tmp_path, monkeypatch, "all")


def test_what_cannot_be_put_back_is_named(tmp_path, monkeypatch):
    prepare(tmp_path, OLD["all"])
    replace, calls = os.replace, [0]

    def breaks(source, target):
        calls[0] += 1
        if calls[0] > 1:
            raise OSError(errno.EROFS, "Read-only file system")
        replace(source, target)

    monkeypatch.setattr(os, "replace", breaks)
    with pytest.raises(
        UsageError, match=r"Read-only file system; not put back: .*a\.stl, which was "
    ) as caught:
        write(tmp_path)
    spare = Path(str(caught.value).rpartition("which was ")[2])
    assert spare.read_bytes() == OLD["all"]["meshes/a.stl"]
    assert temporaries(tmp_path) == {spare.relative_to(tmp_path).as_posix()}


@needs_posix("files have owners")
def test_mode_and_owner_stay(tmp_path, monkeypatch):
    owners = []
    monkeypatch.setattr(os, "chown", lambda path, user, group: owners.append((user, group)))
    status = os.stat

    class Foreign:
        st_uid, st_gid, st_mode = 4711, 4712, stat.S_IFREG | 0o640

    prepare(tmp_path, OLD["all"])
    target = str(tmp_path / "robot.urdf")
    monkeypatch.setattr(
        os, "stat", lambda path, **more: Foreign if path == target else status(path, **more)
    )
    write(tmp_path)
    monkeypatch.setattr(os, "stat", status)
    assert owners == [(4711, 4712)]
    assert stat.S_IMODE(os.stat(target).st_mode) == 0o640
    assert (tmp_path / "robot.urdf").read_bytes() == NEW["robot.urdf"]


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away"
)
def test_owner_stays_when_root_writes(tmp_path):
    prepare(tmp_path, OLD["all"])
    for name in NAMES:
        os.chown(tmp_path / name, 1234, 4321)
    write(tmp_path)
    assert {
        ((tmp_path / name).stat().st_uid, (tmp_path / name).stat().st_gid) for name in NAMES
    } == {(1234, 4321)}


@needs_symlinks
def test_links(tmp_path):
    """Bytes go to where a link leads; a mesh never does: the link is replaced."""
    prepare(tmp_path, {})
    (tmp_path / "there").mkdir()
    (tmp_path / "meshes").mkdir()
    for name in ("robot.urdf", "meshes/a.stl"):
        (tmp_path / "there" / Path(name).name).write_bytes(b"old")
        (tmp_path / name).symlink_to(tmp_path / "there" / Path(name).name)
    write(tmp_path)
    assert (tmp_path / "robot.urdf").is_symlink() and not (tmp_path / "meshes/a.stl").is_symlink()
    assert (tmp_path / "there/robot.urdf").read_bytes() == NEW["robot.urdf"]
    assert (tmp_path / "there/a.stl").read_bytes() == b"old"
    assert {name: (tmp_path / name).read_bytes() for name in NAMES} == NEW


def test_an_error_is_not_hidden_by_the_clean_up(tmp_path):
    def fail(*_, **__):
        raise OSError(errno.EBUSY, "Device or resource busy")

    with pytest.MonkeyPatch.context() as patch, pytest.raises(
        ValueError, match="first"
    ), Transaction() as transaction:
        transaction.staging_folder(str(tmp_path / "meshes"))
        transaction.add(str(tmp_path / "robot.urdf"), b"new")
        for name in ("unlink", "rmdir"):
            patch.setattr(os, name, fail)
        raise ValueError("first")


def test_a_handler_that_only_takes_note_is_called_once(handlers):
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, _: seen.append(number))
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)
            assert seen == []
        assert seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_signal_that_is_ignored_stays_so():
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with deferred_signals():
            signal.raise_signal(signal.SIGTERM)
        assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGTERM, before)


def test_in_another_thread(tmp_path):
    from threading import Thread

    thread = Thread(target=write, args=(tmp_path,))
    thread.start()
    thread.join()
    assert content(tmp_path) == {**NEW, "meshes": b""}
