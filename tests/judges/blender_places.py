"""Runs in Blender: builds a robot by import_armature.py, plays positions, and writes where every link is at each.

blender -b --python blender_places.py -- import_armature.py robot.json positions.csv back.csv places.json
"""

import importlib.util
import json
import sys

import bpy


def main(script, robot, positions, back, places):
    """Run the script on a robot and note its empties frame by frame."""
    spec = importlib.util.spec_from_file_location("import_armature", script)
    importer = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(importer)
    status = importer.main(["", robot, "--import-positions", positions, "--export-positions", back])
    if status:
        sys.exit(status)
    scene = bpy.context.scene
    frames = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        frames.append(
            {
                thing["urdf_link"]: [list(row) for row in thing.matrix_world]
                for thing in bpy.data.objects
                if thing.type == "EMPTY"
            }
        )
    with open(places, "w", encoding="utf-8") as file:
        json.dump(frames, file)


main(*sys.argv[sys.argv.index("--") + 1 :])
