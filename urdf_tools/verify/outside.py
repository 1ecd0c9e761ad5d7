"""Verify everything outside links, joints, inertias and shapes: names, signs, vectors and poses.

Every element of the result is paired with its element of the input. What may differ is computed here from the input's
text, the signs and the poses of both robots; all else must be equal. From the plan come only the choice of what is
dropped, and the warnings, each of which excuses its own element for its own reason. Of what simulators read for a link
as a whole, friction, stiffness, gravity, color, every collision, visual and mass of the result has the values that it
had in the input, or a warning names it.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Iterator, List, Optional, Set, Tuple, Union

from ..base.kinds import BODY_MERGED, MESH_NOT_FOUND
from ..base.number_text import grouped
from ..facts.records import MADE, PARTS_OF_CONTROL
from ..facts.simulator_values import (
    BODY,
    body_meaning,
    COLOR,
    CONTACT,
    content,
    default_of,
    key_of,
    lumped_links,
    meaning,
    OF_WHOLE_BODY,
    values_of_bodies,
    values_of_links,
)
from ..facts.values import joints_named_in
from ..plan.merging import COPY
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import mesh_folder_of, MeshFolder, names_in, URI_SCHEME
from ..urdf.model import NO_MASS, OF_JOINT
from ..urdf.spatial import IDENTITY_POSE
from .comparison import Comparison, CONTENT_LEFT, NAME_LEFT, Pairing, SURFACE_LEFT
from .looks import reached_file
from .raw_robot import mass_in, RawRobot, undefined_in


def verify_link_values(pairing: Pairing) -> None:
    """Compare the values of each link with those of the link that has its content in the result."""
    comparison = pairing.comparison
    before, after = (
        values_of_links(robot.document.root) for robot in (comparison.before, comparison.after)
    )
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    excuses = {
        (notice.offset, name)
        for notice in comparison.plan.warnings
        if notice.kind in SURFACE_LEFT
        for name in notice.names
    }
    for target, names in comparison.sources.items():
        now = after.get(target, {})
        old = {name: before.get(name, {}) for name in names}
        # What is read for a whole body is compared in `_verify_bodies`.
        for key in {*now, *chain.from_iterable(old.values())} - OF_WHOLE_BODY.keys():
            meant = meaning(key, now.get(key, ()))
            settings = [tag for name in names for tag in old[name].get(key, ())]
            kind = default_of(key)[0]
            for name in names:
                # Friction of a link without a collision is nobody's.
                holds = meaning(key, old[name].get(key, ())) == meant or not _has_content(
                    comparison.before.links[name], kind, stripped
                )
                excused = name != target and any((tag.offset, name) in excuses for tag in settings)
                comparison.require(
                    holds or excused, f"{key} of the content of link '{name}' differs in '{target}'"
                )
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: Pairing, stripped: "Set[int]") -> None:
    """Compare what sdformat reads for each body of links on fixed joints."""
    comparison = pairing.comparison
    plan = comparison.plan
    links = comparison.before.links
    root_before = comparison.before.document.root
    root_after = comparison.after.document.root
    lumped = lumped_links(root_before, comparison.before.locked, comparison.before.dropped)
    body_of = lumped_links(root_after)
    before, after = values_of_bodies(root_before, lumped), values_of_bodies(root_after, body_of)
    excuses = {
        (notice.names[0], notice.names[2]) for notice in plan.warnings if notice.kind is BODY_MERGED
    }
    copies = {
        name
        for name, member in plan.members.items()
        if member.kind == COPY and plan.options.count_once
    }
    # By body of the result, and by that of the input, the links in both.
    inside: Dict[str, Dict[str, List[str]]] = {}
    for target, names in comparison.sources.items():
        parts = inside.setdefault(body_of[target].body, {})
        for name in names:
            parts.setdefault(lumped[name].body, []).append(name)
    # What is written for no body has its default for all.
    written = {what for _, what in (*before, *after)}
    for body, parts in inside.items():
        is_world = body == comparison.before.root == "world"
        comparison.require(
            not is_world or len(parts) == 1,
            "something was merged into 'world', of which nothing is read",
        )
        for what in written:
            kind = default_of(what)[0]
            used = {}
            for part, names in parts.items():
                heavy = names if kind != BODY else [name for name in names if name not in copies]
                # Of a part that has nothing which it is for, Gazebo reads no value.
                if any(_has_content(links[name], kind, stripped) for name in heavy):
                    used[part] = body_meaning(what, before.get((part, what), ()))
            now = body_meaning(what, after.get((body, what), ()))
            # A warning excuses that one part's value lost, not a value that none had.
            known = now in used.values() or now == body_meaning(what, [])
            for part in used:
                excused = known and (part, what) in excuses
                comparison.require(
                    used[part] == now or excused,
                    f"{what} of the body of link '{part}' differs in '{body}'",
                )


def _has_content(link: Element, kind: str, stripped: "Set[int]") -> bool:
    if kind == BODY:
        mass = mass_in(link, IDENTITY_POSE)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))


def verify_outside(comparison: Comparison) -> None:
    """Compare all that is outside what URDF defines in links and joints."""
    pairing = Pairing(comparison)
    _verify_compiler(pairing)
    _verify_mesh_folder(comparison)
    # What the plan defines in the robot, as only visuals did, `verify_shapes` compares.
    defined = {material.get("name") for material in comparison.plan.definitions}
    for material in comparison.after.document.root.elements("material"):
        if material.get("name") in defined:
            pairing.made.add(material.offset)
    for what, old, new in _groups(pairing):
        pairing.pair_up(what, old, new)
    _verify_drops(pairing)
    if pairing.pairs:
        from .world_values import verify_values

        verify_values(pairing)
    _verify_the_rest(pairing)
    verify_link_values(pairing)


def _groups(pairing: Pairing) -> Iterator[Tuple[str, List[Element], List[Element]]]:
    """Yield the topmost elements that URDF does not define, in both files: of the robot, the links and the joints."""
    comparison = pairing.comparison
    before, after = comparison.before, comparison.after
    old, new = (undefined_in(robot.document.root, ("link", "joint")) for robot in (before, after))
    yield "the robot", old, new
    for name in after.links:
        # Removed links gave it their elements; a link that stays as a frame keeps its own.
        there = [name, *filter(comparison.plan.is_removed, comparison.sources[name])]
        old = [other for part in there for other in before.others.get(part, ())]
        yield f"link '{name}'", old, after.others.get(name, [])
    for child, joint in after.joints.items():
        written = before.joints[child].element
        if joint.type == written.attributes["type"]:
            old, new = (undefined_in(part, OF_JOINT) for part in (written, joint.element))
            yield f"joint '{joint.name}'", old, new


def _verify_compiler(pairing: Pairing) -> None:
    """Verify that `<mujoco><compiler>` has the attributes that the plan asks for, and what is made for them no more."""
    comparison = pairing.comparison
    wanted = dict(pairing.comparison.plan.meshes.compiler)
    if not wanted:
        return
    old, new = (
        [
            element
            for top in robot.document.root.elements("mujoco")[:1]
            for element in (top, *top.elements("compiler")[:1])
        ]
        for robot in (comparison.before, comparison.after)
    )
    comparison.require(
        len(new) == 2 and all(new[1].get(name) == value for name, value in wanted.items()),
        "<mujoco><compiler> has not the attributes that it was to be given",
    )
    if len(old) == 2:
        pairing.proven.update((old[1].offset, name) for name in wanted)
        return
    # The first of <mujoco> and <compiler> that the input lacks.
    made = new[len(old)]
    pairing.made.add(made.offset)
    contents = [
        (element.name, element.attributes, element.text().strip()) for element in made.walk()
    ]
    comparison.require(
        contents == [("mujoco", {}, ""), ("compiler", wanted, "")][len(old) :],
        "what was made for <mujoco><compiler> holds more than that",
    )


def _verify_mesh_folder(comparison: Comparison) -> None:
    """Verify that MuJoCo finds each file that a relative name of the result means for other readers; or, where it
    cannot resolve a URI, that it looks for all files in the same folder as before."""
    folders = comparison.folders
    document = comparison.after.document
    old, new = mesh_folder_of(comparison.before.document.root), mesh_folder_of(document.root)
    if new is None or old == new and folders.before == folders.after:
        return
    names = [
        element.get("filename") or "" for element in document.root.walk() if element.name == "mesh"
    ]
    place_before = os.path.realpath(os.path.join(folders.before, (old or new).meshdir))
    place_after = os.path.realpath(os.path.join(folders.after, new.meshdir))
    as_before = old is not None and old.strippath == new.strippath and place_before == place_after
    with_uri = any(map(URI_SCHEME.match, names))
    for name in names:
        # The file for other readers, and those for MuJoCo's versions: all must be one.
        targets = {
            os.path.realpath(os.path.join(folders.after, path))
            for path in (name.strip(), *names_in(new, name))
        }
        if URI_SCHEME.match(name):  # which MuJoCo cannot resolve
            is_found = (
                old is None
                or old.strippath == "false"
                or any(notice.kind is MESH_NOT_FOUND for notice in comparison.plan.warnings)
            )
        else:
            is_found = len(targets) == 1
        comparison.require(
            is_found or as_before and with_uri,
            f"MuJoCo does not find '{name}' any more, because of <mujoco><compiler>",
        )


def _verify_drops(pairing: Pairing) -> None:
    """Verify that a dropped element belongs to a removed joint, is elsewhere in its link, or has a warning."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    joints_gone = _names_in_document(before, "joint") - before.named.keys()
    dropped = (joints_gone | _names_in_document(before, "link")) - {*before.links, *before.named}
    locked = {before.joints[child].name for child in before.locked}
    removed = (before.named.keys() - after.named.keys()) | dropped | joints_gone | locked
    standing = {joint.name for joint in before.joints.values() if joint.type == "fixed"}
    # By link and tag: a dropped element may be a repetition of one that is kept.
    staying = grouped(
        ((_holder_of(comparison, old), old.name), content(old))
        for old, _ in (pairing.pairs if plan.updates.drops else ())
    )
    for drop in plan.updates.drops:
        is_gazebo = drop.name == "gazebo"
        named = {drop.get("reference") or ""} if is_gazebo else {*joints_named_in(drop)}
        # All that it speaks of is gone, or a transmission has no joint left that moves.
        if named & removed and named <= removed | standing:
            continue
        for element in drop.elements() if is_gazebo else (drop,):
            others = staying.get((_holder_of(comparison, element), element.name), [])
            is_said_again = content(element) in others
            is_told = bool(others) and pairing.is_excused(element, CONTENT_LEFT)
            # The parts of a ros2_control may go one by one; then nothing of it is left to stay.
            inside = [part for part in element.elements() if part.name in PARTS_OF_CONTROL]
            is_emptied = bool(inside) and all(part.offset in pairing.dropped for part in inside)
            comparison.require(
                is_said_again
                or is_told
                or is_emptied
                or _is_of_dropped(element, dropped, joints_gone)
                or _is_value_of_link(element),
                f"<{element.name}> of line {element.line} is dropped for no reason",
            )


