"""What all tests share: the two forms of the tool, the reference files beside the project, the hypothesis profiles."""

import ast
import contextlib
import ctypes
import faulthandler
import functools
import importlib
import importlib.util
import os
import signal
import sys
import tempfile
import types
from pathlib import Path
from typing import TypeVar

import pytest
import raised
from all_files import SECONDS_OF_A_TEST
from hypothesis import given, settings, strategies

ROOT = Path(__file__).resolve().parent.parent
SINGLE_FILE = ROOT / "urdf_simplify.py"
# `test_single_file` proves that both forms are the same definitions, so the second form runs only where it can differ:
# in the tests marked with `both_forms`.
FORMS = ("package", "single_file")

sys.path.insert(0, str(ROOT))

# A runner that was started in the background ignores Ctrl-C, and so would all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


# What takes long is done in part by `make test` and in full by `make fuzz`: `examples(fuzzed=)` and `some_of` say so.
FUZZ = os.environ.get("URDF_PROFILE") == "fuzz"
Case = TypeVar("Case")


# How many random robots a law needs was measured: 44 laws, up to 6 mutants each on lines that the law runs, 96 of which
# it found. By its first example 47, by 3 examples 73, by 5 82, by 8 89, by 12 90, by 25 94, by 32 all.
# What came later than 12 keeps its own number of examples:
#
#   law                                                                         found at
#   compare/test_read_json.py: spoilt JSON is read or refused with a sentence   21, 21, 21
#   export/test_floating_chains.py: what floats is written or refused           21
#   edit/test_variants.py: locked at a position is locked at zero               28
#   plan/test_second_runs.py: a second run changes nothing                      32
#
# In `export/page/test_comparison_page.py` (places in a page) and `compare/test_ledger.py` (an edit is another verdict) the
# mutants were found by none: theirs are the tests with a planted fault.
ENOUGH = 12
# Of random robots and files.
SEEDS = strategies.integers(0, 2**32 - 1)


def scaled(count):
    """Return a number of random cases times URDF_EXAMPLES, at least 1."""
    return max(1, int(count * float(os.environ.get("URDF_EXAMPLES", "1"))))


def examples(count=ENOUGH, *, fuzzed=0, **choices):
    """Return hypothesis settings for so many examples, times URDF_EXAMPLES; `make fuzz` takes `fuzzed` of them."""
    count = fuzzed if fuzzed and FUZZ else count
    return settings(max_examples=scaled(count), **choices)


# Same in every run.
settings.register_profile("same", examples(50, deadline=None, derandomize=True, print_blob=True))
settings.register_profile("fuzz", examples(100, deadline=None))
settings.load_profile(os.environ.get("URDF_PROFILE", "same"))


# The same tests run on every system.


def _write_text(path, text, encoding="utf-8", errors="strict"):
    """Write a text with the line ends that it has; `Path.write_text` of Windows takes its own line end and code page."""
    return path.write_bytes(text.encode(encoding, errors))


def _read_text(path, encoding="utf-8", errors="strict"):
    """Return the text of a file, every line end as "\n"."""
    with path.open(encoding=encoding, errors=errors) as stream:
        return stream.read()


# For tests alone: the tool names the encoding and the line end of each text (`cli/test_other_systems.py`).
Path.write_text = _write_text
Path.read_text = _read_text


def needs_posix(why):
    """Return a mark that skips a test where the system is none of POSIX, such as Windows; say which part it lacks."""
    return pytest.mark.skipif(os.name != "posix", reason=f"only on POSIX: {why}")


def _makes_symbolic_links():
    """Tell whether this user may make symbolic links, which Windows lets few do."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            os.symlink("there", os.path.join(folder, "link"))
        except OSError:
            return False
        return os.path.islink(os.path.join(folder, "link"))


needs_symlinks = pytest.mark.skipif(
    not _makes_symbolic_links(), reason="this user may make no symbolic links here"
)


def _tells_case():
    """Tell whether the file system of temporary files tells names apart that differ in case alone."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "a").touch()
        return not Path(folder, "A").exists()


needs_exact_names = pytest.mark.skipif(
    not _tells_case(), reason="this file system finds a file by its name in another case"
)


# wine 8 never wakes a pool of processes, also that of the standard library alone.
IS_WINE = os.name == "nt" and hasattr(ctypes.windll.ntdll, "wine_get_version")
needs_pools = pytest.mark.skipif(IS_WINE, reason="wine never wakes a pool of processes")


@pytest.fixture(scope="session", autouse=True)
def no_pools_under_wine():
    """Let this process do there what a pool would have done."""

    def none_here(*_, **__):
        """Refuse to make a pool, as a system without processes does."""
        raise OSError("wine")

    with pytest.MonkeyPatch.context() as patch:
        if IS_WINE:
            patch.setattr("concurrent.futures.process.ProcessPoolExecutor", none_here)
        yield


# A test that hangs fails by a limit of its own.


class HangingTest(BaseException):
    """A test took longer than any may; no `Exception`, which a law would try again with smaller examples."""


def pytest_configure(config):
    """Keep the standard error of the process, before pytest takes it for the output of tests."""
    config.stash[STANDARD_ERROR] = os.fdopen(os.dup(2), "w")


STANDARD_ERROR = pytest.StashKey()


