"""URDF: the reader of a comparison, what simulators read of it, the typed model of it, and its writer."""
