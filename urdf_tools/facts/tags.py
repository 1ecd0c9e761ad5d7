"""The names of tags and parameters that simulators and drivers read, with what each is for."""
import re

# In plugins of Gazebo: names of links, the body whose frame a plugin works in, and names that are looked up in TF.
OWN_BODY = ("bodyName", "body_name", "linkName", "link_name")
BODY_TAGS = (*OWN_BODY, "link", "body", "gripper_link", "palm_link", "parent", "child")
IN_TF = ("frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "base_frame",
         "child_frame", "robotBaseFrame", "robot_base_frame")
FRAME_TAGS = (*IN_TF, "frame", "base_link")
OFFSETS = (("bodyName", "xyzOffset", "rpyOffset"), ("body_name", "xyz_offset", "rpy_offset"))  # of ROS 1 and of ROS 2
MADE = ("origin", "pose", *(name for _, *names in OFFSETS for name in names))  # children that an element may be given
COLLISION_NAME = re.compile(r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?")  # what gz calls one without a name
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")  # interfaces with the joint's sign
