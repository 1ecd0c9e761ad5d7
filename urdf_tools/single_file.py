"""Join the modules of this package into one file that runs alone, ../urdf_simplify.py.

    python3 -m urdf_tools.single_file            write it
    python3 -m urdf_tools.single_file --check    write nothing; exit 1 with a summary if it is out of date

All modules of the rooms are joined, room by room in the order of ROOMS: a room imports only itself and the rooms
before it. Within a room they go by alphabet, but each after those that it imports, and these in the order of its import
lines. Folders that are no room (`export`) and the modules beside the rooms, which only start or name something, live in
the package alone. So that joining changes no meaning, a module

- begins with a docstring (it becomes a comment under the banner of its section), then imports, then only definitions
  and assignments to plain names, one statement to a line;
- imports from the package only as `from .module import name` or `from ..room.module import name`, where that module
  defines that name: at its top, in no circle, or where few runs need the module, at the beginning of a function (these
  imports are left out: in one file the name is there already); everything else it imports is in the standard library,
  with no `*` and no `__future__`;
- shares no top-level name with another module, with an import of any module, or with a builtin;
- uses no `global` and none of the module's own names that differ between the two forms (`__file__`, `__doc__`, ...).

`api` holds a docstring (that of the file), imports of what the package offers, and `__all__`.
Everything between the imports and the end of a module is carried over as it stands, but for the value of SOURCE_DIGEST.
"""
import argparse
import ast
import builtins
import difflib
import sys
import textwrap
from pathlib import Path
from typing import Dict, Iterator, List, NamedTuple, Optional, Sequence, Set, Tuple, Union

from .base.errors import ManyProblems, Unusable, UrdfError
from .base.version import source_digest

ROOMS = ("base", "urdf", "mesh", "collada", "plan", "apply", "verify", "srdf", "run", "report", "cli")
MAIN = "cli.main"  # the module whose `main` the single file calls
# Names that every module has, with another value in the package than in the single file.
UNSTABLE_NAMES = ("__doc__", "__file__", "__package__", "__path__", "__spec__")
EMPTY_DIGEST_LINE = '\nSOURCE_DIGEST = ""\n'

ABOUT = """\
urdf_simplify: one file, Python 3.8 or newer, standard library only.

Copy it anywhere, under any name; the notice above must stay.
Upstream this file is generated from the modules in urdf_tools/ by `make single`: there, edit the modules.
In a copy edit what you like: each section is one module, so that a change can be sent back as a patch to it.
To update a copy, replace the file. `--version` prints the release and a digest of the source, and "modified" if
the text was edited.
"""

# Before anything else: until `main` runs, Ctrl-C ends the script without a traceback, as "not done".
GUARD = """\
import sys

if __name__ == "__main__":
    sys.excepthook = lambda kind, *rest: sys.exit(1) if kind is KeyboardInterrupt else sys.__excepthook__(kind, *rest)
"""

Import = Union[ast.Import, ast.ImportFrom]


class Module(NamedTuple):
    """One source file; `name` is `room.module`, `names` are those it binds at top level, each with its first line."""

    name: str
    shown_path: str
    text: str
    tree: ast.Module
    names: Dict[str, int]

    @property
    def room(self) -> str:
        return self.name.rpartition(".")[0]

    def problem(self, message: str, line: int) -> Unusable:
        return Unusable(message, self.shown_path, line)


def read_module(path: Path, package: Path) -> Module:
    """Read one source file of a package; raise Unusable with its line if it is no Python."""
    inside = path.relative_to(package)
    shown_path = f"{package.name}/{inside.as_posix()}"
    text = path.read_text(encoding="utf-8")  # Line ends become "\n" here.
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise Unusable(f"is not Python: {error.msg}", shown_path, error.lineno or 0) from None
    names: Dict[str, int] = {}
    for statement in tree.body:
        for name in names_bound_by(statement) or ():
            names.setdefault(name, statement.lineno)
    return Module(".".join(inside.with_suffix("").parts), shown_path, text, tree, names)


