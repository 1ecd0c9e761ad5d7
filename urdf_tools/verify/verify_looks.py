"""The proof of visuals and collisions: each has the pose, geometry and material of the input, and none is lost."""

from __future__ import annotations

import math
import os
from collections import Counter
from itertools import chain
from typing import AbstractSet, Dict, List, Mapping, Optional, Tuple

from ..base.type_aliases import Pair, Texts
from ..base.record_type import Record
from ..urdf.lossless_xml import Document, Element
from ..urdf.mesh_paths import (
    decoded,
    has_kind,
    is_relative,
    referenced_name,
    mesh_folder_of,
    mesh_stem,
    MujocoMeshFolder,
    URI_SCHEME,
)
from ..urdf.spatial_math import Transform
from ..plan.link_merging import POSE_TOLERANCE
from ..plan.mesh_tasks import ReplacementMesh
from .shared_proof_state import ComparedRobots, TOLERANCE
from .proof_robot import pose_of_origin, shapes_in
from .rigid_motion import composed, pose_error

# [m + rad] a shape that the plan treats as a copy is off by less than POSE_TOLERANCE in position and in angle.
COPY_TOLERANCE = 2.0 * POSE_TOLERANCE

Appearance = Texts


class _MaterialAndFileNames(Record):
    """The meaning of the names of materials and files in a URDF.

    Attributes:
        materials: the definition of each name.
        too_early: by link and name, the number of materials that a visual names before their definition.
        folder: the folder to which relative names refer ("" if names are compared as text).
        files: the file of each URI.
        copies: the originals of copied files.
        reached: the file of each name so far, because most meshes have several shapes.
        made_names: by the offset of a material without a name, the name that the plan gives it.
    """

    materials: Dict[str, Element]
    too_early: "Counter[Tuple[str, str]]"
    folder: str
    files: Mapping[str, str]
    mesh_folder: Optional[MujocoMeshFolder]
    copies: Mapping[str, str]
    reached: Dict[Pair, str]
    made_names: Mapping[int, str] = {}

    def file_of(self, name: str, kind: str = "mesh") -> str:
        """Return the file of a mesh or a texture, see `reached_file`; the disk is read only once for each name."""
        if (name, kind) not in self.reached:
            # MuJoCo has its own folder for meshes, but not for textures.
            mesh_folder = self.mesh_folder if kind == "mesh" else None
            file = reached_file(name, self.folder, self.files, mesh_folder)
            self.reached[name, kind] = self.copies.get(file, file)
        return self.reached[name, kind]


def _made_names(comparison: ComparedRobots) -> Dict[int, str]:
    """Return the names that the plan gives to unnamed materials, because readers drop shapes with an unnamed material."""
    return {
        edit.element.offset: edit.value or ""
        for edit in comparison.plan.updates.edits
        if edit.element.name == "material" and edit.attribute == "name"
    }


def verify_shapes(comparison: ComparedRobots) -> int:
    """Match every shape of the result with a shape of the input, and every removed copy with a shape that stays.

    Return the number of shapes of the result; only shapes that the plan removes may be missing.
    """
    plan = comparison.plan
    folders = comparison.folders
    if folders.by_text:
        folders = folders._replace(before="", after="")
    old = _scope_of(comparison.before.document, folders.before, plan.meshes.uri_files)
    old = old._replace(made_names=_made_names(comparison))
    new = _scope_of(
        comparison.after.document, folders.after, plan.meshes.uri_files, comparison.copies
    )
    if plan.meshes.converted:
        from .verify_converted_meshes import verify_parts

        verify_parts(comparison, old.materials)
    _verify_names(comparison, old, new)
    _verify_kinds_in_names(comparison)
    parts_of_shape = {split.shape.source.offset: split.parts for split in plan.meshes.converted}
    targets_of_copies = {copy.shape.source.offset: copy.target for copy in plan.copies}
    with_copies = set(targets_of_copies.values())

    count = 0
    for name, sources in comparison.sources.items():
        placed = _shapes_of(comparison, sources)
        if name in with_copies:
            _verify_copies(comparison, name, placed, targets_of_copies.keys(), old)
        # By appearance: shapes that look the same are matched by pose.
        expected: Dict[Appearance, List[Transform]] = {}
        for element, T in placed:
            if name in with_copies and element.offset in targets_of_copies:
                continue
            # A converted shape must occur once for each of its parts.
            for part in parts_of_shape.get(element.offset, (None,)):
                file = new.file_of(part.filename) if part is not None else ""
                expected.setdefault(_appearance_of(element, old, part, file), []).append(T)

        merged_links = [comparison.before.links[source] for source in sources if source != name]
        if any(map(shapes_in, merged_links)):
            _verify_materials_named(comparison, name)
        count += _match_shapes(comparison, name, expected, new)
    return count


