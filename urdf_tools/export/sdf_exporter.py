"""The SDF file of a run, and the proof of a text: it is read again and compared with the URDF's own text, or with the
model if there is no text.
"""

from __future__ import annotations

import os
from itertools import chain
from typing import (
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
    AbstractSet,
    Dict,
    Iterable,
    Set,
)

from ..base.record_type import Record
from ..base.errors import ProofFailed
from ..base.number_text import grouped, numbers_in
from ..compare.read_any_format import read_bytes
from ..formats.shared_lowering import DONE, OneShape
from ..formats.reader_helpers import closing_loops
from ..formats.sdf.elements_known_to_sdf import PREFIX
from ..formats.sdf.read_sdf import read_sdf_tree
from ..formats.sdf.read_sdf_frames import ModelFrames
from ..formats.sdf.write_sdf import make_sdf, SdfDecisions
from ..formats.urdf.simulator_tags_of_model import link_values
from ..formats.urdf.read_simulator_tags import SURFACE
from ..formats.format_values import OF_SOLVER
from ..formats.xml_reader import XmlElement, read_xml, words_in
from ..model.export_options import checked, SdfOptions
from ..model.model_problems import check_sound
from ..model.model_records import RobotRecord, WrittenModel
from ..robot.canonical_robot import canonical
from ..robot.raw_robot import RawFrame, RawRobot, Word, RawShape
from ..run.run_records import ExportedFiles
from .decision_notes import decided_for
from .shared_run_values import (
    base_of,
    files_for_sdf,
    in_input,
    mesh_table,
    reference_of_run,
    sound_model,
    unseen,
    verify_name,
)
from .missing_parts import lacking, losses, read_again_line, shape_counts, unknown_meshes
from .export_proof import ExportDecisions, inside, reference_of, verify_text, with_frames
from .export_request import ExportRequest


def export_sdf(request: ExportRequest) -> ExportedFiles:
    """Return the SDF file.

    Raises:
        UrdfError: an option cannot be used, or SDF cannot hold a part of the robot.
    """
    reference = reference_of_run(request)
    robot = _as_gazebo_lumps(sound_model(request), reference)
    path = str(request.choices["sdf"])
    meshes, images, assumed = mesh_table(request)
    files = {**meshes, **images}
    names, warnings = files_for_sdf(files, os.path.dirname(path))
    base, held = base_of(request)
    options = SdfOptions(
        base=base, mesh_files=tuple(names.items()), spelled=request.spelled, line_of=request.line_of
    )
    written, read = in_input(
        request, lambda: write_sound_sdf(robot, options, _with_lumped_values(reference))
    )
    verify_uris(
        names,
        os.path.dirname(path),
        {name: file.target for name, file in files.items() if file.source is not None},
    )
    decided, mark = decided_for(request, written.notes, read)
    lacks = (
        *lacking("SDF", reference, shape_counts(read)),
        *losses("SDF", reference, read_bytes(written.text.encode(), path), decided),
        *unknown_meshes(
            reference,
            (name for name in files if name not in names),
            (os.path.dirname(request.path), os.path.dirname(path)),
        ),
    )
    lines = [
        read_again_line("SDF", path, lacks),
        *(f"SDF: {note}" for note in (*held, *written.said)),
    ]
    # The XML declaration must stay first.
    text = written.text.replace("?>\n", f"?>\n{mark}\n", 1)
    return ExportedFiles(
        ((path, text.encode("utf-8")),),
        tuple(lines),
        (*assumed, *warnings, *written.notes),
        left=unseen("SDF", robot, meshes),
        decided=decided,
        but_for=lacks,
    )


def _with_lumped_values(robot: RawRobot) -> RawRobot:
    """Return a robot whose links have the values that count in Gazebo.

    Gazebo joins the links of a URDF across fixed joints, and reads the first `<gravity>`, `<selfCollide>` and
    `<dampingFactor>` of them for all. It joins no links of an SDF, so each link says there what counts for it.
    """
    return robot.with_each(
        links=lambda link: (
            link if link.lumped_values is None else link._replace(values=link.lumped_values)
        )
    )


def _as_gazebo_lumps(model: RobotRecord, robot: RawRobot) -> RobotRecord:
    """Return a model whose links have the values that count in Gazebo, as in `_with_lumped_values`."""
    lumped = {link.name: link.lumped_values for link in robot.links}
    links = []
    for link in model.links:
        values = lumped.get(link.name)
        if values is not None:
            fields = dict.fromkeys(("self_collide", "gravity", "velocity_decay"))
            link = link._replace(**{**fields, **link_values(values)})
        links.append(link)
    return model._replace(links=tuple(links))


