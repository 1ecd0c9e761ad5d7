"""The meshes of a plan in a temporary folder: converted, copied and named."""
