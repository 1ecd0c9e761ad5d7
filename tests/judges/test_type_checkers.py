"""pyright sees the signatures of the package: it refuses the wrong calls of a user, and no right one."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

sys.path.insert(0, str(ROOT / "tests" / "tools"))
from typed_wheel import CALLS, refused_lines, wrong_lines  # noqa: E402 its folder was not known before


def test_pyright_refuses_just_the_wrong_calls(tmp_path):
    folder = str(Path(sys.executable).parent)
    command = shutil.which("pyright", path=folder) or shutil.which("pyright")
    if command is None:
        pytest.skip("pyright is not there")
    shutil.copy(CALLS, tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"extraPaths": [str(ROOT)], "include": [CALLS.name]})
    )
    done = subprocess.run(
        [command, "-p", str(tmp_path)], capture_output=True, encoding="utf-8", cwd=tmp_path
    )
    assert len(wrong_lines()) == 12
    assert refused_lines(done.stdout) == wrong_lines(), done.stdout + done.stderr
