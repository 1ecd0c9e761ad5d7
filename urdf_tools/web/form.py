"""The form of the page: its tabs, and a control for each option, in the order in which they are shown.

A control has the help, the choices and the default of its option; the value makes it a box, a choice or a line of text.
"""

from __future__ import annotations

from typing import List

from ..base.record import Record

SIMPLIFY = "simplify"
EDIT = "edit"
COLLISION = "collision"
COMPARE = "compare"
LINT = "lint"
EXPORT = "export"


class Field(Record):
    """An option as a control in a tab of the form.

    Attributes:
        name: the name of the option.
        label: the text of its control.
        hint: an example of a text.
        ending: the ending of the file that the option writes, with the name of the robot; "" for any other option.
        on: whether it is selected by default.
        task: the tab, named as the command that it runs.
        group: the heading above it.
    """

    name: str
    label: str
    hint: str = ""
    ending: str = ""
    on: bool = False
    task: str = ""
    group: str = ""


FIELDS: List[Field] = []


def _add(task: str, group: str, *fields: Field) -> None:
    """Add the controls below a heading of a tab."""
    FIELDS.extend(field._replace(task=task, group=group) for field in fields)


_add(
    SIMPLIFY,
    "What to change",
    Field("merge", "Merge links on fixed joints"),
    Field("strip_hardware", "Strip motor parts"),
    Field("reorient", "Turn frames to X forward, Z up"),
    Field("keep_signs", "Flip no joint"),
    Field("full", "Show all of the plan"),
)
_add(
    SIMPLIFY,
    "Which links and frames",
    Field("keep", "Keep links", "imu_*, tool0"),
    Field("keep_frames", "Keep frames such as tool0"),
    Field("keep_all_frames", "Leave a frame for each merged link"),
    Field("strip", "Meshes to remove", "*screw*"),
    Field("base_frame", "The input faces", "auto, ros, onshape, x=left,y=back,z=up"),
)
_add(
    SIMPLIFY,
    "Meshes",
    Field("for", "Meshes and names for"),
    Field("mesh_format", "Convert meshes to"),
    Field("split", "One file for each"),
    Field("visual_error", "Fewer triangles, within", "0.5mm"),
    Field("one_mesh", "One mesh a color of a link"),
)
_add(
    SIMPLIFY,
    "Also write",
    Field("report", "Report of the run", ending="_report.json", on=True),
)
_add(
    SIMPLIFY,
    "Reading",
    Field("lenient", "Read mistakes as parsers do"),
)
_add(
    EDIT,
    "Joints",
    Field("lock", "Lock joints", "waist_*=0, head_*"),
    Field("zero", "New zero of joints", "*_knee_*=middle"),
    Field("flip", "Flip joints", "*_elbow"),
)
_add(
    EDIT,
    "Links",
    Field("drop", "Drop links and all below", "left_hand"),
    Field("only", "Keep only what is below", "left_shoulder"),
    Field("mirror", "Mirror image of a link", "left_shoulder left=right"),
    Field("root", "New root", "tool0"),
    Field("add_root", "Empty link above the root", "base_footprint"),
    Field("add_frame", "Frame on a link", "camera_optical parent=camera optical"),
)
_add(
    EDIT,
    "Names and values",
    Field("rename", "Rename", "a_*=b_*"),
    Field("prefix", "Prefix of all names", "left_"),
    Field("set", "Set values", "*_knee.effort=35"),
)
_add(
    COLLISION,
    "Shapes",
    Field("collision", "Shape of each collision"),
    Field("collision_link", "Other kinds for links", "hand_*=keep, *_foot=box"),
    Field("collision_from_visuals", "Give links without collisions some"),
)
_add(
    COLLISION,
    "How tight",
    Field("collision_overhang", "Largest distance outside the hull", "5mm"),
    Field("collision_off_mesh", "Largest distance to the mesh", "10mm"),
    Field("collision_max_vertices", "Corners of a hull", "64"),
    Field("collision_pieces", "Hulls of a mesh with convex", "32"),
)
_add(
    COLLISION,
    "Meshes",
    Field("for", "Meshes and names for"),
)
_add(
    COLLISION,
    "Also write",
    Field("spheres", "Spheres as a list for cuRobo", ending=".yml"),
    Field("report", "Report of the run", ending="_report.json", on=True),
)
_add(
    COMPARE,
    "How to compare",
    Field("match", "Joints are matched by"),
    Field("aspects", "Compare only", "motion,mass,limits"),
    Field("tolerance", "Rounding up to", "1e-4"),
    Field("full", "Show all"),
)
_add(
    LINT,
    "Which findings",
    Field("full", "Show notes, too", on=True),
    Field("ignore", "Leave out kinds", "left-right, mesh-*"),
    Field("select", "Only these kinds", "inertia-*"),
)
_add(
    EXPORT,
    "Which formats",
    Field("mjcf", "MJCF for MuJoCo", ending=".xml", on=True),
    Field("sdf", "SDF for Gazebo", ending=".sdf"),
    Field("usd", "USD for Isaac and Newton", ending=".usda"),
    Field("model", "JSON with all that is known", ending=".json"),
    Field("armature", "Armature for Blender", ending=".armature.json"),
    Field("blender_script", "Script that builds it", ending=".blender.py"),
    Field("output", "URDF", ending=".urdf"),
)
_add(
    EXPORT,
    "Meshes",
    Field("for", "Meshes and names for"),
    Field("mesh_format", "Convert meshes to"),
    Field("split", "One file for each"),
    Field("visual_error", "Fewer triangles, within", "0.5mm"),
    Field("one_mesh", "One mesh a color of a link"),
)
_add(
    EXPORT,
    "Settings",
    Field("base", "The base is"),
    Field("actuators", "Actuators", "motor, position=100, none"),
)
