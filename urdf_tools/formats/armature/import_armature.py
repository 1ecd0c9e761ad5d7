"""Builds a robot in Blender from the armature that `urdf-simplify export robot.urdf robot.armature.json` wrote.

    blender --python import_armature.py -- robot_armature.json
    blender -b --python import_armature.py -- robot_armature.json -o robot.blend
    blender -b robot.blend --python import_armature.py -- --export-positions poses.csv
    blender -b robot.blend --python import_armature.py -- --import-positions log.csv -o played.blend
    python import_armature.py robot_armature.json -o robot.blend        (with `pip install bpy`)

For Blender 3.4 or newer; needs nothing else. One armature with a bone for each joint (X is the axis of a hinge, so
`R X X` turns it), limits, locks and drivers, an empty for each link, and what is seen of it. The positions of joints
are channel values times a sign; --export-positions writes them over time, in the order of the URDF.
"""

import argparse
import csv
import json
import math
import os
import sys
from typing import Any, Dict, List, Optional, Sequence, Tuple

import bpy  # first: where it was installed by pip, the other two come with it
import bmesh
from mathutils import Matrix

FORMAT = 1
OLDEST = (3, 4, 0)
ROTATION = "rotation_euler"
LOCATION = "location"
LETTERS = "xyz"
STORED = "urdf_armature"  # the custom property of the armature that holds joints and channels
SAME = 1e-4  # [rad, m] a channel is what is seen if it is that close
SEGMENTS = 32  # around cylinders and spheres


class ImportRefused(Exception):
    """What cannot be done, in a sentence."""


def say(text: str, stream: Any = None) -> None:
    """Print a line of this script among those of Blender."""
    print(f"import_armature: {text}", file=stream or sys.stdout, flush=True)


def parse(words: Sequence[str]) -> argparse.Namespace:
    """Read the arguments: those after `--`, or all of them outside the program `blender`."""
    parser = argparse.ArgumentParser(
        prog="import_armature.py", description="Build a robot in Blender."
    )
    parser.add_argument(
        "file", nargs="?", help="the armature (.json), or a .blend to open that has one"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="save as this .blend file")
    parser.add_argument("--mesh-dir", metavar="DIR", help="look for meshes here as well")
    parser.add_argument(
        "--no-limits", action="store_true", help="no limits: neither constraints nor IK limits"
    )
    parser.add_argument(
        "--import-positions", metavar="CSV", help="keyframes from time [s] and joint positions"
    )
    parser.add_argument(
        "--export-positions", metavar="CSV", help="time [s] and joint positions of every frame"
    )
    return parser.parse_args(list(words[words.index("--") + 1 :] if "--" in words else words[1:]))


def read_document(path: str) -> Dict[str, Any]:
    """Read the JSON of an armature."""
    try:
        with open(path, encoding="utf-8") as file:
            document = json.load(file)
    except (OSError, ValueError) as error:
        raise ImportRefused(f"{path}: this armature cannot be read: {error}") from None
    if (
        not isinstance(document, dict)
        or "bones" not in document
        or document.get("format") != FORMAT
    ):
        raise ImportRefused(
            f"{path}: this is not an armature of format {FORMAT}; make it with urdf-simplify export"
        )
    return document


def build(document: Dict[str, Any], folder: str, options: argparse.Namespace) -> Any:
    """Make armature, empties and visuals in a new collection; return the armature's object."""
    collection = bpy.data.collections.new(document["object"])
    bpy.context.scene.collection.children.link(collection)
    armature = bpy.data.armatures.new(document["object"])
    rig = bpy.data.objects.new(document["object"], armature)
    collection.objects.link(rig)
    rig.show_in_front = True
    names = make_bones(rig, document["bones"])
    joints: Dict[str, Tuple[str, Dict[str, Any]]] = {}
    for bone in document["bones"]:
        if bone["kind"] == "joint":
            for dof in bone["dofs"]:
                joints.setdefault(dof["joint"], (names[bone["name"]], dof))
    for bone in document["bones"]:
        set_up_bone(rig, names, joints, bone, limited=not options.no_limits)
    rig[STORED] = json.dumps(
        {"format": FORMAT, "joint_order": document["joint_order"], "joints": joints}
    )
    bpy.context.view_layer.update()
    # Empties are placed by the poses of the bones, which Blender has only now.
    shapes = LinkShapeBuilder(folder, options.mesh_dir)
    for link in document["links"]:
        if link["bone"] is not None:
            shapes.add_visuals(
                collection, make_empty(collection, rig, names[link["bone"]], link), link["visuals"]
            )
    bpy.context.view_layer.update()
    empties = sum(link["bone"] is not None for link in document["links"])
    say(
        f"'{rig.name}': {len(armature.bones)} bones, {empties} links, {len(document['joint_order'])} joints, "
        f"{shapes.made} visuals"
    )
    for complaint in shapes.complaints:
        say(f"warning: {complaint}")
    return rig


