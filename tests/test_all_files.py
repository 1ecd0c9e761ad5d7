"""The tests of several processes are reported as one run: what failed, what died, and what was counted."""
import os
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT
from all_files import counts_of, shares_of

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


def run(folder: Path, shares: int, *words: str) -> "subprocess.CompletedProcess[str]":
    """Run the files in so many processes of pytest, without the plugins that happen to be installed."""
    for name, text in FILES.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    code = ("import all_files, os, pathlib, sys; all_files.TESTS = pathlib.Path.cwd(); os.cpu_count = lambda: 1; "
            f"all_files.SHARES_PER_PROCESSOR = {shares}; sys.exit(all_files.main(sys.argv[1:]))")
    return subprocess.run([sys.executable, "-c", code, "-p", "no:cacheprovider", *words], cwd=folder,
                          env={**os.environ, "PYTHONPATH": str(ROOT / "tests"), "PYTEST_ADDOPTS": "",
                               "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=120)


def test_one_report_of_all(tmp_path: Path) -> None:
    done = run(tmp_path, len(FILES))
    assert done.returncode == 1
    assert done.stdout.splitlines()[-2:] == ["skipped 2: no tide: today", "10 passed, 2 failed, 2 skipped"], done.stdout
    for text in ("assert 'left' == 'right'", "ValueError: too late", "pytest ended with status 7"):
        assert text in done.stdout, done.stdout


@pytest.mark.parametrize("words, status, last", [
    (["-k", "test_good"], 0, "9 passed, 0 failed, 1 skipped"), (["-k", "nothing"], 5, "0 passed, 0 failed, 0 skipped")])
def test_the_words_are_those_of_pytest(tmp_path: Path, words: "list[str]", status: int, last: str) -> None:
    done = run(tmp_path, 1, *words)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (status, last), done.stdout


def test_every_file_is_in_one_share(tmp_path: Path) -> None:
    files = [tmp_path / f"test_{k}.py" for k in range(7)]
    for k, file in enumerate(files):
        file.write_text("#" * k * k)
    shares = shares_of(files, 3)
    assert sorted(file for share in shares for file in share) == files and len(shares) == 3
    assert shares_of(files[:2], 3) == [[files[1]], [files[0]]]


def test_the_last_line_is_counted() -> None:
    assert counts_of("x\n==== 1 failed, 2 passed, 3 errors in 0.1s ====\n") == {"failed": 1, "passed": 2, "error": 3}
    assert counts_of("Killed") == {}
