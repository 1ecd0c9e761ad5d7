"""Rules for the text: rounded angles, misspelled names, paths that exist on a single machine only.

And for elements that this tool reads, but urdfdom (ROS, RViz, MoveIt, Pinocchio) refuses or drops. Facts of urdfdom 6
(urdf_parser/src/model.cpp, link.cpp, joint.cpp), and of tinyxml2, which reads the XML for it.
"""

from __future__ import annotations

import os
import re
from itertools import chain, count
from typing import Dict, Iterator, List, Optional, Sequence, Set, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import Diagnostic
from ..base.exact_trigonometry import PI
from ..base.paths import path_from
from ..base.number_text import format_number, format_numbers, grouped, numbers_in, without_noise
from ..formats.urdf.urdf_vocabulary import ATTRIBUTES, ELEMENTS
from ..urdf.lossless_xml import Document, Element, Node
from ..urdf.mesh_paths import ABSOLUTE, keeps_visuals
from ..urdf.urdf_records import AttributeEdit, INERTIA_KEYS
from ..urdf.spatial_math import matrix_from_quaternion, rpy_from_matrix
from .lint_diagnostics import (
    ELEMENT_TWICE,
    ABSOLUTE_PATH,
    IN_URDFDOM,
    MISSPELLED,
    NUMBER_NOISE,
    QUATERNION,
    ROUNDED_ANGLE,
    UNBOUND_PREFIX,
    UNDEFINED_MATERIAL,
    UNNAMED_MATERIAL,
)
from .finding_records import LintFinding, Findings, found, LintedRobot

# The elements of which another may have one. MuJoCo's reader has the same list (`src/xml/xml_urdf.cc`), and refuses a
# second one; the others take the first. Of a <visual> it reads only the material, unless discardvisual="false" is written.
ONCE = {
    "link": ("inertial",),
    "joint": ("origin", "parent", "child", "axis", "limit", "dynamics", "mimic"),
    "inertial": ("origin", "mass", "inertia"),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry"),
    "geometry": ("box", "sphere", "cylinder", "capsule", "mesh"),
    "material": ("color",),
}
NOISE = 1e-14  # [m or rad] the last digit of a double for a length of 100 m
ZEROS = "0" * 14  # contained in each number below NOISE that has no exponent
VERSIONS = ("1.0", "1.1", "1.2")
LEAST_ERROR = 1e-4  # [rad] 0.1 mm at 1 m: 1.5708 is nearer to a right angle, 1.57 and 3.14 are not
FILE = re.compile(r"file:/(?!/[^/])")  # of one machine; file://meshes/a.stl is relative
WORD = re.compile(r"-?[0-9]*\.[0-9]+")


def text_rules(subject: LintedRobot) -> Findings:
    """Yield numbers, names and paths that the author probably did not intend."""
    noise: List[AttributeEdit] = []
    is_version_1_1 = subject.robot.document.root.get("version") in VERSIONS[1:]
    for top in subject.robot.document.root.elements():
        if top.name in ("link", "joint"):
            yield from _misspelled(top)
            for element in top.walk():
                if element.name == "origin":
                    yield from _quaternion(element, top, is_version_1_1)
                    rounded = [*_rounded(element, top)]
                    yield from rounded
                    if not rounded:  # two edits of one attribute would contradict each other
                        noise += _noise(element, "rpy")
                if element.name in ("origin", "axis"):
                    noise += _noise(element, "xyz")
            yield from _twice_inside(top, subject.robot.document.root)
    if noise:
        line = noise[0].element.line
        count_of_all = (float(len(noise)),)
        yield found(NUMBER_NOISE, line, "numbers", (), count_of_all, tuple(noise))
    yield from _unnamed(subject)
    yield from _absolute(subject)
    yield from _unbound(subject.robot.document.root)


def _twice_inside(top: Element, root: Element) -> Findings:
    """Yield the second of two elements of one name in an element of a link or joint that has room for one."""
    unread: Set[int] = set()  # elements of which MuJoCo reads nothing but their materials
    if not keeps_visuals(root):
        for visual in top.elements("visual"):
            unread.update(map(id, (visual, *visual.elements("geometry"))))
    for element in top.walk():
        seen: Set[str] = set()
        for child in element.elements():
            if child.name in seen and child.name in ONCE.get(element.name, ()):
                is_read = id(element) not in unread or child.name == "material"
                sentence = "part" if is_read else "undrawn"
                names = (child.name, element.name, top.get("name") or "")
                yield found(ELEMENT_TWICE, child.line, sentence, names)
            seen.add(child.name)


