"""The proof of everything outside links, joints, inertias and shapes: names, signs, vectors and poses.

Every element of the result is paired with its element of the input. Values that may differ are computed here from the
input's text, the signs and the poses of both robots; everything else must be equal. From the plan come only the removed
elements, and the warnings, each of which excuses its own element for its own reason. Simulators read friction, stiffness,
gravity and color for a link as a whole: every collision, visual and mass of the result must have its values of the input,
unless a warning names it.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, Iterator, List, Mapping, Optional, Set, Tuple, Union

from ..base.run_diagnostics import BODY_MERGED, MESH_NOT_FOUND
from ..base.number_text import grouped
from ..facts.robot_values import MADE, PARTS_OF_CONTROL
from ..facts.simulator_values import (
    BODY,
    body_meaning,
    COLOR,
    CONTACT,
    content,
    default_of,
    key_of,
    LumpedLink,
    lumped_links,
    meaning,
    OF_WHOLE_BODY,
    values_of_bodies,
    values_by_tag,
    values_of_links,
)
from ..facts.frame_dependent_values import joints_named_in
from ..plan.link_merging import COPY
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import mesh_folder_of, MujocoMeshFolder, names_in, URI_SCHEME
from ..urdf.urdf_records import NO_MASS, OF_JOINT
from ..urdf.spatial_math import IDENTITY_POSE
from .shared_proof_state import (
    ComparedRobots,
    CONTENT_LEFT,
    NAME_LEFT,
    ElementPairing,
    SURFACE_LEFT,
)
from .verify_looks import reached_file
from .proof_robot import mass_in, ProofRobot, undefined_in


def verify_link_values(pairing: ElementPairing) -> None:
    """Compare the values of each link with the values of the link that has its content in the result."""
    comparison = pairing.comparison
    before = values_of_links(comparison.before.document.root)
    after = values_of_links(comparison.after.document.root)
    stripped = {strip.shape.source.offset for strip in comparison.plan.strips}
    # The direction of friction along the axes of a link has other numbers, and maybe another link: `verify_values` proves
    # them, so here it counts as it is written in the input.
    directions = {new.offset: old for old, new in pairing.pairs if old.name == "fdir1"}
    excuses: Set[Tuple[int, str]] = set()
    for notice in comparison.plan.warnings:
        if notice.kind in SURFACE_LEFT:
            excuses.update((notice.offset, name) for name in notice.names)
    for target, names in comparison.sources.items():
        new_settings = values_by_tag(after.get(target, {}))
        old_settings = {name: values_by_tag(before.get(name, {})) for name in names}
        # Values of a whole body are compared in `_verify_bodies`.
        for key in {
            *new_settings,
            *chain.from_iterable(old_settings.values()),
        } - OF_WHOLE_BODY.keys():
            value_of_target = meaning(key, new_settings.get(key, ()), directions)
            settings = [*chain.from_iterable(old_settings[name].get(key, ()) for name in names)]
            kind = default_of(key)[0]
            for name in names:
                # Friction has no effect on a link without a collision.
                is_equal = meaning(
                    key, old_settings[name].get(key, ())
                ) == value_of_target or not _has_content(
                    comparison.before.links[name], kind, stripped
                )
                is_excused = name != target and any(
                    (tag.offset, name) in excuses for tag in settings
                )
                comparison.require(
                    is_equal or is_excused,
                    f"{key} of the content of link '{name}' differs in '{target}'",
                )
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: ElementPairing, stripped: "Set[int]") -> None:
    """Compare the values that sdformat reads for each body of links on fixed joints."""
    comparison = pairing.comparison
    root_before = comparison.before.document.root
    root_after = comparison.after.document.root
    lumped = lumped_links(root_before, comparison.before.locked, comparison.before.dropped)
    body_of = lumped_links(root_after)
    before = values_of_bodies(root_before, lumped)
    after = values_of_bodies(root_after, body_of)
    excuses = {
        (notice.names[0], notice.names[2])
        for notice in comparison.plan.warnings
        if notice.kind is BODY_MERGED
    }
    # A value that is not written has its default for all bodies.
    written = {key for _, key in (*before, *after)}
    for body, parts in _links_by_bodies(comparison, lumped, body_of).items():
        is_world = body == comparison.before.root == "world"
        comparison.require(
            not is_world or len(parts) == 1,
            "something was merged into 'world', of which nothing is read",
        )
        for key in written:
            new_value = body_meaning(key, after.get((body, key), ()))
            # Gazebo reads a value only for a part with content to which it applies.
            old_values = {
                part: body_meaning(key, before.get((part, key), ()))
                for part in _parts_with_content(comparison, parts, key, stripped)
            }
            # A warning excuses the lost value of a part, but not a value that no part has.
            is_known = new_value in old_values.values() or new_value == body_meaning(key, [])
            for part, value in old_values.items():
                is_excused = is_known and (part, key) in excuses
                comparison.require(
                    value == new_value or is_excused,
                    f"{key} of the body of link '{part}' differs in '{body}'",
                )


def _links_by_bodies(
    comparison: ComparedRobots, lumped: Mapping[str, LumpedLink], body_of: Mapping[str, LumpedLink]
) -> Dict[str, Dict[str, List[str]]]:
    """Return the links of the input by their body in the result, and then by their body in the input."""
    links: Dict[str, Dict[str, List[str]]] = {}
    for target, names in comparison.sources.items():
        parts = links.setdefault(body_of[target].body, {})
        for name in names:
            parts.setdefault(lumped[name].body, []).append(name)
    return links


def _parts_with_content(
    comparison: ComparedRobots, parts: Dict[str, List[str]], what: str, stripped: "Set[int]"
) -> Iterator[str]:
    """Yield the parts of a body with a link to whose content a value applies.

    A copy whose mass is counted only once has no mass, so values of the mass do not apply to it.
    """
    plan = comparison.plan
    kind = default_of(what)[0]
    leaves_copies_out = kind == BODY and plan.options.count_once
    for part, names in parts.items():
        for name in names:
            is_left_out = leaves_copies_out and plan.members[name].kind == COPY
            if not is_left_out and _has_content(comparison.before.links[name], kind, stripped):
                yield part
                break


def _has_content(link: Element, kind: str, stripped: "Set[int]") -> bool:
    """Return True if a link has content to which values of a kind apply: a mass, a collision, or a visual."""
    if kind == BODY:
        mass = mass_in(link, IDENTITY_POSE)
        return mass is not None and mass[0] >= NO_MASS
    name = {CONTACT: "collision", COLOR: "visual"}[kind]
    return any(shape.offset not in stripped for shape in link.elements(name))


def verify_outside(comparison: ComparedRobots) -> None:
    """Compare all elements that URDF does not define in links and joints."""
    pairing = ElementPairing(comparison)
    _verify_compiler(pairing)
    _verify_mesh_folder(comparison)
    # Materials of visuals that the plan also defines in the robot are compared in `verify_shapes`.
    defined = {material.get("name") for material in comparison.plan.definitions}
    for material in comparison.after.document.root.elements("material"):
        if material.get("name") in defined:
            pairing.made.add(material.offset)
    for what, old, new in _groups(pairing):
        pairing.pair_up(what, old, new)
    _verify_drops(pairing)
    if pairing.pairs:
        from .verify_world_values import verify_values

        verify_values(pairing)
    _verify_the_rest(pairing)
    verify_link_values(pairing)


def _groups(pairing: ElementPairing) -> Iterator[Tuple[str, List[Element], List[Element]]]:
    """Yield the topmost elements of the robot, the links and the joints that URDF does not define, in both files."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    of_robot = ("link", "joint")
    old = undefined_in(before.document.root, of_robot)
    yield "the robot", old, undefined_in(after.document.root, of_robot)
    for name in after.links:
        # The link has the elements of removed links; a link that stays as a frame keeps its own.
        parts = [name, *filter(comparison.plan.is_removed, comparison.sources[name])]
        old = [*chain.from_iterable(before.others.get(part, ()) for part in parts)]
        yield f"link '{name}'", old, after.others.get(name, [])
    for child, joint in after.joints.items():
        written = before.joints[child].element
        if joint.type == written.attributes["type"]:
            old = undefined_in(written, OF_JOINT)
            yield f"joint '{joint.name}'", old, undefined_in(joint.element, OF_JOINT)


