"""Random robots whose `<gazebo>` blocks say what libsdformat reads: surfaces, values of bodies, sensors, frames."""

import re

TURNS = (
    "0 0 0",
    "1.5707963267948966 0 0",
    "0 -1.5707963267948966 0",
    "0.3 0.2 -0.4",
    "0 0 3.141592653589793",
)
AXES = ("1 0 0", "0 1 0", "0 0 1", "0 0 -1", "0 -1 0", "-1 0 0", "0.6 0.8 0")
VALUES = (
    ("mu1", ("0.2", "1.0", "1")),
    ("mu2", ("0.2", "1.0")),
    ("kp", ("1e6", "1000000.0", "1e12")),
    ("kd", ("10", "1")),
    ("minDepth", ("0.001",)),
    ("maxVel", ("0.1", "0.01")),
    ("maxContacts", ("3", "10")),
    ("laserRetro", ("2", "0")),
    ("fdir1", ("1 0 0", "0 1 0", "1.0 0 0")),
    ("material", ("Gazebo/Black", "Gazebo/Red")),
    ("selfCollide", ("true", "false", "1", "yes")),
    ("turnGravityOff", ("true", "false", "0")),
    ("dampingFactor", ("0.1", "0")),
    ("gravity", ("false", "true")),
    ("self_collide", ("true", "false")),
)
JOINT_TYPES = ("fixed", "fixed", "fixed", "revolute", "continuous", "prismatic")


def _numbers(r, low, high):
    """Return three numbers within bounds as text."""
    return " ".join(f"{r.uniform(low, high):.3f}" for _ in range(3))


def _shape(r, kind, size):
    """Return a visual or a collision: a box of a size."""
    return (
        f'<{kind}><origin xyz="{_numbers(r, -0.2, 0.2)}" rpy="{_numbers(r, -1, 1)}"/><geometry>'
        f'<box size="0.1 0.1 {size:.3f}"/></geometry></{kind}>'
    )


def _link(r, number, has_mass):
    """Return a link; `has_mass` says that it has an inertial, else it may have one."""
    inside = ""
    if has_mass or r.random() < 0.6:
        inside += (
            f'<inertial><origin xyz="{_numbers(r, -0.1, 0.1)}" rpy="{_numbers(r, -1, 1)}"/><mass value="'
            f'{r.choice((0.5, 1, 2))}"/><inertia ixx="0.01" ixy="0.001" ixz="0" iyy="0.012" iyz="0" '
            'izz="0.013"/></inertial>'
        )
    for kind in ("collision", "visual"):
        inside += "".join(
            _shape(r, kind, 0.1 + 0.1 * number + 0.01 * k) for k in range(r.choice((0, 1, 1, 2)))
        )
    return f'<link name="l{number}">{inside}</link>\n'


def _joint(r, number, kind, parent):
    """Return a joint of a kind to a new link."""
    axis = (
        ""
        if kind == "fixed"
        else f'<axis xyz="{r.choice(AXES)}"/><dynamics damping="0.2" friction="0.1"/>'
    )
    axis += (
        ""
        if kind in ("fixed", "continuous")
        else '<limit lower="-0.7" upper="1.2" effort="3" velocity="1"/>'
    )
    return (
        f'<joint name="{r.choice("abc")}{number}" type="{kind}"><parent link="l{parent}"/><child link="l{number}"/>'
        f'<origin xyz="{_numbers(r, -0.3, 0.3)}" rpy="{r.choice(TURNS)}"/>{axis}</joint>\n'
    )


def _pose(r, frames):
    """Return a `<pose>`, some in degrees and some in a frame."""
    frame = f' relative_to="{r.choice(frames)}"' if r.random() < 0.3 else ""
    degrees = r.random() < 0.2
    return (
        f"<pose{frame}{' degrees=' + chr(34) + 'true' + chr(34) if degrees else ''}>{_numbers(r, -0.1, 0.1)} "
        f"{_numbers(r, -90, 90) if degrees else _numbers(r, -1, 1)}</pose>"
    )


def _values(r):
    """Return values of a body, some of them twice."""
    text = "".join(
        f"<{tag}>{r.choice(values)}</{tag}>"
        for tag, values in VALUES
        for _ in "ab"
        if r.random() < 0.12
    )
    if r.random() < 0.1:
        text += f"<collision><max_contacts>{r.choice((3, 4))}</max_contacts></collision>"
    return text


