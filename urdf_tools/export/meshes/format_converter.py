"""Make meshes in other formats than STL, and from other files than COLLADA, for a run or for one model without a robot."""

from __future__ import annotations

import os
from functools import partial
from itertools import chain
from typing import Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, TYPE_CHECKING

from ...base.type_aliases import Texts
from ...base.diagnostics import Diagnostic, Diagnostics
from ...base.errors import ProofFailed, UrdfError, UsageError
from ...base.file_reading import file_stamp
from ...base.number_text import shown_names
from ...base.paths import path_from
from ...base.record_type import Record
from ...collada.conversion_records import (
    COLLADA_ENDINGS,
    DaeConversionResult,
    MeshProgress,
    MeshPart,
)
from ...collada.binary_stl import STL_RECORD, STL_START
from ...meshes.read_mesh_files import read_bytes
from ...meshes.mesh_content import MeshImage, Rgba
from ...meshes.mesh_readers import ending_of, READERS, STL_ENDINGS
from ...meshes.mesh_diagnostics import MESH_IMAGE
from ...meshing.mesh_converter import (
    ConvertAll,
    MeshFolders,
    MeshConverter,
    UnconvertedFiles,
    Outcome,
)
from ...plan.plan_decisions import Plan
from ...plan.mesh_tasks import (
    ConvertedShape,
    FinishedFile,
    ConversionForm,
    MeshJob,
    ConversionTask,
)
from ...plan.run_options import MeshOptions
from ...run.run_records import ExtensionRequest
from ...urdf.moved_files import FileUse
from ...urdf.urdf_records import UrdfShape
from ...urdf.package_resolver import resolve, PackageResolver
from ...verify.verify_converted_meshes import PRINTED
from ...verify.proof_robot import numbers_of
from .mesh_process_pool import PooledConverter
from .mesh_request import MeshRequest, WITH_COLORS


if TYPE_CHECKING:
    from ...meshes.convert_mesh import PartFiles
    from ...meshes.prepare_surfaces import MeshTarget


class MeshUris(Record):
    """The names that meshes get in the URDF."""

    paths: str
    resolver: PackageResolver
    output_folder: str
    spelled: Callable[[str], str]

    def prefix(self, folder: str) -> str:
        """Return the text in front of the names of files in a folder, "" for the usual relative path."""
        return self.name(os.path.realpath(folder)) if self.paths.startswith("package://") else ""

    def name(self, path: str) -> str:
        """Return the name of a file, given by its real path.

        Raises:
            UsageError: the folder of the package is not known, or the file is not in it.
        """
        if self.paths == "relative":
            return path_from(self.output_folder, path)
        name = self.paths[len("package://") :].strip("/")
        package = self._package(name.partition("/")[0])
        inside = path_from(package, path)
        if inside.startswith("../"):
            raise UsageError(
                f"is not in the folder of the package '{name}', {package}: give another "
                f"{self.spelled('mesh_paths')}, or {self.spelled('mesh_dir')} within it",
                path,
            )
        return f"package://{name.partition('/')[0]}/{inside}"

    def name_of_use(self, use: FileUse) -> str:
        """Return the name of a file that stays where it is, whatever its use."""
        _, path = use
        return self.name(path)

    def _package(self, name: str) -> str:
        """Return the folder of a package; the folders of the options count before folders that are found."""
        for known, folder in self.resolver.packages:
            if known == name:
                return os.path.realpath(folder)
        path = resolve(f"package://{name}/package.xml", self.resolver).path
        if path is None:
            raise UsageError(
                f"{self.spelled('mesh_paths')} {self.paths}: no folder is known for the package "
                f"'{name}' ({self.spelled('package')} {name}=DIR says where it is)"
            )
        return os.path.dirname(os.path.realpath(path))


