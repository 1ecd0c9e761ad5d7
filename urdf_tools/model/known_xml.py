"""The URDF elements and attributes that have a field in the model; all other XML is kept as text."""
from typing import Any, Dict, List, Optional, Set, Tuple

from ..urdf.lossless_xml import Element
from ..urdf.model import INERTIA_KEYS, OF_JOINT, ORIGIN_KEYS, SIZES
from .xml_tree import Node, node_of, parse, raw, render, source_of

# For each element: the known attributes (under ""), and the known child elements.
Known = Dict[str, Any]


def _only(*attributes: str) -> Known:
    return {"": attributes}


ORIGIN = _only(*ORIGIN_KEYS)
MATERIAL: Known = {"": ("name",), "color": _only("rgba"), "texture": _only("filename")}
GEOMETRY: Known = {**{kind: _only(*(key for key, _ in sizes)) for kind, sizes in SIZES.items()},
                   "mesh": _only("filename", "scale")}
VISUAL: Known = {"": ("name",), "origin": ORIGIN, "geometry": GEOMETRY, "material": MATERIAL}
COLLISION: Known = {"": ("name",), "origin": ORIGIN, "geometry": GEOMETRY}
INERTIAL: Known = {"origin": ORIGIN, "mass": _only("value"), "inertia": _only(*INERTIA_KEYS)}
LINK: Known = {"": ("name",), "inertial": INERTIAL}
JOINT: Known = {
    "": ("name", "type"), **{name: _only(*attributes) for name, attributes in OF_JOINT.items()},
    "limit": _only("lower", "upper", "effort", "velocity")}
ROBOT: Known = {"": ("name",)}


def unknown_in(element: Element, known: Known, skip: Tuple[str, ...] = ()) -> Tuple[str, ...]:
    """Return the unknown XML in an element as texts; unknown attributes in an empty element of the same name.

    Args:
        skip: names of children that are left out.
    """
    attributes = _unknown_attributes(element, known)
    texts = [render(Node(element.name, attributes, [])).strip()] if attributes else []
    seen = set()
    for child in element.elements():
        if child.name in skip:
            continue
        if child.name in known and child.name not in seen:
            seen.add(child.name)
            rest = _rest(child, known[child.name])
            texts += [render(rest).strip()] if rest is not None else []
        else:
            texts.append(source_of(child).strip())
    return tuple(texts)


def _rest(element: Element, known: Known) -> Optional[Node]:
    """Return an element without its known parts; None when nothing remains."""
    attributes, inner = _unknown_attributes(element, known), element.elements()
    if not attributes and not inner:
        return None
    seen: Set[str] = set()
    children = []
    for child in inner:
        inside = _rest(child, known[child.name]) if child.name in known and child.name not in seen else node_of(child)
        seen.add(child.name)
        if inside is not None:
            children.append(inside)
    return Node(element.name, attributes, children) if attributes or children else None


def _unknown_attributes(element: Element, known: Known) -> Dict[str, str]:
    names = known.get("", ())
    if all(map(names.__contains__, element.attributes)):
        return {}
    return {key: value for key, value in element.attributes.items() if key not in names}


def put_back(into: Node, extensions: Tuple[str, ...], known: Known) -> None:
    """Put texts of `unknown_in` back: merged into the child of the same name, else as another child."""
    for text in extensions:
        extra = parse(text)
        if extra.tag == into.tag and not extra.children:
            for key, value in extra.attributes.items():
                into.attributes.setdefault(key, value)
        elif extra.tag in known and _merge(into, extra, known):
            continue
        else:
            into.children.append(raw(text))


def _merge(into: Node, extra: Node, known: Known) -> bool:
    """Merge an element into the child of its name; False when there is none, or an attribute is in both."""
    target = into.find(extra.tag)
    inside: List[Node] = [child for child in extra.children if isinstance(child, Node)]
    if target is None or set(target.attributes) & set(extra.attributes):
        return False
    target.attributes.update(extra.attributes)
    for child in inside:
        if child.tag not in known.get(extra.tag, {}) or not _merge(target, child, known[extra.tag]):
            target.children.append(child)
    return True
