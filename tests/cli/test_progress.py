"""A line of progress of the commands that can take long: at a terminal after a second, in no file and no pipe."""

import io
import itertools
import re

import pytest
from urdf_tools.app.command_table import main
from mesh_files import binary_stl
from surfaces import bracket, split

CLEAR_LINE = "\r\x1b[K"
COMMANDS = {
    "compare": (["compare", "a.urdf", "b.urdf"], r"a\.stl(: [\d,]+ triangles)?"),
    "lint": (["lint", "a.urdf", "b.urdf"], r"[ab]\.(urdf|stl)"),
    "view": (["view", "a.urdf", "-o", "a.html"], r"a\.stl"),
    "export of a mesh": (["export", "a.stl", "a.obj"], r"a\.stl: \d+ triangles"),
    **{
        f"export to {name}": (["export", "a.urdf", name], r"a\.stl") for name in ("a.xml", "a.usda")
    },
}


class Terminal(io.StringIO):
    """A standard error that is a terminal."""

    def isatty(self):
        """Return True: progress is shown."""
        return True


def standard_error_of(arguments, stream, seconds, folder, monkeypatch):
    """Return what a command writes to standard error, with a clock that goes on by `seconds` [s] at each look."""
    surface = bracket()
    for name, triangles in (("a", surface), ("b", split(surface))):
        (folder / f"{name}.stl").write_bytes(binary_stl(triangles))
        (folder / f"{name}.urdf").write_text(
            f'<robot name="r"><link name="base"><visual><geometry><mesh filename="{name}.stl"/></geometry></visual>'
            "</link></robot>",
            encoding="utf-8",
        )
    clock = itertools.count(0.0, seconds)
    monkeypatch.chdir(folder)
    monkeypatch.setattr("urdf_tools.cli.run_command_line.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr", stream)
    assert main(arguments) == 0
    return stream.getvalue()


@pytest.mark.parametrize("verb", COMMANDS)
def test_a_terminal_shows_how_far_it_is_and_is_cleared(verb, tmp_path, monkeypatch):
    arguments, line = COMMANDS[verb]
    written = standard_error_of(arguments, Terminal(), 2.0, tmp_path, monkeypatch)
    first, *shown, last = written.split(CLEAR_LINE)
    assert first == last == "" and shown
    assert all(re.fullmatch(line, each.strip()) for each in shown), shown


@pytest.mark.parametrize("verb", COMMANDS)
@pytest.mark.parametrize("stream, seconds", [(Terminal, 1e-9), (io.StringIO, 1.0)])
def test_what_is_short_and_what_is_no_terminal_has_no_line(
    verb, stream, seconds, tmp_path, monkeypatch
):
    arguments, _ = COMMANDS[verb]
    assert standard_error_of(arguments, stream(), seconds, tmp_path, monkeypatch) == ""
