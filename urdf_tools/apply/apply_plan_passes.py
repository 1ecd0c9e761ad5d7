"""The passes: each carries out a part of the plan on the document, without decisions."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Callable, Dict, Iterable, Optional, Sequence, Tuple, Union

from ..base.type_aliases import Pair, Reals
from ..base.number_text import (
    format_number,
    format_numbers,
    negated_text,
    NUMBER,
    numbers_in,
    same_numbers,
    without_noise,
)
from ..base.version import OWN_NOTE, signature
from ..plan.base_frame import note_of_earlier_run, provenance_note
from ..plan.plan_decisions import JointPlan, links_left, Plan
from ..plan.result_notes import (
    decisions_of,
    joint_map_note,
    joint_map_of,
)
from ..urdf.lossless_xml import Document, Element
from ..urdf.mesh_paths import mesh_stem
from ..urdf.moved_files import NAMES_FILE, use_of
from ..urdf.urdf_records import (
    AS_IT_WAS,
    AttributeEdit,
    INERTIA_KEYS,
    UrdfInertial,
    POSITIONS,
    READ_AS_ZERO,
    SPRING,
)
from ..urdf.urdf_notes import (
    decision_text,
    DECISIONS,
    DECISIONS_TITLE,
    JOINT_MAP,
    note_of_words,
    read_joint_map,
    VARIANT,
    words_of_note,
    words_of_result,
)
from ..urdf.spatial_math import (
    compose,
    largest_entry,
    MassProperties,
    ZERO_INERTIA,
    IDENTITY_POSE,
    Transform,
    rpy_from_matrix,
    rotation_angle,
    scale,
    Vector,
    ZERO,
)
from ..urdf.xml_edits import attach, attach_behind, copy_document, copy_element, create, detach
from .merge_passes import fix_joints, make_name_unique, merge_links

ANGLE_NOISE = 1e-12  # [rad] nothing is attached to a shape, so these errors do not add up


def apply_plan(plan: Plan, source: bytes) -> bytes:
    """Run every pass on a copy of the input's document, add the notes of the run, and return its bytes.

    A document that no pass changed gets a note only if it is new, such as the note of a given --base-frame.
    """
    document = copy_document(plan.robot.document)
    for act in PASSES:
        act(document, plan)
    root = document.root.source()  # the text of the root, nearly the whole file, is made only once
    place = document.children.index(document.root)
    document.children[place] = root
    for element in document.copies.values():  # without these cycles the copy is freed at once
        element.parent = None
    data = document.to_bytes()
    newline = document.newline
    base = provenance_note(plan.robot, plan.base, reorient=plan.options.reorient)
    counts = joint_map_of(plan)
    words = words_of_result(plan.robot, keep_all=plan.options.keep_signs)
    decided = (
        *words_of_note(plan.robot.document, DECISIONS),
        *map(decision_text, decisions_of(plan)),
    )
    for kind, note, is_new in (
        (
            OWN_NOTE,
            own_note(base),
            plan.options.base_frame != "auto" and base != note_of_earlier_run(plan.robot),
        ),
        (JOINT_MAP, joint_map_note(counts, newline), counts != read_joint_map(plan.robot.document)),
        (
            VARIANT,
            note_of_words("variant", words, newline),
            words != words_of_note(plan.robot.document, VARIANT),
        ),
        (DECISIONS, note_of_words(DECISIONS_TITLE, decided, newline, width=0), False),
    ):
        if data != source or is_new:
            note_in_front(document, root, note, kind)
            data = document.to_bytes()
    return data


def as_repaired(plan: Plan) -> Document:
    """Return the input's document after the repairs of --lenient, with which a result is compared."""
    if not plan.options.lenient or not plan.robot.repairs:
        return plan.robot.document
    document = copy_document(plan.robot.document)
    write_repairs(document, plan)
    return document


def write_repairs(document: Document, plan: Plan) -> None:
    """Write the values that --lenient repaired, and remove elements that were not read."""
    options = plan.options
    if options.merge or options.reorient or options.strip_hardware or options.lenient:
        carry_out(document, plan.robot.repairs)


def carry_out(document: Document, edits: Iterable[AttributeEdit]) -> None:
    """Write edits to a copy of the document to whose elements they refer."""
    for edit in edits:
        element = document.copy_of(edit.element)
        for name in filter(None, edit.child.split("/")):
            element = made_child(element, name)
        if edit.attribute and edit.value is not None:
            element.set(edit.attribute, edit.value)
        elif edit.value is not None:
            element.set_text(edit.value)
        elif element.parent is not None:
            detach(element.parent, [element])


