"""The act `set`: one number of a joint or of a link, and no other."""
import re
from fnmatch import fnmatchcase
from typing import AbstractSet, Dict, List, NamedTuple, Optional, Sequence

from ..apply.passes import made_child
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, UsageError
from ..base.kinds import UNUSED_OPTION
from ..base.number_text import count_of, format_number, LARGEST, read_numbers
from ..compare.law import Law
from ..robot.records import RawJoint, RawLink, RawRobot
from ..urdf.model import Joint, Link, MOVABLE
from .kinds import SAID_ELSEWHERE
from .records import Draft, Made

OF_JOINT = {"effort": "limit", "velocity": "limit", "lower": "limit", "upper": "limit", "acceleration": "limit",
            "damping": "dynamics", "friction": "dynamics"}
NOT_NEGATIVE = ("effort", "velocity", "acceleration", "damping", "friction", "mass")
KEYS = (*OF_JOINT, "mass")
ADVICE = "give what to set, such as 'hip_*.effort=35' or 'hand.mass=*1.1'"
DEMANDED = ("effort", "velocity", "lower", "upper")  # of a <limit>, urdfdom's joint.cpp; continuous: the first two
SAYS_TOO = {"lower": "min", "upper": "max", "effort": "max", "velocity": "max"}  # parameters of ros2_control


class Setting(NamedTuple):
    """`glob.key=value`; with `factor`, the value is one that multiplies what is there."""

    glob: str
    key: str
    value: float
    factor: bool

    def of(self, old: float) -> float:
        """Return the new number."""
        return float(format_number(old * self.value)) if self.factor else self.value


def set_numbers(draft: Draft, words: Sequence[str]) -> Made:
    """Set numbers of joints and links: `hip_*.effort=35`, `hand.mass=*1.1`; several at once count together.

    Raises:
        UsageError: a number that cannot be, or of what has none.
    """
    settings = [_read(draft, word) for word in words]
    if not settings:
        raise UsageError(ADVICE, draft.path)
    given: Dict[str, Dict[str, Setting]] = {}
    masses: Dict[str, Setting] = {}
    for word, setting in zip(words, settings):
        if setting.key == "mass":
            links = _with_mass(draft, word, setting)
            masses.update(dict.fromkeys(links, setting))
        else:
            links = _children(draft, word, setting)
            for child in links:
                given.setdefault(child, {})[setting.key] = setting
        if not links:
            draft.warnings.append(Diagnostic(UNUSED_OPTION, 0, "link" if setting.key == "mass" else "joint", (
                f"--set {word}",)))
    for child, values in given.items():
        _set_joint(draft, draft.robot.above[child], values)
    for name, setting in masses.items():
        _set_mass(draft, draft.robot.links[name], setting)
    phrases = [count_of(len(given), "joint")] * bool(given) + [count_of(len(masses), "mass", "masses")] * bool(masses)
    return Made(Law(), f"set {' '.join(words)} ({', '.join(phrases) or 'nothing'})", laws=lambda before, after, law: (
        (_expected(before, given, masses), after, law),))


def _read(draft: Draft, word: str) -> Setting:
    name, equals, text = word.partition("=")
    glob, dot, key = name.rpartition(".")
    if not equals or not dot or not glob:
        raise UsageError(f"'{word}': {ADVICE}", draft.path)
    if key not in KEYS:
        raise UsageError(f"'{word}': there is no '{key}' to set{did_you_mean(key, KEYS)}; there are {', '.join(KEYS)}",
                         draft.path)
    try:
        value, = read_numbers(text.lstrip("*"), 1)
    except ValueError as error:
        raise UsageError(f"'{word}': {error}", draft.path) from None
    if value < 0.0 and (key in NOT_NEGATIVE or text.startswith("*")) or abs(value) >= LARGEST:
        raise UsageError(f"'{word}': {key} cannot be {text}", draft.path)
    return Setting(glob, key, value, text.startswith("*"))


def _children(draft: Draft, word: str, setting: Setting) -> List[str]:
    """Return the child links of the joints that a setting means."""
    named = [joint for joint in draft.robot.joints if fnmatchcase(joint.name, setting.glob)]
    moving = [joint for joint in named if joint.type in MOVABLE]
    if named and not moving:
        raise UsageError(f"'{word}': joint '{named[0].name}' is {named[0].type}", draft.path, named[0].source.line)
    for joint in moving:
        if joint.type == "continuous" and setting.key in ("lower", "upper"):
            raise UsageError(f"'{word}': joint '{joint.name}' is continuous: it has no limits", draft.path,
                             joint.source.line)
    return [joint.child for joint in moving]


