"""Make collision data of an SRDF follow the plan: pairs that are not checked, and spheres."""
from typing import Dict, FrozenSet, List, NamedTuple, Set

from ..base.number_text import format_numbers, read_numbers, same_numbers, without_noise
from ..urdf.lossless_xml import Document, Element, is_comment
from ..urdf.spatial import move, IDENTITY_POSE
from ..urdf.xml_edits import attach, detach
from .editor import drop_elements, links_by_target, SrdfEditor
from .elements import DEFAULT, DISABLE, ENABLE
from .kinds import SRDF_COLLISIONS, SRDF_SPHERES

LENGTH_NOISE_OF_SPHERES = 1e-13  # [m]

LinkPair = FrozenSet[str]


class _Checked(NamedTuple):
    """Which pairs of links a planner checks: no disabled pair; else enabled ones, and those without a default link."""

    disabled: Set[LinkPair]
    enabled: Set[LinkPair]
    defaults: Set[str]

    def checks(self, first: str, second: str) -> bool:
        pair = frozenset((first, second))
        return pair not in self.disabled and (pair in self.enabled or not (first in self.defaults
                                                                           or second in self.defaults))


def _read_checked(document: Document) -> _Checked:
    root = document.root
    return _Checked({_pair(element) for element in root.elements(DISABLE)},
                    {_pair(element) for element in root.elements(ENABLE)},
                    {element.get("link") or "" for element in root.elements(DEFAULT)})


def _pair(element: Element) -> LinkPair:
    return frozenset((element.get("link1") or "", element.get("link2") or ""))


def follow_pairs(editor: SrdfEditor) -> None:
    """Let pairs name the links that have the shapes now; drop pairs within a link and repeated ones.

    A link may replace several, so a pair may cover more shapes than before: warn.
    """
    before = _read_checked(editor.document)
    for kind in (DISABLE, ENABLE):
        dropped: List[Element] = []
        seen: Set[LinkPair] = set()
        seen_before: Set[LinkPair] = set()
        for element in editor.document.root.elements(kind):
            old = _pair(element)
            editor.follow_names(element)
            pair = _pair(element)
            # A pair that is repeated in the input, too, is not removed.
            again = pair in seen and (pair != old or old not in seen_before)
            if again or len(pair) < len(old):
                editor.note(element, f"<{kind}>", "pair-again" if again else "one-link")
                dropped.append(element)
            seen.add(pair)
            seen_before.add(old)
        drop_elements(editor.document.root, dropped)
    for element in editor.document.root.elements(DEFAULT):
        old_name = element.get("link") or ""
        editor.follow_names(element)
        name = element.get("link") or ""
        if name != old_name and name in before.defaults:
            editor.note(element, f"<{DEFAULT}>", "link-again")
            drop_elements(editor.document.root, [element])
    _warn_of_widened(editor, before)


def _warn_of_widened(editor: SrdfEditor, before: _Checked) -> None:
    """Warn of each element that treats a pair of shapes differently than the input."""
    after, parts = _read_checked(editor.document), links_by_target(editor.plan)
    root = editor.document.root
    for element in [*root.elements(DISABLE), *root.elements(ENABLE)]:
        first, second = element.get("link1") or "", element.get("link2") or ""
        first, second = min(first, second), max(first, second)
        enabled = element.name == ENABLE
        pairs = [(a, b) for a in parts.get(first, ()) for b in parts.get(second, ())
                 if before.checks(a, b) != enabled]
        if pairs and first != second and (not enabled or after.checks(first, second)):
            sentence = "checked" if enabled else "unchecked-more" if pairs[1:] else "unchecked"
            editor.warn(element, SRDF_COLLISIONS, sentence, *pairs[0], first, second, numbers=(len(pairs) - 1,))
    for element in root.elements(DEFAULT):
        link = element.get("link") or ""
        others = [name for name in parts.get(link, ()) if name not in before.defaults]
        if others:
            editor.warn(element, SRDF_COLLISIONS, "default", others[0], link)


def follow_spheres(editor: SrdfEditor) -> None:
    """Move the centers of collision spheres into the new frames, and gather them under the link that has them now."""
    first: Dict[str, Element] = {}
    sources: Dict[str, List[str]] = {}
    dropped = []
    for element in editor.document.root.elements("link_sphere_approximation"):
        name = element.get("link") or ""
        editor.follow_names(element)
        if editor.plan.placements.get(name, IDENTITY_POSE) != IDENTITY_POSE:
            moved = [_move_sphere(editor, sphere, name) for sphere in element.elements("sphere")]
            if any(moved):
                editor.note(element, f"<link_sphere_approximation link='{name}'>", "centers")
        link = element.get("link") or ""
        sources.setdefault(link, []).append(name)
        target = first.setdefault(link, element)
        if target is not element:
            for nodes in detach(element, element.elements("sphere")):
                attach(target, nodes)
            for node in filter(is_comment, element.children):  # after the last sphere
                attach(target, [node])
            dropped.append(element)
    drop_elements(editor.document.root, dropped)
    parts = links_by_target(editor.plan)
    for link, element in first.items():
        missing = [name for name in parts.get(link, ()) if name not in sources[link]]
        if missing:
            editor.warn(element, SRDF_SPHERES, "missing", link, missing[0])


def _move_sphere(editor: SrdfEditor, sphere: Element, link: str) -> bool:
    """Move the center of a sphere; return True if it changed."""
    try:
        x, y, z = read_numbers(sphere.get("center") or "", 3)
    except ValueError as error:
        editor.warn(sphere, SRDF_SPHERES, "center", link, str(error))
        return False
    new = without_noise(move(editor.plan.placements[link], (x, y, z)), LENGTH_NOISE_OF_SPHERES)
    if same_numbers((x, y, z), new):
        return False
    sphere.set("center", format_numbers(new))
    return True
