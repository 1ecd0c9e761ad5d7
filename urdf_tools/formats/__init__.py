"""A home for each format: `read` (text to robot), `lower` (to what it can hold), `write` (robot to text)."""
