"""One run: read, plan, apply in memory, prove, write."""
