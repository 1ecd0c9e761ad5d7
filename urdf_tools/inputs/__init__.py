"""MJCF and SDF as inputs: what their readers read becomes the typed model, and a URDF of it."""