def _verify_compiler(pairing: ElementPairing) -> None:
    """Verify that `<mujoco><compiler>` has the attributes of the plan, and that nothing else is added."""
    comparison = pairing.comparison
    expected = dict(pairing.comparison.plan.meshes.compiler)
    if not expected:
        return
    old = _compiler_path(comparison.before)
    new = _compiler_path(comparison.after)
    comparison.require(
        len(new) == 2 and all(new[1].get(name) == value for name, value in expected.items()),
        "<mujoco><compiler> has not the attributes that it was to be given",
    )
    if len(old) == 2:
        pairing.proven.update((old[1].offset, name) for name in expected)
        return
    # The first element of <mujoco> and <compiler> that the input lacks.
    made = new[len(old)]
    pairing.made.add(made.offset)
    contents = [
        (element.name, element.attributes, element.text().strip()) for element in made.walk()
    ]
    comparison.require(
        contents == [("mujoco", {}, ""), ("compiler", expected, "")][len(old) :],
        "what was made for <mujoco><compiler> holds more than that",
    )


def _compiler_path(robot: ProofRobot) -> List[Element]:
    """Return the first `<mujoco>` of a robot and its first `<compiler>`, as far as they exist."""
    top = robot.document.root.find("mujoco")
    if top is None:
        return []
    return [top, *top.elements("compiler")[:1]]


