"""The names of `urdf_tools.model`: its records, and `Robot` with methods that read, write and question it.

The folders `model` and `export` hold functions on records; here, above both, they become methods.
"""

import os
import warnings
from typing import Callable, List, Mapping, Optional, TYPE_CHECKING, Union

from .app.notebook_pages import opened, page_of_urdf, ShowableResult
from .base.errors import did_you_mean, UsageError
from .base.file_reading import first_element, read_file
from .base.number_text import count_of
from .export.mjcf_exporter import write_mjcf
from .export.sdf_exporter import write_sdf
from .export.usd_exporter import write_usd
from .formats.json.model_json import json_schema, read_json, write_json
from .formats.mjcf.read_mjcf import read_mjcf
from .formats.sdf.read_sdf import read_sdf
from .formats.urdf.urdf_model_conversion import read_urdf, write_urdf
from .inputs.input_as_urdf import model_from_raw, READERS
from .inputs.expressible_parts import keep_expressible
from .model.export_options import Frame, MjcfOptions, SdfOptions, UsdOptions
from .model.model_problems import find_problems, Problem
from .model.model_records import (
    Actuator,
    Camera,
    Joint,
    Lidar,
    Link,
    RobotRecord,
    Sensor,
    Spring,
    WrittenModel,
)
from .model.model_shapes import (
    Box,
    Capsule,
    Collision,
    Compound,
    Cylinder,
    Ellipsoid,
    Geometry,
    Inertia,
    Inertial,
    Material,
    Mesh,
    Part,
    Plane,
    Pose,
    Sphere,
    Surface,
    Visual,
)
from .model.model_tree import poses_at, positions_of, tree_of, UnknownName
from .report.line_layout import mass_text
from .robot.raw_robot import RawRobot
from .urdf.urdf_records import Calibration, Dynamics, Limit, Mimic, Safety


BEFORE_TEXT = (
    "\ufeff \t\r\n"  # signs that may stand before a text that is given in the place of a path
)


class ExportWarning(UserWarning):
    """Something that a format has no word for, or that was decided for it."""


