"""Names of image files beside a mesh, portable between file systems."""
import os
from typing import Dict, Iterable, Set

from ..mesh.file_names import safe_stem, unique_stem
from .files import image_ending
from .form import Image


def image_file_names(images: Iterable[Image], used_stems: Set[str]) -> Dict[bytes, str]:
    """Return a base name for each different image, with the ending for its format.

    Stems differ from those in `used_stems`, which holds casefolded stems and grows: Drake paints an OBJ without a
    material with an image of the same stem.
    """
    names: Dict[bytes, str] = {}
    for image in images:
        if image.data not in names:
            stem = safe_stem(os.path.splitext(image.name.replace("\\", "/").rpartition("/")[2])[0], "image")
            names[image.data] = unique_stem(stem, used_stems) + image_ending(image.data)
    return names
