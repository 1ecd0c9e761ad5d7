"""The names of `urdf_tools.lint`: the lint findings of a file, for programs."""

import os
from typing import Mapping, Tuple, Union

from .base.diagnostics import ERROR, NOTE, WARNING
from .base.number_text import count_of
from .base.record import Record
from .export.all_kinds import EXPORT_KINDS
from .inputs.as_urdf import as_urdf
from .lint.examine import examine
from .lint.report import column_of, in_file
from .urdf.xacro import read_expanded


class Finding(Record):
    """A lint finding: its kind, error, warning or note, its line (0: the whole file), its sentence, what to do, and the
    column of what it is about, from 1 (0: the whole file)."""

    kind: str
    severity: str
    line: int
    message: str
    cure: str = ""
    column: int = 0


class Findings(Tuple[Finding, ...]):
    """Findings in the order of their lines, without those that comments of the file ignore."""

    __slots__ = ()

    def __repr__(self) -> str:
        counts = [
            count_of(count, severity)
            for severity in (ERROR, WARNING, NOTE)
            for count in (sum(finding.severity == severity for finding in self),)
            if count
        ]
        return f"<Findings: {', '.join(counts) or 'none'}>"


def lint(
    path: Union[str, "os.PathLike[str]"],
    *,
    package: Mapping[str, str] = {},
    xacro_args: Tuple[str, ...] = (),
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
    examined = examine(source, name, [kind.name for kind in EXPORT_KINDS], packages, as_urdf)
    return Findings(
        Finding(
            each.kind,
            each.severity,
            each.line,
            each.text,
            each.cure,
            column_of(finding.diagnostic, examined.lines),
        )
        for finding in examined.findings
        for each in (in_file(name, finding),)
    )


__all__ = ["Finding", "Findings", "lint"]
