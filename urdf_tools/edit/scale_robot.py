"""The edit `scale`: a robot as large as a factor makes it; every length in its text is multiplied, in exact decimals.

What is a length of a robot, and what stays, is the same as in `compare/scaled_robot.py`, which states the law. Numbers that a
device or a simulator has for itself stay: ranges of sensors, gains, springs, friction, contacts.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Callable, Dict, Iterator, List, Mapping, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.number_text import format_number, grouped, NUMBER, read_factor
from ..base.record_type import Record
from ..compare.verify_edit import EditLaw
from ..compare.scaled_robot import scaled, Scaling
from ..facts.gazebo_value_rules import is_mimic_plugin
from ..facts.robot_values import OFFSETS, PLUGIN_POINTS
from ..facts.frame_dependent_values import is_loop
from ..robot.raw_robot import OUT_OF_REACH, SLIDING
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import OF_JOINT, OF_LINK, POSITIONS, SIZES
from .robot_draft import EditResult, RobotDraft, write
from .edit_diagnostics import SCALED
from .edit_value_words import read_words

ADVICE = "give how many times as large, such as 1.5 or 2/3"
KEPT = "kept"
DENSITY = "density"
MASS = "mass"
# Beyond these, numbers as written lose digits, and nobody means a robot of such a size.
SMALLEST = Fraction(1, 10**4)
LARGEST = Fraction(10**4)
# Digits of an exact product that are still written; a longer one is rounded as all numbers are.
MOST_DIGITS = 15
# Of a slide: a length in a power of a time.
RATES = ("velocity", "acceleration", "deceleration", "jerk")
# Tags of `<gazebo>` that are a length, and a length in a time: sdformat src/parser_urdf.cc and sdf/1.9/surface.sdf.
LENGTHS_IN_GAZEBO = ("minDepth", "maxVel", "min_depth", "max_vel")
# Numbers of a `<pose>` that are lengths; angles, or a quaternion, follow.
OF_POSE = 3
# How many numbers of a position in a named state are lengths, by the type of the joint (srdfdom, MoveIt).
LENGTHS_IN_STATE = {"prismatic": 1, "planar": 2, "floating": 3}
# Parameters of an interface of ros2_control: https://control.ros.org.
OF_INTERFACE = ("min", "max", "initial_value")
# Words in the tags of plugins whose numbers are probably lengths, areas or volumes.
LIKE_A_LENGTH = (
    "(?i)(radius|diameter|separation|wheel_?base|track|width|height|length|distance|area|volume)"
)


class _Scaler(Record):
    """The factors of a scaling, and the robot whose text gets them.

    Attributes:
        lengths, masses: exact factors.
        types: the type of each joint, by its name.
    """

    draft: RobotDraft
    lengths: Fraction
    masses: Fraction
    types: Mapping[str, str]

    @property
    def tensors(self) -> Fraction:
        """Return the factor of tensors."""
        return self.masses * self.lengths * self.lengths

    def is_slide(self, joint: str) -> bool:
        """Return True if the position of a joint is a length."""
        return self.types.get(joint, "") in SLIDING

    def multiply(
        self, element: Element, key: str, factor: Fraction, most: int = 0, default: str = ""
    ) -> bool:
        """Multiply the numbers of an attribute, or of the text, of an element; return True if they changed.

        Args:
            element: of the robot as read.
            key: the attribute, "" for the text.
            most: how many numbers from the first one are multiplied, 0 for all.
            default: the numbers where the attribute is not written.
        """
        old = element.get(key) if key else element.text()
        text = old or default
        new = multiplied(text, factor, most)
        if new == text:
            return False
        write(self.draft.copy(element), key, new)
        return True


def multiplied(text: str, factor: Fraction, most: int = 0) -> str:
    """Return a text with its first numbers times a factor, `most` = 0 for all; all digits are exact where they are few.

    A number that means no limit stays, and so does a text with a number that is none.
    """
    if any(not re.fullmatch(NUMBER, token) for token in text.replace(",", " ").split()):
        return text
    seen = 0

    def one(match: "re.Match[str]") -> str:
        """Return the text of a number after its multiplication."""
        nonlocal seen
        seen += 1
        number = match.group()
        is_left = 0 < most < seen or abs(float(number)) >= OUT_OF_REACH or not float(number)
        return number if is_left else _text_of(Fraction(number) * factor)

    return re.sub(NUMBER, one, text)


def _text_of(number: Fraction) -> str:
    """Return a number as a decimal: exact if it has few digits, else rounded to 1e-12 of itself."""
    from decimal import Context, Decimal, Inexact  # imported here: only this edit needs it

    context = Context(prec=MOST_DIGITS)
    decimal = context.divide(Decimal(number.numerator), Decimal(number.denominator))
    if context.flags[Inexact]:
        return format_number(float(number))
    decimal = decimal.normalize(context)
    return f"{decimal:f}" if -7 < decimal.adjusted() < MOST_DIGITS else str(decimal).lower()


def scale(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Make a robot larger or smaller: `1.5`, or `1.5 mass=kept`; without it the density is kept.

    Raises:
        UsageError: the factor is no positive number, or 1.
    """
    by = _scaler_of(draft, words)
    for top in draft.robot.document.root.elements():
        SCALERS.get(top.name, _scale_other)(by, top)
    _scale_srdf(by)
    _warn_of_forces(by)
    scaling = Scaling(float(by.lengths), float(by.masses))
    kept = DENSITY if by.masses != 1 else MASS
    masses = f"masses {format_number(scaling.masses)} times" if kept == DENSITY else "masses kept"
    return EditResult(
        law=EditLaw(),
        did=f"{format_number(scaling.lengths)} times as large, {masses}",
        laws=lambda before, after, law: ((scaled(before, scaling), after, law),),
        scale=scaling.lengths,
    )


