"""Random MJCF and SDF with what a URDF cannot say, and with names that several things have."""

from random import Random

NAMES = ("a", "b", "c", "d", "e", "world_2")
SERVOS = (
    'motor gear="3"',
    'motor ctrlrange="-2 2"',
    'position kp="5" kv="1"',
    'velocity kv="2"',
    'general gainprm="2"',
    'position kp="4" dampratio="1" forcerange="-1 1"',
    'damper kv="1" ctrlrange="0 1"',
)
NO_LIMITS = ("-1.79769e+308", "-inf", "-1e16", "-1e30")


def _numbers(r, count, low=-1.0, high=1.0):
    return " ".join(f"{r.uniform(low, high):.4g}" for _ in range(count))


class _Part:
    """What writers share: a random source, and a choice of texts."""

    def __init__(self, seed):
        self.r = Random(seed)

    def some(self, *texts, chance=0.4):
        return " ".join(text for text in texts if self.r.random() < chance)

    def one(self, texts):
        return self.r.choice(texts)

    def several(self, make, most):
        return "".join(make() for _ in range(self.r.randint(0, most)))


class Mjcf(_Part):
    """An MJCF: bodies, joints and sites have names of one small pool, each its own."""

    def __init__(self, seed):
        super().__init__(seed)
        self.unused = {kind: list(NAMES) for kind in ("body", "joint", "site")}
        self.names = {kind: [] for kind in self.unused}

    def name(self, kind):
        if not self.unused[kind] or self.r.random() < 0.2 and kind == "joint":
            return ""
        name = self.unused[kind].pop(self.r.randrange(len(self.unused[kind])))
        self.names[kind].append(name)
        return f'name="{name}"'

    def geom(self):
        shape = self.one(
            (
                'type="sphere" size=".1"',
                'type="box" size=".1 .2 .3"',
                'type="capsule" size=".1 .2"',
                'type="ellipsoid" size=".1 .2 .3"',
                'type="plane" size="1 1 1" mass="0"',
            )
        )
        more = self.some(
            f'friction="{_numbers(self.r, 3, 0.1)}"',
            f'condim="{self.one("346")}"',
            'material="m"',
            f'rgba="{_numbers(self.r, 4, 0.0)}"',
            f'pos="{_numbers(self.r, 3)}"',
        )
        return f"""<geom {shape} {more} {self.some('contype="0" conaffinity="0"', chance=0.2)}/>"""

    def joint(self):
        kind = self.one(("hinge", "slide"))
        more = self.some(
            f'range="{self.one(("-1 1", "-0.5 0.25"))}"',
            f'pos="{_numbers(self.r, 3)}"',
            f'axis="{_numbers(self.r, 3, 0.1)}"',
            f'stiffness="{self.one(("3", "3 2 1"))}"',
            f'damping="{self.one(("2", "2 0.5 0.1"))}"',
            'springref="0.3"',
            'armature="0.01"',
            'frictionloss="0.1"',
            'ref="0.2"',
            'actuatorfrcrange="-3 3"',
        )
        return f'<joint type="{kind}" {self.name("joint")} {more}/>'

    def body(self, depth):
        known = bool(self.unused["body"]) and depth > 0
        begin = (
            f'<body {self.name("body")} pos="{_numbers(self.r, 3)}" euler="{_numbers(self.r, 3, -90.0, 90.0)}" '
            + self.some(f'gravcomp="{self.one(("1", "0.3"))}"', chance=0.2)
            + ">"
        )
        free = (
            "<freejoint/>" if depth == 3 and self.r.random() < 0.5 else self.several(self.joint, 2)
        )
        parts = [
            free,
            '<inertial pos="0.1 0 0" mass="2" diaginertia="0.02 0.03 0.04"/>',
            self.geom(),
            self.several(self.geom, 2),
        ]
        if self.r.random() < 0.5 and self.unused["site"]:
            parts.append(f'<site {self.name("site")} pos="{_numbers(self.r, 3)}"/>')
        parts.append(
            self.some(
                '<camera name="eye" fovy="70"/>',
                '<camera name="ear" resolution="64 48"/>',
                chance=0.2 if depth == 3 else 0.0,
            )
        )
        return (
            begin
            + "".join(parts)
            + (self.several(lambda: self.body(depth - 1), 2) if known else "")
            + "</body>"
        )

    def equality(self):
        if len(self.names["body"]) < 2:
            return ""
        first, second = self.r.sample(self.names["body"], 2)
        ties = [
            f'<{self.one(("connect", "weld"))} body1="{first}" body2="{second}" anchor="{_numbers(self.r, 3)}"/>',
            f'<connect body1="{first}" anchor="0 0 1"/>',
        ]
        if len(self.names["joint"]) > 1:
            leader, follower = self.r.sample(self.names["joint"], 2)
            ties += [
                f'<joint joint1="{follower}" joint2="{leader}" polycoef="{self.one(("0 2", "0.1 1 0.3"))}"/>',
                f'<joint joint1="{leader}" polycoef="0.1"/>',
            ]
        return self.one(ties)

    def text(self):
        world = self.body(3)
        motors = [
            f'<{self.one(SERVOS)} joint="{name}"/>'
            for name in self.names["joint"]
            if self.r.random() < 0.5
        ]
        sensors = [
            f'<{kind} site="{name}"/>'
            for name in self.names["site"]
            for kind in ("gyro", "touch", "force")
            if self.r.random() < 0.4
        ]
        bodies = self.names["body"]
        apart = f'<exclude body1="{bodies[0]}" body2="{bodies[-1]}"/>' if len(bodies) > 1 else ""
        shine = self.some('specular="0.3"', 'emission="0.1"', 'shininess="0.2"', 'metallic="0.5"')
        floor = self.some('<geom type="plane" size="1 1 1"/>')
        return (
            f'<mujoco><option gravity="0 0 {self.one(("-9.81", "-1.62", "0"))}"/><asset><material name="m" '
            f'rgba="0.2 0.4 0.6 1" {shine}/></asset><worldbody>{floor}{world}</worldbody>'
            f"<equality>{self.equality()}{self.equality()}</equality>"
            f"<actuator>{''.join(motors)}</actuator><sensor>{''.join(sensors)}</sensor><contact>{apart}</contact>"
            "</mujoco>"
        )


