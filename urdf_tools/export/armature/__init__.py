"""The robot as one armature: bones along the limbs for animation programs, and the script that builds it in Blender."""
