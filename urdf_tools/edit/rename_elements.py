"""The renaming of links and joints in every place that names them; the edits `prefix` and `rename`."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from typing import Callable, Collection, Dict, Iterable, Iterator, Sequence, Tuple

from ..base.diagnostics import Diagnostic
from ..base.errors import glob_meant, ProofFailed
from ..base.number_text import count_of, grouped, NUMBER
from ..compare.verify_edit import EditLaw
from ..base.type_aliases import Names
from ..facts.robot_values import BODY_TAGS, FRAME_TAGS
from ..facts.frame_dependent_values import is_loop
from ..plan.link_merging import WORLD
from ..plan.kept_links import find_references, is_loop_end
from ..robot.raw_robot import RawRobot
from ..srdf.srdf_editor import LISTS, names_of_tag, SRDF_ELEMENTS
from ..urdf.lossless_xml import Element, is_comment
from .edit_diagnostics import NAME_LEFT
from .robot_draft import RobotDraft, EditResult, write
from .edit_value_words import only_word, pattern_of

LOOP_END = "closing_"  # prefix of the frames that onshape-to-robot makes at the cut of a loop
ROBOT = "robot"  # in front of the new name of the robot, if no link or joint is called that
# Separator of sdformat between a link and a link lumped into it, src/parser_urdf.cc.
LUMP = "_fixed_joint_lump__"
# Attributes with an element's own name, type or file.
OF_ELEMENT = ("name", "type", "filename", "file", "uri", "plugin", "interface_name")
# Tags whose `name` refers to a part.
NAMES_A_PART = ("link", "joint", "body", "drake:member", "predecessor", "successor")
SEPARATED = r"(?<![^\s,;:/]){}(?![^\s,;:/])"  # a name in a list of names, or in a scoped name
FRAME_KEYS = ("relative_to", "frame")  # attributes that name the frame of a pose
# Tags whose names must be unique in ROS.
OF_CONTROL = ("transmission", "actuator", "ros2_control", "sensor", "gpio")


def rename(draft: RobotDraft, links: Names, joints: Names) -> None:
    """Rename links and joints in all places; the new names are given by the old ones.

    Raises:
        UsageError: two links or joints would share a name, or a name would be empty.
    """
    robot = draft.robot
    check_meanings(draft, links)
    _check_blocks(draft, links, joints)
    # Several old names may become one, so all new names are counted before any is written.
    for kind, known, given in (("link", robot.links, links), ("joint", robot.named, joints)):
        new = Counter(given.get(name, name) for name in known)
        if "" in new:
            raise draft.refused(f"a {kind} would have no name")
        twice = next((name for name, count in new.items() if count > 1), None)
        if twice is not None:
            raise draft.refused(f"two {kind}s would be called '{twice}'")
    for link in robot.links.values():
        draft.copy(link.source).set("name", links.get(link.name, link.name))
    for joint in robot.joints:
        rename_joint(draft.copy(joint.source), links, joints)
    _rename_references(draft, links, joints)
    _rename_in_comments(draft, {**joints, **links})
    _rename_in_srdf(draft, links, joints)


def rename_joint(joint: Element, links: Names, joints: Names) -> None:
    """Rename a joint, its links, and its mimic leader; the new names are given by the old ones."""
    for part, key, names in (
        (joint, "name", joints),
        (joint.find("parent"), "link", links),
        (joint.find("child"), "link", links),
        (joint.find("mimic"), "joint", joints),
    ):
        name = (part.get(key) or "") if part is not None else ""
        if part is not None and name in names:
            part.set(key, names[name])


def check_meanings(draft: RobotDraft, links: Names) -> None:
    """Refuse new names that change a meaning: of the world, and of frames where a loop closes."""
    for old, new in links.items():
        if (old == WORLD) != (new == WORLD) and draft.robot.root == old:
            raise draft.refused(
                "'world' is the world itself, which holds the robot: it keeps its name, and no other link "
                "gets it"
            )
        if is_loop_end(old) and not (is_loop_end(new) and old[-2:] == new[-2:]):
            raise draft.refused(
                f"'{old}' is where a loop closes, as its name says: the new one must begin with "
                f"{LOOP_END} and end with {old[-2:]}, and '{new}' does not"
            )


def _check_blocks(draft: RobotDraft, links: Names, joints: Names) -> None:
    """Refuse renamings after which a `<gazebo>` block would refer to a different part: links and joints may share names."""
    robot = draft.robot
    new_links = {links.get(name, name) for name in robot.links}
    new_joints = {joints.get(name, name) for name in robot.named}
    for block in robot.document.root.elements("gazebo"):
        name = block.get("reference") or ""
        names = links if name in robot.links else joints
        new = names.get(name, name)
        of_joint = name in robot.named and joints.get(name, name) == new
        gains_link = (name in robot.links) != (new in new_links)
        is_another_joint = of_joint != (new in new_joints) or of_joint != (name in robot.named)
        # Sensors belong to the link alone, other values to the joint as well.
        has_values = any(part.name != "sensor" for part in block.elements())
        if gains_link or is_another_joint and has_values:
            raise draft.refused(
                f"<gazebo reference='{name}'> would apply to another part, as a link and a joint share a name "
                "before or after it: rename both, or neither",
                block.line,
            )


def check_owners(draft: RobotDraft, links: Collection[str], children: Collection[str]) -> None:
    """Refuse a part of the robot in which a `<gazebo>` block would get a different owner, because its name is shared.

    Args:
        draft: sensors belong to the link of a name, or else to the first joint; other values belong to both.
        links: the links of the part.
        children: the child links of its joints.
    """
    robot = draft.robot
    for block in robot.document.root.elements("gazebo"):
        name = block.get("reference") or ""
        sensors = block.elements("sensor")
        of_joints = [joint.child in children for joint in robot.joints if joint.name == name]
        of_all = [name in links, *of_joints] if name in robot.links else of_joints
        has_values = len(sensors) < len(block.elements())
        for owners, is_read in ((of_all, sensors), (of_joints, has_values)):
            if is_read and any(owners) and not owners[0]:
                raise draft.refused(
                    f"<gazebo reference='{name}'> would apply to another part, as several parts share the name: rename "
                    "one of them first",
                    block.line,
                )


def _new_name(draft: RobotDraft, hint: str, name: str, links: Names, joints: Names) -> str:
    """Return the new name of a link or joint; a shared name means the link unless the tag contains "joint"."""
    means_joint = name in draft.robot.named and (
        name not in draft.robot.links or "joint" in hint.lower()
    )
    names = joints if means_joint else links
    return names.get(name, name)


def _rename_references(draft: RobotDraft, links: Names, joints: Names) -> None:
    """Write new names where elements other than links and joints name a link or joint."""
    places = grouped(
        ((reference.element.offset, reference.attribute), reference)
        for reference in find_references(draft.robot)
    )
    for references in places.values():
        element = references[0].element
        attribute = references[0].attribute
        hint = f"{element.name} {attribute}"
        new_names = {
            reference.name: _new_name(draft, hint, reference.name, links, joints)
            for reference in references
        }
        new_names = {old: new for old, new in new_names.items() if new != old}
        if not new_names:
            continue
        # A text that only equals the name of a link stays, with a warning for the user.
        if not all(is_a_name(element, attribute, name) for name in new_names):
            if attribute in OF_ELEMENT and element.name not in OF_CONTROL:
                draft.warn(element, NAME_LEFT, "called", *list(new_names)[:1])
            continue
        before = (element.get(attribute) or "") if attribute else element.text()
        _write(draft, element, attribute, _with_names(before, new_names))
    _rename_contact_collisions(draft, links)


def _rename_contact_collisions(draft: RobotDraft, links: Names) -> None:
    """Write new names of collisions where contact sensors name them."""
    own_names = {shape.name for _, shape in draft.robot.shapes}
    for top in draft.robot.document.root.elements("gazebo"):
        for element in top.walk():
            parent_tag = element.parent.name if element.parent is not None else ""
            if (parent_tag, element.name) == ("contact", "collision"):
                text = element.text().strip()
                new_text = collision_name(text, links, own_names)
                if new_text != text:
                    _write(draft, element, "", new_text)


def _with_names(text: str, new: Names) -> str:
    """Return a list of names, or a scoped name, with the new names."""
    # The longest names first, so that `arm_2` is not read as `arm` and a rest.
    longest_first = sorted(new, key=len, reverse=True)
    any_of_them = SEPARATED.format(f"(?:{'|'.join(map(re.escape, longest_first))})")
    return re.sub(any_of_them, lambda match: new[match.group()], text)


def collision_name(text: str, links: Names, own_names: Collection[str]) -> str:
    """Return the new name of a nameless collision: sdformat derives it from the names of links."""
    # For example `base_fixed_joint_lump__arm_collision_1`.
    target, lump, rest = text.rpartition(LUMP)
    match = re.fullmatch(r"(.+?)(_collision(?:_[0-9]+)?)", rest)
    if match is None or text in own_names:
        return text
    return f"{links.get(target, target)}{lump}{links.get(match[1], match[1])}{match[2]}"


def is_a_name(element: Element, attribute: str, name: str) -> bool:
    """Return True if a place refers to a link or joint; equal words and numbers in other places stay."""
    if attribute == "name":
        return element.name in NAMES_A_PART
    # A link may be called 1, and most texts `1` are numbers.
    if re.fullmatch(NUMBER, name):
        if not attribute:
            return element.name in (*BODY_TAGS, *FRAME_TAGS, "joint")
        return attribute in ("reference", "link", "joint", "body")
    return attribute not in OF_ELEMENT


def _write(draft: RobotDraft, element: Element, attribute: str, text: str) -> None:
    """Write a new name into an element, and record the update."""
    write(draft.copy(element), attribute, text)
    draft.note(element, "renamed", text.strip())


def _rename_in_comments(draft: RobotDraft, names: Names) -> None:
    """Rename links in the titles that onshape-to-robot writes before links; other comments are only counted."""
    count = 0
    root = draft.document.root
    for element in (root, *root.elements("link")):
        children = list(element.children)
        for index, node in enumerate(children):
            text = str(node) if is_comment(node) else ""
            title = re.fullmatch(r"(<!-- *(?:Link|Part) +)(\S+)( *-->)", text)
            if title and title[2] in names:
                children[index] = f"{title[1]}{names[title[2]]}{title[3]}"
            else:
                count += any(word in names for word in re.split(r"[\s,;:'\"()]+", text))
        if children != list(element.children):
            element.children = children
    if count:
        draft.warnings.append(
            Diagnostic(
                kind=NAME_LEFT, line=0, sentence="comments", names=(), numbers=(float(count),)
            )
        )


def _rename_in_srdf(draft: RobotDraft, links: Names, joints: Names) -> None:
    """Write the new names of links and joints into the SRDF, and warn of unknown elements."""
    if draft.srdf is None:
        return
    for top in draft.srdf.root.elements():
        is_known = top.name in (*SRDF_ELEMENTS, *LISTS)
        for element in top.walk():
            if is_known:
                _rename_in_element(draft, element, links, joints)
                continue
            for text in (*element.attributes.values(), element.text().strip()):
                if text in links or text in joints:
                    draft.warn_srdf(element, NAME_LEFT, "called", text)


def _rename_in_element(draft: RobotDraft, element: Element, links: Names, joints: Names) -> None:
    """Write the new names of links and joints into a known element of an SRDF."""
    keys = names_of_tag(element)
    for attributes, names in ((keys.links, links), (keys.joints, joints)):
        for attribute in attributes:
            name = element.get(attribute) or ""
            if name in names:
                element.set(attribute, names[name])
                draft.note_srdf(element, "renamed", names[name])


def prefix(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Prefix the names of all links and joints, and the other names that must be unique in ROS."""
    return put_in_front(draft, only_word(draft, words, "the prefix, such as left_"))