def _is_of_dropped(element: Element, dropped: Set[str], joints_gone: Set[str]) -> bool:
    """Return True if an element, or a part of it, names a link or joint that is no more."""
    # A <param> does not say of which joint it is; what it is in does.
    belongs = element
    if element.name == "param" and element.parent is not None:
        belongs = element.parent
    return any(
        not dropped.isdisjoint((*part.attributes.values(), part.text().strip()))
        or part.get("joint") in joints_gone  # whose name a link may have that stays
        for part in belongs.walk()
    )


def _names_in_document(robot: RawRobot, *tags: str) -> Set[str]:
    return {top.get("name") or "" for top in robot.document.root.elements() if top.name in tags}


def _is_value_of_link(element: Element) -> bool:
    """Return True if `verify_link_values` compares a dropped element, or all elements in it."""
    inside = element.elements() if element.name == "contact" else [element]
    return bool(inside) and all(map(key_of, inside))


def _holder_of(comparison: Comparison, element: Element) -> Union[str, int]:
    """Return the link of the result that has an element, or that its `<gazebo>` is about; else what it is in."""
    above = element.parent
    assert above is not None, "the robot itself is never dropped"
    name = above.get("reference" if above.name == "gazebo" else "name") or ""
    is_of_link = above.name in ("gazebo", "link") and name in comparison.plan.members
    return comparison.plan.members[name].target if is_of_link else above.offset