def exact_angle(word: str) -> float:
    """Return the multiple of a quarter or eighth turn that was rounded to a number [rad]; 0 for other numbers.

    A quarter turn needs at least two decimals (1.57), an eighth three (0.785), as 0.79 may be intended.
    """
    if not WORD.fullmatch(word):
        return 0.0
    value = float(word)
    decimals = len(word.partition(".")[2])
    for part, least in ((PI / 2.0, 2), (PI / 4.0, 3)):
        exact = part * round(value / part)
        is_angle = exact != 0.0 and abs(exact) < 7.0
        is_rounded = f"{exact:.{decimals}f}" == f"{value:.{decimals}f}"
        if is_angle and decimals >= least and is_rounded:
            return exact
    return 0.0


def _quaternion(origin: Element, top: Element, is_version_1_1: bool) -> Findings:
    """Yield a rotation of URDF 1.1, which most programs do not read, with the edits that write its rpy.

    urdfdom reads it from 5 on, and only with the version; Drake, MuJoCo, Newton, PyBullet and sdformat 12 never do.
    """
    text = origin.get("quat_xyzw")
    values = numbers_in(text, 4) if text is not None else None
    if text is None or values is None or not any(values[:3]) or origin.get("rpy") is not None:
        return
    # Rounding errors of a zero are smaller than the last digit of a text of twelve digits.
    rpy = without_noise(rpy_from_matrix(matrix_from_quaternion(values)), NOISE)
    edits = (
        AttributeEdit(origin, "rpy", format_numbers(rpy)),
        AttributeEdit(origin, "quat_xyzw", None),
    )
    names = (top.get("name") or "", text, top.name, _holder_of(origin, top))
    sentence = "origin" if is_version_1_1 else "version"
    yield found(QUATERNION, origin.line, sentence, names, repair=edits)


def _holder_of(origin: Element, top: Element) -> str:
    """Return the name of the element that owns an origin; `origin` for a joint's own."""
    is_inside = origin.parent is not None and origin.parent is not top
    return origin.parent.name if is_inside and origin.parent is not None else "origin"


def _rounded(origin: Element, top: Element) -> Findings:
    """Yield right angles of an origin that are rounded coarsely enough to matter, with the exact angles."""
    words = (origin.get("rpy") or "").split()
    new = list(words)
    worst = 0.0
    for k, word in enumerate(words):
        # With more than three decimals the error is less than LEAST_ERROR.
        exact = exact_angle(word) if "." in word[-4:] else 0.0
        if exact and abs(exact - float(word)) > LEAST_ERROR:
            new[k] = format_number(exact)
            worst = max(worst, abs(exact - float(word)))
    if worst:
        names = (top.get("name") or "", " ".join(words), top.name, _holder_of(origin, top))
        edits = (AttributeEdit(origin, "rpy", " ".join(new)),)
        yield found(ROUNDED_ANGLE, origin.line, "rpy", names, (1000.0 * worst,), edits)


def _noise(element: Element, attribute: str) -> Iterator[AttributeEdit]:
    """Yield the edit of numbers that are zero except for the last digit of a sine or cosine, such as 6.1e-17."""
    text = element.get(attribute) or ""
    if "e-" not in text.lower() and ZEROS not in text:
        return
    words = text.split()
    values = numbers_in(" ".join(words), len(words)) or ()
    new = [*words]
    for index, value in enumerate(values):
        if 0.0 < abs(value) < NOISE:
            new[index] = "0"
    if values and new != words:
        yield AttributeEdit(element, attribute, " ".join(new))


def _misspelled(top: Element) -> Findings:
    """Yield elements and attributes that URDF does not define, and whose names are nearly names that it defines."""
    owner = top.get("name") or ""
    for element in top.walk():
        known = ELEMENTS.get(element.name, ())
        unknown = [child for child in element.elements() if known and child.name not in known]
        for child in unknown:
            meant = nearly(child.name, _missing(known, element))
            if meant:
                names = (owner, child.name, meant, top.name)
                yield found(MISSPELLED, child.line, "element", names)
        if element.name not in ATTRIBUTES or element is top:
            continue
        defined = ATTRIBUTES[element.name]
        free = [key for key in defined if element.get(key) is None]
        for name in element.attributes:
            meant = nearly(name, free) if name not in defined else ""
            if meant:
                names_of_attribute = (owner, element.name, name, meant, top.name)
                yield found(MISSPELLED, element.line, "attribute", names_of_attribute)


def nearly(name: str, known: Sequence[str]) -> str:
    """Return the known name that differs from a name in a letter or two; "" without one, or for a prefix."""
    from difflib import get_close_matches

    close = get_close_matches(name, known, 1, 0.8)
    return close[0] if close and ":" not in name else ""