class FormatConverter(PooledConverter):
    """A converter to the formats of a request: STL, OBJ or glTF of all readable files, named as the request requires."""

    def __init__(self, asked: ExtensionRequest, options: MeshOptions, request: MeshRequest) -> None:
        super().__init__(
            options,
            mesh_form(request, options.visual_error, keeps=asked.choices["mesh_paths"] == "keep"),
            jobs=asked.choices["jobs"],
        )
        self.request = request
        # A copy, since the environment itself cannot be sent to other processes.
        resolver = PackageResolver(
            folder=os.path.dirname(os.path.abspath(asked.path)),
            packages=options.package,
            environment=dict(os.environ),
            ancestors={},
            listings={},
        )
        self.paths = MeshUris(
            request.paths,
            resolver,
            os.path.realpath(os.path.dirname(os.path.abspath(asked.output or asked.path))),
            asked.spelled,
        )

    def is_ready(self, path: str) -> bool:
        """Return True if a file may stay unchanged: a small binary STL, or for MuJoCo an OBJ that it draws whole."""
        if self.request.leaves_obj and ending_of(path) == ".obj":
            return _is_drawn_whole(path)
        if not self.request.leaves_stl or ending_of(path) not in STL_ENDINGS:
            return False
        try:
            with open(path, "rb") as stream:
                start = stream.read(STL_START)
            count = int.from_bytes(start[80:], "little")
            return os.path.getsize(path) == STL_START + STL_RECORD.size * count and not (
                0 < self.options.max_faces < count
            )
        except OSError:
            return False

    def convert(
        self,
        job: MeshJob,
        staging_dir: str,
        prefix: str,
        progress: Optional[MeshProgress] = None,
    ) -> DaeConversionResult:
        """Convert a file for a visual or a collision; see `MeshConverter`.

        Collisions are never glTF: Drake's rigid contact and MuJoCo read OBJ. A visual that cannot have fewer triangles
        is converted only if its format is to change.

        Raises:
            BrokenMesh, MalformedXml: the file cannot be used.
            ProofFailed: the written surfaces differ from the file.
        """
        made = self._convert(job, staging_dir, prefix, progress)
        if (
            made.parts
            or not made.reduced
            or self.is_ready(job.path)
            or not job.path.lower().endswith(self.form.endings)
        ):
            return made
        return self._convert(job._replace(within=0.0), staging_dir, prefix, progress)._replace(
            reduced=made.reduced
        )

    def _convert(
        self, job: MeshJob, staging_dir: str, prefix: str, progress: Optional[MeshProgress]
    ) -> DaeConversionResult:
        """Convert a mesh, and return its files."""
        # Slow to load, and the meshes of a robot may not be there.
        from ...collada.collada_to_stl import convert_dae
        from ...meshes.convert_mesh import convert_mesh
        from ...meshes.prepare_surfaces import FORMATS, MeshTarget

        path = job.path
        request = self.request
        visual = job.kind == "visual"
        options = self.options.dae._replace(separate=job.separate, rare=self.rare())
        if request.is_for("mujoco"):  # MuJoCo refuses a robot for a single planar part
            options = options._replace(planar="merge")
        form = request.format if visual or request.format not in WITH_COLORS else "obj"
        # The format stays, except COLLADA, which nothing here writes.
        if job.within and (not form or self.is_ready(path)):
            ending = ending_of(path)[1:]
            form = ending if ending in FORMATS else "stl"
        if form == "stl" and not job.within and ending_of(path) in COLLADA_ENDINGS:
            return convert_dae(path, staging_dir, options, prefix, progress)
        in_one = form in WITH_COLORS and not (options.separate and request.format)
        target = MeshTarget(
            form,
            request.up,
            colored=visual and not (request.combine and form == "obj"),
            split=form in WITH_COLORS and not in_one,
            dae=options._replace(separate=options.separate or in_one),
            within=job.within,
        )
        return convert_mesh(path, staging_dir, target, prefix, progress)

    def finish(
        self, files: Sequence[FinishedFile], shapes: Sequence[ConvertedShape]
    ) -> Tuple[List[FinishedFile], Diagnostics]:
        """Return the files with corrected names inside, and their MTL files, buffers and images; see `MeshConverter`."""
        colors: Dict[str, str] = {}
        for part in chain.from_iterable(shape.parts for shape in shapes):
            if part.rgba:
                colors.setdefault(part.filename, part.rgba)
        return finish_files(files, colors, for_mujoco=self.request.is_for("mujoco"))

    def do_tasks(
        self, tasks: List[ConversionTask], convert_all: ConvertAll
    ) -> Tuple[List[ConversionTask], Dict[MeshJob, Outcome]]:
        """Do the jobs of tasks; for MuJoCo a visual that is one file is the file of its collision, too."""
        if not self.request.is_for("mujoco"):
            return super().do_tasks(tasks, convert_all)
        # Visuals come first: then the files that a collision can share are known.
        done = convert_all(
            [job for job in dict.fromkeys(task.job for task in tasks) if job.kind != "collision"], 0
        )
        # MuJoCo reads no color from an OBJ, so a mesh needs one file for both, if it is a single part, not named by its
        # use (suffix), and with all its triangles (off).
        whole = {
            job.path: job
            for job, made in done.items()
            if isinstance(made, DaeConversionResult)
            and len(made.parts) == 1
            and not job.suffix
            and not made.parts[0].off
        }
        tasks = [task._replace(job=whole.get(task.job.path, task.job)) for task in tasks]
        rest = [job for job in dict.fromkeys(task.job for task in tasks) if job not in done]
        return tasks, {**done, **convert_all(rest, len(done))}

    def copies_of(self, plan: Plan, require: Callable[[bool, str], None]) -> Dict[str, str]:
        """Verify the copies, and the visuals of fewer triangles; see `MeshConverter`."""
        for split in plan.meshes.converted:
            for part, made in zip(split.parts, split.made):
                require(
                    is_near(split, made, self.options.visual_error),
                    f"'{split.shape.mesh}' of link '{split.link}' is not within the visual error in '{part.filename}'",
                )
        return super().copies_of(plan, require)

    def others(self, lines: Mapping[FileUse, int], context: MeshFolders) -> UnconvertedFiles:
        """Return the handling of files that stay, named as `--mesh-paths` requires; see `MeshConverter`."""
        others = super().others(lines, context)
        return (
            others
            if self.copies or self.form.names != "all"
            else others._replace(name_of=self.paths.name_of_use)
        )

    def prefix_of(self, folder: str) -> str:
        """Return the text in front of the names of files in a folder, "" for the usual relative path."""
        return self.paths.prefix(folder)


