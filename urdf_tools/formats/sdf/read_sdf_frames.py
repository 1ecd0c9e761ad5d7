"""The frames of an SDF model: the link of each, and its pose with all joints at zero.

A model inside a model is put into it: elements in `b` are called `b::...`, and `b` itself is a frame.
http://sdformat.org/tutorials?tut=composition_proposal: names are scoped by `::`, `__model__` is the model around, and
a pose without a frame is relative to its own model.
"""

from __future__ import annotations

from typing import Dict, Iterator, List, Mapping, Optional, Tuple

from ...facts.simulator_values import SDF_TRUE
from ...robot.raw_robot import Values
from ...urdf.spatial_math import (
    compose,
    IDENTITY_POSE,
    inverse,
    Matrix,
    multiply,
    Transform,
    Poses,
    Vector,
)
from ...robot.principal_axes import vector_of
from ..reader_helpers import leaf, name_of, pose_of_sdf, WORLD
from ..xml_reader import XmlElement

MODEL = "__model__"
NAMED = ("link", "joint", "frame")
REFERENCES = ("relative_to", "attached_to", "expressed_in")
RELATIVE = (1, 7)  # the first version with `relative_to` and `attached_to`


def number_at(top: Optional[XmlElement], path: str) -> Optional[float]:
    """Return the number in the element at a path below an element, None without it; elements on the way are read."""
    element = leaf(top, path, take=True)
    return element.numbers(element.text, 1)[0] if element is not None else None


def numbers_at(element: Optional[XmlElement], words: Mapping[str, str]) -> Values:
    """Return the numbers in an element by our words; `words` are these by path below the element."""
    values: Values = {}
    if element is None:
        return values
    for path, word in words.items():
        value = number_at(element, path)
        if value is not None:
            values[word] = (value,)
    return values


def flags_at(top: Optional[XmlElement], words: Mapping[str, str]) -> Values:
    """Return the truths in an element by our words, 1 for true; `words` are these by path below the element."""
    values: Values = {}
    for path, word in words.items():
        flag = leaf(top, path, take=True)
        if flag is not None:
            values[word] = (float(flag.text.lower() in SDF_TRUE),)
    return values


def vector_at(top: XmlElement, path: str) -> Optional[Vector]:
    """Return the three numbers in the element at a path below an element, None without it."""
    element = leaf(top, path, take=True)
    return vector_of(element.numbers(element.text, 3)) if element is not None else None


def is_true(top: XmlElement, tag: str) -> bool:
    """Return True if the element with a tag is true, False without it."""
    element = top.first(tag)
    return element is not None and element.text.lower() in SDF_TRUE


def pose_of(pose: XmlElement) -> Transform:
    """Return the pose of a `<pose>` in its frame.

    Raises:
        BrokenRobot: it is none.
    """
    T = pose_of_sdf(pose)
    if T is None:
        # Refuses text that is no number; the only other reason is a quaternion of length 0.
        count = 7 if pose.get("rotation_format") == "quat_xyzw" else 6
        pose.numbers(pose.text, count)
        pose.refuse("a quaternion of zeros is not a rotation")
    return T


RESERVED = "'world' is a reserved name, that of the world itself in SDF: give the link another name"


