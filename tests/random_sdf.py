"""Random SDF models: frames on frames, poses relative to anything, axes in any frame, the ways of each version."""

VERSIONS = ("1.4", "1.5", "1.6", "1.7", "1.8", "1.9")
KINDS = ("revolute", "revolute", "prismatic", "continuous", "fixed", "ball")


def numbers(r, size, count=3):
    """Return so many random numbers up to a size as text."""
    return " ".join(f"{r.uniform(-size, size):.6g}" for _ in range(count))


class Writer:
    """One model; what is written may refer to all that was named before it."""

    def __init__(self, r, version=""):
        self.r = r
        self.version = version or r.choice(VERSIONS)
        self.minor = int(self.version[2:])
        self.named = []
        self.links = []
        self.parts = []

    def text(self):
        """Return the whole file."""
        for number in range(self.r.randint(1, 6)):
            self._link(number)
            if number:
                self._joint(number)
            if self.minor >= 7 and self.r.random() < 0.6:
                self._frame(number)
        first = self.links[0]
        canonical = (
            f' canonical_link="{first}"' if self.minor >= 7 and self.r.random() < 0.3 else ""
        )
        return (
            f'<?xml version="1.0"?>\n<sdf version="{self.version}"><model name="m"{canonical}>\n'
            + "\n".join(self.parts)
            + "\n</model></sdf>\n"
        )

    def _pose(self, relative=True):
        """Write a pose in its frame, in degrees or as a quaternion where the version has that; or none."""
        if self.r.random() < 0.15:
            return ""
        frame = ""
        if relative and self.minor >= 7 and self.named and self.r.random() < 0.5:
            frame = f' relative_to="{self.r.choice(self.named)}"'
        if self.minor >= 9 and self.r.random() < 0.2:
            return f'<pose{frame} degrees="true">{numbers(self.r, 0.5)} {numbers(self.r, 170.0)}</pose>'
        if self.minor >= 9 and self.r.random() < 0.2:
            turn = self.r.choice(("0 0 0 1", "0.5 0.5 -0.5 0.5", "0 0.6 0 0.8"))
            return f'<pose{frame} rotation_format="quat_xyzw">{numbers(self.r, 0.5)} {turn}</pose>'
        turn = self.r.choice(
            (numbers(self.r, 3.0), "0 1.5707963267948966 0", "0 0 0", "3.141592653589793 0 0")
        )
        return f"<pose{frame}>{numbers(self.r, 0.5)} {turn}</pose>"

    def _link(self, number):
        """Add a link, mostly with an inertial."""
        name = f"link{number}"
        inertial = (
            f"<inertial>{self._pose(relative=False)}<mass>{self.r.uniform(0.1, 9.0):.6g}</mass><inertia>"
            f"<ixx>0.4</ixx><ixy>{self.r.uniform(-0.05, 0.05):.6g}</ixy><ixz>0.01</ixz><iyy>0.5</iyy>"
            "<iyz>-0.02</iyz><izz>0.6</izz></inertia></inertial>"
            if self.r.random() < 0.85
            else ""
        )
        self.parts.append(f'<link name="{name}">{self._pose()}{inertial}</link>')
        self.named.append(name)
        self.links.append(name)

    def _joint(self, number):
        """Add a joint to the last link from a link before it."""
        name = f"joint{number}"
        kind = self.r.choice(KINDS)
        child = self.links[-1]
        if kind == "continuous" and self.minor < 6:
            kind = "revolute"  # 1.6, joint.sdf
        parent = self.r.choice(self.links[:-1])
        if self.minor >= 8 and self.r.random() < 0.3:  # 1.8: a joint may name frames
            frame = f"end{number}"
            self.parts.append(
                f'<frame name="{frame}" attached_to="{parent}">{self._pose()}</frame>'
            )
            self.named.append(frame)
            parent = frame
        axis = "" if kind in ("fixed", "ball") else self._axis()
        self.parts.append(
            f'<joint name="{name}" type="{kind}">{self._pose()}<parent>{parent}</parent><child>{child}'
            f"</child>{axis}</joint>"
        )
        self.named.append(name)

    def _axis(self):
        """Return an axis in any frame that the version allows."""
        frame = ""
        inside = ""
        if self.minor >= 7 and self.r.random() < 0.5:
            frame = f' expressed_in="{self.r.choice((*self.named, "__model__"))}"'
        elif self.minor in (5, 6) and self.r.random() < 0.5:
            inside = "<use_parent_model_frame>true</use_parent_model_frame>"
        limit = self.r.choice(
            (
                "<limit><lower>-1.5</lower><upper>0.75</upper></limit>",
                "<limit><lower>-1e16</lower><upper>1e16</upper></limit>",
                "<limit><lower>-0.5</lower><upper>1</upper><effort>30</effort><velocity>2</velocity></limit>",
                "<limit><lower>0</lower><upper>1</upper><effort>-1</effort></limit>",
            )
        )
        dynamics = (
            "<dynamics><damping>0.25</damping><friction>0.5</friction><spring_reference>0.1</spring_reference>"
            "<spring_stiffness>3</spring_stiffness></dynamics>"
            if self.r.random() < 0.5
            else ""
        )
        axis = self.r.choice(("0 0 1", "0 -1 0", "0.6 0 0.8", "0 3 4"))
        return f"<axis><xyz{frame}>{axis}</xyz>{inside}{limit}{dynamics}</axis>"

    def _frame(self, number):
        """Add a frame, mostly attached to what has a name."""
        name = f"frame{number}"
        attached = f' attached_to="{self.r.choice(self.named)}"' if self.r.random() < 0.7 else ""
        self.parts.append(f'<frame name="{name}"{attached}>{self._pose()}</frame>')
        self.named.append(name)
