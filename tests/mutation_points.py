"""One-point mutants of a module by its syntax tree: what a slip of the hand makes of it, and nothing else."""
import ast
from typing import Callable, Iterator, List, NamedTuple, Tuple, Type

OPERATORS: List[Tuple[Type[ast.AST], Type[ast.AST]]] = [
    (ast.Add, ast.Sub), (ast.Sub, ast.Add), (ast.Mult, ast.Div), (ast.Div, ast.Mult), (ast.Lt, ast.LtE),
    (ast.LtE, ast.Lt), (ast.Gt, ast.GtE), (ast.GtE, ast.Gt), (ast.Eq, ast.NotEq), (ast.NotEq, ast.Eq),
    (ast.In, ast.NotIn), (ast.NotIn, ast.In), (ast.Is, ast.IsNot), (ast.IsNot, ast.Is), (ast.And, ast.Or),
    (ast.Or, ast.And)]
OTHER = dict(OPERATORS)
NAMES = {"lower": "upper", "parent": "child", "xyz": "rpy", "visual": "collision", "min": "max", "any": "all",
         "translation": "rotation", "first": "second", "a": "b"}
SIBLINGS = {**NAMES, **{other: name for name, other in NAMES.items()}}


class Point(NamedTuple):
    """A place that can be changed: its line, what changes, and what makes the change in the tree."""

    line: int
    what: str
    change: Callable[[], None]


def points(tree: ast.Module) -> List[Point]:
    """Return all points of a tree, in an order that is the same for each tree of one text."""
    found: List[Point] = []
    for node in ast.walk(tree):
        found += _of_expression(node)
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                found += _of_statements(block)
    return sorted(found, key=lambda point: (point.line, point.what))


def mutant(source: str, number: int) -> str:
    """Return a text with one of its points changed."""
    tree = ast.parse(source)
    points(tree)[number].change()
    return ast.unparse(ast.fix_missing_locations(tree))


def _setter(node: ast.AST, field: str, value: object) -> Callable[[], None]:
    return lambda: setattr(node, field, value)


def _of_expression(node: ast.AST) -> Iterator[Point]:
    line = getattr(node, "lineno", 0)
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        other = OTHER[type(node.op)]
        yield Point(line, f"{type(node.op).__name__} to {other.__name__}", _setter(node, "op", other()))
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in OTHER:
        other = OTHER[type(node.ops[0])]
        yield Point(line, f"{type(node.ops[0]).__name__} to {other.__name__}",
                    _setter(node, "ops", [other(), *node.ops[1:]]))
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield Point(line, "condition turned round",
                    _setter(node, "test", ast.UnaryOp(op=ast.Not(), operand=node.test)))
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield Point(line, "sign dropped", _setter(node, "op", ast.UAdd()))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        changed = node.value + 1 if isinstance(node.value, int) else -node.value or 1.0
        yield Point(line, f"{node.value} to {changed}", _setter(node, "value", changed))
    elif isinstance(node, ast.Call) and len(node.args) > 1 and not any(isinstance(a, ast.Starred) for a in node.args):
        yield Point(line, "arguments swapped", _setter(node, "args", [node.args[1], node.args[0], *node.args[2:]]))
    elif isinstance(node, ast.Tuple) and isinstance(node.ctx, ast.Load) and len(node.elts) > 1:
        yield Point(line, "elements swapped", _setter(node, "elts", [node.elts[1], node.elts[0], *node.elts[2:]]))
    elif isinstance(node, ast.Attribute) and node.attr in SIBLINGS and isinstance(node.ctx, ast.Load):
        yield Point(line, f"{node.attr} to {SIBLINGS[node.attr]}", _setter(node, "attr", SIBLINGS[node.attr]))
    elif isinstance(node, ast.Name) and node.id in SIBLINGS and isinstance(node.ctx, ast.Load):
        yield Point(line, f"{node.id} to {SIBLINGS[node.id]}", _setter(node, "id", SIBLINGS[node.id]))


def _of_statements(block: List[ast.stmt]) -> Iterator[Point]:
    for place, statement in enumerate(block):
        is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, (ast.Call, ast.Yield))
        if is_call or isinstance(statement, (ast.Continue, ast.Break, ast.AugAssign)):
            yield Point(statement.lineno, f"{type(statement).__name__} dropped", _dropped(block, place))


def _dropped(block: List[ast.stmt], place: int) -> Callable[[], None]:
    return lambda: block.__setitem__(place, ast.copy_location(ast.Pass(), block[place]))
