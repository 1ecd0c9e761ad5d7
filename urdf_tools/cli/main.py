"""The command line: arguments, the question, exit codes. All that a run prints is printed here."""
import argparse
import gc
import os
import signal
import sys
from contextlib import contextmanager
from typing import Iterable, Iterator, List, Optional, Sequence, TextIO

from ..base.atomic_write import (default_output, default_srdf_output, hard_link_warnings, is_foreign, is_same_file,
                                 read_file)
from ..base.errors import ProofFailed, Unusable, UrdfError
from ..base.number_text import count_of
from ..base.transaction import Transaction
from ..base.unified_diff import unified_diff
from ..base.version import version_text
from ..urdf.xacro import is_xacro, read_expanded
from ..mesh.stl import stl_source
from ..plan.mesh_splitting import check_mesh_files, COLLADA_ENDINGS, foreign_mesh_files, Splitting
from ..plan.options import MeshOptions, Options, read_axis_word, read_package
from ..run.pipeline import mesh_folder, rehearse, Result, write_result
from ..report.srdf_text import srdf_change_line, srdf_text
from ..report.text import analysis, change_line, Look, outcome, proof_text, tree
from .extract_meshes import add_dae_arguments, clear_progress, end_by_signal, extract_main, progress_line
from .output_files import check_outputs, files_to_write

WRITTEN, NOT_DONE, REFUSED, DISPROVED = 0, 1, 2, 3
GLOB_OPTIONS = ("--keep", "--strip", "--keep-mesh")  # their values may end like a mesh

EXAMPLES = """\
examples:
  urdf_simplify.py robot.urdf                  show the plan, ask, write
  urdf_simplify.py robot.urdf -o clean.urdf -y do not ask
  urdf_simplify.py robot.urdf -n               only show what would be done
  urdf_simplify.py robot.urdf --diff           see every line that would change
  urdf_simplify.py robot.urdf --no-merge --no-strip             only reorient
  urdf_simplify.py robot.urdf --keep 'imu_*' --keep tool0
  urdf_simplify.py robot.urdf --base-frame x=left,y=back,z=up --axis toe=Y
  urdf_simplify.py robot.urdf --srdf robot.srdf --report report.json
  urdf_simplify.py robot.urdf @choices.txt     read more arguments from a file

exit status: 0 written or nothing to do; 1 not done (declined, or --check found
changes), 2 input or options refused, 3 the proof failed. Nothing is written
unless it is 0.
"""


class _Parser(argparse.ArgumentParser):
    """Arguments from `@file` may share a line, be quoted, and follow `#` comments."""

    def convert_arg_line_to_args(self, arg_line: str) -> List[str]:
        from shlex import split  # here, because only @file needs it

        return split(arg_line, comments=True)


class _Page(argparse.RawDescriptionHelpFormatter):
    """Options as `-o, --output FILE`, which argparse itself does only since Python 3.13."""

    def _format_action_invocation(self, action: argparse.Action) -> str:
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(action.option_strings)} {value}"


