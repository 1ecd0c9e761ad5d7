"""Verify that the result has the motion, masses and appearance of the input; imports nothing from `apply`."""
