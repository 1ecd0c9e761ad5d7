"""What stands beside links, joints, inertias and shapes, laid flat, so that the proof can compare it."""
from typing import Dict, List, NamedTuple, Optional, Set, Tuple, Union

from ..urdf.lossless_xml import Element
from ..urdf.model import Robot
from ..plan.decisions import Plan

Entry = Tuple[str, Tuple[Tuple[str, str], ...], str]  # name, attributes sorted, text


class _Expected(NamedTuple):
    """How elements are to come out, by their offset in the input: dropped, with other values, with new children."""

    dropped: Set[int]
    changed: Dict[int, Dict[str, str]]
    made: Dict[int, Dict[str, Dict[str, str]]]
    mesh_names: Dict[str, str]
    added: Tuple[Entry, ...] = ()


def content_beside(robot: Robot, plan: Optional[Plan]) -> Dict[str, List[Entry]]:
    """Return everything beside links and joints (key "") and, by link, everything in it but inertial and shapes.

    Given a plan, return what is to be there once it is carried out.
    """
    expected = _expect(plan)
    found: Dict[str, List[Entry]] = {}
    for element in robot.document.root.elements():
        if element.name not in ("link", "joint"):
            found.setdefault("", []).extend(_lay_flat(element, expected))
    found.setdefault("", []).extend(expected.added)
    for link in robot.links.values():
        target = plan.members[link.name].target if plan is not None and plan.gone(link.name) else link.name
        for element in link.extras:
            found.setdefault(target, []).extend(_lay_flat(element, expected))
    return {key: sorted(entries) if key else entries for key, entries in found.items() if entries}


def _expect(plan: Optional[Plan]) -> _Expected:
    expected = _Expected(set(), {}, {}, {})
    if plan is None:
        return expected
    for edit in plan.following.edits:
        offset = edit.element.offset
        values = expected.made.setdefault(offset, {}).setdefault(edit.made, {}) if edit.made else (
            expected.changed.setdefault(offset, {}))
        values[edit.attribute] = edit.value
    added: Tuple[Entry, ...] = ()
    if plan.compiler:
        top = plan.robot.document.root.find("mujoco")
        compiler = top.find("compiler") if top is not None else None
        if compiler is not None:
            expected.changed.setdefault(compiler.offset, {}).update(plan.compiler)
        elif top is not None:
            expected.made.setdefault(top.offset, {})["compiler"] = dict(plan.compiler)
        else:
            added = (_entry("mujoco", {}), _entry("compiler", dict(plan.compiler)))
    return expected._replace(dropped={e.offset for e in plan.following.drops}, mesh_names=plan.mesh_names, added=added)


def _lay_flat(top: Element, expected: _Expected) -> List[Entry]:
    """Return an element and all below it in document order."""
    entries: List[Entry] = []
    waiting: List[Union[Element, Entry]] = [top]
    while waiting:
        element = waiting.pop()
        if isinstance(element, tuple):
            entries.append(element)
            continue
        if element.offset in expected.dropped:
            continue
        attributes = {key: expected.mesh_names.get(value, value) for key, value in element.attributes.items()}
        entries.append(_entry(element.name, {
            **attributes, "": element.text().strip(), **expected.changed.get(element.offset, {})}))
        made = {name: _entry(name, values) for name, values in expected.made.get(element.offset, {}).items()}
        origin = made.pop("origin", None)  # an <origin> is made in front, all else behind
        waiting += [*reversed(list(made.values())), *reversed(element.elements()), *([origin] if origin else [])]
    return entries


def _entry(name: str, values: Dict[str, str]) -> Entry:
    return (name, tuple(sorted((key, value) for key, value in values.items() if key)), values.get("", ""))
