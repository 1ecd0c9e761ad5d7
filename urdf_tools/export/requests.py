"""What the command line asks of the exports: MJCF with its scene, SDF, and the model as JSON."""
import os
import re
from typing import Callable, Dict, Iterable, Optional, Tuple, TypeVar

from ..base.diagnostics import Diagnostic
from ..base.kinds import OTHER_KIND
from ..base.errors import BrokenRobot, ManyProblems, ProofFailed, UrdfError
from ..base.number_text import read_numbers
from ..base.version import __version__
from ..model.from_urdf import model_of
from ..model.pose import Pose
from ..model.problems import check_sound
from ..model.records import Robot
from ..model.tree import poses_at
from ..run.pipeline import Exported
from ..urdf.kinematics import poses_at as poses_before
from ..urdf.lossless_xml import Document
from ..urdf.model import MOVABLE
from ..urdf.package_resolver import resolver_for
from ..urdf.spatial import compose, inverse, IDENTITY_POSE
from ..model.choices import Frame, MjcfOptions, SdfOptions
from .mesh_files import files_for_mjcf, files_for_sdf, Place, places_of, unseen
from .options import asks_for_meshes, ExportRequest
from .read_back import compare_poses

OWNER = r"(link|joint) '([^']*)'"
MARK = f"<!-- urdf_simplify {__version__}: made from a URDF -->"


def export_mjcf(request: ExportRequest) -> Exported:
    """Return the MJCF file, its scene if there is none, and the meshes that had to be converted.

    Raises:
        UrdfError: an option, or what MuJoCo cannot hold.
    """
    from .mjcf.writer import scene_text, write_sound_mjcf
    from .mjcf.sensors import standing_height
    from .mjcf.verify_looks import verify_files

    robot, path = _sound_model(request), str(request.choices["mjcf"])
    places, _, assumed = _places(request, robot)
    files = files_for_mjcf(robot, places, path, _converts_collada(request),
                           request.result.plan.meshes.files)
    base, held = _base(request)
    home, keys, partial = _states(request, robot)
    options = MjcfOptions(
        base=base, actuators=request.choices["actuators"] or "",
        kp=request.choices["kp"], massless=request.choices["massless"] or "refuse",
        inertia=request.choices["inertia"] or "refuse", exclude=_excluded(request), home=home, keys=keys,
        frames=frames_of(request), mesh_files=tuple(files.names.items()), mesh_boxes=tuple(files.boxes.items()),
        mesh_looks=tuple(files.looks.items()), spelled=request.spelled)
    written = _with_lines(request, lambda: write_sound_mjcf(robot, options))
    verify_files(written.text, os.path.dirname(path), files.targets)
    scene = os.path.join(os.path.dirname(path), "scene.xml")
    fixed = "<freejoint" not in written.text
    floor = min(0.0, -standing_height(robot, options, poses_at(robot, {}))) if fixed else 0.0
    lines = [f"MJCF: {path} is read again and is the same robot",
             *(f"MJCF: {note}" for note in (*held, *partial, *written.said))]
    made = [(path, _marked(written.text)), *files.made]
    notes = list(written.notes)
    if os.path.exists(scene) or os.path.basename(path) == "scene.xml":
        lines.append(f"MJCF: {scene} is there already and stays as it is")
        if os.path.basename(path) != "scene.xml" and not _includes(scene, os.path.basename(path)):
            notes.append(f"{scene} is there already and does not include {os.path.basename(path)}: it shows another "
                         "robot")
    else:
        made.append((scene, _marked(scene_text(robot.name or "robot", os.path.basename(path), floor))))
    return Exported(tuple(made), tuple(lines), (*assumed, *_notices("MJCF", (*files.warnings, *notes))),
                    left=unseen("MJCF", robot, places))


def _converts_collada(request: ExportRequest) -> bool:
    """Return True if the run was to convert COLLADA, to whatever format."""
    meshes = request.result.plan.options.meshes
    if meshes.wanted or not asks_for_meshes(request.choices):
        return meshes.wanted
    from .meshes.request import read_request

    asked = read_request(request.choices, meshes, request.spelled)
    return asked is not None and bool(asked.format)


def _includes(scene: str, name: str) -> bool:
    with open(scene, encoding="utf-8", errors="replace") as stream:
        return f'"{name}"' in stream.read()


