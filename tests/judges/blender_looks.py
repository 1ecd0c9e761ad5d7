"""Runs in Blender: builds a robot by import_armature.py, and writes what is there.

blender -b --python blender_looks.py -- import_armature.py robot.json looks.json [options of the script]
"""

import importlib.util
import json
import sys

import bpy


def main(script, robot, looks, *options):
    """Build, and describe."""
    for thing in list(bpy.data.objects):
        bpy.data.objects.remove(thing)
    spec = importlib.util.spec_from_file_location("import_armature", script)
    importer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(importer)
    if importer.main(["", robot, *options]):
        sys.exit(1)
    bpy.context.view_layer.update()
    rig = next(thing for thing in bpy.data.objects if thing.type == "ARMATURE")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    boxes, colors = {}, {}
    for thing in bpy.data.objects:
        if thing.type == "MESH":
            seen = thing.evaluated_get(depsgraph)
            points = [seen.matrix_world @ vertex.co for vertex in seen.data.vertices]
            key = thing.get("urdf_visual", thing.name)
            points += [type(points[0])(corner) for corner in boxes.get(key, ())]
            boxes[key] = [
                [call(point[k] for point in points) for k in range(3)] for call in (min, max)
            ]
            colors[key] = [
                list(slot.material.diffuse_color) for slot in thing.material_slots if slot.material
            ]
    bones = {
        bone.name: {
            "joints": list(bone.get("urdf_joints", ())),
            "constraints": [one.type for one in bone.constraints],
            "limits": {
                letter: [getattr(one, "min_" + letter), getattr(one, "max_" + letter)]
                for one in bone.constraints
                for letter in "xyz"
                if getattr(one, "use_limit_" + letter, False)
                or getattr(one, "use_min_" + letter, False)
            },
            "locks": [list(bone.lock_location), list(bone.lock_rotation), list(bone.lock_scale)],
            "ik": [
                [bone.lock_ik_x, bone.lock_ik_y, bone.lock_ik_z],
                [bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x],
            ],
            "first": [list(bone.location), list(bone.rotation_euler)],
            "mode": bone.rotation_mode,
            "x": list((rig.matrix_world @ bone.matrix).to_3x3().col[0]),
            "head": list(rig.matrix_world @ bone.head),
            "hidden": bool(getattr(bone, "hide", False) or bone.bone.hide),
        }
        for bone in rig.pose.bones
    }
    drivers = {
        curve.data_path: curve.driver.expression
        for curve in (rig.animation_data.drivers if rig.animation_data else ())
    }
    empties = {
        thing["urdf_link"]: {
            "matrix": [list(row) for row in thing.matrix_world],
            "mass": thing.get("mass"),
        }
        for thing in bpy.data.objects
        if thing.type == "EMPTY" and "urdf_link" in thing
    }
    with open(looks, "w", encoding="utf-8") as file:
        json.dump(
            {
                "boxes": boxes,
                "colors": colors,
                "bones": bones,
                "drivers": drivers,
                "empties": empties,
            },
            file,
        )


main(*sys.argv[sys.argv.index("--") + 1 :])
