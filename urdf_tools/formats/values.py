"""The names of values that all readers share, and what each format cannot express: a table of each.

The comparison leaves out what either format cannot express, and reports it; writers warn of it.
"""
from typing import Dict, NamedTuple, Tuple

from ..facts.simulator_values import DEFAULTS
from ..robot.records import contact_names


class Value(NamedTuple):
    """A value that a file may have: its owner (link, joint, shape, sensor, actuator), its unit, its meaning."""

    of: str
    unit: str
    meaning: str


VALUES: Dict[str, Value] = {
    "damping": Value("joint", "N m s/rad or N s/m", "viscous damping"),
    "friction": Value("joint", "N m or N", "dry friction"),
    "armature": Value("joint", "kg m^2 or kg", "inertia of the rotor as the joint feels it"),
    "stiffness": Value("joint", "N m/rad or N/m", "of a spring in the joint"),
    "spring_reference": Value("joint", "rad or m", "the position where the spring rests"),
    "soft_lower": Value("joint", "rad or m", "lower limit of the safety controller"),
    "soft_upper": Value("joint", "rad or m", "upper limit of the safety controller"),
    "k_position": Value("joint", "1/s", "of the safety controller"),
    "k_velocity": Value("joint", "N m s/rad or N s/m", "of the safety controller"),
    "calibration_rising": Value("joint", "rad or m", "where the reference switch rises"),
    "calibration_falling": Value("joint", "rad or m", "where the reference switch falls"),
    "calibration_reference": Value("joint", "rad or m", "of the reference switch, as old files say it"),
    "acceleration": Value("joint", "rad/s^2 or m/s^2", "largest acceleration, of URDF 1.2"),
    "deceleration": Value("joint", "rad/s^2 or m/s^2", "largest deceleration, of URDF 1.2"),
    "jerk": Value("joint", "rad/s^3 or m/s^3", "largest jerk, of URDF 1.2"),
    "limit_cfm": Value("joint", "", "how soft the limit is"),
    "limit_erp": Value("joint", "", "how fast an error at the limit is corrected"),
    "fudge_factor": Value("joint", "", "of the correction at the limit"),
    "provide_feedback": Value("joint", "", "1: the simulator tells its force and torque"),
    "implicit_spring_damper": Value("joint", "", "1: spring and damper are solved with the constraints"),
    "gravity": Value("link", "", "1: it falls, 0: it does not"),
    "self_collide": Value("link", "", "1: it collides with links of its own robot"),
    "velocity_decay": Value("link", "", "the part of its speed that a step of the simulator takes"),
    "mu1": Value("shape", "", "friction along the first direction"),
    "mu2": Value("shape", "", "friction along the second direction"),
    "direction1": Value("shape", "", "the first direction of friction"),
    "slip1": Value("shape", "", "slip along the first direction"),
    "slip2": Value("shape", "", "slip along the second direction"),
    "torsional": Value("shape", "", "torsional friction"),
    "rolling": Value("shape", "", "rolling friction"),
    "restitution": Value("shape", "", "how much of its speed a bounce keeps"),
    "contact_stiffness": Value("shape", "N/m", "kp of a contact"),
    "contact_damping": Value("shape", "N s/m", "kd of a contact"),
    "min_depth": Value("shape", "m", "depth that is left before correction"),
    "max_velocity": Value("shape", "m/s", "of the correction of a contact"),
    "max_contacts": Value("shape", "", "how many contact points are kept"),
    "contact_dimensions": Value("shape", "", "1: no friction, 3: along the surface, 4: torsion too, 6: rolling too"),
    "laser_retro": Value("shape", "", "what a laser sees of it"),
    "ambient": Value("shape", "", "the color in the shade, where it is another than that in the light"),
    "specular": Value("shape", "", "the color of its shine"),
    "emission": Value("shape", "", "the color of its own light"),
    "metalness": Value("shape", "", "1: it looks like metal"),
    "roughness": Value("shape", "", "1: it looks dull"),
    "shininess": Value("shape", "", "how small and bright its shine is, from 0 to 1"),
    "gear": Value("actuator", "", "effort of the joint for each unit of input"),
    "kp": Value("actuator", "", "gain on the position"),
    "kv": Value("actuator", "", "gain on the velocity"),
    "gain": Value("actuator", "", "gainprm of MuJoCo: of an actuator that is no shortcut"),
    "bias": Value("actuator", "", "biasprm of MuJoCo"),
    "activation": Value("actuator", "", "dynprm of MuJoCo"),
    "damping_ratio": Value("actuator", "", "what kv is chosen for, 1: critical"),
    "reduction": Value("actuator", "", "turns of the motor for one of the joint, of a transmission"),
    "transmission_offset": Value("actuator", "rad or m", "position of the joint where its motor is at zero"),
    "force_range": Value("actuator", "N m or N", "of the effort"),
    "control_range": Value("actuator", "", "of the input"),
    "field_of_view": Value("sensor", "rad", "horizontal, of a camera"),
    "image": Value("sensor", "pixels", "width and height of a camera's image"),
    "rays": Value("sensor", "1, rad, rad", "how many rays a lidar has, the first and the last angle"),
    "reach": Value("sensor", "m, m", "the least and the largest range of a lidar"),
}


