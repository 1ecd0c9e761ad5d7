"""Documents that are updated with the URDF, such as an SRDF: what a run calls on one, and its result."""
from typing import Callable, Dict, NamedTuple

from ..urdf.lossless_xml import Document
from ..urdf.model import Robot
from ..plan.decisions import Plan
from ..plan.edits import ReferenceUpdates
from ..plan.needs import Need
from ..verify.comparison import Comparison
from .destinations import Destination


class Followed(NamedTuple):
    """The result of a run for a companion.

    Attributes:
        name: what reports call such a document, such as SRDF; in lower case its key in the JSON.
        output: the name of its result, "" where none is written.
        updates: what was changed, and the warnings about what was not.
        before, after: the documents read from both texts.
        source, data: the bytes of both.
        proof: its figures; `proof_line` is the same in one line of text.
    """

    name: str
    output: str
    updates: ReferenceUpdates
    before: Document
    after: Document
    source: bytes
    data: bytes
    proof: NamedTuple
    proof_line: str

    @property
    def changed(self) -> bool:
        """Return True if the result differs from the input."""
        return self.source != self.data


class Companion(NamedTuple):
    """A document that was read, and is updated by the plan of a robot.

    Attributes:
        destination: where its result is written, and its input; without a path it is not written.
        is_named: the caller named that path; it does not follow from the name of the output.
        needs: given the robot, by link, why it has to keep its frame.
        follow: given the plan, and both robots at zero, the updated document, verified.
    """

    destination: Destination
    is_named: bool
    needs: Callable[[Robot], Dict[str, Need]]
    follow: Callable[[Plan, Comparison], Followed]
