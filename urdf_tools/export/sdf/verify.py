"""The proof of an SDF text: it is read again and compared with the URDF's own text, or with the model that has none."""
import os
from typing import Dict, FrozenSet, List, Mapping, NamedTuple, Sequence, Tuple, Union

from ...base.errors import ProofFailed
from ...base.number_text import numbers_in
from ...compare.reading import closing_loops
from ...compare.formats import LOSSES, OF_SOLVER
from ...compare.read_sdf import read_sdf_tree
from ...compare.records import inside_itself, RawFrame, RawLink, RawRobot, RawShape, Word
from ...compare.sdf_frames import Frames
from ...compare.xml_text import Element, read_xml, words_of
from ...model.choices import Frame, SdfOptions
from ...model.records import Robot
from ..proof import Decided, inside, prove, reference_of, unproven_surfaces, with_frames
from .spec import PREFIX

MAX_COORDINATE = 1e9  # rad, m, N m, ...: a limit of it or beyond is none
OWN = ("link", "joint", "frame")


class SdfDecided(NamedTuple):
    """Where the text may differ from the robot: shapes left out, and the names in it.

    Attributes:
        links: names by link. frames: by name in the text.
    """

    left_out: FrozenSet[Tuple[str, str, int]]
    links: Dict[str, str]
    frames: Dict[str, Frame]
    options: SdfOptions


def verify_sdf(text: str, source: Union[Robot, RawRobot], decided: SdfDecided) -> None:
    """Compare the text with the robot.

    Raises:
        ProofFailed: the text is not the robot; the message says in what.
    """
    options, robot = decided.options, reference_of(source)
    robot = robot._replace(  # of other loops nothing is written, nor of what floats, which is no joint
        actuators=(), loops=tuple(closing_loops(robot)),
        joints=tuple(one._replace(values={}) if one.type == "floating" else one for one in robot.joints))
    for frame in options.frames:
        if frame.link in decided.links and frame not in decided.frames.values():
            raise ProofFailed(f"SDF: frame '{frame.name}' is not written")
    top = read_xml(text)
    has_prefix = top.attributes.pop(f"xmlns:{PREFIX[:-1]}", None) is not None or PREFIX in text
    _take_copied(top, robot)
    robot = _repainted(top, robot, decided)
    if has_prefix:
        _without_prefix(top)
    _take_posed(top, robot, decided.links)
    written = _plain(_read(top)) if has_prefix else _read(top)
    _prove_still_joints(written, robot)
    frames = tuple(RawFrame(name, frame.link, frame.pose.transform) for name, frame in decided.frames.items())
    robot = with_frames("SDF", robot, frames)
    for frame, name in ((frame, name) for name, frame in decided.frames.items()):
        if frame.name != name and not name.startswith(f"{frame.name}_"):
            raise ProofFailed(f"SDF: frame '{frame.name}' is called '{name}'")
    # A robot that is the world alone has no names; a format that is given none keeps those of the robot.
    prove(written, robot, Decided(
        "SDF", decided.links or {"": ""}, left_out=decided.left_out, shows=_shows, files=dict(options.mesh_files),
        base=options.base, massless=options.massless, inertia=options.inertia, out_of_reach=MAX_COORDINATE),
        [*LOSSES["sdf"], *unproven_surfaces(robot)])


def _prove_still_joints(written: RawRobot, robot: RawRobot) -> None:
    """Compare what a solver is told of fixed joints: where nothing moves, a comparison of two robots has no joint."""
    told = {joint.name: joint for joint in robot.joints if joint.type == "fixed"}
    for joint in written.joints:
        if joint.type == "fixed" and joint.name in told:
            for word in OF_SOLVER:
                if joint.values.get(word) != told[joint.name].values.get(word):
                    raise ProofFailed(f"SDF: {word} of the fixed joint '{joint.name}' is not the robot's")


def _shows(shape: RawShape) -> bool:
    """Return True for a shape that SDF can show: none of its sizes is zero."""
    return shape.geometry in ("mesh", "plane") or min(shape.sizes) > 0.0


def _without_prefix(top: Element) -> None:
    """Give back its name to what SDF does not define, or not so; words where numbers belong stay what nobody reads."""
    for element in top.walk():
        if element.tag.startswith(PREFIX) and (element.children or not element.text or numbers_in(element.text, 1)):
            element.tag = element.tag[len(PREFIX) :]
        for name in [name for name in element.attributes if name.startswith(PREFIX)]:
            element.attributes[name[len(PREFIX) :]] = element.attributes.pop(name)


def _read(top: Element) -> RawRobot:
    """Return what is written; of a robot that has no mass and stands still, frames are left.

    A frame of what stands still has no link to be attached to: it is in the world, where its pose in the model is.
    """
    model = next(child for child in top.children if child.tag == "model")
    has_links = any(child.tag == "link" for child in model.children)
    written = read_sdf_tree(top) if has_links else RawRobot("sdf", "", (RawLink("world"),), base="fixed")
    if all(link.name != "world" for link in written.links):
        return written
    frames = Frames(model, (1, 12))
    names = [str(one.attributes.get("name")) for one in model.children if one.tag == "frame"]
    still = {name: RawFrame(name, "world", frames.T_model(name)) for name in names
             if frames.holder_of(name) == "__model__"}
    written = written._replace(frames=(*(one for one in written.frames if one.name not in still), *still.values()))
    return written._replace(loops=tuple(closing_loops(written)))  # again: an end may be in the world


