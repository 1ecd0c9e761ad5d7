"""Robots that simulators take: what moves has a mass, and each tensor is that of a body, as `lint --fix` repairs them.

Exports refuse anything else, so their laws are about these; that the repair is enough for each export is one of them.
"""

from urdf_tools.base.run_diagnostics import INERTIA, MASSLESS
from urdf_tools.export.all_diagnostics import EXPORT_KINDS
from urdf_tools.lint.examine_file import examine
from urdf_tools.lint.fix_findings import repair

KNOWN = tuple(kind.name for kind in EXPORT_KINDS)
REPAIRED = (MASSLESS.name, INERTIA.name)
REFUSALS = (
    "has no mass, with all that is fixed to it: give it one",
    "no body has the principal moments",
)


def sound(urdf):
    """Return the text of a URDF after `lint --fix --select no-mass,inertia`; one that nothing reads as it is."""
    examined = examine(urdf.encode("utf-8"), "", KNOWN)
    chosen = [
        finding for finding in examined.findings if finding.repair and finding.kind.name in REPAIRED
    ]
    if examined.document is None or examined.robot is None or not chosen:
        return urdf
    return repair(examined.document, chosen).document.to_bytes().decode("utf-8")


def assert_no_mass_is_refused(error):
    """Fail if an export refuses a mass that the repair should have made sound."""
    assert not any(words in str(error) for words in REFUSALS), error
