"""The readers of the comparison share nothing with what they judge."""

import ast

import pytest
from conftest import ROOT

MODULES = sorted((ROOT / "urdf_tools/compare").glob("*.py"))
FOREIGN = ("plan", "apply", "model", "export", "run", "report", "cli", "srdf")
WRITERS = ("meshes.surfaces", "meshes.convert", "meshes.writers", "meshes.stl_files")


def imported(path):
    """Yield the modules of the package that a file imports anywhere, as `room.module`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            yield from (
                f"{node.module}.{alias.name}"
                if "." not in (node.module or "")
                else node.module or ""
                for alias in node.names
            )


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_no_reader_and_no_comparison_knows_the_reader_the_plan_the_model_or_a_writer(
    path,
):
    assert [
        name
        for name in imported(path)
        if name.split(".")[0] in FOREIGN or name in ("urdf.reader", *WRITERS)
    ] == []
