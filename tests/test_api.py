"""What `import urdf_tools` offers, and that it loads no more than is asked for."""
import subprocess
import sys

import pytest
from conftest import ROOT

import urdf_tools
from urdf_tools import api


def modules_after(statement: str) -> "set[str]":
    """Return the modules of the package that a fresh Python has loaded after a statement."""
    code = f"{statement}\nimport sys\nprint(*(name for name in sys.modules if name.startswith('urdf_tools')))"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, encoding="utf-8", check=True)
    return set(done.stdout.split())


def test_every_name_offered_can_be_imported_from_the_package() -> None:
    assert "simplify" in api.__all__
    for name in api.__all__:
        assert getattr(urdf_tools, name) is getattr(api, name)


def test_star_imports_just_what_is_offered() -> None:
    names = {}
    exec("from urdf_tools import *", names)
    assert set(names) - {"__builtins__"} == set(api.__all__)


def test_unknown_name_is_the_usual_error() -> None:
    with pytest.raises(AttributeError, match="^module 'urdf_tools' has no attribute 'simplfy'$"):
        urdf_tools.simplfy  # noqa: B018
    with pytest.raises(ImportError, match="cannot import name 'simplfy' from 'urdf_tools'"):
        exec("from urdf_tools import simplfy")


def test_only_what_is_asked_for_is_loaded() -> None:
    assert modules_after("import urdf_tools") == {"urdf_tools"}
    loaded = modules_after("import urdf_tools.extract_dae_meshes")
    assert "urdf_tools.collada.convert" in loaded
    assert loaded.isdisjoint({"urdf_tools.cli.main", "urdf_tools.run.pipeline", "urdf_tools.api"})
    assert "urdf_tools.run.pipeline" in modules_after("from urdf_tools import simplify")
