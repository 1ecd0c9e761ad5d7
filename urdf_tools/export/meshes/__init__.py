"""Meshes in one common form, read from and written to STL, OBJ and glTF, and read from COLLADA."""