def _is_drawn_whole(path: str) -> bool:
    """Return True if MuJoCo draws all of an OBJ file, in one color."""
    from .obj_materials import scan_obj

    try:
        data = read_bytes(path)
    except UrdfError:
        return False
    obj = scan_obj(data)
    is_continued = (
        b"\\\n" in data or b"\\\r" in data
    )  # MuJoCo refuses a statement that continues on the next line
    return len(obj.materials) == 1 and not obj.has_several and not is_continued


def is_near(split: ConvertedShape, made: MeshPart, visual_error: float) -> bool:
    """Return True if a part has all triangles, or is a visual that is near to its mesh, in the scale of the shape."""
    if made.off == 0.0:
        return True
    # Read the scale again, as the scale used for the decision may be wrong.
    meshes = [element for element in split.shape.source.walk() if element.name == "mesh"]
    factors = chain.from_iterable(numbers_of(mesh.get("scale") or "1 1 1", 3) for mesh in meshes)
    off = made.off * max(map(abs, factors))
    return split.shape.kind == "visual" and off <= visual_error * (1.0 + PRINTED)


def errors_in_files(
    visual_error: float, staying: Sequence[Tuple[str, UrdfShape]]
) -> Dict[str, float]:
    """Return the allowed error of each visual's mesh in units of its file; the largest scale enlarges the error most."""
    scales: Dict[str, float] = {}
    for _, shape in staying:
        if shape.kind == "visual" and shape.mesh.lower().endswith(tuple(READERS)):
            factors = shape.scale or (1.0,)
            scales[shape.mesh] = max(scales.get(shape.mesh, 0.0), *map(abs, factors))
    return {mesh: visual_error / scale for mesh, scale in scales.items() if scale}


def mesh_form(request: MeshRequest, visual_error: float, *, keeps: bool) -> ConversionForm:
    """Return the form that meshes get; `keeps`: files that are copied keep their names, too."""
    endings: Texts = ()
    if request.format:
        endings = tuple(READERS) if request.every else COLLADA_ENDINGS
    separates = not request.combine
    if request.format in WITH_COLORS:
        separates = request.separate
    names = ""
    if keeps:
        names = "keep"
    elif request.paths != "keep":
        names = "all"
    return ConversionForm(
        endings=endings,
        separates=separates,
        by_kind=not request.combine,
        within=partial(errors_in_files, visual_error) if visual_error else None,
        names=names,
        compiler=request.profile.compiler if request.profile else (),
    )


