"""The options of this folder, and the one door through which the command line runs what they ask for.

To add an export:

1. Add its options to EXPORT_OPTIONS, each an `Option` with the name, group and help that the page shows. One whose
   value is a file to write has `is_output=True`: the command line then checks it before any work, against the inputs
   and against the other outputs. A flag with `alone=True` needs no robot: `text_alone` returns what it prints.
2. Add their names to PACKAGE_ONLY in `cli/hand_over.py`, so that the single file knows whom to ask for them.
3. Add a line to EXPORTERS: the option that asks for it, and where its function is, as `module.function` in this folder.
   The module is loaded only when the option is given. The function takes an `ExportRequest` and returns `Exports`; it
   writes nothing and prints nothing, and what it cannot do it raises as `UrdfError` or names in `warnings`.

The files appear together with the URDF, the SRDF, the report and the meshes, or none does. They are announced before
the question and listed in the report. With `--check` and `--diff` nothing is exported; with `-n` only files of options
that say `with_dry_run=True` are written.
"""
from importlib import import_module
from typing import Any, Mapping, NamedTuple, Tuple

from ..base.option_table import Option
from ..urdf.model import Notice
from ..run.pipeline import Result

PAGE = "Page"

EXPORT_OPTIONS: Tuple[Option, ...] = (
    Option("page", PAGE, "also write one HTML file that shows the robot before and after, moving together; with -n too",
           "FILE", is_output=True, with_dry_run=True),
    Option("page_triangles", PAGE, "most triangles in the page, by joining near points; 0: all (default 200000)", "N",
           kind=int, default=200_000, valid=lambda value: value >= 0,
           advice="give a number of triangles, or 0 for all"),
)

EXPORTERS: Tuple[Tuple[str, str], ...] = (
    ("page", "page.write.write_page"),
)


class ExportRequest(NamedTuple):
    """What an exporter gets.

    Attributes:
        result: the run. Meshes that it split are `result.plan.splitting.files`: each is in `source` now, a temporary
            folder, and will be in `target` when all is written.
        choices: the values of EXPORT_OPTIONS by name.
        path: the name of the input; relative mesh names in `result.before` are seen from its folder.
        output: the name of the resulting URDF, from whose folder relative mesh names in `result.after` are seen;
            "" where it goes to standard output.
        writes: whether the run writes all its files; False where it only shows, and writes what `with_dry_run` names.
    """

    result: Result
    choices: Mapping[str, Any]
    path: str
    output: str
    writes: bool = True


class Exports(NamedTuple):
    """What exporters return.

    Attributes:
        files: name and bytes of each file to write; a name may lie in a folder that does not exist yet.
        lines: what the report on the terminal says of them, a line each.
        warnings: what the user should know; `line` counts in the input, 0: no line of it.
    """

    files: Tuple[Tuple[str, bytes], ...] = ()
    lines: Tuple[str, ...] = ()
    warnings: Tuple[Notice, ...] = ()


def run_exports(request: ExportRequest) -> Exports:
    """Return what all exporters that are asked for make of a result, in the order of EXPORTERS.

    Raises:
        UrdfError: one of them cannot do what it is asked for.
    """
    made = [getattr(import_module(f"{__package__}.{module}"), function)(request)
            for name, place in EXPORTERS if request.choices[name]
            for module, _, function in [place.rpartition(".")]]
    return Exports(*(tuple(one for each in made for one in each[column]) for column in range(len(Exports._fields))))


def text_alone(name: str) -> str:
    """Return what an option that needs no robot prints.

    Raises:
        KeyError: there is no such option.
    """
    raise KeyError(name)
