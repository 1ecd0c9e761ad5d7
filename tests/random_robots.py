"""Random URDF text: a tree of links with everything that makes real files awkward.

`write_robot(random)` works with any `random.Random`, so the same robots come from a seed or from hypothesis.
"""

import math
import random
import re
from typing import NamedTuple, Optional, Sequence, Tuple

from hypothesis import strategies as st
from naive import product

MOVABLE = ("revolute", "continuous", "prismatic")
RIGHT_ANGLES = (
    "0",
    "1.5708",
    "-1.5708",
    "3.14159",
    "-3.14159",
    "1.5707963267948966",
    "-1.5707963267948966",
    "3.141592653589793",
    "-0",
    "1e-17",
    "6.12323e-17",
    "0.0",
    "-3.1416",
)
NOISE = (0.0, 1e-17, 1e-12, 1e-6, 5e-5, 9.99e-5, 1.01e-4, 3e-4)
HARDWARE = ("rotor_x8", "Stator", "bearings-2", "m3_nut", "spacerLeft")
STRUCTURE = ("thigh", "ankle_bearing_house", "nutcracker", "cover_rotor", "shell")
WORDS = (
    "hip_pitch",
    "knee",
    "elbow_x2",
    "roll",
    "ankle_roll",
    "hip_yaw",
    "waistYaw",
    "kneeJoint",
    "joint",
    "scroll",
    "payaw",
    "arm_pitch_roll",
    "wheel",
    "j\u00f6int",
)


class Traits(NamedTuple):
    """What a robot may have; each is a chance, or a bound."""

    links: int = 14
    fixed: float = 0.3
    odd_joints: bool = True  # planar and floating
    duplicates: float = 0.4
    kept: float = 0.5
    mimics: float = 0.3
    hardware: float = 0.2
    hostile: float = 0.3  # axes close to the thresholds of the rules
    near: float = 1e-2  # how close


ORDINARY = Traits()


class _Node(NamedTuple):
    name: str
    parent: str
    joint: str
    kind: str
    origin: Optional[Tuple[Sequence[str], Sequence[str]]]  # xyz and rpy as text
    axis: Optional[Sequence[str]]
    extras: Sequence[str]
    body: str


def _number(value, r):
    """Write a number as one exporter or another does."""
    return r.choice(
        (repr(value), f"{value:.6g}", f"{value:.6f}", f"{value:.9g}", repr(value), f"{value:+.4g}")
    )


def _vector(r, size):
    """Return three numbers up to a size as texts, some of them zeros in odd spellings."""
    return [
        _number(r.uniform(-size, size), r)
        if r.random() < 0.8
        else r.choice(("0", "-0.0", "0.0", "1e-17"))
        for _ in range(3)
    ]


def _rpy(r):
    """Return three angles as texts: zeros, right angles, angles near gimbal lock, or any."""
    choice = r.random()
    if choice < 0.25:
        return ["0", "0", "0"]
    if choice < 0.6:
        return [r.choice(RIGHT_ANGLES) for _ in range(3)]
    if choice < 0.75:
        return [
            _number(r.uniform(-math.pi, math.pi), r),
            r.choice(
                ("1.5707963267948966", "-1.5707963267948966", "1.5708", "1.570796326", "-1.5707963")
            ),
            _number(r.uniform(-math.pi, math.pi), r),
        ]
    if choice < 0.9:
        return [
            _number(
                r.choice((0.0, 0.0, 0.174533, math.pi / 3, math.pi / 4))
                + r.choice((-1, 1)) * r.choice(NOISE),
                r,
            )
            for _ in range(3)
        ]
    return [_number(r.uniform(-math.pi, math.pi), r) for _ in range(3)]


