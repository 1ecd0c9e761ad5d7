"""The readers of the comparison share nothing with what they judge."""
import ast
from pathlib import Path
from typing import Iterator

import pytest
from conftest import ROOT

MODULES = sorted((ROOT / "urdf_tools/compare").glob("*.py"))
OUTSIDE = ("command.py", "commands.py", "unified_diff.py")  # what the command line runs, and a difference of texts
# The JSON of a model is read by the types of its records, and what they mean is worked out anew.
OF_MODEL = {"read_model.py": ("json_form", "pose", "records", "shapes")}
FOREIGN = ("plan", "apply", "model", "export", "run", "report", "cli", "srdf")
WRITERS = ("meshes.surfaces", "meshes.convert", "meshes.writers", "meshes.writers", "meshes.stl_files")


def imported(path: Path) -> Iterator[str]:
    """Yield the modules of the package that a file imports anywhere, as `room.module`."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == 2:
            yield from (f"{node.module}.{alias.name}" if "." not in (node.module or "") else node.module or ""
                        for alias in node.names)


@pytest.mark.parametrize("path", [path for path in MODULES if path.name not in OUTSIDE], ids=lambda path: path.name)
def test_no_reader_and_no_comparison_knows_the_reader_the_plan_the_model_or_a_writer(path: Path) -> None:
    allowed = tuple(f"model.{name}" for name in OF_MODEL.get(path.name, ()))
    taken = [name for name in imported(path) if ".".join(name.split(".")[:2]) not in allowed]
    assert [name for name in taken if name.split(".")[0] in FOREIGN or name in ("urdf.reader", *WRITERS)] == []