class Loss(NamedTuple):
    """What a format cannot express: a name of VALUES, a field of a record (`velocity`), or a part (`loops`), and why.

    Attributes:
        what: the name; sentence: what the format has instead, for a reader of a table.
    """

    what: str
    sentence: str


THINGS = {  # what a Loss is about, where its word does not say it to a user
    "velocity": "limits of velocity", "base": "how the base is held", "apart": "pairs that never collide",
    "keys": "named states", "words": "settings of sensors", "readings": "names of readings", "rate": "rates of sensors",
    "kp": "gain kp", "kv": "gain kv", "gear": "gears of actuators", "armature": "inertia of rotors (armature)",
    "missing_mesh": "meshes whose files are not there", "script": "materials of Gazebo"}
TOUCHES: Dict[str, Tuple[float, ...]] = {
    name: tuple(map(float, DEFAULTS[tag.lower()][1].split())) for tag, name in contact_names("tag", "name").items()}
FALLS: Dict[str, Tuple[float, ...]] = {
    "gravity": (1.0,), **dict.fromkeys(("damping", "friction", "armature", "stiffness", "spring_reference"), (0.0,))}
MEANT: Dict[str, Dict[str, Tuple[float, ...]]] = {  # what a format means where a file says nothing; else zeros
    "urdf": {**FALLS, **TOUCHES}, "json": FALLS, "sdf": {**FALLS, **TOUCHES}, "usd": FALLS,
    "mjcf": {**FALLS, "mu1": (1.0,), "contact_dimensions": (3.0,), "torsional": (0.005,), "rolling": (0.0001,)}}