def drop_shapes(document: Document, plan: Plan) -> None:
    """Remove motor hardware and exact copies of visuals and collisions; masses do not change."""
    dropped = plan.removed_shapes
    for link in plan.robot.links.values():
        elements = [
            document.copy_of(shape.source)
            for shape in link.shapes
            if shape.source.offset in dropped
        ]
        if elements:
            detach(document.copy_of(link.source), elements)


def define_materials(document: Document, plan: Plan) -> None:
    """Define materials in the robot that are defined only in visuals."""
    # In reverse, because each is put in front.
    for definition in reversed(plan.definitions):
        material = create("material", {"name": definition.get("name") or ""})
        attach(document.root, [material], first=True)
        for child in document.copy_of(definition).elements():
            attach(material, [copy_element(child)])


def place_shapes(document: Document, plan: Plan) -> None:
    """Write the pose of every remaining visual and collision in the frame of its link in the result."""
    dropped = plan.removed_shapes
    for link in plan.robot.links.values():
        T_new_old = plan.placements[link.name]
        if T_new_old == IDENTITY_POSE:
            continue
        for shape in link.shapes:
            if shape.source.offset not in dropped:
                write_pose(
                    document.copy_of(shape.source),
                    compose(T_new_old, shape.pose),
                    shape.pose,
                    plan.noise,
                )


def place_inertials(document: Document, plan: Plan) -> None:
    """Write merged masses, centers and tensors; a tensor is written in the axes of the link, so its rpy is 0.

    A link that neither turns nor gains mass keeps its text.
    """
    for link in links_left(plan):
        body = plan.bodies[link.name]
        # The first part is the link itself.
        gains = any(_has_inertia(part.mass_properties) for part in body.parts[1:])
        turns = plan.placements[link.name] != IDENTITY_POSE and link.inertial is not None
        total = body.mass_properties
        if total is not None and (gains or turns):
            write_inertial(document.copy_of(link.source), total, link.inertial, plan.noise)


def _has_inertia(properties: Optional[MassProperties]) -> bool:
    """Return True if mass properties have a mass or a tensor."""
    return properties is not None and (properties.mass > 0.0 or properties.inertia != ZERO_INERTIA)


def write_inertial(
    link: Element, new: MassProperties, before: Optional[UrdfInertial], noise: float
) -> None:
    """Write mass properties into a link, the tensor in its axes; lengths below `noise` [m] are 0.

    Values that stay the same keep their text, and entries below 1e-12 of the largest are 0.
    """
    old = before.properties if before else None
    turned = before is not None and before.rpy != ZERO
    inertial = link.find("inertial")
    if inertial is None:
        inertial = create("inertial", {})
        attach(link, [inertial], first=True)
    center = without_noise(new.center, noise)
    if turned or old is None or not same_numbers(old.center, center):
        origin = made_child(inertial, "origin")
        old_center = old.center if old else None
        _write(origin, "xyz", center, old_center)
        if turned or old is None:
            origin.unset("quat_xyzw")
            origin.set("rpy", "0 0 0")
    mass = made_child(inertial, "mass")
    inertia = made_child(inertial, "inertia")
    if old is None or not same_numbers((old.mass,), (new.mass,), 0.0):
        mass.set("value", format_number(new.mass))
    tensor = without_noise(_six(new), 1e-12 * largest_entry(new.inertia))
    if old is None or turned or not same_numbers(_six(old), tensor, 0.0):
        for key, value in zip(INERTIA_KEYS, tensor):
            inertia.set(key, format_number(value))
            # Some exporters also write iyx, izx and izy.
            mirrored = f"i{key[2]}{key[1]}"
            if inertia.get(mirrored) is not None:
                inertia.set(mirrored, format_number(value))


def made_child(parent: Element, name: str) -> Element:
    """Return the child with a tag; a missing child is made, an origin in front, as usual."""
    child = parent.find(name)
    if child is None:
        child = create(name, {})
        attach(parent, [child], first=name == "origin")
    return child


