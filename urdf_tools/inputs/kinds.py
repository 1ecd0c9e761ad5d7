"""The kinds of diagnostics of MJCF and SDF as inputs."""
from ..base.diagnostics import Kind, NOTE, WARNING

INPUT_LOST = Kind("input-lost", WARNING, "an MJCF or SDF says something that a URDF cannot",
    "nothing, if what reads the URDF does not need it", False, {
    "unread": "{0}: {1}",
    "loop": "loop '{0}' is a {1}, which URDF has no place for: it stays open",
    "actuator": "actuator '{0}' is a {1}, which URDF has no place for",
    "says": "{0} '{1}' says {2}, which URDF has no place for",
    "alone": "link '{0}': one of its {1} says {2}, and URDF says that of all of them or of none",
    "geometry": "link '{0}': a {1} is {2}, which URDF does not have: it is left out",
    "apart": "{n0:pair} of links never collide: that is said in an SRDF, not in a URDF",
    "states": "the named states {0} are said in an SRDF, not in a URDF",
    "base": "the world holds link '{0}', which URDF has no place for",
    "gravity": "gravity is {0} m/s^2, which URDF has no place for"},
    '<mujoco><worldbody><body name="a"><geom type="ellipsoid" size="1 1 2"/></body></worldbody></mujoco>')
INPUT_RENAMED = Kind("input-renamed", WARNING, "two things of an MJCF or SDF have one name, which a URDF cannot",
    "use the new name, or rename one of them in the input", False, {
    "name": "{0} '{1}' is called '{2}': something else that the URDF refers to has its name"},
    '<mujoco><worldbody><body name="a"><joint name="a" stiffness="1"/><geom size="1"/></body></worldbody></mujoco>')
INPUT_READ = Kind("input-read", NOTE, "how an MJCF or SDF was read", "nothing", False, {"note": "{0}"},
    '<mujoco><worldbody><body name="a"><freejoint/><geom size="1"/></body><body name="b"><geom '
    'size="1"/></body></worldbody></mujoco>')
INPUT_MADE_UP = Kind("input-made-up", NOTE, "URDF demands a value that the MJCF or SDF does not say",
    "write the real one into the result, if it is known", False, {
    "limit": "joint '{0}': {1} are not said; {n0:.0e} stands for none"},
    '<mujoco><worldbody><body name="a"><joint name="j" range="-9 9"/><geom size="1"/></body></worldbody></mujoco>')
INPUT_KINDS = (INPUT_LOST, INPUT_RENAMED, INPUT_READ, INPUT_MADE_UP)
