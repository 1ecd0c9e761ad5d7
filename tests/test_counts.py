"""What grows unnoticed stays within the limits of this release."""
import counts
import pytest


def test_the_limits_of_this_release_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = counts.main()
    assert status == 0, capsys.readouterr().out


def test_what_is_no_code() -> None:
    text = '"""A docstring\nof two lines."""\n\n# a comment\nx = """a\ntext"""\ndef f():\n    """Law."""\n    return x'
    assert counts.code_lines(text) == 4
