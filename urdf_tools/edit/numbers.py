"""Edits of numbers: `set` changes single numbers of joints or links; `inertia_from` computes centers and tensors.

`inertia_from` uses the shapes of the links, with uniform density.
"""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import chain, combinations, product
from typing import AbstractSet, Callable, Dict, List, Optional, Sequence, Tuple

from ..base.types import Reals, Texts
from ..apply.passes import made_child, write_inertial
from ..base.errors import BrokenMesh, did_you_mean, UsageError
from ..base.number_text import count_of, format_number, LARGEST, numbers_in, read_numbers
from ..base.record import Record
from ..compare.law import EditLaw
from ..meshes.formats import read_indexed
from ..meshes.hull import convex_hull
from ..meshes.volume import NoVolume, SolidVolume, solid_of
from ..model.solids import solid_of_shape, uniform
from ..robot.records import RawJoint, RawLink, RawRobot
from ..urdf.model import UrdfJoint, UrdfLink, MOVABLE, UrdfShape
from ..urdf.package_resolver import resolve, resolver_for
from ..urdf.spatial import MassProperties, move, scale, why_not_physical
from .kinds import INERTIA_FROM, PARTS_OVERLAP, SAID_ELSEWHERE
from .law import with_masses_of_shapes
from .mimics import MIMIC, rule_settings, set_rules, with_rules
from .records import Draft, ActResult
from .words import named_nothing

OF_JOINT = {
    "effort": "limit",
    "velocity": "limit",
    "lower": "limit",
    "upper": "limit",
    "acceleration": "limit",
    "damping": "dynamics",
    "friction": "dynamics",
}
NOT_NEGATIVE = ("effort", "velocity", "acceleration", "damping", "friction", "mass")
KEYS = (*OF_JOINT, "mass")  # of numbers; a mimic rule is set, too
ADVICE = "give what to set, such as 'hip_*.effort=35' or 'hand.mass=*1.1'"
# The attributes that urdfdom's joint.cpp requires in a <limit>; only the first two for a continuous joint.
DEMANDED = ("effort", "velocity", "lower", "upper")
# Parameters of a command interface of ros2_control with the same meaning.
SAYS_TOO = {"lower": "min", "upper": "max", "effort": "max", "velocity": "max"}


class Setting(Record):
    """A setting `glob.key=value`; with `factor`, the value multiplies the present number."""

    glob: str
    key: str
    value: float
    factor: bool

    def of(self, old: float) -> float:
        """Return the new number."""
        # Rounded as it will be written, because the law compares this number.
        return float(format_number(old * self.value)) if self.factor else self.value


