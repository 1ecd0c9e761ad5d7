#!/usr/bin/env python3
"""Count what grows unnoticed, and hold it to the limits of this release: `make count`.

What is limited is nodes of the syntax tree (`ast.walk`, docstrings left out), not lines: a limit on lines is kept by
saying two things in one line, and whoever reads that line has to take them apart again. A name for a step, a comment
and a blank line cost a reader nothing, and cost no nodes or few. Lines and files of rooms are shown, without limits.

Complexity is 1, and 1 for each `if`, loop, `except`, conditional expression, `for` of a comprehension, and each
further operand of `and` and `or`.
"""

import ast
import sys
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import List, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
# People copy this one into Blender, where it imports nothing of the package: it is counted apart.
APART = ROOT / "urdf_tools/formats/armature/import_armature.py"


class Limits(NamedTuple):
    """The most of each that a release may have."""

    package: int  # nodes
    single_file: int  # nodes
    tests: int  # nodes
    readme: int  # lines
    function_lines: int  # of the longest function
    function_nodes: int  # of a function that has no row in LARGE
    long_statements: int  # that have more than STATEMENT nodes
    complexity: int  # of a function that has no row in COMPLEX
    parameters: int  # of a function, less those that are keywords only


LIMITS = Limits(
    package=600_800,
    single_file=130_900,
    tests=481_800,
    readme=200,
    function_lines=80,
    function_nodes=700,
    long_statements=0,
    complexity=20,
    parameters=8,
)
STATEMENT = 120  # nodes; a reader holds one thought, and what is above is a table or arithmetic
LARGE = {  # functions above the limit of nodes, and why they stay
    "robot/principal_axes.py:principal": "arithmetic of one algorithm, step by step",
    "formats/mjcf/lower.py:plan_bodies": "one branch for each case of what MJCF does with a body",
}
COMPLEX = {  # functions above the limit of complexity: theirs, and why they stay
    "meshes/triangle_tree.py:nearest": (
        22,
        "the loop of all distances: a call more a box is slower",
    ),
}


def without_docstrings(tree):
    """Remove all docstrings from a tree, and return it."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            if ast.get_docstring(node, clean=False) is not None:
                del node.body[0]
    return tree


def nodes_in(tree):
    """Return the number of nodes of a tree, itself included, as of Python 3.9: 3.8 has one more around each index."""
    return sum(type(node).__name__ not in ("Index", "ExtSlice") for node in ast.walk(tree))


def nodes_of_files(folder):
    """Return the nodes of all Python files below a folder, docstrings left out."""
    files = [path for path in folder.rglob("*.py") if path != APART]
    return sum(nodes_in(without_docstrings(ast.parse(path.read_text("utf-8")))) for path in files)


class Counted(NamedTuple):
    """A function: file and name, its line, lines, nodes, parameters that may be given by position, its complexity."""

    name: str
    line: int
    lines: int
    nodes: int
    parameters: int
    complexity: int


def long_statements_in(tree):
    """Return how many statements have too many nodes; of one with a body, what is in the body is counted by itself."""
    return sum(
        isinstance(node, ast.stmt) and not hasattr(node, "body") and nodes_in(node) > STATEMENT
        for node in ast.walk(tree)
    )


def complexity_of(function):
    """Return in how many ways a function branches, and 1."""
    count = 1
    for node in ast.walk(function):
        if isinstance(
            node, (ast.If, ast.For, ast.While, ast.ExceptHandler, ast.IfExp, ast.comprehension)
        ):
            count += 1
        elif isinstance(node, ast.BoolOp):
            count += len(node.values) - 1
    return count


def functions_in(file, tree):
    """Yield what is counted of each function of a file."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            parameters = [*node.args.posonlyargs, *node.args.args]
            by_position = len(parameters) - (
                bool(parameters) and parameters[0].arg in ("self", "cls")
            )
            yield Counted(
                f"{file}:{node.name}",
                node.lineno,
                (node.end_lineno or 0) - node.lineno + 1,
                nodes_in(node),
                by_position,
                complexity_of(node),
            )


def room_of(path):
    """Return the room of a module: its folder, in `export` and `formats` the street, "." above all rooms."""
    parts = path.relative_to(ROOT / "urdf_tools").parts
    has_streets = parts[0] in ("export", "formats") and len(parts) > 2
    return "/".join(parts[:2]) if has_streets else parts[0] if len(parts) > 1 else "."


