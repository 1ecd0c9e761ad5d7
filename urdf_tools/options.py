"""What the user can choose about the result."""
from typing import NamedTuple, Tuple

from .base_frame import read_base_frame
from .errors import Unusable
from .words import AXIS_LETTERS, words_of


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
