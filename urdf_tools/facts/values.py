"""Every value outside links and joints that a frame or a sign changes: a rule for each tag, which plan and proof share.

The plan lets each value follow (`plan/update_values.py`), the proof finds each again in the result
(`verify/world_values.py`), with arithmetic of their own; neither knows a tag. A new tag is a row of `RULES`, and a
fixture that shows it.
"""
from typing import Callable, Collection, Dict, Iterator, Mapping, NamedTuple, Optional, Sequence, Tuple

from ..base.diagnostics import Kind
from ..base.kinds import (ADDED_MASS, BUSHING_FRAME, COUPLING_SIGN, DIRECTION_FRAME, FLIPPED_JOINT, FRAME_NAME,
                          LOOP_FRAME, MISSING_POINT, PLUGIN_BODY, PLUGIN_VECTOR, SENSOR_FRAME, UNREADABLE_POSE)
from ..base.number_text import numbers_in
from ..urdf.lossless_xml import Element
from ..urdf.references import LOOP_WORDS
from ..urdf.simulator_values import frame_of_pose, WITHOUT_POSE
from .tags import (BODY_TAGS, COEFFICIENT, DIRECTED, FRAME_TAGS, OFFSETS, ORIGIN_KEYS, OWN_BODY, PLUGIN_POINTS,
                   PLUGIN_VECTORS, RANGE_OF, READ_OFFSETS, READ_ORIGIN)

POSE, ORIGIN, OFFSET_POSE = "pose", "origin", "offsets"  # six numbers, xyz and rpy, or two children, in a frame
POINT, DIRECTION = "point", "direction"  # three numbers in a frame
AXES, FRAME_POSE = "axes", "frame"  # told along the axes of a frame, or in that frame, in a way that cannot follow
SIGNED, RANGE = "number", "range"  # one number, or the parameters of a range, with the sign of joints
LINK, FRAME, COLLISION = "link", "frame name", "collision"  # names: of a body, of a frame that is looked up, of a shape

Place = Tuple[Element, str]  # an element, and its attribute, "" for its text, "<name>" for a child that may be made


class Tree(NamedTuple):
    """What the rules ask of a robot.

    Attributes:
        element, root: `<robot>`, and its root link.
        links: the names of links.
        child_of: child links by joint name.
        above: by child link, its parent, and the name of the joint between them ("" if that cannot move).
        extras: by link, what URDF does not define in it.
    """

    element: Element
    root: str
    links: Collection[str]
    child_of: Mapping[str, str]
    above: Mapping[str, Tuple[str, str]]
    extras: Mapping[str, Sequence[Element]]

    def link_of(self, frame: str) -> str:
        """Return the link whose frame is meant by a name of SDF, "" without one: a joint's is that of its child."""
        return self.root if frame == "__model__" else frame if frame in self.links else self.child_of.get(frame, "")

    def joints_above(self, link: str) -> Dict[str, str]:
        """Return the joints from a link up to the root, by their child links."""
        found: Dict[str, str] = {}
        while link in self.above:
            parent, found[link] = self.above[link]
            link = parent
        return found


class Value(NamedTuple):
    """One value.

    Attributes:
        element: whose it is: messages name it.
        kind: what it is.
        link: the link in whose frame it is told, or whose name it is; "": none.
        places: where it is written; none: it is not, and its reader takes a default.
        signs: groups of joints. It changes its sign with each group, whose joints must all change theirs, or none.
        left: the warning where it cannot follow; its sentence is about the element, the link, and how to keep that.
    """

    element: Element
    kind: str
    link: str = ""
    places: Tuple[Place, ...] = ()
    signs: Tuple[Tuple[str, ...], ...] = ()
    left: Optional[Tuple[Kind, str]] = None


def values_in(tree: Tree) -> Iterator[Value]:
    """Yield every value, in the order of the file, those inside links first."""
    for link, extras in tree.extras.items():
        for element in extras:
            yield from _in_link(element, link)
    for top in tree.element.elements():
        rule = RULES.get(top.name) or (_loop if is_loop(top) else None)
        if rule is not None:
            yield from rule(tree, top)


