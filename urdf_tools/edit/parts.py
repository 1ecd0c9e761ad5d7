"""Keep a part of a robot; the acts `only` and `drop`."""
from fnmatch import fnmatchcase
from math import fsum
from typing import AbstractSet, Any, Sequence

from ..apply.passes import define_materials
from ..base.diagnostics import Diagnostic
from ..base.errors import did_you_mean, UsageError
from ..base.kinds import MIMIC
from ..base.number_text import count_of
from ..compare.law import Law, subtree
from ..meshing.make import first_definitions
from ..report.layout import mass_text
from ..urdf.kinematics import poses_at
from ..urdf.spatial import IDENTITY_POSE, Pose, ZERO
from ..urdf.xml_edits import detach
from .frames import axes_note, follow, moved, plan_of, write_frames
from .records import Draft, Made, with_joints
from .wishes import listed, Wish, wishes_of, words_for_note


def drop(draft: Draft, values: Sequence[Any]) -> Made:
    """Remove links with all below them.

    Raises:
        UsageError: one of them is the root.
    """
    robot = draft.robot
    meant = {wish: [name for name in robot.links if fnmatchcase(name, wish.glob)]
             for wish in wishes_of(draft, "drop", values)}
    for wish, links in meant.items():
        if robot.root in links:
            raise wish.refused(f"'{robot.root}' is the root, and nothing would stay", draft,
                               robot.links[robot.root].source.line)
    going = {link for links in meant.values() for top in links for link in draft.below(top)}
    words = words_for_note(draft, meant, "link")
    lost = [name for name in robot.links if name in going]
    made = _without(draft, going)
    mass = mass_text(fsum(robot.links[name].mass for name in lost))
    did = f"{count_of(len(lost), 'link')} dropped: {listed(lost)} ({mass} kg)"
    return made._replace(words=words, did=did if lost else "")


def only(draft: Draft, values: Sequence[Any]) -> Made:
    """Keep a link and all below it; the note says how its frame, which is that of the base now, lies in the world.

    Where its axes are not along those of the world, the frame is turned: words can say the former only.

    Raises:
        UsageError: there is no such link.
    """
    robot, top = draft.robot, values[-1]
    if top not in robot.links:
        raise UsageError(f"--only {top}: there is no such link{did_you_mean(top, list(robot.links))}", draft.path)
    if top == robot.root:
        return Made(Law(), "")
    R_world_top = poses_at(robot, {}, IDENTITY_POSE)[top].rotation
    base, placements = axes_note(robot, R_world_top), {}
    if not base:
        placements = {top: Pose(R_world_top, ZERO)}
        base = axes_note(robot)
        write_frames(draft, placements)
    made = _without(draft, robot.links.keys() - set(draft.below(top)), top, placements.get(top, IDENTITY_POSE))
    law = made.law._replace(removed=frozenset(), frames=moved(placements))
    return made._replace(law=law, base=base, words=words_for_note(draft, {Wish("only", top): [top]}, "link"),
                         did=f"only '{top}' and below", laws=lambda before, after, whole: (
                             (subtree(before, top), after, whole),))


def _without(draft: Draft, going: AbstractSet[str], root: str = "", T_new_old: Pose = IDENTITY_POSE) -> Made:
    """Remove links, the joints at them, and all that goes with these; `root` and its placement are those of a part."""
    robot = draft.robot
    staying = [joint for joint in robot.joints if going.isdisjoint((joint.parent, joint.child))]
    part = with_joints(robot, staying)._replace(
        links={name: link for name, link in robot.links.items() if name not in going}, root=root or robot.root)
    plan = plan_of(draft, {part.root: T_new_old}, part)
    plan = plan._replace(definitions=first_definitions(plan, (), robot))
    define_materials(draft.document, plan)
    gone = robot.named.keys() - part.named.keys()
    for joint in part.joints:
        mimic = draft.copy(joint.source).find("mimic")
        if mimic is not None and mimic.get("joint") in gone:
            detach(draft.copy(joint.source), [mimic])
            draft.warnings.append(Diagnostic(MIMIC, joint.source.line, "released", (
                joint.name, mimic.get("joint") or "")))
    plan = follow(draft, plan, gone=going, joints_gone=gone)
    lost = [*(link.source for name, link in robot.links.items() if name in going),
            *(joint.source for joint in robot.joints if joint.child not in part.above)]
    detach(draft.document.root, list(map(draft.copy, lost)))
    return Made(Law(removed=frozenset(going)), "", plan=plan)
