"""Colors and contact values of the shapes of a stage: the first UsdPreviewSurface, else the color of the shape itself."""

from __future__ import annotations

from itertools import accumulate
from typing import Dict, List, Mapping, Optional, Sequence, Tuple

from ...base.type_aliases import Reals
from ...meshes.read_mesh_files import colored_place, WHITE
from ...meshes.mesh_content import Rgb, srgb_of_linear
from ...robot.principal_axes import vector_of
from ...robot.raw_robot import Rgba, Values
from .usd_layers import beside, LayerLoader, split
from .prim_tree import Prim

MOST_CONNECTIONS = 16
STRONGER = "strongerThanDescendants"
GLOSS = {"inputs:metallic": "metalness", "inputs:roughness": "roughness"}


class PrimLook:
    """How a shape looks.

    Attributes:
        color: its color; None with an image that no color changes.
        image: the name of its image.
        image_shader: the shader that names it.
        tint, shift: the color that multiplies the image, and the color that is added: red, green, blue, alpha.
        points: a digest of the colors of its points or faces with their places, "" without any.
        in_order: a digest of these colors alone, in the order of the file.
        surface: its gloss, by name of VALUES.
    """

    def __init__(self) -> None:
        """Begin with no look."""
        self.color: Optional[Rgba] = None
        self.image = ""
        self.image_shader: Optional[Prim] = None
        self.tint: Rgb = WHITE
        self.shift: Reals = ()
        self.points = ""
        self.in_order = ""
        self.surface: Values = {}

    def texture(self) -> str:
        """Return the image as a file that a shape can name; "" without one, and for an image in an archive."""
        _, member = split(self.image)
        if self.image_shader is None or member:
            return ""
        self.image_shader.read.update(("inputs:file", "info:id"))
        return self.image


class StageLooks:
    """The materials of a stage, by path; each is read once."""

    def __init__(self, prims: Mapping[str, Prim], layers: LayerLoader) -> None:
        """Keep the prims of a stage by path."""
        self._prims = prims
        self._layers = layers
        self._seen: Dict[str, PrimLook] = {}

    def _bound(self, prim: Prim, name: str) -> Optional[str]:
        """Return the path of the material that a prim or one of its parents is bound to; None without one."""
        path = prim.path
        found: Optional[str] = None
        # A binding holds for all descendants; the nearest binding counts, unless one of a parent is marked stronger
        # (UsdShadeMaterialBindingAPI).
        while path:
            around = self._prims.get(path)
            targets = around.targets(name) if around is not None else ()
            if around is not None and targets:
                entry = around.properties[name]
                strength = entry.said.get("bindMaterialAs")
                if found is None or strength is not None and strength.text == STRONGER:
                    found = targets[0]
            path = path.rpartition("/")[0]
        return found

    def physical(self, prim: Prim) -> Optional[Prim]:
        """Return the PhysicsMaterialAPI of a collision: as it is bound for physics, else for all purposes.

        As usd-core looks for it (`UsdShadeMaterialBindingAPI.ComputeBoundMaterials`): a binding for physics counts
        before a binding for all, however far away it is, and also if its material does not exist.
        """
        path = self._bound(prim, "material:binding:physics")
        if path is None:
            path = self._bound(prim, "material:binding")
        material = self._prims.get(path or "")
        if material is None or "PhysicsMaterialAPI" not in material.schemas:
            return None
        return material.take()

    def of(self, prim: Prim) -> PrimLook:
        """Return how a shape looks."""
        prim.read.update(("primvars:displayColor", "primvars:displayOpacity"))
        material = self._prims.get(self._bound(prim, "material:binding") or "")
        seen = self.of_material(material) if material is not None else None
        if seen is None or seen.color is None and not seen.image:
            seen = self._own_color(prim)
        return seen

    def _own_color(self, prim: Prim) -> PrimLook:
        """Return the color that a shape has without a material, if it is one for all of it."""
        seen = PrimLook()
        color = prim.many("primvars:displayColor", 3)
        opacity = prim.many("primvars:displayOpacity")
        # More numbers are colors of points or faces, and no color of the whole shape.
        if color is not None and len(color) == 3 and len(opacity or ()) <= 1:
            alpha = opacity[0] if opacity else 1.0
            seen.color = (*vector_of(map(srgb_of_linear, color)), alpha)
        elif color or opacity:
            colors = _colors_of_elements(prim, color or (), opacity or ())
            seen.in_order = _digest(repr(colors).encode())
            places = _places_of_elements(prim, len(colors))
            pairs = {
                colored_place(place, repr(shown).encode()) for place, shown in zip(places, colors)
            }
            seen.points = _digest(b"".join(sorted(pairs))) if pairs else seen.in_order
        return seen

    def of_material(self, material: Prim) -> PrimLook:
        """Return how a material looks."""
        if material.path not in self._seen:
            self._seen[material.path] = self._read(material)
        return self._seen[material.path]

    def _read(self, material: Prim) -> PrimLook:
        """Return how a material looks, from its first shader; nothing unless this is a UsdPreviewSurface."""
        seen = PrimLook()
        for inner in material.walk():
            inner.taken = True
        shader, _ = self._source(material, "outputs:surface")
        if shader.word("info:id") != "UsdPreviewSurface":
            return seen
        source, _ = self._source(shader, "inputs:diffuseColor")
        # Relative to the layer that names it.
        file = source.properties.get("inputs:file")
        if file is not None and file.value is not None:
            seen.image = beside(file.file, file.value.text)
            seen.image_shader = source
            _read_changes(seen, source)
        opacity = self._numbers(shader, "inputs:opacity")
        color = self._numbers(shader, "inputs:diffuseColor", 3)
        alpha = opacity[0] if opacity else 1.0
        if color is not None:
            seen.color = (*vector_of(map(srgb_of_linear, color)), alpha)
        elif seen.image and (alpha != 1.0 or seen.tint != WHITE):
            seen.color = (*seen.tint, alpha)
        for key, name in GLOSS.items():
            number = self._numbers(shader, key)
            if number is not None:
                seen.surface[name] = number
        emission = shader.numbers("inputs:emissiveColor", 3)
        if emission is not None:
            seen.surface["emission"] = emission
        return seen

    def digest(self, seen: PrimLook) -> str:
        """Return the SHA-256 of the image that is shown, "" without one.

        Raises:
            UrdfError: the image cannot be read.
        """
        if not seen.image:
            return ""
        shift = repr(seen.shift).encode() if seen.shift else b""
        return _digest(self._layers.bytes_of(seen.image) + shift)

    def _source(self, prim: Prim, name: str) -> Tuple[Prim, str]:
        """Return the prim and the property at the end of the connections of a property: itself without any."""
        # A circle of connections must end as well.
        for _ in range(MOST_CONNECTIONS):
            targets = prim.targets(f"{name}.connect")
            if not targets:
                break
            path, _, key = targets[0].rpartition(".")
            source = self._prims.get(path)
            if source is None:
                break
            prim = source
            name = key
            prim.read.add(name)
        return prim, name

    def _numbers(self, shader: Prim, name: str, width: int = 1) -> Optional[Reals]:
        """Return the numbers of an input of a shader, which may be connected to an input of its material."""
        source, key = self._source(shader, name)
        return source.numbers(key, width)


