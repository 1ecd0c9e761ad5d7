"""The part of the proof about visuals and collisions: each is in its place, with all that it has, and none is lost."""
import os
from typing import Dict, List, Mapping, NamedTuple, Optional, Tuple

from ..urdf.lossless_xml import Document, Element, Node
from ..urdf.mesh_paths import is_relative
from ..urdf.spatial import Pose
from ..plan.merging import SAME_PLACE
from ..plan.mesh_splitting import SplitPart
from .comparison import Comparison, TOLERANCE
from .rigid_motion import chained, pose_error

COPY_ROOM = 10.0 * SAME_PLACE  # [m + rad] a copy may be off by the precision of six printed digits

Looks = Tuple[str, ...]


class _Gallery(NamedTuple):
    """What names of materials mean in a file, where its file names begin ("" where they are compared as text), and the
    files that URIs reach."""

    materials: Dict[str, Element]
    folder: str
    files: Mapping[str, str]


def prove_shapes(comparison: Comparison) -> int:
    """Match every shape of the result with one of the input, and every dropped copy with one that stays.

    Return how many shapes the result has; nothing may be missing but what the plan drops.
    """
    plan, worst = comparison.plan, comparison.worst
    old = _gallery(comparison.before.document, comparison.folders.before, plan.uri_files)
    new = _gallery(comparison.after.document, comparison.folders.after, plan.uri_files)
    parts = {split.shape.source.offset: split.parts for split in plan.splitting.splits}
    stripped = {strip.shape.source.offset for strip in plan.strips}
    copied = {copy.shape.source.offset for copy in plan.copies}
    wanted: Dict[Tuple[str, Looks], List[Pose]] = {}
    originals: Dict[Tuple[str, Looks], List[Pose]] = {}
    copies: List[Tuple[Tuple[str, Looks], Pose]] = []
    merged_last = sorted(plan.members, key=lambda name: plan.members[name].merged)
    for link in (comparison.before.links[name] for name in merged_last):
        target = plan.members[link.name].target
        for shape in link.shapes:
            element, T = shape.element, chained(comparison.T_before[link.name], shape.pose)
            if element.offset in stripped:
                continue
            if copied:
                key = (target, _looks_of(element, old, None, False))
                if element.offset in copied:
                    copies.append((key, T))
                    continue
                originals.setdefault(key, []).append(T)
            for part in parts.get(element.offset, (None,)):
                looks = _looks_of(element, old if part is None else old._replace(folder=new.folder), part, True)
                wanted.setdefault((target, looks), []).append(T)
    for key, T in copies:
        near = min((sum(pose_error(T, other)) for other in originals.get(key, ())), default=float("inf"))
        worst.require(near <= COPY_ROOM, f"a <{key[1][0]}> that is dropped from link '{key[0]}' is no copy of another")
    return _match_shapes(comparison, wanted, new)


def _match_shapes(comparison: Comparison, wanted: Dict[Tuple[str, Looks], List[Pose]], new: _Gallery) -> int:
    """Take for each shape of the result the one of the input that is nearest to its place; none may be left over."""
    worst, count = comparison.worst, 0
    for link in comparison.after.links.values():
        for shape in link.shapes:
            where = f"a <{shape.element.name}> of link '{link.name}' ({_kind_of_shape(shape.element)})"
            there = wanted.get((link.name, _looks_of(shape.element, new, None, True)), [])
            worst.require(bool(there), f"{where} is not in the input")
            T = chained(comparison.T_after[link.name], shape.pose)
            place = 0 if sum(pose_error(T, there[0])) <= TOLERANCE else (  # nearly always, as the order is kept
                min(range(len(there)), key=lambda k: sum(pose_error(T, there[k]))))
            apart, angle = pose_error(T, there.pop(place))
            worst.note("position", apart, TOLERANCE * comparison.size, where, " m")
            worst.note("angle", angle, TOLERANCE, where, " rad")
            count += 1
    lost = [key for key, left in wanted.items() if left]
    worst.require(not lost, f"a <{lost[0][1][0]}> of link '{lost[0][0]}' is lost" if lost else "")
    return count


def _kind_of_shape(shape: Element) -> str:
    """Return the mesh of a shape, or the kind of its geometry, for a message."""
    geometry = shape.find("geometry")
    inside = geometry.elements() if geometry is not None else []
    return inside[0].get("filename") or inside[0].name if inside else "without geometry"


def _gallery(document: Document, folder: str, files: Mapping[str, str]) -> _Gallery:
    """Collect the first material that defines a color or an image for each name; those of the robot come first."""
    tops = document.root.elements()
    places = [top for top in tops if top.name == "material"]
    places += [child for top in tops if top.name == "link" for shape in top.elements() if shape.name == "visual"
               for child in shape.elements("material")]
    return _Gallery({place.get("name") or "": place for place in reversed(places)
                     if place.get("name") and place.elements()}, folder, files)


def _looks_of(shape: Element, gallery: _Gallery, part: Optional[SplitPart], named: bool) -> Looks:
    """Return all of a shape but its place, as text: its kind, geometry, material, and unknown tags.

    A material that is only a name is resolved. With `part`, return how a part of the mesh is to look;
    unless `named`, two names of one color are the same.
    """
    blocks: List[Tuple[str, ...]] = []
    for top in shape.elements():
        if top.name == "material" and part is not None and part.has_own_colors:
            continue
        if top.name == "material" and not (part is not None and part.material):
            name = top.get("name") or ""
            known = top if top.elements() else gallery.materials.get(name, top)
            inner = [word for child in known.elements() for word in _words_of(child, gallery, None)]
            blocks.append(("material", *([name] if named or not inner else []), *inner))
        elif top.name not in ("origin", "material"):
            blocks.append(_words_of(top, gallery, part))
    if part is not None and part.material:
        blocks.append(("material", part.material, "color", f"rgba={part.rgba}", ""))
    return (shape.name, *(word for block in sorted(blocks) for word in block))


def _words_of(top: Element, gallery: _Gallery, part: Optional[SplitPart]) -> Tuple[str, ...]:
    """Return an element and all in it as words; file names as the files that they reach."""
    words: List[str] = []
    for element in top.walk():
        attributes = dict(element.attributes)
        if element.name in ("mesh", "texture") and "filename" in attributes:
            if part is not None and element.name == "mesh":
                attributes["filename"] = part.filename
            attributes["filename"] = reached_file(attributes["filename"], gallery.folder, gallery.files)
        words += [element.name, *(f"{key}={value}" for key, value in sorted(attributes.items())),
                  element.text().strip() if not all(map(_is_blank, element.children)) else ""]
    return tuple(words)


def _is_blank(node: Node) -> bool:
    return isinstance(node, Element) or node.isspace()


def reached_file(filename: str, folder: str, files: Mapping[str, str]) -> str:
    """Return the real path of the file that a name reaches from a folder, or the one that it has in `files`.

    Any other URI, and with no folder any name, is returned as it is; readers do not look at blanks around a name.
    """
    if filename in files:
        return files[filename]
    filename = filename.strip()
    if not folder or not (is_relative(filename) or os.path.isabs(filename)):
        return filename
    return os.path.realpath(os.path.join(folder, filename.replace("\\", "/")))
