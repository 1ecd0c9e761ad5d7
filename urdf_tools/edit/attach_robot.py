"""The edit `attach`: attach the robot of a second file to a link, by a fixed joint."""

from __future__ import annotations

import os
from typing import Dict, List, Optional, Sequence

from ..base.file_reading import read_file
from ..compare.verify_edit import EditLaw, subtree
from ..base.type_aliases import Names
from ..robot.change_whole_robot import renamed
from ..inputs.input_as_urdf import as_urdf
from ..meshing.make_meshes import material_content
from ..plan.link_merging import WORLD_LINKS
from ..robot.raw_robot import RawRobot
from ..srdf.srdf_editor import GROUP_KEYS
from ..srdf.srdf_notes import require_that_it_fits
from ..urdf.lossless_xml import Document, Element, Node, parse_document
from ..inputs.moved_file_names import moved_edits
from ..urdf.moved_files import lost_packages
from ..urdf.package_resolver import resolver_for
from ..urdf.expand_xacro import read_expanded
from ..urdf.xml_edits import attach as attach_elements, copy_element, create, detach
from .move_frames import add_fixed_joint
from .edit_diagnostics import PLUGIN_TWICE
from .edit_laws import raw_of, whole
from .rename_elements import put_in_front
from .robot_draft import RobotDraft, EditResult
from .name_clashes import names_twice
from .edit_value_words import pose_of, read_words

KEYS = ("prefix", "xyz", "rpy", "joint", "srdf")
# Settings of the whole model: https://mujoco.readthedocs.io, XML reference.
SETTINGS_OF_MUJOCO = ("compiler", "option", "size", "statistic", "visual")