def finish_files(
    files: Sequence[FinishedFile], colors: Mapping[str, str], *, for_mujoco: bool = False
) -> Tuple[List[FinishedFile], Diagnostics]:
    """Return the files with corrected names inside, their MTL files, buffers and images, and the notes about these.

    `colors` holds the color of the visual by the reference to its file.
    """
    if not files:
        return [], []
    from ...meshes.convert_mesh import name_files

    names = _names_of_images(files)
    folder = os.path.join(os.path.dirname(files[0].source), "named")
    os.makedirs(folder, exist_ok=True)
    finished: List[FinishedFile] = []
    beside: Dict[str, str] = {}
    in_obj: List[str] = []
    for file in files:
        if file.part is None or file.part.stamp != file_stamp(file.source):
            raise ProofFailed(
                "is named after another file than the one that was proven", file.target
            )
        stem, ending = os.path.splitext(os.path.basename(file.target))
        looks = _looks_of(file)
        images = [names[image.path] if image else "" for image in looks.images]

        color = _color(colors.get(file.name, ""))
        for source, name in name_files(file.part, stem, images, folder, color):
            if name == stem + ending:
                part = file.part._replace(stamp=file_stamp(source))
                finished.append(file._replace(source=source, part=part))
            else:
                finished.append(_along(file, source, name))
        if ending == ".obj":
            in_obj += images
        if ending in (".obj", ".gltf"):
            beside.update({name: image.path for name, image in zip(images, looks.images) if image})
    for name, path in beside.items():
        source = os.path.join(folder, name)
        # Put the image beside the meshes that show it, so that they can be read before they are placed.
        os.replace(path, source)
        finished.append(_along(files[0], source, name))
    return finished, _image_notes(in_obj, for_mujoco=for_mujoco)


def _names_of_images(files: Sequence[FinishedFile]) -> Dict[str, str]:
    """Return the file name of each image of meshes, by its path; images of equal content share one."""
    from ...meshes.convert_mesh import image_file_names

    images = chain.from_iterable(_looks_of(file).images for file in files)
    shown = {image.path: image for image in images if image}
    data = {path: read_bytes(path) for path in shown}
    # Drake paints an OBJ without a material with an image of the same stem, so no image gets the stem of a mesh.
    stems = {os.path.splitext(os.path.basename(file.target))[0].casefold() for file in files}
    by_content = [MeshImage(image.name, data[path]) for path, image in shown.items()]
    names = image_file_names(by_content, stems)
    return {path: names[content] for path, content in data.items()}


def _looks_of(file: FinishedFile) -> PartFiles:
    """Return the looks of the parts of a file; none for a file that was not made of a mesh with looks."""
    from ...meshes.convert_mesh import PartFiles

    if file.part and isinstance(file.part.details, PartFiles):
        return file.part.details
    return PartFiles()


def _along(file: FinishedFile, source: str, name: str) -> FinishedFile:
    """Return a file that belongs to a mesh file, in its folder."""
    return FinishedFile(
        source=source,
        target=os.path.join(os.path.dirname(file.target), name),
        part=None,
        origin=file.origin,
        shared=file.shared,
    )


def _color(text: str) -> Rgba:
    """Return the numbers of a color of a URDF, gray for no color."""
    try:
        red, green, blue, alpha = (min(max(float(word), 0.0), 1.0) for word in text.split())
    except ValueError:
        from ...meshes.write_mesh_files import GRAY

        return GRAY
    return red, green, blue, alpha


def _image_notes(images: Iterable[str], *, for_mujoco: bool) -> Diagnostics:
    """Return notes on images of OBJ files that programs cannot show, with the format that they can."""
    names = list(dict.fromkeys(filter(None, images)))
    jpeg = shown_names([name for name in names if name.endswith(".jpg")])
    png = shown_names([name for name in names if not name.endswith(".jpg")])
    notes = []
    if jpeg:
        notes.append(Diagnostic(MESH_IMAGE, 0, "drake-jpeg", (jpeg,)))
    if for_mujoco and png:
        notes.append(Diagnostic(MESH_IMAGE, 0, "mujoco-png", (png,)))
    elif for_mujoco and jpeg:
        notes.append(Diagnostic(MESH_IMAGE, 0, "mujoco-jpeg", (jpeg,)))
    return notes


class MeshFileConverter(MeshConverter):
    """A converter of a single file to a target."""

    def __init__(self, options: MeshOptions, target: MeshTarget) -> None:
        super().__init__(options)
        self.target = target

    def convert(
        self,
        job: MeshJob,
        staging_dir: str,
        prefix: str,
        progress: Optional[MeshProgress] = None,
    ) -> DaeConversionResult:
        """Convert the file; see `MeshConverter`."""
        from ...meshes.convert_mesh import convert_mesh

        return convert_mesh(job.path, staging_dir, self.target, prefix, progress)

    def finish(
        self, files: Sequence[FinishedFile], shapes: Sequence[ConvertedShape]
    ) -> Tuple[List[FinishedFile], Diagnostics]:
        """Return the files with all files that they name; see `MeshConverter`."""
        return finish_files(files, {})