def _scaler_of(draft: RobotDraft, words: Sequence[str]) -> _Scaler:
    """Return the factors of the words, with the joints of the robot.

    Raises:
        UsageError: a word cannot be read.
    """
    names, values = read_words(draft, words, (DENSITY, MASS))
    if len(names) != 1 or len(values) > 1:
        raise draft.refused(f"{ADVICE}, then {DENSITY}={KEPT} or {MASS}={KEPT}")
    for key, value in values.items():
        if value != KEPT:
            raise draft.refused(f"{key}={value}: give {DENSITY}={KEPT} or {MASS}={KEPT}")
    try:
        lengths = read_factor(names[0])
    except ValueError:
        raise draft.refused(f"'{names[0]}' is no factor: {ADVICE}") from None
    if not SMALLEST <= lengths <= LARGEST:
        raise draft.refused(
            f"'{names[0]}': {ADVICE}; from {float(SMALLEST):g} to {float(LARGEST):g}"
        )
    if lengths == 1:
        raise draft.refused("the robot is as large as it is: give a factor other than 1")
    types = {joint.name: joint.type for joint in reversed(draft.robot.joints)}
    masses = Fraction(1) if MASS in values else lengths * lengths * lengths
    return _Scaler(draft, lengths, masses, types)


def _scale_link(by: _Scaler, link: Element) -> None:
    """Scale the masses, shapes and frames of a link."""
    for part in link.elements():
        if part.name in OF_LINK:
            _scale_origins(by, part)
        else:
            _scale_frame(by, part)
        if part.name == "inertial":
            _scale_inertial(by, part)
        for geometry in part.elements("geometry"):
            _scale_geometry(by, part, geometry)


def _scale_inertial(by: _Scaler, inertial: Element) -> None:
    """Scale the mass and the tensor of an `<inertial>`."""
    for mass in inertial.elements("mass"):
        by.multiply(mass, "value", by.masses)
    for inertia in inertial.elements("inertia"):
        for key in inertia.attributes:
            # Some exporters write iyx and the like in addition.
            if re.fullmatch("i[xyz]{2}", key):
                by.multiply(inertia, key, by.tensors)