def set_numbers(draft: Draft, words: Sequence[str]) -> ActResult:
    """Set numbers of joints and links, and mimic rules: `hip_*.effort=35`, `hand.mass=*1.1`, `b.mimic=a`.

    Several settings apply together.

    Raises:
        UsageError: a number is impossible, or the joint or link does not exist or has no such number.
    """
    if not words:
        raise draft.refused(ADVICE)
    rules, words_of_numbers = rule_settings(draft, words)
    settings = [_read(draft, word) for word in words_of_numbers]
    # By the child link of a joint and the key, and by the name of a link.
    settings_of_joints: Dict[str, Dict[str, Setting]] = {}
    settings_of_masses: Dict[str, Setting] = {}
    for word, setting in zip(words_of_numbers, settings):
        if setting.key == "mass":
            links = _with_mass(draft, word, setting)
            settings_of_masses.update(dict.fromkeys(links, setting))
        else:
            links = _children(draft, word, setting)
            for child in links:
                # The last setting of a number wins.
                settings_of_joints.setdefault(child, {})[setting.key] = setting
        if not links:
            what = "link" if setting.key == "mass" else "joint"
            raise draft.refused(f"'{word}': {named_nothing(draft, setting.glob, what)}")

    # All numbers of a joint at once: a new <limit> needs four of them.
    for child, values in settings_of_joints.items():
        _set_joint(draft, draft.robot.above[child], values)
    for name, setting in settings_of_masses.items():
        _set_mass(draft, draft.robot.links[name], setting)
    rules_of_joints = set_rules(draft, rules)
    phrases = []
    if settings_of_joints:
        phrases.append(count_of(len(settings_of_joints), "joint"))
    if settings_of_masses:
        phrases.append(count_of(len(settings_of_masses), "mass", "masses"))
    if rules_of_joints:
        phrases.append(count_of(len(rules_of_joints), "mimic"))

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that exactly these numbers and rules differ."""
        expected = _expected(before, settings_of_joints, settings_of_masses)
        return ((with_rules(expected, rules_of_joints), after, law),)

    return ActResult(
        EditLaw(),
        f"set {' '.join(words)} ({', '.join(phrases) or 'nothing'})",
        laws=laws,
    )


def _read(draft: Draft, word: str) -> Setting:
    """Return the setting of a word such as `leg_*.effort=*1.1`."""
    name, equals, text = word.partition("=")
    glob, dot, key = name.rpartition(".")
    if not equals or not dot or not glob:
        raise draft.refused(f"'{word}': {ADVICE}")
    if key not in KEYS:
        all_keys = (*KEYS, MIMIC)
        raise draft.refused(
            f"'{word}': there is no '{key}' to set{did_you_mean(key, all_keys)}; there are {', '.join(all_keys)}"
        )
    try:
        (value,) = read_numbers(text.lstrip("*"), 1)
    except ValueError as error:
        raise draft.refused(f"'{word}': {error}") from None
    if value < 0.0 and (key in NOT_NEGATIVE or text.startswith("*")) or abs(value) >= LARGEST:
        raise draft.refused(f"'{word}': {key} cannot be {text}")
    return Setting(glob, key, value, text.startswith("*"))


def _children(draft: Draft, word: str, setting: Setting) -> List[str]:
    """Return the child links of the joints that a setting names."""
    named = [joint for joint in draft.robot.joints if fnmatchcase(joint.name, setting.glob)]
    moving = [joint for joint in named if joint.type in MOVABLE]
    if named and not moving:
        raise draft.refused(
            f"'{word}': joint '{named[0].name}' is {named[0].type}", named[0].source.line
        )
    for joint in moving:
        if joint.type == "continuous" and setting.key in ("lower", "upper"):
            raise draft.refused(
                f"'{word}': joint '{joint.name}' is continuous: it has no limits", joint.source.line
            )
    return [joint.child for joint in moving]


def _with_mass(draft: Draft, word: str, setting: Setting) -> List[str]:
    """Return the links with mass that a setting names."""
    named = [link for link in draft.robot.links.values() if fnmatchcase(link.name, setting.glob)]
    heavy = [link.name for link in named if link.mass]
    if named and not heavy:
        raise draft.refused(
            f"'{word}': link '{named[0].name}' has no mass: its tensor would have to be known",
            named[0].source.line,
        )
    return heavy


def _set_joint(draft: Draft, joint: UrdfJoint, values: Dict[str, Setting]) -> None:
    """Write the settings of a joint, given by key, into its elements."""
    element = draft.copy(joint.source)
    demanded = DEMANDED[:2] if joint.type == "continuous" else DEMANDED
    lacks = [other for other in demanded if other not in values]
    for key, setting in values.items():
        part = element.find(OF_JOINT[key])
        # urdfdom refuses a <limit> that lacks one of these.
        if OF_JOINT[key] == "limit" and part is None and lacks:
            more = " and ".join(f"{joint.name}.{other}=..." for other in lacks)
            raise draft.refused(
                f"joint '{joint.name}' has no {' and no '.join(lacks)}, which a <limit> must say: "
                f"add {more} to the same --set",
                joint.source.line,
            )
        part = made_child(element, OF_JOINT[key])
        old = part.get(key)
        if old is None and setting.factor:
            raise draft.refused(f"joint '{joint.name}' has no {key} to multiply", joint.source.line)
        part.set(key, format_number(setting.of(_number(old))))
    limit = element.find("limit")
    lower, upper = 0.0, 0.0
    if limit is not None:
        lower, upper = _number(limit.get("lower")), _number(limit.get("upper"))
    # Inverted limits of the input are reported by lint; only new ones are refused.
    if lower > upper and {"lower", "upper"} & values.keys():
        raise draft.refused(
            f"joint '{joint.name}' would go from {format_number(lower)} to {format_number(upper)}",
            joint.source.line,
        )
    _warn_of_others(draft, joint, values.keys())


def _warn_of_others(draft: Draft, joint: UrdfJoint, keys: AbstractSet[str]) -> None:
    """Warn of other elements that contain the same numbers."""
    for block in draft.robot.document.root.elements("ros2_control"):
        for control in block.elements("joint"):
            if control.get("name") != joint.name:
                continue
            interfaces = [interface.elements("param") for interface in control.elements()]
            params = {param.get("name") for param in chain.from_iterable(interfaces)}
            if any(SAYS_TOO.get(key) in params for key in keys):
                draft.warn(control, SAID_ELSEWHERE, "control", joint.name)
    if {"lower", "upper"} & keys:
        for safety in joint.source.elements("safety_controller"):
            draft.warn(safety, SAID_ELSEWHERE, "safety", joint.name)


def _set_mass(draft: Draft, link: UrdfLink, setting: Setting) -> None:
    """Set a mass, and scale the tensor with it, as for an unchanged shape."""
    inertial = link.inertial
    assert inertial is not None
    mass = setting.of(inertial.properties.mass)
    if not mass:
        raise draft.refused(f"link '{link.name}' would have no mass", link.source.line)
    factor = mass / inertial.properties.mass
    element = draft.copy(inertial.source)
    made_child(element, "mass").set("value", format_number(mass))
    tensor = made_child(element, "inertia")
    for key, text in tensor.attributes.items():
        # Some exporters write iyx and the like in addition.
        if re.fullmatch("i[xyz]{2}", key):
            tensor.set(key, format_number(_number(text) * factor))


def _number(text: Optional[str]) -> float:
    """Return a number as the reader takes it; 0 if missing."""
    return read_numbers(text, 1)[0] if text else 0.0


def _expected(
    raw: RawRobot, joints: Dict[str, Dict[str, Setting]], masses: Dict[str, Setting]
) -> RawRobot:
    """Return a robot with these numbers, for the law."""

    def with_values(joint: RawJoint) -> RawJoint:
        """Return a joint with the numbers of its settings."""
        fields: Dict[str, float] = {}
        values = dict(joint.values)
        for key, setting in joints.get(joint.child, {}).items():
            if key in ("effort", "velocity", "lower", "upper"):
                fields[key] = setting.of(getattr(joint, key) or 0.0)
            else:
                values[key] = (setting.of((joint.values.get(key) or (0.0,))[0]),)
        if {"lower", "upper"} & fields.keys():
            # If a <limit> has one bound, the other is 0.
            fields.setdefault("lower", joint.lower or 0.0)
            fields.setdefault("upper", joint.upper or 0.0)
        return joint._replace(values=values, **fields)  # type: ignore[arg-type]

    def with_mass(link: RawLink) -> RawLink:
        """Return a link with its new mass, and its tensor scaled with it."""
        if link.name not in masses or link.mass is None:
            return link
        new = masses[link.name].of(link.mass.mass)
        xx, xy, xz, yy, yz, zz = (entry * new / link.mass.mass for entry in link.mass.tensor)
        return link._replace(mass=link.mass._replace(mass=new, tensor=(xx, xy, xz, yy, yz, zz)))

    return raw.with_each(joints=with_values, links=with_mass)


SOURCES = {"visual": "visuals", "collision": "collisions", "hull": "the hulls of their visuals"}
OF_COLLISIONS = "collision"
DENSITY = "density="
NOISE = 1e-12  # [m] smaller coordinates of a center are written as 0
APART = 1e-9  # [m] boxes that overlap by less only touch
SolidOf = Callable[[UrdfShape], SolidVolume]


class Words(Record):
    """Which shapes of which links are used, and densities [kg/m^3] by glob, of which the last match wins."""

    source: str
    globs: Texts
    densities: Tuple[Tuple[str, float], ...]

    @property
    def kind(self) -> str:
        """The kind of shapes that are used."""
        return OF_COLLISIONS if self.source == OF_COLLISIONS else "visual"

    def density(self, link: str) -> Optional[float]:
        """Return the density of a link, or None if its mass stays."""
        return next(
            (density for glob, density in reversed(self.densities) if fnmatchcase(link, glob)), None
        )


def _require_links(draft: Draft, asked: Words) -> None:
    """Refuse globs that no link matches."""
    for glob in (*asked.globs, *(glob for glob, _ in asked.densities)):
        if not any(fnmatchcase(link, glob) for link in draft.robot.links):
            raise draft.refused(f"'{glob}': {named_nothing(draft, glob, 'link')}")


def inertia_from(draft: Draft, words: Sequence[str]) -> ActResult:
    """Compute center and tensor of links from their shapes: `visual 'arm_*' density='hand_*=2700'`.

    With a density the mass is computed too. Without a density a link keeps its mass, and a massless link is not
    changed.

    Raises:
        UsageError: a word cannot be used, or a mesh has no volume.
    """
    asked = _words_of(draft, words)
    _require_links(draft, asked)
    solid_of_shape = _reader(draft, asked)
    problems: List[UsageError] = []
    # By the name of a link that is written, its density [kg/m^3], None if its mass is kept.
    densities: Dict[str, Optional[float]] = {}
    for link in draft.robot.links.values():
        if not any(fnmatchcase(link.name, glob) for glob in asked.globs):
            continue
        density = asked.density(link.name)
        if density is None and not link.mass:  # its weight is unknown
            continue
        shapes = [
            shape for shape in link.shapes if shape.kind == asked.kind and shape.drawn is not None
        ]
        if not shapes:
            draft.warn(link.source, INERTIA_FROM, "no-shape", asked.kind)
            continue
        try:
            _write(draft, link, shapes, [solid_of_shape(shape) for shape in shapes], density)
        except UsageError as problem:
            problems.append(problem)
        densities[link.name] = density
    if problems:
        # All links are tried before the refusal, so that a user with five open meshes does not need five runs.
        first, *other_problems = problems
        more = ""
        if other_problems:
            more = f" ({count_of(len(other_problems), 'other link')} cannot be computed either)"
        raise draft.refused(first.message + more, first.line)
    if not densities:
        raise draft.refused(
            f"none of these links has a {asked.kind} to compute from, and a mass to keep (or density=...)"
        )
    of_hulls = asked.source == "hull"

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that tensors equal the tensors of the shapes, by an independent integration."""
        written = {link.name: link.mass for link in after.links}

        def expected(link: RawLink) -> RawLink:
            """Return the expected link: for a computed link, with the mass and tensor of its shapes."""
            if link.name not in densities:
                return link
            density = densities[link.name]
            return with_masses_of_shapes(
                link, asked.kind, density, written[link.name], of_hulls=of_hulls
            )

        return ((before._replace(links=tuple(map(expected, before.links))), after, law),)

    did = f"masses of {count_of(len(densities), 'link')} from {SOURCES[asked.source]}"
    return ActResult(EditLaw(), did, laws=laws)


