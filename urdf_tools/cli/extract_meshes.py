"""Split a COLLADA model into binary STL files, one for each color, in meters.

`python -m urdf_tools.extract_dae_meshes model.dae -o output/`, or `extract_meshes_from_dae` from a program.
"""
import argparse
import os
import signal
import sys
import time
from functools import partial
from typing import Callable, NoReturn, Optional, Sequence, TextIO, Tuple

from ..base.errors import BrokenMesh, ProofFailed, Unusable, UrdfError
from ..base.transaction import Transaction
from ..mesh.file_names import safe_stem
from ..mesh.stl import is_own_stl, stl_source
from ..collada.convert import convert_dae, MeshProgress
from ..collada.materials import rgba_text
from ..collada.records import check_dae_options, Conversion, DaeOptions, MISSING_UNITS, MOST_FACES, Part, part_stems
from ..collada.scene import SceneOptions

CLEAR_LINE = "\r\x1b[K"
EXTRACT_EXAMPLES = """\
examples:
  model.dae -o output/               one STL for each color
  model.dae -o output/ --combine     one STL, no colors
  model.dae -o output/ --scale 0.01  the numbers in the file are centimetres, whatever it says
"""


def extract_meshes_from_dae(dae_file: str, output_dir: str, *, scale_factor: Optional[float] = None,
                            separate: bool = True, missing_unit: float = 1.0, up_axis: Optional[str] = None,
                            merge_equal_colors: bool = True, planar: str = "keep", max_faces: int = MOST_FACES,
                            force: bool = False, progress: Optional[MeshProgress] = None) -> Tuple[Part, ...]:
    """Write one binary STL per color of a `.dae` or `.zae` file, in meters, and return a record for each.

    Either all files appear in `output_dir`, which is made if need be, or none.

    Args:
        scale_factor: meters per unit of the file, instead of the file's own `<unit>`.
        separate: False writes one STL for everything.
        missing_unit: meters per unit of a file that gives none.
        up_axis: "x", "y" or "z" turns that axis of the file to +Z; None leaves the axes as they are.
        merge_equal_colors: False keeps materials apart that have the same color.
        planar: "merge" moves parts that lie in a plane into the largest part.
        max_faces: parts with more triangles are split; 0 for no limit.
        force: replace existing files that this tool did not write, or made from another model.
        progress: is called now and then with the number of triangles so far.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        Unusable: an option is out of range, or a file cannot be written or must not be replaced.
        ProofFailed: what was written is not what the file holds.
    """
    options = DaeOptions(SceneOptions(scale_factor, missing_unit, up_axis), separate, merge_equal_colors, planar,
                         max_faces)
    return extract_conversion(os.fspath(dae_file), os.fspath(output_dir), options, force, progress).parts


def extract_conversion(dae_file: str, output_dir: str, options: DaeOptions, force: bool = False,
                       progress: Optional[MeshProgress] = None) -> Conversion:
    """Do what `extract_meshes_from_dae` does, and return the notes on the whole file as well."""
    check_dae_options(options)
    stem = safe_stem(os.path.splitext(os.path.basename(dae_file))[0], "model")
    shared = output_dir != default_folder(dae_file)
    try:
        with Transaction() as transaction:
            conversion = convert_dae(dae_file, transaction.staging_folder(output_dir), options, progress=progress)
            if not conversion.parts:
                raise BrokenMesh("; ".join(("draws no triangles", *conversion.notes)), dae_file)
            targets = [os.path.join(output_dir, f"{name}.stl") for name in part_stems(conversion.parts, stem, set())]
            for part, target in zip(conversion.parts, targets):
                if os.path.lexists(target) and not force and not is_own_stl(target, part.file, shared):
                    how = "not written by this tool" if stl_source(target) is None else "made from another model"
                    raise Unusable(f"exists and was {how}: --force replaces it", target)
                transaction.add_file(target, part.file)
            transaction.commit()
    except OSError as problem:
        raise Unusable(f"cannot be written ({problem.strerror or problem})",
                       str(problem.filename or output_dir)) from problem
    parts = [part._replace(file=target) for part, target in zip(conversion.parts, targets)]
    return conversion._replace(parts=tuple(parts))


def default_folder(dae_file: str) -> str:
    """Return the folder for the parts of a model when none is named: `<model>_meshes` beside it."""
    return f"{os.path.splitext(dae_file)[0]}_meshes"


def extract_arguments() -> argparse.ArgumentParser:
    """Return the parser of the stand-alone command line."""
    # With a fixed width, argparse does not load what measures the terminal, which takes as long as a small file.
    formatter = partial(argparse.RawDescriptionHelpFormatter, width=100)
    parser = argparse.ArgumentParser(
        prog="extract_dae_meshes", description="Split a COLLADA model into STL files, one for each color, in meters.",
        epilog=EXTRACT_EXAMPLES, formatter_class=formatter)
    parser.add_argument("dae", metavar="model.dae", help="a .dae or .zae file")
    what = parser.add_argument_group("what to write, and how to read")
    what.add_argument("--combine", action="store_true", help="one STL for everything, without colors")
    add_dae_arguments(what)
    where = parser.add_argument_group("where to write, and how to tell")
    where.add_argument("-o", "--output", metavar="FOLDER", help="default: <model>_meshes beside the model")
    where.add_argument("--force", action="store_true", help="replace files that this tool did not write")
    where.add_argument("--json", action="store_true", help="describe the parts as JSON")
    where.add_argument("-y", "--yes", action="store_true", help="accepted; this command never asks")
    return parser


