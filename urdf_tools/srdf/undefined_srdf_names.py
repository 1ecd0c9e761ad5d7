"""The names in an SRDF that neither the robot nor the SRDF defines."""

from __future__ import annotations

from typing import Collection, Dict, Iterator, List, Set, Tuple

from ..base.type_aliases import Pair
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean
from ..urdf.lossless_xml import Element
from .srdf_editor import FREE_FLYER, GROUP_KEYS, LISTS, names_of_tag
from .srdf_diagnostics import SRDF_NAME


def unknown_names(
    root: Element, links: Collection[str], joints: Collection[str]
) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each unknown name in an SRDF; `links` and `joints` are the names of the robot."""
    virtual = [joint.get("name") or "" for joint in root.elements("virtual_joint")]
    groups = [group.get("name") or "" for group in root.elements("group")]
    known_names: Dict[str, List[str]] = {
        "link": sorted(links),
        # Planners recognize the joint of a floating base by its name, even if the SRDF does not define it.
        "joint": sorted({*joints, *virtual, FREE_FLYER}),
        "group": groups,
    }
    reported: Set[Pair] = set()
    for element, attribute, kind in _named(root):
        name = element.get(attribute) or ""
        if name not in known_names[kind] and (kind, name) not in reported:
            reported.add((kind, name))
            names = (name, element.name, attribute, kind, did_you_mean(name, known_names[kind]))
            sentence = "group" if kind == "group" else "unknown"
            yield Diagnostic(SRDF_NAME, element.line, sentence, names)


def _named(root: Element) -> Iterator[Tuple[Element, str, str]]:
    """Yield each reference to a name: the element, the attribute, and "link", "joint" or "group"."""
    for top in root.elements():
        # Only lists have parts that planners read; the parts of other elements have no standard meaning.
        inside = top.elements() if top.name in LISTS else []
        for element in (top, *inside):
            names = names_of_tag(element)
            for attribute in names.links:
                yield element, attribute, "link"
            for attribute in names.joints:
                yield element, attribute, "joint"
            # A group at the top defines its name.
            if element is top and element.name == "group":
                continue
            for attribute in GROUP_KEYS.get(element.name, ()):
                if element.get(attribute) is not None:  # a parent group is optional
                    yield element, attribute, "group"