def attach(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Attach the robot of a file to a link: `hand.urdf tool0 prefix=hand_ xyz='0 0 0.1'`.

    Raises:
        UsageError: names clash, or the file or a word cannot be used.
    """
    file_and_link, values = read_words(draft, words, KEYS)
    if len(file_and_link) != 2:
        raise draft.refused(
            "give a file and the link to attach it to, such as 'hand.urdf tool0 prefix=hand_'"
        )
    path = file_and_link[0]
    link = draft.require_link(file_and_link[1])
    data = as_urdf(read_expanded(path, (), draft.packages), path).data
    hand = RobotDraft(data, path, _srdf_of(values))
    if hand.srdf is not None:
        require_that_it_fits(hand.srdf, hand.robot)
    law = EditLaw()
    if hand.robot.root in WORLD_LINKS:
        child = hand.robot.tree[0].child if hand.robot.tree else ""
        raise draft.refused(
            f"'{hand.robot.root}' of {path} is the world itself: make a file without it first, with edit "
            f"{path} --only {child}"
        )
    # The prefix comes first, so that all later steps see the names of the result.
    if values.get("prefix"):
        law = put_in_front(hand, values["prefix"]).law
        _name_groups(hand, values["prefix"])

    # Parsed anew, so that its records have the new names.
    renamed_hand = RobotDraft(hand.document.to_bytes(), path)
    cure = ": give another prefix"
    if not values.get("prefix"):
        cure = f": give prefix={os.path.splitext(os.path.basename(path))[0]}_"
    draft.require_new(renamed_hand.robot.links, renamed_hand.robot.named, cure)
    joint_name = _name_of_joint(draft, renamed_hand, values.get("joint"))
    T = pose_of(draft, values)
    shared_names = names_twice(renamed_hand.document.root)
    if hand.srdf is not None:
        shared_names |= names_twice(hand.srdf.root)

    colors = _own_colors(draft, renamed_hand, values.get("prefix") or "")
    new_files = _see_files_from(draft, renamed_hand)
    _drop_doubles(draft, renamed_hand, colors)

    add_fixed_joint(draft, joint_name, link, renamed_hand.robot.root, T)
    _append(draft.document.root, renamed_hand.document.root)
    _follow_srdf(draft, hand, link, renamed_hand.robot.root)
    # From the bytes of the file, so that the law covers the edits of the hand too.
    hanging = _seen_from(new_files, raw_of(data, path, draft.packages))
    top = renamed_hand.robot.root
    # The old part must be unchanged, and the new part must be the robot of the file.
    by_joint = f" by joint {joint_name}" if joint_name != f"{top}_joint" else ""
    return EditResult(
        EditLaw(added=frozenset(renamed_hand.robot.links)),
        f"{os.path.basename(path)} attached to {link}{by_joint}",
        laws=lambda before, after, whole_law: (
            (before, after, whole_law),
            (hanging, subtree(after, top), whole(law, hanging)),
        ),
        twice=shared_names,
        cure=cure,
    )


def _name_of_joint(draft: RobotDraft, hand: RobotDraft, wanted: Optional[str]) -> str:
    """Return the name of the joint between robot and hand: the wanted name, or a name that is free in both.

    Raises:
        UsageError: the robot or the hand has the wanted name.
    """
    if wanted is None:
        names_of_hand = (hand.robot.links, hand.robot.named)
        return draft.free_joint_name(f"{hand.robot.root}_joint", *names_of_hand)
    draft.require_new(joints=(wanted,))
    if wanted in hand.robot.named:
        raise draft.refused(f"joint={wanted}: {hand.path} has a joint of this name: give another")
    return wanted


def _srdf_of(values: Dict[str, str]) -> Optional[Document]:
    """Return the SRDF of the hand, or None if the words name no SRDF."""
    path = values.get("srdf")
    return parse_document(read_file(path), path) if path else None


def _own_colors(draft: RobotDraft, hand: RobotDraft, prefix: str) -> List[Element]:
    """Rename the hand's materials that have a different meaning in the robot; return the definitions that the robot has."""
    meanings: List[Dict[str, object]] = []
    for robot in (draft.robot, hand.robot):
        meaning: Dict[str, object] = {}
        for element in robot.document.root.walk():
            if element.name == "material":
                name = element.get("name") or ""
                # A material that only has a name defines nothing: the first material with content counts.
                meaning[name] = meaning.get(name) or material_content(element)
        meanings.append(meaning)
    of_robot, of_hand = meanings
    new_names = {}
    for name in of_robot.keys() & of_hand.keys() - {""}:
        if of_robot[name] != of_hand[name]:
            number = 2
            new = f"{prefix}{name}" if prefix else f"{name}_2"
            while new in of_robot or new in of_hand:
                new = f"{prefix}{name}_{number}"
                number = number + 1
            new_names[name] = new
    for element in hand.document.root.walk():
        if element.name == "material" and element.get("name") in new_names:
            element.set("name", new_names[element.get("name") or ""])
    return [
        material
        for material in hand.document.root.elements("material")
        if material.get("name") in of_robot and material.get("name") not in new_names.values()
    ]


def _see_files_from(draft: RobotDraft, hand: RobotDraft) -> Dict[str, str]:
    """Rewrite the file names of the hand relative to the folder of the robot; return them by their old names.

    Files that can be found only from the hand's folder get a warning.
    """
    root = hand.document.root
    hand_folder = os.path.dirname(os.path.abspath(hand.path))
    robot_folder = os.path.dirname(os.path.abspath(draft.path))
    old_resolver = resolver_for(root, hand_folder, draft.packages)
    new_names = {}
    for edit in moved_edits(root, old_resolver, os.path.realpath(robot_folder)):
        new_names[edit.element.get("filename") or ""] = str(edit.value)
        edit.element.set("filename", str(edit.value))
    draft.warnings += lost_packages(root, old_resolver, old_resolver._replace(folder=robot_folder))
    return new_names


def _seen_from(names: Names, raw: RawRobot) -> RawRobot:
    """Return a robot for the law, with its file names replaced by the given map."""
    return renamed(raw, {}, {}, files=names)


def _drop_doubles(draft: RobotDraft, hand: RobotDraft, colors: Sequence[Element]) -> None:
    """Drop the materials that the robot has, and model plugins that are the same in both."""
    plugins = _plugins_of_model(draft.robot.document)
    plugins_by_file = {plugin.get("filename") or "": plugin for plugin in plugins}
    dropped = [*colors, *_into_first(draft, hand)]
    for plugin in _plugins_of_model(hand.document):
        own_plugin = plugins_by_file.get(plugin.get("filename") or "")
        if own_plugin is None:
            continue
        # Whitespace does not matter.
        text, own_text = ("".join(each.source().split()) for each in (plugin, own_plugin))
        if text == own_text:
            dropped.append(plugin)
            draft.note(own_plugin, "plugin", hand.path)
        else:
            draft.warn(own_plugin, PLUGIN_TWICE, "model", hand.path)
    for element in dropped:
        parent = element.parent
        if parent is None:
            continue
        detach(parent, [element])
        # Drop a `<gazebo>` that is now empty too.
        is_empty = parent.name == "gazebo" and not parent.elements()
        if is_empty and parent.parent is not None:
            detach(parent.parent, [parent])


def _plugins_of_model(document: Document) -> List[Element]:
    """Return the plugins in `<gazebo>` blocks of the whole model; a block with a reference belongs to a link or joint."""
    plugins: List[Element] = []
    for block in document.root.elements("gazebo"):
        if not block.get("reference"):
            plugins += block.elements("plugin")
    return plugins


def _into_first(draft: RobotDraft, hand: RobotDraft) -> List[Element]:
    """Move the content of the hand's `<mujoco>` blocks into the robot's block; return the blocks to drop.

    MuJoCo reads a single block.
    """
    first = draft.robot.document.root.find("mujoco")
    if first is None:
        return []
    blocks = hand.document.root.elements("mujoco")
    for block in blocks:
        for part in block.elements():
            if part.name not in SETTINGS_OF_MUJOCO:
                attach_elements(draft.copy(first), [copy_element(part)])
                continue
            # Settings apply to the whole model, so the robot's settings stay.
            same = first.find(part.name)
            if same is None or same.attributes != part.attributes:
                draft.warn(same or first, PLUGIN_TWICE, "settings", hand.path)
    return blocks


def _append(root: Element, hand: Element) -> None:
    """Append the content of another robot to a robot, as it is written.

    The appended elements get no lines, because messages name lines of the input.
    """
    for key, value in hand.attributes.items():
        if key.startswith("xmlns") and root.get(key) is None:
            root.set(key, value)
    for element in hand.walk():
        element.line_starts = ()
    root.open()
    present = list(root.children)
    nodes = list(hand.children)

    def ends_with_blanks(nodes: Sequence[Node]) -> bool:
        """Return True if the last node is whitespace."""
        return bool(nodes) and not isinstance(nodes[-1], Element) and not nodes[-1].strip()

    # The whitespace before </robot> stays before it.
    closing = present[-1:] if ends_with_blanks(present) else ["\n"]
    for listed in (present, nodes):
        while ends_with_blanks(listed):
            listed.pop()
    for element in hand.elements():
        element.parent = root
    root.children = (*present, *nodes, *closing)


def _name_groups(hand: RobotDraft, prefix: str) -> None:
    """Prefix the names of groups, states and end effectors, and all references to groups."""
    if hand.srdf is None:
        return
    for element in hand.srdf.root.walk():
        if element.name not in GROUP_KEYS:
            continue
        for key in {*GROUP_KEYS[element.name], "name"}:
            name = element.get(key)
            if name:
                element.set(key, prefix + name)


def _follow_srdf(draft: RobotDraft, hand: RobotDraft, link: str, root: str) -> None:
    """Add the groups, states and pairs of the hand's SRDF, and disable the pair of links at the new joint, which are
    adjacent."""
    if hand.srdf is None:
        return
    if draft.srdf is None:
        raise draft.refused("srdf= adds to the SRDF of the robot: give that with --srdf")
    # It attached the hand to the world, as the fixed joint does now to the robot.
    virtual = hand.srdf.root.elements("virtual_joint")
    detach(hand.srdf.root, virtual)
    _append(draft.srdf.root, hand.srdf.root)
    attach_elements(
        draft.srdf.root,
        [create("disable_collisions", {"link1": link, "link2": root, "reason": "Adjacent"})],
    )
