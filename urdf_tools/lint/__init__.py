"""What is odd about a robot by itself: its two sides, and what simulators make of it."""
