"""The edit `set`: one table has the setter of each key."""

from __future__ import annotations

from typing import Dict, List, Sequence, Set, Tuple

from ..compare.verify_edit import EditLaw
from ..robot.raw_robot import RawRobot
from ..urdf.spatial_math import Transform
from .joint_numbers import LIMIT, OF_JOINT, set_joint_numbers, set_masses
from .joint_types import set_types, TYPE
from .mimic_settings import MIMIC, set_mimics
from .pose_settings import POSE_KEYS, set_poses
from .robot_draft import EditResult, RobotDraft
from .setting_tables import read_set_table
from .setting_words import SettingsResult, read_settings, Setter

# Every key of `set` with the function that writes its settings, in the order in which the functions run.
SETTERS: Dict[str, Setter] = {
    # First, because the limits of a joint depend on its type.
    TYPE: set_types,
    **dict.fromkeys((*OF_JOINT, LIMIT), set_joint_numbers),
    "mass": set_masses,
    MIMIC: set_mimics,
    **dict.fromkeys(POSE_KEYS, set_poses),
}


def set_values(draft: RobotDraft, words: Sequence[str]) -> EditResult:
    """Set values of joints and links: `hip_*.effort=35`, `hand.mass=*1.1`, `b.mimic=a`; all settings apply together.

    Raises:
        UsageError: a value is impossible, or the thing does not exist or has no such value.
    """
    settings = read_settings(draft, words, SETTERS, read_set_table)
    parts: List[SettingsResult] = []
    for setter in dict.fromkeys(SETTERS.values()):
        own = [setting for setting in settings if SETTERS[setting.key] is setter]
        if own:
            parts.append(setter(draft, own))

    def laws(
        before: RawRobot, after: RawRobot, law: EditLaw
    ) -> Sequence[Tuple[RawRobot, RawRobot, EditLaw]]:
        """Return the law that exactly these values differ."""
        expected = before
        for part in parts:
            expected = part.expected(expected)
        return ((expected, after, law),)

    phrases = ", ".join(part.phrase for part in parts)
    for part in parts:
        part.check()
    frames: Dict[str, Transform] = {}
    opened: Set[str] = set()
    for part in parts:
        frames.update(part.frames)
        opened |= part.opened
    return EditResult(
        law=EditLaw(frames=frames),
        did=f"set {' '.join(words)} ({phrases})",
        laws=laws,
        opened=frozenset(opened),
    )
