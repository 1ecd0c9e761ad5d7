#!/usr/bin/env python3
"""Count what grows unnoticed, and hold it to the limits of this release: `make count`.

Lines of code are those that are no docstring, comment or blank line: only they cost time at the start of the single
file. The limits are those of the release that is being made; each release may set its own.
"""
import ast
import sys
from collections import Counter
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple, Union

ROOT = Path(__file__).resolve().parent.parent
Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Limits(NamedTuple):
    """The most of each that a release may have."""

    single_file: int  # lines of code
    readme: int  # lines
    function: int  # lines of the longest one in the single file
    parameters: int  # of a function, less those that are keywords only


LIMITS = Limits(single_file=9382, readme=200, function=70, parameters=8)


def docstring_lines(tree: ast.AST) -> Set[int]:
    """Return the numbers of the lines of all docstrings."""
    found: Set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            found.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return found


def code_lines(text: str, tree: Optional[ast.AST] = None) -> int:
    """Return the number of lines that are neither docstring, comment nor blank; `tree` is the text as parsed."""
    skipped = docstring_lines(tree or ast.parse(text))
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") and number not in skipped
               for number, line in enumerate(text.splitlines(), 1))


def functions_in(place: str, tree: ast.AST) -> Iterator[Tuple[str, int, int]]:
    """Yield (place and name, lines, parameters that may be given by position) of each function of a file."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = [*node.args.posonlyargs, *node.args.args]
            count = len(parameters) - (bool(parameters) and parameters[0].arg in ("self", "cls"))
            yield f"{place}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1, count


def main() -> int:
    """Print the counts; return 1 if one is over its limit."""
    sys.path.insert(0, str(ROOT))
    from urdf_tools.single_file_rules import ROOMS

    modules = sorted((ROOT / "urdf_tools").rglob("*.py"))
    lines: Dict[str, int] = Counter()
    files: Dict[str, int] = Counter()
    functions: List[Tuple[str, int, int]] = []
    for path in modules:
        parts = path.relative_to(ROOT / "urdf_tools").parts
        room = "/".join(parts[:2]) if parts[0] == "export" and len(parts) > 2 else parts[0] if len(parts) > 1 else "."
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines[room] += code_lines(text, tree)
        files[room] += 1
        functions += functions_in(path.relative_to(ROOT).as_posix(), tree)
    print(f"{'room':<18}{'code lines':>12}{'files':>8}")
    for room in [*ROOMS, *sorted(set(lines) - set(ROOMS))]:
        mark = "" if room in ROOMS else "   package only"
        print(f"{room:<18}{lines[room]:>12}{files[room]:>8}{mark}")
    longest, most = max(functions, key=lambda one: one[1]), max(functions, key=lambda one: one[2])
    counted: List[Tuple[str, int, int]] = [
        ("lines of code of the single file",
         code_lines((ROOT / "urdf_simplify.py").read_text(encoding="utf-8")), LIMITS.single_file),
        ("lines of README.md", len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()), LIMITS.readme),
        (f"lines of the longest function ({longest[0]})", longest[1], LIMITS.function),
        (f"parameters by position ({most[0]})", most[2], LIMITS.parameters)]
    print()
    for what, count, limit in counted:
        print(f"{count:>6} of {limit:<6} {what}{'' if count <= limit else '   OVER THE LIMIT'}")
    return int(any(count > limit for _, count, limit in counted))


if __name__ == "__main__":
    sys.exit(main())
