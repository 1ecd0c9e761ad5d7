"""What is known of a file without reading it."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from urdf_tools.base.errors import UsageError
from urdf_tools.base.files import check_output, file_stamp


def test_a_stamp_differs_once_a_file_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "arm.urdf"
    assert file_stamp(str(path)) == ()
    path.write_text("<robot/>", encoding="utf-8")
    before = file_stamp(str(path))
    assert before == file_stamp(str(path)) != ()
    path.write_text("<robot></robot>", encoding="utf-8")
    assert file_stamp(str(path)) != before


def test_no_file_has_a_zero_byte_in_its_name(tmp_path: Path) -> None:
    assert file_stamp(str(tmp_path / "a\0.dae")) == ()


@pytest.mark.skipif(
    os.name == "nt" or shutil.which("mkdir") is None, reason="the cure is a line for a POSIX shell"
)
@pytest.mark.parametrize(
    "folder", ["out", "a/b/c", "with space", "Gr\u00fc\u00dfe", "it's", "a$HOME", "a;b"]
)
def test_the_line_that_makes_a_missing_output_folder_works_when_it_is_pasted(
    tmp_path: Path, folder: str
) -> None:
    output = str(tmp_path / folder / "arm.urdf")
    with pytest.raises(UsageError) as refused:
        check_output(output, "arm.urdf", force=False)
    line = re.search("mkdir -p .*(?= makes it)", str(refused.value))
    assert line is not None
    subprocess.run(["sh", "-c", line.group()], check=True)
    check_output(output, "arm.urdf", force=False)  # no longer refused
