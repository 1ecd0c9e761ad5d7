"""Baselines: files of known findings that lint leaves out.

A finding is known by file, kind, sentence and names, not by line and numbers, so that an edit elsewhere does not bring
it back; of several that are alike as many are known as the file counts.
"""
import json
import os
from collections import Counter
from typing import Any, Counter as Counts, Dict, List, Sequence, Tuple

from ..base.errors import UsageError
from ..base.files import read_file
from .records import Examined, Finding

BASELINE_FORMAT = 1
Key = Tuple[str, str, str, Tuple[str, ...]]


def read_baseline(path: str) -> Counts[Key]:
    """Return the known findings of a file.

    Raises:
        UsageError: the file does not exist, or is not a baseline.
    """
    try:
        data: Any = json.loads(read_file(path))
        rows: List[Any] = data["findings"] if data["format"] == BASELINE_FORMAT else [None]
        counts: Counts[Key] = Counter()
        for row in rows:
            counts[row["file"], row["kind"], row["sentence"], tuple(row["names"])] += int(row["count"])
    except (ValueError, TypeError, KeyError):
        raise UsageError("this is no baseline of lint; lint --update-baseline writes one", path) from None
    return counts


def baseline_text(examined: Sequence[Examined], path: str) -> str:
    """Return the text of a baseline to be written to `path`: all findings, in a fixed order."""
    counts = Counter(_key(finding, each.path, path) for each in examined for finding in each.findings)
    rows: List[Dict[str, Any]] = [{"file": file, "kind": kind, "sentence": sentence, "names": list(names),
                                   "count": counts[file, kind, sentence, names]}
                                  for file, kind, sentence, names in sorted(counts)]
    return json.dumps({"format": BASELINE_FORMAT, "findings": rows}, indent=1, ensure_ascii=False) + "\n"


def without_known(examined: Sequence[Examined], known: Counts[Key], path: str) -> List[Examined]:
    """Return the files without the findings that a baseline has."""
    remaining = Counter(known)
    result = []
    for each in examined:
        new = []
        for finding in each.findings:
            key = _key(finding, each.path, path)
            if remaining[key] > 0:
                remaining[key] -= 1
            else:
                new.append(finding)
        result.append(each._replace(findings=tuple(new)))
    return result


def _key(finding: Finding, file: str, baseline: str) -> Key:
    """Return the key of a finding; its file is relative to the folder of the baseline."""
    folder = os.path.dirname(os.path.realpath(baseline))
    seen = os.path.relpath(os.path.realpath(file), folder).replace(os.sep, "/") if file != "<stdin>" else file
    return seen, finding.diagnostic.kind.name, finding.diagnostic.sentence, finding.diagnostic.names