OWN = ("link", "joint", "frame")
AT_ORIGIN = "0 0 0 0 0 0"
# Elements of numbers, listed independently of the writer: none of them needs the prefix.
ELEMENTS_BY_COUNT = {
    1: "limit/lower limit/upper limit/effort limit/velocity dynamics/damping dynamics/spring_reference "
    "dynamics/spring_stiffness inertial/mass inertia/ixx inertia/ixy inertia/ixz inertia/iyy inertia/iyz inertia/izz "
    "cylinder/radius cylinder/length capsule/radius capsule/length sphere/radius",
    2: "plane/size",
    3: "axis/xyz box/size ellipsoid/radii mesh/scale plane/normal",
    4: "material/diffuse",
    6: "inertial/pose link/pose joint/pose frame/pose visual/pose collision/pose",
}
NUMBERS: Dict[str, int] = {}
for _count, _elements in ELEMENTS_BY_COUNT.items():
    NUMBERS.update(dict.fromkeys(_elements.split(), _count))


def verify_sdf(text: str, source: Union[RobotRecord, RawRobot], decided: SdfDecisions) -> RawRobot:
    """Compare the text with the robot, and return it as it was read.

    Raises:
        ProofFailed: the text differs from the robot; the message names the difference.
    """
    options = decided.options
    reference = reference_of(source)
    robot = _as_sdf_holds(reference)
    for frame in options.frames:
        if frame.link in decided.links and frame not in decided.frames.values():
            raise ProofFailed(f"SDF: frame '{frame.name}' is not written")
    top = read_xml(text)
    has_prefix = f"xmlns:{PREFIX[:-1]}" in top.attributes or PREFIX in text
    # The whole text must hold all of `<gazebo>`. Then all that was copied is taken out, step by step, so that the reader
    # sees only the robot itself.
    _verify_complete(top, robot, decided)
    _take_copied(top, reference)
    robot = _repainted(top, robot, decided)
    if has_prefix:
        _without_prefix(top)
    _take_posed(top, robot, decided.links)
    written = _plain(_read(top)) if has_prefix else _read(top)
    _verify_still_joints(written, robot)
    frames = tuple(
        RawFrame(name, frame.link, frame.pose.transform) for name, frame in decided.frames.items()
    )
    robot = with_frames("SDF", robot, frames)
    for name, frame in decided.frames.items():
        if frame.name != name and not name.startswith(f"{frame.name}_"):
            raise ProofFailed(f"SDF: frame '{frame.name}' is called '{name}'")
    verify_text(
        written,
        robot,
        ExportDecisions(
            format="SDF",
            links=decided.links,
            joints=decided.joints,
            left_out=decided.left_out,
            files=dict(options.mesh_files),
            base=options.base,
        ),
    )
    copied = tuple(loop for loop in reference.loops if loop.words)
    return written._replace(loops=(*written.loops, *copied))


def _as_sdf_holds(robot: RawRobot) -> RawRobot:
    """Return the robot without the values that SDF cannot hold."""
    if robot.sensors and "floating" in (joint.type for joint in robot.joints):
        # A frame beside a robot that floats carries no sensor.
        bodies = canonical(robot._replace(sensors=())).body_of
        sensors = [sensor for sensor in robot.sensors if sensor.joint or sensor.link in bodies]
        robot = robot._replace(sensors=tuple(sensors))
    joints = []
    for joint in robot.joints:
        # SDF has no floating joint, and so no values of one.
        if joint.type == "floating":
            joint = joint._replace(values={})
        joints.append(joint)
    # Of all loops only these are written.
    loops = tuple(closing_loops(robot))
    return robot._replace(actuators=(), loops=loops, joints=tuple(joints))


def _verify_still_joints(written: RawRobot, robot: RawRobot) -> None:
    """Compare solver parameters of fixed joints, which `verify_text` ignores, as it merges links that cannot move."""
    # A malformed robot may have several joints of one name.
    fixed = grouped((joint.name, joint) for joint in robot.joints if joint.type == "fixed")
    for joint in written.joints:
        if joint.type == "fixed" and joint.name in fixed:
            for word in OF_SOLVER:
                if all(
                    joint.values.get(word) != other.values.get(word) for other in fixed[joint.name]
                ):
                    raise ProofFailed(
                        f"SDF: {word} of the fixed joint '{joint.name}' is not the robot's"
                    )


