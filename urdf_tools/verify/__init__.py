"""The proof that the result has the motion, masses and appearance of the input; it imports nothing from `apply`."""