def _verify_mesh_folder(comparison: ComparedRobots) -> None:
    """Verify that MuJoCo finds each file to which a relative name of the result refers for other readers.

    If MuJoCo cannot resolve a URI, it must look for all files in the same folder as in the input.
    """
    folders = comparison.folders
    document = comparison.after.document
    old = mesh_folder_of(comparison.before.document.root)
    new = mesh_folder_of(document.root)
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
        # The file for other readers and the files for versions of MuJoCo must be the same.
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


def _verify_drops(pairing: ElementPairing) -> None:
    """Verify that a removed element belongs to a removed joint, is a duplicate in its link, or has a warning."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    plan = comparison.plan
    if not plan.updates.drops:
        return
    removed_joints = _names_in_document(before, "joint") - before.named.keys()
    dropped_names = (removed_joints | _names_in_document(before, "link")) - {
        *before.links,
        *before.named,
    }
    locked = {before.joints[child].name for child in before.locked}
    removed_names = (
        (before.named.keys() - after.named.keys()) | dropped_names | removed_joints | locked
    )
    fixed_joints = {joint.name for joint in before.joints.values() if joint.type == "fixed"}
    # By link and tag, because a removed element may be a duplicate of an element that stays.
    kept_contents = grouped(
        ((_holder_of(comparison, old), old.name), content(old)) for old, _ in pairing.pairs
    )
    for drop in plan.updates.drops:
        is_gazebo = drop.name == "gazebo"
        names = {drop.get("reference") or ""} if is_gazebo else {*joints_named_in(drop)}
        # All links and joints that it names are removed, or a transmission has only fixed joints left.
        if names & removed_names and names <= removed_names | fixed_joints:
            continue
        elements = drop.elements() if is_gazebo else [drop]
        for element in elements:
            equal_tags = kept_contents.get((_holder_of(comparison, element), element.name), [])
            is_repeated = content(element) in equal_tags
            has_warning = bool(equal_tags) and pairing.is_excused(element, CONTENT_LEFT)
            comparison.require(
                is_repeated
                or has_warning
                or _is_emptied(pairing, element)
                or _is_of_dropped(element, dropped_names, removed_joints)
                or _is_value_of_link(element),
                f"<{element.name}> of line {element.line} is dropped for no reason",
            )


def _is_emptied(pairing: ElementPairing, element: Element) -> bool:
    """Return True if each part of a ros2_control is removed, so that the whole element can be removed."""
    inside = [part for part in element.elements() if part.name in PARTS_OF_CONTROL]
    return bool(inside) and all(part.offset in pairing.dropped for part in inside)


def _is_of_dropped(element: Element, dropped: Set[str], joints_gone: Set[str]) -> bool:
    """Return True if an element, or a descendant, names a removed link or joint."""
    # A <param> does not name its joint; the element around it does.
    belongs = element
    if element.name == "param" and element.parent is not None:
        belongs = element.parent
    return any(
        not dropped.isdisjoint((*part.attributes.values(), part.text().strip()))
        or part.get("joint") in joints_gone  # a remaining link may have the same name
        for part in belongs.walk()
    )


def _names_in_document(robot: ProofRobot, *tags: str) -> Set[str]:
    """Return the names of the elements with these tags directly in a robot."""
    return {top.get("name") or "" for top in robot.document.root.elements() if top.name in tags}


def _is_value_of_link(element: Element) -> bool:
    """Return True if `verify_link_values` compares a removed element, or all elements in it."""
    inside = element.elements() if element.name == "contact" else [element]
    return bool(inside) and all(map(key_of, inside))


def _holder_of(comparison: ComparedRobots, element: Element) -> Union[str, int]:
    """Return the key of the place in which an element may be a duplicate.

    It is the link of the result that has the element, or to which its `<gazebo>` refers; else the offset of the parent.
    """
    above = element.parent
    assert above is not None, "the robot itself is neither dropped nor paired"
    key = "reference" if above.name == "gazebo" else "name"
    name = above.get(key) or ""
    is_of_link = above.name in ("gazebo", "link") and name in comparison.plan.members
    return comparison.plan.members[name].target if is_of_link else above.offset


def _is_at_the_top(element: Element) -> bool:
    """Return True for the robot and its children, whose attribute `name` is their own name and not a reference."""
    return element.parent is None or element.parent.parent is None


def _is_same_file(tag: str, was: str, is_now: str, comparison: ComparedRobots) -> bool:
    """Return True if the name of a mesh or an image reaches the same file as in the input."""
    folders = comparison.folders
    uri_files = comparison.plan.meshes.uri_files
    places: List[Optional[MujocoMeshFolder]] = [None, None]
    if tag == "mesh":  # <mujoco><compiler meshdir> applies only to meshes
        documents = comparison.before.document, comparison.after.document
        places = [mesh_folder_of(document.root) for document in documents]
    file = reached_file(is_now, folders.after, uri_files, places[1])
    old_file = reached_file(was, folders.before, uri_files, places[0])
    return comparison.copies.get(file, file) == old_file


def _is_expected(
    comparison: ComparedRobots, tag: str, key: str, was: Optional[str], is_now: Optional[str]
) -> bool:
    """Return True if the name of a merged link became its target's, or a file name became another name of the file."""
    plan = comparison.plan
    if was in plan.members and plan.is_removed(was) and is_now == plan.members[was].target:
        return True
    if key == "filename" and tag in ("mesh", "texture") and was and is_now:
        return _is_same_file(tag, was, is_now, comparison)
    return False


