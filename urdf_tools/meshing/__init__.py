"""Carry out the plan for meshes in a temporary folder: convert, copy and name them."""
