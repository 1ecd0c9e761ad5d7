"""A Python module that translates positions, velocities and efforts of the joints before and after a run."""
