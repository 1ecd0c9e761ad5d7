"""`--diff`: what a run would change, line by line."""
import sys

from ..cli.run import verdict
from ..cli.streams import say, style_of
from ..compare.unified_diff import painted, unified_diff
from ..run.records import Asked, Result


def say_difference(asked: Asked, result: Result, color: str) -> None:
    """Print a unified diff of the URDF and of each companion, and in one line on standard error what it comes to."""
    style = style_of(sys.stdout, color)
    pairs = [(result.before.document, result.after.document, asked.path, asked.output)]
    pairs += [(srdf.before, srdf.after, srdf.before.path, srdf.output) for srdf in result.companions]
    for old, new, name, target in pairs:
        lines = unified_diff(old.text(), new.text(), name, target or "result")
        say((painted(line, style) for line in lines), sys.stdout)
    is_of_srdf = asked.choices["pairs"] and not asked.choices["drake_groups"]
    say([f"{srdf.output}: {srdf.proof_line}" for srdf in result.companions] if is_of_srdf else [
        f"{asked.path} {verdict(result)}"], sys.stderr)
