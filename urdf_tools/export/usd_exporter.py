"""The USD file of a run, with the layer of its meshes, and the proof of a text: it is read again, and compared as for
every export.

USD has float32 numbers, so numbers may differ by float32 rounding. Where engines would read a word differently from the
reader here, the words are compared, too (`usd_schema_proof.py`), and meshes by their triangles (`usd_mesh_proof.py`).
"""

from __future__ import annotations

import os
from itertools import chain
from math import isclose
from typing import AbstractSet, Dict, Mapping, Optional, Sequence, Tuple, Union

from ..base.diagnostics import Notes
from ..base.errors import UsageError
from ..base.paths import path_beside
from ..base.version import __version__
from ..formats.usd.usd_layers import LayerLoader
from ..formats.usd.prim_tree import Prim
from ..formats.usd.read_stage import read_layers
from ..formats.usd.stage_joints import RADIANS
from ..formats.usd.write_usd import make_usd, UsdDecisions, WrittenUsd
from ..model.export_options import checked, UsdOptions
from ..model.model_problems import check_sound
from ..model.model_records import RobotRecord
from ..robot.canonical_robot import drawn_places
from ..compare.difference_records import Tolerances
from ..robot.raw_robot import RawActuator, RawLink, RawRobot
from ..run.run_records import ExportedFiles
from .decision_notes import decided_for
from .shared_run_values import (
    base_of,
    excluded_of,
    in_input,
    mesh_table,
    reference_of_run,
    sound_model,
    unseen,
)
from .missing_parts import lacking, losses, lost_looks, read_again_line, shape_counts
from .export_proof import base_held, ExportDecisions, reference_of, verify_text, with_frames
from .export_request import ExportRequest, ReferencedFiles
from .usd_expressible_robot import as_usd_holds, fail, SINGLE
from .usd_schema_proof import verify_words

ENDING = ".usda"


def export_usd(request: ExportRequest) -> ExportedFiles:
    """Return the USD file, and for meshes the layer beside it, with their images.

    Raises:
        UrdfError: an option cannot be used, or USD cannot hold a part of the robot.
    """
    path = str(request.choices["usd"])
    stem, ending = os.path.splitext(path)
    if ending.lower() != ENDING:
        raise UsageError(
            f"{request.spelled('usd')} writes text, whose name ends in .usda: `usdcat -o {stem}.usdc "
            f"{stem}.usda` makes {ending or 'another format'} of it",
            path,
        )
    robot = sound_model(request)
    base, held = base_of(request)
    layer = f"{stem}_meshes{ENDING}"
    meshes = request.choices["usd_meshes"] or "beside"
    table = mesh_table(request) if meshes != "none" else ReferencedFiles()
    options = UsdOptions(
        base=base,
        actuators=request.choices["actuators"] or "",
        kp=request.choices["kp"],
        exclude=excluded_of(request),
        mesh_files=tuple((name, file.source) for name, file in table.meshes.items() if file.source),
        meshes=meshes,
        layer=f"./{os.path.basename(layer)}",
        dae=request.result.plan.options.meshes.dae,
        spelled=request.spelled,
        line_of=request.line_of,
        progress=request.progress,
    )
    reference = reference_of_run(request)
    written, read = in_input(request, lambda: _write_sound_usd(robot, options, reference))
    # The note leaves out values that USD lacks.
    decided, mark = decided_for(request, written.notes, reference._replace(format="usd"))
    files = [(path, _marked(written.text, mark))]
    if written.layer:
        files.append((layer, _marked(written.layer)))
    files += [(path_beside(path, name), data) for name, data in written.images.items()]
    lacks = (
        *lacking("USD", reference, shape_counts(read)),
        *losses("USD", reference, read, decided),
        *lost_looks("USD", written.notes),
    )
    lines = [
        read_again_line("USD", path, lacks),
        *(f"USD: {note}" for note in (*held, *written.said)),
    ]
    left: Notes = ()
    if meshes != "none":
        left = unseen("USD", robot, table.meshes)
    return ExportedFiles(
        files=tuple(files),
        lines=tuple(lines),
        warnings=(*table.assumed, *written.notes),
        left=left,
        decided=decided,
        but_for=lacks,
    )


