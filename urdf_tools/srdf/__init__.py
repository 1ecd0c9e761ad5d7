"""The SRDF that follows a plan: its edits, its collision pairs, its proof."""
