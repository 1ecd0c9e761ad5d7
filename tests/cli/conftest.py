"""What the tests of the command line share."""

import golden
import pytest


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An own folder with `robot.urdf` in it, as current folder."""
    (tmp_path / "robot.urdf").write_bytes(
        (golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf").read_bytes()
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path
