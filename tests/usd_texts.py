"""Texts of USD: two bodies and a hinge, and what may be said of them."""

import re

from urdf_tools.compare.read_any_format import read_bytes

HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = 1
    upAxis = "Z"{0}
)
"""
MASS = """
        float physics:mass = {0}
        point3f physics:centerOfMass = (0, 0, 0.1)
        float3 physics:diagonalInertia = (0.1, 0.2, 0.15)
        quatf physics:principalAxes = (1, 0, 0, 0)"""
IS_BODY = '(prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])'
HINGE = """
    def PhysicsRevoluteJoint "hinge"
    {{
        rel physics:body0 = </robot/base>
        rel physics:body1 = </robot/arm>
        uniform token physics:axis = "Z"
        point3f physics:localPos0 = (0, 0, 0.5)
        float physics:lowerLimit = -90
        float physics:upperLimit = 90{0}
    }}
"""


def bodies(mass=2, more="", place="double3 xformOp:translate = (0, 0, 0.5)", order=None):
    """Return two bodies; `more` is said of the second one, `place` is where it is."""
    names = order or re.findall(r"xformOp:[\w:]+", place)
    listed = ", ".join(f'"{name}"' for name in names)
    return f"""
    def Xform "base" {IS_BODY}
    {{{MASS.format(3)}
    }}
    def Xform "arm" {IS_BODY}
    {{{MASS.format(mass)}
        {place}
        uniform token[] xformOpOrder = [{listed}]
        {more}
    }}"""


def robot(mass=2, said="", joint=HINGE.format(""), head="", **others):
    """Return the text of a stage of two bodies and a hinge."""
    return f'{HEAD.format(head)}def Xform "robot" ({said})\n{{{bodies(mass, **others)}{joint}}}\n'


def read(text, name="r.usda"):
    """Return the robot of a text or of data."""
    return read_bytes(text.encode() if isinstance(text, str) else text, str(name))


ESCAPES = {"\a": "a", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t", "\v": "v"}
ALPHABET = "ab \"'\\\a\b\f\n\r\t\v\x00\x7f7xnéß"


def spelled(text, rng):
    """Return a text as a string of USD, in quotes and with escapes that a random generator chooses."""
    mark = rng.choice(['"', "'"]) * rng.choice([1, 3])
    written = ""
    for sign in text:
        may_be_plain = sign not in "\\\0\r\n" + mark[0] or (len(mark) == 3 and sign == "\n")
        ways = [sign] if may_be_plain else []
        ways += [f"\\{ESCAPES[sign]}"] if sign in ESCAPES else []
        ways += [f"\\{sign}"] if sign in "\"'\\é" else []
        ways.append("".join(f"\\x{byte:02x}" for byte in sign.encode()))
        ways.append("".join(f"\\{byte:03o}" for byte in sign.encode()))
        written += rng.choice(ways)
    return f"{mark}{written}{mark}"


def requoted(text, rng):
    """Return a text of USD with other quotes around each string that has no quotes and begins with a letter."""

    def other(found):
        """Return a string in other quotation marks."""
        mark = rng.choice(['"', "'"]) * rng.choice([1, 3])
        return f"{mark}{found[1]}{mark}"

    return re.sub(r'"(\w[^"\n]*)"', other, text)