def make_bones(rig: Any, bones: List[Dict[str, Any]]) -> Dict[str, str]:
    """Make the bones at rest; return the names that Blender gave them by those of the file."""
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    made: Dict[str, Any] = {}
    for bone in bones:
        edit = made[bone["name"]] = rig.data.edit_bones.new(bone["name"])
        edit.head, edit.tail, edit.roll = bone["head"], bone["tail"], bone["roll"]
        edit.use_connect = False
        edit.use_deform = bone["kind"] != "helper"
        if bone["parent"] is not None:
            edit.parent = made[bone["parent"]]
    names = {name: edit.name for name, edit in made.items()}
    bpy.ops.object.mode_set(mode="OBJECT")
    return names


def channel_range(dof: Dict[str, Any]) -> Optional[Tuple[float, float]]:
    """Return the range of a channel that is limited; a follower is not, so that it stays where its leader takes it."""
    if dof["mimic"] or dof["lower"] is None:
        return None
    first, second = dof["sign"] * dof["lower"], dof["sign"] * dof["upper"]
    return min(first, second), max(first, second)


def set_up_bone(
    rig: Any,
    names: Dict[str, str],
    joints: Dict[str, Tuple[str, Dict[str, Any]]],
    bone: Dict[str, Any],
    *,
    limited: bool,
) -> None:
    """Give a bone its rotation mode, locks, limits, drivers, custom properties and first position."""
    pose = rig.pose.bones[names[bone["name"]]]
    pose.rotation_mode = bone["rotation_mode"]
    describe(pose, bone)
    if bone["kind"] == "root":
        return
    pose.lock_location = pose.lock_rotation = pose.lock_scale = (True, True, True)
    pose.lock_ik_x = pose.lock_ik_y = pose.lock_ik_z = True
    limits: Dict[Tuple[str, int], Tuple[float, float]] = {}
    for dof in bone["dofs"]:
        channel, index = dof["channel"], dof["index"]
        interval = channel_range(dof)
        first = min(max(0.0, interval[0]), interval[1]) if interval else 0.0
        getattr(pose, channel)[index] = first
        follows = dof["mimic"] is not None or bone["kind"] == "helper"
        locked = follows or interval is not None and interval[0] == interval[1]
        getattr(pose, "lock_location" if channel == LOCATION else "lock_rotation")[index] = locked
        if bone["kind"] == "helper":
            drive(rig, pose, dof, names[bone["of"]], dof, 1.0, 0.0)
        elif dof["mimic"] is not None:
            rule = dof["mimic"]
            leader, other = joints[rule["joint"]] if rule["joint"] is not None else (pose.name, dof)
            drive(
                rig,
                pose,
                dof,
                leader,
                other,
                dof["sign"] * other["sign"] * rule["multiplier"],
                dof["sign"] * rule["offset"],
            )
        if channel == ROTATION and not locked:
            setattr(pose, "lock_ik_" + LETTERS[index], False)
        if limited and interval is not None and not locked:
            limits[(channel, index)] = interval
    for channel, kind in ((ROTATION, "LIMIT_ROTATION"), (LOCATION, "LIMIT_LOCATION")):
        limit(
            pose,
            kind,
            {index: interval for (of, index), interval in limits.items() if of == channel},
        )
    if bone["kind"] == "helper":
        pose.bone.hide = True
        if hasattr(pose, "hide"):  # Blender 5
            pose.hide = True


