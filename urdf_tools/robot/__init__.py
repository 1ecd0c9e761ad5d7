"""The robot of every format: the record of its file, rigid groups, motion, and arithmetic."""
