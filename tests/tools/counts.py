#!/usr/bin/env python3
"""Show how large each room is beside the last release, and hold what a reader feels: `make count`.

Totals are shown and limit nothing. A limit on a total is kept by writing two thoughts into one statement, by dropping a
name or a comment, and by refusing the rule or the clear rewriting that a newcomer brings: the figure stays, and the code
reads worse. A reader feels single functions, so these have limits: a statement holds one thought, and a function above
the limits below has a row with its reason.

Nodes are those of the syntax tree (`ast.walk`) without docstrings. Complexity is 1, and 1 for each `if`, loop, `except`,
conditional expression, `for` of a comprehension, and each further operand of `and` and `or`.
"""

import ast
import subprocess
import sys
import tarfile
from collections import Counter
from functools import lru_cache
from io import BytesIO
from pathlib import Path, PurePosixPath
from typing import Dict, List, NamedTuple

from bench import LAST_RELEASE

ROOT = Path(__file__).resolve().parents[2]
# People copy this one into Blender, where it imports nothing of the package: it is counted apart.
APART = ROOT / "urdf_tools/formats/armature/import_armature.py"


class Limits(NamedTuple):
    """The most that a function may have; one that has more needs a row with its reason."""

    lines: int
    nodes: int
    complexity: int
    parameters: int  # by position


LIMITS = Limits(lines=100, nodes=700, complexity=25, parameters=8)
# Nodes; a reader holds one thought. A table of a module grows by rows, and each row is one.
STATEMENT = 120
# Functions above a limit, and why they stay; there is none.
LARGE: Dict[str, str] = {}


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


def nodes_of_text(text):
    """Return the nodes of a module, docstrings left out."""
    return nodes_in(without_docstrings(ast.parse(text)))


def nodes_of_tests():
    """Return the nodes of all Python files below `tests/`."""
    return sum(nodes_of_text(path.read_text("utf-8")) for path in (ROOT / "tests").rglob("*.py"))


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
    tables = [statement for statement in tree.body if table_of(statement)]
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt)]
    thoughts = [node for node in statements if node not in tables and not hasattr(node, "body")]
    for table in map(table_of, tables):
        thoughts += table
    return sum(nodes_in(thought) > STATEMENT for thought in thoughts)


def table_of(statement):
    """Return the rows of a table that a statement gives a name, or [] for any other statement."""
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)):
        return []
    value = statement.value
    if isinstance(value, ast.Dict):
        return value.values
    return value.elts if isinstance(value, (ast.Tuple, ast.List, ast.Set)) else []


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
    """Return the room of a module, a path below `urdf_tools`: its folder, in `export` and `formats` the street.

    The room of modules beside the rooms is ".".
    """
    parts = path.parts
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
        room = room_of(path.relative_to(ROOT / "urdf_tools"))
        # Functions are counted without docstrings, too, but with the lines of theirs.
        tree = without_docstrings(ast.parse(text))
        count.nodes[room] += nodes_in(tree)
        count.lines[room] += len(text.splitlines())
        count.files[room] += 1
        count.long_statements[room] += long_statements_in(tree)
        count.functions.extend(functions_in(path.relative_to(ROOT / "urdf_tools").as_posix(), tree))
    return count


def nodes_of_last_release():
    """Return the nodes of each room of the last release; none where git does not have it."""
    archive = subprocess.run(
        ["git", "archive", LAST_RELEASE, "urdf_tools"], cwd=ROOT, capture_output=True, check=False
    )
    nodes = Counter()
    if archive.returncode != 0:
        return nodes
    with tarfile.open(fileobj=BytesIO(archive.stdout)) as files:
        for member in files:
            path = PurePosixPath(member.name)
            if path.suffix == ".py" and path.name != APART.name:
                text = files.extractfile(member).read().decode("utf-8")
                nodes[room_of(path.relative_to("urdf_tools"))] += nodes_of_text(text)
    return nodes


def excesses(function):
    """Return which limits a function exceeds, in words."""
    return [
        f"{count} {measure} (limit {limit})"
        for measure, limit in LIMITS._asdict().items()
        for count in [getattr(function, measure)]
        if count > limit
    ]


def complaints():
    """Yield what a reader would stumble over: statements and functions above the limits, and rows of no use."""
    for room, count in sorted(counted().long_statements.items()):
        if count:
            yield f"{room}: {count} statements above {STATEMENT} nodes"
    above = {}
    for function in counted().functions:
        if excesses(function):
            above[function.name] = f"{function.name}: {', '.join(excesses(function))}"
    for name, words in above.items():
        if name not in LARGE:
            yield words
    for name in LARGE:
        if name not in above:
            yield f"{name} needs no row of its own"


def main():
    """Print the sizes of the rooms and the largest functions; return 1 if there is a complaint."""
    sys.path.insert(0, str(ROOT))
    from single_file_rules import ROOMS

    nodes, lines, files, functions, _ = counted()
    before = nodes_of_last_release()
    print(f"{'room':<18}{'nodes':>9}{'release':>9}{'lines':>9}{'files':>7}")
    rows = [*ROOMS, *sorted((set(lines) | set(before)) - set(ROOMS))]
    for room in rows:
        note = "" if room in ROOMS else "  package only"
        print(
            f"{room:<18}{nodes[room]:>9}{before[room] or '-':>9}{lines[room]:>9}{files[room]:>7}{note}"
        )
    sums = [sum(counts.values()) for counts in (nodes, before, lines, files)]
    print(f"{'all':<18}{sums[0]:>9}{sums[1] or '-':>9}{sums[2]:>9}{sums[3]:>7}\n")
    print(
        f"{nodes_of_text((ROOT / 'urdf_simplify.py').read_text('utf-8')):>9} nodes of the single file"
    )
    print(f"{nodes_of_tests():>9} nodes of the tests")
    for measure in LIMITS._fields:
        most = max(functions, key=lambda row, measure=measure: getattr(row, measure))
        print(f"{getattr(most, measure):>9} {measure} at most in a function ({most.name})")

    complained = list(complaints())
    for words in complained:
        print(f"TOO MUCH {words}")
    return int(complained != [])


if __name__ == "__main__":
    sys.exit(main())