def _surface(r, frames):
    """Write a whole surface: in one that lacks a part, libsdformat 12 loses what a later block says of that part."""
    frame = r.choice(("", f' gz:expressed_in="{r.choice(frames)}"'))
    return (
        f"<collision><surface><contact><ode><kp>2e5</kp></ode></contact><friction><ode><mu>0.7</mu><fdir1{frame}>"
        f"{_numbers(r, -1, 1)}</fdir1></ode></friction></surface></collision>"
    )


def _block(r, number, frames):
    """Return the content of the `<gazebo>` of a link."""
    text = _values(r) if r.random() < 0.8 else _surface(r, frames)
    if r.random() < 0.25:
        text += (
            f'<sensor name="s{r.random()}" type="{r.choice(("imu", "camera", "gpu_lidar"))}">{_pose(r, frames)}'
            "<update_rate>10</update_rate></sensor>"
        )
    if f"l{number}" in frames and r.random() < 0.15:
        text += f'<light name="lamp{r.random()}" type="point">{_pose(r, frames)}</light>'
    return f'<gazebo reference="l{number}">{text}</gazebo>\n'


def _free_block(r, frames):
    """Return the content of a `<gazebo>` without reference."""
    attached = r.choice(("", f' attached_to="{r.choice(frames)}"'))
    text = f'<frame name="f{r.random()}"{attached}>{_pose(r, frames)}</frame>'
    if r.random() < 0.3:
        text += f'<link name="extra">{_pose(r, frames)}</link>'
        text += (
            f'<joint name="extra_joint" type="revolute"><parent>{frames[0]}</parent><child>extra</child>'
            f'{_pose(r, frames)}<axis><xyz expressed_in="{r.choice(frames)}">0 0.6 0.8</xyz></axis></joint>'
        )
    return f"<gazebo>{text}</gazebo>\n"


def write_gazebo_robot(r):
    """Write a robot that libsdformat can read.

    Its version 12 loses what moves on a link without mass, and moves no light with a link that it lumps.
    """
    count = r.randint(3, 7)
    above = {
        number: (r.choice(JOINT_TYPES), r.randint(max(0, number - 3), number - 1))
        for number in range(1, count)
    }
    held = {child for child, (kind, _) in above.items() if kind == "fixed" and r.random() < 0.15}
    weighing = {
        number
        for child, (kind, parent) in above.items()
        for number in (child, parent)
        if kind != "fixed" or child in held
    }
    frames = ["l0", "__model__"]  # those that libsdformat makes; it has none for what it lumps
    links = [_link(r, 0, True)]
    joints = []
    blocks = []
    for number in range(1, count):
        kind, parent = above[number]
        links.append(_link(r, number, number in weighing))
        text = _joint(r, number, kind, parent)
        name = text.split('"')[1]
        if number in held:
            blocks.append(
                f'<gazebo reference="{name}"><preserveFixedJoint>true</preserveFixedJoint></gazebo>\n'
            )
            frames.append(f"l{number}")
        elif kind != "fixed":
            frames += [f"l{number}", name]
            if r.random() < 0.3:
                blocks.append(
                    f'<gazebo reference="{name}"><springReference>0.3</springReference><springStiffness>2'
                    "</springStiffness><provideFeedback>true</provideFeedback></gazebo>\n"
                )
        elif r.random() < 0.1:
            text = text.replace("type=", 'dont_collapse="true" type=')
        joints.append(text)
    for number in range(count):
        blocks += [_block(r, number, frames) for _ in range(r.choice((0, 0, 1, 1, 2)))]
    blocks += [_free_block(r, frames) for _ in range(r.choice((0, 0, 1)))]
    r.shuffle(blocks)
    return (
        '<?xml version="1.0"?>\n<robot name="r" xmlns:gz="http://gazebosim.org/schema">\n'
        + "".join((*links, *joints, *blocks))
        + "</robot>\n"
    )


def closing_joints(r, text):
    """Write joints that close loops between links of a robot, each at a random place of one of its links."""
    links = re.findall(r'<link name="(l\d+)"', text)
    joints = []
    for number in range(r.randint(1, 2)):
        parent, child = r.sample(links, 2)
        kind = r.choice(("revolute", "prismatic", "ball", "fixed"))
        joints.append(
            f'<joint name="closing{number}" type="{kind}"><parent>{parent}</parent><child>{child}</child>'
            f"{_pose(r, links)}<axis><xyz>{r.choice(AXES)}</xyz></axis></joint>"
        )
    return "".join(joints)
