"""Every kind of difference: its label, its class for the verdict, and its sentence.

In a sentence `{0}` `{1}` are names, `{n0}` numbers: `{n0:m}` a length, `{n0:rad}` an angle in degrees (both with `+` rounded
up, with `-` rounded down), `{n0:%}` a part, `{n0:other|others}` a count with its noun, `{n0:with}` a number of joints
after a joint. `{numbers}` are all numbers.
"""

from math import degrees
from typing import AbstractSet, Mapping, Sequence, Tuple

from ..base.type_aliases import Texts
from ..base.number_text import count_of, grouped, short
from ..base.record_type import Record
from .difference_records import Difference, Differences

# Classes of differences. A class is also the verdict of two robots whose worst difference has it.
STRUCTURE = "structure"
GEOMETRY = "geometry"
BASE = "base"
MASSES = "masses"
OTHER = "limits"  # any value beside motion and masses: limits, shapes, colors, sensors ...
NAMES = "names"
UNPROVEN = "unproven"  # may be the same or not
CONVENTION = (
    "convention"  # one robot that is counted otherwise: it fails only where the caller names it
)
# The worst first. No verdict is a convention.
CLASSES = (STRUCTURE, GEOMETRY, BASE, MASSES, OTHER, NAMES, UNPROVEN, CONVENTION)
NOTED = "noted"  # a class that does not affect the verdict
DECIDED = "decided"  # a decision of the run that made B from A, which was applied to A, too: not a difference


NO_MESHES = "--package NAME=DIR says where, --aspects no-meshes goes by their names"


class DifferenceKind(Record):
    """A kind of difference.

    Attributes:
        label: the label of its line, a key of SEVERAL if it may be counted.
        of: its class.
        sentence: the sentence about one element, which begins with its name if sentences may be joined.
        plural: the rest of a sentence about several elements, after their names; "": ` is ` of the sentence becomes ` are `.
    """

    label: str
    of: str
    sentence: str
    plural: str = ""


