"""The layer of meshes: each file and scale once, as float32 points and triangles, with the looks of the file.

The points of USD are what a mesh file has, without a conversion: STL, COLLADA, OBJ and glTF have float32 numbers, too.
"""
import os
from array import array
from itertools import chain
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

from ...base.errors import UrdfError
from ...collada.records import DaeOptions, DEFAULT_DAE_OPTIONS
from ...model.geometry import Mesh
from ...urdf.mesh_paths import mesh_stem
from ...urdf.spatial import Vector
from ..kinds import EXPORT_LEFT_OUT
from ..meshes.color import linear_of_srgb
from ..meshes.form import byte_records, FLOAT, Floats, Image, Material, NUMBER, Numbers, Surface, tidy
from ..names import unused
from ..weights import Findings
from .looks import Look, write_look
from .numbers import extent_of, single, single_texts, singles_text
from .prims import layer_text, Prim, prim_name, quoted

LAYER = "meshes"
Key = Tuple[str, Vector]


class Drawn(NamedTuple):
    """A mesh of USD.

    Attributes:
        points: float32, x y z of each point, scaled.
        corners: three numbers of points for each triangle, all surfaces one behind the other.
        surfaces: what it was made of; parts: how many triangles each has.
    """

    points: Floats
    corners: Numbers
    surfaces: Tuple[Surface, ...]
    parts: Tuple[int, ...]


class MeshLayer:
    """Meshes that are in use, by file and scale.

    Attributes:
        prims: by key, the prim that shapes refer to. drawn: by key, what it draws.
        images: by the name that the layer has for it, the bytes of an image.
    """

    def __init__(self, files: Dict[str, str], dae: Optional[DaeOptions], folder: str, found: Findings) -> None:
        self.prims: Dict[Key, Prim] = {}
        self.drawn: Dict[Key, Drawn] = {}
        self.images: Dict[str, bytes] = {}
        self.top = Prim("Scope", LAYER)
        self._files, self._found, self._folder = files, found, folder
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
            self.drawn[key] = drawn_of(surfaces, mesh.scale)
            name = unused(prim_name(mesh_stem(mesh.filename) or "mesh"), self._names)
            prim = self.prims[key] = Prim("Mesh", name, self.top)
            self.top.children.append(prim)
            self._write(prim, self.drawn[key])
        return self.prims[key]

    def _surfaces(self, name: str) -> Optional[Tuple[Surface, ...]]:
        if name not in self._read:
            self._read[name] = None
            path = self._files.get(name, "")
            if not path:
                self._found.note(EXPORT_LEFT_OUT, "mesh-missing", name)
            else:
                try:
                    found = _read(path, self._dae._replace(separate=True))
                    self._read[name] = found or None
                    if not found:
                        self._found.note(EXPORT_LEFT_OUT, "mesh-broken", name, "it draws no triangles")
                except UrdfError as error:
                    self._found.note(EXPORT_LEFT_OUT, "mesh-broken", name, error.message)
        return self._read[name]

    def _write(self, prim: Prim, drawn: Drawn) -> None:
        low, high = extent_of(drawn.points)
        prim.put("uniform token subdivisionScheme", '"none"')
        prim.put("float3[] extent", f"[{singles_text(low)}, {singles_text(high)}]")
        prim.put("point3f[] points", tuples_text(drawn.points, 3))
        prim.put("int[] faceVertexCounts", f"[{', '.join(['3'] * (len(drawn.corners) // 3))}]")
        prim.put("int[] faceVertexIndices", f"[{', '.join(map(str, drawn.corners))}]")
        self._write_coordinates(prim, drawn)
        self._write_looks(prim, drawn)

    def _write_coordinates(self, prim: Prim, drawn: Drawn) -> None:
        """Write texture coordinates where a surface shows an image; a corner of another one gets the first of all."""
        if not any(one.material.image and one.uv for one in drawn.surfaces):
            return
        coordinates, corners = array(FLOAT), array(NUMBER)
        for one in drawn.surfaces:
            base = len(coordinates) // 2
            if one.material.image and one.uv:
                coordinates += one.uv
                corners += array(NUMBER, [base + number for number in one.uv_corners])
            else:
                corners += array(NUMBER, bytes(4 * len(one.corners)))
        prim.put("texCoord2f[] primvars:st", f'{tuples_text(coordinates, 2)} (interpolation = "faceVarying")')
        prim.put("int[] primvars:st:indices", f"[{', '.join(map(str, corners))}]")

    def _write_looks(self, prim: Prim, drawn: Drawn) -> None:
        """Write how the file says that it looks: one look for all of it, or one for each of its surfaces."""
        looks = [self._look(one) for one in drawn.surfaces]
        if not any(looks):
            return
        scope = prim.add("Scope", "looks")
        made: Dict[Look, Prim] = {}
        for one, look in zip(drawn.surfaces, looks):
            if look is not None and look not in made:
                made[look] = write_look(scope, one.material.name or "look", look)
        if len(looks) == 1 and looks[0] is not None:
            bind(prim, made[looks[0]])
            return
        prim.put("uniform token subsetFamily:materialBind:familyType", '"nonOverlapping"')
        start = 0
        for look, count in zip(looks, drawn.parts):
            if look is not None:
                subset = prim.add("GeomSubset", f"part_{made[look].name}")
                subset.put("uniform token elementType", '"face"')
                subset.put("uniform token familyName", '"materialBind"')
                subset.put("int[] indices", f"[{', '.join(map(str, range(start, start + count)))}]")
                bind(subset, made[look])
            start += count

    def _look(self, surface: Surface) -> Optional[Look]:
        material = surface.material
        shows = material.image is not None and bool(surface.uv)
        if material.rgba is None and not shows:
            return None
        return look_of(material, self._image(material.image) if shows and material.image is not None else "")

    def _image(self, image: Image) -> str:
        """Return the name of an image as the layer has it."""
        if image.data not in self._image_names:
            stem, ending = os.path.splitext(os.path.basename(image.name) or "image.png")
            taken = {os.path.splitext(name)[0].rpartition("/")[2] for name in self.images}
            name = f"./{self._folder}/{unused(prim_name(stem), taken)}{ending.lower()}"
            self._image_names[image.data], self.images[name] = name, image.data
        return self._image_names[image.data]

    def text(self) -> str:
        """Return the layer as a file of its own."""
        return layer_text((("defaultPrim", quoted(LAYER)), ("metersPerUnit", "1"), ("upAxis", '"Z"')), [self.top])