def put_in_front(draft: RobotDraft, prefix: str) -> EditResult:
    """Prefix the names of a robot."""
    links = {}
    for name in draft.robot.links:
        # The name of a loop's end frame keeps its first word, which marks it as one.
        word = LOOP_END if is_loop_end(name) else ""
        if name != WORLD:
            links[name] = word + prefix + name[len(word) :]
    joints = {name: prefix + name for name in draft.robot.named}
    rename(draft, links, joints)
    others = _rename_others(draft, lambda name: prefix + name)
    return EditResult(EditLaw(links, joints, others), f"prefix {prefix}")


def names_of_others(root: Element) -> Iterator[str]:
    """Yield the names of what `prefix` renames beside links and joints."""
    for element in controls(root):
        yield element.get("name") or ""
    for top in root.elements():
        if (top.name == "frame" or is_loop(top)) and top.get("name"):
            yield top.get("name") or ""


def _rename_others(draft: RobotDraft, renamed: Callable[[str], str]) -> Dict[str, str]:
    """Rename what else has a name that must be unique in ROS, frames and loops; return all their new names."""
    others = {}
    for element in controls(draft.document.root):
        name = element.get("name") or ""
        others[name] = renamed(name)
        _set_name(element, "name", others[name])
    others.update(_rename_frames_and_loops(draft, renamed))
    return others


