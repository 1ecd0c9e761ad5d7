"""The proof of looks and files in an MJCF text: each visual has the color and the image of the robot, each mesh its
file, and every name of a file leads to it from the folder of the model."""
import os
import posixpath
from typing import Dict, List, Mapping, Optional, Set, Tuple, Union

from ...base.errors import ProofFailed
from ...model.choices import MeshLook
from ...model.records import material_meanings, Robot
from ...model.shapes import Collision, Material, Primitive, Visual
from ...model.geometry import Mesh
from .model import Decided
from ..read_back import differs, Element, near, read_back

GLOSS = ("specular", "shininess", "emission", "metallic", "roughness")
NO_MATERIAL = Element("material", {})
READABLE = (".stl", ".obj")
FOLDERS = {"mesh": "meshdir", "texture": "texturedir"}


class WrittenLooks:
    """What an MJCF text says of looks and files, and what the robot says.

    Attributes:
        files: by tag and name, the file of each mesh and texture, with its folder.
        materials: by name.
        meanings: what the names of the robot's materials mean.
        mesh_files, looks: those of the options, by mesh file name of the robot.
        compared: what was compared and is the same: material and color of the text, material and look of the robot.
    """

    def __init__(self, top: Element, robot: Robot, decided: Decided) -> None:
        self.files: Dict[Tuple[str, str], str] = {key: file for key, file, _ in _files(top)}
        self.materials: Dict[str, Element] = {one.get("name", ""): one for one in top.findall("asset/material")}
        self.meanings: Dict[str, Material] = material_meanings(robot)
        self.mesh_files: Dict[str, str] = dict(decided.options.mesh_files)
        self.looks: Dict[str, MeshLook] = dict(decided.options.mesh_looks)
        self.compared: Set[Tuple[Optional[str], Optional[str], Optional[Material], Optional[MeshLook]]] = set()


def _files(top: Element) -> List[Tuple[Tuple[str, str], str, Element]]:
    """Return (tag, name), the file with its folder, and the element of each mesh and texture with a file."""
    compiler = top.find("compiler")
    folders = {tag: compiler.get(key, "") if compiler is not None else "" for tag, key in FOLDERS.items()}
    return [((tag, one.get("name", "")), posixpath.join(folder, one.get("file", "")), one)
            for tag, folder in folders.items() for one in top.findall(f"asset/{tag}") if one.get("file")]


def compare_look(written: WrittenLooks, where: str, geom: Element, shape: Union[Visual, Collision],
                 geometry: Primitive) -> None:
    """Compare the mesh file of a shape, and of a visual color, gloss and image.

    Raises:
        ProofFailed: one differs.
    """
    look = None
    if isinstance(geometry, Mesh):
        expected = written.mesh_files.get(geometry.filename, geometry.filename)
        _equal(f"{where}, mesh file", written.files.get(("mesh", geom.get("mesh", ""))), expected)
        look = written.looks.get(geometry.filename)
    if not isinstance(shape, Visual):
        return
    pair = (geom.attrib.get("material"), geom.attrib.get("rgba"), shape.material, look)
    if pair not in written.compared:
        _compare_material(written, where, geom, shape.material or Material(), look)
        written.compared.add(pair)


def _compare_material(written: WrittenLooks, where: str, geom: Element, material: Material, look: Optional[MeshLook]
                      ) -> None:
    material = written.meanings.get(material.name, material) if material == Material(material.name) else material
    found = written.materials.get(geom.get("material", ""), NO_MATERIAL)
    image = look.image if look else ""
    shown = written.files.get(("texture", found.get("texture", "")), "")
    _equal(f"{where}, image", shown, image)
    used = look if look and (image or material.rgba is None) else None
    rgba = used.rgba if used else material.rgba
    text = geom.get("rgba") or found.get("rgba")
    _near(f"{where}, color", tuple(map(float, text.split())) if text else None,
          tuple(min(max(value, 0.0), 1.0) for value in rgba) if rgba else None)
    for key in GLOSS:
        value = getattr(material, key, None)
        value = getattr(used, key, None) if value is None else value
        text = found.get(key)
        _near(f"{where}, {key}", (float(text),) if text else None, None if value is None else (value,))


def verify_files(text: str, folder: str, targets: Mapping[str, str]) -> None:
    """Compare where the names of files lead to, from the folder of the model; `targets` holds that by name.

    Raises:
        ProofFailed: to another place.
    """
    for (tag, name), file, element in _files(read_back(text)) if ' file="' in text else ():
        if file not in targets:
            raise ProofFailed(f"MJCF: {tag} '{name}' is in '{file}', and no file of the robot is")
        place = os.path.realpath(os.path.join(os.path.realpath(folder or "."), file))
        _equal(f"MJCF: {tag} '{name}', place", place, os.path.realpath(targets[file]))
        if tag == "texture":
            kind = element.get("content_type") or ("image/png" if file.lower().endswith(".png") else "unknown")
            _equal(f"MJCF: texture '{name}', kind", (element.get("type"), kind), ("2d", "image/png"))


def _equal(where: str, found: object, expected: object) -> None:
    if found != expected:
        raise differs(where, found, expected)


def _near(where: str, found: Optional[Tuple[float, ...]], expected: Optional[Tuple[float, ...]]) -> None:
    if found is None or expected is None or not near(found, expected):
        _equal(where, found, expected)
