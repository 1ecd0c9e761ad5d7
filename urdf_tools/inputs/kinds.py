"""The kinds of diagnostics of MJCF and SDF as inputs."""
from ..base.diagnostics import Kind, NOTE, WARNING

INPUT_LOST = Kind("input-lost", WARNING, "an MJCF or SDF has something that a URDF cannot express",
    "ignore it if your programs do not use it", False, {
    "unread": "{0}: {1}",
    "loop": "loop '{0}' is a {1}, which URDF cannot express: it stays open",
    "actuator": "actuator '{0}' is a {1}, which URDF cannot express",
    "says": "{0} '{1}' has {2}, which URDF cannot express",
    "alone": "link '{0}': one of its {1} has {2}, and URDF has that for all of them or none",
    "geometry": "link '{0}': a {1} is {2}, which URDF does not have: it is left out",
    "apart": "{n0:pair} of links never collide: an SRDF can express that, a URDF cannot",
    "states": "the named states {0}: an SRDF can express them, a URDF cannot",
    "base": "the world holds link '{0}', which URDF cannot express",
    "gravity": "gravity is {0} m/s^2, which URDF cannot express"},
    '<mujoco><worldbody><body name="a"><geom type="ellipsoid" size="1 1 2"/></body></worldbody></mujoco>')
INPUT_RENAMED = Kind("input-renamed", WARNING, "two things of an MJCF or SDF have one name, which a URDF cannot",
    "use the new name, or rename one of them in the input", False, {
    "name": "{0} '{1}' is called '{2}': something else that the URDF refers to has its name"},
    '<mujoco><worldbody><body name="a"><joint name="a" stiffness="1"/><geom size="1"/></body></worldbody></mujoco>')
INPUT_READ = Kind("input-read", NOTE, "how an MJCF or SDF was read", "nothing", False, {"note": "{0}"},
    '<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/></body><body name="b"><geom '
    'size="1"/></body></worldbody></mujoco>')
INPUT_MADE_UP = Kind("input-made-up", NOTE, "URDF demands a value that the MJCF or SDF does not give",
    "write the real one into the result, if it is known", False, {
    "limit": "joint '{0}': {1} not given; 1e9 (unbounded) is written"},
    '<mujoco><worldbody><body name="a"><joint name="j" range="-9 9"/><geom size="1"/></body></worldbody></mujoco>')
INPUT_KINDS = (INPUT_LOST, INPUT_RENAMED, INPUT_READ, INPUT_MADE_UP)
