"""MJCF for MuJoCo: written, read again and compared."""
