"""What every description of a robot shares: the record of its text, bodies that move as one, motion, arithmetic."""