def _missing(known: Texts, element: Element) -> List[str]:
    """Return the names of children that an element does not have yet, or may have several times."""
    return [name for name in known if name in ("visual", "collision") or element.find(name) is None]


def _unbound(root: Element) -> Findings:
    """Yield each prefix that is undeclared where it is used (XML Namespaces 1.0), once."""
    reported = {"xml", "xmlns"}
    for element in root.walk():
        for name in (element.name, *element.attributes):
            prefix = name.partition(":")[0] if ":" in name else "xml"
            if prefix in reported:
                continue
            declared = [ancestor.get(f"xmlns:{prefix}") for ancestor in element.upward()]
            if all(uri is None for uri in declared):
                reported.add(prefix)
                yield found(UNBOUND_PREFIX, element.line, "prefix", (prefix,))


def _unnamed(subject: LintedRobot) -> Findings:
    """Yield materials of visuals that have no name."""
    for link in subject.robot.links.values():
        for shape in link.visuals:
            material = shape.source.find("material")
            if material is not None and material.get("name") is None:
                yield found(UNNAMED_MATERIAL, material.line, "link", (link.name,))


def _absolute(subject: LintedRobot) -> Findings:
    """Yield names of meshes that lead to a folder of a single machine, with names that all machines find."""
    named = grouped(
        (shape.mesh, shape)
        for _, shape in subject.robot.shapes
        if shape.mesh and (ABSOLUTE.match(shape.mesh) or FILE.match(shape.mesh))
    )
    for name, shapes in named.items():
        new = _found_here(name, os.path.dirname(subject.robot.document.path))
        edits: List[AttributeEdit] = []
        if new:
            drawn = filter(None, (shape.drawn for shape in shapes))
            edits = [AttributeEdit(element, "filename", new) for element in drawn]
        yield found(ABSOLUTE_PATH, shapes[0].source.line, "mesh", (name,), repair=edits)


def _found_here(name: str, folder: str) -> str:
    """Return the file of an absolute path relative to the folder of the URDF; "" if it is missing or ambiguous.

    The search uses the longest end of its path that exists in the folder, or in one of its three parents.
    """
    parts = name.replace("\\", "/").rstrip("/").split("/")
    for first in range(1, len(parts)):
        near = ["/".join([".."] * up + parts[first:]) for up in range(4)]
        there = [path for path in near if os.path.isfile(os.path.join(folder, path))]
        if len({os.path.realpath(os.path.join(folder, path)) for path in there}) == 1:
            # Relative to the folder: `../../ws/meshes/a.stl` would name folders of this machine.
            return path_from(folder, os.path.join(folder, there[0]))
        if there:
            return ""
    return ""


DRAWN = ("link/visual/geometry/", "link/collision/geometry/")
# The required content of an element, by its path; a material of a visual has its own kind.
REQUIRED: Dict[str, Texts] = {
    "joint/limit": ("effort", "velocity"),
    "joint/safety_controller": ("k_velocity",),
    "joint/mimic": ("joint",),
    "link/inertial/inertia": INERTIA_KEYS,
    **{f"{path}mesh": ("filename",) for path in DRAWN},
    "material": ("name",),
}
# Attributes that must be numbers: this tool ignores other texts.
NUMBERS = {
    "joint/limit": ("effort", "velocity"),
    "joint/safety_controller": ("k_position", "k_velocity"),
    "joint/dynamics": ("damping", "friction"),
}

# The last names of these paths, and further names that `_of_element` looks at.
CHECKED = {path.split("/")[-1] for path in (*REQUIRED, *NUMBERS, "capsule", "color")}


def urdfdom_rules(subject: LintedRobot) -> Findings:
    """Yield the elements that this tool reads, but for which urdfdom refuses the file, or which it drops."""
    root = subject.robot.document.root
    yield from _of_file(subject.robot.document)
    yield from _of_materials(root)
    for top in root.elements():
        if top.name not in ("link", "joint", "material"):
            continue
        for element in top.walk():
            if element.name not in CHECKED:
                continue
            # The names from the root's child down to the element.
            path = "/".join([ancestor.name for ancestor in element.upward()][-2::-1])
            yield from _of_element(element, path, top.get("name") or "", root)


def _found(line: int, sentence: str, *names: str) -> LintFinding:
    """Return a finding about urdfdom."""
    return found(IN_URDFDOM, line, sentence, names)


