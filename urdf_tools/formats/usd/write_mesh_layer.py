"""The layer of meshes: each file and scale once, with the materials of the file."""
import os
from typing import Dict, Optional, Set, Tuple, TYPE_CHECKING

from ...base.errors import UrdfError
from ...collada.records import DaeOptions, DEFAULT_DAE_OPTIONS
from ...model.shapes import Mesh
from ...urdf.mesh_paths import mesh_stem
from ...urdf.spatial import Vector
from ..kinds import EXPORT_LEFT_OUT
from ..lower import Findings, unused
from .write_prims import layer_text, Prim, prim_name, quoted

if TYPE_CHECKING:
    from ...meshes.form import Image, Surface
    from .write_meshes import Drawn

LAYER = "meshes"
Key = Tuple[str, Vector]


class MeshLayer:
    """Meshes that are in use, by file and scale.

    Attributes:
        prims: by key, the prim that shapes refer to. drawn: by key, what it draws.
        images: by the name that the layer has for it, the bytes of an image.
    """

    def __init__(self, files: Dict[str, str], dae: Optional[DaeOptions], folder: str, findings: Findings) -> None:
        self.prims: Dict[Key, Prim] = {}
        self.drawn: Dict[Key, Drawn] = {}
        self.images: Dict[str, bytes] = {}
        self.top = Prim("Scope", LAYER)
        self._files, self._findings, self._folder = files, findings, folder
        self._dae = dae or DEFAULT_DAE_OPTIONS
        self._names: Set[str] = set()
        self._read: Dict[str, Optional[Tuple[Surface, ...]]] = {}
        self._image_names: Dict[bytes, str] = {}

    def prim_of(self, mesh: Mesh) -> Optional[Prim]:
        """Return the prim of a mesh, None for one that cannot be read, which is noted."""
        key = (mesh.filename, mesh.scale)
        if key not in self.prims:
            surfaces = self._surfaces(mesh.filename)
            if not surfaces:
                return None
            self._add(mesh, surfaces)
        return self.prims[key]

    def _add(self, mesh: Mesh, surfaces: "Tuple[Surface, ...]") -> None:
        from .write_meshes import drawn_of, write_mesh

        drawn = drawn_of(surfaces, mesh.scale)
        prim = Prim("Mesh", unused(prim_name(mesh_stem(mesh.filename) or "mesh"), self._names), self.top)
        self.prims[mesh.filename, mesh.scale], self.drawn[mesh.filename, mesh.scale] = prim, drawn
        self.top.children.append(prim)
        write_mesh(prim, drawn, self._image)

    def _surfaces(self, name: str) -> "Optional[Tuple[Surface, ...]]":
        if name not in self._read:
            self._read[name] = None
            path = self._files.get(name, "")
            if not path:
                self._findings.note(EXPORT_LEFT_OUT, "mesh-missing", name)
            else:
                from .write_meshes import read_surfaces

                try:
                    surfaces = read_surfaces(path, self._dae._replace(separate=True))
                    self._read[name] = surfaces or None
                    if not surfaces:
                        self._findings.note(EXPORT_LEFT_OUT, "mesh-broken", name, "it draws no triangles")
                except UrdfError as error:
                    self._findings.note(EXPORT_LEFT_OUT, "mesh-broken", name, error.message)
        return self._read[name]

    def _image(self, image: "Image") -> str:
        """Return the name of an image as the layer has it."""
        if image.data not in self._image_names:
            stem, ending = os.path.splitext(os.path.basename(image.name) or "image.png")
            stems = {os.path.splitext(name)[0].rpartition("/")[2] for name in self.images}
            name = f"./{self._folder}/{unused(prim_name(stem), stems)}{ending.lower()}"
            self._image_names[image.data], self.images[name] = name, image.data
        return self._image_names[image.data]

    def text(self) -> str:
        """Return the layer as the text of a file."""
        return layer_text((("defaultPrim", quoted(LAYER)), ("metersPerUnit", "1"), ("upAxis", '"Z"')), [self.top])
