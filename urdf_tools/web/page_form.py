"""The form of the page: its tabs, and a control for each option, in the order in which they are shown.

A control has the help, the choices and the default of its option; the value makes it a box, a choice or a line of text.
"""

from __future__ import annotations

from typing import List

from ..base.record_type import Record

SIMPLIFY = "simplify"
EDIT = "edit"
COLLISION = "collision"
COMPARE = "compare"
LINT = "lint"
EXPORT = "export"


class FormField(Record):
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


FIELDS: List[FormField] = []


def _add(task: str, group: str, *fields: FormField) -> None:
    """Add the controls below a heading of a tab."""
    FIELDS.extend(field._replace(task=task, group=group) for field in fields)


_add(
    SIMPLIFY,
    "What to change",
    FormField("merge", "Merge links on fixed joints"),
    FormField("strip_hardware", "Strip motor parts"),
    FormField("reorient", "Turn frames to X forward, Z up"),
    FormField("keep_signs", "Flip no joint"),
    FormField("full", "Show all of the plan"),
)
_add(
    SIMPLIFY,
    "Which links and frames",
    FormField("keep", "Keep links", "imu_*, tool0"),
    FormField("keep_frames", "Keep frames such as tool0"),
    FormField("keep_all_frames", "Leave a frame for each merged link"),
    FormField("strip", "Meshes to remove", "*screw*"),
    FormField("base_frame", "The input faces", "auto, ros, onshape, x=left,y=back,z=up"),
)
_add(
    SIMPLIFY,
    "Meshes",
    FormField("for", "Meshes and names for"),
    FormField("mesh_format", "Convert meshes to"),
    FormField("split", "One file for each"),
    FormField("visual_error", "Fewer triangles, within", "0.5mm"),
    FormField("one_mesh", "One mesh a color of a link"),
)
_add(
    SIMPLIFY,
    "Also write",
    FormField("report", "Report of the run", ending="_report.json", on=True),
)
_add(
    SIMPLIFY,
    "Reading",
    FormField("lenient", "Read mistakes as parsers do"),
)
_add(
    EDIT,
    "Joints",
    FormField("lock", "Lock joints", "waist_*=0, head_*"),
    FormField("zero", "New zero of joints", "*_knee_*=middle"),
    FormField("flip", "Flip joints", "*_elbow"),
)
_add(
    EDIT,
    "Links",
    FormField("drop", "Drop links and all below", "left_hand"),
    FormField("only", "Keep only what is below", "left_shoulder"),
    FormField("mirror", "Mirror image of a link", "left_shoulder left=right"),
    FormField("root", "New root", "tool0"),
    FormField("add_root", "Empty link above the root", "base_footprint"),
    FormField("add_frame", "Frame on a link", "camera_optical parent=camera optical"),
)
_add(
    EDIT,
    "Names and values",
    FormField("rename", "Rename", "a_*=b_*"),
    FormField("prefix", "Prefix of all names", "left_"),
    FormField("set", "Set values", "*_knee.effort=35"),
    FormField("scale_by", "Make it larger", "1.5"),
)
_add(
    COLLISION,
    "Shapes",
    FormField("collision", "Shape of each collision"),
    FormField("collision_link", "Other kinds for links", "hand_*=keep, *_foot=box"),
    FormField("collision_from_visuals", "Give links without collisions some"),
)
_add(
    COLLISION,
    "How tight",
    FormField("collision_overhang", "Largest distance outside the hull", "5mm"),
    FormField("collision_off_mesh", "Largest distance to the mesh", "10mm"),
    FormField("collision_max_vertices", "Corners of a hull", "64"),
    FormField("collision_pieces", "Hulls of a mesh with convex", "32"),
)
_add(
    COLLISION,
    "Meshes",
    FormField("for", "Meshes and names for"),
)
_add(
    COLLISION,
    "Also write",
    FormField("spheres", "Spheres as a list for cuRobo", ending=".yml"),
    FormField("report", "Report of the run", ending="_report.json", on=True),
)
_add(
    COMPARE,
    "How to compare",
    FormField("match", "Joints are matched by"),
    FormField("aspects", "Compare only", "motion,mass,limits"),
    FormField("tolerance", "Rounding up to", "1e-4"),
    FormField("full", "Show all"),
)
_add(
    LINT,
    "Which findings",
    FormField("full", "Show notes, too", on=True),
    FormField("ignore", "Leave out kinds", "left-right, mesh-*"),
    FormField("select", "Only these kinds", "inertia-*"),
)
_add(
    EXPORT,
    "Which formats",
    FormField("mjcf", "MJCF for MuJoCo", ending=".xml", on=True),
    FormField("sdf", "SDF for Gazebo", ending=".sdf"),
    FormField("usd", "USD for Isaac and Newton", ending=".usda"),
    FormField("model", "JSON with all that is known", ending=".json"),
    FormField("armature", "Armature for Blender", ending=".armature.json"),
    FormField("blender_script", "Script that builds it", ending=".blender.py"),
    FormField("output", "URDF", ending=".urdf"),
)
_add(
    EXPORT,
    "Meshes",
    FormField("for", "Meshes and names for"),
    FormField("mesh_format", "Convert meshes to"),
    FormField("split", "One file for each"),
    FormField("visual_error", "Fewer triangles, within", "0.5mm"),
    FormField("one_mesh", "One mesh a color of a link"),
)
_add(
    EXPORT,
    "Settings",
    FormField("base", "The base is"),
    FormField("actuators", "Actuators", "motor, position=100, none"),
)
