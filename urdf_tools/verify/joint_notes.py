"""Verify the signs of joints, and the note of how their positions were mapped: the axes give the signs."""
import re
from contextlib import suppress
from fnmatch import fnmatchcase
from typing import Dict, List, Tuple

from ..urdf.lossless_xml import Document
from ..urdf.spatial import UNIT_AXES
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
                and called_now == called,
                f"the note does not say how joint '{name}' counts")
    comparison.require(not noted_after, f"the note says how joints count that do not move: {', '.join(noted_after)}")


def verify_signs(comparison: Comparison) -> None:
    """Verify that the axis of each joint that moves is X, Y or Z, and not the opposite one, or that its sign stays.

    It stays where frames do, with --keep-signs, and where the note of an earlier run turned or kept it.

    Raises:
        ProofFailed: nothing explains the sign or the zero of a joint.
    """
    options, kept = comparison.plan.options, _signs_noted(comparison.before.document)
    for child, joint in comparison.after.joints.items():
        if joint.moves or joint.type == "planar":
            name, (sign, zero) = comparison.before.joints[child].name, comparison.plan.joints[child].map
            stays = options.keep_signs or not options.reorient or any(fnmatchcase(name, glob) for glob in kept)
            comparison.require(zero == 0.0 and (sign > 0 if stays else joint.axis in UNIT_AXES),
                               f"joint '{joint.name}' changes its sign or zero, or keeps it, and nothing asks for that")


def _signs_noted(document: Document) -> List[str]:
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
