"""The names of tags and parameters that simulators and drivers read, with what each is for."""
# In plugins of Gazebo: names of links, the body whose frame a plugin works in, and names that are looked up in TF.
OWN_BODY = ("bodyName", "body_name", "linkName", "link_name")
BODY_TAGS = (*OWN_BODY, "link", "body", "gripper_link", "palm_link", "parent", "child")
FRAME_TAGS = ("frameName", "frame_name", "frameId", "frame_id", "gz_frame_id", "ignition_frame_id", "frame",
              "base_link", "base_frame", "child_frame", "robotBaseFrame", "robot_base_frame")
OFFSETS = (("bodyName", "xyzOffset", "rpyOffset"), ("body_name", "xyz_offset", "rpy_offset"))  # of ROS 1 and of ROS 2
MADE = ("origin", "pose", "offset", "springReference",  # children that an element may be given
        *(name for _, *names in OFFSETS for name in names))
COLLISION_NAME = r"(?:.*(_lump__))?(.+?)_collision(?:_([0-9]+))?"  # what gz calls one without a name
DIRECTED = ("position", "velocity", "acceleration", "effort", "torque", "force")  # interfaces with the joint's sign
LOOP_WORDS = ("loop", "constraint", "closure", "bushing")  # in the names of tags that close a loop
READ_ORIGIN = (  # (top-level tag, element in it) whose reader looks for an <origin>, or for xyz and rpy on it
    ("loop", "predecessor"), ("loop", "successor"),  # URDF+, arXiv:2411.19753
    ("loop_joint", "link1"), ("loop_joint", "link2"),  # Drake before 2017, and the exporters that followed it
    ("frame", "frame"))  # Drake: xyz and rpy; onshape-to-robot: <origin>
PLUGIN_VECTORS = ("axis", "direction", "gravity", "forward", "upward", "normal")  # in the frame of a plugin's body
PLUGIN_POINTS = ("cp", "center_of_volume")  # in that frame, too
READ_OFFSETS = "(?i)p3d|imu"  # files of plugins that read them: gazebo_ros_p3d, _imu, _imu_sensor
RANGE_OF = {"min": "max", "max": "min", "initial_value": "initial_value"}  # what each is when the sign changes
COEFFICIENT = "[xyzkmn](Dot)?[UVWPQR](abs)?[UVWPQR]?"  # of gz hydrodynamics, along the axes of its body
WITHOUT_SIGN = ("joint_properties", "drake:rotor_inertia", "drake:gear_ratio")  # in a joint: magnitudes
NAMED_ITSELF = ("sensor", "plugin", "light", "projector", "joint", "gripper", "visual", "collision")  # in <gazebo>
MIMIC_PARAMETERS = ("mimic", "multiplier", "offset")  # of ros2_control
PARTS_OF_CONTROL = ("joint", "sensor", "gpio", "transmission")  # of ros2_control, besides its <hardware>
REDUCTIONS = ("mechanicalReduction", "mechanical_reduction")  # in transmissions of ROS 1 and ROS 2
SIMULATORS = (  # packages whose hardware is simulated and counts as the URDF does: https://control.ros.org, Simulators
    "mock_components", "fake_components", "gz_ros2_control", "ign_ros2_control", "gazebo_ros2_control",
    "mujoco_ros2_control", "webots_ros2_control", "isaac_ros2_control", "topic_based_ros2_control",
    "joint_state_topic_hardware_interface", "agx_ros2_control")
