"""Mesh files: STL, and safe file names."""
