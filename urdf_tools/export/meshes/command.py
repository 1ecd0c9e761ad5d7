"""The command line for one model without a robot: any format that is read into any that is written."""
import os
from typing import Dict, List, Sequence, Tuple

from ...base.errors import BrokenMesh, Unusable
from ...base.option_table import Option, read_choice
from ...base.transaction import Transaction
from ...cli.arguments import make_parser, say_help
from ...cli.command import run_command
from ...cli.extract_meshes import EXTRACT_ROWS, MESH_ROWS, parse_model, print_json, print_parts, WHAT
from ...collada.records import Conversion, part_stems
from ...mesh.file_names import safe_stem
from ...meshing.ownership import foreign_files
from ...plan.mesh_tasks import MeshFile
from ...run.extract_meshes import default_folder
from ...run.option_rows import options_from
from ..options import EXPORT_OPTIONS
from .convert import convert_mesh, MeshTarget, name_files, WrittenPart
from .files import read_bytes
from .form import Image
from .images import image_file_names
from .rare_collada import RARE_COLLADA

EXAMPLES = """\
examples:
  model.dae --mesh-format obj             one OBJ with its MTL for each color
  model.glb --mesh-format stl --combine   one STL, no colors
  model.obj --mesh-format glb -o output/  all colors and images in one file
"""
ROWS: Tuple[Option, ...] = (
    *(row._replace(group=WHAT) for row in EXPORT_OPTIONS if row.name in ("mesh_format", "gltf_up")),
    *(row._replace(help="one file for everything; STL and OBJ lose their colors") if row.name == "separate" else row
      for row in EXTRACT_ROWS))


def model_main(words: Sequence[str]) -> int:
    """Run the command; return 0 (written), 1 (interrupted), 2 (refused), 3 (the proof failed).

    Nothing is written unless it is 0.
    """
    return run_command(_run, words, "error: ")


def _run(words: List[str]) -> int:
    parser = make_parser(ROWS, ("model", "model.glb", "a .dae, .zae, .stl, .obj, .gltf or .glb file"),
                         "Convert a model into another format, in meters, and prove that it draws the same.", EXAMPLES)
    arguments = parse_model(parser, ROWS, words)
    if arguments.help:
        return say_help(parser)
    form, up = (read_choice(row, getattr(arguments, row.name), row.spelling) for row in ROWS[:2])
    if form is None:
        raise Unusable("this is a mesh, not a URDF (--mesh-format stl, obj, gltf or glb converts it)", arguments.model)
    if up and form not in ("gltf", "glb"):
        raise Unusable("--gltf-up is for --mesh-format gltf or glb")
    options = options_from({row.name: getattr(arguments, row.name) for row in MESH_ROWS}, flags=True,
                           rare=lambda: RARE_COLLADA).meshes.dae._replace(rare=RARE_COLLADA)
    target = MeshTarget(form, up or "y", dae=options._replace(separate=arguments.separate))
    if form in ("gltf", "glb"):
        target = target._replace(dae=options)
    conversion = convert_model(arguments.model, arguments.output or default_folder(arguments.model), target,
                               arguments.force)
    if arguments.json:
        print_json(arguments.model, conversion, "model")
    else:
        print_parts(arguments.model, conversion)
    return 0


def convert_model(path: str, folder: str, target: MeshTarget, force: bool = False) -> Conversion:
    """Write the parts of a model of any format into a folder, which is made if need be: all files or none.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        Unusable: a file cannot be written or must not be replaced.
        ProofFailed: what was written is not what the file holds.
    """
    stem = safe_stem(os.path.splitext(os.path.basename(path))[0], "model")
    try:
        with Transaction() as transaction:
            staging_dir = transaction.staging_folder(folder)
            written = convert_mesh(path, staging_dir, target)
            if not written.parts:
                raise BrokenMesh("; ".join(("draws no triangles", *map(str, written.notes))), path)
            stems = part_stems([part.part for part in written.parts], stem, set())
            for name, source in _all_files(written.parts, stems, staging_dir).items():
                place = os.path.join(folder, name)
                along = not name.endswith((".stl", ".obj", ".mtl", ".gltf", ".glb"))
                file = MeshFile(source, place, None if along else written.parts[0].part, path,
                                folder != default_folder(path))
                if not force and foreign_files([file]):
                    raise Unusable("exists and is not this tool's to replace: --force replaces it", place)
                transaction.add_file(place, source)
            transaction.commit()
    except OSError as problem:
        raise Unusable(f"cannot be written ({problem.strerror or problem})",
                       str(problem.filename or folder)) from problem
    return Conversion(tuple(part.part._replace(file=os.path.join(folder, f"{name}{part.ending}"))
                            for name, part in zip(stems, written.parts)), written.notes)


def _all_files(parts: Sequence[WrittenPart], stems: Sequence[str], staging_dir: str) -> Dict[str, str]:
    """Return every file by its base name, with the names inside put right."""
    named = os.path.join(staging_dir, "named")
    os.mkdir(named)
    shown = {image.path: image for part in parts for image in part.images if image}
    data = {path: read_bytes(path) for path in shown}
    names = image_file_names([Image(image.name, data[path]) for path, image in shown.items()],
                             {stem.casefold() for stem in stems})
    files: Dict[str, str] = {}
    for stem, part in zip(stems, parts):
        images = [names[data[image.path]] if image else "" for image in part.images]
        files.update({name: source for source, name in name_files(part, stem, images, named)})
        if part.ending in (".obj", ".gltf"):
            files.update({names[data[image.path]]: image.path for image in part.images if image})
    return files
