"""What is known of a file without reading it."""
from pathlib import Path

from urdf_tools.base.files import file_stamp


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
