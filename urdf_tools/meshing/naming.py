"""Name converted meshes: their files, and the materials of their visuals."""
import os
from math import isfinite
from typing import Dict, List, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import MESH_TEXTURED
from ..urdf.materials import material_definitions
from ..urdf.mesh_paths import mesh_stem
from ..urdf.model import Robot, Shape
from ..mesh.file_names import safe_stem, unique_stem
from ..collada.records import Conversion, Part, part_stems, rgba_text
from ..plan.decisions import Plan
from ..plan.mesh_tasks import ConvertedShape, GRAY, is_collada, MeshFile, MeshJob, MeshReference, MeshTask
from .conversion import Converted
from .converter import MeshContext

MaterialText = Tuple[str, str]  # name and color, "" for a collision


class MeshNaming:
    """Gives every file its name and every visual its materials, in the order of the URDF.

    Attributes:
        files: all files that were made.
        warnings: about their content.
    """

    def __init__(self, plan: Plan, context: MeshContext, converted: Converted) -> None:
        self.plan, self.context, self.form = plan, context, context.converter.form
        going = {task.shape.source.offset for task, _ in converted}
        self._taken = {mesh_stem(shape.mesh).casefold() for link in plan.robot.links.values() for shape in link.shapes
                       if shape.mesh and shape.source.offset not in going
                       and (self.form.by_kind or not is_collada(shape))}
        self._materials = _known_materials(plan.robot)
        self._names: Dict[Tuple[MeshJob, int, str], str] = {}
        self.files: List[MeshFile] = []
        self.warnings: List[Diagnostic] = []

    def shapes(self, converted: Converted) -> Tuple[ConvertedShape, ...]:
        """Return the converted shapes, given the tasks with their conversions."""
        return tuple(self._shape(task, made) for task, made in converted if not self._is_left(task.shape, made))

    def _is_left(self, shape: Shape, made: Conversion) -> bool:
        """Return True if a visual shows an image, and is not converted because of that."""
        images = [part.image for part in made.parts if part.image]
        if not (images and self.plan.options.meshes.keep_textured and shape.kind == "visual"):
            return False
        self.warnings.append(Diagnostic(MESH_TEXTURED, shape.source.line, "left", (shape.mesh, images[0])))
        return True

    def _shape(self, task: MeshTask, made: Conversion) -> ConvertedShape:
        shape, link, job = task
        materials = [_material_for(shape, link, number, part, self._materials)
                     for number, part in enumerate(made.parts, start=1)]
        names = self._files_of(shape, job, made, materials)
        in_file = self.form.holds_colors and shape.kind == "visual"
        parts = [MeshReference(self.context.prefix + name, "" if in_file else material, rgba,
                               has_own_colors=in_file and part.rgba is not None)
                 for name, (material, rgba), part in zip(names, materials, made.parts)]
        return ConvertedShape(shape, link, tuple(parts), made.parts)

    def _files_of(self, shape: Shape, job: MeshJob, made: Conversion, materials: Sequence[MaterialText]) -> List[str]:
        """Return the names of the files of a job, new ones where there are none in these colors."""
        # A part without a color gets that of the visual, also in its file: another color needs another file.
        keys = [(job, k, rgba if self.form.writes_colors and not part.rgba else "")
                for k, ((_, rgba), part) in enumerate(zip(materials, made.parts))]
        new = [k for k, key in enumerate(keys) if key not in self._names]
        is_known = any(known == job for known, _, _ in self._names)
        notes = [note._replace(place=shape.mesh) for note in made.notes]
        for k, stem in zip(new, self._stems(job, [made.parts[k] for k in new])):
            part = made.parts[k]
            name = self._names[keys[k]] = f"{stem}{os.path.splitext(part.file)[1]}"
            self.files.append(MeshFile(part.file, os.path.join(self.context.target, name), part, job.path,
                                       bool(self.plan.options.meshes.mesh_dir), self.context.prefix + name))
            notes += [note._replace(place=name) for note in part.notes]
        self.warnings += [note._replace(line=shape.source.line) for note in notes if not is_known]
        return [self._names[key] for key in keys]

    def _stems(self, job: MeshJob, parts: Sequence[Part]) -> List[str]:
        """Return the file stems of a conversion: `base_JointGrey`, followed by the kind where that is needed."""
        stem = safe_stem(mesh_stem(job.path), "mesh")
        collides = not job.separate and (self.plan.options.meshes.separate_dae_meshes or job.kind == "collision")
        suffix = job.suffix or ("collision" if collides and stem.casefold() in self._taken else "")
        if not suffix:
            return part_stems(parts, stem, self._taken)
        return [unique_stem(name, self._taken, f"_{suffix}") for name in part_stems(parts, stem, set())]


def _known_materials(robot: Robot) -> Dict[str, str]:
    """Return the colors of the named materials in the URDF ("" where a name has none): a name means one color."""
    known = {str(element.get("name")): "" for element in robot.document.root.walk()
             if element.name == "material" and element.get("name")}
    for name, definition in material_definitions(robot).items():
        color = definition.find("color")
        known[name] = (color.get("rgba") or "") if color is not None else ""
    return known


def _material_for(shape: Shape, link: str, number: int, part: Part, known: Dict[str, str]) -> MaterialText:
    """Return name and color of the material for a part: that of the part, else of the visual in the URDF, else gray."""
    if shape.kind != "visual":
        return "", ""
    material = shape.source.find("material")
    name = (material.get("name") or "") if material is not None else ""
    color = material.find("color") if material is not None else None
    rgba = (color.get("rgba") or "") if color is not None else known.get(name, "")
    if part.rgba is not None or not _is_rgba(rgba):
        name, rgba = "", rgba_text(part.rgba or GRAY)
    name = name or f"{link}_{safe_stem(part.material, f'part{number}')}_mat"
    candidate, tries = name, 1
    while known.setdefault(candidate, rgba).split() != rgba.split():
        tries += 1
        candidate = f"{name}_{tries}"
    return candidate, rgba


def _is_rgba(text: str) -> bool:
    try:
        return [isfinite(float(word)) for word in text.split()] == [True] * 4
    except ValueError:
        return False