def describe(pose: Any, bone: Dict[str, Any]) -> None:
    """Store what Blender has no place for as custom properties of a bone."""
    wanted = (
        "joint",
        "type",
        "sign",
        "lower",
        "upper",
        "effort",
        "velocity",
        "damping",
        "friction",
    )
    pose["urdf_link"] = bone["link"]
    if bone["dofs"]:
        names = list(dict.fromkeys(dof["joint"] for dof in bone["dofs"]))
        pose["urdf_joints"] = pose.bone["urdf_joints"] = names
        pose["urdf_dofs"] = [
            {key: dof[key] for key in wanted if dof[key] is not None} for dof in bone["dofs"]
        ]


def limit(pose: Any, kind: str, limits: Dict[int, Tuple[float, float]]) -> None:
    """Add the constraint that keeps channels in their range, and the limits of IK."""
    if not limits:
        return
    constraint = pose.constraints.new(kind)
    constraint.owner_space = "LOCAL"
    constraint.use_transform_limit = True
    if hasattr(constraint, "use_legacy_behavior"):
        constraint.use_legacy_behavior = False
    elif kind == "LIMIT_ROTATION" and any(
        max(map(abs, interval)) > math.pi for interval in limits.values()
    ):
        # Before Blender 4 it turns positions beyond half a turn into others.
        pose.constraints.remove(constraint)
        return
    for index, (lower, upper) in limits.items():
        letter = LETTERS[index]
        if kind == "LIMIT_ROTATION":
            setattr(constraint, "use_limit_" + letter, True)
            setattr(pose, "use_ik_limit_" + letter, True)
            setattr(pose, "ik_min_" + letter, max(-math.pi, min(0.0, lower)))
            setattr(pose, "ik_max_" + letter, min(math.pi, max(0.0, upper)))
        else:
            setattr(constraint, "use_min_" + letter, True)
            setattr(constraint, "use_max_" + letter, True)
        setattr(constraint, "min_" + letter, lower)
        setattr(constraint, "max_" + letter, upper)


def drive(
    rig: Any,
    pose: Any,
    dof: Dict[str, Any],
    leader: str,
    other: Dict[str, Any],
    factor: float,
    offset: float,
) -> None:
    """Let a channel follow another bone's: factor * q + offset, which Blender evaluates without Python."""
    driver = pose.driver_add(dof["channel"], dof["index"]).driver
    driver.type = "SCRIPTED"
    if factor:
        variable = driver.variables.new()
        variable.name = "q"
        variable.type = "SINGLE_PROP"
        target = variable.targets[0]
        target.id = rig
        target.data_path = f'pose.bones["{bpy.utils.escape_identifier(leader)}"].{other["channel"]}[{other["index"]}]'
    driver.expression = f"{factor!r}*q+{offset!r}" if factor else repr(offset)


def matrix_of(rows: Sequence[Sequence[float]]) -> Any:
    """Return three rows of four numbers as a matrix."""
    return Matrix([*rows, (0.0, 0.0, 0.0, 1.0)])


def make_empty(collection: Any, rig: Any, bone: str, link: Dict[str, Any]) -> Any:
    """Make the empty of a link on its bone: placed from the rest pose, which no limit can move."""
    empty = bpy.data.objects.new(link["object"], None)
    collection.objects.link(empty)
    empty.empty_display_type = "ARROWS"
    empty.empty_display_size = 0.3 * rig.data.bones[bone].length
    empty.parent = rig
    empty.parent_type = "BONE"
    empty.parent_bone = bone
    empty.rotation_mode = "QUATERNION"  # floats do not hold Euler angles close to gimbal lock
    rest = rig.data.bones[bone].matrix_local @ Matrix.Translation(
        (0.0, rig.data.bones[bone].length, 0.0)
    )
    empty.matrix_basis = rest.inverted() @ matrix_of(link["matrix"])
    empty["urdf_link"] = link["name"]
    empty["urdf_kind"] = link["kind"]
    if link["mass"] is not None:
        empty["mass"], empty["com"], empty["inertia"] = link["mass"], link["com"], link["inertia"]
    return empty


