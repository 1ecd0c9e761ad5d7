"""A plain run loads the rooms that carry it out, and of the others what is named here; lint and compare what they need."""

import ast
import subprocess
import sys

import pytest
from conftest import ROOT

# These rooms are the run itself.
ROOMS = {"apply", "base", "cli", "facts", "meshing", "plan", "report", "run", "urdf", "verify"}
# Of each other room: the modules that say what options there are, and what a run may be asked for.
BESIDE = {
    "__main__",
    "app.command_table",
    "app.run_extension",
    "app.package_options",
    "collada.conversion_records",
    "collision.collision_settings",
    "export.export_request",
    "lazy_names",
    "model.option_values",
    "texts.text_pages",
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
    assert "run.run_pipeline" in loaded
    assert beside <= BESIDE, sorted(beside - BESIDE)


ARM = (
    '<robot name="r"><link name="base"/><link name="{0}"><visual><geometry><mesh filename="gone.stl"/></geometry>'
    '</visual></link><joint name="j" type="revolute"><parent link="base"/><child link="{0}"/><axis xyz="0 0 1"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint></robot>'
)
# The readers of other formats, and of meshes that are not there.
READERS = (
    *(f"formats.{name}" for name in ("armature", "json", "mjcf", "sdf", "usd")),
    *(f"meshes.{name}_reader" for name in ("dae", "gltf", "obj")),
    "collada.collada_to_stl",
    "meshes.stl_files",
)
# What makes a plan, carries it out, and proves the result.
RUN = (
    "apply",
    "cli.run_and_ask",
    "meshing",
    "plan.plan_decisions",
    "report.plan_text",
    "run.run_pipeline",
    "verify",
)
NOT_LOADED = {
    "lint": (
        *READERS,
        *RUN,
        "compare",
        "export.mjcf_exporter",
        "formats.urdf.read_urdf",
        "meshes.mesh_readers",
    ),
    "compare": (*READERS, *RUN, "edit", "lint", "urdf.urdf_reader"),
    "-h": (*READERS, *RUN, "compare", "edit", "formats", "lint", "urdf.urdf_reader"),
}


@pytest.mark.parametrize("verb", NOT_LOADED)
def test_a_command_loads_no_module_that_it_does_not_ask(verb, tmp_path):
    files = []
    for name in {"lint": ("arm",), "compare": ("arm", "part"), "-h": ()}[verb]:
        files.append(tmp_path / f"{name}.urdf")
        files[-1].write_text(ARM.format(name), encoding="utf-8")
    loaded = loaded_by(verb, *map(str, files))
    assert f"app.{verb}_command" in loaded or verb == "-h"
    beside = {
        name for name in loaded for room in NOT_LOADED[verb] if f"{name}.".startswith(f"{room}.")
    }
    assert not beside, sorted(beside)


# Modules whose types users see: in `help`, or as those of the JSON form of a model.
SHOWN = (
    "app/command_table",
    "base/errors",
    "base/record_type",
    "compare/robot_comparison",
    "compare/difference_records",
    "compare/given_or_searched_map",
    "compare/read_any_format",
    "compare/comparison_text",
    "compare/difference_kinds",
    "formats/json/model_json",
    "plan/run_options",
    "report/run_json",
    "robot/raw_robot",
    "urdf/urdf_records",
)
BLENDER = "formats/armature/import_armature"  # a script of its own


def annotates(tree):
    """Return True if a module has annotations that are evaluated when it is loaded."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    arguments = [argument for function in functions for argument in function.args.args]
    return (
        any(isinstance(node, ast.AnnAssign) for node in ast.walk(tree))
        or any(function.returns for function in functions)
        or any(argument.annotation for argument in arguments)
    )


def test_annotations_that_nobody_sees_are_not_evaluated():
    """That takes a twentieth of a plain run."""
    package = ROOT / "urdf_tools"
    evaluated = []
    for path in package.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        name = path.relative_to(package).with_suffix("").as_posix()
        if "from __future__ import annotations\n" not in text and annotates(ast.parse(text)):
            evaluated.append(name)
    others = [name for name in evaluated if "/" in name and not name.startswith("model/")]
    assert sorted(others) == sorted([*SHOWN, BLENDER])