def _six(properties: MassProperties) -> Reals:
    """Return the six numbers of a tensor, in the order of INERTIA_KEYS."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = properties.inertia
    return (xx, xy, xz, yy, yz, zz)


def place_joints(document: Document, plan: Plan) -> None:
    """Write parent, origin and axis of every joint that stays."""
    for planned in plan.joints.values():
        joint = plan.robot.above[planned.joint.child]  # the joint of the input
        element = document.copy_of(joint.source)
        if planned.name != joint.name:
            element.set("name", planned.name)
        if planned.parent != joint.parent:
            made_child(element, "parent").set("link", planned.parent)
        _write_origin(element, planned.xyz, joint.origin.translation, planned.frame.rpy, joint.rpy)
        if planned.frame.axis is not None:
            new = planned.frame.axis_written
            text = (element.find("axis") or element).get("xyz")
            old = numbers_in(text, 3) if text is not None else None
            # Only the sign changes, so the digits keep their text.
            if text is not None and old == scale(-1.0, new):
                made_child(element, "axis").set(
                    "xyz", re.sub(NUMBER, lambda match: negated_text(match.group()), text)
                )
            elif text is not None or joint.axis != new:
                kept = old if joint.axis == new else None
                _write(made_child(element, "axis"), "xyz", new, kept)


def map_positions(document: Document, plan: Plan) -> None:
    """Write the mapped positions of every joint; if the sign changes, the ends of a range are exchanged."""
    for planned in plan.joints.values():
        element = document.copy_of(planned.joint.source)
        if planned.map != AS_IT_WAS:
            for (name, key), other in POSITIONS.items():
                part = element.find(name)
                if part is not None and key <= other:  # once for both ends of a range
                    _map_ends(part, (key, other), planned)
        mimic = element.find("mimic")
        if mimic is not None and planned.joint.mimic is not None:
            leader = plan.maps.get(planned.joint.mimic.joint, AS_IT_WAS)
            factor = mimic.get("multiplier") or "1"
            # The factor is a ratio of two positions, so two flips cancel out.
            if planned.map.sign * leader.sign < 0:
                mimic.set("multiplier", negated_text(factor))
            offset = mimic.get("offset") or "0"
            new = planned.map.text_of(offset, *[(factor, repr(leader.zero))] * (leader.zero != 0.0))
            if new != offset:
                mimic.set("offset", new)


def _map_ends(part: Element, ends: Pair, planned: JointPlan) -> None:
    """Change [low, high] to [low - zero, high - zero], or to [zero - high, zero - low] if the sign changes.

    A missing end stays missing, on the other side if the sign changes. But a missing end that readers assume to be 0 is
    written if the zero moves. Both ends may be the same attribute.
    """
    low, high = ends
    texts = {low: part.get(low), high: part.get(high)}
    places = {low: high, high: low} if planned.map.sign < 0 else {low: low, high: high}
    is_read = planned.joint.type != "continuous" and any(texts.values())
    if planned.map.zero and (part.name in READ_AS_ZERO and is_read or part.get(SPRING[0])):
        texts = {end: text or "0" for end, text in texts.items()}
    # A single end stays in its place in the text, under the other name.
    for end, text in texts.items():
        if text is None and texts[places[end]] is not None:
            part.rename(places[end], end)
    for end, text in texts.items():
        if text is not None:
            part.set(places[end], planned.map.text_of(text))


def follow(document: Document, plan: Plan) -> None:
    """Carry out the edits outside links and joints, and remove the elements whose joint is removed."""
    carry_out(document, plan.updates.edits)
    dropped = map(document.copy_of, plan.updates.drops)
    # Elements of the same parent are removed at once, because `detach` copies all children.
    for parent, elements in groupby(dropped, key=lambda element: element.parent):
        if parent is not None:
            detach(parent, list(elements))


def rename_meshes(document: Document, plan: Plan) -> None:
    """Write relative file names for the folder of the output."""
    names = plan.meshes.names
    if not names:
        return
    for element in document.root.walk():
        if element.name in NAMES_FILE and use_of(element) in names:
            element.set("filename", names[use_of(element)])


def split_meshes(document: Document, plan: Plan) -> None:
    """Replace every visual of a converted mesh by a visual for each part; a collision gets its merged parts."""
    if not plan.meshes.converted:
        return
    # By name, the last number that was tried; `make_name_unique` uses and changes them.
    used_names: Dict[Pair, int] = {}
    for link in links_left(plan):
        for element in document.copy_of(link.source).elements():
            used_names[element.name, element.get("name") or ""] = 1
    # The first part is the visual itself, so that its comments stay with it.
    for split in plan.meshes.converted:
        element = document.copy_of(split.shape.source)
        parts = [element] + [copy_element(element) for _ in split.parts[1:]]
        for previous, copy in zip(parts, parts[1:]):
            attach_behind(previous, copy)
        for number, (part, made) in enumerate(zip(split.parts, parts)):
            if not made.get("name") and (part.material or len(parts) > 1):
                made.set("name", mesh_stem(part.filename))
                make_name_unique(made, used_names)
            elif number:
                make_name_unique(made, used_names)
            mesh = made_child(made_child(made, "geometry"), "mesh")
            mesh.set("filename", part.filename)
            if part.material:
                _set_material(made, part.material, part.rgba)
            elif part.has_own_colors:
                detach(made, made.elements("material"))


def _set_material(visual: Element, name: str, rgba: str) -> None:
    """Write the name and the color of the material of a visual, which then has no image."""
    material = made_child(visual, "material")
    material.set("name", name)
    detach(material, material.elements("texture"))
    made_child(material, "color").set("rgba", rgba)


def own_note(says: str) -> str:
    """Return a comment of this tool."""
    return f"<!-- {signature()}: {says} -->"


def note_in_front(
    document: Document,
    root: Union[Element, str],
    note: str,
    kind: str = OWN_NOTE,
    newline: Optional[str] = None,
) -> None:
    """Insert a note before the root or its text, or in place of an earlier note of the same `kind`.

    An empty note removes the earlier note. `newline` separates the note from the root; None is the document's own.
    """
    nodes = document.children
    earlier = [
        k
        for k, node in enumerate(nodes)
        if str(node).startswith("<!--") and re.match(kind, str(node)[4:].lstrip())
    ]
    if earlier and note:
        nodes[earlier[0]] = note
    elif earlier:
        # The white space after it is removed, too.
        del nodes[earlier[0] : earlier[0] + 2]
    elif note:
        index = next(k for k, node in enumerate(nodes) if node is root)
        line_end = document.newline if newline is None else newline
        nodes[index:index] = [note, line_end]


def write_pose(owner: Element, new: Transform, old: Transform, noise: float) -> None:
    """Write the `<origin>` of a shape, or of another element with a pose in a link; lengths below `noise` [m] become 0."""
    xyz = without_noise(new.translation, noise)
    turn = rotation_angle(new.rotation, old.rotation)
    if turn < ANGLE_NOISE:
        _write_origin(owner, xyz, old.translation, ZERO, ZERO)
    else:
        rpy = without_noise(rpy_from_matrix(new.rotation), ANGLE_NOISE)
        # Old angles are kept only after a small turn; after a larger turn all angles are written.
        old_rpy = rpy_from_matrix(old.rotation) if turn < 100.0 * ANGLE_NOISE else ()
        _write_origin(owner, xyz, old.translation, rpy, old_rpy)


def _write_origin(
    owner: Element,
    xyz: Sequence[float],
    old_xyz: Vector,
    rpy: Sequence[float],
    old_rpy: Sequence[float],
) -> None:
    """Write the values that changed; a missing `<origin>` is made if needed. If `old_rpy` is (), all angles are written."""
    moved = not same_numbers(old_xyz, xyz)
    # An angle such as 1e-17 that becomes 0 is written, although it counts as equal.
    turned = not same_numbers(old_rpy, rpy) or any(
        a != 0.0 and b == 0.0 for a, b in zip(old_rpy, rpy)
    )
    if not moved and not turned:
        return
    made = owner.find("origin") is None
    origin = made_child(owner, "origin")
    if moved or made:
        origin.set("xyz", format_numbers(xyz))
    if turned or made:
        origin.unset("quat_xyzw")
        origin.set("rpy", format_numbers(rpy))


def _write(
    element: Element, attribute: str, new: Sequence[float], old: Optional[Sequence[float]]
) -> None:
    """Write numbers unless they are equal to the old numbers; without old numbers (None) they are always written."""
    if old is None or not same_numbers(old, new):
        element.set(attribute, format_numbers(new))


# Repairs come first, so that all other passes find the repaired text. Shapes and masses are placed before `merge_links`,
# while they are in their own links.
PASSES: Tuple[Callable[[Document, Plan], None], ...] = (
    write_repairs,
    define_materials,
    drop_shapes,
    place_shapes,
    place_inertials,
    merge_links,
    fix_joints,
    place_joints,
    map_positions,
    follow,
    rename_meshes,
    split_meshes,
)