def _scale_geometry(by: _Scaler, shape: Element, geometry: Element) -> None:
    """Scale the solid of a shape; a mesh gets a `scale`, and loses one that is 1."""
    for solid in geometry.elements():
        if solid.name not in SIZES:
            by.draft.warn(shape, SCALED, "geometry", solid.name)
            continue
        for key, _ in SIZES[solid.name]:
            by.multiply(solid, key, by.lengths, default="1 1 1" if solid.name == "mesh" else "")
        copy = by.draft.copy(solid)
        # So that there and back gives the bytes of a mesh without a scale.
        if solid.name == "mesh" and copy.get("scale") == "1 1 1":
            copy.unset("scale")


def _scale_origins(by: _Scaler, element: Element) -> None:
    """Scale the places of all `<origin>` in an element, and its own if it is one."""
    for part in element.walk():
        if part.name == "origin":
            by.multiply(part, "xyz", by.lengths)


def _scale_frame(by: _Scaler, top: Element) -> None:
    """Scale the poses in a frame, a loop or a sensor: in `<origin>`, in `<pose>`, or on the elements themselves."""
    for part in top.walk():
        if part.name == "pose":
            by.multiply(part, "", by.lengths, OF_POSE)
        elif part.name != "axis":  # a direction
            by.multiply(part, "xyz", by.lengths)
    if top.get("type") in SLIDING:
        for limit in top.elements("limit"):
            for key in ("lower", "upper", "velocity"):
                by.multiply(limit, key, by.lengths)
        for dynamics in top.elements("dynamics"):
            by.multiply(dynamics, "spring_reference", by.lengths)


def _scale_joint(by: _Scaler, joint: Element) -> None:
    """Scale the origin of a joint, the positions of a slide, and the rule of a follower."""
    for part in joint.elements():
        if part.name not in OF_JOINT:
            _scale_frame(by, part)
    for origin in joint.elements("origin"):
        by.multiply(origin, "xyz", by.lengths)
    if joint.get("type") in SLIDING:
        for tag, key in (*POSITIONS, *(("limit", rate) for rate in RATES)):
            for part in joint.elements(tag):
                by.multiply(part, key, by.lengths)
    for rule in joint.elements("mimic"):
        _scale_rule(by, joint.get("type") in SLIDING, rule)


def _scale_rule(by: _Scaler, is_slide: bool, rule: Element) -> None:
    """Scale the multiplier and the offset in a `<mimic>` of a joint, which is a slide or turns."""
    factor = _factor_of_rule(by, is_slide, rule.get("joint") or "")
    by.multiply(rule, "multiplier", factor, default="1")
    if is_slide:
        by.multiply(rule, "offset", by.lengths)
    copy = by.draft.copy(rule)
    # So that there and back gives the bytes of a rule without a multiplier.
    if copy.get("multiplier") == "1" != rule.get("multiplier"):
        copy.unset("multiplier")


def _factor_of_rule(by: _Scaler, is_slide: bool, leader: str) -> Fraction:
    """Return the factor of the multiplier of a follower: 1 if both positions are lengths, or none is."""
    factor = Fraction(1)
    if is_slide:
        factor *= by.lengths
    if by.is_slide(leader):
        factor /= by.lengths
    return factor


def _scale_gazebo(by: _Scaler, top: Element) -> None:
    """Scale the poses and lengths in a `<gazebo>` block; the position of a spring if it is about a slide."""
    has_changed = False
    for part in _outside_plugins(top):
        if part.name == "pose":
            has_changed |= by.multiply(part, "", by.lengths, OF_POSE)
        elif part.name in LENGTHS_IN_GAZEBO:
            has_changed |= by.multiply(part, _key_of(part), by.lengths)
        elif part.name == "springReference" and by.is_slide(top.get("reference") or ""):
            has_changed |= by.multiply(part, _key_of(part), by.lengths)
        elif part.name == "joint" and part.get("type") in SLIDING:
            has_changed |= _scale_sdf_limits(by, part)
        elif part.name in ("geometry", "inertial"):
            by.draft.warn(top, SCALED, "geometry", part.name)
    for part in top.walk():
        if part.name == "plugin":
            has_changed |= _scale_plugin(by, part)
    if has_changed:
        by.draft.note(top, "scaled", format_number(float(by.lengths)))


