"""Findings for programs: JSON, the workflow commands of GitHub, and SARIF 2.1.0."""
import json
import os
from typing import Any, Dict, List, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import ERROR, NOTE, WARNING
from ..base.version import __version__

FORMATS = ("text", "json", "github", "sarif")
LINT_FORMAT = 1
COMMANDS = {ERROR: "error", WARNING: "warning", NOTE: "notice"}
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"


class Reported(NamedTuple):
    """Something found, as all formats show it.

    Attributes:
        path, line: where; 0 is the whole file.
        kind, severity, text: its short name, error, warning or note, and its sentence.
        cure: what to do, "" for nothing.
        meaning: what its kind means.
        names, numbers: what the sentence is about.
        repair: the lines of the one edit that repairs it, each `line: old -> new`; () where several could.
        reason: why a comment in the file ignores it; None if none does.
    """

    path: str
    line: int
    kind: str
    severity: str
    text: str
    cure: str = ""
    meaning: str = ""
    names: Tuple[str, ...] = ()
    numbers: Tuple[float, ...] = ()
    repair: Tuple[str, ...] = ()
    reason: Optional[str] = None


def formatted(form: str, found: Sequence[Reported], paths: Sequence[str], status: int, command: str) -> str:
    """Return the text of a format but `text`, without its last newline.

    Args:
        form: json, github or sarif.
        found: what was found, in order.
        paths: the files that were looked at.
        status: the exit status of the run.
        command: what ran: check, compare or lint.
    """
    if form == "github":
        return "\n".join(_workflow_command(one) for one in found if one.reason is None)
    data = _sarif(found, status) if form == "sarif" else _json(found, paths, status, command)
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False)


def _json(found: Sequence[Reported], paths: Sequence[str], status: int, command: str) -> Dict[str, Any]:
    counts = {severity: sum(one.severity == severity and one.reason is None for one in found)
              for severity in (ERROR, WARNING, NOTE)}
    return {"format": LINT_FORMAT, "tool": {"name": "urdf_simplify", "version": __version__}, "command": command,
            "files": list(paths), "exit": status, "counts": counts,
            "findings": [_row(one) for one in found if one.reason is None],
            "ignored": [{**_row(one), "reason": one.reason} for one in found if one.reason is not None]}


def _row(one: Reported) -> Dict[str, Any]:
    return {"file": one.path, "line": one.line, "kind": one.kind, "severity": one.severity, "message": one.text,
            "cure": one.cure, "repair": list(one.repair), "names": list(one.names), "numbers": list(one.numbers)}


def _workflow_command(one: Reported) -> str:
    """Return a line that GitHub shows as an annotation (its documentation, "Workflow commands for GitHub Actions")."""
    line = f",line={one.line}" if one.line else ""
    cure = f"\n{one.cure}" if one.cure else ""
    return (f"::{COMMANDS[one.severity]} file={_of_property(one.path)}{line},title={_of_property(one.kind)}::"
            f"{_of_message(one.text + cure)}")


def _of_message(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _of_property(text: str) -> str:
    return _of_message(text).replace(":", "%3A").replace(",", "%2C")


def _sarif(found: Sequence[Reported], status: int) -> Dict[str, Any]:
    """Return a log of one run (OASIS, Static Analysis Results Interchange Format 2.1.0)."""
    rules: List[str] = list(dict.fromkeys(one.kind for one in found))
    first = {one.kind: one for one in reversed(found)}
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{
        "tool": {"driver": {"name": "urdf_simplify", "version": __version__, "semanticVersion": __version__,
                            "rules": [_rule(first[kind]) for kind in rules]}},
        "columnKind": "unicodeCodePoints",
        "invocations": [{"executionSuccessful": True, "exitCode": status}],
        "results": [_result(one, rules.index(one.kind)) for one in found]}]}


def _rule(one: Reported) -> Dict[str, Any]:
    rule: Dict[str, Any] = {"id": one.kind, "shortDescription": {"text": f"{one.meaning or one.kind}."},
                            "defaultConfiguration": {"level": one.severity}}
    return {**rule, "help": {"text": one.cure}} if one.cure else rule


def _result(one: Reported, index: int) -> Dict[str, Any]:
    # What is about the whole file is shown in its first line: consumers want a region.
    place = {"artifactLocation": {"uri": _uri(one.path)}, "region": {"startLine": one.line or 1}}
    result: Dict[str, Any] = {
        "ruleId": one.kind, "ruleIndex": index, "level": one.severity, "message": {"text": one.text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"kindAndNames/v1": " ".join((one.kind, *one.names))}}
    if one.reason is not None:
        result["suppressions"] = [{"kind": "inSource", "status": "accepted", "justification": one.reason}]
    return result


def _uri(path: str) -> str:
    """Return a path as a relative reference, or as a URI of a file if it is absolute."""
    from urllib.parse import quote
    from urllib.request import pathname2url

    if os.path.isabs(path):
        return f"file://{pathname2url(path)}"
    return quote(path.replace(os.sep, "/"))
