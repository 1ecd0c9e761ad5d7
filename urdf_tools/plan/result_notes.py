"""The notes in the output of how the positions of its joints were mapped, and of what a plan decided to change.

`knee = -q` says that the knee is now at -q where it was at q in the original file. Where its zero lies elsewhere, too,
that is `knee = -(q - 1.57)` or `knee = q - 1.57`; `left_knee = -knee` if it was called knee there. A later run
composes its own changes with what is noted, also when the input is replaced. Decisions are lines as in `notes.py`.
"""

import re
from typing import Dict, List, Tuple

from ..base.kinds import BODY_MERGED, REMOVED_JOINT, SENSOR_FRAME, SURFACE_MERGED
from ..base.number_text import grouped, mapped_text, without_noise
from ..urdf.model import JointMap, MOVABLE
from ..urdf.notes import Decision, in_note, note_of_words, NotedMap, read_joint_map, SAME_NAME
from .decisions import Plan
from .merging import COPY
from .needs import is_loop_end


def old_word(name: str) -> str:
    """Return the name of a joint in the original file as the note writes it."""
    return re.sub("^-", "%2D", in_note(name)) if name != SAME_NAME else "%71"


def joint_map_of(plan: Plan) -> Dict[str, NotedMap]:
    """Return the maps for the note of the result: of joints that move, and differ from the original file."""
    noted = read_joint_map(plan.robot.document)
    maps: Dict[str, NotedMap] = {}
    for planned in plan.joints.values():
        if planned.joint.type in MOVABLE:
            before = noted.get(in_note(planned.joint.name), NotedMap())
            maps.setdefault(
                in_note(planned.name),
                before._replace(  # a name means the first
                    map=composed_maps(before.map, planned.map)
                ),
            )
    return {name: joint_map for name, joint_map in maps.items() if joint_map != NotedMap()}


def composed_maps(first: JointMap, then: JointMap) -> JointMap:
    """Return the composition of two maps: s' (s (q - z) - z') is s' s (q - (z + s z'))."""
    zero = (
        float(mapped_text(repr(first.zero), 1, (str(first.sign), repr(then.zero))))
        if then.zero
        else first.zero
    )
    return JointMap(first.sign * then.sign, zero)


def joint_map_note(maps: Dict[str, NotedMap], newline: str) -> str:
    """Return the comment; "" where no joint is mapped."""
    words = [f"{name} = {_formula(*joint_map)}" for name, joint_map in maps.items()]
    return note_of_words("joint map, q is the position in the original file", words, newline)


def _formula(joint_map: JointMap, old: str) -> str:
    minus, zero = (
        "-" * (joint_map.sign < 0),
        mapped_text("0", 1, (repr(joint_map.zero),)) if joint_map.zero else "",
    )
    if not zero:
        return f"{minus}{old}"
    return f"-({old} - {zero})" if minus else f"{old} - {zero}"


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
    roles = grouped(
        ((link, mesh, tuple(numbers)), role) for (link, (role, mesh)), numbers in gone.items()
    )
    # Mostly a visual and a collision of the same mesh are removed together: they share a decision.
    folded = grouped(
        ((mesh, "+".join(of_link), nth), link) for (link, mesh, nth), of_link in roles.items()
    )
    blocks = {
        note.offset
        for note in plan.warnings
        if (note.kind, note.sentence) == (REMOVED_JOINT, "block")
    }
    return [
        *(
            Decision("shape", mesh, (role, *of_file), nth)
            for (mesh, role, nth), of_file in folded.items()
        ),
        *(
            Decision("mass", name, (), (links[name].mass,))
            for name, member in plan.members.items()
            if member.kind == COPY and plan.options.count_once
        ),
        *(
            Decision(
                kind,
                note.names[0],
                (
                    note.sentence,
                    *(
                        name.replace("the default (", "default ").rstrip(")")
                        for name in note.names[1:]
                    ),
                ),
            )
            for note in plan.warnings
            for kind in [MERGED.get(note.kind)]
            if kind
        ),
        *(
            Decision("loop", name, ("point", "none"))
            for name in dict.fromkeys(
                name[:-2]
                for name, member in plan.members.items()
                if member.merged and is_loop_end(name)
            )
        ),
        *(
            Decision("no_sensor", sensor.get("name") or "", (sensor.get("type") or "",))
            for top in plan.robot.document.root.elements("gazebo")
            if top.offset in blocks
            for sensor in top.elements("sensor")
        ),
        # with the rows of R_new_old of its frame
        *(
            Decision(
                "sensor",
                note.names[0][len("<sensor name='") : -2],
                note.names[1:2],
                tuple(
                    part
                    for row in plan.placements[note.names[1]].rotation
                    for part in without_noise(row, TURN_NOISE)
                ),
            )
            for note in plan.warnings
            if (note.kind, note.sentence) == (SENSOR_FRAME, "measures")
        ),
    ]
