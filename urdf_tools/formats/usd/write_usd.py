"""The model written as USD: one prim for the robot, bodies and joints in it, meshes after it or in their own layer."""

from __future__ import annotations

import os
from itertools import chain
from typing import Dict, FrozenSet, Iterator, List, Mapping, Sequence, Set, Tuple, TYPE_CHECKING

from ...base.type_aliases import Pair, Texts
from ...base.diagnostics import Diagnostic
from ...base.errors import raise_all
from ...base.number_text import count_of, grouped
from ...base.record_type import Record
from ...model.export_options import UsdOptions
from ...model.model_records import Link, RobotRecord
from ...robot.raw_robot import RawFrame
from ..export_diagnostics import EXPORT_ENGINE, EXPORT_LEFT_OUT, EXPORT_RENAMED
from ..shared_lowering import (
    DONE,
    ExportFindings,
    frames_in,
    named,
    note_lost,
    OneShape,
    not_urdf_elements,
    said_by_gazebo,
    Said,
    note_limits,
    without_massless_tensors,
)
from .lower_to_usd import Key, MeshLayer, UsdWriter, plan_bodies
from .write_usd_joints import write_joints
from .write_usd_prims import (
    layer_text,
    WrittenPrim,
    principal_singles,
    quoted,
    single_text,
    singles_text,
)
from .write_usd_shapes import put_pose, ShapeWriter

if TYPE_CHECKING:
    from .write_usd_meshes import UsdMesh

FRAME = ("kind", '"subcomponent"')  # it is no group of the shapes of a body
STAGE = (("kilogramsPerUnit", "1"), ("metersPerUnit", "1"), ("upAxis", '"Z"'))


class UsdDecisions(Record):
    """Decisions of the writer: the differences of the text from the robot that the proof allows.

    Attributes:
        left_out: shapes, as (link, role, number). without: links that have no prim. frames: all that were written.
        meshes: the name of a prim by file and scale. drawn: the mesh that was read by file and scale. images: by name.
    """

    left_out: FrozenSet[OneShape]
    without: FrozenSet[str]
    frames: Tuple[RawFrame, ...]
    options: UsdOptions
    meshes: Mapping[Key, str]
    drawn: "Mapping[Key, UsdMesh]"
    images: Mapping[str, bytes]


class WrittenUsd(Record):
    """The files of a robot.

    Attributes:
        text: the robot. layer: its meshes, "" where the text holds them or the robot has none.
        images: by the name that the text has for them.
        notes: on parts of the robot that the text lacks or has otherwise. said: lines for the user.
    """

    text: str
    layer: str
    images: Dict[str, bytes]
    notes: Tuple[Diagnostic, ...] = ()
    said: Texts = ()


def make_usd(robot: RobotRecord, options: UsdOptions) -> Tuple[WrittenUsd, UsdDecisions]:
    """Return the files of a robot, and the decisions of the writer for the proof."""
    findings = ExportFindings("USD", options.spelled, options.line_of)
    note_limits(robot, findings)
    robot = without_massless_tensors(robot, findings)
    bodies = plan_bodies(robot, options, findings)
    raise_all(findings.refused)
    stem, _ = os.path.splitext(os.path.basename(options.layer))
    folder = stem.replace("_meshes", "") + "_textures"
    meshes = MeshLayer(options, folder, findings)
    model = UsdWriter(robot=robot, options=options, bodies=bodies, meshes=meshes, findings=findings)
    top = _robot_prim(model)
    frames = _write_links(top, model)
    joints = _scope(top, "joints")
    write_joints(joints, model)
    _write_apart(model)
    _note_rest(model, top)
    _say(model, len(joints.children))
    beside = options.meshes == "beside" and bool(meshes.prims)
    prims = [WrittenPrim("PhysicsScene", "PhysicsScene"), top]
    if meshes.prims and not beside:
        meshes.top.specifier = "class"
        prims.append(meshes.top)
    text = layer_text((("defaultPrim", quoted(top.name)), *STAGE), prims)
    layer = meshes.text() if beside else ""
    written = WrittenUsd(
        text=text,
        layer=layer,
        images=meshes.images,
        notes=tuple(findings.notes),
        said=tuple(findings.said),
    )
    # For the proof, without any number that it can compute itself.
    decided = UsdDecisions(
        left_out=frozenset(model.left_out),
        without=frozenset(bodies.without),
        frames=frames,
        options=options,
        meshes={key: prim.name for key, prim in meshes.prims.items()},
        drawn=meshes.drawn,
        images=meshes.images,
    )
    return written, decided