class Sdf(_Part):
    """An SDF of links on joints, with models inside, loops, gearboxes, sensors, surfaces and scripts."""

    def surface(self):
        ode = "".join(
            f"<{tag}>{self.r.uniform(0.1, 1.0):.3g}</{tag}>"
            for tag in ("mu", "mu2", "slip1", "slip2")
            if self.r.random() < 0.4
        )
        bounce = "<bounce><restitution_coefficient>0.3</restitution_coefficient></bounce>"
        spin = "<torsional><coefficient>0.2</coefficient></torsional>"
        return f"<surface>{self.some(bounce)}<friction><ode>{ode}</ode>{self.some(spin)}</friction></surface>"

    def link(self, name):
        shape = "<geometry><box><size>0.1 0.2 0.3</size></box></geometry>"
        hits = [
            f'<collision name="c{k}">{shape}{self.some(self.surface())}</collision>'
            for k in range(self.r.randint(0, 2))
        ]
        look = "<material><script><name>Gazebo/Grey</name></script><diffuse>0.1 0.2 0.3 1</diffuse></material>"
        seen = [
            f'<visual name="v{k}">{shape}{self.some(look)}</visual>'
            for k in range(self.r.randint(0, 2))
        ]
        flags = self.some(
            "<gravity>false</gravity>",
            "<self_collide>true</self_collide>",
            "<velocity_decay><linear>0.1</linear><angular>0.1</angular></velocity_decay>",
            chance=0.2,
        )
        inside = "".join((flags, *hits, *seen, self.sensor()))
        return f'<link name="{name}"><pose>{_numbers(self.r, 6)}</pose>{inside}</link>'

    def sensor(self):
        image = "<image><width>64</width><height>48</height></image>"
        camera = f"<camera>{self.some('<horizontal_fov>1.2</horizontal_fov>', image)}</camera>"
        scan = "<samples>9</samples><min_angle>-1</min_angle><max_angle>1</max_angle>"
        reach = self.some("<range><min>0.1</min><max>9</max></range>", chance=0.7)
        lidar = f"<lidar><scan><horizontal>{scan}</horizontal></scan>{reach}</lidar>"
        kind, inside = self.r.choice(
            (
                ("camera", camera),
                ("gpu_lidar", lidar),
                ("imu", "<topic>t</topic>"),
                ("contact", "<contact><collision>c0</collision></contact>"),
            )
        )
        return self.some(
            f'<sensor name="{kind}" type="{kind}"><update_rate>9</update_rate>{inside}</sensor>',
            chance=0.3,
        )

    def joint(self, name, parent, child):
        kind = self.one(("revolute", "prismatic", "fixed", "continuous"))
        low = self.one((*NO_LIMITS, "-0.5"))
        high = low[1:] if low != "-0.5" else "0.5"
        more = self.some("<effort>3</effort>", "<velocity>inf</velocity>")
        law = self.some(
            "<damping>0.1</damping>",
            "<spring_stiffness>2</spring_stiffness>",
            "<spring_reference>0.1</spring_reference>",
        )
        physics = "<physics><ode><limit><cfm>0.1</cfm></limit><provide_feedback>true</provide_feedback></ode></physics>"
        axis = (
            ""
            if kind == "fixed"
            else (
                f"<axis><xyz>{_numbers(self.r, 3, 0.1)}</xyz><limit><lower>{low}</lower><upper>{high}</upper>{more}</limit>"
                f"<dynamics>{law}</dynamics></axis>"
            )
        )
        return (
            f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{axis}'
            f"{self.some(physics, chance=0.2)}</joint>"
        )

    def text(self):
        count = self.r.randint(1, 5)
        parts = [self.link(f"l{k}") for k in range(count)]
        held = [k for k in range(1, count) if self.r.random() < 0.95]
        parts += [self.joint(f"j{k}", f"l{self.r.randrange(k)}", f"l{k}") for k in held]
        if count > 2:
            parts.append(
                self.some(
                    '<joint name="gear" type="gearbox"><parent>l0</parent><child>l1</child>'
                    "<gearbox_ratio>3</gearbox_ratio></joint>",
                    self.joint("loop", "l0", "l2"),
                    chance=0.2,
                )
            )
        inner = f'<link name="k"/>{self.joint("turn", "k", "m")}<link name="m"/>'
        parts.append(
            self.some(
                f'<model name="inner">{inner}</model>',
                '<frame name="f" attached_to="l0"><pose>1 2 3 0 0 0</pose></frame>',
                "<static>true</static>",
                chance=0.2,
            )
        )
        return f'<sdf version="1.9"><model name="m">{"".join(parts)}</model></sdf>'