def _shapes_of(comparison: ComparedRobots, sources: List[str]) -> List[Tuple[Element, Transform]]:
    """Return the shapes of links of the input, without stripped shapes, each with its pose in the world."""
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    placed: List[Tuple[Element, Transform]] = []
    for source in sources:
        T_link = comparison.before.T_world[source]
        for element in shapes_in(comparison.before.links[source]):
            if element.offset not in stripped:
                T = composed(T_link, pose_of_origin(element.find("origin")))
                placed.append((element, T))
    return placed


def _verify_copies(
    comparison: ComparedRobots,
    name: str,
    placed: List[Tuple[Element, Transform]],
    copied: AbstractSet[int],
    old: _MaterialAndFileNames,
) -> None:
    """Verify that each removed copy of a link has the pose of a remaining shape that looks the same."""
    # A copy may have a different name for the same color.
    originals: Dict[Appearance, List[Transform]] = {}
    copies: List[Tuple[Appearance, Transform]] = []
    for element, T in placed:
        appearance = _appearance_of(element, old, named=False)
        if element.offset in copied:
            copies.append((appearance, T))
        else:
            originals.setdefault(appearance, []).append(T)
    for appearance, T in copies:
        errors = (sum(pose_error(T, other)) for other in originals.get(appearance, ()))
        comparison.require(
            min(errors, default=math.inf) <= COPY_TOLERANCE,
            f"a <{appearance[0]}> that is dropped from link '{name}' is no copy of another",
        )


def _verify_materials_named(comparison: ComparedRobots, name: str) -> None:
    """Verify that all materials of a link that received shapes have names."""
    shapes = shapes_in(comparison.after.links[name])
    materials = chain.from_iterable(shape.elements("material") for shape in shapes)
    comparison.require(
        all(material.get("name") is not None for material in materials),
        f"link '{name}' has a material without a name: readers drop all its shapes",
    )


def _verify_names(
    comparison: ComparedRobots, old: _MaterialAndFileNames, new: _MaterialAndFileNames
) -> None:
    """Verify that the first definition of each material name is the same, because urdfdom uses it for all visuals."""
    names = {
        element.get("name")
        for element in comparison.before.document.root.walk()
        if element.name == "material"
    }
    comparison.require(
        not names & {*filter(None, old.made_names.values())},
        "a material is given the name of another",
    )

    for _, material in _materials_in(comparison.after.document):
        name = material.get("name") or ""
        other, scope = (old.materials[name], old) if name in old.materials else (material, new)
        first = new.materials.get(name)
        is_same = first is not None and _content_of(other, scope) == _content_of(first, new)
        comparison.require(
            not _defines(other) or is_same, f"material '{name}' means something else first"
        )

    before: Counter[Pair] = Counter()
    for (link, name), count in old.too_early.items():
        member = comparison.plan.members.get(link)
        if member is not None:  # a dropped link no longer has materials
            before[member.target, name] += count
    comparison.require(not new.too_early - before, "a material is named before it is defined")


def _verify_kinds_in_names(comparison: ComparedRobots) -> None:
    """Verify that the name of each made or copied mesh ends with the kind of each shape that has it, where it must."""
    meshes = comparison.plan.options.meshes
    if not meshes.append_mesh_type:
        return
    new_names = {file.name for file in comparison.plan.meshes.files}
    for element in chain.from_iterable(map(shapes_in, comparison.after.links.values())):
        name = _kind_of_shape(element)
        comparison.require(
            name not in new_names or has_kind(mesh_stem(name), element.name),
            f"'{name}' is to end with _{element.name}",
        )


def _match_shapes(
    comparison: ComparedRobots,
    name: str,
    expected: Dict[Appearance, List[Transform]],
    new: _MaterialAndFileNames,
) -> int:
    """Match each shape of a link with the nearest shape of the input that looks the same, and require that none is left.

    Return the number of shapes.
    """
    worst = comparison.worst
    count = 0
    for element in shapes_in(comparison.after.links[name]):
        where = f"a <{element.name}> of link '{name}' ({_kind_of_shape(element)})"
        poses = expected.get(_appearance_of(element, new), [])
        worst.require(bool(poses), f"{where} is not in the input")
        T = composed(comparison.after.T_world[name], pose_of_origin(element.find("origin")))
        index = 0
        # The order is kept, so the first pose is nearly always the right one.
        if sum(pose_error(T, poses[0])) > TOLERANCE:
            errors = [sum(pose_error(T, other)) for other in poses]
            index = errors.index(min(errors))
        distance, angle = pose_error(T, poses.pop(index))
        worst.note("position", distance, TOLERANCE * comparison.size, where, " m")
        worst.note("angle", angle, TOLERANCE, where, " rad")
        count += 1
    for appearance, poses in expected.items():
        worst.require(not poses, f"a <{appearance[0]}> of link '{name}' is lost")
    return count


def _kind_of_shape(shape: Element) -> str:
    """Return the mesh name of a shape, or the kind of its geometry, for a message."""
    geometry = shape.find("geometry")
    inside = geometry.elements() if geometry is not None else []
    if not inside:
        return "without geometry"
    return inside[0].get("filename") or inside[0].name