class LinkShapeBuilder:
    """Makes what is seen of links; each mesh file is read once, each material made once."""

    def __init__(self, folder: str, mesh_dir: Optional[str]) -> None:
        self.folder = folder
        self.mesh_dir = mesh_dir
        self.made = 0
        self.meshes: Dict[str, List[Tuple[Any, Any]]] = {}
        self.materials: Dict[Tuple[str, Tuple[float, ...]], Any] = {}
        self.complaints: List[str] = []

    def add_visuals(self, collection: Any, empty: Any, visuals: List[Dict[str, Any]]) -> None:
        """Make the visuals of a link."""
        for visual in visuals:
            scale = Matrix.Diagonal((*visual.get("scale", (1.0, 1.0, 1.0)), 1.0))
            for data, matrix in self.parts(visual):
                shape = bpy.data.objects.new(visual["name"], data)
                collection.objects.link(shape)
                shape.parent = empty
                shape.rotation_mode = "QUATERNION"
                shape.matrix_basis = matrix_of(visual["matrix"]) @ scale @ matrix
                shape["urdf_visual"] = visual["name"]
                self.paint(shape, visual)
                self.made += 1

    def parts(self, visual: Dict[str, Any]) -> List[Tuple[Any, Any]]:
        """Return the meshes of a visual, each with its matrix."""
        if "uri" not in visual:
            return [(primitive(visual), Matrix())]
        path = self.find(visual)
        if path is None:
            self.print_error(f"mesh '{visual['uri']}' is not found; give --mesh-dir DIR")
            return []
        if path not in self.meshes:
            try:
                self.meshes[path] = import_mesh(path)
            except (ImportRefused, RuntimeError, OSError) as error:
                self.meshes[path] = []
                self.print_error(f"{path}: {error}")
        return self.meshes[path]

    def find(self, visual: Dict[str, Any]) -> Optional[str]:
        """Return the path of a mesh: beside the armature, or in --mesh-dir by as much of its name as is there."""
        places = [os.path.join(self.folder, visual["mesh"])] if visual["mesh"] else []
        if self.mesh_dir:
            parts = visual["uri"].replace("\\", "/").partition("://")[2] or visual["uri"].replace(
                "\\", "/"
            )
            words = parts.split("/")
            places += [os.path.join(self.mesh_dir, *words[start:]) for start in range(len(words))]
        return next((path for path in places if os.path.isfile(path)), None)

    def paint(self, shape: Any, visual: Dict[str, Any]) -> None:
        """Give a visual its color, whatever its mesh brought along."""
        if visual["rgba"] is None:
            return
        key = (visual["material"], tuple(visual["rgba"]))
        if key not in self.materials:
            material = self.materials[key] = bpy.data.materials.new(visual["material"] or "color")
            material.diffuse_color = visual["rgba"]
            material.use_nodes = True
            shader = next(
                (node for node in material.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None
            )
            if shader is not None:
                shader.inputs["Base Color"].default_value = visual["rgba"]
                shader.inputs["Alpha"].default_value = visual["rgba"][3]
        if not shape.data.materials:
            shape.data.materials.append(None)
        for slot in shape.material_slots:
            slot.link = "OBJECT"
            slot.material = self.materials[key]

    def print_error(self, what: str) -> None:
        """Note a warning, once."""
        if what not in self.complaints:
            self.complaints.append(what)


def primitive(visual: Dict[str, Any]) -> Any:
    """Make the mesh of a box, cylinder, capsule or sphere [m]."""
    mesh = bmesh.new()
    data = bpy.data.meshes.new(visual["name"])
    if "box" in visual:
        bmesh.ops.create_cube(mesh, size=1.0, matrix=Matrix.Diagonal((*visual["box"], 1.0)))
    elif "cylinder" in visual:
        radius, length = visual["cylinder"]
        bmesh.ops.create_cone(
            mesh, cap_ends=True, segments=SEGMENTS, radius1=radius, radius2=radius, depth=length
        )
    else:
        radius, length = visual["capsule"] if "capsule" in visual else (visual["sphere"], 0.0)
        bmesh.ops.create_uvsphere(
            mesh, u_segments=SEGMENTS, v_segments=SEGMENTS // 2, radius=radius
        )
        for vertex in mesh.verts if length else ():
            vertex.co.z += (
                math.copysign(0.5 * length, vertex.co.z)
                if abs(vertex.co.z) > 1e-6 * radius
                else 0.0
            )
    mesh.to_mesh(data)
    mesh.free()
    return data


def import_mesh(path: str) -> List[Tuple[Any, Any]]:
    """Read a mesh file; return what it holds, each with the matrix that URDF gives it: that of the file's own axes."""
    ending = os.path.splitext(path)[1].lower()
    before = set(bpy.data.objects)
    turn = Matrix()
    if ending == ".stl":
        bpy.ops.wm.stl_import(filepath=path, forward_axis="Y", up_axis="Z")
    elif ending == ".obj":
        bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")
    elif ending == ".dae" and "collada_import" in dir(bpy.ops.wm):
        bpy.ops.wm.collada_import(filepath=path)
        turn = unturned(path)
    elif ending == ".dae":
        raise ImportRefused(
            "this Blender cannot read COLLADA; urdf_simplify --separate-dae-meshes makes STL of it"
        )
    else:
        raise ImportRefused("import_armature reads .stl, .obj and .dae")
    made = [thing for thing in bpy.data.objects if thing not in before]
    bpy.context.view_layer.update()
    parts = [(thing.data, turn @ thing.matrix_world) for thing in made if thing.type == "MESH"]
    for thing in made:
        bpy.data.objects.remove(thing)
    return parts


def unturned(path: str) -> Any:
    """Return what undoes the turn by which Blender brings the up axis of a COLLADA file to Z: URDF knows none."""
    with open(path, encoding="utf-8", errors="replace") as file:
        up = file.read().partition("<up_axis>")[2][:10].strip().upper()[:4]
    turns = {"Z_UP": (0.0, "X"), "X_UP": (math.pi / 2, "Y")}
    angle, letter = turns.get(up, (-math.pi / 2, "X"))
    return Matrix.Rotation(angle, 4, letter)


def find_rig() -> Any:
    """Return the armature of the open file that an import made: the active one, or the only one."""
    rigs = [
        thing for thing in bpy.context.scene.objects if thing.type == "ARMATURE" and STORED in thing
    ]
    active = bpy.context.view_layer.objects.active
    if active in rigs:
        return active
    if len(rigs) != 1:
        raise ImportRefused(
            "several robots are here, make one active"
            if rigs
            else "there is no robot here; give the JSON that urdf-simplify export wrote"
        )
    return rigs[0]


def frame_of_time() -> Tuple[int, float]:
    """Return the first frame and the frames per second of the scene."""
    render = bpy.context.scene.render
    return bpy.context.scene.frame_start, render.fps / render.fps_base


def export_positions(rig: Any, path: str) -> None:
    """Write time [s] and the position of every joint [rad, m], a row for each frame of the scene."""
    stored = json.loads(rig[STORED])
    scene = bpy.context.scene
    start, rate = frame_of_time()
    last: Dict[str, float] = {}
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["time", *stored["joint_order"]])
        for frame in range(start, scene.frame_end + 1):
            scene.frame_set(frame)
            seen = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for name in stored["joint_order"]:
                bone, dof = stored["joints"][name]
                last[name] = dof["sign"] * seen_channel(
                    seen, seen.pose.bones[bone], dof, last.get(name)
                )
            writer.writerow(
                [
                    repr((frame - start) / rate),
                    *(repr(last[name]) for name in stored["joint_order"]),
                ]
            )
    say(f"{scene.frame_end + 1 - start} frames of {len(stored['joint_order'])} joints in {path}")


