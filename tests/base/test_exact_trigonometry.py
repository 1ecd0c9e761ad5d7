"""Sine, cosine and arctangent: rounded correctly, beside decimal; and nothing else on the way to a written number."""

import ast
import decimal
import math
import random

import pytest
from conftest import ROOT
from hypothesis import example, given, strategies as st

from urdf_tools.base.exact_trigonometry import HALF_PI, PI, arctangent, cosine_sine

DIGITS = decimal.Context(prec=200)
ANGLES = st.one_of(
    st.floats(-7.0, 7.0),
    st.floats(-1e30, 1e30),
    st.integers(-100, 100).map(lambda n: n * HALF_PI),
    st.floats(-1e-6, 1e-6),
)
SIDES = st.one_of(
    st.floats(-10.0, 10.0),
    st.floats(-1e300, 1e300),
    st.floats(-1e-14, 1e-14),
    st.sampled_from((1.0, -1.0, 0.5, 5e-324, -1e-310)),
)


def pi():
    """Return pi by the series of Gauss and Legendre, which is not the one of the code."""
    a, b, t, p = (
        decimal.Decimal(1),
        decimal.Decimal("0.5").sqrt(DIGITS),
        decimal.Decimal("0.25"),
        decimal.Decimal(1),
    )
    for _ in range(9):
        mean = (a + b) / 2
        b, t, a, p = (a * b).sqrt(), t - p * (a - mean) * (a - mean), mean, 2 * p
    return (a + b) * (a + b) / (4 * t)


def series(x, first, n):
    """Return the sum of the series of the cosine (1, 0) or sine (x, 1)."""
    total, term = decimal.Decimal(0), first
    while total + term != total:
        total, term, n = total + term, -term * x * x / ((n + 1) * (n + 2)), n + 2
    return total


def true_cosine_sine(angle):
    """Return cosine and sine to some 100 digits."""
    whole = 2 * pi()
    rest = angle - (angle / whole).to_integral_value() * whole
    return [series(rest, decimal.Decimal(1), 0), series(rest, rest, 1)]


@given(ANGLES)
@example(0.0)
@example(-0.0)
@example(PI)
@example(6381956970095103.0 * 2.0**40)
@example(2.0**-26)
def test_cosine_and_sine_are_the_nearest_floats(angle):
    with decimal.localcontext(DIGITS):
        assert list(cosine_sine(angle)) == [
            float(value) for value in true_cosine_sine(decimal.Decimal(angle))
        ]
    for found, library in zip(cosine_sine(angle), (math.cos(angle), math.sin(angle))):
        assert abs(found - library) <= 2.3e-16 * max(abs(library), 1e-300)


@given(ANGLES)
def test_the_signs_of_cosine_and_sine(angle):
    cosine, sine = cosine_sine(angle)
    assert cosine_sine(-angle) == (cosine, -sine) and abs(cosine) <= 1.0 and abs(sine) <= 1.0


@given(SIDES, SIDES)
@example(1.0, -5e-324)
@example(5e-324, 2.0)
@example(1.5e-323, 2.0)
@example(1e-17, -1.0)
@example(1e-9, 1.0)
def test_the_arctangent_is_the_nearest_float(y, x):
    """The angle midway to the next float on either side lies on the other side of the point."""
    found = arctangent(y, x)
    if not y or not x:
        assert found == ((PI if x < 0.0 else 0.0) if not y else HALF_PI if y > 0.0 else -HALF_PI)
        return
    step = math.ldexp(1.0, max(math.frexp(found)[1] - 53, -1074))
    with decimal.localcontext(decimal.Context(prec=900)):
        for side in (-1, 1):
            half = decimal.Decimal(step) / (
                4 if abs(math.frexp(found)[0]) == 0.5 and side * found < 0.0 else 2
            )
            border = decimal.Decimal(found) + side * half
            with decimal.localcontext(DIGITS):
                cosine, sine = true_cosine_sine(border)
            assert side * (decimal.Decimal(y) * cosine - decimal.Decimal(x) * sine) <= 0
    assert abs(found - math.atan2(y, x)) <= 2 * step


@given(SIDES, SIDES)
def test_the_signs_of_the_arctangent(y, x):
    assert arctangent(-y, x) == (-arctangent(y, x) if y else arctangent(y, x))
    assert abs(arctangent(y, x)) <= PI and (arctangent(y, x) > 0.0) == (
        y > 0.0 and arctangent(y, x) != 0.0 or y == 0.0 and x < 0.0
    )


def test_a_wrong_guess_of_the_library_changes_nothing(monkeypatch):
    generator = random.Random(5)
    points = [(generator.uniform(-1.0, 1.0), generator.uniform(-1.0, 1.0)) for _ in range(300)]
    found = [arctangent(*point) for point in points]
    arctangent.cache_clear()
    monkeypatch.setattr(
        "urdf_tools.base.exact_trigonometry.atan2",
        lambda y, x: math.atan2(y, x) * (1.0 + generator.uniform(-1e-3, 1e-3)),
    )
    assert [arctangent(*point) for point in points] == found


