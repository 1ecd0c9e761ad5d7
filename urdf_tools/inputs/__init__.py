"""MJCF, SDF and USD as inputs: the robot of their reader becomes the typed model, which is written as a URDF."""