OTHER_FRICTION = ("torsional", "rolling", "slip1", "slip2")
SHINE = ("ambient", "specular", "emission", "metalness", "roughness", "shininess")
OF_SAFETY = ("soft_lower", "soft_upper", "k_position", "k_velocity")
OF_CALIBRATION = ("calibration_rising", "calibration_falling", "calibration_reference")
OF_LIMITS = ("acceleration", "deceleration", "jerk")  # of URDF 1.2 alone
OF_SOLVER = ("limit_cfm", "limit_erp", "fudge_factor", "provide_feedback", "implicit_spring_damper")
LOSSES: Dict[str, Tuple[Loss, ...]] = {
    "urdf": (
        Loss("armature", "there is no inertia of rotors"),
        Loss("gear", "a reduction of a transmission is no gear: drivers command the joint"),
        *(Loss(name, "there are no gains") for name in ("kp", "kv", "damping_ratio", "gain", "bias", "activation")),
        Loss("force_range", "there is none"),
        *(Loss(name, "there is sliding friction alone") for name in OTHER_FRICTION),
        *(Loss(name, "there is no such shape") for name in ("ellipsoid", "plane")),
        Loss("contact_dimensions", "contacts have no number of directions"),
        *(Loss(name, "a material has a color and an image") for name in SHINE),
        Loss("readings", "what reads a sensor has no name"),
        Loss("apart", "pairs that never collide are in an SRDF"), Loss("keys", "states are in an SRDF")),
    "json": (
        Loss("loops", "they are kept as XML"), Loss("frames", "they are links, or kept as XML"),
        Loss("base", "whether the world holds the root is not said"),
        *(Loss(name, "they are kept as XML") for name in OF_LIMITS),
        Loss("contact_dimensions", "contacts have no number of directions"),
        *(Loss(name, "there is sliding friction alone") for name in OTHER_FRICTION),
        Loss("damping_ratio", "there are gains alone"),
        Loss("ambient", "a material has a color, and how it shines"), Loss("shininess", "there is none"),
        Loss("readings", "what reads a sensor has no name"),
        Loss("apart", "pairs that never collide are in an SRDF"), Loss("keys", "states are in an SRDF")),
    "sdf": (
        Loss("armature", "there is no inertia of rotors"),
        *(Loss(name, "there is no safety controller") for name in OF_SAFETY),
        *(Loss(name, "there is none") for name in OF_CALIBRATION),
        *(Loss(name, "joints have no such limit") for name in OF_LIMITS),
        Loss("ball_dynamics", "a ball joint has no axis, and dynamics are those of an axis"),
        Loss("actuators", "controllers are plugins"), Loss("shininess", "it is no part of what is compared"),
        Loss("contact_dimensions", "contacts have no number of directions"),
        Loss("readings", "what reads a sensor has no name"),
        Loss("apart", "pairs that never collide are in an SRDF"), Loss("keys", "states are in an SRDF")),
    "mjcf": (
        Loss("velocity", "joints have no limit of speed"),
        *(Loss(name, "joints have no such limit") for name in OF_LIMITS),
        Loss("reduction", "actuators have gains: a reduction is no gear"),
        Loss("transmission_offset", "actuators have no zero of their own"),
        *(Loss(name, "there is no safety controller") for name in OF_SAFETY),
        *(Loss(name, "there is none") for name in OF_CALIBRATION),
        *(Loss(name, "contacts are given by their solver: solref, solimp") for name in OF_SOLVER[:3]),
        Loss("provide_feedback", "sensors are read in every step"),
        Loss("implicit_spring_damper", "the integrator is one for all"),
        Loss("self_collide", "pairs are excluded one by one"),
        Loss("velocity_decay", "the medium slows bodies, not a factor of each"),
        Loss("mu2", "one sliding friction holds along both directions"),
        *(Loss(name, "contacts are given by their solver: solref, solimp") for name in (
            "direction1", "slip1", "slip2", "restitution", "contact_stiffness", "contact_damping", "min_depth",
            "max_velocity", "max_contacts")),
        Loss("laser_retro", "there is none"), Loss("rate", "sensors are read in every step"),
        Loss("contact", "a touch sensor has a volume of its own"),
        Loss("script", "that is another simulator's"), Loss("words", "a sensor is its kind, place and view"),
        *(Loss(kind, "a camera is a camera") for kind in (
            "depth", "depth_camera", "rgbd_camera", "wideanglecamera")),
        *(Loss(kind, "rays are measured one by one") for kind in ("ray", "gpu_ray", "lidar", "gpu_lidar")),
        Loss("planar", "it is two slides and a hinge in one body"),
        Loss("missing_mesh", "MuJoCo loads no model with a mesh whose file is not there, so it is left out"),
        Loss("massless", "a link without mass between two joints is two joints of one body"),
        Loss("world", "a link called world is the world itself, which has no mass")),
    "usd": (
        Loss("stiffness", "a spring would be the drive of the joint"),
        Loss("spring_reference", "a spring would be the drive of the joint"),
        *(Loss(name, "joints have no such limit") for name in OF_LIMITS),
        *(Loss(name, "contacts are given by their engine") for name in OF_SOLVER[:3]),
        Loss("provide_feedback", "sensors are prims of each program"),
        Loss("implicit_spring_damper", "the integrator is one for all"),
        Loss("self_collide", "pairs are filtered one by one"),
        Loss("missing_mesh", "a mesh whose file is not there is left out"),
        Loss("velocity_decay", "damping of bodies is a rate, not a part of each step"),
        Loss("mu2", "one sliding friction holds along both directions"),
        *(Loss(name, "a material of contact has friction and restitution") for name in (
            "direction1", "slip1", "slip2", "torsional", "rolling", "contact_stiffness", "contact_damping", "min_depth",
            "max_velocity", "max_contacts", "contact_dimensions", "laser_retro")),
        Loss("ambient", "light comes from the scene"), Loss("specular", "metalness and roughness say it"),
        Loss("emission", "it is a color of its own"),
        Loss("texture", "meshes bring theirs"), Loss("script", "that is a simulator's"),
        Loss("sensors", "each program has prims of its own"), Loss("loops", "no joint that closes one is written"),
        Loss("actuators", "drives have gains, and say no more"), Loss("keys", "states are in an SRDF"),
        Loss("apart", "pairs that never collide are in an SRDF"), Loss("world", "the world has no prim")),
    "armature": (
        Loss("collision", "an animation needs none"), Loss("sensors", "an animation needs none"),
        Loss("actuators", "an animation needs none"), Loss("loops", "bones are a tree"),
        Loss("frames", "they are links"), Loss("base", "an object may be put anywhere"),
        *(Loss(name, "an animation needs none") for name in (
            "armature", "stiffness", "spring_reference", *OF_SAFETY, *OF_CALIBRATION, *OF_LIMITS, *OF_SOLVER,
            "gravity", "self_collide", "velocity_decay")),
        Loss("texture", "meshes bring theirs"), Loss("name", "objects have names of their own"),
        Loss("script", "that is a simulator's"), Loss("apart", "an animation needs none"),
        Loss("keys", "an animation needs none")),
}
