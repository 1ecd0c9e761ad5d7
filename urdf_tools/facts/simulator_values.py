"""What simulators read for a link as a whole: contact, gravity, color; which of several values counts, and for what.

Sources: sdformat src/parser_urdf.cc for `<gazebo>`; bullet3 examples/Importers/ImportURDFDemo/UrdfParser.cpp for
`<contact>`.
"""

from __future__ import annotations

from typing import Any, Collection, Dict, Iterable, List, Mapping, Sequence, Tuple

from ..base.types import Pair
from ..base.number_text import numbers_in
from ..base.record import Record
from ..base.walk import depth_first
from ..urdf.lossless_xml import Element

CONTACT = "contact"  # read for collisions
BODY = "body"  # read for the mass
COLOR = "color"  # read for visuals
DEFAULTS = {  # the value where none is written ("": it varies)
    # sdformat sdf/1.9/surface.sdf, collision.sdf, link.sdf and visual.sdf; names as in URDF, lower case, without "_"
    "mu": "1",
    "mu1": "1",
    "mu2": "1",
    "fdir1": "0 0 0",
    "kp": "1e12",
    "kd": "1",
    "mindepth": "0",
    "maxvel": "0.01",
    "maxcontacts": "10",
    "softcfm": "0",
    "softerp": "0.2",
    "laserretro": "0",
    "selfcollide": "false",
    "collision": "",
    "turngravityoff": "false",
    "gravity": "true",
    "dampingfactor": "0",
    "velocitydecay": "",
    "enablewind": "false",
    "kinematic": "false",
    "material": "",
    "visual": "",
    # bullet3 examples/Importers/ImportURDFDemo/URDFJointTypes.h, the constructor of URDFLinkContactInfo
    "lateral_friction": "0.5",
    "rolling_friction": "0",
    "spinning_friction": "0",
    "restitution": "0",
    "inertia_scaling": "1",
    "contact_cfm": "0",
    "contact_erp": "0",
}
READ_FOR = {  # what a value is for, where that is not contact
    "turngravityoff": BODY,
    "gravity": BODY,
    "dampingfactor": BODY,
    "velocitydecay": BODY,
    "enablewind": BODY,
    "kinematic": BODY,
    "material": COLOR,
    "visual": COLOR,
}
# Tags that sdformat knows in a <gazebo>, and writes in the place of earlier values. Of others the first counts.
OVERWRITTEN = (
    "mu1",
    "mu2",
    "fdir1",
    "kp",
    "kd",
    "minDepth",
    "maxVel",
    "maxContacts",
    "laserRetro",
    "material",
    "selfCollide",
    "turnGravityOff",
)
KNOWN = (*OVERWRITTEN, "dampingFactor")  # it writes these before it copies all else of a block
REPLACED = (
    "surface",
    "material",
)  # in <collision> and <visual>: a later one takes the place of the first
OF_WHOLE_BODY = {  # what they set in SDF, for all that fixed joints hold together: sdformat makes one link of it
    "turnGravityOff": "gravity",
    "gravity": "gravity",
    "selfCollide": "self_collide",
    "self_collide": "self_collide",
    "dampingFactor": "velocity_decay",
    "velocity_decay": "velocity_decay",
    "enable_wind": "enable_wind",
    "kinematic": "kinematic",
}
POSED_IN_LINK = ("sensor", "light", "projector")
WITHOUT_POSE = ("contact", "force_torque")  # sensor types that measure in the link or joint itself
POSED_IN_MODEL = ("frame", "link", "model", "include")  # in a <gazebo> without reference
# Truth values in `<gazebo>`: src/parser_urdf.cc.
TRUE = ("true", "yes", "1")
FALSE = ("false", "no", "0")
SDF_TRUE = ("true", "1")  # in what is SDF itself, src/Param.cc
# What keeps a fixed joint in a simulator that lumps the links on others: a tag in its <gazebo>, or an attribute of it.
HELD_FIXED = ("preserveFixedJoint", "disableFixedJointLumping")  # sdformat src/parser_urdf.cc
KEEP_FLAGS = (*HELD_FIXED, "provideFeedback")  # the same; feedback needs a separate joint
KEEP_ATTRIBUTES = (
    "dont_collapse",
)  # Isaac Gym, collapse_fixed_joints; Isaac Sim, UrdfJoint::dontCollapse
# In the <gazebo> of a link or joint: tags without pose and sign, or with another rule.
SURFACE = (*KNOWN, "self_collide", "gravity")
OF_JOINT_IN_GAZEBO = (
    *KEEP_FLAGS,
    "springReference",
    "springStiffness",
    "stopCfm",
    "stopErp",
    "stopKp",
    "stopKd",
    "fudgeFactor",
    "cfmDamping",
    "implicitSpringDamper",
)  # without a sign, or a value that follows
WITHOUT_FRAME = (
    "visual",
    "collision",
    "plugin",
    "kinematic",
    "enable_wind",
    "velocity_decay",
    "mu",
)

