"""What an armature is: bones with their rest frames, and the channels through which joints move them.

Armature space is the frame of the root link with every joint at zero: meters and radians, X forward, Y left, Z up
where the robot is canonical. A bone's rest frame has its origin at the head and Y toward the tail; a channel of a bone
moves it in that frame: its pose is parent pose * (parent rest)^-1 * rest * translation(location) * R(rotation_euler).
"""
import hashlib
from typing import Dict, Iterable, NamedTuple, Optional, Tuple

from ...urdf.model import Joint
from ...urdf.spatial import Matrix, Vector

ROTATION, LOCATION = "rotation_euler", "location"  # the channels of a bone, as Blender calls them
LETTERS = "XYZ"
EXACT = 1e-10  # [m, rad] what counts as one point or as a right angle; ten times less than the proof allows
MOST_BYTES = 63  # of names of bones and, up to Blender 4.5, of objects
DIGITS = 6  # of the digest that ends a shortened name


class Dof(NamedTuple):
    """One channel that a joint moves.

    Attributes:
        joint: a planar or floating joint has several channels.
        channel, letter: ROTATION or LOCATION, along X, Y or Z of the bone.
        sign: the channel is `sign` times the position of the joint.
    """

    joint: Joint
    channel: str
    letter: str
    sign: int


class Frame(NamedTuple):
    """A rest frame: the columns are the bone's X, Y and Z in armature space; where the direction of Y came from."""

    x: Vector
    y: Vector
    length: float
    tail_from: str


class Bone(NamedTuple):
    """A bone.

    Attributes:
        name: at most 63 bytes, and unlike any other.
        kind: root, joint, or helper (it carries a link between joined joints).
        parent: the name of another bone; None for the root.
        link: the link at its end, whose motion it has.
        rotation_mode: three letters, the innermost rotation first: ZYX is R_x R_y R_z.
        of: the joined bone that a helper follows, or "".
    """

    name: str
    kind: str
    parent: Optional[str]
    link: str
    head: Vector
    frame: Frame
    roll: float
    rotation_mode: str
    dofs: Tuple[Dof, ...]
    of: str = ""

    @property
    def tail(self) -> Vector:
        """Where the bone ends: for the eye only."""
        x, y, z = (at + self.frame.length * along for at, along in zip(self.head, self.frame.y))
        return (x, y, z)

    @property
    def axes(self) -> Matrix:
        """R_armature_bone at rest."""
        (a, b, c), (d, e, f) = self.frame.x, self.frame.y
        return ((a, d, b * f - c * e), (b, e, c * d - a * f), (c, f, a * e - b * d))


class Names:
    """Gives out names, each once."""

    def __init__(self, used: Iterable[str] = ()) -> None:
        self.taken: Dict[str, bool] = dict.fromkeys(used, True)

    def take(self, wanted: str) -> str:
        """Return a name, as wanted if it is short enough and free, else cut, with `~` and a digest of the whole."""
        name, count = wanted, 0
        while not name or name in self.taken or len(name.encode("utf-8")) > MOST_BYTES:
            digest = hashlib.sha256(f"{wanted}\0{count}".encode()).hexdigest()[:DIGITS]
            start = wanted.encode("utf-8")[:MOST_BYTES - DIGITS - 1].decode("utf-8", "ignore")  # whole letters only
            name, count = f"{start}~{digest}", count + 1
        self.taken[name] = True
        return name
