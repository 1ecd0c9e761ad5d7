"""The frames of an SDF model: which link each is attached to, and where it is with all joints at zero.

A model inside a model is put into it: what is in `b` is called `b::...`, and `b` itself is a frame.
http://sdformat.org/tutorials?tut=composition_proposal: names are scoped by `::`, `__model__` is the model around, and
a pose without a frame is relative to its own model.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Optional, Tuple

from ...facts.simulator_values import SDF_TRUE
from ...urdf.spatial import (
    compose,
    IDENTITY_POSE,
    inverse,
    Matrix,
    multiply,
    Pose,
    Poses,
    Vector,
)
from ...robot.principal_axes import vector_of
from ..reading import leaf, name_of, pose_of_sdf, WORLD
from ..xml_text import Element

MODEL = "__model__"
RELATIVE = (1, 7)  # the first version with `relative_to` and `attached_to`


def number_at(top: Optional[Element], path: str) -> Optional[float]:
    """Return the number in the element at a path below another, None without it; what is on the way is read."""
    element = leaf(top, path, take=True)
    return element.numbers(element.text, 1)[0] if element is not None else None


def vector_at(top: Element, path: str) -> Optional[Vector]:
    """Return the three numbers in the element at a path below another, None without it."""
    element = leaf(top, path, take=True)
    return vector_of(element.numbers(element.text, 3)) if element is not None else None


def is_true(top: Element, tag: str) -> bool:
    """Return True if an element says yes."""
    element = top.first(tag)
    return element is not None and element.text.lower() in SDF_TRUE


def pose_of(pose: Element) -> Pose:
    """Return the pose of a `<pose>` in its frame.

    Raises:
        BrokenRobot: it is none.
    """
    T = pose_of_sdf(pose)
    if T is None:
        # Refuses what is no number; what is left is a quaternion of length 0.
        pose.numbers(pose.text, 7 if pose.get("rotation_format") == "quat_xyzw" else 6)
        pose.refuse("a quaternion of zeros is no rotation")
    return T


RESERVED = "'world' is a reserved name, that of the world itself in SDF: give the link another name"


class Frames:
    """Every link, joint and frame of a model by name, and T_model_frame of each."""

    def __init__(self, model: Element, version: Tuple[int, int]) -> None:
        self.model, self.version = model, version
        self._elements: Dict[str, Element] = {}
        for element in model.children:
            if element.tag in ("link", "joint", "frame"):
                name = name_of(element)
                # Before 1.7 a joint may be called as a link: the name then means the one that comes
                # first.
                if name in self._elements and (
                    version >= RELATIVE or self._elements[name].tag == element.tag
                ):
                    element.refuse(
                        f"'{name}' is there twice: links, joints and frames of SDF share their names"
                    )
                self._elements.setdefault(name, element)
        self._T_model: Poses = {MODEL: IDENTITY_POSE, WORLD: IDENTITY_POSE}
        self._raw: Poses = {}  # by frame, T_base_frame
        self._sound = {MODEL, WORLD}  # frames whose poses lead to one of these

    def refuse_reserved_names(self) -> None:
        """Refuse a link that is called as the world is.

        Raises:
            BrokenRobot: there is one.
        """
        element = self._elements.get(WORLD)
        if element is not None and element.tag == "link":
            element.refuse(RESERVED)

    def link_of(self, name: str) -> str:
        """Return the link that a frame is attached to, or the world; for the model its canonical link."""
        holder = self.holder_of(name)
        return self._canonical() if holder == MODEL else holder

    def holder_of(self, name: str) -> str:
        """Return what a frame is attached to, through other frames: a link, the world, or the model."""
        seen: List[str] = []
        while name not in (WORLD, MODEL) and name not in seen:
            seen.append(name)
            element = self._element(name)
            if element.tag == "link":
                return name
            name = (
                self._text(element, "child")
                if element.tag == "joint"
                else element.attributes.get("attached_to") or MODEL
            )
        if name in seen:
            self.model.refuse(
                f"the frames {', '.join(map(repr, seen))} are attached to each other in a circle"
            )
        return name

    def _canonical(self) -> str:
        """Return the link that the model's frame is attached to: `canonical_link`, else the first."""
        links = [name for name, element in self._elements.items() if element.tag == "link"]
        canonical = self.model.attributes.get("canonical_link") or ""
        return canonical if canonical in links else links[0] if links else MODEL

    def end_of(self, joint: Element, tag: str) -> str:
        """Return the link that is the parent or child of a joint, or `world`."""
        end = joint.first(tag)
        if end is None or not end.text:
            joint.refuse(f"joint '{joint.get('name')}' lacks its {tag}")
        return self.link_of(end.text)

    def base_of(self, name: str) -> str:
        """Return the name of the frame that the pose of a frame is relative to."""
        element = self._element(name)
        pose = leaf(element, "pose")
        named = (
            pose.get("relative_to") or (pose.get("frame") if self.version < RELATIVE else None)
            if (pose is not None)
            else None
        )
        if named:
            return named
        if element.tag == "joint":
            return self._text(element, "child")
        return element.attributes.get("attached_to") or MODEL if element.tag == "frame" else MODEL

    def check(self, name: str) -> None:
        """Refuse a frame whose pose leads nowhere.

        Raises:
            BrokenRobot: in a circle, or to a name that is not there; or a pose is none.
        """
        chain: List[str] = []
        while name not in self._sound:
            if name in chain:
                self.model.refuse(
                    f"the poses of {', '.join(map(repr, chain))} are relative to each other in a circle"
                )
            chain.append(name)
            self.raw_pose(name)
            name = self.base_of(name)
        self._sound.update(chain)

    def raw_pose(self, name: str) -> Pose:
        """Return the raw pose of a frame, relative to its base."""
        if name not in self._raw:
            pose = leaf(self._element(name), "pose")
            self._raw[name] = pose_of(pose) if pose is not None else IDENTITY_POSE
        return self._raw[name]

    def T_model(self, name: str) -> Pose:
        """Return T_model_frame with all joints at zero."""
        self.check(name)
        chain: List[str] = []
        while name not in self._T_model:
            chain.append(name)
            name = self.base_of(name)
        T = self._T_model[name]
        # From the frame that is known down to the one that was asked for.
        for frame in reversed(chain):
            pose = self.raw_pose(frame)
            T = self._T_model[frame] = compose(T, pose) if T is not IDENTITY_POSE else pose
        return T

    def between(self, a: str, b: str) -> Pose:
        """Return T_a_b with all joints at zero; the very numbers of the file where one is relative to the other."""
        if a == b:
            return IDENTITY_POSE
        T = self._relative(a, b)
        if T is not None:
            return T
        # The same digits, inverted, before a detour through the frame of the model.
        T = self._relative(b, a)
        return compose(inverse(self.T_model(a)), self.T_model(b)) if T is None else inverse(T)

    def _relative(self, a: str, b: str) -> Optional[Pose]:
        """Return T_a_b where b is relative to a, or to a frame that is (as a link to its joint); else None."""
        T: Optional[Pose] = None
        for _ in range(2):
            if b in (WORLD, MODEL):
                break
            T = self.raw_pose(b) if T is None else compose(self.raw_pose(b), T)
            b = self.base_of(b)
            if b == a:
                return T
        return None

    def pose_in(self, element: Element, link: str) -> Pose:
        """Return the pose of an element in the frame of a link, from its `<pose>` in the frame that this names."""
        pose = element.first("pose")
        if pose is None:
            return IDENTITY_POSE
        frame = pose.get("relative_to") or (pose.get("frame") if self.version < RELATIVE else None)
        return (
            pose_of(pose)
            if not frame or frame == link
            else compose(self.between(link, frame), pose_of(pose))
        )

    def axis_frame(self, axis: Element, joint: Element, child: str) -> Matrix:
        """Return R_child_axis, of the frame in which the axis of a joint is expressed, for that of its child link."""
        xyz = axis.first("xyz")
        expressed_in = xyz.get("expressed_in") if xyz is not None else None
        in_model = is_true(axis, "use_parent_model_frame")
        # Axes were in the frame of the model up to 1.4, and by a flag up to 1.6.
        if self.version < (1, 5) or in_model and self.version < RELATIVE:
            expressed_in = MODEL
        frame = expressed_in or name_of(joint)
        if frame == child or frame != name_of(joint):
            return self.between(child, frame).rotation
        return self._joint_frame(joint, child)

    def _joint_frame(self, joint: Element, child: str) -> Matrix:
        if self._elements.get(name_of(joint)) is joint:
            return self.between(child, name_of(joint)).rotation
        pose = leaf(joint, "pose")
        if pose is None:
            return self.between(child, self._text(joint, "child")).rotation
        # A joint that shares its name is not found by it, so its own <pose> is read here.
        base = pose.get("relative_to") or self._text(joint, "child")
        return multiply(self.between(child, base).rotation, pose_of(pose).rotation)

    def _element(self, name: str) -> Element:
        element = self._elements.get(name)
        if element is None:
            self.model.refuse(
                f"'{name}' is named, and no link, joint or frame of the model is called so"
            )
        return element

    def _text(self, element: Element, tag: str) -> str:
        return next((child.text for child in element.children if child.tag == tag), "")


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
    name = name_of(model)
    links = [child.attributes.get("name", "") for child in model.children if child.tag == "link"]
    first = model.get("canonical_link") or (links[0] if links else "")
    if any(child.tag == "include" for child in model.children):
        model.refuse(
            f"model '{name}' holds a <include>, which is another file: flatten it first (`gz sdf -p`)"
        )
    if not first or model.get("placement_frame"):
        model.refuse(
            f"model '{name}' inside a model "
            + (
                "is placed by one of its frames: flatten it first (`gz sdf -p`)"
                if first
                else "has no link"
            )
        )

    frame = Element(
        "frame", {"name": name, "attached_to": f"{name}::{first}"}, model.file, model.line
    )
    frame.children = [child for child in model.children if child.tag == "pose"] or [
        Element("pose", {}, model.file, model.line)
    ]
    # The pose of a model is that of its frame in the model around it, whatever link holds the
    # frame.
    frame.children[0].attributes.setdefault("relative_to", MODEL)
    yield frame
    # What cannot move to the model around: not read.
    rest = Element("model", {"name": name}, model.file, model.line)
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
    pose = leaf(top, "pose")
    if top.tag == "frame":
        # Without a word, a frame or link is in its own model: now that has a name.
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