def is_known(top: Element) -> bool:
    """Return True if there is a rule for an element of the robot."""
    return top.name in RULES or is_loop(top)


def is_loop(top: Element) -> bool:
    """Return True for what closes a loop: exporters have many names for it."""
    return top.name not in RULES and any(word in top.name.lower() for word in LOOP_WORDS)


def posed_itself(element: Element) -> bool:
    """Return True if xyz or rpy are on the element, and not on an `<origin>` in it."""
    return any(element.get(key) is not None for key in ORIGIN_KEYS)


def value_place(element: Element) -> str:
    """Return where a simulator tag has its value: "value", or "" for the text."""
    return "value" if element.get("value") is not None else ""


def child_text(top: Element, name: str) -> str:
    """Return the text of the first child of a name, "" without one."""
    child = top.find(name)
    return child.text().strip() if child is not None else ""


def _origin(element: Element, link: str, *, plain: bool = False, read: bool = True) -> Value:
    """Return the pose that an `<origin>`, or xyz and rpy on the element itself, give it in a link.

    Where there is neither, one is made if it is `read`: an `<origin>`, or attributes of the element if it is `plain`.
    """
    origin = element.find("origin")
    place = element if origin is None and (plain or posed_itself(element)) else origin
    if place is None and not read:
        return Value(element, FRAME_POSE, link, left=(LOOP_FRAME, "pose"))
    places = [(place, key) for key in ORIGIN_KEYS] if place is not None else [(element, "<origin>")]
    return Value(element, ORIGIN, link, tuple(places))


def _pose(element: Element, link: str) -> Value:
    pose = element.find("pose")
    return Value(element, POSE, link, ((element, "<pose>") if pose is None else (pose, ""),))


def _signed(element: Element, *signs: Tuple[str, ...], of: Optional[Element] = None, key: Optional[str] = None
            ) -> Value:
    """Return a number: in an attribute, else in `value`, else in the text."""
    return Value(of or element, SIGNED, "", ((element, value_place(element) if key is None else key),), signs)


def _name(element: Element, key: str, link: str) -> Value:
    return Value(element, LINK, link, ((element, key),))


def _in_link(element: Element, link: str) -> Iterator[Value]:
    """Anything in a link that has a pose; one that is told in another frame is left as it is.

    | `<frame>`, `<sensor>` and others with a pose in a link | move along | origin or `<pose>` moves; of others, with
    another number: warning | |
    """
    pose = element.find("pose")
    if pose is None and (element.name in ("frame", "sensor") or posed_itself(element) or element.find("origin")):
        yield _origin(element, link, plain=element.name == "frame")
    elif pose is not None and not pose.get("relative_to"):
        yield _pose(element, link)


def _sensor(tree: Tree, top: Element) -> Iterator[Value]:
    """A sensor of the robot, in a link or a joint.

    | top-level `<sensor>` | renamed | origin moves, `quat_xyzw` too | |
    """
    parent = top.find("parent")
    if parent is not None:
        link = parent.get("link") or ""
        if link in tree.links:
            yield _name(parent, "link", link)
        yield _origin(top, link or tree.child_of.get(parent.get("joint") or "", ""))


def _loop(tree: Tree, top: Element) -> Iterator[Value]:
    """Frames, loop joints, constraints: whatever names a link, and has a pose in addition to the name.

    An axis there is relative to that pose, so it stays as it is.

    | top-level `<frame>`, loops, constraints, bushings | the link is kept for a loop; renamed | origin moves; without
    one, and where none is read: warning | warning |
    """
    plain = top.name == "frame" or any(posed_itself(e) for e in top.walk() if e.name not in ("origin", "axis"))
    for element in top.walk():
        for key in ("link", "body", "reference", "name"):
            link = element.get(key) or ""
            if link in tree.links and (key != "name" or element is not top and "joint" not in element.name.lower()):
                yield _name(element, key, link)
                yield _origin(element, link, plain=plain, read=(top.name, element.name) in READ_ORIGIN)
        if element.text().strip() in tree.links:
            yield Value(element, FRAME_POSE, element.text().strip(), left=(LOOP_FRAME, "text"))


