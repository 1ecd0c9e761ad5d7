"""A page as a record: all that it shows of a single robot, or of two robots joined by a map of their positions.

`run_page` makes the record of a run, `comparison_page` the record of a comparison, and `write_page` makes HTML of any.
"""

from __future__ import annotations

from typing import Optional, Sequence

from ...base.record_type import Record
from ...base.type_aliases import Json
from ...compare.robot_map import MotionDifferenceBound, RobotMap
from .html_markup import Markup
from .packed_meshes import MeshStore
from .page_robots import Changes


class PageVerdict(Record):
    """The proven statement of a page.

    Attributes:
        kind: the verdict of a comparison, which gives the color; "" for the proof of a run.
        claim: a sentence.
        lines: the numbers of the proof.
    """

    kind: str
    claim: str
    lines: Sequence[str]


class PageCount(Record):
    """A number on top of a page, its title, and its reasons."""

    title: str
    value: object
    why: str


class PageRow(Record):
    """A row beside the view; a click on it shows its bodies.

    Attributes:
        words: its text.
        about: bodies and joints of both robots, and a link or the class of a difference, for the script.
        aside: the text at its end.
        below: the text below it.
        level: its number of ancestors in a tree, None in a list.
        inner: the rows that it sums up, shown when it is opened.
    """

    words: Markup
    about: Json
    aside: Markup = Markup("")
    below: str = ""
    level: Optional[int] = None
    inner: Sequence[PageRow] = ()


class Page(Record):
    """All content of a page.

    Attributes:
        title, drawn, heading: of the page, of its picture, and of its rows.
        names: the robots as the head of the page names them.
        robots: A, which has the sliders, and B, which follows it by the map.
        bound: the largest distance of a point of B from its place, None: unknown.
        a, b: the words for both robots in a sentence.
        views: the ways to see two robots, the first as the page begins; () for one robot.
        colored: the word for the parts that colors mark.
        fates: the handling of B's shapes: stripped, copy or merged.
        store: the meshes.
        verdict: None for one robot.
        counts: the numbers on top.
        rows: the rows beside the view.
        without_rows: the sentence that takes the place of rows.
        states: the states of an SRDF, as the script reads them.
        warning: the text on the picture.
        facts: the sections below the view, above the section on meshes.
        more_facts: the sections below it.
    """

    title: str
    drawn: str
    heading: str
    names: Markup
    robots: RobotMap
    bound: Optional[MotionDifferenceBound]
    a: str
    b: str
    views: Sequence[str]
    colored: str
    fates: Changes
    store: MeshStore
    verdict: Optional[PageVerdict]
    counts: Sequence[PageCount]
    rows: Sequence[PageRow]
    without_rows: str
    states: Sequence[Json]
    warning: Markup
    facts: Sequence[Markup]
    more_facts: Sequence[Markup]

    @property
    def is_alone(self) -> bool:
        """Return True if A is shown without B."""
        return not self.views
