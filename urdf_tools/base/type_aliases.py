"""Names of types that many rooms use."""

from typing import Any, Callable, Dict, List, Mapping, Tuple

Json = Dict[str, Any]  # an object of JSON
Reals = Tuple[float, ...]
Texts = Tuple[str, ...]
Span = Tuple[float, float]  # a lowest and a highest number
Lines = List[str]  # of text that a person reads
Words = List[str]  # of a command line
Pair = Tuple[str, str]
Pairs = Tuple[Pair, ...]
Packages = Pairs  # names of ROS packages, and the folders that they are in
# The words before the name of a file, the name, and the words after it.
Announced = Tuple[str, str, str]
Choices = Mapping[str, Any]  # the values of options, by their names
Names = Mapping[str, str]  # new names by old ones
Shows = Mapping[str, Callable[[], None]]  # functions that show more, by the answer that runs them
Show = Callable[[str, int], None]  # shows the current mesh, and its number of triangles