class ModelFrames:
    """Every link, joint and frame of a model by name, and T_model_frame of each."""

    def __init__(self, model: XmlElement, version: Tuple[int, int]) -> None:
        """Find the links, joints and frames of a model; a name that two of them have is refused."""
        self.model = model
        self.version = version
        self._elements: Dict[str, XmlElement] = {}
        for element in model.children:
            if element.tag not in NAMED:
                continue
            name = name_of(element)
            # Before 1.7 a joint may be called as a link: the name then means the first of both.
            first = self._elements.setdefault(name, element)
            if first is not element and (version >= RELATIVE or first.tag == element.tag):
                element.refuse(
                    f"'{name}' is defined twice: links, joints and frames of SDF share their names"
                )
        self._T_model: Poses = {MODEL: IDENTITY_POSE, WORLD: IDENTITY_POSE}
        self._raw: Poses = {}  # by frame, T_base_frame
        self._sound = {MODEL, WORLD}  # frames whose poses lead to one of these

    def refuse_reserved_names(self) -> None:
        """Refuse a link that has the name of the world.

        Raises:
            BrokenRobot: there is one.
        """
        element = self._elements.get(WORLD)
        if element is not None and element.tag == "link":
            element.refuse(RESERVED)

    def is_link(self, name: str) -> bool:
        """Return True for the name of a link of the model."""
        return name in self._elements and self._elements[name].tag == "link"

    def link_of(self, name: str) -> str:
        """Return the link that a frame is attached to, or the world; for the model its canonical link."""
        holder = self.holder_of(name)
        return self._canonical() if holder == MODEL else holder

    def holder_of(self, name: str) -> str:
        """Return the end of the chain of frames that a frame is attached to: a link, the world, or the model."""
        seen: List[str] = []
        while name not in (WORLD, MODEL) and name not in seen:
            seen.append(name)
            element = self._element(name)
            if element.tag == "link":
                return name
            if element.tag == "joint":
                name = self._text(element, "child")
            else:
                name = element.attributes.get("attached_to") or MODEL
        if name in seen:
            self.model.refuse(
                f"the frames {', '.join(map(repr, seen))} are attached to each other in a circle"
            )
        return name

    def _canonical(self) -> str:
        """Return the link that the frame of the model is attached to: `canonical_link`, else the first."""
        links = [name for name, element in self._elements.items() if element.tag == "link"]
        canonical = self.model.attributes.get("canonical_link") or ""
        if canonical in links:
            return canonical
        return links[0] if links else MODEL

    def end_of(self, joint: XmlElement, tag: str) -> str:
        """Return the link that is the parent or child of a joint, or `world`."""
        end = joint.first(tag)
        if end is None or not end.text:
            joint.refuse(f"joint '{joint.get('name')}' lacks its {tag}")
        return self.link_of(end.text)

    def base_of(self, name: str) -> str:
        """Return the name of the frame that the pose of a frame is relative to."""
        element = self._element(name)
        pose = leaf(element, "pose")
        base = self._base_named(pose) if pose is not None else None
        if base:
            return base
        if element.tag == "joint":
            return self._text(element, "child")
        if element.tag == "frame":
            return element.attributes.get("attached_to") or MODEL
        return MODEL

    def _base_named(self, pose: XmlElement) -> Optional[str]:
        """Return the frame that a `<pose>` names as its base: by `relative_to`, and by `frame` before 1.7."""
        named = pose.get("relative_to")
        if not named and self.version < RELATIVE:
            named = pose.get("frame")
        return named

    def check(self, name: str) -> None:
        """Refuse a frame whose pose leads to no frame of the model.

        Raises:
            BrokenRobot: its poses go in a circle, or name a frame that does not exist, or one is no pose.
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

    def raw_pose(self, name: str) -> Transform:
        """Return the raw pose of a frame, relative to its base."""
        if name not in self._raw:
            pose = leaf(self._element(name), "pose")
            self._raw[name] = pose_of(pose) if pose is not None else IDENTITY_POSE
        return self._raw[name]

    def place(self, name: str, T_base_frame: Transform) -> None:
        """Give the pose of a frame in its base as numbers, in place of the text of its `<pose>`."""
        self._raw[name] = T_base_frame

    def T_model(self, name: str) -> Transform:
        """Return T_model_frame with all joints at zero."""
        self.check(name)
        chain: List[str] = []
        while name not in self._T_model:
            chain.append(name)
            name = self.base_of(name)
        T = self._T_model[name]
        # From the frame that is known down to the frame that is wanted.
        for frame in reversed(chain):
            pose = self.raw_pose(frame)
            T = self._T_model[frame] = compose(T, pose) if T is not IDENTITY_POSE else pose
        return T

    def between(self, a: str, b: str) -> Transform:
        """Return T_a_b with all joints at zero: the very numbers of the file if one frame is relative to the other."""
        if a == b:
            return IDENTITY_POSE
        T_a_b = self._relative(a, b)
        if T_a_b is not None:
            return T_a_b
        # The same digits, inverted, before a detour through the frame of the model.
        T_b_a = self._relative(b, a)
        if T_b_a is not None:
            return inverse(T_b_a)
        return compose(inverse(self.T_model(a)), self.T_model(b))

    def _relative(self, a: str, b: str) -> Optional[Transform]:
        """Return T_a_b if b is relative to a, or to a frame that is (as a link to its joint); else None."""
        T: Optional[Transform] = None
        for _ in range(2):  # two steps
            if b in (WORLD, MODEL):
                break
            T = self.raw_pose(b) if T is None else compose(self.raw_pose(b), T)
            b = self.base_of(b)
            if b == a:
                return T
        return None

    def pose_in(self, element: XmlElement, link: str) -> Transform:
        """Return the pose of an element in the frame of a link, whatever frame its `<pose>` is in."""
        pose = element.first("pose")
        if pose is None:
            return IDENTITY_POSE
        frame = self._base_named(pose)
        if not frame or frame == link:
            return pose_of(pose)
        return compose(self.between(link, frame), pose_of(pose))

    def axis_frame(self, axis: XmlElement, joint: XmlElement, child: str) -> Matrix:
        """Return R_child_axis: the rotation of the frame of the axis of a joint in the frame of its child link."""
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

    def _joint_frame(self, joint: XmlElement, child: str) -> Matrix:
        """Return R_child_joint: the rotation of the frame of a joint in its child link."""
        if self._elements.get(name_of(joint)) is joint:
            return self.between(child, name_of(joint)).rotation
        pose = leaf(joint, "pose")
        if pose is None:
            return self.between(child, self._text(joint, "child")).rotation
        # A joint that shares its name is not found by it, so its own <pose> is read here.
        base = pose.get("relative_to") or self._text(joint, "child")
        return multiply(self.between(child, base).rotation, pose_of(pose).rotation)

    def _element(self, name: str) -> XmlElement:
        """Return the link, joint or frame with a name.

        Raises:
            BrokenRobot: the model has none.
        """
        element = self._elements.get(name)
        if element is None:
            self.model.refuse(
                f"'{name}' is named, and no link, joint or frame of the model is called so"
            )
        return element

    def _text(self, element: XmlElement, tag: str) -> str:
        """Return the text of a child without marking it as read, "" without it."""
        return next((child.text for child in element.children if child.tag == tag), "")


def flatten(model: XmlElement) -> None:
    """Put the elements of the models inside a model into it, in the order of the file.

    Raises:
        BrokenRobot: one has no name or no link, has its pose given by a frame in it, or includes a file.
    """
    inside = [child for child in model.children if child.tag == "model"]
    if not inside:
        return
    children: List[XmlElement] = []
    for child in model.children:
        if child.tag == "model":
            children += _scoped(child)
        else:
            children.append(child)
    model.children = children


def _scoped(model: XmlElement) -> Iterator[XmlElement]:
    """Yield a frame for a model, and the elements in it by their names in the model around."""
    flatten(model)
    name = name_of(model)
    links = [child.attributes.get("name", "") for child in model.children if child.tag == "link"]
    first = model.get("canonical_link") or (links[0] if links else "")
    if any(child.tag == "include" for child in model.children):
        model.refuse(
            f"model '{name}' holds a <include>, which is another file: flatten it first (`gz sdf -p`)"
        )
    if not first:
        model.refuse(f"model '{name}' inside a model has no link")
    if model.get("placement_frame"):
        model.refuse(
            f"model '{name}' inside a model is placed by one of its frames: flatten it first (`gz sdf -p`)"
        )

    frame = XmlElement(
        "frame", {"name": name, "attached_to": f"{name}::{first}"}, model.file, model.line
    )
    frame.children = [child for child in model.children if child.tag == "pose"]
    if not frame.children:
        frame.children = [XmlElement("pose", {}, model.file, model.line)]
    # The pose of a model is the pose of its frame in the model around it, whatever link holds the frame.
    frame.children[0].attributes.setdefault("relative_to", MODEL)
    yield frame
    # Elements that cannot move to the model around stay unread.
    rest = XmlElement("model", {"name": name}, model.file, model.line)
    rest.children = [child for child in model.children if child.tag not in (*NAMED, "pose")]
    if rest.children:
        yield rest
    for child in model.children:
        if child.tag in NAMED:
            _rename(child, name)
            yield child


def _rename(top: XmlElement, scope: str) -> None:
    """Give an element of a model, and its references, the names that the model around has for them."""
    top.attributes["name"] = f"{scope}::{top.attributes.get('name', '')}"
    pose = leaf(top, "pose")
    if top.tag == "frame":
        # By default a frame or link is in its own model, which now has a name.
        top.attributes.setdefault("attached_to", MODEL)
    elif top.tag == "link" and pose is None:
        top.children.append(XmlElement("pose", {"relative_to": MODEL}, top.file, top.line))
    elif top.tag == "link" and pose is not None and not pose.attributes.get("relative_to"):
        pose.attributes["relative_to"] = MODEL
    for element in top.walk():
        for key in REFERENCES:
            if element.attributes.get(key):
                element.attributes[key] = _outside(element.attributes[key], scope)
    if top.tag != "joint":
        return
    for child in top.children:
        if child.tag in ("parent", "child") and child.text != WORLD:
            child.text = _outside(child.text, scope)
        for mimic in child.children:
            if mimic.tag == "mimic" and mimic.attributes.get("joint"):
                mimic.attributes["joint"] = _outside(mimic.attributes["joint"], scope)


def _outside(name: str, scope: str) -> str:
    """Return the name of an element of a model in the model around it."""
    return scope if name == MODEL else f"{scope}::{name}"
