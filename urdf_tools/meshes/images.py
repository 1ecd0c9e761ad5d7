"""Images of materials as files beside a mesh: each once, untouched, under a name that is safe everywhere."""
import os
from typing import Dict, Iterable, Set

from ..mesh.file_names import safe_stem, unique_stem
from .files import image_ending
from .form import Image


def image_file_names(images: Iterable[Image], taken: Set[str]) -> Dict[bytes, str]:
    """Return a base name for each different image, with the ending that its first bytes mean.

    Stems are unique against `taken`, which holds casefolded stems and grows: Drake paints an OBJ without a material
    with an image of the same stem.
    """
    names: Dict[bytes, str] = {}
    for image in images:
        if image.data not in names:
            stem = safe_stem(os.path.splitext(image.name.replace("\\", "/").rpartition("/")[2])[0], "image")
            names[image.data] = unique_stem(stem, taken) + image_ending(image.data)
    return names
