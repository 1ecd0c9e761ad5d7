"""The options of the exports."""

from typing import Callable, Optional, Tuple, TypeVar, Union

from ..base.type_aliases import Pairs, Reals, Show
from ..base.errors import UsageError
from ..base.option_table import as_keyword
from ..base.record_type import Record
from ..collada.conversion_records import DaeOptions
from ..robot.raw_robot import Rgba
from .model_shapes import Pose
from .option_values import ACTUATORS, BASES, MESH_PLACES

JointPositions = Tuple[Tuple[str, Union[float, Pose]], ...]
LineOf = Callable[[str, str], int]  # ("link" or "joint", name) -> its line in the input, or 0


def no_line(part: str, name: str) -> int:
    """Return 0: a robot that was not read from a file has no lines."""
    return 0


class Frame(Record):
    """A named frame, such as a merged link: its pose in a link."""

    name: str
    link: str
    pose: Pose = Pose()


class MeshLook(Record):
    """The material in a mesh file, for programs that do not read materials of mesh files.

    Attributes:
        name: the name of the material.
        rgba: its color, each component from 0 to 1; with an image, the factor on the image.
        image: the file name of its PNG image in the model, or "".
        specular, shininess: from 0 to 1, or None if not given.
    """

    name: str
    rgba: Rgba
    image: str = ""
    specular: Optional[float] = None
    shininess: Optional[float] = None


class MjcfOptions(Record):
    """The options for MJCF.

    Attributes:
        base: fixed, free, or auto: fixed if the root is called `world`, or its rigid group has no mass.
        actuators: motor or position for every free joint with an effort, or none; "": the robot's actuators, or motors
            if it has none.
        kp: the gain of position actuators without a gain; they get dampratio 1.
        exclude: pairs of links that do not collide.
        home: positions by joint for the key frame `home`: a number [rad or m], or the pose of a child that has more freedom.
        keys: names of further key frames, and positions by joint.
        frames: frames that become sites.
        mesh_files: mesh file names to write, by the robot's names, where they differ; "": shapes with this mesh are
            omitted.
        mesh_boxes: by mesh file name, the smallest x, y, z and largest x, y, z [m], for the height of the key frame.
        mesh_looks: by mesh file name, the look of its visuals: the image always, the color for visuals without one.
        spelled: returns the caller's spelling of an option, for messages.
        line_of: the line of a link or joint in the input, for messages.
    """

    base: str = "auto"
    actuators: str = ""
    kp: Optional[float] = None
    exclude: Pairs = ()
    home: JointPositions = ()
    keys: Tuple[Tuple[str, JointPositions], ...] = ()
    frames: Tuple[Frame, ...] = ()
    mesh_files: Pairs = ()
    mesh_boxes: Tuple[Tuple[str, Reals], ...] = ()
    mesh_looks: Tuple[Tuple[str, MeshLook], ...] = ()
    spelled: Callable[[str], str] = as_keyword
    line_of: LineOf = no_line


class SdfOptions(Record):
    """The options for SDF, with the same meaning as for MJCF."""

    base: str = "auto"
    frames: Tuple[Frame, ...] = ()
    mesh_files: Pairs = ()
    spelled: Callable[[str], str] = as_keyword
    line_of: LineOf = no_line


class UsdOptions(Record):
    """The options for USD. Options that MJCF has too have the same meaning.

    Attributes:
        meshes: inline (in the text), beside (in a separate layer), or none.
        layer: the name of the separate layer in the text.
        mesh_files: by mesh file name of the robot, the file to read; shapes with other meshes are omitted.
        dae: the options for reading COLLADA; None: the defaults.
        progress: a function that is called with the name of each mesh that is read or proven, and 0.
    """

    base: str = "auto"
    actuators: str = ""
    kp: Optional[float] = None
    exclude: Pairs = ()
    frames: Tuple[Frame, ...] = ()
    mesh_files: Pairs = ()
    meshes: str = "inline"
    layer: str = "./robot_meshes.usda"
    dae: Optional[DaeOptions] = None
    spelled: Callable[[str], str] = as_keyword
    line_of: LineOf = no_line
    progress: Show = lambda name, triangles: None


Options = TypeVar("Options", MjcfOptions, SdfOptions, UsdOptions)
# Field, option, allowed words.
WORDS = (
    ("base", "base", BASES),
    ("actuators", "actuators", ("", *ACTUATORS)),
    ("meshes", "usd_meshes", MESH_PLACES),
)


def checked(options: Options) -> Options:
    """Check options and return them.

    Raises:
        UsageError: a word or number that is not allowed.
    """
    for field, name, words in WORDS:
        word = getattr(options, field, words[0])
        if word not in words:
            raise UsageError(
                f"{options.spelled(name)} {word}: there are {', '.join(filter(None, words))}"
            )
    if not isinstance(options, SdfOptions):
        _check_gain(options)
    return options


def _check_gain(options: Union[MjcfOptions, UsdOptions]) -> None:
    """Require a gain above zero, and a gain for position actuators."""
    if options.kp is not None and not options.kp > 0.0:
        raise UsageError(f"{gain_text(options.kp, options.spelled)}: the gain must be above zero")
    if options.actuators == "position" and options.kp is None:
        example = gain_text(100.0, options.spelled)
        raise UsageError(f"{options.spelled('actuators')} position needs a gain, such as {example}")


def gain_text(kp: float, spelled: Callable[[str], str]) -> str:
    """Return the gain of position actuators as the caller writes it: `kp 100`, or `--actuators position=100`."""
    # On the command line, the gain is part of a different option: `--actuators position=KP`.
    option = spelled("kp")
    return option.replace("KP", f"{kp:g}") if option.endswith("KP") else f"{option} {kp:g}"
