"""The types of the arguments of the package's functions, for the programs of users."""

import os
from typing import Any, Iterable, Mapping, Tuple, Union

from ..edit import Position as Position

Path = Union[str, "os.PathLike[str]"]
# Several texts may be given as one.
Texts = Union[str, Iterable[str]]
Length = Union[float, str]  # in m, or with a unit: "5mm"

# Values that have a key: as a dictionary, as pairs, or in the words of the command line, such as "knee=1.57".
Positions = Union[str, Mapping[str, Position], Iterable[Union[str, Tuple[str, Position]]]]
Densities = Union[str, Mapping[str, float], Iterable[Union[str, Tuple[str, float]]]]  # in kg/m^3
LinkKinds = Union[str, Mapping[str, str], Iterable[Union[str, Tuple[str, str]]]]
AxisWords = Union[
    str, Mapping[str, Union[str, int]], Iterable[Union[str, Tuple[str, Union[str, int]]]]
]
PackageFolders = Union[str, Mapping[str, Path], Iterable[Union[str, Tuple[str, Path]]]]
# How many times as large: 1.5, "2/3", "1.5 mass=kept".
Factors = Union[float, str, Iterable[Union[float, str]]]
Edits = Union[str, Mapping[str, Any], Iterable[Union[str, Tuple[str, Any]]]]