OF_MOTION = {
    "only_a": DifferenceKind("joint", STRUCTURE, "{0} is only in A{n0:with}"),
    "only_b": DifferenceKind("joint", STRUCTURE, "{0} is only in B{n0:with}"),
    "fixed_in_a": DifferenceKind("joint", STRUCTURE, "{0} is fixed in A", "are fixed in A"),
    "fixed_in_b": DifferenceKind("joint", STRUCTURE, "{0} is fixed in B", "are fixed in B"),
    "type": DifferenceKind("joint", STRUCTURE, "{0} is {1} in A, {2} in B"),
    "shifted": DifferenceKind(
        "line", GEOMETRY, "{0}: axis moved {n0:m} along {1} of {2}, and every link after it"
    ),
    "tilted": DifferenceKind("line", GEOMETRY, "{0}: turned by {n0:rad}, and every link after it"),
    "shifted_alone": DifferenceKind(
        "line", GEOMETRY, "{0}: only the axis is moved {n0:m} along {1} of {2}"
    ),
    "tilted_alone": DifferenceKind("line", GEOMETRY, "{0}: only the axis is turned by {n0:rad}"),
    "along": DifferenceKind(
        "line", GEOMETRY, "{0}: every link after it is moved by {n0:m} along its axis"
    ),
    "typed": DifferenceKind(
        "angle",
        GEOMETRY,
        "{0} is not {1}: {2} has it in {n0:place|places}, and points are up to {n1:m+} off",
    ),
    "sum": DifferenceKind(
        "line", GEOMETRY, "{0}: small differences of the axes add up to {n0:m+} and {n1:rad+}"
    ),
    "base": DifferenceKind("base", BASE, "the base is {0} in A, {1} in B"),
}
OF_MASSES = {
    "no_masses": DifferenceKind("mass", MASSES, "no moving link of {0} has a mass"),
    "mass": DifferenceKind("mass", MASSES, "{0}: {1} kg / {2} kg"),
    "center": DifferenceKind("center", MASSES, "{0}: {n0:m} elsewhere"),
    "tensor": DifferenceKind("tensor", MASSES, "{0}: inertia differs by {n0:%}"),
    "tensor_turned": DifferenceKind(
        "tensor",
        MASSES,
        "{0}: same principal moments, axes turned (rpy of the inertial missing in one file?)",
    ),
}
OF_JOINTS = {
    "typed_apart": DifferenceKind(
        "angle", OTHER, "{0} is not {1}: {2} has it in {n0:place|places}"
    ),
    "limits": DifferenceKind("limit", OTHER, "{0}: {1} / {2}"),
    "limits_stay": DifferenceKind(
        "limit", OTHER, "{0}: the limits do not follow its sign and zero: {1} / {2}"
    ),
    "limits_missing": DifferenceKind("limit", OTHER, "{0}: {1} / {2}"),
    "effort": DifferenceKind("effort", OTHER, "{0}: {1} / {2}"),
    "velocity": DifferenceKind("velocity", OTHER, "{0}: {1} / {2}"),
    "mimic": DifferenceKind("mimic", OTHER, "{0} has a different mimic: {1} / {2}"),
    "mimic_leader": DifferenceKind("mimic", OTHER, "{0} follows another joint: {1} / {2}"),
    "mimic_missing": DifferenceKind(
        "mimic", OTHER, "{0} follows a joint in one file only: {1} / {2}"
    ),
    "dynamics": DifferenceKind("joint", OTHER, "{0}: {1} {2} / {3}"),
    "loop_value": DifferenceKind("loop", OTHER, "{0}: {1} {2} / {3}"),
    "loop_only_a": DifferenceKind("loop", OTHER, "{0} ({1} to {2}) is a loop that only A has"),
    "loop_only_b": DifferenceKind("loop", OTHER, "{0} ({1} to {2}) is a loop that only B has"),
}
OF_FRAMES_AND_SHAPES = {
    "frame": DifferenceKind("frame", OTHER, "{0}: {n0:m} elsewhere"),
    "frame_turned": DifferenceKind("frame", OTHER, "{0}: turned by {n0:rad}"),
    "frame_body": DifferenceKind("frame", OTHER, "{0} is on {1} in A, on {2} in B"),
    "frame_only_a": DifferenceKind("frame", OTHER, "{0} is only in A", "are only in A"),
    "shape_only_a": DifferenceKind("shape", OTHER, "{0}: {1} is only in A"),
    "shape_only_b": DifferenceKind("shape", OTHER, "{0}: {1} is only in B"),
    "shape_kind": DifferenceKind("shape", OTHER, "{0}: {1} / {2}"),
    "shape_size": DifferenceKind("shape", OTHER, "{0}: {1} differs by {n0:m} in size"),
    "shape_place": DifferenceKind("shape", OTHER, "{0}: {1} is {n0:m} elsewhere"),
    "shape_turn": DifferenceKind(
        "shape", OTHER, "{0}: {1} is turned by {n0:rad}, and up to {n1:m+} off"
    ),
    "shape_scale": DifferenceKind("shape", OTHER, "{0}: {1} is scaled by {2} / {3}"),
    "shape_mirrored": DifferenceKind("shape", OTHER, "{0}: {1} is mirrored in {2}"),
}
OF_SURFACES = {
    "mesh_turn": DifferenceKind("mesh", OTHER, "{0}: {1} is turned by {n0:rad}"),
    "mesh": DifferenceKind(
        "mesh", OTHER, "{0}: {1} is another surface, by at least {n0:m-} at ({2}) of {3}"
    ),
    "mesh_rounded": DifferenceKind(
        "mesh", OTHER, "{0}: {1} is the same surface to {n0:m+} (other triangles)"
    ),
    "mesh_unproven": DifferenceKind("mesh", UNPROVEN, "{0}: {1} could not be compared: {2}"),
    "mesh_missing": DifferenceKind(
        "mesh",
        UNPROVEN,
        f"{{0}} is missing, so its shape was not compared: {NO_MESHES}",
        f"are missing, so their shapes were not compared: {NO_MESHES}",
    ),
    "mesh_not_opened": DifferenceKind(
        "mesh",
        NOTED,
        "{0} is not there, and both files name it: it was not opened",
        "are not there, and both files name them: they were not opened",
    ),
    "mesh_parts": DifferenceKind(
        "mesh", NOTED, "{0}: the same surface in other parts ({1} / {2} meshes)"
    ),
    "mesh_turned": DifferenceKind(
        "mesh", NOTED, "{0}: {n0:%} of the area of {1} faces the other way in B"
    ),
    "shape_twice": DifferenceKind(
        "shape", NOTED, "{0} is drawn twice in one file", "are drawn twice in one file"
    ),
    "shape_text": DifferenceKind("shape", OTHER, "{0}: the {2} of {1} is {3} / {4}"),
    "surface": DifferenceKind("surface", OTHER, "{0}: {1} {2} / {3}"),
    "other_parts": DifferenceKind("surface", OTHER, "{0}: {1} has its {2} on other parts"),
}
OF_COLORS = {
    "image_missing": DifferenceKind(
        "image",
        UNPROVEN,
        f"{{0}} is missing, so it was not compared: {NO_MESHES}",
        f"are missing, so they were not compared: {NO_MESHES}",
    ),
    "image_not_opened": DifferenceKind(
        "image",
        NOTED,
        "{0} is not there, and both files name it: it was not opened",
        "are not there, and both files name them: they were not opened",
    ),
    "color": DifferenceKind("color", OTHER, "{0}: {1} has another color"),
    "color_one_side": DifferenceKind("color", OTHER, "{0}: {1} has a color or image {2}"),
    "color_gray": DifferenceKind(
        "color",
        NOTED,
        "{0}: {1} has no color in {2}, and the gray in which RViz draws it in the other file",
        ": no color in one file, and the gray in which RViz draws it in the other",
    ),
    "image_lost": DifferenceKind(
        "color",
        NOTED,
        "{0}: {1} has an image {2}, which is not there",
        ": images in only one file, which are not there",
    ),
    "color_of_file": DifferenceKind(
        "color",
        OTHER,
        "{0}: {1} has another color in its mesh file, which {2} draw; {3} draw that of the robot's file",
    ),
    "color_of_robot": DifferenceKind(
        "color",
        OTHER,
        "{0}: {1} has another color in the robot's file, which {2} draw; {3} draw that of its mesh file",
    ),
    "color_taken": DifferenceKind(
        "color",
        NOTED,
        "{0}: {1} has the color of {3} for all programs in {5}; in {6} {2} draw that of {4}",
        ": the color of a mesh file holds for all programs in B",
    ),
}
OF_LIGHT = {
    "light": DifferenceKind(
        "color",
        OTHER,
        "{0}: {1} has another emission, or another color under its image",
    ),
    "points": DifferenceKind(
        "color", OTHER, "{0}: {1} has other colors of points in its mesh file"
    ),
    "points_one_side": DifferenceKind("color", OTHER, "{0}: {1} has colors of points {2}"),
    "gloss": DifferenceKind(
        "color",
        NOTED,
        "{0}: not compared: other values of the materials in the mesh file of {1}, such as gloss",
        ": not compared: other values of the materials in mesh files, such as gloss",
    ),
}
OF_SENSORS = {
    "sensor_only_a": DifferenceKind("sensor", OTHER, "{0} ({1}) is only in A"),
    "sensor_only_b": DifferenceKind("sensor", OTHER, "{0} ({1}) is only in B"),
    "sensor_kind": DifferenceKind("sensor", OTHER, "{0} is {1} in A, {2} in B"),
    "sensor_body": DifferenceKind("sensor", OTHER, "{0} is on {1} in A, on {2} in B"),
    "sensor_pose": DifferenceKind("sensor", OTHER, "{0} is {n0:m} elsewhere, turned by {n1:rad}"),
    "sensor_words": DifferenceKind("sensor", OTHER, "{0}: other settings: {1} / {2}"),
    "sensor_rate": DifferenceKind("sensor", OTHER, "{0}: {1} Hz / {2} Hz"),
    "sensor_value": DifferenceKind("sensor", OTHER, "{0}: {1} {2} / {3}"),
}
OF_ACTUATORS_AND_STATES = {
    "actuator": DifferenceKind("actuator", OTHER, "{0}: {1} {2} / {3}"),
    "actuator_kind": DifferenceKind("actuator", OTHER, "{0}: {1} / {2}"),
    "actuator_name": DifferenceKind("actuator", OTHER, "{0}: its actuator is {1} / {2}"),
    "drive_open": DifferenceKind("actuator", NOTED, "{0}: only {1} says {2}"),
    "key_only_a": DifferenceKind("state", NOTED, "{0} is only in A", "are only in A"),
    "key_only_b": DifferenceKind("state", NOTED, "{0} is only in B", "are only in B"),
    "key": DifferenceKind("state", NOTED, "{0}: {1} is at {2} / {3}"),
    "key_place": DifferenceKind("state", NOTED, "{0}: {1} is {n0:m} elsewhere, turned by {n1:rad}"),
}
OF_PARTS = {
    "unknown": DifferenceKind(
        "part", UNPROVEN, "{0}: {1} / {2}, and no reader knows what it means"
    ),
    "unknown_only_a": DifferenceKind(
        "part",
        UNPROVEN,
        "{0} is only in A, and no reader knows what it means",
        "are only in A, and no reader knows what they mean",
    ),
    "unknown_only_b": DifferenceKind(
        "part",
        UNPROVEN,
        "{0} is only in B, and no reader knows what it means",
        "are only in B, and no reader knows what they mean",
    ),
    "program_words": DifferenceKind("part", UNPROVEN, "{0}: {1} / {2}, and no reader reads it"),
    "program_frame": DifferenceKind(
        "part",
        UNPROVEN,
        "{0}: what it names is elsewhere, or counted otherwise, and no reader reads it",
    ),
    "program_only_a": DifferenceKind(
        "part",
        UNPROVEN,
        "{0} is only in A, and no reader reads it",
        "are only in A, and no reader reads them",
    ),
    "program_only_b": DifferenceKind(
        "part",
        UNPROVEN,
        "{0} is only in B, and no reader reads it",
        "are only in B, and no reader reads them",
    ),
    "left_out": DifferenceKind("part", UNPROVEN, "{0} could not be compared: {1}"),
}
OF_THE_REST = {
    "gravity": DifferenceKind("gravity", OTHER, "{0} / {1} m/s^2"),
    "apart_only_a": DifferenceKind("pairs", OTHER, "{0} and {1}: collision excluded only in A"),
    "apart_only_b": DifferenceKind("pairs", OTHER, "{0} and {1}: collision excluded only in B"),
    "link_value": DifferenceKind("link", OTHER, "{0}: {1} {2} / {3}"),
    "joint_name": DifferenceKind("names", NAMES, "joint {0} of A is {1} of B"),
    "link_name": DifferenceKind("names", NAMES, "link {0} of A is {1} of B"),
    "frame_right": DifferenceKind(
        "frame", NOTED, "{0}: turned by {n0:rad}, right angles that many tools add"
    ),
    "gravity_open": DifferenceKind("gravity", NOTED, "{0} / {1} m/s^2"),
    "base_tilt": DifferenceKind("base", NOTED, "tilted by {n0:rad} in the world, against gravity"),
    "sensor_settings": DifferenceKind("sensor", NOTED, "{0}: other settings: {1} / {2}"),
    "base_open": DifferenceKind(
        "base", NOTED, "{0} does not say whether its base is fixed; it is {1} in {2}"
    ),
    "mass_held": DifferenceKind(
        "mass", NOTED, "{0}: another mass, center or tensor, of a base that never moves"
    ),
}
OF_CONVENTIONS = {
    "sign": DifferenceKind("sign", CONVENTION, "{0} = {1} in B"),
    "zero": DifferenceKind("zero", CONVENTION, "{0} = {1} in B"),
    "joint_renamed": DifferenceKind("name", CONVENTION, "{0} is called {1} in B"),
    "link_renamed": DifferenceKind("name", CONVENTION, "{0} is called {1} in B"),
    "link_gone": DifferenceKind("name", CONVENTION, "{0} is not in B", "are not in B"),
    "order": DifferenceKind("order", CONVENTION, "{0} is joint {n0:.0f} in A, joint {n1:.0f} in B"),
    "base_frame": DifferenceKind("frame", CONVENTION, "{0}: the frame of the root is {1}"),
}
OF_DECISIONS = {
    "decided_shape": DifferenceKind("decided", DECIDED, "{0}: {1} {2} is removed"),
    "decided_copy": DifferenceKind(
        "decided", DECIDED, "{0}: {1} {numbers}, which is defined twice, is removed"
    ),
    "decided_drop": DifferenceKind(
        "decided", DECIDED, "{0} is dropped, with all that was dropped with it"
    ),
    "decided_lock": DifferenceKind("decided", DECIDED, "{1} is fixed at {n0:.6g}"),
    "decided_mass": DifferenceKind(
        "decided", DECIDED, "{0} is defined twice: its mass is not counted"
    ),
    "decided_repair": DifferenceKind(
        "decided",
        DECIDED,
        "{0}: its {1}, which simulators refuse, is repaired: {numbers}",
    ),
    "decided_axis": DifferenceKind(
        "decided", DECIDED, "{1}: its axis is rounded, turned by {n0:rad}"
    ),
    "decided_turn": DifferenceKind("decided", DECIDED, "{0}: its frame is turned"),
    "decided_angle": DifferenceKind(
        "decided", DECIDED, "angles typed as {numbers} are exact parts of pi"
    ),
    "decided_sensor_name": DifferenceKind("decided", DECIDED, "{0} ({1}) is called {2}"),
    "decided_joint": DifferenceKind(
        "decided", DECIDED, "the joint of {0} is not {1} but {2}: it moves on its own"
    ),
}
KINDS: Mapping[str, DifferenceKind] = {
    **OF_MOTION,
    **OF_MASSES,
    **OF_JOINTS,
    **OF_FRAMES_AND_SHAPES,
    **OF_SURFACES,
    **OF_COLORS,
    **OF_LIGHT,
    **OF_SENSORS,
    **OF_ACTUATORS_AND_STATES,
    **OF_PARTS,
    **OF_THE_REST,
    **OF_CONVENTIONS,
    **OF_DECISIONS,
}
# Verdicts by the class of the worst difference.
VERDICTS = {
    "same": "Same robot{counted}{but_for}: {how}",
    "rounded": "Same robot{counted}{but_for}: {how}",
    "limits": "Same motion and masses, different {what}{counted}{but_for}",
    "masses": "Same motion, different masses{counted}{but_for}: {how}",
    "base": "Different robot: the base is held in one file only{counted}{but_for}",
    "names": "Same robot, but its names stand for other joints or links{counted}{but_for}",
    "geometry": "Different robot: same joints, in other places{counted}{but_for}",
    "structure": "Different joints: {joints_a} in A, {joints_b} in B{counted}{but_for}",
    "unproven": "Same robot, but for {what} that could not be compared{counted}{but_for}{how}",
}
# The counted parts of a run's decisions, by their kind and for repairs by the repaired part: singular, and plural.
COUNTED_ACTS = {
    "shape": ("removed shape", "removed shapes"),
    "copy": ("duplicate shape", "duplicate shapes"),
    "drop": ("dropped branch", "dropped branches"),
    "lock": ("locked joint", "locked joints"),
    "mass": ("mass counted once", "masses counted once"),
    "axis": ("rounded axis", "rounded axes"),
    "turn": ("turned frame", "turned frames"),
    "angle": ("typed angle made exact", "typed angles made exact"),
    "joint": ("renamed joint", "renamed joints"),
    "sensor_name": ("renamed sensor", "renamed sensors"),
    "repair tensor": ("repaired tensor", "repaired tensors"),
    "repair point": ("point mass with a tensor", "point masses with a tensor"),
    "repair mass": ("made-up mass", "made-up masses"),
    "repair limit": ("repaired limit", "repaired limits"),
}
# Reasons why surfaces could not be compared.
WHY = {
    "steps": "they take too many steps",
    "tolerance": "they are as far apart as the tolerance",
    "empty": "one of both draws nothing",
    "witnesses": "the proof that they are the same failed",
    "pointer": "{0} is a Git LFS pointer (git lfs pull)",
    "missing": f"{{0}} is not there in {{1}}: {NO_MESHES}",
    "made": "it is made while {0} is compiled",
    "unread": "{0}: {1}",
    "colors": "which part has which color",
    "points": "which point has which color",
    "image": "an image that its mesh file names is not there, or cannot be read",
}
# The plural of a label.
SEVERAL = {
    "limit": "limits",
    "effort": "efforts",
    "velocity": "velocities",
    "mimic": "mimic joints",
    "loop": "loops",
    "frame": "frames",
    "shape": "shapes",
    "mesh": "meshes",
    "image": "images",
    "part": "parts",
    "color": "colors",
    "surface": "surfaces",
    "sensor": "sensors",
    "actuator": "actuators",
    "gravity": "gravity",
    "angle": "angles",
    "mass": "masses",
    "center": "centers of mass",
    "tensor": "tensors",
    "pairs": "pairs that never collide",
    "state": "named states",
    "joint": "dynamics",
    "link": "values of links",
}
# Reasons why equal positions are not the map of joints.
REASONS = {
    "name": "another name",
    "axis": "another sense of the axis",
    "drawn": "drawn at another position",
    "frames": "another zero in the frames",
    "carried": "another zero of what hangs on the frame",
}
# Sentences of `--adapter`.
ADAPTER = {
    "title": "Joints of '{0}' (OLD) and '{1}' (NEW), matched by urdf_simplify {2}",
    "proven": "Adapter: {0} ({1} -> {2} joints) is executed, and at {3} random positions no link is more than {4} off",
    "refused": "no adapter: {0}",
    "nothing": "no adapter: no joint that moves is in both files",
    "scale": "no adapter: it maps positions of robots of one size; leave out --scale",
    "twice": "no adapter: {1} has several joints called '{0}' that move by themselves",
    "open": "no adapter: nothing shows the zero of {0}: correct `joints` of a --report, and give it with --map",
    "ties": "no adapter: {0} of like branches, which nothing tells apart: correct `joints` of a --report, and give it with --map",
    "apart": "the robots differ: at equal positions their points are up to {0} apart",
    "alone": "not in both files, and held where they are drawn: {0}",
    "zero": "zero {0}",
}
EXACTLY = "exactly, for all positions"
TO = "for all positions, to {position} and {angle}"
MOVES = "exactly the same motion"  # used if other numbers are rounded
NOT_COMPARED = "{0}: not compared: {1}"
UNREAD_IGNORED = "{0}, line {1}: <origin> of a <link> is ignored by all readers{2}"
UNREAD_DIFFERS = "not compared, and not alike: {0}: {1} (line {2}) / {3} (line {4})"
UNREAD_MORE = "not compared, and not alike: {0} more"
RUN_SAID = "as the run said"
EXPORT_SAID = "as the export to {0} said"