def build_parser() -> argparse.ArgumentParser:
    """Return the parser; its help is a page to learn from."""
    parser = _Parser(
        prog="urdf_simplify.py", formatter_class=_Page, epilog=EXAMPLES,
        fromfile_prefix_chars="@", add_help=False, usage="%(prog)s [options] robot.urdf",
        description="Simplify and reorient a URDF: merge fixed and duplicate links, strip motor\n"
                    "hardware, turn every frame to X forward, Y left, Z up, and prove that it is\n"
                    "the same robot.")
    parser.add_argument("input_urdf", help="path of the URDF; - reads standard input, *.xacro is "
                                           "expanded by the xacro command")
    where = parser.add_argument_group("where to write, and how to ask")
    where.add_argument("-o", "--output", metavar="FILE",
                       help="output file (default: <input>_simplified.urdf); - is standard output, the report then "
                            "goes to standard error")
    where.add_argument("-y", "--yes", action="store_true", help="do not ask")
    where.add_argument("-n", "--dry-run", action="store_true", help="everything but the question and the write")
    where.add_argument("--check", action="store_true",
                       help="write nothing; exit 1 if a run would change the file, or the SRDF")
    where.add_argument("--diff", action="store_true",
                       help="write nothing; print a unified diff of the URDF text, and of the SRDF")
    where.add_argument("--report", metavar="FILE", help="also write what was done as JSON, for programs")
    where.add_argument("--force", action="store_true", help="allow an output to be the input file itself")
    where.add_argument("-q", "--quiet", action="store_true", help="print warnings and errors only")
    beside = parser.add_argument_group("beside the URDF")
    beside.add_argument("--srdf", metavar="FILE", help="an SRDF that is to follow; both files are written, or none")
    beside.add_argument("--srdf-output", metavar="FILE", help="its output file (default: <output>.srdf)")
    beside.add_argument("--xacro-arg", metavar="NAME:=VALUE", action="append", default=[],
                        help="an argument for xacro; repeatable")
    frames = parser.add_argument_group("frames and axes")
    frames.add_argument("--base-frame", metavar="FRAME", default="auto",
                        help="which way the input looks: auto (default: from an earlier run's comment, else from "
                             "left/right pairs of links, else onshape), onshape (x=right,y=forward,z=up), ros, or "
                             "such words")
    frames.add_argument("--axis", metavar="WORD=X|Y|Z", action="append", default=[],
                        help="joints with this word in their name turn about that axis; repeatable (built in: pitch, "
                             "knee, elbow = Y, roll = X, yaw = Z)")
    frames.add_argument("--snap", metavar="RAD", type=float, default=1e-4,
                        help="angles below it are noise of the CAD export and become 0 (default 1e-4; 0 is exact)")
    frames.add_argument("--no-reorient", action="store_true", help="leave all frames as they are")
    merging = parser.add_argument_group("merging")
    merging.add_argument("--keep", metavar="GLOB", action="append", default=[],
                         help="links on fixed joints that stay; repeatable")
    merging.add_argument("--keep-frames", action="store_true",
                         help="keep every massless link without geometry, such as tool0")
    merging.add_argument("--leave-frames", action="store_true",
                         help="leave of every merged link an empty link on a fixed joint in its place, so that its "
                              "TF name survives")
    merging.add_argument("--merge-all", action="store_true",
                         help="merge fixed links even if a sensor, a plugin or a loop needs them")
    merging.add_argument("--coincident", choices=("add", "drop"), default="add",
                         help="the mass of an assembly that was exported twice in one place: add it up as the file "
                              "does (default), or drop the copy's")
    merging.add_argument("--duplicates", choices=("merge", "rename"), default="merge",
                         help="joints that share a name but not a motion: refuse the file (merge, default), or rename "
                              "the later ones")
    merging.add_argument("--no-merge", action="store_true", help="merge nothing")
    hardware = parser.add_argument_group("motor hardware")
    hardware.add_argument("--strip", metavar="GLOB", action="append", default=[],
                          help="meshes that leave besides rotor, stator, bearing, nut and spacer; repeatable")
    hardware.add_argument("--keep-mesh", metavar="GLOB", action="append", default=[],
                          help="meshes that stay whatever they are called; repeatable")
    hardware.add_argument("--no-strip", action="store_true", help="strip nothing")
    meshes = parser.add_argument_group(
        "COLLADA meshes", "for the .dae files of a robot; alone: urdf_simplify.py model.dae --help")
    meshes.add_argument("--separate-dae-meshes", action="store_true",
                        help="one STL file and one colored visual for each material; collisions become one STL each")
    meshes.add_argument("--combine-dae-meshes", action="store_true", help="one STL file for each .dae, without colors")
    meshes.add_argument("--append-mesh-type", action="store_true",
                        help="end the file names with _visual or _collision")
    meshes.add_argument("--mesh-dir", metavar="DIR", default="",
                        help="where the STL files go (default: <output>_meshes beside the output)")
    meshes.add_argument("--mesh-prefix", metavar="PREFIX", default="",
                        help="what their names in the URDF begin with, such as package://my_robot/meshes (default: the "
                             "relative path)")
    meshes.add_argument("--package", metavar="NAME=PATH", action="append", default=[],
                        help="where package://NAME/ lies; repeatable (else package.xml upward from the URDF, "
                             "ROS_PACKAGE_PATH, AMENT_PREFIX_PATH)")
    meshes.add_argument("--strict", action="store_true",
                        help="a mesh that cannot be found or read is an error, not a warning")
    meshes.add_argument("--keep-textured", action="store_true", help="leave visuals that show an image as they are")
    meshes.add_argument("--jobs", metavar="N", type=int, default=0,
                        help="processes that convert (default: all processors, where it pays)")
    add_dae_arguments(meshes)
    other = parser.add_argument_group("other")
    other.add_argument("-h", "--help", action="help", help="show this page")
    other.add_argument("--version", action="store_true", help="show the version, and whether this copy was edited")
    return parser


def options_of(arguments: argparse.Namespace) -> Options:
    """Return the choices among the arguments.

    Raises:
        Unusable: a value that does not exist.
    """
    return Options(
        base_frame=arguments.base_frame, axis=tuple(map(read_axis_word, arguments.axis)), snap=arguments.snap,
        keep=tuple(arguments.keep), keep_frames=arguments.keep_frames,
        leave_frames=arguments.leave_frames, merge_all=arguments.merge_all,
        coincident=arguments.coincident, duplicates=arguments.duplicates, strip=tuple(arguments.strip),
        keep_mesh=tuple(arguments.keep_mesh), strip_hardware=not arguments.no_strip, merge=not arguments.no_merge,
        reorient=not arguments.no_reorient, meshes=MeshOptions(**{
            **{name: getattr(arguments, name) for name in MeshOptions._fields},
            "package": tuple(map(read_package, arguments.package))}),
    ).checked()


