"""The twin in an SRDF: groups, states, end effectors and pairs of the sub-tree are copied, others gain its parts."""
from typing import Dict, List, Mapping, NamedTuple

from ..srdf.elements import GROUP_KEYS, names_of_tag
from ..urdf.lossless_xml import Element
from ..urdf.xml_edits import attach, attach_behind, copy_element
from .records import Draft
from .twin import name_of_twin, turn_signs, Twin

OF_GROUPS = ("group", "group_state")


class _Copies(NamedTuple):
    """What copies are renamed by: new names of links and joints, and of groups that are copied."""

    twin: Twin
    names: Mapping[str, str]
    groups: Dict[str, str]

    def copy_of(self, element: Element) -> Element:
        """Return the twin's copy of an element."""
        copy = copy_element(element)
        for part in copy.walk():
            keys = names_of_tag(part)
            for key in (*keys.links, *keys.joints):
                name = part.get(key) or ""
                part.set(key, self.names.get(name, name))
            self._rename_groups(part)
            if part.name == "sphere":
                turn_signs(self.twin.plane, part, "center")
        return copy

    def _rename_groups(self, part: Element) -> None:
        for key in GROUP_KEYS.get(part.name, ()):
            name = part.get(key) or ""
            if name in self.groups:
                part.set(key, self.groups[name])
        if part.name == "end_effector":
            part.set("name", name_of_twin(self.twin, part.get("name") or ""))


def mirror_srdf(draft: Draft, twin: Twin) -> None:
    """Add what an SRDF says of a sub-tree for its twin, too; a group that is larger gains the parts of the twin."""
    if draft.srdf is None:
        return
    root, copies = draft.srdf.root, _Copies(twin, {**twin.joints, **twin.links}, {})
    tops = root.elements()
    for group in (top for top in tops if top.name == "group"):
        named = [_named(part)[-1:] for part in group.elements()]  # of a chain, the tip
        if named and all(names and names[0] in copies.names for names in named):
            name = group.get("name") or ""
            copies.groups[name] = name_of_twin(twin, name)
    for top in tops:
        name = top.get("name" if top.name == "group" else "group") or ""
        if top.name in OF_GROUPS and name not in copies.groups:
            for part in top.elements():
                if part.name in ("link", "joint") and copies.names.keys() & set(_named(part)):
                    attach_behind(part, copies.copy_of(part))
                    draft.note_srdf(top, "twin", _named(part)[0])
        elif top.name in OF_GROUPS or top.name != "virtual_joint" and copies.names.keys() & set(_named(top)):
            attach(root, [copies.copy_of(top)])
            draft.note_srdf(top, "copied", top.name)


def _named(element: Element) -> List[str]:
    """Return the links and joints that an element names."""
    keys = names_of_tag(element)
    return [element.get(key) or "" for key in (*keys.links, *keys.joints)]
