"""Carry out acts from left to right: text to text, each proven by its own law; and the result for the report."""
from typing import Any, Dict, List, Tuple

from ..base.kinds import DROPPED_NAME
from ..base.number_text import count_of
from ..compare.law import CLOSE
from ..plan.decisions import by_line
from ..plan.edits import ReferenceUpdates
from ..plan.notes import in_note
from ..run.pipeline import simplify_bytes
from ..run.records import Asked, Edited, MeshMaking, Result
from . import TOGETHER
from .attach import attach
from .editing import Act, Editing
from .frames import add_root, root
from .joints import drop, flip, lock, only, zero
from .like import like
from .mirror import mirror
from .names import prefix, rename_act
from .numbers import inertia_from, set_numbers
from .words import split_words

ACTS: Dict[str, Act] = {"root": root, "attach": attach, "mirror": mirror, "prefix": prefix, "rename": rename_act,
                        "add_root": add_root, "set": set_numbers, "inertia_from": inertia_from}
BY_GLOBS: Dict[str, Act] = {"lock": lock, "zero": zero, "flip": flip, "only": only, "drop": drop}
OF_ONE_WORD = ("root", "prefix", "rename", "like")  # acts whose value may hold blanks


def with_edits(asked: Asked, result: Result, making: MeshMaking) -> Result:
    """Return the result of a run with the acts that are asked for, from left to right.

    Raises:
        UrdfError: an act is not possible.
        ProofFailed: its law does not hold; a fault of this tool.
    """
    editing = Editing(asked, result, making)
    acts: List[Tuple[str, Any]] = list(asked.choices["acts"])
    while acts:
        name, value = acts.pop(0)
        if name in BY_GLOBS:
            values = [value]
            while acts and acts[0][0] == name and name in TOGETHER:
                values.append(acts.pop(0)[1])
            editing.done += filter(None, [editing.act(name, BY_GLOBS[name], values).did])
            continue
        words = split_words(value, asked.path, single=name in OF_ONE_WORD)
        editing.say(f"{name.replace('_', '-')} {in_note(value)}")
        editing.done.append(like(editing, words) if name == "like" else editing.act(name, ACTS[name], words).did)
    return _reported(editing, asked, result, making)


def _reported(editing: Editing, asked: Asked, result: Result, making: MeshMaking) -> Result:
    """Return the result of the run as the report shows it: a second run of its text changes nothing."""
    options = result.plan.options
    last = simplify_bytes(editing.data, asked.path, options, asked.output, making.staging_dir,
                          converter=making.converter, companions=editing.companions(), mark_lines=editing.mark)
    known = last.after.links.keys() | last.after.named.keys()  # a later act may have made what was dropped
    warnings = [warning for warning in editing.warnings if warning.kind is not DROPPED_NAME or known.isdisjoint(
        warning.names)]
    plan = last.plan._replace(
        warnings=by_line([*warnings, *last.plan.warnings]),
        meshes=last.plan.meshes._replace(files=tuple(editing.files)),
        updates=ReferenceUpdates(notes=tuple(sorted(editing.notes, key=lambda note: note.line))))
    companions = []
    for followed in result.companions:
        new = last.srdf
        if new is not None and followed.name == new.name:
            followed = followed._replace(
                updates=ReferenceUpdates(notes=tuple(editing.srdf_notes), warnings=by_line(
                    [*editing.srdf_warnings, *new.updates.warnings])),
                after=new.after, data=new.data, proof=new.proof, proof_line=new.proof_line)
        companions.append(followed)
    count = len(editing.done)
    proven = f"{count_of(count, 'edit')} made and nothing else: proven {'one by one' if count > 1 else 'by its law'}"
    exported = last.exported._replace(
        changes=tuple(editing.done), edited=None if not editing.done else Edited(
            f"{proven}, to {CLOSE.length:g} m and rad", {new: old for old, new in editing.law.joints.items()},
            editing.law.maps, editing.locked, editing.dropped))
    return last._replace(plan=plan, before=result.before, source=result.source, companions=tuple(companions),
                         exported=exported)