def _marked(text: str, mark: str = "") -> bytes:
    """Return the bytes of a text with the comments that mark files of this tool and list the decisions."""
    # The first line of `mark` is the mark for XML files.
    decided = "".join(f"# {line}\n" for line in mark.split("\n")[1:])
    return text.replace(
        "\n", f"\n# made from a URDF by `urdf_simplify {__version__}`\n{decided}", 1
    ).encode()


def layers_of(text: str, layer: str, options: UsdOptions) -> LayerLoader:
    """Return a text and the layer of its meshes, as if both were files."""
    return LayerLoader({"": text.encode(), os.path.normpath(options.layer): layer.encode()})


def verify_usd(
    text: str, layer: str, source: Union[RobotRecord, RawRobot], decided: UsdDecisions
) -> RawRobot:
    """Compare a text, and the layer of its meshes, with the robot, and return it as it was read.

    Raises:
        ProofFailed: the robot differs; the message names the difference.
    """
    robot = reference_of(source)
    options = decided.options
    actuators = robot.actuators
    layers = layers_of(text, layer, options)
    read = written = read_layers(layers, "")
    of_robot = layers.open("")
    verify_words(of_robot)
    # Sensors and loops have no schema in USD; drives and pairs are compared below in the units that engines use.
    robot = robot._replace(actuators=(), sensors=(), loops=(), apart=())
    without = decided.without
    if written.base == "fixed":
        without = without - {"world"}
    robot = with_frames("USD", robot, decided.frames, without)
    # The reader notes words that it cannot interpret; in our own text that is a fault.
    for note in written.notes:
        fail(note)
    prims = of_robot.prims
    # The looks inside a mesh are compared with the mesh's file.
    bound = {prim.line for prim in prims.values() if prim.targets("material:binding")}
    links = tuple([_without_own_looks(link, bound) for link in written.links])
    # The drives are compared by their own numbers.
    written = written._replace(links=links, actuators=())
    _verify_names(written, robot, decided)
    _verify_apart(written, options)
    _verify_gains(actuators, prims, options)
    if decided.meshes or layer:
        from .usd_mesh_proof import verify_meshes

        of_meshes = layers.open(os.path.normpath(options.layer)).top if layer else None
        verify_meshes(
            of_robot.top, of_meshes, decided.meshes, decided.drawn, decided.images, options
        )
    elif any(prim.type == "Mesh" or prim.specifier == "class" for prim in prims.values()):
        fail("it has meshes, and none of the robot's can be shown")
    # A mesh keeps its own looks if each part has a color or an image: the robot's color is not written for it.
    shown = frozenset(
        name
        for (name, _), mesh in decided.drawn.items()
        if all(each.material.image and each.uv or each.material.rgba for each in mesh.surfaces)
    )
    known = {file for file, _ in decided.meshes}
    verify_text(
        written,
        as_usd_holds(robot, written, shown),
        ExportDecisions(
            "USD",
            between=decided.without,
            left_out=decided.left_out,
            shows=known.__contains__,
            base=base_held(robot, options.base),
            placeholder=True,
            tolerances=_tolerances(robot),
        ),
    )
    return read


def _without_own_looks(link: RawLink, bound: AbstractSet[int]) -> RawLink:
    """Return a link whose meshes have a color only if they are bound to a material, by the line of their prims."""
    shapes = []
    for shape in link.shapes:
        if shape.geometry == "mesh" and shape.role == "visual" and shape.line not in bound:
            shape = shape._replace(color=None, surface={})
        shapes.append(shape)
    return link._replace(shapes=tuple(shapes))


def _tolerances(robot: RawRobot) -> Tolerances:
    """Return the rounding of float32: of positions as a part of the largest one, of other numbers as a part of themselves."""
    places = [T.translation for T in drawn_places(robot).values()]
    # Axes tilted by that much carry shapes over several links: the sum of the errors was below 2e-6 m for each meter.
    length = 10.0 * SINGLE * max(0.1, *map(abs, chain(*places)))
    # Tensors are compared link by link, whole. The error of a slender tensor from a turned axis is not reported again.
    return Tolerances(
        length=length,
        angle=SINGLE,
        mass=SINGLE,
        center=length,
        tensor=1e-3,
        number=SINGLE,
        color=SINGLE,
    )


