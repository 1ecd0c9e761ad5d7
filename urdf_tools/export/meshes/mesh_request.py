"""The options on the meshes of a run, as one request."""

from __future__ import annotations

from typing import Any, Callable, Dict, Mapping, Optional

from ...base.type_aliases import Pairs
from ...base.errors import UsageError
from ...base.record_type import Record
from ...plan.mesh_tasks import HOLD_COLORS
from ...plan.run_options import MeshOptions
from ..export_request import asks_for_meshes


class MeshProfile(Record):
    """The mesh choices for one program.

    Attributes:
        name: as the user gives it.
        label: as messages show it.
        format: the format of visuals; collisions are OBJ if that is glTF.
        up: the up axis of glTF that it expects in a URDF.
        paths: as `--mesh-paths`.
        compiler: attributes of `<mujoco><compiler>`.
        reason: the reason for the choices, in a clause.
    """

    name: str
    label: str
    format: str
    up: str
    paths: str
    compiler: Pairs
    reason: str


PROFILES: Dict[str, MeshProfile] = {
    profile.name: profile
    for profile in (
        MeshProfile(
            "mujoco",
            "MuJoCo",
            format="obj",
            up="y",
            paths="relative",
            compiler=(("discardvisual", "false"), ("strippath", "false"), ("meshdir", ".")),
            reason="MuJoCo reads STL and OBJ, one color in each, by relative names, and discards visuals unless it is told",
        ),
        MeshProfile(
            "drake",
            "Drake",
            format="gltf",
            up="y",
            paths="relative",
            compiler=(),
            reason="Drake draws glTF with its colors and images, refuses STL, COLLADA and GLB, and collides with OBJ",
        ),
        MeshProfile(
            "gazebo",
            "Gazebo",
            format="obj",
            up="z",
            paths="keep",
            compiler=(),
            reason="Gazebo reads OBJ with its MTL, with its axes as they are",
        ),
        MeshProfile(
            "rviz",
            "RViz",
            format="obj",
            up="y",
            paths="keep",
            compiler=(),
            reason="RViz reads OBJ with its MTL, and finds package:// names only",
        ),
        MeshProfile(
            "pinocchio",
            "Pinocchio",
            format="obj",
            up="z",
            paths="keep",
            compiler=(),
            reason="Pinocchio and its viewers read OBJ with its MTL, with its axes as they are",
        ),
    )
}
WITH_COLORS = tuple(ending[1:] for ending in HOLD_COLORS)  # formats whose files have colors


class MeshRequest(Record):
    """The request of a run for its meshes; it is sent to other processes.

    Attributes:
        format: the format of visuals; "": meshes are left unchanged.
        up: the up axis of written glTF.
        every: convert all readable formats, not only COLLADA.
        separate, combine: a file for each color, or a single file without colors.
        paths: "keep", "relative" or "package://NAME".
        profile: the program that the meshes are for, or None.
        leaves_stl: binary STL stays unchanged, as the program reads it.
        leaves_obj: an OBJ that MuJoCo draws whole, in one color, stays unchanged.
    """

    format: str
    up: str
    every: bool
    separate: bool
    combine: bool
    paths: str
    profile: Optional[MeshProfile]
    leaves_stl: bool
    leaves_obj: bool

    def is_for(self, consumer: str) -> bool:
        """Return True if the profile of that name was requested."""
        return self.profile is not None and self.profile.name == consumer


def up_for(program: str) -> str:
    """Return the up axis of glTF for a program, "" if it has no preference."""
    return PROFILES[program].up if program in PROFILES else "y"


def read_mesh_request(
    choices: Mapping[str, Any],
    meshes: MeshOptions,
    spelled: Callable[[str], str],
    *,
    writes_urdf: bool,
) -> Optional[MeshRequest]:
    """Return the request of the options of meshes, with the defaults of a profile; None without any.

    `spelled` returns how the caller spells an option, for messages; `writes_urdf`: a URDF is written.

    Raises:
        UsageError: two options exclude each other, or a value does not exist.
    """
    if not asks_for_meshes(choices):
        return None
    profile = PROFILES.get(choices["for"] or "")
    kind = choices["mesh_format"] or (profile.format if profile else "")
    if choices.get("mjcf") and not choices["mesh_format"] and kind in WITH_COLORS:
        kind = "obj"  # MJCF holds no glTF, and all of its readers take OBJ
    separate = bool(choices["split"])
    paths = choices["mesh_paths"] or (profile.paths if profile else "keep")
    if meshes.mesh_prefix:
        paths = "keep"  # the names are in the folder of the option
    elif paths not in ("keep", "relative") and not (
        paths.startswith("package://") and paths[10:].strip("/")
    ):
        raise UsageError(f"{spelled('mesh_paths')} {paths}: give relative or package://NAME")
    kind = kind or ("stl" if separate else "")
    # MuJoCo reads STL directly: only files that it cannot read are converted.
    for_mujoco = profile is not None and profile.name == "mujoco" and not choices["mesh_format"]
    leaves_stl = kind == "stl" or for_mujoco
    # --split alone is for COLLADA.
    every = bool(choices["mesh_format"] or profile and profile.format)
    return MeshRequest(
        format=kind,
        up=up_for(choices["for"]),
        every=every,
        separate=separate,
        combine=choices["mesh_format"] == "stl" and not separate,
        paths=paths,
        profile=profile,
        leaves_stl=leaves_stl,
        # The color of an MTL file reaches MJCF directly, but a URDF only if the mesh is converted.
        leaves_obj=for_mujoco and not writes_urdf,
    )