def _words_of(draft: Draft, words: Sequence[str]) -> Words:
    """Return the source, the globs and the densities [kg/m3] of the words."""
    names = [word for word in words if not word.startswith(DENSITY)]
    if not names or names[0] not in SOURCES:
        raise draft.refused(
            f"'{' '.join(names)}': give {', '.join(SOURCES)}, then links if not all are meant"
        )
    densities: List[Tuple[str, float]] = []
    for word in words:
        if word.startswith(DENSITY):
            glob, _, text = word[len(DENSITY) :].rpartition("=")
            (density,) = numbers_in(text, 1) or (0.0,)
            if not glob or density <= 0.0:
                raise draft.refused(
                    f"'{word}': give links and kg/m3, such as density='hand_*=2700'"
                )
            densities.append((glob, density))
    return Words(names[0], tuple(names[1:]) or ("*",), tuple(densities))


def _reader(draft: Draft, asked: Words) -> SolidOf:
    """Return the function that computes the solid of a shape, in its own frame; each mesh is read once."""
    resolver = resolver_for(
        draft.robot.document.root, os.path.dirname(os.path.abspath(draft.path)), draft.packages
    )
    # Alternatives for the message of a refusal.
    alternatives = [] if asked.source == OF_COLLISIONS else [OF_COLLISIONS]

    def of_hull(name: str, factors: Reals) -> SolidVolume:
        """Return the solid of the convex hull of a mesh file."""
        path = resolve(name, resolver).path
        hull = convex_hull(read_indexed(path)[0]) if path else None
        points, triangles = hull or ((), ())
        return solid_of(points, triangles, factors)

    @lru_cache(maxsize=None)
    def of_mesh(name: str, factors: Reals) -> SolidVolume:
        """Return the solid of a mesh file, or of its hull if hulls are the source."""
        file = resolve(name, resolver)
        path = file.path
        if path is None:
            help = file.hint or "--package NAME=PATH says where a package is"
            raise BrokenMesh(f"is not found ({help})")
        if asked.source == "hull":
            return of_hull(name, factors)
        return solid_of(*read_indexed(path), factors)

    def cures_of(shape: UrdfShape) -> List[str]:
        """Return the alternative sources for a shape; the hull only if it has a volume."""
        try:
            solid_of_shape(shape, of_hull)
        except NoVolume:
            return alternatives
        return [*alternatives, "hull counts its hull"]

    def of_shape(shape: UrdfShape) -> SolidVolume:
        """Return the solid of a shape; the error for a shape without volume names the alternatives."""
        try:
            return solid_of_shape(shape, of_mesh)
        except NoVolume as problem:
            why = f"a shape {problem}"
            if shape.mesh:
                cures = ", or".join(f" --inertia-from {words}" for words in cures_of(shape))
                why = f"'{shape.mesh}' {problem}, so it has no volume{cures and ':'}{cures}"
        except BrokenMesh as problem:
            why = f"'{shape.mesh}' {problem.message}"
        raise draft.refused(why, shape.source.line)

    return of_shape


