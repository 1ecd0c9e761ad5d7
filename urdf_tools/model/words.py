"""The words that the choices of the exports have."""

BASES = ("auto", "free", "fixed")
ACTUATORS = ("motor", "position", "none")
MASSLESS = ("refuse", "tiny")
INERTIA = ("refuse", "nearest")
