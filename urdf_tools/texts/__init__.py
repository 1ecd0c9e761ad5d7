"""The pages that the program reads."""