def _scope_of(
    document: Document,
    folder: str,
    files: Mapping[str, str],
    copies: Optional[Mapping[str, str]] = None,
) -> _MaterialAndFileNames:
    """Return the meaning of the names in a document: the first material with a color or an image defines a name.

    Materials of the robot come before materials of visuals.
    """
    # Reversed, so that the first material with a name counts.
    materials = {
        top.get("name") or "": top
        for top in reversed(document.root.elements("material"))
        if _defines(top)
    }
    too_early: Counter[Pair] = Counter()
    for link, material in _materials_in(document):
        name = material.get("name") or ""
        if _defines(material):
            materials.setdefault(name, material)
        elif name not in materials:
            too_early[link, name] += 1
    named_early = Counter({key: count for key, count in too_early.items() if key[1] in materials})
    return _MaterialAndFileNames(
        materials=materials,
        too_early=named_early,
        folder=folder,
        files=files,
        mesh_folder=mesh_folder_of(document.root),
        copies=copies or {},
        reached={},
    )


def _materials_in(document: Document) -> List[Tuple[str, Element]]:
    """Return each named material of a visual, with the name of its link."""
    materials: List[Tuple[str, Element]] = []
    for link in document.root.elements("link"):
        for visual in link.elements("visual"):
            material = visual.find("material")
            if material is not None and material.get("name"):
                materials.append((link.get("name") or "", material))
    return materials


def _defines(material: Element) -> bool:
    """Return True if a material has a color or an image."""
    return any(child.name in ("color", "texture") for child in material.elements())


def _content_of(material: Element, scope: _MaterialAndFileNames) -> Appearance:
    """Return the children of a material as words."""
    return tuple(chain.from_iterable(_words_of(child, scope) for child in material.elements()))


def _appearance_of(
    shape: Element,
    scope: _MaterialAndFileNames,
    part: Optional[ReplacementMesh] = None,
    file: str = "",
    *,
    named: bool = True,
) -> Appearance:
    """Return the words of a shape without its pose: its kind, geometry, material, and unknown tags.

    A material that is only a name is replaced by its definition. With `part`, return the required look of a part of the
    mesh, which is in `file`. Unless `named`, two names of the same color are equal.
    """
    blocks: List[Appearance] = []
    if part is not None and part.material:
        blocks.append(("material", part.material, "color", f"rgba={part.rgba}", ""))
    for top in shape.elements():
        if top.name == "origin":
            continue
        if top.name != "material":
            blocks.append(_words_of(top, scope, file))
        elif part is None or not (part.material or part.has_own_colors):
            name = top.get("name")
            if name is None:
                name = scope.made_names.get(top.offset, "")
            definition = top if _defines(top) else scope.materials.get(name, top)
            inner = _content_of(definition, scope)
            # A name without a definition is compared as a name.
            words = (name, *inner) if named or not inner else inner
            blocks.append(("material", *words))
    return (shape.name, *chain.from_iterable(sorted(blocks)))


def _words_of(top: Element, scope: _MaterialAndFileNames, mesh: str = "") -> Appearance:
    """Return an element and its descendants as words, with the files that file names reach; `mesh` replaces a mesh."""
    words: List[str] = []
    for element in top.walk():
        words.append(element.name)
        for key, value in sorted(element.attributes.items()):
            if key == "filename" and element.name == "mesh":
                value = mesh or scope.file_of(value)
            elif key == "filename" and element.name == "texture":
                value = scope.file_of(value, element.name)
            words.append(f"{key}={value}")
        text = element.text().strip() if element.children else ""
        words.append(text)
    return tuple(words)


def reached_file(
    filename: str,
    folder: str,
    files: Mapping[str, str],
    mesh_folder: Optional[MujocoMeshFolder] = None,
) -> str:
    """Return the real path of the file that a name reaches from a folder.

    The file of a URI is in `files`, and must end with the path of the URI. A file that other readers do not find may be
    in the `mesh_folder` of MuJoCo. Any other URI, and without a folder any name, is returned without the blanks around
    it, which readers ignore.
    """
    name = filename.strip().replace("\\", "/")
    if URI_SCHEME.match(name):
        file = files.get(filename, "")
        # The path without the scheme and the package, and without leading "../", whose folders are not known.
        path_in_package = os.path.normpath(name.partition(":")[2].split("/", 3)[-1])
        inside = path_in_package.split(os.sep + "..")[-1].lstrip("." + os.sep)
        ends = [
            os.path.normpath(file).endswith(os.sep + path) for path in (inside, decoded(inside))
        ]
        return os.path.realpath(file) if any(ends) else filename.strip()
    if not folder or not (is_relative(name) or os.path.isabs(name)):
        return filename.strip()
    name = referenced_name(name, folder, mesh_folder, files.values())
    # A file with exactly this name comes before a file with %20 decoded.
    path = os.path.realpath(os.path.join(folder, name))
    spelled_as_url = os.path.realpath(os.path.join(folder, decoded(name)))
    if not os.path.exists(path) and os.path.exists(spelled_as_url):
        return spelled_as_url
    return path  # also for a file that is not yet written