def why_text(why: str, names: Texts) -> str:
    """Return the reason why surfaces could not be compared."""
    return WHY[why].format(*names)


def text_of(difference: Difference) -> str:
    """Return the sentence of a difference, with the run that noted it as lost."""
    numbers = {f"n{k}": _MeasuredNumber(value) for k, value in enumerate(difference.numbers)}
    sentence = KINDS[difference.kind].sentence.format(
        *difference.names, numbers=short(difference.numbers), **numbers
    )
    return ", ".join(filter(None, (sentence, difference.said)))


def counts_of_acts(acts: Sequence[Difference]) -> Texts:
    """Return a phrase for each sort of change in a run, with its number of parts: `3 removed shapes`.

    The phrase for made-up masses has their sum [kg].
    """
    sorts = grouped((sort_of_act(act), act) for act in acts)
    phrases = []
    for sort, several in sorts.items():
        phrase = count_of(sum(map(_count_in, several)), *COUNTED_ACTS[sort])
        if sort == "repair mass":
            phrase += f" ({short((sum(act.numbers[0] for act in several),))} kg in all)"
        phrases.append(phrase)
    return tuple(phrases)


def _count_in(act: Difference) -> int:
    """Return the number of parts that a decision changes: it may remove several shapes of a link, in each of its roles."""
    sort = sort_of_act(act)
    # The numbers of these lines are the numbers of the shapes, and the angles.
    if sort in ("copy", "angle"):
        return len(act.numbers)
    if sort == "shape":
        roles = act.names[1].split("+")  # `visual+collision`
        return len(act.numbers) * len(roles)
    return 1


