"""A value outside links and joints that depends on a frame or a sign: its kind, its places, and its link; and the names
of tags and parameters that simulators and drivers read, with their purposes.
"""

from __future__ import annotations

from itertools import chain
from typing import Collection, Mapping, Optional, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.diagnostics import DiagnosticKind
from ..base.run_diagnostics import LOOP_FRAME
from ..base.record_type import Record
from ..urdf.lossless_xml import Element
from ..urdf.urdf_records import ORIGIN_KEYS

# In plugins of Gazebo: names of links, the body in whose frame a plugin works, and names that are looked up in TF.
OWN_BODY = ("bodyName", "body_name", "linkName", "link_name")
BODY_TAGS = (*OWN_BODY, "link", "body", "gripper_link", "palm_link", "parent", "child")
FRAME_TAGS = (
    "frameName",
    "frame_name",
    "frameId",
    "frame_id",
    "gz_frame_id",
    "ignition_frame_id",
    "frame",
    "base_link",
    "base_frame",
    "child_frame",
    "robotBaseFrame",
    "robot_base_frame",
)
# The names of ROS 1, and the names of ROS 2.
OFFSETS = (("bodyName", "xyzOffset", "rpyOffset"), ("body_name", "xyz_offset", "rpy_offset"))
# The children that an element may be given.
MADE = (
    "origin",
    "pose",
    "offset",
    "springReference",
    *chain.from_iterable(names for _, *names in OFFSETS),
)
# The name that gz gives a collision without one.
COLLISION_NAME = r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?"
# Ends of names of interfaces whose values have the joint's sign.
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")
# Words in the names of tags that close a loop, or connect two links in any other way.
LOOP_WORDS = ("loop", "constraint", "closure", "bushing", "spring_damper")
# Attributes of SDF that name the frame of a pose or direction.
FRAME_KEYS = ("relative_to", "attached_to", "expressed_in")


def is_frame_of_direction(key: str) -> bool:
    """Return True for an attribute of SDF that names the frame of a direction, such as `gz:expressed_in` of `<fdir1>`."""
    return key.rpartition(":")[2] == "expressed_in"


READ_ORIGIN = (  # (top-level tag, element in it) whose reader looks for an <origin>, or for xyz and rpy on it
    ("loop", "predecessor"),
    ("loop", "successor"),  # URDF+, arXiv:2411.19753
    ("loop_joint", "link1"),
    ("loop_joint", "link2"),  # Drake before 2017, and the exporters that followed it
    ("frame", "frame"),
)  # Drake: xyz and rpy; onshape-to-robot: <origin>
# Tags of plugins with values in the frame of the plugin's body.
PLUGIN_VECTORS = ("axis", "direction", "gravity", "forward", "upward", "normal")
PLUGIN_POINTS = ("cp", "center_of_volume")
READ_OFFSETS = "(?i)p3d|imu"  # files of plugins that read them: gazebo_ros_p3d, _imu, _imu_sensor
# The new role of each parameter when the sign changes.
RANGE_OF = {"min": "max", "max": "min", "initial_value": "initial_value"}
COEFFICIENT = (
    "[xyzkmn](Dot)?[UVWPQR](abs)?[UVWPQR]?"  # of gz hydrodynamics, along the axes of its body
)
# Tags in a joint whose values are magnitudes.
WITHOUT_SIGN = ("joint_properties", "drake:rotor_inertia", "drake:gear_ratio")
# Tags in <gazebo> with names of their own.
NAMED_ITSELF = ("sensor", "plugin", "light", "projector", "joint", "gripper", "visual", "collision")
MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")  # of ros2_control
# Elements of ros2_control, besides its <hardware>.
PARTS_OF_CONTROL = ("joint", "sensor", "gpio", "transmission")
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")  # in transmissions of ROS 1 and ROS 2
SIMULATORS = (  # packages whose hardware is simulated and counts as the URDF does: https://control.ros.org, Simulators
    "mock_components",
    "fake_components",
    "gz_ros2_control",
    "ign_ros2_control",
    "gazebo_ros2_control",
    "mujoco_ros2_control",
    "webots_ros2_control",
    "isaac_ros2_control",
    "topic_based_ros2_control",
    "joint_state_topic_hardware_interface",
    "agx_ros2_control",
)


