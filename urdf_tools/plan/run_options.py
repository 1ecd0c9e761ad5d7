"""The user's choices for a run."""

from typing import Optional, Tuple

from ..base.type_aliases import Pairs, Texts
from ..base.record_type import Record
from ..collada.conversion_records import DaeOptions, MISSING_UNITS, MAX_FACES, SceneOptions


class MeshOptions(Record):
    """How meshes are converted, copied and named; the fields have the names of the options on the command line.

    Attributes:
        separate_dae_meshes: one STL file and one visual for each color.
        combine_dae_meshes: one STL file for each COLLADA file, without colors.
        append_mesh_type: `_visual` or `_collision` is appended to the names of the files.
        mesh_dir: the folder for the files; "": `<output stem>_meshes` next to the output. If nothing is converted, all
            files that the result names are copied to this folder.
        mesh_prefix: the prefix of their names in the URDF, such as `package://robot/meshes`; "": a relative path.
        package: folders by package name.
        require_meshes: a mesh that cannot be found or read is an error.
        merge_equal_colors, planar, max_faces: as in `DaeOptions`.
        scale: meters per unit, overriding the unit of the file.
        missing_unit: `meter` or `millimeter`, for a file without a unit.
        up_axis: `x`, `y` or `z` turns that axis of a file to +Z.
        visual_error: visuals get fewer triangles within this distance [m]; 0.0: all are kept. In the package only.
    """

    separate_dae_meshes: bool = False
    combine_dae_meshes: bool = False
    append_mesh_type: bool = False
    mesh_dir: str = ""
    mesh_prefix: str = ""
    package: Pairs = ()
    require_meshes: bool = False
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MAX_FACES
    scale: Optional[float] = None
    missing_unit: str = "meter"
    up_axis: Optional[str] = None
    visual_error: float = 0.0

    @property
    def wanted(self) -> bool:
        """Return True if COLLADA meshes are to be split or combined."""
        return self.separate_dae_meshes or self.combine_dae_meshes

    @property
    def dae(self) -> DaeOptions:
        """The options of the converter, except `rare`; `missing_unit` must be a key of MISSING_UNITS."""
        scene = SceneOptions(self.scale, MISSING_UNITS[self.missing_unit], self.up_axis)
        return DaeOptions(
            scene=scene,
            separate=True,
            merge_equal_colors=self.merge_equal_colors,
            planar=self.planar,
            max_faces=self.max_faces,
        )


class Options(Record):
    """The choices for a run, with the defaults of the command line.

    Attributes:
        base_frame: `auto`, `onshape`, `ros`, or words such as `x=left,y=back,z=up`.
        axis: the axes that the user assigns to words in joint names, as (word, 0 | 1 | 2).
        snap: angles below it [rad] count as noise; with 0, only rounding errors do.
        keep: globs of links on fixed joints that stay.
        keep_frames: massless links without geometry stay.
        keep_all_frames: merged links remain as empty links on fixed joints.
        merge_all: links that sensors, plugins or loops need are merged as well.
        count_once: the mass of an assembly that was exported twice counts once.
        strip: globs of mesh base names to remove as motor hardware.
        keep_mesh: globs of mesh base names that are never removed.
        strip_hardware, merge, reorient: the three stages.
        lenient: input that the common parsers accept is read with a warning instead of being refused.
        keep_signs: no joint changes its sign.
        meshes: how meshes are converted, copied and named.
    """

    base_frame: str = "auto"
    axis: Tuple[Tuple[str, int], ...] = ()
    snap: float = 1e-4
    keep: Texts = ()
    keep_frames: bool = False
    keep_all_frames: bool = False
    merge_all: bool = False
    count_once: bool = False
    strip: Texts = ()
    keep_mesh: Texts = ()
    strip_hardware: bool = True
    merge: bool = True
    reorient: bool = True
    lenient: bool = False
    keep_signs: bool = False
    meshes: MeshOptions = MeshOptions()
