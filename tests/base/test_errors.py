"""No handler keeps a failed proof: it ends the run with its own exit status, wherever it comes from."""

import ast
import builtins
import shutil
from importlib import import_module

import pytest
from commands import in_process
from conftest import nodes_of, ROOT

import urdf_tools
from urdf_tools.base.errors import ProofFailed
from urdf_tools.meshes import dae_reader

IN_BLENDER = "formats/armature/import_armature.py"  # it imports nothing of the package
# They print it, and return its status.
TELLS = (
    "app/mcp/mcp_server.py",  # answers the request with the fault
    "app/view_watch.py",
    "cli/simplify_command.py",
    "cli/run_command_line.py",
)


def names_of_module(path):
    """Return what the names of a file mean, those that functions import from the library as well."""
    inside = path.relative_to(ROOT).with_suffix("")
    names = {**vars(builtins), **vars(import_module(".".join(inside.parts)))}
    for node in nodes_of(path):
        if isinstance(node, ast.ImportFrom) and not node.level:
            names.update(
                {
                    alias.asname or alias.name: getattr(
                        import_module(node.module or ""), alias.name
                    )
                    for alias in node.names
                }
            )
    return names


def keeps_it(caught, names):
    """Return True if what a handler names catches a failed proof, by whatever name or in whatever tuple."""
    kinds = (
        eval(compile(ast.Expression(caught), "caught", "eval"), names)
        if caught is not None
        else BaseException
    )
    return issubclass(ProofFailed, kinds)


def handlers_that_keep_it(path):
    """Return the lines of handlers that may catch a failed proof and do not end by raising."""
    found = []
    names = names_of_module(path)
    for node in nodes_of(path):
        if isinstance(node, ast.ExceptHandler) and keeps_it(node.type, names):
            found += [node.lineno] if not isinstance(node.body[-1], ast.Raise) else []
        elif (
            isinstance(node, ast.Call)
            and getattr(node.func, "id", getattr(node.func, "attr", "")) == "suppress"
        ):
            found += [node.lineno for part in node.args if keeps_it(part, names)]
    return found


def test_no_handler_swallows_a_failed_proof():
    paths = {
        path.relative_to(ROOT / "urdf_tools").as_posix(): path
        for path in (ROOT / "urdf_tools").rglob("*.py")
    }
    del paths[IN_BLENDER]
    assert sorted(name for name, path in paths.items() if handlers_that_keep_it(path)) == sorted(
        TELLS
    )


def test_errors_of_input_are_errors_of_values_and_a_failed_proof_is_not():
    assert issubclass(urdf_tools.UrdfError, ValueError)
    assert issubclass(urdf_tools.UrdfError, urdf_tools.UrdfSimplifyError)
    assert issubclass(ProofFailed, urdf_tools.UrdfSimplifyError)
    assert not issubclass(ProofFailed, (urdf_tools.UrdfError, ValueError, OSError))


@pytest.mark.parametrize("options", (["--page", "p.html"], ["--mesh-format", "obj"]))
def test_a_reader_that_fails_its_proof_ends_the_run(options, here, monkeypatch):
    def fails(*_):
        raise ProofFailed("holds 3 triangles, not 4", "base.dae")

    shutil.copytree(ROOT / "fixtures" / "painted_arm", here, dirs_exist_ok=True)
    monkeypatch.setattr(dae_reader, "scene_drawings", fails)
    before = sorted(here.iterdir())
    done = in_process(["robot.urdf", "-y", *options])
    assert (done.returncode, sorted(here.iterdir())) == (3, before), done.stderr
    assert b"base.dae: holds 3 triangles, not 4" in done.stderr
