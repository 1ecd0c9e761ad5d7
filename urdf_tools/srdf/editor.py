"""Edit an SRDF in place and record every change."""
from typing import Dict, List, Sequence, Set, Tuple

from ..base.diagnostics import Diagnostic, Kind
from ..base.errors import did_you_mean
from ..urdf.lossless_xml import Document, Element
from ..urdf.spatial import IDENTITY_POSE, Pose
from ..urdf.xml_edits import detach
from ..plan.decisions import Plan
from ..plan.edits import ReferenceUpdate
from .elements import Lost, names_of_tag
from .kinds import FOLLOWED, SRDF_NAME


class SrdfEditor:
    """An SRDF document that is edited, the plan that it follows, and the collected notes and warnings.

    Attributes:
        joints: the joint names of the input.
        removed: the names of removed joints.
        lost: the names of dropped and locked links and joints.
        virtual: the names of virtual joints, which only the SRDF has.
        unknown: unknown names with a warning already.
    """

    def __init__(self, document: Document, plan: Plan, lost: Lost) -> None:
        self.plan, self.document = plan, document
        self.joints = {joint.name for joint in plan.robot.joints}
        self.removed = self.joints - {planned.name for planned in plan.joints.values()}
        self.lost = lost
        self.virtual = {element.get("name") or "" for element in document.root.elements("virtual_joint")}
        self.notes: List[ReferenceUpdate] = []
        self.warnings: List[Diagnostic] = []
        self.unknown: Set[str] = set()

    def note(self, element: Element, what: str, sentence: str, *names: str) -> None:
        """Record a change; `names` are those of the sentence, one of FOLLOWED."""
        self.notes.append(ReferenceUpdate(element.line, what, element.name, sentence, names, FOLLOWED))

    def warn(self, element: Element, kind: Kind, sentence: str, *names: str, numbers: Tuple[float, ...] = ()) -> None:
        """Record a warning; `names` and `numbers` are those of the sentence."""
        self.warnings.append(Diagnostic(kind, element.line, sentence, names, numbers))

    def motion(self, link: str) -> Pose:
        """Return T_new_old of a link, IDENTITY_POSE for an unknown name, and for a frame that is not moved."""
        member = self.plan.members.get(link)
        stays = member is None or member.merged and not self.plan.is_removed(link)
        return IDENTITY_POSE if stays else self.plan.placements[link]

    def follow_names(self, element: Element) -> bool:
        """Update the link names in an element; return True if it names a joint that is merged away."""
        names = names_of_tag(element)
        for attribute in names.links:
            self.link(element, attribute)
        gone = [self.joint(element, attribute) for attribute in names.joints]
        return any(gone)

    def link(self, element: Element, attribute: str) -> None:
        """Replace the name of a removed link by its target; in an element of shapes also that of an emptied link."""
        name = element.get(attribute) or ""
        member = self.plan.members.get(name)
        if member is None:
            self.miss(element, attribute, name, list(self.plan.members), "link")
        elif self.plan.is_removed(name) or names_of_tag(element).of_shapes and member.merged:
            what = f"<{element.name} {attribute}='{name}'>"
            element.set(attribute, member.target)
            self.note(element, what, "name", member.target)

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


def drop_elements(parent: Element, elements: Sequence[Element]) -> None:
    """Remove children with the white space before them; a comment above stays, as it may be for a whole list."""
    detach(parent, elements, comments=False)


def links_by_target(plan: Plan) -> Dict[str, List[str]]:
    """Return, by the link that has the shapes afterwards, the links whose collision shapes are in it."""
    parts: Dict[str, List[str]] = {}
    for name, member in plan.members.items():
        if any(shape.kind == "collision" for shape in plan.robot.links[name].shapes):
            parts.setdefault(member.target, []).append(name)
    return parts
