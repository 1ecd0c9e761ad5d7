"""What the room of collisions needs of a run: its meshes, its files, its result."""
