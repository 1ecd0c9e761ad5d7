"""Poses in which links touch, of a run of pairs: as data, as a button each, and as a table."""

from typing import Any, Dict, List, Optional, Sequence, Set, Tuple

from ...base.number_text import count_of
from ...collision.chains import home_of
from ...collision.pairs import HOME, Pair, TOUCHES
from ...collision.pairs_step import CheckedPairs, judge, pose_text, SAID
from ...run.records import Result
from .markup import breakable, element, joined, Markup, section, table
from .panels import tag

OPEN_AT_FIRST = 12  # more buttons are folded away
SHOWN = (TOUCHES, HOME)
GROUPS = ("The SRDF says never", "In a pose", "At home")


def contact_data(checked: CheckedPairs, result: Result) -> Dict[str, Any]:
    """Return the poses of contact: links and joints by their number in the page's list of the result.

    `home` has the joints whose position is not zero there. A contact has its links, the positions of the joints
    between them [rad or m] (all others are at home), and a point inside of both, in a link's frame: [link, x, y, z].
    """
    links = {name: number for number, name in enumerate(result.after.links)}
    joints = {joint.child: number for number, joint in enumerate(result.after.tree)}
    return {
        "home": [
            [joints[child], at] for child, at in home_of(checked.decided.ranges).items() if at
        ],
        "contacts": [
            {
                "links": [links[pair.first], links[pair.second]],
                "home": pair.state == HOME,
                "positions": [
                    [joints[joint.child], at]
                    for joint, at in zip(pair.chain.variables, pair.witness.positions)
                ],
                "point": [links[pair.chain.middle], *pair.witness.point],
            }
            for pair in contacts_of(checked, result)[0]
            if pair.chain and pair.witness
        ],
    }


def contacts_of(checked: CheckedPairs, result: Result) -> "Tuple[List[Pair], Set[frozenset[str]]]":
    """Return the pairs that touch in a pose that is known, and those of which the SRDF says that they never do.

    First those that are denied, last those that touch at home.
    """
    denied = {
        frozenset((line.first, line.second))
        for companion in result.companions
        if companion.name == "SRDF"
        for line in judge(companion.after, checked)
        if line.verdict == "wrong"
    }
    pairs = [pair for pair in checked.decided.pairs if pair.state in SHOWN and pair.witness]
    return sorted(pairs, key=lambda pair: GROUPS.index(_group(pair, denied))), denied


def _group(pair: Pair, denied: "Set[frozenset[str]]") -> str:
    return (
        GROUPS[0]
        if frozenset((pair.first, pair.second)) in denied
        else GROUPS[1 + SHOWN.index(pair.state)]
    )


def contact_parts(checked: Optional[CheckedPairs], result: Result) -> Dict[str, Markup]:
    """Return what the template shows of contacts, by its names; "" without any."""
    pairs, denied = contacts_of(checked, result) if checked else ([], set())
    if checked is None or not pairs:
        return dict.fromkeys(("contacts", "contact_steps", "contact_keys"), Markup(""))
    keys = element(
        "li",
        element("kbd", "n"),
        " and ",
        element("kbd", "p"),
        " show the next and the previous contact",
    )
    return {
        "contacts": _buttons(checked, pairs, denied),
        "contact_steps": _steps(),
        "contact_keys": keys,
    }


def _buttons(checked: CheckedPairs, pairs: Sequence[Pair], denied: "Set[frozenset[str]]") -> Markup:
    """Return a button for each pose of contact, labeled if the SRDF says that its links never touch."""
    lists: List[Markup] = []
    for title in GROUPS:
        rows = [
            _row(number, pair, denied)
            for number, pair in enumerate(pairs)
            if _group(pair, denied) == title
        ]
        if rows:
            lists += [element("h3", f"{title} ({len(rows)})"), element("ol", *rows)]
    count = tag("", str(len(pairs)), title="pairs of links that touch")
    summary = element("summary", element("h2", "Contacts"), " ", count)
    why = element("p", "A click shows two links where they touch. ", _others(checked))
    return element(
        "details",
        summary,
        why,
        element("div", *lists),
        id="touching",
        open=len(pairs) <= OPEN_AT_FIRST,
        data_needs_script=True,
        hidden=True,
    )


def _steps() -> Markup:
    """Return the buttons on the picture that go from one contact to the next; they appear with the first of them."""
    before, after = (
        element("button", sign, type="button", data_step=step, aria_label=label, title=label)
        for sign, step, label in (("‹", "-1", "Previous contact"), ("›", "1", "Next contact"))
    )
    return element(
        "div",
        before,
        element("span"),
        after,
        id="step",
        role="group",
        aria_label="Contact",
        hidden=True,
    )


def _row(number: int, pair: Pair, denied: "Set[frozenset[str]]") -> Markup:
    labels = [tag("", "adjacent", title="a joint connects them")] if pair.is_adjacent else []
    if frozenset((pair.first, pair.second)) in denied:
        labels.append(
            tag("stripped", "SRDF: never", title="a line of the SRDF says that they never touch")
        )
    inside = joined(breakable(pair.first), breakable(pair.second), *labels, between=" ")
    return element(
        "li",
        element("button", inside, type="button", data_contact=str(number), title=pose_text(pair)),
    )


def _others(checked: CheckedPairs) -> str:
    """Return how many pairs there are of the other states."""
    states = [pair.state for pair in checked.decided.pairs]
    phrases = [
        f"{states.count(state)} {words}"
        for state, words in SAID
        if state in states and state not in SHOWN
    ]
    return f"Of {count_of(len(states), 'pair')}: {'; '.join(phrases)}." if phrases else ""


def contact_table(checked: CheckedPairs, result: Result) -> Markup:
    """Return the poses of contact as text."""
    pairs, denied = contacts_of(checked, result)
    rows: List[Sequence[object]] = []
    for pair in pairs:
        labels = ["adjacent"] * pair.is_adjacent
        labels += ["the SRDF says never"] * (frozenset((pair.first, pair.second)) in denied)
        rows.append(
            (breakable(pair.first), breakable(pair.second), pose_text(pair), ", ".join(labels))
        )
    others = _others(checked)
    return section(
        "contacts",
        f"Contacts ({len(rows)})",
        element("p", others) if others else Markup(""),
        table(
            "Poses in which two links touch; joints that are not named are at zero, or at the limit next to it",
            ("link", "and", "positions [rad, m]", ""),
            rows,
        ),
    )
