"""One-point mutants of a module by its syntax tree: what a slip of the hand makes of it, and nothing else."""

from collections import namedtuple
import ast

PAIRS = "Add Sub, Mult Div, Lt LtE, Gt GtE, Eq NotEq, In NotIn, Is IsNot, And Or"
OTHER = {}  # operator -> the one that takes its place
for _pair in PAIRS.split(", "):
    _one, _other = (getattr(ast, name) for name in _pair.split())
    OTHER.update({_one: _other, _other: _one})
NAMES = dict(
    pair.split()
    for pair in (
        "lower upper, parent child, xyz rpy, visual collision, visuals collisions, min max, any all, "
        "translation rotation, radius length, first second, a b, before after, cosine sine, ixx iyy, ixy ixz, "
        "effort velocity"
    ).split(", ")
)
TYPES = set(
    "Callable Dict FrozenSet Iterator List Mapping Optional Sequence Set Tuple Type Union".split()
)
BUILT_IN = {"min", "max", "any", "all"}
SIBLINGS = {**NAMES, **{other: name for name, other in NAMES.items()}}


class Point(namedtuple("Point", "line what node field value")):
    """A place that can be changed: its line, what changes, and the node whose field gets a value."""


def points(tree):
    """Return all points of a tree, in an order that is the same for each tree of one text."""
    nodes = list(_nodes(tree))
    known = {
        getattr(node, field)
        for node in nodes
        for field in ("id", "attr", "value")
        if isinstance(getattr(node, field, None), str)
    }
    listed = []
    for node in nodes:
        for line, what, field, value in (
            *_of_operator(node),
            *_of_expression(node, known | BUILT_IN),
            *_of_several(node),
            *_of_statements(node),
        ):
            listed.append(Point(line, what, node, field, value))
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
    point = points(tree)[number]
    setattr(point.node, point.field, point.value)
    return ast.unparse(ast.fix_missing_locations(tree))


def _replaced(items, index, *others):
    """Return a list with other items, or none, in the place of one."""
    return [*items[:index], *others, *items[index + 1 :]]


def _of_operator(node):
    """Return what becomes of an operator or a condition."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Compare):
        for index, operator in enumerate(node.ops):
            if type(operator) in OTHER:
                other = OTHER[type(operator)]
                what = f"{type(operator).__name__} to {other.__name__}"
                yield line, what, "ops", _replaced(node.ops, index, other())
    elif isinstance(node, (ast.If, ast.IfExp)):
        turned = ast.UnaryOp(op=ast.Not(), operand=node.test)
        yield line, "condition turned round", "test", turned
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield node.ifs[0].lineno, "condition dropped", "ifs", node.ifs[1:]
    elif type(getattr(node, "op", None)) in OTHER:
        other = OTHER[type(node.op)]
        yield line, f"{type(node.op).__name__} to {other.__name__}", "op", other()


def _of_expression(node, known):
    """Return what becomes of a sign, a number, or a name that has a sibling among those that the module knows."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        if not isinstance(node.operand, ast.Constant):
            yield line, "sign dropped", "op", ast.UAdd()
    elif isinstance(node, ast.Constant) and type(node.value) is float:
        changed = -node.value or 1.0
        yield line, f"{node.value} to {changed}", "value", changed
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        for changed in (node.value + 1, node.value - 1):
            yield line, f"{node.value} to {changed}", "value", changed
    for kind, field in ((ast.Constant, "value"), (ast.Attribute, "attr"), (ast.Name, "id")):
        name = getattr(node, field) if isinstance(node, kind) else None
        other = SIBLINGS.get(name, "") if isinstance(name, str) else ""
        if other and other in known and isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            yield line, f"{name} to {other}", field, other


def _of_several(node):
    """Return what becomes of several things in a row: two change places, or the first or the last is left out."""
    line = getattr(node, "lineno", 0)
    if isinstance(node, ast.Call) and len(node.args) > 1:
        first, second, *rest = node.args
        if not any(isinstance(argument, ast.Starred) for argument in node.args):
            yield line, "arguments swapped", "args", [second, first, *rest]
    elif isinstance(node, (ast.Tuple, ast.List)) and isinstance(node.ctx, ast.Load):
        if len(node.elts) > 1:
            first, second, *rest = node.elts
            yield line, "elements swapped", "elts", [second, first, *rest]
            yield line, "last element dropped", "elts", node.elts[:-1]
    elif isinstance(node, ast.BoolOp):
        first, *middle, last = node.values
        yield line, "first condition dropped", "values", [*middle, last, last]
        yield line, "last condition dropped", "values", [first, *middle, first]
    elif isinstance(node, (ast.For, ast.comprehension)):
        start = node.iter.lineno
        yield start, "first of a loop dropped", "iter", _part(node.iter, "[1:]")
        yield start, "last of a loop dropped", "iter", _part(node.iter, "[:-1]")


def _part(several, which):
    """Return `[*several][which]`."""
    part = ast.parse(f"[*several]{which}", mode="eval").body
    part.value.elts[0].value = several
    return part


def _of_statements(node):
    """Return what becomes of a block without a call, a jump or an addition."""
    for field in ("body", "orelse"):
        block = getattr(node, field, None)
        for index, statement in enumerate(block if isinstance(block, list) else ()):
            is_call = isinstance(statement, ast.Expr) and isinstance(
                statement.value, (ast.Call, ast.Yield)
            )
            if is_call or isinstance(statement, (ast.Continue, ast.Break, ast.AugAssign)):
                what = f"{type(statement).__name__} dropped"
                yield statement.lineno, what, field, _replaced(block, index, ast.Pass())