def _without_prefix(top: XmlElement) -> None:
    """Strip our namespace prefix; elements with words in place of numbers keep it, so that they stay unread.

    Raises:
        ProofFailed: an attribute of a link, joint or frame has it, or an element that any program could read.
    """
    for element in top.walk():
        there = element.attributes
        names = [name for name in there if name.startswith(PREFIX)] if there else ()
        if names and element.tag in OWN:
            raise ProofFailed(
                f"SDF: an attribute of {element!r} has the prefix {PREFIX}, so no program reads it"
            )
        for name in names:
            there[_plain_path(name)] = there.pop(name)
        for child in element.children:
            if child.tag.startswith(PREFIX):
                plain = _plain_path(child.tag)
                count = NUMBERS.get(f"{element.tag}/{plain}", 0)
                if count and numbers_in(child.text, count):
                    raise ProofFailed(
                        f"SDF: {child!r} in {element!r} has the prefix {PREFIX}, so no program reads it"
                    )
                if child.children or not child.text or numbers_in(child.text, 1):
                    child.tag = plain


def _read(top: XmlElement) -> RawRobot:
    """Parse the text; a frame that no link holds is in the world, at its pose in the model."""
    model = top.all("model")[0]
    written = read_sdf_tree(top)
    if all(link.name != "world" for link in written.links):
        return written
    frames = ModelFrames(model, (1, 12))  # a version that has `attached_to`
    names = [str(frame.attributes.get("name")) for frame in model.all("frame")]
    still = {
        name: RawFrame(name, "world", frames.T_model(name))
        for name in names
        if frames.holder_of(name) == "__model__"
    }
    moving = [frame for frame in written.frames if frame.name not in still]
    by_joints = [loop for loop in written.loops if loop not in closing_loops(written)]
    written = written._replace(frames=(*moving, *still.values()))
    # Find closing loops again, with frames of the world: an end may be in the world.
    return written._replace(loops=(*by_joints, *closing_loops(written)))


def _plain(written: RawRobot) -> RawRobot:
    """Return the robot as it was read, with the prefix removed from its unread elements and sensors."""
    return written._replace(
        unread=tuple(
            element._replace(words=_plain_words(element.words)) for element in written.unread
        ),
        sensors=tuple(
            sensor._replace(words=_plain_words(sensor.words)) for sensor in written.sensors
        ),
    )


def _plain_words(words: Sequence[Word]) -> Tuple[Word, ...]:
    """Return words without the prefix in their paths and attributes."""
    plain: List[Word] = []
    for path, attributes, text in words:
        plain_attributes = sorted((_plain_path(name), value) for name, value in attributes)
        plain.append((_plain_path(path), tuple(plain_attributes), text))
    return tuple(plain)


def _plain_path(path: str) -> str:
    """Return a path of tags without the prefix."""
    return f"/{path}".replace(f"/{PREFIX}", "/")[1:]


def _take_copied(top: XmlElement, robot: RawRobot) -> None:
    """Remove from the model the elements copied word for word: the contents of `<gazebo>` without a reference.

    Raises:
        ProofFailed: they are not the robot's, or the model has an element other than links, joints and frames.
    """
    # A comparison of robots cannot see the meaning of a copy, except a <joint> that closes a loop. So all copies are
    # compared as text, and removed before the model is read. The writer puts them last: as many elements as the robot
    # has at the top of <gazebo> are taken from the end, and only links, joints and frames can remain.
    for model in top.all("model"):
        due = sorted(_copied_blocks(robot))
        first = len(model.children) - len(due)
        copied = XmlElement("model", {})
        copied.children = model.children[first:]
        found = sorted(_plain_words(words_in((element,))) for element in copied.children)
        if found != due:
            raise ProofFailed(
                "SDF: what <gazebo> brought is not what it says: "
                f"{ {*chain.from_iterable(found)} ^ {*chain.from_iterable(due)} }"
            )
        for element in model.children[:first]:
            if element.tag not in OWN:
                raise ProofFailed(
                    f"SDF: the model holds {element!r}, which the robot does not have"
                )
        model.children = model.children[:first]


def _copied_blocks(robot: RawRobot) -> Iterator[Tuple[Word, ...]]:
    """Yield the words of each element that an SDF has as it stands: from a `<gazebo>` without a reference, and closed loops.

    The reader of a URDF leaves such a block as a whole, or its elements one by one.
    """
    for loop in robot.loops:
        if loop.words:
            yield loop.words
    for unread in robot.unread:
        tag, attributes, _ = unread.words[0]
        # Other attributes of the block do not matter.
        if tag == "gazebo" and not dict(attributes).get("reference"):
            yield from _children(unread.words)
        elif tag and unread.steps[:-1] == ("gazebo ",):  # not attributes alone
            yield unread.words


