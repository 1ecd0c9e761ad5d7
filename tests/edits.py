"""Random edits of one number or word in a file of a robot, and what a comparison does not say of them, with reasons."""

from collections import namedtuple
import math
import re
from functools import lru_cache

from urdf_tools.base.errors import UrdfError
from urdf_tools.base.file_reading import first_element
from urdf_tools.compare.read_any_format import read_bytes
from urdf_tools.urdf.spatial_math import cross, subtract

FORMATS = {"robot": "urdf", "mujoco": "mjcf", "sdf": "sdf"}
HIDDEN = re.compile(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", re.S)
VALUES = re.compile(rb"=\s*\"([^\"]*)\"|=\s*'([^']*)'|>([^<>]+)<")
TAGS = re.compile(rb"<[^>]+>")
OPPOSITE = {b"true": b"false", b"false": b"true", b"1": b"0", b"0": b"1"}
# Fields that say where something is written, and nothing of the robot.
NOT_SHOWN = ("digest", "line", "lines", "steps", "where")


class Edit(
    namedtuple("Edit", "data lines element attribute value other parent", defaults=("", "", ""))
):
    """A file with one number or word changed: the lines of it and of its tag, the element and attribute it is in.

    `value` and `other` are the whole attribute or text before and after; `parent` is the start tag of what it is in.
    """


class Row(
    namedtuple(
        "Row",
        "formats element attributes field reason when",
        defaults=(lambda edit, before, after: True,),
    )
):
    """Edits that mean nothing, without a word.

    Attributes:
        formats, element, attributes: what is edited; attributes are several words, or "*" with the element "*" for any.
        field: of the neutral record, that is then another one; "" where none is.
        reason: why it is the same robot.
        when: what has to hold of an edit and the robots before and after it; else it is no edit of this row.
    """

    def holds(self, format, edit, field, before, after):
        """Return True if an edit that changes a field is one of this row."""
        attribute = "xmlns" if edit.attribute.startswith("xmlns") else edit.attribute
        is_here = (
            self.element == "*"
            or edit.element == self.element
            and attribute in self.attributes.split()
        )
        is_field = (
            not self.field
            and not field
            or bool(self.field)
            and f"{field}.".startswith(f"{self.field}.")
        )
        return (
            format in self.formats.split()
            and is_here
            and is_field
            and self.when(edit, before, after)
        )


def is_parallel(edit, before, after):
    """Return True for numbers in the ratio that they had, or an axis of a joint that has none."""
    if re.search(r"""type\s*=\s*["'](fixed|floating)["']""", edit.parent) or "nan" in edit.value:
        return True
    first, second = (list(map(float, text.split())) for text in (edit.value, edit.other))
    sizes = math.hypot(*first), math.hypot(*second)
    return min(sizes) == 0.0 or all(
        math.isclose(p * sizes[1], q * sizes[0], abs_tol=1e-9 * sizes[0] * sizes[1])
        for p, q in zip(first, second)
    )


def is_no(edit, before, after):
    """Return True if no word before or after means yes."""
    return not {edit.value.strip().lower(), edit.other.strip().lower()} & {"1", "true", "yes"}


def is_yes(edit, before, after):
    """Return True if no word before or after means no."""
    return not {edit.value.strip().lower(), edit.other.strip().lower()} & {"0", "false", "no"}


def is_alone(edit, before, after):
    """Return True if nothing else in the file has the name."""
    return not re.search(rb"""["']""" + re.escape(edit.value.encode()) + rb"""["']""", edit.data)


def changed_joints(before, after):
    """Return the joints that an edit changed, before and after."""
    return [
        (joint, other) for joint, other in zip(before.joints, after.joints) if changed(joint, other)
    ]


def is_copy(edit, before, after):
    """Return True if each joint that changes has the name of another one."""
    names = [joint.name for joint in before.joints]
    return all(names.count(joint.name) > 1 for joint, _ in changed_joints(before, after))


def is_on_its_line(edit, before, after):
    """Return True if a joint slides, is moved along its axis, or carries nothing."""
    return all(
        joint.type == "prismatic"
        or not joint.moves
        or carries_nothing(before, joint.child)
        or math.hypot(*cross(joint.axis, subtract(other.point, joint.point))) < 1e-9
        for joint, other in changed_joints(before, after)
    )


def carries_nothing(robot, name):
    """Return True if neither a link nor what hangs on it has a mass or a shape."""
    link = next(link for link in robot.links if link.name == name)
    return (
        not link.shapes
        and (link.mass is None or link.mass.mass == 0.0)
        and all(
            carries_nothing(robot, joint.child) for joint in robot.joints if joint.parent == name
        )
    )


def is_simple(edit, before, after):
    """Return True if an equality holds one joint alone."""
    return "joint2" not in edit.data.splitlines()[edit.lines[1] - 1].decode("utf-8", "replace")


DIRECTION = "a direction has no length; a joint that does not move has no axis"
LAST = "a word that is no yes is a no; the last tag of its kind counts"
NAMED = "names may differ: the map says what is what"
LOOKED_UP = "no program looks it up"
FRAMES = "where the base lies, and frames of links, are any author's; no body is elsewhere"
FREE = "where the file draws what is free, a key or a program puts it somewhere; no quaternion has a length"
ROUND = "the shape looks as before: a round one has no direction"
LIKE = "a tensor with like moments has no axes, and one about the axis of a joint only its moment about that"
COPY = "of joints of one name the first says the bounds"
ONE_SIDE = "a word that one file does not say"
HELD = "of what never moves, or has no mass and no shape"
ANY = "urdf mjcf sdf"
POSES = "pos quat euler axisangle xyaxes zaxis"
SILENT = (
    # names
    Row("urdf", "robot", "name", "name", "the name of the whole robot is not compared"),
    Row("mjcf", "mujoco", "model", "name", "the name of the whole robot is not compared"),
    Row("sdf", "model", "name", "name", "the name of the whole robot is not compared"),
    Row("urdf sdf", "link", "name", "links.name", NAMED),
    Row("mjcf", "body", "name", "links.name", NAMED),
    Row(ANY, "joint", "name", "joints.name", NAMED),
    Row("sdf", "joint", "name", "loops.name", NAMED),
    Row("urdf", "loop_joint", "name", "loops.name", NAMED),
    Row("urdf sdf", "visual", "name", "links.shapes.name", NAMED),
    Row("urdf sdf", "collision", "name", "links.shapes.name", NAMED),
    Row("mjcf", "geom", "name", "links.shapes.name", NAMED),
    Row("mjcf", "site", "name", "frames.name", NAMED),
    Row(
        "urdf sdf",
        "frame",
        "name link",
        "frames",
        "a frame that only one file has is counted in a note",
    ),
    Row(ANY, "*", "*", "actuators.name", NAMED),
    Row(ANY, "*", "*", "sensors.name", NAMED),
    Row(ANY, "*", "*", "loops.name", NAMED),
    Row(ANY, "*", "*", "sensors.readings", NAMED),
    Row(
        ANY,
        "*",
        "*",
        "frames.name",
        "a frame that only one file has was merged, or renamed: a note counts it",
    ),
    Row("urdf", "transmission", "name", "", LOOKED_UP),
    Row("mjcf", "freejoint", "name", "", LOOKED_UP),
    Row("mjcf", "key", "name", "", "it names no position, so it is no state"),
    Row("mjcf", "default", "class", "", "nothing has this class", is_alone),
    # directions and places
    Row("urdf", "axis", "xyz", "", DIRECTION, is_parallel),
    Row("mjcf", "joint", "axis", "", DIRECTION, is_parallel),
    Row("sdf", "xyz", "text", "", DIRECTION, is_parallel),
    Row("urdf", "axis", "xyz", "joints.axis", "what it carries looks and weighs alike about both"),
    Row(
        "mjcf", "joint", "axis", "joints.axis", "what it carries looks and weighs alike about both"
    ),
    Row("sdf", "xyz", "text", "joints.axis", "what it carries looks and weighs alike about both"),
    Row(
        "mjcf",
        "joint",
        "pos",
        "joints.point",
        "a slide has no place; a hinge moves along its axis",
        is_on_its_line,
    ),
    Row("urdf", "origin", "xyz rpy", "joints.T_parent_child", FRAMES),
    Row("mjcf", "body", POSES, "joints.T_parent_child", FRAMES),
    Row("mjcf", "frame", POSES, "joints.T_parent_child", FRAMES),
    Row("sdf", "pose", "text", "joints.T_parent_child", FRAMES),
    Row("mjcf", "body", POSES, "", FREE),
    Row("mjcf", "frame", POSES, "", FREE),
    Row("mjcf", "key", "qpos", "", FREE),
    Row("mjcf", "body", POSES, "T_file_root", "a robot is the same wherever it is put"),
    Row("sdf", "pose", "text", "T_file_root", "a robot is the same wherever it is put"),
    Row("urdf", "origin", "xyz rpy", "links.shapes.T_link_shape", ROUND),
    Row("mjcf", "geom", POSES, "links.shapes.T_link_shape", ROUND),
    Row("sdf", "pose", "text", "links.shapes.T_link_shape", ROUND),
    Row("mjcf", "site", POSES, "frames.T_link_frame", "turned by right angles, as tools do"),
    Row("urdf", "frame", "rpy", "frames.T_link_frame", "turned by right angles, as tools do"),
    Row("sdf", "pose", "text", "frames.T_link_frame", "turned by right angles, as tools do"),
    # masses
    Row("urdf", "origin", "xyz rpy", "links.mass", LIKE),
    Row("urdf", "inertia", "ixx ixy ixz iyy iyz izz", "links.mass", HELD),
    Row("urdf", "mass", "value", "links.mass", HELD),
    Row("sdf", "pose", "text", "links.mass", LIKE),
    Row("sdf", "mass", "text", "links.mass", HELD),
    Row("mjcf", "geom", f"{POSES} size mass density", "links.mass", LIKE),
    Row(
        "mjcf",
        "inertial",
        f"{POSES} mass diaginertia fullinertia",
        "links.mass",
        f"{LIKE}; or {HELD}",
    ),
    Row("mjcf", "inertial", "quat", "", LIKE),
    # bounds and what moves
    Row("urdf", "limit", "lower upper effort velocity", "joints", COPY, is_copy),
    Row(ANY, "*", "*", "joints.mimic", "its leader is not there, or does not move"),
    Row(
        ANY,
        "*",
        "*",
        "joints.values",
        "of a joint that does not move, or 0, which is as good as nothing",
    ),
    Row(ANY, "*", "*", "joints.type", "nothing is behind it"),
    Row(
        "mjcf", "joint", "polycoef", "", "without a leader the first number counts alone", is_simple
    ),
    Row("mjcf", "joint", "range", "", "an equality locks the joint"),
    Row(ANY, "*", "*", "keys", "of a joint that the other file does not have"),
    # looks and surfaces
    Row("urdf", "material", "name", "", "a material that says its color itself needs no name"),
    Row(
        "urdf",
        "color",
        "rgba",
        "",
        "no visual has this material, or one of its name counts before it",
    ),
    Row(
        "urdf",
        "texture",
        "filename",
        "",
        "no visual has this material, or one of its name counts before it",
    ),
    Row(ANY, "*", "*", "links.shapes.surface", ONE_SIDE),
    Row(
        ANY,
        "*",
        "*",
        "links.shapes.file",
        "meshes of another name are compared where both files are there",
    ),
    Row(
        ANY,
        "*",
        "*",
        "links.shapes.path",
        "meshes of another name are compared where both files are there",
    ),
    Row("mjcf", "geom", "group", "", "viewers show both groups, or neither"),
    Row("mjcf", "site", "group", "", "a site is a frame, shown or not"),
    Row("mjcf", "geom", "friction condim", "", "a geom that touches nothing has none"),
    # switches
    *(Row("urdf", tag, "text", "", LAST) for tag in ("mu1", "mu2", "kp", "kd", "material")),
    *(
        Row("urdf", tag, "text", "", LAST, is_no)
        for tag in (
            "selfCollide",
            "gravity",
            "turnGravityOff",
            "provideFeedback",
            "implicitSpringDamper",
        )
    ),
    Row(
        "urdf",
        "turnGravityOff",
        "text",
        "",
        "whatever is no word for no is a yes (parser_urdf.cc)",
        is_yes,
    ),
    *(
        Row("sdf", tag, "text", "", LAST, is_no)
        for tag in (
            "gravity",
            "self_collide",
            "provide_feedback",
            "implicit_spring_damper",
            "static",
        )
    ),
    Row(ANY, "*", "*", "links.values", "of a link that is merged, or renamed"),
    # what is of the text
    Row("urdf", "robot", "version xmlns", "", "it is of the text"),
    Row(
        "urdf", "type", "text", "", "of a transmission: it names the simple one in another package"
    ),
    Row(
        "urdf",
        "hardwareInterface",
        "text",
        "",
        "of a transmission: another word for the same interface",
    ),
    Row("mjcf", "compiler", "autolimits", "", "every range says itself whether it counts"),
    Row("mjcf", "compiler", "inertiafromgeom", "", "every body says its inertia, or none does"),
    Row("mjcf", "compiler", "meshdir", "", "no mesh is in it"),
    Row("sdf", "sdf", "xmlns", "", "it is of the text"),
    Row("sdf", "sdf", "version", "", "both versions mean the same by what is written"),
)


def silent_row(format, edit, before, after):
    """Return the row of an edit that means nothing; None where it has none."""
    field = changed(before, after)
    return next((row for row in SILENT if row.holds(format, edit, field, before, after)), None)


def robots_in(*folders):
    """Return the files of each format that are read as a robot, in order."""
    files = {name: [] for name in FORMATS.values()}
    for path in sorted(
        path
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in (".urdf", ".xml", ".sdf")
        and path.is_file()
        and path.stat().st_size < 200000
    ):
        name = FORMATS.get(first_element(path.read_bytes()))
        if name is not None and robot_of(path) is not None:
            files[name].append(path)
    return files


@lru_cache(maxsize=None)
def robot_of(path):
    """Return the robot of a file, None where it is refused."""
    return read_or_refused(path.read_bytes(), path)


def read_or_refused(data, path):
    """Return the robot of a file, None where the reader refuses it."""
    try:
        return read_bytes(data, str(path))
    except UrdfError:
        return None


@lru_cache(maxsize=None)
def words_of(path):
    """Return where the words and numbers of a file begin and end, and the values they are in; none of comments."""
    data = HIDDEN.sub(lambda hidden: b" " * len(hidden.group()), path.read_bytes())
    return [
        (value.start(group) + word.start(), value.start(group) + word.end(), *value.span(group))
        for value in VALUES.finditer(data)
        for group in (1, 2, 3)
        if value.group(group) is not None
        for word in re.finditer(rb"\S+", value.group(group))
    ]


def edit_of(path, index, *, opposite):
    """Return the file with a word changed: a number made larger, a word longer, or what can be told from it."""
    data, (start, end, first, last) = path.read_bytes(), words_of(path)[index % len(words_of(path))]
    word = data[start:end]
    try:
        other = b"%g" % (1.37 * float(word) + 0.11)
    except ValueError:
        other = word + b"x"
    if opposite:
        other = OPPOSITE.get(word, other)
    begin = data.rfind(b"<", 0, start)
    tag = re.match(rb"<([\w:.-]+)", data[begin:start])
    attribute = re.search(rb"([\w:.-]+)\s*=\s*[\"'][^\"']*$", data[begin:start])
    return Edit(
        data[:start] + other + data[end:],
        (data.count(b"\n", 0, start) + 1, data.count(b"\n", 0, begin) + 1),
        tag.group(1).decode() if tag else "",
        attribute.group(1).decode() if attribute else "text",
        data[first:last].decode("utf-8", "replace"),
        (data[first:start] + other + data[end:last]).decode("utf-8", "replace"),
        parent_of(data[:begin]),
    )


def parent_of(data):
    """Return the start tag of the element that is open at the end of a text."""
    depth = 0
    for tag in reversed(TAGS.findall(HIDDEN.sub(b"", data))):
        if tag.startswith(b"</"):
            depth += 1
        elif not tag.endswith(b"/>"):
            if not depth:
                return str(tag.decode("utf-8", "replace"))
            depth -= 1
    return ""


def changed(a, b):
    """Return the first field by which two records differ, as `links.mass.center`; "" where none does."""
    if hasattr(a, "_fields") and type(a) is type(b):
        for field in a._fields:
            inner = changed(getattr(a, field), getattr(b, field)) if field not in NOT_SHOWN else ""
            if inner:
                return f"{field}.{inner}".rstrip(".=")
    elif isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return next(
            (inner for first, other in zip(a, b) for inner in [changed(first, other)] if inner), ""
        )
    elif isinstance(a, dict) and isinstance(b, dict) and a.keys() == b.keys():
        return next(
            (f"{key}.{inner}" for key in a for inner in [changed(a[key], b[key])] if inner), ""
        )
    elif a != b:
        return "="
    return ""