def main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the command line and return the exit status; see the help page for its meaning."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    words = list(sys.argv[1:] if argv is None else argv)
    collecting = gc.isenabled()
    gc.disable()  # the trees live to the end: a collection would find nothing and cost a fifth of the time
    try:
        if "--version" in words:
            say([version_text()], sys.stdout)
            return WRITTEN
        if any(word.lower().endswith(COLLADA_ENDINGS) and not word.startswith("-") and before not in GLOB_OPTIONS
               for before, word in zip(["", *words], words)):
            return extract_main(words)
        with ends_on_signals():
            return run(build_parser().parse_args(words))
    except KeyboardInterrupt:
        say([""], sys.stderr)
        return NOT_DONE
    except ProofFailed as error:
        say([f"{error}", "The result would not be the same robot, so nothing was written. This is a fault of "
             "urdf_simplify:", f"please report it together with the file and this line: {version_text()}"], sys.stderr)
        return DISPROVED
    except UrdfError as error:
        say([str(error)], sys.stderr)
        return REFUSED
    finally:
        if collecting:
            gc.enable()


def run(arguments: argparse.Namespace) -> int:
    """Read, plan, rehearse, prove, show, ask, write.

    Raises:
        UrdfError: the input, an option or the output cannot be used; nothing has been written.
    """
    options = options_of(arguments)
    from_stdin, shows_only = arguments.input_urdf == "-", arguments.check or arguments.diff or arguments.dry_run
    path = "<stdin>" if from_stdin else arguments.input_urdf
    output = arguments.output or (default_output(path) if not from_stdin else "")
    if from_stdin and not shows_only and not (arguments.output and arguments.yes):
        raise Unusable("standard input holds the URDF, so it cannot answer the question: give --output and --yes, "
                       "or --dry-run", path)
    to_stdout = output == "-"
    srdf_output = arguments.srdf_output or default_srdf_output(output)
    if not shows_only:
        check_outputs(arguments, path, "" if to_stdout else output, srdf_output)
    if options.meshes.wanted and to_stdout and not options.meshes.mesh_dir:
        raise Unusable("with --output - give --mesh-dir: the STL files need a place", path)
    srdf = (arguments.srdf, read_file(arguments.srdf)) if arguments.srdf else None
    source = _read_standard_input() if from_stdin else read_expanded(path, arguments.xacro_arg)
    target = "" if to_stdout or from_stdin and not output else output
    with Transaction() as transaction:
        holding = ""
        if options.meshes.wanted:
            holding = transaction.staging_folder("" if shows_only else mesh_folder(path, options, target))
        try:
            result = rehearse(source, path, options, target, holding, progress_line(sys.stderr), srdf)
        finally:
            if holding:
                clear_progress(sys.stderr)
        check_mesh_files(result.plan.splitting, arguments.force)
        return show_and_write(arguments, result, path, output, srdf_output, transaction)


def show_and_write(arguments: argparse.Namespace, result: Result, path: str, output: str, srdf_output: str,
                   transaction: Transaction) -> int:
    """Show what was rehearsed and, if that is wanted, ask and write; return the exit status."""
    to_stdout = output == "-"
    shows_only = arguments.check or arguments.diff or arguments.dry_run
    splitting = result.plan.splitting
    changed = result.changed or bool(result.srdf and result.srdf.changed)
    report = sys.stderr if to_stdout or arguments.diff else sys.stdout
    _show(result, arguments, path, report)
    if arguments.check:
        changes = f"would change: {change_line(result)}" if result.changed else "is simple and canonical already"
        say([f"{path} {changes}", *([f"{arguments.srdf} {srdf_change_line(result.srdf)}"] if result.srdf else [])],
            sys.stdout)
        return NOT_DONE if changed else WRITTEN
    if arguments.diff:
        old, new = result.before.document.text(), result.after.document.text()
        say(unified_diff(old, new, path, output or "result"), sys.stdout)
        if result.srdf:
            old, new = result.srdf.before.text(), result.srdf.after.text()
            say(unified_diff(old, new, arguments.srdf, srdf_output or "result"), sys.stdout)
        return WRITTEN
    if not changed and not arguments.quiet:
        say(["Nothing to change: the robot is simple and canonical already."
             + ("" if shows_only or is_same_file(path, output) else " The output will be a copy.")], report)
    if arguments.dry_run:
        return WRITTEN
    files = files_to_write(result, arguments, path, output, srdf_output)
    if not files and not to_stdout:
        return WRITTEN
    if not arguments.quiet:
        say([*(line for file, _ in files for line in _announce(file)), *_announce_meshes(splitting)], report)
    say(hard_link_warnings([*(file for file, _ in files), *(file.target for file in splitting.files)]), sys.stderr)
    if not arguments.yes and not confirm(report):
        return NOT_DONE
    to_stream = (lambda: write_stream("", sys.stdout, result.data)) if to_stdout else None
    write_result(result, files, transaction, arguments.force, to_stream)
    if not arguments.quiet:
        say([*outcome(result, output, look_of(report)), *([f"  SRDF: {srdf_output}"] if result.srdf else []),
             *([f"  Report: {arguments.report}"] if arguments.report else [])], report)
    return WRITTEN


