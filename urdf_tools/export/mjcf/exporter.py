"""The MJCF file of a run, its scene, and the meshes that had to be converted."""
import os
from typing import Dict, Tuple

from ...base.diagnostics import Diagnostic
from ...base.number_text import read_numbers
from ...model.choices import MjcfOptions
from ...model.records import Robot
from ...model.tree import free_joints, poses_at
from ...run.pipeline import Exported
from ...urdf.model import MOVABLE
from ..decisions import decided_for
from ..kinds import SCENE_KEPT
from ..mesh_table import name_from, unseen
from ..options import asks_for_meshes, ExportRequest
from ..requests import (base_of, excluded_of, frames_of, in_input, marked, mesh_table, reference_of_run, sound_model,
                        srdf_of)
from .assets import standing_height
from .mesh_files import files_for_mjcf
from .verify import verify_files
from .writer import scene_text, write_sound_mjcf


def export_mjcf(request: ExportRequest) -> Exported:
    """Return the MJCF file, its scene if there is none, and the meshes that had to be converted.

    Raises:
        UrdfError: an option, or what MuJoCo cannot hold.
    """
    robot, path = sound_model(request), str(request.choices["mjcf"])
    meshes, _, assumed = mesh_table(request)
    files = files_for_mjcf(robot, meshes, path, request.result.plan.meshes.files,
                           convert=_converts_collada(request))
    base, held = base_of(request)
    home, keys, partial = _states(request, robot)
    options = MjcfOptions(
        base=base, actuators=request.choices["actuators"] or "",
        kp=request.choices["kp"], massless=request.choices["massless"] or "refuse",
        inertia=request.choices["inertia"] or "refuse", exclude=excluded_of(request), home=home, keys=keys,
        frames=frames_of(request), mesh_files=tuple(files.names.items()), mesh_boxes=tuple(files.boxes.items()),
        mesh_looks=tuple(files.looks.items()), spelled=request.spelled, line_of=request.line_of)
    written, read = in_input(request, lambda: write_sound_mjcf(robot, options, reference_of_run(request)))
    verify_files(read, os.path.dirname(path), files.targets_by(meshes))
    scene = os.path.join(os.path.dirname(path), "scene.xml")
    fixed = "<freejoint" not in written.text
    # A fixed base stays where it is, so the floor goes down to the lowest collision; a free robot is put on the floor.
    floor = min(0.0, -standing_height(robot, options, poses_at(robot, {}))) if fixed else 0.0
    lines = [f"MJCF: {path} is read again and is the same robot",
             *(f"MJCF: {note}" for note in (*held, *partial, *written.said))]
    decided, mark = decided_for(request, written.notes, read, written.text, {
        **{text: meshes[name].source for name, text in files.names.items()},
        **{name_from(files.folder, target): data for target, data in files.made}})
    made = [(path, marked(written.text, mark)), *files.made]
    warnings = [*assumed, *files.warnings, *written.notes]
    if os.path.exists(scene) or os.path.basename(path) == "scene.xml":
        lines.append(f"MJCF: {scene} is there already and stays as it is")
        if os.path.basename(path) != "scene.xml" and not _includes(scene, os.path.basename(path)):
            warnings.append(Diagnostic(SCENE_KEPT, 0, "scene", (scene, os.path.basename(path))))
    else:
        made.append((scene, marked(scene_text(robot.name or "robot", os.path.basename(path), floor))))
    return Exported(tuple(made), tuple(lines), tuple(warnings), left=unseen("MJCF", robot, meshes), decided=decided)


def _converts_collada(request: ExportRequest) -> bool:
    """Return True if the run was to convert COLLADA, to whatever format."""
    meshes = request.result.plan.options.meshes
    if asks_for_meshes(request.choices):
        from ..meshes.request import read_mesh_request

        wanted = read_mesh_request(request.choices, meshes, request.spelled)
        return meshes.wanted or wanted is not None and bool(wanted.format)
    return meshes.wanted


def _includes(scene: str, name: str) -> bool:
    with open(scene, encoding="utf-8", errors="replace") as stream:
        return f'"{name}"' in stream.read()


State = Tuple[Tuple[str, float], ...]


def _states(request: ExportRequest, robot: Robot) -> Tuple[State, Tuple[Tuple[str, State], ...], Tuple[str, ...]]:
    """Return the positions of the SRDF's state `home`, those of each other state that sets all joints, and a line.

    States of one name, of several groups, are merged; of several values for a joint the first counts.
    """
    document = srdf_of(request)
    states: Dict[str, Dict[str, float]] = {}
    for state in document.root.elements("group_state") if document else ():
        positions = states.setdefault(state.get("name") or "", {})
        for joint in state.elements("joint"):
            try:
                positions.setdefault(joint.get("name") or "", read_numbers(joint.get("value") or "", 1)[0])
            except ValueError:  # a joint of several degrees of freedom keeps its default
                continue
    passive = {element.get("name") for element in document.root.elements("passive_joint")} if document else set()
    driven = {joint.name for joint in robot.joints if joint.type in MOVABLE and not joint.mimic} - passive
    free = free_joints(robot)
    states = {name: {joint: q for joint, q in values.items() if joint in free} for name, values in states.items()}
    home = tuple(states.pop("home", {}).items())
    keys = tuple((name, tuple(values.items())) for name, values in states.items() if driven <= values.keys())
    others = [name for name in states if name not in dict(keys)]
    return home, keys, (f"no key frame for {', '.join(others)}: {'they set' if len(others) > 1 else 'it sets'} a part "
                        "of the joints",) if others else ()