def add_dae_arguments(group: argparse._ArgumentGroup) -> None:
    """Add what both command lines let the user choose about COLLADA files; `dae_options` reads it."""
    group.add_argument("--keep-equal-colors", dest="merge_equal_colors", action="store_false",
                       help="one part for each material, even if several have the same color")
    group.add_argument("--merge-equal-colors", dest="merge_equal_colors", action="store_true", default=True,
                       help="one part for each color (default)")
    group.add_argument("--planar", choices=("keep", "merge"), default="keep",
                       help="parts in one plane, which MuJoCo refuses: keep (default), or merge into the largest")
    group.add_argument("--max-faces", type=int, default=MOST_FACES, metavar="N",
                       help=f"split parts of more triangles; 0: never (default {MOST_FACES}, MuJoCo's limit)")
    group.add_argument("--scale", type=float, metavar="M", help="meters per unit, instead of what the file says")
    group.add_argument("--missing-unit", choices=sorted(MISSING_UNITS), default="meter",
                       help="the unit of a file that gives none (default meter, as COLLADA says)")
    group.add_argument("--up-axis", choices=("x", "y", "z"),
                       help="turn this axis of the file to +Z (default: turn nothing, as RViz and Gazebo do)")


def dae_options(arguments: argparse.Namespace) -> DaeOptions:
    """Return the choices that `add_dae_arguments` offers."""
    scene = SceneOptions(arguments.scale, MISSING_UNITS[arguments.missing_unit], arguments.up_axis)
    return DaeOptions(scene, True, arguments.merge_equal_colors, arguments.planar, arguments.max_faces)


def extract_main(argv: Optional[Sequence[str]] = None) -> int:
    """Run the stand-alone command line; return 0 (written), 2 (refused, nothing written), 3 (the proof failed)."""
    arguments = extract_arguments().parse_args(argv)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    options = dae_options(arguments)._replace(separate=not arguments.combine)
    output = arguments.output or default_folder(arguments.dae)
    show = progress_line(sys.stderr)
    progress = partial(show, os.path.basename(arguments.dae)) if show else None
    before = signal.signal(signal.SIGTERM, end_by_signal)
    try:
        conversion = extract_conversion(arguments.dae, output, options, arguments.force, progress)
    except UrdfError as problem:
        clear_progress(sys.stderr)
        print(f"error: {problem}", file=sys.stderr)
        return 3 if isinstance(problem, ProofFailed) else 2
    except KeyboardInterrupt:
        clear_progress(sys.stderr)
        print("interrupted", file=sys.stderr)
        return 130
    finally:
        signal.signal(signal.SIGTERM, before)
    clear_progress(sys.stderr)
    try:
        tell = tell_json if arguments.json else tell_text
        tell(arguments.dae, conversion)
        sys.stdout.flush()
    except BrokenPipeError:  # nobody reads on; the files are written
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def end_by_signal(number: int, _frame: object) -> NoReturn:
    """Turn a signal into an exit, so that temporary files are removed."""
    raise SystemExit(128 + number)


def progress_line(stream: TextIO) -> Optional[Callable[[str, int], None]]:
    """Return what shows in one line the name of a mesh and its triangles so far, if there is a terminal.

    It begins after a second, counted from this call on, and shows no more than two lines a second.
    """
    if not stream.isatty():
        return None
    shown_at = time.monotonic() + 0.5

    def show(name: str, triangles: int) -> None:
        nonlocal shown_at
        now = time.monotonic()
        if now > shown_at + 0.5:
            shown_at = now
            stream.write(f"{CLEAR_LINE}{name}: {triangles:,} triangles ")
            stream.flush()

    return show


def clear_progress(stream: TextIO) -> None:
    """Remove the progress line."""
    if stream.isatty():
        stream.write(CLEAR_LINE)


def tell_text(dae_file: str, conversion: Conversion) -> None:
    """Print one line for each part, and the notes as warnings on standard error."""
    for part in conversion.parts:
        size = " x ".join(f"{high - low:.4g}" for low, high in zip(*part.bounds))
        color = f"rgba {rgba_text(part.rgba)}" if part.rgba else "no color of its own"
        print(f"{part.file}: {part.triangles} triangles, {size} m, {color}")
        for note in part.notes:
            print(f"warning: {part.file}: {note}", file=sys.stderr)
    for note in conversion.notes:
        print(f"warning: {dae_file}: {note}", file=sys.stderr)


def tell_json(dae_file: str, conversion: Conversion) -> None:
    """Print the records as one JSON object."""
    import json  # here, because few runs need it

    parts = [part._asdict() for part in conversion.parts]
    print(json.dumps({"dae": dae_file, "parts": parts, "notes": conversion.notes}, indent=2))
