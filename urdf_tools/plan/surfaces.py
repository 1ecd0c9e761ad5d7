"""What simulators read for a link as a whole, so that a merge would spread it: contact, gravity, color.

gz keeps the surface of each geometry when it lumps links itself, PyBullet has one `<contact>` for each link. So a link
whose values differ from those of its target is kept; where it merges nevertheless, the target's values stay.
"""
from typing import Dict, Iterable, List, NamedTuple, Optional, Set, Tuple

from ..base.number_text import numbers_in
from ..base.option_table import pasted
from ..urdf.lossless_xml import Element
from ..urdf.model import NO_MASS, Notice, Robot
from ..urdf.spatial import Matrix, NO_TURN, rotate, Vector

CONTACT, BODY, COLOR = "contact", "body", "color"  # read for collisions, for the mass, for visuals
DEFAULTS: Dict[str, Tuple[str, str]] = {  # what a value is for, and the value where none is written ("?": it varies)
    # sdformat sdf/1.9/surface.sdf, collision.sdf, link.sdf and visual.sdf; names as in URDF, lower case, without "_"
    "mu1": (CONTACT, "1"), "mu2": (CONTACT, "1"), "fdir1": (CONTACT, "0 0 0"), "kp": (CONTACT, "1e12"),
    "kd": (CONTACT, "1"), "mindepth": (CONTACT, "0"), "maxvel": (CONTACT, "0.01"), "maxcontacts": (CONTACT, "10"),
    "softcfm": (CONTACT, "0"), "softerp": (CONTACT, "0.2"), "laserretro": (CONTACT, "0"),
    "selfcollide": (CONTACT, "false"), "collision": (CONTACT, ""),
    "turngravityoff": (BODY, "false"), "gravity": (BODY, "true"), "dampingfactor": (BODY, "0"),
    "velocitydecay": (BODY, ""), "enablewind": (BODY, "false"), "kinematic": (BODY, "false"),
    "material": (COLOR, ""), "visual": (COLOR, ""),
    # bullet3 examples/Importers/ImportURDFDemo/URDFJointTypes.h, the constructor of URDFLinkContactInfo
    "lateral_friction": (CONTACT, "0.5"), "rolling_friction": (CONTACT, "0"), "spinning_friction": (CONTACT, "0"),
    "restitution": (CONTACT, "0"), "inertia_scaling": (CONTACT, "1"), "contact_cfm": (CONTACT, "0"),
    "contact_erp": (CONTACT, "0")}
KINDS = (CONTACT, BODY, COLOR)
BOOLEANS = {"true": "1", "false": "0"}
FRICTION = ("mu1", "mu2", "fdir1", "lateral_friction", "rolling_friction", "spinning_friction")

Value = Tuple[object, ...]


class Said(NamedTuple):
    """What a tag says of a link, and how that link is turned in the frame in which values are compared."""

    element: Element
    turn: Matrix = NO_TURN


class Difference(NamedTuple):
    """A value that a merged link and its target do not share; None: it is not written, so the default holds."""

    key: str
    own: Optional[Said]
    other: Optional[Said]

    @property
    def tag(self) -> str:
        """The name of the tag as it is written."""
        said = self.own or self.other
        return said.element.name if said is not None else self.key


class Surfaces:
    """The values of each link, and, as links merge one after the other, parents first, those that hold for each target.

    A target without anything that a kind of values is for takes those of the first link that brings something, unless
    `adopts` is False: an emptied link keeps its blocks, and what was in it is elsewhere. `stripped` are offsets of
    shapes. A link without mass has no weight that gravity could be turned off for.

    Attributes:
        unused: offsets of the tags of merged links that their targets have no use for.
        warnings: what changes for the content of the links that merged, and of their targets.
    """

    def __init__(self, robot: Robot, stripped: Iterable[int], adopts: bool) -> None:
        self._robot, self._stripped, self._adopts = robot, set(stripped), adopts
        self.unused: Set[int] = set()
        self.warnings: List[Notice] = []
        self._tags: Dict[Tuple[str, str], List[Element]] = {}  # by link and kind
        self._holds: Dict[Tuple[str, str], Dict[str, Said]] = {}  # by link and kind; the first tag of a key counts
        blocks = [(top.get("reference") or "", top) for top in robot.document.root.elements("gazebo")]
        blocks += [(link.name, top) for link in robot.links.values() for top in link.extras if top.name == "contact"]
        for link, top in blocks:
            for tag in top.elements() if link in robot.links else ():
                key = key_of(tag)
                if key:
                    self._tags.setdefault((link, kind_of(key)), []).append(tag)
                    self._holds.setdefault((link, kind_of(key)), {}).setdefault(key, Said(tag))

    def brings(self, name: str, kind: str) -> bool:
        """Return True if a link has something that a kind of values is for."""
        link = self._robot.links[name]
        if kind == BODY:
            return link.mass >= NO_MASS
        shapes = link.collisions if kind == CONTACT else link.visuals
        return any(shape.source.offset not in self._stripped for shape in shapes)

    def differences(self, name: str, target: str, turn: Matrix, kind: str) -> List[Difference]:
        """Return what would change for what a link brings, if it merged into the target, turned by `turn` in it."""
        if not self.brings(name, kind) or not self._is_settled(target, kind):
            return []
        own, other = self._turned(name, turn, kind), self._holds.get((target, kind), {})
        found = [Difference(key, own.get(key), other.get(key)) for key in dict.fromkeys((*own, *other))]
        return [one for one in found if _held_value(one.key, one.own) != _held_value(one.key, one.other)]

    def _turned(self, name: str, turn: Matrix, kind: str) -> Dict[str, Said]:
        return {key: said._replace(turn=turn) for key, said in self._holds.get((name, kind), {}).items()}

    def _is_settled(self, target: str, kind: str) -> bool:
        """Return True if it is known which values hold for a target."""
        return not self._adopts or (target, kind) in self._holds or self.brings(target, kind)

    def merge(self, name: str, target: str, turn: Matrix) -> None:
        """Let a link merge into its target: some of its values move there, the others have no use any more."""
        for kind in KINDS:
            self.warnings += [_warning(name, target, one) for one in self.differences(name, target, turn, kind)]
            if self.brings(name, kind) and not self._is_settled(target, kind):
                self._holds[target, kind] = self._turned(name, turn, kind)
            else:
                self.unused.update(tag.offset for tag in self._tags.get((name, kind), ()))


