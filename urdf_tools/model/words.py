"""The words that the choices of the exports have."""

BASES = ("auto", "free", "fixed")
ACTUATORS = ("motor", "position", "none")
MASSLESS = ("refuse", "tiny")
INERTIA = ("refuse", "nearest")
ENGINES = ("both", "newton", "isaac")  # whose words USD gets
NESTING = ("flat", "nested")  # how bodies are in USD
MESH_PLACES = ("beside", "inline", "none")
