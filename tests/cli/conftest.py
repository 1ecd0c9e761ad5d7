"""What the tests of the command line share."""

import golden
import pytest


@pytest.fixture
def folder(here):
    """An own folder with `robot.urdf` in it, as current folder."""
    (here / "robot.urdf").write_bytes(
        (golden.FIXTURES / "odd" / "mimic_chain" / "robot.urdf").read_bytes()
    )
    return here
