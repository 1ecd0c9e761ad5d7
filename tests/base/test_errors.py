"""No handler keeps a failed proof: it ends the run with its own exit status, wherever it comes from."""
import ast
import shutil
from pathlib import Path
from typing import List

import pytest
from commands import in_process
from conftest import ROOT

import urdf_tools
from urdf_tools.base.errors import ProofFailed
from urdf_tools.export.meshes import dae_reader

WIDE = {"ProofFailed", "UrdfSimplifyError", "Exception", "BaseException"}
TELLS = ("cli/check.py", "cli/command.py")  # they print it, and return its status


def handlers_that_keep_it(path: Path) -> List[int]:
    """Return the lines of handlers that may catch a failed proof and do not end by raising."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ExceptHandler):
            names = {part.id for part in ast.walk(node.type) if isinstance(part, ast.Name)} if node.type else WIDE
            if names & WIDE and not isinstance(node.body[-1], ast.Raise):
                found.append(node.lineno)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "suppress":
            found += [node.lineno for part in node.args if isinstance(part, ast.Name) and part.id in WIDE]
    return found


def test_no_handler_swallows_a_failed_proof() -> None:
    paths = {path.relative_to(ROOT / "urdf_tools").as_posix(): path for path in (ROOT / "urdf_tools").rglob("*.py")}
    assert sorted(name for name, path in paths.items() if handlers_that_keep_it(path)) == sorted(TELLS)


def test_errors_of_input_are_errors_of_values_and_a_failed_proof_is_not() -> None:
    assert issubclass(urdf_tools.UrdfError, ValueError)
    assert issubclass(urdf_tools.UrdfError, urdf_tools.UrdfSimplifyError)
    assert issubclass(ProofFailed, urdf_tools.UrdfSimplifyError)
    assert not issubclass(ProofFailed, (urdf_tools.UrdfError, ValueError, OSError))


@pytest.mark.parametrize("options", (["--page", "p.html"], ["--armature", "a.glb"], ["--mesh-format", "obj"]))
def test_a_reader_that_fails_its_proof_ends_the_run(options: List[str], tmp_path: Path,
                                                    monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ProofFailed("holds 3 triangles, not 4", "base.dae")

    shutil.copytree(ROOT / "fixtures" / "painted_arm", tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(dae_reader, "scene_drawings", fails)
    before = sorted(tmp_path.iterdir())
    done = in_process(["robot.urdf", "-y", *options])
    assert (done.returncode, sorted(tmp_path.iterdir())) == (3, before), done.stderr
    assert b"base.dae: holds 3 triangles, not 4" in done.stderr