def _plain(written: RawRobot) -> RawRobot:
    """Return what was read without the prefix in what nobody read."""
    return written._replace(
        unread=tuple(one._replace(words=_plain_words(one.words)) for one in written.unread),
        sensors=tuple(one._replace(words=_plain_words(one.words)) for one in written.sensors))


def _plain_words(words: Sequence[Word]) -> Tuple[Word, ...]:
    return tuple(("/".join(tag[len(PREFIX) :] if tag.startswith(PREFIX) else tag for tag in path.split("/")), tuple(
        sorted((name[len(PREFIX) :] if name.startswith(PREFIX) else name, value) for name, value in attributes)), text)
        for path, attributes, text in words)


def _take_copied(top: Element, robot: RawRobot) -> None:
    """Take out what was copied word for word: what is beside links and joints, and the materials of `<gazebo>`.

    Raises:
        ProofFailed: it is not what the robot says.
    """
    for model in (child for child in top.children if child.tag == "model"):
        said: List[Word] = [(path.partition("/")[2], attributes, text) for one in robot.unread
                            if one.element in ("<gazebo>", '<gazebo reference="">')
                            for path, attributes, text in one.words[1:]]
        count = sum("/" not in path for path, _, _ in said)
        own, copied = model.children[: len(model.children) - count], Element("model", {})
        copied.children = model.children[len(own) :]
        if _plain_words(words_of(copied)) != tuple(said):
            raise ProofFailed("SDF: what <gazebo> brought is not what it says: "
                              f"{set(words_of(copied)) ^ set(said)}")
        for element in own:
            if element.tag not in OWN:
                raise ProofFailed(f"SDF: the model holds {element!r}, which the robot does not have")
        model.children = own


def _repainted(top: Element, robot: RawRobot, decided: SdfDecided) -> RawRobot:
    """Return the robot without the looks of visuals that have a `<material>` of `<gazebo>`, and take that out.

    It takes the place of what the URDF says (sdformat, InsertSDFExtensionVisual), unless Gazebo's own is named too.

    Raises:
        ProofFailed: a visual has none.
    """
    brought = inside(one for one in robot.unread if one.element == "<visual>")
    taken = [child for visual in top.walk() if visual.tag == "visual" and brought for child in visual.children
             if child.tag == "material" and _words(child) in brought]
    for visual in (element for element in top.walk() if element.tag == "visual") if taken else ():
        visual.children = [child for child in visual.children if child not in taken]
    painted = {one.reference for one in robot.unread if any(path == "visual/material" for path, _, _ in one.words)}
    links = tuple(link if link.name not in painted or any(shape.script for shape in link.shapes) else link._replace(
        shapes=tuple(shape._replace(color=None, texture="") if shape.role == "visual" else shape
                     for shape in link.shapes)) for link in robot.links)
    due = [(link.name, "visual", place) for link, old in zip(links, robot.links) if link is not old
           for place in range(sum(shape.role == "visual" for shape in link.shapes))]
    if len(taken) != len(set(due) - decided.left_out):
        raise ProofFailed(f"SDF: {len(taken)} visuals have a <material> of <gazebo>, and {len(due)} do in Gazebo")
    return robot._replace(links=links)


def _take_posed(top: Element, robot: RawRobot, names: Mapping[str, str]) -> None:
    """Take out what `<gazebo>` says of a link that is a frame now: it is in the link that has the frame, posed in it.

    Without a pose of its own it is at the origin of the frame.
    """
    said = {(names.get(one.reference), one.words) for one in robot.unread if one.reference}
    holders = {frame.attributes.get("name"): frame.attributes.get("attached_to")
               for frame in top.walk() if frame.tag == "frame"} if said else {}

    def is_said(element: Element, link: str) -> bool:
        words = _words(element)
        for place, (path, attributes, text) in enumerate(words):
            frame = dict(attributes).get("relative_to", "")
            if path == f"{element.tag}/pose" and holders.get(frame) == link:
                plain = ((path, tuple(pair for pair in attributes if pair[0] != "relative_to"), text),)
                return any((frame, words[:place] + pose + words[place + 1 :]) in said
                           for pose in (plain, *(((),) if text == "0 0 0 0 0 0" else ())))
        return False

    for link in [element for element in top.walk() if element.tag == "link"] if holders else ():
        link.children = [child for child in link.children if not is_said(child, link.attributes.get("name", ""))]


def _words(element: Element) -> Tuple[Word, ...]:
    return inside_itself((element.tag, tuple(sorted(element.attributes.items())), element.text), words_of(element))


def verify_uris(names: Mapping[str, str], folder: str, targets: Mapping[str, str]) -> None:
    """Compare where the names of mesh files lead to, from the folder of the model; both are by the robot's name.

    Raises:
        ProofFailed: to another place; or a file that is there has no name, or one that is not has one.
    """
    for name in sorted(names.keys() ^ targets.keys()):
        raise ProofFailed(f"SDF: mesh '{name}' is {'not there' if name in names else 'there'}, and has "
                          f"{'a' if name in names else 'no'} place")
    for name, uri in names.items():
        place = os.path.realpath(os.path.join(os.path.realpath(folder or "."), uri))
        if place != os.path.realpath(targets[name]):
            raise ProofFailed(f"SDF: where mesh '{name}' is: {place} is written, {os.path.realpath(targets[name])} is "
                              "the robot's")
