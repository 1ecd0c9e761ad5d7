"""What a plan decided to change about a robot: each a line of the note in the result (base/note_text.py)."""
from typing import Dict, List, Tuple

from ..base.kinds import BODY_MERGED, REMOVED_JOINT, SENSOR_FRAME, SURFACE_MERGED
from ..base.note_text import Decision
from ..base.number_text import grouped, without_noise
from .decisions import Plan
from .merging import COPY
from .needs import is_loop_end

MERGED = {SURFACE_MERGED: "surface", BODY_MERGED: "body"}
TURN_NOISE = 1e-12  # rounding of entries of a rotation


def decisions_of(plan: Plan) -> List[Decision]:
    """Return what a plan decides; a shape is named by its file, and its number among those of its role in a link.

    A file that leaves several links in the same way is one decision, so that a robot full of nuts has few lines.
    """
    links = plan.robot.links
    gone: Dict[Tuple[str, Tuple[str, str]], List[float]] = {}
    for dropped, link in (*(drop[:2] for drop in plan.strips), *(drop[:2] for drop in plan.copies)):
        key = dropped.kind, dropped.mesh
        alike = [shape.source for shape in links[link].shapes if (shape.kind, shape.mesh) == key]
        gone.setdefault((link, key), []).append(alike.index(dropped.source) + 1.0)
    roles = grouped(((link, mesh, tuple(numbers)), role) for (link, (role, mesh)), numbers in gone.items())
    # Mostly a visual and a collision of the same mesh are removed together: they share a decision.
    folded = grouped(((mesh, "+".join(of_link), nth), link) for (link, mesh, nth), of_link in roles.items())
    blocks = {note.offset for note in plan.warnings if (note.kind, note.sentence) == (REMOVED_JOINT, "block")}
    return [*(Decision("shape", mesh, (role, *of_file), nth) for (mesh, role, nth), of_file in folded.items()),
            *(Decision("mass", name, (), (links[name].mass,)) for name, member in plan.members.items()
              if member.kind == COPY and plan.options.count_once),
            *(Decision(kind, note.names[0], (note.sentence, *(
                name.replace("the default (", "default ").rstrip(")") for name in note.names[1:])))
              for note in plan.warnings for kind in [MERGED.get(note.kind)] if kind),
            *(Decision("loop", name, ("point", "none")) for name in dict.fromkeys(
                name[:-2] for name, member in plan.members.items() if member.merged and is_loop_end(name))),
            *(Decision("no_sensor", sensor.get("name") or "", (sensor.get("type") or "",))
              for top in plan.robot.document.root.elements("gazebo") if top.offset in blocks
              for sensor in top.elements("sensor")),
            *(Decision("sensor", note.names[0][len("<sensor name='"):-2], note.names[1:2], turn_of(plan, note.names[1]))
              for note in plan.warnings if (note.kind, note.sentence) == (SENSOR_FRAME, "measures"))]


def turn_of(plan: Plan, link: str) -> Tuple[float, ...]:
    """Return the rows of R_new_old of the frame of a link."""
    return tuple(part for row in plan.placements[link].rotation for part in without_noise(row, TURN_NOISE))
