"""The model in the formats of simulators, MJCF and SDF, each text read again and compared with the robot."""
