"""The colors of COLLADA materials: an rgba for each, because STL parts have no texture and no shader.

The rules are from Khronos COLLADA 1.4.1 and 1.5: profile_COMMON with phong, lambert, blinn or constant.  Numbers are not
converted: no gamma.  If the formulas give an alpha of 0, this is a known fault of exporters, and the material is opaque.
"""

from __future__ import annotations

from itertools import chain
from math import fsum, isfinite
from typing import Dict, List, Optional, Tuple

from ..base.diagnostics import Diagnostic, Notes
from ..base.run_diagnostics import MESH_CONTENT
from ..base.record_type import Record
from .collada_document import (
    dae_child,
    dae_children,
    dae_descendants,
    dae_label,
    dae_target,
    dae_text,
    DaeDocument,
    DaeElement,
)
from .conversion_records import DaeColor, DaeVector, rgba_text

Overrides = Dict[str, DaeElement]

PLAIN_GRAY: DaeColor = (0.6, 0.6, 0.6, 1.0)
TEXTURED_GRAY: DaeColor = (0.8, 0.8, 0.8, 1.0)
OPAQUE_BELOW = 0.01  # an alpha of at most this is an exporter's fault
# The weights of red, green and blue in the specification.
LUMINANCE = (0.212671, 0.715160, 0.072169)
SHADERS = ("phong", "lambert", "blinn", "constant")


class MaterialLook(Record):
    """The look of a material.

    Attributes:
        label: the name of the material.
        rgba: red, green, blue, alpha, 0..1; None if the file has no color.
        image: the name of its texture, or "".
        emission: the light that it emits in addition to its color, 0..1.
        notes: notes for the user.
    """

    label: str = ""
    rgba: Optional[DaeColor] = None
    image: str = ""
    emission: DaeVector = (0.0, 0.0, 0.0)
    notes: Notes = ()


def material_look(document: DaeDocument, material: DaeElement) -> MaterialLook:
    """Return the look of a `<material>` by its effect; a broken reference gives a look without color, and a note."""
    label = dae_label(material)
    instance = dae_child(material, "instance_effect")
    url = instance.attributes.get("url", "") if instance else ""
    effect = dae_target(document, url)
    if instance is None or effect is None or effect.tag != "effect":
        missing = Diagnostic(MESH_CONTENT, 0, "no-effect", (label, url.lstrip("#")))
        return MaterialLook(label, notes=(missing,))
    profiles = dae_children(effect, "profile_COMMON")
    shaders = chain.from_iterable(dae_descendants(profile, *SHADERS) for profile in profiles)
    shader = next(shaders, None)
    if shader is None:
        return MaterialLook(label, notes=(Diagnostic(MESH_CONTENT, 0, "no-profile", (label,)),))
    parameters = effect_parameters(effect, instance)
    rgba, image = shader_color(document, shader, parameters)
    notes = [image_note(label, image, rgba)] if image else []
    alpha = rgba[3] * spec_alpha(shader, parameters)
    # An invisible shape is an exporter's fault.
    if not OPAQUE_BELOW < alpha <= 1.0:
        notes.append(
            Diagnostic(
                kind=MESH_CONTENT, line=0, sentence="alpha", names=(label,), numbers=(alpha,)
            )
        )
        alpha = 1.0
    return MaterialLook(
        label=label,
        rgba=(rgba[0], rgba[1], rgba[2], alpha),
        image=image,
        emission=shader_emission(shader, parameters),
        notes=tuple(notes),
    )


def shader_emission(shader: DaeElement, parameters: Overrides) -> DaeVector:
    """Return the light that a shader emits; black without a diffuse color, as the emission is then the color."""
    light = shader_value(dae_child(shader, "emission"), parameters)
    if light is None or dae_child(shader, "diffuse") is None:
        return 0.0, 0.0, 0.0
    red, green, blue, _ = clamped_color(light)
    return red, green, blue


def image_note(label: str, image: str, rgba: DaeColor) -> Diagnostic:
    """Return the note on a material whose image is lost."""
    return Diagnostic(MESH_CONTENT, 0, "image", (label, image, rgba_text(rgba)))


