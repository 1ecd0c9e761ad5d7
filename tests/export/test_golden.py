"""Every robot of fixtures/exports gives the committed MJCF and SDF, or is refused with the committed sentence."""

import golden
import golden_exports
import pytest

ROBOTS = golden_exports.robots()


def test_there_are_robots_and_no_strays():
    assert len(ROBOTS) > 20
    assert {path.stem for path in golden_exports.FOLDER.iterdir()} == {path.stem for path in ROBOTS}


def test_the_adapter_is_as_committed():
    path, data = golden_exports.adapter()
    golden.require_as_committed(path, data)


@pytest.mark.parametrize("path", ROBOTS, ids=lambda path: path.stem)
def test_the_files_are_as_committed(path):
    for name, data in golden_exports.exports_of(path):
        golden.require_as_committed(name, data)