def _verify_complete(top: XmlElement, robot: RawRobot, decided: SdfDecisions) -> None:
    """Refuse a text in which an element of `<gazebo reference>` is neither copied nor noted.

    Raises:
        ProofFailed: names the first such element.
    """
    due: List[Tuple[str, GazeboPart]] = []
    for unread in robot.unread:
        has_element = unread.words[0][0] != ""  # not attributes alone
        if unread.reference and has_element:
            due += [(unread.reference, part) for part in _parts_of(unread.words)]
    copies = _copies_of([part.tag for _, part in due], top)
    roles = {link.name: {shape.role for shape in link.shapes} for link in robot.links}
    for reference, part in due:
        # Without a shape it has no effect; a surface is merged with values that are compared.
        has_effect = part.role is None or part.role in roles.get(reference, ())
        is_noted = (part.shown, reference) in decided.lost
        if has_effect and part.words not in copies and not is_noted:
            raise ProofFailed(
                f'SDF: {part.shown} of <gazebo reference="{reference}"> is neither written nor noted'
            )


def _copies_of(tags: Sequence[str], top: XmlElement) -> Set[Tuple[Word, ...]]:
    """Return the words of all elements of a text that may be copies of elements with these tags."""
    wanted = {*tags, *[PREFIX + tag for tag in tags]}
    copies: Set[Tuple[Word, ...]] = set()
    if wanted:
        for element in top.walk():
            if element.tag in wanted:
                copies.update(words for _, words in _copied_from(element))
    return copies


class GazeboPart(Record):
    """A part of a `<gazebo>`: its text in notes, the role of the shapes that it is for, None: no shapes; its words."""

    shown: str
    role: Optional[str]
    words: Tuple[Word, ...]

    @property
    def tag(self) -> str:
        """The tag of the part."""
        return self.words[0][0]


def _parts_of(words: Sequence[Word]) -> Iterator[GazeboPart]:
    """Yield the parts of a `<gazebo>`, or of an element in it."""
    blocks: Iterable[Tuple[Word, ...]] = (tuple(words),)
    if words[0][0] == "gazebo":
        blocks = _children(words)
    for block in blocks:
        tag, attributes, _ = block[0]
        if tag in ("visual", "collision"):
            for part in _children(block):
                inner = part[0][0]
                if inner != "surface":
                    yield GazeboPart(f"<{inner}> in <{tag}>", tag, part)
        elif tag not in DONE:
            shown = f"<{tag}>"
            name = dict(attributes).get("name")
            if name and tag in ("plugin", "sensor"):
                shown += f" '{name}'"
            yield GazeboPart(shown, _role_of(tag), block)


def _role_of(tag: str) -> Optional[str]:
    """Return the role of the shapes that an element of `<gazebo>` is for; None for an element of the link."""
    if tag == "material":
        return "visual"
    return "collision" if tag in SURFACE else None


def _children(words: Sequence[Word]) -> Iterator[Tuple[Word, ...]]:
    """Yield the words of each direct child of an element, with paths that begin at the child."""
    block: List[Word] = []
    for path, attributes, text in words[1:]:
        inner = path.partition("/")[2]
        if "/" not in inner and block:
            yield tuple(block)
            block = []
        block.append((inner, attributes, text))
    if block:
        yield tuple(block)


def _copied_from(element: XmlElement) -> Iterator[Tuple[str, Tuple[Word, ...]]]:
    """Yield the words that an element of the text may be a copy of, and the frame of its pose, "" for none.

    The words are without our prefix, and without an added pose: an element without a pose is at the origin of its
    frame.
    """
    words = _plain_words(words_in((element,)))
    yield "", words
    for index, (path, attributes, text) in enumerate(words):
        frame = dict(attributes).get("relative_to")
        if path == f"{words[0][0]}/pose" and frame is not None:
            plain = tuple(pair for pair in attributes if pair[0] != "relative_to")
            yield frame, (*words[:index], (path, plain, text), *words[index + 1 :])
            if text == AT_ORIGIN:
                yield frame, (*words[:index], *words[index + 1 :])