def sort_of_act(act: Difference) -> str:
    """Return the key of an act in COUNTED_ACTS."""
    kind = act.kind[len("decided_") :]
    return f"{kind} {act.names[1]}" if kind == "repair" else kind


# A bound that holds for all points is rounded up, a bound that a point proves is rounded down.
ROUND_UP = "ROUND_UP"
TO_NEAREST = "ROUND_HALF_EVEN"
ROUNDINGS = {"+": ROUND_UP, "-": "ROUND_DOWN"}
NOISE = 12  # digits: further digits are the rounding of float64, not part of a bound


class _MeasuredNumber(float):
    """A number of a sentence, which `format` writes in the forms of the sentences above."""

    def __format__(self, form: str) -> str:
        """Return the number in a form, such as `m+`; other forms are the forms of a float."""
        value = float(self)
        unit = form.rstrip("+-")
        rounding = ROUNDINGS.get(form[-1:], TO_NEAREST)
        if unit == "m":
            return length_text(value, rounding)
        if unit == "rad":
            return angle_text(value, rounding)
        if form == "%":
            return part_text(value)
        if form == "with":
            return f", with {value:.0f} after it" if value else ""
        if "|" in form:
            singular, plural = form.split("|")
            return f"{value:.0f} {singular if value == 1.0 else plural}"
        return f"{value:{form}}"