def _axis(r, traits):
    """Return an axis as texts, None where the joint has none: along a coordinate, nearly along one, or any."""
    choice = r.random()
    if choice < 0.1:
        return None
    k = r.randrange(3)
    sign = r.choice((-1.0, 1.0))
    if choice < 0.4:
        axis = [0.0, 0.0, 0.0]
        axis[k] = sign
        return [r.choice((f"{value:g}", repr(value))) for value in axis]
    if choice < 0.6:
        axis = [r.choice((-1, 1)) * r.choice(NOISE) for _ in range(3)]
        axis[k] = sign
        return [repr(value) for value in axis]
    if r.random() < traits.hostile:
        angle = r.choice((math.pi / 4, math.pi / 3, math.pi / 6, math.acos(0.499), math.pi / 2))
        angle += (
            r.choice((-1, 1))
            * r.choice((0.0, 1e-16, 1e-9, 0.3, 0.9, 1.0, 1.1, 2.9, 3.1))
            * traits.near
        )
        axis = [0.0, 0.0, 0.0]
        axis[k], axis[(k + r.choice((1, 2))) % 3] = (
            sign * math.cos(angle),
            r.choice((-1.0, 1.0)) * math.sin(angle),
        )
        return [repr(value) for value in axis]
    if choice < 0.75:
        return [repr(sign * value * r.choice((1.0, 2.0, 1e-3, 1e3))) for value in (0.0, 3.0, 4.0)]
    axis = [r.uniform(-1.0, 1.0) for _ in range(3)]
    axis[k] += sign * 0.1
    return [_number(value, r) for value in axis] if max(map(abs, axis)) > 0.01 else ["1", "1", "1"]


def _inertial(r):
    """Return an `<inertial>` whose tensor is physical, or none."""
    choice = r.random()
    if choice < 0.15:
        return ""
    mass = r.choice((0.0, 1e-9, 0.0816, 1.0, 7.5)) if choice < 0.4 else r.uniform(0.01, 5.0)
    size = r.choice((1.0, 1.0, 1e-3))
    a, b, c = (mass * size * r.uniform(1e-3, 1e-2) for _ in range(3))
    xx, yy, zz = a + b, a + c, b + c  # sums of second moments: physical
    xy, xz, yz = (
        (0.3 * min(a, b, c) * r.uniform(-1, 1) if r.random() < 0.7 else 0.0) for _ in range(3)
    )
    origin = f'{{}}<origin xyz="{" ".join(_vector(r, 0.2))}" rpy="{" ".join(_rpy(r))}"/>\n'
    if r.random() < 0.2:
        origin = r.choice(("", f'{{}}<origin xyz="{" ".join(_vector(r, 0.2))}"/>\n'))
    tensor = " ".join(
        f'{key}="{value!r}"'
        for key, value in zip(("ixx", "ixy", "ixz", "iyy", "iyz", "izz"), (xx, xy, xz, yy, yz, zz))
    )
    inertia = f"{{}}<inertia {tensor} />\n" if r.random() < 0.9 else ""
    return f"    <inertial>\n{{0}}{origin}{{0}}<mass value='{mass!r}'/>\n{{0}}{inertia}    </inertial>\n".replace(
        "{0}{}", "      "
    ).replace("{0}", "      ")


def _shape(r, number, traits):
    """Return a visual or a collision; its number makes it another one than all others."""
    tag = r.choice(("visual", "collision"))
    if r.random() < traits.hardware:
        geometry = f'<mesh filename="package://robot/{r.choice(HARDWARE)}.stl" scale="0.001 -0.001 {number}"/>'
    else:
        geometry = r.choice(
            (
                f'<box size="0.1 0.2 {number}"/>',
                f'<cylinder radius="{number}" length="0.5"/>',
                f'<mesh filename="package://robot/{r.choice(STRUCTURE)}_{number}.STL"/>',
            )
        )
    origin = (
        ""
        if r.random() < 0.25
        else (f'      <origin xyz="{" ".join(_vector(r, 0.3))}" rpy="{" ".join(_rpy(r))}" />\n')
    )
    name = r.choice(("", "", ' name="shape"', f' name="s{number % 3}"'))
    material = (
        '      <material name="gray"><color rgba="0.5 0.5 0.5 1"/></material>\n'
        if r.random() < 0.3
        else ""
    )
    comment = f"    <!-- Part {number} -->\n" if r.random() < 0.2 else ""
    geometry = f"      <geometry>{geometry}</geometry>\n"
    inside = origin + geometry if r.random() < 0.8 else geometry + origin
    return f"{comment}    <{tag}{name}>\n{inside}{material}    </{tag}>\n"