def _with_mass(draft: Draft, word: str, setting: Setting) -> List[str]:
    """Return the links with mass that a setting means."""
    named = [link for link in draft.robot.links.values() if fnmatchcase(link.name, setting.glob)]
    heavy = [link.name for link in named if link.mass]
    if named and not heavy:
        raise UsageError(f"'{word}': link '{named[0].name}' has no mass: its tensor would have to be known", draft.path,
                         named[0].source.line)
    return heavy


def _set_joint(draft: Draft, joint: Joint, values: Dict[str, Setting]) -> None:
    element = draft.copy(joint.source)
    for key, setting in values.items():
        part = element.find(OF_JOINT[key])
        lacks = [other for other in DEMANDED[:2 if joint.type == "continuous" else 4] if other not in values]
        if OF_JOINT[key] == "limit" and part is None and lacks:
            raise UsageError(f"joint '{joint.name}' has no {' and no '.join(lacks)}, which a <limit> must say: add "
                             + " and ".join(f"{joint.name}.{other}=..." for other in lacks) + " to the same --set",
                             draft.path, joint.source.line)
        part = made_child(element, OF_JOINT[key])
        old = part.get(key)
        if old is None and setting.factor:
            raise UsageError(f"joint '{joint.name}' has no {key} to multiply", draft.path, joint.source.line)
        part.set(key, format_number(setting.of(_number(old))))
    limit = element.find("limit")
    ends = [_number(limit.get(end) if limit is not None else None) for end in ("lower", "upper")]
    if ends[0] > ends[1] and {"lower", "upper"} & values.keys():
        raise UsageError(f"joint '{joint.name}' would go from {format_number(ends[0])} to {format_number(ends[1])}",
                         draft.path, joint.source.line)
    _warn_of_others(draft, joint, values.keys())


def _warn_of_others(draft: Draft, joint: Joint, keys: AbstractSet[str]) -> None:
    """Warn of what says the same elsewhere."""
    controls = [joint for top in draft.robot.document.root.elements("ros2_control") for joint in top.elements("joint")]
    for control in controls:
        params = {param.get("name") for inner in control.elements() for param in inner.elements("param")}
        if control.get("name") == joint.name and any(SAYS_TOO.get(key) in params for key in keys):
            draft.warn(control, SAID_ELSEWHERE, "control", joint.name)
    for safety in joint.source.elements("safety_controller") if {"lower", "upper"} & keys else ():
        draft.warn(safety, SAID_ELSEWHERE, "safety", joint.name)


def _set_mass(draft: Draft, link: Link, setting: Setting) -> None:
    """Set a mass; the tensor is scaled with it, as that of the same shape."""
    inertial = link.inertial
    assert inertial is not None
    mass = setting.of(inertial.properties.mass)
    if not mass:
        raise UsageError(f"link '{link.name}' would have no mass", draft.path, link.source.line)
    factor = mass / inertial.properties.mass
    element = draft.copy(inertial.source)
    made_child(element, "mass").set("value", format_number(mass))
    tensor = made_child(element, "inertia")
    for key, text in tensor.attributes.items():
        if re.fullmatch("i[xyz]{2}", key):  # iyx and the like too, which some exporters write in addition
            tensor.set(key, format_number(_number(text) * factor))


def _number(text: Optional[str]) -> float:
    """Return a number as the reader takes it, 0 where none is written."""
    return read_numbers(text, 1)[0] if text else 0.0


def _expected(raw: RawRobot, joints: Dict[str, Dict[str, Setting]], masses: Dict[str, Setting]) -> RawRobot:
    """Return a robot with these numbers, for the law."""
    def with_values(joint: RawJoint) -> RawJoint:
        fields: Dict[str, float] = {}
        values = dict(joint.values)
        for key, setting in joints.get(joint.child, {}).items():
            if key in ("effort", "velocity", "lower", "upper"):
                fields[key] = setting.of(getattr(joint, key) or 0.0)
            else:
                values[key] = setting.of((joint.values.get(key) or (0.0,))[0]),
        if {"lower", "upper"} & fields.keys():
            fields = {"lower": 0.0 if joint.lower is None else joint.lower,
                      "upper": 0.0 if joint.upper is None else joint.upper, **fields}
        return joint._replace(values=values, **fields)  # type: ignore[arg-type]

    def with_mass(link: RawLink) -> RawLink:
        if link.name not in masses or link.mass is None:
            return link
        new = masses[link.name].of(link.mass.mass)
        xx, xy, xz, yy, yz, zz = (entry * new / link.mass.mass for entry in link.mass.tensor)
        return link._replace(mass=link.mass._replace(mass=new, tensor=(xx, xy, xz, yy, yz, zz)))

    return raw._replace(joints=tuple(map(with_values, raw.joints)), links=tuple(map(with_mass, raw.links)))