def size_text(size: float, unit: str, rounding: str = TO_NEAREST) -> str:
    """Return the size of a difference in its unit, without a unit as a percentage; `rounding` is one of `decimal`."""
    if unit == "m":
        return length_text(size, rounding)
    if unit == "rad":
        return angle_text(size, rounding)
    return f"{_shortened(size, 2, rounding)} {unit}" if unit else part_text(size)


def part_text(part: float) -> str:
    """Return a part of 1 as percents, with two digits."""
    if part > 1.0:
        return "more than 100 %"
    # From 9.95 % on two digits are whole percents.
    if part > 0.0995:
        return f"{100.0 * part:.0f} %"
    return f"{100.0 * part:.2g} %"


# A number from here on is at least 1.00 of a unit in three digits: 999.6 um would read 1e+03 um, so it is 1.00 mm.
ONE_IN_THREE_DIGITS = 0.9995
NOTHING = 1e-12  # m or rad: the rounding of float64 in the pose of a robot, shown as 0
SMALL_ANGLE = (
    0.01  # rad, about half a degree: a smaller angle is rounding, for which nobody uses degrees
)


def length_text(meters: float, rounding: str = TO_NEAREST) -> str:
    """Return a length [m] in the unit that a person would use; `rounding` is one of `decimal`."""
    size = abs(meters)
    for unit, factor in (("m", 1.0), ("mm", 1e3), ("um", 1e6), ("nm", 1e9)):
        if size * factor >= ONE_IN_THREE_DIGITS:
            return f"{_shortened(meters * factor, 3, rounding)} {unit}"
    return "0 m" if size < NOTHING else f"{_shortened(meters, 1, rounding)} m"