def export_sdf(request: ExportRequest) -> Exported:
    """Return the SDF file.

    Raises:
        UrdfError: an option, or what SDF cannot hold.
    """
    from .sdf.writer import write_sound_sdf
    from .sdf.verify_shapes import verify_uris

    robot, path = _sound_model(request), str(request.choices["sdf"])
    places, textures, assumed = _places(request, robot)
    names, warnings = files_for_sdf({**places, **textures}, os.path.dirname(path))
    base, held = _base(request)
    options = SdfOptions(
        base=base, massless=request.choices["massless"] or "refuse",
        inertia=request.choices["inertia"] or "refuse", frames=frames_of(request), mesh_files=tuple(names.items()),
        spelled=request.spelled)
    written = _with_lines(request, lambda: write_sound_sdf(robot, options))
    verify_uris(names, os.path.dirname(path), {name: place.target for name, place in {**places, **textures}.items()})
    lines = [f"SDF: {path} is read again and is the same robot",
             *(f"SDF: {note}" for note in (*held, *written.said))]
    text = written.text.replace("?>\n", f"?>\n{MARK}\n", 1)
    return Exported(((path, text.encode("utf-8")),), tuple(lines),
                    (*assumed, *_notices("SDF", (*warnings, *written.notes))), left=unseen("SDF", robot, places))


def export_model(request: ExportRequest) -> Exported:
    """Return the model as JSON, read again and compared.

    Raises:
        ProofFailed: it is another when it is read again; a fault of this tool.
    """
    from ..model.json_form import is_json_of

    robot, path = _model(request), str(request.choices["model"])
    text = robot.to_json()
    if not is_json_of(text, robot):
        raise ProofFailed("the model as JSON is another robot", path)
    return Exported(((path, text.encode("utf-8")),), (f"Model: {path} is read again and is the same robot",))


def _model(request: ExportRequest) -> Robot:
    """Return the model of the result, made once for all formats."""
    if "model" not in request.shared:
        request.shared["model"] = model_of(request.result.after)
    robot: Robot = request.shared["model"]
    return robot


def _sound_model(request: ExportRequest) -> Robot:
    """Return the model of the result, looked at once for all formats."""
    robot = _model(request)
    if "sound" not in request.shared:
        _with_lines(request, lambda: check_sound(robot))
        request.shared["sound"] = True
    return robot


def _marked(text: str) -> bytes:
    """Return the bytes of an XML text with the comment by which this tool knows its files."""
    return f"{MARK}\n{text}".encode()


def _notices(what: str, sentences: Iterable[str]) -> Tuple[Diagnostic, ...]:
    return tuple(Diagnostic(OTHER_KIND, 0, f"{what}: {sentence}") for sentence in sentences)


Made = TypeVar("Made")


def _with_lines(request: ExportRequest, make: Callable[[], Made]) -> Made:
    """Make something, and name in what is refused the line of the input that it is about."""
    try:
        return make()
    except ManyProblems as error:
        raise ManyProblems([_placed(request, problem) for problem in error.problems]) from None
    except BrokenRobot as error:
        raise _placed(request, error) from None


def _placed(request: ExportRequest, error: UrdfError) -> UrdfError:
    found, before = re.match(OWNER, error.message), request.result.before
    line = 0
    if found and found.group(1) == "link" and found.group(2) in before.links:
        line = before.links[found.group(2)].source.line
    elif found and found.group(1) == "joint":
        joint = before.joint_named(found.group(2))
        line = joint.source.line if joint is not None else 0
    return BrokenRobot(error.message, request.path, line)