def _read(path: str, dae: DaeOptions) -> Tuple[Surface, ...]:
    from ..meshes.formats import read_mesh

    return tuple(tidy(one) for one in read_mesh(path, dae).surfaces if one.corners)


def bind(prim: Prim, material: Prim, *, stronger: bool = False) -> None:
    """Bind a material to a prim; `stronger`: than those of its parts."""
    prim.apply("MaterialBindingAPI")
    prim.relate("material:binding", material.path)
    if stronger:
        prim.properties[-1] += ' (bindMaterialAs = "strongerThanDescendants")'


def look_of(material: Material, image: str) -> Look:
    """Return the look of a surface of a mesh file; colors of USD are linear."""
    r, g, b, alpha = material.rgba or (1.0, 1.0, 1.0, 1.0)
    diffuse = (linear_of_srgb(r), linear_of_srgb(g), linear_of_srgb(b))
    p, q, s = map(linear_of_srgb, material.emission)
    return Look(diffuse, alpha, image, (p, q, s), material.metallic, material.roughness)


def drawn_of(surfaces: Tuple[Surface, ...], scale: Vector) -> Drawn:
    """Return points and triangles of all surfaces: each point once, scaled; a mirrored mesh keeps its outside."""
    numbers: Dict[bytes, int] = {}
    corners: List[int] = []
    for one in surfaces:
        records = byte_records(one.positions.tobytes(), 12)
        own = [numbers.setdefault(record, len(numbers)) for record in records]
        corners += map(own.__getitem__, one.corners)
    points = array(FLOAT, b"".join(numbers))
    if scale != (1.0, 1.0, 1.0):
        columns = [[single(factor * value) for value in points[axis::3]] for axis, factor in enumerate(scale)]
        points = array(FLOAT, chain.from_iterable(zip(*columns)))
    if scale[0] * scale[1] * scale[2] < 0.0:
        corners[1::3], corners[2::3] = corners[2::3], corners[1::3]
    return Drawn(points, array(NUMBER, corners), surfaces, tuple(len(one.corners) // 3 for one in surfaces))


def tuples_text(values: Floats, width: int) -> str:
    """Return an array of tuples of float32 numbers as USD writes it."""
    texts = single_texts(values)
    columns = [texts[place::width] for place in range(width)]
    return f"[({'), ('.join(map(', '.join, zip(*columns)))})]"
