"""Random robots of few links: chains of floating, fixed and moving joints on links with a mass, a shape, or neither."""

INERTIAL = (
    '<inertial><origin xyz="0.01 0.02 0.03"/><mass value="{}"/>'
    '<inertia ixx="0.01" iyy="0.02" izz="0.025" ixy="0" ixz="0" iyz="0"/></inertial>'
)
VISUAL = '<visual><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry></visual>'
BODIES = (INERTIAL.format(1) + VISUAL, INERTIAL.format(2), INERTIAL.format(0), VISUAL, "", "")
TYPES = ("floating", "floating", "floating", "fixed", "fixed", "continuous", "prismatic")
JOINT = (
    '<joint name="j{0}" type="{1}"><parent link="{2}"/><child link="l{0}"/><origin xyz="0.{0} 0.1 0.2" '
    'rpy="0.1 0.{0} 0.3"/><axis xyz="0 0 1"/>{3}</joint>'
)
LIMIT = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'


def floating_robot(r):
    """Return a robot of 2 to 6 links as URDF; its root may be the world."""
    names = [r.choice(("world", "base")), *(f"l{k}" for k in range(1, r.randint(2, 6)))]
    links = [
        f'<link name="{name}">{r.choice(BODIES[4 * (name == names[0] and r.random() < 0.5) :])}</link>'
        for name in names
    ]
    joints = []
    for k in range(1, len(names)):
        kind = r.choice(TYPES)
        parent = names[r.choice((k - 1, r.randrange(k)))]
        joints.append(JOINT.format(k, kind, parent, LIMIT if kind == "prismatic" else ""))
    r.shuffle(links)
    r.shuffle(joints)
    return f'<robot name="r">{"".join(links)}{"".join(joints)}</robot>'
