"""How a run makes meshes in other formats: what the plan is given in the place of the way from COLLADA to STL."""
import os
from functools import partial
from typing import Callable, Dict, List, Optional, Sequence, Tuple

from ...base.diagnostics import Diagnostic
from ...base.errors import Unusable
from ...collada.convert import convert_dae, shown_names
from ...collada.records import COLLADA_ENDINGS, Conversion, DaeOptions
from ...mesh.stl import STL_RECORD, STL_START
from ...plan.mesh_splitting import MeshFile, MeshMaker
from ...plan.options import MeshOptions
from ...run.pipeline import Asked
from ...urdf.package_resolver import resolve, Resolver
from ..kinds import MESH_IMAGE
from .arranging import MeshTarget
from .convert import convert_mesh, name_files, WrittenPart
from .coloring import prove_colors
from .files import image_ending, read_bytes
from .form import Image, Rgba
from .formats import ending_of, READERS
from .images import image_file_names
from .obj_writer import GRAY
from .ownership import owns_mesh
from .request import MeshRequest, read_mesh_request, WITH_COLORS


def mesh_maker(asked: Asked, meshes: MeshOptions) -> Optional[MeshMaker]:
    """Return what makes the meshes of a run, or None where that is left to the way from COLLADA to STL.

    Args:
        asked: the values of the options of the package, and the names of input and result.
        meshes: the other options of meshes.

    Raises:
        Unusable: an option that cannot be used.
    """
    wanted = read_mesh_request(asked.choices, meshes, asked.spelled)
    if wanted is None:
        return None
    endings = () if not wanted.format else tuple(READERS) if wanted.every else COLLADA_ENDINGS
    paths = _Paths(wanted.paths, Resolver(os.path.dirname(os.path.abspath(asked.path)), meshes.package, os.environ),
                   os.path.realpath(os.path.dirname(os.path.abspath(asked.output or asked.path))), asked.spelled)
    for_mujoco = bool(wanted.profile and wanted.profile.name == "mujoco")  # it reads no color of an OBJ
    separates = wanted.separate if wanted.format in WITH_COLORS else not wanted.combine
    return MeshMaker(
        endings=endings, holds_colors=wanted.format in WITH_COLORS, separates=separates,
        convert=partial(convert_for_run, wanted), finish=partial(finish_files, wanted),
        skips=partial(is_ready, wanted, meshes.max_faces), rename=paths.name if wanted.paths != "keep" else None,
        keeps_names=asked.choices["mesh_paths"] == "keep", prefix=paths.prefix,
        compiler=wanted.profile.compiler if wanted.profile else (),
        writes_colors=wanted.format != "stl" and not for_mujoco, owns=owns_mesh, shares=for_mujoco)


def convert_for_run(wanted: MeshRequest, path: str, folder: str, options: DaeOptions, prefix: str, kind: str
                    ) -> Conversion:
    """Convert a file for a visual or a collision; see `MeshMaker`.

    Collisions are never glTF: Drake's rigid contact and MuJoCo read OBJ.

    Raises:
        BrokenMesh, MalformedXml: the file cannot be used.
        ProofFailed: what was written is not what the file holds.
    """
    visual = kind == "visual"
    if wanted.profile and wanted.profile.name == "mujoco":  # one part in a plane, and it refuses the robot
        options = options._replace(planar="merge")
    apart = visual and not wanted.combine
    form = wanted.format if visual or wanted.format not in WITH_COLORS else "obj"
    if form == "stl" and ending_of(path) in COLLADA_ENDINGS:
        conversion = convert_dae(path, folder, options, prefix)
        prove_colors(path, conversion, options, colored=apart, separate=apart)
        return conversion
    in_one = form in WITH_COLORS and not options.separate
    target = MeshTarget(form, wanted.up, colored=visual and not (wanted.combine and form == "obj"),
                        split=form in WITH_COLORS and not in_one,
                        dae=options._replace(separate=options.separate or in_one))
    written = convert_mesh(path, folder, target, prefix)
    conversion = Conversion(tuple(part.part for part in written.parts), written.notes, written.parts)
    prove_colors(path, conversion, options, colored=visual and form in WITH_COLORS or apart,
                 separate=visual and wanted.separate if form in WITH_COLORS else apart)
    return conversion


def is_ready(wanted: MeshRequest, max_faces: int, path: str) -> bool:
    """Return True if a file is binary STL already, may be STL, and is small enough."""
    if not wanted.leaves_stl or ending_of(path) not in (".stl", ".stlb"):
        return False
    try:
        with open(path, "rb") as stream:
            start = stream.read(STL_START)
        count = int.from_bytes(start[80:], "little")
        return os.path.getsize(path) == STL_START + STL_RECORD.size * count and not 0 < max_faces < count
    except OSError:
        return False