def _limits(r, kind):
    """Return the elements that limit a joint, and its safety, dynamics and calibration."""
    lines = []
    lower, upper = sorted(
        (round(r.uniform(-3, 3), r.choice((1, 4, 12))), round(r.uniform(-3, 3), 3))
    )
    if kind != "continuous" and r.random() < 0.95:
        ends = r.choice(
            (
                f'lower="{lower}" upper="{upper}"',
                f'upper="{upper}"',
                f'lower="{lower}"',
                "",
                f'upper="+{abs(upper)}"  lower="-0.0"',
                f'lower="{lower}" upper="{upper}"',
            )
        )
        lines.append(f'<limit effort="10" {ends} velocity="5e0"/>')
    if r.random() < 0.2:
        ends = r.choice(
            (
                f'soft_lower_limit="{lower}" soft_upper_limit="{upper}"',
                f'soft_upper_limit="{upper}"',
                "",
            )
        )
        lines.append(f"<safety_controller k_velocity='3' {ends} k_position=\"1.5\"/>")
    if r.random() < 0.2:
        lines.append(
            r.choice(
                (
                    f'<calibration rising="{lower}"/>',
                    f'<calibration falling="{upper}" rising="0.1"/>',
                    f'<calibration reference_position="{lower}"/>',
                )
            )
        )
    if r.random() < 0.2:
        lines.append('<dynamics damping="0.1" friction="0.01"/>')
    return lines


def _link(r, name, traits, counter, bare=False):
    """Return a link; a bare one is empty."""
    inside = [] if bare else [_inertial(r)]
    for _ in range(0 if bare else r.choice((0, 1, 1, 2, 3))):
        counter[0] += 1
        inside.append(_shape(r, counter[0], traits))
    if r.random() < 0.3:
        inside.reverse()
    return (
        f'  <link name="{name}">\n{"".join(inside)}  </link>\n'
        if any(inside)
        else f'  <link name="{name}"/>\n'
    )


def _turn(rpy):
    """Return the rotation matrix of roll, pitch and yaw."""
    r, p, y = rpy
    roll = [[1.0, 0.0, 0.0], [0.0, math.cos(r), -math.sin(r)], [0.0, math.sin(r), math.cos(r)]]
    pitch = [[math.cos(p), 0.0, math.sin(p)], [0.0, 1.0, 0.0], [-math.sin(p), 0.0, math.cos(p)]]
    yaw = [[math.cos(y), -math.sin(y), 0.0], [math.sin(y), math.cos(y), 0.0], [0.0, 0.0, 1.0]]
    return product(yaw, product(pitch, roll))


def _sibling(r, node):
    """Return origin and axis of another joint about the same line: its frame is shifted along the axis and turned."""
    xyz, rpy = ([float(x) for x in part] for part in (node.origin or (("0",) * 3, ("0",) * 3)))
    axis = [float(x) for x in (node.axis or ("1", "0", "0"))]
    length = math.sqrt(sum(x * x for x in axis))
    along = r.uniform(-0.1, 0.1)
    shift = [sum(row[k] * axis[k] for k in range(3)) / length * along for row in _turn(rpy)]
    angles = [r.uniform(-1.0, 1.0) for _ in range(3)]
    new_axis = [
        sum(
            product([list(c) for c in zip(*_turn(angles))], _turn(rpy))[i][k] * axis[k]
            for k in range(3)
        )
        for i in range(3)
    ]
    return ([repr(a + b) for a, b in zip(xyz, shift)], [repr(x) for x in angles]), [
        repr(x) for x in new_axis
    ]