def _verify_names(written: RawRobot, robot: RawRobot, decided: UsdDecisions) -> None:
    """Refuse links that the robot does not have, and missing links."""
    names = {link.name for link in written.links}
    wanted = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    others = (names ^ (wanted - decided.without)) - {"world"}
    if others:
        fail(f"its links are not the robot's: {sorted(others)}")


def _verify_apart(written: RawRobot, options: UsdOptions) -> None:
    """Refuse pairs that do not collide, other than the pairs of the options."""
    bodies = {link.name for link in written.links if link.mass is not None}
    holders: Dict[str, str] = {}
    for joint in written.joints:
        if joint.name == f"to {joint.child}":
            holders[joint.child] = joint.parent
    for joint in written.joints:
        # A body that is fixed in the world stands for the world.
        if joint.type == "fixed" and joint.parent == "world" and joint.child in bodies:
            holders[joint.parent] = joint.child

    def carrier(name: str) -> str:
        """Return the body that holds a link, "" without one."""
        while name in holders and name not in bodies:
            name = holders[name]
        return name if name in bodies else ""

    wanted = {frozenset((carrier(a), carrier(b))) for a, b in options.exclude}
    wanted = {pair for pair in wanted if len(pair) == 2 and "" not in pair}
    pairs = [frozenset(pair) for pair in written.apart]
    if set(pairs) != wanted or len(pairs) != len(wanted):
        fail(f"pairs that do not collide: {sorted(map(sorted, set(pairs) ^ wanted))}")


def _verify_gains(
    actuators: Sequence[RawActuator], prims: Mapping[str, Prim], options: UsdOptions
) -> None:
    """Refuse gains other than the gains of the robot's servos and of the options."""
    given = _gains_by_joint(actuators, options)
    asked = (0.0, 0.0)
    if options.actuators == "position":
        asked = (options.kp or 0.0, 0.0)
    for prim in prims.values():
        gains = asked if options.actuators == "motor" else given.get(prim.true_name, asked)
        for schema in prim.schemas:
            name, _, drive = schema.partition(":")
            if name != "PhysicsDriveAPI":
                continue
            if options.actuators == "none":
                fail(f"{prim!r} has a drive, and none was to be written")
            # The gains of drives that turn are for each degree.
            unit = RADIANS if drive == "angular" else 1.0
            for key, gain in zip(("stiffness", "damping"), gains):
                value = prim.number(f"drive:{drive}:physics:{key}") or 0.0
                if not isclose(value, gain * unit, rel_tol=SINGLE):
                    fail(f"{prim!r}: its {key} is {value:g}, and {gain * unit:g} is given")


def _gains_by_joint(
    actuators: Sequence[RawActuator], options: UsdOptions
) -> Dict[str, Tuple[float, float]]:
    """Return stiffness and damping of the robot's servos, by joint; the first servo of a joint counts."""
    gains: Dict[str, Tuple[float, float]] = {}
    for actuator in actuators:
        (kp, *_) = actuator.values.get("kp", (0.0,))
        (kv, *_) = actuator.values.get("kv", (0.0,))
        if actuator.kind == "position" and kp:
            gains.setdefault(actuator.joint, (kp, kv))
        # An option for servos of position leaves out servos of velocity.
        elif actuator.kind == "velocity" and kv and options.actuators != "position":
            gains.setdefault(actuator.joint, (0.0, kv))
    return gains


def write_usd(
    robot: RobotRecord, options: UsdOptions, source: Optional[RawRobot] = None
) -> WrittenUsd:
    """Return the robot as USD, proven to be the same robot, and notes for the user.

    Args:
        source: the reference of the proof: the robot as its file was parsed; None: `robot` itself.

    Raises:
        BrokenRobot, ErrorGroup: USD cannot hold a part of the robot.
        UsageError: an option cannot be used.
        ProofFailed: the text is not the same robot; a fault of this tool.
    """
    if source is None:
        check_sound(robot)
    return _write_sound_usd(robot, options, source or robot)[0]


def _write_sound_usd(
    robot: RobotRecord, options: UsdOptions, source: Union[RobotRecord, RawRobot]
) -> Tuple[WrittenUsd, RawRobot]:
    """Return the result of `write_usd`, and the robot as it was read again."""
    written, decided = make_usd(robot, checked(options))
    read = verify_usd(written.text, written.layer, source, decided)
    return written, read
