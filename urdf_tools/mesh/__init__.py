"""Mesh files: STL, safe file names, putting finished files into their places."""
