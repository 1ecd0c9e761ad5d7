"""The note in the result that says what a run decided to change about the robot, for people and for `--compare`.

A line for each decision: its kind, behind the format that it was made for if that is an export; the link, joint,
sensor or file; words; numbers in brackets: `shape nut_m3.stl visual+collision base shin (2 5)`, `lock shin knee (0.3)`,
`mjcf:value knee effort (0)`. A blank in a word is `~`. The note of a later run has the lines of the earlier ones first.
`read_decision` in compare/decided.py reads a line; compare/README.md says what the words and numbers of each kind are.
"""
from typing import Dict, List, NamedTuple, Tuple

from ..base.kinds import SENSOR_FRAME, SURFACE_MERGED
from ..base.number_text import without_noise
from .decisions import Plan
from .merging import COPY
from .notes import in_note
from .variant import TURN_NOISE

DECISIONS = r"urdf_simplify [0-9]\S* decisions[^:]*:"  # how the note begins, in any release
DECISIONS_TITLE = "decisions, what is not as in the original file"


class Decision(NamedTuple):
    """A change that a run made: what it is about, and what was there and is there now, as words and numbers.

    `format` is that of the export for which it was made; "": of the URDF, so of all that is made of it.
    """

    kind: str
    name: str
    words: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    format: str = ""


def decisions_of(plan: Plan) -> List[Decision]:
    """Return what a plan decides; a shape is named by its file, and its number among those of its role in a link.

    A file that leaves several links in the same way is one decision, so that a robot full of nuts has few lines.
    """
    source, links = plan.variant.source, plan.robot.links
    gone: Dict[Tuple[str, Tuple[str, str]], List[float]] = {}
    for dropped, link in (*(drop[:2] for drop in plan.strips), *(drop[:2] for drop in plan.copies)):
        key = dropped.kind, dropped.mesh
        alike = [shape.source for shape in links[link].shapes if (shape.kind, shape.mesh) == key]
        gone.setdefault((link, key), []).append(alike.index(dropped.source) + 1.0)
    roles: Dict[Tuple[str, str, Tuple[float, ...]], List[str]] = {}
    for (link, (role, mesh)), numbers in gone.items():
        roles.setdefault((link, mesh, tuple(numbers)), []).append(role)
    folded: Dict[Tuple[str, str, Tuple[float, ...]], List[str]] = {}
    for (link, mesh, nth), of_link in roles.items():
        folded.setdefault((mesh, "+".join(of_link), nth), []).append(link)
    masses = {name: source.links[name].mass for name in plan.variant.dropped}
    return [*(Decision("shape", mesh, (role, *of_file), nth) for (mesh, role, nth), of_file in folded.items()),
            *(Decision("lock", child, (source.above[child].name,), (q,)) for child, q in plan.variant.locked.items()),
            *(Decision("drop", name, tuple(masses), tuple(masses.values())) for name in plan.variant.dropped[:1]),
            *(Decision("mass", name, (), (links[name].mass,)) for name, member in plan.members.items()
              if member.kind == COPY and plan.options.coincident == "drop"),
            *(Decision("surface", note.names[0], (note.sentence, *(
                name.replace("the default (", "default ").rstrip(")") for name in note.names[1:])))
              for note in plan.warnings if note.kind is SURFACE_MERGED),
            *(Decision("sensor", note.names[0][len("<sensor name='"):-2], note.names[1:2], turn_of(plan, note.names[1]))
              for note in plan.warnings if (note.kind, note.sentence) == (SENSOR_FRAME, "measures"))]


def turn_of(plan: Plan, link: str) -> Tuple[float, ...]:
    """Return the rows of R_new_old of the frame of a link."""
    return tuple(part for row in plan.placements[link].rotation for part in without_noise(row, TURN_NOISE))


def decision_text(decision: Decision) -> str:
    """Return a decision as a line of the note."""
    kind, name, words, numbers, made = decision
    listed = " ".join(repr(number) if number % 1 else f"{number:.17g}" for number in numbers)
    return " ".join([f"{made}:{kind}" if made else kind, *(in_note(word).replace("%20", "~") or '""' for word in (
        name, *words)), *([f"({listed})"] if numbers else [])])