def _is_at_the_top(element: Element) -> bool:
    """Return True for the robot and what is in it: the name of a material there is its own, not that of a link."""
    return element.parent is None or element.parent.parent is None


def _is_same_file(tag: str, was: str, is_now: str, comparison: Comparison) -> bool:
    """Return True if the name of a mesh or an image means the file that it meant before."""
    folders = comparison.folders
    uri_files = comparison.plan.meshes.uri_files
    places: List[Optional[MeshFolder]] = [None, None]
    if tag == "mesh":  # <mujoco><compiler meshdir> is about meshes alone
        documents = comparison.before.document, comparison.after.document
        places = [mesh_folder_of(document.root) for document in documents]
    file = reached_file(is_now, folders.after, uri_files, places[1])
    old_file = reached_file(was, folders.before, uri_files, places[0])
    return comparison.copies.get(file, file) == old_file


def _verify_the_rest(pairing: Pairing) -> None:
    """Verify that all that no rule covers is unchanged, but for names of merged links and for file names."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    gone = ({*before.links, *before.named} | _names_in_document(before, "link", "joint")) - {
        *after.links,
        *after.named,
    }
    for old, new in pairing.pairs:
        where = f"<{old.name}> of line {old.line}"
        for child in new.elements():
            # What a rule makes, such as a <pose>, that rule must prove.
            is_made = child.name in MADE and old.find(child.name) is None
            is_proven = (old.offset, f"<{child.name}>") in pairing.proven
            comparison.require(not is_made or is_proven, f"{where} was given a <{child.name}>")
        for key in {*old.attributes, *new.attributes, ""}:
            if (old.offset, key) in pairing.proven:
                continue
            was = old.get(key)
            is_now = new.get(key)
            if key == "":
                was = old.text().strip()
                is_now = new.text().strip()
            if was != is_now:
                # A name may become that of the link it was merged into, a file name another one of the same file.
                is_expected = False
                if was in plan.members and plan.is_removed(was):
                    is_expected = is_now == plan.members[was].target
                if key == "filename" and old.name in ("mesh", "texture") and was and is_now:
                    is_expected = is_expected or _is_same_file(old.name, was, is_now, comparison)
                comparison.require(is_expected, f"{where} changed from '{was}' to '{is_now}'")
                continue
            if was in gone and not (key == "name" and _is_at_the_top(old)):
                is_appearance = old.name in ("material", "geometry", "mesh")
                comparison.require(
                    is_appearance or pairing.is_excused(old, NAME_LEFT),
                    f"the result still refers to '{was}', which was removed",
                )