# A pose in a frame, as:
POSE = "pose"  # six numbers
ORIGIN = "origin"  # xyz and rpy
OFFSET_POSE = "offsets"  # two children
# A vector along the axes of a frame:
DIRECTION = "direction"
# In a way that cannot follow:
AXES = "axes"  # expressed along the axes of a frame
FRAME_POSE = "frame"  # or in that frame
# With the signs and zeros of joints:
SIGNED = "number"  # one number
RANGE = "range"  # the parameters of a range
# A name:
LINK = "link"  # of a body
FRAME = "frame name"  # of a frame that is looked up
COLLISION = "collision"  # of a shape

# An element, and its attribute, "" for its text, "<name>" for a child that may be made.
Place = Tuple[Element, str]


class RobotFacts(Record):
    """The parts of a robot that the rules read.

    Attributes:
        element, root: `<robot>`, and its root link.
        links: the names of links.
        child_of: child links by joint name.
        extras: by link, the elements in it that URDF does not define.
    """

    element: Element
    root: str
    links: Collection[str]
    child_of: Mapping[str, str]
    extras: Mapping[str, Sequence[Element]]

    def link_of(self, frame: str) -> str:
        """Return the link whose frame an SDF name means, else ""; a joint has the frame of its child."""
        if frame == "__model__":
            return self.root
        return frame if frame in self.links else self.child_of.get(frame, "")


class FrameDependentValue(Record):
    """A value that depends on a frame or a sign, with its places in the file.

    Attributes:
        element: the element that messages name.
        kind: one of the kinds above.
        link: the link in whose frame it is expressed, or whose name it is; "": none.
        places: the places where it is written; (): its reader uses a default.
        signs: groups of joints. It changes its sign with each group, whose joints must all change theirs, or none;
            together with a group without joints it cannot follow.
        zeros: joints whose zeros are subtracted from it first.
        terms: joints whose zeros, each times the number in a place (None: 1), are added first.
        warning: given if it cannot follow; its sentence contains the element, the link, and how to keep the link's
            frame.
    """

    element: Element
    kind: str
    link: str = ""
    places: Tuple[Place, ...] = ()
    signs: Tuple[Texts, ...] = ()
    zeros: Texts = ()
    terms: Tuple[Tuple[str, Optional[Place]], ...] = ()
    warning: Optional[Tuple[DiagnosticKind, str]] = None


def posed_itself(element: Element) -> bool:
    """Return True if xyz or rpy are on the element, and not on an `<origin>` in it."""
    return any(element.get(key) is not None for key in ORIGIN_KEYS)


def value_place(element: Element) -> str:
    """Return the place of a simulator tag's value: "value", or "" for the text."""
    return "value" if element.get("value") is not None else ""


def child_text(top: Element, name: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    child = top.find(name)
    return child.text().strip() if child is not None else ""


def origin_value(
    element: Element, link: str, *, plain: bool = False, read: bool = True
) -> FrameDependentValue:
    """Return the pose that an `<origin>`, or xyz and rpy on the element itself, give it in a link.

    If both are missing, a place is made if they are `read`: an `<origin>`, or attributes of the element if it is
    `plain`.
    """
    origin = element.find("origin")
    holder = element if origin is None and (plain or posed_itself(element)) else origin
    if holder is None and not read:
        return FrameDependentValue(element, FRAME_POSE, link, warning=(LOOP_FRAME, "pose"))
    places = (
        [(holder, key) for key in ORIGIN_KEYS] if holder is not None else [(element, "<origin>")]
    )
    return FrameDependentValue(element, ORIGIN, link, tuple(places))


def pose_value(element: Element, link: str) -> FrameDependentValue:
    """Return the value of the `<pose>` in an element; a missing pose counts as zero."""
    pose = element.find("pose")
    place = (element, "<pose>") if pose is None else (pose, "")
    return FrameDependentValue(element, POSE, link, (place,))


def signed_value(element: Element, *signs: Texts, of: Element) -> FrameDependentValue:
    """Return a number in an element: in its `value`, else in its text."""
    return FrameDependentValue(
        element=of, kind=SIGNED, link="", places=((element, value_place(element)),), signs=signs
    )


def child_place(top: Element, name: str) -> Place:
    """Return the place of the value of the first child of a name, or of the child that would be made."""
    child = top.find(name)
    return (child, value_place(child)) if child is not None else (top, f"<{name}>")


def name_value(element: Element, key: str, link: str) -> FrameDependentValue:
    """Return the value of an attribute that names a link."""
    return FrameDependentValue(element, LINK, link, ((element, key),))
