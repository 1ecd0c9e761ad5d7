"""MJCF for MuJoCo."""
