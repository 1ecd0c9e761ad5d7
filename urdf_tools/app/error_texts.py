"""Errors of other programs as people paste them, each with its cause and the command that cures it.

The texts are those of the programs' sources and logs; names, numbers and paths in them are left out.
"""
from typing import NamedTuple, Tuple


class ErrorText(NamedTuple):
    """An error: who says it, the words by which it is known, its cause, and the command that cures it."""

    program: str
    words: str
    cause: str
    command: str


LINT, FIX, EXPORT = "lint robot.urdf", "lint robot.urdf --fix --select", "export robot.urdf"
ERROR_TEXTS: Tuple[ErrorText, ...] = (
    ErrorText("MuJoCo", "mass and inertia of moving bodies must be larger than mjMINVAL",
              "a link that moves has no mass, or next to none", f"{FIX} no-mass"),
    ErrorText("MuJoCo", "inertia must satisfy A + B >= C; use 'balanceinertia' to fix",
              "no body has these principal moments", f"{FIX} inertia"),
    ErrorText("MuJoCo", "mesh volume is too small, try setting inertia to shell",
              "a mesh lies in one plane or has no inside", f"{EXPORT} out.urdf --for mujoco"),
    ErrorText("MuJoCo", "unknown mesh file type: .dae", "MuJoCo reads no COLLADA", f"{EXPORT} out.urdf --for mujoco"),
    ErrorText("MuJoCo", "Error opening file meshes", "MuJoCo removes folders from mesh names (strippath) and knows no "
              "package://", f"{EXPORT} out.urdf --for mujoco"),
    ErrorText("MuJoCo", "number of faces should be between 1 and 200000 in STL file",
              "a mesh has more triangles than MuJoCo reads", f"{EXPORT} out.urdf --for mujoco"),
    ErrorText("MuJoCo", "repeated name in body", "two links or joints share a name", LINT),
    ErrorText("MuJoCo", "decoder failed for mesh file", "the mesh is in a format that MuJoCo cannot read",
              f"{EXPORT} out.urdf --for mujoco"),
    ErrorText("MuJoCo", "range[0] should be smaller than range[1]", "the limits of a joint are reversed",
              f"{FIX} limits-reversed"),
    ErrorText("RViz, robot_state_publisher (KDL)",
              "The root link has an inertia specified in the URDF, but KDL does not support a root link with an "
              "inertia", "KDL ignores the inertia of the root", LINT),
    ErrorText("urdfdom", "Two root links found", "a link has no joint that holds it", LINT),
    ErrorText("urdfdom", "No root link found. The robot xml is not a valid tree", "the joints make a loop",
              "robot.urdf --lenient"),
    ErrorText("urdfdom", "link is not unique", "two links share a name", LINT),
    ErrorText("urdfdom", "joint is not unique",
              "two joints share a name; copies of one part can be merged", "robot.urdf --lenient"),
    ErrorText("urdfdom", "material undefined", "a visual names a material that nothing defines", LINT),
    ErrorText("urdfdom", "Joint is of type REVOLUTE but it does not specify limits", "a revolute joint has no <limit>",
              LINT),
    ErrorText("urdfdom", "joint limit: no effort", "<limit> has no effort or velocity", LINT),
    ErrorText("urdfdom", "Unable to parse component to a double (while parsing a vector value)",
              "a number is not a plain number, such as 0,5 or 1e", "robot.urdf --lenient"),
    ErrorText("urdfdom", "Inertial: inertia element missing attribute", "a tensor is not complete", LINT),
    ErrorText("rviz", "Could not load resource package://", "the package of a mesh is not found",
              "lint robot.urdf --package my_robot=FOLDER"),
    ErrorText("ROS", "Failed to find root link: Two root links found", "a link has no joint that holds it", LINT),
    ErrorText("MoveIt", "Link has visual geometry but no collision geometry. Collision geometry will be left empty",
              "collisions are missing", "collision robot.urdf --shape hull --from-visuals"),
    ErrorText("MoveIt", "No kinematics plugins defined",
              "this is about the configuration of MoveIt, not the URDF", LINT),
    ErrorText("Gazebo", "urdf2sdf: link has no <inertial> block defined", "Gazebo drops links that move without a mass",
              f"{FIX} no-mass"),
    ErrorText("Gazebo", "Error Code 19: A link named has invalid inertia", "no body has these principal moments",
              f"{FIX} inertia"),
    ErrorText("Gazebo", "Unable to find file with URI model://",
              "the mesh is named by a package that Gazebo does not find",
              f"{EXPORT} out.urdf --for gazebo"),
    ErrorText("Gazebo", "fixed joint will be ignored, link lumped", "Gazebo merges fixed joints as it loads a URDF",
              "robot.urdf"),
    ErrorText("Drake", "MakeConvexHull only applies to .obj", "Drake collides with OBJ and VTK alone",
              f"{EXPORT} out.urdf --for drake"),
    ErrorText("Drake", "The Proximity role only supports obj, vtk, gltf", "Drake collides with OBJ and VTK alone",
              f"{EXPORT} out.urdf --for drake"),
    ErrorText("Drake", "Spatial inertia fails SpatialInertia::IsPhysicallyValid()",
              "no body has these principal moments",
              f"{FIX} inertia"),
    ErrorText("Drake", "URI specifies unsupported package", "the package of a mesh is not found",
              "lint robot.urdf --package my_robot=FOLDER"),
    ErrorText("Isaac Sim", "has a possible invalid inertia tensor of {1.0, 1.0, 1.0} and a negative mass",
              "a link has no mass, so PhysX invents one", f"{FIX} no-mass"),
    ErrorText("Isaac Sim", "merge_fixed_joints", "the importer no longer merges fixed joints", "robot.urdf"),
    ErrorText("Isaac Lab", "collapse_fixed_joints", "the importer no longer merges fixed joints", "robot.urdf"),
    ErrorText("PhysX", "ConvexMesh cooking failed, GPU convex mesh needs at most 64 vertices",
              "hulls have more corners than PhysX takes on the GPU",
              "collision robot.urdf --shape hull --max-vertices isaac"),
    ErrorText("PyBullet", "No inertial data for link, using mass=1, localinertiadiagonal = 1,1,1",
              "a link has no <inertial>", LINT),
    ErrorText("PyBullet", "cannot find file in any directory", "the package of a mesh is not found",
              f"{EXPORT} out.urdf --mesh-dir meshes"),
    ErrorText("Pinocchio", "The inertia tensor is not positive definite", "no body has these principal moments",
              f"{FIX} inertia"),
    ErrorText("xacro", "Undefined substitution argument", "an argument of the xacro has no value",
              "robot.urdf.xacro --xacro-arg NAME:=VALUE"),
    ErrorText("xacro", "No such package", "xacro does not find a package", "robot.urdf.xacro --package NAME=FOLDER"),
    ErrorText("trimesh", "importing Collada requires pycollada", "the reader has no COLLADA",
              f"{EXPORT} out.urdf --mesh-format obj"),
    ErrorText("USD", "Failed to open layer @robot_meshes.usda@", "the meshes are not beside the USD file",
              f"{EXPORT} robot.usda --usd-meshes inline"),
)