def _ros2_control(tree: Tree, top: Element) -> Iterator[Value]:
    """Ranges, initial values and mimic parameters of joints, frames of sensors. (https://control.ros.org)

    | `<ros2_control>` | the link is kept | frame of a sensor: warning | min, max, initial value, mimic; hardware that
    is no simulator: warning |
    """
    for part in top.walk():
        link = part.text().strip() if part.name == "param" else ""
        if link in tree.links and part.parent is not None and part.parent.name != "joint":
            yield Value(part, AXES, link, left=(SENSOR_FRAME, "parameter"))
    for joint in top.elements("joint"):
        own = (joint.get("name") or "",)
        parameters = {p.get("name"): p for p in joint.elements("param")}
        multiplier, offset = parameters.get("multiplier"), parameters.get("offset")
        if "mimic" in parameters:
            leader = (parameters["mimic"].text().strip(),)
            yield _signed(multiplier, own, leader, of=joint) if multiplier is not None else (
                Value(joint, SIGNED, signs=(own, leader), left=(FLIPPED_JOINT, "multiplier")))
            if offset is not None:
                yield _signed(offset, own, of=joint)
        for interface in joint.elements():
            ranged = {p.get("name"): p for p in interface.elements("param") if p.get("name") in RANGE_OF}
            if ranged and interface.name in ("command_interface", "state_interface") and (
                    interface.get("name") or "").endswith(DIRECTED):
                yield Value(interface, RANGE, "", tuple((p, key) for p in ranged.values() for key in ("", "name")),
                            (own,))


def _coupling(tree: Tree, top: Element) -> Iterator[Value]:
    """The ratio in ratio * (sum of the positions on one side) = (that sum on the other).

    The sides are the joints from the nearest common ancestor to each of both links (URDF+: Chignoli et al.,
    arXiv:2411.19753).

    | `<coupling>` (URDF+) | renamed | | `ratio` by the signs of both sides; mixed signs: warning |
    """
    sides, ratio = [], top.find("ratio")
    for end in (top.find("predecessor"), top.find("successor")):
        link = (end.get("link") or "") if end is not None else ""
        if end is not None and link in tree.links:
            yield _name(end, "link", link)
        sides.append(tree.joints_above(link))
    signs = [tuple(joint for child, joint in side.items() if joint and not (child in sides[0] and child in sides[1]))
             for side in sides]
    value = _signed(ratio, *signs, of=top) if ratio is not None else Value(top, SIGNED, signs=tuple(signs))
    yield value._replace(left=(COUPLING_SIGN, "ratio"))


def _points(tree: Tree, top: Element) -> Iterator[Value]:
    """The points of a ball constraint or spring, each given in the frame of its body.

    A point that is not written is at the origin of its body, but for p_BQ of a ball constraint: Drake puts that one
    where P is. (https://drake.mit.edu/doxygen_cxx/group__multibody__parsing.html)

    | `<drake:ball_constraint>`, `<drake:linear_spring_damper>` | renamed, points move | points move; of a spring
    without one: warning | |
    """
    for body, point in ((top.find(top.name + body), top.find(top.name + point))
                        for body, point in (("_body_A", "_p_AP"), ("_body_B", "_p_BQ"))):
        link = (body.get("name") or "") if body is not None else ""
        if body is not None and link in tree.links:
            yield _name(body, "name", link)
            if point is not None:
                yield Value(point, POINT, link, ((point, value_place(point)),))
            elif top.name != "drake:ball_constraint":
                yield Value(body, FRAME_POSE, link, left=(MISSING_POINT, "point"))


def _bushing(tree: Tree, top: Element) -> Iterator[Value]:
    """A bushing between links themselves has no pose that could follow, unlike one between `<frame>`s.

    | `<drake:linear_bushing_rpy>` between links | renamed if it is the same frame | warning | |
    """
    for element in top.elements():
        link = element.get("name") or ""
        if element.name in ("drake:bushing_frameA", "drake:bushing_frameC") and link in tree.links:
            yield Value(element, FRAME, link, ((element, "name"),), left=(BUSHING_FRAME, "frame"))