def _limited(item, phase):
    """Let the setup, call or teardown of a test fail after a while.

    Where no signal can interrupt it, as on Windows and in a loop of C, the process ends with all its stacks a minute later.
    """

    def interrupt(signal_number, frame):
        """Let the test fail that hangs."""
        raise HangingTest(
            f"{item.nodeid} hangs: its {phase} took more than {SECONDS_OF_A_TEST:g} s"
        )

    file = item.config.stash[STANDARD_ERROR]
    faulthandler.dump_traceback_later(SECONDS_OF_A_TEST + 60.0, exit=True, file=file)
    has_timer = hasattr(signal, "setitimer")
    before = signal.signal(signal.SIGALRM, interrupt) if has_timer else None
    if has_timer:
        signal.setitimer(signal.ITIMER_REAL, SECONDS_OF_A_TEST)
    try:
        yield
    finally:
        if has_timer:
            signal.setitimer(signal.ITIMER_REAL, 0.0)
            signal.signal(signal.SIGALRM, before)
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_setup(item):
    yield from _limited(item, "setup")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item):
    yield from _limited(item, "call")


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_teardown(item):
    yield from _limited(item, "teardown")


@pytest.fixture(scope="session", autouse=True)
def noted_sentences():
    """Note the sentences of lint that the tests raise, where the runner of all tests has asked for them."""
    folder = os.environ.get(raised.FOLDER)
    with raised.noted(folder) if folder else contextlib.nullcontext():
        yield


@pytest.fixture(scope="session", autouse=True)
def first_law():
    """Hypothesis asks at its first law who holds its random numbers, which nobody knows after `gc.freeze` of a run."""
    given(strategies.none())(lambda nothing: None)()


def some_of(cases, count):
    """Return so many of the cases, spread evenly, the first among them; `make fuzz` takes all."""
    return (
        list(cases)
        if FUZZ
        else [cases[k * len(cases) // count] for k in range(min(count, len(cases)))]
    )


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder, in which the test runs."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def signs_of(plan):
    """Return the sign of each joint of a plan, by name."""
    return {name: joint_map.sign for name, joint_map in plan.maps.items()}


def load_by_path(path, name="copied_somewhere"):
    """Run a Python file as a module that `sys.modules` does not know, as loaders of plugins do."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def room_modules():
    """Return the modules that are joined into the single file, by room."""
    from single_file_rules import ROOMS

    files = [path for room in ROOMS for path in sorted((ROOT / "urdf_tools" / room).glob("*.py"))]
    return [path for path in files if path.stem != "__init__"]


@functools.lru_cache(maxsize=None)
def nodes_of(path):
    """Return all nodes of a file of Python, the module first, as `ast.walk` does; none of them may be changed."""
    return tuple(ast.walk(ast.parse(path.read_text("utf-8"))))


def whole_package():
    """Return the top-level names of all modules of the package in one place, as the single file has them."""
    names = {}
    for path in room_modules():
        names.update(
            vars(importlib.import_module(".".join(path.relative_to(ROOT).with_suffix("").parts)))
        )
    # What the package has instead.
    for root in ("export.meshes.mesh_process_pool", "app.run_extension", "api"):
        names.update(vars(importlib.import_module(f"urdf_tools.{root}")))
    return types.SimpleNamespace(**names)


def pytest_generate_tests(metafunc):
    """Give `tool` and `command` the package, and the single file too in tests that ask for both."""
    for name in {"tool", "command"} & set(metafunc.fixturenames):
        forms = FORMS if metafunc.definition.get_closest_marker("both_forms") else FORMS[:1]
        metafunc.parametrize(name, forms, indirect=True, scope="session")


@pytest.fixture(scope="session", autouse=True)
def compiled_modules(tmp_path_factory):
    """A place for compiled modules where PYTHONDONTWRITEBYTECODE is set: else every process would compile them anew."""
    with pytest.MonkeyPatch.context() as patch:
        if os.environ.get("PYTHONDONTWRITEBYTECODE"):
            patch.delenv("PYTHONDONTWRITEBYTECODE")
            patch.setenv("PYTHONPYCACHEPREFIX", str(tmp_path_factory.mktemp("compiled")))
        yield


def rare_of(tool):
    """Return what a form of the tool knows of rare COLLADA: None for the single file."""
    return converter_of(tool).rare()


def converter_of(tool, **choices):
    """Return what converts COLLADA in a form of the tool."""
    return getattr(tool, "PooledConverter", tool.MeshConverter)(tool.MeshOptions(**choices))


def extracted(tool, path, folder, **choices):
    """Split a model without a robot, and return the parts."""
    separate = choices.pop("separate", True)
    converter = converter_of(tool, **choices)
    return tool.extract_conversion(str(path), str(folder), converter, separate=separate).parts


@pytest.fixture(scope="session")
def tool(request):
    """Every name of the tool as an attribute (`tool.simplify`, `tool.UrdfError`), from one form or both.

    For reading and calling only: an attribute set here would not reach the modules of the package.
    """
    return whole_package() if request.param == "package" else load_by_path(SINGLE_FILE)


@pytest.fixture(scope="session")
def command(request):
    """The start of a command line that runs the tool, once in each form; it works in any folder.

    A test that passes an environment of its own builds it from `os.environ`, where PYTHONPATH leads to the package.
    """
    if request.param == "single_file":
        yield [sys.executable, str(SINGLE_FILE)]
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        yield [sys.executable, "-m", "urdf_tools"]


@pytest.fixture(scope="session")
def shared():
    """The folder of real robots and reference material beside the project; the test is skipped where it is absent."""
    folder = ROOT.parent / "shared"
    if not folder.is_dir():
        pytest.skip(f"no reference files: {folder} is not there")
    return folder
