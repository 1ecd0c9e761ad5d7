"""Verify everything outside links, joints, inertias and shapes: names, signs, vectors and poses.

Every element of the result is paired with its element of the input. What may differ is computed here from the input's
text, the signs and the poses of both robots; all else must be equal. From the plan come only the choice of what is
dropped, and the warnings, each of which excuses its own element for its own reason. Of what simulators read for a link
as a whole, friction, stiffness, gravity, color, every collision, visual and mass of the result has the values that it
had in the input, or a warning names it.
"""

from __future__ import annotations

import os
from typing import Dict, Iterator, List, Set, Tuple, Union

from ..base.kinds import BODY_MERGED, MESH_NOT_FOUND
from ..base.number_text import grouped
from ..facts.records import MADE, PARTS_OF_CONTROL
from ..facts.simulator_values import (
    BODY,
    body_meaning,
    COLOR,
    CONTACT,
    default_of,
    key_of,
    lumped_links,
    meaning,
    OF_WHOLE_BODY,
    values_in_use,
    values_of_bodies,
    values_of_links,
)
from ..plan.merging import COPY
from ..urdf.lossless_xml import Element
from ..urdf.mesh_paths import mesh_folder_of, names_in, URI_SCHEME
from ..urdf.model import NO_MASS, OF_JOINT
from ..urdf.spatial import IDENTITY_POSE
from .comparison import Comparison, CONTENT_LEFT, NAME_LEFT, Pairing, SURFACE_LEFT
from .looks import reached_file
from .raw_robot import mass_in, RawRobot


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
        now, old = after.get(target, {}), {name: before.get(name, {}) for name in names}
        for key in {
            *now,
            *(key for values in old.values() for key in values),
        } - OF_WHOLE_BODY.keys():
            meant, settings = (
                meaning(key, now.get(key, ())),
                [tag for name in names for tag in old[name].get(key, ())],
            )
            for name in names:
                holds = meaning(key, old[name].get(key, ())) == meant or (
                    not _has_content(comparison.before.links[name], default_of(key)[0], stripped)
                )
                excused = name != target and any((tag.offset, name) in excuses for tag in settings)
                comparison.require(
                    holds or excused, f"{key} of the content of link '{name}' differs in '{target}'"
                )
    _verify_bodies(pairing, stripped)


def _verify_bodies(pairing: Pairing, stripped: "Set[int]") -> None:
    """Compare what sdformat reads for each body of links on fixed joints."""
    comparison = pairing.comparison
    plan, roots = comparison.plan, (comparison.before.document.root, comparison.after.document.root)
    lumped = lumped_links(roots[0], comparison.before.locked, comparison.before.dropped)
    body_of = lumped_links(roots[1])
    before, after = map(values_of_bodies, roots, (lumped, body_of))
    excuses = {
        (notice.names[0], notice.names[2]) for notice in plan.warnings if notice.kind is BODY_MERGED
    }
    copies = {
        name
        for name, member in plan.members.items()
        if member.kind == COPY and plan.options.count_once
    }
    inside: Dict[
        str, Dict[str, List[str]]
    ] = {}  # by body of the result, and by that of the input, the links in both
    for target, names in comparison.sources.items():
        for name in names:
            inside.setdefault(body_of[target].body, {}).setdefault(lumped[name].body, []).append(
                name
            )
    has_content = {
        (part, kind): any(
            _has_content(comparison.before.links[name], kind, stripped)
            for name in names
            if kind != BODY or name not in copies
        )
        for parts in inside.values()
        for part, names in parts.items()
        for kind in (CONTACT, BODY)
    }
    for body, parts in inside.items():
        comparison.require(
            not body == comparison.before.root == "world" or len(parts) == 1,
            "something was merged into 'world', of which nothing is read",
        )
        for what in set(OF_WHOLE_BODY.values()):
            used = values_in_use(what, parts, before, lambda part, kind: has_content[part, kind])
            now = values_in_use(what, [body], after, lambda *of: True)[body]
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


Content = List[Tuple[str, str, List[Tuple[str, str]]]]