def angle_text(radians: float, rounding: str = TO_NEAREST) -> str:
    """Return an angle [rad] in degrees, a small angle in fractions of a radian; `rounding` is one of `decimal`."""
    size = abs(radians)
    if size >= SMALL_ANGLE:
        return f"{_shortened(degrees(radians), 4, rounding)} degrees"
    for unit, factor in (("mrad", 1e3), ("urad", 1e6), ("nrad", 1e9)):
        if size * factor >= ONE_IN_THREE_DIGITS:
            return f"{_shortened(radians * factor, 3, rounding)} {unit}"
    return "0 rad" if size < NOTHING else f"{_shortened(radians, 1, rounding)} rad"


def _shortened(value: float, digits: int, rounding: str) -> str:
    """Return a number with so many significant digits, rounded as `rounding` of `decimal` says."""
    # Without the noise first, which would carry 1.0000000000000002 up to 1.01.
    text = f"{value:.{NOISE}g}"
    if rounding != TO_NEAREST:
        from decimal import Context, Decimal  # imported here: only a bound needs it

        text = str(Context(prec=digits, rounding=rounding).plus(Decimal(text)))
    return f"{float(text):.{digits}g}"


def worst_class(differences: Sequence[Difference]) -> str:
    """Return the worst class of some differences, "" without a difference that counts."""
    # NOTED and DECIDED are not in CLASSES: they do not affect the verdict.
    classes = {KINDS[difference.kind].of for difference in differences}
    return next((name for name in CLASSES if name in classes), "")


def parted(
    differences: Sequence[Difference], classes: AbstractSet[str]
) -> Tuple[Differences, Differences]:
    """Return the differences of all other classes, then the differences of the given classes."""
    others = [difference for difference in differences if KINDS[difference.kind].of not in classes]
    parted = [difference for difference in differences if KINDS[difference.kind].of in classes]
    return tuple(others), tuple(parted)