def _joint(r, node):
    """Return a joint with its elements in any order and spelling."""
    parts = [f'<parent link="{node.parent}"/>', f'<child link="{node.name}"/>', *node.extras]
    if node.origin is not None:
        xyz, rpy = (r.choice((" ", " ", "  ")).join(part) for part in node.origin)
        parts.append(
            r.choice(
                (f'<origin xyz="{xyz}" rpy="{rpy}"/>', f"<origin  rpy='{rpy}' xyz=\"{xyz}\" />")
            )
        )
    if node.axis is not None:
        parts.append(f'<axis xyz="{" ".join(node.axis)}"/>')
    if r.random() < 0.5:
        r.shuffle(parts)
    comment = f"  <!-- Joint from {node.parent} -->\n" if r.random() < 0.2 else ""
    name = node.joint.replace("&", "&amp;")
    head = r.choice(
        (f'<joint name="{name}" type="{node.kind}">', f"<joint type='{node.kind}'  name='{name}'>")
    )
    return f"{comment}  {head}\n" + "".join(f"    {part}\n" for part in parts) + "  </joint>\n"


def write_robot(r, traits=ORDINARY):
    """Return the text of a readable URDF."""
    names = [r.choice(("base_link", "world", "root", "odom"))]
    world = names[0] in ("world", "odom")
    counter = [0]
    nodes = []
    others = []
    bodies = {names[0]: _link(r, names[0], traits, counter, bare=world and r.random() < 0.7)}
    count = r.randint(1, traits.links)
    while len(names) < count:
        number = len(names)
        parent = r.choice(names) if r.random() < 0.6 else names[-1]
        kind = (
            "fixed"
            if r.random() < traits.fixed
            else r.choice(
                (
                    *MOVABLE,
                    "revolute",
                    "revolute",
                    *(("planar", "floating") if traits.odd_joints else ()),
                )
            )
        )
        side = r.choice(("", "", "left_", "right_", "l_", "R"))
        name = f"{side}{r.choice(('link', 'foot', 'Tool'))}_{number}"
        if kind == "fixed" and r.random() < 0.1:
            name = f"closing_{number}_{r.choice((1, 2))}"
        joint = f"{side}{r.choice(WORDS)}_{number}"
        origin = None if r.random() < 0.15 else (_vector(r, 0.5), _rpy(r))
        axis = (
            _axis(r, traits)
            if kind not in ("fixed", "floating")
            else r.choice((None, ["0", "0", "0"], ["0", "0", "1"]))
        )
        extras = _limits(r, kind) if kind in MOVABLE else []
        leaders = [node.joint for node in nodes if node.kind in (*MOVABLE, "fixed")]
        if kind in MOVABLE and leaders and r.random() < traits.mimics:
            numbers = r.choice(
                (
                    'multiplier="-1" offset="0.1"',
                    "",
                    'offset="-2e-1"',
                    'multiplier="0.5"',
                    'multiplier="+2" offset="0"',
                )
            )
            extras.append(f'<mimic joint="{r.choice(leaders)}" {numbers}/>')
        node = _Node(
            name, parent, joint, kind, origin, axis, extras, _link(r, name, traits, counter)
        )
        nodes.append(node)
        names.append(name)
        bodies[name] = node.body
        if kind in MOVABLE and r.random() < traits.duplicates * 0.4:
            twin = f"{name}_twin"
            if r.random() < 0.5:
                nodes.append(node._replace(name=twin))
                bodies[twin] = node.body.replace(f'link name="{name}"', f'link name="{twin}"')
            else:
                twin_origin, twin_axis = _sibling(r, node)
                nodes.append(node._replace(name=twin, origin=twin_origin, axis=twin_axis))
                bodies[twin] = _link(r, twin, traits, counter)
            names.append(twin)
        if kind == "fixed" and r.random() < traits.kept * 0.3:
            others.append(
                r.choice(
                    (
                        f'  <gazebo reference="{name}">\n    <sensor name="s" type="imu"><pose>0 0 0 0 0 0</pose></sensor>\n'
                        "  </gazebo>\n",
                        f'  <gazebo reference="{joint}"><preserveFixedJoint>true</preserveFixedJoint></gazebo>\n',
                        f'  <loop_joint name="loop"><link1 link="{name}"/></loop_joint>\n',
                    )
                )
            )
    blocks = [*bodies.values(), *(_joint(r, node) for node in nodes)]
    order = r.random()
    if order < 0.3:
        blocks = blocks[len(bodies) :][::-1] + blocks[: len(bodies)][::-1]
    elif order < 0.7:
        r.shuffle(blocks)
    head = r.choice(
        (
            '<?xml version="1.0"?>\n',
            '<?xml version="1.0" encoding="utf-8"?>\n<!-- made by a hand -->\n',
            "",
            "<?xml version='1.0' encoding='UTF-8' standalone='yes' ?>\n\n",
        )
    )
    text = f'{head}<robot name="random">\n{"".join(blocks)}{"".join(others)}</robot>{r.choice(chr(10) + " ")}'
    return text.replace("\n", "\r\n") if r.random() < 0.15 else text


