"""Colors and contact values of the shapes of a stage: the first UsdPreviewSurface, else the color of the shape itself."""

from __future__ import annotations

from hashlib import sha256
from typing import Dict, List, Mapping, Optional, Tuple

from ...base.types import Reals
from ...meshes.form import srgb_of_linear
from .layers import beside, Layers
from .read_prims import Prim

Rgba = Tuple[float, float, float, float]
MOST_CONNECTIONS = 16
VALUES = {"inputs:metallic": "metalness", "inputs:roughness": "roughness"}


class Seen:
    """How a shape looks: its color, its image, and its gloss, by name of VALUES."""

    def __init__(self) -> None:
        self.color: Optional[Rgba] = None
        self.image = ""
        self.surface: Dict[str, Reals] = {}


class StageLooks:
    """The materials of a stage, by path; each is read once."""

    def __init__(self, prims: Mapping[str, Prim], layers: Layers) -> None:
        self._prims, self._layers = prims, layers
        self._seen: Dict[str, Seen] = {}

    def bound(self, prim: Prim, name: str) -> Optional[Prim]:
        """Return the material that a prim, or one around it, is bound to; None without one."""
        path = prim.path
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
        if color is not None and len(color) == 3:
            r, g, b = map(srgb_of_linear, color)
            seen.color = (r, g, b, opacity[0] if opacity and len(opacity) == 1 else 1.0)
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
        shader = self._follow(material, "outputs:surface")
        kind = shader.word("info:id") if shader is not None else None
        if shader is None or kind != "UsdPreviewSurface":
            return seen
        source = self._follow(shader, "inputs:diffuseColor")
        file = source.properties.get("inputs:file") if source is not None else None
        if file is not None and file.value is not None:
            seen.image = beside(file.file, file.value.text)
        opacity = self._number(shader, "inputs:opacity")
        color = (source or shader).numbers(self._name(shader, "inputs:diffuseColor"), 3)
        if color is not None:
            r, g, b = map(srgb_of_linear, color)
            seen.color = (r, g, b, 1.0 if opacity is None else opacity)
        for key, name in VALUES.items():
            number = self._number(shader, key)
            if number is not None:
                seen.surface[name] = (number,)
        emission = shader.numbers("inputs:emissiveColor", 3)
        if emission is not None:
            seen.surface["emission"] = emission
        return seen

    def digest(self, seen: Seen) -> str:
        """Return the SHA-256 of the image that is shown, "" without one.

        Raises:
            UrdfError: it is not there.
        """
        return sha256(self._layers.bytes_of(seen.image)).hexdigest() if seen.image else ""

    def _number(self, shader: Prim, name: str) -> Optional[float]:
        source = self._follow(shader, name)
        return (source or shader).number(self._name(shader, name))

    def _name(self, prim: Prim, name: str) -> str:
        """Return the name of the property at the end of the connections of another one."""
        targets = self._connected(prim, name)
        return targets[-1].rpartition(".")[2] if targets else name

    def _follow(self, prim: Prim, name: str) -> Optional[Prim]:
        """Return the prim at the end of the connections of a property, None without one."""
        targets = self._connected(prim, name)
        return self._prims.get(targets[-1].rpartition(".")[0]) if targets else None

    def _connected(self, prim: Prim, name: str) -> List[str]:
        """Return where the connections of a property lead, one after the other."""
        found: List[str] = []
        at: Optional[Prim] = prim
        while at is not None and len(found) < MOST_CONNECTIONS:
            entry = at.get(f"{name}.connect")
            if entry is None or entry.value is None or not entry.value.parts:
                break
            found.append(entry.value.parts[0].text)
            path, _, name = found[-1].rpartition(".")
            at = self._prims.get(path)
            if at is not None:
                at.read.add(name)
        return found


def touch_of(material: Optional[Prim]) -> Tuple[Dict[str, Reals], bool]:
    """Return the contact values of a material, and True if it has two frictions: the first one is kept."""
    surface: Dict[str, Reals] = {}
    if material is None or "PhysicsMaterialAPI" not in material.schemas:
        return surface, False
    material.take()
    friction, moving, restitution = [
        material.number(f"physics:{key}")
        for key in ("staticFriction", "dynamicFriction", "restitution")
    ]
    if friction is not None:
        surface["mu1"] = (friction,)
    if restitution is not None:
        surface["restitution"] = (restitution,)
    return surface, moving is not None and moving != friction