Meaning = Tuple[Any, ...]


class LumpedLink(Record):
    """The link that sdformat lumps a link into, and the order of its values among those of that link."""

    body: str
    order: int


def value_of(element: Element) -> str:
    """Return the value of a simulator tag: its `value`, or its text."""
    return (element.get("value") or element.text()).strip()


def key_of(tag: Element) -> str:
    """Return the name under which a value of a link is compared; "" for what is none."""
    in_contact = tag.parent is not None and tag.parent.name == "contact"
    return tag.name if in_contact or tag.name.replace("_", "").lower() in DEFAULTS else ""


def default_of(key: str) -> Pair:
    """Return what a value is for, and the value that applies where none is written."""
    known = key if key in DEFAULTS else key.replace("_", "").lower()
    return READ_FOR.get(known, CONTACT), DEFAULTS.get(known, "")


def values_of_links(root: Element) -> Dict[str, Dict[str, List[Element]]]:
    """Return, by link and key, all tags of its `<gazebo>` blocks and `<contact>` elements, in file order."""
    settings: Dict[str, Dict[str, List[Element]]] = {}
    blocks = [(top.get("reference") or "", top) for top in root.elements("gazebo")]
    blocks += [
        (link.get("name") or "", top)
        for link in root.elements("link")
        for top in link.elements("contact")
    ]
    for link, top in blocks:
        for tag in top.elements():
            if key_of(tag):
                settings.setdefault(link, {}).setdefault(key_of(tag), []).append(tag)
    return settings


def counting(tags: Sequence[Element]) -> Element:
    """Return the tag that counts of several that set the same thing.

    Of a tag that sdformat knows the last in a block is used; it replaces the first value so far, but is appended after
    all others. In the end the first counts.
    """
    last = {(id(tag.parent), tag.name): tag for tag in tags if tag.name in KNOWN}
    kept: List[Element] = []
    for tag in tags:
        if last.get((id(tag.parent), tag.name), tag) is tag:
            kept = [*kept[tag.name in OVERWRITTEN :], tag]
    return kept[0]


def meaning(key: str, tags: Sequence[Element]) -> Meaning:
    """Return the value of a key: numbers, words, or all in a block; without a tag the default."""
    if key not in ("collision", "visual"):
        return _read(
            value_of(counting(tags)) if tags else default_of(key)[1], 3 if key == "fdir1" else 1
        )
    parts: Dict[str, Element] = {}
    for part in (part for tag in tags for part in tag.elements()):
        if part.name in REPLACED or part.name not in parts:
            parts[part.name] = part
    return tuple(content(parts[name]) for name in sorted(parts))


def content(top: Element) -> Meaning:
    """Return the values and attributes of an element and of all in it."""
    return tuple(
        (
            element.name,
            *_read(value_of(element), 3 if element.name == "fdir1" else 1),
            *sorted(item for item in element.attributes.items() if item[0] != "value"),
        )
        for element in top.walk()
    )


def _read(text: str, count: int) -> Meaning:
    """Return the numbers of a text, with truth values as 1 and 0; a text that has not so many stays a text."""
    word = text.lower()
    return numbers_in("1" if word in TRUE else "0" if word in FALSE else text, count) or (text,)