def _say(model: UsdWriter, joints: int) -> None:
    """Tell the user the counts of prims, the engines, and that gains are not invented."""
    bodies = count_of(len(model.bodies.masses), "body", "bodies")
    meshes = count_of(len(model.meshes.prims), "mesh", "meshes")
    model.findings.said.append(
        f"{bodies} (flat), {count_of(joints, 'joint')}, {meshes}, for Newton and Isaac"
    )
    if model.gains and not any(model.gains):
        model.findings.said.append(
            "drives have the effort of their joints and no gains, as none are given"
        )


def _robot_prim(model: UsdWriter) -> WrittenPrim:
    """Return the prim of the robot, without children."""
    top = WrittenPrim("", "").add("Xform", model.robot.name or "robot")
    top.path = f"/{top.name}"
    top.say("assetInfo", f"{{ string name = {quoted(model.robot.name or 'robot')} }}")
    top.say("kind", '"component"')
    # A free base has the schema on its root body: elsewhere PhysX and Newton choose another root.
    if model.bodies.fixed or not model.bodies.root:
        top.apply("PhysicsArticulationRootAPI")
    model.prims[""] = top
    return top


def _scope(top: WrittenPrim, name: str) -> WrittenPrim:
    """Add a scope to the robot, without a display name: the scope is no part of the robot."""
    scope = top.add("Scope", name)
    scope.said.clear()
    return scope


def _write_links(top: WrittenPrim, model: UsdWriter) -> Tuple[RawFrame, ...]:
    """Write the links and the frames of the robot and of the options, and return the frames."""
    links = {link.name: link for link in model.robot.links}
    bodies = model.bodies
    names: Set[str] = (
        set()
    )  # of prims: a reader finds links and frames by name, so each is free in all of the robot
    for name in bodies.links:
        parent, T_parent_link = bodies.places[name]
        holder = model.prims.get(parent, top)
        prim = holder.add("Xform", name, names)
        names.add(prim.name)
        model.prims[name] = prim
        put_pose(prim, T_parent_link)
        if name in bodies.masses:
            _put_body(prim, links[name], model)
        else:
            prim.say(*FRAME)
    frames = _write_frames(top, model, names)
    materials = _scope(top, "materials")
    shapes = ShapeWriter(materials, model)
    for name in bodies.links:
        shapes.write(links[name], model.prims[name], names)
    # The scope is made first, as shapes refer to it by its path; an empty one would be noise.
    if not materials.children:
        top.children.remove(materials)
    return frames


def _write_frames(top: WrittenPrim, model: UsdWriter, names: Set[str]) -> Tuple[RawFrame, ...]:
    """Write the frames of the robot and of the options, each into the prim of its link, and return them."""
    holders = dict(model.prims)
    # The world of a fixed robot is no prim; its frames are in the prim of the robot.
    if model.bodies.fixed:
        holders.setdefault("world", top)
    written: List[RawFrame] = []
    for frame in (*frames_in(model.robot), *model.options.frames):
        if frame.link not in holders:
            model.findings.note(EXPORT_LEFT_OUT, "frame", frame.name)
        elif frame.name not in model.prims:
            prim = holders[frame.link].add("Xform", frame.name, names)
            names.add(prim.name)
            prim.say(*FRAME)
            put_pose(prim, frame.pose.transform)
            written.append(RawFrame(frame.name, frame.link, frame.pose.transform))
            model.prims[frame.name] = prim
    return tuple(written)


