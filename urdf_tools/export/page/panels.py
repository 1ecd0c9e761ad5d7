"""The parts of the page around the view: the verdict, the counts, the tree of links, the sliders of joints."""
import math
from typing import Any, Dict, Iterator, List, Tuple

from ...base.number_text import count_of
from ...report.layout import mass_text
from ...run.records import Result
from ...urdf.model import Joint, MOVABLE
from ...verify.equivalence import proof_line
from .markup import breakable, element, joined, Markup, name
from .meshes import MeshStore
from .robots import slider_range

DEEPEST = 12  # levels of the tree that are indented further
LEAST_TILT = 1e-3  # [rad]


def vector_text(values: Any, digits: int = 4) -> str:
    """Return a vector as a person reads it."""
    return "[" + " ".join(f"{round(value, digits) + 0.0:g}" for value in values) + "]" if values is not None else "–"


def tag(kind: str, *inside: object, title: str = "") -> Markup:
    """Return a small label."""
    return element("span", *inside, class_=f"tag {kind}", title=title or None)


def verdict(result: Result) -> Markup:
    """Return the sentence of the proof, with its numbers."""
    lines = [proof_line(result.proof),
             *(f"{companion.name}: {companion.proof_line}" for companion in result.companions)]
    return joined(element("strong", "Proved the same robot"), *(element("span", line) for line in lines))


def counts(result: Result, record: Dict[str, Any]) -> Markup:
    """Return five counts before and after, each with what makes the difference."""
    plan, before, after = result.plan, result.before, result.after
    shapes = [sum(len(link.shapes) for link in robot.links.values()) for robot in (before, after)]
    made = sum(len(split.parts) - 1 for split in plan.meshes.converted)
    removed_links, removed_joints = (len(old) - len(new) for old, new in (
        (before.links, after.links), (before.joints, after.joints)))
    flipped = sum(joint["sign"] < 0 for joint in record["joints"])
    zeros = sum(joint["zero"] != 0.0 for joint in record["joints"])
    once = abs(before.mass - after.mass) > 1e-9 * max(before.mass, 1e-9)
    warnings = len(record["warnings"]) + len(record["srdf"]["warnings"] if record["srdf"] else ())
    rows = [
        ("Links", _change(len(before.links), len(after.links)), [_minus(removed_links, "merged")]),
        ("Joints", _change(len(before.joints), len(after.joints)), [
            _minus(removed_joints, "removed"), f"{flipped} flipped" if flipped else "",
            f"{count_of(zeros, 'zero')} moved" if zeros else ""]),
        ("Shapes", _change(*shapes), [_minus(len(plan.strips), "stripped"),
                                      _minus(len(plan.copies), "copies" if len(plan.copies) != 1 else "copy"),
                                      f"+{made} by color" if made > 0 else "",
                                      *(change for change in result.exported.changes if any(
                                          kind in change for kind in ("visual", "collision")))]),
        ("Mass", f"{mass_text(after.mass)} kg", [f"was {mass_text(before.mass)} kg: copies counted once" if once
                                                 else "unchanged"]),
        ("Warnings", element("a", str(warnings), href="#warnings") if warnings else "0", [
            "lines are below" if warnings else "none"]),
    ]
    return joined(*(element("div", element("dt", title), element("dd", value),
                            element("dd", ", ".join(filter(None, why)) or "the same", class_="why"))
                    for title, value, why in rows))


def _change(before: int, after: int) -> str:
    return f"{before} → {after}"


def _minus(count: int, what: str) -> str:
    return f"−{count} {what}" if count else ""