def names_bound_by(statement: ast.stmt) -> Optional[List[str]]:
    """Return the names of a definition or of an assignment to plain names, None for any other statement."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return [statement.name]
    targets: List[ast.expr] = []
    if isinstance(statement, ast.Assign):
        for target in statement.targets:
            targets += target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(statement, ast.AnnAssign):
        targets = [statement.target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return names if names and len(names) == len(targets) else None


def top_imports(module: Module) -> List[Import]:
    return [statement for statement in module.tree.body if isinstance(statement, (ast.Import, ast.ImportFrom))]


def late_imports(tree: ast.AST) -> List[ast.ImportFrom]:
    """Return the imports from the package at the beginnings of functions, after their docstrings."""
    late: List[ast.ImportFrom] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            for statement in body[:-1]:
                if not (isinstance(statement, ast.ImportFrom) and statement.level):
                    break
                late.append(statement)
    return late


def package_imports(module: Module, late: bool = False) -> Iterator[Tuple[str, ast.ImportFrom]]:
    """Yield (room.module, statement) of each import from the package at the top of a module, or `late` ones, too."""
    for statement in (*top_imports(module), *(late_imports(module.tree) if late else ())):
        if isinstance(statement, ast.ImportFrom) and statement.level and statement.module:
            within_room = statement.level == 1 and module.room
            yield f"{module.room}.{statement.module}" if within_room else statement.module, statement


# Rules that a module can break alone.


def layout_problems(module: Module) -> Iterator[Unusable]:
    """Docstring, imports, definitions, in this order and one to a line."""
    body = module.tree.body
    if ast.get_docstring(module.tree) is None:
        yield module.problem("does not begin with a docstring", 1)
    past_imports, last_line = False, 0
    for position, statement in enumerate(body):
        if statement.lineno <= last_line:
            yield module.problem("two statements on one line", statement.lineno)
        last_line = statement.end_lineno or statement.lineno
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            if past_imports:
                yield module.problem("an import below a definition", statement.lineno)
            continue
        if position == 0 and isinstance(statement, ast.Expr):
            continue
        past_imports = True
        if names_bound_by(statement) is None:
            yield module.problem("neither an import, nor a definition, nor an assignment to plain names",
                                 statement.lineno)


def import_problems(module: Module, package: str) -> Iterator[Unusable]:
    """Only `from .module` and `from ..room.module import name` within the package, else only the standard library."""
    top, late = top_imports(module), late_imports(module.tree)
    library = getattr(sys, "stdlib_module_names", None)  # Known from Python 3.10 on.
    for node in ast.walk(module.tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        source = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        roots = {name.split(".")[0] for name in ([source] if source else [alias.name for alias in node.names])}
        star = any(alias.name == "*" for alias in node.names)
        if level or package in roots:
            renamed = any(alias.asname for alias in node.names)
            dots = {1: 0, 2: 1}.get(level) if module.room else {1: 1}.get(level)
            if not source or source.count(".") != dots or star or renamed:
                yield module.problem("the package is imported only as `from .module import name` or `from "
                                     "..room.module import name`", node.lineno)
            elif node not in top and node not in late:
                yield module.problem("the package is imported only at the top of a module or at the beginning of a "
                                     "function", node.lineno)
        elif star:
            yield module.problem("`import *` hides where names come from", node.lineno)
        elif "__future__" in roots:
            yield module.problem("`__future__` would change the sections of other modules", node.lineno)
        elif library is not None and not roots <= library:
            yield module.problem(f"{', '.join(sorted(roots - library))} is not in the standard library", node.lineno)


def name_problems(module: Module) -> Iterator[Unusable]:
    """No name whose meaning differs between the package and the single file."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Global):
            yield module.problem("`global`: importers of the name would see the old value in the package, the new one "
                                 "in the single file", node.lineno)
        elif isinstance(node, ast.Name) and node.id in UNSTABLE_NAMES:
            yield module.problem(f"{node.id} is another in the single file", node.lineno)
    for name, line in module.names.items():
        if name in vars(builtins) or (name.startswith("__") and name.endswith("__") and name != "__version__"):
            yield module.problem(f"'{name}' would hide a name of Python from all other modules", line)


def api_problems(api: Module) -> Iterator[Unusable]:
    """`api` holds a docstring, imports and `__all__`, which lists only what was imported."""
    if ast.get_docstring(api.tree) is None:
        yield api.problem("does not begin with a docstring", 1)
    imported = {alias.name for _, statement in package_imports(api) for alias in statement.names}
    for statement in api.tree.body[1:]:
        if isinstance(statement, ast.Assign) and names_bound_by(statement) == ["__all__"]:
            for name in ast.literal_eval(statement.value):
                if name not in imported:
                    yield api.problem(f"offers '{name}' without importing it", statement.lineno)
        elif not isinstance(statement, ast.ImportFrom):
            yield api.problem("only imports from the package and `__all__` belong here", statement.lineno)


# Rules between modules.


