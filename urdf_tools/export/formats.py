"""The formats that an export writes, by the endings of file names."""
from typing import Dict, NamedTuple, Optional, Sequence, Tuple

from ..base.errors import UsageError


class Target(NamedTuple):
    """A format: its name, the endings of its files, what it is called, and the function that makes its file."""

    name: str
    endings: Tuple[str, ...]
    label: str
    exporter: str = ""


# In the order of the exporters; of endings that end alike the longer comes first.
TARGETS: Tuple[Target, ...] = (
    Target("mjcf", (".xml", ".mjcf"), "MJCF for MuJoCo", "export.mjcf.exporter:export_mjcf"),
    Target("sdf", (".sdf", ".world"), "SDF for Gazebo", "export.sdf.exporter:export_sdf"),
    Target("usd", (".usda",), "USD for Isaac and Newton", "export.usd.exporter:export_usd"),
    Target("armature", (".armature.json", ".armature.glb"), "armature for Blender",
           "export.armature.exporter:export_armature"),
    Target("model", (".json",), "JSON of the typed model", "export.json_exporter:export_model"),
    Target("blender_script", (".blender.py",), "script that builds the armature",
           "export.armature.exporter:export_script"),
    Target("output", (".urdf",), "URDF"),
)


def target_of(path: str) -> Optional[Target]:
    """Return the format that the name of a file stands for, None for another name."""
    return next((target for target in TARGETS if path.lower().endswith(target.endings)), None)


def files_by_target(paths: Sequence[str]) -> Dict[str, str]:
    """Return the files to write by the names of their exporters.

    Raises:
        UsageError: a name with another ending, or two files of one format.
    """
    files: Dict[str, str] = {}
    for path in paths:
        target = target_of(path)
        if target is None:
            listed = ", ".join(f"{'|'.join(each.endings)} ({each.label})" for each in TARGETS)
            more = " (usdcat makes .usd and .usdc of .usda)" if path.lower().endswith((".usd", ".usdc")) else ""
            raise UsageError(f"the ending of '{path}' is of no format{more}; there are {listed}")
        if target.name in files:
            raise UsageError(f"two files of one format: {files[target.name]} and {path}; export one after the other")
        files[target.name] = path
    return files
