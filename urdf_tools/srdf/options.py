"""The options of the SRDF: rows as those of the exports."""
from typing import Tuple

from ..base.option_table import Option

SRDF_OPTIONS: Tuple[Option, ...] = (
    Option("srdf", "SRDF", "an SRDF to update with the URDF; both files are written, or none", "FILE", valid=bool,
           advice="give the name of a file"),
    Option("srdf_output", "SRDF", "its output file (default: <output>.srdf)", "FILE", is_output=True, updates="srdf",
           needs=("srdf", "pairs")))
