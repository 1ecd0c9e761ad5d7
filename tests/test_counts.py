"""What grows unnoticed stays within the limits of this release."""
import ast

import counts
import pytest


def test_the_limits_of_this_release_are_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = counts.main()
    assert status == 0, capsys.readouterr().out


def test_what_is_no_code() -> None:
    text = '"""A docstring\nof two lines."""\n\n# a comment\nx = """a\ntext"""\ndef f():\n    """Law."""\n    return x'
    assert counts.code_lines(text) == 4


def test_complexity_counts_each_way_through() -> None:
    text = ("def f(x, y):\n    for a in x:\n        if a and y or x:\n"
            "            return [b for b in a if b] if y else x\n"
            "    try:\n        pass\n    except OSError:\n        while x:\n            x = y\n")
    function, = counts.functions_in("f.py", ast.parse(text))
    assert (function.name, function.lines, function.parameters, function.complexity) == ("f.py:f", 9, 2, 9)


def test_each_room_and_each_row_is_there() -> None:
    """A room without a limit would grow unnoticed, and a row of what is gone would say nothing."""
    lines, _, functions = counts.counted()
    assert set(lines) == set(counts.ROOM_LIMITS)
    names = {function.name: function.complexity for function in functions}
    assert {name for name in counts.COMPLEX if names.get(name, 0) <= counts.LIMITS.complexity} == set()
