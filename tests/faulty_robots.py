"""Random robots with the faults that `lint --fix` repairs, several in one element."""

import random

RIGHT_ANGLES = ("0", "1.57", "-1.57", "3.14", "1.571", "1.5708", "0.3")
LENGTHS = ("0", "0.1", "-0.2", "1e-17", "6.123e-17", "0.05")
KINDS = ("revolute", "continuous", "prismatic", "fixed")


def faulty_robot(seed):
    """Return a URDF: a chain of links, whose numbers have the faults that exporters and people make."""
    chance = random.Random(seed)
    count = chance.randint(2, 6)
    links = "".join(_link(chance, k) for k in range(count))
    joints = "".join(_joint(chance, k) for k in range(1, count))
    late = '<material name="late"><color rgba="0 0 1 1"/></material>\n'
    return f'<robot name="r">\n{links}{joints}{late}</robot>\n'


def _three(chance, words):
    """Return three of the words, some with commas between them."""
    between = ", " if chance.random() < 0.15 else " "
    return between.join(chance.choice(words) for _ in range(3))


def _origin(chance):
    """Return an `<origin>`."""
    return f'<origin xyz="{_three(chance, LENGTHS)}" rpy="{_three(chance, RIGHT_ANGLES)}"/>'


def _link(chance, number):
    """Return a link of one box with a few faults."""
    sides = [chance.uniform(0.05, 0.3) for _ in range(3)]
    size = " ".join(f"{side:.4g}" for side in sides)
    material = chance.choice(
        (
            "",
            '<material name="late"/>',
            '<material name="red"><color rgba="1 0 0 1"/></material>',
            '<material name="red"><color rgba="1 0 0 1"/></material>',
        )
    )
    visual = (
        f'<visual>{_origin(chance)}<geometry><box size="{size}"/></geometry>{material}</visual>'
    )
    # Several in one line, so that their findings are alike.
    visuals = visual * chance.choice((0, 1, 1, 2))
    return f'<link name="l{number}">{_inertial(chance, sides)}{visuals}</link>\n'


def _inertial(chance, sides):
    """Return an <inertial>: right, in another unit, of no body, of zeros, in part, or none."""
    mass = chance.uniform(0.1, 3.0)
    squares = [side * side for side in sides]
    moments = [mass / 12.0 * (sum(squares) - square) for square in squares]
    fault = chance.choice(
        ("none", "right", "unit", "no body", "no body in a unit", "zero", "no tensor", "no mass")
    )
    if fault == "none":
        return ""
    if fault.startswith("no body"):
        moments[chance.randrange(3)] *= chance.choice((10.0, -1.0))
    if fault.endswith("unit"):
        moments = [1000.0 * moment for moment in moments]
    if fault == "zero":
        moments = [0.0] * 3
    products = [chance.choice((0.0, 1e-19, 0.1 * moments[0])) for _ in range(3)]
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    tensor = " ".join(f'{name}="{value:.6g}"' for name, value in zip(names, (*moments, *products)))
    tensor = "" if fault == "no tensor" else f"<inertia {tensor}/>"
    value = 0.0 if fault == "no mass" else mass
    turned = f' rpy="{_three(chance, RIGHT_ANGLES)}"' if chance.random() < 0.5 else ""
    origin = f'<origin xyz="0.01 0 1e-18"{turned}/>' if chance.random() < 0.7 else ""
    return f'<inertial>{origin}<mass value="{value:.6g}"/>{tensor}</inertial>'


def _joint(chance, number):
    """Return a joint whose limits may be reversed or in degrees."""
    kind = chance.choice(KINDS)
    low, high = chance.choice(
        (("-1", "1"), ("1", "-1"), ("-90", "90"), ("90", "-90"), ("-45", "170"), ("0.5", "-0.7"))
    )
    limit = f'<limit lower="{low}" upper="{high}" effort="1" velocity="1"/>'
    axis = chance.choice(("0 0 1", "0,1,0", "1 6.1e-17 0", "1, 0, 1e-17"))
    # A fixed joint may have the name of another one.
    name = "j1" if kind == "fixed" and chance.random() < 0.3 else f"j{number}"
    parent = chance.randrange(number)
    return (
        f'<joint name="{name}" type="{kind}"><parent link="l{parent}"/><child link="l{number}"/>'
        f'{_origin(chance)}<axis xyz="{axis}"/>{"" if kind == "fixed" else limit}</joint>\n'
    )