def _held_value(key: str, said: Optional[Said]) -> Value:
    """Return what holds for a key: numbers, or words; a direction as it is in the frame of the target."""
    if said is None:
        return _read(key, DEFAULTS.get(key, (CONTACT, ""))[1])
    if key not in ("collision", "visual"):
        return _value_in(said.element, said.turn)
    return tuple(part for element in said.element.walk() for part in (
        element.name, *sorted(element.attributes.items()), *_value_in(element, said.turn)))


def _value_in(element: Element, turn: Matrix) -> Value:
    value = _read(key_of(element) or element.name, value_of(element))
    frame = [name for key, name in element.attributes.items() if key.split(":")[-1] == "expressed_in"]
    if element.name == "fdir1" and len(value) == 3 and not frame:
        direction: Vector = tuple(map(float, value))  # type: ignore[assignment,arg-type]
        value = tuple(round(x, 9) + 0.0 for x in rotate(turn, direction))
    return (*value, *frame)


def value_of(element: Element) -> str:
    """Return the value of a simulator tag: its `value`, or its text."""
    return (element.get("value") or element.text()).strip()


def _read(key: str, text: str) -> Value:
    values = numbers_in(BOOLEANS.get(text.lower(), text), 3 if key == "fdir1" else 1)
    if values is None:
        return (text,)
    return tuple(round(x, 9) for x in values) if key == "fdir1" else values


def key_of(tag: Element) -> str:
    """Return the name under which a value of a link is compared; "" for what is none."""
    if tag.parent is not None and tag.parent.name == "contact":
        return tag.name
    key = tag.name.replace("_", "").lower()
    key = "mu1" if key == "mu" else key
    return key if key in DEFAULTS else ""


def kind_of(key: str) -> str:
    """Return what a value is for."""
    return DEFAULTS.get(key, (CONTACT, ""))[0]


def why_kept_apart(surfaces: Surfaces, name: str, target: str, turn: Matrix) -> str:
    """Return why a link must not merge into a target because of contacts or gravity, or ""."""
    found = [one for kind in (CONTACT, BODY) for one in surfaces.differences(name, target, turn, kind)]
    if not found:
        return ""
    what = list(dict.fromkeys("friction" if one.key in FRICTION else one.tag for one in found))
    lines = sorted({said.element.line for one in found for said in (one.own, one.other) if said is not None})
    return (f"its {' and '.join(what[:2])}{' and more' if what[2:] else ''} differ{'' if what[1:] else 's'} from "
            f"'{target}', line{'s' if lines[1:] else ''} {', '.join(map(str, lines[:4]))}")


def _warning(name: str, target: str, one: Difference) -> Notice:
    default = DEFAULTS.get(one.key, (CONTACT, ""))[1] or "none"
    if one.own is None:
        said = one.other.element if one.other is not None else None
        line, offset = (said.line, said.offset) if said is not None else (0, -1)
        return Notice(line, f"{_short(one.tag, one.other)} of '{target}' holds for what was in link '{name}' too, for "
                            f"which nothing was said (default {default}): {pasted('--keep', name)} keeps it apart",
                      "surface-merged", offset, (target, name))
    stays = f"{_short(one.tag, one.other)} of line {one.other.element.line}" if one.other is not None else (
        f"the default ({default})")
    return Notice(one.own.element.line, f"{_short(one.tag, one.own)} of '{name}' is lost: it is one link with "
                                        f"'{target}' now, where {stays} stays; {pasted('--keep', name)} keeps "
                                        "it apart",
                  "surface-merged", one.own.element.offset, (name, target))


def _short(tag: str, said: Optional[Said]) -> str:
    """Return a tag and its value for a sentence; of a nested block the name says enough."""
    return tag if said is None or said.element.elements() else f"{tag} {value_of(said.element)}"
