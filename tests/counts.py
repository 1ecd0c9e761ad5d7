#!/usr/bin/env python3
"""Count what grows unnoticed, and hold it to the limits of this release: `make count`.

Lines of code are those that are no docstring, comment or blank line: only they cost time at the start of the single
file. Complexity is 1, and 1 for each `if`, loop, `except`, conditional expression, `for` of a comprehension, and each
further operand of `and` and `or`. The limits are those of the release that is being made; a change that needs more
raises a row in its own commit, with its reason.
"""
import ast
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Set, Tuple

ROOT = Path(__file__).resolve().parent.parent


class Limits(NamedTuple):
    """The most of each that a release may have."""

    single_file: int  # lines of code
    readme: int  # lines
    function: int  # lines of the longest one
    complexity: int  # of a function that has no row in COMPLEX
    parameters: int  # of a function, less those that are keywords only


LIMITS = Limits(single_file=9331, readme=200, function=60, complexity=25, parameters=8)
ROOM_LIMITS: Dict[str, Tuple[int, int]] = {  # lines of code and files of each room
    "base": (743, 11),
    "urdf": (1345, 11),
    "collada": (1692, 13),
    "facts": (442, 5),
    "plan": (1970, 16),
    "meshing": (347, 4),
    "apply": (298, 3),
    "verify": (1118, 9),
    "run": (495, 6),
    "report": (600, 6),
    "cli": (729, 8),
    ".": (240, 8),
    "app": (1284, 18),
    "collision": (2975, 19),
    "compare": (3738, 25),
    "edit": (2121, 14),
    "export": (2206, 20),
    "export/meshes": (880, 8),
    "export/page": (1353, 10),
    "formats": (587, 6),
    "formats/armature": (1218, 7),
    "formats/json": (330, 3),
    "formats/mjcf": (2021, 11),
    "formats/sdf": (1058, 6),
    "formats/urdf": (547, 4),
    "formats/usd": (1721, 11),
    "inputs": (376, 5),
    "lint": (1985, 15),
    "meshes": (3888, 24),
    "model": (1197, 12),
    "robot": (517, 5),
    "srdf": (675, 5),
    "texts": (11, 2),
    "web": (300, 3),
}
COMPLEX: Dict[str, Tuple[int, str]] = {  # functions above the limit of complexity: theirs, and why they stay
    "model/simulation.py:_read_gazebo": (30, "one branch for each element that is read"),
    "plan/base_frame.py:_choose_front": (30, "one branch for each case of its table of rules"),
    "meshing/make.py:name_files": (29, "one branch for each case of its table of rules"),
    "formats/sdf/lower.py:plan_links": (28, "one branch for each case of what SDF does with a link"),
    "plan/update_values.py:update_collision_name": (28, "one branch for each case of its table of rules"),
    "collada/measure.py:positions_of": (27, "one branch for each case of its table of rules"),
    "facts/gazebo_values.py:values_in_gazebo": (27, "one branch for each case of its table of rules"),
    "verify/outside.py:_verify_the_rest": (26, "one branch for each case of its table of rules"),
}


def docstring_lines(tree: ast.AST) -> Set[int]:
    """Return the numbers of the lines of all docstrings."""
    numbers: Set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node) is not None:
            numbers.update(range(node.body[0].lineno, (node.body[0].end_lineno or 0) + 1))
    return numbers


def code_lines(text: str, tree: Optional[ast.AST] = None) -> int:
    """Return the number of lines that are neither docstring, comment nor blank; `tree` is the text as parsed."""
    skipped = docstring_lines(tree or ast.parse(text))
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") and number not in skipped
               for number, line in enumerate(text.splitlines(), 1))


class Counted(NamedTuple):
    """A function: file and name, its line, its lines, parameters that may be given by position, its complexity."""

    name: str
    line: int
    lines: int
    parameters: int
    complexity: int


def complexity_of(function: ast.AST) -> int:
    """Return in how many ways a function branches, and 1."""
    count = 1
    for node in ast.walk(function):
        if isinstance(node, (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension)):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
    return count


def functions_in(file: str, tree: ast.AST) -> Iterator[Counted]:
    """Yield what is counted of each function of a file."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = [*node.args.posonlyargs, *node.args.args]
            by_position = len(parameters) - (bool(parameters) and parameters[0].arg in ("self", "cls"))
            yield Counted(f"{file}:{node.name}", node.lineno, (node.end_lineno or 0) - node.lineno + 1, by_position,
                          complexity_of(node))


def room_of(path: Path) -> str:
    """Return the room of a module: its folder, in `export` and `formats` the street, "." above all rooms."""
    parts = path.relative_to(ROOT / "urdf_tools").parts
    has_streets = parts[0] in ("export", "formats") and len(parts) > 2
    return "/".join(parts[:2]) if has_streets else parts[0] if len(parts) > 1 else "."


@lru_cache(maxsize=None)
def counted() -> Tuple["Counter[str]", "Counter[str]", List[Counted]]:
    """Return the lines of code and the files of each room, and all functions."""
    lines: Counter[str] = Counter()
    files: Counter[str] = Counter()
    functions: List[Counted] = []
    for path in sorted((ROOT / "urdf_tools").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        tree = ast.parse(text)
        lines[room_of(path)] += code_lines(text, tree)
        files[room_of(path)] += 1
        functions += functions_in(path.relative_to(ROOT / "urdf_tools").as_posix(), tree)
    return lines, files, functions


def main() -> int:
    """Print the counts; return 1 if one is over its limit."""
    sys.path.insert(0, str(ROOT))
    from single_file_rules import ROOMS

    lines, files, functions = counted()
    over = 0

    def mark(count: int, limit: int) -> str:
        nonlocal over
        over += count > limit
        return f"{count:>7} of {limit:<6}{'OVER' if count > limit else '    '}"

    print(f"{'room':<18}{'code lines':>16}{'files':>16}")
    for room in [*ROOMS, *sorted(set(lines) - set(ROOMS))]:
        most_lines, most_files = ROOM_LIMITS.get(room, (0, 0))
        print(f"{room:<18}{mark(lines[room], most_lines)}{mark(files[room], most_files)}"
              f"{'' if room in ROOMS else 'package only'}".rstrip())
    print(f"{'all':<18}{sum(lines.values()):>7}{sum(files.values()):>18}\n")
    longest, widest = max(functions, key=lambda row: row.lines), max(functions, key=lambda row: row.parameters)
    branched = max((row for row in functions if row.name not in COMPLEX), key=lambda row: row.complexity)
    code = code_lines((ROOT / "urdf_simplify.py").read_text(encoding="utf-8"))
    page = len((ROOT / "README.md").read_text(encoding="utf-8").splitlines())
    for what, count, limit in (
            ("lines of code of the single file", code, LIMITS.single_file),
            ("lines of README.md", page, LIMITS.readme),
            (f"lines of the longest function ({longest.name})", longest.lines, LIMITS.function),
            (f"complexity ({branched.name})", branched.complexity, LIMITS.complexity),
            (f"parameters by position ({widest.name})", widest.parameters, LIMITS.parameters)):
        print(f"{mark(count, limit)} {what}")
    for function in functions:
        if function.name in COMPLEX:
            limit, reason = COMPLEX[function.name]
            print(f"{mark(function.complexity, limit)} complexity of {function.name}: {reason}")
    return int(over > 0)


if __name__ == "__main__":
    sys.exit(main())
