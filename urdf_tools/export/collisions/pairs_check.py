"""`--pairs-check`: what an SRDF says of links that never touch, judged for a robot as it is."""
import os
import sys
from typing import Callable, List, Sequence, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import Unusable
from ...base.files import read_file
from ...base.number_text import count_of, shown_names
from ...base.option_table import Option
from ...cli.command import NOT_DONE, WRITTEN
from ...cli.run import says_if_stopped_late
from ...cli.streams import progress_line, say
from ...collision.kinds import PAIR_AT_HOME
from ...collision.pairs_step import Judged, judge, wrong_line
from ...compare.commands import parse_only
from ...urdf.lossless_xml import Document, parse_document
from ...urdf.model import Robot
from ...urdf.package_resolver import resolve, resolver_for
from ...urdf.reader import read_robot
from ...urdf.xacro import read_expanded
from .pairs import find_pairs

KNOWN = ("pairs_check", "pairs_cells", "package", "xacro_args", "full", "quiet", "color", "repair")
AsUrdf = Callable[[bytes, str], Tuple[bytes, Tuple[Diagnostic, ...]]]


def check_command(words: Sequence[str], options: Sequence[Option], as_urdf: AsUrdf) -> int:
    """Run the command; return the exit status: 0, or 1 where a line of the SRDF is wrong.

    Raises:
        UrdfError: a file or an option cannot be used.
    """
    arguments = parse_only(words, options, KNOWN, "--pairs-check takes the robot as it is and writes nothing")
    path, srdf = arguments.input_urdf, arguments.pairs_check
    source, _ = as_urdf(read_expanded(path, arguments.xacro_args), path)
    robot = read_robot(parse_document(source, path), repair=arguments.repair)
    document = parse_document(read_file(srdf), srdf)
    _check_names(document, robot)
    resolver = resolver_for(robot.document.root, os.path.dirname(os.path.abspath(path)), arguments.package)
    with says_if_stopped_late(), progress_line(sys.stderr) as progress:
        checked = find_pairs(robot, lambda name: resolve(name, resolver).path, arguments.pairs_cells, progress)
    judged = judge(document, checked)
    hidden = [frozenset((line.first, line.second)) for line in judged]
    wrong = [(line, wrong_line(robot, checked, line.pair, hidden, line.line)) for line in judged
             if line.verdict == "wrong" and line.pair]
    lines = [f"{srdf}:{line.line}: {said.text}" for line, said in wrong]
    if not arguments.quiet:
        # Of hulls that overlap at home a run says that they get no line; here their lines are among the open ones.
        notes = [note for note in checked.notes if note.kind is not PAIR_AT_HOME]
        lines += [*(f"{path}: {note.text}" for note in notes), *_open_lines(srdf, judged, full=arguments.full),
                  _total(srdf, judged)]
    say(lines, sys.stdout)
    return NOT_DONE if wrong else WRITTEN


def _check_names(document: Document, robot: Robot) -> None:
    """Make sure that an SRDF is of this robot.

    Raises:
        Unusable: most links that its pairs name are not in the robot, or it has no pairs.
    """
    names = dict.fromkeys(one.get(key) or "" for one in document.root.elements("disable_collisions")
                          for key in ("link1", "link2"))
    unknown = [name for name in names if name not in robot.links]
    if not names:
        raise Unusable("this has no <disable_collisions>, so there is nothing to judge", document.path)
    if 2 * len(unknown) > len(names):
        raise Unusable(f"is not of this robot, which has no links {shown_names(unknown)}", document.path)


def _open_lines(srdf: str, judged: Sequence[Judged], *, full: bool) -> List[str]:
    found = [f"{srdf}:{line.line}: '{line.first}' and '{line.second}': not proven" for line in judged
             if line.verdict == "open"]
    return found if full else []


def _total(srdf: str, judged: Sequence[Judged]) -> str:
    counts = {verdict: sum(line.verdict == verdict for line in judged)
              for verdict in ("proven", "wrong", "open", "chosen")}
    return (f"{srdf}: {count_of(len(judged) - counts['chosen'], 'pair')} that never touch by it: {counts['proven']} "
            f"proven, {counts['wrong']} wrong, {counts['open']} not proven (--full names them); "
            f"{counts['chosen']} left out for other reasons")