def _put_body(prim: WrittenPrim, link: Link, model: UsdWriter) -> None:
    """Make the prim of a link a body: apply the schemas, and write its mass."""
    written = model.bodies.masses[link.name]
    prim.apply("PhysicsRigidBodyAPI", "PhysicsMassAPI")
    if link.name == model.bodies.root and not model.bodies.fixed:
        prim.apply("PhysicsArticulationRootAPI")
    moments, axes = principal_singles(written.inertia)
    prim.properties += [
        f"float physics:mass = {single_text(written.mass)}",
        f"point3f physics:centerOfMass = {singles_text(written.center)}",
        f"float3 physics:diagonalInertia = {singles_text(moments)}",
        f"quatf physics:principalAxes = {singles_text(axes)}",
    ]
    if link.gravity is False:
        prim.apply("PhysxRigidBodyAPI")
        prim.put("bool physxRigidBody:disableGravity", "1")
        model.findings.note(EXPORT_ENGINE, "gravity", link)


def _write_apart(model: UsdWriter) -> None:
    """Write which bodies do not collide: the bodies of excluded links, each pair once, at its first body."""
    pairs: Dict[Pair, None] = {}
    for links in model.options.exclude:
        a, b = (model.bodies.carriers.get(name, ("",))[0] for name in links)
        # Links on one body, or on none, are no pair of bodies.
        if a and b and a != b and (b, a) not in pairs:
            pairs[a, b] = None
    for name, others in grouped(pairs).items():
        prim = model.prims[name]
        prim.apply("PhysicsFilteredPairsAPI")
        prim.relate("physics:filteredPairs", *(model.prims[other].path for other in others))


def _note_rest(model: UsdWriter, top: WrittenPrim) -> None:
    """Note the losses, the new names, and the values that engines take differently."""
    robot = model.robot
    findings = model.findings
    if model.options.meshes == "none" and robot.meshes:
        files = {mesh.filename for mesh in robot.meshes}
        findings.note(EXPORT_LEFT_OUT, "meshes-usd", numbers=(len(files),))
    prims = list(top.walk())
    schemas = set(chain.from_iterable(prim.schemas for prim in prims))
    properties = chain.from_iterable(prim.properties for prim in prims)
    if any(line.startswith("float newton:damping") for line in properties):
        findings.note(EXPORT_ENGINE, "damping")
    if (
        "PhysicsCollisionAPI" in schemas
        and "PhysicsFilteredPairsAPI" not in schemas
        and len(model.bodies.masses) > 2
    ):
        findings.note(EXPORT_ENGINE, "collisions")
    for sensor in robot.sensors:
        findings.note(EXPORT_LEFT_OUT, "sensor-usd", sensor.name)
    note_lost([*not_urdf_elements(robot), *_lost_of_gazebo(model)], findings)
    _note_renamed(prims, findings)


def _lost_of_gazebo(model: UsdWriter) -> Iterator[Said]:
    """Yield the elements of `<gazebo>` that USD has no property for."""
    for link in model.robot.links:
        # A link without a mass is no body of its own, and falls as the body that carries it.
        if link.gravity is False and link.name not in model.bodies.masses:
            yield "<turnGravityOff>", link.name
    for reference, element in said_by_gazebo(model.robot):
        if element.tag not in DONE:
            yield named(reference, element)


def _note_renamed(prims: Sequence[WrittenPrim], findings: ExportFindings) -> None:
    """Note the names that USD cannot have; the first prim is the robot."""
    top = prims[0]
    for prim in prims:
        renamed = prim.name != prim.true_name
        names = (prim.true_name, prim.name)
        if renamed and prim is top:
            findings.note(EXPORT_RENAMED, "robot-usd", *names)
        elif renamed and prim.type == "Xform":
            findings.note(EXPORT_RENAMED, "link-usd", *names)
        elif renamed and prim.type.startswith("Physics"):
            findings.note(EXPORT_RENAMED, "joint-usd", *names)