def finish_files(wanted: MeshRequest, files: Sequence[MeshFile], colors: Dict[str, str]
                 ) -> Tuple[List[MeshFile], List[Diagnostic]]:
    """Return the files with the names inside put right, with MTL files, buffers and images; see `MeshMaker`."""
    if not files:
        return [], []
    parts = [file.details for file in files if isinstance(file.details, WrittenPart)]
    shown = {image.path: image for part in parts for image in part.images if image}
    data = {path: read_bytes(path) for path in shown}
    taken = {os.path.splitext(os.path.basename(file.target))[0].casefold() for file in files}
    names = image_file_names([Image(image.name, data[path]) for path, image in shown.items()], taken)
    folder = os.path.join(os.path.dirname(files[0].source), "named")
    os.makedirs(folder, exist_ok=True)
    finished: List[MeshFile] = []
    beside: Dict[str, str] = {}
    for file in files:
        if not isinstance(file.details, WrittenPart):
            finished.append(file)
            continue
        stem = os.path.splitext(os.path.basename(file.target))[0]
        images = [names[data[image.path]] if image else "" for image in file.details.images]
        for source, name in name_files(file.details, stem, images, folder, _color(colors.get(file.target, ""))):
            target = os.path.join(os.path.dirname(file.target), name)
            finished.append(file._replace(source=source, part=file.part if target == file.target else None,
                                          target=target))
        if file.details.ending in (".obj", ".gltf"):
            beside.update({names[data[image.path]]: image.path for image in file.details.images if image})
    target_folder = os.path.dirname(files[0].target)
    for name, path in beside.items():
        source = os.path.join(folder, name)
        os.replace(path, source)  # beside the meshes that show it, so that these can be read before they are placed
        finished.append(files[0]._replace(source=source, target=os.path.join(target_folder, name), part=None,
                                          details=None))
    return finished, _image_notes(wanted, parts, names, data)


def _color(text: str) -> Rgba:
    """Return the numbers of a color of a URDF, gray for none."""
    try:
        red, green, blue, alpha = (min(max(float(word), 0.0), 1.0) for word in text.split())
    except ValueError:
        return GRAY
    return red, green, blue, alpha


def _image_notes(wanted: MeshRequest, parts: Sequence[WrittenPart], names: Dict[bytes, str], data: Dict[str, bytes]
                 ) -> List[Diagnostic]:
    """Return what consumers cannot show, and the format that they can."""
    def listed(*, jpeg: bool) -> str:
        found = [names[content] for content in dict.fromkeys(data[image.path] for part in parts if part.ending == ".obj"
                                                             for image in part.images if image)
                 if (image_ending(content) == ".jpg") is jpeg]
        return shown_names(found)

    jpeg, png = listed(jpeg=True), listed(jpeg=False)
    notes = [Diagnostic(MESH_IMAGE, 0, "drake-jpeg", (jpeg,))] if jpeg else []
    if (png or jpeg) and wanted.profile and wanted.profile.name == "mujoco":
        notes.append(Diagnostic(MESH_IMAGE, 0, "mujoco-png" if png else "mujoco-jpeg", (png or jpeg,)))
    return notes


class _Paths:
    """Names of meshes as they are to be in the URDF."""

    def __init__(self, paths: str, resolver: Resolver, output_folder: str, spelled: Callable[[str], str]) -> None:
        self.paths, self.resolver, self.output_folder, self.spelled = paths, resolver, output_folder, spelled

    def prefix(self, folder: str) -> str:
        """Return what stands before the names of files in a folder, "" for the usual relative path."""
        return self.name(os.path.realpath(folder)) if self.paths.startswith("package://") else ""

    def name(self, path: str) -> str:
        """Return the name of a file, given by its real path.

        Raises:
            Unusable: the folder of the package is not known, or the file is not in it.
        """
        if self.paths == "relative":
            try:
                return os.path.relpath(path, self.output_folder).replace(os.sep, "/")
            except ValueError:  # another drive of Windows
                return path.replace(os.sep, "/")
        name = self.paths[len("package://"):].strip("/")
        package = self._package(name.partition("/")[0])
        inside = os.path.relpath(path, package).replace(os.sep, "/")
        if inside.startswith("../"):
            raise Unusable(f"is not in the folder of the package '{name}', {package}: give another "
                           f"{self.spelled('mesh_paths')}, or {self.spelled('mesh_dir')} within it", path)
        return f"package://{name.partition('/')[0]}/{inside}"

    def _package(self, name: str) -> str:
        for known, folder in self.resolver.packages:
            if known == name:
                return os.path.realpath(folder)
        found = resolve(f"package://{name}/package.xml", self.resolver).path
        if found is None:
            raise Unusable(f"{self.spelled('mesh_paths')} {self.paths}: no folder is known for the package "
                           f"'{name}' ({self.spelled('package')} {name}=PATH says where it is)")
        return os.path.dirname(os.path.realpath(found))


