"""What SDF defines inside a model (`defined.md`), and a model in which all else has a prefix.

A file must load whatever `<gazebo>` holds. Drake refuses a file with an element or attribute that SDF does not define
(`<noise>` of an IMU and `<gz_frame_id>` are common), where Gazebo warns; both refuse a file with a value that cannot be
read, or without a required attribute. Both pass over names with a prefix (SDF documentation, "Custom elements and
attributes"). The version of a file does not matter to them: they take all elements that they know.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Dict, List, Mapping

from ...base.number_text import PLAIN_NUMBERS
from ...base.record_type import Record
from ...base.type_aliases import Pair, Texts
from ...model.xml_writer import XmlNode
from ...texts.text_pages import text_of_page
from ..shared_lowering import named

PREFIX = "urdf:"  # before names that SDF does not define
DEFINED = text_of_page(__name__, "defined.md").split("```")[1]
NUMBER = r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)"
COUNTS = {
    "d": (1,),
    "2": (2,),
    "3": (3,),
    "4": (4,),
    "c": (3, 4),
    "p": (6, 7),
}  # of numbers, by the word for values
# The values of `type` of <sensor> that any version lists; libsdformat reports an error for any other.
SENSORS = frozenset(
    "air_pressure air_speed altimeter boundingbox boundingbox_camera camera contact custom depth depth_camera "
    "force_torque gps gpu_lidar gpu_ray imu lidar logical_camera magnetometer multicamera navsat ray rfid rfidtag "
    "rgbd rgbd_camera segmentation segmentation_camera sonar thermal thermal_camera wide_angle_camera "
    "wideanglecamera wireless_receiver wireless_transmitter".split()
)
# Numbers of which libsdformat refuses the values below 0 (`min="0"` in the files of the specification).
NEVER_NEGATIVE = frozenset(
    "bias_stddev coefficient dynamic_bias_stddev friction friction2 max_velocity min_velocity mu mu2 near patch_radius "
    "rate restitution_coefficient scale_rate stddev surface_radius".split()
)


class SdfElementDefinition(Record):
    """An element of SDF.

    Attributes:
        values: the word for its values.
        attributes: the word for the values of each attribute; `required`: the names of those that must be there.
        elements: the name of the line that defines each element, or the word for its values.
        is_open: whether anything may be in it.
    """

    values: str
    attributes: Mapping[str, str]
    required: Texts
    elements: Mapping[str, str]
    is_open: bool


def _texts_by_name() -> Dict[str, Pair]:
    """Return the lines of the page by the name of their element: the word for its values, and its content."""
    lines: Dict[str, Pair] = {}
    for text in DEFINED.replace("\n  ", " ").strip().split("\n"):
        head, content = text.split(":", 1)
        name, _, values = head.partition("=")
        lines[name] = (values, content)
    return lines


TEXTS = _texts_by_name()


@lru_cache(maxsize=None)
def definition_of(line: str) -> SdfElementDefinition:
    """Return the definition of an element, by the name of its line; a word for values defines an element without parts."""
    values, content = TEXTS.get(line, (line, ""))
    attributes: Dict[str, str] = {}
    required: List[str] = []
    elements: Dict[str, str] = {}
    words = content.split()
    for word in words:
        name, _, kind = word.strip(".!").partition("=")
        if word.startswith("."):
            attributes[name] = kind
        else:
            # An element without values has the line of its own name, or is a text.
            elements[name] = kind or (name if name in TEXTS else "")
        if word.endswith("!"):
            required.append(name)
    return SdfElementDefinition(
        values=values,
        attributes=attributes,
        required=tuple(required),
        elements=elements,
        is_open="*" in words,
    )


def can_hold(values: str, text: str) -> bool:
    """Return True if a text is one of these values, or empty, which means their default."""
    if values in ("", "text"):
        return True
    words = text.split()
    if not words:
        return True
    if values == "b":
        return text.strip().lower() in ("true", "false", "1", "0")
    if values == "i":
        return re.fullmatch(r"[+-]?\d+", text.strip()) is not None
    if len(words) not in COUNTS[values]:
        return False
    # Most numbers are plain, and one pattern for all of them is faster.
    if PLAIN_NUMBERS.fullmatch(text) is not None:
        return True
    return all(re.fullmatch(NUMBER, word, re.I) for word in words)


class DefinedSdfElement(XmlNode):
    """An element of the writer, with its own numbers and names: SDF defines it, and all that is in it."""


def set_aside(element: XmlNode, line: str = "model", owner: str = "") -> List[Pair]:
    """Put the prefix before all in an element that SDF does not define; return these things, each with its owner.

    Args:
        line: the name of the line that defines the element.
        owner: the name of the link, joint, or sensor around it.
    """
    definition = definition_of(line)
    odd: List[Pair] = []
    for key in [key for key in element.attributes if ":" not in key]:
        kind = definition.attributes.get(key)
        if kind is None or not can_hold(kind, element.attributes[key]):
            element.attributes[PREFIX + key] = element.attributes.pop(key)
            odd.append((f"{key}= of <{element.tag}>", owner))
    if definition.is_open:
        return odd
    for child in element.children:
        # `DefinedSdfElement` elements are defined, and texts have no parts.
        if type(child) is not XmlNode or ":" in child.tag:
            continue
        inner = definition.elements.get(child.tag)
        if inner == "i":
            # xacro computes 818.0, and readers of SDF want 818.
            child.children = [re.sub(r"(?<=\d)\.0*$", "", child.text)]
        if inner is None or not _is_readable(child, inner):
            odd.append(named(owner, child))
            child.tag = PREFIX + child.tag
        elif child.attributes or XmlNode in map(type, child.children):
            odd += set_aside(child, inner, child.attributes.get("name", owner))
    return odd


def _is_readable(element: XmlNode, line: str) -> bool:
    """Return True if an element has a value that readers take, and all required attributes."""
    definition = definition_of(line)
    if not definition.is_open and not can_hold(definition.values, element.text):
        return False
    if element.tag in NEVER_NEGATIVE and line == "d" and element.text and float(element.text) < 0.0:
        return False
    if not all(key in element.attributes for key in definition.required):
        return False
    return element.tag != "sensor" or element.attributes["type"] in SENSORS