def _is_numbered(comparison: ComparedRobots, element: Element, is_now: Optional[str]) -> bool:
    """Return True if an element of a merged link has its name with a number, because the target has that name, too."""
    link = element.parent
    if link is None or link.name != "link" or is_now is None:
        return False
    member = comparison.plan.members.get(link.get("name") or "")
    if member is None or not member.merged:
        return False
    name, _, number = is_now.rpartition("_")
    return name == element.get("name") and number.isdigit()


def _verify_the_rest(pairing: ElementPairing) -> None:
    """Verify that all values that no rule covers are unchanged, except names of merged links and file names."""
    comparison = pairing.comparison
    before = comparison.before
    after = comparison.after
    removed_names = {*before.links, *before.named} | _names_in_document(before, "link", "joint")
    removed_names -= {*after.links, *after.named}
    for old, new in pairing.pairs:
        where = f"<{old.name}> of line {old.line}"
        for child in new.elements():
            # The rule that adds an element, such as a <pose>, must prove it.
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
            if key == "name" and _is_numbered(comparison, old, is_now):
                continue
            if was != is_now:
                comparison.require(
                    _is_expected(comparison, old.name, key, was, is_now),
                    f"{where} changed from '{was}' to '{is_now}'",
                )
                continue
            if was in removed_names and not (key == "name" and _is_at_the_top(old)):
                is_appearance = old.name in ("material", "geometry", "mesh")
                comparison.require(
                    is_appearance or pairing.is_excused(old, NAME_LEFT),
                    f"the result still refers to '{was}', which was removed",
                )
