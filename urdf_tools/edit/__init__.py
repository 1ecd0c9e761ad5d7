"""Edits of a robot: named changes of its tree, its names and its joints, each proven by a law of its own."""
