"""The values that simulators read for a whole link: contact, gravity, color; which of several values counts, and for
what.

Sources: sdformat src/parser_urdf.cc for `<gazebo>`; bullet3 examples/Importers/ImportURDFDemo/UrdfParser.cpp for
`<contact>`. `contact_values.py` has the values of a collision in SDF.
"""

from __future__ import annotations

from itertools import chain
from typing import Any, Collection, Dict, Iterable, List, Mapping, Sequence, Tuple

from ..base.type_aliases import Pair
from ..base.number_text import numbers_in
from ..base.record_type import Record
from ..base.graph_walks import depth_first
from ..urdf.lossless_xml import Element
from .contact_values import CONTACT_VALUES, ContactValue

CONTACT = "contact"  # read for collisions
BODY = "body"  # read for the mass
COLOR = "color"  # read for visuals
DEFAULTS = {  # the value where none is written ("": it varies)
    **{row.key: row.default for row in CONTACT_VALUES},
    # sdformat sdf/1.9/surface.sdf, link.sdf and visual.sdf; names as in URDF, lower case, without "_"
    **{row.tag.lower(): row.default for row in CONTACT_VALUES if row.tag},
    "mu": "1",
    "softcfm": "0",
    "softerp": "0.2",
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
READ_FOR = {  # the purpose of a value, if it is not contact
    "turngravityoff": BODY,
    "gravity": BODY,
    "dampingfactor": BODY,
    "velocitydecay": BODY,
    "enablewind": BODY,
    "kinematic": BODY,
    "material": COLOR,
    "visual": COLOR,
}
# Tags that sdformat knows in a <gazebo>, and writes in the place of earlier values. For any other tag the first counts.
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
# sdformat writes these itself, before it copies all other tags of a block.
WRITTEN_BY_SDFORMAT = (*OVERWRITTEN, "dampingFactor")
# Siblings of `<surface>` in SDF's `<collision>`; if there are several elements, an earlier value may count. The tag of a
# `<gazebo>` that sets the same value has the name without "_".
BESIDE_SURFACE = ("max_contacts", "laser_retro")
# In <collision> and <visual> a later one takes the place of the first.
REPLACED = ("surface", "material")
# The names in SDF of values for all links that fixed joints hold together: sdformat makes one link of them.
OF_WHOLE_BODY = {
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
SDF_TRUE = ("true", "1")  # in elements of SDF itself, src/Param.cc
# Marks of a fixed joint that stays in a simulator which lumps the links on others: tags in its <gazebo>, attributes.
HELD_FIXED = ("preserveFixedJoint", "disableFixedJointLumping")  # sdformat src/parser_urdf.cc
KEEP_FLAGS = (*HELD_FIXED, "provideFeedback")  # the same; feedback needs a separate joint
# Isaac Gym, collapse_fixed_joints; Isaac Sim, UrdfJoint::dontCollapse.
KEEP_ATTRIBUTES = ("dont_collapse",)
# In the <gazebo> of a link or joint: tags without pose and sign, or with another rule.
SURFACE = (*WRITTEN_BY_SDFORMAT, "self_collide", "gravity")
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
    """The link that sdformat lumps a link into, and the order of its values among the values of that link."""

    body: str
    order: int


def value_of(element: Element) -> str:
    """Return the value of a simulator tag: its `value`, or its text."""
    return (element.get("value") or element.text()).strip()


def key_of(tag: Element) -> str:
    """Return the name under which a value of a link is compared; "" for a tag without a value."""
    in_contact = tag.parent is not None and tag.parent.name == "contact"
    return tag.name if in_contact or tag.name.replace("_", "").lower() in DEFAULTS else ""


def default_of(key: str) -> Pair:
    """Return the purpose of a value, and its default."""
    known = key if key in DEFAULTS else key.replace("_", "").lower()
    return READ_FOR.get(known, CONTACT), DEFAULTS.get(known, "")


def values_of_links(root: Element) -> Dict[str, Dict[str, List[Element]]]:
    """Return, by link and key, all tags of its `<gazebo>` blocks and `<contact>` elements, in file order."""
    settings: Dict[str, Dict[str, List[Element]]] = {}
    blocks = [(top.get("reference") or "", top) for top in root.elements("gazebo")]
    for element in root.elements("link"):
        name = element.get("name") or ""
        blocks += [(name, contact) for contact in element.elements("contact")]
    for link, block in blocks:
        for tag in block.elements():
            key = key_of(tag)
            if key:
                settings.setdefault(link, {}).setdefault(key, []).append(tag)
    return settings


def values_by_tag(settings: Mapping[str, Sequence[Element]]) -> Dict[str, Sequence[Element]]:
    """Return the tags of a link by key, in which a value in SDF's `<collision>` is under the key of the tag that sets it.

    A value that no tag sets is under its path in SDF.
    """
    by_key: Dict[str, Sequence[Element]] = dict(settings)
    by_key.update(_tags_of_shapes(settings))
    return {key: tags for key, tags in by_key.items() if tags}


def _tags_of_shapes(settings: Mapping[str, Sequence[Element]]) -> Dict[str, List[Element]]:
    """Return, by key, the tags and the elements of SDF's `<collision>` that set each contact value of a link.

    In each block sdformat reads `<collision>` before the tags, and a `<surface>` takes the place of all that was set in
    an earlier one. A key whose values were all replaced has no tags.
    """
    collisions = settings.get("collision", ())
    are_split = _are_surfaces_known(collisions)
    rows = [row for row in CONTACT_VALUES if are_split or not _is_in_surface(row)]
    chosen: Dict[str, List[Element]] = {}
    tags = [*collisions, *chain.from_iterable(settings.get(row.tag, ()) for row in rows)]
    for tag in sorted(tags, key=_place_in_sdf) if collisions else ():
        if tag.name != "collision":
            chosen.setdefault(key_of(tag), []).append(tag)
            continue
        for part in tag.elements():
            if part.name == "surface" and are_split:
                values = _values_in(part)
                chosen.update(
                    {row.key: values.get(row.path, []) for row in rows if _is_in_surface(row)}
                )
            elif _is_beside_surface(part):
                row = next(row for row in rows if row.path == part.name)
                chosen.setdefault(row.key, []).append(part)
    return chosen


def _is_in_surface(row: ContactValue) -> bool:
    """Return True for a value that SDF has in `<surface>`, False for one beside it."""
    return row.path.startswith("surface/")


def _are_surfaces_known(collisions: Iterable[Element]) -> bool:
    """Return True if each `<surface>` in these elements holds known values only, each once, and without attributes."""
    parts = chain.from_iterable(collision.elements() for collision in collisions)
    surfaces = [part for part in parts if part.name == "surface"]
    known = {row.path for row in CONTACT_VALUES}
    return all(
        not any(element.attributes for element in surface.walk())
        and known.issuperset(_values_in(surface))
        and all(len(values) == 1 for values in _values_in(surface).values())
        for surface in surfaces
    )


def _values_in(surface: Element) -> Dict[str, List[Element]]:
    """Return the elements without content in a `<surface>`, by the path of their tags."""
    values: Dict[str, List[Element]] = {}
    for path, element in depth_first([(surface.name, surface)], _with_paths):
        is_container = any(row.path.startswith(f"{path}/") for row in CONTACT_VALUES)
        if not element.elements() and not is_container:
            values.setdefault(path, []).append(element)
    return values


def _with_paths(row: Tuple[str, Element]) -> List[Tuple[str, Element]]:
    """Return the elements in an element, with the paths of their tags."""
    path, element = row
    return [(f"{path}/{part.name}", part) for part in element.elements()]


def _is_beside_surface(part: Element) -> bool:
    """Return True for an element of SDF's `<collision>` that sets the value of a tag."""
    return part.name in BESIDE_SURFACE and not part.attributes and not part.elements()


def _place_in_sdf(tag: Element) -> Tuple[int, bool, int]:
    """Return a key to sort tags as they count: by block, and in a block the tags after the content of `<collision>`."""
    block = 0 if tag.parent is None else tag.parent.offset
    return (block, tag.name != "collision", tag.offset)


def counting(tags: Sequence[Element]) -> Element:
    """Return the tag that counts among several tags for the same value.

    sdformat uses the last of a tag that it knows in a block; it replaces the first value so far, but is appended after
    all others. As a result the first counts.
    """
    last = {(id(tag.parent), tag.name): tag for tag in tags if tag.name in WRITTEN_BY_SDFORMAT}
    kept: List[Element] = []
    for tag in tags:
        if last.get((id(tag.parent), tag.name), tag) is tag:
            kept = [*kept[tag.name in OVERWRITTEN :], tag]
    return kept[0]


def meaning(key: str, tags: Sequence[Element], instead: Mapping[int, Element] = {}) -> Meaning:
    """Return the value of a key: numbers, words, or all in a block; without a tag the default.

    What `values_by_tag` takes out of a `<collision>` is not a part of the value of this block. `instead` has, by the
    offset of an element in a block, the element that is read in its place.
    """
    are_split = _are_surfaces_known(tags) if key == "collision" else False
    if key not in ("collision", "visual"):
        text = value_of(counting(tags)) if tags else default_of(key)[1]
        return _read(text, _size_of(key))
    parts: Dict[str, Element] = {}
    for part in chain.from_iterable(tag.elements() for tag in tags):
        is_taken_out = _is_beside_surface(part) or are_split and part.name == "surface"
        if key == "collision" and is_taken_out:
            continue
        if part.name in REPLACED or part.name not in parts:
            parts[part.name] = part
    return tuple(content(parts[name], instead) for name in sorted(parts))


def content(top: Element, instead: Mapping[int, Element] = {}) -> Meaning:
    """Return the values and attributes of an element and of its content; `instead` is as in `meaning`."""
    return tuple(
        (
            element.name,
            *_read(value_of(element), _size_of(element.name)),
            *sorted(item for item in element.attributes.items() if item[0] != "value"),
        )
        for element in (instead.get(part.offset, part) for part in top.walk())
    )


def _size_of(name: str) -> int:
    """Return the count of numbers of a tag or a path: `fdir1`, the direction of friction, is the only vector."""
    return 3 if name.rpartition("/")[2] == "fdir1" else 1


def _read(text: str, count: int) -> Meaning:
    """Return the numbers of a text, with truth values as 1 and 0; a text with a different count stays a text."""
    word = text.lower()
    if word in TRUE:
        return numbers_in("1", count) or (text,)
    if word in FALSE:
        return numbers_in("0", count) or (text,)
    return numbers_in(text, count) or (text,)


def lumped_links(
    root: Element, locked: Collection[str] = (), gone: Collection[str] = ()
) -> Dict[str, LumpedLink]:
    """Return, by link, the link that sdformat lumps it into: across fixed joints, not of the world, and not held fixed.

    Joints above links that are `locked` count as fixed, and links that are `gone` have no joints.

    The values of a link come before the values of the links that are lumped into it, which are ordered by the names of
    their joints.
    """
    lumping = _lumping_joints(root, locked, gone)
    # By link: its body, and its way, a number for the joints that lead from the body to the link.
    lumped: Dict[str, Tuple[str, int]] = {}
    # By the way to the parent, and the joint of the child.
    ways: Dict[Tuple[int, str], int] = {}
    for link in root.elements("link"):
        upward = []
        body = link.get("name") or ""
        while body in lumping and body not in lumped:
            upward.append(body)
            body = lumping[body][0]
        body, way = lumped.setdefault(body, (body, 0))
        # Each link once, from the top: a chain of thousands of fixed joints is walked once, not once a link.
        for name in reversed(upward):
            way = ways.setdefault((way, lumping[name][1]), len(ways) + 1)
            lumped[name] = (body, way)
    order = _preorder(ways)
    names = (link.get("name") or "" for link in root.elements("link"))
    return {name: LumpedLink(lumped[name][0], order[lumped[name][1]]) for name in names}


def _lumping_joints(
    root: Element, locked: Collection[str], gone: Collection[str]
) -> Dict[str, Pair]:
    """Return, by child link, the parent and the name of each joint across which sdformat lumps.

    Joints above links in `locked` count as fixed; joints at links in `gone` do not count.
    """
    kept_joints = {
        block.get("reference") for block in root.elements("gazebo") if _holds_fixed(block)
    }
    lumping: Dict[str, Pair] = {}
    for joint in root.elements("joint"):
        parent = _link_in(joint, "parent")
        child = _link_in(joint, "child")
        is_fixed = joint.get("type") == "fixed" or child in locked
        # A joint to the world fixes the model and lumps nothing.
        joins_links = parent != "world" and parent not in gone and child not in gone
        if is_fixed and joins_links and joint.get("name") not in kept_joints:
            lumping[child] = (parent, joint.get("name") or "")
    return lumping


def _holds_fixed(block: Element) -> bool:
    """Return True if a `<gazebo>` block keeps its fixed joint."""
    return any(tag.name in HELD_FIXED and value_of(tag).lower() in TRUE for tag in block.elements())


def _link_in(joint: Element, end: str) -> str:
    """Return the link that an end of a joint names, "" without one."""
    named = joint.find(end)
    return "" if named is None else named.get("link") or ""


def _preorder(ways: Mapping[Tuple[int, str], int]) -> Dict[int, int]:
    """Return the place of each way in sdformat's order: a way before its continuations, these by their joints' names."""
    longer: Dict[int, List[Tuple[str, int]]] = {}
    for (begun, joint), way in ways.items():
        longer.setdefault(begun, []).append((joint, way))
    preorder = depth_first([0], lambda way: [after for _, after in sorted(longer.get(way, ()))])
    return {way: place for place, way in enumerate(preorder)}


def values_of_bodies(root: Element, links: Dict[str, LumpedLink]) -> Dict[Pair, List[Element]]:
    """Return, by lumped link and name in SDF, the tags that set a value of the whole body, in sdformat's order."""
    settings = values_of_links(root)
    values: Dict[Pair, List[Element]] = {}
    for name in sorted(links, key=lambda name: links[name].order):
        tags: List[Element] = []
        for key, tags_of_key in settings.get(name, {}).items():
            if key in OF_WHOLE_BODY:
                tags += tags_of_key
        for tag in _as_sdformat_writes(tags):
            values.setdefault((links[name].body, OF_WHOLE_BODY[tag.name]), []).append(tag)
    return values


def _as_sdformat_writes(tags: Sequence[Element]) -> List[Element]:
    """Return the tags of a link block by block, in a block first those that sdformat writes itself."""
    by_offset = sorted(tags, key=lambda tag: tag.offset)
    # The place of each block is the place of its last tag: blocks follow each other, so that orders them, too.
    place_of_block = {id(tag.parent): place for place, tag in enumerate(by_offset)}

    def order(tag: Element) -> Tuple[int, bool, int]:
        """Return the place of a tag: its block, then whether sdformat copies it, then its place in the file."""
        is_copied = tag.name not in WRITTEN_BY_SDFORMAT
        return place_of_block[id(tag.parent)], is_copied, tag.offset

    return sorted(tags, key=order)


def body_meaning(what: str, tags: Iterable[Element]) -> Meaning:
    """Return the value for a whole body, without tags the default; Gazebo reads no value for a body without mass."""
    settings = list(tags)
    if not settings:
        return meaning(what, [])
    tag = counting(settings)
    if tag.name == "turnGravityOff":
        # 1 means gravity: every word except a no disables it.
        return (float(value_of(tag).lower() in FALSE),)
    if tag.elements():
        return content(tag)
    return meaning(tag.name, [tag])


def frame_of_pose(owner: Element, top: Element) -> str:
    """Return the frame name of the `<pose>` of an element in a `<gazebo>`, "" for any frame other than a link's.

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
