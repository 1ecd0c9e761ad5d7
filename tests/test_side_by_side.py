"""Tests in several processes are reported as if they had run in one: what failed, what died, and what was counted."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

START = "from side_by_side import run_side_by_side\ndef pytest_runtestloop(session):\n"
FILES = {
    "conftest.py": f"{START}    return run_side_by_side(session, 3)\n",
    "test_bad.py": """import os
import pytest
def test_fails():
    os.system("echo said by a child")
    assert "left" == "right"
@pytest.fixture
def bad():
    yield
    raise ValueError("too late")
def test_cannot_be_cleaned_up(bad): pass
""",
    "test_dead.py": "import os\ndef test_before(): pass\ndef test_dies(): os._exit(7)\ndef test_after(): pass\n",
    "test_good.py": """import pytest
@pytest.fixture(scope="module")
def shared():
    yield []
    open("cleaned up", "x").close()
@pytest.mark.parametrize("count", range(9))
def test_every_test_of_a_file_runs_in_one_process(shared, count):
    shared.append(count)
    assert len(shared) == count + 1
@pytest.mark.skip(reason="not today")
def test_skipped(): pass
""",
}


def run(folder: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    for name, text in FILES.items():
        (folder / name).write_text(text)
    return subprocess.run([sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *words], cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTEST_ADDOPTS": "",
                               "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=60)


def test_one_report_of_all(tmp_path: Path) -> None:
    done = run(tmp_path)
    assert done.returncode == 1
    assert "2 failed, 11 passed, 1 skipped, 1 error in " in done.stdout.splitlines()[-1], done.stdout
    for text in ("assert 'left' == 'right'", "said by a child", "ValueError: too late", "test_good.py:10: not today",
                 "_ test_dies _", "its process ended with status 7; 1 of all tests did not run"):
        assert text in done.stdout, done.stdout
    assert (tmp_path / "cleaned up").exists()


@pytest.mark.parametrize("words, status, last", [
    (["test_good.py"], 0, "9 passed, 1 skipped in "), (["-k", "skipped"], 0, "1 skipped, 14 deselected in "),
    (["-x", "test_bad.py"], 1, "1 failed in "), (["-k", "nothing"], 5, "15 deselected in ")])
def test_the_status_is_that_of_pytest(tmp_path: Path, words: "list[str]", status: int, last: str) -> None:
    done = run(tmp_path, *words)
    assert (done.returncode, done.stdout.splitlines()[-1].startswith(last)) == (status, True), done.stdout


def test_ends_with_the_first_failure_while_others_have_much_to_report(tmp_path: Path) -> None:
    (tmp_path / "test_many.py").write_text("import pytest\n@pytest.mark.parametrize('count', range(2000))\n"
                                           "def test_many(count): print('x' * 200)\n")
    done = run(tmp_path, "-x", "test_bad.py", "test_many.py")
    assert done.returncode == 1 and " 1 failed" in f" {done.stdout.splitlines()[-1]}", done.stdout
