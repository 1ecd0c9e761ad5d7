"""What simulators read for a link as a whole, so that a merge would spread it: contact, gravity, color.

gz keeps the surface of each geometry when it lumps links itself, PyBullet has one `<contact>` for each link. So a link
whose values differ from those of its target is kept; where it merges nevertheless, the target's values stay. What gz
reads for a whole body (gravity, self collision) is that of the body before and after.
"""
from typing import Dict, Iterable, List, NamedTuple, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic
from ..base.kinds import SURFACE_MERGED
from ..urdf.lossless_xml import Element
from ..urdf.model import NO_MASS
from ..facts.simulator_values import (BODY, body_meaning, COLOR, CONTACT, counting, default_of, lumped_links, meaning,
                                     OF_WHOLE_BODY, value_of, values_of_bodies, values_of_links)
from .variant import Variant

SURFACE_KINDS = (CONTACT, BODY, COLOR)
FRICTION = ("mu", "mu1", "mu2", "fdir1", "lateral_friction", "rolling_friction", "spinning_friction")

Setting = Sequence[Element]  # all tags of a key


class Difference(NamedTuple):
    """A value that a merged link and its target do not share; no tag: it is not written, so the default holds."""

    key: str
    own: Setting
    other: Setting


class Surfaces:
    """The values of each link, and, as links merge one after the other, parents first, those that hold for each target.

    A target without anything that a kind of values is for takes those of the first link that has something, unless
    `inherits` is False: an emptied link keeps its blocks, and what was in it is elsewhere. `stripped` are offsets of
    shapes. A link without mass has no weight that gravity could be turned off for.

    Attributes:
        lumped: by link, the body that sdformat makes it a part of.
        unused: offsets of the tags for which there is no use any more.
        warnings: what changes for the content of the links that merged, and of their targets.
    """

    def __init__(self, variant: Variant, stripped: Iterable[int], *, inherits: bool) -> None:
        robot = variant.robot
        self._robot, self._stripped, self._inherits = robot, set(stripped), inherits
        self.unused: Set[int] = set()
        self.warnings: List[Diagnostic] = []
        root = robot.document.root
        self._settings = values_of_links(root)
        self.lumped = lumped_links(root, variant.locked, variant.dropped)
        self._bodies = values_of_bodies(root, self.lumped)
        self._effective: Dict[Tuple[str, str], Dict[str, Setting]] = {}  # by link and kind
        for link, values in self._settings.items():
            for key, tags in values.items():
                self._effective.setdefault((link, default_of(key)[0]), {})[key] = tags

    def has_content(self, name: str, kind: str) -> bool:
        """Return True if a link has something that a kind of values is for."""
        link = self._robot.links[name]
        if kind == BODY:
            return link.mass >= NO_MASS
        shapes = link.collisions if kind == CONTACT else link.visuals
        return any(shape.source.offset not in self._stripped for shape in shapes)

    def differences(self, name: str, target: str, kind: str) -> List[Difference]:
        """Return what would change for the content of a link, if it merged into the target."""
        if not self._is_defined(target, kind):
            return []
        own, other = self._effective.get((name, kind), {}), self._effective.get((target, kind), {})
        keys = dict.fromkeys((*own, *other)) if self.has_content(name, kind) else {}
        found = [Difference(key, own.get(key, ()), other.get(key, ())) for key in keys if key not in OF_WHOLE_BODY]
        found = [one for one in found if meaning(one.key, one.own) != meaning(one.key, one.other)]
        bodies = self.lumped[name].body, self.lumped[target].body
        apart = bodies[0] != bodies[1] and (own or self.has_content(name, kind))
        for what in dict.fromkeys(OF_WHOLE_BODY.values()) if apart else ():
            one = Difference(what, *(self._bodies.get((body, what), ()) for body in bodies))
            if default_of(what)[0] == kind and body_meaning(what, one.own) != body_meaning(what, one.other):
                found.append(one)
        return found

    def _is_defined(self, target: str, kind: str) -> bool:
        """Return True if it is known which values hold for a target."""
        return not self._inherits or (target, kind) in self._effective or self.has_content(target, kind)

    def merge(self, name: str, target: str) -> None:
        """Let a link merge into its target: some of its values move there, the others have no use any more."""
        left = OF_WHOLE_BODY if self.lumped[name].body == self.lumped[target].body else {}  # to `settle`
        for kind in SURFACE_KINDS:
            self.warnings += [_warning(name, target, one) for one in self.differences(name, target, kind)]
            if self.has_content(name, kind) and not self._is_defined(target, kind):
                self._effective[target, kind] = self._effective.get((name, kind), {})
            elif self._inherits:
                self.unused.update(tag.offset for key, tags in self._settings.get(name, {}).items()
                                   if default_of(key)[0] == kind and key not in left for tag in tags)

    def settle(self, merged: Set[str]) -> None:
        """Leave of what sdformat reads for a whole body only what counts, where links of that body merged."""
        holders = {tag.offset: link for link, values in self._settings.items()
                   for tags in values.values() for tag in tags}
        changed = {self.lumped[name].body for name in merged}
        for (body, what), tags in self._bodies.items():
            if body in changed:
                holds = body_meaning(what, tags)
                alike = [tag for tag in tags if body_meaning(what, [tag]) == holds]
                staying = [tag for tag in alike if not self._inherits or holders[tag.offset] not in merged]
                if not staying and holds != body_meaning(what, []):
                    staying = [counting(tags)]
                self.unused.update({tag.offset for tag in tags} - {tag.offset for tag in staying})


def why_kept_apart(surfaces: Surfaces, name: str, target: str) -> str:
    """Return why a link must not merge into a target because of contacts or gravity, or "".

    What holds for a whole body is a reason only where the link is one: else sdformat lumps it into the target anyway.
    """
    found = [one for kind in (CONTACT, BODY) for one in surfaces.differences(name, target, kind)
             if one.key not in OF_WHOLE_BODY or surfaces.lumped[name].body == name]
    if not found:
        return ""
    what = list(dict.fromkeys("friction" if one.key in FRICTION else one.key for one in found))
    lines = sorted({counting(setting).line for one in found for setting in (one.own, one.other) if setting})
    return (f"its {(', ' if what[2:] else ' and ').join(what[:2])}{' and more' if what[2:] else ''} "
            f"differ{'' if what[1:] else 's'} from "
            f"'{target}', line{'s' if lines[1:] else ''} {', '.join(map(str, lines[:4]))}")


def _warning(name: str, target: str, one: Difference) -> Diagnostic:
    default = default_of(one.key)[1] or "none"
    if not one.own:
        setting = counting(one.other)
        return Diagnostic(SURFACE_MERGED, setting.line, "gained", (name, target, _short(setting), default),
                          offset=setting.offset)
    own = counting(one.own)
    stays = f"the default ({default})"
    if one.other:
        stays = f"{_short(counting(one.other))} of line {counting(one.other).line}"
    return Diagnostic(SURFACE_MERGED, own.line, "lost", (name, target, _short(own), stays), offset=own.offset)


def _short(setting: Element) -> str:
    """Return a tag and its value for a sentence; of a nested block the name says enough."""
    return setting.name if setting.elements() else f"{setting.name} {value_of(setting)}"
