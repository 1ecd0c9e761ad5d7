"""Colors and contact values of the shapes of a stage: the first UsdPreviewSurface, else the color of the shape itself."""

from __future__ import annotations

from typing import Dict, Mapping, Optional, Tuple

from ...base.types import Reals
from ...meshes.form import srgb_of_linear
from ...robot.principal_axes import vector_of
from ...robot.records import Rgba, Values
from .layers import beside, Layers
from .read_prims import Prim

MOST_CONNECTIONS = 16
GLOSS = {"inputs:metallic": "metalness", "inputs:roughness": "roughness"}


class Seen:
    """How a shape looks: its color, its image, and its gloss, by name of VALUES."""

    def __init__(self) -> None:
        self.color: Optional[Rgba] = None
        self.image = ""
        self.surface: Values = {}


class StageLooks:
    """The materials of a stage, by path; each is read once."""

    def __init__(self, prims: Mapping[str, Prim], layers: Layers) -> None:
        self._prims, self._layers = prims, layers
        self._seen: Dict[str, Seen] = {}

    def bound(self, prim: Prim, name: str) -> Optional[Prim]:
        """Return the material that a prim, or one around it, is bound to; None without one."""
        path = prim.path
        # A binding holds for all prims below; the nearest one counts.
        while path:
            around = self._prims.get(path)
            targets = around.targets(name) if around is not None else ()
            if targets:
                return self._prims.get(targets[0])
            path = path.rpartition("/")[0]
        return None

    def of(self, prim: Prim) -> Seen:
        """Return how a shape looks."""
        prim.read.update(("primvars:displayColor", "primvars:displayOpacity"))
        material = self.bound(prim, "material:binding")
        seen = self.of_material(material) if material is not None else None
        if seen is None or seen.color is None and not seen.image:
            seen = self._own_color(prim)
        return seen

    def _own_color(self, prim: Prim) -> Seen:
        """Return the color that a shape has without a material, if it is one for all of it."""
        seen = Seen()
        color = prim.many("primvars:displayColor", 3)
        opacity = prim.many("primvars:displayOpacity")
        # More numbers are colors of points or faces, and no color of the whole shape.
        if color is not None and len(color) == 3:
            alpha = opacity[0] if opacity and len(opacity) == 1 else 1.0
            seen.color = (*vector_of(map(srgb_of_linear, color)), alpha)
        return seen

    def of_material(self, material: Prim) -> Seen:
        """Return how a material looks."""
        if material.path not in self._seen:
            self._seen[material.path] = self._read(material)
        return self._seen[material.path]

    def _read(self, material: Prim) -> Seen:
        seen = Seen()
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
        opacity = self._numbers(shader, "inputs:opacity")
        color = self._numbers(shader, "inputs:diffuseColor", 3)
        if color is not None:
            alpha = opacity[0] if opacity else 1.0
            seen.color = (*vector_of(map(srgb_of_linear, color)), alpha)
        for key, name in GLOSS.items():
            number = self._numbers(shader, key)
            if number is not None:
                seen.surface[name] = number
        emission = shader.numbers("inputs:emissiveColor", 3)
        if emission is not None:
            seen.surface["emission"] = emission
        return seen

    def digest(self, seen: Seen) -> str:
        """Return the SHA-256 of the image that is shown, "" without one.

        Raises:
            UrdfError: it is not there.
        """
        if not seen.image:
            return ""
        from hashlib import sha256  # slow to load, and few stages have images

        return sha256(self._layers.bytes_of(seen.image)).hexdigest()

    def _source(self, prim: Prim, name: str) -> Tuple[Prim, str]:
        """Return the prim and the property that a property is connected to in the end: itself without a connection."""
        for _ in range(MOST_CONNECTIONS):
            targets = prim.targets(f"{name}.connect")
            path, _, key = targets[0].rpartition(".") if targets else ("", "", "")
            source = self._prims.get(path)
            if source is None:
                break
            prim, name = source, key
            prim.read.add(name)
        return prim, name

    def _numbers(self, shader: Prim, name: str, width: int = 1) -> Optional[Reals]:
        source, key = self._source(shader, name)
        return source.numbers(key, width)


def touch_of(material: Optional[Prim]) -> Tuple[Values, bool]:
    """Return the contact values of a material, and True if it has two frictions: the first one is kept."""
    surface: Values = {}
    if material is None or "PhysicsMaterialAPI" not in material.schemas:
        return surface, False
    material.take()
    friction, moving, restitution = [
        material.numbers(f"physics:{key}")
        for key in ("staticFriction", "dynamicFriction", "restitution")
    ]
    if friction is not None:
        surface["mu1"] = friction
    if restitution is not None:
        surface["restitution"] = restitution
    return surface, moving is not None and moving != friction