def _rename_frames_and_loops(draft: RobotDraft, renamed: Callable[[str], str]) -> Dict[str, str]:
    """Rename frames and loops, and all references to frames; return the new names."""
    root = draft.document.root
    names_of_parts = (draft.robot.links, draft.robot.named)
    frames = {top.get("name") or "" for top in root.elements("frame")}
    # A name shared with a link or joint means the link or joint, which `rename` has updated.
    frames = {
        name for name in frames if name and not any(name in names for names in names_of_parts)
    }
    new_names: Dict[str, str] = {}
    for top in root.elements():
        if top.name in ("link", "joint"):
            continue
        for element in top.walk():
            for key, name in element.attributes.items():
                # For example `<drake:bushing_frameA name="...">`, and `<pose relative_to="...">`.
                is_reference = is_loop(top) and element is not top or key in FRAME_KEYS
                if is_reference and name in frames:
                    _set_name(element, key, renamed(name))
        own_name = top.get("name") if top.name == "frame" or is_loop(top) else ""
        if own_name:
            new_names[own_name] = renamed(own_name)
            _set_name(top, "name", new_names[own_name])
    return new_names


def _set_name(element: Element, key: str, name: str) -> None:
    """Write a name into an attribute if it is another one."""
    if element.get(key) != name:
        element.set(key, name)