def _of_file(document: Document) -> Findings:
    """Yield versions, encodings and instructions for which urdfdom refuses a whole file."""
    root = document.root
    version = document.root.get("version")
    if version not in (None, *VERSIONS):
        yield _found(root.line, "version", version or "")
    if root.get("name") is None:
        yield _found(root.line, "lacks", "robot", "", "name")
    if document.encoding.lower().startswith("utf-16"):
        yield _found(root.line, "encoding", document.encoding)
    # tinyxml2 accepts `<?...?>` only before all elements and comments.
    before = 0
    while not _is_element_or_comment(document.children[before]):
        before += 1
    parts: List[Tuple[Element, Sequence[Node]]] = [(root, document.children[before:])]
    parts += [(element, element.children) for element in root.walk() if element.children]
    for element, nodes in parts:
        if "<?" in [node[:2] for node in nodes if isinstance(node, str)]:
            yield _found(element.line, "instruction")


def _is_element_or_comment(node: Node) -> bool:
    """Return True for an element or a comment, False for another text."""
    return isinstance(node, Element) or node[:4] == "<!--"


def _of_materials(root: Element) -> Findings:
    """Yield materials of the robot that are defined twice, or are empty; and names that are never defined."""
    used: List[Element] = []
    for link in root.elements("link"):
        used += filter(None, (visual.find("material") for visual in link.elements("visual")))
    seen = {""}
    taken = {material.get("name") or "" for material in root.elements("material")}
    for material in root.elements("material"):
        name = material.get("name") or ""
        parts = (*material.elements("color"), *material.elements("texture"))
        if name in seen - {""}:
            yield _twice(material, name, root, taken)
        elif name and not any(part.attributes for part in parts):
            yield _found(material.line, "empty", name)
        seen.add(name)
    later = {material.get("name"): material for material in used[::-1] if material.elements()}
    # urdfdom and Drake know materials of the robot, and materials of earlier visuals.
    for material in used:
        name = material.get("name") or ""
        if material.elements():
            seen.add(name)
        elif name not in seen:
            yield _unknown(material, later.get(name))


def _twice(material: Element, name: str, root: Element, taken: Set[str]) -> LintFinding:
    """Return the finding of a material that is defined again; an equal definition gets a free name."""
    finding = _found(material.line, "twice", name)
    first = next(other for other in root.elements("material") if other.get("name") == name)
    if _content(material) != _content(first):
        return finding
    numbered = (f"{name}_{number}" for number in count(2))
    free = next(new for new in numbered if new not in taken)
    taken.add(free)
    return finding._replace(repair=(AttributeEdit(material, "name", free),))


def _content(element: Element) -> List[Tuple[str, Dict[str, str]]]:
    """Return the names and attributes of the children of an element."""
    return [(child.name, dict(child.attributes)) for child in element.elements()]


def _unknown(material: Element, later: Optional[Element]) -> LintFinding:
    """Return the finding of a material that is named before its definition, or never defined."""
    names = (material.get("name") or "",)
    if later is None:
        return found(UNDEFINED_MATERIAL, material.line, "name", names)
    diagnostic = Diagnostic(
        kind=UNDEFINED_MATERIAL,
        line=material.line,
        sentence="late",
        names=names,
        numbers=(later.line,),
    )
    rgba = [color.get("rgba") for color in later.elements()]
    edits = [
        AttributeEdit(material, "rgba", text, "color") for text in rgba if text and len(rgba) == 1
    ]
    return LintFinding(diagnostic, tuple(edits))


def _of_element(element: Element, path: str, owner: str, root: Element) -> Findings:
    """Yield the faults of an element that urdfdom refuses; `path` has the tags from its link or joint to the element."""
    # urdfdom refuses a file for a joint, and drops the rest of a link.
    sentence = "lacks" if path.startswith("joint") else "part"
    for key in REQUIRED.get(path, ()):
        if element.get(key) is None:
            place = path.split("/")[1:2]
            yield _found(element.line, sentence, element.name, owner, key, *place)
    # urdfdom refuses a <dynamics> without damping and friction.
    if path == "joint/dynamics" and element.get("damping") is element.get("friction") is None:
        yield _found(element.line, "lacks", "dynamics", owner, "damping or friction")
    for key in NUMBERS.get(path, ()):
        text = element.get(key)
        if text is not None and numbers_in(text, 1) is None:
            yield _found(element.line, "number", element.name, owner, key, text)
    # URDF has capsules since version 1.1.
    is_drawn = element.name == "capsule" and path in [f"{drawn}capsule" for drawn in DRAWN]
    if is_drawn and root.get("version") in (None, VERSIONS[0]):
        yield _found(element.line, "capsule", owner)
    rgba = element.get("rgba") or "" if path.endswith("material/color") else ""
    # An unreadable number is as wrong as -1.
    values = chain.from_iterable(numbers_in(word, 1) or (-1.0,) for word in rgba.split())
    if not all(0.0 <= value <= 1.0 for value in values):
        yield _found(element.line, "color", owner, rgba)
