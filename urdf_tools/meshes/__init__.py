"""Mesh files of every format in one common form: read, written, and read back for the proof."""
