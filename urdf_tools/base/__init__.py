"""What every other room uses and nothing of it knows a robot: errors, number text, words of names, files, processes."""