def seen_channel(rig: Any, pose: Any, dof: Dict[str, Any], last: Optional[float]) -> float:
    """Return the value of a channel as it is seen: the channel, unless IK, a constraint or a limit moved the bone."""
    index = dof["index"]
    channel = float(getattr(pose, dof["channel"])[index])
    local = rig.convert_space(
        pose_bone=pose, matrix=pose.matrix, from_space="POSE", to_space="LOCAL"
    )
    if dof["channel"] == LOCATION:
        seen = float(local.translation[index])
        return channel if abs(seen - channel) < SAME else seen
    mode = pose.rotation_mode
    seen = float(local.to_euler(mode if len(mode) == 3 else "XYZ", pose.rotation_euler)[index])
    if len(mode) == 3 and abs(math.remainder(seen - channel, 2.0 * math.pi)) < SAME:
        return channel
    near = dof["sign"] * last if last is not None else 0.0
    return seen + 2.0 * math.pi * round((near - seen) / (2.0 * math.pi))


def import_positions(rig: Any, path: str) -> None:
    """Make keyframes of a table of time [s] and joint positions [rad, m]; joints it does not name stay as they are."""
    stored = json.loads(rig[STORED])
    start, rate = frame_of_time()
    try:
        with open(path, encoding="utf-8-sig", newline="") as file:
            header, *rows = csv.reader(file)
            table = [[float(cell) for cell in row] for row in rows if row]
    except (OSError, ValueError) as error:
        raise ImportRefused(f"{path}: these positions cannot be read: {error}") from None
    unknown = [name for name in header[1:] if name not in stored["joints"]]
    if (
        header[:1] != ["time"]
        or unknown
        or any(len(row) != len(header) for row in table)
        or not table
    ):
        hint = f" ('{unknown[0]}' is none)" if unknown else ""
        raise ImportRefused(
            f"{path}: the first line must be 'time' and names of joints{hint}, and every line as long"
        )
    if rig.animation_data is None:
        rig.animation_data_create()
    for row in table:
        frame = start + row[0] * rate
        # A time with few digits means a whole frame.
        frame = round(frame) if abs(frame - round(frame)) < 1e-3 else frame
        for name, value in zip(header[1:], row[1:]):
            bone, dof = stored["joints"][name]
            pose = rig.pose.bones[bone]
            if not dof["mimic"]:
                getattr(pose, dof["channel"])[dof["index"]] = dof["sign"] * value
                pose.keyframe_insert(dof["channel"], index=dof["index"], frame=frame)
    bpy.context.scene.frame_end = max(start, math.ceil(start + table[-1][0] * rate - 1e-3))
    bpy.context.scene.frame_set(start)
    say(f"{len(table)} rows of {len(header) - 1} joints from {path}")


