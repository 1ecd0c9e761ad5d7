"""The pages of help, made of the table of options: one screen, and all of it."""
import re
from textwrap import wrap
from typing import List, Sequence

from ..base.option_table import as_flag, Option
from ..run.option_rows import MOST_USED, OPTION_ROWS, PACKAGE_ONLY
from ..report.layout import grouped
from .arguments import option_rows, program_name

EXAMPLES = (
    ("robot.urdf                 ", "show the plan, ask, write"),
    ("robot.urdf -o clean.urdf -y", "do not ask"),
    ("robot.urdf -n              ", "only show what would be done"),
    ("robot.urdf --no-merge --no-strip", " only reorient"),
    ("robot.urdf --keep 'imu_*' --keep tool0", ""),
    ("robot.urdf --base-frame x=left,y=back,z=up --axis toe=Y", ""),
    ("robot.urdf --report report.json", ""),
    ("model.dae -o folder        ", "one STL for each color"),
)
EXIT_STATUS = """\
exit status: 0 written or nothing to do; 1 not done (declined, or --check found
changes), 2 input or options refused, 3 the proof failed. Nothing is written
unless it is 0.
"""
DESCRIPTION = """\
Simplify and reorient a URDF: merge fixed and duplicate links, strip motor
hardware, turn every frame to X forward, Y left, Z up, and prove that it is
the same robot."""
POSITIONAL = ("positional arguments", [(
    "input_urdf", "path of the URDF; - reads standard input, *.xacro is expanded by the xacro command; of a model.dae "
    "alone the parts are written as STL")])
HELP_COLUMN, HELP_WIDTH, PAGE_WIDTH = 24, 54, 79


def short_help(added: Sequence[Option]) -> List[str]:
    """Return one screen: the forms of the command, the options that people use most, and where the rest is."""
    program = program_name()
    rows = [row for row in (*OPTION_ROWS, *added) if row.name in MOST_USED]
    names = [_shown_as(row, row.metavar) for row in rows]
    meanings = [re.split("[;(:,]| in the ", row.help)[0].strip() for row in rows]
    width = max(map(len, names))
    return [f"usage: {program} [options] robot.urdf", "", *DESCRIPTION.splitlines(), "",
            f"  {program} robot.urdf               show the plan, ask, write",
            f"  echo yes | {program} robot.urdf    the same in a script",
            f"  {program} robot.urdf -n --full     look at all of the plan", "",
            *(f"  {name.ljust(width)}  {words}" for name, words in zip(names, meanings)), "",
            *EXIT_STATUS.splitlines(), f"{program} --help explains all options."]


def help_page(added: Sequence[Option]) -> List[str]:
    """Return the page of all options, those of an extension too, by groups, with examples."""
    program = program_name()
    lines = [f"usage: {program} [options] robot.urdf", "", *DESCRIPTION.splitlines()]
    groups = grouped((row.group, (_shown_as(row, row.metavar or f"{{{','.join(row.choices)}}}"), row.help))
                     for row in option_rows(added) if row.help)
    for group, entries in (POSITIONAL, *groups.items()):
        lines += ["", f"{group}:", *(line for entry in entries for line in _entry(*entry))]
    lines += ["", "examples:", *(f"  {program} {words} {meaning}".rstrip() for words, meaning in EXAMPLES), "",
              *EXIT_STATUS.splitlines()]
    elsewhere = [as_flag(name) for name in PACKAGE_ONLY if name not in [row.name for row in added]]
    if elsewhere:
        lines += ["", *wrap(f"The package urdf-simplify adds {', '.join(elsewhere)}; `python3 -m urdf_tools --help` "
                            "explains them.", PAGE_WIDTH, break_on_hyphens=False)]
    return lines


def _shown_as(row: Option, value: str) -> str:
    """Return the spellings of an option, with what its value is called: `-o, --output FILE`."""
    return f"{', '.join(filter(None, (row.short, row.spelling)))} {value if row.kind is not bool else ''}".rstrip()


def _entry(head: str, text: str) -> List[str]:
    """Return the lines of an option: the explanation is beside its spellings, or below them."""
    explained = [" " * HELP_COLUMN + line for line in wrap(text, HELP_WIDTH)]
    lead = f"  {head}  "
    if len(lead) > HELP_COLUMN:
        return [lead.rstrip(), *explained]
    return [lead.ljust(HELP_COLUMN) + explained[0].lstrip(), *explained[1:]]
