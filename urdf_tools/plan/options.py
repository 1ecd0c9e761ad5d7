"""What the user can choose about the result."""
import os
from typing import NamedTuple, Optional, Tuple

from ..base.errors import Unusable
from ..base.name_words import AXIS_LETTERS, words_of
from ..collada.records import check_dae_options, DaeOptions, MISSING_UNITS, MOST_FACES
from ..collada.scene import SceneOptions
from .base_frame import read_base_frame


class MeshOptions(NamedTuple):
    """What becomes of COLLADA meshes; the names are those of the command line.

    Attributes:
        separate_dae_meshes: one STL file and one visual for each color.
        combine_dae_meshes: one STL file for each COLLADA file, without colors.
        append_mesh_type: `_visual` or `_collision` stands behind the names of the files.
        mesh_dir: where the files go; "": `<output stem>_meshes` beside the output.
        mesh_prefix: what stands before their names in the URDF, such as `package://robot/meshes`; "": a relative path.
        package: folders by package name.
        strict: a mesh that cannot be found or read is an error.
        keep_textured: visuals that show an image stay as they are.
        jobs: how many processes convert; 0: as many as there are processors, where it pays.
        merge_equal_colors, planar, max_faces: as in `DaeOptions`.
        scale: meters per unit, instead of what a file says.
        missing_unit: `meter` or `millimeter`, for a file that gives none.
        up_axis: `x`, `y` or `z` turns that axis of a file to +Z.
    """

    separate_dae_meshes: bool = False
    combine_dae_meshes: bool = False
    append_mesh_type: bool = False
    mesh_dir: str = ""
    mesh_prefix: str = ""
    package: Tuple[Tuple[str, str], ...] = ()
    strict: bool = False
    keep_textured: bool = False
    jobs: int = 0
    merge_equal_colors: bool = True
    planar: str = "keep"
    max_faces: int = MOST_FACES
    scale: Optional[float] = None
    missing_unit: str = "meter"
    up_axis: Optional[str] = None

    @property
    def wanted(self) -> bool:
        """True when COLLADA meshes are to be split or combined."""
        return self.separate_dae_meshes or self.combine_dae_meshes

    @property
    def dae(self) -> DaeOptions:
        """What the converter is asked for; `missing_unit` must be one that exists."""
        scene = SceneOptions(self.scale, MISSING_UNITS[self.missing_unit], self.up_axis)
        return DaeOptions(scene, True, self.merge_equal_colors, self.planar, self.max_faces)


class Options(NamedTuple):
    """The choices, with the defaults of the command line.

    Attributes:
        base_frame: `auto`, `onshape`, `ros`, or words such as `x=left,y=back,z=up`.
        axis: name classes of the user, as (word, 0 | 1 | 2).
        snap: angles below it [rad] are taken for noise; 0 is exact.
        keep: globs of links on fixed joints that stay.
        keep_frames: massless links without geometry stay.
        leave_frames: merged links stay as empty links on fixed joints.
        merge_all: links that sensors, plugins or loops need are merged as well.
        coincident: `add` or `drop`: the mass of an assembly that was exported twice.
        duplicates: `merge`, or `rename` for joints that share a name but not a motion.
        strip: globs of mesh base names that go as motor hardware.
        keep_mesh: globs of mesh base names that never go.
        strip_hardware, merge, reorient: the three stages.
        repair: what the common parsers read is read, with a warning, instead of being refused.
        meshes: what becomes of COLLADA meshes.
    """

    base_frame: str = "auto"
    axis: Tuple[Tuple[str, int], ...] = ()
    snap: float = 1e-4
    keep: Tuple[str, ...] = ()
    keep_frames: bool = False
    leave_frames: bool = False
    merge_all: bool = False
    coincident: str = "add"
    duplicates: str = "merge"
    strip: Tuple[str, ...] = ()
    keep_mesh: Tuple[str, ...] = ()
    strip_hardware: bool = True
    merge: bool = True
    reorient: bool = True
    repair: bool = False
    meshes: MeshOptions = MeshOptions()

    def checked(self) -> "Options":
        """Return these options if every value is one that exists.

        Raises:
            Unusable: naming the option.
        """
        if not 0.0 <= self.snap <= 0.1:
            raise Unusable(f"--snap {self.snap}: give an angle from 0 to 0.1 rad (the default is 1e-4)")
        if self.coincident not in ("add", "drop"):
            raise Unusable(f"--coincident {self.coincident}: give add or drop")
        if self.duplicates not in ("merge", "rename"):
            raise Unusable(f"--duplicates {self.duplicates}: give merge or rename")
        if self.meshes.separate_dae_meshes and self.meshes.combine_dae_meshes:
            raise Unusable("--separate-dae-meshes and --combine-dae-meshes exclude each other")
        if self.meshes.combine_dae_meshes and self.meshes.keep_textured:
            raise Unusable("--keep-textured is for --separate-dae-meshes: a combined mesh has no material")
        if self.meshes.jobs < 0:
            raise Unusable(f"--jobs {self.meshes.jobs}: give a number of processes, or 0 for all processors")
        if self.meshes.missing_unit not in MISSING_UNITS:
            raise Unusable(f"--missing-unit {self.meshes.missing_unit}: give {' or '.join(MISSING_UNITS)}")
        check_dae_options(self.meshes.dae)
        if self.base_frame != "auto":
            read_base_frame(self.base_frame)
        return self


def read_axis_word(text: str) -> Tuple[str, int]:
    """Read a name class such as `toe=Y`.

    Raises:
        Unusable: when it is not a word, an equals sign and X, Y or Z.
    """
    word, _, letter = text.partition("=")
    words = words_of(word)
    if words != [word.lower()] or letter.upper() not in tuple(AXIS_LETTERS):
        raise Unusable(f"--axis {text}: give one word of letters and an axis, such as toe=Y")
    return words[0], AXIS_LETTERS.index(letter.upper())


def read_package(text: str) -> Tuple[str, str]:
    """Read where a package lies, such as `my_robot=../my_robot`.

    Raises:
        Unusable: when it is not a name, an equals sign and a folder that exists.
    """
    name, _, folder = text.partition("=")
    if not name or not os.path.isdir(folder):
        raise Unusable(f"--package {text}: give a name and a folder that exists, such as my_robot=../my_robot")
    return name, folder
