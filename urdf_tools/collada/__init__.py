"""Convert COLLADA files into STL files of one color each, and verify them."""