def _tendon(tree: Tree, top: Element) -> Iterator[Value]:
    """The length of a tendon is the sum of a * q.

    | `<drake:tendon_constraint>` | warning | | coefficient `a` |
    """
    for element in top.elements("drake:tendon_constraint_joint"):
        if element.get("a") is not None:
            yield _signed(element, (element.get("name") or "",), key="a")


def _filter(tree: Tree, top: Element) -> Iterator[Value]:
    """The members of a collision filter group.

    | `<drake:collision_filter_group>` | renamed; a filter that becomes wider: warning | | |
    """
    for element in top.walk():
        if element.get("link") in tree.links:
            yield _name(element, "link", element.get("link") or "")


def _gazebo(tree: Tree, top: Element) -> Iterator[Value]:
    """A block of a link, of a joint, or of the model.

    | `<gazebo>`: sensors, lights, projectors, joints, frames, links | the link is kept for a sensor; renamed
    | `<pose>` moves with its link, or with the frame that it is `relative_to` or `attached_to`; `<fluid_added_mass>`:
    warning | `springReference` |
    """
    owner = top.get("reference") or ""
    for element in top.elements("springReference"):
        yield _signed(element, (owner,), of=top)
    for sensor in top.elements("sensor"):
        yield from _told_by_sensor(tree, sensor, owner)
    for element in top.elements("inertial"):
        if any(part.name == "fluid_added_mass" for part in element.walk()):
            yield Value(element, FRAME_POSE, owner, left=(ADDED_MASS, "inertial"))
    for element in top.walk():
        link, text = tree.link_of(frame_of_pose(element, top)), element.text().strip()
        if link:
            yield _pose(element, link)
        for holder, key in ((element, "attached_to"), (element.find("pose"), "relative_to")):
            name = (holder.get(key) or "") if holder is not None else ""
            if holder is not None and name in tree.links:
                yield _name(holder, key, name)
            elif holder is not None:
                yield from (Value(holder, FRAME_POSE, link, left=(UNREADABLE_POSE, "scoped"))
                            for link in map(tree.link_of, name.split("::")) if link and "::" in name)
        if element.name in ("fdir1", "xyz"):
            yield from _told_direction(tree, element, top)
        elif element.name == "plugin":
            yield from _plugin(element, owner)
            yield from _told_by_plugin(element, owner)
        elif element.name in BODY_TAGS and text in tree.links:
            yield _name(element, "", text)
        elif element.name in FRAME_TAGS and text in tree.links:
            yield Value(element, FRAME, text, ((element, ""),), left=(FRAME_NAME, "turns"))
        elif element.name == "collision" and element.parent is not None and element.parent.name == "contact":
            yield Value(element, COLLISION, "", ((element, ""),))


def _told_by_sensor(tree: Tree, sensor: Element, owner: str) -> Iterator[Value]:
    """A sensor in a joint measures in the frame of its child; a plugin of one publishes in some frame.

    If it names none, that is the frame of the link, which may turn while the sensor does not.

    | its sensors in joints, or with a plugin that names no frame | | warning | |
    """
    child, plugin = tree.child_of.get(owner, ""), any(part.name == "plugin" for part in sensor.walk())
    if owner not in tree.links or child != owner and sensor.get("type") == "force_torque":
        yield Value(sensor, AXES, child, left=(SENSOR_FRAME, "measures"))
    elif plugin and sensor.get("type") not in WITHOUT_POSE and not any(
            part.name in FRAME_TAGS for part in sensor.walk()):
        yield Value(sensor, AXES, owner, left=(SENSOR_FRAME, "implied"))


def _told_direction(tree: Tree, element: Element, top: Element) -> Iterator[Value]:
    """A friction direction, or an axis, in the frame that its `*:expressed_in` names.

    Without one the direction is told in the frame of its collision, which does not turn (sdformat sdf/1.9/surface.sdf),
    and the axis in that of its joint. sdformat hands the `expressed_in` of a direction on in a `<collision>` only.

    | its `fdir1` and `xyz` | renamed | turn with the frame that `*:expressed_in` names; `fdir1` without one stays: it
    is given in the frame of its collision | |
    """
    key = next((key for key in element.attributes if key.split(":")[-1] == "expressed_in"), "")
    frame, owner = element.get(key) or "", top.get("reference") or ""
    link = tree.link_of(frame)
    if frame and element.parent is top and owner:
        yield Value(element, AXES, link, left=(DIRECTION_FRAME, "block"))
    elif link:
        yield Value(element, DIRECTION, link, ((element, value_place(element)),))
        if frame in tree.links:
            yield _name(element, key, frame)
    elif frame:
        yield Value(element, AXES, owner, left=(DIRECTION_FRAME, "no-link"))