def verify_outside(comparison: Comparison) -> None:
    """Compare all that is outside what URDF defines in links and joints."""
    pairing = Pairing(comparison)
    _verify_compiler(pairing)
    _verify_mesh_folder(comparison)
    _find_definitions(pairing)
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
    before, plan, after = (
        pairing.comparison.before,
        pairing.comparison.plan,
        pairing.comparison.after,
    )
    old, new = (
        [top for top in robot.document.root.elements() if top.name not in ("link", "joint")]
        for robot in (before, after)
    )
    yield "the robot", old, new
    for name in after.links:
        there = [
            name,
            *(part for part in pairing.comparison.sources[name] if plan.is_removed(part)),
        ]
        yield (
            f"link '{name}'",
            [other for part in there for other in before.others.get(part, ())],
            after.others.get(name, []),
        )
    for child, joint in after.joints.items():
        if joint.type == before.joints[child].element.attributes["type"]:
            old, new = (
                [part for part in element.elements() if part.name not in OF_JOINT]
                for element in (before.joints[child].element, joint.element)
            )
            yield f"joint '{joint.name}'", old, new


def _verify_compiler(pairing: Pairing) -> None:
    """`<mujoco><compiler>` has the attributes that the plan asks for; elements made for them hold nothing else."""
    comparison, wanted = pairing.comparison, dict(pairing.comparison.plan.meshes.compiler)
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
    made = new[len(old)]
    pairing.made.add(made.offset)
    contents = [
        (element.name, element.attributes, element.text().strip()) for element in made.walk()
    ]
    comparison.require(
        contents == [("mujoco", {}, ""), ("compiler", wanted, "")][len(old) :],
        "what was made for <mujoco><compiler> holds more than that",
    )


def _find_definitions(pairing: Pairing) -> None:
    """A material that only visuals defined may also be defined in the robot: `verify_shapes` compares its content."""
    old, new = (
        [(top.get("name"), top) for top in robot.document.root.elements("material")]
        for robot in (pairing.comparison.before, pairing.comparison.after)
    )
    visuals = {
        material.get("name")
        for link in pairing.comparison.before.document.root.elements("link")
        for visual in link.elements("visual")
        for material in visual.elements("material")
        if material.elements()
    }
    names = visuals - {name for name, _ in old}
    pairing.made.update(top.offset for name, top in new if name in names)


def _verify_mesh_folder(comparison: Comparison) -> None:
    """Verify that MuJoCo finds each file that a relative name of the result means for other readers; or, where it
    cannot resolve a URI, that it looks for all files in the same folder as before."""
    folders, document = comparison.folders, comparison.after.document
    old, new = mesh_folder_of(comparison.before.document.root), mesh_folder_of(document.root)
    if new is None or old == new and folders.before == folders.after:
        return
    names = [
        element.get("filename") or "" for element in document.root.walk() if element.name == "mesh"
    ]
    places = [
        os.path.realpath(os.path.join(folder, mesh_folder.meshdir))
        for folder, mesh_folder in ((folders.before, old or new), (folders.after, new))
    ]
    as_before = old is not None and old.strippath == new.strippath and places[0] == places[1]
    with_uri = any(map(URI_SCHEME.match, names))
    for name in names:
        targets = {
            os.path.realpath(os.path.join(folders.after, path))
            for path in (name.strip(), *names_in(new, name))
        }
        is_found = (
            len(targets) == 1
            if not URI_SCHEME.match(name)
            else old is None
            or old.strippath == "false"
            or any(notice.kind is MESH_NOT_FOUND for notice in comparison.plan.warnings)
        )
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
    # By link and tag, the contents that are kept: a dropped element may be a repetition of one of them.
    stays = grouped(
        ((_holder_of(comparison, old), old.name), _content_in(old))
        for old, _ in (pairing.pairs if plan.updates.drops else ())
    )
    for drop in plan.updates.drops:
        named = {drop.get("reference") or ""} if drop.name == "gazebo" else _joints_in(drop)
        for element in (
            drop.elements() if drop.name == "gazebo" and not named <= removed else (drop,)
        ):
            others = stays.get((_holder_of(comparison, element), element.name), [])
            excused = (
                bool(others)
                and pairing.is_excused(element, CONTENT_LEFT)
                or _is_value_of_link(element)
            )
            inside = [part for part in element.elements() if part.name in PARTS_OF_CONTROL]
            belongs = (
                element.parent
                if element.name == "param" and element.parent is not None
                else element
            )
            is_of_dropped = any(
                not dropped.isdisjoint((*part.attributes.values(), part.text().strip()))
                or part.get("joint") in joints_gone  # whose name a link may have that stays
                for part in belongs.walk()
            )
            excused = (
                excused
                or is_of_dropped
                or (bool(inside) and all(part.offset in pairing.dropped for part in inside))
            )
            comparison.require(
                bool(named) and named <= removed or _content_in(element) in others or excused,
                f"<{element.name}> of line {element.line} is dropped for no reason",
            )


