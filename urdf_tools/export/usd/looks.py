"""Materials of USD: a `UsdPreviewSurface`, which every program that draws USD knows."""
from typing import NamedTuple, Optional

from ...urdf.spatial import Vector
from .numbers import single_text, singles_text
from .prims import asset, Prim


class Look(NamedTuple):
    """How something looks: linear colors from 0 to 1, and the name of an image, whose colors count where it has one."""

    diffuse: Vector
    opacity: float = 1.0
    image: str = ""
    emission: Vector = (0.0, 0.0, 0.0)
    metallic: Optional[float] = None
    roughness: Optional[float] = None


def write_look(scope: Prim, name: str, look: Look) -> Prim:
    """Write a material with its shader and return it."""
    material = scope.add("Material", name)
    shader = material.add("Shader", "surface")
    material.properties.append(f"token outputs:surface.connect = <{shader.path}.outputs:surface>")
    shader.put("uniform token info:id", '"UsdPreviewSurface"')
    if look.image:
        shader.properties.append(f"color3f inputs:diffuseColor.connect = <{_image(material, look.image)}.outputs:rgb>")
    else:
        shader.put("color3f inputs:diffuseColor", singles_text(look.diffuse))
    if any(look.emission):
        shader.put("color3f inputs:emissiveColor", singles_text(look.emission))
    for key, value in (("metallic", look.metallic), ("opacity", look.opacity), ("roughness", look.roughness)):
        if value is not None:
            shader.put(f"float inputs:{key}", single_text(value))
    shader.declare("token outputs:surface")
    return material


def bind(prim: Prim, material: Prim, *, stronger: bool = False) -> None:
    """Bind a material to a prim; `stronger`: than those of its parts."""
    prim.apply("MaterialBindingAPI")
    prim.relate("material:binding", material.path)
    if stronger:
        prim.properties[-1] += ' (bindMaterialAs = "strongerThanDescendants")'


def _image(material: Prim, image: str) -> str:
    """Write what reads an image and the coordinates for it; return the path of the former."""
    reader, texture = material.add("Shader", "coordinates"), material.add("Shader", "image")
    reader.put("uniform token info:id", '"UsdPrimvarReader_float2"')
    reader.put("string inputs:varname", '"st"')
    reader.declare("float2 outputs:result")
    texture.put("uniform token info:id", '"UsdUVTexture"')
    texture.put("asset inputs:file", asset(image))
    texture.put("token inputs:sourceColorSpace", '"sRGB"')
    texture.properties.append(f"float2 inputs:st.connect = <{reader.path}.outputs:result>")
    texture.put("token inputs:wrapS", '"repeat"')
    texture.put("token inputs:wrapT", '"repeat"')
    texture.declare("float3 outputs:rgb")
    return texture.path
