"""What is known of a file without reading it."""

from conftest import needs_symlinks
import pytest

from urdf_tools.base.errors import UsageError
from urdf_tools.base.file_reading import check_output, file_stamp
from urdf_tools.base.transaction import Transaction


def test_a_stamp_differs_once_a_file_is_written_again(tmp_path):
    path = tmp_path / "arm.urdf"
    assert file_stamp(str(path)) == ()
    path.write_text("<robot/>", "utf-8")
    before = file_stamp(str(path))
    assert before == file_stamp(str(path)) != ()
    path.write_text("<robot></robot>", "utf-8")
    assert file_stamp(str(path)) != before


def test_no_file_has_a_zero_byte_in_its_name(tmp_path):
    assert file_stamp(str(tmp_path / "a\0.dae")) == ()


@needs_symlinks
@pytest.mark.parametrize("folder", ["out", "a/b/c", "with space", "Gr\u00fc\u00dfe", "link/x"])
def test_a_missing_output_folder_is_made_with_the_file_and_not_before(tmp_path, folder):
    (tmp_path / "link").symlink_to(tmp_path / "there", target_is_directory=True)
    output = tmp_path / folder / "arm.urdf"
    before = sorted(tmp_path.rglob("*"))
    for commits in (False, True):
        check_output(str(output), "arm.urdf", force=False)
        assert sorted(tmp_path.rglob("*")) == before
        with Transaction() as transaction:
            transaction.add(str(output), b"<robot/>")
            if commits:
                transaction.commit()
    assert output.read_bytes() == b"<robot/>"


@pytest.mark.parametrize("folder", ["file", "file/below"])
def test_no_folder_can_be_made_where_a_file_is(tmp_path, folder):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(UsageError, match="cannot be made: a file is in its way"):
        check_output(str(tmp_path / folder / "arm.urdf"), "arm.urdf", force=False)
