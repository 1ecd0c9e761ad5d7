"""Runs in Blender: prints the names of the objects in a file.

blender -b --python blender_objects.py -- robot.blend
"""

import sys

import bpy

bpy.ops.wm.open_mainfile(filepath=sys.argv[-1])
print("objects:", sorted(thing.name for thing in bpy.data.objects))
