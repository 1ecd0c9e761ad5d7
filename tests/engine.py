"""One run with the options of several commands: the engine allows what no single command does.

Most tests of exports and edits simplify a robot in the same run. `main` reads words as the commands do; the options of
exports are spelled by their names, such as `--mjcf FILE`, and `--as-is` leaves the robot as it is. Words with acts of
`edit` are a run of that command; a call with acts and more edits first, and then does the rest.
"""

import os
import sys
import tempfile
from pathlib import Path

from urdf_tools.app import command_table
from urdf_tools.app.python_functions import edit, Result as CallResult
from urdf_tools.edit.edit_sequence import ACTS
from urdf_tools.app.run_extension import EXTENSION
from urdf_tools.app.package_options import TABLE
from urdf_tools.base.file_reading import default_output
from urdf_tools.base.option_table import as_flag, OptionRow
from urdf_tools.cli.parse_arguments import parse, VERBS
from urdf_tools.cli.run_command_line import run_command
from urdf_tools.cli.run_and_ask import run
from urdf_tools.cli.simplify_command import simplify_command
from urdf_tools.run.run_pipeline import run_call

ENGINE = "engine"
# The same as a process of its own, started in the folder of the package.
PROCESS = (
    sys.executable,
    "-c",
    f"import sys; sys.path.append({os.path.dirname(os.path.abspath(__file__))!r}); "
    "import engine; sys.exit(engine.main(sys.argv[1:]))",
)
# Whose spelling is not that of the name.
OTHER_FLAG = ("xacro_args", "merge", "strip_hardware", "reorient")
ROWS = tuple(
    row._replace(
        verbs=ENGINE,
        flag=row.flag if row.name in OTHER_FLAG else as_flag(row.name),
        needs=(),
        excludes=row.excludes,
    )
    for row in TABLE
)
AS_IS = OptionRow("as_is", ENGINE, "", kind=bool, default=False)


def is_of_engine(words):
    """Return True if the words need more than one command."""
    if not words or words[0] in VERBS:
        return False
    simplify = {
        spelling
        for row in TABLE
        if "simplify" in row.verbs.split()
        for spelling in (row.spelling, row.short)
    }
    known = {row.spelling for row in (*ROWS, AS_IS)}
    return any(word.partition("=")[0] in known - simplify for word in words)


def has_acts(words):
    """Return True if words name an act of `edit`."""
    return any(word.partition("=")[0] in map(as_flag, ACTS) for word in words)


def main(words):
    """Run the command line, or the engine where the words need more than one command; return the exit status."""
    if words and words[0] not in VERBS and has_acts(words):
        return command_table.main(
            ["edit", *words, *(["-o", "robot_simplified.urdf"] if "-o" not in words else [])]
        )
    return run_command(_run, list(words)) if is_of_engine(words) else command_table.main(words)


def _run(words):
    """Run the words of the engine; return the exit status."""
    arguments = parse(ENGINE, (*ROWS, AS_IS), words)
    path = arguments.files[0]
    # A command that changes nothing, or the one that does.
    arguments.verb = "view" if arguments.as_is else "simplify"
    if arguments.check:
        return simplify_command(arguments, EXTENSION)
    return run(arguments, EXTENSION, "" if arguments.as_is else default_output(path))


def simplify(urdf, output=None, **choices):
    """Call the engine as the library does, with the options of several commands; acts are carried out before."""
    acts = {name: choices.pop(name) for name in ACTS if name in choices}
    if any(acts.values()):
        with tempfile.TemporaryDirectory(dir=os.path.dirname(os.path.abspath(urdf))) as folder:
            edited = Path(folder) / os.path.basename(urdf)
            edited.write_bytes(
                edit(urdf, edited, **{name: value for name, value in acts.items() if value}).data
            )
            return simplify(edited, output, **choices)
    verb = ENGINE if choices.pop("as_is", False) else "simplify"
    table = tuple(row._replace(verbs=f"simplify {ENGINE}") for row in ROWS)
    alone = {} if "jobs" in choices else {"jobs": 1}
    return CallResult._make(
        run_call(verb, urdf, output, choices, EXTENSION._replace(table=table), alone)
    )
