"""One-point mutants of a module by its syntax tree: what a slip of the hand makes of it, and nothing else."""

from collections import namedtuple
import ast

OPERATORS = [
    (ast.Add, ast.Sub),
    (ast.Sub, ast.Add),
    (ast.Mult, ast.Div),
    (ast.Div, ast.Mult),
    (ast.Lt, ast.LtE),
    (ast.LtE, ast.Lt),
    (ast.Gt, ast.GtE),
    (ast.GtE, ast.Gt),
    (ast.Eq, ast.NotEq),
    (ast.NotEq, ast.Eq),
    (ast.In, ast.NotIn),
    (ast.NotIn, ast.In),
    (ast.Is, ast.IsNot),
    (ast.IsNot, ast.Is),
    (ast.And, ast.Or),
    (ast.Or, ast.And),
]
OTHER = dict(OPERATORS)
NAMES = {
    "lower": "upper",
    "parent": "child",
    "xyz": "rpy",
    "visual": "collision",
    "visuals": "collisions",
    "min": "max",
    "any": "all",
    "translation": "rotation",
    "radius": "length",
    "first": "second",
    "a": "b",
    "before": "after",
    "cosine": "sine",
    "ixx": "iyy",
    "ixy": "ixz",
    "effort": "velocity",
}
TYPES = {
    "Callable",
    "Dict",
    "FrozenSet",
    "Iterator",
    "List",
    "Mapping",
    "Optional",
    "Sequence",
    "Set",
    "Tuple",
    "Type",
    "Union",
}
BUILT_IN = {"min", "max", "any", "all"}
SIBLINGS = {**NAMES, **{other: name for name, other in NAMES.items()}}


class Point(namedtuple("Point", "line what change")):
    """A place that can be changed: its line, what changes, and what makes the change in the tree."""


def points(tree):
    """Return all points of a tree, in an order that is the same for each tree of one text."""
    listed = []
    nodes = list(_nodes(tree))
    known = {
        getattr(node, field)
        for node in nodes
        for field in ("id", "attr", "value")
        if isinstance(getattr(node, field, None), str)
    }
    for node in nodes:
        listed += _of_operator(node)
        listed += _of_expression(node, known | BUILT_IN)
        listed += _of_several(node)
        for field in ("body", "orelse"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                listed += _of_statements(block)
    return sorted(listed, key=lambda point: (point.line, point.what))


def _nodes(node):
    """Yield all nodes of a tree but those of types, which nothing reads at run time."""
    yield node
    for field, value in ast.iter_fields(node):
        if (
            field in ("annotation", "returns")
            or getattr(getattr(node, "value", None), "id", "") in TYPES
        ):
            continue
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, ast.AST):
                yield from _nodes(item)


def mutant(source, number):
    """Return a text with one of its points changed."""
    tree = ast.parse(source)
    points(tree)[number].change()
    return ast.unparse(ast.fix_missing_locations(tree))


def _setter(node, field, value):
    return lambda: setattr(node, field, value)


def _of_operator(node):
    """Return what becomes of an operator or a condition."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, (ast.BinOp, ast.BoolOp, ast.AugAssign)) and type(node.op) in OTHER:
        other = OTHER[type(node.op)]
        yield Point(
            line, f"{type(node.op).__name__} to {other.__name__}", _setter(node, "op", other())
        )
    elif isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in OTHER:
                changed = [*node.ops[:index], OTHER[type(operator)](), *node.ops[index + 1 :]]
                yield Point(
                    line,
                    f"{type(operator).__name__} to {OTHER[type(operator)].__name__}",
                    _setter(node, "ops", changed),
                )
    elif isinstance(node, (ast.If, ast.IfExp)):
        yield Point(
            line,
            "condition turned round",
            _setter(node, "test", ast.UnaryOp(op=ast.Not(), operand=node.test)),
        )
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield Point(node.ifs[0].lineno, "condition dropped", _setter(node, "ifs", node.ifs[1:]))


def _of_expression(node, known):
    """Return what becomes of a sign, a number, or a name that has a sibling among those that the module knows."""
    line = getattr(node, "lineno", 0)
    if (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and not isinstance(node.operand, ast.Constant)
    ):
        yield Point(line, "sign dropped", _setter(node, "op", ast.UAdd()))
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float):
        changed = node.value + 1 if isinstance(node.value, int) else -node.value or 1.0
        yield Point(line, f"{node.value} to {changed}", _setter(node, "value", changed))
        if isinstance(node.value, int):
            yield Point(
                line, f"{node.value} to {node.value - 1}", _setter(node, "value", node.value - 1)
            )
    for kind, field in ((ast.Constant, "value"), (ast.Attribute, "attr"), (ast.Name, "id")):
        name = getattr(node, field) if isinstance(node, kind) else None
        other = SIBLINGS.get(name, "") if isinstance(name, str) else ""
        if other and other in known and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield Point(line, f"{name} to {other}", _setter(node, field, other))


def _of_several(node):
    """Return what becomes of several things in a row: two change places, or the first or the last is left out."""
    line = getattr(node, "lineno", 0)
    if (
        isinstance(node, ast.Call)
        and len(node.args) > 1
        and not any(isinstance(a, ast.Starred) for a in node.args)
    ):
        yield Point(
            line,
            "arguments swapped",
            _setter(node, "args", [node.args[1], node.args[0], *node.args[2:]]),
        )
    elif (
        isinstance(node, (ast.Tuple, ast.List))
        and isinstance(node.ctx, ast.Load)
        and len(node.elts) > 1
    ):
        yield Point(
            line,
            "elements swapped",
            _setter(node, "elts", [node.elts[1], node.elts[0], *node.elts[2:]]),
        )
        yield Point(line, "last element dropped", _setter(node, "elts", node.elts[:-1]))
    elif isinstance(node, ast.BoolOp):
        yield Point(
            line,
            "first condition dropped",
            _setter(node, "values", [*node.values[1:], node.values[-1]]),
        )
        yield Point(
            line,
            "last condition dropped",
            _setter(node, "values", [*node.values[:-1], node.values[0]]),
        )
    elif isinstance(node, (ast.For, ast.comprehension)):
        start = node.iter.lineno
        yield Point(
            start,
            "first of a loop dropped",
            _setter(node, "iter", _part(node.iter, ast.Constant(1), None)),
        )
        yield Point(
            start,
            "last of a loop dropped",
            _setter(node, "iter", _part(node.iter, None, ast.Constant(-1))),
        )


def _part(several, start, end):
    """Return `[*several][start:end]`."""
    return ast.Subscript(
        value=ast.List(elts=[ast.Starred(value=several, ctx=ast.Load())], ctx=ast.Load()),
        slice=ast.Slice(lower=start, upper=end),
        ctx=ast.Load(),
    )


def _of_statements(block):
    for index, statement in enumerate(block):
        is_call = isinstance(statement, ast.Expr) and isinstance(
            statement.value, (ast.Call, ast.Yield)
        )
        if is_call or isinstance(statement, (ast.Continue, ast.Break, ast.AugAssign)):
            yield Point(
                statement.lineno, f"{type(statement).__name__} dropped", _dropped(block, index)
            )


def _dropped(block, index):
    return lambda: block.__setitem__(index, ast.copy_location(ast.Pass(), block[index]))