def meanings(modules: Sequence[Module]) -> Iterator[Tuple[str, Tuple[str, str], Module, int]]:
    """Yield (name, what it means, module, line) for each name that a module defines or imports from elsewhere."""
    for module in modules:
        for name, line in module.names.items():
            yield name, (module.shown_path, name), module, line
        for statement in top_imports(module):
            for alias in statement.names:
                if isinstance(statement, ast.Import):
                    origin = alias.name if alias.asname else alias.name.split(".")[0]
                    yield alias.asname or origin, (origin, ""), module, statement.lineno
                elif not statement.level:
                    yield alias.asname or alias.name, (statement.module or "", alias.name), module, statement.lineno


def shared_problems(modules: Sequence[Module], api: Module) -> Iterator[Unusable]:
    """One meaning per name over all rooms, and imports that find what they name in this room or one before it."""
    known: Dict[str, Tuple[Tuple[str, str], str]] = {}
    for name, meaning, module, line in meanings(modules):
        first_meaning, place = known.setdefault(name, (meaning, f"{module.shown_path}:{line}"))
        if first_meaning != meaning:
            yield module.problem(f"'{name}' means something else at {place}", line)
    by_name = {module.name: module for module in modules}
    for module in (*modules, api):
        for source, statement in package_imports(module, late=True):
            if source not in by_name:
                yield module.problem(f"'{source}' is no module of the single file", statement.lineno)
                continue
            if module.room and ROOMS.index(by_name[source].room) > ROOMS.index(module.room):
                yield module.problem(f"'{module.room}' comes before '{by_name[source].room}' and imports nothing of it",
                                     statement.lineno)
            for alias in statement.names:
                if alias.name != "*" and alias.name not in by_name[source].names:
                    yield module.problem(f"'{alias.name}' is not defined in {by_name[source].shown_path}",
                                         statement.lineno)
    if MAIN not in by_name or "main" not in by_name[MAIN].names:
        yield api.problem(f"the single file ends by calling 'main' of module '{MAIN}', which is not there", 0)


def in_order(modules: Sequence[Module]) -> List[Module]:
    """Return the modules by room and alphabet, but each after those it imports, which come by their lines.

    Raises:
        Unusable: the imports go in a circle; the message names it.
    """
    by_name = {module.name: module for module in modules}
    placed: Dict[str, Module] = {}

    def place(module: Module, path: List[str]) -> None:
        for source, statement in package_imports(module):
            if source in path:
                shown = " -> ".join([*path[path.index(source):], source])
                raise module.problem(f"imports in a circle: {shown}", statement.lineno)
            if source not in placed:
                place(by_name[source], [*path, source])
        placed[module.name] = module

    for name in sorted(by_name, key=lambda name: (ROOMS.index(by_name[name].room), name)):
        if name not in placed:
            place(by_name[name], [name])
    return list(placed.values())


# The text.


def commented(text: str) -> List[str]:
    return [f"# {line}".rstrip() for line in text.rstrip().split("\n")]


def import_block(modules: Sequence[Module]) -> List[str]:
    """Return the imports of the standard library of all modules, merged, each once."""
    plain: Set[str] = set()
    by_source: Dict[str, Set[str]] = {}
    for module in modules:
        for statement in top_imports(module):
            wanted = {f"{alias.name} as {alias.asname}" if alias.asname else alias.name for alias in statement.names}
            if isinstance(statement, ast.Import):
                plain |= {f"import {name}" for name in wanted}
            elif not statement.level:
                by_source.setdefault(statement.module or "", set()).update(wanted)
    lines = sorted(plain - {"import sys"})  # GUARD imports that one.
    for source, names in sorted(by_source.items()):
        start, listed = f"from {source} import ", ", ".join(sorted(names))
        if len(start + listed) > 120:
            listed = "(\n" + textwrap.fill(listed, 120, initial_indent="    ", subsequent_indent="    ") + ",\n)"
        lines.append(start + listed)
    return lines


def lines_of(statements: Sequence[ast.stmt]) -> Set[int]:
    return {number for statement in statements
            for number in range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)}


def section(module: Module) -> str:
    """Return the banner, the docstring as a comment, and all that follows the imports, without late imports."""
    lines = module.text.split("\n")
    body = module.tree.body
    head = [statement for position, statement in enumerate(body)
            if position == 0 or isinstance(statement, (ast.Import, ast.ImportFrom))]
    removed = lines_of(head)
    start = max(removed)
    remarks = [line for number, line in enumerate(lines[:start], 1)
               if number not in removed and line.startswith("#") and not line.startswith("#!")]
    banner = [f"# ==== {module.shown_path} ====", *commented(ast.get_docstring(module.tree) or ""), *remarks]
    late = lines_of(late_imports(module.tree))
    late |= {number + 1 for number in late if not lines[number].strip()}
    rest = "\n".join(line for number, line in enumerate(lines, 1) if number > start and number not in late).rstrip("\n")
    gap = "" if rest.startswith("\n") or not rest else "\n"
    return "\n".join(banner) + "\n" + gap + rest


