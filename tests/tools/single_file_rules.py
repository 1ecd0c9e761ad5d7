"""Read the modules of the package, and check that they can be joined into one file: see `single_file`.

So that joining changes no meaning, a module

- begins with a docstring (it becomes a comment under the banner of its section), and has only imports, definitions
  and assignments to plain names;
- imports from the package only as `from .module import name` or `from ..room.module import name`: at its top (or in
  `if TYPE_CHECKING:` there), in no circle, or, where few runs need the module, at the beginning of a function or of an
  `if` block (these imports are left out: in one file the name is there already); and of `__future__` only
  `annotations`, which is left out: reading them takes a tenth of the start of the package, and nothing of that of the
  single file, most of which is compiling;
- shares no top-level name with another module, with an import of any module, or with a builtin;
- uses no `global` and none of the module's own names that differ between the two forms (`__file__`, `__doc__`, ...).

What is seen without joining is not asked again: imports below definitions, two statements on a line and `*` by ruff,
names that a module does not have by mypy, rooms and the standard library by `test_rooms` and `test_single_file`.

When an import may be late, urdf_tools/README.md says.
"""

from collections import namedtuple
import ast
import builtins
from pathlib import Path
from typing import Dict, Iterator, List, Optional, Sequence, Tuple, Union

from urdf_tools.base.errors import UsageError

ROOMS = (
    "base",
    "urdf",
    "collada",
    "facts",
    "plan",
    "meshing",
    "apply",
    "verify",
    "run",
    "report",
    "cli",
)
# Names that every module has, with another value in the package than in the single file.
UNSTABLE_NAMES = ("__doc__", "__file__", "__package__", "__path__", "__spec__")

Import = Union[ast.Import, ast.ImportFrom]


class Module(namedtuple("Module", "name shown_path text tree names")):
    """One source file; `name` is `room.module`, `names` are those it binds at top level, each with its first line."""

    @property
    def room(self) -> str:
        """Return the room of the module."""
        return str(self.name.rpartition(".")[0])

    def problem(self, message: str, line: int) -> UsageError:
        """Return the error of a line of the module."""
        return UsageError(message, self.shown_path, line)


def read_module(path: Path, package: Path) -> Module:
    """Read one source file of a package; raise UsageError with its line if it is no Python."""
    inside = path.relative_to(package)
    shown_path = f"{package.name}/{inside.as_posix()}"
    text = path.read_text("utf-8")  # Line ends become "\n" here.
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise UsageError(f"is not Python: {error.msg}", shown_path, error.lineno or 0) from None
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


def is_import(statement: ast.stmt) -> bool:
    """Return True for an import, and for `if TYPE_CHECKING:`, in which all that is imported is for annotations."""
    for_types = isinstance(statement, ast.If) and ast.dump(statement.test) == ast.dump(
        ast.Name("TYPE_CHECKING", ast.Load())
    )
    return for_types or isinstance(statement, (ast.Import, ast.ImportFrom))


def top_imports(module: Module) -> List[Import]:
    """Return the imports at the top of a module, also those for type checkers."""
    heads = filter(is_import, module.tree.body)
    inside = [
        part for head in heads for part in (head.body if isinstance(head, ast.If) else [head])
    ]
    return [part for part in inside if isinstance(part, (ast.Import, ast.ImportFrom))]


def late_imports(tree: ast.AST) -> Iterator[ast.ImportFrom]:
    """Yield the imports from the package at the beginnings of functions, after docstrings, and of `if` blocks."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.If)):
            documented = isinstance(node, ast.FunctionDef) and ast.get_docstring(node) is not None
            for statement in node.body[documented:-1]:
                if not (isinstance(statement, ast.ImportFrom) and statement.level):
                    break
                yield statement


def package_imports(module: Module) -> Iterator[Tuple[str, ast.ImportFrom]]:
    """Yield (room.module, statement) of each import from the package at the top of a module."""
    for statement in top_imports(module):
        if isinstance(statement, ast.ImportFrom) and statement.level and statement.module:
            within_room = statement.level == 1 and module.room
            yield (
                f"{module.room}.{statement.module}" if within_room else statement.module,
                statement,
            )


# Rules that a module can break alone.


def layout_problems(module: Module) -> Iterator[UsageError]:
    """A docstring, and nothing but imports and definitions."""
    if ast.get_docstring(module.tree) is None:
        yield module.problem("does not begin with a docstring", 1)
    for statement in module.tree.body[1:]:
        if not is_import(statement) and names_bound_by(statement) is None:
            yield module.problem(
                "neither an import, nor a definition, nor an assignment to plain names",
                statement.lineno,
            )


def import_problems(module: Module, package: str) -> Iterator[UsageError]:
    """Only `from .module` and `from ..room.module import name` within the package."""
    top = top_imports(module)
    late = [*late_imports(module.tree)]
    for node in ast.walk(module.tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        source = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
        level = node.level if isinstance(node, ast.ImportFrom) else 0
        roots = {
            name.split(".")[0]
            for name in ([source] if source else [alias.name for alias in node.names])
        }
        star = any(alias.name == "*" for alias in node.names)
        if level or package in roots:
            renamed = any(alias.asname for alias in node.names)
            dots = {1: 0, 2: 1}.get(level) if module.room else {1: 1}.get(level)
            if not source or source.count(".") != dots or star or renamed:
                yield module.problem(
                    "the package is imported only as `from .module import name` or `from "
                    "..room.module import name`",
                    node.lineno,
                )
            elif node not in top and node not in late:
                yield module.problem(
                    "the package is imported only at the top of a module or at the beginning of a "
                    "function or an if block",
                    node.lineno,
                )
        elif source == "__future__" and [alias.name for alias in node.names] != ["annotations"]:
            yield module.problem(
                "`__future__` would change the sections of other modules", node.lineno
            )


def name_problems(module: Module) -> Iterator[UsageError]:
    """No name whose meaning differs between the package and the single file."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Global):
            yield module.problem(
                "`global`: importers of the name would see the old value in the package, the new one "
                "in the single file",
                node.lineno,
            )
        elif isinstance(node, ast.Name) and node.id in UNSTABLE_NAMES:
            yield module.problem(f"{node.id} is another in the single file", node.lineno)
    for name, line in module.names.items():
        if name in vars(builtins) or (
            name.startswith("__") and name.endswith("__") and name != "__version__"
        ):
            yield module.problem(
                f"'{name}' would hide a name of Python from all other modules", line
            )


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
                    yield (
                        alias.asname or alias.name,
                        (statement.module or "", alias.name),
                        module,
                        statement.lineno,
                    )


def shared_problems(modules: Sequence[Module]) -> Iterator[UsageError]:
    """One meaning per name over all rooms."""
    known: Dict[str, Tuple[Tuple[str, str], str]] = {}
    for name, meaning, module, line in meanings(modules):
        first_meaning, location = known.setdefault(name, (meaning, f"{module.shown_path}:{line}"))
        if first_meaning != meaning:
            yield module.problem(f"'{name}' means something else at {location}", line)


def rule_problems(modules: Sequence[Module], api: Module, package: str) -> Iterator[UsageError]:
    """Yield every breach of the rules, in the modules of the package of that name and in its `api`."""
    for module in modules:
        yield from layout_problems(module)
        yield from import_problems(module, package)
        yield from name_problems(module)
    yield from import_problems(api, package)
    yield from shared_problems(modules)
