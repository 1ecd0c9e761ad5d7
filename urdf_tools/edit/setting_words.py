"""The words of `set`: settings `GLOB.KEY=VALUE`, each with the words that follow it."""

from __future__ import annotations

from typing import Callable, Collection, Dict, FrozenSet, List, Mapping, Sequence

from ..base.errors import did_you_mean, UsageError
from ..base.record_type import Record
from ..robot.raw_robot import RawRobot
from ..urdf.spatial_math import Transform
from .robot_draft import RobotDraft

ADVICE = "give what to set, such as 'hip_*.effort=35' or 'hand.mass=*1.1'"


class GlobSetting(Record):
    """A setting `glob.key=value`.

    Attributes:
        value: may be several words: `imu.rpy=0 0 90deg`.
        more: the values of the words `key=value` that follow, such as `multiplier=-1`.
        words: all of it as given, for messages.
        path, line: of the table that has it, "" for a setting on the command line.
    """

    glob: str
    key: str
    value: str
    more: Mapping[str, str]
    words: str
    path: str = ""
    line: int = 0

    def refused(self, draft: RobotDraft, why: str, line: int = 0) -> UsageError:
        """Return the error with the reason why this setting is refused."""
        why = f"'{self.words}': {why}"
        return UsageError(why, self.path, self.line) if self.path else draft.refused(why, line)

    def require_no_more(self, draft: RobotDraft, known: Sequence[str] = ()) -> None:
        """Refuse words after the value that are not known.

        Raises:
            UsageError: names the first of them.
        """
        for key in self.more:
            if key not in known:
                there_are = f"; it has {' and '.join(known)}" if known else ""
                raise self.refused(
                    draft, f"a {self.key} has no '{key}'{did_you_mean(key, known)}{there_are}"
                )


class SettingsResult(Record):
    """The result of some settings.

    Attributes:
        phrase: of the report.
        expected: makes the settings in a robot that `compare` reads, for the law.
        frames: T_old_new of links whose frames move on their bodies.
        opened: names of the closed loops that are open now.
        check: refuses what is wrong after all settings of the edit.
    """

    phrase: str
    expected: Callable[[RawRobot], RawRobot]
    frames: Mapping[str, Transform] = {}
    opened: FrozenSet[str] = frozenset()
    check: Callable[[], None] = lambda: None


Setter = Callable[[RobotDraft, Sequence[GlobSetting]], SettingsResult]


TABLE = "@"  # in front of the name of a table


def read_settings(
    draft: RobotDraft,
    words: Sequence[str],
    keys: Collection[str],
    read_table: Callable[[str, Collection[str]], List[GlobSetting]],
) -> List[GlobSetting]:
    """Return the settings of words; a word without a key belongs to the setting before it, `@FILE` is a table.

    Raises:
        UsageError: there are none, a first word is no setting, or a key does not exist.
    """
    settings: List[GlobSetting] = []
    for word in words:
        name, equals, value = word.partition("=")
        glob, dot, key = name.rpartition(".")
        if word.startswith(TABLE) and not equals:
            settings += read_table(word[len(TABLE) :], keys)
            continue
        if equals and glob and (dot and key):
            if key not in keys:
                raise draft.refused(
                    f"'{word}': there is no '{key}' to set{did_you_mean(key, tuple(keys))}; "
                    f"there are {', '.join(keys)}"
                )
            settings.append(GlobSetting(glob=glob, key=key, value=value, more={}, words=word))
        elif settings:
            settings[-1] = _with_word(settings[-1], word)
        else:
            raise draft.refused(f"'{word}': {ADVICE}")
    if not settings:
        raise draft.refused(ADVICE)
    return settings


def _with_word(setting: GlobSetting, word: str) -> GlobSetting:
    """Return a setting with a further word: `key=value`, or a part of its value."""
    key, equals, value = word.partition("=")
    words = f"{setting.words} {word}"
    if equals:
        more: Dict[str, str] = {**setting.more, key: value}
        return setting._replace(more=more, words=words)
    return setting._replace(value=f"{setting.value} {word}", words=words)