def source_of(module: Module, statement: ast.stmt) -> str:
    return "\n".join(module.text.split("\n")[statement.lineno - 1:statement.end_lineno])


def joined(package: Path, notice: str) -> bytes:
    """Return the bytes of the single file for the package in a folder, with the license that must stay with it.

    Raises:
        ManyProblems: modules break the rules at the top of this module; each problem has its file and line.
    """
    problems: List[UrdfError] = []
    read: Dict[str, Module] = {}
    for path in [*(path for room in ROOMS for path in sorted((package / room).glob("*.py"))), package / "api.py"]:
        if path.stem == "__init__":
            continue
        try:
            module = read_module(path, package)
            read[module.name] = module
        except Unusable as error:
            problems.append(error)
    if problems:
        raise ManyProblems(problems)
    api = read.pop("api")
    modules = list(read.values())
    for module in modules:
        problems += layout_problems(module)
        problems += import_problems(module, package.name)
        problems += name_problems(module)
    problems += api_problems(api)
    problems += import_problems(api, package.name)
    problems += shared_problems(modules, api)
    if not problems:
        try:
            modules = in_order(modules)
        except Unusable as error:
            problems.append(error)
    if problems:
        raise ManyProblems(sorted(problems, key=lambda problem: (problem.path, problem.line)))

    header = ["#!/usr/bin/env python3", "# SPDX-License-Identifier: MIT", "#", *commented(notice), "#",
              *commented(ABOUT), source_of(api, api.tree.body[0]), GUARD, *import_block(modules)]
    offered = [source_of(api, statement) for statement in api.tree.body if isinstance(statement, ast.Assign)]
    if offered:
        header += ["", *offered]
    parts = ["\n".join(header), *(section(module) for module in modules),
             'if __name__ == "__main__":\n    sys.exit(main())\n']
    text = "\n\n\n".join(parts)
    if text.count(EMPTY_DIGEST_LINE) != 1:
        raise ManyProblems([Unusable('the line `SOURCE_DIGEST = ""` must be there once',
                                     f"{package.name}/base/version.py")])
    digest = source_digest(text.encode("utf-8"))
    return text.replace(EMPTY_DIGEST_LINE, f'\nSOURCE_DIGEST = "{digest}"\n').encode("utf-8")


def difference(found: bytes, wanted: bytes, longest: int = 20) -> str:
    """Return a summary of how the found bytes differ from those wanted, with the first lines of the difference."""
    if found.replace(b"\r\n", b"\n") == wanted:
        return "only the line ends differ"
    lines = list(difflib.unified_diff(found.decode("utf-8", "replace").split("\n"), wanted.decode("utf-8").split("\n"),
                                      "as it is", "as it should be", lineterm="", n=0))
    added = sum(line.startswith("+") for line in lines[2:])
    removed = sum(line.startswith("-") for line in lines[2:])
    more = [f"... and {len(lines) - longest} lines more"] if len(lines) > longest else []
    return "\n".join([f"{added} lines to add, {removed} to remove:", *lines[:longest], *more])


def generate(arguments: Optional[Sequence[str]] = None) -> int:
    """Run the command line; return 0, or 1 if the file is out of date, or 2 if the modules break a rule."""
    package = Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(prog="python3 -m urdf_tools.single_file",
                                     description="Join the modules of urdf_tools into one file.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if the file is out of date")
    parser.add_argument("-o", "--output", type=Path, default=package.parent / "urdf_simplify.py", metavar="FILE",
                        help="file to write or to compare (default: urdf_simplify.py beside the package)")
    options = parser.parse_args(arguments)
    output: Path = options.output
    try:
        wanted = joined(package, (package.parent / "LICENSE").read_text(encoding="utf-8"))
        found = output.read_bytes() if output.exists() else None
        if found == wanted:
            print(f"{output.name} is up to date")
        elif options.check:
            summary = "it is not there" if found is None else difference(found, wanted)
            print(f"{output.name} is out of date, run `make single`: {summary}", file=sys.stderr)
            return 1
        else:
            output.write_bytes(wanted)
            output.chmod(0o755)
            print(f"{output.name} written: {wanted.count(10)} lines, {len(wanted)} bytes")
    except (UrdfError, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(generate())
