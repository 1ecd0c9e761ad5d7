"""One model without a robot: any format that is read into any that is written."""
import os
from typing import Dict, Sequence

from ...base.errors import BrokenMesh, UsageError
from ...base.transaction import Transaction
from ...collada.records import Conversion, part_stems
from ...mesh.file_names import safe_stem
from ...meshes.arranging import MeshTarget
from ...meshes.convert import convert_mesh, name_files, WrittenPart
from ...meshes.files import read_bytes
from ...meshes.form import Image
from ...meshes.images import image_file_names
from ...meshing.ownership import foreign_files
from ...plan.mesh_tasks import MeshFile
from ...run.extract_meshes import default_folder


def convert_model(path: str, folder: str, target: MeshTarget, stem: str = "", *, force: bool = False) -> Conversion:
    """Write the parts of a model of any format into a folder, which is made if need be: all files or none.

    Their names begin with `stem`, "" for that of the model.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used, or draws nothing.
        UsageError: a file cannot be written or must not be replaced.
        ProofFailed: what was written is not what the file holds.
    """
    stem = stem or safe_stem(os.path.splitext(os.path.basename(path))[0], "model")
    try:
        with Transaction() as transaction:
            staging_dir = transaction.staging_folder(folder)
            written = convert_mesh(path, staging_dir, target)
            if not written.parts:
                raise BrokenMesh("; ".join(("draws no triangles", *map(str, written.notes))), path)
            stems = part_stems([part.part for part in written.parts], stem, set())
            for name, source in _all_files(written.parts, stems, staging_dir).items():
                final_path = os.path.join(folder, name)
                along = not name.endswith((".stl", ".obj", ".mtl", ".gltf", ".glb"))
                file = MeshFile(source, final_path, None if along else written.parts[0].part, path,
                                folder != default_folder(path))
                if not force and foreign_files([file]):
                    raise UsageError("exists and is not this tool's to replace: --force replaces it", final_path)
                transaction.add_file(final_path, source)
            transaction.commit()
    except OSError as problem:
        raise UsageError(f"cannot be written ({problem.strerror or problem})",
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
