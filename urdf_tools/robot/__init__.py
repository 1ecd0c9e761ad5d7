"""What every description of a robot shares: arithmetic that no format owns."""