def effect_parameters(effect: DaeElement, instance: DaeElement) -> Overrides:
    """Return every newparam of an effect by its sid, replaced by the setparam of the instance if it exists."""
    parameters = {new.attributes.get("sid", ""): new for new in dae_descendants(effect, "newparam")}
    parameters.update(
        (value.attributes.get("ref", ""), value) for value in dae_children(instance, "setparam")
    )
    return parameters


def shader_color(
    document: DaeDocument, shader: DaeElement, parameters: Overrides
) -> Tuple[DaeColor, str]:
    """Return the flat color and the image name: diffuse, else the first of emission and transparent that is not black."""
    diffuse = dae_child(shader, "diffuse")
    texture = dae_child(diffuse, "texture")
    if texture is not None:
        return TEXTURED_GRAY, image_name(
            document, texture.attributes.get("texture", ""), parameters
        )
    color = shader_value(diffuse, parameters)
    if color is not None:
        return clamped_color(color), ""
    for tag in ("emission", "transparent"):
        color = shader_value(dae_child(shader, tag), parameters)
        if color is not None and any(color[:3]):
            red, green, blue, _ = clamped_color(color)
            return (red, green, blue, 1.0), ""
    return PLAIN_GRAY, ""


def spec_alpha(shader: DaeElement, parameters: Overrides) -> float:
    """Return alpha by the formulas of the specification; `opaque` is A_ONE by default.

    A_ONE: a t; A_ZERO: 1 - a t; RGB_ONE: l t; RGB_ZERO: 1 - l t, with l the luminance of the transparent color.
    """
    transparent = dae_child(shader, "transparent")
    if dae_child(transparent, "texture") is not None:
        return 1.0
    amounts = shader_value(dae_child(shader, "transparency"), parameters)
    amount = amounts[0] if amounts else 1.0
    color = shader_value(transparent, parameters) or [1.0, 1.0, 1.0, 1.0]
    mode = transparent.attributes.get("opaque", "A_ONE") if transparent else "A_ONE"
    if mode.startswith("RGB"):
        share = amount * fsum(weight * value for weight, value in zip(LUMINANCE, color))
    else:
        opacity = color[3] if len(color) > 3 else 1.0
        share = amount * opacity
    alpha = 1.0 - share if mode.endswith("ZERO") else share
    return round(alpha, 9)  # 1 - luminance of white is not quite 0


def shader_value(owner: Optional[DaeElement], parameters: Overrides) -> Optional[List[float]]:
    """Return the numbers of a `<color>` or `<float>`, or of the parameter that a `<param>` names; None if unreadable."""
    value = dae_child(owner, "color", "float")
    reference = dae_child(owner, "param")
    if value is None and reference is not None:
        parameter = parameters.get(reference.attributes.get("ref", ""))
        value = dae_child(parameter, "float", "float2", "float3", "float4")
    try:
        numbers = [*map(float, dae_text(value).split())]
    except ValueError:
        return None
    # Two numbers are neither a gray nor a color.
    return numbers if numbers and len(numbers) != 2 and all(map(isfinite, numbers)) else None


def clamped_color(numbers: List[float]) -> DaeColor:
    """Return red, green, blue, alpha within 0..1; a single number is a gray, a missing alpha is 1."""
    if len(numbers) < 3:
        numbers = [numbers[0]] * 3
    red, green, blue, alpha = (min(max(value, 0.0), 1.0) for value in (numbers + [1.0])[:4])
    return (red, green, blue, alpha)


def image_name(document: DaeDocument, sampler: str, parameters: Overrides) -> str:
    """Return the file name to which texture, sampler, surface and image lead (1.4, 1.5), else the last known name."""
    name = sampler
    for _ in range(8):  # sampler -> surface -> image; more steps are a cycle
        parameter = parameters.get(name)
        if parameter is None:
            break
        link = next(dae_descendants(parameter, "instance_image", "source", "init_from"), None)
        if link is None:
            break
        name = link.attributes.get("url", "").lstrip("#") or dae_text(
            dae_child(link, "ref") or link
        )
    image = dae_target(document, name)
    if image is None or image.tag != "image":
        return name
    origin = dae_child(image, "init_from")
    return dae_text(dae_child(origin, "ref") or origin) or name
