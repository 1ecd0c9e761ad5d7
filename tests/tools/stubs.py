#!/usr/bin/env python3
"""Write `urdf_tools/__init__.pyi`, the names of the package with their signatures for type checkers and editors.

    python3 tests/tools/stubs.py [--check]

--check writes nothing, and exits with 1 if the file is not what the table of options gives.
"""

import inspect
import sys
import typing
from pathlib import Path
from typing import Callable, List

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from urdf_tools import api  # noqa: E402 its folder was not known before
from urdf_tools.app import argument_types, python_functions  # noqa: E402

STUB = ROOT / "urdf_tools" / "__init__.pyi"
HEAD = '''"""Simplify and reorient a URDF file: `simplify("robot.urdf", "clean.urdf")`, or run with --help."""

# Written by tests/tools/stubs.py from the table of options: do not edit.

from typing import Literal, Optional, Union

'''
BY_OPTIONS = (
    python_functions.simplify,
    python_functions.edit,
    python_functions.collision,
    python_functions.pairs,
    python_functions.export,
)


def stub_text() -> str:
    """Return the text of the stub."""
    types = [
        name for name in vars(argument_types) if name[0].isupper() and not hasattr(typing, name)
    ]
    names = [name for name in api.__all__ if name != "simplify"]
    lines = [
        "from . import model as model",
        *_imports(".api", names),
        # Without `as`, a name is for this file alone: `urdf_tools` does not offer it.
        f"from .app.argument_types import {', '.join(types)}",
        "from .app.python_functions import extract_meshes_from_dae as extract_meshes_from_dae",
        "from .compare_api import compare as compare",
        "from .lint_api import lint as lint",
        "from .model_api import Robot as Robot",
    ]
    for function in BY_OPTIONS:
        lines += ["", *_stub_of(function)]
    return HEAD + "\n".join(lines) + "\n"


def _imports(module: str, names: List[str]) -> List[str]:
    """Return the lines of an import that offers names again."""
    return [f"from {module} import (", *(f"    {name} as {name}," for name in names), ")"]


def _stub_of(function: Callable[..., object]) -> List[str]:
    """Return the lines of a function: its signature, a parameter a line, and its docstring."""
    signature = inspect.signature(function)
    lines = [f"def {function.__name__}("]
    has_star = False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.VAR_POSITIONAL:
            has_star = True
        elif parameter.kind is parameter.KEYWORD_ONLY and not has_star:
            lines.append("    *,")
            has_star = True
        lines.append(f"    {parameter},")
    lines.append(f") -> {signature.return_annotation}:")
    first, *others = (inspect.getdoc(function) or "").splitlines()
    text = "\n".join([first, *(f"    {line}" if line else "" for line in others)])
    # A docstring with backslashes is a raw one.
    mark = "r" if "\\" in text else ""
    lines += [f'    {mark}"""{text}', '    """']
    return lines


def main(words: List[str]) -> int:
    """Write or check the stub; return the exit status."""
    text = stub_text()
    if words == ["--check"]:
        is_current = STUB.exists() and STUB.read_text("utf-8") == text
        if not is_current:
            print(
                "urdf_tools/__init__.pyi is not what the options give: python3 tests/tools/stubs.py"
            )
        return 0 if is_current else 1
    STUB.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