class Count(NamedTuple):
    """What the package has: nodes, lines, files and long statements of each room, and all functions."""

    nodes: "Counter[str]"
    lines: "Counter[str]"
    files: "Counter[str]"
    functions: List[Counted]
    long_statements: "Counter[str]"


@lru_cache(maxsize=None)
def counted():
    """Return the counts of the package."""
    count = Count(Counter(), Counter(), Counter(), [], Counter())
    for path in sorted((ROOT / "urdf_tools").rglob("*.py")):
        if path == APART:
            continue
        text = path.read_text("utf-8")
        room = room_of(path)
        # Functions are counted without docstrings, too, but with the lines of theirs.
        tree = without_docstrings(ast.parse(text))
        count.nodes[room] += nodes_in(tree)
        count.lines[room] += len(text.splitlines())
        count.files[room] += 1
        count.long_statements[room] += long_statements_in(tree)
        count.functions.extend(functions_in(path.relative_to(ROOT / "urdf_tools").as_posix(), tree))
    return count


def rows_of_limits():
    """Yield what is counted, how much there is, and how much there may be."""
    functions = counted().functions
    longest = max(functions, key=lambda row: row.lines)
    largest = max((row for row in functions if row.name not in LARGE), key=lambda row: row.nodes)
    widest = max(functions, key=lambda row: row.parameters)
    branched = max(
        (row for row in functions if row.name not in COMPLEX), key=lambda row: row.complexity
    )
    single_file = without_docstrings(ast.parse((ROOT / "urdf_simplify.py").read_text("utf-8")))
    readme = (ROOT / "README.md").read_text("utf-8").splitlines()

    yield "nodes of the package", sum(counted().nodes.values()), LIMITS.package
    yield "nodes of the single file", nodes_in(single_file), LIMITS.single_file
    yield "nodes of the tests", nodes_of_files(ROOT / "tests"), LIMITS.tests
    yield "lines of README.md", len(readme), LIMITS.readme
    yield f"lines of the longest function ({longest.name})", longest.lines, LIMITS.function_lines
    yield f"nodes of the largest function ({largest.name})", largest.nodes, LIMITS.function_nodes
    long_statements = sum(counted().long_statements.values())
    yield f"statements above {STATEMENT} nodes", long_statements, LIMITS.long_statements
    yield f"complexity ({branched.name})", branched.complexity, LIMITS.complexity
    yield f"parameters by position ({widest.name})", widest.parameters, LIMITS.parameters
    for function in functions:
        if function.name in COMPLEX:
            limit, reason = COMPLEX[function.name]
            yield f"complexity of {function.name}: {reason}", function.complexity, limit


def useless_rows():
    """Return the functions with a row of their own that are gone, or are below the limit of all again."""
    complexity = {row.name: row.complexity for row in counted().functions}
    nodes = {row.name: row.nodes for row in counted().functions}
    return [
        *(name for name in COMPLEX if complexity.get(name, 0) <= LIMITS.complexity),
        *(name for name in LARGE if nodes.get(name, 0) <= LIMITS.function_nodes),
    ]


def main():
    """Print the counts; return 1 if one is over its limit, or a row of its own is of no use."""
    sys.path.insert(0, str(ROOT))
    from single_file_rules import ROOMS

    nodes, lines, files, *_ = counted()
    print(f"{'room':<18}{'nodes':>9}{'lines':>9}{'files':>7}")
    for room in [*ROOMS, *sorted(set(lines) - set(ROOMS))]:
        note = "" if room in ROOMS else "  package only"
        print(f"{room:<18}{nodes[room]:>9}{lines[room]:>9}{files[room]:>7}{note}")
    print(f"{'all':<18}{sum(nodes.values()):>9}{sum(lines.values()):>9}{sum(files.values()):>7}\n")

    is_over = False
    for what, count, limit in rows_of_limits():
        is_over = is_over or count > limit
        print(f"{count:>7} of {limit:<7}{'OVER ' if count > limit else '     '}{what}")
    for name in useless_rows():
        print(f"{name} needs no row of its own")
    return int(is_over or useless_rows() != [])


if __name__ == "__main__":
    sys.exit(main())
