"""Names of types that many rooms use."""

from typing import Any, Callable, Dict, Tuple

Json = Dict[str, Any]  # an object of JSON
Reals = Tuple[float, ...]
Texts = Tuple[str, ...]
Span = Tuple[float, float]  # a lowest and a highest number
Pairs = Tuple[Tuple[str, str], ...]
Packages = Pairs  # names of ROS packages, and the folders that they are in
Show = Callable[[str, int], None]  # shows what is worked at, and how many triangles it has
