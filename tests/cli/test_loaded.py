"""A plain run loads the rooms that carry it out, and of the other rooms only what is named here."""

import subprocess
import sys

import pytest
from conftest import ROOT

# These rooms are the run itself.
ROOMS = {"apply", "base", "cli", "facts", "meshing", "plan", "report", "run", "urdf", "verify"}
# Of each other room: the modules that say what options there are, and what a run may be asked for.
BESIDE = {
    "__main__",
    "app.commands",
    "app.engine",
    "app.option_rows",
    "collada.records",
    "collision.settings",
    "export.request",
    "lazy_names",
    "model.words",
    "texts.pages",
}


def loaded_by(*words):
    """Return the modules of the package that a command has loaded when it ends, without the rooms themselves."""
    code = (
        "import sys\nfrom urdf_tools.__main__ import console\n"
        "try:\n    console()\nexcept SystemExit:\n    pass\n"
        "print(*(name for name in sys.modules if name.startswith('urdf_tools.')\n"
        "        and not hasattr(sys.modules[name], '__path__')), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *words], cwd=ROOT, capture_output=True, text=True, check=True
    )
    names = done.stderr.splitlines()[-1].split()
    return {name[len("urdf_tools.") :] for name in names}


@pytest.mark.parametrize("options", [["-n"], ["-n", "-q"], ["--check"]], ids=" ".join)
def test_a_plain_run_loads_nothing_that_it_does_not_show(options):
    loaded = loaded_by("fixtures/humanoid/robot.urdf", *options)
    beside = {name for name in loaded if name.split(".")[0] not in ROOMS}
    assert "run.pipeline" in loaded
    assert beside <= BESIDE, sorted(beside - BESIDE)
