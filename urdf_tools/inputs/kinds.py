"""The kinds of diagnostics of MJCF and SDF as inputs."""
from ..base.diagnostics import Kind, NOTE, WARNING

INPUT_LOST = Kind("input-lost", WARNING, "an MJCF or SDF says something that a URDF cannot",
    "nothing, if what reads the URDF does not need it", False, {
    "unread": "{0}: {1}",
    "loop": "loop '{0}' is a {1}, which URDF has no place for: it stays open",
    "actuator": "actuator '{0}' is a {1}, which URDF has no place for",
    "joint": "joint '{0}' says {1}, which URDF has no place for",
    "sensor": "sensor '{0}' says {1}, which is not taken over",
    "surface": "link '{0}': a collision says {1}, which URDF has no place for",
    "geometry": "link '{0}': a {1} is of the kind {2}, which URDF does not have: it is left out",
    "apart": "{n0:pair} of links never collide: that is said in an SRDF, not in a URDF"},
    '<mujoco><worldbody><body name="a"><geom type="ellipsoid" size="1 1 2"/></body></worldbody></mujoco>')
INPUT_MADE_UP = Kind("input-made-up", NOTE, "URDF demands a value that the MJCF or SDF does not say",
    "write the real one into the result, if it is known", False, {
    "limit": "joint '{0}': {1} are not said; {n0:.0e} stands for none"},
    '<mujoco><worldbody><body name="a"><joint name="j" range="-9 9"/><geom size="1"/></body></worldbody></mujoco>')
INPUT_KINDS = (INPUT_LOST, INPUT_MADE_UP)