def is_mimic_plugin(plugin: Element) -> bool:
    """Return True for a plugin that lets `<mimicJoint>` follow `<joint>`."""
    return all(plugin.find(name) is not None for name in ("joint", "mimicJoint", "multiplier"))


def _plugin(plugin: Element, owner: str) -> Iterator[Value]:
    """The numbers of a mimic plugin, or the offsets that a plugin has in the frame of its body.

    A body that is named is worked in, but for forces along the axes of the world; vectors are warned of one by one.

    | its plugins: `bodyName`, `body_name`, offsets, gripper links | renamed, moved | offsets move; without one:
    warning | mimic plugins: multiplier, offset |
    """
    if is_mimic_plugin(plugin):
        leader, follower = ((child_text(plugin, name),) for name in ("joint", "mimicJoint"))
        for part, signs in ((plugin.find("multiplier"), (leader, follower)), (plugin.find("offset"), (follower,))):
            if part is not None:
                yield _signed(part, *signs, of=plugin)
        return
    spelling = OFFSETS[any(map(plugin.find, OFFSETS[1]))][1:]
    written = any(map(plugin.find, spelling))
    in_world = child_text(plugin, "force_frame") == "world"
    named = not in_world and any(part.name in OWN_BODY for part in plugin.elements()) and not any(
        part.name in (*PLUGIN_POINTS, *PLUGIN_VECTORS) for part in plugin.walk())
    if written or named:
        reads = READ_OFFSETS.search(plugin.get("filename") or "") and any(plugin.find(name) for name, *_ in OFFSETS)
        places = [(part, "") if part is not None else (plugin, f"<{name}>")
                  for name, part in zip(spelling, map(plugin.find, spelling))]
        yield Value(plugin, OFFSET_POSE, _body_of(plugin, owner), tuple(places)) if written or reads else (
            Value(plugin, FRAME_POSE, _body_of(plugin, owner), left=(PLUGIN_BODY, "offset")))


def _told_by_plugin(plugin: Element, owner: str) -> Iterator[Value]:
    """Points, vectors and coefficients of a plugin, in the frame of its body, or of the `<link name>` around them.

    | other points, vectors and coefficients of plugins | warning | warning | |
    """
    if is_mimic_plugin(plugin):
        return
    body = _body_of(plugin, owner)
    for element in plugin.walk():
        link, above = body, element
        while above is not plugin and above.parent is not None:
            above = above.parent
            if above.name == "link" and above.get("name"):
                link = above.get("name") or ""
                break
        if element.name in PLUGIN_POINTS and numbers_in(element.text(), 3):
            yield Value(element, FRAME_POSE, link, left=(PLUGIN_VECTOR, "point"))
        elif element.name in PLUGIN_VECTORS and numbers_in(element.text(), 3):
            yield Value(element, AXES, link, left=(PLUGIN_VECTOR, "vector"))
    if any(COEFFICIENT.fullmatch(element.name) for element in plugin.walk()):
        yield Value(plugin, AXES, body, left=(PLUGIN_VECTOR, "coefficients"))


def _body_of(plugin: Element, owner: str) -> str:
    """Return the body in whose frame a plugin works."""
    return next((part.text().strip() for part in plugin.elements() if part.name in OWN_BODY), owner)


RULES: Dict[str, Callable[[Tree, Element], Iterator[Value]]] = {
    "gazebo": _gazebo,
    "sensor": _sensor,
    "frame": _loop,
    "ros2_control": _ros2_control,
    "coupling": _coupling,
    "drake:collision_filter_group": _filter,
    "drake:ball_constraint": _points,
    "drake:linear_spring_damper": _points,
    "drake:linear_bushing_rpy": _bushing,
    "drake:tendon_constraint": _tendon,
}
