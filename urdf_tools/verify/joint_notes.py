"""Verify the note of how the positions of joints were mapped: both notes are read, and the axes give the signs."""
import re
from contextlib import suppress
from typing import Dict, List, Tuple

from ..urdf.lossless_xml import Document
from .comparison import Comparison
from .raw_robot import number_of
from .rigid_motion import rotated

OLD_NAME = r"[^\s()-][^\s()]*"  # of a joint in the original file
NOT_NOTED = (1.0, 0.0, "q")


def verify_joint_map(comparison: Comparison) -> None:
    """Verify the map in the note of each joint that moves: that of the input, composed with the map of this run."""
    before, after = comparison.before, comparison.after
    noted_before, noted_after = _notes_of(before.document), _notes_of(after.document)
    for name, joint in after.named.items():
        if joint.moves:
            old = before.joints[joint.child]
            axes = [rotated(robot.T_world[joint.child].rotation, moving.axis)
                    for robot, moving in ((before, old), (after, joint))]
            same = sum(a * b for a, b in zip(*axes)) > 0.0
            sign, zero, called = noted_before.get(old.name, NOT_NOTED)
            sign_now, zero_now, called_now = noted_after.pop(name, NOT_NOTED)
            moved = zero + sign * comparison.maps[name].zero
            comparison.require(
                sign_now == (sign if same else -sign) and abs(zero_now - moved) <= 1e-12 * max(1.0, abs(moved))
                and called_now == called, f"the note does not say how joint '{name}' counts")
    comparison.require(not noted_after, f"the note says how joints count that do not move: {', '.join(noted_after)}")


def signs_noted(document: Document) -> List[str]:
    """Return globs of the joints whose signs earlier runs turned or kept, as the note of their options says."""
    globs: List[str] = []
    for text in [text for text in document.comments() if re.match(r"urdf_simplify \S+ variant:", text)][:1]:
        for word in text.partition(":")[2].split(","):
            match = re.fullmatch(r"(?:then\s+)?(?:flip\s+(\S+)|keep-signs)", word.strip())
            with suppress(ValueError):  # it was edited
                globs += [_name_of(match[1] or "*")] if match else []
    return globs


def _name_of(word: str) -> str:
    """Return the name in a word of a note: characters that a comment cannot hold are written like %20."""
    return bytes.fromhex(re.sub("%(..)|(.)", lambda m: m[1] or f"{ord(m[2]):02x}", word)).decode("utf-8")


def _notes_of(document: Document) -> Dict[str, Tuple[float, float, str]]:
    """Return sign, zero, and the name in the original file ("q": the same) by the name of each joint in the note."""
    noted: Dict[str, Tuple[float, float, str]] = {}
    notes = [text for text in document.comments() if re.match(r"urdf_simplify \S+ joint map", text)][:1]
    for part in " ".join(notes).partition(":")[2].split(","):
        name, _, formula = part.strip().partition(" = ")
        match = re.fullmatch(rf"-?({OLD_NAME})|-\(({OLD_NAME}) - (\S+)\)|({OLD_NAME}) - (\S+)", formula)
        with suppress(ValueError):  # it was edited
            if match is not None:
                noted[_name_of(name)] = (-1.0 if formula[0] == "-" else 1.0, number_of(match[3] or match[5]),
                                         match[1] or match[2] or match[4])
    return noted