def _outside_plugins(element: Element) -> Iterator[Element]:
    """Yield the elements in an element that are not in a plugin, whose tags have meanings of their own."""
    for child in element.elements():
        if child.name != "plugin":
            yield child
            yield from _outside_plugins(child)


def _key_of(element: Element) -> str:
    """Return where a tag of `<gazebo>` has its value: its `value`, or its text."""
    return "value" if element.get("value") is not None else ""


def _scale_sdf_limits(by: _Scaler, joint: Element) -> bool:
    """Scale the limits of a sliding joint of SDF; return True if there are any."""
    has_changed = False
    for axis in joint.elements("axis"):
        for limit in axis.elements("limit"):
            for part in limit.elements():
                if part.name in ("lower", "upper", "velocity"):
                    has_changed |= by.multiply(part, "", by.lengths)
        for dynamics in axis.elements("dynamics"):
            for part in dynamics.elements("spring_reference"):
                has_changed |= by.multiply(part, "", by.lengths)
    return has_changed


def _scale_plugin(by: _Scaler, plugin: Element) -> bool:
    """Scale the offsets, points and rules of a plugin, and warn of its other lengths; return True if one changed."""
    if is_mimic_plugin(plugin):
        return _scale_mimic_plugin(by, plugin)
    points = [*PLUGIN_POINTS, *(xyz for _, xyz, _ in OFFSETS)]
    has_changed = False
    like_lengths: List[str] = []
    for part in plugin.walk():
        if part.name in points:
            has_changed |= by.multiply(part, "", by.lengths)
        elif re.search(LIKE_A_LENGTH, part.name) and re.search("[1-9]", part.text()):
            like_lengths.append(part.name)
    if like_lengths:
        by.draft.warn(plugin, SCALED, "plugin", ", ".join(dict.fromkeys(like_lengths)))
    return has_changed


def _scale_mimic_plugin(by: _Scaler, plugin: Element) -> bool:
    """Scale the numbers of a plugin that lets a joint follow another; return True if one changed."""
    texts = {part.name: part.text().strip() for part in plugin.elements()}
    is_slide = by.is_slide(texts["mimicJoint"])
    factor = _factor_of_rule(by, is_slide, texts["joint"])
    has_changed = False
    for part in plugin.elements():
        if part.name == "multiplier":
            has_changed |= by.multiply(part, "", factor)
        elif part.name == "offset" and is_slide:
            has_changed |= by.multiply(part, "", by.lengths)
    return has_changed


def _scale_control(by: _Scaler, top: Element) -> None:
    """Scale the ranges, initial values and rules of slides in a `<ros2_control>`, and offsets of its transmissions."""
    for joint in top.elements("joint"):
        is_slide = by.is_slide(joint.get("name") or "")
        has_changed = _scale_rule_of_control(by, is_slide, joint)
        if is_slide:
            for interface in joint.elements():
                if (interface.get("name") or "").endswith(("position", "velocity", "acceleration")):
                    has_changed |= _scale_interface(by, interface)
        if has_changed:
            by.draft.note(joint, "scaled", format_number(float(by.lengths)))
    for transmission in top.elements("transmission"):
        _scale_transmission(by, transmission)


def _scale_interface(by: _Scaler, interface: Element) -> bool:
    """Scale the parameters of an interface that counts lengths; return True if one changed."""
    changed = [
        by.multiply(param, "", by.lengths)
        for param in interface.elements("param")
        if param.get("name") in OF_INTERFACE
    ]
    return any(changed)


