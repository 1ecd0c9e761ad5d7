"""What a run does with its meshes: convert, copy and name them, and say what a consumer cannot load."""
