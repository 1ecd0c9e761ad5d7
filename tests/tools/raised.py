"""Note which sentences of lint the tests raise, so that `all_files.py` names those that no test raises.

The tests run in several processes: each leaves a file in the folder that URDF_RAISED names. A sentence counts where the
package makes its diagnostic in a test whose input is written out. A random robot does not count: another version of
hypothesis draws other robots.
"""

import contextlib
import json
import os
import sys
from pathlib import Path

FOLDER = "URDF_RAISED"
OF_ALL_KINDS = (
    "tests/report/test_examples.py"  # runs the example of each kind, and expects no sentence
)
OF_ANOTHER_SYSTEM = {  # sentences that no test can raise on the system that runs the tests
    ("mesh-spelling", "here"),  # Linux alone
    ("mesh-spelling", "elsewhere"),  # Windows and macOS
}


@contextlib.contextmanager
def noted(folder):
    """Note the sentences that the package raises meanwhile, and leave them in a file of this process in a folder.

    A diagnostic that gets another sentence from `_replace` counts for that one as well.
    """
    from hypothesis import currently_in_test_context
    from urdf_tools.base.diagnostics import Diagnostic
    from urdf_tools.base.record_type import constructor, Record

    raised = set()
    make = constructor(Diagnostic)

    def note(diagnostic, maker):
        """Note a diagnostic if the package made it, and not a test."""
        key = (diagnostic.kind.name, diagnostic.sentence)
        if key in raised or not maker.startswith("urdf_tools."):
            return
        is_of_all = os.environ.get("PYTEST_CURRENT_TEST", "").startswith(OF_ALL_KINDS)
        if not is_of_all and not currently_in_test_context():
            raised.add(key)

    def make_and_note(cls, *values, **fields):
        """Make a diagnostic, and note it."""
        diagnostic = make(cls, *values, **fields)
        note(diagnostic, sys._getframe(1).f_globals.get("__name__", ""))
        return diagnostic

    def replace_and_note(before, **fields):
        """Return a copy with other fields, and note it."""
        diagnostic = Record._replace(before, **fields)
        note(diagnostic, sys._getframe(1).f_globals.get("__name__", ""))
        return diagnostic

    make_before = Diagnostic.__new__
    replace_before = Diagnostic._replace
    Diagnostic.__new__ = make_and_note
    Diagnostic._replace = replace_and_note
    try:
        yield
    finally:
        Diagnostic.__new__ = make_before
        Diagnostic._replace = replace_before
        Path(folder, f"{os.getpid()}.json").write_text(json.dumps(sorted(raised)), "utf-8")


def never_raised(folder):
    """Return a line for each sentence of a kind of lint that no process has noted in a folder."""
    from urdf_tools.lint.lint_diagnostics import LINT_KINDS

    raised = set(OF_ANOTHER_SYSTEM)
    for path in Path(folder).glob("*.json"):
        raised.update(map(tuple, json.loads(path.read_text("utf-8"))))
    return [
        f"no test raises {kind.name}, sentence `{key}`: {sentence}"
        for kind in LINT_KINDS
        for key, sentence in kind.sentences.items()
        if (kind.name, key) not in raised
    ]