def _scale_rule_of_control(by: _Scaler, is_slide: bool, joint: Element) -> bool:
    """Scale the parameters `multiplier` and `offset` of a follower; return True if one changed."""
    params = grouped((param.get("name") or "", param) for param in joint.elements("param"))
    leaders = params.get("mimic", [])
    if not leaders:
        return False
    factor = _factor_of_rule(by, is_slide, leaders[-1].text().strip())
    changed = [by.multiply(param, "", factor) for param in params.get("multiplier", [])]
    if factor != 1 and "multiplier" not in params:
        by.draft.warn(joint, SCALED, "multiplier", format_number(float(factor)))
    if is_slide:
        changed += [by.multiply(param, "", by.lengths) for param in params.get("offset", [])]
    return any(changed)


def _scale_transmission(by: _Scaler, top: Element) -> None:
    """Scale the offsets of slides in a transmission; its reductions stay, so a motor turns farther."""
    for joint in top.elements("joint"):
        if by.is_slide(joint.get("name") or ""):
            for offset in joint.elements("offset"):
                if by.multiply(offset, _key_of(offset), by.lengths):
                    by.draft.note(top, "scaled", format_number(float(by.lengths)))


def _scale_other(by: _Scaler, top: Element) -> None:
    """Scale a loop, or warn of an element that may have lengths."""
    if is_loop(top) and ":" not in top.name:
        _scale_frame(by, top)
    elif any(map(_has_numbers, top.walk())):
        by.draft.warn(top, SCALED, "unknown")


def _scale_srdf(by: _Scaler) -> None:
    """Scale the positions of slides in named states, and the spheres of links, in the SRDF."""
    draft = by.draft
    if draft.srdf is None:
        return
    root = draft.srdf.root
    types: Dict[str, str] = dict(by.types)
    for joint in root.elements("virtual_joint"):
        types[joint.get("name") or ""] = joint.get("type") or ""
    for top in root.elements():
        for part in top.elements():
            for key, most in _lengths_in_srdf(top, part, types):
                new = multiplied(part.get(key) or "", by.lengths, most)
                if new != (part.get(key) or ""):
                    part.set(key, new)
                    draft.note_srdf(top, "scaled", format_number(float(by.lengths)))


def _lengths_in_srdf(
    top: Element, part: Element, types: Mapping[str, str]
) -> Iterator[Tuple[str, int]]:
    """Yield the attributes of a part of the SRDF that begin with lengths, and how many these are."""
    if top.name == "group_state" and part.name == "joint":
        most = LENGTHS_IN_STATE.get(types.get(part.get("name") or "", ""), 0)
        if most:
            yield "value", most
    elif top.name == "link_sphere_approximation" and part.name == "sphere":
        yield "center", 3
        yield "radius", 1


def _warn_of_forces(by: _Scaler) -> None:
    """Warn that efforts stay, with the factor that would keep the reserve against gravity."""
    limited = [
        joint for joint in by.draft.robot.joints if joint.limit is not None and joint.limit.effort
    ]
    if limited:
        first = limited[0]
        needed = format_number(float(f"{float(by.masses * by.lengths):.6g}"))
        by.draft.warnings.append(
            Diagnostic(
                kind=SCALED,
                line=first.source.line,
                sentence="efforts",
                names=(needed,),
                numbers=(float(len(limited)),),
            )
        )


def _has_numbers(element: Element) -> bool:
    """Return True if the text or an attribute of an element is numbers."""
    texts = (element.text().strip(), *element.attributes.values())
    return any(re.fullmatch(rf"{NUMBER}(\s+{NUMBER})*", text) for text in texts)


def _leave(by: _Scaler, top: Element) -> None:
    """Leave an element of the robot that has no length."""


# What scales an element of the robot, by its tag; the rest is a loop, or unknown.
SCALERS: Dict[str, Callable[[_Scaler, Element], None]] = {
    "link": _scale_link,
    "joint": _scale_joint,
    "material": _leave,
    "gazebo": _scale_gazebo,
    "ros2_control": _scale_control,
    "transmission": _scale_transmission,
    "frame": _scale_frame,
    "sensor": _scale_frame,
}
