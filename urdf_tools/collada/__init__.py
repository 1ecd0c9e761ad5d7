"""The conversion of COLLADA files into STL files of one color each, and its proof."""