def tree(result: Result) -> Markup:
    """Return every link of the input in the order of the tree, with its state in the result and the reason."""
    plan, robot = result.plan, result.before
    below: Dict[str, List[str]] = {}
    for joint in robot.joints:
        below.setdefault(joint.parent, []).append(joint.child)
    stripped: Dict[str, int] = {}
    for strip in plan.strips:
        stripped[strip.link] = stripped.get(strip.link, 0) + 1
    rows: List[Markup] = []
    waiting: List[Tuple[str, int]] = [(robot.root, 0)]
    while waiting:  # not recursive: a robot may be a chain of thousands of links
        link, level = waiting.pop()
        member = plan.members[link]
        reason = member.reason if link not in (robot.root, result.after.root) else ""
        labels: List[Markup] = []
        if member.merged:
            labels.append(tag("merged", "merged → ", breakable(member.target)))
        elif reason:
            labels.append(tag("kept", "kept"))
        if stripped.get(link):
            labels.append(tag("stripped", f"−{count_of(stripped[link], 'shape')}"))
        mass = element("small", f"{mass_text(robot.links[link].mass)} kg")
        row = element("button", element("span", joined(element("b", breakable(link)), *labels, between=" ")), mass,
                      type="button", data_link=link)
        why = element("p", reason) if reason else Markup("")
        rows.append(element("li", row, why, class_=f"d{min(level, DEEPEST)}", aria_level=str(level + 1)))
        waiting += [(child, level + 1) for child in reversed(below.get(link, []))]
    return element("ul", *rows)


def sliders(result: Result, record: Dict[str, Any]) -> Markup:
    """Return a slider for every joint of the result that has one coordinate, and a line for those with several."""
    described = {joint["child"]: joint for joint in record["joints"]}
    rows = [row for number, joint in enumerate(result.after.tree)
            for row in _slider(number, joint, described[joint.child])]
    return element("ol", *rows) if rows else element("p", "No joint of this robot moves.")


def _slider(number: int, joint: Joint, described: Dict[str, Any]) -> Iterator[Markup]:
    if joint.type in ("planar", "floating"):
        yield element("li", element("div", name(joint.name), " ", tag("", joint.type)),
                      element("p", "has several coordinates: stays at zero here"))
    if joint.type not in MOVABLE:
        return
    labels = []
    if described["sign"] < 0:
        labels.append(tag("flipped", "flipped", title="the sign of its coordinate changed: old → new"))
    if described["zero"]:
        labels.append(tag("", f"zero was {described['zero']:.6g}", title="the position that is zero now: old → new"))
    if described["fallback"]:
        word = described["name_class"]
        labels.append(tag("fallback", f"'{word['word']}' says {word['axis']}", title="its name asks for another axis"))
    if joint.mimic is not None:
        labels.append(tag("", "follows ", name(joint.mimic.joint)))
    yield range_row(number, joined(axis_badge(described), breakable(joint.name), *labels, between=" "),
                    slider_range(joint), joint.type)


def range_row(number: int, label: Markup, ends: Tuple[float, float], kind: str) -> Markup:
    """Return the slider of a joint; it starts at zero, or at the limit next to it where zero is out of reach."""
    low, high = ends
    return element(
        "li", element("label", label, for_=f"q{number}"),
        Markup(f'<input type="range" id="q{number}" min="{low!r}" max="{high!r}" step="any" '
               f'value="{min(max(0.0, low), high)!r}">'),
        element("span", f"0 {'m' if kind == 'prismatic' else 'rad'}", class_="value"), data_joint=str(number))


def missing_chip(store: MeshStore) -> Markup:
    """Return the number of meshes that are not shown, and the options that find them; "" if all are shown."""
    if not store.unreadable:
        return Markup("")
    count = count_of(len(store.unreadable), "mesh", "meshes")
    why = element("a", f"{count} not shown", href="#meshes")
    options = " ".join(f"--package {package}=FOLDER" for package in store.unknown_packages)
    way = joined(": ", element("code", options), " finds them") if options else ""
    return element("p", why, ", ellipsoids of inertia in their place", way, id="missing")


def axis_badge(described: Dict[str, Any]) -> Markup:
    """Return the axis of a joint, in its color, and the angle between them."""
    axis, tilt = described["axis"] or "?", described["tilt"] or 0.0
    off = f" {math.degrees(tilt):.3g}°" if tilt > LEAST_TILT else ""
    change = f"axis {vector_text(described['axis_old'])} → {vector_text(described['axis_new'])}"
    return element("span", f"{axis}{off}", class_=f"axis {axis.lower() if axis != '?' else 'none'}", title=change)


def state_buttons(states: List[Dict[str, Any]]) -> Markup:
    """Return a button for each state of the SRDF; "" without states."""
    buttons = [element("button", name(state["name"]), type="button", data_state=str(number),
                       title=f"group {state['group']}") for number, state in enumerate(states)]
    if not buttons:
        return Markup("")
    return element("div", element("span", "States"), *buttons, id="states", role="group",
                   aria_label="States of the SRDF")
