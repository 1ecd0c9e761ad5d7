"""The part of the proof about the note that says how joints count: both notes are read, and the axes say the signs."""
import re
from contextlib import suppress
from typing import Dict, List, Tuple

from ..urdf.lossless_xml import Document
from .comparison import Comparison
from .raw_robot import number_of
from .rigid_motion import rotated


def verify_joint_map(comparison: Comparison) -> None:
    """Every joint that moves counts as the notes say: that of the result is that of the input, times the sign here."""
    before, after = comparison.before, comparison.after
    noted, found = _notes_of(before.document), _notes_of(after.document)
    for name, joint in after.named.items():
        if joint.moves:
            old = before.joints[joint.child]
            axes = [rotated(robot.T_world[joint.child].rotation, one.axis)
                    for robot, one in ((before, old), (after, joint))]
            same = sum(a * b for a, b in zip(*axes)) > 0.0
            sign, zero = noted.get(old.name, (1.0, 0.0))
            moved, (sign_now, zero_now) = zero + sign * comparison.maps[name].zero, found.pop(name, (1.0, 0.0))
            comparison.require(sign_now == (sign if same else -sign) and abs(zero_now - moved) <= 1e-12 * max(
                1.0, abs(moved)), f"the note does not say how joint '{name}' counts")
    comparison.require(not found, f"the note says how joints count that do not move: {', '.join(found)}")


def signs_noted(document: Document) -> List[str]:
    """Return globs of the joints whose signs earlier runs turned or kept, as the note of their options says."""
    globs: List[str] = []
    for text in [text for text in document.comments() if re.match(r"urdf_simplify \S+ variant:", text)][:1]:
        for word in text.partition(":")[2].split(","):
            found = re.fullmatch(r"(?:then\s+)?(?:flip\s+(\S+)|keep-signs)", word.strip())
            with suppress(ValueError):  # it was edited
                globs += [_name_of(found[1] or "*")] if found else []
    return globs


def _name_of(word: str) -> str:
    """Return the name that a word of a note stands for: what a comment cannot hold is there as %20."""
    return bytes.fromhex(re.sub("%(..)|(.)", lambda m: m[1] or f"{ord(m[2]):02x}", word)).decode("utf-8")


def _notes_of(document: Document) -> Dict[str, Tuple[float, float]]:
    """Return sign and zero by the name of each joint in the note."""
    noted: Dict[str, Tuple[float, float]] = {}
    notes = [text for text in document.comments() if re.match(r"urdf_simplify \S+ joint map", text)][:1]
    for part in " ".join(notes).partition(":")[2].split(","):
        name, _, formula = part.strip().partition(" = ")
        found = re.fullmatch(r"-?q|q - (\S+)|-\(q - (\S+)\)", formula)
        with suppress(ValueError):  # it was edited
            if found is not None:
                noted[_name_of(name)] = (-1.0 if formula[0] == "-" else 1.0, number_of(found[1] or found[2]))
    return noted