def with_materials(text, r):
    """Give the visuals of a robot materials of few names with clashing meanings, or names alone, or none."""
    names = ("m", "n", "red")
    colors = ("1 0 0 1", "0 1 0 1", "0 0 1 0.5")

    def material(chance):
        """Return a material that is empty by chance, or has a color, an image or both."""
        inside = (
            ""
            if r.random() < chance
            else r.choice(
                (
                    *(f'<color rgba="{rgba}"/>' for rgba in colors),
                    '<texture filename="wood.png"/>',
                    f'<color rgba="{r.choice(colors)}"/><texture filename="wood.png"/>',
                )
            )
        )
        return f'<material name="{r.choice(names)}">{inside}</material>'

    def visual(match):
        """Return a visual with another material, or with none."""
        inside = re.sub(" *<material.*</material>\r?\n", "", match[2])
        return f"{match[1]}{inside}{material(0.4) if r.random() < 0.8 else ''}{match[3]}"

    text = re.sub(r"(?s)(<visual[^>]*>)(.*?)(</visual>)", visual, text)
    tops = {name: material(0.0) for name in names if r.random() < 0.2}
    defined = "".join(
        re.sub('name="[^"]*"', f'name="{name}"', top, count=1) for name, top in tops.items()
    )
    return (
        text.replace("</robot>", f"{defined}</robot>")
        if r.random() < 0.5
        else (re.sub("(<robot [^>]*>)", rf"\1{defined}", text, count=1))
    )


def robots(traits=ORDINARY):
    """Random robots for hypothesis: drawn from a seed, which is fast; a failure shrinks in the number of links."""
    return st.builds(
        lambda links, seed: write_robot(random.Random(seed), traits._replace(links=links)),
        st.integers(1, traits.links),
        st.integers(0, 2**32 - 1),
    )


def chain(links, r, tilt=0.0):
    """Return a chain of revolute joints in arbitrary frames, or with noise up to `tilt` [rad] in every angle.

    Every second joint takes the noise back, so that no tilt adds up.
    """
    noise = [0.0, 0.0, 0.0]
    lines = ['<robot name="chain">', '<link name="l0"/>']
    for number in range(1, links):
        noise = (
            [-x for x in noise] if number % 2 == 0 else [r.uniform(-tilt, tilt) for _ in range(3)]
        )
        rpy = noise if tilt else [r.uniform(-3, 3) for _ in range(3)]
        axis = (
            ["0 0 1", "0 1 0", "1 0 0"][number % 3]
            if tilt
            else " ".join(f"{r.uniform(-1, 1):.6f}" for _ in range(3))
        )
        lines.append(
            f'<link name="l{number}"><visual><origin xyz="0 0 0.1"/><geometry><box size="1 1 {number}"/>'
            f"</geometry></visual></link>"
            f'<joint name="j{number}" type="revolute"><parent link="l{number - 1}"/>'
            f'<child link="l{number}"/>'
            f'<origin xyz="0.02 0 0.02" rpy="{" ".join(map(repr, rpy))}"/>'
            f'<axis xyz="{axis}"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
        )
    return "\n".join([*lines, "</robot>\n"])
