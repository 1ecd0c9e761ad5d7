"""The tests of several processes are reported as one run: what failed, what died, and what was counted."""

import os
import re
import signal
import subprocess
import sys

import pytest
from commands import python_path
from conftest import examples, ROOT
from hypothesis import given, strategies
import all_files
import raised
from all_files import (
    estimated_seconds,
    RECORD,
    seconds_in,
)

from urdf_tools.base.diagnostics import Diagnostic
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.lint_diagnostics import ODD_AXIS

FILES = {
    "test_bad.py": """import pytest
def test_fails():
    assert "left" == "right"
@pytest.fixture
def bad():
    yield
    raise ValueError("too late")
def test_cannot_be_cleaned_up(bad): pass
""",
    "below/test_dead.py": "import os\ndef test_before(): pass\ndef test_dies(): os._exit(7)\n",
    "test_good.py": """import pytest
@pytest.mark.parametrize("count", range(9))
def test_good(count): pass
@pytest.mark.skip(reason="no tide: today")
def test_skipped(): pass
""",
    "below/test_skipped.py": """import pytest
def test_skipped(): pytest.skip("no tide: today")
""",
}


END = re.compile(r" in \d+ s; processors waited \d+ s at the end$")


def run(folder, *words):
    """Run the files, one of them alone, without the plugins that happen to be installed; no module is to be kept."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    (folder / RECORD).parent.mkdir(exist_ok=True)
    (folder / RECORD).write_text('{"below/test_dead.py": 60}')  # so that it dies alone
    code = (
        "import all_files, os, pathlib, sys; all_files.TESTS = pathlib.Path.cwd(); os.cpu_count = lambda: 1; "
        "sys.exit(all_files.main(sys.argv[1:]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, "-p", "no:cacheprovider", *words],
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": python_path(ROOT / "tests" / "tools"),
            "PYTEST_ADDOPTS": "",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=120,
    )


def test_one_report_of_all(tmp_path, monkeypatch):
    done = run(tmp_path)
    assert done.returncode == 1
    *_, skipped, last = done.stdout.splitlines()
    assert (skipped, END.sub("", last)) == (
        "skipped 2: no tide: today",
        "10 passed, 2 failed, 2 skipped",
    ), done.stdout
    assert END.search(last) and not list(tmp_path.rglob("__pycache__"))
    for text in ("assert 'left' == 'right'", "ValueError: too late", "pytest ended with status 7"):
        assert text in done.stdout, done.stdout
    monkeypatch.setattr(all_files, "TESTS", tmp_path)
    first, good = tmp_path / "below" / "test_dead.py", tmp_path / "test_good.py"
    before = estimated_seconds([first, good])
    assert before[first] == 60.0  # it died, and wrote no report
    assert before[good] != good.stat().st_size / all_files.BYTES_A_SECOND
    (tmp_path / RECORD).write_text("[1", "utf-8")
    assert estimated_seconds([good])[good] == good.stat().st_size / all_files.BYTES_A_SECOND
    assert seconds_in(str(tmp_path / "nothing.xml")) == {}


COMMENTED = b'<robot name="r"><!-- lint-ignore left-right --><link name="a"/></robot>'


def test_a_sentence_that_no_test_raises_is_named(tmp_path):
    """What a rule finds counts; a diagnostic of a test itself does not, and neither does a random robot."""

    @examples(1)
    @given(strategies.none())
    def random_robot(_):
        examine(
            COMMENTED.replace(b"left-right", b"no-such-kind: why"), "robot.urdf", ["left-right"]
        )

    with raised.noted(tmp_path):
        examine(COMMENTED, "robot.urdf", ["left-right"])
        Diagnostic(ODD_AXIS, 0, next(iter(ODD_AXIS.sentences)))
        random_robot()
    missing = "\n".join(raised.never_raised(tmp_path))
    assert "no test raises lint-comment, sentence `reason`: " not in missing
    assert "no test raises lint-comment, sentence `unknown`: " in missing
    assert "no test raises odd-axis, " in missing


def test_a_run_of_all_fails_for_a_sentence_without_a_test(monkeypatch, capsys):
    monkeypatch.setattr(all_files, "run_files", lambda words: 0)
    monkeypatch.delenv(raised.FOLDER, raising=False)
    monkeypatch.setattr("sys.path", [*sys.path])
    assert all_files.main([]) == (1 if os.name == "posix" else 0)
    assert os.name != "posix" or "no test raises no-drive" in capsys.readouterr().out
    assert all_files.main(["-x"]) == 0
    assert raised.FOLDER not in os.environ


HANGING = """import time
from hypothesis import given, strategies
import pytest
@given(strategies.integers())
def test_law(number):
    while True:
        pass
@pytest.fixture
def slow():
    time.sleep(60)
def test_setup(slow): pass
def test_good(): pass
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no signal can interrupt a test")
def test_a_test_that_hangs_fails_by_its_name(tmp_path):
    """Once: a law is not tried again with smaller examples. All other tests are run."""
    (tmp_path / "test_hanging.py").write_text(HANGING)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "conftest", "-p", "no:cacheprovider", "."],
        cwd=tmp_path,
        env={
            **os.environ,
            "PYTHONPATH": python_path(ROOT / "tests", ROOT / "tests" / "tools"),
            "URDF_TEST_SECONDS": "0.5",
            "URDF_PROFILE": "same",
        },
        capture_output=True,
        encoding="utf-8",
        timeout=60,
    )
    assert "1 failed, 1 passed, 1 error" in done.stdout, done.stdout + done.stderr
    for name, phase in (("law", "call"), ("setup", "setup")):
        said = f"test_hanging.py::test_{name} hangs: its {phase} took more than 0.5 s"
        assert said in done.stdout, done.stdout


def test_a_share_that_stands_still_is_ended(tmp_path):
    with open(tmp_path / "output.txt", "w+b") as output:
        code = "import time; print('begun', flush=True); time.sleep(60)"
        process = subprocess.Popen([sys.executable, "-c", code], stdout=output)
        all_files.end_if_it_stands_still(process, output, 2.0)
    assert process.returncode != 0
    said = (tmp_path / "output.txt").read_text()
    assert said.split() == "begun ended, as it wrote nothing for 2 s".split()
