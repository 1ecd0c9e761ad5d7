"""Edit an SRDF in place and record every change."""
from typing import Dict, FrozenSet, List, NamedTuple, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic, Kind
from ..base.kinds import SRDF_NAME
from ..base.errors import did_you_mean
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial import NO_MOTION, Pose
from ..urdf.xml_edits import detach
from ..plan.decisions import Plan
from ..plan.edits import ReferenceUpdate
from .needs import frames_of_goals


class SrdfEditor(NamedTuple):
    """An SRDF document under edit, the plan that it follows, and the notes and warnings collected.

    Attributes:
        joints: the joint names of the input.
        removed: the names of removed joints.
        virtual: the names of virtual joints, which only the SRDF knows.
        frames: elements that make a link a frame of goals, with the link and what it is there.
        unknown: names that were warned of already.
    """

    plan: Plan
    document: Document
    joints: FrozenSet[str]
    removed: FrozenSet[str]
    virtual: FrozenSet[str]
    frames: Tuple[Tuple[Element, str, str], ...]
    notes: List[ReferenceUpdate]
    warnings: List[Diagnostic]
    unknown: Set[str]

    def note(self, element: Element, what: str, sentence: str, *names: str) -> None:
        """Record a change; `names` are those of the sentence."""
        self.notes.append(ReferenceUpdate(element.line, what, element.name, sentence, names))

    def warn(self, element: Element, kind: Kind, sentence: str, *names: str, numbers: Tuple[float, ...] = ()) -> None:
        """Record a warning; `names` and `numbers` are those of the sentence."""
        self.warnings.append(Diagnostic(kind, element.line, sentence, names, numbers))

    def motion(self, link: str) -> Pose:
        """Return T_new_old of a link, NO_MOTION for what is none, or for a frame that is left in its place."""
        member = self.plan.members.get(link)
        left = member is None or member.merged and not self.plan.is_removed(link)
        return NO_MOTION if left else self.plan.placements[link]

    def link(self, element: Element, attribute: str, also_frames: bool = False) -> None:
        """Replace the name of a removed link by its target, with `also_frames` also that of an emptied link."""
        name = element.get(attribute) or ""
        member = self.plan.members.get(name)
        if member is None:
            self.miss(element, attribute, name, list(self.plan.members), "link")
        elif self.plan.is_removed(name) or also_frames and member.merged:
            what = f"<{element.name} {attribute}='{name}'>"
            element.set(attribute, member.target)
            self.note(element, what, "is now '{0}'", member.target)

    def joint(self, element: Element, attribute: str) -> bool:
        """Return True if an attribute names a joint that is merged away; warn of an unknown name."""
        name = element.get(attribute) or ""
        if name not in self.joints and name not in self.virtual:
            self.miss(element, attribute, name, sorted(self.joints), "joint")
        return name in self.removed

    def miss(self, element: Element, attribute: str, name: str, known: List[str], kind: str) -> None:
        """Warn, once for each name, of a name that the robot does not have."""
        if name not in self.unknown:
            self.unknown.add(name)
            self.warn(element, SRDF_NAME, "unknown", name, element.name, attribute, kind, did_you_mean(name, known))


def open_editor(document: Document, plan: Plan) -> SrdfEditor:
    """Return the editor for a document and a plan."""
    joints = frozenset(joint.name for joint in plan.robot.joints)
    staying = {planned.name for planned in plan.joints.values()}
    virtual = frozenset(element.get("name") or "" for element in document.root.elements("virtual_joint"))
    return SrdfEditor(plan, document, joints, joints - staying, virtual,
                      tuple(frames_of_goals(document, plan.robot)), [], [], set())


def drop_elements(parent: Element, elements: Sequence[Element]) -> None:
    """Remove children with the white space before them; a comment above stays: it may head a whole list."""
    detach(parent, elements, comments=False)


def links_by_target(plan: Plan) -> Dict[str, List[str]]:
    """Return, by link that carries shapes afterwards, the links whose collision shapes are in it."""
    parts: Dict[str, List[str]] = {}
    for name, member in plan.members.items():
        if any(shape.kind == "collision" for shape in plan.robot.links[name].shapes):
            parts.setdefault(member.target, []).append(name)
    return parts
