"""The values of the word options of the exports."""

BASES = ("auto", "free", "fixed")
ACTUATORS = ("motor", "position", "none")
MESH_PLACES = ("beside", "inline", "none")
