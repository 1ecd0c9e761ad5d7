"""Models inside a model of SDF, put into it: what is in `b` is called `b::...`, and `b` itself is a frame.

http://sdformat.org/tutorials?tut=composition_proposal: names are scoped by `::`, `__model__` is the model around, and
a pose without a frame is relative to its own model.
"""
from typing import Iterator, List

from .xml_text import Element

WORLD, MODEL = "world", "__model__"
NAMED = ("link", "joint", "frame")
REFERENCES = ("relative_to", "attached_to", "expressed_in")


def flatten(model: Element) -> None:
    """Put the models inside a model into it, each where it was.

    Raises:
        BrokenRobot: one has no name or no link, has its pose given by a frame in it, or includes a file.
    """
    inside = [child for child in model.children if child.tag == "model"]
    if not inside:
        return
    children: List[Element] = []
    for child in model.children:
        children += _scoped(child) if child.tag == "model" else [child]
    model.children = children


def _scoped(model: Element) -> Iterator[Element]:
    """Yield a frame for a model, and the elements in it by their names in the model around."""
    flatten(model)
    name = model.get("name") or model.refuse("<model> has no name")
    links = [child.attributes.get("name", "") for child in model.children if child.tag == "link"]
    first = model.get("canonical_link") or (links[0] if links else "")
    if any(child.tag == "include" for child in model.children):
        model.refuse(f"model '{name}' holds a <include>, which is another file: flatten it first (`gz sdf -p`)")
    if not first or model.get("placement_frame"):
        model.refuse(f"model '{name}' inside a model " + (
            "is placed by one of its frames: flatten it first (`gz sdf -p`)" if first else "has no link"))
    frame = Element("frame", {"name": name, "attached_to": f"{name}::{first}"}, model.file, model.line)
    frame.children = [child for child in model.children if child.tag == "pose"] or [
        Element("pose", {}, model.file, model.line)]
    frame.children[0].attributes.setdefault("relative_to", MODEL)
    yield frame
    rest = Element("model", {"name": name}, model.file, model.line)  # what cannot move to the model around: not read
    rest.children = [child for child in model.children if child.tag not in (*NAMED, "pose")]
    if rest.children:
        yield rest
    for child in model.children:
        if child.tag in NAMED:
            _rename(child, name)
            yield child


def _rename(top: Element, scope: str) -> None:
    """Give an element of a model, and what it names, the names that the model around has for them."""
    top.attributes["name"] = f"{scope}::{top.attributes.get('name', '')}"
    pose = next((child for child in top.children if child.tag == "pose"), None)
    if top.tag == "frame":
        top.attributes.setdefault("attached_to", MODEL)
    elif top.tag == "link" and pose is None:
        top.children.append(Element("pose", {"relative_to": MODEL}, top.file, top.line))
    elif top.tag == "link" and pose is not None and not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = MODEL
    for element in top.walk():
        for key in REFERENCES:
            if element.attributes.get(key):
                element.attributes[key] = _outside(element.attributes[key], scope)
    for child in top.children if top.tag == "joint" else ():
        if child.tag in ("parent", "child") and child.text != WORLD:
            child.text = _outside(child.text, scope)
        for mimic in child.children:
            if mimic.tag == "mimic" and mimic.attributes.get("joint"):
                mimic.attributes["joint"] = _outside(mimic.attributes["joint"], scope)


def _outside(name: str, scope: str) -> str:
    return scope if name == MODEL else f"{scope}::{name}"