# What machines, or versions of Python, round in different ways.
INEXACT = (
    "acos acosh asin asinh atan atan2 atanh cbrt cos cosh dist erf exp exp2 expm1 gamma "
    "hypot lgamma log log10 log1p log2 pow sin sinh sumprod tan tanh"
).split()
PROOFS = (
    "verify",
    "proof",
    "measure",
    "forward_kinematics",  # they write no number, and may differ from what does
    "same_surface",
    "robot/body_tree",
    "robot/mass_gaps",
    "robot/joint_motion",
)
IN_BLENDER = "import_armature.py"
# First guesses of arctangents; powers and sums of whole numbers; the proof of an armature, in the file of its export.
ALLOWED = {
    ("exact_trigonometry.py", "atan2"),
    ("exact_trigonometry.py", "**"),
    ("run_pipeline.py", "**"),
    ("explain_command.py", "log"),  # it sorts the kinds that are near, and writes no number
    ("dae_reader.py", "sum"),
    ("collision_visual_rules.py", "sum"),
    ("mesh_content.py", "pow"),
    ("mesh_volume.py", "sum"),
    ("mesh_volume.py", "**"),
    ("loading_problems.py", "sum"),
    ("sphere_cover.py", "sum"),
    ("armature_exporter.py", "dist"),
    ("armature_exporter.py", "hypot"),
}
# What whole numbers and truth values are called; sums of floats differ between versions of Python.
WHOLE = (
    "len bool exists startswith is_collada count written triangles merged edges sizes "
    "values dropwhile materials along size file_size getsize"
).split()


def writers():
    """Return the modules that take part in what is written."""
    package = ROOT / "urdf_tools"
    return sorted(
        path
        for path in package.rglob("*.py")
        if path.name != IN_BLENDER
        and not any(word in path.relative_to(package).as_posix() for word in PROOFS)
        and (path.parent.name != "compare" or path.name == "read_any_format.py")
    )


def last_name(part):
    """Return the last name of `name`, `x.name`, `name(...)`, `name[...]`."""
    while isinstance(part, (ast.Call, ast.Subscript)):
        part = part.func if isinstance(part, ast.Call) else part.value
    return (
        part.id
        if isinstance(part, ast.Name)
        else part.attr
        if isinstance(part, ast.Attribute)
        else ""
    )


def is_whole(summed):
    """Return True if it can be seen that only whole numbers or truth values are summed."""
    if isinstance(summed, ast.Call) and last_name(summed) == "map":
        return is_whole(summed.args[0])
    if isinstance(summed, ast.GeneratorExp):
        return is_whole(summed.elt)
    if isinstance(summed, ast.BinOp):
        return is_whole(summed.left)
    return (
        isinstance(summed, (ast.Compare, ast.BoolOp))
        or last_name(summed) in WHOLE
        or (isinstance(summed, ast.UnaryOp) and isinstance(summed.op, ast.Not))
    )


def inexact(tree):
    """Yield line and name of all that is not rounded in one way everywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module in ("math", "cmath", "statistics"):
            yield from (
                (node.lineno, alias.name)
                for alias in node.names
                if alias.name in INEXACT or node.module != "math"
            )
        elif (
            isinstance(node, ast.Attribute)
            and node.attr in INEXACT
            and last_name(node.value) in ("math", "cmath")
        ):
            yield node.lineno, node.attr
        elif (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Pow)
            and not isinstance(node.left, ast.Constant)
        ):
            yield node.lineno, "**"
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("pow", "sum")
        ):
            if node.func.id == "pow" or not is_whole(node.args[0]):
                yield node.lineno, node.func.id


def test_what_is_written_is_computed_alike_everywhere():
    """Only + - * /, square roots, exact sums, and the functions above; what `isfinite(sum(...))` sums is not kept."""
    found = []
    for path in writers():
        text = path.read_text("utf-8")
        for line, name in inexact(ast.parse(text)):
            asks = name == "sum" and "isfinite(sum(" in text.splitlines()[line - 1]
            if not asks and (path.name, name) not in ALLOWED:
                found.append(f"{path.relative_to(ROOT).as_posix()}:{line}: {name}")
    assert found == []


@pytest.mark.parametrize(
    "text",
    [
        "from math import sin",
        "math.atan2(y, x)",
        "x ** 0.5",
        "x ** 2",
        "sum(row)",
        "sum(a * b for a, b in pairs)",
        "import math\nmath.hypot(x, y)",
        "pow(x, 2)",
    ],
)
def test_what_differs_between_machines_is_seen(text):
    assert len(list(inexact(ast.parse(text)))) == 1