def lumped_links(
    root: Element, locked: Collection[str] = (), gone: Collection[str] = ()
) -> Dict[str, LumpedLink]:
    """Return, by link, the link that sdformat lumps it into: across fixed joints, but those of the world or held fixed.

    Joints above links that are `locked` count as fixed, and links that are `gone` have no joints.

    The values of a link come before those of the links that are lumped into it, which are ordered by the names of
    their joints.
    """
    lumping = _lumping_joints(root, locked, gone)
    lumped: Dict[
        str, Tuple[str, int]
    ] = {}  # by link: its body, and its way, a number for the joints that lead from there to it
    ways: Dict[Tuple[int, str], int] = {}  # by the way to the parent, and the joint below
    for link in root.elements("link"):
        chain = []
        body = link.get("name") or ""
        while body in lumping and body not in lumped:
            chain.append(body)
            body = lumping[body][0]
        body, way = lumped.setdefault(body, (body, 0))
        # Each link once, from the top: a chain of thousands of fixed joints is walked once, not once a link.
        for name in reversed(chain):
            way = ways.setdefault((way, lumping[name][1]), len(ways) + 1)
            lumped[name] = (body, way)
    order = _preorder(ways)
    names = (link.get("name") or "" for link in root.elements("link"))
    return {name: LumpedLink(lumped[name][0], order[lumped[name][1]]) for name in names}


def _lumping_joints(
    root: Element, locked: Collection[str], gone: Collection[str]
) -> Dict[str, Pair]:
    """Return, by child link, the parent and the name of each joint across which sdformat lumps."""
    held = {
        top.get("reference")
        for top in root.elements("gazebo")
        for tag in top.elements()
        if tag.name in HELD_FIXED and value_of(tag).lower() in TRUE
    }
    lumping: Dict[str, Pair] = {}
    for joint in root.elements("joint"):
        parent, child = (
            end.get("link") or "" if end is not None else ""
            for end in map(joint.find, ("parent", "child"))
        )
        is_fixed = joint.get("type") == "fixed" or child in locked
        is_joint = parent != "world" and parent not in gone and child not in gone
        if is_fixed and is_joint and joint.get("name") not in held:
            lumping[child] = (parent, joint.get("name") or "")
    return lumping


def _preorder(ways: Mapping[Tuple[int, str], int]) -> Dict[int, int]:
    """Return the place of each way in sdformat's order: a way before all that it begins, these by their joints' names."""
    below: Dict[int, List[Tuple[str, int]]] = {}
    for (above, joint), way in ways.items():
        below.setdefault(above, []).append((joint, way))
    preorder = depth_first([0], lambda way: [after for _, after in sorted(below.get(way, ()))])
    return {way: place for place, way in enumerate(preorder)}


def values_of_bodies(root: Element, links: Dict[str, LumpedLink]) -> Dict[Pair, List[Element]]:
    """Return, by lumped link and what is set in SDF, the tags that set it for the whole body, in sdformat's order."""
    settings = values_of_links(root)
    values: Dict[Pair, List[Element]] = {}
    for name in sorted(links, key=lambda name: links[name].order):
        of_link = [
            tag
            for key, tags in settings.get(name, {}).items()
            if key in OF_WHOLE_BODY
            for tag in tags
        ]
        blocks = {
            id(tag.parent): i for i, tag in enumerate(sorted(of_link, key=lambda tag: tag.offset))
        }
        for tag in sorted(
            of_link, key=lambda tag: (blocks[id(tag.parent)], tag.name not in KNOWN, tag.offset)
        ):
            values.setdefault((links[name].body, OF_WHOLE_BODY[tag.name]), []).append(tag)
    return values


def body_meaning(what: str, tags: Iterable[Element]) -> Meaning:
    """Return the value for a whole body; of one that has no mass, or no collisions, Gazebo reads none."""
    settings = list(tags)
    tag = counting(settings) if settings else None
    if tag is not None and tag.name == "turnGravityOff":
        return (0.0 if value_of(tag).lower() not in FALSE else 1.0,)
    if tag is not None and tag.elements():
        return content(tag)
    return meaning(tag.name if tag is not None else what, [tag] if tag is not None else [])


def frame_of_pose(owner: Element, top: Element) -> str:
    """Return the name of the frame of the `<pose>` of an element in a `<gazebo>`, "" if that is no frame of a link.

    `__model__` is the frame of the root link, as sdformat places a model that is read from URDF.
    (http://sdformat.org/tutorials?tut=pose_frame_semantics)
    """
    if owner.parent is not top:
        return ""
    pose = owner.find("pose")
    reference = top.get("reference")
    child = owner.find("child")
    if owner.get("attached_to") or pose is not None and pose.get("relative_to"):
        return ""
    if owner.name in POSED_IN_LINK and owner.get("type") not in WITHOUT_POSE:
        return reference or ""
    if owner.name == "joint" and child is not None:
        return child.text().strip()
    return "__model__" if owner.name in POSED_IN_MODEL and not reference else ""
