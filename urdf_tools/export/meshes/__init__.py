"""The meshes of a run: convert, copy and name them, and report meshes that a program cannot load."""
