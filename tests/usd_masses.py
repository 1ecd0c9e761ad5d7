"""Random stages of one body with collisions: who gives which number of its mass, and which material has a density."""

from math import sqrt

HEAD = """#usda 1.0
(
    defaultPrim = "robot"
    metersPerUnit = {meters}
    kilogramsPerUnit = {kilograms}
    upAxis = "{up}"
)
def Xform "robot"
{{
    def Material "steel" (prepend apiSchemas = ["PhysicsMaterialAPI"])
    {{
        float physics:density = 7.5
    }}
    def Material "wood" (prepend apiSchemas = ["PhysicsMaterialAPI"])
    {{
        float physics:density = 0.5
    }}
    def Material "bare" (prepend apiSchemas = ["PhysicsMaterialAPI"])
    {{
    }}
    def Material "paint"
    {{
        float physics:density = 90
    }}
"""
MATERIALS = ("steel", "wood", "bare", "paint", "gone")
TETRAHEDRON = """point3f[] points = [(0, 0, 0), (1, 0, 0), (0, 1.5, 0), (0, 0, 0.5)]
int[] faceVertexCounts = [3, 3, 3, 3]
int[] faceVertexIndices = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]"""
KINDS = {  # what a shape says, and if it can be stretched
    "Cube": ("double size = {0}", True),
    "Sphere": ("double radius = {0}", False),
    "Cylinder": ('double radius = {0}\ndouble height = {1}\nuniform token axis = "{2}"', False),
    "Capsule": ('double radius = {0}\ndouble height = {1}\nuniform token axis = "{2}"', False),
    "Mesh": (TETRAHEDRON, True),
}
MOMENTS = "physics:diagonalInertia"
AXES = "physics:principalAxes"


def number(chance, low=0.2, high=2.0):
    """Return a random number with three digits."""
    return round(chance.uniform(low, high), 3)


def three(chance, low=-1.0, high=1.0):
    """Return three random numbers as USD writes them."""
    return f"({', '.join(str(number(chance, low, high)) for _ in range(3))})"


def turn(chance):
    """Return a quaternion of length 1: usd-core takes another one for a rotation that stretches."""
    parts = [chance.gauss(0.0, 1.0) for _ in range(4)]
    length = sqrt(sum(part * part for part in parts))
    return f"({', '.join(f'{part / length:.9f}' for part in parts)})"


def masses(chance):
    """Return what one prim may say of its mass, by name: any of it, as not given or not at all."""
    a, b = number(chance), number(chance)
    given = {
        "physics:mass": ("float", [number(chance), 0]),
        "physics:density": ("float", [number(chance), 0]),
        "physics:centerOfMass": (
            "point3f",
            [three(chance), "(0, 0, 0)", "(-inf, -inf, -inf)"],
        ),
        MOMENTS: ("float3", [f"({a}, {b}, {round(a + 0.5 * b, 3)})", "(0, 0, 0)"]),
        AXES: ("quatf", [turn(chance), "(0, 0, 0, 0)"]),
    }
    return {
        name: f"{type} {name} = {chance.choice([words[0], *words])}"
        for name, (type, words) in given.items()
        if chance.random() < 0.4
    }


def bindings(chance):
    """Return the materials that one prim may bind."""
    lines = []
    for name in ("material:binding", "material:binding:physics"):
        if chance.random() < 0.3:
            said = ' (bindMaterialAs = "strongerThanDescendants")' if chance.random() < 0.3 else ""
            lines.append(f"rel {name} = </robot/{chance.choice(MATERIALS)}>{said}")
    return lines


def place(chance, *, stretch):
    """Return a transform: a shift, a turn and a scale."""
    size = (
        three(chance, 0.5, 2.0) if stretch else "({0}, {0}, {0})".format(number(chance, 0.5, 2.0))
    )
    return [
        f"double3 xformOp:translate = {three(chance)}",
        f"double3 xformOp:rotateXYZ = {three(chance, -180, 180)}",
        f"double3 xformOp:scale = {size}",
        'uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:rotateXYZ", "xformOp:scale"]',
    ]


def prim(type, name, schemas, lines, inner=""):
    """Return a prim with its schemas, lines and children."""
    listed = ", ".join(f'"{schema}"' for schema in schemas)
    said = f" (prepend apiSchemas = [{listed}])" if schemas else ""
    text = "\n".join(lines)
    return f'def {type} "{name}"{said}\n{{\n{text}\n{inner}\n}}\n'


def shape(chance, name, *, can_stretch):
    """Return a collision, alone or in a group."""
    kind = chance.choice(list(KINDS))
    said, stretches = KINDS[kind]
    lines = [said.format(number(chance), number(chance), chance.choice("XYZ"))]
    lines += place(chance, stretch=stretches and can_stretch)
    lines += masses(chance).values()
    lines += bindings(chance)
    schemas = ["PhysicsCollisionAPI", "MaterialBindingAPI"]
    if chance.random() < 0.8:
        schemas.append("PhysicsMassAPI")
    if chance.random() < 0.15:
        lines.append("bool physics:collisionEnabled = 0")
    text = prim(kind, name, schemas, lines)
    if chance.random() < 0.5:
        around = [*place(chance, stretch=False), *bindings(chance)]
        text = prim("Xform", f"around_{name}", ["MaterialBindingAPI"], around, text)
    return text


def stage(chance):
    """Return the text of a stage, and what its body says of its mass, by name."""
    head = HEAD.format(
        meters=chance.choice([1, 1, 0.01, 0.1]),
        kilograms=chance.choice([1, 1, 0.001, 2]),
        up=chance.choice("YZ"),
    )
    body = masses(chance)
    lines = [*place(chance, stretch=False), *bindings(chance), *body.values()]
    shapes = [
        shape(chance, f"shape{number}", can_stretch=chance.random() < 0.5)
        for number in range(chance.randrange(1, 4))
    ]
    kind = "Xform"
    schemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI", "MaterialBindingAPI"]
    if chance.random() < 0.15:
        kind = "Cube"  # a body that collides itself
        lines.append("double size = 0.5")
        schemas.append("PhysicsCollisionAPI")
    return head + prim(kind, "body", schemas, lines, "".join(shapes)) + "}\n", body
