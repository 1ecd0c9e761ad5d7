"""Decide what follows in the tags of Drake: filters, points of constraints and springs, bushings, tendons."""
from ..urdf.lossless_xml import Element
from .edits import Changes, follow_vector

ENDS_OF_POINTS = (("body_A", "p_AP"), ("body_B", "p_BQ"))  # after the tag's name: a body, and a point in its frame


def follow_filter(changes: Changes, top: Element) -> None:
    """Retarget the members of a collision filter group; the filter may now cover more links; warn."""
    members = {element.get("link") for element in top.walk()}
    for element in top.walk():
        link = element.get("link") or ""
        if changes.rename_link(element, "link", link) and changes.target(link) not in members:
            changes.warn(element, "wider-filter",
                         f"is now '{changes.target(link)}': the filter holds for all of that link", link,
                         changes.target(link))


def follow_points(changes: Changes, top: Element) -> None:
    """Move the points of a ball constraint or spring, each given in the frame of its body.

    A point that is not written is at the origin of its body, but for p_BQ of a ball constraint: Drake puts that one
    where P is. (https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html)
    """
    for body_name, point_name in ENDS_OF_POINTS:
        body, point = (top.find(f"{top.name}_{part}") for part in (body_name, point_name))
        link = (body.get("name") or "") if body is not None else ""
        if body is None or not changes.known(link):
            continue
        changes.rename_link(body, "name", link)
        if point is not None:
            follow_vector(changes, point, link, is_point=True)
        elif changes.moves(link) and top.name != "drake:ball_constraint":
            changes.warn(body, "missing-point", f"has no <{top.name}_{point_name}>, and the frame of '{link}' changes; "
                         "left as it is: write the point")


def follow_bushing(changes: Changes, top: Element) -> None:
    """Warn of a bushing between links themselves: it has no pose that could follow, unlike one between `<frame>`s."""
    for element in top.elements():
        link = element.get("name") or ""
        if element.name in ("drake:bushing_frameA", "drake:bushing_frameC") and changes.known(link):
            if changes.moves(link):
                changes.warn(element, "bushing-frame", f"names the frame of '{link}', which changes, with no pose that "
                             "could follow; left as it is: name a <frame> in that link instead")
            else:
                changes.rename_link(element, "name", link)


def follow_tendon(changes: Changes, top: Element) -> None:
    """Negate the coefficients of flipped joints: the length of a tendon is the sum of a * q."""
    for element in top.elements("drake:tendon_constraint_joint"):
        name = element.get("name")
        if changes.removed(name):
            changes.warn(element, "removed-joint", f"names joint '{name}', which is merged away; left as it is")
        elif changes.flipped(name) and element.get("a") is not None:
            changes.negate(element, "a")
            changes.note(element, "its coefficient changes sign with the joint")
