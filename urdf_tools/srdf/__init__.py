"""The SRDF follows the plan: edits, collision pairs, proof."""
