"""The values of the word options of the exports."""

BASES = ("auto", "free", "fixed")
ACTUATORS = ("motor", "position", "none")
ENGINES = ("both", "newton", "isaac")  # whose schemas USD gets
NESTING = ("flat", "nested")  # the hierarchy of bodies in USD
MESH_PLACES = ("beside", "inline", "none")
