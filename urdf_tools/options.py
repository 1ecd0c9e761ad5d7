"""What the user can choose about the result."""
import os
from typing import NamedTuple, Tuple

from .base_frame import read_base_frame
from .dae_records import DEFAULT_DAE_OPTIONS, DaeOptions, check_dae_options
from .errors import Unusable
from .words import AXIS_LETTERS, words_of


class MeshOptions(NamedTuple):
    """What becomes of COLLADA meshes.

    Attributes:
        separate: one STL file and one visual for each colour.
        combine: one STL file for each COLLADA file, without colours.
        append_type: `_visual` or `_collision` stands behind the names of the files.
        directory: where the files go; "": `<output stem>_meshes` beside the output.
        prefix: what stands before their names in the URDF, such as `package://robot/meshes`; "": a relative path.
        packages: folders by package name.
        strict: a mesh that cannot be found or read is an error.
        keep_textured: visuals that show an image stay as they are.
        jobs: how many processes convert; 0: as many as there are processors, where it pays.
        dae: units, axes, planar parts and the size of the parts.
    """

    separate: bool = False
    combine: bool = False
    append_type: bool = False
    directory: str = ""
    prefix: str = ""
    packages: Tuple[Tuple[str, str], ...] = ()
    strict: bool = False
    keep_textured: bool = False
    jobs: int = 0
    dae: DaeOptions = DEFAULT_DAE_OPTIONS


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
        if self.meshes.separate and self.meshes.combine:
            raise Unusable("--separate-dae-meshes and --combine-dae-meshes exclude each other")
        if self.meshes.jobs < 0:
            raise Unusable(f"--jobs {self.meshes.jobs}: give a number of processes, or 0 for all processors")
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
