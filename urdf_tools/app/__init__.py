"""The commands of the package: their options, their help, and their functions."""
