"""Warn of what follows no change in the plugins of a simulator: vectors, points, coefficients, names of joints."""
import re
from typing import Optional

from ..base.kinds import FLIPPED_JOINT, PLUGIN_VECTOR
from ..base.number_text import numbers_in
from ..facts.tags import PLUGIN_POINTS, PLUGIN_VECTORS
from ..facts.values import body_of, is_mimic_plugin
from ..urdf.lossless_xml import Element
from .edits import Changes

COEFFICIENT = re.compile(r"[xyzkmn](Dot)?[UVWPQR](abs)?[UVWPQR]?")  # of gz hydrodynamics, along the axes of its body


def check_plugin(changes: Changes, plugin: Element, owner: str) -> None:
    """Warn of vectors and joints that a plugin names; the numbers of a mimic plugin follow."""
    if is_mimic_plugin(plugin):
        return
    body, coefficients = body_of(plugin, owner), 0
    for element in plugin.walk():
        names = [value for key, value in element.attributes.items() if key not in ("filename", "name", "type") or (
            key == "name" and element is not plugin)]
        for name in [*names, *([] if element is plugin or element.elements() else [element.text().strip()])]:
            if changes.flipped(name):
                changes.warn(plugin, FLIPPED_JOINT, "plugin", name)
        link = _link_around(element, plugin) or body
        if element.name in PLUGIN_POINTS and changes.frame_changed(link) and numbers_in(element.text(), 3):
            changes.warn(element, PLUGIN_VECTOR, "point", link)
        elif element.name in PLUGIN_VECTORS and changes.frame_rotated(link) and numbers_in(element.text(), 3):
            changes.warn(element, PLUGIN_VECTOR, "vector", link)
        coefficients += COEFFICIENT.fullmatch(element.name) is not None
    if coefficients and changes.frame_rotated(body):
        changes.warn(plugin, PLUGIN_VECTOR, "coefficients", body)


def _link_around(element: Element, plugin: Element) -> Optional[str]:
    """Return the name of the `<link name="...">` in the plugin that holds the element, or None."""
    above = element.parent if element is not plugin else None
    while above is not None and above is not plugin:
        if above.name == "link" and above.get("name"):
            return above.get("name")
        above = above.parent
    return None