def _remove_objects_of_new_file(*, is_saved: bool) -> None:
    """Remove what Blender puts into a new file; camera and light only of one that is saved with the robot alone."""
    # Without a window a new file counts as changed.
    is_new = not bpy.data.filepath and (bpy.app.background or not bpy.data.is_dirty)
    for name in ("Cube", "Camera", "Light") if is_saved else ("Cube",):
        if is_new and name in bpy.data.objects:
            bpy.data.objects.remove(bpy.data.objects[name])


def run(options: argparse.Namespace) -> None:
    """Do what is asked for."""
    if bpy.app.version < OLDEST:
        raise ImportRefused(
            f"this is Blender {bpy.app.version_string}; import_armature needs 3.4 or newer"
        )
    if options.file and options.file.lower().endswith(".blend"):
        bpy.ops.wm.open_mainfile(filepath=os.path.abspath(options.file))
        rig = find_rig()
    elif options.file:
        document = read_document(options.file)
        _remove_objects_of_new_file(is_saved=bool(options.output))
        rig = build(document, os.path.dirname(os.path.abspath(options.file)), options)
    else:
        rig = find_rig()
    if options.import_positions:
        import_positions(rig, options.import_positions)
    if options.export_positions:
        export_positions(rig, options.export_positions)
    if options.output:
        bpy.ops.wm.save_as_mainfile(filepath=os.path.abspath(options.output))
        say(f"saved {options.output}")


def main(words: Sequence[str]) -> int:
    """Run the script; return its exit status."""
    try:
        run(parse(words))
    except (ImportRefused, RuntimeError, OSError) as error:
        say(f"error: {error}", sys.stderr)
        return 1
    except (KeyError, TypeError, IndexError) as error:
        say(f"error: this armature is not as it should be: {error!r}", sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    status = main(sys.argv)
    if status:
        sys.exit(status)