def _places(request: ExportRequest, robot: Robot) -> Tuple[Dict[str, Place], Dict[str, Place], Tuple[Diagnostic, ...]]:
    """Return where the mesh files are: made in this run, or seen from the folder of the URDF; looked up once.

    With it come the textures that are found, and what was assumed to find all of them.
    """
    if "places" in request.shared:
        found: Tuple[Dict[str, Place], Dict[str, Place], Tuple[Diagnostic, ...]] = request.shared["places"]
        return found
    plan = request.result.plan
    targets = {os.path.basename(file.target): file for file in plan.meshes.files}
    split: Dict[str, Tuple[str, str]] = {}
    for part in (part for one in plan.meshes.converted for part in one.parts):
        file = targets.get(part.filename.rpartition("/")[2])
        if file is not None:
            split[part.filename] = (file.source, file.target)
    copies = [file for file in plan.meshes.files if file.copied]
    split.update({file.copied: (file.source, file.target) for file in copies})
    folder = os.path.dirname(os.path.abspath(request.output or request.path))
    origin = os.path.dirname(os.path.abspath(request.path))
    resolver = resolver_for(request.result.after.document.root, folder, plan.options.meshes.package, origin)
    files = [mesh.filename for mesh in robot.meshes]
    textures = {one.texture for one in robot.materials if one.texture}
    textures.update(visual.material.texture for link in robot.links for visual in link.visuals
                    if visual.material and visual.material.texture)
    origins = {file.origin: (file.source, file.target) for file in copies}
    places, assumed = places_of(files, resolver, split, origins)
    images, _ = places_of(sorted(textures), resolver, split, origins)
    request.shared["places"] = places, {name: place for name, place in images.items() if place.source}, assumed
    return _places(request, robot)


def frames_of(request: ExportRequest) -> Tuple[Frame, ...]:
    """Return the links that were only frames and were merged: their names are worth keeping.

    Raises:
        ProofFailed: one is not where the input has it; a fault of this tool.
    """
    plan, before, after = request.result.plan, request.result.before, request.result.after
    names = [name for name, member in plan.members.items()
             if member.merged and name not in after.links and member.target in after.links
             and not before.links[name].shapes and before.links[name].mass == 0.0]
    T_root = poses_before(before, {}, IDENTITY_POSE) if names else {}
    found = []
    for name in names:
        target = plan.members[name].target
        T_old_frame = compose(inverse(T_root[target]), T_root[name])
        frame = Frame(name, target, Pose.from_transform(plan.placements[name]))
        compare_poses(f"frame '{name}'", frame.pose.transform, compose(plan.placements[target], T_old_frame))
        found.append(frame)
    return tuple(found)


def _srdf(request: ExportRequest) -> Optional[Document]:
    return request.result.srdf.after if request.result.srdf else None


def _excluded(request: ExportRequest) -> Tuple[Tuple[str, str], ...]:
    document = _srdf(request)
    return () if document is None else tuple(
        (one.get("link1") or "", one.get("link2") or "") for one in document.root.elements("disable_collisions"))


def _base(request: ExportRequest) -> Tuple[str, Tuple[str, ...]]:
    """Return how the root is held, and a line on that: a virtual joint of the SRDF that is fixed decides for auto."""
    document, asked = _srdf(request), request.choices["base"] or "auto"
    for one in document.root.elements("virtual_joint") if document and asked == "auto" else ():
        if one.get("type") == "fixed" and one.get("child_link") == request.result.after.root:
            return "fixed", (f"the base is fixed by virtual joint '{one.get('name')}' of the SRDF (--base "
                             "free is the other)",)
    return asked, ()


State = Tuple[Tuple[str, float], ...]


def _states(request: ExportRequest, robot: Robot) -> Tuple[State, Tuple[Tuple[str, State], ...], Tuple[str, ...]]:
    """Return the positions of the state `home` of the SRDF, those of each other that sets all joints, and a line.

    States of one name, of several groups, are one; of several values for a joint the first counts.
    """
    document = _srdf(request)
    states: Dict[str, Dict[str, float]] = {}
    for state in document.root.elements("group_state") if document else ():
        positions = states.setdefault(state.get("name") or "", {})
        for joint in state.elements("joint"):
            try:
                positions.setdefault(joint.get("name") or "", read_numbers(joint.get("value") or "", 1)[0])
            except ValueError:  # a joint of several degrees of freedom: it stays where it is
                continue
    passive = {one.get("name") for one in document.root.elements("passive_joint")} if document else set()
    driven = {joint.name for joint in robot.joints if joint.type in MOVABLE and not joint.mimic} - passive
    home = tuple(states.pop("home", {}).items())
    keys = tuple((name, tuple(values.items())) for name, values in states.items() if driven <= values.keys())
    others = [name for name in states if name not in dict(keys)]
    return home, keys, (f"no key frame for {', '.join(others)}: {'they set' if len(others) > 1 else 'it sets'} a part "
                        "of the joints",) if others else ()