def _repainted(top: XmlElement, robot: RawRobot, decided: SdfDecisions) -> RawRobot:
    """Return the robot without the looks of visuals that get a `<material>` of `<gazebo>`, and remove it from `top`.

    It replaces the material of the URDF (sdformat, InsertSDFExtensionVisual), unless a script of Gazebo is named too.

    Raises:
        ProofFailed: more or fewer visuals have a material of `<gazebo>` than in the robot.
    """
    copied = _take_materials(top, robot)
    painted = {
        unread.reference
        for unread in robot.unread
        if any(path == "visual/material" for path, _, _ in unread.words)
    }
    links = []
    due: List[OneShape] = []
    for link in robot.links:
        if link.name in painted and not any(shape.script for shape in link.shapes):
            visuals = sum(shape.role == "visual" for shape in link.shapes)
            due += [(link.name, "visual", number) for number in range(visuals)]
            link = link._replace(shapes=tuple(map(_without_look, link.shapes)))
        links.append(link)
    if copied != len(set(due) - decided.left_out):
        raise ProofFailed(
            f"SDF: {copied} visuals have a <material> of <gazebo>, and {len(due)} do in Gazebo"
        )
    return robot._replace(links=tuple(links))


def _take_materials(top: XmlElement, robot: RawRobot) -> int:
    """Remove the materials of `<gazebo>` from the visuals of a text, and return how many visuals had one."""
    brought = inside(unread for unread in robot.unread if unread.element == "<visual>")
    if not brought:
        return 0
    copied = 0
    for visual in top.walk():
        if visual.tag != "visual":
            continue
        rest = [
            child
            for child in visual.children
            if child.tag != "material" or words_in((child,)) not in brought
        ]
        copied += len(visual.children) - len(rest)
        visual.children = rest
    return copied


def _without_look(shape: RawShape) -> RawShape:
    """Return a visual without color and texture; a collision as it is."""
    return shape._replace(color=None, texture="") if shape.role == "visual" else shape


def _take_posed(top: XmlElement, robot: RawRobot, names: Mapping[str, str]) -> None:
    """Remove the content of `<gazebo>` for links that became frames: it is in the link that holds the frame.

    Its pose is relative to the frame; an element without a pose was written at the origin of the frame.
    """
    for model in top.all("model"):
        holders = {
            frame.attributes.get("name"): frame.attributes.get("attached_to")
            for frame in model.all("frame")
        }
        copied = {
            (names.get(unread.reference), unread.words)
            for unread in robot.unread
            if names.get(unread.reference) in holders
        }
        if not copied:
            continue
        tags = {words[0][0] for _, words in copied}
        for link in model.all("link"):
            name = link.attributes.get("name", "")
            frames_here = {frame for frame, holder in holders.items() if holder == name}
            link.children = [
                child
                for child in link.children
                if child.tag not in tags or not _is_copy(child, copied, frames_here)
            ]


def _is_copy(
    element: XmlElement,
    copied: AbstractSet[Tuple[Optional[str], Tuple[Word, ...]]],
    frames: AbstractSet[Optional[str]],
) -> bool:
    """Return True if an element is a copy of an element of `<gazebo>` for one of the frames."""
    return any(
        frame in frames and (frame, words) in copied for frame, words in _copied_from(element)
    )


def verify_uris(names: Mapping[str, str], folder: str, targets: Mapping[str, str]) -> None:
    """Resolve the names of mesh files from the folder of the model and compare them with `targets`, the paths.

    Both are by the robot's name of a mesh.

    Raises:
        ProofFailed: a name leads to another file, or `names` and `targets` have different meshes.
    """
    for name in sorted(names.keys() ^ targets.keys()):
        if name in names:
            raise ProofFailed(f"SDF: mesh '{name}' is not there, and has a place")
        raise ProofFailed(f"SDF: mesh '{name}' is there, and has no place")
    for name, uri in names.items():
        verify_name("SDF", f"mesh '{name}'", uri, folder, targets[name])


def write_sdf(robot: RobotRecord, options: SdfOptions) -> WrittenModel:
    """Return the robot as SDF, proven to be the same robot, and notes for the user.

    Raises:
        BrokenRobot, ErrorGroup: SDF cannot hold a part of the robot.
        UsageError: an option cannot be used.
        ProofFailed: the text is not the same robot; a fault of this tool.
    """
    check_sound(robot)
    return write_sound_sdf(robot, options, robot)[0]


def write_sound_sdf(
    robot: RobotRecord, options: SdfOptions, source: Union[RobotRecord, RawRobot]
) -> Tuple[WrittenModel, RawRobot]:
    """Return the result of `write_sdf` for a robot that was checked, and the text as read.

    `source` is the reference of the proof: the robot as its file was parsed.
    """
    written, decided = make_sdf(robot, checked(options))
    return written, verify_sdf(written.text, source, decided)
