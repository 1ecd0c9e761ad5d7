"""SDF for Gazebo and Drake."""
