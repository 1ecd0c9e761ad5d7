"""Random MJCF: every way to say a pose, a size or a mass, with classes and frames, that MuJoCo compiles."""

from random import Random

GEOMS = {"sphere": 1, "capsule": 2, "cylinder": 2, "ellipsoid": 3, "box": 3}
CLASSES = ("main", "one", "two")


class Writer:
    """A file while it is written."""

    def __init__(self, seed):
        self.random = Random(seed)
        self.count = 0

    def numbers(self, count, low=-1.0, high=1.0):
        """Return so many random numbers as text."""
        return " ".join(f"{self.random.uniform(low, high):.6g}" for _ in range(count))

    def maybe(self, text, chance=0.5):
        """Return the text or none, by chance."""
        return text if self.random.random() < chance else ""

    def name(self, kind):
        """Return the attribute of a new name."""
        self.count += 1
        return f'name="{kind}{self.count}"'

    def pose(self):
        """Return the attributes of a pose: a position or none, and a turn in one of the ways of MJCF."""
        way = self.random.choice(("quat", "euler", "axisangle", "xyaxes", "zaxis", ""))
        count = {"quat": 4, "euler": 3, "axisangle": 4, "xyaxes": 6, "zaxis": 3}.get(way, 0)
        largest = 170.0 if way == "euler" else 1.0
        return self.maybe(f'pos="{self.numbers(3)}" ') + (
            f'{way}="{self.numbers(count, -largest, largest)}"' if way else ""
        )

    def class_(self):
        """Return the attribute of a class, or none."""
        return self.maybe(f'class="{self.random.choice(CLASSES)}" ', 0.3)

    def geom(self):
        """Return a geom that has a mass, a density or neither."""
        kind = self.random.choice(sorted(GEOMS))
        size = f'size="{self.numbers(GEOMS[kind], 0.1, 1.0)}"'
        weight = self.random.choice(
            ("", f'mass="{self.numbers(1, 0.1, 5.0)}"', f'density="{self.numbers(1, 1, 900)}"')
        )
        pose = (
            f'fromto="{self.numbers(6)}"'
            if kind != "sphere" and self.random.random() < 0.3
            else self.pose()
        )
        more = self.maybe(f'friction="{self.numbers(1, 0.1, 2)}" ', 0.3) + self.maybe(
            f'group="{self.count % 4}" ', 0.3
        )
        return f'<geom {self.name("g")} {self.class_()}type="{kind}" {size} {weight} {more}{pose}/>'

    def joint(self, kind):
        """Return a joint of a kind."""
        low = self.random.uniform(-2.0, 0.0)
        limits = f'range="{low:.4g} {low + 1.5:.4g}" ' if kind != "ball" else ""
        return (
            f'<joint {self.name("j")} {self.class_()}type="{kind}" {self.maybe(limits)}'
            + self.maybe(f'axis="{self.numbers(3)}" ')
            + self.maybe(f'pos="{self.numbers(3)}" ')
            + self.maybe(f'ref="{self.numbers(1)}" ', 0.3)
            + self.maybe(f'damping="{self.numbers(1, 0, 1)}"', 0.3)
            + "/>"
        )

    def inside(self, depth):
        """Return the content of a body, with bodies below it to a depth."""
        joints = [
            self.joint(self.random.choice(("hinge", "slide")))
            for _ in range(self.random.choice((0, 1, 1, 2)))
        ]
        if self.random.random() < 0.1:
            joints = [self.joint("ball")]
        inertial = self.maybe(
            f'<inertial pos="{self.numbers(3)}" mass="2" quat="{self.numbers(4)}" diaginertia="0.2 0.3 0.4"/>',
            0.3,
        )
        parts = [
            *joints,
            inertial,
            self.geom(),
            self.maybe(self.geom()),
            self.maybe(f"<site {self.name('s')} {self.pose()}/>"),
        ]
        for _ in range(self.random.choice((0, 1, 2)) if depth else 0):
            begin = f"<body {self.name('b')} {self.pose()} {self.maybe(self.childclass(), 0.3)}>"
            body = f"{begin}{self.inside(depth - 1)}</body>"
            parts.append(
                f"<frame {self.pose()} {self.maybe(self.childclass(), 0.3)}>{body}{self.geom()}</frame>"
                if self.random.random() < 0.3
                else body
            )
        return "".join(parts)

    def childclass(self):
        """Return the attribute of the class of a body's content."""
        return f'childclass="{self.random.choice(CLASSES)}"'

    def defaults(self):
        """Return the classes, one in the other."""

        def said():
            """Return the defaults of one class."""
            return (
                self.maybe(
                    f'<geom density="{self.numbers(1, 100, 900)}" friction="{self.numbers(3, 0.1, 1)}"/>'
                )
                + self.maybe(f'<joint damping="{self.numbers(1, 0, 1)}" axis="{self.numbers(3)}"/>')
                + self.maybe('<position kp="7"/>', 0.3)
                + self.maybe('<motor gear="3"/>', 0.3)
            )

        return f'<default>{said()}<default class="one">{said()}<default class="two">{said()}</default></default></default>'

    def text(self):
        """Return the whole file."""
        letters = list("xyz")
        self.random.shuffle(letters)
        sequence = "".join(self.random.choice((letter, letter.upper())) for letter in letters)
        compilers = [
            f'<compiler angle="{self.random.choice(("degree", "radian"))}"/>',
            f'<compiler eulerseq="{sequence}"/>',
            self.maybe('<compiler inertiafromgeom="true" inertiagrouprange="0 2"/>', 0.3),
            self.maybe('<compiler boundmass="0.5" boundinertia="0.1" balanceinertia="true"/>', 0.3),
        ]
        free = self.maybe("<freejoint/>")
        top = (
            f'<body name="root" {self.pose()}>{free}{self.geom()}<body {self.name("b")} {self.pose()}>{self.inside(3)}'
            "</body></body>"
        )
        return f"<mujoco>{''.join(compilers)}{self.defaults()}<worldbody>{top}</worldbody></mujoco>"