@contextmanager
def ends_on_signals() -> Iterator[None]:
    """Let SIGTERM and SIGHUP end the run like an error, so that nothing temporary is left behind."""
    numbers = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    try:
        before = [(number, signal.signal(number, end_by_signal)) for number in numbers]
    except ValueError:  # not in the main thread, where signals do not arrive anyway
        before = []
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _show(result: Result, arguments: argparse.Namespace, path: str, report: TextIO) -> None:
    """Say what will be done, or, if that is asked for, only the warnings."""
    if arguments.quiet or arguments.check:
        notices = [(path, notice) for notice in result.plan.warnings]
        notices += [(arguments.srdf, notice) for notice in (result.srdf.following.warnings if result.srdf else ())]
        say([f"warning: {name}:{n.line}: {n.message}" if n.line else f"warning: {name}: {n.message}"
             for name, n in notices], sys.stderr)
        return
    look = look_of(report)
    expanded = ["Expanded by xacro: line numbers count in what it gave.", ""] if is_xacro(path) else []
    say([*expanded, *analysis(result, look), *tree(result, look), *proof_text(result), "",
         *(srdf_text(result.srdf, look) if result.srdf else [])], report)


def _read_standard_input() -> bytes:
    if sys.stdin is None:
        raise Unusable("standard input is closed", "<stdin>")
    return bytes(sys.stdin.buffer.read())


def _announce_meshes(splitting: Splitting) -> List[str]:
    if not splitting.files:
        return []
    foreign = foreign_mesh_files(splitting)
    replaced = sum(os.path.exists(file.target) for file in splitting.files) - len(foreign)
    folder = os.path.dirname(splitting.files[0].target) or "."
    again = f" ({replaced} of them again)" if replaced > 0 else ""
    return [f"Will write {count_of(len(splitting.files), 'mesh', 'meshes')} to {folder}{again}",
            *(f"Will replace {file.target}, which was not written by this tool" if stl_source(file.target) is None else
              f"Will replace {file.target}, which was made from another file than {file.origin}" for file in foreign)]


def _announce(output: str) -> List[str]:
    foreign = is_foreign(output)
    if foreign is None:
        return [f"Will write {output}"]
    by_whom = ", which was not written by this tool" if foreign else ""
    return [f"Will replace {output}{by_whom}"]


def confirm(stream: TextIO) -> bool:
    """Ask once and read one line; only `yes` goes on. End of input means no."""
    write_stream("Proceed? (yes/no): ", stream)
    answer = sys.stdin.readline() if sys.stdin is not None and not sys.stdin.closed else ""
    interactive = bool(answer) and sys.stdin.isatty()
    if not interactive:
        say([answer.strip()], stream)
    if answer.strip().lower() == "yes":
        return True
    hint = "" if answer else " (no answer to read; --yes answers in advance)"
    say([f"Nothing was written{hint}."], stream)
    return False


def look_of(stream: TextIO) -> Look:
    """Find out whether a stream can show box characters, and whether it is a terminal that likes color."""
    try:
        "\u251c\u2500\u2514\u2502".encode(getattr(stream, "encoding", None) or "ascii")
        boxes = True
    except (UnicodeError, LookupError):
        boxes = False
    colored = stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
    return Look(boxes, colored)


def say(lines: Iterable[str], stream: TextIO) -> None:
    """Print lines; a reader who has gone away ends the talk, not the work.

    Raises:
        Unusable: the stream cannot be written for another reason, such as a full disk.
    """
    write_stream("".join(line + "\n" for line in lines), stream)


def write_stream(text: str, stream: TextIO, data: bytes = b"") -> None:
    """Write text, then bytes as they are; see `say`."""
    try:
        stream.write(text)
        stream.flush()
        if data:
            stream.buffer.write(data)
            stream.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # what is still in the buffer goes there
        if data or not isinstance(error, BrokenPipeError):
            raise Unusable(f"cannot be written: {error.strerror}", stream.name) from None