def controls(root: Element) -> Iterator[Element]:
    """Yield the elements, besides links and joints, whose names must be unique for ROS."""
    for top in root.elements():
        if top.name in ("transmission", "ros2_control", "gazebo", "sensor"):
            for element in top.walk():
                if element.name in OF_CONTROL and element.get("name"):
                    yield element


def rename_act(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Rename all things of `GLOB=NEW` or `/regex/=NEW` that `prefix` renames; `link:` or `joint:` selects a kind."""
    if len(words) != 1 or "=" not in words[0]:
        raise draft.refused(
            "give an old and a new name, such as 'left_*=l_*' or '/arm([0-9])/=limb\\1'"
        )
    old, _, new = words[0].rpartition("=")
    if old == ROBOT and old not in draft.robot.links and old not in draft.robot.named:
        return _rename_robot(draft, new)
    # A name may contain a colon, so only `link:` and `joint:` are removed.
    kind, colon, pattern = old.partition(":")
    kinds = (kind,) if colon and kind in ("link", "joint") else ("link", "joint")
    old = pattern if len(kinds) == 1 else old
    renamed = _renaming(draft, old, new)

    def changed(old_names: Iterable[str]) -> Dict[str, str]:
        """Return the new names of things by the old ones, where they differ."""
        return {name: renamed(name) for name in old_names if renamed(name) != name}

    links = changed(draft.robot.links) if "link" in kinds else {}
    joints = changed(draft.robot.named) if "joint" in kinds else {}
    other_names = [*names_of_others(draft.robot.document.root)] if len(kinds) > 1 else []
    others = changed(other_names)
    count = len(links) + len(joints) + len(others)
    if not count:
        hint = glob_meant(old, [*draft.robot.links, *draft.robot.named, *other_names])
        raise draft.refused(f"'{words[0]}' changes no name{hint}")
    if "" in others.values():
        raise draft.refused("a sensor, frame, loop, transmission or actuator would have no name")
    rename(draft, links, joints)
    all_others = _rename_others(draft, lambda name: others.get(name, name))
    return EditResult(EditLaw(links, joints, all_others), f"{count_of(count, 'name')} changed")


def _rename_robot(draft: RobotDraft, new: str) -> EditResult:
    """Give the robot another name, in its SRDF, too.

    Raises:
        UsageError: the name is blank, or the robot has it.
    """
    old = draft.robot.name
    if not new.strip() or new == old:
        raise draft.refused(f"'{ROBOT}={new}': give another name than '{old}'")
    draft.document.root.set("name", new)
    if draft.srdf is not None and draft.srdf.root.get("name") == old:
        draft.srdf.root.set("name", new)
        draft.note_srdf(draft.srdf.root, "renamed", new)

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that nothing else differs; no law compares the name of the robot."""
        if after.name != new:
            raise ProofFailed(f"rename: the robot is called '{after.name}'", after.file)
        return ((before, after, law),)

    return EditResult(EditLaw(), f"robot {old} -> {new}", laws=laws)


def law_of_renaming(draft: RobotDraft, links: Names, joints: Names) -> EditLaw:
    """Return the law of a renaming: links and joints get new names, elements of ROS such as sensors keep theirs."""
    kept_names = [element.get("name") or "" for element in controls(draft.robot.document.root)]
    return EditLaw(links, joints, {name: name for name in kept_names})


def _renaming(draft: RobotDraft, old: str, new: str) -> Callable[[str], str]:
    """Return the function from an old name to a new one."""
    pattern = pattern_of(draft, old, new)
    if pattern:
        return partial(pattern.sub, new)
    if old.count("*") != new.count("*") or old.count("*") > 1 or re.search(r"[?\[]", old):
        raise draft.refused(f"'{old}={new}': give one * on each side, or none; or /regex/=NEW")
    parts = re.compile(re.escape(old).replace(r"\*", "(.*)"), re.S)

    def renamed(name: str) -> str:
        """Return the new name; a name that does not match stays."""
        match = parts.fullmatch(name)
        if match is None:
            return name
        return new.replace("*", match[1]) if match.groups() else new

    return renamed
