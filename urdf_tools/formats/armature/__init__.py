"""The armature for animators, and the script that builds it in Blender."""
