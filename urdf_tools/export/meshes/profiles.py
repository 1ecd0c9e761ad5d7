"""What each consumer of a URDF needs of its meshes: chosen by `--for`, and overruled by single options.

Facts of Drake 1.51, MuJoCo 4.0, RViz 2 and gz sim.
"""
from typing import Dict, NamedTuple, Tuple


class Profile(NamedTuple):
    """The choices for one consumer.

    Attributes:
        name: as it is given.
        label: as it is called.
        format: of visuals; collisions are OBJ with glTF.
        up: the up axis of glTF that it expects in a URDF.
        paths: as `--mesh-paths`.
        compiler: attributes of `<mujoco><compiler>`.
        reason: why, in a clause.
    """

    name: str
    label: str
    format: str
    up: str
    paths: str
    compiler: Tuple[Tuple[str, str], ...]
    reason: str


PROFILES: Dict[str, Profile] = {profile.name: profile for profile in (
    Profile("mujoco", "MuJoCo", format="obj", up="y", paths="relative",
            compiler=(("discardvisual", "false"), ("strippath", "false"), ("meshdir", ".")), reason=
            "MuJoCo reads STL and OBJ, one color in each, by relative names, and discards visuals unless it is told"),
    Profile("drake", "Drake", format="gltf", up="y", paths="relative", compiler=(), reason=
            "Drake draws glTF with its colors and images, refuses STL, COLLADA and GLB, and collides with OBJ"),
    Profile("gazebo", "Gazebo", format="obj", up="z", paths="keep", compiler=(), reason=
            "Gazebo reads OBJ with its MTL, with its axes as they are"),
    Profile("rviz", "RViz", format="obj", up="y", paths="keep", compiler=(), reason=
            "RViz reads OBJ with its MTL, and finds package:// names only"),
)}
