"""MJCF, SDF and USD as inputs: their readers' robot becomes the typed model, which is written as a URDF."""