def _joints_in(top: Element) -> Set[str]:
    """Return what the tags of joints in an element name."""
    return {
        element.get("name") or element.get("joint") or element.text().strip()
        for element in top.walk()
        if element.name.lower().endswith("joint")
    }


def _names_in_document(robot: RawRobot, *tags: str) -> Set[str]:
    return {top.get("name") or "" for top in robot.document.root.elements() if top.name in tags}


def _is_value_of_link(element: Element) -> bool:
    """Return True if `verify_link_values` compares a dropped element, or all elements in it."""
    inside = element.elements() if element.name == "contact" else [element]
    return bool(inside) and all(map(key_of, inside))


def _content_in(top: Element) -> Content:
    """Return the content of an element and all in it; a value in an attribute or in the text is one and the same."""
    return [
        (
            e.name,
            (e.get("value") or e.text()).strip(),
            sorted((key, value) for key, value in e.attributes.items() if key != "value"),
        )
        for e in top.walk()
    ]


def _holder_of(comparison: Comparison, element: Element) -> Union[str, int]:
    """Return the link of the result that has an element, or that its `<gazebo>` is about; else what it is in."""
    above = element.parent
    assert above is not None, "the robot itself is never dropped"
    name = above.get("reference" if above.name == "gazebo" else "name") or ""
    is_of_link = above.name in ("gazebo", "link") and name in comparison.plan.members
    return comparison.plan.members[name].target if is_of_link else above.offset


def _verify_the_rest(pairing: Pairing) -> None:
    """Verify that all that no rule covers is unchanged, but for names of merged links and for file names."""
    comparison = pairing.comparison
    before, after, plan = comparison.before, comparison.after, comparison.plan
    gone = ({*before.links, *before.named} | _names_in_document(before, "link", "joint")) - {
        *after.links,
        *after.named,
    }
    places = [
        {"mesh": mesh_folder_of(robot.document.root), "texture": None} for robot in (before, after)
    ]
    for old, new in pairing.pairs:
        made = {
            f"<{child.name}>"
            for child in new.elements()
            if child.name in MADE and old.find(child.name) is None
        }
        for key in {*old.attributes, *new.attributes, "", *made}:
            if (old.offset, key) in pairing.proven:
                continue
            was, is_now = (
                (old.text().strip(), new.text().strip())
                if key == ""
                else (old.get(key), new.get(key))
            )
            where = f"<{old.name}> of line {old.line}"
            comparison.require(key not in made, f"{where} was given a {key}")
            # A name may become that of the link it was merged into, and a file name another one of the same file.
            if was != is_now:
                target = (
                    plan.members[was].target if was in plan.members and plan.is_removed(was) else ""
                )
                same_file = False
                if key == "filename" and old.name in ("mesh", "texture") and was and is_now:
                    file = reached_file(
                        is_now, comparison.folders.after, plan.meshes.uri_files, places[1][old.name]
                    )
                    same_file = comparison.copies.get(file, file) == reached_file(
                        was, comparison.folders.before, plan.meshes.uri_files, places[0][old.name]
                    )
                comparison.require(
                    same_file or bool(target) and is_now == target,
                    f"{where} changed from '{was}' to '{is_now}'",
                )
            elif was in gone and not (
                key == "name" and (old.parent is None or old.parent.parent is None)
            ):
                is_appearance = old.name in ("material", "geometry", "mesh")
                comparison.require(
                    is_appearance or pairing.is_excused(old, NAME_LEFT),
                    f"the result still refers to '{was}', which was removed",
                )
