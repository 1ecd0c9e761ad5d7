"""The tests of several processes are reported as one run: what failed, what died, and what was counted."""

import os
import re
import subprocess
import sys

from conftest import ROOT
import all_files
from all_files import (
    estimated_seconds,
    RECORD,
    seconds_in,
)

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
            "PYTHONPATH": str(ROOT / "tests"),
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