class Robot(ShowableResult, RobotRecord):
    """A robot: one tree of links and joints, with their shapes, sensors and actuators.

    Build it by hand, or read it with `from_file`; change it with `_replace`, which makes another.

    Attributes:
        name, links, joints, materials, sensors, actuators.
        extensions: XML of the robot that is not known here, element by element, as in a link.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # which knows the fields of the record

        def __new__(cls, *values, **fields):
            """Build a robot of its parts.

            Raises:
                TypeError: a part is missing; a path is for `from_file`.
            """
            if len(values) + len(fields) == 1:
                raise TypeError("a Robot has a name and links; Robot.from_file(path) reads a file")
            return super().__new__(cls, *values, **fields)

    def __repr__(self) -> str:
        """Return the name, the counts and the mass."""
        counts = f"{count_of(len(self.links), 'link')}, {count_of(len(self.joints), 'joint')}"
        try:
            return f"<Robot '{self.name}': {counts}, {mass_text(self.mass)} kg>"
        except ValueError:
            # A density on a shape without volume; a robot that is not sound is shown as well.
            return f"<Robot '{self.name}': {counts}>"

    @classmethod
    def from_file(cls, source: Union[str, "os.PathLike[str]"]) -> "Robot":
        """Return the robot of a URDF, xacro, MJCF, SDF or JSON of the model, given as a path or as text.

        The content tells the format, not the name of the file. An `ExportWarning` names each value that the model has
        no place for.

        Raises:
            UrdfError: it cannot be read; a sentence with file and line.
        """
        text = os.fspath(source)
        is_text = text.lstrip(BEFORE_TEXT)[:1] in ("<", "{")
        data = text.encode("utf-8", "surrogatepass") if is_text else read_file(text)
        if data.lstrip()[:1] == b"{":
            return cls._make(read_json(data))
        read = READERS.get(first_element(data))
        return cls.from_urdf(source) if read is None else cls._make(_of_input(source, read))

    @classmethod
    def from_urdf(cls, source: Union[str, "os.PathLike[str]"]) -> "Robot":
        """Return the robot of a URDF, given as a path or as text (which begins with `<`).

        Raises:
            UrdfError: it cannot be read; one sentence for each problem.
        """
        return cls._make(read_urdf(source))

    @classmethod
    def from_json(cls, text: str) -> "Robot":
        """Return the robot that `to_json` wrote.

        Raises:
            BrokenRobot: not valid JSON of that kind; the message says where.
        """
        return cls._make(read_json(text))

    @classmethod
    def from_mjcf(cls, source: Union[str, "os.PathLike[str]"]) -> "Robot":
        """Return the robot of an MJCF, given as a path or as text.

        An `ExportWarning` names each value that the model has no place for.

        Raises:
            UrdfError: it cannot be read; a sentence with file and line.
        """
        return cls._make(_of_input(source, read_mjcf))

    @classmethod
    def from_sdf(cls, source: Union[str, "os.PathLike[str]"]) -> "Robot":
        """Return the robot of an SDF, as `from_mjcf` does."""
        return cls._make(_of_input(source, read_sdf))

    def to_json(self) -> str:
        """Return the robot as JSON: keys are the fields, defaults are left out, the order is fixed."""
        return write_json(self)

    def to_urdf(self) -> str:
        """Return the robot as URDF; an `ExportWarning` names each value that URDF has no word for.

        Raises:
            BrokenRobot, ErrorGroup: the robot is not sound, or has a ball joint.
        """
        return _text_with_warnings(write_urdf(self))

    def to_mjcf(self, options: Optional[MjcfOptions] = None) -> str:
        """Return the robot as MJCF for MuJoCo 3.2 or newer; an `ExportWarning` names each value without a word in MJCF.

        Raises:
            BrokenRobot, ErrorGroup: MuJoCo cannot hold a part of the robot; the sentence has the reason.
        """
        return _text_with_warnings(write_mjcf(self, options or MjcfOptions()))

    def to_sdf(self, options: Optional[SdfOptions] = None) -> str:
        """Return the robot as SDF, of the lowest version that has all of it.

        An `ExportWarning` names each value that SDF has no word for.

        Raises:
            BrokenRobot, ErrorGroup: SDF cannot hold a part of the robot; the sentence has the reason.
        """
        return _text_with_warnings(write_sdf(self, options or SdfOptions()))

    def to_usd(self, options: Optional[UsdOptions] = None) -> str:
        """Return the robot as the text of USD, with its meshes.

        An `ExportWarning` names each value that USD has no word for.

        Raises:
            BrokenRobot, ErrorGroup: USD cannot hold a part of the robot; the sentence has the reason.
            UsageError: meshes next to a text that is in no file.
        """
        chosen = options or UsdOptions()
        if chosen.meshes == "beside":
            raise UsageError(
                'a text has no place beside it for meshes: UsdOptions(meshes="inline") or "none"'
            )
        written = write_usd(self, chosen)
        return _text_with_warnings(WrittenModel(written.text, written.notes))

    def page(self, folder: str = "") -> str:
        """Return a page with the robot in 3D: the text of one HTML file without links to anywhere.

        Args:
            folder: where the relative names of meshes begin; "": in the current one.

        Raises:
            BrokenRobot, ErrorGroup: the robot is not sound, or has a ball joint.
        """
        return page_of_urdf(self.to_urdf(), folder)

    def show(self, folder: str = "") -> None:
        """Open the page of the robot in the browser, and print where it is; see `page`."""
        print(opened(self.page(folder)))

    def problems(self) -> List[Problem]:
        """Return the problems that forbid to write the robot, a sentence each; `lint` knows the problems of programs."""
        return find_problems(self)

    @property
    def root(self) -> str:
        """The name of the link without parent.

        Raises:
            BrokenRobot: the joints make no tree of the links.
        """
        return tree_of(self).root

    def pose_of(
        self, link: str, positions: Optional[Mapping[str, Union[float, Pose]]] = None
    ) -> Pose:
        """Return the pose of a link in the frame of the root.

        Args:
            link: its name.
            positions: of free joints by name [rad or m], 0 where not given; followers follow. A `Pose` for a joint of
                several degrees of freedom.

        Raises:
            UnknownName: no link or joint has this name, or a joint that is given is fixed or follows another.
            BrokenRobot: the joints make no tree of the links.
        """
        poses = poses_at(self, positions_of(self, positions or {}))
        if link not in poses:
            raise UnknownName(f"no link '{link}'{did_you_mean(link, sorted(poses))}")
        return Pose.from_transform(poses[link])


def _of_input(
    source: Union[str, "os.PathLike[str]"], read: Callable[[Union[str, bytes], str], RawRobot]
) -> RobotRecord:
    """Return the model of an input, given as a path or as text, with a warning for each loss."""
    text = os.fspath(source)
    if text.lstrip(BEFORE_TEXT).startswith("<"):
        raw = read(text, "")
    else:
        raw = read(read_file(text), text)
    kept, lost = keep_expressible(raw, "json")
    made = model_from_raw(kept)
    for note in (*lost, *made.notes):
        # The third frame up is the program of the user.
        warnings.warn(note.text, ExportWarning, stacklevel=3)
    return made.robot


def _text_with_warnings(written: WrittenModel) -> str:
    """Return the text, after a warning for each note."""
    for note in written.notes:
        # The third frame up is the program of the user.
        warnings.warn(note.text, ExportWarning, stacklevel=3)
    return written.text


# The methods as functions, for `map`.
to_urdf = Robot.to_urdf
to_json = Robot.to_json
to_mjcf = Robot.to_mjcf
to_sdf = Robot.to_sdf
to_usd = Robot.to_usd

__all__ = [
    "Actuator",
    "Box",
    "Calibration",
    "Camera",
    "Capsule",
    "Collision",
    "Compound",
    "Cylinder",
    "Dynamics",
    "Ellipsoid",
    "ExportWarning",
    "Frame",
    "Geometry",
    "Inertia",
    "Inertial",
    "Joint",
    "Lidar",
    "Limit",
    "Link",
    "Material",
    "Mesh",
    "Mimic",
    "MjcfOptions",
    "Part",
    "Plane",
    "Pose",
    "Problem",
    "Robot",
    "Safety",
    "SdfOptions",
    "Sensor",
    "Sphere",
    "Spring",
    "Surface",
    "UnknownName",
    "UsdOptions",
    "Visual",
    "json_schema",
    "to_json",
    "to_mjcf",
    "to_sdf",
    "to_urdf",
    "to_usd",
]
