"""SDF for Gazebo and Drake: written, read again and compared."""
