"""One comparison of any two robots: readers of each format, a map between the robots, and what differs."""