def _colors_of_elements(
    prim: Prim, color: Sequence[float], opacity: Sequence[float]
) -> List[Reals]:
    """Return the color and opacity of each point, face or corner; indices say which color it has, where there are any."""
    colors: List[Reals] = [*zip(color[0::3], color[1::3], color[2::3])]
    indices = prim.many("primvars:displayColor:indices")
    if indices is not None:
        colors = [colors[int(index)] for index in indices if 0 <= index < len(colors)]
    if len(opacity) == len(colors):
        return [(*shown, alpha) for shown, alpha in zip(colors, opacity)]
    # Opacities of another count belong to all colors.
    return [(*shown, *opacity) for shown in colors or [()]]


def _places_of_elements(prim: Prim, count: int) -> Sequence[Sequence[Reals]]:
    """Return where each of the colors of a mesh is: a point, a face, or a corner with its face; () if nobody knows.

    Tools order points and faces in their own way, so a color is compared with its place.
    """
    flat = prim.many("points", 3) or ()
    sizes = prim.many("faceVertexCounts") or ()
    numbers = [int(number) for number in prim.many("faceVertexIndices") or ()]
    points = [*zip(flat[0::3], flat[1::3], flat[2::3])]
    if any(not 0 <= number < len(points) for number in numbers):
        return ()  # the mesh is refused where its triangles are read
    ends = [*accumulate(map(int, sizes))]
    faces = [
        [points[number] for number in numbers[start:end]] for start, end in zip([0, *ends], ends)
    ]
    written = prim.properties["primvars:displayColor"].said.get("interpolation")
    by_word: Dict[str, Sequence[Sequence[Reals]]] = {
        "vertex": [[point] for point in points],
        "uniform": faces,
        "faceVarying": [[point, *face] for face in faces for point in face],
    }
    by_word["varying"] = by_word["vertex"]
    places = by_word.get(written.text if written is not None else "", ())
    return places if len(places) == count else ()


def _read_changes(seen: PrimLook, texture: Prim) -> None:
    """Read how a UsdUVTexture changes its image: times `scale`, plus `bias`."""
    scale = texture.numbers("inputs:scale", 4) or (1.0, 1.0, 1.0, 1.0)
    red, green, blue = map(srgb_of_linear, scale[:3])
    seen.tint = (red, green, blue)
    bias = texture.numbers("inputs:bias", 4) or ()
    seen.shift = bias if any(bias) else ()


def _digest(data: bytes) -> str:
    """Return the SHA-256 of bytes in hexadecimal digits."""
    from hashlib import sha256  # slow to load, and few stages have images

    return sha256(data).hexdigest()


def touch_of(material: Optional[Prim]) -> Tuple[Values, bool]:
    """Return the contact values of a material, and True if it has two frictions: static friction is kept."""
    surface: Values = {}
    if material is None:
        return surface, False
    static_friction = material.numbers("physics:staticFriction")
    dynamic_friction = material.numbers("physics:dynamicFriction")
    restitution = material.numbers("physics:restitution")
    if static_friction is not None:
        surface["mu1"] = static_friction
    if restitution is not None:
        surface["restitution"] = restitution
    has_two = dynamic_friction is not None and dynamic_friction != static_friction
    return surface, has_two
