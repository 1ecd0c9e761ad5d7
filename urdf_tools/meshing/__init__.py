"""What the plan wants of meshes, done in a temporary folder: converted, copied, named."""
