"""Prove that the result moves, weighs and looks like the input; imports nothing from `apply`."""