def _share_space(box: Sequence[Tuple[float, float]], other: Sequence[Tuple[float, float]]) -> bool:
    """Return True if two boxes overlap, each given by low and high [m] along x, y, z."""
    return all(
        min(high, top) - max(low, bottom) > APART for (low, high), (bottom, top) in zip(box, other)
    )


def _write(
    draft: Draft,
    link: UrdfLink,
    shapes: Sequence[UrdfShape],
    solids: Sequence[SolidVolume],
    density: Optional[float],
) -> None:
    """Write the mass properties of a link; warn of turned or overlapping shapes."""
    boxes = []
    for shape, solid in zip(shapes, solids):
        if solid.is_turned:
            draft.warn(shape.source, INERTIA_FROM, "turned", shape.mesh)
        for box in solid.boxes:
            # The eight corners: `zip` pairs the low and high end of each axis.
            corners = [move(shape.pose, (x, y, z)) for x, y, z in product(*zip(*box))]
            boxes.append([(min(column), max(column)) for column in zip(*corners)])
    # Mass counts twice where parts overlap. Disjoint boxes prove that no parts overlap.
    if any(_share_space(*pair) for pair in combinations(boxes, 2)):
        draft.warn(link.source, PARTS_OVERLAP, "boxes")
    unit = uniform(shapes, solids)
    mass = link.mass if density is None else density * unit.mass
    x, y, z = (scale(mass / unit.mass, row) for row in unit.inertia)
    if why_not_physical(mass, (x, y, z)):
        raise draft.refused(
            f"the shapes of link '{link.name}' have the tensor of no body: parts of them are the wrong "
            "way round",
            link.source.line,
        )
    write_inertial(
        draft.copy(link.source), MassProperties(mass, unit.center, (x, y, z)), link.inertial, NOISE
    )
