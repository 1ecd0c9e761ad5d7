"""COLLADA in, parts of one material out."""
