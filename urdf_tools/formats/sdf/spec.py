"""What SDF defines inside a model, from which version on, and an element made to fit it.

Gazebo warns of what SDF does not define, and does not load a file with a value that cannot be read; Drake loads
neither. Both pass over elements and attributes with a prefix (SDF documentation, "Custom elements and attributes").
"""
import math
import re
from typing import AbstractSet, Dict, List, NamedTuple, Tuple

from ...model.xml_tree import Node
from ...texts.pages import text_of_page
from ..unplaced import named

PREFIX = "urdf:"  # of what SDF does not define
OLDEST = 7  # SDF 1.7, the first with `relative_to` and `attached_to`, is the first that is written
# Of SDF 1.N the first Gazebo that reads it: libsdformat 9 to 15, as each announces the version that it supports.
RELEASES = {7: "Gazebo Classic 11 and Citadel", 8: "Gazebo Edifice", 9: "Gazebo Fortress", 10: "Gazebo Garden",
            11: "Gazebo Harmonic", 12: "Gazebo Ionic"}

DEFINED = text_of_page(__file__, "defined.md").split("```")[1]
# Types of sensors, as `type` of <sensor> lists them there.
SENSORS = dict.fromkeys(
    "air_pressure altimeter camera contact depth depth_camera force_torque gps gpu_lidar gpu_ray imu lidar "
    "logical_camera magnetometer multicamera navsat ray rfid rfidtag rgbd rgbd_camera sonar thermal thermal_camera "
    "wireless_receiver wireless_transmitter".split(), OLDEST)
SENSORS.update(dict.fromkeys("boundingbox boundingbox_camera custom segmentation segmentation_camera wide_angle_camera "
                             "wideanglecamera".split(), 9), air_speed=10)
# The least and largest values that those files allow.
BOUNDS = {"horizontal_fov": (0.1, 6.283186), "far": (0.1, math.inf), "env_texture_size": (4.0, 2048.0),
          "cutoff_angle": (0.0, 3.141592653), "restitution_coefficient": (0.0, 1.0)}
BOUNDS.update(dict.fromkeys(
    "bias_stddev coefficient dynamic_bias_stddev friction friction2 max_velocity min_velocity mu mu2 near patch_radius "
    "rate scale_rate stddev surface_radius".split(), (0.0, math.inf)))


class Part(NamedTuple):
    """An attribute or element that SDF allows: its first version 1.N, its values, and the line that describes it."""

    since: int
    values: str
    line: str


class Line(NamedTuple):
    """An element: its values, attributes and elements; anything may be in it if `open`. `required` are attributes."""

    values: str
    attributes: Dict[str, Part]
    elements: Dict[str, Part]
    open: bool
    required: List[str]


class Lines(Dict[str, Line]):
    """The lines of DEFINED by name, each read when it is asked for: a robot needs a few."""

    def __init__(self) -> None:
        super().__init__({"": Line("", {}, {}, False, [])})
        texts = dict(text.split(":", 1) for text in DEFINED.replace("\n  ", " ").strip().split("\n"))
        self.texts = {name.partition("=")[0]: text for name, text in texts.items()}
        self.values_of = dict(name.partition("=")[::2] for name in texts)

    def __missing__(self, name: str) -> Line:
        words = self.texts[name].split()
        line = self[name] = Line(self.values_of[name], {}, {}, "*" in words, [])
        for word in words:
            attribute, required = word.startswith("."), word.endswith("!")
            word, _, since = word.strip(".!").partition("@")
            part, _, kind = word.partition("=")
            kind = kind or (part if part in self.texts and not attribute else "")
            is_line = kind in self.texts
            (line.attributes if attribute else line.elements)[part] = Part(
                int(since or OLDEST), self.values_of[kind] if is_line else kind, kind if is_line else "")
            line.required.extend([part] if required else [])
        return line


LINES = Lines()
NUMBER = r"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|nan)"
PLAIN = re.compile(r"-?\d+(?:\.\d+)?(?:e-?\d+)?(?: -?\d+(?:\.\d+)?(?:e-?\d+)?)*")  # as most files have numbers
COUNTS = {"d": (1,), "2": (2,), "3": (3,), "4": (4,), "c": (3, 4), "p": (6, 7)}


def can_hold(values: str, text: str) -> bool:
    """Return True if a text is one of these values, or empty, which means their default."""
    if values in ("", "text"):
        return True
    if values in COUNTS and text.count(" ") + 1 in COUNTS[values] and PLAIN.fullmatch(text):
        return True
    words = text.split()
    if not words:
        return True
    if values == "b":
        return text.strip().lower() in ("true", "false", "1", "0")
    if values == "i":
        return re.fullmatch(r"[+-]?\d+", text.strip()) is not None
    return len(words) in COUNTS[values] and all(re.fullmatch(NUMBER, word, re.I) for word in words)


class Fitting:
    """Makes what is in an element fit SDF, in place.

    Attributes:
        since: the lowest version 1.N that defines all of them; `newest`: the element that needs it, and its owner.
        odd: what got the prefix: an element or attribute, and its owner.
        sound: by their `id`, elements that are not checked: SDF 1.7 defines them, with numbers and names in them.
    """

    def __init__(self, sound: AbstractSet[int] = frozenset()) -> None:
        self.sound = sound
        self.since, self.newest = OLDEST, ""
        self.odd: List[Tuple[str, str]] = []

    def fit(self, top: Node, line: str = "model", owner: str = "") -> None:
        """Put the prefix before attributes and elements that SDF does not define, or not with that value."""
        # A prefix makes it an element of ours, which SDF allows anywhere and readers skip: the file stays valid, and
        # nothing is lost.
        known = LINES[line]
        for key in [key for key in top.attributes if ":" not in key] if top.attributes else ():
            part = known.attributes.get(key)
            if part is None or not can_hold(part.values, top.attributes[key]):
                top.attributes[PREFIX + key] = top.attributes.pop(key)
                self.odd.append((f"{key}= of <{top.tag}>", owner))
            else:
                self.needs(part.since, f"{key}= of <{top.tag}>", owner)
        for child in top.children if not known.open else ():
            if id(child) in self.sound or not isinstance(child, Node) or ":" in child.tag:
                continue
            part, attributes = known.elements.get(child.tag), child.attributes
            name = attributes.get("name", owner) if attributes else owner
            if part is None or not _fits(child, part):
                self.odd.append(named(owner, child))
                child.tag = PREFIX + child.tag
                continue
            if part.since > self.since:
                self.needs(part.since, f"<{child.tag}>", name)
            if child.tag == "sensor":
                self.needs(SENSORS[attributes["type"]], f"type {attributes['type']}", name)
            if part.line or attributes or Node in map(type, child.children):
                self.fit(child, part.line, name)

    def needs(self, since: int, what: str, owner: str) -> None:
        """Raise the version to the one that introduced an element or attribute."""
        if since > self.since:
            self.since, self.newest = since, f"{what} of '{owner}'"


def _fits(element: Node, part: Part) -> bool:
    """Return True if an element has an allowed value and all required attributes."""
    if not part.line and element.tag not in BOUNDS:  # as most: numbers, or a text
        return part.values == "text" or can_hold(part.values, element.text)
    line = LINES[part.line]
    if part.values and not line.open and not can_hold(part.values, element.text):
        return False
    if element.tag in BOUNDS and part.values in COUNTS:
        low, high = BOUNDS[element.tag]
        if not all(low <= value <= high for value in map(float, element.text.split())):
            return False
    if line.required and not all(map(element.attributes.__contains__, line.required)):
        return False
    return element.tag != "sensor" or element.attributes["type"] in SENSORS
