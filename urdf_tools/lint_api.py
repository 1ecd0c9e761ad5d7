"""The names of `urdf_tools.lint`: the lint findings of a file, for programs."""

import os
from collections import Counter
from typing import List, Mapping, Tuple, Union

from .base.type_aliases import Texts
from .base.diagnostics import ERROR, NOTE, WARNING
from .base.number_text import count_of
from .base.record_type import Record
from .export.all_diagnostics import EXPORT_KINDS
from .inputs.input_as_urdf import as_urdf
from .lint.examine_file import examine
from .lint.neighbor_files import examine_neighbor, neighbors_of
from .lint.finding_records import ExaminedFile, LintFinding
from .lint.findings_output import column_of, in_file
from .lint.xacro_sources import by_source
from .urdf.expand_xacro import read_expanded


class Finding(Record):
    """A lint finding: its kind, error, warning or note, its line (0: the whole file), its sentence, what to do, and the
    column of what it is about, from 1 (0: the whole file), and its file: of a xacro the one that it comes from, or an
    SRDF beside the robot."""

    kind: str
    severity: str
    line: int
    message: str
    cure: str = ""
    column: int = 0
    file: str = ""


class Findings(Tuple[Finding, ...]):
    """Findings in the order of their lines, without those that comments of the file ignore."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the number of findings of each severity."""
        counts = Counter(finding.severity for finding in self)
        texts = [
            count_of(counts[severity], severity)
            for severity in (ERROR, WARNING, NOTE)
            if counts[severity]
        ]
        return f"<Findings: {', '.join(texts) or 'none'}>"


def lint(
    path: Union[str, "os.PathLike[str]"],
    *,
    package: Mapping[str, str] = {},
    xacro_args: Texts = (),
) -> Findings:
    """Return the findings about a robot, as the command does, notes included.

    Args:
        path: of a URDF, xacro, MJCF or SDF. What parsers refuse of a URDF is a finding, too.
        package: folders of meshes by package name.
        xacro_args: of a xacro, each `name:=value`.

    Raises:
        UrdfError: the file is no robot, or cannot be read, or its xacro cannot be expanded.
    """
    name = os.fspath(path)
    packages = tuple(package.items())
    source = read_expanded(name, xacro_args, packages)
    known = [kind.name for kind in EXPORT_KINDS]
    examined = examine(source, name, known, packages, as_urdf)
    files = by_source(examined, packages)
    if examined.robot is not None:
        beside = neighbors_of(examined.robot)
        files += [examine_neighbor(path, examined.robot, known) for path in beside]
    shown: List[Finding] = []
    for file in files:
        shown += [_shown(finding, file) for finding in file.findings]
    return Findings(shown)


def _shown(finding: LintFinding, file: ExaminedFile) -> Finding:
    """Return a finding of a file as a program gets it."""
    reported = in_file(file.path, finding)
    return Finding(
        kind=reported.kind,
        severity=reported.severity,
        line=reported.line,
        message=reported.text,
        cure=reported.cure,
        column=column_of(finding.diagnostic, file.lines),
        file=reported.path,
    )


__all__ = ["Finding", "Findings", "lint"]
